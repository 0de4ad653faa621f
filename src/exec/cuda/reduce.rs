//! Reductions and cumulative sums.
use super::{
    builder::{Builder, arguments},
    chain::Chain,
    float::Float,
    formula::{Formula, Input, PostOp},
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::{Dtype, Result},
    exec::{
        Operand, ValueType,
        views::{View, axis_of},
    },
    ops::{CumSum, Reduce, ReduceMode, Variance, reduced_axes},
};

const FILE: File = file!("reduce.cu");

/// Returns the operand's values in the given float type, with the reduced axes moved to the end: the slot, the number of
/// rows, and their length.
fn rows(b: &mut Builder, input: &Operand, axes: &[i64], float: Float) -> Result<(Slot, usize, usize)> {
    let values = b.floats(input, float)?;
    rows_of(b, values, float.type_like(&input.ty), axes)
}

/// Like [`rows`], of values in a slot.
fn rows_of(b: &mut Builder, values: Slot, ty: ValueType, axes: &[i64]) -> Result<(Slot, usize, usize)> {
    let shape = &ty.shape;
    let reduced = reduced_axes(axes, shape.len())?;
    let (mut order, last): (Vec<i64>, Vec<i64>) =
        (0..shape.len() as i64).partition(|i| !reduced.contains(&(*i as usize)));
    let n: usize = last.iter().map(|&i| shape[i as usize]).product();
    let rows = ty.elements() / n;
    order.extend(last);
    if order.is_sorted() {
        return Ok((values, rows, n));
    }
    let view = View::in_order(shape, &order);
    let (transposed, counts) = (b.temporary(ty.bytes()), view.shape.clone());
    let formula = Formula::moved(Input::slot(values, ty.clone()).viewed(view));
    b.chain(Chain::new(vec![formula], transposed, ty).over(&counts))?;
    Ok((transposed, rows, n))
}

pub(super) fn reduce(op: &Reduce<Operand>, b: &mut Builder) -> Result<()> {
    let mode = match op.mode {
        ReduceMode::ReduceMean => 0i64,
        ReduceMode::ReduceSum => 1,
        ReduceMode::ReduceMax => 2,
        ReduceMode::ReduceMin => 3,
        ReduceMode::ReduceL1 => 4,
        ReduceMode::ReduceL2 => 5,
        ReduceMode::ReduceProd => return product(op, b),
    };
    if is_of_integers(op, b)? {
        return of_integers(op, b, mode);
    }
    let float = b.float(&op.input)?;
    let columns = Columns::of(&op.input.ty.shape, &reduced_axes(&op.axes, op.input.ty.shape.len())?);
    if let Some(columns) = columns.filter(|columns| columns.inner >= NEIGHBORS) {
        return columns.reduce(b, &op.input, float, mode);
    }
    let (x, rows, n) = rows(b, &op.input, &op.axes, float)?;
    let (y, function) = (b.float_result(0, float)?, format!("reduce_rows<{}>", float.c_type()));
    b.launch(FILE, function, geometry::kept_rows(rows as u64, n as u64), arguments![x, y, rows, n, mode])?;
    b.store_floats(0, y, float, PostOp::default())
}

/// Whether plain integers are reduced to plain integers.
fn is_of_integers(op: &Reduce<Operand>, b: &Builder) -> Result<bool> {
    Ok(op.input.ty.is_plain_int() && b.result_type(0)?.is_plain_int())
}

/// The type of plain integers that kernels read.
fn wide(ty: &ValueType) -> ValueType {
    ValueType { dtype: Dtype::Int64, quantization: None, ..ty.clone() }
}

/// Reduces plain integers in float64, and rounds means and norms.
fn of_integers(op: &Reduce<Operand>, b: &mut Builder, mode: i64) -> Result<()> {
    let x = b.ints(&op.input)?;
    let (x, rows, n) = rows_of(b, x, wide(&op.input.ty), &op.axes)?;
    let y = b.temporary(wide(b.result_type(0)?).bytes());
    b.launch(FILE, "reduce_ints", geometry::kept_rows(rows as u64, n as u64), arguments![x, y, rows, n, mode])?;
    b.store_ints(0, Dtype::Int64, y)
}

