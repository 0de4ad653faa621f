//! Data movement: `copy`, `reshape`, `permute`, `squeeze`, `unsqueeze`, `concat`, `split`, `pad`.
use super::{
    argument::StringEnum,
    dtypes::{FLOATS_AND_BYTES, MOVED},
    function,
    lowering::Lowering,
    operands::{NewShape, Operands, Scalar},
};
use crate::{
    Operand, Tensor,
    base::{Dtype, Ints, Result, argument},
    ops::{self, PadMode},
    quant::RoundMode,
};

function! {
    Reshape -> Tensor {
        "Any dtype." tensor: Operand,
        "The new dimensions, or an integer coefficient with them." new_shape: NewShape,
        ;
    }
    reshape: "Changes the shape. In `new_shape`, 0 keeps the input's dimension and one -1 is inferred.",
        example |g, x, i| {
            let y = x.reshape([0, -1]).call()?;
            assert_eq!(y.shape()?, [1, 192]);
        },
        => |args, to| args.lower(to);
}

function! {
    Copy -> Tensor {
        "float32, float16, int8 or uint8." input: Operand,
        ;
    }
    copy: "A copy. A quantized output has the input's scale and zero point.",
        example |g, x, i| {
            let y = x.copy().call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Permute -> Tensor {
        "Any dtype." input: Operand,
        "Each axis once; negative values count from the end." order: Ints,
        ;
    }
    permute: "Reorders the axes: axis `i` of the output is axis `order[i]` of the input.",
        example |g, x, i| {
            let y = x.permute([0, 2, 3, 1]).call()?;
            assert_eq!(y.shape()?, [1, 8, 8, 3]);
        },
        => |args, to| args.lower(to);
}

function! {
    Squeeze -> Tensor {
        "Any dtype." tensor_i: Operand,
        "Negative values count from the end." axis: Ints,
        ;
    }
    squeeze: "Removes axes of size 1; an empty list removes all of them.",
        example |g, x, i| {
            let y = x.squeeze([0]).call()?;
            assert_eq!(y.shape()?, [3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Unsqueeze -> Tensor {
        "Any dtype." input: Operand,
        ;
        "Positions in the output; negative values count from the end." axes: Ints = [1, 2],
    }
    unsqueeze: "Inserts axes of size 1.",
        example |g, x, i| {
            let y = x.unsqueeze().axes([0, -1]).call()?;
            assert_eq!(y.shape()?, [1, 1, 3, 8, 8, 1]);
        },
        => |args, to| args.lower(to);
}

function! {
    Concat -> Tensor {
        "At least two, of one dtype." inputs: Operands,
        ;
        "Scales of the inputs and, last, of the output." scales: Vec<f64>,
        "Zero points of the inputs and, last, of the output." zero_points: Vec<i64>,
        "Negative values count from the end." axis: i64 = 0i64,
        "The output's dtype. An integer output has the last scale and zero point." dtype: Dtype = Dtype::Float32,
        "Rounding mode of the requantization." round_mode: RoundMode = RoundMode::HalfAwayFromZero,
    }
    concat: "Joins tensors along an axis; all other dimensions must be equal.",
        example |g, x, i| {
            let y = g.concat([x, x]).axis(1).call()?;
            assert_eq!(y.shape()?, [1, 6, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Split -> Vec<Tensor> {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        ;
        "Negative values count from the end." axis: i64 = 0i64,
        "Number of parts, at least 2; by default that of `size`, otherwise 1." num: i64,
        "Sizes of the parts; equal by default." size: Ints,
    }
    split: "Splits a tensor along an axis into `num` parts, of equal size or of `size`.",
        example |g, x, i| {
            let parts = x.split().axis(1).size([1, 2]).out_names(["a", "b"]).call()?;
            assert_eq!(parts[1].shape()?, [1, 2, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl StringEnum for PadMode {
    const NAME: &'static str = "method";
    fn words() -> Vec<(Self, &'static str)> {
        [PadMode::Constant, PadMode::Reflect, PadMode::Symmetric, PadMode::Edge].map(|m| (m, m.name())).into()
    }
}

function! {
    Pad -> Tensor {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        ;
        "Contents of the padding: `value` (`constant`), the mirror image without (`reflect`) or with the edge (`symmetric`), or the edge repeated (`edge`)." method: PadMode = PadMode::Constant,
        "Value for `constant`; for a quantized input the stored value; defaults to 0." value: Scalar,
        "Padding before each axis, then after each; defaults to 0." padding: Ints,
    }
    pad: "Pads each axis.",
        example |g, x, i| {
            let y = x.pad().padding([0, 0, 1, 2, 0, 0, 3, 4]).call()?;
            assert_eq!(y.shape()?, [1, 3, 12, 14]);
            let z = x.pad().method(ops::PadMode::Edge).padding([0, 0, 0, 1, 0, 0, 0, 1]).call()?;
            assert_eq!(z.shape()?, [1, 3, 8, 10]);
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
        to.rename_in_errors(&[("shape", "new_shape")]).emit(op)
    }
}

impl Copy {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS_AND_BYTES)?;
        let shape: Vec<i64> = to.info(&self.input)?.shape.iter().map(|&d| d as i64).collect();
        // TpuLang's strides, which the compiler ignores.
        let ones = vec![1; shape.len()];
        to.emit(ops::Copy::new(to.tensor(&self.input)?, ones.clone(), ones, shape))
    }
}

impl Permute {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        // The tool chain does not count negative values from the end here.
        let rank = to.info(&self.input)?.shape.len() as i64;
        let order = self.order.0.iter().map(|&a| if (-rank..0).contains(&a) { a + rank } else { a }).collect();
        to.emit(ops::Permute::new(to.tensor(&self.input)?, order))
    }
}

impl Squeeze {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let op = ops::Squeeze::new(to.tensor(&self.tensor_i)?, self.axis.0.clone());
        to.rename_in_errors(&[("axes", "axis")]).emit(op)
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
            let expected = format!("expected {}: one per input and one for the output", count + 1);
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
        if self.axis.is_none() && to.info(&inputs[0])?.shape.len() > 1 {
            to.warn_of_default("axis", "0, usually the batch", "Keras joins the last axis, and ONNX has no default");
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
        let num = self.num.unwrap_or_else(|| self.size.as_ref().map_or(1, |size| size.0.len().max(1) as i64));
        if !(2..=4096).contains(&num) {
            return Err(argument("num", num, "expected 2 to 4096 parts"));
        }
        let split_size = self.size.clone().map(|s| s.0).filter(|s| !s.is_empty());
        let op = ops::Split { split_size, ..ops::Split::new(to.tensor(&self.input)?, self.axis(), num) };
        to.rename_in_errors(&[("split_size", "size")]).emit_many(op, num as usize, None)
    }
}

impl Pad {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, MOVED)?;
        let rank = to.info(&self.input)?.shape.len();
        let paddings = self.padding.as_ref().map_or_else(|| vec![0; 2 * rank], |p| p.0.clone());
        if rank >= 4 && paddings.len() == 2 * rank && (paddings[0] > 0 || paddings[rank] > 0) {
            let usual = "it adds entries to axis 0, usually the batch; the counts before all axes come first, \
                         then those after (NumPy's order is by axis, PyTorch's by axis from the last)";
            to.warn_of_value("padding", format!("{paddings:?}"), usual);
        }
        let op = ops::Pad::new(to.tensor(&self.input)?, self.method(), paddings);
        let op = ops::Pad { val: self.value.map_or(0.0, |v| v.value), ..op };
        to.rename_in_errors(&[("paddings", "padding")]).emit(op)
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
                "new_shape is [5, -1]; the product of the known dimensions is 5, which does not divide the number of elements; the input is 2x3x4 (24 elements)",
            ),
            (vec![-1, -1], "new_shape is [-1, -1]; only one dimension can be -1; the input is 2x3x4 (24 elements)"),
            (
                vec![1, 1, 1, 0],
                "new_shape is [1, 1, 1, 0]; dimension 3 is 0, but the input has no such dimension to keep; the input is 2x3x4 (24 elements)",
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
        let y = g.copy(x).call().unwrap();
        assert_eq!(shape(&g, y), [1, 3, 1, 6]);
        let op = crate::ops::Copy::new(x, vec![1; 4], vec![2; 4], vec![1, 3, 1, 6]);
        assert_eq!(
            first(g.op(op).call().unwrap_err()),
            "top.Copy (ops[2]): output_stride is [2, 2, 2, 2]; expected [1, 1, 1, 1] or [18, 6, 6, 1], which both mean all elements in order"
        );
        let y = g.squeeze(x, vec![-2]).call().unwrap();
        assert_eq!(shape(&g, y), [1, 3, 6]);
        let parts = g.split(x).axis(-1).num(3).out_name("p").call().unwrap();
        assert_eq!(shape(&g, parts[2]), [1, 3, 1, 2]);
        assert_eq!(g.tensor(parts[2]).unwrap().name, "p_2");
        assert_eq!(
            first(g.squeeze(x, vec![1]).call().unwrap_err()),
            "squeeze (ops[4]): axis is [1]; axis 1 of 1x3x1x6 is 3; only 1 can be dropped"
        );
        assert_eq!(
            first(g.permute(x, vec![0, 0, 1, 2]).call().unwrap_err()),
            "permute (ops[4]): order is [0, 0, 1, 2]; axis 0 occurs twice"
        );
        assert_eq!(
            first(g.split(x).axis(1).num(2).call().unwrap_err()),
            "split (ops[4]): num is 2; it must divide the 3 entries of the axis"
        );
        assert_eq!(
            first(g.concat([x, i]).call().unwrap_err()),
            "concat (ops[4]): inputs[1] is int8 and inputs[0] is float32; they must have the same dtype"
        );
        assert_eq!(
            first(g.concat([x, y]).call().unwrap_err()),
            "concat (ops[4]): inputs[1] is 1x3x6 and inputs[0] is 1x3x1x6; all dimensions but that of axis 0 must be equal"
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
