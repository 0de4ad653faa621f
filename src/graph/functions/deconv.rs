//! Transposed convolution: `deconv`, `deconv3d`, `deconv_int`, `deconv_v2`, all lowered to `top.Deconv`.
use super::{
    argument::Each,
    conv::{AnyConv, FloatConv, IntConv, Window},
    function,
};
use crate::{
    Operand, Tensor,
    base::{Dtype, OneOrMany},
};

function! {
    set DeconvWindow {
        "Vertical and horizontal spacing of the input's elements in the result." stride: Each<2> = 1,
        "Vertical and horizontal spacing of the kernel's elements." dilation: Each<2> = 1,
        "Cropped from the result: top, left, bottom, right (deconv_v2: up, down, left, right)." pad: Each<4> = 0,
        "Size added to the result at the bottom and on the right." output_padding: Each<2> = 0,
        "Number of independent groups of channels." group: i64 = 1i64,
    }
}

function! {
    set DeconvWindow3d {
        "Spacing of the input's elements in the result along depth, height and width." stride: Each<3> = 1,
        "Spacing of the kernel's elements along depth, height and width." dilation: Each<3> = 1,
        "Cropped from the result: front, top, left, back, bottom, right." pad: Each<6> = 0,
        "Size added to the result at the end of each axis: back, bottom, right." output_padding: Each<3> = 0,
        "Number of independent groups of channels." group: i64 = 1i64,
    }
}

function! {
    Deconv -> Tensor {
        "n x ic x h x w; float32 or float16." input: Operand,
        "(oc / group) x ic x kh x kw, of the input's dtype. The data of a coefficient are those of group x (oc / group) x (ic / group) x kh x kw. A weight that is computed is ic x oc x kh x kw, and has one group." weight: Operand,
        ;
        ..float: FloatConv { bias: Operand, out_dtype: Dtype },
        ..window: DeconvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, output_padding: Each<2>, group: i64 },
    }
    deconv: "2-d transposed convolution of floats: `out[n, o, y, x] = bias[o] + sum over c, i, j of in[n, c, u, v] * weight[o, c, i, j]`, where `y = u * stride + i * dilation - pad` and `x` likewise. The height is `(h - 1) * stride - pads + dilation * (kh - 1) + output_padding + 1`.",
        example |g, x, i| {
            let y = x.deconv(Array::from_vec([4, 3, 2, 2], vec![0.1f32; 48])?).stride([2, 2]).call()?;
            assert_eq!(y.shape()?, [1, 4, 16, 16]);
        },
        => |args, to| args.float.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    Deconv3d -> Tensor {
        "n x ic x d x h x w; float32 or float16." input: Operand,
        "(oc / group) x ic x kd x kh x kw, of the input's dtype. The data of a coefficient are those of group x (oc / group) x (ic / group) x kd x kh x kw. A weight that is computed is ic x oc x kd x kh x kw, and has one group." weight: Operand,
        ;
        ..float: FloatConv { bias: Operand, out_dtype: Dtype },
        ..window: DeconvWindow3d { stride: Each<3>, dilation: Each<3>, pad: Each<6>, output_padding: Each<3>, group: i64 },
    }
    deconv3d: "3-d transposed convolution of floats: `deconv` with a depth before height and width.",
        example |g, x, i| {
            let v = x.reshape([1, 1, 3, 8, 8]).call()?;
            let w = Array::from_vec([4, 1, 2, 2, 2], vec![0.1f32; 32])?;
            let y = v.deconv3d(w).stride([1, 2, 2]).call()?;
            assert_eq!(y.shape()?, [1, 4, 4, 16, 16]);
        },
        => |args, to| args.float.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    DeconvInt -> Tensor {
        "n x ic x h x w; int8 or uint8." input: Operand,
        "Like deconv's; int8 or uint8." weight: Operand,
        ;
        ..int: IntConv { bias: Operand, input_zp: OneOrMany<i64>, weight_zp: OneOrMany<i64>, out_dtype: Dtype },
        ..window: DeconvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, output_padding: Each<2>, group: i64 },
    }
    deconv_int: "2-d transposed convolution of integers with exact accumulation: `in - input_zp` with `weight - weight_zp`. With several groups `weight_zp` must be one number.",
        example |g, x, i| {
            let w = Array::from_vec([4, 3, 2, 2], vec![1i8; 48])?;
            let y = i.deconv_int(w).input_zp(0).weight_zp(0).call()?;
            assert_eq!(y.info()?.type_text(), "1x4x9x9 int32");
        },
        => |args, to| args.int.lower(to, [&args.input, &args.weight], &(&args.window).into());
}

