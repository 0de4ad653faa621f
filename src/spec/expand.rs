//! Functions of a spec. A call of a function is expanded: the calls of its body are made in their own scope.
use super::{
    node::{Fields, MAX_CALLS, Node, check_identifier},
    params::{Param, Variables},
    read::Reader,
};
use crate::{
    base::{Cause, Error, Result, argument, misfit, pluralized, truncated},
    functions::{Named, function_def},
    graph::{MAX_NESTED_BLOCKS, Tensor, TensorInfo, TensorKind},
};
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::HashMap, rc::Rc};

/// Maximum depth of functions that call functions.
const MAX_DEPTH: usize = 32;

/// The functions of a spec, by name.
#[derive(Default)]
pub(super) struct Functions<'a> {
    by_name: HashMap<String, Rc<Function<'a>>>,
    expansions: HashMap<String, Expansion>,
}

struct Function<'a> {
    inputs: IndexSet<String>,
    /// Parameters with their defaults; those without one are required.
    params: IndexMap<String, Option<Param>>,
    /// The defaults, as its calls see them.
    defaults: Rc<Variables>,
    ops: Node<'a>,
    outputs: Node<'a>,
}

/// What a call passes to a function.
struct Passed {
    /// Tensors by their names in the body: inputs, and coefficients that are replaced.
    tensors: HashMap<String, Tensor>,
    params: IndexMap<String, Param>,
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
struct Outline<'a> {
    #[serde(borrow, default)]
    op: Cow<'a, str>,
    /// The number of repetitions, unless it is an expression.
    repeat: Option<serde_json::Value>,
    #[serde(borrow)]
    then: Option<&'a RawValue>,
    #[serde(borrow)]
    r#else: Option<&'a RawValue>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

impl Outline<'_> {
    /// Returns the number of repetitions. One that is not known yet is checked when the calls are made.
    fn repetitions(&self) -> usize {
        use serde_json::Value;
        let values = match &self.repeat {
            Some(Value::Object(named)) => named.values().next(),
            other => other.as_ref(),
        };
        match values {
            Some(Value::Number(n)) => n.as_u64().map_or(1, |n| usize::try_from(n).unwrap_or(usize::MAX)),
            Some(Value::Array(list)) => list.len(),
            _ => 1,
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

    /// Whether an argument of the function is a parameter, not a tensor.
    pub fn is_param(&self, function: &str, argument: &str) -> bool {
        self.by_name.get(function).is_some_and(|f| f.params.contains_key(argument))
    }

    /// Returns the number of calls that a call of `name` expands to, or fewer if it depends on parameters.
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
                let ops: Vec<&RawValue> = function.ops.outline().unwrap_or_default();
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
            let mut calls = 1_usize;
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
                calls = calls.saturating_add(part.calls);
                all.depth = all.depth.max(part.depth);
            }
            all.calls = all.calls.saturating_add(calls.saturating_mul(op.repetitions()));
        }
        Ok(all)
    }
}

impl<'a> Reader<'a> {
    /// Reads the definitions of functions.
    pub fn functions(&mut self, node: &Node<'a>) -> Result<()> {
        for (name, body) in node.object()? {
            let fields = body.fields(&["params", "inputs", "ops", "outputs"])?;
            if function_def(&name).is_ok() || name.starts_with("top.") {
                let problem =
                    format!("{:?} is the name of a built-in function or op; choose another", truncated(&name));
                return Err(body.problem(problem));
            }
            let mut inputs = IndexSet::new();
            for node in fields.need("inputs")?.items()? {
                let input: String = node.read()?;
                if inputs.contains(&input) {
                    return Err(node.problem(format!("the input {:?} occurs twice", truncated(&input))));
                }
                inputs.insert(input);
            }
            let mut params = IndexMap::new();
            for (param, node) in fields.get("params").map_or(Ok(Vec::new()), Node::entries)? {
                check_identifier(&param).map_err(|problem| node.problem(problem))?;
                if inputs.contains(&param) {
                    return Err(node.problem(format!("{param:?} is an input and a parameter; it can be one of them")));
                }
                params.insert(param, node.read::<Option<Param>>()?);
            }
            let outputs = fields.need("outputs")?;
            if outputs.list()?.is_empty() {
                return Err(outputs.problem("a function has at least one output"));
            }
            let defaults = params.iter().filter_map(|(param, default)| Some((param.clone(), default.clone()?)));
            let defaults = Variables::with(&self.params, defaults);
            let ops = fields.need("ops")?.clone();
            let function = Function { inputs, params, defaults, ops, outputs: outputs.clone() };
            self.functions.by_name.insert(name, Rc::new(function));
        }
        Ok(())
    }

