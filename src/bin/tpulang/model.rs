//! A model given on the command line: a spec, a module or an ONNX file, with the options of reading it. Commands flatten [`Model`] or
//! [`Source`] into their arguments.
use super::{
    content::{self, Content, Other},
    diagnostics::{self, Diagnostics},
    feeds::{Inputs, STDIN},
    run::FILES,
    shell::shell_word,
};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};
use tpulang::{Error, Graph, Result, spec};
use tpulang_base::{argument, escaped_path, files, invalid};

/// The argument of a command that takes models of any kind.
#[derive(clap::Args)]
pub struct Model {
    /// A graph spec (.json, or - for standard input), a Top dialect .mlir file, or an ONNX model
    #[arg(id = "model", value_name = "MODEL")]
    pub path: PathBuf,
    #[command(flatten)]
    options: ModelOptions,
}

impl Model {
    pub fn read(&self) -> Result<Graph> {
        self.options.read(&self.path)
    }
    /// Sets sizes that an ONNX model leaves open to those of the arrays that it is fed.
    pub fn take_shapes_of(&mut self, inputs: &Inputs) {
        self.options.take_shapes(&self.path, || inputs.shapes());
    }
    /// Reads the model with the names of an ONNX model's modules in those of its results.
    pub fn read_with_scopes(mut self) -> Result<Graph> {
        self.options.source.scopes = true;
        self.read()
    }
    /// Reads another model with the same parameters.
    pub fn read_other(&self, path: &Path) -> Result<Graph> {
        self.options.read_with(path, None)
    }
}

/// How to read a model, for commands that name it otherwise.
#[derive(clap::Args)]
pub struct ModelOptions {
    /// Weights for an .mlir model. Default: the file that it names, beside it
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    weights: Option<PathBuf>,
    #[command(flatten)]
    source: SourceOptions,
}

impl ModelOptions {
    /// Sets sizes that an ONNX model leaves open to those of these arrays ([`Inputs::shapes`]).
    pub fn take_shapes(&mut self, path: &Path, shapes: impl FnOnce() -> Vec<(Option<String>, Vec<usize>)>) {
        if is_stream(path) || kind(path).is_ok_and(|kind| kind == Kind::Onnx) {
            self.source.feed_shapes = shapes();
        }
    }
    /// Reads a model of any kind.
    pub fn read(&self, path: &Path) -> Result<Graph> {
        self.read_with(path, self.weights.as_deref())
    }
    fn read_with(&self, path: &Path, weights: Option<&Path>) -> Result<Graph> {
        let kind = kind(path)?;
        if kind == Kind::Module {
            self.source.check_unused(path)?;
            return read_module(path, weights);
        }
        if let Some(weights) = weights {
            let names = if kind == Kind::Onnx { "names its files itself" } else { "names its files under \"weights\"" };
            let expected = format!("it is for .mlir models; {} {names}", escaped_path(path));
            return Err(argument("--weights", escaped_path(weights), expected));
        }
        self.source.read(path, spec::Weights::Load)
    }
}

/// The argument of a command that takes specs and ONNX models.
#[derive(clap::Args)]
pub struct Source {
    /// A graph spec (.json, or - for standard input), or an ONNX model
    #[arg(id = "spec", value_name = "MODEL")]
    pub path: PathBuf,
    #[command(flatten)]
    options: SourceOptions,
}

/// Returns the tensors' names in an argument. One that has commas is a name if there is such a tensor, and otherwise a list.
pub fn tensor_names<'a>(graph: &Graph, given: &'a str) -> Vec<&'a str> {
    if graph.lookup(given).is_some() { vec![given] } else { given.split(',').collect() }
}

/// Returns the graph with its loops unrolled, or `None` if it has none of known trip count.
pub fn unrolled(graph: &Graph) -> Result<Option<Graph>> {
    let is_known = graph.loops()?.iter().any(|l| l.trip_count.is_some());
    is_known.then(|| graph.unrolled()).transpose()
}

/// Warns of the graph that the tool chain gets, and returns it: with loops unrolled, and legalized.
pub fn for_chip(graph: Graph, messages: &Diagnostics) -> Result<Graph> {
    unrolled_for_chip(graph, messages)?.legalized()
}

/// Warns of the graph that the tool chain gets, and returns it before it is legalized, with loops unrolled.
pub fn unrolled_for_chip(graph: Graph, messages: &Diagnostics) -> Result<Graph> {
    // A loop is warned of once, not in each of its iterations.
    messages.warn_of_model(&graph.legalized()?)?;
    Ok(unrolled(&graph)?.unwrap_or(graph))
}

