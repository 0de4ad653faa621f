//! Values that nothing is computed from: constants, shapes, ranges.
use super::Convert;
use crate::{
    array::Array,
    base::{Dtype, Ints, Result, argument, invalid, misfit},
    import::Importer,
    node::{Node, known_float, known_ints, table},
    proto,
    tensors::Element,
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Constant", constant),
    ("ConstantOfShape", constant_of_shape),
    ("EyeLike", eye_like),
    ("Range", range),
    ("Shape", shape),
    ("Size", |_, n| Ok(vec![integers(&[], &[n.input(0)?.elements() as i64])?])),
];

fn integers(shape: &[usize], values: &[i64]) -> Result<Value> {
    Ok(Value::constant(Array::from_vec(shape.to_vec(), values.to_vec())?))
}

fn constant<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let [attribute] = n.proto.attribute.as_slice() else { return Err(invalid("it must have one value")) };
    let array = match attribute.name.as_str() {
        "value" => {
            let tensor = attribute.t.as_ref().ok_or_else(|| invalid("its value is missing"))?;
            return Ok(vec![Value::constant_of(b.array(tensor)?, Element::of(tensor.data_type)?)]);
        }
        "sparse_value" => {
            let tensor = attribute.sparse_tensor.as_ref().ok_or_else(|| invalid("its value is missing"))?;
            b.sparse(tensor)?
        }
        "value_int" => Array::from_vec(Vec::<usize>::new(), vec![n.int_or("value_int", 0)])?,
        "value_ints" => Array::from_vec([attribute.ints.len()], attribute.ints.clone())?,
        "value_float" => Array::from_vec(Vec::<usize>::new(), vec![attribute.f.unwrap_or(0.0)])?,
        "value_floats" => Array::from_vec([attribute.floats.len()], attribute.floats.clone())?,
        other => return Err(argument("its value", format!("{other:?}"), "strings are not supported")),
    };
    Ok(vec![Value::constant(array)])
}

fn constant_of_shape<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let shape = Ints(known_ints(n.input(0)?, "the shape")?).to_shape()?;
    table(&shape)?;
    let (value, element) = match n.attribute("value").and_then(|a: &proto::Attribute| a.t.as_ref()) {
        Some(tensor) => (b.array(tensor)?, Element::of(tensor.data_type)?),
        None => (Array::filled(Dtype::Float32, [1], 0.0)?, Element::Whole(Dtype::Float32)),
    };
    let number = value.to_f64()?.first().copied().unwrap_or(0.0);
    let made = match shape.contains(&0) {
        true => Array::from_le_bytes(value.dtype(), shape, &[])?,
        false => Array::filled(value.dtype(), shape, number)?,
    };
    Ok(vec![Value::constant_of(made, element)])
}

fn eye_like<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let dtype = match n.int("dtype") {
        Some(dtype) => Element::of(dtype as i32).map_err(|e| misfit("dtype:", e))?.dtype(),
        None => x.dtype(),
    };
    let [rows, columns] = x.shape()[..] else { return Err(invalid("its operand must have 2 dimensions")) };
    table(&[rows, columns])?;
    let diagonal = n.int_or("k", 0);
    let ones =
        (0..rows).flat_map(|r| (0..columns).map(move |c| if c as i64 - r as i64 == diagonal { 1.0 } else { 0.0 }));
    Ok(vec![Value::constant(Array::from_f64s(dtype, [rows, columns], ones)?)])
}

fn range<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let dtype = n.input(0)?.dtype();
    let start = known_float(n.input(0)?, "start")?;
    let (limit, delta) = (known_float(n.input(1)?, "limit")?, known_float(n.input(2)?, "delta")?);
    let count = ((limit - start) / delta).ceil().max(0.0);
    if delta == 0.0 || count.is_nan() {
        return Err(argument("delta", delta, format!("the range from {start} to {limit} has no end")));
    }
    table(&[count as usize])?;
    let values = (0..count as usize).map(|i| start + i as f64 * delta);
    Ok(vec![Value::constant(Array::from_f64s(dtype, [count as usize], values)?)])
}

fn shape<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let shape = n.input(0)?.shape();
    let rank = shape.len() as i64;
    let at = |name: &str, default: i64| {
        let at = n.int_or(name, default);
        (if at < 0 { at.saturating_add(rank) } else { at }).clamp(0, rank) as usize
    };
    let (start, end) = (at("start", 0), at("end", rank));
    let sizes: Vec<i64> = shape.get(start..end).unwrap_or(&[]).iter().map(|&d| d as i64).collect();
    Ok(vec![integers(&[sizes.len()], &sizes)?])
}
