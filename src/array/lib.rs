//! Arrays: dtype, shape and shared storage, in memory or in a file that is read on first use; npz and safetensors files.

use tpulang_base as base;

mod array_mut;
mod array_view;
mod convert;
mod converted;
mod dequantized;
pub mod dlpack;
mod fingerprint;
mod finite;
mod fitted;
mod foreign;
mod format;
mod memory;
mod npy;
mod npz;
mod packed;
mod ranges;
mod read;
mod rows;
mod safetensors;
mod storage;
mod torch;
mod weights;
mod zip_bytes;

pub use array_mut::{ArrayMut, Loan};
pub use array_view::ArrayView;
pub use dequantized::StoredIntegers;
pub use fingerprint::fingerprint;
pub use finite::NonFinite;
pub use format::ArrayFormat;
pub use memory::{available_memory, byte_text, push, reserve, too_large, zeros};
pub use npz::{NpzFile, NpzWriter, read_npz, write_arrays, write_npz, write_npz_to};
pub use packed::PackedIntegers;
pub use ranges::RangeFile;
pub use read::read_arrays;
pub use storage::BufferRecycler;
pub use weights::{WeightFile, as_declared, coefficient_type};

use crate::base::{Cause, Dtype, Ints, Result, Shape, argument, elements, pluralized, shape_text};
use converted::Converted;
use finite::Scan;
use fitted::Fitted;
use std::{borrow::Cow, fmt, sync::Arc};
use storage::{Computed, Elements, InFile, Memory, Storage, Swapped};

/// A Rust type that can be the element of an [`Array`].
pub trait Element: bytemuck::Pod + Send + Sync + PartialEq + fmt::Debug {
    /// The dtype of the elements.
    const DTYPE: Dtype;
}
macro_rules! element {
    ($($t:ty => $d:ident),*) => { $(impl Element for $t { const DTYPE: Dtype = Dtype::$d; })* };
}
element!(f32 => Float32, f64 => Float64, half::f16 => Float16, half::bf16 => Bfloat16, i8 => Int8, u8 => Uint8, i16 => Int16,
         u16 => Uint16, i32 => Int32, u32 => Uint32, i64 => Int64, u64 => Uint64);

/// The dimensions of an array, in place unless there are many: clones are made for each operator of a run.
type Dims = smallvec::SmallVec<[usize; 4]>;

/// A row-major tensor of elements of one dtype. Clones share the storage.
///
/// Arrays of a [`WeightFile`] are read on first use, which fails if the file is damaged.
///
/// ```
/// use tpulang::array::Array;
/// let a = Array::from(ndarray::arr2(&[[1.0f32, 2.0], [3.0, 4.0]]));
/// assert_eq!(a.shape(), [2, 2]);
/// assert_eq!(a.view::<f32>()?[[1, 0]], 3.0);
/// # Ok::<(), tpulang::base::Error>(())
/// ```
#[derive(Clone)]
pub struct Array {
    dtype: Dtype,
    shape: Dims,
    storage: Arc<dyn Storage>,
    len: usize,
}

