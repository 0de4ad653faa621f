//! Functions of a spec. A call of a function is expanded: the calls of its body are made in their own scope.
use super::{node::Node, read::Reader};
use crate::{
    base::{Cause, Error, Result, argument, misfit, pluralized, truncated},
    functions::{Named, function_def},
    graph::{MAX_NESTED_BLOCKS, Tensor, TensorInfo, TensorKind},
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::HashMap};

/// Maximum number of calls of a spec, including those of expanded functions.
pub(super) const MAX_CALLS: usize = 1_000_000;
/// Maximum depth of functions that call functions.
const MAX_DEPTH: usize = 32;

/// The functions of a spec, by name.
#[derive(Default)]
pub(super) struct Functions<'a> {
    by_name: HashMap<String, Function<'a>>,
    expansions: HashMap<String, Expansion>,
}

#[derive(Clone)]
struct Function<'a> {
    inputs: Vec<String>,
    ops: Node<'a>,
    outputs: Vec<String>,
}

/// The size of an expanded call.
#[derive(Clone, Copy)]
struct Expansion {
    /// Number of calls, saturating.
    calls: usize,
    /// Depth of functions that call functions.
    depth: usize,
}

/// The parts of an operator that are read in advance. Errors are reported when the operator itself is read.
#[derive(Deserialize)]
pub(super) struct Outline<'a> {
    #[serde(borrow, default)]
    op: Cow<'a, str>,
    out: Option<Names>,
    #[serde(borrow)]
    then: Option<&'a RawValue>,
    #[serde(borrow)]
    r#else: Option<&'a RawValue>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Many(Vec<Option<String>>),
}

impl Outline<'_> {
    /// Returns the names of the outputs that are given.
    pub fn outputs(self) -> Vec<String> {
        match self.out {
            None => Vec::new(),
            Some(Names::One(name)) => vec![name],
            Some(Names::Many(names)) => names.into_iter().flatten().collect(),
        }
    }
}

/// The operators of a block.
#[derive(Deserialize)]
struct BlockOutline<'a> {
    #[serde(borrow)]
    ops: Vec<&'a RawValue>,
}

fn outline<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

impl<'a> Functions<'a> {
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Returns the number of calls that a call of `name` expands to.
    ///
    /// # Errors
    /// Returns an error if a function calls itself, or if functions call each other more than [`MAX_DEPTH`] deep.
    pub fn expanded_calls(&mut self, name: &str) -> Result<usize> {
        self.expansion(name, &mut Vec::new()).map(|e| e.calls)
    }

    fn expansion(&mut self, name: &str, call_stack: &mut Vec<String>) -> Result<Expansion> {
        let chain = |stack: &[String]| truncated(&format!("{} calls {name}", stack.join(" calls ")));
        if call_stack.iter().any(|f| f == name) {
            return Err(misfit(name, format!("calls itself ({})", chain(call_stack))));
        }
        let expansion = match (self.expansions.get(name), self.by_name.get(name)) {
            (Some(known), _) => *known,
            (None, Some(function)) if call_stack.len() < MAX_DEPTH => {
                let ops: Vec<&RawValue> = function.ops.peek().unwrap_or_default();
                call_stack.push(name.to_owned());
                let body = self.body_expansion(&ops, 0, call_stack)?;
                call_stack.pop();
                let expansion = Expansion { depth: body.depth + 1, ..body };
                self.expansions.insert(name.to_owned(), expansion);
                expansion
            }
            _ => Expansion { calls: 0, depth: 1 },
        };
        if call_stack.len() + expansion.depth > MAX_DEPTH {
            let problem = format!(
                "is called at depth {}; functions may call functions up to {MAX_DEPTH} deep",
                call_stack.len() + expansion.depth
            );
            return Err(misfit(name, problem));
        }
        Ok(expansion)
    }

    /// Returns the expansion of operators, including those of nested blocks.
    fn body_expansion(&mut self, ops: &[&RawValue], nesting: usize, call_stack: &mut Vec<String>) -> Result<Expansion> {
        let mut all = Expansion { calls: 0, depth: 0 };
        for op in ops.iter().filter_map(|op| outline::<Outline>(op)) {
            all.calls = all.calls.saturating_add(1);
            let mut parts = Vec::new();
            if self.contains(&op.op) {
                parts.push(self.expansion(&op.op, call_stack)?);
            }
            // Deeper blocks are rejected when they are read.
            if nesting < MAX_NESTED_BLOCKS {
                for block in [op.then, op.r#else, op.body].into_iter().flatten().filter_map(outline::<BlockOutline>) {
                    parts.push(self.body_expansion(&block.ops, nesting + 1, call_stack)?);
                }
            }
            for part in parts {
                all.calls = all.calls.saturating_add(part.calls);
                all.depth = all.depth.max(part.depth);
            }
        }
        Ok(all)
    }
}

