//! Decides where operators run: on the backend, or on the CPU if the backend has no kernel for them.
use super::{
    Backend, CpuBackend, Interrupt, Kernel, KernelInfo, Recorder, RunOptions, Signature, ValueType,
    plan::{Network, TensorIndex, for_compute},
};
use crate::{
    array::Array,
    base::{Cause, Error, Result, argument},
    graph::Graph,
    ops::Op,
};
use std::collections::HashSet;

/// A backend, and the CPU for the operators that it lacks.
pub(super) struct Placement<B> {
    pub backend: B,
    cpu: CpuBackend,
    /// Refuses operators that the backend lacks.
    is_strict: bool,
    /// The names of the results of operators that run on the CPU on request.
    on_cpu: HashSet<String>,
    interrupt: Option<Interrupt>,
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
    /// # Errors
    /// Returns an error if the graph has no operator of a name in [`RunOptions::on_cpu`], or one that owns blocks.
    pub fn new(backend: B, cpu: CpuBackend, graph: &Graph, options: &RunOptions) -> Result<Self> {
        let on_cpu = if options.on_cpu.is_empty() { HashSet::new() } else { names_on_cpu(graph, &options.on_cpu)? };
        Ok(Placement { backend, cpu, is_strict: options.strict, on_cpu, interrupt: options.interrupt.clone() })
    }

    /// # Errors
    /// Returns an error if the caller wants the run to end.
    pub fn check_interrupt(&self) -> Result<()> {
        self.interrupt.as_ref().map_or(Ok(()), Interrupt::check)
    }

    /// Whether a kernel may serve several equal steps.
    pub fn shares_kernels(&self) -> bool {
        // Where a step runs may depend on its name.
        self.backend.shares_kernels() && self.on_cpu.is_empty()
    }

    /// Returns whether an operator runs on the CPU on request.
    fn is_on_cpu<'n>(&self, mut results: impl Iterator<Item = &'n str>) -> bool {
        !self.on_cpu.is_empty() && results.any(|name| self.on_cpu.contains(name))
    }

    /// Returns the operands and results of operators that run on the CPU on request: no rewrite rule may remove them.
    pub fn kept(&self, network: &Network) -> Vec<TensorIndex> {
        let name = |t: TensorIndex| network.entry(t).ok().map(|entry| entry.ty.name.as_str());
        let operators = network.operators.iter().filter(|o| self.is_on_cpu(o.outputs().filter_map(name)));
        operators.flat_map(|o| o.operands().chain(o.outputs())).collect()
    }

    /// Prepares an operator.
    ///
    /// # Errors
    /// Returns an error if there is no kernel (in strict mode, none of the backend), a constant is invalid, memory runs out,
    /// or the caller wants to end.
    pub fn prepare(&self, signature: &Signature) -> Result<PlacedKernel<B::Kernel>> {
        self.check_interrupt()?;
        let is_on_cpu = self.is_on_cpu(signature.outputs().map(|ty| ty.name.as_str()));
        if !is_on_cpu && let Some(kernel) = self.backend.prepare(signature)? {
            return Ok(PlacedKernel::Backend(kernel));
        }
        let missing = |problem| Err(Cause::Operator { op: signature.op.name().into(), problem }.into());
        if self.is_strict && !is_on_cpu {
            let name = self.backend.name();
            return missing(format!(
                "the backend {name} has no kernel for it, and strict forbids running it on the cpu"
            ));
        }
        let Some(kernel) = self.cpu.prepare(&signature.in_float32())? else {
            if let Op::Custom(op) = &signature.op {
                return missing(format!("no kernel is registered for {:?}: see `CpuBackend::with_custom`", op.name));
            }
            let why =
                signature.op.def().why_not_computed().unwrap_or("these operands and attributes are not supported");
            return missing(format!("tpulang has no kernel for it: {why}"));
        };
        let results = signature.outputs().cloned().collect();
        Ok(PlacedKernel::Cpu(Box::new(CpuFallback { kernel, results })))
    }

    /// Runs a kernel. `into` has the places of results that should be written to the caller's memory; `recorder` is
    /// that of the plan.
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

