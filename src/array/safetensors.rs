//! safetensors files.
use super::{
    Array,
    storage::{At, InFile, Source},
};
use crate::base::{Dtype, Error, Result, files};
use safetensors::{Dtype as St, tensor::Metadata};
use std::{collections::HashMap, io::Read, path::Path, sync::Arc};

/// Bytes of a header, the format's own bound.
const MAX_HEADER: u64 = 100_000_000;

/// An open safetensors file: where each tensor lies in it.
pub(super) struct SafetensorsFile {
    source: Arc<Source>,
    entries: HashMap<String, (Dtype, Vec<usize>, u64, usize)>,
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
        let entries = metadata.tensors().into_iter().filter_map(|(name, info)| {
            let (from, to) = info.data_offsets;
            Some((name, (dtype(info.dtype)?, info.shape.clone(), base + from as u64, to - from)))
        });
        Ok(SafetensorsFile { entries: entries.collect(), source })
    }
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }
    /// The array of that name; its elements are read when they are needed.
    pub fn array(&self, name: &str) -> Option<Result<Array>> {
        let (dtype, shape, position, len) = self.entries.get(name)?;
        let at = At { source: self.source.clone(), position: *position };
        Some(Array::in_file(*dtype, shape.clone(), InFile::new(at, *len, &self.source.path, name)))
    }
}

fn dtype(from: St) -> Option<Dtype> {
    Some(match from {
        St::F32 => Dtype::Float32,
        St::F16 => Dtype::Float16,
        St::BF16 => Dtype::Bfloat16,
        St::F64 => Dtype::Float64,
        St::F8_E4M3 => Dtype::Fp8e4m3,
        St::F8_E5M2 => Dtype::Fp8e5m2,
        St::I8 => Dtype::Int8,
        St::U8 => Dtype::Uint8,
        St::I16 => Dtype::Int16,
        St::U16 => Dtype::Uint16,
        St::I32 => Dtype::Int32,
        St::U32 => Dtype::Uint32,
        St::I64 => Dtype::Int64,
        St::U64 => Dtype::Uint64,
        St::BOOL => Dtype::Bool,
        _ => return None,
    })
}
