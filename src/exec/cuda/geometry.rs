//! The grid of a launch, as a function of sizes. Kernels take the number of elements or rows as a parameter, and loop if the
//! grid is smaller.
use std::{env, sync::OnceLock};

/// The number of blocks of a grid and of threads per block, along x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Geometry {
    pub blocks: [u32; 3],
    pub threads: [u32; 3],
}

/// Threads per block of kernels whose threads are independent.
const THREADS: u32 = 256;

/// The maximum number of blocks of a grid, enough to keep any device busy.
const BLOCKS: u64 = 1 << 16;

/// The maximum number of blocks along y and z, on any device.
pub(super) const ACROSS: u64 = 65535;

/// Threads per warp.
const WARP: u64 = 32;

impl Geometry {
    /// Whether there is nothing to launch. The driver rejects an empty grid.
    pub fn is_empty(&self) -> bool {
        self.blocks.contains(&0) || self.threads.contains(&0)
    }
    #[cfg(test)]
    fn total(&self) -> u64 {
        self.blocks.iter().chain(&self.threads).map(|n| u64::from(*n)).product()
    }
}

fn line(blocks: u64, threads: u32) -> Geometry {
    Geometry { blocks: [blocks.min(BLOCKS) as u32, 1, 1], threads: [threads, 1, 1] }
}

/// One thread per element, or per several elements if there are very many.
pub(super) fn elements(n: u64) -> Geometry {
    line(n.div_ceil(THREADS.into()), THREADS)
}

/// `blocks` blocks, up to the limit.
pub(super) fn blocks(blocks: u64, threads: u32) -> Geometry {
    line(blocks, threads)
}

/// The maximum number of threads of a row.
pub(super) const MOST_OF_ROW: u64 = 512;

/// One block per row, with a number of warps that suits the length of a row.
pub(super) fn rows(rows: u64, length: u64) -> Geometry {
    let threads = length.div_ceil(4).next_multiple_of(WARP).clamp(WARP, MOST_OF_ROW) as u32;
    line(rows, threads.next_power_of_two())
}

/// One block per row, for kernels that keep the elements of a row in registers, which they do in groups of four. If there are many
/// rows, a thread has four groups, so that fewer warps wait for each other.
pub(super) fn kept_rows(count: u64, length: u64) -> Geometry {
    let each = if count < MANY_ROWS || !length.is_multiple_of(4) { 1 } else { 4 };
    rows(count, length.div_ceil(each))
}

/// The number of rows that fills any device with one warp each.
const MANY_ROWS: u64 = 8192;

/// One block of `threads` threads per tile of a `rows` x `columns` matrix, for each of the `matrices`. Kernels loop over the
/// tiles if the grid is smaller.
pub(super) fn tiles([rows, columns]: [u64; 2], matrices: u64, tile: [u64; 2], threads: u32) -> Geometry {
    let blocks = [columns.div_ceil(tile[1]).min(BLOCKS), rows.div_ceil(tile[0]).min(ACROSS), matrices.min(ACROSS)];
    Geometry { blocks: blocks.map(|n| n as u32), threads: [threads, 1, 1] }
}

/// The size of a tile of a product in `gemm.cuh`, and the threads of its block.
pub(super) const PRODUCT_TILE: u64 = 64;
pub(super) const PRODUCT_THREADS: u32 = 256;

/// The geometry of products of `rows` x `columns` elements that `gemm.cuh` computes.
pub(super) fn products(sizes: [u64; 2], matrices: u64) -> Geometry {
    tiles(sizes, matrices, [PRODUCT_TILE; 2], PRODUCT_THREADS)
}

/// The environment variable that forces 64-bit indices in all kernels if it is `1`, for tests.
const FORCE_64_BITS: &str = "TPULANG_64_BIT_INDICES";

fn forces_64_bits() -> bool {
    static FORCED: OnceLock<bool> = OnceLock::new();
    *FORCED.get_or_init(|| env::var_os(FORCE_64_BITS).is_some_and(|value| value == "1"))
}

