//! Reading a spec into a graph.
use super::{
    node::{Document, Fields, Node, check_identifier},
    params::{Param, Variables},
    plain::plain,
    read::Reader,
    weights::Weights as WeightFiles,
};
use crate::{
    base::{
        Cause, Error, Lock, Place, Result, WarningCode, argument, escaped, files, invalid, misfit, nearest, truncated,
    },
    graph::{Graph, Mode},
};
use indexmap::IndexMap;
use std::{io::Read, path::Path, rc::Rc};

const KEYS: [&str; 13] = [
    "$schema",
    "version",
    "name",
    "mode",
    "allow",
    "params",
    "weights",
    "tensors",
    "inputs",
    "functions",
    "ops",
    "outputs",
    "updates",
];

/// Whether to read the data of coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weights {
    /// Open the weights files. Data are read on first use.
    #[default]
    Load,
    /// Read only the graph, which can be checked, but neither emitted nor run. Weights files are opened only if they give
    /// shapes that the spec does not declare.
    Skip,
}

/// Options for reading a spec.
///
/// ```
/// use tpulang::spec;
/// let text = r#"{
///   "version": 1, "name": "net", "params": {"N": 1},
///   "tensors": {"x": {"shape": ["${N}", 3]}},
///   "inputs": ["x"],
///   "ops": [{"op": "relu", "args": {"input": "x"}, "out": "y"}],
///   "outputs": ["y"]
/// }"#;
/// let graph = spec::Options::new().param("N", 8).read_text(text, "net.json", None)?;
/// assert_eq!(graph.tensor(graph.find("y")?)?.shape, [8, 3]);
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    weights: Weights,
    params: IndexMap<String, Param>,
}

impl Options {
    /// Options to load weights, and with the spec's own parameters.
    pub fn new() -> Options {
        Options::default()
    }
    /// Sets whether to read the data of coefficients.
    pub fn weights(mut self, weights: Weights) -> Options {
        self.weights = weights;
        self
    }
    /// Sets a parameter of the spec, in place of its default.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Param>) -> Options {
        self.params.insert(name.into(), value.into());
        self
    }

    /// Reads a spec file.
    ///
    /// # Errors
    /// Returns an error if the file is not a spec of a valid graph, or if it has no parameter of a given name. Independent
    /// errors are reported together, each with path, line and column.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Graph> {
        let path = path.as_ref();
        // The spec and its weights stay a pair, even if both are replaced concurrently.
        let _lock = Lock::shared(files::folder(path))?;
        let bytes = files::read(path, files::MAX_SPEC)?;
        self.read_bytes(&bytes, &path.display().to_string(), Some(files::folder(path)))
    }

    /// Reads a spec from a stream, such as standard input. `file` and `dir` are as in [`Options::read_text`].
    ///
    /// # Errors
    /// Same as for [`Options::read`].
    pub fn read_stream(&self, stream: impl Read, file: &str, dir: Option<&Path>) -> Result<Graph> {
        self.read_bytes(&files::read_stream(stream, Path::new(file), files::MAX_SPEC)?, file, dir)
    }

    fn read_bytes(&self, bytes: &[u8], file: &str, dir: Option<&Path>) -> Result<Graph> {
        self.read_text(utf8(bytes, file)?, file, dir)
    }

    /// Reads a spec from text. Messages call it `file`. Weights files are searched in `dir`; without `dir` they are not
    /// read.
    ///
    /// # Errors
    /// Same as for [`Options::read`].
    pub fn read_text(&self, text: &str, file: &str, dir: Option<&Path>) -> Result<Graph> {
        let source = without_mark(text);
        check_kind(source, file)
            .map_err(|e| e.at(Place { file: file.into(), line: 1, column: 1, path: String::new() }))?;
        let text = json(source, file)?;
        let document = Document::new(file, source, &text);
        let root = document.root()?;
        let fields = root.fields(&KEYS)?;
        let version = fields.need("version")?;
        if version.text() != "1" {
            let shown: String = version.text().chars().take(40).collect();
            return Err(version.problem(format!("version is {shown}; this tpulang reads version 1")));
        }
        let params = params(&root, fields.get("params"), &self.params)?;
        let fields = fields.with(&params);
        let name = fields.need("name")?;
        let mut graph = Graph::new(name.read::<String>()?).map_err(|e| e.at(name.place()))?;
        graph.mode = mode(&fields)?;
        allowed(&fields)?.into_iter().for_each(|code| graph.allow(code));
        let weights = WeightFiles::new(fields.get("weights").cloned(), dir, self.weights == Weights::Load);
        let mut reader = Reader::new(graph, weights, params);
        reader.tensors(fields.get("tensors"))?;
        reader.inputs(fields.need("inputs")?)?;
        if let Some(functions) = fields.get("functions") {
            reader.functions(functions)?;
        }
        reader.ops(fields.need("ops")?)?;
        reader.outputs(fields.need("outputs")?)?;
        fields.get("updates").map_or(Ok(()), |node| reader.updates(node))?;
        reader.check()?;
        if let Some(node) = fields.get("weights") {
            reader.warn_of_unused_arrays(node);
        }
        Ok(reader.graph)
    }
}

