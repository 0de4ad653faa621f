//! Calls by name, with values whose types are known at run time only: of functions, and of ops (`top.Relu`).
use super::{BadCall, Given, Named, Value, aliases, list::function_def};
use crate::{
    Block, Graph, NewOperator, NewResult, Operand, Tensor,
    base::{CallContext, Cause, Dtype, Error, Result, Shape, argument, nearest, truncated},
    ops::{Arity, Attribute, AttributeKind, Dict, Op, OpDef, op_def},
};
use indexmap::IndexMap;

/// Calls a function or an op (`top.Relu`) by name, with named arguments. Returns all outputs.
///
/// # Errors
/// Returns an error if there is no such function or argument; otherwise same as for [`Call::call`](super::Call::call).
pub fn call<K: Into<String>>(
    graph: &mut Graph,
    name: &str,
    args: impl IntoIterator<Item = (K, Value)>,
) -> Result<Vec<Tensor>> {
    let args = args.into_iter().map(|(k, v)| (k.into(), v)).collect();
    call_with(graph, name, ByName { args, ..ByName::default() })
}

/// The arguments and outputs of a call by name.
#[derive(Default)]
#[doc(hidden)]
pub struct ByName {
    pub args: IndexMap<String, Value>,
    pub named: Named,
    /// Dtypes of the results of an op, if its type rule leaves them open.
    pub dtypes: Vec<Option<Dtype>>,
    pub shapes: Vec<Option<Shape>>,
    /// The blocks that an op owns.
    pub blocks: Vec<Block>,
}

#[doc(hidden)]
pub fn call_with(graph: &mut Graph, name: &str, call: ByName) -> Result<Vec<Tensor>> {
    let index = graph.calls_made();
    let out = call.named.out.as_ref().and_then(|names| names.first().cloned());
    let context = CallContext { function: name.to_owned(), out, index, operands: Vec::new() };
    match name.strip_prefix("top.") {
        Some(op) => {
            let def = op_def(op)?;
            graph.atomic(|graph| call_op(graph, def, call, &context))
        }
        None => call_function(graph, name, call, &context),
    }
}

fn call_function(graph: &mut Graph, name: &str, call: ByName, context: &CallContext) -> Result<Vec<Tensor>> {
    let function = function_def(name)?;
    let known = function.arguments();
    let required = known.iter().filter(|a| a.required).map(|a| a.name);
    check_names(&call.args, known.iter().map(|a| a.name), required, context)?;
    (function.call)(graph, Given(call.args), call.named).map_err(|e| match e {
        BadCall::Call(error) => error,
        BadCall::Argument(bad) => Error::from(bad).in_call(context.clone()),
    })
}

/// Checks for unknown and missing arguments, and reports all of them.
fn check_names<'a>(
    given: &IndexMap<String, Value>,
    known: impl Iterator<Item = &'a str> + Clone,
    required: impl Iterator<Item = &'a str>,
    context: &CallContext,
) -> Result<()> {
    let unknown = given.keys().filter(|k| !known.clone().any(|a| a == *k)).map(|key| match key.as_str() {
        "out_name" => {
            let hint = "the output is named by \"out\", next to \"args\"".to_owned();
            Cause::UnknownArgument { argument: key.clone(), hint }
        }
        _ => unknown_argument(key, known.clone(), |name| given.contains_key(name)),
    });
    let mut missing: Vec<&str> = required.filter(|a| given.get(*a).is_none_or(|v| *v == Value::Null)).collect();
    let mut unknown: Vec<Cause> = unknown.collect();
    // An argument of another form of the function is one mistake, whatever this form lacks.
    for cause in &mut unknown {
        if let Cause::UnknownArgument { argument, hint } = cause
            && hint.starts_with("there are")
            && let Some(other) = of_another(&context.function, argument)
        {
            *hint = other;
            missing.clear();
        }
    }
    // An argument by another name is one mistake, not two.
    for cause in &mut unknown {
        let Cause::UnknownArgument { hint, .. } = cause else { continue };
        let meant = missing.iter().position(|argument| *hint == did_you_mean(argument));
        let only = (missing.len() == 1 && hint.starts_with("there are")).then_some(0);
        if let Some(at) = meant.or(only) {
            *hint = did_you_mean(missing.remove(at));
        }
    }
    let missing = missing.into_iter().map(|a| Cause::Misfit { argument: a.to_owned(), problem: "is missing".into() });
    Error::collect(
        unknown.into_iter().chain(missing).map(|cause| Error::from(cause).in_call(context.clone())).collect(),
    )
}

