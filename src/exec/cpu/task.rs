//! What kernels see: operands as numbers, and the memory of results.
use crate::{
    array::{Array, ArrayMut, zeros},
    base::{Cause, Dtype, Result, invalid},
    exec::{Operand, ValueType},
    quant::{Quantization, RoundMode, channel_axis},
};
use rayon::prelude::*;
use std::borrow::Cow;

/// One run of a kernel: its operands and its results.
pub(super) struct Task<'a> {
    operands: &'a [Array],
    results: Vec<Output<'a>>,
}

/// A result, which a kernel writes, or which shares an operand's memory.
struct Output<'a> {
    ty: &'a ValueType,
    array: Written,
}

enum Written {
    Nothing,
    Memory(ArrayMut),
    Shared(Array),
}

/// What happens to real numbers before they are stored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Finish {
    /// `max(x, 0)`, capped where the limit is positive.
    relu: Option<f64>,
    round: RoundMode,
}

impl Finish {
    pub fn relu(do_relu: bool, limit: f64) -> Self {
        Finish { relu: do_relu.then_some(limit), ..Finish::default() }
    }
    pub fn round(round: RoundMode) -> Self {
        Finish { round, ..Finish::default() }
    }
    pub fn and_round(self, round: RoundMode) -> Self {
        Finish { round, ..self }
    }
}

impl<'a> Task<'a> {
    pub fn new(operands: &'a [Array], results: &'a [ValueType]) -> Self {
        Task { operands, results: results.iter().map(|ty| Output { ty, array: Written::Nothing }).collect() }
    }
    pub fn finish(self) -> Result<Vec<Array>> {
        self.results
            .into_iter()
            .map(|r| match r.array {
                Written::Memory(memory) => Ok(memory.freeze()),
                Written::Shared(array) => Ok(array),
                Written::Nothing => Err(invalid(format!("the kernel did not write {:?}", r.ty.name))),
            })
            .collect()
    }

    /// The stored values of an operand.
    pub fn array(&self, operand: &Operand) -> Result<&'a Array> {
        self.operands
            .get(operand.index())
            .ok_or_else(|| Cause::MissingData(format!("the operand {:?} has no values", operand.ty.name)).into())
    }
    /// An operand's stored elements as integers.
    pub fn ints(&self, operand: &Operand) -> Result<Vec<i64>> {
        to_ints(self.array(operand)?)
    }
    /// An operand as real numbers: quantized values are dequantized.
    pub fn reals(&self, operand: &Operand) -> Result<Cow<'a, [f32]>> {
        let array = self.array(operand)?;
        if array.dtype() == Dtype::Float32 {
            return array.elements();
        }
        let (ty, mut values) = (&operand.ty, array.to_f32()?);
        if let Some(q) = &ty.quantization {
            let (scales, zero_points) = q.values();
            let axis = channel_axis(&ty.shape, scales.len()).unwrap_or(1);
            each_channel(&ty.shape, axis, &mut values, |c, run| {
                let (s, z) = (scales[c.min(scales.len() - 1)] as f32, zero_points[c.min(zero_points.len() - 1)] as f32);
                run.iter_mut().for_each(|v| *v = (*v - z) * s);
            });
        }
        Ok(Cow::Owned(values))
    }

    /// The type of a result.
    pub fn result(&self, i: usize) -> Result<&'a ValueType> {
        let result = self.results.get(i).map(|r| r.ty);
        result.ok_or_else(|| invalid(format!("the operator has no result {i}")))
    }
    /// The memory of a result, in its buffer's dtype; all 0 at first.
    pub fn memory(&mut self, i: usize) -> Result<&mut ArrayMut> {
        let ty = self.result(i)?;
        let output = &mut self.results[i];
        if !matches!(output.array, Written::Memory(_)) {
            output.array = Written::Memory(ArrayMut::zeros(ty.buffer_dtype(), &ty.shape)?);
        }
        match &mut output.array {
            Written::Memory(memory) => Ok(memory),
            _ => Err(invalid("the result has no memory")),
        }
    }
    /// The result is an array that is there already, seen in the result's shape.
    pub fn share(&mut self, i: usize, array: &Array) -> Result<()> {
        let shared = array.reshaped(&self.result(i)?.shape)?;
        self.results[i].array = Written::Shared(shared);
        Ok(())
    }
    /// Real numbers as a result, written by `fill`: floats as they are, integers rounded and saturated, quantized ones by
    /// their scale and zero point.
    pub fn write(&mut self, i: usize, finish: Finish, fill: impl FnOnce(&mut [f32]) -> Result<()>) -> Result<()> {
        let ty = self.result(i)?;
        if ty.buffer_dtype() == Dtype::Float32 {
            let memory = self.memory(i)?.elements()?;
            fill(memory)?;
            finish.relu.into_iter().for_each(|limit| relu(memory, limit));
            return Ok(());
        }
        let mut values = zeros(ty.elements())?;
        fill(&mut values)?;
        finish.relu.into_iter().for_each(|limit| relu(&mut values, limit));
        let stored = stored(ty, values, finish.round)?;
        self.memory(i)?.bytes().copy_from_slice(stored.bytes()?);
        Ok(())
    }
    /// Integers as a result, saturated.
    pub fn write_ints(&mut self, i: usize, values: Vec<i64>) -> Result<()> {
        let ty = self.result(i)?;
        let stored = from_ints(ty.buffer_dtype(), &ty.shape, values)?;
        self.memory(i)?.bytes().copy_from_slice(stored.bytes()?);
        Ok(())
    }
}

