//! Arrays: dtype, shape and shared storage, in memory or in a file until it is needed; npz and safetensors files.

mod convert;
mod fingerprint;
mod finite;
mod memory;
mod npy;
mod npz;
mod safetensors;
mod storage;
mod weights;
mod zip_bytes;

pub use fingerprint::fingerprint;
pub use finite::NonFinite;
pub use memory::{available_memory, byte_text, reserve, too_large, zeros};
pub use npz::{NpzFile, NpzWriter, read_npz, write_arrays, write_npz};
pub use storage::Keeper;

pub use weights::WeightFile;
pub use weights::as_declared;

use crate::base::{Cause, Dtype, Ints, Result, Shape, counted, elements, shape_text};
use finite::Scan;
use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Weak},
};
use storage::{Elements, InFile, Storage, Words};

/// A Rust type that an [`Array`] can hold.
pub trait Element: bytemuck::Pod + Send + Sync + PartialEq + fmt::Debug {
    /// Its dtype.
    const DTYPE: Dtype;
}
macro_rules! element {
    ($($t:ty => $d:ident),*) => { $(impl Element for $t { const DTYPE: Dtype = Dtype::$d; })* };
}
element!(f32 => Float32, f64 => Float64, half::f16 => Float16, half::bf16 => Bfloat16, i8 => Int8, u8 => Uint8, i16 => Int16,
         u16 => Uint16, i32 => Int32, u32 => Uint32, i64 => Int64, u64 => Uint64);

/// Elements of one dtype in a shape, row-major. Clones share the storage.
///
/// Those of a [`WeightFile`] stay in the file until they are looked at, which fails if it is damaged.
///
/// ```
/// use tpulang_core::array::Array;
/// let a = Array::from(ndarray::arr2(&[[1.0f32, 2.0], [3.0, 4.0]]));
/// assert_eq!(a.shape(), [2, 2]);
/// assert_eq!(a.view::<f32>()?[[1, 0]], 3.0);
/// # Ok::<(), tpulang_core::base::Error>(())
/// ```
#[derive(Clone)]
pub struct Array {
    dtype: Dtype,
    shape: Shape,
    storage: Arc<dyn Storage>,
    len: usize,
}

impl Array {
    /// From a vector in row-major order.
    ///
    /// # Errors
    /// The number of elements is not that of the shape.
    pub fn from_vec<T: Element>(shape: impl Into<Ints>, data: Vec<T>) -> Result<Array> {
        Array::from_raw(T::DTYPE, shape.into().to_shape()?, data)
    }
    /// From a vector whose bytes are the elements.
    fn from_raw<T: bytemuck::NoUninit + Send + Sync>(dtype: Dtype, shape: Shape, data: Vec<T>) -> Result<Array> {
        let (len, size) = (std::mem::size_of_val(&data[..]), dtype.size());
        check_len(&shape, dtype, len / size)?;
        Ok(Array { dtype, shape, storage: Arc::new(data), len })
    }
    /// Of elements that stay in a file until they are needed.
    fn in_file(dtype: Dtype, shape: Shape, elements: InFile<impl Elements + 'static>) -> Result<Array> {
        let len = elements.len;
        check_len(&shape, dtype, len / dtype.size())?;
        Ok(Array { dtype, shape, storage: Arc::new(elements), len })
    }
    /// Every element the same, converted to `dtype` (integers saturate).
    ///
    /// # Errors
    /// The shape is impossible or too large for the memory.
    pub fn filled(dtype: Dtype, shape: impl Into<Ints>, value: f64) -> Result<Array> {
        let shape = shape.into().to_shape()?;
        let n = elements(&shape, dtype)?;
        convert::from_f64s(dtype, shape, std::iter::repeat_n(value, n))
    }
    /// From numbers, converted to `dtype`.
    ///
    /// # Errors
    /// The number of elements is not that of the shape.
    pub fn from_f64s(dtype: Dtype, shape: impl Into<Ints>, values: impl Iterator<Item = f64>) -> Result<Array> {
        convert::from_f64s(dtype, shape.into().to_shape()?, values)
    }

