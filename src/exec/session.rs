use super::{Backend, CpuBackend, Operand, Signature, ValueType, plan::Plan};
use crate::{
    array::{Array, as_declared},
    base::{CallContext, Cause, Dtype, Error, MAX_ERRORS, Result, Suggestions, argument, counted, shape_text, shown},
    graph::{Graph, Operator, Tensor, TensorKind},
    ops::Work,
    quant::Quantization,
};
use indexmap::IndexMap;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::{Duration, Instant},
};

/// How to run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Keep every tensor that is computed, not only the outputs.
    pub all: bool,
    /// Refuse to run operators that the backend lacks on the CPU instead.
    pub strict: bool,
    /// Threads of the CPU kernels; 0 means as many as there are cores.
    pub threads: usize,
}

/// What a run gave.
#[derive(Debug, Clone)]
pub struct RunResults {
    /// Outputs, or with [`RunOptions::all`] all computed tensors, by name, in the order of computation.
    pub tensors: IndexMap<String, Array>,
    /// How many operators ran where: `cpu: 41 ops`; for a fallback also which.
    pub summary: String,
}

/// Arrays by name, as they are fed.
pub trait Feeds {
    /// Names and arrays.
    fn feeds(&self) -> impl Iterator<Item = (&str, &Array)>;
}
impl Feeds for IndexMap<String, Array> {
    fn feeds(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.iter().map(|(n, a)| (n.as_str(), a))
    }
}
impl<S: AsRef<str>> Feeds for [(S, Array)] {
    fn feeds(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.iter().map(|(n, a)| (n.as_ref(), a))
    }
}
impl<S: AsRef<str>, const N: usize> Feeds for [(S, Array); N] {
    fn feeds(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.as_slice().iter().map(|(n, a)| (n.as_ref(), a))
    }
}

/// Runs a graph once on `feeds`, one array an input, by name: a [`Session`] used once.
///
/// Floats are computed, and returned, in float32, whatever their dtype; integers in their own. Tensors are freed
/// after their last use.
///
/// # Errors
/// A feed is missing, unknown, or of another shape or dtype; a coefficient has no data; the memory is not enough; an
/// index is out of range; with `strict`, the backend lacks an op.
pub fn run<B: Backend>(
    graph: &Graph,
    feeds: &(impl Feeds + ?Sized),
    backend: &B,
    options: &RunOptions,
) -> Result<RunResults> {
    let session = Session::new(graph, backend, options)?;
    let tensors = session.run(feeds)?;
    Ok(RunResults { tensors, summary: session.summary() })
}

/// A graph made ready for a backend: order, quantization, kernels, coefficients in place. It runs any number of times,
/// from any thread.
pub struct Session<B: Backend> {
    backend: B,
    cpu: CpuBackend,
    pool: rayon::ThreadPool,
    tensors: Vec<Option<Slot<B::Buffer>>>,
    by_name: HashMap<String, usize>,
    pub(super) steps: Vec<Step<B::Kernel>>,
    /// The step that computes each tensor.
    pub(super) made_by: HashMap<usize, usize>,
    pub(super) inputs: Vec<usize>,
    /// What [`Session::run`] gives.
    pub(super) wanted: Vec<usize>,
    suggestions: Suggestions,
}

/// A tensor of the graph.
pub(super) struct Slot<T> {
    pub ty: ValueType,
    pub type_text: String,
    /// A coefficient's values, in place.
    pub constant: Option<T>,
}

/// An operator that is ready.
pub(super) struct Step<K> {
    pub op: &'static str,
    pub work: Work,
    kernel: Kernel<K>,
    pub operands: Vec<usize>,
    pub outputs: Vec<usize>,
}

/// Is told the index of each step that was done, and its time.
pub(super) type Watch<'w> = &'w mut (dyn FnMut(usize, Duration) + Send);

enum Kernel<K> {
    Here(K),
    /// The backend declined.
    OnCpu(<CpuBackend as Backend>::Kernel),
}

