//! The interface of kernels: operands as numbers, and the memory of results.
use super::{
    arena::{self, Arena, Scratch},
    blocked::replace_each,
    chunks::{CHUNK, Source, Store},
    kernel::{Epilogue, Epilogues, PIECE},
};
use crate::{
    Operand, ValueType,
    array::{Array, ArrayMut, reserve, zeros},
    base::{Cause, Dtype, Result, invalid},
    quant::RoundMode,
};
use rayon::prelude::*;
use std::{borrow::Cow, sync::Arc};

/// One run of a kernel: its operands and its results.
pub(super) struct Task<'a> {
    operands: &'a [Option<Array>],
    results: Vec<Option<Output<'a>>>,
    arena: &'a Arc<Arena>,
    /// Applied to the first result, which is float, before it is stored.
    epilogues: &'a [Epilogue],
}

/// A result that a kernel writes, or that shares an operand's memory.
struct Output<'a> {
    ty: &'a ValueType,
    array: Written,
    /// The caller's memory, which the result is written to if the kernel writes it.
    into: Option<ArrayMut>,
    /// Whether the epilogues have been applied.
    is_complete: bool,
}

enum Written {
    Nothing,
    Memory(ArrayMut),
    Shared(Array),
}

/// Returns the stored elements of a tensor mapped by `f`, which also receives the index of the element.
pub(super) fn ints_of<T: Copy + Default + Send>(
    array: &Array,
    ty: &ValueType,
    f: impl Fn(usize, i64) -> T + Sync,
) -> Result<Vec<T>> {
    let (mut out, source) = (zeros(array.len())?, Source::new(array, ty, array.shape())?);
    out.par_chunks_mut(CHUNK).enumerate().for_each_init(Vec::new, |ints, (i, out)| {
        ints.resize(out.len(), 0);
        source.ints(i * CHUNK, ints);
        out.iter_mut().zip(ints).enumerate().for_each(|(j, (o, v))| *o = f(i * CHUNK + j, *v));
    });
    Ok(out)
}

/// Activation and rounding of real numbers before they are stored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PostOp {
    /// `max(x, 0)`, capped if the limit is positive.
    relu: Option<f64>,
    round: RoundMode,
}

impl PostOp {
    pub fn relu(do_relu: bool, limit: f64) -> Self {
        PostOp { relu: do_relu.then_some(limit), ..PostOp::default() }
    }
    pub fn round(round: RoundMode) -> Self {
        PostOp { round, ..PostOp::default() }
    }
    pub fn and_round(self, round: RoundMode) -> Self {
        PostOp { round, ..self }
    }
    pub fn round_mode(self) -> RoundMode {
        self.round
    }
    pub fn has_relu(self) -> bool {
        self.relu.is_some()
    }
    /// Applies the Relu to real numbers.
    pub fn reals(self, values: &mut [f32]) {
        self.relu.into_iter().for_each(|limit| relu(values, limit));
    }
    /// The bounds of the Relu, infinite without one.
    pub fn bounds(self) -> (f32, f32) {
        match self.relu {
            Some(limit) if limit > 0.0 => (0.0, limit as f32),
            Some(_) => (0.0, f32::INFINITY),
            None => (f32::NEG_INFINITY, f32::INFINITY),
        }
    }
    /// Applies the Relu to plain integers.
    pub fn ints(self, values: &mut [i64]) {
        if let Some(limit) = self.relu {
            let top = if limit > 0.0 { limit as i64 } else { i64::MAX };
            values.iter_mut().for_each(|v| *v = (*v).clamp(0, top));
        }
    }
}

