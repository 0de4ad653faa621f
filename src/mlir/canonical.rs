//! Forms that only the modules of `tpuc-opt` have, read as those that ops have elsewhere.
use super::coefficient_form::{dtype_of_integers, first_alike};
use crate::{
    base::{Dtype, Result, Shape, invalid},
    graph::{Graph, NewResult, Tensor, TensorKind},
    ops::{Op, Reshape, Slice, Tile, slice_ranges},
};
use std::collections::{HashMap, HashSet};

/// Returns an operator of a module in its usual form.
///
/// # Errors
/// Returns an error if an operand is not of the graph.
pub(super) fn in_usual_form(graph: &mut Graph, op: Op<Tensor>, results: &[NewResult]) -> Result<Op<Tensor>> {
    let Some(result) = results.first().and_then(|r| r.shape.as_ref()) else { return Ok(op) };
    // Scalars of tpuc-opt have one axis.
    let one_axis = vec![1];
    let result = if result.is_empty() { &one_axis } else { result };
    Ok(match op {
        Op::Reshape(op) => with_shape(*op, result, graph)?.into(),
        Op::Tile(op) => with_counts(*op, result, graph)?.into(),
        Op::Slice(op) => with_ends(*op, result, graph)?.into(),
        Op::Conv(mut op) if is_widened(graph, op.input, op.filter, &op.kernel_shape, &op.pads)? => {
            op.filter = narrowed(graph, op.filter)?;
            op.pads = vec![op.pads[0], op.pads[2]];
            let lists = [Some(&mut op.kernel_shape), Some(&mut op.strides), op.dilations.as_mut(), op.inserts.as_mut()];
            lists.into_iter().flatten().for_each(|list| list.truncate(1));
            Op::Conv(op)
        }
        Op::Deconv(mut op)
            if matches!(op.output_padding.as_deref(), None | Some([_, 0]))
                && is_widened(graph, op.input, op.filter, &op.kernel_shape, &op.pads)? =>
        {
            op.filter = narrowed(graph, op.filter)?;
            let lists =
                [Some(&mut op.kernel_shape), Some(&mut op.strides), op.dilations.as_mut(), op.output_padding.as_mut()];
            lists.into_iter().flatten().for_each(|list| list.truncate(1));
            op.pads = vec![op.pads[0], op.pads[2]];
            Op::Deconv(op)
        }
        op if results.iter().all(|r| r.dtype.is_some_and(Dtype::is_int)) => with_constants_of_integers(op, graph)?,
        op => op,
    })
}

/// Makes integers of the constants among operands of integers, which tpulang writes as floats (`NAME_floats`).
fn with_constants_of_integers(op: Op<Tensor>, graph: &mut Graph) -> Result<Op<Tensor>> {
    let Some(first) = first_alike(&op) else { return Ok(op) };
    let alike: Vec<Tensor> = op.operand_list().into_iter().skip(first).flatten().copied().collect();
    let Some(dtype) = dtype_of_integers(graph, alike.iter().copied()) else { return Ok(op) };
    let mut integers: HashMap<Tensor, Tensor> = HashMap::new();
    for tensor in alike {
        if !integers.contains_key(&tensor)
            && let Some(made) = as_integers(graph, tensor, dtype)?
        {
            integers.insert(tensor, made);
        }
    }
    Ok(op.map(|t| integers.get(t).copied().unwrap_or(*t)))
}

/// Returns the coefficient of integers that a coefficient of floats was written for.
fn as_integers(graph: &mut Graph, floats: Tensor, dtype: Dtype) -> Result<Option<Tensor>> {
    let info = graph.tensor(floats)?;
    let TensorKind::Coefficient(data) = &info.kind else { return Ok(None) };
    if info.dtype != Dtype::Float32 || !info.name.ends_with("_floats") {
        return Ok(None);
    }
    let name = format!("{}_integers", info.name);
    if let Some(known) = graph.lookup(&name) {
        let known_info = graph.tensor(known)?;
        let is_same = known_info.repacked_from == Some(floats) && known_info.dtype == dtype;
        return Ok(is_same.then_some(known));
    }
    let integers = data.as_ref().map(|data| data.to_dtype(dtype)).transpose()?;
    if let (Some(data), Some(integers)) = (data, &integers)
        && data.to_f64()? != integers.to_f64()?
    {
        return Ok(None);
    }
    let shape = info.shape.clone();
    let made = graph.add_tensor(Some(&name), dtype, shape, TensorKind::Coefficient(integers))?;
    graph.change(made, |t| t.repacked_from = Some(floats));
    Ok(Some(made))
}

