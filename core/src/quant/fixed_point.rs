use super::RoundMode;

/// `x * multiplier / 2^shift`, rounded: TPU-MLIR's `MultiplierShift` requantization.
pub fn multiplier_shift(x: i64, multiplier: i64, shift: i64, mode: RoundMode) -> i64 {
    clamp(mode.shift_right(i128::from(x) * i128::from(multiplier), shift))
}

/// TFLite's requantization (gemmlowp's `MultiplyByQuantizedMultiplier`): the multiplier is a Q31 fraction, `shift`
/// is positive to the left; the product is rounded half up to 31 bits, then shifted with `mode`.
pub fn tflite(x: i64, multiplier: i64, shift: i64, mode: RoundMode) -> i64 {
    let (left, right) = (shift.max(0), shift.saturating_neg().max(0));
    let shifted = i64::from(saturate_i32(i128::from(x) << left.min(64)));
    let product = i128::from(shifted) * i128::from(multiplier);
    let high = saturate_i32(RoundMode::HalfUp.shift_right(product, 31));
    clamp(mode.shift_right(high.into(), right))
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
    }
}
