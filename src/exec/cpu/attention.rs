use super::{
    Kernel, Operand, Signature, ValueType,
    blocked::{Attention, Heads, InstructionSet, Sizes},
    task::{Finish, Task},
};
use crate::{
    array::zeros,
    base::{Dtype, Result},
    exec::Layout,
    ops::{Op, Rope, RopeMode, ScaleDotProductAttention},
    quant::RoundMode,
};

/// Where the rows of heads lie.
fn heads<'a>(data: &'a [f32], ty: &ValueType) -> Heads<'a> {
    let shape = ty.plain_shape();
    let [.., heads, rows, elements] = *[&[1, 1], shape.as_slice()].concat() else {
        return Heads { data, head: 0, row: 0, size: 0 };
    };
    let (head, row) = match ty.layout {
        Layout::HeadsInside => (elements, heads * elements),
        _ => (rows * elements, elements),
    };
    Heads { data, head, row, size: heads * rows * elements }
}

fn sizes(op: &ScaleDotProductAttention<Operand>) -> Sizes {
    let [query, key, value] = [&op.query, &op.key, &op.value].map(|o| o.ty.plain_shape());
    let back = |shape: &[usize], i: usize| shape.len().checked_sub(i).map_or(1, |i| shape[i]);
    Sizes {
        heads: back(&query, 3),
        shared: back(&key, 3),
        queries: back(&query, 2),
        keys: back(&key, 2),
        elements: back(&query, 1),
        values: back(&value, 1),
    }
}

pub(super) fn scaled_dot_product(op: ScaleDotProductAttention<Operand>) -> Kernel {
    let sizes = sizes(&op);
    let temporary = Attention::temporary(sizes);
    let kernel = Kernel::new(move |t| {
        let (query, key, value) = (t.reals(&op.query)?, t.reals(&op.key)?, t.reals(&op.value)?);
        let result = t.result(0)?;
        let scores = [&result.plain_shape()[..result.shape.len() - 1], &[sizes.keys]].concat();
        let mask = op.mask.as_ref().map(|m| t.source(m, &scores)).transpose()?;
        // As torch has it where it is not given; 0 and infinity stand for that.
        let is_given = op.scale != 0.0 && op.scale.is_finite();
        let scale = if is_given { op.scale } else { (sizes.elements as f64).sqrt().recip() };
        let read = mask.as_ref().map(|m| |row: usize, out: &mut [f32]| m.reals(row * sizes.keys, out));
        let attention = Attention {
            isa: InstructionSet::best(),
            sizes,
            query: heads(&query, &op.query.ty),
            key: heads(&key, &op.key.ty),
            value: heads(&value, &op.value.ty),
            scale: scale as f32,
            mask: read.as_ref().map(|r| r as _),
            is_causal: op.is_causal,
        };
        let heads_inside = result.layout == Layout::HeadsInside;
        t.write(0, Finish::default(), |out| attention.run(heads_inside, out, &mut []))
    });
    kernel.taking(temporary)
}

/// Whether attention of these types is computed as one: of floats, of which heads may lie inside.
pub(super) fn takes(signature: &Signature) -> bool {
    let Op::ScaleDotProductAttention(op) = &signature.op else { return false };
    let is_taken = |ty: &ValueType| matches!(ty.layout, Layout::Plain | Layout::HeadsInside) && ty.dtype.is_float();
    signature.then.is_empty()
        && [&op.query, &op.key, &op.value].iter().all(|o| is_taken(&o.ty))
        && op.mask.as_ref().is_none_or(|m| m.ty.layout == Layout::Plain)
        && signature.outputs().all(is_taken)
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
        cosines.reals(first, out);
        let mut sines_of = zeros(row)?;
        for (i, out) in out.chunks_exact_mut(row).enumerate() {
            let at = first + i * row;
            sines.reals(at, &mut sines_of);
            turn(op.rope_mode, &input[at..at + row], &sines_of, out);
        }
        Ok(())
    })
}

/// A row; `out` has the cosines.
fn turn(mode: RopeMode, x: &[f32], sines: &[f32], out: &mut [f32]) {
    match mode {
        RopeMode::InterleavedPairs => {
            let pairs = x.as_chunks::<2>().0.iter().zip(sines.as_chunks::<2>().0);
            for (out, ([a, b], [of_a, of_b])) in out.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
                *out = [a * out[0] - b * of_a, b * out[1] + a * of_b];
            }
        }
        RopeMode::ContiguousHalves => {
            let half = x.len() / 2;
            let ((a, b), (of_a, of_b)) = (x.split_at(half), sines.split_at(half));
            let (first, second) = out.split_at_mut(half);
            for (i, (first, second)) in first.iter_mut().zip(second).enumerate() {
                (*first, *second) = (a[i] * *first - b[i] * of_a[i], b[i] * *second + a[i] * of_b[i]);
            }
        }
    }
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
