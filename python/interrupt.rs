//! Work without Python's lock, which Ctrl-C ends.
use crate::errors::exception;
use pyo3::{intern, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    time::Duration,
};
use tpulang::Result;

/// The time between two looks for a signal.
const PAUSE: Duration = Duration::from_millis(50);

/// The thread that works while Python's main thread, which alone handles signals, looks for them.
static WORKER: LazyLock<Option<ThreadPool>> = LazyLock::new(|| ThreadPoolBuilder::new().num_threads(1).build().ok());

/// Runs `work` without Python's lock. If a signal arrives whose handler raises an exception, such as that of Ctrl-C, sets
/// `ends`, which `work` looks at, and raises the exception when `work` has ended.
///
/// # Errors
/// Returns the exception of a signal, or that of the work.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    ends: &AtomicBool,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    let worker = if is_main_thread(py)? { WORKER.as_ref() } else { None };
    let Some(worker) = worker else {
        return py.detach(work).map_err(|error| exception(py, &error));
    };
    let mut raised = None;
    let result = py.detach(|| watched(worker, ends, &mut raised, work));
    match raised {
        Some(raised) => Err(raised),
        None => result.map_err(|error| exception(py, &error)),
    }
}

fn watched<T: Send>(
    worker: &ThreadPool,
    ends: &AtomicBool,
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
                ends.store(true, Ordering::Relaxed);
            }
        }
    });
    ends.store(false, Ordering::Relaxed);
    result.unwrap_or_else(|| Err(tpulang::Error::new("internal error: the work has not ended")))
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import(intern!(py, "threading"))?;
    let main = threading.call_method0(intern!(py, "main_thread"))?.getattr(intern!(py, "ident"))?;
    main.eq(threading.call_method0(intern!(py, "get_ident"))?)
}
