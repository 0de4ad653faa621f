//! Profiles of runs: the time and work of each step.
use super::{
    Backend,
    feeds::Feeds,
    plan::{Step, TensorIndex},
    session::Session,
};
use crate::{base::Result, ops::Work};
use indexmap::IndexMap;
use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

/// A step of a run and its time.
#[derive(Debug, Clone)]
pub struct StepTime {
    /// The names of its ops: `Conv + Relu`.
    pub kind: String,
    /// Its first output.
    pub name: String,
    /// The first output's shape and dtype: `1x64x56x56 float32`.
    pub type_text: String,
    /// Its work, according to the definition of the ops.
    pub work: Work,
    /// Its time: the median of the runs.
    pub time: Duration,
    /// The steps whose results it reads, by index.
    pub after: Vec<usize>,
}

/// Totals of all steps of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct KindTime {
    /// The kind.
    pub kind: String,
    /// Number of steps.
    pub steps: usize,
    /// Their total work.
    pub work: Work,
    /// Their total time.
    pub time: Duration,
}

impl<B: Backend> Session<B> {
    /// Runs the graph `runs` times (at least once), like [`Session::run`], and returns the time of each step, in
    /// execution order.
    ///
    /// # Errors
    /// Same as for [`Session::run`].
    pub fn profile(&self, feeds: &(impl Feeds + ?Sized), runs: usize) -> Result<Vec<StepTime>> {
        let mut times: Vec<Vec<Duration>> = Vec::new();
        let mut run = || {
            let mut observer = |step: usize, time, _: &mut [B::Buffer]| {
                times.resize_with(times.len().max(step + 1), Vec::new);
                times[step].push(time);
            };
            self.compute(feeds, &self.wanted, Some(&mut observer)).map(|(plan, _)| plan)
        };
        let mut plan = run()?;
        for _ in 1..runs {
            plan = run()?;
        }
        let of_step = |(i, step): (usize, &Step<B>)| step.outputs.iter().map(move |t| (*t, i)).collect::<Vec<_>>();
        let made_by: HashMap<TensorIndex, usize> = plan.steps.iter().enumerate().flat_map(of_step).collect();
        let step_time = |(step, mut times): (&Step<B>, Vec<Duration>)| {
            times.sort_unstable();
            let output = step.outputs.first().map(|t| plan.entry(*t)).transpose()?;
            let (name, type_text) = output.map(|o| (o.ty.name.clone(), o.type_text.clone())).unwrap_or_default();
            let time = times.get(times.len() / 2).copied().unwrap_or_default();
            let after: BTreeSet<usize> = step.operands.iter().filter_map(|t| made_by.get(t).copied()).collect();
            let after = after.into_iter().collect();
            Ok(StepTime { kind: step.node.text(), name, type_text, work: plan.work(&step.node)?, time, after })
        };
        plan.steps.iter().zip(times).map(step_time).collect()
    }
}

/// Groups the steps by kind, in descending order of time.
pub fn by_kind(steps: &[StepTime]) -> Vec<KindTime> {
    let mut kinds: IndexMap<&str, KindTime> = IndexMap::new();
    for step in steps {
        let none = || KindTime { kind: step.kind.clone(), steps: 0, work: Work::default(), time: Duration::ZERO };
        let kind = kinds.entry(&step.kind).or_insert_with(none);
        kind.steps += 1;
        kind.work = [kind.work, step.work].into_iter().sum();
        kind.time = kind.time.saturating_add(step.time);
    }
    let mut kinds: Vec<KindTime> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.time));
    kinds
}

