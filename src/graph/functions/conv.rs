//! Convolution: `conv`, `conv3d`, and their forms for integers and quantized tensors, all lowered to `top.Conv`.
use super::{
    argument::Each,
    dtypes::{BYTES, FLOATS, INT32},
    function,
    lowering::{Lowering, one_of},
};
use crate::{
    Operand, Tensor,
    base::{Dtype, OneOrMany, Result, WarningKind, argument, misfit},
    ops,
};

function! {
    set ConvWindow {
        "Vertical and horizontal step of the kernel." stride: Each<2> = 1,
        "Vertical and horizontal spacing of the kernel's elements." dilation: Each<2> = 1,
        "Zero padding: top, left, bottom, right (conv_v2: up, down, left, right)." pad: Each<4> = 0,
        "Number of independent groups of channels." group: i64 = 1i64,
    }
}

function! {
    set ConvWindow3d {
        "Step of the kernel along depth, height and width." stride: Each<3> = 1,
        "Spacing of the kernel's elements along depth, height and width." dilation: Each<3> = 1,
        "Zero padding: front, top, left, back, bottom, right (conv3d_v2: front, back, up, down, left, right)." pad: Each<6> = 0,
        "Number of independent groups of channels." group: i64 = 1i64,
    }
}

function! {
    set FloatConv {
        "oc elements. A float16 coefficient is stored as float32." bias: Operand,
        "The input's dtype, which is the default." out_dtype: Dtype,
    }
}

function! {
    set IntConv {
        "oc elements, int32." bias: Operand,
        "The input's zero point; required unless set on the tensor." input_zp: OneOrMany<i64>,
        "The weight's zero point, one value or one per output channel; required unless set on the tensor." weight_zp: OneOrMany<i64>,
        "int32 or uint32." out_dtype: Dtype = Dtype::Int32,
    }
}

function! {
    set QuantConv {
        "oc elements, int32, in units of input scale * weight scale." bias: Operand,
        "The input's scale; required unless set on the tensor." input_scale: OneOrMany<f64>,
        "The weight's scale, one value or one per output channel; required unless set on the tensor." weight_scale: OneOrMany<f64>,
        "The output's scale, unless the call that reads it sets one." output_scale: OneOrMany<f64>,
        "The input's zero point." input_zp: OneOrMany<i64>,
        "The weight's zero point, one value or one per output channel." weight_zp: OneOrMany<i64>,
        "The output's zero point." output_zp: OneOrMany<i64>,
        "int8 or uint8; defaults to the input's dtype." out_dtype: Dtype,
    }
}

function! {
    set AnyConv {
        "oc elements; int32 if the input is an integer." bias: Operand,
        "The input's zero point; one value or one per input channel; 0 by default." input_zp: OneOrMany<i64>,
        "The weight's zero point; one value, one per output channel, or one per input channel of a group; 0 by default. A list must fit only one of the two, unless its values are equal." weight_zp: OneOrMany<i64>,
        "The input's dtype if it is a float; otherwise int32, uint32, float32 or float16, by default int32." out_dtype: Dtype,
    }
}

