//! What a command is doing, on standard error, if it takes longer than a second and a person watches.
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{IsTerminal, Write, stderr},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};
use tpulang::exec::RunOptions;

/// A command that is shorter shows nothing.
const DELAY: Duration = Duration::from_secs(1);
const REDRAW: Duration = Duration::from_millis(100);

/// The display of one task. Clones share it.
#[derive(Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Counts a part of the task.
    pub fn advance(&self) {
        self.0.inc(1);
    }
}

/// What is known of a task.
#[derive(Clone, Copy)]
pub enum Size {
    Unknown,
    /// It has this many parts.
    Parts(usize),
    /// Its parts, which have this name, are counted.
    Counted(&'static str),
}

/// How much is shown of what a command is doing.
#[derive(Clone, Copy, PartialEq)]
pub enum Verbosity {
    /// Nothing.
    Quiet,
    /// Tasks that take longer than a second, on a terminal.
    Normal,
    /// Also the time of each task, when it is done.
    Verbose,
}

static VERBOSITY: Mutex<Verbosity> = Mutex::new(Verbosity::Normal);

/// Sets how much is shown, for the whole process.
pub fn set_verbosity(verbosity: Verbosity) {
    *VERBOSITY.lock().unwrap_or_else(PoisonError::into_inner) = verbosity;
}

fn verbosity() -> Verbosity {
    *VERBOSITY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a task and displays it meanwhile. `what` says what is done: "running". Nothing is left of the display afterwards,
/// but for the time that it took if the user wants to know.
pub fn during<T>(what: &'static str, size: Size, task: impl FnOnce(&Progress) -> T) -> T {
    let begun = Instant::now();
    let result = displayed(what, size, task);
    if verbosity() == Verbosity::Verbose {
        // Nothing can be done if standard error is closed.
        let _ = writeln!(stderr(), "{:9.3} s  {what}", begun.elapsed().as_secs_f64());
    }
    result
}

fn displayed<T>(what: &'static str, size: Size, task: impl FnOnce(&Progress) -> T) -> T {
    if verbosity() == Verbosity::Quiet || !stderr().is_terminal() {
        return task(&Progress(ProgressBar::hidden()));
    }
    let parts = if let Size::Parts(parts) = size { Some(parts as u64) } else { None };
    let bar = ProgressBar::with_draw_target(parts, ProgressDrawTarget::hidden());
    bar.set_style(style(size));
    bar.set_message(what);
    let (done, wait) = channel::<()>();
    let shown = bar.clone();
    let drawing = thread::spawn(move || {
        if wait.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
            shown.set_draw_target(ProgressDrawTarget::stderr());
            while wait.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                shown.tick();
            }
        }
        shown.finish_and_clear();
    });
    // If the task panics, the channel is closed too, and the thread ends.
    let result = task(&Progress(bar));
    drop(done);
    let _ = drawing.join();
    result
}

fn style(size: Size) -> ProgressStyle {
    let template = match size {
        Size::Unknown => "{spinner} {msg} ({elapsed})".to_owned(),
        Size::Parts(_) => "{msg} {wide_bar} {pos} of {len} ({elapsed})".to_owned(),
        Size::Counted(part) => format!("{{spinner}} {{msg}}: {part} {{pos}} ({{elapsed}})"),
    };
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Counts the operators that a session prepares, and the steps that it runs.
#[derive(Clone, Default)]
pub struct StepCounter(Arc<Mutex<Option<Progress>>>);

impl StepCounter {
    /// Returns options with which a session calls the counter, if anybody watches.
    pub fn counting(&self, options: &RunOptions) -> RunOptions {
        if !stderr().is_terminal() {
            return options.clone();
        }
        let StepCounter(current) = self.clone();
        options.clone().interrupt(move || {
            current.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Progress::advance);
            false
        })
    }
    /// Runs a task of a session and displays it meanwhile.
    pub fn during<T>(&self, what: &'static str, parts: &'static str, task: impl FnOnce() -> T) -> T {
        let StepCounter(current) = self;
        let set = |progress| *current.lock().unwrap_or_else(PoisonError::into_inner) = progress;
        during(what, Size::Counted(parts), |progress| {
            set(Some(progress.clone()));
            let result = task();
            set(None);
            result
        })
    }
}
