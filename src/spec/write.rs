use crate::{
    array::{Array, write_arrays},
    base::{Dtype, Error, NewPair, Result, WarningCode, invalid},
    functions::{attribute_value, number_to_json},
    graph::{Block, Graph, MadeBy, Mode, Operator, RecordedCall, Tensor, TensorInfo, TensorKind},
    ops::{Choice, OperandValue},
    quant::Quantization,
};
use serde_json::{Map, Value, json};
use std::{fmt::Write as _, path::Path};

/// Returns a graph as a spec. `weights` is the name of the file with the coefficients' data, as written by [`save`]; if
/// `None`, the data are part of the spec.
///
/// # Errors
/// Returns an error if a coefficient's data cannot be read.
pub fn to_text(graph: &Graph, weights: Option<&str>) -> Result<String> {
    let mut out = String::new();
    let name_list = |tensors: &[Tensor]| -> Result<String> {
        let names = tensors.iter().map(|t| graph.tensor(*t).map(|t| t.name.as_str())).collect::<Result<Vec<_>>>()?;
        Ok(json!(names).to_string())
    };
    let mode = if graph.mode == Mode::F32 { "f32" } else { "quantized" };
    let _ = write!(out, "{{\n  \"version\": 1,\n  \"name\": {},\n  \"mode\": {}", json!(graph.name()), json!(mode));
    let allowed: Vec<&str> = graph.allowed().map(WarningCode::name).collect();
    if !allowed.is_empty() {
        let _ = write!(out, ",\n  \"allow\": {}", json!(allowed));
    }
    if let Some(file) = weights {
        let _ = write!(out, ",\n  \"weights\": {}", json!(file));
    }
    let mut declared = Vec::new();
    for (_, info) in graph.declared() {
        declared.push(format!("    {}: {}", json!(info.name), declaration(info, weights.is_none())?));
    }
    let _ = write!(
        out,
        ",\n  \"tensors\": {{\n{}\n  }},\n  \"inputs\": {}",
        declared.join(",\n"),
        name_list(graph.inputs())?
    );
    let calls: Vec<String> = calls(graph, graph.body())?.iter().map(|c| format!("    {c}")).collect();
    let _ = write!(out, ",\n  \"ops\": [\n{}\n  ],\n  \"outputs\": {}", calls.join(",\n"), name_list(graph.outputs())?);
    if !graph.updates().is_empty() {
        let name = |t: Tensor| graph.tensor(t).map(|info| json!(info.name).to_string());
        let update = |(variable, next): &(Tensor, Tensor)| Ok(format!("    {}: {}", name(*variable)?, name(*next)?));
        let updates = graph.updates().iter().map(update).collect::<Result<Vec<_>>>()?;
        let _ = write!(out, ",\n  \"updates\": {{\n{}\n  }}", updates.join(",\n"));
    }
    out.push_str("\n}\n");
    // Only names and texts contain it, which are not expressions.
    Ok(if out.contains("${") { out.replace("${", "$${") } else { out })
}

/// Writes a graph to `path`, which ends in `.json`, and its coefficients to an npz of the same stem in the same folder.
///
/// An existing spec is replaced together with its weights, even if the process is killed.
///
/// # Errors
/// Returns an error if the graph cannot be expressed as a spec (see [`to_text`]), the path has another extension, or a file
/// cannot be written (see [`NewPair::commit`]).
pub fn save(graph: &Graph, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    if path.extension().is_none_or(|e| e != "json") {
        return Err(Error::format(path, "a spec's name ends in .json; its weights are written to an .npz next to it"));
    }
    let npz = path.with_extension("npz");
    let data = graph.tensors().filter_map(|(_, t)| match &t.kind {
        TensorKind::Coefficient(Some(data)) => Some((t.name.as_str(), data)),
        _ => None,
    });
    let mut new = NewPair::create(path, &npz)?;
    write_arrays(&mut new.weights, &npz, data, false)?;
    new.commit(|weights| to_text(graph, Some(weights)))
}

/// Converts the calls of a block.
fn calls(graph: &Graph, block: &Block) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for (call, operators) in block.calls() {
        all.push(match (&call.made_by, operators) {
            (MadeBy::Op, [operator]) => op_call(graph, operator)?,
            (MadeBy::Function(function), _) => {
                entry(graph, function.function().to_owned(), function.to_json(graph)?, &call)?
            }
            (MadeBy::Op, _) => return Err(invalid("the record of calls does not fit the operators")),
        });
    }
    Ok(all)
}

fn name(graph: &Graph, t: Tensor) -> Result<Value> {
    graph.tensor(t).map(|t| json!(t.name))
}

fn one_or_list(mut list: Vec<Value>) -> Value {
    if list.len() == 1 { list.remove(0) } else { Value::Array(list) }
}

fn entry(graph: &Graph, op: String, args: Value, call: &RecordedCall) -> Result<Value> {
    let outputs = call.outputs.iter().map(|&t| name(graph, t)).collect::<Result<Vec<_>>>()?;
    let mut entry =
        Map::from_iter([("op".into(), json!(op)), ("args".into(), args), ("out".into(), one_or_list(outputs))]);
    let quantizations = quantizations(graph, call)?;
    if quantizations.iter().any(Option::is_some) {
        let one = quantizations.len() == 1;
        entry.insert("out_quant".into(), if one { json!(quantizations[0]) } else { json!(quantizations) });
    }
    Ok(Value::Object(entry))
}

