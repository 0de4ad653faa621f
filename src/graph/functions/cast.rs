//! Conversions between number representations: `cast`, `requant_int`, `requant_fp`, `requant_fp_to_int`, `dequant_int`,
//! `dequant_int_to_fp`.
use super::{
    dtypes::{FLOATS, INTEGERS, NUMBERS},
    function,
    lowering::{Lowering, one_of},
};
use crate::{
    Operand, Tensor,
    base::{Dtype, OneOrMany, Result, argument},
    ops::{self, DequantMode, RequantMode},
    quant::RoundMode,
};

/// Dtypes of TpuLang tensors.
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
        "Any dtype." tensor_i: Operand,
        ;
        "The target dtype." out_dtype: Dtype = Dtype::Float32,
        "A rounding mode other than half_up and half_down." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    cast: "Converts to another dtype. Conversion to an integer rounds and saturates, also infinities; NaN becomes 0.",
        example |g, x, i| {
            let y = x.cast().out_dtype(Dtype::Float16).call()?;
            assert_eq!(y.dtype()?, Dtype::Float16);
        },
        => |args, to| args.lower(to);
}

function! {
    RequantInt -> Tensor {
        "An integer tensor, usually int32." tensor_i: Operand,
        "The multiplier: one value or one per index of rq_axis; in modes 0 and 1 a Q31 fraction." mul: OneOrMany<i64>,
        "Bits to shift to the left (negative: to the right): one value or one per multiplier." shift: OneOrMany<i64>,
        "The output's zero point." offset: OneOrMany<i64>,
        "0: TFLite with left shift, 1: TFLite, 2: multiplier and shift." requant_mode: i64,
        ;
        "int8, uint8, int16 or uint16." out_dtype: Dtype = Dtype::Int8,
        "Rounding mode of the shift." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        "The axis of lists." rq_axis: i64 = 1i64,
        "Allows the compiler to fuse it into the preceding matrix product." fuse_rq_to_matmul: bool = false,
    }
    requant_int: "Requantizes an integer accumulator: `saturate(round(x * mul * 2^shift) + offset)`.",
        example |g, x, i| {
            let w = Array::filled(Dtype::Int8, [4, 3, 1, 1], 1.0)?;
            let a = i.conv_int(w).input_zp(0).weight_zp(0).call()?;
            let y = a.requant_int(1 << 30, -30, 0, 2).call()?;
            assert_eq!(y.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to);
}

function! {
    RequantFp -> Tensor {
        "An integer tensor, usually int32, or a float tensor, which is rounded to integers first." tensor_i: Operand,
        "Multiplier, in float32; one value or one per index of axis 1." scale: OneOrMany<f64>,
        "Added to the product, in float32; one value or one per index of axis 1. The first, truncated to an integer, is the output's zero point." offset: OneOrMany<f64>,
        "int8, uint8, int16 or uint16." out_dtype: Dtype,
        ;
        "Rounding mode of the result." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
        "Rounding mode of a float input." first_round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    requant_fp: "Requantizes by a floating-point scale: `saturate(round(x * scale + offset))`.",
        example |g, x, i| {
            let w = Array::filled(Dtype::Int8, [4, 3, 1, 1], 1.0)?;
            let a = i.conv_int(w).input_zp(0).weight_zp(0).call()?;
            let y = a.requant_fp(0.078125, 0.0, Dtype::Int8).call()?;
            assert_eq!(y.dtype()?, Dtype::Int8);
        },
        => |args, to| args.lower(to);
}

function! {
    RequantFpToInt -> Tensor {
        "A float or integer tensor." tensor_i: Operand,
        "The output's scale: one value or one per index of axis 1 (or 0)." scale: OneOrMany<f64>,
        "The output's zero point: one value or one per scale." offset: OneOrMany<i64>,
        "0, 1 or 2; all have the same effect." requant_mode: i64,
        "int8, uint8, int16 or uint16." out_dtype: Dtype,
        ;
        "A rounding mode; with several scales other than half_up and half_down." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    requant_fp_to_int: "Quantizes: `saturate(round(x / scale) + offset)`.",
        example |g, x, i| {
            let y = x.requant_fp_to_int(0.5, 3, 0, Dtype::Int8).call()?;
            assert_eq!(y.info()?.type_text(), "1x3x8x8 int8 (scale 0.5, zero point 3)");
        },
        => |args, to| args.lower(to);
}

function! {
    DequantInt -> Tensor {
        "An integer tensor, usually quantized; its zero point is subtracted." tensor_i: Operand,
        "The multiplier: one value or one per index of axis 1; in mode 1 a Q31 fraction." mul: OneOrMany<i64>,
        "Bits to shift to the left (negative: to the right), one per multiplier." shift: OneOrMany<i64>,
        "The output's zero point. It is recorded in the output's type and not added to the values." offset: OneOrMany<i64>,
        "In mode 1, the bits by which the product is first shifted to the left." lshift: i64,
        "0: multiplier and shift, 1: TFLite." requant_mode: i64,
        ;
        "int8, uint8, int16 or uint16." out_dtype: Dtype = Dtype::Int8,
        "Rounding mode of the shift." round_mode: RoundMode = RoundMode::HalfUp,
    }
    dequant_int: "Widens quantized integers: `saturate(round((x - zero point of x) * mul * 2^shift))`; in mode 1 `(x - zero point of x) * mul * 2^(lshift - 31)` is rounded half up first.",
        example |g, x, i| {
            let x = x.requant_fp_to_int(0.5, 3, 0, Dtype::Int8).call()?;
            let y = x.dequant_int(3, -1, 0, 0, 0).out_dtype(Dtype::Int16).call()?;
            assert_eq!(y.dtype()?, Dtype::Int16);
        },
        => |args, to| args.lower(to);
}

function! {
    DequantIntToFp -> Tensor {
        "int8, uint8, int16 or uint16." tensor_i: Operand,
        "The input's scale: one value or one per index of axis 1 (or 0)." scale: OneOrMany<f64>,
        "The input's zero point, an integer: one value or one per scale." offset: OneOrMany<f64>,
        ;
        "float32 or float16." out_dtype: Dtype = Dtype::Float32,
        "A rounding mode that the operator records; for float16 other than half_up and half_down." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    dequant_int_to_fp: "Dequantizes: `(x - offset) * scale`.",
        example |g, x, i| {
            let y = i.dequant_int_to_fp(0.5, 3.0).call()?;
            assert_eq!(y.dtype()?, Dtype::Float32);
        },
        => |args, to| args.lower(to);
}

impl Cast {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = one_of("out_dtype", self.out_dtype(), TENSORS)?;
        let round_mode = self.round_mode();
        no_halves("cast", round_mode)?;
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
        bits("shift", &shift)?;
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

impl RequantFp {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("tensor_i", &self.tensor_i, NUMBERS)?;
        let dtype = one_of("out_dtype", self.out_dtype, QUANTIZABLE)?;
        finite("scale", &self.scale)?;
        finite("offset", &self.offset)?;
        let (mut scale, mut offset) = (self.scale.to_vec(), self.offset.to_vec());
        let zero_point = offset.first().map_or(0, |o| o.trunc() as i64);
        // The op takes lists of equal length.
        match (scale.as_slice(), offset.as_slice()) {
            (_, [one]) => offset = vec![*one; scale.len()],
            ([one], _) => scale = vec![*one; offset.len()],
            _ => {}
        }
        // The op has neither mode: half_up(x) = down(x + 0.5), half_down(x) = up(x - 0.5).
        let (round_mode, half) = match self.round_mode() {
            RoundMode::HalfUp => (RoundMode::Down, 0.5),
            RoundMode::HalfDown => (RoundMode::Up, -0.5),
            other => (other, 0.0),
        };
        offset.iter_mut().for_each(|o| *o += half);
        let input = to.tensor(&self.tensor_i)?;
        let outputs = to.emit_as(
            ops::RequantFp {
                round_mode,
                first_round_mode: self.first_round_mode(),
                ..ops::RequantFp::new(input, offset, RequantMode::MultiplierShift, scale)
            },
            dtype,
        )?;
        to.quantize_tensor(outputs[0], None, Some(zero_point.into()))?;
        Ok(outputs)
    }
}

impl RequantFpToInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("tensor_i", &self.tensor_i, NUMBERS)?;
        if ![0, 1, 2].contains(&self.requant_mode) {
            return Err(argument("requant_mode", self.requant_mode, "expected 0, 1 or 2"));
        }
        let dtype = one_of("out_dtype", self.out_dtype, QUANTIZABLE)?;
        let round_mode = self.round_mode();
        if self.scale.to_vec().len() > 1 {
            no_halves("requant_fp_to_int with several scales", round_mode)?;
        }
        let outputs = to.emit_as(ops::Cast { round_mode, ..ops::Cast::new(to.tensor(&self.tensor_i)?) }, dtype)?;
        to.quantize_tensor(outputs[0], Some(self.scale.clone()), Some(self.offset.clone()))?;
        Ok(outputs)
    }
}

impl DequantInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("tensor_i", &self.tensor_i, INTEGERS)?;
        let mode = match self.requant_mode {
            0 => DequantMode::Normal,
            1 => DequantMode::TFLite,
            other => return Err(argument("requant_mode", other, "expected 0 (Normal) or 1 (TFLite)")),
        };
        let dtype = one_of("out_dtype", self.out_dtype(), QUANTIZABLE)?;
        let shift = self.shift.to_vec();
        bits("shift", &shift)?;
        bits("lshift", &[self.lshift])?;
        let op = ops::DequantInt {
            lshift: self.lshift,
            round_mode: self.round_mode(),
            ..ops::DequantInt::new(to.tensor(&self.tensor_i)?, self.mul.to_vec(), mode, shift)
        };
        let outputs = to.emit_as(op, dtype)?;
        to.quantize_tensor(outputs[0], None, Some(self.offset.clone()))?;
        Ok(outputs)
    }
}

