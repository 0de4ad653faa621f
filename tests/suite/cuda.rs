//! The CUDA backend without a GPU: NVIDIA's libraries are emulated (`tests/emulated`), the driver's by running kernels on the CPU,
//! NVRTC by compiling them with g++.
use super::{SplitMix, cases::cases, limits, snapshot};
use std::{
    collections::hash_map::DefaultHasher,
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
    Array, Dtype, Graph, Tensor,
    conformance::{Case, Report, check},
    exec::{Backend, Comparison, CpuBackend, CudaBackend, RunOptions, Session, compare, run},
    mlir,
    ops::{Arg, ArgMode, EmbDenseBwd, Gather, GatherElements, IndexPut, Op, ScatterElements, ScatterND, Sort, TopK},
};

const SOURCES: [(&str, &str); 3] = [
    ("cuda.cpp", include_str!("../emulated/cuda.cpp")),
    ("nvrtc.cpp", include_str!("../emulated/nvrtc.cpp")),
    ("emulated.h", include_str!("../emulated/emulated.h")),
];

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The folder with the emulated libraries, made by whoever comes first.
pub fn emulated() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        SOURCES.hash(&mut hasher);
        let folder = temporary().join(format!("emulated-{:x}", hasher.finish()));
        if folder.exists() {
            return folder;
        }
        let making = tempfile::tempdir_in(temporary()).unwrap();
        SOURCES.iter().for_each(|(name, text)| fs::write(making.path().join(name), text).unwrap());
        let compile = |arguments: &str| {
            let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
            let options = ["-std=c++17", "-O1", "-fPIC", "-ffp-contract=off"];
            let mut command = Command::new(compiler);
            let out = command.args(options).args(arguments.split(' ')).current_dir(making.path()).output().unwrap();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        };
        compile("-Wall -Wextra -Werror -shared cuda.cpp -o libcuda.so");
        compile("-Wall -Wextra -Werror -shared nvrtc.cpp -o libnvrtc.so");
        // As kernels are compiled, so that it is taken.
        compile("-w -x c++-header emulated.h -o emulated.h.gch");
        // Another process may have been faster.
        drop(fs::rename(making.keep(), &folder));
        folder
    })
}

/// Runs this test again, with the emulated libraries. True when it has passed there.
fn passed_emulated() -> bool {
    let thread = std::thread::current();
    let test = thread.name().unwrap();
    let (kernels, sources) = (temporary().join("kernels"), temporary().join("sources"));
    let variables: [(&str, &Path); 3] =
        [("LD_LIBRARY_PATH", emulated()), ("TPULANG_CACHE", &kernels), ("TPULANG_SOURCES", &sources)];
    limits::passed_alone_with(test, 1200, &variables)
}

/// All cases on one GPU, which several threads give work.
fn checked(cases: &[Case]) -> Report {
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

/// Ops that run on the CPU by decision: their results depend on values step by step.
const ON_CPU: [&str; 6] = ["DetectionOutput", "FrcnDetection", "Nms", "NonZero", "Proposal", "YoloDetection"];

/// What fell back to the CPU: `cuda: 1 op, cpu: Nms x1`.
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
    assert_eq!(fallbacks(&report), [""; 0]);
}

#[test]
fn recorded_graphs_give_the_cpus_numbers() {
    if passed_emulated() {
        return;
    }
    let cases = cases().into_iter().filter(|c| c.join("inputs.npz").exists());
    let report = checked(&cases.map(|c| Case::recorded(c).unwrap()).collect::<Vec<_>>());
    assert!(report.failures.is_empty() && report.passed > 100, "{report}");
    assert_eq!(fallbacks(&report), [""; 0]);
}

/// A folder whose libraries are these, in place of every one that would be looked for.
fn libraries(cuda: Option<&Path>, nvrtc: Option<&Path>) -> tempfile::TempDir {
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

/// A network of several inputs, with tensors of many sizes, and an output that is also read on.
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
fn runs_are_repeated_with_other_feeds_and_from_many_threads() {
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
                // What was given stays as it was, whatever ran meanwhile.
                let is_close =
                    |c: &Comparison| matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 1e-5);
                assert!(before.iter().all(|(got, want)| compare(want, got).unwrap().values().all(is_close)));
            });
        }
    });
}

