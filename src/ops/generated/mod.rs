// Generated from td/*.td by `make ops`. Do not edit.
use crate::{attribute::*, base::Result, def::*, quant::RoundMode};
mod activation;
mod arithmetic;
mod attention;
mod cast;
mod collective;
mod common;
mod compare;
mod control;
mod conv;
mod create;
mod custom;
mod detect;
mod gather;
mod image;
mod layout;
mod mask_rcnn;
mod math;
mod matmul;
mod norm;
mod pool;
mod recurrent;
mod reduce;
mod resize;
mod scatter;
mod select;
mod shift;
mod shuffle;
mod slice;
mod sort;
mod structure;
mod tile;
mod train;
pub use activation::*;
pub use arithmetic::*;
pub use attention::*;
pub use cast::*;
pub use collective::*;
pub use common::*;
pub use compare::*;
pub use control::*;
pub use conv::*;
pub use create::*;
pub use custom::*;
pub use detect::*;
pub use gather::*;
pub use image::*;
pub use layout::*;
pub use mask_rcnn::*;
pub use math::*;
pub use matmul::*;
pub use norm::*;
pub use pool::*;
pub use recurrent::*;
pub use reduce::*;
pub use resize::*;
pub use scatter::*;
pub use select::*;
pub use shift::*;
pub use shuffle::*;
pub use slice::*;
pub use sort::*;
pub use structure::*;
pub use tile::*;
pub use train::*;
/// Every op, sorted by name.
pub static OPS: &[OpDef] = &[
    gather::A16GATHER,
    matmul::A16MATMUL,
    activation::ABS,
    pool::ADAPTIVEAVGPOOL,
    arithmetic::ADD,
    arithmetic::ADDCONST,
    create::ARANGE,
    math::ARCCOS,
    math::ARCTANH,
    sort::ARG,
    attention::ATTENTION,
    pool::AVGPOOL,
    norm::BATCHNORM,
    train::BATCHNORMBWD,
    train::BATCHNORMTRAIN,
    shift::BINARYCONSTSHIFT,
    shift::BINARYSHIFT,
    collective::C2CALLREDUCE,
    collective::C2CBROADCAST,
    cast::CAST,
    math::CEIL,
    recurrent::CHUNKGATEDDELTARULE,
    math::CLIP,
    compare::COMPARE,
    compare::COMPARECONST,
    layout::CONCAT,
    layout::CONCATSLICE,
    image::CONCATVOLUME,
    create::CONSTANTFILL,
    conv::CONV,
    train::CONVBWD_WEIGHT,
    train::CONVBWD,
    layout::COPY,
    image::CORRELATION,
    math::COS,
    math::COSH,
    image::CSC,
    reduce::CUMSUM,
    custom::CUSTOM,
    conv::DECONV,
    conv::DEFORMCONV2D,
    image::DEPACKRAW,
    shuffle::DEPTH2SPACE,
    cast::DEQUANTINT,
    cast::DEQUANTIZELINEAR,
    detect::DETECTIONOUTPUT,
    arithmetic::DIV,
    arithmetic::DIVCONST,
    cast::DTYPECAST,
    matmul::EINSUM,
    activation::ELU,
    train::EMBDENSEBWD,
    math::ERF,
    math::EXP,
    tile::EXPAND,
    attention::FATTENTION,
    attention::FATTENTIONLSE,
    layout::FLATTEN,
    attention::FLEXATTENTION,
    math::FLOOR,
    matmul::FP8MATMUL,
    detect::FRCNDETECTION,
    activation::GELU,
    recurrent::GRU,
    gather::GATHER,
    gather::GATHERELEMENTS,
    gather::GATHERND,
    resize::GRIDSAMPLER,
    norm::GROUPNORM,
    train::GROUPNORMTRAIN,
    activation::HARDSIGMOID,
    activation::HARDSWISH,
    control::IF,
    scatter::INDEXPUT,
    structure::INPUT,
    scatter::INSERT,
    norm::INSTANCENORM,
    resize::INTERP,
    norm::LRN,
    recurrent::LSTM,
    norm::LAYERNORM,
    train::LAYERNORMBWD,
    train::LAYERNORMTRAIN,
    activation::LEAKYRELU,
    control::LIST,
    math::LOG,
    math::LOGB,
    compare::LOGICALAND,
    control::LOOP,
    gather::LUT,
    mask_rcnn::MASKRCNN_BBOXPOOLER,
    mask_rcnn::MASKRCNN_GETBBOXB,
    mask_rcnn::MASKRCNN_MASKPOOLER,
    mask_rcnn::MASKRCNN_RPNGETBBOXES,
    select::MASKEDFILL,
    matmul::MATMUL,
    image::MATCHTEMPLATE,
    arithmetic::MAX,
    arithmetic::MAXCONST,
    pool::MAXPOOL,
    pool::MAXPOOLWITHMASK,
    train::MAXPOOLINGINDICESBWD,
    pool::MAXUNPOOL,
    train::MEANRSTD,
    image::MEANSTDSCALE,
    create::MESHGRID,
    arithmetic::MIN,
    arithmetic::MINCONST,
    activation::MISH,
    matmul::MLP,
    image::MMAP2RGBMAP,
    arithmetic::MOD,
    arithmetic::MUL,
    arithmetic::MULCONST,
    detect::NMS,
    select::NONZERO,
    structure::NONE,
    norm::NORMALIZE,
    activation::PRELU,
    layout::PACK,
    layout::PAD,
    layout::PERMUTE,
    norm::PIXELNORM,
    pool::POOLMASK,
    math::POW,
    math::POW2,
    math::POW3,
    image::PREPROCESS,
    detect::PRIORBOX,
    detect::PROPOSAL,
    cast::QUANTIZELINEAR,
    norm::RMSNORM,
    detect::ROIPOOLING,
    create::RANDNLIKE,
    create::RANGE,
    arithmetic::RECIPROCAL,
    recurrent::RECURRENTGATEDDELTARULE,
    reduce::REDUCE,
    activation::RELU,
    arithmetic::REMAINDER,
    tile::REPEAT,
    cast::REQUANTFP,
    cast::REQUANTINT,
    layout::RESHAPE,
    detect::RETINAFACEDETECTION,
    shuffle::REVERSE,
    detect::ROIALIGN,
    detect::ROIEXTRACTOR,
    attention::ROPE,
    math::ROUND,
    math::RSQRT,
    norm::SCALE,
    attention::SCALEDOTPRODUCTATTENTION,
    image::SCALELUT,
    scatter::SCATTERELEMENTS,
    scatter::SCATTERND,
    recurrent::SELECTIVESCAN,
    create::SHAPE,
    shuffle::SHUFFLECHANNEL,
    activation::SILU,
    activation::SIGMOID,
    math::SIGN,
    math::SIN,
    math::SINH,
    create::SIZE,
    slice::SLICE,
    slice::SLICEAXIS,
    activation::SOFTMAX,
    train::SOFTMAXBWD,
    activation::SOFTPLUS,
    activation::SOFTSIGN,
    sort::SORT,
    layout::SPLIT,
    math::SQRT,
    layout::SQUEEZE,
    slice::STRIDEDSLICE,
    arithmetic::SUB,
    arithmetic::SUBCONST,
    shuffle::SWAPCHANNEL,
    shuffle::SWAPDIMINNER,
    activation::SWISH,
    math::TAN,
    activation::TANH,
    tile::TILE,
    sort::TOPK,
    layout::TRANSPOSE,
    select::TRILU,
    control::TUPLE,
    control::UNTUPLE,
    layout::UNPACK,
    layout::UNSQUEEZE,
    tile::UPSAMPLE,
    reduce::VARIANCE,
    layout::VIEW,
    structure::WEIGHT,
    train::WEIGHTREORDER,
    select::WHERE,
    control::YIELD,
    detect::YOLODETECTION,
    image::YUV2RGBFORMULA,
];
/// Any op that computes, with operands of type `V`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each variant holds the struct that documents it")]
pub enum Op<V> {
    A16Gather(Box<A16Gather<V>>),
    A16MatMul(Box<A16MatMul<V>>),
    Abs(Box<Abs<V>>),
    AdaptiveAvgPool(Box<AdaptiveAvgPool<V>>),
    Add(Box<Add<V>>),
    AddConst(Box<AddConst<V>>),
    Arange(Box<Arange<V>>),
    Arccos(Box<Arccos<V>>),
    Arctanh(Box<Arctanh<V>>),
    Arg(Box<Arg<V>>),
    Attention(Box<Attention<V>>),
    AvgPool(Box<AvgPool<V>>),
    BatchNorm(Box<BatchNorm<V>>),
    BatchNormBwd(Box<BatchNormBwd<V>>),
    BatchNormTrain(Box<BatchNormTrain<V>>),
    BinaryConstShift(Box<BinaryConstShift<V>>),
    BinaryShift(Box<BinaryShift<V>>),
    C2CAllReduce(Box<C2CAllReduce<V>>),
    C2CBroadcast(Box<C2CBroadcast<V>>),
    Cast(Box<Cast<V>>),
    Ceil(Box<Ceil<V>>),
    ChunkGatedDeltaRule(Box<ChunkGatedDeltaRule<V>>),
    Clip(Box<Clip<V>>),
    Compare(Box<Compare<V>>),
    CompareConst(Box<CompareConst<V>>),
    Concat(Box<Concat<V>>),
    ConcatSlice(Box<ConcatSlice<V>>),
    ConcatVolume(Box<ConcatVolume<V>>),
    ConstantFill(Box<ConstantFill<V>>),
    Conv(Box<Conv<V>>),
    ConvBwd_Weight(Box<ConvBwd_Weight<V>>),
    Convbwd(Box<Convbwd<V>>),
    Copy(Box<Copy<V>>),
    Correlation(Box<Correlation<V>>),
    Cos(Box<Cos<V>>),
    Cosh(Box<Cosh<V>>),
    Csc(Box<Csc<V>>),
    CumSum(Box<CumSum<V>>),
    Custom(Box<Custom<V>>),
    Deconv(Box<Deconv<V>>),
    DeformConv2D(Box<DeformConv2D<V>>),
    DepackRaw(Box<DepackRaw<V>>),
    Depth2Space(Box<Depth2Space<V>>),
    DequantInt(Box<DequantInt<V>>),
    DequantizeLinear(Box<DequantizeLinear<V>>),
    DetectionOutput(Box<DetectionOutput<V>>),
    Div(Box<Div<V>>),
    DivConst(Box<DivConst<V>>),
    DtypeCast(Box<DtypeCast<V>>),
    Einsum(Box<Einsum<V>>),
    Elu(Box<Elu<V>>),
    EmbDenseBwd(Box<EmbDenseBwd<V>>),
    Erf(Box<Erf<V>>),
    Exp(Box<Exp<V>>),
    Expand(Box<Expand<V>>),
    FAttention(Box<FAttention<V>>),
    FAttentionLse(Box<FAttentionLse<V>>),
    Flatten(Box<Flatten<V>>),
    FlexAttention(Box<FlexAttention<V>>),
    Floor(Box<Floor<V>>),
    Fp8MatMul(Box<Fp8MatMul<V>>),
    FrcnDetection(Box<FrcnDetection<V>>),
    GELU(Box<GELU<V>>),
    GRU(Box<GRU<V>>),
    Gather(Box<Gather<V>>),
    GatherElements(Box<GatherElements<V>>),
    GatherND(Box<GatherND<V>>),
    GridSampler(Box<GridSampler<V>>),
    GroupNorm(Box<GroupNorm<V>>),
    GroupNormTrain(Box<GroupNormTrain<V>>),
    HardSigmoid(Box<HardSigmoid<V>>),
    HardSwish(Box<HardSwish<V>>),
    If(Box<If<V>>),
    IndexPut(Box<IndexPut<V>>),
    Insert(Box<Insert<V>>),
    InstanceNorm(Box<InstanceNorm<V>>),
    Interp(Box<Interp<V>>),
    LRN(Box<LRN<V>>),
    LSTM(Box<LSTM<V>>),
    LayerNorm(Box<LayerNorm<V>>),
    LayerNormBwd(Box<LayerNormBwd<V>>),
    LayerNormTrain(Box<LayerNormTrain<V>>),
    LeakyRelu(Box<LeakyRelu<V>>),
    List(Box<List<V>>),
    Log(Box<Log<V>>),
    LogB(Box<LogB<V>>),
    LogicalAnd(Box<LogicalAnd<V>>),
    Loop(Box<Loop<V>>),
    Lut(Box<Lut<V>>),
    MaskRCNN_BboxPooler(Box<MaskRCNN_BboxPooler<V>>),
    MaskRCNN_GetBboxB(Box<MaskRCNN_GetBboxB<V>>),
    MaskRCNN_MaskPooler(Box<MaskRCNN_MaskPooler<V>>),
    MaskRCNN_RPNGetBboxes(Box<MaskRCNN_RPNGetBboxes<V>>),
    MaskedFill(Box<MaskedFill<V>>),
    MatMul(Box<MatMul<V>>),
    MatchTemplate(Box<MatchTemplate<V>>),
    Max(Box<Max<V>>),
    MaxConst(Box<MaxConst<V>>),
    MaxPool(Box<MaxPool<V>>),
    MaxPoolWithMask(Box<MaxPoolWithMask<V>>),
    MaxPoolingIndicesBwd(Box<MaxPoolingIndicesBwd<V>>),
    MaxUnpool(Box<MaxUnpool<V>>),
    MeanRstd(Box<MeanRstd<V>>),
    MeanStdScale(Box<MeanStdScale<V>>),
    MeshGrid(Box<MeshGrid<V>>),
    Min(Box<Min<V>>),
    MinConst(Box<MinConst<V>>),
    Mish(Box<Mish<V>>),
    Mlp(Box<Mlp<V>>),
    Mmap2Rgbmap(Box<Mmap2Rgbmap<V>>),
    Mod(Box<Mod<V>>),
    Mul(Box<Mul<V>>),
    MulConst(Box<MulConst<V>>),
    Nms(Box<Nms<V>>),
    NonZero(Box<NonZero<V>>),
    Normalize(Box<Normalize<V>>),
    PRelu(Box<PRelu<V>>),
    Pack(Box<Pack<V>>),
    Pad(Box<Pad<V>>),
    Permute(Box<Permute<V>>),
    PixelNorm(Box<PixelNorm<V>>),
    PoolMask(Box<PoolMask<V>>),
    Pow(Box<Pow<V>>),
    Pow2(Box<Pow2<V>>),
    Pow3(Box<Pow3<V>>),
    Preprocess(Box<Preprocess<V>>),
    PriorBox(Box<PriorBox<V>>),
    Proposal(Box<Proposal<V>>),
    QuantizeLinear(Box<QuantizeLinear<V>>),
    RMSNorm(Box<RMSNorm<V>>),
    ROIPooling(Box<ROIPooling<V>>),
    RandnLike(Box<RandnLike<V>>),
    Range(Box<Range<V>>),
    Reciprocal(Box<Reciprocal<V>>),
    RecurrentGatedDeltaRule(Box<RecurrentGatedDeltaRule<V>>),
    Reduce(Box<Reduce<V>>),
    Relu(Box<Relu<V>>),
    Remainder(Box<Remainder<V>>),
    Repeat(Box<Repeat<V>>),
    RequantFp(Box<RequantFp<V>>),
    RequantInt(Box<RequantInt<V>>),
    Reshape(Box<Reshape<V>>),
    RetinaFaceDetection(Box<RetinaFaceDetection<V>>),
    Reverse(Box<Reverse<V>>),
    RoiAlign(Box<RoiAlign<V>>),
    RoiExtractor(Box<RoiExtractor<V>>),
    Rope(Box<Rope<V>>),
    Round(Box<Round<V>>),
    Rsqrt(Box<Rsqrt<V>>),
    Scale(Box<Scale<V>>),
    ScaleDotProductAttention(Box<ScaleDotProductAttention<V>>),
    ScaleLut(Box<ScaleLut<V>>),
    ScatterElements(Box<ScatterElements<V>>),
    ScatterND(Box<ScatterND<V>>),
    SelectiveScan(Box<SelectiveScan<V>>),
    Shape(Box<Shape<V>>),
    ShuffleChannel(Box<ShuffleChannel<V>>),
    SiLU(Box<SiLU<V>>),
    Sigmoid(Box<Sigmoid<V>>),
    Sign(Box<Sign<V>>),
    Sin(Box<Sin<V>>),
    Sinh(Box<Sinh<V>>),
    Size(Box<Size<V>>),
    Slice(Box<Slice<V>>),
    SliceAxis(Box<SliceAxis<V>>),
    Softmax(Box<Softmax<V>>),
    SoftmaxBwd(Box<SoftmaxBwd<V>>),
    Softplus(Box<Softplus<V>>),
    Softsign(Box<Softsign<V>>),
    Sort(Box<Sort<V>>),
    Split(Box<Split<V>>),
    Sqrt(Box<Sqrt<V>>),
    Squeeze(Box<Squeeze<V>>),
    StridedSlice(Box<StridedSlice<V>>),
    Sub(Box<Sub<V>>),
    SubConst(Box<SubConst<V>>),
    SwapChannel(Box<SwapChannel<V>>),
    SwapDimInner(Box<SwapDimInner<V>>),
    Swish(Box<Swish<V>>),
    Tan(Box<Tan<V>>),
    Tanh(Box<Tanh<V>>),
    Tile(Box<Tile<V>>),
    TopK(Box<TopK<V>>),
    Transpose(Box<Transpose<V>>),
    Trilu(Box<Trilu<V>>),
    Tuple(Box<Tuple<V>>),
    UnTuple(Box<UnTuple<V>>),
    Unpack(Box<Unpack<V>>),
    Unsqueeze(Box<Unsqueeze<V>>),
    Upsample(Box<Upsample<V>>),
    Variance(Box<Variance<V>>),
    View(Box<View<V>>),
    WeightReorder(Box<WeightReorder<V>>),
    Where(Box<Where<V>>),
    YoloDetection(Box<YoloDetection<V>>),
    Yuv2rgbFormula(Box<Yuv2rgbFormula<V>>),
}
impl<V> From<A16Gather<V>> for Op<V> {
    fn from(op: A16Gather<V>) -> Self {
        Op::A16Gather(Box::new(op))
    }
}
impl<V> From<A16MatMul<V>> for Op<V> {
    fn from(op: A16MatMul<V>) -> Self {
        Op::A16MatMul(Box::new(op))
    }
}
impl<V> From<Abs<V>> for Op<V> {
    fn from(op: Abs<V>) -> Self {
        Op::Abs(Box::new(op))
    }
}
impl<V> From<AdaptiveAvgPool<V>> for Op<V> {
    fn from(op: AdaptiveAvgPool<V>) -> Self {
        Op::AdaptiveAvgPool(Box::new(op))
    }
}
impl<V> From<Add<V>> for Op<V> {
    fn from(op: Add<V>) -> Self {
        Op::Add(Box::new(op))
    }
}
impl<V> From<AddConst<V>> for Op<V> {
    fn from(op: AddConst<V>) -> Self {
        Op::AddConst(Box::new(op))
    }
}
impl<V> From<Arange<V>> for Op<V> {
    fn from(op: Arange<V>) -> Self {
        Op::Arange(Box::new(op))
    }
}
impl<V> From<Arccos<V>> for Op<V> {
    fn from(op: Arccos<V>) -> Self {
        Op::Arccos(Box::new(op))
    }
}
impl<V> From<Arctanh<V>> for Op<V> {
    fn from(op: Arctanh<V>) -> Self {
        Op::Arctanh(Box::new(op))
    }
}
impl<V> From<Arg<V>> for Op<V> {
    fn from(op: Arg<V>) -> Self {
        Op::Arg(Box::new(op))
    }
}
impl<V> From<Attention<V>> for Op<V> {
    fn from(op: Attention<V>) -> Self {
        Op::Attention(Box::new(op))
    }
}
impl<V> From<AvgPool<V>> for Op<V> {
    fn from(op: AvgPool<V>) -> Self {
        Op::AvgPool(Box::new(op))
    }
}
impl<V> From<BatchNorm<V>> for Op<V> {
    fn from(op: BatchNorm<V>) -> Self {
        Op::BatchNorm(Box::new(op))
    }
}
impl<V> From<BatchNormBwd<V>> for Op<V> {
    fn from(op: BatchNormBwd<V>) -> Self {
        Op::BatchNormBwd(Box::new(op))
    }
}
impl<V> From<BatchNormTrain<V>> for Op<V> {
    fn from(op: BatchNormTrain<V>) -> Self {
        Op::BatchNormTrain(Box::new(op))
    }
}
impl<V> From<BinaryConstShift<V>> for Op<V> {
    fn from(op: BinaryConstShift<V>) -> Self {
        Op::BinaryConstShift(Box::new(op))
    }
}
impl<V> From<BinaryShift<V>> for Op<V> {
    fn from(op: BinaryShift<V>) -> Self {
        Op::BinaryShift(Box::new(op))
    }
}
impl<V> From<C2CAllReduce<V>> for Op<V> {
    fn from(op: C2CAllReduce<V>) -> Self {
        Op::C2CAllReduce(Box::new(op))
    }
}
impl<V> From<C2CBroadcast<V>> for Op<V> {
    fn from(op: C2CBroadcast<V>) -> Self {
        Op::C2CBroadcast(Box::new(op))
    }
}
impl<V> From<Cast<V>> for Op<V> {
    fn from(op: Cast<V>) -> Self {
        Op::Cast(Box::new(op))
    }
}
impl<V> From<Ceil<V>> for Op<V> {
    fn from(op: Ceil<V>) -> Self {
        Op::Ceil(Box::new(op))
    }
}
impl<V> From<ChunkGatedDeltaRule<V>> for Op<V> {
    fn from(op: ChunkGatedDeltaRule<V>) -> Self {
        Op::ChunkGatedDeltaRule(Box::new(op))
    }
}
impl<V> From<Clip<V>> for Op<V> {
    fn from(op: Clip<V>) -> Self {
        Op::Clip(Box::new(op))
    }
}
impl<V> From<Compare<V>> for Op<V> {
    fn from(op: Compare<V>) -> Self {
        Op::Compare(Box::new(op))
    }
}
impl<V> From<CompareConst<V>> for Op<V> {
    fn from(op: CompareConst<V>) -> Self {
        Op::CompareConst(Box::new(op))
    }
}
impl<V> From<Concat<V>> for Op<V> {
    fn from(op: Concat<V>) -> Self {
        Op::Concat(Box::new(op))
    }
}
impl<V> From<ConcatSlice<V>> for Op<V> {
    fn from(op: ConcatSlice<V>) -> Self {
        Op::ConcatSlice(Box::new(op))
    }
}
impl<V> From<ConcatVolume<V>> for Op<V> {
    fn from(op: ConcatVolume<V>) -> Self {
        Op::ConcatVolume(Box::new(op))
    }
}
impl<V> From<ConstantFill<V>> for Op<V> {
    fn from(op: ConstantFill<V>) -> Self {
        Op::ConstantFill(Box::new(op))
    }
}
impl<V> From<Conv<V>> for Op<V> {
    fn from(op: Conv<V>) -> Self {
        Op::Conv(Box::new(op))
    }
}
impl<V> From<ConvBwd_Weight<V>> for Op<V> {
    fn from(op: ConvBwd_Weight<V>) -> Self {
        Op::ConvBwd_Weight(Box::new(op))
    }
}
impl<V> From<Convbwd<V>> for Op<V> {
    fn from(op: Convbwd<V>) -> Self {
        Op::Convbwd(Box::new(op))
    }
}
impl<V> From<Copy<V>> for Op<V> {
    fn from(op: Copy<V>) -> Self {
        Op::Copy(Box::new(op))
    }
}
impl<V> From<Correlation<V>> for Op<V> {
    fn from(op: Correlation<V>) -> Self {
        Op::Correlation(Box::new(op))
    }
}
impl<V> From<Cos<V>> for Op<V> {
    fn from(op: Cos<V>) -> Self {
        Op::Cos(Box::new(op))
    }
}
impl<V> From<Cosh<V>> for Op<V> {
    fn from(op: Cosh<V>) -> Self {
        Op::Cosh(Box::new(op))
    }
}
impl<V> From<Csc<V>> for Op<V> {
    fn from(op: Csc<V>) -> Self {
        Op::Csc(Box::new(op))
    }
}
impl<V> From<CumSum<V>> for Op<V> {
    fn from(op: CumSum<V>) -> Self {
        Op::CumSum(Box::new(op))
    }
}
impl<V> From<Custom<V>> for Op<V> {
    fn from(op: Custom<V>) -> Self {
        Op::Custom(Box::new(op))
    }
}
impl<V> From<Deconv<V>> for Op<V> {
    fn from(op: Deconv<V>) -> Self {
        Op::Deconv(Box::new(op))
    }
}
impl<V> From<DeformConv2D<V>> for Op<V> {
    fn from(op: DeformConv2D<V>) -> Self {
        Op::DeformConv2D(Box::new(op))
    }
}
impl<V> From<DepackRaw<V>> for Op<V> {
    fn from(op: DepackRaw<V>) -> Self {
        Op::DepackRaw(Box::new(op))
    }
}
impl<V> From<Depth2Space<V>> for Op<V> {
    fn from(op: Depth2Space<V>) -> Self {
        Op::Depth2Space(Box::new(op))
    }
}
impl<V> From<DequantInt<V>> for Op<V> {
    fn from(op: DequantInt<V>) -> Self {
        Op::DequantInt(Box::new(op))
    }
}
impl<V> From<DequantizeLinear<V>> for Op<V> {
    fn from(op: DequantizeLinear<V>) -> Self {
        Op::DequantizeLinear(Box::new(op))
    }
}
impl<V> From<DetectionOutput<V>> for Op<V> {
    fn from(op: DetectionOutput<V>) -> Self {
        Op::DetectionOutput(Box::new(op))
    }
}
impl<V> From<Div<V>> for Op<V> {
    fn from(op: Div<V>) -> Self {
        Op::Div(Box::new(op))
    }
}
impl<V> From<DivConst<V>> for Op<V> {
    fn from(op: DivConst<V>) -> Self {
        Op::DivConst(Box::new(op))
    }
}
impl<V> From<DtypeCast<V>> for Op<V> {
    fn from(op: DtypeCast<V>) -> Self {
        Op::DtypeCast(Box::new(op))
    }
}
impl<V> From<Einsum<V>> for Op<V> {
    fn from(op: Einsum<V>) -> Self {
        Op::Einsum(Box::new(op))
    }
}
impl<V> From<Elu<V>> for Op<V> {
    fn from(op: Elu<V>) -> Self {
        Op::Elu(Box::new(op))
    }
}
impl<V> From<EmbDenseBwd<V>> for Op<V> {
    fn from(op: EmbDenseBwd<V>) -> Self {
        Op::EmbDenseBwd(Box::new(op))
    }
}
impl<V> From<Erf<V>> for Op<V> {
    fn from(op: Erf<V>) -> Self {
        Op::Erf(Box::new(op))
    }
}
impl<V> From<Exp<V>> for Op<V> {
    fn from(op: Exp<V>) -> Self {
        Op::Exp(Box::new(op))
    }
}
impl<V> From<Expand<V>> for Op<V> {
    fn from(op: Expand<V>) -> Self {
        Op::Expand(Box::new(op))
    }
}
impl<V> From<FAttention<V>> for Op<V> {
    fn from(op: FAttention<V>) -> Self {
        Op::FAttention(Box::new(op))
    }
}
impl<V> From<FAttentionLse<V>> for Op<V> {
    fn from(op: FAttentionLse<V>) -> Self {
        Op::FAttentionLse(Box::new(op))
    }
}
impl<V> From<Flatten<V>> for Op<V> {
    fn from(op: Flatten<V>) -> Self {
        Op::Flatten(Box::new(op))
    }
}
impl<V> From<FlexAttention<V>> for Op<V> {
    fn from(op: FlexAttention<V>) -> Self {
        Op::FlexAttention(Box::new(op))
    }
}
impl<V> From<Floor<V>> for Op<V> {
    fn from(op: Floor<V>) -> Self {
        Op::Floor(Box::new(op))
    }
}
impl<V> From<Fp8MatMul<V>> for Op<V> {
    fn from(op: Fp8MatMul<V>) -> Self {
        Op::Fp8MatMul(Box::new(op))
    }
}
impl<V> From<FrcnDetection<V>> for Op<V> {
    fn from(op: FrcnDetection<V>) -> Self {
        Op::FrcnDetection(Box::new(op))
    }
}
impl<V> From<GELU<V>> for Op<V> {
    fn from(op: GELU<V>) -> Self {
        Op::GELU(Box::new(op))
    }
}
impl<V> From<GRU<V>> for Op<V> {
    fn from(op: GRU<V>) -> Self {
        Op::GRU(Box::new(op))
    }
}
impl<V> From<Gather<V>> for Op<V> {
    fn from(op: Gather<V>) -> Self {
        Op::Gather(Box::new(op))
    }
}
impl<V> From<GatherElements<V>> for Op<V> {
    fn from(op: GatherElements<V>) -> Self {
        Op::GatherElements(Box::new(op))
    }
}
impl<V> From<GatherND<V>> for Op<V> {
    fn from(op: GatherND<V>) -> Self {
        Op::GatherND(Box::new(op))
    }
}
impl<V> From<GridSampler<V>> for Op<V> {
    fn from(op: GridSampler<V>) -> Self {
        Op::GridSampler(Box::new(op))
    }
}
impl<V> From<GroupNorm<V>> for Op<V> {
    fn from(op: GroupNorm<V>) -> Self {
        Op::GroupNorm(Box::new(op))
    }
}
impl<V> From<GroupNormTrain<V>> for Op<V> {
    fn from(op: GroupNormTrain<V>) -> Self {
        Op::GroupNormTrain(Box::new(op))
    }
}
impl<V> From<HardSigmoid<V>> for Op<V> {
    fn from(op: HardSigmoid<V>) -> Self {
        Op::HardSigmoid(Box::new(op))
    }
}
impl<V> From<HardSwish<V>> for Op<V> {
    fn from(op: HardSwish<V>) -> Self {
        Op::HardSwish(Box::new(op))
    }
}
impl<V> From<If<V>> for Op<V> {
    fn from(op: If<V>) -> Self {
        Op::If(Box::new(op))
    }
}
impl<V> From<IndexPut<V>> for Op<V> {
    fn from(op: IndexPut<V>) -> Self {
        Op::IndexPut(Box::new(op))
    }
}
impl<V> From<Insert<V>> for Op<V> {
    fn from(op: Insert<V>) -> Self {
        Op::Insert(Box::new(op))
    }
}
impl<V> From<InstanceNorm<V>> for Op<V> {
    fn from(op: InstanceNorm<V>) -> Self {
        Op::InstanceNorm(Box::new(op))
    }
}
impl<V> From<Interp<V>> for Op<V> {
    fn from(op: Interp<V>) -> Self {
        Op::Interp(Box::new(op))
    }
}
impl<V> From<LRN<V>> for Op<V> {
    fn from(op: LRN<V>) -> Self {
        Op::LRN(Box::new(op))
    }
}
impl<V> From<LSTM<V>> for Op<V> {
    fn from(op: LSTM<V>) -> Self {
        Op::LSTM(Box::new(op))
    }
}
impl<V> From<LayerNorm<V>> for Op<V> {
    fn from(op: LayerNorm<V>) -> Self {
        Op::LayerNorm(Box::new(op))
    }
}
impl<V> From<LayerNormBwd<V>> for Op<V> {
    fn from(op: LayerNormBwd<V>) -> Self {
        Op::LayerNormBwd(Box::new(op))
    }
}
impl<V> From<LayerNormTrain<V>> for Op<V> {
    fn from(op: LayerNormTrain<V>) -> Self {
        Op::LayerNormTrain(Box::new(op))
    }
}
impl<V> From<LeakyRelu<V>> for Op<V> {
    fn from(op: LeakyRelu<V>) -> Self {
        Op::LeakyRelu(Box::new(op))
    }
}
impl<V> From<List<V>> for Op<V> {
    fn from(op: List<V>) -> Self {
        Op::List(Box::new(op))
    }
}
impl<V> From<Log<V>> for Op<V> {
    fn from(op: Log<V>) -> Self {
        Op::Log(Box::new(op))
    }
}
impl<V> From<LogB<V>> for Op<V> {
    fn from(op: LogB<V>) -> Self {
        Op::LogB(Box::new(op))
    }
}
impl<V> From<LogicalAnd<V>> for Op<V> {
    fn from(op: LogicalAnd<V>) -> Self {
        Op::LogicalAnd(Box::new(op))
    }
}
impl<V> From<Loop<V>> for Op<V> {
    fn from(op: Loop<V>) -> Self {
        Op::Loop(Box::new(op))
    }
}
impl<V> From<Lut<V>> for Op<V> {
    fn from(op: Lut<V>) -> Self {
        Op::Lut(Box::new(op))
    }
}
impl<V> From<MaskRCNN_BboxPooler<V>> for Op<V> {
    fn from(op: MaskRCNN_BboxPooler<V>) -> Self {
        Op::MaskRCNN_BboxPooler(Box::new(op))
    }
}
impl<V> From<MaskRCNN_GetBboxB<V>> for Op<V> {
    fn from(op: MaskRCNN_GetBboxB<V>) -> Self {
        Op::MaskRCNN_GetBboxB(Box::new(op))
    }
}
impl<V> From<MaskRCNN_MaskPooler<V>> for Op<V> {
    fn from(op: MaskRCNN_MaskPooler<V>) -> Self {
        Op::MaskRCNN_MaskPooler(Box::new(op))
    }
}
impl<V> From<MaskRCNN_RPNGetBboxes<V>> for Op<V> {
    fn from(op: MaskRCNN_RPNGetBboxes<V>) -> Self {
        Op::MaskRCNN_RPNGetBboxes(Box::new(op))
    }
}
impl<V> From<MaskedFill<V>> for Op<V> {
    fn from(op: MaskedFill<V>) -> Self {
        Op::MaskedFill(Box::new(op))
    }
}
impl<V> From<MatMul<V>> for Op<V> {
    fn from(op: MatMul<V>) -> Self {
        Op::MatMul(Box::new(op))
    }
}
impl<V> From<MatchTemplate<V>> for Op<V> {
    fn from(op: MatchTemplate<V>) -> Self {
        Op::MatchTemplate(Box::new(op))
    }
}
impl<V> From<Max<V>> for Op<V> {
    fn from(op: Max<V>) -> Self {
        Op::Max(Box::new(op))
    }
}
impl<V> From<MaxConst<V>> for Op<V> {
    fn from(op: MaxConst<V>) -> Self {
        Op::MaxConst(Box::new(op))
    }
}
impl<V> From<MaxPool<V>> for Op<V> {
    fn from(op: MaxPool<V>) -> Self {
        Op::MaxPool(Box::new(op))
    }
}
impl<V> From<MaxPoolWithMask<V>> for Op<V> {
    fn from(op: MaxPoolWithMask<V>) -> Self {
        Op::MaxPoolWithMask(Box::new(op))
    }
}
impl<V> From<MaxPoolingIndicesBwd<V>> for Op<V> {
    fn from(op: MaxPoolingIndicesBwd<V>) -> Self {
        Op::MaxPoolingIndicesBwd(Box::new(op))
    }
}
impl<V> From<MaxUnpool<V>> for Op<V> {
    fn from(op: MaxUnpool<V>) -> Self {
        Op::MaxUnpool(Box::new(op))
    }
}
impl<V> From<MeanRstd<V>> for Op<V> {
    fn from(op: MeanRstd<V>) -> Self {
        Op::MeanRstd(Box::new(op))
    }
}
impl<V> From<MeanStdScale<V>> for Op<V> {
    fn from(op: MeanStdScale<V>) -> Self {
        Op::MeanStdScale(Box::new(op))
    }
}
impl<V> From<MeshGrid<V>> for Op<V> {
    fn from(op: MeshGrid<V>) -> Self {
        Op::MeshGrid(Box::new(op))
    }
}
impl<V> From<Min<V>> for Op<V> {
    fn from(op: Min<V>) -> Self {
        Op::Min(Box::new(op))
    }
}
impl<V> From<MinConst<V>> for Op<V> {
    fn from(op: MinConst<V>) -> Self {
        Op::MinConst(Box::new(op))
    }
}
impl<V> From<Mish<V>> for Op<V> {
    fn from(op: Mish<V>) -> Self {
        Op::Mish(Box::new(op))
    }
}
impl<V> From<Mlp<V>> for Op<V> {
    fn from(op: Mlp<V>) -> Self {
        Op::Mlp(Box::new(op))
    }
}
impl<V> From<Mmap2Rgbmap<V>> for Op<V> {
    fn from(op: Mmap2Rgbmap<V>) -> Self {
        Op::Mmap2Rgbmap(Box::new(op))
    }
}
impl<V> From<Mod<V>> for Op<V> {
    fn from(op: Mod<V>) -> Self {
        Op::Mod(Box::new(op))
    }
}
impl<V> From<Mul<V>> for Op<V> {
    fn from(op: Mul<V>) -> Self {
        Op::Mul(Box::new(op))
    }
}
impl<V> From<MulConst<V>> for Op<V> {
    fn from(op: MulConst<V>) -> Self {
        Op::MulConst(Box::new(op))
    }
}
impl<V> From<Nms<V>> for Op<V> {
    fn from(op: Nms<V>) -> Self {
        Op::Nms(Box::new(op))
    }
}
impl<V> From<NonZero<V>> for Op<V> {
    fn from(op: NonZero<V>) -> Self {
        Op::NonZero(Box::new(op))
    }
}
impl<V> From<Normalize<V>> for Op<V> {
    fn from(op: Normalize<V>) -> Self {
        Op::Normalize(Box::new(op))
    }
}
impl<V> From<PRelu<V>> for Op<V> {
    fn from(op: PRelu<V>) -> Self {
        Op::PRelu(Box::new(op))
    }
}
impl<V> From<Pack<V>> for Op<V> {
    fn from(op: Pack<V>) -> Self {
        Op::Pack(Box::new(op))
    }
}
impl<V> From<Pad<V>> for Op<V> {
    fn from(op: Pad<V>) -> Self {
        Op::Pad(Box::new(op))
    }
}
impl<V> From<Permute<V>> for Op<V> {
    fn from(op: Permute<V>) -> Self {
        Op::Permute(Box::new(op))
    }
}
impl<V> From<PixelNorm<V>> for Op<V> {
    fn from(op: PixelNorm<V>) -> Self {
        Op::PixelNorm(Box::new(op))
    }
}
impl<V> From<PoolMask<V>> for Op<V> {
    fn from(op: PoolMask<V>) -> Self {
        Op::PoolMask(Box::new(op))
    }
}
impl<V> From<Pow<V>> for Op<V> {
    fn from(op: Pow<V>) -> Self {
        Op::Pow(Box::new(op))
    }
}
impl<V> From<Pow2<V>> for Op<V> {
    fn from(op: Pow2<V>) -> Self {
        Op::Pow2(Box::new(op))
    }
}
impl<V> From<Pow3<V>> for Op<V> {
    fn from(op: Pow3<V>) -> Self {
        Op::Pow3(Box::new(op))
    }
}
impl<V> From<Preprocess<V>> for Op<V> {
    fn from(op: Preprocess<V>) -> Self {
        Op::Preprocess(Box::new(op))
    }
}
impl<V> From<PriorBox<V>> for Op<V> {
    fn from(op: PriorBox<V>) -> Self {
        Op::PriorBox(Box::new(op))
    }
}
impl<V> From<Proposal<V>> for Op<V> {
    fn from(op: Proposal<V>) -> Self {
        Op::Proposal(Box::new(op))
    }
}
impl<V> From<QuantizeLinear<V>> for Op<V> {
    fn from(op: QuantizeLinear<V>) -> Self {
        Op::QuantizeLinear(Box::new(op))
    }
}
impl<V> From<RMSNorm<V>> for Op<V> {
    fn from(op: RMSNorm<V>) -> Self {
        Op::RMSNorm(Box::new(op))
    }
}
impl<V> From<ROIPooling<V>> for Op<V> {
    fn from(op: ROIPooling<V>) -> Self {
        Op::ROIPooling(Box::new(op))
    }
}
impl<V> From<RandnLike<V>> for Op<V> {
    fn from(op: RandnLike<V>) -> Self {
        Op::RandnLike(Box::new(op))
    }
}
impl<V> From<Range<V>> for Op<V> {
    fn from(op: Range<V>) -> Self {
        Op::Range(Box::new(op))
    }
}
impl<V> From<Reciprocal<V>> for Op<V> {
    fn from(op: Reciprocal<V>) -> Self {
        Op::Reciprocal(Box::new(op))
    }
}
impl<V> From<RecurrentGatedDeltaRule<V>> for Op<V> {
    fn from(op: RecurrentGatedDeltaRule<V>) -> Self {
        Op::RecurrentGatedDeltaRule(Box::new(op))
    }
}
impl<V> From<Reduce<V>> for Op<V> {
    fn from(op: Reduce<V>) -> Self {
        Op::Reduce(Box::new(op))
    }
}
impl<V> From<Relu<V>> for Op<V> {
    fn from(op: Relu<V>) -> Self {
        Op::Relu(Box::new(op))
    }
}
impl<V> From<Remainder<V>> for Op<V> {
    fn from(op: Remainder<V>) -> Self {
        Op::Remainder(Box::new(op))
    }
}
impl<V> From<Repeat<V>> for Op<V> {
    fn from(op: Repeat<V>) -> Self {
        Op::Repeat(Box::new(op))
    }
}
impl<V> From<RequantFp<V>> for Op<V> {
    fn from(op: RequantFp<V>) -> Self {
        Op::RequantFp(Box::new(op))
    }
}
impl<V> From<RequantInt<V>> for Op<V> {
    fn from(op: RequantInt<V>) -> Self {
        Op::RequantInt(Box::new(op))
    }
}
impl<V> From<Reshape<V>> for Op<V> {
    fn from(op: Reshape<V>) -> Self {
        Op::Reshape(Box::new(op))
    }
}
impl<V> From<RetinaFaceDetection<V>> for Op<V> {
    fn from(op: RetinaFaceDetection<V>) -> Self {
        Op::RetinaFaceDetection(Box::new(op))
    }
}
impl<V> From<Reverse<V>> for Op<V> {
    fn from(op: Reverse<V>) -> Self {
        Op::Reverse(Box::new(op))
    }
}
impl<V> From<RoiAlign<V>> for Op<V> {
    fn from(op: RoiAlign<V>) -> Self {
        Op::RoiAlign(Box::new(op))
    }
}
impl<V> From<RoiExtractor<V>> for Op<V> {
    fn from(op: RoiExtractor<V>) -> Self {
        Op::RoiExtractor(Box::new(op))
    }
}
impl<V> From<Rope<V>> for Op<V> {
    fn from(op: Rope<V>) -> Self {
        Op::Rope(Box::new(op))
    }
}
impl<V> From<Round<V>> for Op<V> {
    fn from(op: Round<V>) -> Self {
        Op::Round(Box::new(op))
    }
}
impl<V> From<Rsqrt<V>> for Op<V> {
    fn from(op: Rsqrt<V>) -> Self {
        Op::Rsqrt(Box::new(op))
    }
}
impl<V> From<Scale<V>> for Op<V> {
    fn from(op: Scale<V>) -> Self {
        Op::Scale(Box::new(op))
    }
}
impl<V> From<ScaleDotProductAttention<V>> for Op<V> {
    fn from(op: ScaleDotProductAttention<V>) -> Self {
        Op::ScaleDotProductAttention(Box::new(op))
    }
}
impl<V> From<ScaleLut<V>> for Op<V> {
    fn from(op: ScaleLut<V>) -> Self {
        Op::ScaleLut(Box::new(op))
    }
}
impl<V> From<ScatterElements<V>> for Op<V> {
    fn from(op: ScatterElements<V>) -> Self {
        Op::ScatterElements(Box::new(op))
    }
}
impl<V> From<ScatterND<V>> for Op<V> {
    fn from(op: ScatterND<V>) -> Self {
        Op::ScatterND(Box::new(op))
    }
}
impl<V> From<SelectiveScan<V>> for Op<V> {
    fn from(op: SelectiveScan<V>) -> Self {
        Op::SelectiveScan(Box::new(op))
    }
}
impl<V> From<Shape<V>> for Op<V> {
    fn from(op: Shape<V>) -> Self {
        Op::Shape(Box::new(op))
    }
}
impl<V> From<ShuffleChannel<V>> for Op<V> {
    fn from(op: ShuffleChannel<V>) -> Self {
        Op::ShuffleChannel(Box::new(op))
    }
}
impl<V> From<SiLU<V>> for Op<V> {
    fn from(op: SiLU<V>) -> Self {
        Op::SiLU(Box::new(op))
    }
}
impl<V> From<Sigmoid<V>> for Op<V> {
    fn from(op: Sigmoid<V>) -> Self {
        Op::Sigmoid(Box::new(op))
    }
}
impl<V> From<Sign<V>> for Op<V> {
    fn from(op: Sign<V>) -> Self {
        Op::Sign(Box::new(op))
    }
}
impl<V> From<Sin<V>> for Op<V> {
    fn from(op: Sin<V>) -> Self {
        Op::Sin(Box::new(op))
    }
}
impl<V> From<Sinh<V>> for Op<V> {
    fn from(op: Sinh<V>) -> Self {
        Op::Sinh(Box::new(op))
    }
}
impl<V> From<Size<V>> for Op<V> {
    fn from(op: Size<V>) -> Self {
        Op::Size(Box::new(op))
    }
}
impl<V> From<Slice<V>> for Op<V> {
    fn from(op: Slice<V>) -> Self {
        Op::Slice(Box::new(op))
    }
}
impl<V> From<SliceAxis<V>> for Op<V> {
    fn from(op: SliceAxis<V>) -> Self {
        Op::SliceAxis(Box::new(op))
    }
}
impl<V> From<Softmax<V>> for Op<V> {
    fn from(op: Softmax<V>) -> Self {
        Op::Softmax(Box::new(op))
    }
}
impl<V> From<SoftmaxBwd<V>> for Op<V> {
    fn from(op: SoftmaxBwd<V>) -> Self {
        Op::SoftmaxBwd(Box::new(op))
    }
}
impl<V> From<Softplus<V>> for Op<V> {
    fn from(op: Softplus<V>) -> Self {
        Op::Softplus(Box::new(op))
    }
}
impl<V> From<Softsign<V>> for Op<V> {
    fn from(op: Softsign<V>) -> Self {
        Op::Softsign(Box::new(op))
    }
}
impl<V> From<Sort<V>> for Op<V> {
    fn from(op: Sort<V>) -> Self {
        Op::Sort(Box::new(op))
    }
}
impl<V> From<Split<V>> for Op<V> {
    fn from(op: Split<V>) -> Self {
        Op::Split(Box::new(op))
    }
}
impl<V> From<Sqrt<V>> for Op<V> {
    fn from(op: Sqrt<V>) -> Self {
        Op::Sqrt(Box::new(op))
    }
}
impl<V> From<Squeeze<V>> for Op<V> {
    fn from(op: Squeeze<V>) -> Self {
        Op::Squeeze(Box::new(op))
    }
}
impl<V> From<StridedSlice<V>> for Op<V> {
    fn from(op: StridedSlice<V>) -> Self {
        Op::StridedSlice(Box::new(op))
    }
}
impl<V> From<Sub<V>> for Op<V> {
    fn from(op: Sub<V>) -> Self {
        Op::Sub(Box::new(op))
    }
}
impl<V> From<SubConst<V>> for Op<V> {
    fn from(op: SubConst<V>) -> Self {
        Op::SubConst(Box::new(op))
    }
}
impl<V> From<SwapChannel<V>> for Op<V> {
    fn from(op: SwapChannel<V>) -> Self {
        Op::SwapChannel(Box::new(op))
    }
}
impl<V> From<SwapDimInner<V>> for Op<V> {
    fn from(op: SwapDimInner<V>) -> Self {
        Op::SwapDimInner(Box::new(op))
    }
}
impl<V> From<Swish<V>> for Op<V> {
    fn from(op: Swish<V>) -> Self {
        Op::Swish(Box::new(op))
    }
}
impl<V> From<Tan<V>> for Op<V> {
    fn from(op: Tan<V>) -> Self {
        Op::Tan(Box::new(op))
    }
}
impl<V> From<Tanh<V>> for Op<V> {
    fn from(op: Tanh<V>) -> Self {
        Op::Tanh(Box::new(op))
    }
}
impl<V> From<Tile<V>> for Op<V> {
    fn from(op: Tile<V>) -> Self {
        Op::Tile(Box::new(op))
    }
}
impl<V> From<TopK<V>> for Op<V> {
    fn from(op: TopK<V>) -> Self {
        Op::TopK(Box::new(op))
    }
}
impl<V> From<Transpose<V>> for Op<V> {
    fn from(op: Transpose<V>) -> Self {
        Op::Transpose(Box::new(op))
    }
}
impl<V> From<Trilu<V>> for Op<V> {
    fn from(op: Trilu<V>) -> Self {
        Op::Trilu(Box::new(op))
    }
}
impl<V> From<Tuple<V>> for Op<V> {
    fn from(op: Tuple<V>) -> Self {
        Op::Tuple(Box::new(op))
    }
}
impl<V> From<UnTuple<V>> for Op<V> {
    fn from(op: UnTuple<V>) -> Self {
        Op::UnTuple(Box::new(op))
    }
}
impl<V> From<Unpack<V>> for Op<V> {
    fn from(op: Unpack<V>) -> Self {
        Op::Unpack(Box::new(op))
    }
}
impl<V> From<Unsqueeze<V>> for Op<V> {
    fn from(op: Unsqueeze<V>) -> Self {
        Op::Unsqueeze(Box::new(op))
    }
}
impl<V> From<Upsample<V>> for Op<V> {
    fn from(op: Upsample<V>) -> Self {
        Op::Upsample(Box::new(op))
    }
}
impl<V> From<Variance<V>> for Op<V> {
    fn from(op: Variance<V>) -> Self {
        Op::Variance(Box::new(op))
    }
}
impl<V> From<View<V>> for Op<V> {
    fn from(op: View<V>) -> Self {
        Op::View(Box::new(op))
    }
}
impl<V> From<WeightReorder<V>> for Op<V> {
    fn from(op: WeightReorder<V>) -> Self {
        Op::WeightReorder(Box::new(op))
    }
}
impl<V> From<Where<V>> for Op<V> {
    fn from(op: Where<V>) -> Self {
        Op::Where(Box::new(op))
    }
}
impl<V> From<YoloDetection<V>> for Op<V> {
    fn from(op: YoloDetection<V>) -> Self {
        Op::YoloDetection(Box::new(op))
    }
}
impl<V> From<Yuv2rgbFormula<V>> for Op<V> {
    fn from(op: Yuv2rgbFormula<V>) -> Self {
        Op::Yuv2rgbFormula(Box::new(op))
    }
}
impl<V> Op<V> {
    /// Returns the op's name without the dialect: `Conv`.
    pub fn name(&self) -> &'static str {
        match self {
            Op::A16Gather(_) => "A16Gather",
            Op::A16MatMul(_) => "A16MatMul",
            Op::Abs(_) => "Abs",
            Op::AdaptiveAvgPool(_) => "AdaptiveAvgPool",
            Op::Add(_) => "Add",
            Op::AddConst(_) => "AddConst",
            Op::Arange(_) => "Arange",
            Op::Arccos(_) => "Arccos",
            Op::Arctanh(_) => "Arctanh",
            Op::Arg(_) => "Arg",
            Op::Attention(_) => "Attention",
            Op::AvgPool(_) => "AvgPool",
            Op::BatchNorm(_) => "BatchNorm",
            Op::BatchNormBwd(_) => "BatchNormBwd",
            Op::BatchNormTrain(_) => "BatchNormTrain",
            Op::BinaryConstShift(_) => "BinaryConstShift",
            Op::BinaryShift(_) => "BinaryShift",
            Op::C2CAllReduce(_) => "C2CAllReduce",
            Op::C2CBroadcast(_) => "C2CBroadcast",
            Op::Cast(_) => "Cast",
            Op::Ceil(_) => "Ceil",
            Op::ChunkGatedDeltaRule(_) => "ChunkGatedDeltaRule",
            Op::Clip(_) => "Clip",
            Op::Compare(_) => "Compare",
            Op::CompareConst(_) => "CompareConst",
            Op::Concat(_) => "Concat",
            Op::ConcatSlice(_) => "ConcatSlice",
            Op::ConcatVolume(_) => "ConcatVolume",
            Op::ConstantFill(_) => "ConstantFill",
            Op::Conv(_) => "Conv",
            Op::ConvBwd_Weight(_) => "ConvBwd_Weight",
            Op::Convbwd(_) => "Convbwd",
            Op::Copy(_) => "Copy",
            Op::Correlation(_) => "Correlation",
            Op::Cos(_) => "Cos",
            Op::Cosh(_) => "Cosh",
            Op::Csc(_) => "Csc",
            Op::CumSum(_) => "CumSum",
            Op::Custom(_) => "Custom",
            Op::Deconv(_) => "Deconv",
            Op::DeformConv2D(_) => "DeformConv2D",
            Op::DepackRaw(_) => "DepackRaw",
            Op::Depth2Space(_) => "Depth2Space",
            Op::DequantInt(_) => "DequantInt",
            Op::DequantizeLinear(_) => "DequantizeLinear",
            Op::DetectionOutput(_) => "DetectionOutput",
            Op::Div(_) => "Div",
            Op::DivConst(_) => "DivConst",
            Op::DtypeCast(_) => "DtypeCast",
            Op::Einsum(_) => "Einsum",
            Op::Elu(_) => "Elu",
            Op::EmbDenseBwd(_) => "EmbDenseBwd",
            Op::Erf(_) => "Erf",
            Op::Exp(_) => "Exp",
            Op::Expand(_) => "Expand",
            Op::FAttention(_) => "FAttention",
            Op::FAttentionLse(_) => "FAttentionLse",
            Op::Flatten(_) => "Flatten",
            Op::FlexAttention(_) => "FlexAttention",
            Op::Floor(_) => "Floor",
            Op::Fp8MatMul(_) => "Fp8MatMul",
            Op::FrcnDetection(_) => "FrcnDetection",
            Op::GELU(_) => "GELU",
            Op::GRU(_) => "GRU",
            Op::Gather(_) => "Gather",
            Op::GatherElements(_) => "GatherElements",
            Op::GatherND(_) => "GatherND",
            Op::GridSampler(_) => "GridSampler",
            Op::GroupNorm(_) => "GroupNorm",
            Op::GroupNormTrain(_) => "GroupNormTrain",
            Op::HardSigmoid(_) => "HardSigmoid",
            Op::HardSwish(_) => "HardSwish",
            Op::If(_) => "If",
            Op::IndexPut(_) => "IndexPut",
            Op::Insert(_) => "Insert",
            Op::InstanceNorm(_) => "InstanceNorm",
            Op::Interp(_) => "Interp",
            Op::LRN(_) => "LRN",
            Op::LSTM(_) => "LSTM",
            Op::LayerNorm(_) => "LayerNorm",
            Op::LayerNormBwd(_) => "LayerNormBwd",
            Op::LayerNormTrain(_) => "LayerNormTrain",
            Op::LeakyRelu(_) => "LeakyRelu",
            Op::List(_) => "List",
            Op::Log(_) => "Log",
            Op::LogB(_) => "LogB",
            Op::LogicalAnd(_) => "LogicalAnd",
            Op::Loop(_) => "Loop",
            Op::Lut(_) => "Lut",
            Op::MaskRCNN_BboxPooler(_) => "MaskRCNN_BboxPooler",
            Op::MaskRCNN_GetBboxB(_) => "MaskRCNN_GetBboxB",
            Op::MaskRCNN_MaskPooler(_) => "MaskRCNN_MaskPooler",
            Op::MaskRCNN_RPNGetBboxes(_) => "MaskRCNN_RPNGetBboxes",
            Op::MaskedFill(_) => "MaskedFill",
            Op::MatMul(_) => "MatMul",
            Op::MatchTemplate(_) => "MatchTemplate",
            Op::Max(_) => "Max",
            Op::MaxConst(_) => "MaxConst",
            Op::MaxPool(_) => "MaxPool",
            Op::MaxPoolWithMask(_) => "MaxPoolWithMask",
            Op::MaxPoolingIndicesBwd(_) => "MaxPoolingIndicesBwd",
            Op::MaxUnpool(_) => "MaxUnpool",
            Op::MeanRstd(_) => "MeanRstd",
            Op::MeanStdScale(_) => "MeanStdScale",
            Op::MeshGrid(_) => "MeshGrid",
            Op::Min(_) => "Min",
            Op::MinConst(_) => "MinConst",
            Op::Mish(_) => "Mish",
            Op::Mlp(_) => "Mlp",
            Op::Mmap2Rgbmap(_) => "Mmap2Rgbmap",
            Op::Mod(_) => "Mod",
            Op::Mul(_) => "Mul",
            Op::MulConst(_) => "MulConst",
            Op::Nms(_) => "Nms",
            Op::NonZero(_) => "NonZero",
            Op::Normalize(_) => "Normalize",
            Op::PRelu(_) => "PRelu",
            Op::Pack(_) => "Pack",
            Op::Pad(_) => "Pad",
            Op::Permute(_) => "Permute",
            Op::PixelNorm(_) => "PixelNorm",
            Op::PoolMask(_) => "PoolMask",
            Op::Pow(_) => "Pow",
            Op::Pow2(_) => "Pow2",
            Op::Pow3(_) => "Pow3",
            Op::Preprocess(_) => "Preprocess",
            Op::PriorBox(_) => "PriorBox",
            Op::Proposal(_) => "Proposal",
            Op::QuantizeLinear(_) => "QuantizeLinear",
            Op::RMSNorm(_) => "RMSNorm",
            Op::ROIPooling(_) => "ROIPooling",
            Op::RandnLike(_) => "RandnLike",
            Op::Range(_) => "Range",
            Op::Reciprocal(_) => "Reciprocal",
            Op::RecurrentGatedDeltaRule(_) => "RecurrentGatedDeltaRule",
            Op::Reduce(_) => "Reduce",
            Op::Relu(_) => "Relu",
            Op::Remainder(_) => "Remainder",
            Op::Repeat(_) => "Repeat",
            Op::RequantFp(_) => "RequantFp",
            Op::RequantInt(_) => "RequantInt",
            Op::Reshape(_) => "Reshape",
            Op::RetinaFaceDetection(_) => "RetinaFaceDetection",
            Op::Reverse(_) => "Reverse",
            Op::RoiAlign(_) => "RoiAlign",
            Op::RoiExtractor(_) => "RoiExtractor",
            Op::Rope(_) => "Rope",
            Op::Round(_) => "Round",
            Op::Rsqrt(_) => "Rsqrt",
            Op::Scale(_) => "Scale",
            Op::ScaleDotProductAttention(_) => "ScaleDotProductAttention",
            Op::ScaleLut(_) => "ScaleLut",
            Op::ScatterElements(_) => "ScatterElements",
            Op::ScatterND(_) => "ScatterND",
            Op::SelectiveScan(_) => "SelectiveScan",
            Op::Shape(_) => "Shape",
            Op::ShuffleChannel(_) => "ShuffleChannel",
            Op::SiLU(_) => "SiLU",
            Op::Sigmoid(_) => "Sigmoid",
            Op::Sign(_) => "Sign",
            Op::Sin(_) => "Sin",
            Op::Sinh(_) => "Sinh",
            Op::Size(_) => "Size",
            Op::Slice(_) => "Slice",
            Op::SliceAxis(_) => "SliceAxis",
            Op::Softmax(_) => "Softmax",
            Op::SoftmaxBwd(_) => "SoftmaxBwd",
            Op::Softplus(_) => "Softplus",
            Op::Softsign(_) => "Softsign",
            Op::Sort(_) => "Sort",
            Op::Split(_) => "Split",
            Op::Sqrt(_) => "Sqrt",
            Op::Squeeze(_) => "Squeeze",
            Op::StridedSlice(_) => "StridedSlice",
            Op::Sub(_) => "Sub",
            Op::SubConst(_) => "SubConst",
            Op::SwapChannel(_) => "SwapChannel",
            Op::SwapDimInner(_) => "SwapDimInner",
            Op::Swish(_) => "Swish",
            Op::Tan(_) => "Tan",
            Op::Tanh(_) => "Tanh",
            Op::Tile(_) => "Tile",
            Op::TopK(_) => "TopK",
            Op::Transpose(_) => "Transpose",
            Op::Trilu(_) => "Trilu",
            Op::Tuple(_) => "Tuple",
            Op::UnTuple(_) => "UnTuple",
            Op::Unpack(_) => "Unpack",
            Op::Unsqueeze(_) => "Unsqueeze",
            Op::Upsample(_) => "Upsample",
            Op::Variance(_) => "Variance",
            Op::View(_) => "View",
            Op::WeightReorder(_) => "WeightReorder",
            Op::Where(_) => "Where",
            Op::YoloDetection(_) => "YoloDetection",
            Op::Yuv2rgbFormula(_) => "Yuv2rgbFormula",
        }
    }
    /// Returns the operands with their names, in td's order.
    pub fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        match self {
            Op::A16Gather(op) => op.operand_values(),
            Op::A16MatMul(op) => op.operand_values(),
            Op::Abs(op) => op.operand_values(),
            Op::AdaptiveAvgPool(op) => op.operand_values(),
            Op::Add(op) => op.operand_values(),
            Op::AddConst(op) => op.operand_values(),
            Op::Arange(op) => op.operand_values(),
            Op::Arccos(op) => op.operand_values(),
            Op::Arctanh(op) => op.operand_values(),
            Op::Arg(op) => op.operand_values(),
            Op::Attention(op) => op.operand_values(),
            Op::AvgPool(op) => op.operand_values(),
            Op::BatchNorm(op) => op.operand_values(),
            Op::BatchNormBwd(op) => op.operand_values(),
            Op::BatchNormTrain(op) => op.operand_values(),
            Op::BinaryConstShift(op) => op.operand_values(),
            Op::BinaryShift(op) => op.operand_values(),
            Op::C2CAllReduce(op) => op.operand_values(),
            Op::C2CBroadcast(op) => op.operand_values(),
            Op::Cast(op) => op.operand_values(),
            Op::Ceil(op) => op.operand_values(),
            Op::ChunkGatedDeltaRule(op) => op.operand_values(),
            Op::Clip(op) => op.operand_values(),
            Op::Compare(op) => op.operand_values(),
            Op::CompareConst(op) => op.operand_values(),
            Op::Concat(op) => op.operand_values(),
            Op::ConcatSlice(op) => op.operand_values(),
            Op::ConcatVolume(op) => op.operand_values(),
            Op::ConstantFill(op) => op.operand_values(),
            Op::Conv(op) => op.operand_values(),
            Op::ConvBwd_Weight(op) => op.operand_values(),
            Op::Convbwd(op) => op.operand_values(),
            Op::Copy(op) => op.operand_values(),
            Op::Correlation(op) => op.operand_values(),
            Op::Cos(op) => op.operand_values(),
            Op::Cosh(op) => op.operand_values(),
            Op::Csc(op) => op.operand_values(),
            Op::CumSum(op) => op.operand_values(),
            Op::Custom(op) => op.operand_values(),
            Op::Deconv(op) => op.operand_values(),
            Op::DeformConv2D(op) => op.operand_values(),
            Op::DepackRaw(op) => op.operand_values(),
            Op::Depth2Space(op) => op.operand_values(),
            Op::DequantInt(op) => op.operand_values(),
            Op::DequantizeLinear(op) => op.operand_values(),
            Op::DetectionOutput(op) => op.operand_values(),
            Op::Div(op) => op.operand_values(),
            Op::DivConst(op) => op.operand_values(),
            Op::DtypeCast(op) => op.operand_values(),
            Op::Einsum(op) => op.operand_values(),
            Op::Elu(op) => op.operand_values(),
            Op::EmbDenseBwd(op) => op.operand_values(),
            Op::Erf(op) => op.operand_values(),
            Op::Exp(op) => op.operand_values(),
            Op::Expand(op) => op.operand_values(),
            Op::FAttention(op) => op.operand_values(),
            Op::FAttentionLse(op) => op.operand_values(),
            Op::Flatten(op) => op.operand_values(),
            Op::FlexAttention(op) => op.operand_values(),
            Op::Floor(op) => op.operand_values(),
            Op::Fp8MatMul(op) => op.operand_values(),
            Op::FrcnDetection(op) => op.operand_values(),
            Op::GELU(op) => op.operand_values(),
            Op::GRU(op) => op.operand_values(),
            Op::Gather(op) => op.operand_values(),
            Op::GatherElements(op) => op.operand_values(),
            Op::GatherND(op) => op.operand_values(),
            Op::GridSampler(op) => op.operand_values(),
            Op::GroupNorm(op) => op.operand_values(),
            Op::GroupNormTrain(op) => op.operand_values(),
            Op::HardSigmoid(op) => op.operand_values(),
            Op::HardSwish(op) => op.operand_values(),
            Op::If(op) => op.operand_values(),
            Op::IndexPut(op) => op.operand_values(),
            Op::Insert(op) => op.operand_values(),
            Op::InstanceNorm(op) => op.operand_values(),
            Op::Interp(op) => op.operand_values(),
            Op::LRN(op) => op.operand_values(),
            Op::LSTM(op) => op.operand_values(),
            Op::LayerNorm(op) => op.operand_values(),
            Op::LayerNormBwd(op) => op.operand_values(),
            Op::LayerNormTrain(op) => op.operand_values(),
            Op::LeakyRelu(op) => op.operand_values(),
            Op::List(op) => op.operand_values(),
            Op::Log(op) => op.operand_values(),
            Op::LogB(op) => op.operand_values(),
            Op::LogicalAnd(op) => op.operand_values(),
            Op::Loop(op) => op.operand_values(),
            Op::Lut(op) => op.operand_values(),
            Op::MaskRCNN_BboxPooler(op) => op.operand_values(),
            Op::MaskRCNN_GetBboxB(op) => op.operand_values(),
            Op::MaskRCNN_MaskPooler(op) => op.operand_values(),
            Op::MaskRCNN_RPNGetBboxes(op) => op.operand_values(),
            Op::MaskedFill(op) => op.operand_values(),
            Op::MatMul(op) => op.operand_values(),
            Op::MatchTemplate(op) => op.operand_values(),
            Op::Max(op) => op.operand_values(),
            Op::MaxConst(op) => op.operand_values(),
            Op::MaxPool(op) => op.operand_values(),
            Op::MaxPoolWithMask(op) => op.operand_values(),
            Op::MaxPoolingIndicesBwd(op) => op.operand_values(),
            Op::MaxUnpool(op) => op.operand_values(),
            Op::MeanRstd(op) => op.operand_values(),
            Op::MeanStdScale(op) => op.operand_values(),
            Op::MeshGrid(op) => op.operand_values(),
            Op::Min(op) => op.operand_values(),
            Op::MinConst(op) => op.operand_values(),
            Op::Mish(op) => op.operand_values(),
            Op::Mlp(op) => op.operand_values(),
            Op::Mmap2Rgbmap(op) => op.operand_values(),
            Op::Mod(op) => op.operand_values(),
            Op::Mul(op) => op.operand_values(),
            Op::MulConst(op) => op.operand_values(),
            Op::Nms(op) => op.operand_values(),
            Op::NonZero(op) => op.operand_values(),
            Op::Normalize(op) => op.operand_values(),
            Op::PRelu(op) => op.operand_values(),
            Op::Pack(op) => op.operand_values(),
            Op::Pad(op) => op.operand_values(),
            Op::Permute(op) => op.operand_values(),
            Op::PixelNorm(op) => op.operand_values(),
            Op::PoolMask(op) => op.operand_values(),
            Op::Pow(op) => op.operand_values(),
            Op::Pow2(op) => op.operand_values(),
            Op::Pow3(op) => op.operand_values(),
            Op::Preprocess(op) => op.operand_values(),
            Op::PriorBox(op) => op.operand_values(),
            Op::Proposal(op) => op.operand_values(),
            Op::QuantizeLinear(op) => op.operand_values(),
            Op::RMSNorm(op) => op.operand_values(),
            Op::ROIPooling(op) => op.operand_values(),
            Op::RandnLike(op) => op.operand_values(),
            Op::Range(op) => op.operand_values(),
            Op::Reciprocal(op) => op.operand_values(),
            Op::RecurrentGatedDeltaRule(op) => op.operand_values(),
            Op::Reduce(op) => op.operand_values(),
            Op::Relu(op) => op.operand_values(),
            Op::Remainder(op) => op.operand_values(),
            Op::Repeat(op) => op.operand_values(),
            Op::RequantFp(op) => op.operand_values(),
            Op::RequantInt(op) => op.operand_values(),
            Op::Reshape(op) => op.operand_values(),
            Op::RetinaFaceDetection(op) => op.operand_values(),
            Op::Reverse(op) => op.operand_values(),
            Op::RoiAlign(op) => op.operand_values(),
            Op::RoiExtractor(op) => op.operand_values(),
            Op::Rope(op) => op.operand_values(),
            Op::Round(op) => op.operand_values(),
            Op::Rsqrt(op) => op.operand_values(),
            Op::Scale(op) => op.operand_values(),
            Op::ScaleDotProductAttention(op) => op.operand_values(),
            Op::ScaleLut(op) => op.operand_values(),
            Op::ScatterElements(op) => op.operand_values(),
            Op::ScatterND(op) => op.operand_values(),
            Op::SelectiveScan(op) => op.operand_values(),
            Op::Shape(op) => op.operand_values(),
            Op::ShuffleChannel(op) => op.operand_values(),
            Op::SiLU(op) => op.operand_values(),
            Op::Sigmoid(op) => op.operand_values(),
            Op::Sign(op) => op.operand_values(),
            Op::Sin(op) => op.operand_values(),
            Op::Sinh(op) => op.operand_values(),
            Op::Size(op) => op.operand_values(),
            Op::Slice(op) => op.operand_values(),
            Op::SliceAxis(op) => op.operand_values(),
            Op::Softmax(op) => op.operand_values(),
            Op::SoftmaxBwd(op) => op.operand_values(),
            Op::Softplus(op) => op.operand_values(),
            Op::Softsign(op) => op.operand_values(),
            Op::Sort(op) => op.operand_values(),
            Op::Split(op) => op.operand_values(),
            Op::Sqrt(op) => op.operand_values(),
            Op::Squeeze(op) => op.operand_values(),
            Op::StridedSlice(op) => op.operand_values(),
            Op::Sub(op) => op.operand_values(),
            Op::SubConst(op) => op.operand_values(),
            Op::SwapChannel(op) => op.operand_values(),
            Op::SwapDimInner(op) => op.operand_values(),
            Op::Swish(op) => op.operand_values(),
            Op::Tan(op) => op.operand_values(),
            Op::Tanh(op) => op.operand_values(),
            Op::Tile(op) => op.operand_values(),
            Op::TopK(op) => op.operand_values(),
            Op::Transpose(op) => op.operand_values(),
            Op::Trilu(op) => op.operand_values(),
            Op::Tuple(op) => op.operand_values(),
            Op::UnTuple(op) => op.operand_values(),
            Op::Unpack(op) => op.operand_values(),
            Op::Unsqueeze(op) => op.operand_values(),
            Op::Upsample(op) => op.operand_values(),
            Op::Variance(op) => op.operand_values(),
            Op::View(op) => op.operand_values(),
            Op::WeightReorder(op) => op.operand_values(),
            Op::Where(op) => op.operand_values(),
            Op::YoloDetection(op) => op.operand_values(),
            Op::Yuv2rgbFormula(op) => op.operand_values(),
        }
    }
    /// Returns the attributes by name.
    pub fn attributes(&self) -> Attributes {
        match self {
            Op::A16Gather(op) => op.attributes(),
            Op::A16MatMul(op) => op.attributes(),
            Op::Abs(op) => op.attributes(),
            Op::AdaptiveAvgPool(op) => op.attributes(),
            Op::Add(op) => op.attributes(),
            Op::AddConst(op) => op.attributes(),
            Op::Arange(op) => op.attributes(),
            Op::Arccos(op) => op.attributes(),
            Op::Arctanh(op) => op.attributes(),
            Op::Arg(op) => op.attributes(),
            Op::Attention(op) => op.attributes(),
            Op::AvgPool(op) => op.attributes(),
            Op::BatchNorm(op) => op.attributes(),
            Op::BatchNormBwd(op) => op.attributes(),
            Op::BatchNormTrain(op) => op.attributes(),
            Op::BinaryConstShift(op) => op.attributes(),
            Op::BinaryShift(op) => op.attributes(),
            Op::C2CAllReduce(op) => op.attributes(),
            Op::C2CBroadcast(op) => op.attributes(),
            Op::Cast(op) => op.attributes(),
            Op::Ceil(op) => op.attributes(),
            Op::ChunkGatedDeltaRule(op) => op.attributes(),
            Op::Clip(op) => op.attributes(),
            Op::Compare(op) => op.attributes(),
            Op::CompareConst(op) => op.attributes(),
            Op::Concat(op) => op.attributes(),
            Op::ConcatSlice(op) => op.attributes(),
            Op::ConcatVolume(op) => op.attributes(),
            Op::ConstantFill(op) => op.attributes(),
            Op::Conv(op) => op.attributes(),
            Op::ConvBwd_Weight(op) => op.attributes(),
            Op::Convbwd(op) => op.attributes(),
            Op::Copy(op) => op.attributes(),
            Op::Correlation(op) => op.attributes(),
            Op::Cos(op) => op.attributes(),
            Op::Cosh(op) => op.attributes(),
            Op::Csc(op) => op.attributes(),
            Op::CumSum(op) => op.attributes(),
            Op::Custom(op) => op.attributes(),
            Op::Deconv(op) => op.attributes(),
            Op::DeformConv2D(op) => op.attributes(),
            Op::DepackRaw(op) => op.attributes(),
            Op::Depth2Space(op) => op.attributes(),
            Op::DequantInt(op) => op.attributes(),
            Op::DequantizeLinear(op) => op.attributes(),
            Op::DetectionOutput(op) => op.attributes(),
            Op::Div(op) => op.attributes(),
            Op::DivConst(op) => op.attributes(),
            Op::DtypeCast(op) => op.attributes(),
            Op::Einsum(op) => op.attributes(),
            Op::Elu(op) => op.attributes(),
            Op::EmbDenseBwd(op) => op.attributes(),
            Op::Erf(op) => op.attributes(),
            Op::Exp(op) => op.attributes(),
            Op::Expand(op) => op.attributes(),
            Op::FAttention(op) => op.attributes(),
            Op::FAttentionLse(op) => op.attributes(),
            Op::Flatten(op) => op.attributes(),
            Op::FlexAttention(op) => op.attributes(),
            Op::Floor(op) => op.attributes(),
            Op::Fp8MatMul(op) => op.attributes(),
            Op::FrcnDetection(op) => op.attributes(),
            Op::GELU(op) => op.attributes(),
            Op::GRU(op) => op.attributes(),
            Op::Gather(op) => op.attributes(),
            Op::GatherElements(op) => op.attributes(),
            Op::GatherND(op) => op.attributes(),
            Op::GridSampler(op) => op.attributes(),
            Op::GroupNorm(op) => op.attributes(),
            Op::GroupNormTrain(op) => op.attributes(),
            Op::HardSigmoid(op) => op.attributes(),
            Op::HardSwish(op) => op.attributes(),
            Op::If(op) => op.attributes(),
            Op::IndexPut(op) => op.attributes(),
            Op::Insert(op) => op.attributes(),
            Op::InstanceNorm(op) => op.attributes(),
            Op::Interp(op) => op.attributes(),
            Op::LRN(op) => op.attributes(),
            Op::LSTM(op) => op.attributes(),
            Op::LayerNorm(op) => op.attributes(),
            Op::LayerNormBwd(op) => op.attributes(),
            Op::LayerNormTrain(op) => op.attributes(),
            Op::LeakyRelu(op) => op.attributes(),
            Op::List(op) => op.attributes(),
            Op::Log(op) => op.attributes(),
            Op::LogB(op) => op.attributes(),
            Op::LogicalAnd(op) => op.attributes(),
            Op::Loop(op) => op.attributes(),
            Op::Lut(op) => op.attributes(),
            Op::MaskRCNN_BboxPooler(op) => op.attributes(),
            Op::MaskRCNN_GetBboxB(op) => op.attributes(),
            Op::MaskRCNN_MaskPooler(op) => op.attributes(),
            Op::MaskRCNN_RPNGetBboxes(op) => op.attributes(),
            Op::MaskedFill(op) => op.attributes(),
            Op::MatMul(op) => op.attributes(),
            Op::MatchTemplate(op) => op.attributes(),
            Op::Max(op) => op.attributes(),
            Op::MaxConst(op) => op.attributes(),
            Op::MaxPool(op) => op.attributes(),
            Op::MaxPoolWithMask(op) => op.attributes(),
            Op::MaxPoolingIndicesBwd(op) => op.attributes(),
            Op::MaxUnpool(op) => op.attributes(),
            Op::MeanRstd(op) => op.attributes(),
            Op::MeanStdScale(op) => op.attributes(),
            Op::MeshGrid(op) => op.attributes(),
            Op::Min(op) => op.attributes(),
            Op::MinConst(op) => op.attributes(),
            Op::Mish(op) => op.attributes(),
            Op::Mlp(op) => op.attributes(),
            Op::Mmap2Rgbmap(op) => op.attributes(),
            Op::Mod(op) => op.attributes(),
            Op::Mul(op) => op.attributes(),
            Op::MulConst(op) => op.attributes(),
            Op::Nms(op) => op.attributes(),
            Op::NonZero(op) => op.attributes(),
            Op::Normalize(op) => op.attributes(),
            Op::PRelu(op) => op.attributes(),
            Op::Pack(op) => op.attributes(),
            Op::Pad(op) => op.attributes(),
            Op::Permute(op) => op.attributes(),
            Op::PixelNorm(op) => op.attributes(),
            Op::PoolMask(op) => op.attributes(),
            Op::Pow(op) => op.attributes(),
            Op::Pow2(op) => op.attributes(),
            Op::Pow3(op) => op.attributes(),
            Op::Preprocess(op) => op.attributes(),
            Op::PriorBox(op) => op.attributes(),
            Op::Proposal(op) => op.attributes(),
            Op::QuantizeLinear(op) => op.attributes(),
            Op::RMSNorm(op) => op.attributes(),
            Op::ROIPooling(op) => op.attributes(),
            Op::RandnLike(op) => op.attributes(),
            Op::Range(op) => op.attributes(),
            Op::Reciprocal(op) => op.attributes(),
            Op::RecurrentGatedDeltaRule(op) => op.attributes(),
            Op::Reduce(op) => op.attributes(),
            Op::Relu(op) => op.attributes(),
            Op::Remainder(op) => op.attributes(),
            Op::Repeat(op) => op.attributes(),
            Op::RequantFp(op) => op.attributes(),
            Op::RequantInt(op) => op.attributes(),
            Op::Reshape(op) => op.attributes(),
            Op::RetinaFaceDetection(op) => op.attributes(),
            Op::Reverse(op) => op.attributes(),
            Op::RoiAlign(op) => op.attributes(),
            Op::RoiExtractor(op) => op.attributes(),
            Op::Rope(op) => op.attributes(),
            Op::Round(op) => op.attributes(),
            Op::Rsqrt(op) => op.attributes(),
            Op::Scale(op) => op.attributes(),
            Op::ScaleDotProductAttention(op) => op.attributes(),
            Op::ScaleLut(op) => op.attributes(),
            Op::ScatterElements(op) => op.attributes(),
            Op::ScatterND(op) => op.attributes(),
            Op::SelectiveScan(op) => op.attributes(),
            Op::Shape(op) => op.attributes(),
            Op::ShuffleChannel(op) => op.attributes(),
            Op::SiLU(op) => op.attributes(),
            Op::Sigmoid(op) => op.attributes(),
            Op::Sign(op) => op.attributes(),
            Op::Sin(op) => op.attributes(),
            Op::Sinh(op) => op.attributes(),
            Op::Size(op) => op.attributes(),
            Op::Slice(op) => op.attributes(),
            Op::SliceAxis(op) => op.attributes(),
            Op::Softmax(op) => op.attributes(),
            Op::SoftmaxBwd(op) => op.attributes(),
            Op::Softplus(op) => op.attributes(),
            Op::Softsign(op) => op.attributes(),
            Op::Sort(op) => op.attributes(),
            Op::Split(op) => op.attributes(),
            Op::Sqrt(op) => op.attributes(),
            Op::Squeeze(op) => op.attributes(),
            Op::StridedSlice(op) => op.attributes(),
            Op::Sub(op) => op.attributes(),
            Op::SubConst(op) => op.attributes(),
            Op::SwapChannel(op) => op.attributes(),
            Op::SwapDimInner(op) => op.attributes(),
            Op::Swish(op) => op.attributes(),
            Op::Tan(op) => op.attributes(),
            Op::Tanh(op) => op.attributes(),
            Op::Tile(op) => op.attributes(),
            Op::TopK(op) => op.attributes(),
            Op::Transpose(op) => op.attributes(),
            Op::Trilu(op) => op.attributes(),
            Op::Tuple(op) => op.attributes(),
            Op::UnTuple(op) => op.attributes(),
            Op::Unpack(op) => op.attributes(),
            Op::Unsqueeze(op) => op.attributes(),
            Op::Upsample(op) => op.attributes(),
            Op::Variance(op) => op.attributes(),
            Op::View(op) => op.attributes(),
            Op::WeightReorder(op) => op.attributes(),
            Op::Where(op) => op.attributes(),
            Op::YoloDetection(op) => op.attributes(),
            Op::Yuv2rgbFormula(op) => op.attributes(),
        }
    }
    /// Returns the same op with `f` applied to each operand.
    ///
    /// # Errors
    /// Returns the first error of `f`.
    pub fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Op<U>, E> {
        Ok(
            match self {
                Op::A16Gather(op) => Op::A16Gather(Box::new(op.try_map(f)?)),
                Op::A16MatMul(op) => Op::A16MatMul(Box::new(op.try_map(f)?)),
                Op::Abs(op) => Op::Abs(Box::new(op.try_map(f)?)),
                Op::AdaptiveAvgPool(op) => Op::AdaptiveAvgPool(Box::new(op.try_map(f)?)),
                Op::Add(op) => Op::Add(Box::new(op.try_map(f)?)),
                Op::AddConst(op) => Op::AddConst(Box::new(op.try_map(f)?)),
                Op::Arange(op) => Op::Arange(Box::new(op.try_map(f)?)),
                Op::Arccos(op) => Op::Arccos(Box::new(op.try_map(f)?)),
                Op::Arctanh(op) => Op::Arctanh(Box::new(op.try_map(f)?)),
                Op::Arg(op) => Op::Arg(Box::new(op.try_map(f)?)),
                Op::Attention(op) => Op::Attention(Box::new(op.try_map(f)?)),
                Op::AvgPool(op) => Op::AvgPool(Box::new(op.try_map(f)?)),
                Op::BatchNorm(op) => Op::BatchNorm(Box::new(op.try_map(f)?)),
                Op::BatchNormBwd(op) => Op::BatchNormBwd(Box::new(op.try_map(f)?)),
                Op::BatchNormTrain(op) => Op::BatchNormTrain(Box::new(op.try_map(f)?)),
                Op::BinaryConstShift(op) => {
                    Op::BinaryConstShift(Box::new(op.try_map(f)?))
                }
                Op::BinaryShift(op) => Op::BinaryShift(Box::new(op.try_map(f)?)),
                Op::C2CAllReduce(op) => Op::C2CAllReduce(Box::new(op.try_map(f)?)),
                Op::C2CBroadcast(op) => Op::C2CBroadcast(Box::new(op.try_map(f)?)),
                Op::Cast(op) => Op::Cast(Box::new(op.try_map(f)?)),
                Op::Ceil(op) => Op::Ceil(Box::new(op.try_map(f)?)),
                Op::ChunkGatedDeltaRule(op) => {
                    Op::ChunkGatedDeltaRule(Box::new(op.try_map(f)?))
                }
                Op::Clip(op) => Op::Clip(Box::new(op.try_map(f)?)),
                Op::Compare(op) => Op::Compare(Box::new(op.try_map(f)?)),
                Op::CompareConst(op) => Op::CompareConst(Box::new(op.try_map(f)?)),
                Op::Concat(op) => Op::Concat(Box::new(op.try_map(f)?)),
                Op::ConcatSlice(op) => Op::ConcatSlice(Box::new(op.try_map(f)?)),
                Op::ConcatVolume(op) => Op::ConcatVolume(Box::new(op.try_map(f)?)),
                Op::ConstantFill(op) => Op::ConstantFill(Box::new(op.try_map(f)?)),
                Op::Conv(op) => Op::Conv(Box::new(op.try_map(f)?)),
                Op::ConvBwd_Weight(op) => Op::ConvBwd_Weight(Box::new(op.try_map(f)?)),
                Op::Convbwd(op) => Op::Convbwd(Box::new(op.try_map(f)?)),
                Op::Copy(op) => Op::Copy(Box::new(op.try_map(f)?)),
                Op::Correlation(op) => Op::Correlation(Box::new(op.try_map(f)?)),
                Op::Cos(op) => Op::Cos(Box::new(op.try_map(f)?)),
                Op::Cosh(op) => Op::Cosh(Box::new(op.try_map(f)?)),
                Op::Csc(op) => Op::Csc(Box::new(op.try_map(f)?)),
                Op::CumSum(op) => Op::CumSum(Box::new(op.try_map(f)?)),
                Op::Custom(op) => Op::Custom(Box::new(op.try_map(f)?)),
                Op::Deconv(op) => Op::Deconv(Box::new(op.try_map(f)?)),
                Op::DeformConv2D(op) => Op::DeformConv2D(Box::new(op.try_map(f)?)),
                Op::DepackRaw(op) => Op::DepackRaw(Box::new(op.try_map(f)?)),
                Op::Depth2Space(op) => Op::Depth2Space(Box::new(op.try_map(f)?)),
                Op::DequantInt(op) => Op::DequantInt(Box::new(op.try_map(f)?)),
                Op::DequantizeLinear(op) => {
                    Op::DequantizeLinear(Box::new(op.try_map(f)?))
                }
                Op::DetectionOutput(op) => Op::DetectionOutput(Box::new(op.try_map(f)?)),
                Op::Div(op) => Op::Div(Box::new(op.try_map(f)?)),
                Op::DivConst(op) => Op::DivConst(Box::new(op.try_map(f)?)),
                Op::DtypeCast(op) => Op::DtypeCast(Box::new(op.try_map(f)?)),
                Op::Einsum(op) => Op::Einsum(Box::new(op.try_map(f)?)),
                Op::Elu(op) => Op::Elu(Box::new(op.try_map(f)?)),
                Op::EmbDenseBwd(op) => Op::EmbDenseBwd(Box::new(op.try_map(f)?)),
                Op::Erf(op) => Op::Erf(Box::new(op.try_map(f)?)),
                Op::Exp(op) => Op::Exp(Box::new(op.try_map(f)?)),
                Op::Expand(op) => Op::Expand(Box::new(op.try_map(f)?)),
                Op::FAttention(op) => Op::FAttention(Box::new(op.try_map(f)?)),
                Op::FAttentionLse(op) => Op::FAttentionLse(Box::new(op.try_map(f)?)),
                Op::Flatten(op) => Op::Flatten(Box::new(op.try_map(f)?)),
                Op::FlexAttention(op) => Op::FlexAttention(Box::new(op.try_map(f)?)),
                Op::Floor(op) => Op::Floor(Box::new(op.try_map(f)?)),
                Op::Fp8MatMul(op) => Op::Fp8MatMul(Box::new(op.try_map(f)?)),
                Op::FrcnDetection(op) => Op::FrcnDetection(Box::new(op.try_map(f)?)),
                Op::GELU(op) => Op::GELU(Box::new(op.try_map(f)?)),
                Op::GRU(op) => Op::GRU(Box::new(op.try_map(f)?)),
                Op::Gather(op) => Op::Gather(Box::new(op.try_map(f)?)),
                Op::GatherElements(op) => Op::GatherElements(Box::new(op.try_map(f)?)),
                Op::GatherND(op) => Op::GatherND(Box::new(op.try_map(f)?)),
                Op::GridSampler(op) => Op::GridSampler(Box::new(op.try_map(f)?)),
                Op::GroupNorm(op) => Op::GroupNorm(Box::new(op.try_map(f)?)),
                Op::GroupNormTrain(op) => Op::GroupNormTrain(Box::new(op.try_map(f)?)),
                Op::HardSigmoid(op) => Op::HardSigmoid(Box::new(op.try_map(f)?)),
                Op::HardSwish(op) => Op::HardSwish(Box::new(op.try_map(f)?)),
                Op::If(op) => Op::If(Box::new(op.try_map(f)?)),
                Op::IndexPut(op) => Op::IndexPut(Box::new(op.try_map(f)?)),
                Op::Insert(op) => Op::Insert(Box::new(op.try_map(f)?)),
                Op::InstanceNorm(op) => Op::InstanceNorm(Box::new(op.try_map(f)?)),
                Op::Interp(op) => Op::Interp(Box::new(op.try_map(f)?)),
                Op::LRN(op) => Op::LRN(Box::new(op.try_map(f)?)),
                Op::LSTM(op) => Op::LSTM(Box::new(op.try_map(f)?)),
                Op::LayerNorm(op) => Op::LayerNorm(Box::new(op.try_map(f)?)),
                Op::LayerNormBwd(op) => Op::LayerNormBwd(Box::new(op.try_map(f)?)),
                Op::LayerNormTrain(op) => Op::LayerNormTrain(Box::new(op.try_map(f)?)),
                Op::LeakyRelu(op) => Op::LeakyRelu(Box::new(op.try_map(f)?)),
                Op::List(op) => Op::List(Box::new(op.try_map(f)?)),
                Op::Log(op) => Op::Log(Box::new(op.try_map(f)?)),
                Op::LogB(op) => Op::LogB(Box::new(op.try_map(f)?)),
                Op::LogicalAnd(op) => Op::LogicalAnd(Box::new(op.try_map(f)?)),
                Op::Loop(op) => Op::Loop(Box::new(op.try_map(f)?)),
                Op::Lut(op) => Op::Lut(Box::new(op.try_map(f)?)),
                Op::MaskRCNN_BboxPooler(op) => {
                    Op::MaskRCNN_BboxPooler(Box::new(op.try_map(f)?))
                }
                Op::MaskRCNN_GetBboxB(op) => {
                    Op::MaskRCNN_GetBboxB(Box::new(op.try_map(f)?))
                }
                Op::MaskRCNN_MaskPooler(op) => {
                    Op::MaskRCNN_MaskPooler(Box::new(op.try_map(f)?))
                }
                Op::MaskRCNN_RPNGetBboxes(op) => {
                    Op::MaskRCNN_RPNGetBboxes(Box::new(op.try_map(f)?))
                }
                Op::MaskedFill(op) => Op::MaskedFill(Box::new(op.try_map(f)?)),
                Op::MatMul(op) => Op::MatMul(Box::new(op.try_map(f)?)),
                Op::MatchTemplate(op) => Op::MatchTemplate(Box::new(op.try_map(f)?)),
                Op::Max(op) => Op::Max(Box::new(op.try_map(f)?)),
                Op::MaxConst(op) => Op::MaxConst(Box::new(op.try_map(f)?)),
                Op::MaxPool(op) => Op::MaxPool(Box::new(op.try_map(f)?)),
                Op::MaxPoolWithMask(op) => Op::MaxPoolWithMask(Box::new(op.try_map(f)?)),
                Op::MaxPoolingIndicesBwd(op) => {
                    Op::MaxPoolingIndicesBwd(Box::new(op.try_map(f)?))
                }
                Op::MaxUnpool(op) => Op::MaxUnpool(Box::new(op.try_map(f)?)),
                Op::MeanRstd(op) => Op::MeanRstd(Box::new(op.try_map(f)?)),
                Op::MeanStdScale(op) => Op::MeanStdScale(Box::new(op.try_map(f)?)),
                Op::MeshGrid(op) => Op::MeshGrid(Box::new(op.try_map(f)?)),
                Op::Min(op) => Op::Min(Box::new(op.try_map(f)?)),
                Op::MinConst(op) => Op::MinConst(Box::new(op.try_map(f)?)),
                Op::Mish(op) => Op::Mish(Box::new(op.try_map(f)?)),
                Op::Mlp(op) => Op::Mlp(Box::new(op.try_map(f)?)),
                Op::Mmap2Rgbmap(op) => Op::Mmap2Rgbmap(Box::new(op.try_map(f)?)),
                Op::Mod(op) => Op::Mod(Box::new(op.try_map(f)?)),
                Op::Mul(op) => Op::Mul(Box::new(op.try_map(f)?)),
                Op::MulConst(op) => Op::MulConst(Box::new(op.try_map(f)?)),
                Op::Nms(op) => Op::Nms(Box::new(op.try_map(f)?)),
                Op::NonZero(op) => Op::NonZero(Box::new(op.try_map(f)?)),
                Op::Normalize(op) => Op::Normalize(Box::new(op.try_map(f)?)),
                Op::PRelu(op) => Op::PRelu(Box::new(op.try_map(f)?)),
                Op::Pack(op) => Op::Pack(Box::new(op.try_map(f)?)),
                Op::Pad(op) => Op::Pad(Box::new(op.try_map(f)?)),
                Op::Permute(op) => Op::Permute(Box::new(op.try_map(f)?)),
                Op::PixelNorm(op) => Op::PixelNorm(Box::new(op.try_map(f)?)),
                Op::PoolMask(op) => Op::PoolMask(Box::new(op.try_map(f)?)),
                Op::Pow(op) => Op::Pow(Box::new(op.try_map(f)?)),
                Op::Pow2(op) => Op::Pow2(Box::new(op.try_map(f)?)),
                Op::Pow3(op) => Op::Pow3(Box::new(op.try_map(f)?)),
                Op::Preprocess(op) => Op::Preprocess(Box::new(op.try_map(f)?)),
                Op::PriorBox(op) => Op::PriorBox(Box::new(op.try_map(f)?)),
                Op::Proposal(op) => Op::Proposal(Box::new(op.try_map(f)?)),
                Op::QuantizeLinear(op) => Op::QuantizeLinear(Box::new(op.try_map(f)?)),
                Op::RMSNorm(op) => Op::RMSNorm(Box::new(op.try_map(f)?)),
                Op::ROIPooling(op) => Op::ROIPooling(Box::new(op.try_map(f)?)),
                Op::RandnLike(op) => Op::RandnLike(Box::new(op.try_map(f)?)),
                Op::Range(op) => Op::Range(Box::new(op.try_map(f)?)),
                Op::Reciprocal(op) => Op::Reciprocal(Box::new(op.try_map(f)?)),
                Op::RecurrentGatedDeltaRule(op) => {
                    Op::RecurrentGatedDeltaRule(Box::new(op.try_map(f)?))
                }
                Op::Reduce(op) => Op::Reduce(Box::new(op.try_map(f)?)),
                Op::Relu(op) => Op::Relu(Box::new(op.try_map(f)?)),
                Op::Remainder(op) => Op::Remainder(Box::new(op.try_map(f)?)),
                Op::Repeat(op) => Op::Repeat(Box::new(op.try_map(f)?)),
                Op::RequantFp(op) => Op::RequantFp(Box::new(op.try_map(f)?)),
                Op::RequantInt(op) => Op::RequantInt(Box::new(op.try_map(f)?)),
                Op::Reshape(op) => Op::Reshape(Box::new(op.try_map(f)?)),
                Op::RetinaFaceDetection(op) => {
                    Op::RetinaFaceDetection(Box::new(op.try_map(f)?))
                }
                Op::Reverse(op) => Op::Reverse(Box::new(op.try_map(f)?)),
                Op::RoiAlign(op) => Op::RoiAlign(Box::new(op.try_map(f)?)),
                Op::RoiExtractor(op) => Op::RoiExtractor(Box::new(op.try_map(f)?)),
                Op::Rope(op) => Op::Rope(Box::new(op.try_map(f)?)),
                Op::Round(op) => Op::Round(Box::new(op.try_map(f)?)),
                Op::Rsqrt(op) => Op::Rsqrt(Box::new(op.try_map(f)?)),
                Op::Scale(op) => Op::Scale(Box::new(op.try_map(f)?)),
                Op::ScaleDotProductAttention(op) => {
                    Op::ScaleDotProductAttention(Box::new(op.try_map(f)?))
                }
                Op::ScaleLut(op) => Op::ScaleLut(Box::new(op.try_map(f)?)),
                Op::ScatterElements(op) => Op::ScatterElements(Box::new(op.try_map(f)?)),
                Op::ScatterND(op) => Op::ScatterND(Box::new(op.try_map(f)?)),
                Op::SelectiveScan(op) => Op::SelectiveScan(Box::new(op.try_map(f)?)),
                Op::Shape(op) => Op::Shape(Box::new(op.try_map(f)?)),
                Op::ShuffleChannel(op) => Op::ShuffleChannel(Box::new(op.try_map(f)?)),
                Op::SiLU(op) => Op::SiLU(Box::new(op.try_map(f)?)),
                Op::Sigmoid(op) => Op::Sigmoid(Box::new(op.try_map(f)?)),
                Op::Sign(op) => Op::Sign(Box::new(op.try_map(f)?)),
                Op::Sin(op) => Op::Sin(Box::new(op.try_map(f)?)),
                Op::Sinh(op) => Op::Sinh(Box::new(op.try_map(f)?)),
                Op::Size(op) => Op::Size(Box::new(op.try_map(f)?)),
                Op::Slice(op) => Op::Slice(Box::new(op.try_map(f)?)),
                Op::SliceAxis(op) => Op::SliceAxis(Box::new(op.try_map(f)?)),
                Op::Softmax(op) => Op::Softmax(Box::new(op.try_map(f)?)),
                Op::SoftmaxBwd(op) => Op::SoftmaxBwd(Box::new(op.try_map(f)?)),
                Op::Softplus(op) => Op::Softplus(Box::new(op.try_map(f)?)),
                Op::Softsign(op) => Op::Softsign(Box::new(op.try_map(f)?)),
                Op::Sort(op) => Op::Sort(Box::new(op.try_map(f)?)),
                Op::Split(op) => Op::Split(Box::new(op.try_map(f)?)),
                Op::Sqrt(op) => Op::Sqrt(Box::new(op.try_map(f)?)),
                Op::Squeeze(op) => Op::Squeeze(Box::new(op.try_map(f)?)),
                Op::StridedSlice(op) => Op::StridedSlice(Box::new(op.try_map(f)?)),
                Op::Sub(op) => Op::Sub(Box::new(op.try_map(f)?)),
                Op::SubConst(op) => Op::SubConst(Box::new(op.try_map(f)?)),
                Op::SwapChannel(op) => Op::SwapChannel(Box::new(op.try_map(f)?)),
                Op::SwapDimInner(op) => Op::SwapDimInner(Box::new(op.try_map(f)?)),
                Op::Swish(op) => Op::Swish(Box::new(op.try_map(f)?)),
                Op::Tan(op) => Op::Tan(Box::new(op.try_map(f)?)),
                Op::Tanh(op) => Op::Tanh(Box::new(op.try_map(f)?)),
                Op::Tile(op) => Op::Tile(Box::new(op.try_map(f)?)),
                Op::TopK(op) => Op::TopK(Box::new(op.try_map(f)?)),
                Op::Transpose(op) => Op::Transpose(Box::new(op.try_map(f)?)),
                Op::Trilu(op) => Op::Trilu(Box::new(op.try_map(f)?)),
                Op::Tuple(op) => Op::Tuple(Box::new(op.try_map(f)?)),
                Op::UnTuple(op) => Op::UnTuple(Box::new(op.try_map(f)?)),
                Op::Unpack(op) => Op::Unpack(Box::new(op.try_map(f)?)),
                Op::Unsqueeze(op) => Op::Unsqueeze(Box::new(op.try_map(f)?)),
                Op::Upsample(op) => Op::Upsample(Box::new(op.try_map(f)?)),
                Op::Variance(op) => Op::Variance(Box::new(op.try_map(f)?)),
                Op::View(op) => Op::View(Box::new(op.try_map(f)?)),
                Op::WeightReorder(op) => Op::WeightReorder(Box::new(op.try_map(f)?)),
                Op::Where(op) => Op::Where(Box::new(op.try_map(f)?)),
                Op::YoloDetection(op) => Op::YoloDetection(Box::new(op.try_map(f)?)),
                Op::Yuv2rgbFormula(op) => Op::Yuv2rgbFormula(Box::new(op.try_map(f)?)),
            },
        )
    }
    pub(crate) fn build(
        name: &str,
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        Ok(
            match name {
                "A16Gather" => A16Gather::build(operands, attributes)?.into(),
                "A16MatMul" => A16MatMul::build(operands, attributes)?.into(),
                "Abs" => Abs::build(operands, attributes)?.into(),
                "AdaptiveAvgPool" => AdaptiveAvgPool::build(operands, attributes)?.into(),
                "Add" => Add::build(operands, attributes)?.into(),
                "AddConst" => AddConst::build(operands, attributes)?.into(),
                "Arange" => Arange::build(operands, attributes)?.into(),
                "Arccos" => Arccos::build(operands, attributes)?.into(),
                "Arctanh" => Arctanh::build(operands, attributes)?.into(),
                "Arg" => Arg::build(operands, attributes)?.into(),
                "Attention" => Attention::build(operands, attributes)?.into(),
                "AvgPool" => AvgPool::build(operands, attributes)?.into(),
                "BatchNorm" => BatchNorm::build(operands, attributes)?.into(),
                "BatchNormBwd" => BatchNormBwd::build(operands, attributes)?.into(),
                "BatchNormTrain" => BatchNormTrain::build(operands, attributes)?.into(),
                "BinaryConstShift" => {
                    BinaryConstShift::build(operands, attributes)?.into()
                }
                "BinaryShift" => BinaryShift::build(operands, attributes)?.into(),
                "C2CAllReduce" => C2CAllReduce::build(operands, attributes)?.into(),
                "C2CBroadcast" => C2CBroadcast::build(operands, attributes)?.into(),
                "Cast" => Cast::build(operands, attributes)?.into(),
                "Ceil" => Ceil::build(operands, attributes)?.into(),
                "ChunkGatedDeltaRule" => {
                    ChunkGatedDeltaRule::build(operands, attributes)?.into()
                }
                "Clip" => Clip::build(operands, attributes)?.into(),
                "Compare" => Compare::build(operands, attributes)?.into(),
                "CompareConst" => CompareConst::build(operands, attributes)?.into(),
                "Concat" => Concat::build(operands, attributes)?.into(),
                "ConcatSlice" => ConcatSlice::build(operands, attributes)?.into(),
                "ConcatVolume" => ConcatVolume::build(operands, attributes)?.into(),
                "ConstantFill" => ConstantFill::build(operands, attributes)?.into(),
                "Conv" => Conv::build(operands, attributes)?.into(),
                "ConvBwd_Weight" => ConvBwd_Weight::build(operands, attributes)?.into(),
                "Convbwd" => Convbwd::build(operands, attributes)?.into(),
                "Copy" => Copy::build(operands, attributes)?.into(),
                "Correlation" => Correlation::build(operands, attributes)?.into(),
                "Cos" => Cos::build(operands, attributes)?.into(),
                "Cosh" => Cosh::build(operands, attributes)?.into(),
                "Csc" => Csc::build(operands, attributes)?.into(),
                "CumSum" => CumSum::build(operands, attributes)?.into(),
                "Custom" => Custom::build(operands, attributes)?.into(),
                "Deconv" => Deconv::build(operands, attributes)?.into(),
                "DeformConv2D" => DeformConv2D::build(operands, attributes)?.into(),
                "DepackRaw" => DepackRaw::build(operands, attributes)?.into(),
                "Depth2Space" => Depth2Space::build(operands, attributes)?.into(),
                "DequantInt" => DequantInt::build(operands, attributes)?.into(),
                "DequantizeLinear" => {
                    DequantizeLinear::build(operands, attributes)?.into()
                }
                "DetectionOutput" => DetectionOutput::build(operands, attributes)?.into(),
                "Div" => Div::build(operands, attributes)?.into(),
                "DivConst" => DivConst::build(operands, attributes)?.into(),
                "DtypeCast" => DtypeCast::build(operands, attributes)?.into(),
                "Einsum" => Einsum::build(operands, attributes)?.into(),
                "Elu" => Elu::build(operands, attributes)?.into(),
                "EmbDenseBwd" => EmbDenseBwd::build(operands, attributes)?.into(),
                "Erf" => Erf::build(operands, attributes)?.into(),
                "Exp" => Exp::build(operands, attributes)?.into(),
                "Expand" => Expand::build(operands, attributes)?.into(),
                "FAttention" => FAttention::build(operands, attributes)?.into(),
                "FAttentionLse" => FAttentionLse::build(operands, attributes)?.into(),
                "Flatten" => Flatten::build(operands, attributes)?.into(),
                "FlexAttention" => FlexAttention::build(operands, attributes)?.into(),
                "Floor" => Floor::build(operands, attributes)?.into(),
                "Fp8MatMul" => Fp8MatMul::build(operands, attributes)?.into(),
                "FrcnDetection" => FrcnDetection::build(operands, attributes)?.into(),
                "GELU" => GELU::build(operands, attributes)?.into(),
                "GRU" => GRU::build(operands, attributes)?.into(),
                "Gather" => Gather::build(operands, attributes)?.into(),
                "GatherElements" => GatherElements::build(operands, attributes)?.into(),
                "GatherND" => GatherND::build(operands, attributes)?.into(),
                "GridSampler" => GridSampler::build(operands, attributes)?.into(),
                "GroupNorm" => GroupNorm::build(operands, attributes)?.into(),
                "GroupNormTrain" => GroupNormTrain::build(operands, attributes)?.into(),
                "HardSigmoid" => HardSigmoid::build(operands, attributes)?.into(),
                "HardSwish" => HardSwish::build(operands, attributes)?.into(),
                "If" => If::build(operands, attributes)?.into(),
                "IndexPut" => IndexPut::build(operands, attributes)?.into(),
                "Insert" => Insert::build(operands, attributes)?.into(),
                "InstanceNorm" => InstanceNorm::build(operands, attributes)?.into(),
                "Interp" => Interp::build(operands, attributes)?.into(),
                "LRN" => LRN::build(operands, attributes)?.into(),
                "LSTM" => LSTM::build(operands, attributes)?.into(),
                "LayerNorm" => LayerNorm::build(operands, attributes)?.into(),
                "LayerNormBwd" => LayerNormBwd::build(operands, attributes)?.into(),
                "LayerNormTrain" => LayerNormTrain::build(operands, attributes)?.into(),
                "LeakyRelu" => LeakyRelu::build(operands, attributes)?.into(),
                "List" => List::build(operands, attributes)?.into(),
                "Log" => Log::build(operands, attributes)?.into(),
                "LogB" => LogB::build(operands, attributes)?.into(),
                "LogicalAnd" => LogicalAnd::build(operands, attributes)?.into(),
                "Loop" => Loop::build(operands, attributes)?.into(),
                "Lut" => Lut::build(operands, attributes)?.into(),
                "MaskRCNN_BboxPooler" => {
                    MaskRCNN_BboxPooler::build(operands, attributes)?.into()
                }
                "MaskRCNN_GetBboxB" => {
                    MaskRCNN_GetBboxB::build(operands, attributes)?.into()
                }
                "MaskRCNN_MaskPooler" => {
                    MaskRCNN_MaskPooler::build(operands, attributes)?.into()
                }
                "MaskRCNN_RPNGetBboxes" => {
                    MaskRCNN_RPNGetBboxes::build(operands, attributes)?.into()
                }
                "MaskedFill" => MaskedFill::build(operands, attributes)?.into(),
                "MatMul" => MatMul::build(operands, attributes)?.into(),
                "MatchTemplate" => MatchTemplate::build(operands, attributes)?.into(),
                "Max" => Max::build(operands, attributes)?.into(),
                "MaxConst" => MaxConst::build(operands, attributes)?.into(),
                "MaxPool" => MaxPool::build(operands, attributes)?.into(),
                "MaxPoolWithMask" => MaxPoolWithMask::build(operands, attributes)?.into(),
                "MaxPoolingIndicesBwd" => {
                    MaxPoolingIndicesBwd::build(operands, attributes)?.into()
                }
                "MaxUnpool" => MaxUnpool::build(operands, attributes)?.into(),
                "MeanRstd" => MeanRstd::build(operands, attributes)?.into(),
                "MeanStdScale" => MeanStdScale::build(operands, attributes)?.into(),
                "MeshGrid" => MeshGrid::build(operands, attributes)?.into(),
                "Min" => Min::build(operands, attributes)?.into(),
                "MinConst" => MinConst::build(operands, attributes)?.into(),
                "Mish" => Mish::build(operands, attributes)?.into(),
                "Mlp" => Mlp::build(operands, attributes)?.into(),
                "Mmap2Rgbmap" => Mmap2Rgbmap::build(operands, attributes)?.into(),
                "Mod" => Mod::build(operands, attributes)?.into(),
                "Mul" => Mul::build(operands, attributes)?.into(),
                "MulConst" => MulConst::build(operands, attributes)?.into(),
                "Nms" => Nms::build(operands, attributes)?.into(),
                "NonZero" => NonZero::build(operands, attributes)?.into(),
                "Normalize" => Normalize::build(operands, attributes)?.into(),
                "PRelu" => PRelu::build(operands, attributes)?.into(),
                "Pack" => Pack::build(operands, attributes)?.into(),
                "Pad" => Pad::build(operands, attributes)?.into(),
                "Permute" => Permute::build(operands, attributes)?.into(),
                "PixelNorm" => PixelNorm::build(operands, attributes)?.into(),
                "PoolMask" => PoolMask::build(operands, attributes)?.into(),
                "Pow" => Pow::build(operands, attributes)?.into(),
                "Pow2" => Pow2::build(operands, attributes)?.into(),
                "Pow3" => Pow3::build(operands, attributes)?.into(),
                "Preprocess" => Preprocess::build(operands, attributes)?.into(),
                "PriorBox" => PriorBox::build(operands, attributes)?.into(),
                "Proposal" => Proposal::build(operands, attributes)?.into(),
                "QuantizeLinear" => QuantizeLinear::build(operands, attributes)?.into(),
                "RMSNorm" => RMSNorm::build(operands, attributes)?.into(),
                "ROIPooling" => ROIPooling::build(operands, attributes)?.into(),
                "RandnLike" => RandnLike::build(operands, attributes)?.into(),
                "Range" => Range::build(operands, attributes)?.into(),
                "Reciprocal" => Reciprocal::build(operands, attributes)?.into(),
                "RecurrentGatedDeltaRule" => {
                    RecurrentGatedDeltaRule::build(operands, attributes)?.into()
                }
                "Reduce" => Reduce::build(operands, attributes)?.into(),
                "Relu" => Relu::build(operands, attributes)?.into(),
                "Remainder" => Remainder::build(operands, attributes)?.into(),
                "Repeat" => Repeat::build(operands, attributes)?.into(),
                "RequantFp" => RequantFp::build(operands, attributes)?.into(),
                "RequantInt" => RequantInt::build(operands, attributes)?.into(),
                "Reshape" => Reshape::build(operands, attributes)?.into(),
                "RetinaFaceDetection" => {
                    RetinaFaceDetection::build(operands, attributes)?.into()
                }
                "Reverse" => Reverse::build(operands, attributes)?.into(),
                "RoiAlign" => RoiAlign::build(operands, attributes)?.into(),
                "RoiExtractor" => RoiExtractor::build(operands, attributes)?.into(),
                "Rope" => Rope::build(operands, attributes)?.into(),
                "Round" => Round::build(operands, attributes)?.into(),
                "Rsqrt" => Rsqrt::build(operands, attributes)?.into(),
                "Scale" => Scale::build(operands, attributes)?.into(),
                "ScaleDotProductAttention" => {
                    ScaleDotProductAttention::build(operands, attributes)?.into()
                }
                "ScaleLut" => ScaleLut::build(operands, attributes)?.into(),
                "ScatterElements" => ScatterElements::build(operands, attributes)?.into(),
                "ScatterND" => ScatterND::build(operands, attributes)?.into(),
                "SelectiveScan" => SelectiveScan::build(operands, attributes)?.into(),
                "Shape" => Shape::build(operands, attributes)?.into(),
                "ShuffleChannel" => ShuffleChannel::build(operands, attributes)?.into(),
                "SiLU" => SiLU::build(operands, attributes)?.into(),
                "Sigmoid" => Sigmoid::build(operands, attributes)?.into(),
                "Sign" => Sign::build(operands, attributes)?.into(),
                "Sin" => Sin::build(operands, attributes)?.into(),
                "Sinh" => Sinh::build(operands, attributes)?.into(),
                "Size" => Size::build(operands, attributes)?.into(),
                "Slice" => Slice::build(operands, attributes)?.into(),
                "SliceAxis" => SliceAxis::build(operands, attributes)?.into(),
                "Softmax" => Softmax::build(operands, attributes)?.into(),
                "SoftmaxBwd" => SoftmaxBwd::build(operands, attributes)?.into(),
                "Softplus" => Softplus::build(operands, attributes)?.into(),
                "Softsign" => Softsign::build(operands, attributes)?.into(),
                "Sort" => Sort::build(operands, attributes)?.into(),
                "Split" => Split::build(operands, attributes)?.into(),
                "Sqrt" => Sqrt::build(operands, attributes)?.into(),
                "Squeeze" => Squeeze::build(operands, attributes)?.into(),
                "StridedSlice" => StridedSlice::build(operands, attributes)?.into(),
                "Sub" => Sub::build(operands, attributes)?.into(),
                "SubConst" => SubConst::build(operands, attributes)?.into(),
                "SwapChannel" => SwapChannel::build(operands, attributes)?.into(),
                "SwapDimInner" => SwapDimInner::build(operands, attributes)?.into(),
                "Swish" => Swish::build(operands, attributes)?.into(),
                "Tan" => Tan::build(operands, attributes)?.into(),
                "Tanh" => Tanh::build(operands, attributes)?.into(),
                "Tile" => Tile::build(operands, attributes)?.into(),
                "TopK" => TopK::build(operands, attributes)?.into(),
                "Transpose" => Transpose::build(operands, attributes)?.into(),
                "Trilu" => Trilu::build(operands, attributes)?.into(),
                "Tuple" => Tuple::build(operands, attributes)?.into(),
                "UnTuple" => UnTuple::build(operands, attributes)?.into(),
                "Unpack" => Unpack::build(operands, attributes)?.into(),
                "Unsqueeze" => Unsqueeze::build(operands, attributes)?.into(),
                "Upsample" => Upsample::build(operands, attributes)?.into(),
                "Variance" => Variance::build(operands, attributes)?.into(),
                "View" => View::build(operands, attributes)?.into(),
                "WeightReorder" => WeightReorder::build(operands, attributes)?.into(),
                "Where" => Where::build(operands, attributes)?.into(),
                "YoloDetection" => YoloDetection::build(operands, attributes)?.into(),
                "Yuv2rgbFormula" => Yuv2rgbFormula::build(operands, attributes)?.into(),
                _ => return Err(is_structure(name)),
            },
        )
    }
}
