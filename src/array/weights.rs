use super::{
    Array,
    npz::NpzFile,
    safetensors::SafetensorsFile,
    torch::{self, TorchFile},
};
use crate::base::{Dtype, Error, Result, Shape, did_you_mean, shape_text};
use std::path::{Path, PathBuf};

/// A file of coefficients by name: `.npz`, `.safetensors`, or what PyTorch's `torch.save` writes (`.pt`, `.pth`, `.bin`, `.ckpt`).
pub struct WeightFile {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Npz(NpzFile),
    Safetensors(SafetensorsFile),
    Torch(TorchFile),
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
            Some(extension) if torch::EXTENSIONS.contains(&extension) => Kind::Torch(TorchFile::open(path)?),
            Some("json") if path.display().to_string().ends_with(".index.json") => {
                let problem = "this is an index of weights files; list the files that it names";
                return Err(Error::format(path, problem));
            }
            _ => return Err(Error::format(path, "weights are read from .npz, .safetensors, or PyTorch's .pt files")),
        };
        Ok(WeightFile { path: path.into(), kind })
    }
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Returns the names of the arrays.
    pub fn names(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Npz(f) => f.names().collect(),
            Kind::Safetensors(f) => f.names().collect(),
            Kind::Torch(f) => f.names().collect(),
        }
    }
    /// Returns the names of the arrays that `is_used` does not hold for, sorted. `num_batches_tracked` of PyTorch's batch
    /// normalizations is left out: only training reads it.
    pub fn unused(&self, is_used: impl Fn(&str) -> bool) -> Vec<&str> {
        let mut unused = self.names();
        unused.retain(|name| !name.ends_with("num_batches_tracked") && !is_used(name));
        unused.sort_unstable();
        unused
    }
    /// Returns whether there is an array with this name.
    pub fn has(&self, name: &str) -> bool {
        match &self.kind {
            Kind::Npz(f) => f.has(name),
            Kind::Safetensors(f) => f.has(name),
            Kind::Torch(f) => f.has(name),
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
            Kind::Torch(f) => f.array(name),
        };
        found.unwrap_or_else(|| {
            let hint = did_you_mean(name, self.names().into_iter());
            Err(Error::format(&self.path, format!("there is no array {name:?}{hint}")))
        })
    }
    /// Reads the data of a tensor that is declared with `dtype` and `shape`. A float16 may be stored as its bits (uint16),
    /// an fp8 as uint8; int64, uint64, float64, bool and narrow floats are converted ([`Array::fitted`]); axes of size 1 may
    /// be missing or added.
    ///
    /// # Errors
    /// Same as for [`WeightFile::read`], or if the dtype or the shape differs; the message suggests a transposition if one
    /// fits.
    pub fn read_as(&mut self, name: &str, dtype: Dtype, shape: &Shape) -> Result<Array> {
        let array = self.read(name)?;
        self.declared(name, array, dtype, shape)
    }
    /// Like [`WeightFile::read_as`], but also accepts a list of all elements, as tpuc-opt stores some of the constants that
    /// it adds.
    ///
    /// # Errors
    /// Same as for [`WeightFile::read_as`].
    pub fn read_as_or_flat(&mut self, name: &str, dtype: Dtype, shape: &Shape) -> Result<Array> {
        let array = self.read(name)?;
        let is_flat = array.shape().len() == 1 && array.len() == shape.iter().product::<usize>();
        let array = if is_flat { array.reshaped(shape.as_slice())? } else { array };
        self.declared(name, array, dtype, shape)
    }
    fn declared(&self, name: &str, array: Array, dtype: Dtype, shape: &Shape) -> Result<Array> {
        as_declared(array, dtype, shape)
            .map_err(|problem| Error::format(&self.path, format!("the array {name:?} {problem}")))
    }
}

/// Returns the dtype and shape of the coefficient with the data of an array: types that coefficients cannot have are
/// converted ([`Array::fitted`]), and a single number gets an axis.
pub fn coefficient_type(array: &Array) -> (Dtype, Shape) {
    let dtype = match array.dtype() {
        Dtype::Bfloat16 => Dtype::Float32,
        other => other.declarable(),
    };
    let shape = if array.shape().is_empty() { vec![1] } else { array.shape().to_vec() };
    (dtype, shape)
}

