//! Tensors computed from shapes: `shape_fetch`.
use super::{function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Result, argument},
    ops,
};

function! {
    ShapeFetch -> Tensor {
        "Any dtype; the output has the same." tensor_i: Operand,
        ;
        "First axis; negative values count from the end. Defaults to the first, or to the last if the step is negative." begin_axis: i64,
        "Exclusive end; negative values count from the end. Defaults to the number of axes." end_axis: i64,
        "Step from one axis to the next, not 0." step: i64 = 1i64,
    }
    shape_fetch: "The dimensions of some axes, `shape[begin_axis:end_axis:step]`, as a vector of the input's dtype, saturated to its range.",
        example |g, x, i| {
            let y = x.shape_fetch().begin_axis(1).call()?;
            assert_eq!(y.shape()?, [3]);
        },
        => |args, to| args.lower(to);
}

impl ShapeFetch {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let (rank, dtype) = (to.info(&self.tensor_i)?.shape.len() as i64, to.info(&self.tensor_i)?.dtype);
        let step = self.step();
        if step == 0 {
            return Err(argument("step", 0, "a step is at least 1, or at most -1 to go backwards"));
        }
        let input = to.tensor(&self.tensor_i)?;
        let resolved = |v: i64| if v < 0 { v.saturating_add(rank).max(0) } else { v.min(rank) };
        let forwards = (self.begin_axis.map_or(0, resolved), self.end_axis.map_or(rank, resolved));
        if step == 1 && forwards == (0, rank) {
            return to.emit_as(ops::Shape { step: Some(1), ..ops::Shape::new(input) }, dtype);
        }
        // The tool chain does not count negative `start` and `end` from the end.
        let all = to.step("all", ops::Shape { step: Some(step), ..ops::Shape::new(input) }, Some(dtype))?;
        let backwards = (self.begin_axis.unwrap_or(rank - 1), self.end_axis.unwrap_or(-1 - rank));
        let (start, end) = if step > 0 { forwards } else { backwards };
        let op = ops::Slice::new(all, vec![start], vec![step], vec![end]);
        to.rename_in_errors(&[("offset", "begin_axis"), ("ends", "end_axis")]).emit(ops::Slice { axes: vec![0], ..op })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph, functions::testing::bad_calls, ops::Op};

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float16, [2, 3, 4, 5]).unwrap();
        for (begin, end, step, count) in [
            (None, None, 1, 4),
            (Some(-3), Some(-1), 1, 2),
            (Some(1), Some(9), 2, 2),
            (None, None, 3, 2),
            (None, None, -1, 4),
            (Some(2), Some(0), -1, 2),
        ] {
            let ends = |args: &mut super::ShapeFetch, ends| (args.begin_axis, args.end_axis) = ends;
            let call = g.shape_fetch(x).step(step).set("ends", (begin, end), ends);
            let y = call.call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [count], "{begin:?} to {end:?} by {step}");
        }
        let y = g.shape_fetch(x).begin_axis(0).end_axis(4).call().unwrap();
        assert!(matches!(g.operators().last().unwrap().op, Op::Shape(_)) && g.tensor(y).unwrap().shape == [4]);
        let Op::Slice(op) = &g.operators()[2].op else { panic!("a slice") };
        assert_eq!((&op.offset[..], &op.ends[..]), (&[1][..], &[3][..]), "counted from the front");
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "create",
            &[
                r#"{"op": "shape_fetch", "args": {"tensor_i": "x", "step": 0}, "out": "y"}"#,
                r#"{"op": "shape_fetch", "args": {"tensor_i": "x", "begin_axis": 4}, "out": "y"}"#,
                r#"{"op": "shape_fetch", "args": {"tensor_i": "x", "begin_axis": 1, "end_axis": 3, "step": -1}, "out": "y"}"#,
            ],
        );
    }
}
