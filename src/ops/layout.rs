//! Data movement: `reshape`, `permute`, `squeeze`, `unsqueeze`, `concat`, `split`, `slice`.
use super::{
    activation::round_mode,
    function,
    shape::{Inference, axes},
};
use crate::graph::{
    Attribute, Attributes, Cause, Dtype, Lowering, NewShape, OneOrMany, Operand, Result, Shape, Tensor, TensorInfo,
    TensorKind, argument, invalid, shape_text,
};

function! {
    "The same elements in another shape. In `new_shape` 0 keeps the input's dimension there and one -1 is inferred.";
    example "let y = g.reshape(x, vec![0, -1]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 192]);";
    reshape => Reshape -> Tensor {
        "Of any dtype." tensor: Operand,
        "The new dimensions; or an integer coefficient that holds them." new_shape: NewShape,
        ;
    }
}

function! {
    "Axes in another order: axis `i` of the output is axis `order[i]` of the input.";
    example "let y = g.permute(x, vec![0, 2, 3, 1]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 8, 8, 3]);";
    permute => Permute -> Tensor {
        "Of any dtype." input: Operand,
        "Each axis once." order: Vec<i64>,
        ;
    }
}

function! {
    "Drops axes of size 1; an empty list drops all of them.";
    example "let y = g.squeeze(x, vec![0]).call()?;\nassert_eq!(g.tensor(y)?.shape, [3, 8, 8]);";
    squeeze => Squeeze -> Tensor {
        "Of any dtype." tensor_i: Operand,
        "Counted from the end where negative." axis: Vec<i64>,
        ;
    }
}

function! {
    "Inserts axes of size 1.";
    example "let y = g.unsqueeze(x).axes(vec![0, -1]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 1, 3, 8, 8, 1]);";
    unsqueeze => Unsqueeze -> Tensor {
        "Of any dtype." input: Operand,
        ;
        "Positions in the output, counted from the end where negative." axes: Vec<i64> = [1i64, 2],
    }
}

function! {
    "Tensors joined along an axis; all other dimensions are equal.";
    example "let y = g.concat(vec![x.into(), x.into()]).axis(1).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 6, 8, 8]);";
    concat => Concat -> Tensor {
        "At least two, of one dtype." inputs: Vec<Operand>,
        ;
        "Scales of the inputs and, last, of the output." scales: Vec<f64>,
        "Zero points of the inputs and, last, of the output." zero_points: Vec<i64>,
        "Counted from the end where it is negative." axis: i64 = 0i64,
        "Unless it is a float, the output gets the last scale and zero point." dtype: Dtype = Dtype::Float32,
        "How requantization rounds: half_away_from_zero, half_up, half_down, half_to_even, towards_zero, up or down." round_mode: String = "half_away_from_zero",
    }
}

function! {
    "A tensor cut along an axis into `num` parts, equal or of `size`.";
    example "let parts = g.split(x).axis(1).num(2).size(vec![1, 2]).out_names([\"a\", \"b\"]).call()?;\nassert_eq!(g.tensor(parts[1])?.shape, [1, 2, 8, 8]);";
    split => Split -> Vec<Tensor> {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        ;
        "Counted from the end where it is negative." axis: i64 = 0i64,
        "Number of parts, at least 2." num: i64 = 1i64,
        "Their sizes; equal where absent." size: Vec<i64>,
    }
}

function! {
    "A strided range of some axes: from `starts` up to but without `ends`.";
    example "let y = g.slice(x, [1, 0], [8, 4]).steps([2, 1]).axes([2, 3]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 4, 4]);";
    slice => Slice -> Tensor {
        "Of any dtype." input: Operand,
        "First positions, counted from the end where negative." starts: OneOrMany<i64>,
        "Ends, counted from the end where negative; beyond the end means the end." ends: OneOrMany<i64>,
        ;
        "Steps, not 0; negative ones go backwards." steps: OneOrMany<i64>,
        "The axes meant; by default the first ones." axes: OneOrMany<i64>,
    }
}

impl Reshape {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.info(&self.tensor)?.dtype;
        match &self.new_shape {
            NewShape::Dims(dims) => to.emit("Reshape", &[Some(&self.tensor)], [("shape", dims.clone().into())], dtype),
            NewShape::Tensor(dims) => to.emit("Reshape", &[Some(&self.tensor), Some(dims)], [], dtype),
        }
    }
}

impl Permute {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.info(&self.input)?.dtype;
        to.emit("Permute", &[Some(&self.input)], [("order", self.order.clone().into())], dtype)
    }
}

