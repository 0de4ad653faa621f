//! Conversion between dtypes.
use super::{Array, cast, reserve};
use crate::base::{Dtype, Result, Shape};
use half::{bf16, f16};

/// Converts FP8 E4M3 (finite, NaN at 0x7f) to float32. Source: OCP 8-bit floating point specification, table 1.
fn e4m3_to_f32(bits: u8) -> f32 {
    let (exponent, mantissa) = (i32::from(bits >> 3 & 15), f32::from(bits & 7));
    let value = match (exponent, bits & 7) {
        (15, 7) => f32::NAN,
        (0, _) => mantissa / 8.0 * (-6f32).exp2(),
        _ => (1.0 + mantissa / 8.0) * ((exponent - 7) as f32).exp2(),
    };
    if bits & 0x80 != 0 { -value } else { value }
}

/// Converts FP8 E5M2, the upper half of a float16, to float32.
fn e5m2_to_f32(bits: u8) -> f32 {
    f16::from_bits(u16::from(bits) << 8).to_f32()
}

/// Rounds to FP8 E4M3, ties to the even mantissa, saturating. NaN and the sign are kept.
fn f64_to_e4m3(x: f64) -> u8 {
    to_fp8(x, 3, -6, 0x7e)
}

/// Rounds to FP8 E5M2, likewise.
fn f64_to_e5m2(x: f64) -> u8 {
    to_fp8(x, 2, -14, 0x7b)
}

/// Rounds to FP8 with a mantissa of `bits`; normal numbers begin at `2^first`, and the largest one has the bits `largest`.
fn to_fp8(x: f64, bits: i32, first: i32, largest: i32) -> u8 {
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    if x.is_nan() {
        return sign | 0x7f;
    }
    let size = x.abs();
    // Subnormal numbers have the spacing of the smallest normal ones.
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(first);
    let mantissa = (size * f64::from(bits - exponent).exp2()).round_ties_even() as i32;
    sign | ((exponent - first) << bits).saturating_add(mantissa).min(largest) as u8
}

/// Rounds to float16, ties to the even mantissa. `f16::from_f64` rounds twice, or drops bits first, depending on the processor.
pub(super) fn f64_to_f16(x: f64) -> f16 {
    f16::from_f32(rounded_to_odd(x))
}

/// Rounds to bfloat16, ties to the even mantissa. `bf16::from_f64` drops bits first.
pub(super) fn f64_to_bf16(x: f64) -> bf16 {
    bf16::from_f32(rounded_to_odd(x))
}

/// Returns `x`, or of its two neighbors the one with an odd mantissa. Rounding that to fewer bits has the same result as rounding `x`.
/// (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.)
fn rounded_to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    if x.is_nan() || f64::from(nearest) == x {
        return nearest;
    }
    let is_beyond = f64::from(nearest).abs() > x.abs();
    f32::from_bits((nearest.to_bits() - u32::from(is_beyond)) | 1)
}

/// Returns 1 for true, which may be any byte but 0, and 0 for false.
pub(super) fn truth(byte: u8) -> u8 {
    u8::from(byte != 0)
}

fn map<T: bytemuck::Pod, U>(array: &Array, f: impl Fn(T) -> U) -> Result<Vec<U>> {
    let mut out = Vec::new();
    reserve(&mut out, array.len())?;
    array.pieces(|bytes| {
        out.extend(cast::<T>(bytes).iter().map(|&v| f(v)));
        Ok(())
    })?;
    Ok(out)
}

pub(super) fn to_f32(array: &Array) -> Result<Vec<f32>> {
    match array.dtype() {
        Dtype::Float32 => map::<f32, _>(array, |v| v),
        Dtype::Float16 => map::<f16, _>(array, f16::to_f32),
        Dtype::Bfloat16 => map::<bf16, _>(array, bf16::to_f32),
        Dtype::Fp8e4m3 => map(array, e4m3_to_f32),
        Dtype::Fp8e5m2 => map(array, e5m2_to_f32),
        Dtype::Int8 => map::<i8, _>(array, f32::from),
        Dtype::Uint8 => map::<u8, _>(array, f32::from),
        Dtype::Bool => map::<u8, _>(array, |v| f32::from(truth(v))),
        Dtype::Int16 => map::<i16, _>(array, f32::from),
        Dtype::Uint16 => map::<u16, _>(array, f32::from),
        Dtype::Int32 => map::<i32, _>(array, |v| v as f32),
        Dtype::Uint32 => map::<u32, _>(array, |v| v as f32),
        Dtype::Int64 => map::<i64, _>(array, |v| v as f32),
        Dtype::Uint64 => map::<u64, _>(array, |v| v as f32),
        Dtype::Float64 => map::<f64, _>(array, |v| v as f32),
    }
}

