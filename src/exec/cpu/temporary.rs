//! Workspace of each kernel, in addition to its operands and results, as counted by plans. Kernels that work in chunks
//! need almost none.
use crate::{
    Operand, Signature, ValueType,
    base::Dtype,
    ops::{self, InterpMode, Op},
    semantics::{self, AccumKind},
};

/// Returns the bytes of `n` numbers of that size.
fn bytes(n: usize, size: u64) -> u64 {
    (n as u64).saturating_mul(size)
}

/// A tensor converted to float32; 0 if it has that dtype already.
fn reals(ty: &ValueType) -> u64 {
    if ty.buffer_dtype() == Dtype::Float32 { 0 } else { bytes(ty.elements(), 4) }
}

fn sum(all: impl IntoIterator<Item = u64>) -> u64 {
    all.into_iter().fold(0, u64::saturating_add)
}

/// A converted or reordered copy of the input, for operators that move data.
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
        Op::Deconv(op) => deconv(op, result),
        Op::DeformConv2D(op) => deform_conv2d(op, result),
        Op::MatMul(op) => matmul(op, result),
        Op::Einsum(op) => einsum(op, result),
        Op::LSTM(op) => recurrent(&op.input, &op.filter, &op.recurrence, &op.bias, signature),
        Op::GRU(op) => recurrent(&op.input, &op.filter, &op.recurrence, &op.bias, signature),
        Op::AdaptiveAvgPool(_) | Op::AvgPool(_) | Op::MaxPool(_) | Op::MaxPoolWithMask(_) => reals(&input.ty),
        Op::MaxUnpool(op) => sum([reals(&input.ty), bytes(op.mask.ty.elements(), 8), reals(result)]),
        Op::PoolMask(_) => sum([reals(&input.ty), reals(result)]),
        Op::A16MatMul(op) => {
            let unpacked = op.weight.ty.elements().saturating_mul(8 / op.weight_bits as usize);
            sum([reals(&op.input.ty), reals(&op.scale.ty), bytes(unpacked, 4), reals(result)])
        }
        Op::Fp8MatMul(op) => sum([reals(&op.input.ty), bytes(op.weight.ty.elements(), 4), reals(result)]),
        // The operand as it is, and reordered.
        Op::Reduce(_) | Op::Variance(_) => sum([reals(&input.ty), bytes(elements, 4), reals(result)]),
        Op::Softmax(_) => sum([reals(&input.ty), bytes(elements, 8), reals(result)]),
        Op::Arg(_) | Op::Sort(_) | Op::TopK(_) => sum([bytes(elements, 8), bytes(result.elements(), 8)]),
        Op::Gather(op) => bytes(op.indices.ty.elements(), 8),
        Op::GatherElements(op) => sum([bytes(op.indices.ty.elements(), 8), converted(input, result)]),
        Op::GatherND(op) => sum([bytes(op.indices.ty.elements(), 8), converted(input, result)]),
        Op::A16Gather(op) => sum([bytes(op.indices.ty.elements(), 8), reals(&op.scale.ty), reals(&op.zp.ty)]),
        Op::ScatterElements(op) => scatter([input, &op.indices, &op.updates], op.reduction != 0, result),
        Op::ScatterND(op) => scatter([input, &op.indices, &op.updates], op.reduction != 0, result),
        Op::IndexPut(op) => scatter([input, &op.indices, &op.values], op.accumulate, result),
        Op::Insert(op) => sum([converted(input, result), converted(&op.rhs, result)]),
        Op::NonZero(_) => sum([reals(&input.ty), bytes(elements, 8)]),
        Op::Concat(op) => sum(op.inputs.iter().map(|i| converted(i, result))),
        Op::CumSum(_) => sum([bytes(elements, 8), reals(result)]),
        Op::Copy(_) => converted(input, result),
        Op::Pack(op) => sum(op.inputs.iter().map(|i| converted(i, result))),
        Op::List(op) => sum(op.inputs.iter().map(|i| converted(i, result))),
        Op::Upsample(op) if op.do_relu => sum([reals(&input.ty), reals(result)]),
        op if moves(op) => converted(input, result),
        // A single row may be the whole tensor.
        Op::LayerNorm(_) | Op::GroupNorm(_) | Op::InstanceNorm(_) | Op::RMSNorm(_) => reals(result),
        // One or two 8-byte numbers for each position of the images.
        Op::LRN(_) | Op::Normalize(_) | Op::PixelNorm(_) => {
            sum([reals(&input.ty), reals(result), bytes(elements / input.ty.shape[1].max(1), 16)])
        }
        _ => language(signature, input, result),
    }
}

