//! Tensors, calls and outputs of a spec. Errors are collected; follow-on errors are suppressed.
use super::{
    expand::Functions,
    node::{Fields, Node, check_identifier},
    params::{Param, Variables},
    tensors::{self, Declared, argument, declare},
    weights::Weights,
};
use crate::{
    base::{Cause, Dtype, Error, MAX_ERRORS, MAX_LISTED, Place, Result, Shape, invalid, misfit, nearest, truncated},
    functions::{self, ByName, Named, Value, function_def},
    graph::{Block, Graph, Tensor, TensorKind},
    ops::{OpDef, op_def},
    quant::Quantization,
};
use indexmap::{IndexMap, IndexSet};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

pub(super) const OP_KEYS: [&str; 10] =
    ["op", "repeat", "args", "out", "out_quant", "out_dtype", "out_shape", "then", "else", "body"];
/// Maximum number of names that are noted, to tell where a tensor is computed that is used too early.
const MAX_LATER: usize = 100_000;

pub(super) struct Reader<'a> {
    pub(super) graph: Graph,
    pub(super) errors: Vec<Error>,
    /// Names that do not exist because of an error. Using them is not reported again.
    pub(super) poisoned: HashSet<String>,
    /// Whether names are not known because of an error, so that any unknown name may be one of them.
    has_unknown_outputs: bool,
    /// The operators that are being read.
    siblings: Option<Node<'a>>,
    /// Outputs of the operators by name, with the operator's index. They are noted at the first error that needs them.
    later: Option<HashMap<String, usize>>,
    pub(super) functions: Functions<'a>,
    /// The parameters of the spec.
    pub(super) params: Rc<Variables>,
    pub(super) weights: Weights<'a>,
}

enum Callee {
    Function,
    Op(&'static OpDef),
    SpecFunction,
}

impl<'a> Reader<'a> {
    pub fn new(graph: Graph, weights: Weights<'a>, params: Rc<Variables>) -> Self {
        Reader {
            graph,
            errors: Vec::new(),
            poisoned: HashSet::new(),
            has_unknown_outputs: false,
            siblings: None,
            later: None,
            functions: Functions::default(),
            params,
            weights,
        }
    }
    /// # Errors
    /// Returns the errors that were collected.
    pub fn check(&mut self) -> Result<()> {
        // A mistake in a function or a repetition occurs in each expansion.
        let mut places = HashSet::new();
        let errors = std::mem::take(&mut self.errors).into_iter();
        let mut is_new =
            |error: &Error, place: &Place| places.insert((place.line, place.column, error.cause().to_string()));
        let first = errors.filter(|error| error.place().is_none_or(|place| is_new(error, place)));
        Error::collect(first.collect())
    }

    /// Returns whether there are more errors than are reported.
    fn enough(&self) -> bool {
        self.errors.len() > MAX_ERRORS
    }

    pub fn tensors(&mut self, tensors: Option<&Node<'a>>) -> Result<()> {
        self.weights.open()?;
        for (name, node) in tensors.map_or(Ok(Vec::new()), Node::entries)? {
            if self.enough() {
                break;
            }
            if let Err(error) = self.declare(&name, &node) {
                self.errors.extend(error.into_each());
                match node.fill(&name) {
                    Ok(name) if !node.text().contains("\"repeat\"") => drop(self.poisoned.insert(name)),
                    _ => self.has_unknown_outputs = true,
                }
            }
        }
        Ok(())
    }

    /// Makes a declaration, as often as it says.
    fn declare(&mut self, name: &str, node: &Node<'a>) -> Result<()> {
        let fields = node.fields(&tensors::KEYS)?;
        let Some(repeat) = fields.get("repeat") else {
            return declare(&mut self.graph, &node.fill(name)?, node, &fields, &mut self.weights);
        };
        for node in node.repeated(repeat)? {
            let fields = node.fields(&tensors::KEYS)?;
            declare(&mut self.graph, &node.fill(name)?, &node, &fields, &mut self.weights)?;
        }
        Ok(())
    }

    /// Declares a tensor of the weights files, unless there is a tensor of that name, or none in the files.
    pub(super) fn declare_from_weights(&mut self, name: &str) -> Result<()> {
        if self.graph.lookup(name).is_some() || self.poisoned.contains(name) {
            return Ok(());
        }
        let Some((dtype, shape)) = self.weights.type_of(name)? else {
            return Ok(());
        };
        let data = self.weights.data(name, dtype, &shape)?;
        // Coefficients belong to no scope.
        let scope = self.graph.enter_root();
        let declared = self.graph.add_tensor(Some(name), dtype, shape, TensorKind::Coefficient(data));
        self.graph.leave_scope(scope);
        declared.map(drop)
    }

