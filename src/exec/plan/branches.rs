//! Convolutions of one input whose results are added, as in RepVGG and MobileOne: their weights are added instead.
use super::{
    network::{Operation, TensorIndex},
    per_channel::per_channel,
    rewrite_graph::{Node, NodeIndex, RewriteGraph, for_compute},
};
use crate::{
    array::Array,
    base::{Dtype, Result},
    ops::{Conv, Convolution, Op, Window},
};
use std::collections::HashMap;

/// Maximum number of convolutions that are merged into one: for each of them, the weights are copied.
const BRANCHES: usize = 16;

/// Merges convolutions, and counts how many each merged one computes.
#[derive(Default)]
pub(super) struct BranchMerger {
    counts: HashMap<NodeIndex, usize>,
}

impl BranchMerger {
    /// Merges the two convolutions that an addition adds, if the windows of one see all that those of the other see. A scale and
    /// bias per channel are a depthwise convolution, too.
    ///
    /// # Errors
    /// Returns an error if a constant cannot be read.
    pub fn merge(&mut self, graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
        let Some([Operation { op: Op::Add(add), results, origin, .. }]) = graph.node(at).map(|n| n.stages.as_slice())
        else {
            return Ok(false);
        };
        let (&[a, b], &[Some(result)]) = (add.inputs.as_slice(), results.as_slice()) else { return Ok(false) };
        if add.coeff.iter().flatten().any(|c| *c != 1.0) || !are_alike(graph, &[a, b, result])? {
            return Ok(false);
        }
        let (Some(a), Some(b)) = (Branch::new(graph, a)?, Branch::new(graph, b)?) else { return Ok(false) };
        let count = [a.node, b.node].iter().map(|node| self.counts.get(node).unwrap_or(&1)).sum();
        if a.input != b.input || count > BRANCHES {
            return Ok(false);
        }
        let Some((conv, Constants { weights, bias })) = a.plus(&b).or_else(|| b.plus(&a)) else { return Ok(false) };
        // Infinite weights would make NaN of inputs that are 0.
        let floats = |numbers: Vec<f64>| numbers.into_iter().map(|v| v as f32).collect::<Vec<f32>>();
        let (weights, bias) = (floats(weights), floats(bias));
        if !weights.iter().all(|w| w.is_finite()) {
            return Ok(false);
        }
        let mut conv = conv.clone();
        (conv.do_relu, conv.relu_limit) = (add.do_relu, add.relu_limit);
        let (origin, ty) = (*origin, graph.entry(conv.filter)?.ty.clone());
        conv.filter = graph.add_constant(&ty, Array::from_vec(ty.shape.clone(), weights)?);
        conv.bias = Some(graph.add_constant(&ty, bias.into()));
        graph.replace(at, Node { stages: vec![Operation::new(conv, vec![Some(result)], origin)] });
        for node in [a.node, b.node] {
            let operands = graph.node(node).map(Node::operands).unwrap_or_default();
            graph.remove(node);
            graph.drop_unused_constants(operands);
        }
        self.counts.insert(at, count);
        Ok(true)
    }
}

/// Whether the tensors have one shape, and are float32: other sums would be rounded less often.
fn are_alike(graph: &RewriteGraph, tensors: &[TensorIndex]) -> Result<bool> {
    let types = tensors.iter().map(|t| Ok(&graph.entry(*t)?.ty)).collect::<Result<Vec<_>>>()?;
    Ok(types.iter().all(|ty| ty.is_plain_float() && ty.dtype == Dtype::Float32 && ty.shape == types[0].shape))
}

/// A convolution without a Relu, whose result is used once.
struct Branch {
    node: NodeIndex,
    input: TensorIndex,
    /// The operator, unless it is a scale and bias per channel.
    conv: Option<Box<Conv<TensorIndex>>>,
    windows: Vec<Window>,
    group: usize,
    /// Input and output channels of a group.
    ic: usize,
    oc: usize,
    constants: Constants,
}

struct Constants {
    /// oc x ic/group x kernel.
    weights: Vec<f64>,
    /// One number per output channel.
    bias: Vec<f64>,
}

