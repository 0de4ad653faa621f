//! Choosing a method for each tensor, by the error that quantizing it causes in what reads it.
use super::{
    Entry, Method, Precision, Statistics, Table,
    histogram::floor,
    lanes::{SUMS, for_lanes},
    numbers,
    quantized::aligned,
};
use crate::{
    array::Array,
    base::{Error, Result},
    exec::{Backend, Feeds, Session},
    graph::{Graph, Tensor, TensorInfo},
    ops::Op,
};
use indexmap::{IndexMap, IndexSet};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};
use std::collections::HashMap;

/// Compares the thresholds of all methods, tensor by tensor. Each one in turn is rounded to the integers of a chip, and the operators
/// that read it run with the rounded numbers. The threshold with the smallest error of their results is chosen.
///
/// After each sample, the best third of a tensor's thresholds is kept, so the first sample takes longest. This is successive halving
/// (Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", 2016) with the factor that Li et
/// al. suggest ("Hyperband", 2018).
///
/// Finally, thresholds change by up to 1.6 %: in sums, products and means, the chip rescales integers by the ratio of two thresholds,
/// rounded to a multiplier of eight bits. In a residual network, these errors accumulate. Thresholds whose ratios are such multipliers
/// avoid them.
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
/// let mut statistics = Statistics::new(&g)?;
/// statistics.run(&session, &["sample"], &feeds)?;
/// let mut chooser = Chooser::new(&g, &statistics, Precision::Int8)?;
/// chooser.add(&session, &feeds)?;
/// assert!(chooser.table()?.entries["x"].threshold < 10.0);
/// # Ok::<(), tpulang::Error>(())
/// ```
pub struct Chooser<'s> {
    graph: &'s Graph,
    statistics: &'s Statistics,
    precision: Precision,
    tensors: IndexMap<String, Candidates>,
    /// The operands of each operator that has no blocks, and its results.
    operators: Vec<(IndexSet<String>, Vec<String>)>,
    /// How often a gain is multiplied with others.
    depth: f64,
}

/// Thresholds whose ratio is smaller are not compared with each other: they round numbers almost alike.
const CLOSE: f32 = 1.02;

