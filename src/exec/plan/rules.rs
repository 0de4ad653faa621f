//! The rewrite rules, in the order in which they are applied.
use super::{
    attention,
    branches::BranchMerger,
    layout,
    network::{Operation, TensorEntry, TensorIndex},
    padding, parts,
    per_channel::{self, ScaleFolder},
    permutations, quantized,
    rewrite_graph::{Node, NodeIndex, RewriteGraph, for_compute, signature},
    stored,
};
use crate::{
    Backend, Fusion, Layout, Layouts, Operand, Signature, ValueType,
    array::Array,
    base::{Result, pluralized},
    ops::{Op, Reshape},
    placement::Placement,
};

/// What the rules ask of a backend.
pub(super) struct Capabilities<'b> {
    fusion: Option<&'b dyn Fusion>,
    layouts: Option<&'b dyn Layouts>,
    evaluate: &'b dyn Fn(&Signature) -> Result<Option<Vec<Array>>>,
    /// Whether some weights are read again in each run.
    streams_weights: bool,
}

/// Maximum size in bytes of a constant in a file that rules replace by others in memory, although not all weights are kept there.
const COPIED: u64 = 1 << 14;

impl Capabilities<'_> {
    fn can_fuse(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
        self.fusion.is_some_and(|fusion| fusion.can_fuse(signature, next, result))
    }
    /// Whether the backend supports an operator that replaces several.
    pub fn supports_fused(&self, signature: &Signature) -> bool {
        self.fusion.is_some_and(|fusion| fusion.supports(signature))
            && (signature.is_row_major() || self.supports_layouts(signature))
    }
    /// Whether the backend supports the layouts of an operator.
    pub fn supports_layouts(&self, signature: &Signature) -> bool {
        self.layouts.is_some_and(|layouts| layouts.supports(signature))
    }
    /// Whether the backend computes several operators by one kernel.
    pub fn can_fuse_any(&self) -> bool {
        self.fusion.is_some()
    }
    /// The backend's layout of images of that type.
    pub fn layout_of_images(&self, ty: &ValueType) -> Option<Layout> {
        self.layouts?.of_images(ty)
    }
    /// Whether the backend computes on layouts other than row-major.
    pub fn has_layouts(&self) -> bool {
        self.layouts.is_some()
    }
    /// Whether a constant stays in its file, from which each run reads it: what a rule made of it would always be in memory.
    pub fn stays_in_file(&self, entry: &TensorEntry) -> bool {
        let is_in_file = |constant: &Array| constant.source_path().is_some();
        self.streams_weights && entry.ty.bytes() > COPIED && entry.constant.as_ref().is_some_and(is_in_file)
    }
}

/// A rewrite rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Folds operators whose operands are all constant.
    Fold,
    /// Merges padding with zeros into the convolution after it.
    Padding,
    /// Where a network of reals quantizes to bytes, gives the bytes their scale and computes with them.
    Quantized,
    /// Folds the per-channel scale and bias after a convolution or a product into its weights and bias.
    Scale,
    /// Merges convolutions of one input whose results are added.
    Branches,
    /// Computes other scales and biases per channel by element-wise operators, which can be fused.
    Split,
    /// Moves stored integers instead of dequantizing, moving and quantizing again, and gathers them instead of reals.
    Stored,
    /// Divides products whose results are permuted and taken apart, as queries, keys and values are.
    Parts,
    /// Merges permutations, also with a norm between them, and with reshapes around them.
    Permutations,
    /// Fuses attention (matmul, softmax, matmul) into one operator.
    Attention,
    /// Merges a reshape of a reshape. A permutation that moves no elements becomes one.
    View,
    /// Fuses element-wise operators into the epilogue of their producer.
    Epilogue,
    /// Blocks channels or stores them last where convolutions are faster that way.
    Layout,
    /// Fuses depthwise convolutions of large images into the convolutions that compute these images.
    Depthwise,
}

impl Rule {
    /// All rules, in the order in which they are applied.
    pub const ALL: [Rule; 14] = [
        Rule::Fold,
        Rule::Padding,
        Rule::Quantized,
        Rule::Scale,
        Rule::Branches,
        Rule::Split,
        Rule::Stored,
        Rule::Parts,
        Rule::Permutations,
        Rule::Attention,
        Rule::View,
        Rule::Epilogue,
        Rule::Layout,
        Rule::Depthwise,
    ];

