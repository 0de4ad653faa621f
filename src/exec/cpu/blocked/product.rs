//! Products of rows with a matrix that is packed once: a 1x1 convolution whose pixels are rows, and whose result is in rows
//! too.
//!
//! **Order of loops.** A task has some rows for some columns. Outermost, as many elements of the rows as fit the
//! second-level cache beside the weights for them; these are copied so that 16 elements of all rows of a tile stand
//! together, as `tile` wants them. Then panels of one or two blocks of columns, for each all tiles. So a panel comes from
//! afar once a task, fetched while the panel before is in use, and what is summed so far stands in the result.
use super::{
    BLOCK, InstructionSet, Pixel,
    band::with_scratch,
    tile::{Line, Planes, accumulate},
};
use crate::{array::reserve, base::Result, exec::cpu::gemm::Mat};
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Elements of a row, and rows, that are worked on at a time.
const DEPTH: usize = 384;
const ROWS: usize = 224;
/// Multiply-adds that are worth a task.
const TASK: usize = 1 << 19;

/// A right matrix, packed.
pub(in crate::exec::cpu) struct Columns {
    isa: InstructionSet,
    /// Its rows and columns.
    k: usize,
    n: usize,
    /// Rows of a part, a multiple of 16; the last may have fewer.
    depth: usize,
    /// Blocks of a panel.
    together: usize,
    /// By part, panel, row and block of the panel. Zeros stand for what is beyond the last.
    lines: Vec<Line>,
}

/// Some rows of the result, of some of its columns.
struct Part<'a> {
    row: usize,
    /// The first block.
    block: usize,
    outs: Vec<&'a mut [f32]>,
}

/// The rows of a left matrix, so far apart.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub data: &'a [f32],
    pub stride: usize,
}

/// Lines that are worth a task of their own where they are packed.
const PACKED: usize = 1 << 10;

impl Columns {
    pub fn of(isa: InstructionSet, matrix: Mat<f32>) -> Result<Columns> {
        Columns::new(isa, matrix.rows, matrix.cols, |row, column| matrix.sixteen(row, column))
    }

    /// A `k` x `n` matrix, of which `sixteen` gives so many elements of a row from a column on, zeros beyond the last.
    pub(super) fn new(
        isa: InstructionSet,
        k: usize,
        n: usize,
        sixteen: impl Fn(usize, usize) -> Pixel + Sync,
    ) -> Result<Columns> {
        let together = if isa.lanes() == BLOCK { 2 } else { 1 };
        let depth = k.div_ceil(k.div_ceil(DEPTH).max(1)).next_multiple_of(BLOCK);
        let panels = n.div_ceil(together * BLOCK);
        let mut lines = Vec::new();
        let rows = k.next_multiple_of(BLOCK);
        let count = rows.saturating_mul(panels * together);
        reserve(&mut lines, count)?;
        lines.resize(count, Line([0.0; BLOCK]));
        for (first, lines) in (0..rows).step_by(depth.max(1)).zip(lines.chunks_mut((depth * panels * together).max(1)))
        {
            let rows = depth.min(rows - first);
            let panels = lines.par_chunks_mut(rows * together).with_min_len(PACKED.div_ceil(rows * together));
            panels.enumerate().for_each(|(panel, lines)| {
                for (i, line) in lines.iter_mut().enumerate() {
                    let (row, block) = (first + i / together, panel * together + i % together);
                    if row < k {
                        line.0 = sixteen(row, block * BLOCK);
                    }
                }
            });
        }
        Ok(Columns { isa, k, n, depth, together, lines })
    }

    /// `out = rows * self`, plus `bias` in each row.
    pub fn product(&self, rows: &[f32], bias: Option<&[f32]>, out: &mut [f32]) -> Result<()> {
        let (row, block) = self.cut(rows.len() / self.k.max(1));
        let parts = self.parts(row, block, out);
        parts.into_par_iter().try_for_each(|mut part| {
            let rows = Rows { data: &rows[part.row * self.k..], stride: self.k };
            with_scratch(|scratch| self.part(rows, part.block, bias.unwrap_or_default(), &mut part.outs, scratch))
        })
    }

