//! The CUDA backend without a GPU: `tests/emulated` replaces NVIDIA's driver by one that runs kernels on the CPU, and NVRTC
//! by one that compiles them with g++.
use super::{SplitMix, cases::cases, limits, snapshot};
use std::{
    collections::hash_map::DefaultHasher,
    ffi::OsStr,
    fs,
    hash::{Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};
use tpulang::{
    Array, Dtype, Graph,
    array::read_npz,
    conformance::{Case, Report, check},
    exec::{Comparison, CpuBackend, CudaBackend, RunOptions, Session, compare, run},
    mlir,
    ops::Conv,
};

const SOURCES: [(&str, &str); 3] = [
    ("cuda.cpp", include_str!("../emulated/cuda.cpp")),
    ("nvrtc.cpp", include_str!("../emulated/nvrtc.cpp")),
    ("emulated.h", include_str!("../emulated/emulated.h")),
];

/// NVIDIA's operator libraries.
const LIBRARIES: [(&str, &str); 4] = [
    ("convolution.h", include_str!("../emulated/convolution.h")),
    ("cublaslt.cpp", include_str!("../emulated/cublaslt.cpp")),
    ("cudnn.cpp", include_str!("../emulated/cudnn.cpp")),
    ("libraries.h", include_str!("../emulated/libraries.h")),
];

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Returns a folder of compiled sources, built on first use: `g++` runs once per list of arguments.
fn compiled(name: &str, sources: &[(&str, &str)], makes: &[&str], link: Option<(&str, &str)>) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (sources, makes, link).hash(&mut hasher);
    let folder = temporary().join(format!("{name}-{:x}", hasher.finish()));
    if folder.exists() {
        return folder;
    }
    let making = tempfile::tempdir_in(temporary()).unwrap();
    sources.iter().for_each(|(name, text)| fs::write(making.path().join(name), text).unwrap());
    for arguments in makes {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
        let options = ["-std=c++17", "-O1", "-fPIC", "-ffp-contract=off"];
        let mut command = Command::new(compiler);
        let out = command.args(options).args(arguments.split(' ')).current_dir(making.path()).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    if let Some((target, link)) = link {
        std::os::unix::fs::symlink(target, making.path().join(link)).unwrap();
    }
    // Another process may have built it first.
    drop(fs::rename(making.keep(), &folder));
    folder
}

/// Returns the folder of the emulated driver and NVRTC.
pub fn emulated() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let makes = [
            "-Wall -Wextra -Werror -shared -Wl,-soname,libcuda.so.1 cuda.cpp -o libcuda.so",
            "-Wall -Wextra -Werror -shared nvrtc.cpp -o libnvrtc.so",
            // The real compiler has a second file, which it opens by name.
            "-shared -x c++ /dev/null -Wl,-soname,libnvrtc-builtins.so.0.13 -o libnvrtc-builtins.so.0.13",
            // Compiled with the options of kernels, which must match for it to be used.
            "-w -x c++-header emulated.h -o emulated.h.gch",
        ];
        // The file name that libraries link to.
        compiled("emulated", &SOURCES, &makes, Some(("libcuda.so", "libcuda.so.1")))
    })
}

/// Returns the folder of the emulated cuBLASLt and cuDNN, which also need the driver's folder.
pub fn emulated_libraries() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // The folders are siblings.
        let driver = emulated().file_name().unwrap().display();
        let make = |source: &str, library: &str| {
            format!("-Wall -Wextra -Werror -O3 -shared {source} -L../{driver} -lcuda -o {library}")
        };
        // The real library forwards to other libraries.
        let part = |name: &str| format!("-shared -x c++ /dev/null -o libcudnn_{name}.so.9");
        let whole = [make("cublaslt.cpp", "libcublasLt.so"), make("cudnn.cpp", "libcudnn.so")];
        let makes: Vec<String> = whole.into_iter().chain(["graph", "ops", "cnn"].map(part)).collect();
        compiled("emulated-libraries", &LIBRARIES, &makes.iter().map(String::as_str).collect::<Vec<_>>(), None)
    })
}

