//! Products of rows with a matrix that is packed once: a 1x1 convolution whose pixels are rows, and whose result is in
//! rows too.
//!
//! **Loop order.** A task computes some rows for some columns. The outermost loop iterates over as many elements of the
//! rows as fit the second-level cache together with their weights; these are copied so that 16 elements of all rows of a
//! tile are contiguous, as `tile` requires. The next loop iterates over panels of one or two blocks of columns (four, if
//! rows come one at a time), the innermost over all tiles. So a panel is loaded from memory once per task, prefetched
//! while the preceding panel is in use. Partial sums are stored in the result.
use super::{
    BLOCK, InstructionSet, Pixel,
    band::{grow, with_scratch, zero_pixels},
    task_count,
    tile::{OF_4, OF_8, OF_16, Planes, WeightVector, accumulate, blocks_together, most_pixels, with_pixels},
};
use crate::{
    array::reserve,
    base::Result,
    cpu::{gemm::Mat, output_tiles::for_each_tile},
};
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Number of elements of a row, and of rows, that are processed at a time.
pub(super) const DEPTH: usize = 384;
const ROWS: usize = 224;
/// Blocks per panel if rows are multiplied one at a time: a row of one or two blocks has too few accumulators to keep the
/// multipliers busy.
const OF_ROW: usize = 4;
/// Minimum number of elements of a task's result that has left the second-level cache by the time the next products are added to it.
const FAR: usize = 1 << 18;
/// The estimated time to copy 16 elements of a row, in multiply-adds of a line.
const COPY: usize = 1;
/// The estimated time to read a line of the matrix, in multiply-adds of a line.
const READ: usize = 4;

/// A packed right-hand matrix.
pub(in crate::cpu) struct PackedB {
    isa: InstructionSet,
    /// Its rows and columns.
    k: usize,
    n: usize,
    /// Rows per part, a multiple of 16; the last part may have fewer.
    depth: usize,
    /// Blocks per panel. If they are two, the last panel may have only one.
    together: usize,
    /// Ordered by part, panel, row and block of the panel, padded with zeros.
    lines: Vec<WeightVector>,
}

/// Memory for a packed matrix.
#[derive(Default)]
pub(super) struct Lines(Vec<WeightVector>);

/// The rows of a left-hand matrix, with their stride.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub data: &'a [f32],
    pub stride: usize,
}

/// Minimum number of lines per task when packing.
const PACKED: usize = 1 << 10;

impl PackedB {
    pub fn of(isa: InstructionSet, matrix: Mat<f32>) -> Result<PackedB> {
        PackedB::new(isa, matrix.rows, matrix.cols, |row, column| matrix.square(row, column))
    }

    /// Packs a `k` x `n` matrix for products of that many rows. That of a single row takes the time of reading the matrix, which is
    /// slower with vectors of 16: the compiler orders their loads by accumulator, and hardware prefetchers do not follow that order.
    pub fn for_rows(
        rows: usize,
        isa: InstructionSet,
        [k, n]: [usize; 2],
        square: impl Fn(usize, usize) -> [Pixel; BLOCK] + Sync,
    ) -> Result<PackedB> {
        match rows {
            1 => PackedB::in_panels(OF_ROW, Lines::default(), isa.of_8_lanes(), [k, n], square),
            _ => PackedB::new(isa, k, n, square),
        }
    }

    /// Packs a `k` x `n` matrix. `square` returns the 16 x 16 elements at a row and a column, with zeros outside the
    /// matrix.
    pub fn new(
        isa: InstructionSet,
        k: usize,
        n: usize,
        square: impl Fn(usize, usize) -> [Pixel; BLOCK] + Sync,
    ) -> Result<PackedB> {
        PackedB::within(Lines::default(), isa, k, n, square)
    }

    /// Like [`PackedB::new`], reusing the memory of another matrix.
    pub(super) fn within(
        lines: Lines,
        isa: InstructionSet,
        k: usize,
        n: usize,
        square: impl Fn(usize, usize) -> [Pixel; BLOCK] + Sync,
    ) -> Result<PackedB> {
        PackedB::in_panels(blocks_together(isa), lines, isa, [k, n], square)
    }