impl<'a> Task<'a> {
    /// `results` are in the order of the definition; absent ones are `None`.
    pub fn new(
        operands: &'a [Option<Array>],
        results: &'a [Option<ValueType>],
        epilogues: &'a [Epilogue],
        arena: &'a Arc<Arena>,
    ) -> Self {
        let is_complete = epilogues.is_empty();
        let output = |ty: &'a ValueType| Output { ty, array: Written::Nothing, into: None, is_complete };
        Task { operands, results: results.iter().map(|ty| ty.as_ref().map(output)).collect(), arena, epilogues }
    }
    /// Creates a task whose single result is stored in `memory`, for the epilogues to be applied to it.
    pub fn over(
        memory: ArrayMut,
        operands: &'a [Option<Array>],
        results: &'a [Option<ValueType>],
        epilogues: &'a [Epilogue],
        arena: &'a Arc<Arena>,
    ) -> Result<Self> {
        let mut task = Task::new(operands, results, epilogues, arena);
        let shape = &task.result(0)?.shape;
        task.output(0)?.array = Written::Memory(memory.reshaped(shape)?);
        Ok(task)
    }
    /// Lets results be written to the memory of arrays that nobody else has. `into` has one place for each result that
    /// is not absent.
    pub fn write_into(&mut self, into: &mut [Option<Array>]) {
        for (output, place) in self.results.iter_mut().flatten().zip(into) {
            let fits = |a: &mut Array| a.dtype() == output.ty.buffer_dtype() && a.shape() == output.ty.shape;
            output.into = place.take_if(fits).and_then(|array| array.into_mut().ok());
        }
    }
    pub fn finish(mut self) -> Result<Vec<Array>> {
        self.apply_epilogues()?;
        let arena = self.arena;
        self.results
            .into_iter()
            .flatten()
            .map(|r| match r.array {
                Written::Memory(memory) => Ok(arena.freeze(memory)),
                Written::Shared(array) => Ok(array),
                Written::Nothing => Err(invalid(format!("the kernel did not write {:?}", r.ty.name))),
            })
            .collect()
    }