impl Array {
    /// Creates an array from elements in row-major order.
    ///
    /// # Errors
    /// Returns an error if the number of elements does not match the shape.
    pub fn from_vec<T: Element>(shape: impl Into<Ints>, data: Vec<T>) -> Result<Array> {
        Array::from_raw(T::DTYPE, shape.into().to_shape()?, data)
    }
    /// Creates an array from a vector whose bytes are the elements.
    fn from_raw<T: bytemuck::NoUninit + Send + Sync>(dtype: Dtype, shape: Shape, data: Vec<T>) -> Result<Array> {
        let (len, size) = (std::mem::size_of_val(&data[..]), dtype.size());
        check_len(&shape, dtype, len / size)?;
        Ok(Array { dtype, shape: shape.into(), storage: Arc::new(data), len })
    }
    /// Creates an array from the bytes of its elements, in row-major order and little-endian.
    ///
    /// ```
    /// use tpulang::{Array, Dtype};
    /// let a = Array::from_le_bytes(Dtype::Int16, [2], &[1, 0, 0xff, 0xff])?;
    /// assert_eq!(a.view::<i16>()?.as_slice(), Some(&[1, -1][..]));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the number of bytes does not match the shape.
    pub fn from_le_bytes(dtype: Dtype, shape: impl Into<Ints>, bytes: &[u8]) -> Result<Array> {
        if !bytes.len().is_multiple_of(dtype.size()) {
            let expected = format!("a multiple of {}, the size of {dtype}", dtype.size());
            return Err(argument("the number of bytes", bytes.len(), format!("expected {expected}")));
        }
        Array::from_raw(dtype, shape.into().to_shape()?, bytes.to_vec())
    }
    /// Creates an array of elements that are read from a file on first use.
    fn in_file(dtype: Dtype, shape: Shape, elements: InFile<impl Elements + 'static>) -> Result<Array> {
        let len = elements.len;
        check_len(&shape, dtype, len / dtype.size())?;
        Ok(Array { dtype, shape: shape.into(), storage: Arc::new(elements), len })
    }
    /// Creates an array filled with a value, converted to `dtype` (integers saturate).
    ///
    /// # Errors
    /// Returns an error if the shape is invalid or exceeds the available memory.
    pub fn filled(dtype: Dtype, shape: impl Into<Ints>, value: f64) -> Result<Array> {
        let shape = shape.into().to_shape()?;
        let n = elements(&shape, dtype)?;
        convert::from_f64s(dtype, shape, std::iter::repeat_n(value, n))
    }
    /// Creates an array from numbers, converted to `dtype`.
    ///
    /// # Errors
    /// Returns an error if the number of elements does not match the shape.
    pub fn from_f64s(dtype: Dtype, shape: impl Into<Ints>, values: impl Iterator<Item = f64>) -> Result<Array> {
        convert::from_f64s(dtype, shape.into().to_shape()?, values)
    }

