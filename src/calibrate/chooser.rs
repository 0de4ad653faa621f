//! Choosing a method for each tensor, by the error that quantizing it causes in what reads it.
use super::{Entry, Method, Precision, Statistics, Table, numbers};
use crate::{
    array::Array,
    base::Result,
    exec::{Backend, Feeds, Session},
    graph::{Graph, Tensor, TensorInfo},
    ops::Op,
};
use indexmap::IndexMap;
use rayon::prelude::*;
use std::collections::HashMap;

/// Compares the thresholds of all methods, tensor by tensor. Each one in turn is rounded to the integers of a chip, and the operators
/// that read it run with the rounded numbers. The threshold with the smallest error of their results is chosen.
///
/// After each sample, the worse half of a tensor's thresholds is dropped, so the first sample takes longest. This is successive halving
/// (Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", 2016).
///
/// ```
/// use tpulang::{Array, Dtype, Graph, calibrate::{Chooser, Precision, Statistics}, exec::{CpuBackend, FusionLevel, RunOptions, Session}};
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [1001])?;
/// // What is clamped does not matter here.
/// let y = g.clamp(x, -1.0, 1.0).out_name("y").call()?;
/// g.set_outputs(&[y])?;
/// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().fusion(FusionLevel::Layouts))?;
/// let mut numbers: Vec<f32> = (0..1000).map(|i| (i as f32).sin()).collect();
/// numbers.push(50.0);
/// let feeds = [("x", Array::from_vec([1001], numbers)?)];
///
/// let mut statistics = Statistics::new(&g);
/// statistics.run(&session, &["sample"], &feeds)?;
/// let mut chooser = Chooser::new(&g, &statistics, Precision::Int8)?;
/// chooser.add(&session, &feeds)?;
/// assert!(chooser.table()?.entries["x"].threshold < 10.0);
/// # Ok::<(), tpulang::Error>(())
/// ```
pub struct Chooser<'s> {
    statistics: &'s Statistics,
    precision: Precision,
    tensors: IndexMap<String, Candidates>,
    /// The operands of each operator that has no blocks, and its results.
    operators: Vec<(Vec<String>, Vec<String>)>,
    /// How often a gain is multiplied with others.
    depth: f64,
}

/// Thresholds whose ratio is smaller are not compared with each other: they round numbers almost alike.
const CLOSE: f32 = 1.01;

/// The thresholds of a tensor that may be chosen.
struct Candidates {
    /// In the order of the methods.
    entries: Vec<Entry>,
    /// The relative squared error of each so far, summed over readers and samples.
    errors: Vec<f64>,
    /// The operators that read it.
    readers: Vec<usize>,
    levels: u32,
    is_signed: bool,
}

impl Candidates {
    /// Whether a further sample can change the choice.
    fn are_compared(&self) -> bool {
        self.entries.len() > 1
    }

    /// Keeps the better half.
    fn halve(&mut self) {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by(|a, b| self.errors[*a].total_cmp(&self.errors[*b]));
        order.truncate(order.len().div_ceil(2));
        order.sort_unstable();
        self.entries = order.iter().map(|i| self.entries[*i]).collect();
        self.errors = order.iter().map(|i| self.errors[*i]).collect();
    }

    /// Returns the best threshold so far. If several are equal, it is the first of them.
    fn best(&self) -> Option<&Entry> {
        self.entries.iter().zip(&self.errors).min_by(|a, b| a.1.total_cmp(b.1)).map(|(entry, _)| entry)
    }
}

/// Returns the thresholds, without those that are close to an earlier one.
fn distinct(entries: impl Iterator<Item = Entry>) -> Vec<Entry> {
    let mut kept: Vec<Entry> = Vec::new();
    for entry in entries {
        let is_close = |other: &Entry| {
            let (a, b) = (entry.threshold, other.threshold);
            a == b || a.max(b) < CLOSE * a.min(b)
        };
        if !kept.iter().any(is_close) {
            kept.push(entry);
        }
    }
    kept
}

