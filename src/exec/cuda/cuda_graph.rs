//! Runs of a plan. The second run is captured as a CUDA graph on fixed addresses; later runs replay it.
use super::{context::Context, device::failure, device_array::DeviceArray, driver::CapturedGraph, memory::Trace};
use crate::{
    array::Array,
    base::{Dtype, Result},
    exec::{Run, RunOn},
};
use std::sync::{Mutex, PoisonError};

/// From feeds to results.
type Steps<'s> = dyn FnMut(Vec<DeviceArray>) -> Result<Vec<DeviceArray>> + 's;

/// The state of a plan that is kept between runs: its captured graph.
#[derive(Default)]
pub struct GraphCache {
    state: Mutex<GraphState>,
    concurrent: Mutex<ConcurrentRuns>,
}

/// Concurrent runs of a plan; a fault cannot be attributed to one of them.
#[derive(Default)]
struct ConcurrentRuns {
    running: usize,
    /// The fault of any of them.
    fault: Option<String>,
}

#[derive(Default)]
enum GraphState {
    /// The plan has not run yet.
    #[default]
    New,
    /// The plan has run once; these are its allocations.
    Traced(Trace),
    Captured(Captured),
    /// The capture failed, as has been reported.
    Uncapturable,
}

/// A captured run. Its arena lives as long as its arrays.
struct Captured {
    graph: CapturedGraph,
    feeds: Vec<DeviceArray>,
    results: Vec<DeviceArray>,
}

impl GraphCache {
    /// Runs concurrently with others of the plan: a fault of one is reported by all.
    fn run_concurrently<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let concurrent = || self.concurrent.lock().unwrap_or_else(PoisonError::into_inner);
        concurrent().running += 1;
        let result = run();
        let mut concurrent = concurrent();
        concurrent.running -= 1;
        if let Err(e) = &result {
            concurrent.fault.get_or_insert_with(|| e.to_string());
        }
        let fault = concurrent.fault.clone().filter(|_| result.is_ok());
        if concurrent.running == 0 {
            concurrent.fault = None;
        }
        let shared = |fault: String| failure("CUDA", format!("this run or a concurrent one failed: {fault}"));
        fault.map_or(result, |fault| Err(shared(fault)))
    }

    /// Runs the plan: the first run is traced, the second captured, later ones replayed. Runs of one backend are serialized,
    /// like the work on its stream.
    pub(super) fn run(&self, cuda: &Context, run: Run<DeviceArray>) -> Result<Vec<Array>> {
        let Run { feeds, repeatable, steps, check } = run;
        if !repeatable {
            // A CPU kernel's thread pool may pick up another run of this backend, which must not wait for this one.
            return self.run_concurrently(|| fetch(cuda, &run_steps(cuda, feeds, steps)?, check));
        }
        let _one = cuda.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.capture_if_traced(cuda, feeds.iter().map(|a| (a.dtype(), a.shape())), steps);
        match &*state {
            GraphState::Captured(captured) => {
                for (array, to) in feeds.iter().zip(&captured.feeds) {
                    cuda.device.write(to.block.address, array.bytes()?)?;
                }
                cuda.device.replay(&captured.graph)?;
                fetch(cuda, &captured.results, check)
            }
            GraphState::New => {
                let (results, trace) = cuda.pool.traced(|| run_steps(cuda, feeds, steps));
                let arrays = fetch(cuda, &results?, check)?;
                *state = GraphState::Traced(trace);
                Ok(arrays)
            }
            GraphState::Traced(_) | GraphState::Uncapturable => fetch(cuda, &run_steps(cuda, feeds, steps)?, check),
        }
    }

    /// Like [`GraphCache::run`], on buffers. The inputs are copied to the addresses of the captured run, and its results to memory
    /// of their own.
    pub(super) fn run_on(&self, cuda: &Context, run: RunOn<DeviceArray>) -> Result<Vec<DeviceArray>> {
        let RunOn { feeds, repeatable, steps } = run;
        feeds.iter().try_for_each(|feed| cuda.check_device(feed))?;
        if !repeatable {
            return steps(feeds);
        }
        let _one = cuda.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.capture_if_traced(cuda, feeds.iter().map(|a| (a.dtype, &a.shape[..])), steps);
        match &*state {
            GraphState::Captured(captured) => {
                feeds.iter().zip(&captured.feeds).try_for_each(|(from, to)| cuda.copy(from, to))?;
                cuda.device.replay(&captured.graph)?;
                captured.results.iter().map(|result| duplicate(cuda, result)).collect()
            }
            GraphState::New => {
                // On copies, so that the allocations are those of a captured run.
                let (results, trace) = cuda.pool.traced(|| {
                    let inputs = feeds.iter().map(|feed| duplicate(cuda, feed)).collect::<Result<Vec<_>>>()?;
                    let kept = inputs.clone();
                    let results = steps(inputs);
                    drop(kept);
                    results
                });
                let results = results?;
                *state = GraphState::Traced(trace);
                Ok(results)
            }
            GraphState::Traced(_) | GraphState::Uncapturable => steps(feeds),
        }
    }

    /// Whether the plan has run, so that its memory has been allocated.
    pub(super) fn has_run(&self) -> bool {
        !matches!(&*self.state.lock().unwrap_or_else(PoisonError::into_inner), GraphState::New)
    }

    /// Replays the captured run on its last inputs. Returns `false` if no run has been captured.
    pub(super) fn replay(&self, cuda: &Context) -> Result<bool> {
        let _one = cuda.running.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let GraphState::Captured(captured) = &*state else { return Ok(false) };
        cuda.device.replay(&captured.graph)?;
        Ok(true)
    }
}

