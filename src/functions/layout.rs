//! Data movement: `reshape`, `permute`, `squeeze`, `unsqueeze`, `concat`, `split`, `slice`, `pad`.
use super::{
    argument::{NewShape, OneWord, Operands, Scalar},
    dtypes::MOVED,
    function,
    lowering::Lowering,
};
use crate::{
    base::{Dtype, Ints, OneOrMany, Result, argument, invalid},
    graph::{Operand, Tensor},
    ops::{self, PadMode},
    quant::RoundMode,
};

function! {
    Reshape -> Tensor {
        "Of any dtype." tensor: Operand,
        "The new dimensions; or an integer coefficient that holds them." new_shape: NewShape,
        ;
    }
    reshape: "The same elements in another shape. In `new_shape` 0 keeps the input's dimension there and one -1 is inferred.",
        example |g, x, i| {
            let y = g.reshape(x, [0, -1]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 192]);
        },
        => |args, to| args.lower(to);
}

function! {
    Permute -> Tensor {
        "Of any dtype." input: Operand,
        "Each axis once." order: Ints,
        ;
    }
    permute: "Axes in another order: axis `i` of the output is axis `order[i]` of the input.",
        example |g, x, i| {
            let y = g.permute(x, [0, 2, 3, 1]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 8, 8, 3]);
        },
        => |args, to| args.lower(to);
}

function! {
    Squeeze -> Tensor {
        "Of any dtype." tensor_i: Operand,
        "Counted from the end where negative." axis: Ints,
        ;
    }
    squeeze: "Drops axes of size 1; an empty list drops all of them.",
        example |g, x, i| {
            let y = g.squeeze(x, [0]).call()?;
            assert_eq!(g.tensor(y)?.shape, [3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Unsqueeze -> Tensor {
        "Of any dtype." input: Operand,
        ;
        "Positions in the output, counted from the end where negative." axes: Ints = [1, 2],
    }
    unsqueeze: "Inserts axes of size 1.",
        example |g, x, i| {
            let y = g.unsqueeze(x).axes([0, -1]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 1, 3, 8, 8, 1]);
        },
        => |args, to| args.lower(to);
}

function! {
    Concat -> Tensor {
        "At least two, of one dtype." inputs: Operands,
        ;
        "Scales of the inputs and, last, of the output." scales: Vec<f64>,
        "Zero points of the inputs and, last, of the output." zero_points: Vec<i64>,
        "Counted from the end where it is negative." axis: i64 = 0i64,
        "Unless it is a float, the output gets the last scale and zero point." dtype: Dtype = Dtype::Float32,
        "How requantization rounds." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    concat: "Tensors joined along an axis; all other dimensions are equal.",
        example |g, x, i| {
            let y = g.concat([x, x]).axis(1).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 6, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Split -> Vec<Tensor> {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        ;
        "Counted from the end where it is negative." axis: i64 = 0i64,
        "Number of parts, at least 2." num: i64 = 1i64,
        "Their sizes; equal where absent." size: Ints,
    }
    split: "A tensor cut along an axis into `num` parts, equal or of `size`.",
        example |g, x, i| {
            let parts = g.split(x).axis(1).num(2).size([1, 2]).out_names(["a", "b"]).call()?;
            assert_eq!(g.tensor(parts[1])?.shape, [1, 2, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Slice -> Tensor {
        "Of any dtype." input: Operand,
        "First positions, counted from the end where negative." starts: OneOrMany<i64>,
        "Ends, counted from the end where negative; beyond the end means the end." ends: OneOrMany<i64>,
        ;
        "Steps, not 0; negative ones go backwards." steps: OneOrMany<i64>,
        "The axes meant; by default the first ones." axes: OneOrMany<i64>,
    }
    slice: "A strided range of some axes: from `starts` up to but without `ends`.",
        example |g, x, i| {
            let y = g.slice(x, [1, 0], [8, 4]).steps([2, 1]).axes([2, 3]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 4, 4]);
        },
        => |args, to| args.lower(to);
}

impl OneWord for PadMode {
    const NAME: &'static str = "method";
    fn words() -> Vec<(Self, &'static str)> {
        [PadMode::Constant, PadMode::Reflect, PadMode::Symmetric, PadMode::Edge].map(|m| (m, m.name())).into()
    }
}

function! {
    Pad -> Tensor {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        ;
        "What the margin holds: `value`, the mirror image without the edge (`reflect`) or with it (`symmetric`), or the edge." method: PadMode = PadMode::Constant,
        "For `constant`, as it is stored where the input is quantized; 0 where absent." value: Scalar,
        "The counts before each axis, then after each; none where absent." padding: Ints,
    }
    pad: "A margin around each axis.",
        example |g, x, i| {
            let y = g.pad(x).padding([0, 0, 1, 2, 0, 0, 3, 4]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 12, 14]);
            let z = g.pad(x).method(ops::PadMode::Edge).padding([0, 0, 0, 1, 0, 0, 0, 1]).call()?;
            assert_eq!(g.tensor(z)?.shape, [1, 3, 8, 10]);
        },
        => |args, to| args.lower(to);
}

impl Reshape {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let op = ops::Reshape::new(to.tensor(&self.tensor)?);
        let op = match &self.new_shape {
            NewShape::Dims(dims) => ops::Reshape { shape: Some(dims.0.clone()), ..op },
            NewShape::Tensor(dims) => ops::Reshape { shapeT: Some(to.tensor(dims)?), ..op },
        };
        to.called(&[("shape", "new_shape")]).emit(op)
    }
}

impl Permute {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.emit(ops::Permute::new(to.tensor(&self.input)?, self.order.0.clone()))
    }
}

impl Squeeze {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let op = ops::Squeeze::new(to.tensor(&self.tensor_i)?, self.axis.0.clone());
        to.called(&[("axes", "axis")]).emit(op)
    }
}

impl Unsqueeze {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.emit(ops::Unsqueeze::new(to.tensor(&self.input)?, self.axes().0))
    }
}

impl Concat {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let inputs = &self.inputs.0;
        let count = inputs.len();
        if count < 2 {
            return Err(argument("inputs", format!("a list of {count}"), "expected at least two tensors"));
        }
        let lists =
            [("scales", self.scales.as_ref().map(Vec::len)), ("zero_points", self.zero_points.as_ref().map(Vec::len))];
        let wrong = lists.into_iter().find_map(|(name, n)| Some((name, n.filter(|n| *n != count + 1)?)));
        if let Some((name, n)) = wrong {
            let expected = format!("expected {}: one an input and one for the output", count + 1);
            return Err(argument(name, format!("a list of {n}"), expected));
        }
        for (i, other) in inputs.iter().enumerate().skip(1) {
            to.same_dtype((&format!("inputs[{i}]"), other), ("inputs[0]", &inputs[0]))?;
        }
        let scale = |i: usize| self.scales.as_ref().map(|s| s[i].into());
        let zero_point = |i: usize| self.zero_points.as_ref().map(|z| z[i].into());
        for (i, input) in inputs.iter().enumerate() {
            to.quantize(input, scale(i), zero_point(i))?;
        }
        let operands = inputs.iter().map(|t| to.tensor(t)).collect::<Result<_>>()?;
        let op = ops::Concat { axis: self.axis(), round_mode: self.round_mode(), ..ops::Concat::new(operands) };
        let outputs = to.emit(op)?;
        if !self.dtype().is_float() {
            to.quantize_tensor(outputs[0], scale(count), zero_point(count))?;
        }
        Ok(outputs)
    }
}

