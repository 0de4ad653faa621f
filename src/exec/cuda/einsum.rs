//! Sums of products of tensors with named axes, as a sequence of products.
use super::{
    builder::Builder,
    chain::Chain,
    float::Float,
    formula::{Formula, Input, PostOp},
    matmul::{Batch, Matrices, products},
    slot::Slot,
};
use crate::{
    base::Result,
    exec::{
        Operand, ValueType,
        views::{View, strides},
    },
    ops::{Einsum, EinsumProduct, einsum_axes, einsum_products},
};

/// Real values with named axes.
struct NamedOperand {
    axes: Vec<u8>,
    dims: Vec<usize>,
    slot: Slot,
}

impl NamedOperand {
    fn size(&self, axes: &[u8]) -> usize {
        axes.iter().map(|a| self.dim(*a).unwrap_or(1)).product()
    }
    fn dim(&self, axis: u8) -> Option<usize> {
        self.axes.iter().position(|a| *a == axis).map(|i| self.dims[i])
    }
    fn ty(&self, like: &ValueType) -> ValueType {
        ValueType { shape: self.dims.clone(), ..like.clone() }
    }
    /// A view over these axes and sizes; missing axes are broadcast.
    fn view(&self, axes: &[u8], counts: &[usize]) -> View {
        let steps = strides(&self.dims);
        let by = axes.iter().map(|axis| self.axes.iter().position(|a| a == axis).map_or(0, |i| steps[i]));
        View { start: 0, strides: by.collect(), shape: counts.to_vec() }
    }
    fn input(&self, axes: &[u8], counts: &[usize], like: &ValueType) -> Input {
        Input::slot(self.slot, self.ty(like)).viewed(self.view(axes, counts))
    }
    /// Returns the values with the axes in this order.
    fn in_order(&self, axes: &[u8], b: &mut Builder, like: &ValueType) -> Result<Slot> {
        if self.axes == axes {
            return Ok(self.slot);
        }
        let counts: Vec<usize> = axes.iter().filter_map(|a| self.dim(*a)).collect();
        let ty = ValueType { shape: counts.clone(), ..self.ty(like) };
        let (transposed, formula) = (b.temporary(ty.bytes()), Formula::moved(self.input(axes, &counts, like)));
        b.chain(Chain::new(vec![formula], transposed, ty))?;
        Ok(transposed)
    }
    /// Multiplies by another operand: element by element if nothing is summed, otherwise as matrices, one product per
    /// element of the axes that both keep.
    fn times(
        &self,
        right: &NamedOperand,
        step: &EinsumProduct,
        b: &mut Builder,
        like: &ValueType,
    ) -> Result<NamedOperand> {
        let axes = step.axes();
        let dims: Vec<usize> = axes.iter().filter_map(|a| self.dim(*a).or_else(|| right.dim(*a))).collect();
        let (m, k, n) = (self.size(&step.left), self.size(&step.summed), right.size(&step.right));
        let ty = ValueType { shape: dims.clone(), ..like.clone() };
        let product = NamedOperand { axes, dims, slot: b.temporary(ty.bytes()) };
        if k == 1 {
            let inputs = [self, right].map(|of| of.input(&product.axes, &product.dims, like)).to_vec();
            b.chain(Chain::new(vec![Formula::real(inputs, "x * y")], product.slot, ty))?;
            return Ok(product);
        }
        let EinsumProduct { batch, left, summed, right: only_right } = step;
        let x = self.in_order(&[&batch[..], left, summed].concat(), b, like)?;
        let y = right.in_order(&[&batch[..], only_right, summed].concat(), b, like)?;
        let batch = Batch::Strided { count: self.size(batch), strides: [(m * k) as i64, (n * k) as i64] };
        let matrices = Matrices { m, k, n, left_transposed: false, right_transposed: true, batch };
        products(b, &matrices, [x, y], product.slot)?;
        Ok(product)
    }
}

pub(super) fn einsum(op: &Einsum<Operand>, b: &mut Builder) -> Result<()> {
    let (axes, result) = einsum_axes(op.mode.name());
    let like = Float::Single.type_like(b.result_type(0)?);
    let mut operands = Vec::new();
    for (input, axes) in op.inputs.iter().zip(axes) {
        operands.push(NamedOperand { axes: axes.to_vec(), dims: input.ty.shape.clone(), slot: b.reals(input)? });
    }
    let mut operands = operands.into_iter();
    let Some(mut product) = operands.next() else { return Ok(()) };
    for (step, right) in einsum_products(op.mode.name()).iter().zip(operands) {
        product = product.times(&right, step, b, &like)?;
    }
    let values = product.in_order(result, b, &like)?;
    b.store(0, values, PostOp::default())
}