impl<B: Backend> Session<B> {
    /// Prepares a graph.
    ///
    /// # Errors
    /// Outputs are not set, a coefficient has no data, propagated quantizations contradict each other, an op has no kernel
    /// (with `strict`: none of the backend), or the memory is not enough for the coefficients.
    pub fn new(graph: &Graph, backend: B, options: &RunOptions) -> Result<Session<B>> {
        graph.check_complete()?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads.min(256))
            .build()
            .map_err(|e| argument("threads", options.threads, e))?;
        let quantization = graph.propagated_quantization()?;
        let mut session = Session {
            backend,
            cpu: CpuBackend::new(),
            pool,
            tensors: Vec::new(),
            by_name: HashMap::new(),
            steps: Vec::new(),
            made_by: HashMap::new(),
            inputs: graph.inputs().iter().map(|t| t.index()).collect(),
            wanted: graph.outputs().iter().map(|t| t.index()).collect(),
            suggestions: Suggestions::default(),
        };
        let constants = session.tensors(graph, &quantization)?;
        for (index, operator) in graph.operators().iter().enumerate() {
            let step = session.prepare(operator, &constants, options.strict);
            let step = step.map_err(|e| e.in_call(session.context(operator.op.name(), index, operator)))?;
            session.made_by.extend(step.outputs.iter().map(|t| (*t, index)));
            session.steps.push(step);
        }
        if options.all {
            session.wanted = session.steps.iter().flat_map(|s| &s.outputs).copied().collect();
        }
        Ok(session)
    }

    /// Every tensor's type, and the coefficients that operators use, in place.
    fn tensors(&mut self, graph: &Graph, quantization: &[Option<Quantization>]) -> Result<HashMap<Tensor, Array>> {
        let used: HashSet<Tensor> = graph.operators().iter().flat_map(Operator::uses).collect();
        let mut constants = HashMap::new();
        self.tensors.resize_with(graph.slots().len(), || None);
        for (t, info) in graph.tensors() {
            let quantization = quantization.get(t.index()).cloned().flatten();
            let (name, shape, dtype) = (info.name.clone(), info.shape.clone(), info.dtype);
            let mut constant = None;
            if let TensorKind::Coefficient(Some(data)) = &info.kind
                && used.contains(&t)
            {
                let data = for_compute(data)?;
                constant = Some(self.backend.upload(&data)?);
                constants.insert(t, data);
            }
            self.by_name.insert(name.clone(), t.index());
            let ty = ValueType { name, shape, dtype, quantization };
            self.tensors[t.index()] = Some(Slot { ty, type_text: info.type_text(), constant });
        }
        Ok(constants)
    }

    fn prepare(
        &self,
        operator: &Operator,
        constants: &HashMap<Tensor, Array>,
        strict: bool,
    ) -> Result<Step<B::Kernel>> {
        let mut operands = Vec::new();
        let op = operator.op.try_map(&mut |t: &Tensor| -> Result<Operand> {
            let ty = self.slot(t.index())?.ty.clone();
            operands.push(t.index());
            Ok(Operand::new(ty, constants.get(t).cloned(), operands.len() - 1))
        })?;
        let ty = |t: &Option<Tensor>| t.map(|t| self.slot(t.index()).map(|s| s.ty.clone())).transpose();
        let signature = Signature { op, results: operator.results.iter().map(ty).collect::<Result<_>>()? };
        let kernel = match self.backend.prepare(&signature)? {
            Some(kernel) => Kernel::Here(kernel),
            None if strict => {
                let name = self.backend.name();
                let problem =
                    format!("the backend {name} has no kernel for it, and strict forbids running it on the cpu");
                return Err(Cause::Operator { op: operator.op.name().into(), problem }.into());
            }
            None => Kernel::OnCpu(self.cpu.prepare(&signature)?.ok_or_else(|| {
                let problem = "the op is known, but tpulang has no kernel for it yet".into();
                Error::from(Cause::Operator { op: operator.op.name().into(), problem })
            })?),
        };
        let outputs = operator.outputs().map(|t| t.index()).collect();
        Ok(Step { op: operator.op.name(), work: self.work(operator)?, kernel, operands, outputs })
    }

    fn work(&self, operator: &Operator) -> Result<Work> {
        let value = |t: Tensor| self.slot(t.index()).map(|s| s.ty.value());
        let op = operator.op.try_map(&mut |t: &Tensor| value(*t))?;
        let results = operator.outputs().map(value).collect::<Result<Vec<_>>>()?;
        Ok(Work::of(&op, &results).unwrap_or_default())
    }

    /// Runs the graph on `feeds`, one array an input (or in the place of any other tensor), by name, and gives the outputs;
    /// with [`RunOptions::all`] every computed tensor.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(&self, feeds: &(impl Feeds + ?Sized)) -> Result<IndexMap<String, Array>> {
        self.compute(feeds, &self.wanted, None)
    }

    /// As [`Session::run`], for the tensors of these names, computing only what they need.
    ///
    /// # Errors
    /// As [`run`], or there is no tensor of a name.
    pub fn fetch(&self, feeds: &(impl Feeds + ?Sized), names: &[&str]) -> Result<IndexMap<String, Array>> {
        let wanted: Vec<usize> = names.iter().map(|n| self.find("tensor", n)).collect::<Result<_>>()?;
        self.compute(feeds, &wanted, None)
    }

    /// How many operators run where: `cpu: 41 ops`; for a fallback also which.
    pub fn summary(&self) -> String {
        let mut fallback: BTreeMap<&str, usize> = BTreeMap::new();
        for step in self.steps.iter().filter(|s| matches!(s.kernel, Kernel::OnCpu(_))) {
            *fallback.entry(step.op).or_default() += 1;
        }
        let there: usize = fallback.values().sum();
        let mut text = format!("{}: {}", self.backend.name(), counted(self.steps.len() - there, "op"));
        if there > 0 {
            let list: Vec<_> = fallback.iter().map(|(op, n)| format!("{op} x{n}")).collect();
            text += &format!(", cpu: {}", list.join(", "));
        }
        text
    }

    /// What a step takes beside its operands and results.
    pub(super) fn temporary(&self, step: &Step<B::Kernel>) -> u64 {
        match &step.kernel {
            Kernel::Here(kernel) => self.backend.temporary(kernel),
            Kernel::OnCpu(kernel) => self.cpu.temporary(kernel),
        }
    }
    pub(super) fn slot(&self, index: usize) -> Result<&Slot<B::Buffer>> {
        let slot = self.tensors.get(index).and_then(Option::as_ref);
        slot.ok_or_else(|| Cause::ForeignTensor(index as u32).into())
    }
    fn find(&self, kind: &'static str, name: &str) -> Result<usize> {
        self.by_name.get(name).copied().ok_or_else(|| {
            let inputs = self.inputs.iter().filter_map(|i| self.slot(*i).ok()).map(|s| s.ty.name.as_str());
            let nearest = match kind {
                "input" => self.suggestions.nearest(name, inputs),
                _ => self.suggestions.nearest(name, self.by_name.keys().map(String::as_str)),
            };
            Cause::UnknownName { kind, name: shown(name), nearest }.into()
        })
    }

    pub(super) fn compute(
        &self,
        feeds: &(impl Feeds + ?Sized),
        wanted: &[usize],
        watch: Option<Watch>,
    ) -> Result<IndexMap<String, Array>> {
        let fed = self.checked_feeds(feeds)?;
        let plan = Plan::new(self, &fed, wanted)?;
        plan.check_memory(self)?;
        // Kernels divide their work among the pool's threads.
        self.pool.install(|| self.go(fed, &plan, wanted, watch))
    }

    fn go(
        &self,
        fed: HashMap<usize, Array>,
        plan: &Plan,
        wanted: &[usize],
        mut watch: Option<Watch>,
    ) -> Result<IndexMap<String, Array>> {
        let mut buffers: HashMap<usize, B::Buffer> = HashMap::new();
        for (tensor, array) in fed {
            buffers.insert(tensor, self.backend.upload(&array)?);
        }
        let wanted_set: HashSet<usize> = wanted.iter().copied().collect();
        let mut found: HashMap<usize, Array> = HashMap::new();
        for tensor in wanted.iter().filter(|t| buffers.contains_key(t)) {
            found.insert(*tensor, self.backend.download(&buffers[tensor])?);
        }
        for (&index, freed) in plan.steps.iter().zip(&plan.freed) {
            let step = &self.steps[index];
            let begun = Instant::now();
            let results = self.step(step, &buffers).map_err(|e| e.in_call(self.step_context(index, step)))?;
            if let Some(watch) = &mut watch {
                self.backend.synchronise()?;
                watch(index, begun.elapsed());
            }
            for (&tensor, buffer) in step.outputs.iter().zip(results) {
                if wanted_set.contains(&tensor) && !buffers.contains_key(&tensor) {
                    found.insert(tensor, self.backend.download(&buffer)?);
                }
                buffers.entry(tensor).or_insert(buffer);
            }
            freed.iter().for_each(|t| {
                buffers.remove(t);
            });
        }
        self.backend.synchronise()?;
        let mut results = IndexMap::new();
        for t in wanted {
            let slot = self.slot(*t)?;
            if let Some(array) = found.remove(t) {
                results.insert(slot.ty.name.clone(), array);
            } else if let Some(constant) = &slot.constant {
                results.insert(slot.ty.name.clone(), self.backend.download(constant)?);
            }
        }
        Ok(results)
    }

    fn step(&self, step: &Step<B::Kernel>, buffers: &HashMap<usize, B::Buffer>) -> Result<Vec<B::Buffer>> {
        let operand = |t: &usize| -> Result<B::Buffer> {
            let slot = self.slot(*t)?;
            let buffer = buffers.get(t).or(slot.constant.as_ref()).cloned();
            buffer.ok_or_else(|| Cause::MissingData(format!("the tensor {:?} has no values", slot.ty.name)).into())
        };
        let operands = step.operands.iter().map(operand).collect::<Result<Vec<_>>>()?;
        match &step.kernel {
            Kernel::Here(kernel) => self.backend.run(kernel, &operands),
            Kernel::OnCpu(kernel) => {
                let operands = operands.iter().map(|b| self.backend.download(b)).collect::<Result<Vec<_>>>()?;
                self.cpu.run(kernel, &operands)?.iter().map(|a| self.backend.upload(a)).collect()
            }
        }
    }

    fn context(&self, op: &str, index: usize, operator: &Operator) -> CallContext {
        let out = operator.outputs().next().and_then(|t| self.slot(t.index()).ok()).map(|s| s.ty.name.clone());
        CallContext { function: format!("top.{op}"), out, index, operands: Vec::new() }
    }
    fn step_context(&self, index: usize, step: &Step<B::Kernel>) -> CallContext {
        let slot = |t: &usize| self.slot(*t).ok();
        let rows = step.operands.iter().filter_map(slot).take(8).enumerate();
        CallContext {
            function: format!("top.{}", step.op),
            out: step.outputs.first().and_then(slot).map(|s| s.ty.name.clone()),
            index,
            operands: rows.map(|(i, s)| [format!("operand {i}"), s.ty.name.clone(), s.type_text.clone()]).collect(),
        }
    }

    fn checked_feeds(&self, feeds: &(impl Feeds + ?Sized)) -> Result<HashMap<usize, Array>> {
        let (mut errors, mut checked) = (Vec::new(), HashMap::new());
        for (name, array) in feeds.feeds() {
            let fed = self.find("input", name).and_then(|t| Ok((t, checked_feed(self.slot(t)?, array)?)));
            match fed {
                Ok((tensor, array)) => drop(checked.insert(tensor, array)),
                Err(e) => errors.push(e),
            }
            if errors.len() > MAX_ERRORS {
                break;
            }
        }
        // What is missing may merely be misspelt, which is told already.
        Error::collect(errors)?;
        Ok(checked)
    }
}

