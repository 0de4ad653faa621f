use super::{Emitted, emit, weight_file_name};
use crate::{
    array::NpzWriter,
    base::{Error, Result},
    graph::Graph,
};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};
use tempfile::{Builder, NamedTempFile};

/// What [`write_pair`] wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// `NAME_origin.mlir`.
    pub mlir: PathBuf,
    /// `NAME_TOP_F32_all_weight.npz`, or with `TOP_QUANTIZED`.
    pub weights: PathBuf,
    /// Number of operators.
    pub operators: usize,
    /// Number of elements of all coefficients that were written.
    pub parameters: usize,
}

/// Writes `NAME_origin.mlir` and its weight file into `dir`, which is made if missing.
///
/// The two stay a pair: both are complete on disk under temporary names before the old ones are touched; then the
/// old `.mlir` is removed, the weights are renamed, and the `.mlir` is renamed last. Whenever it stops, there is
/// the old pair, the new pair, or no `.mlir`.
///
/// # Errors
/// As [`emit`], or writing failed; the old pair is then still there.
pub fn write_pair(graph: &Graph, dir: impl AsRef<Path>) -> Result<Written> {
    let dir = dir.as_ref();
    let Emitted { text, weights: used } = emit(graph)?;
    fs::create_dir_all(dir).map_err(Error::io(dir))?;
    let weights = dir.join(weight_file_name(graph));
    let mlir = dir.join(format!("{}_origin.mlir", graph.name()));

    let mut writer = NpzWriter::new(temporary(dir)?, &weights);
    let mut parameters = 0;
    for (name, data) in &used {
        writer.add(name, data, true)?;
        parameters += data.len();
    }
    let new_weights = writer.finish()?;
    let mut new_mlir = temporary(dir)?;
    new_mlir.write_all(text.as_bytes()).map_err(Error::io(&mlir))?;
    for (file, path) in [(&new_weights, &weights), (&new_mlir, &mlir)] {
        file.as_file().sync_all().map_err(Error::io(path))?;
    }
    for path in [&mlir, &weights] {
        if path.is_dir() {
            return Err(Error::format(path, "a folder has that name"));
        }
    }
    match fs::remove_file(&mlir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(&mlir)(e)),
        _ => {}
    }
    new_weights.persist(&weights).map_err(|e| Error::io(&weights)(e.error))?;
    new_mlir.persist(&mlir).map_err(|e| Error::io(&mlir)(e.error))?;
    // The renames themselves are made durable; where a folder cannot be synced the files still are complete.
    let _ = File::open(dir).and_then(|d| d.sync_all());
    Ok(Written { mlir, weights, operators: graph.operators().len(), parameters })
}

fn temporary(dir: &Path) -> Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = fs::Permissions::from_mode(0o666);
    Builder::new().prefix(".tpulang-").permissions(permissions).tempfile_in(dir).map_err(Error::io(dir))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, Dtype};

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
        assert_eq!(error.to_string(), "the coefficient \"w\" (2 float32) has no data");
        assert_eq!((fs::read(&old.mlir).unwrap(), fs::read(&old.weights).unwrap()), bytes);
    }
}
