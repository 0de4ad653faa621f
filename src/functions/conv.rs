//! Convolution: `conv`, `conv_int`, `conv_quant`, `conv_v2`, all lowered to `top.Conv`.
use super::{
    argument::Each,
    dtypes::{BYTES, FLOATS, INT32},
    function,
    lowering::{Lowering, one_of},
};
use crate::{
    base::{Dtype, OneOrMany, Result, argument},
    graph::{Operand, Tensor},
    ops,
};

function! {
    set ConvWindow {
        "Vertical and horizontal step." stride: Each<2> = 1,
        "Vertical and horizontal distance of kernel elements." dilation: Each<2> = 1,
        "Zeros added: top, left, bottom, right (in conv_v2: up, down, left, right)." pad: Each<4> = 0,
        "Input and output channels are divided into so many independent groups." group: i64 = 1i64,
    }
}

function! {
    Conv -> Tensor {
        "n x ic x h x w; float32 or float16." input: Operand,
        "oc x (ic / group) x kh x kw, of the input's dtype." weight: Operand,
        ;
        "oc elements. A float16 coefficient is stored as float32." bias: Operand,
        "By default, and at most, the input's." out_dtype: Dtype,
        ..window: ConvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, group: i64 },
    }
    conv: "2-d convolution of floats: `out[n, o, y, x] = bias[o] + sum over c, i, j of in[n, c, y * stride + i * dilation - pad, ..] * weight[o, c, i, j]`.",
        example |g, x, i| {
            let y = g.conv(x, Array::from_vec([4, 3, 3, 3], vec![0.1f32; 108])?).pad(1).stride([2, 2]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 4, 4, 4]);
        },
        => |args, to| args.lower(to);
}

function! {
    ConvInt -> Tensor {
        "n x ic x h x w; int8 or uint8." input: Operand,
        "oc x (ic / group) x kh x kw; int8 or uint8." weight: Operand,
        ;
        "oc elements, int32." bias: Operand,
        "The input's zero point; needed unless it is set on the tensor." input_zp: OneOrMany<i64>,
        "The weight's zero point, one or one an output channel; needed unless it is set on the tensor." weight_zp: OneOrMany<i64>,
        "int32 or uint32." out_dtype: Dtype = Dtype::Int32,
        ..window: ConvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, group: i64 },
    }
    conv_int: "2-d convolution of integers with exact accumulation: `sum of (in - input_zp) * (weight - weight_zp) + bias`.",
        example |g, x, i| {
            let w = Array::from_vec([4, 3, 3, 3], vec![1i8; 108])?;
            let y = g.conv_int(i, w).input_zp(0).weight_zp(0).call()?;
            assert_eq!(g.tensor(y)?.dtype, Dtype::Int32);
        },
        => |args, to| args.lower(to);
}

function! {
    ConvQuant -> Tensor {
        "n x ic x h x w; int8 or uint8." input: Operand,
        "oc x (ic / group) x kh x kw; int8 or uint8." weight: Operand,
        ;
        "oc elements, int32, in units of input scale * weight scale." bias: Operand,
        "The input's scale; needed unless it is set on the tensor." input_scale: OneOrMany<f64>,
        "The weight's scale, one or one an output channel; needed unless it is set on the tensor." weight_scale: OneOrMany<f64>,
        "The output's scale." output_scale: OneOrMany<f64>,
        "The input's zero point." input_zp: OneOrMany<i64>,
        "The weight's zero point, one or one an output channel." weight_zp: OneOrMany<i64>,
        "The output's zero point." output_zp: OneOrMany<i64>,
        "int8 or uint8; by default the input's." out_dtype: Dtype,
        ..window: ConvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, group: i64 },
    }
    conv_quant: "2-d convolution of quantized tensors, requantized to the output's scale and zero point.",
        example |g, x, i| {
            let w = Array::from_vec([4, 3, 3, 3], vec![1i8; 108])?;
            let y = g.conv_quant(i, w).input_scale(0.1).weight_scale(0.2).output_scale(0.5).call()?;
            assert_eq!(g.tensor(y)?.dtype, Dtype::Int8);
        },
        => |args, to| args.lower(to);
}

