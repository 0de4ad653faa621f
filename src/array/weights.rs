use super::{Array, npz::NpzFile, safetensors::SafetensorsFile};
use crate::base::{Dtype, Error, Result, Shape, nearest, shape_text};
use std::path::{Path, PathBuf};

/// A file of coefficients by name: `.npz` or `.safetensors`.
pub struct WeightFile {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Npz(NpzFile),
    Safetensors(SafetensorsFile),
}

impl WeightFile {
    /// Opens a file. The format is determined by the extension.
    ///
    /// # Errors
    /// Returns an error if the extension is another one or the file is not valid.
    pub fn open(path: impl AsRef<Path>) -> Result<WeightFile> {
        let path = path.as_ref();
        let kind = match path.extension().and_then(|e| e.to_str()) {
            Some("npz") => Kind::Npz(NpzFile::open(path)?),
            Some("safetensors") => Kind::Safetensors(SafetensorsFile::open(path)?),
            _ => return Err(Error::format(path, "weights are read from .npz or .safetensors files")),
        };
        Ok(WeightFile { path: path.into(), kind })
    }
    /// Returns the names of the arrays.
    pub fn names(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Npz(f) => f.names().collect(),
            Kind::Safetensors(f) => f.names().collect(),
        }
    }
    /// Returns whether there is an array with this name.
    pub fn has(&self, name: &str) -> bool {
        match &self.kind {
            Kind::Npz(f) => f.has(name),
            Kind::Safetensors(f) => f.has(name),
        }
    }
    /// Returns an array, whose elements are read on first use.
    ///
    /// # Errors
    /// Returns an error if no such array exists (a similar name is suggested) or it is damaged.
    pub fn read(&mut self, name: &str) -> Result<Array> {
        let found = match &mut self.kind {
            Kind::Npz(f) if f.has(name) => Some(f.array(name)),
            Kind::Npz(_) => None,
            Kind::Safetensors(f) => f.array(name),
        };
        found.unwrap_or_else(|| {
            let nearest = nearest(name, self.names().into_iter());
            let hint = nearest.map(|n| format!("; did you mean {n:?}?")).unwrap_or_default();
            Err(Error::format(&self.path, format!("there is no array {name:?}{hint}")))
        })
    }
    /// Reads the data of a tensor that was declared with `dtype` and `shape`: a float16 may be stored as its bits
    /// (uint16), an fp8 as uint8, and a shape with as many elements will do, as TpuLang has it.
    ///
    /// # Errors
    /// As [`WeightFile::read`], or dtype or number of elements differ.
    pub fn read_as(&mut self, name: &str, dtype: Dtype, shape: &Shape) -> Result<Array> {
        let array = self.read(name)?;
        let path = self.path.clone();
        as_declared(array, dtype, shape).map_err(|problem| Error::format(path, format!("the array {name:?} {problem}")))
    }
}

/// An array as a tensor of that dtype and shape, if it can be one.
pub fn as_declared(array: Array, dtype: Dtype, shape: &Shape) -> std::result::Result<Array, String> {
    let stored_as_bits = matches!(
        (dtype, array.dtype()),
        (Dtype::Float16 | Dtype::Bfloat16, Dtype::Uint16) | (Dtype::Fp8e4m3 | Dtype::Fp8e5m2, Dtype::Uint8)
    );
    let (found_dtype, found_shape) = (array.dtype(), shape_text(array.shape()));
    let array = if stored_as_bits { array.reinterpreted(dtype).unwrap_or(array) } else { array };
    if array.dtype() != dtype {
        return Err(format!("is {found_dtype}; the tensor is declared {dtype}"));
    }
    array
        .reshaped(shape.clone())
        .map_err(|_| format!("has shape {found_shape}; the tensor is declared {}", shape_text(shape)))
}
