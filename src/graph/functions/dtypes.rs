//! The sets of dtypes that functions share.
use crate::base::Dtype;
pub(super) use crate::ops::INTEGERS;

/// What float functions take.
pub(super) const FLOATS: &[Dtype] = &[Dtype::Float32, Dtype::Float16];
/// What quantized functions take.
pub(super) const BYTES: &[Dtype] = &[Dtype::Int8, Dtype::Uint8];
/// What functions with a float and a quantized form take.
pub(super) const FLOATS_AND_BYTES: &[Dtype] = &[Dtype::Float32, Dtype::Float16, Dtype::Int8, Dtype::Uint8];
/// What integer products are accumulated in.
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
/// What a difference is, which may be negative.
pub(super) const SIGNED: &[Dtype] = &[Dtype::Int32, Dtype::Int16, Dtype::Int8];
/// What functions take that only move data: floats, and integers that can be quantized.
pub(super) const MOVED: &[Dtype] =
    &[Dtype::Float32, Dtype::Float16, Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16];