/// A feed has the tensor's shape and dtype; any float may be fed as float32, and float16 as its bits.
fn checked_feed<T>(slot: &Slot<T>, array: &Array) -> Result<Array> {
    let ty = &slot.ty;
    if array.shape() == ty.shape {
        if array.dtype() == Dtype::Float32 && ty.dtype.is_float() {
            return for_compute(array);
        }
        if let Ok(array) = as_declared(array.clone(), ty.dtype, &ty.shape) {
            return for_compute(&array);
        }
    }
    let found = format!("{} {}", shape_text(array.shape()), array.dtype());
    let or = if ty.dtype.is_float() && ty.dtype != Dtype::Float32 { " (or float32)" } else { "" };
    let expected = format!("the input is {}{or}", slot.type_text);
    Err(argument(format!("the array fed to {:?}", ty.name), found, expected))
}

/// Floats as float32; read here where they lie in a file, so that kernels find them in memory.
fn for_compute(array: &Array) -> Result<Array> {
    let array = if array.dtype().is_float() { array.to_dtype(Dtype::Float32)? } else { array.clone() };
    array.bytes()?;
    Ok(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2]).unwrap();
        let z = g.input("z", Dtype::Float32, [2]).unwrap();
        let a = g.relu(x).out_name("a").call().unwrap();
        let b = g.mul(a, vec![2f32, 3.0]).out_name("b").call().unwrap();
        let c = g.add(b, z).out_name("c").call().unwrap();
        g.set_outputs(&[c]).unwrap();
        g
    }

    #[test]
    fn a_session_runs_many_times_and_from_many_threads() {
        let session = Session::new(&graph(), CpuBackend::new(), &RunOptions::default()).unwrap();
        std::thread::scope(|scope| {
            for i in 0..4 {
                let session = &session;
                scope.spawn(move || {
                    for k in 0..50 {
                        let v = (i * 50 + k) as f32;
                        let feeds = [("x", Array::from([v, -v])), ("z", Array::from([1f32, 1.0]))];
                        let c = session.run(&feeds).unwrap()["c"].to_f32().unwrap();
                        assert_eq!(c, [2.0 * v + 1.0, 1.0]);
                    }
                });
            }
        });
    }

    #[test]
    fn only_what_is_asked_for_is_computed() {
        let session = Session::new(&graph(), CpuBackend::new(), &RunOptions::default()).unwrap();
        let x = || ("x", Array::from([1f32, -1.0]));
        // z is not needed for b, nor x where a is given.
        assert_eq!(session.fetch(&[x()], &["b"]).unwrap()["b"].to_f32().unwrap(), [2.0, 0.0]);
        let given = session.fetch(&[("a", Array::from([1f32, 1.0]))], &["b", "a"]).unwrap();
        assert_eq!((given["a"].to_f32().unwrap(), given["b"].to_f32().unwrap()), (vec![1.0, 1.0], vec![2.0, 3.0]));
        assert_eq!(session.run(&[x()]).unwrap_err().to_string(), "the input \"z\" (2 float32) is not fed");
        let error = session.fetch(&[x()], &["bb"]).unwrap_err().to_string();
        assert!(error.starts_with("unknown tensor \"bb\""), "{error}");
    }

    #[test]
    fn an_op_without_kernel_is_named() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 4, 2, 2]).unwrap();
        let y = g.op(crate::ops::Mmap2Rgbmap::new(x)).out_name("y");
        let y = y.out_dtypes([Dtype::Float32]).out_shapes([[1, 1, 4, 4]]).call().unwrap();
        g.set_outputs(&y).unwrap();
        let error = Session::new(&g, CpuBackend::new(), &RunOptions::default()).err().unwrap();
        assert_eq!(
            error.to_string(),
            "top.Mmap2Rgbmap \"y\" (ops[0]): the op is known, but tpulang has no kernel for it yet"
        );
    }
}
