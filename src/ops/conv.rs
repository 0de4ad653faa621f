//! Convolution: `conv`, `conv_int`, `conv_quant`, `conv_v2`, all lowered to `top.Conv`.
use super::{
    dtypes::{BYTES, FLOATS},
    function,
    shape::{Inference, Window},
};
use crate::graph::{Cause, Dtype, Lowering, OneOrMany, Operand, Result, Shape, Tensor, argument, invalid};

const INT32: &[Dtype] = &[Dtype::Int32, Dtype::Uint32];

function! {
    "2-d convolution of floats: `out[n, o, y, x] = bias[o] + sum over c, i, j of in[n, c, y * stride + i * dilation - pad, ..] * weight[o, c, i, j]`.";
    example "let y = g.conv(x, Array::from_vec([4, 3, 3, 3], vec![0.1f32; 108])?).pad([1, 1, 1, 1]).stride([2, 2]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 4, 4, 4]);";
    conv => ConvFn -> Tensor {
        "n x ic x h x w; float32 or float16." input: Operand,
        "oc x (ic / group) x kh x kw, of the input's dtype." weight: Operand,
        ;
        "oc elements. A float16 coefficient is stored as float32." bias: Operand,
        "Vertical and horizontal step." stride: [i64; 2] = [1, 1],
        "Vertical and horizontal distance of kernel elements." dilation: [i64; 2] = [1, 1],
        "Zeros added: top, left, bottom, right." pad: [i64; 4] = [0, 0, 0, 0],
        "Input and output channels are divided into so many independent groups." group: i64 = 1,
        "By default, and at most, the input's." out_dtype: Dtype,
    }
}

function! {
    "2-d convolution of integers with exact accumulation: `sum of (in - input_zp) * (weight - weight_zp) + bias`.";
    example "let w = Array::from_vec([4, 3, 3, 3], vec![1i8; 108])?;\nlet y = g.conv_int(i, w).input_zp(0).weight_zp(0).call()?;\nassert_eq!(g.tensor(y)?.dtype, Dtype::Int32);";
    conv_int => ConvInt -> Tensor {
        "n x ic x h x w; int8 or uint8." input: Operand,
        "oc x (ic / group) x kh x kw; int8 or uint8." weight: Operand,
        ;
        "oc elements, int32." bias: Operand,
        "Vertical and horizontal step." stride: [i64; 2] = [1, 1],
        "Vertical and horizontal distance of kernel elements." dilation: [i64; 2] = [1, 1],
        "Zeros added: top, left, bottom, right." pad: [i64; 4] = [0, 0, 0, 0],
        "Input and output channels are divided into so many independent groups." group: i64 = 1,
        "The input's zero point; needed unless it is set on the tensor." input_zp: OneOrMany<i64>,
        "The weight's zero point; needed unless it is set on the tensor." weight_zp: OneOrMany<i64>,
        "int32 or uint32." out_dtype: Dtype = Dtype::Int32,
    }
}

function! {
    "2-d convolution of quantized tensors, requantized to the output's scale and zero point.";
    example "let w = Array::from_vec([4, 3, 3, 3], vec![1i8; 108])?;\nlet y = g.conv_quant(i, w).input_scale(0.1).weight_scale(0.2).output_scale(0.5).call()?;\nassert_eq!(g.tensor(y)?.dtype, Dtype::Int8);";
    conv_quant => ConvQuant -> Tensor {
        "n x ic x h x w; int8 or uint8." input: Operand,
        "oc x (ic / group) x kh x kw; int8 or uint8." weight: Operand,
        ;
        "oc elements, int32, in units of input scale * weight scale." bias: Operand,
        "Vertical and horizontal step." stride: [i64; 2] = [1, 1],
        "Vertical and horizontal distance of kernel elements." dilation: [i64; 2] = [1, 1],
        "Zeros added: top, left, bottom, right." pad: [i64; 4] = [0, 0, 0, 0],
        "Input and output channels are divided into so many independent groups." group: i64 = 1,
        "The input's scale; needed unless it is set on the tensor." input_scale: OneOrMany<f64>,
        "The weight's scale, one or one an output channel; needed unless it is set on the tensor." weight_scale: OneOrMany<f64>,
        "The output's scale." output_scale: OneOrMany<f64>,
        "The input's zero point." input_zp: OneOrMany<i64>,
        "The weight's zero point." weight_zp: OneOrMany<i64>,
        "The output's zero point." output_zp: OneOrMany<i64>,
        "int8 or uint8; by default the input's." out_dtype: Dtype,
    }
}

