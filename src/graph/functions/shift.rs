//! Integer arithmetic with a shift: `add_shift`, `sub_shift`, `mul_shift`.
use super::{
    arithmetic::no_tensor,
    dtypes::{INTEGERS, SIGNED},
    function,
    lowering::{Lowering, one_of},
    operands::{Scalar, TensorOrScalar},
};
use crate::{
    Tensor,
    base::{Dtype, Result, argument},
    ops::{self, BinaryShiftMode},
    quant::RoundMode,
};

function! {
    ArithmeticShift -> Tensor {
        "A tensor or an integer; int32, uint32, int16, uint16, int8 or uint8." tensor_i0: TensorOrScalar,
        "A tensor or an integer; one of the two must be a tensor. Shapes are broadcast." tensor_i1: TensorOrScalar,
        "Bits to shift to the left (negative: to the right), -63 to 63." shift: i64,
        "Any integer dtype of up to 32 bits; for sub_shift a signed one." out_dtype: Dtype,
        ;
        "Rounding mode of the shift." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        "Whether results out of out_dtype's range saturate. Otherwise they wrap around, except for signed operands with an unsigned output, which saturate." is_saturate: bool = true,
    }
    add_shift: "`(tensor_i0 + tensor_i1) * 2^shift` of stored integer values, rounded once, broadcast.",
        example |g, x, i| {
            let y = i.add_shift(100, -1, Dtype::Int8).call()?;
            assert_eq!(g.build(y)?.operators()[0].op.name(), "BinaryConstShift");
        },
        => |args, to| args.lower(BinaryShiftMode::Add, to);
    sub_shift: "`(tensor_i0 - tensor_i1) * 2^shift` of stored integer values, rounded once, broadcast.",
        example |g, x, i| {
            let y = i.sub_shift(vec![1i16; 8], 4, Dtype::Int32).call()?;
            assert_eq!(y.info()?.type_text(), "1x3x8x8 int32");
        },
        => |args, to| args.lower(BinaryShiftMode::Sub, to);
    mul_shift: "`tensor_i0 * tensor_i1 * 2^shift` of stored integer values, rounded once, broadcast.",
        example |g, x, i| {
            let y = i.mul_shift(i, -7, Dtype::Int8).round_mode(quant::RoundMode::HalfToEven).call()?;
            assert_eq!(y.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(BinaryShiftMode::Mul, to);
}

impl ArithmeticShift {
    fn lower(&self, mode: BinaryShiftMode, to: &mut Lowering) -> Result<Vec<Tensor>> {
        for (name, operand) in [("tensor_i0", &self.tensor_i0), ("tensor_i1", &self.tensor_i1)] {
            if let TensorOrScalar::Tensor(t) = operand {
                to.dtype(name, t, INTEGERS)?;
            }
        }
        let allowed = if mode == BinaryShiftMode::Sub { SIGNED } else { INTEGERS };
        let dtype = one_of("out_dtype", self.out_dtype, allowed)?;
        let (tensor, number, is_reverse) = match (&self.tensor_i0, &self.tensor_i1) {
            (TensorOrScalar::Tensor(a), TensorOrScalar::Tensor(b)) => {
                let (round_mode, saturation) = (self.round_mode(), self.is_saturate());
                let op = ops::BinaryShift::new(to.tensor(a)?, to.tensor(b)?, mode, self.shift);
                return to.emit_as(ops::BinaryShift { round_mode, saturation, ..op }, dtype);
            }
            (TensorOrScalar::Tensor(t), TensorOrScalar::Scalar(s)) => (t, whole("tensor_i1", s)?, false),
            (TensorOrScalar::Scalar(s), TensorOrScalar::Tensor(t)) => (t, whole("tensor_i0", s)?, true),
            _ => return Err(no_tensor()),
        };
        let op = ops::BinaryConstShift {
            is_reverse: is_reverse && mode == BinaryShiftMode::Sub,
            round_mode: self.round_mode(),
            saturation: self.is_saturate(),
            ..ops::BinaryConstShift::new(to.tensor(tensor)?, mode, number, self.shift)
        };
        to.emit_as(op, dtype)
    }
}

/// Converts a number to the op's integer.
fn whole(name: &str, number: &Scalar) -> Result<i64> {
    let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
    if number.value.fract() != 0.0 || !range.contains(&number.value) {
        return Err(argument(name, number.value, "expected an integer that fits int32"));
    }
    Ok(number.value as i64)
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph, Scalar,
        functions::testing::bad_calls,
        ops::{BinaryShiftMode, Op},
    };

    #[test]
    fn types() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Uint8, [1, 3, 1, 32]).unwrap();
        let w = g.coefficient("w", Array::filled(Dtype::Int16, [1, 32, 32], 1.0).unwrap()).unwrap();
        let y = g.add_shift(w, x, -1, Dtype::Int16).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x32x32 int16");
        let y = g.mul_shift(Scalar::new(2.0, Dtype::Int8), x, 3, Dtype::Uint32).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x1x32 uint32");
        g.sub_shift(7, x, 0, Dtype::Int8).call().unwrap();
        g.sub_shift(x, 7, 0, Dtype::Int8).call().unwrap();
        let reversed: Vec<_> = g.operators()[1..]
            .iter()
            .map(|o| match &o.op {
                Op::BinaryConstShift(op) => (op.mode, op.scale, op.is_reverse),
                other => panic!("{}", other.name()),
            })
            .collect();
        let (mul, sub) = (BinaryShiftMode::Mul, BinaryShiftMode::Sub);
        assert_eq!(reversed, [(mul, 2, false), (sub, 7, true), (sub, 7, false)]);
    }

    #[test]
    fn mistakes_are_told() {
        bad_calls(
            "shift",
            &[
                r#"{"op": "add_shift", "args": {"tensor_i0": "x", "tensor_i1": "i", "shift": 0, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "add_shift", "args": {"tensor_i0": "i", "tensor_i1": 1.5, "shift": 0, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "add_shift", "args": {"tensor_i0": "i", "tensor_i1": 3000000000, "shift": 0, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "add_shift", "args": {"tensor_i0": 1, "tensor_i1": 2, "shift": 0, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "mul_shift", "args": {"tensor_i0": "i", "tensor_i1": 2, "shift": 64, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "sub_shift", "args": {"tensor_i0": "i", "tensor_i1": 2, "shift": 0, "out_dtype": "uint8"}, "out": "y"}"#,
                r#"{"op": "sub_shift", "args": {"tensor_i0": "i", "tensor_i1": 2}, "out": "y"}"#,
                r#"{"op": "sub_shift", "args": {"tensor_i0": "i", "tensor_i1": 2, "shift": 0, "out_dtype": "int8", "round_mode": "half_to_odd"}, "out": "y"}"#,
            ],
        );
    }
}
