//! Scales and biases per channel, as of batch norms and additions of constants: they are folded into the convolution before, or
//! else computed by element-wise operators.
use super::{
    network::{Operation, TensorIndex},
    rewrite_graph::{Node, NodeIndex, RewriteGraph, for_compute},
    rules::Capabilities,
};
use crate::{
    array::Array,
    base::Result,
    ops::{Add, Mul, Op},
};

/// Folds a scale per channel into the convolution before: `(w x + b) s + t` is `(s w) x + (s b + t)`.
///
/// # Errors
/// Returns an error if a constant cannot be read.
pub(super) fn fold(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some([Operation { op, results, .. }]) = graph.node(at).map(|n| n.stages.as_slice()) else {
        return Ok(false);
    };
    let Some(PerChannel { input, scale, shift, do_relu, relu_limit }) = per_channel(graph, op)? else {
        return Ok(false);
    };
    let Some(before) = graph.single_use_producer(input) else { return Ok(false) };
    let Some([Operation { op: Op::Conv(conv), origin, .. }]) = graph.node(before).map(|n| n.stages.as_slice()) else {
        return Ok(false);
    };
    let (Some(filter), bias) = (graph.constant(conv.filter), conv.bias.map(|b| graph.constant(b))) else {
        return Ok(false);
    };
    let ty = &graph.entry(conv.filter)?.ty;
    if conv.do_relu
        || bias.is_some_and(|b| b.is_none())
        || !ty.dtype.is_float()
        || !graph.entry(input)?.ty.dtype.is_float()
    {
        return Ok(false);
    }
    let weights = scaled_rows(filter, &scale)?;
    // Infinite weights would make NaN of inputs that are 0.
    if !weights.iter().flatten().all(|w| w.is_finite()) {
        return Ok(false);
    }
    let old = bias.flatten().map_or_else(|| Ok(vec![0.0; scale.len()]), Array::to_f64)?;
    let shifted: Vec<f32> = old.iter().zip(scale.iter().zip(&shift)).map(|(b, (s, t))| (b * s + t) as f32).collect();
    let (mut conv, origin, results, ty) = (conv.clone(), *origin, results.clone(), ty.clone());
    let replaced = [Some(conv.filter), conv.bias];
    if let Some(weights) = weights {
        conv.filter = graph.add_constant(&ty, Array::from_vec(ty.shape.clone(), weights)?);
    }
    conv.bias = Some(graph.add_constant(&ty, shifted.into()));
    (conv.do_relu, conv.relu_limit) = (do_relu, relu_limit);
    graph.absorb(before, at);
    graph.replace(at, Node { stages: vec![Operation::new(Op::Conv(conv), results, origin)] });
    graph.drop_unused_constants(replaced.into_iter().flatten());
    Ok(true)
}

/// Returns the rows of a filter times their factors, or `None` if all factors are 1.
fn scaled_rows(filter: &Array, factors: &[f64]) -> Result<Option<Vec<f32>>> {
    if factors.iter().all(|f| *f == 1.0) {
        return Ok(None);
    }
    let (mut weights, depth) = (for_compute(filter)?.to_f32()?, filter.len() / factors.len());
    for (row, f) in weights.chunks_mut(depth.max(1)).zip(factors) {
        row.iter_mut().for_each(|w| *w = (f64::from(*w) * f) as f32);
    }
    Ok(Some(weights))
}

/// An operator that computes `x s + t`, with s and t per channel.
pub(super) struct PerChannel {
    pub input: TensorIndex,
    pub scale: Vec<f64>,
    pub shift: Vec<f64>,
    pub do_relu: bool,
    pub relu_limit: f64,
}

/// Returns the constants of a scale, a batch norm, a multiplication by one number per channel, or
/// an addition of one number or one per channel.
///
/// # Errors
/// Returns an error if a constant cannot be read.
pub(super) fn per_channel(graph: &RewriteGraph, op: &Op<TensorIndex>) -> Result<Option<PerChannel>> {
    let numbers = |t: TensorIndex| graph.numbers(t);
    let optional = |t: Option<TensorIndex>, n: usize, value: f64| t.map_or(Ok(Some(vec![value; n])), numbers);
    let (input, do_relu, relu_limit, values) = match op {
        Op::Scale(op) => (op.input, op.do_relu, op.relu_limit, numbers(op.scale)?.zip(numbers(op.bias)?)),
        Op::BatchNorm(op) => {
            let (Some(mean), Some(variance)) = (numbers(op.mean)?, numbers(op.variance)?) else {
                return Ok(None);
            };
            let (gamma, beta) = (optional(op.gamma, mean.len(), 1.0)?, optional(op.beta, mean.len(), 0.0)?);
            let values = gamma.zip(beta).map(|(gamma, beta)| {
                let scale: Vec<f64> = gamma.iter().zip(&variance).map(|(g, v)| g / (v + op.epsilon).sqrt()).collect();
                let shift = beta.iter().zip(mean.iter().zip(&scale)).map(|(b, (m, s))| b - m * s).collect();
                (scale, shift)
            });
            (op.input, op.do_relu, op.relu_limit, values)
        }
        Op::AddConst(op) => {
            let n = channels(graph, op.input)?;
            (op.input, op.do_relu, op.relu_limit, Some((vec![1.0; n], vec![op.const_val; n])))
        }
        Op::Mul(op) => {
            let Some((input, factor)) = with_number_per_channel(graph, &op.inputs)? else { return Ok(None) };
            let scale = numbers(factor)?;
            (input, op.do_relu, op.relu_limit, scale.map(|scale| (scale.clone(), vec![0.0; scale.len()])))
        }
        Op::Add(op) if op.has_unit_coefficients() => {
            let Some((input, term)) = with_number_per_channel(graph, &op.inputs)? else { return Ok(None) };
            let shift = numbers(term)?;
            (input, op.do_relu, op.relu_limit, shift.map(|shift| (vec![1.0; shift.len()], shift)))
        }
        _ => return Ok(None),
    };
    Ok(values.map(|(scale, shift)| PerChannel { input, scale, shift, do_relu, relu_limit }))
}

