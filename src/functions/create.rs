//! Tensors made of shapes: `shape_fetch`.
use super::{function, lowering::Lowering};
use crate::{
    base::{Result, argument},
    graph::{Operand, Tensor},
    ops,
};

function! {
    ShapeFetch -> Tensor {
        "Of any dtype, which is the output's too." tensor_i: Operand,
        ;
        "The first axis, counted from the end where negative; by default the first, or the last with a negative step." begin_axis: i64,
        "The axis before which it ends, counted from the end where negative; by default all are taken." end_axis: i64,
        "From one axis to the next, not 0." step: i64 = 1i64,
    }
    shape_fetch: "The dimensions of some axes, `shape[begin_axis:end_axis:step]`, as a vector of the input's dtype; what it cannot hold is saturated.",
        example "let y = g.shape_fetch(x).begin_axis(1).call()?;\nassert_eq!(g.tensor(y)?.shape, [3]);",
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
        let words: &[(&str, &str)] = &[("start", "begin_axis"), ("end", "end_axis"), ("steps", "step")];
        let resolved = |v: i64| if v < 0 { v.saturating_add(rank).max(0) } else { v.min(rank) };
        let (start, end) = (self.begin_axis.map(resolved), self.end_axis.map(resolved));
        let is_whole = start.unwrap_or(0) == 0 && end.unwrap_or(rank) == rank;
        if step == 1 || (step > 0 && !is_whole) {
            return to
                .called(words)
                .emit_as(ops::Shape { start, end, step: Some(step), ..ops::Shape::new(input) }, dtype);
        }
        // The tool chain forgets the step where all axes are named, and has none that goes backwards.
        let all = ops::Shape { step: Some(1), ..ops::Shape::new(input) };
        let all = to.step("all", all, Some(dtype))?;
        let (first, last) = if step > 0 { (0, rank) } else { (rank - 1, -1 - rank) };
        let start = self.begin_axis.unwrap_or(first);
        let op = ops::Slice::new(all, vec![start], vec![step], vec![self.end_axis.unwrap_or(last)]);
        to.called(words).emit(ops::Slice { axes: vec![0], ..op })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph, functions::testing::bad_calls, ops::Op};

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float16, [2, 3, 4, 5]).unwrap();
        for (begin, end, step, count, last) in [
            (None, None, 1, 4, "Shape"),
            (Some(-3), Some(-1), 1, 2, "Shape"),
            (Some(1), Some(9), 2, 2, "Shape"),
            (None, None, 3, 2, "Slice"),
            (None, None, -1, 4, "Slice"),
            (Some(2), Some(0), -1, 2, "Slice"),
        ] {
            let mut call = g.shape_fetch(x).step(step);
            call.args.begin_axis = begin;
            call.args.end_axis = end;
            let y = call.call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [count], "{begin:?} to {end:?} by {step}");
            assert_eq!(g.operators().last().unwrap().op.name(), last);
        }
        let Op::Shape(op) = &g.operators()[1].op else { panic!("a shape") };
        assert_eq!((op.start, op.end), (Some(1), Some(3)), "counted from the front");
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
