//! The files that commands write, checked before anything is computed.
use std::{collections::BTreeSet, fs, path::Path};
use tpulang::{Array, Error, Graph, Result, array::ArrayFormat, graph::TensorKind};
use tpulang_base::{argument, files};

/// The file for the results of `run` and `bench`.
pub struct Output<'a> {
    path: &'a Path,
    format: ArrayFormat,
}

impl<'a> Output<'a> {
    /// # Errors
    /// Returns an error if the format is unknown or cannot hold `count` arrays (if that is known), or the file is one of
    /// those that are read.
    pub fn new(path: &'a Path, count: Option<usize>, read: &Sources) -> Result<Output<'a>> {
        let format = ArrayFormat::from_path(path)?;
        count.map_or(Ok(()), |count| format.check_count(path, count))?;
        read.check("--output", path)?;
        Ok(Output { path, format })
    }
    /// Writes the results, and creates the folder if it does not exist.
    pub fn write<'r>(&self, results: impl IntoIterator<Item = (&'r str, &'r Array)>) -> Result<()> {
        let folder = files::folder(self.path);
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        self.format.write(self.path, results)
    }
}

/// The files that a command reads, which it must not overwrite.
pub struct Sources<'a> {
    model: &'a Path,
    weights: BTreeSet<&'a Path>,
    inputs: Vec<&'a Path>,
}

impl<'a> Sources<'a> {
    pub fn new(model: &'a Path, graph: &'a Graph, inputs: Vec<&'a Path>) -> Sources<'a> {
        let file = |kind: &'a TensorKind| match kind {
            TensorKind::Coefficient(Some(data)) => data.source_path(),
            _ => None,
        };
        Sources { model, weights: graph.tensors().filter_map(|(_, info)| file(&info.kind)).collect(), inputs }
    }
    /// # Errors
    /// Returns an error if `written` is one of the files.
    pub fn check(&self, option: &str, written: &Path) -> Result<()> {
        // A file that does not exist is not read either.
        let Ok(written_to) = fs::canonicalize(written) else { return Ok(()) };
        let same = |path: &&Path| fs::canonicalize(path).is_ok_and(|path| path == written_to);
        let role = match () {
            () if same(&self.model) => "the model",
            () if self.weights.iter().any(same) => "the model's weights file",
            () if self.inputs.iter().any(same) => "an input file",
            () => return Ok(()),
        };
        Err(argument(option, written.display(), format!("this is {role}, which would be overwritten")))
    }
}
