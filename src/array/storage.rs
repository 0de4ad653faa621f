//! Storage of arrays: in memory, or in a file that is read on first use.
use super::{
    Array, NonFinite, dequantized::StoredIntegers, foreign::Foreign, packed::PackedIntegers, rows::copy_ranges, zeros,
};
use crate::base::{Dtype, Error, Result, invalid};
use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, Weak},
};

/// Memory that arrays share, or a range of a file.
pub(super) trait Storage: Send + Sync {
    /// Returns the elements, in memory.
    fn bytes(&self) -> Result<&[u8]>;
    /// Passes the elements on in pieces, so that those of a file need not all be in memory.
    fn pieces(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        to(self.bytes()?)
    }
    /// Copies these ranges of bytes of the elements, which ascend and consist of whole elements, one after the other to `to`.
    /// Where a file has the elements as they are in memory, only the ranges are read, and compared with no checksum: an
    /// archive has that of all elements. Elsewhere all elements are passed over.
    fn ranges(&self, ranges: &[Range<usize>], to: &mut [u8]) -> Result<()> {
        copy_ranges(ranges, to, |pick| self.pieces(pick))
    }
    /// Takes the memory of a computed array for reuse.
    fn take(&mut self) -> Option<Memory> {
        None
    }
    /// The count of NaN and infinite elements, if they are read from a file; set when they are first read.
    fn non_finite(&self) -> Option<&OnceLock<NonFinite>> {
        None
    }
    /// Reads the elements into memory of their own. Returns `None` if they are in memory already.
    fn read_apart(&self) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
    /// Returns the file that the elements are read from.
    fn path(&self) -> Option<&Path> {
        None
    }
    /// Returns the dtype that the elements are converted from as they are read.
    fn fitted_from(&self) -> Option<Dtype> {
        None
    }
    /// Returns the integers that stand for the elements.
    fn dequantized_from(&self) -> Option<StoredIntegers> {
        None
    }
    /// Returns the packed integers that stand for the elements.
    fn unpacked_from(&self) -> Option<&PackedIntegers> {
        None
    }
    /// Returns an error about the elements. It names the file and the array, if there is one.
    fn error(&self, problem: String) -> Error {
        invalid(problem)
    }
}
impl<T: bytemuck::NoUninit + Send + Sync> Storage for Vec<T> {
    fn bytes(&self) -> Result<&[u8]> {
        Ok(bytemuck::cast_slice(self))
    }
}
/// Receives the memory of computed arrays when they are dropped.
pub trait BufferRecycler: Send + Sync {
    /// Takes the memory of an [`ArrayMut`](super::ArrayMut).
    fn recycle(&self, words: Vec<u64>);
}

/// Memory that kernels write.
pub(super) enum Memory {
    /// Words, which are aligned for every element type, and the number of words before the first element.
    Words { words: Vec<u64>, start: usize },
    /// Somebody else's, which nobody else reads or writes.
    Foreign(Foreign),
}
impl Memory {
    /// The first `len` bytes of the elements.
    pub fn bytes(&self, len: usize) -> &[u8] {
        match self {
            Memory::Words { words, start } => &bytemuck::cast_slice(&words[*start..])[..len],
            Memory::Foreign(memory) => &memory.bytes()[..len],
        }
    }
    /// Like [`Memory::bytes`], for writing.
    pub fn bytes_mut(&mut self, len: usize) -> &mut [u8] {
        match self {
            Memory::Words { words, start } => &mut bytemuck::cast_slice_mut(&mut words[*start..])[..len],
            Memory::Foreign(memory) => &mut memory.bytes_mut()[..len],
        }
    }
    /// No memory.
    pub fn none() -> Memory {
        Memory::Words { words: Vec::new(), start: 0 }
    }
}

/// The elements of a computed array.
pub(super) struct Computed {
    pub memory: Memory,
    /// Receives words, unless it is dropped first.
    pub recycler: Option<Weak<dyn BufferRecycler>>,
    /// Bytes of the elements.
    pub len: usize,
}
impl Storage for Computed {
    fn bytes(&self) -> Result<&[u8]> {
        Ok(self.memory.bytes(self.len))
    }
    fn take(&mut self) -> Option<Memory> {
        Some(std::mem::replace(&mut self.memory, Memory::none()))
    }
}
impl Drop for Computed {
    fn drop(&mut self) {
        let recycler = self.recycler.as_ref().and_then(Weak::upgrade);
        if let (Some(recycler), Memory::Words { words, .. }) = (recycler, &mut self.memory) {
            recycler.recycle(std::mem::take(words));
        }
    }
}

/// An open file that several readers read at any offset. Files are read rather than mapped: if a mapped file becomes
/// shorter, the process is killed; here it is an error.
pub(super) struct Source {
    pub path: PathBuf,
    pub file: File,
}

