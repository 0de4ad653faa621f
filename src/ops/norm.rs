//! `batch_norm`, `layer_norm`.
use super::{dtypes::FLOATS, function, shape::Inference};
use crate::graph::{Lowering, Operand, Result, Shape, Tensor, argument, invalid, shape_text};

function! {
    "`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, each of the coefficients one value a channel (axis 1).";
    example "let y = g.batch_norm(x, vec![0f32; 3], vec![1f32; 3]).gamma(vec![2f32; 3]).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);";
    batch_norm => BatchNorm -> Tensor {
        "n x c x ..; float32 or float16." input: Operand,
        "c elements." mean: Operand,
        "c elements." variance: Operand,
        ;
        "c elements; 1 where absent." gamma: Operand,
        "c elements; 0 where absent." beta: Operand,
        "Keeps the root from 0; not negative." epsilon: f64 = 1e-5,
    }
}

function! {
    "Normalises over `axis` and all axes after it: `(x - mean) / sqrt(var + epsilon) * gamma + beta`, var the biased variance.";
    example "let y = g.layer_norm(x).gamma(vec![1f32; 8]).beta(vec![0f32; 8]).axis(-1).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);";
    layer_norm => LayerNorm -> Tensor {
        "float32 or float16." input: Operand,
        ;
        "As many elements as are normalised together; 1 where absent." gamma: Operand,
        "Of gamma's shape; 0 where absent." beta: Operand,
        "Keeps the root from 0; not negative." epsilon: f64 = 1e-5,
        "First axis of the normalised ones, counted from the end where it is negative." axis: i64 = 2i64,
    }
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
            return Err(invalid(format!(
                "{} is {} and {} is {}; they must have the same shape",
                a.0,
                shape_text(&x.shape),
                b.0,
                shape_text(&y.shape)
            )));
        }
    }
    Ok(())
}

impl BatchNorm {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS)?;
        let epsilon = check_epsilon(self.epsilon())?;
        check_same_shape(to, ("mean", Some(&self.mean)), ("variance", Some(&self.variance)))?;
        for (name, t) in [
            ("mean", Some(&self.mean)),
            ("variance", Some(&self.variance)),
            ("gamma", self.gamma.as_ref()),
            ("beta", self.beta.as_ref()),
        ] {
            if let Some(t) = t {
                to.dtype(name, t, FLOATS)?;
            }
        }
        let operands =
            [Some(&self.input), Some(&self.mean), Some(&self.variance), self.gamma.as_ref(), self.beta.as_ref()];
        to.emit("BatchNorm", &operands, [("epsilon", epsilon.into())], dtype)
    }
}

impl LayerNorm {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, FLOATS)?;
        let epsilon = check_epsilon(self.epsilon())?;
        check_same_shape(to, ("gamma", self.gamma.as_ref()), ("beta", self.beta.as_ref()))?;
        for (name, t) in [("gamma", &self.gamma), ("beta", &self.beta)] {
            if let Some(t) = t {
                to.dtype(name, t, FLOATS)?;
            }
        }
        let attributes =
            [("eps", epsilon.into()), ("axis", self.axis().into()), ("normalized_shape", Vec::<i64>::new().into())];
        to.emit("LayerNorm", &[Some(&self.input), self.gamma.as_ref(), self.beta.as_ref()], attributes, dtype)
    }
}

/// Result shape = input shape; every other operand has one element a channel. For `BatchNorm` and `Scale`.
pub(super) fn per_channel_shape(of: &Inference) -> Result<Vec<Shape>> {
    let shape = of.shape(0)?.to_vec();
    let Some(&channels) = shape.get(1) else {
        let expected = "n x c x .., at least 2".into();
        return Err(crate::graph::Cause::Rank { argument: "input".into(), found: shape.len(), expected }.into());
    };
    (1..of.operands.len()).try_for_each(|i| of.check_elements(i, channels, "one a channel"))?;
    Ok(vec![shape])
}

/// Result shape = input shape; the coefficients have one element for each normalised together.
pub(super) fn layer_norm_shape(of: &Inference) -> Result<Vec<Shape>> {
    let shape = of.shape(0)?.to_vec();
    let axis = of.axis("axis", shape.len())?;
    let count = shape[axis..].iter().product();
    (1..3).try_for_each(|i| of.check_elements(i, count, &format!("those of {}", shape_text(&shape[axis..]))))?;
    Ok(vec![shape])
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Dtype, Graph};

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
            "layer_norm (ops[0]): weight has 4 elements; expected 12, those of 3x4"
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
}
