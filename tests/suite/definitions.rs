//! `tpulang ops --json` has the form that docs/definitions.md describes.
use crate::snapshot;
use serde_json::{Map, Value};
use std::{collections::BTreeSet, process::Command};
use tpulang::{functions::functions, ops::OPS};

fn definitions() -> Value {
    let run = Command::new(env!("CARGO_BIN_EXE_tpulang")).args(["ops", "--json"]).output().unwrap();
    assert!(run.status.success());
    serde_json::from_slice(&run.stdout).unwrap()
}

fn entries<'v>(of: &'v Value, list: &str) -> Vec<&'v Map<String, Value>> {
    of[list].as_array().unwrap().iter().map(|entry| entry.as_object().unwrap()).collect()
}

/// Adds the keys of objects, which all have the same ones.
fn keys(objects: &[&Map<String, Value>], all: &mut BTreeSet<String>) {
    let of = |object: &Map<String, Value>| object.keys().cloned().collect::<BTreeSet<_>>();
    assert!(objects.iter().all(|object| of(object) == of(objects[0])), "{objects:?}");
    all.extend(of(objects[0]));
}

#[test]
fn every_function_and_op_is_defined_and_every_key_described() {
    let all = definitions();
    let (functions_found, ops_found) = (entries(&all, "functions"), entries(&all, "ops"));
    let name = |entry: &&Map<String, Value>| entry["name"].as_str().unwrap().to_owned();
    assert!(functions_found.iter().map(name).eq(functions().map(|f| f.name.to_owned())));
    assert!(ops_found.iter().map(name).eq(OPS.iter().map(|op| op.name.to_owned())));
    let mut found: BTreeSet<String> = all.as_object().unwrap().keys().cloned().collect();
    keys(&functions_found, &mut found);
    keys(&ops_found, &mut found);
    let nested = |entries: &[&Map<String, Value>], lists: &[&str]| -> Vec<Map<String, Value>> {
        let values = entries.iter().flat_map(|entry| lists.iter().flat_map(|list| entry[*list].as_array().unwrap()));
        values.map(|value| value.as_object().unwrap().clone()).collect()
    };
    for inner in [
        nested(&functions_found, &["arguments"]),
        nested(&ops_found, &["operands", "results"]),
        nested(&ops_found, &["attributes"]),
    ] {
        keys(&inner.iter().collect::<Vec<_>>(), &mut found);
    }
    let document = std::fs::read_to_string("docs/definitions.md").unwrap();
    let missing: Vec<_> = found.iter().filter(|key| !document.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/definitions.md does not describe {missing:?}");
}

/// A change of the form is a change of `format`, unless it adds keys.
#[test]
fn the_form_is_stable() {
    let all = definitions();
    let one = |list: &str, name: &str| {
        let found = all[list].as_array().unwrap().iter().find(|entry| entry["name"] == name);
        serde_json::to_string_pretty(found.unwrap()).unwrap()
    };
    let known = [one("functions", "softmax"), one("ops", "Softmax"), one("ops", "Loop"), one("ops", "Mmap2Rgbmap")];
    let known = known.join("\n");
    snapshot("definitions", &format!("format {}\n{known}", all["format"]));
}
