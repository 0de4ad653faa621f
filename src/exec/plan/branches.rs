//! Convolutions of one input whose results are added, as in RepVGG and MobileOne: their weights are added instead.
use super::{
    network::{Operation, TensorIndex},
    per_channel::{PerChannel, per_channel},
    rewrite_graph::{Node, NodeIndex, RewriteGraph},
    rules::Capabilities,
};
use crate::{
    array::Array,
    base::Result,
    ops::{Conv, Convolution, Op, Window},
};
use std::collections::HashMap;

/// Maximum number of convolutions that are merged into one. Each of them copies the weights once more.
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
    pub fn merge(&mut self, graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
        let Some(Operation { op: Op::Add(add), results, origin, .. }) = graph.only_operation(at) else {
            return Ok(false);
        };
        let (&[a, b], &[Some(result)]) = (add.inputs.as_slice(), results.as_slice()) else { return Ok(false) };
        if !add.has_unit_coefficients() || !are_alike(graph, &[a, b, result])? {
            return Ok(false);
        }
        let (Some(a), Some(b)) = (Branch::new(graph, a, backend)?, Branch::new(graph, b, backend)?) else {
            return Ok(false);
        };
        let count = [a.node, b.node].iter().map(|node| self.counts.get(node).unwrap_or(&1)).sum();
        if a.input != b.input || count > BRANCHES {
            return Ok(false);
        }
        let Some(Cover { conv, whole, part, elements }) = Cover::of(&a, &b).or_else(|| Cover::of(&b, &a)) else {
            return Ok(false);
        };
        let (Some(mut sums), Some(added)) = (whole.constants(graph)?, part.constants(graph)?) else { return Ok(false) };
        whole.add(&mut sums, part, &added, &elements);
        // Infinite weights would make NaN of inputs that are 0.
        let floats = |numbers: Vec<f64>| numbers.into_iter().map(|v| v as f32).collect::<Vec<f32>>();
        let (weights, bias) = (floats(sums.weights), floats(sums.bias));
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
    Ok(types.iter().all(|ty| ty.is_plain_float32() && ty.shape == types[0].shape))
}

/// A convolution without a Relu, whose result is used once.
struct Branch {
    node: NodeIndex,
    input: TensorIndex,
    kind: Kind,
    windows: Vec<Window>,
    group: usize,
    /// Input and output channels of a group.
    ic: usize,
    oc: usize,
}

enum Kind {
    Conv(Box<Conv<TensorIndex>>),
    /// A depthwise convolution with a kernel of one element.
    PerChannel(PerChannel),
}

struct Constants {
    /// oc x ic/group x kernel.
    weights: Vec<f64>,
    /// One number per output channel.
    bias: Vec<f64>,
}

impl Branch {
    fn new(graph: &RewriteGraph, result: TensorIndex, backend: &Capabilities) -> Result<Option<Branch>> {
        let Some(node) = graph.single_use_producer(result) else { return Ok(None) };
        let Some(Operation { op, .. }) = graph.only_operation(node) else { return Ok(None) };
        if let Op::Conv(conv) = op {
            let filter = graph.entry(conv.filter)?;
            let is_merged = filter.ty.is_plain_float() && !conv.do_relu && !backend.stays_in_file(filter);
            if !is_merged || !are_alike(graph, &[conv.input])? {
                return Ok(None);
            }
            let filter = &filter.ty;
            let (group, ic) = (conv.group as usize, filter.shape[1]);
            let (input, oc, kind) = (conv.input, filter.shape[0] / group, Kind::Conv(conv.clone()));
            let windows = Convolution::from(&**conv).windows(&graph.entry(input)?.ty.shape)?;
            return Ok(Some(Branch { node, input, kind, windows, group, ic, oc }));
        }
        let Some(scaled) = per_channel(graph, op)?.filter(|scaled| !scaled.do_relu) else { return Ok(None) };
        let (input, shape) = (scaled.input, &graph.entry(scaled.input)?.ty.shape);
        if !are_alike(graph, &[input, result])? || shape.len() < 2 || shape[1] != scaled.scale.len() {
            return Ok(None);
        }
        let window = |&input: &usize| Window { input, kernel: 1, stride: 1, dilation: 1, pads: [0, 0] };
        let windows = shape[2..].iter().map(window).collect();
        Ok(Some(Branch { node, input, kind: Kind::PerChannel(scaled), windows, group: shape[1], ic: 1, oc: 1 }))
    }

    /// Returns `None` if a filter or bias is computed.
    fn constants(&self, graph: &RewriteGraph) -> Result<Option<Constants>> {
        Ok(match &self.kind {
            Kind::PerChannel(of) => Some(Constants { weights: of.scale.clone(), bias: of.shift.clone() }),
            Kind::Conv(conv) => {
                let bias = conv.bias.map_or(Ok(Some(vec![0.0; self.group * self.oc])), |bias| graph.numbers(bias))?;
                graph.numbers(conv.filter)?.zip(bias).map(|(weights, bias)| Constants { weights, bias })
            }
        })
    }

    /// Adds the constants of another branch to those of this one; `elements` are those of its [`Cover`].
    fn add(&self, sums: &mut Constants, other: &Branch, added: &Constants, elements: &[usize]) {
        sums.bias.iter_mut().zip(&added.bias).for_each(|(sum, b)| *sum += b);
        let taps = sums.weights.len() / (self.group * self.oc * self.ic);
        for (i, kernel) in added.weights.chunks_exact(elements.len()).enumerate() {
            let (o, c) = (i / other.ic, i % other.ic);
            // The input channel, which is in the same group.
            let c = o / other.oc * other.ic + c - o / self.oc * self.ic;
            let sums = &mut sums.weights[(o * self.ic + c) * taps..][..taps];
            elements.iter().zip(kernel).for_each(|(at, w)| sums[*at] += w);
        }
    }
}

/// A convolution whose windows see all that those of another branch see.
struct Cover<'a> {
    conv: &'a Conv<TensorIndex>,
    whole: &'a Branch,
    part: &'a Branch,
    /// For each element of the other kernel, the element of this kernel that sees the same.
    elements: Vec<usize>,
}

impl<'a> Cover<'a> {
    /// Returns `None` if the windows of `part` see more than those of `whole`.
    fn of(whole: &'a Branch, part: &'a Branch) -> Option<Self> {
        let Kind::Conv(conv) = &whole.kind else { return None };
        if !part.group.is_multiple_of(whole.group) {
            return None;
        }
        let mut elements = vec![0];
        for (own, other) in whole.windows.iter().zip(&part.windows) {
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
        Some(Cover { conv, whole, part, elements })
    }
}
