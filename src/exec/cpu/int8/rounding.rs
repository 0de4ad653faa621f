//! Rounding of real numbers to the bytes of a quantized tensor, 16 at a time.
//!
//! The definition divides by the scale in float64. Here quotients are computed in float32, whose errors only matter near a tie: an
//! element that is as near to a half as the error may be is computed by the definition.
use crate::{ValueType, cpu::blocked::InstructionSet, quant::RoundMode};
use rten_simd::{Isa, SimdOp};

/// Elements that are rounded at a time.
pub(super) const LANES: usize = 16;

/// Added to a number below 2^22, it leaves the nearest integer in the low bits.
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
        (is_nearest && fits).then_some(Rounding { isa, mode, scale, zero, range, low, high })
    }
    /// The factor from real numbers to units of the scale.
    pub fn factor(&self) -> f64 {
        1.0 / self.scale
    }
    /// The same for numbers that are clamped to 0 and `bound`, infinity for a plain Relu.
    pub fn with_relu(self, bound: f32) -> Rounding {
        let high = (f64::from(bound) / self.scale) as f32;
        Rounding { low: self.low.max(0.0), high: self.high.min(high), ..self }
    }
    /// Returns the stored bits of a real number, by the definition. NaN is stored as 0.
    pub fn exact(&self, real: f32) -> u8 {
        let stored = self.mode.round(f64::from(real) / self.scale) + self.zero as f64;
        stored.clamp(self.range.0 as f64, self.range.1 as f64) as i64 as u8
    }
    /// Writes results, all of whose blocks `numbers` has.
    #[inline(always)]
    pub fn write(&self, numbers: impl Numbers, out: &mut [u8]) {
        self.isa.run(Write { rounding: self, numbers, out });
    }
    /// Writes real numbers.
    pub fn write_reals(&self, reals: &[f32], out: &mut [u8]) {
        let (blocks, rest) = reals.as_chunks();
        let (whole, tail) = out.split_at_mut(blocks.as_flattened().len());
        self.write(Reals { rounding: self, blocks }, whole);
        if !rest.is_empty() {
            let mut last = [0.0; LANES];
            last[..rest.len()].copy_from_slice(rest);
            self.write(Reals { rounding: self, blocks: &[last] }, tail);
        }
    }
    /// Like [`Rounding::write`], for code that is compiled for the instruction set already.
    #[inline(always)]
    pub fn write_inline(&self, numbers: &impl Numbers, out: &mut [u8]) {
        const TOGETHER: usize = u64::BITS as usize;
        let (blocks, rest) = out.as_chunks_mut();
        let tail = blocks.len();
        for (i, blocks) in blocks.chunks_mut(TOGETHER).enumerate() {
            // Ties are seen to later: with a call in this loop, the compiler would keep nothing in registers.
            let (rounding, mut ties) = (*self, 0u64);
            for (block, out) in blocks.iter_mut().enumerate() {
                let is_far = rounding.round(numbers.near(i * TOGETHER + block), out);
                ties |= u64::from(!is_far) << block;
            }
            while ties != 0 {
                let block = ties.trailing_zeros() as usize;
                self.write_exact(numbers, i * TOGETHER + block, &mut blocks[block]);
                ties &= ties - 1;
            }
        }
        if !rest.is_empty() {
            let mut last = [0; LANES];
            if self.round(numbers.near(tail), &mut last) {
                rest.copy_from_slice(&last[..rest.len()]);
            } else {
                self.write_exact(numbers, tail, rest);
            }
        }
    }
    #[cold]
    #[inline(never)]
    fn write_exact(&self, numbers: &impl Numbers, block: usize, out: &mut [u8]) {
        out.iter_mut().enumerate().for_each(|(j, out)| *out = numbers.exact(block, j));
    }
    /// Rounds numbers in units of the scale, and returns whether none of them is near a tie. Each loop does one thing, so that the
    /// compiler makes it one of vectors.
    #[inline(always)]
    fn round(&self, numbers: [f32; LANES], out: &mut [u8; LANES]) -> bool {
        let offset = (self.zero as i32).wrapping_sub(MAGIC.to_bits().cast_signed());
        let (mut stored, mut is_far) = ([0; LANES], [0; LANES]);
        for j in 0..LANES {
            // Comparisons, so that NaN remains, and is not far from a tie.
            let number = if numbers[j] < self.low { self.low } else { numbers[j] };
            let number = if number > self.high { self.high } else { number };
            let moved = number + MAGIC;
            is_far[j] = u32::from((number - (moved - MAGIC)).abs() <= 0.5 - ERROR);
            stored[j] = moved.to_bits().cast_signed().wrapping_add(offset);
        }
        for j in 0..LANES {
            out[j] = stored[j] as u8;
        }
        let mut all = 1;
        for far in is_far {
            all &= far;
        }
        all == 1
    }
}

/// Numbers to be rounded. Its methods are inlined into code for the instruction set.
pub(in crate::cpu) trait Numbers {
    /// Returns the numbers of a block in units of the scale, with an error of at most [`ERROR`].
    fn near(&self, block: usize) -> [f32; LANES];
    /// Returns the stored bits of an element of a block.
    fn exact(&self, block: usize, element: usize) -> u8;
}

struct Reals<'a> {
    rounding: &'a Rounding,
    blocks: &'a [[f32; LANES]],
}

impl Numbers for Reals<'_> {
    #[inline(always)]
    fn near(&self, block: usize) -> [f32; LANES] {
        let (mut numbers, factor) = (self.blocks[block], self.rounding.factor() as f32);
        for j in 0..LANES {
            numbers[j] *= factor;
        }
        numbers
    }
    fn exact(&self, block: usize, element: usize) -> u8 {
        self.rounding.exact(self.blocks[block][element])
    }
}

struct Write<'a, N> {
    rounding: &'a Rounding,
    numbers: N,
    out: &'a mut [u8],
}

impl<N: Numbers> SimdOp for Write<'_, N> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        self.rounding.write_inline(&self.numbers, self.out);
    }
}
