//! The threads of a session.
use super::{RunOptions, processors::Processors};
use crate::base::{Result, argument};
use std::{
    hint,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Shorter runs would end before a sleeping thread wakes up.
const SHORT: Duration = Duration::from_micros(300);

/// How long a thread looks for tasks before it goes to sleep.
const PATIENCE: Duration = Duration::from_millis(1);

/// A thread pool that stays awake during a run and shortly after it.
///
/// Kernels divide their work into tasks, one kernel after the other. Waking a sleeping thread takes as long as a small kernel, so the
/// threads keep looking for tasks until there have been none for a while. Of runs that follow each other closely, as in a server, the
/// next one finds them awake.
pub(super) struct Threads {
    pool: rayon::ThreadPool,
    runs: Arc<Runs>,
    processors: Arc<Processors>,
    /// The time that the last run took, in nanoseconds.
    last: AtomicU64,
    /// When the last run ended, in nanoseconds since `made`.
    ended: AtomicU64,
    made: Instant,
}

impl Threads {
    /// # Errors
    /// Returns an error if the system has no more threads.
    pub fn new(threads: usize) -> Result<Threads> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(RunOptions::MAX_THREADS)).build();
        let pool = pool.map_err(|e| argument("threads", threads, e))?;
        let processors = Arc::new(Processors::new(pool.current_num_threads()));
        Ok(Threads {
            pool,
            runs: Arc::default(),
            processors,
            last: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            made: Instant::now(),
        })
    }

    /// Calls `work` on a thread of the pool.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let _run = self.runs.begin();
        self.pool.install(work)
    }

    /// Like [`Threads::install`], for a run, which keeps the threads awake.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let begun = self.made.elapsed();
        let last = Duration::from_nanos(self.last.load(Ordering::Relaxed));
        let ended = Duration::from_nanos(self.ended.load(Ordering::Relaxed));
        let run = self.runs.begin();
        let keeps_awake = run.is_alone && (last > SHORT || begun.saturating_sub(ended) < PATIENCE);
        let work = move || {
            let state = run.state;
            if keeps_awake && self.pool.current_num_threads() > 1 {
                self.keep_awake(Which::Others, state);
            }
            let result = work();
            drop(run);
            if keeps_awake {
                self.keep_awake(Which::This, state);
            }
            result
        };
        let result = if keeps_awake && last < SHORT { self.wait_awake(work) } else { self.pool.install(work) };
        let ended = self.made.elapsed();
        self.last.store(ended.saturating_sub(begun).as_nanos() as u64, Ordering::Relaxed);
        self.ended.store(ended.as_nanos() as u64, Ordering::Relaxed);
        result
    }

    /// Calls `work` on a thread of the pool. The calling thread stays awake meanwhile, since waking it would take longer than the work.
    fn wait_awake<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut result, has_ended, begun) = (None, AtomicBool::new(false), Instant::now());
        self.pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                result = Some(work());
                has_ended.store(true, Ordering::Release);
            });
            while !has_ended.load(Ordering::Acquire) && begun.elapsed() < 2 * SHORT {
                thread::yield_now();
            }
        });
        result.expect("a scope ends after its tasks")
    }

    /// Makes threads of the pool look for tasks.
    fn keep_awake(&self, which: Which, run: u64) {
        let (own, runs, processors) = (rayon::current_thread_index(), self.runs.clone(), self.processors.clone());
        if let Some(own) = own {
            processors.note(own);
        }
        self.pool.spawn_broadcast(move |context| {
            let thread = if Some(context.index()) == own { Which::This } else { Which::Others };
            if thread == which {
                if which == Which::Others {
                    processors.leave_shared(context.index());
                }
                runs.look_for_tasks(run);
            }
        });
    }
}

/// Threads as seen from the one that executes a run.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    This,
    Others,
}

