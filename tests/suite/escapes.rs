//! Names, paths and words of files may contain control characters, which are never printed, and what a shell replaces.
use super::cli::{shown, tpulang};
use serde_json::Value;
use std::{fs, path::PathBuf, process::Command};
use tpulang::{
    Array, Dtype, Error, Graph, Result,
    array::{read_npz, write_npz},
    base::{CallContext, Cause, Place},
    mlir, spec,
};

/// Clears the screen, sets a color, rings, returns to the start of the line, deletes, and reverses the text.
const HOSTILE: &str = "\u{1b}[2J\u{9b}31m\u{7}\r\u{8}\u{7f}\u{202e}\u{2028}x";

fn check(what: &str, text: &str) {
    let is_bad =
        |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}');
    assert!(!text.contains(is_bad), "{what}: {text:?}");
}

fn check_error<T>(what: &str, result: Result<T>) -> bool {
    let Err(error) = result else { return false };
    check(what, &error.to_string());
    check(what, &format!("{error:?}"));
    error.each().iter().for_each(|e| check(what, &e.to_string()));
    true
}

/// Returns copies of the document with each of its strings and keys replaced in turn.
fn variants(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) => vec![HOSTILE.into(), format!("{text}{HOSTILE}").into()],
        Value::Array(all) => {
            let replaced = |i: usize, new| {
                Value::Array(
                    all.iter().cloned().enumerate().map(|(j, v)| if i == j { Value::clone(&new) } else { v }).collect(),
                )
            };
            (0..all.len())
                .flat_map(|i| variants(&all[i]).into_iter().map(move |new| (i, new)))
                .map(|(i, new)| replaced(i, new))
                .collect()
        }
        Value::Object(all) => {
            let mut out = Vec::new();
            for (key, inner) in all {
                let mut renamed = all.clone();
                renamed.insert(format!("{key}{HOSTILE}"), renamed[key].clone());
                renamed.shift_remove(key);
                out.push(Value::Object(renamed));
                for new in variants(inner) {
                    let mut changed = all.clone();
                    changed.insert(key.clone(), new);
                    out.push(Value::Object(changed));
                }
            }
            out
        }
        _ => vec![HOSTILE.into()],
    }
}

const SPEC: &str = r#"{"version": 1, "name": "net", "mode": "f32",
"tensors": {"x": {"dtype": "float32", "shape": [1, 4], "preprocess": {"pixel_format": "rgb", "mean": [0, 0, 0]}},
            "c": {"shape": [1]}, "w": {"shape": [4, 4], "coeff": true, "data": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
            "q": {"dtype": "int8", "shape": [2], "scale": 0.5, "zero_point": 1}},
"inputs": ["x", "c", "q"],
"functions": {"f": {"inputs": ["a"], "ops": [{"op": "matmul", "args": {"input": "a", "right": "w"}, "out": "o"}], "outputs": ["o"]}},
"ops": [{"op": "f", "args": {"a": "x"}, "out": "h"},
        {"op": "reduce", "args": {"input": "h", "method": "ReduceMean", "axes": [0]}, "out": "m"},
        {"op": "top.If", "args": {"cond": "c"}, "out": "i", "out_dtype": "float32", "out_shape": [1, 4],
         "then": {"ops": [{"op": "relu", "args": {"input": "h"}, "out": "t"}], "outputs": ["t"]},
         "else": {"ops": [{"op": "top.LeakyRelu", "args": {"input": "h", "alpha": 0.5}, "out": "e"}], "outputs": ["e"]}},
        {"op": "top.Custom", "args": {"inputs": ["h"], "name": "mine", "params": []}, "out": "d", "out_dtype": "float32", "out_shape": [1]}],
"outputs": ["i"]}"#;

