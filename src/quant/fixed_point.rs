use super::RoundMode;
use crate::base::Dtype;

/// `x * multiplier / 2^shift`, rounded: TPU-MLIR's `MultiplierShift` requantization.
pub fn multiplier_shift(x: i64, multiplier: i64, shift: i64, mode: RoundMode) -> i64 {
    clamp(mode.shift_right(i128::from(x) * i128::from(multiplier), shift))
}

/// TFLite's requantization (gemmlowp's `MultiplyByQuantizedMultiplier`). The multiplier is a Q31 fraction, and a positive
/// `shift` is to the left. The product is rounded half up to 31 bits, then shifted with `mode`.
pub fn tflite(x: i64, multiplier: i64, shift: i64, mode: RoundMode) -> i64 {
    let (left, right) = (shift.max(0), shift.saturating_neg().max(0));
    let shifted = i64::from(saturate_i32(i128::from(x) << left.min(64)));
    let product = i128::from(shifted) * i128::from(multiplier);
    let high = saturate_i32(RoundMode::HalfUp.shift_right(product, 31));
    clamp(mode.shift_right(high.into(), right))
}

/// TFLite's dequantization. `x * multiplier * 2^lshift`, with a Q31 fraction as the multiplier, is rounded half up to 32 bits,
/// then multiplied by `2^shift` and rounded with `mode`.
pub fn tflite_wider(x: i64, multiplier: i64, lshift: i64, shift: i64, mode: RoundMode) -> i64 {
    let product = RoundMode::HalfUp.shift_right(i128::from(x) * i128::from(multiplier), 31i64.saturating_sub(lshift));
    shifted(saturate_i32(product).into(), shift, mode)
}

/// `x * 2^shift`, rounded and saturated to 64 bits.
pub fn shifted(x: i128, shift: i64, mode: RoundMode) -> i64 {
    clamp(mode.shift_right(x, shift.saturating_neg()))
}

/// `x * 2^shift`, rounded and wrapped to an integer type.
pub fn shifted_wrapping(x: i128, shift: i64, mode: RoundMode, dtype: Dtype) -> i64 {
    let low_bits = if shift < 128 { x.wrapping_shl(shift.max(0) as u32) } else { 0 };
    dtype.wrapped(if shift > 0 { low_bits } else { mode.shift_right(x, shift.saturating_neg()) })
}

/// Converts a factor to a 16-bit multiplier and a right shift. Both are 0 if the factor is 0, infinite or NaN.
pub fn multiplier_and_shift(factor: f32) -> (i64, i64) {
    if factor == 0.0 || !factor.is_finite() {
        return (0, 0);
    }
    let factor = f64::from(factor);
    let shift = 14 - factor.abs().log2().floor() as i64;
    let multiplier = (factor * (shift as f64).exp2()).round() as i64;
    if (-(1 << 15)..1 << 15).contains(&multiplier) { (multiplier, shift) } else { (multiplier >> 1, shift - 1) }
}

fn saturate_i32(x: i128) -> i32 {
    x.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

fn clamp(x: i128) -> i64 {
    x.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_held_or_wrap() {
        let (down, all) = (RoundMode::Down, i128::from(i64::MAX));
        assert_eq!(shifted(all, 1, down), i64::MAX);
        assert_eq!(shifted(-all, 63, down), i64::MIN);
        assert_eq!(shifted(i128::from(i32::MIN), -31, down), -1);
        assert_eq!(shifted(i128::MIN, i64::MIN, down), -128);
        for (x, shift, dtype, want) in [
            (127, 1, Dtype::Int8, -2),
            (-129, 0, Dtype::Int8, 127),
            (-1, 0, Dtype::Uint16, 65535),
            (32768, 0, Dtype::Int16, -32768),
            (1 << 31, 0, Dtype::Int32, i64::from(i32::MIN)),
            (3, 31, Dtype::Uint32, 1 << 31),
            (1, 127, Dtype::Int32, 0),
            (1, 500, Dtype::Int32, 0),
            (513, -1, Dtype::Uint8, 0),
            (all, 1, Dtype::Int64, -2),
        ] {
            assert_eq!(shifted_wrapping(x, shift, down, dtype), want, "{x} {shift} {dtype}");
        }
        assert_eq!(tflite_wider(i64::MIN, i64::MIN, i64::MAX, 1, down), 2 * i64::from(i32::MAX));
        assert_eq!(tflite_wider(6, 1 << 30, 0, -1, down), 1);
    }

    #[test]
    fn known_values() {
        let half = RoundMode::HalfAwayFromZero;
        assert_eq!(multiplier_shift(5, 3, 1, half), 8);
        assert_eq!(multiplier_shift(-5, 3, 1, half), -8);
        assert_eq!(multiplier_shift(5, 3, -2, half), 60);
        // 0.5 as Q31, one more bit to the right: a quarter.
        assert_eq!(tflite(1000, 1 << 30, -1, half), 250);
        assert_eq!(tflite(1000, 1 << 30, 1, half), 1000);
        assert_eq!(tflite(1000, 1 << 30, i64::MIN, half), 0);
        assert_eq!(tflite(i64::MIN, i64::MIN, i64::MAX, half), i64::from(i32::MAX));
        assert_eq!(multiplier_shift(-1, i64::MIN, i64::MIN, half), i64::MAX);
        assert_eq!(tflite(i64::from(i32::MAX), i64::from(i32::MAX), 10, half), 2147483646);
        assert_eq!([0.0, f32::NAN, f32::INFINITY].map(multiplier_and_shift), [(0, 0); 3]);
        assert_eq!([1.0, 0.25, -3.0].map(multiplier_and_shift), [(16384, 14), (16384, 16), (-24576, 13)]);
        // 32767.6 / 2^15 rounds to what 16 bits do not have.
        assert_eq!(multiplier_and_shift(0.99999), (16384, 14));
        assert_eq!(multiplier_and_shift(f32::MIN_POSITIVE), (16384, 140));
    }
}
