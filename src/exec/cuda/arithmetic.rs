//! Arithmetic with tensors and with numbers.
use super::formula::{Formula, Input, PostOp, name, relu_limit};
use crate::{
    exec::{
        Operand,
        semantics::{self, integer_coefficients},
    },
    ops::{Add, AddConst, Div, DivConst, MaxConst, MinConst, Mul, MulConst, Reciprocal, Sub, SubConst},
};

/// Quotients and remainders within 64 bits.
const INTEGERS: &str = "
// What has no result, or none within 64 bits, is 0.
__device__ inline i64 div_or_zero(i64 x, i64 y) { return y == 0 || (x == Range<i64>::low && y == -1) ? 0 : x / y; }
__device__ inline i64 rem_or_zero(i64 x, i64 y) { return y == 0 || y == -1 ? 0 : x % y; }
// With the sign of the divisor.
template <class R> __device__ inline R floor_rem(R rest, R y) { return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest; }
";

/// Combines any number of tensors from left to right. `real` and `whole` combine `x` and `y`; the coefficients scale the
/// operands.
fn tensors(
    inputs: &[Operand],
    coeff: Option<&[f64]>,
    post_op: PostOp,
    [real, whole]: [fn(&str, &str) -> String; 2],
) -> Formula {
    let coeff: &[f64] = coeff.unwrap_or_default();
    let numbers: Vec<f64> = coeff.iter().take(inputs.len()).copied().collect();
    let scaled = |i: usize| match numbers.get(i) {
        Some(c) if *c != 1.0 => format!("({} * k{i})", name(i)),
        _ => name(i),
    };
    let fold = |f: fn(&str, &str) -> String, of: &dyn Fn(usize) -> String| {
        (1..inputs.len()).fold(of(0), |all, i| f(&all, &of(i)))
    };
    let integers = integer_coefficients(coeff);
    let scaled_integer = |i: usize| match integers.iter().flatten().nth(i) {
        Some(c) if *c != 1 => format!("saturating_mul({}, {c})", name(i)),
        _ => name(i),
    };
    let (real, whole) = (fold(real, &scaled), fold(whole, &scaled_integer));
    let are_real = integers.is_none() && inputs.iter().all(|i| i.ty.is_plain_int());
    let inputs = inputs.iter().map(Input::of).collect();
    let formula = if are_real { Formula::real(inputs, real) } else { Formula::arithmetic(inputs, real, whole) };
    formula.numbers(numbers).post_op(post_op).with(INTEGERS)
}

pub(super) fn add(op: &Add<Operand>) -> Formula {
    let post_op = PostOp::relu(op.do_relu, op.relu_limit);
    tensors(
        &op.inputs,
        op.coeff.as_deref(),
        post_op,
        [|x, y| format!("({x} + {y})"), |x, y| format!("saturating_add({x}, {y})")],
    )
}

pub(super) fn sub(op: &Sub<Operand>) -> Formula {
    let post_op = PostOp::relu(op.do_relu, op.relu_limit);
    let forms: [fn(&str, &str) -> String; 2] = match op.is_reverse {
        true => [|x, y| format!("({y} - {x})"), |x, y| format!("saturating_sub({y}, {x})")],
        false => [|x, y| format!("({x} - {y})"), |x, y| format!("saturating_sub({x}, {y})")],
    };
    tensors(&op.inputs, op.coeff.as_deref(), post_op, forms)
}

pub(super) fn mul(op: &Mul<Operand>) -> Formula {
    let post_op = PostOp::relu(op.do_relu, op.relu_limit);
    tensors(&op.inputs, None, post_op, [|x, y| format!("({x} * {y})"), |x, y| format!("saturating_mul({x}, {y})")])
}

pub(super) fn div(op: &Div<Operand>) -> Formula {
    let post_op = PostOp::relu(op.do_relu, op.relu_limit);
    let forms: [fn(&str, &str) -> String; 2] = match op.is_reverse {
        true => [|x, y| format!("({y} / {x})"), |x, y| format!("div_or_zero({y}, {x})")],
        false => [|x, y| format!("({x} / {y})"), |x, y| format!("div_or_zero({x}, {y})")],
    };
    tensors(&op.inputs, None, post_op, forms)
}

/// A failed comparison keeps the first operand, even if it is NaN.
pub(super) fn max(inputs: &[Operand]) -> Formula {
    let form: fn(&str, &str) -> String = |x, y| format!("max_of({x}, {y})");
    tensors(inputs, None, PostOp::default(), [form, form]).with(EXTREMA)
}

