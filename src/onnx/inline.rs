//! Calls of a model's own functions, written out before its nodes are converted.
use super::proto::{Attribute, Function, Graph, Model, Node};
use crate::base::{Result, invalid};
use prost::Message;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Maximum number of nodes once all calls are written out.
const MAX_NODES: usize = 1_000_000;
/// Maximum number of bytes of nodes that calls are written out in.
const MAX_BYTES: usize = 1 << 30;
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
    let mut taken = BTreeSet::new();
    if !functions.is_empty() {
        add_names(graph, &mut taken);
    }
    let mut inliner = Inliner { functions: &functions, made: 0, calls: 0, bytes: 0, taken };
    let versions = versions.into_iter().map(|(domain, version)| (domain.to_owned(), version)).collect();
    inliner.graph(graph, &versions, 0)
}

/// Adds the names of all values of a graph and of those within it.
fn add_names(graph: &Graph, names: &mut BTreeSet<String>) {
    let sparse = graph.sparse_initializer.iter().filter_map(|tensor| tensor.values.as_ref());
    names.extend(graph.initializer.iter().chain(sparse).map(|tensor| tensor.name.clone()));
    names.extend(graph.input.iter().map(|input| input.name.clone()));
    for node in &graph.node {
        names.extend(node.output.iter().cloned());
        node.attribute.iter().filter_map(|a| a.g.as_ref()).for_each(|inner| add_names(inner, names));
    }
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
    /// Bytes that have been written out.
    bytes: usize,
    /// The names of the model's values, and of those that were written out.
    taken: BTreeSet<String>,
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
                    // A graph that was passed to a function has the versions of its caller.
                    if node.version == 0 {
                        node.version = versions.get(plain(&node.domain)).copied().unwrap_or(1);
                    }
                    all.push(node);
                }
            }
        }
        Ok(all)
    }

    /// Returns the nodes of a function, with the operands and attributes of a call.
    fn call(&mut self, function: &Function, call: &Node, depth: usize) -> Result<Vec<Node>> {
        let scope = self.scope(function, call);
        let inputs: HashSet<&String> = function.input.iter().collect();
        let mut names = Names::default();
        for (i, inner) in function.input.iter().enumerate() {
            names.own.insert(inner.clone(), call.input.get(i).cloned().unwrap_or_default());
        }
        for (i, inner) in function.output.iter().enumerate() {
            let outer = call.output.get(i).filter(|name| !name.is_empty());
            // A result that nobody reads still needs a name. One that is an operand is copied below.
            if !names.own.contains_key(inner) {
                names.own.insert(inner.clone(), outer.cloned().unwrap_or_else(|| format!("{scope}/{inner}")));
            }
        }
        let attributes = function.attribute_proto.iter().chain(&call.attribute);
        let given = attributes.map(|attribute| (attribute.name.as_str(), attribute)).collect();
        let mut body = function.node.clone();
        Written { scope: &scope, given, bytes: &mut self.bytes, taken: &mut self.taken }
            .nodes(&mut body, &mut names)?;
        for (i, inner) in function.output.iter().enumerate().filter(|(_, inner)| inputs.contains(inner)) {
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

    /// Returns the prefix of the names of a call's values: the name of the call, numbered if there are values with that prefix.
    fn scope(&mut self, function: &Function, call: &Node) -> String {
        let name = if call.name.is_empty() { &function.name } else { &call.name };
        let mut scope = name.clone();
        let mut is_free = !call.name.is_empty() && !self.has_values(name);
        self.calls += 1;
        while !is_free {
            scope = format!("{name}_{}", self.calls);
            is_free = !self.has_values(&scope);
            self.calls += usize::from(!is_free);
        }
        scope
    }

    /// Returns whether there are values whose names begin with `scope/`.
    fn has_values(&self, scope: &str) -> bool {
        let prefix = format!("{scope}/");
        self.taken.range(prefix.clone()..).next().is_some_and(|name| name.starts_with(&prefix))
    }
}

/// The names that values of a function have outside of it.
#[derive(Default)]
struct Names<'o> {
    /// Those of the graph at hand.
    own: HashMap<String, String>,
    /// Those of the graph around it.
    outer: Option<&'o Names<'o>>,
}

impl Names<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.own.get(name).map(String::as_str).or_else(|| self.outer?.get(name))
    }
    fn apply(&self, name: &mut String) {
        if let Some(found) = self.get(name) {
            *name = found.to_owned();
        }
    }
}

/// A call that is being written out.
struct Written<'c> {
    /// Precedes the names of its values.
    scope: &'c str,
    /// The values of the function's attributes.
    given: HashMap<&'c str, &'c Attribute>,
    /// Bytes that have been written out so far.
    bytes: &'c mut usize,
    /// The names of all values.
    taken: &'c mut BTreeSet<String>,
}

