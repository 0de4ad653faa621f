//! Steps that every graph from hostile input goes through.
use indexmap::IndexMap;
use tpulang::{Array, Graph, Result, exec, mlir, spec};

/// Writes the graph, reads it again, and runs it if it is small.
#[allow(dead_code)] // Each fuzz target uses what it needs.
pub fn all(g: &Graph) {
    if is_small(g) {
        write_and_read(g);
        let inputs = g.inputs().iter().filter_map(|t| g.tensor(*t).ok());
        let feeds: IndexMap<String, Array> =
            inputs.filter_map(|t| Some((t.name.clone(), Array::filled(t.dtype, t.shape.clone(), 0.0).ok()?))).collect();
        let _ = exec::run(g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default());
    }
}

pub fn is_small(g: &Graph) -> bool {
    g.tensors().map(|(_, t)| t.elements()).fold(0, usize::saturating_add) < 100_000
}

/// A written graph can be read and is equal from the second time on. Each writing propagates quantization once forward and
/// once backward, as TpuLang does, so it may reach further tensors after reading.
pub fn write_and_read(g: &Graph) {
    let again = written(g).and_then(|(_, again)| written(&again));
    if let Some((text, last)) = again {
        assert!(mlir::emit(&last).expect("it was emitted before").text == text, "the module changed");
    }
    if let Ok(text) = spec::to_text(g, None) {
        let again = spec::from_text(&text, "again.json", None);
        let again = again.unwrap_or_else(|e| panic!("written, but not read: {e}\n{text}"));
        assert!(spec::to_text(&again, None).expect("it was written before") == text, "the spec changed");
    }
}

/// Returns the text of a graph that can be written, and the graph that is read from it.
fn written(g: &Graph) -> Option<(String, Graph)> {
    let emitted = mlir::emit(g).ok()?;
    let read = if emitted.weights.is_empty() { mlir::read_text(&emitted.text) } else { pair(g) };
    let read = read.unwrap_or_else(|e| panic!("written, but not read: {e}\n{}", emitted.text));
    Some((emitted.text, read))
}

/// Text does not contain the data of coefficients, which some types depend on.
fn pair(g: &Graph) -> Result<Graph> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    mlir::read(mlir::write_pair(g, dir.path())?.mlir, None)
}
