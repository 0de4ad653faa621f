use super::{
    Backend, CpuBackend, Precision, Run,
    plan::{Kernel, Network, Operation, Plan, Slot, Step, for_compute},
};
use crate::{
    array::{Array, as_declared},
    base::{Cause, Dtype, Error, MAX_ERRORS, Result, Suggestions, argument, counted, invalid, shape_text, shown},
    graph::Graph,
};
use indexmap::IndexMap;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
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
    /// Run each operator by itself, as the graph has it. Numbers then differ by rounding.
    pub unfused: bool,
    /// In which floats tensors lie in memory. The CPU has them in float32 alone.
    pub precision: Precision,
    /// At most this many bytes of weights stay in memory between runs; the others are read again in each run. By default
    /// all of them stay if the memory is large enough.
    pub weight_budget: Option<u64>,
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
    network: Network,
    by_name: HashMap<String, usize>,
    options: RunOptions,
    available: fn(&B) -> u64,
    /// For the graph's inputs, giving what [`Session::run`] gives.
    pub(super) plan: Arc<Plan<B>>,
    pub(super) wanted: Vec<usize>,
    /// For other feeds and wanted tensors, the latest last.
    others: Mutex<Vec<(Request, Arc<Plan<B>>)>>,
    suggestions: Suggestions,
}

/// The plan that a run has followed, and what it gave.
pub(super) type Followed<B> = (Arc<Plan<B>>, IndexMap<String, Array>);

/// Is told the place of each step that was done, and its time.
pub(super) type Watch<'w> = &'w mut (dyn FnMut(usize, Duration) + Send);

/// What is fed, sorted, and what is wanted.
type Request = (Vec<usize>, Vec<usize>);

/// Plans for other feeds and wanted tensors that a session keeps: each has packed weights of its own.
const OTHERS: usize = 4;

impl<B: Backend> Session<B> {
    /// Prepares a graph.
    ///
    /// # Errors
    /// Outputs are not set, a coefficient has no data, propagated quantizations contradict each other, an op has no kernel
    /// (with `strict`: none of the backend), or the memory is not enough for the coefficients.
    pub fn new(graph: &Graph, backend: B, options: &RunOptions) -> Result<Session<B>> {
        Session::within(graph, backend, options, B::available)
    }

    /// In so much memory: weights beyond are read anew in each run.
    pub(super) fn within(
        graph: &Graph,
        backend: B,
        options: &RunOptions,
        available: fn(&B) -> u64,
    ) -> Result<Session<B>> {
        graph.check_complete()?;
        if !backend.has_precision(options.precision) {
            let expected = format!("the backend {} has floats in {} alone", backend.name(), Precision::F32);
            return Err(argument("precision", options.precision, expected));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads.min(256))
            .build()
            .map_err(|e| argument("threads", options.threads, e))?;
        let (network, cpu) = (Network::new(graph, options.precision)?, CpuBackend::new());
        let wanted: Vec<usize> = match options.all {
            true => network.operators.iter().flat_map(Operation::outputs).collect(),
            false => graph.outputs().iter().map(|t| t.index()).collect(),
        };
        let make = || Plan::new(&network, (&backend, &cpu), (&network.inputs, &wanted), options, available);
        let plan = pool.install(make)?;
        let names = network.tensors.iter().enumerate();
        Ok(Session {
            by_name: names.filter_map(|(i, s)| Some((s.as_ref()?.ty.name.clone(), i))).collect(),
            backend,
            cpu,
            pool,
            network,
            options: options.clone(),
            available,
            plan: Arc::new(plan),
            wanted,
            others: Mutex::default(),
            suggestions: Suggestions::default(),
        })
    }

