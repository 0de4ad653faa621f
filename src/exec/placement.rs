//! Decides where operators run: on the backend, or on the CPU if the backend has no kernel for them.
use super::{Backend, CpuBackend, Kernel, KernelInfo, Recorder, Signature, ValueType, plan::for_compute};
use crate::{
    array::Array,
    base::{Cause, Error, Result},
    ops::Op,
};

/// A backend, and the CPU for the operators that it lacks.
pub(super) struct Placement<B> {
    pub backend: B,
    cpu: CpuBackend,
    /// Refuses operators that the backend lacks.
    is_strict: bool,
}

/// A kernel of the backend or of the CPU.
pub(super) enum PlacedKernel<K> {
    Backend(K),
    Cpu(Box<CpuFallback>),
}

/// A CPU kernel, whose operands are downloaded and whose results are uploaded.
pub(super) struct CpuFallback {
    kernel: <CpuBackend as Backend>::Kernel,
    results: Vec<ValueType>,
}

impl<K: Kernel> PlacedKernel<K> {
    pub fn is_on_cpu(&self) -> bool {
        matches!(self, PlacedKernel::Cpu(_))
    }
    fn kernel(&self) -> &dyn Kernel {
        match self {
            PlacedKernel::Backend(kernel) => kernel,
            PlacedKernel::Cpu(fallback) => &fallback.kernel,
        }
    }
}

impl<K: Kernel> Kernel for PlacedKernel<K> {
    fn reads(&self, operand: usize) -> bool {
        self.kernel().reads(operand)
    }
    fn workspace(&self) -> u64 {
        self.kernel().workspace()
    }
    fn take_error(&self) -> Option<Error> {
        self.kernel().take_error()
    }
    fn explain(&self) -> Vec<KernelInfo> {
        self.kernel().explain()
    }
}

impl<B: Backend> Placement<B> {
    pub fn new(backend: B, cpu: CpuBackend, is_strict: bool) -> Self {
        Placement { backend, cpu, is_strict }
    }

    /// Prepares an operator.
    ///
    /// # Errors
    /// Returns an error if there is no kernel (in strict mode, none of the backend), a constant is invalid, or memory runs out.
    pub fn prepare(&self, signature: &Signature) -> Result<PlacedKernel<B::Kernel>> {
        if let Some(kernel) = self.backend.prepare(signature)? {
            return Ok(PlacedKernel::Backend(kernel));
        }
        let missing = |problem| Err(Cause::Operator { op: signature.op.name().into(), problem }.into());
        if self.is_strict {
            let name = self.backend.name();
            return missing(format!(
                "the backend {name} has no kernel for it, and strict forbids running it on the cpu"
            ));
        }
        let Some(kernel) = self.cpu.prepare(&signature.in_float32())? else {
            if let Op::Custom(op) = &signature.op {
                return missing(format!("no kernel is registered for {:?}: see `CpuBackend::with_custom`", op.name));
            }
            let why = signature.op.def().why_not_computed().unwrap_or("not with these operands and attributes");
            return missing(format!("tpulang has no kernel for it: {why}"));
        };
        let results = signature.outputs().cloned().collect();
        Ok(PlacedKernel::Cpu(Box::new(CpuFallback { kernel, results })))
    }

    /// Runs a kernel. `into` has the places of results that should be written to the caller's memory; `recorder` is that of
    /// the plan.
    ///
    /// # Errors
    /// Same as for [`Backend::run`].
    pub fn run(
        &self,
        kernel: &PlacedKernel<B::Kernel>,
        operands: &mut [Option<B::Buffer>],
        into: &mut [Option<B::Buffer>],
        recorder: Option<&dyn Recorder<B::Buffer>>,
    ) -> Result<Vec<B::Buffer>> {
        let fallback = match kernel {
            PlacedKernel::Backend(kernel) if into.iter().any(Option::is_some) => {
                return self.backend.run_into(kernel, operands, into);
            }
            PlacedKernel::Backend(kernel) => return self.backend.run(kernel, operands),
            PlacedKernel::Cpu(fallback) => fallback,
        };
        let download = |b: &B::Buffer| for_compute(&self.backend.download(b)?);
        let operands = operands.iter().map(|b| b.as_ref().map(download).transpose());
        let mut operands = operands.collect::<Result<Vec<_>>>()?;
        let mut results = Vec::new();
        let mut compute = || {
            results = self.cpu.run(&fallback.kernel, &mut operands)?;
            Ok(())
        };
        match recorder {
            Some(recorder) => recorder.on_host(&mut compute)?,
            None => compute()?,
        }
        let upload = |(ty, array): (&ValueType, &Array)| self.backend.upload(&ty.buffered(array)?);
        fallback.results.iter().zip(&results).map(upload).collect()
    }

    /// Computes an operator whose operands are all constant, on the CPU. Returns `None` if there is no kernel.
    ///
    /// # Errors
    /// Same as for [`Backend::run`].
    pub fn evaluate(&self, signature: &Signature) -> Result<Option<Vec<Array>>> {
        let signature = signature.in_float32();
        let Some(kernel) = self.cpu.prepare(&signature)? else { return Ok(None) };
        let mut operands: Vec<_> = signature.op.operands().map(|(_, o)| o.constant.clone()).collect();
        self.cpu.run(&kernel, &mut operands).map(Some)
    }
}
