//! Operators that move elements: their results have the operand's numbers.
use super::Convert;
use crate::{
    array::Array,
    base::{Dtype, Result, Shape, argument, invalid},
    emit::{Emit, ints},
    import::Importer,
    node::{Node, count, known_float, known_int, known_ints, pieces, resolved_axis},
    ops::{Concat, Depth2Space, Expand, Pad, PadMode, Permute, Split, Tile},
    value::Value,
};
use std::collections::HashSet;

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Concat", concat),
    ("DepthToSpace", depth_to_space),
    ("Dropout", dropout),
    ("Expand", expand),
    ("Flatten", flatten),
    ("Identity", |_, n| Ok(vec![n.input(0)?.clone()])),
    ("Pad", pad),
    ("Reshape", reshape),
    ("SpaceToDepth", space_to_depth),
    ("Split", split),
    ("Squeeze", squeeze),
    ("Tile", tile),
    ("Transpose", transpose),
    ("Unsqueeze", unsqueeze),
];

/// Returns the value in another shape of as many elements.
fn reshaped(b: &mut Importer, x: &Value, shape: &[usize]) -> Result<Vec<Value>> {
    let (wanted, given) = (count(shape)?, x.elements());
    if wanted != given {
        return Err(invalid(format!("the shape {shape:?} has {wanted} elements; the operand has {given}")));
    }
    if let Value::Constant(c) = x {
        return Ok(vec![Value::constant(c.array.reshaped(shape.to_vec())?)]);
    }
    let tensor = b.tensor(x)?;
    Ok(vec![b.shaped(tensor, shape, x.dtype())?])
}

fn reshape<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let given = n.ints_of("shape", 1)?.ok_or_else(|| invalid("it has no shape"))?;
    let wrong = || argument("shape", format!("{given:?}"), "sizes are positive, or once -1");
    if given.iter().filter(|&&d| d == -1).count() > 1 {
        return Err(wrong());
    }
    let old = x.shape();
    let mut shape = Shape::new();
    for (axis, &d) in given.iter().enumerate() {
        shape.push(match d {
            0 if !n.flag("allowzero") => *old.get(axis).ok_or_else(|| {
                argument(
                    "shape",
                    format!("{given:?}"),
                    format!("0 stands for axis {axis} of the operand, which has {}", old.len()),
                )
            })?,
            // Found below.
            -1 => 1,
            d => usize::try_from(d).map_err(|_| wrong())?,
        });
    }
    if let Some(open) = given.iter().position(|&d| d == -1) {
        let rest = count(&shape)?;
        if rest == 0 || !x.elements().is_multiple_of(rest) {
            return Err(argument("shape", format!("{given:?}"), format!("the operand has {} elements", x.elements())));
        }
        shape[open] = x.elements() / rest;
    }
    reshaped(b, x, &shape)
}

fn flatten<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    let axis = n.int_or("axis", 1);
    // The axis may be behind the last.
    let axis = if axis == shape.len() as i64 { shape.len() } else { resolved_axis("axis", axis, shape.len())? };
    reshaped(b, x, &[shape[..axis].iter().product(), shape[axis..].iter().product()])
}

fn squeeze<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    // As in onnxruntime, an empty list means the same as none.
    let axes = match n.ints_of("axes", 1)?.filter(|axes| !axes.is_empty()) {
        Some(axes) => axes.iter().map(|&a| resolved_axis("axes", a, shape.len())).collect::<Result<Vec<_>>>()?,
        None => (0..shape.len()).filter(|&a| shape[a] == 1).collect(),
    };
    if let Some(&axis) = axes.iter().find(|&&a| shape[a] != 1) {
        return Err(argument("axes", axis, format!("the size of that axis is {}; expected 1", shape[axis])));
    }
    let left: Shape = shape.iter().enumerate().filter(|(a, _)| !axes.contains(a)).map(|(_, &d)| d).collect();
    reshaped(b, x, &left)
}

fn unsqueeze<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let given = n.ints_of("axes", 1)?.ok_or_else(|| invalid("it has no axes"))?;
    unsqueezed(b, x, &given)
}

