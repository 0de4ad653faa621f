//! Entries by index, read and written.
use super::{
    Convert,
    compare::same_dtype,
    range::{range_of, with_range},
};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, Shape, argument, invalid, pluralized},
    emit::Emit,
    import::Importer,
    node::{Node, table},
    ops::{Gather, GatherElements, GatherND, ScatterElements, ScatterND},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Gather", gather),
    ("GatherElements", gather_elements),
    ("GatherND", gather_nd),
    ("OneHot", one_hot),
    ("Scatter", |b, n| scatter_elements(b, n)),
    ("ScatterElements", |b, n| scatter_elements(b, n)),
    ("ScatterND", scatter_nd),
    ("TensorScatter", tensor_scatter),
];

fn gather<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, indices) = (n.input(0)?, n.input(1)?);
    let axis = n.axis_or("axis", 0, x.rank())?;
    gathered(b, x, indices, axis).map(|v| vec![v])
}

/// Returns the entries of an axis at some positions.
pub fn gathered(b: &mut Importer, x: &Value, indices: &Value, axis: usize) -> Result<Value> {
    let shape = x.shape();
    let result: Shape = [&shape[..axis], &indices.shape(), shape.get(axis + 1..).unwrap_or(&[])].concat();
    let known = indices.as_constant().map(|indices| known_indices(indices, axis, shape[axis])).transpose()?;
    let tensor = b.tensor(x)?;
    // One known index is a slice.
    if let (Some([index]), false) = (known.as_deref(), x.is_constant()) {
        let made = b.slice(tensor, axis, *index, 1)?;
        return b.shaped(made, &result, x.dtype());
    }
    let indices = b.tensor(indices)?;
    let made = b.op(Gather { axis: axis as i64, ..Gather::new(tensor, indices) })?;
    b.shaped(made, &result, x.dtype())
}

/// Returns indices as positions on an axis of this size; negative ones count from the end.
fn known_indices(indices: &Array, axis: usize, size: usize) -> Result<Vec<usize>> {
    let length = size as f64;
    let position = |index: f64| {
        let at = if index < 0.0 { index + length } else { index };
        match (0.0..length).contains(&at) {
            true => Ok(at as usize),
            false => Err(argument("an index", index, format!("axis {axis} has {}", pluralized(size, "entry")))),
        }
    };
    indices.to_f64()?.into_iter().map(position).collect()
}

/// Returns the entries of an axis at known positions.
pub fn selected(b: &mut Importer, x: Tensor, axis: usize, at: &[i64]) -> Result<Tensor> {
    let size = b.shape(x)?.get(axis).copied().unwrap_or(0);
    if let Some(wrong) = at.iter().find(|at| **at < 0 || **at >= size as i64) {
        return Err(argument("an index", wrong, format!("axis {axis} has {}", pluralized(size, "entry"))));
    }
    let indices = Array::from_f64s(Dtype::Int32, [at.len()], at.iter().map(|v| *v as f64))?;
    let indices = b.coefficient(indices)?;
    b.op(Gather { axis: axis as i64, ..Gather::new(x, indices) })
}

fn gather_elements<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, indices) = (n.input(0)?, n.input(1)?);
    let axis = n.axis_or("axis", 0, x.rank())?;
    let (tensor, at) = (b.tensor(x)?, b.tensor(indices)?);
    let made = b.op(GatherElements { axis: axis as i64, ..GatherElements::new(tensor, at) })?;
    Ok(vec![b.shaped(made, &indices.shape(), x.dtype())?])
}

fn gather_nd<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, indices) = (n.input(0)?, n.input(1)?);
    let batch_dims = n.int_or("batch_dims", 0);
    let (shape, at) = (x.shape(), indices.shape());
    let [outer @ .., width] = at.as_slice() else {
        return Err(invalid("its indices must have at least one dimension"));
    };
    let batches = usize::try_from(batch_dims).map_err(|_| argument("batch_dims", batch_dims, "expected at least 0"))?;
    let rest = shape.get(batches.saturating_add(*width)..).unwrap_or(&[]);
    let result: Shape = [outer, rest].concat();
    let (tensor, at) = (b.tensor(x)?, b.tensor(indices)?);
    let made = b.op(GatherND { batch_dims, ..GatherND::new(tensor, at) })?;
    Ok(vec![b.shaped(made, &result, x.dtype())?])
}

/// What happens to an element that is written to. `top.ScatterElements` has no product or extremum; `top.ScatterND` has.
#[derive(Clone, Copy, PartialEq)]
enum Reduction {
    Replace,
    Add,
    Other,
}

fn scatter_elements<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, indices, updates) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let axis = n.axis_or("axis", 0, x.rank())?;
    let words = [
        ("none", Reduction::Replace),
        ("add", Reduction::Add),
        ("mul", Reduction::Other),
        ("max", Reduction::Other),
        ("min", Reduction::Other),
    ];
    let reduction = n.word("reduction", "none", &words)?;
    if reduction == Reduction::Other {
        return elements_as_tuples(b, n, axis);
    }
    let ((tensor, updates), at) = (same_dtype(b, x, updates)?, b.tensor(indices)?);
    let reduction = i64::from(reduction == Reduction::Add);
    let made = b.op(ScatterElements { reduction, ..ScatterElements::new(tensor, at, updates, axis as i64) })?;
    Ok(vec![b.value_like(made, x)?])
}

/// The numbers of `top.ScatterND`'s reductions.
const REDUCTIONS: [(&str, i64); 5] = [("none", 0), ("add", 1), ("max", 3), ("min", 4), ("mul", 5)];

