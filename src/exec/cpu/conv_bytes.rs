//! Convolutions of 8-bit integers as products of bytes: one row per position, in which the channels of each kernel
//! element are contiguous.
use super::{
    Operand,
    bytes::{PackedInt8Matrix, bytes},
    conv::{ConvOperation, columns},
    layout::permuted,
    task::Task,
    workspace::{Workspace, elements, ints, of_result, result_elements},
};
use crate::{
    array::{Array, Element, zeros},
    base::{Dtype, Result},
    ops::{self, Convolution},
};
use rayon::prelude::*;

/// Minimum number of output channels per group: with fewer, a product has too few columns.
const COLUMNS: usize = 8;

/// A constant filter, packed into one matrix per group.
pub(super) struct ByteFilter(Vec<PackedInt8Matrix>);

/// The input as uint8, an image with its channels last, the rows of one product, and 32-bit sums of that and of all.
pub(super) fn workspace(op: &ops::Conv<Operand>) -> Workspace {
    elements([&op.input], 2) + of_result(columns(&op.filter), 1) + result_elements(8) + ints(&op.bias)
}

impl ByteFilter {
    /// Returns `None` if an operand is not 8-bit, or the filter is small, not constant, or has per-channel zero points.
    pub fn new(op: &ops::Conv<Operand>) -> Option<ByteFilter> {
        let values = op.filter.constant.as_ref()?;
        let [oc, ic, ..] = *op.filter.ty.shape else { return None };
        let has_one = |o: &Operand| o.ty.quantization.as_ref().is_none_or(|q| q.values().1.len() == 1);
        let group = usize::try_from(op.group).ok().filter(|g| *g > 0)?;
        if oc / group < COLUMNS || !has_one(&op.input) || !has_one(&op.filter) {
            return None;
        }
        // Invalid windows are reported at run time.
        Convolution::from(op).windows(&op.input.ty.shape).ok()?;
        let packed = match values.dtype() {
            Dtype::Int8 => packed::<i8>(op, values, [oc / group, ic]),
            Dtype::Uint8 => packed::<u8>(op, values, [oc / group, ic]),
            _ => return None,
        };
        packed.ok().flatten().map(ByteFilter)
    }

    /// Computes the sums of one image and group, one row per position.
    fn sums(&self, c: &ConvOperation, i: usize, image: &[u8], zero: u8) -> Result<Vec<i32>> {
        let (pixels, depth, area) = (c.grid.pixels(), c.depth(), c.grid.area());
        let pointwise = c.grid.is_pointwise();
        let last = permuted(image, &[c.ic, area], &[1, 0])?;
        let rows = if pointwise { last } else { rows(c, &last, zero, zeros(pixels.saturating_mul(depth))?) };
        let columns = &self.0[i % c.group];
        let mut sums = zeros(pixels.saturating_mul(c.oc))?;
        columns.product_of(&rows, zero, &mut sums)?;
        Ok(sums)
    }

    /// Sums are exact, then saturated.
    pub fn run(&self, t: &mut Task, c: &ConvOperation) -> Result<()> {
        let (pixels, area) = (c.grid.pixels(), c.grid.area());
        let (values, zero) = (bytes(t.array(c.input)?, Dtype::Uint8)?, PackedInt8Matrix::signedness_offset(c.input)?);
        let mut out = zeros::<i32>(t.result(0)?.elements())?;
        for (i, out) in out.chunks_mut(c.oc * pixels).enumerate() {
            let sums = self.sums(c, i, &values[i * c.ic * area..][..c.ic * area], zero)?;
            out.par_chunks_mut(pixels).enumerate().for_each(|(channel, out)| {
                out.iter_mut().zip(sums[channel..].iter().step_by(c.oc)).for_each(|(o, s)| *o = *s);
            });
        }
        c.write_sums(t, &out)
    }
}

/// Packs each group; the channels of an output channel's elements come last.
fn packed<T: Element>(
    op: &ops::Conv<Operand>,
    values: &Array,
    [oc, ic]: [usize; 2],
) -> Result<Option<Vec<PackedInt8Matrix>>> {
    let (depth, all) = (values.len() / op.filter.ty.shape[0], op.filter.ty.shape[0]);
    let last = permuted(&values.elements::<T>()?, &[all, ic, depth / ic], &[0, 2, 1])?;
    let groups = last.chunks_exact(oc * depth).map(|group| {
        let matrix = Array::from_vec([oc, depth], group.to_vec())?;
        PackedInt8Matrix::new(&op.input, &op.filter, &matrix, [depth, oc], true)
    });
    groups.collect()
}

/// Returns the input elements of each position, channels last; `zero` is used outside the image.
fn rows(c: &ConvOperation, image: &[u8], zero: u8, mut rows: Vec<u8>) -> Vec<u8> {
    let (grid, depth) = (&c.grid, c.depth());
    let width = grid.pixels() / grid.line_count();
    let step = grid.stride().last().map_or(1, |s| *s as usize);
    rows.par_chunks_mut(width * depth).enumerate().for_each(|(line, rows)| {
        for tap in 0..grid.taps() {
            let (inside, at) = grid.line(tap, line);
            for (x, row) in rows.chunks_exact_mut(depth).enumerate() {
                let to = &mut row[tap * c.ic..][..c.ic];
                match x.checked_sub(inside.start).filter(|_| x < inside.end) {
                    Some(i) => to.copy_from_slice(&image[(at + i * step) * c.ic..][..c.ic]),
                    None => to.fill(zero),
                }
            }
        }
    });
    rows
}
