//! Failures of a GPU, its driver or its compiler, on the emulated ones: each failure is reported, and everything else still
//! works.
use super::{
    cuda::{emulated, libraries, passed_emulated_as, passed_emulated_with_libraries},
    cuda_networks::Net,
};
use std::{
    env,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use tpulang::{
    Array, Dtype, Graph,
    exec::{Backend, Comparison, CpuBackend, CudaBackend, RunOptions, Session, compare, run},
    mlir,
    ops::{self, Conv, MatMul},
    spec,
};

/// y = relu(x + 1)
fn small() -> Graph {
    let mut g = Graph::new("small").unwrap();
    let x = g.input("x", Dtype::Float32, [5]).unwrap();
    let sum = g.add(x, 1.0).call().unwrap();
    let y = g.relu(sum).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    g
}

fn feed() -> [(&'static str, Array); 1] {
    [("x", Array::from([-3f32, -1.0, 0.0, 1.0, 2.0]))]
}

/// Returns the output of `tpulang bench` for the small network, with these libraries in a mode, and whether it succeeds.
fn benched(libraries: &[&Path], mode: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let written = mlir::write_pair(&small(), folder.path()).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_tpulang"))
        .args(["bench", "--strict", "--repeat", "3", "-d", "cuda"])
        .arg(&written.mlir)
        .env("LD_LIBRARY_PATH", env::join_paths(libraries).unwrap())
        .env("TPULANG_EMULATED", mode)
        .env("TPULANG_CACHE", folder.path())
        .output()
        .unwrap();
    (out.status.success(), [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap()).concat())
}

#[test]
fn a_failed_capture_is_reported_and_the_plan_runs_uncaptured() {
    let (is_done, said) = benched(&[emulated()], "uncapturable");
    assert!(is_done, "{said}");
    let warnings: Vec<&str> = said.lines().filter(|line| line.contains("cannot be captured as a CUDA graph")).collect();
    assert!(matches!(warnings[..], [one] if one.contains("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED")), "{said}");
    let (is_done, said) = benched(&[emulated()], "");
    assert!(is_done && !said.contains("warning"), "{said}");
}

#[test]
fn after_a_sticky_error_the_process_must_restart() {
    let (is_done, said) = benched(&[emulated()], "broken");
    assert!(!is_done && said.contains("this process cannot use the GPU any more and must be restarted"), "{said}");
}

#[test]
fn a_gpu_newer_than_the_compiler_gets_ptx() {
    let (is_done, said) = benched(&[emulated()], "newer");
    assert!(is_done, "{said}");
    let (is_done, said) = benched(&[emulated()], "older");
    assert!(!is_done && said.contains("compute capability 8.0 and newer; the GPU has 5.0"), "{said}");
}

#[test]
fn the_compiler_is_chosen_by_the_driver_and_finds_its_builtins() {
    let (cuda, nvrtc) = (emulated().join("libcuda.so"), emulated().join("libnvrtc.so"));
    // The searched folder has only links: the builtins are next to the file itself.
    let linked = libraries(Some(&cuda), Some(&nvrtc));
    let (is_done, said) = benched(&[linked.path()], "");
    assert!(is_done, "{said}");
    // The unversioned file is not a library.
    std::fs::remove_file(linked.path().join("libnvrtc.so")).unwrap();
    std::fs::write(linked.path().join("libnvrtc.so"), "no library").unwrap();
    let (is_done, said) = benched(&[linked.path()], "");
    assert!(is_done, "{said}");
    let (is_done, said) = benched(&[emulated()], "twelve");
    assert!(!is_done && said.contains("libnvrtc.so is from CUDA 13, but the driver is for CUDA 12"), "{said}");
}

#[test]
fn buffers_of_another_gpu_are_refused() {
    if passed_emulated_as("two") {
        return;
    }
    let other = CudaBackend::new(1).unwrap();
    let session = Session::new(&small(), CudaBackend::new(0).unwrap(), &RunOptions::default()).unwrap();
    let [(name, x)] = feed();
    let buffer = other.upload(&x).unwrap();
    let refused = session.run_on(vec![(name, buffer.clone())]).unwrap_err().to_string();
    assert!(refused.contains("the GPU of a buffer is 1") && refused.contains("runs on GPU 0"), "{refused}");
    // SAFETY: the pointer is rejected.
    let borrowed =
        unsafe { session.backend().borrowed(buffer.pointer(), Dtype::Float32, &[5], Arc::new(buffer.clone())) };
    let refused = borrowed.unwrap_err().to_string();
    assert!(refused.contains("memory of GPU 1") && refused.contains("expected memory of GPU 0"), "{refused}");
    let of_host = vec![0u64; 64];
    let address = (of_host.as_ptr() as u64).next_multiple_of(32);
    // SAFETY: as above.
    let borrowed = unsafe { session.backend().borrowed(address, Dtype::Float32, &[5], Arc::new(())) };
    assert!(borrowed.unwrap_err().to_string().contains("not memory of a GPU"));
    let own = session.backend().upload(&x).unwrap();
    session.run_on(vec![(name, own)]).unwrap();
}

/// A convolution whose padding is larger at one end, like "same" padding of some frameworks.
fn asymmetric() -> (Graph, Array) {
    let numbers = |shape: &[usize]| {
        let n = shape.iter().product::<usize>();
        Array::from_vec(shape.to_vec(), (0..n).map(|i| (i * 7 % 23) as f32 - 11.0).collect()).unwrap()
    };
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 6, 17, 12]).unwrap();
    let filter = g.coefficient("f", numbers(&[9, 6, 3, 3])).unwrap();
    let op = Conv::new(x, filter, vec![3, 3], vec![2, 2], vec![0, 1, 1, 2]);
    let y = g.op(op).call().unwrap();
    g.set_outputs(&y).unwrap();
    (g, numbers(&[2, 6, 17, 12]))
}

