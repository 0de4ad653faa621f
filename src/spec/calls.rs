//! Calls of a spec: of functions, of ops with their blocks, and repeated ones.
use super::{
    node::{Fields, Node},
    read::Reader,
    references::names_in,
    tensors::{Declared, argument},
};
use crate::{
    base::{Dtype, Error, Result, Shape},
    functions::{self, ByName, Named, Value, function_def},
    graph::{Block, Tensor},
    ops::{OpDef, op_def},
    quant::Quantization,
};
use indexmap::IndexMap;

pub(super) const OP_KEYS: [&str; 10] =
    ["op", "repeat", "args", "out", "out_quant", "out_dtype", "out_shape", "then", "else", "body"];

enum Callee {
    Function,
    Op(&'static OpDef),
    SpecFunction,
}

impl<'a> Reader<'a> {
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
        self.graph.locate_tensors(|| node.place());
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
            Callee::SpecFunction => return self.expand(&name, fields, &entries, named).map(|()| true),
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
