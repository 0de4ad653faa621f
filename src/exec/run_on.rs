//! Runs on buffers of the backend.
use super::{
    Backend, Run, Session, backend,
    plan::{Plan, PlanPlacement, TensorEntry, TensorIndex},
    run_into::reordered,
    steps::ResultBuffers,
};
use crate::base::{Result, argument, invalid, shape_text};
use indexmap::IndexMap;
use std::collections::HashSet;

/// The fed tensors, in ascending order, and their buffers.
type FedBuffers<Buffer> = (Vec<TensorIndex>, Vec<Buffer>);

impl<B: Backend> Session<B> {
    /// Like [`Session::run`], on backend buffers, without copies or synchronization. Results are valid once the stream
    /// completes ([`Session::synchronize`]).
    ///
    /// # Errors
    /// Same as for [`run`](super::run); device errors may be reported later, by [`Session::synchronize`].
    pub fn run_on(&self, feeds: Vec<(&str, B::Buffer)>) -> Result<IndexMap<String, B::Buffer>> {
        let (tensors, feeds) = self.fed_buffers(feeds)?;
        let plan = self.plan(tensors.clone(), &self.wanted)?;
        self.check_memory(&plan)?;
        let results = self.with_run(&plan, (&tensors, &self.wanted), |run| match &plan.recorder {
            Some(recorder) => recorder.run_on(feeds, run),
            None => (run.steps)(feeds),
        })?;
        self.wanted.iter().zip(results).map(|(t, buffer)| Ok((plan.entry(*t)?.ty.name.clone(), buffer))).collect()
    }

    /// Like [`Session::run_on`], but writes the tensors of these names to buffers of the caller's, and computes only
    /// what they need. Every replay of a recorded run copies them there, on the device.
    ///
    /// ```no_run
    /// use tpulang::{Array, Dtype, Graph, exec::{Backend, CudaBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.relu(x).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CudaBackend::new(0)?, &RunOptions::default())?;
    /// let x = session.backend().upload(&Array::from([-1f32, 2.0]))?;
    /// let y = session.backend().upload(&Array::from([0f32, 0.0]))?;
    /// session.run_on_into(vec![("x", x)], &[("y", y.clone())])?;
    /// session.synchronize()?;
    /// assert_eq!(session.backend().download(&y)?.to_f32()?, [0.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Session::run_on`]; also if a buffer has another shape or dtype than the tensor or overlaps with
    /// another one, in which case nothing is written, and if the backend does not write to buffers of the caller's.
    pub fn run_on_into(&self, feeds: Vec<(&str, B::Buffer)>, results: &[(&str, B::Buffer)]) -> Result<()> {
        let (tensors, feeds) = self.fed_buffers(feeds)?;
        let wanted = self.wanted_by_name(results.iter().map(|(name, _)| *name))?;
        for (tensor, (name, buffer)) in wanted.iter().zip(results) {
            self.check_buffer(self.network.entry(*tensor)?, buffer, || format!("the buffer of the result {name:?}"))?;
        }
        let planned = self.planned(&wanted);
        let plan = self.plan(tensors.clone(), planned)?;
        self.check_memory(&plan)?;
        let into = results.iter().map(|(_, buffer)| buffer.clone()).collect();
        let into = reordered(&wanted, into, planned);
        self.with_run(&plan, (&tensors, planned), |run| match &plan.recorder {
            Some(recorder) => recorder.run_on_into(feeds, &into, run),
            None => Err(backend::unsupported()),
        })
    }

    /// Checks fed buffers, and sorts them in the order of a plan's inputs.
    fn fed_buffers(&self, feeds: Vec<(&str, B::Buffer)>) -> Result<FedBuffers<B::Buffer>> {
        let (mut fed, mut given) = (Vec::new(), HashSet::new());
        for (name, buffer) in feeds {
            let tensor = self.find("input", name)?;
            self.check_buffer(self.network.entry(tensor)?, &buffer, || format!("the buffer fed to {name:?}"))?;
            if !given.insert(tensor) {
                return Err(invalid(format!("the buffer fed to {name:?} is given twice; expected one per input")));
            }
            fed.push((tensor, buffer));
        }
        let (_, variables) = self.state.snapshot();
        fed.extend(variables.into_iter().filter(|(t, _)| !given.contains(t)));
        fed.sort_by_key(|(tensor, _)| *tensor);
        Ok(fed.into_iter().unzip())
    }

    fn check_buffer(&self, entry: &TensorEntry, buffer: &B::Buffer, name: impl Fn() -> String) -> Result<()> {
        let expected = (entry.ty.buffer_dtype(), entry.ty.shape.clone());
        match self.placement.backend.type_of(buffer).filter(|found| *found != expected) {
            None => Ok(()),
            Some((dtype, shape)) => {
                let found = format!("{} {dtype}", shape_text(&shape));
                Err(argument(name(), found, format!("it must be {} {}", shape_text(&expected.1), expected.0)))
            }
        }
    }

    /// Calls `go` in the session's pool with the steps of a plan.
    pub(super) fn with_run<T: Send>(
        &self,
        plan: &Plan<B>,
        (tensors, wanted): (&[TensorIndex], &[TensorIndex]),
        go: impl FnOnce(Run<B::Buffer>) -> Result<T> + Send,
    ) -> Result<T> {
        let PlanPlacement { is_repeatable, has_host_steps } = plan.placement();
        self.threads.install(|| {
            let fed = |feeds: Vec<B::Buffer>| tensors.iter().copied().zip(feeds);
            let steps = &mut |feeds| self.steps(plan, fed(feeds), wanted, &mut ResultBuffers::new(), &mut None);
            let check = &|| plan.check_faults();
            go(Run { repeatable: is_repeatable, has_host_steps, steps, check })
        })
    }
}
