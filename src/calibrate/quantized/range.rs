//! The numbers that integers of a tensor represent.
use crate::{
    array::Array,
    base::{Dtype, Result},
    numbers,
};
use half::{f16, slice::HalfFloatSliceExt};
use rayon::prelude::*;

/// Minimum number of elements per task.
const TASK: usize = 1 << 12;

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
    /// Returns the number that 1 represents if the numbers of all integers are divided among those of 16 bits.
    pub fn wide_scale(self) -> f64 {
        self.scale() * 255.0 / 65535.0
    }
    pub fn dtype(self) -> Dtype {
        if self.is_signed { Dtype::Int8 } else { Dtype::Uint8 }
    }
    fn limits(self) -> (i64, i64) {
        if self.is_signed { (-128, 127) } else { (0, 255) }
    }
    /// Stores integers, which are clamped.
    pub fn stored(self, shape: &[usize], integers: impl IndexedParallelIterator<Item = i64>) -> Result<Array> {
        let (low, high) = self.limits();
        let clamped = integers.with_min_len(TASK).map(|i| i.clamp(low, high));
        match self.is_signed {
            true => Array::from_vec(shape, clamped.map(|i| i as i8).collect()),
            false => Array::from_vec(shape, clamped.map(|i| i as u8).collect()),
        }
    }
    /// Rounds numbers to integers, half away from zero.
    pub fn quantized(self, array: &Array, is_half: bool) -> Result<Array> {
        let factor = (1.0 / self.scale()) as f32;
        let all = numbers(array)?;
        if is_half {
            let factor = f16::from_f32(factor).to_f32();
            let scaled = halves(all.par_iter().map(|x| x * factor));
            return self.stored(array.shape(), scaled.par_iter().map(|x| nearest(*x)));
        }
        self.stored(array.shape(), all.par_iter().map(|x| nearest(x * factor)))
    }
    /// Returns the numbers that integers represent.
    pub fn real(self, integers: &Array, in_half: bool) -> Result<Array> {
        let is_wide = integers.dtype() == Dtype::Int16;
        let scale = if is_wide { self.wide_scale() } else { self.scale() } as f32;
        let mut integers_in_floats = integers.to_f32()?;
        if is_wide && in_half {
            integers_in_floats = halves(integers_in_floats.into_par_iter());
        }
        let numbers = match in_half {
            true => {
                let scale = f16::from_f32(scale).to_f32();
                halves(integers_in_floats.into_par_iter().map(|q| scale * q))
            }
            false => integers_in_floats.into_par_iter().with_min_len(TASK).map(|q| scale * q).collect(),
        };
        Array::from_vec(integers.shape(), numbers)
    }
}

/// Rounds half away from zero. A NaN becomes 0, and a number beyond 32 bits, such as an infinity, the smallest integer: the tool chain's
/// executor converts it so.
fn nearest(x: f32) -> i64 {
    const BEYOND: f32 = (1u32 << 31) as f32;
    if x.abs() >= BEYOND {
        return i32::MIN.into();
    }
    // Exact, because float64 has room for the half; `round` would be a call.
    let x = f64::from(x);
    (x + if x < 0.0 { -0.5 } else { 0.5 }) as i64
}

/// Rounds numbers to 16 bits.
fn halves(numbers: impl IndexedParallelIterator<Item = f32>) -> Vec<f32> {
    let mut rounded: Vec<f32> = numbers.with_min_len(TASK).collect();
    rounded.par_chunks_mut(TASK).for_each(|numbers| {
        let mut memory = [f16::ZERO; TASK];
        let halves = &mut memory[..numbers.len()];
        halves.convert_from_f32_slice(numbers);
        halves.convert_to_f32_slice(numbers);
    });
    rounded
}

/// Rounds floats to 16 bits.
pub fn rounded_to_half(array: &Array) -> Result<Array> {
    Array::from_vec(array.shape(), halves(numbers(array)?.par_iter().copied()))
}