function! {
    Conv -> Tensor {
        "n x ic x h x w; float32 or float16." input: Operand,
        "oc x (ic / group) x kh x kw, of the input's dtype." weight: Operand,
        ;
        ..float: FloatConv { bias: Operand, out_dtype: Dtype },
        ..window: ConvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, group: i64 },
    }
    conv: "2-d convolution of floats: `out[n, o, y, x] = bias[o] + sum over c, i, j of in[n, c, y * stride + i * dilation - pad, ..] * weight[o, c, i, j]`.",
        example |g, x, i| {
            let y = x.conv(Array::from_vec([4, 3, 3, 3], vec![0.1f32; 108])?).pad(1).stride([2, 2]).call()?;
            assert_eq!(y.shape()?, [1, 4, 4, 4]);
        },
        => |args, to| args.float.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    Conv3d -> Tensor {
        "n x ic x d x h x w; float32 or float16." input: Operand,
        "oc x (ic / group) x kd x kh x kw, of the input's dtype." weight: Operand,
        ;
        ..float: FloatConv { bias: Operand, out_dtype: Dtype },
        ..window: ConvWindow3d { stride: Each<3>, dilation: Each<3>, pad: Each<6>, group: i64 },
    }
    conv3d: "3-d convolution of floats: `conv` with a depth before height and width.",
        example |g, x, i| {
            let v = x.reshape([1, 1, 3, 8, 8]).call()?;
            let w = Array::from_vec([4, 1, 2, 3, 3], vec![0.1f32; 72])?;
            let y = v.conv3d(w).stride([1, 2, 2]).call()?;
            assert_eq!(y.shape()?, [1, 4, 2, 3, 3]);
        },
        => |args, to| args.float.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    ConvInt -> Tensor {
        "n x ic x h x w; int8 or uint8." input: Operand,
        "oc x (ic / group) x kh x kw; int8 or uint8." weight: Operand,
        ;
        ..int: IntConv { bias: Operand, input_zp: OneOrMany<i64>, weight_zp: OneOrMany<i64>, out_dtype: Dtype },
        ..window: ConvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, group: i64 },
    }
    conv_int: "2-d convolution of integers with exact accumulation: `sum of (in - input_zp) * (weight - weight_zp) + bias`.",
        example |g, x, i| {
            let w = Array::from_vec([4, 3, 3, 3], vec![1i8; 108])?;
            let y = i.conv_int(w).input_zp(0).weight_zp(0).call()?;
            assert_eq!(y.dtype()?, Dtype::Int32);
        },
        => |args, to| args.int.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    Conv3dInt -> Tensor {
        "n x ic x d x h x w; int8 or uint8." input: Operand,
        "oc x (ic / group) x kd x kh x kw; int8 or uint8." weight: Operand,
        ;
        ..int: IntConv { bias: Operand, input_zp: OneOrMany<i64>, weight_zp: OneOrMany<i64>, out_dtype: Dtype },
        ..window: ConvWindow3d { stride: Each<3>, dilation: Each<3>, pad: Each<6>, group: i64 },
    }
    conv3d_int: "3-d convolution of integers with exact accumulation: `sum of (in - input_zp) * (weight - weight_zp) + bias`.",
        example |g, x, i| {
            let v = i.reshape([1, 1, 3, 8, 8]).call()?;
            let w = Array::from_vec([4, 1, 3, 1, 1], vec![1i8; 12])?;
            let y = v.conv3d_int(w).input_zp(0).weight_zp(0).call()?;
            assert_eq!(y.info()?.type_text(), "1x4x1x8x8 int32");
        },
        => |args, to| args.int.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    ConvQuant -> Tensor {
        "n x ic x h x w; int8 or uint8." input: Operand,
        "oc x (ic / group) x kh x kw; int8 or uint8." weight: Operand,
        ;
        ..quant: QuantConv {
            bias: Operand, input_scale: OneOrMany<f64>, weight_scale: OneOrMany<f64>, output_scale: OneOrMany<f64>,
            input_zp: OneOrMany<i64>, weight_zp: OneOrMany<i64>, output_zp: OneOrMany<i64>, out_dtype: Dtype,
        },
        ..window: ConvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, group: i64 },
    }
    conv_quant: "2-d convolution of quantized tensors, requantized to the output's scale and zero point.",
        example |g, x, i| {
            let w = Array::from_vec([4, 3, 3, 3], vec![1i8; 108])?;
            let y = i.conv_quant(w).input_scale(0.1).weight_scale(0.2).output_scale(0.5).call()?;
            assert_eq!(y.dtype()?, Dtype::Int8);
        },
        => |args, to| args.quant.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    Conv3dQuant -> Tensor {
        "n x ic x d x h x w; int8 or uint8." input: Operand,
        "oc x (ic / group) x kd x kh x kw; int8 or uint8." weight: Operand,
        ;
        ..quant: QuantConv {
            bias: Operand, input_scale: OneOrMany<f64>, weight_scale: OneOrMany<f64>, output_scale: OneOrMany<f64>,
            input_zp: OneOrMany<i64>, weight_zp: OneOrMany<i64>, output_zp: OneOrMany<i64>, out_dtype: Dtype,
        },
        ..window: ConvWindow3d { stride: Each<3>, dilation: Each<3>, pad: Each<6>, group: i64 },
    }
    conv3d_quant: "3-d convolution of quantized tensors, requantized to the output's scale and zero point.",
        example |g, x, i| {
            let v = i.reshape([1, 1, 3, 8, 8]).call()?;
            let w = Array::from_vec([4, 1, 3, 1, 1], vec![1i8; 12])?;
            let y = v.conv3d_quant(w).input_scale(0.1).weight_scale(0.2).output_scale(0.5).call()?;
            assert_eq!(y.info()?.type_text(), "1x4x1x8x8 int8 (scale 0.5)");
        },
        => |args, to| args.quant.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    ConvV2 -> Tensor {
        "n x ic x h x w; float32, float16, int8 or uint8." tensor_i: Operand,
        "oc x (ic / group) x kh x kw; of the input's dtype; int8 and uint8 may be mixed." weight: Operand,
        ;
        ..any: AnyConv { bias: Operand, input_zp: OneOrMany<i64>, weight_zp: OneOrMany<i64>, out_dtype: Dtype },
        ..window: ConvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, group: i64 },
    }
    conv_v2: "2-d convolution of floats or integers with the arguments of TpuLang's interface document. Note the order of `pad`: up, down, left, right. Integers are accumulated exactly; a float result is the int32 one converted.",
        example |g, x, i| {
            let y = x.conv_v2(Array::from_vec([4, 3, 3, 3], vec![0.1f32; 108])?).pad([1, 0, 1, 1]).call()?;
            assert_eq!(y.shape()?, [1, 4, 7, 8]);
        },
        => |args, to| args.any.lower(to, [&args.tensor_i, &args.weight], Window::from(&args.window).axis_by_axis());
}

