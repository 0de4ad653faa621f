//! Reads operands and writes results chunk by chunk, so that kernels need little workspace.
use super::{
    blocked::fill_each,
    convert::{is_supported, write_rounded},
    elementwise::broadcast_strides,
    int8::{ByteReals, Rounding},
};
use crate::{
    ValueType,
    array::Array,
    base::{Cause, Dtype, Result},
    quant::{Quantization, RoundMode, channel_axis},
};
use std::ops::Range;

/// Elements of a chunk: enough work for a thread, and few enough for its cache.
pub(super) const CHUNK: usize = 1 << 14;

/// Calls `f` for each block of `inner` elements that overlaps the `n` elements from `first` on, with the index of the
/// block and the overlapping range.
pub(super) fn blocks(first: usize, n: usize, inner: usize, mut f: impl FnMut(usize, Range<usize>)) {
    let (inner, mut done) = (inner.max(1), 0);
    while done < n {
        let at = first + done;
        let end = n.min(done + inner - at % inner);
        f(at / inner, done..end);
        done = end;
    }
}

/// The scales and zero points of a tensor, by element.
pub(super) struct Scaling {
    scales: Vec<f64>,
    zero_points: Vec<i64>,
    channels: usize,
    inner: usize,
}

impl Scaling {
    fn of(ty: &ValueType) -> Option<Scaling> {
        let (scales, zero_points) = ty.quantization.as_ref().map(Quantization::values)?;
        let axis = channel_axis(&ty.shape, scales.len()).unwrap_or(1);
        let channels = ty.shape.get(axis).copied().unwrap_or(1);
        let inner = ty.shape.get(axis + 1..).map_or(1, |s| s.iter().product());
        Some(Scaling { scales, zero_points, channels, inner })
    }
    /// Returns the scale and zero point of the element at that offset.
    fn at(&self, place: usize) -> (f64, i64) {
        let c = (place / self.inner % self.channels).min(self.scales.len() - 1);
        (self.scales[c], self.zero_points[c.min(self.zero_points.len() - 1)])
    }
    /// Calls `f` with scale, zero point and each run of values that share them.
    fn runs<T>(&self, first: usize, values: &mut [T], mut f: impl FnMut(f64, i64, &mut [T])) {
        if self.scales.len() == 1 {
            return f(self.scales[0], self.zero_points[0], values);
        }
        blocks(first, values.len(), self.inner, |block, part| {
            let (scale, zero) = self.at(block * self.inner);
            f(scale, zero, &mut values[part]);
        });
    }
}

/// How to iterate over an operand that is broadcast to a result.
#[derive(Clone)]
pub(super) struct Walk {
    outer: Vec<(usize, usize)>,
    row: usize,
    step: usize,
}

