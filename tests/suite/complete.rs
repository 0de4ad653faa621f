//! Nothing is without its tests: every function and every op with a rule is where its tests should be.
use super::snapshot;
use serde_json::{Value, json};
use std::fs;
use tpulang::{functions::functions, mlir, ops::OPS, spec};

/// The text of all files of a folder with that ending.
fn texts(folder: &str, ending: &str) -> String {
    let paths = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    paths.filter(|p| p.to_string_lossy().ends_with(ending)).map(|p| fs::read_to_string(p).unwrap()).collect()
}

/// What each example becomes.
#[test]
fn every_example_is_golden() {
    let mut families: Vec<_> = functions().map(|f| f.family()).collect();
    families.sort_unstable();
    families.dedup();
    for family in families {
        let texts = functions().filter(|f| f.family() == family).map(|f| {
            let g = f.example_graph().unwrap_or_else(|e| panic!("{}: {e}", f.name));
            mlir::emit(&g).unwrap().text
        });
        snapshot(&format!("examples_{family}.mlir"), &texts.collect::<Vec<_>>().join("\n"));
    }
}

/// Of which TpuLang has nothing to compare with: forms that only its documents know, one that it cannot build.
const ALONE: [&str; 4] = ["conv3d_v2", "conv_v2", "deconv_v2", "log_sigmoid"];

#[test]
fn every_function_has_random_graphs() {
    let kinds = texts("conformance/kinds", ".py");
    let names = functions().map(|f| f.name).filter(|name| !ALONE.contains(name));
    assert_eq!(names.filter(|name| !kinds.contains(&format!("\"{name}\""))).collect::<Vec<_>>(), [""; 0]);
}

/// Each example with one tensor replaced by one of a dtype or shape that few functions accept.
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
