use super::{
    Kernel, Operand,
    task::{Finish, Task},
};
use crate::{
    base::Result,
    ops::{AvgPool, MaxPool, Window, windows},
};
use rayon::prelude::*;

pub(super) fn max_pool(op: MaxPool<Operand>) -> Kernel {
    Box::new(move |t| {
        let finish = Finish::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let larger = |m: f32, v: f32| if v > m || v.is_nan() { v } else { m };
        // With ceil_mode a window may lie outside entirely; the Top executor then gives the lowest number.
        let largest = |values: &[f32], _| values.iter().copied().reduce(larger).unwrap_or(f32::MIN);
        pool(t, &op.input, &windows(&op.input.ty.shape, &(&op).into())?, finish, largest)
    })
}

pub(super) fn avg_pool(op: AvgPool<Operand>) -> Kernel {
    Box::new(move |t| {
        let finish = Finish::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
        let include = op.count_include_pad;
        let mean = |values: &[f32], taps| {
            let count = if include { taps } else { values.len().max(1) };
            values.iter().sum::<f32>() / count as f32
        };
        pool(t, &op.input, &windows(&op.input.ty.shape, &(&op).into())?, finish, mean)
    })
}

/// `f` of the values in each window that lie inside, and the window's size.
fn pool(
    t: &mut Task,
    input: &Operand,
    windows: &[Window],
    finish: Finish,
    f: impl Fn(&[f32], usize) -> f32 + Sync,
) -> Result<()> {
    let positions = windows.iter().map(Window::positions).collect::<Result<Vec<_>>>()?;
    let (plane, pixels): (usize, usize) = (input.ty.shape[2..].iter().product(), positions.iter().product());
    let taps: usize = windows.iter().map(|w| w.kernel as usize).product();
    let values = t.reals(input)?;
    t.write(0, finish, |out| {
        out.par_chunks_mut(pixels).zip(values.par_chunks(plane)).for_each_init(Vec::new, |inside, (out, plane)| {
            for (pixel, out) in out.iter_mut().enumerate() {
                inside.clear();
                collect(windows, &positions, pixel, plane, inside);
                *out = f(inside, taps);
            }
        });
        Ok(())
    })
}

/// The values that the window at `pixel` covers.
fn collect(windows: &[Window], positions: &[usize], mut pixel: usize, plane: &[f32], inside: &mut Vec<f32>) {
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
            inside.extend_from_slice(&plane[row + axis(0).0..row + axis(0).1]);
        }
    }
}
