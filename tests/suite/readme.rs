//! Runs every command of the README, docs/command.md and docs/calibration.md in order, in a folder that contains only the files of a clone.
use super::assert_same;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// A fenced block: its language and its lines.
struct Block<'t> {
    language: &'t str,
    text: &'t str,
}

fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut rest = document;
    while let Some((_, from)) = rest.split_once("\n```") {
        let (language, body) = from.split_once('\n').unwrap();
        let end = if body.starts_with("```") { 0 } else { body.find("\n```").expect("an unclosed block") + 1 };
        found.push(Block { language, text: &body[..end] });
        rest = &body[end + 3..];
    }
    found
}

/// The shell of a reader after the first commands: `tpulang` is the binary under test, and `make demo` has installed and
/// built it, so that only the demo's own script remains to run.
const PRELUDE: &str = r#"set -eu
export COLUMNS=100
tpulang() { "$TPULANG" "$@"; }
make() { [ "$*" = demo ] && sh scripts/demo.sh "$TPULANG"; }
"#;

/// The line between the outputs of blocks.
const MARK: &str = "==== next block ====\n";

/// Returns a shell script of all blocks. They share one shell, because later blocks use variables of earlier ones.
fn script(blocks: &[Block]) -> String {
    let mut script = PRELUDE.to_owned();
    for block in blocks {
        script += &match block.language {
            "sh" => format!("printf '{MARK}'\n{}", block.text),
            // The command after the prompt may fail; its output is compared.
            "console" => {
                let command = block.text.lines().next().and_then(|l| l.strip_prefix("$ ")).expect("a prompt");
                format!("printf '{MARK}'\n{{ {command}; }} 2>&1 || true\n")
            }
            _ => continue,
        };
    }
    script
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn every_command_runs_and_prints_what_is_shown() {
    let results = ["build/patterns_origin.mlir", "build/out.npz", "edges.npz", "all.npz", "tpulang.schema.json"];
    run_document("README.md", &results);
}

#[test]
fn every_command_of_the_page_about_the_command_runs() {
    run_document("docs/command.md", &["build/patterns_origin.mlir", "hidden.npy", "man/tpulang-run.1"]);
}

#[test]
fn every_command_of_the_page_about_calibration_runs() {
    run_document("docs/calibration.md", &["patterns.table", "mse.table", "merged.table"]);
}

/// Runs the commands of a document, compares what they print with what it shows, and expects their `results`.
fn run_document(document: &str, results: &[&str]) {
    let readme = fs::read_to_string(document).unwrap();
    let blocks = blocks(&readme);
    let dir = tempfile::tempdir().unwrap();
    for folder in ["examples", "scripts"] {
        copy_folder(Path::new(folder), &dir.path().join(folder));
    }
    let mut bash = Command::new("bash");
    bash.args(["-c", &script(&blocks)]).current_dir(dir.path()).env("TPULANG", env!("CARGO_BIN_EXE_tpulang"));
    let out = bash.stdin(Stdio::null()).output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "the commands of {document} fail:\n{text}{errors}");

    let printed = text.split(MARK).skip(1);
    let run: Vec<_> = blocks.iter().filter(|b| ["sh", "console"].contains(&b.language)).collect();
    assert!(run.len() >= 5 && run.len() == printed.clone().count(), "{text}");
    let mut updated = readme.clone();
    for (block, printed) in run.iter().zip(printed).filter(|(b, _)| b.language == "console") {
        let (prompt, _) = block.text.split_once('\n').unwrap();
        updated = updated.replacen(block.text, &format!("{prompt}\n{printed}"), 1);
    }
    // Same variable as for snapshots.
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(document, &updated).unwrap();
    } else {
        // The document must show the output of its commands.
        assert_same(&readme, &updated);
    }
    for result in results {
        assert!(dir.path().join(result).exists(), "{result}");
    }
}

/// The spec shown in the README is the one that its commands run.
#[test]
fn the_spec_is_the_example() {
    let readme = fs::read_to_string("README.md").unwrap();
    let shown: Vec<_> = blocks(&readme).into_iter().filter(|b| b.language == "json").map(|b| b.text).collect();
    assert_eq!(shown, [fs::read_to_string("examples/edges/edges.json").unwrap()]);
}