/// Counts the runs of a pool, and whatever else is called on it.
///
/// The lower half is the number of runs at this moment, and the upper half how often one has begun or ended. Both change in one step, so
/// that of two runs that begin at once, one finds the other.
#[derive(Default)]
struct Runs(AtomicU64);

/// A run in progress. It ends when this is dropped, also if there is a panic.
struct Run<'a> {
    runs: &'a Runs,
    /// The state of [`Runs`] once this run has begun.
    state: u64,
    /// Whether no other run was in progress then. Concurrent runs keep the threads busy by themselves, and a thread that looks for tasks
    /// might pick up another run.
    is_alone: bool,
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.runs.0.fetch_add(Runs::CHANGE - 1, Ordering::SeqCst);
    }
}

impl Runs {
    const CHANGE: u64 = 1 << 32;

    fn begin(&self) -> Run<'_> {
        let before = self.0.fetch_add(Self::CHANGE + 1, Ordering::SeqCst);
        Run { runs: self, state: before.wrapping_add(Self::CHANGE + 1), is_alone: before.is_multiple_of(Self::CHANGE) }
    }

    fn state(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Executes tasks of the pool until a run begins after or beside `run`, or until there have been no tasks for [`PATIENCE`]: this
    /// thread may already be executing a task that waits for others, and the run cannot end before that task does.
    fn look_for_tasks(&self, run: u64) {
        let ended = run.wrapping_add(Self::CHANGE - 1);
        let mut idle_since = None;
        loop {
            let state = self.state();
            if state != run && state != ended {
                break;
            }
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                idle_since = None;
            } else if idle_since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
                break;
            } else if state == ended {
                // The calling thread may need this core.
                thread::yield_now();
            } else {
                (0..16).for_each(|_| hint::spin_loop());
            }
        }
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
        assert_eq!(threads.runs.state() % Runs::CHANGE, 0);
    }

    /// By default, there are as many threads as processors.
    #[test]
    fn processors_are_watched_by_default() {
        let default = Threads::new(0).unwrap();
        let same = Threads::new(default.pool.current_num_threads()).unwrap();
        assert_eq!(default.processors.watched(), same.processors.watched());
    }

    #[test]
    fn a_run_that_panics_ends() {
        let threads = Threads::new(2).unwrap();
        for run_before in [2 * SHORT, Duration::ZERO] {
            threads.run(|| thread::sleep(run_before));
            let panicked = panic::catch_unwind(panic::AssertUnwindSafe(|| threads.run(|| panic!("a kernel panicked"))));
            assert!(panicked.is_err());
            assert_eq!(threads.run(|| sum(10)), 45);
        }
        assert_eq!(threads.runs.state() % Runs::CHANGE, 0);
    }

    /// A thread that waits for the rest of a task may begin to look for others, and must still finish that task.
    #[test]
    fn looking_for_tasks_within_a_task_ends() {
        let threads = Threads::new(2).unwrap();
        threads.run(|| {
            let run = threads.runs.state();
            rayon::join(|| threads.runs.look_for_tasks(run), || threads.runs.look_for_tasks(run))
        });
        assert_eq!(threads.run(|| sum(10)), 45);
    }

    #[test]
    fn only_the_first_of_several_runs_is_alone() {
        let runs = Runs::default();
        let first = runs.begin();
        assert!(first.is_alone);
        assert_eq!(first.state, runs.state());
        assert!(!runs.begin().is_alone);
        assert_ne!(first.state, runs.state());
        drop(first);
        assert!(runs.begin().is_alone);
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
                    let run = threads.runs.state();
                    rayon::join(|| threads.runs.look_for_tasks(run), || threads.runs.look_for_tasks(run))
                });
            }
        });
    }

    /// Calls a function when it is dropped, also if there is a panic.
    struct OnDrop<F: FnMut()>(F);

    impl<F: FnMut()> Drop for OnDrop<F> {
        fn drop(&mut self) {
            (self.0)();
        }
    }
}