/// Some Reshapes have no attribute `shape`, and in others a 0 stands for a dimension that the input had before tpuc-opt rewrote it. Both
/// have the shape of their result.
fn with_shape(mut op: Reshape<Tensor>, result: &Shape, graph: &Graph) -> Result<Reshape<Tensor>> {
    let input = &graph.tensor(op.input)?.shape;
    let is_outdated = |shape: &Vec<i64>| {
        let mut kept = shape.iter().enumerate().filter(|(_, size)| **size == 0).map(|(axis, _)| axis);
        kept.any(|axis| input.get(axis) != result.get(axis))
    };
    if op.shapeT.is_none() && op.shape.as_ref().is_none_or(is_outdated) {
        op.shape = Some(result.iter().map(|&d| d as i64).collect());
    }
    Ok(op)
}

/// Some Tiles have no attribute `tile`, but the shape of their result.
fn with_counts(mut op: Tile<Tensor>, result: &Shape, graph: &Graph) -> Result<Tile<Tensor>> {
    let input = &graph.tensor(op.input)?.shape;
    if op.tile.is_none() && op.tileT.is_none() && result.len() == input.len() {
        op.tile = Some(input.iter().zip(result).map(|(from, to)| (to / from) as i64).collect());
    }
    Ok(op)
}

/// A slice that was merged with another has the ends of one of them, and the shape of both.
fn with_ends(mut op: Slice<Tensor>, result: &Shape, graph: &Graph) -> Result<Slice<Tensor>> {
    let input = &graph.tensor(op.input)?.shape;
    let counts = slice_ranges(input, &op).map(|ranges| ranges.into_iter().map(|range| range.count).collect());
    let given = if op.axes.is_empty() { op.offset.len() } else { op.axes.len() };
    let is_consistent = result.len() == input.len() && [op.offset.len(), op.steps.len(), op.ends.len()] == [given; 3];
    if !is_consistent || counts.is_ok_and(|counts: Shape| counts == *result) {
        return Ok(op);
    }
    for i in 0..given {
        let axis = op.axes.get(i).map_or(Some(i), |axis| usize::try_from(*axis).ok());
        let Some((&count, &size)) = axis.and_then(|axis| result.get(axis).zip(input.get(axis))) else { return Ok(op) };
        let (step, first) = (op.steps[i], op.offset[i]);
        let first = if first < 0 { first.saturating_add(size as i64).max(0) } else { first };
        if step > 0 {
            op.offset[i] = first;
            op.ends[i] = step.saturating_mul(count as i64 - 1).saturating_add(first).saturating_add(1);
        }
    }
    Ok(op)
}

/// Whether a convolution along one axis has the filter and the lists of one along two axes, the last of which is 1.
fn is_widened(graph: &Graph, input: Tensor, filter: Tensor, kernel_shape: &[i64], pads: &[i64]) -> Result<bool> {
    let (input, filter) = (graph.tensor(input)?, graph.tensor(filter)?);
    let is_one_wide = matches!(filter.shape.as_slice(), [_, _, _, 1]) && matches!(kernel_shape, [_, 1]);
    Ok(input.shape.len() == 3 && filter.is_coefficient() && is_one_wide && matches!(pads, [_, 0, _, 0]))
}

/// Returns a coefficient with the data of a filter, but without its last axis.
fn narrowed(graph: &mut Graph, filter: Tensor) -> Result<Tensor> {
    let info = graph.tensor(filter)?;
    let (dtype, mut shape) = (info.dtype, info.shape.clone());
    shape.pop();
    let TensorKind::Coefficient(data) = &info.kind else { return Ok(filter) };
    let data = data.as_ref().map(|data| data.reshaped(shape.as_slice())).transpose()?;
    let quantization = info.quantization.clone();
    let name = graph.free_name(&format!("{}_narrowed", info.name));
    let made = graph.add_tensor(Some(&name), dtype, shape, TensorKind::Coefficient(data))?;
    graph.change(made, |t| (t.quantization, t.repacked_from) = (quantization, Some(filter)));
    Ok(made)
}

/// Returns the outputs of a module, with a Reshape after each that is an input, a coefficient or repeated: an operator computes each
/// output of a graph, but tpuc-opt removes operators that change nothing, computes those of coefficients, and merges equal ones.
///
/// # Errors
/// Returns an error if a tensor is not of the graph.
pub(super) fn computed_outputs(graph: &mut Graph, returned: Vec<Tensor>) -> Result<Vec<Tensor>> {
    let mut seen = HashSet::new();
    let computed = returned.into_iter().map(|tensor| {
        let info = graph.tensor(tensor)?;
        if info.kind == TensorKind::Value && seen.insert(tensor) {
            return Ok(tensor);
        }
        let (name, shape) =
            (graph.free_name(&format!("{}_output", info.name)), info.shape.iter().map(|&d| d as i64).collect());
        let made = graph.op(Reshape { shape: Some(shape), ..Reshape::new(tensor) }).out_name(&name).call()?;
        made.first().copied().ok_or_else(|| invalid("a Reshape has no result"))
    });
    computed.collect()
}
