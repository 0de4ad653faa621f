//! The CUDA backend on an emulated device: every op's cases and the recorded graphs, fused and not.
use super::cases::cases;
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};
use tpulang::{
    conformance::{Case, Report, check},
    exec::{CudaBackend, RunOptions},
};

/// All cases on one emulated device, which several threads give work.
fn checked(cases: &[Case]) -> Report {
    let (backend, next) = (CudaBackend::emulated().unwrap(), AtomicUsize::new(0));
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

#[test]
fn every_op_gives_the_expected_numbers() {
    let files = std::fs::read_dir("tests/ops").unwrap().flatten();
    let cases: Vec<Case> = files.flat_map(|f| Case::read(f.path()).unwrap()).collect();
    let report = checked(&cases);
    assert!(report.failures.is_empty() && report.passed > 0, "{report}");
}

#[test]
fn recorded_graphs_give_the_cpus_numbers() {
    let cases: Vec<Case> =
        cases().into_iter().filter(|c| c.join("inputs.npz").exists()).map(|c| Case::recorded(c).unwrap()).collect();
    let report = checked(&cases);
    assert!(report.failures.is_empty() && report.passed > 0, "{report}");
}
