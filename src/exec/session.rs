use super::{
    Backend, CpuBackend, Feeds, Precision, Run, RunOptions,
    kept_plans::{KeptPlans, Request},
    names::Names,
    placement::Placement,
    plan::{Network, Plan, PlanPlacement, TensorIndex, computed, for_compute},
    run_into::CoefficientMemory,
    state::State,
    steps::ResultBuffers,
    threads::Threads,
};
use crate::{
    array::Array,
    base::{Result, argument, misfit, pluralized},
    graph::Graph,
};
use indexmap::IndexMap;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

/// The results of a run.
#[derive(Debug, Clone)]
pub struct RunResults {
    /// Outputs, or with [`RunOptions::all`] all computed tensors, by name, in the order of computation.
    pub tensors: IndexMap<String, Array>,
    /// Operator counts per device (`cpu: 41 ops`), with the names of those that fell back to the CPU.
    pub summary: String,
}

/// Runs a graph once on `feeds`, one array per input, by name: a [`Session`] used once.
///
/// Floats are computed, and returned, in float32, whatever their dtype; integers in their own. Tensors are freed
/// after their last use.
///
/// # Errors
/// Returns an error if a feed is missing, unknown, or has another shape or dtype; if a coefficient has no data, memory runs
/// out or an index is out of range; with `strict`, if the backend lacks an op; and if [`RunOptions::interrupt()`] ends it.
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

/// A graph prepared for a backend, with its kernels and coefficients. It runs any number of times, from any thread.
pub struct Session<B: Backend> {
    pub(super) placement: Placement<B>,
    pub(super) threads: Threads,
    pub(super) network: Network,
    pub(super) names: Names,
    pub(super) options: RunOptions,
    available: fn(&B) -> u64,
    /// The plan of [`Session::run`].
    pub(super) plan: Arc<Plan<B>>,
    /// The tensors that callers usually feed.
    pub(super) inputs: Vec<TensorIndex>,
    /// `inputs`, then the variables.
    fed: Vec<TensorIndex>,
    pub(super) wanted: Vec<TensorIndex>,
    /// The wanted tensors, then the other next values of variables.
    pub(super) wanted_and_next: Vec<TensorIndex>,
    pub(super) state: State<B>,
    /// Plans for other feeds and wanted tensors.
    kept_plans: KeptPlans<B>,
    /// Looked up by the first run into memory of the caller's.
    pub(super) coefficient_memory: OnceLock<CoefficientMemory>,
}

/// The plan that a run has followed, and its results.
pub(super) type RunOutcome<B> = (Arc<Plan<B>>, IndexMap<String, Array>);

/// A callback that receives the index, duration and results of each completed step.
pub(super) type StepObserver<'w, B> = &'w mut (dyn FnMut(usize, Duration, &mut [<B as Backend>::Buffer]) + Send);

impl<B: Backend> Session<B> {
    /// Prepares a graph.
    ///
    /// # Errors
    /// Returns an error if outputs are not set, a coefficient has no data, propagated quantizations contradict each other, an op
    /// has no kernel (with `strict`, none in the backend), or memory does not suffice for the coefficients; and if
    /// [`RunOptions::all`] and [`RunOptions::fetched`] are both given.
    pub fn new(graph: &Graph, backend: B, options: &RunOptions) -> Result<Session<B>> {
        Session::with_fallback(graph, backend, CpuBackend::new(), options)
    }

    /// Like [`Session::new`]; operators that the backend lacks run on `cpu`, which may have kernels of your own
    /// ([`CpuBackend::with_custom`]).
    ///
    /// # Errors
    /// Same as for [`Session::new`].
    pub fn with_fallback(graph: &Graph, backend: B, cpu: CpuBackend, options: &RunOptions) -> Result<Session<B>> {
        Session::within(graph, (backend, cpu), options, B::available_memory)
    }

