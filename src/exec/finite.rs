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
use std::{collections::HashMap, time::Duration};

impl<B: Backend> Session<B> {
    /// Returns warnings about NaN and infinite elements in the feeds of a run and in its results, which may be some of what
    /// [`Session::run`] or [`Session::fetch`] returned. If a result has some and neither a feed nor a variable has, the results
    /// are computed again to find the first operator that produced one. Variables have the values then that the run has read; once
    /// another run has begun, they have their current ones.
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
            None => self.origin(feeds, results)?,
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

    /// Describes where such elements of results come from: a variable, or the first operator that produces one.
    fn origin(&self, feeds: &(impl Feeds + ?Sized), results: &IndexMap<String, Array>) -> Result<String> {
        let mut fed = self.checked_feeds(feeds)?;
        self.add_values(self.state.read_for(results), &mut fed)?;
        if let Some(variable) = self.network.variables().find(|t| fed.get(t).and_then(found_in).is_some()) {
            return Ok(format!("the variable {:?} has such elements", self.network.entry(variable)?.ty.name));
        }
        let wanted: Vec<TensorIndex> = results.keys().map(|name| self.find("tensor", name)).collect::<Result<_>>()?;
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
        let (plan, again) = self.compute_from(fed.clone(), &wanted, Some(&mut observer))?;
        failed?;
        let step = first.and_then(|first| plan.steps.get(first));
        Ok(match step.map(|step| self.first_operator(&fed, step)).transpose()?.flatten() {
            Some((name, op)) => format!("the first tensor with such elements is {name:?}, computed by {op}"),
            None if again.values().any(|array| found_in(array).is_some()) => {
                "a constant part of the model has such elements".to_owned()
            }
            None => "it has none when it is computed again from the current values of the variables".to_owned(),
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
    fn first_operator(&self, fed: &HashMap<TensorIndex, Array>, step: &Step<B>) -> Result<Option<(String, String)>> {
        let mut last = None;
        for stage in &step.node.stages {
            let operator = &self.network.operators[stage.origin.operator];
            let outputs: Vec<TensorIndex> = operator.outputs().collect();
            let Some(output) = outputs.first() else { continue };
            let found = (self.network.entry(*output)?.ty.name.clone(), operator.op.name().to_owned());
            let (_, results) = self.compute_from(fed.clone(), &outputs, None)?;
            if results.values().any(|array| found_in(array).is_some()) {
                return Ok(Some(found));
            }
            last = Some(found);
        }
        Ok(last)
    }
}

/// Returns the NaN and infinite elements of an array if there are any.
pub(super) fn found_in(array: &Array) -> Option<NonFinite> {
    array.non_finite().filter(NonFinite::any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuBackend, Dtype, Graph, RunOptions, Tensor};

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

    /// A session of `y`, which `build` adds to the variable `w` and the input `x`. `w` then becomes what it returns besides.
    fn with_variable(
        w: f32,
        build: impl FnOnce(&mut Graph, [Tensor; 2]) -> Result<[Tensor; 2]>,
    ) -> Session<CpuBackend> {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let w = g.coefficient("w", Array::from([w])).unwrap();
        let [y, next] = build(&mut g, [x, w]).unwrap();
        g.assign(w, next).unwrap();
        g.set_outputs(&[y]).unwrap();
        Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap()
    }

    #[test]
    fn variables_have_the_values_that_the_run_has_read() {
        let told = |session: &Session<CpuBackend>, feeds: &[(&str, Array)], results: &IndexMap<String, Array>| {
            let found = session.non_finite(feeds, results).unwrap();
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        // The variable becomes NaN, too.
        let session = with_variable(1.0, |g, [x, w]| {
            let difference = g.sub(x, w).call()?;
            let bad = g.ln(difference).out_name("bad").call()?;
            Ok([g.mul(bad, w).out_name("y").call()?, g.add(w, bad).call()?])
        });
        let feeds = [("x", Array::from([0f32]))];
        assert_eq!(
            told(&session, &feeds, &session.run(&feeds).unwrap()),
            [
                "\"y\" has 1 NaN element, first at index 0; the first tensor with such elements is \"bad\", computed by Log"
            ]
        );
        let of_next = told(&session, &feeds, &session.run(&feeds).unwrap());
        assert_eq!(of_next, ["\"y\" has 1 NaN element, first at index 0; the variable \"w\" has such elements"]);
        // The next results are finite.
        let session = with_variable(0.0, |g, [x, w]| {
            let inner = g.ln(w).out_name("inner").call()?;
            Ok([g.mul(x, inner).out_name("y").call()?, g.add(w, 1.0).call()?])
        });
        let feeds = [("x", Array::from([1f32]))];
        let first = session.run(&feeds).unwrap();
        let infinite = "\"y\" has 1 infinite element, first at index 0;";
        let origin = "the first tensor with such elements is \"inner\", computed by Log";
        assert_eq!(told(&session, &feeds, &first), [format!("{infinite} {origin}")]);
        assert_eq!(told(&session, &feeds, &session.run(&feeds).unwrap()), [""; 0]);
        let origin = "it has none when it is computed again from the current values of the variables";
        assert_eq!(told(&session, &feeds, &first), [format!("{infinite} {origin}")]);
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