/// After each sample, one in this many thresholds is kept.
const PER_KEPT: usize = 3;

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

    /// Keeps the best third.
    fn reduce(&mut self) {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by(|a, b| self.errors[*a].total_cmp(&self.errors[*b]));
        order.truncate(order.len().div_ceil(PER_KEPT));
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
    pub fn new(graph: &'s Graph, statistics: &'s Statistics, precision: Precision) -> Result<Chooser<'s>> {
        let name = |t| graph.tensor(t).map(|info| info.name.clone());
        let mut operators = Vec::new();
        let mut readers: HashMap<String, Vec<usize>> = HashMap::new();
        for operator in graph.operators().iter().filter(|operator| operator.blocks.is_empty()) {
            // An operator may read a tensor twice.
            let operands = operator.op.operands().map(|(_, t)| name(*t)).collect::<Result<IndexSet<_>>>()?;
            let results = operator.outputs().map(name).collect::<Result<Vec<_>>>()?;
            operands.iter().for_each(|operand| readers.entry(operand.clone()).or_default().push(operators.len()));
            operators.push((operands, results));
        }
        let tables = Method::all().map(|method| statistics.table(method, precision)).collect::<Result<Vec<_>>>()?;
        let mut tensors = IndexMap::new();
        for name in tables.iter().take(1).flat_map(|table| table.entries.keys()) {
            let is_signed = statistics.tensors()[name].histogram.is_signed();
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
        Ok(Chooser { graph, statistics, precision, tensors, operators, depth })
    }

    /// Whether further samples cannot change the choice: one threshold of each tensor is left.
    pub fn is_decided(&self) -> bool {
        !self.tensors.values().any(Candidates::are_compared)
    }

    /// Runs the graph on a sample, and each operator with each threshold of its operands. All tensors of the run are in memory
    /// meanwhile, as are, for each thread, a rounded tensor and the results of an operator.
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
            let error_with = |entry: &Entry| {
                let rounded = rounded(&numbers, entry.threshold, tensor.levels, tensor.is_signed);
                // What nothing reads is an output of the network.
                if tensor.readers.is_empty() {
                    return Ok(relative_error(&numbers, &rounded, self.depth));
                }
                let rounded = Array::from_vec(array.shape(), rounded)?.to_dtype(array.dtype())?;
                let of_reader = |r: &usize| self.error_of(session, &self.operators[*r], (name, &rounded), &arrays);
                tensor.readers.iter().map(of_reader).sum::<Result<f64>>()
            };
            // The first one makes the readers' plans, which the others share.
            let errors = session.install(|| {
                let (first, others) = tensor.entries.split_at(1);
                let first = first.iter().map(error_with).collect::<Result<Vec<f64>>>()?;
                let others = others.par_iter().map(error_with).collect::<Result<Vec<f64>>>()?;
                Ok::<_, Error>([first, others].concat())
            })?;
            tensor.errors.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error);
            tensor.reduce();
        }
        self.tensors = tensors;
        Ok(())
    }

    /// Returns the error of an operator's results if one of its operands is rounded; 0 if the network does not need it.
    fn error_of<B: Backend>(
        &self,
        session: &Session<B>,
        (operands, results): &(IndexSet<String>, Vec<String>),
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

    /// Returns the table of the thresholds with the smallest errors. The first of several equal ones is that of [`Method::Max`].
    ///
    /// # Errors
    /// Same as for [`Statistics::table`], and if weights cannot be read.
    pub fn table(&self) -> Result<Table> {
        let table = self.statistics.table_by("auto", |name, histogram| {
            let entry = Method::Max.entry(histogram, self.precision);
            let best = self.tensors.get(name).and_then(Candidates::best);
            Entry { threshold: best.unwrap_or(&entry).threshold, ..entry }
        })?;
        match self.precision {
            Precision::Int8 => aligned(self.graph, table),
            Precision::Int4 => Ok(table),
        }
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
    let scales = [levels as f32 / threshold, threshold / levels as f32];
    let range = [if is_signed { -(levels as f32) - 1.0 } else { 0.0 }, levels as f32];
    let mut rounded = vec![0.0; numbers.len()];
    let chunks = rounded.par_chunks_mut(CHUNK).zip(numbers.par_chunks(CHUNK));
    chunks.for_each(|(to, numbers)| Rounding { numbers, scales, range, to }.dispatch());
    rounded
}

/// Rounds numbers with the machine's vector instructions.
struct Rounding<'n, 't> {
    numbers: &'n [f32],
    scales: [f32; 2],
    range: [f32; 2],
    to: &'t mut [f32],
}

impl SimdOp for Rounding<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let Rounding { numbers, scales, range, to } = self;
        for (to, number) in to.iter_mut().zip(numbers) {
            *to = nearest(*number, scales, range);
        }
    }
}

/// Rounds a number to the nearest integer of a range, and scales it back. NaN becomes 0.
#[inline(always)]
fn nearest(number: f32, [per_scale, scale]: [f32; 2], [low, high]: [f32; 2]) -> f32 {
    // Comparisons rather than `clamp`, which may panic, so that the compiler vectorizes this.
    let level = number * per_scale;
    let level = if level.is_nan() { 0.0 } else { level };
    let level = if level < low { low } else { level };
    let level = if level > high { high } else { level };
    // An integer has no -0.0.
    (floor(level.abs() + 0.5) as f32).copysign(level) * scale + 0.0
}

/// Numbers that are summed at a time, so that the sum does not depend on the threads.
const CHUNK: usize = 1 << 14;

/// Returns the error of numbers relative to the sum of their squares: the variance, and `depth` times the square of the gain.
///
/// Rounding errors of different operators are independent, so their squares add up from operator to operator. Clamping makes
/// numbers smaller, in each operator again: it is these errors themselves that add up.
fn relative_error(numbers: &[f32], approximate: &[f32], depth: f64) -> f64 {
    let chunks = numbers.par_chunks(CHUNK).zip(approximate.par_chunks(CHUNK));
    let parts: Vec<[f64; 3]> =
        chunks.map(|(numbers, approximate)| ErrorSums { numbers, approximate }.dispatch()).collect();
    let sum = |i: usize| parts.iter().map(|part| part[i]).sum::<f64>();
    let (error, along, all) = (sum(0), sum(1), sum(2));
    let gain = along / all;
    // The gain is part of the squared error once.
    let relative = if all == 0.0 { error } else { error / all + (depth - 1.0) * gain * gain };
    // Infinite numbers are the worst, and NaN would be sorted before finite errors.
    if relative.is_nan() { f64::INFINITY } else { relative }
}

