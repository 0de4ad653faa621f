//! Resizes images and sequences, row-major or in blocks of channels.
use super::{
    OpKernel, Operand, ValueType,
    blocked::{BLOCK, InstructionSet, fill_each, for_all_threads},
    in_blocks::channels,
    layout::{converted, with_element},
    task::{PostOp, Task},
    workspace::{self, Workspace, of_result, of_threads, reals},
};
use crate::{
    array::{Array, ArrayMut, Element, zeros},
    base::Result,
    ops::{Interp, InterpMode, Op, SamplePoint, Upsample, sample_points},
    quant::RoundMode,
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};
use std::{mem, ops::RangeInclusive};

/// Where the rows and columns of a result are in the operand.
struct SamplePoints {
    /// Sizes of the operand's images.
    height: usize,
    width: usize,
    rows: Vec<SamplePoint>,
    columns: Vec<SamplePoint>,
}

impl SamplePoints {
    /// Returns the places in the last two axes, or in the last one of tensors with up to three dimensions: the others are planes.
    fn new(op: &Interp<Operand>, result: &ValueType) -> Result<SamplePoints> {
        let (from, to) = (op.input.ty.plain_shape(), result.plain_shape());
        let rank = from.len();
        let (height, rows) = if rank > 3 { (from[rank - 2], to[rank - 2]) } else { (1, 1) };
        let width = from[rank - 1];
        let columns = sample_points(width, to[rank - 1], op.mode, op.coord_mode)?;
        Ok(SamplePoints { height, width, rows: sample_points(height, rows, op.mode, op.coord_mode)?, columns })
    }
    /// Returns the places of an image whose pixels are repeated.
    fn of_upsample(op: &Upsample<Operand>, result: &ValueType) -> SamplePoints {
        let (from, to) = (op.input.ty.plain_shape(), result.plain_shape());
        let points =
            |from: usize, to: usize| (0..to).map(|i| SamplePoint { at: i * from / to, towards: 0.0 }).collect();
        let (height, width) = (from[2], from[3]);
        SamplePoints { height, width, rows: points(height, to[2]), columns: points(width, to[3]) }
    }
    /// Whether each column is repeated once.
    fn are_doubled(&self) -> bool {
        self.columns.len() == 2 * self.width && self.columns.iter().enumerate().all(|(i, column)| column.at == i / 2)
    }
    /// Whether rows are blended with the next ones.
    fn blends_rows(&self) -> bool {
        self.rows.iter().any(|row| row.towards > 0.0)
    }
    /// Whether rows of the operand serve several rows of the result, so that their columns are blended first, once for all of them.
    fn repeats_rows(&self) -> bool {
        self.rows.len() > self.height
    }
    /// Number of pixels of scratch memory per thread: two rows whose columns are blended, or one blended row.
    fn scratch(&self) -> usize {
        match (self.blends_rows(), self.repeats_rows()) {
            (false, _) => 0,
            (true, true) => self.columns.len().saturating_mul(2),
            (true, false) => self.width,
        }
    }
    /// Returns the offset of the first pixel of the row that row `i` of the result, counted over all images, is computed from, and the
    /// weight of the next row.
    fn row(&self, i: usize) -> (usize, f32) {
        let row = self.rows[i % self.rows.len()];
        ((i / self.rows.len() * self.height + row.at) * self.width, row.towards)
    }
}

pub(super) fn interp(op: Interp<Operand>) -> OpKernel {
    let is_linear = op.mode == InterpMode::Linear;
    let input = if is_linear { reals([&op.input]) } else { workspace::converted([&op.input]) };
    let line = if is_linear { lines::<1>(&op.input) } else { Workspace::none() };
    OpKernel::with_workspace(input + places_of_axes() + line, move |t| {
        let places = SamplePoints::new(&op, t.result(0)?)?;
        if is_linear { blended::<1>(t, &op.input, &places) } else { nearest(t, &op.input, &places) }
    })
}

/// The places of rows and columns.
fn places_of_axes() -> Workspace {
    of_result(|result| result.plain_shape().iter().rev().take(2).sum(), size_of::<SamplePoint>())
}

/// A thread's scratch rows: one of the operand or two of the result.
fn lines<const C: usize>(input: &Operand) -> Workspace {
    let width = |ty: &ValueType| ty.plain_shape().last().copied().unwrap_or(1);
    let of_result = of_result(move |result| for_all_threads(2 * width(result) as u64) as usize, C * size_of::<f32>());
    of_threads(width(&input.ty), C * size_of::<f32>()).max(of_result)
}

