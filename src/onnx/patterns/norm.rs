//! Normalizations.
use super::polynomial::Fraction;
use crate::{
    Rewriter, Tensor,
    base::Result,
    emit::ints,
    ops::{GroupNorm, LayerNorm, Op, PixelNorm, RMSNorm},
};

/// Matches `(x - mean(x)) / sqrt(variance(x) + eps)` and `x / sqrt(mean(x^2) + eps)`, times a weight if there is one.
pub fn normalized(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    if !matches!(r.op(t), Some(Op::Mul(_) | Op::Div(_))) || !r.is_float(t) {
        return Ok(None);
    }
    let Some((x, weight, radicand)) = scaled(r, t) else { return Ok(None) };
    let Some((square, axes, eps)) = mean_and_epsilon(r, radicand) else { return Ok(None) };
    let Some(centered) = r.square_root_of(square) else { return Ok(None) };
    let plain = match deviation(r, x, &axes) {
        Some(of) if deviation(r, centered, &axes) == Some(of) => layer_norm(r, of, &axes, eps),
        _ if centered == x && axes == [r.rank(x) - 1] => Some(RMSNorm::new(x, eps).into()),
        _ => None,
    };
    match (plain, weight) {
        (Some(plain), Some(weight)) => with_factor(r, plain, weight),
        (plain, _) => Ok(plain),
    }
}

/// Returns the norm over the last axes, or over channels.
fn layer_norm(r: &Rewriter, x: Tensor, axes: &[usize], eps: f64) -> Option<Op<Tensor>> {
    let &axis = axes.first()?;
    if axes.iter().copied().eq(axis..r.rank(x)) {
        return Some(LayerNorm::new(x, ints(&r.shape(x)[axis..]), axis as i64, eps).into());
    }
    (axes == [1]).then(|| PixelNorm::new(x, eps).into())
}

/// Returns `x`, the weight, and what the root is of, if the tensor is `x * weight / sqrt(..)`.
fn scaled(r: &Rewriter, t: Tensor) -> Option<(Tensor, Option<Tensor>, Tensor)> {
    let Fraction { factor, mut numerators, denominators } = Fraction::of(r, t);
    let radicand = match denominators.as_slice() {
        &[root] => power_of(r, root, 0.5)?,
        [] => {
            let found = numerators.iter().enumerate().find_map(|(i, t)| Some((i, power_of(r, *t, -0.5)?)));
            let (at, radicand) = found?;
            numerators.remove(at);
            radicand
        }
        _ => return None,
    };
    let weight = numerators.iter().position(|t| r.is_coefficient(*t)).map(|i| numerators.remove(i));
    let &[x] = numerators.as_slice() else { return None };
    (factor == 1.0).then_some((x, weight, radicand))
}

/// Returns `x` if the tensor is `x` to this power.
fn power_of(r: &Rewriter, t: Tensor, exponent: f64) -> Option<Tensor> {
    match r.op(t)? {
        Op::Sqrt(op) if exponent == 0.5 => Some(op.input),
        Op::Pow(op) if op.exponent == exponent => Some(op.input),
        _ => None,
    }
}

/// Returns the operand of the mean, its axes and epsilon if the tensor is `mean(..) + eps`.
fn mean_and_epsilon(r: &Rewriter, t: Tensor) -> Option<(Tensor, Vec<usize>, f64)> {
    let Op::AddConst(op) = r.op(t)? else { return None };
    let (square, axes) = r.mean(op.input)?;
    Some((square, axes, op.const_val))
}

/// Returns `x` if the tensor is `x - mean(x)` over these axes.
fn deviation(r: &Rewriter, t: Tensor, axes: &[usize]) -> Option<Tensor> {
    let Op::Sub(op) = r.op(t)? else { return None };
    let &[x, mean] = op.inputs.as_slice() else { return None };
    (!op.is_reverse && r.mean(mean)? == (x, axes.to_vec())).then_some(x)
}

/// Matches `x * scale + (bias - mean(x) * scale)`, where `scale` is `weight / sqrt(variance(x) + eps)`, as TensorFlow writes it.
pub fn folded(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((of, scale, bias, axes)) = scaled_and_shifted(r, t) else { return Ok(None) };
    let Fraction { factor, numerators, denominators } = Fraction::of(r, scale);
    let (&[root], [] | [_]) = (denominators.as_slice(), numerators.as_slice()) else { return Ok(None) };
    let radicand = power_of(r, root, 0.5).filter(|_| factor == 1.0);
    let Some((square, over, eps)) = radicand.and_then(|t| mean_and_epsilon(r, t)) else { return Ok(None) };
    let is_variance = r.square_root_of(square).is_some_and(|centered| deviation(r, centered, &axes) == Some(of));
    if !is_variance || over != axes {
        return Ok(None);
    }
    let Some(plain) = layer_norm(r, of, &axes, eps) else { return Ok(None) };
    let weighted = match numerators.first() {
        Some(weight) => with_factor(r, plain, *weight)?,
        None => Some(plain),
    };
    match weighted {
        Some(norm) => with_summand(r, norm, bias),
        None => Ok(None),
    }
}

