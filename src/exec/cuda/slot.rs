//! Arguments of a launch: memory slots, which each run resolves to addresses, and numbers.
use super::device::KernelValue;
use crate::{
    base::{Result, invalid},
    exec::Operand,
};

/// Memory that a launch reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// An operand, by [`Operand::index`].
    Operand(usize),
    Result(usize),
    Temporary(usize),
    Constant(usize),
    /// The program's record of indices out of range.
    Faults,
}

impl Slot {
    /// Returns the slot of an operand's stored elements.
    ///
    /// # Errors
    /// Returns an error if the operand is the result of the preceding fused operator.
    pub fn of(operand: &Operand) -> Result<Slot> {
        operand.index().map(Slot::Operand).ok_or_else(|| invalid("internal error: a fused operand has no memory"))
    }
}

/// An argument of a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Argument {
    Slot(Slot),
    Number(KernelValue),
}

impl From<Slot> for Argument {
    fn from(slot: Slot) -> Self {
        Argument::Slot(slot)
    }
}
impl From<usize> for Argument {
    fn from(n: usize) -> Self {
        Argument::Number(KernelValue::Int(n as i64))
    }
}
impl From<i64> for Argument {
    fn from(n: i64) -> Self {
        Argument::Number(KernelValue::Int(n))
    }
}
impl From<bool> for Argument {
    fn from(b: bool) -> Self {
        Argument::Number(KernelValue::Int(b.into()))
    }
}
impl From<f32> for Argument {
    fn from(x: f32) -> Self {
        Argument::Number(KernelValue::Float(x))
    }
}
impl From<f64> for Argument {
    fn from(x: f64) -> Self {
        Argument::Number(KernelValue::Double(x))
    }
}
