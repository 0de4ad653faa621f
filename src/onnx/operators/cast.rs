//! Conversions.
use super::Convert;
use crate::{
    Tensor,
    base::{Dtype, Result, argument, misfit},
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{Cast, CompareMode, Floor},
    quant::RoundMode,
    tensors::Element,
    value::{Computed, Value, stored},
};

pub const OPERATORS: &[(&str, Convert)] = &[("Cast", cast), ("CastLike", cast_like)];

fn cast<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let to = Element::of(n.int_or("to", 0) as i32).map_err(|e| misfit("to:", e))?;
    check_rounding(n.input(0)?, to.dtype())?;
    let made = match to {
        Element::Packed { bits, signed } => wrapped(b, n.input(0)?, bits, signed)?,
        Element::Whole(to) => converted(b, n.input(0)?, to)?,
    };
    Ok(vec![made])
}

fn cast_like<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let to = n.input(1)?.dtype();
    check_rounding(n.input(0)?, to)?;
    Ok(vec![converted(b, n.input(0)?, to)?])
}

/// Refuses conversions to fp8: networks are computed in float32, and the Top dialect has no operator that rounds to it.
pub fn check_rounding(x: &Value, to: Dtype) -> Result<()> {
    if matches!(to, Dtype::Fp8e4m3 | Dtype::Fp8e5m2) && x.dtype() != to {
        return Err(argument("to", to, "floats are computed in float32 and not rounded to 8 bits"));
    }
    Ok(())
}

/// Converts a value to integers of 2 or 4 bits, which are kept as int8 or uint8: their low bits.
fn wrapped(b: &mut Importer, x: &Value, bits: u32, signed: bool) -> Result<Value> {
    let dtype = Element::Packed { bits, signed }.dtype();
    let count = f64::from(1u32 << bits);
    let tensor = b.float_tensor(x)?;
    let whole = truncated_to(b, tensor, Dtype::Int32)?;
    let whole = b.real(whole)?;
    let shifted = if signed { b.add_const(whole, count / 2.0)? } else { whole };
    let turns = b.mul_const(shifted, 1.0 / count)?;
    let turns = b.op(Floor::new(turns))?;
    let excess = b.mul_const(turns, count)?;
    let low = b.sub(whole, excess)?;
    let made = truncated_to(b, low, dtype)?;
    Ok(Value::Computed(Computed { tensor: made, shape: x.shape(), dtype }))
}

/// Converts a value to another dtype of ONNX: floats are truncated to integers, and everything but 0 is true.
pub fn converted(b: &mut Importer, x: &Value, to: Dtype) -> Result<Value> {
    let from = x.dtype();
    let tensor = b.tensor(x)?;
    let made = if to == Dtype::Bool && from != Dtype::Bool {
        b.compare_const(tensor, CompareMode::NotEqual, 0.0)?
    } else if to == Dtype::Bool {
        tensor
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

fn cast_to(b: &mut Importer, tensor: Tensor, to: Dtype, round_mode: RoundMode) -> Result<Tensor> {
    let to = stored(to);
    if b.dtype(tensor)? == to {
        return Ok(tensor);
    }
    b.op_as(Cast { to: to.cast_name().to_owned(), round_mode, ..Cast::new(tensor) }, to)
}
