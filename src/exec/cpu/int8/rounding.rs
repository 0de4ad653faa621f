//! Rounding of real numbers to the bytes of a quantized tensor, 16 at a time.
//!
//! The definition divides by the scale in float64. Here a number is multiplied by a lower and an upper bound of the factor in float32: if
//! both products are rounded to the same integer, that is the result. Otherwise the number is near a tie, and is computed by the
//! definition. With scales that are powers of two, many numbers are ties; then a single factor rounds all numbers correctly.
use crate::{ValueType, cpu::blocked::InstructionSet, quant::RoundMode};
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};
use std::ops::RangeInclusive;

/// Elements that are rounded at a time.
pub(super) const LANES: usize = 16;

/// Adding it to a number below 2^22 leaves the nearest integer in the low bits, which are 0 in the constant itself.
const MAGIC: f32 = 12_582_912.0;

/// The relative distance of a bound from a factor. Numbers, factors, bounds and products are rounded to float32, which changes each by at
/// most 2^-24; the distance is larger than the sum.
const ERROR: f64 = 1.0 / (1 << 21) as f64;

/// Scales for which [`ERROR`] suffices. Beyond the normal range of float32, numbers and factors have larger errors; with these scales, the
/// results of such numbers are 0 or clamped in any case.
const SCALES: RangeInclusive<f64> = 1e-30..=1e30;

/// Ratios of the unit to the scale for which one factor suffices. Results of at most 512 (others are clamped, also after a zero point was
/// added) grow by less than 2^-13, which is less than the distance of a multiple of the unit from the next tie. Products with larger
/// ratios might overflow.
const UNITS: RangeInclusive<f64> = 1.0 / (1 << 12) as f64..=1e18;

/// Number of blocks whose ties are looked for at once. One block in 500 has a number near a tie.
const TOGETHER: usize = 16;

/// How real numbers become the bytes of a tensor.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Rounding {
    isa: InstructionSet,
    mode: RoundMode,
    scale: f64,
    zero: i64,
    /// The range of the stored integers.
    range: (i64, i64),
    /// All real numbers are multiples of it, if it is known.
    unit: Option<f64>,
}

/// A lower and an upper bound of a factor for each element of a block.
pub(super) type FactorBounds = [[f32; LANES]; 2];

/// Whether a positive number is a power of two, and not subnormal.
pub(super) fn is_power_of_two(number: f64) -> bool {
    number.is_normal() && number.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1
}

