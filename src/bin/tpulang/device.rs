//! The device that a model runs on, and the options for running it.
use std::str::FromStr;
use tpulang::{
    Dtype, Graph, Result, base,
    exec::{Backend, CpuBackend, Precision, RunOptions},
};

/// Options shared by `run` and `bench`.
#[derive(clap::Args)]
pub struct Running {
    /// cpu, cuda (the first NVIDIA GPU) or cuda:N (N counts from 0)
    #[arg(short, long, default_value = "cpu", help_heading = "Execution")]
    device: Device,
    /// CPU threads; 0 uses one per core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, help_heading = "Execution")]
    threads: usize,
    /// Fail if the device has no kernel for an operator, instead of falling back to the CPU
    #[arg(long, help_heading = "Execution")]
    strict: bool,
    /// Run every operator separately. Slower; useful to isolate a wrong result
    #[arg(long, help_heading = "Execution")]
    no_fusion: bool,
    /// f32 stores all floats as float32; f16 stores tensors declared float16 as float16. Sums are accumulated in float32
    /// in both
    #[arg(long, value_name = "TYPE", default_value_t = Precision::F32, help_heading = "GPU")]
    precision: Precision,
    /// Let cuBLASLt and cuDNN use TF32 (10-bit mantissa): faster, less precise
    #[arg(long, help_heading = "GPU")]
    tf32: bool,
    /// Keep at most this many bytes of weights in memory between runs, and read the others again in each run. By default all
    /// weights are kept if the memory is large enough
    #[arg(long, value_name = "BYTES")]
    weight_budget: Option<u64>,
}

/// An operation on a model that works with any backend.
pub trait Task {
    type Done;
    fn on<B: Backend>(self, backend: B, options: &RunOptions) -> Result<Self::Done>;
}

impl Running {
    /// Opens the device and performs the task on it.
    pub fn run<T: Task>(&self, graph: &Graph, all: bool, task: T) -> Result<T::Done> {
        let Running { threads, strict, no_fusion: unfused, precision, weight_budget, .. } = *self;
        if self.device != Device::Cpu
            && precision == Precision::F16
            && !graph.tensors().any(|(_, info)| info.dtype == Dtype::Float16)
        {
            eprintln!("warning: --precision f16 has no effect: no tensor is float16");
        }
        let options = RunOptions { all, strict, threads, unfused, precision, weight_budget };
        match self.device {
            Device::Cpu if precision == Precision::F16 => Err(base::invalid(
                "--precision f16 is for GPUs; add -d cuda (the CPU computes float16 tensors in float32)",
            )),
            Device::Cpu if self.tf32 => Err(base::invalid("--tf32 is for GPUs; add -d cuda")),
            Device::Cpu => task.on(CpuBackend::new(), &options),
            #[cfg(feature = "cuda")]
            Device::Cuda(gpu) => {
                let backend = tpulang::exec::CudaBackend::with(gpu, &tpulang::exec::CudaOptions { tf32: self.tf32 })?;
                let done = task.on(&backend, &options)?;
                if self.tf32 && !backend.uses_libraries() {
                    eprintln!("warning: --tf32 has no effect: nothing runs on cuBLASLt or cuDNN");
                }
                for problem in backend.missing_libraries() {
                    eprintln!("warning: {problem}; falling back to built-in kernels");
                }
                for fallback in backend.fallbacks() {
                    eprintln!("warning: {fallback}");
                }
                Ok(done)
            }
        }
    }
}

/// `cpu`, `cuda` or `cuda:1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// The CPU of this machine.
    Cpu,
    /// The NVIDIA GPU with this index.
    #[cfg(feature = "cuda")]
    Cuda(usize),
}

impl FromStr for Device {
    type Err = String;
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        #[cfg(feature = "cuda")]
        if let Some(number) = text.strip_prefix("cuda") {
            return match number.strip_prefix(':').map(str::parse) {
                None if number.is_empty() => Ok(Device::Cuda(0)),
                Some(Ok(number)) => Ok(Device::Cuda(number)),
                _ => Err("expected cuda, or cuda:N for another GPU (N counts from 0)".into()),
            };
        }
        match text {
            "cpu" => Ok(Device::Cpu),
            _ if cfg!(feature = "cuda") => {
                Err("expected cpu, cuda, or cuda:N for another GPU (N counts from 0)".into())
            }
            _ => Err("expected cpu; this tpulang was built without CUDA".into()),
        }
    }
}
