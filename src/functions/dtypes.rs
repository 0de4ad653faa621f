//! The sets of dtypes that functions share.
use crate::graph::Dtype;

/// What float functions take.
pub(super) const FLOATS: &[Dtype] = &[Dtype::Float32, Dtype::Float16];
/// What quantized functions take.
pub(super) const BYTES: &[Dtype] = &[Dtype::Int8, Dtype::Uint8];
/// What functions with a float and a quantized form take.
pub(super) const FLOATS_AND_BYTES: &[Dtype] = &[Dtype::Float32, Dtype::Float16, Dtype::Int8, Dtype::Uint8];
