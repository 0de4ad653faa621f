use std::str::FromStr;

/// How a fraction is rounded to an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

/// The dialect's name and TpuLang's argument of each mode.
const NAMES: [(RoundMode, &str, &str); 9] = [
    (HalfAwayFromZero, "HalfAwayFromZero", "half_away_from_zero"),
    (HalfUp, "HalfUp", "half_up"),
    (HalfDown, "HalfDown", "half_down"),
    (HalfToEven, "HalfToEven", "half_to_even"),
    (HalfToOdd, "HalfToOdd", "half_to_odd"),
    (HalfTowardsZero, "HalfTowardsZero", "half_towards_zero"),
    (TowardsZero, "TowardsZero", "towards_zero"),
    (Up, "Up", "up"),
    (Down, "Down", "down"),
];

impl RoundMode {
    /// The modes that functions accept, by TpuLang's names.
    pub const ARGUMENTS: [&'static str; 7] =
        ["half_away_from_zero", "half_up", "half_down", "half_to_even", "towards_zero", "up", "down"];

    /// The name in the Top dialect.
    pub fn attribute(self) -> &'static str {
        NAMES.iter().find(|n| n.0 == self).map_or("", |n| n.1)
    }
    /// From TpuLang's name: `half_up`.
    pub fn from_argument(name: &str) -> Option<Self> {
        NAMES.iter().find(|n| n.2 == name && Self::ARGUMENTS.contains(&name)).map(|n| n.0)
    }
    /// `x` rounded.
    pub fn round(self, x: f64) -> f64 {
        let (floor, fraction) = (x.floor(), x - x.floor());
        let half = |up: bool| if fraction > 0.5 || (fraction == 0.5 && up) { floor + 1.0 } else { floor };
        match self {
            HalfAwayFromZero => half(x > 0.0),
            HalfTowardsZero => half(x < 0.0),
            HalfUp => half(true),
            HalfDown => half(false),
            HalfToEven => half(floor.rem_euclid(2.0) != 0.0),
            HalfToOdd => half(floor.rem_euclid(2.0) == 0.0),
            TowardsZero => x.trunc(),
            Up => x.ceil(),
            Down => floor,
        }
    }
    /// `x / 2^shift` rounded, exactly; a negative shift multiplies.
    pub fn shift_right(self, x: i128, shift: i64) -> i128 {
        if shift <= 0 {
            return x.saturating_mul(1i128 << (-shift).min(100));
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

impl FromStr for RoundMode {
    type Err = ();
    /// From the dialect's name.
    fn from_str(name: &str) -> Result<Self, ()> {
        NAMES.iter().find(|n| n.1 == name).map(|n| n.0).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_where_the_mode_says() {
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
