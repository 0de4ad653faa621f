//! Conversions.
use super::{Convert, math::round_half_to_even};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, misfit},
    emit::Emit,
    fold::known,
    import::Importer,
    node::Node,
    ops::{Abs, Cast, Clip, CompareMode, Remainder, Where},
    quant::RoundMode,
    small_float::{Overflow, SmallFloat},
    tensors::Element,
    value::{Computed, Value, stored},
};

pub const OPERATORS: &[(&str, Convert)] = &[("Cast", cast), ("CastLike", cast_like)];

fn cast<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let to = Element::of(n.int_or("to", 0) as i32).map_err(|e| misfit("to:", e))?;
    Ok(vec![converted_to(b, n, n.input(0)?, to)?])
}

fn cast_like<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let to = n.input(1)?.element();
    // A constant becomes another one, even if `to` is computed.
    Ok(vec![known(b, &[n.input(0)?], |b, x| converted_to(b, n, &x[0], to))?])
}

/// Converts a value as a node says.
fn converted_to(b: &mut Importer, n: &Node, x: &Value, to: Element) -> Result<Value> {
    if let Some(small) = to.small_float().filter(|_| x.element() != to) {
        let tensor = b.float_tensor(x)?;
        let tensor = rounded_to_small(b, tensor, small, n.int_or("saturate", 1) != 0)?;
        return Ok(Value::Computed(Computed { tensor, shape: x.shape(), dtype: to.dtype() }));
    }
    match to {
        Element::Packed { bits, signed } => wrapped(b, x, bits, signed),
        Element::Whole(_) | Element::Small(_) => converted(b, x, to.dtype()),
    }
}

/// Rounds floats to those of a type of fewer bits, half to even. Larger ones become the largest if they are to saturate.
pub fn rounded_to_small(b: &mut Importer, x: Tensor, to: SmallFloat, saturate: bool) -> Result<Tensor> {
    let largest = to.largest();
    let x = if saturate { b.op(Clip::new(x, largest, -largest))? } else { x };
    let mut shape = b.shape(x)?;
    let magnitude = b.op(Abs::new(x))?;
    // The distance of neighbors doubles at each power of two.
    let first = to.least_exponent() - to.mantissa();
    let doublings = (to.least_exponent() + 1)..=(largest.log2().floor() as i32);
    let numbers = |all: &dyn Fn(i32) -> f64| -> Result<Array> {
        Array::from_f64s(Dtype::Float32, [doublings.clone().count()], doublings.clone().map(all))
    };
    let powers = b.coefficient(numbers(&|exponent| f64::from(exponent).exp2())?)?;
    let steps = b.coefficient(numbers(&|exponent| f64::from(exponent - to.mantissa() - 1).exp2())?)?;
    shape.push(1);
    let column = b.reshape(magnitude, &shape)?;
    let is_above = b.compare(column, CompareMode::GreaterOrEqual, powers)?;
    let steps = b.mul(is_above, steps)?;
    let last = shape.len() - 1;
    let distance = b.sum(steps, &[last])?;
    shape.pop();
    let distance = b.reshape(distance, &shape)?;
    let distance = b.add_const(distance, f64::from(first).exp2())?;
    let scaled = b.div(x, distance)?;
    let rounded = round_half_to_even(b, scaled)?;
    let rounded = b.mul(rounded, distance)?;
    match to.overflow() {
        Overflow::Saturates => {
            // There is no NaN; ONNX's tests expect 0.
            let is_nan = b.compare(rounded, CompareMode::NotEqual, rounded)?;
            let rounded = replaced(b, is_nan, 0.0, rounded)?;
            b.op(Clip::new(rounded, largest, -largest))
        }
        _ if saturate => Ok(rounded),
        Overflow::Nan => {
            let size = b.op(Abs::new(rounded))?;
            let is_large = b.compare_const(size, CompareMode::Greater, largest)?;
            replaced(b, is_large, f64::NAN, rounded)
        }
        Overflow::Infinity => {
            let is_large = b.compare_const(rounded, CompareMode::Greater, largest)?;
            let rounded = replaced(b, is_large, f64::INFINITY, rounded)?;
            let is_low = b.compare_const(rounded, CompareMode::Less, -largest)?;
            replaced(b, is_low, f64::NEG_INFINITY, rounded)
        }
    }
}

