//! Deformable convolution: each element of the kernel is sampled at an offset from its position.
use super::{
    OpKernel, Operand,
    conv::{ConvOperation, columns, packed_columns},
    gemm::{Mat, gemm_f32},
    task::PostOp,
    workspace::{all_reals, of_result},
};
use crate::{
    array::zeros,
    ops::{self, Convolution},
};
use rayon::prelude::*;

pub(super) fn deform_conv2d(op: ops::DeformConv2D<Operand>) -> OpKernel {
    let workspace = all_reals() + of_result(columns(&op.filter), 4) + packed_columns(&op.filter);
    OpKernel::with_workspace(workspace, move |t| {
        let windows = Convolution::from(&op).windows(&op.input.ty.shape)?;
        let finish = PostOp::relu(op.do_relu, op.relu_limit);
        let c = ConvOperation::new([&op.input, &op.filter], &op.bias, finish, op.group, &windows, t.result(0)?);
        let (x, w, offset) = (t.reals(&op.input)?, t.reals(&op.filter)?, t.reals(&op.offset)?);
        let mask = op.mask.as_ref().filter(|_| op.use_mask).map(|m| t.reals(m)).transpose()?;
        let (pixels, area, taps, depth) = (c.grid.pixels(), c.grid.area(), c.grid.taps(), c.depth());
        let (shifted, width) = (op.deform_group as usize, c.grid.positions[1]);
        let sharing = c.group * c.ic / shifted;
        // Writes one row of the column matrix: the samples of one kernel element, for one channel of all images'
        // channels.
        let row = |channel: usize, tap: usize, out: &mut [f32]| {
            let (plane, first) = (&x[channel * area..(channel + 1) * area], c.grid.offset(tap));
            let shift = &offset[(channel / sharing * taps + tap) * 2 * pixels..][..2 * pixels];
            for (p, o) in out.iter_mut().enumerate() {
                let at = |axis: usize, position: usize| {
                    (position as i64 * c.grid.stride()[axis] + first[axis]) as f32 + shift[axis * pixels + p]
                };
                *o = sample(plane, [c.grid.plane[0], c.grid.plane[1]], at(0, p / width), at(1, p % width));
            }
            if let Some(mask) = &mask {
                let mask = &mask[(channel / sharing * taps + tap) * pixels..][..pixels];
                out.iter_mut().zip(mask).for_each(|(o, m)| *o *= m);
            }
        };
        c.write(t, |out| {
            let mut columns: Vec<f32> = zeros(depth.saturating_mul(pixels))?;
            for (i, out) in out.chunks_mut(c.oc * pixels).enumerate() {
                let rows = columns.par_chunks_mut(pixels).enumerate();
                rows.for_each(|(r, out)| row(i * c.ic + r / taps, r % taps, out));
                let columns = Mat { data: &columns[..], rows: depth, cols: pixels, transposed: false };
                gemm_f32(out, c.weights(&w, i), columns)?;
            }
            Ok(())
        })
    })
}

/// Samples the plane by bilinear interpolation; it is 0 outside.
fn sample(plane: &[f32], [h, w]: [usize; 2], y: f32, x: f32) -> f32 {
    if !(y > -1.0 && y < h as f32 && x > -1.0 && x < w as f32) {
        return 0.0;
    }
    let (top, left) = (y.floor(), x.floor());
    let (dy, dx) = (y - top, x - left);
    let value = |row: i64, column: i64| {
        let inside = (0..h as i64).contains(&row) && (0..w as i64).contains(&column);
        if inside { plane[row as usize * w + column as usize] } else { 0.0 }
    };
    let (r, c) = (top as i64, left as i64);
    (1.0 - dy) * ((1.0 - dx) * value(r, c) + dx * value(r, c + 1))
        + dy * ((1.0 - dx) * value(r + 1, c) + dx * value(r + 1, c + 1))
}
