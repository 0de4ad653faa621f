//! The class `Session`: runs of a graph.
use crate::{
    arrays::{to_numpy, to_write},
    errors::{OrRaise, count, count_from_one, invalid, invalid_type, shown},
    graph::Graph,
    interrupt::{self, Ends},
    quantization::one_or_many,
    values::array_or_list,
    warnings::{warn, warn_of_graph, warn_of_weights_read},
};
use indexmap::IndexMap;
use pyo3::{
    prelude::*,
    types::{PyDict, PyList, PyMapping, PyTuple},
};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};
use tpulang::{
    Array, Dtype, Result,
    base::{Warning, WarningCode, Warnings},
    exec::{AnyBackend, Device, Precision, RunOptions, StepTime, ValueInfo as Info},
};
use tpulang_base::pluralized;

/// A graph prepared for a device. It runs any number of times, also from several threads at once.
///
/// A run releases Python's lock. Ctrl-C ends all runs of the session.
///
/// Args:
///     graph: The graph, whose outputs are set. Later changes to it do not change the session.
///     device: "cpu", "cuda" or "cuda:1".
///     threads: Number of threads of the CPU's kernels; 0 for one per core.
///     all: Whether runs return every computed tensor, not only the outputs. Not to be combined with `fetched`.
///     strict: Whether to refuse operators that the device lacks, instead of running them on the CPU.
///     unfused: Whether to run every operator separately.
///     precision: "float32", or on a GPU "float16" to store float16 tensors as such.
///     on_cpu: Names of operators to run on the CPU, whatever the device.
///     max_iterations: Maximum number of iterations of a loop.
///     fed: Names of the tensors that runs are fed instead of the graph's inputs. One that an operator computes cuts the
///         graph there: that operator, and what only it needs, neither run nor are prepared.
///     fetched: Names of the tensors that runs return instead of the graph's outputs. Only what they need is prepared.
///     weight_budget: Maximum number of bytes of weights that stay in memory between runs; the others are read again in each
///         run. By default all of them stay if the memory is large enough.
///     check_finite: Whether `run` and `fetch` warn of NaN and infinite elements in arrays that are fed and in results, once
///         per tensor. If there are some, the results are computed again to find the first operator that produced one. They also
///         warn of saturated quantized results, and of integer arithmetic that saturates, which they compute again to find out.
///
/// >>> import numpy as np, tpulang
/// >>> g = tpulang.Graph("net")
/// >>> x = g.input("x", (2,))
/// >>> g.outputs = [tpulang.relu(x, out_name="y")]
/// >>> session = tpulang.Session(g)
/// >>> session.run({"x": np.array([-1, 2], "float32")})["y"]
/// array([0., 2.], dtype=float32)
#[pyclass(frozen, module = "tpulang", subclass, weakref)]
pub struct Session {
    session: tpulang::exec::Session<AnyBackend>,
    inputs: Vec<Info>,
    /// The codes of warnings that are not issued.
    allowed: Vec<WarningCode>,
    ends: Arc<Ends>,
    /// The process that the session's threads belong to.
    process: u32,
    checks_finite: bool,
    /// The warnings that runs have issued, and the tensors that they were about.
    issued: Mutex<HashSet<(WarningCode, String)>>,
}

/// The input arrays of a run.
pub struct Feeds(Vec<(String, Array)>);

impl Feeds {
    /// Reads a dict by name, a list in the order of the inputs, or an array for the only one.
    pub fn read(py: Python<'_>, feeds: Option<&Bound<'_, PyAny>>, session: &Session) -> PyResult<Feeds> {
        let inputs = &session.inputs;
        let Some(feeds) = feeds else { return Ok(Feeds(Vec::new())) };
        let dtype = |name: &str| inputs.iter().find(|info| info.name == name).map_or(Dtype::Float32, |info| info.dtype);
        if let Ok(feeds) = feeds.cast::<PyMapping>() {
            let mut all = Vec::new();
            for pair in feeds.items()?.iter() {
                let (name, object): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
                let name = name_of("a key of feeds", &name)?;
                let array = array_or_list(&fed_to(&name), &object, dtype(&name))?;
                all.push((name, array));
            }
            return Ok(Feeds(all));
        }
        let is_list = feeds.is_instance_of::<PyList>() || feeds.is_instance_of::<PyTuple>();
        let objects = if is_list { feeds.try_iter()?.collect::<PyResult<Vec<_>>>()? } else { vec![feeds.clone()] };
        if objects.len() != inputs.len() {
            let names: Vec<_> = inputs.iter().map(|info| info.name.as_str()).collect();
            let fed =
                format!("{} {} fed", pluralized(objects.len(), "array"), if objects.len() == 1 { "is" } else { "are" });
            let problem = format!("{fed}; expected {}: {}", inputs.len(), names.join(", "));
            return Err(invalid_type(py, problem));
        }
        let fed = inputs
            .iter()
            .zip(objects)
            .map(|(i, object)| Ok((i.name.clone(), array_or_list(&fed_to(&i.name), &object, i.dtype)?)));
        fed.collect::<PyResult<_>>().map(Feeds)
    }
}