function! {
    ConvV2 -> Tensor {
        "n x ic x h x w; float32, float16, int8 or uint8." tensor_i: Operand,
        "oc x (ic / group) x kh x kw; of the input's dtype, or int8 or uint8 where that is." weight: Operand,
        ;
        "oc elements; int32 where the input is an integer." bias: Operand,
        "The input's zero point, one or one an input channel." input_zp: OneOrMany<i64>,
        "The weight's zero point, one or one an output channel." weight_zp: OneOrMany<i64>,
        "By default the input's where that is a float, else int32." out_dtype: Dtype,
        ..window: ConvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, group: i64 },
    }
    conv_v2: "2-d convolution of floats or of integers, as TpuLang's interface document has it. Mind the order of `pad`: up, down, left, right.",
        example |g, x, i| {
            let y = g.conv_v2(x, Array::from_vec([4, 3, 3, 3], vec![0.1f32; 108])?).pad([1, 0, 1, 1]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 4, 7, 8]);
        },
        => |args, to| args.lower(to);
}

/// What the ops' attributes are called here.
const WORDS: &[(&str, &str)] =
    &[("kernel_shape", "weight"), ("strides", "stride"), ("dilations", "dilation"), ("pads", "pad")];

fn check_float(to: &mut Lowering, input: (&str, &Operand), weight: &Operand, bias: &Option<Operand>) -> Result<Dtype> {
    let dtype = to.dtype(input.0, input.1, FLOATS)?;
    to.same_dtype(("weight", weight), input)?;
    to.not_quantized(input.1)?;
    to.not_quantized(weight)?;
    if let Some(bias) = bias {
        to.dtype("bias", bias, FLOATS)?;
        to.widen_coefficient(bias)?;
    }
    Ok(dtype)
}

fn check_int(to: &mut Lowering, input: (&str, &Operand), weight: &Operand, bias: &Option<Operand>) -> Result<Dtype> {
    let dtype = to.dtype(input.0, input.1, BYTES)?;
    to.dtype("weight", weight, BYTES)?;
    to.optional_dtype("bias", bias, &[Dtype::Int32])?;
    Ok(dtype)
}

impl ConvWindow {
    /// `pads`: top, left, bottom, right.
    fn emit(
        &self,
        to: &mut Lowering,
        [input, weight]: [&Operand; 2],
        bias: &Option<Operand>,
        pads: [i64; 4],
        dtype: Dtype,
    ) -> Result<Vec<Tensor>> {
        let kernel = to.info(weight)?.shape.iter().skip(2).map(|&k| k as i64).collect();
        let (input, weight, bias) = (to.tensor(input)?, to.tensor(weight)?, to.optional(bias)?);
        let conv = ops::Conv {
            bias,
            group: self.group(),
            dilations: Some(self.dilation().0.into()),
            ..ops::Conv::new(input, weight, kernel, self.stride().0.into(), pads.into())
        };
        to.called(WORDS).emit_as(conv, dtype)
    }
}

fn one_only<T>(name: &str, value: Option<&OneOrMany<T>>) -> Result<()> {
    match value {
        Some(OneOrMany::Many(v)) => {
            Err(argument(name, format!("a list of {}", v.len()), "the tool chain takes one value for the tensor here"))
        }
        _ => Ok(()),
    }
}

impl Conv {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = check_float(to, ("input", &self.input), &self.weight, &self.bias)?;
        one_of("out_dtype", self.out_dtype.unwrap_or(dtype), &[dtype])?;
        self.window.emit(to, [&self.input, &self.weight], &self.bias, self.window.pad().0, dtype)
    }
}

impl ConvInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        check_int(to, ("input", &self.input), &self.weight, &self.bias)?;
        one_only("input_zp", self.input_zp.as_ref())?;
        to.one_each("weight_zp", self.weight_zp.as_ref(), &self.weight, 0, "an output channel")?;
        let dtype = one_of("out_dtype", self.out_dtype(), INT32)?;
        to.needs_quantization("input", &self.input, self.input_zp.is_some(), "zp")?;
        to.needs_quantization("weight", &self.weight, self.weight_zp.is_some(), "zp")?;
        to.quantize(&self.input, None, self.input_zp.clone())?;
        to.quantize(&self.weight, None, self.weight_zp.clone())?;
        self.window.emit(to, [&self.input, &self.weight], &self.bias, self.window.pad().0, dtype)
    }
}

