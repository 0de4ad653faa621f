//! The device that a model runs on, and the options for running it.
use super::{diagnostics::Diagnostics, shell::shell_word};
use tpulang::{
    Dtype, Graph, Result,
    base::{WarningKind, Warnings},
    exec::{AnyBackend, Backend, Device, Precision, RunOptions},
};
use tpulang_base as base;

/// How a network is run.
#[derive(clap::Args)]
pub struct Running {
    /// cpu, cuda (the first NVIDIA GPU) or cuda:N (N counts from 0)
    #[arg(short, long, alias = "backend", default_value = "cpu", help_heading = "Execution")]
    device: Device,
    /// CPU threads; 0 uses one per core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, value_parser = count, allow_negative_numbers = true, help_heading = "Execution")]
    threads: usize,
    /// Fail if the device has no kernel for an operator, instead of falling back to the CPU
    #[arg(long, help_heading = "Execution")]
    strict: bool,
    /// Run the operator that computes this tensor on the CPU. May be repeated
    #[arg(long, value_name = "NAME", help_heading = "Execution")]
    on_cpu: Vec<String>,
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
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Execution")]
    weight_budget: Option<u64>,
    /// Fail if a loop runs more iterations
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Execution")]
    max_iterations: u64,
}

/// Reads a number of things.
pub fn count(text: &str) -> std::result::Result<usize, String> {
    text.parse().map_err(|_| "expected an integer of at least 0".to_owned())
}

/// Reads a number of things, of which there is one at least.
pub fn positive_count(text: &str) -> std::result::Result<usize, String> {
    text.parse::<usize>().ok().filter(|n| *n > 0).ok_or_else(|| "expected an integer of at least 1".to_owned())
}

/// Reads how often something is repeated.
pub fn repetitions(text: &str) -> std::result::Result<u32, String> {
    let is_valid = |n: &u32| (1..=1_000_000).contains(n);
    text.parse().ok().filter(is_valid).ok_or_else(|| "expected an integer from 1 to 1000000".to_owned())
}

fn bytes(text: &str) -> std::result::Result<u64, String> {
    text.parse().map_err(|_| "expected a number of bytes, as in 1000000000".to_owned())
}

impl Running {
    /// Returns the options with which `run` computes a part of a graph like this, each operator by itself; a space precedes each.
    pub fn options_to_repeat(&self, part: &Graph) -> String {
        let mut options = " --no-fusion".to_owned();
        if self.device != Device::Cpu {
            options += &format!(" -d {}", self.device);
        }
        if self.precision != Precision::F32 {
            options += &format!(" --precision {}", self.precision);
        }
        if self.tf32 {
            options += " --tf32";
        }
        for name in self.on_cpu.iter().filter(|name| part.find_operator(name).is_ok()) {
            options += &format!(" --on-cpu {}", shell_word(name));
        }
        options
    }
    /// Limits work outside of sessions to the threads of `-j`: that of quantized networks, and of statistics.
    pub fn limit_threads(&self) {
        if self.threads > 0 {
            // It fails only if an earlier command of this process has set a limit.
            let _ =
                rayon::ThreadPoolBuilder::new().num_threads(self.threads.min(RunOptions::MAX_THREADS)).build_global();
        }
    }
    /// Opens the device for a graph, with the options of a session.
    pub fn open(&self, graph: &Graph, all: bool, messages: &Diagnostics) -> Result<(AnyBackend, RunOptions)> {
        let Running { device, precision, tf32, .. } = *self;
        if device == Device::Cpu && precision == Precision::F16 {
            return Err(base::invalid(
                "--precision f16 is for GPUs; add -d cuda (the CPU computes float16 tensors in float32)",
            ));
        }
        if device == Device::Cpu && tf32 {
            return Err(base::invalid("--tf32 is for GPUs; add -d cuda"));
        }
        if precision == Precision::F16 && !graph.tensors().any(|(_, info)| info.dtype == Dtype::Float16) {
            let (option, reason) = ("--precision f16".into(), "no tensor is float16".into());
            messages.warn(graph, &WarningKind::NoEffect { option, reason }.into())?;
        }
        let backend = match device {
            #[cfg(feature = "cuda")]
            Device::Cuda(gpu) => {
                let options = tpulang::exec::CudaOptions::default().tf32(tf32);
                AnyBackend::new(tpulang::exec::CudaBackend::with(gpu, &options)?)
            }
            device => device.open()?,
        };
        let options = RunOptions::default().all(all).strict(self.strict).threads(self.threads).unfused(self.no_fusion);
        let options = options.precision(precision).weight_budget(self.weight_budget);
        Ok((backend, options.max_iterations(self.max_iterations).on_cpu(&self.on_cpu)))
    }
}

/// Returns the backend's warnings about past runs.
pub fn warnings(backend: &AnyBackend) -> Warnings {
    backend.warnings().into_iter().map(WarningKind::Device).collect()
}
