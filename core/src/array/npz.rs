//! npz archives: zip files of npy entries.
use super::{Array, npy, reserve, zeros};
use crate::base::{Dtype, Error, Result};
use indexmap::IndexMap;
use memmap2::Mmap;
use std::{
    fs::File,
    io::{self, Cursor, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::Arc,
};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// An npz file, open and mapped; entries are read when asked for.
pub struct NpzFile {
    path: PathBuf,
    map: Arc<Mmap>,
    /// Name, without `.npy`, to the entry's index.
    entries: IndexMap<String, usize>,
    archive: ZipArchive<ZipBytes>,
}

/// The bytes of an archive, with two mistakes of the tool chain's writer mended, which the zip crate believes: its zip64
/// end record says that it is 0x44 bytes long, where 44 are meant, and is said to lie where it does not.
struct ZipBytes {
    bytes: Cursor<MapBytes>,
    /// Where the end records begin, and what stands there instead.
    mended: Option<(u64, Vec<u8>)>,
}
struct MapBytes(Arc<Mmap>);
impl AsRef<[u8]> for MapBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl ZipBytes {
    fn new(map: Arc<Mmap>) -> Self {
        // The three end records without comments: zip64 end (56 bytes), its locator (20), end (22).
        let start = map.len().checked_sub(56 + 20 + 22);
        let is_mistaken = |at: &usize| {
            map[*at..].starts_with(b"PK\x06\x06\x44\0\0\0\0\0\0\0") && map[at + 56..].starts_with(b"PK\x06\x07")
        };
        let mended = start.filter(is_mistaken).map(|at| {
            let mut end = map[at..].to_vec();
            end[4] = 44;
            end[56 + 8..56 + 16].copy_from_slice(&(at as u64).to_le_bytes());
            (at as u64, end)
        });
        ZipBytes { bytes: Cursor::new(MapBytes(map)), mended }
    }
}
impl Read for ZipBytes {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let from = self.bytes.position();
        let n = self.bytes.read(to)?;
        if let Some((start, end)) = &self.mended {
            for (i, byte) in to[..n].iter_mut().enumerate() {
                let at = (from + i as u64).checked_sub(*start);
                if let Some(mended) = at.and_then(|at| end.get(at as usize)) {
                    *byte = *mended;
                }
            }
        }
        Ok(n)
    }
}
impl Seek for ZipBytes {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

impl NpzFile {
    /// Opens an archive and lists its entries.
    ///
    /// # Errors
    /// The file cannot be read, is not a zip archive, or has one name twice.
    pub fn open(path: impl AsRef<Path>) -> Result<NpzFile> {
        let path = path.as_ref();
        let map = map_file(path)?;
        let archive = ZipArchive::new(ZipBytes::new(map.clone()))
            .map_err(|e| Error::format(path, format!("not an npz (zip) archive: {e}")))?;
        let mut entries = IndexMap::new();
        for (i, name) in archive.file_names().enumerate() {
            let name = name.map_err(|e| Error::format(path, format!("the name of entry {i}: {e}")))?;
            let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
            if entries.insert(name.clone(), i).is_some() {
                return Err(Error::format(path, format!("the entry {name:?} occurs twice")));
            }
        }
        Ok(NpzFile { path: path.into(), map, entries, archive })
    }
    /// The names of the arrays, in the order of the archive.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
    /// Reads one array: mapped where it is stored row-major and little-endian, otherwise copied.
    ///
    /// # Errors
    /// There is no such array, or it is damaged or of a type that is not supported.
    pub fn read(&mut self, name: &str) -> Result<Array> {
        let path = self.path.clone();
        let fail = |problem: String| Error::format(&path, format!("the array {name:?}: {problem}"));
        let index = *self.entries.get(name).ok_or_else(|| fail("there is none of that name".into()))?;
        let mut entry = self.archive.by_index(index).map_err(|e| fail(e.to_string()))?;
        let size = usize::try_from(entry.size()).map_err(|_| fail("it is too large".into()))?;
        let start = entry.data_start().and_then(|s| usize::try_from(s).ok());
        if entry.compression() == CompressionMethod::Stored
            && let Some(start) = start
        {
            let bytes = start.checked_add(size).and_then(|end| self.map.get(start..end));
            let bytes = bytes.ok_or_else(|| fail("it reaches past the end of the file".into()))?;
            let header = npy::parse_header(bytes).map_err(&fail)?;
            let len = expected_len(&header, size).map_err(&fail)?;
            if !header.big_endian && !header.fortran_order {
                return Array::mapped(header.dtype, header.shape, self.map.clone(), start + header.len, len);
            }
            return copied(header, bytes.to_vec());
        }
        let mut head = zeros::<u8>(size.min(8192))?;
        let got = read_up_to(&mut entry, &mut head).map_err(|e| fail(e.to_string()))?;
        let header = npy::parse_header(&head[..got]).map_err(&fail)?;
        expected_len(&header, size).map_err(&fail)?;
        let mut bytes = Vec::new();
        reserve(&mut bytes, size)?;
        bytes.extend_from_slice(&head[..got]);
        entry.take((size - got) as u64).read_to_end(&mut bytes).map_err(|e| fail(e.to_string()))?;
        if bytes.len() != size {
            return Err(fail(format!("it has {} bytes of {size}", bytes.len())));
        }
        copied(header, bytes)
    }
}

fn read_up_to(from: &mut impl Read, to: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < to.len() {
        match from.read(&mut to[got..])? {
            0 => break,
            n => got += n,
        }
    }
    Ok(got)
}

fn expected_len(header: &npy::Header, size: usize) -> Result<usize, String> {
    let elements = if header.shape.contains(&0) {
        0
    } else {
        crate::base::elements(&header.shape, header.dtype).map_err(|e| e.to_string())?
    };
    let (expected, found) = (elements * header.dtype.size(), size - header.len);
    if expected != found {
        return Err(format!("it holds {found} bytes; its shape and dtype need {expected}"));
    }
    Ok(expected)
}

/// Row-major little-endian elements from an npy that is not so, or not stored plainly.
fn copied(header: npy::Header, mut bytes: Vec<u8>) -> Result<Array> {
    bytes.drain(..header.len);
    let size = header.dtype.size();
    if header.big_endian {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    if header.fortran_order && header.shape.len() > 1 {
        let mut out = zeros::<u8>(bytes.len())?;
        let mut index = vec![0usize; header.shape.len()];
        for element in out.chunks_exact_mut(size) {
            let at = index.iter().zip(&header.shape).rev().fold(0, |at, (i, d)| at * d + i);
            element.copy_from_slice(&bytes[at * size..(at + 1) * size]);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < header.shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        bytes = out;
    }
    Array::from_raw(header.dtype, header.shape, bytes)
}

pub(super) fn map_file(path: &Path) -> Result<Arc<Mmap>> {
    let file = File::open(path).map_err(Error::io(path))?;
    if file.metadata().map_err(Error::io(path))?.is_dir() {
        return Err(Error::format(path, "it is a folder, not a file"));
    }
    // SAFETY: a mapped file that another process truncates or rewrites meanwhile is undefined behaviour that no
    // mapping can exclude; like other readers of weights we rely on files staying as they are while they are used.
    let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
    Ok(Arc::new(map))
}

/// Writes npz archives: stored, not deflated (the tool chain's reader demands it), with a fixed time, the
/// elements aligned so that they can be mapped.
pub struct NpzWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
    path: PathBuf,
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Begins an archive; `path` is for messages.
    pub fn new(to: W, path: impl Into<PathBuf>) -> Self {
        NpzWriter { zip: ZipWriter::new(to), path: path.into() }
    }
    /// Adds an array. `float16_as_bits` stores float16 as uint16, as the tool chain's reader wants it.
    ///
    /// # Errors
    /// Writing failed.
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
            .large_file(array.bytes().len() > 0xf000_0000)
            .with_alignment(64);
        let path = self.path.clone();
        self.zip.start_file(format!("{name}.npy"), options).map_err(|e| match e {
            zip::result::ZipError::Io(e) => Error::io(&path)(e),
            e => Error::format(&path, format!("the array {name:?}: {e}")),
        })?;
        self.zip.write_all(&header).map_err(Error::io(&path))?;
        self.zip.write_all(array.bytes()).map_err(Error::io(&path))
    }
    /// Ends the archive.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(self) -> Result<W> {
        let path = self.path;
        self.zip.finish().map_err(|e| match e {
            zip::result::ZipError::Io(e) => Error::io(&path)(e),
            e => Error::format(&path, e),
        })
    }
}