function! {
    "2-d convolution of floats or of integers, as TpuLang's interface document has it. Mind the order of `pad`.";
    example "let y = g.conv_v2(x, Array::from_vec([4, 3, 3, 3], vec![0.1f32; 108])?).pad([1, 0, 1, 1]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 4, 7, 8]);";
    conv_v2 => ConvV2 -> Tensor {
        "n x ic x h x w; float32, float16, int8 or uint8." tensor_i: Operand,
        "oc x (ic / group) x kh x kw; of the input's dtype, or int8 or uint8 where that is." weight: Operand,
        ;
        "oc elements; int32 where the input is an integer." bias: Operand,
        "Vertical and horizontal step." stride: [i64; 2] = [1, 1],
        "Vertical and horizontal distance of kernel elements." dilation: [i64; 2] = [1, 1],
        "Zeros added: up, down, left, right." pad: [i64; 4] = [0, 0, 0, 0],
        "Input and output channels are divided into so many independent groups." group: i64 = 1,
        "The input's zero point, one or one an input channel." input_zp: OneOrMany<i64>,
        "The weight's zero point, one or one an input channel." weight_zp: OneOrMany<i64>,
        "By default the input's where that is a float, else int32." out_dtype: Dtype,
    }
}

/// What all four have in common.
struct Common<'a> {
    input: &'a Operand,
    weight: &'a Operand,
    bias: Option<&'a Operand>,
    stride: [i64; 2],
    dilation: [i64; 2],
    /// Top, left, bottom, right.
    pad: [i64; 4],
    group: i64,
}

macro_rules! common {
    ($self:ident, $input:ident, $pad:expr) => {
        Common {
            input: &$self.$input,
            weight: &$self.weight,
            bias: $self.bias.as_ref(),
            stride: $self.stride(),
            dilation: $self.dilation(),
            pad: $pad,
            group: $self.group(),
        }
    };
}

impl Common<'_> {
    fn check_float(&self, to: &mut Lowering) -> Result<Dtype> {
        let dtype = to.dtype("input", self.input, FLOATS)?;
        to.same_dtype(("weight", self.weight), ("input", self.input))?;
        to.not_quantized(self.input)?;
        to.not_quantized(self.weight)?;
        if let Some(bias) = self.bias {
            to.dtype("bias", bias, FLOATS)?;
            to.widen_coefficient(bias)?;
        }
        Ok(dtype)
    }
    fn check_int(&self, to: &mut Lowering) -> Result<Dtype> {
        let dtype = to.dtype("input", self.input, BYTES)?;
        to.dtype("weight", self.weight, BYTES)?;
        if let Some(bias) = self.bias {
            to.dtype("bias", bias, &[Dtype::Int32])?;
        }
        Ok(dtype)
    }
    fn emit(&self, to: &mut Lowering, dtype: Dtype) -> Result<Vec<Tensor>> {
        let kernel: Vec<i64> = to.info(self.weight)?.shape.iter().skip(2).map(|&k| k as i64).collect();
        to.emit(
            "Conv",
            &[Some(self.input), Some(self.weight), self.bias],
            [
                ("kernel_shape", kernel.into()),
                ("strides", self.stride.into()),
                ("dilations", self.dilation.into()),
                ("pads", self.pad.into()),
                ("do_relu", false.into()),
                ("group", self.group.into()),
            ],
            dtype,
        )
    }
}

fn out_dtype(given: Dtype, allowed: &[Dtype]) -> Result<Dtype> {
    if !allowed.contains(&given) {
        return Err(Cause::Dtype { argument: "out_dtype".into(), found: given, allowed: allowed.to_vec() }.into());
    }
    Ok(given)
}

fn one_only<T>(name: &str, value: Option<&OneOrMany<T>>) -> Result<()> {
    match value {
        Some(OneOrMany::Many(v)) => {
            Err(argument(name, format!("a list of {}", v.len()), "the tool chain takes one value for the tensor here"))
        }
        _ => Ok(()),
    }
}

impl ConvFn {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let common = common!(self, input, self.pad());
        let dtype = common.check_float(to)?;
        let dtype = out_dtype(self.out_dtype.unwrap_or(dtype), &[dtype])?;
        common.emit(to, dtype)
    }
}

impl ConvInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let common = common!(self, input, self.pad());
        common.check_int(to)?;
        one_only("input_zp", self.input_zp.as_ref())?;
        let dtype = out_dtype(self.out_dtype(), INT32)?;
        to.needs_quantization("input", &self.input, self.input_zp.is_some(), "zp")?;
        to.needs_quantization("weight", &self.weight, self.weight_zp.is_some(), "zp")?;
        to.quantize(&self.input, None, self.input_zp.clone())?;
        to.quantize(&self.weight, None, self.weight_zp.clone())?;
        common.emit(to, dtype)
    }
}

