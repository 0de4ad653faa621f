//! Options of a run.
use super::{Interrupt, Precision};

/// How to run.
///
/// ```
/// use tpulang::exec::RunOptions;
/// let options = RunOptions::default().all(true).threads(2);
/// assert!(options.all && options.threads == 2 && !options.strict);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunOptions {
    /// Keep every tensor that is computed, not only the outputs. Not to be combined with [`RunOptions::fetched`].
    pub all: bool,
    /// Tensors that runs are fed instead of the graph's inputs, by name. One that an operator computes cuts the graph there:
    /// its operator, and what only that one needs, neither run nor have kernels prepared. Each name is given once.
    pub fed: Vec<String>,
    /// Tensors that runs return instead of the graph's outputs, by name. Only what they need is prepared and computed. Each
    /// name is given once.
    pub fetched: Vec<String>,
    /// Refuse to fall back to the CPU for operators that the backend lacks.
    pub strict: bool,
    /// Operators to run on the CPU, by the names of their results, whatever the backend has. They are not fused with
    /// others.
    pub on_cpu: Vec<String>,
    /// Number of threads of the CPU kernels; 0 means one per core. At most [`RunOptions::MAX_THREADS`] are
    /// used.
    pub threads: usize,
    /// How far operators are fused.
    pub fusion: FusionLevel,
    /// Storage precision of floats. The CPU supports only float32.
    pub precision: Precision,
    /// At most this many bytes of weights stay in memory between runs; the others are read again in each run,
    /// of embedding tables only the rows that it needs. They are counted as the graph has them; what a kernel makes of them may be
    /// up to twice as large (3x3 convolutions). By default all of them stay if the memory is large enough.
    pub weight_budget: Option<u64>,
    /// Maximum number of iterations of a loop, counted anew each time it runs; a loop that exceeds it fails. Default:
    /// 1,000,000.
    pub max_iterations: u64,
    /// Number of plans that a session keeps for other feeds and wanted tensors than the usual ones. Each has packed weights of its
    /// own. Default: 4.
    pub kept_plans: usize,
    /// Ends runs on request: see [`RunOptions::interrupt()`].
    pub interrupt: Option<Interrupt>,
}

/// How far operators are fused. Results differ by rounding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FusionLevel {
    /// As far as possible: some tensors of the graph are never computed.
    #[default]
    Full,
    /// Operators are not fused, but the backend may store images in its own layout. Every tensor between the inputs and the outputs is
    /// computed, so that [`Session::visit`](super::Session::visit) sees it, except those inside of branches and loops.
    Layouts,
    /// Not at all: each operator runs by itself, on tensors in the graph's layout. Slower than [`FusionLevel::Layouts`] if there are convolutions.
    None,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            all: false,
            fed: Vec::new(),
            fetched: Vec::new(),
            strict: false,
            on_cpu: Vec::new(),
            threads: 0,
            fusion: FusionLevel::default(),
            precision: Precision::default(),
            weight_budget: None,
            max_iterations: 1_000_000,
            kept_plans: 4,
            interrupt: None,
        }
    }
}

impl RunOptions {
    /// The largest number of threads of the CPU kernels.
    pub const MAX_THREADS: usize = 256;