    /// Runs the graph on `feeds`, one array an input (or in the place of any other tensor), by name, and gives the outputs;
    /// with [`RunOptions::all`] every computed tensor.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(&self, feeds: &(impl Feeds + ?Sized)) -> Result<IndexMap<String, Array>> {
        self.compute(feeds, &self.wanted, None).map(|(_, results)| results)
    }

    /// As [`Session::run`], for the tensors of these names, computing only what they need.
    ///
    /// # Errors
    /// As [`run`], or there is no tensor of a name.
    pub fn fetch(&self, feeds: &(impl Feeds + ?Sized), names: &[&str]) -> Result<IndexMap<String, Array>> {
        let wanted: Vec<usize> = names.iter().map(|n| self.find("tensor", n)).collect::<Result<_>>()?;
        self.compute(feeds, &wanted, None).map(|(_, results)| results)
    }

    /// As [`Session::run`], on the backend's own buffers: nothing is copied, and nobody waits. On a device results are complete
    /// when its stream has come to them ([`Session::synchronise`]).
    ///
    /// # Errors
    /// As [`run`]; what goes wrong on a device may be told later, by [`Session::synchronise`].
    pub fn run_on(&self, feeds: Vec<(&str, B::Buffer)>) -> Result<IndexMap<String, B::Buffer>> {
        let mut fed = Vec::new();
        for (name, buffer) in feeds {
            let tensor = self.find("input", name)?;
            let slot = self.network.slot(tensor)?;
            let expected = (slot.ty.buffer_dtype(), slot.ty.shape.clone());
            if let Some((dtype, shape)) = self.backend.type_of(&buffer).filter(|found| *found != expected) {
                let found = format!("{} {dtype}", shape_text(&shape));
                let expected = format!("it must be {} {}", shape_text(&expected.1), expected.0);
                return Err(argument(format!("the buffer fed to {name:?}"), found, expected));
            }
            fed.push((tensor, buffer));
        }
        let plan = self.plan(fed.iter().map(|(tensor, _)| *tensor).collect(), &self.wanted)?;
        plan.check_memory(&self.backend)?;
        let results = self.pool.install(|| self.steps(&plan, fed.into_iter(), &self.wanted, &mut None))?;
        self.wanted.iter().zip(results).map(|(t, buffer)| Ok((plan.slot(*t)?.ty.name.clone(), buffer))).collect()
    }

    /// The mean time of `runs` more runs on what was fed last, one right after the other, without its copies to the backend's
    /// memory and back; none where the backend does not record runs, or has not yet (it does so at the second).
    ///
    /// # Errors
    /// Something fails on the device.
    pub fn repeated(&self, runs: u32) -> Result<Option<Duration>> {
        self.synchronise()?;
        let begun = Instant::now();
        for _ in 0..runs {
            if !self.backend.repeat(&self.plan.memo)? {
                return Ok(None);
            }
        }
        self.synchronise()?;
        Ok(begun.elapsed().checked_div(runs))
    }

    /// Waits until everything is done.
    ///
    /// # Errors
    /// Something failed meanwhile.
    pub fn synchronise(&self) -> Result<()> {
        self.backend.synchronise()?;
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.iter().map(|(_, plan)| plan).chain([&self.plan]).try_for_each(|plan| self.check_faults(plan))
    }
    /// What kernels have found while they ran, if everything is done.
    fn check_faults(&self, plan: &Plan<B>) -> Result<()> {
        let fault = |step: &Step<B::Kernel>| match &step.kernel {
            Kernel::Here(kernel) => Some(self.backend.fault(kernel)?.in_call(plan.context(&step.node))),
            _ => None,
        };
        // Each is asked, so that none tells the next run.
        let found: Vec<Error> = plan.steps.iter().filter_map(fault).collect();
        found.into_iter().next().map_or(Ok(()), Err)
    }

    /// The backend, for its buffers.
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// How many operators run where: `cpu: 41 ops`; for a fallback also which.
    pub fn summary(&self) -> String {
        let (mut fallback, mut here): (BTreeMap<&str, usize>, usize) = (BTreeMap::new(), 0);
        // What a plan adds belongs to an operator of the graph.
        let mut told = HashSet::new();
        for (step, stage) in self.plan.steps.iter().flat_map(|step| step.node.stages.iter().map(move |s| (step, s))) {
            match step.kernel.is_on_cpu() {
                _ if !told.insert(stage.index) => {}
                false => here += 1,
                true => *fallback.entry(stage.op.name()).or_default() += 1,
            }
        }
        let mut text = format!("{}: {}", self.backend.name(), counted(here, "op"));
        if !fallback.is_empty() {
            let list: Vec<_> = fallback.iter().map(|(op, n)| format!("{op} x{n}")).collect();
            text += &format!(", cpu: {}", list.join(", "));
        }
        text
    }

    /// What a run does, step by step, and what was made of the graph's operators for it: text for people.
    pub fn explain(&self) -> String {
        self.plan.text(&self.backend)
    }

    /// Bytes that a run takes at most beside coefficients, feeds and threads: results until their last use, and what
    /// kernels need meanwhile.
    pub fn peak_bytes(&self) -> u64 {
        self.plan.peak_bytes()
    }

    fn find(&self, kind: &'static str, name: &str) -> Result<usize> {
        self.by_name.get(name).copied().ok_or_else(|| {
            let inputs = self.network.inputs.iter().filter_map(|i| self.network.slot(*i).ok());
            let nearest = match kind {
                "input" => self.suggestions.nearest(name, inputs.map(|s| s.ty.name.as_str())),
                _ => self.suggestions.nearest(name, self.by_name.keys().map(String::as_str)),
            };
            Cause::UnknownName { kind, name: shown(name), nearest }.into()
        })
    }

    /// The plan for what is fed and wanted, made where there is none yet.
    fn plan(&self, mut fed: Vec<usize>, wanted: &[usize]) -> Result<Arc<Plan<B>>> {
        let mut inputs = self.network.inputs.clone();
        [&mut fed, &mut inputs].into_iter().for_each(|list| list.sort_unstable());
        let is_usual = fed == inputs;
        if is_usual && wanted == self.wanted {
            return Ok(self.plan.clone());
        }
        let request: Request = (fed, wanted.to_vec());
        let known = |all: &[(Request, Arc<Plan<B>>)]| all.iter().find(|(r, _)| *r == request).map(|(_, p)| p.clone());
        let lock = || self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = known(&lock()) {
            return Ok(plan);
        }
        let backends = (&self.backend, &self.cpu);
        let make = || Plan::new(&self.network, backends, (&request.0, wanted), &self.options, self.available);
        let plan = Arc::new(self.pool.install(make)?);
        let mut others = lock();
        if others.len() >= OTHERS {
            others.remove(0);
        }
        others.push((request, plan.clone()));
        Ok(plan)
    }

    /// Gives also the plan that was followed.
    pub(super) fn compute(
        &self,
        feeds: &(impl Feeds + ?Sized),
        wanted: &[usize],
        watch: Option<Watch>,
    ) -> Result<Followed<B>> {
        let fed = self.checked_feeds(feeds)?;
        let plan = self.plan(fed.keys().copied().collect(), wanted)?;
        if watch.is_some() || !self.backend.has_memory(&plan.memo) {
            plan.check_memory(&self.backend)?;
        }
        // Kernels divide their work among the pool's threads.
        let results = self.pool.install(|| self.go(fed, &plan, wanted, watch))?;
        Ok((plan, results))
    }

    fn go(
        &self,
        fed: HashMap<usize, Array>,
        plan: &Plan<B>,
        wanted: &[usize],
        mut watch: Option<Watch>,
    ) -> Result<IndexMap<String, Array>> {
        let (places, feeds): (Vec<usize>, Vec<Array>) = {
            let mut fed: Vec<_> = fed.into_iter().collect();
            fed.sort_unstable_by_key(|(tensor, _)| *tensor);
            fed.into_iter().unzip()
        };
        let repeatable = watch.is_none() && plan.steps.iter().all(|s| matches!(s.kernel, Kernel::Here(_)));
        let mut steps = |feeds: Vec<B::Buffer>| self.steps(plan, places.iter().copied().zip(feeds), wanted, &mut watch);
        let run = Run { feeds, repeatable, steps: &mut steps, check: &|| self.check_faults(plan) };
        let results = self.backend.run_plan(&plan.memo, run)?;
        wanted
            .iter()
            .zip(results)
            .map(|(t, array)| Ok((plan.slot(*t)?.ty.name.clone(), for_compute(&array)?)))
            .collect()
    }

    /// From what is fed to what is wanted, step by step.
    fn steps(
        &self,
        plan: &Plan<B>,
        fed: impl Iterator<Item = (usize, B::Buffer)>,
        wanted: &[usize],
        watch: &mut Option<Watch>,
    ) -> Result<Vec<B::Buffer>> {
        let mut buffers: Vec<Option<B::Buffer>> = vec![None; plan.tensors.len()];
        fed.for_each(|(tensor, buffer)| buffers[tensor] = Some(buffer));
        for (i, (step, freed)) in plan.steps.iter().zip(&plan.freed).enumerate() {
            let begun = watch.is_some().then(Instant::now);
            let results = self.step(plan, step, &mut buffers, freed).map_err(|e| {
                // What a device has found meanwhile came before.
                let before = self.backend.synchronise().and_then(|()| self.check_faults(plan)).err();
                before.unwrap_or_else(|| e.in_call(plan.context(&step.node)))
            })?;
            if let (Some(watch), Some(begun)) = (watch.as_mut(), begun) {
                self.backend.synchronise()?;
                watch(i, begun.elapsed());
            }
            for (&tensor, buffer) in step.outputs.iter().zip(results) {
                // What is fed is not computed.
                buffers[tensor].get_or_insert(buffer);
            }
            // Also results that nobody reads.
            freed.iter().for_each(|t| buffers[*t] = None);
        }
        let result = |t: &usize| {
            let buffer = buffers[*t].as_ref().or_else(|| plan.constants.get(t)).cloned();
            let missing = || Cause::MissingData(format!("tensor {t} was not computed"));
            buffer.ok_or_else(|| missing().into())
        };
        wanted.iter().map(result).collect()
    }

    fn step(
        &self,
        plan: &Plan<B>,
        step: &Step<B::Kernel>,
        buffers: &mut [Option<B::Buffer>],
        freed: &[usize],
    ) -> Result<Vec<B::Buffer>> {
        let mut operands: Vec<_> = step.operands.iter().map(|t| buffers[*t].clone()).collect();
        // What is read for the last time is the kernel's alone.
        freed.iter().for_each(|t| buffers[*t] = None);
        if let Kernel::Streamed(_) = step.kernel {
            let backends = (&self.backend, &self.cpu);
            let prepared = plan.prepared(&step.node, backends, &HashMap::new(), self.options.strict)?;
            let upload = |t: usize, array: &Array| self.backend.upload(&plan.slot(t)?.ty.buffered(array)?);
            let read = prepared.reads.iter().map(|(t, array)| Ok((*t, upload(*t, array)?)));
            let results = self.run_kernel(plan, step, &prepared.kernel, &mut operands, &read.collect::<Result<_>>()?);
            // It is not there to be asked later.
            if let (Ok(_), Kernel::Here(kernel)) = (&results, &prepared.kernel) {
                self.backend.synchronise()?;
                self.backend.fault(kernel).map_or(Ok(()), Err)?;
            }
            return results;
        }
        self.run_kernel(plan, step, &step.kernel, &mut operands, &plan.constants)
    }

    fn run_kernel(
        &self,
        plan: &Plan<B>,
        step: &Step<B::Kernel>,
        kernel: &Kernel<B::Kernel>,
        operands: &mut [Option<B::Buffer>],
        constants: &HashMap<usize, B::Buffer>,
    ) -> Result<Vec<B::Buffer>> {
        for (t, operand) in step.operands.iter().zip(&mut *operands).filter(|(_, operand)| operand.is_none()) {
            *operand = constants.get(t).cloned();
            let slot = plan.slot(*t)?;
            // A constant that is not there is not read.
            if operand.is_none() && slot.constant.is_none() {
                return Err(Cause::MissingData(format!("the tensor {:?} has no values", slot.ty.name)).into());
            }
        }
        match kernel {
            Kernel::Here(kernel) => self.backend.run(kernel, operands),
            Kernel::OnCpu(kernel) => {
                let download = |b: &B::Buffer| for_compute(&self.backend.download(b)?);
                let operands = operands.iter().map(|b| b.as_ref().map(download).transpose());
                let results = self.cpu.run(kernel, &mut operands.collect::<Result<Vec<_>>>()?)?;
                let upload = |(t, array): (&usize, &Array)| self.backend.upload(&plan.slot(*t)?.ty.buffered(array)?);
                step.outputs.iter().zip(&results).map(upload).collect()
            }
            Kernel::Streamed(_) => Err(invalid("a kernel that is not there")),
        }
    }

    fn checked_feeds(&self, feeds: &(impl Feeds + ?Sized)) -> Result<HashMap<usize, Array>> {
        let (mut errors, mut checked) = (Vec::new(), HashMap::new());
        for (name, array) in feeds.feeds() {
            let fed = self.find("input", name).and_then(|t| Ok((t, checked_feed(self.network.slot(t)?, array)?)));
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
fn checked_feed(slot: &Slot, array: &Array) -> Result<Array> {
    let ty = &slot.ty;
    if array.shape() == ty.shape {
        if array.dtype() == Dtype::Float32 && ty.dtype.is_float() {
            return ty.buffered(array);
        }
        if let Ok(array) = as_declared(array.clone(), ty.dtype, &ty.shape) {
            return ty.buffered(&array);
        }
    }
    let found = format!("{} {}", shape_text(array.shape()), array.dtype());
    let or = if ty.dtype.is_float() && ty.dtype != Dtype::Float32 { " (or float32)" } else { "" };
    let expected = format!("the input is {}{or}", slot.type_text);
    Err(argument(format!("the array fed to {:?}", ty.name), found, expected))
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
            "top.Mmap2Rgbmap \"y\" (ops[0]): tpulang has no kernel for it: only a chip's own code defines it\n   operand 0  x  1x4x2x2 float32"
        );
    }
}