impl Walk {
    pub fn new(operand: &[usize], result: &[usize]) -> Walk {
        let rank = result.len();
        let strides = broadcast_strides(operand, rank);
        // Trailing axes with a common stride are merged into one long row.
        let (mut row, mut step, mut outer) = (1, 0, rank);
        while outer > 0 {
            let (d, stride) = (result[outer - 1], strides[outer - 1]);
            if !(d == 1 || row == 1 || stride == step * row) {
                break;
            }
            if row == 1 && d != 1 {
                step = stride;
            }
            row *= d;
            outer -= 1;
        }
        let mut all: Vec<(usize, usize)> = Vec::new();
        for (d, stride) in result[..outer].iter().copied().zip(strides) {
            match all.last_mut() {
                // The operand is contiguous across both axes, or broadcast along both.
                Some((n, last)) if *last == stride * d => (*n, *last) = (*n * d, stride),
                _ => all.push((d, stride)),
            }
        }
        Walk { outer: all, row, step }
    }
    /// Whether the operand has the elements of the result, in the same order.
    fn is_identity(&self) -> bool {
        self.outer.is_empty() && (self.step == 1 || self.row == 1)
    }
    /// Calls `f` for each part within one row of the result's `n` elements from `first` on, with the offset of its first
    /// element in the operand and the stride there.
    pub fn runs(&self, first: usize, n: usize, f: impl FnMut(Range<usize>, usize, usize)) {
        self.visit::<false>(first, n, f);
    }
    /// Like [`Walk::runs`], but a part may also consist of several whole rows that have the same elements in the operand.
    fn visit<const REPEATED: bool>(&self, first: usize, n: usize, mut f: impl FnMut(Range<usize>, usize, usize)) {
        let (row, &(rows, stride)) = (self.row.max(1), self.outer.last().unwrap_or(&(1, 0)));
        let mut done = 0;
        while done < n {
            let (mut block, mut offset) = ((first + done) / row, (first + done) % row);
            let mut left = rows - block % rows;
            let mut start = 0;
            for &(d, stride) in self.outer.iter().rev() {
                start += block % d * stride;
                block /= d;
            }
            // A division takes longer than a short row, so the rest of the last axis is stepped through instead.
            while left > 0 && done < n {
                let is_repeated = REPEATED && stride == 0 && offset == 0;
                let same = if is_repeated { ((n - done) / row).clamp(1, left) } else { 1 };
                let end = n.min(done + same * row - offset);
                f(done..end, start + offset * self.step, self.step);
                (done, offset, start, left) = (end, 0, start + stride, left - same);
            }
        }
    }
    /// Fills `out` by reading each part of a row, and copies rows that are repeated.
    fn fill<T: Copy>(&self, first: usize, out: &mut [T], mut read: impl FnMut(usize, usize, &mut [T])) {
        self.visit::<true>(first, out.len(), |part, start, step| {
            let part = &mut out[part];
            let row = self.row.max(1);
            let mut done = part.len().min(row);
            read(start, step, &mut part[..done]);
            let most = (COPIED / row).max(1) * row;
            while done < part.len() {
                let more = done.min(most).min(part.len() - done);
                part.copy_within(..more, done);
                done += more;
            }
        });
    }
}

/// Minimum number of elements of rows that are read in place. Copying shorter ones is faster.
const LONG_ROW: usize = 64;

/// An operand of float32, broadcast to a result and read in place.
pub(super) struct Rows<'a> {
    floats: &'a [f32],
    walk: Walk,
}

/// Part of a row.
pub(super) enum Row<'a> {
    Elements(&'a [f32]),
    Repeated(f32),
}

impl Rows<'_> {
    /// Calls `f` for each part within one row of the result's `n` elements from `first` on.
    pub fn visit(&self, first: usize, n: usize, mut f: impl FnMut(Range<usize>, Row)) {
        self.walk.runs(first, n, |part, start, step| {
            let row = match step {
                0 => Row::Repeated(self.floats[start]),
                _ => Row::Elements(&self.floats[start..][..part.len()]),
            };
            f(part, row);
        });
    }
}

/// An operand, broadcast to a result and read as numbers.
pub(super) struct Source<'a> {
    dtype: Dtype,
    bytes: &'a [u8],
    scaling: Option<Scaling>,
    /// The faster way to read consecutive bytes.
    byte_reals: Option<ByteReals>,
    walk: Walk,
}

