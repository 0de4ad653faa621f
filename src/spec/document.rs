//! Reading a spec into a graph.
use super::{
    node::{Document, Fields},
    read::Reader,
};
use crate::{
    base::{Cause, Error, Lock, Place, Result, argument, escaped, files},
    graph::{Graph, Mode},
};
use std::{io::Read, path::Path};

const KEYS: [&str; 11] =
    ["$schema", "version", "name", "mode", "weights", "tensors", "inputs", "functions", "ops", "outputs", "updates"];

/// Whether to read the data of coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Open the weights file. Data are read on first use.
    Load,
    /// Read only the graph, which can be checked, but neither emitted nor run.
    Skip,
}

/// Reads a spec file.
///
/// # Errors
/// Returns an error if the file is not a spec of a valid graph. Independent errors are reported together, each with path,
/// line and column.
pub fn read(path: impl AsRef<Path>, weights: Weights) -> Result<Graph> {
    let path = path.as_ref();
    // The spec and its weights stay a pair, even if both are replaced concurrently.
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
/// Same as for [`read`].
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

/// Reads a spec from text. Messages call it `file`. The weights file is searched in `dir`; without `dir` it is not read.
///
/// # Errors
/// Same as for [`read`].
pub fn from_text(text: &str, file: &str, dir: Option<&Path>) -> Result<Graph> {
    // Some editors write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    check_kind(text, file).map_err(|e| e.at(Place { file: file.into(), line: 1, column: 1, path: String::new() }))?;
    let document = Document::new(file, text);
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
    fields.get("updates").map_or(Ok(()), |node| reader.updates(node))?;
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
            let found = format!("{:?}", crate::base::truncated(other));
            Err(argument("mode", found, "expected \"f32\" or \"quantized\"").at(node.place()))
        }
    }
}

/// Recognizes files that are likely to be passed by mistake.
fn check_kind(text: &str, file: &str) -> Result<()> {
    // Modules may begin with comments, like those of `convert`.
    let mut lines = text.lines().map(str::trim_start);
    let Some(start) = lines.find(|line| !line.is_empty() && !line.starts_with("//")) else {
        let found = if text.trim_start().is_empty() { "empty" } else { "only comments" };
        return Err(Cause::Syntax(format!("the file is {found}; expected a graph spec, a JSON object")).into());
    };
    if ["module", "#loc", "func.func", "\"builtin.module\""].iter().any(|m| start.starts_with(m)) {
        let hint = match file.ends_with(".mlir") {
            true => format!("to run it: tpulang run {}", escaped(file)),
            false => "`tpulang run` reads modules from .mlir files".to_owned(),
        };
        let problem = format!("this is an MLIR module, not a graph spec (JSON); {hint}");
        return Err(Cause::Syntax(problem).into());
    }
    Ok(())
}
