//! `batch_norm`, `layer_norm`.
use super::{dtypes::FLOATS, function, lowering::Lowering};
use crate::{
    base::{Result, argument, misfit, shape_text},
    graph::{Operand, Tensor},
    ops,
};

function! {
    BatchNorm -> Tensor {
        "n x c x ..; float32 or float16." input: Operand,
        "c elements." mean: Operand,
        "c elements." variance: Operand,
        ;
        "c elements; 1 where absent." gamma: Operand,
        "c elements; 0 where absent." beta: Operand,
        "Keeps the root from 0; not negative." epsilon: f64 = 1e-5,
    }
    batch_norm: "`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, each of the coefficients one value a channel (axis 1).",
        example |g, x, i| {
            let y = g.batch_norm(x, vec![0f32; 3], vec![1f32; 3]).gamma(vec![2f32; 3]).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    LayerNorm -> Tensor {
        "float32 or float16." input: Operand,
        ;
        "As many elements as are normalised together; 1 where absent." gamma: Operand,
        "Of gamma's shape; 0 where absent." beta: Operand,
        "Keeps the root from 0; not negative." epsilon: f64 = 1e-5,
        "First axis of the normalised ones, counted from the end where it is negative." axis: i64 = 2i64,
    }
    layer_norm: "Normalises over `axis` and all axes after it: `(x - mean) / sqrt(var + epsilon) * gamma + beta`, var the biased variance.",
        example |g, x, i| {
            let y = g.layer_norm(x).gamma(vec![1f32; 8]).beta(vec![0f32; 8]).axis(-1).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

fn check_epsilon(epsilon: f64) -> Result<f64> {
    if !(epsilon >= 0.0 && epsilon.is_finite()) {
        return Err(argument("epsilon", format!("{epsilon:?}"), "expected a finite number of at least 0"));
    }
    Ok(epsilon)
}

fn check_same_shape(to: &Lowering, a: (&str, Option<&Operand>), b: (&str, Option<&Operand>)) -> Result<()> {
    if let (Some(x), Some(y)) = (a.1, b.1) {
        let (x, y) = (to.info(x)?, to.info(y)?);
        if x.shape != y.shape {
            let (x, y) = (shape_text(&x.shape), shape_text(&y.shape));
            return Err(misfit(a.0, format!("is {x} and {} is {y}; they must have the same shape", b.0)));
        }
    }
    Ok(())
}

impl BatchNorm {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        let epsilon = check_epsilon(self.epsilon())?;
        check_same_shape(to, ("mean", Some(&self.mean)), ("variance", Some(&self.variance)))?;
        for (name, t) in [("mean", &self.mean), ("variance", &self.variance)] {
            to.dtype(name, t, FLOATS)?;
        }
        for (name, t) in [("gamma", &self.gamma), ("beta", &self.beta)] {
            to.optional_dtype(name, t, FLOATS)?;
        }
        let op = ops::BatchNorm::new(to.tensor(&self.input)?, to.tensor(&self.mean)?, to.tensor(&self.variance)?);
        to.emit(ops::BatchNorm { gamma: to.optional(&self.gamma)?, beta: to.optional(&self.beta)?, epsilon, ..op })
    }
}

impl LayerNorm {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        let epsilon = check_epsilon(self.epsilon())?;
        check_same_shape(to, ("gamma", self.gamma.as_ref()), ("beta", self.beta.as_ref()))?;
        for (name, t) in [("gamma", &self.gamma), ("beta", &self.beta)] {
            to.optional_dtype(name, t, FLOATS)?;
        }
        let op = ops::LayerNorm::new(to.tensor(&self.input)?, Vec::new(), self.axis(), epsilon);
        to.emit(ops::LayerNorm { weight: to.optional(&self.gamma)?, bias: to.optional(&self.beta)?, ..op })
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
    };

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3, 4]).unwrap();
        let v = |n: usize| vec![0f32; n];
        assert_eq!(
            first(g.batch_norm(x, v(4), v(4)).call().unwrap_err()),
            "batch_norm (ops[0]): mean has 4 elements; expected 3, one a channel"
        );
        assert_eq!(
            first(g.batch_norm(x, v(3), v(4)).call().unwrap_err()),
            "batch_norm (ops[0]): mean is 3 and variance is 4; they must have the same shape"
        );
        assert_eq!(
            first(g.layer_norm(x).axis(1).gamma(v(4)).call().unwrap_err()),
            "layer_norm (ops[0]): gamma has 4 elements; expected 12, those of 3x4"
        );
        assert_eq!(
            first(g.layer_norm(x).epsilon(-1.0).call().unwrap_err()),
            "layer_norm (ops[0]): epsilon is -1.0; expected a finite number of at least 0"
        );
        assert_eq!(
            first(g.layer_norm(x).axis(3).call().unwrap_err()),
            "layer_norm (ops[0]): axis is 3; with 3 dimensions it must be from -3 to 2"
        );
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "norm",
            &[
                r#"{"op": "layer_norm", "args": {"input": "x", "gamma": "v", "axis": -1}, "out": "y"}"#,
                r#"{"op": "batch_norm", "args": {"input": "x", "mean": "v", "variance": "v", "beta": "w"}, "out": "y"}"#,
                r#"{"op": "layer_norm", "args": {"input": "x", "epsilon": -1}, "out": "y"}"#,
            ],
        );
    }
}
