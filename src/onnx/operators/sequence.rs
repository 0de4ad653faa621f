//! Sequences of known length, and values that may be missing.
use super::Convert;
use crate::{
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, known_int, known_ints, pieces, resolved_axis},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("ConcatFromSequence", concat_from_sequence),
    ("Optional", |_, n| Ok(vec![n.input(0)?.clone()])),
    ("OptionalGetElement", |_, n| Ok(vec![n.input(0)?.clone()])),
    ("OptionalHasElement", |_, n| {
        let has = if n.optional(0).is_some() { 1.0 } else { 0.0 };
        Ok(vec![Value::constant(Array::filled(Dtype::Bool, Vec::<usize>::new(), has)?)])
    }),
    ("SequenceAt", sequence_at),
    ("SequenceConstruct", |_, n| Ok(vec![Value::Sequence(n.all_inputs()?.into_iter().cloned().collect())])),
    ("SequenceEmpty", |_, _| Ok(vec![Value::Sequence(Vec::new())])),
    ("SequenceErase", sequence_erase),
    ("SequenceInsert", sequence_insert),
    ("SequenceLength", |_, n| {
        let count = sequence(n)?.len() as i64;
        Ok(vec![Value::constant(Array::from_vec(Vec::<usize>::new(), vec![count])?)])
    }),
    ("SplitToSequence", split_to_sequence),
];

fn sequence(n: &Node) -> Result<Vec<Value>> {
    match n.input(0)? {
        Value::Sequence(all) => Ok(all.clone()),
        _ => Err(invalid("its operand is not a sequence")),
    }
}

/// Returns a position in a sequence; `end` is 1 if that behind the last element is one, too.
fn position(n: &Node, index: usize, count: usize, end: usize) -> Result<usize> {
    let at = known_int(n.input(index)?, "position")?;
    let from_start = if at < 0 { at + count as i64 } else { at };
    usize::try_from(from_start)
        .ok()
        .filter(|&at| at < count + end)
        .ok_or_else(|| argument("position", at, format!("the sequence has {count} elements")))
}

fn sequence_at<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let all = sequence(n)?;
    let at = position(n, 1, all.len(), 0)?;
    Ok(vec![all[at].clone()])
}

fn sequence_erase<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let mut all = sequence(n)?;
    let at = if n.optional(1).is_some() { position(n, 1, all.len(), 0)? } else { all.len().saturating_sub(1) };
    if at < all.len() {
        all.remove(at);
    }
    Ok(vec![Value::Sequence(all)])
}

fn sequence_insert<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let mut all = sequence(n)?;
    let at = if n.optional(2).is_some() { position(n, 2, all.len(), 1)? } else { all.len() };
    all.insert(at, n.input(1)?.clone());
    Ok(vec![Value::Sequence(all)])
}

fn concat_from_sequence<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let all = sequence(n)?;
    let axis = n.int("axis").ok_or_else(|| invalid("it has no axis"))?;
    let stacks = n.flag("new_axis");
    let rank = all.first().map_or(0, Value::rank) + usize::from(stacks);
    let axis = resolved_axis("axis", axis, rank)?;
    Ok(vec![joined(b, &all, axis, stacks)?])
}

/// Concatenates values along an axis, or stacks them along a new one.
pub fn joined(b: &mut Importer, all: &[Value], axis: usize, stacks: bool) -> Result<Value> {
    let first = all.first().ok_or_else(|| invalid("the sequence is empty"))?;
    let mut tensors = Vec::new();
    for value in all {
        let tensor = b.tensor(value)?;
        let mut shape = value.shape();
        if stacks {
            shape.insert(axis, 1);
        }
        let tensor = b.as_dtype(tensor, crate::value::stored(first.dtype()))?;
        tensors.push(b.reshape(tensor, &shape)?);
    }
    let made = b.concat(tensors, axis)?;
    b.value(made, first.dtype())
}

fn split_to_sequence<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    let axis = n.axis_or("axis", 0, shape.len())?;
    let size = shape.get(axis).copied().unwrap_or(1);
    let (sizes, keeps) = match n.optional(1) {
        None => (vec![1; pieces(size)?], n.int_or("keepdims", 1) != 0),
        Some(split) => {
            let given = known_ints(split, "split")?;
            let of_list = || given.iter().map(|&s| usize::try_from(s).unwrap_or(0)).collect();
            let sizes = match (split.rank(), given.first()) {
                // One number: the size of each part but the last.
                (0, Some(&each)) if each > 0 => {
                    pieces(size.div_ceil(each as usize))?;
                    (0..size).step_by(each as usize).map(|at| (each as usize).min(size - at)).collect()
                }
                _ => of_list(),
            };
            (sizes, true)
        }
    };
    if sizes.contains(&0) || sizes.iter().fold(0, |sum, &s| usize::saturating_add(sum, s)) != size {
        return Err(argument("split", format!("{sizes:?}"), format!("positive sizes that add up to {size}")));
    }
    let tensor = b.tensor(x)?;
    let mut start = 0;
    let mut all = Vec::new();
    for count in sizes {
        let part = b.slice(tensor, axis, start, count)?;
        let mut part_shape = shape.clone();
        part_shape[axis] = count;
        if !keeps {
            part_shape.remove(axis);
        }
        all.push(b.shaped(part, &part_shape, x.dtype())?);
        start += count;
    }
    Ok(vec![Value::Sequence(all)])
}
