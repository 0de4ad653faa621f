//! `reduce`, `cumsum`.
use super::{
    argument::StringEnum,
    dtypes::{FLOATS, INT32},
    function,
    lowering::Lowering,
};
use crate::{
    Operand, Tensor,
    base::{OneOrMany, Result, misfit, shape_text},
    ops::{self, ReduceMode},
};

impl StringEnum for ReduceMode {
    const NAME: &'static str = "method";
    fn words() -> Vec<(Self, &'static str)> {
        use ReduceMode::*;
        [ReduceMin, ReduceMax, ReduceMean, ReduceProd, ReduceL2, ReduceL1, ReduceSum].map(|m| (m, m.name())).into()
    }
}

function! {
    Reduce -> Tensor {
        "float32 or float16." input: Operand,
        ;
        "The reduction." method: ReduceMode = ReduceMode::ReduceSum,
        "Axes to reduce; negative values count from the end." axes: OneOrMany<i64> = [1i64, 2],
        "Whether to keep reduced axes with size 1. If no axis is left, the result has shape 1." keep_dims: bool = true,
    }
    reduce: "Sum, mean, product, extremum or norm over some axes.",
        example |g, x, i| {
            let y = x.reduce().method(ops::ReduceMode::ReduceMean).axes([2, 3]).keep_dims(false).call()?;
            assert_eq!(y.shape()?, [1, 3]);
        },
        => |args, to| args.lower(to);
}

function! {
    CumSum -> Tensor {
        "float32, float16, int32 or uint32, of at most 4 dimensions." input: Operand,
        ;
        "Negative values count from the end." axis: i64 = -1i64,
    }
    cumsum: "The running sum along `axis`: each element plus all before it. Integers saturate.",
        example |g, x, i| {
            let y = x.cumsum().axis(1).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl Reduce {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        if self.axes.is_none() {
            to.warn_of_default("axes", "[1, 2]", "PyTorch, ONNX and NumPy reduce all axes");
        }
        to.emit(ops::Reduce::new(to.tensor(&self.input)?, self.axes().to_vec(), self.keep_dims(), self.method()))
    }
}

impl CumSum {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, &[FLOATS, INT32].concat())?;
        let shape = &to.info(&self.input)?.shape;
        if shape.len() > 4 {
            return Err(misfit("input", format!("is {}; expected at most 4 dimensions", shape_text(shape))));
        }
        // TpuLang emits a nonnegative axis. The op's type rule rejects one that is out of range.
        let (axis, rank) = (self.axis(), shape.len() as i64);
        let axis = if (-rank..0).contains(&axis) { axis + rank } else { axis };
        to.emit(ops::CumSum::new(to.tensor(&self.input)?, axis))
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
        ops::Op,
    };

    #[test]
    fn shapes_and_mistakes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3, 4]).unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let y = g.reduce(x).call().unwrap();
        assert_eq!(shape(&g, y), [2, 1, 1]);
        let y = g.reduce(x).axes(-1).keep_dims(false).call().unwrap();
        assert_eq!(shape(&g, y), [2, 3]);
        let y = g.reduce(x).axes([0, 1, 2]).keep_dims(false).call().unwrap();
        assert_eq!(shape(&g, y), [1]);
        let y = g.cumsum(x).call().unwrap();
        assert_eq!(shape(&g, y), [2, 3, 4]);
        assert!(matches!(&g.operators()[3].op, Op::CumSum(op) if op.axis == 2));
        let five = g.input("five", Dtype::Float32, [1, 2, 1, 2, 1]).unwrap();
        assert_eq!(
            first(g.cumsum(five).call().unwrap_err()),
            "cumsum (ops[4]): input is 1x2x1x2x1; expected at most 4 dimensions"
        );
        assert_eq!(
            first(g.reduce(x).axes([1, -2]).call().unwrap_err()),
            "reduce (ops[4]): axes is [1, -2]; axis 1 occurs twice"
        );
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "reduce",
            &[
                r#"{"op": "reduce", "args": {"input": "x", "method": "ReduceMeen"}, "out": "y"}"#,
                r#"{"op": "reduce", "args": {"input": "x", "axes": [1, -3]}, "out": "y"}"#,
                r#"{"op": "cumsum", "args": {"input": "i"}, "out": "y"}"#,
                r#"{"op": "cumsum", "args": {"input": "x", "axis": -5}, "out": "y"}"#,
            ],
        );
    }
}
