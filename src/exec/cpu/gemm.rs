//! Matrix products: floats use the kernel for packed columns, those for small and for tiny matrices, for a single row and for a single
//! column, or rten's for few rows of other computed matrices and for transposed left matrices; integers use a float kernel if that is
//! exact, otherwise a plain loop.
use super::{
    Operand,
    blocked::{
        InstructionSet, PackedB, SmallB, TinyMatrices, is_column, product_of_column, product_of_row, product_of_strips,
        strip_size,
    },
    transpose::{Strides, write_transposed},
    workspace::{Workspace, numbers, of_tasks, result_elements},
};
use crate::{
    array::zeros,
    base::{Result, invalid},
    semantics::{self, AccumKind},
};
use rayon::prelude::*;
use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_tensor::{Matrix, MatrixLayout, NdTensorView};
use std::ops::Range;

/// A row-major matrix, or the transpose of one.
#[derive(Clone, Copy)]
pub(super) struct Mat<'a, T> {
    pub data: &'a [T],
    pub rows: usize,
    pub cols: usize,
    /// Whether the memory holds the transpose.
    pub transposed: bool,
}

impl<T: Copy> Mat<'_, T> {
    fn at(&self, row: usize, column: usize) -> T {
        if self.transposed { self.data[column * self.rows + row] } else { self.data[row * self.cols + column] }
    }
}

/// Converts to rten's type.
pub(super) fn view<'a, T>(m: &Mat<'a, T>) -> Result<Matrix<'a, T>> {
    let (r, c) = if m.transposed { (m.cols, m.rows) } else { (m.rows, m.cols) };
    let view =
        NdTensorView::try_from_data([r, c], m.data).map_err(|e| invalid(format!("a {r} x {c} matrix: {e:?}")))?;
    let view = if m.transposed { view.transposed() } else { view };
    debug_assert_eq!((view.rows(), view.cols()), (m.rows, m.cols));
    Ok(view)
}

impl Mat<'_, f32> {
    /// Returns the 16 x 16 elements at a row and a column, with zeros outside the matrix.
    pub fn square(&self, row: usize, column: usize) -> [[f32; 16]; 16] {
        match self.transposed {
            true => turned_part(self.data, self.rows, column..self.cols, row..self.rows),
            false => part(self.data, self.cols, row..self.rows, column..self.cols),
        }
    }
}

/// Returns up to 16 x 16 elements of these rows and columns; `stride` is that of the rows.
pub(super) fn part(data: &[f32], stride: usize, rows: Range<usize>, columns: Range<usize>) -> [[f32; 16]; 16] {
    let mut square = [[0.0; 16]; 16];
    if columns.is_empty() {
        return square;
    }
    for (to, row) in square.iter_mut().zip(rows) {
        let from = &data[row * stride + columns.start..];
        match from.first_chunk().filter(|_| columns.len() >= 16) {
            Some(sixteen) => *to = *sixteen,
            None => to.iter_mut().zip(&from[..columns.len().min(16)]).for_each(|(t, f)| *t = *f),
        }
    }
    square
}

/// Returns the transpose of these elements; see [`part`].
pub(super) fn turned_part(data: &[f32], stride: usize, rows: Range<usize>, columns: Range<usize>) -> [[f32; 16]; 16] {
    let mut square = [[0.0; 16]; 16];
    if !rows.is_empty() && !columns.is_empty() {
        let (from, to) = (&data[rows.start * stride + columns.start..], square.as_flattened_mut());
        write_transposed(from, to, Strides { from: stride, to: 16 }, columns.len().min(16), rows.len().min(16));
    }
    square
}

/// Minimum number of rows for which packing pays off.
const ROWS: usize = 8;
/// Minimum number of rows for which preparing a tiny matrix pays off.
const FEW: usize = 32;

/// Maximum number of columns whose dot products with a single row are faster than a panel.
const FEW_COLUMNS: usize = 32;

/// Adds the bias, one number per column, to each row.
pub(super) fn add_to_rows(out: &mut [f32], bias: &[f32]) {
    out.par_chunks_mut(bias.len().max(1)).for_each(|row| row.iter_mut().zip(bias).for_each(|(v, b)| *v += b));
}