/// Runs the convolution on a backend and compares it with the CPU; the values are integers, so they must be equal. Returns
/// the plan.
fn checked_asymmetric(backend: &CudaBackend) -> String {
    let (graph, x) = asymmetric();
    let options = RunOptions::default();
    let session = Session::new(&graph, backend, &options).unwrap();
    let want = run(&graph, &[("x", x.clone())], &CpuBackend::new(), &options).unwrap().tensors;
    for _ in 0..3 {
        let got = session.run(&[("x", x.clone())]).unwrap();
        assert_eq!(got[0].to_f32().unwrap(), want[0].to_f32().unwrap());
    }
    session.explain()
}

#[test]
fn declined_calls_are_reported() {
    if passed_emulated_as("declining") {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    checked_asymmetric(&backend);
    let mut net = Net::new();
    let (left, right) = (net.input(&[70, 40]), net.weight(&[40, 90]));
    net.check(&backend, "declined", MatMul::new(left, right));
    let fallbacks = backend.fallbacks();
    let has = |start: &str| fallbacks.iter().filter(|f| f.starts_with(start)).count() == 1;
    assert!(
        has("cuBLASLt declines a product of 70x40 and 40x90") && has("cuDNN declines a convolution"),
        "{fallbacks:?}"
    );
}

#[test]
fn asymmetric_padding_is_computed_by_cudnn() {
    if passed_emulated_with_libraries() {
        return;
    }
    let backend = CudaBackend::new(0).unwrap();
    let plan = checked_asymmetric(&backend);
    assert!(
        plan.contains("cuDNN: a convolution") && backend.fallbacks().is_empty(),
        "{plan} {:?}",
        backend.fallbacks()
    );
}

/// Runs on buffers are captured, and do not query the free memory each time, which is slow.
#[test]
fn runs_on_buffers_are_replayed() {
    if passed_emulated_as("slow") {
        return;
    }
    let (graph, backend) = (small(), CudaBackend::new(0).unwrap());
    let session = Session::new(&graph, &backend, &RunOptions::default()).unwrap();
    let run = |i: i16| {
        let x = Array::from([f32::from(i), -5.0, 0.0, 1.0, 2.0]);
        session.run_on(vec![("x", backend.upload(&x).unwrap())]).unwrap().swap_remove("y").unwrap()
    };
    let mut results: Vec<_> = (0..3).map(run).collect();
    let begun = Instant::now();
    results.extend((3..30).map(run));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    session.synchronize().unwrap();
    // Later runs do not change the results of earlier ones.
    for (i, y) in results.iter().enumerate() {
        assert_eq!(backend.download(y).unwrap().to_f32().unwrap(), [i as f32 + 1.0, 0.0, 1.0, 2.0, 3.0]);
    }
    assert!(session.time_replay(1).unwrap().is_some() && backend.fallbacks().is_empty(), "{:?}", backend.fallbacks());
}

/// Two steps on the GPU, one that only the CPU supports, and two more on the GPU.
fn with_a_step_on_the_cpu() -> Graph {
    let mut g = Graph::new("split").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 2, 3, 3, 3, 3]).unwrap();
    let filter = Array::from_vec([4, 2, 3, 3, 3, 3], (0..648).map(|i| (i % 5) as f32 - 2.0).collect()).unwrap();
    let filter = g.coefficient("w", filter).unwrap();
    let mut last = g.add(x, 1.0).call().unwrap();
    last = g.softmax(last, -1).call().unwrap();
    last = g.op(Conv::new(last, filter, vec![3; 4], vec![1; 4], vec![1; 8])).call().unwrap()[0];
    last = g.softmax(last, -1).call().unwrap();
    last = g.reduce(last).axes(1).out_name("y").call().unwrap();
    g.set_outputs(&[last]).unwrap();
    g
}