    /// Type of the elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    /// Dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len / self.dtype.size()
    }
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The elements as little-endian bytes. Those that are in a file are read, and kept.
    ///
    /// # Errors
    /// The file is damaged, or the memory is not enough.
    pub fn bytes(&self) -> Result<&[u8]> {
        let bytes = self.storage.bytes()?;
        self.scan(bytes);
        Ok(bytes)
    }
    /// The elements as little-endian bytes, piece by piece; a file's are not kept in memory.
    ///
    /// # Errors
    /// The file is damaged, or `to` fails.
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
    /// The elements.
    ///
    /// # Errors
    /// `T` is not the array's dtype, or as [`Array::bytes`].
    pub fn elements<T: Element>(&self) -> Result<Cow<'_, [T]>> {
        if T::DTYPE != self.dtype {
            return Err(
                Cause::Dtype { argument: "the array".into(), found: self.dtype, allowed: vec![T::DTYPE] }.into()
            );
        }
        Ok(cast(self.bytes()?))
    }
    /// The elements as `T` of the same size, whatever the dtype says: for what moves them without looking.
    ///
    /// # Errors
    /// `T` is of another size.
    pub fn bits<T: Element>(&self) -> Result<Cow<'_, [T]>> {
        check_size::<T>(self.dtype)?;
        Ok(cast(self.bytes()?))
    }
    /// A view as an ndarray, without a copy.
    ///
    /// # Errors
    /// `T` is not the array's dtype, or as [`Array::bytes`].
    pub fn view<T: Element>(&self) -> Result<ndarray::ArrayViewD<'_, T>> {
        match self.elements()? {
            Cow::Borrowed(slice) => ndarray::ArrayViewD::from_shape(self.shape.clone(), slice)
                .map_err(|e| Cause::Shape(format!("a view of {}: {e}", shape_text(&self.shape))).into()),
            Cow::Owned(_) => Err(Cause::Shape("the elements lie unaligned; use to_ndarray".into()).into()),
        }
    }
    /// A copy as an ndarray.
    ///
    /// # Errors
    /// `T` is not the array's dtype, or as [`Array::bytes`].
    pub fn to_ndarray<T: Element>(&self) -> Result<ndarray::ArrayD<T>> {
        ndarray::ArrayD::from_shape_vec(self.shape.clone(), self.elements()?.into_owned())
            .map_err(|e| Cause::Shape(format!("an array of {}: {e}", shape_text(&self.shape))).into())
    }
    /// The elements as float32.
    ///
    /// # Errors
    /// As [`Array::bytes`].
    pub fn to_f32(&self) -> Result<Vec<f32>> {
        convert::to_f32(self)
    }
    /// The elements as float64.
    ///
    /// # Errors
    /// As [`Array::bytes`].
    pub fn to_f64(&self) -> Result<Vec<f64>> {
        convert::to_f64(self)
    }
    /// The same values in another dtype; float to integer rounds half away from zero and saturates.
    ///
    /// # Errors
    /// As [`Array::bytes`].
    pub fn to_dtype(&self, dtype: Dtype) -> Result<Array> {
        if dtype == self.dtype {
            return Ok(self.clone());
        }
        if dtype == Dtype::Float32 {
            return Array::from_vec(self.shape.clone(), self.to_f32()?);
        }
        convert::from_f64s(dtype, self.shape.clone(), self.to_f64()?.into_iter())
    }
    /// The same storage in another shape.
    ///
    /// # Errors
    /// The number of elements differs.
    pub fn reshaped(&self, shape: impl Into<Ints>) -> Result<Array> {
        let shape = shape.into().to_shape()?;
        check_len(&shape, self.dtype, self.len())?;
        Ok(Array { shape, ..self.clone() })
    }
    /// With the last two axes swapped, copied.
    ///
    /// # Errors
    /// There are fewer axes, or as [`Array::bytes`].
    pub fn with_last_axes_swapped(&self) -> Result<Array> {
        let [batch @ .., rows, cols] = self.shape.as_slice() else {
            return Err(Cause::Shape(format!("{} has no two axes to swap", shape_text(&self.shape))).into());
        };
        let (rows, cols, size) = (*rows, *cols, self.dtype.size());
        let mut out = ArrayMut::zeros(self.dtype, &[batch, &[cols, rows]].concat())?;
        // An empty array has no matrices to go through.
        let matrix = rows.saturating_mul(cols).saturating_mul(size).max(1);
        for (from, to) in self.bytes()?.chunks_exact(matrix).zip(out.bytes().chunks_exact_mut(matrix)) {
            for (i, element) in from.chunks_exact(size).enumerate() {
                let at = (i % cols * rows + i / cols) * size;
                to[at..at + size].copy_from_slice(element);
            }
        }
        Ok(out.freeze())
    }
    /// With its elements in memory: a file's are read for this array alone, so that dropping it frees them.
    ///
    /// # Errors
    /// As [`Array::bytes`].
    pub fn in_memory(&self) -> Result<Array> {
        let Some(words) = self.storage.read_apart()? else {
            return Ok(self.clone());
        };
        self.scan(&bytemuck::cast_slice(&words)[..self.len]);
        Ok(Array { storage: Arc::new(Words { words, keeper: None, start: 0, len: self.len }), ..self.clone() })
    }
    /// Its memory, to be written, where it was an [`ArrayMut`] and nobody else has it; otherwise the array.
    pub fn into_mut(mut self) -> std::result::Result<ArrayMut, Array> {
        match Arc::get_mut(&mut self.storage).and_then(Storage::take) {
            Some((words, start)) => Ok(ArrayMut { dtype: self.dtype, shape: self.shape, words, start }),
            None => Err(self),
        }
    }
    /// The same bytes, read as another dtype of the same size (float16 stored as uint16, fp8 as uint8).
    pub fn reinterpreted(&self, dtype: Dtype) -> Option<Array> {
        (dtype.size() == self.dtype.size()).then(|| Array { dtype, ..self.clone() })
    }
}

