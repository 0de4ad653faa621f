//! `index_select`, lowered to `top.Gather`.
use super::{function, shape::Inference};
use crate::graph::{Dtype, Lowering, Operand, Result, Shape, Tensor};

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
    "Entries of `input` along `axis`, chosen by `index`: shape `input[..axis] + index + input[axis + 1..]`.";
    example "let y = g.index_select(x, vec![2i32, 0]).axis(1).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 2, 8, 8]);";
    index_select => IndexSelect -> Tensor {
        "Of any dtype." input: Operand,
        "Positions along the axis, counted from the end where negative; an integer tensor (float32 is taken as whole numbers)." index: Operand,
        ;
        "Counted from the end where it is negative." axis: i64 = -1i64,
        "With an index of shape 1: whether the axis stays, with size 1." keep_dims: bool = true,
    }
}

impl IndexSelect {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.info(&self.input)?.dtype;
        to.dtype("index", &self.index, INDEX)?;
        let attributes = [("axis", self.axis().into()), ("keepdims", self.keep_dims().into())];
        to.emit("Gather", &[Some(&self.input), Some(&self.index)], attributes, dtype)
    }
}

/// `input[..axis] + indices + input[axis + 1..]`.
pub(super) fn gather_shape(of: &Inference) -> Result<Vec<Shape>> {
    let (input, indices) = (of.shape(0)?, of.shape(1)?);
    let axis = of.axis("axis", input.len())?;
    let dropped = indices == [1] && !of.attributes.bool("keepdims");
    let mut shape = input[..axis].to_vec();
    if !dropped {
        shape.extend(indices);
    }
    shape.extend(&input[axis + 1..]);
    if shape.is_empty() {
        shape.push(1);
    }
    Ok(vec![shape])
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph};

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
}
