/// A rounding mode, from fractions to integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub enum RoundMode {
    #[default]
    HalfAwayFromZero,
    HalfUp,
    HalfDown,
    HalfToEven,
    HalfToOdd,
    HalfTowardsZero,
    TowardsZero,
    Up,
    Down,
}

use RoundMode::*;

/// The name of each mode in the Top dialect, and in TpuLang if functions take it.
const NAMES: [(RoundMode, &str, Option<&str>); 9] = [
    (HalfAwayFromZero, "HalfAwayFromZero", Some("half_away_from_zero")),
    (HalfUp, "HalfUp", Some("half_up")),
    (HalfDown, "HalfDown", Some("half_down")),
    (HalfToEven, "HalfToEven", Some("half_to_even")),
    (HalfToOdd, "HalfToOdd", None),
    (HalfTowardsZero, "HalfTowardsZero", None),
    (TowardsZero, "TowardsZero", Some("towards_zero")),
    (Up, "Up", Some("up")),
    (Down, "Down", Some("down")),
];

impl RoundMode {
    /// Whether numbers are rounded to the nearest integer, so that modes differ for halves only.
    pub fn is_nearest(self) -> bool {
        !matches!(self, RoundMode::TowardsZero | RoundMode::Up | RoundMode::Down)
    }
    /// Returns the name in the Top dialect.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|n| n.0 == self).map_or("", |n| n.1)
    }
    /// Returns the mode with this name in the Top dialect.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|n| n.1 == name).map(|n| n.0)
    }
    /// Returns the modes that functions take, with their names in TpuLang.
    pub fn arguments() -> impl Iterator<Item = (RoundMode, &'static str)> {
        NAMES.iter().filter_map(|n| Some((n.0, n.2?)))
    }
    /// Rounds `x`.
    pub fn round(self, x: f64) -> f64 {
        let (floor, fraction) = (x.floor(), x - x.floor());
        let half = |up: bool| if fraction > 0.5 || (fraction == 0.5 && up) { floor + 1.0 } else { floor };
        // A remainder would take several times as long as all else.
        let is_even = || (floor * 0.5).floor() * 2.0 == floor;
        match self {
            HalfAwayFromZero => half(x > 0.0),
            HalfTowardsZero => half(x < 0.0),
            HalfUp => half(true),
            HalfDown => half(false),
            HalfToEven => half(!is_even()),
            HalfToOdd => half(is_even()),
            TowardsZero => x.trunc(),
            Up => x.ceil(),
            Down => floor,
        }
    }
    /// Returns `x / 2^shift`, rounded exactly. A negative shift multiplies.
    pub fn shift_right(self, x: i128, shift: i64) -> i128 {
        if shift <= 0 {
            return x.saturating_mul(1i128 << shift.saturating_neg().min(100));
        }
        let shift = shift.min(120);
        let floor = x >> shift;
        let (rest, half) = (x - (floor << shift), 1i128 << (shift - 1));
        let up = match self {
            HalfAwayFromZero => rest > half || (rest == half && x > 0),
            HalfTowardsZero => rest > half || (rest == half && x < 0),
            HalfUp => rest >= half,
            HalfDown => rest > half,
            HalfToEven => rest > half || (rest == half && floor & 1 == 1),
            HalfToOdd => rest > half || (rest == half && floor & 1 == 0),
            TowardsZero => rest > 0 && x < 0,
            Up => rest > 0,
            Down => false,
        };
        floor + i128::from(up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_of_any_size_are_taken() {
        assert_eq!(HalfUp.shift_right(3, i64::MAX), 0);
        assert_eq!(HalfUp.shift_right(1, i64::MIN), 1 << 100);
        assert_eq!(HalfUp.shift_right(i128::MIN, i64::MIN), i128::MIN);
    }

    #[test]
    fn halves_are_rounded_by_the_mode() {
        for (mode, expected) in [
            (HalfAwayFromZero, [-3, -2, -1, 1, 2, 3]),
            (HalfTowardsZero, [-2, -1, 0, 0, 1, 2]),
            (HalfUp, [-2, -1, 0, 1, 2, 3]),
            (HalfDown, [-3, -2, -1, 0, 1, 2]),
            (HalfToEven, [-2, -2, 0, 0, 2, 2]),
            (HalfToOdd, [-3, -1, -1, 1, 1, 3]),
            (TowardsZero, [-2, -1, 0, 0, 1, 2]),
            (Up, [-2, -1, 0, 1, 2, 3]),
            (Down, [-3, -2, -1, 0, 1, 2]),
        ] {
            for (i, want) in expected.into_iter().enumerate() {
                let twice = [-5, -3, -1, 1, 3, 5][i];
                assert_eq!(mode.shift_right(twice, 1), i128::from(want), "{mode:?} {twice}/2");
                assert_eq!(mode.round(twice as f64 / 2.0), f64::from(want), "{mode:?} {twice}/2");
                assert_eq!(mode.round(twice as f64), twice as f64);
            }
        }
    }
}
