//! Fixed-point arithmetic of the chip, as TPU-MLIR 1.30 defines it (`lib/Support/MathUtils.cpp`).

/// The largest right shift.
pub const MAX_SHIFT: i32 = 30;

/// The bits of a multiplier.
#[derive(Clone, Copy, PartialEq)]
pub enum Bits {
    Eight,
    ThirtyTwo,
}

/// A factor as an integer and a right shift, negative for a left shift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multiplier {
    factor: i64,
    shift: i32,
}

impl Multiplier {
    /// Returns the multiplier with the least error, and of several the one with the smallest shift (`get_scale_and_shift`).
    pub fn of(scale: f64, bits: Bits) -> Multiplier {
        Multiplier::nearest(scale, bits, -32)
    }

    /// Like [`Multiplier::of`] for eight bits, without left shifts (`get_scale_and_shift_positive`).
    pub fn without_left_shift(scale: f64) -> Multiplier {
        Multiplier::nearest(scale, Bits::Eight, 0)
    }

    /// Returns the multiplier with a given shift whose factor is rounded towards zero.
    pub fn truncated(scale: f64, shift: i32) -> Multiplier {
        Multiplier { factor: (scale * f64::from(shift).exp2()) as i64, shift }
    }

    fn nearest(scale: f64, bits: Bits, least_shift: i32) -> Multiplier {
        let scale = f64::from(scale as f32);
        let limit = if bits == Bits::Eight { 127.0 } else { f64::from(i32::MAX) };
        let (mut best, mut least_error) = (Multiplier { factor: 0, shift: 0 }, f32::MAX);
        for shift in least_shift..=MAX_SHIFT {
            let power = f64::from(shift).exp2();
            let factor = (scale * power).round();
            let error = (factor / power - scale).abs() as f32;
            if error < least_error && factor.abs() < limit {
                (best, least_error) = (Multiplier { factor: factor as i64, shift }, error);
            }
        }
        best
    }

    /// Multiplies, and shifts right, rounding half up.
    pub fn apply(self, x: i64) -> i64 {
        shifted(x * self.factor, self.shift)
    }

    /// Multiplies and adds a number of which the shift also takes the last bits.
    pub fn apply_and_add(self, x: i64, addend: i64) -> i64 {
        let addend = if self.shift >= 0 { addend.saturating_mul(1 << self.shift) } else { addend >> -self.shift };
        shifted((x * self.factor).saturating_add(addend), self.shift)
    }
}

/// The fewest bits of a shift with which products are seldom halfway between two integers.
const FEW_TIES: i32 = 5;

/// Returns the number nearest to a positive ratio that a multiplier of eight bits represents exactly. Since halves are rounded up, numbers
/// whose products are often halfway between two integers are left out: with 1/2, a quarter of a unit would be added on average.
pub fn nearest_exact(ratio: f64) -> f64 {
    let of_shift = |shift: i32| {
        let power = f64::from(shift).exp2();
        let below = (ratio * power).floor();
        // An even factor is that of a smaller shift. Large ratios have small shifts only.
        let has_few_ties = move |factor: f64| factor % 2.0 == 1.0 && (shift >= FEW_TIES || factor >= 63.0);
        let is_one = move |factor: &f64| (1.0..127.0).contains(factor) && (shift == 0 || has_few_ties(*factor));
        [below, below + 1.0].into_iter().filter(is_one).map(move |factor| factor / power)
    };
    let all = (0..=MAX_SHIFT).flat_map(of_shift);
    all.min_by(|a, b| (a - ratio).abs().total_cmp(&(b - ratio).abs())).unwrap_or(ratio)
}

fn shifted(x: i64, shift: i32) -> i64 {
    match shift {
        0 => x,
        ..0 => x << -shift,
        _ => x.saturating_add(1 << (shift - 1)) >> shift,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipliers_are_those_of_the_tool_chain() {
        // By `get_scale_and_shift` of the tool chain's modules.
        assert_eq!(Multiplier::of(0.5, Bits::Eight), Multiplier { factor: 1, shift: 1 });
        assert_eq!(Multiplier::of(1.0, Bits::ThirtyTwo), Multiplier { factor: 1, shift: 0 });
        assert_eq!(Multiplier::of(0.75, Bits::Eight), Multiplier { factor: 3, shift: 2 });
        assert_eq!(Multiplier::without_left_shift(64.0), Multiplier { factor: 64, shift: 0 });
        assert_eq!(Multiplier::of(256.0, Bits::Eight), Multiplier { factor: 1, shift: -8 });
    }

    #[test]
    fn exact_ratios_are_multipliers_without_ties() {
        assert_eq!([1.001, 0.5, 0.7, 2.9].map(nearest_exact), [1.0, 65.0 / 128.0, 45.0 / 64.0, 93.0 / 32.0]);
        for i in 1..10_000 {
            let ratio = f64::from(i) / 100.0;
            let exact = nearest_exact(ratio);
            assert!((exact / ratio - 1.0).abs() <= 1.0 / 63.0, "{exact} is far from {ratio}");
            let multiplier = Multiplier::without_left_shift(exact);
            assert_eq!(multiplier.factor as f64 / f64::from(multiplier.shift).exp2(), exact);
            let has_few_ties = multiplier.shift >= FEW_TIES || multiplier.factor >= 63;
            assert!(multiplier.shift == 0 || has_few_ties && multiplier.factor % 2 == 1);
        }
    }

    #[test]
    fn halves_are_rounded_up() {
        let half = Multiplier { factor: 1, shift: 1 };
        assert_eq!([-3, -1, 1, 3].map(|x| half.apply(x)), [-1, 0, 1, 2]);
        assert_eq!(Multiplier { factor: 1, shift: -2 }.apply(-3), -12);
    }
}
