//! Gradients of selection: each branch gets the gradient where it was chosen.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    ops::{MaskedFill, Trilu, Where},
};

pub(super) fn select(b: &mut Backward, op: &Where<Tensor>, o: Output) -> Result<()> {
    chosen(b, op.cond, op.tbrn, true, o)?;
    chosen(b, op.cond, op.fbrn, false, o)
}

pub(super) fn masked_fill(b: &mut Backward, op: &MaskedFill<Tensor>, o: Output) -> Result<()> {
    chosen(b, op.cond, Some(op.brn), !op.inversed, o)
}

/// Gives a branch the gradient where the condition is, or is not, 0.
fn chosen(b: &mut Backward, condition: Tensor, branch: Option<Tensor>, if_true: bool, o: Output) -> Result<()> {
    let Some(branch) = branch.filter(|t| b.wants(*t)) else { return Ok(()) };
    let dx = match if_true {
        true => b.select_or(condition, o.dy, 0.0)?,
        false => b.op(Where { fbrn: Some(o.dy), x_is_const: true, ..Where::new(condition) })?,
    };
    b.give(branch, dx)
}

pub(super) fn trilu(b: &mut Backward, op: &Trilu<Tensor>, o: Output) -> Result<()> {
    let dx = b.op(Trilu::new(o.dy, op.diagonal, op.upper))?;
    b.give(op.input, dx)
}
