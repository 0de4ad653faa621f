//! Convolutions.
use super::{
    accumulation::{AccumType, Accumulation},
    builder::{AccumKernel, Builder, arguments},
    chain::Chain,
    cudnn,
    float::Float,
    formula::{Formula, Input, NO_AXIS, PostOp},
    geometry, layout,
    library_call::LibraryCall,
    matmul::factors,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{Operand, ValueType, semantics, views::View},
    ops::{Conv, Convolution, Deconv, Window},
    quant::Quantization,
};
use std::sync::Arc;

const FILE: File = file!("conv.cu");

/// Uploads the kernels' `Windows`, for up to three axes.
pub(super) fn windows(b: &mut Builder, windows: &[Window], plane: &[usize], positions: &[usize]) -> Result<Slot> {
    let with_ones = |numbers: Vec<i64>, otherwise: i64| [vec![otherwise; 3 - numbers.len()], numbers].concat();
    let sizes = |shape: &[usize]| with_ones(shape.iter().map(|d| *d as i64).collect(), 1);
    let each = |of: fn(&Window) -> i64, otherwise: i64| with_ones(windows.iter().map(of).collect(), otherwise);
    let lists = [
        sizes(plane),
        sizes(positions),
        each(|w| w.kernel, 1),
        each(|w| w.stride, 1),
        each(|w| w.dilation, 1),
        each(|w| w.pads[0], 0),
    ];
    b.constant(&lists.concat())
}

/// Whether the kernels support the input's number of spatial axes.
pub(super) fn has_planes(input: &Operand) -> bool {
    (3..=5).contains(&input.ty.shape.len())
}

/// A convolution's operands, post-processing and channel counts per group.
pub(super) struct ConvOperands<'a> {
    pub input: &'a Operand,
    pub filter: &'a Operand,
    pub bias: Option<&'a Operand>,
    pub post_op: PostOp,
    pub group: usize,
    pub ic: usize,
    pub oc: usize,
}

impl<'a> ConvOperands<'a> {
    /// Creates the operands, for a filter of shape oc x ic/group x kernel.
    pub fn new(
        [input, filter]: [&'a Operand; 2],
        bias: &'a Option<Operand>,
        (do_relu, limit): (bool, f64),
        group: i64,
    ) -> ConvOperands<'a> {
        let (w, group) = (&filter.ty.shape, group as usize);
        let post_op = PostOp::relu(do_relu, limit);
        ConvOperands { input, filter, bias: bias.as_ref(), post_op, group, ic: w[1], oc: w[0] / group }
    }
    /// Returns input and filter minus their zero points, which may differ per input channel, and for the filter also per
    /// output channel.
    fn factors(&self, b: &mut Builder, kind: AccumType) -> Result<[Slot; 2]> {
        let [x, w] = [self.input, self.filter].map(|o| (o, semantics::zero_points(&o.ty)));
        let axis = if x.1.len() == 1 { NO_AXIS } else { 1 };
        let x = factors(b, x.0, Input::of_axis(&x.1, &x.0.ty.shape, axis), kind)?;
        let of_outputs = w.1.len() == self.group * self.oc;
        let axis = if w.1.len() == 1 { NO_AXIS } else { i64::from(!of_outputs) };
        Ok([x, factors(b, w.0, Input::of_axis(&w.1, &w.0.ty.shape, axis), kind)?])
    }
    /// Returns the post-processing of accumulators: scaling to the result's scale, or saturation.
    pub fn sums(&self, b: &Builder, kind: AccumType) -> Result<Accumulation> {
        let result = b.result_type(0)?;
        let shape = result.shape.clone();
        let bias_shape = self.bias.map_or(Vec::new(), |o| [vec![o.ty.elements()], vec![1; shape.len() - 2]].concat());
        let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| Quantization::values(q).0);
        let (x, w) = (scales(self.input)[0], scales(self.filter));
        let scale: Vec<f64> = (0..self.group * self.oc).map(|c| x * w[c % w.len()]).collect();
        let scale = result.dtype.is_quantizable().then(|| Input::of_axis(&scale, &shape, 1));
        let (columns, bias, post_op) = (shape[2..].iter().product(), self.bias.cloned(), self.post_op);
        Ok(Accumulation { kind, shape, columns, bias, bias_shape, scale, post_op })
    }
    /// Returns cuDNN's call for an input of shape `input`, if there is one. A transposed convolution has the filter of the
    /// convolution whose gradient it computes.
    fn call(
        &self,
        b: &Builder,
        input: Vec<usize>,
        windows: &[Window],
        filter: Vec<usize>,
        is_transposed: bool,
        float: Float,
    ) -> Option<Arc<dyn LibraryCall>> {
        let output = b.result_type(0).ok()?.shape.clone();
        let is_symmetric = windows.iter().all(|w| w.pads[0] == w.pads[1] && w.pads[0] >= 0);
        if !is_symmetric || [&input[..], &output, &filter].concat().contains(&0) {
            return None;
        }
        let each = |of: fn(&Window) -> i64| windows.iter().map(of).collect();
        let convolution = cudnn::Convolution {
            is_transposed,
            float,
            input,
            output,
            filter,
            groups: self.group,
            pads: each(|w| w.pads[0]),
            strides: each(|w| w.stride),
            dilations: each(|w| w.dilation),
        };
        let dnn = b.libraries().dnn()?;
        let name = convolution.to_string();
        let declined = |e| b.note(format!("cuDNN declines {name}, which a built-in kernel computes: {e}"));
        Some(Arc::new(dnn.plan(convolution).map_err(declined).ok()?))
    }
}

