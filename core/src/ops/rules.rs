//! The list of type rules: one an op, or none.
use super::{
    Inferred, Op, OpDef, Value, activation, arithmetic, cast, compare, conv, create, gather, layout, matmul, norm,
    pool, reduce, scatter, select, shuffle, slice, sort, tile,
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
        A16MatMul AdaptiveAvgPool Arccos Arctanh Attention BatchNormBwd BatchNormTrain
        BinaryConstShift BinaryShift C2CAllReduce C2CBroadcast Ceil ChunkGatedDeltaRule Clip ConcatSlice
        ConcatVolume ConvBwd_Weight Convbwd Copy Correlation Cos Cosh Csc CumSum Custom Deconv
        DeformConv2D DepackRaw DequantInt DequantizeLinear DetectionOutput DivConst DtypeCast Einsum Elu
        EmbDenseBwd Erf Exp FAttention FAttentionLse FlexAttention Floor Fp8MatMul FrcnDetection GRU
        GridSampler GroupNorm GroupNormTrain HardSigmoid HardSwish If
        InstanceNorm Interp LRN LSTM LayerNormBwd LayerNormTrain Log LogB LogicalAnd Loop Lut
        MaskRCNN_BboxPooler MaskRCNN_GetBboxB MaskRCNN_MaskPooler MaskRCNN_RPNGetBboxes MatchTemplate
        MaxPoolWithMask MaxPoolingIndicesBwd MaxUnpool MeanRstd MeanStdScale Mish Mlp Mmap2Rgbmap Mod Nms
        Normalize PRelu PixelNorm PoolMask Pow Pow2 Pow3 Preprocess PriorBox Proposal QuantizeLinear
        RMSNorm ROIPooling RandnLike Reciprocal RecurrentGatedDeltaRule Remainder RequantFp
        RetinaFaceDetection RoiAlign RoiExtractor Rope Round Rsqrt ScaleDotProductAttention ScaleLut
        SelectiveScan SiLU Sign Sin Sinh SoftmaxBwd
        Softplus Softsign Sqrt Swish Tan Tuple
        UnTuple Variance WeightReorder Yield YoloDetection Yuv2rgbFormula
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
        Op::Abs(op) => activation::abs(op),
        Op::Add(op) => arithmetic::add(op),
        Op::AddConst(op) => arithmetic::constant(&op.input),
        Op::Arange(op) => create::arange(op),
        Op::Arg(op) => sort::arg(op),
        Op::AvgPool(op) => pool::avg_pool(op),
        Op::BatchNorm(op) => norm::batch_norm(op),
        Op::Cast(op) => cast::cast(op),
        Op::Compare(op) => compare::compare(op),
        Op::CompareConst(op) => compare::compare_const(op),
        Op::Concat(op) => layout::concat(op),
        Op::ConstantFill(op) => create::constant_fill(op),
        Op::Conv(op) => conv::conv(op),
        Op::Depth2Space(op) => shuffle::depth2space(op),
        Op::Div(op) => arithmetic::div(op),
        Op::Expand(op) => tile::expand(op),
        Op::Flatten(op) => layout::flatten(op),
        Op::GELU(op) => activation::gelu(op),
        Op::Gather(op) => gather::gather(op),
        Op::GatherElements(op) => gather::gather_elements(op),
        Op::GatherND(op) => gather::gather_nd(op),
        Op::IndexPut(op) => scatter::index_put(op),
        Op::Insert(op) => scatter::insert(op),
        Op::LayerNorm(op) => norm::layer_norm(op),
        Op::LeakyRelu(op) => activation::leaky_relu(op),
        Op::List(op) => layout::list(op),
        Op::MaskedFill(op) => select::masked_fill(op),
        Op::MatMul(op) => matmul::matmul(op),
        Op::Max(op) => arithmetic::max(op),
        Op::MaxConst(op) => arithmetic::constant(&op.input),
        Op::MaxPool(op) => pool::max_pool(op),
        Op::MeshGrid(op) => create::mesh_grid(op),
        Op::Min(op) => arithmetic::min(op),
        Op::MinConst(op) => arithmetic::constant(&op.input),
        Op::Mul(op) => arithmetic::mul(op),
        Op::MulConst(op) => arithmetic::constant(&op.input),
        Op::NonZero(op) => select::non_zero(op),
        Op::Pack(op) => layout::pack(op),
        Op::Pad(op) => layout::pad(op),
        Op::Permute(op) => layout::permute(op),
        Op::Range(op) => create::range(op),
        Op::Reduce(op) => reduce::reduce(op),
        Op::Relu(op) => activation::relu(op),
        Op::Repeat(op) => tile::repeat(op),
        Op::RequantInt(op) => cast::requant_int(op),
        Op::Reshape(op) => layout::reshape(op),
        Op::Reverse(op) => shuffle::reverse(op),
        Op::Scale(op) => norm::scale(op),
        Op::ScatterElements(op) => scatter::scatter_elements(op),
        Op::ScatterND(op) => scatter::scatter_nd(op),
        Op::Shape(op) => create::shape(op),
        Op::ShuffleChannel(op) => shuffle::shuffle_channel(op),
        Op::Sigmoid(op) => activation::sigmoid(op),
        Op::Size(op) => create::size(op),
        Op::Slice(op) => slice::slice(op),
        Op::SliceAxis(op) => slice::slice_axis(op),
        Op::Softmax(op) => activation::softmax(op),
        Op::Sort(op) => sort::sort(op),
        Op::Split(op) => layout::split(op),
        Op::Squeeze(op) => layout::squeeze(op),
        Op::StridedSlice(op) => slice::strided_slice(op),
        Op::Sub(op) => arithmetic::sub(op),
        Op::SubConst(op) => arithmetic::constant(&op.input),
        Op::SwapChannel(op) => shuffle::swap_channel(op),
        Op::SwapDimInner(op) => shuffle::swap_dim_inner(op),
        Op::Tanh(op) => activation::tanh(op),
        Op::Tile(op) => tile::tile(op),
        Op::TopK(op) => sort::top_k(op),
        Op::Transpose(op) => layout::transpose(op),
        Op::Trilu(op) => select::trilu(op),
        Op::Unpack(op) => layout::unpack(op),
        Op::Unsqueeze(op) => layout::unsqueeze(op),
        Op::Upsample(op) => tile::upsample(op),
        Op::View(op) => layout::view(op),
        Op::Where(op) => select::select(op),
        without_rule!(pattern) => return Ok(None),
    }
    .map(Some)
}
