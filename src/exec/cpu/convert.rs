//! Conversions between float32 and integers, in loops that are compiled for the instruction set of this machine.
use super::blocked::{InstructionSet, fill_each, load_padded, replace_each, store_within};
use crate::{base::Dtype, quant::RoundMode};
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, FloatOps, NumOps},
};

/// Number of elements that are rounded at a time.
const PIECE: usize = 256;

/// Largest zero point whose sums with integers are exact in float32, unless they saturate.
const MAX_ZERO_POINT: u64 = 1 << 22;

/// Whether [`write_rounded`] supports a dtype.
pub(super) fn is_supported(dtype: Dtype) -> bool {
    // Results of uint64 are limited to the range of int64.
    dtype.int_range().is_some() && dtype != Dtype::Uint64
}

/// Writes numbers as integers of a dtype: rounded and saturated. NaN becomes 0.
pub(super) fn write_rounded(dtype: Dtype, mode: RoundMode, reals: &[f32], bytes: &mut [u8]) {
    if let (RoundMode::TowardsZero, Dtype::Int32, Ok(ints)) = (mode, dtype, bytemuck::try_cast_slice_mut(bytes)) {
        return InstructionSet::best().run(Truncated { reals, ints });
    }
    let size = dtype.size();
    let mut buffer = [0.0; PIECE];
    for (reals, bytes) in reals.chunks(PIECE).zip(bytes.chunks_mut(PIECE * size)) {
        let rounded = &mut buffer[..reals.len()];
        rounded.copy_from_slice(reals);
        round_each(mode, rounded);
        // The dtypes whose bits a function returns, with their types in Rust.
        macro_rules! by_dtype {
            ($($bits:ident: $($d:ident: $t:ty),*;)*) => { match dtype {
                $($(Dtype::$d => fill_each(bytes.as_chunks_mut().0, rounded, |v: f32| {
                    ($bits(v, <$t>::MIN.into(), <$t>::MAX.into()) as $t).to_le_bytes()
                }),)*)*
                Dtype::Int64 => fill_each(bytes.as_chunks_mut().0, rounded, |v: f32| (v as i64).to_le_bytes()),
                Dtype::Bool => fill_each(bytes, rounded, |v: f32| u8::from(v > 0.0)),
                _ => unreachable!("{dtype} is not supported"),
            } };
        }
        by_dtype!(low_bits: Int8: i8, Uint8: u8, Int16: i16, Uint16: u16; low_bits_of_wide: Int32: i32, Uint32: u32;);
    }
}

/// Numbers as integers of 32 bits: rounded towards zero and saturated. NaN becomes 0.
struct Truncated<'a> {
    reals: &'a [f32],
    ints: &'a mut [i32],
}

impl SimdOp for Truncated<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Truncated { reals, ints: out } = self;
        let (ops, ints) = (isa.f32(), isa.i32());
        for at in (0..reals.len()).step_by(ops.len()) {
            let x = load_padded(ops, reals, at, 0.0);
            // The instruction's results for other numbers than those of 32 bits depend on the processor.
            let limit = ops.splat(-(i32::MIN as f32));
            let inside = ops.to_int_trunc(ops.select(x, ops.zero(), ops.lt(ops.abs(x), limit)));
            let saturated = ints.select(ints.splat(i32::MAX), inside, ops.ge(x, limit));
            store_within(ints, ints.select(ints.splat(i32::MIN), saturated, ops.le(x, ops.neg(limit))), out, at);
        }
    }
}

/// Clamps an integer to a range of at most 16 bits, and returns it in the low bits of the result; the others are undefined. The compiler
/// does not vectorize Rust's saturating conversions.
#[inline(always)]
fn low_bits(integer: f32, low: f32, high: f32) -> u32 {
    /// Adding it to an integer leaves that in the low bits, which are 0 in the constant itself.
    const MAGIC: f32 = 12_582_912.0;
    const { assert!(MAGIC.to_bits() as u16 == 0) };
    let integer = if integer.is_nan() { 0.0 } else { integer };
    let integer = if integer < low { low } else { integer };
    let integer = if integer > high { high } else { integer };
    (integer + MAGIC).to_bits()
}

/// The same for a range of at most 32 bits.
#[inline(always)]
fn low_bits_of_wide(integer: f32, low: f64, high: f64) -> u64 {
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    const { assert!(MAGIC.to_bits() as u32 == 0) };
    let integer = if integer.is_nan() { 0.0 } else { f64::from(integer) };
    let integer = if integer < low { low } else { integer };
    let integer = if integer > high { high } else { integer };
    (integer + MAGIC).to_bits()
}

/// Replaces each number by an integer.
pub(super) fn round_each(mode: RoundMode, numbers: &mut [f32]) {
    match mode {
        RoundMode::TowardsZero => replace_each(numbers, f32::trunc),
        RoundMode::Down => replace_each(numbers, f32::floor),
        RoundMode::Up => replace_each(numbers, f32::ceil),
        RoundMode::HalfToEven => replace_each(numbers, f32::round_ties_even),
        RoundMode::HalfAwayFromZero => replace_each(numbers, f32::round),
        // Differences from the next integer are not always exact in float32.
        _ => replace_each(numbers, move |v| mode.round(v.into()) as f32),
    }
}

