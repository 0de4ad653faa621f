//! The order of nodes. ONNX asks for operands before their uses; not every tool keeps to it.
use super::proto::{Graph, Node};
use crate::base::{Result, invalid};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
};

/// Sorts the nodes of a graph where one is before its operands, and leaves the others in their order. Nodes of a cycle stay last.
///
/// # Errors
/// Returns an error if two nodes compute values of the same name.
pub fn sort(graph: &mut Graph) -> Result<()> {
    let mut makers: HashMap<&str, usize> = HashMap::new();
    for (i, node) in graph.node.iter().enumerate() {
        for name in node.output.iter().filter(|name| !name.is_empty()) {
            if makers.insert(name, i).is_some() {
                return Err(invalid(format!(
                    "the value {name:?} is computed twice, the second time by a {}",
                    node.op_type
                )));
            }
        }
    }
    let operands =
        |node| -> HashSet<usize> { uses(node).into_iter().filter_map(|name| makers.get(name).copied()).collect() };
    let operands: Vec<HashSet<usize>> = graph.node.iter().map(operands).collect();
    if operands.iter().enumerate().all(|(i, all)| all.iter().all(|maker| *maker < i)) {
        return Ok(());
    }
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); operands.len()];
    let mut missing: Vec<usize> = operands.iter().map(HashSet::len).collect();
    for (i, makers) in operands.iter().enumerate() {
        makers.iter().for_each(|maker| readers[*maker].push(i));
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..missing.len()).filter(|i| missing[*i] == 0).map(Reverse).collect();
    let mut places = vec![usize::MAX; missing.len()];
    let mut place = 0;
    while let Some(Reverse(i)) = ready.pop() {
        places[i] = place;
        place += 1;
        for reader in &readers[i] {
            missing[*reader] -= 1;
            if missing[*reader] == 0 {
                ready.push(Reverse(*reader));
            }
        }
    }
    let mut nodes: Vec<(usize, Node)> = places.into_iter().zip(std::mem::take(&mut graph.node)).collect();
    nodes.sort_by_key(|(place, _)| *place);
    graph.node = nodes.into_iter().map(|(_, node)| node).collect();
    Ok(())
}

/// Returns the names of the values that a node reads, itself or in its graphs, without those that these graphs define.
pub fn uses(node: &Node) -> HashSet<&str> {
    let mut names: HashSet<&str> = node.input.iter().map(String::as_str).collect();
    for graph in node.attribute.iter().filter_map(|attribute| attribute.g.as_ref()) {
        let mut inner: HashSet<&str> = graph.node.iter().flat_map(uses).collect();
        inner.extend(graph.output.iter().map(|output| output.name.as_str()));
        let results = graph.node.iter().flat_map(|node| &node.output);
        let initializers = graph.initializer.iter().map(|tensor| &tensor.name);
        let own = graph.input.iter().map(|input| &input.name).chain(initializers).chain(results);
        own.for_each(|name| _ = inner.remove(name.as_str()));
        names.extend(inner);
    }
    names
}
