//! The threads of a session.
use crate::base::{Result, argument};
use std::{
    hint,
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Shorter runs would end before the other threads wake up.
const SHORT: Duration = Duration::from_micros(300);

/// How long a thread looks for tasks before it only does so now and then.
const PATIENCE: Duration = Duration::from_millis(1);

/// The pause of a thread that ran out of patience.
const NAP: Duration = Duration::from_micros(50);

/// A thread pool that does not go to sleep during a run.
///
/// Kernels divide their work into tasks, one kernel after the other. Waking a sleeping thread takes as long as a small kernel, so the
/// other threads keep looking for tasks until the run ends.
pub(super) struct Threads {
    pool: rayon::ThreadPool,
    /// The number of runs at this moment.
    runs: AtomicUsize,
    /// The time that the last run took, in nanoseconds.
    last: AtomicU64,
}

impl Threads {
    /// # Errors
    /// Returns an error if the system has no more threads.
    pub fn new(threads: usize) -> Result<Threads> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(256)).build();
        let pool = pool.map_err(|e| argument("threads", threads, e))?;
        Ok(Threads { pool, runs: AtomicUsize::new(0), last: AtomicU64::new(0) })
    }

    /// Calls `work` on a thread of the pool.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Like [`Threads::install`], for a run, which keeps the other threads awake.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let start = Instant::now();
        // Concurrent runs keep the threads busy by themselves, and a thread that looks for tasks might pick up another run.
        let is_alone = self.runs.fetch_add(1, Ordering::SeqCst) == 0;
        let _ended = OnDrop(|| {
            self.runs.fetch_sub(1, Ordering::SeqCst);
        });
        let is_long = self.last.load(Ordering::Relaxed) > SHORT.as_nanos() as u64;
        let result = match is_alone && is_long && self.pool.current_num_threads() > 1 {
            true => self.pool.install(|| self.awake(work)),
            false => self.pool.install(work),
        };
        self.last.store(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    /// Calls `work` on this thread of the pool, while the others look for tasks.
    fn awake<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (own, has_ended) = (rayon::current_thread_index(), AtomicBool::new(false));
        rayon::scope(|scope| {
            let has_ended = &has_ended;
            scope.spawn_broadcast(move |_, context| {
                if Some(context.index()) != own {
                    self.look_for_tasks(has_ended);
                }
            });
            let _ended = OnDrop(|| has_ended.store(true, Ordering::Relaxed));
            work()
        })
    }

    /// Executes tasks of the pool until the run ends, or another one begins.
    fn look_for_tasks(&self, has_ended: &AtomicBool) {
        let mut idle_since = None;
        while !has_ended.load(Ordering::Relaxed) && self.runs.load(Ordering::SeqCst) == 1 {
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                idle_since = None;
            } else if idle_since.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
                (0..16).for_each(|_| hint::spin_loop());
            } else {
                thread::sleep(NAP);
            }
        }
    }
}

/// Calls a function when it is dropped, also if there is a panic.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::panic;

    fn sum(n: u64) -> u64 {
        (0..n).into_par_iter().sum()
    }

    #[test]
    fn runs_at_once_and_within_each_other_end() {
        let threads = Threads::new(3).unwrap();
        let long = || {
            thread::sleep(SHORT);
            (0..20).map(|_| sum(1000)).sum::<u64>()
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(threads.run(long), 20 * 499_500)));
            }
        });
        assert_eq!(threads.run(|| threads.run(|| threads.run(|| sum(10)))), 45);
        assert_eq!(threads.runs.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_run_that_panics_ends() {
        let threads = Threads::new(2).unwrap();
        threads.run(|| thread::sleep(2 * SHORT));
        let panicked = panic::catch_unwind(panic::AssertUnwindSafe(|| threads.run(|| panic!("a kernel panicked"))));
        assert!(panicked.is_err());
        assert_eq!(threads.run(|| sum(10)), 45);
        assert_eq!(threads.runs.load(Ordering::SeqCst), 0);
    }
}
