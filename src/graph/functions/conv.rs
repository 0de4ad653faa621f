//! Convolution: `conv`, `conv3d`, and their forms for integers and quantized tensors, all lowered to `top.Conv`.
mod window;

pub(super) use window::Window;

use super::{
    argument::Each,
    dtypes::{BYTES, FLOATS, INT32},
    function,
    lowering::{Lowering, one_of},
};
use crate::{
    Operand, Tensor,
    base::{Dtype, OneOrMany, Result, argument, misfit},
    ops,
};
use window::{check_int, one_only};

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
        "Must be the input's dtype (the default)." out_dtype: Dtype,
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
            to.widen_coefficient("bias", bias)?;
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
mod tests;
