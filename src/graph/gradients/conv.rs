//! Gradients of convolutions. Those of 1 and 3 spatial axes are written as those of 2.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::{Result, Shape},
    emit::{Emit, ints},
    ops::{Conv, Convbwd, Convolution, Deconv, Window},
};

/// A 2-d convolution: strides, pads (top, left, bottom, right), dilations and groups.
pub(super) struct Geometry {
    strides: Vec<i64>,
    pads: Vec<i64>,
    dilations: Vec<i64>,
    groups: i64,
}

impl Geometry {
    fn new(windows: &[&Window], groups: i64) -> Geometry {
        Geometry {
            strides: windows.iter().map(|w| w.stride).collect(),
            pads: [0, 1].into_iter().flat_map(|end| windows.iter().map(move |w| w.pads[end])).collect(),
            dilations: windows.iter().map(|w| w.dilation).collect(),
            groups,
        }
    }
    /// The geometry that attributes give.
    pub fn of(strides: &[i64], pads: &[i64], dilations: &[i64], groups: i64) -> Geometry {
        Geometry { strides: strides.to_vec(), pads: pads.to_vec(), dilations: dilations.to_vec(), groups }
    }
    /// The convolution itself.
    pub fn forward(&self, b: &mut Backward, x: Tensor, w: Tensor) -> Result<Tensor> {
        let kernel = b.shape(w)?[2..].to_vec();
        b.op(self.conv(x, w, &kernel))
    }
    fn conv(&self, input: Tensor, filter: Tensor, kernel: &[usize]) -> Conv<Tensor> {
        Conv {
            group: self.groups,
            dilations: Some(self.dilations.clone()),
            weight_is_coeff: 0,
            ..Conv::new(input, filter, ints(kernel), self.strides.clone(), self.pads.clone())
        }
    }
    /// The gradients of input, filter and bias, each if asked for.
    pub fn gradients(
        &self,
        b: &mut Backward,
        [dy, x, w]: [Tensor; 3],
        wanted: [bool; 3],
    ) -> Result<[Option<Tensor>; 3]> {
        let (input_shape, grad_out_shape, kernel) = (b.shape(x)?, b.shape(dy)?, b.shape(w)?);
        let op = Convbwd {
            grad_out: dy,
            input: x,
            kernel: w,
            dilations: self.dilations.clone(),
            grad_input_enable: wanted[0],
            grad_weight_enable: wanted[1],
            grad_bias_enable: wanted[2],
            grad_out_shape: ints(&grad_out_shape),
            groups: self.groups,
            input_shape: ints(&input_shape),
            inserts: vec![0, 0],
            kernel_shape: ints(&kernel),
            padding: self.pads.clone(),
            stride: self.strides.clone(),
        };
        let mut made = b.graph.op(op).out_present(wanted).call()?.into_iter();
        Ok(wanted.map(|wanted| if wanted { made.next() } else { None }))
    }
}

/// Inserts an axis of size 1 before the last one: a line becomes an image of one row.
fn as_image(b: &mut Backward, x: Tensor) -> Result<Tensor> {
    let mut shape = b.shape(x)?;
    shape.insert(shape.len() - 1, 1);
    b.reshape(x, &shape)
}

const ROW: Window = Window { input: 1, kernel: 1, stride: 1, dilation: 1, pads: [0, 0] };

pub(super) fn conv(b: &mut Backward, op: &Conv<Tensor>, o: Output) -> Result<()> {
    let windows = Convolution::from(op).windows(&b.shape(op.input)?)?;
    match windows.as_slice() {
        [line] => images(b, op, &Geometry::new(&[&ROW, line], op.group), o),
        [rows, columns] => images(b, op, &Geometry::new(&[rows, columns], op.group), o),
        [depth, rows, columns] => {
            b.expand(&[Some(o)], |b| Ok(vec![volume(b, op, depth, &Geometry::new(&[rows, columns], op.group))?]))
        }
        _ => Ok(()),
    }
}

/// Returns the numbers that a filter stands for. Its scales belong to the output channels, which are axis 0; those of other tensors
/// belong to axis 1 if its length fits.
fn real_filter(b: &mut Backward, filter: Tensor) -> Result<Tensor> {
    let shape = b.shape(filter)?;
    let quantization = b.graph.tensor(filter)?.quantization.as_ref();
    let scales = quantization.map_or(1, |q| q.values().0.len());
    if scales == 1 || shape[0] != scales || shape[1] != scales {
        return b.real(filter);
    }
    let swapped = b.swap_axes(filter, 0, 1)?;
    let real = b.real(swapped)?;
    b.swap_axes(real, 0, 1)
}

