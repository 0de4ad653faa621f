//! `tpulang show`: what it prints, which files it writes, and its exit status.
use super::{cli::tpulang, snapshot};
use std::fs;

fn shown(args: &[&str]) -> String {
    let out = tpulang(&[&["show"], args].concat());
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let code = out.status.code().map_or("killed".into(), |c| c.to_string());
    format!("$ tpulang show {}\n{}{}[exit {code}]\n", args.join(" "), text(&out.stdout), text(&out.stderr))
}

#[test]
fn specs_modules_and_what_differs() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let spec = "examples/patterns/patterns.json";
    assert!(tpulang(&["convert", spec, "-o", &at("")]).status.success());
    let other = fs::read_to_string(spec)
        .unwrap()
        .replace("\"ReduceMean\"", "\"ReduceMax\"")
        .replace("weights.npz", &at("weights.npz"));
    fs::write(at("other.json"), other).unwrap();
    fs::copy("examples/patterns/weights.npz", at("weights.npz")).unwrap();
    let module = at("patterns_origin.mlir");
    let calls: [&[&str]; 5] =
        [&[spec], &[&module], &[spec, &at("other.json")], &[spec, spec], &[spec, &at("missing.json")]];
    snapshot("show", &calls.map(shown).join("\n").replace(&at(""), "DIR/"));
}

#[test]
fn files_are_written_whole_and_never_over_what_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    for name in ["patterns.json", "weights.npz", "inputs.npz"] {
        fs::copy(format!("examples/patterns/{name}"), at(name)).unwrap();
    }
    let spec = at("patterns.json");
    let profile = tpulang(&["run", &spec, "-i", &at("inputs.npz"), "-o", &at("out.npz"), "--profile=json"]);
    fs::write(at("profile.json"), profile.stdout).unwrap();
    let profile = at("profile.json");
    let written =
        shown(&[&spec, "--profile", &profile, "--html", &at("a.html"), "--svg", &at("a.svg"), "--dot", &at("a.dot")]);
    assert!(
        written.ends_with(&format!("\n{}\n{}\n{}\n[exit 0]\n", at("a.html"), at("a.svg"), at("a.dot"))),
        "{written}"
    );
    let read = |name: &str| fs::read_to_string(at(name)).unwrap();
    assert!(read("a.html").starts_with("<!doctype html>") && read("a.html").contains("\"timed\":true"));
    assert!(read("a.svg").starts_with("<svg") && read("a.dot").starts_with("digraph"));
    let to_stdout = tpulang(&["show", &spec, "--dot", "-"]);
    assert_eq!((String::from_utf8(to_stdout.stdout).unwrap(), to_stdout.stderr), (read("a.dot"), Vec::new()));

    assert!(shown(&[&spec, "--svg", &at("new/a.svg")]).ends_with("\n[exit 0]\n") && read("new/a.svg") == read("a.svg"));

    let twice = shown(&[&spec, "--svg", &at("same"), "--dot", &at("new/../same")]);
    assert!(twice.contains("; --svg has the same file\n") && twice.ends_with("[exit 2]\n"), "{twice}");
    let before = (read("patterns.json"), fs::read(at("weights.npz")).unwrap(), read("profile.json"));
    let wrong = [
        shown(&[&spec, "--html", &spec]),
        shown(&[&spec, "--svg", &at("weights.npz")]),
        shown(&[&spec, "--profile", &profile, "--dot", &profile]),
        shown(&[&spec, "--svg", &at("same"), "--dot", &at("same")]),
        shown(&[&spec, "--svg", &at("profile.json/a.svg")]),
        shown(&[&spec, "--profile", &spec]),
        shown(&["examples/edges/edges.json", "--profile", &profile]),
        shown(&[&spec, &spec, "--html", &at("b.html")]),
    ];
    snapshot("show_errors", &wrong.join("\n").replace(&at(""), "DIR/"));
    assert!(before == (read("patterns.json"), fs::read(at("weights.npz")).unwrap(), read("profile.json")));
    assert!(fs::read_dir(dir.path()).unwrap().all(|e| !e.unwrap().file_name().to_string_lossy().starts_with("b.")));
}
