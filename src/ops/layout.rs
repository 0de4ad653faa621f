//! Type rules of ops that move data. Results have the input's dtype.
use super::{
    Concat, ConcatSlice, Copy, Flatten, List, Pack, Pad, PadMode, Permute, Reshape, Split, Squeeze, Transpose, Unpack,
    Unsqueeze, View,
    types::{Choice, Inferred, Types, Value, axes, axis, known_ints, of_dtype, same, same_dtype},
};
use crate::base::{Result, Shape, argument, check_rank, invalid, misfit, pluralized, shape_text};

/// Returns `shape` with 0 and -1 resolved.
pub(super) fn reshape(op: &Reshape<Value>) -> Types {
    let (name, dims) = match (&op.shapeT, &op.shape) {
        (Some(t), _) => (t.display_name, known_ints(t)?),
        (None, Some(shape)) => ("shape", shape.clone()),
        (None, None) => return Err(invalid("it has neither the attribute shape nor the operand shapeT")),
    };
    reshaped(&op.input, name, &dims)
}

/// Like [`reshape`].
pub(super) fn view(op: &View<Value>) -> Types {
    reshaped(&op.input, op.shape.display_name, &known_ints(&op.shape)?)
}

fn reshaped(from: &Value, name: &str, dims: &[i64]) -> Types {
    let input = from.shape;
    let count: usize = input.iter().product();
    let fail = |why: &str| {
        Err(argument(
            name,
            format!("{dims:?}"),
            format!("{why}; the input is {} ({})", shape_text(input), pluralized(count, "element")),
        ))
    };
    check_rank(dims.len())?;
    let mut shape = Shape::with_capacity(dims.len());
    let mut open = None;
    for (i, &d) in dims.iter().enumerate() {
        shape.push(match d {
            0 => match input.get(i) {
                Some(&d) => d,
                None => return fail(&format!("dimension {i} is 0, but the input has no such dimension to keep")),
            },
            -1 if open.is_none() => {
                open = Some(i);
                1
            }
            -1 => return fail("only one dimension can be -1"),
            d if d > 0 => d as usize,
            _ => return fail("dimensions are positive, 0 or -1"),
        });
    }
    let Some(known) = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)) else {
        return fail("it has too many elements");
    };
    if let Some(at) = open {
        if !count.is_multiple_of(known) {
            return fail(&format!(
                "the product of the known dimensions is {known}, which does not divide the number of elements"
            ));
        }
        shape[at] = count / known;
    } else if known != count {
        let hint = inferred_hint(&shape, count);
        return fail(&format!("it has {}{hint}", pluralized(known, "element")));
    }
    of_dtype(shape, from)
}

/// Says what a -1 would be in the place of a dimension that makes a shape fit `count` elements; the last such dimension.
fn inferred_hint(shape: &[usize], count: usize) -> String {
    let others = |i: usize| shape.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, d)| d).product::<usize>();
    let fits = (0..shape.len()).rev().find(|i| others(*i) > 0 && count.is_multiple_of(others(*i)));
    fits.map_or(String::new(), |i| format!("; -1 in place of {} would be {}", shape[i], count / others(i)))
}

/// Merges the axes from `start_dim` to `end_dim`.
pub(super) fn flatten(op: &Flatten<Value>) -> Types {
    let input = op.input.shape;
    let (start, end) = (axis("start_dim", op.start_dim, input.len())?, axis("end_dim", op.end_dim, input.len())?);
    if end < start {
        return Err(argument("end_dim", op.end_dim, format!("it lies before start_dim, {}", op.start_dim)));
    }
    let folded = input[start..=end].iter().product();
    of_dtype([&input[..start], &[folded], &input[end + 1..]].concat(), &op.input)
}

/// Swaps two dimensions.
pub(super) fn transpose(op: &Transpose<Value>) -> Types {
    let mut shape = op.input.shape.to_vec();
    let (a, b) = (axis("dim0", op.dim0, shape.len())?, axis("dim1", op.dim1, shape.len())?);
    shape.swap(a, b);
    of_dtype(shape, &op.input)
}

/// Permutes the input's dimensions.
pub(super) fn permute(op: &Permute<Value>) -> Types {
    let (input, order) = (op.input.shape, &op.order);
    if order.len() != input.len() {
        return Err(argument("order", format!("{order:?}"), format!("expected each of the {} axes once", input.len())));
    }
    of_dtype(axes("order", order, input.len())?.into_iter().map(|a| input[a]).collect(), &op.input)
}

