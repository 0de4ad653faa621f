//! Tensors, calls and outputs of a spec. Errors are collected; follow-on errors are suppressed.
use super::{
    expand::{Functions, MAX_CALLS, Outline},
    node::{Fields, Node},
    tensors::{Declared, argument, declare},
};
use crate::{
    array::WeightFile,
    base::{Cause, Dtype, Error, MAX_ERRORS, Result, Shape, misfit},
    functions::{self, ByName, Named, Value, function_def},
    graph::{Block, Graph, Tensor},
    ops::{OpDef, op_def},
    quant::Quantization,
};
use indexmap::{IndexMap, IndexSet};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

const OP_KEYS: [&str; 9] = ["op", "args", "out", "out_quant", "out_dtype", "out_shape", "then", "else", "body"];

pub(super) struct Reader<'a> {
    pub(super) graph: Graph,
    pub(super) errors: Vec<Error>,
    /// Names that do not exist because of an error. Using them is not reported again.
    pub(super) poisoned: HashSet<String>,
    /// Whether an operator with an error did not name its outputs, so that any unknown name may be one of them.
    has_unknown_outputs: bool,
    /// Outputs of the operators by name, with the operator's index.
    later: HashMap<String, usize>,
    pub(super) functions: Functions<'a>,
}

enum Callee {
    Function,
    Op(&'static OpDef),
    SpecFunction,
}

impl<'a> Reader<'a> {
    pub fn new(graph: Graph) -> Self {
        Reader {
            graph,
            errors: Vec::new(),
            poisoned: HashSet::new(),
            has_unknown_outputs: false,
            later: HashMap::new(),
            functions: Functions::default(),
        }
    }
    pub fn finish(self) -> Result<Graph> {
        Error::collect(self.errors)?;
        Ok(self.graph)
    }

    /// Returns whether there are more errors than are reported.
    fn enough(&self) -> bool {
        self.errors.len() > MAX_ERRORS
    }

    pub fn tensors(&mut self, fields: &Fields, dir: Option<&Path>) -> Result<()> {
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
            if self.enough() {
                break;
            }
            if let Err(error) = declare(&mut self.graph, &name, &node, weights.as_mut()) {
                self.errors.extend(error.into_each());
                self.poisoned.insert(name);
            }
        }
        Ok(())
    }

    /// Returns the tensors of a list of names; `None` if some do not exist, which is recorded.
    fn names(&mut self, node: &Node) -> Result<Option<Vec<Tensor>>> {
        let mut all = Some(Vec::new());
        for item in node.list()? {
            let name: String = item.read()?;
            if self.enough() {
                return Ok(None);
            }
            match self.graph.find(&name) {
                Ok(tensor) => {
                    if let Some(v) = all.as_mut() {
                        v.push(tensor);
                    }
                }
                Err(error) => {
                    all = None;
                    if !self.poisoned.contains(&name) && !self.has_unknown_outputs {
                        self.errors.push(error.at(item.place()));
                    }
                }
            }
        }
        Ok(all)
    }

