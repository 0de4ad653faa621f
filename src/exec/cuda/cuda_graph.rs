//! Runs of a plan. The second run is captured as CUDA graphs with fixed addresses; later runs replay them.
use super::{
    context::Context,
    device::failure,
    device_array::DeviceArray,
    memory::{Arena, Trace},
    tape::CapturedGraph,
};
use crate::{
    array::Array,
    base::{Dtype, Result, invalid},
    exec::{Recorder, Run},
};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// The steps of a run, from inputs to results.
type Steps<'s> = dyn FnMut(Vec<DeviceArray>) -> Result<Vec<DeviceArray>> + 's;

/// The captured graphs of a plan.
pub(super) struct GraphCache {
    cuda: Arc<Context>,
    state: Mutex<GraphState>,
    has_run: AtomicBool,
    failures: Mutex<Failures>,
}

/// The failed runs of a plan. A fault cannot be attributed to one of several concurrent runs.
#[derive(Default)]
struct Failures {
    count: u64,
    /// The error of the last one.
    last: String,
}

#[derive(Default)]
enum GraphState {
    /// The plan has not run yet.
    #[default]
    New,
    /// The plan has run once; these are its allocations.
    Traced(Trace),
    Captured(CapturedRun),
    /// The capture failed; this has been reported.
    Uncapturable,
}

/// A captured run. The graphs are declared before the arrays, which own the context, so that they are dropped first.
struct CapturedRun {
    graphs: Vec<Arc<CapturedGraph>>,
    arena: Arena,
    feeds: Vec<DeviceArray>,
    results: Vec<DeviceArray>,
    has_host_steps: bool,
}

/// The inputs of a run, which are copied to the addresses of a captured run.
enum Feeds {
    Arrays(Vec<Array>),
    Buffers(Vec<DeviceArray>),
}

impl Feeds {
    /// Returns the caller's buffers.
    ///
    /// # Errors
    /// Returns an error if this backend may not use one of them.
    fn admitted(cuda: &Context, buffers: Vec<DeviceArray>) -> Result<Feeds> {
        Ok(Feeds::Buffers(buffers.into_iter().map(|buffer| cuda.admitted(&buffer)).collect::<Result<_>>()?))
    }
    fn types(&self) -> Vec<(Dtype, Vec<usize>)> {
        match self {
            Feeds::Arrays(arrays) => arrays.iter().map(|a| (a.dtype(), a.shape().to_vec())).collect(),
            Feeds::Buffers(buffers) => buffers.iter().map(|b| (b.dtype, b.shape.clone())).collect(),
        }
    }
    /// Copies the inputs to these buffers, without waiting.
    fn copy_to(&self, cuda: &Context, buffers: &[DeviceArray]) -> Result<()> {
        match self {
            Feeds::Arrays(arrays) => {
                let copy = |(array, to): (&Array, &DeviceArray)| cuda.device.write(to.block.address, array.bytes()?);
                arrays.iter().zip(buffers).try_for_each(copy)
            }
            Feeds::Buffers(from) => from.iter().zip(buffers).try_for_each(|(from, to)| cuda.copy(from, to)),
        }
    }
}

impl GraphCache {
    pub fn new(cuda: Arc<Context>) -> GraphCache {
        let (state, has_run, failures) = Default::default();
        GraphCache { cuda, state, has_run, failures }
    }