    /// Returns the type of the elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    /// Returns the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len / self.dtype.size()
    }
    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Returns the elements as little-endian bytes. Elements of a file are read and kept in memory.
    ///
    /// # Errors
    /// Returns an error if the file is damaged or does not fit the available memory.
    pub fn bytes(&self) -> Result<&[u8]> {
        let bytes = self.storage.bytes()?;
        self.scan(bytes);
        Ok(bytes)
    }
    /// Passes the elements to `to` in pieces, as little-endian bytes. Elements of a file are not kept in memory.
    ///
    /// # Errors
    /// Returns an error if the file is damaged or `to` fails.
    pub fn pieces(&self, mut to: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let Some(found) = self.storage.non_finite().filter(|found| found.get().is_none()) else {
            return self.storage.pieces(&mut to);
        };
        let mut scan = Scan::new(self.dtype);
        self.storage.pieces(&mut |piece| {
            scan.piece(piece);
            to(piece)
        })?;
        let _ = found.set(scan.found());
        Ok(())
    }
    /// Numbers of NaN and infinite elements. Those of a file are counted when they are first read; before that, this
    /// returns `None`.
    pub fn non_finite(&self) -> Option<NonFinite> {
        if let Some(found) = self.storage.non_finite() {
            return found.get().copied();
        }
        let mut scan = Scan::new(self.dtype);
        scan.piece(self.storage.bytes().ok()?);
        Some(scan.found())
    }
    /// Counts the NaN and infinite elements of an array in a file, unless that is done.
    fn scan(&self, bytes: &[u8]) {
        if let Some(found) = self.storage.non_finite() {
            found.get_or_init(|| {
                let mut scan = Scan::new(self.dtype);
                scan.piece(bytes);
                scan.found()
            });
        }
    }
    /// Returns the elements.
    ///
    /// # Errors
    /// Returns an error if `T` is not the dtype of the array or the elements cannot be read (see [`Array::bytes`]).
    pub fn elements<T: Element>(&self) -> Result<Cow<'_, [T]>> {
        if T::DTYPE != self.dtype {
            return Err(Cause::Dtype {
                argument: "the array".into(),
                found: self.dtype,
                allowed: vec![T::DTYPE],
                remedy: None,
            }
            .into());
        }
        Ok(cast(self.bytes()?))
    }
    /// Returns the elements as a `T` of the same size, whatever the dtype. For operations that only move elements.
    ///
    /// # Errors
    /// Returns an error if `T` has another size or the elements cannot be read (see [`Array::bytes`]).
    pub fn bits<T: Element>(&self) -> Result<Cow<'_, [T]>> {
        check_size::<T>(self.dtype)?;
        Ok(cast(self.bytes()?))
    }
    /// Returns a view as an ndarray, without a copy.
    ///
    /// # Errors
    /// Returns an error if `T` is not the dtype of the array or the elements cannot be read (see [`Array::bytes`]).
    pub fn view<T: Element>(&self) -> Result<ndarray::ArrayViewD<'_, T>> {
        match self.elements()? {
            Cow::Borrowed(slice) => ndarray::ArrayViewD::from_shape(self.shape.to_vec(), slice)
                .map_err(|e| Cause::Shape(format!("a view of {}: {e}", shape_text(&self.shape))).into()),
            Cow::Owned(_) => Err(Cause::Shape("the elements are unaligned; use to_ndarray".into()).into()),
        }
    }
    /// Returns a copy as an ndarray.
    ///
    /// # Errors
    /// Returns an error if `T` is not the dtype of the array or the elements cannot be read (see [`Array::bytes`]).
    pub fn to_ndarray<T: Element>(&self) -> Result<ndarray::ArrayD<T>> {
        ndarray::ArrayD::from_shape_vec(self.shape.to_vec(), self.elements()?.into_owned())
            .map_err(|e| Cause::Shape(format!("an array of {}: {e}", shape_text(&self.shape))).into())
    }
    /// Returns the elements as float32.
    ///
    /// # Errors
    /// Returns an error if the elements cannot be read (see [`Array::bytes`]).
    pub fn to_f32(&self) -> Result<Vec<f32>> {
        convert::to_f32(self)
    }
    /// Returns the elements as float64.
    ///
    /// # Errors
    /// Returns an error if the elements cannot be read (see [`Array::bytes`]).
    pub fn to_f64(&self) -> Result<Vec<f64>> {
        convert::to_f64(self)
    }
    /// Passes the elements to `to` as float64, in order. Elements of a file are not kept in memory.
    ///
    /// ```
    /// let mut sum = 0.0;
    /// tpulang::Array::from([1i8, 2, -5]).each_f64(|v| sum += v)?;
    /// assert_eq!(sum, -2.0);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the file is damaged.
    pub fn each_f64(&self, to: impl FnMut(f64)) -> Result<()> {
        convert::each_f64(self, to)
    }
    /// Converts to another dtype. Floats are rounded to integers half away from zero, and saturate.
    ///
    /// # Errors
    /// Returns an error if the elements cannot be read (see [`Array::bytes`]).
    pub fn to_dtype(&self, dtype: Dtype) -> Result<Array> {
        if dtype == self.dtype {
            return Ok(self.clone());
        }
        if dtype == Dtype::Float32 {
            return Array::from_vec(self.shape(), self.to_f32()?);
        }
        convert::from_f64s(dtype, self.shape.to_vec(), self.to_f64()?.into_iter())
    }
    /// Converts to another dtype, as the elements are read, where every value fits. So int64, uint64, float64 and bool are
    /// converted to any dtype that tensors can have, except fp8, and float16 and bfloat16 to float32. An integer fits a
    /// float type that represents it exactly; a float fits another float type unless it becomes infinite, and may be
    /// rounded. Returns `None` for other pairs of dtypes.
    ///
    /// Reading the elements fails at the first value that does not fit.
    ///
    /// ```
    /// use tpulang::{Array, Dtype};
    /// let ids = Array::from([1i64, 3_000_000_000]);
    /// let fitted = ids.fitted(Dtype::Int32).unwrap();
    /// assert_eq!((fitted.dtype(), fitted.stored_dtype()), (Dtype::Int32, Dtype::Int64));
    /// let error = fitted.bytes().unwrap_err().to_string();
    /// assert_eq!(error, "element 1 is 3000000000, which does not fit int32 (-2147483648 to 2147483647)");
    /// ```
    pub fn fitted(&self, dtype: Dtype) -> Option<Array> {
        if !fitted::is_fitting(self.dtype, dtype) {
            return None;
        }
        let len = self.len() * dtype.size();
        Some(Array {
            dtype,
            shape: self.shape.clone(),
            storage: Arc::new(Converted::new(Fitted { of: self.clone(), to: dtype })),
            len,
        })
    }
    /// Returns the dtype before the conversion, if the array was made by [`Array::fitted`], and otherwise its own.
    pub fn stored_dtype(&self) -> Dtype {
        self.storage.fitted_from().unwrap_or(self.dtype)
    }
    /// Returns the same storage in another shape.
    ///
    /// # Errors
    /// Returns an error if the number of elements differs.
    pub fn reshaped(&self, shape: impl Into<Ints>) -> Result<Array> {
        self.with_shape(&shape.into().to_shape()?)
    }
    /// Like [`Array::reshaped`], for dimensions that need no conversion.
    ///
    /// # Errors
    /// Returns an error if the number of elements differs.
    pub fn with_shape(&self, shape: &[usize]) -> Result<Array> {
        check_len(shape, self.dtype, self.len())?;
        Ok(Array { dtype: self.dtype, shape: shape.into(), storage: self.storage.clone(), len: self.len })
    }
    /// Returns a copy with the last two axes swapped.
    ///
    /// # Errors
    /// Returns an error if there are fewer axes or the elements cannot be read (see [`Array::bytes`]).
    pub fn with_last_axes_swapped(&self) -> Result<Array> {
        let [batch @ .., rows, cols] = self.shape.as_slice() else {
            return Err(Cause::Shape(format!("{} has no two axes to swap", shape_text(&self.shape))).into());
        };
        let (rows, cols, size) = (*rows, *cols, self.dtype.size());
        let mut out = ArrayMut::zeros(self.dtype, &[batch, &[cols, rows]].concat())?;
        // An empty array has no matrices to go through.
        let matrix = rows.saturating_mul(cols).saturating_mul(size).max(1);
        for (from, to) in self.bytes()?.chunks_exact(matrix).zip(out.bytes().chunks_exact_mut(matrix)) {
            match size {
                1 => transpose::<1>(from, to, rows, cols),
                2 => transpose::<2>(from, to, rows, cols),
                4 => transpose::<4>(from, to, rows, cols),
                _ => transpose::<8>(from, to, rows, cols),
            }
        }
        Ok(out.freeze())
    }
    /// Like [`Array::with_last_axes_swapped`], but copied on first use; [`Array::pieces`] does not keep the copy.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two axes.
    pub fn with_last_axes_swapped_lazily(&self) -> Result<Array> {
        let mut shape = self.shape.clone();
        let [.., rows, cols] = shape.as_mut_slice() else {
            return Err(Cause::Shape(format!("{} has no two axes to swap", shape_text(&self.shape))).into());
        };
        std::mem::swap(rows, cols);
        let storage = Arc::new(Swapped::new(self.clone()));
        Ok(Array { dtype: self.dtype, shape, storage, len: self.len })
    }
    /// Returns an array with its elements in memory. Elements of a file are read for this array only, and freed with it.
    ///
    /// # Errors
    /// Returns an error if the elements cannot be read (see [`Array::bytes`]).
    pub fn in_memory(&self) -> Result<Array> {
        let Some(words) = self.storage.read_apart()? else {
            return Ok(self.clone());
        };
        self.scan(&bytemuck::cast_slice(&words)[..self.len]);
        let memory = Memory::Words { words, start: 0 };
        Ok(Array { storage: Arc::new(Computed { memory, recycler: None, len: self.len }), ..self.clone() })
    }
    /// Returns the memory for writing if the array was an [`ArrayMut`] and is uniquely owned. Otherwise returns the array.
    pub fn into_mut(mut self) -> std::result::Result<ArrayMut, Array> {
        match Arc::get_mut(&mut self.storage).and_then(Storage::take) {
            Some(memory) => Ok(ArrayMut::on(self.dtype, self.shape, memory)),
            None => Err(self),
        }
    }
    /// Returns the file that the elements are read from, if they are not computed or given in memory.
    pub fn source_path(&self) -> Option<&std::path::Path> {
        self.storage.path()
    }
    /// Returns the same bytes as another dtype (float16 stored as uint16, fp8 as uint8), or `None` if the sizes differ.
    pub fn reinterpreted(&self, dtype: Dtype) -> Option<Array> {
        (dtype.size() == self.dtype.size()).then(|| Array { dtype, ..self.clone() })
    }
}

