//! `relu`, `leaky_relu`, `sigmoid`, `tanh`, `gelu`, `softmax`.
use super::{
    dtypes::{FLOATS, FLOATS_AND_BYTES},
    function,
    shape::Inference,
};
use crate::{
    graph::{Attribute, Lowering, Operand, Result, Shape, Tensor, argument},
    quant::RoundMode,
};

function! {
    "`max(x, 0)`. A quantized output has the input's scale and zero point.";
    example "let y = g.relu(x).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);";
    relu => Relu -> Tensor {
        "float32, float16, int8 or uint8." input: Operand,
        ;
    }
}

function! {
    "`x` where it is at least 0, `negative_slope * x` elsewhere.";
    example "let y = g.leaky_relu(x).negative_slope(0.1).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);";
    leaky_relu => LeakyRelu -> Tensor {
        "float32, float16, int8 or uint8." input: Operand,
        ;
        "Factor of negative values." negative_slope: f64 = 0.01,
        "How quantized results are rounded: half_away_from_zero, half_up, half_down, half_to_even, towards_zero, up or down." round_mode: String = "half_away_from_zero",
    }
}

macro_rules! activation {
    ($name:ident => $Args:ident, $op:literal, $doc:literal) => {
        function! {
            $doc;
            example concat!("let y = g.", stringify!($name), "(x).call()?;\nlet z = g.", stringify!($name), "(i).scale([0.1, 0.01]).call()?;\nassert_eq!(g.tensor(z)?.dtype, Dtype::Int8);");
            $name => $Args -> Tensor {
                "float32, float16, int8 or uint8." input: Operand,
                ;
                "Scales of input and output, for quantized tensors." scale: [f64; 2],
                "Zero points of input and output; used with scale." zero_point: [i64; 2] = [0, 0],
                "How quantized results are rounded: half_away_from_zero, half_up, half_down, half_to_even, towards_zero, up or down." round_mode: String = "half_away_from_zero",
            }
        }
        impl $Args {
            fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
                let dtype = to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
                let round_mode = round_mode("round_mode", &self.round_mode())?;
                let outputs = to.emit($op, &[Some(&self.input)], [("round_mode", round_mode)], dtype)?;
                quantize_in_out(to, &self.input, outputs[0], self.scale, self.zero_point())?;
                Ok(outputs)
            }
        }
    };
}

activation!(sigmoid => Sigmoid, "Sigmoid", "`1 / (1 + exp(-x))`.");
activation!(tanh => Tanh, "Tanh", "The hyperbolic tangent.");
activation!(gelu => Gelu, "GELU", "`x / 2 * (1 + erf(x / sqrt(2)))`.");

function! {
    "`exp(x)` normalised to sum 1 along `axis`.";
    example "let y = g.softmax(x, 1).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);";
    softmax => Softmax -> Tensor {
        "float32 or float16." input: Operand,
        "Counted from the end where it is negative." axis: i64,
        ;
    }
}

/// Sets scale and zero point of a function's input and output, where they are given.
pub(super) fn quantize_in_out(
    to: &mut Lowering,
    input: &Operand,
    output: Tensor,
    scale: Option<[f64; 2]>,
    zero_point: [i64; 2],
) -> Result<()> {
    if let Some([s0, s1]) = scale {
        to.quantize(input, Some(s0.into()), Some(zero_point[0].into()))?;
        to.quantize_tensor(output, Some(s1.into()), Some(zero_point[1].into()))?;
    }
    Ok(())
}

/// A rounding mode by TpuLang's name as the dialect's attribute.
pub(super) fn round_mode(name: &str, value: &str) -> Result<Attribute> {
    let mode = RoundMode::from_argument(value);
    mode.map(|m| m.attribute().into()).ok_or_else(|| {
        let shown: String = value.chars().take(40).collect();
        argument(name, format!("{shown:?}"), format!("expected one of {}", RoundMode::ARGUMENTS.join(", ")))
    })
}

impl Relu {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        to.emit("Relu", &[Some(&self.input)], [], dtype)
    }
}

impl LeakyRelu {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let round_mode = round_mode("round_mode", &self.round_mode())?;
        to.emit(
            "LeakyRelu",
            &[Some(&self.input)],
            [("alpha", self.negative_slope().into()), ("round_mode", round_mode)],
            dtype,
        )
    }
}

impl Softmax {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS)?;
        to.emit("Softmax", &[Some(&self.input)], [("axis", self.axis.into())], dtype)
    }
}

/// Result shape = input shape; the axis must be one of the input's.
pub(super) fn softmax_shape(of: &Inference) -> Result<Vec<Shape>> {
    let shape = of.shape(0)?;
    of.axis("axis", shape.len())?;
    Ok(vec![shape.to_vec()])
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Dtype, Graph};

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        assert_eq!(
            first(g.softmax(x, 2).call().unwrap_err()),
            "softmax (ops[0]): axis is 2; with 2 dimensions it must be from -2 to 1"
        );
        assert_eq!(
            first(g.gelu(x).round_mode("half_odd").call().unwrap_err()),
            "gelu (ops[0]): round_mode is \"half_odd\"; expected one of half_away_from_zero, half_up, half_down, half_to_even, towards_zero, up, down"
        );
        assert_eq!(
            first(g.tanh(x).scale([1.0, 1.0]).call().unwrap_err()),
            "tanh (ops[0]): quantization of \"x\": scale 1.0, zero point 0 is given, but the dtype is float32; only int8, uint8, int16 and uint16 are quantized"
        );
    }
}
