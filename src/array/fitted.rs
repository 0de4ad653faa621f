//! Elements that are converted to another dtype as they are read.
use super::{Array, convert, converted::Conversion, storage::PIECE};
use crate::base::{Dtype, Error, Result};
use bytemuck::{AnyBitPattern, NoUninit};

/// Whether values of one dtype are converted to another where they fit: from dtypes that no tensor has, and from narrow
/// floats to float32.
pub(super) fn is_fitting(from: Dtype, to: Dtype) -> bool {
    match from {
        Dtype::Int64 | Dtype::Uint64 | Dtype::Float64 | Dtype::Bool => {
            to.is_declared() && !matches!(to, Dtype::Fp8e4m3 | Dtype::Fp8e5m2)
        }
        Dtype::Float16 | Dtype::Bfloat16 => to == Dtype::Float32,
        _ => false,
    }
}

/// Converts the elements of an array to another dtype.
pub(super) struct Fitted {
    pub of: Array,
    pub to: Dtype,
}

impl Fitted {
    /// The error about the element of that row-major index.
    fn misfit(&self, index: usize, bytes: &[u8]) -> Error {
        let value = match self.of.dtype() {
            Dtype::Int64 => bytemuck::pod_read_unaligned::<i64>(bytes).to_string(),
            Dtype::Uint64 => bytemuck::pod_read_unaligned::<u64>(bytes).to_string(),
            Dtype::Float64 => shown(bytemuck::pod_read_unaligned(bytes)),
            _ => bytes.first().map_or(String::new(), u8::to_string),
        };
        let range = match self.to.int_range() {
            Some((low, high)) => format!(" ({low} to {high})"),
            None => String::new(),
        };
        let problem = format!("element {} is {value}, which does not fit {}{range}", self.place(index), self.to);
        self.of.storage.error(problem)
    }
    /// `7` in a list, `[0, 7]` in an array of more axes.
    fn place(&self, index: usize) -> String {
        let shape = self.of.shape();
        if shape.len() == 1 {
            return index.to_string();
        }
        let (mut left, mut places) = (index, vec![0; shape.len()]);
        for (place, dim) in places.iter_mut().zip(shape).rev() {
            *place = left % dim;
            left /= dim;
        }
        format!("{places:?}")
    }
}

/// Formats a value, with an exponent if it would otherwise have up to hundreds of zeros.
fn shown(value: f64) -> String {
    let is_readable = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    if is_readable { value.to_string() } else { format!("{value:e}") }
}

/// Whether a value of dtype `from` can be stored as `to`. 64-bit integers beyond 2^53 have been rounded to float64; no `to`
/// that is wide enough holds all of them.
fn fits(value: f64, from: Dtype, to: Dtype) -> bool {
    if let Some((low, high)) = to.int_range() {
        return value.fract() == 0.0 && low as f64 <= value && value <= high as f64;
    }
    let stored = match to {
        Dtype::Float16 => convert::f64_to_f16(value).to_f64(),
        Dtype::Bfloat16 => convert::f64_to_bf16(value).to_f64(),
        _ => f64::from(value as f32),
    };
    match from.is_float() {
        true => stored.is_finite() || !value.is_finite(),
        false => stored == value && value.abs() < (1u64 << f64::MANTISSA_DIGITS) as f64,
    }
}

/// Converts the most common pairs of dtypes, many times as fast as by way of float64. Returns `None` for other pairs, and if a value does
/// not fit.
fn directly(from: Dtype, to: Dtype, bytes: &[u8]) -> Option<Vec<u8>> {
    match (from, to) {
        (Dtype::Int64, Dtype::Int32) => each(bytes, |v: i64| v as i32, |v, i| i64::from(i) == v),
        (Dtype::Int64, Dtype::Float32) => {
            each(bytes, |v: i64| v as f32, |v, f| v.unsigned_abs() < 1 << f64::MANTISSA_DIGITS && f as i64 == v)
        }
        (Dtype::Float64, Dtype::Float32) => each(bytes, |v: f64| v as f32, |v, f| f.is_finite() || !v.is_finite()),
        (Dtype::Bool, Dtype::Float32) => each(bytes, |v: u8| f32::from(convert::truth(v)), |_, _| true),
        (Dtype::Bool, Dtype::Uint8) => each(bytes, convert::truth, |_, _| true),
        _ => None,
    }
}

/// Converts each element. Returns `None` if one does not fit.
fn each<S: AnyBitPattern, D: NoUninit>(
    bytes: &[u8],
    convert: impl Fn(S) -> D,
    fits: impl Fn(S, D) -> bool,
) -> Option<Vec<u8>> {
    let (mut all_fit, mut converted) = (true, vec![0; bytes.len() / size_of::<S>() * size_of::<D>()]);
    for (from, to) in bytes.chunks_exact(size_of::<S>()).zip(converted.chunks_exact_mut(size_of::<D>())) {
        let value = bytemuck::pod_read_unaligned::<S>(from);
        let result = convert(value);
        all_fit &= fits(value, result);
        to.copy_from_slice(bytemuck::bytes_of(&result));
    }
    all_fit.then_some(converted)
}

