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
