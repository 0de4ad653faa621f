//! Files and streams.
use super::{
    cut::cut,
    import::{Evaluate, Importer, Model},
    inline::inline,
    options::Options,
    order, proto,
    skim::skim,
    tensors::TensorFiles,
};
use crate::{
    Graph,
    array::RangeFile,
    base::{Error, Result, files, invalid},
};
use prost::Message;
use std::{collections::HashMap, io::Read, path::Path};

/// Maximum number of bytes of a model that is read from a stream.
const MAX_STREAM: u64 = 2 << 30;

/// Reads an ONNX file. `evaluate` computes the outputs of a graph without inputs, for nodes whose operands are known.
///
/// # Errors
/// Returns an error if the file cannot be read or is not valid, if sizes of inputs are open, or if nodes cannot be converted; then
/// it names all of them.
pub fn read(path: impl AsRef<Path>, options: &Options, evaluate: &Evaluate) -> Result<Graph> {
    let path = path.as_ref();
    let file = RangeFile::open(path)?;
    let bytes = skim(file.file(), file.size(), path)?;
    let mut tensors = TensorFiles::new(Some(file), files::folder(path), options.data_anywhere);
    let name = path.file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned());
    decode(&bytes, path, &name, &mut tensors, options, evaluate)
}

/// Reads an ONNX model from a stream; `name` is for messages. External data lie in the current folder.
///
/// # Errors
/// Same as for [`read`].
pub fn read_stream(stream: impl Read, name: &str, options: &Options, evaluate: &Evaluate) -> Result<Graph> {
    let path = Path::new(name);
    let bytes = files::read_stream(stream, path, MAX_STREAM)?;
    let mut tensors = TensorFiles::new(None, Path::new(""), options.data_anywhere);
    decode(&bytes, path, "model", &mut tensors, options, evaluate)
}

fn decode(
    bytes: &[u8],
    path: &Path,
    name: &str,
    tensors: &mut TensorFiles,
    options: &Options,
    evaluate: &Evaluate,
) -> Result<Graph> {
    let mut model =
        proto::Model::decode(bytes).map_err(|e| Error::format(path, format!("not a valid ONNX file: {e}")))?;
    inline(&mut model)?;
    if let Some(graph) = &mut model.graph {
        order::sort(graph)?;
        cut(graph, &options.inputs, &options.outputs)?;
    }
    let graph = model
        .graph
        .as_ref()
        .ok_or_else(|| Error::format(path, "not a valid ONNX file: it has no graph, or is empty"))?;
    options.check_names(graph)?;
    let shared = Model { evaluate, options: &options.with_feeds(graph) };
    let mut importer = Importer::new(&graph_name(name), &shared, tensors)?;
    importer.main_graph(graph)?;
    Ok(importer.graph)
}

/// The name of a file as the name of a graph.
fn graph_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

/// Returns the versions of operator sets, by domain.
pub fn opsets(sets: &[proto::OperatorSet]) -> Result<HashMap<&str, i64>> {
    let domain = |set: &'_ proto::OperatorSet| -> bool { set.domain == "ai.onnx" };
    let all: HashMap<&str, i64> =
        sets.iter().map(|set| (if domain(set) { "" } else { set.domain.as_str() }, set.version)).collect();
    match all.values().find(|v| !(1..=1000).contains(*v)) {
        Some(version) => Err(invalid(format!("version {version} of an operator set does not exist"))),
        None => Ok(all),
    }
}
