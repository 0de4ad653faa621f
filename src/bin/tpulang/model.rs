//! A model given on the command line: a spec or a module.
use std::path::Path;
use tpulang::{Graph, Result, mlir, spec};

/// Reads a `.mlir` as a module, anything else as a spec.
pub fn read(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    if path.extension().is_some_and(|e| e == "mlir") {
        return mlir::read(path, weights);
    }
    spec::read(path, spec::Weights::Load)
}