impl Source {
    /// Reads the model for the command of that name.
    pub fn read_for(&self, command: &str, weights: spec::Weights) -> Result<Graph> {
        self.options.read_for(command, &self.path, weights)
    }
}

/// Heading of options in help texts.
const ONNX: &str = "ONNX models";

/// How to read a spec or an ONNX model.
#[derive(clap::Args)]
pub struct SourceOptions {
    /// Set a parameter of the spec, or a symbolic dimension of the ONNX model (repeat --param for several)
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, spec::Param)>,
    /// Set the shape of an input, as in x=1x3x224x224 (repeat --shape for several)
    #[arg(long = "shape", help_heading = ONNX, value_name = "NAME=SHAPE", value_parser = shape)]
    shapes: Vec<(String, Vec<usize>)>,
    /// Begin at these values, which are fed instead of computed
    #[arg(long = "cut-inputs", help_heading = ONNX, value_name = "NAMES", value_delimiter = ',')]
    cut_inputs: Vec<String>,
    /// End at these values
    #[arg(long = "cut-outputs", help_heading = ONNX, value_name = "NAMES", value_delimiter = ',')]
    cut_outputs: Vec<String>,
    /// Read weights that lie outside of the model's folder
    #[arg(long, help_heading = ONNX)]
    data_anywhere: bool,
    #[arg(skip)]
    scopes: bool,
    /// Shapes of arrays that are fed.
    #[arg(skip)]
    feed_shapes: Vec<(Option<String>, Vec<usize>)>,
}

/// Reads `NAME=VALUE`.
fn param(given: &str) -> Result<(String, spec::Param), String> {
    let (name, value) = given.split_once('=').ok_or("expected NAME=VALUE, as in N=8")?;
    Ok((name.to_owned(), spec::Param::from_argument(value)))
}

/// Reads `NAME=1x3x224x224`.
fn shape(given: &str) -> Result<(String, Vec<usize>), String> {
    let expected = "expected NAME=SHAPE, as in x=1x3x224x224";
    let (name, sizes) = given.rsplit_once('=').ok_or(expected)?;
    let sizes = sizes.split(['x', ',']).map(|size| size.trim().parse().ok().filter(|s| *s > 0));
    Ok((name.to_owned(), sizes.collect::<Option<_>>().ok_or(expected)?))
}

impl SourceOptions {
    /// Reads a model for a command that does not take modules.
    pub fn read_for(&self, command: &str, path: &Path, weights: spec::Weights) -> Result<Graph> {
        if kind(path)? == Kind::Module {
            return Err(invalid(format!(
                "{} is an MLIR module; {command} takes a JSON spec or an ONNX model. To run it: tpulang run {}",
                escaped_path(path),
                shell_word(path)
            )));
        }
        self.read(path, weights)
    }

    /// Refuses options that are not for modules.
    fn check_unused(&self, path: &Path) -> Result<()> {
        if !self.params.is_empty() {
            let path = escaped_path(path);
            return Err(invalid(format!("--param sets a parameter of a spec; {path} is an MLIR module")));
        }
        self.check_onnx_unused(path, "an MLIR module")
    }

    /// Refuses options that are for ONNX models only.
    fn check_onnx_unused(&self, path: &Path, is: &str) -> Result<()> {
        let given = [
            ("--shape", self.shapes.is_empty()),
            ("--cut-inputs", self.cut_inputs.is_empty()),
            ("--cut-outputs", self.cut_outputs.is_empty()),
            ("--data-anywhere", !self.data_anywhere),
        ];
        match given.iter().find(|(_, is_unused)| !is_unused) {
            Some((option, _)) => Err(invalid(format!("{option} is for ONNX models; {} is {is}", escaped_path(path)))),
            None => Ok(()),
        }
    }