/// The elements of one array as they are stored in a file.
pub(super) trait Elements: Send + Sync {
    /// Passes a reader to `take` that begins at the first element. Damage after the elements is reported afterwards.
    fn with_reader(&self, take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()>;
    /// Returns the elements in row-major order and little-endian. Returns `None` if they are stored so.
    fn reordered(&self, _bytes: &[u8]) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
    /// Whether the elements are stored in row-major order and little-endian.
    fn in_order(&self) -> bool {
        true
    }
    /// Returns where they begin in a file that has them as they are in memory. Returns `None` if they are compressed or in
    /// another order.
    fn place(&self) -> Option<&At> {
        None
    }
}

/// Elements that are read on first use and then kept.
#[derive(Default)]
pub(super) struct Loaded {
    words: OnceLock<Vec<u64>>,
    /// What was found in them when they were read, also in pieces.
    pub non_finite: OnceLock<NonFinite>,
}

impl Loaded {
    /// Whether they are in memory.
    pub fn is_kept(&self) -> bool {
        self.words.get().is_some()
    }
    /// Returns the elements, which are `len` bytes. `load` reads them.
    pub fn bytes(&self, len: usize, load: impl FnOnce() -> Result<Vec<u64>>) -> Result<&[u8]> {
        let words = match self.words.get() {
            Some(words) => words,
            None => {
                let words = load()?;
                self.words.get_or_init(|| words)
            }
        };
        Ok(&bytemuck::cast_slice(words)[..len])
    }
    /// Reads the elements without keeping them here. Returns `None` if they are in memory.
    pub fn apart(&self, load: impl FnOnce() -> Result<Vec<u64>>) -> Result<Option<Vec<u64>>> {
        if self.is_kept() { Ok(None) } else { load().map(Some) }
    }
}

/// Collects elements of `len` bytes, which `pieces` passes on.
pub(super) fn collected(
    len: usize,
    pieces: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
) -> Result<Vec<u64>> {
    let mut words = zeros::<u64>(len.div_ceil(size_of::<u64>()))?;
    let (bytes, mut at) = (bytemuck::cast_slice_mut::<u64, u8>(&mut words), 0);
    pieces(&mut |piece| {
        bytes[at..at + piece.len()].copy_from_slice(piece);
        at += piece.len();
        Ok(())
    })?;
    Ok(words)
}

/// The elements of an array in a file.
pub(super) struct InFile<E> {
    pub elements: E,
    pub len: usize,
    pub path: PathBuf,
    pub name: String,
    loaded: Loaded,
}

/// Bytes that are read at once, a multiple of every element size.
pub(super) const PIECE: usize = 1 << 20;

impl<E: Elements> InFile<E> {
    pub fn new(elements: E, len: usize, path: &Path, name: &str) -> Self {
        InFile { elements, len, path: path.into(), name: name.into(), loaded: Loaded::default() }
    }
    fn fail(&self, e: io::Error) -> Error {
        let problem = match e.kind() {
            io::ErrorKind::UnexpectedEof => "its end is missing; the file is damaged or was changed".to_owned(),
            io::ErrorKind::InvalidData => format!("{e}; the file is damaged or was changed"),
            _ => e.to_string(),
        };
        self.error(problem)
    }
    fn load(&self) -> Result<Vec<u64>> {
        let mut words = zeros(self.len.div_ceil(size_of::<u64>()))?;
        let bytes = &mut bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..self.len];
        self.elements.with_reader(&mut |from| from.read_exact(bytes)).map_err(|e| self.fail(e))?;
        Ok(self.elements.reordered(bytes)?.unwrap_or(words))
    }
}

impl<E: Elements> Storage for InFile<E> {
    fn error(&self, problem: String) -> Error {
        Error::format(&self.path, format!("the array {:?}: {problem}", self.name))
    }
    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
    fn non_finite(&self) -> Option<&OnceLock<NonFinite>> {
        Some(&self.loaded.non_finite)
    }
    fn read_apart(&self) -> Result<Option<Vec<u64>>> {
        self.loaded.apart(|| self.load())
    }
    fn bytes(&self) -> Result<&[u8]> {
        self.loaded.bytes(self.len, || self.load())
    }
    fn pieces(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.loaded.is_kept() {
            return to(self.bytes()?);
        }
        if !self.elements.in_order() {
            return to(&bytemuck::cast_slice(&self.load()?)[..self.len]);
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
    fn ranges(&self, ranges: &[Range<usize>], mut to: &mut [u8]) -> Result<()> {
        let Some(place) = self.elements.place().filter(|_| !self.loaded.is_kept()) else {
            return copy_ranges(ranges, to, |pick| self.pieces(pick));
        };
        for range in ranges {
            let (now, rest) = to.split_at_mut(range.len());
            place.after(range.start as u64).read_exact(now).map_err(|e| self.fail(e))?;
            to = rest;
        }
        Ok(())
    }
}

/// A reader of a file with its own position.
#[derive(Clone)]
pub(super) struct At {
    pub source: Arc<Source>,
    pub position: u64,
}
impl At {
    /// Returns a reader that begins this many bytes later.
    pub fn after(&self, bytes: u64) -> At {
        At { source: self.source.clone(), position: self.position.saturating_add(bytes) }
    }
}
impl Read for At {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.source.file.read_at(to, self.position)?;
        self.position += n as u64;
        Ok(n)
    }
}
/// Elements that are stored in row-major order and little-endian.
impl Elements for At {
    fn with_reader(&self, take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()> {
        take(&mut self.clone())
    }
    fn place(&self) -> Option<&At> {
        Some(self)
    }
}

/// The elements of an array with its last two axes swapped, copied on use.
pub(super) struct Swapped {
    pub of: Array,
    swapped: OnceLock<Array>,
}
impl Swapped {
    pub fn new(of: Array) -> Self {
        Swapped { of, swapped: OnceLock::new() }
    }
}
impl Storage for Swapped {
    fn bytes(&self) -> Result<&[u8]> {
        match self.swapped.get() {
            Some(swapped) => swapped.bytes(),
            None => {
                let swapped = self.of.with_last_axes_swapped()?;
                self.swapped.get_or_init(|| swapped).bytes()
            }
        }
    }
    fn pieces(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self.swapped.get() {
            Some(swapped) => to(swapped.bytes()?),
            // Neither the copy nor the elements of a file are kept.
            None => to(self.of.in_memory()?.with_last_axes_swapped()?.bytes()?),
        }
    }
}
