//! Dot products of bytes, the inner loop of products: some rows times one to four blocks of columns, summed in registers.
//!
//! Left-hand elements are uint8, right-hand ones int8, and sums are int32. Rows consist of *groups* of four bytes, and an
//! instruction multiplies one group of a row by the same group of several columns. VNNI multiplies groups of four uint8. So do AMX, many
//! of them at once (`tiles`), and AVX2, if the elements of the right-hand matrix are small enough (`pairs`). Otherwise, groups are of two
//! int16, to which bytes are widened.
#![allow(unsafe_code, reason = "functions for an instruction set are called; docs/safety.md lists it")]
#[cfg(target_arch = "x86_64")]
use super::{
    pairs::{self, Pairs},
    taps::BytePairs,
    tiles::{self, AmxInt8, Tiles},
};
use crate::cpu::blocked::InstructionSet;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Columns per block.
pub(super) const BLOCK: usize = 16;

/// Bytes of a group.
pub(super) const GROUP: usize = 4;

/// Bytes of the rows that are multiplied at a time: they stay in the second-level cache beside a panel.
const NEAR: usize = 96 << 10;
/// Maximum number of those rows, whose sums stay in the first-level cache.
const MAX_ROWS: usize = 48;

/// One group of each column of a block, aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(pub [[u8; GROUP]; BLOCK]);

/// One int32 for each column of a block.
pub(super) type Sums = [i32; BLOCK];

/// The instructions that multiply bytes: the value is the proof that this machine has them.
#[derive(Clone, Copy)]
pub(super) enum DotProduct {
    /// For matrices with many rows; others are multiplied as fast without tiles.
    #[cfg(target_arch = "x86_64")]
    Amx(AmxInt8),
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(Avx512Vnni),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(Vectors256<Vnni>),
    /// For right-hand matrices of which [`pairs::all_fit`] is true.
    #[cfg(target_arch = "x86_64")]
    Avx2Pairs(Vectors256<Pairs>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Vectors256<Words>),
    Plain(Plain),
}

#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Avx512Vnni(());
/// Two vectors of 8 columns for each block, multiplied in the way `M`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Vectors256<M>(M);
/// Groups of four bytes, with VNNI.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Vnni;
/// Groups of two int16.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Words;
/// The baseline of the architecture.
#[derive(Clone, Copy)]
pub(super) struct Plain;

#[cfg(target_arch = "x86_64")]
impl Vectors256<Words> {
    /// Returns the proof for instructions that every processor with AVX2 has, too.
    pub fn of_byte_pairs(self) -> Vectors256<BytePairs> {
        Vectors256(BytePairs)
    }
}

