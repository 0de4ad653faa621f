//! Epilogues: sums become bytes, or are clamped, while they are in registers.
//!
//! The method is that of `rounding`. The sums of a tile with a number near a tie are stored and rounded again by `rounding`, which applies
//! the definition there. Without vectors of sums, all sums of a panel are stored first.
#![cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "stores of whole vectors; docs/safety.md lists it"))]
#[cfg(target_arch = "x86_64")]
use super::{panel::BLOCK, rounding::Rounding, vectors::Vectors};
use super::{
    panel::{Epilogue, Plain, Store, Sums},
    product::Panels,
    sums::{Clamped, Requantization},
};

/// Rounds tiles of sums.
pub(super) struct RoundTiles<'a, 'o> {
    pub to: &'a Requantization,
    /// The column of the first block.
    pub column: usize,
    pub panels: Panels<'a, 'o, u8>,
    /// Scratch memory for the sums of all tiles.
    pub sums: &'a mut [Sums],
}

/// Clamps and stores tiles of sums.
pub(super) struct StoreTiles<'a, 'o> {
    pub to: &'a Clamped,
    pub panels: Panels<'a, 'o, i32>,
    /// Scratch memory for the sums of all tiles.
    pub sums: &'a mut [Sums],
}

/// Stores the sums of a tile in the memory of all sums. Returns whether this is the last tile of `rows` rows.
#[inline(always)]
fn store<const R: usize, const B: usize>(
    by: Plain,
    tile: [[Sums; B]; R],
    (row, block): (usize, usize),
    (sums, rows): (&mut [Sums], usize),
) -> bool {
    let blocks = sums.len() / rows.max(1);
    Store { sums, blocks }.complete(by, tile, row, block);
    (row + R, block + B) == (rows, blocks)
}

impl Epilogue<Plain> for RoundTiles<'_, '_> {
    #[inline(always)]
    fn complete<const R: usize, const B: usize>(&mut self, by: Plain, tile: [[Sums; B]; R], row: usize, block: usize) {
        let Panels { outs, first } = &mut self.panels;
        if store(by, tile, (row, block), (self.sums, outs.len())) {
            self.to.write(self.sums, self.column, Panels { outs, first: *first });
        }
    }
}

impl Epilogue<Plain> for StoreTiles<'_, '_> {
    #[inline(always)]
    fn complete<const R: usize, const B: usize>(&mut self, by: Plain, tile: [[Sums; B]; R], row: usize, block: usize) {
        let Panels { outs, first } = &mut self.panels;
        if store(by, tile, (row, block), (self.sums, outs.len())) {
            self.to.write(self.sums, Panels { outs, first: *first });
        }
    }
}

/// Repeats a block with constants for indices. The compiler keeps sums in registers only if it knows each index, and it does
/// not unroll long loops.
#[cfg(target_arch = "x86_64")]
macro_rules! repeat {
    ($i:ident below $end:ident of [$($n:literal)*] $body:block) => { $({
        const $i: usize = $n;
        if $i < $end $body
    })* };
}

/// Returns the memory of a tile, and how many of its columns all rows have.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn tile<const R: usize, T>(outs: &mut [&mut [T]], first: usize) -> ([*mut T; R], usize) {
    let (mut columns, mut to) = (usize::MAX, [std::ptr::null_mut(); R]);
    for (to, out) in to.iter_mut().zip(outs) {
        let out = &mut out[first..];
        columns = columns.min(out.len());
        *to = out.as_mut_ptr();
    }
    (to, columns)
}

