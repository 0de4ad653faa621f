//! Attention as one operator: two products with a softmax between them become `top.ScaleDotProductAttention`, which reads and
//! writes heads where they lie inside of queries, so that nothing is permuted either.
use super::{
    draft::{Draft, Node},
    network::Operation,
};
use crate::{
    base::Result,
    exec::{Backend, Layout, ValueType},
    ops::{MatMul, Op, Reshape, ScaleDotProductAttention},
};

/// Batch x heads x rows x elements as made of batch x rows x heads x elements.
const HEADS_OUTSIDE: [i64; 4] = [0, 2, 1, 3];

/// Where attention ends, the product with the values, it becomes one node; and where a permutation moves its heads, they stay.
pub(super) fn attention<B: Backend>(draft: &mut Draft, at: usize, backend: &B) -> Result<bool> {
    if let Some(before) = moves_heads_of(draft, at) {
        return heads_stay(draft, before, at, backend);
    }
    let Some(found) = Found::ending(draft, at)? else { return Ok(false) };
    found.replaced(draft, at, backend)
}

/// What a product with values is the end of.
struct Found {
    op: ScaleDotProductAttention<usize>,
    /// The nodes before it that do its parts.
    parts: Vec<usize>,
    /// The permutations that give queries, keys and values, where nothing else reads these; the tensor that each moves, and
    /// whether its heads would lie inside without.
    moved: Vec<(usize, usize, bool)>,
}

impl Found {
    fn ending(draft: &Draft, at: usize) -> Result<Option<Found>> {
        let Some(Op::MatMul(end)) = only(draft, at) else { return Ok(None) };
        let Some(softmax) = draft.only_for_one(end.input).filter(|_| is_plain(end) && !end.right_transpose) else {
            return Ok(None);
        };
        let Some(Op::Softmax(op)) = only(draft, softmax) else { return Ok(None) };
        let rank = draft.slot(op.input)?.ty.shape.len();
        if op.log || op.beta != 1.0 || op.axis.rem_euclid(rank.max(1) as i64) + 1 != rank as i64 || rank < 3 {
            return Ok(None);
        }
        let Some(scores) = Scores::new(draft, op.input)? else { return Ok(None) };
        let Some(Op::MatMul(begin)) = only(draft, scores.product) else { return Ok(None) };
        let mut moved = Vec::new();
        let mut origin = |draft: &Draft, t: usize, orders: &[(&[i64], bool)]| {
            let found = draft.only_for_one(t).and_then(|maker| match only(draft, maker)? {
                Op::Permute(p) => orders.iter().find(|o| o.0 == p.order).map(|o| (maker, p.input, o.1)),
                _ => None,
            });
            moved.extend(found);
            found.is_some()
        };
        let query = begin.input;
        origin(draft, query, &[(&HEADS_OUTSIDE, true)]);
        let key = begin.right;
        if begin.right_transpose {
            origin(draft, key, &[(&HEADS_OUTSIDE, true)]);
        } else if !origin(draft, key, &[(&[0, 2, 3, 1], true), (&[0, 1, 3, 2], false), (&[0, 2, 1], false)]) {
            return Ok(None);
        }
        let value = end.right;
        origin(draft, value, &[(&HEADS_OUTSIDE, true)]);
        let mut op = ScaleDotProductAttention::new(query, key, value);
        (op.mask, op.scale) = (scores.mask, scores.scale);
        let parts = [&scores.parts[..], &[softmax]].concat();
        Ok(Some(Found { op, parts, moved }))
    }

    /// The node at `at` does it all, if the backend takes that.
    fn replaced<B: Backend>(self, draft: &mut Draft, at: usize, backend: &B) -> Result<bool> {
        let Some(last) = draft.node(at).and_then(Node::last).cloned() else { return Ok(false) };
        let mut op = self.op;
        let mut views = Vec::new();
        for &(maker, source, inside) in &self.moved {
            let Some(made) = draft.node(maker).and_then(|n| n.outputs().next()) else { return Ok(false) };
            let source_type = draft.slot(source)?.ty.clone();
            let read = if inside {
                let view = draft.add(ValueType { layout: Layout::HeadsInside, ..source_type }, None);
                views.push((maker, source, view));
                view
            } else {
                source
            };
            [&mut op.query, &mut op.key, &mut op.value].into_iter().filter(|t| **t == made).for_each(|t| *t = read);
        }
        let node = Node { stages: vec![Operation { op: op.into(), ..last }] };
        let types = draft.types(&node)?;
        if !has_one_batch(&types.op) || !backend.takes(&types) {
            return Ok(false);
        }
        for (maker, source, view) in &views {
            let index = draft.node(*maker).and_then(Node::last).map_or(0, |o| o.index);
            let op = Op::from(Reshape::new(*source));
            draft.replace(*maker, Node { stages: vec![Operation { op, results: vec![Some(*view)], index }] });
        }
        let turned = self.moved.iter().filter(|m| !m.2).map(|m| m.0);
        turned.chain(self.parts).for_each(|part| draft.remove(part));
        draft.replace(at, node);
        Ok(true)
    }
}

