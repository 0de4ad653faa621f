//! The list of type rules: at most one per op.
use super::{
    Inferred, Op, OpDef, Value, activation, arithmetic, attention, cast, compare, conv, create, detect, einsum, gather,
    image, layout, math, matmul, mean_std, norm, pool, recurrent, reduce, resize, scatter, select, shift, shuffle,
    slice, sort, tile, train,
};
use crate::base::Result;

/// Expands to the ops without a type rule and kernel, as a pattern for matches without a wildcard or as a list with reasons. The
/// pattern includes the ops with blocks, whose results have the types of what the blocks yield and which sessions run.
#[doc(hidden)]
#[macro_export]
macro_rules! without_rule {
    (@pattern $($op:ident: $why:literal,)*) => { $crate::Op::If(_) | $crate::Op::Loop(_) $(| $crate::Op::$op(_))* };
    (@reasons $($op:ident: $why:literal,)*) => { [$((stringify!($op), $why)),*] };
    ($form:ident) => { $crate::without_rule! { @$form
        C2CAllReduce: "it exchanges data with other chips",
        C2CBroadcast: "it exchanges data with other chips",
        Csc: "the shape of its result does not follow from its operands and attributes",
        Custom: "a user registers both under the name of the operator",
        DepackRaw: "only a chip's own code defines it",
        MaskRCNN_BboxPooler: "only a chip's own code defines it",
        MaskRCNN_GetBboxB: "only a chip's own code defines it",
        MaskRCNN_MaskPooler: "only a chip's own code defines it",
        MaskRCNN_RPNGetBboxes: "only a chip's own code defines it",
        Mmap2Rgbmap: "only a chip's own code defines it",
        Preprocess: "a pass of the tool chain expands it before execution",
        RandnLike: "its values are random",
        RetinaFaceDetection: "the tool chain's anchors are not those of the published network",
        Tuple: "a pass of the tool chain replaces it by its tensors",
        UnTuple: "a pass of the tool chain replaces it by the tensors of the tuple",
        WeightReorder: "it orders data for a chip",
    } };
}

impl OpDef {
    /// Returns whether sessions run the op. Those ops have a type rule, except `If` and `Loop`, whose blocks determine the types;
    /// for other ops the caller declares the types of the results.
    pub fn is_computed(&self) -> bool {
        !self.structure && self.why_not_computed().is_none()
    }
    /// Returns the reason why the op has neither a type rule nor a kernel.
    pub fn why_not_computed(&self) -> Option<&'static str> {
        without_rule!(reasons).into_iter().find(|(name, _)| *name == self.name).map(|(_, why)| why)
    }
}

