//! A model given on the command line: a spec or a module.
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};
use tpulang::{Error, Graph, Result, spec};
use tpulang_base::invalid;

/// Reads an `.mlir` as a module and any other file as a spec.
pub fn read(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    if is_module(path) {
        return read_module(path, weights);
    }
    read_spec(path, spec::Weights::Load)
}

fn is_module(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "mlir")
}

/// Reads a spec for a command that does not take modules.
pub fn read_spec_for(command: &str, path: &Path, weights: spec::Weights) -> Result<Graph> {
    if is_module(path) {
        let path = path.display();
        return Err(invalid(format!(
            "{path} is an MLIR module; {command} takes a JSON spec. To run it: tpulang run {path}"
        )));
    }
    read_spec(path, weights)
}

#[cfg(feature = "mlir")]
fn read_module(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    tpulang::mlir::read(path, weights)
}

#[cfg(not(feature = "mlir"))]
fn read_module(path: &Path, _: Option<&Path>) -> Result<Graph> {
    Err(Error::format(path, "this tpulang was built without MLIR; it reads specs (JSON)"))
}

/// Reads a spec from a file, standard input (`-`), or a process substitution (`<(command)`) of the shell.
///
/// Other named pipes are refused, since opening one blocks until it has a writer.
fn read_spec(path: &Path, weights: spec::Weights) -> Result<Graph> {
    let (stream, name): (Box<dyn Read>, _) = match () {
        () if path == Path::new("-") => (Box::new(io::stdin()), "standard input"),
        () if path.starts_with("/dev/fd") => (Box::new(File::open(path).map_err(Error::io(path))?), "the pipe"),
        () => return spec::read(path, weights),
    };
    spec::from_reader(stream, name, (weights == spec::Weights::Load).then_some(Path::new(".")))
}