impl DotProduct {
    /// Returns all that an instruction set allows and this machine has, the fastest first.
    pub fn all(isa: InstructionSet) -> Vec<DotProduct> {
        #[cfg(target_arch = "x86_64")]
        {
            let is_wide = matches!(isa, InstructionSet::Avx512(_));
            let is_avx2 = is_wide || matches!(isa, InstructionSet::Avx2(_));
            let has_wide = is_wide && is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl");
            let wide = has_wide.then_some(Avx512Vnni(()));
            let found = [
                wide.and_then(AmxInt8::new).map(DotProduct::Amx),
                wide.map(DotProduct::Avx512Vnni),
                (is_avx2 && is_x86_feature_detected!("avxvnni")).then_some(DotProduct::AvxVnni(Vectors256(Vnni))),
                is_avx2.then_some(DotProduct::Avx2Pairs(Vectors256(Pairs))),
                is_avx2.then_some(DotProduct::Avx2(Vectors256(Words))),
                Some(DotProduct::Plain(Plain)),
            ];
            found.into_iter().flatten().collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = isa;
            vec![DotProduct::Plain(Plain)]
        }
    }
    /// Returns the fastest one for a right-hand matrix with `k` rows; `fit_pairs` returns whether `Avx2Pairs` can multiply it.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "other processors have one kind"))]
    pub fn best(k: usize, fit_pairs: impl FnOnce() -> bool) -> DotProduct {
        let all = DotProduct::all(InstructionSet::best());
        let is_best = match all[0] {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(_) => k >= tiles::MIN_PRODUCTS && !InstructionSet::is_chosen(),
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx2Pairs(_) => fit_pairs(),
            _ => true,
        };
        all[usize::from(!is_best)]
    }
    /// Whether only some right-hand matrices can be multiplied so: those of which `pairs::all_fit` is true.
    pub fn needs_pairs(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return matches!(self, DotProduct::Avx2Pairs(_));
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }
    /// Number of elements of a group: four uint8, or two int16.
    pub fn elements(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(_) | DotProduct::Avx512Vnni(_) | DotProduct::AvxVnni(_) | DotProduct::Avx2Pairs(_) => 4,
            _ => 2,
        }
    }
    /// Returns the number of groups that rows of `k` elements are padded to.
    pub fn groups(self, k: usize) -> usize {
        let groups = k.div_ceil(self.elements());
        match self {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(_) => tiles::padded_groups(groups),
            _ => groups,
        }
    }
    /// Configures this thread for rows of that many groups, where the instructions require it.
    #[cfg(target_arch = "x86_64")]
    pub fn configure(self, groups: usize) -> Option<Tiles> {
        match self {
            DotProduct::Amx(amx) => Some(amx.configure(groups)),
            _ => None,
        }
    }
    /// Returns the maximum number of blocks of columns that are computed together.
    pub fn blocks_together(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(_) => tiles::BLOCKS_TOGETHER,
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx512Vnni(_) => 4,
            _ => 1,
        }
    }
    /// Returns the number of rows that are computed together with that many blocks.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "other processors have one block"))]
    pub fn rows_together(self, blocks: usize) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(_) => tiles::ROWS_TOGETHER,
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx512Vnni(_) => [12, 12, 8, 6][(blocks - 1).min(3)],
            #[cfg(target_arch = "x86_64")]
            DotProduct::AvxVnni(_) | DotProduct::Avx2(_) => 6,
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx2Pairs(_) => pairs::ROWS,
            DotProduct::Plain(_) => 2,
        }
    }
    /// Returns how many of `count` rows are multiplied by a panel before the next one is read. A row has `bytes` bytes.
    pub fn rows_at_a_time(self, count: usize, bytes: usize) -> usize {
        let (near, most, multiple) = match self {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(_) => (tiles::NEAR, tiles::MAX_ROWS, tiles::ROWS),
            _ => (NEAR, MAX_ROWS, 1),
        };
        let most = (near / bytes.max(1)).clamp(self.rows_together(self.blocks_together()), most);
        let parts = count.div_ceil(most).max(1);
        count.div_ceil(parts).max(1).next_multiple_of(multiple)
    }
    /// Returns the minimum number of multiply-adds per task.
    pub fn task(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(_) => 4 << 20,
            _ => 1 << 20,
        }
    }
    /// Multiplies all rows by a panel.
    pub fn multiply(self, panel: Panel, epilogue: &mut impl AnyEpilogue) {
        match self {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(amx) => {
                let mut panel = panel;
                match panel.tiles.take().filter(|_| panel.count >= tiles::ROWS) {
                    // SAFETY: an `AmxInt8` contains the proof that these features were found.
                    Some(tiles) => unsafe { tiles.multiply(&panel, epilogue) },
                    // SAFETY: as above.
                    None => unsafe { with_avx512_vnni(amx.vnni(), panel, epilogue) },
                }
            }
            // SAFETY: an `Avx512Vnni` exists only where these features were found.
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx512Vnni(dot) => unsafe { with_avx512_vnni(dot, panel, epilogue) },
            // SAFETY: a `Vectors256<Vnni>` exists only where these features were found.
            #[cfg(target_arch = "x86_64")]
            DotProduct::AvxVnni(dot) => unsafe { with_avx_vnni(dot, panel, epilogue) },
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx2Pairs(dot) => {
                let Panel { rows, count, lines, order, begin, .. } = panel;
                if let ([begin], Some(order)) = (begin, order) {
                    // SAFETY: a `Vectors256` exists only where AVX2 and FMA were found.
                    unsafe { pairs::multiply(dot, (rows, count), (lines, order), begin, epilogue) }
                }
            }
            // SAFETY: a `Vectors256` exists only where AVX2 and FMA were found.
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx2(dot) => unsafe { with_avx2(dot, panel, epilogue) },
            DotProduct::Plain(dot) => panel.tiles::<_, 2, 2, 2, 2>(dot, epilogue),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vnni")]
fn with_avx512_vnni(dot: Avx512Vnni, panel: Panel, epilogue: &mut impl Epilogue<Avx512Vnni>) {
    panel.tiles::<_, 12, 12, 8, 6>(dot, epilogue);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avxvnni")]
fn with_avx_vnni(dot: Vectors256<Vnni>, panel: Panel, epilogue: &mut impl Epilogue<Vectors256<Vnni>>) {
    panel.tiles::<_, 6, 6, 6, 6>(dot, epilogue);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2(dot: Vectors256<Words>, panel: Panel, epilogue: &mut impl Epilogue<Vectors256<Words>>) {
    panel.tiles::<_, 6, 6, 6, 6>(dot, epilogue);
}

/// Some rows, and a panel of one to four blocks of columns.
pub(super) struct Panel<'a> {
    /// The groups of each row.
    pub rows: &'a [[u8; GROUP]],
    /// Number of rows.
    pub count: usize,
    /// Groups per row.
    pub groups: usize,
    /// Ordered by group and block, or in an order of their own.
    pub lines: &'a [Line],
    #[cfg(target_arch = "x86_64")]
    pub order: Option<&'a pairs::Order>,
    /// What [`DotProduct::configure`] returned for that many groups.
    #[cfg(target_arch = "x86_64")]
    pub tiles: Option<&'a mut Tiles>,
    /// The initial values, one per block.
    pub begin: &'a [Sums],
}

/// Consumes the sums of a tile while they are in registers.
pub(super) trait Epilogue<D: Accumulate> {
    /// Completes the sums of `R` rows and `B` blocks, the first of which are `row` and `block`.
    fn complete<const R: usize, const B: usize>(&mut self, by: D, sums: [[D::Block; B]; R], row: usize, block: usize);
}

/// An epilogue of every kind of sums.
#[cfg(target_arch = "x86_64")]
pub(super) trait AnyEpilogue:
    Epilogue<Plain>
    + Epilogue<Avx512Vnni>
    + Epilogue<Vectors256<Vnni>>
    + Epilogue<Vectors256<Pairs>>
    + Epilogue<Vectors256<BytePairs>>
    + Epilogue<Vectors256<Words>>
{
}
#[cfg(target_arch = "x86_64")]
impl<E> AnyEpilogue for E where
    E: Epilogue<Plain>
        + Epilogue<Avx512Vnni>
        + Epilogue<Vectors256<Vnni>>
        + Epilogue<Vectors256<Pairs>>
        + Epilogue<Vectors256<BytePairs>>
        + Epilogue<Vectors256<Words>>
{
}
#[cfg(not(target_arch = "x86_64"))]
pub(super) trait AnyEpilogue: Epilogue<Plain> {}
#[cfg(not(target_arch = "x86_64"))]
impl<E: Epilogue<Plain>> AnyEpilogue for E {}

/// Stores sums, ordered by row and block.
pub(super) struct Store<'a> {
    pub sums: &'a mut [Sums],
    /// Number of blocks of a row.
    pub blocks: usize,
}

impl<D: Accumulate> Epilogue<D> for Store<'_> {
    #[inline(always)]
    fn complete<const R: usize, const B: usize>(&mut self, by: D, sums: [[D::Block; B]; R], row: usize, block: usize) {
        for r in 0..R {
            let out = &mut self.sums[(row + r) * self.blocks + block..][..B];
            for b in 0..B {
                by.store(sums[r][b], &mut out[b]);
            }
        }
    }
}

impl Panel<'_> {
    /// Computes tiles of at most `R1` to `R4` rows for panels of one to four blocks.
    #[inline(always)]
    fn tiles<D: Dot, const R1: usize, const R2: usize, const R3: usize, const R4: usize>(
        self,
        dot: D,
        epilogue: &mut impl Epilogue<D>,
    ) {
        let (blocks, count) = (self.begin.len(), self.count);
        let most = [R1, R2, R3, R4][(blocks - 1).min(3)];
        let tiles = count.div_ceil(most);
        let mut row = 0;
        for i in 0..tiles {
            let rows = count / tiles + usize::from(i < count % tiles);
            let left = &self.rows[row * self.groups..][..rows * self.groups];
            macro_rules! tile {
                ($most:ident $blocks:literal: $($r:literal)*) => { match rows {
                    $($r if $r <= $most => {
                        let sums = tile::<D, $r, $blocks>(dot, left, self.lines, self.begin);
                        epilogue.complete(dot, sums, row, 0);
                    })*
                    _ => {}
                } };
            }
            match blocks {
                1 => tile!(R1 1: 1 2 3 4 5 6 7 8 9 10 11 12),
                2 if D::WIDE => tile!(R2 2: 1 2 3 4 5 6 7 8 9 10 11 12),
                3 if D::WIDE => tile!(R3 3: 1 2 3 4 5 6 7 8),
                4 if D::WIDE => tile!(R4 4: 1 2 3 4 5 6),
                _ => {}
            }
            row += rows;
        }
    }
}

