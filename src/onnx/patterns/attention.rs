//! Attention.
use crate::{
    Rewriter, Tensor,
    base::Result,
    ops::{CompareMode, Op},
};

/// Matches a softmax whose NaNs are replaced by 0, as PyTorch writes it for rows that are masked as a whole, where no row is.
pub fn safe_softmax(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    Ok(softmax(r, t).cloned())
}

fn softmax<'r>(r: &'r Rewriter, t: Tensor) -> Option<&'r Op<Tensor>> {
    let Op::Where(select) = r.op(t)? else { return None };
    let weights = select.fbrn?;
    let becomes_zero = match select.tbrn {
        Some(zero) => r.is_filled_with(zero, 0.0),
        None => select.x_is_const && select.x_const_val == 0.0,
    };
    let Op::Compare(is_nan) = r.op(select.cond)? else { return None };
    let of_weights = is_nan.mode == CompareMode::NotEqual && is_nan.lhs == weights && is_nan.rhs == weights;
    let found = r.op(weights)?;
    let Op::Softmax(op) = found else { return None };
    (becomes_zero && of_weights && r.is_last_axis(t, op.axis) && has_open_rows(r, op.input)).then_some(found)
}

/// Returns whether no row of scores is masked as a whole: they are products, or the sum of products and a known mask. A second mask might
/// hide what the first one leaves.
fn has_open_rows(r: &Rewriter, scores: Tensor) -> bool {
    let Some(pairs) = r.summands(scores) else { return is_product(r, scores) };
    pairs.into_iter().find(|(products, mask)| is_product(r, *products) && r.is_coefficient(*mask)).is_some_and(
        |(_, mask)| {
            let row = r.shape(mask).last().copied().unwrap_or(1);
            let (mut seen, mut is_open, mut are_open) = (0, false, true);
            // A mask of a long sequence is larger than what is worth copying.
            let is_known = r.each(mask, |v| {
                (seen, is_open) = (seen + 1, is_open || v > f64::NEG_INFINITY);
                if seen == row {
                    are_open &= is_open;
                    (seen, is_open) = (0, false);
                }
            });
            is_known && are_open
        },
    )
}

fn is_product(r: &Rewriter, scores: Tensor) -> bool {
    match r.op(scores) {
        Some(Op::MatMul(_)) => true,
        Some(Op::MulConst(scale)) => scale.const_val.is_finite() && matches!(r.op(scale.input), Some(Op::MatMul(_))),
        _ => false,
    }
}
