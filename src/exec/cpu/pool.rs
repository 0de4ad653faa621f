use super::{
    OpKernel, Operand,
    blocked::InstructionSet,
    fold::{Fold, Largest, Sum},
    pool_lines::{End, LineLayout, Lines, Part, Ranges},
    task::{PostOp, Task},
    workspace::{Workspace, all_reals, ints, of_result, reals, result_reals},
};
use crate::{
    ValueType,
    array::reserve,
    base::Result,
    ops::{AdaptiveAvgPool, AvgPool, MaxPool, MaxPoolWithMask, MaxUnpool, PoolMask, Window, pool_windows},
    quant::Quantization,
    semantics::IndexKind,
};
use rten_simd::ops::FloatOps;
use std::{borrow::Cow, iter};

/// The maximum. Of no numbers it is the lowest number, like in the Top executor: with ceil_mode, a window may be entirely outside.
#[derive(Clone, Copy)]
struct OrLowest;

impl End for OrLowest {
    #[inline(always)]
    fn of<O: FloatOps<f32>>(self, ops: O, found: O::Simd, n: O::Simd) -> O::Simd {
        ops.select(found, ops.splat(f32::MIN), ops.gt(n, ops.zero()))
    }
}

pub(super) fn max_pool(op: MaxPool<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]) + of_lines(&op.input), move |t| {
        let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let windows = pool_windows(&op.input.ty.shape, &(&op).into())?;
        let layout = LineLayout::new(&windows)?;
        let planes = Planes::sliding(t, &op.input, &windows)?;
        match layout {
            Some(layout) => planes.pool_lines(t, &layout, finish, Largest, OrLowest),
            None => planes.pool(t, finish, Largest, OrLowest),
        }
    })
}

pub(super) fn max_pool_with_mask(op: MaxPoolWithMask<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]) + of_lines(&op.input), move |t| {
        let planes = Planes::sliding(t, &op.input, &pool_windows(&op.input.ty.shape, &(&op).into())?)?;
        planes.pool(t, PostOp::relu(op.do_relu, op.relu_limit), Largest, OrLowest)?;
        let pixels = planes.pixels();
        t.fill_ints(1, |first, out| {
            for (i, place) in out.iter_mut().enumerate() {
                let (plane, pixel) = ((first + i) / pixels, (first + i) % pixels);
                // The place of a window without elements.
                *place = 0;
                let mut found: Option<f32> = None;
                for (row, start) in planes.rows(plane, pixel) {
                    for (x, v) in row.iter().enumerate() {
                        // A NaN remains the maximum.
                        if found.is_none_or(|m| !m.is_nan() && (*v > m || v.is_nan())) {
                            (found, *place) = (Some(*v), (start + x) as i64);
                        }
                    }
                }
            }
        })
    })
}

pub(super) fn avg_pool(op: AvgPool<Operand>) -> OpKernel {
    let units = Units::of(&op.input);
    OpKernel::with_workspace(reals([&op.input]) + of_lines(&op.input), move |t| {
        let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let windows = pool_windows(&op.input.ty.shape, &(&op).into())?;
        let mean = Mean::new(&op, &windows, &units);
        let layout = LineLayout::new(&windows)?;
        let planes = Planes::sliding(t, &units.operand, &windows)?;
        match layout {
            Some(layout) => planes.pool_lines(t, &layout, finish, Sum, mean),
            None => planes.pool(t, finish, Sum, mean),
        }
    })
}

/// The workspace of [`Planes`] besides the values: lines of the operand per thread, and a number for each result of a line.
fn of_lines(input: &Operand) -> Workspace {
    let last = |ty: &ValueType| ty.shape.last().copied().unwrap_or(1);
    let lines = input.ty.elements() / last(&input.ty).max(1);
    let ranges = of_result(|ty| ty.shape.iter().skip(2).fold(0, |n, d| n.saturating_add(*d)), size_of::<Range>());
    LineLayout::workspace(last(&input.ty), lines) + of_result(last, size_of::<f32>()) + ranges
}

/// An operand in units of its scale. The sums of quantized numbers are then whole, and exact in float32 up to 2^24.
pub(super) struct Units {
    pub operand: Operand,
    pub scale: f32,
}

impl Units {
    /// The unit is 1 for floats, and for integers with several scales.
    pub fn of(operand: &Operand) -> Units {
        let mut operand = operand.clone();
        let Some((scale, zero_point)) = operand.ty.per_tensor_scale().filter(|_| !operand.ty.dtype.is_float()) else {
            return Units { operand, scale: 1.0 };
        };
        operand.ty.quantization = Some(Quantization::per_tensor(1.0, zero_point));
        Units { operand, scale: scale as f32 }
    }
}

