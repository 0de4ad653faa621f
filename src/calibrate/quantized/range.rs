//! The numbers that integers of a tensor represent.
use crate::{
    array::Array,
    base::{Dtype, Result},
};
use half::f16;

/// The range of a tensor's integers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The number that the largest integer represents.
    pub threshold: f64,
    /// Whether there are integers below zero.
    pub is_signed: bool,
}

impl Range {
    /// Returns the number that 1 represents.
    pub fn scale(self) -> f64 {
        self.threshold / if self.is_signed { 127.0 } else { 255.0 }
    }
    pub fn dtype(self) -> Dtype {
        if self.is_signed { Dtype::Int8 } else { Dtype::Uint8 }
    }
    fn limits(self) -> (i64, i64) {
        if self.is_signed { (-128, 127) } else { (0, 255) }
    }
    /// Stores integers, which are clamped.
    pub fn stored(self, shape: &[usize], integers: impl Iterator<Item = i64>) -> Result<Array> {
        let (low, high) = self.limits();
        let clamped = integers.map(|i| i.clamp(low, high));
        match self.is_signed {
            true => Array::from_vec(shape, clamped.map(|i| i as i8).collect()),
            false => Array::from_vec(shape, clamped.map(|i| i as u8).collect()),
        }
    }
    /// Rounds numbers to integers, half away from zero.
    pub fn quantized(self, numbers: &Array, is_half: bool) -> Result<Array> {
        let factor = (1.0 / self.scale()) as f32;
        let of_half = |x: f32| f16::from_f32(x * f16::from_f32(factor).to_f32()).to_f32();
        let scaled = |x: &f32| if is_half { of_half(*x) } else { x * factor };
        // A NaN becomes 0.
        self.stored(numbers.shape(), numbers.to_f32()?.iter().map(|x| scaled(x).round() as i64))
    }
    /// Returns the numbers that integers represent.
    pub fn real(self, integers: &Array, in_half: bool) -> Result<Array> {
        let scale = self.scale() as f32;
        let of_half = |q: f32| f16::from_f32(f16::from_f32(scale).to_f32() * q).to_f32();
        let numbers = integers.to_f32()?.into_iter().map(|q| if in_half { of_half(q) } else { scale * q });
        Array::from_vec(integers.shape(), numbers.collect())
    }
}

/// Rounds floats to 16 bits.
pub fn rounded_to_half(array: &Array) -> Result<Array> {
    let numbers = array.to_f32()?.into_iter().map(|x| f16::from_f32(x).to_f32());
    Array::from_vec(array.shape(), numbers.collect())
}
