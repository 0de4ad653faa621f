//! Type rules of elementwise functions of one tensor and of softmax. The result has the input's type.
use super::{
    Abs, GELU, LeakyRelu, PRelu, Relu, Sigmoid, Softmax, Tanh,
    types::{Types, Value, axis, broadcast, same},
};
use crate::base::{misfit, shape_text};

/// Type rule of functions of one tensor whose attributes need no checks.
pub(super) fn unary(input: &Value) -> Types {
    same(input)
}

pub(super) fn abs(op: &Abs<Value>) -> Types {
    same(&op.input)
}

pub(super) fn relu(op: &Relu<Value>) -> Types {
    same(&op.input)
}

pub(super) fn leaky_relu(op: &LeakyRelu<Value>) -> Types {
    same(&op.input)
}

pub(super) fn sigmoid(op: &Sigmoid<Value>) -> Types {
    same(&op.input)
}

pub(super) fn tanh(op: &Tanh<Value>) -> Types {
    same(&op.input)
}

pub(super) fn gelu(op: &GELU<Value>) -> Types {
    same(&op.input)
}

pub(super) fn softmax(op: &Softmax<Value>) -> Types {
    axis("axis", op.axis, op.input.shape.len())?;
    same(&op.input)
}

/// Accepts a single slope, one per channel, or a shape that broadcasts to the input.
pub(super) fn prelu(op: &PRelu<Value>) -> Types {
    let (input, slope) = (op.input.shape, op.slope.shape);
    let fits = match (slope, input) {
        ([1], _) => true,
        ([n], [_, channels, ..]) => n == channels,
        _ => broadcast(input, slope).is_ok_and(|shape| shape == input),
    };
    if !fits {
        let expected = match input {
            [_, channels, ..] => format!("1 or {channels} elements (channels, axis 1), or a shape"),
            _ => "a shape".to_owned(),
        };
        let (found, input) = (shape_text(slope), shape_text(input));
        return Err(misfit(
            op.slope.display_name,
            format!("is {found}; expected {expected} that broadcasts to {input}"),
        ));
    }
    same(&op.input)
}
