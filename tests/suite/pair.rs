//! A pair of files (a module or a spec, and its weights) is complete at every instant: after failures and kills at each
//! system call, and with concurrent writers and readers.
use super::cli::tpulang;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};
use tpulang::{Array, Dtype, Graph, exec, mlir, spec};

/// Number of random kills. For more: `TPULANG_ROUNDS=1000 cargo test --test suite pair::`.
fn rounds() -> usize {
    std::env::var("TPULANG_ROUNDS").map_or(20, |n| n.parse().expect("a number"))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Module,
    Spec,
}
use Kind::{Module, Spec};

/// Two networks with the same name, which add 1 twice and 2 twice: once as weights, once as a number in the text. The folder
/// `out` contains one of them.
struct Models {
    kind: Kind,
    width: usize,
    dir: tempfile::TempDir,
}

fn graph(name: &str, value: f32, width: usize) -> Graph {
    let mut g = Graph::new(name).unwrap();
    let x = g.input("x", Dtype::Float32, [width]).unwrap();
    let first = g.add(x, Array::from(vec![value; width])).call().unwrap();
    let y = g.add(first, value).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    g
}

/// A hidden file of another model.
const FOREIGN: &str = ".tpulang-weights0-third_origin.mlir.npz";

const SAVE: &str = "TPULANG_TEST_SAVE";

#[test]
#[ignore = "a process that saves a spec"]
fn saver() {
    let asked = std::env::var(SAVE).unwrap();
    let [value, width, path] = asked.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    spec::save(&graph("net", value.parse().unwrap(), width.parse().unwrap()), path).unwrap();
}

impl Models {
    fn new(kind: Kind, width: usize) -> Models {
        let models = Models { kind, width, dir: tempfile::tempdir().unwrap() };
        fs::create_dir(models.out()).unwrap();
        fs::write(models.out().join(FOREIGN), "").unwrap();
        for value in [1u8, 2] {
            spec::save(&graph("net", value.into(), width), models.source(value)).unwrap();
        }
        models
    }
    fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }
    fn source(&self, value: u8) -> PathBuf {
        self.dir.path().join(format!("{value}.json"))
    }
    /// The file that refers to the weights.
    fn text(&self) -> PathBuf {
        self.out().join(if self.kind == Module { "net_origin.mlir" } else { "net.json" })
    }
    /// Returns the command that writes the first or the second model, wrapped in another command.
    fn write_by(&self, which: usize, by: &[&str]) -> Command {
        let value = 1 + (which % 2) as u8;
        let program = match self.kind {
            Module => env!("CARGO_BIN_EXE_tpulang").into(),
            Spec => std::env::current_exe().unwrap(),
        };
        let mut command = Command::new(by.first().map_or(program.as_os_str(), |by| by.as_ref()));
        if let [_, arguments @ ..] = by {
            command.args(arguments).arg(program);
        }
        match self.kind {
            Module => command.arg("convert").arg(self.source(value)).arg("-o").arg(self.out()),
            Spec => command
                .args(["pair::saver", "--exact", "--ignored"])
                .env(SAVE, format!("{value} {} {}", self.width, self.text().display())),
        };
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
    fn write(&self, which: usize) -> Command {
        self.write_by(which, &[])
    }
    /// Returns the sum that the model in the folder adds, 2 or 4, or `None` if there is no text.
    fn found(&self) -> Option<f32> {
        if !self.text().exists() {
            return None;
        }
        let g = match self.kind {
            Module => mlir::read(self.text(), None),
            Spec => spec::read(self.text(), spec::Weights::Load),
        };
        let feeds = [("x", Array::from(vec![0f32; self.width]))];
        let options = exec::RunOptions::default().threads(1);
        let results = exec::run(&g.unwrap(), &feeds, &exec::CpuBackend::new(), &options).unwrap();
        Some(sum(&results.tensors[0]))
    }
    /// Writes another model, which must not affect this one.
    fn write_another(&self) {
        let found = self.found();
        let other = mlir::write_pair(&graph("other", 1.0, self.width), self.out()).unwrap();
        assert_eq!(self.found(), found);
        [other.mlir, other.weights].iter().for_each(|path| fs::remove_file(path).unwrap());
    }
    /// The next writer removes the files of a killed one, and nothing else.
    fn no_litter(&self) {
        assert!(self.write(0).status().unwrap().success());
        let mut names: Vec<_> =
            fs::read_dir(self.out()).unwrap().flatten().map(|e| e.file_name().into_string().unwrap()).collect();
        names.sort();
        assert!(names.len() == 3 && names[0] == FOREIGN, "{names:?}");
    }
}

/// Writes the second model under strace, which lets the `when`th call of `syscall` fail or kills the process. Returns the
/// exit code, and whether there was such a call.
fn with_fault(models: &Models, syscall: &str, fault: &str, when: usize) -> (Option<i32>, bool) {
    let log = models.dir.path().join("strace.log");
    let (trace, inject) = (format!("trace={syscall}"), format!("inject={syscall}:{fault}:when={when}"));
    let strace = ["strace", "-f", "-qq", "-e", &trace, "-e", &inject, "-o", log.to_str().unwrap()];
    let status = models.write_by(1, &strace).status().expect("strace is needed; `make setup` installs it");
    let log = fs::read_to_string(&log).unwrap_or_default();
    (status.code(), log.contains("INJECTED") || log.contains("killed by SIGKILL"))
}

