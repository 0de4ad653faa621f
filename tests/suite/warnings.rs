//! Warnings: each example of docs/warnings.md, as the command prints it.
use super::{cli::tpulang, snapshot};
use std::{fmt::Write, fs, path::Path};
use tpulang::{Array, array::write_npz, base::WarningCode};

/// Returns the JSON example of a code, if it has one.
fn example(page: &str, code: WarningCode) -> Option<String> {
    let section = page.split(&format!("\n## {code}\n")).nth(1)?.split("\n## ").next()?;
    Some(section.split("\n```json\n").nth(1)?.split("\n```").next()?.to_owned())
}

/// Runs the command in a folder, and returns the exit status and what it printed to standard error.
fn run(dir: &Path, args: &[&str]) -> (Option<i32>, String) {
    let place = |arg: &&str| if arg.contains('.') { dir.join(arg).display().to_string() } else { (*arg).to_owned() };
    let args: Vec<String> = args.iter().map(place).collect();
    let out = tpulang(&args.iter().map(String::as_str).collect::<Vec<_>>());
    (out.status.code(), String::from_utf8_lossy(&out.stderr).replace(&format!("{}/", dir.display()), ""))
}

#[test]
fn every_example_is_warned_about_as_its_page_says() {
    let page = fs::read_to_string("docs/warnings.md").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let bias = Array::from([1f32, 2.0, 3.0, 4.0]);
    write_npz(dir.path().join("weights.npz"), [("bias", &bias), ("scale", &bias)]).unwrap();
    write_npz(dir.path().join("inputs.npz"), [("x", &Array::from([-1f32, 1.0]))]).unwrap();
    let mut all = String::new();
    for code in WarningCode::all() {
        let Some(spec) = example(&page, code) else { continue };
        fs::write(dir.path().join("net.json"), spec).unwrap();
        let run_it: &[&str] = match code {
            WarningCode::NotFiniteResult => &["run", "net.json", "-i", "inputs.npz", "-o", "outputs.npz"],
            WarningCode::SaturatedResult => &["run", "net.json", "--random", "0", "-o", "outputs.npz"],
            WarningCode::IntegerOverflow => &["run", "net.json", "--set", "ids=12345", "-o", "outputs.npz"],
            _ => &["check", "net.json"],
        };
        let (status, text) = run(dir.path(), run_it);
        assert_eq!(status, Some(0), "{code}: {text}");
        let codes: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("warning[")?.split(']').next()).collect();
        assert_eq!(codes, [code.name()], "{text}");
        let _ = writeln!(all, "{text}");

        let with = |options: &[&str]| run(dir.path(), &[run_it, options].concat());
        assert_eq!(with(&["--allow", code.name()]), (Some(0), String::new()));
        assert_eq!(with(&["--quiet"]), (Some(0), String::new()));
        let (status, denied) = with(&["--deny", code.name()]);
        assert_eq!(status, Some(2), "{denied}");
        assert!(denied.starts_with(&format!("error[{code}]: ")), "{denied}");
    }
    snapshot("warnings", &all);
}

/// The selection is integers on the chip, and the table lacks `h`.
#[test]
fn what_a_chip_computes_otherwise_is_warned_about() {
    let dir = tempfile::tempdir().unwrap();
    let spec = r#"{"version": 1, "name": "net", "inputs": ["x", "mask"], "outputs": ["y"],
        "tensors": {"x": {"shape": [1, 4]}, "mask": {"shape": [1, 4]}},
        "ops": [{"op": "sin", "args": {"input": "x"}, "out": "h"},
                {"op": "top.Where", "args": {"cond": "mask", "tbrn": "x", "fbrn": "h"}, "out": "y"}]}"#;
    fs::write(dir.path().join("net.json"), spec).unwrap();
    fs::write(dir.path().join("c.table"), "x 1 -1 1\nmask 1 0 1\ny 1 -1 1\n").unwrap();
    let run_it = ["run", "net.json", "--random", "0", "--calibration", "c.table", "-o", "out.npz"];
    for code in ["missing-threshold", "not-emulated"] {
        let (status, text) = run(dir.path(), &[&run_it[..], &["--deny", code]].concat());
        assert!(status == Some(2) && text.contains(&format!("error[{code}]: ")), "{text}");
        assert!(!dir.path().join("out.npz").exists());
    }
    let (status, text) = run(dir.path(), &run_it);
    let expected = "warning[missing-threshold]: c.table has no threshold for the tensor \"h\"; the tool chain may refuse it\n\
        warning[not-emulated]: the chip computes the layer \"y\" in integers; here it is F16, so the chip's error may be larger; \
        calibrate --search keeps it in floats\n";
    assert_eq!((status, text.as_str()), (Some(0), expected));
    let (_, text) = run(dir.path(), &[&run_it[..], &["--message-format", "json"]].concat());
    let codes = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["code"].clone());
    assert_eq!(codes.collect::<Vec<_>>(), ["missing-threshold", "not-emulated"]);
}

