//! A custom GPU kernel outside the crate: a backend that wraps the CUDA backend and runs one more op. Arrays stay on the GPU
//! between sessions.
//!
//! ```text
//! cargo run --example cuda_extension
//! ```
use std::sync::Arc;
use tpulang::{
    Array, Dtype, Error, Graph, Result,
    base::Shape,
    exec::{
        Backend, CudaBackend, CustomKernel, DeviceArray, GraphCache, KernelArgument, KernelInfo, Operand, Precision,
        Program, Run, RunOn, RunOptions, Session, Signature, ValueType,
    },
    ops::{Custom, Op},
};

/// Computes `y = x + amount * sin(frequency * x)^2`, an activation of audio networks.
const SNAKE: &str = r#"
template <class T> __global__ void snake(const T* x, T* y, long long n, float frequency, float amount) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
        const T wave = sin(frequency * x[i]);
        y[i] = x[i] + amount * wave * wave;
    }
}
"#;

struct WithSnake(CudaBackend);

impl WithSnake {
    fn snake(&self, signature: &Signature, op: &Custom<Operand>) -> Result<Option<Program>> {
        let ([x], Some(result)) = (op.inputs.as_slice(), signature.outputs().next()) else { return Ok(None) };
        let Some(place) = x.index().filter(|_| result.buffer_dtype() == Dtype::Float32) else { return Ok(None) };
        let n = result.elements();
        let kernel = CustomKernel {
            source: SNAKE,
            function: "snake<float>",
            blocks: [n.div_ceil(256).clamp(1, 1 << 16) as u32, 1, 1],
            threads: [256, 1, 1],
            arguments: &[
                KernelArgument::Operand(place),
                KernelArgument::Result(0),
                KernelArgument::Int(n as i64),
                KernelArgument::Float(3.0),
                KernelArgument::Float(0.5),
            ],
        };
        // SAFETY: the arguments match `snake`, which writes its n results.
        unsafe { self.0.custom(signature, &kernel) }.map(Some)
    }
}

/// Forwards everything except `prepare` to the CUDA backend.
impl Backend for WithSnake {
    type Buffer = DeviceArray;
    type Kernel = Program;
    type Memo = GraphCache;
    fn name(&self) -> &str {
        "cuda with snake"
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<Program>> {
        match &signature.op {
            Op::Custom(op) if op.name == "snake" => self.snake(signature, op),
            _ => self.0.prepare(signature),
        }
    }
    fn can_fuse(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
        !matches!(signature.op, Op::Custom(_)) && self.0.can_fuse(signature, next, result)
    }
    fn supports(&self, signature: &Signature) -> bool {
        self.0.supports(signature)
    }
    fn run(&self, kernel: &Program, operands: &mut [Option<DeviceArray>]) -> Result<Vec<DeviceArray>> {
        self.0.run(kernel, operands)
    }
    fn temporary(&self, kernel: &Program) -> u64 {
        self.0.temporary(kernel)
    }
    fn upload(&self, array: &Array) -> Result<DeviceArray> {
        self.0.upload(array)
    }
    fn download(&self, buffer: &DeviceArray) -> Result<Array> {
        self.0.download(buffer)
    }
    fn synchronise(&self) -> Result<()> {
        self.0.synchronise()
    }
    fn type_of(&self, buffer: &DeviceArray) -> Option<(Dtype, Shape)> {
        self.0.type_of(buffer)
    }
    fn explain(&self, kernel: &Program) -> Vec<KernelInfo> {
        self.0.explain(kernel)
    }
    fn available(&self) -> u64 {
        self.0.available()
    }
    fn run_plan(&self, memo: &GraphCache, run: Run<DeviceArray>) -> Result<Vec<Array>> {
        self.0.run_plan(memo, run)
    }
    fn on_host<T>(&self, compute: impl FnOnce() -> Result<T>) -> Result<T> {
        self.0.on_host(compute)
    }
    fn run_plan_on(&self, memo: &GraphCache, run: RunOn<DeviceArray>) -> Result<Vec<DeviceArray>> {
        self.0.run_plan_on(memo, run)
    }
    fn has_memory(&self, memo: &GraphCache) -> bool {
        self.0.has_memory(memo)
    }
    fn replay(&self, memo: &GraphCache) -> Result<bool> {
        self.0.replay(memo)
    }
    fn take_error(&self, kernel: &Program) -> Option<Error> {
        self.0.take_error(kernel)
    }
    fn has_precision(&self, precision: Precision) -> bool {
        self.0.has_precision(precision)
    }
}

pub fn main() -> Result<()> {
    let mut g = Graph::new("sound")?;
    let x = g.input("x", Dtype::Float32, [5])?;
    let doubled = g.mul(x, 2.0).call()?;
    let snake = g.op(Custom::new(vec![doubled], "snake".into(), Vec::new()));
    let y = snake.out_name("y").out_shapes([[5]]).out_dtypes([Dtype::Float32]).call()?;
    g.set_outputs(&y)?;
    let options = RunOptions { strict: true, ..RunOptions::default() };
    let session = Session::new(&g, WithSnake(CudaBackend::new(0)?), &options)?;
    println!("{}{}", session.explain(), session.summary());

    let values = [-1f32, -0.25, 0.0, 0.5, 3.0];
    let snake = |v: f32| 2.0 * v + 0.5 * (6.0 * v).sin().powi(2);
    let is_close = |got: &[f32], want: &[f32]| got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5);
    let expected = values.map(snake);
    for _ in 0..3 {
        let got = session.run(&[("x", Array::from(values))])?["y"].to_f32()?;
        assert!(is_close(&got, &expected), "{got:?}");
    }

    // Results stay on the GPU and become inputs again without a copy. Memory of another library is passed the same way.
    let backend = session.backend();
    let once = session.run_on(vec![("x", backend.upload(&Array::from(values))?)])?.swap_remove("y");
    let Some(once) = once else { return Ok(()) };
    // SAFETY: the memory belongs to `once`, which outlives its use, and all work is on one stream.
    let seen = unsafe { backend.0.borrowed(once.pointer(), once.dtype(), once.shape(), Arc::new(once.clone()))? };
    let twice = session.run_on(vec![("x", seen)])?;
    session.synchronise()?;
    let got = backend.download(&twice["y"])?.to_f32()?;
    assert!(is_close(&got, &expected.map(snake)), "{got:?}");
    let error = session.run_on(vec![("x", backend.upload(&Array::from([1i8]))?)]).map(drop).unwrap_err();
    println!("GPU {}: {}; fed something else: {error}", backend.0.gpu_number(), backend.0.gpu());
    Ok(())
}
