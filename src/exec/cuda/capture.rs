//! Captures the work of a run as CUDA graphs, and replays them.
//!
//! A run on the GPU alone is one graph. A step on the CPU ends a graph, which is launched so that the step finds its operands; the
//! next launch begins another.
use super::{
    device::failure,
    driver::{Gpu, in_words, locked},
};
use crate::base::Result;
use cudarc::driver::{
    result::{DriverError, graph, stream},
    sys,
};
use std::{
    sync::Arc,
    thread::{self, ThreadId},
};

/// A run of one thread that is being captured or replayed.
pub(super) struct Tape {
    thread: ThreadId,
    /// The graphs of the run: those captured so far, or those to replay.
    graphs: Vec<Arc<CapturedGraph>>,
    /// The next graph to replay; `None` while the run is captured.
    next: Option<usize>,
    /// Whether work has been submitted since the last graph ended.
    is_open: bool,
    /// Whether other code may have submitted work to the stream.
    has_foreign_work: bool,
}

/// The graphs of a run, in order, and what the run returned.
type Captured<T> = (Vec<Arc<CapturedGraph>>, T);

impl Gpu {
    /// Runs `steps`, and captures the work that they submit in this thread. One run is captured at a time.
    ///
    /// # Errors
    /// Returns an error if a step fails or cannot be captured.
    pub fn capture<T>(
        self: &Arc<Self>,
        has_host_steps: bool,
        steps: impl FnOnce() -> Result<T>,
    ) -> Result<Captured<T>> {
        let (tape, result) = self.with_tape(Vec::new(), None, steps)?;
        if tape.has_foreign_work && has_host_steps {
            return Err(failure("CUDA", "other code launches kernels, and some steps run on the CPU"));
        }
        Ok((tape.graphs, result))
    }
    /// Runs `steps` again; the captured graphs are launched in place of the work that the steps submit in this thread.
    ///
    /// # Errors
    /// Returns an error if a step fails.
    pub fn replay_steps<T>(
        self: &Arc<Self>,
        graphs: &[Arc<CapturedGraph>],
        steps: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        Ok(self.with_tape(graphs.to_vec(), Some(0), steps)?.1)
    }
    fn with_tape<T>(
        self: &Arc<Self>,
        graphs: Vec<Arc<CapturedGraph>>,
        next: Option<usize>,
        steps: impl FnOnce() -> Result<T>,
    ) -> Result<(Tape, T)> {
        self.enter()?;
        let thread = thread::current().id();
        *locked(&self.tape) = Some(Tape { thread, graphs, next, is_open: false, has_foreign_work: false });
        let _end = TapeEnd { gpu: self };
        let result = steps()?;
        self.end_graph()?;
        let tape = locked(&self.tape).take().ok_or_else(|| failure("CUDA", "internal error: the capture is lost"))?;
        Ok((tape, result))
    }