    /// Runs concurrently with other runs of the plan. A fault of one run is reported by all that began before.
    fn run_concurrently<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let failures = || self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let before = failures().count;
        let result = run();
        let mut failures = failures();
        match &result {
            Ok(_) if failures.count != before => {
                Err(failure("CUDA", format!("this run or a concurrent one failed: {}", failures.last)))
            }
            Err(e) if !e.is_interrupted() => {
                (failures.count, failures.last) = (failures.count + 1, e.to_string());
                result
            }
            _ => result,
        }
    }

    /// Submits a run. The results of a captured plan are valid until the next run.
    fn run_in_turn(&self, feeds: Feeds, has_host_steps: bool, steps: &mut Steps) -> Result<Vec<DeviceArray>> {
        let cuda = &*self.cuda;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            GraphState::New => {
                let (results, trace) = cuda.pool.traced(|| run_steps(cuda, feeds, steps));
                let results = results?;
                *state = GraphState::Traced(trace);
                self.has_run.store(true, Ordering::Relaxed);
                Ok(results)
            }
            GraphState::Traced(trace) => match capture(cuda, trace, &feeds, has_host_steps, steps) {
                Ok(captured) => {
                    let results = captured.results.clone();
                    *state = GraphState::Captured(captured);
                    Ok(results)
                }
                Err(e) if e.is_interrupted() => Err(e),
                Err(e) => {
                    let what = "a run cannot be captured as a CUDA graph, so its kernels are launched one by one";
                    cuda.notes.add(format!("{what}: {e}"));
                    *state = GraphState::Uncapturable;
                    run_steps(cuda, feeds, steps)
                }
            },
            GraphState::Captured(captured) => {
                feeds.copy_to(cuda, &captured.feeds)?;
                if captured.has_host_steps {
                    let run = || cuda.device.replay_steps(&captured.graphs, || steps(captured.feeds.clone()));
                    return cuda.pool.with_arena(&captured.arena, captured.feeds.len(), run);
                }
                captured.graphs.iter().try_for_each(|graph| cuda.device.replay(graph))?;
                Ok(captured.results.clone())
            }
            GraphState::Uncapturable => run_steps(cuda, feeds, steps),
        }
    }
}

impl Recorder<DeviceArray> for GraphCache {
    /// The first run is traced, the second is captured, and later ones are replayed. A backend captures or replays one run at
    /// a time, because they share its stream.
    fn run(&self, feeds: Vec<Array>, run: Run<DeviceArray>) -> Result<Vec<Array>> {
        let Run { repeatable, has_host_steps, steps, check } = run;
        let cuda = &*self.cuda;
        let turn = if repeatable { cuda.turn.take(has_host_steps) } else { None };
        self.run_concurrently(|| {
            let feeds = Feeds::Arrays(feeds);
            let results = match &turn {
                Some(_) => self.run_in_turn(feeds, has_host_steps, steps),
                None => run_steps(cuda, feeds, steps),
            };
            // The kernels of an interrupted run, too, may have recorded errors, which the next run would report.
            let results = match results {
                Err(e) if !e.is_interrupted() => return Err(e),
                results => results,
            };
            cuda.pool.synchronize()?;
            check()?;
            results?.iter().map(|b| cuda.download(b)).collect()
        })
    }