impl DequantIntToFp {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("tensor_i", &self.tensor_i, QUANTIZABLE)?;
        let (dtype, round_mode) = (one_of("out_dtype", self.out_dtype(), FLOATS)?, self.round_mode());
        if dtype == Dtype::Float16 {
            no_halves("dequant_int_to_fp to float16", round_mode)?;
        }
        let whole = |o: &f64| match o.fract() == 0.0 {
            true => Ok(*o as i64),
            false => Err(argument("offset", o, "expected integers")),
        };
        let offset = match &self.offset {
            OneOrMany::One(o) => OneOrMany::One(whole(o)?),
            OneOrMany::Many(all) => OneOrMany::Many(all.iter().map(whole).collect::<Result<_>>()?),
        };
        to.quantize(&self.tensor_i, Some(self.scale.clone()), Some(offset))?;
        to.emit_as(ops::Cast { round_mode, ..ops::Cast::new(to.tensor(&self.tensor_i)?) }, dtype)
    }
}

fn no_halves(what: &str, round_mode: RoundMode) -> Result<()> {
    if [RoundMode::HalfUp, RoundMode::HalfDown].contains(&round_mode) {
        let expected = format!("{what} takes half_away_from_zero, half_to_even, towards_zero, up or down");
        return Err(argument("round_mode", round_mode.name(), expected));
    }
    Ok(())
}