/// Returns what a message calls the array of an input.
fn fed_to(name: &str) -> String {
    format!("the value fed to {name:?}")
}

/// Returns the name that an object stands for: a string, or a tensor. Errors begin with `what`: "a key of feeds".
fn name_of(what: &str, object: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = object.py();
    match object.cast::<crate::tensor::Tensor>() {
        Ok(tensor) => tensor.get().name(py),
        Err(_) => object
            .extract::<String>()
            .map_err(|_| invalid_type(py, format!("{what} is {}; expected a name or a tensor", shown(object)))),
    }
}

fn names_of(what: &str, objects: &[Bound<'_, PyAny>]) -> PyResult<Vec<String>> {
    objects.iter().map(|object| name_of(what, object)).collect()
}

impl Session {
    fn interruptible<T: Send>(&self, py: Python<'_>, body: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
        if self.process != std::process::id() {
            return Err(invalid(
                py,
                "the session was made before this process was forked, and has no threads here; make a new one",
            ));
        }
        interrupt::interruptible(py, &self.ends, body)
    }
    /// Runs the graph, and warns of conversions, of NaN and infinite elements, and of results and integers that saturate.
    pub fn run_feeds<'py>(&self, py: Python<'py>, feeds: Feeds) -> PyResult<Bound<'py, PyDict>> {
        self.run_with(py, feeds, |feeds| self.session.run(feeds))
    }
    fn run_with<'py>(
        &self,
        py: Python<'py>,
        Feeds(feeds): Feeds,
        run: impl FnOnce(&[(String, Array)]) -> Result<IndexMap<String, Array>> + Send,
    ) -> PyResult<Bound<'py, PyDict>> {
        let feeds = feeds.as_slice();
        let (results, found) = self.interruptible(py, || {
            let results = run(feeds)?;
            let mut found = self.session.conversions(feeds);
            if self.checks_finite {
                found.extend(&self.session.non_finite(feeds, &self.unreported(&results))?);
                found.extend(&self.session.saturated(&results)?);
                found.extend(&self.session.overflowed(feeds, &results)?);
            }
            found.retain(|warning| !self.allowed.contains(&warning.code()));
            Ok((results, found))
        })?;
        self.warn_once(py, &found)?;
        to_dict(py, results)
    }
    /// Warns of arrays that are fed in another dtype than their inputs have, before a run that does not do so itself.
    fn warn_of_conversions(&self, py: Python<'_>, Feeds(feeds): &Feeds) -> PyResult<()> {
        let mut found = self.session.conversions(feeds.as_slice());
        found.retain(|warning| !self.allowed.contains(&warning.code()));
        self.warn_once(py, &found)
    }
    /// Returns the results that runs have not warned of: it takes another run to find out where NaN come from.
    fn unreported(&self, results: &IndexMap<String, Array>) -> IndexMap<String, Array> {
        let issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |name: &str| !issued.contains(&(WarningCode::NotFiniteResult, name.to_owned()));
        results.iter().filter(|(name, _)| is_new(name)).map(|(name, array)| (name.clone(), array.clone())).collect()
    }
    /// Issues each warning about a tensor once in the session's life.
    fn warn_once(&self, py: Python<'_>, warnings: &Warnings) -> PyResult<()> {
        let is_new = |warning: &&Warning| {
            let tensor = warning.kind().tensor().unwrap_or_default().to_owned();
            self.issued.lock().unwrap_or_else(PoisonError::into_inner).insert((warning.code(), tensor))
        };
        let new: Vec<&Warning> = warnings.iter().filter(is_new).collect();
        warn(py, new)
    }
}

