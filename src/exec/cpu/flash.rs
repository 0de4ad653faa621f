//! Attention whose heads lie beside each other, and may share keys and values.
use super::{
    Kernel, Operand,
    blocked::{self, Heads, InstructionSet, Sizes},
    gemm::{Mat, gemm_f32},
    task::{Finish, Task},
};
use crate::{
    array::zeros,
    base::{Result, invalid},
    exec::ValueType,
    ops::{Attention, FAttention, FAttentionLse, FlexAttention},
};
use rayon::prelude::*;

/// Queries, keys or values of batch x places x heads x elements.
fn heads(data: &[f32], [_, places, heads, elements]: [usize; 4]) -> Heads<'_> {
    Heads { data, head: elements, row: heads * elements, size: places * heads * elements }
}

fn four(ty: &ValueType) -> Result<[usize; 4]> {
    ty.shape.as_slice().try_into().map_err(|_| invalid("attention of other than four axes"))
}

fn sizes([_, queries, heads, elements]: [usize; 4], [_, keys, shared, values]: [usize; 4]) -> Sizes {
    Sizes { heads, shared, queries, keys, elements, values }
}

/// Bytes that a run takes beside numbers.
fn temporary(queries: &Operand, values: &Operand) -> u64 {
    let sizes = four(&queries.ty).and_then(|q| Ok(sizes(q, four(&values.ty)?)));
    sizes.map_or(0, blocked::Attention::temporary)
}

/// What a mask does, where there is one.
#[derive(Clone, Copy)]
enum Masked {
    /// It is added: an entry for each query and key, of all batches or of each.
    Added,
    /// This is added where the key comes after the query; the last of both are at the same place.
    After(f32),
}

impl Masked {
    fn new(size: i64, after: f32) -> Masked {
        if size == 0 { Masked::Added } else { Masked::After(after) }
    }
}

/// The second result, where wanted, has for each row the logarithm of the sum of its powers.
fn flash(
    t: &mut Task,
    [queries, keys, values]: [&Operand; 3],
    (mask, masked): (&Option<Operand>, Masked),
    scale: f64,
    lse: bool,
) -> Result<()> {
    let (query, key, value) = (t.reals(queries)?, t.reals(keys)?, t.reals(values)?);
    let (of_query, of_key, of_value) = (four(&queries.ty)?, four(&keys.ty)?, four(&values.ty)?);
    let sizes = sizes(of_query, of_value);
    let entries = match (mask, masked) {
        (Some(mask), Masked::Added) => Some(t.reals(mask)?),
        _ => None,
    };
    let read = |row: usize, added: &mut [f32]| {
        let (batch, place) = (row / (sizes.heads * sizes.queries), row % sizes.queries);
        match (&entries, masked) {
            (Some(all), _) => {
                let batch = if all.len() > sizes.queries * sizes.keys { batch } else { 0 };
                added.copy_from_slice(&all[(batch * sizes.queries + place) * sizes.keys..][..sizes.keys]);
            }
            (None, Masked::After(value)) => {
                let seen = (place + sizes.keys + 1).saturating_sub(sizes.queries);
                added.iter_mut().enumerate().for_each(|(i, v)| *v = if i < seen { 0.0 } else { value });
            }
            (None, Masked::Added) => added.fill(0.0),
        }
    };
    let attention = blocked::Attention {
        isa: InstructionSet::best(),
        sizes,
        query: heads(&query, of_query),
        key: heads(&key, of_key),
        value: heads(&value, of_value),
        scale: scale as f32,
        mask: mask.is_some().then_some(&read as _),
        is_causal: false,
    };
    let mut logs = if lse && t.result(1).is_ok() { zeros(query.len() / sizes.elements.max(1))? } else { Vec::new() };
    t.write(0, Finish::default(), |out| attention.run(true, out, &mut logs))?;
    if logs.is_empty() {
        return Ok(());
    }
    t.write(1, Finish::default(), |out| {
        out.copy_from_slice(&logs);
        Ok(())
    })
}