/// Reads a spec file, with the spec's own parameters.
///
/// # Errors
/// Same as for [`Options::read`].
pub fn read(path: impl AsRef<Path>, weights: Weights) -> Result<Graph> {
    Options::new().weights(weights).read(path)
}

/// Reads a spec from a stream, with the spec's own parameters. See [`Options::read_stream`].
///
/// # Errors
/// Same as for [`Options::read`].
pub fn from_reader(stream: impl Read, file: &str, dir: Option<&Path>) -> Result<Graph> {
    Options::new().read_stream(stream, file, dir)
}

/// Reads a spec from text, with the spec's own parameters. See [`Options::read_text`].
///
/// # Errors
/// Same as for [`Options::read`].
pub fn from_text(text: &str, file: &str, dir: Option<&Path>) -> Result<Graph> {
    Options::new().read_text(text, file, dir)
}

/// Returns the bytes of a spec as text.
pub(super) fn utf8<'t>(bytes: &'t [u8], file: &str) -> Result<&'t str> {
    if bytes.starts_with(b"PK\x03\x04") {
        return Err(Error::format(file, "this is an archive (.npz), not a graph spec (JSON)"));
    }
    std::str::from_utf8(bytes).map_err(|e| {
        let before = &bytes[..e.valid_up_to()];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        let problem = format!("not UTF-8 text: byte 0x{:02x}", bytes[e.valid_up_to()]);
        Error::from(Cause::Syntax(problem)).at(Place { file: file.into(), line, column, path: String::new() })
    })
}

/// Returns a text without the byte order mark that some editors write.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Returns a text as JSON of the same length, without comments and trailing commas.
pub(super) fn json<'t>(text: &'t str, file: &str) -> Result<std::borrow::Cow<'t, str>> {
    plain(text).map_err(|at| {
        let problem = "the comment is not closed; it ends with */";
        Error::from(Cause::Syntax(problem.into())).at(Place::of_byte(file, text, at))
    })
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

/// Returns the codes of warnings that the spec allows.
fn allowed(fields: &Fields) -> Result<Vec<WarningCode>> {
    let nodes = fields.get("allow").map_or(Ok(Vec::new()), Node::items)?;
    let code = |node: &Node| WarningCode::from_name(&node.read::<String>()?).map_err(|e| e.at(node.place()));
    nodes.iter().map(code).collect()
}

/// Reads the parameters of a spec, with the values that are given in place of their defaults.
///
/// # Errors
/// Returns an error if a parameter is not valid, has no value, or is given a value of another kind; or if there is no
/// parameter of a given name.
fn params(root: &Node, node: Option<&Node>, given: &IndexMap<String, Param>) -> Result<Rc<Variables>> {
    // One level for all of them, not one for each.
    let mut variables = Variables::with(root.variables(), []);
    let mut names = Vec::new();
    for (name, node) in node.map_or(Ok(Vec::new()), Node::entries)? {
        check_identifier(&name).map_err(|problem| node.problem(problem))?;
        // The default may depend on the parameters before it.
        let default: Option<Param> = node.with(variables.clone()).read()?;
        let missing = || misfit(format!("the parameter {name}"), "has no default; give it a value").at(node.place());
        let value = given.get(&name).cloned().or_else(|| default.clone()).ok_or_else(missing)?;
        let value = value.like(default.as_ref()).map_err(|problem| misfit(format!("the parameter {name}"), problem))?;
        Variables::add(&mut variables, name.clone(), value);
        names.push(name);
    }
    let unknown = given.keys().filter(|name| !names.contains(name)).map(|name| {
        let hint = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near:?}?"),
            None if names.is_empty() => "the spec has no \"params\"".into(),
            None => format!("the spec has {}", truncated(&names.join(", "))),
        };
        invalid(format!("there is no parameter {:?}; {hint}", truncated(name)))
    });
    Error::collect(unknown.collect())?;
    Ok(variables)
}

/// Recognizes files that are likely to be passed by mistake.
fn check_kind(text: &str, file: &str) -> Result<()> {
    if first_line(text).is_none() {
        let found = if text.trim_start().is_empty() { "empty" } else { "only comments" };
        return Err(Cause::Syntax(format!("the file is {found}; expected a graph spec, a JSON object")).into());
    }
    if begins_module(text) {
        let hint = match file.ends_with(".mlir") {
            true => format!("to run it: tpulang run {}", escaped(file)),
            false => "`tpulang run` reads modules from .mlir files".to_owned(),
        };
        let problem = format!("this is an MLIR module, not a graph spec (JSON); {hint}");
        return Err(Cause::Syntax(problem).into());
    }
    Ok(())
}

/// Returns the first line that is neither empty nor a comment.
fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("//"))
}

/// Whether a text begins like an MLIR module. Modules may begin with comments, like those of `convert`.
#[doc(hidden)]
pub fn begins_module(text: &str) -> bool {
    let starts = ["module", "#loc", "func.func", "\"builtin.module\""];
    first_line(text).is_some_and(|line| starts.iter().any(|start| line.starts_with(start)))
}
