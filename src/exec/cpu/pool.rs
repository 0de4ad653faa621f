use super::{
    Kernel, Operand,
    task::{Finish, Task},
};
use crate::{
    base::Result,
    ops::{AvgPool, MaxPool, Window, windows},
};

pub(super) fn max_pool(op: MaxPool<Operand>) -> Kernel {
    Box::new(move |t| {
        let finish = Finish::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let larger = |m: f32, v: &f32| if *v > m || v.is_nan() { *v } else { m };
        // With ceil_mode a window may lie outside entirely; the Top executor then gives the lowest number.
        let largest = |m: Option<f32>, row: &[f32]| match (m, row) {
            (None, [first, rest @ ..]) => Some(rest.iter().fold(*first, larger)),
            (m, row) => m.map(|m| row.iter().fold(m, larger)),
        };
        pool(t, &op.input, &windows(&op.input.ty.shape, &(&op).into())?, finish, largest, |m, _| m.unwrap_or(f32::MIN))
    })
}

pub(super) fn avg_pool(op: AvgPool<Operand>) -> Kernel {
    Box::new(move |t| {
        let finish = Finish::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let (include, windows) = (op.count_include_pad, windows(&op.input.ty.shape, &(&op).into())?);
        let taps = windows.iter().map(|w| w.kernel as f64).product::<f64>() as f32;
        let sum = |s: Option<f32>, row: &[f32]| Some(row.iter().fold(s.unwrap_or(0.0), |s, v| s + v));
        pool(t, &op.input, &windows, finish, sum, |s, n| {
            s.unwrap_or(0.0) / if include { taps } else { n.max(1) as f32 }
        })
    })
}

/// What `fold` makes of the values in each window that lie inside, row by row, and `end` of that and their number.
fn pool(
    t: &mut Task,
    input: &Operand,
    windows: &[Window],
    finish: Finish,
    fold: impl Fn(Option<f32>, &[f32]) -> Option<f32> + Sync,
    end: impl Fn(Option<f32>, usize) -> f32 + Sync,
) -> Result<()> {
    let positions = windows.iter().map(Window::positions).collect::<Result<Vec<_>>>()?;
    let (plane, pixels): (usize, usize) = (input.ty.shape[2..].iter().product(), positions.iter().product());
    let values = t.reals(input)?;
    t.fill(0, pixels, finish, |first, out| {
        let planes = values[first / pixels * plane..].chunks(plane);
        for (out, plane) in out.chunks_mut(pixels).zip(planes) {
            for (pixel, out) in out.iter_mut().enumerate() {
                let (mut found, mut n) = (None, 0);
                rows(windows, &positions, pixel, plane, |row| {
                    found = fold(found, row);
                    n += row.len();
                });
                *out = end(found, n);
            }
        }
        Ok(())
    })
}

/// The rows of values that the window at `pixel` covers.
fn rows(windows: &[Window], positions: &[usize], mut pixel: usize, plane: &[f32], mut f: impl FnMut(&[f32])) {
    let mut ranges = [(0usize, 0usize); 3];
    let rank = windows.len().min(3);
    for i in (0..rank).rev() {
        let w = &windows[i];
        let start = (pixel % positions[i]) as i64 * w.stride - w.pads[0];
        pixel /= positions[i];
        let end = (start + w.kernel).clamp(0, w.input as i64) as usize;
        ranges[i] = (start.clamp(0, end as i64) as usize, end);
    }
    // Fewer than three axes are the last ones.
    let axis = |back: usize| rank.checked_sub(back + 1).map_or((0, 1), |i| ranges[i]);
    let size = |back: usize| rank.checked_sub(back + 1).map_or(1, |i| windows[i].input);
    for d in axis(2).0..axis(2).1 {
        for h in axis(1).0..axis(1).1 {
            let row = (d * size(1) + h) * size(0);
            f(&plane[row + axis(0).0..row + axis(0).1]);
        }
    }
}