impl Squeeze {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.info(&self.tensor_i)?.dtype;
        to.emit("Squeeze", &[Some(&self.tensor_i)], [("axes", self.axis.clone().into())], dtype)
    }
}

impl Unsqueeze {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.info(&self.input)?.dtype;
        to.emit("Unsqueeze", &[Some(&self.input)], [("axes", self.axes().into())], dtype)
    }
}

impl Concat {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let count = self.inputs.len();
        let [first, rest @ ..] = self.inputs.as_slice() else {
            return Err(argument("inputs", "empty", "expected at least two tensors"));
        };
        if rest.is_empty() {
            return Err(argument("inputs", "a list of 1", "expected at least two tensors"));
        }
        let expected = |n| format!("expected {}: one an input and one for the output, not {n}", count + 1);
        for (name, len) in
            [("scales", self.scales.as_ref().map(Vec::len)), ("zero_points", self.zero_points.as_ref().map(Vec::len))]
        {
            if let Some(n) = len.filter(|n| *n != count + 1) {
                return Err(argument(name, format!("a list of {n}"), expected(n)));
            }
        }
        for (i, other) in rest.iter().enumerate() {
            to.same_dtype((&format!("inputs[{}]", i + 1), other), ("inputs[0]", first))?;
        }
        let dtype = to.info(first)?.dtype;
        let scale = |i: usize| self.scales.as_ref().map(|s| s[i].into());
        let zero_point = |i: usize| self.zero_points.as_ref().map(|z| z[i].into());
        for (i, input) in self.inputs.iter().enumerate() {
            to.quantize(input, scale(i), zero_point(i))?;
        }
        let operands: Vec<_> = self.inputs.iter().map(Some).collect();
        let attributes = [("axis", self.axis().into()), ("round_mode", round_mode("round_mode", &self.round_mode())?)];
        let outputs = to.emit("Concat", &operands, attributes, dtype)?;
        if !self.dtype().is_float() {
            to.quantize_tensor(outputs[0], scale(count), zero_point(count))?;
        }
        Ok(outputs)
    }
}

impl Split {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let allowed = [Dtype::Float32, Dtype::Float16, Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16];
        let dtype = to.dtype("input", &self.input, &allowed)?;
        let num = self.num();
        if !(2..=4096).contains(&num) {
            return Err(argument("num", num, "expected 2 to 4096 parts"));
        }
        let dtypes = vec![dtype; num as usize];
        let (axis, num) = (("axis", Attribute::Int(self.axis())), ("num", Attribute::Int(num)));
        match self.size.clone().filter(|s| !s.is_empty()) {
            Some(size) => {
                to.emit_many("Split", &[Some(&self.input)], [axis, num, ("split_size", size.into())], &dtypes)
            }
            None => to.emit_many("Split", &[Some(&self.input)], [axis, num], &dtypes),
        }
    }
}

impl Slice {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.info(&self.input)?.dtype;
        let (starts, ends) = (self.starts.to_vec(), self.ends.to_vec());
        let steps = match &self.steps {
            None => vec![1; starts.len()],
            Some(steps) => steps.to_vec(),
        };
        let axes = self.axes.as_ref().map(OneOrMany::to_vec);
        if ends.len() != starts.len()
            || steps.len() != starts.len()
            || axes.as_ref().is_some_and(|a| a.len() != starts.len())
        {
            let axes = axes.map_or(String::new(), |a| format!(" and {} axes", a.len()));
            return Err(invalid(format!(
                "{} starts, {} ends, {} steps{axes}; expected equally many",
                starts.len(),
                ends.len(),
                steps.len()
            )));
        }
        let axes = axes.unwrap_or_default();
        // The tool chain takes the entries by position once every axis is named, so they stand in the axes' order.
        let rank = to.info(&self.input)?.shape.len() as i64;
        let mut order: Vec<usize> = (0..starts.len()).collect();
        if axes.len() as i64 == rank {
            order.sort_by_key(|&i| if axes[i] < 0 { axes[i].saturating_add(rank) } else { axes[i] });
        }
        let sorted = |v: &[i64]| Attribute::Ints(order.iter().filter_map(|&i| v.get(i).copied()).collect());
        let attributes =
            [("offset", sorted(&starts)), ("steps", sorted(&steps)), ("ends", sorted(&ends)), ("axes", sorted(&axes))];
        to.emit("Slice", &[Some(&self.input), None, None, None], attributes, dtype)
    }
}

