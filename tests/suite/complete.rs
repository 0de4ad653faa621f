//! Nothing is without its tests: every function and every op with a rule is where its tests should be.
use super::snapshot;
use serde_json::{Value, json};
use std::fs;
use tpulang::{functions::functions, ops::OPS, spec};

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

/// Each example with one tensor exchanged for another: of a dtype or shape that few functions take.
#[test]
fn what_every_function_says_to_wrong_tensors() {
    let mut all = String::new();
    for f in functions() {
        let g = f.example_graph().unwrap();
        let spec: Value = serde_json::from_str(&spec::to_text(&g, None).unwrap()).unwrap();
        let calls = spec["ops"].as_array().unwrap();
        let at = calls.iter().position(|c| c["op"] == f.name).unwrap();
        for argument in f.arguments().iter().filter(|a| calls[at]["args"][a.name].is_string()) {
            for (other, declared) in
                [("byte", json!({"dtype": "fp8e5m2", "shape": [1, 3, 8, 8]})), ("seven", json!({"shape": [7]}))]
            {
                let mut wrong = spec.clone();
                wrong["tensors"][other] = declared;
                wrong["inputs"].as_array_mut().unwrap().push(json!(other));
                wrong["ops"][at]["args"][argument.name] = json!(other);
                let said = match spec::from_text(&wrong.to_string(), "spec.json", None) {
                    Ok(_) => "taken".to_owned(),
                    Err(e) => e.each()[0].to_string().lines().next().unwrap_or_default().to_owned(),
                };
                all += &format!("{}({}: {other}): {said}\n", f.name, argument.name);
            }
        }
    }
    snapshot("wrong_tensors", &all);
}

#[test]
fn every_computed_op_has_readable_cases() {
    let cases = texts("tests/ops", ".mlir");
    let without: Vec<_> = OPS.iter().filter(|op| op.is_computed()).map(|op| op.name).collect();
    let without: Vec<_> = without.into_iter().filter(|name| !cases.contains(&format!("\"top.{name}\""))).collect();
    assert_eq!(without, [""; 0]);
}