/// Returns the kernel of an operator that resizes images or sequences in blocks of channels. Returns `None` if there is none.
pub(super) fn in_blocks(op: &Op<Operand>, result: &ValueType) -> Option<OpKernel> {
    // With few channels, the larger image would mostly be padding.
    let are_many = |ty: &ValueType| channels(ty).is_some_and(|n| n >= BLOCK / 2);
    let is_supported = |o: &Operand, ranks: RangeInclusive<usize>| {
        are_many(&o.ty) && are_many(result) && ranks.contains(&result.plain_shape().len())
    };
    let has_known_size = |op: &Interp<Operand>| op.target_shape.as_ref().is_none_or(|size| size.constant.is_some());
    match op {
        Op::Interp(op) if has_known_size(op) && is_supported(&op.input, 3..=4) => {
            let own = op.clone();
            Some(of_blocks(&op.input, move |result| SamplePoints::new(&own, result)))
        }
        Op::Upsample(op) if !op.do_relu && is_supported(&op.input, 4..=4) => {
            let own = op.clone();
            Some(of_blocks(&op.input, move |result| Ok(SamplePoints::of_upsample(&own, result))))
        }
        _ => None,
    }
}

fn of_blocks(input: &Operand, places: impl Fn(&ValueType) -> Result<SamplePoints> + Send + Sync + 'static) -> OpKernel {
    let input = input.clone();
    OpKernel::with_workspace(places_of_axes() + lines::<BLOCK>(&input), move |t| {
        let places = places(t.result(0)?)?;
        blended::<BLOCK>(t, &input, &places)
    })
}

/// Number of rows of a task, some of which may be the same, or be computed from the same rows.
const ROWS: usize = 8;
/// Minimum number of tasks per thread: with fewer, rows that are computed together would be shared unevenly.
const TASKS: usize = 4;

/// Elements are copied whatever their dtype.
fn nearest(t: &mut Task, input: &Operand, places: &SamplePoints) -> Result<()> {
    fn go<T: Element>(to: &mut ArrayMut, from: &Array, places: &SamplePoints) -> Result<()> {
        let (from, width, are_doubled) = (from.bits::<T>()?, places.columns.len(), places.are_doubled());
        let rows = to.bits::<T>()?.par_chunks_mut(ROWS * width);
        rows.enumerate().for_each(|(i, rows)| {
            let mut former = None;
            for j in 0..rows.len() / width {
                let start = places.row(i * ROWS + j).0;
                if former.replace(start) == Some(start) {
                    rows.copy_within((j - 1) * width..j * width, j * width);
                    continue;
                }
                let (from, to) = (&from[start..start + places.width], &mut rows[j * width..][..width]);
                if are_doubled {
                    fill_each(to.as_chunks_mut::<2>().0, from, |x| [x; 2]);
                } else {
                    to.iter_mut().zip(&places.columns).for_each(|(to, column)| *to = from[column.at]);
                }
            }
        });
        Ok(())
    }
    let input = converted(t, input, 0, RoundMode::default())?;
    with_element!(input.dtype(), go(t.memory(0)?, &input, places))
}

/// Interpolates between neighboring pixels of `C` numbers. In nearest mode, the neighbors have no weight.
fn blended<const C: usize>(t: &mut Task, input: &Operand, places: &SamplePoints) -> Result<()> {
    let values = t.reals(input)?;
    let (x, isa, row) = (values.as_chunks::<C>().0, InstructionSet::best(), places.columns.len() * C);
    // Rows that share blended columns are computed together; the others are independent.
    let shares = places.blends_rows() && places.repeats_rows();
    let rows = t.result(0)?.elements() / row.max(1);
    let together = if shares { (rows / (TASKS * rayon::current_num_threads())).clamp(1, ROWS) } else { 1 };
    t.fill(0, together * row, PostOp::default(), |first, out| {
        let mut scratch = zeros(places.scratch().saturating_mul(C))?;
        let scratch = scratch.as_chunks_mut::<C>().0;
        isa.run(Rows { places, x, first: first / row, scratch, out: out.as_chunks_mut::<C>().0 });
        Ok(())
    })
}

