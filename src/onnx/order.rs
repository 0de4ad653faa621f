//! The order of nodes. ONNX asks for operands before their uses; not every tool keeps to it.
use super::proto::{Graph, Node};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
};

/// Sorts the nodes of a graph where one is before its operands, and leaves the others in their order. Nodes of a cycle stay last.
pub fn sort(graph: &mut Graph) {
    let mut makers: HashMap<&str, usize> = HashMap::new();
    for (i, node) in graph.node.iter().enumerate() {
        makers.extend(node.output.iter().filter(|name| !name.is_empty()).map(|name| (name.as_str(), i)));
    }
    let operands: Vec<HashSet<usize>> = graph.node.iter().map(|node| operands(node, &makers)).collect();
    if operands.iter().enumerate().all(|(i, all)| all.iter().all(|maker| *maker < i)) {
        return;
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
}

/// Returns the nodes whose results a node reads, itself or in its graphs.
fn operands(node: &Node, makers: &HashMap<&str, usize>) -> HashSet<usize> {
    let mut found: HashSet<usize> = node.input.iter().filter_map(|name| makers.get(name.as_str()).copied()).collect();
    for graph in node.attribute.iter().flat_map(|a| &a.g) {
        graph.node.iter().for_each(|inner| found.extend(operands(inner, makers)));
        found.extend(graph.output.iter().filter_map(|output| makers.get(output.name.as_str()).copied()));
    }
    found
}