fn images(b: &mut Backward, op: &Conv<Tensor>, geometry: &Geometry, o: Output) -> Result<()> {
    let is_line = b.rank(op.input)? == 3;
    let mut operands = [o.dy, b.real(op.input)?, real_filter(b, op.filter)?];
    if is_line {
        for t in &mut operands {
            *t = as_image(b, *t)?;
        }
    }
    let wanted = [b.wants(op.input), b.wants(op.filter), b.wants_any([op.bias])];
    let made = geometry.gradients(b, operands, wanted)?;
    for (to, gradient) in [Some(op.input), Some(op.filter), op.bias].into_iter().zip(made) {
        if let (Some(to), Some(gradient)) = (to, gradient) {
            let shape = b.shape(to)?;
            let gradient = b.reshape(gradient, &shape)?;
            b.give(to, gradient)?;
        }
    }
    Ok(())
}

/// The sum over the depth of the kernel of 2-d convolutions of slices, whose depth counts as images.
fn volume(b: &mut Backward, op: &Conv<Tensor>, depth: &Window, geometry: &Geometry) -> Result<Tensor> {
    let (x, w) = (b.real(op.input)?, real_filter(b, op.filter)?);
    let x = b.pad_axis(x, 2, depth.pads[0] as usize, depth.pads[1] as usize)?;
    let positions = depth.positions()?;
    let mut sum = None;
    for tap in 0..depth.kernel as usize {
        let slices = b.strided(x, 2, tap * depth.dilation as usize, positions, depth.stride as usize)?;
        let slices = depth_to_images(b, slices)?;
        let filter = b.slice(w, 2, tap, 1)?;
        let shape = b.shape(filter)?;
        let filter = b.reshape(filter, &[&shape[..2], &shape[3..]].concat())?;
        let part = b.op(geometry.conv(slices, filter, &shape[3..]))?;
        sum = Some(match sum {
            Some(sum) => b.add(sum, part)?,
            None => part,
        });
    }
    let y = images_to_depth(b, sum.unwrap_or(x), positions)?;
    let (channels, rank) = (b.shape(y)?[1], b.rank(y)?);
    let mut shape = vec![1; rank];
    shape[1] = channels;
    b.affine(y, None, op.bias, &shape)
}

/// `[n, c, d, h, w] -> [n * d, c, h, w]`
fn depth_to_images(b: &mut Backward, x: Tensor) -> Result<Tensor> {
    let x = b.swap_axes(x, 1, 2)?;
    let shape = b.shape(x)?;
    b.reshape(x, &[&[shape[0] * shape[1]], &shape[2..]].concat())
}

/// `[n * d, c, h, w] -> [n, c, d, h, w]`
fn images_to_depth(b: &mut Backward, x: Tensor, depth: usize) -> Result<Tensor> {
    let shape = b.shape(x)?;
    let x = b.reshape(x, &[&[shape[0] / depth, depth], &shape[1..]].concat())?;
    b.swap_axes(x, 1, 2)
}

/// A transposed convolution is the gradient of a convolution of its result.
pub(super) fn deconv(b: &mut Backward, op: &Deconv<Tensor>, o: Output) -> Result<()> {
    if let Some(bias) = op.bias {
        let axes: Vec<usize> = (0..b.rank(o.y)?).filter(|&a| a != 1).collect();
        let sum = b.sum(o.dy, &axes)?;
        let shape = b.shape(bias)?;
        let sum = b.reshape(sum, &shape)?;
        b.give(bias, sum)?;
    }
    if !b.wants_any([Some(op.input), Some(op.filter)]) {
        return Ok(());
    }
    let (windows, dy) = adjoint_windows(b, op, o.dy)?;
    match windows.as_slice() {
        [line] => deconv_images(b, op, &Geometry::new(&[&ROW, line], op.group), dy),
        [rows, columns] => deconv_images(b, op, &Geometry::new(&[rows, columns], op.group), dy),
        [depth, rows, columns] => {
            b.expand(&[Some(o)], |b| Ok(vec![deconv_volume(b, op, depth, &Geometry::new(&[rows, columns], op.group))?]))
        }
        _ => Ok(()),
    }
}

/// Returns the windows of the convolution whose input is the result. Padding at the end of the result is taken off its crop, or cut
/// off its gradient.
fn adjoint_windows(b: &mut Backward, op: &Deconv<Tensor>, dy: Tensor) -> Result<(Vec<Window>, Tensor)> {
    let mut windows = Convolution::from(op).windows(&b.shape(op.input)?)?;
    let mut dy = dy;
    for (i, window) in windows.iter_mut().enumerate() {
        let more = op.output_padding.as_ref().and_then(|p| p.get(i)).copied().unwrap_or(0);
        let size = b.shape(dy)?[2 + i];
        window.input = size;
        let left = window.pads[1] - more;
        if left < 0 {
            window.input = size - left.unsigned_abs() as usize;
            dy = b.slice(dy, 2 + i, 0, window.input)?;
        }
        window.pads[1] = left.max(0);
    }
    Ok((windows, dy))
}