impl Written<'_> {
    /// Counts what is written out.
    ///
    /// # Errors
    /// Returns an error if it is too much.
    fn count(&mut self, bytes: usize) -> Result<()> {
        *self.bytes = self.bytes.saturating_add(bytes);
        if *self.bytes > MAX_BYTES {
            return Err(invalid(format!(
                "the model has more than {MAX_BYTES} bytes when its functions are written out"
            )));
        }
        Ok(())
    }

    /// Gives the values of a function their names outside of it, and its attributes their values.
    fn nodes(&mut self, nodes: &mut [Node], names: &mut Names) -> Result<()> {
        for node in nodes {
            self.count(node.encoded_len() + (node.output.len() + 1) * self.scope.len())?;
            node.input.iter_mut().for_each(|input| names.apply(input));
            for attribute in &mut node.attribute {
                self.attribute(attribute, names)?;
            }
            node.attribute.retain(|a| !a.name.is_empty());
            let scope = self.scope;
            node.name = if node.name.is_empty() { scope.to_owned() } else { format!("{scope}/{}", node.name) };
            for output in node.output.iter_mut().filter(|name| !name.is_empty()) {
                if names.get(output).is_none() {
                    names.own.insert(output.clone(), format!("{scope}/{output}"));
                }
                names.apply(output);
                self.taken.insert(output.clone());
            }
        }
        Ok(())
    }

    fn attribute(&mut self, attribute: &mut Attribute, names: &Names) -> Result<()> {
        if !attribute.ref_attr_name.is_empty() {
            let given = self.given.get(attribute.ref_attr_name.as_str());
            let name = std::mem::take(&mut attribute.name);
            // Without a value the attribute is left out. A graph of the caller's has the caller's names.
            *attribute = given.map(|given| Attribute { name, ..(*given).clone() }).unwrap_or_default();
            return self.count(attribute.encoded_len());
        }
        match &mut attribute.g {
            Some(graph) => self.graph(graph, names),
            None => Ok(()),
        }
    }

    /// The same for a branch or a body, whose own values are not those of the function.
    fn graph(&mut self, graph: &mut Graph, names: &Names) -> Result<()> {
        let sparse = graph.sparse_initializer.iter_mut().filter_map(|tensor| tensor.values.as_mut());
        let initializers = graph.initializer.iter_mut().chain(sparse).map(|tensor| &mut tensor.name);
        let mut inner = Names { own: HashMap::new(), outer: Some(names) };
        for name in graph.input.iter_mut().map(|input| &mut input.name).chain(initializers) {
            let renamed = format!("{}/{name}", self.scope);
            self.taken.insert(renamed.clone());
            inner.own.insert(std::mem::replace(name, renamed.clone()), renamed);
        }
        self.nodes(&mut graph.node, &mut inner)?;
        graph.output.iter_mut().for_each(|output| inner.apply(&mut output.name));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{OperatorSet, ValueInfo};

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

    /// The input `x` of a loop's body is not the operand `x` of the call.
    #[test]
    fn values_of_bodies_do_not_capture_operands() {
        let input = vec![ValueInfo { name: "x".into(), ..ValueInfo::default() }];
        let output = vec![ValueInfo { name: "t".into(), ..ValueInfo::default() }];
        let body = Graph { node: vec![node("Add", "", &["x", "a"], &["t"])], input, output, ..Graph::default() };
        let mut scan = node("Scan", "", &["a"], &["b"]);
        scan.attribute.push(Attribute { name: "body".into(), g: Some(body), ..Attribute::default() });
        let nodes = inlined(vec![function("F", &["a"], &["b"], vec![scan])], vec![node("F", "local", &["x"], &["y"])]);
        let nodes = nodes.unwrap();
        let body = nodes[0].attribute[0].g.as_ref().unwrap();
        assert_eq!(body.input[0].name, "F_1/x");
        assert_eq!((&body.node[0].input, &body.output[0].name), (&vec!["F_1/x".into(), "x".into()], &"F_1/t".into()));
    }

    #[test]
    fn calls_with_the_same_name_have_their_own_values() {
        let body = vec![node("Relu", "", &["a"], &["t"]), node("Neg", "", &["t"], &["b"])];
        let call = |from: &str, to: &str| Node { name: "f".into(), ..node("F", "local", &[from], &[to]) };
        let nodes = inlined(vec![function("F", &["a"], &["b"], body)], vec![call("x", "y"), call("z", "w")]).unwrap();
        assert_eq!((&nodes[0].output[0], &nodes[2].output[0]), (&"f/t".into(), &"f_2/t".into()));
    }

    #[test]
    fn values_of_calls_do_not_replace_those_of_the_model() {
        let inner =
            function("G", &["a"], &["b"], vec![node("Relu", "", &["a"], &["t"]), node("Neg", "", &["t"], &["b"])]);
        let call = Node { name: "g".into(), ..node("G", "local", &["a"], &["g/t"]) };
        let outer = function("F", &["a"], &["b"], vec![call, node("Abs", "", &["g/t"], &["b"])]);
        let call = Node { name: "f".into(), ..node("F", "local", &["x"], &["y"]) };
        let nodes = inlined(vec![inner, outer], vec![node("Abs", "", &["x"], &["f/x"]), call]).unwrap();
        let results: Vec<&str> = nodes.iter().map(|node| node.output[0].as_str()).collect();
        assert_eq!(results, ["f/x", "f_1/g_2/t", "f_1/g/t", "y"]);
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