/// Names another form of a function that has an argument: `interpolate_v2` has `sizes`.
fn of_another(function: &str, argument: &str) -> Option<String> {
    let forms = super::functions().filter(|f| f.name.strip_prefix(function).is_some_and(|rest| rest.starts_with("_v")));
    forms.into_iter().find_map(|form| {
        let its_own = aliases::argument(argument, form.arguments().iter().map(|a| a.name))?;
        Some(format!("{} has it, as {its_own:?}", form.name))
    })
}

/// Returns the cause of an error about an unknown argument. It suggests a known one that is not given, or lists them.
#[doc(hidden)]
pub fn unknown_argument<'a>(
    key: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    is_given: impl Fn(&str) -> bool,
) -> Cause {
    let familiar = aliases::argument(key, known.clone()).filter(|name| !is_given(name)).map(str::to_owned);
    let hint = match familiar.or_else(|| nearest(key, known.clone())) {
        Some(near) => did_you_mean(&near),
        None => format!("there are {}", known.collect::<Vec<_>>().join(", ")),
    };
    Cause::UnknownArgument { argument: truncated(key), hint }
}

fn did_you_mean(argument: &str) -> String {
    format!("did you mean {argument:?}?")
}

fn call_op(graph: &mut Graph, def: &'static OpDef, mut call: ByName, context: &CallContext) -> Result<Vec<Tensor>> {
    let in_call = |e: Error| e.in_call(context.clone());
    let known = def.operands.iter().map(|o| o.name).chain(def.attributes.iter().map(|a| a.name));
    check_names(&call.args, known, std::iter::empty(), context)?;
    let mut operands = Vec::new();
    for operand in def.operands {
        let value = call.args.shift_remove(operand.name).unwrap_or(Value::Null);
        match (operand.arity, value) {
            (Arity::Variadic, Value::List(all)) => {
                for (i, v) in all.into_iter().enumerate() {
                    operands.push(tensor(graph, &format!("{}[{i}]", operand.name), v).map_err(in_call)?);
                }
            }
            (Arity::Variadic, Value::Null) => {}
            (_, value) => operands.push(tensor(graph, operand.name, value).map_err(in_call)?),
        }
    }
    let mut attributes = Vec::new();
    for a in def.attributes {
        if let Some(value) = call.args.shift_remove(a.name).filter(|v| *v != Value::Null) {
            let wrong = argument(a.name, &value, format!("expected {}", a.kind));
            attributes.push((a.name, attribute(a.kind, value).ok_or_else(|| in_call(wrong))?));
        }
    }
    let op = Op::new(def.name, operands, attributes).map_err(in_call)?;
    let count = [call.dtypes.len(), call.shapes.len(), call.named.out.as_ref().map_or(0, Vec::len)];
    let names = call.named.out.unwrap_or_default();
    let result = |i: usize| NewResult {
        name: names.get(i).cloned(),
        dtype: call.dtypes.get(i).copied().flatten(),
        shape: call.shapes.get(i).cloned().flatten(),
        absent: names.get(i).is_some_and(String::is_empty),
    };
    let results = (0..count.into_iter().max().unwrap_or(0)).map(result).collect();
    let outputs = call.blocks.into_iter().fold(graph.op(op).results(results), NewOperator::owns).call()?;
    for (t, q) in outputs.iter().zip(&call.named.out_quant) {
        q.as_ref().map_or(Ok(()), |q| graph.quantize(*t, q)).map_err(in_call)?;
    }
    Ok(outputs)
}

fn tensor(graph: &mut Graph, name: &str, value: Value) -> Result<Option<Tensor>> {
    match value {
        Value::Null => Ok(None),
        Value::Str(tensor) | Value::Tensor(Operand::Named(tensor)) => graph.find(&tensor).map(Some),
        Value::Tensor(Operand::Tensor(t)) => graph.tensor(t).map(|_| Some(t)),
        Value::Tensor(Operand::Constant(data)) => graph.coefficient(&graph.free_name(name), data).map(Some),
        other => Err(argument(name, other, "expected the name of a tensor")),
    }
}

