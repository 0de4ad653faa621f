//! The work that an operator requires by definition, for judging the time of a kernel.
use super::{Einsum, InterpMode, Op, Product, ScaleDotProductAttention, einsum_axes, types::Value};
use std::iter::Sum;

/// Work of an operator, independent of its kernel.
///
/// Arithmetic on floats and integers is counted: a multiply-add is 2 operations; a function of one value (exp, a rounding
/// conversion) and a comparison are 1 each. Moving elements and fused extras (a bias, a final relu) are not counted.
/// Per element, softmax is 5 operations; normalization by mean and variance 7, by mean squares 4, by given statistics 2;
/// an interpolated sample 8; a search or sort 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Arithmetic operations; at most `u64::MAX`.
    pub operations: u64,
    /// Bytes of all operands and results, each counted once. A partially read tensor counts as many elements as are written.
    pub bytes: u64,
}

impl Work {
    /// Returns the work of an operator with the given operands and results, in the dtypes of its buffers. Returns `None`
    /// for ops without a type rule: those that are not computed, and `If` and `Loop`, whose blocks do the work.
    pub fn of(op: &Op<Value>, results: &[Value]) -> Option<Work> {
        let written = results.iter().map(bytes).fold(0, u64::saturating_add);
        let read = op.operands().map(|(_, operand)| bytes(operand)).fold(0, u64::saturating_add);
        let spared = picked_from(op).map_or(0, |table| {
            let size = table.dtype.size() as u64;
            bytes(table).saturating_sub(results.iter().map(elements).fold(0, u64::saturating_add).saturating_mul(size))
        });
        let operations = operations(op, results.first().map_or(0, elements))?;
        Some(Work { operations, bytes: read.saturating_sub(spared).saturating_add(written) })
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Work>>(all: I) -> Work {
        all.fold(Work::default(), |a, b| Work {
            operations: a.operations.saturating_add(b.operations),
            bytes: a.bytes.saturating_add(b.bytes),
        })
    }
}

fn product(sizes: impl IntoIterator<Item = usize>) -> u64 {
    sizes.into_iter().fold(1, |n, size| n.saturating_mul(size as u64))
}
fn elements(of: &Value) -> u64 {
    product(of.shape.iter().copied())
}
fn bytes(of: &Value) -> u64 {
    elements(of).saturating_mul(of.dtype.size() as u64)
}

/// Returns the operations of `sums` sums of `each` products.
fn products(sums: u64, each: u64) -> u64 {
    sums.saturating_mul(each).saturating_mul(2)
}

/// Returns the operations of an op; `result` is the number of elements of its first result.
fn operations(op: &Op<Value>, result: u64) -> Option<u64> {
    let each = |n: u64| n.saturating_mul(result);
    let read = |input: &Value, n: u64| n.saturating_mul(elements(input));
    // n operands take n - 1 operations.
    let joined = |operands: &[Value]| each((operands.len() as u64).saturating_sub(1));
    let window = |kernel: &[i64], input: &Value| match kernel {
        [] => elements(input),
        sides => each(sides.iter().fold(1, |n, side| n.saturating_mul(side.unsigned_abs()))),
    };
    Some(match op {
        // Products.
        Op::Conv(op) => products(result, per(&op.filter, 0)),
        Op::DeformConv2D(op) => products(result, per(&op.filter, 0)),
        // Each input element is multiplied by a filter.
        Op::Deconv(op) => products(elements(&op.input), elements(&op.filter) / extent(&op.input, 1)),
        Op::MatMul(op) => {
            let inner = Product::new(op.input.shape, op.right.shape, op.left_transpose, op.right_transpose);
            products(result, inner.map_or(0, |p| p.k as u64))
        }
        Op::A16MatMul(op) => products(result, op.input.shape.last().map_or(0, |k| *k as u64)),
        Op::Fp8MatMul(op) => products(result, op.input.shape.last().map_or(0, |k| *k as u64)),
        Op::ScaleDotProductAttention(op) => attention(op, result),
        // Scores of each query and key, 5 for softmax, and as many products with the values.
        Op::FAttention(op) => scores([op.batch, op.q_head, op.mq, op.mk], op.dim.saturating_mul(4).saturating_add(5)),
        Op::FAttentionLse(op) => {
            scores([op.batch, op.q_head, op.mq, op.mk], op.dim.saturating_mul(4).saturating_add(5))
        }
        Op::FlexAttention(op) => scores(
            [op.batch, op.q_head, op.mq, op.mk],
            op.qk_d.saturating_add(op.v_d).saturating_mul(2).saturating_add(5),
        ),
        // The projections dominate the scores.
        Op::Attention(op) => {
            let projected =
                [(&op.input, &op.queries_weight), (&op.keys, &op.keys_weight), (&op.values, &op.values_weight)];
            let rows = |x: &Value| elements(x) / x.shape.last().map_or(1, |k| *k as u64).max(1);
            let all = projected.iter().map(|(x, w)| products(rows(x), elements(w)));
            all.fold(products(rows(&op.input), elements(&op.out_weight)), u64::saturating_add)
        }
        // The gate, up and down projections.
        Op::Mlp(op) => {
            let weights = [&op.weight_gate, &op.weight_up, &op.weight_down].map(elements);
            let rows = elements(&op.input) / op.input.shape.last().map_or(1, |k| *k as u64).max(1);
            let experts = op.num_expert.unsigned_abs().max(1);
            weights.iter().map(|w| products(rows, w / experts)).fold(0, u64::saturating_add)
        }
        // A state of d x d is read, written and read for each row of a head.
        Op::RecurrentGatedDeltaRule(op) => products(elements(&op.value), op.d.unsigned_abs()).saturating_mul(3),
        Op::ChunkGatedDeltaRule(op) => products(elements(&op.value), op.d.unsigned_abs()).saturating_mul(3),
        Op::SelectiveScan(op) => read(&op.deltaA, 4),
        // The gradients of input and filter each cost as much as the forward pass.
        Op::Convbwd(op) => products(elements(&op.grad_out), per(&op.kernel, 0))
            .saturating_mul(if op.grad_input_enable && op.grad_weight_enable { 2 } else { 1 }),
        Op::ConvBwd_Weight(op) => products(elements(&op.gradout), result / extent(&op.gradout, 1)),
        Op::MatchTemplate(op) => products(result, elements(&op.r#match)),
        Op::Einsum(op) => einsum(op),
        Op::Correlation(op) => {
            products(result, op.inputs.first().map_or(0, |f| extent(f, 1) / op.num_groups.unsigned_abs().max(1)))
        }
        Op::GRU(op) => recurrent(&op.input, &op.filter, &op.recurrence),
        Op::LSTM(op) => recurrent(&op.input, &op.filter, &op.recurrence),
        // Windows and reductions.
        Op::AvgPool(op) => window(&op.kernel_shape, &op.input),
        Op::MaxPool(op) => window(&op.kernel_shape, &op.input),
        Op::MaxPoolWithMask(op) => window(&op.kernel_shape, &op.input),
        Op::AdaptiveAvgPool(op) => read(&op.input, 1),
        Op::PoolMask(op) => read(&op.input, 1),
        Op::Reduce(op) => read(&op.input, 1),
        Op::CumSum(op) => read(&op.input, 1),
        Op::Variance(op) => read(&op.input, 4),
        // Searches.
        Op::Arg(op) => read(&op.input, 1),
        Op::NonZero(op) => read(&op.input, 1),
        Op::Sort(op) => read(&op.input, 1),
        Op::TopK(op) => read(&op.input, 1),
        Op::PriorBox(_) | Op::DetectionOutput(_) | Op::Proposal(_) | Op::FrcnDetection(_) | Op::YoloDetection(_) => {
            op.operands().map(|(_, o)| elements(o)).fold(0, u64::saturating_add)
        }
        Op::Nms(op) => op.inputs.iter().map(elements).fold(0, u64::saturating_add),
        // Normalizations.
        Op::Softmax(_) => each(5),
        Op::BatchNormTrain(_) | Op::GroupNormTrain(_) | Op::LayerNormTrain(_) => each(7),
        Op::MeanRstd(op) => read(&op.input, 4),
        Op::BatchNormBwd(_) | Op::LayerNormBwd(_) => each(12),
        Op::SoftmaxBwd(_) => each(4),
        Op::GroupNorm(_) | Op::InstanceNorm(_) | Op::LayerNorm(_) | Op::PixelNorm(_) => each(7),
        Op::Normalize(_) | Op::RMSNorm(_) => each(4),
        Op::LRN(op) => each(op.size.unsigned_abs().saturating_mul(2).saturating_add(3)),
        Op::BatchNorm(_) | Op::MeanStdScale(_) | Op::Scale(_) | Op::ScaleLut(_) => each(2),
        // Samples.
        Op::Interp(op) => each(if op.mode == InterpMode::Nearest { 0 } else { 8 }),
        Op::GridSampler(_) | Op::RoiAlign(_) | Op::RoiExtractor(_) => each(8),
        Op::ROIPooling(op) => op.inputs.first().map_or(0, elements),
        // Rotation of pairs, and mixing of three colors.
        Op::Rope(_) => each(3),
        Op::Yuv2rgbFormula(_) => each(6),
        // Elementwise ops.
        Op::Add(op) => joined(&op.inputs),
        Op::Div(op) => joined(&op.inputs),
        Op::LogicalAnd(op) => joined(&op.inputs),
        Op::Max(op) => joined(&op.inputs),
        Op::Min(op) => joined(&op.inputs),
        Op::Mod(op) => joined(&op.inputs),
        Op::Mul(op) => joined(&op.inputs),
        Op::Remainder(op) => joined(&op.inputs),
        Op::Sub(op) => joined(&op.inputs),
        Op::AddConst(_) | Op::DivConst(_) | Op::MaxConst(_) | Op::MinConst(_) | Op::MulConst(_) | Op::SubConst(_) => {
            each(1)
        }
        Op::BinaryConstShift(_) | Op::BinaryShift(_) | Op::Compare(_) | Op::CompareConst(_) => each(1),
        Op::Abs(_) | Op::Ceil(_) | Op::Clip(_) | Op::Floor(_) | Op::Reciprocal(_) | Op::Round(_) | Op::Sign(_) => {
            each(1)
        }
        Op::Arccos(_) | Op::Arctanh(_) | Op::Cos(_) | Op::Cosh(_) | Op::Sin(_) | Op::Sinh(_) | Op::Tan(_) => each(1),
        Op::Erf(_) | Op::Exp(_) | Op::Log(_) | Op::LogB(_) | Op::Pow(_) | Op::Pow2(_) | Op::Pow3(_) => each(1),
        Op::Elu(_) | Op::GELU(_) | Op::HardSigmoid(_) | Op::HardSwish(_) | Op::LeakyRelu(_) | Op::Mish(_) => each(1),
        Op::PRelu(_) | Op::Relu(_) | Op::SiLU(_) | Op::Sigmoid(_) | Op::Softplus(_) | Op::Softsign(_) => each(1),
        Op::Rsqrt(_) | Op::Sqrt(_) | Op::Swish(_) | Op::Tanh(_) => each(1),
        Op::Cast(_) | Op::DequantInt(_) | Op::DequantizeLinear(_) | Op::DtypeCast(_) => each(1),
        Op::QuantizeLinear(_) | Op::RequantFp(_) | Op::RequantInt(_) => each(1),
        // (weight - zp) * scale
        Op::A16Gather(_) => each(2),
        // Ops that create, move or select elements.
        Op::Arange(_) | Op::ConstantFill(_) | Op::MeshGrid(_) | Op::Range(_) | Op::Shape(_) | Op::Size(_) => 0,
        Op::Concat(_) | Op::Copy(_) | Op::Flatten(_) | Op::List(_) | Op::Pack(_) | Op::Pad(_) | Op::Permute(_) => 0,
        Op::Reshape(_) | Op::Split(_) | Op::Squeeze(_) | Op::Transpose(_) | Op::Unpack(_) | Op::Unsqueeze(_) => 0,
        Op::Depth2Space(_) | Op::Reverse(_) | Op::ShuffleChannel(_) | Op::SwapChannel(_) | Op::SwapDimInner(_) => 0,
        Op::Expand(_) | Op::MaxUnpool(_) | Op::Repeat(_) | Op::Tile(_) | Op::Upsample(_) | Op::View(_) => 0,
        Op::Gather(_) | Op::GatherElements(_) | Op::GatherND(_) | Op::Lut(_) => 0,
        Op::ConcatSlice(_) | Op::ConcatVolume(_) | Op::MaxPoolingIndicesBwd(_) | Op::EmbDenseBwd(_) => 0,
        Op::IndexPut(_) | Op::Insert(_) | Op::ScatterElements(_) | Op::ScatterND(_) => 0,
        Op::Slice(_) | Op::SliceAxis(_) | Op::StridedSlice(_) => 0,
        Op::MaskedFill(_) | Op::Trilu(_) | Op::Where(_) => 0,
        crate::without_rule!(pattern) => return None,
    })
}

/// Returns the operand that the op reads only in part.
fn picked_from<'v, 'a>(op: &'v Op<Value<'a>>) -> Option<&'v Value<'a>> {
    Some(match op {
        Op::A16Gather(op) => &op.weight,
        Op::Gather(op) => &op.input,
        Op::GatherElements(op) => &op.input,
        Op::GatherND(op) => &op.input,
        Op::Shape(op) => &op.input,
        Op::Size(op) => &op.input,
        Op::Slice(op) => &op.input,
        Op::SliceAxis(op) => &op.input,
        Op::StridedSlice(op) => &op.input,
        _ => return None,
    })
}

/// Returns the length of an axis, at least 1.
fn extent(of: &Value, axis: usize) -> u64 {
    of.shape.get(axis).map_or(1, |d| *d as u64).max(1)
}
/// Returns the number of elements per index of an axis.
fn per(of: &Value, axis: usize) -> u64 {
    elements(of) / extent(of, axis)
}

/// Returns the operations of two products with a softmax in between.
fn attention(op: &ScaleDotProductAttention<Value>, result: u64) -> u64 {
    let last = |of: &Value, from_end: usize| of.shape.iter().nth_back(from_end).map_or(0, |d| *d as u64);
    let (width, keys) = (last(&op.query, 0), last(&op.key, 1));
    let scores = (elements(&op.query) / width.max(1)).saturating_mul(keys);
    let both = products(scores, width).saturating_add(products(result, keys));
    both.saturating_add(scores.saturating_mul(5))
}

/// Returns `each` operations for every element of a tensor with the given sizes.
fn scores(sizes: [i64; 4], each: i64) -> u64 {
    sizes.iter().fold(each.unsigned_abs(), |n, size| n.saturating_mul(size.unsigned_abs()))
}

/// Returns the operations of an einsum: for each combination of indices, the operands are multiplied and accumulated.
fn einsum(op: &Einsum<Value>) -> u64 {
    let mut sizes = [1; 256];
    for (input, axes) in op.inputs.iter().zip(einsum_axes(op.mode.name()).0) {
        axes.iter().zip(input.shape).for_each(|(axis, size)| sizes[usize::from(*axis)] = *size);
    }
    product(sizes).saturating_mul(op.inputs.len() as u64)
}

/// Returns the operations of a recurrent op: two products per step. Each direction has its own matrices.
fn recurrent(input: &Value, filter: &Value, recurrence: &Value) -> u64 {
    products(per(input, 2), elements(filter).saturating_add(elements(recurrence)))
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use crate::base::Dtype;

    fn value(shape: &[usize]) -> Value<'_> {
        Value { display_name: "x", shape, dtype: Dtype::Float32, coefficient: false, data: None }
    }
    fn work<'a>(op: impl Into<Op<Value<'a>>>, result: &'a [usize]) -> Work {
        Work::of(&op.into(), &[value(result)]).unwrap()
    }

    #[test]
    fn resnets_first_convolution_is_236_million() {
        let (x, w) = (value(&[1, 3, 224, 224]), value(&[64, 3, 7, 7]));
        let conv = Conv::new(x, w, vec![7, 7], vec![2, 2], vec![3; 4]);
        let bytes = 4 * (3 * 224 * 224 + 64 * 3 * 49 + 64 * 112 * 112);
        assert_eq!(work(conv, &[1, 64, 112, 112]), Work { operations: 236_027_904, bytes });
    }

    #[test]
    fn groups_divide_and_transposed_filters_spread() {
        let (x, w) = (value(&[1, 32, 56, 56]), value(&[32, 1, 3, 3]));
        let depthwise = Conv { group: 32, ..Conv::new(x, w, vec![3, 3], vec![1, 1], vec![1; 4]) };
        assert_eq!(work(depthwise, &[1, 32, 56, 56]).operations, 2 * 9 * 32 * 56 * 56);
        // oc/group x ic x kernel, the layout of a coefficient.
        let (x, w) = (value(&[1, 8, 10, 10]), value(&[4, 8, 2, 2]));
        let deconv = Deconv::new(x, w, vec![2, 2], vec![2, 2], vec![0; 4]);
        assert_eq!(work(deconv, &[1, 4, 20, 20]).operations, 2 * 4 * 4 * 8 * 10 * 10);
    }

    /// BERT-base with 128 tokens: a layer's first product, its second feed-forward product, and its attention.
    #[test]
    fn bert() {
        let x = value(&[1, 128, 768]);
        assert_eq!(work(MatMul::new(x, value(&[768, 768])), &[1, 128, 768]).operations, 150_994_944);
        let h = value(&[1, 128, 3072]);
        assert_eq!(work(MatMul::new(h, value(&[3072, 768])), &[1, 128, 768]).operations, 603_979_776);
        let transposed = MatMul { right_transpose: true, ..MatMul::new(x, value(&[3072, 768])) };
        assert_eq!(work(transposed, &[1, 128, 3072]).operations, 603_979_776);
        let heads = [1, 12, 128, 64];
        let attention = ScaleDotProductAttention::new(value(&heads), value(&heads), value(&heads));
        let scores = 12 * 128 * 128;
        assert_eq!(work(attention, &heads).operations, 2 * (2 * scores * 64) + 5 * scores);
    }

    #[test]
    fn recurrent_and_einsum() {
        let (x, w, r) = (value(&[10, 2, 16]), value(&[2, 4 * 8, 16]), value(&[2, 4 * 8, 8]));
        let lstm = LSTM::new(x, w, r, true, 8);
        assert_eq!(work(lstm, &[10, 2, 2, 8]).operations, 2 * (10 * 2) * 2 * 32 * (16 + 8));
        let mode = EinsumMode::from_name("a,b->ab").unwrap();
        let outer = Einsum::new(vec![value(&[5]), value(&[7])], mode);
        assert_eq!(work(outer, &[5, 7]).operations, 2 * 35);
    }

    #[test]
    fn small_counts_by_element() {
        let x = value(&[2, 3, 8, 8]);
        let n = 2 * 3 * 64;
        assert_eq!(work(Relu::new(x), x.shape), Work { operations: n, bytes: 8 * n });
        assert_eq!(work(Softmax::new(x, 1), x.shape).operations, 5 * n);
        assert_eq!(work(Add::new(vec![x, x, x]), x.shape), Work { operations: 2 * n, bytes: 16 * n });
        assert_eq!(work(Permute::new(x, vec![0, 2, 3, 1]), &[2, 8, 8, 3]), Work { operations: 0, bytes: 8 * n });
        let pool = MaxPool::new(x, vec![2, 2], vec![2, 2], vec![0; 4]);
        assert_eq!(work(pool, &[2, 3, 4, 4]).operations, 4 * n / 4);
        let global = AvgPool::new(x, vec![], vec![], vec![]);
        assert_eq!(work(global, &[2, 3, 1, 1]).operations, n);
    }

    #[test]
    fn what_is_picked_is_read_and_no_more() {
        let (table, ids) = (value(&[30522, 384]), value(&[1, 128]));
        let picked = 4 * 128 * 384;
        let gather = work(Gather::new(table, ids), &[1, 128, 384]);
        assert_eq!(gather, Work { operations: 0, bytes: picked + 4 * 128 + picked });
        assert_eq!(work(Shape::new(table), &[2]).bytes, 16);
    }

    #[test]
    fn sizes_saturate_and_ops_without_rule_have_none() {
        let huge = value(&[usize::MAX, usize::MAX]);
        let most = Work { operations: u64::MAX, bytes: u64::MAX };
        assert_eq!(work(MatMul::new(huge, huge), huge.shape).operations, u64::MAX);
        assert_eq!([most, most].into_iter().sum::<Work>(), most);
        let op = Op::from(Mmap2Rgbmap::new(huge));
        assert_eq!(Work::of(&op, &[]), None);
    }
}
