use super::{
    OpKernel, Operand,
    blocked::InstructionSet,
    task::{PostOp, Task},
    workspace::{Workspace, all_reals, ints, of_result, of_threads, reals, result_reals},
};
use crate::{
    ValueType,
    array::{reserve, zeros},
    base::Result,
    ops::{AdaptiveAvgPool, AvgPool, MaxPool, MaxPoolWithMask, MaxUnpool, PoolMask, Window, windows},
    quant::Quantization,
    semantics::IndexKind,
};
use rten_simd::{Isa, SimdOp};
use std::borrow::Cow;

fn larger(m: f32, v: &f32) -> f32 {
    if *v > m || v.is_nan() { *v } else { m }
}

/// Returns the maximum of the preceding rows and another row. Several maxima at a time, since each comparison waits for the one before.
fn largest(m: Option<f32>, row: &[f32]) -> Option<f32> {
    let (chunks, rest) = row.as_chunks::<16>();
    let mut most = [f32::NEG_INFINITY; 16];
    for chunk in chunks {
        most.iter_mut().zip(chunk).for_each(|(m, v)| *m = larger(*m, v));
    }
    let all = most.iter().chain(rest).chain(&m);
    (m.is_some() || !row.is_empty()).then(|| all.fold(f32::NEG_INFINITY, larger))
}

/// Returns the maximum of `n` numbers. Of none it is the lowest number, like in the Top executor: with ceil_mode, a window may be entirely
/// outside.
fn or_lowest(m: Option<f32>, n: usize) -> f32 {
    m.filter(|_| n > 0).unwrap_or(f32::MIN)
}

/// Several sums at a time, since each addition waits for the one before.
fn sum(s: Option<f32>, row: &[f32]) -> Option<f32> {
    let (chunks, rest) = row.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(s, v)| *s += v);
    }
    Some(sums.iter().chain(rest).fold(s.unwrap_or(0.0), |s, v| s + v))
}

pub(super) fn max_pool(op: MaxPool<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]) + of_lines(&op.input), move |t| {
        let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let windows = windows(&op.input.ty.shape, &(&op).into())?;
        let last = windows.last().cloned();
        let planes = Planes::sliding(t, &op.input, windows)?;
        match last {
            Some(w) if is_shared(&w) => {
                let largest = Fold { empty: f32::NEG_INFINITY, combine: |m, v| larger(m, &v) };
                planes.pool_lines(t, w, finish, largest, |m, n| or_lowest(Some(m), n))
            }
            _ => planes.pool(t, finish, largest, or_lowest),
        }
    })
}

pub(super) fn max_pool_with_mask(op: MaxPoolWithMask<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]), move |t| {
        let planes = Planes::sliding(t, &op.input, windows(&op.input.ty.shape, &(&op).into())?)?;
        planes.pool(t, PostOp::relu(op.do_relu, op.relu_limit), largest, or_lowest)?;
        let pixels = planes.pixels();
        t.fill_ints(1, |first, out| {
            for (i, place) in out.iter_mut().enumerate() {
                let (plane, pixel) = ((first + i) / pixels, (first + i) % pixels);
                let mut found: Option<f32> = None;
                planes.rows(plane, pixel, |row, start| {
                    for (x, v) in row.iter().enumerate() {
                        // A NaN remains the maximum.
                        if found.is_none_or(|m| !m.is_nan() && (*v > m || v.is_nan())) {
                            (found, *place) = (Some(*v), (start + x) as i64);
                        }
                    }
                });
            }
        })
    })
}

pub(super) fn avg_pool(op: AvgPool<Operand>) -> OpKernel {
    let units = Units::of(&op.input);
    OpKernel::with_workspace(reals([&op.input]) + of_lines(&op.input), move |t| {
        let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let windows = windows(&op.input.ty.shape, &(&op).into())?;
        let mean = Mean::new(&op, &windows, &units);
        let last = windows.last().cloned();
        let planes = Planes::sliding(t, &units.operand, windows)?;
        match last {
            Some(w) if is_shared(&w) => {
                planes.pool_lines(t, w, finish, Fold { empty: 0.0, combine: |s, v| s + v }, |s, n| mean.of(s, n))
            }
            _ => planes.pool(t, finish, sum, |s, n| mean.of(s.unwrap_or(0.0), n)),
        }
    })
}

