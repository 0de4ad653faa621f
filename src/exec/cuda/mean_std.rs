//! Normalization of images for a quantized network.
use super::{
    cast::FIXED_POINT,
    formula::{Formula, Input},
};
use crate::{
    exec::{Operand, ValueType, semantics},
    ops::MeanStdScale,
};

/// Maps 8-bit integers to 8-bit integers by fixed-point arithmetic, and floats to 8-bit integers with a single rounding.
/// Real results are computed in float64.
pub(super) fn mean_std_scale(op: &MeanStdScale<Operand>, result: &ValueType) -> Formula {
    let (x, mode) = (&op.input, op.rounding_mode as i32);
    let shape = &x.ty.shape;
    let channels = |list: &[f64]| Input::of_axis(list, shape, 1);
    if result.dtype.is_float() {
        let inputs = vec![Input::of(x).in_doubles(), channels(&op.mean), channels(&op.std)];
        return Formula::double(inputs, "(x - y) / z");
    }
    if x.ty.dtype.is_float() {
        let (factors, zero) = semantics::rounded_factors(op);
        let scaled = "(float)((double)(x - (float)y) * z)";
        let inputs = vec![Input::of(x).in_reals(), channels(&op.mean), channels(&factors)];
        let expression = format!("saturating_add(to_int(rounded({scaled}, {mode})), {})", super::cast::literal(zero));
        return Formula::whole(inputs, expression);
    }
    let factors = semantics::fixed_point_factors(op);
    let list = |of: fn(&(i64, i64, i64)) -> i64| Input::of_axis(&factors.iter().map(of).collect::<Vec<_>>(), shape, 1);
    let inputs = vec![Input::of(x), list(|f| f.0), list(|f| f.2), list(|f| f.1)];
    Formula::whole(inputs, format!("shift_rounding((i128)x * y + z, saturating_neg(x3), {mode})")).with(FIXED_POINT)
}
