//! Files of PyTorch's `torch.save`: zip archives of a pickle, which describes tensors by name, and of their elements.
//!
//! The crate pytorch-reader interprets the pickle: it knows the few functions that make tensors, dicts and modules, and calls
//! nothing. What it bounds generously, this module bounds by the size of the file.
use super::{
    Array, reserve,
    storage::{Elements, InFile},
    zip_bytes::{self, TORCH, ZipBytes},
};
use crate::base::{Dtype, Error, Result};
use indexmap::IndexMap;
use pytorch_reader::{DType, PickleValue, PytorchReader, Tensor};
use std::{
    collections::HashSet,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};
use zip::CompressionMethod;

/// The extensions of such files.
pub(super) const EXTENSIONS: [&str; 4] = ["pt", "pth", "bin", "ckpt"];

/// Maximum size of a pickle in bytes; one of 10,000 tensors has 2 MB. Its objects take up to a hundred times as much memory.
const MAX_PICKLE: u64 = 8 << 20;

/// Bytes that the tensors of any file may have together. A tensor may repeat its elements, and several may share them.
const MAX_REPEATED: u64 = 1 << 28;

/// How many times as large as their file tensors may be together, if they have more than [`MAX_REPEATED`] bytes.
const MAX_SHARING: u64 = 16;

/// Keys under which training programs save the weights beside other things.
const WRAPPERS: [&str; 2] = ["state_dict.", "model_state_dict."];

/// An open file of `torch.save`.
pub(super) struct TorchFile {
    path: PathBuf,
    /// In alphabetic order.
    tensors: IndexMap<String, Tensor>,
}

impl TorchFile {
    /// Opens a file. Entries of nested dicts and lists are named `outer.inner` and `list.0`. If the weights are in an entry
    /// `state_dict`, the file is read as that.
    pub fn open(path: &Path) -> Result<TorchFile> {
        let fail = |problem: String| Error::format(path, problem);
        let size = fs::metadata(path).map_err(Error::io(path))?.len();
        check_archive(path)?;
        let remedy = "torch.save(model.state_dict(), \"FILE.pt\") writes one";
        let file = PytorchReader::new(path).map_err(|e| fail(format!("not a dict of tensors, as {remedy}: {e}")))?;
        let mut tensors: IndexMap<String, Tensor> = file.into_tensors().into_iter().collect();
        if let Ok(pickle) = PytorchReader::read_pickle_data(path, None)
            && let Some(name) = repeated(&pickle, "", &tensors, &mut HashSet::new())
        {
            return Err(fail(format!(
                "two of its tensors are called {name:?}, if the keys of dicts are joined by dots"
            )));
        }
        if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| tensors.keys().any(|name| name.starts_with(**wrapper))) {
            let inner = |(name, tensor): (String, Tensor)| Some((name.strip_prefix(wrapper)?.to_owned(), tensor));
            tensors = tensors.into_iter().filter_map(inner).collect();
        }
        let bytes = tensors.values().fold(0u64, |sum, tensor| sum.saturating_add(tensor.byte_len() as u64));
        if bytes > MAX_REPEATED.max(size.saturating_mul(MAX_SHARING)) {
            return Err(fail(format!("its tensors have {bytes} bytes together, and the file {size}")));
        }
        tensors.sort_unstable_keys();
        Ok(TorchFile { path: path.into(), tensors })
    }
    /// The names, in alphabetic order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }
    /// Returns the array of that name. Its elements are read on first use.
    pub fn array(&self, name: &str) -> Option<Result<Array>> {
        let tensor = self.tensors.get(name)?;
        let (dtype, shape, len) = (dtype(tensor.dtype()), tensor.shape().to_vec(), tensor.byte_len());
        Some(Array::in_file(dtype, shape, InFile::new(TorchElements(tensor.clone()), len, &self.path, name)))
    }
}

/// Returns a name that two tensors have, if any.
fn repeated(
    value: &PickleValue,
    name: &str,
    tensors: &IndexMap<String, Tensor>,
    seen: &mut HashSet<String>,
) -> Option<String> {
    let inner = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        PickleValue::Dict(dict) => dict.iter().find_map(|(key, value)| repeated(value, &inner(key), tensors, seen)),
        PickleValue::List(list) => {
            list.iter().enumerate().find_map(|(i, value)| repeated(value, &inner(&i.to_string()), tensors, seen))
        }
        // Tensors are values of no other type.
        PickleValue::Unsupported(_) if tensors.contains_key(name) && !seen.insert(name.to_owned()) => {
            Some(name.to_owned())
        }
        _ => None,
    }
}

