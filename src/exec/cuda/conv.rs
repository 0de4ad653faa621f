use super::{
    builder::{Builder, arguments},
    formula::{Finish, Input},
    geometry,
    matmul::{addend, c_type, factors, store_sums, sums_of_result},
    program::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{
        Operand, ValueType,
        meaning::{self, Factors},
    },
    ops::{Conv, Convolution, Deconv, Window},
    quant::Quantization,
};

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
    fn factors(&self, b: &mut Builder, kind: Factors) -> Result<[Slot; 2]> {
        let [x, w] = [self.input, self.filter].map(|o| (o, meaning::zero_points(&o.ty)));
        let axis = if x.1.len() == 1 { -100 } else { 1 };
        let x = factors(b, x.0, Input::of_axis(&x.1, &x.0.ty.shape, axis), kind)?;
        let of_outputs = w.1.len() == self.group * self.oc;
        let axis = if w.1.len() == 1 { -100 } else { i64::from(!of_outputs) };
        Ok([x, factors(b, w.0, Input::of_axis(&w.1, &w.0.ty.shape, axis), kind)?])
    }
    /// With the bias, as the result: in its scale, or saturated. A plain result has no Relu where it is not real.
    pub fn store(&self, b: &mut Builder, (sums, ty): (Slot, ValueType), kind: Factors) -> Result<()> {
        if sums == b.result(0) && self.bias.is_none() && self.finish.relu.is_none() {
            return Ok(());
        }
        let (shape, result) = (ty.shape.clone(), b.result_type(0)?);
        let by_channel = |n: usize| [vec![n], vec![1; shape.len() - 2]].concat();
        let mut inputs = vec![Input::slot(sums, ty)];
        inputs.extend(self.bias.map(|bias| addend(bias, kind).shaped(by_channel(bias.ty.elements()))));
        let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| Quantization::values(q).0);
        let (x, w) = (scales(self.input)[0], scales(self.filter));
        let scale: Vec<f64> = (0..self.group * self.oc).map(|c| x * w[c % w.len()]).collect();
        let is_scaled = result.dtype.is_quantizable();
        let scale = is_scaled.then(|| Input::of_axis(&scale, &shape, 1));
        let finish = if kind == Factors::Real || is_scaled { self.finish } else { Finish::default() };
        store_sums(b, inputs, scale, kind, finish, &shape)
    }
}

pub(super) fn conv(op: &Conv<Operand>, b: &mut Builder) -> Result<()> {
    let (x, positions) = (&op.input.ty.shape, &b.result_type(0)?.shape[2..]);
    let group = op.group as usize;
    let parts = Parts::new([&op.input, &op.filter], &op.bias, (op.do_relu, op.relu_limit), op.group);
    let windows = windows(b, &Convolution::from(op).windows(x)?, &x[2..], positions)?;
    let kind = meaning::factors(&op.input.ty, &op.filter.ty);
    let [image, filter] = parts.factors(b, kind)?;
    let (sums, ty) = sums_of_result(b, kind, false)?;
    let (images, oc, pixels) = (x[0], parts.oc, positions.iter().product::<usize>());
    if parts.ic == 1 && oc <= 4 {
        let arguments = arguments![image, filter, sums, windows, images, group, oc];
        b.launch(FILE, format!("depthwise<{}>", c_type(kind)), geometry::elements(ty.elements() as u64), arguments)?;
    } else {
        let arguments = arguments![image, filter, sums, windows, images, group, parts.ic, oc];
        let geometry = geometry::tiles([oc as u64, pixels as u64], (images * group) as u64, [64, 64], 256);
        b.launch(FILE, format!("convolution<{}>", c_type(kind)), geometry, arguments)?;
    }
    parts.store(b, (sums, ty), kind)
}

pub(super) fn deconv(op: &Deconv<Operand>, b: &mut Builder) -> Result<()> {
    let (x, result) = (&op.input.ty.shape, &b.result_type(0)?.shape);
    let group = op.group as usize;
    let parts = Parts {
        ic: x[1] / group,
        oc: result[1] / group,
        ..Parts::new([&op.input, &op.filter], &op.bias, (op.do_relu, op.relu_limit), op.group)
    };
    let oc_first = op.filter.constant.is_some() || op.dynweight_reorderd;
    let windows = windows(b, &Convolution::from(op).windows(x)?, &result[2..], &x[2..])?;
    let kind = meaning::factors(&op.input.ty, &op.filter.ty);
    let [image, filter] = parts.factors(b, kind)?;
    let (sums, ty) = sums_of_result(b, kind, false)?;
    let arguments = arguments![image, filter, sums, windows, x[0], group, parts.ic, parts.oc, oc_first];
    let area = result[2..].iter().product::<usize>();
    let geometry = geometry::tiles([parts.oc as u64, area as u64], (x[0] * group) as u64, [64, 64], 256);
    b.launch(FILE, format!("transposed<{}>", c_type(kind)), geometry, arguments)?;
    parts.store(b, (sums, ty), kind)
}
