//! Order: sorting, and the largest and smallest elements.
use super::{
    builder::{Builder, arguments, bits_type},
    formula::c_type,
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::{Dtype, Result},
    exec::{Operand, views::axis_of},
    ops::{Arg, ArgMode, Sort, TopK},
};

const FILE: File = file!("sort.cu");

/// The number of entries that are sorted at once; sorted tiles are then merged in pairs.
const TILE: usize = 32;

/// Rows of entries along an axis.
#[derive(Clone, Copy)]
pub(super) struct SortRows {
    pub count: usize,
    /// The number of entries per row.
    pub n: usize,
    /// The stride of the entries.
    pub inner: usize,
}

impl SortRows {
    fn along(shape: &[usize], axis: i64) -> SortRows {
        let axis = axis_of(axis, shape.len());
        let (n, inner) = (shape.get(axis).copied().unwrap_or(1), shape.iter().skip(axis + 1).product());
        SortRows { count: shape.iter().product::<usize>() / n, n, inner }
    }
}

/// Returns the sorted order of each row as 64-bit indices. Entries are compared as stored values; ties keep their order.
pub(super) fn order(b: &mut Builder, entries: (Slot, Dtype), rows: SortRows, largest: bool) -> Result<Slot> {
    let ((from, dtype), SortRows { count, n, inner }) = (entries, rows);
    let (all, c) = ((count * n) as u64, c_type(dtype));
    let [mut order, mut next] = [b.temporary(all * 8), b.temporary(all * 8)];
    let arguments = arguments![from, order, count, n, inner, TILE, largest];
    b.launch(FILE, format!("sort_tiles<{c}>"), geometry::elements(all), arguments)?;
    let mut run = TILE;
    while run < n {
        let arguments = arguments![from, order, next, count, n, inner, run, largest];
        b.launch(FILE, format!("merge_runs<{c}>"), geometry::elements(all), arguments)?;
        (order, next) = (next, order);
        run *= 2;
    }
    Ok(order)
}

/// Stores the first `k` entries of each row's order, which has `stored` indices: the entries as result `values`, their
/// indices as result `indices`.
fn chosen(
    b: &mut Builder,
    input: &Operand,
    (order, stored): (Slot, usize),
    rows: SortRows,
    k: usize,
    [values, indices]: [usize; 2],
) -> Result<()> {
    let n = (rows.count * k) as u64;
    let found = b.temporary(n * 8);
    let has_values = b.result_type(values).is_ok();
    let (from, to, bits) = match has_values {
        true => {
            let bits = bits_type(b.result_type(values)?.buffer_dtype());
            (b.converted(input, values)?, b.result(values), bits)
        }
        false => (found, found, bits_type(Dtype::Int64)),
    };
    let arguments = arguments![order, from, to, found, rows.count, rows.n, rows.inner, stored, k, has_values];
    b.launch(FILE, format!("take_first<{bits}>"), geometry::elements(n), arguments)?;
    if b.result_type(indices).is_ok() { b.store_ints(indices, Dtype::Int64, found) } else { Ok(()) }
}

fn first(b: &mut Builder, input: &Operand, axis: i64, k: Option<usize>, largest: bool) -> Result<()> {
    let rows = SortRows::along(&input.ty.shape, axis);
    let entries = (Slot::of(input)?, input.ty.buffer_dtype());
    let order = order(b, entries, rows, largest)?;
    chosen(b, input, (order, rows.n), rows, k.unwrap_or(rows.n), [0, 1])
}

pub(super) fn top_k(op: &TopK<Operand>, b: &mut Builder) -> Result<()> {
    first(b, &op.input, op.axis, Some(op.K as usize), op.largest)
}

pub(super) fn sort(op: &Sort<Operand>, b: &mut Builder) -> Result<()> {
    first(b, &op.input, op.axis, None, op.descending)
}

pub(super) fn arg(op: &Arg<Operand>, b: &mut Builder) -> Result<()> {
    let rows = SortRows::along(&op.input.ty.shape, op.axis);
    let (from, found) = (Slot::of(&op.input)?, b.temporary(rows.count as u64 * 8));
    let largest = op.mode == ArgMode::ArgMax;
    let arguments = arguments![from, found, rows.count, rows.n, rows.inner, largest, op.select_last_index];
    let function = format!("arg_extremum<{}>", c_type(op.input.ty.buffer_dtype()));
    b.launch(FILE, function, geometry::rows(rows.count as u64, rows.n as u64), arguments)?;
    chosen(b, &op.input, (found, 1), rows, 1, [1, 0])
}