    /// Rows and blocks of a task, cut by cost.
    fn cut(&self, rows: usize) -> (usize, usize) {
        let threads = rayon::current_num_threads();
        let most = if threads == 1 { 1 } else { 4 * threads };
        let tasks = (rows.saturating_mul(self.lines.len() * BLOCK) / TASK).clamp(1, most);
        let row_parts = rows.div_ceil(ROWS).max(1);
        let blocks = self.n.div_ceil(BLOCK).div_ceil(tasks.div_ceil(row_parts)).next_multiple_of(self.together);
        (rows.div_ceil(row_parts).max(1), blocks.max(1))
    }

    /// The result in parts, each with its own memory.
    fn parts<'a>(&self, rows: usize, blocks: usize, out: &'a mut [f32]) -> Vec<Part<'a>> {
        let (groups, mut parts) = (self.n.div_ceil(blocks * BLOCK), Vec::<Part>::new());
        for (i, row) in out.chunks_mut(self.n.max(1)).enumerate() {
            if i % rows == 0 {
                parts.extend((0..groups).map(|g| Part { row: i, block: g * blocks, outs: Vec::with_capacity(rows) }));
            }
            let first = parts.len() - groups;
            let columns = row.chunks_mut(blocks * BLOCK);
            parts[first..].iter_mut().zip(columns).for_each(|(part, out)| part.outs.push(out));
        }
        parts
    }

    /// Some rows by the columns from a block on, of which `outs` has a slice a row.
    pub(super) fn part(
        &self,
        rows: Rows,
        block: usize,
        bias: &[f32],
        outs: &mut [&mut [f32]],
        scratch: &mut Vec<f32>,
    ) -> Result<()> {
        let all = self.k.next_multiple_of(BLOCK);
        let (panel, panels) = (block / self.together, outs[0].len().div_ceil(self.together * BLOCK));
        let of_part = self.n.div_ceil(self.together * BLOCK) * self.depth * self.together;
        let bias = bias.get(block * BLOCK..).unwrap_or_default();
        let tiles = Tiles::new(outs.len(), most_rows(self.isa));
        for first in (0..all).step_by(self.depth) {
            let depth = self.depth.min(all - first);
            // The last part is shorter.
            let start = first / self.depth * of_part + panel * depth * self.together;
            let lines = &self.lines[start..][..panels * depth * self.together];
            let x = tiles.copied(rows, first..(first + depth).min(self.k), scratch)?;
            let begin = (first == 0).then_some(bias);
            self.isa.run(Sweep { x, tiles, lines, depth, begin, outs });
        }
        Ok(())
    }
}

/// Rows of a tile, by what fits the registers (see [`super::tile`]).
fn most_rows(isa: InstructionSet) -> usize {
    match isa.lanes() {
        16 => 14,
        8 => 6,
        _ if cfg!(target_arch = "aarch64") => 6,
        _ => 2,
    }
}

/// Rows cut into tiles of nearly the same size.
#[derive(Clone, Copy)]
struct Tiles {
    rows: usize,
    count: usize,
}

impl Tiles {
    fn new(rows: usize, most: usize) -> Tiles {
        Tiles { rows, count: rows.div_ceil(most) }
    }
    /// The first row of each tile and their number.
    fn each(self) -> impl Iterator<Item = (usize, usize)> {
        let (whole, longer) = (self.rows / self.count, self.rows % self.count);
        (0..self.count).map(move |i| (i * whole + i.min(longer), whole + usize::from(i < longer)))
    }
    /// Some elements of the rows, by tile, 16 elements, and row; zeros fill the last 16.
    fn copied<'s>(
        self,
        Rows { data, stride }: Rows,
        elements: std::ops::Range<usize>,
        scratch: &'s mut Vec<f32>,
    ) -> Result<&'s [Pixel]> {
        let size = (self.rows * elements.len().next_multiple_of(BLOCK)).max(scratch.len());
        reserve(scratch, size - scratch.len())?;
        scratch.resize(size, 0.0);
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