/// Removes the axes, which must have size 1.
pub(super) fn squeeze(op: &Squeeze<Value>) -> Types {
    let (input, given) = (op.input.shape, &op.axes);
    let dropped: Vec<usize> = if given.is_empty() {
        (0..input.len()).filter(|&i| input[i] == 1).collect()
    } else {
        axes("axes", given, input.len())?
    };
    if let Some(&a) = dropped.iter().find(|&&a| input[a] != 1) {
        return Err(argument(
            "axes",
            format!("{given:?}"),
            format!("axis {a} of {} is {}; only 1 can be dropped", shape_text(input), input[a]),
        ));
    }
    let mut shape: Shape = (0..input.len()).filter(|i| !dropped.contains(i)).map(|i| input[i]).collect();
    if shape.is_empty() {
        shape.push(1);
    }
    of_dtype(shape, &op.input)
}

/// Inserts axes of size 1 at positions of the result.
pub(super) fn unsqueeze(op: &Unsqueeze<Value>) -> Types {
    let input = op.input.shape;
    let rank = input.len() + op.axes.len();
    check_rank(rank)?;
    let at = axes("axes", &op.axes, rank)?;
    let mut rest = input.iter();
    let dim = |i: usize| if at.contains(&i) { 1 } else { rest.next().copied().unwrap_or(1) };
    of_dtype((0..rank).map(dim).collect(), &op.input)
}

/// Adds up the sizes along the axis.
pub(super) fn concat(op: &Concat<Value>) -> Types {
    let [first, rest @ ..] = op.inputs.as_slice() else {
        return Err(invalid("there is nothing to join"));
    };
    let mut shape = first.shape.to_vec();
    let axis = axis("axis", op.axis, shape.len())?;
    for (i, other) in rest.iter().enumerate() {
        let fits =
            other.shape.len() == shape.len() && (0..shape.len()).all(|d| d == axis || other.shape[d] == shape[d]);
        if !fits {
            return Err(invalid(format!(
                "inputs[{}] is {} and inputs[0] is {}; all dimensions but that of axis {axis} must be equal",
                i + 1,
                shape_text(other.shape),
                shape_text(first.shape)
            )));
        }
        shape[axis] = shape[axis]
            .checked_add(other.shape[axis])
            .ok_or_else(|| invalid("the dimensions add up to more than can be addressed"))?;
    }
    of_dtype(shape, first)
}

/// Returns the first operand's type.
pub(super) fn concat_slice(op: &ConcatSlice<Value>) -> Types {
    let (first, second) = (op.in0.shape, op.in1.shape);
    let axis = axis("axis", op.axis, first.len())?;
    if first.len() != second.len() || (0..first.len()).any(|d| d != axis && first[d] != second[d]) {
        let (is, expected) = (shape_text(second), shape_text(first));
        return Err(misfit(op.in1.display_name, format!("is {is}; it must be {expected} except for axis {axis}")));
    }
    same(&op.in0)
}

/// Stacks inputs of equal type along a new axis.
pub(super) fn pack(op: &Pack<Value>) -> Types {
    let Some(first) = op.inputs.first() else {
        return Err(invalid("there is nothing to stack"));
    };
    if let Some((i, other)) = op.inputs.iter().enumerate().find(|(_, other)| other.shape != first.shape) {
        let (this, that) = (shape_text(other.shape), shape_text(first.shape));
        return Err(invalid(format!("inputs[{i}] is {this} and inputs[0] is {that}; they must be equal")));
    }
    same_dtypes(&op.inputs)?;
    let count = op.inputs.len();
    if op.values_count != count as i64 {
        return Err(argument("values_count", op.values_count, format!("there are {count} inputs")));
    }
    let mut shape = first.shape.to_vec();
    check_rank(shape.len() + 1)?;
    shape.insert(axis("axis", op.axis, shape.len() + 1)?, count);
    of_dtype(shape, first)
}

/// Returns a vector with the elements of all inputs.
pub(super) fn list(op: &List<Value>) -> Types {
    let Some(first) = op.inputs.first() else {
        return Err(invalid("there is nothing to join"));
    };
    same_dtypes(&op.inputs)?;
    let count = op.inputs.iter().try_fold(0usize, |n, i| n.checked_add(i.elements()));
    of_dtype(vec![count.ok_or_else(|| invalid("the elements add up to more than can be addressed"))?], first)
}

fn same_dtypes(inputs: &[Value]) -> Result<()> {
    let others = inputs.iter().enumerate().skip(1);
    others.into_iter().try_for_each(|(i, v)| same_dtype((&format!("inputs[{i}]"), v), ("inputs[0]", &inputs[0])))
}

/// Returns one result per entry of the axis, which is removed.
pub(super) fn unpack(op: &Unpack<Value>) -> Types {
    let mut shape = op.input.shape.to_vec();
    let count = shape.remove(axis("axis", op.axis, shape.len())?);
    if count > MAX_PARTS {
        return Err(argument("axis", op.axis, format!("it has {count} entries; at most {MAX_PARTS} are supported")));
    }
    if shape.is_empty() {
        shape.push(1);
    }
    Ok(vec![Inferred { shape, dtype: Choice::Is(op.input.dtype) }; count])
}

/// Maximum number of results of a split.
const MAX_PARTS: usize = 4096;

