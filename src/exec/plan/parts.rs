//! Divides a product whose columns are permuted and then taken apart, as the queries, keys and values of attention often are: each part
//! becomes a product with some of the columns. The permutations that remain are those that attention does without.
use super::{
    attention::is_plain,
    network::{Operation, Origin, TensorIndex},
    rewrite_graph::{Node, NodeIndex, RewriteGraph, for_compute},
    rules::{Capabilities, is_view},
};
use crate::{
    ValueType,
    array::{Array, reserve},
    base::{Dtype, Result},
    ops::{Add, MatMul, Op, Permute, Reshape, slice_ranges, split_sizes},
    views::axis_of,
};
use std::collections::{HashMap, HashSet};

/// Divides all such products, and returns their number.
///
/// # Errors
/// Returns an error if a constant cannot be read, or memory runs out.
pub(super) fn divide(graph: &mut RewriteGraph, backend: &Capabilities) -> Result<usize> {
    if !backend.can_fuse_any() {
        return Ok(0);
    }
    let consumers = consumers(graph);
    let mut added = HashMap::new();
    for at in graph.indices() {
        if let Some(found) = Divided::new(graph, &consumers, at)? {
            added.insert(at, found.replaced(graph)?);
        }
    }
    let times = added.len();
    if times > 0 {
        let mut nodes = Vec::new();
        for at in graph.indices() {
            nodes.extend(added.remove(&at).into_iter().flatten());
            nodes.extend(graph.node(at).cloned());
        }
        graph.rebuild(nodes);
    }
    Ok(times)
}

/// The nodes that read each tensor.
type Consumers = HashMap<TensorIndex, Vec<NodeIndex>>;

fn consumers(graph: &RewriteGraph) -> Consumers {
    let mut all = Consumers::new();
    for at in graph.indices() {
        for t in graph.node(at).into_iter().flat_map(Node::operands) {
            all.entry(t).or_default().push(at);
        }
    }
    all
}

