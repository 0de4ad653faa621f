//! Writing by index.
use super::{
    OpKernel, Operand,
    gather::{places_along, places_of_tuples},
    layout::{converted, with_element},
    task::{PostOp, Task},
    workspace::{self, Workspace, if_result, ints, reals, result_reals},
};
use crate::{
    ValueType,
    array::{Array, ArrayMut, Element},
    base::Result,
    ops::{IndexPut, Insert, Reduction, ScatterElements, ScatterND},
    quant::RoundMode,
};

/// Copies the updates in order, `run` elements to each offset.
fn put(to: &mut ArrayMut, updates: &Array, places: &[i64], run: usize) -> Result<()> {
    fn go<T: Element>(to: &mut ArrayMut, updates: &Array, places: &[i64], run: usize) -> Result<()> {
        let to = to.bits::<T>()?;
        each_place(to, &updates.bits::<T>()?, places, run, |old, new| *old = new);
        Ok(())
    }
    with_element!(updates.dtype(), go(to, updates, places, run))
}

fn each_place<T: Copy>(to: &mut [T], updates: &[T], places: &[i64], run: usize, f: impl Fn(&mut T, T)) {
    for (&at, new) in places.iter().zip(updates.chunks(run)) {
        to[at as usize..].iter_mut().zip(new).for_each(|(old, new)| f(old, *new));
    }
}

fn reduce_real(reduction: Reduction) -> fn(&mut f32, f32) {
    match reduction {
        Reduction::Replace => |old, new| *old = new,
        Reduction::Add => |old, new| *old += new,
        Reduction::Sub => |old, new| *old -= new,
        // A NaN update is stored, and a stored NaN is kept.
        Reduction::Max => |old, new| *old = if new > *old || new.is_nan() { new } else { *old },
        Reduction::Min => |old, new| *old = if new < *old || new.is_nan() { new } else { *old },
        Reduction::Mul => |old, new| *old *= new,
    }
}

fn reduce_int(reduction: Reduction) -> fn(&mut i64, i64) {
    match reduction {
        Reduction::Replace => |old, new| *old = new,
        Reduction::Add => |old, new| *old = old.saturating_add(new),
        Reduction::Sub => |old, new| *old = old.saturating_sub(new),
        Reduction::Max => |old, new| *old = new.max(*old),
        Reduction::Min => |old, new| *old = new.min(*old),
        Reduction::Mul => |old, new| *old = old.saturating_mul(new),
    }
}

/// The offsets, and the operands of [`scatter`] in its number format.
fn workspace([input, indices, updates]: [&Operand; 3], computes: bool) -> Workspace {
    let numbers = match computes {
        true => if_result(ValueType::is_plain_int, ints([input, updates]), reals([input, updates]) + result_reals()),
        false => workspace::converted([input, updates]),
    };
    ints([indices]) + numbers
}

/// Copies the input and applies `run` updates at each offset. Arithmetic is in real numbers, but exact for plain
/// integers.
fn scatter(
    t: &mut Task,
    [input, updates]: [&Operand; 2],
    places: &[i64],
    run: usize,
    reduction: Reduction,
) -> Result<()> {
    let result = t.result(0)?;
    if reduction == Reduction::Replace {
        let (input, updates) =
            (converted(t, input, 0, RoundMode::default())?, converted(t, updates, 0, RoundMode::default())?);
        let to = t.memory(0)?;
        to.bytes().copy_from_slice(input.bytes()?);
        return put(to, &updates, places, run);
    }
    if result.is_plain_int() {
        let (mut all, updates) = (t.ints(input)?, t.ints(updates)?);
        each_place(&mut all, &updates, places, run, reduce_int(reduction));
        return t.write_ints(0, &all);
    }
    let (input, updates) = (t.reals(input)?, t.reals(updates)?);
    t.write(0, PostOp::default(), |out| {
        out.copy_from_slice(&input);
        each_place(out, &updates, places, run, reduce_real(reduction));
        Ok(())
    })
}

pub(super) fn scatter_elements(op: ScatterElements<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace([&op.input, &op.indices, &op.updates], op.reduction != 0), move |t| {
        let shape = &op.input.ty.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let mut places = t.ints(&op.indices)?;
        places_along(&mut places, &op.indices.ty.shape, shape, axis)?;
        scatter(t, [&op.input, &op.updates], &places, 1, Reduction::of(op.reduction, 2)?)
    })
}

pub(super) fn scatter_nd(op: ScatterND<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace([&op.input_data, &op.indices, &op.updates], op.reduction != 0), move |t| {
        let shape = &op.input_data.ty.shape;
        let n = op.indices.ty.shape.last().copied().unwrap_or(1);
        let mut places = t.ints(&op.indices)?;
        places_of_tuples(&mut places, n, shape, 0)?;
        let run = shape[n..].iter().product();
        scatter(t, [&op.input_data, &op.updates], &places, run, Reduction::of(op.reduction, 6)?)
    })
}

pub(super) fn index_put(op: IndexPut<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace([&op.input, &op.indices, &op.values], op.accumulate), move |t| {
        let shape = &op.input.ty.shape;
        let mut places = t.ints(&op.indices)?;
        places_of_tuples(&mut places, 1, shape, 0)?;
        let reduction = if op.accumulate { Reduction::Add } else { Reduction::Replace };
        scatter(t, [&op.input, &op.values], &places, shape[1..].iter().product(), reduction)
    })
}

pub(super) fn insert(op: Insert<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&op.input, &op.rhs]), move |t| {
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let rhs = converted(t, &op.rhs, 0, RoundMode::default())?;
        let axis = op.axis.rem_euclid(input.shape().len() as i64) as usize;
        let entry = input.shape()[axis + 1..].iter().product::<usize>() * input.dtype().size();
        let (whole, part) = (input.shape()[axis] * entry, rhs.shape()[axis] * entry);
        let at = op.offset as usize * entry;
        let to = t.memory(0)?.bytes();
        to.copy_from_slice(input.bytes()?);
        let rows = to.chunks_exact_mut(whole).zip(rhs.bytes()?.chunks_exact(part));
        rows.for_each(|(to, from)| to[at..at + part].copy_from_slice(from));
        Ok(())
    })
}
