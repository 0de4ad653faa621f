//! Tensors computed from shapes and numbers.
use super::{
    builder::Builder,
    formula::{Formula, Input},
};
use crate::{
    base::Result,
    exec::{
        Operand, ValueType,
        views::{View, axis_of},
    },
    ops::{ConstantFill, MeshGrid, Shape, Size, selected_dimensions},
};

/// Computes each element from its index `i`, exactly for plain integers.
fn fill(inputs: Vec<Input>, expression: &str) -> Formula {
    Formula::double(inputs, expression)
}

/// A result of known values.
fn listed(numbers: &[f64]) -> Formula {
    fill(vec![Input::of_axis(numbers, &[numbers.len()], 0)], "x")
}

pub(super) fn shape(op: &Shape<Operand>) -> Result<Formula> {
    let dims: Vec<f64> = selected_dimensions(&op.input.ty.shape, op)?.into_iter().map(|d| d as f64).collect();
    Ok(listed(&dims))
}

pub(super) fn size(op: &Size<Operand>, result: &ValueType) -> Formula {
    let dims = &op.input.ty.shape;
    let first = op.axis.map_or(0, |a| axis_of(a, dims.len()));
    let dims: Vec<f64> = dims.iter().skip(first).take(result.elements()).map(|d| *d as f64).collect();
    listed(&dims)
}

pub(super) fn constant_fill(op: &ConstantFill<Operand>) -> Formula {
    fill(Vec::new(), "k0").numbers([op.value])
}

/// `start + i * step`. The operands' first elements are used; absent operands default to 0 and 1.
pub(super) fn range(start: &Option<Operand>, step: &Option<Operand>) -> Formula {
    let mut inputs = Vec::new();
    let mut number = |operand: &Option<Operand>, otherwise: &str| match operand {
        Some(operand) => {
            inputs.push(Input::of(operand).in_doubles().shaped(Vec::new()));
            super::formula::name(inputs.len() - 1)
        }
        None => otherwise.to_owned(),
    };
    let expression = format!("{} + (double)i * {}", number(start, "0"), number(step, "1"));
    fill(inputs, &expression)
}

pub(super) fn mesh_grid(op: &MeshGrid<Operand>, b: &mut Builder) -> Result<()> {
    let n = op.inputs.len();
    for (i, input) in op.inputs.iter().enumerate() {
        let axis = if op.is_reverse { n - 1 - i } else { i };
        let view = View::along(&b.result_type(i)?.shape, axis);
        super::layout::copy_view(input, i, view, b)?;
    }
    Ok(())
}