impl Conversion for Fitted {
    fn source(&self) -> &Array {
        &self.of
    }
    fn dtype(&self) -> Dtype {
        self.to
    }
    fn convert(&self, mut before: usize, bytes: &[u8], to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let from = self.of.dtype();
        let mut values = Vec::new();
        // An array in memory comes as one piece.
        for bytes in bytes.chunks(PIECE) {
            if let Some(converted) = directly(from, self.to, bytes) {
                before += bytes.len() / from.size();
                to(&converted)?;
                continue;
            }
            values.clear();
            convert::extend_f64(&mut values, from, bytes);
            if let Some(at) = values.iter().position(|v| !fits(*v, from, self.to)) {
                let size = from.size();
                return Err(self.misfit(before + at, &bytes[at * size..(at + 1) * size]));
            }
            before += values.len();
            let converted = convert::from_f64s(self.to, vec![values.len()], values.iter().copied())?;
            to(converted.bytes()?)?;
        }
        Ok(())
    }
    fn fitted_from(&self) -> Option<Dtype> {
        Some(self.of.dtype())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_converted_where_they_fit() {
        use Dtype::*;
        let (inf, most) = (f64::INFINITY, f64::from(f32::MAX));
        for (from, to, values, misfit) in [
            (Int64, Int32, vec![0.0, -2147483648.0, 2147483647.0], Some(2147483648.0)),
            (Int64, Uint8, vec![0.0, 255.0], Some(-1.0)),
            (Int64, Float32, vec![16777216.0, -3.0], Some(16777217.0)),
            (Uint64, Int32, vec![7.0], Some(4294967296.0)),
            (Float64, Float32, vec![0.1, most, inf, -inf], Some(1e39)),
            (Float64, Float16, vec![0.1, 65504.0], Some(1e6)),
            (Float64, Int8, vec![-128.0, 127.0], Some(0.5)),
            (Bool, Int32, vec![0.0, 1.0], None),
            (Bool, Float32, vec![1.0, 0.0], None),
            (Bfloat16, Float32, vec![1.5, inf], None),
            (Float16, Float32, vec![0.099975586], None),
        ] {
            let array = |values: &[f64]| Array::from_f64s(from, [values.len()], values.iter().copied()).unwrap();
            let fitted = array(&values).fitted(to).unwrap();
            assert_eq!(fitted.dtype(), to);
            let expected = Array::from_f64s(to, [values.len()], array(&values).to_f64().unwrap().into_iter()).unwrap();
            assert_eq!(fitted, expected, "{from} to {to}");
            if let Some(bad) = misfit {
                let error = array(&[1.0, bad]).fitted(to).unwrap().bytes().unwrap_err().to_string();
                assert!(error.starts_with(&format!("element 1 is {}, which does not fit {to}", shown(bad))), "{error}");
            }
        }
        let nan = Array::from([f64::NAN]).fitted(Float32).unwrap();
        assert!(nan.to_f32().unwrap()[0].is_nan());
        assert_eq!(nan.non_finite().unwrap().nan, 1);
        let beyond = Array::from([(1i64 << 53) + 1]).fitted(Float32).unwrap().bytes().unwrap_err().to_string();
        assert_eq!(beyond, "element 0 is 9007199254740993, which does not fit float32");
        for (value, to, expected) in
            [(1e300, Float32, "1e300"), (-1.5e16, Int8, "-1.5e16"), (2e-9, Int8, "2e-9"), (300.0, Int8, "300")]
        {
            let error = Array::from([value]).fitted(to).unwrap().bytes().unwrap_err().to_string();
            assert!(error.starts_with(&format!("element 0 is {expected}, which does not fit {to}")), "{error}");
        }
        for (from, to) in [(Int32, Float32), (Float32, Int32), (Int64, Fp8e4m3), (Float32, Float16), (Int32, Int8)] {
            assert!(Array::filled(from, [1], 0.0).unwrap().fitted(to).is_none(), "{from} to {to}");
        }
    }

    #[test]
    fn the_place_of_a_misfit_has_all_axes() {
        let array = Array::from_vec([2, 3], vec![0i64, 0, 0, 0, 0, 1 << 40]).unwrap();
        let error = array.fitted(Dtype::Int32).unwrap().bytes().unwrap_err().to_string();
        assert!(error.starts_with("element [1, 2] is 1099511627776"), "{error}");
    }

    /// More elements than fit in a piece, in both directions of size.
    #[test]
    fn long_arrays_are_converted_in_pieces() {
        let n = PIECE / 8 * 2 + 3;
        let long = Array::from_vec([n], (0..n as i64).collect()).unwrap().fitted(Dtype::Int32).unwrap();
        let (mut sum, mut pieces) = (0, 0);
        long.pieces(|bytes| {
            pieces += 1;
            sum += bytes.as_chunks::<4>().0.iter().map(|b| i64::from(i32::from_le_bytes(*b))).sum::<i64>();
            Ok(())
        })
        .unwrap();
        assert_eq!((sum, pieces), ((n as i64 - 1) * n as i64 / 2, 3));
        assert_eq!(long.elements::<i32>().unwrap()[n - 1], n as i32 - 1);
        let masks = Array::filled(Dtype::Bool, [PIECE + 1], 1.0).unwrap().fitted(Dtype::Float32).unwrap();
        assert!(masks.to_f32().unwrap().iter().all(|v| *v == 1.0));
    }
}