/// Runs this test again with the emulated driver. Returns true if it passed there.
pub fn passed_emulated() -> bool {
    passed_with(emulated().as_os_str())
}

/// Runs this test again with all emulated libraries. Returns true if it passed there.
pub fn passed_emulated_with_libraries() -> bool {
    passed_with(&std::env::join_paths([emulated(), emulated_libraries()]).unwrap())
}

/// Runs this test again with all emulated libraries in one of their modes (`TPULANG_EMULATED`).
pub fn passed_emulated_as(mode: &str) -> bool {
    let libraries = std::env::join_paths([emulated(), emulated_libraries()]).unwrap();
    passed_in_mode(&libraries, Some(mode))
}

fn passed_with(libraries: &OsStr) -> bool {
    passed_in_mode(libraries, None)
}

fn passed_in_mode(libraries: &OsStr, mode: Option<&str>) -> bool {
    let thread = std::thread::current();
    let test = thread.name().unwrap();
    let (kernels, sources) = (temporary().join("kernels"), temporary().join("sources"));
    let variables: [(&str, &Path); 3] =
        [("LD_LIBRARY_PATH", libraries.as_ref()), ("TPULANG_CACHE", &kernels), ("TPULANG_SOURCES", &sources)];
    let mode = mode.map(|mode| ("TPULANG_EMULATED", Path::new(mode)));
    let variables: Vec<(&str, &Path)> = variables.into_iter().chain(mode).collect();
    limits::passed_alone_with(test, 1200, &variables)
}

/// Checks all cases on one GPU from several threads.
pub fn checked(cases: &[Case]) -> Report {
    let (backend, next) = (CudaBackend::new(0).unwrap(), AtomicUsize::new(0));
    let all = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = check(&backend, std::slice::from_ref(case), &RunOptions::default());
                    let mut all = all.lock().unwrap();
                    all.passed += one.passed;
                    all.failures.extend(one.failures);
                    all.summaries.extend(one.summaries);
                }
            });
        }
    });
    all.into_inner().unwrap()
}

/// Ops that deliberately run on the CPU, because their results depend on values step by step.
const ON_CPU: [&str; 6] = ["DetectionOutput", "FrcnDetection", "Nms", "NonZero", "Proposal", "YoloDetection"];

/// Returns the ops that fell back to the CPU: `cuda: 1 op, cpu: Nms x1`.
fn fallbacks(report: &Report) -> Vec<&str> {
    let lists = report.summaries.iter().filter_map(|s| Some(s.split_once(", cpu: ")?.1));
    let mut ops: Vec<&str> = lists.flat_map(|list| list.split(", ")).filter_map(|op| op.split(' ').next()).collect();
    ops.sort_unstable();
    ops.dedup();
    ops.retain(|op| !ON_CPU.contains(op));
    ops
}

#[test]
fn every_op_gives_the_expected_numbers() {
    if passed_emulated() {
        return;
    }
    let files = fs::read_dir("tests/ops").unwrap().flatten();
    let cases: Vec<Case> = files.flat_map(|f| Case::read(f.path()).unwrap()).collect();
    let report = checked(&cases);
    assert!(report.failures.is_empty() && report.passed > 500, "{report}");
    assert_eq!(fallbacks(&report), [""; 0], "ops that fell back to the CPU and are not in ON_CPU");
}

#[test]
fn recorded_graphs_match_the_cpu() {
    if passed_emulated() {
        return;
    }
    let cases = cases().into_iter().filter(|c| c.join("inputs.npz").exists());
    let report = checked(&cases.map(|c| Case::recorded(c).unwrap()).collect::<Vec<_>>());
    assert!(report.failures.is_empty() && report.passed > 100, "{report}");
    assert_eq!(fallbacks(&report), [""; 0]);
}