#[test]
fn from_the_second_run_on_a_recording_is_launched() {
    let folder = temporary().join("network");
    fs::create_dir_all(&folder).unwrap();
    let written = mlir::write_pair(&network(), &folder).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_tpulang"))
        .args(["bench", "--strict", "--repeat", "3", "-d", "cuda"])
        .arg(&written.mlir)
        .env("LD_LIBRARY_PATH", emulated())
        .env("TPULANG_EMULATED", "told")
        .env("TPULANG_CACHE", temporary().join("kernels"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    // One for the first result, two to warm up, three that are measured.
    let told = String::from_utf8(out.stderr).unwrap();
    assert_eq!(told.lines().filter(|l| l.starts_with("a graph of ")).count(), 5, "{told}");
}

#[test]
fn what_is_missing_is_said_in_one_sentence() {
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
    let mut tell = |what: &str, text: String| all += &format!("# {what}\n{text}\n");
    tell("no driver", said(libraries(None, None), "", "cuda"));
    tell("another library", said(libraries(Some(&empty), None), "", "cuda"));
    for mode in ["old", "none", "forbidden", "taken", "full"] {
        tell(mode, said(libraries(Some(&cuda), Some(&nvrtc)), mode, "cuda"));
    }
    tell("no such GPU", said(libraries(Some(&cuda), Some(&nvrtc)), "", "cuda:3"));
    tell("no NVRTC", said(libraries(Some(&cuda), None), "", "cuda"));
    tell("another NVRTC", said(libraries(Some(&cuda), Some(&empty)), "", "cuda"));
    tell("no device of that name", said(libraries(Some(&cuda), Some(&nvrtc)), "", "cuda:x"));
    snapshot("cuda_missing", &all);
}

/// The example: a kernel of one's own.
#[path = "../../examples/cuda_extension.rs"]
#[allow(dead_code, reason = "its main is called below")]
mod cuda_extension;

#[test]
fn a_kernel_of_ones_own_runs() {
    if !passed_emulated() {
        cuda_extension::main().unwrap();
    }
}

/// One operator on arrays, and nothing left to another backend.
fn computed<B: Backend>(
    backend: &B,
    arrays: &[Array],
    op: impl FnOnce(&[Tensor]) -> Op<Tensor>,
) -> Result<Vec<Array>, String> {
    let mut g = Graph::new("g").unwrap();
    let name = |i: usize| format!("x{i}");
    let inputs: Vec<Tensor> = arrays
        .iter()
        .enumerate()
        .map(|(i, a)| g.input(&name(i), a.dtype(), a.shape().iter().map(|d| *d as i64).collect::<Vec<_>>()).unwrap())
        .collect();
    let op = op(&inputs);
    // Its indices have any dtype.
    let dtypes = if let Op::Arg(_) = op { vec![Dtype::Int32, arrays[0].dtype()] } else { Vec::new() };
    let results = g.op(op).out_dtypes(dtypes).call().unwrap();
    g.set_outputs(&results).unwrap();
    let names: Vec<String> = (0..arrays.len()).map(name).collect();
    let feeds: Vec<(&str, Array)> = names.iter().map(String::as_str).zip(arrays.iter().cloned()).collect();
    let options = RunOptions { strict: true, ..RunOptions::default() };
    let found = run(&g, &feeds[..], backend, &options).map_err(|e| e.to_string())?;
    Ok(found.tensors.into_values().collect())
}

/// A result, or how an error begins: with what is wrong, whatever follows of where.
fn same_on_both(
    device: &CudaBackend,
    arrays: &[Array],
    op: impl Fn(&[Tensor]) -> Op<Tensor>,
) -> Result<Vec<Array>, String> {
    let cpu = computed(&CpuBackend::new(), arrays, &op);
    let device = computed(device, arrays, &op);
    match (&cpu, &device) {
        (Ok(cpu), Ok(device)) => assert_eq!(shown(cpu), shown(device)),
        (Err(cpu), Err(device)) => {
            let wrong = device.lines().next().unwrap();
            assert!(wrong.starts_with("an index is ") && cpu.contains(wrong), "{cpu}\n{device}");
        }
        _ => panic!("{cpu:?}\n{device:?}"),
    }
    device
}

fn shown(arrays: &[Array]) -> Vec<String> {
    arrays.iter().map(|a| format!("{:?} {:?}", a.shape(), a.to_f64().unwrap())).collect()
}

/// An array of numbers of a dtype's own type.
macro_rules! array {
    ($shape:expr, $of:expr) => {{
        let shape: Vec<i64> = $shape.to_vec();
        let n = shape.iter().product::<i64>() as usize;
        Array::from_vec(shape, (0..n).map($of).collect::<Vec<_>>()).unwrap()
    }};
}

#[test]
fn entries_are_put_in_the_cpus_order() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    // Many are equal, some are no numbers.
    let number = |i: usize| match i * 7919 % 61 {
        0 => f32::NAN,
        1 => -0.0,
        2 => f32::INFINITY,
        n => (n % 9) as f32 - 4.0,
    };
    for shape in [[1, 1, 1], [2, 3, 33], [3, 64, 2], [1, 1000, 1], [2, 129, 3], [1, 1, 600]] {
        let arrays = [array!(shape, number), array!(shape, |i| (i * 37 % 11) as i8)];
        for (x, axis, flag) in arrays.iter().flat_map(|x| [(x, 1, true), (x, 1, false), (x, -1, true), (x, 2, false)]) {
            let x = std::slice::from_ref(x);
            let k = (shape[i64::rem_euclid(axis, 3) as usize] + 1) / 2;
            same_on_both(&device, x, |t| TopK { K: k, largest: flag, ..TopK::new(t[0], axis) }.into()).unwrap();
            same_on_both(&device, x, |t| Sort { descending: flag, ..Sort::new(t[0], axis) }.into()).unwrap();
            for mode in [ArgMode::ArgMax, ArgMode::ArgMin] {
                same_on_both(&device, x, |t| {
                    Arg { select_last_index: flag, ..Arg::new(t[0], axis, true, mode) }.into()
                })
                .unwrap();
            }
        }
    }
}

#[test]
fn updates_of_one_place_are_done_in_order() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    let (x, updates) = (array!([5, 3], |i| i as f32 / 3.0), array!([70, 3], |i| (i as f32).sin() * 1e3));
    let rows = array!([70, 1], |i| (i * i % 5) as i32 - 2);
    for reduction in 0..6 {
        let scattered = |t: &[Tensor]| ScatterND { reduction, ..ScatterND::new(t[0], t[1], t[2]) }.into();
        same_on_both(&device, &[x.clone(), rows.clone(), updates.clone()], scattered).unwrap();
        let wide =
            |a: &Array| array!(a.shape().iter().map(|d| *d as i64).collect::<Vec<_>>(), |i| (i as i64 - 9) << 55);
        same_on_both(&device, &[wide(&x), rows.clone(), wide(&updates)], scattered).unwrap();
    }
    let places = array!([5, 3], |i| (i % 2) as i64 - 1);
    for reduction in 0..2 {
        let arrays = [x.clone(), places.clone(), array!([5, 3], |i| i as f32)];
        same_on_both(&device, &arrays, |t| {
            ScatterElements { reduction, ..ScatterElements::new(t[0], t[1], t[2], 0) }.into()
        })
        .unwrap();
    }
    for accumulate in [true, false] {
        let arrays = [x.clone(), array!([70], |i| (i % 3) as i32), updates.clone()];
        same_on_both(&device, &arrays, |t| IndexPut { accumulate, ..IndexPut::new(t[0], t[1], t[2]) }.into()).unwrap();
    }
    let arrays = [updates, array!([70], |i| (i % 3) as i32)];
    same_on_both(&device, &arrays, |t| EmbDenseBwd::new(t[0], t[1], 4).into()).unwrap();
}

