//! Captures the work of a run as CUDA graphs and replays them.
//!
//! A run that uses only the GPU is one graph. A step on the CPU ends the current graph, which is launched so that the step
//! has its operands; the next launch begins another graph.
use super::{
    device::failure,
    driver::{Gpu, locked},
    tape::{CapturedGraph, Tape},
};
use crate::base::Result;
use cudarc::driver::{
    result::{graph, stream},
    sys,
};
use std::{sync::Arc, thread};

/// The graphs of a run, in order, and what the run returned.
type CapturedSteps<T> = (Vec<Arc<CapturedGraph>>, T);

impl Gpu {
    /// Runs `steps` and captures the work that they submit in this thread. Only one run is captured at a time.
    ///
    /// # Errors
    /// Returns an error if a step fails or cannot be captured.
    pub fn capture<T>(&self, has_host_steps: bool, steps: impl FnOnce() -> Result<T>) -> Result<CapturedSteps<T>> {
        let (tape, result) = self.with_tape(Vec::new(), None, steps)?;
        if tape.has_foreign_work && has_host_steps {
            return Err(failure("CUDA", "other code launches kernels, and some steps run on the CPU"));
        }
        Ok((tape.graphs, result))
    }
    /// Runs `steps` again, launching the captured graphs instead of the work that the steps submit in this thread.
    ///
    /// # Errors
    /// Returns an error if a step fails.
    pub fn replay_steps<T>(&self, graphs: &[Arc<CapturedGraph>], steps: impl FnOnce() -> Result<T>) -> Result<T> {
        Ok(self.with_tape(graphs.to_vec(), Some(0), steps)?.1)
    }
    fn with_tape<T>(
        &self,
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

    /// Returns the stream for launches by other code in this thread.
    pub fn stream_for_others(&self) -> sys::CUstream {
        // The next launch reports any error.
        let _ = self.begin_work();
        if let Some(tape) = locked(&self.tape).as_mut().filter(|tape| tape.is_of_this_thread()) {
            tape.has_foreign_work = true;
        }
        self.current_stream()
    }
    /// Runs `compute` with capture and replay suspended in this thread.
    ///
    /// # Errors
    /// Returns an error if the previously submitted work cannot be captured.
    pub fn suspended<T>(&self, compute: impl FnOnce() -> Result<T>) -> Result<T> {
        self.end_graph()?;
        let tape = locked(&self.tape).take_if(|tape| tape.is_of_this_thread());
        let _resume = Resume { gpu: self, tape };
        compute()
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
        let tape = locked(&self.gpu.tape).take_if(|tape| tape.is_of_this_thread());
        if tape.is_some_and(|tape| tape.captures()) {
            // SAFETY: the capture was begun by `begin_work`; the graph has no other owner.
            let _ = unsafe { stream::end_capture(self.gpu.recorder).map(|graph| graph::destroy(graph)) };
        }
    }
}