/// The workspace of [`Planes::pool_lines`]: a line of the operand per thread, and a number for each result of a line.
fn of_lines(input: &Operand) -> Workspace {
    let last = |ty: &ValueType| ty.shape.last().copied().unwrap_or(1);
    of_threads(last(&input.ty), size_of::<f32>()) + of_result(last, size_of::<usize>())
}

/// Whether the windows along a line can have elements in common. A window as large as the line has none.
fn is_shared(window: &Window) -> bool {
    window.kernel < window.input as i64
}

/// How the elements of a window are combined, in any order.
#[derive(Clone, Copy)]
struct Fold<F> {
    /// The result for no elements, which does not change what it is combined with.
    empty: f32,
    combine: F,
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
    pub fn of(self, sum: f32, n: usize) -> f32 {
        sum / self.padded.unwrap_or(n.max(1) as f32) * self.scale
    }
}

/// Each window is one share of an axis; shares overlap if the axis does not divide evenly.
pub(super) fn adaptive_avg_pool(op: AdaptiveAvgPool<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]), move |t| {
        let (input, positions) = (op.input.ty.shape[2..].to_vec(), t.result(0)?.shape[2..].to_vec());
        let share = |axis: usize, i: usize| {
            let (n, parts) = (input[axis] as u128, positions[axis] as u128);
            ((i as u128 * n / parts) as usize, ((i as u128 + 1) * n).div_ceil(parts) as usize)
        };
        let planes = Planes { values: t.reals(&op.input)?, input: &input, positions: positions.clone(), range: share };
        planes.pool(t, PostOp::default(), sum, |s, n| s.unwrap_or(0.0) / n.max(1) as f32)
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

/// Planes of one to three axes, and their windows: `range` returns the range of a window along an axis.
struct Planes<'a, R> {
    values: Cow<'a, [f32]>,
    input: &'a [usize],
    positions: Vec<usize>,
    range: R,
}

impl<'a> Planes<'a, ()> {
    /// Creates the sliding windows of an operand, clipped to the input.
    fn sliding(
        t: &Task<'a>,
        input: &'a Operand,
        windows: Vec<Window>,
    ) -> Result<Planes<'a, impl Fn(usize, usize) -> (usize, usize) + Sync + use<'a>>> {
        let positions = windows.iter().map(Window::positions).collect::<Result<Vec<_>>>()?;
        let range = move |axis: usize, i: usize| {
            let w: &Window = &windows[axis];
            let start = i as i64 * w.stride - w.pads[0];
            let end = (start + w.kernel).clamp(0, w.input as i64) as usize;
            (start.clamp(0, end as i64) as usize, end)
        };
        Ok(Planes { values: t.reals(input)?, input: &input.ty.shape[2..], positions, range })
    }
}