/// The values of a small integer coefficient, as shape operands are.
fn known_values(t: &TensorInfo) -> Result<Vec<i64>> {
    match &t.kind {
        TensorKind::Coefficient(Some(data)) if t.dtype.is_int() && t.elements() <= 32 => {
            Ok(data.to_f64()?.into_iter().map(|v| v as i64).collect())
        }
        _ => Err(invalid(format!(
            "the new shape is {:?} ({}); expected an integer coefficient of at most 32 elements, whose data are known",
            t.name,
            t.type_text()
        ))),
    }
}

/// `shape` with 0 and -1 resolved.
pub(super) fn reshape_shape(of: &Inference) -> Result<Vec<Shape>> {
    let input = of.shape(0)?;
    let dims = match of.operands.get(1).copied().flatten() {
        Some(t) => known_values(t)?,
        None if of.attributes.get("shape").is_none() => {
            let problem = "it has neither the attribute shape nor the operand shapeT".to_owned();
            return Err(Cause::Operator { op: of.op.name.into(), problem }.into());
        }
        None => of.attributes.ints("shape"),
    };
    let count: usize = input.iter().product();
    let fail = |why: &str| {
        Err(argument(
            "new_shape",
            format!("{dims:?}"),
            format!("{why}; the input is {} ({count} elements)", shape_text(input)),
        ))
    };
    let mut shape = Shape::with_capacity(dims.len());
    let mut open = None;
    for (i, &d) in dims.iter().enumerate() {
        shape.push(match d {
            0 => match input.get(i) {
                Some(&d) => d,
                None => return fail(&format!("dimension {i} is 0, and the input has none there to keep")),
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
            return fail(&format!("the known dimensions make {known}, which does not divide the input"));
        }
        shape[at] = count / known;
    } else if known != count {
        return fail(&format!("it has {known} elements"));
    }
    Ok(vec![shape])
}

/// The input's dimensions in another order.
pub(super) fn permute_shape(of: &Inference) -> Result<Vec<Shape>> {
    let input = of.shape(0)?;
    let order = of.attributes.ints("order");
    if order.len() != input.len() {
        return Err(argument("order", format!("{order:?}"), format!("expected each of the {} axes once", input.len())));
    }
    Ok(vec![axes("order", &order, input.len())?.into_iter().map(|a| input[a]).collect()])
}

/// Without the axes, which must be 1.
pub(super) fn squeeze_shape(of: &Inference) -> Result<Vec<Shape>> {
    let input = of.shape(0)?;
    let given = of.attributes.ints("axes");
    let dropped: Vec<usize> = if given.is_empty() {
        (0..input.len()).filter(|&i| input[i] == 1).collect()
    } else {
        axes("axis", &given, input.len())?
    };
    if let Some(&a) = dropped.iter().find(|&&a| input[a] != 1) {
        return Err(argument(
            "axis",
            format!("{given:?}"),
            format!("axis {a} of {} is {}; only 1 can be dropped", shape_text(input), input[a]),
        ));
    }
    let mut shape: Shape = (0..input.len()).filter(|i| !dropped.contains(i)).map(|i| input[i]).collect();
    if shape.is_empty() {
        shape.push(1);
    }
    Ok(vec![shape])
}

/// With 1 at each position of the result.
pub(super) fn unsqueeze_shape(of: &Inference) -> Result<Vec<Shape>> {
    let input = of.shape(0)?;
    let given = of.attributes.ints("axes");
    let rank = input.len() + given.len();
    let at = axes("axes", &given, rank)?;
    let mut rest = input.iter();
    Ok(vec![(0..rank).map(|i| if at.contains(&i) { 1 } else { rest.next().copied().unwrap_or(1) }).collect()])
}

/// The sum along the axis.
pub(super) fn concat_shape(of: &Inference) -> Result<Vec<Shape>> {
    let mut shape = of.shape(0)?.to_vec();
    let axis = of.axis("axis", shape.len())?;
    for i in 1..of.operands.len() {
        let other = of.shape(i)?;
        let fits = other.len() == shape.len() && (0..shape.len()).all(|d| d == axis || other[d] == shape[d]);
        if !fits {
            let first = shape_text(of.shape(0)?);
            return Err(invalid(format!(
                "inputs[{i}] is {} and inputs[0] is {first}; all dimensions but that of axis {axis} must be equal",
                shape_text(other)
            )));
        }
        shape[axis] = shape[axis]
            .checked_add(other[axis])
            .ok_or_else(|| invalid("the dimensions add up to more than can be addressed"))?;
    }
    Ok(vec![shape])
}

/// The sizes of the parts along the axis.
pub(crate) fn split_sizes(dim: usize, attributes: &Attributes) -> Result<Vec<usize>> {
    let num = usize::try_from(attributes.int("num")).unwrap_or(0);
    let given = attributes.ints("split_size");
    if given.is_empty() {
        if !dim.is_multiple_of(num) {
            return Err(argument("num", num, format!("it must divide the {dim} entries of the axis")));
        }
        return Ok(vec![dim / num; num]);
    }
    let sizes: Option<Vec<usize>> =
        given.iter().map(|&s| usize::try_from(s).ok().filter(|s| *s > 0 && *s <= dim)).collect();
    match sizes {
        Some(sizes) if sizes.len() == num && sizes.iter().sum::<usize>() == dim => Ok(sizes),
        _ => Err(argument(
            "size",
            format!("{given:?}"),
            format!("expected {num} positive sizes that add up to the {dim} entries of the axis"),
        )),
    }
}

/// One shape a part.
pub(super) fn split_shape(of: &Inference) -> Result<Vec<Shape>> {
    let input = of.shape(0)?;
    let axis = of.axis("axis", input.len())?;
    let shapes: Vec<Shape> = split_sizes(input[axis], of.attributes)?
        .into_iter()
        .map(|size| {
            let mut shape = input.to_vec();
            shape[axis] = size;
            shape
        })
        .collect();
    if shapes.len() != of.results {
        return Err(argument("num", shapes.len(), format!("{} outputs are named", of.results)));
    }
    Ok(shapes)
}

/// One axis of a slice: `count` entries from `start`, `step` apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    pub start: usize,
    pub step: i64,
    pub count: usize,
}

/// The range of each axis. As TPU-MLIR has it, an end of -1 without `axes` means the whole axis.
pub(crate) fn slice_ranges(input: &[usize], attributes: &Attributes) -> Result<Vec<Range>> {
    let (offset, steps, ends) = (attributes.ints("offset"), attributes.ints("steps"), attributes.ints("ends"));
    let given = attributes.ints("axes");
    if steps.len() != offset.len()
        || ends.len() != offset.len()
        || (!given.is_empty() && given.len() != offset.len())
        || offset.len() > input.len()
    {
        return Err(invalid(format!(
            "{} offsets, {} steps, {} ends for {} axes of an input with {}",
            offset.len(),
            steps.len(),
            ends.len(),
            given.len(),
            input.len()
        )));
    }
    let at = if given.is_empty() { (0..offset.len()).collect() } else { axes("axes", &given, input.len())? };
    let mut ranges: Vec<Range> = input.iter().map(|&d| Range { start: 0, step: 1, count: d }).collect();
    for (i, a) in at.into_iter().enumerate() {
        let dim = input[a] as i64;
        let (step, whole) = (steps[i], given.is_empty() && ends[i] == -1 && steps[i] > 0);
        if step == 0 {
            return Err(argument("steps", 0, "a step is at least 1, or at most -1 to go backwards"));
        }
        let from_end = |v: i64| if v < 0 { v.saturating_add(dim) } else { v };
        let (low, high) = if step > 0 { (0, dim) } else { (-1, dim - 1) };
        let start = from_end(offset[i]).clamp(0, if step > 0 { dim } else { dim - 1 });
        // Going backwards, -1 can only be written as something before the first entry.
        let end = if whole { dim } else { from_end(ends[i]).clamp(low, high) };
        let span = if step > 0 { end - start } else { start - end };
        if span <= 0 {
            return Err(invalid(format!(
                "the slice of axis {a} from {} to {} by {step} is empty; the axis has {dim} entries",
                offset[i], ends[i]
            )));
        }
        let count = (span as u64).div_ceil(step.unsigned_abs()) as usize;
        ranges[a] = Range { start: start as usize, step, count };
    }
    Ok(ranges)
}

/// The counts of the ranges.
pub(super) fn slice_shape(of: &Inference) -> Result<Vec<Shape>> {
    if of.operands.iter().skip(1).any(Option::is_some) {
        let problem = "offsets, ends or steps that are tensors are not supported".to_owned();
        return Err(Cause::Operator { op: of.op.name.into(), problem }.into());
    }
    Ok(vec![slice_ranges(of.shape(0)?, of.attributes)?.into_iter().map(|r| r.count).collect()])
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Dtype, Graph};

    #[test]
    fn reshapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3, 4]).unwrap();
        for (dims, expected) in [
            (vec![0, -1], vec![2, 12]),
            (vec![-1], vec![24]),
            (vec![4, 3, 2], vec![4, 3, 2]),
            (vec![0, 0, 2, -1], vec![2, 3, 2, 2]),
        ] {
            let y = g.reshape(x, dims).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, expected);
        }
        for (dims, message) in [
            (
                vec![5, -1],
                "new_shape is [5, -1]; the known dimensions make 5, which does not divide the input; the input is 2x3x4 (24 elements)",
            ),
            (vec![-1, -1], "new_shape is [-1, -1]; only one dimension can be -1; the input is 2x3x4 (24 elements)"),
            (
                vec![1, 1, 1, 0],
                "new_shape is [1, 1, 1, 0]; dimension 3 is 0, and the input has none there to keep; the input is 2x3x4 (24 elements)",
            ),
            (
                vec![i64::MAX, i64::MAX],
                "new_shape is [9223372036854775807, 9223372036854775807]; it has too many elements; the input is 2x3x4 (24 elements)",
            ),
        ] {
            assert_eq!(first(g.reshape(x, dims).call().unwrap_err()), format!("reshape (ops[4]): {message}"));
        }
        let s = g.coefficient("s", crate::Array::from([3i32, 8])).unwrap();
        let y = g.reshape(x, s).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [3, 8]);
    }

    #[test]
    fn slices_count_as_numpy_does() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [10]).unwrap();
        // start, end, step -> entries, with axes given
        for (start, end, step, count) in
            [(0, 10, 1, 10), (1, i64::MAX, 3, 3), (-3, -1, 1, 2), (8, 2, -2, 3), (9, i64::MIN, -1, 10), (-100, 4, 1, 4)]
        {
            let y = g.slice(x, start, end).steps(step).axes(0).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [count], "{start}..{end} by {step}");
        }
        let m = g.input("m", Dtype::Float32, [4, 7]).unwrap();
        let y = g.slice(m, [0, -3], [i64::MAX, 5]).steps([3, 2]).axes([1, 0]).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [2, 3]);
        assert_eq!(g.operators().last().unwrap().attributes.ints("axes"), [0, 1], "in the axes' order");
        let y = g.slice(x, 2, -1).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [8]);
        assert_eq!(
            first(g.slice(x, 5, 5).axes(0).call().unwrap_err()),
            "slice (ops[8]): the slice of axis 0 from 5 to 5 by 1 is empty; the axis has 10 entries"
        );
        assert_eq!(
            first(g.slice(x, 5, 6).steps(0).call().unwrap_err()),
            "slice (ops[8]): steps is 0; a step is at least 1, or at most -1 to go backwards"
        );
        assert_eq!(
            first(g.slice(x, [5, 6], 6).call().unwrap_err()),
            "slice (ops[8]): 2 starts, 1 ends, 2 steps; expected equally many"
        );
    }

    #[test]
    fn the_rest() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 3, 1, 6]).unwrap();
        let i = g.input("i", Dtype::Int8, [1, 3, 1, 6]).unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let y = g.squeeze(x, vec![]).call().unwrap();
        assert_eq!(shape(&g, y), [3, 6]);
        let y = g.squeeze(x, vec![-2]).call().unwrap();
        assert_eq!(shape(&g, y), [1, 3, 6]);
        let parts = g.split(x).axis(-1).num(3).out_name("p").call().unwrap();
        assert_eq!(shape(&g, parts[2]), [1, 3, 1, 2]);
        assert_eq!(g.tensor(parts[2]).unwrap().name, "p_2");
        assert_eq!(
            first(g.squeeze(x, vec![1]).call().unwrap_err()),
            "squeeze (ops[3]): axis is [1]; axis 1 of 1x3x1x6 is 3; only 1 can be dropped"
        );
        assert_eq!(
            first(g.permute(x, vec![0, 0, 1, 2]).call().unwrap_err()),
            "permute (ops[3]): order is [0, 0, 1, 2]; axis 0 occurs twice"
        );
        assert_eq!(
            first(g.split(x).axis(1).num(2).call().unwrap_err()),
            "split (ops[3]): num is 2; it must divide the 3 entries of the axis"
        );
        assert_eq!(
            first(g.concat(vec![x.into(), i.into()]).call().unwrap_err()),
            "concat (ops[3]): inputs[1] is int8 and inputs[0] is float32; they must have the same dtype"
        );
        assert_eq!(
            first(g.concat(vec![x.into(), y.into()]).call().unwrap_err()),
            "concat (ops[3]): inputs[1] is 1x3x6 and inputs[0] is 1x3x1x6; all dimensions but that of axis 0 must be equal"
        );
    }
}