impl Split {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, MOVED)?;
        let num = self.num();
        if !(2..=4096).contains(&num) {
            return Err(argument("num", num, "expected 2 to 4096 parts"));
        }
        let split_size = self.size.clone().map(|s| s.0).filter(|s| !s.is_empty());
        let op = ops::Split { split_size, ..ops::Split::new(to.tensor(&self.input)?, self.axis(), num) };
        to.called(&[("split_size", "size")]).emit_many(op, num as usize, None)
    }
}

impl Slice {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let (starts, ends) = (self.starts.to_vec(), self.ends.to_vec());
        let steps = self.steps.as_ref().map_or_else(|| vec![1; starts.len()], OneOrMany::to_vec);
        let axes = self.axes.as_ref().map(OneOrMany::to_vec);
        let n = starts.len();
        if ends.len() != n || steps.len() != n || axes.as_ref().is_some_and(|a| a.len() != n) {
            let axes = axes.map_or(String::new(), |a| format!(" and {} axes", a.len()));
            let (ends, steps) = (ends.len(), steps.len());
            return Err(invalid(format!("{n} starts, {ends} ends, {steps} steps{axes}; expected equally many")));
        }
        let axes = axes.unwrap_or_default();
        // The tool chain takes the entries by position once every axis is named, so they stand in the axes' order.
        let rank = to.info(&self.input)?.shape.len() as i64;
        let mut order: Vec<usize> = (0..n).collect();
        if axes.len() as i64 == rank {
            order.sort_by_key(|&i| if axes[i] < 0 { axes[i].saturating_add(rank) } else { axes[i] });
        }
        let sorted = |v: &[i64]| order.iter().filter_map(|&i| v.get(i).copied()).collect();
        let op = ops::Slice::new(to.tensor(&self.input)?, sorted(&starts), sorted(&steps), sorted(&ends));
        to.called(&[("offset", "starts")]).emit(ops::Slice { axes: sorted(&axes), ..op })
    }
}

