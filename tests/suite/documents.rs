//! The documents refer only to things that exist: linked files and headings, the files that use `unsafe`, and specs that can
//! be read.
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use tpulang::spec;

fn documents() -> Vec<PathBuf> {
    let in_docs = fs::read_dir("docs").unwrap().map(|e| e.unwrap().path());
    let documents = in_docs.filter(|p| p.extension().is_some_and(|e| e == "md"));
    documents.chain(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from)).collect()
}

/// Returns the anchor that a Markdown viewer generates for a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Viewers ignore the case of an anchor.
fn has_heading(document: &Path, wanted: &str) -> bool {
    let text = fs::read_to_string(document).unwrap();
    text.lines().filter(|l| l.starts_with('#')).any(|l| anchor(l.trim_start_matches('#')) == wanted.to_lowercase())
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap();
            if target.starts_with("http") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { document.clone() } else { document.parent().unwrap().join(file) };
            assert!(path.exists(), "{}: {target} does not exist", document.display());
            assert!(heading.is_empty() || has_heading(&path, heading), "{}: no heading {target}", document.display());
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// docs/safety.md lists every file of the crates that has `unsafe` code, and no other.
#[test]
fn every_use_of_unsafe_is_listed() {
    let mut files = Vec::new();
    ["src", "capi"].map(Path::new).iter().for_each(|folder| rust_files(folder, &mut files));
    let has_unsafe = |path: &&PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"].iter().any(|form| text.contains(form))
    };
    let found: BTreeSet<_> = files.iter().filter(has_unsafe).map(|p| p.display().to_string()).collect();
    let document = fs::read_to_string("docs/safety.md").unwrap();
    let (_, table) = document.split_once("| file | what is called |").unwrap();
    let cells = table.lines().skip(2).filter_map(|row| row.split('|').nth(1));
    let listed: BTreeSet<_> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect();
    assert_eq!(found, listed, "files with unsafe code (left), and files that docs/safety.md lists (right)");
}

/// Every complete spec in docs/spec.md is accepted.
#[test]
fn specs_in_the_document_are_read() {
    let document = fs::read_to_string("docs/spec.md").unwrap();
    let specs: Vec<_> = document.split("```json\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
    assert!(specs.len() >= 5, "{}", specs.len());
    for text in specs {
        spec::from_text(text, "spec.md", None).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}
