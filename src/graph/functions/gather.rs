//! Selection by index: `index_select`, `gather_elements`, `lut`.
use super::{dtypes::BYTES, function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Dtype, Result},
    ops,
};

/// What positions are given in.
pub(super) const INDEX: &[Dtype] = &[
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

function! {
    Lut -> Tensor {
        "int8 or uint8, of any shape." input: Operand,
        "int8 or uint8, 256 elements: entry `x` for values from 0 on, entry `256 + x` for negative ones." table: Operand,
        ;
    }
    lut: "The entry of a table for each stored value: `table[x]`, in the table's dtype.",
        example |g, x, i| {
            let y = g.lut(i, vec![7u8; 256]).call()?;
            assert_eq!(g.tensor(y)?.dtype, Dtype::Uint8);
        },
        => |args, to| args.lower(to);
}

function! {
    GatherElements -> Tensor {
        "Of any dtype." input: Operand,
        "int32; positions along the axis, counted from the end where negative. It has the input's axes, none longer but `axis`." index: Operand,
        ;
        "Counted from the end where it is negative." axis: i64 = 2i64,
    }
    gather_elements: "For each index the entry that it names along `axis`, at its own place on the other axes: `y[i, j] = input[index[i, j], j]` for axis 0 of two. The output has the shape of `index`.",
        example |g, x, i| {
            let i = Array::from_vec([1, 2, 8, 4], vec![-1i32; 64])?;
            let y = g.gather_elements(x, i).axis(3).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 2, 8, 4]);
        },
        => |args, to| args.lower(to);
}

impl GatherElements {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("index", &self.index, &[Dtype::Int32])?;
        let op = ops::GatherElements::new(to.tensor(&self.input)?, to.tensor(&self.index)?);
        to.emit(ops::GatherElements { axis: self.axis(), ..op })
    }
}

impl IndexSelect {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("index", &self.index, INDEX)?;
        let op = ops::Gather::new(to.tensor(&self.input)?, to.tensor(&self.index)?);
        to.emit(ops::Gather { axis: self.axis(), keepdims: self.keep_dims(), ..op })
    }
}

impl Lut {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, BYTES)?;
        to.dtype("table", &self.table, BYTES)?;
        to.emit(ops::Lut::new(to.tensor(&self.input)?, to.tensor(&self.table)?))
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
        let b = g.input("b", Dtype::Uint8, [2, 3]).unwrap();
        let y = g.lut(b, vec![0i8; 256]).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3 int8");
        let error = g.index_select(x, i).axis(5).call().unwrap_err();
        let along = |axis: i64| format!("axis is {axis}; with 3 dimensions it must be from -3 to 2");
        let n = g.input("n", Dtype::Int32, [1, 9, 4]).unwrap();
        let y = g.gather_elements(x, n).axis(-2).call().unwrap();
        assert_eq!(shape(&g, y), [1, 9, 4]);
        let wrong = g.gather_elements(x, n).call().unwrap_err().to_string();
        assert!(
            wrong.contains("index is 1x9x4; it must have the axes of 2x3x4, none longer than there but axis 2"),
            "{wrong}"
        );
        let wrong = g.gather_elements(x, n).axis(3).call().unwrap_err().to_string();
        assert!(wrong.contains(&along(3)), "{wrong}");
        assert!(error.to_string().contains("axis is 5; with 3 dimensions it must be from -3 to 2"), "{error}");
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "gather",
            &[
                r#"{"op": "index_select", "args": {"input": "x", "index": "w", "axis": 4}, "out": "y"}"#,
                r#"{"op": "lut", "args": {"input": "x", "table": "k"}, "out": "y"}"#,
                r#"{"op": "lut", "args": {"input": "i", "table": "v"}, "out": "y"}"#,
                r#"{"op": "lut", "args": {"input": "i", "table": "k"}, "out": "y"}"#,
                r#"{"op": "gather_elements", "args": {"input": "x", "index": "i"}, "out": "y"}"#,
            ],
        );
    }
}