impl Pad {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, MOVED)?;
        let rank = to.info(&self.input)?.shape.len();
        let paddings = self.padding.as_ref().map_or_else(|| vec![0; 2 * rank], |p| p.0.clone());
        let op = ops::Pad::new(to.tensor(&self.input)?, self.method(), paddings);
        let op = ops::Pad { val: self.value.map_or(0.0, |v| v.value), ..op };
        to.called(&[("paddings", "padding")]).emit(op)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
        ops::PadMode,
    };

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
        let crate::ops::Op::Slice(op) = &g.operators().last().unwrap().op else { panic!("a slice") };
        assert_eq!(op.axes, [0, 1], "in the axes' order");
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
    fn pads() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int16, [2, 3]).unwrap();
        for (method, padding, expected) in [
            (PadMode::Constant, [1, 0, 0, 7], [3, 10]),
            (PadMode::Edge, [0, 9, 0, 0], [2, 12]),
            (PadMode::Reflect, [1, 2, 0, 2], [3, 7]),
            (PadMode::Symmetric, [2, 3, 2, 0], [6, 6]),
        ] {
            let y = g.pad(x).method(method).padding(padding).value(1).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, expected, "{method:?}");
        }
        let y = g.pad(x).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [2, 3]);
        let counts = g.coefficient("counts", crate::Array::from([0i32, 1, 0, 1])).unwrap();
        let op = crate::ops::Pad { paddingsT: Some(counts), ..crate::ops::Pad::new(x, PadMode::Edge, vec![0; 4]) };
        assert_eq!(
            first(g.op(op).call().unwrap_err()),
            "top.Pad (ops[5]): paddingsT is 4 int32; counts that are a tensor are not supported"
        );
    }

    #[test]
    fn the_rest() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 3, 1, 6]).unwrap();
        let i = g.input("i", Dtype::Int8, [1, 3, 1, 6]).unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let y = g.squeeze(x, [0i64; 0]).call().unwrap();
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
            first(g.concat([x, i]).call().unwrap_err()),
            "concat (ops[3]): inputs[1] is int8 and inputs[0] is float32; they must have the same dtype"
        );
        assert_eq!(
            first(g.concat([x, y]).call().unwrap_err()),
            "concat (ops[3]): inputs[1] is 1x3x6 and inputs[0] is 1x3x1x6; all dimensions but that of axis 0 must be equal"
        );
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "layout",
            &[
                r#"{"op": "split", "args": {"input": "x", "axis": 2, "num": 4}, "out": ["y", "z"]}"#,
                r#"{"op": "split", "args": {"input": "x", "axis": 2, "num": 9000000000}, "out": "y"}"#,
                r#"{"op": "split", "args": {"input": "x", "axis": 2, "num": 2, "size": [1, 2]}, "out": "y"}"#,
                r#"{"op": "squeeze", "args": {"tensor_i": "x", "axis": [1]}, "out": "y"}"#,
                r#"{"op": "reshape", "args": {"tensor": "x", "new_shape": [5, -1]}, "out": "y"}"#,
                r#"{"op": "concat", "args": {"inputs": ["x", "v"]}, "out": "y"}"#,
                r#"{"op": "concat", "args": {"inputs": "x"}, "out": "y"}"#,
                r#"{"op": "pad", "args": {"input": "x", "padding": [1, 1]}, "out": "y"}"#,
                r#"{"op": "pad", "args": {"input": "x", "padding": [0, 0, -1, 0, 0, 0, 0, 0]}, "out": "y"}"#,
                r#"{"op": "pad", "args": {"input": "x", "method": "reflect", "padding": [0, 0, 8, 0, 0, 0, 0, 0]}, "out": "y"}"#,
                r#"{"op": "pad", "args": {"input": "x", "method": "symmetric", "padding": [0, 0, 0, 0, 0, 4, 0, 0]}, "out": "y"}"#,
                r#"{"op": "pad", "args": {"input": "x", "method": "mirror"}, "out": "y"}"#,
                r#"{"op": "pad", "args": {"input": "x", "padding": [0, 0, 9223372036854775807, 0, 0, 0, 9223372036854775807, 0]}, "out": "y"}"#,
                r#"{"op": "pad", "args": {"input": "x", "padding": [0, 0, 4000000000, 4000000000, 0, 0, 0, 0]}, "out": "y"}"#,
            ],
        );
    }
}