/// Computes `out = a * b`.
pub(super) fn gemm_f32(out: &mut [f32], a: Mat<f32>, b: Mat<f32>) -> Result<()> {
    if a.rows == 1 && !b.transposed {
        return product_of_row(InstructionSet::best(), a.data, b.data, out);
    }
    if !a.transposed && is_column([b.rows, b.cols]) {
        product_of_column(InstructionSet::best(), a.data, b.data, 0.0, out);
        return Ok(());
    }
    if !a.transposed && a.rows < FEW && TinyMatrices::are_tiny([b.rows, b.cols]) {
        let sizes = [a.rows, a.cols, b.cols];
        let matrices = TinyMatrices { left: a.data, right: b.data, transposed: b.transposed, sizes };
        matrices.multiply(InstructionSet::best(), &[(0, 0)], out);
        return Ok(());
    }
    if !a.transposed
        && let Some(small) = SmallB::in_place(InstructionSet::best(), b)
    {
        return small.product(a.data, None, out);
    }
    if a.transposed || a.rows < ROWS {
        return GemmExecutor::new()
            .gemm(out, GemmInputA::Unpacked(view(&a)?), GemmInputB::Unpacked(view(&b)?), GemmOptions::default())
            .map_err(|e| invalid(format!("a product of {} x {} and {} x {}: {e:?}", a.rows, a.cols, b.rows, b.cols)));
    }
    if SmallB::is_faster(a.rows, [b.rows, b.cols]) {
        return SmallB::new(InstructionSet::best(), b)?.product(a.data, None, out);
    }
    product_of_strips(InstructionSet::best(), a.data, [b.rows, b.cols], |row, column| b.square(row, column), out)
}

/// The workspace of that many products by [`gemm_f32`] at the same time, whose right-hand matrices have these sizes.
pub(super) fn packed_strips(products: usize, sizes: [usize; 2]) -> Workspace {
    of_tasks(products, strip_size(sizes), 4)
}

/// A constant right-hand matrix, packed for products of many rows.
pub(super) enum ConstantB {
    Panels(PackedB),
    Column(Vec<f32>),
    /// The transpose of a matrix with a few columns, for a single row: panels would be wider.
    FewColumns(Vec<f32>),
    Small(SmallB<'static>),
}

impl ConstantB {
    /// Packs a matrix for products of that many rows.
    pub fn new(rows: usize, b: Mat<f32>) -> Result<ConstantB> {
        let isa = InstructionSet::best();
        if is_column([b.rows, b.cols]) {
            return Ok(ConstantB::Column(b.data.to_vec()));
        }
        if rows == 1 && b.cols <= FEW_COLUMNS && is_column([b.rows, 1]) {
            let columns = (0..b.cols).flat_map(|column| (0..b.rows).map(move |row| b.at(row, column)));
            return Ok(ConstantB::FewColumns(columns.collect()));
        }
        if SmallB::is_faster(rows, [b.rows, b.cols]) {
            return SmallB::new(isa, b).map(ConstantB::Small);
        }
        let square = |row, column| b.square(row, column);
        PackedB::for_rows(rows, isa, [b.rows, b.cols], square).map(ConstantB::Panels)
    }

