//! The rule of each op.
use super::{
    activation, arithmetic, attention,
    backward::{Backward, Output},
    control_flow, conv, gather, image, layout, math, matmul, norm, packed, pool, recurrent, reduce, resize, roi,
    sample, scan, select, train,
};
use crate::{
    Operator, Tensor,
    base::Result,
    ops::{Attribute, CompareMode, Op, OpDef},
};

/// Whether an op has a gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GradientSupport {
    /// It has a rule.
    Rule,
    /// Its derivative is 0 wherever it exists: a step, a comparison, an index or integers.
    Zero,
    /// It has no rule, for this reason; `Graph::gradients` refuses it.
    None(&'static str),
}

/// Expands to the ops whose derivative is 0, as a pattern for matches or as a list of names.
macro_rules! zero {
    (@pattern $($op:ident)*) => { $(Op::$op(_))|* };
    (@names $($op:ident)*) => { [$(stringify!($op)),*] };
    ($form:ident) => { zero! { @$form
        Arange BinaryConstShift BinaryShift Ceil Compare CompareConst ConstantFill DequantInt DivConst Floor LogicalAnd Lut
        NonZero PoolMask PriorBox QuantizeLinear RandnLike Range RequantFp RequantInt Round ScaleLut Shape Sign Size
    } };
}

/// Expands to the ops without a rule, as match arms' patterns with reasons or as a list.
macro_rules! without_gradient {
    (@reason $op:expr, $($name:ident: $why:literal,)*) => { match $op { $(Op::$name(_) => Some($why),)* _ => Option::None } };
    (@pattern $op:expr, $($name:ident: $why:literal,)*) => { $(Op::$name(_))|* };
    (@names $op:expr, $($name:ident: $why:literal,)*) => { [$((stringify!($name), $why)),*] };
    ($form:ident, $op:expr) => { without_gradient! { @$form $op,
        BatchNormBwd: "it is a gradient itself; build the normalization of simpler ops to differentiate it twice",
        C2CAllReduce: "it exchanges data with other chips",
        C2CBroadcast: "it exchanges data with other chips",
        Csc: "tpulang does not know what it computes",
        Custom: "tpulang does not know what it computes",
        DepackRaw: "tpulang does not know what it computes",
        DetectionOutput: "it selects boxes",
        FrcnDetection: "it selects boxes",
        LayerNormBwd: "it is a gradient itself; build the normalization of simpler ops to differentiate it twice",
        MaskRCNN_BboxPooler: "tpulang does not know what it computes",
        MaskRCNN_GetBboxB: "tpulang does not know what it computes",
        MaskRCNN_MaskPooler: "tpulang does not know what it computes",
        MaskRCNN_RPNGetBboxes: "tpulang does not know what it computes",
        Mmap2Rgbmap: "tpulang does not know what it computes",
        Nms: "it selects boxes",
        Preprocess: "it prepares images",
        Proposal: "it selects boxes",
        RetinaFaceDetection: "it selects boxes",
        Tuple: "it has several values",
        UnTuple: "it has several values",
        WeightReorder: "it orders data for a chip",
        YoloDetection: "it selects boxes",
        Yuv2rgbFormula: "it converts stored images",
    } };
}

/// Returns whether an op has a gradient.
///
/// ```
/// use tpulang::{GradientSupport, gradient_support, ops};
/// assert_eq!(gradient_support(ops::op_def("Conv")?), GradientSupport::Rule);
/// assert_eq!(gradient_support(ops::op_def("Floor")?), GradientSupport::Zero);
/// # Ok::<(), tpulang::Error>(())
/// ```
pub fn gradient_support(op: &OpDef) -> GradientSupport {
    if zero!(names).contains(&op.name) {
        return GradientSupport::Zero;
    }
    if op.structure {
        return GradientSupport::None("it computes nothing");
    }
    let all = without_gradient!(names, ());
    let found = all.into_iter().find(|(name, _)| *name == op.name);
    found.map_or(GradientSupport::Rule, |(_, why)| GradientSupport::None(why))
}

/// Gives the operands of an operator their gradients.
pub(super) fn differentiate(b: &mut Backward, operator: &Operator) -> Result<()> {
    if several(b, operator)? {
        return Ok(());
    }
    let Some(o) = b.output(operator, 0) else { return Ok(()) };
    let o = Output { y: o.y, dy: before_relu(b, operator, o)? };
    single(b, operator, o)
}

