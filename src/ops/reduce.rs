//! `reduce`.
use super::{
    function,
    shape::{Inference, axes},
};
use crate::graph::{Dtype, Lowering, OneOrMany, Operand, Result, Shape, Tensor, argument, nearest};

const METHODS: [&str; 7] = ["ReduceMin", "ReduceMax", "ReduceMean", "ReduceProd", "ReduceL2", "ReduceL1", "ReduceSum"];

function! {
    "Sum, mean, product, extremum or norm over some axes.";
    example "let y = g.reduce(x).method(\"ReduceMean\").axes([2, 3]).keep_dims(false).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3]);";
    reduce => Reduce -> Tensor {
        "float32 or float16." input: Operand,
        ;
        "ReduceMin, ReduceMax, ReduceMean, ReduceProd, ReduceL2, ReduceL1 or ReduceSum." method: String = "ReduceSum",
        "Axes that are reduced, counted from the end where negative." axes: OneOrMany<i64> = [1i64, 2],
        "Whether they stay, with size 1. With none left the result has shape 1." keep_dims: bool = true,
    }
}

impl Reduce {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, &[Dtype::Float32, Dtype::Float16])?;
        let method = self.method();
        if !METHODS.contains(&method.as_str()) {
            let hint =
                nearest(&method, METHODS.into_iter()).map(|n| format!("; did you mean {n:?}?")).unwrap_or_default();
            let shown: String = method.chars().take(40).collect();
            return Err(argument(
                "method",
                format!("{shown:?}"),
                format!("expected one of {}{hint}", METHODS.join(", ")),
            ));
        }
        let attributes =
            [("axes", self.axes().to_vec().into()), ("keepdims", self.keep_dims().into()), ("mode", method.into())];
        to.emit("Reduce", &[Some(&self.input)], attributes, dtype)
    }
}

/// The reduced axes of an input with `rank` dimensions; none given means all.
pub(crate) fn reduced_axes(values: &[i64], rank: usize) -> Result<Vec<usize>> {
    if values.is_empty() { Ok((0..rank).collect()) } else { axes("axes", values, rank) }
}

/// The input's shape with the axes at 1, or without them.
pub(super) fn reduce_shape(of: &Inference) -> Result<Vec<Shape>> {
    let input = of.shape(0)?;
    let reduced = reduced_axes(&of.attributes.ints("axes"), input.len())?;
    let keep = of.attributes.bool("keepdims");
    let dims = input.iter().enumerate().filter_map(|(i, &d)| match reduced.contains(&i) {
        true => keep.then_some(1),
        false => Some(d),
    });
    let mut shape: Shape = dims.collect();
    if shape.is_empty() {
        shape.push(1);
    }
    Ok(vec![shape])
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Dtype, Graph};

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
        assert_eq!(
            first(g.reduce(x).axes([1, -2]).call().unwrap_err()),
            "reduce (ops[3]): axes is [1, -2]; axis 1 occurs twice"
        );
        assert_eq!(
            first(g.reduce(x).method("ReduceMeen").call().unwrap_err()),
            "reduce (ops[3]): method is \"ReduceMeen\"; expected one of ReduceMin, ReduceMax, ReduceMean, ReduceProd, ReduceL2, ReduceL1, ReduceSum; did you mean \"ReduceMean\"?"
        );
    }
}
