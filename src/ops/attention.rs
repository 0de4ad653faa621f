//! Type rules of attention and position embeddings.
use super::{
    Attention, FAttention, FAttentionLse, FlexAttention, Rope, ScaleDotProductAttention,
    types::{Choice, Inferred, Types, Value, broadcast, of_dtype, same},
};
use crate::base::{Dtype, Result, Shape, argument, invalid, misfit, shape_text};

/// Returns `[.., queries, elements of a value]`.
pub(super) fn scaled_dot_product(op: &ScaleDotProductAttention<Value>) -> Types {
    let wrong = |t: &Value, expected: String| {
        Err(misfit(t.display_name, format!("is {}; expected {expected}", shape_text(t.shape))))
    };
    let [outer @ .., queries, elements] = op.query.shape else {
        return wrong(&op.query, ".. x queries x elements".into());
    };
    // A query may have no axes before its own two.
    let batch: String = outer.iter().map(|d| format!("{d}x")).collect();
    let keys = match op.key.shape {
        [theirs @ .., keys, e] if (theirs, e) == (outer, elements) => keys,
        _ => return wrong(&op.key, format!("{batch}Nx{elements}, where N is the number of keys")),
    };
    let values = match op.value.shape {
        [theirs @ .., n, values] if (theirs, n) == (outer, keys) => values,
        _ => return wrong(&op.value, format!("{batch}{keys}xN, where N is the number of elements of a value")),
    };
    let scores = [outer, &[*queries, *keys]].concat();
    if let Some(mask) = &op.mask
        && broadcast(&scores, mask.shape)? != scores
    {
        return wrong(mask, format!("a shape that broadcasts to {}", shape_text(&scores)));
    }
    of_dtype([outer, &[*queries, *values]].concat(), &op.query)
}

/// Returns the input's type. Sines and cosines are broadcast to it.
pub(super) fn rope(op: &Rope<Value>) -> Types {
    let input = &op.input1;
    if input.shape.last().is_none_or(|d| d % 2 != 0) {
        let problem = format!("is {}; its last axis is made of pairs, and must be even", shape_text(input.shape));
        return Err(misfit(input.display_name, problem));
    }
    for weight in [&op.input2, &op.input3] {
        if broadcast(input.shape, weight.shape)? != input.shape {
            let (weights, of) = (shape_text(weight.shape), shape_text(input.shape));
            return Err(misfit(weight.display_name, format!("is {weights}; it must broadcast to the input's {of}")));
        }
        if !input.dtype.is_float() && weight.dtype.is_float() {
            let problem = format!(
                "is {} and {} {}; an integer input requires integer weights",
                weight.dtype, input.display_name, input.dtype
            );
            return Err(misfit(weight.display_name, problem));
        }
    }
    same(input)
}

/// The axes of an operand: for each, the attribute that sets its size, and the size.
type Axes<'a> = [(&'a str, i64); 4];

/// Checks that queries, keys and values have the sizes set by the attributes, that the number of key heads divides that of
/// query heads, and that a mask has one entry per query and key, either for all batches or for each.
fn check_flash([queries, keys, values]: [(&Value, Axes); 3], mask: &Option<Value>, causal: bool) -> Result<()> {
    for (operand, axes) in [&queries, &keys, &values] {
        let as_told = axes.iter().map(|a| i128::from(a.1)).eq(operand.shape.iter().map(|&d| d as i128));
        if !as_told {
            let sizes = axes.map(|(name, size)| format!("{name} {size}")).join(" x ");
            return Err(misfit(operand.display_name, format!("is {}; expected {sizes}", shape_text(operand.shape))));
        }
    }
    let ((_, heads), (_, shared)) = (queries.1[2], keys.1[2]);
    if heads % shared != 0 {
        return Err(argument("kv_head", shared, format!("it must divide the {heads} heads of queries")));
    }
    let shape = [queries.0.shape[0], queries.0.shape[1], keys.0.shape[1]];
    let scores = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    let scores = scores.ok_or_else(|| invalid("there are too many queries and keys"))?;
    match mask {
        Some(mask) if !causal && mask.elements() != scores / shape[0] && mask.elements() != scores => {
            let [batch, mq, mk] = shape;
            let expected = format!("expected {mq} x {mk}, or that for each of the {batch} batches");
            Err(misfit(mask.display_name, format!("is {}; {expected}", shape_text(mask.shape))))
        }
        _ => Ok(()),
    }
}

/// Returns the shape of the result: heads and elements are two axes with `keep_dims`, one without.
fn heads_and_elements(queries: &[usize], elements: usize, keep_dims: bool) -> Result<Shape> {
    let (outer, heads) = (&queries[..2], queries[2]);
    let flat = heads.checked_mul(elements).ok_or_else(|| invalid("there are too many heads and elements"))?;
    Ok(if keep_dims { [outer, &[heads, elements]].concat() } else { [outer, &[flat]].concat() })
}

/// Returns batch x queries x heads x elements.
pub(super) fn f_attention(op: &FAttention<Value>) -> Types {
    let sizes = |n, heads| [("batch", op.batch), n, heads, ("dim", op.dim)];
    let queries = (&op.queries, sizes(("mq", op.mq), ("q_head", op.q_head)));
    let of_keys = sizes(("mk", op.mk), ("kv_head", op.kv_head));
    check_flash([queries, (&op.keys, of_keys), (&op.values, of_keys)], &op.mask, op.mask_size != 0)?;
    of_dtype(heads_and_elements(op.queries.shape, op.queries.shape[3], op.keep_dims)?, &op.queries)
}

