//! The files that commands write, checked before anything is computed.
use super::diagnostics::{Diagnostics, Report};
use std::{
    collections::BTreeSet,
    fs,
    io::{self, IsTerminal},
    path::Path,
};
use tpulang::{
    Array, Error, Graph, Result,
    array::{ArrayFormat, write_npz_to},
    graph::TensorKind,
};
use tpulang_base::{argument, escaped_path, files, invalid};

/// Where the results of `run` and `bench` go.
pub struct Output<'a> {
    to: To<'a>,
}

enum To<'a> {
    File(&'a Path, ArrayFormat),
    /// An npz for the next command of a pipe.
    Stdout,
}

impl<'a> Output<'a> {
    /// # Errors
    /// Returns an error if the format is unknown or cannot hold `count` arrays (if that is known), the file is one of those
    /// that are read, or the results would be printed on a terminal.
    pub fn new(path: &'a Path, count: Option<usize>, read: &Sources) -> Result<Output<'a>> {
        if path == Path::new("-") {
            if io::stdout().is_terminal() {
                return Err(argument(
                    "--output",
                    "-",
                    "standard output is a terminal; send the .npz to a file or a pipe",
                ));
            }
            return Ok(Output { to: To::Stdout });
        }
        let format = ArrayFormat::from_path(path)?;
        count.map_or(Ok(()), |count| format.check_count(path, count))?;
        read.check("--output", path)?;
        Ok(Output { to: To::File(path, format) })
    }
    /// Writes the results, and creates the folder if it does not exist.
    pub fn write<'r>(&self, results: impl IntoIterator<Item = (&'r str, &'r Array)>) -> Result<()> {
        let To::File(path, format) = self.to else {
            return write_npz_to(io::stdout().lock(), "standard output", results);
        };
        files::create_folder_of(path)?;
        format.write(path, results)
    }
    /// Prints a report: to standard error if the results go to standard output.
    pub fn report(&self, report: &Report, messages: &Diagnostics) -> Result<()> {
        match self.to {
            To::File(..) => messages.deliver(report),
            To::Stdout => {
                messages.deliver_aside(report);
                Ok(())
            }
        }
    }
    /// Where the results go, to be shown.
    pub fn name(&self) -> String {
        match self.to {
            To::File(path, _) => escaped_path(path),
            To::Stdout => "standard output".to_owned(),
        }
    }
}

/// The files that a command reads, which it must not overwrite.
pub struct Sources<'a> {
    /// What each is, and its path.
    files: Vec<(&'static str, &'a Path)>,
}

impl<'a> Sources<'a> {
    pub fn new(model: &'a Path, graph: &'a Graph, inputs: Vec<&'a Path>) -> Sources<'a> {
        let file = |kind: &'a TensorKind| match kind {
            TensorKind::Coefficient(Some(data)) => data.source_path(),
            _ => None,
        };
        let weights: BTreeSet<&Path> = graph.tensors().filter_map(|(_, info)| file(&info.kind)).collect();
        let mut files = vec![("the model", model)];
        files.extend(weights.into_iter().map(|path| ("the model's weights file", path)));
        files.extend(inputs.into_iter().map(|path| ("an input file", path)));
        Sources { files }
    }
    /// Files of one kind.
    pub fn of_files(role: &'static str, paths: impl IntoIterator<Item = &'a Path>) -> Sources<'a> {
        Sources { files: paths.into_iter().map(|path| (role, path)).collect() }
    }
    /// # Errors
    /// Returns an error if `written` is one of the files, or a folder.
    pub fn check(&self, option: &str, written: &Path) -> Result<()> {
        // A folder that does not exist yet may be meant, too.
        if written.is_dir() || written.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(Error::format(written, "it is a folder, not a file"));
        }
        // A file that does not exist is not read either.
        let Ok(written_to) = fs::canonicalize(written) else { return Ok(()) };
        let Some(role) = self.role(|path| path == written_to) else { return Ok(()) };
        Err(invalid(format!("{option} {} would overwrite {role}", escaped_path(written))))
    }
    /// # Errors
    /// Returns an error if one of the files is in a folder that will be emptied.
    pub fn check_folder(&self, option: &str, emptied: &Path) -> Result<()> {
        let Ok(folder) = fs::canonicalize(emptied) else { return Ok(()) };
        let Some(role) = self.role(|path| path.starts_with(&folder)) else { return Ok(()) };
        Err(argument(option, emptied.display(), format!("it has {role}, which would be removed")))
    }
    /// Like [`Sources::check`], of a spec and the weights file next to it.
    pub fn check_spec(&self, option: &str, spec: &Path) -> Result<()> {
        self.check(option, spec)?;
        self.check(option, &spec.with_extension("npz"))
    }
    /// Returns what the first file is that is at one of these places.
    fn role(&self, is_there: impl Fn(&Path) -> bool) -> Option<&'static str> {
        let is_there = |path: &Path| fs::canonicalize(path).is_ok_and(|path| is_there(&path));
        self.files.iter().find(|(_, path)| is_there(path)).map(|(role, _)| *role)
    }
}