    /// Describes the effect of this rule on `operators` operators.
    pub fn text(self, operators: usize) -> String {
        let n = pluralized(operators, "operator");
        match self {
            Rule::Fold => format!("{n} constant-folded"),
            Rule::Padding => format!("{} merged into the convolution that follows", pluralized(operators, "padding")),
            Rule::Quantized => format!("{n} on quantized integers instead of reals"),
            Rule::Scale => format!("{n} folded into the weights of the preceding operator"),
            Rule::Branches => {
                format!("{} of convolutions merged into the weights of one", pluralized(operators, "addition"))
            }
            Rule::Split => format!("{n} computed as a multiplication and an addition"),
            Rule::Stored => format!("{n} on stored integers instead of reals"),
            Rule::Parts => format!("{} split into one for each part of the result", pluralized(operators, "product")),
            Rule::Permutations => format!("{n} merged with a permutation"),
            Rule::Attention => {
                format!("attention fused, or its head permutation removed, in {}", pluralized(operators, "place"))
            }
            Rule::View => format!("{n} merged with another reshape"),
            Rule::Epilogue => {
                format!("{} fused into the preceding kernel", pluralized(operators, "element-wise operator"))
            }
            Rule::Layout => format!("{} on images with channels in blocks or last", pluralized(operators, "step")),
            Rule::Depthwise => {
                format!("{} fused into the preceding convolution", pluralized(operators, "depthwise convolution"))
            }
        }
    }
}

/// Rewrites a node if its rule applies, and returns whether it does.
type Rewrite<'r> = &'r mut dyn FnMut(&mut RewriteGraph, NodeIndex) -> Result<bool>;

/// Applies the rules to every node in execution order; `streams_weights` says whether some weights are read again in each run.
/// Returns how often each rule applied.
///
/// # Errors
/// Returns an error if a constant cannot be read, or if the caller wants to end.
pub(super) fn rewrite<B: Backend>(
    graph: &mut RewriteGraph,
    placement: &Placement<B>,
    rules: &[Rule],
    streams_weights: bool,
) -> Result<Vec<(Rule, usize)>> {
    let backend = &Capabilities {
        fusion: placement.backend.fusion(),
        layouts: placement.backend.layouts(),
        evaluate: &|signature| placement.evaluate(signature),
        streams_weights,
    };
    let mut applied = Vec::new();
    for rule in rules.iter().copied() {
        let each = |rewritten: Rewrite, graph: &mut RewriteGraph| -> Result<usize> {
            let mut times = 0;
            for at in graph.indices() {
                placement.check_interrupt()?;
                times += usize::from(rewritten(graph, at)?);
            }
            Ok(times)
        };
        let times = match rule {
            Rule::Fold => each(&mut |graph, at| Ok(fold(graph, at, backend)), graph)?,
            Rule::Padding => each(&mut padding::merge, graph)?,
            Rule::Quantized => quantized::quantize(graph, backend)?,
            Rule::Scale => {
                let mut folder = ScaleFolder::default();
                each(&mut |graph, at| folder.fold(graph, at, backend), graph)?
            }
            Rule::Branches => {
                let mut merger = BranchMerger::default();
                each(&mut |graph, at| merger.merge(graph, at, backend), graph)?
            }
            Rule::Split => per_channel::split(graph, backend)?,
            Rule::Stored => {
                let concatenated = each(&mut stored::concatenated, graph)?;
                concatenated + stored::gather(graph, backend)? + each(&mut stored::stored, graph)?
            }
            Rule::Parts => parts::divide(graph, backend)?,
            Rule::Permutations if !backend.can_fuse_any() => 0,
            Rule::Permutations => each(&mut |graph, at| permutations::merge(graph, at, backend), graph)?,
            Rule::Attention => each(&mut |graph, at| attention::attention(graph, at, backend), graph)?,
            Rule::View => {
                each(&mut |graph, at| Ok(permutations::replace_by_view(graph, at)? | view(graph, at)?), graph)?
            }
            Rule::Epilogue => each(&mut |graph, at| epilogue(graph, at, backend), graph)?,
            Rule::Layout => layout::assign(graph, backend)?,
            Rule::Depthwise => each(&mut |graph, at| depthwise(graph, at, backend), graph)?,
        };
        applied.push((rule, times));
    }
    Ok(applied)
}

/// Bytes by which a folded result may exceed its operands: a small operand may be broadcast to a large result.
const FOLDED: usize = 1 << 12;

