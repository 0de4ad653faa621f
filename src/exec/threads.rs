//! The threads of a session.
use crate::base::{Result, argument};
use std::{
    hint,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Shorter runs would end before the other threads wake up.
const SHORT: Duration = Duration::from_micros(300);

/// How long a thread looks for tasks before it goes to sleep.
const PATIENCE: Duration = Duration::from_millis(1);

/// A thread pool that stays awake during a run.
///
/// Kernels divide their work into tasks, one kernel after the other. Waking a sleeping thread takes as long as a small kernel, so the
/// other threads keep looking for tasks until the run ends, or until there have been none for a while.
pub(super) struct Threads {
    pool: rayon::ThreadPool,
    runs: Arc<Runs>,
    /// The time that the last run took, in nanoseconds.
    last: AtomicU64,
}

impl Threads {
    /// # Errors
    /// Returns an error if the system has no more threads.
    pub fn new(threads: usize) -> Result<Threads> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(256)).build();
        let pool = pool.map_err(|e| argument("threads", threads, e))?;
        Ok(Threads { pool, runs: Arc::default(), last: AtomicU64::new(0) })
    }

    /// Calls `work` on a thread of the pool.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.counted(|_| work())
    }

    /// Like [`Threads::install`], for a run, which keeps the other threads awake.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let start = Instant::now();
        let is_long = self.last.load(Ordering::Relaxed) > SHORT.as_nanos() as u64;
        let result = self.counted(|alone| {
            if let Some(run) = alone.filter(|_| is_long && self.pool.current_num_threads() > 1) {
                self.keep_awake(run);
            }
            work()
        });
        self.last.store(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    /// Calls `work` on a thread of the pool, and passes it the number of the run if no other is in progress.
    fn counted<R: Send>(&self, work: impl FnOnce(Option<u64>) -> R + Send) -> R {
        let alone = self.runs.begin();
        let _ended = OnDrop(|| self.runs.end());
        self.pool.install(|| work(alone))
    }

    /// Makes the other threads of the pool look for tasks.
    fn keep_awake(&self, run: u64) {
        let (own, runs) = (rayon::current_thread_index(), self.runs.clone());
        self.pool.spawn_broadcast(move |context| {
            if Some(context.index()) != own {
                runs.look_for_tasks(run);
            }
        });
    }
}

/// Counts the runs of a pool, and whatever else is called on it.
#[derive(Default)]
struct Runs {
    /// The number of runs at this moment.
    count: AtomicUsize,
    /// How often a run has begun or ended.
    changes: AtomicU64,
}

impl Runs {
    /// Returns the number of this run if there is no other. Concurrent runs keep the threads busy by themselves, and a thread that
    /// looks for tasks might pick up another run.
    fn begin(&self) -> Option<u64> {
        // If two runs begin at once, one may find itself alone. Its threads may then pick up the other one, which delays it.
        let run = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
        let others = self.count.fetch_add(1, Ordering::SeqCst);
        (others == 0).then_some(run)
    }

    fn end(&self) {
        self.count.fetch_sub(1, Ordering::SeqCst);
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Executes tasks of the pool until the run ends or another one begins, or until there have been none for [`PATIENCE`]: this thread
    /// may already be executing a task that waits for others, and the run cannot end before that task does.
    fn look_for_tasks(&self, run: u64) {
        let mut idle_since = None;
        while self.changes.load(Ordering::SeqCst) == run {
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                idle_since = None;
            } else if idle_since.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
                (0..16).for_each(|_| hint::spin_loop());
            } else {
                break;
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
    use std::{panic, sync::atomic::AtomicBool, thread};

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
        assert_eq!(threads.runs.count.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_run_that_panics_ends() {
        let threads = Threads::new(2).unwrap();
        threads.run(|| thread::sleep(2 * SHORT));
        let panicked = panic::catch_unwind(panic::AssertUnwindSafe(|| threads.run(|| panic!("a kernel panicked"))));
        assert!(panicked.is_err());
        assert_eq!(threads.run(|| sum(10)), 45);
        assert_eq!(threads.runs.count.load(Ordering::SeqCst), 0);
    }

    /// A thread that waits for the rest of a task may begin to look for others, and must still finish that task.
    #[test]
    fn looking_for_tasks_within_a_task_ends() {
        let threads = Threads::new(2).unwrap();
        threads.run(|| {
            let run = threads.runs.changes.load(Ordering::SeqCst);
            rayon::join(|| threads.runs.look_for_tasks(run), || threads.runs.look_for_tasks(run))
        });
        assert_eq!(threads.run(|| sum(10)), 45);
    }

    /// The tasks of other callers do not keep it from that task.
    #[test]
    fn looking_for_tasks_within_a_task_ends_among_others() {
        let (threads, has_ended) = (Threads::new(2).unwrap(), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                while !has_ended.load(Ordering::SeqCst) {
                    threads.install(|| sum(1000));
                }
            });
            let _ended = OnDrop(|| has_ended.store(true, Ordering::SeqCst));
            for _ in 0..20 {
                threads.run(|| {
                    let run = threads.runs.changes.load(Ordering::SeqCst);
                    rayon::join(|| threads.runs.look_for_tasks(run), || threads.runs.look_for_tasks(run))
                });
            }
        });
    }
}
