//! Type rules of elementwise mathematics. The result has the input's type.
use super::{
    Clip, LogB, Pow3,
    types::{Types, Value, broadcast_to_first, same},
};
use crate::base::argument;

/// Type rule of functions of one tensor whose attributes need no checks.
pub(super) fn unary(input: &Value) -> Types {
    same(input)
}

pub(super) fn log_b(op: &LogB<Value>) -> Types {
    if op.base < 2 {
        return Err(argument("base", op.base, "expected at least 2"));
    }
    same(&op.input)
}

pub(super) fn pow3(op: &Pow3<Value>) -> Types {
    broadcast_to_first(&op.inputs)
}

pub(super) fn clip(op: &Clip<Value>) -> Types {
    let (min, max) = (op.min, op.max);
    for (name, bound) in [("min", min), ("max", max)] {
        if bound.is_nan() {
            return Err(argument(name, "NaN", "expected a number"));
        }
    }
    if min > max {
        return Err(argument("max", format!("{max:?}"), format!("expected at least min, which is {min:?}")));
    }
    same(&op.inputs)
}
