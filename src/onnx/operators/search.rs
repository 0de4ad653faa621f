//! Operators whose results have sizes that depend on values: these must be known when the network is read. Sequences that are
//! reversed in part.
use super::Convert;
use crate::{
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, known_floats, known_ints, table},
    ops::{Gather, GatherElements},
    value::{Value, stored_shape},
};
use std::collections::{HashMap, HashSet};

pub const OPERATORS: &[(&str, Convert)] =
    &[("Compress", compress), ("NonZero", non_zero), ("ReverseSequence", reverse_sequence), ("Unique", unique)];

/// Takes the entries of an axis, or the elements, at which a condition holds.
fn compress<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, condition) = (n.input(0)?, known_floats(n.input(1)?, "condition")?);
    let mut tensor = b.tensor(x)?;
    let axis = match n.int("axis") {
        Some(axis) => crate::node::resolved_axis("axis", axis, x.rank())?,
        None => {
            tensor = b.reshape(tensor, &[x.elements()])?;
            0
        }
    };
    let at: Vec<f64> = condition.iter().enumerate().filter(|(_, c)| **c != 0.0).map(|(i, _)| i as f64).collect();
    if at.is_empty() {
        return Err(invalid("its condition holds nowhere; tensors have at least one element"));
    }
    let at = b.coefficient(Array::from_f64s(Dtype::Int32, [at.len()], at.into_iter())?)?;
    let made = b.op(Gather { axis: axis as i64, ..Gather::new(tensor, at) })?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Returns the numbers of an operand on which the size of a result depends.
fn known(x: &Value) -> Result<Vec<f64>> {
    match x.as_constant() {
        Some(array) => array.to_f64(),
        None => Err(invalid(
            "the size of its result depends on the values of its operand, and tensors have known shapes; end the network before it (--cut-outputs)",
        )),
    }
}

/// The positions of numbers other than 0: a row for each axis. A scalar has one, as in onnxruntime.
fn non_zero<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let values = known(x)?;
    let shape = stored_shape(&x.shape());
    let found: Vec<usize> = (0..values.len()).filter(|&i| values[i] != 0.0).collect();
    let mut all = Vec::new();
    for axis in 0..shape.len() {
        let inner: usize = shape[axis + 1..].iter().product();
        all.extend(found.iter().map(|i| (i / inner % shape[axis]) as i64));
    }
    Ok(vec![Value::constant(Array::from_vec([shape.len(), found.len()], all)?)])
}

/// The different elements of a known tensor.
fn unique<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let values = known(x)?;
    if n.int("axis").is_some_and(|_| x.rank() > 1) {
        return Err(argument("axis", n.int_or("axis", 0), "only the elements of the whole operand are compared"));
    }
    // The two zeros are one element.
    let key = |v: f64| (v + 0.0).to_bits();
    let mut seen = HashSet::new();
    let mut order: Vec<usize> = (0..values.len()).filter(|&i| seen.insert(key(values[i]))).collect();
    if n.int_or("sorted", 1) != 0 {
        order.sort_by(|&a, &c| values[a].total_cmp(&values[c]));
    }
    let places: HashMap<u64, i64> =
        order.iter().enumerate().map(|(place, &o)| (key(values[o]), place as i64)).collect();
    let inverse: Vec<i64> = values.iter().map(|v| places[&key(*v)]).collect();
    let mut counts = vec![0i64; order.len()];
    inverse.iter().for_each(|&i| counts[i as usize] += 1);
    let ints = |all: Vec<i64>| Array::from_vec([all.len()], all).map(Value::constant);
    let found = Array::from_f64s(x.dtype(), [order.len()], order.iter().map(|&o| values[o]))?;
    let first = order.iter().map(|&o| o as i64).collect();
    Ok(vec![Value::constant(found), ints(first)?, ints(inverse)?, ints(counts)?])
}

/// Reverses the first entries of each sequence.
fn reverse_sequence<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let lengths = known_ints(n.input(1)?, "sequence_lens")?;
    let (time, batch) = (n.axis_or("time_axis", 0, x.rank())?, n.axis_or("batch_axis", 1, x.rank())?);
    let shape = x.shape();
    if lengths.len() != shape[batch] || lengths.iter().any(|&l| l < 0 || l > shape[time] as i64) || time == batch {
        return Err(argument(
            "sequence_lens",
            format!("{lengths:?}"),
            format!("{} lengths of at most {}", shape[batch], shape[time]),
        ));
    }
    table(&shape)?;
    let place = |flat: usize| {
        let along = |axis: usize| flat / shape[axis + 1..].iter().product::<usize>() % shape[axis];
        let (t, length) = (along(time), lengths[along(batch)] as usize);
        if t < length { (length - 1 - t) as f64 } else { t as f64 }
    };
    let at = Array::from_f64s(Dtype::Int32, shape.clone(), (0..x.elements()).map(place))?;
    let (tensor, at) = (b.tensor(x)?, b.coefficient(at)?);
    let made = b.op(GatherElements { axis: time as i64, ..GatherElements::new(tensor, at) })?;
    Ok(vec![b.value_like(made, x)?])
}