function! {
    Conv3dV2 -> Tensor {
        "n x ic x d x h x w; float32, float16, int8 or uint8." tensor_i: Operand,
        "oc x (ic / group) x kd x kh x kw; of the input's dtype; int8 and uint8 may be mixed." weight: Operand,
        ;
        ..any: AnyConv { bias: Operand, input_zp: OneOrMany<i64>, weight_zp: OneOrMany<i64>, out_dtype: Dtype },
        ..window: ConvWindow3d { stride: Each<3>, dilation: Each<3>, pad: Each<6>, group: i64 },
    }
    conv3d_v2: "3-d convolution of floats or integers with the arguments of TpuLang's interface document. Note the order of `pad`: front, back, up, down, left, right. Integers are accumulated exactly; a float result is the int32 one converted.",
        example |g, x, i| {
            let v = x.reshape([1, 1, 3, 8, 8]).call()?;
            let w = Array::from_vec([4, 1, 3, 1, 1], vec![0.1f32; 12])?;
            let y = v.conv3d_v2(w).pad([1, 0, 0, 0, 0, 0]).call()?;
            assert_eq!(y.shape()?, [1, 4, 2, 8, 8]);
        },
        => |args, to| args.any.lower(to, [&args.tensor_i, &args.weight], Window::from(&args.window).axis_by_axis());
}

/// Attributes of the ops and the arguments that set them.
const ARGUMENT_NAMES: &[(&str, &str)] =
    &[("kernel_shape", "weight"), ("strides", "stride"), ("dilations", "dilation"), ("pads", "pad")];

/// The window of a convolution or transposed convolution with any number of axes.
pub(super) struct Window {
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
    /// Padding before each axis, then after each.
    pub pads: Vec<i64>,
    pub group: i64,
    /// Set for a transposed convolution only.
    pub output_padding: Option<Vec<i64>>,
}

impl From<&ConvWindow> for Window {
    fn from(w: &ConvWindow) -> Self {
        let (strides, dilations, pads) = (w.stride().0.into(), w.dilation().0.into(), w.pad().0.into());
        Window { strides, dilations, pads, group: w.group(), output_padding: None }
    }
}

impl From<&ConvWindow3d> for Window {
    fn from(w: &ConvWindow3d) -> Self {
        let (strides, dilations, pads) = (w.stride().0.into(), w.dilation().0.into(), w.pad().0.into());
        Window { strides, dilations, pads, group: w.group(), output_padding: None }
    }
}