pub(super) fn to_f64(array: &Array) -> Result<Vec<f64>> {
    let mut out = Vec::new();
    reserve(&mut out, array.len())?;
    array.pieces(|bytes| {
        extend_f64(&mut out, array.dtype(), bytes);
        Ok(())
    })?;
    Ok(out)
}

/// Passes each element to `to`.
pub(super) fn each_f64(array: &Array, mut to: impl FnMut(f64)) -> Result<()> {
    array.pieces(|bytes| {
        each_of(array.dtype(), bytes, &mut to);
        Ok(())
    })
}

/// Appends elements of a dtype, given as bytes, as float64.
pub(super) fn extend_f64(out: &mut Vec<f64>, dtype: Dtype, bytes: &[u8]) {
    each_of(dtype, bytes, |v| out.push(v));
}

/// Passes each element of a dtype, given as bytes, to `to`.
fn each_of(dtype: Dtype, bytes: &[u8], mut to: impl FnMut(f64)) {
    fn each<T: bytemuck::Pod>(bytes: &[u8], to: impl FnMut(T)) {
        cast::<T>(bytes).iter().copied().for_each(to);
    }
    match dtype {
        Dtype::Float64 => each(bytes, to),
        Dtype::Int16 => each(bytes, |v: i16| to(v.into())),
        Dtype::Uint16 => each(bytes, |v: u16| to(v.into())),
        Dtype::Int32 => each(bytes, |v: i32| to(v.into())),
        Dtype::Uint32 => each(bytes, |v: u32| to(v.into())),
        Dtype::Int64 => each(bytes, |v: i64| to(v as f64)),
        Dtype::Uint64 => each(bytes, |v: u64| to(v as f64)),
        Dtype::Float32 => each(bytes, |v: f32| to(v.into())),
        Dtype::Float16 => each(bytes, |v: f16| to(v.to_f64())),
        Dtype::Bfloat16 => each(bytes, |v: bf16| to(v.to_f64())),
        Dtype::Fp8e4m3 => each(bytes, |v| to(e4m3_to_f32(v).into())),
        Dtype::Fp8e5m2 => each(bytes, |v| to(e5m2_to_f32(v).into())),
        Dtype::Int8 => each(bytes, |v: i8| to(v.into())),
        Dtype::Uint8 => each(bytes, |v: u8| to(v.into())),
        Dtype::Bool => each(bytes, |v: u8| to(truth(v).into())),
    }
}

