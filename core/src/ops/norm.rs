//! Types of normalisations: the input's. The coefficients have the elements that are normalised together.
use super::{
    BatchNorm, LayerNorm, Scale,
    types::{Types, Value, axis, same},
};
use crate::base::{Cause, shape_text};

pub(super) fn batch_norm(op: &BatchNorm<Value>) -> Types {
    per_channel(&op.input, &[Some(op.mean), Some(op.variance), op.gamma, op.beta])
}

pub(super) fn scale(op: &Scale<Value>) -> Types {
    per_channel(&op.input, &[Some(op.scale), Some(op.bias)])
}

/// Each coefficient has one element a channel (axis 1).
fn per_channel(input: &Value, coefficients: &[Option<Value>]) -> Types {
    let Some(&channels) = input.shape.get(1) else {
        let (found, expected) = (input.shape.len(), "n x c x .., at least 2".into());
        return Err(Cause::Rank { argument: input.called.into(), found, expected }.into());
    };
    coefficients.iter().flatten().try_for_each(|c| c.expect_elements(channels, "one a channel"))?;
    same(input)
}

pub(super) fn layer_norm(op: &LayerNorm<Value>) -> Types {
    let shape = op.input.shape;
    let normalised = &shape[axis("axis", op.axis, shape.len())?..];
    let count = normalised.iter().product();
    let of_what = format!("those of {}", shape_text(normalised));
    [op.weight, op.bias].iter().flatten().try_for_each(|c| c.expect_elements(count, &of_what))?;
    same(&op.input)
}
