//! Changes of number representation: `cast`, `requant_int`.
use super::{
    dtypes::INTEGERS,
    function,
    lowering::{Lowering, one_of},
};
use crate::{
    base::{Dtype, OneOrMany, Result, argument},
    graph::{Operand, Tensor},
    ops::{self, RequantMode},
    quant::RoundMode,
};

/// What TpuLang tensors can be.
const TENSORS: &[Dtype] = &[
    Dtype::Float32,
    Dtype::Float16,
    Dtype::Fp8e4m3,
    Dtype::Fp8e5m2,
    Dtype::Int32,
    Dtype::Uint32,
    Dtype::Int16,
    Dtype::Uint16,
    Dtype::Int8,
    Dtype::Uint8,
];
const QUANTIZABLE: &[Dtype] = &[Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16];

function! {
    Cast -> Tensor {
        "Of any dtype." tensor_i: Operand,
        ;
        "The dtype to convert to." out_dtype: Dtype = Dtype::Float32,
        "How fractions are rounded: all but half_up and half_down." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    cast: "Conversion to another dtype; to an integer rounds and saturates (infinities too), and NaN becomes 0.",
        example |g, x, i| {
            let y = g.cast(x).out_dtype(Dtype::Float16).call()?;
            assert_eq!(g.tensor(y)?.dtype, Dtype::Float16);
        },
        => |args, to| args.lower(to);
}

function! {
    RequantInt -> Tensor {
        "An integer tensor, as a rule int32." tensor_i: Operand,
        "The multiplier, one or one for each index of rq_axis; in modes 0 and 1 a Q31 fraction." mul: OneOrMany<i64>,
        "Bits to shift to the left (negative: to the right), one or one for each index of rq_axis." shift: OneOrMany<i64>,
        "The output's zero point." offset: OneOrMany<i64>,
        "0: TFLite with left shift, 1: TFLite, 2: multiplier and shift." requant_mode: i64,
        ;
        "int8, uint8, int16 or uint16." out_dtype: Dtype = Dtype::Int8,
        "How what is shifted out is rounded." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        "The axis of lists." rq_axis: i64 = 1i64,
        "Lets the compiler fuse it with the matrix product before it." fuse_rq_to_matmul: bool = false,
    }
    requant_int: "Requantizes an integer accumulator: `saturate(round(x * mul * 2^shift) + offset)`.",
        example |g, x, i| {
            let w = Array::filled(Dtype::Int8, [4, 3, 1, 1], 1.0)?;
            let a = g.conv_int(i, w).input_zp(0).weight_zp(0).call()?;
            let y = g.requant_int(a, 1 << 30, -30, 0, 2).call()?;
            assert_eq!(g.tensor(y)?.dtype, Dtype::Int8);
        },
        => |args, to| args.lower(to);
}

impl Cast {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = one_of("out_dtype", self.out_dtype(), TENSORS)?;
        let round_mode = self.round_mode();
        if [RoundMode::HalfUp, RoundMode::HalfDown].contains(&round_mode) {
            let expected = "cast takes half_away_from_zero, half_to_even, towards_zero, up or down";
            return Err(argument("round_mode", round_mode.name(), expected));
        }
        let op = ops::Cast::new(to.tensor(&self.tensor_i)?);
        to.emit(ops::Cast { to: dtype.cast_name().to_owned(), round_mode, ..op })
    }
}

impl RequantInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("tensor_i", &self.tensor_i, INTEGERS)?;
        let mode = match self.requant_mode {
            0 => RequantMode::TFLiteLShift,
            1 => RequantMode::TFLite,
            2 => RequantMode::MultiplierShift,
            other => {
                let expected = "expected 0 (TFLite_LShift), 1 (TFLite) or 2 (MultiplierShift)";
                return Err(argument("requant_mode", other, expected));
            }
        };
        let dtype = one_of("out_dtype", self.out_dtype(), QUANTIZABLE)?;
        let shift = self.shift.to_vec();
        if let Some(s) = shift.iter().find(|s| !(-62..=62).contains(*s)) {
            return Err(argument("shift", s, "expected -62 to 62 bits"));
        }
        let rshift = shift.iter().map(|s| -s).collect();
        let op = ops::RequantInt {
            round_mode: self.round_mode(),
            rq_axis: self.rq_axis(),
            fuse_rq: self.fuse_rq_to_matmul(),
            ..ops::RequantInt::new(to.tensor(&self.tensor_i)?, self.mul.to_vec(), rshift, mode)
        };
        let outputs = to.emit_as(op, dtype)?;
        to.quantize_tensor(outputs[0], None, Some(self.offset.clone()))?;
        Ok(outputs)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
        ops::Op,
        quant::RoundMode,
    };

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [2, 3, 4]).unwrap();
        let f = g.input("f", Dtype::Float32, [2, 3]).unwrap();
        let y = g.requant_int(x, vec![1, 2, 3], vec![-1, -2, -3], 5, 2).out_dtype(Dtype::Uint8).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3x4 uint8 (zero point 5)");
        assert!(matches!(&g.operators()[0].op, Op::RequantInt(op) if op.rshift == [1, 2, 3]));
        assert_eq!(
            first(g.requant_int(x, vec![1, 2], -1, 0, 2).call().unwrap_err()),
            "requant_int (ops[1]): 2 multipliers and 1 shifts; expected one each, or 3 each, one for each index of axis 1"
        );
        assert_eq!(
            first(g.requant_int(x, 1, -1, 0, 3).call().unwrap_err()),
            "requant_int (ops[1]): requant_mode is 3; expected 0 (TFLite_LShift), 1 (TFLite) or 2 (MultiplierShift)"
        );
        assert_eq!(
            first(g.requant_int(f, 1, -1, 0, 0).call().unwrap_err()),
            "requant_int (ops[1]): tensor_i is float32; expected int32, uint32, int16, uint16, int8 or uint8"
        );
        assert_eq!(
            first(g.cast(f).round_mode(RoundMode::HalfUp).call().unwrap_err()),
            "cast (ops[1]): round_mode is HalfUp; cast takes half_away_from_zero, half_to_even, towards_zero, up or down"
        );
        bad_calls(
            "cast",
            &[
                r#"{"op": "cast", "args": {"tensor_i": "x", "out_dtype": "int9"}, "out": "y"}"#,
                r#"{"op": "requant_int", "args": {"tensor_i": "i", "mul": [1, 2], "shift": [1, 2], "offset": 0, "requant_mode": 2}, "out": "y"}"#,
                r#"{"op": "requant_int", "args": {"tensor_i": "i", "mul": 1, "shift": 99, "offset": 0, "requant_mode": 2}, "out": "y"}"#,
            ],
        );
    }
}