/// Rows of the result, beginning at `first`.
struct Rows<'a, const C: usize> {
    places: &'a SamplePoints,
    x: &'a [[f32; C]],
    first: usize,
    /// As many pixels as [`SamplePoints::scratch`].
    scratch: &'a mut [[f32; C]],
    out: &'a mut [[f32; C]],
}

impl<const C: usize> SimdOp for Rows<'_, C> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        match self.places.blends_rows() && self.places.repeats_rows() {
            true => self.columns_first(),
            false => self.rows_first(),
        }
    }
}

impl<const C: usize> Rows<'_, C> {
    /// Blends the columns of two rows, which serve several rows of the result.
    #[inline(always)]
    fn columns_first(self) {
        let (width, columns) = (self.places.width, &self.places.columns);
        let (mut above, mut below) = self.scratch.split_at_mut(columns.len());
        // The offsets of the rows that they are computed from.
        let mut cached = [None; 2];
        for (i, out) in self.out.chunks_mut(columns.len()).enumerate() {
            let (start, towards) = self.places.row(self.first + i);
            if cached[0] != Some(start) {
                mem::swap(&mut above, &mut below);
                cached.swap(0, 1);
            }
            if cached[0] != Some(start) {
                blend_columns(&self.x[start..start + width], columns, above);
                cached[0] = Some(start);
            }
            // At the last entry, the next one is neither read nor multiplied by 0, since it may be infinite.
            if towards > 0.0 {
                if cached[1] != Some(start + width) {
                    blend_columns(&self.x[start + width..][..width], columns, below);
                    cached[1] = Some(start + width);
                }
                blend_rows(above, below, towards, out);
            } else {
                out.copy_from_slice(above);
            }
        }
    }

    /// Blends the columns of a blended row.
    #[inline(always)]
    fn rows_first(self) {
        let (width, columns) = (self.places.width, &self.places.columns);
        for (i, out) in self.out.chunks_mut(columns.len()).enumerate() {
            let (start, towards) = self.places.row(self.first + i);
            let mut row = &self.x[start..start + width];
            if towards > 0.0 {
                blend_rows(row, &self.x[start + width..][..width], towards, self.scratch);
                row = &*self.scratch;
            }
            blend_columns(row, columns, out);
        }
    }
}

#[inline(always)]
fn blend_rows<const C: usize>(above: &[[f32; C]], below: &[[f32; C]], towards: f32, out: &mut [[f32; C]]) {
    for (out, (from, to)) in out.iter_mut().zip(above.iter().zip(below)) {
        *out = blend(from, to, towards);
    }
}

#[inline(always)]
fn blend_columns<const C: usize>(row: &[[f32; C]], columns: &[SamplePoint], out: &mut [[f32; C]]) {
    for (out, column) in out.iter_mut().zip(columns) {
        let from = &row[column.at];
        // The pixel beyond the last is not read, as above.
        *out = match column.towards > 0.0 {
            true => blend(from, &row[column.at + 1], column.towards),
            false => *from,
        };
    }
}