#[test]
fn nothing_is_written_if_a_warning_is_denied() {
    let dir = tempfile::tempdir().unwrap();
    let page = fs::read_to_string("docs/warnings.md").unwrap();
    fs::write(dir.path().join("net.json"), example(&page, WarningCode::NotFiniteWeight).unwrap()).unwrap();
    let (status, text) = run(dir.path(), &["convert", "net.json", "-o", "./out", "--deny", "warnings"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(!dir.path().join("out").exists(), "{text}");
    let (status, text) = run(dir.path(), &["convert", "net.json", "-o", "./out"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("warning[not-finite-weight]"), "{text}");
}

/// The weights are read before anything is written.
#[test]
fn every_command_that_writes_a_model_denies_warnings() {
    let dir = tempfile::tempdir().unwrap();
    write_npz(dir.path().join("weights.npz"), [("w", &Array::from([1f32, f32::NAN]))]).unwrap();
    let spec = r#"{"version": 1, "name": "net", "weights": "weights.npz", "inputs": ["x", "unused"], "outputs": ["y"],
        "tensors": {"x": {"shape": [2]}, "unused": {"shape": [2]}, "w": {"shape": [2], "coeff": true}},
        "ops": [{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "w"}, "out": "h"},
                {"op": "relu", "args": {"input": "h"}, "out": "y"}]}"#;
    fs::write(dir.path().join("net.json"), spec).unwrap();
    for command in [
        &["convert", "net.json", "-o", "./out"][..],
        &["spec", "net.json", "-o", "out/new.json"],
        &["split", "net.json", "--at", "h", "-o", "./out"],
        &["gradients", "net.json", "--with-respect-to", "x", "-o", "out/new.json"],
        &["show", "net.json", "--html", "out/net.html"],
        &["show", "net.json", "--dot", "out/net.dot"],
        &["bench", "net.json", "--repeat", "1", "-o", "out/y.npz"],
    ] {
        let out = dir.path().join("out");
        for code in ["not-finite-weight", "unused-input"] {
            let (status, text) = run(dir.path(), &[command, &["--deny", code]].concat());
            assert!(status == Some(2) && text.contains(&format!("error[{code}]: ")), "{command:?}: {text}");
            assert!(!out.exists(), "{command:?} --deny {code}: {text}");
        }
        let (status, text) = run(dir.path(), command);
        assert!(status == Some(0) && text.contains("warning[unused-input]: "), "{command:?}: {text}");
        // A drawing shows no weights.
        let reads_weights = !command.contains(&"--dot");
        assert_eq!(text.contains("warning[not-finite-weight]: "), reads_weights, "{command:?}: {text}");
        fs::remove_dir_all(out).unwrap();
    }
}

#[test]
fn messages_are_json_objects() {
    let dir = tempfile::tempdir().unwrap();
    let page = fs::read_to_string("docs/warnings.md").unwrap();
    fs::write(dir.path().join("net.json"), example(&page, WarningCode::SurprisingDefault).unwrap()).unwrap();
    let (_, text) = run(dir.path(), &["check", "net.json", "--message-format", "json"]);
    let message: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&message["severity"], &message["code"]), (&"warning".into(), &"surprising-default".into()));
    assert_eq!((&message["call"]["function"], &message["place"]["line"]), (&"avgpool2d".into(), &5.into()));
    fs::write(dir.path().join("net.json"), "[").unwrap();
    let (status, text) = run(dir.path(), &["check", "net.json", "--message-format", "json"]);
    let message: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &message["severity"], &message["code"]), (Some(2), &"error".into(), &serde_json::Value::Null));
}

