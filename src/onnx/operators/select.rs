//! Choices between values.
use super::{Convert, arithmetic::broadcast_value, compare::same_dtype};
use crate::{base::Result, emit::Emit, import::Importer, node::Node, value::Value};

pub const OPERATORS: &[(&str, Convert)] = &[("Where", select)];

fn select<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (condition, x, y) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let chosen = b.tensor(condition)?;
    let (left, right) = same_dtype(b, x, y)?;
    let made = b.select(chosen, left, right)?;
    Ok(vec![broadcast_value(b, made, &[condition, x, y], x.dtype())?])
}
