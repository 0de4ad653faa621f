//! Process groups: a signal that ends tpulang ends the program that it runs, too, and what that program has started.
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    fs, io,
    os::unix::process::CommandExt,
    process::{Command, ExitStatus},
    sync::{Mutex, MutexGuard, Once, PoisonError},
    thread,
};

/// The group of the program that runs.
static RUNNING: Mutex<Option<Pid>> = Mutex::new(None);

fn running() -> MutexGuard<'static, Option<Pid>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a program in a process group of its own and waits for it. If SIGINT, SIGTERM or SIGHUP ends tpulang, all processes of
/// the group are terminated first.
///
/// # Errors
/// Returns an error if the program cannot be started.
pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
    watch_signals()?;
    // A signal that arrives meanwhile waits until the group is known.
    let mut group = running();
    let mut child = command.process_group(0).spawn()?;
    *group = Some(Pid::from_child(&child));
    drop(group);
    let status = child.wait();
    *running() = None;
    status
}

fn watch_signals() -> io::Result<()> {
    static BEGIN: Once = Once::new();
    if BEGIN.is_completed() {
        return Ok(());
    }
    let ignored = ignored_signals();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| ignored >> (s - 1) & 1 == 0))?;
    BEGIN.call_once(|| {
        thread::spawn(move || {
            for signal in signals.forever() {
                let group = running();
                if let Some(group) = *group {
                    // Fails only if all processes of the group have ended.
                    let _ = kill_process_group(group, Signal::TERM);
                }
                let _ = emulate_default_handler(signal);
            }
        });
    });
    Ok(())
}

/// Returns the signals that the process ignores, such as SIGHUP under nohup: bit `n - 1` is signal `n`.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