impl<'s> Chooser<'s> {
    /// Prepares the comparison for a graph and its statistics.
    ///
    /// # Errors
    /// Same as for [`Statistics::table`].
    pub fn new(graph: &Graph, statistics: &'s Statistics, precision: Precision) -> Result<Chooser<'s>> {
        let name = |t| graph.tensor(t).map(|info| info.name.clone());
        let mut operators = Vec::new();
        let mut readers: HashMap<String, Vec<usize>> = HashMap::new();
        for operator in graph.operators().iter().filter(|operator| operator.blocks.is_empty()) {
            let operands = operator.op.operands().map(|(_, t)| name(*t)).collect::<Result<Vec<_>>>()?;
            let results = operator.outputs().map(name).collect::<Result<Vec<_>>>()?;
            operands.iter().for_each(|operand| readers.entry(operand.clone()).or_default().push(operators.len()));
            operators.push((operands, results));
        }
        let tables = Method::all().map(|method| statistics.table(method, precision)).collect::<Result<Vec<_>>>()?;
        let mut tensors = IndexMap::new();
        for name in tables.iter().take(1).flat_map(|table| table.entries.keys()) {
            let is_signed = statistics.tensors()[name].histogram.min() < 0.0;
            // Integers, such as the indices of a Gather, stay what they are.
            let is_float =
                graph.lookup(name).and_then(|t| graph.tensor(t).ok()).is_some_and(|info| info.dtype.is_float());
            let compared = if is_float { tables.len() } else { 1 };
            let entries = distinct(tables.iter().take(compared).map(|table| table.entries[name]));
            let mut readers = readers.remove(name).unwrap_or_default();
            readers.dedup();
            let (errors, levels) = (vec![0.0; entries.len()], precision.levels(is_signed));
            tensors.insert(name.clone(), Candidates { entries, errors, readers, levels, is_signed });
        }
        let depth = depth(graph);
        Ok(Chooser { statistics, precision, tensors, operators, depth })
    }

    /// Whether further samples cannot change the choice: one threshold of each tensor is left.
    pub fn is_decided(&self) -> bool {
        !self.tensors.values().any(Candidates::are_compared)
    }

    /// Runs the graph on a sample, and each operator with each threshold of its operands. All tensors of the run are in memory
    /// meanwhile.
    ///
    /// # Errors
    /// Same as for [`Session::run`].
    pub fn add<B: Backend>(&mut self, session: &Session<B>, feeds: &(impl Feeds + ?Sized)) -> Result<()> {
        let mut arrays: IndexMap<String, Array> =
            feeds.feeds().map(|(name, array)| (name.to_owned(), array.clone())).collect();
        session.visit(feeds, &mut |name, array| {
            arrays.insert(name.to_owned(), array.clone());
            Ok(())
        })?;
        let mut tensors = std::mem::take(&mut self.tensors);
        for (name, tensor) in &mut tensors {
            let Some(array) = arrays.get(name).filter(|_| tensor.are_compared()) else { continue };
            let numbers = numbers(array)?;
            for (entry, error) in tensor.entries.iter().zip(&mut tensor.errors) {
                let rounded = rounded(&numbers, entry.threshold, tensor.levels, tensor.is_signed);
                // What nothing reads is an output of the network.
                if tensor.readers.is_empty() {
                    *error += relative_error(&numbers, &rounded, self.depth);
                }
                let rounded = Array::from_vec(array.shape(), rounded)?.to_dtype(array.dtype())?;
                for reader in &tensor.readers {
                    *error += self.error_of(session, &self.operators[*reader], (name, &rounded), &arrays)?;
                }
            }
            tensor.halve();
        }
        self.tensors = tensors;
        Ok(())
    }

    /// Returns the error of an operator's results if one of its operands is rounded; 0 if the network does not need it.
    fn error_of<B: Backend>(
        &self,
        session: &Session<B>,
        (operands, results): &(Vec<String>, Vec<String>),
        (name, rounded): (&str, &Array),
        arrays: &IndexMap<String, Array>,
    ) -> Result<f64> {
        let wanted: Vec<&str> = results.iter().map(String::as_str).filter(|name| arrays.contains_key(*name)).collect();
        if wanted.is_empty() {
            return Ok(0.0);
        }
        let array = |operand: &'_ String| if operand == name { Some(rounded) } else { arrays.get(operand) };
        let fed: Vec<(&str, Array)> =
            operands.iter().filter_map(|operand| Some((operand.as_str(), array(operand)?.clone()))).collect();
        let mut error = 0.0;
        for (result, got) in session.fetch_from(&fed[..], &wanted)? {
            error += relative_error(&numbers(&arrays[&result])?, &numbers(&got)?, self.depth);
        }
        Ok(error)
    }

    /// Returns the table of the thresholds with the smallest errors. The first of several equal ones is that of
    /// [`Method::Max`].
    ///
    /// # Errors
    /// Same as for [`Statistics::table`].
    pub fn table(&self) -> Result<Table> {
        self.statistics.table_by("auto", |name, histogram| {
            let entry = Method::Max.entry(histogram, self.precision);
            let best = self.tensors.get(name).and_then(Candidates::best);
            Entry { threshold: best.unwrap_or(&entry).threshold, ..entry }
        })
    }
}

/// Returns the mean number of operators with weights between two normalizations, which undo the gain of what they read; at least 1.
fn depth(graph: &Graph) -> f64 {
    let is_weight = |t: &Tensor| graph.tensor(*t).is_ok_and(TensorInfo::is_coefficient);
    let normalizes = |op: &Op<Tensor>| {
        matches!(op, Op::LayerNorm(_) | Op::RMSNorm(_) | Op::GroupNorm(_) | Op::InstanceNorm(_) | Op::PixelNorm(_))
    };
    let (mut normalizations, mut others) = (0u32, 0u32);
    for operator in graph.operators() {
        match normalizes(&operator.op) {
            true => normalizations += 1,
            false => others += u32::from(operator.op.operands().any(|(_, t)| is_weight(t))),
        }
    }
    (f64::from(others) / f64::from(1 + normalizations)).max(1.0)
}

/// Rounds numbers to those that a chip's integers represent.
fn rounded(numbers: &[f32], threshold: f32, levels: u32, is_signed: bool) -> Vec<f32> {
    let (scale, per_scale) = (threshold / levels as f32, levels as f32 / threshold);
    let (low, high) = (if is_signed { -(levels as f32) - 1.0 } else { 0.0 }, levels as f32);
    // Clamped before, and rounded by cutting off the fraction: `round` would be a call.
    let nearest = |x: f32| (x + if x < 0.0 { -0.5 } else { 0.5 }) as i32 as f32;
    numbers.par_iter().map(|x| nearest((x * per_scale).clamp(low, high)) * scale).collect()
}

/// Numbers that are summed at a time, so that the sum does not depend on the threads.
const CHUNK: usize = 1 << 14;

/// Returns the error of numbers relative to the sum of their squares: the variance, and `depth` times the square of the gain.
///
/// Rounding errors of different operators are independent, so their squares add up from operator to operator. Clamping makes
/// numbers smaller, in each operator again: it is these errors themselves that add up.
fn relative_error(numbers: &[f32], approximate: &[f32], depth: f64) -> f64 {
    let sums = |(a, b): (&[f32], &[f32])| {
        // Several sums of each kind, so that the compiler makes them vectors.
        const LANES: usize = 8;
        let mut lanes = [[0.0f64; LANES]; 3];
        for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
            for (lane, (a, b)) in a.iter().zip(b).enumerate() {
                let (a, difference) = (f64::from(*a), f64::from(*b) - f64::from(*a));
                lanes[0][lane] += difference * difference;
                lanes[1][lane] += a * difference;
                lanes[2][lane] += a * a;
            }
        }
        lanes.map(|lanes| lanes.into_iter().sum::<f64>())
    };
    let parts: Vec<[f64; 3]> = numbers.par_chunks(CHUNK).zip(approximate.par_chunks(CHUNK)).map(sums).collect();
    let sum = |i: usize| parts.iter().map(|part| part[i]).sum::<f64>();
    let (error, along, all) = (sum(0), sum(1), sum(2));
    if all == 0.0 {
        return error;
    }
    let gain = along / all;
    // The gain is part of the squared error once.
    error / all + (depth - 1.0) * gain * gain
}
