//! A model given on the command line: a spec or a module.
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};
use tpulang::{Error, Graph, Result, spec};

/// Reads a `.mlir` as a module, anything else as a spec.
pub fn read(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    if path.extension().is_some_and(|e| e == "mlir") {
        return read_module(path, weights);
    }
    read_spec(path, spec::Weights::Load)
}

#[cfg(feature = "mlir")]
fn read_module(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    tpulang::mlir::read(path, weights)
}

#[cfg(not(feature = "mlir"))]
fn read_module(path: &Path, _: Option<&Path>) -> Result<Graph> {
    Err(Error::format(path, "this tpulang was built without MLIR; it reads specs (JSON)"))
}

/// Reads a spec from a file, from standard input (`-`), or from what a shell puts for `<(command)`. Files alone are opened by
/// name: a named pipe may have no writer, but these are open.
pub fn read_spec(path: &Path, weights: spec::Weights) -> Result<Graph> {
    let (stream, name): (Box<dyn Read>, _) = match () {
        () if path == Path::new("-") => (Box::new(io::stdin()), "standard input"),
        () if path.starts_with("/dev/fd") => (Box::new(File::open(path).map_err(Error::io(path))?), "the pipe"),
        () => return spec::read(path, weights),
    };
    spec::from_reader(stream, name, (weights == spec::Weights::Load).then_some(Path::new(".")))
}