/// Returns the types of an operator's results, or `None` for an op without a type rule.
///
/// # Errors
/// Returns an error if operands and attributes do not fit together.
pub fn infer(op: &Op<Value>) -> Result<Option<Vec<Inferred>>> {
    match op {
        Op::A16Gather(op) => gather::a16_gather(op),
        Op::A16MatMul(op) => matmul::a16_matmul(op),
        Op::Abs(op) => activation::abs(op),
        Op::AdaptiveAvgPool(op) => pool::adaptive_avg_pool(op),
        Op::Add(op) => arithmetic::add(op),
        Op::AddConst(op) => arithmetic::constant(&op.input),
        Op::Arange(op) => create::arange(op),
        Op::Arccos(op) => math::unary(&op.input),
        Op::Arctanh(op) => math::unary(&op.input),
        Op::Arg(op) => sort::arg(op),
        Op::Attention(op) => attention::attention(op),
        Op::AvgPool(op) => pool::avg_pool(op),
        Op::BatchNorm(op) => norm::batch_norm(op),
        Op::BatchNormBwd(op) => train::batch_norm_bwd(op),
        Op::BatchNormTrain(op) => train::batch_norm_train(op),
        Op::BinaryConstShift(op) => shift::binary_const_shift(op),
        Op::BinaryShift(op) => shift::binary_shift(op),
        Op::Cast(op) => cast::cast(op),
        Op::Ceil(op) => math::unary(&op.input),
        Op::ChunkGatedDeltaRule(op) => recurrent::chunk_gated_delta_rule(op),
        Op::Clip(op) => math::clip(op),
        Op::Compare(op) => compare::compare(op),
        Op::CompareConst(op) => compare::compare_const(op),
        Op::Concat(op) => layout::concat(op),
        Op::ConcatSlice(op) => layout::concat_slice(op),
        Op::ConcatVolume(op) => image::concat_volume(op),
        Op::ConstantFill(op) => create::constant_fill(op),
        Op::Conv(op) => conv::conv(op),
        Op::ConvBwd_Weight(op) => train::conv_bwd_weight(op),
        Op::Convbwd(op) => train::conv_bwd(op),
        Op::Copy(op) => layout::copy(op),
        Op::Correlation(op) => image::correlation(op),
        Op::Cos(op) => math::unary(&op.input),
        Op::Cosh(op) => math::unary(&op.input),
        Op::CumSum(op) => reduce::cum_sum(op),
        Op::Deconv(op) => conv::deconv(op),
        Op::DeformConv2D(op) => conv::deform_conv2d(op),
        Op::Depth2Space(op) => shuffle::depth2space(op),
        Op::DequantInt(op) => cast::dequant_int(op),
        Op::DequantizeLinear(op) => cast::dequantize_linear(op),
        Op::DetectionOutput(op) => detect::detection_output(op),
        Op::Div(op) => arithmetic::div(op),
        Op::DivConst(op) => arithmetic::constant(&op.input),
        Op::DtypeCast(op) => cast::dtype_cast(op),
        Op::Einsum(op) => einsum::einsum(op),
        Op::Elu(op) => activation::unary(&op.input),
        Op::EmbDenseBwd(op) => train::emb_dense_bwd(op),
        Op::Erf(op) => math::unary(&op.input),
        Op::Exp(op) => math::unary(&op.input),
        Op::Expand(op) => tile::expand(op),
        Op::FAttention(op) => attention::f_attention(op),
        Op::FAttentionLse(op) => attention::f_attention_lse(op),
        Op::Flatten(op) => layout::flatten(op),
        Op::FlexAttention(op) => attention::flex_attention(op),
        Op::Floor(op) => math::unary(&op.input),
        Op::Fp8MatMul(op) => matmul::fp8_matmul(op),
        Op::FrcnDetection(op) => detect::frcn_detection(op),
        Op::GELU(op) => activation::gelu(op),
        Op::GRU(op) => recurrent::gru(op),
        Op::Gather(op) => gather::gather(op),
        Op::GatherElements(op) => gather::gather_elements(op),
        Op::GatherND(op) => gather::gather_nd(op),
        Op::GridSampler(op) => resize::grid_sampler(op),
        Op::GroupNorm(op) => norm::group_norm(op),
        Op::GroupNormTrain(op) => train::group_norm_train(op),
        Op::HardSigmoid(op) => activation::unary(&op.input),
        Op::HardSwish(op) => activation::unary(&op.input),
        Op::IndexPut(op) => scatter::index_put(op),
        Op::Insert(op) => scatter::insert(op),
        Op::InstanceNorm(op) => norm::instance_norm(op),
        Op::Interp(op) => resize::interp(op),
        Op::LRN(op) => norm::lrn(op),
        Op::LSTM(op) => recurrent::lstm(op),
        Op::LayerNorm(op) => norm::layer_norm(op),
        Op::LayerNormBwd(op) => train::layer_norm_bwd(op),
        Op::LayerNormTrain(op) => train::layer_norm_train(op),
        Op::LeakyRelu(op) => activation::leaky_relu(op),
        Op::List(op) => layout::list(op),
        Op::Log(op) => math::unary(&op.input),
        Op::LogB(op) => math::log_b(op),
        Op::LogicalAnd(op) => compare::logical_and(op),
        Op::Lut(op) => gather::lut(op),
        Op::MaskedFill(op) => select::masked_fill(op),
        Op::MatMul(op) => matmul::matmul(op),
        Op::MatchTemplate(op) => image::match_template(op),
        Op::Max(op) => arithmetic::max(op),
        Op::MaxConst(op) => arithmetic::constant(&op.input),
        Op::MaxPool(op) => pool::max_pool(op),
        Op::MaxPoolWithMask(op) => pool::max_pool_with_mask(op),
        Op::MaxPoolingIndicesBwd(op) => train::max_pooling_indices_bwd(op),
        Op::MaxUnpool(op) => pool::max_unpool(op),
        Op::MeanRstd(op) => train::mean_rstd(op),
        Op::MeanStdScale(op) => mean_std::mean_std_scale(op),
        Op::MeshGrid(op) => create::mesh_grid(op),
        Op::Min(op) => arithmetic::min(op),
        Op::MinConst(op) => arithmetic::constant(&op.input),
        Op::Mish(op) => activation::unary(&op.input),
        Op::Mlp(op) => matmul::mlp(op),
        Op::Mod(op) => arithmetic::modulo(op),
        Op::Mul(op) => arithmetic::mul(op),
        Op::MulConst(op) => arithmetic::constant(&op.input),
        Op::Nms(op) => detect::nms(op),
        Op::NonZero(op) => select::non_zero(op),
        Op::Normalize(op) => norm::normalize(op),
        Op::PRelu(op) => activation::prelu(op),
        Op::Pack(op) => layout::pack(op),
        Op::Pad(op) => layout::pad(op),
        Op::Permute(op) => layout::permute(op),
        Op::PixelNorm(op) => norm::pixel_norm(op),
        Op::PoolMask(op) => pool::pool_mask(op),
        Op::Pow(op) => math::unary(&op.input),
        Op::Pow2(op) => math::unary(&op.input),
        Op::Pow3(op) => math::pow3(op),
        Op::PriorBox(op) => detect::prior_box(op),
        Op::Proposal(op) => detect::proposal(op),
        Op::QuantizeLinear(op) => cast::quantize_linear(op),
        Op::RMSNorm(op) => norm::rms_norm(op),
        Op::ROIPooling(op) => detect::roi_pooling(op),
        Op::Range(op) => create::range(op),
        Op::Reciprocal(op) => arithmetic::constant(&op.input),
        Op::RecurrentGatedDeltaRule(op) => recurrent::recurrent_gated_delta_rule(op),
        Op::Reduce(op) => reduce::reduce(op),
        Op::Relu(op) => activation::relu(op),
        Op::Remainder(op) => arithmetic::remainder(op),
        Op::Repeat(op) => tile::repeat(op),
        Op::RequantFp(op) => cast::requant_fp(op),
        Op::RequantInt(op) => cast::requant_int(op),
        Op::Reshape(op) => layout::reshape(op),
        Op::Reverse(op) => shuffle::reverse(op),
        Op::RoiAlign(op) => detect::roi_align(op),
        Op::RoiExtractor(op) => detect::roi_extractor(op),
        Op::Rope(op) => attention::rope(op),
        Op::Round(op) => math::unary(&op.input),
        Op::Rsqrt(op) => math::unary(&op.input),
        Op::Scale(op) => norm::scale(op),
        Op::ScaleDotProductAttention(op) => attention::scaled_dot_product(op),
        Op::ScaleLut(op) => image::scale_lut(op),
        Op::ScatterElements(op) => scatter::scatter_elements(op),
        Op::ScatterND(op) => scatter::scatter_nd(op),
        Op::SelectiveScan(op) => recurrent::selective_scan(op),
        Op::Shape(op) => create::shape(op),
        Op::ShuffleChannel(op) => shuffle::shuffle_channel(op),
        Op::SiLU(op) => activation::unary(&op.input),
        Op::Sigmoid(op) => activation::sigmoid(op),
        Op::Sign(op) => math::unary(&op.input),
        Op::Sin(op) => math::unary(&op.input),
        Op::Sinh(op) => math::unary(&op.input),
        Op::Size(op) => create::size(op),
        Op::Slice(op) => slice::slice(op),
        Op::SliceAxis(op) => slice::slice_axis(op),
        Op::Softmax(op) => activation::softmax(op),
        Op::SoftmaxBwd(op) => train::softmax_bwd(op),
        Op::Softplus(op) => activation::unary(&op.input),
        Op::Softsign(op) => activation::unary(&op.input),
        Op::Sort(op) => sort::sort(op),
        Op::Split(op) => layout::split(op),
        Op::Sqrt(op) => math::unary(&op.input),
        Op::Squeeze(op) => layout::squeeze(op),
        Op::StridedSlice(op) => slice::strided_slice(op),
        Op::Sub(op) => arithmetic::sub(op),
        Op::SubConst(op) => arithmetic::constant(&op.input),
        Op::SwapChannel(op) => shuffle::swap_channel(op),
        Op::SwapDimInner(op) => shuffle::swap_dim_inner(op),
        Op::Swish(op) => activation::unary(&op.input),
        Op::Tan(op) => math::unary(&op.input),
        Op::Tanh(op) => activation::tanh(op),
        Op::Tile(op) => tile::tile(op),
        Op::TopK(op) => sort::top_k(op),
        Op::Transpose(op) => layout::transpose(op),
        Op::Trilu(op) => select::trilu(op),
        Op::Unpack(op) => layout::unpack(op),
        Op::Unsqueeze(op) => layout::unsqueeze(op),
        Op::Upsample(op) => tile::upsample(op),
        Op::Variance(op) => reduce::variance(op),
        Op::View(op) => layout::view(op),
        Op::Where(op) => select::select(op),
        Op::YoloDetection(op) => detect::yolo_detection(op),
        Op::Yuv2rgbFormula(op) => image::yuv2rgb(op),
        without_rule!(pattern) => return Ok(None),
    }
    .map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Add, FlexAttention, MaxUnpool, Range, Reshape, ScaleDotProductAttention, ScaleLut, Shape, ShuffleChannel,
        Slice, SliceAxis, StridedSlice, Sub, Variance, array::Array, base::Dtype,
    };

    fn value<'a>(display_name: &'a str, shape: &'a [usize]) -> Value<'a> {
        Value { display_name, shape, dtype: Dtype::Float32, coefficient: false, data: None }
    }

    /// A coefficient that is a vector.
    fn known<'a>(display_name: &'a str, data: &'a Array) -> Value<'a> {
        Value { coefficient: true, data: Some(data), ..value(display_name, data.shape()) }
    }

    /// Checks what is wrong with each op; an empty text stands for nothing.
    fn check(cases: &[(Op<Value>, &str)]) {
        for (op, expected) in cases {
            let message = infer(op).err().map(|e| e.to_string()).unwrap_or_default();
            assert_eq!(message, *expected, "{op:?}");
        }
    }

    /// Five queries and three keys, in blocks of two.
    #[test]
    fn bitmaps_of_attention_have_an_entry_for_each_square() {
        let (q, k) = (value("queries", &[1, 5, 1, 2]), value("keys", &[1, 3, 1, 2]));
        let op = |flex_block: i64, bitmap: Option<&'static [usize]>| FlexAttention {
            flex_block,
            block_bitmap: bitmap.map(|shape| value("block_bitmap", shape)),
            ..FlexAttention::new(q, k, k, 1, 1, 3, 5, 1, 2, 1.0, 2)
        };
        let expected = "expected 3x2, one entry for each square of 2 queries and keys";
        check(&[
            (op(2, Some(&[3, 2])).into(), ""),
            (op(2, None).into(), ""),
            (op(128, Some(&[1, 1])).into(), ""),
            (op(0, None).into(), "flex_block is 0; expected at least 1"),
            (op(-5, Some(&[1, 1])).into(), "flex_block is -5; expected at least 1"),
        ]);
        let others: [(&'static [usize], &str); 3] = [(&[2, 3], "2x3"), (&[6], "6"), (&[1, 3, 2], "1x3x2")];
        for (shape, found) in others {
            let message = infer(&op(2, Some(shape)).into()).unwrap_err().to_string();
            assert_eq!(message, format!("block_bitmap is {found}; {expected}"));
        }
    }

    #[test]
    fn operands_have_a_coefficient_each() {
        let x = value("x", &[2]);
        let add = |n: usize, coeff: &[f64]| Op::from(Add { coeff: Some(coeff.to_vec()), ..Add::new(vec![x; n]) });
        let sub = |coeff: &[f64]| Op::from(Sub { coeff: Some(coeff.to_vec()), ..Sub::new(vec![x; 2]) });
        check(&[
            (add(2, &[]), ""),
            (add(3, &[1.0, 2.0, 3.0]), ""),
            (add(2, &[2.0]), "coeff is [2.0]; expected 2 numbers, one for each operand"),
            (sub(&[2.0, 3.0]), ""),
            (sub(&[1.0, 2.0, 3.0]), "coeff is [1.0, 2.0, 3.0]; expected 2 numbers, one for each operand"),
        ]);
    }

    #[test]
    fn slices_name_the_list_that_is_wrong() {
        let x = value("input", &[4, 7]);
        let [zero, one, two] = [vec![0i32], vec![1], vec![0, 1]].map(Array::from);
        let slice = |offset: &[i64], steps: &[i64], ends: &[i64], axes: &[i64]| {
            let op = Slice::new(x, offset.to_vec(), steps.to_vec(), ends.to_vec());
            Op::from(Slice { axes: axes.to_vec(), ..op })
        };
        let along_axis = SliceAxis {
            step: Some(known("step", &zero)),
            ..SliceAxis::new(x, known("axis", &one), known("start", &zero), known("end", &one))
        };
        let two_steps = SliceAxis { step: Some(known("step", &two)), ..along_axis.clone() };
        let strided =
            StridedSlice::new(x, known("starts", &zero), known("ends", &one), known("strides", &zero), 0, 0, 0, 0, 0);
        let of_shape = Shape { step: Some(0), start: Some(0), ..Shape::new(x) };
        check(&[
            (slice(&[0, 0], &[1, 1], &[2, 2], &[]), ""),
            (slice(&[0, 0], &[1], &[2, 2], &[]), "steps is [1]; expected 2 numbers, as many as offset has"),
            (slice(&[0], &[1], &[2, 2], &[]), "ends is [2, 2]; expected 1 number, as many as offset has"),
            (slice(&[0], &[1], &[2], &[0, 1]), "axes is [0, 1]; expected 1 number, as many as offset has"),
            (
                slice(&[0; 3], &[1; 3], &[2; 3], &[]),
                "offset is [0, 0, 0]; expected at most 2 numbers, as many as the input has axes",
            ),
            (along_axis.into(), "step is 0; a step is at least 1, or at most -1 to go backwards"),
            (two_steps.into(), "step is [0, 1]; expected 1 number, as many as start has"),
            (strided.into(), "strides is 0; a step is at least 1, or at most -1 to go backwards"),
            (of_shape.into(), "step is 0; a step is at least 1, or at most -1 to go backwards"),
        ]);
    }

    #[test]
    fn errors_name_what_the_op_has() {
        let x = value("input", &[1, 4, 2, 3]);
        let numbers = [vec![0f32], vec![1e30], vec![3.0], vec![f32::NAN], vec![5.0]].map(Array::from);
        let [zero, huge, three, nan, five] = &numbers;
        fn range<'a>(from: &'a Array, to: &'a Array) -> Op<Value<'a>> {
            Range { start: Some(known("start", from)), ..Range::new(known("limit", to)) }.into()
        }
        let tall = &[1, 4, 6, 3];
        let unpool = |scale_h: i64| Op::from(MaxUnpool::new(value("input", tall), value("mask", tall), scale_h, 1));
        let (q, k, v) = (value("query", &[1, 12, 5, 64]), value("key", &[1, 12, 7, 64]), value("value", &[7, 3]));
        let lut = ScaleLut::new(value("input", &[3]), vec![], vec![]);
        check(&[
            (Variance::new(x, 0.0, vec![7]).into(), "reduce_list is 7; with 4 dimensions it must be from -4 to 3"),
            (
                Reshape { shapeT: Some(known("shapeT", five)), ..Reshape::new(x) }.into(),
                "shapeT is [5]; it has 5 elements; -1 in place of 5 would be 24; the input is 1x4x2x3 (24 elements)",
            ),
            (range(zero, three), ""),
            (range(three, zero), "from 3 to 0 by 1 there are no numbers; expected at least 1"),
            (range(zero, nan), "from 0 to NaN by 1 there are no numbers; expected at least 1"),
            (
                range(zero, huge),
                "from 0 to 1.0000000150474662e30 by 1 there are more than 2^50 numbers, which are not supported",
            ),
            (unpool(0), "scale_h is 0; expected at least 1"),
            (
                unpool(i64::MAX),
                "scale_h is 9223372036854775807; a dimension of 6 would grow to more than can be addressed",
            ),
            (
                ScaleDotProductAttention::new(q, value("key", &[1, 12, 7, 32]), k).into(),
                "key is 1x12x7x32; expected 1x12xNx64, where N is the number of keys",
            ),
            (
                ScaleDotProductAttention::new(q, k, v).into(),
                "value is 7x3; expected 1x12x7xN, where N is the number of elements of a value",
            ),
            (
                ShuffleChannel::new(value("input", &[3]), 1).into(),
                "input has 1 dimension; expected n x c x .., at least 2",
            ),
            (lut.into(), "input has 1 dimension; expected n x c x .., at least 2"),
        ]);
    }
}
