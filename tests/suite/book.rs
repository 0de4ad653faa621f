//! The chapters of the book say what is so.
use super::cli::tpulang;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use tpulang::{Array, Dtype, array::write_npz, base::Shape};

fn files(folder: &str, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(path.to_str().unwrap(), endings, found);
        } else if endings.iter().any(|ending| path.extension().is_some_and(|e| e == *ending)) {
            found.push(path);
        }
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = fs::read_to_string("docs/SUMMARY.md").unwrap();
    let named: BTreeSet<_> =
        summary.lines().filter_map(|l| Some(l.split_once("](")?.1.trim_end_matches(')'))).collect();
    let mut pages = Vec::new();
    files("docs", &["md"], &mut pages);
    let pages: BTreeSet<_> = pages.iter().map(|p| p.strip_prefix("docs").unwrap().to_str().unwrap()).collect();
    assert_eq!(named, pages.into_iter().filter(|page| *page != "SUMMARY.md").collect());
}

/// A heading quotes a message, with … for what varies.
#[test]
fn messages_of_the_troubleshooting_page_exist() {
    let mut sources = Vec::new();
    files("src", &["rs"], &mut sources);
    files("snapshots", &["snap"], &mut sources);
    files("python", &["rs", "py"], &mut sources);
    let sources: Vec<_> = sources.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let page = fs::read_to_string("docs/troubleshooting.md").unwrap();
    let messages: Vec<_> = page.lines().filter_map(|l| l.strip_prefix("#### `")?.split('`').next()).collect();
    assert!(messages.len() > 30, "{messages:?}");
    let exists = |message: &str| {
        let parts: Vec<_> = message.split('…').map(str::trim).collect();
        sources.iter().any(|text| parts.iter().all(|part| text.contains(part)))
    };
    let missing: Vec<_> = messages.into_iter().filter(|message| !exists(message)).collect();
    assert!(missing.is_empty(), "no source has {missing:#?}");
}

#[test]
fn the_page_for_users_of_tpulang_has_their_functions() {
    let page = fs::read_to_string("docs/tpulang.md").unwrap();
    let shown: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let known = fs::read_to_string("tests/tpulang_signatures.txt").unwrap();
    assert_eq!(shown, known.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect::<Vec<_>>());
}

/// The spec of the PyTorch chapter is checked, run and converted with weights of its shapes.
#[test]
fn the_network_of_the_pytorch_chapter_runs() {
    let chapter = fs::read_to_string("docs/pytorch.md").unwrap();
    let spec = chapter.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let printed = chapter.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let filled = |shape: &str| {
        let shape: Shape = serde_json::from_str(shape).unwrap();
        Array::filled(Dtype::Float32, shape, 0.25).unwrap()
    };
    let weights = printed.lines().map(|line| line.split_once(' ').unwrap()).filter(|(_, shape)| *shape != "[]");
    let weights: Vec<_> = weights.map(|(name, shape)| (name, filled(shape))).collect();
    write_npz(at("classifier.npz"), weights.iter().map(|(name, array)| (*name, array))).unwrap();
    write_npz(at("inputs.npz"), [("image", &filled("[1, 3, 32, 32]"))]).unwrap();
    fs::write(at("classifier.json"), spec.replace("classifier.safetensors", "classifier.npz")).unwrap();
    for command in [
        vec!["check", &at("classifier.json")],
        vec!["run", &at("classifier.json"), "-i", &at("inputs.npz"), "-o", &at("results.npz")],
        vec!["compare", &at("results.npz"), &at("results.npz")],
        vec!["convert", &at("classifier.json"), "-o", &at("build")],
    ] {
        let done = tpulang(&command);
        assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
    assert!(Path::new(&at("build/classifier_origin.mlir")).exists());
}
