//! Gradients of reading, writing and sorting by index.
use super::{
    backward::{Backward, Output},
    reduce::NonZero,
};
use crate::{
    Operator, Tensor,
    array::Array,
    base::{Dtype, Result},
    emit::Emit,
    ops::{
        Arg, CompareMode, Gather, GatherElements, GatherND, IndexPut, Insert, Reduction, ScatterElements, ScatterND,
        Sort, TopK,
    },
};

/// Adds rows of updates to zeros: the entry of tuple `indices[i]` gets `updates[i]`.
fn scatter_add(b: &mut Backward, shape: &[usize], indices: Tensor, updates: Tensor) -> Result<Tensor> {
    let dtype = b.dtype(updates)?;
    let zeros = b.filled(0.0, dtype, shape)?;
    // The tool chain's executor needs as many axes of tuples as a tuple has indices.
    let (of_indices, of_updates) = (b.shape(indices)?, b.shape(updates)?);
    let ones = vec![1; of_indices[1] - 1];
    let indices = b.reshape(indices, &[ones.as_slice(), &of_indices].concat())?;
    let updates = b.reshape(updates, &[ones.as_slice(), &of_updates].concat())?;
    b.op(ScatterND { reduction: 1, ..ScatterND::new(zeros, indices, updates) })
}

/// Adds the gradient of each chosen entry to it.
pub(super) fn gather(b: &mut Backward, op: &Gather<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
    let outer: usize = shape[..axis].iter().product();
    let inner: usize = shape[axis + 1..].iter().product();
    let count: usize = b.shape(op.indices)?.iter().product();
    let indices = b.reshape(op.indices, &[count, 1])?;
    let dy = b.reshape(o.dy, &[outer, count, inner])?;
    let rows = b.swap_axes(dy, 0, 1)?;
    let sums = scatter_add(b, &[shape[axis], outer, inner], indices, rows)?;
    let dx = b.swap_axes(sums, 0, 1)?;
    let dx = b.reshape(dx, &shape)?;
    b.give(op.input, dx)
}

pub(super) fn gather_nd(b: &mut Backward, op: &GatherND<Tensor>, o: Output) -> Result<()> {
    let (shape, of_indices) = (b.shape(op.input)?, b.shape(op.indices)?);
    let batch_dims = op.batch_dims as usize;
    let batch: usize = shape[..batch_dims].iter().product();
    let tuple = of_indices[of_indices.len() - 1];
    let count: usize = of_indices[batch_dims..of_indices.len() - 1].iter().product();
    let inner = &shape[batch_dims + tuple..];
    let (mut indices, mut flat) = (b.reshape(op.indices, &[batch * count, tuple])?, shape[batch_dims..].to_vec());
    if batch_dims > 0 {
        // Tuples begin with the number of the batch.
        let numbers = (0..batch * count).map(|i| (i / count) as i32).collect();
        let numbers = b.coefficient(Array::from_vec([batch * count, 1], numbers)?)?;
        let numbers = b.as_dtype(numbers, b.dtype(indices)?)?;
        indices = b.concat(vec![numbers, indices], 1)?;
        flat.insert(0, batch);
    }
    let dy = b.reshape(o.dy, &[&[batch * count], inner].concat())?;
    let dx = scatter_add(b, &flat, indices, dy)?;
    let dx = b.reshape(dx, &shape)?;
    b.give(op.input, dx)
}

/// The reverse of reading along an axis.
fn scatter_along(b: &mut Backward, input: Tensor, indices: Tensor, axis: i64, dy: Tensor) -> Result<()> {
    let (shape, dtype) = (b.shape(input)?, b.dtype(dy)?);
    let zeros = b.filled(0.0, dtype, &shape)?;
    let dx = b.op(ScatterElements { reduction: 1, ..ScatterElements::new(zeros, indices, dy, axis) })?;
    b.give(input, dx)
}

pub(super) fn gather_elements(b: &mut Backward, op: &GatherElements<Tensor>, o: Output) -> Result<()> {
    let rank = b.rank(op.input)? as i64;
    scatter_along(b, op.input, op.indices, op.axis.rem_euclid(rank), o.dy)
}

