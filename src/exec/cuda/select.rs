//! Choices between tensors by a mask or by position.
use super::formula::{Formula, Input};
use crate::{
    exec::{Operand, ValueType, semantics},
    ops::{MaskedFill, Trilu, Where},
};

pub(super) fn select(op: &Where<Operand>, result: &ValueType) -> Formula {
    let ints = semantics::chooses_stored(op, result);
    let (mut inputs, mut number) = (vec![Input::of(&op.cond).in_reals()], 0);
    let mut branch = |operand: &Option<Operand>| match operand {
        Some(operand) => {
            inputs.push(if ints { Input::of(operand).in_integers() } else { Input::of(operand) });
            super::formula::name(inputs.len() - 1)
        }
        None => {
            number += 1;
            format!("k{}", number - 1)
        }
    };
    let expression = format!("x != 0 ? {} : {}", branch(&op.tbrn), branch(&op.fbrn));
    let constants = [(&op.tbrn, op.x_const_val), (&op.fbrn, op.y_const_val)];
    let numbers: Vec<f64> = constants.iter().filter(|(o, _)| o.is_none()).map(|(_, n)| *n).collect();
    let formula = if ints { Formula::whole(inputs, expression) } else { Formula::real(inputs, expression) };
    formula.numbers(numbers)
}

/// Like [`select`], with a constant in the other branch.
pub(super) fn masked_fill(op: &MaskedFill<Operand>, result: &ValueType) -> Formula {
    select(&semantics::as_where(op.clone()), result)
}

pub(super) fn trilu(op: &Trilu<Operand>, result: &ValueType) -> Formula {
    let [.., h, w] = result.shape[..] else { return Formula::copy(Input::of(&op.input)) };
    let above = "i % (i64)k1 - i / (i64)k1 % (i64)k0";
    let order = if op.upper == 1 { ">=" } else { "<=" };
    let expression = format!("{above} {order} (i64)k2 ? x : (R)0");
    let numbers = [h as f64, w as f64, op.diagonal as f64];
    let input = vec![Input::of(&op.input)];
    if result.is_plain_int() && !op.input.ty.dtype.is_float() {
        return Formula::whole(input, expression).in_doubles().numbers(numbers);
    }
    Formula::real(input, expression).in_doubles().numbers(numbers)
}
