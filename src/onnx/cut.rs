//! Parts of a model: what the wanted outputs need, from the chosen inputs on.
use super::{
    order::uses,
    proto::{Graph, TensorType, Type, ValueInfo},
};
use crate::base::{Error, Result, did_you_mean, invalid};
use std::collections::HashSet;

/// Leaves out the nodes that no output needs. `inputs` are values that are fed instead of computed, `outputs` those that are wanted
/// instead of the model's outputs, if there are any.
///
/// # Errors
/// Returns an error if there is no value with a name.
pub fn cut(graph: &mut Graph, inputs: &[String], outputs: &[String]) -> Result<()> {
    if !outputs.is_empty() {
        let wanted = outputs.iter().map(|name| {
            let is_computed = graph.node.iter().any(|node| node.output.contains(name));
            if is_computed { Ok(ValueInfo { name: name.clone(), r#type: None }) } else { Err(unknown(graph, name)) }
        });
        graph.output = wanted.collect::<Result<_>>()?;
    }
    let mut fed = Vec::new();
    for name in inputs.iter().filter(|name| !graph.input.iter().any(|input| input.name == **name)) {
        let node = graph.node.iter_mut().find(|node| node.output.contains(name));
        let Some(node) = node else { return Err(unknown(graph, name)) };
        node.output.iter_mut().filter(|output| *output == name).for_each(String::clear);
        let known = graph.value_info.iter().find(|info| info.name == *name).cloned();
        fed.push(known.unwrap_or_else(|| float(name)));
    }
    let needed = prune(graph);
    if !inputs.is_empty() {
        graph.input.retain(|input| inputs.contains(&input.name) || needed.contains(&input.name));
    }
    graph.input.extend(fed);
    Ok(())
}

/// A float32 of unknown shape.
fn float(name: &str) -> ValueInfo {
    let tensor_type = Some(TensorType { elem_type: 1, shape: None });
    ValueInfo { name: name.into(), r#type: Some(Type { tensor_type }) }
}

fn unknown(graph: &Graph, name: &str) -> Error {
    let all = graph.node.iter().flat_map(|node| &node.output).map(String::as_str);
    invalid(format!("no node of the model computes {name:?}{}", did_you_mean(name, all)))
}

/// Removes the nodes and initializers that no output needs. Returns the names of the values that are needed.
fn prune(graph: &mut Graph) -> HashSet<String> {
    let mut needed: HashSet<String> = graph.output.iter().map(|output| output.name.clone()).collect();
    let mut keep = vec![false; graph.node.len()];
    for (i, node) in graph.node.iter().enumerate().rev() {
        if node.output.iter().any(|output| needed.contains(output)) {
            keep[i] = true;
            // An omitted operand has no name, and neither has a result that is cut off.
            needed.extend(uses(node).into_iter().filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    let mut keep = keep.into_iter();
    graph.node.retain(|_| keep.next().unwrap_or(true));
    // Old files list initializers among the inputs.
    let initializers: HashSet<&str> = graph.initializer.iter().map(|tensor| tensor.name.as_str()).collect();
    graph.input.retain(|input| needed.contains(&input.name) || !initializers.contains(input.name.as_str()));
    graph.initializer.retain(|tensor| needed.contains(&tensor.name));
    graph.sparse_initializer.retain(|tensor| tensor.values.as_ref().is_none_or(|values| needed.contains(&values.name)));
    needed
}