/// Whether a pickle has a tensor that PyTorch would negate when its elements are read.
fn has_negated(pickle: &[u8]) -> bool {
    // The key `neg` of a tensor's metadata. An opcode that stores it for later use may stand between it and True.
    const KEY: &[u8] = b"X\x03\x00\x00\x00neg";
    let is_negated = |after: &[u8]| match after {
        [b'q', _, rest @ ..] | [b'r', _, _, _, _, rest @ ..] | [0x94, rest @ ..] | rest => rest.first() == Some(&0x88),
    };
    pickle.windows(KEY.len()).enumerate().any(|(at, found)| found == KEY && is_negated(&pickle[at + KEY.len()..]))
}

/// Checks the archive, and the entry with the pickle.
fn check_archive(path: &Path) -> Result<()> {
    let fail = |problem: String| Error::format(path, problem);
    let mut begin = [0; 4];
    let file = crate::base::files::open(path)?;
    let is_zip = (&file).read_exact(&mut begin).is_ok() && begin == *b"PK\x03\x04";
    if !is_zip {
        return Err(fail(
            "not a zip archive, which torch.save writes since PyTorch 1.6; \
             torch.save(torch.load(\"FILE\"), \"FILE\") converts an older file"
                .into(),
        ));
    }
    let mut archive = zip_bytes::archive(ZipBytes::of(file, path, TORCH)?, path)?;
    for index in 0..archive.len() {
        let broken = |e: zip::result::ZipError| fail(format!("not {TORCH}: {e}"));
        let entry = archive.by_index_raw(index).map_err(broken)?;
        if !entry.name().map_err(broken)?.ends_with("data.pkl") {
            continue;
        }
        if entry.compression() != CompressionMethod::Stored {
            return Err(fail("its pickle is compressed; expected one as torch.save writes it".into()));
        }
        if entry.size() > MAX_PICKLE {
            return Err(fail(format!("its pickle has {} bytes; at most {MAX_PICKLE} are read", entry.size())));
        }
        let mut pickle = Vec::new();
        entry.take(MAX_PICKLE).read_to_end(&mut pickle).map_err(Error::io(path))?;
        if has_negated(&pickle) {
            return Err(fail("one of its tensors is a negated view; tensor.resolve_neg() returns one to save".into()));
        }
    }
    Ok(())
}

fn dtype(from: DType) -> Dtype {
    match from {
        DType::F64 => Dtype::Float64,
        DType::F32 => Dtype::Float32,
        DType::F16 => Dtype::Float16,
        DType::BF16 => Dtype::Bfloat16,
        DType::I64 => Dtype::Int64,
        DType::I32 => Dtype::Int32,
        DType::I16 => Dtype::Int16,
        DType::I8 => Dtype::Int8,
        DType::U64 => Dtype::Uint64,
        DType::U32 => Dtype::Uint32,
        DType::U16 => Dtype::Uint16,
        DType::U8 => Dtype::Uint8,
        DType::Bool => Dtype::Bool,
    }
}

/// The elements of a tensor, in row-major order whatever its strides are.
struct TorchElements(Tensor);

