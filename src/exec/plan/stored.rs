//! Operators that only move elements work on stored integers: values that are dequantized, moved and quantized again as before are
//! moved as they are.
use super::{
    network::{Operation, TensorIndex},
    rewrite_graph::{Node, NodeIndex, RewriteGraph},
};
use crate::{
    ValueType,
    base::{Dtype, Result},
    ops::Op,
    quant::RoundMode,
};

/// Maximum number of operators between a dequantization and a quantization: each quantization looks at all of them.
const MOVERS: usize = 8;

/// Moves the integers themselves if the node at `at` quantizes what was dequantized with the same scale and zero point, and was only
/// moved since.
///
/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn stored(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some((mut real, end)) = cast(graph, at) else { return Ok(false) };
    // The last one first.
    let mut movers: Vec<(NodeIndex, Operation)> = Vec::new();
    while let Some((mover, operation)) = graph.single_use_producer(real).and_then(|n| Some((n, moved(graph, n)?))) {
        let Some((_, operand)) = operation.op.operands().next() else { return Ok(false) };
        if movers.len() == MOVERS || !graph.entry(real)?.ty.is_plain_float() {
            return Ok(false);
        }
        real = *operand;
        movers.push((mover, operation));
    }
    let (Some(start), [Some(result)]) = (graph.producer(real), end.results.as_slice()) else { return Ok(false) };
    let Some((source, _)) = cast(graph, start).filter(|_| !movers.is_empty()) else { return Ok(false) };
    let ty = graph.entry(source)?.ty.clone();
    if !are_stored_alike(&ty, &graph.entry(*result)?.ty) || !graph.entry(real)?.ty.is_plain_float() {
        return Ok(false);
    }
    let is_last_use = graph.single_use_producer(real).is_some();
    let mut stored = source;
    for (i, (mover, Operation { op, results, origin, .. })) in movers.into_iter().enumerate().rev() {
        let [Some(moved)] = results.as_slice() else { return Ok(false) };
        let ValueType { name, shape, .. } = graph.entry(*moved)?.ty.clone();
        let (place, to) = match i {
            0 => (at, *result),
            _ => (mover, graph.add(ValueType { name, shape, ..ty.clone() }, None)),
        };
        graph.remove(mover);
        graph.replace(place, Node { stages: vec![Operation::new(op.map(|_| stored), vec![Some(to)], origin)] });
        stored = to;
    }
    if is_last_use {
        graph.remove(start);
    }
    Ok(true)
}

/// The operand of a node that is a cast to the nearest number, and the cast.
fn cast(graph: &RewriteGraph, at: NodeIndex) -> Option<(TensorIndex, Operation)> {
    let [stage] = graph.node(at)?.stages.as_slice() else { return None };
    let Op::Cast(op) = &stage.op else { return None };
    let is_nearest = !matches!(op.round_mode, RoundMode::TowardsZero | RoundMode::Up | RoundMode::Down);
    is_nearest.then(|| (op.input, stage.clone()))
}

/// A node that moves all elements of its only operand to its only result, and does nothing else.
fn moved(graph: &RewriteGraph, at: NodeIndex) -> Option<Operation> {
    let [stage] = graph.node(at)?.stages.as_slice() else { return None };
    let is_mover = matches!(
        stage.op,
        Op::Reshape(_) | Op::Squeeze(_) | Op::Unsqueeze(_) | Op::Flatten(_) | Op::View(_) | Op::Permute(_)
    );
    let moves_one = stage.op.operands().count() == 1 && matches!(stage.results.as_slice(), [Some(_)]);
    (is_mover && moves_one).then(|| stage.clone())
}

/// Whether two tensors of bytes have the same dtype, one scale and one zero point. A byte less its zero point has at most 511 values,
/// whose reals are distinct in float32 unless they are denormal or infinite, so quantizing them restores the same byte.
fn are_stored_alike(a: &ValueType, b: &ValueType) -> bool {
    a.dtype == b.dtype
        && matches!(a.dtype, Dtype::Int8 | Dtype::Uint8)
        && a.per_tensor_scale().is_some_and(|(scale, _)| (1e-37..1e35).contains(&scale))
        && a.per_tensor_scale() == b.per_tensor_scale()
}