    /// Packs a matrix into panels of `together` blocks.
    fn in_panels(
        together: usize,
        Lines(mut lines): Lines,
        isa: InstructionSet,
        [k, n]: [usize; 2],
        square: impl Fn(usize, usize) -> [Pixel; BLOCK] + Sync,
    ) -> Result<PackedB> {
        let depth = part_depth(k);
        let (blocks, rows) = (blocks_of(n, together), k.next_multiple_of(BLOCK));
        let count = rows.saturating_mul(blocks);
        let more = count.saturating_sub(lines.len());
        reserve(&mut lines, more)?;
        lines.resize(count, WeightVector([0.0; BLOCK]));
        for (first, lines) in (0..rows).step_by(depth.max(1)).zip(lines.chunks_mut((depth * blocks).max(1))) {
            let rows = depth.min(rows - first);
            let panels = lines.par_chunks_mut(rows * together).with_min_len(PACKED.div_ceil(rows * together));
            panels.enumerate().for_each(|(panel, lines)| {
                let of_panel = lines.len() / rows;
                for (i, lines) in lines.chunks_exact_mut(BLOCK * of_panel).enumerate() {
                    for block in 0..of_panel {
                        let square = square(first + i * BLOCK, (panel * together + block) * BLOCK);
                        let lines = lines.iter_mut().skip(block).step_by(of_panel);
                        lines.zip(square).for_each(|(line, row)| line.0 = row);
                    }
                }
            });
        }
        Ok(PackedB { isa, k, n, depth, together, lines })
    }

    /// Returns its memory for reuse.
    pub(super) fn lines(self) -> Lines {
        Lines(self.lines)
    }

    /// Computes `out = rows * self`, plus `bias` in each row.
    pub fn product(&self, rows: &[f32], bias: Option<&[f32]>, out: &mut [f32]) -> Result<()> {
        self.product_from(rows, bias, out, (0, self.n))
    }

    /// Like [`PackedB::product`], but writes to the columns from `first` on of a result with `columns` columns.
    pub fn product_from(
        &self,
        rows: &[f32],
        bias: Option<&[f32]>,
        out: &mut [f32],
        (first, columns): (usize, usize),
    ) -> Result<()> {
        let (height, width) = self.cut(rows.len() / self.k.max(1));
        let begin = self.begin(bias)?;
        for_each_tile((out, columns), first..first + self.n, [height, width * BLOCK], |mut tile| {
            let rows = Rows { data: &rows[tile.row * self.k..], stride: self.k };
            let block = tile.column / BLOCK;
            with_scratch(|scratch| self.part(rows, block, &begin[block..], &mut tile.outs, scratch))
        })
    }

    /// Multiplies a single row by as many columns as `out` has, starting with block `block`, which must be the first of a panel. `begin`
    /// is the result of [`PackedB::begin`].
    pub fn columns_of_row(&self, row: &[f32], begin: &[Pixel], block: usize, out: &mut [f32]) -> Result<()> {
        debug_assert!(block.is_multiple_of(self.together), "block {block} is within a panel");
        let rows = Rows { data: row, stride: self.k };
        with_scratch(|scratch| self.part(rows, block, &begin[block..], &mut [out], scratch))
    }

    /// Returns the initial values of the accumulators: a bias, or zeros.
    pub fn begin(&self, bias: Option<&[f32]>) -> Result<Vec<Pixel>> {
        let mut begin = zero_pixels::<BLOCK>(self.n.next_multiple_of(self.together * BLOCK) / BLOCK)?;
        begin.as_flattened_mut().iter_mut().zip(bias.into_iter().flatten()).for_each(|(b, v)| *b = *v);
        Ok(begin)
    }

    /// Returns the number of rows and of blocks per task: of all divisions, the one that is estimated to take the least time.
    fn cut(&self, rows: usize) -> (usize, usize) {
        let threads = rayon::current_num_threads();
        let (rows, blocks) = (rows.max(1), self.n.div_ceil(BLOCK).max(1));
        // With few rows, most of the time is that of reading the matrix.
        let work = (rows + READ).saturating_mul(self.lines.len() * BLOCK);
        let tasks = task_count(work);
        let row_parts = rows.div_ceil(ROWS);
        let divisions = (1..=tasks).map(|columns| {
            let share = blocks.div_ceil(columns).next_multiple_of(self.together);
            let columns = blocks.div_ceil(share);
            (rows.div_ceil(tasks.div_ceil(columns).max(row_parts)), share)
        });
        let time = |&(height, share): &(usize, usize)| {
            let count = rows.div_ceil(height) * blocks.div_ceil(share);
            // Multiply-adds, copies of rows into tiles, and reads of the matrix, in the time of a line of multiply-adds.
            let task = height * share + COPY * height + READ * share;
            count.div_ceil(threads) * task
        };
        divisions.min_by_key(time).unwrap_or((rows, blocks))
    }

