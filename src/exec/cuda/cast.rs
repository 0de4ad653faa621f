//! Casts between dtypes and between scales.
use super::formula::{Formula, Input, PostOp};
use crate::{
    exec::{Operand, ValueType, semantics::zero_points},
    ops::{Cast, DequantInt, DequantMode, DequantizeLinear, QuantizeLinear, RequantFp, RequantInt, RequantMode},
    quant::RoundMode,
};

pub(super) const FIXED_POINT: &str = include_str!("fixed_point.cuh");

pub(super) fn cast(op: &Cast<Operand>, result: &ValueType) -> Formula {
    let input = Input::of(&op.input);
    if op.input.ty.is_plain_int() && result.is_plain_int() {
        return Formula::whole(vec![input], "x");
    }
    Formula::copy(input).post_op(PostOp::round(op.round_mode))
}

/// Whether a mode is one of TFLite's, or `None` if the tool chain's executor does not support it.
fn is_tflite(mode: RequantMode) -> Option<bool> {
    match mode {
        RequantMode::TFLite | RequantMode::TFLiteLShift => Some(true),
        RequantMode::MultiplierShift => Some(false),
        RequantMode::OnlyShift | RequantMode::QDM | RequantMode::OnlyScale => None,
    }
}

/// One value per channel of the input.
fn channels(list: &[i64], input: &Operand, axis: i64) -> Input {
    Input::of_axis(list, &input.ty.shape, axis)
}

pub(super) fn requant_int(op: &RequantInt<Operand>, result: &ValueType) -> Option<Formula> {
    let (mode, axis, x) = (op.round_mode as i32, op.rq_axis, &op.input);
    let expression = match is_tflite(op.quant_mode)? {
        true => format!("saturating_add(tflite(saturating_sub(x, (i64)k0), y, saturating_neg(z), {mode}), x3)"),
        false => format!("saturating_add(multiplier_shift(saturating_sub(x, (i64)k0), y, z, {mode}), x3)"),
    };
    let lists = [&op.multiplier, &op.rshift, &zero_points(result)].map(|list| channels(list, x, axis));
    let inputs = [vec![Input::of(x)], lists.to_vec()].concat();
    Some(Formula::whole(inputs, expression).numbers([zero_points(&x.ty)[0] as f64]).with(FIXED_POINT))
}

/// Computed in float32, like the tool chain's executor.
pub(super) fn requant_fp(op: &RequantFp<Operand>, result: &ValueType) -> Option<Formula> {
    let (x, mode) = (&op.input, op.round_mode as i32);
    let is_float = x.ty.dtype.is_float();
    let whole = match is_float {
        true => format!("to_int(rounded(x, {}))", op.first_round_mode as i32),
        false => "x".to_owned(),
    };
    let input = if is_float { Input::of(x).in_reals() } else { Input::of(x) };
    let scale = Input::of_axis(&op.scale, &x.ty.shape, 1);
    let scaled = |offset: &str| format!("to_int(rounded((float)({whole}) * (float)y{offset}, {mode}))");
    let (last, expression) = match is_tflite(op.quant_mode)? {
        true => (channels(&zero_points(result), x, 1), format!("saturating_add({}, z)", scaled(""))),
        false => (Input::of_axis(&op.offset, &x.ty.shape, 1), scaled(" + (float)z")),
    };
    Some(Formula::whole(vec![input, scale, last], expression))
}

pub(super) fn dequant_int(op: &DequantInt<Operand>) -> Formula {
    let (x, mode) = (&op.input, op.round_mode as i32);
    let expression = match op.quant_mode {
        DequantMode::Normal => format!("multiplier_shift(saturating_sub(x, x3), y, saturating_neg(z), {mode})"),
        DequantMode::TFLite => format!("tflite_wider(saturating_sub(x, x3), y, {}, z, {mode})", literal(op.lshift)),
    };
    let lists = [&op.multiplier, &op.shift, &zero_points(&x.ty)].map(|list| channels(list, x, 1));
    Formula::whole([vec![Input::of(x)], lists.to_vec()].concat(), expression).with(FIXED_POINT)
}

/// Formats an integer in CUDA C, which has no literal for the smallest one.
pub(super) fn literal(i: i64) -> String {
    if i == i64::MIN { "Range<i64>::low".into() } else { format!("((i64){i}ll)") }
}

/// Rounds halves to even, like ONNX.
pub(super) fn quantize_linear(op: &QuantizeLinear<Operand>) -> Formula {
    let (x, mode) = (&op.input, RoundMode::HalfToEven as i32);
    let (scale, zero) = (Input::of_axis(&op.y_scale, &x.ty.shape, op.axis), channels(&op.y_zero_point, x, op.axis));
    let expression = format!("saturating_add(to_int(rounded(x / (float)y, {mode})), z)");
    Formula::whole(vec![Input::of(x).in_reals(), scale, zero], expression)
}

pub(super) fn dequantize_linear(op: &DequantizeLinear<Operand>) -> Formula {
    let x = &op.input;
    let (scale, zero) = (Input::of_axis(&op.x_scale, &x.ty.shape, op.axis), channels(&op.x_zero_point, x, op.axis));
    Formula::real(vec![Input::of(x).in_integers(), scale, zero], "(float)((double)saturating_sub(x, z) * y)")
}

/// Rounds float32 to float16's values: to 11 bits, halves to even. Values beyond 65504 become infinite.
const HALF: &str = "
__device__ inline float as_half(float x) {
    const float size = fabs(x);
    if (!(size < INFINITY) || size == 0) return x;
    if (size >= 65520.0f) return x > 0 ? INFINITY : -INFINITY;
    int exponent;
    frexp(size, &exponent);
    const int unit = (exponent > -13 ? exponent : -13) - 11;
    const float of_units = ldexp(size, -unit);
    const float even = (float)rounded(of_units, HALF_TO_EVEN);
    return copysign(ldexp(even, unit), x);
}
";

pub(super) fn dtype_cast(input: &Operand) -> Formula {
    Formula::real(vec![Input::of(input)], "as_half(x)").with(HALF)
}