/// Computes `R` rows of `B` blocks. The length of every loop except that over groups is known at compile time, so that the sums
/// stay in registers.
#[inline(always)]
fn tile<D: Dot, const R: usize, const B: usize>(
    dot: D,
    rows: &[[u8; GROUP]],
    lines: &[Line],
    begin: &[Sums],
) -> [[D::Block; B]; R] {
    let lines = lines.as_chunks::<B>().0;
    let rows: [&[[u8; GROUP]]; R] = std::array::from_fn(|r| &rows[r * lines.len()..][..lines.len()]);
    let mut sums = [[dot.load(&begin[0]); B]; R];
    for b in 0..B {
        let first = dot.load(&begin[b]);
        for r in 0..R {
            sums[r][b] = first;
        }
    }
    for (group, line) in lines.iter().enumerate() {
        for r in 0..R {
            let left = dot.splat(rows[r][group]);
            for b in 0..B {
                sums[r][b] = dot.add(sums[r][b], left, &line[b]);
            }
        }
    }
    sums
}

/// Loads and stores the sums of a block.
pub(super) trait Accumulate: Copy {
    /// The sums of a block, in registers.
    type Block: Copy;
    fn load(self, sums: &Sums) -> Self::Block;
    fn store(self, block: Self::Block, sums: &mut Sums);
}