    /// Returns the tensors of a list of names; `None` if some do not exist, which is recorded.
    fn names(&mut self, node: &Node) -> Result<Option<Vec<Tensor>>> {
        let mut all = Some(Vec::new());
        for item in node.items()? {
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
        let before = (self.siblings.replace(node.clone()), self.later.take());
        let read = node.list().map(|nodes| self.listed(&nodes));
        (self.siblings, self.later) = before;
        read
    }

    fn listed(&mut self, nodes: &[Node<'a>]) {
        for (i, op) in nodes.iter().enumerate() {
            if self.enough() {
                break;
            }
            if let Err(error) = self.repeated(i, op) {
                self.has_unknown_outputs |= !named(op);
                let placed = |e: Error| e.numbered(i).at(op.place());
                self.errors.extend(error.into_each().into_iter().map(placed));
            }
        }
    }

    /// Makes a call as often as it says.
    fn repeated(&mut self, index: usize, node: &Node<'a>) -> Result<()> {
        let fields = node.fields(&OP_KEYS)?;
        let Some(repeat) = fields.get("repeat") else {
            return self.op(index, node, &fields);
        };
        let errors = self.errors.len();
        for node in node.repeated(repeat)? {
            let made = self.op(index, &node, &node.fields(&OP_KEYS)?);
            if made.is_err() || self.errors.len() > errors {
                // The other repetitions have the same error.
                self.has_unknown_outputs = true;
                return made.map_err(|e| e.at(node.place()));
            }
        }
        Ok(())
    }

    fn op(&mut self, index: usize, node: &Node<'a>, fields: &Fields<'a>) -> Result<()> {
        node.count_call()?;
        let outs = out_names(fields)?;
        let (warnings, calls) = (self.graph.recorded_warnings(), self.graph.recorded_calls());
        let result = self.call(index, fields, outs.clone());
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
        // The sizes of expansions are known before their parameters are.
        if op.has_expressions() {
            return Err(op.problem("the name of a function cannot be an expression; write it out"));
        }
        let name: String = op.read()?;
        let callee = self.callee(&name).map_err(|e| e.at(op.place()))?;
        if matches!(callee, Callee::SpecFunction) {
            self.check_expansion(&name).map_err(|e| e.at(op.place()))?;
        }
        let args = fields.need("args")?;
        if args.text().starts_with(['[', '"']) {
            return Err(args.expected("an object with the arguments by name, as in {\"input\": \"x\"}"));
        }
        let entries = args.object()?;
        for (key, node) in &entries {
            if !self.takes_tensors(&callee, &name, key) {
                continue;
            }
            for tensor in names_in(node) {
                if self.poisoned.contains(&tensor) {
                    return Ok(false);
                }
                self.declare_from_weights(&tensor).map_err(|e| e.at(node.place()))?;
                if self.has_unknown_outputs && self.graph.lookup(&tensor).is_none() {
                    return Ok(false);
                }
            }
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
        let results = self.ops(ops).and_then(|()| self.results(outputs));
        let block = self.graph.end_block(results.as_ref().ok().cloned().flatten().unwrap_or_default());
        Ok(if results?.is_some() { Some(block?) } else { None })
    }

    /// Returns the results of a block, which may be coefficients.
    fn results(&mut self, outputs: &Node) -> Result<Option<Vec<Tensor>>> {
        for node in outputs.items()? {
            self.declare_from_weights(&node.read::<String>()?).map_err(|e| e.at(node.place()))?;
        }
        self.names(outputs)
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

    /// Returns whether an argument accepts tensors.
    fn takes_tensors(&self, callee: &Callee, name: &str, argument: &str) -> bool {
        match callee {
            Callee::SpecFunction => !self.functions.is_param(name, argument),
            Callee::Op(def) => def.operands.iter().any(|o| o.name == argument),
            Callee::Function => function_def(name)
                .is_ok_and(|f| f.arguments().iter().any(|a| a.name == argument && a.type_name.contains("tensor"))),
        }
    }

    /// Adds the position of the argument that a call's error concerns.
    fn located(&mut self, error: Error, index: usize, entries: &[(String, Node)]) -> Error {
        if error.each().len() > 1 {
            let each = error.into_each().into_iter().map(|e| self.located(e, index, entries)).collect();
            return Error::from(Cause::Many(each));
        }
        if let Cause::UnknownName { kind: "tensor", name, nearest, known } = error.cause() {
            let place = entries.iter().find(|(_, n)| names_in(n).contains(name)).map(|(_, n)| n.place());
            let better = match self.later().get(name) {
                Some(&at) => later(&error, name, at, index),
                None => in_call_of(&error, self.unknown(name, nearest.as_deref(), known)),
            };
            return place.into_iter().fold(better, Error::at);
        }
        let Some(about) = error.argument() else {
            return error;
        };
        let (name, path) = about.split_at(about.find('[').unwrap_or(about.len()));
        let place = entries.iter().find(|(k, _)| k == name).map(|(_, n)| n.part(path).place());
        place.into_iter().fold(error, Error::at)
    }

    /// Returns the outputs of the operators that are being read.
    fn later(&mut self) -> &HashMap<String, usize> {
        let siblings = self.siblings.as_ref();
        self.later.get_or_insert_with(|| {
            let mut later = HashMap::new();
            for (i, op) in siblings.and_then(|node| node.list().ok()).unwrap_or_default().iter().enumerate() {
                let Ok(fields) = op.fields(&OP_KEYS) else { continue };
                let names = |fields: &Fields| out_names(fields).ok().flatten().unwrap_or_default();
                let Some(repeat) = fields.get("repeat") else {
                    later.extend(names(&fields).into_iter().map(|name| (name, i)));
                    continue;
                };
                for op in op.repeated(repeat).into_iter().flatten() {
                    let Ok(fields) = op.fields(&OP_KEYS) else { break };
                    later.extend(names(&fields).into_iter().map(|name| (name, i)));
                    if later.len() > MAX_LATER {
                        break;
                    }
                }
            }
            later
        })
    }

    /// Creates the error about a tensor that does not exist.
    fn unknown(&self, name: &str, nearest: Option<&str>, known: &[String]) -> Error {
        if self.weights.is_unread() {
            let problem = format!(
                "unknown tensor {name:?}; it is not declared in \"tensors\", and the spec's weights, which may have it, are \
                 not read here"
            );
            return invalid(problem);
        }
        let nearest = self.weights.nearest(name, nearest);
        let mut known = if nearest.is_none() { known.to_vec() } else { Vec::new() };
        if !known.is_empty() {
            // An array of the weights would do, too.
            known.extend(self.weights.names().take(MAX_LISTED + 1));
            known.sort_unstable();
            known.dedup();
            if known.len() > MAX_LISTED {
                known.clear();
            }
        }
        Cause::UnknownName { kind: "tensor", name: name.to_owned(), nearest, known }.into()
    }

    pub fn outputs(&mut self, node: &Node) -> Result<()> {
        if let Some(outputs) = self.names(node)?
            && let Err(error) = self.graph.set_outputs(&outputs)
        {
            let is_computed = |t: &Tensor| self.graph.tensor(*t).is_ok_and(|info| info.kind == TensorKind::Value);
            let at = outputs.iter().position(|t| !is_computed(t)).and_then(|i| node.items().ok()?.into_iter().nth(i));
            self.errors.push(error.at(at.as_ref().unwrap_or(node).place()));
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
    in_call_of(error, Cause::Shape(problem).into())
}

/// Attaches the call of another error.
fn in_call_of(error: &Error, new: Error) -> Error {
    error.call().cloned().into_iter().fold(new, Error::in_call)
}

fn values(entries: &[(String, Node)]) -> Result<IndexMap<String, Value>> {
    entries.iter().map(|(k, n)| Ok((k.clone(), value(n)?))).collect()
}

fn value(node: &Node) -> Result<Value> {
    match node.has_repeated() {
        true => node.items()?.iter().map(Node::read).collect::<Result<_>>().map(Value::List),
        false => node.read(),
    }
}

/// Returns the strings in an argument: the names of tensors, if it accepts tensors.
fn names_in(node: &Node) -> Vec<String> {
    match node.text().as_bytes().first() {
        Some(b'"') => node.peek().map(|name| vec![name]).unwrap_or_default(),
        Some(b'[') if node.has_repeated() => node.items().unwrap_or_default().iter().filter_map(Node::peek).collect(),
        Some(b'[') => node.peek().unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Returns whether an operator names its outputs.
fn named(op: &Node) -> bool {
    op.fields(&OP_KEYS).is_ok_and(|fields| matches!(out_names(&fields), Ok(Some(_))))
}

/// Returns the names of the outputs; an absent output has an empty name.
pub(super) fn out_names(fields: &Fields) -> Result<Option<Vec<String>>> {
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

/// Reads the parameters of a spec, with the values that are given in place of their defaults.
///
/// # Errors
/// Returns an error if a parameter is not valid, has no value, or is given a value of another kind; or if there is no
/// parameter of a given name.
pub(super) fn params(root: &Node, node: Option<&Node>, given: &IndexMap<String, Param>) -> Result<Rc<Variables>> {
    let mut variables = root.variables().clone();
    let mut names = Vec::new();
    for (name, node) in node.map_or(Ok(Vec::new()), Node::entries)? {
        check_identifier(&name).map_err(|problem| node.problem(problem))?;
        // The default may depend on the parameters before it.
        let default: Option<Param> = node.with(variables.clone()).read()?;
        let missing = || misfit(format!("the parameter {name}"), "has no default; give it a value").at(node.place());
        let value = given.get(&name).cloned().or_else(|| default.clone()).ok_or_else(missing)?;
        let value = value.like(default.as_ref()).map_err(|problem| misfit(format!("the parameter {name}"), problem))?;
        variables = Variables::with(&variables, vec![(name.clone(), value)]);
        names.push(name);
    }
    let unknown = given.keys().filter(|name| !names.contains(name)).map(|name| {
        let hint = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near:?}?"),
            None if names.is_empty() => "the spec has no \"params\"".into(),
            None => format!("the spec has {}", truncated(&names.join(", "))),
        };
        invalid(format!("there is no parameter {:?}; {hint}", truncated(name)))
    });
    Error::collect(unknown.collect())?;
    Ok(variables)
}