#[cfg(target_arch = "x86_64")]
impl<D: Vectors> Epilogue<D> for StoreTiles<'_, '_> {
    #[inline(always)]
    fn complete<const R: usize, const B: usize>(&mut self, by: D, sums: [[D::Block; B]; R], row: usize, block: usize) {
        const { assert!(R <= 12 && B <= 4, "more rows or blocks than are repeated below") };
        let (to, columns) = tile::<R, _>(&mut self.panels.outs[row..row + R], self.panels.first + block * BLOCK);
        let bounds = [by.splat(self.to.0), by.splat(self.to.1)];
        repeat!(I below B of [0 1 2 3] {
            let left = columns.saturating_sub(I * BLOCK);
            if left >= BLOCK {
                repeat!(J below R of [0 1 2 3 4 5 6 7 8 9 10 11] {
                    // SAFETY: every row has that many columns.
                    by.store(by.clamp(sums[J][I], bounds), unsafe { &mut *to[J].add(I * BLOCK).cast() });
                });
            } else {
                repeat!(J below R of [0 1 2 3 4 5 6 7 8 9 10 11] {
                    // SAFETY: as above.
                    unsafe { by.store_first(by.clamp(sums[J][I], bounds), to[J].wrapping_add(I * BLOCK), left) };
                });
            }
        });
    }
}

#[cfg(target_arch = "x86_64")]
impl<D: Vectors> Epilogue<D> for RoundTiles<'_, '_> {
    #[inline(always)]
    fn complete<const R: usize, const B: usize>(&mut self, by: D, sums: [[D::Block; B]; R], row: usize, block: usize) {
        const { assert!(R <= 12 && B <= 4, "more rows or blocks than are repeated below") };
        let outs = &mut self.panels.outs[row..row + R];
        let [column, first] = [self.column, self.panels.first].map(|first| first + block * BLOCK);
        let (to, columns) = tile::<R, _>(outs, first);
        let [lower, upper] = self.to.factors.each_ref().map(|bounds| bounds[column..].as_chunks().0);
        let mut rounder = Rounder::new(by, &self.to.rounding);
        repeat!(I below B of [0 1 2 3] {
            let factors = [by.load_floats(&lower[I]), by.load_floats(&upper[I])];
            let left = columns.saturating_sub(I * BLOCK);
            if left >= BLOCK {
                repeat!(J below R of [0 1 2 3 4 5 6 7 8 9 10 11] {
                    let bytes = rounder.round(by, sums[J][I], factors);
                    // SAFETY: every row has that many columns.
                    unsafe { to[J].add(I * BLOCK).cast::<[u8; BLOCK]>().write(bytes) };
                });
            } else {
                repeat!(J below R of [0 1 2 3 4 5 6 7 8 9 10 11] {
                    let bytes = rounder.round(by, sums[J][I], factors);
                    // SAFETY: as above.
                    unsafe { by.store_first_bytes(bytes, to[J].wrapping_add(I * BLOCK), left) };
                });
            }
        });
        if !by.is_zero(rounder.differences) {
            let stored = &mut self.sums[..R * B];
            repeat!(J below R of [0 1 2 3 4 5 6 7 8 9 10 11] {
                repeat!(I below B of [0 1 2 3] { by.store(sums[J][I], &mut stored[J * B + I]); });
            });
            self.to.write(stored, column, Panels { outs, first });
        }
    }
}

/// Rounds vectors of sums.
#[cfg(target_arch = "x86_64")]
struct Rounder<D: Vectors> {
    origin: D::Floats,
    bounds: [D::Block; 2],
    /// Not zero after a number near a tie.
    differences: D::Block,
}

#[cfg(target_arch = "x86_64")]
impl<D: Vectors> Rounder<D> {
    #[inline(always)]
    fn new(by: D, rounding: &Rounding) -> Rounder<D> {
        let [low, high] = rounding.bit_range();
        Rounder {
            origin: by.splat_float(rounding.origin()),
            bounds: [by.splat(low), by.splat(high)],
            differences: by.splat(0),
        }
    }
    #[inline(always)]
    fn round(&mut self, by: D, sums: D::Block, [lower, upper]: [D::Floats; 2]) -> [u8; BLOCK] {
        let rounded = by.multiply_add(sums, lower, self.origin);
        let other = by.multiply_add(sums, upper, self.origin);
        self.differences = by.mark_differences(self.differences, rounded, other);
        by.low_bytes(by.clamp(rounded, self.bounds))
    }
}