fn finite(name: &str, values: &OneOrMany<f64>) -> Result<()> {
    match values.to_vec().into_iter().find(|v| !v.is_finite()) {
        Some(v) => Err(argument(name, v, "expected finite numbers")),
        None => Ok(()),
    }
}

/// Checks shifts. A shift by more bits than a product of two 32-bit values has must be a mistake.
fn bits(name: &str, shift: &[i64]) -> Result<()> {
    match shift.iter().find(|s| !(-62..=62).contains(*s)) {
        Some(s) => Err(argument(name, s, "expected -62 to 62 bits")),
        None => Ok(()),
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
    fn quantization_is_set_or_agrees() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float16, [1, 3, 4]).unwrap();
        let q = g.requant_fp_to_int(x, vec![0.5, 0.25, 2.0], vec![0, 1, 2], 0, Dtype::Int16).call().unwrap();
        assert_eq!(g.tensor(q).unwrap().quantization.as_ref().unwrap().values(), (vec![0.5, 0.25, 2.0], vec![0, 1, 2]));
        let y = g.dequant_int_to_fp(q, vec![0.5, 0.25, 2.0], vec![0.0, 1.0, 2.0]).out_dtype(Dtype::Float16).call();
        assert_eq!(g.tensor(y.unwrap()).unwrap().type_text(), "1x3x4 float16");
        assert_eq!(
            first(g.dequant_int_to_fp(q, 0.5, 0.0).call().unwrap_err()),
            "dequant_int_to_fp (ops[2]): quantization of \"requant_fp_to_int_0\": scale 0.5, zero point 0 is given, but scale [0.5, 0.25, 2.0], zero point [0, 1, 2] was set before"
        );
        let i = g.input("i", Dtype::Int32, [1, 3, 4]).unwrap();
        let y = g.requant_fp(i, 0.5, -2.7, Dtype::Int8).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x4 int8 (zero point -2)");
        let y = g.dequant_int(q, vec![1, 2, 3], vec![-1, 0, 1], 4, 0, 1).out_dtype(Dtype::Uint16).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "1x3x4 uint16 (zero point 4)");
    }

    /// TpuLang emits these modes as other modes with an adjusted offset.
    #[test]
    fn requant_fp_has_no_half_up_and_half_down() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [4]).unwrap();
        for mode in [RoundMode::HalfUp, RoundMode::HalfDown, RoundMode::HalfToEven] {
            g.requant_fp(x, 0.5, 1.0, Dtype::Int8).round_mode(mode).call().unwrap();
        }
        let written: Vec<_> = g
            .operators()
            .iter()
            .map(|o| match &o.op {
                Op::RequantFp(op) => (op.round_mode, op.offset[0]),
                other => panic!("{}", other.name()),
            })
            .collect();
        assert_eq!(written, [(RoundMode::Down, 1.5), (RoundMode::Up, 0.5), (RoundMode::HalfToEven, 1.0)]);
    }

    #[test]
    fn requant_fp_takes_one_value_for_all_channels() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [1, 3, 4]).unwrap();
        g.requant_fp(x, vec![0.5, 0.25, 2.0], 1.0, Dtype::Int8).call().unwrap();
        g.requant_fp(x, 0.5, vec![1.0, 2.0, 3.0], Dtype::Int8).round_mode(RoundMode::HalfUp).call().unwrap();
        let lists = |o: &crate::Operator| match &o.op {
            Op::RequantFp(op) => (op.scale.clone(), op.offset.clone()),
            other => panic!("{}", other.name()),
        };
        let emitted: Vec<_> = g.operators().iter().map(lists).collect();
        assert_eq!(emitted[0], (vec![0.5, 0.25, 2.0], vec![1.0; 3]));
        assert_eq!(emitted[1], (vec![0.5; 3], vec![1.5, 2.5, 3.5]));
    }

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
            "requant_int (ops[1]): 2 multipliers and 1 shift; expected one each, or 3 each, one for each index of axis 1"
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
                r#"{"op": "requant_fp", "args": {"tensor_i": "i", "scale": [1, 2, 3], "offset": [0, 1], "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "requant_fp", "args": {"tensor_i": "i", "scale": 1, "offset": 0, "out_dtype": "int32"}, "out": "y"}"#,
                r#"{"op": "requant_fp", "args": {"tensor_i": "i", "scale": 1, "offset": 200, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "requant_fp_to_int", "args": {"tensor_i": "x", "scale": [1, 2], "offset": 0, "requant_mode": 0, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "requant_fp_to_int", "args": {"tensor_i": "x", "scale": [1, 2, 3], "offset": 0, "requant_mode": 0, "out_dtype": "int8", "round_mode": "half_up"}, "out": "y"}"#,
                r#"{"op": "requant_fp_to_int", "args": {"tensor_i": "x", "scale": 0, "offset": 0, "requant_mode": 0, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "requant_fp_to_int", "args": {"tensor_i": "x", "scale": 1, "offset": 0, "requant_mode": 3, "out_dtype": "int8"}, "out": "y"}"#,
                r#"{"op": "dequant_int", "args": {"tensor_i": "x", "mul": 1, "shift": 0, "offset": 0, "lshift": 0, "requant_mode": 0}, "out": "y"}"#,
                r#"{"op": "dequant_int", "args": {"tensor_i": "i", "mul": [1, 2, 3], "shift": 0, "offset": 0, "lshift": 0, "requant_mode": 0}, "out": "y"}"#,
                r#"{"op": "dequant_int", "args": {"tensor_i": "i", "mul": 1, "shift": 0, "offset": 0, "lshift": 0, "requant_mode": 2}, "out": "y"}"#,
                r#"{"op": "dequant_int", "args": {"tensor_i": "i", "mul": 1, "shift": 0, "offset": 0, "lshift": 0, "requant_mode": 1, "out_dtype": "int32"}, "out": "y"}"#,
                r#"{"op": "dequant_int_to_fp", "args": {"tensor_i": "x", "scale": 1, "offset": 0}, "out": "y"}"#,
                r#"{"op": "dequant_int_to_fp", "args": {"tensor_i": "i", "scale": 1, "offset": 0.5}, "out": "y"}"#,
                r#"{"op": "dequant_int_to_fp", "args": {"tensor_i": "i", "scale": 1, "offset": 0, "out_dtype": "float16", "round_mode": "half_down"}, "out": "y"}"#,
            ],
        );
    }
}
