//! Scatter operators. Several updates of one element are applied in order by one thread.
use super::{
    builder::{Builder, arguments, bits_type},
    formula::PostOp,
    gather::{offsets_along, run_offsets, tuple_offsets},
    geometry, layout,
    slot::Slot,
    sort::{SortRows, order},
    source::{File, file},
};
use crate::{
    base::{Dtype, Result},
    exec::{
        Operand,
        semantics::IndexKind,
        views::{View, axis_of},
    },
    ops::{EmbDenseBwd, IndexPut, Insert, MaxUnpool, Reduction, ScatterElements, ScatterND},
};

const FILE: File = file!("scatter.cu");

/// Updates of `run` elements each, at the offsets `offsets`.
struct Updates<'a> {
    offsets: Slot,
    values: &'a Operand,
    run: usize,
}

impl Updates<'_> {
    fn count(&self) -> usize {
        self.values.ty.elements() / self.run
    }
    /// Writes a result of elements of type `bits`, with the last update of each element. `from` is read only if `has_input`;
    /// otherwise other elements are 0.
    fn replace(&self, b: &mut Builder, bits: &str, [from, updates, to]: [Slot; 3], has_input: bool) -> Result<()> {
        let (n, count) = (b.result_type(0)?.elements(), self.count());
        let runs = n / self.run;
        let last = b.temporary(runs as u64 * 8);
        b.launch(FILE, "clear", geometry::elements(runs as u64), arguments![last, runs])?;
        let arguments = arguments![self.offsets, last, self.run, count];
        b.launch(FILE, "last_update", geometry::elements(count as u64), arguments)?;
        let arguments = arguments![from, updates, last, to, self.run, has_input, n];
        b.launch(FILE, format!("replace<{bits}>"), geometry::elements(n as u64), arguments)
    }
    /// Like [`Updates::replace`], for updates that are combined with the previous values.
    fn reduce(
        &self,
        b: &mut Builder,
        c_type: &str,
        [from, updates, to]: [Slot; 3],
        reduction: Reduction,
        has_input: bool,
    ) -> Result<()> {
        let (n, count) = (b.result_type(0)?.elements(), self.count());
        let order = order(b, (self.offsets, Dtype::Int64), SortRows { count: 1, n: count, inner: 1 }, false)?;
        let number = reduction as i64;
        let arguments = arguments![from, updates, self.offsets, order, to, self.run, count, number, has_input, n];
        b.launch(FILE, format!("scatter_reduce<{c_type}>"), geometry::elements(n as u64), arguments)
    }
    /// Applies the updates to the input. Plain integers are computed exactly, other types as real values.
    fn scatter(&self, b: &mut Builder, input: &Operand, reduction: Reduction) -> Result<()> {
        let result = b.result_type(0)?;
        if reduction == Reduction::Replace {
            let slots = [b.converted(input, 0)?, b.converted(self.values, 0)?, b.result(0)];
            return self.replace(b, bits_type(result.buffer_dtype()), slots, true);
        }
        if result.is_plain_int() {
            let to = b.temporary(result.elements() as u64 * 8);
            let slots = [b.ints(input)?, b.ints(self.values)?, to];
            self.reduce(b, "i64", slots, reduction, true)?;
            return b.store_ints(0, Dtype::Int64, to);
        }
        let to = b.real_result(0)?;
        let slots = [b.reals(input)?, b.reals(self.values)?, to];
        self.reduce(b, "float", slots, reduction, true)?;
        b.store(0, to, PostOp::default())
    }
}

pub(super) fn scatter_elements(op: &ScatterElements<Operand>, b: &mut Builder) -> Result<()> {
    let offsets = offsets_along(b, &op.indices, &op.input.ty.shape, op.axis)?;
    Updates { offsets, values: &op.updates, run: 1 }.scatter(b, &op.input, Reduction::of(op.reduction, 2)?)
}

pub(super) fn scatter_nd(op: &ScatterND<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input_data.ty.shape;
    let length = op.indices.ty.shape.last().copied().unwrap_or(1);
    let offsets = tuple_offsets(b, &op.indices, length, shape, 0)?;
    let run = shape[length..].iter().product();
    Updates { offsets, values: &op.updates, run }.scatter(b, &op.input_data, Reduction::of(op.reduction, 6)?)
}

pub(super) fn index_put(op: &IndexPut<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let offsets = tuple_offsets(b, &op.indices, 1, shape, 0)?;
    let reduction = if op.accumulate { Reduction::Add } else { Reduction::Replace };
    Updates { offsets, values: &op.values, run: shape[1..].iter().product() }.scatter(b, &op.input, reduction)
}

pub(super) fn insert(op: &Insert<Operand>, b: &mut Builder) -> Result<()> {
    let (shape, part) = (&op.input.ty.shape, &op.rhs.ty.shape);
    let axis = axis_of(op.axis, shape.len());
    let (at, end) = (op.offset as usize, op.offset as usize + part[axis]);
    let mut put = |input: &Operand, from: View, at: usize, count: usize| match count {
        0 => Ok(()),
        _ => layout::put(input, from, View::of_axis(shape, axis, at, count), PostOp::default(), b),
    };
    let own = |at: usize, count: usize| View::of_axis(shape, axis, at, count);
    put(&op.input, own(0, at), 0, at)?;
    put(&op.rhs, View::of_axis(part, axis, 0, part[axis]), at, part[axis])?;
    put(&op.input, own(end, shape[axis] - end), end, shape[axis] - end)
}

/// Scatters the values of each plane into a larger plane of zeros.
pub(super) fn max_unpool(op: &MaxUnpool<Operand>, b: &mut Builder) -> Result<()> {
    let plane = |shape: &[usize]| shape[2..].iter().product();
    let (each, larger) = (plane(&op.input.ty.shape), plane(&b.result_type(0)?.shape));
    let offsets = run_offsets(b, &op.mask, IndexKind::Plane, larger, each, 1)?;
    let (values, to) = (b.reals(&op.input)?, b.real_result(0)?);
    Updates { offsets, values: &op.input, run: 1 }.replace(b, "float", [values, values, to], false)?;
    b.store(0, to, PostOp::default())
}

/// Sums the gradients of each row of a table, by the indices that selected it.
pub(super) fn emb_dense_bwd(op: &EmbDenseBwd<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &b.result_type(0)?.shape;
    let (rows, columns, each) = (shape[0], shape[1], op.indices.ty.elements());
    let offsets = run_offsets(b, &op.indices, IndexKind::Places, rows, each, columns)?;
    let (grad, to) = (b.reals(&op.grad_output)?, b.real_result(0)?);
    let updates = Updates { offsets, values: &op.grad_output, run: columns };
    updates.reduce(b, "float", [grad, grad, to], Reduction::Add, false)?;
    b.store(0, to, PostOp::default())
}
