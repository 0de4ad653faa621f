//! The processors that the threads of a pool run on.
use std::{
    sync::{
        OnceLock,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Minimum time between two moves. Where other programs keep the processors busy, threads would have to move again and again.
const PAUSE: Duration = Duration::from_millis(2);

/// Bytes of the second-level cache where the size is not known.
const COMMON_CACHE: usize = 1 << 20;
/// Minimum and maximum size that is believed. Larger ones are shared by several processors.
const SMALLEST_CACHE: usize = 256 << 10;
const LARGEST_CACHE: usize = 4 << 20;

/// Returns the bytes of a processor's second-level cache.
pub(crate) fn second_level_cache() -> usize {
    static SIZE: OnceLock<usize> = OnceLock::new();
    *SIZE.get_or_init(|| system::second_level_cache().unwrap_or(COMMON_CACHE).clamp(SMALLEST_CACHE, LARGEST_CACHE))
}

/// Finds threads of a pool that share a processor although there are enough for all of them.
///
/// The caller of a short run waits without sleeping, so there may be one thread more than there are processors. The scheduler sometimes
/// leaves two workers on one processor, and gives the caller one to itself.
pub(super) struct Processors {
    /// The processor on which each thread of the pool was seen last, counted from 1. Empty if nothing can be gained.
    of_threads: Vec<AtomicU32>,
    made: Instant,
    /// When a thread was moved last, in nanoseconds since `made`.
    moved: AtomicU64,
}

impl Processors {
    /// For a pool of that many threads.
    pub fn new(threads: usize) -> Processors {
        let enough = thread::available_parallelism().is_ok_and(|processors| (2..=processors.get()).contains(&threads));
        let of_threads = (0..if enough { threads } else { 0 }).map(|_| AtomicU32::new(0)).collect();
        Processors { of_threads, made: Instant::now(), moved: AtomicU64::new(0) }
    }

    /// The number of threads whose processors are noted.
    #[cfg(test)]
    pub fn watched(&self) -> usize {
        self.of_threads.len()
    }

    /// Notes the processor of this thread, which is the pool's thread `index`.
    pub fn note(&self, index: usize) {
        if let (Some(of_this), Some(processor)) = (self.of_threads.get(index), system::current()) {
            of_this.store(processor.saturating_add(1), Ordering::Relaxed);
        }
    }

    /// Moves this thread, which is the pool's thread `index`, to another processor if another thread of the pool was seen on the same.
    /// The scheduler may then move it to any processor that it was allowed to use at that time.
    pub fn leave_shared(&self, index: usize) {
        self.note(index);
        if !self.is_shared(index) {
            return;
        }
        let now = self.made.elapsed().as_nanos() as u64;
        let moved = self.moved.load(Ordering::Relaxed);
        let may_move = moved == 0 || now.saturating_sub(moved) > PAUSE.as_nanos() as u64;
        // Of several threads, one moves at a time: the others might then have their processors to themselves.
        if may_move && self.moved.compare_exchange(moved, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            system::leave((0..self.of_threads.len()).filter_map(|thread| self.seen(thread).checked_sub(1)));
            self.note(index);
        }
    }

    /// Returns the processor of a thread, counted from 1; 0 if it is unknown.
    fn seen(&self, index: usize) -> u32 {
        self.of_threads.get(index).map_or(0, |processor| processor.load(Ordering::Relaxed))
    }

    fn is_shared(&self, index: usize) -> bool {
        let own = self.seen(index);
        own > 0 && (0..self.of_threads.len()).any(|other| other != index && self.seen(other) == own)
    }
}

/// Returns the bytes of a size in the kernel's notation: `2048K`.
#[cfg(target_os = "linux")]
fn cache_size(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use std::fs;

    /// Returns the size of the cache that the kernel reports as the second-level one, if it reports any.
    pub fn second_level_cache() -> Option<usize> {
        let read = |index: usize, what: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
            fs::read_to_string(path).ok().map(|text| text.trim().to_string())
        };
        let index = (0..4).find(|index| read(*index, "level").is_some_and(|level| level == "2"))?;
        super::cache_size(&read(index, "size")?)
    }

    /// Returns the processor that this thread runs on, if that is known.
    pub fn current() -> Option<u32> {
        u32::try_from(sched_getcpu()).ok()
    }

    /// Moves this thread to a processor that is not among `taken`, if there is one. Errors are ignored: the thread then stays where it is.
    pub fn leave(taken: impl Iterator<Item = u32>) {
        let Ok(all) = sched_getaffinity(None) else { return };
        let mut others = all;
        taken.map(|cpu| cpu as usize).filter(|cpu| *cpu < CpuSet::MAX_CPU).for_each(|cpu| others.unset(cpu));
        if sched_setaffinity(None, &others).is_ok() {
            sched_setaffinity(None, &all).ok();
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub fn second_level_cache() -> Option<usize> {
        None
    }

    pub fn current() -> Option<u32> {
        None
    }

    pub fn leave(_taken: impl Iterator<Item = u32>) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::sched_getaffinity;

    #[test]
    fn a_thread_that_shares_a_processor_may_use_all_of_them_afterwards() {
        let (processors, before) = (Processors::new(2), sched_getaffinity(None).unwrap());
        let has_moved = || processors.moved.load(Ordering::Relaxed) > 0;
        // The scheduler may move this thread between two calls.
        for _ in 0..1000 {
            processors.note(1);
            processors.of_threads.iter().for_each(|other| other.store(processors.seen(1), Ordering::Relaxed));
            processors.leave_shared(1);
        }
        assert_eq!(has_moved(), !processors.of_threads.is_empty());
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }

    #[test]
    fn sizes_of_caches_are_read() {
        let sizes = ["2048K", "1M", "65536", "", "K", "1G", "99999999999999999999K"].map(cache_size);
        assert_eq!(sizes, [Some(2 << 20), Some(1 << 20), Some(65536), None, None, None, None]);
        assert!((SMALLEST_CACHE..=LARGEST_CACHE).contains(&second_level_cache()));
    }

    #[test]
    fn more_threads_than_processors_stay() {
        let processors = Processors::new(1 << 12);
        processors.leave_shared(0);
        assert_eq!(processors.moved.into_inner(), 0);
    }
}
