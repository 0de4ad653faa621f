//! Work without Python's lock, which Ctrl-C ends.
use crate::errors::exception;
use pyo3::{intern, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{
    sync::{
        LazyLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    time::Duration,
};
use tpulang::Result;

/// The time between two looks for a signal.
const PAUSE: Duration = Duration::from_millis(50);

/// The thread that works while Python's main thread, which alone handles signals, looks for them.
static WORKER: LazyLock<Worker> = LazyLock::new(|| Worker {
    process: std::process::id(),
    thread: ThreadPoolBuilder::new().num_threads(1).build().ok(),
});
/// Whether it works: a handler of a signal runs something itself.
static IS_BUSY: AtomicBool = AtomicBool::new(false);

struct Worker {
    /// The process that the thread belongs to: one that is forked from it has no such thread.
    process: u32,
    thread: Option<ThreadPool>,
}

/// Ends the runs of a session.
#[derive(Default)]
pub struct Ends {
    is_asked: AtomicBool,
    runs: AtomicUsize,
}

impl Ends {
    /// Returns whether runs are to end.
    pub fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }
    /// Counts a run, until the result is dropped. The last one that ends withdraws the request.
    fn begin(&self) -> impl Drop + use<'_> {
        struct Run<'a>(&'a Ends);
        impl Drop for Run<'_> {
            fn drop(&mut self) {
                if self.0.runs.fetch_sub(1, Ordering::AcqRel) == 1 {
                    self.0.is_asked.store(false, Ordering::Relaxed);
                }
            }
        }
        self.runs.fetch_add(1, Ordering::AcqRel);
        Run(self)
    }
}

/// Runs `work` without Python's lock. If a signal arrives whose handler raises an exception, such as that of Ctrl-C, asks
/// `ends`, which `work` looks at, and raises the exception when `work` has ended.
///
/// # Errors
/// Returns the exception of a signal, or that of the work.
pub fn interruptible<T: Send>(py: Python<'_>, ends: &Ends, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let _run = ends.begin();
    let is_free = is_main_thread(py)? && !IS_BUSY.load(Ordering::Relaxed);
    let Some(worker) = WORKER.thread.as_ref().filter(|_| is_free && WORKER.process == std::process::id()) else {
        return py.detach(work).map_err(|error| exception(py, &error));
    };
    let mut raised = None;
    IS_BUSY.store(true, Ordering::Relaxed);
    let result = py.detach(|| watched(worker, ends, &mut raised, work));
    IS_BUSY.store(false, Ordering::Relaxed);
    match raised {
        Some(raised) => Err(raised),
        None => result.map_err(|error| exception(py, &error)),
    }
}

fn watched<T: Send>(
    worker: &ThreadPool,
    ends: &Ends,
    raised: &mut Option<PyErr>,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let (done, is_done) = channel::<()>();
    let mut result = None;
    worker.in_place_scope(|scope| {
        scope.spawn(|_| {
            // Dropped when the work ends, also by a panic.
            let _done = done;
            result = Some(work());
        });
        while is_done.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
            if let (None, Err(exception)) = (&raised, Python::attach(|py| py.check_signals())) {
                *raised = Some(exception);
                ends.is_asked.store(true, Ordering::Relaxed);
            }
        }
    });
    result.unwrap_or_else(|| Err(tpulang::Error::new("internal error: the work has not ended")))
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import(intern!(py, "threading"))?;
    let main = threading.call_method0(intern!(py, "main_thread"))?.getattr(intern!(py, "ident"))?;
    main.eq(threading.call_method0(intern!(py, "get_ident"))?)
}