pub(super) fn f_attention(op: FAttention<Operand>) -> Kernel {
    // Where no key is seen, all are seen alike.
    let (masked, temporary) = (Masked::new(op.mask_size, -1e9), temporary(&op.queries, &op.values));
    Kernel::new(move |t| flash(t, [&op.queries, &op.keys, &op.values], (&op.mask, masked), op.scale, false))
        .taking(temporary)
}

pub(super) fn f_attention_lse(op: FAttentionLse<Operand>) -> Kernel {
    let (masked, temporary) = (Masked::new(op.mask_size, f32::NEG_INFINITY), temporary(&op.queries, &op.values));
    Kernel::new(move |t| flash(t, [&op.queries, &op.keys, &op.values], (&op.mask, masked), op.scale, true))
        .taking(temporary)
}

/// Blocks that may be skipped are those that the mask hides: they change no number.
pub(super) fn flex_attention(op: FlexAttention<Operand>) -> Kernel {
    let (masked, temporary) = (Masked::new(op.mask_size, f32::NEG_INFINITY), temporary(&op.queries, &op.values));
    let kernel = Kernel::new(move |t| {
        flash(t, [&op.queries, &op.keys, &op.values], (&op.mask, masked), op.scale, op.has_lse)?;
        // Nothing but 0 stands where the logarithms would.
        if op.has_lse { Ok(()) } else { t.memory(1).map(|memory| memory.bytes().fill(0)) }
    });
    kernel.taking(temporary)
}

/// A product with a matrix of so many columns, and the bias.
fn projected(t: &Task, input: &[f32], weight: &Operand, bias: &Option<Operand>) -> Result<Vec<f32>> {
    let (rows, columns) = (weight.ty.shape[0], weight.ty.shape[1]);
    let count = input.len() / rows;
    let mut out = zeros(count.saturating_mul(columns))?;
    let matrix = |data, rows, cols| Mat { data, rows, cols, transposed: false };
    let weight = t.reals(weight)?;
    gemm_f32(&mut out, matrix(input, count, rows), matrix(&weight, rows, columns))?;
    if let Some(bias) = bias {
        let bias = t.reals(bias)?;
        out.par_chunks_mut(columns).for_each(|row| row.iter_mut().zip(&*bias).for_each(|(v, b)| *v += b));
    }
    Ok(out)
}

pub(super) fn attention(op: Attention<Operand>) -> Kernel {
    Kernel::new(move |t| {
        let (q, k) = (&op.input.ty.shape, &op.keys.ty.shape);
        let query = projected(t, &t.reals(&op.input)?, &op.queries_weight, &op.queries_bias)?;
        let key = projected(t, &t.reals(&op.keys)?, &op.keys_weight, &op.keys_bias)?;
        let value = projected(t, &t.reals(&op.values)?, &op.values_weight, &op.values_bias)?;
        let (columns, count) = (op.queries_weight.ty.shape[1], op.head as usize);
        let of_query = [q[0], q[1], count, columns / count];
        let of_key = [k[0], k[1], count, columns / count];
        let sizes = sizes(of_query, of_key);
        // Of each batch and query, those for the keys.
        let entries = [q[0], q[1], k[1]];
        let mask = op.mask.as_ref().map(|m| t.source(m, &entries)).transpose()?;
        let read = mask.as_ref().map(|mask| {
            |row: usize, added: &mut [f32]| {
                let (batch, place) = (row / (count * sizes.queries), row % sizes.queries);
                mask.reals((batch * sizes.queries + place) * sizes.keys, added);
            }
        });
        let attention = blocked::Attention {
            isa: InstructionSet::best(),
            sizes,
            query: heads(&query, of_query),
            key: heads(&key, of_key),
            value: heads(&value, of_key),
            scale: op.scale as f32,
            mask: read.as_ref().map(|r| r as _),
            is_causal: false,
        };
        let mut attended = zeros::<f32>(query.len())?;
        attention.run(true, &mut attended, &mut [])?;
        let result = projected(t, &attended, &op.out_weight, &op.out_bias)?;
        t.write(0, Finish::default(), |out| {
            out.copy_from_slice(&result);
            Ok(())
        })
    })
}