    /// Reads a model from a file, standard input (`-`), or a process substitution (`<(command)`) of the shell.
    ///
    /// Other named pipes are refused, since opening one blocks until it has a writer.
    fn read(&self, path: &Path, weights: spec::Weights) -> Result<Graph> {
        if !is_stream(path) {
            return match kind(path)? {
                Kind::Onnx => self.read_onnx(path),
                _ => self.spec(path, weights)?.read(path),
            };
        }
        let (stream, name): (Box<dyn Read>, _) = match path == Path::new(STDIN) {
            true => (Box::new(io::stdin()), "standard input"),
            false => (Box::new(File::open(path).map_err(Error::io(path))?), "the pipe"),
        };
        let mut stream = BufReader::new(stream);
        if content::is_onnx(stream.fill_buf().map_err(Error::io(name))?) {
            return self.read_onnx_stream(stream, name);
        }
        let bytes = files::read_stream(&mut stream, Path::new(name), files::MAX_SPEC)?;
        diagnostics::remember(name, &bytes);
        self.spec(Path::new(name), weights)?.read_stream(bytes.as_slice(), name, Some(Path::new(".")))
    }

    fn spec(&self, path: &Path, weights: spec::Weights) -> Result<spec::Options> {
        self.check_onnx_unused(path, "a spec")?;
        let params = self.params.iter().map(|(name, value)| (name, value.clone()));
        Ok(params.fold(spec::Options::new().weights(weights), |options, (name, value)| options.param(name, value)))
    }

    #[cfg(feature = "onnx")]
    fn read_onnx(&self, path: &Path) -> Result<Graph> {
        tpulang::onnx::read(path, &self.onnx()?)
    }
    #[cfg(feature = "onnx")]
    fn read_onnx_stream(&self, stream: impl Read, name: &str) -> Result<Graph> {
        tpulang::onnx::read_stream(stream, name, &self.onnx()?)
    }
    #[cfg(feature = "onnx")]
    fn onnx(&self) -> Result<tpulang::onnx::Options> {
        let options = tpulang::onnx::Options::new().data_anywhere(self.data_anywhere).scopes(self.scopes);
        let mut options = options.inputs(&self.cut_inputs).outputs(&self.cut_outputs);
        for (name, shape) in &self.shapes {
            options = options.shape(name, shape.clone());
        }
        for (name, shape) in &self.feed_shapes {
            if let Some(name) = name {
                options = options.feed_shape(name, shape.clone());
            }
        }
        let unnamed = self.feed_shapes.iter().filter(|(name, _)| name.is_none());
        options = options.feed_shapes(unnamed.map(|(_, shape)| shape.clone()));
        for (name, value) in &self.params {
            let size = match value {
                spec::Param::Int(size) => usize::try_from(*size).ok().filter(|s| *s > 0),
                _ => None,
            };
            let size = size.ok_or_else(|| {
                argument(
                    format!("--param {name}"),
                    value,
                    "it sets a dimension of the model: expected a positive integer",
                )
            })?;
            options = options.dimension(name, size);
        }
        Ok(options)
    }

    #[cfg(not(feature = "onnx"))]
    fn read_onnx(&self, path: &Path) -> Result<Graph> {
        Err(Error::format(path, "this tpulang was built without ONNX"))
    }
    #[cfg(not(feature = "onnx"))]
    fn read_onnx_stream(&self, _: impl Read, name: &str) -> Result<Graph> {
        Err(Error::format(name, "this tpulang was built without ONNX"))
    }
}

/// The kinds of models.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Spec,
    Module,
    Onnx,
}

/// Returns the kind of a model; a file that is nothing else is read as a spec.
///
/// # Errors
/// Returns an error if the file is known to be no model.
fn kind(path: &Path) -> Result<Kind> {
    if is_stream(path) {
        return Ok(Kind::Spec);
    }
    match content::of(path) {
        Ok(Content::Other(Other { what, hint })) => Err(Error::format(path, format!("this is {what}; {hint}"))),
        Ok(Content::Module) => Ok(Kind::Module),
        Ok(Content::Onnx) => Ok(Kind::Onnx),
        // The name decides which reader says what is wrong with the file.
        Ok(Content::Text) | Err(_) => Ok(match path.extension().and_then(|extension| extension.to_str()) {
            Some("mlir") => Kind::Module,
            Some("onnx") => Kind::Onnx,
            _ => Kind::Spec,
        }),
    }
}

/// Whether a model can be read only once.
fn is_stream(path: &Path) -> bool {
    path == Path::new(STDIN) || path.starts_with("/dev/fd")
}

#[cfg(feature = "mlir")]
fn read_module(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    tpulang::mlir::read(path, weights)
}

#[cfg(not(feature = "mlir"))]
fn read_module(path: &Path, _: Option<&Path>) -> Result<Graph> {
    Err(Error::format(path, "this tpulang was built without MLIR; it reads specs (JSON)"))
}