/// Splits the padding, because cuDNN pads both ends of an axis equally. `excess` is the remaining padding at each end.
fn split_padding(windows: &[Window]) -> (Vec<Window>, Vec<[usize; 2]>) {
    let symmetric = |w: &Window| w.pads[0].min(w.pads[1]).max(0);
    let excess = windows.iter().map(|w| w.pads.map(|pad| (pad - symmetric(w)).max(0) as usize)).collect();
    let rest = windows.iter().map(|w| Window { pads: w.pads.map(|pad| pad.min(symmetric(w))), ..*w }).collect();
    (rest, excess)
}

/// Copies an image into a zero-filled one of shape `padded`; `excess` elements are added at the ends of each spatial axis.
fn padded_image(
    b: &mut Builder,
    (image, shape): (Slot, &[usize]),
    (padded, excess): (Vec<usize>, &[[usize; 2]]),
    float: Float,
) -> Result<Slot> {
    let before: Vec<usize> = [0; 2].into_iter().chain(excess.iter().map(|[before, _]| *before)).collect();
    let ty = ValueType { shape: padded, ..float.type_like(b.result_type(0)?) };
    let to = b.temporary(ty.bytes());
    layout::zero_pad(b, (image, shape), &before, (to, &ty))?;
    Ok(to)
}

pub(super) fn conv(op: &Conv<Operand>, b: &mut Builder) -> Result<()> {
    let (x, positions) = (&op.input.ty.shape, &b.result_type(0)?.shape[2..]);
    let group = op.group as usize;
    let parts = ConvOperands::new([&op.input, &op.filter], &op.bias, (op.do_relu, op.relu_limit), op.group);
    let sliding = Convolution::from(op).windows(x)?;
    let kind = AccumType::of(&op.input.ty, &op.filter.ty);
    let mut factors = parts.factors(b, kind)?;
    let (images, oc, pixels) = (x[0], parts.oc, positions.iter().product::<usize>());
    let is_depthwise = parts.ic == 1 && oc <= 4;
    let (symmetric, excess) = split_padding(&sliding);
    let ends = [&[[0; 2]; 2][..], &excess].concat();
    let padded: Vec<usize> = x.iter().zip(&ends).map(|(n, [before, after])| before + n + after).collect();
    let planned = match kind {
        // A depthwise convolution is memory-bound, so the built-in kernel is as fast.
        AccumType::Float(float) if !is_depthwise => {
            parts.call(b, padded.clone(), &symmetric, op.filter.ty.shape.clone(), false, float)
        }
        _ => None,
    };
    if let (AccumType::Float(float), true, true) = (kind, planned.is_some(), padded != *x) {
        factors[0] = padded_image(b, (factors[0], x), (padded, &excess), float)?;
    }
    let call = |_: &Builder, float, to, has_bias: bool| planned.clone().filter(|_| !has_bias && float == to);
    let own = |b: &mut Builder| {
        let [image, filter] = factors;
        let windows = windows(b, &sliding, &x[2..], positions)?;
        let index = index_type(x, &b.result_type(0)?.shape, &op.filter.ty.shape, &sliding);
        let (function, arguments, geometry) = match is_depthwise {
            true => {
                let (function, threads) = depthwise(kind, index, &sliding, positions);
                let arguments = arguments![image, filter, windows, images, group, oc].to_vec();
                (function, arguments, geometry::elements((images * group * oc * threads) as u64))
            }
            false => {
                let arguments = arguments![image, filter, windows, images, group, parts.ic, oc].to_vec();
                let tiles = geometry::products([oc as u64, pixels as u64], (images * group) as u64);
                (format!("convolution<{}, {index}>", kind.c_type()), arguments, tiles)
            }
        };
        Ok(AccumKernel { file: FILE, function, geometry, arguments })
    };
    parts.sums(b, kind)?.emit(b, factors, call, own)
}

/// Results of a plane that a thread of `depthwise_plane` computes.
pub(super) const RESULTS: usize = 4;

/// Returns the kernel of a depthwise convolution, and its threads per plane of the result.
fn depthwise(kind: AccumType, index: &str, windows: &[Window], positions: &[usize]) -> (String, usize) {
    let c = kind.c_type();
    if let (AccumType::Float(_), [y, x], [height, width]) = (kind, windows, positions) {
        let is_square = y.kernel == x.kernel && y.stride == x.stride && [y.dilation, x.dilation] == [1, 1];
        if is_square && matches!(y.kernel, 3 | 5 | 7) && matches!(y.stride, 1 | 2) {
            let function = format!("depthwise_plane<{c}, {index}, {}, {}>", y.kernel, y.stride);
            return (function, height.div_ceil(RESULTS) * width);
        }
    }
    (format!("depthwise<{c}, {index}>"), positions.iter().product())
}

