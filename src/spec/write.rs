use crate::{
    array::{Array, write_npz},
    graph::{Cause, Dtype, Error, Graph, Mode, Result, TensorInfo, TensorKind},
};
use serde_json::{Map, Value, json};
use std::{fmt::Write, path::Path};

/// A graph as a spec. `weights` names the file (written by [`save`]) that holds the coefficients' data; without one
/// they stand in the spec.
///
/// # Errors
/// The graph has operators that no call made (it was read from MLIR, or they were inserted one by one); or data
/// that JSON cannot hold (NaN, infinity) would have to stand in the spec.
pub fn to_text(graph: &Graph, weights: Option<&str>) -> Result<String> {
    let by_calls: usize = graph.calls.iter().map(|c| c.operators).sum();
    let without = graph.operators().len() - by_calls;
    if without > 0 {
        let problem = format!(
            "{without} operators were inserted or read from MLIR, not made by function calls, which a spec consists of"
        );
        return Err(Cause::MissingData(problem).into());
    }
    let mut out = String::new();
    let name_list = |tensors: &[crate::Tensor]| -> Result<String> {
        let names = tensors.iter().map(|t| graph.tensor(*t).map(|t| t.name.as_str())).collect::<Result<Vec<_>>>()?;
        Ok(json!(names).to_string())
    };
    let mode = if graph.mode == Mode::F32 { "f32" } else { "quantized" };
    let _ = write!(out, "{{\n  \"version\": 1,\n  \"name\": {},\n  \"mode\": {}", json!(graph.name()), json!(mode));
    if let Some(file) = weights {
        let _ = write!(out, ",\n  \"weights\": {}", json!(file));
    }
    let mut declared = Vec::new();
    for (_, info) in graph.tensors().filter(|(_, t)| t.kind != TensorKind::Value && !made_by_call(graph, &t.name)) {
        declared.push(format!("    {}: {}", json!(info.name), declaration(info, weights.is_none())?));
    }
    let _ = write!(
        out,
        ",\n  \"tensors\": {{\n{}\n  }},\n  \"inputs\": {}",
        declared.join(",\n"),
        name_list(graph.inputs())?
    );
    let mut calls = Vec::new();
    for call in &graph.calls {
        let args = call.args.to_json(graph).map_err(|e| Error::from(Cause::Syntax(e.to_string())))?;
        let outputs =
            call.outputs.iter().map(|t| graph.tensor(*t).map(|t| json!(t.name))).collect::<Result<Vec<_>>>()?;
        let outputs = if let [one] = outputs.as_slice() { one.clone() } else { Value::Array(outputs) };
        let mut entry =
            Map::from_iter([("op".into(), json!(call.function)), ("args".into(), args), ("out".into(), outputs)]);
        if !call.out_quant.is_empty() {
            let one = call.outputs.len() == 1;
            entry.insert("out_quant".into(), if one { json!(call.out_quant[0]) } else { json!(call.out_quant) });
        }
        calls.push(format!("    {}", Value::Object(entry)));
    }
    let _ = write!(
        out,
        ",\n  \"ops\": [\n{}\n  ],\n  \"outputs\": {}\n}}\n",
        calls.join(",\n"),
        name_list(graph.outputs())?
    );
    Ok(out)
}

/// Writes a graph as `path` with its coefficients beside it, in an npz of the same stem.
///
/// # Errors
/// As [`to_text`], or writing failed.
pub fn save(graph: &Graph, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let npz = path.with_extension("npz");
    let file = npz.file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
    let text = to_text(graph, Some(&file))?;
    let data = graph.tensors().filter_map(|(_, t)| match &t.kind {
        TensorKind::Coefficient(Some(data)) => Some((t.name.as_str(), data)),
        _ => None,
    });
    write_npz(&npz, data)?;
    std::fs::write(path, text).map_err(Error::io(path))
}

/// Coefficients that a call makes of its scalars are made again when the spec is read.
fn made_by_call(graph: &Graph, name: &str) -> bool {
    graph.scalar_coefficients.contains(name)
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
    let number = |v: f64| match whole {
        true => Ok(json!(v as i64)),
        false if v.is_finite() => Ok(json!(v)),
        false => Err(Cause::MissingData(format!(
            "the coefficient {:?} holds {v}, which JSON cannot; write it to a weights file",
            info.name
        ))
        .into()),
    };
    data.to_f64()?.into_iter().map(number).collect::<Result<Vec<_>>>().map(Value::Array)
}
