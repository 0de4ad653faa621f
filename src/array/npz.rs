//! npz archives: zip files of npy entries.
use super::{
    Array, npy,
    storage::{At, Elements, InFile},
    zip_bytes::{self, NPZ, ZipBytes},
};
use crate::base::{Dtype, Error, Result, files};
use indexmap::IndexMap;
use std::{
    borrow::Borrow,
    io::{self, BufWriter, Read, Seek, Write},
    path::{Path, PathBuf},
};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// An open npz file. Entries are read on first use.
pub struct NpzFile {
    path: PathBuf,
    /// The index of each entry by its name, without `.npy`.
    entries: IndexMap<String, usize>,
    archive: ZipArchive<ZipBytes>,
    /// The file from its first byte.
    file: At,
}

/// One entry: a header, followed by the elements.
struct Entry {
    archive: ZipArchive<ZipBytes>,
    index: usize,
    header: npy::Header,
    /// Where the elements begin in the file, unless they are compressed.
    stored: Option<At>,
}
impl Elements for Entry {
    fn with_reader(&self, take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()> {
        let mut archive = self.archive.clone();
        let mut entry = archive.by_index(self.index).map_err(io::Error::other)?;
        io::copy(&mut entry.by_ref().take(self.header.len as u64), &mut io::sink())?;
        take(&mut entry)?;
        // The zip crate compares the checksum at the end.
        match entry.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(io::Error::other("it holds more than its shape and dtype need")),
        }
    }
    fn in_order(&self) -> bool {
        self.header.in_order()
    }
    fn reordered(&self, bytes: &[u8]) -> Result<Option<Vec<u64>>> {
        self.header.reordered(bytes)
    }
    fn place(&self) -> Option<&At> {
        self.stored.as_ref().filter(|_| self.in_order())
    }
}

impl NpzFile {
    /// Opens an archive and lists its entries.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a zip archive, or if entries share a name or bytes.
    pub fn open(path: impl AsRef<Path>) -> Result<NpzFile> {
        let path = path.as_ref();
        NpzFile::of(ZipBytes::of(files::open(path)?, path, NPZ)?, path)
    }
    /// Reads an archive from a stream, such as standard input, by way of a temporary file; `name` is for messages.
    ///
    /// # Errors
    /// Same as for [`NpzFile::open`], and if there is no room for the file.
    pub fn from_reader(mut stream: impl Read, name: &str) -> Result<NpzFile> {
        let path = Path::new(name);
        let mut file = tempfile::tempfile().map_err(Error::io(std::env::temp_dir()))?;
        io::copy(&mut stream, &mut file).map_err(Error::io(path))?;
        NpzFile::of(ZipBytes::of(file, path, NPZ)?, path)
    }
    fn of(bytes: ZipBytes, path: &Path) -> Result<NpzFile> {
        let file = bytes.file();
        let archive = zip_bytes::archive(bytes, path)?;
        if archive.file_names().flatten().any(|name| name.ends_with("/data.pkl")) {
            return Err(Error::format(path, "this is a PyTorch file (torch.save), not an npz archive; name it .pt"));
        }
        let mut entries = IndexMap::new();
        for (i, name) in archive.file_names().enumerate() {
            let name = name.map_err(|e| Error::format(path, format!("the name of entry {i}: {e}")))?;
            // Programs like `zip` have entries for folders.
            if name.ends_with('/') {
                continue;
            }
            let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
            if entries.insert(name.clone(), i).is_some() {
                return Err(Error::format(path, format!("the entry {name:?} occurs twice")));
            }
        }
        Ok(NpzFile { path: path.into(), entries, archive, file })
    }
    /// Returns the names of the arrays, in the order of the archive.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
    /// Returns whether there is an array with this name.
    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }
    /// Returns an array, whose elements are read on first use and compared with the checksum of the archive.
    ///
    /// # Errors
    /// Returns an error if no such array exists, its header is damaged, or its type is not supported.
    pub fn array(&mut self, name: &str) -> Result<Array> {
        let fail = |problem: String| Error::format(&self.path, format!("the array {name:?}: {problem}"));
        let index = *self.entries.get(name).ok_or_else(|| fail("there is none of that name".into()))?;
        let mut entry = self.archive.by_index(index).map_err(|e| fail(e.to_string()))?;
        let size = usize::try_from(entry.size()).map_err(|_| fail("it is too large".into()))?;
        let mut head = Vec::new();
        let most = size.min(npy::MAX_LEN) as u64;
        entry.by_ref().take(most).read_to_end(&mut head).map_err(|e| fail(e.to_string()))?;
        let header = npy::parse_header(&head).map_err(&fail)?;
        let len = header.expected_len(size).map_err(&fail)?;
        let (dtype, shape) = (header.dtype, header.shape.clone());
        let is_stored = entry.compression() == CompressionMethod::Stored && entry.compressed_size() == entry.size();
        let start = entry.data_start().filter(|_| is_stored);
        drop(entry);
        let stored = start.map(|start| self.file.after(start).after(header.len as u64));
        let entry = Entry { archive: self.archive.clone(), index, header, stored };
        Array::in_file(dtype, shape, InFile::new(entry, len, &self.path, name))
    }
    /// Reads one array into memory.
    ///
    /// # Errors
    /// Returns an error if the array cannot be read (see [`NpzFile::array`] and [`Array::bytes`]).
    pub fn read(&mut self, name: &str) -> Result<Array> {
        let array = self.array(name)?;
        array.bytes()?;
        Ok(array)
    }
    /// Returns all arrays, whose elements are read on first use.
    ///
    /// # Errors
    /// Same as for [`NpzFile::array`].
    pub fn arrays(&mut self) -> Result<IndexMap<String, Array>> {
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        names.into_iter().map(|n| self.array(&n).map(|a| (n, a))).collect()
    }
}