#[test]
fn a_step_on_the_cpu_splits_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let written = mlir::write_pair(&with_a_step_on_the_cpu(), folder.path()).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_tpulang"))
        .args(["bench", "--repeat", "4", "-d", "cuda"])
        .arg(&written.mlir)
        .env("LD_LIBRARY_PATH", emulated())
        .env("TPULANG_EMULATED", "verbose")
        .env("TPULANG_CACHE", emulated().parent().unwrap().join("kernels"))
        .output()
        .unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    // One run is traced; each of the six others has a graph before the step on the CPU and one after it.
    let graphs: Vec<&str> = said.lines().filter(|line| line.starts_with("a graph of")).collect();
    assert!(out.status.success() && graphs.len() == 12 && !said.contains("cannot be captured"), "{said}");
}

/// A graph with a branch and a loop between operators, whose numbers depend on the input.
fn with_control_flow() -> Graph {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [4]).unwrap();
    let count = g.input("count", Dtype::Int32, [1]).unwrap();
    let before = g.add(x, 1.0).call().unwrap();
    let sum = g.reduce(before).axes(0).call().unwrap();
    let is_large = g.gts(sum, 10.0).call().unwrap();
    let branch = g.cond(is_large, |g| Ok(vec![g.softmax(before, 0).call()?]), |g| Ok(vec![g.mul(before, 3.0).call()?]));
    let middle = g.softmax(branch.unwrap()[0], 0).call().unwrap();
    let arguments = [("i", Dtype::Int32, 1), ("again", Dtype::Int32, 1), ("v", Dtype::Float32, 4)];
    let body = g.block(arguments.map(|(name, dtype, n)| (name.to_owned(), dtype, vec![n])), |g, given| {
        Ok(vec![given[1], g.add(given[2], before).call()?])
    });
    let op = ops::Loop { M: Some(count), ..ops::Loop::new(vec![middle]) };
    let looped = g.op(op).owns(body.unwrap()).out_dtypes([Dtype::Float32]).out_shapes([[4]]).call().unwrap()[0];
    let last = g.softmax(looped, 0).call().unwrap();
    let last = g.add(last, before).out_name("y").call().unwrap();
    g.set_outputs(&[last]).unwrap();
    g
}

/// The work between branches and loops is recorded; they choose anew in every run.
#[test]
fn control_flow_splits_a_capture() {
    if passed_emulated_as("") {
        return;
    }
    let (graph, backend, options) = (with_control_flow(), CudaBackend::new(0).unwrap(), RunOptions::default());
    let session = Session::new(&graph, &backend, &options).unwrap();
    let cpu = Session::new(&graph, CpuBackend::new(), &options).unwrap();
    for round in 0..8 {
        let x = Array::from([round as f32, 1.0, -0.5, 2.0]);
        let feeds = [("x", x), ("count", Array::from([round % 3]))];
        let (want, got) = (cpu.run(&feeds).unwrap(), session.run(&feeds).unwrap());
        let close = |c: &Comparison| matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 1e-5);
        assert!(compare(&want, &got).unwrap().values().all(close), "{want:?} {got:?}");
    }
    assert!(backend.fallbacks().is_empty(), "{:?}", backend.fallbacks());
}