/// Returns the type in which a convolution's kernel computes indices into one image, the filter, and the whole result.
fn index_type(image: &[usize], result: &[usize], filter: &[usize], windows: &[Window]) -> &'static str {
    let product = |sizes: &[usize]| sizes.iter().fold(1usize, |n, d| n.saturating_mul(*d));
    let reach = |w: &Window| {
        let sizes =
            [w.kernel.saturating_mul(w.dilation), w.pads[0].saturating_abs(), w.pads[1].saturating_abs(), w.stride];
        sizes.iter().fold(2 * w.input, |n, size| n.saturating_add(usize::try_from(*size).unwrap_or(usize::MAX)))
    };
    let farthest = windows.iter().map(reach).max().unwrap_or(0);
    geometry::index_type([product(&image[1..]), product(result), product(filter), farthest])
}

pub(super) fn deconv(op: &Deconv<Operand>, b: &mut Builder) -> Result<()> {
    let (x, result) = (&op.input.ty.shape, &b.result_type(0)?.shape);
    let group = op.group as usize;
    let parts = ConvOperands {
        ic: x[1] / group,
        oc: result[1] / group,
        ..ConvOperands::new([&op.input, &op.filter], &op.bias, (op.do_relu, op.relu_limit), op.group)
    };
    let mut oc_first = op.dynweight_reorderd;
    let sliding = Convolution::from(op).windows(x)?;
    let kind = AccumType::of(&op.input.ty, &op.filter.ty);
    let mut factors = parts.factors(b, kind)?;
    let planned = match kind {
        AccumType::Float(float) => {
            let filter = [&[x[1], parts.oc], &op.filter.ty.shape[2..]].concat();
            parts.call(b, x.clone(), &sliding, filter, true, float)
        }
        _ => None,
    };
    if let (AccumType::Float(float), true, true) = (kind, planned.is_some(), oc_first) {
        (factors[1], oc_first) = (input_channels_first(b, &parts, factors[1], float)?, false);
    }
    let call = |_: &Builder, float, to, has_bias: bool| planned.clone().filter(|_| !has_bias && float == to);
    let own = |b: &mut Builder| {
        let [image, filter] = factors;
        let windows = windows(b, &sliding, &result[2..], &x[2..])?;
        let arguments = arguments![image, filter, windows, x[0], group, parts.ic, parts.oc, oc_first].to_vec();
        let area = result[2..].iter().product::<usize>();
        let geometry = geometry::products([parts.oc as u64, area as u64], (x[0] * group) as u64);
        let index = index_type(x, result, &op.filter.ty.shape, &sliding);
        let function = format!("transposed_convolution<{}, {index}>", kind.c_type());
        Ok(AccumKernel { file: FILE, function, geometry, arguments })
    };
    parts.sums(b, kind)?.emit(b, factors, call, own)
}

/// Transposes the filter of a transposed convolution to cuDNN's layout.
fn input_channels_first(b: &mut Builder, parts: &ConvOperands, filter: Slot, float: Float) -> Result<Slot> {
    let (taps, transposed) = (parts.filter.ty.shape[2..].iter().product(), float.type_like(&parts.filter.ty));
    let order = View::in_order(&[parts.group, parts.oc, parts.ic, taps], &[0, 2, 1, 3]);
    let (counts, to) = (order.shape.clone(), b.temporary(transposed.bytes()));
    let formula = Formula::moved(Input::slot(filter, transposed.clone()).viewed(order));
    b.chain(Chain::new(vec![formula], to, transposed).over(&counts))?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_type_covers_image_result_filter_and_windows() {
        let index = |image: &[usize], result: &[usize], filter: &[usize], [stride, dilation, pad]: [i64; 3]| {
            index_type(image, result, filter, &[Window { input: 4, kernel: 1, stride, dilation, pads: [pad, 0] }])
        };
        let (small, below, limit, step) = ([2, 3, 4], [1, 2, (1 << 29) - 1], [1, 2, 1 << 29], [1, 1, 0]);
        assert_eq!(index(&small, &small, &small, step), "int");
        assert_eq!(index(&below, &below, &below, step), "int");
        // One image is indexed at a time.
        assert_eq!(index(&[64, 2, 1 << 28], &small, &small, step), "int");
        assert_eq!(index(&limit, &small, &small, step), "i64");
        assert_eq!(index(&small, &limit, &small, step), "i64");
        assert_eq!(index(&small, &small, &limit, step), "i64");
        for step in [[1 << 30, 1, 0], [1, 1 << 30, 0], [1, 1, 1 << 30], [i64::MAX, i64::MAX, i64::MIN]] {
            assert_eq!(index(&small, &small, &small, step), "i64", "{step:?}");
        }
    }
}
