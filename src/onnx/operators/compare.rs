//! Comparisons and logic. Bools are 1 and 0 in the dtype of what was compared.
use super::{
    Convert,
    arithmetic::{broadcast_value, legacy_broadcast},
};
use crate::{
    Tensor,
    base::{Dtype, Result},
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{Compare, CompareConst, CompareMode, Max, Min, Op},
    value::{Computed, Value, stored},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("And", |b, n| logic(b, n, |x, y| Min::new(vec![x, y]).into())),
    ("Equal", |b, n| compare(b, n, CompareMode::Equal)),
    ("Greater", |b, n| compare(b, n, CompareMode::Greater)),
    ("GreaterOrEqual", |b, n| compare(b, n, CompareMode::GreaterOrEqual)),
    ("IsInf", is_inf),
    ("IsNaN", is_nan),
    ("Less", |b, n| compare(b, n, CompareMode::Less)),
    ("LessOrEqual", |b, n| compare(b, n, CompareMode::LessOrEqual)),
    ("Not", not),
    ("Or", |b, n| logic(b, n, |x, y| Max::new(vec![x, y]).into())),
    ("Xor", |b, n| logic(b, n, |x, y| Compare::new(x, y, CompareMode::NotEqual).into())),
];

/// Returns a tensor of 1 and 0 as a bool of the shape of `like`.
pub fn bool_like(tensor: Tensor, like: &Value) -> Value {
    Value::Computed(Computed { tensor, shape: like.shape(), dtype: Dtype::Bool })
}

fn compare<'m>(b: &mut Importer<'m>, n: &Node<'m>, mode: CompareMode) -> Result<Vec<Value>> {
    let (x, y) = legacy_broadcast(b, n)?;
    let (x, y) = (&x, &y);
    // A number on one side.
    for (x, y, inversed) in [(x, y, false), (y, x, true)] {
        if let Some(c) = y.as_constant().filter(|a| a.len() == 1 && y.rank() <= x.rank() && !x.is_constant()) {
            let c = c.to_f64()?[0];
            let tensor = b.tensor(x)?;
            let made = b.op(CompareConst::new(tensor, mode, c, inversed))?;
            return Ok(vec![bool_like(made, x)]);
        }
    }
    let (left, right) = same_dtype(b, x, y)?;
    let made = b.op(Compare::new(left, right, mode))?;
    Ok(vec![broadcast_value(b, made, &[x, y], Dtype::Bool)?])
}

/// Returns two tensors in one dtype: bools may have different ones.
pub fn same_dtype(b: &mut Importer, x: &Value, y: &Value) -> Result<(Tensor, Tensor)> {
    let dtype = common_dtype(b, x, y)?;
    Ok((in_dtype(b, x, dtype)?, in_dtype(b, y, dtype)?))
}

/// Returns the dtype that two values are combined in. A constant has that of the other one.
pub fn common_dtype(b: &mut Importer, x: &Value, y: &Value) -> Result<Dtype> {
    let [computed_x, computed_y] = [x, y].map(|value| !value.is_constant());
    if computed_x != computed_y {
        let tensor = b.tensor(if computed_x { x } else { y })?;
        return b.dtype(tensor);
    }
    let (x, y) = (b.tensor(x)?, b.tensor(y)?);
    Ok(match (b.dtype(x)?, b.dtype(y)?) {
        (a, c) if a == c => a,
        (a, _) if a.is_float() => a,
        (_, c) if c.is_float() => c,
        _ => Dtype::Int32,
    })
}

/// Returns the tensor of a value in a dtype. Constants are converted now, since the tool chain casts none.
pub fn in_dtype(b: &mut Importer, value: &Value, dtype: Dtype) -> Result<Tensor> {
    match value.as_constant().filter(|array| stored(array.dtype()) != dtype) {
        Some(array) => b.tensor(&Value::constant(array.to_dtype(dtype)?)),
        None => {
            let tensor = b.tensor(value)?;
            b.as_dtype(tensor, dtype)
        }
    }
}

fn logic<'m>(b: &mut Importer<'m>, n: &Node<'m>, op: impl Fn(Tensor, Tensor) -> Op<Tensor>) -> Result<Vec<Value>> {
    let (x, y) = legacy_broadcast(b, n)?;
    let (x, y) = (&x, &y);
    let (left, right) = same_dtype(b, x, y)?;
    let made = b.op(op(left, right))?;
    Ok(vec![broadcast_value(b, made, &[x, y], Dtype::Bool)?])
}

fn not<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.tensor(x)?;
    let made = b.compare_const(tensor, CompareMode::Equal, 0.0)?;
    Ok(vec![bool_like(made, x)])
}

/// NaN differs from itself.
fn is_nan<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.tensor(x)?;
    let made = b.compare(tensor, CompareMode::NotEqual, tensor)?;
    Ok(vec![bool_like(made, x)])
}

fn is_inf<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.tensor(x)?;
    let most = f64::from(f32::MAX);
    let above = b.compare_const(tensor, CompareMode::Greater, most)?;
    let below = b.compare_const(tensor, CompareMode::Less, -most)?;
    let made = match (n.int_or("detect_positive", 1) != 0, n.int_or("detect_negative", 1) != 0) {
        (true, true) => b.op(Max::new(vec![above, below]))?,
        (true, false) => above,
        (false, true) => below,
        (false, false) => b.mul_const(above, 0.0)?,
    };
    Ok(vec![bool_like(made, x)])
}
