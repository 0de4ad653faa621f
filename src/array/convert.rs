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
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let size = x.abs();
    if x.is_nan() || size > 448.0 {
        return sign | if x.is_nan() { 0x7f } else { 0x7e };
    }
    // Subnormal numbers have the spacing of those from 2^-6 to 2^-5.
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(-6);
    let mantissa = (size * f64::from(3 - exponent).exp2()).round_ties_even() as i32;
    sign | ((exponent + 6) * 8 + mantissa) as u8
}

/// Rounds to FP8, ties to the even mantissa, saturating. It searches, since it is used for scalars only.
fn f32_to_fp8(x: f64, decode: fn(u8) -> f32) -> u8 {
    let finite = (0..=255u8).filter(|&b| decode(b).is_finite());
    let distance = |b: u8| (f64::from(decode(b)) - x).abs();
    let best = finite.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then((a & 1).cmp(&(b & 1))));
    if x.is_nan() { 0x7f } else { best.unwrap_or(0) }
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
        Dtype::Uint8 | Dtype::Bool => map::<u8, _>(array, f32::from),
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
    each_f64(array, |v| out.push(v))?;
    Ok(out)
}

/// Passes each element to `to`.
pub(super) fn each_f64(array: &Array, mut to: impl FnMut(f64)) -> Result<()> {
    fn each<T: bytemuck::Pod>(array: &Array, mut to: impl FnMut(T)) -> Result<()> {
        array.pieces(|bytes| {
            cast::<T>(bytes).iter().for_each(|&v| to(v));
            Ok(())
        })
    }
    match array.dtype() {
        Dtype::Float64 => each(array, to),
        Dtype::Int16 => each(array, |v: i16| to(v.into())),
        Dtype::Uint16 => each(array, |v: u16| to(v.into())),
        Dtype::Int32 => each(array, |v: i32| to(v.into())),
        Dtype::Uint32 => each(array, |v: u32| to(v.into())),
        Dtype::Int64 => each(array, |v: i64| to(v as f64)),
        Dtype::Uint64 => each(array, |v: u64| to(v as f64)),
        Dtype::Float32 => each(array, |v: f32| to(v.into())),
        Dtype::Float16 => each(array, |v: f16| to(v.to_f64())),
        Dtype::Bfloat16 => each(array, |v: bf16| to(v.to_f64())),
        Dtype::Fp8e4m3 => each(array, |v| to(e4m3_to_f32(v).into())),
        Dtype::Fp8e5m2 => each(array, |v| to(e5m2_to_f32(v).into())),
        Dtype::Int8 => each(array, |v: i8| to(v.into())),
        Dtype::Uint8 | Dtype::Bool => each(array, |v: u8| to(v.into())),
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
        Float16: f16 = f16::from_f64;
        Bfloat16: bf16 = bf16::from_f64;
        Fp8e4m3: u8 = f64_to_e4m3;
        Fp8e5m2: u8 = |v| f32_to_fp8(v, e5m2_to_f32);
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
            assert_eq!(f32_to_fp8(f64::from(value), e5m2_to_f32), bits);
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
