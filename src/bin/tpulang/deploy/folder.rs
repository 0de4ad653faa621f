//! The folder for the files of all stages.
use crate::command::output::Sources;
use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};
use tpulang::{Error, Result};
use tpulang_base::{argument, escaped_path, files};

/// The file with the errors of all tensors.
const REPORT: &str = "report.txt";
/// Its first line. A folder with such a report is one of an earlier deployment.
const HEADING: &str = "Report of tpulang deploy. This folder is emptied by the next deployment.\n";
/// Maximum size of a report in bytes.
const MAX_REPORT: u64 = 1 << 30;

/// Returns the folder of the stages of a bmodel.
pub fn of_bmodel(bmodel: &Path) -> PathBuf {
    if bmodel.extension().is_some_and(|extension| extension == "bmodel" || extension == "cvimodel") {
        return bmodel.with_extension("stages");
    }
    let mut folder = bmodel.as_os_str().to_owned();
    folder.push(".stages");
    folder.into()
}

/// Returns an error if a file that is read would be overwritten or removed, or the bmodel of an earlier deployment would be.
pub fn check_written(sources: &Sources, bmodel: &Path, folder: &Path) -> Result<()> {
    sources.check("--output", bmodel)?;
    sources.check_folder("--stages", folder)?;
    if files::resolved(bmodel).starts_with(files::resolved(folder)) {
        let expected = "it is emptied, and the bmodel would be in it; expected another folder";
        return Err(argument("--stages", escaped_path(folder), expected));
    }
    Ok(())
}

/// The report in a folder, which is locked until this is dropped.
pub struct Report {
    pub path: PathBuf,
    file: File,
}

impl Report {
    /// Creates the folder, or empties one of an earlier deployment.
    pub fn begin(folder: &Path) -> Result<Report> {
        let refused = |expected: &str| Err(argument("--stages", escaped_path(folder), expected));
        if folder.is_file() {
            return refused("this is a file; expected a folder");
        }
        files::create_folder(folder)?;
        let path = folder.join(REPORT);
        let old = match fs::symlink_metadata(&path) {
            Ok(_) => files::read(&path, MAX_REPORT).ok(),
            Err(_) => Some(Vec::new()),
        };
        let (heading, is_alone) = (HEADING.as_bytes(), others(folder)?.is_empty());
        // A deployment that was killed first of all has left a part of the heading.
        if !old.is_some_and(|old| old.starts_with(heading) || is_alone && heading.starts_with(&old)) {
            return refused(&format!("it has files, but no {REPORT} of deploy; expected another folder"));
        }
        let file = File::options().create(true).append(true).open(&path).map_err(Error::io(&path))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let problem = "another process is using this folder; wait for it, or choose another folder";
            return Err(Error::format(folder, problem));
        }
        let report = Report { path, file };
        report.set("It is not complete.\n")?;
        for other in others(folder)? {
            let is_folder = fs::symlink_metadata(&other).is_ok_and(|found| found.is_dir());
            let removed = if is_folder { fs::remove_dir_all(&other) } else { fs::remove_file(&other) };
            removed.map_err(Error::io(&other))?;
        }
        Ok(report)
    }

    /// Replaces the text, but not the heading: without it, the folder would be taken for another one if this process were killed.
    pub fn set(&self, text: &str) -> Result<()> {
        let begin = |mut file: &File| -> io::Result<()> {
            match file.metadata()?.len() < HEADING.len() as u64 {
                true => file.set_len(0).and_then(|()| file.write_all(HEADING.as_bytes()))?,
                false => file.set_len(HEADING.len() as u64)?,
            }
            file.write_all(text.as_bytes())
        };
        begin(&self.file).map_err(Error::io(&self.path))
    }
}

/// Returns what is in a folder beside the report.
fn others(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(|all| all.map(|entry| Ok(entry?.path())).collect());
    let mut all: Vec<PathBuf> = entries.map_err(Error::io(folder))?;
    all.retain(|path| path.file_name().is_none_or(|name| name != REPORT));
    Ok(all)
}