    /// Sets [`RunOptions::all`].
    pub fn all(self, all: bool) -> Self {
        RunOptions { all, ..self }
    }
    /// Sets [`RunOptions::fed`].
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let h = g.exp(x).out_name("h").call()?;
    /// let y = g.add(h, 1.0).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let options = RunOptions::default().fed(["h"]);
    /// let session = Session::new(&g, CpuBackend::new(), &options)?;
    /// // Exp does not run.
    /// assert_eq!(session.run(&[("h", Array::from([5f32, 6.0]))])?["y"].to_f32()?, [6.0, 7.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn fed<S: Into<String>>(self, fed: impl IntoIterator<Item = S>) -> Self {
        RunOptions { fed: fed.into_iter().map(Into::into).collect(), ..self }
    }
    /// Sets [`RunOptions::fetched`].
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let z = g.input("z", Dtype::Float32, [2])?;
    /// let h = g.abs(x).out_name("h").call()?;
    /// let y = g.add(h, z).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().fed(["x"]).fetched(["h"]))?;
    /// // It does not need z.
    /// assert_eq!(session.run(&[("x", Array::from([-1f32, 2.0]))])?["h"].to_f32()?, [1.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn fetched<S: Into<String>>(self, fetched: impl IntoIterator<Item = S>) -> Self {
        RunOptions { fetched: fetched.into_iter().map(Into::into).collect(), ..self }
    }
    /// Sets [`RunOptions::strict`].
    pub fn strict(self, strict: bool) -> Self {
        RunOptions { strict, ..self }
    }
    /// Sets [`RunOptions::on_cpu`].
    ///
    /// ```
    /// use tpulang::exec::RunOptions;
    /// assert_eq!(RunOptions::default().on_cpu(["scores"]).on_cpu, ["scores"]);
    /// ```
    pub fn on_cpu<S: Into<String>>(self, on_cpu: impl IntoIterator<Item = S>) -> Self {
        RunOptions { on_cpu: on_cpu.into_iter().map(Into::into).collect(), ..self }
    }
    /// Sets [`RunOptions::threads`].
    pub fn threads(self, threads: usize) -> Self {
        RunOptions { threads, ..self }
    }
    /// Sets [`RunOptions::fusion`].
    pub fn fusion(self, fusion: FusionLevel) -> Self {
        RunOptions { fusion, ..self }
    }
    /// Sets [`RunOptions::fusion`] to [`FusionLevel::None`] if `unfused` is true.
    pub fn unfused(self, unfused: bool) -> Self {
        if unfused { self.fusion(FusionLevel::None) } else { self }
    }
    /// Sets [`RunOptions::precision`].
    pub fn precision(self, precision: Precision) -> Self {
        RunOptions { precision, ..self }
    }
    /// Sets [`RunOptions::weight_budget`].
    pub fn weight_budget(self, weight_budget: Option<u64>) -> Self {
        RunOptions { weight_budget, ..self }
    }
    /// Sets [`RunOptions::kept_plans`].
    pub fn kept_plans(self, kept_plans: usize) -> Self {
        RunOptions { kept_plans, ..self }
    }
    /// Sets [`RunOptions::max_iterations`].
    pub fn max_iterations(self, max_iterations: u64) -> Self {
        RunOptions { max_iterations, ..self }
    }
    /// Sets a function that a session asks before each step of a run, also within loops and branches, and before it
    /// prepares or folds an operator. If it returns true, the call fails with [`Cause::Interrupted`](crate::base::Cause),
    /// variables keep their values, and the session can run again.
    ///
    /// It is called from threads of the session, by several at once if there are several runs. A kernel that is running is
    /// not stopped, nor is the replay of a CUDA graph.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicBool, Ordering::Relaxed}};
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1])?;
    /// let y = g.relu(x).call()?;
    /// g.set_outputs(&[y])?;
    /// let ends = Arc::new(AtomicBool::new(false));
    /// let asked = ends.clone();
    /// let options = RunOptions::default().interrupt(move || asked.load(Relaxed));
    /// let session = Session::new(&g, CpuBackend::new(), &options)?;
    /// // Another thread may set it during a run.
    /// ends.store(true, Relaxed);
    /// assert!(session.run(&[("x", Array::from([1f32]))]).unwrap_err().is_interrupted());
    /// ends.store(false, Relaxed);
    /// assert!(session.run(&[("x", Array::from([1f32]))]).is_ok());
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn interrupt(self, ends: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        RunOptions { interrupt: Some(Interrupt::new(ends)), ..self }
    }
}
