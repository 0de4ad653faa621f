//! Arrays at known places of a file.
use super::{
    Array,
    storage::{At, InFile, Source},
};
use crate::base::{Dtype, Error, Result, elements, files};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

/// An open file, ranges of which are the elements of arrays, in row-major order and little-endian.
#[derive(Clone)]
pub struct RangeFile {
    source: Arc<Source>,
    size: u64,
}

impl RangeFile {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened or is no regular file.
    pub fn open(path: impl Into<PathBuf>) -> Result<RangeFile> {
        let path = path.into();
        let file = files::open(&path)?;
        let size = file.metadata().map_err(Error::io(&path))?.len();
        Ok(RangeFile { source: Arc::new(Source { file, path }), size })
    }
    /// Returns the file. Arrays are read independently of its position.
    pub fn file(&self) -> &File {
        &self.source.file
    }
    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.source.path
    }
    /// Returns its size in bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }
    /// Returns the array whose elements begin at a byte. They are read on first use.
    ///
    /// # Errors
    /// Returns an error if the elements are not within the file.
    pub fn array(&self, name: &str, dtype: Dtype, shape: &[usize], position: u64) -> Result<Array> {
        let len = if shape.contains(&0) { 0 } else { elements(shape, dtype)? * dtype.size() };
        if position.checked_add(len as u64).is_none_or(|end| end > self.size) {
            let problem =
                format!("the array {name:?} has {len} bytes from byte {position}, and the file {}", self.size);
            return Err(Error::format(self.path(), problem));
        }
        let at = At { source: self.source.clone(), position };
        Array::in_file(dtype, shape.to_vec(), InFile::new(at, len, self.path(), name))
    }
}
