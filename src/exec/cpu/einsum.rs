use super::{
    OpKernel, Operand,
    gemm::{Mat, gemm_f32},
    layout::permuted,
    task::PostOp,
    workspace::{elements, reals, result_elements},
};
use crate::{
    array::zeros,
    base::Result,
    ops::{Einsum, EinsumProduct, einsum_axes, einsum_products},
};
use rayon::prelude::*;
use std::borrow::Cow;

pub(super) fn einsum(op: Einsum<Operand>) -> OpKernel {
    // Each operand as it is and reordered, and the products of pairs, in order and reordered.
    let workspace = reals(&op.inputs) + elements(&op.inputs, 4) + result_elements(16);
    OpKernel::with_workspace(workspace, move |t| {
        let (axes, result) = einsum_axes(op.mode.name());
        let named = |i: usize| -> Result<NamedOperand> {
            let (input, axes) = (&op.inputs[i], axes[i].to_vec());
            Ok(NamedOperand { axes, dims: input.ty.shape.clone(), data: t.reals(input)? })
        };
        let mut product = named(0)?;
        for (i, step) in einsum_products(op.mode.name()).iter().enumerate() {
            product = product.times(&named(i + 1)?, step)?;
        }
        let values = product.in_order(result)?;
        t.write(0, PostOp::default(), |out| {
            out.copy_from_slice(&values);
            Ok(())
        })
    })
}

/// Values with named axes.
struct NamedOperand<'a> {
    axes: Vec<u8>,
    dims: Vec<usize>,
    data: Cow<'a, [f32]>,
}

impl<'a> NamedOperand<'a> {
    fn size(&self, axes: &[u8]) -> usize {
        self.axes.iter().zip(&self.dims).filter(|(a, _)| axes.contains(a)).map(|(_, d)| d).product()
    }
    /// Returns the values with the axes in that order.
    fn in_order(&self, axes: &[u8]) -> Result<Cow<'_, [f32]>> {
        if self.axes == axes {
            return Ok(Cow::Borrowed(&self.data));
        }
        let order: Vec<usize> = axes.iter().filter_map(|a| self.axes.iter().position(|b| a == b)).collect();
        permuted(&self.data, &self.dims, &order).map(Cow::Owned)
    }
    /// Multiplies two operands and sums over their common axes that are not kept: a matrix product for each index of the
    /// other common axes.
    fn times<'b>(&self, right: &NamedOperand, step: &EinsumProduct) -> Result<NamedOperand<'b>> {
        let EinsumProduct { batch, left, summed, right: only_right } = step;
        let (m, k, n) = (self.size(left), self.size(summed), right.size(only_right));
        let a = self.in_order(&[&batch[..], left, summed].concat())?;
        let b = right.in_order(&[&batch[..], summed, only_right].concat())?;
        let mut data = zeros(self.size(batch).saturating_mul(m).saturating_mul(n))?;
        let products = data.par_chunks_mut(m * n).zip(a.par_chunks(m * k).zip(b.par_chunks(k * n)));
        products.try_for_each(|(out, (a, b))| {
            if k == 1 {
                let rows = out.chunks_mut(n).zip(a);
                rows.for_each(|(row, a)| row.iter_mut().zip(b).for_each(|(o, b)| *o = a * b));
                return Ok(());
            }
            let a = Mat { data: a, rows: m, cols: k, transposed: false };
            gemm_f32(out, a, Mat { data: b, rows: k, cols: n, transposed: false })
        })?;
        let axes = step.axes();
        let dim = |a: &u8| {
            let of = |named: &NamedOperand| named.axes.iter().position(|b| a == b).map(|i| named.dims[i]);
            of(self).or_else(|| of(right)).unwrap_or(1)
        };
        let dims = axes.iter().map(dim).collect();
        Ok(NamedOperand { axes, dims, data: Cow::Owned(data) })
    }
}
