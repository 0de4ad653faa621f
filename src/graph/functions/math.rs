//! Elementwise mathematics: functions of one tensor with and without a quantized form (including the activations without
//! other arguments), `clamp`, `pow`.
use super::{
    activation::InOut,
    arithmetic::{Arithmetic, mul},
    dtypes::{FLOATS, FLOATS_AND_BYTES},
    function,
    lowering::Lowering,
    operands::{Scalar, TensorOrScalar},
};
use crate::{
    Operand, Tensor,
    base::{Dtype, Result, WarningKind, argument},
    ops::{self, Op},
};

function! {
    Unary -> Tensor {
        "float32, float16, int8 or uint8, of any shape." input: Operand,
        ;
        ..quant: InOut { scale: [f64; 2], zero_point: [i64; 2] },
    }
    ceil: "The smallest integer not less than `x`.",
        example |g, x, i| {
            let y = x.ceil().call()?;
            let z = i.ceil().scale([0.5, 1.0]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Ceil::new(x).into());
    floor: "The largest integer not greater than `x`.",
        example |g, x, i| {
            let y = x.floor().call()?;
            let z = i.floor().scale([0.5, 1.0]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Floor::new(x).into());
    sin: "The sine of `x`, in radians.",
        example |g, x, i| {
            let y = x.sin().call()?;
            let z = i.sin().scale([0.05, 0.01]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Sin::new(x).into());
    cos: "The cosine of `x`, in radians.",
        example |g, x, i| {
            let y = x.cos().call()?;
            let z = i.cos().scale([0.05, 0.01]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Cos::new(x).into());
    sinh: "The hyperbolic sine, `(exp(x) - exp(-x)) / 2`.",
        example |g, x, i| {
            let y = x.sinh().call()?;
            let z = i.sinh().scale([0.05, 1.0]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Sinh::new(x).into());
    cosh: "The hyperbolic cosine, `(exp(x) + exp(-x)) / 2`.",
        example |g, x, i| {
            let y = x.cosh().call()?;
            let z = i.cosh().scale([0.05, 1.0]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Cosh::new(x).into());
    exp: "`e` to the power `x`.",
        example |g, x, i| {
            let y = x.exp().call()?;
            let z = i.exp().scale([0.05, 1.0]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Exp::new(x).into());
    ln: "The natural logarithm; NaN for negative numbers.",
        example |g, x, i| {
            let y = x.ln().call()?;
            let z = i.ln().scale([0.05, 0.05]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Log::new(x).into());
    sqrt: "The square root; NaN for negative numbers.",
        example |g, x, i| {
            let y = x.sqrt().call()?;
            let z = i.sqrt().scale([0.05, 0.05]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Sqrt::new(x).into());
    rsqrt: "The inverse of the square root: `1 / sqrt(x + 1e-5)` for floats, `1 / sqrt(x)` for quantized tensors.",
        example |g, x, i| {
            let y = x.rsqrt().call()?;
            let z = i.rsqrt().scale([0.05, 0.05]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| {
            if args.quant.scale.is_none() {
                to.warn(WarningKind::AddedEpsilon);
            }
            args.lower(to, |x| ops::Rsqrt::new(x).into())
        };
    square: "`x * x`.",
        example |g, x, i| {
            let y = x.square().call()?;
            let z = i.square().scale([0.05, 0.5]).call()?;
            assert_eq!(g.build(y)?.operators()[1].op.name(), "Mul");
        },
        => |args, to| args.square(to);
    erf: "The error function: `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to `x`.",
        example |g, x, i| {
            let y = x.erf().call()?;
            let z = i.erf().scale([0.05, 0.01]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Erf::new(x).into());
    sign: "1 if `x > 0`, -1 if `x < 0`, otherwise 0.",
        example |g, x, i| {
            let y = x.sign().call()?;
            let z = i.sign().scale([0.05, 1.0]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Sign::new(x).into());
    elu: "`x` if it is positive, otherwise `exp(x) - 1`.",
        example |g, x, i| {
            let y = x.elu().call()?;
            let z = i.elu().scale([0.05, 0.05]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Elu::new(x, 1.0).into());
    silu: "`x / (1 + exp(-x))`.",
        example |g, x, i| {
            let y = x.silu().call()?;
            let z = i.silu().scale([0.05, 0.05]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::SiLU::new(x).into());
    log_sigmoid: "The natural logarithm of the sigmoid: `-ln(1 + exp(-x))`.",
        example |g, x, i| {
            let y = x.log_sigmoid().call()?;
            let z = i.log_sigmoid().scale([0.05, 0.05]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Sigmoid { log: true, ..ops::Sigmoid::new(x) }.into());
    mish: "`x * tanh(ln(1 + exp(x)))`.",
        example |g, x, i| {
            let y = x.mish().call()?;
            let z = i.mish().scale([0.05, 0.05]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::Mish::new(x).into());
    hswish: "`x * (x / 6 + 1 / 2)`, the second factor clamped to the range from 0 to 1.",
        example |g, x, i| {
            let y = x.hswish().call()?;
            let z = i.hswish().scale([0.05, 0.05]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::HardSwish::new(x).into());
    hsigmoid: "`x / 6 + 1 / 2`, clamped to the range from 0 to 1.",
        example |g, x, i| {
            let y = x.hsigmoid().call()?;
            let z = i.hsigmoid().scale([0.05, 0.01]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to, |x| ops::HardSigmoid::new(x, 1.0 / 6.0, 0.5).into());
}

function! {
    FloatUnary -> Tensor {
        "float32 or float16, of any shape." input: Operand,
        ;
    }
    round: "The nearest integer; halves are rounded away from zero.",
        example |g, x, i| {
            let y = x.round().call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to, |x| ops::Round::new(x).into());
    tan: "The tangent of `x`, in radians.",
        example |g, x, i| {
            let y = x.tan().call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to, |x| ops::Tan::new(x).into());
    arccos: "The inverse cosine, from 0 to pi; NaN outside [-1, 1].",
        example |g, x, i| {
            let y = x.arccos().call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to, |x| ops::Arccos::new(x).into());
    arctanh: "The inverse hyperbolic tangent, `ln((1 + x) / (1 - x)) / 2`; NaN outside [-1, 1].",
        example |g, x, i| {
            let y = x.arctanh().call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to, |x| ops::Arctanh::new(x).into());
}

function! {
    Clamp -> Tensor {
        "float32 or float16, of any shape." input: Operand,
        "The lower bound." min: f64,
        "The upper bound, at least `min`." max: f64,
        ;
    }
    clamp: "`x` clamped to the range from `min` to `max`; NaN stays NaN.",
        example |g, x, i| {
            let y = x.clamp(0.0, 6.0).call()?;
            assert_eq!(g.build(y)?.operators()[0].op.name(), "Clip");
        },
        => |args, to| args.lower(to);
}

function! {
    Pow -> Tensor {
        "A float32 or float16 tensor, or a float32 number." base: TensorOrScalar,
        "A tensor of the same dtype that broadcasts to `base`, or a float32 number; one of the two must be a tensor." expn: TensorOrScalar,
        ;
    }
    pow: "`base` to the power `expn`. The exponent 2 gives `base * base`, the exponent 1 `base` itself.",
        example |g, x, i| {
            let y = x.pow(0.5).call()?;
            let z = g.pow(2.0, x).call()?;
            let w = x.pow(x).call()?;
            assert_eq!(w.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl Unary {
    fn lower(&self, to: &mut Lowering, op: fn(Tensor) -> Op<Tensor>) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let outputs = to.emit(op(to.tensor(&self.input)?))?;
        self.quant.set(to, &self.input, outputs[0])?;
        Ok(outputs)
    }
    fn square(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let [z0, z1] = self.quant.zero_point();
        let product = Arithmetic {
            scale: self.quant.scale.map(|[s0, s1]| [s0, s0, s1]),
            zero_point: Some([z0, z0, z1]),
            out_dtype: Some(dtype),
            ..Arithmetic::new(self.input.clone(), self.input.clone())
        };
        to.call(mul::FUNCTION, product, None)
    }
}

impl FloatUnary {
    fn lower(&self, to: &mut Lowering, op: fn(Tensor) -> Op<Tensor>) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        to.emit(op(to.tensor(&self.input)?))
    }
}

impl Clamp {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        to.emit(ops::Clip::new(to.tensor(&self.input)?, self.max, self.min))
    }
}

impl Pow {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        match (&self.base, &self.expn) {
            (TensorOrScalar::Tensor(base), TensorOrScalar::Tensor(expn)) => {
                to.dtype("base", base, FLOATS)?;
                to.same_dtype(("base", base), ("expn", expn))?;
                to.emit(ops::Pow3::new(vec![to.tensor(base)?, to.tensor(expn)?]))
            }
            (TensorOrScalar::Tensor(base), TensorOrScalar::Scalar(expn)) => {
                to.dtype("base", base, FLOATS)?;
                let (x, exponent) = (to.tensor(base)?, float32("expn", *expn)?);
                if exponent == 1.0 {
                    // The compiler computes powers as exponentials of logarithms, which are undefined for negative numbers.
                    let shape = to.info(base)?.shape.iter().map(|&d| d as i64).collect();
                    return to.emit(ops::Reshape { shape: Some(shape), ..ops::Reshape::new(x) });
                }
                if exponent == 2.0 {
                    return to.emit(ops::Mul::new(vec![x, x]));
                }
                to.emit(ops::Pow::new(x, exponent))
            }
            (TensorOrScalar::Scalar(base), TensorOrScalar::Tensor(expn)) => {
                to.dtype("expn", expn, FLOATS)?;
                to.emit(ops::Pow2::new(to.tensor(expn)?, float32("base", *base)?))
            }
            _ => Err(argument("expn", "a number", "base is one too; one of the two must be a tensor")),
        }
    }
}

/// Checks that a scalar is float32, and returns its value.
fn float32(name: &str, number: Scalar) -> Result<f64> {
    let Scalar { value, dtype } = number;
    if dtype != Dtype::Float32 {
        return Err(argument(
            name,
            format!("the {dtype} number {value}"),
            format!("expected a float32 one: {value:?}"),
        ));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph, Scalar,
        functions::testing::{bad_calls, first_line as first},
        ops::Op,
    };

    #[test]
    fn outputs_have_the_inputs_type() {
        let mut g = Graph::new("g").unwrap();
        for (name, dtype) in [("a", Dtype::Float32), ("b", Dtype::Float16), ("c", Dtype::Int8), ("d", Dtype::Uint8)] {
            let x = g.input(name, dtype, [2, 3, 1]).unwrap();
            for y in [g.silu(x).call().unwrap(), g.square(x).call().unwrap()] {
                let y = g.tensor(y).unwrap();
                assert_eq!((y.shape.as_slice(), y.dtype), ([2, 3, 1].as_slice(), dtype));
            }
        }
        let q = g.input("q", Dtype::Int8, [2, 3]).unwrap();
        let y = g.square(q).scale([0.5, 2.0]).zero_point([1, 3]).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3 int8 (scale 2.0, zero point 3)");
        let y = g.cosh(q).scale([0.5, 4.0]).zero_point([1, -7]).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3 int8 (scale 4.0, zero point -7)");
        assert_eq!(
            first(g.tan(q).call().unwrap_err()),
            "tan (ops[10]): input is int8; expected float32 or float16; dequant_int_to_fp or cast makes it a float"
        );
    }

    #[test]
    fn powers_become_the_op_that_fits() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let e = g.input("e", Dtype::Float32, [3]).unwrap();
        for (base, expn) in [(Some(x), 0.5), (Some(x), 1.0), (Some(x), 2.0), (None, 2.0)] {
            match base {
                Some(x) => g.pow(x, expn).call().unwrap(),
                None => g.pow(expn, x).call().unwrap(),
            };
        }
        g.pow(x, e).call().unwrap();
        let ops: Vec<_> = g.operators().iter().map(|o| o.op.name()).collect();
        assert_eq!(ops, ["Pow", "Reshape", "Mul", "Pow2", "Pow3"]);
        assert!(matches!(&g.operators()[3].op, Op::Pow2(op) if op.const_val == 2.0));
        assert_eq!(
            first(g.pow(x, Scalar::new(2.0, Dtype::Int8)).call().unwrap_err()),
            "pow (ops[5]): expn is the int8 number 2; expected a float32 one: 2.0"
        );
        assert_eq!(
            first(g.pow(e, x).call().unwrap_err()),
            "pow (ops[5]): expn is 2x3; expected a shape that broadcasts to 3"
        );
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "math",
            &[
                r#"{"op": "exp", "args": {"input": "i", "scale": [0.1]}, "out": "y"}"#,
                r#"{"op": "sin", "args": {"input": "i", "scale": [0.1, -1]}, "out": "y"}"#,
                r#"{"op": "square", "args": {"input": "x", "scale": [0.1, 1]}, "out": "y"}"#,
                r#"{"op": "arccos", "args": {"input": "i"}, "out": "y"}"#,
                r#"{"op": "sinus", "args": {"input": "x"}, "out": "y"}"#,
                r#"{"op": "clamp", "args": {"input": "x", "min": 1, "max": -1}, "out": "y"}"#,
                r#"{"op": "clamp", "args": {"input": "x", "min": 1}, "out": "y"}"#,
                r#"{"op": "clamp", "args": {"input": "x", "min": "nan", "max": 1}, "out": "y"}"#,
                r#"{"op": "pow", "args": {"base": "x", "expn": 3}, "out": "y"}"#,
                r#"{"op": "pow", "args": {"base": 2.0, "expn": 3.0}, "out": "y"}"#,
                r#"{"op": "pow", "args": {"base": "x", "expn": "w"}, "out": "y"}"#,
            ],
        );
    }
}
