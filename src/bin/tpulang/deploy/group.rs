//! Process groups: a signal that ends tpulang also ends the program that it runs, and the processes started by that program.
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    fs, io,
    os::unix::process::CommandExt,
    process::{Command, ExitStatus},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// The group of the program that runs.
static RUNNING: Mutex<Option<Pid>> = Mutex::new(None);

fn running() -> MutexGuard<'static, Option<Pid>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a program in a process group of its own and waits for it. If SIGHUP, SIGINT, SIGQUIT or SIGTERM ends tpulang, SIGTERM is sent
/// to that group first. Ctrl-Z stops tpulang only.
///
/// # Errors
/// Returns an error if the program cannot be started.
pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
    // A signal that arrives meanwhile waits until the group is known.
    let mut group = running();
    watch_signals()?;
    let mut child = command.process_group(0).spawn()?;
    let id = Pid::from_child(&child);
    *group = Some(id);
    drop(group);
    // Until the child is waited for, no other process gets its number.
    let _ = waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    *running() = None;
    child.wait()
}

/// Starts the thread that handles signals, once. The caller holds the lock of [`RUNNING`].
fn watch_signals() -> io::Result<()> {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.load(Ordering::Relaxed) {
        return Ok(());
    }
    let ignored = ignored_signals();
    let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
    let mut signals = Signals::new(all.into_iter().filter(|s| ignored >> (s - 1) & 1 == 0))?;
    thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            let group = running();
            if let Some(group) = *group {
                // Fails only if all processes of the group have ended.
                let _ = kill_process_group(group, Signal::TERM);
            }
            let _ = emulate_default_handler(signal);
        }
    })?;
    BEGUN.store(true, Ordering::Relaxed);
    Ok(())
}

/// Returns the signals that the process ignores, such as SIGHUP under nohup: bit `n - 1` is signal `n`.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