impl<'a> Source<'a> {
    /// # Errors
    /// Returns an error if the array is float and not float32, or not in memory.
    pub fn new(array: &'a Array, ty: &ValueType, result: &[usize]) -> Result<Self> {
        Source::of_shape(array, ty, array.shape(), result)
    }
    /// Like [`Source::new`], but reads the array in another shape of the same size.
    pub fn of_shape(array: &'a Array, ty: &ValueType, shape: &[usize], result: &[usize]) -> Result<Self> {
        if array.dtype().is_float() && array.dtype() != Dtype::Float32 {
            let argument = format!("the buffer of {:?}", ty.name);
            return Err(
                Cause::Dtype { argument, found: array.dtype(), allowed: vec![Dtype::Float32], remedy: None }.into()
            );
        }
        let scaling = if array.dtype() == Dtype::Float32 { None } else { Scaling::of(ty) };
        let walk = Walk::new(shape, result);
        let byte_reals = if array.dtype() == ty.dtype { ByteReals::new(ty) } else { None };
        Ok(Source { dtype: array.dtype(), bytes: array.bytes()?, scaling, byte_reals, walk })
    }
    /// Reads the operand's elements for the result's elements from `first` on, as real numbers.
    pub fn reals(&self, first: usize, out: &mut [f32]) {
        self.walk.fill(first, out, |start, step, out| {
            if let (1, Some(reals)) = (step, self.byte_reals) {
                return reals.read(&self.bytes[start..], out);
            }
            read_reals(self.dtype, self.bytes, start, step, out);
            let Some(scaling) = &self.scaling else { return };
            let real = |s: f64, z: i64, run: &mut [f32]| {
                let (s, z) = (s as f32, z as f32);
                run.iter_mut().for_each(|v| *v = (*v - z) * s);
            };
            match step {
                1 => scaling.runs(start, out, real),
                _ => {
                    for (i, v) in out.iter_mut().enumerate() {
                        let (s, z) = scaling.at(start + i * step);
                        real(s, z, std::slice::from_mut(v));
                    }
                }
            }
        });
    }
    /// Like [`Source::reals`], but without a copy if the operand consists of float32 and is not broadcast.
    pub fn read<'b>(&self, first: usize, buffer: &'b mut [f32]) -> &'b [f32]
    where
        'a: 'b,
    {
        match self.floats(first, buffer.len()) {
            Some(floats) => floats,
            None => {
                self.reals(first, buffer);
                buffer
            }
        }
    }
    /// Returns `n` elements if the operand consists of float32 and is not broadcast.
    pub fn floats(&self, first: usize, n: usize) -> Option<&'a [f32]> {
        match self.dtype {
            Dtype::Float32 if self.walk.is_identity() => {
                bytemuck::try_cast_slice(self.bytes).ok()?.get(first..first + n)
            }
            _ => None,
        }
    }
    /// Returns the rows of an operand that consists of float32, if these are long.
    pub fn rows(&self) -> Option<Rows<'a>> {
        let floats = bytemuck::try_cast_slice(self.bytes).ok().filter(|_| self.dtype == Dtype::Float32)?;
        let is_long = self.walk.row >= LONG_ROW && self.walk.step <= 1;
        is_long.then(|| Rows { floats, walk: self.walk.clone() })
    }
    /// Returns `n` of an operand's bytes as they are stored; without a copy if it is not broadcast.
    pub fn bytes<'b>(&self, first: usize, n: usize, buffer: &'b mut Vec<u8>) -> &'b [u8]
    where
        'a: 'b,
    {
        if self.walk.is_identity() {
            return &self.bytes[first..][..n];
        }
        buffer.resize(n, 0);
        self.walk.fill(first, buffer, |start, step, out| read(self.bytes, start, step, out, |[byte]| byte));
        buffer
    }
    /// Like [`Source::reals`], but reads stored values. float32 is truncated to integers and saturated; NaN becomes 0.
    pub fn ints(&self, first: usize, out: &mut [i64]) {
        self.walk.fill(first, out, |start, step, out| read_ints(self.dtype, self.bytes, start, step, out));
    }
}

/// Elements that are copied at a time. From 2 KiB on, the C library copies by a single instruction, which some processors execute
/// five times as slowly for some distances between the two places.
const COPIED: usize = 256;

/// Sets `out[i]` to element `start + i * step`, read from bytes without alignment requirements.
fn read<const S: usize, N: Copy>(bytes: &[u8], start: usize, step: usize, out: &mut [N], f: impl Fn([u8; S]) -> N) {
    let all = bytes.as_chunks::<S>().0;
    match step {
        0 => out.fill(f(all[start])),
        1 => {
            let parts = out.chunks_mut(COPIED).zip(all[start..].chunks(COPIED));
            parts.for_each(|(out, all)| fill_each(out, all, &f));
        }
        _ => out.iter_mut().enumerate().for_each(|(i, o)| *o = f(all[start + i * step])),
    }
}