/// Inserts axes of size 1 at these places of the result.
pub fn unsqueezed(b: &mut Importer, x: &Value, given: &[i64]) -> Result<Vec<Value>> {
    let rank = x.rank() + given.len();
    let axes = given.iter().map(|&a| resolved_axis("axes", a, rank)).collect::<Result<HashSet<_>>>()?;
    let mut old = x.shape().into_iter();
    let shape: Option<Shape> = (0..rank).map(|a| if axes.contains(&a) { Some(1) } else { old.next() }).collect();
    let shape = shape.ok_or_else(|| argument("axes", format!("{given:?}"), "an axis occurs twice"))?;
    reshaped(b, x, &shape)
}

fn transpose<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let rank = x.rank();
    let order = match n.ints("perm") {
        Some(order) => order.iter().map(|&a| resolved_axis("perm", a, rank)).collect::<Result<Vec<_>>>()?,
        None => (0..rank).rev().collect(),
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..rank) {
        return Err(argument("perm", format!("{order:?}"), format!("it must name each of the {rank} axes once")));
    }
    if rank < 2 || order.iter().copied().eq(0..rank) {
        return Ok(vec![x.clone()]);
    }
    let tensor = b.tensor(x)?;
    let made = b.op(Permute::new(tensor, ints(&order)))?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Empty operands, as old exporters make of empty lists, are left out.
fn concat<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let all = n.all_inputs()?;
    let parts: Vec<_> = all.iter().copied().filter(|v| v.elements() > 0).collect();
    let (Some(first), Some(any)) = (parts.first(), all.first()) else {
        return Ok(vec![(*all.first().ok_or_else(|| invalid("it has no operands"))?).clone()]);
    };
    let axis = if n.version < 4 { n.axis_or("axis", 1, first.rank())? } else { n.axis_or("axis", 0, first.rank())? };
    if parts.len() == 1 {
        return Ok(vec![(*first).clone()]);
    }
    let mut tensors = Vec::new();
    for part in &parts {
        let tensor = b.tensor(part)?;
        let like = b.tensor(first)?;
        let dtype = b.dtype(like)?;
        tensors.push(b.as_dtype(tensor, dtype)?);
    }
    let made = b.op(Concat { axis: axis as i64, ..Concat::new(tensors) })?;
    Ok(vec![b.value(made, any.dtype())?])
}

fn split<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    let axis = n.axis_or("axis", 0, shape.len())?;
    let size = shape.get(axis).copied().unwrap_or(1);
    let sizes = match n.ints_of("split", 1)? {
        Some(sizes) => sizes,
        None => {
            let wanted = n.int("num_outputs").unwrap_or(n.outputs() as i64);
            let parts = wanted.clamp(1, size.max(1) as i64);
            pieces(parts as usize)?;
            if n.version < 18 && size as i64 % parts != 0 || parts < wanted && size > 0 {
                return Err(argument(
                    "the number of outputs",
                    wanted,
                    format!("axis {axis} has {size} entries; they do not divide evenly"),
                ));
            }
            // The last part may be smaller.
            let each = (size as i64 + parts - 1) / parts;
            (0..parts).map(|i| each.min(size as i64 - i * each)).collect()
        }
    };
    if sizes.iter().any(|s| !(0..=size as i64).contains(s)) || sizes.iter().sum::<i64>() != size as i64 {
        return Err(argument(
            "split",
            format!("{sizes:?}"),
            format!("positive sizes that add up to {size}, the size of axis {axis}"),
        ));
    }
    // Parts without entries are constants.
    let filled: Vec<i64> = sizes.iter().copied().filter(|&s| s > 0).collect();
    let mut parts = match filled.len() {
        1 => vec![x.clone()],
        count => {
            let tensor = b.tensor(x)?;
            let op = Split { split_size: Some(filled), ..Split::new(tensor, axis as i64, count as i64) };
            let parts = b.graph.op(op).call()?;
            parts.into_iter().map(|part| b.value(part, x.dtype())).collect::<Result<Vec<_>>>()?
        }
    }
    .into_iter();
    let mut all = Vec::new();
    for size in sizes {
        let part = if size > 0 { parts.next() } else { Some(empty_part(x, axis)?) };
        all.extend(part);
    }
    Ok(all)
}

