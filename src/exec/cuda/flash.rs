//! Attention with heads inside the rows (BSHD), which may share keys and values.
use super::{
    attention::{AttentionLaunch, entries, padded},
    builder::Builder,
    chain::Chain,
    float::Float,
    formula::{Formula, Input, PostOp},
    matmul::{Batch, Matrices, products},
    slot::Slot,
};
use crate::{
    base::Result,
    exec::{
        Operand, ValueType,
        heads::{self, AttentionSizes, GroupedQueryAttention, HeadStrides, Mask},
    },
    ops::{Attention, FAttention, FAttentionLse, FlexAttention},
};

/// The strides of the result, which has the layout of the queries.
fn result_strides(AttentionSizes { heads, queries, values, .. }: AttentionSizes) -> HeadStrides {
    HeadStrides::from_bshd([1, queries, heads, values])
}

fn flash(op: &GroupedQueryAttention, b: &mut Builder) -> Result<()> {
    let (sizes, [query, key, value]) = (op.sizes()?, op.places()?);
    let float = Float::of([&op.queries.ty, &op.keys.ty, &op.values.ty, b.result_type(0)?]);
    let from = [b.floats(op.queries, float)?, b.floats(op.keys, float)?, b.floats(op.values, float)?];
    let one = sizes.queries * sizes.keys;
    let mask = match op.masked {
        Mask::Additive(mask) => {
            let batch = if mask.ty.elements() > one { one } else { 0 };
            Some((b.reals(mask)?, [batch, 0, sizes.keys, 1]))
        }
        _ => None,
    };
    let limit = match op.masked {
        Mask::Causal(added) => Some((sizes.keys as i64 - sizes.queries as i64, added)),
        _ => None,
    };
    let strides = [query, key, value, result_strides(sizes)];
    let batches = op.queries.ty.shape[0];
    let launch = AttentionLaunch { sizes, batches, float, strides, scale: op.scale as f32, mask, limit };
    let out = b.float_result(0, float)?;
    let logs = if op.has_logs && b.result_type(1).is_ok() { Some(b.real_result(1)?) } else { None };
    launch.launch(b, from, out, logs)?;
    if let Some(logs) = logs {
        b.store(1, logs, PostOp::default())?;
    }
    b.store_floats(0, out, float, PostOp::default())
}

pub(super) fn f_attention(op: &FAttention<Operand>, b: &mut Builder) -> Result<()> {
    flash(&op.into(), b)
}

pub(super) fn f_attention_lse(op: &FAttentionLse<Operand>, b: &mut Builder) -> Result<()> {
    flash(&op.into(), b)
}

/// Fills the logarithms with 0 if they are not computed.
pub(super) fn flex_attention(op: &FlexAttention<Operand>, b: &mut Builder) -> Result<()> {
    if let (false, Ok(ty)) = (op.has_lse, b.result_type(1)) {
        b.chain(Chain::new(vec![Formula::double(Vec::new(), "0")], b.result(1), ty.clone()))?;
    }
    flash(&op.into(), b)
}

/// Real values and their type.
pub(super) type Reals = (Slot, ValueType);

/// Computes the product of rows and a matrix, which may be stored transposed, plus bias.
pub(super) fn projected(
    b: &mut Builder,
    (rows, ty): &Reals,
    (weight, transposed): (&Operand, bool),
    bias: &Option<Operand>,
) -> Result<Reals> {
    let (rows_of, columns) = (weight.ty.shape[weight.ty.shape.len() - 2], weight.ty.shape[weight.ty.shape.len() - 1]);
    let (k, n) = if transposed { (columns, rows_of) } else { (rows_of, columns) };
    let m = ty.elements() / k;
    let ty = ValueType { shape: vec![m, n], ..ty.clone() };
    let (right, out) = (b.reals(weight)?, b.temporary(ty.bytes()));
    let p = Matrices { m, k, n, left_transposed: false, right_transposed: transposed, batch: Batch::ONE };
    products(b, &p, [*rows, right], out)?;
    if let Some(bias) = bias {
        let inputs = vec![Input::slot(out, ty.clone()), Input::of(bias).in_reals().shaped(vec![n])];
        b.chain(Chain::new(vec![Formula::real(inputs, "x + y")], out, ty.clone()))?;
    }
    Ok((out, ty))
}

pub(super) fn attention(op: &Attention<Operand>, b: &mut Builder) -> Result<()> {
    let (sizes, [of_query, of_key]) = heads::projected(op);
    let mut project = |operand: &Operand, weight: &Operand, bias: &Option<Operand>| {
        let rows = (b.reals(operand)?, Float::Single.type_like(&operand.ty));
        projected(b, &rows, (weight, false), bias)
    };
    let (query, ty) = project(&op.input, &op.queries_weight, &op.queries_bias)?;
    let (key, _) = project(&op.keys, &op.keys_weight, &op.keys_bias)?;
    let (value, _) = project(&op.values, &op.values_weight, &op.values_bias)?;
    let batches = op.input.ty.shape[0];
    // All heads share the mask.
    let scores = [batches, 1, sizes.queries, sizes.keys];
    let mask = match &op.mask {
        Some(mask) => {
            let own = padded(&mask.ty.shape, 3);
            Some(entries(b, mask, &[&own[..1], &[1], &own[1..]].concat(), &scores)?)
        }
        None => None,
    };
    let strides = [of_query, of_key, of_key, result_strides(sizes)];
    let launch =
        AttentionLaunch { sizes, batches, float: Float::Single, strides, scale: op.scale as f32, mask, limit: None };
    let out = b.temporary(ty.bytes());
    launch.launch(b, [query, key, value], out, None)?;
    let (result, _) = projected(b, &(out, ty), (&op.out_weight, false), &op.out_bias)?;
    b.store(0, result, PostOp::default())
}