/// Creates a folder of these libraries, which replace the installed ones.
pub fn libraries(cuda: Option<&Path>, nvrtc: Option<&Path>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, library) in [("cuda", cuda), ("nvrtc", nvrtc)] {
        for end in ["", ".1", ".9", ".10", ".11", ".12", ".13"] {
            let path = folder.path().join(format!("lib{name}.so{end}"));
            match library {
                Some(library) => std::os::unix::fs::symlink(library, path).unwrap(),
                None => fs::write(path, "no library").unwrap(),
            }
        }
    }
    folder
}

/// A network with several inputs, tensors of many sizes, and an output that is also an inner tensor.
fn network() -> Graph {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 4, 9, 9]).unwrap();
    let bias = g.input("bias", Dtype::Float32, [1, 8, 1, 1]).unwrap();
    let weight =
        g.coefficient("w", Array::from_vec([8, 4, 3, 3], (0..288).map(|i| (i % 7) as f32 - 3.0).collect()).unwrap());
    let a = g.conv(x, weight.unwrap()).pad(1).call().unwrap();
    let b = g.add(a, bias).call().unwrap();
    let c = g.relu(b).out_name("c").call().unwrap();
    let d = g.softmax(c, -1).call().unwrap();
    let e = g.permute(d, [0, 2, 3, 1]).call().unwrap();
    let f = g.reduce(e).axes(1).out_name("f").call().unwrap();
    g.set_outputs(&[c, f]).unwrap();
    g
}

fn network_feeds(seed: u64) -> [(&'static str, Array); 2] {
    let mut numbers = SplitMix(seed);
    let mut of = |shape: &[usize]| {
        let n = shape.iter().product();
        Array::from_vec(shape.to_vec(), (0..n).map(|_| (numbers.next() % 1000) as f32 / 100.0 - 5.0).collect()).unwrap()
    };
    [("x", of(&[2, 4, 9, 9])), ("bias", of(&[1, 8, 1, 1]))]
}

#[test]
fn large_arrays_are_copied_by_several_threads() {
    if passed_emulated() {
        return;
    }
    for elements in [1_000_003, 4_200_001, 9_000_000] {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [elements]).unwrap();
        let y = g.mul(x, -1.0).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let session = Session::new(&g, CudaBackend::new(0).unwrap(), &RunOptions::default()).unwrap();
        let values: Vec<f32> = (0..elements).map(|i| i as f32).collect();
        let expected: Vec<f32> = values.iter().map(|x| -x).collect();
        let feeds = [("x", Array::from_vec([elements as usize], values).unwrap())];
        for _ in 0..3 {
            assert!(session.run(&feeds).unwrap()["y"].elements::<f32>().unwrap() == expected, "{elements}");
        }
    }
}

#[test]
fn runs_with_different_feeds_from_many_threads() {
    if passed_emulated() {
        return;
    }
    let g = network();
    let options = RunOptions::default();
    let ours = Session::new(&g, CudaBackend::new(0).unwrap(), &options).unwrap();
    let cpu = Session::new(&g, CpuBackend::new(), &options).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (ours, cpu) = (&ours, &cpu);
            scope.spawn(move || {
                let mut before = Vec::new();
                for i in 0..6 {
                    let feeds = network_feeds(100 * thread + i);
                    before.push((ours.run(&feeds).unwrap(), cpu.run(&feeds).unwrap()));
                }
                // Earlier results are unchanged by later runs.
                let is_close =
                    |c: &Comparison| matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 1e-5);
                assert!(before.iter().all(|(got, want)| compare(want, got).unwrap().values().all(is_close)));
            });
        }
    });
}

/// Work that one thread submits while another captures does not belong to the capture.
#[test]
fn sessions_are_created_during_captures() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let options = RunOptions::default();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (backend, options) = (&backend, &options);
            scope.spawn(move || {
                for round in 0..6 {
                    let g = network();
                    let feeds = network_feeds(thread * 10 + round);
                    let session = Session::new(&g, backend, options).unwrap();
                    let want = run(&g, &feeds, &CpuBackend::new(), options).unwrap().tensors;
                    for _ in 0..4 {
                        let got = session.run(&feeds).unwrap();
                        let is_close =
                            |c: &Comparison| matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 1e-5);
                        assert!(compare(&want, &got).unwrap().values().all(is_close));
                    }
                    assert!(session.time_replay(1).unwrap().is_some(), "the plan was not captured");
                }
            });
        }
    });
}

