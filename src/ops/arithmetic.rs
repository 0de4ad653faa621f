//! Type rules of elementwise arithmetic: shapes are broadcast, floats keep their dtype.
use super::{
    Add, Div, Max, Min, Mod, Mul, Remainder, Sub,
    types::{Types, Value, broadcast, broadcast_to_first, computed, of_dtype, one, pair},
};
use crate::base::invalid;

impl<V> Add<V> {
    /// Whether the operands are added as they are: no coefficient is other than 1.
    pub fn has_unit_coefficients(&self) -> bool {
        self.coeff.iter().flatten().all(|c| *c == 1.0)
    }
}

pub(super) fn add(op: &Add<Value>) -> Types {
    tensors(&op.inputs)
}

pub(super) fn sub(op: &Sub<Value>) -> Types {
    tensors(&op.inputs)
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
