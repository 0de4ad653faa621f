//! A model given on the command line: a spec or a module, with the options of reading it. Commands flatten [`Model`] or
//! [`Spec`] into their arguments.
use super::{
    content::{self, Content, Other},
    diagnostics,
    run::FILES,
};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};
use tpulang::{Error, Graph, Result, spec};
use tpulang_base::{argument, escaped_path, files, invalid};

/// The argument of a command that takes specs and modules.
#[derive(clap::Args)]
pub struct Model {
    /// A graph spec (.json, or - for standard input), or a Top dialect .mlir file
    #[arg(id = "model", value_name = "MODEL")]
    pub path: PathBuf,
    #[command(flatten)]
    options: ModelOptions,
}

impl Model {
    pub fn read(&self) -> Result<Graph> {
        self.options.read(&self.path)
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
    spec: SpecOptions,
}

impl ModelOptions {
    /// Reads a module or a spec.
    pub fn read(&self, path: &Path) -> Result<Graph> {
        self.read_with(path, self.weights.as_deref())
    }
    fn read_with(&self, path: &Path, weights: Option<&Path>) -> Result<Graph> {
        if !is_module(path)? {
            if let Some(weights) = weights {
                let expected =
                    format!("it is for .mlir models; {} names its files under \"weights\"", escaped_path(path));
                return Err(argument("--weights", escaped_path(weights), expected));
            }
            return self.spec.read(path, spec::Weights::Load);
        }
        if !self.spec.params.is_empty() {
            return Err(invalid(format!(
                "--param sets a parameter of a spec; {} is an MLIR module",
                escaped_path(path)
            )));
        }
        read_module(path, weights)
    }
}

/// The argument of a command that takes specs only.
#[derive(clap::Args)]
pub struct Spec {
    /// A graph spec (.json, or - for standard input)
    #[arg(id = "spec", value_name = "SPEC")]
    pub path: PathBuf,
    #[command(flatten)]
    options: SpecOptions,
}

impl Spec {
    /// Reads the spec for the command of that name.
    pub fn read_for(&self, command: &str, weights: spec::Weights) -> Result<Graph> {
        self.options.read_for(command, &self.path, weights)
    }
}

/// How to read a spec.
#[derive(clap::Args)]
pub struct SpecOptions {
    /// Set a parameter of the spec (repeat --param for several)
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, spec::Param)>,
}

/// Reads `NAME=VALUE`.
fn param(given: &str) -> Result<(String, spec::Param), String> {
    let (name, value) = given.split_once('=').ok_or("expected NAME=VALUE, as in N=8")?;
    Ok((name.to_owned(), spec::Param::from_argument(value)))
}

impl SpecOptions {
    /// Reads a spec for a command that does not take modules.
    pub fn read_for(&self, command: &str, path: &Path, weights: spec::Weights) -> Result<Graph> {
        if is_module(path)? {
            let path = path.display();
            return Err(invalid(format!(
                "{path} is an MLIR module; {command} takes a JSON spec. To run it: tpulang run {path}"
            )));
        }
        self.read(path, weights)
    }
    /// Reads a spec from a file, standard input (`-`), or a process substitution (`<(command)`) of the shell.
    ///
    /// Other named pipes are refused, since opening one blocks until it has a writer.
    fn read(&self, path: &Path, weights: spec::Weights) -> Result<Graph> {
        let options = self
            .params
            .iter()
            .fold(spec::Options::new().weights(weights), |options, (name, value)| options.param(name, value.clone()));
        if !is_stream(path) {
            return options.read(path);
        }
        let (mut stream, name): (Box<dyn Read>, _) = match path == Path::new("-") {
            true => (Box::new(io::stdin()), "standard input"),
            false => (Box::new(File::open(path).map_err(Error::io(path))?), "the pipe"),
        };
        let bytes = files::read_stream(&mut stream, Path::new(name), files::MAX_SPEC)?;
        diagnostics::remember(name, &bytes);
        options.read_stream(bytes.as_slice(), name, Some(Path::new(".")))
    }
}

/// Returns whether a file is a module; otherwise it is read as a spec.
///
/// # Errors
/// Returns an error if it is known to be neither.
fn is_module(path: &Path) -> Result<bool> {
    if is_stream(path) {
        return Ok(false);
    }
    match content::of(path) {
        Ok(Content::Other(Other { what, hint })) => Err(Error::format(path, format!("this is {what}; {hint}"))),
        Ok(Content::Module) => Ok(true),
        // The name decides which reader says what is wrong with the file.
        Ok(Content::Text) | Err(_) => Ok(path.extension().is_some_and(|extension| extension == "mlir")),
    }
}

/// Whether a model can be read only once.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || path.starts_with("/dev/fd")
}

#[cfg(feature = "mlir")]
fn read_module(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    tpulang::mlir::read(path, weights)
}

#[cfg(not(feature = "mlir"))]
fn read_module(path: &Path, _: Option<&Path>) -> Result<Graph> {
    Err(Error::format(path, "this tpulang was built without MLIR; it reads specs (JSON)"))
}
