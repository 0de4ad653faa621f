//! Where the elements of arrays are: in memory, or in a file until somebody needs them.
use super::{NonFinite, zeros};
use crate::base::{Error, Result};
use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, Weak},
};

/// Memory that arrays share, or a place in a file.
pub(super) trait Storage: Send + Sync {
    /// The elements, in memory.
    fn bytes(&self) -> Result<&[u8]>;
    /// The elements piece by piece, so that those of a file need not all be in memory.
    fn pieces(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        to(self.bytes()?)
    }
    /// The words of an array that was computed, and how many stand before the first element, to be written anew.
    fn take(&mut self) -> Option<(Vec<u64>, usize)> {
        None
    }
    /// The count of NaN and infinite elements, if they are read from a file; set when they are first read.
    fn non_finite(&self) -> Option<&OnceLock<NonFinite>> {
        None
    }
    /// A copy in memory, where the elements are in a file and have not been kept.
    fn read_apart(&self) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
}
impl<T: bytemuck::NoUninit + Send + Sync> Storage for Vec<T> {
    fn bytes(&self) -> Result<&[u8]> {
        Ok(bytemuck::cast_slice(self))
    }
}
/// Where the memory of a computed array goes that nobody has any more.
pub trait Keeper: Send + Sync {
    /// Takes memory that was [`ArrayMut`](super::ArrayMut)'s.
    fn keep(&self, words: Vec<u64>);
}

/// Memory of a computed array, in words that every element's alignment divides.
pub(super) struct Words {
    pub words: Vec<u64>,
    /// Who gets the memory, if it is still there then.
    pub keeper: Option<Weak<dyn Keeper>>,
    /// Words before the first element.
    pub start: usize,
    /// Bytes of the elements.
    pub len: usize,
}
impl Storage for Words {
    fn bytes(&self) -> Result<&[u8]> {
        Ok(&bytemuck::cast_slice(&self.words[self.start..])[..self.len])
    }
    fn take(&mut self) -> Option<(Vec<u64>, usize)> {
        Some((std::mem::take(&mut self.words), self.start))
    }
}
impl Drop for Words {
    fn drop(&mut self) {
        let keeper = self.keeper.as_ref().and_then(Weak::upgrade);
        keeper.iter().for_each(|keeper| keeper.keep(std::mem::take(&mut self.words)));
    }
}

/// An open file that is read at any place, by several at once. Files are read rather than mapped: where a mapped one
/// becomes shorter, the process is killed; here it is an error.
pub(super) struct Source {
    pub path: PathBuf,
    pub file: File,
}

/// The elements of one array as a file has them.
pub(super) trait Elements: Send + Sync {
    /// Gives a reader that stands at the first element; what is wrong with the rest is told when `take` is done.
    fn with_reader(&self, take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()>;
    /// The elements row-major and little-endian, if the file has them otherwise.
    fn reordered(&self, _bytes: &[u8]) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
    /// Whether [`Elements::reordered`] has something to do.
    fn in_order(&self) -> bool {
        true
    }
}

/// The elements of an array in a file: read when they are looked at, and kept from then on.
pub(super) struct InFile<E> {
    pub elements: E,
    pub len: usize,
    pub path: PathBuf,
    pub name: String,
    loaded: OnceLock<Vec<u64>>,
    non_finite: OnceLock<NonFinite>,
}

/// Bytes that are read at once; elements do not straddle them.
const PIECE: usize = 1 << 20;

impl<E: Elements> InFile<E> {
    pub fn new(elements: E, len: usize, path: &Path, name: &str) -> Self {
        InFile {
            elements,
            len,
            path: path.into(),
            name: name.into(),
            loaded: OnceLock::new(),
            non_finite: OnceLock::new(),
        }
    }
    fn fail(&self, e: io::Error) -> Error {
        let problem = match e.kind() {
            io::ErrorKind::UnexpectedEof => "its end is missing; the file is damaged or was changed".to_owned(),
            io::ErrorKind::InvalidData => format!("{e}; the file is damaged or was changed"),
            _ => e.to_string(),
        };
        Error::format(&self.path, format!("the array {:?}: {problem}", self.name))
    }
    fn load(&self) -> Result<Vec<u64>> {
        let mut words = zeros(self.len.div_ceil(size_of::<u64>()))?;
        let bytes = &mut bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..self.len];
        self.elements.with_reader(&mut |from| from.read_exact(bytes)).map_err(|e| self.fail(e))?;
        Ok(self.elements.reordered(bytes)?.unwrap_or(words))
    }
}

impl<E: Elements> Storage for InFile<E> {
    fn non_finite(&self) -> Option<&OnceLock<NonFinite>> {
        Some(&self.non_finite)
    }
    fn read_apart(&self) -> Result<Option<Vec<u64>>> {
        if self.loaded.get().is_some() { Ok(None) } else { self.load().map(Some) }
    }
    fn bytes(&self) -> Result<&[u8]> {
        let words = match self.loaded.get() {
            Some(words) => words,
            None => {
                let words = self.load()?;
                self.loaded.get_or_init(|| words)
            }
        };
        Ok(&bytemuck::cast_slice(words)[..self.len])
    }
    fn pieces(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.loaded.get().is_some() || !self.elements.in_order() {
            return to(self.bytes()?);
        }
        let mut words = vec![0u64; self.len.min(PIECE).div_ceil(size_of::<u64>())];
        let mut failed = None;
        let read = self.elements.with_reader(&mut |from| {
            let mut left = self.len;
            while left > 0 && failed.is_none() {
                let piece = &mut bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..left.min(PIECE)];
                from.read_exact(piece)?;
                left -= piece.len();
                failed = to(piece).err();
            }
            Ok(())
        });
        match failed {
            Some(e) => Err(e),
            None => read.map_err(|e| self.fail(e)),
        }
    }
}

/// A reader of a part of a file, with a place of its own.
#[derive(Clone)]
pub(super) struct At {
    pub source: Arc<Source>,
    pub position: u64,
}
impl Read for At {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.source.file.read_at(to, self.position)?;
        self.position += n as u64;
        Ok(n)
    }
}
/// Elements that lie in a file as they are.
impl Elements for At {
    fn with_reader(&self, take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()> {
        take(&mut self.clone())
    }
}