    /// Prepares to submit work of this thread. Returns `false` if a graph that is replayed contains the work already.
    ///
    /// # Errors
    /// Returns an error if a capture cannot begin.
    pub fn begin_work(&self) -> Result<bool> {
        let mut tape = locked(&self.tape);
        let Some(tape) = tape.as_mut().filter(|tape| tape.thread == thread::current().id()) else { return Ok(true) };
        if !tape.is_open && tape.next.is_none() {
            let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            // SAFETY: the stream is alive; `end_graph` or `TapeEnd` ends the capture.
            unsafe { stream::begin_capture(self.recorder, mode) }.map_err(in_words("capturing launches"))?;
        }
        tape.is_open = true;
        Ok(tape.next.is_none())
    }
    /// The stream for this thread's work: the only one, except while this thread captures its launches.
    pub fn current_stream(&self) -> sys::CUstream {
        let tape = locked(&self.tape);
        let captures = tape.as_ref().is_some_and(|tape| tape.thread == thread::current().id() && tape.captures());
        if captures { self.recorder } else { self.stream }
    }
    /// The stream for launches of other code in this thread.
    pub fn stream_for_others(&self) -> sys::CUstream {
        // An error shows in the next launch.
        let _ = self.begin_work();
        if let Some(tape) = locked(&self.tape).as_mut().filter(|tape| tape.thread == thread::current().id()) {
            tape.has_foreign_work = true;
        }
        self.current_stream()
    }
    /// Ends the graph of this thread's work, if there is any, and launches it.
    ///
    /// # Errors
    /// Returns an error if the work cannot be captured.
    pub fn end_graph(self: &Arc<Self>) -> Result<()> {
        let mut tape = locked(&self.tape);
        let is_mine = |tape: &&mut Tape| tape.thread == thread::current().id() && tape.is_open;
        let Some(tape) = tape.as_mut().filter(is_mine) else { return Ok(()) };
        tape.is_open = false;
        let graph = match &mut tape.next {
            None => {
                // SAFETY: the capture was begun by `begin_work`.
                let graph = unsafe { stream::end_capture(self.recorder) }.map_err(in_words("capturing launches"))?;
                let graph = Arc::new(CapturedGraph::new(self, graph)?);
                tape.graphs.push(graph.clone());
                graph
            }
            Some(next) => {
                *next += 1;
                let missing =
                    || failure("CUDA", "internal error: a replayed run has more graphs than the captured one");
                tape.graphs.get(*next - 1).cloned().ok_or_else(missing)?
            }
        };
        self.replay(&graph)
    }
    /// Launches a graph.
    ///
    /// # Errors
    /// Returns an error if earlier work has failed.
    pub fn replay(&self, captured: &CapturedGraph) -> Result<()> {
        self.enter()?;
        // SAFETY: graph and stream are alive.
        unsafe { graph::launch(captured.graph, self.stream) }.map_err(in_words("running kernels"))
    }
    /// Runs `compute`, during which this thread captures and replays nothing.
    ///
    /// # Errors
    /// Returns an error if the work submitted before cannot be captured.
    pub fn suspended<T>(self: &Arc<Self>, compute: impl FnOnce() -> Result<T>) -> Result<T> {
        self.end_graph()?;
        let tape = locked(&self.tape).take_if(|tape| tape.thread == thread::current().id());
        let _resume = Resume { gpu: self, tape };
        compute()
    }
}

impl Tape {
    fn captures(&self) -> bool {
        self.is_open && self.next.is_none()
    }
}

/// Restores a tape, also after a panic.
struct Resume<'g> {
    gpu: &'g Gpu,
    tape: Option<Tape>,
}

impl Drop for Resume<'_> {
    fn drop(&mut self) {
        if let Some(tape) = self.tape.take() {
            *locked(&self.gpu.tape) = Some(tape);
        }
    }
}

/// Ends a capture after an error or a panic.
struct TapeEnd<'g> {
    gpu: &'g Gpu,
}

impl Drop for TapeEnd<'_> {
    fn drop(&mut self) {
        let tape = locked(&self.gpu.tape).take_if(|tape| tape.thread == thread::current().id());
        if tape.is_some_and(|tape| tape.captures()) {
            // SAFETY: the capture was begun by `begin_work`; nobody else has the graph.
            let _ = unsafe { stream::end_capture(self.gpu.recorder).map(|graph| graph::destroy(graph)) };
        }
    }
}

/// An executable graph. The memory at the addresses in it must live as long.
pub(super) struct CapturedGraph {
    graph: sys::CUgraphExec,
    /// Keeps the context.
    _gpu: Arc<Gpu>,
}

impl CapturedGraph {
    fn new(gpu: &Arc<Gpu>, captured: sys::CUgraph) -> Result<CapturedGraph> {
        // SAFETY: the graph is the caller's; the executable one does not need it any more.
        let executable: std::result::Result<_, DriverError> = unsafe {
            let executable = graph::instantiate(captured, sys::CUgraphInstantiate_flags(0));
            let _ = graph::destroy(captured);
            executable
        };
        Ok(CapturedGraph { graph: executable.map_err(in_words("capturing launches"))?, _gpu: gpu.clone() })
    }
}

// SAFETY: an executable graph belongs to a context that is retained by the device; it is launched under the driver's own lock.
unsafe impl Send for CapturedGraph {}
// SAFETY: as above.
unsafe impl Sync for CapturedGraph {}

impl Drop for CapturedGraph {
    fn drop(&mut self) {
        // SAFETY: it was instantiated, and is destroyed once; running launches are finished by the driver.
        let _ = unsafe { graph::exec_destroy(self.graph) };
    }
}