impl<'a> Reader<'a> {
    /// Reads the definitions of functions.
    pub fn functions(&mut self, node: &Node<'a>) -> Result<()> {
        for (name, body) in node.object()? {
            let fields = body.fields(&["inputs", "ops", "outputs"])?;
            if function_def(&name).is_ok() || name.starts_with("top.") {
                let problem =
                    format!("{:?} is the name of a built-in function or op; choose another", truncated(&name));
                return Err(body.problem(problem));
            }
            let (inputs, outputs) = (fields.need("inputs")?.read()?, fields.need("outputs")?.read::<Vec<String>>()?);
            if outputs.is_empty() {
                return Err(fields.need("outputs")?.problem("a function has at least one output"));
            }
            let function = Function { inputs, ops: fields.need("ops")?.clone(), outputs };
            self.functions.by_name.insert(name, function);
        }
        Ok(())
    }

    /// Expands a call of the function `name`. Its size was checked before ([`Functions::expanded_calls`]).
    pub(super) fn expand(&mut self, name: &str, entries: &[(String, Node<'a>)], named: Named) -> Result<()> {
        let function = self.functions.by_name[name].clone();
        let bound = self.arguments(name, &function, entries)?;
        let outs = self.output_names(name, &function, named.out)?;
        let errors = self.errors.len();
        let results = self.body(&outs[0], &function, bound)?;
        if self.errors.len() > errors {
            self.poisoned.extend(outs);
            return Ok(());
        }
        let quants = named.out_quant.iter().chain(std::iter::repeat(&None));
        for ((tensor, out), quant) in results.iter().zip(&outs).zip(quants) {
            self.graph.rename(*tensor, out)?;
            quant.as_ref().map_or(Ok(()), |q| self.graph.quantize(*tensor, q))?;
        }
        Ok(())
    }

    /// Returns the names of a call's outputs: as given, or derived from a single name or the function's name.
    fn output_names(&self, name: &str, function: &Function, given: Option<Vec<String>>) -> Result<Vec<String>> {
        let outputs = &function.outputs;
        let stem = match given {
            Some(names) if names.len() == outputs.len() => return Ok(names),
            Some(names) if names.len() == 1 => names[0].clone(),
            Some(names) => {
                let expected = format!("{name} has {}", pluralized(outputs.len(), "output"));
                return Err(argument("out", pluralized(names.len(), "name"), expected));
            }
            None => self.graph.free_name(name),
        };
        Ok(if outputs.len() == 1 { vec![stem] } else { outputs.iter().map(|o| format!("{stem}_{o}")).collect() })
    }

    /// Returns the tensors that a call binds to names of the body: inputs, and coefficients that it replaces.
    fn arguments(
        &self,
        name: &str,
        function: &Function,
        entries: &[(String, Node)],
    ) -> Result<HashMap<String, Tensor>> {
        let mut bound = HashMap::new();
        for (key, node) in entries {
            let tensor: String = node.read()?;
            let tensor = self.graph.find(&tensor).map_err(|e| e.at(node.place()))?;
            let is_coefficient =
                || self.graph.find(key).and_then(|t| self.graph.tensor(t)).is_ok_and(TensorInfo::is_coefficient);
            if !function.inputs.contains(key) && !is_coefficient() {
                let hint = format!("its inputs are {}", function.inputs.join(", "));
                return Err(Error::from(Cause::UnknownArgument { argument: truncated(key), hint }).at(node.place()));
            }
            bound.insert(key.clone(), tensor);
        }
        let missing = function.inputs.iter().filter(|i| !bound.contains_key(*i));
        let missing = missing.map(|i| misfit(i, format!("is missing in the call of {name}"))).collect();
        Error::collect(missing)?;
        Ok(bound)
    }

    /// Makes the calls of a function's body in the scope `scope`; returns its outputs.
    fn body(&mut self, scope: &str, function: &Function<'a>, bound: HashMap<String, Tensor>) -> Result<Vec<Tensor>> {
        let outer = self.graph.enter_function(scope, bound)?;
        // The body has its own names, so poisoned names outside do not matter.
        let poisoned = std::mem::take(&mut self.poisoned);
        let done = self.ops(&function.ops);
        let results: Result<Vec<Tensor>> = function.outputs.iter().map(|o| self.graph.find(o)).collect();
        let failed = !self.errors.is_empty();
        self.poisoned = poisoned;
        self.graph.leave_scope(outer);
        done?;
        let results = if failed && results.is_err() { return Ok(Vec::new()) } else { results? };
        for t in &results {
            let info = self.graph.tensor(*t)?;
            if info.kind != TensorKind::Value {
                let expected = "an output of a function must be computed in it";
                return Err(argument("outputs", format!("{:?}", info.name), expected));
            }
        }
        Ok(results)
    }
}