/// Returns `x`, the scale, the bias and the axes of the mean.
fn scaled_and_shifted(r: &Rewriter, t: Tensor) -> Option<(Tensor, Tensor, Tensor, Vec<usize>)> {
    r.summands(t)?.into_iter().find_map(|(scaled, shift)| {
        let Op::Sub(op) = r.op(shift)? else { return None };
        let &[bias, moved] = op.inputs.as_slice() else { return None };
        r.factors(scaled)?.into_iter().find_map(|(x, scale)| {
            let mean = r.factors(moved)?.into_iter().find(|(_, by)| *by == scale)?.0;
            let (of, axes) = r.mean(mean)?;
            (of == x && !op.is_reverse && r.is_coefficient(bias)).then_some((x, scale, bias, axes))
        })
    })
}

/// Matches a norm times a weight.
pub fn with_weight(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((norm, weight)) = r.factors(t).and_then(|pairs| norm_and_coefficient(r, pairs)) else { return Ok(None) };
    with_factor(r, norm, weight)
}

/// Matches a norm plus a bias.
pub fn with_bias(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some((norm, bias)) = r.summands(t).and_then(|pairs| norm_and_coefficient(r, pairs)) else { return Ok(None) };
    with_summand(r, norm, bias)
}

/// Returns the norm, which nothing else reads, and the coefficient that it is combined with.
fn norm_and_coefficient(r: &Rewriter, pairs: [(Tensor, Tensor); 2]) -> Option<(Op<Tensor>, Tensor)> {
    let (norm, other) = pairs.into_iter().find(|(a, b)| r.is_coefficient(*b) && r.is_read_once(*a))?;
    Some((r.op(norm)?.clone(), other))
}

fn with_factor(r: &mut Rewriter, mut norm: Op<Tensor>, weight: Tensor) -> Result<Option<Op<Tensor>>> {
    let weight = fitted(r, &norm, weight)?;
    let Some((slot @ None, None | Some(None))) = parameters(&mut norm) else { return Ok(None) };
    *slot = weight;
    Ok(weight.map(|_| norm))
}

fn with_summand(r: &mut Rewriter, mut norm: Op<Tensor>, bias: Tensor) -> Result<Option<Op<Tensor>>> {
    let bias = fitted(r, &norm, bias)?;
    let Some((_, Some(slot @ None))) = parameters(&mut norm) else { return Ok(None) };
    *slot = bias;
    Ok(bias.map(|_| norm))
}

/// Returns the weight of a norm, and its bias if it has one.
fn parameters(norm: &mut Op<Tensor>) -> Option<(&mut Option<Tensor>, Option<&mut Option<Tensor>>)> {
    Some(match norm {
        Op::LayerNorm(op) => (&mut op.weight, Some(&mut op.bias)),
        Op::PixelNorm(op) => (&mut op.weight, Some(&mut op.bias)),
        Op::GroupNorm(op) => (&mut op.weight, Some(&mut op.bias)),
        Op::InstanceNorm(op) => (&mut op.weight, Some(&mut op.bias)),
        Op::RMSNorm(op) => (&mut op.gamma, None),
        _ => return None,
    })
}

/// Returns a coefficient in the shape that the norm takes, if broadcasting it to the result gives each entry its own.
fn fitted(r: &mut Rewriter, norm: &Op<Tensor>, coefficient: Tensor) -> Result<Option<Tensor>> {
    let (over, after) = match norm {
        Op::LayerNorm(op) => (r.shape(op.input)[op.axis as usize..].to_vec(), 0),
        Op::RMSNorm(op) => (r.shape(op.input)[r.rank(op.input) - 1..].to_vec(), 0),
        Op::PixelNorm(op) => (vec![r.shape(op.input)[1]], r.rank(op.input) - 2),
        Op::GroupNorm(op) => (vec![r.shape(op.input)[1]], r.rank(op.input) - 2),
        Op::InstanceNorm(op) => (vec![r.shape(op.input)[1]], r.rank(op.input) - 2),
        _ => return Ok(None),
    };
    let shape = r.shape(coefficient);
    let ones = shape.iter().take_while(|d| **d == 1).count();
    let expected: Vec<usize> = over.iter().copied().chain(std::iter::repeat_n(1, after)).collect();
    let leading = shape.len().saturating_sub(expected.len());
    if leading > ones || shape[leading..] != expected {
        return Ok(None);
    }
    r.reshaped(coefficient, &over)
}

/// Matches an instance norm of groups as its channels, between reshapes, as PyTorch writes a group norm.
pub fn grouped(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    Ok(group_norm(r, t))
}

fn group_norm(r: &Rewriter, t: Tensor) -> Option<Op<Tensor>> {
    let Op::Reshape(joined) = r.op(t)? else { return None };
    let Op::InstanceNorm(norm) = r.op(joined.input)? else { return None };
    let Op::Reshape(split) = r.op(norm.input)? else { return None };
    let (x, groups) = (split.input, r.shape(norm.input));
    let is_plain =
        norm.weight.is_none_or(|w| r.is_filled_with(w, 1.0)) && norm.bias.is_none_or(|b| r.is_filled_with(b, 0.0));
    let [batch, count, ..] = *groups else { return None };
    let of = r.shape(x);
    let is_split = of.len() > 1 && of[0] == batch && of[1].is_multiple_of(count) && of == r.shape(t);
    (is_plain && is_split).then(|| GroupNorm::new(x, norm.eps, count as i64).into())
}