/// Like [`f_attention`], with a second result: one value per query and head.
pub(super) fn f_attention_lse(op: &FAttentionLse<Value>) -> Types {
    let sizes = |n, heads| [("batch", op.batch), n, heads, ("dim", op.dim)];
    let queries = (&op.queries, sizes(("mq", op.mq), ("q_head", op.q_head)));
    let of_keys = sizes(("mk", op.mk), ("kv_head", op.kv_head));
    check_flash([queries, (&op.keys, of_keys), (&op.values, of_keys)], &op.mask, op.mask_size != 0)?;
    let shape = heads_and_elements(op.queries.shape, op.queries.shape[3], op.keep_dims)?;
    Ok(vec![Inferred { shape, dtype: Choice::Is(op.queries.dtype) }, lse(op.queries.shape, op.keep_dims)])
}

fn lse(queries: &[usize], keep_dims: bool) -> Inferred {
    let shape = if keep_dims { [&queries[..3], &[1]].concat() } else { queries[..3].to_vec() };
    Inferred { shape, dtype: Choice::Is(Dtype::Float32) }
}

/// Like [`f_attention_lse`], but keys and values may differ in their number of elements. Without `has_lse` the second result
/// is a single value. The bitmap only saves a chip work on squares that `mask` hides, and is checked nevertheless.
pub(super) fn flex_attention(op: &FlexAttention<Value>) -> Types {
    let sizes = |n, heads, elements| [("batch", op.batch), n, heads, elements];
    let (n, heads) = (("mk", op.mk), ("kv_head", op.kv_head));
    let queries = (&op.queries, sizes(("mq", op.mq), ("q_head", op.q_head), ("qk_d", op.qk_d)));
    let keys = (&op.keys, sizes(n, heads, ("qk_d", op.qk_d)));
    let values = (&op.values, sizes(n, heads, ("v_d", op.v_d)));
    check_flash([queries, keys, values], &op.mask, op.mask_size != 0)?;
    check_bitmap(op)?;
    let shape = heads_and_elements(op.queries.shape, op.values.shape[3], op.keep_dims)?;
    let none = Inferred { shape: vec![1], dtype: Choice::Is(Dtype::Float32) };
    let lse = if op.has_lse { lse(op.queries.shape, op.keep_dims) } else { none };
    Ok(vec![Inferred { shape, dtype: Choice::Is(op.queries.dtype) }, lse])
}

/// Checks that a bitmap has one entry for each square of `flex_block` queries and keys.
fn check_bitmap(op: &FlexAttention<Value>) -> Result<()> {
    let block = usize::try_from(op.flex_block).ok().filter(|b| *b > 0);
    let block = block.ok_or_else(|| argument("flex_block", op.flex_block, "expected at least 1"))?;
    let Some(bitmap) = &op.block_bitmap else { return Ok(()) };
    let squares = [op.queries, op.keys].map(|t| t.shape[1].div_ceil(block));
    if bitmap.shape == squares {
        return Ok(());
    }
    let (is, expected) = (shape_text(bitmap.shape), shape_text(&squares));
    let problem = format!("is {is}; expected {expected}, one entry for each square of {block} queries and keys");
    Err(misfit(bitmap.display_name, problem))
}

/// Returns the input's shape with one element per column of `out_weight`.
pub(super) fn attention(op: &Attention<Value>) -> Types {
    let wrong = |t: &Value, expected: String| {
        Err(misfit(t.display_name, format!("is {}; expected {expected}", shape_text(t.shape))))
    };
    let &[batch, queries, elements] = op.input.shape else {
        return wrong(&op.input, "batch x queries x elements".into());
    };
    let &[_, keys, of_key] = op.keys.shape else {
        return wrong(&op.keys, "batch x keys x elements".into());
    };
    let &[_, _, of_value] = op.values.shape else {
        return wrong(&op.values, "batch x keys x elements".into());
    };
    for t in [&op.keys, &op.values] {
        if t.shape[..2] != [batch, keys] {
            return wrong(t, format!("{batch} x {keys} x elements"));
        }
    }
    let &[_, columns] = op.queries_weight.shape else {
        return wrong(&op.queries_weight, format!("{elements} x the elements of all heads"));
    };
    let heads = usize::try_from(op.head).ok().filter(|&h| h > 0 && columns.is_multiple_of(h));
    if heads.is_none() {
        let problem = format!("it must divide the {columns} columns of {}", op.queries_weight.display_name);
        return Err(argument("head", op.head, problem));
    }
    let &[_, result] = op.out_weight.shape else {
        return wrong(&op.out_weight, format!("{columns} x elements of the result"));
    };
    let products = [
        (&op.queries_weight, &op.queries_bias, [elements, columns]),
        (&op.keys_weight, &op.keys_bias, [of_key, columns]),
        (&op.values_weight, &op.values_bias, [of_value, columns]),
        (&op.out_weight, &op.out_bias, [columns, result]),
    ];
    for (weight, bias, [rows, columns]) in products {
        if weight.shape != [rows, columns] {
            return wrong(weight, format!("{rows} x {columns}"));
        }
        bias.iter().try_for_each(|b| b.expect_elements(columns, "one per column"))?;
    }
    let scores = [batch, queries, keys];
    if let Some(mask) = &op.mask
        && broadcast(&scores, mask.shape)? != scores
    {
        return wrong(mask, format!("a shape that broadcasts to {}", shape_text(&scores)));
    }
    of_dtype(vec![batch, queries, result], &op.input)
}
