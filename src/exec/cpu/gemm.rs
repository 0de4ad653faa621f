//! Matrix products, on rten's kernels for floats and a plain loop for integers.
use crate::{
    array::zeros,
    base::{Result, invalid},
};
use rayon::prelude::*;
use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_tensor::{Matrix, MatrixLayout, NdTensorView};

/// A matrix in row-major memory, or the transpose of one.
#[derive(Clone, Copy)]
pub(super) struct Mat<'a, T> {
    pub data: &'a [T],
    pub rows: usize,
    pub cols: usize,
    /// The memory holds the transpose.
    pub transposed: bool,
}

impl<'a> Mat<'a, f32> {
    fn view(&self) -> Result<Matrix<'a, f32>> {
        let (r, c) = if self.transposed { (self.cols, self.rows) } else { (self.rows, self.cols) };
        let view = NdTensorView::try_from_data([r, c], self.data)
            .map_err(|e| invalid(format!("a {r} x {c} matrix: {e:?}")))?;
        let view = if self.transposed { view.transposed() } else { view };
        debug_assert_eq!((view.rows(), view.cols()), (self.rows, self.cols));
        Ok(view)
    }
    /// Elements of a row from a column on, zeros beyond the last.
    pub fn sixteen(&self, row: usize, column: usize) -> [f32; 16] {
        let (mut found, n) = ([0.0; 16], self.cols.saturating_sub(column).min(16));
        let (first, step) =
            if self.transposed { (column * self.rows + row, self.rows) } else { (row * self.cols + column, 1) };
        if n > 0 {
            found[..n].iter_mut().zip(self.data[first..].iter().step_by(step)).for_each(|(f, v)| *f = *v);
        }
        found
    }
}

/// `out = a * b`.
pub(super) fn gemm_f32(out: &mut [f32], a: Mat<f32>, b: Mat<f32>) -> Result<()> {
    GemmExecutor::new()
        .gemm(out, GemmInputA::Unpacked(a.view()?), GemmInputB::Unpacked(b.view()?), GemmOptions::default())
        .map_err(|e| invalid(format!("a product of {} x {} and {} x {}: {e:?}", a.rows, a.cols, b.rows, b.cols)))
}

/// Integers that are multiplied, with what their products are summed in.
pub(super) trait Factor: Copy + Default + Send + Sync + PartialEq {
    /// Of many products, exactly.
    type Sum: Copy + Default + Send + Sync;
    fn of(v: i64) -> Self;
    fn add(sum: &mut Self::Sum, a: Self, b: Self);
    /// Saturated.
    fn total(sum: Self::Sum) -> i64;
}
/// Of 16 bits less a zero point: the products fit an i64 for every size that fits memory.
impl Factor for i32 {
    type Sum = i64;
    fn of(v: i64) -> Self {
        v as i32
    }
    fn add(sum: &mut i64, a: i32, b: i32) {
        *sum += i64::from(a) * i64::from(b);
    }
    fn total(sum: i64) -> i64 {
        sum
    }
}
/// Wider ones.
impl Factor for i64 {
    type Sum = i128;
    fn of(v: i64) -> Self {
        v
    }
    fn add(sum: &mut i128, a: i64, b: i64) {
        *sum = sum.saturating_add(i128::from(a) * i128::from(b));
    }
    fn total(sum: i128) -> i64 {
        sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }
}

/// `out = a * b`, exactly, then saturated.
pub(super) fn gemm_int<T: Factor>(out: &mut [i64], a: Mat<T>, b: Mat<T>) -> Result<()> {
    let n = b.cols;
    // Rows of b are walked contiguously.
    let rows = if b.transposed {
        let mut t = zeros(b.data.len())?;
        for r in 0..b.rows {
            (0..n).for_each(|c| t[r * n + c] = b.data[c * b.rows + r]);
        }
        std::borrow::Cow::Owned(t)
    } else {
        std::borrow::Cow::Borrowed(b.data)
    };
    let at = |i: usize, k: usize| if a.transposed { a.data[k * a.rows + i] } else { a.data[i * a.cols + k] };
    // Some columns at a time, for which the sums lie in the cache.
    let columns = n.min(1 << 12);
    out.par_chunks_mut(n).enumerate().for_each_init(Vec::new, |sums: &mut Vec<T::Sum>, (i, row)| {
        for (part, out) in row.chunks_mut(columns).enumerate() {
            sums.clear();
            sums.resize(out.len(), T::Sum::default());
            for k in 0..a.cols {
                let v = at(i, k);
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