/// The values that were chosen get the gradient.
pub(super) fn sort(b: &mut Backward, op: &Sort<Tensor>, operator: &Operator) -> Result<()> {
    let (Some(o), Some(Some(indices))) = (b.output(operator, 0), operator.results.get(1)) else { return Ok(()) };
    let rank = b.rank(op.input)? as i64;
    scatter_along(b, op.input, *indices, op.axis.rem_euclid(rank), o.dy)
}

pub(super) fn top_k(b: &mut Backward, op: &TopK<Tensor>, operator: &Operator) -> Result<()> {
    let Some(o) = b.output(operator, 0) else { return Ok(()) };
    let indices = match operator.results.get(1) {
        Some(Some(indices)) => *indices,
        _ => {
            let dtype = b.dtype(o.y)?;
            let made = b.graph.op(op.clone()).out_dtypes([dtype, Dtype::Int32]).call()?;
            made[1]
        }
    };
    let rank = b.rank(op.input)? as i64;
    scatter_along(b, op.input, indices, op.axis.rem_euclid(rank), o.dy)
}

pub(super) fn arg(b: &mut Backward, op: &Arg<Tensor>, operator: &Operator) -> Result<()> {
    let (Some(o), Some(Some(indices))) = (b.output(operator, 1), operator.results.first()) else { return Ok(()) };
    let mut shape = b.shape(op.input)?;
    let axis = op.axis.rem_euclid(shape.len() as i64);
    shape[axis as usize] = 1;
    let (indices, dy) = (b.reshape(*indices, &shape)?, b.reshape(o.dy, &shape)?);
    scatter_along(b, op.input, indices, axis, dy)
}

/// Replaced entries of the input have no gradient; added ones do.
pub(super) fn scatter_elements(b: &mut Backward, op: &ScatterElements<Tensor>, o: Output) -> Result<()> {
    if b.wants(op.input) {
        let dx = if op.reduction == 0 {
            let zeros = b.zeros_like(op.updates)?;
            b.op(ScatterElements { reduction: 0, ..ScatterElements::new(o.dy, op.indices, zeros, op.axis) })?
        } else {
            o.dy
        };
        b.give(op.input, dx)?;
    }
    if b.wants(op.updates) {
        let rank = b.rank(op.input)? as i64;
        let axis = op.axis.rem_euclid(rank);
        let dx = b.op(GatherElements { axis, ..GatherElements::new(o.dy, op.indices) })?;
        b.give(op.updates, dx)?;
    }
    Ok(())
}

pub(super) fn scatter_nd(b: &mut Backward, op: &ScatterND<Tensor>, o: Output) -> Result<()> {
    match Reduction::of(op.reduction, 6)? {
        Reduction::Replace | Reduction::Add | Reduction::Sub => scatter_nd_sum(b, op, o),
        Reduction::Max | Reduction::Min => scatter_nd_extremum(b, op, o),
        Reduction::Mul => scatter_nd_product(b, op, o),
    }
}

/// Gives the updates a gradient, which may have another shape if it is a scalar.
fn give_updates(b: &mut Backward, op: &ScatterND<Tensor>, gradient: Tensor) -> Result<()> {
    let shape = b.shape(op.updates)?;
    let gradient = b.reshape(gradient, &shape)?;
    b.give(op.updates, gradient)
}

/// Replaced entries of the input have no gradient; added ones do.
fn scatter_nd_sum(b: &mut Backward, op: &ScatterND<Tensor>, o: Output) -> Result<()> {
    if b.wants(op.input_data) {
        let dx = if op.reduction == 0 {
            let zeros = b.zeros_like(op.updates)?;
            b.op(ScatterND::new(o.dy, op.indices, zeros))?
        } else {
            o.dy
        };
        b.give(op.input_data, dx)?;
    }
    if b.wants(op.updates) {
        let dx = b.op(GatherND::new(o.dy, op.indices))?;
        let dx = if op.reduction == 2 { b.neg(dx)? } else { dx };
        give_updates(b, op, dx)?;
    }
    Ok(())
}

/// The entries that changed or not, and the updates, as one value each.
struct Candidates {
    /// A number of each entry of the input.
    entries: Tensor,
    /// A number of each update.
    updates: Tensor,
}

impl Candidates {
    /// Adds the numbers of the updates to those of the entries that they go to.
    fn sum(&self, b: &mut Backward, op: &ScatterND<Tensor>) -> Result<Tensor> {
        b.op(ScatterND { reduction: 1, ..ScatterND::new(self.entries, op.indices, self.updates) })
    }
}