/// Casts bytes to elements of `T`. Copies them only if they are unaligned.
fn cast<T: bytemuck::Pod>(bytes: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(slice) => Cow::Borrowed(slice),
        Err(_) => Cow::Owned(bytemuck::allocation::pod_collect_to_vec(bytes)),
    }
}

/// Copies a matrix of elements of `SIZE` bytes to its transpose, in tiles that fit the cache.
fn transpose<const SIZE: usize>(from: &[u8], to: &mut [u8], rows: usize, cols: usize) {
    const TILE: usize = 32;
    let ((from, _), (to, _)) = (from.as_chunks::<SIZE>(), to.as_chunks_mut::<SIZE>());
    for (first_row, first_col) in (0..rows).step_by(TILE).flat_map(|r| (0..cols).step_by(TILE).map(move |c| (r, c))) {
        for row in first_row..rows.min(first_row + TILE) {
            for col in first_col..cols.min(first_col + TILE) {
                to[col * rows + row] = from[row * cols + col];
            }
        }
    }
}

fn check_size<T: Element>(dtype: Dtype) -> Result<()> {
    if size_of::<T>() == dtype.size() {
        return Ok(());
    }
    Err(Cause::Dtype { argument: "the array".into(), found: dtype, allowed: vec![T::DTYPE], remedy: None }.into())
}

