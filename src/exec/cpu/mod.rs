//! The CPU backend: a kernel for every op that has a type rule, one file per family, with the names of `src/ops`.

mod activation;
mod arena;
mod arithmetic;
mod attention;
mod blocked;
mod cast;
mod chain;
mod channels;
mod channels_last;
mod chunks;
mod compare;
mod computed_conv;
mod conv;
mod conv_bwd;
mod convert;
mod create;
mod custom;
mod deconv;
mod deform;
mod detect;
mod einsum;
mod elementwise;
mod expanded;
mod few_bits;
mod flash;
mod fold;
mod gather;
mod gemm;
mod grid;
mod grid_sampler;
mod image;
mod in_blocks;
mod in_place;
mod int8;
mod interp;
mod kernel;
mod layout;
mod lookup;
mod math;
mod matmul;
mod mean_std;
mod mlp;
mod norm;
mod output_tiles;
mod pad;
mod parallel;
mod pool;
mod pool_lines;
mod rcnn;
mod recurrent;
mod reduce;
mod scan;
mod scatter;
mod select;
mod shift;
mod shuffle;
mod slice;
mod sort;
mod ssd;

mod stored_products;
mod task;
mod tile;
mod train;
mod transcendental;
mod transpose;
mod unary;
mod workspace;

use super::{Backend, Fusion, Layout, Layouts, Operand, Signature, ValueType, heads, signature::is_arithmetic};
use crate::{
    array::{Array, ArrayMut},
    base::{Dtype, Result, Shape},
    ops::Op,
    quant::RoundMode,
};
use arena::Arena;
use blocked::Function;
use chain::Chain;
pub use custom::CustomCall;
use custom::CustomKernels;
use in_place::InPlace;
use kernel::{Epilogue, OpKernel};
use std::sync::Arc;
use task::Task;

