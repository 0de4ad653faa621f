//! Mutated files are reported as errors, and never cause a panic.
use super::limits::passed_alone;
use proptest::{prelude::*, test_runner::RngSeed};
use std::fs;
use tpulang::{array::read_arrays, exec, mlir, spec};

const SPECS: [&str; 3] =
    ["tests/cases/Max/Max_0/spec.json", "tests/cases/Concat2/Concat2_0/spec.json", "examples/patterns/patterns.json"];

/// Returns the bytes with some replaced, removed or doubled.
fn mutated(bytes: &[u8], edits: &[(usize, u8, u8)]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for &(at, kind, byte) in edits {
        let at = at % out.len().max(1);
        match kind % 4 {
            0 if at < out.len() => out[at] = byte,
            1 if at < out.len() => {
                out.remove(at);
            }
            2 => out.insert(at.min(out.len()), byte),
            _ => {
                let end = (at + usize::from(byte)).min(out.len());
                let part = out[at.min(end)..end].to_vec();
                out.splice(at.min(end)..at.min(end), part);
            }
        }
    }
    out
}

/// Characters with a meaning in JSON or MLIR.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => prop::sample::select(b"{}[]\",:0123456789-.eE\\ntx\n <>()!%#\"$/*+".to_vec()), 1 => any::<u8>()]
}

fn edits() -> impl Strategy<Value = Vec<(usize, u8, u8)>> {
    prop::collection::vec((any::<usize>(), any::<u8>(), byte()), 1..6)
}

/// Values that are likely to be invalid somewhere.
fn value() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::json;
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1e300),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(1u64 << 40),
        json!("x"),
        json!(""),
        json!([]),
        json!([0, 0]),
        json!([-1, -1]),
        json!([i64::MAX, i64::MAX]),
        json!([1.5, "a"]),
        json!({}),
        json!({"value": 1, "dtype": "int8"}),
        json!([[1, 2], [3]]),
        json!("float16"),
        json!([1, 1, 1, 1, 1, 1]),
    ])
}

/// Collects JSON pointers to all parts of a value.
fn pointers(v: &serde_json::Value, at: String, out: &mut Vec<String>) {
    out.push(at.clone());
    match v {
        serde_json::Value::Object(o) => {
            o.iter().for_each(|(k, v)| pointers(v, format!("{at}/{}", k.replace('~', "~0").replace('/', "~1")), out))
        }
        serde_json::Value::Array(a) => a.iter().enumerate().for_each(|(i, v)| pointers(v, format!("{at}/{i}"), out)),
        _ => {}
    }
}

/// Performs everything that users do with a spec.
fn use_spec(text: &str, dir: &std::path::Path) {
    let Ok(graph) = spec::from_text(text, "mutant", Some(dir)) else {
        return;
    };
    let _ = spec::to_text(&graph, None);
    if graph.tensors().map(|(_, t)| t.elements()).sum::<usize>() > 1 << 20 {
        return;
    }
    let _ = mlir::emit(&graph);
    let feeds = graph.inputs().iter().map(|&t| {
        let info = graph.tensor(t).unwrap();
        (info.name.clone(), tpulang::Array::filled(info.dtype, info.shape.clone(), 1.0).unwrap())
    });
    let _ = exec::run(
        &graph,
        &feeds.collect::<indexmap::IndexMap<_, _>>(),
        &exec::CpuBackend::new(),
        &exec::RunOptions::default().all(true).threads(1),
    );
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(300) })]

    fn any_specs_with_other_bytes(which in 0..=SPECS.len(), edits in edits()) {
        // The last one has comments, parameters and repetitions.
        let path = std::path::Path::new(SPECS.get(which).unwrap_or(&"src/bin/tpulang/init.json"));
        let bytes = mutated(&fs::read(path).unwrap(), &edits);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            use_spec(text, path.parent().unwrap());
        }
    }

    fn any_specs_with_other_values(which in 0..SPECS.len(), at in any::<prop::sample::Index>(), value in value()) {
        let path = std::path::Path::new(SPECS[which]);
        let mut json: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let mut places = Vec::new();
        pointers(&json, String::new(), &mut places);
        if let Some(place) = json.pointer_mut(at.get(&places).as_str()) {
            *place = value;
        }
        use_spec(&json.to_string(), path.parent().unwrap());
    }

    fn any_archives_with_other_bytes(edits in edits()) {
        let dir = tempfile::tempdir().unwrap();
        for (source, name) in [
            ("examples/patterns/weights.npz", "x.npz"),
            ("tests/cases/Max/Max_0/inputs.npz", "y.npz"),
            ("tests/torch/dump.pt", "z.pt"),
            ("tests/torch/module.pt", "m.pt"),
        ] {
            let path = dir.path().join(name);
            fs::write(&path, mutated(&fs::read(source).unwrap(), &edits)).unwrap();
            for array in read_arrays(&path).into_iter().flatten() {
                let _ = array.1.bytes().map(<[u8]>::len);
            }
        }
    }

    fn any_modules_with_other_bytes(which in 0..2usize, edits in edits()) {
        let path = ["tests/cases/Max/Max_0/peer_origin.mlir", "tests/cases/Concat2/Concat2_0/peer.mlir"][which];
        let bytes = mutated(&fs::read(path).unwrap(), &edits);
        if let Ok(text) = std::str::from_utf8(&bytes)
            && let Ok(graph) = mlir::read_text(text)
        {
            let _ = mlir::emit(&graph);
        }
    }
}

#[test]
fn specs_with_other_bytes() {
    if !passed_alone("mutate::specs_with_other_bytes", 20) {
        any_specs_with_other_bytes();
    }
}

#[test]
fn specs_with_other_values() {
    if !passed_alone("mutate::specs_with_other_values", 20) {
        any_specs_with_other_values();
    }
}

#[test]
fn archives_with_other_bytes() {
    if !passed_alone("mutate::archives_with_other_bytes", 20) {
        any_archives_with_other_bytes();
    }
}

#[test]
fn modules_with_other_bytes() {
    if !passed_alone("mutate::modules_with_other_bytes", 20) {
        any_modules_with_other_bytes();
    }
}
