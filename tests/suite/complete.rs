//! Every function has random graphs, and every computed op has readable cases.
use super::snapshot;
use serde_json::{Value, json};
use std::{collections::HashSet, fs};
use tpulang::{functions::functions, mlir, ops::OPS, spec};

/// Returns the contents of all files of a folder with the given extension.
fn texts(folder: &str, extension: &str) -> Vec<String> {
    let paths = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    paths.filter(|p| p.extension().is_some_and(|e| e == extension)).map(|p| fs::read_to_string(p).unwrap()).collect()
}

/// Returns the string literals of Python code.
fn literals(python: &str) -> impl Iterator<Item = &str> {
    python.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split('"').skip(1).step_by(2))
}

/// Returns the functions that a family's random graphs call: those of its `KINDS`, of lists that `KINDS` iterates over, and
/// the first arguments of `call`.
fn generated(python: &str) -> HashSet<&str> {
    let (head, kinds) = python.split_once("\nKINDS = ").expect("a family without KINDS");
    let mut all: HashSet<&str> = literals(kinds).collect();
    for list in head.split('\n').filter_map(|line| line.split_once(" = [")).map(|(name, _)| name) {
        if kinds.contains(&format!(" in {list}")) {
            let (_, values) = head.split_once(&format!("\n{list} = [")).unwrap();
            all.extend(literals(values.split(']').next().unwrap()));
        }
    }
    for call in [".call(\"", " op=\""] {
        all.extend(head.split(call).skip(1).filter_map(|rest| rest.split('"').next()));
    }
    all
}

/// The module of each example.
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

/// Functions that cannot be compared with TpuLang: it lacks them, or cannot build them.
const ALONE: [&str; 4] = ["conv3d_v2", "conv_v2", "deconv_v2", "log_sigmoid"];

#[test]
fn every_function_has_random_graphs() {
    let families = texts("conformance/kinds", "py");
    let called: HashSet<&str> =
        families.iter().filter(|text| text.contains("\nKINDS = {")).flat_map(|text| generated(text)).collect();
    let without: Vec<_> = functions().map(|f| f.name).filter(|name| !called.contains(name)).collect();
    let mut alone = ALONE.to_vec();
    alone.sort_by_key(|name| without.iter().position(|w| w == name));
    assert_eq!(without, alone, "functions without a kind in conformance/kinds, and ALONE, differ");
    // A literal elsewhere is not a graph.
    let python = "def f(s):\n    s.call(\"a\", mode=\"b\")  # \"c\"\n\nKINDS = {\"d\": f}\n";
    assert_eq!(generated(python), HashSet::from(["a", "d"]));
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
    let files = texts("tests/ops", "mlir");
    // An op counts only if a case with expected values computes it, not if a comment mentions it.
    let cases = files.iter().flat_map(|text| text.split("// -----")).filter(|case| case.contains("\n// expect "));
    let code = cases.flat_map(str::lines).filter(|line| !line.trim_start().starts_with("//"));
    let computed: HashSet<&str> =
        code.filter_map(|line| line.split_once(" = \"top.")?.1.split_once("\"(").map(|(op, _)| op)).collect();
    let without: Vec<_> =
        OPS.iter().filter(|op| op.is_computed() && !computed.contains(op.name)).map(|op| op.name).collect();
    assert_eq!(without, [""; 0], "ops without a case with `// expect` in tests/ops");
}
