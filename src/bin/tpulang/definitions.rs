//! The definitions of functions and ops as JSON, for programs. docs/definitions.md describes the form.
use serde_json::{Value, json};
use tpulang::{
    functions::{ArgumentDef, FunctionDef, functions},
    ops::{Arity, AttributeDef, AttributeKind, Default, OPS, OpDef, ValueDef},
};

/// The version of the form: changed when a key is removed or gets another meaning, not when one is added.
const FORMAT: u32 = 1;

/// All functions and ops.
pub fn all() -> Value {
    json!({
        "format": FORMAT,
        "functions": functions().map(function).collect::<Vec<_>>(),
        "ops": OPS.iter().map(op).collect::<Vec<_>>(),
    })
}

fn function(f: &FunctionDef) -> Value {
    json!({
        "name": f.name,
        "family": f.family(),
        "doc": f.doc,
        "aliases": f.aliases().collect::<Vec<_>>(),
        "arguments": f.arguments().iter().map(argument).collect::<Vec<_>>(),
        "outputs": f.outputs,
    })
}

fn argument(a: &ArgumentDef) -> Value {
    json!({
        "name": a.name,
        "doc": a.doc,
        "type": a.type_name,
        "required": a.required,
        "default": a.default,
        "schema": a.schema,
    })
}

fn op(op: &OpDef) -> Value {
    json!({
        "name": op.name,
        "summary": op.summary,
        "description": op.description,
        "operands": op.operands.iter().map(value).collect::<Vec<_>>(),
        "attributes": op.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "results": op.results.iter().map(value).collect::<Vec<_>>(),
        "blocks": op.blocks,
        "structure": op.structure,
        "computed": op.is_computed(),
        "not_computed": op.why_not_computed(),
    })
}

fn value(v: &ValueDef) -> Value {
    let arity = match v.arity {
        Arity::Required => "required",
        Arity::OrNone => "or_none",
        Arity::Optional => "optional",
        Arity::Variadic => "variadic",
    };
    json!({ "name": v.name, "description": v.description, "arity": arity })
}

fn attribute(a: &AttributeDef) -> Value {
    let default = a.default.map(|default| match default {
        Default::Int(v) => json!(v),
        Default::Float(v) => json!(v),
        Default::Bool(v) => json!(v),
        Default::Str(v) => json!(v),
        Default::Ints(v) => json!(v),
        Default::Floats(v) => json!(v),
    });
    let (kind, allowed) = kind(a.kind);
    json!({
        "name": a.name,
        "description": a.description,
        "kind": kind,
        "allowed": allowed,
        "default": default,
        "optional": a.optional,
        "ignored": a.ignored,
    })
}

/// The name of a kind, and the strings that it allows.
fn kind(kind: AttributeKind) -> (&'static str, Option<&'static [&'static str]>) {
    match kind {
        AttributeKind::Int => ("i64", None),
        AttributeKind::Si32 => ("si32", None),
        AttributeKind::I32 => ("i32", None),
        AttributeKind::Ui32 => ("ui32", None),
        AttributeKind::Float => ("f64", None),
        AttributeKind::Bool => ("bool", None),
        AttributeKind::Str => ("string", None),
        AttributeKind::OneOf(allowed) => ("string", Some(allowed)),
        AttributeKind::Ints => ("i64[]", None),
        AttributeKind::I32s => ("i32[]", None),
        AttributeKind::Floats => ("f64[]", None),
        AttributeKind::IntLists => ("i64[][]", None),
        AttributeKind::Dicts => ("dict[]", None),
    }
}
