//! The list of type rules: one an op, or none.
use super::{
    Inferred, Op, OpDef, Value, activation, arithmetic, attention, cast, compare, conv, create, detect, einsum, gather,
    image, layout, math, matmul, mean_std, norm, pool, recurrent, reduce, resize, scatter, select, shift, shuffle,
    slice, sort, tile,
};
use crate::base::Result;

/// The ops that have no type rule yet, and so no kernel: as a pattern, or as names. For matches that shall have no
/// wildcard.
#[doc(hidden)]
#[macro_export]
macro_rules! without_rule {
    (@pattern $first:ident $($op:ident)*) => { $crate::ops::Op::$first(_) $(| $crate::ops::Op::$op(_))* };
    (@names $($op:ident)*) => { [$(stringify!($op)),*] };
    ($form:ident) => { $crate::without_rule! { @$form
        Attention BatchNormBwd BatchNormTrain C2CAllReduce C2CBroadcast ChunkGatedDeltaRule ConcatSlice ConcatVolume
        ConvBwd_Weight Convbwd Csc Custom DepackRaw DetectionOutput EmbDenseBwd FAttention FAttentionLse FlexAttention
        FrcnDetection GroupNormTrain If LayerNormBwd LayerNormTrain Loop MaskRCNN_BboxPooler MaskRCNN_GetBboxB
        MaskRCNN_MaskPooler MaskRCNN_RPNGetBboxes MatchTemplate MaxPoolingIndicesBwd MeanRstd Mlp Mmap2Rgbmap
        Preprocess PriorBox Proposal RandnLike RecurrentGatedDeltaRule RetinaFaceDetection ScaleLut SelectiveScan
        SoftmaxBwd Tuple UnTuple WeightReorder YoloDetection
    } };
}

impl OpDef {
    /// Whether there is a type rule for it, and a kernel on the CPU. Types of other ops are given by whoever inserts them.
    pub fn is_computed(&self) -> bool {
        !self.structure && !without_rule!(names).contains(&self.name)
    }
}

/// The types of an operator's results; none for an op without a rule, whose types are given by whoever inserts it.
///
/// # Errors
/// Operands and attributes do not fit together.
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
        Op::AvgPool(op) => pool::avg_pool(op),
        Op::BatchNorm(op) => norm::batch_norm(op),
        Op::BinaryConstShift(op) => shift::binary_const_shift(op),
        Op::BinaryShift(op) => shift::binary_shift(op),
        Op::Cast(op) => cast::cast(op),
        Op::Ceil(op) => math::unary(&op.input),
        Op::Clip(op) => math::clip(op),
        Op::Compare(op) => compare::compare(op),
        Op::CompareConst(op) => compare::compare_const(op),
        Op::Concat(op) => layout::concat(op),
        Op::ConstantFill(op) => create::constant_fill(op),
        Op::Conv(op) => conv::conv(op),
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
        Op::Div(op) => arithmetic::div(op),
        Op::DivConst(op) => arithmetic::constant(&op.input),
        Op::DtypeCast(op) => cast::dtype_cast(op),
        Op::Einsum(op) => einsum::einsum(op),
        Op::Elu(op) => activation::unary(&op.input),
        Op::Erf(op) => math::unary(&op.input),
        Op::Exp(op) => math::unary(&op.input),
        Op::Expand(op) => tile::expand(op),
        Op::Flatten(op) => layout::flatten(op),
        Op::Floor(op) => math::unary(&op.input),
        Op::Fp8MatMul(op) => matmul::fp8_matmul(op),
        Op::GELU(op) => activation::gelu(op),
        Op::GRU(op) => recurrent::gru(op),
        Op::Gather(op) => gather::gather(op),
        Op::GatherElements(op) => gather::gather_elements(op),
        Op::GatherND(op) => gather::gather_nd(op),
        Op::GridSampler(op) => resize::grid_sampler(op),
        Op::GroupNorm(op) => norm::group_norm(op),
        Op::HardSigmoid(op) => activation::unary(&op.input),
        Op::HardSwish(op) => activation::unary(&op.input),
        Op::IndexPut(op) => scatter::index_put(op),
        Op::Insert(op) => scatter::insert(op),
        Op::InstanceNorm(op) => norm::instance_norm(op),
        Op::Interp(op) => resize::interp(op),
        Op::LRN(op) => norm::lrn(op),
        Op::LSTM(op) => recurrent::lstm(op),
        Op::LayerNorm(op) => norm::layer_norm(op),
        Op::LeakyRelu(op) => activation::leaky_relu(op),
        Op::List(op) => layout::list(op),
        Op::Log(op) => math::unary(&op.input),
        Op::LogB(op) => math::log_b(op),
        Op::LogicalAnd(op) => compare::logical_and(op),
        Op::Lut(op) => gather::lut(op),
        Op::MaskedFill(op) => select::masked_fill(op),
        Op::MatMul(op) => matmul::matmul(op),
        Op::Max(op) => arithmetic::max(op),
        Op::MaxConst(op) => arithmetic::constant(&op.input),
        Op::MaxPool(op) => pool::max_pool(op),
        Op::MaxPoolWithMask(op) => pool::max_pool_with_mask(op),
        Op::MaxUnpool(op) => pool::max_unpool(op),
        Op::MeanStdScale(op) => mean_std::mean_std_scale(op),
        Op::MeshGrid(op) => create::mesh_grid(op),
        Op::Min(op) => arithmetic::min(op),
        Op::MinConst(op) => arithmetic::constant(&op.input),
        Op::Mish(op) => activation::unary(&op.input),
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
        Op::QuantizeLinear(op) => cast::quantize_linear(op),
        Op::RMSNorm(op) => norm::rms_norm(op),
        Op::ROIPooling(op) => detect::roi_pooling(op),
        Op::Range(op) => create::range(op),
        Op::Reciprocal(op) => arithmetic::constant(&op.input),
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
        Op::ScatterElements(op) => scatter::scatter_elements(op),
        Op::ScatterND(op) => scatter::scatter_nd(op),
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
        Op::Yuv2rgbFormula(op) => image::yuv2rgb(op),
        without_rule!(pattern) => return Ok(None),
    }
    .map(Some)
}