/// Reads every array of an npz.
///
/// # Errors
/// As [`NpzFile::open`] and [`NpzFile::read`].
pub fn read_npz(path: impl AsRef<Path>) -> Result<IndexMap<String, Array>> {
    let mut file = NpzFile::open(path)?;
    let names: Vec<String> = file.names().map(str::to_owned).collect();
    names.into_iter().map(|n| file.read(&n).map(|a| (n, a))).collect()
}

/// Writes arrays to an npz, under a temporary name first, so that a failure leaves the old file.
///
/// # Errors
/// Writing failed.
pub fn write_npz<'a>(path: impl AsRef<Path>, arrays: impl IntoIterator<Item = (&'a str, &'a Array)>) -> Result<()> {
    let path = path.as_ref();
    let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let temporary = tempfile::Builder::new().prefix(".tpulang-").tempfile_in(dir).map_err(Error::io(path))?;
    let mut writer = NpzWriter::new(temporary, path);
    for (name, array) in arrays {
        writer.add(name, array, false)?;
    }
    let temporary = writer.finish()?;
    temporary.as_file().sync_all().map_err(Error::io(path))?;
    set_default_permissions(temporary.as_file());
    temporary.persist(path).map_err(|e| Error::io(path)(e.error))?;
    Ok(())
}

/// Temporary files are made for the owner only; what is kept should be readable as other files are.
pub fn set_default_permissions(file: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A refusal leaves a file that the owner can read: no reason to fail.
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o644));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn arrays_are_read_back_mapped_and_the_bytes_are_always_the_same() {
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
            assert_eq!(back[*name].bytes().as_ptr() as usize % 64, 0, "{name} is aligned");
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
