//! Gradients of products and reads of packed weights, which are unpacked first. The packed integers themselves have
//! none.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::{Dtype, Result},
    emit::Emit,
    ops::{A16Gather, A16MatMul, Floor, Fp8MatMul, Gather, MatMul, packed_table},
};

/// Unpacks bytes along an axis into float32: each byte becomes one number, or two of 4 bits, the lower first.
fn unpacked(b: &mut Backward, bytes: Tensor, axis: usize, bits: i64) -> Result<Tensor> {
    let stored = b.as_dtype(bytes, Dtype::Float32)?;
    if bits == 8 {
        return Ok(stored);
    }
    let mut shape = b.shape(stored)?;
    shape.insert(axis + 1, 1);
    let stored = b.reshape(stored, &shape)?;
    let high = b.mul_const(stored, 1.0 / 16.0)?;
    let high = b.op(Floor::new(high))?;
    let above = b.mul_const(high, 16.0)?;
    let low = b.sub(stored, above)?;
    let both = b.concat(vec![low, high], axis + 1)?;
    shape.remove(axis + 1);
    shape[axis] *= 2;
    b.reshape(both, &shape)
}

/// `(x - zero) * scale`, where each number of `scale` and `zero` belongs to several entries of `x` along an axis.
fn dequantized(b: &mut Backward, x: Tensor, scale: Tensor, zero: Tensor, axis: usize) -> Result<Tensor> {
    let (shape, groups) = (b.shape(x)?, b.shape(scale)?[axis]);
    let mut split = shape.clone();
    split[axis] = groups;
    split.insert(axis + 1, shape[axis] / groups);
    let x = b.reshape(x, &split)?;
    split[axis + 1] = 1;
    let mut operands = [scale, zero];
    for t in &mut operands {
        let real = b.as_dtype(*t, Dtype::Float32)?;
        *t = b.reshape(real, &split)?;
    }
    let x = b.sub(x, operands[1])?;
    let x = b.mul(x, operands[0])?;
    b.reshape(x, &shape)
}

/// `x W + bias` in float32
fn product(b: &mut Backward, x: Tensor, w: Tensor, right_transpose: bool, bias: Option<Tensor>) -> Result<Tensor> {
    let x = b.as_dtype(x, Dtype::Float32)?;
    let bias = bias.map(|t| b.as_dtype(t, Dtype::Float32)).transpose()?;
    b.op(MatMul { right_transpose, bias, ..MatMul::new(x, w) })
}

pub(super) fn a16_matmul(b: &mut Backward, op: &A16MatMul<Tensor>, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| {
        let axis = usize::from(op.right_transpose);
        let numbers = unpacked(b, op.weight, axis, op.weight_bits)?;
        let w = dequantized(b, numbers, op.scale, op.zp, axis)?;
        Ok(vec![product(b, op.input, w, op.right_transpose, op.bias)?])
    })
}

/// Each square of weights has a scale.
pub(super) fn fp8_matmul(b: &mut Backward, op: &Fp8MatMul<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.weight)?;
    let block = op.block_size as usize;
    b.expand(&[Some(o)], |b| {
        let mut scale = op.weight_scale;
        for (axis, &size) in shape.iter().enumerate() {
            scale = b.map_axis(scale, axis, size, |to| vec![(to / block, 1.0)])?;
        }
        let w = b.as_dtype(op.weight, Dtype::Float32)?;
        let w = b.mul(w, scale)?;
        Ok(vec![product(b, op.input, w, op.weight_transpose, op.bias)?])
    })
}

/// Rows are read before they are unpacked.
pub(super) fn a16_gather(b: &mut Backward, op: &A16Gather<Tensor>, o: Output) -> Result<()> {
    let table = packed_table(&b.shape(op.weight)?, op)?;
    let groups = table.entries / table.group;
    let (count, result) = (b.shape(op.indices)?.iter().product(), b.shape(o.y)?);
    b.expand(&[Some(o)], |b| {
        let indices = b.reshape(op.indices, &[count])?;
        let rows = b.op(Gather::new(op.weight, indices))?;
        let numbers = unpacked(b, rows, 1, op.weight_bits)?;
        let mut operands = [op.scale, op.zp];
        for t in &mut operands {
            let of_rows = b.reshape(*t, &[table.rows, groups])?;
            *t = b.op(Gather::new(of_rows, indices))?;
        }
        let y = dequantized(b, numbers, operands[0], operands[1], 1)?;
        Ok(vec![b.reshape(y, &result)?])
    })
}