pub(super) fn from_f64s(dtype: Dtype, shape: Shape, values: impl Iterator<Item = f64>) -> Result<Array> {
    fn collect<T: bytemuck::NoUninit + Send + Sync>(
        dtype: Dtype,
        shape: Shape,
        values: impl Iterator<Item = f64>,
        f: impl Fn(f64) -> T,
    ) -> Result<Array> {
        let mut data = Vec::new();
        reserve(&mut data, values.size_hint().0)?;
        data.extend(values.map(f));
        Array::from_raw(dtype, shape, data)
    }
    // `as` saturates; rounding is half away from zero.
    macro_rules! by_dtype {
        ($($d:ident: $t:ty = $f:expr;)*) => { match dtype {
            $(Dtype::$d => collect::<$t>(dtype, shape, values, $f),)*
        } };
    }
    by_dtype! {
        Float32: f32 = |v| v as f32;
        Float16: f16 = f64_to_f16;
        Bfloat16: bf16 = f64_to_bf16;
        Fp8e4m3: u8 = f64_to_e4m3;
        Fp8e5m2: u8 = f64_to_e5m2;
        Float64: f64 = |v| v;
        Int8: i8 = |v| v.round() as i8;
        Uint8: u8 = |v| v.round() as u8;
        Int16: i16 = |v| v.round() as i16;
        Uint16: u16 = |v| v.round() as u16;
        Int32: i32 = |v| v.round() as i32;
        Uint32: u32 = |v| v.round() as u32;
        Int64: i64 = |v| v.round() as i64;
        Uint64: u64 = |v| v.round() as u64;
        Bool: u8 = |v| u8::from(v != 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the nearest number of FP8, of two equally near ones the even one.
    fn f32_to_fp8(x: f64, decode: fn(u8) -> f32) -> u8 {
        let finite = (0..=255u8).filter(|&b| decode(b).is_finite());
        let distance = |b: u8| (f64::from(decode(b)) - x).abs();
        finite.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then((a & 1).cmp(&(b & 1)))).unwrap()
    }

    /// All numbers, and their midpoints with the float64 numbers beside these.
    #[test]
    fn halves_are_rounded_once() {
        fn check<T: Copy + PartialEq + std::fmt::Debug>(
            round: fn(f64) -> T,
            low: (T, f64),
            high: (T, f64),
            is_even: bool,
        ) {
            let middle = f64::midpoint(low.1, high.1);
            let tie = if is_even { low.0 } else { high.0 };
            let beside = [(low.1, low.0), (middle.next_down(), low.0), (middle, tie), (middle.next_up(), high.0)];
            for (x, expected) in beside {
                assert_eq!(round(x), expected, "{x}");
            }
        }
        for bits in 0..0x7bff {
            let [low, high] = [bits, bits + 1].map(f16::from_bits);
            check(f64_to_f16, (low, low.to_f64()), (high, high.to_f64()), bits % 2 == 0);
        }
        for bits in 0..0x7f7f {
            let [low, high] = [bits, bits + 1].map(bf16::from_bits);
            check(f64_to_bf16, (low, low.to_f64()), (high, high.to_f64()), bits % 2 == 0);
        }
        assert_eq!(
            [1e300, -1e300, f64::INFINITY].map(|x| f64_to_f16(x).to_f64()),
            [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY]
        );
        assert_eq!([1e300, -1e-300].map(|x| f64_to_bf16(x).to_f64()), [f64::INFINITY, -0.0]);
        assert_eq!([65519.999, 65520.0].map(|x| f64_to_f16(x).to_f64()), [65504.0, f64::INFINITY]);
        assert!(f64_to_f16(f64::NAN).is_nan() && f64_to_bf16(f64::NAN).is_nan());
    }

    #[test]
    fn any_byte_but_0_is_true() {
        let bools = Array::from_le_bytes(Dtype::Bool, [4], &[0, 1, 2, 255]).unwrap();
        let expected = [0.0, 1.0, 1.0, 1.0];
        assert_eq!(bools.to_f64().unwrap(), expected);
        assert_eq!(bools.to_f32().unwrap(), expected.map(|v| v as f32));
        for dtype in [Dtype::Uint8, Dtype::Float32, Dtype::Int32] {
            assert_eq!(bools.fitted(dtype).unwrap().to_f64().unwrap(), expected, "{dtype}");
        }
    }

    #[test]
    fn fp8_values_are_those_of_the_standard() {
        for (bits, value) in [(0x38, 1.0), (0x7e, 448.0), (0x01, 0.001953125), (0xb8, -1.0), (0x08, 0.015625)] {
            assert_eq!(e4m3_to_f32(bits), value);
            assert_eq!(f64_to_e4m3(f64::from(value)), bits);
        }
        // Each number, and values just below, at and just above the midpoint to the next.
        for bits in 0..0x7e {
            let (low, high) = (f64::from(e4m3_to_f32(bits)), f64::from(e4m3_to_f32(bits + 1)));
            let middle = (low + high) / 2.0;
            for x in [low, middle - 1e-6, middle, middle + 1e-6] {
                assert_eq!(f64_to_e4m3(x), f32_to_fp8(x, e4m3_to_f32), "{x}");
                assert_eq!(f64_to_e4m3(-x), f64_to_e4m3(x) | 0x80);
            }
        }
        for (x, bits) in [(449.0, 0x7e), (f64::INFINITY, 0x7e), (-1e300, 0xfe), (1e-300, 0), (f64::NAN, 0x7f)] {
            assert_eq!(f64_to_e4m3(x), bits, "{x}");
        }
        for (bits, value) in [(0x3c, 1.0), (0x7b, 57344.0), (0xc0, -2.0)] {
            assert_eq!(e5m2_to_f32(bits), value);
            assert_eq!(f64_to_e5m2(f64::from(value)), bits);
        }
        for bits in 0..0x7b {
            let (low, high) = (f64::from(e5m2_to_f32(bits)), f64::from(e5m2_to_f32(bits + 1)));
            let middle = f64::midpoint(low, high);
            for x in [low, middle.next_down(), middle, middle.next_up()] {
                assert_eq!(f64_to_e5m2(x), f32_to_fp8(x, e5m2_to_f32), "{x}");
                assert_eq!(f64_to_e5m2(-x), f64_to_e5m2(x) | 0x80);
            }
        }
        for (x, bits) in
            [(6e4, 0x7b), (f64::INFINITY, 0x7b), (-1e300, 0xfb), (1e-300, 0), (-0.0, 0x80), (f64::NAN, 0x7f)]
        {
            assert_eq!(f64_to_e5m2(x), bits, "{x}");
        }
    }

    #[test]
    fn every_dtype_round_trips() {
        for dtype in Dtype::all() {
            let a = Array::from_f64s(dtype, [3], [0.0, 1.0, 1.0].into_iter()).unwrap();
            assert_eq!(a.to_f64().unwrap(), [0.0, 1.0, 1.0], "{dtype}");
            assert_eq!(a.to_f32().unwrap(), [0.0, 1.0, 1.0], "{dtype}");
        }
        let a = Array::from_f64s(Dtype::Int8, [4], [1e9, -1e9, 0.5, f64::NAN].into_iter()).unwrap();
        assert_eq!(a.elements::<i8>().unwrap()[..], [127, -128, 1, 0]);
    }
}