impl<R: Fn(usize, usize) -> (usize, usize) + Sync> Planes<'_, R> {
    fn pixels(&self) -> usize {
        self.positions.iter().product()
    }
    /// Reduces each window with `fold`, row by row, and passes the result and the number of values to `end`.
    fn pool(
        &self,
        t: &mut Task,
        finish: PostOp,
        fold: impl Fn(Option<f32>, &[f32]) -> Option<f32> + Sync,
        end: impl Fn(Option<f32>, usize) -> f32 + Sync,
    ) -> Result<()> {
        let pixels = self.pixels();
        t.fill(0, pixels, finish, |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let (mut found, mut n) = (None, 0);
                self.rows((first + i) / pixels, (first + i) % pixels, |row, _| {
                    found = fold(found, row);
                    n += row.len();
                });
                *out = end(found, n);
            }
            Ok(())
        })
    }
    /// Reduces sliding windows, a line of results at a time: the input lines that its windows share are combined once, and then the
    /// elements of each window. Each result and its number of elements are passed to `end`.
    fn pool_lines(
        &self,
        t: &mut Task,
        last: Window,
        finish: PostOp,
        fold: Fold<impl Fn(f32, f32) -> f32 + Copy + Sync>,
        end: impl Fn(f32, usize) -> f32 + Copy + Sync,
    ) -> Result<()> {
        let (pixels, axis) = (self.pixels(), self.positions.len() - 1);
        let mut widths = Vec::new();
        reserve(&mut widths, self.positions[axis])?;
        widths.extend((0..self.positions[axis]).map(|x| (self.range)(axis, x)).map(|(from, to)| to - from));
        t.fill(0, pixels, finish, |first, out| {
            let (line, last) = (zeros(self.input[axis])?, &last);
            let lines = Lines { planes: self, last, widths: &widths, line, fold, end, first, out };
            InstructionSet::best().run(lines);
            Ok(())
        })
    }
    fn plane(&self, i: usize) -> &[f32] {
        let area = self.input.iter().product::<usize>();
        &self.values[i * area..][..area]
    }
    /// Returns the ranges of the window at `pixel`. Missing axes are leading ones of size 1.
    fn ranges(&self, mut pixel: usize) -> [(usize, usize); 3] {
        let mut ranges = [(0, 1); 3];
        let missing = 3 - self.positions.len();
        for (i, positions) in self.positions.iter().enumerate().rev() {
            ranges[missing + i] = (self.range)(i, pixel % positions);
            pixel /= positions;
        }
        ranges
    }
    /// Returns the size of an axis, counted from the last one.
    fn size(&self, back: usize) -> usize {
        self.input.iter().nth_back(back).copied().unwrap_or(1)
    }
    /// Calls `f` with the offset of each line that has a part in a window.
    #[inline(always)]
    fn lines(&self, [slices, rows, _]: &[(usize, usize); 3], mut f: impl FnMut(usize)) {
        for slice in slices.0..slices.1 {
            (rows.0..rows.1).for_each(|row| f((slice * self.size(1) + row) * self.size(0)));
        }
    }
    /// Calls `f` with the rows of values in the window at `pixel`, and their offsets in the plane.
    fn rows(&self, plane: usize, pixel: usize, mut f: impl FnMut(&[f32], usize)) {
        let (ranges, plane) = (self.ranges(pixel), self.plane(plane));
        let [slices, rows, cols] = ranges;
        if cols == (0, self.size(0)) && rows.0 < rows.1 {
            for slice in slices.0..slices.1 {
                let row = |row: usize| (slice * self.size(1) + row) * self.size(0);
                f(&plane[row(rows.0)..row(rows.1)], row(rows.0));
            }
            return;
        }
        self.lines(&ranges, |line| f(&plane[line + cols.0..line + cols.1], line + cols.0));
    }
}

/// Some lines of results, from element `first` on.
struct Lines<'a, R, F, E> {
    planes: &'a Planes<'a, R>,
    /// The windows along a line.
    last: &'a Window,
    /// Their numbers of elements inside the line.
    widths: &'a [usize],
    /// Memory for a line of the operand.
    line: Vec<f32>,
    fold: Fold<F>,
    end: E,
    first: usize,
    out: &'a mut [f32],
}

impl<R, F, E> SimdOp for Lines<'_, R, F, E>
where
    R: Fn(usize, usize) -> (usize, usize) + Sync,
    F: Fn(f32, f32) -> f32 + Copy,
    E: Fn(f32, usize) -> f32,
{
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let Lines { planes, last, widths, mut line, fold: Fold { empty, combine }, end, first, out } = self;
        let pixels = planes.pixels();
        for (i, out) in out.chunks_exact_mut(widths.len()).enumerate() {
            let start = first + i * widths.len();
            let (mut height, plane) = (0, planes.plane(start / pixels));
            line.fill(empty);
            planes.lines(&planes.ranges(start % pixels), |from| {
                line.iter_mut().zip(&plane[from..]).for_each(|(v, x)| *v = combine(*v, *x));
                height += 1;
            });
            out.fill(empty);
            combine_windows(last, &line, out, combine);
            out.iter_mut().zip(widths).for_each(|(v, width)| *v = end(*v, height * width));
        }
    }
}

