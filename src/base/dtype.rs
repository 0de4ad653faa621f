use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dtype {
    Float32,
    Float16,
    Bfloat16,
    /// 8 bits: 4 of exponent, 3 of mantissa, no infinity.
    Fp8e4m3,
    /// 8 bits: 5 of exponent, 2 of mantissa.
    Fp8e5m2,
    Float64,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Bool,
}

use Dtype::*;

/// One row per dtype: name in specs, name in `top.Cast`'s `to`, MLIR element type, bytes.
const TABLE: [(Dtype, &str, &str, &str, usize); 15] = [
    (Float32, "float32", "F32", "f32", 4),
    (Float16, "float16", "F16", "f16", 2),
    (Bfloat16, "bfloat16", "BF16", "bf16", 2),
    (Fp8e4m3, "fp8e4m3", "F8E4M3", "f8E4M3FN", 1),
    (Fp8e5m2, "fp8e5m2", "F8E5M2", "f8E5M2", 1),
    (Float64, "float64", "F64", "f64", 8),
    (Int8, "int8", "INT8", "si8", 1),
    (Uint8, "uint8", "UINT8", "ui8", 1),
    (Int16, "int16", "INT16", "si16", 2),
    (Uint16, "uint16", "UINT16", "ui16", 2),
    (Int32, "int32", "INT32", "si32", 4),
    (Uint32, "uint32", "UINT32", "ui32", 4),
    (Int64, "int64", "INT64", "i64", 8),
    (Uint64, "uint64", "UINT64", "ui64", 8),
    (Bool, "bool", "BOOL", "i1", 1),
];

impl Dtype {
    fn row(self) -> &'static (Dtype, &'static str, &'static str, &'static str, usize) {
        TABLE.iter().find(|r| r.0 == self).unwrap_or(&TABLE[0])
    }
    /// Returns the name in specs and messages: `float32`, `int8`, ...
    pub fn name(self) -> &'static str {
        self.row().1
    }
    /// Returns the name that `top.Cast` uses: `F32`, `INT8`, ...
    pub fn cast_name(self) -> &'static str {
        self.row().2
    }
    /// Returns the MLIR element type: `f32`, `si8`, ...
    pub fn mlir_name(self) -> &'static str {
        self.row().3
    }
    /// Returns the bytes per element.
    pub fn size(self) -> usize {
        self.row().4
    }
    /// Returns the dtype with this name in specs.
    pub fn from_name(name: &str) -> Option<Dtype> {
        TABLE.iter().find(|r| r.1 == name).map(|r| r.0)
    }
    /// Returns the dtype with this name in `top.Cast`.
    pub fn from_cast_name(name: &str) -> Option<Dtype> {
        TABLE.iter().find(|r| r.2 == name).map(|r| r.0)
    }
    /// Returns the dtype with this MLIR element type.
    pub fn from_mlir_name(name: &str) -> Option<Dtype> {
        TABLE.iter().find(|r| r.3 == name).map(|r| r.0)
    }
    /// Returns all dtypes.
    pub fn all() -> impl Iterator<Item = Dtype> {
        TABLE.iter().map(|r| r.0)
    }
    /// Returns whether this is a float type.
    pub fn is_float(self) -> bool {
        matches!(self, Float32 | Float16 | Bfloat16 | Fp8e4m3 | Fp8e5m2 | Float64)
    }
    /// Returns whether this is an integer type (bool is not).
    pub fn is_int(self) -> bool {
        !self.is_float() && self != Bool
    }
    /// Returns whether this is a signed integer type.
    pub fn is_signed_int(self) -> bool {
        matches!(self, Int8 | Int16 | Int32 | Int64)
    }
    /// Returns whether tensors can be declared with this dtype. The tool chain has no coefficients of the others.
    pub fn is_declared(self) -> bool {
        !matches!(self, Dtype::Int64 | Dtype::Uint64 | Dtype::Float64 | Dtype::Bool)
    }
    /// Returns the dtype that a tensor with data of this one is declared with: itself, or for a dtype that tensors cannot have,
    /// one that its data are converted to where they fit.
    pub fn declarable(self) -> Dtype {
        match self {
            Dtype::Float64 => Dtype::Float32,
            Dtype::Int64 | Dtype::Uint64 => Dtype::Int32,
            Dtype::Bool => Dtype::Uint8,
            other => other,
        }
    }
    /// Returns whether tensors of this dtype can have a scale and a zero point: 8- and 16-bit integers.
    pub fn is_quantizable(self) -> bool {
        matches!(self, Int8 | Uint8 | Int16 | Uint16)
    }
    /// Wraps an integer to this integer type, by its low bits.
    ///
    /// ```
    /// use tpulang::base::Dtype;
    /// assert_eq!([Dtype::Int8.wrapped(200), Dtype::Uint8.wrapped(-1), Dtype::Float32.wrapped(7)], [-56, 255, 7]);
    /// ```
    pub fn wrapped(self, x: i128) -> i64 {
        let (low, high) = self.int_range().unwrap_or((i64::MIN, i64::MAX));
        let (low, n) = (i128::from(low), i128::from(high) - i128::from(low) + 1);
        ((x.rem_euclid(n) - low).rem_euclid(n) + low) as i64
    }
    /// Returns the smallest and largest value of an integer type or bool. Returns `None` for floats.
    pub fn int_range(self) -> Option<(i64, i64)> {
        Some(match self {
            Int8 => (i8::MIN.into(), i8::MAX.into()),
            Uint8 => (0, u8::MAX.into()),
            Int16 => (i16::MIN.into(), i16::MAX.into()),
            Uint16 => (0, u16::MAX.into()),
            Int32 => (i32::MIN.into(), i32::MAX.into()),
            Uint32 => (0, u32::MAX.into()),
            Int64 => (i64::MIN, i64::MAX),
            Uint64 => (0, i64::MAX),
            Bool => (0, 1),
            _ => return None,
        })
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for d in Dtype::all() {
            assert_eq!(Dtype::from_name(d.name()), Some(d));
            assert_eq!(Dtype::from_cast_name(d.cast_name()), Some(d));
            assert_eq!(Dtype::from_mlir_name(d.mlir_name()), Some(d));
            assert_eq!(serde_json::to_value(d).ok(), Some(d.name().into()));
        }
    }
}