/// All tiles of some rows by all panels of some columns, over a part of their elements.
struct Sweep<'a, 'o> {
    x: &'a [Pixel],
    tiles: Tiles,
    /// By panel, row and block.
    lines: &'a [Line],
    depth: usize,
    /// What sums begin with; without it they go on from `outs`. Empty stands for zeros.
    begin: Option<&'a [f32]>,
    outs: &'a mut [&'o mut [f32]],
}

impl SimdOp for Sweep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.panels::<_, 14, 2, 1>(ops),
            8 => self.panels::<_, 6, 1, 2>(ops),
            _ if cfg!(target_arch = "aarch64") => self.panels::<_, 6, 1, 4>(ops),
            _ => self.panels::<_, 2, 1, 4>(ops),
        }
    }
}

impl Sweep<'_, '_> {
    /// Tiles have at most `M` rows, panels `B` blocks, and these `V` vectors.
    #[inline(always)]
    fn panels<O: NumOps<f32>, const M: usize, const B: usize, const V: usize>(mut self, ops: O) {
        let size = self.depth * B;
        // Each tile fetches its share of the next panel, and of that as much with every 16 elements.
        let share = size.div_ceil(self.tiles.count * (self.depth / BLOCK).max(1));
        let mut rest = self.lines;
        let mut column = 0;
        while !rest.is_empty() {
            let (lines, after) = rest.split_at(size);
            let mut next = &after[..size.min(after.len())];
            for (row, rows) in self.tiles.each() {
                macro_rules! tile {
                    ($($t:literal)*) => { match rows {
                        $($t if $t <= M => self.tile::<_, $t, B, V>(ops, lines, row, column, share, &mut next),)*
                        _ => {}
                    } };
                }
                tile!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
            }
            (rest, column) = (after, column + B * BLOCK);
        }
    }
    #[inline(always)]
    fn tile<O: NumOps<f32>, const T: usize, const B: usize, const V: usize>(
        &mut self,
        ops: O,
        lines: &[Line],
        row: usize,
        column: usize,
        share: usize,
        next: &mut &[Line],
    ) {
        let (lanes, outs) = (ops.len(), &mut self.outs[row..row + T]);
        let width = (outs[0].len() - column).min(B * BLOCK);
        // Columns beyond the last have no memory in the result.
        let mut edge = [[[0.0; BLOCK]; B]; T];
        let mut sums = [[[ops.zero(); V]; B]; T];
        if let Some(bias) = self.begin {
            if let Some(bias) = bias.get(column..column + width) {
                edge[0].as_flattened_mut()[..width].copy_from_slice(bias);
            }
            for t in 0..T {
                for b in 0..B {
                    for v in 0..V {
                        sums[t][b][v] = ops.load(&edge[0][b][v * lanes..]);
                    }
                }
            }
        } else {
            for t in 0..T {
                let mut from = &outs[t][column..];
                if width < B * BLOCK {
                    let edge = edge[t].as_flattened_mut();
                    edge[..width].copy_from_slice(from);
                    from = edge;
                }
                for b in 0..B {
                    for v in 0..V {
                        sums[t][b][v] = ops.load(&from[b * BLOCK + v * lanes..]);
                    }
                }
            }
        }
        let x = Planes { x: &self.x[row * self.depth / BLOCK..], plane: T, taps: &[0] };
        sums = accumulate(ops, sums, x, lines, share, next);
        for t in 0..T {
            let to = if width < B * BLOCK { edge[t].as_flattened_mut() } else { &mut outs[t][column..] };
            for b in 0..B {
                for v in 0..V {
                    ops.store(sums[t][b][v], &mut to[b * BLOCK + v * lanes..]);
                }
            }
            if width < B * BLOCK {
                outs[t][column..].copy_from_slice(&edge[t].as_flattened()[..width]);
            }
        }
    }
}