/// Generates a test per kind of model from each function.
macro_rules! of_either {
    ($($name:ident)*) => {
        mod of_a_module { $( #[test] fn $name() { super::$name(super::Module) } )* }
        mod of_a_spec { $( #[test] fn $name() { super::$name(super::Spec) } )* }
    };
}
of_either! {
    a_fault_at_any_system_call_leaves_a_pair
    a_file_that_another_takes_away_is_no_error
    a_kill_at_any_time_leaves_a_pair
    a_kill_of_the_first_write_leaves_nothing_or_a_pair
    two_writers_leave_one_pair
    readers_see_one_pair_or_the_other
}

fn a_fault_at_any_system_call_leaves_a_pair(kind: Kind) {
    let models = Models::new(kind, 4);
    let mut struck = 0;
    let syscalls =
        ["openat", "write", "fsync", "flock", "fchmod", "linkat,link", "rename,renameat,renameat2", "unlink,unlinkat"];
    for syscall in syscalls {
        for fault in ["error=EIO", "signal=KILL"] {
            for when in 1.. {
                assert!(models.write(0).status().unwrap().success());
                let (code, injected) = with_fault(&models, syscall, fault, when);
                if !injected {
                    assert_eq!(code, Some(0), "{syscall} {fault} {when}");
                    break;
                }
                struck += 1;
                let found = models.found();
                let expected = match (fault, code) {
                    // It is not an error if a folder cannot be synced, locked or listed, or an old name cannot be removed.
                    (_, Some(0)) => vec![Some(4.0)],
                    // If only the last step or the message fails, the new model is complete.
                    ("error=EIO", _) if !["openat", "fsync", "flock"].contains(&syscall) => vec![Some(2.0), Some(4.0)],
                    ("error=EIO", _) => vec![Some(2.0)],
                    _ => vec![Some(2.0), Some(4.0)],
                };
                assert!(expected.contains(&found), "{syscall} {fault} {when}: exit {code:?}, {found:?}");
                models.write_another();
                models.no_litter();
            }
        }
    }
    assert!(struck > 30, "{struck} faults");
}

fn a_file_that_another_takes_away_is_no_error(kind: Kind) {
    let models = Models::new(kind, 4);
    let mut struck = 0;
    for when in 1.. {
        assert!(models.write(0).status().unwrap().success());
        let (code, injected) = with_fault(&models, "access,faccessat,faccessat2", "error=ENOENT", when);
        assert_eq!((code, models.found()), (Some(0), Some(4.0)), "access {when}");
        if !injected {
            break;
        }
        struck += 1;
    }
    assert!(struck >= 3, "{struck} faults");
}

fn a_kill_at_any_time_leaves_a_pair(kind: Kind) {
    let models = Models::new(kind, 1 << 16);
    assert!(models.write(0).status().unwrap().success());
    for round in 0..rounds() {
        let mut child = models.write(round).spawn().unwrap();
        thread::sleep(Duration::from_micros((round * 379 % 30_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(models.found().is_some(), "round {round}");
    }
    models.no_litter();
}

/// Without an old model, there is no text until the new model is complete.
fn a_kill_of_the_first_write_leaves_nothing_or_a_pair(kind: Kind) {
    let models = Models::new(kind, 4);
    let mut complete = 0;
    for syscall in ["linkat,link", "rename,renameat,renameat2", "unlink,unlinkat"] {
        for when in 1.. {
            let _ = fs::remove_file(models.text());
            let (_, injected) = with_fault(&models, syscall, "signal=KILL", when);
            complete += usize::from(models.found().inspect(|v| assert_eq!(*v, 4.0)).is_some());
            if !injected {
                break;
            }
        }
    }
    assert!(complete >= 3);
}

fn two_writers_leave_one_pair(kind: Kind) {
    let models = Models::new(kind, 1 << 12);
    for _ in 0..rounds() {
        let children = [0, 1].map(|which| models.write(which).stderr(Stdio::piped()).spawn().unwrap());
        for child in children {
            let out = child.wait_with_output().unwrap();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        }
        assert!(models.found().is_some());
    }
    models.no_litter();
}

fn readers_see_one_pair_or_the_other(kind: Kind) {
    let models = Models::new(kind, 1 << 12);
    assert!(models.write(0).status().unwrap().success());
    let feeds = models.dir.path().join("x.npz");
    tpulang::array::write_npz(&feeds, [("x", &Array::from(vec![0f32; 1 << 12]))]).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for which in 0.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                assert!(models.write(which).status().unwrap().success());
            }
        });
        let read = || {
            for _ in 0..rounds() {
                run(&models.text(), &feeds, &models.dir.path().join("y.npz"));
            }
        };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        done.store(true, Ordering::Relaxed);
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    models.no_litter();
}

/// Returns the result of the command.
fn run(model: &Path, feeds: &Path, result: &Path) -> f32 {
    let [model, feeds, to] = [model, feeds, result].map(|p| p.to_str().unwrap());
    let out = tpulang(&["run", model, "-i", feeds, "-o", to]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    sum(&tpulang::array::read_npz(result).unwrap()["y"])
}

fn sum(y: &Array) -> f32 {
    let y = y.view::<f32>().unwrap();
    assert!([2.0, 4.0].contains(&y[0]) && y.iter().all(|v| *v == y[0]), "a torn pair was read: {y}");
    y[0]
}
