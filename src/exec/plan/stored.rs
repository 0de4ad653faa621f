//! Operators that only move elements work on stored integers: values that are dequantized, moved and quantized again as before are
//! moved as they are, bytes that are dequantized, concatenated and quantized are concatenated, and rows of a dequantized table are
//! dequantized after they are gathered.
use super::{
    network::{Operation, TensorEntry, TensorIndex},
    quantized::as_cast,
    rewrite_graph::{Node, NodeIndex, RewriteGraph},
    rules::Capabilities,
};
use crate::{
    ValueType,
    array::Array,
    base::{Dtype, Result},
    ops::{Cast, Concat, Gather, Op},
    quant::Quantization,
};
use std::collections::BTreeMap;

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

/// Concatenates the integers themselves if the node at `at` quantizes what was dequantized and concatenated.
///
/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn concatenated(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some((real, Operation { op: Op::Cast(end), results, origin, .. })) = cast(graph, at) else { return Ok(false) };
    let (Some(joint), [Some(result)]) = (graph.single_use_producer(real), results.as_slice()) else { return Ok(false) };
    let Some(Operation { op: Op::Concat(op), .. }) = graph.only_operation(joint) else { return Ok(false) };
    let op = op.clone();
    let dtype = graph.entry(*result)?.ty.dtype;
    let has_one_scale = |t: TensorIndex| {
        let is_alike = |ty: &ValueType| ty.dtype == dtype && dtype.size() == 1 && ty.per_tensor_scale().is_some();
        graph.entry(t).is_ok_and(|entry| is_alike(&entry.ty))
    };
    let is_plain = |t: TensorIndex| graph.entry(t).is_ok_and(|entry| entry.ty.is_plain_float32());
    let bytes = |real: &TensorIndex| {
        let start = graph.producer(*real).filter(|_| is_plain(*real))?;
        cast(graph, start).map(|(bytes, _)| bytes).filter(|t| has_one_scale(*t))
    };
    let inputs: Option<Vec<TensorIndex>> = op.inputs.iter().map(bytes).collect();
    // Without a scale, the result has the integers of the reals rather than those of the operands.
    let has_scale = graph.entry(*result)?.ty.quantization.is_some() && has_one_scale(*result);
    let Some(inputs) = inputs.filter(|_| !op.do_relu && is_plain(real) && has_scale) else {
        return Ok(false);
    };
    let reals = op.inputs.clone();
    let op: Op<TensorIndex> = Concat { inputs, round_mode: end.round_mode, ..*op }.into();
    graph.remove(joint);
    graph.replace(at, Node { stages: vec![Operation::new(op, results, origin)] });
    for real in reals {
        if graph.uses(real) == 0 && !graph.is_pinned(real) {
            graph.producer(real).into_iter().for_each(|start| graph.remove(start));
        }
    }
    Ok(true)
}

/// Gathers stored integers if the table is a constant that was dequantized from bytes, and dequantizes what was gathered: the reals of
/// the whole table would take four times the memory. Returns how many operators were rewritten.
///
/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn gather(graph: &mut RewriteGraph, backend: &Capabilities) -> Result<usize> {
    let mut gathers: BTreeMap<TensorIndex, Vec<(NodeIndex, Operation)>> = BTreeMap::new();
    for at in graph.indices().filter(|_| backend.can_fuse_any()) {
        if let Some(operation @ Operation { op: Op::Gather(op), .. }) = graph.only_operation(at) {
            gathers.entry(op.input).or_default().push((at, operation.clone()));
        }
    }
    let (mut times, mut replaced) = (0, Vec::new());
    for (reals, gathers) in gathers {
        let results = || gathers.iter().filter_map(|(_, operation)| operation.results.first().copied().flatten());
        let are_float32 =
            results().chain([reals]).all(|t| graph.entry(t).is_ok_and(|entry| entry.ty.is_plain_float32()));
        // Otherwise the reals are needed, too.
        let is_only_gathered = graph.uses(reals) == gathers.len() && !graph.is_pinned(reals);
        let Some(stored) = bytes_of(graph, reals).filter(|_| are_float32 && is_only_gathered) else { continue };
        let bytes = stored.as_bytes(graph.entry(reals)?);
        let table = graph.add(bytes, Some(stored.array.clone()));
        for (at, Operation { op, results, origin, .. }) in gathers {
            let (Op::Gather(op), [Some(result)]) = (op, results.as_slice()) else { continue };
            let gathered = graph.add(stored.as_bytes(graph.entry(*result)?), None);
            let op = Gather { input: table, ..*op };
            let node =
                |op: Op<TensorIndex>, result| Node { stages: vec![Operation::new(op, vec![Some(result)], origin)] };
            graph.replace(at, node(Cast::new(gathered).into(), *result));
            graph.add_before(at, vec![node(op.into(), gathered)]);
            times += 1;
        }
        replaced.push(reals);
    }
    graph.insert_added();
    graph.drop_unused_constants(replaced);
    Ok(times)
}

/// Bytes that reals stand for.
struct StoredBytes {
    array: Array,
    quantization: Quantization,
}

impl StoredBytes {
    /// The type of a tensor with such bytes instead of its reals.
    fn as_bytes(&self, reals: &TensorEntry) -> ValueType {
        let (name, quantization) = (format!("{}_stored", reals.ty.name), Some(self.quantization.clone()));
        ValueType { name, dtype: self.array.dtype(), quantization, ..reals.ty.clone() }
    }
}

/// Returns the bytes from which a constant was dequantized, if a cast computes the same reals.
fn bytes_of(graph: &RewriteGraph, reals: TensorIndex) -> Option<StoredBytes> {
    let stored = graph.constant(reals)?.dequantized_from()?;
    let ((scale, zero_point), array) = (stored.per_tensor()?, stored.integers);
    let is_byte = matches!(array.dtype(), Dtype::Int8 | Dtype::Uint8);
    // A cast multiplies by the scale as float32. The product of such a scale and a number of few bits is exact in float64, where the
    // constant was computed, so both are rounded once.
    let is_exact = f64::from(scale as f32) == scale && (-256..=256).contains(&zero_point);
    let quantization = Quantization::per_tensor(scale, zero_point);
    (is_byte && is_exact).then_some(StoredBytes { array, quantization })
}

/// The operand of a node that is a cast to the nearest number, and the cast.
fn cast(graph: &RewriteGraph, at: NodeIndex) -> Option<(TensorIndex, Operation)> {
    let [stage] = graph.node(at)?.stages.as_slice() else { return None };
    let cast = as_cast(graph, stage.clone())?;
    let Op::Cast(op) = &cast.op else { return None };
    op.round_mode.is_nearest().then(|| (op.input, cast.clone()))
}

/// A node that moves all elements of its only operand to its only result, and does nothing else.
fn moved(graph: &RewriteGraph, at: NodeIndex) -> Option<Operation> {
    let [stage] = graph.node(at)?.stages.as_slice() else { return None };
    let is_mover = stage.op.viewed_from().is_some() || matches!(stage.op, Op::Permute(_));
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