/// `number` where the condition holds, otherwise `x`.
fn replaced(b: &mut Importer, condition: Tensor, number: f64, x: Tensor) -> Result<Tensor> {
    b.op(Where { fbrn: Some(x), x_is_const: true, x_const_val: number, ..Where::new(condition) })
}

/// Converts a value to integers of 2 or 4 bits, which are kept as int8 or uint8: their low bits.
fn wrapped(b: &mut Importer, x: &Value, bits: u32, signed: bool) -> Result<Value> {
    let dtype = Element::Packed { bits, signed }.dtype();
    let tensor = b.float_tensor(x)?;
    let whole = truncated_to(b, tensor, Dtype::Int32)?;
    let low = low_bits(b, whole, bits, signed)?;
    let made = truncated_to(b, low, dtype)?;
    Ok(Value::Computed(Computed { tensor: made, shape: x.shape(), dtype }))
}

/// Returns the numbers that the low bits of integers stand for, as int32 or uint32.
fn low_bits(b: &mut Importer, x: Tensor, bits: u32, signed: bool) -> Result<Tensor> {
    let wide = if b.dtype(x)? == Dtype::Uint32 { x } else { b.as_dtype(x, Dtype::Int32)? };
    let dtype = b.dtype(wide)?;
    let count = f64::from(bits).exp2();
    let modulus = b.coefficient(Array::filled(dtype, [1], count)?)?;
    let low = b.op(Remainder::new(vec![wide, modulus]))?;
    if !signed {
        return Ok(low);
    }
    let low = b.as_dtype(low, Dtype::Int32)?;
    let is_negative = b.compare_const(low, CompareMode::GreaterOrEqual, count / 2.0)?;
    let is_negative = b.as_dtype(is_negative, Dtype::Int32)?;
    let turn = b.mul_const(is_negative, count)?;
    b.sub(low, turn)
}

/// Returns whether integers may lose bits when they are converted: ONNX keeps the low ones.
fn is_narrowing(from: Dtype, to: Dtype) -> bool {
    match (from.int_range(), to.int_range()) {
        (Some((low, high)), Some((least, most))) if to.size() <= 2 => low < least || high > most,
        _ => false,
    }
}

/// Converts a value to another dtype of ONNX: floats are truncated to integers, integers keep their low bits (those of 32 bits saturate),
/// and everything but 0 is true.
pub fn converted(b: &mut Importer, x: &Value, to: Dtype) -> Result<Value> {
    let from = x.dtype();
    let tensor = b.tensor(x)?;
    let made = if to == Dtype::Bool && from != Dtype::Bool {
        b.compare_const(tensor, CompareMode::NotEqual, 0.0)?
    } else if to == Dtype::Bool {
        tensor
    } else if is_narrowing(from, to) {
        let low = low_bits(b, tensor, 8 * to.size() as u32, to.is_signed_int())?;
        truncated_to(b, low, to)?
    } else {
        truncated_to(b, tensor, to)?
    };
    let value = b.value_like(made, x)?;
    Ok(match value {
        Value::Computed(c) => Value::Computed(Computed { dtype: to, ..c }),
        other => other,
    })
}

/// Converts to the dtype that holds values of `to`; floats are truncated to integers.
pub fn truncated_to(b: &mut Importer, tensor: Tensor, to: Dtype) -> Result<Tensor> {
    cast_to(b, tensor, to, RoundMode::TowardsZero)
}

/// Converts to the dtype that holds values of `to`; floats are rounded to integers, half to even.
pub fn rounded_to(b: &mut Importer, tensor: Tensor, to: Dtype) -> Result<Tensor> {
    cast_to(b, tensor, to, RoundMode::HalfToEven)
}

/// Rounds numbers within the range of int32, half to even; others saturate. Takes two operators, `math::round_half_to_even` eight.
pub fn rounded_in_int32(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    let whole = rounded_to(b, x, Dtype::Int32)?;
    b.as_dtype(whole, Dtype::Float32)
}

fn cast_to(b: &mut Importer, tensor: Tensor, to: Dtype, round_mode: RoundMode) -> Result<Tensor> {
    let to = stored(to);
    if b.dtype(tensor)? == to {
        return Ok(tensor);
    }
    b.op_as(Cast { to: to.cast_name().to_owned(), round_mode, ..Cast::new(tensor) }, to)
}
