use crate::{
    base::{Dtype, WarningCode},
    functions::{Argument, ArgumentDef, FunctionDef, functions},
    graph::Preprocess,
    quant::Quantization,
};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// Returns the JSON Schema (draft 2020-12) of a spec.
///
/// ```
/// let schema = tpulang::spec::json_schema();
/// assert_eq!(schema["properties"]["version"]["const"], 1);
/// ```
pub fn json_schema() -> Value {
    let (names, ops) = (json!({ "$ref": "#/$defs/names" }), json!({ "$ref": "#/$defs/ops" }));
    let file = json!({ "type": "string" });
    let codes: Vec<&str> = WarningCode::all().map(WarningCode::name).collect();
    let files = json!({ "anyOf": [file, { "type": "array", "items": file }] });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tpulang graph spec, version 1",
        "type": "object",
        "properties": {
            "$schema": { "type": "string" },
            "version": { "const": 1 },
            "name": { "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9_.-]*$" },
            "mode": { "enum": ["f32", "quantized"], "default": "f32" },
            "allow": {
                "description": "The codes of warnings that are not printed about this network.",
                "type": "array",
                "items": { "enum": codes },
            },
            "params": params("Values for expressions such as \"${2*N}\"; --param replaces them."),
            "weights": {
                "description": "Paths of .npz, .safetensors or PyTorch's .pt files, absolute or relative to the spec's folder: one, a list, or an object with the prefixes of their names.",
                "anyOf": [file, { "type": "array", "items": file }, { "type": "object", "additionalProperties": files }]
            },
            "tensors": { "type": "object", "additionalProperties": { "$ref": "#/$defs/tensor" } },
            "inputs": names,
            "functions": {
                "description": "Groups of operators that are defined once and called by name.",
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "properties": {
                        "params": params("Values that calls pass beside tensors, with defaults; null for one that calls must pass."),
                        "inputs": names, "ops": ops, "outputs": names
                    },
                    "required": ["inputs", "ops", "outputs"],
                    "additionalProperties": false
                }
            },
            "ops": ops,
            "outputs": names,
            "updates": {
                "description": "The variables: coefficients that a session replaces by these tensors after each run.",
                "type": "object",
                "additionalProperties": { "type": "string" }
            }
        },
        "required": ["version", "name", "inputs", "ops", "outputs"],
        "additionalProperties": false,
        "$defs": definitions()
    })
}

