//! `index_select`, lowered to `top.Gather`.
use super::{function, lowering::Lowering};
use crate::{
    base::{Dtype, Result},
    graph::{Operand, Tensor},
    ops,
};

const INDEX: &[Dtype] = &[
    Dtype::Int32,
    Dtype::Uint32,
    Dtype::Int16,
    Dtype::Uint16,
    Dtype::Int8,
    Dtype::Uint8,
    Dtype::Int64,
    Dtype::Float32,
];

function! {
    IndexSelect -> Tensor {
        "Of any dtype." input: Operand,
        "Positions along the axis, counted from the end where negative; an integer tensor (float32 is cut to whole numbers, and NaN is 0)." index: Operand,
        ;
        "Counted from the end where it is negative." axis: i64 = -1i64,
        "With an index of shape 1: whether the axis stays, with size 1." keep_dims: bool = true,
    }
    index_select: "Entries of `input` along `axis`, chosen by `index`: shape `input[..axis] + index + input[axis + 1..]`.",
        example |g, x, i| {
            let y = g.index_select(x, vec![2i32, 0]).axis(1).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 2, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl IndexSelect {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("index", &self.index, INDEX)?;
        let op = ops::Gather::new(to.tensor(&self.input)?, to.tensor(&self.index)?);
        to.emit(ops::Gather { axis: self.axis(), keepdims: self.keep_dims(), ..op })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph, functions::testing::bad_calls};

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3, 4]).unwrap();
        let i = g.input("i", Dtype::Int32, [5, 6]).unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let y = g.index_select(x, i).axis(1).call().unwrap();
        assert_eq!(shape(&g, y), [2, 5, 6, 4]);
        let y = g.index_select(x, vec![1i32]).keep_dims(false).call().unwrap();
        assert_eq!(shape(&g, y), [2, 3]);
        let error = g.index_select(x, i).axis(5).call().unwrap_err();
        assert!(error.to_string().contains("axis is 5; with 3 dimensions it must be from -3 to 2"), "{error}");
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "gather",
            &[r#"{"op": "index_select", "args": {"input": "x", "index": "w", "axis": 4}, "out": "y"}"#],
        );
    }
}
