//! Loops whose tasks are divided among the threads of the pool. A thread that waits for the last tasks of others stays awake: waking it would
//! take longer than most of them.
use crate::base::{Error, Result};
use std::{
    hint, mem,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// How many times a waiting thread checks before it yields its core to other threads of the system.
const SPINS: usize = 1 << 10;

/// Calls `work` for each part; see [`for_each_of`].
///
/// # Errors
/// Returns an error of `work`. No more parts are taken then.
pub(super) fn for_each_part<T: Send>(mut parts: Vec<T>, work: impl Fn(T) -> Result<()> + Sync) -> Result<()> {
    let share = parts.len().div_ceil(rayon::current_num_threads()).max(1);
    let mut shares = Vec::new();
    while !parts.is_empty() {
        let rest = parts.split_off(share.min(parts.len()));
        shares.push(mem::replace(&mut parts, rest).into_iter());
    }
    for_each_of(shares, work)
}

/// Calls `work` for each item of some shares, one per thread. A thread begins with the same share in each loop, whose data it may still have
/// in its cache, and then helps others with theirs. Items should have no parallel loops of their own: a thread that waits for the last items
/// does not help with those.
///
/// # Errors
/// Returns an error of `work`. No more items are taken then.
pub(super) fn for_each_of<I: Iterator + Send>(
    shares: Vec<I>,
    work: impl Fn(I::Item) -> Result<()> + Sync,
) -> Result<()> {
    let threads = shares.len();
    if threads <= 1 {
        return shares.into_iter().flatten().try_for_each(work);
    }
    let shares: Vec<Mutex<I>> = shares.into_iter().map(Mutex::new).collect();
    let taken = AtomicUsize::new(0);
    let take = |share: usize| {
        let mut share = lock(&shares[share]);
        let item = share.next()?;
        taken.fetch_add(1, Ordering::Relaxed);
        Some(item)
    };
    let take_all = |progress: &Progress| {
        let own = rayon::current_thread_index().unwrap_or(0);
        for share in (own..own + threads).map(|share| share % threads) {
            while let Some(item) = take(share) {
                if !progress.run(|| work(item)) {
                    return;
                }
            }
        }
    };
    in_parallel(threads, take_all, || taken.load(Ordering::Relaxed))
}

/// Calls `work` with the index of a step and of one of its tasks, for all tasks of all steps. No task of a step begins before all tasks of
/// the preceding step have ended. There is no fork and join per step: the threads stay for all of them, and one that is busy elsewhere
/// joins later.
///
/// `work` must not use the pool, since a thread that waits for its tasks might begin a later step within this one.
///
/// # Errors
/// Returns an error of `work`. No more tasks begin then.
pub(super) fn in_steps(steps: usize, tasks: usize, work: impl Fn(usize, usize) -> Result<()> + Sync) -> Result<()> {
    let threads = tasks.min(rayon::current_num_threads());
    if threads <= 1 {
        return (0..steps).try_for_each(|step| (0..tasks).try_for_each(|task| work(step, task)));
    }
    let (all, next) = (steps * tasks, AtomicUsize::new(0));
    let take_all = |progress: &Progress| {
        loop {
            let taken = next.fetch_add(1, Ordering::Relaxed);
            let (step, task) = (taken / tasks, taken % tasks);
            if taken >= all || !progress.wait_for(step * tasks) || !progress.run(|| work(step, task)) {
                return;
            }
        }
    };
    in_parallel(threads, take_all, || all)
}

/// Locks a mutex whose value is valid even if a thread has panicked.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `take_all` on that many threads, or fewer if the others are busy. Each call takes and runs tasks until none are left; then, `taken`
/// returns how many there were.
fn in_parallel(
    threads: usize,
    take_all: impl Fn(&Progress) + Sync,
    taken: impl FnOnce() -> usize + Send,
) -> Result<()> {
    let progress = Progress::default();
    rayon::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| take_all(&progress));
        }
        take_all(&progress);
        // The end of the scope would put this thread to sleep. The other calls do not wait: they may be within one of these tasks.
        progress.wait_for(taken());
    });
    let error = lock(&progress.error).take();
    error.map_or(Ok(()), Err)
}

