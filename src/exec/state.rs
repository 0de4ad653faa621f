//! The variables of a session: tensors that a run reads, and replaces.
use super::{
    Backend, Feeds, Session,
    feeds::checked_feed,
    finite::found_in,
    kept_plans::locked,
    plan::{Network, Plan, TensorIndex, for_compute},
};
use crate::{
    array::Array,
    base::{MAX_LISTED, Result, argument, misfit, pluralized},
    graph::{Graph, TensorKind},
};
use indexmap::IndexMap;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard},
};

/// The plan of a run, and the buffers of its results.
type RunBuffers<B> = (Arc<Plan<B>>, Vec<<B as Backend>::Buffer>);

/// Why a session without variables cannot look one up.
const NO_VARIABLES: &str = "the session has no variables; Graph::minimize and Graph::assign make them";

/// Buffers of variables.
type Values<Buffer> = HashMap<TensorIndex, Buffer>;

/// The values of the variables, in the backend's memory.
pub(super) struct State<B: Backend> {
    /// The current ones, and the number of times that they were replaced.
    current: Mutex<(u64, Values<B::Buffer>)>,
    /// The last run, until the next one begins, if its outputs have NaN or infinite elements.
    diverged: Mutex<Option<DivergedRun<B::Buffer>>>,
}

/// A run whose outputs have NaN or infinite elements.
struct DivergedRun<Buffer> {
    outputs: IndexMap<String, Array>,
    /// The values that it has read, and replaced.
    read: Values<Buffer>,
}

impl<B: Backend> State<B> {
    /// Uploads the first values.
    pub fn new(network: &Network, backend: &B) -> Result<State<B>> {
        let mut values = HashMap::new();
        for variable in &network.variables {
            let array = checked_feed(network.entry(variable.tensor)?, &variable.initial)?;
            values.insert(variable.tensor, backend.upload(&array)?);
        }
        Ok(State { current: Mutex::new((0, values)), diverged: Mutex::default() })
    }
    /// Returns the values, which belong together, with their version.
    pub fn snapshot(&self) -> (u64, Values<B::Buffer>) {
        self.lock().clone()
    }
    /// Replaces the values unless they are of another version. Returns whether it did.
    fn replace(&self, version: u64, values: Values<B::Buffer>) -> bool {
        let mut current = self.lock();
        let is_current = current.0 == version;
        if is_current {
            *current = (version + 1, values);
        }
        is_current
    }
    fn lock(&self) -> MutexGuard<'_, (u64, Values<B::Buffer>)> {
        locked(&self.current)
    }
    /// Keeps what a run has read if its outputs have NaN or infinite elements, to find out where they come from.
    fn keep_if_diverged(&self, outputs: &IndexMap<String, Array>, read: Values<B::Buffer>) {
        if outputs.values().any(|array| found_in(array).is_some()) {
            *locked(&self.diverged) = Some(DivergedRun { outputs: outputs.clone(), read });
        }
    }
    /// Returns the values that the run with these outputs has read if they are kept, or else the current ones.
    pub fn read_for(&self, outputs: &IndexMap<String, Array>) -> Values<B::Buffer> {
        let memory = |array: &Array| array.bytes().ok().map(<[u8]>::as_ptr);
        let is_of = |run: &&DivergedRun<B::Buffer>| {
            outputs.iter().all(|(name, array)| run.outputs.get(name).is_some_and(|own| memory(own) == memory(array)))
        };
        match locked(&self.diverged).as_ref().filter(is_of) {
            Some(run) => run.read.clone(),
            None => self.snapshot().1,
        }
    }
}

impl<B: Backend> Session<B> {
    /// Adds the values of the variables to feeds.
    pub(super) fn add_variables(&self, fed: &mut HashMap<TensorIndex, Array>) -> Result<()> {
        self.add_values(self.state.snapshot().1, fed)
    }

    /// Adds these values of the variables to feeds.
    pub(super) fn add_values(&self, values: Values<B::Buffer>, fed: &mut HashMap<TensorIndex, Array>) -> Result<()> {
        for (tensor, buffer) in values {
            if let Entry::Vacant(entry) = fed.entry(tensor) {
                entry.insert(self.placement.backend.download(&buffer)?);
            }
        }
        Ok(())
    }