fn fold(graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> bool {
    let Some(node) = graph.node(at) else { return false };
    let size = |t: TensorIndex| {
        graph.entry(t).map_or(usize::MAX, |s| s.ty.elements().saturating_mul(s.ty.buffer_dtype().size()))
    };
    let sum = |all: &mut dyn Iterator<Item = TensorIndex>| all.map(size).fold(0, usize::saturating_add);
    let operands = node.operands();
    if !operands.iter().all(|t| graph.constant(*t).is_some()) {
        return false;
    }
    let (read, made) = (sum(&mut operands.iter().copied()), sum(&mut node.outputs()));
    let stays = |t: &TensorIndex| graph.entry(*t).is_ok_and(|entry| backend.stays_in_file(entry));
    if made > read.saturating_add(FOLDED) || (made as u64 > COPIED && operands.iter().any(stays)) {
        return false;
    }
    // Errors are reported at run time.
    let Some(values) = evaluated(graph, node, backend).ok().flatten() else { return false };
    graph.replace_with_constants(at, values);
    graph.drop_unused_constants(operands);
    true
}

/// Computes the results of a node whose operands are constants. Returns `None` if the backend cannot.
///
/// # Errors
/// Returns an error if the operator fails.
pub(super) fn evaluated(graph: &RewriteGraph, node: &Node, backend: &Capabilities) -> Result<Option<Vec<Array>>> {
    let values = |t: TensorIndex| graph.constant(t).map(for_compute).transpose();
    (backend.evaluate)(&signature(node, |t| graph.entry(t), values)?)
}

/// Whether a node only reshapes its operand.
pub(super) fn is_view(node: &Node) -> bool {
    matches!(node.stages.as_slice(), [one] if one.op.viewed_from().is_some())
}

/// The operand of a node that only reshapes it.
fn shown(graph: &RewriteGraph, at: NodeIndex) -> Option<TensorIndex> {
    let node = graph.node(at).filter(|node| is_view(node))?;
    node.operands().first().copied()
}

/// Replaces a view of a single-use view by a view of its source.
fn view(graph: &mut RewriteGraph, at: NodeIndex) -> Result<bool> {
    let Some(between) = shown(graph, at) else { return Ok(false) };
    let Some((before, origin)) = graph.single_use_producer(between).and_then(|n| Some((n, shown(graph, n)?))) else {
        return Ok(false);
    };
    let (from, by, Some(last)) = (graph.entry(origin)?, graph.entry(between)?, graph.node(at).and_then(Node::last))
    else {
        return Ok(false);
    };
    // Values that change their scale would be rounded twice.
    if from.ty.dtype != by.ty.dtype || from.ty.quantization != by.ty.quantization {
        return Ok(false);
    }
    let stage = Operation { op: Reshape::new(origin).into(), ..last.clone() };
    graph.remove(before);
    graph.replace(at, Node { stages: vec![stage] });
    Ok(true)
}

/// Maximum number of operators fused into one node: each fusion examines all of them again.
const STAGES: usize = 12;

/// Maximum number of producers that are tried for one operator: each attempt examines all its operands.
const PRODUCERS: usize = 4;

/// Fuses an operator into the producer of one of its operands, the one computed last: the other operands are available by
/// then.
fn epilogue(graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
    let Some([next]) = graph.node(at).filter(|n| !n.has_blocks()).map(|n| n.stages.as_slice()) else {
        return Ok(false);
    };
    // A fused operator keeps the shape; checked here, so that a Concat of many tensors is not looked at for each of them.
    let [Some(result)] = next.results.as_slice() else { return Ok(false) };
    let shape = &graph.entry(*result)?.ty.shape;
    let keeps_shape = |t: TensorIndex| graph.entry(t).is_ok_and(|entry| entry.ty.shape == *shape);
    let candidates = next.op.operands().map(|(_, t)| *t).filter(|t| keeps_shape(*t));
    let mut makers: Vec<NodeIndex> = candidates.filter_map(|t| graph.single_use_producer(t)).collect();
    makers.sort_unstable();
    for before in makers.into_iter().rev().take(PRODUCERS) {
        let (Some(node), Some(next)) = (graph.node(before), graph.node(at)) else {
            continue;
        };
        if node.stages.len() >= STAGES || node.has_blocks() {
            continue;
        }
        let both = Node { stages: node.stages.iter().chain(&next.stages).cloned().collect() };
        let (own, mut all) = (graph.types(node)?, graph.types(&both)?);
        let (Some(next), [Some(result)]) = (all.fused_ops.pop(), all.results.as_slice()) else {
            continue;
        };
        if next.operands().any(|(_, o): (_, &Operand)| o.is_fused_input()) && backend.can_fuse(&own, &next, result) {
            graph.absorb(before, at);
            return Ok(true);
        }
    }
    Ok(false)
}

/// Fuses a depthwise convolution into the convolution that computes its input.
fn depthwise(graph: &mut RewriteGraph, at: NodeIndex, backend: &Capabilities) -> Result<bool> {
    let Some(node) = graph.node(at) else { return Ok(false) };
    let Some(Op::Conv(conv)) = node.stages.first().map(|stage| &stage.op) else { return Ok(false) };
    let Some(before) = graph.single_use_producer(conv.input).filter(|_| conv.group > 1) else { return Ok(false) };
    let Some(first) = graph.node(before).filter(|first| matches!(first.stages[0].op, Op::Conv(_))) else {
        return Ok(false);
    };
    let both = Node { stages: [first.stages.as_slice(), &node.stages].concat() };
    if both.stages.len() > STAGES || !backend.supports_fused(&graph.types(&both)?) {
        return Ok(false);
    }
    graph.absorb(before, at);
    Ok(true)
}
