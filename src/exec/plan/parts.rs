//! Divides a product whose result is permuted and then taken apart, as the queries, keys and values of attention often are: each part
//! becomes a product with some of the columns. Each keeps a permutation, which attention does without.
use super::{
    attention::is_plain,
    network::{Operation, Origin, TensorIndex},
    rewrite_graph::{Consumers, Node, NodeIndex, RewriteGraph, for_compute},
    rules::{Capabilities, is_view},
};
use crate::{
    ValueType,
    array::{Array, reserve},
    base::{Result, invalid},
    ops::{Add, MatMul, Op, Permute, Reshape, slice_ranges, split_sizes},
    views::axis_of,
};
use std::{collections::HashSet, ops::Range};

/// Divides all such products, and returns their number.
///
/// # Errors
/// Returns an error if a constant cannot be read, or memory runs out.
pub(super) fn divide(graph: &mut RewriteGraph, backend: &Capabilities) -> Result<usize> {
    if !backend.can_fuse_any() {
        return Ok(0);
    }
    let consumers = graph.consumers();
    let (mut times, mut constants) = (0, Vec::new());
    for at in graph.indices() {
        if let Some(found) = SplitProjection::new(graph, &consumers, at)?
            && !backend.stays_in_file(graph.entry(found.product.op.right)?)
        {
            constants.extend(found.product.constants());
            let nodes = found.replaced(graph)?;
            graph.add_before(at, nodes);
            times += 1;
        }
    }
    graph.insert_added();
    graph.drop_unused_constants(constants);
    Ok(times)
}

/// Maximum number of parts, and the minimum of the columns that each has: a product of fewer is slow.
const PARTS: usize = 16;
const COLUMNS: usize = 16;
/// Maximum number of elements of the matrix, which is copied.
const ELEMENTS: usize = 16 << 20;

/// A product whose last axis is split by a reshape, one of the new axes is moved to the front, and the entries of that are taken apart.
struct SplitProjection {
    product: Product,
    /// The axes of a part, and their order in the end.
    shape: Vec<usize>,
    order: Vec<i64>,
    /// The number of parts.
    count: usize,
    /// For each part that is used, its index and the tensor that it becomes.
    parts: Vec<(usize, TensorIndex)>,
    /// All nodes that are replaced.
    nodes: Vec<NodeIndex>,
    /// The origins of the reshape and of the permutation.
    origins: [Origin; 2],
}

/// A product with a constant matrix.
struct Product {
    op: MatMul<TensorIndex>,
    origin: Origin,
    /// A constant row that an operator of its own adds to each row of the product.
    added: Option<(TensorIndex, Origin)>,
    /// The type of the result.
    ty: ValueType,
}

impl SplitProjection {
    /// Matches the permutation at `at`, and what is before and after it.
    fn new(graph: &RewriteGraph, consumers: &Consumers, at: NodeIndex) -> Result<Option<SplitProjection>> {
        let Some(Operation { op: Op::Permute(permute), results, origin, .. }) = graph.only_operation(at) else {
            return Ok(None);
        };
        let &[Some(moved)] = results.as_slice() else { return Ok(None) };
        let Some(at_split) = graph.single_use_producer(permute.input) else { return Ok(None) };
        let Some(split) = graph.only_operation(at_split).filter(|split| matches!(split.op, Op::Reshape(_))) else {
            return Ok(None);
        };
        let Some(whole) = split.operands().next() else { return Ok(None) };
        let mut shape = graph.entry(permute.input)?.ty.shape.clone();
        let order = permute.order.iter().map(|axis| axis_of(*axis, shape.len()));
        let [front, order @ ..] = &order.collect::<Vec<_>>()[..] else { return Ok(None) };
        let columns: usize = shape[*front..].iter().product();
        let count = shape[*front];
        let is_worthwhile = count <= PARTS && columns / count >= COLUMNS;
        if !is_worthwhile
            || !are_float32(graph, &[whole, permute.input, moved])?
            || graph.entry(whole)?.ty.shape.last() != Some(&columns)
        {
            return Ok(None);
        }
        let mut nodes = vec![at, at_split];
        let Some(product) = Product::new(graph, whole, columns, &mut nodes)? else { return Ok(None) };
        shape.remove(*front);
        let order: Vec<usize> = order.iter().map(|&axis| axis - usize::from(axis > *front)).collect();
        let permuted: Vec<usize> = order.iter().map(|axis| shape[*axis]).collect();
        let Some(parts) = match_splits(graph, consumers, moved, &permuted, &mut nodes)? else { return Ok(None) };
        let order = order.into_iter().map(|axis| axis as i64).collect();
        Ok(Some(SplitProjection { product, shape, order, count, parts, nodes, origins: [split.origin, *origin] }))
    }