/// Whether a run is traced, captured or replayed, it may end before any of its steps; the next one is as it would have been.
#[test]
fn interrupted_runs_are_made_again() {
    if passed_emulated_as("") {
        return;
    }
    let (graph, backend, left) =
        (with_control_flow(), CudaBackend::new(0).unwrap(), Arc::new(AtomicU64::new(u64::MAX)));
    let asked = left.clone();
    let ends = move || asked.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err();
    let session = Session::new(&graph, &backend, &RunOptions::default().interrupt(ends)).unwrap();
    let cpu = Session::new(&graph, CpuBackend::new(), &RunOptions::default()).unwrap();
    for round in 0..4 {
        let feeds = [("x", Array::from([round as f32, 1.0, -0.5, 2.0])), ("count", Array::from([2i32]))];
        let mut questions = 0;
        let got = loop {
            left.store(questions, Relaxed);
            match session.run(&feeds) {
                Ok(got) => break got,
                Err(error) => assert!(error.is_interrupted(), "{error}"),
            }
            questions += 1;
        };
        let close = |c: &Comparison| matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 1e-5);
        assert!(compare(&cpu.run(&feeds).unwrap(), &got).unwrap().values().all(close), "{got:?}");
        assert!(questions > 5, "{questions}");
    }
    assert!(backend.fallbacks().is_empty(), "{:?}", backend.fallbacks());
}

#[test]
fn the_pieces_between_control_flow_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    spec::save(&with_control_flow(), folder.path().join("net.json")).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_tpulang"))
        .args(["bench", "--repeat", "4", "-d", "cuda"])
        .arg(folder.path().join("net.json"))
        .env("LD_LIBRARY_PATH", emulated())
        .env("TPULANG_EMULATED", "verbose")
        .env("TPULANG_CACHE", emulated().parent().unwrap().join("kernels"))
        .output()
        .unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    // One run is traced; each of the six others has a graph before the branch, one before the loop and one after it.
    let graphs = said.lines().filter(|line| line.starts_with("a graph of")).count();
    assert!(out.status.success() && graphs == 18 && !said.contains("cannot be captured"), "{graphs}: {said}");
}

#[test]
fn split_captures_give_the_right_results_in_many_threads() {
    if passed_emulated_as("") {
        return;
    }
    let (graph, backend, options) = (with_a_step_on_the_cpu(), CudaBackend::new(0).unwrap(), RunOptions::default());
    let options = options.threads(2);
    let session = Session::new(&graph, &backend, &options).unwrap();
    assert!(session.summary().contains("cpu: Conv x1"), "{}", session.summary());
    let cpu = Session::new(&graph, CpuBackend::new(), &RunOptions::default()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (session, cpu) = (&session, &cpu);
            scope.spawn(move || {
                for round in 0..6 {
                    let values = (0..162).map(|i| ((i * 7 + thread * 31 + round * 13) % 19) as f32 / 3.0).collect();
                    let x = Array::from_vec([1, 2, 3, 3, 3, 3], values).unwrap();
                    let want = cpu.run(&[("x", x.clone())]).unwrap();
                    let on_host = session.run(&[("x", x.clone())]).unwrap();
                    let buffer = session.backend().upload(&x).unwrap();
                    let on_gpu = session.run_on(vec![("x", buffer)]).unwrap().swap_remove("y").unwrap();
                    let on_gpu = [("y".to_owned(), session.backend().download(&on_gpu).unwrap())].into();
                    for got in [on_host, on_gpu] {
                        let close =
                            |c: &Comparison| matches!(c, Comparison::Values { relative_l2, .. } if *relative_l2 < 1e-5);
                        assert!(compare(&want, &got).unwrap().values().all(close));
                    }
                }
            });
        }
    });
    assert!(backend.fallbacks().is_empty(), "{:?}", backend.fallbacks());
}