/// Writes npz archives. Entries are stored without compression, as the tool chain's reader requires, with a fixed time, and
/// aligned, so that they can be mapped.
pub struct NpzWriter<W: Write + Seek> {
    zip: ZipWriter<UntilError<W>>,
    path: PathBuf,
}

/// Discards everything after the first error, as if it had been written. A [`ZipWriter`] that is dropped completes the
/// archive, and would report the same error again on standard error.
struct UntilError<W> {
    to: W,
    failed: bool,
    position: u64,
    end: u64,
}

impl<W> UntilError<W> {
    fn new(to: W) -> Self {
        UntilError { to, failed: false, position: 0, end: 0 }
    }
    fn attempt<T>(&mut self, discarded: T, operation: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.failed {
            return Ok(discarded);
        }
        operation(&mut self.to).inspect_err(|e| self.failed = e.kind() != io::ErrorKind::Interrupted)
    }
}
impl<W: Write> Write for UntilError<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.attempt(bytes.len(), |to| to.write(bytes));
        match &written {
            Ok(n) => self.position += *n as u64,
            // If updating the header of an entry failed, the zip crate expects the position after the entry.
            Err(_) if self.failed => self.position = self.end,
            Err(_) => {}
        }
        self.end = self.end.max(self.position);
        written
    }
    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), W::flush)
    }
}
impl<W: Seek> Seek for UntilError<W> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let position = match to {
            io::SeekFrom::Start(position) => Some(position),
            io::SeekFrom::End(by) => self.end.checked_add_signed(by),
            io::SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        let position = position.ok_or(io::ErrorKind::InvalidInput)?;
        self.position = self.attempt(position, |inner| inner.seek(to))?;
        Ok(self.position)
    }
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Creates an archive; `path` is for messages.
    pub fn new(to: W, path: impl Into<PathBuf>) -> Self {
        NpzWriter { zip: ZipWriter::new(UntilError::new(to)), path: path.into() }
    }
    /// Adds an array. `float16_as_bits` stores float16 as uint16, as the tool chain's reader requires.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn add(&mut self, name: &str, array: &Array, float16_as_bits: bool) -> Result<()> {
        let dtype = match array.dtype() {
            Dtype::Float16 if float16_as_bits => Dtype::Uint16,
            other => other,
        };
        let header = npy::header(dtype, array.shape());
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(0o644)
            .large_file(array.len().saturating_mul(dtype.size()) > 0xf000_0000)
            .with_alignment(64);
        let path = self.path.clone();
        self.zip.start_file(format!("{name}.npy"), options).map_err(|e| match e {
            zip::result::ZipError::Io(e) => Error::io(&path)(e),
            e => Error::format(&path, format!("the array {name:?}: {e}")),
        })?;
        self.zip.write_all(&header).map_err(Error::io(&path))?;
        array.pieces(|bytes| self.zip.write_all(bytes).map_err(Error::io(&path)))
    }
    /// Completes the archive.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn finish(self) -> Result<W> {
        let path = self.path;
        let finished = self.zip.finish().map_err(|e| match e {
            zip::result::ZipError::Io(e) => Error::io(&path)(e),
            e => Error::format(&path, e),
        });
        finished.map(|archive| archive.to)
    }
}