/// Returns the quantizations of a function's outputs that it was given, or that were set afterwards.
fn quantizations(graph: &Graph, call: &RecordedCall) -> Result<Vec<Option<Quantization>>> {
    let mut all = call.out_quant.clone();
    for (i, &output) in call.outputs.iter().enumerate() {
        let info = graph.tensor(output)?;
        if info.is_quantized_separately {
            all.resize(all.len().max(i + 1), None);
            all[i] = info.quantization.clone();
        }
    }
    Ok(all)
}

/// Converts the call of an op, with operands and attributes by their names in td.
fn op_call(graph: &Graph, operator: &Operator) -> Result<Value> {
    let (op, def) = (&operator.op, operator.op.def());
    let mut args = Map::new();
    for (operand, value) in op.operand_values() {
        match value {
            OperandValue::One(t) => args.insert(operand.into(), name(graph, *t)?),
            OperandValue::Absent => None,
            OperandValue::Many(all) => {
                let all = all.iter().map(|t| name(graph, *t)).collect::<Result<Vec<_>>>()?;
                args.insert(operand.into(), Value::Array(all))
            }
        };
    }
    for (attribute, value) in op.attributes().without_defaults(def) {
        args.insert(attribute.into(), attribute_value(&value).to_json(graph)?);
    }
    let outputs = operator.results.iter().map(|t| t.map_or(Ok(Value::Null), |t| name(graph, t)));
    let outputs = outputs.collect::<Result<Vec<_>>>()?;
    let mut entry = Map::from_iter([
        ("op".into(), json!(format!("top.{}", op.name()))),
        ("args".into(), Value::Object(args)),
        ("out".into(), one_or_list(outputs)),
    ]);
    for (block, block_name) in operator.blocks.iter().zip(def.blocks) {
        let mut body = Map::new();
        let mut inputs = Map::new();
        for t in block.arguments() {
            let info = graph.tensor(*t)?;
            inputs.insert(info.name.clone(), declaration(info, false)?);
        }
        if !inputs.is_empty() {
            body.insert("inputs".into(), Value::Object(inputs));
        }
        let outputs = block.results().iter().map(|&t| name(graph, t)).collect::<Result<Vec<_>>>()?;
        body.extend([("ops".into(), json!(calls(graph, block)?)), ("outputs".into(), json!(outputs))]);
        entry.insert(block_name.trim_end_matches("_branch").into(), Value::Object(body));
    }
    types(graph, operator, &mut entry)?;
    Ok(Value::Object(entry))
}

/// Adds the types that the op's type rule leaves open, and the quantization.
fn types(graph: &Graph, operator: &Operator, entry: &mut Map<String, Value>) -> Result<()> {
    let inferred = graph.inferred(&operator.op, &[])?;
    let (mut dtypes, mut shapes, mut quants) = (Vec::new(), Vec::new(), Vec::new());
    for (i, t) in operator.results.iter().enumerate() {
        let info = t.map(|t| graph.tensor(t)).transpose()?;
        let of = |value: &dyn Fn(&TensorInfo) -> Value| info.map_or(Value::Null, value);
        let known = inferred.as_ref().and_then(|all| all.get(i)).map(|r| matches!(r.dtype, Choice::Is(_)));
        dtypes.push(if known == Some(true) { Value::Null } else { of(&|t| json!(t.dtype)) });
        shapes.push(if known.is_some() { Value::Null } else { of(&|t| json!(t.shape)) });
        quants.push(of(&|t| json!(t.quantization)));
    }
    for (key, list) in [("out_dtype", dtypes), ("out_shape", shapes), ("out_quant", quants)] {
        if list.iter().any(|v| *v != Value::Null) {
            entry.insert(key.into(), one_or_list(list));
        }
    }
    Ok(())
}

fn declaration(info: &TensorInfo, inline: bool) -> Result<Value> {
    let mut entry = Map::from_iter([("dtype".into(), json!(info.dtype)), ("shape".into(), json!(info.shape))]);
    if let TensorKind::Coefficient(data) = &info.kind {
        entry.insert("coeff".into(), json!(true));
        if let Some(data) = data.as_ref().filter(|_| inline) {
            entry.insert("data".into(), numbers(info, data)?);
        }
    }
    if let Some(q) = &info.quantization {
        if let Some(scale) = &q.scale {
            entry.insert("scale".into(), json!(scale));
        }
        if let Some(zero_point) = &q.zero_point {
            entry.insert("zero_point".into(), json!(zero_point));
        }
    }
    if let Some(p) = &info.preprocess {
        entry.insert("preprocess".into(), json!(p));
    }
    Ok(Value::Object(entry))
}

fn numbers(info: &TensorInfo, data: &Array) -> Result<Value> {
    let bytes = matches!(info.dtype, Dtype::Fp8e4m3 | Dtype::Fp8e5m2);
    let data = if bytes { data.reinterpreted(Dtype::Uint8).unwrap_or_else(|| data.clone()) } else { data.clone() };
    let whole = data.dtype().is_int() || data.dtype() == Dtype::Bool;
    let number = |v: f64| if whole { json!(v as i64) } else { number_to_json(v) };
    Ok(Value::Array(data.to_f64()?.into_iter().map(number).collect()))
}
