//! A spec file, from its text to a graph.
use super::{
    node::{Document, Fields},
    read::Reader,
};
use crate::{
    base::{Cause, Error, Lock, Place, Result, argument, files},
    graph::{Graph, Mode},
};
use std::{io::Read, path::Path};

const KEYS: [&str; 10] =
    ["$schema", "version", "name", "mode", "weights", "tensors", "inputs", "functions", "ops", "outputs"];

/// Whether the data of coefficients are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Open the weights file; the data are read when they are needed.
    Load,
    /// Only look at the graph: it can be checked, but neither emitted nor run.
    Skip,
}

/// Reads a spec file.
///
/// # Errors
/// The file is not a spec of a valid graph; independent mistakes are told together, each with path, line and column.
pub fn read(path: impl AsRef<Path>, weights: Weights) -> Result<Graph> {
    let path = path.as_ref();
    // Both files are of one pair, even if they are exchanged meanwhile.
    let _lock = Lock::shared(files::folder(path))?;
    let bytes = files::read(path, files::MAX_SPEC)?;
    let dir = match weights {
        Weights::Load => Some(path.parent().unwrap_or(Path::new("."))),
        Weights::Skip => None,
    };
    from_bytes(&bytes, &path.display().to_string(), dir)
}

/// Reads a spec from a stream, such as standard input. `file` and `dir` are as in [`from_text`].
///
/// # Errors
/// As [`read`].
pub fn from_reader(stream: impl Read, file: &str, dir: Option<&Path>) -> Result<Graph> {
    from_bytes(&files::read_stream(stream, Path::new(file), files::MAX_SPEC)?, file, dir)
}

fn from_bytes(bytes: &[u8], file: &str, dir: Option<&Path>) -> Result<Graph> {
    if bytes.starts_with(b"PK\x03\x04") {
        return Err(Error::format(file, "this is an archive (.npz), not a graph spec (JSON)"));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let before = &bytes[..e.valid_up_to()];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        let problem = format!("not UTF-8 text: byte 0x{:02x}", bytes[e.valid_up_to()]);
        Error::from(Cause::Syntax(problem)).at(Place { file: file.into(), line, column, path: String::new() })
    })?;
    from_text(text, file, dir)
}

/// Reads a spec from text. `file` names it in messages; the weights file is looked for in `dir`, and left alone without one.
///
/// # Errors
/// As [`read`].
pub fn from_text(text: &str, file: &str, dir: Option<&Path>) -> Result<Graph> {
    // A byte order mark is what some editors begin a file with.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    check_kind(text).map_err(|e| e.at(Place { file: file.into(), line: 1, column: 1, path: String::new() }))?;
    let document = Document { file, text };
    let root = document.root()?;
    let fields = root.fields(&KEYS)?;
    let version = fields.need("version")?;
    if version.text() != "1" {
        let shown: String = version.text().chars().take(40).collect();
        return Err(version.problem(format!("version is {shown}; this tpulang reads version 1")));
    }
    let name = fields.need("name")?;
    let mut graph = Graph::new(name.read::<String>()?).map_err(|e| e.at(name.place()))?;
    graph.mode = mode(&fields)?;
    let mut reader = Reader::new(graph);
    reader.tensors(&fields, dir)?;
    reader.inputs(fields.need("inputs")?)?;
    if let Some(functions) = fields.get("functions") {
        reader.functions(functions)?;
    }
    reader.ops(fields.need("ops")?)?;
    reader.outputs(fields.need("outputs")?)?;
    reader.finish()
}

fn mode(fields: &Fields) -> Result<Mode> {
    let Some(node) = fields.get("mode") else {
        return Ok(Mode::default());
    };
    match node.read::<String>()?.as_str() {
        "f32" => Ok(Mode::F32),
        "quantized" => Ok(Mode::Quantized),
        other => {
            let found = format!("{:?}", crate::base::shown(other));
            Err(argument("mode", found, "expected \"f32\" or \"quantized\"").at(node.place()))
        }
    }
}

/// Recognises files that are likely to be passed instead of a spec.
fn check_kind(text: &str) -> Result<()> {
    let mut start = text.trim_start();
    while start.starts_with("//") {
        start = start.split_once('\n').map_or("", |(_, rest)| rest.trim_start());
    }
    if text.trim_start().is_empty() {
        return Err(Cause::Syntax("the file is empty; expected a graph spec, a JSON object".into()).into());
    }
    if ["module", "#loc", "func.func", "\"builtin.module\""].iter().any(|m| start.starts_with(m)) {
        let problem = "this is an MLIR module, not a graph spec (JSON); `tpulang run` takes it as an .mlir file";
        return Err(Cause::Syntax(problem.into()).into());
    }
    Ok(())
}
