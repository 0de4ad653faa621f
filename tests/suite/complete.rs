//! Nothing is without its tests: every function and every op with a rule is where its tests should be.
use std::fs;
use tpulang::{functions::functions, ops::OPS};

/// The text of all files of a folder with that ending.
fn texts(folder: &str, ending: &str) -> String {
    let paths = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    paths.filter(|p| p.to_string_lossy().ends_with(ending)).map(|p| fs::read_to_string(p).unwrap()).collect()
}

/// The names of which `has` says that they are missing.
fn missing(has: impl Fn(&str) -> bool) -> Vec<&'static str> {
    functions().map(|f| f.name).filter(|name| !has(name)).collect()
}

#[test]
fn every_function_is_in_a_golden_graph() {
    let golden = texts("tests/suite", "golden.rs") + &texts("tests/suite/golden", ".rs");
    assert_eq!(missing(|name| golden.contains(&format!(".{name}("))), [""; 0]);
}

#[test]
fn every_function_has_random_graphs() {
    let kinds = texts("conformance/kinds", ".py");
    assert_eq!(missing(|name| kinds.contains(&format!("\"{name}\""))), [""; 0]);
}

#[test]
fn every_function_has_calls_that_are_refused() {
    let families = texts("src/functions", ".rs");
    assert_eq!(missing(|name| families.contains(&format!("\"op\": \"{name}\""))), [""; 0]);
}

#[test]
fn every_computed_op_has_readable_cases() {
    let cases = texts("tests/ops", ".mlir");
    let without: Vec<_> = OPS.iter().filter(|op| op.is_computed()).map(|op| op.name).collect();
    let without: Vec<_> = without.into_iter().filter(|name| !cases.contains(&format!("\"top.{name}\""))).collect();
    assert_eq!(without, [""; 0]);
}
