//! Infinite numbers, as PyTorch masks scores with, for which the tool chain has no scale.
use crate::{
    base::Result,
    graph::{Graph, Tensor},
    numbers,
    ops::{Op, PadMode},
    quantized::is_copy,
};
use std::collections::HashSet;

/// Returns the results of operators that read infinite constants, or results that such operators pass on.
pub(crate) fn results_from_infinities(graph: &Graph) -> Result<HashSet<Tensor>> {
    let is_infinite = |t: Tensor| -> Result<bool> {
        let data = graph.tensor(t)?.data().filter(|array| array.dtype().is_float());
        Ok(data.map(numbers).transpose()?.is_some_and(|all| all.iter().any(|x| x.is_infinite())))
    };
    let (mut infinite, mut results) = (HashSet::<Tensor>::new(), HashSet::new());
    for operator in graph.operators() {
        let operands = || operator.op.operands().map(|(_, t)| *t);
        let mut reads_one = operands().any(|t| infinite.contains(&t));
        if passes_infinities(&operator.op) {
            for operand in operands() {
                reads_one = reads_one || is_infinite(operand)?;
            }
            reads_one = reads_one || has_infinite_number(&operator.op);
            infinite.extend(operator.outputs().filter(|_| reads_one));
        }
        results.extend(operator.outputs().filter(|_| reads_one));
    }
    Ok(results)
}

/// Whether infinite numbers of an operand are also in the result.
fn passes_infinities(op: &Op<Tensor>) -> bool {
    is_copy(op)
        || matches!(
            op,
            Op::Where(_)
                | Op::MaskedFill(_)
                | Op::Pad(_)
                | Op::Trilu(_)
                | Op::Add(_)
                | Op::AddConst(_)
                | Op::Sub(_)
                | Op::SubConst(_)
                | Op::Mul(_)
                | Op::MulConst(_)
        )
}

fn has_infinite_number(op: &Op<Tensor>) -> bool {
    match op {
        Op::Where(op) => op.x_is_const && op.x_const_val.is_infinite() || op.y_is_const && op.y_const_val.is_infinite(),
        Op::MaskedFill(op) => op.const_val.is_infinite(),
        Op::Pad(op) => op.mode == PadMode::Constant && op.val.is_infinite(),
        Op::AddConst(op) => op.const_val.is_infinite(),
        Op::SubConst(op) => op.const_val.is_infinite(),
        Op::MulConst(op) => op.const_val.is_infinite(),
        _ => false,
    }
}