    /// Multiplies some rows by the columns from a block on. `outs` has one slice per row, and `begin` one pixel per
    /// block.
    pub(super) fn part(
        &self,
        rows: Rows,
        block: usize,
        begin: &[Pixel],
        outs: &mut [&mut [f32]],
        scratch: &mut Vec<f32>,
    ) -> Result<()> {
        self.part_of_first(self.k, rows, block, begin, outs, scratch)
    }

    /// Like [`PackedB::part`], for rows whose elements from `used` on are 0. Whole parts of the matrix are left out; if elements after
    /// `used` are in the same part, they are multiplied.
    pub(super) fn part_of_first(
        &self,
        used: usize,
        rows: Rows,
        block: usize,
        begin: &[Pixel],
        outs: &mut [&mut [f32]],
        scratch: &mut Vec<f32>,
    ) -> Result<()> {
        let all = self.k.next_multiple_of(BLOCK);
        let (blocks, of_part) =
            (blocks_of(outs[0].len(), self.together), blocks_of(self.n, self.together) * self.depth);
        let whole = blocks / self.together * self.together;
        let most = if self.together == OF_ROW { 1 } else { most_pixels(self.isa.lanes()) };
        let tiles = Tiles::new(outs.len(), most);
        for first in (0..all.min(used)).step_by(self.depth) {
            let depth = self.depth.min(all - first);
            // The last part has fewer rows.
            let start = first / self.depth * of_part + block * depth;
            let (lines, last) = self.lines[start..][..blocks * depth].split_at(whole * depth);
            let x = tiles.copied(rows, first..(first + depth).min(self.k), scratch)?;
            let begin = (first == 0).then_some(begin);
            let together = self.together;
            self.isa.run(Sweep { x, tiles, lines, together, depth, begin, outs, column: 0 });
            if !last.is_empty() {
                let (begin, column) = (begin.map(|begin| &begin[whole..]), whole * BLOCK);
                self.isa.run(Sweep { x, tiles, lines: last, together: 1, depth, begin, outs, column });
            }
        }
        Ok(())
    }
}

/// Returns the number of elements of a row that are summed before they are added to those before: a multiple of 16.
pub(super) fn part_depth(k: usize) -> usize {
    k.div_ceil(k.div_ceil(DEPTH).max(1)).next_multiple_of(BLOCK)
}

/// Returns the number of blocks that hold `n` columns. Blocks of zeros complete the last panel, unless one of two is missing.
fn blocks_of(n: usize, together: usize) -> usize {
    let blocks = n.div_ceil(BLOCK);
    if together == 2 { blocks } else { blocks.next_multiple_of(together) }
}

/// Rows divided into tiles of nearly the same size.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    rows: usize,
    count: usize,
}

impl Tiles {
    pub(super) fn new(rows: usize, most: usize) -> Tiles {
        Tiles { rows, count: rows.div_ceil(most) }
    }
    /// The first row of each tile, and its number of rows.
    pub(super) fn each(self) -> impl Iterator<Item = (usize, usize)> {
        let (whole, longer) = (self.rows / self.count, self.rows % self.count);
        (0..self.count).map(move |i| (i * whole + i.min(longer), whole + usize::from(i < longer)))
    }
    /// Copies some elements of the rows, ordered by tile, group of 16 elements, and row. The last group is padded with
    /// zeros.
    fn copied<'s>(
        self,
        Rows { data, stride }: Rows,
        elements: std::ops::Range<usize>,
        scratch: &'s mut Vec<f32>,
    ) -> Result<&'s [Pixel]> {
        grow(scratch, self.rows * elements.len().next_multiple_of(BLOCK))?;
        let pixels = scratch.as_chunks_mut::<BLOCK>().0;
        let mut at = 0;
        for (first, count) in self.each() {
            for start in elements.clone().step_by(BLOCK) {
                for row in first..first + count {
                    let from = &data[row * stride..][start..(start + BLOCK).min(elements.end)];
                    match from.try_into() {
                        Ok(sixteen) => pixels[at] = sixteen,
                        Err(_) => {
                            pixels[at] = [0.0; BLOCK];
                            pixels[at][..from.len()].copy_from_slice(from);
                        }
                    }
                    at += 1;
                }
            }
        }
        Ok(&pixels[..at])
    }
}

/// Multiplies all tiles of some rows by all panels of some columns, over a part of their elements.
struct Sweep<'a, 'o> {
    x: &'a [Pixel],
    tiles: Tiles,
    /// Ordered by panel, row and block.
    lines: &'a [WeightVector],
    together: usize,
    depth: usize,
    /// The initial values of the accumulators; if absent, the sums are added to `outs`.
    begin: Option<&'a [Pixel]>,
    outs: &'a mut [&'o mut [f32]],
    /// The first column of `outs` that is computed.
    column: usize,
}