/// The operations of a tile.
trait Dot: Accumulate {
    /// A group of a row, once for each column.
    type Group: Copy;
    /// Whether a block is one vector of many, so that several are computed together.
    const WIDE: bool;
    fn splat(self, group: [u8; GROUP]) -> Self::Group;
    /// Adds the dot product of the group with each column's.
    fn add(self, block: Self::Block, left: Self::Group, right: &Line) -> Self::Block;
}

#[cfg(target_arch = "x86_64")]
impl Accumulate for Avx512Vnni {
    type Block = __m512i;
    #[inline(always)]
    fn load(self, sums: &Sums) -> __m512i {
        // SAFETY: `self` proves that the instruction exists; the array is as large as the vector.
        unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(self, block: __m512i, sums: &mut Sums) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), block) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx512Vnni {
    /// Returns the sum of two blocks.
    #[inline(always)]
    pub fn sum(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves that the instruction exists.
        unsafe { _mm512_add_epi32(a, b) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Dot for Avx512Vnni {
    type Group = __m512i;
    const WIDE: bool = true;
    #[inline(always)]
    fn splat(self, group: [u8; GROUP]) -> __m512i {
        // SAFETY: as in `load`.
        unsafe { _mm512_set1_epi32(i32::from_le_bytes(group)) }
    }
    #[inline(always)]
    fn add(self, block: __m512i, left: __m512i, right: &Line) -> __m512i {
        // SAFETY: as in `load`.
        unsafe { _mm512_dpbusd_epi32(block, left, _mm512_loadu_si512(right.0.as_ptr().cast())) }
    }
}

#[cfg(target_arch = "x86_64")]
impl<M: Copy> Accumulate for Vectors256<M> {
    type Block = [__m256i; 2];
    // No closures here: they would be compiled without the instruction set, and called.
    #[inline(always)]
    fn load(self, sums: &Sums) -> [__m256i; 2] {
        let halves = sums.as_chunks::<8>().0;
        // SAFETY: `self` proves that the instruction exists; the arrays are as large as the vectors.
        unsafe { [_mm256_loadu_si256(halves[0].as_ptr().cast()), _mm256_loadu_si256(halves[1].as_ptr().cast())] }
    }
    #[inline(always)]
    fn store(self, block: [__m256i; 2], sums: &mut Sums) {
        for (half, vector) in sums.as_chunks_mut::<8>().0.iter_mut().zip(block) {
            // SAFETY: as in `load`.
            unsafe { _mm256_storeu_si256(half.as_mut_ptr().cast(), vector) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl<M: Multiply> Dot for Vectors256<M> {
    type Group = __m256i;
    const WIDE: bool = false;
    #[inline(always)]
    fn splat(self, group: [u8; GROUP]) -> __m256i {
        // SAFETY: as in `load`.
        unsafe { _mm256_set1_epi32(i32::from_le_bytes(group)) }
    }
    #[inline(always)]
    fn add(self, [first, second]: [__m256i; 2], left: __m256i, right: &Line) -> [__m256i; 2] {
        let halves = right.0.as_chunks::<8>().0;
        // SAFETY: as in `load`; `self` proves that the processor has the instructions of `M`.
        unsafe {
            let a = _mm256_loadu_si256(halves[0].as_ptr().cast());
            let b = _mm256_loadu_si256(halves[1].as_ptr().cast());
            [M::multiply_add(first, left, a), M::multiply_add(second, left, b)]
        }
    }
}

/// How groups are multiplied.
#[cfg(target_arch = "x86_64")]
pub(super) trait Multiply: Copy {
    /// Adds the products of each column's group to its sum.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn multiply_add(sum: __m256i, left: __m256i, right: __m256i) -> __m256i;
}

#[cfg(target_arch = "x86_64")]
impl Multiply for Vnni {
    #[inline(always)]
    unsafe fn multiply_add(sum: __m256i, left: __m256i, right: __m256i) -> __m256i {
        // SAFETY: as the caller promises.
        unsafe { _mm256_dpbusd_avx_epi32(sum, left, right) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Multiply for Words {
    #[inline(always)]
    unsafe fn multiply_add(sum: __m256i, left: __m256i, right: __m256i) -> __m256i {
        // SAFETY: as the caller promises.
        unsafe { _mm256_add_epi32(sum, _mm256_madd_epi16(left, right)) }
    }
}

impl Accumulate for Plain {
    type Block = Sums;
    #[inline(always)]
    fn load(self, sums: &Sums) -> Sums {
        *sums
    }
    #[inline(always)]
    fn store(self, block: Sums, sums: &mut Sums) {
        *sums = block;
    }
}

impl Dot for Plain {
    type Group = [i32; 2];
    const WIDE: bool = false;
    #[inline(always)]
    fn splat(self, [a, b, c, d]: [u8; GROUP]) -> [i32; 2] {
        [i16::from_le_bytes([a, b]).into(), i16::from_le_bytes([c, d]).into()]
    }
    #[inline(always)]
    fn add(self, mut block: Sums, left: [i32; 2], right: &Line) -> Sums {
        for (sum, [a, b, c, d]) in block.iter_mut().zip(right.0) {
            let right = [i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d])].map(i32::from);
            *sum = sum.wrapping_add(left[0] * right[0] + left[1] * right[1]);
        }
        block
    }
}