/// The kernel of each op.
fn prepare(op: &Op<Operand>) -> Option<OpKernel> {
    Some(match op.clone() {
        Op::A16Gather(op) => gather::a16_gather(*op),
        Op::A16MatMul(op) => few_bits::a16_matmul(*op),
        Op::Abs(op) => unary::of_vectors(op.input, Function::Abs, f64::abs),
        Op::AdaptiveAvgPool(op) => pool::adaptive_avg_pool(*op),
        Op::Add(op) => arithmetic::add(*op, RoundMode::default()),
        Op::AddConst(op) => arithmetic::add_const(*op),
        Op::Arange(op) => create::range(op.start, op.step),
        Op::Arccos(op) => unary::in_vectors(op.input, f64::acos, transcendental::acos),
        Op::Arctanh(op) => unary::function(op.input, f64::atanh),
        Op::Arg(op) => sort::arg(*op),
        Op::Attention(op) => flash::attention(*op),
        Op::AvgPool(op) => pool::avg_pool(*op),
        Op::BatchNorm(op) => norm::batch_norm(*op),
        Op::BatchNormBwd(op) => train::batch_norm_bwd(*op),
        Op::BatchNormTrain(op) => train::batch_norm_train(*op),
        Op::BinaryConstShift(op) => shift::binary_const_shift(*op),
        Op::BinaryShift(op) => shift::binary_shift(*op),
        Op::Cast(op) => cast::cast(*op),
        Op::Ceil(op) => unary::of_vectors(op.input, Function::Ceil, f64::ceil),
        Op::ChunkGatedDeltaRule(op) => scan::chunk_gated_delta_rule(*op),
        Op::Clip(op) => math::clip(*op),
        Op::Compare(op) => compare::compare(*op),
        Op::CompareConst(op) => compare::compare_const(*op),
        Op::Concat(op) => layout::concat(*op),
        Op::ConcatSlice(op) => layout::concat_slice(*op),
        Op::ConcatVolume(op) => image::concat_volume(*op),
        Op::ConstantFill(op) => create::constant_fill(*op),
        Op::Conv(op) => conv::conv(*op, RoundMode::default()),
        Op::ConvBwd_Weight(op) => conv_bwd::conv_bwd_weight(*op),
        Op::Convbwd(op) => return conv_bwd::conv_bwd(*op),
        Op::Copy(op) => layout::reshape(op.input),
        Op::Correlation(op) => image::correlation(*op),
        Op::Cos(op) => unary::in_vectors(op.input, f64::cos, transcendental::cos),
        Op::Cosh(op) => unary::function(op.input, f64::cosh),
        Op::CumSum(op) => reduce::cum_sum(*op),
        Op::Deconv(op) => deconv::deconv(*op),
        Op::DeformConv2D(op) => deform::deform_conv2d(*op),
        Op::Depth2Space(op) => shuffle::depth2space(*op),
        Op::DequantInt(op) => cast::dequant_int(*op),
        Op::DequantizeLinear(op) => cast::dequantize_linear(*op),
        Op::DetectionOutput(op) => ssd::detection_output(*op),
        Op::Div(op) => arithmetic::div(*op),
        Op::DivConst(op) => arithmetic::div_const(*op),
        Op::DtypeCast(op) => cast::dtype_cast(op.input),
        Op::Einsum(op) => einsum::einsum(*op),
        Op::Elu(op) => activation::elu(*op),
        Op::EmbDenseBwd(op) => train::emb_dense_bwd(*op),
        Op::Erf(op) => unary::of_vectors(op.input, Function::Erf, math::erf),
        Op::Exp(op) => math::exp(*op),
        Op::Expand(op) => tile::tile(op.input),
        Op::FAttention(op) => flash::f_attention(*op),
        Op::FAttentionLse(op) => flash::f_attention_lse(*op),
        Op::Flatten(op) => layout::reshape(op.input),
        Op::FlexAttention(op) => flash::flex_attention(*op),
        Op::Floor(op) => unary::of_vectors(op.input, Function::Floor, f64::floor),
        Op::Fp8MatMul(op) => few_bits::fp8_matmul(*op),
        Op::FrcnDetection(op) => rcnn::frcn_detection(*op),
        Op::GELU(op) => activation::gelu(*op),
        Op::GRU(op) => recurrent::gru(*op),
        Op::Gather(op) => gather::gather(*op),
        Op::GatherElements(op) => gather::gather_elements(*op),
        Op::GatherND(op) => gather::gather_nd(*op),
        Op::GridSampler(op) => grid_sampler::grid_sampler(*op),
        Op::GroupNorm(op) => norm::group_norm(*op),
        Op::GroupNormTrain(op) => train::group_norm_train(*op),
        Op::HardSigmoid(op) => activation::hard_sigmoid(*op),
        Op::HardSwish(op) => activation::hard_swish(*op),
        Op::IndexPut(op) => scatter::index_put(*op),
        Op::Insert(op) => scatter::insert(*op),
        Op::InstanceNorm(op) => norm::instance_norm(*op),
        Op::Interp(op) => interp::interp(*op),
        Op::LRN(op) => norm::lrn(*op),
        Op::LSTM(op) => recurrent::lstm(*op),
        Op::LayerNorm(op) => norm::layer_norm(*op),
        Op::LayerNormBwd(op) => train::layer_norm_bwd(*op),
        Op::LayerNormTrain(op) => train::layer_norm_train(*op),
        Op::LeakyRelu(op) => activation::leaky_relu(*op),
        Op::List(op) => layout::list(*op),
        Op::Log(op) => unary::in_vectors(op.input, f64::ln, |values| transcendental::ln(values, 1.0)),
        Op::LogB(op) => math::log_b(*op),
        Op::LogicalAnd(op) => return compare::logical_and(*op),
        Op::Lut(op) => gather::lut(*op),
        Op::MaskedFill(op) => select::masked_fill(*op),
        Op::MatMul(op) => matmul::matmul(*op, RoundMode::default()),
        Op::MatchTemplate(op) => image::match_template(*op),
        Op::Max(op) => arithmetic::max(*op),
        Op::MaxConst(op) => arithmetic::max_const(*op),
        Op::MaxPool(op) => pool::max_pool(*op),
        Op::MaxPoolWithMask(op) => pool::max_pool_with_mask(*op),
        Op::MaxPoolingIndicesBwd(op) => train::max_pooling_indices_bwd(*op),
        Op::MaxUnpool(op) => pool::max_unpool(*op),
        Op::MeanRstd(op) => train::mean_rstd(*op),
        Op::MeanStdScale(op) => mean_std::mean_std_scale(*op),
        Op::MeshGrid(op) => create::mesh_grid(*op),
        Op::Min(op) => arithmetic::min(*op),
        Op::MinConst(op) => arithmetic::min_const(*op),
        Op::Mish(op) => unary::of_vectors(op.input, Function::Mish, activation::mish),
        Op::Mlp(op) => return mlp::mlp(*op),
        Op::Mod(op) => arithmetic::modulo(*op),
        Op::Mul(op) => arithmetic::mul(*op, RoundMode::default()),
        Op::MulConst(op) => arithmetic::mul_const(*op),
        Op::Nms(op) => detect::nms(*op),
        Op::NonZero(op) => select::non_zero(*op),
        Op::Normalize(op) => norm::normalize(*op),
        Op::PRelu(op) => activation::prelu(*op),
        Op::Pack(op) => layout::pack(*op),
        Op::Pad(op) => pad::pad(*op),
        Op::Permute(op) => layout::permute(*op),
        Op::PixelNorm(op) => norm::pixel_norm(*op),
        Op::PoolMask(op) => pool::pool_mask(*op),
        Op::Pow(op) => math::pow(*op),
        Op::Pow2(op) => math::pow2(*op),
        Op::Pow3(op) => math::pow3(*op),
        Op::PriorBox(op) => ssd::prior_box(*op),
        Op::Proposal(op) => rcnn::proposal(*op),
        Op::QuantizeLinear(op) => cast::quantize_linear(*op),
        Op::RMSNorm(op) => norm::rms_norm(*op),
        Op::ROIPooling(op) => detect::roi_pooling(*op),
        Op::Range(op) => create::range(op.start, op.delta),
        Op::Reciprocal(op) => arithmetic::reciprocal(*op),
        Op::RecurrentGatedDeltaRule(op) => scan::recurrent_gated_delta_rule(*op),
        Op::Reduce(op) => reduce::reduce(*op),
        Op::Relu(op) => activation::relu(*op),
        Op::Remainder(op) => arithmetic::remainder(*op),
        Op::Repeat(op) => tile::tile(op.input),
        Op::RequantFp(op) => return cast::requant_fp(*op),
        Op::RequantInt(op) => return cast::requant_int(*op),
        Op::Reshape(op) => layout::reshape(op.input),
        Op::Reverse(op) => shuffle::reverse(*op),
        Op::RoiAlign(op) => detect::roi_align(*op),
        Op::RoiExtractor(op) => detect::roi_extractor(*op),
        Op::Rope(op) => attention::rope(*op),
        Op::Round(op) => unary::of_vectors(op.input, Function::Round, f64::round),
        Op::Rsqrt(op) => math::rsqrt(*op),
        Op::Scale(op) => norm::scale(*op),
        Op::ScaleDotProductAttention(op) => attention::scaled_dot_product(*op),
        Op::ScaleLut(op) => image::scale_lut(*op),
        Op::ScatterElements(op) => scatter::scatter_elements(*op),
        Op::ScatterND(op) => scatter::scatter_nd(*op),
        Op::SelectiveScan(op) => return scan::selective_scan(*op),
        Op::Shape(op) => create::shape(*op),
        Op::ShuffleChannel(op) => shuffle::shuffle_channel(*op),
        Op::SiLU(op) => activation::silu(*op),
        Op::Sigmoid(op) => activation::sigmoid(*op),
        Op::Sign(op) => unary::of_vectors(op.input, Function::Sign, math::sign),
        Op::Sin(op) => unary::in_vectors(op.input, f64::sin, transcendental::sin),
        Op::Sinh(op) => unary::function(op.input, f64::sinh),
        Op::Size(op) => create::size(*op),
        Op::Slice(op) => slice::slice(*op),
        Op::SliceAxis(op) => slice::slice_axis(*op),
        Op::Softmax(op) => activation::softmax(*op),
        Op::SoftmaxBwd(op) => train::softmax_bwd(*op),
        Op::Softplus(op) => unary::in_vectors(op.input, activation::softplus, transcendental::softplus),
        Op::Softsign(op) => unary::of_vectors(op.input, Function::Softsign, activation::softsign),
        Op::Sort(op) => sort::sort(*op),
        Op::Split(op) => layout::split(*op),
        Op::Sqrt(op) => unary::of_vectors(op.input, Function::Sqrt, f64::sqrt),
        Op::Squeeze(op) => layout::reshape(op.input),
        Op::StridedSlice(op) => slice::strided_slice(*op),
        Op::Sub(op) => arithmetic::sub(*op),
        Op::SubConst(op) => arithmetic::sub_const(*op),
        Op::SwapChannel(op) => shuffle::swap_channel(*op),
        Op::SwapDimInner(op) => shuffle::swap_dim_inner(*op),
        Op::Swish(op) => activation::swish(*op),
        Op::Tan(op) => unary::in_vectors(op.input, f64::tan, transcendental::tan),
        Op::Tanh(op) => activation::tanh(*op),
        Op::Tile(op) => tile::tile(op.input),
        Op::TopK(op) => sort::top_k(*op),
        Op::Transpose(op) => layout::transpose(*op),
        Op::Trilu(op) => select::trilu(*op),
        Op::Unpack(op) => layout::unpack(*op),
        Op::Unsqueeze(op) => layout::reshape(op.input),
        Op::Upsample(op) => tile::upsample(*op),
        Op::Variance(op) => reduce::variance(*op),
        Op::View(op) => layout::reshape(op.input),
        Op::Where(op) => select::select(*op),
        Op::YoloDetection(op) => return rcnn::yolo_detection(*op),
        Op::Yuv2rgbFormula(op) => image::yuv2rgb(*op),
        tpulang_ops::without_rule!(pattern) => return None,
    })
}

