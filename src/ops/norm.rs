//! Types of normalisations: the input's. The coefficients have the elements that are normalised together.
use super::{
    BatchNorm, GroupNorm, InstanceNorm, LRN, LayerNorm, Normalize, PixelNorm, RMSNorm, Scale,
    types::{Types, Value, axis, same},
};
use crate::base::{Cause, argument, shape_text};

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

pub(super) fn group_norm(op: &GroupNorm<Value>) -> Types {
    let types = per_channel(&op.input, &[op.weight, op.bias])?;
    let (channels, groups) = (op.input.shape[1], op.num_groups);
    if groups < 1 || channels as i64 % groups != 0 {
        let expected = format!("it must divide the {channels} channels of {}", op.input.called);
        return Err(argument("num_groups", groups, expected));
    }
    Ok(types)
}

pub(super) fn instance_norm(op: &InstanceNorm<Value>) -> Types {
    per_channel(&op.input, &[op.weight, op.bias])
}

pub(super) fn pixel_norm(op: &PixelNorm<Value>) -> Types {
    per_channel(&op.input, &[op.weight, op.bias])
}

pub(super) fn normalize(op: &Normalize<Value>) -> Types {
    per_channel(&op.input, &[Some(op.scale)])
}

pub(super) fn lrn(op: &LRN<Value>) -> Types {
    if op.size < 1 {
        return Err(argument("size", op.size, "expected a number of channels, of at least 1"));
    }
    per_channel(&op.input, &[])
}

pub(super) fn rms_norm(op: &RMSNorm<Value>) -> Types {
    let Some(&row) = op.input.shape.last() else {
        return Err(Cause::Rank { argument: op.input.called.into(), found: 0, expected: "at least 1".into() }.into());
    };
    op.gamma.iter().try_for_each(|g| g.expect_elements(row, "one for each entry of the last axis"))?;
    same(&op.input)
}

pub(super) fn layer_norm(op: &LayerNorm<Value>) -> Types {
    let shape = op.input.shape;
    let normalised = &shape[axis("axis", op.axis, shape.len())?..];
    let count = normalised.iter().product();
    let of_what = format!("those of {}", shape_text(normalised));
    [op.weight, op.bias].iter().flatten().try_for_each(|c| c.expect_elements(count, &of_what))?;
    same(&op.input)
}
