//! Every backend passes the same conformance suite.
use tpulang::{
    conformance::{Case, check},
    exec::{CpuBackend, RunOptions},
    ops::OPS,
};

/// An example of a backend outside the crate, which computes some ops and leaves the others to the CPU.
#[path = "../../examples/second_backend.rs"]
#[allow(dead_code, reason = "its main is called below")]
mod second_backend;

#[test]
fn a_second_backend_gives_the_same_numbers() {
    second_backend::main().unwrap();
}

#[test]
fn the_cpu_gives_the_expected_numbers() {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir("tests/ops").unwrap().flatten() {
        let op = entry.path().file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(OPS.iter().any(|o| o.name == op), "{op} is not an op");
        cases.extend(Case::read(entry.path()).unwrap());
    }
    let report = check(&CpuBackend::new(), &cases, &RunOptions::default());
    assert!(report.failures.is_empty() && report.passed > 0, "{report}");
}
