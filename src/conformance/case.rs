use crate::{
    array::{Array, read_npz},
    base::{Error, Result},
    exec::{CpuBackend, RunOptions, run},
    graph::{Graph, Tensor},
    mlir, spec,
};
use indexmap::IndexMap;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tpulang_base::{files, nearest, truncated};

/// A graph with its inputs and expected results.
#[derive(Debug)]
pub struct Case {
    /// File and number, for messages.
    pub name: String,
    /// The graph.
    pub graph: Graph,
    /// One array per input.
    pub feeds: IndexMap<String, Array>,
    /// Expected tensors by name.
    pub expected: IndexMap<String, Array>,
}

impl Case {
    /// Reads the cases of a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read; otherwise same as for [`Case::read_text`].
    pub fn read(path: impl AsRef<Path>) -> Result<Vec<Case>> {
        let path = path.as_ref();
        let bytes = files::read(path, files::MAX_MODULE)?;
        let text =
            String::from_utf8(bytes).map_err(|e| Error::format(path, format!("not UTF-8 text: {}", e.utf8_error())))?;
        Case::read_text(&text, &path.display().to_string())
    }

    /// Reads cases from text; `file` is for messages.
    ///
    /// # Errors
    /// Returns an error if a module or a value in its comments cannot be parsed, or if a case has no expected values.
    pub fn read_text(text: &str, file: &str) -> Result<Vec<Case>> {
        let parts = text.split("// -----").filter(|p| !p.trim().is_empty());
        parts.enumerate().map(|(i, part)| one(part, &format!("{file}#{}", i + 1))).collect()
    }

    /// Creates a case that expects the CPU backend's results for all tensors of the graph.
    ///
    /// # Errors
    /// Returns an error if the CPU backend cannot run the graph.
    pub fn by_cpu(name: impl Into<String>, graph: Graph, feeds: IndexMap<String, Array>) -> Result<Case> {
        let options = RunOptions::default().all(true);
        let expected = run(&graph, &feeds, &CpuBackend::new(), &options)?.tensors;
        Ok(Case { name: name.into(), graph, feeds, expected })
    }

    /// Reads the cases of a checkout of this repository: those of every op (`tests/ops`), and the recorded graphs
    /// (`tests/cases`). A backend of your own passes with [`check`](super::check): see `examples/second_backend.rs`.
    ///
    /// ```
    /// use tpulang::conformance::Case;
    /// assert!(Case::of_checkout(".")?.len() > 500);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a folder or a case cannot be read.
    pub fn of_checkout(root: impl AsRef<Path>) -> Result<Vec<Case>> {
        let tests = root.as_ref().join("tests");
        let mut cases = Vec::new();
        for file in entries(&tests.join("ops"))? {
            cases.extend(Case::read(file)?);
        }
        for group in entries(&tests.join("cases"))?.iter().filter(|path| path.is_dir()) {
            let folders = entries(group)?.into_iter().filter(|folder| folder.join("inputs.npz").exists());
            cases.extend(folders.map(Case::recorded).collect::<Result<Vec<_>>>()?);
        }
        Ok(cases)
    }

    /// Like [`Case::by_cpu`], with the files `spec.json` and `inputs.npz` of a folder.
    ///
    /// # Errors
    /// Returns an error if the files cannot be read, or if the CPU backend cannot run the graph.
    pub fn recorded(folder: impl AsRef<Path>) -> Result<Case> {
        let folder = folder.as_ref();
        let graph = spec::read(folder.join("spec.json"), spec::Weights::Load)?;
        Case::by_cpu(folder.display().to_string(), graph, read_npz(folder.join("inputs.npz"))?)
    }
}

/// Returns the paths in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
    let mut paths = entries.map(|e| Ok(e.map_err(Error::io(folder))?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn one(text: &str, name: &str) -> Result<Case> {
    let statements = || text.lines().filter_map(|l| statement(l.trim().strip_prefix("// ")?));
    // Shapes may depend on the values of coefficients. Unreadable values are reported below, where the tensor is known.
    let numbers = |json: &str| {
        let mut numbers = Vec::new();
        flatten(&serde_json::from_str(json).ok()?, &mut numbers).ok().map(|()| numbers)
    };
    let weights = statements().filter(|s| s.0 == "weight").filter_map(|s| Some((s.1.to_owned(), numbers(s.2)?)));
    let mut graph = mlir::read_text_with(text, &weights.collect()).map_err(|e| Error::format(name, e))?;
    let (mut feeds, mut expected) = (IndexMap::new(), IndexMap::new());
    for (kind, tensor, json) in statements() {
        let handle = graph.find(tensor).map_err(|e| Error::format(name, e))?;
        let array = array(&graph, handle, json).map_err(|e| Error::format(name, format!("{kind} {tensor}: {e}")))?;
        match kind {
            "input" => drop(feeds.insert(tensor.to_owned(), array)),
            "weight" => graph.set_data(handle, array)?,
            _ => drop(expected.insert(tensor.to_owned(), array)),
        }
    }
    if expected.is_empty() {
        let hint =
            nearest("expect", text.split_whitespace()).map(|w| format!(" (is {w:?} meant?)")).unwrap_or_default();
        return Err(Error::format(
            name,
            format!("it expects nothing: a line `// expect NAME = [..]` is missing{hint}"),
        ));
    }
    Ok(Case { name: name.to_owned(), graph, feeds, expected })
}

/// Parses a statement such as `input x = [1, 2]` into keyword, tensor and value.
fn statement(line: &str) -> Option<(&str, &str, &str)> {
    let (head, json) = line.split_once(" = ")?;
    let (kind, tensor) = head.split_once(' ')?;
    ["input", "weight", "expect"].contains(&kind).then_some((kind, tensor.trim(), json.trim()))
}

/// Converts nested lists of numbers to an array of the tensor's type. Computed floats are float32, whatever their dtype.
fn array(graph: &Graph, tensor: Tensor, json: &str) -> Result<Array> {
    let info = graph.tensor(tensor)?;
    let value: Value = serde_json::from_str(json)
        .map_err(|e| Error::format("the value", format!("{:?} is not JSON: {e}", truncated(json))))?;
    let mut numbers = Vec::new();
    flatten(&value, &mut numbers)?;
    let is_weight = info.is_coefficient();
    let dtype = if info.dtype.is_float() && !is_weight { crate::Dtype::Float32 } else { info.dtype };
    Array::from_f64s(dtype, &info.shape, numbers.into_iter())
}

fn flatten(value: &Value, into: &mut Vec<f64>) -> Result<()> {
    match value {
        Value::Array(all) => all.iter().try_for_each(|v| flatten(v, into)),
        Value::Number(n) => {
            into.push(n.as_f64().unwrap_or(f64::NAN));
            Ok(())
        }
        Value::String(s) if ["nan", "inf", "-inf"].contains(&s.as_str()) => {
            into.push(s.parse().unwrap_or(f64::NAN));
            Ok(())
        }
        other => Err(Error::format(
            "the value",
            format!("{other} is not a number; expected numbers, \"nan\", \"inf\" or \"-inf\""),
        )),
    }
}