/// Reads every array of an npz into memory.
///
/// # Errors
/// Returns an error if the archive cannot be opened or an array cannot be read (see [`NpzFile`]).
pub fn read_npz(path: impl AsRef<Path>) -> Result<IndexMap<String, Array>> {
    let arrays = NpzFile::open(path)?.arrays()?;
    arrays.values().try_for_each(|a| a.bytes().map(drop))?;
    Ok(arrays)
}

/// Writes a whole archive; `float16_as_bits` as in [`NpzWriter::add`], `path` is for messages.
///
/// # Errors
/// Returns an error if writing fails.
pub fn write_arrays(
    to: impl Write + Seek,
    path: &Path,
    arrays: impl IntoIterator<Item = (impl AsRef<str>, impl Borrow<Array>)>,
    float16_as_bits: bool,
) -> Result<()> {
    let mut writer = NpzWriter::new(BufWriter::new(to), path);
    for (name, array) in arrays {
        writer.add(name.as_ref(), array.borrow(), float16_as_bits)?;
    }
    writer.finish()?.flush().map_err(Error::io(path))
}

/// Writes arrays by name to an npz, which replaces `path` once it is complete: a list of pairs, a map, or the results of a
/// session.
///
/// ```
/// use tpulang::{Array, Dtype, GraphBuilder, array::{read_npz, write_npz}, exec::{CpuBackend, RunOptions, Session}};
/// let g = GraphBuilder::new("net")?;
/// let x = g.input("x", Dtype::Float32, [2])?;
/// let session = Session::new(&g.build(x.relu().out_name("y").call()?)?, CpuBackend::new(), &RunOptions::default())?;
/// # let path = std::env::temp_dir().join("tpulang-results.npz");
/// write_npz(&path, session.run(&[("x", Array::from([-1f32, 1.0]))])?)?;
/// assert_eq!(read_npz(&path)?["y"], Array::from([0f32, 1.0]));
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if writing fails or `path` is not a file.
pub fn write_npz(
    path: impl AsRef<Path>,
    arrays: impl IntoIterator<Item = (impl AsRef<str>, impl Borrow<Array>)>,
) -> Result<()> {
    let path = path.as_ref();
    files::replace(path, |file| write_arrays(file, path, arrays, false))
}

