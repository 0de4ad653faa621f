//! Products of rows with a small matrix, which stays in the second-level cache.
//!
//! Here copying rows into tiles, as `product` does, would take as long as multiplying them. So rows are read where they are, and all
//! columns of a tile of rows are computed before the next. Results are written in whole vectors: the last vector of a row ends with the
//! row, and computes some columns a second time. If a row is shorter than a vector, the vector reaches into the next rows, which are
//! written later; the last rows of a task have no next ones, and are computed in memory that has room.
use super::{
    BLOCK, InstructionSet,
    band::with_scratch,
    product::{DEPTH, Tiles, part_depth},
    task_count,
    tile::{OF_4, OF_8, OF_16},
};
use crate::{
    array::{reserve, zeros},
    base::Result,
    cpu::gemm::Mat,
};
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};
use std::ops::Range;

/// Maximum number of elements of a packed matrix.
const ELEMENTS: usize = 1 << 16;
/// Maximum number of elements of a matrix that is used in place: packing a larger one pays off in a single product.
const IN_PLACE: usize = 1 << 18;
/// Number of rows of a packed matrix that are multiplied before the addresses are advanced.
const STEP: usize = 4;
/// Minimum number of rows: with fewer, tiles are too short.
const FEWEST_ROWS: usize = 32;

/// A small right-hand matrix.
pub(in crate::cpu) struct SmallB<'a> {
    isa: InstructionSet,
    /// Its rows and columns.
    k: usize,
    n: usize,
    /// The first column of each vector.
    columns: Vec<usize>,
    vectors: Vectors<'a>,
}

/// The vectors of a matrix.
enum Vectors<'a> {
    /// Ordered by pair of vectors, row of the matrix, and vector. Elements after the last column are 0.
    Packed(Vec<f32>),
    /// The rows as they are.
    Rows(&'a [f32]),
}

impl<'a> SmallB<'a> {
    /// Whether this is faster than `PackedB` for products of that many rows with a packed `k` x `n` matrix.
    pub fn is_faster(rows: usize, [k, n]: [usize; 2]) -> bool {
        rows >= FEWEST_ROWS && is_small([k, n], ELEMENTS) && k <= DEPTH
    }

    /// Packs a matrix that has elements.
    pub fn new(isa: InstructionSet, matrix: Mat<f32>) -> Result<SmallB<'static>> {
        let (k, n, lanes) = (matrix.rows, matrix.cols, isa.lanes());
        let columns = columns(n, lanes);
        let mut lines = zeros::<f32>(columns.len() * lanes * k)?;
        for (pair, lines) in columns.chunks(2).zip(lines.chunks_mut(2 * lanes * k)) {
            for (v, &column) in pair.iter().enumerate() {
                for (i, lines) in lines.chunks_mut(BLOCK * pair.len() * lanes).enumerate() {
                    let lines = lines.chunks_exact_mut(lanes).skip(v).step_by(pair.len());
                    let square = matrix.square(i * BLOCK, column);
                    lines.zip(square).for_each(|(line, row)| line.copy_from_slice(&row[..lanes]));
                }
            }
        }
        Ok(SmallB { isa, k, n, columns, vectors: Vectors::Packed(lines) })
    }

    /// Uses a matrix as it is, for a single product. Returns `None` if it has to be packed.
    pub fn in_place(isa: InstructionSet, matrix: Mat<'a, f32>) -> Option<SmallB<'a>> {
        let (k, n, lanes) = (matrix.rows, matrix.cols, isa.lanes());
        // Of sums in several parts, none may be added twice.
        let has_vectors = n >= lanes && (k <= DEPTH || n.is_multiple_of(lanes));
        let is_usable = !matrix.transposed && has_vectors && is_small([k, n], IN_PLACE);
        is_usable.then(|| SmallB { isa, k, n, columns: columns(n, lanes), vectors: Vectors::Rows(matrix.data) })
    }

    /// Returns the vectors from vector `first` on that begin at these columns, of some rows of the matrix: of all, if it is packed.
    #[inline(always)]
    fn panel(&self, first: usize, columns: &[usize], part: &Range<usize>) -> Panel<'_> {
        let (k, lanes) = (part.len(), self.isa.lanes());
        match &self.vectors {
            Vectors::Packed(lines) => Panel { lines: &lines[first * lanes * k..], strides: None, k },
            Vectors::Rows(rows) => {
                let strides = Some([self.n, columns[columns.len() - 1] - columns[0]]);
                Panel { lines: &rows[part.start * self.n + columns[0]..], strides, k }
            }
        }
    }

    /// Computes `out = rows * self`, plus `bias` in each row.
    pub fn product(&self, rows: &[f32], bias: Option<&[f32]>, out: &mut [f32]) -> Result<()> {
        let (k, n, lanes) = (self.k, self.n, self.isa.lanes());
        let mut begin = zeros::<f32>(self.columns.len() * lanes)?;
        for (column, begin) in self.columns.iter().zip(begin.chunks_exact_mut(lanes)) {
            let bias = bias.into_iter().flatten().skip(*column);
            begin.iter_mut().zip(bias).for_each(|(to, bias)| *to = *bias);
        }
        let count = out.len() / n;
        let height = count.div_ceil(task_count(count * self.k * self.columns.len() * lanes)).max(1);
        let tasks = out.par_chunks_mut(height * n).zip(rows.par_chunks(height * k));
        tasks.try_for_each(|(out, rows)| with_scratch(|scratch| self.part(rows, &begin, out, scratch)))
    }

    /// Multiplies the rows of a task.
    fn part(&self, rows: &[f32], begin: &[f32], out: &mut [f32], scratch: &mut Vec<f32>) -> Result<()> {
        let (n, count, beyond) = (self.n, out.len() / self.n, self.isa.lanes().saturating_sub(self.n));
        // The vectors of the last rows would reach beyond the result.
        let within = count - beyond.div_ceil(n).min(count);
        let (first, last) = rows.split_at(within * self.k);
        // A packed matrix is one part, whatever its size.
        let has_parts = self.k > DEPTH && matches!(self.vectors, Vectors::Rows(_));
        if !first.is_empty() && has_parts {
            self.isa.run(Sweep::<true> { matrix: self, begin, rows: first, out });
        } else if !first.is_empty() {
            self.isa.run(Sweep::<false> { matrix: self, begin, rows: first, out });
        }
        if within < count {
            let out = &mut out[within * n..];
            let more = (out.len() + beyond).saturating_sub(scratch.len());
            reserve(scratch, more)?;
            scratch.resize(scratch.len() + more, 0.0);
            // Matrices with fewer columns than a vector are packed.
            self.isa.run(Sweep::<false> { matrix: self, begin, rows: last, out: scratch });
            out.copy_from_slice(&scratch[..out.len()]);
        }
        Ok(())
    }
}