fn read_reals(dtype: Dtype, bytes: &[u8], start: usize, step: usize, out: &mut [f32]) {
    match dtype {
        Dtype::Int8 => read(bytes, start, step, out, |b| f32::from(i8::from_le_bytes(b))),
        Dtype::Uint8 | Dtype::Bool => read(bytes, start, step, out, |b| f32::from(u8::from_le_bytes(b))),
        Dtype::Int16 => read(bytes, start, step, out, |b| f32::from(i16::from_le_bytes(b))),
        Dtype::Uint16 => read(bytes, start, step, out, |b| f32::from(u16::from_le_bytes(b))),
        Dtype::Int32 => read(bytes, start, step, out, |b| i32::from_le_bytes(b) as f32),
        Dtype::Uint32 => read(bytes, start, step, out, |b| u32::from_le_bytes(b) as f32),
        Dtype::Int64 => read(bytes, start, step, out, |b| i64::from_le_bytes(b) as f32),
        Dtype::Uint64 => read(bytes, start, step, out, |b| u64::from_le_bytes(b) as f32),
        _ => read(bytes, start, step, out, f32::from_le_bytes),
    }
}

fn read_ints(dtype: Dtype, bytes: &[u8], start: usize, step: usize, out: &mut [i64]) {
    match dtype {
        Dtype::Int8 => read(bytes, start, step, out, |b| i8::from_le_bytes(b).into()),
        Dtype::Uint8 | Dtype::Bool => read(bytes, start, step, out, |b| u8::from_le_bytes(b).into()),
        Dtype::Int16 => read(bytes, start, step, out, |b| i16::from_le_bytes(b).into()),
        Dtype::Uint16 => read(bytes, start, step, out, |b| u16::from_le_bytes(b).into()),
        Dtype::Int32 => read(bytes, start, step, out, |b| i32::from_le_bytes(b).into()),
        Dtype::Uint32 => read(bytes, start, step, out, |b| u32::from_le_bytes(b).into()),
        Dtype::Int64 => read(bytes, start, step, out, i64::from_le_bytes),
        Dtype::Uint64 => read(bytes, start, step, out, |b| i64::try_from(u64::from_le_bytes(b)).unwrap_or(i64::MAX)),
        _ => read(bytes, start, step, out, |b| f32::from_le_bytes(b) as i64),
    }
}

/// Converts numbers to a result's elements: scaled, rounded and saturated. NaN becomes 0.
pub(super) struct Store {
    dtype: Dtype,
    scaling: Option<Scaling>,
    round: RoundMode,
    /// The faster way to store bytes.
    bytes: Option<Rounding>,
}

impl Store {
    pub fn new(ty: &ValueType, round: RoundMode) -> Store {
        Store { dtype: ty.buffer_dtype(), scaling: Scaling::of(ty), round, bytes: Rounding::new(ty, round) }
    }
    /// Writes real numbers as the elements from `first` on.
    pub fn reals(&self, first: usize, values: &[f32], bytes: &mut [u8]) {
        if let Some(rounding) = &self.bytes {
            return rounding.write_reals(values, bytes);
        }
        if self.scaling.is_none() && is_supported(self.dtype) {
            return write_rounded(self.dtype, self.round, values, bytes);
        }
        let (low, high) = self.dtype.int_range().unwrap_or((0, 1));
        let mut at = 0;
        // Small enough for the stack.
        for values in values.chunks(256) {
            let mut buffer = [0f64; 256];
            let reals = &mut buffer[..values.len()];
            reals.iter_mut().zip(values).for_each(|(r, v)| *r = f64::from(*v));
            let finish = |s: f64, z: i64, run: &mut [f64]| {
                let each = |v: &mut f64| *v = (self.round.round(*v / s) + z as f64).clamp(low as f64, high as f64);
                run.iter_mut().for_each(each);
            };
            match &self.scaling {
                Some(scaling) => scaling.runs(first + at, reals, finish),
                None => finish(1.0, 0, reals),
            }
            let size = self.dtype.size();
            write_reals(self.dtype, reals, &mut bytes[at * size..(at + values.len()) * size]);
            at += values.len();
        }
    }
    /// Writes integers, saturated.
    pub fn ints(&self, values: &[i64], bytes: &mut [u8]) {
        let (low, high) = self.dtype.int_range().unwrap_or((i64::MIN, i64::MAX));
        macro_rules! by_dtype {
            ($($($d:ident)|+: $t:ty),*) => { match self.dtype {
                $($(Dtype::$d)|+ => write(values, bytes, move |v: i64| (v.clamp(low, high) as $t).to_le_bytes()),)*
                _ => write(values, bytes, |v| (v as f32).to_le_bytes()),
            } };
        }
        by_dtype!(Int8: i8, Uint8 | Bool: u8, Int16: i16, Uint16: u16, Int32: i32, Uint32: u32, Int64: i64, Uint64: u64)
    }
}

