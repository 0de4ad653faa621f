//! The command: what it prints, and its exit codes.
use super::snapshot;
use std::process::{Command, Output};

pub fn tpulang(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tpulang")).args(args).env("COLUMNS", "100").output().unwrap()
}

fn shown(args: &[&str]) -> String {
    let out = tpulang(args);
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let code = out.status.code().map_or("killed".into(), |c| c.to_string());
    format!("$ tpulang {}\n{}{}[exit {code}]\n", args.join(" "), text(&out.stdout), text(&out.stderr))
}

#[test]
fn help() {
    let mut all = shown(&["--help"]);
    for command in ["convert", "check", "run", "compare", "ops", "schema"] {
        all += &format!("\n{}", shown(&[command, "--help"]));
    }
    snapshot("help", &all);
}

#[test]
fn functions_are_listed_and_shown() {
    let calls: [&[&str]; 9] = [
        &["ops"],
        &["ops", "conv_quant"],
        &["ops", "requant_int"],
        &["ops", "top.Softmax"],
        &["ops", "--search", "transpose"],
        &["ops", "--search", "frobnicate"],
        &["ops", "convv"],
        &["ops", "MaxPool"],
        &["ops", "torch.cat"],
    ];
    snapshot("ops", &calls.map(shown).join("\n"));
}

/// The examples of the help texts, on a real network.
#[test]
fn a_network_goes_all_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    let spec = "examples/patterns/patterns.json";
    let (out, all) = (at("out.npz"), at("all.npz"));
    let steps: [&[&str]; 7] = [
        &["check", spec],
        &["check", spec, "--no-weights"],
        &["convert", spec, "-o", &at("")],
        &["run", spec, "-i", "examples/patterns/inputs.npz", "-o", &out],
        &["run", &at("patterns_origin.mlir"), "-i", "examples/patterns/inputs.npz", "-o", &all, "--all", "-j", "1"],
        &["compare", "examples/patterns/expected.npz", &out],
        &["compare", &out, &all, "--model", spec, "--tolerance", "0.9,0.9"],
    ];
    let text: Vec<_> = steps.iter().map(|s| shown(s)).collect();
    let text = text.join("\n").replace(&dir.path().display().to_string(), "DIR");
    // The last digits depend on the processor's instructions.
    snapshot(
        "patterns",
        &text
            .lines()
            .map(|l| if l.starts_with("probability   ") { "probability ..." } else { l })
            .collect::<Vec<_>>()
            .join("\n"),
    );
}

/// `make docs` writes them.
#[test]
fn generated_documents_are_true() {
    let documents: [(&str, &[&str]); 3] = [
        ("docs/functions.md", &["ops", "--markdown", "functions"]),
        ("docs/ops.md", &["ops", "--markdown", "ops"]),
        ("docs/schema.json", &["schema"]),
    ];
    for (file, args) in documents {
        let stale = std::fs::read(file).unwrap() != tpulang(args).stdout;
        assert!(!stale, "{file} is stale: make docs");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_tpulang")).arg("schema").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// /dev/full takes nothing.
#[test]
fn what_cannot_be_printed_is_an_error() {
    use std::{fs::File, process::Stdio};
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str| dir.path().join(n).display().to_string();
    let (spec, folder, out) = ("examples/patterns/patterns.json", at(""), at("out.npz"));
    let (inputs, expected) = ("examples/patterns/inputs.npz", "examples/patterns/expected.npz");
    let commands: [&[&str]; 11] = [
        &["check", spec],
        &["convert", spec, "-o", &folder],
        &["run", spec, "-i", inputs, "-o", &out],
        &["compare", expected, expected],
        &["compare", expected, inputs],
        &["ops"],
        &["ops", "--markdown", "functions"],
        &["ops", "--markdown", "ops"],
        &["schema"],
        &["--help"],
        &["--version"],
    ];
    for args in commands {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpulang"));
        let out = command.args(args).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {text}");
        assert_eq!(text, "error: standard output: No space left on device (os error 28)\n", "{args:?}");
        // An error that cannot be told either.
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpulang"));
        assert_eq!(command.args(args).stdout(full()).stderr(full()).status().unwrap().code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_does_not_hide_the_verdict() {
    use std::process::Stdio;
    let args = ["compare", "examples/patterns/expected.npz", "examples/patterns/inputs.npz"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_tpulang")).args(args).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// Standard input, and what a shell puts for `<(command)`.
#[test]
fn specs_come_through_pipes() {
    let dir = tempfile::tempdir().unwrap();
    let shell = |script: &str| {
        let mut bash = Command::new("bash");
        bash.args(["-c", script, env!("CARGO_BIN_EXE_tpulang")]).arg(dir.path());
        let out = bash.current_dir("examples/patterns").output().unwrap();
        (out.status.code(), [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat())
    };
    let (code, checked) = shell("\"$0\" check patterns.json");
    assert_eq!(code, Some(0), "{checked}");
    for script in ["cat patterns.json | \"$0\" check -", "\"$0\" check <(cat patterns.json)"] {
        assert_eq!(shell(script), (code, checked.clone()), "{script}");
    }
    let (code, said) = shell("\"$0\" convert - -o \"$1\" <patterns.json");
    assert!(code == Some(0) && dir.path().join("patterns_origin.mlir").exists(), "{said}");
    for (script, expected) in [
        ("echo '[' | \"$0\" check -", "--> standard input:2:1"),
        ("printf '\\n{\\xff' | \"$0\" check -", "error: not UTF-8 text: byte 0xff\n   --> standard input:2:2"),
        (
            "head -c 300M /dev/zero | \"$0\" check -",
            "error: standard input: it has more than 268435456 bytes; at most 268435456 are read",
        ),
        ("mkfifo \"$1/pipe\"; \"$0\" check \"$1/pipe\"", "/pipe: it is a named pipe, not a file"),
    ] {
        let (code, said) = shell(script);
        assert!(code == Some(2) && said.contains(expected), "{script}: {said}");
    }
}