    /// The stored values of an operand.
    pub fn array(&self, operand: &Operand) -> Result<&'a Array> {
        let array = operand.index().and_then(|i| self.operands.get(i)?.as_ref());
        array.ok_or_else(|| Cause::MissingData(format!("the operand {:?} has no values", operand.ty.name)).into())
    }
    /// An operand to be read in chunks, broadcast to a result of that shape.
    pub fn source(&self, operand: &Operand, result: &[usize]) -> Result<Source<'a>> {
        Source::of_shape(self.array(operand)?, &operand.ty, &operand.ty.shape, result)
    }
    /// An operand's stored elements as integers: eight bytes each.
    pub fn ints(&self, operand: &Operand) -> Result<Vec<i64>> {
        self.ints_as(operand, |_, v| v)
    }
    /// An operand's stored elements mapped by `f`, which also receives the index of the element.
    pub fn ints_as<T: Copy + Default + Send>(
        &self,
        operand: &Operand,
        f: impl Fn(usize, i64) -> T + Sync,
    ) -> Result<Vec<T>> {
        ints_of(self.array(operand)?, &operand.ty, f)
    }
    /// An operand as real numbers; quantized values are dequantized. Takes four bytes per element unless it is float32.
    pub fn reals(&self, operand: &Operand) -> Result<Cow<'a, [f32]>> {
        let array = self.array(operand)?;
        if array.dtype() == Dtype::Float32 {
            return array.elements();
        }
        let (mut out, source) = (zeros(array.len())?, self.source(operand, array.shape())?);
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(i, out)| source.reals(i * CHUNK, out));
        Ok(Cow::Owned(out))
    }
    /// Like [`Task::reals`], of an operand that may be absent.
    pub fn optional_reals(&self, operand: &Option<Operand>) -> Result<Option<Cow<'a, [f32]>>> {
        operand.as_ref().map(|o| self.reals(o)).transpose()
    }

    /// Returns memory for `n` intermediate floats, with arbitrary values.
    pub fn scratch(&self, n: usize) -> Result<Scratch<'a>> {
        self.arena.scratch(n)
    }

    /// The type of a result.
    pub fn result(&self, i: usize) -> Result<&'a ValueType> {
        let result = self.results.get(i).and_then(Option::as_ref).map(|r| r.ty);
        result.ok_or_else(|| invalid(format!("the operator has no result {i}")))
    }
    /// The memory of a result, in its buffer's dtype. It is uninitialized: every element must be written.
    pub fn memory(&mut self, i: usize) -> Result<&mut ArrayMut> {
        let arena = self.arena;
        let output = self.output(i)?;
        if !matches!(output.array, Written::Memory(_)) {
            output.array = Written::Memory(match output.into.take() {
                Some(memory) => arena::overwritten(memory),
                None => arena.memory(output.ty.buffer_dtype(), &output.ty.shape)?,
            });
        }
        match &mut output.array {
            Written::Memory(memory) => Ok(memory),
            _ => Err(invalid("the result has no memory")),
        }
    }
    fn output(&mut self, i: usize) -> Result<&mut Output<'a>> {
        self.results.get_mut(i).and_then(Option::as_mut).ok_or_else(|| invalid("the result has no memory"))
    }
    /// Applies the epilogues to the first result if the kernel has not done so.
    fn apply_epilogues(&mut self) -> Result<()> {
        let Some(Some(Output { ty, array, is_complete: false, .. })) = self.results.first() else {
            return Ok(());
        };
        let shape = &ty.shape;
        if let Written::Shared(array) = array {
            let array = array.clone();
            self.memory(0)?.bytes().copy_from_slice(array.bytes()?);
        }
        let epilogues = Epilogues::new(self, self.epilogues, shape)?;
        let chunks = self.memory(0)?.elements::<f32>()?.par_chunks_mut(CHUNK).enumerate();
        chunks.for_each(|(c, out)| epilogues.apply(c * CHUNK, out));
        Ok(())
    }
    /// Hands the epilogues to the caller, which applies them to the first result.
    fn take_epilogues(&mut self, i: usize) -> Result<Epilogues<'a>> {
        let ty = self.result(i)?;
        let is_complete = std::mem::replace(&mut self.output(i)?.is_complete, true);
        Epilogues::new(self, if is_complete { &[] } else { self.epilogues }, &ty.shape)
    }
    /// Sets a result to an existing array, reshaped.
    pub fn share(&mut self, i: usize, array: &Array) -> Result<()> {
        let shared = array.with_shape(&self.result(i)?.shape)?;
        if let Some(Some(output)) = self.results.get_mut(i) {
            output.array = Written::Shared(shared);
        }
        Ok(())
    }
    /// Writes real numbers, all by one call of `fill`, as a result: integers are rounded and saturated, quantized ones scaled.
    /// Takes four additional bytes per element unless the result is float32.
    pub fn write(&mut self, i: usize, finish: PostOp, fill: impl FnOnce(&mut [f32]) -> Result<()>) -> Result<()> {
        let ty = self.result(i)?;
        if ty.buffer_dtype() == Dtype::Float32 {
            let memory = self.memory(i)?.elements()?;
            fill(memory)?;
            finish.reals(memory);
            return Ok(());
        }
        let mut values: Vec<f32> = zeros(ty.elements())?;
        fill(&mut values)?;
        finish.reals(&mut values);
        self.write_reals(i, &values, finish.round)
    }
    /// Writes real numbers as a result that is not float32: they are rounded and saturated, quantized ones scaled.
    pub fn write_reals(&mut self, i: usize, values: &[f32], round: RoundMode) -> Result<()> {
        let ty = self.result(i)?;
        let (store, size) = (Store::new(ty, round), ty.buffer_dtype().size());
        let chunks = self.memory(i)?.bytes().par_chunks_mut(CHUNK * size).enumerate();
        chunks.for_each(|(c, bytes)| store.reals(c * CHUNK, &values[c * CHUNK..][..bytes.len() / size], bytes));
        Ok(())
    }
    /// Writes a float32 result by `fill`, which calls the function that it receives for parts that together are all of the result,
    /// with the index of the first element: the epilogues are applied to each part while it is in a near cache.
    pub fn write_in_parts(
        &mut self,
        i: usize,
        fill: impl FnOnce(&mut [f32], &(dyn Fn(usize, &mut [f32]) + Sync)) -> Result<()>,
    ) -> Result<()> {
        let epilogues = self.take_epilogues(i)?;
        fill(self.memory(i)?.elements()?, &|first, part| epilogues.apply(first, part))
    }
    /// Like [`Task::write`], by chunks of entire rows; `fill` receives the index of the first element.
    pub fn fill(
        &mut self,
        i: usize,
        row: usize,
        finish: PostOp,
        fill: impl Fn(usize, &mut [f32]) -> Result<()> + Sync,
    ) -> Result<()> {
        self.fill_by(i, row, finish, &fill)
    }
    /// Like [`Task::fill`], for rows of `n` elements computed from the operand's rows, one or several at a time.
    pub fn fill_rows(
        &mut self,
        i: usize,
        operand: &Operand,
        n: usize,
        finish: PostOp,
        f: impl Fn(&[f32], &mut [f32]) + Sync,
    ) -> Result<()> {
        let source = self.source(operand, &operand.ty.shape)?;
        let floats = match self.array(operand)?.dtype() {
            Dtype::Float32 => Some(self.reals(operand)?),
            _ => None,
        };
        self.fill(i, n, finish, |first, out| {
            if let Some(all) = &floats {
                f(&all[first..first + out.len()], out);
                return Ok(());
            }
            let mut row = zeros(n)?;
            for (j, out) in out.chunks_mut(n).enumerate() {
                source.reals(first + j * n, &mut row);
                f(&row, out);
            }
            Ok(())
        })
    }
    /// Not generic, so that the loop is compiled only once.
    fn fill_by(
        &mut self,
        i: usize,
        row: usize,
        finish: PostOp,
        fill: &(dyn Fn(usize, &mut [f32]) -> Result<()> + Sync),
    ) -> Result<()> {
        let ty = self.result(i)?;
        let row = row.max(1);
        let whole_rows = |elements: usize| row.saturating_mul(elements.div_ceil(row));
        let chunk = whole_rows(chunk_size(ty.elements(), rayon::current_num_threads()));
        let piece = whole_rows(PIECE);
        let epilogues = self.take_epilogues(i)?;
        // Each piece goes through all steps before the next one, while it is in the first-level cache.
        let complete = |first: usize, out: &mut [f32]| -> Result<()> {
            fill(first, out)?;
            finish.reals(out);
            epilogues.apply(first, out);
            Ok(())
        };
        let memory = self.memory(i)?;
        if ty.buffer_dtype() == Dtype::Float32 {
            let chunks = memory.elements::<f32>()?.par_chunks_mut(chunk).enumerate();
            return chunks.try_for_each(|(c, out)| {
                let mut pieces = out.chunks_mut(piece).enumerate();
                pieces.try_for_each(|(p, out)| complete(c * chunk + p * piece, out))
            });
        }
        let (store, size) = (Store::new(ty, finish.round), ty.buffer_dtype().size());
        let chunks = memory.bytes().par_chunks_mut(chunk.saturating_mul(size)).enumerate();
        chunks.try_for_each_init(Vec::new, |reals: &mut Vec<f32>, (c, bytes)| {
            for (p, bytes) in bytes.chunks_mut(piece.saturating_mul(size)).enumerate() {
                let first = c * chunk + p * piece;
                resize(reals, bytes.len() / size)?;
                complete(first, reals)?;
                store.reals(first, reals, bytes);
            }
            Ok(())
        })
    }
    /// Writes integers as a result by chunks, saturated. `fill` must write every element: chunks share a buffer.
    pub fn fill_ints(&mut self, i: usize, fill: impl Fn(usize, &mut [i64]) + Sync) -> Result<()> {
        self.fill_ints_by(i, &fill)
    }
    fn fill_ints_by(&mut self, i: usize, fill: &(dyn Fn(usize, &mut [i64]) + Sync)) -> Result<()> {
        let ty = self.result(i)?;
        let (store, size) = (Store::new(ty, RoundMode::default()), ty.buffer_dtype().size());
        let chunks = self.memory(i)?.bytes().par_chunks_mut(CHUNK * size).enumerate();
        chunks.for_each_init(Vec::new, |ints, (c, bytes)| {
            ints.resize(bytes.len() / size, 0);
            fill(c * CHUNK, ints);
            store.ints(ints, bytes);
        });
        Ok(())
    }
    /// Writes integers as a result, saturated.
    pub fn write_ints(&mut self, i: usize, values: &[i64]) -> Result<()> {
        self.fill_ints(i, |first, out| out.copy_from_slice(&values[first..first + out.len()]))
    }
}

