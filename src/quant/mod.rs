//! Quantization parameters: setting, checking, propagation, rounding and requantization.

mod fixed_point;
mod params;
mod round;

pub use fixed_point::{multiplier_shift, tflite};
pub(crate) use params::propagate;
pub use params::{PerTensorOrAxis, Quantization};
pub use round::RoundMode;
