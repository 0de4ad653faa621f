//! Assigns layouts of images: to the tensors of convolutions that the backend computes on them, and to those of the operators that
//! follow without a conversion.
use super::{
    network::{Operation, Origin, TensorIndex},
    rewrite_graph::{Node, RewriteGraph, for_compute},
    rules::{Capabilities, evaluated},
};
use crate::{
    ValueType,
    array::Array,
    base::{Dtype, Result, Shape},
    ops::{AvgPool, Op, Reduce, ReduceMode, Reshape, reduced_axes},
    signature::{is_arithmetic, is_for_all_channels},
};
use std::collections::{HashMap, HashSet};

/// A constant is converted only if that multiplies its number of elements by this at most, or if it then has [`FEW`] at most.
const MAX_PADDING: usize = 4;
const FEW: usize = 1 << 12;

/// Assigns layouts and inserts conversions. Returns the number of nodes with other layouts than row-major.
///
/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn assign(graph: &mut RewriteGraph, backend: &Capabilities) -> Result<usize> {
    if !backend.has_layouts() {
        return Ok(0);
    }
    let mut layouts = Assignment { pinned: graph.pinned(), ..Assignment::default() };
    let (mut times, convolved) = (0, convolved(graph));
    for at in graph.indices() {
        let Some(node) = graph.node(at).cloned() else { continue };
        let reduction = PixelReduction::new(graph, &node)?;
        let proposed = match &reduction {
            Some(reduction) => layouts.proposed(graph, &reduction.first, backend)?,
            // Converting an image takes less time before it is enlarged.
            None if is_enlargement(graph, &node)? && !node.outputs().any(|t| convolved.contains(&t)) => None,
            None => layouts.proposed(graph, &node, backend)?,
        };
        let Some(changed) = proposed else {
            layouts.push(node);
            continue;
        };
        times += 1;
        let reshape = changed.outputs().next().zip(reduction).and_then(|(image, reduction)| reduction.reshape(image));
        layouts.push(changed);
        reshape.into_iter().for_each(|reshape| layouts.push(reshape));
    }
    let Assignment { nodes, constants, .. } = layouts;
    graph.rebuild(nodes);
    graph.drop_unused_constants(constants.into_iter().flat_map(|((row_major, _), other)| [row_major, other]));
    Ok(times)
}

/// Whether a node is a convolution.
fn is_anchor(node: &Node) -> bool {
    matches!(node.stages.first(), Some(Operation { op: Op::Conv(_) | Op::Deconv(_), .. }))
}

/// Returns the tensors that a convolution depends on.
fn convolved(graph: &RewriteGraph) -> HashSet<TensorIndex> {
    let mut convolved = HashSet::new();
    for node in graph.indices().rev().filter_map(|at| graph.node(at)) {
        if is_anchor(node) || node.has_blocks() || node.outputs().any(|t| convolved.contains(&t)) {
            convolved.extend(node.operands());
        }
    }
    convolved
}

/// Whether a node enlarges its only operand, an image.
fn is_enlargement(graph: &RewriteGraph, node: &Node) -> Result<bool> {
    let Some(Operation { op: Op::Interp(_) | Op::Upsample(_), .. }) = node.stages.first() else { return Ok(false) };
    let operands = node.operands().into_iter().filter(|t| graph.constant(*t).is_none()).collect::<Vec<_>>();
    let ([from], Some(to)) = (operands.as_slice(), node.outputs().next()) else { return Ok(false) };
    Ok(graph.entry(to)?.ty.elements() > graph.entry(*from)?.ty.elements())
}

/// A reduction of all pixels of an image, in a form that can be computed in the layout of images.
struct PixelReduction {
    /// The reduction, whose result is an image of one pixel.
    first: Node,
    /// What follows if the axes of pixels are dropped: the reduction, in whose place there will be a Reshape, and the operators fused into
    /// it.
    rest: Option<Vec<Operation>>,
}