/// All operands as float32, and the results before they are stored.
fn all_reals(signature: &Signature) -> u64 {
    sum(signature.op.operands().map(|(_, o)| reals(&o.ty)).chain(signature.outputs().map(reals)))
}

/// Workspace of resampling, attention and boxes.
fn images(op: &Op<Operand>, input: &Operand, result: &ValueType) -> u64 {
    match op {
        Op::Interp(op) => sum([
            if op.mode == InterpMode::Linear { reals(&input.ty) } else { converted(input, result) },
            result.shape.iter().rev().take(2).fold(0, |n, &d| n.saturating_add(bytes(d, 16))),
        ]),
        Op::GridSampler(op) => sum([reals(&input.ty), reals(&op.grid.ty)]),
        // Also a row of scores per thread.
        Op::ScaleDotProductAttention(op) => {
            sum([reals(&input.ty), reals(&op.key.ty), reals(&op.value.ty), reals(result)])
        }
        Op::Rope(_) if input.ty.dtype.is_float() => reals(result),
        Op::Rope(_) => bytes(input.ty.elements(), 8),
        Op::Yuv2rgbFormula(_) => bytes(input.ty.elements(), 1),
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
        _ => 0,
    }
}

/// Workspace of language models.
fn language(signature: &Signature, input: &Operand, result: &ValueType) -> u64 {
    match &signature.op {
        Op::FAttention(_) | Op::FAttentionLse(_) | Op::FlexAttention(_) => all_reals(signature),
        // Projected queries, the attention result, the output; keys and values.
        Op::Attention(op) => {
            let columns = op.queries_weight.ty.shape[1];
            let rows =
                op.input.ty.elements() / op.input.ty.shape[2] * 2 + op.keys.ty.elements() / op.keys.ty.shape[2] * 2;
            sum([all_reals(signature), bytes(rows.saturating_mul(columns), 4), bytes(result.elements(), 4)])
        }
        // The results of each head, and its state.
        Op::RecurrentGatedDeltaRule(op) => {
            sum([all_reals(signature), bytes(result.elements(), 4), bytes(op.recurrent_state.ty.elements(), 4)])
        }
        Op::ChunkGatedDeltaRule(op) => {
            sum([all_reals(signature), bytes(result.elements(), 4), bytes(op.recurrent_state.ty.elements(), 4)])
        }
        // The results of two products.
        Op::Mlp(op) => {
            let columns = op.weight_gate.ty.shape.iter().rev().take(2).copied().max().unwrap_or(1);
            let rows = input.ty.elements() / input.ty.shape[2];
            sum([all_reals(signature), bytes(rows.saturating_mul(columns), 8), bytes(op.input.ty.elements(), 8)])
        }
        op => training(op, signature, input, result),
    }
}

