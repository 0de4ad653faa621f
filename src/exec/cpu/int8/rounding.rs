//! Rounding of real numbers to the bytes of a quantized tensor, 16 at a time.
//!
//! The definition divides by the scale in float64. Here quotients are computed in float32, whose errors only matter near a tie: an
//! element that is as near to a half as the error may be is computed by the definition.
use crate::{ValueType, cpu::blocked::InstructionSet, quant::RoundMode};
use rten_simd::{Isa, SimdOp};

/// Elements that are rounded at a time.
pub(super) const LANES: usize = 16;

/// Adding it to a number below 2^22 leaves the nearest integer in the low bits, which are 0 in the constant itself.
const MAGIC: f32 = 12_582_912.0;

/// The largest error of numbers that are given in units of the scale: they are at most 2^9 before they are clamped, and four
/// roundings to float32 have an error of 2^-24 each.
const ERROR: f32 = 2e-4;

/// How real numbers become the bytes of a tensor.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Rounding {
    isa: InstructionSet,
    mode: RoundMode,
    scale: f64,
    /// The factor from real numbers to units of the scale.
    pub factor: f32,
    zero: i64,
    /// The range of the stored integers.
    range: (i64, i64),
    /// The range of the results in units of the scale, before the zero point is added.
    low: f32,
    high: f32,
}

impl Rounding {
    /// Returns `None` if the tensor does not consist of bytes with one scale, or the mode does not round to the nearest.
    pub fn new(ty: &ValueType, mode: RoundMode) -> Option<Rounding> {
        let range = ty.dtype.int_range().filter(|_| ty.dtype.size() == 1)?;
        let (scale, zero) = ty.per_tensor_scale()?;
        let [low, high] = [range.0, range.1].map(|bound| bound.saturating_sub(zero) as f32);
        let is_nearest = !matches!(mode, RoundMode::TowardsZero | RoundMode::Up | RoundMode::Down);
        let fits = low.abs() <= 512.0 && high.abs() <= 512.0;
        let isa = InstructionSet::best();
        (is_nearest && fits).then_some(Rounding {
            isa,
            mode,
            scale,
            factor: (1.0 / scale) as f32,
            zero,
            range,
            low,
            high,
        })
    }
    /// The instruction set that code with [`Rounding::write_inline`] is compiled for.
    pub fn isa(&self) -> InstructionSet {
        self.isa
    }
    pub fn scale(&self) -> f64 {
        self.scale
    }
    /// The same for numbers that are clamped to 0 and `bound`, infinity for a plain Relu.
    pub fn with_relu(self, bound: f32) -> Rounding {
        let high = (f64::from(bound) / self.scale) as f32;
        Rounding { low: self.low.max(0.0), high: self.high.min(high), ..self }
    }
    /// Rounds and stores `count` blocks.
    pub fn write(&self, blocks: impl Blocks, count: usize) {
        self.isa.run(Write { rounding: self, blocks, count });
    }
    /// Rounds real numbers and writes them to `out`.
    pub fn write_reals(&self, reals: &[f32], out: &mut [u8]) {
        let (blocks, rest) = reals.as_chunks();
        let (whole, tail) = out.split_at_mut(blocks.as_flattened().len());
        self.write(Reals { rounding: self, blocks, out: whole }, blocks.len());
        if !rest.is_empty() {
            let mut last = [0.0; LANES];
            last[..rest.len()].copy_from_slice(rest);
            let mut bytes = [0; LANES];
            self.write(Reals { rounding: self, blocks: &[last], out: &mut bytes }, 1);
            tail.copy_from_slice(&bytes[..tail.len()]);
        }
    }
    /// Like [`Rounding::write`], for code that is compiled for the instruction set already.
    #[inline(always)]
    pub fn write_inline(&self, blocks: &mut impl Blocks, count: usize) {
        // A block has a number near a tie about once in 150 times.
        const TOGETHER: usize = 8;
        let rounding = *self;
        for first in (0..count).step_by(TOGETHER) {
            let end = count.min(first + TOGETHER);
            // Ties are resolved later: with a branch in this loop, the compiler would keep little in registers.
            let mut farthest = [0; LANES];
            for block in first..end {
                let (bytes, distances) = rounding.round(blocks.near(block));
                blocks.store(block, &bytes);
                for j in 0..LANES {
                    farthest[j] = farthest[j].max(distances[j]);
                }
            }
            if has_ties(farthest) {
                for block in first..end {
                    if has_ties(rounding.round(blocks.near(block)).1) {
                        let bytes = self.round_exactly(blocks.reals(block));
                        blocks.store(block, &bytes);
                    }
                }
            }
        }
    }
    /// Rounds real numbers by the definition. NaN becomes 0.
    #[inline(always)]
    fn round_exactly(&self, reals: [f32; LANES]) -> [u8; LANES] {
        let mut numbers = reals.map(f64::from);
        for number in &mut numbers {
            *number /= self.scale;
        }
        let is_even = |floor: f64| (floor * 0.5).floor() * 2.0 == floor;
        let rounded = match self.mode {
            RoundMode::HalfAwayFromZero => round_halves(numbers, |number, _| number > 0.0),
            RoundMode::HalfTowardsZero => round_halves(numbers, |number, _| number < 0.0),
            RoundMode::HalfUp => round_halves(numbers, |_, _| true),
            RoundMode::HalfToEven => round_halves(numbers, |_, floor| !is_even(floor)),
            RoundMode::HalfToOdd => round_halves(numbers, |_, floor| is_even(floor)),
            // The other modes do not round to the nearest.
            _ => round_halves(numbers, |_, _| false),
        };
        let (zero, (low, high)) = (self.zero as f64, (self.range.0 as f64, self.range.1 as f64));
        let mut bytes = [0; LANES];
        for j in 0..LANES {
            bytes[j] = (rounded[j] + zero).clamp(low, high) as i32 as u8;
        }
        bytes
    }
    /// Rounds numbers in units of the scale, and returns the distance of each from its result, as bits: those of NaN are larger than
    /// any number's. Each loop does one thing, so that the compiler makes it one of vectors.
    #[inline(always)]
    fn round(&self, numbers: [f32; LANES]) -> ([u8; LANES], [u32; LANES]) {
        const { assert!(MAGIC.to_bits() as u8 == 0) };
        let (mut stored, mut distances) = ([0; LANES], [0; LANES]);
        for j in 0..LANES {
            // Comparisons, so that NaN remains.
            let number = if numbers[j] < self.low { self.low } else { numbers[j] };
            let number = if number > self.high { self.high } else { number };
            let moved = number + MAGIC;
            distances[j] = (number - (moved - MAGIC)).abs().to_bits();
            stored[j] = moved.to_bits() as u8;
        }
        for byte in &mut stored {
            *byte = byte.wrapping_add(self.zero as u8);
        }
        (stored, distances)
    }
}

