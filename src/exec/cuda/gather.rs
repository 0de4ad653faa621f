//! Selection by index.
use super::{
    builder::{Builder, arguments, bits_type},
    formula::{PostOp, c_type},
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::{Dtype, Result},
    exec::{
        Operand,
        semantics::IndexKind,
        views::{axis_of, strides},
    },
    ops::{A16Gather, Gather, GatherElements, GatherND, Lut, packed_table},
};

const FILE: File = file!("gather.cu");

/// Returns the widest type in CUDA C that divides a run of `run` elements, and the number of elements in one.
fn widest_unit(dtype: Dtype, run: usize) -> (&'static str, usize) {
    let units = [(16, "Bytes16"), (8, "u64"), (4, "unsigned"), (2, "u16")];
    let fits = |(bytes, _): &(usize, _)| *bytes > dtype.size() && (run * dtype.size()).is_multiple_of(*bytes);
    units.into_iter().find(fits).map_or((bits_type(dtype), 1), |(bytes, name)| (name, bytes / dtype.size()))
}

pub(super) fn gather(op: &Gather<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let axis = axis_of(op.axis, shape.len());
    let from = b.converted(&op.input, 0)?;
    let (indices, n) = (b.ints(&op.indices)?, b.result_type(0)?.elements());
    let (chosen, inner) = (op.indices.ty.elements(), shape[axis + 1..].iter().product::<usize>());
    let dtype = b.result_type(0)?.buffer_dtype();
    let (unit, each) = widest_unit(dtype, inner);
    let (inner, n) = (inner / each, n / each);
    let arguments = arguments![from, b.result(0), indices, axis, shape[axis], chosen, inner, b.faults()?, n];
    let function = format!("gather<{unit}, {}>", geometry::linear_index_type(n as u64));
    b.launch(FILE, function, geometry::elements(n as u64), arguments)
}

/// Computes the offset in a tensor for each index, which selects an entry along `axis`; on the other axes an index keeps its
/// own position.
pub(super) fn offsets_along(b: &mut Builder, indices: &Operand, tensor: &[usize], axis: i64) -> Result<Slot> {
    let (own, axis, n) = (&indices.ty.shape, axis_of(axis, tensor.len()), indices.ty.elements());
    let axes = own.iter().zip(tensor).zip(strides(tensor)).flat_map(|((o, t), step)| [*o as i64, *t as i64, step]);
    let axes = b.constant(&axes.collect::<Vec<_>>())?;
    let (indices, offsets) = (b.ints(indices)?, b.temporary(n as u64 * 8));
    let arguments = arguments![indices, offsets, axes, own.len(), axis, b.faults()?, n];
    b.launch(FILE, "offsets_along", geometry::elements(n as u64), arguments)?;
    Ok(offsets)
}

/// Computes the offset in a tensor for each tuple of `length` indices, which select entries of the axes after the first
/// `batch`. On those a tuple keeps its own position.
pub(super) fn tuple_offsets(
    b: &mut Builder,
    indices: &Operand,
    length: usize,
    tensor: &[usize],
    batch: usize,
) -> Result<Slot> {
    let axes = tensor.iter().zip(strides(tensor)).skip(batch).take(length);
    let axes = b.constant(&axes.flat_map(|(count, step)| [*count as i64, step]).collect::<Vec<_>>())?;
    let n = indices.ty.elements() / length;
    let (each, whole) = (n / tensor[..batch].iter().product::<usize>(), tensor[batch..].iter().product::<usize>());
    let (indices, offsets) = (b.ints(indices)?, b.temporary(n as u64 * 8));
    let arguments = arguments![indices, offsets, axes, length, batch, each, whole, b.faults()?, n];
    b.launch(FILE, "tuple_offsets", geometry::elements(n as u64), arguments)?;
    Ok(offsets)
}