    /// Removes the nodes from the graph and returns those that take their place.
    fn replaced(self, graph: &mut RewriteGraph) -> Result<Vec<Node>> {
        let Product { op, origin, added, ty } = &self.product;
        let columns = ty.shape.last().map_or(0, |n| n / self.count);
        let with_shape = |shape: Vec<usize>| ValueType { shape, ..ty.clone() };
        let rows = [&ty.shape[..ty.shape.len() - 1], &[columns]].concat();
        let mut nodes = Vec::new();
        let mut push = |op: Op<TensorIndex>, result, origin| {
            nodes.push(Node { stages: vec![Operation::new(op, vec![Some(result)], origin)] });
            result
        };
        // A matrix of a file is read only once.
        let matrix = Columns::new(graph, op.right, op.right_transpose)?;
        let bias = op.bias.map(|bias| Columns::new(graph, bias, false)).transpose()?;
        let row = added.map(|(row, origin)| Columns::new(graph, row, false).map(|row| (row, origin))).transpose()?;
        for &(part, result) in &self.parts {
            let range = part * columns..(part + 1) * columns;
            let mut op = op.clone();
            op.right = matrix.add_to(graph, range.clone())?;
            op.bias = bias.as_ref().map(|bias| bias.add_to(graph, range.clone())).transpose()?;
            let mut sum = push(op.into(), graph.add(with_shape(rows.clone()), None), *origin);
            if let Some((row, origin)) = &row {
                let add = Add::new(vec![sum, row.add_to(graph, range)?]);
                sum = push(add.into(), graph.add(with_shape(rows.clone()), None), *origin);
            }
            let split = graph.add(with_shape(self.shape.clone()), None);
            push(Reshape::new(sum).into(), split, self.origins[0]);
            push(Permute::new(split, self.order.clone()).into(), result, self.origins[1]);
        }
        for at in self.nodes {
            graph.remove(at);
        }
        Ok(nodes)
    }
}

/// Whether tensors are float32. Others are converted before they are multiplied.
fn are_float32(graph: &RewriteGraph, tensors: &[TensorIndex]) -> Result<bool> {
    let types = tensors.iter().map(|t| Ok(&graph.entry(*t)?.ty)).collect::<Result<Vec<_>>>()?;
    Ok(types.iter().all(|ty| ty.is_plain_float32()))
}

impl Product {
    /// Matches a product with a constant matrix of that many columns, to which a constant row may be added. Adds their nodes to `nodes`.
    fn new(
        graph: &RewriteGraph,
        result: TensorIndex,
        columns: usize,
        nodes: &mut Vec<NodeIndex>,
    ) -> Result<Option<Product>> {
        let ty = graph.entry(result)?.ty.clone();
        let is_row = |t: TensorIndex| {
            let shape = graph.constant(t).and_then(|_| graph.entry(t).ok()).map(|entry| &entry.ty.shape);
            shape.is_some_and(|shape| shape.last() == Some(&columns) && shape.iter().product::<usize>() == columns)
        };
        let maker = |t: TensorIndex| graph.single_use_producer(t).and_then(|at| Some((at, graph.only_operation(at)?)));
        let (mut found, mut added) = (maker(result), None);
        if let Some((at, Operation { op: Op::Add(add), origin, .. })) = found {
            let &[a, b] = add.inputs.as_slice() else { return Ok(None) };
            let Some((sum, row)) = [(a, b), (b, a)].into_iter().find(|(_, row)| is_row(*row)) else { return Ok(None) };
            // A row of more axes than the product would give it more axes.
            if add.do_relu || !add.has_unit_coefficients() || graph.entry(sum)?.ty.shape != ty.shape {
                return Ok(None);
            }
            nodes.push(at);
            (found, added) = (maker(sum), Some((row, *origin)));
        }
        let Some((at, Operation { op: Op::MatMul(op), origin, .. })) = found else { return Ok(None) };
        let right = &graph.entry(op.right)?.ty;
        let is_matrix = graph.constant(op.right).is_some() && right.shape.len() == 2 && right.elements() <= ELEMENTS;
        let operands = [Some(op.input), Some(op.right), op.bias, added.map(|added| added.0)];
        let are_float32 = are_float32(graph, &operands.into_iter().flatten().collect::<Vec<_>>())?;
        if !is_plain(op) || !is_matrix || !op.bias.is_none_or(is_row) || !are_float32 {
            return Ok(None);
        }
        nodes.push(at);
        Ok(Some(Product { op: op.as_ref().clone(), origin: *origin, added, ty }))
    }

