//! Arrays of the caller's, and the types of inputs and outputs.
use super::{list, text};
use crate::errors::null;
use std::{
    ffi::{CString, c_char, c_void},
    ptr,
};
use tpulang::{Array, Dtype, Result, array::ArrayMut, exec::ValueInfo};
use tpulang_base::{argument, invalid};

/// 32-bit IEEE float.
pub const TPULANG_FLOAT32: i32 = 0;
/// 16-bit IEEE float.
pub const TPULANG_FLOAT16: i32 = 1;
/// bfloat16.
pub const TPULANG_BFLOAT16: i32 = 2;
/// 8-bit float: 4 bits of exponent, 3 of mantissa.
pub const TPULANG_FP8E4M3: i32 = 3;
/// 8-bit float: 5 bits of exponent, 2 of mantissa.
pub const TPULANG_FP8E5M2: i32 = 4;
/// 64-bit IEEE float.
pub const TPULANG_FLOAT64: i32 = 5;
/// Signed 8-bit integer.
pub const TPULANG_INT8: i32 = 6;
/// Unsigned 8-bit integer.
pub const TPULANG_UINT8: i32 = 7;
/// Signed 16-bit integer.
pub const TPULANG_INT16: i32 = 8;
/// Unsigned 16-bit integer.
pub const TPULANG_UINT16: i32 = 9;
/// Signed 32-bit integer.
pub const TPULANG_INT32: i32 = 10;
/// Unsigned 32-bit integer.
pub const TPULANG_UINT32: i32 = 11;
/// Signed 64-bit integer.
pub const TPULANG_INT64: i32 = 12;
/// Unsigned 64-bit integer.
pub const TPULANG_UINT64: i32 = 13;
/// Boolean in a byte: 0 or 1.
pub const TPULANG_BOOL: i32 = 14;

/// The dtypes of the constants, in order.
const DTYPES: [Dtype; 15] = [
    Dtype::Float32,
    Dtype::Float16,
    Dtype::Bfloat16,
    Dtype::Fp8e4m3,
    Dtype::Fp8e5m2,
    Dtype::Float64,
    Dtype::Int8,
    Dtype::Uint8,
    Dtype::Int16,
    Dtype::Uint16,
    Dtype::Int32,
    Dtype::Uint32,
    Dtype::Int64,
    Dtype::Uint64,
    Dtype::Bool,
];

fn number(dtype: Dtype) -> i32 {
    DTYPES.iter().position(|known| *known == dtype).map_or(-1, |at| at as i32)
}

/// An array of the caller's: `rank` dimensions, elements in row-major order, aligned to their size.
#[repr(C)]
pub struct TpulangArray {
    /// The name of the input or result.
    pub name: *const c_char,
    /// The first element. The elements of a fed array are only read.
    pub data: *mut c_void,
    /// One of TPULANG_FLOAT32, ...
    pub dtype: i32,
    /// Number of dimensions.
    pub rank: usize,
    /// The dimensions.
    pub shape: *const usize,
}

impl TpulangArray {
    /// # Safety
    /// The pointers must be null or valid: a string that ends with 0, and `rank` dimensions.
    unsafe fn parts(&self) -> Result<(&str, Dtype, &[usize])> {
        // SAFETY: as for this function.
        let (name, shape) =
            unsafe { (text(self.name, "the name of an array")?, list(self.shape, self.rank, "shape")?) };
        let dtype = usize::try_from(self.dtype).ok().and_then(|at| DTYPES.get(at));
        let unknown = || {
            argument(format!("the dtype of {name:?}"), self.dtype, "expected TPULANG_FLOAT32 (0) to TPULANG_BOOL (14)")
        };
        if self.data.is_null() && !shape.contains(&0) {
            return Err(null(&format!("the data of {name:?}")));
        }
        Ok((name, *dtype.ok_or_else(unknown)?, shape))
    }
    /// Returns the name, and an array on the memory.
    ///
    /// # Safety
    /// The data must have all elements, and must not be written as long as the array lives.
    pub(crate) unsafe fn read(&self) -> Result<(String, Array)> {
        // SAFETY: as for this function.
        unsafe {
            let (name, dtype, shape) = self.parts()?;
            Ok((name.to_owned(), Array::from_raw_parts(dtype, shape, self.data.cast_const().cast(), ())?))
        }
    }
    /// Like [`TpulangArray::read`], for writing.
    ///
    /// # Safety
    /// The data must have room for all elements, and nobody else may use it as long as the array lives.
    pub(crate) unsafe fn write(&self) -> Result<(String, ArrayMut)> {
        // SAFETY: as for this function.
        unsafe {
            let (name, dtype, shape) = self.parts()?;
            Ok((name.to_owned(), ArrayMut::from_raw_parts(dtype, shape, self.data.cast(), ())?))
        }
    }
}

/// The name and type of an input or output. What it points to lives as long as the session.
#[repr(C)]
pub struct TpulangValueInfo {
    /// The name.
    pub name: *const c_char,
    /// One of TPULANG_FLOAT32, ... For an input, the graph's: floats may also be fed as float32.
    pub dtype: i32,
    /// Number of dimensions.
    pub rank: usize,
    /// The dimensions.
    pub shape: *const usize,
    /// Number of scales: 0 without quantization, 1 for one scale, otherwise one per entry of an axis.
    pub scale_count: usize,
    /// The scales: a value is scale * (stored - zero point).
    pub scales: *const f64,
    /// The zero points, as many as scales.
    pub zero_points: *const i64,
}

/// The owner of what a [`TpulangValueInfo`] points to.
pub(crate) struct Info {
    name: CString,
    dtype: i32,
    shape: Vec<usize>,
    scales: Vec<f64>,
    zero_points: Vec<i64>,
}

impl Info {
    pub fn new(info: &ValueInfo) -> Result<Info> {
        let (scales, mut zero_points) = info.quantization.as_ref().map(|q| q.values()).unwrap_or_default();
        if zero_points.len() != scales.len() {
            zero_points = vec![zero_points.first().copied().unwrap_or(0); scales.len()];
        }
        let name =
            CString::new(info.name.as_str()).map_err(|_| invalid(format!("the name {:?} has a 0", info.name)))?;
        Ok(Info { name, dtype: number(info.dtype), shape: info.shape.clone(), scales, zero_points })
    }
    pub fn view(&self) -> TpulangValueInfo {
        let is_quantized = !self.scales.is_empty();
        TpulangValueInfo {
            name: self.name.as_ptr(),
            dtype: self.dtype,
            rank: self.shape.len(),
            shape: self.shape.as_ptr(),
            scale_count: self.scales.len(),
            scales: if is_quantized { self.scales.as_ptr() } else { ptr::null() },
            zero_points: if is_quantized { self.zero_points.as_ptr() } else { ptr::null() },
        }
    }
}