/// Whether the operator is element-wise on floats, with broadcast operands.
fn is_elementwise(op: &Op<Operand>) -> bool {
    is_arithmetic(op) || matches!(op, Op::PRelu(_)) || has_epilogue(op)
}

/// Whether the operator can be fused into the kernel of another one. Constants are left out, or they would be repacked.
fn has_epilogue(op: &Op<Operand>) -> bool {
    prepare(&op.map(Operand::without_values)).is_some_and(|kernel| kernel.epilogue.is_some())
}

/// Returns an operator that reads the preceding result instead of an operand.
fn on_fused_input(op: &Op<Operand>, operand: &Operand) -> Op<Operand> {
    op.map(|o| if o.index() == operand.index() { Operand::fused_input(o.ty.clone()) } else { o.clone() })
}

/// Returns the epilogue of a fused operator, or `None` if it has none. The last cast of a chain is not one: it is how results are stored.
fn epilogue(op: &Op<Operand>) -> Option<Epilogue> {
    match op {
        Op::Cast(op) => chain::cast(op),
        op => prepare(op)?.epilogue,
    }
}

/// Returns the epilogues of element-wise operators, the last ones of the signature, or `None` if one of them has none.
fn epilogues<'o>(ops: impl IntoIterator<Item = &'o Op<Operand>>, signature: &Signature) -> Option<Vec<Epilogue>> {
    let own = ops.into_iter().map(epilogue);
    own.chain(in_blocks::clear_padding(signature).map(Some)).collect()
}

