//! Merges permutations, norms between them, and reshapes around them, and removes permutations of axes of size 1.
use super::{
    network::{Operation, TensorIndex},
    rewrite_graph::{Node, NodeIndex, RewriteGraph},
    rules::Capabilities,
};
use crate::{
    ValueType,
    base::Result,
    ops::{Op, Permute, PixelNorm, Reshape, ShuffleChannel},
    views::axis_of,
};

/// Merges the node at `at`, a permutation, with another one before it, or with a layer norm and a permutation. If it is a reshape, merges it
/// with a permutation and another reshape before it, or moves it before the permutation.
///
/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn merge(graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
    let is_merged =
        merge_with_views(graph, at)? || merge_shuffle(graph, at, backend)? || move_reshape_before(graph, at)?;
    Ok(merge_two(graph, at)? || merge_norm(graph, at, backend)? || is_merged)
}

/// Replaces a permutation that only moves axes of size 1 by a reshape. Attention must have been recognized before, by its permutations.
///
/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn replace_by_view(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some(last @ Operation { op: Op::Permute(permute), .. }) = graph.only_operation(at) else { return Ok(false) };
    let Some(result) = last.outputs().next() else { return Ok(false) };
    let is_view = order_of_elements(&permute.order, &graph.entry(permute.input)?.ty.shape).is_sorted();
    if !is_view || !are_stored_alike(graph, permute.input, result)? {
        return Ok(false);
    }
    let stage = Operation { op: Reshape::new(permute.input).into(), ..last.clone() };
    graph.replace(at, Node { stages: vec![stage] });
    Ok(true)
}

/// Returns the order of the axes that have more than one entry: other axes may be anywhere.
pub(super) fn order_of_elements(order: &[i64], shape: &[usize]) -> Vec<usize> {
    order.iter().map(|axis| axis_of(*axis, shape.len())).filter(|axis| shape[*axis] > 1).collect()
}

/// Whether two tensors have the same dtype and quantization. Values that change their scale would be rounded twice.
fn are_stored_alike(graph: &RewriteGraph, from: TensorIndex, to: TensorIndex) -> Result<bool> {
    let (from, to) = (&graph.entry(from)?.ty, &graph.entry(to)?.ty);
    Ok(from.dtype == to.dtype && from.quantization == to.quantization)
}

/// Moves a reshape that adds leading axes of size 1 before the permutation that precedes it. Then the permutation has the axes that
/// attention is recognized by, and the reshape can be merged with another one. PyTorch's exporter adds the batch axis this way.
fn move_reshape_before(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some(last) = graph.only_operation(at).filter(|o| o.op.viewed_from().is_some()).cloned() else {
        return Ok(false);
    };
    let (Some(permuted), Some(result)) = (last.op.viewed_from().copied(), last.outputs().next()) else {
        return Ok(false);
    };
    let Some(before) = graph.single_use_producer(permuted) else { return Ok(false) };
    let Some(first) = graph.only_operation(before).cloned() else { return Ok(false) };
    let Op::Permute(permute) = &first.op else { return Ok(false) };
    let shape = |t: TensorIndex| graph.entry(t).map(|entry| &entry.ty.shape);
    let (before_reshape, after) = (shape(permuted)?, shape(result)?);
    let added = after.len().saturating_sub(before_reshape.len());
    let (ones, rest) = after.split_at(added);
    let is_extended = added > 0 && ones.iter().all(|n| *n == 1) && rest == before_reshape;
    if !is_extended || !are_stored_alike(graph, permute.input, permuted)? || !are_stored_alike(graph, permuted, result)?
    {
        return Ok(false);
    }
    let from = &graph.entry(permute.input)?.ty;
    let extended = ValueType { shape: [ones, &from.shape].concat(), ..from.clone() };
    let rank = from.shape.len();
    let order = (0..added).chain(permute.order.iter().map(|axis| axis_of(*axis, rank) + added));
    let order: Vec<i64> = order.map(|axis| axis as i64).collect();
    let view = graph.add(extended, None);
    let reshape = Operation::new(Reshape::new(permute.input), vec![Some(view)], first.origin);
    graph.replace(before, Node { stages: vec![reshape] });
    graph.replace(at, Node { stages: vec![Operation { op: Permute::new(view, order).into(), ..last }] });
    Ok(true)
}