/// How the mean of a window follows from its sum.
#[derive(Clone, Copy)]
pub(super) struct Mean {
    /// The elements of a window with its padding, if that is counted.
    padded: Option<f32>,
    scale: f32,
}

impl Mean {
    pub fn new(op: &AvgPool<Operand>, windows: &[Window], units: &Units) -> Mean {
        let taps = windows.iter().map(|w| w.kernel as f64).product::<f64>() as f32;
        Mean { padded: op.count_include_pad.then_some(taps), scale: units.scale }
    }
    /// The mean of `n` elements and, if it includes padding, of zeros.
    #[inline(always)]
    pub fn of_one(self, sum: f32, n: f32) -> f32 {
        sum / self.padded.unwrap_or(n.max(1.0)) * self.scale
    }
}

impl End for Mean {
    #[inline(always)]
    fn of<O: FloatOps<f32>>(self, ops: O, sum: O::Simd, n: O::Simd) -> O::Simd {
        let n = self.padded.map_or_else(|| ops.max(n, ops.one()), |n| ops.splat(n));
        ops.mul(ops.div(sum, n), ops.splat(self.scale))
    }
}

/// Each window is one share of an axis; shares overlap if the axis does not divide evenly.
pub(super) fn adaptive_avg_pool(op: AdaptiveAvgPool<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]) + of_lines(&op.input), move |t| {
        let (input, positions) = (&op.input.ty.shape[2..], &t.result(0)?.shape[2..]);
        let planes = Planes::new(t, &op.input, positions, |axis, i| {
            let (n, parts) = (input[axis] as u128, positions[axis] as u128);
            ((i as u128 * n / parts) as usize, ((i as u128 + 1) * n).div_ceil(parts) as usize)
        })?;
        planes.pool(t, PostOp::default(), Sum, Mean { padded: None, scale: 1.0 })
    })
}

pub(super) fn max_unpool(op: MaxUnpool<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]) + ints([&op.mask]) + result_reals(), move |t| {
        let (values, places) = (t.reals(&op.input)?, t.ints(&op.mask)?);
        let plane: usize = op.input.ty.shape[2..].iter().product();
        let larger: usize = t.result(0)?.shape[2..].iter().product();
        let place = |i: i64| IndexKind::Plane.resolve(i, larger);
        places.iter().try_for_each(|i| place(*i).map(drop))?;
        t.write(0, PostOp::default(), |out| {
            let planes = values.chunks(plane).zip(places.chunks(plane));
            out.fill(0.0);
            for (out, (values, places)) in out.chunks_mut(larger).zip(planes) {
                for (v, i) in values.iter().zip(places) {
                    out[place(*i)?] = *v;
                }
            }
            Ok(())
        })
    })
}

pub(super) fn pool_mask(op: PoolMask<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals(), move |t| {
        let (values, scale) = (t.reals(&op.input)?, op.scale as usize);
        let (h, w) = (op.input.ty.shape[2], op.input.ty.shape[3]);
        let wider = t.result(0)?.shape[3];
        let larger = t.result(0)?.shape[2] * wider;
        t.write(0, PostOp::default(), |out| {
            out.fill(0.0);
            for (out, plane) in out.chunks_mut(larger).zip(values.chunks(h * w)) {
                for square in 0..h.div_ceil(scale) * w.div_ceil(scale) {
                    let (top, left) = (square / w.div_ceil(scale) * scale, square % w.div_ceil(scale) * scale);
                    let (mut y, mut x) = (top, left);
                    for r in top..h.min(top.saturating_add(scale)) {
                        for c in left..w.min(left.saturating_add(scale)) {
                            if plane[r * w + c] > plane[y * w + x] {
                                (y, x) = (r, c);
                            }
                        }
                    }
                    out[y * wider + x] = 1.0;
                }
            }
            Ok(())
        })
    })
}

/// A range of an axis.
type Range = (usize, usize);

/// Planes of three axes, and the ranges of the windows along each axis. Missing axes are leading ones of size 1.
struct Planes<'a> {
    values: Cow<'a, [f32]>,
    input: [usize; 3],
    ranges: [Vec<Range>; 3],
}

