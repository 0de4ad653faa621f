use super::super::graph::{Dtype, Preprocess};
use crate::{ops::functions, quant::Quantization};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The JSON Schema (draft 2020-12) of a spec.
///
/// ```
/// let schema = tpulang::spec::json_schema();
/// assert_eq!(schema["properties"]["version"]["const"], 1);
/// ```
pub fn json_schema() -> Value {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
    let calls: Vec<Value> = functions()
        .map(|f| {
            let mut args = (f.schema)(&mut generator).to_value();
            if let Some(args) = args.as_object_mut() {
                args.remove("$schema");
                args.remove("title");
                args.insert("description".into(), json!(format!("Arguments of {}.", f.name)));
            }
            json!({
                "description": f.doc,
                "type": "object",
                "properties": { "op": { "const": f.name }, "args": args, "out": { "$ref": "#/$defs/out" }, "out_quant": { "$ref": "#/$defs/out_quant" } },
                "required": ["op", "args"],
                "additionalProperties": false
            })
        })
        .collect();
    let (dtype, preprocess, quantization) = (
        generator.subschema_for::<Dtype>(),
        generator.subschema_for::<Preprocess>(),
        generator.subschema_for::<Quantization>(),
    );
    let mut defs: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    let names = json!({ "type": "array", "items": { "type": "string" } });
    let one_or_many = |of: &str| json!({ "anyOf": [{ "type": of }, { "type": "array", "items": { "type": of } }] });
    defs.insert("out".into(), json!({ "description": "The output's name, or the outputs'.", "anyOf": [{ "type": "string" }, names, { "type": "null" }] }));
    let nullable = json!({ "anyOf": [quantization, { "type": "null" }] });
    defs.insert("out_quant".into(), json!({ "description": "The quantization of the output, or of the outputs.", "anyOf": [nullable, { "type": "array", "items": nullable }] }));
    defs.insert(
        "tensor".into(),
        json!({
            "description": "An input or a coefficient.",
            "type": "object",
            "properties": {
                "dtype": dtype,
                "shape": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
                "coeff": { "type": "boolean", "default": false },
                "scale": one_or_many("number"),
                "zero_point": one_or_many("integer"),
                "data": { "description": "Numbers, flat or nested, row-major.", "type": ["array", "number"] },
                "preprocess": preprocess
            },
            "required": ["shape"],
            "additionalProperties": false
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tpulang graph spec, version 1",
        "type": "object",
        "properties": {
            "version": { "const": 1 },
            "name": { "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9_.-]*$" },
            "mode": { "enum": ["f32", "quantized"], "default": "f32" },
            "weights": { "description": "An .npz or .safetensors file, relative to the spec.", "type": "string" },
            "tensors": { "type": "object", "additionalProperties": { "$ref": "#/$defs/tensor" } },
            "inputs": names,
            "ops": { "type": "array", "items": { "oneOf": calls } },
            "outputs": names
        },
        "required": ["version", "name", "inputs", "ops", "outputs"],
        "additionalProperties": false,
        "$defs": defs
    })
}
