use super::{Emitted, WEIGHTS_LINE, weight_file_name, writer::emit_naming};
use crate::{
    array::{fingerprint, write_arrays},
    base::{Error, NewPair, Result, argument, files, truncated},
    graph::Graph,
};
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

/// The files that [`write_pair`] wrote, and their sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// `NAME_origin.mlir`.
    pub mlir: PathBuf,
    /// `NAME_TOP_F32_all_weight.npz`, or with `TOP_QUANTIZED`.
    pub weights: PathBuf,
    /// Number of operators.
    pub operators: usize,
    /// Total number of elements of all emitted coefficients.
    pub parameters: usize,
}

/// Writes `NAME_origin.mlir` and its weight file into `dir`, which is created if it does not exist.
///
/// An existing model is replaced as a whole, even if the process is killed. The first line of the `.mlir`
/// identifies the weights that it was written with, which [`super::read`] checks.
///
/// # Errors
/// Returns an error if the graph cannot be emitted (see [`emit`](super::emit)) or a file cannot be written (see [`NewPair::commit`]).
pub fn write_pair(graph: &Graph, dir: impl AsRef<Path>) -> Result<Written> {
    write_pair_naming(graph, dir, &weight_file_name(graph))
}

/// Like [`write_pair`], with this name of the weight file, such as TpuLang's.
///
/// # Errors
/// Same as for [`write_pair`], and an error unless the name is a plain file name that ends in `.npz`.
pub fn write_pair_naming(graph: &Graph, dir: impl AsRef<Path>, weight_file: &str) -> Result<Written> {
    let dir = dir.as_ref();
    check_weight_file(weight_file)?;
    let Emitted { text, weights: used } = emit_naming(graph, weight_file)?;
    if dir.is_file() {
        return Err(Error::format(dir, "it is a file; expected a folder, in which two files are written"));
    }
    files::create_folder(dir)?;
    let weights = dir.join(weight_file);
    let mlir = dir.join(format!("{}_origin.mlir", graph.name()));

    let mut new = NewPair::create(&mlir, &weights)?;
    write_arrays(&mut new.weights, &weights, used.iter().map(|(name, data)| (name.as_str(), data)), true)?;
    let parameters = used.iter().map(|(_, data)| data.len()).sum();
    let fingerprint = fingerprint(&mut new.weights, &weights)?;
    new.commit(|name| {
        let text = if weights.ends_with(name) { Cow::Borrowed(&*text) } else { naming(&text, name) };
        Ok(format!("{WEIGHTS_LINE}{fingerprint:08x}\n{text}"))
    })?;
    Ok(Written { mlir, weights, operators: graph.operators().len(), parameters })
}

/// Checks that readers find and open a weight file of this name, that it is not the module's, and that it needs no escapes, which
/// [`naming`] does not know.
fn check_weight_file(name: &str) -> Result<()> {
    let path = Path::new(name);
    let is_file_name = path.file_name().is_some_and(|file_name| file_name == name);
    let is_archive = path.extension().is_some_and(|extension| extension == "npz");
    if is_file_name && is_archive && !name.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')) {
        return Ok(());
    }
    let expected =
        "expected a plain file name that ends in .npz, as in net_weight.npz: the file is written beside the module";
    Err(argument("the name of the weights file", format!("{:?}", truncated(name)), expected))
}

/// Replaces the name of a module's weight file by a hidden one, which needs no escapes.
fn naming<'t>(text: &'t str, weights: &str) -> Cow<'t, str> {
    const ATTRIBUTE: &str = "module.weight_file = \"";
    let old = text.find(ATTRIBUTE).map(|at| at + ATTRIBUTE.len());
    match old.and_then(|start| Some((start, start + text[start..].find('"')?))) {
        Some((start, end)) => format!("{}{weights}{}", &text[..start], &text[end..]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{array::Array, base::Dtype};
    use std::fs;

    fn graph(value: f32) -> Graph {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [2]).unwrap();
        let y = g.add(x, Array::from([value, value])).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        g
    }

    #[test]
    fn the_same_graph_gives_the_same_bytes_and_nothing_is_left_over() {
        let dir = tempfile::tempdir().unwrap();
        let first = write_pair(&graph(1.0), dir.path()).unwrap();
        let bytes = (fs::read(&first.mlir).unwrap(), fs::read(&first.weights).unwrap());
        assert_eq!(write_pair(&graph(1.0), dir.path()).unwrap(), first);
        assert_eq!((fs::read(&first.mlir).unwrap(), fs::read(&first.weights).unwrap()), bytes);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn the_weights_have_a_plain_name() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("inner");
        let names = ["", ".", "..", ".npz", "w", "w.txt", "net_origin.mlir", "../w.npz", "a/w.npz", "/w.npz", "w.npz/"];
        for name in names.into_iter().chain(["a\"b.npz", "a\\b.npz", "a\nb.npz"]) {
            let error = write_pair_naming(&graph(1.0), &folder, name).unwrap_err().to_string();
            let expected = "expected a plain file name that ends in .npz, as in net_weight.npz: the file is written beside the module";
            assert_eq!(error, format!("the name of the weights file is {name:?}; {expected}"));
        }
        assert!(!folder.exists() && fs::read_dir(dir.path()).unwrap().count() == 0);
        let written = write_pair_naming(&graph(1.0), &folder, "-é w.npz").unwrap();
        let read = crate::read(&written.mlir, None).unwrap();
        assert_eq!(read.parameters(), 2);
    }

    #[test]
    fn a_failure_leaves_the_old_pair() {
        let dir = tempfile::tempdir().unwrap();
        let old = write_pair(&graph(1.0), dir.path()).unwrap();
        let bytes = (fs::read(&old.mlir).unwrap(), fs::read(&old.weights).unwrap());
        let mut without = Graph::new("net").unwrap();
        let x = without.input("x", Dtype::Float32, [2]).unwrap();
        let w = without.coefficient_without_data("w", Dtype::Float32, [2]).unwrap();
        let y = without.add(x, w).call().unwrap();
        without.set_outputs(&[y]).unwrap();
        let error = write_pair(&without, dir.path()).unwrap_err();
        assert!(error.to_string().starts_with("the coefficient \"w\" (2 float32) has no data; "), "{error}");
        assert_eq!((fs::read(&old.mlir).unwrap(), fs::read(&old.weights).unwrap()), bytes);
    }
}
