//! Writing by index.
use super::{
    OpKernel, Operand,
    gather::{places_along, places_of_tuples},
    layout::{converted, with_element},
    task::{PostOp, Task, ints_of},
    workspace::{self, Workspace, elements, if_result, ints, product, reals, result_reals},
};
use crate::{
    ValueType,
    array::{Array, ArrayMut, Element},
    base::Result,
    ops::{IndexPut, Insert, Reduction, ScatterElements, ScatterND},
    quant::RoundMode,
};
use std::{borrow::Cow, ops::Range};

/// The elements that a scatter updates.
struct Places {
    indices: Operand,
    of: Box<PlacesOf>,
    /// Number of adjacent elements to update at each offset.
    run: usize,
    /// The ranges, if the indices are constant and valid.
    fixed: Option<Vec<Range<usize>>>,
}

/// Replaces indices by element offsets.
type PlacesOf = dyn Fn(&mut Vec<i64>) -> Result<()> + Send + Sync;

impl Places {
    fn new(indices: &Operand, run: usize, of: impl Fn(&mut Vec<i64>) -> Result<()> + Send + Sync + 'static) -> Places {
        let mut places = Places { indices: indices.without_values(), of: Box::new(of), run, fixed: None };
        let ints = indices.constant.as_ref().and_then(|c| ints_of(c, &indices.ty, |_, v| v).ok());
        places.fixed = ints.and_then(|ints| places.ranges(ints).ok());
        places
    }
    /// Returns the ranges of elements to update, in the order of the updates.
    fn get(&self, t: &Task) -> Result<Cow<'_, [Range<usize>]>> {
        Ok(match &self.fixed {
            Some(fixed) => Cow::Borrowed(fixed),
            None => Cow::Owned(self.ranges(t.ints(&self.indices)?)?),
        })
    }
    fn ranges(&self, mut indices: Vec<i64>) -> Result<Vec<Range<usize>>> {
        (self.of)(&mut indices)?;
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for start in indices.into_iter().map(|place| place as usize) {
            match ranges.last_mut() {
                Some(last) if last.end == start => last.end += self.run,
                _ => ranges.push(start..start + self.run),
            }
        }
        Ok(ranges)
    }
    /// Creates a kernel that does not read constant indices.
    fn kernel(
        self,
        workspace: Workspace,
        run: impl Fn(&mut Task, &[Range<usize>]) -> Result<()> + Send + Sync + 'static,
    ) -> OpKernel {
        let unread = self.fixed.is_some().then(|| self.indices.clone());
        let workspace = if unread.is_some() { workspace } else { elements([&self.indices], RANGE) + workspace };
        OpKernel::with_workspace(workspace, move |t| run(t, &self.get(t)?)).without(&unread)
    }
}

/// Bytes of an index and its range.
const RANGE: usize = size_of::<i64>() + size_of::<Range<usize>>();

/// Copies the updates in order.
fn put(to: &mut ArrayMut, updates: &Array, places: &[Range<usize>]) -> Result<()> {
    fn go<T: Element>(to: &mut ArrayMut, updates: &Array, places: &[Range<usize>]) -> Result<()> {
        let to = to.bits::<T>()?;
        each_range(to, &updates.bits::<T>()?, places, |old, new| old.copy_from_slice(new));
        Ok(())
    }
    with_element!(updates.dtype(), go(to, updates, places))
}

/// Calls `f` with each range of elements and its updates.
fn each_range<T>(to: &mut [T], mut updates: &[T], places: &[Range<usize>], f: impl Fn(&mut [T], &[T])) {
    for range in places {
        let (now, rest) = updates.split_at(range.len());
        f(&mut to[range.clone()], now);
        updates = rest;
    }
}

/// Combines each element with its updates, one after the other.
fn combine<T: Copy>(to: &mut [T], updates: &[T], places: &[Range<usize>], f: impl Fn(T, T) -> T) {
    each_range(to, updates, places, |old, new| old.iter_mut().zip(new).for_each(|(old, new)| *old = f(*old, *new)));
}

fn combine_reals(reduction: Reduction, to: &mut [f32], updates: &[f32], places: &[Range<usize>]) {
    match reduction {
        Reduction::Replace => combine(to, updates, places, |_, new| new),
        Reduction::Add => combine(to, updates, places, |old, new| old + new),
        Reduction::Sub => combine(to, updates, places, |old, new| old - new),
        // A NaN update is stored, and a stored NaN is kept.
        Reduction::Max => combine(to, updates, places, |old, new| if new > old || new.is_nan() { new } else { old }),
        Reduction::Min => combine(to, updates, places, |old, new| if new < old || new.is_nan() { new } else { old }),
        Reduction::Mul => combine(to, updates, places, |old, new| old * new),
    }
}

fn combine_ints(reduction: Reduction, to: &mut [i64], updates: &[i64], places: &[Range<usize>]) {
    match reduction {
        Reduction::Replace => combine(to, updates, places, |_, new| new),
        Reduction::Add => combine(to, updates, places, i64::saturating_add),
        Reduction::Sub => combine(to, updates, places, i64::saturating_sub),
        Reduction::Max => combine(to, updates, places, i64::max),
        Reduction::Min => combine(to, updates, places, i64::min),
        Reduction::Mul => combine(to, updates, places, i64::saturating_mul),
    }
}

/// The operands of [`scatter`] in its number format.
fn workspace([input, updates]: [&Operand; 2], computes: bool) -> Workspace {
    match computes {
        true => if_result(ValueType::is_plain_int, ints([input, updates]), reals([input, updates]) + result_reals()),
        false => workspace::converted([input, updates]),
    }
}

