//! `add`, `sub`, `mul`, `div`, `max`, `min` of tensors and numbers.
use super::{
    dtypes::{BYTES, FLOATS},
    function,
    lowering::Lowering,
    operands::{Scalar, TensorOrScalar},
};
use crate::{
    Operand, Tensor,
    base::{Cause, Dtype, Result, WarningKind, argument},
    ops::{self, Op},
};

function! {
    Arithmetic -> Tensor {
        "A tensor or a number." tensor_i0: TensorOrScalar,
        "A tensor or a number; one of the two must be a tensor. Shapes are broadcast." tensor_i1: TensorOrScalar,
        ;
        "Scales of the first operand, the second and the output, for quantized tensors." scale: [f64; 3],
        "Zero points of the first operand, the second and the output; used with scale." zero_point: [i64; 3] = [0, 0, 0],
        "Defaults to the operands' dtype; to the signed one if they differ." out_dtype: Dtype,
    }
    add: "`tensor_i0 + tensor_i1`, broadcast.",
        example |g, x, i| {
            let y = (x + 1.5).out_name("y").call()?;
            let z = x.add(vec![1f32; 8]).call()?;
            assert_eq!(z.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(Kind::Add, to);
    sub: "`tensor_i0 - tensor_i1`, broadcast. Unsigned operands give a signed output.",
        example |g, x, i| {
            let y = (1.0 - x).call()?;
            let z = i.sub(i).scale([0.5, 0.5, 1.0]).call()?;
            assert_eq!(z.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(Kind::Sub, to);
    mul: "`tensor_i0 * tensor_i1`, broadcast.",
        example |g, x, i| {
            let y = (x * x).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(Kind::Mul, to);
    max: "The larger of `tensor_i0` and `tensor_i1`, broadcast.",
        example |g, x, i| {
            let y = x.max(0.0).call()?;
            assert_eq!(g.build(y)?.operators()[0].op.name(), "MaxConst");
        },
        => |args, to| args.lower(Kind::Max, to);
    min: "The smaller of `tensor_i0` and `tensor_i1`, broadcast.",
        example |g, x, i| {
            let y = x.min(vec![6f32]).call()?;
            assert_eq!(g.build(y)?.operators()[0].op.name(), "Min");
        },
        => |args, to| args.lower(Kind::Min, to);
}

function! {
    Div -> Tensor {
        "A tensor or a number; float32 or float16." tensor_i0: TensorOrScalar,
        "A tensor or a number; one of the two must be a tensor." tensor_i1: TensorOrScalar,
        ;
    }
    div: "`tensor_i0 / tensor_i1` of floats, broadcast. Division by a number becomes a multiplication by its inverse.",
        example |g, x, i| {
            let y = (x / 4.0).call()?;
            let z = (1.0 / x).call()?;
            assert_eq!(z.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

const WIDER: [Dtype; 4] = [Dtype::Int16, Dtype::Uint16, Dtype::Int32, Dtype::Uint32];

/// The arithmetic function.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Add,
    Sub,
    Mul,
    Max,
    Min,
}

impl Kind {
    fn tensors(self, a: Tensor, b: Tensor) -> Op<Tensor> {
        let inputs = vec![a, b];
        match self {
            Kind::Add => ops::Add::new(inputs).into(),
            Kind::Sub => ops::Sub::new(inputs).into(),
            Kind::Mul => ops::Mul::new(inputs).into(),
            Kind::Max => ops::Max::new(inputs).into(),
            Kind::Min => ops::Min::new(inputs).into(),
        }
    }
    fn constant(self, tensor: Tensor, value: f64, number_first: bool) -> Op<Tensor> {
        match self {
            Kind::Add => ops::AddConst::new(tensor, value).into(),
            Kind::Sub => ops::SubConst { is_reverse: number_first, ..ops::SubConst::new(tensor, value) }.into(),
            Kind::Mul => ops::MulConst::new(tensor, value).into(),
            Kind::Max => ops::MaxConst::new(tensor, value).into(),
            Kind::Min => ops::MinConst::new(tensor, value).into(),
        }
    }
}

impl Arithmetic {
    fn lower(&self, op: Kind, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = self.dtype(op, to)?;
        let mut operands = [self.tensor_i0.clone(), self.tensor_i1.clone()];
        if let Some(scale) = self.scale {
            for (i, operand) in operands.iter_mut().enumerate() {
                // Mul keeps a scalar operand; the other functions need it as a quantized tensor.
                if let TensorOrScalar::Scalar(s) = operand
                    && op != Kind::Mul
                {
                    s.check(["tensor_i0", "tensor_i1"][i])?;
                    *operand = TensorOrScalar::Tensor(to.scalar_coefficient(*s)?);
                }
                if let TensorOrScalar::Tensor(t) = operand {
                    to.quantize(t, Some(scale[i].into()), Some(self.zero_point()[i].into()))?;
                }
            }
        }
        if self.scale.is_none() && !dtype.is_float() {
            warn_of_numbers(to, &operands, dtype);
        }
        let op = match &operands {
            [TensorOrScalar::Tensor(a), TensorOrScalar::Tensor(b)] => op.tensors(to.tensor(a)?, to.tensor(b)?),
            [TensorOrScalar::Tensor(t), TensorOrScalar::Scalar(s)] => op.constant(to.tensor(t)?, s.value, false),
            [TensorOrScalar::Scalar(s), TensorOrScalar::Tensor(t)] => op.constant(to.tensor(t)?, s.value, true),
            _ => return Err(no_tensor()),
        };
        let outputs = to.emit_as(op, dtype)?;
        if let Some([_, _, scale]) = self.scale {
            to.quantize_tensor(outputs[0], Some(scale.into()), Some(self.zero_point()[2].into()))?;
        }
        Ok(outputs)
    }

    /// Returns the output's dtype by TpuLang's rules.
    fn dtype(&self, op: Kind, to: &Lowering) -> Result<Dtype> {
        let wide = matches!(op, Kind::Max | Kind::Min);
        let supported = if wide { [FLOATS, BYTES, &WIDER].concat() } else { [FLOATS, BYTES].concat() };
        let bad = |argument: &str, found, allowed: &[Dtype]| {
            Err(Cause::Dtype { argument: argument.into(), found, allowed: allowed.to_vec(), remedy: None }.into())
        };
        let of = |o: &TensorOrScalar| match o {
            TensorOrScalar::Tensor(t) => to.info(t).map(|t| Some(t.dtype)),
            TensorOrScalar::Scalar(_) => Ok(None),
        };
        let (a, b) = (of(&self.tensor_i0)?, of(&self.tensor_i1)?);
        let (Some(first), Some(second)) = (a.or(b), b.or(a)) else {
            return Err(no_tensor());
        };
        let accepted = [FLOATS, BYTES, &WIDER].concat();
        for (name, found) in [("tensor_i0", first), ("tensor_i1", second)] {
            if !accepted.contains(&found) {
                return bad(name, found, &accepted);
            }
        }
        if let Some(out) = self.out_dtype
            && !supported.contains(&out)
        {
            return bad("out_dtype", out, &supported);
        }
        if first.is_float() != second.is_float() || (first.is_float() && first != second) {
            let (left, right) = ("tensor_i0".into(), "tensor_i1".into());
            return Err(Cause::DtypeMismatch { left, left_dtype: first, right, right_dtype: second }.into());
        }
        if first.is_float() {
            return match self.out_dtype {
                Some(out) if out != first => bad("out_dtype", out, &[first]),
                _ => Ok(first),
            };
        }
        let out = self.out_dtype.unwrap_or(if first.is_signed_int() { first } else { second });
        if out.is_float() {
            return bad("out_dtype", out, &supported[2..]);
        }
        Ok(match (op, out) {
            (Kind::Sub, Dtype::Uint8) if self.out_dtype.is_some() => return bad("out_dtype", out, &[Dtype::Int8]),
            (Kind::Sub, Dtype::Uint8) => Dtype::Int8,
            (Kind::Sub, Dtype::Uint16) => Dtype::Int16,
            (Kind::Sub, Dtype::Uint32) => Dtype::Int32,
            _ => out,
        })
    }
}

/// Warns of numbers that the result's dtype, an integer, cannot represent.
fn warn_of_numbers(to: &mut Lowering, operands: &[TensorOrScalar; 2], dtype: Dtype) {
    for (operand, argument) in operands.iter().zip(["tensor_i0", "tensor_i1"]) {
        let TensorOrScalar::Scalar(Scalar { value, .. }) = *operand else { continue };
        if value.fract() != 0.0 {
            to.warn(WarningKind::FractionalScalar { argument: argument.to_owned(), value, dtype });
        } else if let Some((low, high)) = dtype.int_range()
            && !(low as f64..=high as f64).contains(&value)
        {
            to.warn_of_value(
                argument,
                value,
                format!("{dtype} has the integers from {low} to {high}, where results saturate"),
            );
        }
    }
}

impl Div {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        match (&self.tensor_i0, &self.tensor_i1) {
            (TensorOrScalar::Tensor(a), TensorOrScalar::Tensor(b)) => {
                to.dtype("tensor_i0", a, FLOATS)?;
                to.dtype("tensor_i1", b, FLOATS)?;
                to.same_dtype(("tensor_i0", a), ("tensor_i1", b))?;
                to.emit(ops::Div::new(vec![to.tensor(a)?, to.tensor(b)?]))
            }
            (TensorOrScalar::Tensor(a), TensorOrScalar::Scalar(s)) => {
                to.dtype("tensor_i0", a, FLOATS)?;
                if s.value == 0.0 {
                    return Err(argument("tensor_i1", 0, "division by 0"));
                }
                if (1.0 / s.value).abs() > f64::from(f32::MAX) {
                    let expected = "its reciprocal is not finite in float32";
                    return Err(argument("tensor_i1", s.value, expected));
                }
                let inverse = Scalar::new(1.0 / s.value, Dtype::Float32);
                to.call(mul::FUNCTION, Arithmetic::new(self.tensor_i0.clone(), inverse), None)
            }
            (TensorOrScalar::Scalar(s), TensorOrScalar::Tensor(b)) => {
                let dtype = to.dtype("tensor_i1", b, FLOATS)?;
                // A scalar without a dtype gets the tensor's.
                let number: Operand = to.scalar_coefficient(Scalar::new(s.value, dtype))?;
                to.emit(ops::Div::new(vec![to.tensor(&number)?, to.tensor(b)?]))
            }
            _ => Err(no_tensor()),
        }
    }
}

pub(super) fn no_tensor() -> crate::Error {
    argument("tensor_i1", "a number, as is tensor_i0", "one must be a tensor")
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph, Scalar,
        functions::testing::{bad_calls, first_line as first},
        ops::Op,
    };

    #[test]
    fn dtypes_follow_tpulang() {
        use Dtype::*;
        let f = |a: Dtype, b: Dtype, out: Option<Dtype>, sub: bool| -> Result<Dtype, String> {
            let mut g = Graph::new("g").unwrap();
            let (x, y) = (g.input("x", a, [2]).unwrap(), g.input("y", b, [2]).unwrap());
            let result = match (out, sub) {
                (Some(o), false) => g.add(x, y).out_dtype(o).call(),
                (None, false) => g.add(x, y).call(),
                (Some(o), true) => g.sub(x, y).out_dtype(o).call(),
                (None, true) => g.sub(x, y).call(),
            };
            result.map(|t| g.tensor(t).unwrap().dtype).map_err(first)
        };
        assert_eq!(f(Uint8, Int8, None, false), Ok(Int8));
        assert_eq!(f(Uint8, Uint8, None, false), Ok(Uint8));
        assert_eq!(f(Uint8, Uint8, None, true), Ok(Int8));
        assert_eq!(f(Float16, Float16, None, false), Ok(Float16));
        assert_eq!(
            f(Int8, Int8, Some(Int32), false),
            Err("add (ops[0]): out_dtype is int32; expected float32, float16, int8 or uint8".into())
        );
        assert_eq!(
            f(Float16, Float32, None, false),
            Err("add (ops[0]): tensor_i0 is float16 and tensor_i1 is float32; they must have the same dtype".into())
        );
        assert_eq!(f(Uint8, Uint8, Some(Uint8), true), Err("sub (ops[0]): out_dtype is uint8; expected int8".into()));
    }

    #[test]
    fn numbers_become_attributes_or_coefficients() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 3]).unwrap();
        let y = g.input("y", Dtype::Float32, [1, 3]).unwrap();
        g.sub(1, y).call().unwrap();
        g.add(Scalar::new(2.0, Dtype::Int8), x).scale([4.0, 2.0, 6.0]).out_name("a").call().unwrap();
        g.div(1, y).out_name("d").call().unwrap();
        let ops: Vec<_> = g.operators().iter().map(|o| o.op.name()).collect();
        assert_eq!(ops, ["SubConst", "Add", "Div"]);
        assert!(matches!(&g.operators()[0].op, Op::SubConst(op) if op.is_reverse));
        assert_eq!(g.tensor(g.find("a_scalar").unwrap()).unwrap().type_text(), "1 int8 (scale 4.0, zero point 0)");
        assert_eq!(g.tensor(g.find("d_scalar").unwrap()).unwrap().dtype, Dtype::Float32);
        assert!(g.add(1, 2).call().unwrap_err().to_string().contains("one must be a tensor"));
        assert!(g.div(y, 0).call().is_err());
    }

    #[test]
    fn mistakes_are_told() {
        bad_calls(
            "arithmetic",
            &[
                r#"{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": {"dtype": "int8"}}, "out": "y"}"#,
                r#"{"op": "add", "args": {"tensor_i0": "x", "tensor_i1": ["x"]}, "out": "y"}"#,
                r#"{"op": "add", "args": {"tensor_i0": "i", "tensor_i1": {"value": 300, "dtype": "int8"}, "scale": [0.1, 0.2, 0.3]}, "out": "y"}"#,
                r#"{"op": "sub", "args": {"tensor_i0": {"value": 2.7, "dtype": "uint8"}, "tensor_i1": "i", "scale": [0.1, 0.2, 0.3]}, "out": "y"}"#,
                r#"{"op": "mul", "args": {"tensor_i0": 2, "tensor_i1": 3}, "out": "y"}"#,
                r#"{"op": "mul", "args": {"tensor_i0": "x", "tensor_i1": "w"}, "out": "y"}"#,
                r#"{"op": "sub", "args": {"tensor_i0": "i", "tensor_i1": "i", "out_dtype": "float"}, "out": "y"}"#,
                r#"{"op": "max", "args": {"tensor_i0": "x", "tensor_i1": 1, "scale": [0.5, 0.5]}, "out": "y"}"#,
                r#"{"op": "div", "args": {"tensor_i0": "x", "tensor_i1": 0}, "out": "y"}"#,
            ],
        );
    }
}
