use super::{
    builder::{Builder, arguments},
    calls::Call,
    chain::Chain,
    cudnn,
    float::Float,
    formula::{Finish, Formula, Input},
    geometry,
    matmul::factors,
    program::Slot,
    source::{File, file},
    sums::{Kind, Maker, Sums},
};
use crate::{
    base::Result,
    exec::{Operand, semantics, views::View},
    ops::{Conv, Convolution, Deconv, Window},
    quant::Quantization,
};
use std::sync::Arc;

const FILE: File = file!("conv.cu");

/// The kernels' `Windows`, of up to three axes; where the list is shorter, of one element each.
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

/// Whether kernels have as many spatial axes.
pub(super) fn has_planes(input: &Operand) -> bool {
    (3..=5).contains(&input.ty.shape.len())
}

/// Channels of a group, and the filter's layout.
pub(super) struct Parts<'a> {
    pub input: &'a Operand,
    pub filter: &'a Operand,
    pub bias: Option<&'a Operand>,
    pub finish: Finish,
    pub group: usize,
    pub ic: usize,
    pub oc: usize,
}

impl<'a> Parts<'a> {
    /// Of a filter that is oc x ic/group x kernel.
    pub fn new(
        [input, filter]: [&'a Operand; 2],
        bias: &'a Option<Operand>,
        (do_relu, limit): (bool, f64),
        group: i64,
    ) -> Parts<'a> {
        let (w, group) = (&filter.ty.shape, group as usize);
        let finish = Finish::relu(do_relu, limit);
        Parts { input, filter, bias: bias.as_ref(), finish, group, ic: w[1], oc: w[0] / group }
    }
    /// Input and filter as factors: stored values less their zero points, of which there may be one for each input channel, and
    /// for each output channel or input channel of the filter.
    fn factors(&self, b: &mut Builder, kind: Kind) -> Result<[Slot; 2]> {
        let [x, w] = [self.input, self.filter].map(|o| (o, semantics::zero_points(&o.ty)));
        let axis = if x.1.len() == 1 { -100 } else { 1 };
        let x = factors(b, x.0, Input::of_axis(&x.1, &x.0.ty.shape, axis), kind)?;
        let of_outputs = w.1.len() == self.group * self.oc;
        let axis = if w.1.len() == 1 { -100 } else { i64::from(!of_outputs) };
        Ok([x, factors(b, w.0, Input::of_axis(&w.1, &w.0.ty.shape, axis), kind)?])
    }
    /// What becomes of the sums: in the result's scale, or saturated. A plain result has no Relu where it is not real.
    pub fn sums(&self, b: &Builder, kind: Kind) -> Result<Sums> {
        let result = b.result_type(0)?;
        let shape = result.shape.clone();
        let bias_shape = self.bias.map_or(Vec::new(), |o| [vec![o.ty.elements()], vec![1; shape.len() - 2]].concat());
        let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| Quantization::values(q).0);
        let (x, w) = (scales(self.input)[0], scales(self.filter));
        let scale: Vec<f64> = (0..self.group * self.oc).map(|c| x * w[c % w.len()]).collect();
        let is_scaled = result.dtype.is_quantizable();
        let scale = is_scaled.then(|| Input::of_axis(&scale, &shape, 1));
        let finish = if kind.is_real() || is_scaled { self.finish } else { Finish::default() };
        Ok(Sums { kind, shape, bias: self.bias.cloned(), bias_shape, scale, finish })
    }
    /// cuDNN's call, if there is one. `filter` is as the convolution has it of which a transposed one is the gradient.
    fn call(
        &self,
        b: &Builder,
        windows: &[Window],
        filter: Vec<usize>,
        is_transposed: bool,
        float: Float,
    ) -> Option<Arc<dyn Call>> {
        let (input, output) = (self.input.ty.shape.clone(), b.result_type(0).ok()?.shape.clone());
        let is_even = windows.iter().all(|w| w.pads[0] == w.pads[1] && w.pads[0] >= 0);
        if !is_even || [&input[..], &output, &filter].concat().contains(&0) {
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
        b.libraries().dnn()?.plan(convolution).map(|call| Arc::new(call) as Arc<dyn Call>)
    }
}

