//! Values as Python writes them.
use serde_json::Value;
use tpulang::functions::{ArgumentDef, ArgumentKind, not_finite};

/// Returns the default of an argument. Sequences are tuples, which no call can change.
pub fn default(argument: &ArgumentDef) -> String {
    let Some(value) = &argument.default else { return "None".into() };
    let text = literal(&argument.kind, value, &str::to_owned);
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(items) => format!("({items})"),
        None => text,
    }
}

/// Returns a value of this kind; `tensor` returns what stands for the tensor of a name.
pub fn literal(kind: &ArgumentKind, value: &Value, tensor: &dyn Fn(&str) -> String) -> String {
    let each = |all: &[Value]| all.iter().map(|v| literal(kind, v, tensor)).collect::<Vec<_>>().join(", ");
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number.to_string(),
        Value::String(name) if kind.takes_tensors() => tensor(name),
        Value::String(word) if not_finite(word).is_some() => format!("float({word:?})"),
        Value::String(word) => quoted(word),
        Value::Array(all) if is_one_for_all(kind) && all.windows(2).all(|two| two[0] == two[1]) => each(&all[..1]),
        Value::Array(all) => format!("[{}]", each(all)),
        Value::Object(entries) if *kind == ArgumentKind::Params => {
            let entry = |(name, v): (&String, &Value)| format!("{}: {}", quoted(name), literal(kind, v, tensor));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Object(scalar) => {
            let dtype = scalar["dtype"].as_str().unwrap_or_default();
            format!("tpulang.Scalar({}, {})", scalar["value"], quoted(dtype))
        }
    }
}

/// Whether a single value stands for as many equal ones.
fn is_one_for_all(kind: &ArgumentKind) -> bool {
    let is_fixed = |kind: &ArgumentKind| matches!(kind, ArgumentKind::List { length: Some(_), .. });
    matches!(kind, ArgumentKind::AnyOf(kinds) if kinds.iter().any(is_fixed))
}

pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns a shape: `(1, 3)`, `(8,)`.
pub fn shape(dims: &[usize]) -> String {
    match dims {
        [one] => format!("({one},)"),
        _ => format!("({})", dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_pythons() {
        let each = ArgumentKind::AnyOf(vec![
            ArgumentKind::Integer,
            ArgumentKind::List { of: Box::new(ArgumentKind::Integer), length: Some(2) },
        ]);
        let tensors = ArgumentKind::List { of: Box::new(ArgumentKind::Tensor), length: None };
        for (kind, value, expected) in [
            (&each, json!([2, 2]), "2"),
            (&each, json!([2, 1]), "[2, 1]"),
            (&tensors, json!(["x", "y"]), "[<x>, <y>]"),
            (&ArgumentKind::Boolean, json!(true), "True"),
            (&ArgumentKind::Number, json!("-inf"), "float(\"-inf\")"),
            (&ArgumentKind::String, json!("a\"b"), "\"a\\\"b\""),
            (&ArgumentKind::Scalar, json!({ "value": 2.0, "dtype": "int8" }), "tpulang.Scalar(2.0, \"int8\")"),
            (&ArgumentKind::Params, json!({ "b": 1.5, "t": [1, 2] }), "{\"b\": 1.5, \"t\": [1, 2]}"),
        ] {
            assert_eq!(literal(kind, &value, &|name| format!("<{name}>")), expected);
        }
        assert_eq!([shape(&[8]), shape(&[1, 3]), shape(&[])], ["(8,)", "(1, 3)", "()"]);
    }
}