/// Returns the gradient before the relu that an op may end with.
fn before_relu(b: &mut Backward, operator: &Operator, o: Output) -> Result<Tensor> {
    let attributes = operator.op.attributes();
    match (attributes.get("do_relu"), attributes.get("relu_limit")) {
        (Some(Attribute::Bool(true)), Some(Attribute::Float(limit))) => activation::clipped_relu(b, o, *limit),
        (Some(Attribute::Bool(true)), _) => activation::clipped_relu(b, o, -1.0),
        _ => Ok(o.dy),
    }
}

/// Differentiates an op with several results or blocks. Returns whether it is one.
fn several(b: &mut Backward, operator: &Operator) -> Result<bool> {
    let outputs = b.outputs(operator);
    let present: Vec<Tensor> = operator.outputs().collect();
    match &operator.op {
        Op::Arg(op) => gather::arg(b, op, operator),
        Op::BatchNormTrain(op) => norm::batch_norm_train(b, op, &outputs),
        Op::Convbwd(op) => train::conv_bwd(b, op, operator),
        Op::FAttentionLse(op) => attention::f_attention_lse(b, op, &outputs, &present),
        Op::FlexAttention(op) => attention::flex_attention(b, op, &outputs, &present),
        Op::GRU(op) => recurrent::gru(b, op, &outputs, &operator.results),
        Op::GroupNormTrain(op) => norm::group_norm_train(b, op, &outputs),
        Op::If(op) => control_flow::branches(b, op.cond, operator),
        Op::LSTM(op) => recurrent::lstm(b, op, &outputs, &operator.results),
        Op::LayerNormTrain(op) => norm::layer_norm_train(b, op, &outputs),
        Op::Loop(_) => control_flow::loops(b, operator),
        Op::MeanRstd(op) => norm::mean_rstd(b, op, &outputs),
        Op::MeshGrid(op) => layout::mesh_grid(b, op, operator),
        Op::Sort(op) => gather::sort(b, op, operator),
        Op::Split(op) => layout::split(b, op, operator),
        Op::TopK(op) => gather::top_k(b, op, operator),
        Op::Unpack(op) => layout::unpack(b, op, operator),
        _ => return Ok(false),
    }
    .map(|()| true)
}