/// Whether one of the distances is so large that the number may be a tie.
#[inline(always)]
fn has_ties(distances: [u32; LANES]) -> bool {
    let mut farthest = 0;
    for distance in distances {
        farthest = farthest.max(distance);
    }
    farthest > (0.5 - ERROR).to_bits()
}

/// Blocks of numbers to be rounded. Its methods are inlined into code for the instruction set.
pub(in crate::cpu) trait Blocks {
    /// Returns the numbers of a block in units of the scale, with an error of at most [`ERROR`].
    fn near(&self, block: usize) -> [f32; LANES];
    /// Returns the real numbers of a block.
    fn reals(&self, block: usize) -> [f32; LANES];
    /// Stores the result of a block.
    fn store(&mut self, block: usize, bytes: &[u8; LANES]);
}

/// Returns the memory of a block. A block of known length is stored without a call, so callers treat incomplete ones separately.
#[inline(always)]
pub(super) fn whole_block(out: &mut [u8], block: usize) -> &mut [u8; LANES] {
    &mut out.as_chunks_mut().0[block]
}

/// Rounds to the nearest integers; `up` says whether a half is rounded up, given the number and the integer below.
#[inline(always)]
fn round_halves(mut numbers: [f64; LANES], up: impl Fn(f64, f64) -> bool) -> [f64; LANES] {
    for number in &mut numbers {
        let floor = number.floor();
        let fraction = *number - floor;
        let is_up = (fraction > 0.5) | ((fraction == 0.5) & up(*number, floor));
        *number = if is_up { floor + 1.0 } else { floor };
    }
    numbers
}

struct Reals<'a> {
    rounding: &'a Rounding,
    blocks: &'a [[f32; LANES]],
    out: &'a mut [u8],
}

impl Blocks for Reals<'_> {
    #[inline(always)]
    fn near(&self, block: usize) -> [f32; LANES] {
        let (mut numbers, factor) = (self.blocks[block], self.rounding.factor);
        for j in 0..LANES {
            numbers[j] *= factor;
        }
        numbers
    }
    #[inline(always)]
    fn reals(&self, block: usize) -> [f32; LANES] {
        self.blocks[block]
    }
    #[inline(always)]
    fn store(&mut self, block: usize, bytes: &[u8; LANES]) {
        *whole_block(self.out, block) = *bytes;
    }
}

struct Write<'a, B> {
    rounding: &'a Rounding,
    blocks: B,
    count: usize,
}

impl<B: Blocks> SimdOp for Write<'_, B> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, _: I) {
        self.rounding.write_inline(&mut self.blocks, self.count);
    }
}
