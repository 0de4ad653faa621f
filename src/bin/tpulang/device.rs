//! Where a model runs, and how.
use std::str::FromStr;
use tpulang::{
    Dtype, Graph, Result, base,
    exec::{Backend, CpuBackend, Precision, RunOptions},
};

/// What `run` and `bench` share.
#[derive(clap::Args)]
pub struct Running {
    /// Where it runs: cpu, or cuda, the first NVIDIA GPU, or cuda:1, the second
    #[arg(short, long, default_value = "cpu")]
    device: Device,
    /// Threads of the CPU; 0 means as many as there are cores
    #[arg(short = 'j', long, default_value_t = 0)]
    threads: usize,
    /// Refuse operators that the backend has no kernel for, instead of running them on the CPU
    #[arg(long)]
    strict: bool,
    /// Run each operator by itself, instead of several as one where that is faster
    #[arg(long)]
    no_fusion: bool,
    /// How floats lie in a GPU's memory: f32, all as float32, or f16, those of float16 tensors as float16 (sums are made in
    /// float32 even so)
    #[arg(long, value_name = "FLOATS", default_value_t = Precision::F32)]
    precision: Precision,
    /// On a GPU, let cuBLASLt and cuDNN cut the factors of float32 products to 10 bits behind the point, which is faster
    #[arg(long)]
    tf32: bool,
    /// Keep at most this many bytes of weights in memory between runs, and read the others again in each run. By default all
    /// weights are kept if the memory is large enough
    #[arg(long, value_name = "BYTES")]
    weight_budget: Option<u64>,
}

/// What is done with a model, on whichever backend.
pub trait Task {
    type Done;
    fn on<B: Backend>(self, backend: B, options: &RunOptions) -> Result<Self::Done>;
}

impl Running {
    /// Opens the device, and does it there.
    pub fn run<T: Task>(&self, graph: &Graph, all: bool, task: T) -> Result<T::Done> {
        let Running { threads, strict, no_fusion: unfused, precision, weight_budget, .. } = *self;
        if self.device != Device::Cpu
            && precision == Precision::F16
            && !graph.tensors().any(|(_, info)| info.dtype == Dtype::Float16)
        {
            eprintln!("warning: --precision f16 changes nothing: no tensor is float16");
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
                    eprintln!("warning: --tf32 changes nothing: neither cuBLASLt nor cuDNN computes anything");
                }
                for problem in backend.missing_libraries() {
                    eprintln!("warning: {problem}; tpulang's own kernels compute instead");
                }
                Ok(done)
            }
        }
    }
}

/// `cpu`, `cuda` or `cuda:1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// This machine's processor.
    Cpu,
    /// The NVIDIA GPU of that number.
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
                _ => Err("expected cuda, or cuda:1 and so on for another GPU".into()),
            };
        }
        match text {
            "cpu" => Ok(Device::Cpu),
            _ if cfg!(feature = "cuda") => Err("expected cpu, cuda, or cuda:1 and so on for another GPU".into()),
            _ => Err("expected cpu; this tpulang was built without CUDA".into()),
        }
    }
}