/// Writes an npz to a stream, such as standard output, by way of a temporary file; `name` is for messages.
///
/// # Errors
/// Returns an error if writing fails, or if there is no room for the file.
pub fn write_npz_to(
    mut stream: impl Write,
    name: &str,
    arrays: impl IntoIterator<Item = (impl AsRef<str>, impl Borrow<Array>)>,
) -> Result<()> {
    let mut file = tempfile::tempfile().map_err(Error::io(std::env::temp_dir()))?;
    write_arrays(&file, Path::new(name), arrays, false)?;
    let copied = file.rewind().and_then(|()| io::copy(&mut file, &mut stream)).and_then(|_| stream.flush());
    copied.map_err(Error::io(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};

    /// A device with room for a number of bytes.
    struct Full(io::Cursor<Vec<u8>>, usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 = self.1.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl Seek for Full {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    /// The archive is completed when it is dropped, which must not panic or write to the device again.
    #[test]
    fn a_full_device_is_an_error() {
        let array = Array::from(vec![1f32; 100]);
        let write = |room| {
            let mut writer = NpzWriter::new(Full(io::Cursor::new(Vec::new()), room), "x.npz");
            ["a", "b"].iter().try_for_each(|name| writer.add(name, &array, false))?;
            writer.finish().map(|full| full.1)
        };
        let left = write(10_000).unwrap();
        for room in (0..10_000 - left).step_by(7) {
            let error = write(room).unwrap_err().to_string();
            assert_eq!(error, "x.npz: no storage space", "{room}");
        }
    }

    #[test]
    fn arrays_are_read_back_and_the_bytes_are_always_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let arrays = [
            ("a", Array::from_vec([2, 3], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap()),
            ("b/é", Array::from_vec([3], vec![1i8, -2, 3]).unwrap()),
            ("scalar", Array::from_vec([0usize; 0], vec![7u16]).unwrap()),
            ("half", Array::filled(Dtype::Float16, [2], 1.5).unwrap()),
        ];
        let paths = ["1.npz", "2.npz"].map(|n| dir.path().join(n));
        for p in &paths {
            write_npz(p, arrays.iter().map(|(n, a)| (*n, a))).unwrap();
        }
        assert_eq!(fs::read(&paths[0]).unwrap(), fs::read(&paths[1]).unwrap());
        let back = read_npz(&paths[0]).unwrap();
        for (name, array) in &arrays {
            assert_eq!(&back[*name], array);
        }
    }

    /// An archive as tpuc-opt ends it: a zip64 end record with a wrong length, at a place that is wrong too.
    #[test]
    fn the_tool_chains_archives_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npz");
        let array = Array::from([1f32, 2.0]);
        write_npz(&path, [("a", &array)]).unwrap();
        let good = fs::read(&path).unwrap();
        let (body, end) = good.split_at(good.len() - 22);
        let (size, offset) =
            (u32::from_le_bytes(end[12..16].try_into().unwrap()), u32::from_le_bytes(end[16..20].try_into().unwrap()));
        let mut bytes = body.to_vec();
        bytes.extend(b"PK\x06\x06\x44\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0");
        [1, 1, u64::from(size), u64::from(offset)].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend((u64::from(offset) + 56).to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(&end[..16]);
        bytes.extend([0xff, 0xff, 0xff, 0xff, 0, 0]);
        fs::write(&path, bytes).unwrap();
        assert_eq!(read_npz(&path).unwrap()["a"], array);
    }

    #[test]
    fn entries_do_not_overlap() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npz");
        let mut writer = NpzWriter::new(File::create(&path).unwrap(), &path);
        writer.add("a", &Array::from([1f32, 2.0]), false).unwrap();
        writer.zip.shallow_copy_file("a.npy", "b.npy").unwrap();
        writer.finish().unwrap();
        let error = NpzFile::open(&path).err().unwrap().to_string();
        assert!(error.ends_with("its entries overlap; every array needs bytes of its own"), "{error}");
    }

    #[test]
    fn numpy_crates_agree() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npz");
        let fortran = ndarray::Array2::from_shape_fn((2, 3), |(i, j)| (10 * i + j) as i32).reversed_axes();
        let mut writer = ndarray_npy::NpzWriter::new_compressed(File::create(&path).unwrap());
        writer.add_array("f", &fortran).unwrap();
        writer.finish().unwrap();
        let back = read_npz(&path).unwrap();
        assert_eq!(back["f"].view::<i32>().unwrap(), fortran.view().into_dyn());
        write_npz(&path, [("g", &back["f"])]).unwrap();
        let mut reader = ndarray_npy::NpzReader::new(File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.by_name::<ndarray::OwnedRepr<i32>, ndarray::Ix2>("g").unwrap(), fortran);
    }
}
