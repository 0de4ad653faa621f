//! The list of type rules: one an op, or none.
use super::{
    Inferred, Op, Value, activation, arithmetic, cast, compare, conv, gather, layout, matmul, norm, pool, reduce,
    select,
};
use crate::base::Result;

/// The types of an operator's results; none for an op without a rule, whose types are given by whoever inserts it.
///
/// # Errors
/// Operands and attributes do not fit together.
pub(crate) fn infer(op: &Op<Value>) -> Result<Option<Vec<Inferred>>> {
    match op {
        Op::Add(op) => arithmetic::add(op),
        Op::AddConst(op) => arithmetic::constant(&op.input),
        Op::AvgPool(op) => pool::avg_pool(op),
        Op::BatchNorm(op) => norm::batch_norm(op),
        Op::Cast(op) => cast::cast(op),
        Op::Compare(op) => compare::compare(op),
        Op::CompareConst(op) => compare::compare_const(op),
        Op::Concat(op) => layout::concat(op),
        Op::Conv(op) => conv::conv(op),
        Op::Div(op) => arithmetic::div(op),
        Op::GELU(op) => activation::gelu(op),
        Op::Gather(op) => gather::gather(op),
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
        Op::Permute(op) => layout::permute(op),
        Op::Reduce(op) => reduce::reduce(op),
        Op::Relu(op) => activation::relu(op),
        Op::RequantInt(op) => cast::requant_int(op),
        Op::Reshape(op) => layout::reshape(op),
        Op::Scale(op) => norm::scale(op),
        Op::Sigmoid(op) => activation::sigmoid(op),
        Op::Slice(op) => layout::slice(op),
        Op::Softmax(op) => activation::softmax(op),
        Op::Split(op) => layout::split(op),
        Op::Squeeze(op) => layout::squeeze(op),
        Op::Sub(op) => arithmetic::sub(op),
        Op::SubConst(op) => arithmetic::constant(&op.input),
        Op::Tanh(op) => activation::tanh(op),
        Op::Unsqueeze(op) => layout::unsqueeze(op),
        Op::Where(op) => select::select(op),
        // No rule yet: whoever inserts them gives the types.
        Op::A16Gather(_)
        | Op::A16MatMul(_)
        | Op::Abs(_)
        | Op::AdaptiveAvgPool(_)
        | Op::Arange(_)
        | Op::Arccos(_)
        | Op::Arctanh(_)
        | Op::Arg(_)
        | Op::Attention(_)
        | Op::BatchNormBwd(_)
        | Op::BatchNormTrain(_)
        | Op::BinaryConstShift(_)
        | Op::BinaryShift(_)
        | Op::C2CAllReduce(_)
        | Op::C2CBroadcast(_)
        | Op::Ceil(_)
        | Op::ChunkGatedDeltaRule(_)
        | Op::Clip(_)
        | Op::ConcatSlice(_)
        | Op::ConcatVolume(_)
        | Op::ConstantFill(_)
        | Op::ConvBwd_Weight(_)
        | Op::Convbwd(_)
        | Op::Copy(_)
        | Op::Correlation(_)
        | Op::Cos(_)
        | Op::Cosh(_)
        | Op::Csc(_)
        | Op::CumSum(_)
        | Op::Custom(_)
        | Op::Deconv(_)
        | Op::DeformConv2D(_)
        | Op::DepackRaw(_)
        | Op::Depth2Space(_)
        | Op::DequantInt(_)
        | Op::DequantizeLinear(_)
        | Op::DetectionOutput(_)
        | Op::DivConst(_)
        | Op::DtypeCast(_)
        | Op::Einsum(_)
        | Op::Elu(_)
        | Op::EmbDenseBwd(_)
        | Op::Erf(_)
        | Op::Exp(_)
        | Op::Expand(_)
        | Op::FAttention(_)
        | Op::FAttentionLse(_)
        | Op::Flatten(_)
        | Op::FlexAttention(_)
        | Op::Floor(_)
        | Op::Fp8MatMul(_)
        | Op::FrcnDetection(_)
        | Op::GRU(_)
        | Op::GatherElements(_)
        | Op::GatherND(_)
        | Op::GridSampler(_)
        | Op::GroupNorm(_)
        | Op::GroupNormTrain(_)
        | Op::HardSigmoid(_)
        | Op::HardSwish(_)
        | Op::If(_)
        | Op::IndexPut(_)
        | Op::Insert(_)
        | Op::InstanceNorm(_)
        | Op::Interp(_)
        | Op::LRN(_)
        | Op::LSTM(_)
        | Op::LayerNormBwd(_)
        | Op::LayerNormTrain(_)
        | Op::List(_)
        | Op::Log(_)
        | Op::LogB(_)
        | Op::LogicalAnd(_)
        | Op::Loop(_)
        | Op::Lut(_)
        | Op::MaskRCNN_BboxPooler(_)
        | Op::MaskRCNN_GetBboxB(_)
        | Op::MaskRCNN_MaskPooler(_)
        | Op::MaskRCNN_RPNGetBboxes(_)
        | Op::MaskedFill(_)
        | Op::MatchTemplate(_)
        | Op::MaxPoolWithMask(_)
        | Op::MaxPoolingIndicesBwd(_)
        | Op::MaxUnpool(_)
        | Op::MeanRstd(_)
        | Op::MeanStdScale(_)
        | Op::MeshGrid(_)
        | Op::Mish(_)
        | Op::Mlp(_)
        | Op::Mmap2Rgbmap(_)
        | Op::Mod(_)
        | Op::Nms(_)
        | Op::NonZero(_)
        | Op::Normalize(_)
        | Op::PRelu(_)
        | Op::Pack(_)
        | Op::Pad(_)
        | Op::PixelNorm(_)
        | Op::PoolMask(_)
        | Op::Pow(_)
        | Op::Pow2(_)
        | Op::Pow3(_)
        | Op::Preprocess(_)
        | Op::PriorBox(_)
        | Op::Proposal(_)
        | Op::QuantizeLinear(_)
        | Op::RMSNorm(_)
        | Op::ROIPooling(_)
        | Op::RandnLike(_)
        | Op::Range(_)
        | Op::Reciprocal(_)
        | Op::RecurrentGatedDeltaRule(_)
        | Op::Remainder(_)
        | Op::Repeat(_)
        | Op::RequantFp(_)
        | Op::RetinaFaceDetection(_)
        | Op::Reverse(_)
        | Op::RoiAlign(_)
        | Op::RoiExtractor(_)
        | Op::Rope(_)
        | Op::Round(_)
        | Op::Rsqrt(_)
        | Op::ScaleDotProductAttention(_)
        | Op::ScaleLut(_)
        | Op::ScatterElements(_)
        | Op::ScatterND(_)
        | Op::SelectiveScan(_)
        | Op::Shape(_)
        | Op::ShuffleChannel(_)
        | Op::SiLU(_)
        | Op::Sign(_)
        | Op::Sin(_)
        | Op::Sinh(_)
        | Op::Size(_)
        | Op::SliceAxis(_)
        | Op::SoftmaxBwd(_)
        | Op::Softplus(_)
        | Op::Softsign(_)
        | Op::Sort(_)
        | Op::Sqrt(_)
        | Op::StridedSlice(_)
        | Op::SwapChannel(_)
        | Op::SwapDimInner(_)
        | Op::Swish(_)
        | Op::Tan(_)
        | Op::Tile(_)
        | Op::TopK(_)
        | Op::Transpose(_)
        | Op::Trilu(_)
        | Op::Tuple(_)
        | Op::UnTuple(_)
        | Op::Unpack(_)
        | Op::Upsample(_)
        | Op::Variance(_)
        | Op::View(_)
        | Op::WeightReorder(_)
        | Op::Yield(_)
        | Op::YoloDetection(_)
        | Op::Yuv2rgbFormula(_) => return Ok(None),
    }
    .map(Some)
}
