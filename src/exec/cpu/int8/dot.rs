//! The instructions that multiply bytes: which there are, how they want matrices packed, and how many rows and columns they take at once.
//!
//! Left-hand elements are uint8, right-hand ones int8, and sums are int32. Rows consist of *groups* of four bytes, and an
//! instruction multiplies one group of a row by the same group of several columns. VNNI multiplies groups of four uint8. So do AMX, many
//! of them at once (`tiles`), and AVX2, if the elements of the right-hand matrix are small enough (`pairs`). Otherwise, groups are of two
//! int16, to which bytes are widened.
#![allow(unsafe_code, reason = "functions for an instruction set are called; docs/safety.md lists it")]
use super::panel::{AnyEpilogue, Panel, Plain};
#[cfg(target_arch = "x86_64")]
use super::{
    pairs::{self, Pairs},
    panel::{Avx512Vnni, Epilogue, Vectors256, Vnni, Words},
    tiles::{self, AmxInt8, Tiles},
};
use crate::cpu::blocked::InstructionSet;

/// Bytes of the rows that are multiplied at a time: they stay in the second-level cache beside a panel.
const NEAR: usize = 112 << 10;
/// Maximum number of those rows, whose sums stay in the first-level cache.
const MAX_ROWS: usize = 56;

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

/// Registers that a thread configures.
#[cfg(target_arch = "x86_64")]
pub(super) type Registers = Tiles;
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Registers = ();

impl DotProduct {
    /// Returns all that an instruction set allows and this machine has, the fastest first.
    pub fn all(isa: InstructionSet) -> Vec<DotProduct> {
        #[cfg(target_arch = "x86_64")]
        {
            let (wide, narrow) = (Avx512Vnni::new(isa), Vectors256::new(isa));
            let found = [
                wide.and_then(AmxInt8::new).map(DotProduct::Amx),
                wide.map(DotProduct::Avx512Vnni),
                narrow.and_then(Vectors256::of_vnni).map(DotProduct::AvxVnni),
                narrow.map(|avx2| DotProduct::Avx2Pairs(avx2.of_pairs())),
                narrow.map(DotProduct::Avx2),
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
    /// Whether rows may consist of runs. AMX cannot read them: it loads tiles from rows that follow each other.
    pub fn reads_runs(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return !matches!(self, DotProduct::Amx(_));
        #[cfg(not(target_arch = "x86_64"))]
        return true;
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
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "other processors have no tiles"))]
    pub fn configure(self, groups: usize) -> Option<Registers> {
        match self {
            #[cfg(target_arch = "x86_64")]
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
                match panel.tiles.take().filter(|_| panel.left.starts.len() >= tiles::ROWS) {
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
                let Panel { left, lines, order, begin, .. } = panel;
                if let ([begin], Some(order)) = (begin, order) {
                    // SAFETY: a `Vectors256` exists only where AVX2 and FMA were found.
                    unsafe { pairs::multiply(dot, &left, (lines, order), begin, epilogue) }
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
