//! The feed-forward block of a transformer.
use super::{
    activation,
    builder::{Builder, as_real},
    chain::Chain,
    flash::projected,
    formula::{Finish, Formula, Input},
};
use crate::{base::Result, exec::Operand, ops::Mlp};

pub(super) fn mlp(op: &Mlp<Operand>, b: &mut Builder) -> Result<()> {
    let input = (b.reals(&op.input)?, as_real(&op.input.ty));
    let (gate, ty) = projected(b, &input, (&op.weight_gate, op.right_transpose_gate), &op.bias_gate)?;
    let (up, _) = projected(b, &input, (&op.weight_up, op.right_transpose_up), &op.bias_up)?;
    let inputs = vec![Input::slot(up, ty.clone()), Input::slot(gate, ty.clone())];
    let gated = Formula::real(inputs, "x * (y * logistic(y))").with(activation::FUNCTIONS);
    b.chain(Chain::new(vec![gated], up, ty.clone()))?;
    let (result, _) = projected(b, &(up, ty), (&op.weight_down, op.right_transpose_down), &op.bias_down)?;
    b.store(0, result, Finish::default())
}