/// An array that is being written: owned, not yet shared. Its first element begins a cache line.
pub struct ArrayMut {
    dtype: Dtype,
    shape: Shape,
    words: Vec<u64>,
    /// Words before the first element.
    start: usize,
}

/// Words of a cache line.
const LINE: usize = 8;

impl ArrayMut {
    /// All elements 0.
    ///
    /// # Errors
    /// The shape is impossible or too large for the memory.
    pub fn zeros(dtype: Dtype, shape: &[usize]) -> Result<ArrayMut> {
        Ok(ArrayMut::starting(dtype, shape, zeros(ArrayMut::words(dtype, shape)?)?))
    }
    /// Words that memory for such an array has, so that it can begin at a cache line.
    ///
    /// # Errors
    /// The shape is impossible.
    pub fn words(dtype: Dtype, shape: &[usize]) -> Result<usize> {
        Ok((elements(shape, dtype)? * dtype.size()).div_ceil(size_of::<u64>()) + LINE - 1)
    }
    fn starting(dtype: Dtype, shape: &[usize], words: Vec<u64>) -> ArrayMut {
        let start = words.as_ptr().addr() / size_of::<u64>() % LINE;
        ArrayMut { dtype, shape: shape.to_vec(), words, start: (LINE - start) % LINE }
    }
    /// In memory that was used before; the elements are anything. More is made where it is too small.
    ///
    /// # Errors
    /// As [`ArrayMut::zeros`].
    pub fn in_words(dtype: Dtype, shape: &[usize], words: Vec<u64>) -> Result<ArrayMut> {
        if words.len() < ArrayMut::words(dtype, shape)? {
            return ArrayMut::zeros(dtype, shape);
        }
        Ok(ArrayMut::starting(dtype, shape, words))
    }
    /// The dtype.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    /// The shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// The elements.
    ///
    /// # Errors
    /// `T` is not the array's dtype.
    pub fn elements<T: Element>(&mut self) -> Result<&mut [T]> {
        if T::DTYPE != self.dtype {
            return Err(
                Cause::Dtype { argument: "the result".into(), found: self.dtype, allowed: vec![T::DTYPE] }.into()
            );
        }
        let n = self.shape.iter().product();
        Ok(&mut bytemuck::cast_slice_mut(&mut self.words[self.start..])[..n])
    }
    /// The elements as `T` of the same size, whatever the dtype says.
    ///
    /// # Errors
    /// `T` is of another size.
    pub fn bits<T: Element>(&mut self) -> Result<&mut [T]> {
        check_size::<T>(self.dtype)?;
        let n = self.shape.iter().product();
        Ok(&mut bytemuck::cast_slice_mut(&mut self.words[self.start..])[..n])
    }
    /// The elements as bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        let n = self.shape.iter().product::<usize>() * self.dtype.size();
        &mut bytemuck::cast_slice_mut(&mut self.words[self.start..])[..n]
    }
    /// With other dimensions of as many elements.
    ///
    /// # Errors
    /// The number of elements is not that of the shape.
    pub fn reshaped(self, shape: &[usize]) -> Result<ArrayMut> {
        check_len(shape, self.dtype, self.shape.iter().product())?;
        Ok(ArrayMut { shape: shape.to_vec(), ..self })
    }
    /// Finished: from here on it is shared.
    pub fn freeze(self) -> Array {
        self.frozen(None)
    }
    /// As [`ArrayMut::freeze`]; its memory goes to the keeper when nobody has the array any more.
    pub fn freeze_for(self, keeper: Weak<dyn Keeper>) -> Array {
        self.frozen(Some(keeper))
    }
    fn frozen(self, keeper: Option<Weak<dyn Keeper>>) -> Array {
        let ArrayMut { dtype, shape, words, start } = self;
        let len = shape.iter().product::<usize>() * dtype.size();
        Array { dtype, shape, storage: Arc::new(Words { words, keeper, start, len }), len }
    }
}

