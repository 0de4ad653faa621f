//! Quantization parameters: their values and checks, rounding, and requantization in fixed point.

use tpulang_base as base;

mod fixed_point;
mod params;
mod round;

pub use fixed_point::{multiplier_and_shift, multiplier_shift, shifted, shifted_wrapping, tflite, tflite_wider};
pub use params::{PerTensorOrAxis, Quantization, single};
pub use params::{channel_axes, channel_axis};
pub use round::RoundMode;
