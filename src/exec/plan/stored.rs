//! Operators that only move elements work on stored integers: values that are dequantized, moved and quantized again as before are
//! moved as they are, and rows of a dequantized table are dequantized after they are gathered.
use super::{
    network::{Operation, TensorIndex},
    rewrite_graph::{Node, NodeIndex, RewriteGraph},
};
use crate::{
    Precision, ValueType,
    base::{Dtype, Result},
    ops::{Cast, Op},
    quant::{Quantization, RoundMode},
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

/// Gathers stored integers if the table is constant reals that they stand for, and dequantizes what was gathered: the reals of the
/// whole table would take four times the memory. Returns the number of operators.
///
/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn gather(graph: &mut RewriteGraph) -> Result<usize> {
    let (mut nodes, mut times) = (Vec::new(), 0);
    for at in graph.indices() {
        let Some(node) = graph.node(at).cloned() else { continue };
        match gather_and_cast(graph, &node)? {
            Some(both) => {
                nodes.extend(both);
                times += 1;
            }
            None => nodes.push(node),
        }
    }
    if times > 0 {
        graph.rebuild(nodes);
    }
    Ok(times)
}

fn gather_and_cast(graph: &mut RewriteGraph, node: &Node) -> Result<Option<[Node; 2]>> {
    let [Operation { op: Op::Gather(op), results, origin, .. }] = node.stages.as_slice() else { return Ok(None) };
    let ([Some(result)], Some(reals)) = (results.as_slice(), graph.constant(op.input)) else { return Ok(None) };
    let Some((stored, scale, zero_point)) = reals.dequantized_from() else { return Ok(None) };
    let (table, ty) = (graph.entry(op.input)?.ty.clone(), graph.entry(*result)?.ty.clone());
    let is_float32 =
        |ty: &ValueType| ty.is_plain_float() && ty.dtype == Dtype::Float32 && ty.precision == Precision::F32;
    // The kernel multiplies by the scale as float32.
    let is_exact = f64::from(scale as f32) == scale && (-256..=256).contains(&zero_point);
    let is_byte = matches!(stored.dtype(), Dtype::Int8 | Dtype::Uint8);
    if !is_exact || !is_byte || !is_float32(&table) || !is_float32(&ty) {
        return Ok(None);
    }
    let quantized = |ty: ValueType| ValueType {
        dtype: stored.dtype(),
        quantization: Some(Quantization::per_tensor(scale, zero_point)),
        ..ty
    };
    let gathered = graph.add(quantized(ty), None);
    let input = graph.add(quantized(table), Some(stored.clone()));
    let mut gather = (**op).clone();
    gather.input = input;
    let node = |op: Op<TensorIndex>, result| Node { stages: vec![Operation::new(op, vec![Some(result)], *origin)] };
    Ok(Some([node(gather.into(), gathered), node(Cast::new(gathered).into(), *result)]))
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
