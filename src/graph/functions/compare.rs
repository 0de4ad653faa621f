//! Comparisons of two tensors (`gt`, `ge`, ...) and of a tensor with a number (`gts`, `ges`, ...), and logical functions
//! of both kinds (`and_op`, `ands`, ...).
use super::{
    arithmetic::{Arithmetic, add},
    dtypes::FLOATS_AND_BYTES,
    function,
    lowering::Lowering,
    operands::Scalar,
};
use crate::{
    Operand, Tensor,
    base::{Result, argument, misfit},
    ops::{self, CompareMode},
};

function! {
    Compare -> Tensor {
        "float32, float16, int8 or uint8." tensor_i0: Operand,
        "The same dtype; shapes are broadcast." tensor_i1: Operand,
        ;
        "Scales of the operands (which must be equal) and of the output, for quantized tensors." scale: [f64; 3],
        "Zero points of the operands (which must be equal) and of the output; used with scale." zero_point: [i64; 3] = [0, 0, 0],
    }
    gt: "1 if `tensor_i0 > tensor_i1`, otherwise 0; broadcast.",
        example |g, x, i| {
            let y = x.gt(vec![0.5f32]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Greater, to);
    ge: "1 if `tensor_i0 >= tensor_i1`, otherwise 0; broadcast.",
        example |g, x, i| {
            let y = x.ge(vec![0.5f32]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::GreaterOrEqual, to);
    lt: "1 if `tensor_i0 < tensor_i1`, otherwise 0; broadcast.",
        example |g, x, i| {
            let y = x.lt(vec![0.5f32]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Less, to);
    le: "1 if `tensor_i0 <= tensor_i1`, otherwise 0; broadcast.",
        example |g, x, i| {
            let y = x.le(vec![0.5f32]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::LessOrEqual, to);
    eq: "1 if `tensor_i0 == tensor_i1`, otherwise 0; broadcast.",
        example |g, x, i| {
            let y = x.eq(vec![0.5f32]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Equal, to);
    ne: "1 if `tensor_i0 != tensor_i1`, otherwise 0; broadcast.",
        example |g, x, i| {
            let y = x.ne(vec![0.5f32]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::NotEqual, to);
}

function! {
    CompareConst -> Tensor {
        "float32, float16, int8 or uint8." tensor_i0: Operand,
        "The number, as a real value; for a quantized tensor it is first rounded to the tensor's scale." scalar_i1: Scalar,
        ;
        "Scales of the operand and of the output, for quantized tensors." scale: [f64; 2],
        "Zero points of the operand and of the output; used with scale." zero_point: [i64; 2] = [0, 0],
    }
    gts: "1 if `tensor_i0 > scalar_i1`, otherwise 0.",
        example |g, x, i| {
            let y = x.gts(0.5).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Greater, to);
    ges: "1 if `tensor_i0 >= scalar_i1`, otherwise 0.",
        example |g, x, i| {
            let y = x.ges(0.5).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::GreaterOrEqual, to);
    lts: "1 if `tensor_i0 < scalar_i1`, otherwise 0.",
        example |g, x, i| {
            let y = x.lts(0.5).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Less, to);
    les: "1 if `tensor_i0 <= scalar_i1`, otherwise 0.",
        example |g, x, i| {
            let y = x.les(0.5).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::LessOrEqual, to);
    eqs: "1 if `tensor_i0 == scalar_i1`, otherwise 0.",
        example |g, x, i| {
            let y = x.eqs(0.5).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Equal, to);
    nes: "1 if `tensor_i0 != scalar_i1`, otherwise 0.",
        example |g, x, i| {
            let y = x.nes(0.5).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::NotEqual, to);
    ands: "1 if `tensor_i0` is not 0 and `scalar_i1` is 1. Both must hold only 0 and 1, with scales of 1.",
        example |g, x, i| {
            let y = x.ands(1.0).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.and(to);
    ors: "1 if `tensor_i0 + scalar_i1 > 0`, otherwise 0: logical or of nonnegative numbers.",
        example |g, x, i| {
            let y = x.ors(0.0).call()?;
            assert_eq!(g.build(y)?.operators()[0].op.name(), "AddConst");
        },
        => |args, to| args.or(to);
    xors: "1 if `tensor_i0` and `scalar_i1` differ, otherwise 0: exclusive or of 0 and 1.",
        example |g, x, i| {
            let y = x.xors(1.0).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Xor, to);
}

function! {
    Logic -> Tensor {
        "float32, float16, int8 or uint8." tensor_i0: Operand,
        "The same dtype; shapes are broadcast." tensor_i1: Operand,
        ;
        "Scales of the operands and of the output, for quantized tensors; all 1 for `and_op`, those of the operands equal for `xor_op`." scale: [f64; 3],
        "Zero points of the operands (equal, except for `or_op`) and of the output; used with scale." zero_point: [i64; 3] = [0, 0, 0],
    }
    and_op: "1 if neither tensor is 0, otherwise 0; broadcast. Both must hold only 0 and 1.",
        example |g, x, i| {
            let y = x.and_op(vec![1f32]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.and(to);
    or_op: "1 if `tensor_i0 + tensor_i1 > 0`, otherwise 0; broadcast: logical or of nonnegative numbers.",
        example |g, x, i| {
            let y = x.or_op(vec![1f32]).call()?;
            assert_eq!(g.build(y)?.operators()[0].op.name(), "Add");
        },
        => |args, to| args.or(to);
    xor_op: "1 if the tensors differ, otherwise 0; broadcast: exclusive or of 0 and 1.",
        example |g, x, i| {
            let y = x.xor_op(vec![1f32]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.compare().lower(CompareMode::Xor, to);
}

function! {
    Not -> Tensor {
        "float32, float16, int8 or uint8." tensor_i0: Operand,
        ;
        "Scales of the operand and of the output, for quantized tensors." scale: [f64; 2],
        "Zero points of the operand and of the output; used with scale." zero_point: [i64; 2] = [0, 0],
    }
    not_op: "1 if `tensor_i0` is 0, otherwise 0.",
        example |g, x, i| {
            let y = x.not_op().call()?;
            assert_eq!(g.build(y)?.operators()[0].op.name(), "CompareConst");
        },
        => |args, to| args.lower(to);
}

impl Compare {
    fn lower(&self, mode: CompareMode, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let (a, b) = (&self.tensor_i0, &self.tensor_i1);
        to.dtype("tensor_i0", a, FLOATS_AND_BYTES)?;
        to.same_dtype(("tensor_i0", a), ("tensor_i1", b))?;
        let outputs = to.emit(ops::Compare::new(to.tensor(a)?, to.tensor(b)?, mode))?;
        if let Some([s0, s1, s2]) = self.scale {
            let [z0, z1, z2] = self.zero_point();
            if s0 != s1 || z0 != z1 {
                let found = format!("{s0:?} and {s1:?}, zero points {z0} and {z1}");
                let expected = "only tensors of equal scale and zero point are compared";
                return Err(argument("scale of the operands", found, expected));
            }
            to.quantize(a, Some(s0.into()), Some(z0.into()))?;
            to.quantize(b, Some(s1.into()), Some(z1.into()))?;
            to.quantize_tensor(outputs[0], Some(s2.into()), Some(z2.into()))?;
        }
        Ok(outputs)
    }
}

impl CompareConst {
    fn lower(&self, mode: CompareMode, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("tensor_i0", &self.tensor_i0, FLOATS_AND_BYTES)?;
        let op = ops::CompareConst::new(to.tensor(&self.tensor_i0)?, mode, self.scalar_i1.value, false);
        let outputs = to.emit(op)?;
        if let Some([s0, s1]) = self.scale {
            let [z0, z1] = self.zero_point();
            to.quantize(&self.tensor_i0, Some(s0.into()), Some(z0.into()))?;
            to.quantize_tensor(outputs[0], Some(s1.into()), Some(z1.into()))?;
        }
        Ok(outputs)
    }
}

impl CompareConst {
    fn and(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        zeros_and_ones(to, "tensor_i0", &self.tensor_i0)?;
        if ![0.0, 1.0].contains(&self.scalar_i1.value) {
            return Err(argument("scalar_i1", self.scalar_i1.value, "expected 0 or 1"));
        }
        scales_of_one(self.scale.as_ref().map(<[f64; 2]>::as_slice))?;
        self.lower(CompareMode::And, to)
    }
    fn or(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("tensor_i0", &self.tensor_i0, FLOATS_AND_BYTES)?;
        let sum = ops::AddConst::new(to.tensor(&self.tensor_i0)?, self.scalar_i1.value);
        let sum = to.step("add", sum, Some(dtype))?;
        let outputs = to.emit(ops::CompareConst::new(sum, CompareMode::Greater, 0.0, false))?;
        if let Some([s0, s1]) = self.scale {
            let [z0, z1] = self.zero_point();
            to.quantize(&self.tensor_i0, Some(s0.into()), Some(z0.into()))?;
            to.quantize_tensor(sum, Some(s1.into()), Some(z1.into()))?;
            to.quantize_tensor(outputs[0], Some(s1.into()), Some(z1.into()))?;
        }
        Ok(outputs)
    }
}

impl Logic {
    fn compare(&self) -> Compare {
        let Logic { tensor_i0, tensor_i1, scale, zero_point } = self.clone();
        Compare { tensor_i0, tensor_i1, scale, zero_point }
    }
    fn and(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        zeros_and_ones(to, "tensor_i0", &self.tensor_i0)?;
        zeros_and_ones(to, "tensor_i1", &self.tensor_i1)?;
        scales_of_one(self.scale.as_ref().map(<[f64; 3]>::as_slice))?;
        self.compare().lower(CompareMode::And, to)
    }
    fn or(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let (a, b) = (&self.tensor_i0, &self.tensor_i1);
        let dtype = to.dtype("tensor_i0", a, FLOATS_AND_BYTES)?;
        to.same_dtype(("tensor_i0", a), ("tensor_i1", b))?;
        let sum = Arithmetic::new(a.clone(), b.clone());
        let sum = Arithmetic { scale: self.scale, zero_point: self.zero_point, out_dtype: Some(dtype), ..sum };
        let sum = to.call(add::FUNCTION, sum, Some("add"))?[0];
        let outputs = to.emit(ops::CompareConst::new(sum, CompareMode::Greater, 0.0, false))?;
        if let (Some([.., scale]), [.., zero_point]) = (self.scale, self.zero_point()) {
            to.quantize_tensor(outputs[0], Some(scale.into()), Some(zero_point.into()))?;
        }
        Ok(outputs)
    }
}

impl Not {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let zero = CompareConst::new(self.tensor_i0.clone(), 0);
        CompareConst { scale: self.scale, zero_point: self.zero_point, ..zero }.lower(CompareMode::Not, to)
    }
}

/// Checks that known values are 0 or 1. The chip computes a bitwise "and", which differs from a logical one otherwise.
fn zeros_and_ones(to: &Lowering, name: &str, operand: &Operand) -> Result<()> {
    let Some(data) = to.info(operand)?.data() else { return Ok(()) };
    match data.to_f64()?.into_iter().find(|v| *v != 0.0 && *v != 1.0) {
        Some(v) => Err(misfit(name, format!("holds {v:?}; expected 0 and 1 only"))),
        None => Ok(()),
    }
}

fn scales_of_one(scales: Option<&[f64]>) -> Result<()> {
    match scales {
        Some(scales) if scales.iter().any(|s| *s != 1.0) => {
            Err(argument("scale", format!("{scales:?}"), "expected 1 for each tensor"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
    };

    #[test]
    fn logic_has_the_types_of_its_operands() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Uint8, [2, 1]).unwrap();
        let y = g.input("y", Dtype::Uint8, [3]).unwrap();
        let text = |g: &Graph, t| g.tensor(t).unwrap().type_text();
        let a = g.and_op(x, y).scale([1.0; 3]).call().unwrap();
        assert_eq!(text(&g, a), "2x3 uint8 (scale 1.0, zero point 0)");
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [2, 1]).unwrap();
        let y = g.input("y", Dtype::Int8, [3]).unwrap();
        let o = g.or_op(x, y).scale([0.5, 0.25, 2.0]).zero_point([1, 2, 3]).out_name("o").call().unwrap();
        assert_eq!(text(&g, o), "2x3 int8 (scale 2.0, zero point 3)");
        assert_eq!(text(&g, g.find("o_add").unwrap()), "2x3 int8 (scale 2.0, zero point 3)");
        let o = g.ors(x, 1).scale([0.5, 4.0]).zero_point([1, 0]).call().unwrap();
        assert_eq!(text(&g, o), "2x1 int8 (scale 4.0, zero point 0)");
        let n = g.not_op(x).call().unwrap();
        assert_eq!(text(&g, n), "2x1 int8");
        let ops: Vec<_> = g.operators().iter().map(|o| o.op.name()).collect();
        assert_eq!(ops, ["Add", "CompareConst", "AddConst", "CompareConst", "CompareConst"]);
    }

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [2, 3]).unwrap();
        let y = g.input("y", Dtype::Uint8, [2, 3]).unwrap();
        let z = g.input("z", Dtype::Int32, [2, 3]).unwrap();
        assert_eq!(
            first(g.gt(x, y).call().unwrap_err()),
            "gt (ops[0]): tensor_i0 is int8 and tensor_i1 is uint8; they must have the same dtype"
        );
        assert_eq!(
            first(g.eqs(z, 1).call().unwrap_err()),
            "eqs (ops[0]): tensor_i0 is int32; expected float32, float16, int8 or uint8; requant_int makes it int8 or uint8"
        );
        assert_eq!(
            first(g.le(x, vec![1i8]).scale([1.0, 2.0, 1.0]).call().unwrap_err()),
            "le (ops[0]): scale of the operands is 1.0 and 2.0, zero points 0 and 0; only tensors of equal scale and zero point are compared"
        );
        assert_eq!(
            first(g.and_op(x, vec![0i8, 1, 3]).call().unwrap_err()),
            "and_op (ops[0]): tensor_i1 holds 3.0; expected 0 and 1 only"
        );
        bad_calls(
            "compare",
            &[
                r#"{"op": "gts", "args": {"tensor_i0": "x", "scalar_i1": "one"}, "out": "y"}"#,
                r#"{"op": "eq", "args": {"tensor_i0": "x", "tensor_i1": "v", "scale": 0.5}, "out": "y"}"#,
                r#"{"op": "and_op", "args": {"tensor_i0": "i", "tensor_i1": "i", "scale": [1, 1, 2]}, "out": "y"}"#,
                r#"{"op": "ands", "args": {"tensor_i0": "x", "scalar_i1": 2}, "out": "y"}"#,
                r#"{"op": "or_op", "args": {"tensor_i0": "x", "tensor_i1": "i"}, "out": "y"}"#,
                r#"{"op": "xor_op", "args": {"tensor_i0": "i", "tensor_i1": "i", "scale": [1, 2, 2]}, "out": "y"}"#,
                r#"{"op": "not_op", "args": {"tensor_i0": "x", "scale": [1, 1]}, "out": "y"}"#,
            ],
        );
    }
}