/// Combines the elements of each window along a line with its element of `out`.
#[inline(always)]
fn combine_windows(window: &Window, line: &[f32], out: &mut [f32], combine: impl Fn(f32, f32) -> f32 + Copy) {
    let (stride, pad) = (window.stride as usize, window.pads[0] as usize);
    for element in 0..window.kernel as usize {
        // The positions at which this element is inside the line.
        let to = (line.len() + pad).saturating_sub(element).div_ceil(stride).min(out.len());
        let from = pad.saturating_sub(element).div_ceil(stride).min(to);
        if from == to {
            continue;
        }
        let (out, values) = (&mut out[from..to], &line[from * stride + element - pad..]);
        match stride {
            1 => out.iter_mut().zip(values).for_each(|(v, x)| *v = combine(*v, *x)),
            2 => {
                let (pairs, last) = values.as_chunks::<2>();
                out.iter_mut().zip(pairs).for_each(|(v, [x, _])| *v = combine(*v, *x));
                // The last element need not have a neighbour.
                out.iter_mut().skip(pairs.len()).zip(last).for_each(|(v, x)| *v = combine(*v, *x));
            }
            _ => out.iter_mut().zip(values.iter().step_by(stride)).for_each(|(v, x)| *v = combine(*v, *x)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, run};
    use proptest::prelude::*;

    /// Whole numbers, whose sums are exact in any order.
    fn integers(shape: &[usize]) -> Vec<f32> {
        (0..shape.iter().product()).map(|i: usize| (i * 37 % 41) as f32 - 20.0).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn windows_are_reduced_as_defined(
            planes in prop::array::uniform2(1usize..4), input in prop::array::uniform3(1usize..12),
            kernel in prop::array::uniform3(1usize..6), stride in prop::array::uniform3(1usize..4), pad in 0usize..5, include: bool, is_max: bool,
        ) {
            let mut g = Graph::new("g").unwrap();
            let shape = [&planes[..], &input].concat();
            let x = g.input("x", Dtype::Float32, &shape).unwrap();
            let sizes = [kernel, stride].map(|sizes| sizes.map(|n| n as i64));
            let y = match is_max {
                true => g.maxpool3d(x).kernel(sizes[0]).stride(sizes[1]).pad(pad as i64).call(),
                false => {
                    let call = g.avgpool3d(x).kernel(sizes[0]).stride(sizes[1]).pad(pad as i64);
                    call.count_include_pad(include).call()
                }
            };
            // Windows that do not fit and padding wider than them are refused.
            let Ok(y) = y else { return Err(TestCaseError::reject("refused")) };
            g.set_outputs(&[y]).unwrap();
            let values = integers(&shape);
            let feed = Array::from_f64s(Dtype::Float32, shape.clone(), values.iter().map(|v| f64::from(*v))).unwrap();
            // Unfused, nothing is computed in blocks.
            let options = RunOptions::default().unfused(true);
            let result = &run(&g, &[("x", feed)], &CpuBackend::new(), &options).unwrap().tensors[0];
            let positions: [usize; 3] = result.shape()[2..].try_into().unwrap();
            let area: usize = input.iter().product();
            let mut expected = vec![];
            for plane in values.chunks(area) {
                for at in 0..positions.iter().product() {
                    let at = [at / (positions[1] * positions[2]), at / positions[2] % positions[1], at % positions[2]];
                    let inside = |axis: usize| {
                        let from = at[axis] * stride[axis];
                        let inside = move |i: usize| i.checked_sub(pad).filter(|i| *i < input[axis]);
                        (from..from + kernel[axis]).filter_map(inside)
                    };
                    let window: Vec<f32> = inside(0)
                        .flat_map(|d| inside(1).map(move |h| d * input[1] + h))
                        .flat_map(|row| inside(2).map(move |w| row * input[2] + w))
                        .map(|i| plane[i])
                        .collect();
                    if is_max {
                        expected.push(window.iter().copied().fold(f32::NEG_INFINITY, f32::max).max(f32::MIN));
                        continue;
                    }
                    let n = if include { kernel.iter().product() } else { window.len().max(1) };
                    expected.push(window.iter().sum::<f32>() / n as f32);
                }
            }
            prop_assert_eq!(result.to_f32().unwrap().to_vec(), expected);
        }
    }
}
