//! Types of elementwise functions of one tensor, and of softmax: the input's.
use super::{
    Abs, GELU, LeakyRelu, Relu, Sigmoid, Softmax, Tanh,
    types::{Types, Value, axis, same},
};

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
