//! The state of a run that is captured as CUDA graphs or replays them.
use cudarc::driver::{
    result::{DriverError, graph},
    sys,
};
use std::{
    sync::Arc,
    thread::{self, ThreadId},
};

/// A run of one thread that is being captured or replayed.
pub(super) struct Tape {
    pub thread: ThreadId,
    /// The graphs of the run: those captured so far, or those to replay.
    pub graphs: Vec<Arc<CapturedGraph>>,
    /// The next graph to replay; `None` while the run is captured.
    pub next: Option<usize>,
    /// Whether work has been submitted since the last graph ended.
    pub is_open: bool,
    /// Whether other code may have submitted work to the stream.
    pub has_foreign_work: bool,
}

impl Tape {
    pub fn is_of_this_thread(&self) -> bool {
        self.thread == thread::current().id()
    }
    /// Whether launches are being captured.
    pub fn captures(&self) -> bool {
        self.is_open && self.next.is_none()
    }
}

/// An executable graph. The memory that it refers to must live as long.
pub(super) struct CapturedGraph {
    pub graph: sys::CUgraphExec,
}

impl CapturedGraph {
    /// Makes a captured graph executable.
    ///
    /// # Errors
    /// Returns an error if the driver rejects the graph.
    ///
    /// # Safety
    /// The caller must own the graph. The context must live as long as the result.
    pub unsafe fn new(captured: sys::CUgraph) -> std::result::Result<CapturedGraph, DriverError> {
        // SAFETY: same as for this function; the executable graph no longer needs the captured one.
        unsafe {
            let executable = graph::instantiate(captured, sys::CUgraphInstantiate_flags(0));
            let _ = graph::destroy(captured);
            Ok(CapturedGraph { graph: executable? })
        }
    }
}

// SAFETY: an executable graph belongs to a context that outlives it, as `new` requires; the driver's lock guards launches.
unsafe impl Send for CapturedGraph {}
// SAFETY: as above.
unsafe impl Sync for CapturedGraph {}

impl Drop for CapturedGraph {
    fn drop(&mut self) {
        // SAFETY: the graph was instantiated and is destroyed once; the driver finishes running launches.
        let _ = unsafe { graph::exec_destroy(self.graph) };
    }
}
