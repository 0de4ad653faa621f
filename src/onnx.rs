//! ONNX files: any exported network as a graph.
//!
//! Nodes whose operands are known are computed while the file is read, by the CPU's kernels; the others become operators, under the
//! names that the file gives their results.

pub use tpulang_onnx::{NEWEST, Options, names};

use crate::{
    Graph, Result,
    array::Array,
    exec::{CpuBackend, RunOptions, Session},
};
use indexmap::IndexMap;
use std::{io::Read, path::Path};

/// Reads an ONNX file.
///
/// Its weights stay in the file, or in files of external data beside it, until they are needed. Sizes that the file leaves open are
/// set by [`Options::dimension`] and [`Options::shape`].
///
/// ```no_run
/// use tpulang::onnx::{self, Options};
/// let graph = onnx::read("resnet50.onnx", &Options::new().dimension("batch", 1))?;
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the file cannot be read or is not valid, if sizes of inputs are open, or if nodes cannot be converted; then
/// it names all of them.
pub fn read(path: impl AsRef<Path>, options: &Options) -> Result<Graph> {
    tpulang_onnx::read(path, options, &evaluate)
}

/// Reads an ONNX model from a stream; `name` is for messages. External data lie in the current folder.
///
/// # Errors
/// Same as for [`read`].
pub fn read_stream(stream: impl Read, name: &str, options: &Options) -> Result<Graph> {
    tpulang_onnx::read_stream(stream, name, options, &evaluate)
}

/// Computes the outputs of a graph without inputs.
fn evaluate(graph: &Graph) -> Result<IndexMap<String, Array>> {
    let none: [(&str, Array); 0] = [];
    Session::new(graph, CpuBackend::new(), &RunOptions::default().threads(1))?.run(&none)
}