    /// Like [`Session::with_fallback`], with a memory budget; excess weights are reloaded on every run.
    pub(super) fn within(
        graph: &Graph,
        (backend, cpu): (B, CpuBackend),
        options: &RunOptions,
        available: fn(&B) -> u64,
    ) -> Result<Session<B>> {
        graph.check_complete()?;
        if !backend.supports_precision(options.precision) {
            let expected = format!("the backend {} supports only {}", backend.name(), Precision::F32);
            return Err(argument("precision", options.precision, expected));
        }
        let threads = Threads::new(options.threads)?;
        let network = Network::new(graph, options.precision)?;
        let placement = Placement::new(backend, cpu, graph, options)?;
        let names = Names::new(graph, &network);
        let inputs = match options.fed.as_slice() {
            [] => network.inputs.clone(),
            fed => names.all(("fed", "input"), fed, &network)?,
        };
        let variables = network.variables().filter(|t| !inputs.contains(t));
        let fed: Vec<TensorIndex> = inputs.iter().copied().chain(variables).collect();
        let wanted = match options.fetched.as_slice() {
            [] if options.all => computed(graph, &network, &fed)?,
            [] => graph.outputs().iter().map(|t| TensorIndex(t.index())).collect(),
            _ if options.all => {
                let problem = "both say what runs return; drop all to get only what fetched lists, \
                               or fetched to get every tensor";
                return Err(misfit("all and fetched:", problem));
            }
            fetched => names.all(("fetched", "tensor"), fetched, &network)?,
        };
        let mut seen: HashSet<TensorIndex> = wanted.iter().copied().collect();
        let next = network.variables.iter().map(|v| v.next).filter(|t| seen.insert(*t));
        let wanted_and_next: Vec<TensorIndex> = wanted.iter().copied().chain(next).collect();
        let make = || Plan::new(&network, &placement, (&fed, &wanted_and_next), options, available);
        let mut plan = threads.install(make)?;
        plan.gaps.free();
        let state = State::new(&network, &placement.backend)?;
        Ok(Session {
            names,
            placement,
            threads,
            network,
            options: options.clone(),
            available,
            plan: Arc::new(plan),
            inputs,
            fed,
            wanted,
            wanted_and_next,
            state,
            kept_plans: KeptPlans::default(),
            coefficient_memory: OnceLock::new(),
        })
    }

    /// Runs the graph on `feeds`, one array per input, by name, and returns the outputs; with [`RunOptions::all`], every
    /// computed tensor. An inner tensor may be fed instead of the inputs that it is computed from. Replaces the graph's
    /// variables ([`Graph::assign`]) if the run succeeds; other methods only read them.
    ///
    /// # Errors
    /// Same as for [`run`]. Also returns an error if the feeds leave nothing to compute, or if an inner tensor is fed beside
    /// all inputs and [`RunOptions::fed`] does not list it.
    pub fn run(&self, feeds: &(impl Feeds + ?Sized)) -> Result<IndexMap<String, Array>> {
        if !self.network.variables.is_empty() {
            return self.run_and_update(feeds);
        }
        self.compute(feeds, &self.wanted, None).map(|(_, results)| results)
    }

    /// Like [`Session::run`], for the tensors of these names, computing only what they need.
    ///
    /// # Errors
    /// Same as for [`run`], and if a name is unknown.
    pub fn fetch(&self, feeds: &(impl Feeds + ?Sized), names: &[&str]) -> Result<IndexMap<String, Array>> {
        let wanted: Vec<TensorIndex> = names.iter().map(|n| self.find("tensor", n)).collect::<Result<_>>()?;
        if !self.network.variables.is_empty() {
            return self.fetch_with_variables(feeds, &wanted);
        }
        self.compute(feeds, &wanted, None).map(|(_, results)| results)
    }

