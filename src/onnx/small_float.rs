//! Floats of 8 bits or fewer. Networks are computed in float32; what is converted to these types is rounded as they would be.

/// A type of floats with a sign bit, some bits of exponent, and some of mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallFloat {
    E4m3fn,
    E4m3fnuz,
    E5m2,
    E5m2fnuz,
    E2m1,
}

/// What becomes of numbers that are too large, unless they saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    Nan,
    Infinity,
    Saturates,
}

impl SmallFloat {
    /// Returns the type with a number of `TensorProto.DataType`.
    pub fn of(data_type: i32) -> Option<SmallFloat> {
        Some(match data_type {
            17 => SmallFloat::E4m3fn,
            18 => SmallFloat::E4m3fnuz,
            19 => SmallFloat::E5m2,
            20 => SmallFloat::E5m2fnuz,
            23 => SmallFloat::E2m1,
            _ => return None,
        })
    }
    /// Returns the number of bits of an element.
    pub fn bits(self) -> u32 {
        if self == SmallFloat::E2m1 { 4 } else { 8 }
    }
    /// Returns the number of bits of the mantissa.
    pub fn mantissa(self) -> i32 {
        match self {
            SmallFloat::E4m3fn | SmallFloat::E4m3fnuz => 3,
            SmallFloat::E5m2 | SmallFloat::E5m2fnuz => 2,
            SmallFloat::E2m1 => 1,
        }
    }
    /// Returns the exponent of the smallest normal number.
    pub fn least_exponent(self) -> i32 {
        match self {
            SmallFloat::E4m3fn => -6,
            SmallFloat::E4m3fnuz => -7,
            SmallFloat::E5m2 => -14,
            SmallFloat::E5m2fnuz => -15,
            SmallFloat::E2m1 => 0,
        }
    }
    pub fn largest(self) -> f64 {
        match self {
            SmallFloat::E4m3fn => 448.0,
            SmallFloat::E4m3fnuz => 240.0,
            SmallFloat::E5m2 | SmallFloat::E5m2fnuz => 57344.0,
            SmallFloat::E2m1 => 6.0,
        }
    }
    pub fn overflow(self) -> Overflow {
        match self {
            SmallFloat::E5m2 => Overflow::Infinity,
            SmallFloat::E2m1 => Overflow::Saturates,
            SmallFloat::E4m3fn | SmallFloat::E4m3fnuz | SmallFloat::E5m2fnuz => Overflow::Nan,
        }
    }
    /// Returns the number that the bits of an element stand for.
    pub fn decoded(self, code: u8) -> f64 {
        let sign_bit = 1u8 << (self.bits() - 1);
        let magnitude = code & (sign_bit - 1);
        let has_no_negative_zero = matches!(self, SmallFloat::E4m3fnuz | SmallFloat::E5m2fnuz);
        let (exponent, rest) = (i32::from(magnitude >> self.mantissa()), magnitude & ((1 << self.mantissa()) - 1));
        let fraction = f64::from(rest) / f64::from(1 << self.mantissa());
        let value = match exponent {
            0 => fraction * f64::from(self.least_exponent()).exp2(),
            _ => (1.0 + fraction) * f64::from(self.least_exponent() + exponent - 1).exp2(),
        };
        let value = match (value > self.largest(), self.overflow()) {
            (true, Overflow::Infinity) if rest == 0 => f64::INFINITY,
            (true, _) => f64::NAN,
            (false, _) => value,
        };
        match code & sign_bit != 0 {
            true if has_no_negative_zero && magnitude == 0 => f64::NAN,
            true => -value,
            false => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SmallFloat::{self, E2m1, E4m3fn, E4m3fnuz, E5m2, E5m2fnuz};

    /// Values of the tables in ONNX's documents.
    #[test]
    fn bits_are_decoded() {
        let is = |kind: SmallFloat, code, value: f64| {
            let found = kind.decoded(code);
            assert!(found == value || (found.is_nan() && value.is_nan()), "{kind:?} {code:#x}: {found}");
        };
        for (code, value) in [(0x01, 2f64.powi(-9)), (0x7e, 448.0), (0x7f, f64::NAN), (0xfe, -448.0), (0x38, 1.0)] {
            is(E4m3fn, code, value);
        }
        for (code, value) in [(0x7b, 57344.0), (0x7c, f64::INFINITY), (0xfc, f64::NEG_INFINITY), (0x7d, f64::NAN)] {
            is(E5m2, code, value);
        }
        for (code, value) in [(0x7f, 240.0), (0x80, f64::NAN), (0x01, 2f64.powi(-10))] {
            is(E4m3fnuz, code, value);
        }
        for (code, value) in [(0x7f, 57344.0), (0x80, f64::NAN), (0x01, 2f64.powi(-17))] {
            is(E5m2fnuz, code, value);
        }
        let all: Vec<f64> = (0..8).map(|code| E2m1.decoded(code)).collect();
        assert_eq!(all, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
    }
}