fn to_dict<'py>(py: Python<'py>, arrays: impl IntoIterator<Item = (String, Array)>) -> PyResult<Bound<'py, PyDict>> {
    let results = PyDict::new(py);
    for (name, array) in arrays {
        results.set_item(name, to_numpy(py, array)?)?;
    }
    Ok(results)
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (graph, device="cpu", *, threads=0, all=false, strict=false, unfused=false, precision="float32",
                        on_cpu=None, max_iterations=None, fed=None, fetched=None, weight_budget=None,
                        check_finite=true))]
    #[expect(clippy::too_many_arguments, reason = "all but two are optional and named")]
    fn new(
        py: Python<'_>,
        graph: &Bound<'_, Graph>,
        device: &str,
        threads: i64,
        all: bool,
        strict: bool,
        unfused: bool,
        precision: &str,
        on_cpu: Option<Vec<String>>,
        max_iterations: Option<i64>,
        fed: Option<Vec<Bound<'_, PyAny>>>,
        fetched: Option<Vec<Bound<'_, PyAny>>>,
        weight_budget: Option<i64>,
        check_finite: bool,
    ) -> PyResult<Session> {
        let precision = match precision {
            "float32" => Precision::F32,
            "float16" => Precision::F16,
            other => {
                let problem = format!("Session: precision is {other:?}; expected \"float32\" or \"float16\"");
                return Err(invalid(py, problem));
            }
        };
        let threads = count(py, "Session: threads", threads)?;
        let max_iterations = max_iterations.map(|limit| count(py, "Session: max_iterations", limit)).transpose()?;
        let options = RunOptions::default().threads(threads).all(all).strict(strict).unfused(unfused);
        let weight_budget = weight_budget.map(|bytes| count(py, "Session: weight_budget", bytes)).transpose()?;
        let options = options.precision(precision).on_cpu(on_cpu.unwrap_or_default()).weight_budget(weight_budget);
        let options = options.fed(names_of("Session: a name of fed", &fed.unwrap_or_default())?);
        let options = options.fetched(names_of("Session: a name of fetched", &fetched.unwrap_or_default())?);
        let options = max_iterations.map_or(options.clone(), |limit| options.max_iterations(limit));
        let ends = Arc::new(Ends::default());
        let asked = ends.clone();
        let options = options.interrupt(move || asked.is_asked());
        let device: Device =
            device.parse().map_err(|problem| invalid(py, format!("Session: device is {device:?}; {problem}")))?;
        let graph = graph.get().shared().lock(py).clone();
        let warned = warn_of_graph(py, &graph)?;
        let prepare = || tpulang::exec::Session::new(&graph, device.open()?, &options);
        let session = interrupt::interruptible(py, &ends, prepare)?;
        warn_of_weights_read(py, &graph, &warned)?;
        let (inputs, process, allowed) = (session.inputs(), std::process::id(), graph.allowed().collect());
        Ok(Session { session, inputs, allowed, ends, process, checks_finite: check_finite, issued: Mutex::default() })
    }
    /// The names and types of what runs are fed, in order: the inputs, or `fed`.
    #[getter]
    fn inputs(&self) -> Vec<ValueInfo> {
        self.inputs.iter().cloned().map(ValueInfo).collect()
    }
    /// The names and types of what runs return, in order: the outputs, or `fetched`.
    #[getter]
    fn outputs(&self) -> Vec<ValueInfo> {
        self.session.outputs().into_iter().map(ValueInfo).collect()
    }
    /// Runs the graph and replaces its variables.
    ///
    /// Args:
    ///     feeds: The array of each input, by name, or a list in the order of the inputs. Arrays are used without a copy.
    ///
    /// Returns:
    ///     The outputs by name, as arrays of NumPy. Floats are float32.
    #[pyo3(signature = (feeds=None))]
    fn run<'py>(&self, py: Python<'py>, feeds: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let feeds = Feeds::read(py, feeds, self)?;
        self.run_feeds(py, feeds)
    }
    /// Returns the tensors of these names, outputs or others, and computes only what they need.
    fn fetch<'py>(
        &self,
        py: Python<'py>,
        feeds: &Bound<'py, PyAny>,
        names: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let feeds = Feeds::read(py, Some(feeds), self)?;
        let names = match name_of("names", names) {
            Ok(one) => vec![one],
            Err(_) => {
                let expected = "expected a name, a tensor or a list of them";
                let wrong = |_| invalid_type(py, format!("fetch: names is {}; {expected}", shown(names)));
                let all = names.try_iter().map_err(wrong)?;
                all.map(|name| name_of("fetch: one of names", &name?)).collect::<PyResult<Vec<_>>>()?
            }
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.run_with(py, feeds, |feeds| self.session.fetch(feeds, &names))
    }
    /// Runs the graph like `run`, and writes results to arrays of the caller's: `results` has them by name. On the CPU,
    /// kernels write straight to them. If a check fails, nothing is written. It does not look for NaN.
    fn run_into(&self, py: Python<'_>, feeds: &Bound<'_, PyAny>, results: &Bound<'_, PyMapping>) -> PyResult<()> {
        let feeds = Feeds::read(py, Some(feeds), self)?;
        self.warn_of_conversions(py, &feeds)?;
        let mut arrays = Vec::new();
        for pair in results.items()?.iter() {
            let (name, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            let name = name_of("a key of results", &name)?;
            let array = to_write(&name, &array)?;
            arrays.push((name, array));
        }
        self.interruptible(py, || self.session.run_into(feeds.0.as_slice(), &mut arrays))
    }
    /// Runs the graph `runs` times and returns the time of each step, as a table that notebooks show.
    #[pyo3(signature = (feeds=None, runs=10))]
    fn profile<'py>(
        &self,
        py: Python<'py>,
        feeds: Option<&Bound<'py, PyAny>>,
        runs: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (feeds, runs) = (Feeds::read(py, feeds, self)?, count_from_one(py, "profile: runs", runs)?);
        self.warn_of_conversions(py, &feeds)?;
        let steps = self.interruptible(py, || self.session.profile(feeds.0.as_slice(), runs))?;
        let row = |step: StepTime| {
            let seconds = step.time.as_secs_f64();
            (step.name, step.kind, step.type_text, seconds, step.work.operations, step.work.bytes)
        };
        let rows: Vec<_> = steps.into_iter().map(row).collect();
        py.import("tpulang._display")?.call_method1("profile", (rows,))
    }
    /// Runs the graph `runs` times after a warm-up. Returns the shortest, the median and the 95th percentile of the times, in
    /// seconds.
    #[pyo3(signature = (feeds=None, runs=10))]
    fn measure(&self, py: Python<'_>, feeds: Option<&Bound<'_, PyAny>>, runs: i64) -> PyResult<(f64, f64, f64)> {
        let (feeds, runs) = (Feeds::read(py, feeds, self)?, count_from_one(py, "measure: runs", runs)?);
        self.warn_of_conversions(py, &feeds)?;
        let times = self.interruptible(py, || self.session.measure(feeds.0.as_slice(), runs))?;
        Ok((times.min.as_secs_f64(), times.median.as_secs_f64(), times.p95.as_secs_f64()))
    }
    /// The current values of the variables, by name.
    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let variables = self.session.variables().or_raise(py)?;
        to_dict(py, variables)
    }
    /// Replaces the value of a variable.
    fn set_variable(&self, py: Python<'_>, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = name_of("set_variable: name", name)?;
        let dtype = self.session.variable(&name).map_or(Dtype::Float32, |array| array.dtype());
        let value = array_or_list(&format!("the value of {name:?}"), value, dtype)?;
        self.session.set_variable(&name, &value).or_raise(py)
    }
    /// Sets the coefficients of `graph` that have the name of a variable to its current value, such as those of the network
    /// without the training step. Returns their number.
    fn save_variables(&self, py: Python<'_>, graph: &Bound<'_, Graph>) -> PyResult<usize> {
        graph.get().shared().with(py, |graph| self.session.save_variables(graph))
    }
    /// The plan as text: each step, and what the rewrite rules have done.
    fn explain(&self) -> String {
        self.session.explain()
    }
    /// Operators per device, with those that fall back to the CPU.
    #[getter]
    fn summary(&self) -> String {
        self.session.summary()
    }
    /// Peak memory of a run in bytes, without weights and inputs.
    #[getter]
    fn peak_bytes(&self) -> u64 {
        self.session.peak_bytes()
    }
    fn __repr__(&self) -> String {
        format!("<tpulang.Session {}>", self.session.summary())
    }
}

/// The name and type of an input or output.
#[pyclass(frozen, module = "tpulang")]
pub struct ValueInfo(Info);

#[pymethods]
impl ValueInfo {
    /// The name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }
    /// The dtype of the array: "float32" for every float of an output.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.0.dtype.name()
    }
    /// The dimensions.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.shape)
    }
    /// The scale, or a list of one per channel; None if it is not quantized.
    #[getter]
    fn scale<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        one_or_many(py, self.0.quantization.clone().and_then(|q| q.scale))
    }
    /// The zero point, or a list of one per channel; None if it is not quantized.
    #[getter]
    fn zero_point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        one_or_many(py, self.0.quantization.clone().and_then(|q| q.zero_point))
    }
    fn __repr__(&self) -> String {
        format!("<tpulang.ValueInfo {}>", self.0)
    }
}