impl PixelReduction {
    /// Returns `None` if the node is something else.
    fn new(graph: &mut RewriteGraph, node: &Node) -> Result<Option<PixelReduction>> {
        let Some((own @ Operation { op: Op::Reduce(op), .. }, rest)) = node.stages.split_first() else {
            return Ok(None);
        };
        let ty = graph.entry(op.input)?.ty.clone();
        let [images, channels, pixels @ ..] = ty.shape.as_slice() else { return Ok(None) };
        let mut axes = reduced_axes(&op.axes, ty.shape.len())?;
        axes.sort_unstable();
        if !ty.is_plain_float() || pixels.is_empty() || !axes.iter().copied().eq(2..ty.shape.len()) {
            return Ok(None);
        }
        let ones = vec![1; pixels.len()];
        let reduction = match op.mode {
            ReduceMode::ReduceMean => {
                let (kernel, pads) = (pixels.iter().map(|n| *n as i64).collect(), vec![0; 2 * pixels.len()]);
                AvgPool::new(op.input, kernel, ones.iter().map(|n| *n as i64).collect(), pads).into()
            }
            _ => Op::from(Reduce { keepdims: true, ..(**op).clone() }),
        };
        if op.keepdims {
            let first = Operation::new(reduction, own.results.clone(), own.origin);
            return Ok(Some(PixelReduction { first: Node { stages: [&[first], rest].concat() }, rest: None }));
        }
        let Some(result) = own.outputs().next() else { return Ok(None) };
        let shape = [vec![*images, *channels], ones].concat();
        let image = graph.add(ValueType { shape, ..graph.entry(result)?.ty.clone() }, None);
        let first = Node { stages: vec![Operation::new(reduction, vec![Some(image)], own.origin)] };
        Ok(Some(PixelReduction { first, rest: Some(node.stages.clone()) }))
    }
    /// Returns the rest of the node, given the image of one pixel.
    fn reshape(self, image: TensorIndex) -> Option<Node> {
        let mut stages = self.rest?;
        let own = stages.first_mut()?;
        *own = Operation::new(Reshape::new(image), own.results.clone(), own.origin);
        Some(Node { stages })
    }
}

/// Returns the operands of element-wise operators that are broadcast along the channels. They remain row-major.
fn maps(graph: &RewriteGraph, node: &Node) -> Result<Vec<TensorIndex>> {
    let mut maps = Vec::new();
    for stage in node.stages.iter().filter(|stage| is_arithmetic(&stage.op)) {
        let Some(result) = stage.outputs().next() else { continue };
        for t in stage.operands() {
            if is_for_all_channels(&graph.entry(t)?.ty.shape, &graph.entry(result)?.ty.shape) {
                maps.push(t);
            }
        }
    }
    Ok(maps)
}

/// Returns the shape of an operand with as many axes as the result has, `rank`.
fn broadcast_shape(op: &Op<TensorIndex>, operand: &[usize], rank: usize) -> Shape {
    match (op, operand) {
        // A slope per channel.
        (Op::PRelu(_), [n]) if rank > 1 => [vec![1, *n], vec![1; rank - 2]].concat(),
        _ => [vec![1; rank.saturating_sub(operand.len())], operand.to_vec()].concat(),
    }
}

/// Constants, with the same in their other layout.
type Constants = HashMap<TensorIndex, TensorIndex>;

#[derive(Default)]
struct Assignment {
    /// Tensors that are needed in their row-major layout, sorted by index.
    pinned: Vec<TensorIndex>,
    /// The same tensor in the other layout, in both directions.
    other: HashMap<TensorIndex, TensorIndex>,
    /// Constants in their other layout, by the shape that they are broadcast to.
    constants: HashMap<(TensorIndex, Shape), TensorIndex>,
    /// Tensors of `other` that are computed so far. A tensor with a single layout is not listed.
    made: HashSet<TensorIndex>,
    /// The new nodes so far, in execution order.
    nodes: Vec<Node>,
}

