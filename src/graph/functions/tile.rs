//! Repetition of entries: `tile`, `broadcast`, `repeat`, `upsample`.
use super::{dtypes::MOVED, function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Dtype, Ints, Result, misfit},
    ops,
};

function! {
    Tile -> Tensor {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        "Number of repetitions per axis, at least 1." reps: Ints,
        ;
    }
    tile: "Repeats the tensor along each axis: `y[i, ..] = x[i % n, ..]`, with `reps` times its dimensions.",
        example |g, x, i| {
            let y = x.tile([1, 2, 1, 3]).call()?;
            assert_eq!(y.shape()?, [1, 6, 8, 24]);
        },
        => |args, to| args.lower(to);
}

function! {
    Broadcast -> Tensor {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        "The new shape, with at least the input's rank; further axes are added in front. A dimension must equal the input's unless that is 1; 1 and -1 keep the input's." reps: Ints,
        ;
    }
    broadcast: "Repeats axes of size 1 to a larger shape, with NumPy's broadcasting rules.",
        example |g, x, i| {
            let z = x.broadcast([4, 3, 8, 8]).call()?;
            assert_eq!(z.shape()?, [4, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Repeat -> Tensor {
        "float32, float16, int8, uint8, int16 or uint16." input: Operand,
        "Number of repetitions per axis, a coefficient of integers of at least 1. Further values add axes in front; fewer apply to the last axes." reps: Operand,
        ;
    }
    repeat: "Like `tile`, with the repetitions in a coefficient (`torch.Tensor.repeat`).",
        example |g, x, i| {
            let y = x.repeat(vec![2f32, 1.0, 1.0, 1.0, 1.0]).call()?;
            assert_eq!(y.shape()?, [2, 1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Upsample -> Tensor {
        "float32, float16 or int8, with height and width as last axes." input: Operand,
        ;
        "Number of repetitions, at least 1." scale: i64 = 2i64,
    }
    upsample: "Repeats each pixel `scale` times along height and width: `y[.., i, j] = x[.., i / scale, j / scale]`, rounded down.",
        example |g, x, i| {
            let y = x.upsample().scale(3).call()?;
            assert_eq!(y.shape()?, [1, 3, 24, 24]);
        },
        => |args, to| args.lower(to);
}

impl Tile {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, MOVED)?;
        let op = ops::Tile { tile: Some(self.reps.0.clone()), ..ops::Tile::new(to.tensor(&self.input)?) };
        to.rename_in_errors(&[("tile", "reps")]).emit(op)
    }
}

impl Broadcast {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, MOVED)?;
        let op = ops::Expand { shape: self.reps.0.clone(), ..ops::Expand::new(to.tensor(&self.input)?) };
        to.rename_in_errors(&[("shape", "reps")]).emit(op)
    }
}

impl Repeat {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, MOVED)?;
        to.emit(ops::Repeat::new(to.tensor(&self.input)?, to.tensor(&self.reps)?))
    }
}

impl Upsample {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, &[Dtype::Float32, Dtype::Float16, Dtype::Int8])?;
        let info = to.info(&self.input)?;
        if info.shape.len() != 4 {
            let problem = format!("is {}; expected images: n x c x height x width", info.type_text());
            return Err(misfit("input", problem));
        }
        let op = ops::Upsample::new(to.tensor(&self.input)?, self.scale(), self.scale());
        to.rename_in_errors(&[("scale_h", "scale")]).emit(op)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, Dtype, Graph, functions::testing::bad_calls};

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Uint16, [2, 1, 3]).unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let y = g.tile(x, [1, 4, 2]).call().unwrap();
        assert_eq!(shape(&g, y), [2, 4, 6]);
        let y = g.broadcast(x, [5, 1, 4, -1]).call().unwrap();
        assert_eq!(shape(&g, y), [5, 2, 4, 3]);
        for (reps, expected) in [(vec![2f32, 1.0, 1.0, 2.0], vec![2, 2, 1, 6]), (vec![3.0], vec![2, 1, 9])] {
            let y = g.repeat(x, reps).call().unwrap();
            assert_eq!(shape(&g, y), expected);
        }
        let i = g.input("i", Dtype::Int8, [1, 2, 5, 7]).unwrap();
        let y = g.upsample(i).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 10, 14]);
        let counts = g.coefficient("counts", Array::from([1f32, 2.0, 1.5])).unwrap();
        let error = g.repeat(x, counts).call().unwrap_err().to_string();
        assert!(error.contains("reps holds 1.5; expected integers"), "{error}");
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "tile",
            &[
                r#"{"op": "tile", "args": {"input": "x", "reps": [1, 2]}, "out": "y"}"#,
                r#"{"op": "upsample", "args": {"input": "v"}, "out": "y"}"#,
                r#"{"op": "tile", "args": {"input": "x", "reps": [1, 2, 0, 1]}, "out": "y"}"#,
                r#"{"op": "tile", "args": {"input": "x", "reps": [1, 1, 9223372036854775807, 1]}, "out": "y"}"#,
                r#"{"op": "broadcast", "args": {"input": "x", "reps": [2, 8, 8]}, "out": "y"}"#,
                r#"{"op": "broadcast", "args": {"input": "x", "reps": [2, 4, 8, 8]}, "out": "y"}"#,
                r#"{"op": "broadcast", "args": {"input": "x", "reps": [0, 1, 3, 8, 8]}, "out": "y"}"#,
                r#"{"op": "repeat", "args": {"input": "x", "reps": "v"}, "out": "y"}"#,
                r#"{"op": "repeat", "args": {"input": "x", "reps": "i"}, "out": "y"}"#,
                r#"{"op": "upsample", "args": {"input": "x", "scale": 0}, "out": "y"}"#,
                r#"{"op": "upsample", "args": {"input": "v"}, "out": "y"}"#,
            ],
        );
    }
}
