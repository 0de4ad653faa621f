//! A plan's runs, from the second on as one recording: its launches, with all their addresses, are told the GPU at once.
use super::{CudaBackend, device::failure, driver::Recording, memory::Trace, program::DeviceArray};
use crate::{
    array::Array,
    base::Result,
    exec::{Backend, Run},
};
use std::sync::{Mutex, PoisonError};

/// From feeds to results.
type Steps<'s> = dyn FnMut(Vec<DeviceArray>) -> Result<Vec<DeviceArray>> + 's;

/// What is remembered of a plan.
#[derive(Default)]
pub struct Memo {
    state: Mutex<State>,
    together: Mutex<Together>,
}

/// Runs of a plan at the same time, which cannot tell whose an impossible index was.
#[derive(Default)]
struct Together {
    running: usize,
    /// What one of them has met.
    fault: Option<String>,
}

#[derive(Default)]
enum State {
    /// It has not run yet.
    #[default]
    New,
    /// It has, and taken this memory.
    Noted(Trace),
    Recorded(Recorded),
    /// It cannot be recorded.
    Unrepeatable,
}

/// A run on an arena of its own.
struct Recorded {
    recording: Recording,
    feeds: Vec<DeviceArray>,
    results: Vec<DeviceArray>,
}

impl Memo {
    /// A run beside others of the plan: what one of them meets, all have met.
    fn beside_others<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let together = || self.together.lock().unwrap_or_else(PoisonError::into_inner);
        together().running += 1;
        let result = run();
        let mut together = together();
        together.running -= 1;
        if let Err(e) = &result {
            together.fault.get_or_insert_with(|| e.to_string());
        }
        let fault = together.fault.clone().filter(|_| result.is_ok());
        if together.running == 0 {
            together.fault = None;
        }
        let shared = |fault: String| failure("CUDA", format!("this run, or another at the same time: {fault}"));
        fault.map_or(result, |fault| Err(shared(fault)))
    }
}

impl CudaBackend {
    /// One run: noted, recorded or done again. Runs of one backend come one after the other, as the GPU's stream has them.
    pub(super) fn run_or_repeat(&self, memo: &Memo, run: Run<DeviceArray>) -> Result<Vec<Array>> {
        let Run { feeds, repeatable, steps, check } = run;
        if !repeatable {
            // Kernels of the CPU may take up another thread's run meanwhile, which must not wait for this one.
            return memo.beside_others(|| self.fetched(&self.go(feeds, steps)?, check));
        }
        let _one = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = memo.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Noted(trace) = &*state {
            // What cannot be recorded (the arena is too large beside everything else) runs as before.
            let recorded = self.record(trace, &feeds, steps).ok();
            *state = recorded.map_or(State::Unrepeatable, State::Recorded);
        }
        match &*state {
            State::Recorded(recorded) => {
                for (array, to) in feeds.iter().zip(&recorded.feeds) {
                    self.cuda.device.write(to.block.address, array.bytes()?)?;
                }
                self.cuda.device.replay(&recorded.recording)?;
                self.fetched(&recorded.results, check)
            }
            State::New => {
                let (results, trace) = self.cuda.pool.noted(|| self.go(feeds, steps));
                let arrays = self.fetched(&results?, check)?;
                *state = State::Noted(trace);
                Ok(arrays)
            }
            State::Noted(_) | State::Unrepeatable => self.fetched(&self.go(feeds, steps)?, check),
        }
    }

    /// Whether a run is recorded, which has its memory.
    pub(super) fn has_recorded(&self, memo: &Memo) -> bool {
        matches!(&*memo.state.lock().unwrap_or_else(PoisonError::into_inner), State::Recorded(_))
    }

    /// What is recorded, on what was fed last; whether anything is.
    pub(super) fn replayed(&self, memo: &Memo) -> Result<bool> {
        let _one = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let state = memo.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Recorded(recorded) = &*state else { return Ok(false) };
        self.cuda.device.replay(&recorded.recording)?;
        Ok(true)
    }

    fn go(&self, feeds: Vec<Array>, steps: &mut Steps) -> Result<Vec<DeviceArray>> {
        let placed = feeds.iter().map(|a| self.placed(a)).collect::<Result<Vec<_>>>()?;
        for (array, to) in feeds.iter().zip(&placed) {
            self.cuda.device.write(to.block.address, array.bytes()?)?;
        }
        drop(feeds);
        // As long as the run: a recording is repeated on what lies there.
        let kept = placed.clone();
        let results = steps(placed);
        drop(kept);
        results
    }

    /// Records the steps, on an arena that is laid out after the trace.
    fn record(&self, trace: &Trace, feeds: &[Array], steps: &mut Steps) -> Result<Recorded> {
        // What the run before had serves the arena.
        self.cuda.pool.release();
        self.cuda.pool.planned_in(trace.layout(), || {
            let feeds = feeds.iter().map(|a| self.placed(a)).collect::<Result<Vec<_>>>()?;
            let (recording, results) = self.cuda.device.recorded(|| steps(feeds.clone()))?;
            Ok(Recorded { recording, feeds, results })
        })
    }

    /// Results, when the GPU has come to its end.
    fn fetched(&self, results: &[DeviceArray], check: &dyn Fn() -> Result<()>) -> Result<Vec<Array>> {
        self.synchronise()?;
        check()?;
        results.iter().map(|b| self.download(b)).collect()
    }
}