/// Computes offsets for indices that each select one of `count` runs of `run` elements in a part. Each part has `each`
/// indices.
pub(super) fn run_offsets(
    b: &mut Builder,
    indices: &Operand,
    of: IndexKind,
    count: usize,
    each: usize,
    run: usize,
) -> Result<Slot> {
    let n = indices.ty.elements();
    let (indices, offsets) = (b.ints(indices)?, b.temporary(n as u64 * 8));
    let arguments = arguments![indices, offsets, of.number(), count, each, run, b.faults()?, n];
    b.launch(FILE, "run_offsets", geometry::elements(n as u64), arguments)?;
    Ok(offsets)
}

/// Computes two offsets per expert index: of its row, with `row` elements, which `sharing` indices share, and of the
/// expert's matrix.
pub(super) fn expert_offsets(
    b: &mut Builder,
    ids: &Operand,
    experts: usize,
    sharing: usize,
    [row, matrix]: [usize; 2],
) -> Result<Slot> {
    let n = ids.ty.elements();
    let (ids, offsets) = (b.ints(ids)?, b.temporary(n as u64 * 16));
    let arguments = arguments![ids, offsets, experts, sharing, row, matrix, b.faults()?, n];
    b.launch(FILE, "expert_offsets", geometry::elements(n as u64), arguments)?;
    Ok(offsets)
}

/// Copies a row of real values from each offset of an operand.
pub(super) fn rows_at(b: &mut Builder, from: &Operand, offsets: Slot, [rows, row]: [usize; 2]) -> Result<Slot> {
    let (from, n) = (b.reals(from)?, rows * row);
    let to = b.temporary_reals(n);
    b.launch(FILE, "copy_runs<unsigned>", geometry::elements(n as u64), arguments![from, to, offsets, row, n])?;
    Ok(to)
}

/// Copies `run` elements from each offset into the first result.
fn take(b: &mut Builder, input: &Operand, offsets: Slot, run: usize) -> Result<()> {
    let (from, result) = (b.converted(input, 0)?, b.result_type(0)?);
    let n = result.elements();
    let function = format!("copy_runs<{}>", bits_type(result.buffer_dtype()));
    b.launch(FILE, function, geometry::elements(n as u64), arguments![from, b.result(0), offsets, run, n])
}

pub(super) fn gather_elements(op: &GatherElements<Operand>, b: &mut Builder) -> Result<()> {
    let offsets = offsets_along(b, &op.indices, &op.input.ty.shape, op.axis)?;
    take(b, &op.input, offsets, 1)
}

pub(super) fn gather_nd(op: &GatherND<Operand>, b: &mut Builder) -> Result<()> {
    let (shape, batch) = (&op.input.ty.shape, op.batch_dims as usize);
    let length = op.indices.ty.shape.last().copied().unwrap_or(1);
    let offsets = tuple_offsets(b, &op.indices, length, shape, batch)?;
    take(b, &op.input, offsets, shape[batch + length..].iter().product())
}

pub(super) fn lut(op: &Lut<Operand>, b: &mut Builder) -> Result<()> {
    let (from, table, n) = (Slot::of(&op.input)?, Slot::of(&op.table)?, op.input.ty.elements());
    b.launch(FILE, "lookup", geometry::elements(n as u64), arguments![from, b.result(0), table, n])
}

pub(super) fn a16_gather(op: &A16Gather<Operand>, b: &mut Builder) -> Result<()> {
    let table = packed_table(&op.weight.ty.shape, op)?;
    let (weight, indices, y) = (Slot::of(&op.weight)?, b.ints(&op.indices)?, b.real_result(0)?);
    let (scale, zero, n) = (b.reals(&op.scale)?, b.reals(&op.zp)?, b.result_type(0)?.elements());
    let (rows, entries, group) = (table.rows, table.entries, table.group);
    let arguments = arguments![weight, y, indices, scale, zero, rows, entries, group, op.weight_bits, b.faults()?, n];
    let function = format!("gather_dequantize<{}>", c_type(op.weight.ty.buffer_dtype()));
    b.launch(FILE, function, geometry::elements(n as u64), arguments)?;
    b.store(0, y, PostOp::default())
}