/// The array as data of a tensor of that dtype and shape. Dtypes that no tensor has are converted as the array is read
/// ([`Array::fitted`]). TPU-MLIR's own tools write weights with other axes of size 1 than
/// the module declares; any other difference in shape is refused, as the elements would be in the wrong order.
///
/// # Errors
/// Returns what differs if the array has another dtype or shape.
pub fn as_declared(array: Array, dtype: Dtype, shape: &[usize]) -> std::result::Result<Array, String> {
    let stored_as_bits = matches!(
        (dtype, array.dtype()),
        (Dtype::Float16 | Dtype::Bfloat16, Dtype::Uint16) | (Dtype::Fp8e4m3 | Dtype::Fp8e5m2, Dtype::Uint8)
    );
    let found_dtype = array.dtype();
    let array = if stored_as_bits { array.reinterpreted(dtype).unwrap_or(array) } else { array };
    let array = array.fitted(dtype).unwrap_or(array);
    if array.dtype() != dtype {
        let are_integers = found_dtype.int_range().is_some() && dtype.int_range().is_some();
        let remedy = if are_integers { format!("; store array.astype(\"{dtype}\")") } else { String::new() };
        return Err(format!("is {found_dtype}; the tensor is declared {dtype}{remedy}"));
    }
    let axes = |shape: &[usize]| shape.iter().copied().filter(|&d| d != 1).collect::<Vec<_>>();
    if axes(array.shape()) == axes(shape)
        && let Ok(array) = array.reshaped(shape)
    {
        return Ok(array);
    }
    let advice = match transposition(array.shape(), shape) {
        Some(axes) => format!(": transpose it with axes {axes:?}"),
        None if array.len() == shape.iter().product::<usize>() => ": reshape it first".into(),
        None => String::new(),
    };
    Err(format!("has shape {}; the tensor is declared {}{advice}", shape_text(array.shape()), shape_text(shape)))
}

/// Axes of the usual layouts of filters in the order of ours: with output channels last, then with input channels last.
const LAYOUTS: &[&[usize]] =
    &[&[3, 2, 0, 1], &[4, 3, 0, 1, 2], &[2, 1, 0], &[0, 3, 1, 2], &[0, 4, 1, 2, 3], &[0, 2, 1]];

/// The order of axes that turns the shape `from` into the shape `to`, if there is one.
fn transposition(from: &[usize], to: &[usize]) -> Option<Vec<usize>> {
    let fits = |axes: &&&[usize]| axes.len() == from.len() && axes.iter().map(|&a| from[a]).eq(to.iter().copied());
    if let Some(axes) = LAYOUTS.iter().find(fits) {
        return Some(axes.to_vec());
    }
    let mut axes: Vec<usize> = Vec::new();
    for dim in to {
        axes.push((0..from.len()).find(|a| from[*a] == *dim && !axes.contains(a))?);
    }
    (axes.len() == from.len()).then_some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow stores filters as height x width x input x output channels.
    #[test]
    fn another_shape_is_refused_with_the_transposition_that_fits() {
        let told = |from: &[usize], to: &[usize]| {
            let array = Array::filled(Dtype::Float32, from, 0.0).unwrap();
            as_declared(array, Dtype::Float32, to).map(|a| a.shape().to_vec())
        };
        let advised = |from: &[usize], to: &[usize], advice: &str| {
            let (stored, declared) = (shape_text(from), shape_text(to));
            assert_eq!(told(from, to), Err(format!("has shape {stored}; the tensor is declared {declared}{advice}")));
        };
        advised(&[3, 3, 3, 8], &[8, 3, 3, 3], ": transpose it with axes [3, 2, 0, 1]");
        advised(&[8, 3, 3, 4], &[8, 4, 3, 3], ": transpose it with axes [0, 3, 1, 2]");
        advised(&[3, 3, 8, 1], &[8, 1, 3, 3], ": transpose it with axes [2, 3, 0, 1]");
        advised(&[4, 6], &[6, 4], ": transpose it with axes [1, 0]");
        advised(&[24], &[6, 4], ": reshape it first");
        advised(&[4, 7], &[6, 4], "");
        assert_eq!(told(&[1, 1, 96], &[96]), Ok(vec![96]));
        assert_eq!(told(&[], &[1]), Ok(vec![1]));
    }

    /// tpuc-opt stores the divisor that it adds for a division as a list.
    #[test]
    fn a_module_may_have_flat_weights() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("w.npz");
        super::super::write_npz(&path, [("a", &Array::from([1f32, 2.0, 3.0, 4.0, 5.0, 6.0]))]).unwrap();
        let mut file = WeightFile::open(&path).unwrap();
        let read = file.read_as_or_flat("a", Dtype::Float32, &vec![2, 3]).unwrap();
        assert_eq!(read.shape(), [2, 3]);
        for shape in [vec![2, 4], vec![7]] {
            assert!(file.read_as_or_flat("a", Dtype::Float32, &shape).is_err());
        }
        let refused = file.read_as("a", Dtype::Float32, &vec![2, 3]).unwrap_err().to_string();
        assert!(
            refused.ends_with("the array \"a\" has shape 6; the tensor is declared 2x3: reshape it first"),
            "{refused}"
        );
    }
}