#[test]
fn errors_of_specs_are_escaped() {
    let document: Value = serde_json::from_str(SPEC).unwrap();
    let text = |v: &Value| serde_json::to_string_pretty(v).unwrap();
    spec::from_text(&text(&document), "net.json", None).unwrap();
    let all = variants(&document);
    let failed = all.iter().filter(|v| check_error(&text(v), spec::from_text(&text(v), HOSTILE, None))).count();
    assert!(failed > 150 && all.len() > 180, "{failed} of {} fail", all.len());
    // Raw control characters are not valid JSON, but errors quote them.
    for at in SPEC.match_indices('"').map(|(i, _)| i + 1) {
        check_error(SPEC, spec::from_text(&format!("{}{HOSTILE}{}", &SPEC[..at], &SPEC[at..]), HOSTILE, None));
    }
}

#[test]
fn errors_of_modules_are_escaped() {
    let text = mlir::emit(&spec::from_text(SPEC, "net.json", None).unwrap()).unwrap().text;
    let places = text.match_indices(|c: char| !c.is_alphanumeric()).map(|(i, c)| i + c.len());
    let failed = places
        .filter(|&at| check_error(&text[at..], mlir::read_text(&format!("{}{HOSTILE}{}", &text[..at], &text[at..]))));
    assert!(failed.count() > 100);
}

#[test]
fn every_cause_is_escaped() {
    let (h, p) = (|| HOSTILE.to_owned(), || PathBuf::from(HOSTILE));
    let io = || std::io::Error::other(HOSTILE);
    let causes = vec![
        Cause::Argument { argument: h(), found: h(), expected: h() },
        Cause::Misfit { argument: h(), problem: h() },
        Cause::Dtype { argument: h(), found: Dtype::Int8, allowed: Vec::new(), remedy: None },
        Cause::DtypeMismatch { left: h(), left_dtype: Dtype::Int8, right: h(), right_dtype: Dtype::Int8 },
        Cause::Rank { argument: h(), found: 1, expected: h() },
        Cause::Axis { argument: h(), axis: 1, rank: 1 },
        Cause::Shape(h()),
        Cause::Quantization { tensor: h(), problem: h() },
        Cause::DuplicateName(h()),
        Cause::UnknownName { kind: "tensor", name: h(), nearest: Some(h()), known: vec![h(), h()] },
        Cause::UnknownArgument { argument: h(), hint: h() },
        Cause::Operator { op: h(), problem: h() },
        Cause::TooLarge { what: h(), needed: h(), limit: h() },
        Cause::Device { device: h(), problem: h() },
        Cause::MissingData(h()),
        Cause::Io { path: p(), source: io() },
        Cause::Format { path: p(), problem: h() },
        Cause::Syntax(h()),
    ];
    let call = CallContext { function: h(), out: Some(h()), index: 1, operands: vec![[h(), h(), h()]] };
    let place = Place { file: h(), line: 1, column: 1, path: h() };
    let all: Vec<Error> = causes.into_iter().map(|c| Error::from(c).in_call(call.clone()).at(place.clone())).collect();
    all.iter().for_each(|e| check("a cause", &e.to_string()));
    check("many", &Error::collect(all).unwrap_err().to_string());
    // Names and paths do not break lines.
    let path = Error::format("a\nerror: b", "c").to_string();
    assert_eq!(path, "a\\nerror: b: c");
}