/// Bytes as elements of `T`, copied only where they are unaligned.
fn cast<T: bytemuck::Pod>(bytes: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(slice) => Cow::Borrowed(slice),
        Err(_) => Cow::Owned(bytemuck::allocation::pod_collect_to_vec(bytes)),
    }
}

fn check_size<T: Element>(dtype: Dtype) -> Result<()> {
    if size_of::<T>() == dtype.size() {
        return Ok(());
    }
    Err(Cause::Dtype { argument: "the array".into(), found: dtype, allowed: vec![T::DTYPE] }.into())
}

fn check_len(shape: &[usize], dtype: Dtype, len: usize) -> Result<()> {
    // Empty arrays occur in npz files; only graphs refuse dimensions of 0.
    let expected = if shape.contains(&0) { 0 } else { elements(shape, dtype)? };
    if expected != len {
        return Err(Cause::Shape(format!(
            "the shape {} takes {}, not {len}",
            shape_text(shape),
            counted(expected, "element")
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
    Array { dtype, shape, storage: Arc::new(data), len }
}

/// What cannot be read equals nothing.
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
    fn memory_is_given_on_once_nobody_shares_it() {
        #[derive(Default)]
        struct Kept(std::sync::Mutex<Vec<Vec<u64>>>);
        impl Keeper for Kept {
            fn keep(&self, words: Vec<u64>) {
                self.0.lock().unwrap().push(words);
            }
        }
        let kept: Arc<Kept> = Arc::default();
        let keeper: Arc<dyn Keeper> = kept.clone();
        let of = |a: ArrayMut| a.freeze_for(Arc::downgrade(&keeper));
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
        assert_eq!(got(), None, "nobody keeps what is frozen for nobody");
        let c = ArrayMut::in_words(Dtype::Int8, &[50], vec![7; 3]).unwrap().freeze();
        assert_eq!(c.bytes().unwrap(), [0; 50], "too little memory");
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(Array::filled(Dtype::Float32, [1 << 30, 1 << 30], 0.0).is_err());
    }
}