/// Whether the matrix has elements, but not too many.
fn is_small([k, n]: [usize; 2], most: usize) -> bool {
    k > 0 && n > 0 && k.saturating_mul(n.next_multiple_of(BLOCK)) <= most
}

/// Returns the first column of each vector.
fn columns(n: usize, lanes: usize) -> Vec<usize> {
    (0..n).step_by(lanes).map(|column| column.min(n.saturating_sub(lanes))).collect()
}

/// Products of all vectors of the matrix with some rows. With `PARTS`, sums of more than [`DEPTH`] products are added in parts. Without it,
/// the compiler knows that they are not, and keeps more in registers.
struct Sweep<'a, const PARTS: bool> {
    matrix: &'a SmallB<'a>,
    /// The initial values of the vectors of a row.
    begin: &'a [f32],
    rows: &'a [f32],
    /// The result, with room for the last vector.
    out: &'a mut [f32],
}

impl<const PARTS: bool> SimdOp for Sweep<'_, PARTS> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.tiles::<_, OF_16>(ops),
            8 => self.tiles::<_, OF_8>(ops),
            _ => self.tiles::<_, OF_4>(ops),
        }
    }
}

impl<const PARTS: bool> Sweep<'_, PARTS> {
    /// Tiles have at most `M` rows.
    #[inline(always)]
    fn tiles<O: NumOps<f32>, const M: usize>(mut self, ops: O) {
        let k = self.matrix.k;
        if !PARTS {
            return self.part::<_, M>(ops, 0..k);
        }
        let depth = part_depth(k);
        for first in (0..k).step_by(depth) {
            self.part::<_, M>(ops, first..(first + depth).min(k));
        }
    }

    /// Multiplies the elements of a part of each row.
    #[inline(always)]
    fn part<O: NumOps<f32>, const M: usize>(&mut self, ops: O, part: Range<usize>) {
        let (SmallB { n, k, columns, .. }, lanes) = (self.matrix, ops.len());
        let (n, k) = (*n, *k);
        let (pairs, single) = columns.as_chunks::<2>();
        for (row, count) in Tiles::new(self.rows.len() / k, M).each() {
            let (x, out) = (&self.rows[row * k..][..count * k][part.start..], &mut self.out[row * n..]);
            let mut begin = if part.start == 0 { self.begin } else { &[] };
            for (i, pair) in pairs.iter().enumerate() {
                let panel = self.matrix.panel(2 * i, pair, &part);
                rows_of_tile::<_, M, 2, PARTS>(ops, count, (x, k, panel), begin, (out, n), *pair);
                begin = begin.get(2 * lanes..).unwrap_or_default();
            }
            if let [column] = single {
                let panel = self.matrix.panel(2 * pairs.len(), single, &part);
                rows_of_tile::<_, M, 1, PARTS>(ops, count, (x, k, panel), begin, (out, n), [*column]);
            }
        }
    }
}

