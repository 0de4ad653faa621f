//! Fuses matmul, softmax, matmul into `top.ScaleDotProductAttention` and removes head permutations.
use super::{
    network::{Operation, TensorIndex},
    permutations::order_of_elements,
    rewrite_graph::{Node, NodeIndex, RewriteGraph},
    rules::Capabilities,
};
use crate::{
    Layout, Signature, ValueType,
    base::Result,
    ops::{MatMul, Op, Reshape, ScaleDotProductAttention},
};

/// The permutation of batch x rows x heads x elements to batch x heads x rows x elements.
const BSHD_TO_BHSD: [i64; 4] = [0, 2, 1, 3];

/// Fuses the attention that ends in node `at`, or removes the head permutation at `at`.
pub(super) fn attention(graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
    if let Some(before) = moves_heads_of(graph, at) {
        return absorb_permutation(graph, before, at, backend);
    }
    let Some(found) = AttentionMatch::ending(graph, at)? else { return Ok(false) };
    found.replaced(graph, at, backend)
}

/// A match of attention.
struct AttentionMatch {
    op: ScaleDotProductAttention<TensorIndex>,
    /// The nodes that it replaces, except the last.
    parts: Vec<NodeIndex>,
    /// Single-use permutations that produce queries, keys and values: the node, its operand, and whether that is laid out as
    /// batch x rows x heads x elements.
    moved: Vec<(NodeIndex, TensorIndex, bool)>,
}

impl AttentionMatch {
    fn ending(graph: &RewriteGraph, at: NodeIndex) -> Result<Option<AttentionMatch>> {
        // Query heads that share keys and values may be merged to rows of one head; a reshape splits them at the end.
        let split = view(graph, at).and_then(|joined| graph.single_use_producer(joined));
        match only(graph, split.unwrap_or(at)) {
            Some(Op::MatMul(end)) => AttentionMatch::of_products(graph, end, split),
            Some(Op::ScaleDotProductAttention(op)) if op.mask.is_none() && !op.is_causal => {
                Ok(AttentionMatch::of_attention(graph, op, split))
            }
            _ => Ok(None),
        }
    }

    /// Matches attention that was fused already, between reshapes of its queries and its result.
    fn of_attention(
        graph: &RewriteGraph,
        op: &ScaleDotProductAttention<TensorIndex>,
        split: Option<NodeIndex>,
    ) -> Option<AttentionMatch> {
        let (joining, query) = apart(graph, op.query)?;
        let moved = moved_from(graph, query, &[(&BSHD_TO_BHSD, true)]).into_iter().collect();
        let op = ScaleDotProductAttention { query, ..op.clone() };
        Some(AttentionMatch { op, parts: vec![split?, joining], moved })
    }

    /// Matches attention ending in the value product `end`, optionally followed by a row split.
    fn of_products(
        graph: &RewriteGraph,
        end: &MatMul<TensorIndex>,
        split: Option<NodeIndex>,
    ) -> Result<Option<AttentionMatch>> {
        let mut parts: Vec<NodeIndex> = split.into_iter().collect();
        let Some(softmax) =
            maker(graph, end.input, &mut parts).filter(|_| is_plain(end) && end.bias.is_none() && !end.right_transpose)
        else {
            return Ok(None);
        };
        let Some(Op::Softmax(op)) = only(graph, softmax) else { return Ok(None) };
        let rank = graph.entry(op.input)?.ty.shape.len();
        if op.log || op.beta != 1.0 || op.axis.rem_euclid(rank.max(1) as i64) + 1 != rank as i64 || rank < 3 {
            return Ok(None);
        }
        parts.push(softmax);
        let Some(scores) = Scores::new(graph, op.input, &mut parts)? else { return Ok(None) };
        let Some(Op::MatMul(begin)) = only(graph, scores.product) else { return Ok(None) };
        let mut scale = scores.scale;
        let [mut query, key] = [begin.input, begin.right].map(|t| unscaled(graph, t, &mut scale, &mut parts));
        if let Some((joining, rows)) = split.and_then(|_| apart(graph, query)) {
            parts.push(joining);
            query = rows;
        }
        let orders: &[(&[i64], bool)] = match begin.right_transpose {
            true => &[(&BSHD_TO_BHSD, true)],
            false => &[(&[0, 2, 3, 1], true), (&[0, 1, 3, 2], false), (&[0, 2, 1], false)],
        };
        let of_key = moved_from(graph, key, orders);
        if of_key.is_none() && !begin.right_transpose {
            return Ok(None);
        }
        let [of_query, of_value] = [query, end.right].map(|t| moved_from(graph, t, &[(&BSHD_TO_BHSD, true)]));
        // The mask must broadcast to the scores in the shape of the queries: neither in that of a view, nor the other way
        // round.
        if let Some(mask) = &scores.mask {
            let shape = |t: TensorIndex| graph.entry(t).map(|s| s.ty.shape.as_slice());
            let rows = |t: TensorIndex| shape(t).map(|s| s.split_last().map(|s| s.1));
            if rows(query)? != rows(mask.sum)? {
                return Ok(None);
            }
        }
        // It is used as float32. A scale of 0 would mean the default scale.
        if scale as f32 == 0.0 || !(scale as f32).is_finite() {
            return Ok(None);
        }
        let mut op = ScaleDotProductAttention::new(query, key, end.right);
        (op.mask, op.scale) = (scores.mask.map(|m| m.tensor), scale);
        Ok(Some(AttentionMatch { op, parts, moved: [of_query, of_key, of_value].into_iter().flatten().collect() }))
    }