    /// Like [`Session::fetch`], but inner tensors may be fed beside all inputs, in place of what the network computes.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1])?;
    /// let h = g.exp(x).out_name("h").call()?;
    /// let y = g.add(x, h).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// let feeds = [("x", Array::from([1f32])), ("h", Array::from([5f32]))];
    /// assert!(session.fetch(&feeds, &["y"]).is_err());
    /// assert_eq!(session.fetch_from(&feeds, &["y"])?["y"].to_f32()?, [6.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`run`], and if a name is unknown.
    pub fn fetch_from(&self, feeds: &(impl Feeds + ?Sized), names: &[&str]) -> Result<IndexMap<String, Array>> {
        let wanted: Vec<TensorIndex> = names.iter().map(|n| self.find("tensor", n)).collect::<Result<_>>()?;
        self.compute_from(self.known_feeds(feeds)?, &wanted, None).map(|(_, results)| results)
    }

    /// Replays the last run `runs` times without copies and returns the mean time. Returns `None` if no run has been recorded:
    /// the backend does not record runs, or does so only at the second.
    ///
    /// # Errors
    /// Returns an error if the device fails.
    pub fn time_replay(&self, runs: u32) -> Result<Option<Duration>> {
        self.synchronize()?;
        let begun = Instant::now();
        for _ in 0..runs {
            if !self.plan.recorder.as_ref().map_or(Ok(false), |recorder| recorder.replay())? {
                return Ok(None);
            }
        }
        self.synchronize()?;
        Ok(begun.elapsed().checked_div(runs))
    }