pub(super) fn min(inputs: &[Operand]) -> Formula {
    let form: fn(&str, &str) -> String = |x, y| format!("min_of({x}, {y})");
    tensors(inputs, None, PostOp::default(), [form, form]).with(EXTREMA)
}

const EXTREMA: &str = "
template <class R> __device__ inline R max_of(R x, R y) { return x < y || y != y ? y : x; }
template <class R> __device__ inline R min_of(R x, R y) { return y < x || y != y ? y : x; }
";

pub(super) fn modulo(inputs: &[Operand]) -> Formula {
    tensors(
        inputs,
        None,
        PostOp::default(),
        [|x, y| format!("fmod({x}, {y})"), |x, y| format!("rem_or_zero({x}, {y})")],
    )
}

pub(super) fn remainder(inputs: &[Operand]) -> Formula {
    let real: fn(&str, &str) -> String = |x, y| format!("floor_rem<R>(fmod({x}, {y}), {y})");
    tensors(inputs, None, PostOp::default(), [real, |x, y| format!("floor_rem<R>(rem_or_zero({x}, {y}), {y})")])
}

pub(super) fn pow3(inputs: &[Operand]) -> Formula {
    let whole: fn(&str, &str) -> String =
        |x, y| format!("to_int(rounded(pow((double){x}, (double){y}), AWAY_FROM_ZERO))");
    tensors(inputs, None, PostOp::default(), [|x, y| format!("pow({x}, {y})"), whole])
}

pub(super) fn reciprocal(op: &Reciprocal<Operand>) -> Formula {
    let expression = if op.do_relu { "relu((R)(k0 / x), (R)k1)" } else { "k0 / x" };
    let formula = Formula::function(&op.input, expression).numbers([op.const_val, relu_limit(op.relu_limit)]);
    if is_single(op.const_val) { formula } else { formula.in_doubles() }
}

/// Whether float32 has this number. Functions of others are computed in float64, and then rounded.
fn is_single(c: f64) -> bool {
    f64::from(c as f32) == c
}

/// Quotients of fractional numbers are rounded to float32 before `floor`; quotients of integers are not.
const QUOTIENT: &str = "
__device__ inline double quotient(double x, double y) {
    return x == trunc(x) && y == trunc(y) ? floor(x / y) : (double)floor((float)(x / y));
}
";

pub(super) fn div_const(op: &DivConst<Operand>) -> Formula {
    let quotient = if op.is_reverse { "(R)quotient(k0, x)" } else { "(R)quotient(x, k0)" };
    let expression = if op.do_relu { format!("relu({quotient}, (R)k1)") } else { quotient.into() };
    let formula = Formula::function(&op.input, expression).numbers([op.const_val, relu_limit(op.relu_limit)]);
    formula.in_doubles().with(QUOTIENT)
}

/// Combines an operand with the number `k0`: `real` in floats, and `whole` in plain integers if the number is one, too.
fn constant(input: &Operand, [real, whole]: [&str; 2], c: f64, post_op: PostOp) -> Formula {
    let formula = match semantics::whole_number(c) {
        Some(_) => Formula::arithmetic(vec![Input::of(input)], real, whole),
        None => Formula::constant(input, real),
    };
    let formula = formula.numbers([c]).post_op(post_op);
    if is_single(c) { formula } else { formula.in_doubles() }
}

pub(super) fn add_const(op: &AddConst<Operand>) -> Formula {
    let post_op = PostOp::relu(op.do_relu, op.relu_limit);
    constant(&op.input, ["x + k0", "saturating_add(x, (R)k0)"], op.const_val, post_op)
}

pub(super) fn sub_const(op: &SubConst<Operand>) -> Formula {
    let forms = match op.is_reverse {
        true => ["k0 - x", "saturating_sub((R)k0, x)"],
        false => ["x - k0", "saturating_sub(x, (R)k0)"],
    };
    constant(&op.input, forms, op.const_val, PostOp::relu(op.do_relu, op.relu_limit))
}

pub(super) fn mul_const(op: &MulConst<Operand>) -> Formula {
    let post_op = PostOp::relu(op.do_relu, op.relu_limit);
    constant(&op.input, ["x * k0", "saturating_mul(x, (R)k0)"], op.const_val, post_op)
}

pub(super) fn max_const(op: &MaxConst<Operand>) -> Formula {
    let forms = ["x < k0 ? k0 : x", "x < (R)k0 ? (R)k0 : x"];
    constant(&op.input, forms, op.const_val, PostOp::default())
}

pub(super) fn min_const(op: &MinConst<Operand>) -> Formula {
    let forms = ["x > k0 ? k0 : x", "x > (R)k0 ? (R)k0 : x"];
    constant(&op.input, forms, op.const_val, PostOp::default())
}