fn write<const S: usize, N: Copy>(values: &[N], bytes: &mut [u8], f: impl Fn(N) -> [u8; S]) {
    fill_each(bytes.as_chunks_mut::<S>().0, values, f);
}

fn write_reals(dtype: Dtype, values: &[f64], bytes: &mut [u8]) {
    macro_rules! by_dtype {
        ($($d:ident: $t:ty),*) => { match dtype {
            $(Dtype::$d => write(values, bytes, |v| (v as $t).to_le_bytes()),)*
            Dtype::Bool => write(values, bytes, |v| [u8::from(v != 0.0)]),
            _ => write(values, bytes, |v| (v as f32).to_le_bytes()),
        } };
    }
    by_dtype!(Int8: i8, Uint8: u8, Int16: i16, Uint16: u16, Int32: i32, Uint32: u32, Int64: i64, Uint64: u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Precision};
    use ndarray::{ArrayD, Dimension, IxDyn};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn broadcasting_is_ndarrays(dims in prop::collection::vec((1usize..5, any::<bool>()), 1..5), drop in 0usize..3, at in any::<prop::sample::Index>()) {
            let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
            let own: Vec<usize> = dims.iter().map(|d| if d.1 { 1 } else { d.0 }).skip(drop.min(dims.len())).collect();
            let a = ArrayD::from_shape_fn(IxDyn(&own), |i| i.slice().iter().fold(1, |n, &j| n * 7 + j as i32));
            let want: Vec<i64> = a.broadcast(IxDyn(&shape)).unwrap().iter().map(|&v| v.into()).collect();
            let ty = ValueType { name: "a".into(), shape: own, layout: Layout::Plain, dtype: Dtype::Int32, quantization: None, precision: Precision::F32 };
            let array = Array::from(a);
            let source = Source::new(&array, &ty, &shape).unwrap();
            // A chunk may begin within a row.
            let first = at.index(want.len());
            let mut got = vec![0; want.len() - first];
            source.ints(first, &mut got);
            prop_assert_eq!(got, want[first..].to_vec());
        }
    }

    #[test]
    fn each_channel_has_its_own_scale() {
        let quantization =
            Some(Quantization { scale: Some(vec![1.0, 0.5].into()), zero_point: Some(vec![0, 2].into()) });
        let ty = ValueType {
            name: "a".into(),
            shape: vec![2, 2, 3],
            layout: Layout::Plain,
            dtype: Dtype::Int8,
            quantization,
            precision: Precision::F32,
        };
        let array = Array::from_vec([2, 2, 3], (0..12).collect::<Vec<i8>>()).unwrap();
        let source = Source::new(&array, &ty, &ty.shape).unwrap();
        let mut reals = [0.0; 10];
        source.reals(2, &mut reals);
        assert_eq!(reals, [2.0, 0.5, 1.0, 1.5, 6.0, 7.0, 8.0, 3.5, 4.0, 4.5]);
        let mut stored = [0; 10];
        Store::new(&ty, RoundMode::default()).reals(2, &reals, &mut stored);
        assert_eq!(stored, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    }
}