impl GraphState {
    /// Captures the steps if a run has been traced. If that fails, for instance because the arena does not fit, the plan runs
    /// uncaptured.
    fn capture_if_traced<'f>(
        &mut self,
        cuda: &Context,
        feeds: impl Iterator<Item = (Dtype, &'f [usize])>,
        steps: &mut Steps,
    ) {
        let GraphState::Traced(trace) = self else { return };
        *self = match capture(cuda, trace, feeds, steps) {
            Ok(captured) => GraphState::Captured(captured),
            Err(e) => {
                let what = "a run cannot be captured as a CUDA graph, so its kernels are launched one by one";
                cuda.notes.add(format!("{what}: {e}"));
                GraphState::Uncapturable
            }
        };
    }
}

/// Copies an array to memory of its own on the GPU.
fn duplicate(cuda: &Context, from: &DeviceArray) -> Result<DeviceArray> {
    let to = cuda.allocate(from.dtype, &from.shape)?;
    cuda.copy(from, &to)?;
    Ok(to)
}

fn run_steps(cuda: &Context, feeds: Vec<Array>, steps: &mut Steps) -> Result<Vec<DeviceArray>> {
    let inputs = feeds.iter().map(|a| cuda.upload(a)).collect::<Result<Vec<_>>>()?;
    drop(feeds);
    // A captured run reads its inputs on every replay, so their memory is not reused by later steps.
    let kept = inputs.clone();
    let results = steps(inputs);
    drop(kept);
    results
}

/// Captures the steps on an arena that is laid out for the traced allocations.
fn capture<'f>(
    cuda: &Context,
    trace: &Trace,
    feeds: impl Iterator<Item = (Dtype, &'f [usize])>,
    steps: &mut Steps,
) -> Result<Captured> {
    // The memory of the previous run is returned first, since the arena replaces it.
    cuda.pool.release();
    cuda.pool.with_arena(trace.layout(), || {
        let feeds = feeds.map(|(dtype, shape)| cuda.allocate(dtype, shape)).collect::<Result<Vec<_>>>()?;
        let (graph, results) = cuda.device.capture(|| steps(feeds.clone()))?;
        Ok(Captured { graph, feeds, results })
    })
}

/// Downloads results after the GPU has finished.
fn fetch(cuda: &Context, results: &[DeviceArray], check: &dyn Fn() -> Result<()>) -> Result<Vec<Array>> {
    cuda.pool.synchronise()?;
    check()?;
    results.iter().map(|b| cuda.download(b)).collect()
}