/// The reference backend: computes in float32 or exact integers. Clones share their pool of memory.
#[derive(Debug, Clone, Default)]
pub struct CpuBackend {
    arena: Arc<Arena>,
    custom: CustomKernels,
}

impl CpuBackend {
    /// Creates the backend.
    pub fn new() -> Self {
        CpuBackend::default()
    }
    fn kernel(&self, signature: &Signature) -> Option<OpKernel> {
        match &signature.op {
            Op::Custom(op) => self.custom.kernel(op, signature),
            op => prepare(op),
        }
    }
}

/// An operator that is prepared for the CPU.
pub struct CpuKernel {
    run: OpKernel,
    epilogues: Vec<Epilogue>,
    /// The results in the order of the definition; absent ones are `None`.
    results: Vec<Option<ValueType>>,
    workspace: u64,
    in_place: Option<InPlace>,
}

impl super::Kernel for CpuKernel {
    fn reads(&self, operand: usize) -> bool {
        !self.run.unread.contains(&operand)
    }
    fn workspace(&self) -> u64 {
        self.workspace
    }
}

impl Fusion for CpuBackend {
    fn can_fuse(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
        signature.is_fusible_float_elementwise(next, result) && has_epilogue(next)
            || lookup::ends_with(signature, next, result)
            || chain::continues_with(signature, next, result)
    }
    fn supports(&self, signature: &Signature) -> bool {
        let has_kernel = matches!(signature.op, Op::PixelNorm(_) | Op::ShuffleChannel(_));
        has_kernel
            || heads::supports(signature)
            || stored_products::supports(signature)
            || expanded::Stages::new(signature).is_some_and(|stages| stages.are_supported())
    }
}

