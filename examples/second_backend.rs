//! A custom backend outside the crate: it computes some ops with ndarray, lazily, and leaves the others to the CPU. It passes
//! the same conformance suite as every backend.
//!
//! ```text
//! cargo run --example second_backend
//! ```
use ndarray::{ArrayD, Axis, Ix2, IxDyn};
use std::sync::{Arc, OnceLock};
use tpulang::{
    Array, Dtype, Graph, Result,
    conformance::{Case, check},
    exec::{Backend, Latency, Operand, RunOptions, Session, Signature, ValueType, random_feeds},
    ops::{MatMul, Op},
};

/// A value that is computed on first use.
type Compute = Box<dyn Fn() -> ArrayD<f32> + Send + Sync>;

#[derive(Clone)]
struct Lazy(Arc<(OnceLock<ArrayD<f32>>, Compute)>);

impl Lazy {
    fn new(compute: impl Fn() -> ArrayD<f32> + Send + Sync + 'static) -> Self {
        Lazy(Arc::new((OnceLock::new(), Box::new(compute))))
    }
    fn get(&self) -> &ArrayD<f32> {
        self.0.0.get_or_init(|| (self.0.1)())
    }
}

/// Float32 values, or values of other dtypes, which are passed through.
#[derive(Clone)]
enum Buffer {
    Real(Lazy),
    Other(Array),
}

/// A computation on operands.
struct Kernel {
    operands: Vec<usize>,
    compute: Function,
    result: ValueType,
}

/// Kernels have no workspace, read all operands and report errors at once: the defaults.
impl tpulang::exec::Kernel for Kernel {}

struct Nd;

type Function = Arc<dyn Fn(&[Lazy]) -> ArrayD<f32> + Send + Sync>;

fn relu(v: ArrayD<f32>, do_relu: bool, limit: f64) -> ArrayD<f32> {
    let cap = if limit > 0.0 { limit as f32 } else { f32::INFINITY };
    if do_relu {
        v.mapv_into(|x| {
            if x < 0.0 {
                0.0
            } else if x > cap {
                cap
            } else {
                x
            }
        })
    } else {
        v
    }
}

/// Broadcasts one right matrix to all left matrices.
fn matmul(op: &MatMul<Operand>, result: &ValueType) -> Option<Function> {
    if op.right.ty.shape.len() != 2 || op.input.ty.shape.len() < 2 || op.left_transpose || op.output_transpose {
        return None;
    }
    let (transpose, do_relu, limit, has_bias) = (op.right_transpose, op.do_relu, op.relu_limit, op.bias.is_some());
    if op.bias.as_ref().is_some_and(|b| b.ty.elements() != *result.shape.last().unwrap_or(&0)) {
        return None;
    }
    Some(Arc::new(move |v| {
        let right = v[1].get().view().into_dimensionality::<Ix2>().expect("two axes");
        let right = if transpose { right.reversed_axes() } else { right };
        let k = right.nrows();
        let left = v[0].get().to_shape((v[0].get().len() / k, k)).expect("rows of k").to_owned();
        let mut out = left.dot(&right);
        if has_bias {
            let bias = v[2].get().iter().copied().collect::<ndarray::Array1<f32>>();
            out += &bias.insert_axis(Axis(0));
        }
        relu(out.into_dyn(), do_relu, limit)
    }))
}

