//! The recorded cases, without the tool chain: run on the CPU, and read back from every form of MLIR.
use std::{
    fs,
    path::{Path, PathBuf},
};
use tpulang::{
    Array, Graph,
    array::read_npz,
    exec::{CpuBackend, RunOptions, run},
    mlir, spec,
};

pub fn cases() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for case in fs::read_dir("tests/cases").unwrap().flatten().filter(|e| e.path().is_dir()) {
        found.extend(fs::read_dir(case.path()).unwrap().flatten().map(|e| e.path()));
    }
    found.sort();
    assert!(found.len() > 100, "the cases are missing");
    found
}

/// Runs a graph on the case's inputs and compares every tensor that the peer's Top executor computed. Returns false if the
/// case has no outputs to compare with.
fn check(case: &Path, graph: &Graph) -> bool {
    let feeds = read_npz(case.join("inputs.npz")).unwrap();
    let options = RunOptions::default().all(true);
    let got = run(graph, &feeds, &CpuBackend::new(), &options).unwrap_or_else(|e| panic!("{}: {e}", case.display()));
    // Some cases were recorded without outputs.
    let outputs = case.join("top_outputs.npz");
    if !outputs.exists() {
        return false;
    }
    let peer = |file: &str| fs::read_to_string(case.join(file)).unwrap();
    let tolerance = if peer("peer.mlir").contains("xf16") { 5e-3 } else { 1e-5 };
    for (name, want) in &read_npz(outputs).unwrap() {
        let Some(got) = got.tensors.get(name) else {
            let is_added = !peer("peer_origin.mlir").contains(&format!("\"{name}\""));
            assert!(is_added, "{}: {name} is not computed, and was not added by tpuc-opt", case.display());
            continue;
        };
        let error = relative_l2(want, got);
        assert!(error <= tolerance, "{}: {name}: relative L2 error {error:e}", case.display());
    }
    true
}

fn relative_l2(want: &Array, got: &Array) -> f64 {
    let (a, b) = (want.to_f64().unwrap(), got.to_f64().unwrap());
    assert_eq!(a.len(), b.len());
    let finite = || a.iter().zip(&b).filter(|(x, y)| !(x == y || x.is_nan() && y.is_nan()));
    let norm = a.iter().filter(|x| x.is_finite()).map(|x| x * x).sum::<f64>().sqrt();
    let error = finite().map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
    if error == 0.0 { 0.0 } else { error / norm }
}

#[test]
fn specs_run_like_the_peer() {
    let mut compared = 0;
    for case in cases() {
        let graph = spec::read(case.join("spec.json"), spec::Weights::Load).unwrap_or_else(|e| panic!("{e}"));
        compared += usize::from(case.join("inputs.npz").exists() && check(&case, &graph));
    }
    assert!(compared > 70, "{compared} cases are compared");
}

#[test]
fn tpulangs_own_mlir_is_read_and_runs_alike() {
    let mut compared = 0;
    for case in cases().into_iter().filter(|c| c.join("inputs.npz").exists()) {
        let own = case.join("peer_origin_weight.npz");
        let weights = if own.exists() { own } else { case.join("weights.npz") };
        let origin = case.join("peer_origin.mlir");
        let graph = mlir::read(&origin, weights.exists().then_some(weights.as_path()))
            .unwrap_or_else(|e| panic!("{}: {e}", origin.display()));
        compared += usize::from(check(&case, &graph));
    }
    assert!(compared > 70, "{compared} cases are compared");
}

#[test]
fn canonical_mlir_is_read() {
    for case in cases() {
        let path = case.join("peer.mlir");
        let graph = mlir::read_text(&fs::read_to_string(&path).unwrap());
        assert!(graph.is_ok(), "{}: {}", path.display(), graph.unwrap_err());
    }
}
