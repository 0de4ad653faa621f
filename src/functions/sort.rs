//! `topk`.
use super::{dtypes::FLOATS, function, lowering::Lowering};
use crate::{
    base::{Dtype, Result},
    graph::{Operand, Tensor},
    ops,
};

function! {
    TopK -> [Tensor; 2] as ["values", "indices"] {
        "float32, float16 or int32." input: Operand,
        "Counted from the end where it is negative." axis: i64,
        "How many: 1 to the entries of the axis." k: i64,
        ;
    }
    topk: "The `k` largest entries along `axis`, the largest first, and their indices (int32). Of equal ones the first counts.",
        example |g, x, i| {
            let [values, indices] = g.topk(x, -1, 3).call()?;
            assert_eq!(g.tensor(values)?.shape, [1, 3, 8, 3]);
            assert_eq!(g.tensor(indices)?.dtype, Dtype::Int32);
        },
        => |args, to| args.lower(to);
}

impl TopK {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, &[FLOATS, &[Dtype::Int32]].concat())?;
        let op = ops::TopK { K: self.k, ..ops::TopK::new(to.tensor(&self.input)?, self.axis) };
        to.called(&[("K", "k")]).emit_many(op, 2, None)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
        ops,
    };

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float16, [2, 3, 4]).unwrap();
        for (axis, k, expected) in [(0, 1, [1, 3, 4]), (1, 3, [2, 3, 4]), (2, 2, [2, 3, 2]), (-3, 2, [2, 3, 4])] {
            let [values, indices] = g.topk(x, axis, k).call().unwrap();
            let (values, indices) = (g.tensor(values).unwrap(), g.tensor(indices).unwrap());
            assert_eq!((&values.shape[..], values.dtype), (&expected[..], Dtype::Float16));
            assert_eq!((&indices.shape[..], indices.dtype), (&expected[..], Dtype::Int32));
        }
        let k = g.coefficient("k", crate::Array::from([2i32])).unwrap();
        assert_eq!(
            first(g.op(ops::TopK { kT: Some(k), ..ops::TopK::new(x, 1) }).call().unwrap_err()),
            "top.TopK (ops[4]): kT is 1 int32; a number of entries that is a tensor is not supported"
        );
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "sort",
            &[
                r#"{"op": "topk", "args": {"input": "x", "axis": 3, "k": 9}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "axis": 3, "k": 0}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "axis": -5, "k": 1}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "i", "axis": 3, "k": 1}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "k": 1}, "out": "y"}"#,
                r#"{"op": "topk", "args": {"input": "x", "axis": 3, "k": 1}, "out": ["y", "z", "w"]}"#,
            ],
        );
    }
}