/// CPU kernels inside runs of several threads steal each other's work.
#[test]
fn concurrent_runs_with_cpu_operators_do_not_deadlock() {
    if passed_emulated() {
        return;
    }
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 2, 5, 5, 5, 5]).unwrap();
    let filter = Array::from_vec([4, 2, 3, 3, 3, 3], (0..648).map(|i| (i % 5) as f32 - 2.0).collect()).unwrap();
    let filter = g.coefficient("w", filter).unwrap();
    let op = Conv::new(x, filter, vec![3; 4], vec![1; 4], vec![1; 8]);
    let y = g.op(op).call().unwrap();
    let z = g.relu(y[0]).call().unwrap();
    g.set_outputs(&[z]).unwrap();
    let feed = Array::from_vec([1, 2, 5, 5, 5, 5], (0..1250).map(|i| (i % 7) as f32).collect()).unwrap();
    let session = Session::new(&g, CudaBackend::new(0).unwrap(), &RunOptions::default().threads(2)).unwrap();
    assert!(session.summary().contains("cpu: Conv x1"), "{}", session.summary());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..20).for_each(|_| drop(session.run(&[("x", feed.clone())]).unwrap())));
        }
    });
}

#[test]
fn a_captured_plan_is_profiled_step_by_step() {
    if passed_emulated() {
        return;
    }
    let session = Session::new(&network(), CudaBackend::new(0).unwrap(), &RunOptions::default()).unwrap();
    for round in 0..4 {
        let profile = session.profile(&network_feeds(1), 1).unwrap();
        assert!(profile.len() > 3, "in round {round}: {profile:?}");
        session.run(&network_feeds(2)).unwrap();
    }
    assert!(session.time_replay(1).unwrap().is_some());
}

/// The captured graph reuses the memory of earlier runs.
#[test]
fn a_plan_may_use_most_of_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [1 << 20]).unwrap();
    let mut all = vec![x];
    for _ in 0..4 {
        let last = all[all.len() - 1];
        all.push(g.add(last, 1.0).call().unwrap());
    }
    let sums: Vec<_> = all.iter().map(|t| g.softmax(*t, 0).call().unwrap()).collect();
    let y = sums.into_iter().reduce(|a, b| g.add(a, b).call().unwrap()).unwrap();
    g.set_outputs(&[y]).unwrap();
    let written = mlir::write_pair(&g, folder.path()).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_tpulang"))
        .args(["bench", "--strict", "--repeat", "2", "-d", "cuda", "--no-fusion", "--json"])
        .arg(&written.mlir)
        .env("LD_LIBRARY_PATH", emulated())
        .env("TPULANG_EMULATED", "45000000")
        .env("TPULANG_CACHE", temporary().join("kernels"))
        .output()
        .unwrap();
    let said = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert!(out.status.success() && said.contains("device_ms"), "{said}");
}

#[test]
fn a_captured_plan_is_timed_on_its_last_feeds() {
    if passed_emulated() {
        return;
    }
    // If the indices were freed, tensors of their size would reuse their memory.
    let mut g = Graph::new("net").unwrap();
    let (x, rows) = (g.input("x", Dtype::Float32, [40, 8]).unwrap(), g.input("rows", Dtype::Int32, [320]).unwrap());
    let taken = g.index_select(x, rows).axis(0).call().unwrap();
    let mut last = g.reduce(taken).axes(1).keep_dims(false).call().unwrap();
    for _ in 0..3 {
        last = g.softmax(last, 0).call().unwrap();
    }
    g.set_outputs(&[last]).unwrap();
    let numbers = Array::from_vec([40, 8], (0..320).map(|i| (i % 9) as f32).collect()).unwrap();
    let places = Array::from_vec([320], (0..320).map(|i| i % 40).collect::<Vec<i32>>()).unwrap();
    let session = Session::new(&g, CudaBackend::new(0).unwrap(), &RunOptions::default()).unwrap();
    assert_eq!(session.time_replay(1).unwrap(), None);
    for _ in 0..2 {
        session.run(&[("x", numbers.clone()), ("rows", places.clone())]).unwrap();
    }
    assert!(session.time_replay(3).unwrap().is_some());
}

