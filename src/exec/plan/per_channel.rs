//! Scales and biases per channel, as of batch norms and additions of constants: they are folded into the convolution or the linear
//! layer before, or else computed by element-wise operators.
use super::{
    network::{Operation, TensorIndex},
    rewrite_graph::{Node, NodeIndex, RewriteGraph, for_compute},
    rules::Capabilities,
};
use crate::{
    array::Array,
    base::Result,
    ops::{Add, MatMul, Mul, Op},
};
use std::collections::HashMap;

/// Maximum number of scales that are folded into one operator. Each of them copies the weights once more.
const SCALES: usize = 16;

/// Folds scales and biases per channel, and counts how many each operator has taken in.
#[derive(Default)]
pub(super) struct ScaleFolder {
    counts: HashMap<NodeIndex, usize>,
}

impl ScaleFolder {
    /// Folds a scale per channel into the convolution or the product before: `(w x + b) s + t` is `(s w) x + (s b + t)`.
    ///
    /// # Errors
    /// Returns an error if a constant cannot be read.
    pub fn fold(&mut self, graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
        let Some(Operation { op, results, .. }) = graph.only_operation(at) else { return Ok(false) };
        let Some(PerChannel { input, scale, shift, do_relu, relu_limit }) = per_channel(graph, op)? else {
            return Ok(false);
        };
        let results = results.clone();
        let Some(weighted) = Weighted::of(graph, input)? else { return Ok(false) };
        let Weighted { at: before, view, filter, bias, .. } = weighted;
        let count = self.counts.get(&before).map_or(1, |count| count + 1);
        if count > SCALES {
            return Ok(false);
        }
        let Some((new_filter, new_bias)) = weighted.folded(graph, (&scale, &shift), backend)? else {
            return Ok(false);
        };
        let Some(mut producer) = graph.only_operation(before).cloned() else { return Ok(false) };
        match &mut producer.op {
            Op::Conv(conv) => {
                (conv.filter, conv.bias) = (new_filter, Some(new_bias));
                (conv.do_relu, conv.relu_limit) = (do_relu, relu_limit);
            }
            Op::MatMul(product) => {
                (product.right, product.bias) = (new_filter, Some(new_bias));
                (product.do_relu, product.relu_limit) = (do_relu, relu_limit);
            }
            _ => return Ok(false),
        }
        // The last operator now has the results of the scale.
        let last = match view.and_then(|view| graph.only_operation(view)) {
            Some(reshape) => {
                let reshape = Operation { results, ..reshape.clone() };
                graph.replace(before, Node { stages: vec![producer] });
                reshape
            }
            None => Operation { results, ..producer },
        };
        graph.absorb(view.unwrap_or(before), at);
        graph.replace(at, Node { stages: vec![last] });
        graph.drop_unused_constants([Some(filter), bias].into_iter().flatten());
        self.counts.insert(if view.is_some() { before } else { at }, count);
        Ok(true)
    }
}

/// A convolution, or a product by a constant matrix.
struct Weighted {
    at: NodeIndex,
    /// A reshape of its result that keeps the channels.
    view: Option<NodeIndex>,
    filter: TensorIndex,
    bias: Option<TensorIndex>,
    channels: ChannelAxis,
}

/// The axis of a matrix of weights that has one element per channel of the result.
#[derive(Clone, Copy)]
enum ChannelAxis {
    Rows,
    Columns,
}