impl Window {
    /// Reorders pads that were given as before and after the first axis, then the second.
    pub fn axis_by_axis(mut self) -> Self {
        let (before, after): (Vec<_>, Vec<_>) = self.pads.chunks_exact(2).map(|p| (p[0], p[1])).unzip();
        self.pads = [before, after].concat();
        self
    }
    /// Builds the operator; its errors are reported in terms of the function's arguments.
    fn op(&self, to: &mut Lowering, [input, weight]: [&Operand; 2], bias: &Option<Operand>) -> Result<ops::Op<Tensor>> {
        if let (2, &[n, c, l], &[oc, ic, k]) =
            (self.strides.len(), to.info(input)?.shape.as_slice(), to.info(weight)?.shape.as_slice())
        {
            let remedy = format!("reshape input to {n}x{c}x1x{l} and weight to {oc}x{ic}x1x{k}");
            return Err(misfit("input", format!("has 3 dimensions; expected 4; for a 1-d convolution, {remedy}")));
        }
        let kernel = to.info(weight)?.shape.iter().skip(2).map(|&k| k as i64).collect();
        let (input, weight, bias) = (to.tensor(input)?, to.tensor(weight)?, to.optional(bias)?);
        let (strides, pads, dilations) = (self.strides.clone(), self.pads.clone(), Some(self.dilations.clone()));
        to.rename_in_errors(ARGUMENT_NAMES);
        Ok(match self.output_padding.clone() {
            None => {
                let op = ops::Conv::new(input, weight, kernel, strides, pads);
                ops::Conv { bias, group: self.group, dilations, ..op }.into()
            }
            output_padding => {
                warn_of_order(to, weight)?;
                let op = ops::Deconv::new(input, weight, kernel, pads, strides);
                ops::Deconv { bias, group: self.group, dilations, output_padding, ..op }.into()
            }
        })
    }
    fn emit(
        &self,
        to: &mut Lowering,
        operands: [&Operand; 2],
        bias: &Option<Operand>,
        dtype: Dtype,
    ) -> Result<Vec<Tensor>> {
        let op = self.op(to, operands, bias)?;
        to.emit_as(op, dtype)
    }
    /// Checks that a list of the weight's zero points or scales has one value per output channel.
    fn check_per_output<T: Clone>(
        &self,
        to: &Lowering,
        name: &str,
        values: Option<&OneOrMany<T>>,
        weight: &Operand,
    ) -> Result<()> {
        if self.output_padding.is_some() && self.group != 1 {
            return one_only(name, values);
        }
        to.check_per_channel(name, values, weight, &[(0, "output channel")])
    }
    /// Checks that the input has one scale and zero point, and the weight one or one per output channel. Both may have been
    /// set on the tensors, where a list could as well belong to another axis.
    fn check_scales(&self, to: &Lowering, input: &Operand, weight: &Operand) -> Result<()> {
        let is_grouped = self.output_padding.is_some() && self.group != 1;
        let channels = to.info(weight)?.shape.first().copied().filter(|_| !is_grouped);
        to.check_scales(input, None)?;
        to.check_scales(weight, channels)
    }
    /// Checks that a list of the weight's zero points has one value per output channel or one per input channel. Types of
    /// tensors do not record which, so a list that could be either must not depend on it.
    fn check_per_output_or_input(
        &self,
        to: &Lowering,
        name: &str,
        values: Option<&OneOrMany<i64>>,
        weight: &Operand,
    ) -> Result<()> {
        if self.output_padding.is_some() && self.group != 1 {
            return one_only(name, values);
        }
        to.check_per_channel(name, values, weight, &[(0, "output channel"), (1, "input channel")])?;
        let (Some(OneOrMany::Many(values)), [outputs, inputs, ..]) = (values, to.info(weight)?.shape.as_slice()) else {
            return Ok(());
        };
        if outputs == inputs && values.len() == *outputs && values.iter().any(|v| *v != values[0]) {
            let expected = format!(
                "the weight has {outputs} output and {inputs} input channels, and it may be for either; expected one value here, or one per output channel in conv_int"
            );
            return Err(argument(name, format!("a list of {}", values.len()), expected));
        }
        Ok(())
    }
}

fn one_only<T>(name: &str, value: Option<&OneOrMany<T>>) -> Result<()> {
    match value {
        Some(OneOrMany::Many(v)) => {
            Err(argument(name, format!("a list of {}", v.len()), "the tool chain accepts one value per tensor here"))
        }
        _ => Ok(()),
    }
}

fn check_int(to: &Lowering, input: (&str, &Operand), weight: &Operand, bias: &Option<Operand>) -> Result<Dtype> {
    let dtype = to.dtype(input.0, input.1, BYTES)?;
    to.dtype("weight", weight, BYTES)?;
    to.optional_dtype("bias", bias, &[Dtype::Int32])?;
    Ok(dtype)
}

