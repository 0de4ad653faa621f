//! safetensors files.
use super::{
    Array,
    storage::{At, InFile, Source},
};
use crate::base::{Dtype, Error, Result, files};
use indexmap::IndexMap;
use safetensors::{
    Dtype as St,
    tensor::{Metadata, TensorInfo},
};
use std::{
    collections::HashSet,
    fmt,
    io::{BufWriter, Read, Write},
    path::Path,
    sync::Arc,
};

/// Maximum size of a header in bytes, as defined by the format.
const MAX_HEADER: u64 = 100_000_000;

/// An open safetensors file: type of the elements, shape, offset and length of each tensor.
pub(super) struct SafetensorsFile {
    source: Arc<Source>,
    entries: IndexMap<String, (St, Vec<usize>, u64, usize)>,
}

impl SafetensorsFile {
    pub fn open(path: &Path) -> Result<Self> {
        let source = Arc::new(Source { file: files::open(path)?, path: path.into() });
        let fail = |problem: String| Error::format(path, format!("not a safetensors file: {problem}"));
        let size = source.file.metadata().map_err(Error::io(path))?.len();
        let mut from = At { source: source.clone(), position: 0 };
        let mut length = [0; 8];
        from.read_exact(&mut length).map_err(|_| fail("it is too short".into()))?;
        let length = u64::from_le_bytes(length);
        let Some(base) = length.checked_add(8).filter(|b| *b <= size) else {
            return Err(fail(format!("its header has {length} bytes, and the file {size}")));
        };
        if length > MAX_HEADER {
            return Err(fail(format!("its header has {length} bytes; at most {MAX_HEADER} are read")));
        }
        let mut header = Vec::new();
        from.take(length).read_to_end(&mut header).map_err(Error::io(path))?;
        let metadata: Metadata = serde_json::from_slice(&header).map_err(|e| fail(format!("its header: {e}")))?;
        let needed = metadata.data_len() as u64;
        if needed != size - base {
            return Err(fail(format!("its tensors have {needed} bytes, and it holds {}", size - base)));
        }
        let entries = metadata.tensors().into_iter().map(|(name, info)| {
            let (from, to) = info.data_offsets;
            (name, (info.dtype, info.shape.clone(), base + from as u64, to - from))
        });
        let mut entries: IndexMap<_, _> = entries.collect();
        entries.sort_by(|a, (_, _, at, _), b, (_, _, other, _)| at.cmp(other).then_with(|| a.cmp(b)));
        Ok(SafetensorsFile { entries, source })
    }
    /// The names, in the order of the data.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }
    /// Returns the array of that name. Its elements are read on first use.
    pub fn array(&self, name: &str) -> Option<Result<Array>> {
        let (ty, shape, position, len) = self.entries.get(name)?;
        let Some(dtype) = dtype(*ty) else {
            let all = DTYPES.map(|(st, _)| format!("{st:?}")).join(", ");
            let problem = format!("the array {name:?} has elements of type {ty:?}; expected one of {all}");
            return Some(Err(Error::format(&self.source.path, problem)));
        };
        let at = At { source: self.source.clone(), position: *position };
        Some(Array::in_file(dtype, shape.clone(), InFile::new(at, *len, &self.source.path, name)))
    }
}

const DTYPES: [(St, Dtype); 15] = [
    (St::F32, Dtype::Float32),
    (St::F16, Dtype::Float16),
    (St::BF16, Dtype::Bfloat16),
    (St::F64, Dtype::Float64),
    (St::F8_E4M3, Dtype::Fp8e4m3),
    (St::F8_E5M2, Dtype::Fp8e5m2),
    (St::I8, Dtype::Int8),
    (St::U8, Dtype::Uint8),
    (St::I16, Dtype::Int16),
    (St::U16, Dtype::Uint16),
    (St::I32, Dtype::Int32),
    (St::U32, Dtype::Uint32),
    (St::I64, Dtype::Int64),
    (St::U64, Dtype::Uint64),
    (St::BOOL, Dtype::Bool),
];

fn dtype(from: St) -> Option<Dtype> {
    DTYPES.iter().find(|(st, _)| *st == from).map(|(_, dtype)| *dtype)
}

/// Checks that each array has a name of its own.
fn check_names(path: &Path, arrays: &[(&str, &Array)]) -> Result<()> {
    const RESERVED: &str = "__metadata__";
    let mut names = HashSet::from([RESERVED]);
    let problem = match arrays.iter().find(|(name, _)| !names.insert(*name)) {
        None => return Ok(()),
        Some((RESERVED, _)) => format!("safetensors files keep the name {RESERVED:?} for themselves; write an .npz"),
        Some((name, _)) => format!("two arrays are called {name:?}; every array needs its own name"),
    };
    Err(Error::format(path, problem))
}

/// Writes a safetensors file; `path` is for messages.
pub(super) fn write(to: impl Write, path: &Path, arrays: &[(&str, &Array)]) -> Result<()> {
    check_names(path, arrays)?;
    // Larger elements first, so that all are aligned.
    let mut sorted = arrays.to_vec();
    sorted.sort_by_key(|(_, array)| std::cmp::Reverse(array.dtype().size()));
    let mut end = 0;
    let infos = sorted.iter().map(|(name, array)| {
        let dtype = DTYPES.iter().find(|(_, d)| *d == array.dtype()).map_or(St::U8, |(st, _)| *st);
        let start = end;
        end += array.len() * array.dtype().size();
        (name.to_string(), TensorInfo { dtype, shape: array.shape().to_vec(), data_offsets: (start, end) })
    });
    let fail = |e: &dyn fmt::Display| Error::format(path, format!("not a valid safetensors file: {e}"));
    let metadata = Metadata::new(None, infos.collect()).map_err(|e| fail(&e))?;
    let mut header = serde_json::to_vec(&metadata).map_err(|e| fail(&e))?;
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut to = BufWriter::new(to);
    to.write_all(&(header.len() as u64).to_le_bytes()).and_then(|()| to.write_all(&header)).map_err(Error::io(path))?;
    for (_, array) in sorted {
        array.pieces(|bytes| to.write_all(bytes).map_err(Error::io(path)))?;
    }
    to.flush().map_err(Error::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArrayFormat, WeightFile, read_arrays};
    use std::fs;

    #[test]
    fn other_arrays_are_read_beside_one_of_an_unknown_type() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.safetensors");
        let header = r#"{"c":{"dtype":"C64","shape":[1],"data_offsets":[0,8]},"x":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}"#;
        let bytes =
            [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 8], &2f32.to_le_bytes()].concat();
        fs::write(&path, bytes).unwrap();
        let mut file = WeightFile::open(&path).unwrap();
        assert_eq!(file.names(), ["c", "x"]);
        assert_eq!(file.read("x").unwrap().to_f32().unwrap(), [2.0]);
        for error in [file.read("c").unwrap_err(), read_arrays(&path).unwrap_err()] {
            let expected = "the array \"c\" has elements of type C64; expected one of F32, F16, BF16";
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn each_array_is_written_under_a_name_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.safetensors");
        let a = Array::from([1f32]);
        for (names, expected) in [
            (["x", "__metadata__"], "safetensors files keep the name \"__metadata__\" for themselves; write an .npz"),
            (["x", "x"], "two arrays are called \"x\"; every array needs its own name"),
        ] {
            let error = ArrayFormat::Safetensors.write(&path, names.map(|name| (name, &a))).unwrap_err();
            assert!(error.to_string().ends_with(expected), "{error}");
            assert!(!path.exists());
        }
    }
}
