//! Changes of number representation: `cast`, `requant_int`.
use super::{activation::round_mode, function, shape::Inference};
use crate::graph::{Cause, Dtype, Lowering, OneOrMany, Operand, Result, Shape, Tensor, argument, invalid};

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
const INTEGERS: &[Dtype] = &[Dtype::Int32, Dtype::Uint32, Dtype::Int16, Dtype::Uint16, Dtype::Int8, Dtype::Uint8];
const QUANT_MODES: [&str; 3] = ["TFLite_LShift", "TFLite", "MultiplierShift"];

function! {
    "Conversion to another dtype; to an integer rounds and saturates.";
    example "let y = g.cast(x).out_dtype(Dtype::Float16).call()?;\nassert_eq!(g.tensor(y)?.dtype, Dtype::Float16);";
    cast => CastFn -> Tensor {
        "Of any dtype." tensor_i: Operand,
        ;
        "The dtype to convert to." out_dtype: Dtype = Dtype::Float32,
        "half_away_from_zero, half_to_even, towards_zero, up or down." round_mode: String = "half_away_from_zero",
    }
}

function! {
    "Requantizes an integer accumulator: `saturate(round(x * mul * 2^shift) + offset)`.";
    example "let w = Array::filled(Dtype::Int8, [4, 3, 1, 1], 1.0)?;\nlet a = g.conv_int(i, w).input_zp(0).weight_zp(0).call()?;\nlet y = g.requant_int(a, 1 << 30, -30, 0, 2).call()?;\nassert_eq!(g.tensor(y)?.dtype, Dtype::Int8);";
    requant_int => RequantInt -> Tensor {
        "An integer tensor, as a rule int32." tensor_i: Operand,
        "The multiplier, one or one for each index of rq_axis; in modes 0 and 1 a Q31 fraction." mul: OneOrMany<i64>,
        "Bits to shift to the left (negative: to the right), one or one for each index of rq_axis." shift: OneOrMany<i64>,
        "The output's zero point." offset: OneOrMany<i64>,
        "0: TFLite with left shift, 1: TFLite, 2: multiplier and shift." requant_mode: i64,
        ;
        "int8, uint8, int16 or uint16." out_dtype: Dtype = Dtype::Int8,
        "half_away_from_zero, half_up, half_down, half_to_even, towards_zero, up or down." round_mode: String = "half_away_from_zero",
        "The axis of lists." rq_axis: i64 = 1i64,
        "Lets the compiler fuse it with the matrix product before it." fuse_rq_to_matmul: bool = false,
    }
}

impl CastFn {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = self.out_dtype();
        if !TENSORS.contains(&dtype) {
            return Err(Cause::Dtype { argument: "out_dtype".into(), found: dtype, allowed: TENSORS.to_vec() }.into());
        }
        let mode = self.round_mode();
        if ["half_up", "half_down"].contains(&mode.as_str()) {
            return Err(argument(
                "round_mode",
                format!("{mode:?}"),
                "cast takes half_away_from_zero, half_to_even, towards_zero, up or down",
            ));
        }
        let attributes = [("round_mode", round_mode("round_mode", &mode)?), ("to", dtype.cast_name().into())];
        to.emit("Cast", &[Some(&self.tensor_i)], attributes, dtype)
    }
}

impl RequantInt {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("tensor_i", &self.tensor_i, INTEGERS)?;
        let mode = usize::try_from(self.requant_mode).ok().and_then(|m| QUANT_MODES.get(m));
        let mode = *mode.ok_or_else(|| {
            argument("requant_mode", self.requant_mode, "expected 0 (TFLite_LShift), 1 (TFLite) or 2 (MultiplierShift)")
        })?;
        let dtype = self.out_dtype();
        if !dtype.is_quantizable() {
            let allowed = vec![Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16];
            return Err(Cause::Dtype { argument: "out_dtype".into(), found: dtype, allowed }.into());
        }
        let shift = self.shift.to_vec();
        if let Some(s) = shift.iter().find(|s| !(-62..=62).contains(*s)) {
            return Err(argument("shift", s, "expected -62 to 62 bits"));
        }
        let attributes = [
            ("multiplier", self.mul.to_vec().into()),
            ("rshift", shift.iter().map(|s| -s).collect::<Vec<_>>().into()),
            ("quant_mode", mode.into()),
            ("round_mode", round_mode("round_mode", &self.round_mode())?),
            ("rq_axis", self.rq_axis().into()),
            ("fuse_rq", self.fuse_rq_to_matmul().into()),
        ];
        let outputs = to.emit("RequantInt", &[Some(&self.tensor_i)], attributes, dtype)?;
        to.quantize_tensor(outputs[0], None, Some(self.offset.clone()))?;
        Ok(outputs)
    }
}

/// Result shape = input shape; lists have one element for each index of the axis.
pub(super) fn requant_shape(of: &Inference) -> Result<Vec<Shape>> {
    let shape = of.shape(0)?;
    let axis = of.axis("rq_axis", shape.len())?;
    let (mul, shift) = (of.attributes.ints("multiplier").len(), of.attributes.ints("rshift").len());
    if mul != shift || (mul != 1 && mul != shape[axis]) {
        return Err(invalid(format!(
            "{mul} multipliers and {shift} shifts; expected one each, or {} each, one for each index of axis {axis}",
            shape[axis]
        )));
    }
    Ok(vec![shape.to_vec()])
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Dtype, Graph};

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [2, 3, 4]).unwrap();
        let f = g.input("f", Dtype::Float32, [2, 3]).unwrap();
        let y = g.requant_int(x, vec![1, 2, 3], vec![-1, -2, -3], 5, 2).out_dtype(Dtype::Uint8).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3x4 uint8 (zero point 5)");
        assert_eq!(g.operators()[0].attributes.ints("rshift"), [1, 2, 3]);
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
            first(g.cast(f).round_mode("half_up").call().unwrap_err()),
            "cast (ops[1]): round_mode is \"half_up\"; cast takes half_away_from_zero, half_to_even, towards_zero, up or down"
        );
    }
}
