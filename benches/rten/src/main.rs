//! Runs rten while its network is measured, as `peers.py` runs the other programs.
//!
//! `tpulang-bench-rten FOLDER` reads `net.onnx` and `inputs.npz`, and writes `outputs_rten.npz`. When it is ready, it prints a
//! line of JSON, then one with milliseconds for each number of runs that it reads. rten takes the number of threads from
//! `RTEN_NUM_THREADS`.
use anyhow::{Context, Result, anyhow, bail};
use ndarray::{ArrayD, ArrayViewD};
use ndarray_npy::{NpzReader, NpzWriter, ReadableElement};
use rten::{DataType, Model, ModelOptions, NodeId, Value, ValueType};
use rten_tensor::{AsView, Layout};
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).context("usage: tpulang-bench-rten FOLDER")?;
    match measure(Path::new(&folder)) {
        Ok(()) => Ok(()),
        Err(e) => say(&json!({"problem": format!("{e:#}")})),
    }
}

fn measure(folder: &Path) -> Result<()> {
    let before = memory("RssAnon")?;
    let start = Instant::now();
    // The other programs repack weights when they load a network, too.
    let model = ModelOptions::with_all_ops().prepack_weights(true).load_file(folder.join("net.onnx"))?;
    let loaded = milliseconds(start);
    let inputs = read(&model, &folder.join("inputs.npz"))?;
    let run = || -> Result<Vec<Value>> {
        let given = inputs.iter().map(|(id, value)| (*id, value.into())).collect();
        Ok(model.run(given, model.output_ids(), None)?)
    };
    let start = Instant::now();
    let outputs = run()?;
    let first = loaded + milliseconds(start);
    let path = folder.join("outputs_rten.npz");
    write(&model, &outputs, &path)?;
    drop(outputs);
    say(&json!({"version": version(), "outputs": path, "first_ms": first}))?;
    for line in io::stdin().lock().lines() {
        let mut times = Vec::new();
        for _ in 0..line?.trim().parse()? {
            let start = Instant::now();
            run()?;
            times.push(milliseconds(start));
        }
        let private = memory("VmHWM")?.saturating_sub(memory("RssFile")?);
        say(&json!({"ms": times, "private_bytes": private.saturating_sub(before)}))?;
    }
    Ok(())
}

fn say(message: &serde_json::Value) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    Ok(out.flush()?)
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// Returns a size from the process's status, in bytes.
fn memory(key: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let value = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kilobytes: u64 = value.and_then(|v| v.split_whitespace().next()).context("no such size")?.parse()?;
    Ok(kilobytes * 1024)
}

/// Returns the version of rten in Cargo.lock.
fn version() -> &'static str {
    let mut lines = include_str!("../Cargo.lock").lines().skip_while(|line| *line != "name = \"rten\"");
    lines.nth(1).and_then(|line| line.split('"').nth(1)).unwrap_or("")
}

fn name(model: &Model, id: NodeId) -> Result<String> {
    let node = model.node_info(id).context("an input or output without description")?;
    Ok(node.name().context("an input or output without name")?.to_owned())
}

/// Returns the model's inputs.
fn read(model: &Model, path: &Path) -> Result<Vec<(NodeId, Value)>> {
    let mut arrays = NpzReader::new(File::open(path)?)?;
    let value = |&id: &NodeId| -> Result<(NodeId, Value)> {
        let (name, kind) = (name(model, id)?, model.node_info(id).and_then(|node| node.dtype()));
        let value = match kind {
            Some(ValueType::Tensor(DataType::Float)) => array::<f32>(&mut arrays, &name)?,
            Some(ValueType::Tensor(DataType::Int32)) => array::<i32>(&mut arrays, &name)?,
            Some(ValueType::Tensor(DataType::UInt8)) => array::<u8>(&mut arrays, &name)?,
            other => bail!("input {name} has type {other:?}"),
        };
        Ok((id, value))
    };
    model.input_ids().iter().map(value).collect()
}

fn array<T: ReadableElement + Clone>(arrays: &mut NpzReader<File>, name: &str) -> Result<Value>
where
    Value: From<rten_tensor::Tensor<T>>,
{
    let array: ArrayD<T> = arrays.by_name(name)?;
    let shape = array.shape().to_vec();
    Value::from_shape(shape, array.into_iter().collect::<Vec<T>>()).map_err(|e| anyhow!("{e}"))
}

fn write(model: &Model, outputs: &[Value], path: &Path) -> Result<()> {
    let mut arrays = NpzWriter::new(File::create(path)?);
    for (&id, value) in model.output_ids().iter().zip(outputs) {
        let name = name(model, id)?;
        match value {
            Value::FloatTensor(t) => arrays.add_array(name, &ArrayViewD::from_shape(t.shape(), &t.to_vec())?)?,
            Value::Int32Tensor(t) => arrays.add_array(name, &ArrayViewD::from_shape(t.shape(), &t.to_vec())?)?,
            other => bail!("output {name} has type {:?}", other.dtype()),
        };
    }
    arrays.finish()?;
    Ok(())
}