    pub fn inputs(&mut self, node: &Node) -> Result<()> {
        let Some(listed) = self.names(node)? else {
            return Ok(());
        };
        let declared: IndexSet<Tensor> = self.graph.inputs().iter().copied().collect();
        let mut seen = HashSet::new();
        for t in &listed {
            if self.enough() {
                break;
            }
            let name = self.graph.tensor(*t)?.name.clone();
            let problem = match () {
                () if !declared.contains(t) => {
                    format!("{name:?} is a coefficient; declare inputs without \"coeff\": true")
                }
                () if !seen.insert(*t) => format!("the input {name:?} is listed twice"),
                () => continue,
            };
            self.errors.push(node.problem(problem));
        }
        for t in declared.iter().filter(|t| !seen.contains(*t)).take(MAX_ERRORS) {
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

    pub fn updates(&mut self, node: &Node) -> Result<()> {
        for (variable, node) in node.object()? {
            if self.enough() {
                break;
            }
            let next: String = node.read()?;
            if [&variable, &next].into_iter().any(|name| self.poisoned.contains(name)) {
                continue;
            }
            let found = self.graph.find(&variable).and_then(|t| Ok((t, self.graph.find(&next)?)));
            let assigned = found.and_then(|(variable, next)| self.graph.assign(variable, next));
            self.errors.extend(assigned.err().map(|e| e.at(node.place())));
        }
        Ok(())
    }

    pub fn ops(&mut self, node: &Node<'a>) -> Result<()> {
        let nodes = node.list()?;
        let before = std::mem::take(&mut self.later);
        for (i, op) in nodes.iter().enumerate() {
            let outline: Option<Outline> = op.peek();
            self.later.extend(outline.into_iter().flat_map(Outline::outputs).map(|name| (name, i)));
        }
        for (i, op) in nodes.iter().enumerate() {
            if self.enough() {
                break;
            }
            if let Err(error) = self.op(i, op) {
                self.has_unknown_outputs |= !named(op);
                let placed = |e: Error| e.numbered(i).at(op.place());
                self.errors.extend(error.into_each().into_iter().map(placed));
            }
        }
        self.later = before;
        Ok(())
    }

    fn op(&mut self, index: usize, node: &Node<'a>) -> Result<()> {
        let fields = node.fields(&OP_KEYS)?;
        let outs = out_names(&fields)?;
        let (warnings, calls) = (self.graph.recorded_warnings(), self.graph.recorded_calls());
        let result = self.call(index, &fields, outs.clone());
        self.graph.locate_warnings(warnings, || node.place());
        self.graph.locate_calls(calls, node.line());
        if !matches!(result, Ok(true)) {
            self.poisoned.extend(outs.unwrap_or_default());
            // The default name of its output.
            if let Some(Ok(op)) = fields.get("op").map(Node::read::<String>) {
                self.poisoned.insert(format!("{op}_{index}"));
            }
        }
        result.map(|_| ())
    }

    fn callee(&self, name: &str) -> Result<Callee> {
        if self.functions.contains(name) {
            return Ok(Callee::SpecFunction);
        }
        match name.strip_prefix("top.") {
            Some(op) => op_def(op).map(Callee::Op),
            None => function_def(name).map(|_| Callee::Function),
        }
    }

    /// Makes a call. Returns false if it was skipped because it uses a poisoned name.
    fn call(&mut self, index: usize, fields: &Fields<'a>, outs: Option<Vec<String>>) -> Result<bool> {
        let op = fields.need("op")?;
        let name: String = op.read()?;
        let callee = self.callee(&name).map_err(|e| e.at(op.place()))?;
        if matches!(callee, Callee::SpecFunction) {
            self.check_expansion(&name).map_err(|e| e.at(op.place()))?;
        }
        let args = fields.need("args")?;
        let entries = args.object()?;
        if entries
            .iter()
            .any(|(key, n)| takes_tensors(&callee, &name, key) && names_in(n).iter().any(|t| self.poisoned.contains(t)))
        {
            return Ok(false);
        }
        let named = Named { out: outs, out_quant: out_quant(fields)? };
        let made = match callee {
            Callee::SpecFunction => return self.expand(&name, &entries, named).map(|()| true),
            Callee::Op(def) => match self.blocks(def, fields)? {
                Some(blocks) => self.call_op(&name, fields, &entries, named, blocks),
                None => return Ok(false),
            },
            Callee::Function => {
                let args = values(&entries)?;
                functions::call_with(&mut self.graph, &name, ByName { args, named, ..ByName::default() })
            }
        };
        made.map(|_| true).map_err(|e| self.located(e, index, &entries))
    }

    /// Checks the size of a function's expansion before it is expanded.
    fn check_expansion(&mut self, name: &str) -> Result<()> {
        let calls = self.functions.expanded_calls(name)?;
        if self.graph.calls_made().saturating_add(calls) > MAX_CALLS {
            let calls = if calls == usize::MAX { "too many".into() } else { calls.to_string() };
            return Err(misfit(name, format!("expands to {calls} calls; a spec may have {MAX_CALLS} in all")));
        }
        Ok(())
    }

    /// Makes a call of an op.
    fn call_op(
        &mut self,
        name: &str,
        fields: &Fields<'a>,
        entries: &[(String, Node<'a>)],
        named: Named,
        blocks: Vec<Block>,
    ) -> Result<Vec<Tensor>> {
        let args = values(entries)?;
        let (dtypes, shapes) = (one_or_list::<Dtype>(fields, "out_dtype")?, shapes(fields)?);
        functions::call_with(&mut self.graph, name, ByName { args, named, dtypes, shapes, blocks })
    }
    /// Reads the blocks of an op; `None` if there are errors in them, which are recorded.
    fn blocks(&mut self, def: &OpDef, fields: &Fields<'a>) -> Result<Option<Vec<Block>>> {
        let errors = self.errors.len();
        let mut blocks = Vec::new();
        for block in def.blocks {
            // `then_branch` is written as `then`.
            let key = block.trim_end_matches("_branch");
            blocks.push(self.block(fields.need(key)?)?);
        }
        let blocks: Option<Vec<Block>> = blocks.into_iter().collect();
        Ok(blocks.filter(|_| self.errors.len() == errors))
    }

    /// Reads a block owned by an op; `None` if its outputs do not exist because of an error.
    fn block(&mut self, node: &Node<'a>) -> Result<Option<Block>> {
        let fields = node.fields(&["inputs", "ops", "outputs"])?;
        let (ops, outputs) = (fields.need("ops")?, fields.need("outputs")?);
        self.begin_block(fields.get("inputs"))?;
        let results = self.ops(ops).and_then(|()| self.names(outputs));
        let block = self.graph.end_block(results.as_ref().ok().cloned().flatten().unwrap_or_default());
        Ok(if results?.is_some() { Some(block?) } else { None })
    }

    /// Begins a block with these arguments.
    fn begin_block(&mut self, inputs: Option<&Node<'a>>) -> Result<()> {
        let (mut arguments, mut quantizations) = (Vec::new(), Vec::new());
        for (name, node) in inputs.map_or(Ok(Vec::new()), Node::object)? {
            let Declared { dtype, shape, quantization } = argument(&node)?;
            arguments.push((name, dtype, shape));
            quantizations.push((quantization, node));
        }
        let place = |e: Error| inputs.into_iter().fold(e, |e, node| e.at(node.place()));
        let tensors = self.graph.begin_block(arguments).map_err(place)?;
        for (tensor, (quantization, node)) in tensors.into_iter().zip(quantizations) {
            if let Err(error) = self.graph.quantize(tensor, &quantization) {
                self.graph.end_block(Vec::new())?;
                return Err(error.at(node.place()));
            }
        }
        Ok(())
    }

    /// Adds the position of the argument that a call's error concerns.
    fn located(&self, error: Error, index: usize, entries: &[(String, Node)]) -> Error {
        if error.each().len() > 1 {
            let each = error.into_each().into_iter().map(|e| self.located(e, index, entries)).collect();
            return Error::from(Cause::Many(each));
        }
        if let Cause::UnknownName { kind: "tensor", name, .. } = error.cause() {
            let place = entries.iter().find(|(_, n)| names_in(n).contains(name)).map(|(_, n)| n.place());
            let moved = match self.later.get(name) {
                Some(&at) => later(&error, name, at, index),
                None => error,
            };
            return place.into_iter().fold(moved, Error::at);
        }
        let Some(about) = error.argument() else {
            return error;
        };
        let (name, path) = about.split_at(about.find('[').unwrap_or(about.len()));
        let place = entries.iter().find(|(k, _)| k == name).map(|(_, n)| n.part(path).place());
        place.into_iter().fold(error, Error::at)
    }

    pub fn outputs(&mut self, node: &Node) -> Result<()> {
        if let Some(outputs) = self.names(node)?
            && let Err(error) = self.graph.set_outputs(&outputs)
        {
            self.errors.push(error.at(node.place()));
        }
        Ok(())
    }
}

/// Creates the error about a tensor that is used before it is computed.
fn later(error: &Error, name: &str, at: usize, index: usize) -> Error {
    let what = if at == index {
        "this operator's own output".into()
    } else {
        format!("the output of ops[{at}], which comes later")
    };
    let problem = format!("the tensor {name:?} is {what}; operators must be listed in execution order, without cycles");
    error.call().cloned().into_iter().fold(Error::from(Cause::Shape(problem)), Error::in_call)
}

/// Returns whether an argument accepts tensors.
fn takes_tensors(callee: &Callee, name: &str, argument: &str) -> bool {
    match callee {
        Callee::SpecFunction => true,
        Callee::Op(def) => def.operands.iter().any(|o| o.name == argument),
        Callee::Function => function_def(name)
            .is_ok_and(|f| f.arguments().iter().any(|a| a.name == argument && a.type_name.contains("tensor"))),
    }
}

fn values(entries: &[(String, Node)]) -> Result<IndexMap<String, Value>> {
    entries.iter().map(|(k, n)| Ok((k.clone(), n.read()?))).collect()
}

/// Returns the strings in an argument: the names of tensors, if it accepts tensors.
fn names_in(node: &Node) -> Vec<String> {
    match node.text().as_bytes().first() {
        Some(b'"') => node.peek().map(|name| vec![name]).unwrap_or_default(),
        Some(b'[') => node.peek().unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Returns whether an operator names its outputs.
fn named(op: &Node) -> bool {
    op.fields(&OP_KEYS).is_ok_and(|fields| matches!(out_names(&fields), Ok(Some(_))))
}

/// Returns the names of the outputs; an absent output has an empty name.
fn out_names(fields: &Fields) -> Result<Option<Vec<String>>> {
    let names = one_or_list::<String>(fields, "out")?;
    Ok((!names.is_empty()).then(|| names.into_iter().map(Option::unwrap_or_default).collect()))
}

fn out_quant(fields: &Fields) -> Result<Vec<Option<Quantization>>> {
    one_or_list(fields, "out_quant")
}

/// Reads the value of the only output, or a list with one value per output, null for absent ones.
fn one_or_list<T: for<'de> serde::Deserialize<'de>>(fields: &Fields, key: &str) -> Result<Vec<Option<T>>> {
    match fields.get(key) {
        None => Ok(Vec::new()),
        Some(node) if node.text().starts_with('[') => node.read(),
        Some(node) => node.read().map(|v| vec![Some(v)]),
    }
}

/// Reads a shape or a list of shapes.
fn shapes(fields: &Fields) -> Result<Vec<Option<Shape>>> {
    match fields.get("out_shape") {
        None => Ok(Vec::new()),
        Some(node) => match node.peek::<Shape>() {
            Some(shape) => Ok(vec![Some(shape)]),
            None => node.read(),
        },
    }
}
