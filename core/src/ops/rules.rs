//! The list of type rules: one an op, or none.
use super::{
    Inferred, Op, OpDef, Value, activation, arithmetic, attention, cast, compare, conv, detect, gather, image, layout,
    matmul, norm, pool, reduce, resize, select, sort,
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
        A16Gather A16MatMul AdaptiveAvgPool Arange Arccos Arctanh Arg Attention BatchNormBwd BatchNormTrain
        BinaryConstShift BinaryShift C2CAllReduce C2CBroadcast Ceil ChunkGatedDeltaRule Clip ConcatSlice
        ConcatVolume ConstantFill ConvBwd_Weight Convbwd Copy Cos Cosh Csc CumSum Custom Deconv
        DeformConv2D DepackRaw Depth2Space DequantInt DequantizeLinear DetectionOutput DivConst DtypeCast Einsum Elu
        EmbDenseBwd Erf Exp Expand FAttention FAttentionLse Flatten FlexAttention Floor Fp8MatMul FrcnDetection GRU
        GatherElements GatherND GroupNorm GroupNormTrain HardSigmoid HardSwish If IndexPut Insert
        InstanceNorm LRN LSTM LayerNormBwd LayerNormTrain List Log LogB LogicalAnd Loop Lut
        MaskRCNN_BboxPooler MaskRCNN_GetBboxB MaskRCNN_MaskPooler MaskRCNN_RPNGetBboxes MaskedFill MatchTemplate
        MaxPoolWithMask MaxPoolingIndicesBwd MaxUnpool MeanRstd MeanStdScale MeshGrid Mish Mlp Mmap2Rgbmap Mod
        NonZero Normalize PRelu Pack PixelNorm PoolMask Pow Pow2 Pow3 Preprocess PriorBox Proposal QuantizeLinear
        RMSNorm RandnLike Range Reciprocal RecurrentGatedDeltaRule Remainder Repeat RequantFp
        RetinaFaceDetection Reverse Round Rsqrt ScaleLut
        ScatterElements ScatterND SelectiveScan Shape ShuffleChannel SiLU Sign Sin Sinh Size SliceAxis SoftmaxBwd
        Softplus Softsign Sort Sqrt StridedSlice SwapChannel SwapDimInner Swish Tan Tile Transpose Trilu Tuple
        UnTuple Unpack Upsample Variance View WeightReorder Yield YoloDetection
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
        Op::Abs(op) => activation::abs(op),
        Op::Add(op) => arithmetic::add(op),
        Op::AddConst(op) => arithmetic::constant(&op.input),
        Op::AvgPool(op) => pool::avg_pool(op),
        Op::BatchNorm(op) => norm::batch_norm(op),
        Op::Cast(op) => cast::cast(op),
        Op::Compare(op) => compare::compare(op),
        Op::CompareConst(op) => compare::compare_const(op),
        Op::Concat(op) => layout::concat(op),
        Op::Conv(op) => conv::conv(op),
        Op::Correlation(op) => image::correlation(op),
        Op::Div(op) => arithmetic::div(op),
        Op::GELU(op) => activation::gelu(op),
        Op::Gather(op) => gather::gather(op),
        Op::GridSampler(op) => resize::grid_sampler(op),
        Op::Interp(op) => resize::interp(op),
        Op::LayerNorm(op) => norm::layer_norm(op),
        Op::LeakyRelu(op) => activation::leaky_relu(op),
        Op::MatMul(op) => matmul::matmul(op),
        Op::Max(op) => arithmetic::max(op),
        Op::MaxConst(op) => arithmetic::constant(&op.input),
        Op::MaxPool(op) => pool::max_pool(op),
        Op::Min(op) => arithmetic::min(op),
        Op::MinConst(op) => arithmetic::constant(&op.input),
        Op::Mul(op) => arithmetic::mul(op),
        Op::MulConst(op) => arithmetic::constant(&op.input),
        Op::Nms(op) => detect::nms(op),
        Op::Pad(op) => layout::pad(op),
        Op::Permute(op) => layout::permute(op),
        Op::ROIPooling(op) => detect::roi_pooling(op),
        Op::Reduce(op) => reduce::reduce(op),
        Op::Relu(op) => activation::relu(op),
        Op::RequantInt(op) => cast::requant_int(op),
        Op::Reshape(op) => layout::reshape(op),
        Op::RoiAlign(op) => detect::roi_align(op),
        Op::RoiExtractor(op) => detect::roi_extractor(op),
        Op::Rope(op) => attention::rope(op),
        Op::Scale(op) => norm::scale(op),
        Op::ScaleDotProductAttention(op) => attention::scaled_dot_product(op),
        Op::Sigmoid(op) => activation::sigmoid(op),
        Op::Slice(op) => layout::slice(op),
        Op::Softmax(op) => activation::softmax(op),
        Op::Split(op) => layout::split(op),
        Op::Squeeze(op) => layout::squeeze(op),
        Op::Sub(op) => arithmetic::sub(op),
        Op::SubConst(op) => arithmetic::constant(&op.input),
        Op::Tanh(op) => activation::tanh(op),
        Op::TopK(op) => sort::top_k(op),
        Op::Unsqueeze(op) => layout::unsqueeze(op),
        Op::Where(op) => select::select(op),
        Op::Yuv2rgbFormula(op) => image::yuv2rgb(op),
        without_rule!(pattern) => return Ok(None),
    }
    .map(Some)
}
