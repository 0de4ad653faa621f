//! TpuLang's globals: the default graph and the chip.
use crate::{
    errors::{OrRaise, invalid},
    functions::of_two_graphs,
    graph::Graph,
    shared::Shared,
    tensor::Tensor,
};
use pyo3::{prelude::*, sync::MutexExt, types::PyTuple};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// The chips that TpuLang knows.
const CHIPS: [&str; 5] = ["cpu", "bm1684x", "bm1688", "cv183x", "bm1684x2"];

struct Globals {
    graph: Option<Py<Graph>>,
    chip: Option<String>,
}

static GLOBALS: Mutex<Globals> = Mutex::new(Globals { graph: None, chip: None });
static NEXT_ID: AtomicU64 = AtomicU64::new(0);
/// Tensors that were declared without a name since the default graph was made.
static UNNAMED: AtomicU64 = AtomicU64::new(0);

fn globals(py: Python<'_>) -> MutexGuard<'static, Globals> {
    GLOBALS.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
}

/// Returns a number that no tensor has.
pub fn next_id() -> u64 {
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// Returns a name for a tensor without one, like TpuLang's.
pub fn default_name() -> String {
    format!("BMTensor{}", UNNAMED.fetch_add(1, Ordering::Relaxed))
}

/// Returns the graph for a call: that of its tensors, or the default graph.
///
/// # Errors
/// Returns an error if the tensors are of different graphs.
pub fn graph_of(py: Python<'_>, tensors: &[Bound<'_, Tensor>]) -> PyResult<Arc<Shared>> {
    let mut found: Option<(&Bound<'_, Tensor>, &Arc<Shared>)> = None;
    for tensor in tensors {
        let Some(graph) = tensor.get().graph().filter(|graph| !graph.is_default) else { continue };
        match found {
            Some((first, known)) if !Arc::ptr_eq(known, graph) => {
                return Err(of_two_graphs(py, &first.get().name(py)?, &tensor.get().name(py)?));
            }
            _ => found = Some((tensor, graph)),
        }
    }
    match found {
        Some((_, graph)) => Ok(graph.clone()),
        None => default_graph(py).map(|graph| graph.bind(py).get().shared().clone()),
    }
}

/// Returns the default graph, which is made when it is first needed.
fn default_graph(py: Python<'_>) -> PyResult<Py<Graph>> {
    let known = globals(py).graph.as_ref().map(|graph| graph.clone_ref(py));
    match known {
        Some(graph) => Ok(graph),
        None => {
            reset_default_graph(py, None)?;
            default_graph(py)
        }
    }
}

/// Begins a network for a chip: makes a new default graph, to which TpuLang's functions add operators.
///
/// Args:
///     device: The chip: "BM1684X", "BM1688", "BM1684X2", "CV183X" or "CPU", in any case.
///     args: Ignored, as other arguments are in scripts for older versions of TpuLang.
///
/// >>> import tpulang as tpul
/// >>> tpul.init("BM1684X")
#[pyfunction]
#[pyo3(signature = (device, *args))]
pub fn init(py: Python<'_>, device: &str, args: &Bound<'_, PyTuple>) -> PyResult<()> {
    let _ = args;
    let chip = device.to_lowercase();
    if !CHIPS.contains(&chip.as_str()) {
        return Err(invalid(py, format!("init: device is {device:?}; expected one of {}", CHIPS.join(", "))));
    }
    globals(py).chip = Some(chip);
    reset_default_graph(py, None)
}

/// Ends a network: drops the default graph.
///
/// >>> import tpulang as tpul
/// >>> tpul.deinit()
#[pyfunction]
pub fn deinit(py: Python<'_>) {
    let dropped = globals(py).graph.take();
    drop(dropped);
}

/// Makes a new default graph, or makes `graph` the default one.
///
/// >>> import tpulang as tpul
/// >>> tpul.reset_default_graph()
#[pyfunction]
#[pyo3(signature = (graph=None))]
pub fn reset_default_graph(py: Python<'_>, graph: Option<Py<Graph>>) -> PyResult<()> {
    let graph = match graph {
        Some(graph) => graph,
        None => {
            UNNAMED.store(0, Ordering::Relaxed);
            let graph = tpulang::Graph::new("main").or_raise(py)?;
            Py::new(py, Graph::new_shared(Shared::new(graph, true)))?
        }
    };
    let dropped = globals(py).graph.replace(graph);
    drop(dropped);
    Ok(())
}

/// Returns the default graph; None before `init` and after `deinit`.
///
/// >>> import tpulang as tpul
/// >>> tpul.init("BM1684X")
/// >>> tpul.get_default_graph().operators
/// []
#[pyfunction]
pub fn get_default_graph(py: Python<'_>) -> Option<Py<Graph>> {
    globals(py).graph.as_ref().map(|graph| graph.clone_ref(py))
}

/// Returns the chip of `init` in lower case; None before it.
#[pyfunction]
pub fn get_chip(py: Python<'_>) -> Option<String> {
    globals(py).chip.clone()
}

/// Sets the chip, like `init`, but keeps the default graph.
#[pyfunction]
pub fn set_chip(py: Python<'_>, chip: Option<String>) {
    globals(py).chip = chip;
}

/// Adds TpuLang's globals to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(init, module)?)?;
    module.add_function(wrap_pyfunction!(deinit, module)?)?;
    module.add_function(wrap_pyfunction!(reset_default_graph, module)?)?;
    module.add_function(wrap_pyfunction!(get_default_graph, module)?)?;
    module.add_function(wrap_pyfunction!(get_chip, module)?)?;
    module.add_function(wrap_pyfunction!(set_chip, module)?)
}