impl Rounding {
    /// Returns `None` if the tensor does not consist of bytes with one scale, if that is extreme, or if the mode does not round to the
    /// nearest.
    pub fn new(ty: &ValueType, mode: RoundMode) -> Option<Rounding> {
        let range = ty.dtype.int_range().filter(|_| ty.dtype.size() == 1)?;
        let (scale, zero) = ty.per_tensor_scale()?;
        let fits = (-256..=256).contains(&zero) && SCALES.contains(&scale);
        (mode.is_nearest() && fits).then_some(Rounding {
            isa: InstructionSet::best(),
            mode,
            scale,
            zero,
            range,
            unit: None,
        })
    }
    /// The same for real numbers that are multiples of `unit`.
    pub fn of_multiples(self, unit: f64) -> Rounding {
        Rounding { unit: Some(unit), ..self }
    }
    /// The instruction set that code with [`Rounding::write_inline`] is compiled for.
    pub fn isa(&self) -> InstructionSet {
        self.isa
    }
    /// The bounds of the factor from real numbers to units of the scale.
    pub(super) fn factors(&self) -> FactorBounds {
        self.factor_bounds(1.0).map(|bound| [bound; LANES])
    }
    /// Returns bounds of the factor from units of another scale, wide enough that the rounded products with a number are bounds, too.
    pub(super) fn factor_bounds(&self, from: f64) -> [f32; 2] {
        let factor = from / self.scale;
        if self.unit.is_some_and(|unit| self.rounds_multiples(unit)) {
            // All products with the factor itself would be exact. With this one they are slightly larger, so ties are rounded away from 0.
            return [(factor as f32).next_up(); 2];
        }
        // Zero times infinity would be NaN.
        [1.0 - ERROR, 1.0 + ERROR].map(|bound| (factor * bound).clamp(f32::MIN.into(), f32::MAX.into()) as f32)
    }
    /// Whether one factor rounds all multiples of a unit correctly.
    fn rounds_multiples(&self, unit: f64) -> bool {
        let are_powers = is_power_of_two(unit) && is_power_of_two(self.scale);
        are_powers && self.mode == RoundMode::HalfAwayFromZero && UNITS.contains(&(unit / self.scale))
    }
    /// The same for numbers that are clamped to 0 and `bound`, infinity for a plain Relu.
    pub fn with_relu(self, bound: f32) -> Rounding {
        let (low, high) = self.range;
        let of = |real: f32| {
            (self.mode.round(f64::from(real) / self.scale) as i64).saturating_add(self.zero).clamp(low, high)
        };
        Rounding { range: (of(0.0), of(bound)), ..self }
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
    pub fn write_inline<I: Isa>(&self, isa: I, blocks: &mut impl Blocks, count: usize) {
        let (rounding, factors) = (*self, blocks.factors());
        for first in (0..count).step_by(TOGETHER) {
            let end = count.min(first + TOGETHER);
            // Ties are resolved later: with a branch in this loop, the compiler would keep little in registers.
            let mut ties = [0.0; LANES];
            for block in first..end {
                let moved = rounding.round(isa, &blocks.numbers(block), &factors, &mut ties);
                blocks.store(block, &rounding.bytes(moved));
            }
            if ties != [0.0; LANES] {
                for block in first..end {
                    let mut ties = [0.0; LANES];
                    rounding.round(isa, &blocks.numbers(block), &factors, &mut ties);
                    if ties != [0.0; LANES] {
                        blocks.store(block, &rounding.bytes_by_definition(blocks.reals(block)));
                    }
                }
            }
        }
    }
    /// What is added to products, which rounds them to integers: [`MAGIC`] and the zero point.
    #[inline(always)]
    pub(super) fn origin(&self) -> f32 {
        MAGIC + self.zero as f32
    }
    /// The range of the bits of rounded numbers, whose low bytes are the results.
    #[inline(always)]
    pub(super) fn bit_range(&self) -> [i32; 2] {
        const { assert!(MAGIC.to_bits() as u8 == 0) };
        // The order of floats is that of their bits as integers, but for negative ones, which are all below the range.
        [self.range.0, self.range.1].map(|integer| (MAGIC + integer as f32).to_bits().cast_signed())
    }
    /// Multiplies numbers by the bounds of factors, and adds the zero point and [`MAGIC`], which rounds to integers. Where they differ,
    /// and for NaN, `ties` becomes 1.
    #[inline(always)]
    fn round<I: Isa>(
        &self,
        isa: I,
        numbers: &[f32; LANES],
        [lower, upper]: &FactorBounds,
        ties: &mut [f32; LANES],
    ) -> [f32; LANES] {
        let (ops, mut moved) = (isa.f32(), [0.0; LANES]);
        let origin = ops.splat(self.origin());
        for at in (0..LANES).step_by(ops.len()) {
            let numbers = ops.load(&numbers[at..]);
            let [lower, upper] = [lower, upper].map(|factors| ops.mul_add(numbers, ops.load(&factors[at..]), origin));
            let marked = ops.select(ops.load(&ties[at..]), ops.one(), ops.eq(lower, upper));
            ops.store(marked, &mut ties[at..]);
            ops.store(lower, &mut moved[at..]);
        }
        moved
    }
    /// Returns the bytes of rounded numbers, to which [`MAGIC`] was added.
    #[inline(always)]
    fn bytes(&self, moved: [f32; LANES]) -> [u8; LANES] {
        let ([low, high], mut bytes) = (self.bit_range(), [0; LANES]);
        for j in 0..LANES {
            bytes[j] = moved[j].to_bits().cast_signed().max(low).min(high) as u8;
        }
        bytes
    }
    /// Returns the bytes of real numbers by the definition. NaN becomes 0.
    #[inline(always)]
    fn bytes_by_definition(&self, reals: [f32; LANES]) -> [u8; LANES] {
        /// Adding it to an integer leaves that in the low bits, which are 0 in the constant itself. The compiler does not convert
        /// float64 in vectors.
        const MAGIC: f64 = 6_755_399_441_055_744.0;
        const { assert!(MAGIC.to_bits() as u8 == 0) };
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
            // Not `clamp`, which checks the bounds, and makes the compiler use no vectors.
            let integer = (rounded[j] + zero).max(low).min(high);
            let integer = if rounded[j].is_nan() { 0.0 } else { integer };
            bytes[j] = (integer + MAGIC).to_bits() as u8;
        }
        bytes
    }
}

/// Blocks of numbers to be rounded. Its methods are inlined into code for the instruction set.
pub(in crate::cpu) trait Blocks {
    /// Returns the numbers of a block, which are multiplied by [`Blocks::factors`]. Those beyond 2^24 may be rounded.
    fn numbers(&self, block: usize) -> [f32; LANES];
    /// Returns the factors from numbers to units of the scale, which all blocks have in common.
    fn factors(&self) -> FactorBounds;
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
    fn numbers(&self, block: usize) -> [f32; LANES] {
        self.blocks[block]
    }
    #[inline(always)]
    fn factors(&self) -> FactorBounds {
        self.rounding.factors()
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
    fn eval<I: Isa>(mut self, isa: I) {
        self.rounding.write_inline(isa, &mut self.blocks, self.count);
    }
}
