use super::{
    Kernel, Operand,
    task::{Finish, Task},
};
use crate::{
    array::zeros,
    base::{Dtype, Result},
    ops::{Rope, RopeMode, ScaleDotProductAttention},
    quant::RoundMode,
};
use rten_simd::SimdOp;
use rten_vecmath as vecmath;

/// `softmax(scale * Q K^T + mask) V`, a query at a time. A causal query sees the keys up to its own place.
pub(super) fn scaled_dot_product(op: ScaleDotProductAttention<Operand>) -> Kernel {
    Kernel::new(move |t| {
        let (query, key, value) = (t.reals(&op.query)?, t.reals(&op.key)?, t.reals(&op.value)?);
        let (shape, result) = (&op.query.ty.shape, &t.result(0)?.shape);
        let (rank, elements) = (shape.len(), shape[shape.len() - 1]);
        let (queries, keys, values) = (shape[rank - 2], op.key.ty.shape[rank - 2], result[rank - 1]);
        let scores = [&shape[..rank - 1], &[keys]].concat();
        let mask = op.mask.as_ref().map(|m| t.source(m, &scores)).transpose()?;
        // As torch has it where it is not given; 0 and infinity stand for that.
        let own = if op.scale == 0.0 || op.scale.is_infinite() { (elements as f64).sqrt().recip() } else { op.scale };
        t.fill(0, values, Finish::default(), |first, out| {
            let (mut row, mut added) = (zeros::<f32>(keys)?, zeros::<f32>(keys)?);
            for (i, out) in out.chunks_mut(values).enumerate() {
                let i = first / values + i;
                let (stack, place) = (i / queries, i % queries);
                let of_query = &query[i * elements..(i + 1) * elements];
                let of_keys = key[stack * keys * elements..].chunks(elements);
                for (score, key) in row.iter_mut().zip(of_keys) {
                    *score = of_query.iter().zip(key).map(|(q, k)| q * k).sum::<f32>() * own as f32;
                }
                if let Some(mask) = &mask {
                    mask.reals(i * keys, &mut added);
                    row.iter_mut().zip(&added).for_each(|(score, m)| *score += m);
                }
                let seen = if op.is_causal { keys.min(place + 1) } else { keys };
                vecmath::Softmax::new_mut(&mut row[..seen]).dispatch();
                out.fill(0.0);
                for (weight, value) in row[..seen].iter().zip(value[stack * keys * values..].chunks(values)) {
                    out.iter_mut().zip(value).for_each(|(o, v)| *o += weight * v);
                }
            }
            Ok(())
        })
    })
}

/// A pair (a, b) becomes (a cos - b sin, b cos + a sin).
pub(super) fn rope(op: Rope<Operand>) -> Kernel {
    Kernel::new(move |t| if op.input1.ty.dtype.is_float() { turn_reals(t, &op) } else { turn_ints(t, &op) })
}

/// The other of a pair's elements within a row of so many, and the sign with which it is added.
fn other(at: usize, row: usize, mode: RopeMode) -> (usize, bool) {
    let half = row / 2;
    match mode {
        RopeMode::InterleavedPairs if at.is_multiple_of(2) => (at + 1, true),
        RopeMode::InterleavedPairs => (at - 1, false),
        RopeMode::ContiguousHalves if at < half => (at + half, true),
        RopeMode::ContiguousHalves => (at - half, false),
    }
}

fn turn_reals(t: &mut Task, op: &Rope<Operand>) -> Result<()> {
    let shape = &op.input1.ty.shape;
    let row = shape.last().copied().unwrap_or(1);
    let input = t.reals(&op.input1)?;
    let (sines, cosines) = (t.source(&op.input2, shape)?, t.source(&op.input3, shape)?);
    t.fill(0, row, Finish::default(), |first, out| {
        // Half a row's sines at a time, so that they stay on the stack.
        let mut buffer = [0f32; 256];
        cosines.reals(first, out);
        let (start, whole) = (first, &input[first..first + out.len()]);
        for (chunk, out) in out.chunks_mut(buffer.len()).enumerate() {
            let at = chunk * buffer.len();
            let sines_of = &mut buffer[..out.len()];
            sines.reals(start + at, sines_of);
            for (i, (out, sine)) in out.iter_mut().zip(sines_of).enumerate() {
                let place = at + i;
                let (pair, minus) = other(place % row, row, op.rope_mode);
                let pair = whole[place / row * row + pair];
                *out = whole[place] * *out + if minus { -pair } else { pair } * *sine;
            }
        }
        Ok(())
    })
}

/// Stored values: each product is shifted and held in twice the width, then their sum is shifted and saturates.
fn turn_ints(t: &mut Task, op: &Rope<Operand>) -> Result<()> {
    let shape = &op.input1.ty.shape;
    let row = shape.last().copied().unwrap_or(1);
    let input = t.ints(&op.input1)?;
    let (sines, cosines) = (t.source(&op.input2, shape)?, t.source(&op.input3, shape)?);
    let narrow = matches!(op.input1.ty.dtype, Dtype::Int8 | Dtype::Uint8);
    let (low, high) = if narrow { (i16::MIN.into(), i16::MAX.into()) } else { (i32::MIN.into(), i32::MAX.into()) };
    let product = |x: i128, w: i64, shift: i64, round: RoundMode| {
        round.shift_right(x * i128::from(w), shift.saturating_neg()).clamp(low, high)
    };
    t.fill_ints(0, |first, out| {
        let mut sine = [0i64];
        cosines.ints(first, out);
        for (i, out) in out.iter_mut().enumerate() {
            let place = first + i;
            sines.ints(place, &mut sine);
            let (pair, minus) = other(place % row, row, op.rope_mode);
            let pair = i128::from(input[place / row * row + pair]);
            let turned = product(if minus { -pair } else { pair }, sine[0], op.mul1_shift, op.mul1_round_mode);
            let kept = product(input[place].into(), *out, op.mul2_shift, op.mul2_round_mode);
            let sum = op.add_round_mode.shift_right(turned + kept, op.add_shift.saturating_neg());
            *out = sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        }
    })
}