/// Workspace of training and detection.
fn training(op: &Op<Operand>, signature: &Signature, input: &Operand, result: &ValueType) -> u64 {
    let elements = input.ty.elements();
    match op {
        // 8-byte sums: several for each part of the input, which may be a single element.
        Op::BatchNormTrain(_) | Op::MeanRstd(_) | Op::GroupNormTrain(_) | Op::LayerNormTrain(_) | Op::SoftmaxBwd(_) => {
            sum([all_reals(signature), bytes(elements, 16)])
        }
        Op::BatchNormBwd(_) | Op::LayerNormBwd(_) => sum([all_reals(signature), bytes(elements, 48)]),
        Op::EmbDenseBwd(op) => sum([all_reals(signature), bytes(op.indices.ty.elements(), 8)]),
        Op::MaxPoolingIndicesBwd(op) => sum([all_reals(signature), bytes(op.indices.ty.elements(), 8)]),
        Op::Convbwd(_) | Op::ConvBwd_Weight(_) => all_reals(signature),
        Op::PriorBox(op) => sum([reals(result), bytes(op.num_priors as usize, 16)]),
        // Sorted scores and remaining boxes, at most of every class.
        Op::DetectionOutput(op) => {
            let scores = op.inputs.get(1).map_or(0, |s| s.ty.elements());
            sum([all_reals(signature), bytes(scores, 16), bytes(scores, 32), bytes(scores, 28)])
        }
        // At most one box per score, and as many more while the list grows.
        Op::Proposal(op) => sum([all_reals(signature), bytes(op.inputs[0].ty.elements(), 64)]),
        Op::FrcnDetection(op) => sum([all_reals(signature), bytes(op.inputs[1].ty.elements(), 64)]),
        Op::YoloDetection(op) => {
            sum(op.inputs.iter().map(|i| bytes(i.ty.elements(), 64)).chain([all_reals(signature)]))
        }
        Op::SelectiveScan(_) | Op::ConcatVolume(_) | Op::MatchTemplate(_) => all_reals(signature),
        Op::ConcatSlice(op) => sum([converted(&op.in0, result), converted(&op.in1, result)]),
        op => images(op, input, result),
    }
}

/// Whether the operator only rearranges entries of its first operand.
fn moves(op: &Op<Operand>) -> bool {
    use Op::*;
    #[rustfmt::skip]
    let moves = matches!(
        op,
        Depth2Space(_) | Expand(_) | Flatten(_) | MeshGrid(_) | Pad(_) | Permute(_) | Repeat(_) | Reshape(_) | Reverse(_)
        | ShuffleChannel(_) | Slice(_) | SliceAxis(_) | Squeeze(_) | StridedSlice(_) | SwapChannel(_) | SwapDimInner(_)
        | Tile(_) | Transpose(_) | Unpack(_) | Unsqueeze(_) | Upsample(_) | View(_)
    );
    moves
}

/// Offsets, and operands in the result's dtype or in the number format of the computation.
fn scatter([input, indices, updates]: [&Operand; 3], computes: bool, result: &ValueType) -> u64 {
    let numbers = [input, updates].map(|o| match () {
        () if !computes => converted(o, result),
        () if result.buffer_dtype() == Dtype::Float32 || result.quantization.is_some() => reals(&o.ty),
        () => bytes(o.ty.elements(), 8),
    });
    let result = if computes && result.quantization.is_some() { reals(result) } else { 0 };
    sum([bytes(indices.ty.elements(), 8), sum(numbers), result])
}

/// Operands less their zero points, 64-bit sums, and the workspace of the product or of a transposed result.
fn matmul(op: &ops::MatMul<Operand>, result: &ValueType) -> u64 {
    let bias = op.bias.as_ref().map_or(0, |b| b.ty.elements());
    if op.input.ty.buffer_dtype() == Dtype::Float32 {
        let turned = if op.output_transpose { bytes(result.elements(), 4) } else { 0 };
        return sum([reals(&op.right.ty), bytes(bias, 4), turned, reals(result)]);
    }
    let factor = if semantics::accum_kind(&op.input.ty, &op.right.ty) == AccumKind::Narrow { 4 } else { 8 };
    let right = op.right.ty.elements();
    let turned = if op.right_transpose { bytes(right, factor) } else { 0 };
    let left = op.input.ty.elements();
    let floats = integers_as_floats([left, right], result);
    let factors = sum([bytes(left, factor), bytes(right, factor), turned.max(floats)]);
    let after = sum([bytes(bias, 8), if op.output_transpose { bytes(result.elements(), 8) } else { 0 }]);
    sum([bytes(result.elements(), 8), factors.max(after)])
}

/// Workspace of an integer product computed in floats: both matrices, the packed right-hand one, and the sums.
fn integers_as_floats([left, right]: [usize; 2], result: &ValueType) -> u64 {
    sum([bytes(left, 4), bytes(right, 8), bytes(result.elements(), 4)])
}