/// Returns the sizes of the parts along the axis.
///
/// # Errors
/// Returns an error if the axis cannot be divided into these parts.
pub fn split_sizes<V>(dim: usize, op: &Split<V>) -> Result<Vec<usize>> {
    // A part has at least one entry.
    let num = usize::try_from(op.num).ok().filter(|n| (1..=dim).contains(n));
    let num =
        num.ok_or_else(|| argument("num", op.num, format!("expected 1 to {dim} parts, the entries of the axis")))?;
    let given = op.split_size.as_deref().unwrap_or_default();
    if given.is_empty() {
        if !dim.is_multiple_of(num) {
            return Err(argument("num", num, format!("it must divide the {dim} entries of the axis")));
        }
        return Ok(vec![dim / num; num]);
    }
    let sizes: Option<Vec<usize>> =
        given.iter().map(|&s| usize::try_from(s).ok().filter(|s| *s > 0 && *s <= dim)).collect();
    match sizes {
        Some(sizes) if sizes.len() == num && sizes.iter().fold(0, |n: usize, s| n.saturating_add(*s)) == dim => {
            Ok(sizes)
        }
        _ => Err(argument(
            "split_size",
            format!("{given:?}"),
            format!("expected {num} positive sizes that add up to the {dim} entries of the axis"),
        )),
    }
}

/// Returns one result per part.
pub(super) fn split(op: &Split<Value>) -> Types {
    let input = op.input.shape;
    let axis = axis("axis", op.axis, input.len())?;
    if op.num > MAX_PARTS as i64 {
        return Err(argument("num", op.num, format!("expected at most {MAX_PARTS} parts")));
    }
    let part = |size: usize| {
        let mut shape = input.to_vec();
        shape[axis] = size;
        Inferred { shape, dtype: Choice::Is(op.input.dtype) }
    };
    Ok(split_sizes(input[axis], op)?.into_iter().map(part).collect())
}

/// Returns the padding before and after each axis.
///
/// # Errors
/// Returns an error if the counts do not belong to the axes, are negative, or exceed what an axis can mirror.
pub fn pad_counts<V>(input: &[usize], op: &Pad<V>) -> Result<Vec<(usize, usize)>> {
    let (given, rank) = (&op.paddings, input.len());
    let fail = |why: String| Err(argument("paddings", format!("{given:?}"), why));
    if given.len() != 2 * rank {
        return fail(format!("expected {}: the counts before each of the {rank} axes, then after each", 2 * rank));
    }
    let counts: Option<Vec<usize>> = given.iter().map(|&n| usize::try_from(n).ok()).collect();
    let Some(counts) = counts else {
        return fail("expected counts of at least 0; slice cuts an axis".into());
    };
    for (a, &dim) in input.iter().enumerate() {
        // The mirror image is limited by the size of the axis.
        let most = match op.mode {
            PadMode::Reflect => dim.saturating_sub(1),
            PadMode::Symmetric => dim,
            PadMode::Constant | PadMode::Edge => continue,
        };
        if counts[a].max(counts[rank + a]) > most {
            let mode = op.mode.name();
            return fail(format!("axis {a} has {dim} entries, of which {mode} can mirror at most {most} at each end"));
        }
    }
    Ok((0..rank).map(|a| (counts[a], counts[rank + a])).collect())
}

/// Adds the padding to each axis of the input's shape.
pub(super) fn pad(op: &Pad<Value>) -> Types {
    if let Some(paddings) = &op.paddingsT {
        return Err(misfit(
            paddings.display_name,
            format!("is {}; counts that are a tensor are not supported", paddings.text()),
        ));
    }
    let grown = |(&dim, (before, after)): (&usize, (usize, usize))| dim.checked_add(before)?.checked_add(after);
    let shape: Option<Shape> = op.input.shape.iter().zip(pad_counts(op.input.shape, op)?).map(grown).collect();
    of_dtype(shape.ok_or_else(|| invalid("the dimensions add up to more than can be addressed"))?, &op.input)
}

/// Accepts only copies of the whole tensor, which all consumers interpret in the same way.
pub(super) fn copy(op: &Copy<Value>) -> Types {
    let shape: Vec<i64> = op.input.shape.iter().map(|&d| d as i64).collect();
    if op.shape != shape {
        return Err(argument("shape", format!("{:?}", op.shape), format!("expected {shape:?}, the input's")));
    }
    let mut dense = vec![1i64; shape.len()];
    for i in (1..shape.len()).rev() {
        dense[i - 1] = dense[i].saturating_mul(shape[i]);
    }
    let ones = vec![1; shape.len()];
    for (name, strides) in [("input_stride", &op.input_stride), ("output_stride", &op.output_stride)] {
        if *strides != ones && *strides != dense {
            let expected = format!("expected {ones:?} or {dense:?}, which both mean all elements in order");
            return Err(argument(name, format!("{strides:?}"), expected));
        }
    }
    same(&op.input)
}