/// Warns of a constant filter of a transposed convolution that would also be valid with its first axes exchanged, which is
/// PyTorch's order.
fn warn_of_order(to: &mut Lowering, weight: Tensor) -> Result<()> {
    let info = to.info(&Operand::Tensor(weight))?;
    if let [channels, inputs, ..] = *info.shape
        && info.is_coefficient()
        && channels > 1
        && channels == inputs
    {
        to.warn(WarningKind::FilterOrder { channels });
    }
    Ok(())
}

impl FloatConv {
    pub(super) fn lower(&self, to: &mut Lowering, operands: [&Operand; 2], window: &Window) -> Result<Vec<Tensor>> {
        self.lower_named(to, "input", operands, window)
    }
    fn lower_named(
        &self,
        to: &mut Lowering,
        name: &str,
        [input, weight]: [&Operand; 2],
        window: &Window,
    ) -> Result<Vec<Tensor>> {
        let dtype = to.dtype(name, input, FLOATS)?;
        to.same_dtype(("weight", weight), (name, input))?;
        to.not_quantized(input)?;
        to.not_quantized(weight)?;
        if let Some(bias) = &self.bias {
            to.dtype("bias", bias, FLOATS)?;
            to.widen_coefficient(bias)?;
        }
        one_of("out_dtype", self.out_dtype.unwrap_or(dtype), &[dtype])?;
        window.emit(to, [input, weight], &self.bias, dtype)
    }
}

impl IntConv {
    pub(super) fn lower(
        &self,
        to: &mut Lowering,
        [input, weight]: [&Operand; 2],
        window: &Window,
    ) -> Result<Vec<Tensor>> {
        check_int(to, ("input", input), weight, &self.bias)?;
        one_only("input_zp", self.input_zp.as_ref())?;
        window.check_per_output(to, "weight_zp", self.weight_zp.as_ref(), weight)?;
        let dtype = one_of("out_dtype", self.out_dtype(), INT32)?;
        to.needs_zero_point("input", input, self.input_zp.is_some())?;
        to.needs_zero_point("weight", weight, self.weight_zp.is_some())?;
        to.quantize(input, None, self.input_zp.clone())?;
        to.quantize(weight, None, self.weight_zp.clone())?;
        window.check_scales(to, input, weight)?;
        window.emit(to, [input, weight], &self.bias, dtype)
    }
}

impl QuantConv {
    fn lower(&self, to: &mut Lowering, [input, weight]: [&Operand; 2], window: &Window) -> Result<Vec<Tensor>> {
        if let Some(bias) = &self.bias
            && to.info(bias)?.dtype.is_float()
        {
            let dtype = to.info(bias)?.dtype;
            return Err(misfit(
                "bias",
                format!("is {dtype}; expected int32: round(bias / (input scale * weight scale))"),
            ));
        }
        let dtype = check_int(to, ("input", input), weight, &self.bias)?;
        one_only("input_zp", self.input_zp.as_ref())?;
        one_only("output_zp", self.output_zp.as_ref())?;
        one_only("input_scale", self.input_scale.as_ref())?;
        one_only("output_scale", self.output_scale.as_ref())?;
        window.check_per_output(to, "weight_scale", self.weight_scale.as_ref(), weight)?;
        window.check_per_output(to, "weight_zp", self.weight_zp.as_ref(), weight)?;
        let dtype = one_of("out_dtype", self.out_dtype.unwrap_or(dtype), BYTES)?;
        to.needs_scale("input", input, self.input_scale.is_some())?;
        to.needs_scale("weight", weight, self.weight_scale.is_some())?;
        to.quantize(input, self.input_scale.clone(), self.input_zp.clone())?;
        to.quantize(weight, self.weight_scale.clone(), self.weight_zp.clone())?;
        window.check_scales(to, input, weight)?;
        let outputs = window.emit(to, [input, weight], &self.bias, dtype)?;
        to.quantize_tensor(outputs[0], self.output_scale.clone(), self.output_zp.clone())?;
        Ok(outputs)
    }
}

