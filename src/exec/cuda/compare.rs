//! Comparisons.
use super::formula::{Formula, Input};
use crate::{
    exec::{Operand, semantics},
    ops::{CompareConst, CompareMode, LogicalAnd},
};

/// Returns the CUDA C expression of a comparison. In the logical modes, 0 is false.
fn predicate(mode: CompareMode, x: &str, y: &str) -> String {
    match mode {
        CompareMode::Equal => format!("{x} == {y}"),
        // Xor is meant for 0 and 1; for other values the tool chain also tests for inequality.
        CompareMode::NotEqual | CompareMode::Xor => format!("{x} != {y}"),
        CompareMode::Greater => format!("{x} > {y}"),
        CompareMode::GreaterOrEqual => format!("{x} >= {y}"),
        CompareMode::Less => format!("{x} < {y}"),
        CompareMode::LessOrEqual => format!("{x} <= {y}"),
        CompareMode::And => format!("{x} != 0 && {y} != 0"),
        // Not ignores its right side.
        CompareMode::Not => format!("{x} == 0"),
    }
}

/// Compares plain integers exactly, and other types as real values. The result is stored as 1 or 0, even if it is quantized.
pub(super) fn compare(lhs: &Operand, rhs: &Operand, mode: CompareMode) -> Formula {
    let holds = predicate(mode, "x", "y");
    let inputs = vec![Input::of(lhs), Input::of(rhs)];
    if [lhs, rhs].iter().all(|o| o.ty.is_plain_int()) {
        return Formula::whole(inputs, holds);
    }
    Formula::real(inputs, holds).stored_as_it_is()
}

pub(super) fn compare_const(op: &CompareConst<Operand>) -> Formula {
    let holds = if op.inversed { predicate(op.mode, "k0", "x") } else { predicate(op.mode, "x", "k0") };
    let input = vec![Input::of(&op.input)];
    let formula = if op.input.ty.is_plain_int() { Formula::double(input, holds) } else { Formula::real(input, holds) };
    formula.numbers([semantics::compared_number(op)]).stored_as_it_is()
}

/// Supports two tensors only.
pub(super) fn logical_and(op: &LogicalAnd<Operand>) -> Option<Formula> {
    match op.inputs.as_slice() {
        [a, b] => Some(compare(a, b, CompareMode::And)),
        _ => None,
    }
}