fn check_len(shape: &[usize], dtype: Dtype, len: usize) -> Result<()> {
    // Empty arrays occur in npz files; only graphs refuse dimensions of 0.
    let expected = if shape.contains(&0) { 0 } else { elements(shape, dtype)? };
    if expected != len {
        return Err(Cause::Shape(format!(
            "the shape {} takes {}, not {len}",
            shape_text(shape),
            pluralized(expected, "element")
        ))
        .into());
    }
    Ok(())
}

impl<T: Element, D: ndarray::Dimension> From<ndarray::Array<T, D>> for Array {
    fn from(array: ndarray::Array<T, D>) -> Self {
        let shape = array.shape().to_vec();
        let data: Vec<T> = if array.is_standard_layout() {
            let (data, offset) = array.into_raw_vec_and_offset();
            let n: usize = shape.iter().product();
            match offset.unwrap_or(0) {
                0 if data.len() == n => data,
                at => data.into_iter().skip(at).take(n).collect(),
            }
        } else {
            array.iter().copied().collect()
        };
        of_known_len(T::DTYPE, shape, data)
    }
}
impl<T: Element, D: ndarray::Dimension> From<ndarray::ArrayView<'_, T, D>> for Array {
    fn from(view: ndarray::ArrayView<'_, T, D>) -> Self {
        of_known_len(T::DTYPE, view.shape().to_vec(), view.iter().copied().collect::<Vec<T>>())
    }
}
impl<T: Element> From<Vec<T>> for Array {
    fn from(data: Vec<T>) -> Self {
        of_known_len(T::DTYPE, vec![data.len()], data)
    }
}
impl<T: Element> From<&[T]> for Array {
    fn from(data: &[T]) -> Self {
        data.to_vec().into()
    }
}
impl<T: Element, const N: usize> From<[T; N]> for Array {
    fn from(data: [T; N]) -> Self {
        data.to_vec().into()
    }
}

