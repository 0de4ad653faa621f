//! Tensors, calls and outputs of a spec. Mistakes are collected; what merely follows from one is not told.
use super::{
    node::{Fields, Node},
    tensors::declare,
};
use crate::{
    array::WeightFile,
    base::{Cause, Dtype, Error, MAX_ERRORS, Result, Shape, argument, counted, misfit, shown},
    functions::{self, ByName, Named, Value, function_def},
    graph::{Block, Graph, Tensor, TensorInfo},
    ops::{OpDef, op_def},
    quant::Quantization,
};
use indexmap::{IndexMap, IndexSet};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

const OP_KEYS: [&str; 9] = ["op", "args", "out", "out_quant", "out_dtype", "out_shape", "then", "else", "body"];
/// More calls than any network has; functions that call functions could ask for any number.
const MAX_CALLS: usize = 10_000_000;
/// How deep functions may call functions.
const MAX_DEPTH: usize = 32;

pub(super) struct Reader<'a> {
    graph: Graph,
    errors: Vec<Error>,
    /// Names that a mistake keeps from existing: what uses them is not told as another mistake.
    spoiled: HashSet<String>,
    /// A mistake kept an operator from saying what its outputs are called: any unknown name may be one of them.
    blind: bool,
    /// Outputs of the operators by name, with the operator's index.
    later: HashMap<String, usize>,
    functions: IndexMap<String, Function<'a>>,
    /// The functions that are being made, each called by the one before it.
    within: Vec<String>,
}

/// A function of the spec.
#[derive(Clone)]
struct Function<'a> {
    inputs: Vec<String>,
    ops: Node<'a>,
    outputs: Vec<String>,
}

/// What a call is of.
enum Callee {
    Function,
    Op(&'static OpDef),
    OfSpec(String),
}

impl<'a> Reader<'a> {
    pub fn new(graph: Graph) -> Self {
        Reader {
            graph,
            errors: Vec::new(),
            spoiled: HashSet::new(),
            blind: false,
            later: HashMap::new(),
            functions: IndexMap::new(),
            within: Vec::new(),
        }
    }
    pub fn finish(self) -> Result<Graph> {
        Error::collect(self.errors)?;
        Ok(self.graph)
    }

