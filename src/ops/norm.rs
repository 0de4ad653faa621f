//! Type rules of normalizations. The result has the input's type; coefficients have one element per normalized element.
use super::{
    BatchNorm, GroupNorm, InstanceNorm, LRN, LayerNorm, Normalize, PixelNorm, RMSNorm, Scale,
    types::{Types, Value, axis, channels, same},
};
use crate::{
    array::Array,
    base::{Cause, Result, argument, shape_text},
};

pub(super) fn batch_norm(op: &BatchNorm<Value>) -> Types {
    check_variance(&op.variance, op.epsilon)?;
    per_channel(&op.input, &[Some(op.mean), Some(op.variance), op.gamma, op.beta])
}

/// Rejects a variance whose square root is NaN. Unreadable data are reported when they are used.
fn check_variance(variance: &Value, epsilon: f64) -> Result<()> {
    let values = variance.data.map(Array::to_f32).and_then(Result::ok).unwrap_or_default();
    match values.iter().position(|v| f64::from(*v) + epsilon < 0.0) {
        Some(i) => {
            let expected = "a variance is not negative; are mean and variance swapped?";
            Err(argument(format!("{}[{i}]", variance.display_name), values[i], expected))
        }
        None => Ok(()),
    }
}

pub(super) fn scale(op: &Scale<Value>) -> Types {
    per_channel(&op.input, &[Some(op.scale), Some(op.bias)])
}

/// Checks that each coefficient has one element per channel (axis 1).
fn per_channel(input: &Value, coefficients: &[Option<Value>]) -> Types {
    let count = channels(input)?;
    coefficients.iter().flatten().try_for_each(|c| c.expect_elements(count, "one per channel"))?;
    same(input)
}

pub(super) fn group_norm(op: &GroupNorm<Value>) -> Types {
    let types = per_channel(&op.input, &[op.weight, op.bias])?;
    let (channels, groups) = (op.input.shape[1], op.num_groups);
    if groups < 1 || channels as i64 % groups != 0 {
        let expected = format!("it must divide the {channels} channels of {}", op.input.display_name);
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
        return Err(
            Cause::Rank { argument: op.input.display_name.into(), found: 0, expected: "at least 1".into() }.into()
        );
    };
    op.gamma.iter().try_for_each(|g| g.expect_elements(row, "one for each entry of the last axis"))?;
    same(&op.input)
}

pub(super) fn layer_norm(op: &LayerNorm<Value>) -> Types {
    let shape = op.input.shape;
    let normalized = &shape[axis("axis", op.axis, shape.len())?..];
    let count = normalized.iter().product();
    let of_what = match normalized {
        [_] => "one for each entry of the normalized axis".to_owned(),
        _ => format!("those of {}", shape_text(normalized)),
    };
    [op.weight, op.bias].iter().flatten().try_for_each(|c| c.expect_elements(count, &of_what))?;
    same(&op.input)
}