/// Returns the names of all results of these operators.
fn names_on_cpu(graph: &Graph, names: &[String]) -> Result<HashSet<String>> {
    let mut missing: HashSet<&str> = names.iter().map(String::as_str).collect();
    let (mut found, mut owner) = (HashSet::new(), None);
    let wanted = missing.clone();
    graph.body().walk(&mut |operator| {
        if graph.result_names(operator).any(|name| wanted.contains(name)) {
            found.extend(graph.result_names(operator).map(str::to_owned));
            owner = owner.or_else(|| (!operator.blocks.is_empty()).then_some(operator));
        }
        missing.retain(|missing| graph.result_names(operator).all(|name| name != *missing));
    });
    if let Some(name) = names.iter().find(|name| missing.contains(name.as_str())) {
        return Err(graph.unknown_operator(name));
    }
    match owner {
        None => Ok(found),
        Some(operator) => {
            let (name, op) = (graph.result_names(operator).next().unwrap_or_default(), operator.op.name());
            let expected = "it only runs its blocks: list the results of the operators inside them instead";
            Err(argument("on_cpu", format!("{name:?}, the result of top.{op}"), expected))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Backend, CpuBackend, Dtype, Graph, RunOptions, Session,
        ops::{If, Relu},
    };

    fn graph() -> Graph {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let c = g.input("c", Dtype::Float32, [1]).unwrap();
        let a = g.op(Relu::new(x)).out_name("a").call().unwrap()[0];
        let b = g.mul(a, 2.0).out_name("b").call().unwrap();
        let s = g.softmax(b, 1).out_name("s").call().unwrap();
        let none: [(String, Dtype, Vec<i64>); 0] = [];
        let [then, other] = ["t", "u"]
            .map(|name| g.block(none.clone(), |g, _| Ok(vec![g.mul(s, 3.0).out_name(name).call()?])).unwrap());
        let y = g.op(If::new(c)).owns(then).owns(other).out_name("y");
        let y = y.out_dtypes([Dtype::Float32]).out_shapes([[2, 3]]).call().unwrap();
        g.set_outputs(&y).unwrap();
        g
    }

    /// The CPU under another name, which fuses operators like it.
    struct Device(CpuBackend);
    impl Backend for Device {
        type Buffer = Array;
        type Kernel = <CpuBackend as Backend>::Kernel;
        fn name(&self) -> &str {
            "device"
        }
        fn prepare(&self, signature: &crate::Signature) -> crate::base::Result<Option<Self::Kernel>> {
            self.0.prepare(signature)
        }
        fn run(&self, kernel: &Self::Kernel, operands: &mut [Option<Array>]) -> crate::base::Result<Vec<Array>> {
            self.0.run(kernel, operands)
        }
        fn upload(&self, array: &Array) -> crate::base::Result<Array> {
            Ok(array.clone())
        }
        fn download(&self, buffer: &Array) -> crate::base::Result<Array> {
            Ok(buffer.clone())
        }
        fn synchronize(&self) -> crate::base::Result<()> {
            Ok(())
        }
        fn fusion(&self) -> Option<&dyn crate::Fusion> {
            self.0.fusion()
        }
    }

    #[test]
    fn operators_run_on_the_cpu_on_request() {
        let session = |names: &[&str]| {
            let options = RunOptions::default().on_cpu(names.iter().copied()).strict(true);
            Session::new(&graph(), Device(CpuBackend::new()), &options).unwrap()
        };
        let feeds = [("x", Array::filled(Dtype::Float32, [2, 3], 1.5).unwrap()), ("c", Array::from([1f32]))];
        let expected = session(&[]).run(&feeds).unwrap();
        for (names, summary) in [
            (&[][..], "device: 6 ops"),
            (&["b"], "device: 5 ops, cpu: MulConst x1"),
            (&["a", "s", "t"], "device: 3 ops, cpu: MulConst x1, Relu x1, Softmax x1"),
        ] {
            let session = session(names);
            assert_eq!(session.summary(), summary);
            assert_eq!(session.run(&feeds).unwrap(), expected, "{names:?}");
        }
        let text = session(&["b"]).explain();
        let line = text.lines().find(|line| line.contains("MulConst")).unwrap();
        assert!(line.contains(" b ") && line.contains("cpu") && !line.contains("Relu"), "{text}");
    }

    #[test]
    fn names_of_no_operator_are_refused() {
        let error = |name: &str| {
            let options = RunOptions::default().on_cpu([name]);
            Session::new(&graph(), CpuBackend::new(), &options).err().unwrap().to_string()
        };
        assert_eq!(error("ss"), "unknown operator \"ss\"; did you mean \"s\"?");
        assert_eq!(error("x"), "unknown operator \"x\"");
        let of_blocks = "on_cpu is \"y\", the result of top.If; it only runs its blocks";
        assert!(error("y").starts_with(of_blocks), "{}", error("y"));
    }
}
