//! Type rules of elementwise arithmetic: shapes are broadcast, floats keep their dtype.
use super::{
    Add, Div, Max, Min, Mod, Mul, Remainder, Sub,
    types::{Types, Value, broadcast, broadcast_to_first, computed, of_dtype, one, pair},
};
use crate::base::{Result, argument, invalid};

impl<V> Add<V> {
    /// Whether the operands are added as they are: no coefficient is other than 1.
    pub fn has_unit_coefficients(&self) -> bool {
        self.coeff.iter().flatten().all(|c| *c == 1.0)
    }
}

pub(super) fn add(op: &Add<Value>) -> Types {
    check_coefficients(&op.coeff, &op.inputs)?;
    tensors(&op.inputs)
}

pub(super) fn sub(op: &Sub<Value>) -> Types {
    check_coefficients(&op.coeff, &op.inputs)?;
    tensors(&op.inputs)
}

/// Checks that each operand has a coefficient; an empty list is none.
fn check_coefficients(coeff: &Option<Vec<f64>>, inputs: &[Value]) -> Result<()> {
    match coeff {
        Some(given) if !given.is_empty() && given.len() != inputs.len() => {
            let expected = format!("expected {} numbers, one for each operand", inputs.len());
            Err(argument("coeff", format!("{given:?}"), expected))
        }
        _ => Ok(()),
    }
}

pub(super) fn mul(op: &Mul<Value>) -> Types {
    tensors(&op.inputs)
}

pub(super) fn div(op: &Div<Value>) -> Types {
    tensors(&op.inputs)
}

pub(super) fn max(op: &Max<Value>) -> Types {
    tensors(&op.inputs)
}

pub(super) fn min(op: &Min<Value>) -> Types {
    tensors(&op.inputs)
}

pub(super) fn modulo(op: &Mod<Value>) -> Types {
    let [a, b] = pair(&op.inputs)?;
    of_dtype(broadcast(a.shape, b.shape)?, a)
}

pub(super) fn remainder(op: &Remainder<Value>) -> Types {
    broadcast_to_first(&op.inputs)
}

/// Type rule of functions of a tensor and a number.
pub(super) fn constant(input: &Value) -> Types {
    one(input.shape.to_vec(), computed(input))
}

fn tensors(inputs: &[Value]) -> Types {
    let [first, rest @ ..] = inputs else {
        return Err(invalid("it has no operands; expected at least two"));
    };
    if rest.is_empty() {
        return Err(invalid("it has one operand; expected at least two"));
    }
    let mut shape = first.shape.to_vec();
    for other in rest {
        shape = broadcast(&shape, other.shape)?;
    }
    let float = inputs.iter().find(|v| v.dtype.is_float());
    one(shape, computed(float.unwrap_or(first)))
}