fn attribute(kind: AttributeKind, value: Value) -> Option<Attribute> {
    let floats = |all: &[Value]| all.iter().map(Value::number).collect::<Option<Vec<f64>>>();
    Some(match (kind, value) {
        (AttributeKind::Float, v) => Attribute::Float(v.number()?),
        (AttributeKind::Floats, Value::List(all)) => Attribute::Floats(floats(&all)?),
        (_, v) => of_any_kind(v)?,
    })
}

/// Converts a value to an attribute of the kind determined by the value.
fn of_any_kind(value: Value) -> Option<Attribute> {
    Some(match value {
        Value::Bool(v) => Attribute::Bool(v),
        Value::Int(v) => Attribute::Int(v),
        Value::Float(v) => Attribute::Float(v),
        Value::Str(v) => Attribute::Str(v),
        Value::Map(map) => {
            Attribute::Dict(map.into_iter().map(|(k, v)| Some((k, of_any_kind(v)?))).collect::<Option<Dict>>()?)
        }
        Value::List(all) => {
            let all = all.into_iter().map(of_any_kind).collect::<Option<Vec<_>>>()?;
            let ints = all.iter().map(|a| if let Attribute::Int(v) = a { Some(*v) } else { None });
            let floats = all.iter().map(|a| if let Attribute::Float(v) = a { Some(*v) } else { None });
            match (ints.collect(), floats.collect()) {
                (Some(ints), _) => Attribute::Ints(ints),
                (_, Some(floats)) => Attribute::Floats(floats),
                _ => Attribute::List(all),
            }
        }
        Value::Null | Value::Tensor(_) => return None,
    })
}

/// Converts an attribute to a value; [`attribute`] is the inverse.
#[doc(hidden)]
pub fn attribute_value(attribute: &Attribute) -> Value {
    match attribute {
        Attribute::Int(v) => Value::Int(*v),
        Attribute::Float(v) => Value::Float(*v),
        Attribute::Bool(v) => Value::Bool(*v),
        Attribute::Str(v) => Value::Str(v.clone()),
        Attribute::Ints(v) => Value::List(v.iter().map(|v| Value::Int(*v)).collect()),
        Attribute::Floats(v) => Value::List(v.iter().map(|v| Value::Float(*v)).collect()),
        Attribute::List(v) => Value::List(v.iter().map(attribute_value).collect()),
        Attribute::Dict(v) => Value::Map(v.iter().map(|(k, v)| (k.clone(), attribute_value(v))).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_ops_are_called_by_name() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 3, 8, 8]).unwrap();
        let y = call(
            &mut g,
            "conv",
            [
                ("input", x.into()),
                ("weight", crate::Array::filled(Dtype::Float32, [4, 3, 3, 3], 1.0).unwrap().into()),
                ("stride", [2, 1].into()),
            ],
        )
        .unwrap();
        assert_eq!(g.tensor(y[0]).unwrap().shape, [1, 4, 3, 6]);
        let z = call(&mut g, "top.Relu", [("input", "x".into()), ("relu_limit", 6.into())]).unwrap();
        assert_eq!(g.tensor(z[0]).unwrap().shape, [1, 3, 8, 8]);
        let error = |g: &mut Graph, name: &str, args: Vec<(&str, Value)>| call(g, name, args).unwrap_err().to_string();
        assert_eq!(
            error(&mut g, "conv", vec![("input", x.into()), ("weigth", x.into())]),
            "conv (ops[2]): there is no argument \"weigth\"; did you mean \"weight\"?"
        );
        assert_eq!(
            error(&mut g, "softmax", vec![("input", x.into()), ("axis", [1, 2].into())]),
            "softmax (ops[2]): axis is [1, 2]; expected an integer"
        );
        assert_eq!(
            error(&mut g, "top.Relu", vec![("input", x.into()), ("relu_limit", "6".into())]),
            "top.Relu (ops[2]): relu_limit is \"6\"; expected a float"
        );
        assert_eq!(error(&mut g, "reluu", vec![]), "unknown function \"reluu\"; did you mean \"relu\"?");
        assert_eq!(error(&mut g, "top.Rellu", vec![]), "unknown op \"top.Rellu\"; did you mean \"top.Relu\"?");
    }
}
