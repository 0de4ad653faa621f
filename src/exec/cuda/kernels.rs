//! The list of kernels: each op lowers to a formula or a program, or is unsupported.
use super::{
    activation, arithmetic, attention,
    builder::Builder,
    cast, compare, conv, conv_bwd, create, deform, detect, einsum, flash,
    formula::{Formula, PostOp},
    gather, image, layout, math, matmul, mean_std, mlp, norm, pool, recurrent, reduce, resize, scan, scatter, select,
    shift, sort, train,
};
use crate::{
    base::Result,
    exec::{Operand, ValueType, semantics, views::View},
    ops::Op,
};

/// How an op is lowered.
pub(super) enum Lowering<'o> {
    /// An elementwise op.
    Formula(Formula),
    /// An op with launches of its own.
    Program(Box<Build<'o>>),
    /// Runs on another backend.
    Unsupported,
}

type Build<'o> = dyn FnOnce(&mut Builder) -> Result<()> + 'o;

fn program<'o>(build: impl FnOnce(&mut Builder) -> Result<()> + 'o) -> Lowering<'o> {
    Lowering::Program(Box::new(build))
}

fn function(input: &Operand, expression: &str) -> Formula {
    Formula::function(input, expression)
}

/// Lowers an op that is a view, if the view is known in advance.
fn known_view(input: &Operand, view: Option<View>) -> Lowering<'_> {
    view.map_or(Lowering::Unsupported, |view| program(move |b| layout::copy_view(input, 0, view, b)))
}

