//! Operators that only move elements work on stored integers: values that are dequantized, moved and quantized again as before are
//! moved as they are.
use super::{
    Rule,
    network::{Operation, TensorIndex},
    rewrite_graph::{Node, NodeIndex, RewriteGraph},
};
use crate::{ValueType, base::Result, ops::Op, quant::RoundMode};

/// Moves the integers themselves if the node at `at` quantizes what was dequantized with the same scale and zero point, and was only
/// moved since. Counted as [`Rule::Stored`].
///
/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn stored(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some((real, end)) = cast(graph, at) else { return Ok(false) };
    let Some(mover) = graph.single_use_producer(real) else { return Ok(false) };
    let Some([Operation { op, results, origin, .. }]) = graph.node(mover).map(|node| node.stages.as_slice()) else {
        return Ok(false);
    };
    let (Some(moved), [Some(_)], [Some(result)]) = (moved(op), results.as_slice(), end.results.as_slice()) else {
        return Ok(false);
    };
    let Some(start) = graph.producer(moved) else { return Ok(false) };
    let Some((source, _)) = cast(graph, start) else { return Ok(false) };
    let (from, to) = (&graph.entry(source)?.ty, &graph.entry(*result)?.ty);
    if !are_stored_alike(from, to) || !graph.entry(moved)?.ty.is_plain_float() || !graph.entry(real)?.ty.is_plain_float() {
        return Ok(false);
    }
    let stage = Operation { op: op.map(|_| source), results: end.results.clone(), origin: *origin, blocks: vec![] };
    let is_last_use = graph.single_use_producer(moved).is_some();
    graph.remove(mover);
    if is_last_use {
        graph.remove(start);
    }
    graph.replace(at, Node { stages: vec![stage] });
    Ok(true)
}

/// The operand of a node that is a cast to the nearest number, and the cast.
fn cast(graph: &RewriteGraph, at: NodeIndex) -> Option<(TensorIndex, Operation)> {
    let [stage] = graph.node(at)?.stages.as_slice() else { return None };
    let Op::Cast(op) = &stage.op else { return None };
    let is_nearest = !matches!(op.round_mode, RoundMode::TowardsZero | RoundMode::Up | RoundMode::Down);
    is_nearest.then(|| (op.input, stage.clone()))
}

/// The operand of an operator that moves all elements and does nothing else.
fn moved(op: &Op<TensorIndex>) -> Option<TensorIndex> {
    let is_mover =
        matches!(op, Op::Reshape(_) | Op::Squeeze(_) | Op::Unsqueeze(_) | Op::Flatten(_) | Op::View(_) | Op::Permute(_));
    let mut operands = op.operands();
    let (only, more) = (operands.next(), operands.next());
    only.filter(|_| is_mover && more.is_none()).map(|(_, t)| *t)
}

/// Whether two tensors of bytes have the same dtype, one scale and one zero point. Bytes less a zero point are few enough that
/// float32 tells their reals apart, so that they become the same bytes again.
fn are_stored_alike(a: &ValueType, b: &ValueType) -> bool {
    a.dtype == b.dtype && a.dtype.size() == 1 && a.per_tensor_scale().is_some() && a.per_tensor_scale() == b.per_tensor_scale()
}
