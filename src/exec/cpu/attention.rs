use super::{
    OpKernel, Operand,
    blocked::{Attention, Heads, InstructionSet},
    task::{PostOp, Task},
    workspace::{bytes, ints, reals, result_reals},
};
use crate::{
    Layout,
    array::zeros,
    base::{Dtype, Result},
    heads::{AttentionSizes, HeadStrides},
    ops::{Rope, RopeMode, ScaleDotProductAttention},
    quant::RoundMode,
};

pub(super) fn scaled_dot_product(op: ScaleDotProductAttention<Operand>) -> OpKernel {
    let sizes = AttentionSizes::from_bhsd(&op);
    let rows = op.query.ty.elements() / sizes.elements.max(1);
    let attention = bytes(Attention::workspace(sizes, rows));
    let workspace = reals([&op.query, &op.key, &op.value]) + result_reals() + attention;
    OpKernel::with_workspace(workspace, move |t| {
        let (query, key, value) = (t.reals(&op.query)?, t.reals(&op.key)?, t.reals(&op.value)?);
        let result = t.result(0)?;
        let scores = [&result.plain_shape()[..result.shape.len() - 1], &[sizes.keys]].concat();
        let mask = op.mask.as_ref().map(|m| t.source(m, &scores)).transpose()?;
        let read = mask.as_ref().map(|m| |row: usize, out: &mut [f32]| m.reals(row * sizes.keys, out));
        let attention = Attention {
            isa: InstructionSet::best(),
            sizes,
            query: Heads { data: &query, places: HeadStrides::of(&op.query.ty) },
            key: Heads { data: &key, places: HeadStrides::of(&op.key.ty) },
            value: Heads { data: &value, places: HeadStrides::of(&op.value.ty) },
            scale: sizes.scale(op.scale),
            mask: read.as_ref().map(|r| r as _),
            is_causal: op.is_causal,
        };
        let heads_inside = result.layout == Layout::Bshd;
        t.write(0, PostOp::default(), |out| attention.run(heads_inside, out, &mut []))
    })
}

/// Rotates each pair (a, b) to (a cos - b sin, b cos + a sin).
pub(super) fn rope(op: Rope<Operand>) -> OpKernel {
    let workspace = if op.input1.ty.dtype.is_float() { result_reals() } else { ints([&op.input1]) };
    OpKernel::with_workspace(workspace, move |t| {
        if op.input1.ty.dtype.is_float() { turn_reals(t, &op) } else { turn_ints(t, &op) }
    })
}

/// Returns the index of the other element of a pair within a row of `row` elements, and the sign with which it is added.
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
    t.fill(0, row, PostOp::default(), |first, out| {
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

/// Rotates a row; `out` holds the cosines.
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

/// Rotates stored values: each product is shifted in twice the width, then their sum is shifted and saturated.
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
        let mut sines_of = vec![0; out.len()];
        sines.ints(first, &mut sines_of);
        cosines.ints(first, out);
        for (i, (out, sine)) in out.iter_mut().zip(sines_of).enumerate() {
            let place = first + i;
            let (pair, minus) = other(place % row, row, op.rope_mode);
            let pair = i128::from(input[place / row * row + pair]);
            let turned = product(if minus { -pair } else { pair }, sine, op.mul1_shift, op.mul1_round_mode);
            let kept = product(input[place].into(), *out, op.mul2_shift, op.mul2_round_mode);
            let sum = op.add_round_mode.shift_right(turned + kept, op.add_shift.saturating_neg());
            *out = sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, ops::RopeMode, run};

    /// Of more integers than a chunk has; chunks begin within rows.
    #[test]
    fn many_integers_are_turned() {
        let (heads, positions, row) = (3, 101, 98);
        let numbers = |n: usize, by: usize| (0..n).map(|i| (i * by % 255) as i8).collect::<Vec<i8>>();
        let (x, sines, cosines) =
            (numbers(heads * positions * row, 37), numbers(positions * row, 11), numbers(positions * row, 7));
        let array = |shape: &[usize], v: &[i8]| Array::from_vec(shape.to_vec(), v.to_vec()).unwrap();
        for mode in [RopeMode::InterleavedPairs, RopeMode::ContiguousHalves] {
            let mut g = Graph::new("g").unwrap();
            let t = g.input("x", Dtype::Int8, [1, heads, positions, row]).unwrap();
            let [sine, cosine] = [&sines, &cosines].map(|v| array(&[positions, row], v));
            let y = g.rope(t, sine, cosine).rope_mode(mode).mul1_shift(0).mul2_shift(0).add_shift(-7).call().unwrap();
            g.set_outputs(&[y]).unwrap();
            let feeds = [("x", array(&[1, heads, positions, row], &x))];
            let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f64().unwrap();
            for (i, got) in got.iter().enumerate() {
                let (at, angle) = (i % row, i % (positions * row));
                let (pair, sign) = match mode {
                    RopeMode::InterleavedPairs => (i ^ 1, if at.is_multiple_of(2) { -1.0 } else { 1.0 }),
                    RopeMode::ContiguousHalves if at < row / 2 => (i + row / 2, -1.0),
                    RopeMode::ContiguousHalves => (i - row / 2, 1.0),
                };
                let product = |a: i8, b: i8| f64::from(a) * f64::from(b);
                let sum = product(x[i], cosines[angle]) + sign * product(x[pair], sines[angle]);
                // Half up, like the function's default.
                assert_eq!(*got, (sum / 128.0 + 0.5).floor().clamp(-128.0, 127.0), "{mode:?}, {i}");
            }
        }
    }
}