/// Returns the chunk size for that many elements. If there are only a few chunks, each thread gets about the same number of them.
fn chunk_size(elements: usize, threads: usize) -> usize {
    /// With more chunks per thread than this, sharing them unevenly costs little.
    const MANY: usize = 4;
    /// Computing a smaller chunk takes less time than another thread needs to pick it up.
    const SMALLEST: usize = CHUNK / 4;
    let chunks = elements.div_ceil(CHUNK);
    if chunks <= 1 || chunks > MANY * threads {
        return CHUNK;
    }
    elements.div_ceil(chunks.next_multiple_of(threads)).next_multiple_of(PIECE).max(SMALLEST)
}

/// Resizes `values`; fails if memory runs out, as a row may be as large as a tensor.
fn resize(values: &mut Vec<f32>, n: usize) -> Result<()> {
    if n > values.len() {
        let more = n - values.len();
        reserve(values, more)?;
    }
    values.resize(n, 0.0);
    Ok(())
}

/// Requantizes the stored values of an operand to the type of another tensor.
pub(super) fn requantized(array: &Array, from: &ValueType, to: &ValueType, round: RoundMode) -> Result<Array> {
    let results = [Some(ValueType { shape: from.shape.clone(), ..to.clone() })];
    let arena = Arc::default();
    let mut task = Task::new(&[], &results, &[], &arena);
    let source = Source::new(array, from, &from.shape)?;
    task.fill(0, 1, PostOp::round(round), |first, out| {
        source.reals(first, out);
        Ok(())
    })?;
    task.finish()?.pop().ok_or_else(|| invalid("the result has no memory"))
}

