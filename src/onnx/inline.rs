//! Calls of a model's own functions, written out before its nodes are converted.
use super::proto::{Attribute, Function, Graph, Model, Node};
use crate::base::{Result, invalid};
use std::collections::{HashMap, HashSet};

/// Maximum number of nodes once all calls are written out.
const MAX_NODES: usize = 1_000_000;
/// Maximum depth of functions that call each other.
const MAX_DEPTH: usize = 50;

/// Domain, name and overload of a function.
type Key = (String, String, String);

/// Writes out all calls of functions of the model, which then has none.
///
/// # Errors
/// Returns an error if functions call themselves, or if too many nodes result.
pub fn inline(model: &mut Model) -> Result<()> {
    let versions = super::read::opsets(&model.opset_import)?;
    let key = |f: &Function| (plain(&f.domain).to_owned(), f.name.clone(), f.overload.clone());
    let functions: HashMap<Key, Function> =
        std::mem::take(&mut model.functions).into_iter().map(|f| (key(&f), f)).collect();
    let Some(graph) = &mut model.graph else { return Ok(()) };
    let mut inliner = Inliner { functions: &functions, made: 0, calls: 0 };
    let versions = versions.into_iter().map(|(domain, version)| (domain.to_owned(), version)).collect();
    inliner.graph(graph, &versions, 0)
}

/// ONNX's own domain has two names.
fn plain(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

type Versions = HashMap<String, i64>;

struct Inliner<'f> {
    functions: &'f HashMap<Key, Function>,
    made: usize,
    calls: usize,
}

impl Inliner<'_> {
    fn graph(&mut self, graph: &mut Graph, versions: &Versions, depth: usize) -> Result<()> {
        graph.node = self.nodes(std::mem::take(&mut graph.node), versions, depth)?;
        Ok(())
    }

    /// Returns the nodes, with the version of its operator set in each.
    fn nodes(&mut self, nodes: Vec<Node>, versions: &Versions, depth: usize) -> Result<Vec<Node>> {
        if depth > MAX_DEPTH {
            return Err(invalid(format!(
                "functions or graphs are nested deeper than {MAX_DEPTH}; a function may call itself"
            )));
        }
        let mut all = Vec::with_capacity(nodes.len());
        for mut node in nodes {
            self.made += 1;
            if self.made > MAX_NODES {
                return Err(invalid(format!(
                    "the model has more than {MAX_NODES} nodes when its functions are written out"
                )));
            }
            for graph in node.attribute.iter_mut().filter_map(|a| a.g.as_mut()) {
                self.graph(graph, versions, depth + 1)?;
            }
            let key = (plain(&node.domain).to_owned(), node.op_type.clone(), node.overload.clone());
            match self.functions.get(&key) {
                Some(function) => all.extend(self.call(function, &node, depth + 1)?),
                None => {
                    node.version = versions.get(plain(&node.domain)).copied().unwrap_or(1);
                    all.push(node);
                }
            }
        }
        Ok(all)
    }

    /// Returns the nodes of a function, with the operands and attributes of a call.
    fn call(&mut self, function: &Function, call: &Node, depth: usize) -> Result<Vec<Node>> {
        self.calls += 1;
        let scope = match call.name.as_str() {
            "" => format!("{}_{}", function.name, self.calls),
            name => name.to_owned(),
        };
        let mut names: HashMap<String, String> = HashMap::new();
        for (i, inner) in function.input.iter().enumerate() {
            names.insert(inner.clone(), call.input.get(i).cloned().unwrap_or_default());
        }
        for (i, inner) in function.output.iter().enumerate() {
            let outer = call.output.get(i).filter(|name| !name.is_empty());
            // A result that nobody reads still needs a name. One that is an operand is copied below.
            if !names.contains_key(inner) {
                names.insert(inner.clone(), outer.cloned().unwrap_or_else(|| format!("{scope}/{inner}")));
            }
        }
        let mut given: HashMap<&str, Attribute> = HashMap::new();
        for default in &function.attribute_proto {
            given.insert(&default.name, default.clone());
        }
        for attribute in &call.attribute {
            given.insert(&attribute.name, attribute.clone());
        }
        let mut body = function.node.clone();
        rename(&mut body, &mut names, &scope, &given);
        for (i, inner) in function.output.iter().enumerate().filter(|(_, inner)| function.input.contains(inner)) {
            if let (Some(outer), Some(operand)) = (call.output.get(i), names.get(inner)) {
                body.push(Node {
                    op_type: "Identity".into(),
                    input: vec![operand.clone()],
                    output: vec![outer.clone()],
                    ..Node::default()
                });
            }
        }
        let versions = super::read::opsets(&function.opset_import)?;
        let versions = versions.into_iter().map(|(domain, version)| (domain.to_owned(), version)).collect();
        self.nodes(body, &versions, depth)
    }
}

/// Gives the values of a function their names outside of it, and its attributes their values.
fn rename(nodes: &mut [Node], names: &mut HashMap<String, String>, scope: &str, given: &HashMap<&str, Attribute>) {
    for node in nodes {
        for input in &mut node.input {
            if let Some(outer) = names.get(input) {
                input.clone_from(outer);
            }
        }
        for attribute in &mut node.attribute {
            if !attribute.ref_attr_name.is_empty() {
                let name = std::mem::take(&mut attribute.name);
                let reference = std::mem::take(&mut attribute.ref_attr_name);
                // Without a value the attribute is left out.
                *attribute = given.get(reference.as_str()).cloned().unwrap_or_default();
                attribute.name = if *attribute == Attribute::default() { String::new() } else { name };
            }
            if let Some(graph) = &mut attribute.g {
                rename_graph(graph, names, scope, given);
            }
        }
        node.attribute.retain(|a| !a.name.is_empty());
        node.name = if node.name.is_empty() { scope.to_owned() } else { format!("{scope}/{}", node.name) };
        for output in node.output.iter_mut().filter(|name| !name.is_empty()) {
            let outer = names.entry(output.clone()).or_insert_with(|| format!("{scope}/{output}"));
            output.clone_from(outer);
        }
    }
}

/// The same for a branch or a body, whose own values are not those of the function.
fn rename_graph(graph: &mut Graph, names: &HashMap<String, String>, scope: &str, given: &HashMap<&str, Attribute>) {
    let own: HashSet<&String> =
        graph.input.iter().map(|i| &i.name).chain(graph.initializer.iter().map(|t| &t.name)).collect();
    let mut inner: HashMap<String, String> = names
        .iter()
        .filter(|(name, _)| !own.contains(name))
        .map(|(name, outer)| (name.clone(), outer.clone()))
        .collect();
    rename(&mut graph.node, &mut inner, scope, given);
    for output in &mut graph.output {
        if let Some(outer) = inner.get(&output.name) {
            output.name.clone_from(outer);
        }
    }
}