    /// Whether there are more mistakes than are told.
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
                    if !self.spoiled.contains(&name) && !self.blind {
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
                    format!("{name:?} is a coefficient; inputs are declared without \"coeff\": true")
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

    pub fn functions(&mut self, node: &Node<'a>) -> Result<()> {
        for (name, body) in node.object()? {
            let fields = body.fields(&["inputs", "ops", "outputs"])?;
            if function_def(&name).is_ok() || name.starts_with("top.") {
                return Err(
                    body.problem(format!("{name:?} is the name of one of tpulang's functions or ops; choose another"))
                );
            }
            let (inputs, outputs) = (fields.need("inputs")?.read()?, fields.need("outputs")?.read::<Vec<String>>()?);
            if outputs.is_empty() {
                return Err(fields.need("outputs")?.problem("a function has at least one output"));
            }
            self.functions.insert(name, Function { inputs, ops: fields.need("ops")?.clone(), outputs });
        }
        Ok(())
    }

    pub fn ops(&mut self, node: &Node<'a>) -> Result<()> {
        let nodes = node.list()?;
        let before = std::mem::take(&mut self.later);
        for (i, op) in nodes.iter().enumerate() {
            if let Ok(fields) = op.fields(&OP_KEYS)
                && let Ok(outs) = out_names(&fields)
            {
                self.later.extend(outs.unwrap_or_default().into_iter().map(|name| (name, i)));
            }
        }
        for (i, op) in nodes.iter().enumerate() {
            if self.enough() {
                break;
            }
            if let Err(error) = self.op(i, op) {
                self.blind |= !named(op);
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
        let warnings = self.graph.recorded_warnings();
        let result = self.call(index, &fields, outs.clone());
        self.graph.locate_warnings(warnings, || node.place());
        if !matches!(result, Ok(true)) {
            self.spoiled.extend(outs.unwrap_or_default());
            // The name that it would have got.
            if let Some(Ok(op)) = fields.get("op").map(Node::read::<String>) {
                self.spoiled.insert(format!("{op}_{index}"));
            }
        }
        result.map(|_| ())
    }

    fn callee(&self, name: &str) -> Result<Callee> {
        if self.functions.contains_key(name) {
            return Ok(Callee::OfSpec(name.to_owned()));
        }
        match name.strip_prefix("top.") {
            Some(op) => op_def(op).map(Callee::Op),
            None => function_def(name).map(|_| Callee::Function),
        }
    }

    /// Makes a call; false if it was left out because it uses what an earlier mistake spoiled.
    fn call(&mut self, index: usize, fields: &Fields<'a>, outs: Option<Vec<String>>) -> Result<bool> {
        if self.graph.calls_made() >= MAX_CALLS {
            return Err(misfit("the spec", format!("makes more than {MAX_CALLS} calls")));
        }
        let op = fields.need("op")?;
        let name: String = op.read()?;
        let callee = self.callee(&name).map_err(|e| e.at(op.place()))?;
        let args = fields.need("args")?;
        let entries = args.object()?;
        if entries
            .iter()
            .any(|(key, n)| takes_tensors(&callee, &name, key) && names_in(n).iter().any(|t| self.spoiled.contains(t)))
        {
            return Ok(false);
        }
        let named = Named { out: outs, out_quant: out_quant(fields)? };
        let made = match callee {
            Callee::OfSpec(function) => return self.of_spec(&function, &entries, named).map(|()| true),
            Callee::Op(def) => self.of_op(def, &name, fields, &entries, named),
            Callee::Function => {
                let args = values(&entries)?;
                functions::call_with(&mut self.graph, &name, ByName { args, named, ..ByName::default() })
            }
        };
        made.map(|_| true).map_err(|e| self.located(e, index, &entries))
    }

    /// A call of an op by itself.
    fn of_op(
        &mut self,
        def: &OpDef,
        name: &str,
        fields: &Fields<'a>,
        entries: &[(String, Node<'a>)],
        named: Named,
    ) -> Result<Vec<Tensor>> {
        let mut blocks = Vec::new();
        for block in def.blocks {
            // `then_branch` is written as `then`.
            let key = block.trim_end_matches("_branch");
            blocks.push(self.block(fields.need(key)?)?);
        }
        let args = values(entries)?;
        let (dtypes, shapes) = (one_or_list::<Dtype>(fields, "out_dtype")?, shapes(fields)?);
        functions::call_with(&mut self.graph, name, ByName { args, named, dtypes, shapes, blocks })
    }

    /// A block that an op owns.
    fn block(&mut self, node: &Node<'a>) -> Result<Block> {
        let fields = node.fields(&["ops", "outputs"])?;
        let none: [(String, Dtype, Shape); 0] = [];
        self.graph.begin_block(none)?;
        self.ops(fields.need("ops")?)?;
        let outputs = self.names(fields.need("outputs")?)?;
        self.graph.end_block(outputs.unwrap_or_default())
    }

    /// A call of a function of the spec: its calls are made again, in a scope of the call's name.
    fn of_spec(&mut self, name: &str, entries: &[(String, Node<'a>)], named: Named) -> Result<()> {
        if self.within.iter().any(|f| f == name) || self.within.len() >= MAX_DEPTH {
            let chain = self.within.join(" calls ");
            return Err(misfit(
                name,
                format!("calls itself, or functions call each other too deep ({chain} calls {name})"),
            ));
        }
        let function = self.functions[name].clone();
        let (bound, shared) = self.arguments(name, &function, entries)?;
        let single = function.outputs.len() == 1;
        let outs = match named.out {
            Some(names) if names.len() == function.outputs.len() => names,
            Some(names) if names.len() == 1 => function.outputs.iter().map(|o| format!("{}_{o}", names[0])).collect(),
            Some(names) => {
                let expected = format!("{name} has {}", counted(function.outputs.len(), "output"));
                return Err(argument("out", counted(names.len(), "name"), expected));
            }
            None if single => vec![self.graph.free_name(name)],
            None => {
                let stem = self.graph.free_name(name);
                function.outputs.iter().map(|o| format!("{stem}_{o}")).collect()
            }
        };
        self.within.push(name.to_owned());
        let errors = self.errors.len();
        let results = self.body(&outs[0], &function, bound.into_iter().chain(shared).collect());
        self.within.pop();
        let results = results?;
        if self.errors.len() > errors {
            self.spoiled.extend(outs);
            return Ok(());
        }
        for ((tensor, out), quant) in
            results.iter().zip(&outs).zip(named.out_quant.iter().chain(std::iter::repeat(&None)))
        {
            self.graph.rename(*tensor, out)?;
            quant.as_ref().map_or(Ok(()), |q| self.graph.quantize(*tensor, q))?;
        }
        Ok(())
    }

    /// What the names of a function mean in a call: its inputs, and coefficients that the call gives instead.
    #[expect(clippy::type_complexity, reason = "two lists of names with their tensors")]
    fn arguments(
        &self,
        name: &str,
        function: &Function,
        entries: &[(String, Node)],
    ) -> Result<(Vec<(String, Tensor)>, Vec<(String, Tensor)>)> {
        let (mut inputs, mut instead) = (Vec::new(), Vec::new());
        for (key, node) in entries {
            let tensor: String = node.read()?;
            let tensor = self.graph.find(&tensor).map_err(|e| e.at(node.place()))?;
            if function.inputs.contains(key) {
                inputs.push((key.clone(), tensor));
            } else if self.graph.find(key).and_then(|t| self.graph.tensor(t)).is_ok_and(TensorInfo::is_coefficient) {
                instead.push((key.clone(), tensor));
            } else {
                let hint = format!("its inputs are {}", function.inputs.join(", "));
                return Err(Error::from(Cause::UnknownArgument { argument: shown(key), hint }).at(node.place()));
            }
        }
        let missing = function.inputs.iter().filter(|i| !entries.iter().any(|(k, _)| k == *i));
        let missing = missing.map(|i| misfit(i, format!("is missing in the call of {name}"))).collect();
        Error::collect(missing)?;
        Ok((inputs, instead))
    }

    /// The calls of a function's body.
    fn body(&mut self, scope: &str, function: &Function<'a>, bound: HashMap<String, Tensor>) -> Result<Vec<Tensor>> {
        let graph = &mut self.graph;
        let outer = graph.enter_function(scope, bound)?;
        // Names within are of their own: what is spoiled outside is not meant.
        let spoiled = std::mem::take(&mut self.spoiled);
        let done = self.ops(&function.ops);
        let results: Result<Vec<Tensor>> = function.outputs.iter().map(|o| self.graph.find(o)).collect();
        let broken = !self.errors.is_empty();
        self.spoiled = spoiled;
        self.graph.leave_function(outer);
        done?;
        let results = if broken && results.is_err() { return Ok(Vec::new()) } else { results? };
        for t in &results {
            let info = self.graph.tensor(*t)?;
            if info.kind != crate::graph::TensorKind::Value {
                return Err(argument(
                    "outputs",
                    format!("{:?}", info.name),
                    "an output of a function must be computed in it",
                ));
            }
        }
        Ok(results)
    }

    /// Places a call's error at the argument that it is about.
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

/// A tensor that is known, but not yet.
fn later(error: &Error, name: &str, at: usize, index: usize) -> Error {
    let what = if at == index {
        "this operator's own output".into()
    } else {
        format!("the output of ops[{at}], which comes later")
    };
    let problem = format!("the tensor {name:?} is {what}; operators stand in the order of computation, without cycles");
    error.call().cloned().into_iter().fold(Error::from(Cause::Shape(problem)), Error::in_call)
}

/// Whether an argument is a tensor, or tensors.
fn takes_tensors(callee: &Callee, name: &str, argument: &str) -> bool {
    match callee {
        Callee::OfSpec(_) => true,
        Callee::Op(def) => def.operands.iter().any(|o| o.name == argument),
        Callee::Function => function_def(name)
            .is_ok_and(|f| f.arguments().iter().any(|a| a.name == argument && a.type_name.contains("tensor"))),
    }
}

fn values(entries: &[(String, Node)]) -> Result<IndexMap<String, Value>> {
    entries.iter().map(|(k, n)| Ok((k.clone(), n.read()?))).collect()
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

/// The names of outputs; an empty one stands for an output that is absent.
fn out_names(fields: &Fields) -> Result<Option<Vec<String>>> {
    let names = one_or_list::<String>(fields, "out")?;
    Ok((!names.is_empty()).then(|| names.into_iter().map(Option::unwrap_or_default).collect()))
}

fn out_quant(fields: &Fields) -> Result<Vec<Option<Quantization>>> {
    one_or_list(fields, "out_quant")
}

/// A value for the only output, or a list of one each, null where there is none.
fn one_or_list<T: for<'de> serde::Deserialize<'de>>(fields: &Fields, key: &str) -> Result<Vec<Option<T>>> {
    match fields.get(key) {
        None => Ok(Vec::new()),
        Some(node) if node.text().starts_with('[') => node.read(),
        Some(node) => node.read().map(|v| vec![Some(v)]),
    }
}

/// A shape, or a list of them.
fn shapes(fields: &Fields) -> Result<Vec<Option<Shape>>> {
    match fields.get("out_shape") {
        None => Ok(Vec::new()),
        Some(node) => match node.peek::<Shape>() {
            Some(shape) => Ok(vec![Some(shape)]),
            None => node.read(),
        },
    }
}
