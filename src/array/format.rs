//! Files of arrays, written in the format that their extension names.
use super::{Array, npy, npz::write_arrays, safetensors};
use crate::base::{Error, Result, files};
use std::{
    io::{BufWriter, Write},
    path::Path,
};

/// A file format that arrays are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayFormat {
    /// A zip archive of `.npy` files: any number of arrays by name.
    Npz,
    /// One array, without a name.
    Npy,
    /// Any number of arrays by name.
    Safetensors,
}

impl ArrayFormat {
    /// Returns the format of a path by its extension.
    ///
    /// # Errors
    /// Returns an error that lists the known extensions if this is another one.
    pub fn from_path(path: impl AsRef<Path>) -> Result<ArrayFormat> {
        let path = path.as_ref();
        match path.extension().and_then(|e| e.to_str()) {
            Some("npz") => Ok(ArrayFormat::Npz),
            Some("npy") => Ok(ArrayFormat::Npy),
            Some("safetensors") => Ok(ArrayFormat::Safetensors),
            _ => Err(Error::format(path, "results are written to .npz, .safetensors or (a single array) .npy files")),
        }
    }
    /// Writes arrays to a file, which replaces `path` once it is complete.
    ///
    /// # Errors
    /// Returns an error if writing fails, or if an `.npy` is to hold several arrays or none.
    pub fn write<'a>(
        self,
        path: impl AsRef<Path>,
        arrays: impl IntoIterator<Item = (&'a str, &'a Array)>,
    ) -> Result<()> {
        let (path, arrays) = (path.as_ref(), arrays.into_iter().collect::<Vec<_>>());
        self.check_count(path, arrays.len())?;
        files::replace(path, |file| match (self, arrays.as_slice()) {
            (ArrayFormat::Npy, [(_, array)]) => {
                let mut to = BufWriter::new(file);
                let header = npy::header(array.dtype(), array.shape());
                to.write_all(&header).map_err(Error::io(path))?;
                array.pieces(|bytes| to.write_all(bytes).map_err(Error::io(path)))?;
                to.flush().map_err(Error::io(path))
            }
            (ArrayFormat::Safetensors, arrays) => safetensors::write(file, path, arrays),
            (_, arrays) => write_arrays(file, path, arrays.iter().copied(), false),
        })
    }
    /// Checks that a file of this format can hold `count` arrays.
    ///
    /// # Errors
    /// Returns an error if the format is `.npy` and `count` is not 1.
    pub fn check_count(self, path: impl AsRef<Path>, count: usize) -> Result<()> {
        if self == ArrayFormat::Npy && count != 1 {
            let problem = format!("an .npy file holds one array, and there are {count}; use .npz or .safetensors");
            return Err(Error::format(path.as_ref(), problem));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{WeightFile, base::Dtype};

    #[test]
    fn files_are_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let arrays: Vec<(String, Array)> = Dtype::all()
            .map(|dtype| (format!("a/{dtype}"), Array::from_f64s(dtype, [3], [0.0, 1.0, 1.0].into_iter()).unwrap()))
            .collect();
        let path = dir.path().join("x.safetensors");
        let format = ArrayFormat::from_path(&path).unwrap();
        format.write(&path, arrays.iter().map(|(n, a)| (n.as_str(), a))).unwrap();
        let mut back = WeightFile::open(&path).unwrap();
        for (name, array) in &arrays {
            assert_eq!(&back.read(name).unwrap(), array);
        }
        let path = dir.path().join("x.npy");
        let format = ArrayFormat::from_path(&path).unwrap();
        let array = Array::from_vec([2, 3], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        format.write(&path, [("x", &array)]).unwrap();
        let numpy: ndarray::Array2<f32> = ndarray_npy::read_npy(&path).unwrap();
        assert_eq!(Array::from(numpy), array);
        let error = format.write(&path, [("x", &array), ("y", &array)]).unwrap_err().to_string();
        assert!(error.ends_with("x.npy: an .npy file holds one array, and there are 2; use .npz or .safetensors"));
    }

    #[test]
    fn other_extensions_are_refused() {
        for path in ["x", "x.npzz", "x.json", "npz"] {
            let error = ArrayFormat::from_path(path).unwrap_err().to_string();
            let expected = "results are written to .npz, .safetensors or (a single array) .npy files";
            assert_eq!(error, format!("{path}: {expected}"));
        }
    }
}