/// Workspace of all convolutions: filter and bias as numbers, `columns` elements, and a result that is not float.
fn convolution(operands: [&ValueType; 2], bias: &Option<Operand>, columns: usize, result: &ValueType) -> u64 {
    let [x, w] = operands;
    let bias = bias.as_ref().map_or(0, |b| b.ty.elements());
    if x.buffer_dtype() == Dtype::Float32 {
        return sum([reals(w), bytes(bias, 4), bytes(columns, 4), reals(result)]);
    }
    let factor = if semantics::accum_kind(x, w) == AccumKind::Narrow { 4 } else { 8 };
    let factors = sum([x.elements(), w.elements(), columns].map(|n| bytes(n, factor)));
    let factors = sum([factors, integers_as_floats([w.elements(), columns], result)]);
    sum([bytes(result.elements(), 8), factors.max(bytes(bias, 8))])
}

fn product(dims: &[usize]) -> usize {
    dims.iter().fold(1, |n, &d| n.saturating_mul(d))
}

/// The column matrix of an image.
fn conv(op: &ops::Conv<Operand>, result: &ValueType) -> u64 {
    let (x, w) = (&op.input.ty, &op.filter.ty);
    let all = |v: &[i64], n: i64| v.iter().all(|x| *x == n);
    let pointwise = all(&op.kernel_shape, 1) && all(&op.strides, 1) && all(&op.pads, 0);
    let columns = product(&w.shape[1..]).saturating_mul(product(&result.shape[2..]));
    let columns = if pointwise && x.buffer_dtype() == Dtype::Float32 { 0 } else { columns };
    convolution([x, w], &op.bias, columns, result)
}

/// The column matrix of an image, 8 bytes per element for integers, and the reordered weights.
fn deconv(op: &ops::Deconv<Operand>, result: &ValueType) -> u64 {
    let (x, w) = (&op.input.ty, &op.filter.ty);
    let channels = result.shape[1] / op.group.max(1) as usize;
    let columns = product(&w.shape[2..]).saturating_mul(channels).saturating_mul(product(&x.shape[2..]));
    sum([convolution([x, w], &op.bias, columns.saturating_mul(2), result), bytes(w.elements(), 8)])
}

/// The column matrix of an image, in floats.
fn deform_conv2d(op: &ops::DeformConv2D<Operand>, result: &ValueType) -> u64 {
    let columns = product(&op.filter.ty.shape[1..]).saturating_mul(product(&result.shape[2..]));
    let operands = [Some(&op.input), Some(&op.filter), Some(&op.offset), op.mask.as_ref(), op.bias.as_ref()];
    let operands = operands.into_iter().flatten().map(|o| reals(&o.ty));
    sum(operands.chain([bytes(columns, 4), reals(result)]))
}

/// Each operand as it is and reordered, and the products of pairs, in order and reordered.
fn einsum(op: &ops::Einsum<Operand>, result: &ValueType) -> u64 {
    let operands = op.inputs.iter().map(|i| sum([reals(&i.ty), bytes(i.ty.elements(), 4)]));
    sum(operands.chain([bytes(result.elements(), 16)]))
}

/// The products of all steps and of one, all states, and the last ones.
fn recurrent(
    input: &Operand,
    filter: &Operand,
    recurrence: &Operand,
    bias: &Option<Operand>,
    signature: &Signature,
) -> u64 {
    let steps = product(&input.ty.shape[..2]);
    let rows = filter.ty.shape[1].saturating_mul(steps.saturating_add(steps));
    let operands = [Some(input), Some(filter), Some(recurrence), bias.as_ref()];
    let operands = operands.into_iter().flatten().map(|o| reals(&o.ty));
    // The states of all steps are computed even if they are not a result.
    let states = recurrence.ty.shape[0].saturating_mul(recurrence.ty.shape[2]).saturating_mul(steps);
    let results = signature.outputs().map(reals);
    sum(operands.chain(results).chain([bytes(rows, 4), bytes(states, 4), bytes(states, 8)]))
}