/// Multiplies in order, with one thread per result.
fn product(op: &Reduce<Operand>, b: &mut Builder) -> Result<()> {
    let (is_of_integers, float) = (is_of_integers(op, b)?, b.float(&op.input)?);
    let (values, ty) = match is_of_integers {
        true => (b.ints(&op.input)?, wide(&op.input.ty)),
        false => (b.floats(&op.input, float)?, float.type_like(&op.input.ty)),
    };
    let (x, Columns { outer, n, inner }) = match Columns::of(&ty.shape, &reduced_axes(&op.axes, ty.shape.len())?) {
        Some(columns) => (values, columns),
        None => {
            let (x, outer, n) = rows_of(b, values, ty, &op.axes)?;
            (x, Columns { outer, n, inner: 1 })
        }
    };
    let geometry = geometry::elements((outer * inner) as u64);
    if is_of_integers {
        let y = b.temporary(wide(b.result_type(0)?).bytes());
        b.launch(FILE, "multiply_columns<i64>", geometry, arguments![x, y, outer, n, inner])?;
        return b.store_ints(0, Dtype::Int64, y);
    }
    let (y, function) = (b.float_result(0, float)?, format!("multiply_columns<{}>", float.c_type()));
    b.launch(FILE, function, geometry, arguments![x, y, outer, n, inner])?;
    b.store_floats(0, y, float, PostOp::default())
}

/// The columns to reduce: `outer` times `inner` columns of `n` elements, which are `inner` apart.
struct Columns {
    outer: usize,
    n: usize,
    inner: usize,
}

/// Minimum `inner` for which elements are reduced in place instead of transposed.
const NEIGHBORS: usize = 16;

/// The number of blocks of reductions that keeps a device busy.
const REDUCING_BLOCKS: usize = 1024;

impl Columns {
    /// Returns the sizes if the axes are adjacent.
    fn of(shape: &[usize], axes: &[usize]) -> Option<Columns> {
        let (first, last) = (*axes.iter().min()?, *axes.iter().max()?);
        let [outer, n, inner] = [&shape[..first], &shape[first..=last], &shape[last + 1..]].map(|s| s.iter().product());
        (last - first + 1 == axes.len()).then_some(Columns { outer, n, inner })
    }
    fn reduce(&self, b: &mut Builder, input: &Operand, float: Float, mode: i64) -> Result<()> {
        let Columns { outer, n, inner } = *self;
        let (x, y) = (b.floats(input, float)?, b.float_result(0, float)?);
        let blocks = outer * inner.div_ceil(32);
        let splits = (REDUCING_BLOCKS / blocks).min(n / 64).max(1);
        let results = outer * inner;
        let parts = b.temporary((results as u64).saturating_mul(8).saturating_mul(splits as u64));
        let kernel = |name: &str| format!("{name}<{}>", float.c_type());
        let arguments = arguments![x, parts, outer, n, inner, splits, mode];
        let geometry = geometry::blocks((blocks as u64).saturating_mul(splits as u64), 256);
        b.launch(FILE, kernel("reduce_columns"), geometry, arguments)?;
        let arguments = arguments![parts, x, y, outer, n, inner, splits, mode];
        b.launch(FILE, kernel("combine_columns"), geometry::elements(results as u64), arguments)?;
        b.store_floats(0, y, float, PostOp::default())
    }
}

/// Degrees of freedom are clamped to 0, as in PyTorch.
pub(super) fn variance(op: &Variance<Operand>, b: &mut Builder) -> Result<()> {
    let (x, rows, n) = rows(b, &op.input, &op.reduce_list, Float::Single)?;
    let (y, freedom) = (b.real_result(0)?, (n as f64 - op.correction).max(0.0));
    b.launch(FILE, "variance", geometry::rows(rows as u64, n as u64), arguments![x, y, rows, n, freedom])?;
    b.store(0, y, PostOp::default())
}

/// Sums plain integers exactly, and all other types in float32.
pub(super) fn cum_sum(op: &CumSum<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let axis = axis_of(op.axis, shape.len());
    let (n, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let rows = op.input.ty.elements() / n;
    let geometry = geometry::elements(rows as u64);
    if op.input.ty.is_plain_int() && b.result_type(0)?.is_plain_int() {
        let ty = ValueType { dtype: Dtype::Int64, ..op.input.ty.clone() };
        let (x, y) = (b.ints(&op.input)?, b.temporary(ty.bytes()));
        b.launch(FILE, "cumulative_sum<i64>", geometry, arguments![x, y, rows, n, inner])?;
        return b.store_ints(0, Dtype::Int64, y);
    }
    let (x, y) = (b.reals(&op.input)?, b.real_result(0)?);
    b.launch(FILE, "cumulative_sum<float>", geometry, arguments![x, y, rows, n, inner])?;
    b.store(0, y, PostOp::default())
}
