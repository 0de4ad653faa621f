//! Where NaN and infinite elements come from.
use super::{
    Backend,
    feeds::Feeds,
    plan::{Step, TensorIndex},
    session::Session,
};
use crate::{
    array::{Array, NonFinite},
    base::{Result, WarningKind, Warnings},
};
use indexmap::IndexMap;
use std::time::Duration;

impl<B: Backend> Session<B> {
    /// Returns warnings about NaN and infinite elements in the feeds of a run and in its results, which may be some of what
    /// [`Session::run`] or [`Session::fetch`] returned. If a result has some and neither a feed nor a variable has, the results
    /// are computed again to find the first operator that produced one.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.ln(x).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// let feeds = [("x", Array::from([-1f32, 1.0]))];
    /// let warnings = session.non_finite(&feeds, &session.run(&feeds)?)?;
    /// assert_eq!(
    ///     warnings.iter().next().map(ToString::to_string).as_deref(),
    ///     Some("\"y\" has 1 NaN element, first at index 0; the first tensor with such elements is \"y\", computed by Log"),
    /// );
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`run`](super::run).
    pub fn non_finite(&self, feeds: &(impl Feeds + ?Sized), results: &IndexMap<String, Array>) -> Result<Warnings> {
        let fed: Vec<_> = feeds.feeds().filter_map(|(name, array)| Some((name, found_in(array)?))).collect();
        let computed: Vec<_> = results.iter().filter_map(|(name, array)| Some((name, found_in(array)?))).collect();
        let origin = match fed.first() {
            _ if computed.is_empty() => String::new(),
            Some((input, _)) => format!("the input {input:?} has such elements"),
            None => match self.variables()?.iter().find(|(_, array)| found_in(array).is_some()) {
                Some((variable, _)) => format!("the variable {variable:?} has such elements"),
                None => self.origin(feeds, &results.keys().map(String::as_str).collect::<Vec<_>>())?,
            },
        };
        let input = |(name, found): (&str, NonFinite)| {
            let NonFinite { nan, infinite, first } = found;
            WarningKind::NotFiniteInput { tensor: name.to_owned(), nan, infinite, first }
        };
        let result = |(name, found): (&String, NonFinite)| {
            let NonFinite { nan, infinite, first } = found;
            WarningKind::NotFiniteResult { tensor: name.clone(), nan, infinite, first, origin: origin.clone() }
        };
        Ok(fed.into_iter().map(input).chain(computed.into_iter().map(result)).collect())
    }

    /// Describes the first operator that produces such an element, among those that the tensors of these names need.
    fn origin(&self, feeds: &(impl Feeds + ?Sized), names: &[&str]) -> Result<String> {
        let wanted: Vec<TensorIndex> = names.iter().map(|name| self.find("tensor", name)).collect::<Result<_>>()?;
        let mut first = None;
        let mut failed = Ok(());
        let mut observer = |step: usize, _: Duration, results: &mut [B::Buffer]| {
            if first.is_none() && failed.is_ok() {
                match self.any_non_finite(results) {
                    Ok(true) => first = Some(step),
                    Ok(false) => {}
                    Err(error) => failed = Err(error),
                }
            }
        };
        let (plan, _) = self.compute(feeds, &wanted, Some(&mut observer))?;
        failed?;
        let step = first.and_then(|first| plan.steps.get(first));
        Ok(match step.map(|step| self.first_operator(feeds, step)).transpose()?.flatten() {
            Some((name, op)) => format!("the first tensor with such elements is {name:?}, computed by {op}"),
            None => "a constant part of the model has such elements".to_owned(),
        })
    }

    fn any_non_finite(&self, buffers: &[B::Buffer]) -> Result<bool> {
        for buffer in buffers {
            if found_in(&self.placement.backend.download(buffer)?).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the name and op of the first operator of a step whose result has such elements. A step may compute several.
    fn first_operator(&self, feeds: &(impl Feeds + ?Sized), step: &Step<B>) -> Result<Option<(String, String)>> {
        let mut last = None;
        for stage in &step.node.stages {
            let operator = &self.network.operators[stage.origin.operator];
            let outputs: Vec<TensorIndex> = operator.outputs().collect();
            let Some(output) = outputs.first() else { continue };
            let found = (self.network.entry(*output)?.ty.name.clone(), operator.op.name().to_owned());
            let (_, results) = self.compute(feeds, &outputs, None)?;
            if results.values().any(|array| found_in(array).is_some()) {
                return Ok(Some(found));
            }
            last = Some(found);
        }
        Ok(last)
    }
}

fn found_in(array: &Array) -> Option<NonFinite> {
    array.non_finite().filter(NonFinite::any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuBackend, Dtype, Graph, RunOptions};

    fn warnings(x: [f32; 2], unfused: bool) -> Vec<String> {
        let mut g = Graph::new("g").unwrap();
        let input = g.input("x", Dtype::Float32, [1, 2]).unwrap();
        let filter = Array::from_vec([2, 2], vec![1f32, 0.0, 0.0, 1.0]).unwrap();
        let build = |g: &mut Graph| {
            let h = g.matmul(input, filter).out_name("h").call()?;
            let root = g.sqrt(h).out_name("root").call()?;
            let y = g.relu(root).out_name("y").call()?;
            let z = g.exp(h).out_name("z").call()?;
            g.set_outputs(&[y, z])
        };
        build(&mut g).unwrap();
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().unfused(unfused)).unwrap();
        let feeds = [("x", Array::from_vec([1, 2], x.to_vec()).unwrap())];
        let found = session.non_finite(&feeds, &session.run(&feeds).unwrap()).unwrap();
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_first_operator_is_named_whether_or_not_it_is_fused() {
        for unfused in [false, true] {
            assert_eq!(warnings([1.0, 2.0], unfused), [""; 0]);
            assert_eq!(
                warnings([1.0, -4.0], unfused),
                [
                    "\"y\" has 1 NaN element, first at index 1; the first tensor with such elements is \"root\", computed by Sqrt"
                ]
            );
            assert_eq!(
                warnings([1.0, 100.0], unfused),
                [
                    "\"z\" has 1 infinite element, first at index 1; the first tensor with such elements is \"z\", computed by Exp"
                ]
            );
            assert_eq!(
                warnings([f32::NAN, 1.0], unfused),
                [
                    "the input \"x\" has 1 NaN element, first at index 0",
                    "\"y\" has 2 NaN elements, first at index 0; the input \"x\" has such elements",
                    "\"z\" has 2 NaN elements, first at index 0; the input \"x\" has such elements",
                ]
            );
        }
    }
}
