//! The rooms know each other in one direction.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Each room knows those before it.
const ROOMS: [&str; 6] = ["base", "array", "quant", "ops", "graph", "functions"];
/// These stand side by side: each knows those above, and not the others.
const SIDE_BY_SIDE: [&str; 3] = ["mlir", "spec", "exec"];
/// These know all of them.
const LAST: [&str; 1] = ["conformance"];

fn allowed(room: &str) -> Vec<&str> {
    match ROOMS.iter().position(|r| *r == room) {
        Some(at) => ROOMS[..=at].to_vec(),
        None if SIDE_BY_SIDE.contains(&room) => ROOMS.iter().copied().chain([room]).collect(),
        None => [&ROOMS[..], &SIDE_BY_SIDE, &LAST].concat(),
    }
}

/// The rooms that a text names: `crate::graph::..`, and each of `use crate::{graph::.., quant}`.
fn named(text: &str) -> Vec<(usize, String)> {
    let word = |t: &str| t.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let line = text[..at].matches('\n').count() + 1;
        let rest = &text[at + "crate::".len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.push((line, word(rest)));
            continue;
        };
        let mut depth = 0;
        let mut starts = true;
        for (i, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => starts = true,
                c if c.is_whitespace() => {}
                _ => {
                    if starts && depth == 0 {
                        found.push((line, word(&list[i..])));
                    }
                    starts = false;
                }
            }
        }
    }
    found
}

/// What stands before the tests, which may look at everything, and without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let before = text.split("#[cfg(test)]").next().unwrap();
    before.lines().map(|l| l.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() { all.extend(files(&entry.path())) } else { all.push(entry.path()) }
    }
    all
}

/// Where a room is: in the crate below, or in this one.
fn folder(room: &str) -> PathBuf {
    let below = Path::new("core/src").join(room);
    if below.exists() { below } else { Path::new("src").join(room) }
}

#[test]
fn no_arrow_runs_back_up() {
    let all = [&ROOMS[..], &SIDE_BY_SIDE, &LAST].concat();
    let mut wrong = Vec::new();
    for room in &all {
        let folder = folder(room);
        for path in files(&folder).iter().filter(|p| p.file_name().is_some_and(|n| n != "testing.rs")) {
            for (line, to) in named(&code(path)) {
                if all.contains(&to.as_str()) && !allowed(room).contains(&to.as_str()) {
                    wrong.push(format!("{}:{line}: {room} knows {to}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_room_is_listed() {
    let folders = ["core/src", "src"].map(|f| fs::read_dir(f).unwrap());
    for entry in folders.into_iter().flatten().flatten().filter(|e| e.path().is_dir()) {
        let name = entry.file_name().into_string().unwrap();
        assert!(name == "bin" || [&ROOMS[..], &SIDE_BY_SIDE, &LAST].concat().contains(&name.as_str()), "{name}");
    }
}

#[test]
fn arrows_are_found() {
    let text = "use crate::{\n    array::Array,\n    graph::{Graph, Tensor},\n};\nlet x = crate::spec::read();";
    let found: Vec<_> = named(text).into_iter().map(|f| f.1).collect();
    assert_eq!(found, ["array", "graph", "spec"]);
}