/// Returns the filter as the convolution of the result has it: [ic, oc / group, kernel..].
fn adjoint_filter(b: &mut Backward, op: &Deconv<Tensor>) -> Result<Tensor> {
    let w = b.real(op.filter)?;
    if !is_reordered(b, op)? {
        return Ok(w);
    }
    let shape = b.shape(w)?;
    let groups = op.group as usize;
    let (oc, ic, kernel) = (shape[0], shape[1], &shape[2..]);
    let w = b.reshape(w, &[&[groups, oc, ic / groups], kernel].concat())?;
    let w = b.swap_axes(w, 1, 2)?;
    b.reshape(w, &[&[ic, oc], kernel].concat())
}

/// Turns a gradient of [`adjoint_filter`] into one of the filter.
fn give_filter(b: &mut Backward, op: &Deconv<Tensor>, gradient: Tensor) -> Result<()> {
    let shape: Shape = b.shape(op.filter)?;
    if !is_reordered(b, op)? {
        let gradient = b.reshape(gradient, &shape)?;
        return b.give(op.filter, gradient);
    }
    let groups = op.group as usize;
    let (oc, ic, kernel) = (shape[0], shape[1], &shape[2..]);
    let gradient = b.reshape(gradient, &[&[groups, ic / groups, oc], kernel].concat())?;
    let gradient = b.swap_axes(gradient, 1, 2)?;
    let gradient = b.reshape(gradient, &shape)?;
    b.give(op.filter, gradient)
}

fn is_reordered(b: &Backward, op: &Deconv<Tensor>) -> Result<bool> {
    Ok(op.dynweight_reorderd || b.graph.tensor(op.filter)?.is_coefficient())
}

fn deconv_images(b: &mut Backward, op: &Deconv<Tensor>, geometry: &Geometry, dy: Tensor) -> Result<()> {
    let is_line = b.rank(op.input)? == 3;
    let mut operands = [dy, b.real(op.input)?, adjoint_filter(b, op)?];
    if is_line {
        for t in &mut operands {
            *t = as_image(b, *t)?;
        }
    }
    let [dy, x, w] = operands;
    if b.wants(op.input) {
        let dx = geometry.forward(b, dy, w)?;
        let shape = b.shape(op.input)?;
        let dx = b.reshape(dx, &shape)?;
        b.give(op.input, dx)?;
    }
    if b.wants(op.filter)
        && let [_, Some(dw), _] = geometry.gradients(b, [x, dy, w], [false, true, false])?
    {
        give_filter(b, op, dw)?;
    }
    Ok(())
}

/// The sum over the depth of the kernel of 2-d transposed convolutions, each spread along the depth of the result.
fn deconv_volume(b: &mut Backward, op: &Deconv<Tensor>, depth: &Window, geometry: &Geometry) -> Result<Tensor> {
    let (x, w) = (b.real(op.input)?, b.real(op.filter)?);
    let shape = b.shape(x)?;
    let crop = op.pads.clone();
    let more = op.output_padding.clone().filter(|p| !p.is_empty()).unwrap_or_else(|| vec![0; 3]);
    let is_reordered = is_reordered(b, op)?;
    let slices = depth_to_images(b, x)?;
    let (stride, dilation) = (depth.stride as usize, depth.dilation as usize);
    let whole = (shape[2] - 1) * stride + (depth.kernel as usize - 1) * dilation + 1 + more[0] as usize;
    let mut sum = None;
    for tap in 0..depth.kernel as usize {
        let filter = b.slice(w, 2, tap, 1)?;
        let of_filter = b.shape(filter)?;
        let filter = b.reshape(filter, &[&of_filter[..2], &of_filter[3..]].concat())?;
        let part = b.op(Deconv {
            group: op.group,
            dilations: Some(geometry.dilations.clone()),
            dynweight_reorderd: is_reordered,
            output_padding: Some(more[1..].to_vec()),
            ..Deconv::new(
                slices,
                filter,
                ints(&of_filter[3..]),
                vec![crop[1], crop[2], crop[4], crop[5]],
                geometry.strides.clone(),
            )
        })?;
        let part = images_to_depth(b, part, shape[2])?;
        let part = b.spread(part, 2, tap * dilation, stride, whole)?;
        sum = Some(match sum {
            Some(sum) => b.add(sum, part)?,
            None => part,
        });
    }
    let (before, after) = (crop[0] as usize, crop[3] as usize);
    b.slice(sum.unwrap_or(x), 2, before, whole - before - after)
}