/// Real numbers as a tensor of integers stores them.
pub(super) fn stored(ty: &ValueType, values: Vec<f32>, round: RoundMode) -> Result<Array> {
    if ty.buffer_dtype() == Dtype::Float32 {
        return Array::from_vec(&ty.shape, values);
    }
    let (low, high) = ty.dtype.int_range().unwrap_or((0, 1));
    let mut reals: Vec<f64> = values.into_iter().map(f64::from).collect();
    let (scales, zero_points) = ty.quantization.as_ref().map_or((vec![1.0], vec![0]), Quantization::values);
    let axis = channel_axis(&ty.shape, scales.len()).unwrap_or(1);
    each_channel(&ty.shape, axis, &mut reals, |c, run| {
        let (s, z) = (scales[c.min(scales.len() - 1)], zero_points[c.min(zero_points.len() - 1)] as f64);
        run.iter_mut().for_each(|v| *v = (round.round(*v / s) + z).clamp(low as f64, high as f64));
    });
    Array::from_f64s(ty.dtype, &ty.shape, reals.into_iter())
}

/// `max(x, 0)`, and `min(x, limit)` where the limit is positive.
pub(super) fn relu(values: &mut [f32], limit: f64) {
    let top = if limit > 0.0 { limit as f32 } else { f32::INFINITY };
    // Comparisons, not f32::max: NaN passes through.
    let f = |v: &mut f32| {
        *v = if *v < 0.0 {
            0.0
        } else if *v > top {
            top
        } else {
            *v
        }
    };
    if values.len() > 1 << 16 {
        values.par_chunks_mut(1 << 14).for_each(|c| c.iter_mut().for_each(f));
    } else {
        values.iter_mut().for_each(f);
    }
}

/// Calls `f` with the index along `axis` and each run of values that share it.
fn each_channel<T>(shape: &[usize], axis: usize, values: &mut [T], f: impl Fn(usize, &mut [T])) {
    let channels = shape.get(axis).copied().unwrap_or(1);
    let inner: usize = shape.get(axis + 1..).map_or(1, |s| s.iter().product());
    for (i, run) in values.chunks_mut(inner.max(1)).enumerate() {
        f(i % channels, run);
    }
}

pub(super) fn to_ints(array: &Array) -> Result<Vec<i64>> {
    macro_rules! by_dtype {
        ($($d:ident: $t:ty),*) => { match array.dtype() {
            $(Dtype::$d => Ok(array.elements::<$t>()?.iter().map(|&v| v as i64).collect()),)*
            _ => Ok(array.to_f64()?.into_iter().map(|v| v as i64).collect()),
        } };
    }
    by_dtype!(Int8: i8, Uint8: u8, Int16: i16, Uint16: u16, Int32: i32, Uint32: u32, Int64: i64, Uint64: u64)
}

pub(super) fn from_ints(dtype: Dtype, shape: &Vec<usize>, values: Vec<i64>) -> Result<Array> {
    let (low, high) = dtype.int_range().unwrap_or((i64::MIN, i64::MAX));
    macro_rules! by_dtype {
        ($($d:ident: $t:ty),*) => { match dtype {
            $(Dtype::$d => Array::from_vec(shape, values.into_iter().map(|v| v.clamp(low, high) as $t).collect::<Vec<_>>()),)*
            _ => Array::from_f64s(dtype, shape, values.into_iter().map(|v| v as f64)),
        } };
    }
    by_dtype!(Int8: i8, Uint8: u8, Int16: i16, Uint16: u16, Int32: i32, Uint32: u32, Int64: i64, Uint64: u64)
}