fn of_known_len<T: Element>(dtype: Dtype, shape: Shape, data: Vec<T>) -> Array {
    let len = std::mem::size_of_val(&data[..]);
    Array { dtype, shape: shape.into(), storage: Arc::new(data), len }
}

/// Arrays that cannot be read are not equal to any other.
impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        let same = |other: &[u8]| self.bytes().is_ok_and(|mine| mine == other);
        self.dtype == other.dtype && self.shape == other.shape && other.bytes().is_ok_and(same)
    }
}
impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Array({} {})", shape_text(&self.shape), self.dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_and_views_do_not_copy() {
        let a = Array::from_vec([2, 3], vec![1i32, 2, 3, 4, 5, 6]).unwrap();
        let b = a.clone().reshaped([3, 2]).unwrap();
        assert_eq!(a.bytes().unwrap().as_ptr(), b.bytes().unwrap().as_ptr());
        assert_eq!(a.view::<i32>().unwrap().as_ptr().cast(), a.bytes().unwrap().as_ptr());
        assert_eq!(a.view::<f32>().unwrap_err().to_string(), "the array is int32; expected float32");
        assert_eq!(a.reshaped([4]).unwrap_err().to_string(), "the shape 4 takes 4 elements, not 6");
        let t = ndarray::arr2(&[[1f32, 2.0], [3.0, 4.0]]).reversed_axes();
        assert_eq!(Array::from(t).to_f32().unwrap(), [1.0, 3.0, 2.0, 4.0]);
    }

    #[test]
    fn axes_are_swapped_lazily() {
        let a = Array::from_vec([2, 2, 3], (0..12).collect::<Vec<i32>>()).unwrap();
        let (now, later) = (a.with_last_axes_swapped().unwrap(), a.with_last_axes_swapped_lazily().unwrap());
        assert_eq!(later.shape(), [2, 3, 2]);
        let pieces = |a: &Array| {
            let mut all = Vec::new();
            a.pieces(|piece| {
                all.extend_from_slice(piece);
                Ok(())
            })
            .unwrap();
            all
        };
        assert_eq!(pieces(&later), now.bytes().unwrap());
        assert_eq!(later, now);
        assert_eq!(pieces(&later), now.bytes().unwrap());
        assert!(Array::from([1f32]).with_last_axes_swapped_lazily().is_err());
    }

    #[test]
    fn memory_is_recycled_when_the_last_clone_is_dropped() {
        #[derive(Default)]
        struct Kept(std::sync::Mutex<Vec<Vec<u64>>>);
        impl BufferRecycler for Kept {
            fn recycle(&self, words: Vec<u64>) {
                self.0.lock().unwrap().push(words);
            }
        }
        let kept: Arc<Kept> = Arc::default();
        let recycler: Arc<dyn BufferRecycler> = kept.clone();
        let of = |a: ArrayMut| a.freeze_with_recycler(Arc::downgrade(&recycler));
        let got = || kept.0.lock().unwrap().pop();
        let a = of(ArrayMut::zeros(Dtype::Float32, &[2, 3]).unwrap());
        let shared = a.reshaped([6]).unwrap();
        drop(a);
        assert_eq!(got(), None);
        drop(shared);
        let words = got().unwrap();
        assert_eq!(words.len(), ArrayMut::words(Dtype::Float32, &[2, 3]).unwrap());
        let b = ArrayMut::in_words(Dtype::Int8, &[5], words).unwrap().freeze();
        assert_eq!((b.len(), b.bytes().unwrap().len(), b.bytes().unwrap().as_ptr().addr() % 64), (5, 5, 0));
        drop(b);
        assert_eq!(got(), None, "frozen without a recycler");
        let c = ArrayMut::in_words(Dtype::Int8, &[50], vec![7; 3]).unwrap().freeze();
        assert_eq!(c.bytes().unwrap(), [0; 50], "too little memory");
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(Array::filled(Dtype::Float32, [1 << 30, 1 << 30], 0.0).is_err());
    }
}
