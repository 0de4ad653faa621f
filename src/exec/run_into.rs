//! Runs whose results are written to memory of the caller's.
use super::{
    Backend, Feeds, Session,
    plan::{Network, Plan, TensorEntry, TensorIndex},
    steps::ResultBuffers,
    value_info::returned_dtype,
};
use crate::{
    array::{Array, ArrayMut, Loan},
    base::{Error, Result, argument, invalid, shape_text},
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

impl<B: Backend> Session<B> {
    /// Like [`Session::run`], but writes the tensors of these names to `results`, and computes only what they need.
    ///
    /// A backend whose buffers are the host's memory, such as [`CpuBackend`](super::CpuBackend), writes straight to the
    /// arrays. What no kernel writes is copied: inputs, coefficients, tensors that share the memory of others, and
    /// results of `If` and `Loop`. Other backends copy every result.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, array::ArrayMut, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.relu(x).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// let mut results = [("y", ArrayMut::zeros(Dtype::Float32, &[2])?)];
    /// session.run_into(&[("x", Array::from([-1f32, 2.0]))], &mut results)?;
    /// assert_eq!(results[0].1.elements::<f32>()?, [0.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`run`](super::run). If a name is unknown or given twice, or an array has another shape or dtype
    /// than [`Session::outputs`] says or overlaps with another result, a feed, a coefficient or a variable, nothing is
    /// written; if the run fails later or is interrupted, the values of the arrays are unspecified. If a kernel of
    /// [`CpuBackend::with_custom`](super::CpuBackend::with_custom) keeps a result as an operand, its array is lost.
    pub fn run_into<S: AsRef<str>>(&self, feeds: &(impl Feeds + ?Sized), results: &mut [(S, ArrayMut)]) -> Result<()> {
        let wanted = self.wanted_by_name(results.iter().map(|(name, _)| name.as_ref()))?;
        for (tensor, (_, array)) in wanted.iter().zip(&*results) {
            self.check_result(*tensor, array)?;
        }
        let mut fed = self.checked_feeds(feeds)?;
        self.add_variables(&mut fed)?;
        self.check_overlap(feeds, &fed, results)?;
        let planned = self.planned(&wanted);
        let plan = self.plan(fed.keys().copied().collect(), planned)?;
        self.check_memory(&plan)?;
        let (mut loans, mut lent) = (Vec::new(), Vec::new());
        for (_, array) in &mut *results {
            let (array, loan) = std::mem::take(array).lend();
            lent.push(array);
            loans.push(loan);
        }
        let outcome = self.places(&plan, &wanted, lent).and_then(|mut places| {
            let computed = self.on_threads(&plan, || self.go(fed, (&plan, planned), &mut places, None))?;
            // Those that a kernel has written are dropped, so that their loans can end.
            let elsewhere = |(array, loan): (Array, &Loan)| Ok(if loan.is_of(&array)? { None } else { Some(array) });
            reordered(planned, computed, &wanted).into_iter().zip(&loans).map(elsewhere).collect::<Result<Vec<_>>>()
        });
        returned(results, loans, outcome)
    }

    /// Finds the tensors of results.
    ///
    /// # Errors
    /// Returns an error if a name is unknown or given twice.
    pub(super) fn wanted_by_name<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<Vec<TensorIndex>> {
        let mut seen = HashSet::new();
        let find = |name| match self.find("tensor", name)? {
            tensor if seen.insert(tensor) => Ok(tensor),
            _ => Err(invalid(format!("the result {name:?} is given twice"))),
        };
        names.map(find).collect()
    }

    /// Returns the tensors for which the plan of a run that wants these is made: the usual ones, if they are the same but for
    /// the order. The run must compute them in this order, since a recorded run has only one.
    pub(super) fn planned<'w>(&'w self, wanted: &'w [TensorIndex]) -> &'w [TensorIndex] {
        let [usual, own]: [HashSet<_>; 2] = [&self.wanted, wanted].map(|list: &[_]| list.iter().collect());
        if usual == own { &self.wanted } else { wanted }
    }

    fn check_result(&self, tensor: TensorIndex, array: &ArrayMut) -> Result<()> {
        let ty = &self.network.entry(tensor)?.ty;
        let expected = (returned_dtype(ty), ty.shape.as_slice());
        if (array.dtype(), array.shape()) == expected {
            return Ok(());
        }
        let found = format!("{} {}", shape_text(array.shape()), array.dtype());
        let expected = format!("the result is {} {}", shape_text(expected.1), expected.0);
        Err(argument(format!("the array for {:?}", ty.name), found, expected))
    }

    /// Checks that results overlap neither with each other nor with what is read: feeds, coefficients and variables. The arrays
    /// of safe code do not.
    fn check_overlap<S: AsRef<str>>(
        &self,
        feeds: &(impl Feeds + ?Sized),
        fed: &HashMap<TensorIndex, Array>,
        results: &mut [(S, ArrayMut)],
    ) -> Result<()> {
        let coefficients = self.coefficient_memory.get_or_init(|| CoefficientMemory::new(&self.network));
        let mut ranges: Vec<Occupied> = Vec::new();
        for (name, array) in results {
            let (range, name) = (addresses(array.bytes()), format!("the result {:?}", name.as_ref()));
            if let Some(coefficient) = coefficients.within(&range) {
                return Err(overlap(&name, &format!("the coefficient {coefficient:?}")));
            }
            ranges.push((range, true, name));
        }
        for (name, array) in feeds.feeds().filter(|(_, array)| array.source_path().is_none()) {
            ranges.push((addresses(array.bytes()?), false, format!("the array fed to {name:?}")));
        }
        for variable in self.network.variables() {
            if let Some(range) = fed.get(&variable).and_then(memory) {
                ranges.push((range, false, format!("the variable {:?}", self.network.entry(variable)?.ty.name)));
            }
        }
        check_apart(ranges)
    }

    /// Returns buffers over the arrays, by the tensors whose kernels write them, if the backend has such buffers.
    fn places(
        &self,
        plan: &Plan<B>,
        wanted: &[TensorIndex],
        arrays: Vec<ArrayMut>,
    ) -> Result<ResultBuffers<B::Buffer>> {
        let mut places = HashMap::new();
        for (tensor, array) in wanted.iter().zip(arrays) {
            let source = plan.sources.get(tensor).copied().unwrap_or(*tensor);
            let ty = &plan.entry(source)?.ty;
            if plan.recorder.is_none()
                && ty.buffer_dtype() == array.dtype()
                && let Some(buffer) = self.placement.backend.over(array.reshaped(&ty.shape)?)
            {
                places.insert(source, buffer);
            }
        }
        Ok(places)
    }
}

/// Returns the values of tensors, which are those of `from`, in the order of `to`, which has the same tensors.
pub(super) fn reordered<T: Clone>(from: &[TensorIndex], values: Vec<T>, to: &[TensorIndex]) -> Vec<T> {
    let by_tensor: HashMap<_, _> = from.iter().zip(values).collect();
    to.iter().filter_map(|tensor| by_tensor.get(tensor).cloned()).collect()
}

/// Puts the arrays back at the end of their loans, and copies the values that are elsewhere to them.
///
/// # Errors
/// Returns the error of the run, or an error if an array is still in use.
fn returned<S: AsRef<str>>(
    results: &mut [(S, ArrayMut)],
    loans: Vec<Loan>,
    outcome: Result<Vec<Option<Array>>>,
) -> Result<()> {
    let (values, mut outcome) = match outcome {
        Ok(values) => (values, Ok(())),
        Err(e) => (vec![None; results.len()], Err(e)),
    };
    let mut written = Vec::new();
    let end = |name: &str, array: &mut ArrayMut, loan: Loan, values: Option<Array>| -> Result<()> {
        let kept = |_| invalid(format!("a kernel has kept {name:?}, which it may only read while it runs"));
        *array = loan.end().map_err(kept)?;
        if let Some(values) = values {
            array.bytes().copy_from_slice(values.bytes()?);
        }
        Ok(())
    };
    // The values that are elsewhere may be in the memory of another result, whose loan ends afterwards.
    for (((name, array), loan), values) in results.iter_mut().zip(loans).zip(values) {
        match values {
            None => written.push((name, array, loan)),
            Some(values) => outcome = outcome.and(end(name.as_ref(), array, loan, Some(values))),
        }
    }
    for (name, array, loan) in written {
        outcome = outcome.and(end(name.as_ref(), array, loan, None));
    }
    outcome
}

/// The memory of an array, whether it is that of a result, and what it is called in messages.
type Occupied = (Range<usize>, bool, String);

/// Checks that no result overlaps with another one or with what is read.
fn check_apart(mut ranges: Vec<Occupied>) -> Result<()> {
    ranges.retain(|(range, ..)| !range.is_empty());
    ranges.sort_by_key(|(range, ..)| range.start);
    // The range of each kind that ends last, so far.
    let mut last: [Option<&Occupied>; 2] = [None, None];
    for own in &ranges {
        let (range, is_result, name) = own;
        let before = last.iter().flatten().filter(|(_, other_is_result, _)| *is_result || *other_is_result);
        if let Some((_, _, other)) = before.into_iter().find(|(other, ..)| other.end > range.start) {
            return Err(if *is_result { overlap(name, other) } else { overlap(other, name) });
        }
        let last = &mut last[usize::from(*is_result)];
        if last.is_none_or(|(other, ..)| other.end < range.end) {
            *last = Some(own);
        }
    }
    Ok(())
}

fn overlap(name: &str, other: &str) -> Error {
    invalid(format!("the memory of {name} overlaps with that of {other}"))
}

fn addresses(bytes: &[u8]) -> Range<usize> {
    bytes.as_ptr().addr()..bytes.as_ptr().addr() + bytes.len()
}

/// Returns the memory from which the elements of an array are read; `None` if they are in a file.
fn memory(array: &Array) -> Option<Range<usize>> {
    if array.source_path().is_some() {
        return None;
    }
    // What is computed from stored integers need not be kept in memory.
    if let Some(stored) = array.dequantized_from() {
        return memory(&stored.integers);
    }
    if let Some(packed) = array.unpacked_from() {
        return memory(&packed.bytes);
    }
    array.bytes().ok().map(addresses)
}

/// The memory of a session's coefficients, which may be somebody else's: that of NumPy's arrays, for example.
pub(super) struct CoefficientMemory(Vec<Coefficient>);

struct Coefficient {
    start: usize,
    /// Of this coefficient and those that start before it, the end of the one that ends last, and its name.
    end: usize,
    name: String,
}

impl CoefficientMemory {
    fn new(network: &Network) -> CoefficientMemory {
        let constants = network.tensors.iter().flatten().filter_map(|entry| Some((entry, entry.constant.as_ref()?)));
        let initial = network.variables.iter().filter_map(|v| Some((network.entry(v.tensor).ok()?, &v.initial)));
        let of = |(entry, array): (&TensorEntry, &Array)| {
            let Range { start, end } = memory(array).filter(|range| !range.is_empty())?;
            Some(Coefficient { start, end, name: entry.ty.name.clone() })
        };
        let mut all: Vec<Coefficient> = constants.chain(initial).filter_map(of).collect();
        all.sort_by_key(|coefficient| coefficient.start);
        for i in 1..all.len() {
            if all[i - 1].end > all[i].end {
                (all[i].end, all[i].name) = (all[i - 1].end, all[i - 1].name.clone());
            }
        }
        CoefficientMemory(all)
    }
    /// Returns the name of a coefficient that overlaps with a range.
    fn within(&self, range: &Range<usize>) -> Option<&str> {
        let CoefficientMemory(all) = self;
        let before = all.partition_point(|coefficient| coefficient.start < range.end);
        let last = all[..before].last().filter(|last| last.end > range.start && !range.is_empty());
        last.map(|last| last.name.as_str())
    }
}