impl AnyConv {
    pub(super) fn lower(&self, to: &mut Lowering, operands: [&Operand; 2], window: Window) -> Result<Vec<Tensor>> {
        let [input, weight] = operands;
        if to.dtype("tensor_i", input, &[FLOATS, BYTES].concat())?.is_float() {
            for (name, zp) in [("input_zp", &self.input_zp), ("weight_zp", &self.weight_zp)] {
                if zp.is_some() {
                    return Err(argument(name, "given", "only integer inputs have a zero point"));
                }
            }
            let float = FloatConv { bias: self.bias.clone(), out_dtype: self.out_dtype };
            return float.lower_named(to, "tensor_i", operands, &window);
        }
        check_int(to, ("tensor_i", input), weight, &self.bias)?;
        to.check_per_channel("input_zp", self.input_zp.as_ref(), input, &[(1, "input channel")])?;
        window.check_per_output_or_input(to, "weight_zp", self.weight_zp.as_ref(), weight)?;
        let dtype = one_of("out_dtype", self.out_dtype.unwrap_or(Dtype::Int32), &[INT32, FLOATS].concat())?;
        to.quantize(input, None, self.input_zp.clone())?;
        to.quantize(weight, None, self.weight_zp.clone())?;
        if !dtype.is_float() {
            return window.emit(to, operands, &self.bias, dtype);
        }
        // The tool chain's convolution of integers has integer results only.
        let op = window.op(to, operands, &self.bias)?;
        let accumulators = to.step("int32", op, Some(Dtype::Int32))?;
        to.emit(ops::Cast { to: dtype.cast_name().to_owned(), ..ops::Cast::new(accumulators) })
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph, Quantization,
        functions::testing::{bad_calls, first_line as first},
    };

