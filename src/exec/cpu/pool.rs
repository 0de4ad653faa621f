use super::{Kernel, task::CpuTask};
use crate::{
    array::{Array, zeros},
    graph::Result,
    ops::{Window, windows},
};
use rayon::prelude::*;

pub(super) const KERNELS: &[(&str, Kernel)] = &[("MaxPool", max_pool), ("AvgPool", avg_pool)];

fn max_pool(t: &CpuTask) -> Result<Vec<Array>> {
    let larger = |m: f32, v: f32| if v > m || v.is_nan() { v } else { m };
    // With ceil_mode a window may lie outside entirely; the Top executor then gives the lowest number.
    pool(t, |values, _| values.iter().copied().reduce(larger).unwrap_or(f32::MIN))
}

fn avg_pool(t: &CpuTask) -> Result<Vec<Array>> {
    let include = t.attributes().bool("count_include_pad");
    pool(t, |values, taps| {
        let count = if include { taps } else { values.len().max(1) };
        values.iter().sum::<f32>() / count as f32
    })
}

/// `f` of the values in each window that lie inside, and the window's size.
fn pool(t: &CpuTask, f: impl Fn(&[f32], usize) -> f32 + Sync) -> Result<Vec<Array>> {
    let shape = t.shape(0)?;
    let windows = windows(shape, t.attributes())?;
    let positions = windows.iter().map(Window::positions).collect::<Result<Vec<_>>>()?;
    let (plane, pixels): (usize, usize) = (shape[2..].iter().product(), positions.iter().product());
    let taps: usize = windows.iter().map(|w| w.kernel as usize).product();
    let values = t.reals(0)?;
    let mut out = zeros(shape[0] * shape[1] * pixels)?;
    out.par_chunks_mut(pixels).zip(values.par_chunks(plane)).for_each_init(Vec::new, |inside, (out, plane)| {
        for (pixel, out) in out.iter_mut().enumerate() {
            inside.clear();
            collect(&windows, &positions, pixel, plane, inside);
            *out = f(inside, taps);
        }
    });
    t.store(out)
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
