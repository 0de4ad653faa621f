//! `abs`, `relu`, `prelu`, `leaky_relu`, `sigmoid`, `tanh`, `gelu`, `swish`, `softmax`, `softmax_int`. Activations whose
//! only arguments are the input and its scale are in `math.rs`.
use super::{
    dtypes::{BYTES, FLOATS, FLOATS_AND_BYTES},
    function,
    lowering::Lowering,
};
use crate::{
    Operand, Tensor, TensorKind,
    base::{Result, misfit},
    ops::{self, Op},
    quant::RoundMode,
};

function! {
    Abs -> Tensor {
        "float32, float16, int8 or uint8." input: Operand,
        ;
    }
    abs: "The absolute value.",
        example |g, x, i| {
            let y = x.abs().call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Relu -> Tensor {
        "float32, float16, int8 or uint8." input: Operand,
        ;
    }
    relu: "`max(x, 0)`. A quantized output has the input's scale and zero point.",
        example |g, x, i| {
            let y = x.relu().call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    PRelu -> Tensor {
        "float32 or float16." input: Operand,
        "Slope for negative values, a coefficient: one value, one per channel (axis 1), or a shape that broadcasts to the input's." slope: Operand,
        ;
    }
    prelu: "`x` if it is at least 0, otherwise `slope * x`.",
        example |g, x, i| {
            let y = x.prelu(vec![0.1f32, 0.2, 0.3]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    LeakyRelu -> Tensor {
        "float32, float16, int8 or uint8." input: Operand,
        ;
        "Slope for negative values." negative_slope: f64 = 0.01,
        "Rounding mode of quantized results." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    leaky_relu: "`x` if it is at least 0, otherwise `negative_slope * x`.",
        example |g, x, i| {
            let y = x.leaky_relu().negative_slope(0.1).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    set InOut {
        "Scales of input and output, for quantized tensors." scale: [f64; 2],
        "Zero points of input and output; used with scale." zero_point: [i64; 2] = [0, 0],
    }
}

function! {
    Activation -> Tensor {
        "float32, float16, int8 or uint8." input: Operand,
        ;
        "Rounding mode of quantized results." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    sigmoid: "`1 / (1 + exp(-x))`.",
        example |g, x, i| {
            let y = x.sigmoid().call()?;
            let z = i.sigmoid().scale([0.1, 0.01]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x, round_mode| ops::Sigmoid { round_mode, ..ops::Sigmoid::new(x) }.into());
    tanh: "The hyperbolic tangent.",
        example |g, x, i| {
            let y = x.tanh().call()?;
            let z = i.tanh().scale([0.1, 0.01]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x, round_mode| ops::Tanh { round_mode, ..ops::Tanh::new(x) }.into());
    gelu: "`x / 2 * (1 + erf(x / sqrt(2)))`.",
        example |g, x, i| {
            let y = x.gelu().call()?;
            let z = i.gelu().scale([0.1, 0.01]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x, round_mode| ops::GELU { round_mode, ..ops::GELU::new(x) }.into());
}

function! {
    Swish -> Tensor {
        "float32, float16, int8 or uint8." input: Operand,
        "Factor of `x` in the exponential." beta: f64,
        ;
        "Rounding mode of quantized results." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    swish: "`x / (1 + exp(-beta * x))`.",
        example |g, x, i| {
            let y = x.swish(1.5).call()?;
            let z = i.swish(1.5).scale([0.1, 0.1]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to);
}

function! {
    Softmax -> Tensor {
        "float32 or float16." input: Operand,
        "Negative values count from the end." axis: i64,
        ;
    }
    softmax: "`exp(x)` normalized to sum 1 along `axis`.",
        example |g, x, i| {
            let y = x.softmax(1).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    SoftmaxInt -> Tensor {
        "int8 or uint8." input: Operand,
        "Negative values count from the end." axis: i64,
        "Scales of input and output." scale: [f64; 2],
        ;
        "Zero points of input and output." zero_point: [i64; 2] = [0, 0],
        "A rounding mode that the operator records; the compiler always rounds half away from zero." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    softmax_int: "`exp(x)` normalized to sum 1 along `axis`, of quantized tensors; the exponentials are read from a table.",
        example |g, x, i| {
            let y = i.softmax_int(1, [0.1, 1.0 / 128.0]).call()?;
            assert_eq!(y.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to);
}

impl InOut {
    /// Sets scale and zero point of a function's input and output, if given.
    pub(super) fn set(&self, to: &mut Lowering, input: &Operand, output: Tensor) -> Result<()> {
        if let Some([s0, s1]) = self.scale {
            let [z0, z1] = self.zero_point();
            to.quantize(input, Some(s0.into()), Some(z0.into()))?;
            to.quantize_tensor(output, Some(s1.into()), Some(z1.into()))?;
        }
        Ok(())
    }
}

impl Abs {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        to.emit(ops::Abs::new(to.tensor(&self.input)?))
    }
}

impl Relu {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        to.emit(ops::Relu::new(to.tensor(&self.input)?))
    }
}

impl PRelu {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        to.dtype("slope", &self.slope, FLOATS)?;
        if !matches!(to.info(&self.slope)?.kind, TensorKind::Coefficient(_)) {
            return Err(misfit("slope", "is computed or an input; expected a coefficient"));
        }
        to.emit(ops::PRelu::new(to.tensor(&self.input)?, to.tensor(&self.slope)?))
    }
}

impl LeakyRelu {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let op = ops::LeakyRelu::new(to.tensor(&self.input)?, self.negative_slope());
        to.emit(ops::LeakyRelu { round_mode: self.round_mode(), ..op })
    }
}

impl Activation {
    fn lower(&self, to: &mut Lowering, op: fn(Tensor, RoundMode) -> Op<Tensor>) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let outputs = to.emit(op(to.tensor(&self.input)?, self.round_mode()))?;
        self.quant.set(to, &self.input, outputs[0])?;
        Ok(outputs)
    }
}

impl Swish {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let op = ops::Swish::new(to.tensor(&self.input)?, self.beta);
        let outputs = to.emit(ops::Swish { round_mode: self.round_mode(), ..op })?;
        self.quant.set(to, &self.input, outputs[0])?;
        Ok(outputs)
    }
}

impl Softmax {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        let outputs = to.emit(ops::Softmax::new(to.tensor(&self.input)?, self.axis))?;
        if normalized_size(&to.info(&self.input)?.shape, self.axis) == Some(1) {
            to.warn_of_value("axis", self.axis, "the input has one entry on this axis, so every result is 1");
        }
        Ok(outputs)
    }
}

/// Returns the size of an axis, which counts from the end if it is negative.
fn normalized_size(shape: &[usize], axis: i64) -> Option<usize> {
    let from_start = if axis < 0 { axis + shape.len() as i64 } else { axis };
    shape.get(usize::try_from(from_start).ok()?).copied()
}

impl SoftmaxInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, BYTES)?;
        let op = ops::Softmax::new(to.tensor(&self.input)?, self.axis);
        let outputs = to.emit(ops::Softmax { round_mode: self.round_mode(), ..op })?;
        let quant = InOut { scale: Some(self.scale), zero_point: self.zero_point };
        quant.set(to, &self.input, outputs[0])?;
        Ok(outputs)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
    };

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        assert_eq!(
            first(g.softmax(x, 2).call().unwrap_err()),
            "softmax (ops[0]): axis is 2; with 2 dimensions it must be from -2 to 1"
        );
        assert_eq!(
            first(g.tanh(x).scale([1.0, 1.0]).call().unwrap_err()),
            "tanh (ops[0]): quantization of \"x\": scale 1.0, zero point 0 is given, but the dtype is float32; only int8, uint8, int16 and uint16 are quantized"
        );
        let i = g.input("i", Dtype::Uint8, [2, 3, 4]).unwrap();
        let y = g.softmax_int(i, -1, [0.5, 0.01]).zero_point([3, 4]).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3x4 uint8 (scale 0.01, zero point 4)");
        let y = g.swish(i, 0.5).scale([0.5, 0.1]).zero_point([3, 0]).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3x4 uint8 (scale 0.1, zero point 0)");
        bad_calls(
            "activation",
            &[
                r#"{"op": "abs", "args": {"input": "k", "scale": [1, 1]}, "out": "y"}"#,
                r#"{"op": "abs", "args": {"input": "m"}, "out": "y"}"#,
                r#"{"op": "gelu", "args": {"input": "x", "round_mode": "half_odd"}, "out": "y"}"#,
                r#"{"op": "prelu", "args": {"input": "x", "slope": "x"}, "out": "y"}"#,
                r#"{"op": "prelu", "args": {"input": "x", "slope": "w"}, "out": "y"}"#,
                r#"{"op": "prelu", "args": {"input": "x", "slope": "k"}, "out": "y"}"#,
                r#"{"op": "swish", "args": {"input": "x"}, "out": "y"}"#,
                r#"{"op": "softmax_int", "args": {"input": "i", "axis": 1}, "out": "y"}"#,
                r#"{"op": "softmax_int", "args": {"input": "x", "axis": 1, "scale": [1, 1]}, "out": "y"}"#,
                r#"{"op": "softmax_int", "args": {"input": "i", "axis": 4, "scale": [1, 1]}, "out": "y"}"#,
                r#"{"op": "softmax", "args": {"input": "x", "axis": 9000000000}, "out": "y"}"#,
                r#"{"op": "relu", "args": {"input": "x"}, "out": "y", "out_quant": {"scale": 0.5}}"#,
            ],
        );
    }
}
