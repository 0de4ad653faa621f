//! Looking at the tensors of a run while they are computed.
use super::{
    Backend,
    feeds::{Feeds, checked_feed},
    plan::TensorIndex,
    session::Session,
};
use crate::{Layout, array::Array, base::Result};
use indexmap::IndexMap;
use std::time::Duration;

impl<B: Backend> Session<B> {
    /// Runs the graph like [`Session::run`], and passes each tensor to `visit`, by name, in the order of computation. A
    /// tensor that nothing reads any more is freed after its visit, so a run needs no more memory than without visits.
    ///
    /// Tensors that fusion removes, or that only exist in the backend's layout of images, are left out;
    /// [`FusionLevel::Layouts`](super::FusionLevel::Layouts) keeps all of them. Those inside of branches and loops are not visited,
    /// and neither are feeds.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, FusionLevel, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let h = g.relu(x).out_name("h").call()?;
    /// let y = g.add(h, 1.0).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().fusion(FusionLevel::Layouts))?;
    /// let mut seen = Vec::new();
    /// session.visit(&[("x", Array::from([-1f32, 2.0]))], &mut |name, array| {
    ///     seen.push((name.to_owned(), array.to_f32()?[1]));
    ///     Ok(())
    /// })?;
    /// assert_eq!(seen, [("h".to_owned(), 2.0), ("y".to_owned(), 3.0)]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`run`](super::run), and the first error of `visit`, which is not called again then.
    pub fn visit(
        &self,
        feeds: &(impl Feeds + ?Sized),
        visit: &mut (dyn FnMut(&str, &Array) -> Result<()> + Send),
    ) -> Result<IndexMap<String, Array>> {
        self.visit_replacing(feeds, &self.wanted, &mut |name, array| visit(name, array).map(|()| None))
    }

    /// Like [`Session::visit`], for what the wanted tensors need. Operators read the array that `visit` returns, if any, instead of the
    /// computed one.
    pub(super) fn visit_replacing(
        &self,
        feeds: &(impl Feeds + ?Sized),
        wanted: &[TensorIndex],
        visit: &mut (dyn FnMut(&str, &Array) -> Result<Option<Array>> + Send),
    ) -> Result<IndexMap<String, Array>> {
        let mut fed = self.checked_feeds(feeds)?;
        self.add_variables(&mut fed)?;
        let plan = self.plan(fed.keys().copied().collect(), wanted)?;
        let mut outcome = Ok(());
        let mut observer = |step: usize, _: Duration, results: &mut [B::Buffer]| {
            let Some(step) = plan.steps.get(step).filter(|_| outcome.is_ok()) else { return };
            outcome = step.outputs.iter().zip(results).try_for_each(|(tensor, buffer)| {
                let entry = plan.entry(*tensor)?;
                // If a tensor in another layout is needed, a step of its own converts it.
                if entry.ty.layout == Layout::Plain
                    && let Some(array) = visit(&entry.ty.name, &self.backend().download(buffer)?)?
                {
                    *buffer = self.backend().upload(&checked_feed(entry, &array)?)?;
                }
                Ok(())
            });
        };
        let (_, results) = self.compute_from(fed, wanted, Some(&mut observer))?;
        outcome.map(|()| results)
    }
}
