//! safetensors files, mapped.
use super::{Array, npz::map_file};
use crate::base::{Dtype, Error, Result};
use memmap2::Mmap;
use safetensors::{Dtype as St, SafeTensors};
use std::{collections::HashMap, path::Path, sync::Arc};

/// An open safetensors file: where each tensor lies in the map.
pub(super) struct SafetensorsFile {
    map: Arc<Mmap>,
    entries: HashMap<String, (Dtype, Vec<usize>, usize, usize)>,
}

impl SafetensorsFile {
    pub fn open(path: &Path) -> Result<Self> {
        let map = map_file(path)?;
        let tensors =
            SafeTensors::deserialize(&map).map_err(|e| Error::format(path, format!("not a safetensors file: {e}")))?;
        let base = map.as_ptr() as usize;
        let entries = tensors
            .tensors()
            .into_iter()
            .filter_map(|(name, view)| {
                let data = view.data();
                Some((name, (dtype(view.dtype())?, view.shape().to_vec(), data.as_ptr() as usize - base, data.len())))
            })
            .collect();
        Ok(SafetensorsFile { entries, map })
    }
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
    pub fn read(&self, name: &str) -> Option<Result<Array>> {
        let (dtype, shape, offset, len) = self.entries.get(name)?;
        Some(Array::mapped(*dtype, shape.clone(), self.map.clone(), *offset, *len))
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