/// Lowers an op whose first result has this type.
///
/// # Errors
/// Returns an error if an attribute is invalid.
pub(super) fn of<'o>(op: &'o Op<Operand>, result: &ValueType) -> Result<Lowering<'o>> {
    Ok(match op {
        Op::A16Gather(op) => program(move |b| gather::a16_gather(op, b)),
        Op::A16MatMul(op) => program(move |b| matmul::a16_matmul(op, b)),
        Op::Abs(op) => Lowering::Formula(function(&op.input, "fabs(x)")),
        Op::AdaptiveAvgPool(op) if conv::has_planes(&op.input) => program(move |b| pool::adaptive_avg_pool(op, b)),
        Op::Add(op) => Lowering::Formula(arithmetic::add(op)),
        Op::AddConst(op) => Lowering::Formula(arithmetic::add_const(op)),
        Op::Arange(op) => Lowering::Formula(create::range(&op.start, &op.step)),
        Op::Arccos(op) => Lowering::Formula(function(&op.input, "acos(x)")),
        Op::Arctanh(op) => Lowering::Formula(function(&op.input, "atanh(x)")),
        Op::Arg(op) => program(move |b| sort::arg(op, b)),
        Op::Attention(op) => program(move |b| flash::attention(op, b)),
        Op::AvgPool(op) if conv::has_planes(&op.input) => program(move |b| pool::avg_pool(op, b)),
        Op::BatchNorm(op) => Lowering::Formula(norm::batch_norm(op)),
        Op::BatchNormBwd(op) => program(move |b| train::batch_norm_bwd(op, b)),
        Op::BatchNormTrain(op) => program(move |b| train::batch_norm_train(op, b)),
        Op::BinaryConstShift(op) => Lowering::Formula(shift::binary_const_shift(op, result)),
        Op::BinaryShift(op) => Lowering::Formula(shift::binary_shift(op, result)),
        Op::Cast(op) => Lowering::Formula(cast::cast(op, result)),
        Op::Ceil(op) => Lowering::Formula(function(&op.input, "ceil(x)")),
        Op::ChunkGatedDeltaRule(op) => program(move |b| scan::chunk_gated_delta_rule(op, b)),
        Op::Clip(op) => Lowering::Formula(math::clip(op)),
        Op::Compare(op) => Lowering::Formula(compare::compare(&op.lhs, &op.rhs, op.mode)),
        Op::CompareConst(op) => Lowering::Formula(compare::compare_const(op)),
        Op::Concat(op) => program(move |b| layout::concat(op, b)),
        Op::ConcatSlice(op) => program(move |b| layout::concat_slice(op, b)),
        Op::ConcatVolume(op) => program(move |b| image::concat_volume(op, b)),
        Op::ConstantFill(op) => Lowering::Formula(create::constant_fill(op)),
        Op::Conv(op) if conv::has_planes(&op.input) => program(move |b| conv::conv(op, b)),
        Op::ConvBwd_Weight(op) => program(move |b| conv_bwd::conv_bwd_weight(op, b)),
        Op::Convbwd(op) if semantics::has_no_inserts(op) => program(move |b| conv_bwd::conv_bwd(op, b)),
        Op::Copy(op) => program(move |b| layout::reshape(&op.input, b)),
        Op::Correlation(op) => program(move |b| image::correlation(op, b)),
        Op::Cos(op) => Lowering::Formula(function(&op.input, "cos(x)")),
        Op::Cosh(op) => Lowering::Formula(function(&op.input, "cosh(x)")),
        Op::CumSum(op) => program(move |b| reduce::cum_sum(op, b)),
        Op::Deconv(op) if conv::has_planes(&op.input) => program(move |b| conv::deconv(op, b)),
        Op::DeformConv2D(op) => program(move |b| deform::deform_conv2d(op, b)),
        Op::Depth2Space(op) => {
            program(move |b| layout::copy_view(&op.input, 0, View::depth_to_space(&op.input.ty.shape, op)?, b))
        }
        Op::DequantInt(op) => Lowering::Formula(cast::dequant_int(op)),
        Op::DequantizeLinear(op) => Lowering::Formula(cast::dequantize_linear(op)),
        Op::Div(op) => Lowering::Formula(arithmetic::div(op)),
        Op::DivConst(op) => Lowering::Formula(arithmetic::div_const(op)),
        Op::DtypeCast(op) => Lowering::Formula(cast::dtype_cast(&op.input)),
        Op::Einsum(op) => program(move |b| einsum::einsum(op, b)),
        Op::Elu(op) => Lowering::Formula(activation::elu(op)),
        Op::EmbDenseBwd(op) => program(move |b| scatter::emb_dense_bwd(op, b)),
        Op::Erf(op) => Lowering::Formula(function(&op.input, "erf(x)")),
        Op::Exp(op) => Lowering::Formula(math::exp(op)),
        Op::Expand(op) => program(move |b| layout::tile(&op.input, b)),
        Op::FAttention(op) => program(move |b| flash::f_attention(op, b)),
        Op::FAttentionLse(op) => program(move |b| flash::f_attention_lse(op, b)),
        Op::Flatten(op) => program(move |b| layout::reshape(&op.input, b)),
        Op::FlexAttention(op) => program(move |b| flash::flex_attention(op, b)),
        Op::Floor(op) => Lowering::Formula(function(&op.input, "floor(x)")),
        Op::Fp8MatMul(op) => program(move |b| matmul::fp8_matmul(op, b)),
        Op::GELU(op) => Lowering::Formula(activation::gelu(op)),
        Op::GRU(op) => program(move |b| recurrent::gru(op, b)),
        Op::Gather(op) => program(move |b| gather::gather(op, b)),
        Op::GatherElements(op) => program(move |b| gather::gather_elements(op, b)),
        Op::GatherND(op) => program(move |b| gather::gather_nd(op, b)),
        Op::GridSampler(op) => program(move |b| resize::grid_sampler(op, b)),
        Op::GroupNorm(op) => program(move |b| norm::group_norm(op, b)),
        Op::GroupNormTrain(op) => program(move |b| train::group_norm_train(op, b)),
        Op::HardSigmoid(op) => Lowering::Formula(activation::hard_sigmoid(op)),
        Op::HardSwish(op) => Lowering::Formula(activation::hard_swish(&op.input)),
        Op::IndexPut(op) => program(move |b| scatter::index_put(op, b)),
        Op::Insert(op) => program(move |b| scatter::insert(op, b)),
        Op::InstanceNorm(op) => program(move |b| norm::instance_norm(op, b)),
        Op::Interp(op) => program(move |b| resize::interp(op, b)),
        Op::LRN(op) => program(move |b| norm::lrn(op, b)),
        Op::LSTM(op) => program(move |b| recurrent::lstm(op, b)),
        Op::LayerNorm(op) => program(move |b| norm::layer_norm(op, b)),
        Op::LayerNormBwd(op) => program(move |b| train::layer_norm_bwd(op, b)),
        Op::LayerNormTrain(op) => program(move |b| train::layer_norm_train(op, b)),
        Op::LeakyRelu(op) => Lowering::Formula(activation::leaky_relu(op)),
        Op::List(op) => program(move |b| layout::list(&op.inputs, b)),
        Op::Log(op) => Lowering::Formula(function(&op.input, "log(x)")),
        Op::LogB(op) => Lowering::Formula(math::log_b(op)),
        Op::LogicalAnd(op) => compare::logical_and(op).map_or(Lowering::Unsupported, Lowering::Formula),
        Op::Lut(op) => program(move |b| gather::lut(op, b)),
        Op::MaskedFill(op) => Lowering::Formula(select::masked_fill(op, result)),
        Op::MatMul(op) => program(move |b| matmul::matmul(op, b)),
        Op::MatchTemplate(op) => program(move |b| image::match_template(op, b)),
        Op::Max(op) => Lowering::Formula(arithmetic::max(&op.inputs)),
        Op::MaxConst(op) => Lowering::Formula(arithmetic::max_const(op)),
        Op::MaxPool(op) if conv::has_planes(&op.input) => program(move |b| pool::max_pool(op, b)),
        Op::MaxPoolWithMask(op) if conv::has_planes(&op.input) => program(move |b| pool::max_pool_with_mask(op, b)),
        Op::MaxPoolingIndicesBwd(op) => program(move |b| train::max_pooling_indices_bwd(op, b)),
        Op::MaxUnpool(op) => program(move |b| scatter::max_unpool(op, b)),
        Op::MeanRstd(op) => program(move |b| train::mean_rstd(op, b)),
        Op::MeanStdScale(op) => Lowering::Formula(mean_std::mean_std_scale(op, result)),
        Op::MeshGrid(op) => program(move |b| create::mesh_grid(op, b)),
        Op::Min(op) => Lowering::Formula(arithmetic::min(&op.inputs)),
        Op::MinConst(op) => Lowering::Formula(arithmetic::min_const(op)),
        Op::Mish(op) => Lowering::Formula(activation::mish(&op.input)),
        Op::Mlp(op) if !op.quantized && (!op.is_expert || op.expert_id.is_some()) => program(move |b| mlp::mlp(op, b)),
        Op::Mod(op) => Lowering::Formula(arithmetic::modulo(&op.inputs)),
        Op::Mul(op) => Lowering::Formula(arithmetic::mul(op)),
        Op::MulConst(op) => Lowering::Formula(arithmetic::mul_const(op)),
        Op::Normalize(op) => program(move |b| norm::normalize(op, b)),
        Op::PRelu(op) => Lowering::Formula(activation::prelu(op)),
        Op::Pack(op) => program(move |b| layout::along(&op.inputs, op.axis, PostOp::default(), b)),
        Op::Pad(op) => program(move |b| layout::pad(op, b)),
        Op::Permute(op) => {
            program(move |b| layout::copy_view(&op.input, 0, View::in_order(&op.input.ty.shape, &op.order), b))
        }
        Op::PixelNorm(op) => program(move |b| norm::pixel_norm(op, b)),
        Op::PoolMask(op) => program(move |b| pool::pool_mask(op, b)),
        Op::Pow(op) => Lowering::Formula(math::pow(op)),
        Op::Pow2(op) => Lowering::Formula(math::pow2(op)),
        Op::Pow3(op) => Lowering::Formula(arithmetic::pow3(&op.inputs)),
        Op::PriorBox(op) => program(move |b| detect::prior_box(op, b)),
        Op::QuantizeLinear(op) => Lowering::Formula(cast::quantize_linear(op)),
        Op::RMSNorm(op) => program(move |b| norm::rms_norm(op, b)),
        Op::ROIPooling(op) => program(move |b| detect::roi_pooling(op, b)),
        Op::Range(op) => Lowering::Formula(create::range(&op.start, &op.delta)),
        Op::Reciprocal(op) => Lowering::Formula(arithmetic::reciprocal(op)),
        Op::RecurrentGatedDeltaRule(op) => program(move |b| scan::recurrent_gated_delta_rule(op, b)),
        Op::Reduce(op) => program(move |b| reduce::reduce(op, b)),
        Op::Relu(op) => Lowering::Formula(activation::relu(op)),
        Op::Remainder(op) => Lowering::Formula(arithmetic::remainder(&op.inputs)),
        Op::Repeat(op) => program(move |b| layout::tile(&op.input, b)),
        Op::RequantFp(op) => cast::requant_fp(op, result).map_or(Lowering::Unsupported, Lowering::Formula),
        Op::RequantInt(op) => cast::requant_int(op, result).map_or(Lowering::Unsupported, Lowering::Formula),
        Op::Reshape(op) => program(move |b| layout::reshape(&op.input, b)),
        Op::Reverse(op) => {
            program(move |b| layout::copy_view(&op.input, 0, View::reversed(&op.input.ty.shape, op.axis), b))
        }
        Op::RoiAlign(op) => program(move |b| detect::roi_align(op, b)),
        Op::RoiExtractor(op) => program(move |b| detect::roi_extractor(op, b)),
        Op::Rope(op) => program(move |b| attention::rope(op, b)),
        Op::Round(op) => Lowering::Formula(function(&op.input, "rounded(x, AWAY_FROM_ZERO)")),
        Op::Rsqrt(op) => Lowering::Formula(math::rsqrt(op)),
        Op::Scale(op) => Lowering::Formula(norm::scale(op)),
        Op::ScaleDotProductAttention(op) => program(move |b| attention::scaled_dot_product(op, b)),
        Op::ScaleLut(op) => Lowering::Formula(image::scale_lut(op)),
        Op::ScatterElements(op) => program(move |b| scatter::scatter_elements(op, b)),
        Op::ScatterND(op) => program(move |b| scatter::scatter_nd(op, b)),
        Op::SelectiveScan(op) => {
            semantics::scanned(op).map_or(Lowering::Unsupported, |s| program(move |b| scan::selective_scan(op, s, b)))
        }
        Op::Shape(op) => Lowering::Formula(create::shape(op)?),
        Op::ShuffleChannel(op) => {
            program(move |b| layout::copy_view(&op.input, 0, View::shuffled(&op.input.ty.shape, op.group as usize), b))
        }
        Op::SiLU(op) => Lowering::Formula(activation::silu(&op.input)),
        Op::Sigmoid(op) => Lowering::Formula(activation::sigmoid(op)),
        Op::Sign(op) => Lowering::Formula(function(&op.input, "(R)((x > 0) - (x < 0))")),
        Op::Sin(op) => Lowering::Formula(function(&op.input, "sin(x)")),
        Op::Sinh(op) => Lowering::Formula(function(&op.input, "sinh(x)")),
        Op::Size(op) => Lowering::Formula(create::size(op, result)),
        Op::Slice(op) => program(move |b| layout::slice(op, b)),
        Op::SliceAxis(op) => known_view(&op.input, layout::slice_axis(op)?),
        Op::Softmax(op) => program(move |b| activation::softmax(op, b)),
        Op::SoftmaxBwd(op) => program(move |b| train::softmax_bwd(op, b)),
        Op::Softplus(op) => Lowering::Formula(activation::softplus(&op.input)),
        Op::Softsign(op) => Lowering::Formula(activation::softsign(&op.input)),
        Op::Sort(op) => program(move |b| sort::sort(op, b)),
        Op::Split(op) => program(move |b| layout::split(op, b)),
        Op::Sqrt(op) => Lowering::Formula(function(&op.input, "sqrt(x)")),
        Op::Squeeze(op) => program(move |b| layout::reshape(&op.input, b)),
        Op::StridedSlice(op) => known_view(&op.input, layout::strided_slice(op)?),
        Op::Sub(op) => Lowering::Formula(arithmetic::sub(op)),
        Op::SubConst(op) => Lowering::Formula(arithmetic::sub_const(op)),
        Op::SwapChannel(op) => program(move |b| layout::swap_channel(op, b)),
        Op::SwapDimInner(op) => program(move |b| layout::swap_dim_inner(op, b)),
        Op::Swish(op) => Lowering::Formula(activation::swish(op)),
        Op::Tan(op) => Lowering::Formula(function(&op.input, "tan(x)")),
        Op::Tanh(op) => Lowering::Formula(activation::tanh(op)),
        Op::Tile(op) => program(move |b| layout::tile(&op.input, b)),
        Op::TopK(op) => program(move |b| sort::top_k(op, b)),
        Op::Transpose(op) => program(move |b| {
            layout::copy_view(&op.input, 0, View::transposed(&op.input.ty.shape, [op.dim0, op.dim1]), b)
        }),
        Op::Trilu(op) => Lowering::Formula(select::trilu(op, result)),
        Op::Unpack(op) => program(move |b| layout::unpack(op, b)),
        Op::Unsqueeze(op) => program(move |b| layout::reshape(&op.input, b)),
        Op::Upsample(op) => program(move |b| layout::upsample(op, b)),
        Op::Variance(op) => program(move |b| reduce::variance(op, b)),
        Op::View(op) => program(move |b| layout::reshape(&op.input, b)),
        Op::Where(op) => Lowering::Formula(select::select(op, result)),
        Op::Yuv2rgbFormula(op) => program(move |b| image::yuv2rgb(op, b)),
        Op::DetectionOutput(_)
        | Op::FrcnDetection(_)
        | Op::Nms(_)
        | Op::NonZero(_)
        | Op::Proposal(_)
        | Op::YoloDetection(_) => Lowering::Unsupported,
        // Inserted elements are undefined.
        Op::Convbwd(_) => Lowering::Unsupported,
        // Packed weights, and experts whose indices are known only on the device.
        Op::Mlp(_) => Lowering::Unsupported,
        // More spatial axes than the kernels support.
        Op::AdaptiveAvgPool(_)
        | Op::AvgPool(_)
        | Op::Conv(_)
        | Op::Deconv(_)
        | Op::MaxPool(_)
        | Op::MaxPoolWithMask(_) => Lowering::Unsupported,
        tpulang_ops::without_rule!(pattern) => Lowering::Unsupported,
    })
}
