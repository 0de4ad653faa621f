//! The CUDA backend on an emulated device: every op's cases and the recorded graphs, fused and not.
use super::cases::cases;
use rayon::prelude::*;
use tpulang::{
    conformance::{Case, Report, check},
    exec::{CudaBackend, RunOptions},
};

/// All cases on one emulated device, which each of the threads gives work.
fn checked(cases: &[Case]) -> Report {
    let backend = CudaBackend::emulated().unwrap();
    let reports = cases.par_iter().map(|case| check(&backend, std::slice::from_ref(case), &RunOptions::default()));
    let merged = |mut all: Report, one: Report| {
        all.passed += one.passed;
        all.failures.extend(one.failures);
        all.summaries.extend(one.summaries);
        all
    };
    reports.reduce(Report::default, merged)
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