impl Branch {
    fn new(graph: &RewriteGraph, result: TensorIndex) -> Result<Option<Branch>> {
        let Some(node) = graph.single_use_producer(result) else { return Ok(None) };
        let Some([Operation { op, .. }]) = graph.node(node).map(|n| n.stages.as_slice()) else { return Ok(None) };
        let numbers = |t: TensorIndex| graph.constant(t).map(|a| for_compute(a)?.to_f64()).transpose();
        if let Op::Conv(conv) = op {
            let filter = &graph.entry(conv.filter)?.ty;
            let is_float32 = are_alike(graph, &[conv.input])?;
            if conv.do_relu || !filter.is_plain_float() || !is_float32 {
                return Ok(None);
            }
            let (group, ic, channels) = (conv.group as usize, filter.shape[1], filter.shape[0]);
            let bias = conv.bias.map_or(Ok(Some(vec![0.0; channels])), numbers)?;
            let Some((weights, bias)) = numbers(conv.filter)?.zip(bias) else { return Ok(None) };
            let windows = Convolution::from(&**conv).windows(&graph.entry(conv.input)?.ty.shape)?;
            let (input, oc, constants) = (conv.input, channels / group, Constants { weights, bias });
            return Ok(Some(Branch { node, input, conv: Some(conv.clone()), windows, group, ic, oc, constants }));
        }
        let Some(scaled) = per_channel(graph, op)?.filter(|scaled| !scaled.do_relu) else { return Ok(None) };
        let shape = &graph.entry(scaled.input)?.ty.shape;
        if !are_alike(graph, &[scaled.input, result])? || shape.len() < 2 || shape[1] != scaled.scale.len() {
            return Ok(None);
        }
        let window = |&input: &usize| Window { input, kernel: 1, stride: 1, dilation: 1, pads: [0, 0] };
        let windows = shape[2..].iter().map(window).collect();
        let constants = Constants { weights: scaled.scale, bias: scaled.shift };
        Ok(Some(Branch { node, input: scaled.input, conv: None, windows, group: shape[1], ic: 1, oc: 1, constants }))
    }

    /// Returns this convolution with the constants of the sum of both. Returns `None` if the other's windows see more than its
    /// own.
    fn plus(&self, other: &Branch) -> Option<(&Conv<TensorIndex>, Constants)> {
        let (conv, elements) = (self.conv.as_deref()?, self.elements(other)?);
        if !other.group.is_multiple_of(self.group) {
            return None;
        }
        let (mut weights, mut bias) = (self.constants.weights.clone(), self.constants.bias.clone());
        bias.iter_mut().zip(&other.constants.bias).for_each(|(sum, b)| *sum += b);
        let (taps, other_taps) = (weights.len() / (self.group * self.oc * self.ic), elements.len());
        for (i, kernel) in other.constants.weights.chunks_exact(other_taps).enumerate() {
            let (o, c) = (i / other.ic, i % other.ic);
            // The input channel, which is in the same group.
            let c = o / other.oc * other.ic + c - o / self.oc * self.ic;
            let sums = &mut weights[(o * self.ic + c) * taps..][..taps];
            elements.iter().zip(kernel).for_each(|(at, w)| sums[*at] += w);
        }
        Some((conv, Constants { weights, bias }))
    }

    /// Returns the element of this kernel that sees the same as each element of the other kernel.
    fn elements(&self, other: &Branch) -> Option<Vec<usize>> {
        let mut elements = vec![0];
        for (own, other) in self.windows.iter().zip(&other.windows) {
            let element = |k: i64| {
                let offset = k * other.dilation - other.pads[0] + own.pads[0];
                let is_seen = offset >= 0 && offset % own.dilation == 0 && offset / own.dilation < own.kernel;
                is_seen.then_some((offset / own.dilation) as usize)
            };
            let along = (0..other.kernel).map(element).collect::<Option<Vec<usize>>>()?;
            let before = |e: &usize| along.iter().map(move |k| e * own.kernel as usize + k).collect::<Vec<_>>();
            elements = elements.iter().flat_map(before).collect();
            if own.stride != other.stride {
                return None;
            }
        }
        Some(elements)
    }
}