/// Replaces a layer norm between permutations that store the channels last and second again by a norm over the channels, as in ConvNeXt.
fn merge_norm(graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
    let permuted = |at: NodeIndex| match &graph.only_operation(at)?.op {
        Op::Permute(permute) => Some((permute.input, permute.order.as_slice())),
        _ => None,
    };
    let Some((normalized, after)) = permuted(at) else { return Ok(false) };
    let Some(norm_at) = graph.single_use_producer(normalized) else { return Ok(false) };
    let Some(Operation { op: Op::LayerNorm(norm), results, origin: norm_origin, .. }) = graph.only_operation(norm_at)
    else {
        return Ok(false);
    };
    let before_at = graph.single_use_producer(norm.input);
    let Some((before_at, (origin, before))) = before_at.and_then(|n| Some((n, permuted(n)?))) else { return Ok(false) };
    let rank = after.len();
    let channels_last = [0].into_iter().chain(2..rank).chain([1]);
    if rank < 3
        || !before.iter().map(|axis| axis_of(*axis, rank)).eq(channels_last)
        || !composed(before, after).is_sorted()
        || axis_of(norm.axis, rank) != rank - 1
        || results.iter().skip(1).any(Option::is_some)
    {
        return Ok(false);
    }
    let op = PixelNorm { input: origin, weight: norm.weight, bias: norm.bias, eps: norm.eps };
    let Some(last) = graph.node(at).and_then(Node::last).cloned() else { return Ok(false) };
    let dtype = graph.entry(origin)?.ty.dtype;
    for t in [origin, norm.input, normalized].into_iter().chain(last.outputs()) {
        let ty = &graph.entry(t)?.ty;
        if !ty.is_plain_float() || ty.dtype != dtype {
            return Ok(false);
        }
    }
    let merged = Node { stages: vec![Operation::new(op, last.results, *norm_origin)] };
    if !backend.supports_fused(&graph.types(&merged)?) {
        return Ok(false);
    }
    [norm_at, before_at].into_iter().for_each(|node| graph.remove(node));
    graph.replace(at, merged);
    Ok(true)
}

/// Replaces reshape, swap, reshape by one permutation of the last two axes, if the last reshape restores the axes that the first merged.
/// PyTorch's exporter transposes the keys of attention in this way.
fn merge_with_views(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let shown = |at: NodeIndex| graph.only_operation(at)?.op.viewed_from().copied();
    let Some(swap) = shown(at).and_then(|t| graph.single_use_producer(t)) else { return Ok(false) };
    let Some(Operation { op: Op::Permute(permute), .. }) = graph.only_operation(swap) else { return Ok(false) };
    let Some(merge) = graph.single_use_producer(permute.input).filter(|_| permute.order == [0, 2, 1]) else {
        return Ok(false);
    };
    let (Some(origin), Some(last)) = (shown(merge), graph.node(at).and_then(Node::last).cloned()) else {
        return Ok(false);
    };
    let Some(result) = last.outputs().next() else { return Ok(false) };
    let (from, merged, to) = (&graph.entry(origin)?.ty, &graph.entry(permute.input)?.ty, &graph.entry(result)?.ty);
    let ([outer @ .., n, d], [_, rows, columns]) = (from.shape.as_slice(), merged.shape.as_slice()) else {
        return Ok(false);
    };
    let is_swapped = (n, d) == (rows, columns) && to.shape == [outer, &[*d, *n]].concat();
    if !is_swapped || !from.is_plain_float() || !to.is_plain_float() || from.dtype != to.dtype {
        return Ok(false);
    }
    let rank = from.shape.len() as i64;
    let order: Vec<i64> = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
    [swap, merge].into_iter().for_each(|node| graph.remove(node));
    graph.replace(at, Node { stages: vec![Operation { op: Permute::new(origin, order).into(), ..last }] });
    Ok(true)
}