/// Returns `max(x, 0)`, and `min(x, limit)` if the limit is positive.
pub(super) fn relu_of(limit: f64) -> impl Fn(f32) -> f32 + Copy + Send + Sync + 'static {
    let top = if limit > 0.0 { limit as f32 } else { f32::INFINITY };
    // Comparisons, not f32::max: NaN passes through.
    move |v: f32| {
        let v = if v < 0.0 { 0.0 } else { v };
        if v > top { top } else { v }
    }
}

/// Replaces each number by its Relu.
pub(super) fn relu(values: &mut [f32], limit: f64) {
    values.par_chunks_mut(CHUNK).for_each(|chunk| replace_each(chunk, relu_of(limit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_chunks_are_shared_evenly() {
        let chunks = |elements: usize, threads| elements.div_ceil(chunk_size(elements, threads));
        assert_eq!([0, 1, CHUNK].map(|n| chunk_size(n, 4)), [CHUNK; 3], "one chunk");
        assert_eq!(chunks(3 * CHUNK, 2), 4);
        assert_eq!(chunks(3 * CHUNK, 3), 3);
        assert_eq!(chunks(2 * CHUNK + 1, 16), 9, "small ones would take longer to find than to compute");
        assert_eq!(chunk_size(100 * CHUNK, 2), CHUNK, "many");
    }
}
