use super::{
    node::{Document, Fields, Node},
    tensors::declare,
};
use crate::{
    array::WeightFile,
    graph::{Cause, Error, Graph, Mode, Place, Result, Tensor},
    ops::{FunctionDef, function_def},
    quant::Quantization,
};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

const KEYS: [&str; 8] = ["version", "name", "mode", "weights", "tensors", "inputs", "ops", "outputs"];
const OP_KEYS: [&str; 4] = ["op", "args", "out", "out_quant"];

/// Whether the data of coefficients are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Open the weights file and map the data.
    Load,
    /// Only look at the graph: it can be checked, but neither emitted nor run.
    Skip,
}

/// Reads a spec file.
///
/// # Errors
/// The file is not a spec of a valid graph; independent mistakes are told together, each with path, line and column.
pub fn read(path: impl AsRef<Path>, weights: Weights) -> Result<Graph> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let file = path.display().to_string();
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(e) => {
            let before = &bytes[..e.valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
            let problem = format!("not UTF-8 text: byte 0x{:02x}", bytes[e.valid_up_to()]);
            return Err(Error::from(Cause::Syntax(problem)).at(Place { file, line, column, path: String::new() }));
        }
    };
    let dir = match weights {
        Weights::Load => Some(path.parent().unwrap_or(Path::new("."))),
        Weights::Skip => None,
    };
    from_text(text, &file, dir)
}

/// Reads a spec from text. `file` names it in messages; the weights file is looked for in `dir`, and left alone without one.
///
/// # Errors
/// As [`read`].
pub fn from_text(text: &str, file: &str, dir: Option<&Path>) -> Result<Graph> {
    let document = Document { file, text };
    let root = document.root()?;
    let fields = root.fields(&KEYS)?;
    let version = fields.need("version")?;
    if version.text() != "1" {
        let shown: String = version.text().chars().take(40).collect();
        return Err(version.problem(format!("version is {shown}; this tpulang reads version 1")));
    }
    let name = fields.need("name")?;
    let mut graph = Graph::new(name.read::<String>()?).map_err(|e| e.at(name.place()))?;
    graph.mode = fields.read::<Mode>("mode")?.unwrap_or_default();
    let mut reader = Reader { graph, errors: Vec::new(), spoiled: HashSet::new(), blind: false, later: HashMap::new() };
    reader.tensors(&fields, dir)?;
    reader.inputs(fields.need("inputs")?)?;
    reader.ops(fields.need("ops")?)?;
    reader.outputs(fields.need("outputs")?)?;
    Error::collect(reader.errors)?;
    Ok(reader.graph)
}

struct Reader {
    graph: Graph,
    errors: Vec<Error>,
    /// Names that a mistake keeps from existing: what uses them is not told as another mistake.
    spoiled: HashSet<String>,
    /// A mistake kept an operator from saying what its outputs are called: any unknown name may be one of them.
    blind: bool,
    /// Outputs of the operators by name, with the operator's index.
    later: HashMap<String, usize>,
}

impl Reader {
    fn tensors(&mut self, fields: &Fields, dir: Option<&Path>) -> Result<()> {
        let mut weights = match (fields.get("weights"), dir) {
            (Some(node), Some(dir)) => {
                let file: String = node.read()?;
                Some(WeightFile::open(dir.join(file)).map_err(|e| e.at(node.place()))?)
            }
            _ => None,
        };
        let Some(tensors) = fields.get("tensors") else {
            return Ok(());
        };
        for (name, node) in tensors.object()? {
            if let Err(error) = declare(&mut self.graph, &name, &node, weights.as_mut()) {
                self.errors.extend(error.into_each());
                self.spoiled.insert(name);
            }
        }
        Ok(())
    }

    /// The tensors of a list of names; mistakes are kept.
    fn names(&mut self, node: &Node) -> Result<Option<Vec<Tensor>>> {
        let mut all = Some(Vec::new());
        for item in node.list()? {
            let name: String = item.read()?;
            match self.graph.find(&name) {
                Ok(tensor) => {
                    if let Some(v) = all.as_mut() {
                        v.push(tensor);
                    }
                }
                Err(error) => {
                    all = None;
                    if !self.spoiled.contains(&name) && !self.blind {
                        self.errors.push(error.at(item.place()));
                    }
                }
            }
        }
        Ok(all)
    }

    fn inputs(&mut self, node: &Node) -> Result<()> {
        let Some(listed) = self.names(node)? else {
            return Ok(());
        };
        let declared = self.graph.inputs().to_vec();
        for (i, t) in listed.iter().enumerate() {
            let name = self.graph.tensor(*t)?.name.clone();
            let problem = match () {
                () if !declared.contains(t) => {
                    format!("{name:?} is a coefficient; inputs are declared without \"coeff\": true")
                }
                () if listed[..i].contains(t) => format!("the input {name:?} is listed twice"),
                () => continue,
            };
            self.errors.push(node.problem(problem));
        }
        for t in declared.iter().filter(|t| !listed.contains(t)) {
            let name = &self.graph.tensor(*t)?.name;
            let problem =
                format!("the tensor {name:?} is neither listed as an input nor declared with \"coeff\": true");
            self.errors.push(node.problem(problem));
        }
        if self.errors.is_empty() {
            self.graph.set_input_order(&listed).map_err(|e| e.at(node.place()))?;
        }
        Ok(())
    }

