//! Type rule of image normalization.
use super::{
    MeanStdScale,
    types::{Choice, Types, Value, one},
};
use crate::base::{Dtype, Result, argument, misfit};

const INPUTS: &[Dtype] = &[Dtype::Float32, Dtype::Float16, Dtype::Uint8, Dtype::Int8];
const RESULTS: &[Dtype] = &[Dtype::Float32, Dtype::Float16, Dtype::Int8];

/// Returns the input's shape: n, channels, and two or three spatial axes.
pub(super) fn mean_std_scale(op: &MeanStdScale<Value>) -> Types {
    let shape = op.input.shape;
    op.input.expect_dtype(INPUTS)?;
    if !(4..=5).contains(&shape.len()) || shape[1] > 9 {
        let expected = "expected 4 or 5 dimensions, of which the second has at most 9 channels";
        return Err(misfit(op.input.display_name, format!("is {}; {expected}", op.input.text())));
    }
    length("mean", &op.mean, shape[1], "one per channel")?;
    length("std", &op.std, shape[1], "one per channel")?;
    length("scale", &op.scale, 2, "of the input and of the output")?;
    length("zero_points", &op.zero_points, 2, "of the input and of the output")?;
    one(shape.to_vec(), Choice::OneOf(RESULTS))
}

fn length(name: &str, list: &[f64], expected: usize, of: &str) -> Result<()> {
    if list.len() == expected {
        return Ok(());
    }
    Err(argument(name, format!("a list of {}", list.len()), format!("expected {expected}, {of}")))
}