#[test]
fn an_impossible_index_is_the_cpus_error() {
    if passed_emulated() {
        return;
    }
    let device = CudaBackend::new(0).unwrap();
    let x = array!([3, 4], |i| i as f32);
    for bad in [7i32, 3, -4, i32::MIN] {
        let indices = array!([2, 4], |i| if i == 5 { bad } else { 1 });
        let error =
            same_on_both(&device, &[x.clone(), indices.clone()], |t| Gather::new(t[0], t[1]).into()).unwrap_err();
        let expected = format!("an index is {bad}; axis 0 has 3 entries, so it must be from -3 to 2");
        assert!(error.starts_with(&expected), "{error}");
        let elements = [x.clone(), indices.clone(), array!([2, 4], |i| i as f32)];
        same_on_both(&device, &elements[..2], |t| GatherElements { axis: 0, ..GatherElements::new(t[0], t[1]) }.into())
            .unwrap_err();
        same_on_both(&device, &elements, |t| ScatterElements::new(t[0], t[1], t[2], 0).into()).unwrap_err();
        let rows = [array!([2, 4], |i| i as f32), array!([2], |i| if i == 1 { bad } else { 0 })];
        same_on_both(&device, &rows, |t| EmbDenseBwd::new(t[0], t[1], 3).into()).unwrap_err();
    }
}

#[test]
fn an_impossible_index_is_forgotten_once_told() {
    if passed_emulated() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let x = array!([3], |i| i as f32);
    for bad in [false, true, false, true, false] {
        let i = array!([2], |_| if bad { 3 } else { 2 });
        let found = computed(&backend, &[x.clone(), i], |t| Gather::new(t[0], t[1]).into());
        assert_eq!(found.is_err(), bad, "{found:?}");
    }
}
