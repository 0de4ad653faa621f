//! Order: largest entries and their positions.
use super::Convert;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, Shape},
    emit::Emit,
    import::Importer,
    node::{Node, known_int, table},
    ops::{Arg, ArgMode, CompareMode, TopK},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] =
    &[("ArgMax", |b, n| arg(b, n, ArgMode::ArgMax)), ("ArgMin", |b, n| arg(b, n, ArgMode::ArgMin)), ("TopK", top_k)];

fn arg<'m>(b: &mut Importer<'m>, n: &Node<'m>, mode: ArgMode) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let axis = n.axis_or("axis", 0, x.rank())?;
    let tensor = b.tensor(x)?;
    let select_last_index = n.flag("select_last_index");
    let indices = positions(b, tensor, axis, mode, select_last_index)?;
    let mut shape = x.shape();
    if n.int_or("keepdims", 1) == 0 {
        if axis < shape.len() {
            shape.remove(axis);
        }
    } else if axis < shape.len() {
        shape[axis] = 1;
    }
    Ok(vec![b.shaped(indices, &shape, Dtype::Int64)?])
}

/// Returns the position of an extremum along an axis, whose size becomes 1.
fn positions(b: &mut Importer, x: Tensor, axis: usize, mode: ArgMode, select_last_index: bool) -> Result<Tensor> {
    let op = Arg { select_last_index, ..Arg::new(x, axis as i64, true, mode) };
    let dtype = b.dtype(x)?;
    let made = b.graph.op(op).out_dtypes([Dtype::Int32, dtype]).out_present([true, false]).call()?;
    made.first().copied().ok_or_else(|| crate::base::invalid("it has no result"))
}

/// 1 at the first largest entry of an axis, otherwise 0.
pub fn one_at_largest(b: &mut Importer, x: Tensor, axis: usize) -> Result<Tensor> {
    let shape = b.shape(x)?;
    table(&[shape[axis]])?;
    let at = positions(b, x, axis, ArgMode::ArgMax, false)?;
    let at = b.real(at)?;
    let mut along: Shape = vec![1; shape.len()];
    along[axis] = shape[axis];
    let all = Array::from_f64s(Dtype::Float32, along, (0..shape[axis]).map(|i| i as f64))?;
    let all = b.coefficient(all)?;
    b.compare(at, CompareMode::Equal, all)
}

fn top_k<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let axis = n.axis_or("axis", -1, x.rank())?;
    let k = if n.version < 10 { n.int_or("k", 1) } else { known_int(n.input(1)?, "k")? };
    let (largest, sorted) = (n.int_or("largest", 1) != 0, n.int_or("sorted", 1) != 0);
    let tensor = b.tensor(x)?;
    let made = b.graph.op(TopK { K: k, largest, sorted, ..TopK::new(tensor, axis as i64) }).call()?;
    let [values, indices] = made[..] else { return Err(crate::base::invalid("it has two results")) };
    Ok(vec![b.value(values, x.dtype())?, b.value(indices, Dtype::Int64)?])
}
