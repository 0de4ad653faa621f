//! What a run of each kernel takes beside its operands and results, which a plan counts. Kernels that work in chunks take
//! next to nothing.
use crate::{
    base::Dtype,
    exec::{Operand, Signature, ValueType},
    ops::{self, InterpMode, Op, dilations},
};

/// Bytes of so many numbers of that size.
fn bytes(n: usize, size: u64) -> u64 {
    (n as u64).saturating_mul(size)
}

/// A tensor as float32, where it is not that already.
fn reals(ty: &ValueType) -> u64 {
    if ty.buffer_dtype() == Dtype::Float32 { 0 } else { bytes(ty.elements(), 4) }
}

fn sum(all: impl IntoIterator<Item = u64>) -> u64 {
    all.into_iter().fold(0, u64::saturating_add)
}

/// A copy of the input in another number format or order, as ops have it that move data.
fn converted(input: &Operand, result: &ValueType) -> u64 {
    let differs = input.ty.buffer_dtype() != result.buffer_dtype() || input.ty.quantization != result.quantization;
    if differs { bytes(input.ty.elements(), result.buffer_dtype().size() as u64) } else { 0 }
}

pub(super) fn temporary(signature: &Signature) -> u64 {
    let (Some(result), Some((_, input))) = (signature.outputs().next(), signature.op.operands().next()) else {
        return 0;
    };
    let elements = input.ty.elements();
    match &signature.op {
        Op::Conv(op) => conv(op, result),
        Op::MatMul(op) => matmul(op, result),
        Op::AvgPool(_) | Op::MaxPool(_) => reals(&input.ty),
        // As it is, and in another order.
        Op::Reduce(_) => sum([reals(&input.ty), bytes(elements, 4), reals(result)]),
        Op::Softmax(_) => sum([reals(&input.ty), bytes(elements, 8), reals(result)]),
        Op::TopK(_) => sum([bytes(elements, 8), bytes(result.elements(), 8)]),
        Op::Interp(op) => sum([
            if op.mode == InterpMode::Linear { reals(&input.ty) } else { converted(input, result) },
            result.shape.iter().rev().take(2).fold(0, |n, &d| n.saturating_add(bytes(d, 16))),
        ]),
        Op::GridSampler(op) => sum([reals(&input.ty), reals(&op.grid.ty)]),
        // And a row of scores a thread.
        Op::ScaleDotProductAttention(op) => {
            sum([reals(&input.ty), reals(&op.key.ty), reals(&op.value.ty), reals(result)])
        }
        Op::Rope(_) if input.ty.dtype.is_float() => reals(result),
        Op::Rope(_) => bytes(elements, 8),
        Op::Yuv2rgbFormula(_) => bytes(elements, 1),
        Op::Correlation(op) => sum(op.inputs.iter().map(|i| reals(&i.ty))),
        // The rows before they are written, and two lists of boxes.
        Op::Nms(op) => {
            let boxes = op.inputs.get(1).and_then(|s| s.ty.shape.last()).map_or(0, |&n| bytes(n, 24));
            sum(op.inputs.iter().map(|i| reals(&i.ty)).chain([bytes(result.elements(), 4), boxes, reals(result)]))
        }
        Op::RoiAlign(op) => sum([reals(&input.ty), reals(&op.rois.ty), reals(result)]),
        Op::RoiExtractor(op) => {
            let features = op.inputs.iter().map(|i| reals(&i.ty));
            sum(features.chain([
                reals(&op.rois.ty),
                reals(&op.target_lvls.ty),
                bytes(op.target_lvls.ty.elements(), 4),
                reals(result),
            ]))
        }
        Op::ROIPooling(op) => sum(op.inputs.iter().map(|i| reals(&i.ty)).chain([reals(result)])),
        Op::Gather(op) => bytes(op.indices.ty.elements(), 8),
        Op::Concat(op) => sum(op.inputs.iter().map(|i| converted(i, result))),
        Op::Pad(_) | Op::Permute(_) | Op::Reshape(_) | Op::Slice(_) | Op::Squeeze(_) | Op::Unsqueeze(_) => {
            converted(input, result)
        }
        // A row may be all there is.
        Op::LayerNorm(_) => reals(result),
        _ => 0,
    }
}

/// Operands less their zero points, sums of 64 bits, and what moves the product.
fn matmul(op: &ops::MatMul<Operand>, result: &ValueType) -> u64 {
    let bias = op.bias.as_ref().map_or(0, |b| b.ty.elements());
    if op.input.ty.buffer_dtype() == Dtype::Float32 {
        let turned = if op.output_transpose { bytes(result.elements(), 4) } else { 0 };
        return sum([reals(&op.right.ty), bytes(bias, 4), turned, reals(result)]);
    }
    let factor =
        if super::matmul::is_narrow(op.input.ty.dtype) && super::matmul::is_narrow(op.right.ty.dtype) { 4 } else { 8 };
    let right = op.right.ty.elements();
    let turned = if op.right_transpose { bytes(right, factor) } else { 0 };
    let factors = sum([bytes(op.input.ty.elements(), factor), bytes(right, factor), turned]);
    let after = sum([bytes(bias, 8), if op.output_transpose { bytes(result.elements(), 8) } else { 0 }]);
    sum([bytes(result.elements(), 8), factors.max(after)])
}

/// As of a product, and the column matrix of an image.
fn conv(op: &ops::Conv<Operand>, result: &ValueType) -> u64 {
    let (x, w) = (&op.input.ty, &op.filter.ty);
    let pixels = result.shape.iter().skip(2).fold(1usize, |n, &d| n.saturating_mul(d));
    let depth = w.shape.iter().skip(1).fold(1usize, |n, &d| n.saturating_mul(d));
    let columns = depth.saturating_mul(pixels);
    let bias = op.bias.as_ref().map_or(0, |b| b.ty.elements());
    if x.buffer_dtype() == Dtype::Float32 {
        let all = |v: &[i64], n: i64| v.iter().all(|x| *x == n);
        let pointwise = all(&op.kernel_shape, 1) && all(&op.strides, 1) && all(&op.pads, 0) && all(&dilations(op), 1);
        let columns = if pointwise { 0 } else { bytes(columns, 4) };
        return sum([reals(w), bytes(bias, 4), columns, reals(result)]);
    }
    let factor = if super::matmul::is_narrow(x.dtype) && super::matmul::is_narrow(w.dtype) { 4 } else { 8 };
    let factors = sum([x.elements(), w.elements(), columns].map(|n| bytes(n, factor)));
    sum([bytes(result.elements(), 8), factors.max(bytes(bias, 8))])
}