impl Weighted {
    /// Returns the operator that computes `result`, if nothing else reads it and its channels are axis 1.
    fn of(graph: &RewriteGraph, result: TensorIndex) -> Result<Option<Weighted>> {
        let Some(mut at) = graph.single_use_producer(result) else { return Ok(None) };
        let mut view = None;
        // The batch norm of a linear layer is often between two reshapes, as it has only two axes.
        if let Some(viewed) = graph.only_operation(at).and_then(|operation| operation.op.viewed_from())
            && let Some(before) = graph.single_use_producer(*viewed)
        {
            (at, view) = (before, Some(at));
        }
        let (filter, bias, channels) = match graph.only_operation(at).map(|o| &o.op) {
            Some(Op::Conv(conv)) if view.is_none() && !conv.do_relu => (conv.filter, conv.bias, ChannelAxis::Rows),
            Some(Op::MatMul(product)) if is_linear_layer(product) => {
                let channels = if product.right_transpose { ChannelAxis::Rows } else { ChannelAxis::Columns };
                let (result, weights) = (&graph.entry(result)?.ty.shape, &graph.entry(product.right)?.ty.shape);
                // The channels, in axis 1, must be the last axis, that of the product's columns.
                let columns = match (weights.as_slice(), channels) {
                    (&[n, _], ChannelAxis::Rows) | (&[_, n], ChannelAxis::Columns) => n,
                    _ => return Ok(None),
                };
                if result.len() != 2 || result[1] != columns {
                    return Ok(None);
                }
                (product.right, product.bias, channels)
            }
            _ => return Ok(None),
        };
        let is_float = |t: TensorIndex| graph.entry(t).map(|entry| entry.ty.dtype.is_float());
        Ok((is_float(result)? && is_float(filter)?).then_some(Weighted { at, view, filter, bias, channels }))
    }

    /// Adds the weights and the bias of an operator that also applies a scale and a shift per channel. Returns `None` if they are not
    /// constant or not finite, or if the weights stay in their file.
    fn folded(
        &self,
        graph: &mut RewriteGraph,
        (scale, shift): (&[f64], &[f64]),
        backend: &Capabilities,
    ) -> Result<Option<(TensorIndex, TensorIndex)>> {
        let entry = graph.entry(self.filter)?;
        let (Some(values), ty) = (&entry.constant, entry.ty.clone()) else { return Ok(None) };
        let is_scaled = scale.iter().any(|factor| *factor != 1.0);
        if is_scaled && backend.stays_in_file(entry) {
            return Ok(None);
        }
        let old = match self.bias {
            Some(bias) => graph.numbers(bias)?,
            None => Some(vec![0.0; scale.len()]),
        };
        let Some(old) = old.filter(|old| old.len() == scale.len()) else { return Ok(None) };
        let weights = is_scaled.then(|| scaled(values, scale, self.channels)).transpose()?;
        // Infinite weights would make NaN of inputs that are 0.
        if !weights.iter().flatten().all(|w| w.is_finite()) {
            return Ok(None);
        }
        let shifted: Vec<f32> = old.iter().zip(scale.iter().zip(shift)).map(|(b, (s, t))| (b * s + t) as f32).collect();
        let filter = match weights {
            Some(weights) => graph.add_constant(&ty, Array::from_vec(ty.shape.clone(), weights)?),
            None => self.filter,
        };
        Ok(Some((filter, graph.add_constant(&ty, shifted.into()))))
    }
}

/// Whether a product is a linear layer, without an activation.
fn is_linear_layer(product: &MatMul<TensorIndex>) -> bool {
    let MatMul { input, right, bias, right_transpose, keep_dims, .. } = *product;
    *product == MatMul { bias, right_transpose, keep_dims, ..MatMul::new(input, right) }
}

/// Returns weights times the factors of their channels.
fn scaled(weights: &Array, factors: &[f64], channels: ChannelAxis) -> Result<Vec<f32>> {
    let mut weights = for_compute(weights)?.to_f32()?;
    let times = |w: &mut f32, f: f64| *w = (f64::from(*w) * f) as f32;
    match channels {
        ChannelAxis::Rows => {
            let depth = weights.len() / factors.len();
            for (row, f) in weights.chunks_mut(depth.max(1)).zip(factors) {
                row.iter_mut().for_each(|w| times(w, *f));
            }
        }
        ChannelAxis::Columns => {
            for row in weights.chunks_mut(factors.len().max(1)) {
                row.iter_mut().zip(factors).for_each(|(w, f)| times(w, *f));
            }
        }
    }
    Ok(weights)
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

/// Replaces batch norms and scales by a multiplication and an addition, which can be fused with their neighbors.
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
