//! The inner loop of products of bytes: some rows times one to four blocks of columns, summed in registers.
#![allow(unsafe_code, reason = "bytes are multiplied with intrinsics; docs/safety.md lists it")]
#[cfg(target_arch = "x86_64")]
use super::{
    pairs::{self, Pairs},
    taps::BytePairs,
    tiles::Tiles,
};
#[cfg(target_arch = "x86_64")]
use crate::cpu::blocked::InstructionSet;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Columns per block.
pub(super) const BLOCK: usize = 16;

/// Bytes of a group.
pub(super) const GROUP: usize = 4;

/// One group of each column of a block, aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(pub [[u8; GROUP]; BLOCK]);

/// One int32 for each column of a block.
pub(super) type Sums = [i32; BLOCK];

/// AVX-512 with VNNI. The value proves that the processor has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Avx512Vnni(());

/// AVX2 and FMA: two vectors of 8 columns for each block, multiplied in the way `M`. The value proves that the processor has the
/// instructions.
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
impl Avx512Vnni {
    /// Returns `None` if the instruction set does not allow it, or this machine does not have it.
    pub fn new(isa: InstructionSet) -> Option<Avx512Vnni> {
        let is_allowed = matches!(isa, InstructionSet::Avx512(_));
        let exists = is_allowed && is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl");
        exists.then_some(Avx512Vnni(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Vectors256<Words> {
    /// Returns `None` if the instruction set does not include AVX2.
    pub fn new(isa: InstructionSet) -> Option<Vectors256<Words>> {
        matches!(isa, InstructionSet::Avx512(_) | InstructionSet::Avx2(_)).then_some(Vectors256(Words))
    }
    /// Returns the proof for VNNI, or `None` if this machine does not have it.
    pub fn of_vnni(self) -> Option<Vectors256<Vnni>> {
        is_x86_feature_detected!("avxvnni").then_some(Vectors256(Vnni))
    }
    /// Returns the proof for a way that needs no other instructions.
    pub fn of_pairs(self) -> Vectors256<Pairs> {
        Vectors256(Pairs)
    }
    /// Returns the proof for a way that needs no other instructions.
    pub fn of_byte_pairs(self) -> Vectors256<BytePairs> {
        Vectors256(BytePairs)
    }
}

/// Some rows, which consist of runs of groups.
#[derive(Clone, Copy)]
pub(super) struct LeftRows<'a> {
    pub bytes: &'a [u8],
    /// Where each row begins.
    pub starts: &'a [usize],
    /// Number of runs of a row.
    pub runs: usize,
    /// Number of groups of a run.
    pub groups: usize,
    /// Number of bytes from the beginning of a run to that of the next one.
    pub distance: usize,
}

#[cfg(target_arch = "x86_64")]
impl<'a> LeftRows<'a> {
    /// Returns the groups of all rows, which must follow each other, or `None` if rows have several runs.
    pub fn of_one_run(&self) -> Option<&'a [[u8; GROUP]]> {
        (self.runs == 1).then(|| self.bytes[self.starts[0]..].as_chunks().0)
    }
}

/// Some rows, and a panel of one to four blocks of columns.
pub(super) struct Panel<'a> {
    pub left: LeftRows<'a>,
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
    pub fn tiles<D: Dot, const R1: usize, const R2: usize, const R3: usize, const R4: usize>(
        self,
        dot: D,
        epilogue: &mut impl Epilogue<D>,
    ) {
        let (blocks, count) = (self.begin.len(), self.left.starts.len());
        let most = [R1, R2, R3, R4][(blocks - 1).min(3)];
        let tiles = count.div_ceil(most);
        let mut row = 0;
        for i in 0..tiles {
            let rows = count / tiles + usize::from(i < count % tiles);
            macro_rules! tile {
                ($most:ident $blocks:literal: $($r:literal)*) => { match rows {
                    $($r if $r <= $most => {
                        let sums = tile::<D, $r, $blocks>(dot, (&self.left, row), self.lines, self.begin);
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

/// Computes `R` rows of `B` blocks. The length of every loop except those over runs and groups is known at compile time, so that the sums
/// stay in registers.
#[inline(always)]
fn tile<D: Dot, const R: usize, const B: usize>(
    dot: D,
    (left, first): (&LeftRows, usize),
    lines: &[Line],
    begin: &[Sums],
) -> [[D::Block; B]; R] {
    let mut lines = lines.as_chunks::<B>().0;
    let mut sums = [[dot.load(&begin[0]); B]; R];
    for b in 0..B {
        let first = dot.load(&begin[b]);
        for r in 0..R {
            sums[r][b] = first;
        }
    }
    let Some(starts) = left.starts[first..].first_chunk::<R>() else { return sums };
    for run in 0..left.runs {
        // Not `from_fn`: calling a closure would move the sums to memory.
        let mut rows: [&[[u8; GROUP]]; R] = [&[]; R];
        for r in 0..R {
            rows[r] = &left.bytes[starts[r] + run * left.distance..].as_chunks().0[..left.groups];
        }
        let (of_run, others) = lines.split_at(left.groups);
        for (group, line) in of_run.iter().enumerate() {
            for r in 0..R {
                let left = dot.splat(rows[r][group]);
                for b in 0..B {
                    sums[r][b] = dot.add(sums[r][b], left, &line[b]);
                }
            }
        }
        lines = others;
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
pub(super) trait Dot: Accumulate {
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