    /// Runs the graph, and replaces the variables if that succeeds.
    ///
    /// No lock is held during a run, since the threads that wait for one may take up another. A run that another one has overtaken is
    /// repeated on the new values.
    pub(super) fn run_and_update(&self, feeds: &(impl Feeds + ?Sized)) -> Result<IndexMap<String, Array>> {
        let fed = self.checked_feeds(feeds)?;
        *locked(&self.state.diverged) = None;
        loop {
            let (version, values) = self.state.snapshot();
            let (plan, results) = self.run_on_variables(&fed, &values, &self.wanted_and_next)?;
            let by_tensor: HashMap<TensorIndex, &B::Buffer> =
                self.wanted_and_next.iter().copied().zip(&results).collect();
            let outputs = self.downloaded(&plan, &self.wanted, |t| by_tensor[&t])?;
            let next = self.network.variables.iter().map(|v| (v.tensor, by_tensor[&v.next].clone())).collect();
            if self.state.replace(version, next) {
                self.state.keep_if_diverged(&outputs, values);
                return Ok(outputs);
            }
        }
    }

    /// Computes tensors from the feeds and the variables, which stay in the backend's memory.
    pub(super) fn fetch_with_variables(
        &self,
        feeds: &(impl Feeds + ?Sized),
        wanted: &[TensorIndex],
    ) -> Result<IndexMap<String, Array>> {
        let (_, values) = self.state.snapshot();
        let (plan, results) = self.run_on_variables(&self.checked_feeds(feeds)?, &values, wanted)?;
        let by_tensor: HashMap<TensorIndex, &B::Buffer> = wanted.iter().copied().zip(&results).collect();
        self.downloaded(&plan, wanted, |t| by_tensor[&t])
    }

    fn run_on_variables(
        &self,
        feeds: &HashMap<TensorIndex, Array>,
        values: &Values<B::Buffer>,
        wanted: &[TensorIndex],
    ) -> Result<RunBuffers<B>> {
        let backend = &self.placement.backend;
        let variables = values.iter().filter(|(t, _)| !feeds.contains_key(*t));
        let mut fed: Vec<(TensorIndex, B::Buffer)> = variables.map(|(t, buffer)| (*t, buffer.clone())).collect();
        for (tensor, array) in feeds {
            fed.push((*tensor, backend.upload(array)?));
        }
        fed.sort_by_key(|(t, _)| *t);
        let (tensors, buffers): (Vec<TensorIndex>, Vec<B::Buffer>) = fed.into_iter().unzip();
        let plan = self.plan(tensors.clone(), wanted)?;
        self.check_memory(&plan)?;
        let results = self.with_run(&plan, (&tensors, wanted), |run| match &plan.recorder {
            Some(recorder) => recorder.run_on(buffers, run),
            None => (run.steps)(buffers),
        })?;
        backend.synchronize()?;
        plan.check_faults()?;
        Ok((plan, results))
    }