fn empty_part(x: &Value, axis: usize) -> Result<Value> {
    let mut shape = x.shape();
    shape[axis] = 0;
    Ok(Value::constant(Array::from_le_bytes(x.dtype(), shape, &[])?))
}

fn expand<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let given = known_ints(n.input(1)?, "shape")?;
    let given = crate::base::Ints(given).to_shape()?;
    let shape = crate::import::broadcast(&[x.shape(), given])?;
    let tensor = b.tensor(x)?;
    if x.shape() == shape {
        return Ok(vec![x.clone()]);
    }
    let made = b.op(Expand { shape: ints(&shape), ..Expand::new(tensor) })?;
    Ok(vec![b.value(made, x.dtype())?])
}

fn tile<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let repeats = match n.optional(2).filter(|_| n.version < 6) {
        // Before opset 6: the number of repetitions of one axis.
        Some(axis) => {
            let axis = resolved_axis("axis", known_int(axis, "axis")?, x.rank())?;
            let mut all = vec![1; x.rank()];
            all[axis] = known_int(n.input(1)?, "tiles")?;
            all
        }
        None => known_ints(n.input(1)?, "repeats")?,
    };
    if repeats.len() != x.rank() {
        return Err(argument(
            "repeats",
            format!("{repeats:?}"),
            format!("expected {} numbers, one for each axis", x.rank()),
        ));
    }
    if repeats.iter().all(|&r| r == 1) {
        return Ok(vec![x.clone()]);
    }
    let tensor = b.tensor(x)?;
    let made = b.op(Tile { tile: Some(repeats), ..Tile::new(tensor) })?;
    Ok(vec![b.value(made, x.dtype())?])
}

fn pad<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let rank = x.rank();
    let mode = n.word(
        "mode",
        "constant",
        &[
            ("constant", Some(PadMode::Constant)),
            ("edge", Some(PadMode::Edge)),
            ("reflect", Some(PadMode::Reflect)),
            ("wrap", None),
        ],
    )?;
    let given = match n.version {
        ..2 => n.ints("paddings"),
        2..11 => n.ints("pads"),
        _ => Some(known_ints(n.input(1)?, "pads")?),
    };
    let given = given.ok_or_else(|| invalid("it has no pads"))?;
    let axes = match n.optional(3) {
        Some(axes) => {
            known_ints(axes, "axes")?.iter().map(|&a| resolved_axis("axes", a, rank)).collect::<Result<Vec<_>>>()?
        }
        None => (0..rank).collect(),
    };
    if given.len() != 2 * axes.len() {
        return Err(argument(
            "pads",
            format!("{given:?}"),
            format!("expected {} numbers, two for each axis", 2 * axes.len()),
        ));
    }
    if given.iter().any(|p| !(-(1 << 31)..1 << 31).contains(p)) {
        return Err(argument("pads", format!("{given:?}"), "expected numbers below 2^31"));
    }
    let mut pads = vec![0; 2 * rank];
    for (i, &axis) in axes.iter().enumerate() {
        pads[axis] = given[i];
        pads[rank + axis] = given[axes.len() + i];
    }
    let given_value = n.optional(2).filter(|_| n.version >= 11);
    let value = match given_value {
        Some(value) if value.is_constant() => known_float(value, "constant_value")?,
        Some(_) => 0.0,
        None => n.float_or("value", 0.0),
    };
    let mut tensor = b.tensor(x)?;
    // Negative padding crops.
    if pads.iter().any(|&p| p < 0) {
        for axis in 0..rank {
            let (before, after) = (pads[axis].min(0), pads[rank + axis].min(0));
            let size = b.shape(tensor)?[axis] as i64;
            if size + before + after < 1 {
                return Err(argument("pads", format!("{given:?}"), format!("nothing is left of axis {axis}")));
            }
            tensor = b.slice(tensor, axis, -before as usize, (size + before + after) as usize)?;
        }
        pads.iter_mut().for_each(|p| *p = (*p).max(0));
    }
    if pads.iter().any(|&p| p > 0) {
        let computed = given_value.filter(|v| !v.is_constant() && mode == Some(PadMode::Constant));
        if let Some(value) = computed {
            tensor = padded_with(b, tensor, value, &pads)?;
            return Ok(vec![b.value(tensor, x.dtype())?]);
        }
        tensor = match mode {
            Some(mode) => b.op(Pad { val: value, ..Pad::new(tensor, mode, pads) })?,
            None => wrapped(b, tensor, &pads)?,
        };
    }
    Ok(vec![b.value(tensor, x.dtype())?])
}

