//! Measuring the latency of a session.
use super::{Backend, Feeds, Session};
use crate::{array::Array, base::Result};
use indexmap::IndexMap;
use std::time::{Duration, Instant};

/// The times of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Latency {
    /// The shortest.
    pub min: Duration,
    /// The median.
    pub median: Duration,
    /// The 95th percentile.
    pub p95: Duration,
    /// Number of runs.
    pub runs: usize,
}

/// Runs before the timed ones: those in which a backend may still prepare something.
const WARM_UP: u32 = 2;

impl Latency {
    /// Percentiles by the nearest-rank method; zero for no runs.
    fn of(mut times: Vec<Duration>) -> Latency {
        times.sort_unstable();
        let percentile = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().unwrap_or_default()
        };
        Latency { min: percentile(0), median: percentile(50), p95: percentile(95), runs: times.len() }
    }
}

impl<B: Backend> Session<B> {
    /// Runs the graph `runs` times after a warm-up, like [`Session::run`], and returns the times. This is how
    /// `tpulang bench` measures. Afterwards, variables have the values that they had before.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, exec::{CpuBackend, RunOptions, Session, random_feeds}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1, 64])?;
    /// let y = g.softmax(x, 1).call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// let latency = session.measure(&random_feeds(&g, 0)?, 10)?;
    /// assert!(latency.min <= latency.median && latency.median <= latency.p95 && latency.runs == 10);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Session::run`].
    pub fn measure(&self, feeds: &(impl Feeds + ?Sized), runs: u32) -> Result<Latency> {
        // Arrays in files are read before the timed runs.
        let feeds = feeds.feeds().map(|(name, array)| Ok((name.to_owned(), array.in_memory()?)));
        let feeds = feeds.collect::<Result<IndexMap<String, Array>>>()?;
        let variables = self.variables()?;
        let times = self.times(&feeds, runs);
        variables.iter().try_for_each(|(name, value)| self.set_variable(name, value))?;
        times.map(Latency::of)
    }

    fn times(&self, feeds: &IndexMap<String, Array>, runs: u32) -> Result<Vec<Duration>> {
        for _ in 0..WARM_UP {
            self.run(feeds)?;
        }
        let mut times = Vec::new();
        for _ in 0..runs {
            let begun = Instant::now();
            let results = self.run(feeds)?;
            // Freeing the results is part of a run.
            drop(results);
            times.push(begun.elapsed());
        }
        Ok(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_runs_that_were() {
        let latency = |n: u64| Latency::of((1..=n).rev().map(Duration::from_millis).collect());
        let all = latency(100);
        assert_eq!([all.min, all.median, all.p95].map(|t| t.as_millis()), [1, 50, 95]);
        assert_eq!((latency(1).min, latency(1).p95), (Duration::from_millis(1), Duration::from_millis(1)));
        assert_eq!((latency(5).median.as_millis(), latency(0).p95.as_millis(), latency(5).runs), (3, 0, 5));
    }
}