pub(super) fn conv(op: &Conv<Operand>, b: &mut Builder) -> Result<()> {
    let (x, positions) = (&op.input.ty.shape, &b.result_type(0)?.shape[2..]);
    let group = op.group as usize;
    let parts = Parts::new([&op.input, &op.filter], &op.bias, (op.do_relu, op.relu_limit), op.group);
    let shown = Convolution::from(op).windows(x)?;
    let kind = Kind::of(&op.input.ty, &op.filter.ty);
    let factors = parts.factors(b, kind)?;
    let (images, oc, pixels) = (x[0], parts.oc, positions.iter().product::<usize>());
    let is_depthwise = parts.ic == 1 && oc <= 4;
    let call = |b: &Builder, float, to, has_bias: bool| {
        // Few products for each number that is read: a kernel as plain as ours is as fast.
        let is_asked = !is_depthwise && !has_bias && float == to;
        if is_asked { parts.call(b, &shown, op.filter.ty.shape.clone(), false, float) } else { None }
    };
    let own = |b: &mut Builder| {
        let [image, filter] = factors;
        let windows = windows(b, &shown, &x[2..], positions)?;
        let (name, arguments, geometry) = match is_depthwise {
            true => {
                let all = images * group * oc * pixels;
                let arguments = arguments![image, filter, windows, images, group, oc].to_vec();
                ("depthwise", arguments, geometry::elements(all as u64))
            }
            false => {
                let arguments = arguments![image, filter, windows, images, group, parts.ic, oc].to_vec();
                let tiles = geometry::tiles([oc as u64, pixels as u64], (images * group) as u64, [64, 64], 256);
                ("convolution", arguments, tiles)
            }
        };
        Ok(Maker { file: FILE, function: format!("{name}<{}>", kind.c_type()), geometry, arguments })
    };
    parts.sums(b, kind)?.made(b, factors, call, own)
}

pub(super) fn deconv(op: &Deconv<Operand>, b: &mut Builder) -> Result<()> {
    let (x, result) = (&op.input.ty.shape, &b.result_type(0)?.shape);
    let group = op.group as usize;
    let parts = Parts {
        ic: x[1] / group,
        oc: result[1] / group,
        ..Parts::new([&op.input, &op.filter], &op.bias, (op.do_relu, op.relu_limit), op.group)
    };
    let mut oc_first = op.filter.constant.is_some() || op.dynweight_reorderd;
    let shown = Convolution::from(op).windows(x)?;
    let kind = Kind::of(&op.input.ty, &op.filter.ty);
    let mut factors = parts.factors(b, kind)?;
    let planned = match kind {
        Kind::Float(float) => {
            let filter = [&[x[1], parts.oc], &op.filter.ty.shape[2..]].concat();
            parts.call(b, &shown, filter, true, float)
        }
        _ => None,
    };
    if let (Kind::Float(float), true, true) = (kind, planned.is_some(), oc_first) {
        (factors[1], oc_first) = (input_channels_first(b, &parts, factors[1], float)?, false);
    }
    let call = |_: &Builder, float, to, has_bias: bool| planned.clone().filter(|_| !has_bias && float == to);
    let own = |b: &mut Builder| {
        let [image, filter] = factors;
        let windows = windows(b, &shown, &result[2..], &x[2..])?;
        let arguments = arguments![image, filter, windows, x[0], group, parts.ic, parts.oc, oc_first].to_vec();
        let area = result[2..].iter().product::<usize>();
        let geometry = geometry::tiles([parts.oc as u64, area as u64], (x[0] * group) as u64, [64, 64], 256);
        Ok(Maker { file: FILE, function: format!("transposed<{}>", kind.c_type()), geometry, arguments })
    };
    parts.sums(b, kind)?.made(b, factors, call, own)
}

/// A filter of a transposed convolution as cuDNN has it.
fn input_channels_first(b: &mut Builder, parts: &Parts, filter: Slot, float: Float) -> Result<Slot> {
    let (taps, turned) = (parts.filter.ty.shape[2..].iter().product(), float.type_like(&parts.filter.ty));
    let order = View::in_order(&[parts.group, parts.oc, parts.ic, taps], &[0, 2, 1, 3]);
    let (counts, to) = (order.shape.clone(), b.temporary(turned.bytes()));
    let formula = Formula::moved(Input::slot(filter, turned.clone()).viewed(order));
    b.chain(Chain::new(vec![formula], to, turned).over(&counts))?;
    Ok(to)
}
