//! The CPU backend: a kernel for every op that has a type rule, one file a family, by the names of `src/ops`.

mod activation;
mod arithmetic;
mod attention;
mod cast;
mod chunks;
mod compare;
mod conv;
mod detect;
mod elementwise;
mod gather;
mod gemm;
mod image;
mod layout;
mod matmul;
mod norm;
mod pool;
mod reduce;
mod resize;
mod select;
mod sort;
mod task;
mod temporary;

use super::{Backend, Operand, Signature, ValueType};
use crate::{array::Array, base::Result, ops::Op};
use task::Task;

/// Runs one operator: reads the operands of the task and writes its results.
type Kernel = Box<dyn Fn(&mut Task) -> Result<()> + Send + Sync>;

/// The list of kernels: one an op, or none.
fn prepare(op: &Op<Operand>) -> Option<Kernel> {
    Some(match op.clone() {
        Op::Abs(op) => activation::abs(*op),
        Op::Add(op) => arithmetic::add(*op),
        Op::AddConst(op) => arithmetic::add_const(*op),
        Op::AvgPool(op) => pool::avg_pool(*op),
        Op::BatchNorm(op) => norm::batch_norm(*op),
        Op::Cast(op) => cast::cast(*op),
        Op::Compare(op) => compare::compare(*op),
        Op::CompareConst(op) => compare::compare_const(*op),
        Op::Concat(op) => layout::concat(*op),
        Op::Conv(op) => conv::conv(*op),
        Op::Correlation(op) => image::correlation(*op),
        Op::Div(op) => arithmetic::div(*op),
        Op::GELU(op) => activation::gelu(*op),
        Op::Gather(op) => gather::gather(*op),
        Op::GridSampler(op) => resize::grid_sampler(*op),
        Op::Interp(op) => resize::interp(*op),
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
        Op::Nms(op) => detect::nms(*op),
        Op::Pad(op) => layout::pad(*op),
        Op::Permute(op) => layout::permute(*op),
        Op::ROIPooling(op) => detect::roi_pooling(*op),
        Op::Reduce(op) => reduce::reduce(*op),
        Op::Relu(op) => activation::relu(*op),
        Op::RequantInt(op) => return cast::requant_int(*op),
        Op::Reshape(op) => layout::reshape(op.input),
        Op::RoiAlign(op) => detect::roi_align(*op),
        Op::RoiExtractor(op) => detect::roi_extractor(*op),
        Op::Rope(op) => attention::rope(*op),
        Op::Scale(op) => norm::scale(*op),
        Op::ScaleDotProductAttention(op) => attention::scaled_dot_product(*op),
        Op::Sigmoid(op) => activation::sigmoid(*op),
        Op::Slice(op) => layout::slice(*op),
        Op::Softmax(op) => activation::softmax(*op),
        Op::Split(op) => layout::split(*op),
        Op::Squeeze(op) => layout::reshape(op.input),
        Op::Sub(op) => arithmetic::sub(*op),
        Op::SubConst(op) => arithmetic::sub_const(*op),
        Op::Tanh(op) => activation::tanh(*op),
        Op::TopK(op) => sort::top_k(*op),
        Op::Unsqueeze(op) => layout::reshape(op.input),
        Op::Where(op) => select::select(*op),
        Op::Yuv2rgbFormula(op) => image::yuv2rgb(*op),
        tpulang_core::without_rule!(pattern) => return None,
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
    /// In the definition's order, none where one is absent.
    results: Vec<Option<ValueType>>,
    temporary: u64,
}

impl Backend for CpuBackend {
    type Buffer = Array;
    type Kernel = CpuKernel;
    fn name(&self) -> &str {
        "cpu"
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<CpuKernel>> {
        let (results, temporary) = (signature.results.clone(), temporary::temporary(signature));
        Ok(prepare(&signature.op).map(|run| CpuKernel { run, results, temporary }))
    }
    fn run(&self, kernel: &CpuKernel, operands: &[Array]) -> Result<Vec<Array>> {
        let mut task = Task::new(operands, &kernel.results);
        (kernel.run)(&mut task)?;
        task.finish()
    }
    fn temporary(&self, kernel: &CpuKernel) -> u64 {
        kernel.temporary
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