#[inline(always)]
fn blend<const C: usize>(from: &[f32; C], to: &[f32; C], towards: f32) -> [f32; C] {
    let mut blended = *from;
    for c in 0..C {
        blended[c] += towards * (to[c] - from[c]);
    }
    blended
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, CpuBackend, Dtype, Graph, RunOptions,
        ops::{Interp, InterpCoordMode, InterpMode, sample_points},
        run,
    };
    use proptest::prelude::*;

    /// Rows of a larger image are computed together, by more tasks with more threads.
    #[test]
    fn blended_rows_do_not_depend_on_the_number_of_threads() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 16, 50, 30]).unwrap();
        let (mode, coordinates) = (InterpMode::Linear, InterpCoordMode::HalfPixel);
        let y = g.op(Interp { scale_h: 2.5, scale_w: 2.0, ..Interp::new(x, coordinates, mode) }).call().unwrap();
        g.set_outputs(&y).unwrap();
        let feed =
            Array::from_f64s(Dtype::Float32, [1, 16, 50, 30], (0..24_000).map(|i| (i * 7 % 101) as f64)).unwrap();
        let results = [1, 2, 16].map(|threads| {
            let options = RunOptions::default().threads(threads);
            run(&g, &[("x", feed.clone())], &CpuBackend::new(), &options).unwrap().tensors[0].to_f64().unwrap()
        });
        assert!(results[1..].iter().all(|result| *result == results[0]));
    }

    proptest! {
        #[test]
        fn nearest_pixels_are_the_definition(
            planes in 1usize..4, from in prop::array::uniform2(1usize..20), to in prop::array::uniform2(1usize..40), doubles: [bool; 2],
            dtype in prop::sample::select(vec![Dtype::Float32, Dtype::Int8]),
        ) {
            let to = [0, 1].map(|i| if doubles[i] { 2 * from[i] } else { to[i] });
            let scale = [0, 1].map(|i| to[i] as f64 / from[i] as f64);
            let (mode, coordinates) = (InterpMode::Nearest, InterpCoordMode::Asymmetric);
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", dtype, [1, planes, from[0], from[1]]).unwrap();
            let op = Interp { scale_h: scale[0], scale_w: scale[1], ..Interp::new(x, coordinates, mode) };
            let y = g.op(op).call().unwrap();
            g.set_outputs(&y).unwrap();
            let values: Vec<f64> = (0..planes * from[0] * from[1]).map(|i| (i * 7 % 101) as f64).collect();
            let feed = Array::from_f64s(dtype, [1, planes, from[0], from[1]], values.iter().copied()).unwrap();
            let got = run(&g, &[("x", feed)], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].clone();
            let to = [got.shape()[2], got.shape()[3]];
            let [rows, columns] = [0, 1].map(|i| sample_points(from[i], to[i], mode, coordinates).unwrap());
            let expected: Vec<f64> = (0..planes * to[0] * to[1])
                .map(|at| {
                    let (plane, row, column) = (at / (to[0] * to[1]), at / to[1] % to[0], at % to[1]);
                    values[(plane * from[0] + rows[row].at) * from[1] + columns[column].at]
                })
                .collect();
            prop_assert_eq!(got.to_f64().unwrap(), expected);
        }

        /// Larger and smaller results, whose columns or rows are blended first, in planes and in blocks of channels.
        #[test]
        fn blended_pixels_are_the_definition(
            planes in prop_oneof![1usize..4, 15usize..18], from in prop::array::uniform2(1usize..20), to in prop::array::uniform2(1usize..60),
            coordinates in prop::sample::select(vec![InterpCoordMode::HalfPixel, InterpCoordMode::AlignCorners]), convolved: bool,
        ) {
            let scale = [0, 1].map(|i| to[i] as f64 / from[i] as f64);
            let mut g = Graph::new("g").unwrap();
            let shape = [1, planes, from[0], from[1]];
            let x = g.input("x", Dtype::Float32, shape).unwrap();
            // Between convolutions, an image is in blocks.
            let same = |i: usize| f32::from(u8::from(i / planes == i % planes));
            let same = Array::from_vec([planes, planes, 1, 1], (0..planes * planes).map(same).collect()).unwrap();
            let image = if convolved { g.conv(x, same.clone()).call().unwrap() } else { x };
            let op = Interp { scale_h: scale[0], scale_w: scale[1], ..Interp::new(image, coordinates, InterpMode::Linear) };
            let mut y = g.op(op).call().unwrap()[0];
            if convolved {
                y = g.conv(y, same).call().unwrap();
            }
            g.set_outputs(&[y]).unwrap();
            let values: Vec<f64> = (0..planes * from[0] * from[1]).map(|i| (i * 7 % 101) as f64).collect();
            let feed = Array::from_f64s(Dtype::Float32, shape, values.iter().copied()).unwrap();
            let got = run(&g, &[("x", feed)], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].clone();
            let to = [got.shape()[2], got.shape()[3]];
            let [rows, columns] = [0, 1].map(|i| sample_points(from[i], to[i], InterpMode::Linear, coordinates).unwrap());
            for (at, got) in got.to_f64().unwrap().into_iter().enumerate() {
                let (plane, row, column) = (at / (to[0] * to[1]), rows[at / to[1] % to[0]], columns[at % to[1]]);
                let pixel = |row: usize, column: usize| values[(plane * from[0] + row) * from[1] + column];
                let in_row = |row: usize| {
                    let next = pixel(row, (column.at + 1).min(from[1] - 1));
                    pixel(row, column.at) + f64::from(column.towards) * (next - pixel(row, column.at))
                };
                let next = in_row((row.at + 1).min(from[0] - 1));
                let expected = in_row(row.at) + f64::from(row.towards) * (next - in_row(row.at));
                prop_assert!((got - expected).abs() < 1e-4, "{at}: {got}, not {expected}");
            }
        }
    }
}