    /// Replaces the matched nodes by one at `at` if the backend supports it.
    fn replaced(self, graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
        let Some(last) = graph.node(at).and_then(Node::last).cloned() else { return Ok(false) };
        let mut op = self.op;
        let mut views = Vec::new();
        for &(maker, source, inside) in &self.moved {
            let Some(made) = graph.node(maker).and_then(|n| n.outputs().next()) else { return Ok(false) };
            let source_type = graph.entry(source)?.ty.clone();
            let read = if inside {
                let view = graph.add(ValueType { layout: Layout::Bshd, ..source_type }, None);
                views.push((maker, source, view));
                view
            } else {
                source
            };
            [&mut op.query, &mut op.key, &mut op.value].into_iter().filter(|t| **t == made).for_each(|t| *t = read);
        }
        let node = Node { stages: vec![Operation { op: op.into(), ..last }] };
        let types = graph.types(&node)?;
        if !has_one_batch(&types) || !backend.supports_fused(&types) {
            return Ok(false);
        }
        for (maker, source, view) in &views {
            let origin = graph.node(*maker).and_then(Node::last).map(|o| o.origin).unwrap_or_default();
            let op = Op::from(Reshape::new(*source));
            graph.replace(*maker, Node { stages: vec![Operation::new(op, vec![Some(*view)], origin)] });
        }
        let turned = self.moved.iter().filter(|m| !m.2).map(|m| m.0);
        turned.chain(self.parts).for_each(|part| graph.remove(part));
        graph.replace(at, node);
        Ok(true)
    }
}

/// A match of the operand of the softmax.
struct Scores {
    /// The product of queries and keys.
    product: NodeIndex,
    scale: f64,
    mask: Option<Mask>,
}

/// The mask, which is added to the scores.
struct Mask {
    tensor: TensorIndex,
    /// The scores with the mask.
    sum: TensorIndex,
}

impl Scores {
    /// Matches `scale * Q K^T + mask`, where scale and mask are optional. Adds its nodes to `parts`.
    fn new(graph: &RewriteGraph, scores: TensorIndex, parts: &mut Vec<NodeIndex>) -> Result<Option<Scores>> {
        let Some(mut maker) = self::maker(graph, scores, parts) else { return Ok(None) };
        let mut found = Scores { product: maker, scale: 1.0, mask: None };
        if let Some(Op::Add(add)) = only(graph, maker)
            && let [a, b] = *add.inputs.as_slice()
            && !add.do_relu
            && add.has_unit_coefficients()
        {
            let computes = |t: TensorIndex| {
                let mut views = Vec::new();
                let node = self::maker(graph, t, &mut views)?;
                matches!(only(graph, node), Some(Op::MulConst(_) | Op::MatMul(_))).then_some((node, views))
            };
            let Some(((before, views), mask)) = computes(a).map(|n| (n, b)).or_else(|| computes(b).map(|n| (n, a)))
            else {
                return Ok(None);
            };
            let Some(sum) = graph.node(maker).and_then(|n| n.outputs().next()) else { return Ok(None) };
            parts.push(maker);
            parts.extend(views);
            (maker, found.mask) = (before, Some(Mask { tensor: mask, sum }));
        }
        if let Some(Op::MulConst(scale)) = only(graph, maker)
            && let Some(before) = self::maker(graph, scale.input, parts).filter(|_| !scale.do_relu)
        {
            parts.push(maker);
            (maker, found.scale) = (before, scale.const_val);
        }
        let Some(Op::MatMul(product)) =
            only(graph, maker).filter(|op| matches!(op, Op::MatMul(m) if is_plain(m) && m.bias.is_none()))
        else {
            return Ok(None);
        };
        parts.push(maker);
        found.product = maker;
        let is_float = graph.entry(product.input)?.ty.dtype.is_float();
        Ok(is_float.then_some(found))
    }
}

/// Matches a single-use permutation with one of these orders: the node, its operand, and the flag of the order.
fn moved_from(
    graph: &RewriteGraph,
    t: TensorIndex,
    orders: &[(&[i64], bool)],
) -> Option<(NodeIndex, TensorIndex, bool)> {
    let at = graph.single_use_producer(t)?;
    let Op::Permute(p) = only(graph, at)? else { return None };
    orders.iter().find(|o| o.0 == p.order).map(|o| (at, p.input, o.1))
}