impl Elements for TorchElements {
    fn with_reader(&self, take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()> {
        let TorchElements(tensor) = self;
        // The reader's own allocations abort the process if they fail.
        reserve(&mut Vec::<u8>::new(), tensor.byte_len()).map_err(io::Error::other)?;
        take(&mut tensor.read()?.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{WeightFile, read_arrays};

    /// A file that `tests/torch/write.py` wrote.
    fn fixture(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/torch").join(name)
    }

    #[test]
    fn tensors_are_read_in_row_major_order() {
        let arrays = read_arrays(fixture("dump.pt")).unwrap();
        let values = |name: &str| arrays[name].to_f64().unwrap();
        assert_eq!(arrays["transposed"].shape(), [4, 3, 2]);
        assert_eq!(values("transposed")[..4], [0.0, 12.0, 4.0, 16.0]);
        assert_eq!((arrays["part"].shape(), values("part")), (&[3, 2][..], vec![13.0, 14.0, 17.0, 18.0, 21.0, 22.0]));
        assert_eq!(values("expanded"), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        assert_eq!(
            (arrays["scalar"].dtype(), arrays["scalar"].shape(), values("scalar")),
            (Dtype::Int64, &[][..], vec![7.0])
        );
        assert_eq!((arrays["empty"].shape(), arrays["empty"].len()), (&[0, 3][..], 0));
        assert_eq!(values("tied"), (0..24).map(f64::from).collect::<Vec<_>>());
        assert_eq!((values("list.0"), values("list.1")), (vec![1.0], vec![0.0, 0.0]));
        let by_dtype: Vec<_> = arrays.iter().filter(|(name, _)| name.starts_with("by_dtype.")).collect();
        assert_eq!(by_dtype.len(), 10);
        for (name, array) in by_dtype {
            assert_eq!(
                (format!("by_dtype.{}", array.dtype()), array.to_f64().unwrap()),
                (name.clone(), vec![0.0, 1.0, 1.0])
            );
        }
        assert_eq!(arrays.len(), 18, "{:?}", arrays.keys());
    }

    #[test]
    fn negated_views_are_found() {
        let neg = b"X\x03\x00\x00\x00neg";
        for memo in [&b""[..], b"q\x05", b"r\x05\x00\x00\x00", b"\x94"] {
            let pickle = |value: u8| [b"\x80\x02}", &neg[..], memo, &[value], b"s."].concat();
            assert!(has_negated(&pickle(0x88)) && !has_negated(&pickle(0x89)));
        }
        assert!(!has_negated(neg) && !has_negated(b"X\x04\x00\x00\x00nega\x88"));
    }

    #[test]
    fn weights_are_found_in_state_dicts_checkpoints_and_modules() {
        for name in ["linear.pth", "checkpoint.ckpt", "module.pt"] {
            let mut file = WeightFile::open(fixture(name)).unwrap();
            assert_eq!(file.names(), ["bias", "weight"], "{name}");
            assert_eq!(file.read("bias").unwrap().to_f32().unwrap(), [0.5, -0.5]);
            assert_eq!(file.read("weight").unwrap().to_f32().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
            assert!(file.read("weigth").unwrap_err().to_string().contains("did you mean \"weight\"?"));
        }
    }

    #[test]
    fn other_files_are_refused() {
        let told = |path: &Path| {
            let error = WeightFile::open(path).map(drop).unwrap_err().to_string();
            error.rsplit_once('/').map(|(_, told)| told.to_owned()).unwrap()
        };
        let found = ["old.pth", "tensor.pt", "sparse.pt", "repeated.pt", "negated.pt"].map(|name| told(&fixture(name)));
        assert_eq!(
            found,
            [
                "old.pth: not a zip archive, which torch.save writes since PyTorch 1.6; \
             torch.save(torch.load(\"FILE\"), \"FILE\") converts an older file",
                "tensor.pt: not a dict of tensors, as torch.save(model.state_dict(), \"FILE.pt\") writes one: invalid PyTorch file \
             format: Expected a dictionary at the root of the PyTorch file, found torch.Tensor",
                "sparse.pt: not a dict of tensors, as torch.save(model.state_dict(), \"FILE.pt\") writes one: pickle: unsupported \
             Python type 'torch._utils._rebuild_sparse_tensor'. The file holds tensor data in a form this reader cannot represent.",
                "repeated.pt: two of its tensors are called \"a.b\", if the keys of dicts are joined by dots",
                "negated.pt: one of its tensors is a negated view; tensor.resolve_neg() returns one to save",
            ]
        );
    }

    /// What a pickle claims is compared with the file, and functions of others are not called.
    #[test]
    fn hostile_pickles_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let write_as = |method: CompressionMethod, pickle: &[u8]| {
            let path = dir.path().join("x.pt");
            let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
            let options = zip::write::SimpleFileOptions::default().compression_method(method);
            for (name, bytes) in [("x/data.pkl", pickle), ("x/data/0", &[0u8; 8][..])] {
                zip.start_file(name, options).unwrap();
                io::Write::write_all(&mut zip, bytes).unwrap();
            }
            zip.finish().unwrap();
            TorchFile::open(&path).map(|file| file.names().map(str::to_owned).collect::<Vec<_>>())
        };
        let write = |pickle: &[u8]| write_as(CompressionMethod::Stored, pickle);
        // {"x": _rebuild_tensor_v2(storage 0 of two floats, 0, (n, n), (0, 0))}
        let expanded = |n: u32| {
            let mut bytes = b"\x80\x02}X\x01\0\0\0xctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x02tQK\0(J".to_vec();
            bytes.extend(n.to_le_bytes());
            bytes.push(b'J');
            bytes.extend(n.to_le_bytes());
            bytes.extend(b"t(K\0K\0t\x89NtRs.");
            bytes
        };
        assert_eq!(write(&expanded(100)).unwrap(), ["x"]);
        let refused = write(&expanded(20_000)).unwrap_err().to_string();
        assert!(refused.contains("its tensors have 1600000000 bytes together, and the file "), "{refused}");
        let compressed = write_as(CompressionMethod::Deflated, &expanded(100)).unwrap_err().to_string();
        assert!(compressed.ends_with("its pickle is compressed; expected one as torch.save writes it"), "{compressed}");
        let call = b"\x80\x02}X\x01\0\0\0xcos\nsystem\nX\x02\0\0\0ls\x85Rs.";
        assert_eq!(write(call).unwrap(), [""; 0]);
        let large = write(&vec![b'N'; MAX_PICKLE as usize + 1]).unwrap_err().to_string();
        assert!(large.ends_with("its pickle has 8388609 bytes; at most 8388608 are read"), "{large}");
        for bytes in [&b""[..], b"\x80\x02}", b"\x80\x02N.", b"garbage", b"]]]]]", b"\x80\x02}}aasdf."] {
            assert!(write(bytes).is_err());
        }
    }
}
