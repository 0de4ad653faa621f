//! `batch_norm`, `layer_norm`, `group_norm`, `rms_norm`, `normalize`.
use super::{activation::Abs, activation::abs, dtypes::FLOATS, function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{OneOrMany, Result, argument, misfit, pluralized, shape_text},
    ops,
};

function! {
    BatchNorm -> Tensor {
        "n x c x ..; float32 or float16." input: Operand,
        "c elements." mean: Operand,
        "c elements." variance: Operand,
        ;
        "c elements; defaults to 1." gamma: Operand,
        "c elements; defaults to 0." beta: Operand,
        "Added to the variance for numerical stability; not negative." epsilon: f64 = 1e-5,
    }
    batch_norm: "`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, with one value per channel (axis 1) in each coefficient.",
        example |g, x, i| {
            let y = x.batch_norm(vec![0f32; 3], vec![1f32; 3]).gamma(vec![2f32; 3]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    LayerNorm -> Tensor {
        "float32 or float16." input: Operand,
        ;
        "One element per normalized element; defaults to 1." gamma: Operand,
        "The same shape as gamma; defaults to 0." beta: Operand,
        "Added to the variance for numerical stability; not negative." epsilon: f64 = 1e-5,
        "First normalized axis; negative values count from the end." axis: i64 = 2i64,
    }
    layer_norm: "Normalizes over `axis` and all following axes: `(x - mean) / sqrt(var + epsilon) * gamma + beta`, where var is the biased variance.",
        example |g, x, i| {
            let y = x.layer_norm().gamma(vec![1f32; 8]).beta(vec![0f32; 8]).axis(-1).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    GroupNorm -> Tensor {
        "n x c x ..; float32 or float16." input: Operand,
        ;
        "c elements; defaults to 1." gamma: Operand,
        "c elements; defaults to 0." beta: Operand,
        "Added to the variance for numerical stability; not negative." epsilon: f64 = 1e-5,
        "Number of channel groups, of equal size." num_groups: i64 = 1i64,
    }
    group_norm: "Normalizes groups of channels over all axes from axis 1: `(x - mean) / sqrt(var + epsilon) * gamma + beta`, with the group's mean and biased variance, and gamma and beta per channel.",
        example |g, x, i| {
            let y = x.group_norm().gamma(vec![1f32; 3]).num_groups(3).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    RmsNorm -> Tensor {
        "float32 or float16." input: Operand,
        ;
        "One element per index of the last axis, of the input's dtype; defaults to 1." gamma: Operand,
        "Added to the variance for numerical stability; not negative." epsilon: f64 = 1e-5,
        "The last axis: -1, or its number." axis: i64 = -1i64,
    }
    rms_norm: "`x / sqrt(mean(x^2) + epsilon) * gamma`, with the mean over the last axis.",
        example |g, x, i| {
            let y = x.rms_norm().gamma(vec![1f32; 8]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Normalize -> Tensor {
        "float32 or float16." input: Operand,
        ;
        "The exponent of the norm; above 0." p: f64 = 2.0,
        "Axes over which the norm is taken; they must be adjacent. Negative values count from the end." axes: OneOrMany<i64> = 1i64,
        "Lower bound of the divisor; not negative." eps: f64 = 1e-12,
    }
    normalize: "`x / max(norm, eps)`, where norm is `(sum over axes of |x|^p)^(1 / p)`.",
        example |g, x, i| {
            let y = x.normalize().axes([2, 3]).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

fn check_epsilon(to: &mut Lowering, epsilon: f64) -> Result<f64> {
    if !(epsilon >= 0.0 && epsilon.is_finite()) {
        return Err(argument("epsilon", format!("{epsilon:?}"), "expected a finite number of at least 0"));
    }
    if epsilon >= 1.0 {
        to.warn_of_value(
            "epsilon",
            format!("{epsilon:?}"),
            "most networks add a small number to the variance, such as 1e-5",
        );
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
        let epsilon = check_epsilon(to, self.epsilon())?;
        check_same_shape(to, ("mean", Some(&self.mean)), ("variance", Some(&self.variance)))?;
        for (name, t) in [("mean", &self.mean), ("variance", &self.variance)] {
            to.dtype(name, t, FLOATS)?;
            let info = to.info(t)?;
            if !info.is_coefficient() {
                return Err(misfit(
                    name,
                    format!("{:?} is not a coefficient; the tool chain does not accept a computed one", info.name),
                ));
            }
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
        let epsilon = check_epsilon(to, self.epsilon())?;
        check_same_shape(to, ("gamma", self.gamma.as_ref()), ("beta", self.beta.as_ref()))?;
        for (name, t) in [("gamma", &self.gamma), ("beta", &self.beta)] {
            to.optional_dtype(name, t, FLOATS)?;
        }
        let rank = to.info(&self.input)?.shape.len();
        if self.axis.is_none() && rank < 3 {
            let problem = format!("is not given, so it is 2, and input has {}; give -1", pluralized(rank, "dimension"));
            return Err(misfit("axis", problem));
        }
        if self.axis.is_none() && rank > 3 {
            to.warn_of_default(
                "axis",
                "2, which normalizes the last axes from there",
                "most networks normalize the last axis, -1",
            );
        }
        let op = ops::LayerNorm::new(to.tensor(&self.input)?, Vec::new(), self.axis(), epsilon);
        to.emit(ops::LayerNorm { weight: to.optional(&self.gamma)?, bias: to.optional(&self.beta)?, ..op })
    }
}

impl GroupNorm {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        let epsilon = check_epsilon(to, self.epsilon())?;
        for (name, t) in [("gamma", &self.gamma), ("beta", &self.beta)] {
            to.optional_dtype(name, t, FLOATS)?;
        }
        if self.num_groups.is_none() && to.info(&self.input)?.shape.get(1).is_some_and(|channels| *channels > 1) {
            to.warn_of_default("num_groups", 1, "PyTorch and ONNX have no default");
        }
        let op = ops::GroupNorm::new(to.tensor(&self.input)?, epsilon, self.num_groups());
        to.emit(ops::GroupNorm { weight: to.optional(&self.gamma)?, bias: to.optional(&self.beta)?, ..op })
    }
}

impl RmsNorm {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        let epsilon = check_epsilon(to, self.epsilon())?;
        let rank = to.info(&self.input)?.shape.len() as i64;
        if self.axis() != -1 && self.axis() != rank - 1 {
            let expected = format!("expected -1 or {}, the last of {rank} axes", rank - 1);
            return Err(argument("axis", self.axis(), expected));
        }
        if let Some(gamma) = &self.gamma {
            to.same_dtype(("gamma", gamma), ("input", &self.input))?;
            if to.info(gamma)?.shape.len() != 1 {
                return Err(misfit("gamma", format!("is {}; expected one axis", shape_text(&to.info(gamma)?.shape))));
            }
        }
        let op = ops::RMSNorm::new(to.tensor(&self.input)?, epsilon);
        to.emit(ops::RMSNorm { gamma: to.optional(&self.gamma)?, ..op })
    }
}

impl Normalize {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let (input, p, eps) = (to.tensor(&self.input)?, self.p(), self.eps());
        to.dtype("input", &self.input, FLOATS)?;
        if !(p > 0.0 && p.is_finite() && (1.0 / p).is_finite()) {
            return Err(argument("p", format!("{p:?}"), "expected a finite number above 0"));
        }
        if !(eps >= 0.0 && eps.is_finite()) {
            return Err(argument("eps", format!("{eps:?}"), "expected a finite number of at least 0"));
        }
        let shape = to.info(&self.input)?.shape.clone();
        let axes = self.axes().to_vec();
        check_neighbors(&axes, shape.len())?;
        let absolute = to.call(abs::FUNCTION, Abs::new(input), Some("abs"))?[0];
        let powers = match p {
            2.0 => to.step("power", ops::Mul::new(vec![absolute, absolute]), Some(to.info(&self.input)?.dtype))?,
            _ => to.step_like("power", ops::Pow::new(absolute, p), input, shape.clone())?,
        };
        let sum = to.step("sum", ops::Reduce::new(powers, axes, true, ops::ReduceMode::ReduceSum), None)?;
        let reduced = to.info(&sum.into())?.shape.clone();
        let norm = to.step_like("norm", ops::Pow::new(sum, 1.0 / p), input, reduced.clone())?;
        let norm = to.step_like("clipped", ops::Clip::new(norm, f64::INFINITY, eps), input, reduced)?;
        let whole = shape.iter().map(|&d| d as i64).collect();
        let norm = to.step_like("expanded", ops::Expand { shape: whole, ..ops::Expand::new(norm) }, input, shape)?;
        to.emit(ops::Div::new(vec![input, norm]))
    }
}

/// Checks that the axes are adjacent. The op checks that each exists and occurs once.
fn check_neighbors(axes: &[i64], rank: usize) -> Result<()> {
    let mut all: Vec<i64> = axes.iter().map(|&a| if a < 0 { a.saturating_add(rank as i64) } else { a }).collect();
    all.sort_unstable();
    if axes.is_empty() || all.windows(2).any(|pair| pair[1] > pair[0].saturating_add(1)) {
        return Err(argument("axes", format!("{axes:?}"), "expected adjacent axes"));
    }
    Ok(())
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
            "batch_norm (ops[0]): mean has 4 elements; expected 3, one per channel"
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
    fn negative_variances_are_refused() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 3, 4]).unwrap();
        assert_eq!(
            first(g.batch_norm(x, vec![0f32; 3], vec![1f32, -1e-6, -0.25]).call().unwrap_err()),
            "batch_norm (ops[0]): variance[2] is -0.25; a variance is not negative; are mean and variance swapped?"
        );
        g.batch_norm(x, vec![0f32; 3], vec![1f32, 0.0, -1e-6]).call().unwrap();
    }

    #[test]
    fn normalize_is_made_of_functions() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float16, [2, 3, 4]).unwrap();
        let y = g.normalize(x).axes([-1, 1]).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3x4 float16");
        g.normalize(x).p(3.0).call().unwrap();
        let names: Vec<_> = g.operators().iter().map(|o| o.op.name()).collect();
        let (square, cube) = (["Abs", "Mul", "Reduce"], ["Abs", "Pow", "Reduce"]);
        let rest = ["Pow", "Clip", "Expand", "Div"];
        assert_eq!(names, [&square[..], &rest, &cube, &rest].concat());
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "norm",
            &[
                r#"{"op": "layer_norm", "args": {"input": "x", "gamma": "v", "axis": -1}, "out": "y"}"#,
                r#"{"op": "batch_norm", "args": {"input": "x", "mean": "v", "variance": "v", "beta": "w"}, "out": "y"}"#,
                r#"{"op": "batch_norm", "args": {"input": "x", "mean": "x", "variance": "x"}, "out": "y"}"#,
                r#"{"op": "layer_norm", "args": {"input": "x", "epsilon": -1}, "out": "y"}"#,
                r#"{"op": "group_norm", "args": {"input": "x", "num_groups": 2}, "out": "y"}"#,
                r#"{"op": "group_norm", "args": {"input": "x", "num_groups": 0}, "out": "y"}"#,
                r#"{"op": "group_norm", "args": {"input": "v"}, "out": "y"}"#,
                r#"{"op": "group_norm", "args": {"input": "x", "gamma": "w"}, "out": "y"}"#,
                r#"{"op": "rms_norm", "args": {"input": "x", "axis": 1}, "out": "y"}"#,
                r#"{"op": "rms_norm", "args": {"input": "x", "gamma": "v"}, "out": "y"}"#,
                r#"{"op": "rms_norm", "args": {"input": "x", "gamma": "w"}, "out": "y"}"#,
                r#"{"op": "rms_norm", "args": {"input": "i"}, "out": "y"}"#,
                r#"{"op": "normalize", "args": {"input": "x", "axes": [1, 3]}, "out": "y"}"#,
                r#"{"op": "normalize", "args": {"input": "x", "axes": [4]}, "out": "y"}"#,
                r#"{"op": "normalize", "args": {"input": "x", "p": 0}, "out": "y"}"#,
                r#"{"op": "normalize", "args": {"input": "i"}, "out": "y"}"#,
            ],
        );
    }
}
