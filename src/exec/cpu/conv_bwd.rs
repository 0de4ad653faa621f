//! Gradients of a convolution: products with the columns of images (im2col), or by definition if a group has few channels.
use super::{
    OpKernel, Operand,
    gemm::{Mat, gemm_f32},
    task::{PostOp, Task},
    workspace::{Workspace, all_reals, numbers, product},
};
use crate::{
    array::zeros,
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
    fn input_index(&self, axis: usize, window: usize, entry: usize) -> usize {
        (window as i64 * self.stride[axis] + entry as i64 * self.dilation[axis] - self.pads[axis]) as usize
    }
    /// Calls `f` with the offsets in the planes of gradient and input that an entry of the filter connects.
    fn pairs(&self, [down, across]: [usize; 2], mut f: impl FnMut(usize, usize)) {
        for y in self.windows(0, down) {
            let line = self.input_index(0, y, down) * self.input[3];
            for x in self.windows(1, across) {
                f(y * self.output[1] + x, line + self.input_index(1, x, across));
            }
        }
    }
    /// Computes the filter's gradient by definition, one output channel after the other.
    fn filter_directly(&self, x: &[f32], grad: &[f32], out: &mut [f32]) {
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
    /// Computes the input's gradient by definition, one plane after the other.
    fn input_directly(&self, filter: &[f32], grad: &[f32], out: &mut [f32]) {
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

/// Number of windows whose columns are computed at a time.
const WINDOWS: usize = 4096;

/// The products that compute the gradients of one group of channels, for several images at a time.
#[derive(Clone, Copy)]
struct Columns<'g> {
    geometry: &'g ConvGeometry,
    /// Entries of a filter: channels of a group x kernel.
    entries: usize,
    /// Output channels of a group.
    outputs: usize,
    /// Windows of an image.
    windows: usize,
    /// Images at a time.
    images: usize,
}

impl<'g> Columns<'g> {
    /// Returns `None` if products are so small that they do not pay off.
    fn new(geometry: &'g ConvGeometry) -> Option<Columns<'g>> {
        let [o, per_group, rows, columns] = geometry.filter;
        let (entries, outputs) = (product(&[per_group, rows, columns]), o / geometry.groups.max(1));
        let windows = product(&geometry.output);
        let images = (WINDOWS / windows.max(1)).clamp(1, geometry.input[0].max(1));
        (entries >= 8 && outputs >= 4).then_some(Columns { geometry, entries, outputs, windows, images })
    }
    /// Elements of all temporary matrices.
    fn workspace(&self) -> usize {
        let width = self.windows.saturating_mul(self.images);
        (self.entries.saturating_add(self.outputs))
            .saturating_mul(width)
            .saturating_add(product(&[self.entries, self.outputs]))
    }

    /// Calls `f` for each group with each range of images.
    fn parts(&self, mut f: impl FnMut(usize, Range<usize>) -> Result<()>) -> Result<()> {
        let n = self.geometry.input[0];
        for group in 0..self.geometry.groups {
            for first in (0..n).step_by(self.images) {
                f(group, first..(first + self.images).min(n))?;
            }
        }
        Ok(())
    }

    /// Copies the gradients of a group: a row per output channel, with the windows of all images.
    fn gradients(&self, grad: &[f32], group: usize, images: Range<usize>, out: &mut [f32]) {
        let (o, width) = (self.geometry.filter[0], images.len() * self.windows);
        out.par_chunks_mut(width).enumerate().for_each(|(channel, row)| {
            for (row, image) in row.chunks_exact_mut(self.windows).zip(images.clone()) {
                let from = (image * o + group * self.outputs + channel) * self.windows;
                row.copy_from_slice(&grad[from..][..self.windows]);
            }
        });
    }

    /// The plane of the image that a row of the columns reads, and the entry of the kernel.
    fn source(&self, group: usize, image: usize, row: usize) -> (usize, [usize; 2]) {
        let ([_, c, h, w], [_, per_group, rows, columns]) = (self.geometry.input, self.geometry.filter);
        let channel = image * c + group * per_group + row / (rows * columns);
        (channel * h * w, [row / columns % rows, row % columns])
    }

    /// Computes the columns: a row per entry of the filter, with the element that it meets in each window, 0 outside the image.
    fn fill(&self, x: &[f32], group: usize, images: Range<usize>, out: &mut [f32]) {
        let (g, plane) = (self.geometry, product(&self.geometry.input[2..]));
        out.par_chunks_mut(images.len() * self.windows).enumerate().for_each(|(row, line)| {
            line.fill(0.0);
            for (line, image) in line.chunks_exact_mut(self.windows).zip(images.clone()) {
                let (first, entry) = self.source(group, image, row);
                let x = &x[first..][..plane];
                g.pairs(entry, |window, pixel| line[window] = x[pixel]);
            }
        });
    }

    /// Adds `dy * columns^T` to the gradient of the filter.
    fn filter(&self, x: &[f32], grad: &[f32], out: &mut [f32]) -> Result<()> {
        let width = self.windows * self.images;
        let (mut columns, mut gradients) = (zeros(self.entries * width)?, zeros(self.outputs * width)?);
        let mut sums = zeros(self.entries * self.outputs)?;
        self.parts(|group, images| {
            let width = images.len() * self.windows;
            let (columns, gradients) = (&mut columns[..self.entries * width], &mut gradients[..self.outputs * width]);
            self.fill(x, group, images.clone(), columns);
            self.gradients(grad, group, images, gradients);
            let left = Mat { data: gradients, rows: self.outputs, cols: width, transposed: false };
            gemm_f32(&mut sums, left, Mat { data: columns, rows: width, cols: self.entries, transposed: true })?;
            let out = &mut out[group * sums.len()..][..sums.len()];
            out.iter_mut().zip(&sums).for_each(|(to, sum)| *to += sum);
            Ok(())
        })
    }

    /// Adds `w^T * dy` to the gradient of the input, each row where its entry was read.
    fn input(&self, filter: &[f32], grad: &[f32], out: &mut [f32]) -> Result<()> {
        let width = self.windows * self.images;
        let (mut columns, mut gradients) = (zeros(self.entries * width)?, zeros(self.outputs * width)?);
        let [_, per_group, rows, kernel_columns] = self.geometry.filter;
        let (plane, taps) = (product(&self.geometry.input[2..]), rows * kernel_columns);
        self.parts(|group, images| {
            let width = images.len() * self.windows;
            let (columns, gradients) = (&mut columns[..self.entries * width], &mut gradients[..self.outputs * width]);
            self.gradients(grad, group, images.clone(), gradients);
            let weights = &filter[group * self.outputs * self.entries..][..self.outputs * self.entries];
            let left = Mat { data: weights, rows: self.entries, cols: self.outputs, transposed: true };
            gemm_f32(columns, left, Mat { data: gradients, rows: self.outputs, cols: width, transposed: false })?;
            let c = self.geometry.input[1];
            let planes = &mut out[images.start * c * plane..images.end * c * plane];
            planes.par_chunks_mut(plane).enumerate().for_each(|(i, out)| {
                let (image, channel) = (i / c, (i % c).wrapping_sub(group * per_group));
                if channel < per_group {
                    for row in channel * taps..(channel + 1) * taps {
                        let line = &columns[row * width + image * self.windows..][..self.windows];
                        let (_, entry) = self.source(group, image, row);
                        self.geometry.pairs(entry, |window, pixel| out[pixel] += line[window]);
                    }
                }
            });
            Ok(())
        })
    }
}

impl ConvGeometry {
    /// Adds the filter's gradient to zeros.
    fn filter_gradient(&self, x: &[f32], grad: &[f32], out: &mut [f32]) -> Result<()> {
        match Columns::new(self) {
            Some(columns) => columns.filter(x, grad, out),
            None => {
                self.filter_directly(x, grad, out);
                Ok(())
            }
        }
    }
    /// Adds the input's gradient to zeros.
    fn input_gradient(&self, filter: &[f32], grad: &[f32], out: &mut [f32]) -> Result<()> {
        match Columns::new(self) {
            Some(columns) => columns.input(filter, grad, out),
            None => {
                self.input_directly(filter, grad, out);
                Ok(())
            }
        }
    }
    fn gradient_workspace(&self) -> Workspace {
        all_reals() + numbers(Columns::new(self).map_or(0, |columns| columns.workspace()), 4)
    }
}

/// Writes a result; `fill` adds to zeros.
fn write(t: &mut Task, i: usize, fill: impl FnOnce(&mut [f32]) -> Result<()>) -> Result<()> {
    if t.result(i).is_err() {
        return Ok(());
    }
    t.write(i, PostOp::default(), |out| {
        out.fill(0.0);
        fill(out)
    })
}

/// Computes the results that are not absent.
pub(super) fn conv_bwd(op: Convbwd<Operand>) -> Option<OpKernel> {
    if !semantics::has_no_inserts(&op) {
        return None;
    }
    let geometry = semantics::conv_bwd_geometry(&op);
    Some(OpKernel::with_workspace(geometry.gradient_workspace(), move |t| {
        let (grad, x, filter) = (t.reals(&op.grad_out)?, t.reals(&op.input)?, t.reals(&op.kernel)?);
        let shape = &op.grad_out.ty.shape;
        write(t, 0, |out| geometry.input_gradient(&filter, &grad, out))?;
        write(t, 1, |out| geometry.filter_gradient(&x, &grad, out))?;
        let plane = shape[2] * shape[3];
        write(t, 2, |out| {
            for (i, grad) in grad.chunks(plane).enumerate() {
                out[i % shape[1]] += grad.iter().map(|&g| f64::from(g)).sum::<f64>() as f32;
            }
            Ok(())
        })
    }))
}

pub(super) fn conv_bwd_weight(op: ConvBwd_Weight<Operand>) -> OpKernel {
    let (input, gradout) = (&op.input.ty.shape, &op.gradout.ty.shape);
    let kernel = op.kernel_shape.iter().map(|&k| k as usize);
    let filter: Vec<usize> = [gradout[1], input[1] / op.groups.max(1) as usize].into_iter().chain(kernel).collect();
    let geometry = semantics::conv_bwd_weight_geometry(&op, &filter);
    OpKernel::with_workspace(geometry.gradient_workspace(), move |t| {
        let (grad, x) = (t.reals(&op.gradout)?, t.reals(&op.input)?);
        write(t, 0, |out| geometry.filter_gradient(&x, &grad, out))
    })
}

#[cfg(test)]
mod tests {
    use super::{Columns, ConvGeometry};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_agree_with_the_definition(
            (n, groups, ic, oc) in (1usize..4, 1usize..4, 1usize..4, 4usize..7),
            (kernel, size) in ([1usize..4, 1..4], [5usize..9, 5..9]),
            (stride, dilation, pads) in ([1i64..3, 1..3], [1i64..3, 1..3], [0i64..3, 0..3]),
            seed in 0u32..1000,
        ) {
            let output = [0, 1].map(|a| {
                ((size[a] as i64 + 2 * pads[a] - dilation[a] * (kernel[a] as i64 - 1) - 1) / stride[a] + 1) as usize
            });
            let input = [n, groups * ic, size[0], size[1]];
            let filter = [groups * oc, ic, kernel[0], kernel[1]];
            let g = ConvGeometry { input, filter, output, stride, dilation, pads, groups };
            // Sums of small whole numbers are exact.
            let values = |count: usize, seed: u32| -> Vec<f32> {
                (0..count as u32).map(|i| ((i.wrapping_mul(2654435761).wrapping_add(seed)) >> 28) as f32 - 8.0).collect()
            };
            let (x, w) = (values(input.iter().product(), seed), values(filter.iter().product(), seed + 1));
            let grad = values(n * groups * oc * output[0] * output[1], seed + 2);
            let Some(columns) = Columns::new(&g) else { return Ok(()) };
            for images in 1..=n {
                let columns = Columns { images, ..columns };
                let (mut fast, mut slow) = (vec![0f32; w.len()], vec![0f32; w.len()]);
                columns.filter(&x, &grad, &mut fast).unwrap();
                g.filter_directly(&x, &grad, &mut slow);
                prop_assert_eq!(fast, slow);
                let (mut fast, mut slow) = (vec![0f32; x.len()], vec![0f32; x.len()]);
                columns.input(&w, &grad, &mut fast).unwrap();
                g.input_directly(&w, &grad, &mut slow);
                prop_assert_eq!(fast, slow);
            }
        }
    }
}
