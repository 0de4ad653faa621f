//! Ending runs early.
use crate::base::{Cause, Result};
use std::{fmt, sync::Arc};

/// A question to the caller whether to end a run: see [`RunOptions::interrupt`](super::RunOptions::interrupt()).
#[derive(Clone)]
pub struct Interrupt(Arc<dyn Fn() -> bool + Send + Sync>);

impl Interrupt {
    /// Creates it from a function that returns whether to end.
    ///
    /// ```
    /// use tpulang::exec::{Interrupt, RunOptions};
    /// let mut options = RunOptions::default();
    /// options.interrupt = Some(Interrupt::new(|| false));
    /// ```
    pub fn new(ends: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Interrupt(Arc::new(ends))
    }
    /// # Errors
    /// Returns [`Cause::Interrupted`] if the caller wants to end.
    pub(super) fn check(&self) -> Result<()> {
        if (self.0)() { Err(Cause::Interrupted.into()) } else { Ok(()) }
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Interrupt")
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, CpuBackend, Dtype, Graph, RunOptions, Session, Tensor,
        array::ArrayMut,
        base::{Error, Result},
    };
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    };

    /// Options that end a run at the given question, counted from 0; the count is returned.
    fn ending_at(question: u64) -> (RunOptions, Arc<AtomicU64>) {
        let left = Arc::new(AtomicU64::new(question));
        let asked = left.clone();
        let ends = move || asked.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err();
        (RunOptions::default().threads(1).interrupt(ends), left)
    }

    fn graph(build: impl FnOnce(&mut Graph, Tensor) -> Result<Tensor>) -> Graph {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let y = build(&mut g, x).unwrap();
        g.set_outputs(&[y]).unwrap();
        g
    }

    fn feeds(x: f32) -> [(&'static str, Array); 1] {
        [("x", Array::from([x]))]
    }

    fn assert_interrupted<T>(result: Result<T>) -> Error {
        let error = result.err().unwrap();
        assert!(error.is_interrupted(), "{error}");
        error
    }

    /// Adds `x` to a number until it is 3; with 0 the loop does not end.
    #[test]
    fn another_thread_ends_a_loop() {
        let g = graph(|g, x| {
            let start = g.coefficient("start", Array::from([0f32]))?;
            let below = |g: &mut Graph, v: &[Tensor]| g.lts(v[0], 3.0).call();
            Ok(g.while_loop(&[start], below, |g, v| Ok(vec![g.add(v[0], x).out_name("sum").call()?]))?[0])
        });
        let (options, left) = ending_at(u64::MAX);
        let session = Session::new(&g, CpuBackend::new(), &options.max_iterations(u64::MAX)).unwrap();
        let before = left.load(Relaxed);
        let error = std::thread::scope(|scope| {
            let endless = scope.spawn(|| session.run(&feeds(0.0)));
            while before - left.load(Relaxed) < 1000 {
                std::thread::yield_now();
            }
            left.store(0, Relaxed);
            assert_interrupted(endless.join().unwrap())
        });
        assert!(error.to_string().contains("interrupted"), "{error}");
        left.store(u64::MAX, Relaxed);
        assert_eq!(session.run(&feeds(1.0)).unwrap().values().next().unwrap().to_f32().unwrap(), [3.0]);
    }

    /// Each question of a run may end it: none updates the variable, and the next run succeeds.
    #[test]
    fn variables_keep_their_values() {
        let mut g = Graph::new("g").unwrap();
        let count = g.coefficient("count", Array::from([1f32])).unwrap();
        let doubled = g.mul(count, 2.0).out_name("doubled").call().unwrap();
        let next = g.softmax(doubled, 0).out_name("next").call().unwrap();
        g.assign(count, doubled).unwrap();
        g.set_outputs(&[next]).unwrap();
        let (options, left) = ending_at(u64::MAX);
        let session = Session::new(&g, CpuBackend::new(), &options).unwrap();
        let no_inputs: [(&str, Array); 0] = [];
        let before = left.load(Relaxed);
        session.run(&no_inputs).unwrap();
        let questions = before - left.load(Relaxed);
        assert_eq!(questions, 2);
        for question in 0..questions {
            left.store(question, Relaxed);
            assert_interrupted(session.run(&no_inputs));
            assert_eq!(session.variable("count").unwrap().to_f32().unwrap(), [2.0]);
        }
        left.store(questions, Relaxed);
        session.run(&no_inputs).unwrap();
        assert_eq!(session.variable("count").unwrap().to_f32().unwrap(), [4.0]);
    }

    #[test]
    fn results_of_the_caller_come_back() {
        let g = graph(|g, x| g.softmax(x, 0).out_name("y").call());
        let (options, left) = ending_at(u64::MAX);
        let session = Session::new(&g, CpuBackend::new(), &options).unwrap();
        let mut results = [("y", ArrayMut::zeros(Dtype::Float32, &[1]).unwrap())];
        left.store(0, Relaxed);
        assert_interrupted(session.run_into(&feeds(1.0), &mut results));
        left.store(u64::MAX, Relaxed);
        session.run_into(&feeds(1.0), &mut results).unwrap();
        assert_eq!(results[0].1.elements::<f32>().unwrap(), [1.0]);
    }

    /// Constants are folded, kernels prepared and weights that are not kept prepared again.
    #[test]
    fn preparation_ends_too() {
        let g = graph(|g, x| {
            let w = g.coefficient("w", Array::from([2f32]))?;
            let folded = g.softmax(w, 0).call()?;
            g.mul(x, folded).call()
        });
        let created = |question| {
            let (options, left) = ending_at(question);
            let session = Session::new(&g, CpuBackend::new(), &options.weight_budget(Some(0)));
            session.map(|session| (session, left))
        };
        let (session, left) = created(u64::MAX).unwrap();
        let questions = u64::MAX - left.load(Relaxed);
        assert!(questions > 2, "{questions}");
        (0..questions).for_each(|question| drop(assert_interrupted(created(question))));
        for question in 0..2 {
            left.store(question, Relaxed);
            assert_interrupted(session.run(&feeds(3.0)));
        }
        left.store(2, Relaxed);
        session.run(&feeds(3.0)).unwrap();
    }
}