/// Adds to the sums of [`ErrorSums`].
#[inline(always)]
fn add_products(sums: &mut [[f64; SUMS]; 3], numbers: &[f32; SUMS], approximate: &[f32; SUMS]) {
    let (mut exact, mut differences) = ([0.0; SUMS], [0.0; SUMS]);
    for lane in 0..SUMS {
        // What is infinite or NaN anyway, as masked scores are, says nothing about a threshold.
        let is_finite = numbers[lane].is_finite();
        let (number, approximate) = (f64::from(numbers[lane]), f64::from(approximate[lane]));
        exact[lane] = if is_finite { number } else { 0.0 };
        differences[lane] = if is_finite { approximate - number } else { 0.0 };
    }
    for lane in 0..SUMS {
        sums[0][lane] += differences[lane] * differences[lane];
        sums[1][lane] += exact[lane] * differences[lane];
        sums[2][lane] += exact[lane] * exact[lane];
    }
}

/// Sums the squared differences, the products of numbers and differences, and the squared numbers, with the machine's vector
/// instructions.
struct ErrorSums<'n> {
    numbers: &'n [f32],
    approximate: &'n [f32],
}

impl SimdOp for ErrorSums<'_> {
    type Output = [f64; 3];
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> [f64; 3] {
        let mut sums = [[0.0; SUMS]; 3];
        for_lanes(self.numbers, self.approximate, |numbers, approximate| add_products(&mut sums, numbers, approximate));
        sums.map(|lanes| lanes.into_iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_number() -> impl Strategy<Value = f32> {
        prop_oneof![
            4 => -3f32..3.0,
            1 => any::<f32>(),
            1 => prop::sample::select(vec![0.0, -0.0, 0.5, -0.5, 2.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY]),
        ]
    }

    #[test]
    fn infinite_results_are_the_worst() {
        for depth in [1.0, 3.0] {
            assert_eq!(relative_error(&[1.0, 2.0], &[f32::INFINITY, 2.0], depth), f64::INFINITY);
            assert_eq!(relative_error(&[1.0, 2.0], &[f32::NAN, 2.0], depth), f64::INFINITY);
            let masked = [1.0, f32::NEG_INFINITY, f32::NAN];
            assert_eq!(relative_error(&masked, &[1.0, f32::NEG_INFINITY, 3.0], depth), 0.0);
        }
    }

    proptest! {
        #[test]
        fn numbers_are_rounded_to_the_levels_of_a_chip(
            numbers in prop::collection::vec(any_number(), 0..50),
            threshold in prop_oneof![Just(127f32), Just(1.0), 0.1f32..4.0],
            levels in prop::sample::select(vec![7u32, 127, 255, 32767]),
            is_signed: bool,
        ) {
            let (low, high) = (if is_signed { -(levels as f32) - 1.0 } else { 0.0 }, levels as f32);
            let expected = numbers.iter().map(|x| {
                let level = (x * (levels as f32 / threshold)).clamp(low, high);
                let nearest = if level.is_nan() { 0 } else { (level + 0.5f32.copysign(level)) as i32 };
                nearest as f32 * (threshold / levels as f32)
            });
            let got = rounded(&numbers, threshold, levels, is_signed).into_iter().map(f32::to_bits);
            prop_assert_eq!(got.collect::<Vec<_>>(), expected.map(f32::to_bits).collect::<Vec<_>>());
        }

        #[test]
        fn errors_do_not_depend_on_vectors(pairs in prop::collection::vec((-3f32..3.0, -3f32..3.0), 1..40)) {
            let (numbers, approximate): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let pairs = || numbers.iter().zip(&approximate).map(|(a, b)| (f64::from(*a), f64::from(*b)));
            let all: f64 = pairs().map(|(a, _)| a * a).sum();
            let expected = pairs().map(|(a, b)| (b - a) * (b - a)).sum::<f64>() / all;
            let got = relative_error(&numbers, &approximate, 1.0);
            prop_assert!((got - expected).abs() <= 1e-12 * expected.max(1e-300), "{got} and {expected}");
        }
    }
}
