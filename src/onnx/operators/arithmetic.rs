//! Arithmetic of two or more operands, broadcast together.
use super::Convert;
use crate::{
    Tensor,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::{Importer, broadcast},
    node::Node,
    ops::{
        Add, AddConst, Div, Max, Min, Mod, Mul, MulConst, Op, Pow, Pow2, Pow3, Reciprocal, Remainder, Sub, SubConst,
    },
    value::{Computed, Value, stored},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Add", add),
    ("Div", div),
    ("Max", |b, n| many(b, n, |pair| Max::new(pair).into())),
    ("Mean", mean),
    ("Min", |b, n| many(b, n, |pair| Min::new(pair).into())),
    ("Mod", modulo),
    ("Mul", mul),
    ("Pow", pow),
    ("Sub", sub),
    ("Sum", |b, n| many(b, n, |pair| Add::new(pair).into())),
];

/// Returns the value of a computed tensor with the shape that the operands are broadcast to.
pub fn broadcast_value(b: &mut Importer, y: Tensor, operands: &[&Value], dtype: Dtype) -> Result<Value> {
    let shapes: Vec<_> = operands.iter().map(|v| v.shape()).collect();
    let shape = broadcast(&shapes)?;
    if b.shape(y)? != crate::value::stored_shape(&shape) {
        return Err(invalid(format!("its operands are broadcast to {shape:?}, and its result is {:?}", b.shape(y)?)));
    }
    Ok(Value::Computed(Computed { tensor: y, shape, dtype }))
}

/// Returns the number that a constant consists of, if using it as a number leaves the shape of the other operand.
fn number(value: &Value, other: &Value) -> Result<Option<f64>> {
    match value.as_constant() {
        Some(array) if array.len() == 1 && value.rank() <= other.rank() && !other.is_constant() => {
            let number = array.to_f64()?.first().copied();
            check_width(number, other.dtype())?;
            Ok(number)
        }
        _ => Ok(None),
    }
}

/// Returns an error for a number that does not fit the 32-bit integers that 64-bit integers are computed as.
fn check_width(number: Option<f64>, dtype: Dtype) -> Result<()> {
    let Some((low, high)) = stored(dtype).int_range() else { return Ok(()) };
    match number.filter(|v| !(low as f64..=high as f64).contains(v)) {
        Some(wrong) => {
            let expected = format!("{dtype} is computed as {}, which holds {low} to {high}", stored(dtype));
            Err(argument("its constant", wrong, expected))
        }
        None => Ok(()),
    }
}

/// Adds an operator of two operands.
fn pair(b: &mut Importer, x: &Value, y: &Value, op: impl Fn(Vec<Tensor>) -> Op<Tensor>) -> Result<Value> {
    let tensors = b.tensors(&[x, y])?;
    let made = b.op(op(tensors))?;
    broadcast_value(b, made, &[x, y], x.dtype())
}

fn operands<'n>(n: &'n Node) -> Result<(&'n Value, &'n Value)> {
    Ok((n.input(0)?, n.input(1)?))
}

/// Before opset 7, the second operand was broadcast from an axis of the first.
pub fn legacy_broadcast<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<(Value, Value)> {
    let (x, y) = operands(n)?;
    let Some(axis) = n.int("axis").filter(|_| n.version < 7 && n.flag("broadcast")) else {
        return Ok((x.clone(), y.clone()));
    };
    let axis = crate::node::resolved_axis("axis", axis, x.rank())?;
    let mut shape = y.shape();
    shape.resize(x.rank().saturating_sub(axis).max(shape.len()), 1);
    let tensor = b.tensor(y)?;
    Ok((x.clone(), b.shaped(tensor, &shape, y.dtype())?))
}

fn add<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, y) = legacy_broadcast(b, n)?;
    for (x, y) in [(&x, &y), (&y, &x)] {
        if let Some(c) = number(y, x)? {
            return b.unary(x, |x| AddConst::new(x, c).into());
        }
    }
    Ok(vec![pair(b, &x, &y, |pair| Add::new(pair).into())?])
}

fn sub<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, y) = legacy_broadcast(b, n)?;
    if let Some(c) = number(&y, &x)? {
        return b.unary(&x, |x| AddConst::new(x, -c).into());
    }
    if let Some(c) = number(&x, &y)? {
        return b.unary(&y, |y| SubConst { is_reverse: true, ..SubConst::new(y, c) }.into());
    }
    Ok(vec![pair(b, &x, &y, |pair| Sub::new(pair).into())?])
}

