//! Attention whose heads lie beside each other, and may share keys and values.
use super::{
    Kernel, Operand,
    gemm::{Mat, gemm_f32},
    task::{Finish, Task},
};
use crate::{
    array::zeros,
    base::Result,
    ops::{Attention, FAttention, FAttentionLse, FlexAttention},
};
use rayon::prelude::*;

/// The axes of the operands. All are batch x places x heads x elements.
struct Sizes {
    queries: usize,
    keys: usize,
    heads: usize,
    /// Heads of keys and values: each belongs to as many of the queries' heads.
    shared: usize,
    /// Elements of a query and of a key.
    elements: usize,
    /// Elements of a value.
    values: usize,
}

/// What computes the scores of a row: a query and a head.
struct Rows<'a> {
    sizes: Sizes,
    queries: &'a [f32],
    keys: &'a [f32],
    scale: f32,
    /// Adds to the scores of a batch's query.
    mask: &'a (dyn Fn(usize, usize, &mut [f32]) + Sync),
}

impl Rows<'_> {
    /// Batch, query and shared head of a row.
    fn place(&self, row: usize) -> (usize, usize, usize) {
        let Sizes { queries, heads, shared, .. } = self.sizes;
        (row / heads / queries, row / heads % queries, row % heads / (heads / shared))
    }
    /// The weights of a row's keys, and the logarithm of the sum that they were divided by.
    fn weights(&self, row: usize, weights: &mut [f32]) -> f32 {
        let ((batch, place, head), n) = (self.place(row), self.sizes.elements);
        let query = &self.queries[row * n..][..n];
        for (k, score) in weights.iter_mut().enumerate() {
            let key = &self.keys[((batch * self.sizes.keys + k) * self.sizes.shared + head) * n..][..n];
            *score = query.iter().zip(key).map(|(q, k)| q * k).sum::<f32>() * self.scale;
        }
        (self.mask)(batch, place, weights);
        let most = weights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        weights.iter_mut().for_each(|w| *w = (*w - most).exp());
        let sum = weights.iter().sum::<f32>();
        weights.iter_mut().for_each(|w| *w /= sum);
        most + sum.ln()
    }
    /// What each row of the result is: the values by their weights.
    fn attend(&self, values: &[f32], first: usize, out: &mut [f32]) -> Result<()> {
        let (n, mut weights) = (self.sizes.values, zeros::<f32>(self.sizes.keys)?);
        for (i, out) in out.chunks_mut(n).enumerate() {
            let row = first / n + i;
            self.weights(row, &mut weights);
            let (batch, _, head) = self.place(row);
            out.fill(0.0);
            for (k, weight) in weights.iter().enumerate() {
                let value = &values[((batch * self.sizes.keys + k) * self.sizes.shared + head) * n..][..n];
                out.iter_mut().zip(value).for_each(|(o, v)| *o += weight * v);
            }
        }
        Ok(())
    }
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
    let (of_query, of_key, of_value) = (t.reals(queries)?, t.reals(keys)?, t.reals(values)?);
    let (q, k, v) = (&queries.ty.shape, &keys.ty.shape, &values.ty.shape);
    let sizes = Sizes { queries: q[1], keys: k[1], heads: q[2], shared: k[2], elements: q[3], values: v[3] };
    let row = sizes.values;
    let entries = match (mask, masked) {
        (Some(mask), Masked::Added) => Some(t.reals(mask)?),
        _ => None,
    };
    let (count, n) = (q[1], k[1]);
    let add = |batch: usize, place: usize, scores: &mut [f32]| match (&entries, mask, masked) {
        (Some(all), ..) => {
            let batch = if all.len() > count * n { batch } else { 0 };
            scores.iter_mut().zip(&all[(batch * count + place) * n..]).for_each(|(s, m)| *s += m);
        }
        (None, Some(_), Masked::After(added)) => {
            let seen = (place + n + 1).saturating_sub(count);
            scores.iter_mut().skip(seen).for_each(|s| *s += added);
        }
        _ => {}
    };
    let rows = Rows { sizes, queries: &of_query, keys: &of_key, scale: scale as f32, mask: &add };
    t.fill(0, row, Finish::default(), |first, out| rows.attend(&of_value, first, out))?;
    if !lse || t.result(1).is_err() {
        return Ok(());
    }
    t.fill(1, 1, Finish::default(), |first, out| {
        let mut weights = zeros::<f32>(n)?;
        out.iter_mut().enumerate().for_each(|(i, o)| *o = rows.weights(first + i, &mut weights));
        Ok(())
    })
}

pub(super) fn f_attention(op: FAttention<Operand>) -> Kernel {
    // Where no key is seen, all are seen alike.
    let masked = Masked::new(op.mask_size, -1e9);
    Kernel::new(move |t| flash(t, [&op.queries, &op.keys, &op.values], (&op.mask, masked), op.scale, false))
}

pub(super) fn f_attention_lse(op: FAttentionLse<Operand>) -> Kernel {
    let masked = Masked::new(op.mask_size, f32::NEG_INFINITY);
    Kernel::new(move |t| flash(t, [&op.queries, &op.keys, &op.values], (&op.mask, masked), op.scale, true))
}

/// Blocks that may be skipped are those that the mask hides: they change no number.
pub(super) fn flex_attention(op: FlexAttention<Operand>) -> Kernel {
    let masked = Masked::new(op.mask_size, f32::NEG_INFINITY);
    Kernel::new(move |t| {
        flash(t, [&op.queries, &op.keys, &op.values], (&op.mask, masked), op.scale, op.has_lse)?;
        // Nothing but 0 stands where the logarithms would.
        if op.has_lse { Ok(()) } else { t.memory(1).map(|memory| memory.bytes().fill(0)) }
    })
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
        let (columns, heads) = (op.queries_weight.ty.shape[1], op.head as usize);
        let (elements, shared) = (columns / heads, heads);
        let sizes = Sizes { queries: q[1], keys: k[1], heads, shared, elements, values: elements };
        let mask = op.mask.as_ref().map(|m| t.reals(m)).transpose()?;
        let mask_shape = op.mask.as_ref().map_or(&[][..], |m| &m.ty.shape);
        // The stride of an axis of the mask, counted from the last: 0 where it is broadcast.
        let stride = |back: usize| {
            let at = mask_shape.len().checked_sub(back + 1).filter(|&i| mask_shape[i] != 1);
            at.map_or(0, |i| mask_shape[i + 1..].iter().product())
        };
        let steps: [usize; 3] = [stride(2), stride(1), stride(0)];
        let add = |batch: usize, place: usize, scores: &mut [f32]| {
            if let Some(mask) = &mask {
                let first = batch * steps[0] + place * steps[1];
                scores.iter_mut().enumerate().for_each(|(k, s)| *s += mask[first + k * steps[2]]);
            }
        };
        let rows = Rows { sizes, queries: &query, keys: &key, scale: op.scale as f32, mask: &add };
        let mut attended = zeros::<f32>(query.len())?;
        attended
            .par_chunks_mut(elements)
            .enumerate()
            .try_for_each(|(i, out)| rows.attend(&value, i * elements, out))?;
        let result = projected(t, &attended, &op.out_weight, &op.out_bias)?;
        t.write(0, Finish::default(), |out| {
            out.copy_from_slice(&result);
            Ok(())
        })
    })
}