impl SimdOp for Sweep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match (ops.len(), self.together) {
            // Only if a processor with AVX-512 lacked AVX2.
            (16, OF_ROW) => self.panels::<_, 1, OF_ROW, OF_ROW>(ops),
            (8, OF_ROW) => self.panels::<_, 1, OF_ROW, { 2 * OF_ROW }>(ops),
            (_, OF_ROW) => self.panels::<_, 1, OF_ROW, { 4 * OF_ROW }>(ops),
            (16, 1) => self.panels::<_, OF_16, 1, 1>(ops),
            (16, _) => self.panels::<_, OF_16, 2, 2>(ops),
            (8, _) => self.panels::<_, OF_8, 1, 2>(ops),
            _ => self.panels::<_, OF_4, 1, 4>(ops),
        }
    }
}

impl Sweep<'_, '_> {
    /// Tiles have at most `M` rows, and panels have `B` blocks, which are `N` vectors.
    #[inline(always)]
    fn panels<O: NumOps<f32>, const M: usize, const B: usize, const N: usize>(self, ops: O) {
        let Sweep { x, tiles, lines, together: _, depth, begin, outs, column: first } = self;
        let size = depth * B;
        // Each tile prefetches its share of the next panel, evenly divided among its groups of 16 elements.
        // With one row, the lines are read once and in order, which the processor foresees.
        let share = if M == 1 { 0 } else { size.div_ceil(tiles.count * (depth / BLOCK).max(1)) };
        let is_far = begin.is_none() && outs.len() * outs[0].len() >= FAR;
        for (i, panel) in lines.chunks_exact(size).enumerate() {
            let column = first + i * B * BLOCK;
            let after = &lines[(i + 1) * size..];
            let mut next = &after[..size.min(after.len())];
            let begin = begin.map(|b| &b[i * B..(i + 1) * B]);
            // Columns after the last have no memory in the result.
            let width = (outs[0].len() - column).min(B * BLOCK);
            let mut edge = vec![0.0; if width < B * BLOCK { outs.len() * B * BLOCK } else { 0 }];
            edge.chunks_exact_mut(B * BLOCK)
                .zip(&*outs)
                .for_each(|(e, out)| e[..width].copy_from_slice(&out[column..]));
            let mut rows: Vec<&mut [f32]> = if edge.is_empty() {
                outs.iter_mut().map(|out| &mut out[column..]).collect()
            } else {
                edge.chunks_exact_mut(B * BLOCK).collect()
            };
            for (row, count) in tiles.each() {
                let (x, outs) = (&x[row * depth / BLOCK..], &mut rows[row..row + count]);
                let x = Planes { x, plane: count, taps: &[0] };
                if is_far {
                    outs.iter().for_each(|out| (0..B).for_each(|block| ops.prefetch(out[block * BLOCK..].as_ptr())));
                }
                with_pixels!(count, M, T, tile::<_, BLOCK, T, B, N>(ops, x, panel, begin, outs, share, &mut next));
            }
            drop(rows);
            let edge = edge.chunks_exact(B * BLOCK);
            outs.iter_mut().zip(edge).for_each(|(out, e)| out[column..].copy_from_slice(&e[..width]));
        }
    }
}

/// Computes `T` rows of a panel's columns. The length of every loop is known at compile time, so that the accumulators
/// stay in registers.
#[inline(always)]
fn tile<O: NumOps<f32>, const C: usize, const T: usize, const B: usize, const N: usize>(
    ops: O,
    x: Planes<C>,
    panel: &[WeightVector],
    begin: Option<&[Pixel]>,
    outs: &mut [&mut [f32]],
    share: usize,
    next: &mut &[WeightVector],
) {
    let lanes = ops.len();
    let mut sums = [[ops.zero(); N]; T];
    if let Some(begin) = begin {
        let begin = begin.as_flattened();
        for t in 0..T {
            for n in 0..N {
                sums[t][n] = ops.load(&begin[n * lanes..]);
            }
        }
    }
    sums = accumulate::<_, C, T, B, N>(ops, sums, x, panel, share, next);
    // Sums of parts are more accurate than a single chain of additions.
    if begin.is_none() {
        for t in 0..T {
            for n in 0..N {
                sums[t][n] = ops.add(sums[t][n], ops.load(&outs[t][n * lanes..]));
            }
        }
    }
    for t in 0..T {
        for n in 0..N {
            ops.store(sums[t][n], &mut outs[t][n * lanes..]);
        }
    }
}
