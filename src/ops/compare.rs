//! Comparisons of two tensors (`gt`, `ge`, ...) and of a tensor with a number (`gts`, `ges`, ...).
use super::{dtypes::FLOATS_AND_BYTES, function};
use crate::graph::{Lowering, Operand, Result, Scalar, Tensor, argument};

macro_rules! compare {
    ($name:ident => $Args:ident, $mode:literal, $sign:literal) => {
        function! {
            concat!("1 where `tensor_i0 ", $sign, " tensor_i1`, 0 elsewhere; broadcast.");
            example concat!("let y = g.", stringify!($name), "(x, vec![0.5f32]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);");
            $name => $Args -> Tensor {
                "float32, float16, int8 or uint8." tensor_i0: Operand,
                "Of the same dtype; shapes are broadcast." tensor_i1: Operand,
                ;
                "Scales of the operands (which must be equal) and of the output, for quantized tensors." scale: [f64; 3],
                "Zero points of the operands (which must be equal) and of the output; used with scale." zero_point: [i64; 3] = [0, 0, 0],
            }
        }
        impl $Args {
            fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
                compare($mode, &self.tensor_i0, &self.tensor_i1, self.scale, self.zero_point(), to)
            }
        }
    };
}

macro_rules! compare_const {
    ($name:ident => $Args:ident, $mode:literal, $sign:literal) => {
        function! {
            concat!("1 where `tensor_i0 ", $sign, " scalar_i1`, 0 elsewhere.");
            example concat!("let y = g.", stringify!($name), "(x, 0.5).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);");
            $name => $Args -> Tensor {
                "float32, float16, int8 or uint8." tensor_i0: Operand,
                "The number, in real units; for a quantized tensor it is rounded to the tensor's scale first." scalar_i1: Scalar,
                ;
                "Scales of the operand and of the output, for quantized tensors." scale: [f64; 2],
                "Zero points of the operand and of the output; used with scale." zero_point: [i64; 2] = [0, 0],
            }
        }
        impl $Args {
            fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
                compare_const($mode, &self.tensor_i0, self.scalar_i1, self.scale, self.zero_point(), to)
            }
        }
    };
}

compare!(gt => Gt, "Greater", ">");
compare!(ge => Ge, "GreaterOrEqual", ">=");
compare!(lt => Lt, "Less", "<");
compare!(le => Le, "LessOrEqual", "<=");
compare!(eq => EqFn, "Equal", "==");
compare!(ne => Ne, "NotEqual", "!=");
compare_const!(gts => Gts, "Greater", ">");
compare_const!(ges => Ges, "GreaterOrEqual", ">=");
compare_const!(lts => Lts, "Less", "<");
compare_const!(les => Les, "LessOrEqual", "<=");
compare_const!(eqs => Eqs, "Equal", "==");
compare_const!(nes => Nes, "NotEqual", "!=");

fn compare(
    mode: &str,
    a: &Operand,
    b: &Operand,
    scale: Option<[f64; 3]>,
    zero_point: [i64; 3],
    to: &mut Lowering,
) -> Result<Vec<Tensor>> {
    let dtype = to.dtype("tensor_i0", a, FLOATS_AND_BYTES)?;
    to.same_dtype(("tensor_i0", a), ("tensor_i1", b))?;
    let outputs = to.emit("Compare", &[Some(a), Some(b)], [("mode", mode.into())], dtype)?;
    if let Some([s0, s1, s2]) = scale {
        let [z0, z1, z2] = zero_point;
        if s0 != s1 || z0 != z1 {
            let found = format!("{s0:?} and {s1:?}, zero points {z0} and {z1}");
            return Err(argument(
                "scale of the operands",
                found,
                "only tensors of equal scale and zero point are compared",
            ));
        }
        to.quantize(a, Some(s0.into()), Some(z0.into()))?;
        to.quantize(b, Some(s1.into()), Some(z1.into()))?;
        to.quantize_tensor(outputs[0], Some(s2.into()), Some(z2.into()))?;
    }
    Ok(outputs)
}

fn compare_const(
    mode: &str,
    a: &Operand,
    number: Scalar,
    scale: Option<[f64; 2]>,
    zero_point: [i64; 2],
    to: &mut Lowering,
) -> Result<Vec<Tensor>> {
    let dtype = to.dtype("tensor_i0", a, FLOATS_AND_BYTES)?;
    let attributes = [("mode", mode.into()), ("const_val", number.value.into()), ("inversed", false.into())];
    let outputs = to.emit("CompareConst", &[Some(a)], attributes, dtype)?;
    if let Some([s0, s1]) = scale {
        to.quantize(a, Some(s0.into()), Some(zero_point[0].into()))?;
        to.quantize_tensor(outputs[0], Some(s1.into()), Some(zero_point[1].into()))?;
    }
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Dtype, Graph};

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
    }
}