impl<'a> Planes<'a> {
    /// Creates windows from the range of each along each axis: `range` receives the axis and the position, of which there are `positions`.
    fn new(
        t: &Task<'a>,
        operand: &'a Operand,
        positions: &[usize],
        range: impl Fn(usize, usize) -> Range,
    ) -> Result<Planes<'a>> {
        let missing = 3 - positions.len();
        let mut planes = Planes { values: t.reals(operand)?, input: [1; 3], ranges: [const { Vec::new() }; 3] };
        planes.input[missing..].copy_from_slice(&operand.ty.shape[2..]);
        planes.ranges[..missing].fill(vec![(0, 1)]);
        for (axis, (ranges, n)) in planes.ranges[missing..].iter_mut().zip(positions).enumerate() {
            reserve(ranges, *n)?;
            ranges.extend((0..*n).map(|i| range(axis, i)));
        }
        planes.join_axes();
        Ok(planes)
    }
    /// Makes a single line of whole lines if these are all of a window, as in global pools.
    fn join_axes(&mut self) {
        for axis in [1, 0] {
            if [axis, 2].iter().any(|i| self.ranges[*i] != [(0, self.input[*i])]) {
                return;
            }
            let n = self.input[axis] * self.input[2];
            (self.input[axis], self.ranges[axis]) = (1, vec![(0, 1)]);
            (self.input[2], self.ranges[2]) = (n, vec![(0, n)]);
        }
    }
    /// Creates the sliding windows of an operand, clipped to the input.
    fn sliding(t: &Task<'a>, operand: &'a Operand, windows: &[Window]) -> Result<Planes<'a>> {
        let positions = windows.iter().map(Window::positions).collect::<Result<Vec<_>>>()?;
        Planes::new(t, operand, &positions, |axis, i| {
            let w = &windows[axis];
            let start = i as i64 * w.stride - w.pads[0];
            let end = (start + w.kernel).clamp(0, w.input as i64) as usize;
            (start.clamp(0, end as i64) as usize, end)
        })
    }
    /// Reduces each window: the input lines that the windows of a line share are combined once.
    fn pool(&self, t: &mut Task, finish: PostOp, fold: impl Fold, end: impl End) -> Result<()> {
        let [slices, rows, ranges] = &self.ranges;
        let (layout, n) = (LineLayout::without_padding(self.input[2]), ranges.len());
        let has_several = slices.iter().chain(rows).any(|(from, to)| to - from != 1);
        t.fill(0, n, finish, |first, out| {
            let mut buffer = layout.buffer(fold, usize::from(has_several))?;
            let (layout, values, parts, buffer) = (&layout, &*self.values, self.parts(first / n), &mut buffer);
            InstructionSet::best().run(Ranges { layout, fold, values, parts, buffer, ranges, end, out });
            Ok(())
        })
    }
    /// Reduces sliding windows, some lines of results at a time: the input lines that the windows of a line share are combined once, and
    /// then the elements of each window.
    fn pool_lines(
        &self,
        t: &mut Task,
        layout: &LineLayout,
        finish: PostOp,
        fold: impl Fold,
        end: impl End,
    ) -> Result<()> {
        let mut widths = Vec::new();
        reserve(&mut widths, self.ranges[2].len())?;
        widths.extend(self.ranges[2].iter().map(|(from, to)| (to - from) as f32));
        let n = widths.len();
        t.fill(0, n, finish, |first, out| {
            let mut buffer = layout.buffer(fold, out.len() / n)?;
            for (i, out) in out.chunks_mut(layout.lines * n).enumerate() {
                let parts = self.parts((first / n) + i * layout.lines);
                let (values, buffer, widths) = (&*self.values, &mut buffer, &widths);
                InstructionSet::best().run(Lines { layout, fold, values, parts, buffer, widths, end, out });
            }
            Ok(())
        })
    }
    fn pixels(&self) -> usize {
        self.ranges.iter().map(Vec::len).product()
    }
    /// Returns the ranges of the window at `pixel`.
    fn window(&self, pixel: usize) -> [Range; 3] {
        let [slices, rows, cols] = &self.ranges;
        let (line, row) = (pixel / cols.len(), pixel / cols.len() % rows.len());
        [slices[line / rows.len()], rows[row], cols[pixel % cols.len()]]
    }
    /// Returns the part of the values for each line of windows, from `line` on.
    fn parts(&self, line: usize) -> impl Iterator<Item = Part> {
        let [slices, rows, _] = &self.ranges;
        let [depth, height, width] = self.input;
        let (mut plane, mut slice) = (line / rows.len() / slices.len(), line / rows.len() % slices.len());
        let mut row = line % rows.len();
        iter::from_fn(move || {
            let (s, r) = (slices[slice], rows[row]);
            let first = ((plane * depth + s.0) * height + r.0) * width;
            row += 1;
            if row == rows.len() {
                (row, slice) = (0, slice + 1);
            }
            if slice == slices.len() {
                (slice, plane) = (0, plane + 1);
            }
            Some(Part { first, slices: s.1 - s.0, slice: height * width, lines: r.1 - r.0, line: width })
        })
    }
    /// Returns the rows of values in the window at `pixel` of a plane, each with its offset in the plane.
    fn rows(&self, plane: usize, pixel: usize) -> impl Iterator<Item = (&[f32], usize)> {
        let [slices, rows, cols] = self.window(pixel);
        let [depth, height, width] = self.input;
        let plane = &self.values[plane * depth * height * width..][..depth * height * width];
        (slices.0..slices.1).flat_map(move |slice| {
            (rows.0..rows.1).map(move |row| {
                let line = (slice * height + row) * width;
                (&plane[line + cols.0..line + cols.1], line + cols.0)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, CpuBackend, Dtype, Graph, RunOptions,
        ops::{AdaptiveAvgPool, MaxPoolWithMask},
        run,
    };
    use proptest::prelude::*;
    use std::ops::Range;

    /// Whole numbers, whose sums are exact in any order.
    fn integers(shape: &[usize]) -> Vec<f32> {
        (0..shape.iter().product()).map(|i: usize| (i * 37 % 41) as f32 - 20.0).collect()
    }

    #[test]
    fn the_mask_of_a_window_without_elements_is_0() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 1, 200, 200]).unwrap();
        let op = MaxPoolWithMask::new(x, vec![1, 1], vec![1, 1], vec![1, 1, 1, 1]);
        let results = g.op(op).out_dtypes([Dtype::Float32, Dtype::Int32]).call().unwrap();
        g.set_outputs(&[results[1]]).unwrap();
        let feeds = [("x", Array::from_vec(vec![1, 1, 200, 200], vec![1.0f32; 40_000]).unwrap())];
        let mask = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f64().unwrap();
        for (i, place) in mask.iter().enumerate() {
            let (row, col) = (i / 202, i % 202);
            let is_inside = (1..=200).contains(&row) && (1..=200).contains(&col);
            assert_eq!(*place, if is_inside { ((row - 1) * 200 + col - 1) as f64 } else { 0.0 }, "{row}, {col}");
        }
    }

    /// The elements of each window of each plane, given the ranges of the windows along each axis.
    fn elements(values: &[f32], input: [usize; 3], ranges: &[Vec<Range<usize>>; 3]) -> Vec<Vec<f32>> {
        let [slices, rows, columns] = ranges;
        let mut all = vec![];
        for plane in values.chunks(input.iter().product()) {
            for (slices, rows) in slices.iter().flat_map(|slices| rows.iter().map(move |rows| (slices, rows))) {
                for columns in columns {
                    let lines = slices.clone().flat_map(|s| rows.clone().map(move |r| (s * input[1] + r) * input[2]));
                    let window = lines.flat_map(|line| &plane[line + columns.start..line + columns.end]);
                    all.push(window.copied().collect());
                }
            }
        }
        all
    }

    /// Runs a graph whose only input is `x`, without fusion: then nothing is computed in blocks.
    fn result(g: &Graph, shape: &[usize], values: &[f32]) -> Vec<f32> {
        let feeds = [("x", Array::from_vec(shape.to_vec(), values.to_vec()).unwrap())];
        let options = RunOptions::default().unfused(true);
        run(g, &feeds, &CpuBackend::new(), &options).unwrap().tensors[0].to_f32().unwrap()
    }

    /// The bits of numbers; all NaN are the same.
    fn bits(values: &[f32]) -> Vec<u32> {
        values.iter().map(|v| if v.is_nan() { 0 } else { v.to_bits() }).collect()
    }

    /// Compares a pool with the definition.
    fn check_sliding(
        shape: [usize; 5],
        [kernel, stride, pads]: [[usize; 3]; 3],
        [is_max, include]: [bool; 2],
        nan: prop::sample::Index,
    ) -> Result<(), TestCaseError> {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, shape).unwrap();
        let [front, top, left] = pads;
        let pad = [front, top, left, front, top, left];
        let y = match is_max {
            true => g.maxpool3d(x).kernel(kernel).stride(stride).pad(pad).call(),
            false => g.avgpool3d(x).kernel(kernel).stride(stride).pad(pad).count_include_pad(include).call(),
        };
        // Windows that do not fit and padding wider than them are refused.
        let Ok(y) = y else { return Err(TestCaseError::reject("refused")) };
        g.set_outputs(&[y]).unwrap();
        let mut values = integers(&shape);
        if is_max {
            let at = nan.index(values.len());
            values[at] = f32::NAN;
        }
        let input = [shape[2], shape[3], shape[4]];
        let ranges = std::array::from_fn(|axis| {
            let positions = (input[axis] + 2 * pads[axis] - kernel[axis]) / stride[axis] + 1;
            let inside = |at: usize| at.saturating_sub(pads[axis]).min(input[axis]);
            (0..positions).map(|i| inside(i * stride[axis])..inside(i * stride[axis] + kernel[axis])).collect()
        });
        let reduced = |window: Vec<f32>| {
            if is_max {
                let largest = window.iter().copied().fold(f32::MIN, f32::max);
                return if window.iter().any(|v| v.is_nan()) { f32::NAN } else { largest };
            }
            let n = if include { kernel.iter().product() } else { window.len().max(1) };
            window.iter().sum::<f32>() / n as f32
        };
        let expected: Vec<f32> = elements(&values, input, &ranges).into_iter().map(reduced).collect();
        prop_assert_eq!(bits(&result(&g, &shape, &values)), bits(&expected));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn windows_are_reduced_as_defined(
            planes in prop::array::uniform2(1usize..4), (depth, height, width) in (1usize..12, 1usize..12, 1usize..50),
            kernel in prop::array::uniform3(1usize..6), stride in prop::array::uniform3(1usize..4), pad in 0usize..5, include: bool, is_max: bool,
            nan: prop::sample::Index,
        ) {
            let shape = [planes[0], planes[1], depth, height, width];
            check_sliding(shape, [kernel, stride, [pad; 3]], [is_max, include], nan)?;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn long_windows_are_reduced_as_defined(
            channels in 1usize..4, (height, width) in (3usize..5, 200usize..300), kernel in (1usize..4, 30usize..200),
            stride in prop_oneof![1usize..4, 30usize..250], pad in 0usize..20, include: bool, is_max: bool, nan: prop::sample::Index,
        ) {
            let sizes = [[1, kernel.0, kernel.1], [1, 1, stride], [0, 0, pad]];
            check_sliding([1, channels, 1, height, width], sizes, [is_max, include], nan)?;
        }

        #[test]
        fn windows_of_whole_axes_are_reduced(
            planes in prop::array::uniform2(1usize..4), input in (1usize..5, 1usize..8, 1usize..50), whole in prop::array::uniform3(any::<bool>()),
            include: bool, is_max: bool, nan: prop::sample::Index,
        ) {
            let input = [input.0, input.1, input.2];
            let kernel = std::array::from_fn(|axis| if whole[axis] { input[axis] } else { 1 });
            let shape = [planes[0], planes[1], input[0], input[1], input[2]];
            check_sliding(shape, [kernel, [1; 3], [0; 3]], [is_max, include], nan)?;
        }

        #[test]
        fn adaptive_windows_are_reduced_as_defined(
            planes in prop::array::uniform2(1usize..4), input in (1usize..5, 1usize..12, 1usize..50), output in (1usize..5, 1usize..15, 1usize..60),
        ) {
            let (input, output) = ([input.0, input.1, input.2], [output.0, output.1, output.2]);
            let shape = [planes[0], planes[1], input[0], input[1], input[2]];
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, shape).unwrap();
            let y = g.op(AdaptiveAvgPool::new(x, output.map(|n| n as i64).to_vec())).call().unwrap()[0];
            g.set_outputs(&[y]).unwrap();
            let values = integers(&shape);
            let ranges = std::array::from_fn(|axis| {
                let (n, parts) = (input[axis], output[axis]);
                (0..parts).map(|i| i * n / parts..((i + 1) * n).div_ceil(parts)).collect()
            });
            let mean = |window: Vec<f32>| window.iter().sum::<f32>() / window.len() as f32;
            let expected: Vec<f32> = elements(&values, input, &ranges).into_iter().map(mean).collect();
            prop_assert_eq!(bits(&result(&g, &shape, &values)), bits(&expected));
        }
    }
}