/// A product whose last axis is split by a reshape, one of the new axes is moved to the front, and the entries of that are taken apart.
struct Divided {
    product: Product,
    /// The axes of a part, and their order in the end.
    shape: Vec<usize>,
    order: Vec<i64>,
    /// The number of parts.
    count: usize,
    /// The parts that are used: which, and the tensor that it ends as.
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

impl Divided {
    /// Matches the permutation at `at`, and what is before and after it.
    fn new(graph: &RewriteGraph, consumers: &Consumers, at: NodeIndex) -> Result<Option<Divided>> {
        let Some(Operation { op: Op::Permute(permute), results, origin, .. }) = only(graph, at) else {
            return Ok(None);
        };
        let &[Some(moved)] = results.as_slice() else { return Ok(None) };
        let Some(at_split) = graph.single_use_producer(permute.input) else { return Ok(None) };
        let Some(split) = only(graph, at_split).filter(|split| matches!(split.op, Op::Reshape(_))) else {
            return Ok(None);
        };
        let Some(whole) = split.operands().next() else { return Ok(None) };
        let mut shape = graph.entry(permute.input)?.ty.shape.clone();
        let order = permute.order.iter().map(|axis| axis_of(*axis, shape.len()));
        let [front, order @ ..] = &order.collect::<Vec<_>>()[..] else { return Ok(None) };
        let columns = shape[*front..].iter().product();
        if !are_float32(graph, &[whole, permute.input, moved])? || graph.entry(whole)?.ty.shape.last() != Some(&columns)
        {
            return Ok(None);
        }
        let mut nodes = vec![at, at_split];
        let Some(product) = Product::new(graph, whole, columns, &mut nodes)? else { return Ok(None) };
        let count = shape.remove(*front);
        let order: Vec<usize> = order.iter().map(|&axis| axis - usize::from(axis > *front)).collect();
        let last: Vec<usize> = order.iter().map(|axis| shape[*axis]).collect();
        let Some(parts) = taken_apart(graph, consumers, moved, &last, &mut nodes)? else { return Ok(None) };
        let order = order.into_iter().map(|axis| axis as i64).collect();
        Ok(Some(Divided { product, shape, order, count, parts, nodes, origins: [split.origin, *origin] }))
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
        for &(part, result) in &self.parts {
            let some = |graph: &mut RewriteGraph, constant, are_rows| -> Result<TensorIndex> {
                let array = some_columns(graph, constant, part * columns, columns, are_rows)?;
                let ty = graph.entry(constant)?.ty.clone();
                Ok(graph.add_constant(&ty, array))
            };
            let mut op = op.clone();
            op.right = some(graph, op.right, op.right_transpose)?;
            op.bias = op.bias.map(|bias| some(graph, bias, false)).transpose()?;
            let mut last = push(op.into(), graph.add(with_shape(rows.clone()), None), *origin);
            if let Some((row, origin)) = *added {
                let add = Add::new(vec![last, some(graph, row, false)?]);
                last = push(add.into(), graph.add(with_shape(rows.clone()), None), origin);
            }
            let split = graph.add(with_shape(self.shape.clone()), None);
            push(Reshape::new(last).into(), split, self.origins[0]);
            push(Permute::new(split, self.order.clone()).into(), result, self.origins[1]);
        }
        for at in self.nodes {
            graph.remove(at);
        }
        graph.drop_unused_constants([Some(op.right), op.bias, added.map(|added| added.0)].into_iter().flatten());
        Ok(nodes)
    }
}

/// The operation of a node with a single one.
fn only(graph: &RewriteGraph, at: NodeIndex) -> Option<&Operation> {
    match graph.node(at)?.stages.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

/// Whether tensors are float32: sums of other types would be rounded less often.
fn are_float32(graph: &RewriteGraph, tensors: &[TensorIndex]) -> Result<bool> {
    let types = tensors.iter().map(|t| Ok(&graph.entry(*t)?.ty)).collect::<Result<Vec<_>>>()?;
    Ok(types.iter().all(|ty| ty.is_plain_float() && ty.dtype == Dtype::Float32))
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
        let maker = |t: TensorIndex| graph.single_use_producer(t).and_then(|at| Some((at, only(graph, at)?)));
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
        let is_matrix = graph.constant(op.right).is_some() && graph.entry(op.right)?.ty.shape.len() == 2;
        let operands = [Some(op.input), Some(op.right), op.bias, added.map(|added| added.0)];
        let are_float32 = are_float32(graph, &operands.into_iter().flatten().collect::<Vec<_>>())?;
        if !is_plain(op) || !is_matrix || !op.bias.is_none_or(is_row) || !are_float32 {
            return Ok(None);
        }
        nodes.push(at);
        Ok(Some(Product { op: op.as_ref().clone(), origin: *origin, added, ty }))
    }
}

/// Matches the consumers of `moved` if each takes one entry of the first axis and has it reshaped to `shape`. Returns which entries these
/// are, and the reshaped tensors. Adds the nodes to `nodes`.
fn taken_apart(
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
        let Some([Operation { op, results, .. }]) = graph.node(at).map(|n| n.stages.as_slice()) else {
            return Ok(None);
        };
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

/// Returns some columns of a constant matrix, which are its rows if `are_rows`, or some elements of a row.
fn some_columns(
    graph: &RewriteGraph,
    constant: TensorIndex,
    first: usize,
    count: usize,
    are_rows: bool,
) -> Result<Array> {
    let shape = &graph.entry(constant)?.ty.shape;
    let array = graph.constant(constant).map(for_compute).transpose()?.unwrap_or_else(|| Vec::<f32>::new().into());
    let all = array.elements::<f32>()?;
    let (rows, columns) = match *shape.as_slice() {
        [rows, columns] => (rows, columns),
        _ => (1, all.len()),
    };
    let mut some: Vec<f32> = Vec::new();
    if are_rows {
        reserve(&mut some, count * columns)?;
        some.extend_from_slice(&all[first * columns..][..count * columns]);
        return Array::from_vec([count, columns], some);
    }
    reserve(&mut some, rows * count)?;
    all.chunks_exact(columns.max(1)).for_each(|row| some.extend_from_slice(&row[first..][..count]));
    match shape.len() {
        2 => Array::from_vec([rows, count], some),
        _ => Array::from_vec([count], some),
    }
}