/// What softmax is taken of.
struct Scores {
    /// The node that multiplies queries and keys.
    product: usize,
    scale: f64,
    mask: Option<usize>,
    /// All nodes, the product too.
    parts: Vec<usize>,
}

impl Scores {
    /// `scale * Q K^T + mask`, without either or with both.
    fn new(draft: &Draft, scores: usize) -> Result<Option<Scores>> {
        let shape = &draft.slot(scores)?.ty.shape;
        let Some(mut maker) = draft.only_for_one(scores) else { return Ok(None) };
        let mut found = Scores { product: maker, scale: 1.0, mask: None, parts: Vec::new() };
        if let Some(Op::Add(add)) = only(draft, maker)
            && let [a, b] = *add.inputs.as_slice()
            && !add.do_relu
            && add.coeff.iter().flatten().all(|c| *c == 1.0)
        {
            let computes = |t: usize| {
                draft.only_for_one(t).filter(|n| matches!(only(draft, *n), Some(Op::MulConst(_) | Op::MatMul(_))))
            };
            let Some((before, mask)) = computes(a).map(|n| (n, b)).or_else(|| computes(b).map(|n| (n, a))) else {
                return Ok(None);
            };
            found.parts.push(maker);
            (maker, found.mask) = (before, Some(mask));
        }
        if let Some(Op::MulConst(scale)) = only(draft, maker)
            && let Some(before) = draft.only_for_one(scale.input).filter(|_| !scale.do_relu)
        {
            found.parts.push(maker);
            (maker, found.scale) = (before, scale.const_val);
        }
        let Some(Op::MatMul(product)) = only(draft, maker).filter(|op| matches!(op, Op::MatMul(m) if is_plain(m)))
        else {
            return Ok(None);
        };
        found.parts.push(maker);
        found.product = maker;
        let own = draft.node(maker).and_then(|n| n.outputs().next());
        // A mask may not spread the scores; 0 as a scale would stand for another.
        let same = own.is_some_and(|t| draft.slot(t).is_ok_and(|s| s.ty.shape == *shape));
        let is_float = draft.slot(product.input)?.ty.dtype.is_float();
        Ok((same && is_float && found.scale != 0.0 && found.scale.is_finite()).then_some(found))
    }
}

/// The operator of a node that has one.
fn only(draft: &Draft, at: usize) -> Option<&Op<usize>> {
    match draft.node(at)?.stages.as_slice() {
        [one] => Some(&one.op),
        _ => None,
    }
}

fn is_plain(op: &MatMul<usize>) -> bool {
    !(op.left_transpose || op.output_transpose || op.hdim_is_batch || op.do_relu) && op.keep_dims && op.bias.is_none()
}

/// Nothing is broadcast.
fn has_one_batch(op: &Op<crate::exec::Operand>) -> bool {
    let Op::ScaleDotProductAttention(op) = op else { return false };
    let [q, k, v] = [&op.query, &op.key, &op.value].map(|o| o.ty.plain_shape());
    let outer = |shape: &[usize]| shape[..shape.len() - 2].to_vec();
    q.len() == k.len() && k.len() == v.len() && outer(&q) == outer(&k) && outer(&k) == outer(&v)
}

/// The attention whose heads a permutation moves inside, where nothing else reads them as they are.
fn moves_heads_of(draft: &Draft, at: usize) -> Option<usize> {
    let Op::Permute(p) = only(draft, at)? else { return None };
    let before = draft.only_for_one(p.input).filter(|_| p.order == HEADS_OUTSIDE)?;
    matches!(only(draft, before)?, Op::ScaleDotProductAttention(_)).then_some(before)
}

/// The attention writes its heads where the permutation would move them, which becomes a view.
fn heads_stay<B: Backend>(draft: &mut Draft, before: usize, at: usize, backend: &B) -> Result<bool> {
    let (Some(attention), Some(permute)) =
        (draft.node(before).and_then(Node::last).cloned(), draft.node(at).and_then(Node::last).cloned())
    else {
        return Ok(false);
    };
    let Some(moved) = permute.outputs().next() else { return Ok(false) };
    let ty = ValueType { layout: Layout::HeadsInside, ..draft.slot(moved)?.ty.clone() };
    let view = draft.add(ty, None);
    let node = Node { stages: vec![Operation { results: vec![Some(view)], ..attention }] };
    if !backend.takes(&draft.types(&node)?) {
        return Ok(false);
    }
    draft.replace(before, node);
    draft.replace(at, Node { stages: vec![Operation { op: Op::from(Reshape::new(view)), ..permute }] });
    Ok(true)
}