/// Returns the time of the longest chain of steps in which each reads a result of the one before: the time that a run
/// would take if each step began as soon as its operands were ready. Each step counts with its whole time, control flow
/// too. Indices of later steps are ignored.
pub fn critical_path(steps: &[StepTime]) -> Duration {
    let mut ends: Vec<Duration> = Vec::new();
    for step in steps {
        let begin = step.after.iter().filter_map(|i| ends.get(*i)).max().copied().unwrap_or_default();
        ends.push(begin.saturating_add(step.time));
    }
    ends.into_iter().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions};

    #[test]
    fn each_step_that_is_done_has_its_time_and_work() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float16, [128, 64]).unwrap();
        let h = g.matmul(x, Array::filled(Dtype::Float16, [64, 32], 0.5).unwrap()).out_name("h").call().unwrap();
        let y = g.relu(h).out_name("y").call().unwrap();
        g.relu(x).out_name("unused").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
        let feeds = [("x", Array::filled(Dtype::Float32, [128, 64], 1.0).unwrap())];
        let steps = session.profile(&feeds, 3).unwrap();
        let shown: Vec<_> = steps.iter().map(|s| (s.kind.as_str(), s.name.as_str(), s.type_text.as_str())).collect();
        assert_eq!(shown, [("MatMul + Relu", "y", "128x32 float16")]);
        // Float buffers are float32, and intermediate results of a step have no buffer.
        let (product, relu) = (2 * 128 * 64 * 32, 128 * 32);
        let bytes = 4 * (128 * 64 + 64 * 32 + 128 * 32);
        assert_eq!(steps[0].work, Work { operations: product + relu, bytes });
        assert!(steps.iter().all(|s| s.time > Duration::ZERO));
        assert!(session.profile(&[("y", Array::from([1f32]))], 1).is_err());
    }

    /// A diamond, a view, which may share its operand's memory, and a branch that reads a tensor from outside.
    #[test]
    fn steps_wait_for_those_whose_results_they_read() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let top = g.softmax(x, 1).out_name("top").call().unwrap();
        let left = g.relu(top).out_name("left").call().unwrap();
        let right = g.reshape(top, [3, 2]).out_name("right").call().unwrap();
        let turned = g.reshape(right, [2, 3]).out_name("turned").call().unwrap();
        let sum = g.add(left, turned).out_name("sum").call().unwrap();
        let condition = g.input("condition", Dtype::Int32, [1]).unwrap();
        let branch = |g: &mut Graph| Ok(vec![g.relu(left).call()?]);
        let chosen = g.cond(condition, branch, |g| Ok(vec![g.sigmoid(left).call()?])).unwrap();
        g.set_outputs(&[sum, chosen[0]]).unwrap();
        let options = RunOptions::default().unfused(true);
        let session = Session::new(&g, CpuBackend::new(), &options).unwrap();
        let feeds = [("x", Array::filled(Dtype::Float32, [2, 3], 1.0).unwrap()), ("condition", Array::from([1i32]))];
        let mut steps = session.profile(&feeds, 1).unwrap();
        let after: Vec<_> = steps.iter().map(|s| s.after.clone()).collect();
        assert_eq!(after, [vec![], vec![0], vec![0], vec![2], vec![1, 3], vec![1]]);
        let mut longest = |ms: [u64; 6]| {
            steps.iter_mut().zip(ms).for_each(|(step, ms)| step.time = Duration::from_millis(ms));
            critical_path(&steps).as_millis()
        };
        // Through the left, through the views, and through the branch.
        assert_eq!(
            [longest([1, 5, 1, 1, 4, 2]), longest([1, 2, 2, 1, 4, 5]), longest([1, 5, 1, 1, 1, 9])],
            [10, 8, 15]
        );
        assert_eq!(critical_path(&[]), Duration::ZERO);
    }

    #[test]
    fn kinds_are_sums_and_the_longest_is_first() {
        let step = |kind: &str, ms| StepTime {
            kind: kind.into(),
            name: "t".into(),
            type_text: String::new(),
            work: Work { operations: 10, bytes: 1 },
            time: Duration::from_millis(ms),
            after: Vec::new(),
        };
        let kinds = by_kind(&[step("Relu", 2), step("Conv", 5), step("Relu", 1)]);
        let kind = |kind: &str, steps, ms| KindTime {
            kind: kind.into(),
            steps,
            work: Work { operations: 10 * steps as u64, bytes: steps as u64 },
            time: Duration::from_millis(ms),
        };
        assert_eq!(kinds, [kind("Conv", 1, 5), kind("Relu", 2, 3)]);
    }
}