impl ConvQuant {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = check_int(to, ("input", &self.input), &self.weight, &self.bias)?;
        one_only("input_zp", self.input_zp.as_ref())?;
        one_only("output_zp", self.output_zp.as_ref())?;
        one_only("input_scale", self.input_scale.as_ref())?;
        one_only("output_scale", self.output_scale.as_ref())?;
        to.one_each("weight_scale", self.weight_scale.as_ref(), &self.weight, 0, "an output channel")?;
        to.one_each("weight_zp", self.weight_zp.as_ref(), &self.weight, 0, "an output channel")?;
        let dtype = one_of("out_dtype", self.out_dtype.unwrap_or(dtype), BYTES)?;
        to.needs_quantization("input", &self.input, self.input_scale.is_some(), "scale")?;
        to.needs_quantization("weight", &self.weight, self.weight_scale.is_some(), "scale")?;
        to.quantize(&self.input, self.input_scale.clone(), self.input_zp.clone())?;
        to.quantize(&self.weight, self.weight_scale.clone(), self.weight_zp.clone())?;
        let outputs = self.window.emit(to, [&self.input, &self.weight], &self.bias, self.window.pad().0, dtype)?;
        to.quantize_tensor(outputs[0], self.output_scale.clone(), self.output_zp.clone())?;
        Ok(outputs)
    }
}

impl ConvV2 {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let [up, down, left, right] = self.window.pad().0;
        let (input, operands) = (("tensor_i", &self.tensor_i), [&self.tensor_i, &self.weight]);
        let found = to.dtype("tensor_i", &self.tensor_i, &[FLOATS, BYTES].concat())?;
        let dtype = if found.is_float() {
            for (name, zp) in [("input_zp", &self.input_zp), ("weight_zp", &self.weight_zp)] {
                if zp.is_some() {
                    return Err(argument(name, "given", "only integer inputs have a zero point"));
                }
            }
            let dtype = check_float(to, input, &self.weight, &self.bias)?;
            one_of("out_dtype", self.out_dtype.unwrap_or(dtype), &[dtype])?
        } else {
            check_int(to, input, &self.weight, &self.bias)?;
            to.one_each("input_zp", self.input_zp.as_ref(), &self.tensor_i, 1, "an input channel")?;
            to.one_each("weight_zp", self.weight_zp.as_ref(), &self.weight, 0, "an output channel")?;
            to.quantize(&self.tensor_i, None, self.input_zp.clone())?;
            to.quantize(&self.weight, None, self.weight_zp.clone())?;
            one_of("out_dtype", self.out_dtype.unwrap_or(Dtype::Int32), INT32)?
        };
        self.window.emit(to, operands, &self.bias, [up, left, down, right], dtype)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph, Quantization,
        functions::testing::{bad_calls, first_line as first},
    };

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
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 32, 56, 56]).unwrap();
        let i = g.input("i", Dtype::Int8, [1, 32, 56, 56]).unwrap();
        let w = g.coefficient("w", Array::filled(Dtype::Float32, [64, 64, 3, 3], 0.0).unwrap()).unwrap();
        let v = g.coefficient("v", Array::filled(Dtype::Float32, [64, 32, 3, 3], 0.0).unwrap()).unwrap();
        let error = g.conv(x, w).out_name("c1").call().unwrap_err();
        insta::assert_snapshot!(error, @r#"
        conv "c1" (ops[0]): weight has 64 input channels; the input has 32 (group 1)
           input   x  1x32x56x56 float32
           weight  w  64x64x3x3 float32
        "#);
        assert_eq!(
            first(g.conv(x, v).stride([0, 1]).call().unwrap_err()),
            "conv (ops[0]): kernel 3, stride 0, dilation 1, pads 0 and 0: expected kernel, stride and dilation of at least 1 and pads of at least 0, below 2^31"
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
            "conv (ops[0]): bias has 3 elements; expected 64, one an output channel"
        );
        let w8 = g.coefficient("w8", Array::filled(Dtype::Int8, [4, 32, 1, 1], 0.0).unwrap()).unwrap();
        assert_eq!(
            first(g.conv_int(i, w8).weight_zp(0).call().unwrap_err()),
            "conv_int (ops[0]): quantization of \"i\": neither set on the tensor nor given by input_zp"
        );
        assert_eq!(
            first(g.conv_quant(i, w8).input_scale(vec![0.1, 0.2]).call().unwrap_err()),
            "conv_quant (ops[0]): input_scale is a list of 2; the tool chain takes one value for the tensor here"
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

    /// 2x2 has as many elements as there are output channels, but is no bias.
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
            ],
        );
    }
}