#[test]
fn commands_escape_what_they_print() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let (net, named, inputs) = (at("net.json"), at(&format!("{HOSTILE}.json")), at("inputs.npz"));
    let (names, other, none) = (at(&format!("{HOSTILE}.npz")), at("other.npz"), at(&format!("{HOSTILE}.png")));
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 4]).unwrap();
    let y = g.relu(x).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    for path in [&net, &named] {
        fs::write(path, spec::to_text(&g, None).unwrap()).unwrap();
    }
    let array = Array::from([1f32, 2.0, 3.0, 4.0]);
    write_npz(&inputs, [("x", &Array::from_vec([1, 4], vec![1f32; 4]).unwrap())]).unwrap();
    write_npz(&names, [(HOSTILE, &array), ("both", &array)]).unwrap();
    write_npz(&other, [(format!("other{HOSTILE}").as_str(), &array), ("both", &array)]).unwrap();
    assert!(read_npz(&names).unwrap().contains_key(HOSTILE));
    let (feed, option) = (format!("{HOSTILE}={none}"), format!("--{HOSTILE}"));
    let commands: [&[&str]; 22] = [
        &["compare", &names, &other],
        &["compare", &names, &names],
        &["compare", &names, &none],
        &["compare", &names, &names, "--tolerance", HOSTILE],
        &["run", &net, "-i", &names, "-o", &at("out.npz")],
        &["run", &net, "-i", &feed, "-o", &at("out.npz")],
        &["run", &net, "-i", &none, "-o", &at("out.npz")],
        &["run", &net, "-i", &inputs, "-o", &at(&format!("out{HOSTILE}.npz"))],
        &["run", &net, "-i", &inputs, "-o", &at("out.npz"), "-d", HOSTILE],
        &["run", &named, "--explain"],
        &["run", HOSTILE, "-i", &inputs, "-o", &at("out.npz")],
        &["run", &at(&format!("{HOSTILE}.mlir")), "--explain"],
        &["bench", &named, "--repeat", HOSTILE],
        &["bench", HOSTILE],
        &["check", &named],
        &["check", &names],
        &["convert", &named, "-o", &at(&format!("folder{HOSTILE}"))],
        &["ops", HOSTILE],
        &["ops", "--search", HOSTILE],
        &["schema", HOSTILE],
        &[HOSTILE],
        &[&option],
    ];
    for command in commands {
        let out = tpulang(command);
        assert!(out.status.code().is_some_and(|code| code <= 2), "{command:?}: {}", out.status);
        for stream in [out.stdout, out.stderr] {
            check(&format!("{command:?}"), &String::from_utf8(stream).unwrap());
        }
    }
}

/// Folders and files may have any names; the commands that a report prints are run.
#[test]
fn printed_commands_are_those_of_a_shell() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join("it's $HOME").join(name).display().to_string();
    let bash = |script: &str| {
        let mut bash = Command::new("bash");
        let script = format!("set -e; tpulang() {{ \"$TPULANG\" \"$@\"; }}; {script}");
        let out = bash.args(["-c", &script]).env("TPULANG", env!("CARGO_BIN_EXE_tpulang")).output().unwrap();
        assert!(out.status.success(), "{script}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let (spec, inputs) = ("examples/patterns/patterns.json", "examples/patterns/inputs.npz");
    let begun = shown(&["init", &at("net")]);
    bash(begun.lines().find_map(|line| line.strip_prefix("next: ")).unwrap());
    let written = shown(&["convert", spec, "-o", &at("build")]);
    let folder = bash(&format!("{}; ls", written.lines().find(|line| line.starts_with("  cd ")).unwrap()));
    assert!(folder.contains("patterns_origin.mlir\n"), "{folder}");
    let refused = shown(&["check", &at("build/patterns_origin.mlir")]);
    bash(&format!("{} --explain", refused.lines().find_map(|line| line.split_once("To run it: ")).unwrap().1));
    let split = shown(&["split", spec, "--at", "found", "-o", &at("parts")]);
    let commands: Vec<&str> = split.lines().filter(|line| line.starts_with("  tpulang run ")).collect();
    assert_eq!(commands.len(), 2, "{split}");
    bash(&commands.join("\n").replace("INPUTS", inputs));
    // Other numbers, which bisect finds.
    let other = at("other.npz");
    let out = tpulang(&["run", spec, "-i", inputs, "--all", "--set", "classes_bias=0.5", "-o", &other]);
    assert!(out.status.success());
    let found = shown(&["bisect", spec, "-i", inputs, "--with", &other, "--on-cpu", "scores", "-o", &at("culprit")]);
    let repeats = found.lines().find(|line| line.starts_with("  tpulang run ")).unwrap();
    assert!(repeats.contains(" --no-fusion --on-cpu scores -o "), "{found}");
    bash(repeats);
}
