//! Gradients of a convolution, computed by definition.
use super::{
    OpKernel, Operand,
    task::{PostOp, Task},
    workspace::all_reals,
};
use crate::{
    base::Result,
    ops::{ConvBwd_Weight, Convbwd},
    semantics::{self, ConvGeometry},
};
use rayon::prelude::*;
use std::ops::Range;

impl ConvGeometry {
    /// The range of windows along an axis in which an entry of the filter is inside the image.
    fn windows(&self, axis: usize, entry: usize) -> Range<usize> {
        let first = entry as i64 * self.dilation[axis] - self.pads[axis];
        let (size, stride) = (self.input[2 + axis] as i64, self.stride[axis]);
        let from = if first < 0 { (stride - 1 - first) / stride } else { 0 };
        let to = if size > first { (size - 1 - first) / stride + 1 } else { 0 };
        from as usize..(to.max(0) as usize).min(self.output[axis])
    }
    /// Returns the input index along an axis that an entry of the filter reads in a window.
    fn seen(&self, axis: usize, window: usize, entry: usize) -> usize {
        (window as i64 * self.stride[axis] + entry as i64 * self.dilation[axis] - self.pads[axis]) as usize
    }
    /// Calls `f` with the offsets in the planes of gradient and input that an entry of the filter connects.
    fn pairs(&self, [down, across]: [usize; 2], mut f: impl FnMut(usize, usize)) {
        for y in self.windows(0, down) {
            let line = self.seen(0, y, down) * self.input[3];
            for x in self.windows(1, across) {
                f(y * self.output[1] + x, line + self.seen(1, x, across));
            }
        }
    }
    /// Computes the filter's gradient, one output channel after the other.
    fn filter(&self, x: &[f32], grad: &[f32], out: &mut [f32]) {
        let ([n, c, h, w], [o, per_group, rows, columns]) = (self.input, self.filter);
        let (plane, result) = (h * w, self.output[0] * self.output[1]);
        out.par_chunks_mut((per_group * rows * columns).max(1)).enumerate().for_each(|(channel, out)| {
            let first = channel / (o / self.groups) * per_group;
            for (i, out) in out.iter_mut().enumerate() {
                let (from, entry) = (first + i / (rows * columns), [i / columns % rows, i % columns]);
                let mut sum = 0.0;
                for image in 0..n {
                    let x = &x[(image * c + from) * plane..][..plane];
                    let grad = &grad[(image * o + channel) * result..][..result];
                    self.pairs(entry, |g, p| sum += f64::from(grad[g]) * f64::from(x[p]));
                }
                *out = sum as f32;
            }
        });
    }
    /// Computes the input's gradient, one plane after the other.
    fn input(&self, filter: &[f32], grad: &[f32], out: &mut [f32]) {
        let ([_, c, h, w], [o, per_group, rows, columns]) = (self.input, self.filter);
        let result = self.output[0] * self.output[1];
        out.par_chunks_mut(h * w).enumerate().for_each(|(i, out)| {
            let (image, channel) = (i / c, i % c);
            let per_result = o / self.groups;
            for to in channel / per_group * per_result..(channel / per_group + 1) * per_result {
                let grad = &grad[(image * o + to) * result..][..result];
                let weights = &filter[(to * per_group + channel % per_group) * rows * columns..][..rows * columns];
                for (entry, weight) in weights.iter().enumerate() {
                    self.pairs([entry / columns, entry % columns], |g, p| out[p] += grad[g] * weight);
                }
            }
        });
    }
}

/// Writes a result; `fill` adds to zeros.
fn write(t: &mut Task, i: usize, fill: impl FnOnce(&mut [f32])) -> Result<()> {
    if t.result(i).is_err() {
        return Ok(());
    }
    t.write(i, PostOp::default(), |out| {
        out.fill(0.0);
        fill(out);
        Ok(())
    })
}

/// Computes the results that are not absent.
pub(super) fn conv_bwd(op: Convbwd<Operand>) -> Option<OpKernel> {
    if !semantics::has_no_inserts(&op) {
        return None;
    }
    Some(OpKernel::with_workspace(all_reals(), move |t| {
        let (grad, x, filter) = (t.reals(&op.grad_out)?, t.reals(&op.input)?, t.reals(&op.kernel)?);
        let (shape, places) = (&op.grad_out.ty.shape, semantics::conv_bwd_geometry(&op));
        write(t, 0, |out| places.input(&filter, &grad, out))?;
        write(t, 1, |out| places.filter(&x, &grad, out))?;
        let plane = shape[2] * shape[3];
        write(t, 2, |out| {
            for (i, grad) in grad.chunks(plane).enumerate() {
                out[i % shape[1]] += grad.iter().map(|&g| f64::from(g)).sum::<f64>() as f32;
            }
        })
    }))
}

pub(super) fn conv_bwd_weight(op: ConvBwd_Weight<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals(), move |t| {
        let (grad, x) = (t.reals(&op.gradout)?, t.reals(&op.input)?);
        let places = semantics::conv_bwd_weight_geometry(&op, &t.result(0)?.shape);
        write(t, 0, |out| places.filter(&x, &grad, out))
    })
}