/// The number of channels of a tensor; 0 if it has none.
fn channels(graph: &RewriteGraph, tensor: TensorIndex) -> Result<usize> {
    Ok(graph.entry(tensor)?.ty.shape.get(1).copied().unwrap_or(0))
}

/// Returns the operand and the constant if one of two operands is a constant with one number for each channel of the other.
fn with_number_per_channel(
    graph: &RewriteGraph,
    operands: &[TensorIndex],
) -> Result<Option<(TensorIndex, TensorIndex)>> {
    let &[a, b] = operands else { return Ok(None) };
    let (input, constant) = if graph.constant(a).is_some() { (b, a) } else { (a, b) };
    let shape = |t: TensorIndex| graph.entry(t).map(|entry| &entry.ty.shape);
    Ok(has_number_per_channel(shape(constant)?, shape(input)?).then_some((input, constant)))
}

/// Whether a factor has one number for each channel (axis 1) of an operand.
fn has_number_per_channel(factor: &[usize], operand: &[usize]) -> bool {
    let Some(missing) = operand.len().checked_sub(factor.len()) else { return false };
    // Leading axes that the factor does not have are broadcast.
    let sizes = std::iter::repeat_n(1, missing).chain(factor.iter().copied());
    operand.len() > 1 && sizes.enumerate().all(|(axis, n)| n == if axis == 1 { operand[1] } else { 1 })
}

/// Replaces batch norms and scales by a multiplication and an addition, which can be fused with their neighbours.
/// Returns the number of operators that were replaced.
///
/// # Errors
/// Returns an error if a constant cannot be read.
pub(super) fn split(graph: &mut RewriteGraph, backend: &Capabilities) -> Result<usize> {
    if !backend.can_fuse_any() {
        return Ok(0);
    }
    let (mut nodes, mut times) = (Vec::new(), 0);
    for at in graph.indices() {
        let Some(node) = graph.node(at).cloned() else { continue };
        match multiplication_and_addition(graph, &node)? {
            Some(both) => {
                nodes.extend(both);
                times += 1;
            }
            None => nodes.push(node),
        }
    }
    graph.rebuild(nodes);
    Ok(times)
}

fn multiplication_and_addition(graph: &mut RewriteGraph, node: &Node) -> Result<Option<[Node; 2]>> {
    let [Operation { op: op @ (Op::BatchNorm(_) | Op::Scale(_)), results, origin, .. }] = node.stages.as_slice() else {
        return Ok(None);
    };
    let (Some(per_channel), [Some(result)]) = (per_channel(graph, op)?, results.as_slice()) else { return Ok(None) };
    let PerChannel { input, scale, shift, do_relu, relu_limit } = per_channel;
    let ty = graph.entry(*result)?.ty.clone();
    // The product of other types would be rounded once more.
    if !ty.is_plain_float32() || !graph.entry(input)?.ty.is_plain_float32() || ty.shape.len() < 2 {
        return Ok(None);
    }
    let shape: Vec<usize> = (0..ty.shape.len()).map(|axis| if axis == 1 { scale.len() } else { 1 }).collect();
    let mut constant = |values: Vec<f64>| -> Result<TensorIndex> {
        let array = Array::from_vec(shape.clone(), values.into_iter().map(|v| v as f32).collect())?;
        Ok(graph.add_constant(&ty, array))
    };
    let (scale, shift) = (constant(scale)?, constant(shift)?);
    let product = graph.add(ty, None);
    let mut add = Add::new(vec![product, shift]);
    (add.do_relu, add.relu_limit) = (do_relu, relu_limit);
    let node = |op: Op<TensorIndex>, result| Node { stages: vec![Operation::new(op, vec![Some(result)], *origin)] };
    Ok(Some([node(Mul::new(vec![input, scale]).into(), product), node(add.into(), *result)]))
}