/// Looks through a single-use multiplication by a number, which is added to `parts` and multiplies `scale`. PyTorch's exporter scales
/// queries and keys, each by the root of the scale.
fn unscaled(graph: &RewriteGraph, t: TensorIndex, scale: &mut f64, parts: &mut Vec<NodeIndex>) -> TensorIndex {
    let Some(at) = graph.single_use_producer(t) else { return t };
    let is_float = |t: TensorIndex| graph.entry(t).is_ok_and(|entry| entry.ty.is_plain_float());
    match only(graph, at) {
        Some(Op::MulConst(op)) if !op.do_relu && is_float(op.input) => {
            *scale *= op.const_val;
            parts.push(at);
            op.input
        }
        _ => t,
    }
}

/// Grouped-query attention: the reshape that merges query heads, and its operand.
fn apart(graph: &RewriteGraph, query: TensorIndex) -> Option<(NodeIndex, TensorIndex)> {
    let joining = graph.single_use_producer(query)?;
    Some((joining, view(graph, joining)?))
}

/// The operand of a view that keeps the rows.
fn view(graph: &RewriteGraph, at: NodeIndex) -> Option<TensorIndex> {
    let viewed = *only(graph, at)?.viewed_from()?;
    let row = |t: TensorIndex| graph.entry(t).ok()?.ty.shape.last().copied();
    let made = graph.node(at)?.outputs().next()?;
    (row(viewed)? == row(made)?).then_some(viewed)
}

/// The single-use producer of a tensor, looking through a reshape, which is then added to `parts`.
fn maker(graph: &RewriteGraph, t: TensorIndex, parts: &mut Vec<NodeIndex>) -> Option<NodeIndex> {
    let at = graph.single_use_producer(t)?;
    let Some(seen) = view(graph, at) else { return Some(at) };
    parts.push(at);
    graph.single_use_producer(seen)
}

/// The operator of a node with a single one.
fn only(graph: &RewriteGraph, at: NodeIndex) -> Option<&Op<TensorIndex>> {
    graph.only_operation(at).map(|operation| &operation.op)
}

/// Whether a product neither transposes its left operand or result nor applies a Relu. The right operand may be transposed, and a bias
/// may be added.
pub(super) fn is_plain(op: &MatMul<TensorIndex>) -> bool {
    !(op.left_transpose || op.output_transpose || op.hdim_is_batch || op.do_relu) && op.keep_dims
}

/// Whether batches are not broadcast, except for heads that share keys and values, and the result has the queries' rows.
fn has_one_batch(types: &Signature) -> bool {
    let (Op::ScaleDotProductAttention(op), [Some(result)]) = (&types.op, types.results.as_slice()) else {
        return false;
    };
    let shapes = [&op.query.ty, &op.key.ty, &op.value.ty, result].map(|ty| ty.plain_shape());
    let [Some((_, q)), Some((_, k)), Some((_, v)), Some((_, y))] = shapes.each_ref().map(|s| s.split_last()) else {
        return false;
    };
    let (Some((_, q_outer)), Some((_, k_outer))) = (q.split_last(), k.split_last()) else { return false };
    let same = k_outer == q_outer;
    let shared = matches!((q_outer, k_outer), ([a @ .., of_q], [b @ .., of_k]) if a == b && of_q % of_k == 0);
    q == y && k == v && (same || shared)
}

/// Matches a permutation of attention's result to batch x rows x heads x elements, if it is the sole consumer. A batch of one may be
/// anywhere.
fn moves_heads_of(graph: &RewriteGraph, at: NodeIndex) -> Option<NodeIndex> {
    let Op::Permute(p) = only(graph, at)? else { return None };
    let shape = graph.entry(p.input).ok()?.ty.plain_shape();
    let moves_heads = shape.len() == 4 && {
        let [order, expected] = [&p.order[..], &BSHD_TO_BHSD].map(|order| order_of_elements(order, &shape));
        order == expected
    };
    let before = graph.single_use_producer(p.input).filter(|_| moves_heads)?;
    matches!(only(graph, before)?, Op::ScaleDotProductAttention(_)).then_some(before)
}

/// Lets attention write its heads in the order of the permutation, which becomes a view.
fn absorb_permutation(
    graph: &mut RewriteGraph,
    before: NodeIndex,
    at: NodeIndex,
    backend: &Capabilities,
) -> Result<bool> {
    let (Some(attention), Some(permute)) =
        (graph.node(before).and_then(Node::last).cloned(), graph.node(at).and_then(Node::last).cloned())
    else {
        return Ok(false);
    };
    let (Some(result), Some(moved)) = (attention.outputs().next(), permute.outputs().next()) else { return Ok(false) };
    let &[batch, heads, rows, elements] = graph.entry(result)?.ty.plain_shape().as_slice() else { return Ok(false) };
    let shape = vec![batch, rows, heads, elements];
    let ty = ValueType { layout: Layout::Bshd, shape, ..graph.entry(moved)?.ty.clone() };
    let view = graph.add(ty, None);
    let node = Node { stages: vec![Operation { results: vec![Some(view)], ..attention }] };
    if !backend.supports_layouts(&graph.types(&node)?) {
        return Ok(false);
    }
    graph.replace(before, node);
    graph.replace(at, Node { stages: vec![Operation { op: Op::from(Reshape::new(view)), ..permute }] });
    Ok(true)
}