/// The parameters of one channel of a quantized tensor with 8 or 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Linear {
    dtype: Dtype,
    scale: f32,
    zero: f32,
}

impl Linear {
    /// Returns `None` for other dtypes, and for a scale or a zero point that is not exact in float32.
    pub fn new(dtype: Dtype, scale: f64, zero: i64) -> Option<Linear> {
        let is_exact = f64::from(scale as f32) == scale && zero.unsigned_abs() <= MAX_ZERO_POINT;
        (is_supported(dtype) && dtype.size() <= 2 && dtype != Dtype::Bool && is_exact).then_some(Linear {
            dtype,
            scale: scale as f32,
            zero: zero as f32,
        })
    }
    /// Quantizes numbers: halves are rounded to even, and NaN becomes the zero point.
    pub fn quantize(self, reals: &[f32], bytes: &mut [u8]) {
        let Linear { dtype, scale, zero } = self;
        let quantized = move |real: f32| {
            let rounded = (real / scale).round_ties_even();
            if rounded.is_nan() { zero } else { rounded + zero }
        };
        macro_rules! by_dtype {
            ($($d:ident: $t:ty),*) => { match dtype {
                $(Dtype::$d => fill_each(bytes.as_chunks_mut().0, reals, move |v| {
                    (low_bits(quantized(v), <$t>::MIN.into(), <$t>::MAX.into()) as $t).to_le_bytes()
                }),)*
                _ => unreachable!("`new` accepts no other dtype"),
            } };
        }
        by_dtype!(Int8: i8, Uint8: u8, Int16: i16, Uint16: u16)
    }
    /// Returns the numbers that integers stand for.
    pub fn dequantize(self, bytes: &[u8], reals: &mut [f32]) {
        let Linear { dtype, scale, zero } = self;
        macro_rules! by_dtype {
            ($($d:ident: $t:ty),*) => { match dtype {
                $(Dtype::$d => fill_each(reals, bytes.as_chunks().0, move |b| (f32::from(<$t>::from_le_bytes(b)) - zero) * scale),)*
                _ => unreachable!("`new` accepts no other dtype"),
            } };
        }
        by_dtype!(Int8: i8, Uint8: u8, Int16: i16, Uint16: u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f32> {
        let halves = (-600i32..600).prop_map(|i| i as f32 * 0.5);
        let near = (-600i32..600, any::<bool>()).prop_map(|(i, up)| {
            let half = i as f32 * 0.5;
            if up { half.next_up() } else { half.next_down() }
        });
        let special =
            prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 3e9, -3e9, 1e19, f32::MAX]);
        prop_oneof![4 => halves, 4 => near, 2 => any::<f32>(), 1 => special]
    }

    /// A converted number by definition.
    fn converted(dtype: Dtype, integer: f64) -> i64 {
        let (low, high) = dtype.int_range().unwrap();
        if integer.is_nan() { 0 } else { integer.clamp(low as f64, high as f64) as i64 }
    }

    fn stored(dtype: Dtype, bytes: &[u8]) -> Vec<i64> {
        let is_negative = |part: &[u8]| dtype.is_signed_int() && part.last().is_some_and(|b| b & 0x80 != 0);
        let extended = |part: &[u8]| {
            std::array::from_fn(|i| part.get(i).copied().unwrap_or(if is_negative(part) { 0xff } else { 0 }))
        };
        bytes.chunks(dtype.size()).map(|part| i64::from_le_bytes(extended(part))).collect()
    }

    proptest! {
        #[test]
        fn numbers_are_rounded_by_the_definition(
            reals in prop::collection::vec(number(), 1..600),
            dtype in prop::sample::select(vec![Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16, Dtype::Int32, Dtype::Uint32, Dtype::Int64]),
            mode in prop::sample::select(RoundMode::arguments().map(|(mode, _)| mode).collect::<Vec<_>>()),
        ) {
            let mut bytes = vec![0; reals.len() * dtype.size()];
            write_rounded(dtype, mode, &reals, &mut bytes);
            for (real, got) in reals.iter().zip(stored(dtype, &bytes)) {
                prop_assert_eq!(got, converted(dtype, mode.round(f64::from(*real))), "{}", real);
            }
        }

        #[test]
        fn bytes_are_quantized_by_the_definition(
            reals in prop::collection::vec(number(), 1..100), scale in prop_oneof![Just(0.5f32), Just(1.0), 1e-3f32..10.0], zero in -200i64..300,
            dtype in prop::sample::select(vec![Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16]),
        ) {
            let linear = Linear::new(dtype, scale.into(), zero).unwrap();
            let mut bytes = vec![0; reals.len() * dtype.size()];
            linear.quantize(&reals, &mut bytes);
            let integers = stored(dtype, &bytes);
            for (real, got) in reals.iter().zip(&integers) {
                let rounded = RoundMode::HalfToEven.round((real / scale).into());
                let rounded = if rounded.is_nan() { 0.0 } else { rounded };
                prop_assert_eq!(*got, converted(dtype, rounded + zero as f64), "{}", real);
            }
            let mut back = vec![0.0; reals.len()];
            linear.dequantize(&bytes, &mut back);
            for (integer, back) in integers.iter().zip(back) {
                prop_assert_eq!(back, ((integer - zero) as f64 * f64::from(scale)) as f32);
            }
        }
    }
}
