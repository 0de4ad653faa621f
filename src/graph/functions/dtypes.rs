//! The sets of dtypes that functions share.
use crate::base::Dtype;
pub(super) use crate::ops::INTEGERS;

/// Dtypes of float functions.
pub(super) const FLOATS: &[Dtype] = &[Dtype::Float32, Dtype::Float16];
/// Dtypes of quantized functions.
pub(super) const BYTES: &[Dtype] = &[Dtype::Int8, Dtype::Uint8];
/// Dtypes of functions with a float and a quantized form.
pub(super) const FLOATS_AND_BYTES: &[Dtype] = &[Dtype::Float32, Dtype::Float16, Dtype::Int8, Dtype::Uint8];
/// Dtypes of integer accumulators.
pub(super) const INT32: &[Dtype] = &[Dtype::Int32, Dtype::Uint32];
/// Floats and integers of up to 32 bits.
pub(super) const NUMBERS: &[Dtype] = &[
    Dtype::Float32,
    Dtype::Float16,
    Dtype::Int32,
    Dtype::Uint32,
    Dtype::Int16,
    Dtype::Uint16,
    Dtype::Int8,
    Dtype::Uint8,
];
/// Signed integer dtypes, for differences.
pub(super) const SIGNED: &[Dtype] = &[Dtype::Int32, Dtype::Int16, Dtype::Int8];
/// Dtypes of functions that only move data: floats, and integers that can be quantized.
pub(super) const MOVED: &[Dtype] =
    &[Dtype::Float32, Dtype::Float16, Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16];
