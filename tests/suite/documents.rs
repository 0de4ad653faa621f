//! The documents refer only to things that exist: linked files and headings, the files that use `unsafe`, and specs that can
//! be read.
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use tpulang::{GradientSupport, gradient_support, ops::OPS, spec};

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

/// Returns the files in some folders, and in those within, whose names end in this extension.
pub fn files_in(folders: &[&str], extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders): (Vec<_>, Vec<PathBuf>) = (Vec::new(), folders.iter().map(PathBuf::from).collect());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found
}

/// docs/safety.md lists every file of the crates that has `unsafe` code, and no other.
#[test]
fn every_use_of_unsafe_is_listed() {
    let files = files_in(&["src", "capi", "python"], "rs");
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
    let blocks = document.split("```json").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    let specs: Vec<_> = blocks.filter_map(|block| block.trim_start_matches(['c', '\n']).strip_prefix('{')).collect();
    assert!(specs.len() >= 9, "{}", specs.len());
    // The weights that one of them names.
    let folder = tempfile::tempdir().unwrap();
    let array = |shape: &[usize]| tpulang::Array::filled(tpulang::Dtype::Float32, shape, 0.5).unwrap();
    let (weight, bias) = (array(&[4, 3, 3, 3]), array(&[4]));
    let arrays = [("conv.weight", &weight), ("conv.bias", &bias)];
    tpulang::array::write_npz(folder.path().join("weights.npz"), arrays).unwrap();
    for text in specs {
        let text = format!("{{{text}");
        spec::from_text(&text, "spec.md", Some(folder.path())).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}

/// The text of docs/gradients.md below a heading.
fn section(document: &str, heading: &str) -> String {
    let (_, rest) = document.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap().to_owned()
}

/// The cells of the first two columns of a table's rows.
fn rows(section: &str) -> Vec<(String, String)> {
    let rows = section.lines().filter(|l| l.starts_with("| ")).skip(2);
    rows.map(|row| {
        let mut cells = row.split(" | ").map(|c| c.trim_matches(['|', ' ']).to_owned());
        (cells.next().unwrap(), cells.next().unwrap())
    })
    .collect()
}

/// docs/gradients.md has each op in the list that it belongs to, with the reason if it has no gradient.
#[test]
fn gradients_are_those_of_the_rules() {
    let document = fs::read_to_string("docs/gradients.md").unwrap();
    let (mut with_rule, mut zero, mut refused) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for op in OPS.iter().filter(|op| !op.structure) {
        match gradient_support(op) {
            GradientSupport::Rule => drop(with_rule.insert(op.name.to_owned())),
            GradientSupport::Zero => drop(zero.insert(op.name.to_owned())),
            GradientSupport::None(why) => drop(refused.insert((op.name.to_owned(), why.to_owned()))),
            support => panic!("{support:?} has no list"),
        }
    }
    let listed: BTreeSet<_> = rows(&section(&document, "Ops with a gradient")).into_iter().map(|row| row.0).collect();
    assert_eq!(with_rule, listed, "ops with a rule (left), and those of docs/gradients.md; run `make gradients`");
    let names = section(&document, "Ops with the derivative 0");
    let listed = names.trim().trim_end_matches('.').split(',').map(|name| name.trim().to_owned()).collect();
    assert_eq!(zero, listed, "ops whose derivative is 0 (left), and those of docs/gradients.md");
    let listed = rows(&section(&document, "Ops without a gradient")).into_iter().collect();
    assert_eq!(refused, listed, "ops without a gradient (left), and those of docs/gradients.md");
}