/// Pads with a number that is computed: it is chosen where a padding of 1 is.
fn padded_with(b: &mut Importer, x: crate::Tensor, value: &Value, pads: &[i64]) -> Result<crate::Tensor> {
    let inside = b.coefficient(Array::filled(Dtype::Float32, b.shape(x)?, 0.0)?)?;
    let outside = b.op(Pad { val: 1.0, ..Pad::new(inside, PadMode::Constant, pads.to_vec()) })?;
    let (padded, value) = (b.op(Pad::new(x, PadMode::Constant, pads.to_vec()))?, b.tensor(value)?);
    let (dtype, shape) = (b.dtype(padded)?, b.shape(padded)?);
    let value = b.as_dtype(value, dtype)?;
    let value = b.expand_to(value, &shape)?;
    b.select(outside, value, padded)
}

/// Continues each axis periodically.
fn wrapped(b: &mut Importer, mut x: crate::Tensor, pads: &[i64]) -> Result<crate::Tensor> {
    let rank = pads.len() / 2;
    for axis in 0..rank {
        let size = b.shape(x)?[axis];
        let (before, after) = (pads[axis] as usize, pads[rank + axis] as usize);
        pieces((before + after).div_ceil(size) + 1)?;
        if before + after == 0 {
            continue;
        }
        let mut parts = Vec::new();
        // Positions from -before to size + after, piece by piece.
        let (mut at, end) = (-(before as i64), (size + after) as i64);
        while at < end {
            let start = at.rem_euclid(size as i64) as usize;
            let count = (size - start).min((end - at) as usize);
            parts.push(b.slice(x, axis, start, count)?);
            at += count as i64;
        }
        x = b.concat(parts, axis)?;
    }
    Ok(x)
}

fn depth_to_space<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, block) = (n.input(0)?, n.int_or("blocksize", 1));
    let is_crd = n.word("mode", "DCR", &[("DCR", false), ("CRD", true)])?;
    let tensor = b.tensor(x)?;
    let made = b.op(Depth2Space::new(tensor, block, block, is_crd, false))?;
    Ok(vec![b.value(made, x.dtype())?])
}

fn space_to_depth<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, block) = (n.input(0)?, n.int_or("blocksize", 1));
    let tensor = b.tensor(x)?;
    let is_crd = n.word("mode", "DCR", &[("DCR", false), ("CRD", true)])?;
    let made = b.op(Depth2Space::new(tensor, block, block, is_crd, true))?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Drops nothing when a network runs. As in onnxruntime, the mask is all true, and before opset 12 all false. Before opset 10 it has the
/// dtype of the operand.
///
/// # Errors
/// Returns an error in training, since the elements that are dropped are random.
fn dropout<'m>(_: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let is_training = n.optional(2).map(|v| known_int(v, "training_mode")).transpose()?.is_some_and(|v| v != 0);
    let ratio = n.optional(1).map(|v| known_float(v, "ratio")).transpose()?.unwrap_or(0.5);
    if is_training && ratio != 0.0 {
        return Err(argument("training_mode", true, "the elements that training drops are random"));
    }
    let mut results = vec![x.clone()];
    if n.is_wanted(1) {
        let dtype = if n.version < 10 { x.dtype() } else { Dtype::Bool };
        let kept = if n.version < 12 { 0.0 } else { 1.0 };
        results.push(Value::constant(Array::filled(dtype, x.shape(), kept)?));
    }
    Ok(results)
}
