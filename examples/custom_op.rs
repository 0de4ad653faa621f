//! An operator of your own: its type rule, its CPU kernel and, with `--features cuda`, its GPU kernel. With a GPU, arrays stay
//! on it between runs.
//!
//! ```text
//! cargo run --example custom_op            # on the CPU
//! cargo run --example custom_op -- cuda    # on the first GPU
//! ```
use tpulang::{
    Array, Dtype, Error, Graph, Result,
    exec::{AnyBackend, CpuBackend, CustomCall, Device, RunOptions, Session},
    ops::{Attribute, Custom, Dict},
};

/// Computes `x + amount * sin(frequency * x)^2`, an activation of audio networks.
const NAME: &str = "snake";

/// Builds a network of one input, whose operators are a product and a snake.
fn network() -> Result<Graph> {
    let mut g = Graph::new("sound")?;
    g.register_custom(NAME, |op| Ok(vec![(op.inputs[0].dtype, op.inputs[0].shape.to_vec())]))?;
    let x = g.input("x", Dtype::Float32, [5])?;
    let doubled = g.mul(x, 2.0).call()?;
    let params = [("frequency", 3.0), ("amount", 0.5)];
    let params = params.map(|(name, value)| Dict::from([(name.to_owned(), value.into())]));
    let y = g.op(Custom::new(vec![doubled], NAME.into(), params.into())).out_name("y").call()?;
    g.set_outputs(&y)?;
    Ok(g)
}

fn param<V>(op: &Custom<V>, name: &str) -> Result<f32> {
    match op.param(name) {
        Some(Attribute::Float(value)) => Ok(*value as f32),
        _ => Err(Error::new(format!("{NAME} needs the parameter {name}, a float"))),
    }
}

fn cpu_kernel(call: &CustomCall) -> Result<Vec<Array>> {
    let (frequency, amount) = (param(call.op, "frequency")?, param(call.op, "amount")?);
    let snake = |x: &f32| x + amount * (frequency * x).sin().powi(2);
    let values: Vec<f32> = call.inputs[0].to_f32()?.iter().map(snake).collect();
    Ok(vec![Array::from_vec(call.results[0].shape.clone(), values)?])
}

#[cfg(feature = "cuda")]
mod cuda {
    use super::{NAME, param};
    use std::sync::Arc;
    use tpulang::{
        Array, Dtype, Graph, Result,
        exec::{Backend, CudaBackend, CustomKernel, KernelArgument, Operand, RunOptions, Session, Signature},
        ops::Custom,
    };

    const SOURCE: &str = r#"
template <class T> __global__ void snake(const T* x, T* y, long long n, float frequency, float amount) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
        const T wave = sin(frequency * x[i]);
        y[i] = x[i] + amount * wave * wave;
    }
}
"#;

    fn kernel(signature: &Signature, op: &Custom<Operand>) -> Result<Option<CustomKernel>> {
        let ([x], Some(result)) = (op.inputs.as_slice(), signature.outputs().next()) else { return Ok(None) };
        let Some(operand) = x.index().filter(|_| result.buffer_dtype() == Dtype::Float32) else { return Ok(None) };
        let n = result.elements();
        Ok(Some(CustomKernel {
            source: SOURCE.into(),
            function: "snake<float>".into(),
            blocks: [n.div_ceil(256).clamp(1, 1 << 16) as u32, 1, 1],
            threads: [256, 1, 1],
            arguments: vec![
                KernelArgument::Operand(operand),
                KernelArgument::Result(0),
                KernelArgument::Int(n as i64),
                KernelArgument::Float(param(op, "frequency")?),
                KernelArgument::Float(param(op, "amount")?),
            ],
        }))
    }

    /// Opens the first GPU, with the kernel.
    pub fn backend() -> Result<CudaBackend> {
        let cuda = CudaBackend::new(0)?;
        // SAFETY: the arguments are those of `snake`, which reads n elements and writes n results.
        Ok(unsafe { cuda.with_custom(NAME, kernel) })
    }

    /// Runs the network twice without copies in between: results stay on the GPU and become inputs. Memory of another library
    /// is passed the same way.
    pub fn run_twice(graph: &Graph, values: &[f32]) -> Result<Vec<f32>> {
        let session = Session::new(graph, backend()?, &RunOptions::default().strict(true))?;
        let backend = session.backend();
        let x = backend.upload(&Array::from_vec([values.len()], values.to_vec())?)?;
        let once = session.run_on(vec![("x", x)])?["y"].clone();
        // SAFETY: the memory belongs to `once`, which outlives its use, and all work is on one stream.
        let seen = unsafe { backend.borrowed(once.pointer(), once.dtype(), once.shape(), Arc::new(once.clone()))? };
        let twice = session.run_on(vec![("x", seen)])?;
        session.synchronize()?;
        backend.download(&twice["y"])?.to_f32()
    }
}

fn open(device: Device) -> Result<AnyBackend> {
    match device {
        Device::Cpu => Ok(AnyBackend::new(CpuBackend::new().with_custom(NAME, cpu_kernel))),
        #[cfg(feature = "cuda")]
        Device::Cuda(_) => cuda::backend().map(AnyBackend::new),
        device => device.open(),
    }
}

/// Runs the network on a device and checks the result.
pub fn run(device: Device) -> Result<()> {
    let graph = network()?;
    let session = Session::new(&graph, open(device)?, &RunOptions::default().strict(true))?;
    println!("{}{}", session.explain(), session.summary());

    let values = [-1f32, -0.25, 0.0, 0.5, 3.0];
    let snake = |v: f32| 2.0 * v + 0.5 * (6.0 * v).sin().powi(2);
    let is_close = |got: &[f32], want: &[f32]| got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5);
    for _ in 0..3 {
        let got = session.run(&[("x", Array::from(values))])?["y"].to_f32()?;
        assert!(is_close(&got, &values.map(snake)), "{got:?}");
    }
    #[cfg(feature = "cuda")]
    if let Device::Cuda(_) = device {
        let got = cuda::run_twice(&graph, &values)?;
        assert!(is_close(&got, &values.map(snake).map(snake)), "{got:?}");
    }
    Ok(())
}

#[allow(dead_code, reason = "tests call `run`")]
fn main() -> Result<()> {
    let device = std::env::args().nth(1).unwrap_or_else(|| "cpu".into());
    run(device.parse()?)
}