#[derive(Default)]
struct Progress {
    /// Number of tasks that have ended.
    ended: AtomicUsize,
    /// Whether a task has failed or panicked: nobody waits for it then.
    has_failed: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl Progress {
    /// Runs a task unless one has failed. Returns whether none has.
    fn run(&self, task: impl FnOnce() -> Result<()>) -> bool {
        if self.has_failed.load(Ordering::Relaxed) {
            return false;
        }
        let unless_ended = Failure(&self.has_failed);
        if let Err(error) = task() {
            lock(&self.error).get_or_insert(error);
            return false;
        }
        mem::forget(unless_ended);
        self.ended.fetch_add(1, Ordering::Release);
        true
    }

    /// Waits until that many tasks have ended. Returns `false` if one has failed, as the others may then never run.
    fn wait_for(&self, tasks: usize) -> bool {
        let mut spins = 0;
        while self.ended.load(Ordering::Acquire) < tasks {
            if self.has_failed.load(Ordering::Relaxed) {
                return false;
            }
            if spins < SPINS {
                hint::spin_loop();
                spins += 1;
            } else {
                thread::yield_now();
            }
        }
        true
    }
}

/// Notes a failure when it is dropped.
struct Failure<'a>(&'a AtomicBool);

impl Drop for Failure<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::invalid;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    #[test]
    fn a_step_finds_the_results_of_the_one_before() {
        for threads in 1..5 {
            for tasks in 0..7 {
                let cells: Vec<[AtomicUsize; 2]> = (0..tasks).map(|_| Default::default()).collect();
                let step = |step: usize, task: usize| {
                    let sum: usize = cells.iter().map(|cell| cell[step % 2].load(Ordering::Relaxed)).sum();
                    cells[task][(step + 1) % 2].store((sum + task + step) % 1009, Ordering::Relaxed);
                    Ok(())
                };
                pool(threads).install(|| in_steps(100, tasks, step)).unwrap();
                let mut want = vec![0; tasks];
                for step in 0..100 {
                    let sum: usize = want.iter().sum();
                    want = (0..tasks).map(|task| (sum + task + step) % 1009).collect();
                }
                let got: Vec<usize> = cells.iter().map(|cell| cell[0].load(Ordering::Relaxed)).collect();
                assert_eq!(got, want, "{threads} threads, {tasks} tasks");
            }
        }
    }

    #[test]
    fn each_part_is_used_once() {
        for threads in 1..6 {
            let pool = pool(threads);
            for n in 0..20 {
                let mut numbers = vec![0; n];
                let parts: Vec<(usize, &mut i32)> = numbers.iter_mut().enumerate().collect();
                let add = |(i, number): (usize, &mut i32)| {
                    *number += i as i32 + 1;
                    Ok(())
                };
                pool.install(|| for_each_part(parts, add)).unwrap();
                assert!(numbers.iter().zip(1..).all(|(number, i)| *number == i), "{threads} threads: {numbers:?}");
            }
        }
    }

    #[test]
    fn errors_and_panics_end_all_threads() {
        let pool = pool(3);
        for at in [0, 7, 49] {
            let count = AtomicUsize::new(0);
            let fails = |step: usize, task: usize| {
                count.fetch_add(1, Ordering::Relaxed);
                if step == at && task == 1 { Err(invalid("too much")) } else { Ok(()) }
            };
            let error = pool.install(|| in_steps(50, 4, fails)).unwrap_err();
            assert!(error.to_string().contains("too much"), "{error}");
            assert!(count.into_inner() <= 4 * (at + 1), "a task ran after the step that failed");
            let panics = |step: usize, task: usize| {
                assert!(step != at || task != 2, "no luck");
                Ok(())
            };
            assert!(catch_unwind(AssertUnwindSafe(|| pool.install(|| in_steps(50, 4, panics)))).is_err());

            let parts: Vec<usize> = (0..50).collect();
            let fails = |i: usize| if i == at { Err(invalid("too much")) } else { Ok(()) };
            assert!(pool.install(|| for_each_part(parts.clone(), fails)).is_err());
            let panics = |i: usize| {
                assert_ne!(i, at, "no luck");
                Ok(())
            };
            assert!(catch_unwind(AssertUnwindSafe(|| pool.install(|| for_each_part(parts, panics)))).is_err());
        }
    }

    /// The only other thread is busy until the steps have ended. The last ones are called from a thread of no pool.
    #[test]
    fn steps_end_while_other_threads_are_busy() {
        let pool = pool(2);
        let (count, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        pool.scope(|scope| {
            scope.spawn(|_| {
                while !is_over.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
            });
            scope.spawn(|_| {
                in_steps(20, 3, work).unwrap();
                is_over.store(true, Ordering::Relaxed);
            });
        });
        in_steps(20, 3, work).unwrap();
        assert_eq!(count.into_inner(), 120);
    }

    #[test]
    fn loops_within_loops_end() {
        for threads in 1..4 {
            let count = AtomicUsize::new(0);
            let inner = |_| {
                count.fetch_add(1, Ordering::Relaxed);
                Ok(())
            };
            let outer = |n: usize| for_each_part((0..n).collect(), inner);
            pool(threads).install(|| for_each_part((0..20).collect(), outer)).unwrap();
            assert_eq!(count.into_inner(), 190);
        }
    }
}