    fn downloaded<'b>(
        &self,
        plan: &Plan<B>,
        tensors: &[TensorIndex],
        buffer: impl Fn(TensorIndex) -> &'b B::Buffer,
    ) -> Result<IndexMap<String, Array>>
    where
        B::Buffer: 'b,
    {
        let mut arrays = IndexMap::new();
        for t in tensors {
            let array = for_compute(&self.placement.backend.download(buffer(*t))?)?;
            arrays.insert(plan.entry(*t)?.ty.name.clone(), array);
        }
        Ok(arrays)
    }

    /// Returns the current value of a variable ([`Graph::assign`]): the first one before the first run. Floats are float32.
    ///
    /// # Errors
    /// Returns an error if there is no variable of this name, or if the device fails.
    ///
    /// ```
    /// use tpulang::{Array, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let count = g.coefficient("count", Array::from([0f32]))?;
    /// let next = g.add(count, 1.0).call()?;
    /// g.assign(count, next)?;
    /// g.set_outputs(&[next])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// let no_inputs: [(&str, Array); 0] = [];
    /// session.run(&no_inputs)?;
    /// session.run(&no_inputs)?;
    /// assert_eq!(session.variable("count")?.to_f32()?, [2.0]);
    /// session.set_variable("count", &Array::from([7f32]))?;
    /// assert_eq!(session.variables()?["count"].to_f32()?, [7.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn variable(&self, name: &str) -> Result<Array> {
        let tensor = self.find_variable(name)?;
        let (_, values) = self.state.snapshot();
        let buffer = &values[&tensor];
        for_compute(&self.placement.backend.download(buffer)?)
    }

    /// Returns the current values of all variables, in the graph's order: those after one run, also while others are in progress. See
    /// [`Session::variable`].
    ///
    /// # Errors
    /// Returns an error if the device fails.
    pub fn variables(&self) -> Result<IndexMap<String, Array>> {
        let (_, values) = self.state.snapshot();
        let variable = |t: TensorIndex| -> Result<(String, Array)> {
            let array = for_compute(&self.placement.backend.download(&values[&t])?)?;
            Ok((self.network.entry(t)?.ty.name.clone(), array))
        };
        self.network.variables().map(variable).collect()
    }

    /// Replaces the value of a variable. See [`Session::variable`].
    ///
    /// # Errors
    /// Returns an error if there is no variable of this name, or if the array has another shape or dtype.
    pub fn set_variable(&self, name: &str, array: &Array) -> Result<()> {
        let tensor = self.find_variable(name)?;
        let array = checked_feed(self.network.entry(tensor)?, array)?;
        let buffer = self.placement.backend.upload(&array)?;
        let mut current = self.state.lock();
        current.0 += 1;
        current.1.insert(tensor, buffer);
        Ok(())
    }

    /// Sets the data of the coefficients of `graph` that have the name of a variable to its current value. Use this
    /// to save a trained network: `graph` is the network without the training step. Returns the number of coefficients that were
    /// set.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}, graph::optimizers::Sgd};
    /// let mut network = Graph::new("net")?;
    /// let x = network.input("x", Dtype::Float32, [1])?;
    /// let w = network.coefficient("w", Array::from([1f32]))?;
    /// let y = network.mul(x, w).call()?;
    /// network.set_outputs(&[y])?;
    ///
    /// let mut training = network.clone();
    /// training.minimize(y, &[w], &Sgd::new(0.25))?;
    /// let session = Session::new(&training, CpuBackend::new(), &RunOptions::default())?;
    /// session.run(&[("x", Array::from([2f32]))])?;
    /// assert_eq!(session.save_variables(&mut network)?, 1);
    /// assert_eq!(network.tensor(w)?.data().unwrap().to_f32()?, [0.5]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if no coefficient has the name of a variable, if one has another shape, or if the device fails.
    pub fn save_variables(&self, graph: &mut Graph) -> Result<usize> {
        let mut saved = 0;
        for (name, array) in self.variables()? {
            let Ok(tensor) = graph.find(&name) else { continue };
            let info = graph.tensor(tensor)?;
            if let TensorKind::Coefficient(_) = info.kind {
                let array = array.to_dtype(info.dtype)?;
                graph.set_data(tensor, array)?;
                saved += 1;
            }
        }
        if saved == 0 {
            let problem = match self.names_of_variables() {
                Some(names) => format!("no coefficient of {:?} is named like a variable: {names}", graph.name()),
                None => NO_VARIABLES.to_owned(),
            };
            return Err(misfit("save_variables:", problem));
        }
        Ok(saved)
    }

    fn find_variable(&self, name: &str) -> Result<TensorIndex> {
        let tensor = self.find("tensor", name)?;
        if self.network.variables().any(|variable| variable == tensor) {
            return Ok(tensor);
        }
        let expected = match self.names_of_variables() {
            Some(names) => format!("it is a tensor of the graph, but not a variable; variables: {names}"),
            None => NO_VARIABLES.to_owned(),
        };
        Err(argument("the variable", format!("{name:?}"), expected))
    }

    /// Lists the variables in a message. Returns `None` if there are none.
    fn names_of_variables(&self) -> Option<String> {
        let names = self.network.variables().filter_map(|t| Some(self.network.entry(t).ok()?.ty.name.as_str()));
        let names: Vec<&str> = names.collect();
        let listed = names.get(..MAX_LISTED).unwrap_or(&names).join(", ");
        match names.len().saturating_sub(MAX_LISTED) {
            _ if names.is_empty() => None,
            0 => Some(listed),
            others => Some(format!("{listed} and {}", pluralized(others, "other"))),
        }
    }
}