    /// Computes `out = rows * self`, plus `bias` in each row.
    pub fn product(&self, rows: &[f32], bias: Option<&[f32]>, out: &mut [f32]) -> Result<()> {
        match self {
            ConstantB::Panels(b) => b.product(rows, bias, out),
            ConstantB::Column(column) => {
                let bias = bias.map_or(0.0, |bias| bias[0]);
                product_of_column(InstructionSet::best(), rows, column, bias, out);
                Ok(())
            }
            ConstantB::FewColumns(columns) => {
                product_of_column(InstructionSet::best(), columns, rows, 0.0, out);
                bias.into_iter().for_each(|bias| add_to_rows(out, bias));
                Ok(())
            }
            ConstantB::Small(b) => b.product(rows, bias, out),
        }
    }
}

/// An integer operand, with the type in which its products are accumulated.
pub(super) trait Factor: Copy + Default + Send + Sync + PartialEq {
    /// The absolute value.
    fn magnitude(self) -> u64;
    /// The nearest float32.
    fn to_f32(self) -> f32;
    /// An exact accumulator of many products.
    type Sum: Copy + Default + Send + Sync;
    fn of(v: i64) -> Self;
    fn add(sum: &mut Self::Sum, a: Self, b: Self);
    /// The sum, saturated to 64 bits.
    fn total(sum: Self::Sum) -> i64;
}
/// Values of up to 16 bits less a zero point: their products fit an i64 for every size that fits in memory.
impl Factor for i32 {
    type Sum = i64;
    fn of(v: i64) -> Self {
        v as i32
    }
    fn magnitude(self) -> u64 {
        self.unsigned_abs().into()
    }
    fn to_f32(self) -> f32 {
        self as f32
    }
    fn add(sum: &mut i64, a: i32, b: i32) {
        *sum += i64::from(a) * i64::from(b);
    }
    fn total(sum: i64) -> i64 {
        sum
    }
}
/// Wider values.
impl Factor for i64 {
    type Sum = i128;
    fn of(v: i64) -> Self {
        v
    }
    fn magnitude(self) -> u64 {
        self.unsigned_abs()
    }
    fn to_f32(self) -> f32 {
        self as f32
    }
    fn add(sum: &mut i128, a: i64, b: i64) {
        *sum = sum.saturating_add(i128::from(a) * i128::from(b));
    }
    fn total(sum: i128) -> i64 {
        sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }
}

/// Computes `out = a * b` exactly, then saturates.
pub(super) fn gemm_int<T: Factor>(out: &mut [i64], a: Mat<T>, b: Mat<T>) -> Result<()> {
    match depth_of_floats(a, b) {
        // With fewer rows the loop is as fast, and need not pack b.
        Some(depth) if a.rows >= 4 => by_floats(out, a, b, depth),
        _ => by_integers(out, a, b),
    }
}

/// Bytes of an integer operand of a product.
pub(super) fn factor_size(left: &Operand, right: &Operand) -> usize {
    if semantics::accum_kind(&left.ty, &right.ty) == AccumKind::Narrow { 4 } else { 8 }
}

/// The workspace of [`by_floats`] for operands of these elements: both, the packed right-hand one, and the sums.
pub(super) fn float_workspace(left: usize, right: usize) -> Workspace {
    numbers(left, 4) + numbers(right, 8) + result_elements(4)
}

/// Integers up to this value are exact in float32.
const EXACT: u64 = 1 << 24;

/// Returns how many products can be summed exactly in float32, in any order, or `None` if they are too few.
fn depth_of_floats<T: Factor>(a: Mat<T>, b: Mat<T>) -> Option<usize> {
    let most = |m: Mat<T>| m.data.par_iter().with_min_len(1 << 14).map(|v| v.magnitude()).max().unwrap_or(0).max(1);
    let (of_a, of_b) = (most(a), most(b));
    let depth = EXACT / of_a.checked_mul(of_b)?;
    (of_a.max(of_b) <= EXACT && (depth >= 64 || depth >= a.cols as u64)).then_some((depth as usize).min(a.cols.max(1)))
}

/// Splits the rows into pieces of `depth` elements, each multiplied by the float kernel.
fn by_floats<T: Factor>(out: &mut [i64], a: Mat<T>, b: Mat<T>, depth: usize) -> Result<()> {
    out.fill(0);
    let mut sums = zeros::<f32>(out.len())?;
    let (mut left, mut right) = (zeros::<f32>(a.rows * depth)?, zeros::<f32>(depth * b.cols)?);
    for first in (0..a.cols).step_by(depth) {
        let depth = depth.min(a.cols - first);
        let (left, right) = (&mut left[..a.rows * depth], &mut right[..depth * b.cols]);
        left.par_chunks_mut(depth).enumerate().for_each(|(row, to)| {
            to.iter_mut().enumerate().for_each(|(i, to)| *to = a.at(row, first + i).to_f32());
        });
        right.par_chunks_mut(b.cols).enumerate().for_each(|(i, to)| {
            to.iter_mut().enumerate().for_each(|(column, to)| *to = b.at(first + i, column).to_f32());
        });
        let right = Mat { data: &*right, rows: depth, cols: b.cols, transposed: false };
        PackedB::of(InstructionSet::best(), right)?.product(left, None, &mut sums)?;
        out.par_iter_mut().with_min_len(1 << 14).zip(&sums).for_each(|(o, s)| *o += *s as i64);
    }
    Ok(())
}

fn by_integers<T: Factor>(out: &mut [i64], a: Mat<T>, b: Mat<T>) -> Result<()> {
    let n = b.cols;
    // Rows of b are read contiguously.
    let rows = if b.transposed {
        let mut t = zeros(b.data.len())?;
        for r in 0..b.rows {
            (0..n).for_each(|c| t[r * n + c] = b.data[c * b.rows + r]);
        }
        std::borrow::Cow::Owned(t)
    } else {
        std::borrow::Cow::Borrowed(b.data)
    };
    // Columns are divided so that the accumulators stay in the cache.
    let columns = n.min(1 << 12);
    out.par_chunks_mut(n).enumerate().for_each_init(Vec::new, |sums: &mut Vec<T::Sum>, (i, row)| {
        for (part, out) in row.chunks_mut(columns).enumerate() {
            sums.clear();
            sums.resize(out.len(), T::Sum::default());
            for k in 0..a.cols {
                let v = a.at(i, k);
                if v != T::default() {
                    let from = &rows[k * n + part * columns..][..out.len()];
                    sums.iter_mut().zip(from).for_each(|(s, &w)| T::add(s, v, w));
                }
            }
            out.iter_mut().zip(&*sums).for_each(|(o, s)| *o = T::total(*s));
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_of_integers_are_exact(
            m in 1usize..20, k in 1usize..300, n in 1usize..40, of_a: bool, of_b: bool, bits in 1u32..32, seed: u64,
        ) {
            let mut state = seed | 1;
            let mut numbers = |n: usize, bits: u32| -> Vec<i64> {
                let mut next = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state as i64 >> 32) >> (32 - bits)
                };
                (0..n).map(|_| next()).collect()
            };
            let (x, y) = (numbers(m * k, bits), numbers(k * n, 8));
            let a = Mat { data: &x, rows: m, cols: k, transposed: of_a };
            let b = Mat { data: &y, rows: k, cols: n, transposed: of_b };
            let (mut got, mut want) = (vec![0; m * n], vec![0; m * n]);
            gemm_int(&mut got, a, b).unwrap();
            by_integers(&mut want, a, b).unwrap();
            prop_assert_eq!(got, want);
        }
    }

    /// A strip has at least some columns.
    #[test]
    fn rows_of_more_elements_than_a_strip_are_multiplied() {
        let (m, k, n) = (8, (1 << 20) + 1, 2);
        let numbers = |n: usize| (0..n).map(|i| (i % 5) as f32 - 2.0).collect::<Vec<f32>>();
        let (x, y) = (numbers(m * k), numbers(k * n));
        for of_b in [false, true] {
            let a = Mat { data: &x[..], rows: m, cols: k, transposed: false };
            let b = Mat { data: &y[..], rows: k, cols: n, transposed: of_b };
            let mut out = vec![f32::NAN; m * n];
            gemm_f32(&mut out, a, b).unwrap();
            for (i, got) in out.into_iter().enumerate() {
                // Partial sums of these integers are exact.
                let want: f32 = (0..k).map(|j| a.at(i / n, j) * b.at(j, i % n)).sum();
                assert_eq!(got, want, "{i}");
            }
        }
    }

    /// Strips after the first reuse its memory; the last one has fewer columns.
    #[test]
    fn strips_are_parts_of_the_product() {
        let (m, k, n) = (9, 3000, 800);
        let numbers = |n: usize, by: usize| (0..n).map(|i| (i * by % 11) as f32 - 5.0).collect::<Vec<f32>>();
        let (x, y) = (numbers(m * k, 3), numbers(k * n, 7));
        for of_b in [false, true] {
            let a = Mat { data: &x[..], rows: m, cols: k, transposed: false };
            let b = Mat { data: &y[..], rows: k, cols: n, transposed: of_b };
            let (mut got, mut want) = (vec![f32::NAN; m * n], vec![f32::NAN; m * n]);
            gemm_f32(&mut got, a, b).unwrap();
            PackedB::of(InstructionSet::best(), b).unwrap().product(&x, None, &mut want).unwrap();
            assert_eq!(got, want);
        }
    }

    /// The largest 8-bit values, in products long enough to need several partial sums.
    #[test]
    fn sums_beyond_float32_are_exact() {
        let (m, k, n) = (4, 5000, 3);
        let (x, y) = (vec![-255i32; m * k], vec![255i32; k * n]);
        let a = Mat { data: &x[..], rows: m, cols: k, transposed: false };
        let b = Mat { data: &y[..], rows: k, cols: n, transposed: false };
        let mut out = vec![0; m * n];
        gemm_int(&mut out, a, b).unwrap();
        assert_eq!((depth_of_floats(a, b), out), (Some(258), vec![-255 * 255 * 5000; m * n]));
    }
}
