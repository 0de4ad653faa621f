//! Extreme numbers of tensors, inputs and names, for which linear searches would take minutes.
use super::limits::passed_alone;
use indexmap::IndexMap;
use std::fmt::Write;
use tpulang::{
    Array, Dtype, Graph,
    array::write_npz,
    exec::{CpuBackend, RunOptions, run},
    spec,
};

const MANY: usize = 40_000;

fn joined(each: impl Fn(usize) -> String) -> String {
    (0..MANY).map(each).collect::<Vec<_>>().join(",")
}

/// A spec with these tensors and inputs, and `y`, the relu of the input `x`.
fn text(tensors: &str, inputs: &str) -> String {
    format!(
        r#"{{"version": 1, "name": "n", "weights": "w.npz", "tensors": {{"x": {{"shape": [1]}}{tensors}}}, "inputs": ["x"{inputs}],
        "ops": [{{"op": "relu", "args": {{"input": "x"}}, "out": "y"}}], "outputs": ["y"]}}"#
    )
}

#[test]
fn coefficients() {
    if passed_alone("many::coefficients", 60) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let one = Array::from([1f32]);
    let names: Vec<String> = (0..MANY).map(|i| format!("coefficient_{i}")).collect();
    write_npz(dir.path().join("w.npz"), names.iter().map(|n| (n.as_str(), &one))).unwrap();
    let there = format!(",{}", joined(|i| format!(r#""coefficient_{i}": {{"shape": [1], "coeff": true}}"#)));
    let graph = spec::from_text(&text(&there, ""), "s.json", Some(dir.path())).unwrap();
    assert_eq!(graph.parameters(), MANY);
    let missing = there.replace("coefficient_", "coeficient_");
    let error = spec::from_text(&text(&missing, ""), "s.json", Some(dir.path())).unwrap_err();
    assert_eq!(error.each().len(), 101);
    assert!(error.each()[0].to_string().contains("did you mean \"coefficient_0\"?"), "{}", error.each()[0]);
    assert!(error.each()[100].to_string().contains("too many errors; showing the first 100"));
}

#[test]
fn inputs_and_what_they_are_fed() {
    if passed_alone("many::inputs_and_what_they_are_fed", 60) {
        return;
    }
    let tensors = format!(",{}", joined(|i| format!(r#""input_{i}": {{"shape": [1]}}"#)));
    let inputs = format!(",{}", joined(|i| format!(r#""input_{i}""#)));
    let graph = spec::from_text(&text(&tensors, &inputs), "s.json", None).unwrap();
    let fed = |stem: &str| {
        let inputs = (0..MANY).map(|i| (format!("{stem}_{i}"), Array::from([1f32])));
        inputs.chain([("x".to_owned(), Array::from([1f32]))]).collect::<IndexMap<_, _>>()
    };
    let run = |feeds| run(&graph, &feeds, &CpuBackend::new(), &RunOptions::default().threads(1));
    assert_eq!(run(fed("input")).unwrap().tensors.len(), 1);
    assert_eq!(run(fed("inputt")).unwrap_err().each().len(), 101);
    // No input is listed; all are unknown; each occurs twice.
    for wrong in [String::new(), inputs.replace("input", "inputt"), format!("{inputs}{inputs}")] {
        let error = spec::from_text(&text(&tensors, &wrong), "s.json", None).unwrap_err();
        assert!(error.each().len() >= 100, "{error}");
    }
}

#[test]
fn operators_and_outputs() {
    if passed_alone("many::operators_and_outputs", 60) {
        return;
    }
    let mut g = Graph::new("n").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let outputs: Vec<_> = (0..MANY / 4).map(|_| g.relu(x).call().unwrap()).collect();
    g.set_outputs(&outputs).unwrap();
    let text = spec::to_text(&g, None).unwrap();
    assert_eq!(spec::from_text(&text, "s.json", None).unwrap().operators().len(), MANY / 4);
    let mut unknown = String::new();
    for i in 0..MANY {
        let _ = write!(unknown, r#"{{"op": "relu", "args": {{"input": "u{i}"}}, "out": "z{i}"}},"#);
    }
    let wrong = text.replacen("\"ops\": [", &format!("\"ops\": [{unknown}"), 1);
    assert_eq!(spec::from_text(&wrong, "s.json", None).unwrap_err().each().len(), 101);
}
