//! Gradients of matrix products.
use super::{
    activation::gated,
    backward::{Backward, Output},
};
use crate::{
    Operator, Tensor,
    array::Array,
    base::{Dtype, Result, Shape},
    emit::Emit,
    ops::{Einsum, GatherND, MatMul, Mlp, Product, einsum_axes, einsum_products},
};

/// The product is written as one of `[.., m, k]` and `[.., k, n]`, whose gradients are products with the transposed factors.
pub(super) fn matmul(b: &mut Backward, op: &MatMul<Tensor>, o: Output) -> Result<()> {
    let (left, right) = (b.shape(op.input)?, b.shape(op.right)?);
    let p = Product::new(&left, &right, op.left_transpose, op.right_transpose)?;
    let matrix = |batch: &Shape, rows: usize, columns: usize, is_swapped: bool| -> Shape {
        let last = if is_swapped { [columns, rows] } else { [rows, columns] };
        [batch.as_slice(), &last].concat()
    };
    let dy = plain_gradient(b, op, &p, o)?;
    if let Some(bias) = op.bias {
        // A bias of n elements may have any shape, and belongs to the columns before the result is transposed.
        let shape = b.shape(bias)?;
        let is_row = shape.iter().product::<usize>() == p.n;
        let gradient = if is_row { b.sum_to(dy, &[p.n])? } else { o.dy };
        let gradient = if is_row { b.reshape(gradient, &shape)? } else { gradient };
        b.give(bias, gradient)?;
    }
    let left_is_swapped = op.left_transpose && left.len() > 1;
    let right_is_swapped = op.right_transpose && right.len() > 1;
    let (x, w) = (b.real(op.input)?, b.real(op.right)?);
    let x = b.reshape(x, &matrix(&p.left_batch, p.m, p.k, left_is_swapped))?;
    let w = b.reshape(w, &matrix(&p.right_batch, p.k, p.n, right_is_swapped))?;
    if b.wants(op.input) {
        // dx = dy w^T
        let w_transposed = if right_is_swapped { w } else { b.transposed(w)? };
        let dx = b.matmul(dy, w_transposed)?;
        give_factor(b, op.input, dx, &matrix(&p.left_batch, p.m, p.k, false), left_is_swapped)?;
    }
    if b.wants(op.right) {
        // dw = x^T dy; one product for all rows if the right operand is a single matrix.
        let x = if left_is_swapped { b.transposed(x)? } else { x };
        let is_single = p.right_batch.iter().product::<usize>() == 1 && p.left_batch == p.batch;
        let (x, dy) = if is_single {
            let rows = p.batch.iter().product::<usize>() * p.m;
            (b.reshape(x, &[rows, p.k])?, b.reshape(dy, &[rows, p.n])?)
        } else {
            (x, dy)
        };
        let x = b.transposed(x)?;
        let mut dw = b.matmul(x, dy)?;
        if is_single {
            dw = b.reshape(dw, &matrix(&p.right_batch, p.k, p.n, false))?;
        }
        give_factor(b, op.right, dw, &matrix(&p.right_batch, p.k, p.n, false), right_is_swapped)?;
    }
    Ok(())
}

/// Returns the gradient of the product before it was transposed or folded, `[batch.., m, n]`.
fn plain_gradient(b: &mut Backward, op: &MatMul<Tensor>, p: &Product, o: Output) -> Result<Tensor> {
    let whole = [p.batch.as_slice(), &[p.m, p.n]].concat();
    if op.output_transpose && !p.vector && b.rank(o.y)? > 1 {
        let swapped = [p.batch.as_slice(), &[p.n, p.m]].concat();
        let dy = b.reshape(o.dy, &swapped)?;
        return b.transposed(dy);
    }
    b.reshape(o.dy, &whole)
}

/// Gives a factor of `shape`, stored transposed or not, its gradient.
fn give_factor(b: &mut Backward, to: Tensor, gradient: Tensor, shape: &[usize], is_swapped: bool) -> Result<()> {
    let gradient = b.sum_to(gradient, shape)?;
    let gradient = if is_swapped { b.transposed(gradient)? } else { gradient };
    let shape = b.shape(to)?;
    let gradient = b.reshape(gradient, &shape)?;
    b.give(to, gradient)
}