/// Copies the input and applies the updates. Arithmetic is in real numbers, but exact for plain integers.
fn scatter(t: &mut Task, [input, updates]: [&Operand; 2], places: &[Range<usize>], reduction: Reduction) -> Result<()> {
    let result = t.result(0)?;
    if reduction == Reduction::Replace {
        let (input, updates) =
            (converted(t, input, 0, RoundMode::default())?, converted(t, updates, 0, RoundMode::default())?);
        let to = t.memory(0)?;
        to.bytes().copy_from_slice(input.bytes()?);
        return put(to, &updates, places);
    }
    if result.is_plain_int() {
        let (mut all, updates) = (t.ints(input)?, t.ints(updates)?);
        combine_ints(reduction, &mut all, &updates, places);
        return t.write_ints(0, &all);
    }
    let (input, updates) = (t.reals(input)?, t.reals(updates)?);
    t.write(0, PostOp::default(), |out| {
        out.copy_from_slice(&input);
        combine_reals(reduction, out, &updates, places);
        Ok(())
    })
}

pub(super) fn scatter_elements(op: ScatterElements<Operand>) -> OpKernel {
    let (shape, of_indices) = (op.input.ty.shape.clone(), op.indices.ty.shape.clone());
    let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
    let places = Places::new(&op.indices, 1, move |indices| places_along(indices, 0, &of_indices, &shape, axis));
    places.kernel(workspace([&op.input, &op.updates], op.reduction != 0), move |t, places| {
        scatter(t, [&op.input, &op.updates], places, Reduction::of(op.reduction, 2)?)
    })
}

/// Returns the places of tuples of `n` indices of the first axes.
fn places_of_first_axes(indices: &Operand, n: usize, input: &Operand) -> Places {
    let shape = input.ty.shape.clone();
    let run = product(&shape[n..]);
    Places::new(indices, run, move |indices| places_of_tuples(indices, n, &shape, 0))
}

pub(super) fn scatter_nd(op: ScatterND<Operand>) -> OpKernel {
    let n = op.indices.ty.shape.last().copied().unwrap_or(1);
    let places = places_of_first_axes(&op.indices, n, &op.input_data);
    places.kernel(workspace([&op.input_data, &op.updates], op.reduction != 0), move |t, places| {
        scatter(t, [&op.input_data, &op.updates], places, Reduction::of(op.reduction, 6)?)
    })
}

pub(super) fn index_put(op: IndexPut<Operand>) -> OpKernel {
    let reduction = if op.accumulate { Reduction::Add } else { Reduction::Replace };
    let places = places_of_first_axes(&op.indices, 1, &op.input);
    places.kernel(workspace([&op.input, &op.values], op.accumulate), move |t, places| {
        scatter(t, [&op.input, &op.values], places, reduction)
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

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, base::Result, ops::ScatterND, run};
    use proptest::prelude::*;

    /// Scatters the numbers 0, 1 and so on to a tensor of -1.
    fn scattered(shape: [usize; 3], n: usize, indices: &[i32], is_constant: bool) -> Result<Vec<f64>> {
        let count = indices.len() / n;
        let mut g = Graph::new("g")?;
        let x = g.input("x", Dtype::Float32, shape)?;
        let indices = Array::from_vec([count, n], indices.to_vec())?;
        let i =
            if is_constant { g.coefficient("i", indices.clone())? } else { g.input("i", Dtype::Int32, [count, n])? };
        let updates: Vec<usize> = [count].into_iter().chain(shape[n..].iter().copied()).collect();
        let u = g.input("u", Dtype::Float32, updates.clone())?;
        let y = g.op(ScatterND::new(x, i, u)).out_name("y").call()?;
        g.set_outputs(&y)?;
        let of = |shape: &[usize], f: fn(usize) -> f64| {
            Array::from_f64s(Dtype::Float32, shape, (0..shape.iter().product()).map(f))
        };
        let mut feeds = vec![("x", of(&shape, |_| -1.0)?), ("u", of(&updates, |i| i as f64)?)];
        if !is_constant {
            feeds.push(("i", indices));
        }
        run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default())?.tensors["y"].to_f64()
    }

    proptest! {
        #[test]
        fn constant_indices_are_like_others(
            shape in prop::array::uniform3(1usize..5), n in 1usize..4, picks in prop::collection::vec(0usize..125, 1..12), is_dense: bool,
        ) {
            let whole: usize = shape[..n].iter().product();
            // Adjacent places are copied together.
            let picks = picks.iter().enumerate().map(|(i, pick)| if is_dense { (picks[0] + i) % whole } else { pick % whole });
            let picks: Vec<usize> = picks.collect();
            let mut indices = vec![];
            for &pick in &picks {
                let mut rest = pick;
                let mut tuple: Vec<i32> = (0..n).rev().map(|a| { let i = rest % shape[a]; rest /= shape[a]; i as i32 }).collect();
                tuple.reverse();
                indices.extend(tuple);
            }
            let run: usize = shape[n..].iter().product();
            let mut want = vec![-1.0; whole * run];
            for (i, pick) in picks.iter().enumerate() {
                (0..run).for_each(|j| want[pick * run + j] = (i * run + j) as f64);
            }
            prop_assert_eq!(&scattered(shape, n, &indices, true).unwrap(), &want);
            prop_assert_eq!(&scattered(shape, n, &indices, false).unwrap(), &want);
        }
    }

    #[test]
    fn constant_indices_out_of_range_are_errors_of_the_run() {
        let messages =
            [true, false].map(|is_constant| scattered([2, 3, 4], 2, &[1, 3], is_constant).unwrap_err().to_string());
        assert!(messages[0].contains("index 3 is out of range for axis 1 (3 entries)"), "{}", messages[0]);
        assert_eq!(messages[0], messages[1]);
    }
}
