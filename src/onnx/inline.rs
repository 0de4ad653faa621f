//! Calls of a model's own functions, written out before its nodes are converted.
use super::proto::{Attribute, Function, Graph, Model, Node};
use crate::base::{Result, invalid};
use std::collections::HashMap;

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
        let mut names = Names::default();
        for (i, inner) in function.input.iter().enumerate() {
            names.own.insert(inner.clone(), Some(call.input.get(i).cloned().unwrap_or_default()));
        }
        for (i, inner) in function.output.iter().enumerate() {
            let outer = call.output.get(i).filter(|name| !name.is_empty());
            // A result that nobody reads still needs a name. One that is an operand is copied below.
            if names.get(inner).is_none() {
                names.own.insert(inner.clone(), Some(outer.cloned().unwrap_or_else(|| format!("{scope}/{inner}"))));
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
                    input: vec![operand.to_owned()],
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

/// The names that values of a function have outside of it.
#[derive(Default)]
struct Names<'o> {
    /// Those of the graph at hand. `None` is a value of a branch or a body that keeps its name, and hides another.
    own: HashMap<String, Option<String>>,
    /// Those of the graph around it.
    outer: Option<&'o Names<'o>>,
}

impl Names<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        match self.own.get(name) {
            Some(found) => found.as_deref(),
            None => self.outer?.get(name),
        }
    }
    fn apply(&self, name: &mut String) {
        if let Some(found) = self.get(name) {
            *name = found.to_owned();
        }
    }
}

/// Gives the values of a function their names outside of it, and its attributes their values.
fn rename(nodes: &mut [Node], names: &mut Names, scope: &str, given: &HashMap<&str, Attribute>) {
    for node in nodes {
        for input in &mut node.input {
            names.apply(input);
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
            if names.get(output).is_none() {
                names.own.insert(output.clone(), Some(format!("{scope}/{output}")));
            }
            names.apply(output);
        }
    }
}

/// The same for a branch or a body, whose own values are not those of the function.
fn rename_graph(graph: &mut Graph, names: &Names, scope: &str, given: &HashMap<&str, Attribute>) {
    let own = graph.input.iter().map(|i| &i.name).chain(graph.initializer.iter().map(|t| &t.name));
    let mut inner = Names { own: own.map(|name| (name.clone(), None)).collect(), outer: Some(names) };
    rename(&mut graph.node, &mut inner, scope, given);
    for output in &mut graph.output {
        inner.apply(&mut output.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::OperatorSet;

    fn node(op: &str, domain: &str, input: &[&str], output: &[&str]) -> Node {
        let own = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        Node { op_type: op.into(), domain: domain.into(), input: own(input), output: own(output), ..Node::default() }
    }

    fn function(name: &str, input: &[&str], output: &[&str], body: Vec<Node>) -> Function {
        let own = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let set = |domain: &str, version| OperatorSet { domain: domain.into(), version };
        Function {
            name: name.into(),
            domain: "local".into(),
            input: own(input),
            output: own(output),
            node: body,
            opset_import: vec![set("", 17), set("local", 1)],
            ..Function::default()
        }
    }

    fn inlined(functions: Vec<Function>, nodes: Vec<Node>) -> Result<Vec<Node>> {
        let opset_import = vec![OperatorSet { domain: "ai.onnx".into(), version: 20 }];
        let graph = Some(Graph { node: nodes, ..Graph::default() });
        let mut model = Model { graph, functions, opset_import, ..Model::default() };
        inline(&mut model)?;
        Ok(model.graph.unwrap_or_default().node)
    }

    /// Each call has names of its own, and nodes keep the version that their function was written for.
    #[test]
    fn calls_are_written_out() {
        let body = vec![node("Relu", "", &["a"], &["t"]), node("Neg", "", &["t"], &["b"])];
        let calls = vec![
            node("F", "local", &["x"], &["y"]),
            node("F", "local", &["y"], &["z"]),
            node("Abs", "", &["z"], &["w"]),
        ];
        let nodes = inlined(vec![function("F", &["a"], &["b"], body)], calls).unwrap();
        let shown = nodes.iter().map(|n| format!("{} {:?} {:?} {}", n.op_type, n.input, n.output, n.version));
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                r#"Relu ["x"] ["F_1/t"] 17"#,
                r#"Neg ["F_1/t"] ["y"] 17"#,
                r#"Relu ["y"] ["F_2/t"] 17"#,
                r#"Neg ["F_2/t"] ["z"] 17"#,
                r#"Abs ["z"] ["w"] 20"#,
            ]
        );
    }

    #[test]
    fn a_result_that_is_an_operand_is_copied() {
        let nodes = inlined(vec![function("F", &["a"], &["a"], Vec::new())], vec![node("F", "local", &["x"], &["y"])]);
        let nodes = nodes.unwrap();
        assert_eq!(
            (nodes[0].op_type.as_str(), &nodes[0].input[0], &nodes[0].output[0]),
            ("Identity", &"x".into(), &"y".into())
        );
    }

    #[test]
    fn recursion_ends() {
        let call = |from: &str, to: &str| node("F", "local", &[from], &[to]);
        let error = inlined(vec![function("F", &["a"], &["b"], vec![call("a", "b")])], vec![call("x", "y")]);
        assert!(error.unwrap_err().to_string().contains("a function may call itself"));
        // Each calls the next twice.
        let functions = (0..40).map(|i| {
            let next = format!("F{}", i + 1);
            let body = vec![node(&next, "local", &["a"], &["t"]), node(&next, "local", &["t"], &["b"])];
            function(&format!("F{i}"), &["a"], &["b"], body)
        });
        let error = inlined(functions.collect(), vec![node("F0", "local", &["x"], &["y"])]).unwrap_err();
        assert!(error.to_string().contains("nodes when its functions are written out"), "{error}");
    }
}