impl Assignment {
    /// Returns the node on tensors of the other layout if the backend supports it. Only a convolution is worth a conversion of its
    /// input; if that has few channels, it may have to be row-major.
    fn proposed(&mut self, graph: &mut RewriteGraph, node: &Node, backend: &Capabilities) -> Result<Option<Node>> {
        if node.has_blocks() {
            return Ok(None);
        }
        let is_anchor = is_anchor(node);
        let maps = maps(graph, node)?;
        let operands: Vec<TensorIndex> =
            node.operands().into_iter().filter(|t| graph.constant(*t).is_none() && !maps.contains(t)).collect();
        let is_changed = |t: &TensorIndex| self.other.get(t).is_some_and(|other| self.made.contains(other));
        if !is_anchor && (operands.is_empty() || !operands.iter().all(is_changed)) {
            return Ok(None);
        }
        // No conversion first, then that of a convolution's input.
        let first = operands.first().copied();
        let row_major = match first {
            Some(t) if !is_changed(&t) => vec![first, None],
            Some(_) if is_anchor => vec![None, first],
            _ => vec![None],
        };
        for plain in row_major {
            let others: Vec<TensorIndex> = operands.iter().copied().filter(|t| Some(*t) != plain).collect();
            if let Some(changed) = self.supported(graph, node, (&others, &Constants::new()), backend)? {
                return Ok(Some(changed));
            }
            let constants = self.constants_by_channel(graph, node, backend)?;
            if !constants.is_empty()
                && let Some(changed) = self.supported(graph, node, (&others, &constants), backend)?
            {
                return Ok(Some(changed));
            }
        }
        Ok(None)
    }

    /// Returns the node with these operands, these constants and its results in their other layout if the backend supports it.
    fn supported(
        &mut self,
        graph: &mut RewriteGraph,
        node: &Node,
        (operands, constants): (&[TensorIndex], &Constants),
        backend: &Capabilities,
    ) -> Result<Option<Node>> {
        // Only the plain layout has what is fed.
        if graph.makes_fed(node) {
            return Ok(None);
        }
        let results = node.stages.iter().flat_map(Operation::outputs);
        let tensors: Vec<TensorIndex> = operands.iter().copied().chain(results).collect();
        let Some(changed) = self.with_layouts(graph, node, (&tensors, constants), backend)? else { return Ok(None) };
        Ok(backend.supports_layouts(&graph.types(&changed)?).then_some(changed))
    }

    /// Returns the operands of element-wise operators that are constants with the channels of the result, such as a bias or the embedding
    /// of positions, after computing them in their other layout.
    fn constants_by_channel(
        &mut self,
        graph: &mut RewriteGraph,
        node: &Node,
        backend: &Capabilities,
    ) -> Result<Constants> {
        let mut found = Constants::new();
        let may_have_channels =
            |stage: &&Operation| matches!(stage.op, Op::Add(_) | Op::Sub(_) | Op::Mul(_) | Op::Div(_) | Op::PRelu(_));
        for stage in node.stages.iter().filter(may_have_channels) {
            let Some(result) = stage.outputs().next() else { continue };
            let shape = graph.entry(result)?.ty.shape.clone();
            for t in stage.operands() {
                if graph.constant(t).is_none() {
                    continue;
                }
                let own = &graph.entry(t)?.ty.shape;
                let seen = |stage: &Operation| broadcast_shape(&stage.op, own, shape.len());
                let factor = seen(stage);
                // All stages read the converted one.
                let is_alike = node.stages.iter().filter(|s| s.operands().any(|o| o == t)).all(|s| seen(s) == factor);
                let has_channels = factor.iter().any(|n| *n > 1) && factor.get(1) == shape.get(1);
                if is_alike
                    && has_channels
                    && let Some(other) = self.converted(graph, t, factor, backend)?
                {
                    found.insert(t, other);
                }
            }
        }
        Ok(found)
    }