fn mul<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, y) = legacy_broadcast(b, n)?;
    for (x, y) in [(&x, &y), (&y, &x)] {
        if let Some(c) = number(y, x)? {
            return b.unary(x, |x| MulConst::new(x, c).into());
        }
    }
    Ok(vec![pair(b, &x, &y, |pair| Mul::new(pair).into())?])
}

fn div<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, y) = legacy_broadcast(b, n)?;
    if !x.dtype().is_float() {
        return Ok(vec![integer_quotient(b, &x, &y)?]);
    }
    if let Some(c) = number(&y, &x)?.filter(|c| *c != 0.0) {
        return b.unary(&x, |x| MulConst::new(x, 1.0 / c).into());
    }
    if let Some(c) = number(&x, &y)? {
        return b.unary(&y, |y| Reciprocal { const_val: c, ..Reciprocal::new(y) }.into());
    }
    Ok(vec![pair(b, &x, &y, |pair| Div::new(pair).into())?])
}

/// The quotient of integers, rounded towards 0: what the remainder leaves is divided exactly.
pub fn integer_quotient(b: &mut Importer, x: &Value, y: &Value) -> Result<Value> {
    let [a, c] = b.tensors(&[x, y])?[..] else { return Err(invalid("it has two operands")) };
    let rest = b.op(Mod::new(vec![a, c]))?;
    let whole = b.sub(a, rest)?;
    let quotient = b.div(whole, c)?;
    broadcast_value(b, quotient, &[x, y], x.dtype())
}

/// Applies an operator of two operands to the first two, then to the result and the next.
fn many<'m>(b: &mut Importer<'m>, n: &Node<'m>, op: impl Fn(Vec<Tensor>) -> Op<Tensor>) -> Result<Vec<Value>> {
    let all = n.all_inputs()?;
    let [first, rest @ ..] = all.as_slice() else { return Err(invalid("it has no operands")) };
    let mut sum = (*first).clone();
    for next in rest {
        sum = pair(b, &sum, next, &op)?;
    }
    Ok(vec![sum])
}

fn mean<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let sum = many(b, n, |pair| Add::new(pair).into())?;
    let count = n.inputs.len() as f64;
    b.unary(&sum[0], |x| MulConst::new(x, 1.0 / count).into())
}

/// With `fmod` the remainder has the sign of the dividend, otherwise that of the divisor.
fn modulo<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, y) = operands(n)?;
    if n.flag("fmod") {
        return Ok(vec![pair(b, x, y, |pair| Mod::new(pair).into())?]);
    }
    // top.Remainder broadcasts the second operand only.
    let shape = crate::value::stored_shape(&broadcast(&[x.shape(), y.shape()])?);
    let [a, c] = b.tensors(&[x, y])?[..] else { return Err(invalid("it has two operands")) };
    let a = b.expand_to(a, &shape)?;
    let made = b.op(Remainder::new(vec![a, c]))?;
    Ok(vec![broadcast_value(b, made, &[x, y], x.dtype())?])
}

/// The result has the dtype of the base.
fn pow<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, y) = legacy_broadcast(b, n)?;
    let (x, y) = (&x, &y);
    let base = b.float_tensor(x)?;
    let made = if let Some(exponent) = number(y, x)? {
        match exponent {
            2.0 => b.square(base)?,
            0.5 => b.op(crate::ops::Sqrt::new(base))?,
            _ => b.op(Pow::new(base, exponent))?,
        }
    } else if let Some(c) = number(x, y)? {
        let exponent = b.float_tensor(y)?;
        b.op(Pow2::new(exponent, c))?
    } else {
        let exponent = b.float_tensor(y)?;
        // top.Pow3 broadcasts the exponent only.
        let base = b.expand_to(base, &crate::value::stored_shape(&broadcast(&[x.shape(), y.shape()])?))?;
        b.op(Pow3::new(vec![base, exponent]))?
    };
    let made = super::cast::truncated_to(b, made, x.dtype())?;
    Ok(vec![broadcast_value(b, made, &[x, y], x.dtype())?])
}