/// Differentiates an op with one result.
fn single(b: &mut Backward, operator: &Operator, o: Output) -> Result<()> {
    match &operator.op {
        Op::A16Gather(op) => packed::a16_gather(b, op, o),
        Op::A16MatMul(op) => packed::a16_matmul(b, op, o),
        Op::Abs(op) => activation::abs(b, op.input, o),
        Op::AdaptiveAvgPool(op) => pool::adaptive_avg_pool(b, op, o),
        Op::Add(op) => arithmetic::add(b, op, o),
        Op::AddConst(op) => b.give(op.input, o.dy),
        Op::Arccos(op) => math::by_slope(b, op.input, o, math::arccos),
        Op::Arctanh(op) => math::by_slope(b, op.input, o, math::arctanh),
        Op::Attention(op) => attention::attention(b, op, o),
        Op::AvgPool(op) => pool::avg_pool(b, op, o),
        Op::BatchNorm(op) => norm::batch_norm(b, op, o),
        Op::Cast(op) => b.give(op.input, o.dy),
        Op::ChunkGatedDeltaRule(op) => scan::gated_delta_rule(b, &op.as_ref().into(), o),
        Op::Clip(op) => math::clip(b, op, o),
        Op::Concat(op) => layout::concat(b, op, o),
        Op::ConcatSlice(op) => layout::concat_slice(b, op, o),
        Op::ConcatVolume(op) => layout::concat_volume(b, op, o),
        Op::Conv(op) => conv::conv(b, op, o),
        Op::ConvBwd_Weight(op) => train::conv_bwd_weight(b, op, o),
        Op::Copy(op) => b.give(op.input, o.dy),
        Op::Correlation(op) => layout::correlation(b, op, o),
        Op::Cos(op) => math::by_slope(b, op.input, o, math::cos),
        Op::Cosh(op) => math::by_slope(b, op.input, o, math::cosh),
        Op::CumSum(op) => reduce::cum_sum(b, op, o),
        Op::Deconv(op) => conv::deconv(b, op, o),
        Op::DeformConv2D(op) => sample::deform_conv2d(b, op, o),
        Op::Depth2Space(op) => layout::depth2space(b, op, o),
        Op::DequantizeLinear(op) => b.give(op.input, o.dy),
        Op::Div(op) => arithmetic::div(b, op, o),
        Op::DtypeCast(op) => b.give(op.input, o.dy),
        Op::Einsum(op) => matmul::einsum(b, op, o),
        Op::Elu(op) => activation::elu(b, op, o),
        Op::EmbDenseBwd(op) => gather::emb_dense_bwd(b, op.grad_output, op.indices, o),
        Op::Erf(op) => math::by_slope(b, op.input, o, math::erf),
        Op::Exp(op) => math::by_slope(b, op.input, o, |_, _, y| Ok(y)),
        Op::Expand(op) => b.give(op.input, o.dy),
        Op::FAttention(op) => attention::f_attention(b, op, o),
        Op::Flatten(op) => layout::reshaped(b, op.input, o),
        Op::Fp8MatMul(op) => packed::fp8_matmul(b, op, o),
        Op::GELU(op) => activation::gelu(b, op, o),
        Op::Gather(op) => gather::gather(b, op, o),
        Op::GatherElements(op) => gather::gather_elements(b, op, o),
        Op::GatherND(op) => gather::gather_nd(b, op, o),
        Op::GridSampler(op) => sample::grid_sampler(b, op, o),
        Op::GroupNorm(op) => norm::group_norm(b, op, o),
        Op::HardSigmoid(op) => activation::hard_sigmoid(b, op, o),
        Op::HardSwish(op) => activation::hard_swish(b, op.input, o),
        Op::IndexPut(op) => gather::index_put(b, op, o),
        Op::Insert(op) => gather::insert(b, op, o),
        Op::InstanceNorm(op) => norm::instance_norm(b, op, o),
        Op::Interp(op) => resize::interp(b, op, o),
        Op::LRN(op) => norm::lrn(b, op, o),
        Op::LayerNorm(op) => norm::layer_norm(b, op, o),
        Op::LeakyRelu(op) => activation::leaky_relu(b, op, o),
        Op::List(op) => layout::list(b, &op.inputs, o),
        Op::Log(op) => math::by_slope(b, op.input, o, math::log),
        Op::LogB(op) => math::log_b(b, op, o),
        Op::MaskedFill(op) => select::masked_fill(b, op, o),
        Op::MatMul(op) => matmul::matmul(b, op, o),
        Op::MatchTemplate(op) => image::match_template(b, op, o),
        Op::Max(op) => arithmetic::extremum(b, &op.inputs, o),
        Op::MaxConst(op) => arithmetic::bound(b, op.input, CompareMode::GreaterOrEqual, op.const_val, o),
        Op::MaxPool(op) => pool::max_pool(b, op, o),
        Op::MaxPoolWithMask(op) => pool::max_pool_with_mask(b, op, o),
        Op::MaxPoolingIndicesBwd(op) => train::max_pooling_indices_bwd(b, op, o),
        Op::MaxUnpool(op) => pool::max_unpool(b, op, o),
        Op::MeanStdScale(op) => image::mean_std_scale(b, op, operator, o),
        Op::Min(op) => arithmetic::extremum(b, &op.inputs, o),
        Op::MinConst(op) => arithmetic::bound(b, op.input, CompareMode::LessOrEqual, op.const_val, o),
        Op::Mish(op) => activation::mish(b, op.input, o),
        Op::Mlp(op) => matmul::mlp(b, op, operator, o),
        Op::Mod(op) => arithmetic::remainder(b, &op.inputs, o),
        Op::Mul(op) => arithmetic::mul(b, &op.inputs, o),
        Op::MulConst(op) => arithmetic::mul_const(b, op, o),
        Op::Normalize(op) => norm::normalize(b, op, o),
        Op::PRelu(op) => activation::prelu(b, op, o),
        Op::Pack(op) => layout::pack(b, op, o),
        Op::Pad(op) => layout::pad(b, op, o),
        Op::Permute(op) => layout::permute(b, op, o),
        Op::PixelNorm(op) => norm::pixel_norm(b, op, o),
        Op::Pow(op) => math::pow(b, op, o),
        Op::Pow2(op) => math::pow2(b, op, o),
        Op::Pow3(op) => math::pow3(b, &op.inputs, o),
        Op::RMSNorm(op) => norm::rms_norm(b, op, o),
        Op::ROIPooling(op) => roi::roi_pooling(b, op, o),
        Op::Reciprocal(op) => arithmetic::reciprocal(b, op, o),
        Op::RecurrentGatedDeltaRule(op) => scan::gated_delta_rule(b, &op.as_ref().into(), o),
        Op::Reduce(op) => reduce::reduce(b, op, o),
        Op::Relu(op) => activation::relu(b, op, o),
        Op::Remainder(op) => arithmetic::remainder(b, &op.inputs, o),
        Op::Repeat(op) => layout::tiled(b, op.input, o),
        Op::Reshape(op) => layout::reshaped(b, op.input, o),
        Op::Reverse(op) => layout::reverse(b, op, o),
        Op::RoiAlign(op) => roi::roi_align(b, op, operator, o),
        Op::RoiExtractor(op) => roi::roi_extractor(b, op, operator, o),
        Op::Rope(op) => attention::rope(b, op, o),
        Op::Rsqrt(op) => math::by_slope(b, op.input, o, math::rsqrt),
        Op::Scale(op) => arithmetic::scale(b, op, o),
        Op::ScaleDotProductAttention(op) => attention::scaled_dot_product(b, op, o),
        Op::ScatterElements(op) => gather::scatter_elements(b, op, o),
        Op::ScatterND(op) => gather::scatter_nd(b, op, o),
        Op::SelectiveScan(op) => scan::selective_scan(b, op, operator, o),
        Op::ShuffleChannel(op) => layout::shuffle_channel(b, op, o),
        Op::SiLU(op) => activation::swish(b, op.input, 1.0, o),
        Op::Sigmoid(op) => activation::sigmoid(b, op, o),
        Op::Sin(op) => math::by_slope(b, op.input, o, math::sin),
        Op::Sinh(op) => math::by_slope(b, op.input, o, math::sinh),
        Op::Slice(op) => layout::slice(b, op, o),
        Op::SliceAxis(op) => layout::slice_axis(b, op, o),
        Op::Softmax(op) => activation::softmax(b, op, o),
        Op::SoftmaxBwd(op) => train::softmax_bwd(b, op, o),
        Op::Softplus(op) => activation::softplus(b, op.input, o),
        Op::Softsign(op) => activation::softsign(b, op.input, o),
        Op::Sqrt(op) => math::by_slope(b, op.input, o, math::sqrt),
        Op::Squeeze(op) => layout::reshaped(b, op.input, o),
        Op::StridedSlice(op) => layout::strided_slice(b, op, o),
        Op::Sub(op) => arithmetic::sub(b, op, o),
        Op::SubConst(op) => arithmetic::sub_const(b, op, o),
        Op::SwapChannel(op) => layout::swap_channel(b, op, o),
        Op::SwapDimInner(op) => layout::swap_dim_inner(b, op, o),
        Op::Swish(op) => activation::swish(b, op.input, op.beta, o),
        Op::Tan(op) => math::by_slope(b, op.input, o, math::tan),
        Op::Tanh(op) => activation::tanh(b, op.input, o),
        Op::Tile(op) => layout::tiled(b, op.input, o),
        Op::Transpose(op) => layout::transpose(b, op, o),
        Op::Trilu(op) => select::trilu(b, op, o),
        Op::Unsqueeze(op) => layout::reshaped(b, op.input, o),
        Op::Upsample(op) => resize::upsample(b, op, o),
        Op::Variance(op) => reduce::variance(b, op, o),
        Op::View(op) => layout::reshaped(b, op.input, o),
        Op::Where(op) => select::select(b, op, o),
        // `several` differentiates these.
        Op::Arg(_)
        | Op::BatchNormTrain(_)
        | Op::Convbwd(_)
        | Op::FAttentionLse(_)
        | Op::FlexAttention(_)
        | Op::GRU(_)
        | Op::GroupNormTrain(_)
        | Op::If(_)
        | Op::LSTM(_)
        | Op::LayerNormTrain(_)
        | Op::Loop(_)
        | Op::MeanRstd(_)
        | Op::MeshGrid(_)
        | Op::Sort(_)
        | Op::Split(_)
        | Op::TopK(_)
        | Op::Unpack(_) => Ok(()),
        zero!(pattern) => Ok(()),
        without_gradient!(pattern, ()) => {
            let why = without_gradient!(reason, &operator.op).unwrap_or_default();
            Err(b.refuse(operator, why))
        }
    }
}