    /// Returns a float constant in its other layout, as a tensor of that shape. Returns `None` if it has none, or stays in its file.
    fn converted(
        &mut self,
        graph: &mut RewriteGraph,
        t: TensorIndex,
        shape: Shape,
        backend: &Capabilities,
    ) -> Result<Option<TensorIndex>> {
        let key = (t, shape.clone());
        if let Some(other) = self.constants.get(&key) {
            return Ok(Some(*other));
        }
        let entry = graph.entry(t)?;
        let (Some(array), own) = (&entry.constant, entry.ty.clone()) else { return Ok(None) };
        let row_major = ValueType { shape: shape.clone(), dtype: Dtype::Float32, ..own.clone() };
        if !own.is_plain_float() || backend.stays_in_file(entry) {
            return Ok(None);
        }
        let Some(ty) = backend.layout_of_images(&row_major).and_then(|layout| row_major.with_layout(layout)) else {
            return Ok(None);
        };
        // A single channel would fill a block.
        if ty.elements() > own.elements().saturating_mul(MAX_PADDING).max(FEW) {
            return Ok(None);
        }
        let row_major = Array::from_vec(shape, for_compute(array)?.to_f32()?)?;
        let (row_major, other) = (graph.add_constant(&own, row_major), graph.add(ty.clone(), None));
        let op = Op::from(Reshape::new(row_major));
        let conversion = Node { stages: vec![Operation::new(op, vec![Some(other)], Origin::default())] };
        let values = evaluated(graph, &conversion, backend)?;
        graph.drop_unused_constants([row_major]);
        let Some(values) = values.and_then(|values| values.into_iter().next()) else { return Ok(None) };
        let other = graph.add_constant(&ty, values);
        self.constants.insert(key, other);
        Ok(Some(other))
    }

    /// Returns the node with these tensors and constants in their other layout, or `None` if a tensor has none.
    fn with_layouts(
        &mut self,
        graph: &mut RewriteGraph,
        node: &Node,
        (tensors, constants): (&[TensorIndex], &Constants),
        backend: &Capabilities,
    ) -> Result<Option<Node>> {
        for t in tensors {
            if !self.other.contains_key(t) {
                let row_major = &graph.entry(*t)?.ty;
                let layout = backend.layout_of_images(row_major);
                let Some(ty) = layout.and_then(|layout| row_major.with_layout(layout)) else { return Ok(None) };
                let other = graph.add(ty, None);
                self.other.extend([(*t, other), (other, *t)]);
                if graph.is_input_or_constant(*t) {
                    self.made.insert(*t);
                }
            }
        }
        let twin = |t: &TensorIndex| match constants.get(t) {
            Some(other) => *other,
            None if tensors.contains(t) => self.other[t],
            None => *t,
        };
        let results = |s: &Operation| s.results.iter().map(|t| t.as_ref().map(twin)).collect();
        let stages = node.stages.iter().map(|s| Operation::new(s.op.map(twin), results(s), s.origin));
        Ok(Some(Node { stages: stages.collect() }))
    }

    fn push(&mut self, node: Node) {
        let origin = node.last().map(|o| o.origin).unwrap_or_default();
        node.operands().into_iter().for_each(|t| self.ensure(t, origin));
        let outputs: Vec<TensorIndex> = node.outputs().collect();
        self.made.extend(&outputs);
        self.nodes.push(node);
        for t in outputs {
            if let Some(row_major) = self.other.get(&t).copied()
                && self.pinned.binary_search(&row_major).is_ok()
            {
                self.ensure(row_major, origin);
            }
        }
    }

    /// Inserts a conversion if a tensor is computed in the other layout only; errors name the operator `origin`.
    fn ensure(&mut self, tensor: TensorIndex, origin: Origin) {
        let Some(&other) = self.other.get(&tensor) else { return };
        if self.made.insert(tensor) && self.made.contains(&other) {
            let op = Op::from(Reshape::new(other));
            self.nodes.push(Node { stages: vec![Operation::new(op, vec![Some(tensor)], origin)] });
        }
    }
}