function! {
    DeconvV2 -> Tensor {
        "n x ic x h x w; float32, float16, int8 or uint8." tensor_i: Operand,
        "Like deconv's, of the input's dtype; int8 and uint8 may be mixed." weight: Operand,
        ;
        ..any: AnyConv { bias: Operand, input_zp: OneOrMany<i64>, weight_zp: OneOrMany<i64>, out_dtype: Dtype },
        ..window: DeconvWindow { stride: Each<2>, dilation: Each<2>, pad: Each<4>, output_padding: Each<2>, group: i64 },
    }
    deconv_v2: "2-d transposed convolution of floats or integers with the arguments of TpuLang's interface document. Note the order of `pad`: up, down, left, right. Integers are accumulated exactly; a float result is the int32 one converted.",
        example |g, x, i| {
            let y = x.deconv_v2(Array::from_vec([4, 3, 2, 2], vec![0.1f32; 48])?).pad([1, 0, 0, 0]).call()?;
            assert_eq!(y.shape()?, [1, 4, 8, 9]);
        },
        => |args, to| args.any.lower(to, [&args.tensor_i, &args.weight], Window::from(&args.window).axis_by_axis());
}

impl From<&DeconvWindow> for Window {
    fn from(w: &DeconvWindow) -> Self {
        let (strides, dilations, pads) = (w.stride().0.into(), w.dilation().0.into(), w.pad().0.into());
        Window { strides, dilations, pads, group: w.group(), output_padding: Some(w.output_padding().0.into()) }
    }
}

impl From<&DeconvWindow3d> for Window {
    fn from(w: &DeconvWindow3d) -> Self {
        let (strides, dilations, pads) = (w.stride().0.into(), w.dilation().0.into(), w.pad().0.into());
        Window { strides, dilations, pads, group: w.group(), output_padding: Some(w.output_padding().0.into()) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
    };

    #[test]
    fn shapes() {
        // input, weight, stride, dilation, pad, output padding, group -> output
        type Case = ([usize; 4], [usize; 4], [i64; 2], [i64; 2], [i64; 4], [i64; 2], i64, [usize; 4]);
        let table: [Case; 4] = [
            ([1, 3, 28, 28], [12, 3, 1, 1], [1, 1], [1, 1], [0; 4], [0, 0], 3, [1, 36, 28, 28]),
            ([2, 4, 5, 6], [3, 4, 3, 2], [2, 3], [2, 1], [1, 0, 2, 1], [1, 0], 1, [2, 3, 11, 16]),
            ([1, 4, 5, 5], [1, 4, 2, 2], [2, 2], [1, 1], [0; 4], [0, 0], 4, [1, 4, 10, 10]),
            ([1, 1, 1, 1], [1, 1, 1, 1], [7, 7], [9, 9], [0; 4], [6, 0], 1, [1, 1, 7, 1]),
        ];
        for (input, weight, stride, dilation, pad, more, group, expected) in table {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, input).unwrap();
            let w = Array::filled(Dtype::Float32, weight, 1.0).unwrap();
            let y = g.deconv(x, w).stride(stride).dilation(dilation).pad(pad).output_padding(more).group(group);
            let y = y.call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, expected);
        }
    }

    #[test]
    fn a_computed_weight_has_the_input_channels_first() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2, 4, 4]).unwrap();
        let w = g.input("w", Dtype::Float32, [2, 5, 3, 3]).unwrap();
        let y = g.deconv(x, w).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [1, 5, 6, 6]);
        assert_eq!(
            first(g.deconv(x, w).group(2).call().unwrap_err()),
            "deconv (ops[1]): weight is computed, and group is 2; the tool chain mixes up the groups of a weight that is not a coefficient"
        );
    }

    #[test]
    fn deconv_v2_orders_its_pads() {
        let mut g = Graph::new("g").unwrap();
        let i = g.input("i", Dtype::Uint8, [1, 2, 8, 8]).unwrap();
        let w = Array::filled(Dtype::Int8, [3, 2, 3, 3], 1.0).unwrap();
        let y = g.deconv_v2(i, w).pad([1, 2, 3, 4]).input_zp(3).weight_zp(1).call().unwrap();
        assert!(matches!(&g.operators()[0].op, crate::ops::Op::Deconv(op) if op.pads == [1, 3, 2, 4]));
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x7x3 int32");
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "deconv",
            &[
                r#"{"op": "deconv", "args": {"input": "x", "weight": "w", "output_padding": [1, 2, 3]}, "out": "y"}"#,
                r#"{"op": "deconv", "args": {"input": "x", "weight": "w", "output_padding": -1}, "out": "y"}"#,
                r#"{"op": "deconv", "args": {"input": "x", "weight": "w", "pad": 9}, "out": "y"}"#,
                r#"{"op": "deconv", "args": {"input": "x", "weight": "w", "group": 2}, "out": "y"}"#,
                r#"{"op": "deconv", "args": {"input": "x", "weight": "w", "stride": 9223372036854775807}, "out": "y"}"#,
                r#"{"op": "deconv", "args": {"input": "x", "weight": "w", "bias": "v"}, "out": "y"}"#,
                r#"{"op": "deconv", "args": {"input": "i", "weight": "k"}, "out": "y"}"#,
                r#"{"op": "deconv3d", "args": {"input": "x", "weight": "w", "stride": [1, 1]}, "out": "y"}"#,
                r#"{"op": "deconv_int", "args": {"input": "i", "weight": "k", "input_zp": 0}, "out": "y"}"#,
                r#"{"op": "deconv_int", "args": {"input": "i", "weight": "k", "input_zp": 0, "weight_zp": 0, "out_dtype": "int8"}, "out": "y"}"#,
            ],
        );
    }
}