    fn ops(&mut self, node: &Node) -> Result<()> {
        let nodes = node.list()?;
        for (i, op) in nodes.iter().enumerate() {
            if let Ok(fields) = op.fields(&OP_KEYS)
                && let Ok(outs) = out_names(&fields)
            {
                self.later.extend(outs.unwrap_or_default().into_iter().map(|name| (name, i)));
            }
        }
        for (i, op) in nodes.iter().enumerate() {
            if let Err(error) = self.op(i, op) {
                self.blind |= !named(op);
                self.errors.extend(error.into_each().into_iter().map(|e| e.at(op.place())));
            }
        }
        Ok(())
    }

    fn op(&mut self, index: usize, node: &Node) -> Result<()> {
        let fields = node.fields(&OP_KEYS)?;
        let outs = out_names(&fields)?;
        let result = self.call(index, &fields, outs.clone());
        if !matches!(result, Ok(true)) {
            self.spoiled.extend(outs.unwrap_or_default());
            // The name that it would have got.
            if let Some(Ok(op)) = fields.get("op").map(Node::read::<String>) {
                self.spoiled.insert(format!("{op}_{index}"));
            }
        }
        result.map(|_| ())
    }

    /// Makes a call; false if it was left out because it uses what an earlier mistake spoiled.
    fn call(&mut self, index: usize, fields: &Fields, outs: Option<Vec<String>>) -> Result<bool> {
        let op = fields.need("op")?;
        let function = function_def(&op.read::<String>()?).map_err(|e| e.at(op.place()))?;
        let args = fields.need("args")?;
        let entries = arguments(function, args)?;
        let uses_spoiled = |n: &Node| names_in(n).iter().any(|name| self.spoiled.contains(name));
        if entries.iter().any(|(_, n)| uses_spoiled(n)) {
            return Ok(false);
        }
        let parsed = (function.parse)(args.text())
            .map_err(|e| Error::from(Cause::Syntax(e.problem)).at(args.place_within(e.line, e.column, &e.path)))?;
        let out_quant = out_quant(fields)?;
        parsed.call(&mut self.graph, outs, out_quant).map_err(|e| self.located(e, index, &entries))?;
        Ok(true)
    }

    /// Places a call's error at the argument that it is about.
    fn located(&self, error: Error, index: usize, entries: &[(String, Node)]) -> Error {
        let about = |argument: &str| entries.iter().find(|(k, _)| k == argument).map(|(_, n)| n.place());
        match error.cause() {
            Cause::UnknownName { kind: "tensor", name, .. } => {
                let place = entries.iter().find(|(_, n)| names_in(n).contains(name)).map(|(_, n)| n.place());
                let error = match self.later.get(name) {
                    Some(&at) => {
                        let what = if at == index {
                            "this operator's own output".into()
                        } else {
                            format!("the output of ops[{at}], which comes later")
                        };
                        let call = error.call().cloned();
                        let problem = format!(
                            "the tensor {name:?} is {what}; operators stand in the order of computation, without cycles"
                        );
                        let moved = Error::from(Cause::Shape(problem));
                        call.into_iter().fold(moved, Error::in_call)
                    }
                    None => error,
                };
                place.into_iter().fold(error, Error::at)
            }
            Cause::Argument { argument, .. }
            | Cause::Dtype { argument, .. }
            | Cause::Rank { argument, .. }
            | Cause::Axis { argument, .. } => {
                let place = about(argument);
                place.into_iter().fold(error, Error::at)
            }
            _ => error,
        }
    }

    fn outputs(&mut self, node: &Node) -> Result<()> {
        if let Some(outputs) = self.names(node)?
            && let Err(error) = self.graph.set_outputs(&outputs)
        {
            self.errors.push(error.at(node.place()));
        }
        Ok(())
    }
}

/// The strings in an argument: names of tensors, where it is a tensor argument.
fn names_in(node: &Node) -> Vec<String> {
    match node.text().as_bytes().first() {
        Some(b'"') => node.peek().map(|name| vec![name]).unwrap_or_default(),
        Some(b'[') => node.peek().unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Whether an operator says what its outputs are called.
fn named(op: &Node) -> bool {
    op.fields(&OP_KEYS).is_ok_and(|fields| matches!(out_names(&fields), Ok(Some(_))))
}

/// The entries of `args`; unknown and missing arguments are told together.
fn arguments<'a>(function: &FunctionDef, args: &Node<'a>) -> Result<Vec<(String, Node<'a>)>> {
    let entries = args.object()?;
    let mut errors = Vec::new();
    for (key, node) in &entries {
        if function.arguments.iter().any(|(a, _)| a == key) {
            continue;
        }
        errors.push(if key == "out_name" {
            node.problem("the output is named by \"out\", beside \"args\"")
        } else {
            let nearest = crate::graph::nearest(key, function.arguments.iter().map(|(a, _)| *a));
            let name: String = key.chars().take(60).collect();
            node.error(Cause::UnknownName { kind: "argument", name: format!("{name} of {}", function.name), nearest })
        });
    }
    for (name, _) in function.arguments.iter().filter(|(_, required)| *required) {
        if !entries.iter().any(|(k, n)| k == name && !n.is_null()) {
            errors.push(args.problem(format!("{} needs the argument {name:?}", function.name)));
        }
    }
    Error::collect(errors)?;
    Ok(entries)
}

fn out_names(fields: &Fields) -> Result<Option<Vec<String>>> {
    let Some(node) = fields.get("out") else {
        return Ok(None);
    };
    if node.text().starts_with('[') {
        return node.read().map(Some);
    }
    node.read::<String>().map(|name| Some(vec![name]))
}

fn out_quant(fields: &Fields) -> Result<Vec<Option<Quantization>>> {
    let Some(node) = fields.get("out_quant") else {
        return Ok(Vec::new());
    };
    if node.text().starts_with('[') {
        return node.read();
    }
    node.read::<Quantization>().map(|q| vec![Some(q)])
}
