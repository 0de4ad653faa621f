//! Writing by index: `scatter`, `scatterND`.
#![expect(non_snake_case, reason = "scatterND is TpuLang's name")]
use super::{function, gather::INDEX, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Cause, Dtype, Result, misfit, shape_text},
    ops,
};

function! {
    Scatter -> Tensor {
        "Any dtype." input: Operand,
        "Positions along the axis; negative values count from the end. An integer tensor of the input's rank; axes before `axis` have the input's size, those after it at most that." index: Operand,
        "Values to write, of the input's dtype and the shape of `index`." updates: Operand,
        ;
        "Negative values count from the end." axis: i64 = 0i64,
    }
    scatter: "A copy of `input` with each update written to its index along `axis`: `y[index[i, j], j] = updates[i, j]` for axis 0 of 2. If several updates have the same index, the last one wins.",
        example |g, x, i| {
            let (i, u) = (Array::from_vec([1, 1, 8, 8], vec![2i32; 64])?, Array::from_vec([1, 1, 8, 8], vec![0f32; 64])?);
            let y = x.scatter(i, u).axis(1).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    ScatterND -> Tensor {
        "Any dtype." input: Operand,
        "uint32, `[.., n]`: each row of the last axis is an index into the first `n` axes of the input." indices: Operand,
        "Values to write, of the input's dtype and shape `indices[..-1] + input[n..]`." updates: Operand,
        ;
    }
    scatterND: "A copy of `input` with each update written to its index: `y[indices[i]] = updates[i]`. If several updates have the same index, the last one wins.",
        example |g, x, i| {
            let (i, u) = (Array::from_vec([2, 3], vec![0u32, 0, 1, 0, 2, 7])?, Array::from_vec([2, 8], vec![0f32; 16])?);
            let y = x.scatterND(i, u).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl Scatter {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("index", &self.index, INDEX)?;
        let (input, index) = (to.info(&self.input)?, to.info(&self.index)?);
        let rank = input.shape.len() as i64;
        let given = self.axis();
        let axis = if given < 0 { given.saturating_add(rank) } else { given };
        if !(0..rank).contains(&axis) {
            return Err(Cause::Axis { argument: "axis".into(), axis: given, rank: input.shape.len() }.into());
        }
        let before = |shape: &[usize]| shape.iter().take(axis as usize).copied().collect::<Vec<_>>();
        if before(&index.shape) != before(&input.shape) {
            let (is, input) = (shape_text(&index.shape), shape_text(&input.shape));
            let problem = format!("is {is} and the input {input}; the axes before axis {axis} must be equal");
            return Err(misfit("index", problem));
        }
        let [input, index, updates] = [&self.input, &self.index, &self.updates].map(|t| to.tensor(t));
        to.emit(ops::ScatterElements::new(input?, index?, updates?, axis))
    }
}

impl ScatterND {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("indices", &self.indices, &[Dtype::Uint32])?;
        let [input, indices, updates] = [&self.input, &self.indices, &self.updates].map(|t| to.tensor(t));
        to.emit(ops::ScatterND::new(input?, indices?, updates?))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph, functions::testing::bad_calls};

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [2, 5, 4]).unwrap();
        for (axis, index) in [(0, [3, 2, 1]), (1, [2, 7, 4]), (-1, [2, 5, 9])] {
            let i = g.input(&format!("i{axis}"), Dtype::Int32, index).unwrap();
            let u = g.input(&format!("u{axis}"), Dtype::Int8, index).unwrap();
            let y = g.scatter(x, i, u).axis(axis).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().type_text(), "2x5x4 int8");
        }
        let pairs = [(vec![3, 1], vec![3, 5, 4]), (vec![6, 2, 2], vec![6, 2, 4]), (vec![3], vec![1])];
        for (n, (indices, updates)) in pairs.into_iter().enumerate() {
            let i = g.input(&format!("n{n}"), Dtype::Uint32, indices).unwrap();
            let u = g.input(&format!("v{n}"), Dtype::Int8, updates).unwrap();
            let y = g.scatterND(x, i, u).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [2, 5, 4]);
        }
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "scatter",
            &[
                r#"{"op": "scatter", "args": {"input": "x", "index": "i", "updates": "x", "axis": 4}, "out": "y"}"#,
                r#"{"op": "scatter", "args": {"input": "x", "index": "k", "updates": "w"}, "out": "y"}"#,
                r#"{"op": "scatter", "args": {"input": "x", "index": "k", "updates": "w", "axis": 1}, "out": "y"}"#,
                r#"{"op": "scatter", "args": {"input": "x", "index": "i", "updates": "v"}, "out": "y"}"#,
                r#"{"op": "scatter", "args": {"input": "x", "index": "i", "updates": "i"}, "out": "y"}"#,
                r#"{"op": "scatterND", "args": {"input": "x", "indices": "i", "updates": "x"}, "out": "y"}"#,
            ],
        );
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [4, 5]).unwrap();
        let u = g.input("u", Dtype::Float32, [2, 5]).unwrap();
        for (shape, message) in [
            ([2, 3], "indices is 2x3; its last axis holds tuples, for 1 to 2 axes"),
            ([2, 2], "updates is 2x5; input and indices require 2"),
        ] {
            let i = g.input(&format!("i{}", shape[1]), Dtype::Uint32, shape).unwrap();
            let error = g.scatterND(x, i, u).call().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