    /// Inputs are copied, so that no result shares their memory: to the addresses of the captured run, if there is one, whose
    /// results are copied to newly allocated memory.
    fn run_on(&self, feeds: Vec<DeviceArray>, run: Run<DeviceArray>) -> Result<Vec<DeviceArray>> {
        let Run { repeatable, has_host_steps, steps, .. } = run;
        let cuda = &*self.cuda;
        let feeds = Feeds::admitted(cuda, feeds)?;
        let turn = if repeatable { cuda.turn.take(has_host_steps) } else { None };
        if turn.is_none() {
            return run_steps(cuda, feeds, steps);
        }
        let results = self.run_in_turn(feeds, has_host_steps, steps)?;
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            // The next run overwrites the captured results.
            GraphState::Captured(_) => results.iter().map(|result| cuda.duplicate(result)).collect(),
            _ => Ok(results),
        }
    }

    /// Inputs are copied as in a run on buffers, and results to the caller's buffers.
    fn run_on_into(&self, feeds: Vec<DeviceArray>, into: &[DeviceArray], run: Run<DeviceArray>) -> Result<()> {
        let Run { repeatable, has_host_steps, steps, .. } = run;
        let cuda = &*self.cuda;
        check_overlap(&feeds, into)?;
        let feeds = Feeds::admitted(cuda, feeds)?;
        let into = into.iter().map(|buffer| cuda.admitted(buffer)).collect::<Result<Vec<_>>>()?;
        let turn = if repeatable { cuda.turn.take(has_host_steps) } else { None };
        let results = match &turn {
            Some(_) => self.run_in_turn(feeds, has_host_steps, steps)?,
            None => run_steps(cuda, feeds, steps)?,
        };
        // Copied while it is this run's turn: the next run overwrites the captured results.
        results.iter().zip(&into).try_for_each(|(from, to)| cuda.copy(from, to))
    }

    fn on_host(&self, compute: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.cuda.device.suspended(|| self.cuda.pool.suspended(compute))
    }

    /// The address is the same in every run, since the allocation is part of the captured run's; the copy is not captured.
    fn place(&self, result: DeviceArray) -> Result<DeviceArray> {
        let placed = self.cuda.allocate(result.dtype, &result.shape)?;
        self.on_host(&mut || self.cuda.copy(&result, &placed))?;
        Ok(placed)
    }

    fn has_memory(&self) -> bool {
        self.has_run.load(Ordering::Relaxed)
    }

    /// Returns `false` also if some steps run on the CPU.
    fn replay(&self) -> Result<bool> {
        let Some(_turn) = self.cuda.turn.take(false) else { return Ok(false) };
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            GraphState::Captured(captured) if !captured.has_host_steps => {
                captured.graphs.iter().try_for_each(|graph| self.cuda.device.replay(graph))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// Checks that the buffers of results overlap neither with each other nor with those of inputs.
fn check_overlap(feeds: &[DeviceArray], into: &[DeviceArray]) -> Result<()> {
    let result = |(i, array): (usize, &DeviceArray)| (array.range(), Some(i));
    let mut ranges: Vec<_> = into.iter().enumerate().map(result).collect();
    ranges.extend(feeds.iter().map(|array| (array.range(), None)));
    ranges.sort_by_key(|(range, _)| range.start);
    // The ends of the results and of the inputs so far.
    let (mut results, mut inputs) = (0, 0);
    for (range, result) in ranges {
        let (end, other) = if result.is_some() { (results.max(inputs), "buffer") } else { (results, "result") };
        if end > range.start {
            let which = result.map_or("the buffer of an input".to_owned(), |i| format!("the buffer of result {i}"));
            return Err(invalid(format!("{which} at {:#x} overlaps with another {other}", range.start)));
        }
        let last = if result.is_some() { &mut results } else { &mut inputs };
        *last = range.end.max(*last);
    }
    Ok(())
}

/// Runs the steps on copies of the inputs.
fn run_steps(cuda: &Context, feeds: Feeds, steps: &mut Steps) -> Result<Vec<DeviceArray>> {
    let inputs = feeds.types().iter().map(|(dtype, shape)| cuda.allocate(*dtype, shape)).collect::<Result<Vec<_>>>()?;
    feeds.copy_to(cuda, &inputs)?;
    drop(feeds);
    // A captured run reads its inputs on every replay, so their memory is not reused by later steps.
    let kept = inputs.clone();
    let results = steps(inputs);
    drop(kept);
    results
}

/// Captures the steps in an arena that is laid out for the traced allocations.
fn capture(
    cuda: &Context,
    trace: &Trace,
    inputs: &Feeds,
    has_host_steps: bool,
    steps: &mut Steps,
) -> Result<CapturedRun> {
    // Release the memory of the previous run first, as the arena replaces it.
    cuda.pool.release();
    let arena = cuda.pool.arena(trace)?;
    let run = || -> Result<_> {
        let types = inputs.types();
        let feeds = types.iter().map(|(dtype, shape)| cuda.allocate(*dtype, shape)).collect::<Result<Vec<_>>>()?;
        inputs.copy_to(cuda, &feeds)?;
        let (graphs, results) = cuda.device.capture(has_host_steps, || steps(feeds.clone()))?;
        Ok((graphs, feeds, results))
    };
    let (graphs, feeds, results) = cuda.pool.with_arena(&arena, 0, run)?;
    Ok(CapturedRun { graphs, arena, feeds, results, has_host_steps })
}