/// Replaces reshape, swap, reshape by a shuffle of channels, if the first reshape divides them into groups, the swap is that of groups and
/// their channels, and the last one restores the shape, as in ShuffleNet. The other axes may be merged between them.
fn merge_shuffle(graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
    let shown = |at: NodeIndex| graph.only_operation(at)?.op.viewed_from().copied();
    let Some(swap) = shown(at).and_then(|t| graph.single_use_producer(t)) else { return Ok(false) };
    let Some(Operation { op: Op::Permute(permute), results, .. }) = graph.only_operation(swap) else {
        return Ok(false);
    };
    let Some(divide) = graph.single_use_producer(permute.input) else { return Ok(false) };
    let (Some(origin), Some(last)) = (shown(divide), graph.node(at).and_then(Node::last).cloned()) else {
        return Ok(false);
    };
    let Some(group) = groups_of(&graph.entry(origin)?.ty.shape, &graph.entry(permute.input)?.ty.shape, &permute.order)
    else {
        return Ok(false);
    };
    let (from, all) = (&graph.entry(origin)?.ty, results.iter().flatten().copied().chain([permute.input]));
    for t in all.chain(last.outputs()) {
        let ty = &graph.entry(t)?.ty;
        if !ty.is_plain_float() || ty.dtype != from.dtype {
            return Ok(false);
        }
    }
    let Some(result) = last.outputs().next() else { return Ok(false) };
    if !from.is_plain_float() || graph.entry(result)?.ty.shape != from.shape {
        return Ok(false);
    }
    let shuffle = ShuffleChannel::new(origin, group);
    let merged = Node { stages: vec![Operation { op: shuffle.into(), ..last }] };
    if !backend.supports_fused(&graph.types(&merged)?) {
        return Ok(false);
    }
    [swap, divide].into_iter().for_each(|node| graph.remove(node));
    graph.replace(at, merged);
    Ok(true)
}

/// Returns the number of groups that channels are divided into, if the permutation swaps groups and their channels.
fn groups_of(from: &[usize], divided: &[usize], order: &[i64]) -> Option<i64> {
    let ([images, channels, pixels @ ..], [of_images, groups, each, rest @ ..]) = (from, divided) else { return None };
    let rank = divided.len();
    let is_swap = order.iter().map(|axis| axis_of(*axis, rank)).eq([0, 2, 1].into_iter().chain(3..rank));
    let is_same = images == of_images && groups.checked_mul(*each) == Some(*channels);
    let are_kept = rest.iter().product::<usize>() == pixels.iter().product::<usize>();
    // One group, or groups of one channel, would be a copy.
    (is_swap && is_same && are_kept && *groups > 1 && *each > 1).then_some(*groups as i64)
}

/// Replaces two permutations by one, or by a reshape if they cancel out.
fn merge_two(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some(last @ Operation { op: Op::Permute(second), .. }) = graph.only_operation(at) else { return Ok(false) };
    let Some(before) = graph.single_use_producer(second.input) else { return Ok(false) };
    let Some(Operation { op: Op::Permute(first), .. }) = graph.only_operation(before) else { return Ok(false) };
    if !are_stored_alike(graph, first.input, second.input)? {
        return Ok(false);
    }
    let order = composed(&first.order, &second.order);
    let op = match order.is_sorted() {
        true => Op::from(Reshape::new(first.input)),
        false => Permute::new(first.input, order).into(),
    };
    let stage = Operation { op, ..last.clone() };
    graph.remove(before);
    graph.replace(at, Node { stages: vec![stage] });
    Ok(true)
}

/// Returns the order of the permutation that does what `first` and then `second` do.
fn composed(first: &[i64], second: &[i64]) -> Vec<i64> {
    let rank = first.len();
    second.iter().map(|axis| axis_of(first[axis_of(*axis, rank)], rank) as i64).collect()
}
