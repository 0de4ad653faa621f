//! Messages as JSON objects, one per line. docs/warnings.md describes them.
use super::Message;
use serde_json::{Value, json};
use tpulang::base::{CallContext, Place};
use tpulang_base::escaped_json;

pub fn render(message: &Message) -> String {
    let object = json!({
        "severity": message.kind.name(),
        "code": message.kind.code().map(|code| code.name()),
        "message": message.text,
        "call": message.call.map(call),
        "place": message.place.map(place),
    });
    escaped_json(&object.to_string()).into_owned()
}

fn call(call: &CallContext) -> Value {
    let operand = |[argument, tensor, ty]: &[String; 3]| json!({"argument": argument, "tensor": tensor, "type": ty});
    let operands: Vec<Value> = call.operands.iter().map(operand).collect();
    json!({"function": call.function, "out": call.out, "index": call.index, "operands": operands})
}

fn place(place: &Place) -> Value {
    json!({"file": place.file, "line": place.line, "column": place.column, "path": place.path})
}
