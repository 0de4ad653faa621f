//! Files of arrays, read in the format that their extension names.
use super::{
    Array, NpzFile, WeightFile, npy,
    storage::{At, Elements, InFile, Source},
    torch,
};
use crate::base::{Error, Result, files};
use indexmap::IndexMap;
use std::{
    ffi::OsStr,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Returns the arrays of a file by name; their elements are read on first use. The extension names the format: `.npz` and
/// `.safetensors` have any number of arrays, as have `.pt`, `.pth`, `.bin` and `.ckpt`, which PyTorch's `torch.save` writes; an
/// `.npy` has one, which is named like the file. A folder is read as its `.npy` files.
///
/// ```
/// use tpulang::{Array, array::{ArrayFormat, read_arrays}};
/// let path = std::env::temp_dir().join("tpulang-logits.npy");
/// ArrayFormat::Npy.write(&path, [("", &Array::from([1f32, 2.0]))])?;
/// assert_eq!(read_arrays(&path)?["tpulang-logits"].to_f32()?, [1.0, 2.0]);
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the format is unknown or the file is not valid.
pub fn read_arrays(path: impl AsRef<Path>) -> Result<IndexMap<String, Array>> {
    let path = path.as_ref();
    if path.is_dir() {
        return read_folder(path);
    }
    match path.extension().and_then(OsStr::to_str) {
        Some("npz") => NpzFile::open(path)?.arrays(),
        Some("npy") => Ok([(stem(path), read_npy(path)?)].into()),
        Some(extension) if extension == "safetensors" || torch::EXTENSIONS.contains(&extension) => {
            let mut file = WeightFile::open(path)?;
            let names: Vec<String> = file.names().into_iter().map(str::to_owned).collect();
            names.into_iter().map(|name| file.read(&name).map(|array| (name, array))).collect()
        }
        _ => Err(Error::format(
            path,
            "arrays are read from .npz, .safetensors, .npy and PyTorch's .pt files, and folders of .npy files",
        )),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn read_folder(folder: &Path) -> Result<IndexMap<String, Array>> {
    let entries = fs::read_dir(folder).map_err(Error::io(folder))?;
    let paths = entries.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut paths = paths.map_err(Error::io(folder))?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "npy"));
    if paths.is_empty() {
        return Err(Error::format(folder, "the folder has no .npy files"));
    }
    paths.sort();
    paths.iter().map(|path| Ok((stem(path), read_npy(path)?))).collect()
}

/// The elements of an npy file, after its header.
struct NpyElements {
    at: At,
    header: npy::Header,
}

impl Elements for NpyElements {
    fn with_reader(&self, take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()> {
        self.at.with_reader(take)
    }
    fn in_order(&self) -> bool {
        self.header.in_order()
    }
    fn reordered(&self, bytes: &[u8]) -> Result<Option<Vec<u64>>> {
        self.header.reordered(bytes)
    }
    fn place(&self) -> Option<&At> {
        Some(&self.at).filter(|_| self.in_order())
    }
}

fn read_npy(path: &Path) -> Result<Array> {
    let fail = |problem: String| Error::format(path, problem);
    let source = Arc::new(Source { file: files::open(path)?, path: path.into() });
    let size = source.file.metadata().map_err(Error::io(path))?.len();
    let size = usize::try_from(size).map_err(|_| fail("it is too large".into()))?;
    let mut head = Vec::new();
    let from = At { source: source.clone(), position: 0 };
    from.take(npy::MAX_LEN as u64).read_to_end(&mut head).map_err(Error::io(path))?;
    let header = npy::parse_header(&head).map_err(fail)?;
    let len = header.expected_len(size).map_err(fail)?;
    let (dtype, shape) = (header.dtype, header.shape.clone());
    let at = At { source, position: header.len as u64 };
    Array::in_file(dtype, shape, InFile::new(NpyElements { at, header }, len, path, &stem(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArrayFormat, base::Dtype};

    #[test]
    fn arrays_are_read_from_every_format() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (Array::from([1f32, 2.0]), Array::filled(Dtype::Int64, [2, 2], 7.0).unwrap());
        for name in ["x.npz", "x.safetensors"] {
            let path = dir.path().join(name);
            ArrayFormat::from_path(&path).unwrap().write(&path, [("b/0", &b), ("a", &a)]).unwrap();
            let back = read_arrays(&path).unwrap();
            assert_eq!((back["a"].clone(), back["b/0"].clone()), (a.clone(), b.clone()));
        }
        let folder = dir.path().join("dump");
        fs::create_dir(&folder).unwrap();
        let fortran = ndarray::Array2::from_shape_fn((2, 3), |(i, j)| (10 * i + j) as f64).reversed_axes();
        ndarray_npy::write_npy(folder.join("f.npy"), &fortran).unwrap();
        ArrayFormat::Npy.write(folder.join("a.npy"), [("", &a)]).unwrap();
        fs::write(folder.join("notes.txt"), "").unwrap();
        let back = read_arrays(&folder).unwrap();
        assert_eq!(back.keys().collect::<Vec<_>>(), ["a", "f"]);
        assert_eq!(back["f"].view::<f64>().unwrap(), fortran.view().into_dyn());
    }

    #[test]
    fn other_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let told = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            fs::write(&path, bytes).unwrap();
            let error = read_arrays(&path).unwrap_err().to_string();
            error.replace(&path.display().to_string(), "FILE")
        };
        let expected =
            "FILE: arrays are read from .npz, .safetensors, .npy and PyTorch's .pt files, and folders of .npy files";
        assert_eq!(told("x.txt", b""), expected);
        assert_eq!(told("x.npy", b"PK\x03\x04"), "FILE: it does not begin like an npy file");
        let mut bytes = npy::header(Dtype::Float32, &[2]);
        bytes.extend([0; 7]);
        assert_eq!(told("y.npy", &bytes), "FILE: it holds 7 bytes; its shape and dtype need 8");
        let error = read_arrays(dir.path().join("none.npz")).unwrap_err().to_string();
        assert!(error.contains("No such file"), "{error}");
        fs::create_dir(dir.path().join("empty")).unwrap();
        let error = read_arrays(dir.path().join("empty")).unwrap_err().to_string();
        assert!(error.ends_with("the folder has no .npy files"), "{error}");
    }
}