#[test]
fn codes_are_explained() {
    let explain = |args: &[&str]| {
        let out = tpulang(args);
        (out.status.code(), String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    let (status, list, _) = explain(&["explain"]);
    assert_eq!((status, list.lines().count()), (Some(0), WarningCode::all().count()));
    let (status, page, _) = explain(&["explain", "unused-input"]);
    assert_eq!(status, Some(0));
    assert!(page.starts_with("unused-input\n\nNo operator reads an input"), "{page}");
    let (status, _, error) = explain(&["explain", "unused-inputs"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("did you mean unused-input?"), "{error}");
}

/// A network with warnings of three codes: an unused input, NaN in a weight, and a result that is not finite.
const WITH_WARNINGS: &str = r#"{
  "version": 1, "name": "net", "allow": ["unused-input", "not-finite-result", "not-finite-weight"],
  "tensors": {
    "x": {"shape": [2]}, "mask": {"shape": [2]},
    "c": {"shape": [2], "coeff": true, "data": ["nan", 1]}
  },
  "inputs": ["x", "mask"],
  "ops": [{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "c"}, "out": "y"}],
  "outputs": ["y"]
}
"#;

#[test]
fn a_spec_allows_warnings() {
    let dir = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(dir.path().join("net.json"), text).unwrap();
    let run_it = ["run", "net.json", "--random", "0", "-o", "out.npz"];
    let with = |options: &[&str]| run(dir.path(), &[&run_it, options].concat());
    write(WITH_WARNINGS);
    assert_eq!(with(&[]), (Some(0), String::new()));
    assert_eq!(run(dir.path(), &["check", "net.json"]), (Some(0), String::new()));
    // An option about one code precedes the list of the model, and that one an option about all.
    assert_eq!(with(&["--deny", "warnings"]), (Some(0), String::new()));
    for code in ["unused-input", "not-finite-result", "not-finite-weight"] {
        let (status, text) = with(&["--deny", code]);
        assert!(status == Some(2) && text.starts_with(&format!("error[{code}]: ")), "{text}");
        assert_eq!(text.matches("error[").count(), 1, "{text}");
    }
    write(&WITH_WARNINGS.replace(r#""unused-input", "#, ""));
    let (status, text) = with(&["--deny", "warnings"]);
    assert!(status == Some(2) && text.starts_with("error[unused-input]: "), "{text}");
    assert_eq!(with(&["--allow", "warnings"]), (Some(0), String::new()));
}

#[test]
fn written_specs_keep_what_is_allowed() {
    use tpulang::spec;
    let graph = spec::from_text(WITH_WARNINGS, "net.json", None).unwrap();
    assert!(graph.warnings().is_empty());
    let again = spec::from_text(&spec::to_text(&graph, None).unwrap(), "again.json", None).unwrap();
    let allowed = [WarningCode::UnusedInput, WarningCode::NotFiniteWeight, WarningCode::NotFiniteResult];
    assert_eq!(again.allowed().collect::<Vec<_>>(), allowed);
    let formatted = spec::format(WITH_WARNINGS, "net.json").unwrap();
    assert!(
        formatted.contains(r#""allow": ["unused-input", "not-finite-result", "not-finite-weight"]"#),
        "{formatted}"
    );
}

/// Warnings about tensors of functions and repetitions, and about weights of a file, have their places.
#[test]
fn warnings_about_tensors_have_places() {
    let dir = tempfile::tempdir().unwrap();
    let bias = Array::from([1f32, f32::NAN]);
    write_npz(dir.path().join("weights.npz"), [("bias", &bias), ("other", &bias)]).unwrap();
    let spec = r#"{
  "version": 1, "name": "net", "weights": "weights.npz",
  "tensors": {
    "other": {"coeff": true},
    "unused.${i}": {"repeat": 2, "shape": [2]},
    "x": {"shape": [2]}
  },
  "inputs": ["x", {"repeat": 2, "each": "unused.${i}"}],
  "functions": {
    "layer": {"inputs": ["a"], "ops": [
      {"op": "add", "args": {"tensor_i0": "a", "tensor_i1": "bias"}, "out": "h"},
      {"op": "exp", "args": {"input": "h"}, "out": "unread"},
      {"op": "relu", "args": {"input": "h"}, "out": "out"}
    ], "outputs": ["out"]},
    "plain": {"inputs": ["a"], "ops": [{"op": "relu", "args": {"input": "a"}, "out": "out"}], "outputs": ["out"]}
  },
  "ops": [
    {"op": "layer", "args": {"a": "x"}, "out": "é"},
    {"op": "mul", "args": {"tensor_i0": "é", "tensor_i1": "other"}, "out": "y"},
    /* é */ {"op": "plain", "repeat": 2, "args": {"a": "y"}, "out": "e${i}"}
  ],
  "outputs": ["y"]
}
"#;
    fs::write(dir.path().join("net.json"), spec).unwrap();
    let (status, text) = run(dir.path(), &["check", "net.json", "--message-format", "json"]);
    assert_eq!(status, Some(0), "{text}");
    let found: Vec<String> = text
        .lines()
        .map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).unwrap();
            let place = &message["place"];
            let told = message["message"].as_str().unwrap().split(';').next().unwrap().to_owned();
            format!("{}:{} {}: {told}", place["line"], place["column"], place["path"].as_str().unwrap_or("-"))
        })
        .collect();
    assert_eq!(
        found,
        [
            r#"5:20 tensors.unused.${i}{i=0}: no operator reads the input "unused.0", and it is not an output"#,
            r#"5:20 tensors.unused.${i}{i=1}: no operator reads the input "unused.1", and it is not an output"#,
            r#"12:7 functions.layer.ops[1]: nothing reads "é/unread", a result of top.Exp, and it is not an output"#,
            r#"20:13 ops[2]{i=0}: nothing reads "e0", a result of top.Relu, and it is not an output"#,
            r#"20:13 ops[2]{i=1}: nothing reads "e1", a result of top.Relu, and it is not an output"#,
            r#"4:14 tensors.other: the coefficient "other" has 1 NaN element, first at index 1"#,
            r#"11:7 functions.layer.ops[0]: the coefficient "bias" has 1 NaN element, first at index 1"#,
        ]
    );
}