impl Layouts for CpuBackend {
    fn of_images(&self, ty: &ValueType) -> Option<Layout> {
        let channels = *ty.shape.get(1)?;
        match ty.is_plain_float() {
            true => Some(Layout::Blocked { channels, block: blocked::BLOCK }),
            false => channels_last::has_layout(ty).then_some(Layout::ChannelsLast),
        }
    }
    fn supports(&self, signature: &Signature) -> bool {
        in_blocks::supports(signature) || channels_last::supports(signature) || heads::supports(signature)
    }
}

impl Backend for CpuBackend {
    type Buffer = Array;
    type Kernel = CpuKernel;
    fn name(&self) -> &str {
        "cpu"
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<CpuKernel>> {
        let with_maps = in_blocks::with_maps_of_pixels(signature);
        let signature = with_maps.as_ref().unwrap_or(signature);
        let results = signature.results.clone();
        let prepared = |run: OpKernel, epilogues, in_place| {
            let workspace = run.workspace.bytes(signature);
            CpuKernel { run, epilogues, results, workspace, in_place }
        };
        if let Some(run) = lookup::kernel(signature)? {
            return Ok(Some(prepared(run, Vec::new(), None)));
        }
        if let Some(Chain { run, epilogues }) = chain::prepare(signature) {
            return Ok(Some(prepared(run, epilogues, None)));
        }
        if let Some(run) = stored_products::rounded(signature)? {
            return Ok(Some(prepared(run, Vec::new(), None)));
        }
        let (run, used) = match in_blocks::prepare(signature)? {
            Some(own) => (Some(own.kernel), own.used),
            None => (channels_last::prepare(signature)?.or_else(|| self.kernel(signature)), 0),
        };
        let epilogues = epilogues(&signature.fused_ops[used..], signature);
        Ok(run
            .zip(epilogues)
            .map(|(run, epilogues)| prepared(run, epilogues, InPlace::new(signature).filter(|_| used == 0))))
    }
    fn run(&self, kernel: &CpuKernel, operands: &mut [Option<Array>]) -> Result<Vec<Array>> {
        if let Some(own) = &kernel.in_place
            && let Some(results) = own.run(operands, &kernel.results, &self.arena)?
        {
            return Ok(results);
        }
        self.run_into(kernel, operands, &mut [])
    }
    fn over(&self, memory: ArrayMut) -> Option<Array> {
        Some(memory.freeze())
    }
    fn run_into(
        &self,
        kernel: &CpuKernel,
        operands: &mut [Option<Array>],
        into: &mut [Option<Array>],
    ) -> Result<Vec<Array>> {
        let mut task = Task::new(operands, &kernel.results, &kernel.epilogues, &self.arena);
        task.write_into(into);
        (kernel.run.run)(&mut task)?;
        task.finish()
    }
    fn upload(&self, array: &Array) -> Result<Array> {
        Ok(array.clone())
    }
    fn download(&self, buffer: &Array) -> Result<Array> {
        Ok(buffer.clone())
    }
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
    fn type_of(&self, buffer: &Array) -> Option<(Dtype, Shape)> {
        Some((buffer.dtype(), buffer.shape().to_vec()))
    }
    fn fusion(&self) -> Option<&dyn Fusion> {
        Some(self)
    }
    fn shares_kernels(&self) -> bool {
        true
    }
    fn layouts(&self) -> Option<&dyn Layouts> {
        Some(self)
    }
}