/// Writes elements at tuples of indices: the position on each axis but one is the element's own.
fn elements_as_tuples<'m>(b: &mut Importer<'m>, n: &Node<'m>, axis: usize) -> Result<Vec<Value>> {
    let (x, indices, updates) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let shape = indices.shape();
    let count = table(&shape)?;
    let mut columns = Vec::new();
    for along in 0..shape.len() {
        let column = if along == axis {
            let at = b.tensor(indices)?;
            b.as_dtype(at, Dtype::Int32)?
        } else {
            let inner: usize = shape[along + 1..].iter().product();
            let own = (0..count).map(|i| (i / inner % shape[along]) as f64);
            b.coefficient(crate::array::Array::from_f64s(Dtype::Int32, [count], own)?)?
        };
        columns.push(b.reshape(column, &[count, 1])?);
    }
    let tuples = b.concat(columns, 1)?;
    let (tensor, updates) = same_dtype(b, x, updates)?;
    let updates = b.reshape(updates, &[count])?;
    let reduction = n.word("reduction", "none", &REDUCTIONS)?;
    let made = b.op(ScatterND { reduction, ..ScatterND::new(tensor, tuples, updates) })?;
    Ok(vec![b.value_like(made, x)?])
}

fn scatter_nd<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, indices, updates) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let reduction = n.word("reduction", "none", &REDUCTIONS)?;
    let known = indices.as_constant().filter(|_| reduction == 0);
    if let Some((axis, range)) = known.map(|indices| range_of(&x.shape(), indices)).transpose()?.flatten()
        && x.elements() / x.shape()[axis] * range.len() == updates.elements()
    {
        return with_range(b, x, updates, (axis, range));
    }
    let ((tensor, updates), at) = (same_dtype(b, x, updates)?, b.tensor(indices)?);
    let made = b.op(ScatterND { reduction, ..ScatterND::new(tensor, at, updates) })?;
    Ok(vec![b.value_like(made, x)?])
}

/// Writes to a range of an axis, which begins elsewhere in each sample of the batch.
fn tensor_scatter<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, update) = (n.input(0)?, n.input(1)?);
    let (shape, new) = (x.shape(), update.shape());
    let axis = n.axis_or("axis", -2, shape.len())?;
    if axis == 0 || new.len() != shape.len() {
        return Err(argument("axis", axis, "it must not be the batch's"));
    }
    let circular = n.word("mode", "linear", &[("linear", false), ("circular", true)])?;
    table(&new)?;
    // The position of each element along the axis, less the first.
    let inner: usize = new[axis + 1..].iter().product();
    let along = (0..update.elements()).map(|i| (i / inner % new[axis]) as f64);
    let mut at = b.coefficient(crate::array::Array::from_f64s(Dtype::Float32, new.clone(), along)?)?;
    if let Some(first) = n.optional(2) {
        let first = b.float_tensor(first)?;
        let first = b.along(first, 0, new.len())?;
        at = b.add(at, first)?;
    }
    if circular {
        let size =
            b.coefficient(crate::array::Array::filled(Dtype::Float32, vec![1; new.len()], shape[axis] as f64)?)?;
        at = b.op(crate::ops::Remainder::new(vec![at, size]))?;
    }
    let at = super::cast::truncated_to(b, at, Dtype::Int32)?;
    let (tensor, update) = (b.tensor(x)?, b.tensor(update)?);
    let made = b.op(ScatterElements::new(tensor, at, update, axis as i64))?;
    Ok(vec![b.value_like(made, x)?])
}

/// Compares the indices with the positions of the new axis.
fn one_hot<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (indices, depth, values) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let depth = crate::node::known_int(depth, "depth")?;
    let depth = usize::try_from(depth)
        .ok()
        .filter(|d| *d > 0)
        .ok_or_else(|| argument("depth", depth, "expected at least 1"))?;
    table(&[depth])?;
    let axis = n.axis_or("axis", -1, indices.rank() + 1)?;
    let mut with_axis = indices.shape();
    with_axis.insert(axis, 1);
    let mut at = b.float_tensor(indices)?;
    if indices.dtype().is_float() {
        let whole = super::cast::truncated_to(b, at, Dtype::Int32)?;
        at = b.real(whole)?;
    }
    let at = b.reshape(at, &with_axis)?;
    // Negative indices count from the end.
    let wrapped = b.add_const(at, depth as f64)?;
    let is_negative = b.compare_const(at, crate::ops::CompareMode::Less, 0.0)?;
    let at = b.select(is_negative, wrapped, at)?;
    let mut along = vec![1; with_axis.len()];
    along[axis] = depth;
    let positions = crate::array::Array::from_f64s(Dtype::Float32, along, (0..depth).map(|i| i as f64))?;
    let positions = b.coefficient(positions)?;
    let is_hot = b.compare(at, crate::ops::CompareMode::Equal, positions)?;
    let dtype = values.dtype();
    let made = off_or_on(b, is_hot, values)?;
    let made = super::cast::rounded_to(b, made, dtype)?;
    b.value(made, dtype).map(|v| vec![v])
}

/// The first of two values where the condition is 0, the second where it is 1.
fn off_or_on(b: &mut Importer, is_hot: Tensor, values: &Value) -> Result<Tensor> {
    if let Some(constant) = values.as_constant()
        && let [off, on] = constant.to_f64()?[..]
        && off == 0.0
        && on.is_finite()
    {
        return b.mul_const(is_hot, on);
    }
    let values = b.tensor(values)?;
    let (off, on) = (b.slice(values, 0, 0, 1)?, b.slice(values, 0, 1, 1)?);
    b.select(is_hot, on, off)
}
