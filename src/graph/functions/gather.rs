//! Selection by index: `index_select`, `gather_elements`, `lut`.
use super::{dtypes::BYTES, function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Dtype, Result},
    ops,
};

/// Dtypes of indices.
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
        "Any dtype." input: Operand,
        "Positions along the axis; negative values count from the end. An integer tensor; float32 is truncated to integers, NaN becomes 0." index: Operand,
        ;
        "Negative values count from the end." axis: i64 = -1i64,
        "For an index of shape 1, whether to keep the axis with size 1." keep_dims: bool = true,
    }
    index_select: "Entries of `input` along `axis`, chosen by `index`: shape `input[..axis] + index + input[axis + 1..]`.",
        example |g, x, i| {
            let y = x.index_select(vec![2i32, 0]).axis(1).call()?;
            assert_eq!(y.shape()?, [1, 2, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Lut -> Tensor {
        "int8 or uint8, of any shape." input: Operand,
        "256 elements of int8 or uint8: entry `x` for nonnegative values, entry `256 + x` for negative ones." table: Operand,
        ;
    }
    lut: "Looks up each stored value in a table: `table[x]`, in the table's dtype.",
        example |g, x, i| {
            let y = i.lut(vec![7u8; 256]).call()?;
            assert_eq!(y.dtype()?, Dtype::Uint8);
        },
        => |args, to| args.lower(to);
}

function! {
    GatherElements -> Tensor {
        "Any dtype." input: Operand,
        "Positions along the axis, int32; negative values count from the end. It has the input's rank; no axis except `axis` is longer than the input's." index: Operand,
        ;
        "Negative values count from the end." axis: i64 = 2i64,
    }
    gather_elements: "Gathers one entry per index along `axis`: `y[i, j] = input[index[i, j], j]` for axis 0 of 2. The output has the shape of `index`.",
        example |g, x, i| {
            let i = Array::from_vec([1, 2, 8, 4], vec![-1i32; 64])?;
            let y = x.gather_elements(i).axis(3).call()?;
            assert_eq!(y.shape()?, [1, 2, 8, 4]);
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
        if self.axis.is_none() && to.info(&self.input)?.shape.len() > 1 {
            to.warn_of_default("axis", "-1, the last", "PyTorch's embedding and ONNX's Gather use axis 0");
        }
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
            wrong.contains("index is 1x9x4; it must have the rank of 2x3x4, with no axis longer except axis 2"),
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
