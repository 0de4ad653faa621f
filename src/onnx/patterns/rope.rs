//! Rotary position embeddings.
use crate::{
    Rewriter, Tensor,
    base::Result,
    ops::{Op, Rope, RopeMode},
};

/// Matches `x * cos + rotated(x) * sin`, where `rotated` swaps the halves of the last axis and negates the second.
pub fn rotated(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    Ok(rope(r, t))
}

fn rope(r: &Rewriter, t: Tensor) -> Option<Op<Tensor>> {
    let sums = r.summands(t).filter(|_| r.is_float(t) && r.rank(t) == 4)?;
    sums.into_iter().find_map(|(straight, turned)| {
        r.factors(turned)?.into_iter().find_map(|(swapped, sines)| {
            let x = swapped_halves(r, swapped)?;
            let cosines = r.factors(straight)?.into_iter().find(|(a, _)| *a == x)?.1;
            let is_whole = |angles: Tensor| r.rank(angles) == 4 && r.shape(angles)[3] == r.shape(x)[3];
            // tpuc-opt miscompiles an embedding of a part of the elements.
            let is_part = matches!(r.op(x), Some(Op::Slice(_)));
            let op = Rope { rope_mode: RopeMode::ContiguousHalves, ..Rope::new(x, sines, cosines) };
            (is_whole(sines) && is_whole(cosines) && !is_part).then(|| op.into())
        })
    })
}

/// Returns `x` if the tensor is `concat(-second half of x, first half of x)`.
fn swapped_halves(r: &Rewriter, t: Tensor) -> Option<Tensor> {
    let Op::Concat(op) = r.op(t)? else { return None };
    let &[negated, first] = op.inputs.as_slice() else { return None };
    let Op::MulConst(negation) = r.op(negated)? else { return None };
    let (x, second) = (half(r, first, 0)?, half(r, negation.input, 1)?);
    (r.is_last_axis(t, op.axis) && negation.const_val == -1.0 && x == second).then_some(x)
}

/// Returns `x` if the tensor is this half of its last axis.
fn half(r: &Rewriter, t: Tensor, which: usize) -> Option<Tensor> {
    let size = *r.shape(t).last()?;
    let is_last = |axis: i64| r.is_last_axis(t, axis);
    match r.result_of(t)? {
        (Op::Slice(op), 0) => {
            let is_half =
                op.axes.len() == 1 && is_last(op.axes[0]) && op.offset == [(which * size) as i64] && op.steps == [1];
            (is_half && *r.shape(op.input).last()? == 2 * size).then_some(op.input)
        }
        (Op::Split(op), index) => {
            let is_half = is_last(op.axis) && op.num == 2 && index == which && *r.shape(op.input).last()? == 2 * size;
            is_half.then_some(op.input)
        }
        _ => None,
    }
}
