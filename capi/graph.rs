//! Graphs.
use super::{free, give, list, text};
use crate::errors::guarded;
use std::{ffi::c_char, path::Path};
use tpulang::{Error, Graph, Result, spec};
use tpulang_base::invalid;

/// A network.
pub struct TpulangGraph(pub(crate) Graph);

/// Reads a network from a file: an `.mlir`, or a spec (JSON). `weights` may be null: the weights are then read from the
/// file that the model names.
///
/// # Safety
/// Strings must end with 0; `out` must be valid for a write. Free the graph with `tpulang_graph_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_graph_read(
    path: *const c_char,
    weights: *const c_char,
    out: *mut *mut TpulangGraph,
) -> i32 {
    // SAFETY: the caller promises the same.
    guarded(|| unsafe {
        let path = Path::new(text(path, "path")?);
        let weights = if weights.is_null() { None } else { Some(Path::new(text(weights, "weights")?)) };
        give(out, || read(path, weights).map(TpulangGraph))
    })
}

fn read(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    match path.extension().is_some_and(|e| e == "mlir") {
        true => read_module(path, weights),
        false if weights.is_some() => Err(invalid("weights must be null for a spec, which names its own")),
        false => spec::read(path, spec::Weights::Load),
    }
}

#[cfg(feature = "mlir")]
fn read_module(path: &Path, weights: Option<&Path>) -> Result<Graph> {
    tpulang::mlir::read(path, weights)
}
#[cfg(not(feature = "mlir"))]
fn read_module(path: &Path, _: Option<&Path>) -> Result<Graph> {
    Err(Error::format(path, "this tpulang was built without MLIR; it reads specs (JSON)"))
}

/// Reads a network from the text of a spec, which has `length` bytes. Weights files that it names are read from
/// `folder`. If that is null, they are not read, and their coefficients have no data.
///
/// # Safety
/// `spec` must have `length` bytes; `folder` must be null or end with 0; `out` must be valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_graph_from_spec(
    spec: *const c_char,
    length: usize,
    folder: *const c_char,
    out: *mut *mut TpulangGraph,
) -> i32 {
    // SAFETY: the caller promises the same.
    guarded(|| unsafe {
        let spec = utf8(list(spec.cast::<u8>(), length, "spec")?)?;
        let folder = if folder.is_null() { None } else { Some(Path::new(text(folder, "folder")?)) };
        give(out, || spec::from_text(spec, "the spec", folder).map(TpulangGraph))
    })
}

/// Reads a network without weights from the text of a module, which has `length` bytes.
///
/// # Safety
/// `module` must have `length` bytes; `out` must be valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_graph_from_mlir(
    module: *const c_char,
    length: usize,
    out: *mut *mut TpulangGraph,
) -> i32 {
    // SAFETY: the caller promises the same.
    guarded(|| unsafe {
        let module = utf8(list(module.cast::<u8>(), length, "module")?)?;
        give(out, || from_module(module).map(TpulangGraph))
    })
}

#[cfg(feature = "mlir")]
fn from_module(module: &str) -> Result<Graph> {
    tpulang::mlir::read_text(module)
}
#[cfg(not(feature = "mlir"))]
fn from_module(_: &str) -> Result<Graph> {
    Err(invalid("this tpulang was built without MLIR; it reads specs (JSON)"))
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|e| Error::new(format!("the text is not UTF-8 after {} bytes", e.valid_up_to())))
}

/// Frees a graph, which may be null. Sessions do not need it.
///
/// # Safety
/// The graph must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tpulang_graph_free(graph: *mut TpulangGraph) {
    // SAFETY: the caller promises the same.
    unsafe { free(graph) }
}
