use super::{
    OpKernel, Operand,
    task::{PostOp, Task},
    workspace::{all_reals, ints, reals, result_reals},
};
use crate::{
    base::Result,
    ops::{AdaptiveAvgPool, AvgPool, MaxPool, MaxPoolWithMask, MaxUnpool, PoolMask, Window, windows},
    semantics::IndexKind,
};
use std::borrow::Cow;

fn larger(m: f32, v: &f32) -> f32 {
    if *v > m || v.is_nan() { *v } else { m }
}

/// Returns the maximum of the preceding rows and another row.
fn largest(m: Option<f32>, row: &[f32]) -> Option<f32> {
    match (m, row) {
        (None, [first, rest @ ..]) => Some(rest.iter().fold(*first, larger)),
        (m, row) => m.map(|m| row.iter().fold(m, larger)),
    }
}

/// Returns the maximum, or the lowest number like the Top executor: with ceil_mode, a window may be entirely outside.
fn or_lowest(m: Option<f32>, _: usize) -> f32 {
    m.unwrap_or(f32::MIN)
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
    OpKernel::with_workspace(reals([&op.input]), move |t| {
        let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        Planes::sliding(t, &op.input, windows(&op.input.ty.shape, &(&op).into())?)?.pool(t, finish, largest, or_lowest)
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
    OpKernel::with_workspace(reals([&op.input]), move |t| {
        let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let (include, windows) = (op.count_include_pad, windows(&op.input.ty.shape, &(&op).into())?);
        let taps = windows.iter().map(|w| w.kernel as f64).product::<f64>() as f32;
        Planes::sliding(t, &op.input, windows)?
            .pool(t, finish, sum, |s, n| s.unwrap_or(0.0) / if include { taps } else { n.max(1) as f32 })
    })
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
    /// Calls `f` with the rows of values in the window at `pixel`, and their offsets in the plane.
    fn rows(&self, plane: usize, mut pixel: usize, mut f: impl FnMut(&[f32], usize)) {
        let mut ranges = [(0usize, 0usize); 3];
        let rank = self.positions.len().min(3);
        for i in (0..rank).rev() {
            ranges[i] = (self.range)(i, pixel % self.positions[i]);
            pixel /= self.positions[i];
        }
        // Missing axes are leading ones of size 1.
        let axis = |back: usize| rank.checked_sub(back + 1).map_or((0, 1), |i| ranges[i]);
        let size = |back: usize| rank.checked_sub(back + 1).map_or(1, |i| self.input[i]);
        let area = size(0) * size(1) * size(2);
        let plane = &self.values[plane * area..(plane + 1) * area];
        let whole_rows = axis(0) == (0, size(0)) && axis(1).0 < axis(1).1;
        for d in axis(2).0..axis(2).1 {
            if whole_rows {
                let (from, to) = ((d * size(1) + axis(1).0) * size(0), (d * size(1) + axis(1).1) * size(0));
                f(&plane[from..to], from);
                continue;
            }
            for h in axis(1).0..axis(1).1 {
                let row = (d * size(1) + h) * size(0);
                f(&plane[row + axis(0).0..row + axis(0).1], row + axis(0).0);
            }
        }
    }
}