    #[test]
    fn a_weight_has_one_scale_or_one_per_output_channel() {
        let quantized = |scales: &[f64]| {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Int8, [1, 3, 8, 8]).unwrap();
            g.quantize(x, &Quantization::per_tensor(0.5, 0)).unwrap();
            let w = g.coefficient("w", Array::filled(Dtype::Int8, [8, 3, 3, 3], 1.0).unwrap()).unwrap();
            let scale = Some(scales.to_vec().into());
            g.quantize(w, &Quantization { scale, zero_point: None }).unwrap();
            g.conv_quant(x, w).output_scale(0.5).call().map(|_| ()).map_err(first)
        };
        assert_eq!(quantized(&[0.1; 8]), Ok(()));
        assert_eq!(quantized(&[0.1]), Ok(()));
        // The list fits axis 1, which is not that of a filter's scales.
        assert_eq!(
            quantized(&[0.1; 3]).unwrap_err(),
            "conv_quant (ops[0]): quantization of \"w\": it has 3 scales; conv_quant takes 1, or 8, one per output channel"
        );
    }

    #[test]
    fn the_input_of_a_quantized_convolution_has_one_scale() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 3, 8, 8]).unwrap();
        let w = || Array::filled(Dtype::Int8, [8, 3, 3, 3], 1.0).unwrap();
        g.quantize(x, &Quantization { scale: None, zero_point: Some(3.into()) }).unwrap();
        assert_eq!(
            first(g.conv_quant(x, w()).weight_scale(0.5).output_scale(0.5).call().unwrap_err()),
            "conv_quant (ops[0]): quantization of \"x\": its scale is neither set on the tensor nor given by input_scale"
        );
        let y = g.reshape(x, [1, 3, 8, 8]).out_name("y").call().unwrap();
        assert_eq!(
            first(g.conv_quant(y, w()).weight_scale(0.5).output_scale(0.5).call().unwrap_err()),
            "conv_quant (ops[1]): quantization of \"y\": its scale is neither set on the tensor nor given by input_scale; the call that computes it (top.Reshape) can set it, too"
        );
        let z = g.input("z", Dtype::Int8, [1, 3, 8, 8]).unwrap();
        g.quantize(z, &Quantization { scale: Some(vec![0.1; 3].into()), zero_point: None }).unwrap();
        assert_eq!(
            first(g.conv_quant(z, w()).weight_scale(0.5).output_scale(0.5).call().unwrap_err()),
            "conv_quant (ops[1]): quantization of \"z\": it has 3 scales; conv_quant takes 1 here"
        );
    }

    #[test]
    fn shapes() {
        // input, weight, stride, dilation, pad, group -> output
        type Case = ([usize; 4], [usize; 4], [i64; 2], [i64; 2], [i64; 4], i64, [usize; 4]);
        let table: [Case; 4] = [
            ([1, 3, 28, 28], [4, 3, 3, 3], [1, 1], [1, 1], [0; 4], 1, [1, 4, 26, 26]),
            ([2, 4, 9, 7], [8, 2, 3, 1], [2, 3], [2, 1], [1, 0, 2, 0], 2, [2, 8, 4, 3]),
            ([1, 4, 5, 5], [4, 1, 5, 5], [1, 1], [1, 1], [2, 2, 2, 2], 4, [1, 4, 5, 5]),
            ([1, 1, 1, 1], [1, 1, 1, 1], [7, 7], [9, 9], [0; 4], 1, [1, 1, 1, 1]),
        ];
        for (input, weight, stride, dilation, pad, group, expected) in table {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, input).unwrap();
            let w = Array::filled(Dtype::Float32, weight, 1.0).unwrap();
            let y = g.conv(x, w).stride(stride).dilation(dilation).pad(pad).group(group).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, expected);
        }
    }

    #[test]
    fn shapes_in_three_dimensions() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 6, 16, 28, 30]).unwrap();
        let w = Array::filled(Dtype::Float32, [12, 2, 2, 3, 4], 1.0).unwrap();
        let y = g
            .conv3d(x, w.clone())
            .stride([2, 1, 3])
            .dilation([1, 2, 1])
            .pad([0, 1, 2, 1, 0, 0])
            .group(3)
            .call()
            .unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [1, 12, 8, 25, 10]);
        g.conv3d_v2(x, w).pad([1, 2, 3, 4, 5, 6]).group(3).call().unwrap();
        assert!(matches!(&g.operators()[1].op, crate::ops::Op::Conv(op) if op.pads == [1, 3, 5, 2, 4, 6]));
    }

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 32, 56, 56]).unwrap();
        let i = g.input("i", Dtype::Int8, [1, 32, 56, 56]).unwrap();
        let w = g.coefficient("w", Array::filled(Dtype::Float32, [64, 64, 3, 3], 0.0).unwrap()).unwrap();
        let v = g.coefficient("v", Array::filled(Dtype::Float32, [64, 32, 3, 3], 0.0).unwrap()).unwrap();
        let error = g.conv(x, w).out_name("c1").call().unwrap_err();
        insta::assert_snapshot!(error, @r#"
        conv "c1" (ops[0]): weight has 64 input channels; the input has 32
           input   x  1x32x56x56 float32
           weight  w  64x64x3x3 float32
        "#);
        assert_eq!(
            first(g.conv(x, v).stride([0, 1]).call().unwrap_err()),
            "conv (ops[0]): stride is [0, 1]; expected numbers of at least 1"
        );
        assert_eq!(
            first(g.conv(x, v).group(3).call().unwrap_err()),
            "conv (ops[0]): group is 3; it must divide the 32 channels of input and the 64 of weight"
        );
        assert_eq!(
            first(g.conv(i, v).call().unwrap_err()),
            "conv (ops[0]): input is int8; expected float32 or float16"
        );
        assert_eq!(
            first(g.conv(x, v).bias(vec![0f32; 3]).call().unwrap_err()),
            "conv (ops[0]): bias has 3 elements; expected 64, one per output channel"
        );
        let w8 = g.coefficient("w8", Array::filled(Dtype::Int8, [4, 32, 1, 1], 0.0).unwrap()).unwrap();
        assert_eq!(
            first(g.conv_int(i, w8).weight_zp(0).call().unwrap_err()),
            "conv_int (ops[0]): quantization of \"i\": neither set on the tensor nor given by input_zp"
        );
        assert_eq!(
            first(g.conv_quant(i, w8).input_scale(vec![0.1, 0.2]).call().unwrap_err()),
            "conv_quant (ops[0]): input_scale is a list of 2; the tool chain accepts one value per tensor here"
        );
    }

    #[test]
    fn conv_v2_orders_its_pads_and_takes_zero_points() {
        let mut g = Graph::new("g").unwrap();
        let i = g.input("i", Dtype::Uint8, [1, 2, 8, 8]).unwrap();
        let w = Array::filled(Dtype::Int8, [3, 2, 3, 3], 1.0).unwrap();
        let y = g.conv_v2(i, w).pad([1, 2, 3, 4]).input_zp(vec![3, 4]).weight_zp(1).call().unwrap();
        assert!(matches!(&g.operators()[0].op, crate::ops::Op::Conv(op) if op.pads == [1, 3, 2, 4]));
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x9x13 int32");
        assert_eq!(
            g.tensor(i).unwrap().quantization,
            Some(Quantization { scale: None, zero_point: Some(vec![3, 4].into()) })
        );
    }

    #[test]
    fn conv_v2_takes_zero_points_of_input_channels_and_gives_floats() {
        let mut g = Graph::new("g").unwrap();
        let i = g.input("i", Dtype::Int8, [1, 2, 4, 4]).unwrap();
        let w = Array::filled(Dtype::Int8, [3, 2, 3, 3], 1.0).unwrap();
        let y = g.conv_v2(i, w).weight_zp(vec![1, 2]).out_dtype(Dtype::Float16).out_name("y").call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x2x2 float16");
        let operators: Vec<_> = g.operators().iter().map(|o| o.op.name()).collect();
        assert_eq!(operators, ["Conv", "Cast"]);
        assert_eq!(g.tensor(g.find("y_int32").unwrap()).unwrap().type_text(), "1x3x2x2 int32");
        let square = g.coefficient("square", Array::filled(Dtype::Int8, [2, 2, 3, 3], 1.0).unwrap()).unwrap();
        g.conv_v2(i, square).weight_zp(vec![1, 1]).call().unwrap();
        assert_eq!(
            first(g.conv_v2(i, square).weight_zp(vec![1, 2]).call().unwrap_err()),
            "conv_v2 (ops[2]): weight_zp is a list of 2; the weight has 2 output and 2 input channels, and it may be for either; expected one value here, or one per output channel in conv_int"
        );
    }

    /// A 2x2 tensor has one element per output channel, but is not a valid bias.
    #[test]
    fn lists_and_biases_have_the_channels_axis() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 3, 8, 8]).unwrap();
        let w = Array::filled(Dtype::Float32, [4, 3, 3, 3], 1.0).unwrap();
        let b = Array::filled(Dtype::Float32, [2, 2], 1.0).unwrap();
        assert_eq!(
            first(g.conv_v2(x, w).bias(b).call().unwrap_err()),
            "conv_v2 (ops[0]): bias is 2x2; expected 4 elements along one axis, as 4 or 1x4x1x1"
        );
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "conv",
            &[
                r#"{"op": "conv", "args": {"input": "x", "weight": "w", "stride": [1, "a"]}, "out": "y"}"#,
                r#"{"op": "conv", "args": {"input": "x", "weight": "w", "stride": [1, 1, 1]}, "out": "y"}"#,
                r#"{"op": "conv", "args": {"input": "v", "weight": "w"}, "out": "y"}"#,
                r#"{"op": "conv", "args": {"input": "i", "weight": "w"}, "out": "y"}"#,
                r#"{"op": "conv", "args": {"input": "x", "weight": "w", "group": 2}, "out": "y"}"#,
                r#"{"op": "conv", "args": {"input": "x", "weight": "w", "pad": [9223372036854775807, 1, 1, 1]}, "out": "y"}"#,
                r#"{"op": "conv", "args": {"input": "x", "weight": "w", "pad": 2000000000}, "out": "y"}"#,
                r#"{"op": "conv", "args": {"input": "x", "weight": "w", "bias": "v"}, "out": "y"}"#,
                r#"{"op": "conv_v2", "args": {"tensor_i": "i", "weight": "k", "input_zp": [1, 2, 3, 4, 5, 6, 7, 8]}, "out": "y"}"#,
                r#"{"op": "conv_quant", "args": {"input": "i", "weight": "k", "input_scale": 0.5, "weight_scale": [0.5, 0.25]}, "out": "y"}"#,
                r#"{"op": "conv3d", "args": {"input": "x", "weight": "w"}, "out": "y"}"#,
                r#"{"op": "conv3d", "args": {"input": "x", "weight": "w", "pad": [1, 1, 1, 1]}, "out": "y"}"#,
                r#"{"op": "conv3d_int", "args": {"input": "x", "weight": "k"}, "out": "y"}"#,
                r#"{"op": "conv3d_quant", "args": {"input": "i", "weight": "k", "input_scale": [0.5, 0.25]}, "out": "y"}"#,
                r#"{"op": "conv3d_v2", "args": {"tensor_i": "x", "weight": "w", "input_zp": 1}, "out": "y"}"#,
            ],
        );
    }
}