impl ConvQuant {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let common = common!(self, input, self.pad());
        let dtype = common.check_int(to)?;
        one_only("input_zp", self.input_zp.as_ref())?;
        one_only("output_zp", self.output_zp.as_ref())?;
        one_only("input_scale", self.input_scale.as_ref())?;
        one_only("output_scale", self.output_scale.as_ref())?;
        let dtype = out_dtype(self.out_dtype.unwrap_or(dtype), BYTES)?;
        to.needs_quantization("input", &self.input, self.input_scale.is_some(), "scale")?;
        to.needs_quantization("weight", &self.weight, self.weight_scale.is_some(), "scale")?;
        to.quantize(&self.input, self.input_scale.clone(), self.input_zp.clone())?;
        to.quantize(&self.weight, self.weight_scale.clone(), self.weight_zp.clone())?;
        let outputs = common.emit(to, dtype)?;
        for &output in &outputs {
            to.quantize_tensor(output, self.output_scale.clone(), self.output_zp.clone())?;
        }
        Ok(outputs)
    }
}

impl ConvV2 {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let [up, down, left, right] = self.pad();
        let common = common!(self, tensor_i, [up, left, down, right]);
        if FLOATS.contains(&to.info(&self.tensor_i)?.dtype) {
            for (name, zp) in [("input_zp", &self.input_zp), ("weight_zp", &self.weight_zp)] {
                if zp.is_some() {
                    return Err(argument(name, "given", "only integer inputs have a zero point"));
                }
            }
            let dtype = common.check_float(to)?;
            let dtype = out_dtype(self.out_dtype.unwrap_or(dtype), &[dtype])?;
            return common.emit(to, dtype);
        }
        let allowed = [FLOATS, BYTES].concat();
        to.dtype("tensor_i", &self.tensor_i, &allowed)?;
        common.check_int(to)?;
        let dtype = out_dtype(self.out_dtype.unwrap_or(Dtype::Int32), INT32)?;
        to.quantize(&self.tensor_i, None, self.input_zp.clone())?;
        to.quantize(&self.weight, None, self.weight_zp.clone())?;
        common.emit(to, dtype)
    }
}

/// N x oc, then each spatial dimension by [`Window`]. Any number of spatial axes.
pub(super) fn conv_shape(of: &Inference) -> Result<Vec<Shape>> {
    let (input, weight) = (of.shape(0)?, of.shape(1)?);
    let rank = input.len();
    if rank < 3 || weight.len() != rank {
        let found = format!("input has {rank} dimensions, weight {}", weight.len());
        return Err(invalid(format!(
            "{found}; expected n x ic x spatial.. and oc x ic/group x kernel.., equally many"
        )));
    }
    let spatial = rank - 2;
    let group = of.attributes.int("group");
    let (oc, ic) = (weight[0], input[1]);
    if group < 1 || ic as i64 % group != 0 || oc as i64 % group != 0 {
        return Err(argument(
            "group",
            group,
            format!("it must divide the input's {ic} channels and the weight's {oc}"),
        ));
    }
    if weight[1] as i64 * group != ic as i64 {
        return Err(invalid(format!("weight has {} input channels; the input has {ic} (group {group})", weight[1])));
    }
    of.check_elements(2, oc, "one an output channel")?;
    let kernel = of.attributes.ints("kernel_shape");
    if kernel.iter().map(|&k| k as usize).ne(weight[2..].iter().copied()) {
        return Err(invalid(format!("kernel_shape is {kernel:?}; the weight's kernel is {:?}", &weight[2..])));
    }
    let (strides, pads) = (of.attributes.ints("strides"), of.attributes.ints("pads"));
    let mut dilations = of.attributes.ints("dilations");
    if dilations.is_empty() {
        dilations = vec![1; spatial];
    }
    if strides.len() != spatial || dilations.len() != spatial || pads.len() != 2 * spatial {
        return Err(invalid(format!(
            "strides {strides:?}, dilations {dilations:?}, pads {pads:?}: expected {spatial}, {spatial} and {} values",
            2 * spatial
        )));
    }
    let mut shape = vec![input[0], oc];
    for i in 0..spatial {
        let pads = [pads[i], pads[i + spatial]];
        shape.push(
            Window { input: input[2 + i], kernel: kernel[i], stride: strides[i], dilation: dilations[i], pads }
                .positions()?,
        );
    }
    Ok(vec![shape])
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Array, Dtype, Graph, Quantization};

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
            "conv (ops[0]): group is 3; it must divide the input's 32 channels and the weight's 64"
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
        assert_eq!(g.operators()[0].attributes.ints("pads"), [1, 3, 2, 4]);
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x9x13 int32");
        assert_eq!(
            g.tensor(i).unwrap().quantization,
            Some(Quantization { scale: None, zero_point: Some(vec![3, 4].into()) })
        );
    }
}