#[test]
fn runs_after_the_first_launch_a_graph() {
    let folder = temporary().join("network");
    fs::create_dir_all(&folder).unwrap();
    let written = mlir::write_pair(&network(), &folder).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_tpulang"))
        .args(["bench", "--strict", "--repeat", "3", "-d", "cuda", "--json", "-o"])
        .args([&folder.join("last.npz"), &written.mlir])
        .env("LD_LIBRARY_PATH", emulated())
        .env("TPULANG_EMULATED", "verbose")
        .env("TPULANG_CACHE", temporary().join("kernels"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let figures: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(figures["device_ms"].as_f64().unwrap() > 0.0, "{figures}");
    assert_eq!(read_npz(folder.join("last.npz")).unwrap().len(), 2);
    // The first run launches no graph. Then two runs warm up, three are timed, and three and many more run without copies.
    let report = String::from_utf8(out.stderr).unwrap();
    assert!(report.lines().filter(|l| l.starts_with("a graph of ")).count() >= 10, "{report}");
}

#[test]
fn missing_libraries_are_reported() {
    let spec = temporary().join("relu.json");
    fs::write(&spec, r#"{"version": 1, "name": "net", "mode": "f32", "tensors": {"x": {"dtype": "float32", "shape": [300]}}, "inputs": ["x"], "ops": [{"op": "relu", "args": {"input": "x"}, "out": "y"}], "outputs": ["y"]}"#).unwrap();
    let empty = temporary().join("libempty.so");
    let made = Command::new("g++").args(["-shared", "-x", "c++", "/dev/null", "-o"]).arg(&empty).status().unwrap();
    assert!(made.success());
    let (cuda, nvrtc) = (emulated().join("libcuda.so"), emulated().join("libnvrtc.so"));
    let said = |libraries: tempfile::TempDir, mode: &str, device: &str| {
        let kernels = tempfile::tempdir().unwrap();
        let out = Command::new(env!("CARGO_BIN_EXE_tpulang"))
            .args(["run", "--explain", "-d", device])
            .arg(&spec)
            .env("LD_LIBRARY_PATH", libraries.path())
            .env("TPULANG_EMULATED", mode)
            .env("TPULANG_CACHE", kernels.path())
            .output()
            .unwrap();
        assert!(!out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
        String::from_utf8(out.stderr).unwrap()
    };
    let mut all = String::new();
    let mut record = |what: &str, text: String| all += &format!("# {what}\n{text}\n");
    record("no driver", said(libraries(None, None), "", "cuda"));
    record("not a driver", said(libraries(Some(&empty), None), "", "cuda"));
    for mode in ["old", "none", "forbidden", "taken", "full"] {
        record(mode, said(libraries(Some(&cuda), Some(&nvrtc)), mode, "cuda"));
    }
    record("no such GPU", said(libraries(Some(&cuda), Some(&nvrtc)), "", "cuda:3"));
    record("no NVRTC", said(libraries(Some(&cuda), None), "", "cuda"));
    record("not NVRTC", said(libraries(Some(&cuda), Some(&empty)), "", "cuda"));
    record("invalid device", said(libraries(Some(&cuda), Some(&nvrtc)), "", "cuda:x"));
    snapshot("cuda_missing", &all);
}

/// The example of a custom operator.
#[path = "../../examples/custom_op.rs"]
mod custom_op;

#[test]
fn custom_kernels_run() {
    if !passed_emulated() {
        custom_op::run("cuda".parse().unwrap()).unwrap();
    }
}
