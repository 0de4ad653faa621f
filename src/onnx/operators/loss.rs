//! Losses, with classes along axis 1.
use super::Convert;
use crate::{
    Tensor,
    base::{Dtype, Result, invalid},
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{CompareMode, Gather, GatherElements, Mul, Softmax},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] =
    &[("NegativeLogLikelihoodLoss", negative_log_likelihood), ("SoftmaxCrossEntropyLoss", softmax_cross_entropy)];

fn negative_log_likelihood<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let log = b.tensor(x)?;
    Ok(vec![loss(b, n, log)?])
}

fn softmax_cross_entropy<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let scores = b.tensor(x)?;
    let log = b.op(Softmax { log: true, ..Softmax::new(scores, 1) })?;
    let mut results = vec![loss(b, n, log)?, b.value(log, x.dtype())?];
    results.truncate(n.outputs());
    Ok(results)
}

/// Minus the logarithm of the target's probability, weighted, and reduced as the node asks.
fn loss<'m>(b: &mut Importer<'m>, n: &Node<'m>, log: Tensor) -> Result<Value> {
    let (x, target) = (n.input(0)?, n.input(1)?);
    let dtype = x.dtype();
    let shape = target.shape();
    let ignored = n.int("ignore_index");
    let given = b.tensor(target)?;
    let given = b.as_dtype(given, Dtype::Int32)?;
    // An ignored target may be no class at all.
    let (index, counts) = match ignored {
        None => (given, None),
        Some(ignored) => {
            let counts = b.compare_const(given, CompareMode::NotEqual, ignored as f64)?;
            (b.mul(given, counts)?, Some(b.real(counts)?))
        }
    };
    if x.rank() < 2 || x.rank() != target.rank() + 1 {
        return Err(invalid("its scores must have one dimension more than its targets: that of the classes"));
    }
    let mut column = shape.clone();
    column.insert(1, 1);
    let at = b.reshape(index, &column)?;
    let chosen = b.op(GatherElements { axis: 1, ..GatherElements::new(log, at) })?;
    let chosen = b.reshape(chosen, &shape)?;
    let mut each = b.mul_const(chosen, -1.0)?;
    let mut weights = match n.optional(2) {
        Some(weights) => {
            let weights = b.tensor(weights)?;
            let flat: usize = shape.iter().product();
            let index = b.reshape(index, &[flat])?;
            let all = b.op(Gather { axis: 0, ..Gather::new(weights, index) })?;
            Some(b.reshape(all, &shape)?)
        }
        None => None,
    };
    weights = match (weights, counts) {
        (Some(weights), Some(counts)) => Some(b.mul(weights, counts)?),
        (weights, counts) => weights.or(counts),
    };
    if let Some(weights) = weights {
        each = b.op(Mul::new(vec![each, weights]))?;
    }
    let axes: Vec<usize> = (0..shape.len()).collect();
    let reduction = n.word("reduction", "mean", &[("mean", Some(true)), ("sum", Some(false)), ("none", None)])?;
    let Some(mean) = reduction else { return b.value(each, dtype) };
    let sum = b.sum(each, &axes)?;
    let total = match (mean, weights) {
        (false, _) => sum,
        (true, Some(weights)) => {
            let count = b.sum(weights, &axes)?;
            b.div(sum, count)?
        }
        (true, None) => b.mul_const(sum, 1.0 / shape.iter().product::<usize>() as f64)?,
    };
    b.shaped(total, &[], dtype)
}