/// One or two vectors of each row of the matrix.
#[derive(Clone, Copy)]
struct Panel<'a> {
    /// Begins at the first vector.
    lines: &'a [f32],
    /// The distances between rows and to the second vector, or `None` if the vectors are packed.
    strides: Option<[usize; 2]>,
    /// Number of rows.
    k: usize,
}

/// Multiplies `count` rows, at most `M`, by one or two vectors of the matrix. With `PARTS`, `stride` is that of the rows, and without initial
/// values, the sums are added to `out`.
#[inline(always)]
fn rows_of_tile<O: NumOps<f32>, const M: usize, const V: usize, const PARTS: bool>(
    ops: O,
    count: usize,
    (x, stride, panel): (&[f32], usize, Panel),
    begin: &[f32],
    (out, n): (&mut [f32], usize),
    columns: [usize; V],
) {
    macro_rules! tile {
        ($($t:literal)*) => { match count {
            $($t if $t <= M => tile::<_, $t, V, PARTS>(ops, (x, stride, panel), begin, (out, n), columns),)*
            _ => {}
        } };
    }
    tile!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
}

/// Multiplies `T` rows by `V` vectors for each row of the matrix. The lengths of the inner loops are known at compile time, so that the
/// sums stay in registers.
#[inline(always)]
fn tile<O: NumOps<f32>, const T: usize, const V: usize, const PARTS: bool>(
    ops: O,
    (x, stride, panel): (&[f32], usize, Panel),
    begin: &[f32],
    (out, n): (&mut [f32], usize),
    columns: [usize; V],
) {
    let lanes = ops.len();
    let k = panel.k;
    let (stride, is_first) = if PARTS { (stride, !begin.is_empty()) } else { (k, true) };
    let mut sums = [[ops.zero(); V]; T];
    if is_first {
        for t in 0..T {
            for v in 0..V {
                sums[t][v] = ops.load(&begin[v * lanes..]);
            }
        }
    }
    let mut rows = [x; T];
    for t in 0..T {
        rows[t] = &x[t * stride..][..k];
    }
    match panel.strides {
        Some([stride, next]) => {
            for i in 0..k {
                add_rows::<_, T, V, 1>(ops, &mut sums, (&rows, i), (&panel.lines[i * stride..], stride, next));
            }
        }
        None => {
            let [stride, next] = [V * lanes, lanes];
            // The addresses of the rows of larger tiles do not fit into registers.
            let (steps, rest) = panel.lines[..k * stride].split_at(if T > OF_8 { 0 } else { k / STEP * STEP * stride });
            for (i, lines) in (0..k).step_by(STEP).zip(steps.chunks_exact(STEP * stride)) {
                add_rows::<_, T, V, STEP>(ops, &mut sums, (&rows, i), (lines, stride, next));
            }
            for (i, line) in (steps.len() / stride..k).zip(rest.chunks_exact(stride)) {
                add_rows::<_, T, V, 1>(ops, &mut sums, (&rows, i), (line, stride, next));
            }
        }
    }
    // Sums of parts are more accurate than a single chain of additions.
    if !is_first {
        for t in 0..T {
            for v in 0..V {
                sums[t][v] = ops.add(sums[t][v], ops.load(&out[t * n + columns[v]..]));
            }
        }
    }
    for t in 0..T {
        for v in 0..V {
            ops.store(sums[t][v], &mut out[t * n + columns[v]..]);
        }
    }
}

/// Adds the products of `N` elements of `T` rows, from element `i` on, with as many rows of the matrix of `V` vectors each.
#[inline(always)]
fn add_rows<O: NumOps<f32>, const T: usize, const V: usize, const N: usize>(
    ops: O,
    sums: &mut [[O::Simd; V]; T],
    (rows, i): (&[&[f32]; T], usize),
    (lines, stride, next): (&[f32], usize, usize),
) {
    let mut elements = [&[][..]; T];
    for t in 0..T {
        elements[t] = &rows[t][i..][..N];
    }
    for j in 0..N {
        let mut vectors = [ops.zero(); V];
        for v in 0..V {
            vectors[v] = ops.load(&lines[j * stride + v * next..]);
        }
        for t in 0..T {
            let x = ops.splat(elements[t][j]);
            for v in 0..V {
                sums[t][v] = ops.mul_add(x, vectors[v], sums[t][v]);
            }
        }
    }
}
