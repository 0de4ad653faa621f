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
}

/// `out = a * b`.
pub(super) fn gemm_f32(executor: &GemmExecutor, out: &mut [f32], a: Mat<f32>, b: Mat<f32>) -> Result<()> {
    executor
        .gemm(out, GemmInputA::Unpacked(a.view()?), GemmInputB::Unpacked(b.view()?), GemmOptions::default())
        .map_err(|e| invalid(format!("a product of {} x {} and {} x {}: {e:?}", a.rows, a.cols, b.rows, b.cols)))
}

/// `out += a * b`, exactly: sums of int8 products fit an i64 for every size that fits memory.
pub(super) fn gemm_int(out: &mut [i64], a: Mat<i32>, b: Mat<i32>) -> Result<()> {
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
    out.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        for k in 0..a.cols {
            let v = i64::from(at(i, k));
            if v != 0 {
                row.iter_mut().zip(&rows[k * n..(k + 1) * n]).for_each(|(o, &w)| *o += v * i64::from(w));
            }
        }
    });
    Ok(())
}