/// Products of two operands at a time, each a batched matrix product.
pub(super) fn einsum(b: &mut Backward, op: &Einsum<Tensor>, o: Output) -> Result<()> {
    let mode = op.mode.name();
    let (operands, result) = einsum_axes(mode);
    b.expand(&[Some(o)], |b| {
        let mut sizes = [1; 256];
        for (input, axes) in op.inputs.iter().zip(&operands) {
            b.shape(*input)?.into_iter().zip(*axes).for_each(|(size, axis)| sizes[usize::from(*axis)] = size);
        }
        let product = |axes: &[u8]| axes.iter().map(|a| sizes[usize::from(*a)]).product::<usize>();
        let mut y = b.real(op.inputs[0])?;
        let mut axes = operands[0].to_vec();
        for (i, p) in einsum_products(mode).iter().enumerate() {
            let other = b.real(op.inputs[i + 1])?;
            let left = in_order(b, y, &axes, &[&p.batch, &p.left, &p.summed])?;
            let right = in_order(b, other, operands[i + 1], &[&p.batch, &p.summed, &p.right])?;
            let left = b.reshape(left, &[product(&p.batch), product(&p.left), product(&p.summed)])?;
            let right = b.reshape(right, &[product(&p.batch), product(&p.summed), product(&p.right)])?;
            y = b.matmul(left, right)?;
            axes = p.axes();
            let shape: Shape = axes.iter().map(|a| sizes[usize::from(*a)]).collect();
            y = b.reshape(y, if shape.is_empty() { &[1] } else { &shape })?;
        }
        Ok(vec![in_order(b, y, &axes, &[result])?])
    })
}

/// Permutes named axes into the given order, and sums over those that it lacks.
fn in_order(b: &mut Backward, x: Tensor, axes: &[u8], order: &[&[u8]]) -> Result<Tensor> {
    let order = order.concat();
    let dropped: Vec<usize> = (0..axes.len()).filter(|&i| !order.contains(&axes[i])).collect();
    let x = b.sum(x, &dropped)?;
    let left: Vec<u8> = axes.iter().copied().filter(|a| order.contains(a)).collect();
    let shape: Shape = b.shape(x)?.into_iter().enumerate().filter(|(i, _)| !dropped.contains(i)).map(|d| d.1).collect();
    let x = if dropped.is_empty() || shape.is_empty() { x } else { b.reshape(x, &shape)? };
    let places: Vec<usize> = order.iter().filter_map(|a| left.iter().position(|l| l == a)).collect();
    b.permute(x, &places)
}

/// `down(silu(gate(x)) * up(x))`
pub(super) fn mlp(b: &mut Backward, op: &Mlp<Tensor>, operator: &Operator, o: Output) -> Result<()> {
    if op.quantized {
        return Err(b.refuse(operator, "packed weights have none"));
    }
    match op.expert_id {
        Some(ids) if op.is_expert => b.expand(&[Some(o)], |b| Ok(vec![experts(b, op, ids)?])),
        None if op.is_expert => Err(b.refuse(operator, "experts without expert_id are not defined")),
        _ => b.expand(&[Some(o)], |b| Ok(vec![feed_forward(b, op, op.input, &[])?])),
    }
}

/// The block applied to `x`. Biases get the shape `bias` before their last axis.
fn feed_forward(b: &mut Backward, op: &Mlp<Tensor>, x: Tensor, bias_shape: &[usize]) -> Result<Tensor> {
    let product = |b: &mut Backward, x: Tensor, right: Tensor, bias: Option<Tensor>, right_transpose: bool| {
        let y = b.op(MatMul { right_transpose, ..MatMul::new(x, right) })?;
        let columns = b.shape(y)?.last().copied().unwrap_or(1);
        b.affine(y, None, bias, &[bias_shape, &[columns]].concat())
    };
    let gate = product(b, x, op.weight_gate, op.bias_gate, op.right_transpose_gate)?;
    let gate = gated(b, gate, 1.0)?;
    let up = product(b, x, op.weight_up, op.bias_up, op.right_transpose_up)?;
    let inner = b.mul(gate, up)?;
    product(b, inner, op.weight_down, op.bias_down, op.right_transpose_down)
}

/// All experts are applied to all tokens, `[experts, tokens, elements]`; then those chosen for each token are read.
fn experts(b: &mut Backward, op: &Mlp<Tensor>, ids: Tensor) -> Result<Tensor> {
    let shape = b.shape(op.input)?;
    let (tokens, experts, chosen) = (shape[0] * shape[1], op.num_expert as usize, op.num_expert_per_tok as usize);
    let x = b.reshape(op.input, &[1, tokens, shape[2]])?;
    let all = feed_forward(b, op, x, &[experts, 1])?;
    let ids = b.as_dtype(ids, Dtype::Int32)?;
    let ids = b.reshape(ids, &[tokens, chosen, 1])?;
    let numbers = (0..tokens).map(|i| i as i32).collect();
    let numbers = b.coefficient(Array::from_vec([tokens, 1, 1], numbers)?)?;
    let numbers = b.expand_to(numbers, &[tokens, chosen, 1])?;
    let tuples = b.concat(vec![ids, numbers], 2)?;
    b.op(GatherND::new(all, tuples))
}
