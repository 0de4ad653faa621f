//! Products of rows with a small matrix, which stays in the second-level cache.
//!
//! Here copying rows into tiles, as `product` does, would take as long as multiplying them. So rows are read where they are, and all
//! columns of a tile of rows are computed before the next. Results are written in whole vectors: the last vector of a row ends with the
//! row, and computes some columns a second time. If a row is shorter than a vector, the vector reaches into the next rows, which are
//! written later; the last rows of a task have no next ones, and are computed in memory that has room.
use super::{
    BLOCK, InstructionSet, Pixel,
    band::{grow, with_scratch},
    product::{DEPTH, Rows, Tiles, part_depth},
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
/// Bytes of a cache line.
const LINE: usize = 64;
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
    /// Ordered by pair of vectors, row of the matrix, and vector. Elements after the last column are 0. The first element is at `start`,
    /// where a cache line begins: a vector that crosses two lines takes two loads.
    Packed { memory: Vec<f32>, start: usize },
    /// The rows as they are.
    InPlace(Rows<'a>),
}

impl<'a> SmallB<'a> {
    /// Whether this is faster than `PackedB` for products of that many rows with a packed `k` x `n` matrix.
    pub fn is_faster(rows: usize, [k, n]: [usize; 2]) -> bool {
        rows >= FEWEST_ROWS && is_small([k, n]) && k <= DEPTH
    }

    /// Packs a matrix that has elements.
    pub fn new(isa: InstructionSet, matrix: Mat<f32>) -> Result<SmallB<'static>> {
        SmallB::within(Vec::new(), isa, [matrix.rows, matrix.cols], |row, column| matrix.square(row, column))
    }

    /// Packs a `k` x `n` matrix that has elements into this memory. `square` returns the 16 x 16 elements at a row and a column, with zeros
    /// outside the matrix.
    pub(super) fn within(
        mut memory: Vec<f32>,
        isa: InstructionSet,
        [k, n]: [usize; 2],
        square: impl Fn(usize, usize) -> [Pixel; BLOCK],
    ) -> Result<SmallB<'static>> {
        let lanes = isa.lanes();
        let columns = columns(n, lanes);
        let size = columns.len() * lanes * k + LINE / size_of::<f32>();
        let more = size.saturating_sub(memory.len());
        reserve(&mut memory, more)?;
        memory.resize(size, 0.0);
        let start = memory.as_ptr().align_offset(LINE).min(LINE / size_of::<f32>());
        let lines = &mut memory[start..];
        match lanes {
            16 => pack::<16>(k, &columns, square, lines),
            8 => pack::<8>(k, &columns, square, lines),
            _ => pack::<4>(k, &columns, square, lines),
        }
        Ok(SmallB { isa, k, n, columns, vectors: Vectors::Packed { memory, start } })
    }

    /// Uses a matrix as it is, for a single product. Returns `None` if it has to be packed.
    pub fn in_place(isa: InstructionSet, matrix: Mat<'a, f32>) -> Option<SmallB<'a>> {
        let (k, n, lanes) = (matrix.rows, matrix.cols, isa.lanes());
        let has_vectors = n >= lanes && (k <= DEPTH || n.is_multiple_of(lanes));
        let has_size = k > 0 && k.saturating_mul(n.next_multiple_of(BLOCK)) <= IN_PLACE;
        let rows = Rows { data: matrix.data, stride: n };
        (!matrix.transposed && has_vectors && has_size).then(|| SmallB {
            isa,
            k,
            n,
            columns: columns(n, lanes),
            vectors: Vectors::InPlace(rows),
        })
    }

    /// Returns the memory of a packed matrix for reuse.
    pub(super) fn lines(self) -> Vec<f32> {
        match self.vectors {
            Vectors::Packed { memory, .. } => memory,
            Vectors::InPlace(_) => Vec::new(),
        }
    }

    /// Returns the vectors from vector `first` on that begin at these columns, of some rows of the matrix.
    #[inline(always)]
    fn panel(&self, first: usize, columns: &[usize], part: &Range<usize>) -> Panel<'_> {
        let (k, lanes) = (part.len(), self.isa.lanes());
        match &self.vectors {
            Vectors::Packed { memory, start } => {
                let before = first * self.k + part.start * columns.len();
                Panel { lines: &memory[start + before * lanes..], strides: None, k }
            }
            Vectors::InPlace(Rows { data, stride }) => {
                let strides = Some([*stride, columns[columns.len() - 1] - columns[0]]);
                Panel { lines: &data[part.start * stride + columns[0]..], strides, k }
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
        let (n, k, count) = (self.n, self.k, out.len() / self.n);
        let beyond = self.isa.lanes().saturating_sub(n);
        // The vectors of the last rows would reach beyond the result.
        let within = count - beyond.div_ceil(n).min(count);
        let rows_from = |first: usize| Rows { data: &rows[first * k..], stride: k };
        self.multiply([k, n], begin, rows_from(0), (&mut *out, n, within));
        if within < count {
            let out = &mut out[within * n..];
            grow(scratch, out.len() + beyond)?;
            self.multiply([k, n], begin, rows_from(within), (scratch, n, count - within));
            out.copy_from_slice(&scratch[..out.len()]);
        }
        Ok(())
    }

    /// Multiplies `count` rows by the first `k` rows and `n` columns of the matrix: all columns, or whole pairs of vectors. The result has a
    /// stride, and room for the last vector of each row. `begin` has the initial value of each column.
    #[inline]
    pub(super) fn multiply(
        &self,
        [k, n]: [usize; 2],
        begin: &[f32],
        rows: Rows,
        (out, stride, count): (&mut [f32], usize, usize),
    ) {
        let columns = &self.columns[..n.div_ceil(self.isa.lanes())];
        debug_assert!(columns.len() == self.columns.len() || columns.len().is_multiple_of(2), "{n} of {}", self.n);
        // Of sums in several parts, those of columns that two vectors share would be added twice.
        let has_parts = k > DEPTH && self.n.is_multiple_of(self.isa.lanes());
        if count == 0 {
            return;
        }
        if has_parts {
            self.isa.run(Sweep::<true> { matrix: self, k, columns, begin, rows, out, stride, count });
        } else {
            self.isa.run(Sweep::<false> { matrix: self, k, columns, begin, rows, out, stride, count });
        }
    }
}

/// Whether a packed matrix has elements, but not too many.
pub(super) fn is_small([k, n]: [usize; 2]) -> bool {
    k > 0 && n > 0 && k.saturating_mul(n.next_multiple_of(BLOCK)) <= ELEMENTS
}

/// Packs `k` rows into vectors of `L` elements that begin at these columns.
fn pack<const L: usize>(
    k: usize,
    columns: &[usize],
    square: impl Fn(usize, usize) -> [Pixel; BLOCK],
    lines: &mut [f32],
) {
    for (pair, lines) in columns.chunks(2).zip(lines.as_chunks_mut::<L>().0.chunks_mut(2 * k)) {
        for (v, &column) in pair.iter().enumerate() {
            for (i, lines) in lines.chunks_mut(BLOCK * pair.len()).enumerate() {
                let square = square(i * BLOCK, column);
                for (line, row) in lines.iter_mut().skip(v).step_by(pair.len()).zip(square) {
                    *line = *row.as_chunks::<L>().0.first().unwrap_or(&[0.0; L]);
                }
            }
        }
    }
}

/// Returns the first column of each vector.
fn columns(n: usize, lanes: usize) -> Vec<usize> {
    (0..n).step_by(lanes).map(|column| column.min(n.saturating_sub(lanes))).collect()
}

/// Products of vectors of the matrix with some rows. With `PARTS`, sums of more than [`DEPTH`] products are added in parts. Without it,
/// the compiler knows that they are not, and keeps more in registers.
struct Sweep<'a, const PARTS: bool> {
    matrix: &'a SmallB<'a>,
    /// Number of rows of the matrix that are multiplied.
    k: usize,
    columns: &'a [usize],
    /// The initial values of the vectors of a row.
    begin: &'a [f32],
    rows: Rows<'a>,
    /// The result, with room for the last vector.
    out: &'a mut [f32],
    /// The stride of its rows, and their number.
    stride: usize,
    count: usize,
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
        let k = self.k;
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
        let (Sweep { matrix, stride: n, rows: Rows { data, stride }, .. }, lanes) = (&*self, ops.len());
        let (matrix, n, data, stride) = (*matrix, *n, *data, *stride);
        let (pairs, single) = self.columns.as_chunks::<2>();
        for (row, count) in Tiles::new(self.count, M).each() {
            let (x, out) = (&data[row * stride + part.start..], &mut self.out[row * n..]);
            let mut begin = if part.start == 0 { self.begin } else { &[] };
            for (i, pair) in pairs.iter().enumerate() {
                let panel = matrix.panel(2 * i, pair, &part);
                rows_of_tile::<_, M, 2, PARTS>(ops, count, (x, stride, panel), begin, (out, n), *pair);
                begin = begin.get(2 * lanes..).unwrap_or_default();
            }
            if let [column] = single {
                let panel = matrix.panel(2 * pairs.len(), single, &part);
                rows_of_tile::<_, M, 1, PARTS>(ops, count, (x, stride, panel), begin, (out, n), [*column]);
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

/// Multiplies `count` rows, at most `M`, by one or two vectors of the matrix. `stride` is that of the rows. With `PARTS` and without initial
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
    let is_first = !PARTS || !begin.is_empty();
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
