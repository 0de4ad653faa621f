//! What kernels see of a task, and how values become real numbers and are stored again.
use crate::{
    array::Array,
    exec::{Task, Typed},
    graph::{Attributes, Cause, Dtype, Result},
    quant::{Quantization, RoundMode},
};
use rayon::prelude::*;
use std::borrow::Cow;

/// A task on arrays.
pub(super) struct CpuTask<'a>(pub &'a Task<'a, Array>);

impl CpuTask<'_> {
    pub fn attributes(&self) -> &Attributes {
        self.0.attributes
    }
    pub fn has(&self, i: usize) -> bool {
        matches!(self.0.operands.get(i), Some(Some(_)))
    }
    pub fn operands(&self) -> usize {
        self.0.operands.len()
    }
    pub fn operand(&self, i: usize) -> Result<(&Typed<'_>, &Array)> {
        let operand = self.0.operands.get(i).and_then(Option::as_ref);
        operand.map(|(t, a)| (t, a)).ok_or_else(|| {
            let problem = format!("operand {i} is missing");
            Cause::Operator { op: self.0.op.name.into(), problem }.into()
        })
    }
    pub fn shape(&self, i: usize) -> Result<&[usize]> {
        Ok(&self.operand(i)?.0.info.shape)
    }
    pub fn dtype(&self, i: usize) -> Result<Dtype> {
        Ok(self.operand(i)?.0.buffer_dtype())
    }
    /// An operand's stored elements as integers.
    pub fn ints(&self, i: usize) -> Result<Vec<i64>> {
        to_ints(self.operand(i)?.1)
    }
    /// An operand as real numbers: quantized values are dequantized.
    pub fn reals(&self, i: usize) -> Result<Cow<'_, [f32]>> {
        let (typed, array) = self.operand(i)?;
        if array.dtype() == Dtype::Float32 {
            return array.elements();
        }
        let mut values = array.to_f32()?;
        if let Some(q) = typed.quantization {
            let (scales, zero_points) = q.values();
            let axis = channel_axis(&typed.info.shape, scales.len());
            each_channel(&typed.info.shape, axis, &mut values, |c, run| {
                let (s, z) = (scales[c.min(scales.len() - 1)] as f32, zero_points[c.min(zero_points.len() - 1)] as f32);
                run.iter_mut().for_each(|v| *v = (*v - z) * s);
            });
        }
        Ok(Cow::Owned(values))
    }
    pub fn result(&self, i: usize) -> Result<&Typed<'_>> {
        self.0.results.get(i).ok_or_else(|| {
            Cause::Operator { op: self.0.op.name.into(), problem: format!("result {i} is missing") }.into()
        })
    }
    pub fn result_shape(&self) -> Result<&[usize]> {
        Ok(&self.result(0)?.info.shape)
    }
    /// The rounding mode of the op, half away from zero where it has none.
    pub fn round_mode(&self) -> RoundMode {
        self.attributes().str("round_mode").parse().unwrap_or_default()
    }
    /// `max(x, 0)` with the limit, where the op's attributes ask for it.
    pub fn fused_relu(&self, values: &mut [f32]) {
        if self.attributes().bool("do_relu") {
            relu(values, self.attributes().float("relu_limit"));
        }
    }
    /// Stores real numbers as the first result: floats as they are, integers rounded and saturated, quantized ones
    /// by their scale and zero point.
    pub fn store(&self, mut values: Vec<f32>) -> Result<Vec<Array>> {
        let typed = *self.result(0)?;
        self.fused_relu(&mut values);
        Ok(vec![self.store_as(&typed, values)?])
    }
    pub fn store_as(&self, typed: &Typed, values: Vec<f32>) -> Result<Array> {
        let shape = typed.info.shape.clone();
        if typed.buffer_dtype() == Dtype::Float32 {
            return Array::from_vec(shape, values);
        }
        let mode = self.round_mode();
        let (low, high) = typed.info.dtype.int_range().unwrap_or((0, 1));
        let mut reals: Vec<f64> = values.into_iter().map(f64::from).collect();
        let (scales, zero_points) = typed.quantization.map_or((vec![1.0], vec![0]), Quantization::values);
        let axis = channel_axis(&shape, scales.len());
        each_channel(&shape, axis, &mut reals, |c, run| {
            let (s, z) = (scales[c.min(scales.len() - 1)], zero_points[c.min(zero_points.len() - 1)] as f64);
            run.iter_mut().for_each(|v| *v = (mode.round(*v / s) + z).clamp(low as f64, high as f64));
        });
        Array::from_f64s(typed.info.dtype, shape, reals.into_iter())
    }
    /// Stores integers as the first result, saturated.
    pub fn store_ints(&self, values: Vec<i64>) -> Result<Vec<Array>> {
        let info = self.result(0)?.info;
        Ok(vec![from_ints(info.dtype, info.shape.clone(), values)?])
    }
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

/// The axis that lists of `n` values belong to: 1, as TpuLang writes it, or 0 (a filter's output channels).
fn channel_axis(shape: &[usize], n: usize) -> usize {
    if shape.get(1) == Some(&n) || shape.first() != Some(&n) { 1 } else { 0 }
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

pub(super) fn from_ints(dtype: Dtype, shape: Vec<usize>, values: Vec<i64>) -> Result<Array> {
    let (low, high) = dtype.int_range().unwrap_or((i64::MIN, i64::MAX));
    macro_rules! by_dtype {
        ($($d:ident: $t:ty),*) => { match dtype {
            $(Dtype::$d => Array::from_vec(shape, values.into_iter().map(|v| v.clamp(low, high) as $t).collect::<Vec<_>>()),)*
            _ => Array::from_f64s(dtype, shape, values.into_iter().map(|v| v as f64)),
        } };
    }
    by_dtype!(Int8: i8, Uint8: u8, Int16: i16, Uint16: u16, Int32: i32, Uint32: u32, Int64: i64, Uint64: u64)
}
