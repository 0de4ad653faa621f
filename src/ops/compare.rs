//! Type rules of comparisons. Results are 1 and 0 in the operands' dtype.
use super::{
    Compare, CompareConst, LogicalAnd,
    types::{Types, Value, broadcast, of_dtype, pair, same},
};

pub(super) fn compare(op: &Compare<Value>) -> Types {
    of_dtype(broadcast(op.lhs.shape, op.rhs.shape)?, &op.lhs)
}

pub(super) fn compare_const(op: &CompareConst<Value>) -> Types {
    same(&op.input)
}

pub(super) fn logical_and(op: &LogicalAnd<Value>) -> Types {
    let [a, b] = pair(&op.inputs)?;
    of_dtype(broadcast(a.shape, b.shape)?, a)
}