    /// The constants that it reads.
    fn constants(&self) -> impl Iterator<Item = TensorIndex> + use<> {
        [Some(self.op.right), self.op.bias, self.added.map(|added| added.0)].into_iter().flatten()
    }
}

/// Matches the consumers of `moved` if each takes one entry of the first axis and has it reshaped to `shape`. Returns which entries these
/// are, and the reshaped tensors. Adds the nodes to `nodes`.
fn match_splits(
    graph: &RewriteGraph,
    consumers: &Consumers,
    moved: TensorIndex,
    shape: &[usize],
    nodes: &mut Vec<NodeIndex>,
) -> Result<Option<Vec<(usize, TensorIndex)>>> {
    let mut parts = Vec::new();
    if graph.is_pinned(moved) {
        return Ok(None);
    }
    for &at in consumers.get(&moved).into_iter().flatten() {
        let Some(Operation { op, results, .. }) = graph.only_operation(at) else { return Ok(None) };
        let whole = &graph.entry(moved)?.ty.shape;
        let entries: Vec<usize> = match op {
            Op::Split(op) if axis_of(op.axis, whole.len()) == 0 => {
                let are_single = split_sizes(whole[0], op)?.iter().all(|size| *size == 1);
                if are_single { (0..whole[0]).collect() } else { return Ok(None) }
            }
            Op::Slice(op) if op.offsetT.or(op.endsT).or(op.stepsT).is_none() => {
                let ranges = slice_ranges(whole, op)?;
                let are_whole = ranges[1..].iter().zip(&whole[1..]).all(|(r, n)| r.count == *n && r.step > 0);
                if are_whole && ranges[0].count == 1 { vec![ranges[0].start] } else { return Ok(None) }
            }
            _ => return Ok(None),
        };
        nodes.push(at);
        for (entry, part) in entries.into_iter().zip(results) {
            let Some(part) = *part else { continue };
            let view = match consumers.get(&part).map(Vec::as_slice) {
                Some(&[view]) if graph.single_use_producer(part) == Some(at) => view,
                None if !graph.is_pinned(part) => continue,
                _ => return Ok(None),
            };
            let Some(result) = graph.node(view).filter(|node| is_view(node)).and_then(|n| n.outputs().next()) else {
                return Ok(None);
            };
            if graph.entry(result)?.ty.shape != shape || !are_float32(graph, &[part, result])? {
                return Ok(None);
            }
            nodes.push(view);
            parts.push((entry, result));
        }
    }
    // Otherwise some parts would be computed several times.
    let are_distinct = parts.iter().map(|part| part.0).collect::<HashSet<_>>().len() == parts.len();
    Ok((are_distinct && !parts.is_empty()).then_some(parts))
}

/// A constant matrix or row of which columns are copied.
struct Columns {
    ty: ValueType,
    array: Array,
    /// Whether the matrix is the transpose, so that its rows are copied.
    are_rows: bool,
}

impl Columns {
    fn new(graph: &RewriteGraph, constant: TensorIndex, are_rows: bool) -> Result<Columns> {
        let array = graph.constant(constant).map(for_compute).transpose()?;
        let array = array.ok_or_else(|| invalid("a product is divided, but its matrix is computed"))?;
        Ok(Columns { ty: graph.entry(constant)?.ty.clone(), array, are_rows })
    }

    /// Adds some columns to the graph, as a constant.
    fn add_to(&self, graph: &mut RewriteGraph, columns: Range<usize>) -> Result<TensorIndex> {
        let all = self.array.elements::<f32>()?;
        let (rows, width) = match *self.ty.shape.as_slice() {
            [rows, width] => (rows, width),
            _ => (1, all.len()),
        };
        let (count, mut copy) = (columns.len(), Vec::new());
        reserve(&mut copy, count * if self.are_rows { width } else { rows })?;
        let shape = match (self.are_rows, self.ty.shape.len()) {
            (true, _) => vec![count, width],
            (_, 2) => vec![rows, count],
            _ => vec![count],
        };
        match self.are_rows {
            true => copy.extend_from_slice(&all[columns.start * width..columns.end * width]),
            false => all.chunks_exact(width).for_each(|row| copy.extend_from_slice(&row[columns.clone()])),
        }
        Ok(graph.add_constant(&self.ty, Array::from_vec(shape, copy)?))
    }
}
