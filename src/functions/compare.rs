//! Comparisons of two tensors (`gt`, `ge`, ...) and of a tensor with a number (`gts`, `ges`, ...).
use super::{argument::Scalar, dtypes::FLOATS_AND_BYTES, function, lowering::Lowering};
use crate::{
    base::{Result, argument},
    graph::{Operand, Tensor},
    ops::{self, CompareMode},
};

function! {
    Compare -> Tensor {
        "float32, float16, int8 or uint8." tensor_i0: Operand,
        "Of the same dtype; shapes are broadcast." tensor_i1: Operand,
        ;
        "Scales of the operands (which must be equal) and of the output, for quantized tensors." scale: [f64; 3],
        "Zero points of the operands (which must be equal) and of the output; used with scale." zero_point: [i64; 3] = [0, 0, 0],
    }
    gt: "1 where `tensor_i0 > tensor_i1`, 0 elsewhere; broadcast.",
        example |g, x, i| {
            let y = g.gt(x, vec![0.5f32]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Greater, to);
    ge: "1 where `tensor_i0 >= tensor_i1`, 0 elsewhere; broadcast.",
        example |g, x, i| {
            let y = g.ge(x, vec![0.5f32]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::GreaterOrEqual, to);
    lt: "1 where `tensor_i0 < tensor_i1`, 0 elsewhere; broadcast.",
        example |g, x, i| {
            let y = g.lt(x, vec![0.5f32]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Less, to);
    le: "1 where `tensor_i0 <= tensor_i1`, 0 elsewhere; broadcast.",
        example |g, x, i| {
            let y = g.le(x, vec![0.5f32]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::LessOrEqual, to);
    eq: "1 where `tensor_i0 == tensor_i1`, 0 elsewhere; broadcast.",
        example |g, x, i| {
            let y = g.eq(x, vec![0.5f32]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Equal, to);
    ne: "1 where `tensor_i0 != tensor_i1`, 0 elsewhere; broadcast.",
        example |g, x, i| {
            let y = g.ne(x, vec![0.5f32]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::NotEqual, to);
}

function! {
    CompareConst -> Tensor {
        "float32, float16, int8 or uint8." tensor_i0: Operand,
        "The number, in real units; for a quantized tensor it is rounded to the tensor's scale first." scalar_i1: Scalar,
        ;
        "Scales of the operand and of the output, for quantized tensors." scale: [f64; 2],
        "Zero points of the operand and of the output; used with scale." zero_point: [i64; 2] = [0, 0],
    }
    gts: "1 where `tensor_i0 > scalar_i1`, 0 elsewhere.",
        example |g, x, i| {
            let y = g.gts(x, 0.5).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Greater, to);
    ges: "1 where `tensor_i0 >= scalar_i1`, 0 elsewhere.",
        example |g, x, i| {
            let y = g.ges(x, 0.5).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::GreaterOrEqual, to);
    lts: "1 where `tensor_i0 < scalar_i1`, 0 elsewhere.",
        example |g, x, i| {
            let y = g.lts(x, 0.5).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Less, to);
    les: "1 where `tensor_i0 <= scalar_i1`, 0 elsewhere.",
        example |g, x, i| {
            let y = g.les(x, 0.5).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::LessOrEqual, to);
    eqs: "1 where `tensor_i0 == scalar_i1`, 0 elsewhere.",
        example |g, x, i| {
            let y = g.eqs(x, 0.5).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::Equal, to);
    nes: "1 where `tensor_i0 != scalar_i1`, 0 elsewhere.",
        example |g, x, i| {
            let y = g.nes(x, 0.5).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(CompareMode::NotEqual, to);
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

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
    };

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
            "eqs (ops[0]): tensor_i0 is int32; expected float32, float16, int8 or uint8"
        );
        assert_eq!(
            first(g.le(x, vec![1i8]).scale([1.0, 2.0, 1.0]).call().unwrap_err()),
            "le (ops[0]): scale of the operands is 1.0 and 2.0, zero points 0 and 0; only tensors of equal scale and zero point are compared"
        );
        bad_calls(
            "compare",
            &[
                r#"{"op": "gts", "args": {"tensor_i0": "x", "scalar_i1": "one"}, "out": "y"}"#,
                r#"{"op": "eq", "args": {"tensor_i0": "x", "tensor_i1": "v", "scale": 0.5}, "out": "y"}"#,
            ],
        );
    }
}
