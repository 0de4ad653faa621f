//! Conversions.
use super::{
    super::{
        import::Importer,
        node::Node,
        tensors::Element,
        value::{Value, stored},
    },
    Convert,
};
use crate::{
    Tensor,
    base::{Dtype, Result, misfit},
    emit::Emit,
    ops::{Cast, CompareMode},
    quant::RoundMode,
};

pub const OPERATORS: &[(&str, Convert)] = &[("Cast", cast), ("CastLike", cast_like)];

fn cast<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let to = Element::of(n.int_or("to", 0) as i32).map_err(|e| misfit("to", e))?.dtype();
    Ok(vec![converted(b, n.input(0)?, to)?])
}

fn cast_like<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let to = n.input(1)?.dtype();
    Ok(vec![converted(b, n.input(0)?, to)?])
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
        Value::Computed(c) => Value::Computed(super::super::value::Computed { dtype: to, ..c }),
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
