//! The JSON Schema and the reader agree on specs.
use jsonschema::Validator;
use serde_json::{Value, json};
use tpulang::{
    functions::{FunctionDef, functions},
    spec,
};

fn schema() -> Validator {
    jsonschema::draft202012::new(&spec::json_schema()).unwrap()
}

fn spec_of(f: &FunctionDef) -> Value {
    let g = f.example_graph().unwrap_or_else(|e| panic!("{}: {e}", f.name));
    serde_json::from_str(&spec::to_text(&g, None).unwrap()).unwrap()
}

/// Returns the schema's errors with their positions.
fn found(schema: &Validator, spec: &Value) -> Vec<(String, String)> {
    schema.iter_errors(spec).map(|e| (e.instance_path().to_string(), e.to_string())).collect()
}

/// The schema accepts each example as a spec, and the reader returns the same graph.
#[test]
fn every_example_is_a_spec() {
    let schema = schema();
    for f in functions() {
        let value = spec_of(f);
        assert_eq!(found(&schema, &value), [], "{}", f.name);
        assert!(
            value["ops"].as_array().unwrap().iter().any(|c| c["op"] == f.name),
            "{}: its example calls others",
            f.name
        );
        let again = spec::from_text(&value.to_string(), f.name, None).unwrap_or_else(|e| panic!("{}: {e}", f.name));
        let text = |g: &tpulang::Graph| tpulang::mlir::emit(g).unwrap().text;
        assert_eq!(text(&again), text(&f.example_graph().unwrap()), "{}", f.name);
    }
}

#[test]
fn a_wrong_argument_is_named_by_the_schema() {
    let schema = schema();
    for f in functions() {
        let mut value = spec_of(f);
        let calls = value["ops"].as_array_mut().unwrap();
        let at = calls.iter().position(|c| c["op"] == f.name).unwrap();
        calls[at]["args"]["frobnicate"] = json!(1);
        let errors = found(&schema, &value);
        assert_eq!(errors.len(), 1, "{}: {errors:?}", f.name);
        assert_eq!(errors[0].0, format!("/ops/{at}/args"), "{}", f.name);
        assert!(errors[0].1.contains("frobnicate"), "{errors:?}");
        let first = f.arguments().iter().find(|a| a.required).unwrap().name;
        let calls = value["ops"].as_array_mut().unwrap();
        calls[at]["args"].as_object_mut().unwrap().retain(|k, _| k != "frobnicate" && k != first);
        let errors = found(&schema, &value);
        assert_eq!(errors, [(format!("/ops/{at}/args"), format!("\"{first}\" is a required property"))], "{}", f.name);
    }
}

/// The schema accepts null for the LSTM's other two results, as the reader does.
#[test]
fn absent_outputs_are_null() {
    let value = json!({
        "version": 1, "name": "tagger", "inputs": ["x"], "outputs": ["y"],
        "tensors": {
            "x": { "shape": [3, 1, 4] },
            "w": { "shape": [1, 8, 4], "coeff": true, "data": vec![0.5; 32] },
            "r": { "shape": [1, 8, 2], "coeff": true, "data": vec![0.5; 16] },
            "b": { "shape": [1, 16], "coeff": true, "data": vec![0; 16] }
        },
        "ops": [{
            "op": "top.LSTM",
            "args": { "input": "x", "filter": "w", "recurrence": "r", "bias": "b", "hidden_size": 2, "bidirectional": false },
            "out": ["y", null, null]
        }]
    });
    assert_eq!(found(&schema(), &value), []);
    spec::from_text(&value.to_string(), "tagger.json", None).unwrap();
}

#[test]
fn ops_and_functions_of_the_spec_are_let_through() {
    let mut value = spec_of(functions().find(|f| f.name == "relu").unwrap());
    for (op, args) in
        [("top.Relu", json!({ "input": "x", "relu_limit": 6.0 })), ("mine", json!({ "anything": [1, "x"] }))]
    {
        value["ops"] = json!([{ "op": op, "args": args, "out": "y" }]);
        assert_eq!(found(&schema(), &value), []);
    }
}

/// Returns a text with comments on their own lines or at the ends of lines as JSON.
fn without_comments(text: &str) -> Value {
    let lines = text.lines().map(|line| line.split_once("//").map_or(line, |(before, _)| before));
    serde_json::from_str(&lines.collect::<Vec<_>>().join("\n")).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn the_examples_are_valid() {
    let (schema, root) = (schema(), concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for file in ["examples/models/resnet50", "examples/models/bert", "examples/models/llama", "src/bin/tpulang/init"] {
        let text = std::fs::read_to_string(format!("{root}/{file}.json")).unwrap();
        let spec = without_comments(&text);
        assert_eq!(found(&schema, &spec), [], "{file}");
        // A mistake in an expression's place is found.
        for (right, wrong) in [("\"repeat\":", "\"repeats\":"), ("\"shape\":[", "\"shape\":[\"x\",")] {
            let wrong = spec.to_string().replacen(right, wrong, 1);
            let wrong = serde_json::from_str(&wrong).unwrap();
            assert!(!found(&schema, &wrong).is_empty() || !spec.to_string().contains(right), "{file}: {right}");
        }
    }
}

/// What the reader takes as a number: also an expression, and the words for what JSON has no number for.
#[test]
fn numbers_may_be_expressions_and_words() {
    let text = r#"{"version": 1, "name": "net", "params": {"low": 0.5},
        "tensors": {"x": {"shape": [1, 4]}, "c": {"shape": [1], "coeff": true, "data": "-inf"}}, "inputs": ["x"],
        "ops": [
            {"op": "clamp", "args": {"input": "x", "min": "${low}", "max": "inf"}, "out": "h"},
            {"op": "add", "args": {"tensor_i0": "h", "tensor_i1": "c"}, "out": "y"}
        ], "outputs": ["y"]}"#;
    spec::from_text(text, "net.json", None).unwrap();
    let schema = schema();
    assert_eq!(found(&schema, &serde_json::from_str(text).unwrap()), []);
    let wrong = text.replace("\"inf\"", "\"infinite\"");
    assert_eq!(found(&schema, &serde_json::from_str(&wrong).unwrap()).len(), 1);
}
