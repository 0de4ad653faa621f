//! The two files of a pair stay one, whatever happens: faults at each system call, kills, several writers and readers.
use super::cli::tpulang;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};
use tpulang::{Array, Dtype, Graph, mlir, spec};

/// More where more is asked for: `TPULANG_ROUNDS=1000 cargo test --release --test suite pair::`.
fn rounds() -> usize {
    std::env::var("TPULANG_ROUNDS").map_or(20, |n| n.parse().expect("a number"))
}

/// Two networks of one name, that differ in weights alone: all 1, all 2.
struct Models {
    dir: tempfile::TempDir,
    specs: [PathBuf; 2],
}

fn graph(value: f32, width: usize) -> Graph {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [width]).unwrap();
    let first = g.add(x, Array::from(vec![value; width])).call().unwrap();
    let y = g.add(first, Array::from(vec![value; width])).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    g
}

impl Models {
    fn new(width: usize) -> Models {
        let dir = tempfile::tempdir().unwrap();
        let specs = [1u8, 2].map(|value| {
            let path = dir.path().join(format!("{value}.json"));
            spec::save(&graph(value.into(), width), &path).unwrap();
            path
        });
        fs::create_dir(dir.path().join("out")).unwrap();
        Models { dir, specs }
    }
    fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }
    fn convert(&self, which: usize) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpulang"));
        command.arg("convert").arg(&self.specs[which % 2]).arg("-o").arg(self.out());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
    /// Which of the two lies there; none where there is no `.mlir`. Weights of both, or of none, fail the test.
    fn found(&self) -> Option<f32> {
        let mlir = self.out().join("net_origin.mlir");
        if !mlir.exists() {
            return None;
        }
        let g = mlir::read(&mlir, None).unwrap();
        let numbers: Vec<f32> = mlir::emit(&g)
            .unwrap()
            .weights
            .iter()
            .flat_map(|(_, data)| data.view::<f32>().unwrap().iter().copied().collect::<Vec<_>>())
            .collect();
        assert!(numbers.iter().all(|v| *v == numbers[0]), "a torn pair");
        Some(numbers[0])
    }
    fn no_litter(&self) {
        assert!(self.convert(0).status().unwrap().success());
        let names: Vec<_> = fs::read_dir(self.out()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}

/// Converts the second model under strace, which makes the `when`th call of `syscall` fail or kill. Gives what became of
/// it, and whether there was such a call.
fn with_fault(models: &Models, syscall: &str, fault: &str, when: usize) -> (Option<i32>, bool) {
    let log = models.dir.path().join("strace.log");
    let inject = format!("inject={syscall}:{fault}:when={when}");
    let status = Command::new("strace")
        .args(["-f", "-qq", "-e", &format!("trace={syscall}"), "-e", &inject, "-o"])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_tpulang"))
        .arg("convert")
        .arg(&models.specs[1])
        .arg("-o")
        .arg(models.out())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("strace is needed; `make setup` installs it");
    let log = fs::read_to_string(&log).unwrap_or_default();
    (status.code(), log.contains("INJECTED") || log.contains("killed by SIGKILL"))
}

#[test]
fn a_fault_at_any_system_call_leaves_a_pair() {
    let models = Models::new(4);
    let mut struck = 0;
    for syscall in ["openat", "write", "fsync", "linkat,link", "rename,renameat,renameat2", "unlink,unlinkat"] {
        for fault in ["error=EIO", "signal=KILL"] {
            for when in 1.. {
                assert!(models.convert(0).status().unwrap().success());
                let (code, injected) = with_fault(&models, syscall, fault, when);
                if !injected {
                    assert_eq!(code, Some(0), "{syscall} {fault} {when}");
                    break;
                }
                struck += 1;
                let found = models.found();
                let expected = match (fault, code) {
                    // A folder that cannot be synced, or locked, or listed, or a name that cannot be removed, is no error.
                    (_, Some(0)) => vec![Some(2.0)],
                    // The last is the line that says that all went well.
                    ("error=EIO", _) if syscall == "write" => vec![Some(1.0), Some(2.0)],
                    ("error=EIO", _) => vec![Some(1.0)],
                    _ => vec![Some(1.0), Some(2.0), None],
                };
                assert!(expected.contains(&found), "{syscall} {fault} {when}: exit {code:?}, {found:?}");
                models.no_litter();
            }
        }
    }
    assert!(struck > 30, "{struck} faults");
}

#[test]
fn a_file_that_another_takes_away_is_no_error() {
    let models = Models::new(4);
    let mut struck = 0;
    for when in 1.. {
        assert!(models.convert(0).status().unwrap().success());
        let (code, injected) = with_fault(&models, "access,faccessat,faccessat2", "error=ENOENT", when);
        assert_eq!((code, models.found()), (Some(0), Some(2.0)), "access {when}");
        if !injected {
            break;
        }
        struck += 1;
    }
    assert!(struck >= 4, "{struck} faults");
}

#[test]
fn a_kill_at_any_time_leaves_a_pair() {
    let models = Models::new(1 << 16);
    assert!(models.convert(0).status().unwrap().success());
    for round in 0..rounds() {
        let mut child = models.convert(round).spawn().unwrap();
        thread::sleep(Duration::from_micros((round * 379 % 30_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        models.found();
    }
    models.no_litter();
}

#[test]
fn two_writers_leave_one_pair() {
    let models = Models::new(1 << 12);
    for _ in 0..rounds() {
        let children = [0, 1].map(|which| models.convert(which).stderr(Stdio::piped()).spawn().unwrap());
        for child in children {
            let out = child.wait_with_output().unwrap();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        }
        assert!(models.found().is_some());
    }
    models.no_litter();
}

#[test]
fn readers_see_one_pair_or_the_other() {
    let models = Models::new(1 << 12);
    assert!(models.convert(0).status().unwrap().success());
    let feeds = models.dir.path().join("x.npz");
    tpulang::array::write_npz(&feeds, [("x", &Array::from(vec![0f32; 1 << 12]))]).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for which in 0.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                assert!(models.convert(which).status().unwrap().success());
            }
        });
        let read = || {
            for _ in 0..rounds() {
                let value = run(&models.out().join("net_origin.mlir"), &feeds, &models.dir.path().join("y.npz"));
                assert!(value == 2.0 || value == 4.0, "{value}");
            }
        };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        done.store(true, Ordering::Relaxed);
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    models.no_litter();
}

fn run(mlir: &Path, feeds: &Path, result: &Path) -> f32 {
    let [mlir, feeds, to] = [mlir, feeds, result].map(|p| p.to_str().unwrap());
    let out = tpulang(&["run", mlir, "-i", feeds, "-o", to]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let y = &tpulang::array::read_npz(result).unwrap()["y"];
    let y = y.view::<f32>().unwrap();
    assert!(y.iter().all(|v| *v == y[0]), "a torn pair was read");
    y[0]
}