/// Returns the type of indices in CUDA C for all of these sizes: 32 bits if possible, because 64-bit division is slow on
/// GPUs.
pub(super) fn index_type<const N: usize>(sizes: [usize; N]) -> &'static str {
    // Loops add the size of a grid to an index before the comparison.
    if !forces_64_bits() && sizes.iter().all(|n| *n < 1 << 30) { "int" } else { "i64" }
}

/// Returns the unsigned type in CUDA C of linear indices of `n` elements, which kernels split into indices along axes.
pub(super) fn linear_index_type(n: u64) -> &'static str {
    if !forces_64_bits() && n < 1 << 31 { "unsigned" } else { "u64" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn empty_grids_have_no_blocks() {
        assert!(elements(0).is_empty());
        assert!(rows(0, 7).is_empty());
        assert!(tiles([0, 8], 1, [64, 64], 256).is_empty());
        assert!(tiles([8, 8], 0, [64, 64], 256).is_empty());
        assert!(!elements(1).is_empty() && !rows(1, 0).is_empty());
    }

    #[test]
    fn indices_have_32_bits_up_to_the_limit() {
        for (sizes, index) in [
            ([0, 1], "int"),
            ([(1 << 30) - 1, (1 << 30) - 1], "int"),
            ([1 << 30, 1], "i64"),
            ([1, 1 << 30], "i64"),
            ([(1 << 31) - 1, 1], "i64"),
            ([1 << 31, 1], "i64"),
            ([usize::MAX, usize::MAX], "i64"),
        ] {
            assert_eq!(index_type(sizes), index, "{sizes:?}");
        }
        for (n, index) in [
            (0, "unsigned"),
            (1 << 30, "unsigned"),
            ((1 << 31) - 1, "unsigned"),
            (1 << 31, "u64"),
            (1 << 32, "u64"),
            (u64::MAX, "u64"),
        ] {
            assert_eq!(linear_index_type(n), index, "{n}");
        }
    }

    /// A loop adds the number of threads of its grid to an index that is less than the number of elements.
    #[test]
    fn indices_do_not_overflow_in_grid_stride_loops() {
        let largest = (1 << 30) - 1;
        assert!(largest + elements(largest).total() <= i32::MAX as u64);
        let tiles = tiles([largest, largest], 1, [64, 64], 256);
        assert!(tiles.blocks[..2].iter().all(|n| largest + u64::from(*n) * 64 <= i32::MAX as u64));
    }

    #[test]
    fn small_sizes_get_one_thread_per_element() {
        for (n, blocks) in [(1, 1), (255, 1), (256, 1), (257, 2), (1 << 20, 1 << 12), ((1 << 24) + 1, 1 << 16)] {
            assert_eq!(elements(n), Geometry { blocks: [blocks, 1, 1], threads: [256, 1, 1] }, "{n}");
        }
        for (length, threads) in [(1, 32), (128, 32), (129, 64), (257, 128), (768, 256), (1 << 40, 512)] {
            assert_eq!(rows(3, length), Geometry { blocks: [3, 1, 1], threads: [threads, 1, 1] }, "{length}");
        }
        let geometry = tiles([65, 1], 2, [64, 32], 128);
        assert_eq!(geometry, Geometry { blocks: [1, 2, 2], threads: [128, 1, 1] });
    }

    proptest! {
        #[test]
        fn grids_respect_the_limits_of_every_device(n in any::<u64>(), m in any::<u64>(), k in any::<u64>()) {
            for geometry in [elements(n), rows(n, m), tiles([n, m], k, [128, 64], 256)] {
                let [x, y, z] = geometry.blocks;
                prop_assert!(x <= 0x7fff_ffff && u64::from(y) <= ACROSS && u64::from(z) <= ACROSS);
                let threads: u32 = geometry.threads.iter().product();
                prop_assert!(threads <= 1024 && threads.is_multiple_of(32));
            }
        }
        #[test]
        fn every_element_below_two_to_the_24_has_a_thread(n in 1u64..1 << 24) {
            let total = elements(n).total();
            prop_assert!(total >= n && total < n + 256);
        }
    }
}