impl Backend for Nd {
    type Buffer = Buffer;
    type Kernel = Kernel;
    fn name(&self) -> &str {
        "nd"
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<Kernel>> {
        let real = |ty: &ValueType| ty.buffer_dtype() == Dtype::Float32;
        let [Some(result)] = signature.results.as_slice() else {
            return Ok(None);
        };
        if !real(result) || !signature.op.operands().all(|(_, o)| real(&o.ty)) {
            return Ok(None);
        }
        let compute: Option<Function> = match signature.op.clone() {
            Op::Add(op) if op.coeff.is_none() && op.inputs.len() == 2 => {
                Some(Arc::new(move |v| relu(v[0].get() + v[1].get(), op.do_relu, op.relu_limit)))
            }
            Op::Mul(op) if op.inputs.len() == 2 => {
                Some(Arc::new(move |v| relu(v[0].get() * v[1].get(), op.do_relu, op.relu_limit)))
            }
            Op::AddConst(op) => {
                let c = op.const_val as f32;
                Some(Arc::new(move |v| relu(v[0].get() + c, op.do_relu, op.relu_limit)))
            }
            Op::Relu(op) => Some(Arc::new(move |v| relu(v[0].get().clone(), true, op.relu_limit))),
            Op::Permute(op) => {
                let rank = op.order.len() as i64;
                let order: Vec<usize> = op.order.iter().map(|a| a.rem_euclid(rank) as usize).collect();
                Some(Arc::new(move |v| {
                    v[0].get().view().permuted_axes(IxDyn(&order)).as_standard_layout().into_owned()
                }))
            }
            Op::Reshape(_) => Some(Arc::new(|v| v[0].get().clone())),
            Op::MatMul(op) => matmul(&op, result),
            _ => None,
        };
        let operands = signature.op.operands().filter_map(|(_, o)| o.index()).collect();
        Ok(compute.map(|compute| Kernel { operands, compute, result: result.clone() }))
    }
    fn run(&self, kernel: &Kernel, operands: &mut [Option<Buffer>]) -> Result<Vec<Buffer>> {
        let values = kernel.operands.iter().filter_map(|&i| match &operands[i] {
            Some(Buffer::Real(lazy)) => Some(lazy.clone()),
            Some(Buffer::Other(_)) | None => None,
        });
        let (values, compute) = (values.collect::<Vec<_>>(), kernel.compute.clone());
        let shape = IxDyn(&kernel.result.shape);
        Ok(vec![Buffer::Real(Lazy::new(move || {
            let shape = shape.clone();
            compute(&values).as_standard_layout().into_owned().into_shape_with_order(shape).expect("the result's shape")
        }))])
    }
    fn upload(&self, array: &Array) -> Result<Buffer> {
        if array.dtype() != Dtype::Float32 {
            return Ok(Buffer::Other(array.clone()));
        }
        let values = array.to_ndarray::<f32>()?;
        Ok(Buffer::Real(Lazy::new(move || values.clone())))
    }
    fn download(&self, buffer: &Buffer) -> Result<Array> {
        Ok(match buffer {
            Buffer::Real(lazy) => lazy.get().clone().into(),
            Buffer::Other(array) => array.clone(),
        })
    }
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}

/// Measures a network on this backend, as `tpulang bench` does.
fn bench() -> Result<Latency> {
    let mut g = Graph::new("net")?;
    let x = g.input("x", Dtype::Float32, [32, 64])?;
    let w = g.coefficient("w", Array::filled(Dtype::Float32, [64, 64], 0.01)?)?;
    let product = g.matmul(x, w).call()?;
    let y = g.relu(product).call()?;
    g.set_outputs(&[y])?;
    let session = Session::new(&g, Nd, &RunOptions::default())?;
    session.measure(&random_feeds(&g, 0)?, 20)
}

pub fn main() -> Result<()> {
    let cases = Case::of_checkout(env!("CARGO_MANIFEST_DIR"))?;
    let report = check(&Nd, &cases, &RunOptions::default());
    println!("{report}");
    assert!(report.failures.is_empty() && report.passed > 0, "{report}");
    // Some operators ran here and some fell back to the CPU; with `strict`, a fallback is an error.
    assert!(
        report.summaries.iter().any(|s| s.starts_with("nd: 1 op") && !s.contains("cpu")),
        "something ran here alone"
    );
    assert!(report.summaries.iter().any(|s| s.contains(", cpu: ")), "something fell back");
    let strict = check(&Nd, &cases, &RunOptions::default().strict(true));
    let declined = strict.failures.iter().find(|(_, problem)| problem.contains("strict forbids running it on the cpu"));
    assert!(strict.passed > 0 && declined.is_some(), "{strict}");
    println!("strict: {} passed, {} declined", strict.passed, strict.failures.len());
    let latency = bench()?;
    println!("a product of 32x64 and 64x64: {:?} (median of {})", latency.median, latency.runs);
    Ok(())
}
