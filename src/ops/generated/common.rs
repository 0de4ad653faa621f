// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of SAME_UPPER, SAME_LOWER, NOTSET, VALID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum AutoPad {
    SAMEUPPER,
    SAMELOWER,
    NOTSET,
    VALID,
}
impl AutoPad {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            AutoPad::SAMEUPPER => "SAME_UPPER",
            AutoPad::SAMELOWER => "SAME_LOWER",
            AutoPad::NOTSET => "NOTSET",
            AutoPad::VALID => "VALID",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "SAME_UPPER" => AutoPad::SAMEUPPER,
                "SAME_LOWER" => AutoPad::SAMELOWER,
                "NOTSET" => AutoPad::NOTSET,
                "VALID" => AutoPad::VALID,
                _ => return None,
            },
        )
    }
}
one_of!(AutoPad);
/// A string attribute: one of NONE, F16, BF16, INT8, INT4, F8E4M3, F4, MXF4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DequantType {
    NONE,
    F16,
    BF16,
    INT8,
    INT4,
    F8E4M3,
    F4,
    MXF4,
}
impl DequantType {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            DequantType::NONE => "NONE",
            DequantType::F16 => "F16",
            DequantType::BF16 => "BF16",
            DequantType::INT8 => "INT8",
            DequantType::INT4 => "INT4",
            DequantType::F8E4M3 => "F8E4M3",
            DequantType::F4 => "F4",
            DequantType::MXF4 => "MXF4",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "NONE" => DequantType::NONE,
                "F16" => DequantType::F16,
                "BF16" => DequantType::BF16,
                "INT8" => DequantType::INT8,
                "INT4" => DequantType::INT4,
                "F8E4M3" => DequantType::F8E4M3,
                "F4" => DequantType::F4,
                "MXF4" => DequantType::MXF4,
                _ => return None,
            },
        )
    }
}
one_of!(DequantType);
