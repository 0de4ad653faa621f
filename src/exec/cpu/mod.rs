//! The CPU backend: a kernel for every op that has a type rule, one file a family, by the names of `src/ops`.

mod activation;
mod arithmetic;
mod cast;
mod compare;
mod conv;
mod elementwise;
mod gather;
mod gemm;
mod layout;
mod matmul;
mod norm;
mod pool;
mod reduce;
mod select;
mod task;

use super::{Backend, Operand, Signature, ValueType};
use crate::{array::Array, base::Result, ops::Op};
use task::Task;

/// Runs one operator: reads the operands of the task and writes its results.
type Kernel = Box<dyn Fn(&mut Task) -> Result<()> + Send + Sync>;

/// The list of kernels: one an op, or none.
fn prepare(op: &Op<Operand>) -> Option<Kernel> {
    Some(match op.clone() {
        Op::Add(op) => arithmetic::add(*op),
        Op::AddConst(op) => arithmetic::add_const(*op),
        Op::AvgPool(op) => pool::avg_pool(*op),
        Op::BatchNorm(op) => norm::batch_norm(*op),
        Op::Cast(op) => cast::cast(*op),
        Op::Compare(op) => compare::compare(*op),
        Op::CompareConst(op) => compare::compare_const(*op),
        Op::Concat(op) => layout::concat(*op),
        Op::Conv(op) => conv::conv(*op),
        Op::Div(op) => arithmetic::div(*op),
        Op::GELU(op) => activation::gelu(*op),
        Op::Gather(op) => gather::gather(*op),
        Op::LayerNorm(op) => norm::layer_norm(*op),
        Op::LeakyRelu(op) => activation::leaky_relu(*op),
        Op::MatMul(op) => matmul::matmul(*op),
        Op::Max(op) => arithmetic::max(*op),
        Op::MaxConst(op) => arithmetic::max_const(*op),
        Op::MaxPool(op) => pool::max_pool(*op),
        Op::Min(op) => arithmetic::min(*op),
        Op::MinConst(op) => arithmetic::min_const(*op),
        Op::Mul(op) => arithmetic::mul(*op),
        Op::MulConst(op) => arithmetic::mul_const(*op),
        Op::Permute(op) => layout::permute(*op),
        Op::Reduce(op) => reduce::reduce(*op),
        Op::Relu(op) => activation::relu(*op),
        Op::RequantInt(op) => return cast::requant_int(*op),
        Op::Reshape(op) => layout::reshape(op.input),
        Op::Scale(op) => norm::scale(*op),
        Op::Sigmoid(op) => activation::sigmoid(*op),
        Op::Slice(op) => layout::slice(*op),
        Op::Softmax(op) => activation::softmax(*op),
        Op::Split(op) => layout::split(*op),
        Op::Squeeze(op) => layout::reshape(op.input),
        Op::Sub(op) => arithmetic::sub(*op),
        Op::SubConst(op) => arithmetic::sub_const(*op),
        Op::Tanh(op) => activation::tanh(*op),
        Op::Unsqueeze(op) => layout::reshape(op.input),
        Op::Where(op) => select::select(*op),
        // No kernel yet.
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
        | Op::Yuv2rgbFormula(_) => return None,
    })
}

/// The reference: in float32 or exact integers.
#[derive(Debug, Default)]
pub struct CpuBackend;

impl CpuBackend {
    /// The backend.
    pub fn new() -> Self {
        CpuBackend
    }
}

/// An operator that is ready to run on the CPU.
pub struct CpuKernel {
    run: Kernel,
    results: Vec<ValueType>,
}

impl Backend for CpuBackend {
    type Buffer = Array;
    type Kernel = CpuKernel;
    fn name(&self) -> &str {
        "cpu"
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<CpuKernel>> {
        let results = signature.outputs().cloned().collect();
        Ok(prepare(&signature.op).map(|run| CpuKernel { run, results }))
    }
    fn run(&self, kernel: &CpuKernel, operands: &[Array]) -> Result<Vec<Array>> {
        let mut task = Task::new(operands, &kernel.results);
        (kernel.run)(&mut task)?;
        task.finish()
    }
    fn upload(&self, array: &Array) -> Result<Array> {
        Ok(array.clone())
    }
    fn download(&self, buffer: &Array) -> Result<Array> {
        Ok(buffer.clone())
    }
    fn synchronise(&self) -> Result<()> {
        Ok(())
    }
}