/// The values of `of` at the places of the updates.
fn at_updates(b: &mut Backward, op: &ScatterND<Tensor>, of: Tensor) -> Result<Tensor> {
    let values = b.op(GatherND::new(of, op.indices))?;
    let shape = b.shape(op.updates)?;
    b.reshape(values, &shape)
}

/// The gradient of an entry goes to those that it equals, in equal parts.
fn scatter_nd_extremum(b: &mut Backward, op: &ScatterND<Tensor>, o: Output) -> Result<()> {
    let y = at_updates(b, op, o.y)?;
    let chosen = Candidates {
        entries: b.compare(op.input_data, CompareMode::Equal, o.y)?,
        updates: b.compare(op.updates, CompareMode::Equal, y)?,
    };
    let count = chosen.sum(b, op)?;
    let part = b.div(o.dy, count)?;
    let dx = b.select_or(chosen.entries, part, 0.0)?;
    b.give(op.input_data, dx)?;
    if b.wants(op.updates) {
        let part = at_updates(b, op, part)?;
        let dx = b.select_or(chosen.updates, part, 0.0)?;
        give_updates(b, op, dx)?;
    }
    Ok(())
}

/// For each factor, the product of the others.
fn scatter_nd_product(b: &mut Backward, op: &ScatterND<Tensor>, o: Output) -> Result<()> {
    let (x, u) = (NonZero::new(b, op.input_data)?, NonZero::new(b, op.updates)?);
    let zeros = Candidates { entries: x.is_zero, updates: u.is_zero }.sum(b, op)?;
    let product = b.op(ScatterND { reduction: 5, ..ScatterND::new(x.factor, op.indices, u.factor) })?;
    let slope = x.others(b, product, zeros)?;
    let dx = b.mul(o.dy, slope)?;
    b.give(op.input_data, dx)?;
    if b.wants(op.updates) {
        let (product, zeros) = (at_updates(b, op, product)?, at_updates(b, op, zeros)?);
        let slope = u.others(b, product, zeros)?;
        let dy = at_updates(b, op, o.dy)?;
        let dx = b.mul(dy, slope)?;
        give_updates(b, op, dx)?;
    }
    Ok(())
}

/// Rows that are replaced, or added to.
pub(super) fn index_put(b: &mut Backward, op: &IndexPut<Tensor>, o: Output) -> Result<()> {
    if b.wants(op.input) {
        let dx = if op.accumulate {
            o.dy
        } else {
            let zeros = b.zeros_like(op.values)?;
            b.op(IndexPut { input: o.dy, indices: op.indices, values: zeros, ..op.clone() })?
        };
        b.give(op.input, dx)?;
    }
    if b.wants(op.values) {
        let dx = b.op(Gather::new(o.dy, op.indices))?;
        let shape = b.shape(op.values)?;
        let dx = b.reshape(dx, &shape)?;
        b.give(op.values, dx)?;
    }
    Ok(())
}

pub(super) fn insert(b: &mut Backward, op: &Insert<Tensor>, o: Output) -> Result<()> {
    let axis = op.axis.rem_euclid(b.rank(op.input)? as i64) as usize;
    let (whole, count, first) = (b.shape(op.input)?[axis], b.shape(op.rhs)?[axis], op.offset as usize);
    if b.wants(op.input) {
        let zeros = b.zeros_like(op.rhs)?;
        let mut parts = Vec::new();
        if first > 0 {
            parts.push(b.slice(o.dy, axis, 0, first)?);
        }
        parts.push(zeros);
        if first + count < whole {
            parts.push(b.slice(o.dy, axis, first + count, whole - first - count)?);
        }
        let dx = b.concat(parts, axis)?;
        b.give(op.input, dx)?;
    }
    let dx = b.slice(o.dy, axis, first, count)?;
    b.give(op.rhs, dx)
}

/// The sum of the rows of each index, turned back.
pub(super) fn emb_dense_bwd(b: &mut Backward, grad_output: Tensor, indices: Tensor, o: Output) -> Result<()> {
    let shape = b.shape(grad_output)?;
    let count: usize = b.shape(indices)?.iter().product();
    let indices = b.reshape(indices, &[count])?;
    let rows = b.op(Gather::new(o.dy, indices))?;
    let rows = b.reshape(rows, &shape)?;
    b.give(grad_output, rows)
}