    /// Blocks until all submitted work completes.
    ///
    /// # Errors
    /// Returns an error if any of it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.placement.backend.synchronize()?;
        self.kept_plans.check_faults()?;
        self.plan.check_faults()
    }

    /// Calls `work` on one of the session's threads. Rayon's parallel iterators in it use these threads, as runs of the session do,
    /// so that the two do not compete for processors.
    ///
    /// ```
    /// # use tpulang::{Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// # let mut g = Graph::new("net")?;
    /// # let x = g.input("x", Dtype::Float32, [1])?;
    /// # let y = g.relu(x).call()?;
    /// # g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().threads(3))?;
    /// assert_eq!(session.install(rayon::current_num_threads), 3);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.threads.install(work)
    }

    /// The backend, to access its buffers.
    pub fn backend(&self) -> &B {
        &self.placement.backend
    }

    /// Operator counts per device (`cpu: 41 ops`), those in blocks included, with the names of those that fall back to the CPU.
    pub fn summary(&self) -> String {
        let (mut fallback, mut here): (BTreeMap<&str, usize>, usize) = (BTreeMap::new(), 0);
        // Operators that a plan adds belong to one of the graph, which is counted once.
        let mut counted_ops = HashSet::new();
        self.plan.walk(&mut 0, &mut |plan, step| {
            for stage in &step.node.stages {
                match step.kernel.is_on_cpu() {
                    _ if !counted_ops.insert((plan, stage.origin.operator)) => {}
                    false => here += 1,
                    true => *fallback.entry(stage.op.name()).or_default() += 1,
                }
            }
        });
        let mut text = format!("{}: {}", self.placement.backend.name(), pluralized(here, "op"));
        if !fallback.is_empty() {
            let list: Vec<_> = fallback.iter().map(|(op, n)| format!("{op} x{n}")).collect();
            text += &format!(", cpu: {}", list.join(", "));
        }
        text
    }

    /// The execution plan as human-readable text: each step, and the effects of the rewrite rules.
    pub fn explain(&self) -> String {
        self.plan.text(self.placement.backend.name())
    }

    /// Peak memory of a run in bytes: live results and kernel workspace, excluding weights, inputs and threads.
    pub fn peak_bytes(&self) -> u64 {
        self.plan.peak_bytes()
    }

    pub(super) fn find(&self, kind: &'static str, name: &str) -> Result<TensorIndex> {
        self.names.find(kind, name, &self.network)
    }

    /// Returns the plan for these feeds and wanted tensors, from the cache if it is there.
    pub(super) fn plan(&self, mut fed: Vec<TensorIndex>, wanted: &[TensorIndex]) -> Result<Arc<Plan<B>>> {
        let mut inputs = self.fed.clone();
        [&mut fed, &mut inputs].into_iter().for_each(|list| list.sort_unstable());
        let is_usual = fed == inputs;
        if is_usual && wanted == self.wanted_and_next {
            return Ok(self.plan.clone());
        }
        let request: Request = (fed, wanted.to_vec());
        if let Some(plan) = self.kept_plans.get(&request) {
            return Ok(plan);
        }
        let fed_and_wanted = (request.0.as_slice(), wanted);
        let make = || Plan::new(&self.network, &self.placement, fed_and_wanted, &self.options, self.available);
        let plan = Arc::new(self.threads.install(make)?);
        // Another thread may have created it in the meantime.
        if let Some(plan) = self.kept_plans.get(&request) {
            return Ok(plan);
        }
        self.kept_plans.add(request, plan.clone(), self.options.kept_plans, &self.placement.backend)?;
        Ok(plan)
    }

    /// Runs the plan for `wanted`; returns the plan too.
    pub(super) fn compute(
        &self,
        feeds: &(impl Feeds + ?Sized),
        wanted: &[TensorIndex],
        observer: Option<StepObserver<B>>,
    ) -> Result<RunOutcome<B>> {
        self.compute_from(self.checked_feeds(feeds)?, wanted, observer)
    }

    /// Like [`Session::compute`], from feeds that are checked.
    pub(super) fn compute_from(
        &self,
        mut fed: HashMap<TensorIndex, Array>,
        wanted: &[TensorIndex],
        observer: Option<StepObserver<B>>,
    ) -> Result<RunOutcome<B>> {
        self.add_variables(&mut fed)?;
        let plan = self.plan(fed.keys().copied().collect(), wanted)?;
        if observer.is_some() {
            plan.check_memory(&self.placement.backend)?;
        } else {
            self.check_memory(&plan)?;
        }
        let results = self.on_threads(&plan, || self.go(fed, (&plan, wanted), &mut ResultBuffers::new(), observer))?;
        let named = |(t, array): (&TensorIndex, Array)| Ok((plan.entry(*t)?.ty.name.clone(), array));
        let results = wanted.iter().zip(results).map(named).collect::<Result<_>>()?;
        Ok((plan, results))
    }

    /// Calls `run`, which runs a plan, on a thread of the session. Kernels divide their work among all of them.
    pub(super) fn on_threads<R: Send>(&self, plan: &Plan<B>, run: impl FnOnce() -> R + Send) -> R {
        // While a GPU computes, the host's threads have nothing to wait for.
        if plan.recorder.is_some() { self.threads.install(run) } else { self.threads.run(run) }
    }

    /// Runs a plan; returns the arrays of the wanted tensors.
    pub(super) fn go(
        &self,
        fed: HashMap<TensorIndex, Array>,
        (plan, wanted): (&Plan<B>, &[TensorIndex]),
        places: &mut ResultBuffers<B::Buffer>,
        mut observer: Option<StepObserver<B>>,
    ) -> Result<Vec<Array>> {
        let (tensors, feeds): (Vec<TensorIndex>, Vec<Array>) = {
            let mut fed: Vec<_> = fed.into_iter().collect();
            fed.sort_unstable_by_key(|(tensor, _)| *tensor);
            fed.into_iter().unzip()
        };
        let PlanPlacement { is_repeatable, has_host_steps } = plan.placement();
        let repeatable = observer.is_none() && is_repeatable;
        let mut steps =
            |feeds: Vec<B::Buffer>| self.steps(plan, tensors.iter().copied().zip(feeds), wanted, places, &mut observer);
        let check = || plan.check_faults();
        let results = match &plan.recorder {
            Some(recorder) => {
                recorder.run(feeds, Run { repeatable, has_host_steps, steps: &mut steps, check: &check })?
            }
            None => self.run_steps(feeds, &mut steps, &check)?,
        };
        results.iter().map(for_compute).collect()
    }

    /// Checks that the memory of a run is available, unless the recorder has allocated it already.
    pub(super) fn check_memory(&self, plan: &Plan<B>) -> Result<()> {
        let has_memory = plan.recorder.as_ref().is_some_and(|recorder| recorder.has_memory());
        if has_memory { Ok(()) } else { plan.check_memory(&self.placement.backend) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Dtype;

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
        // b does not need z, nor x if a is fed.
        assert_eq!(session.fetch(&[x()], &["b"]).unwrap()["b"].to_f32().unwrap(), [2.0, 0.0]);
        let given = session.fetch(&[("a", Array::from([1f32, 1.0]))], &["b", "a"]).unwrap();
        assert_eq!((given["a"].to_f32().unwrap(), given["b"].to_f32().unwrap()), (vec![1.0, 1.0], vec![2.0, 3.0]));
        assert_eq!(session.run(&[x()]).unwrap_err().to_string(), "the input \"z\" (2 float32) is not fed");
        let error = session.fetch(&[x()], &["bb"]).unwrap_err().to_string();
        assert!(error.starts_with("unknown tensor \"bb\""), "{error}");
    }

    #[test]
    fn the_least_recently_used_plan_is_dropped() {
        const KEPT: usize = 3;
        let mut g = Graph::new("g").unwrap();
        let mut t = g.input("x", Dtype::Float32, [2]).unwrap();
        let names: Vec<String> = (0..KEPT + 2).map(|i| format!("t{i}")).collect();
        for name in &names {
            t = g.relu(t).out_name(name).call().unwrap();
        }
        g.set_outputs(&[t]).unwrap();
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().kept_plans(KEPT)).unwrap();
        let fetch = |i: usize| session.fetch(&[("x", Array::from([1f32, -1.0]))], &[names[i].as_str()]).unwrap();
        (0..KEPT).for_each(|i| drop(fetch(i)));
        fetch(0);
        fetch(KEPT);
        let wanted = |i: usize| vec![session.names.get(&names[i]).unwrap()];
        let is_cached = |i: usize| session.kept_plans.has(&wanted(i));
        assert!(is_cached(0) && !is_cached(1) && is_cached(KEPT));
    }

    /// An error names the failing operator, not the last one fused into its kernel.
    #[test]
    fn an_error_names_the_operator_that_failed() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [4, 3]).unwrap();
        let i = g.input("i", Dtype::Int32, [2]).unwrap();
        // Several operators of one call.
        let before = g.roll(x, [1]).dims([0]).call().unwrap();
        let picked = g.index_select(before, i).axis(0).out_name("picked").call().unwrap();
        let r = g.relu(picked).call().unwrap();
        let z = g.mul(r, 2.0).out_name("z").call().unwrap();
        g.set_outputs(&[z]).unwrap();
        for unfused in [false, true] {
            let options = RunOptions::default().unfused(unfused);
            let session = Session::new(&g, CpuBackend::new(), &options).unwrap();
            let x = Array::filled(Dtype::Float32, [4, 3], 1.0).unwrap();
            let error = session.run(&[("x", x), ("i", Array::from([0i32, 7]))]).unwrap_err().to_string();
            let expected =
                "top.Gather \"picked\" (ops[1]): index 7 is out of range for axis 0 (4 entries); expected -4 to 3";
            assert!(error.starts_with(expected) && error.contains("indices  i"), "{error}");
        }
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
            "top.Mmap2Rgbmap \"y\" (ops[0]): tpulang has no kernel for it: only a chip's own code defines it\n   input  x  1x4x2x2 float32"
        );
    }
}