    /// Checks the size of a function's expansion before it is expanded.
    pub(super) fn check_expansion(&mut self, name: &str) -> Result<()> {
        let calls = self.functions.expanded_calls(name)?;
        if self.graph.calls_made().saturating_add(calls) > MAX_CALLS {
            let calls = if calls == usize::MAX { "too many".into() } else { calls.to_string() };
            return Err(misfit(name, format!("expands to {calls} calls; a spec may have {MAX_CALLS} in all")));
        }
        Ok(())
    }

    /// Expands a call of the function `name`. Its size was checked before ([`Reader::check_expansion`]).
    pub(super) fn expand(
        &mut self,
        name: &str,
        fields: &Fields<'a>,
        entries: &[(String, Node<'a>)],
        named: Named,
    ) -> Result<()> {
        let function = self.functions.by_name[name].clone();
        let Passed { tensors, params } = self.arguments(name, &function, entries)?;
        let variables = Variables::with(&function.defaults, params);
        let ops = function.ops.with(variables.clone());
        let outputs = different_strings(&function.outputs.with(variables))?;
        let outs = self.output_names(name, &outputs, named.out)?;
        let Some(scope) = outs.first() else { return Ok(()) };
        let errors = self.errors.len();
        let results = self.body(scope, &ops, &outputs, tensors)?;
        if self.errors.len() > errors {
            self.poisoned.extend(outs);
            return Ok(());
        }
        let quants = named.out_quant.iter().chain(std::iter::repeat(&None));
        for ((tensor, out), quant) in results.iter().zip(&outs).zip(quants) {
            self.graph.rename(*tensor, out)?;
            self.graph.relocate_tensor(*tensor, fields.place());
            quant.as_ref().map_or(Ok(()), |q| self.graph.quantize(*tensor, q))?;
        }
        Ok(())
    }

    /// Returns the names of a call's outputs: as given, or derived from a single name or the function's name.
    fn output_names(&self, name: &str, outputs: &[String], given: Option<Vec<String>>) -> Result<Vec<String>> {
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

    /// Returns what a call passes.
    fn arguments(&mut self, name: &str, function: &Function, entries: &[(String, Node)]) -> Result<Passed> {
        let mut passed = Passed { tensors: HashMap::new(), params: IndexMap::new() };
        for (key, node) in entries {
            if let Some(default) = function.params.get(key) {
                let value = node.read::<Param>()?.like(default.as_ref());
                passed.params.insert(key.clone(), value.map_err(|problem| misfit(key, problem).at(node.place()))?);
                continue;
            }
            if !function.inputs.contains(key) {
                self.declare_from_weights(key)?;
            }
            let is_coefficient =
                || self.graph.find(key).and_then(|t| self.graph.tensor(t)).is_ok_and(TensorInfo::is_coefficient);
            if !function.inputs.contains(key) && !is_coefficient() {
                let of = |kind: &str, names: Vec<&str>| match names.is_empty() {
                    true => String::new(),
                    false => format!("its {kind} are {}", names.join(", ")),
                };
                let inputs = of("inputs", function.inputs.iter().map(String::as_str).collect());
                let params = of("parameters", function.params.keys().map(String::as_str).collect());
                let hint = [inputs, params].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
                return Err(Error::from(Cause::UnknownArgument { argument: truncated(key), hint }).at(node.place()));
            }
            let tensor: String = node.read()?;
            let tensor = self.graph.find(&tensor).map_err(|e| e.at(node.place()))?;
            passed.tensors.insert(key.clone(), tensor);
        }
        let inputs = function.inputs.iter().filter(|i| !passed.tensors.contains_key(*i));
        let is_passed = |param: &String| passed.params.contains_key(param);
        let required = function.params.iter().filter(|(param, default)| default.is_none() && !is_passed(param));
        let missing = inputs.chain(required.map(|(param, _)| param));
        Error::collect(missing.map(|i| misfit(i, format!("is missing in the call of {name}"))).collect())?;
        Ok(passed)
    }

    /// Makes the calls of a function's body in the scope `scope`; returns its outputs.
    fn body(
        &mut self,
        scope: &str,
        ops: &Node<'a>,
        outputs: &[String],
        bound: HashMap<String, Tensor>,
    ) -> Result<Vec<Tensor>> {
        let outer = self.graph.enter_function(scope, bound)?;
        // The body has its own names, so poisoned names outside do not matter.
        let poisoned = std::mem::take(&mut self.poisoned);
        let done = self.ops(ops);
        let results: Result<Vec<Tensor>> = outputs.iter().map(|o| self.graph.find(o)).collect();
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

/// Reads a list of strings, each of which occurs once.
fn different_strings(node: &Node) -> Result<Vec<String>> {
    let mut all = IndexSet::new();
    for item in node.items()? {
        if let Some(twice) = all.replace(item.read::<String>()?) {
            return Err(item.problem(format!("{:?} occurs twice", truncated(&twice))));
        }
    }
    Ok(all.into_iter().collect())
}