/// Returns the schema of parameters with their defaults.
fn params(description: &str) -> Value {
    json!({
        "description": description,
        "type": "object",
        "propertyNames": { "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
        "additionalProperties": { "type": ["number", "string", "boolean", "null"] }
    })
}

/// Returns a schema that also accepts expressions wherever it asks for a number, a boolean or a word.
fn with_expressions(schema: Value) -> Value {
    let named = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let mut map = match schema {
        Value::Object(map) => map,
        Value::Array(all) => return all.into_iter().map(with_expressions).collect(),
        other => return other,
    };
    // A list of types is that of numbers which may be words such as "inf".
    let is_number_or_word = map.get("type") == Some(&json!(["number", "string"]));
    let kind = match map.get("type").and_then(Value::as_str) {
        _ if is_number_or_word => Some("Float"),
        Some("integer") => Some("Integer"),
        Some("number") => Some("Number"),
        Some("boolean") => Some("Boolean"),
        _ if map.contains_key("enum") => Some(""),
        _ => None,
    };
    let Some(kind) = kind else {
        // Conditions are about what is written.
        return map
            .into_iter()
            .map(|(key, v)| if key == "if" { (key, v) } else { (key, with_expressions(v)) })
            .collect();
    };
    // What describes the value stays outside of the alternatives.
    let outside: Vec<_> = ["description", "default"].into_iter().filter_map(|key| map.remove_entry(key)).collect();
    let mut schema = match map.len() {
        _ if is_number_or_word => named(kind),
        1 if !kind.is_empty() => named(kind),
        _ => json!({ "anyOf": [map, named("Expression")] }),
    };
    outside.into_iter().for_each(|(key, value)| schema[key] = value);
    schema
}

/// Returns the definitions that the schema refers to.
fn definitions() -> Map<String, Value> {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
    let (dtype, preprocess, quantization) = (
        generator.subschema_for::<Dtype>(),
        generator.subschema_for::<Preprocess>(),
        generator.subschema_for::<Quantization>(),
    );
    let mut defs: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    let names = json!({ "$ref": "#/$defs/names" });
    let name = json!({ "type": ["string", "null"] });
    let nullable = json!({ "anyOf": [quantization, { "type": "null" }] });
    let all = [
        (
            "out",
            json!({
                "description": "The output's name, or a list with the name of each output; null for one that is absent or unnamed.",
                "anyOf": [name, { "type": "array", "items": { "anyOf": [name, { "$ref": "#/$defs/each" }] } }]
            }),
        ),
        ("names", json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/each" }] } })),
        (
            "out_quant",
            json!({ "description": "The quantization of the output, or a list with one per output.", "anyOf": [nullable, { "type": "array", "items": nullable }] }),
        ),
        ("Tensor", json!({ "type": "string", "description": "The name of a tensor." })),
        (
            "Scalar",
            json!({
                "description": "A number: an integer literal is int32, one with a fraction or exponent float32; or an object with value and dtype.",
                "anyOf": [
                    { "type": "number" },
                    { "type": "object", "properties": { "value": f64::schema(), "dtype": dtype }, "required": ["value"], "additionalProperties": false }
                ]
            }),
        ),
        ("ops", json!({ "type": "array", "items": { "$ref": "#/$defs/call" } })),
        ("call", call()),
        (
            "block",
            json!({
                "description": "The operators of a block, with its inputs and outputs.",
                "type": "object",
                "properties": {
                    "inputs": { "type": "object", "additionalProperties": { "$ref": "#/$defs/tensor" } },
                    "ops": { "$ref": "#/$defs/ops" },
                    "outputs": names
                },
                "required": ["ops", "outputs"],
                "additionalProperties": false
            }),
        ),
        ("tensor", tensor(dtype.to_value(), preprocess.to_value())),
    ];
    defs.extend(all.into_iter().map(|(name, schema)| (name.to_owned(), schema)));
    let mut defs: Map<String, Value> =
        defs.into_iter().map(|(name, schema)| (name, with_expressions(schema))).collect();
    let or_expression = |kind: &str| json!({ "anyOf": [{ "type": kind }, { "$ref": "#/$defs/Expression" }] });
    let own = [
        (
            "Expression",
            json!({
                "description": "An expression of parameters: \"${2*N}\".",
                "type": "string",
                "pattern": "^\\$\\{[^}]*\\}$"
            }),
        ),
        ("Integer", or_expression("integer")),
        ("Number", or_expression("number")),
        (
            "Float",
            json!({ "anyOf": [
                { "type": "number" },
                { "type": "string", "pattern": "^(-?inf|nan)$" },
                { "$ref": "#/$defs/Expression" },
            ] }),
        ),
        ("Boolean", or_expression("boolean")),
        (
            "repeat",
            json!({
                "description": "How often this is repeated, with ${i} from 0 on; or a parameter with its number or list of values.",
                "anyOf": [
                    { "type": "integer", "minimum": 0 },
                    { "$ref": "#/$defs/Expression" },
                    {
                        "type": "object",
                        "additionalProperties": {
                            "anyOf": [
                                { "type": "integer", "minimum": 0 },
                                { "$ref": "#/$defs/Expression" },
                                { "type": "array", "items": { "type": ["number", "string", "boolean"] } }
                            ]
                        },
                        "minProperties": 1,
                        "maxProperties": 1
                    }
                ]
            }),
        ),
        (
            "each",
            json!({
                "description": "Stands for several elements of the list: one for each repetition, or those of a list.",
                "type": "object",
                "properties": { "repeat": { "$ref": "#/$defs/repeat" }, "each": {} },
                "required": ["repeat", "each"],
                "additionalProperties": false
            }),
        ),
    ];
    defs.extend(own.into_iter().map(|(name, schema)| (name.to_owned(), schema)));
    defs
}

/// Returns the schema of a tensor's declaration.
fn tensor(dtype: Value, preprocess: Value) -> Value {
    let one_or_many = |of: &str| json!({ "anyOf": [{ "type": of }, { "type": "array", "items": { "type": of } }] });
    json!({
        "description": "An input or a coefficient.",
        "type": "object",
        "properties": {
            "repeat": { "$ref": "#/$defs/repeat" },
            "dtype": dtype,
            "shape": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
            "coeff": { "type": "boolean", "default": false },
            "scale": one_or_many("number"),
            "zero_point": one_or_many("integer"),
            "data": {
                "description": "Numbers, flat or nested, row-major.",
                "anyOf": [{ "type": "array" }, { "$ref": "#/$defs/Float" }]
            },
            "preprocess": preprocess
        },
        "additionalProperties": false
    })
}

/// Returns the schema of a call of a function, an op, or a function of the spec. An `if` on the function's name selects its
/// arguments, so that editors report the wrong argument; with alternatives, they would report only that none matches.
fn call() -> Value {
    let (out, out_quant, block) =
        (json!({ "$ref": "#/$defs/out" }), json!({ "$ref": "#/$defs/out_quant" }), json!({ "$ref": "#/$defs/block" }));
    let names: Vec<_> = functions().map(|f| f.name).collect();
    let of_function = |f: &FunctionDef| {
        json!({
            "if": { "properties": { "op": { "const": f.name } }, "required": ["op"] },
            "then": {
                "description": f.doc,
                "properties": { "op": true, "repeat": true, "args": arguments(f.name, f.arguments()), "out": true, "out_quant": true },
                "additionalProperties": false
            }
        })
    };
    json!({
        "description": "A call of a function, of an op of the Top dialect (top.Relu), or of a function of this spec.",
        "type": "object",
        "properties": {
            "op": { "anyOf": [{ "enum": names }, { "type": "string" }] },
            "repeat": { "$ref": "#/$defs/repeat" },
            "args": { "type": "object" }, "out": out, "out_quant": out_quant,
            "out_dtype": {}, "out_shape": { "type": "array" },
            "then": block, "else": block, "body": block
        },
        "required": ["op", "args"],
        "additionalProperties": false,
        "allOf": functions().map(of_function).collect::<Vec<_>>()
    })
}

fn arguments(function: &str, arguments: &[ArgumentDef]) -> Value {
    let is_names = |schema: &Value| schema["items"] == json!({ "$ref": "#/$defs/Tensor" });
    let property = |a: &ArgumentDef| {
        let mut schema = if is_names(&a.schema) { json!({ "$ref": "#/$defs/names" }) } else { a.schema.clone() };
        if !a.required {
            schema = json!({ "anyOf": [schema, { "type": "null" }] });
        }
        schema["description"] = json!(a.doc);
        if let Some(default) = &a.default {
            schema["default"] = default.clone();
        }
        (a.name.to_owned(), schema)
    };
    let required: Vec<_> = arguments.iter().filter(|a| a.required).map(|a| a.name).collect();
    json!({
        "description": format!("Arguments of {function}."),
        "type": "object",
        "properties": arguments.iter().map(property).collect::<Map<_, _>>(),
        "required": required,
        "additionalProperties": false
    })
}
