use crate::base::{Dtype, OneOrMany, pluralized, shape_text};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One value per tensor, or one per index of an axis.
pub type PerTensorOrAxis<T> = OneOrMany<T>;

/// Scale and zero point of a quantized tensor: `real = scale * (stored - zero_point)`.
///
/// As in TpuLang, either may be set before the other. When the graph is emitted or run, a missing scale defaults to 1 and a
/// missing zero point to 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quantization {
    /// The scale, which is positive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<PerTensorOrAxis<f64>>,
    /// The stored value that represents 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_point: Option<PerTensorOrAxis<i64>>,
}

/// Returns the scale and the zero point if there is one of each.
///
/// ```
/// use tpulang_quant::single;
/// assert_eq!((single(&[0.5], &[3]), single(&[0.5, 0.25], &[3, 3])), (Some((0.5, 3)), None));
/// ```
pub fn single(scales: &[f64], zero_points: &[i64]) -> Option<(f64, i64)> {
    match (scales, zero_points) {
        ([scale], [zero_point]) => Some((*scale, *zero_point)),
        _ => None,
    }
}

impl Quantization {
    /// Returns a quantization with one scale and one zero point.
    pub fn per_tensor(scale: f64, zero_point: i64) -> Self {
        Quantization { scale: Some(scale.into()), zero_point: Some(zero_point.into()) }
    }
    /// Returns scales and zero points as lists of equal length, with defaults for missing ones.
    pub fn values(&self) -> (Vec<f64>, Vec<i64>) {
        let mut scale = self.scale.as_ref().map_or(vec![1.0], |s| s.to_vec());
        let mut zero_point = self.zero_point.as_ref().map_or(vec![0], |z| z.to_vec());
        let n = scale.len().max(zero_point.len());
        if scale.len() == 1 {
            scale.resize(n, scale[0]);
        }
        if zero_point.len() == 1 {
            zero_point.resize(n, zero_point[0]);
        }
        (scale, zero_point)
    }

    /// Adds these parameters to those that a tensor has. Returns `None` if nothing changes.
    ///
    /// # Errors
    /// Returns an error if the dtype cannot be quantized, a value is invalid, or it contradicts `old`.
    pub fn merged(
        &self,
        old: Option<&Quantization>,
        dtype: Dtype,
        shape: &[usize],
    ) -> Result<Option<Quantization>, String> {
        if self.scale.is_none() && self.zero_point.is_none() {
            return Ok(None);
        }
        self.check(dtype, shape)?;
        let before = old.cloned().unwrap_or_default();
        let merged = Quantization {
            scale: before.scale.clone().or(self.scale.clone()),
            zero_point: before.zero_point.clone().or(self.zero_point.clone()),
        };
        if !self.agrees_with(&merged) {
            return Err(format!("{self} is given, but {before} was set before"));
        }
        merged.check(dtype, shape)?;
        Ok((old != Some(&merged)).then_some(merged))
    }

    /// Returns whether all parameters of this are equal to those of `other`. A list of one value equals the value.
    fn agrees_with(&self, other: &Quantization) -> bool {
        fn same<T: Clone + PartialEq>(a: &Option<PerTensorOrAxis<T>>, b: &Option<PerTensorOrAxis<T>>) -> bool {
            a.as_ref().is_none_or(|a| b.as_ref().is_some_and(|b| a.to_vec() == b.to_vec()))
        }
        same(&self.scale, &other.scale) && same(&self.zero_point, &other.zero_point)
    }

    fn check(&self, dtype: Dtype, shape: &[usize]) -> Result<(), String> {
        if !dtype.is_quantizable() {
            return Err(format!(
                "{self} is given, but the dtype is {dtype}; only int8, uint8, int16 and uint16 are quantized"
            ));
        }
        let lists = [
            ("scales", self.scale.as_ref().filter(|s| s.is_many()).map(|s| s.to_vec().len())),
            ("zero points", self.zero_point.as_ref().filter(|z| z.is_many()).map(|z| z.to_vec().len())),
        ];
        for (what, n) in lists.into_iter().filter_map(|(what, n)| Some((what, n?))) {
            if n != 1 && channel_axis(shape, n).is_none() {
                let expected = match shape {
                    [] => "1".to_owned(),
                    [all] => format!("1, or {all}, one for each index of axis 0"),
                    [1, channels, ..] => format!("1, or {channels}, one per channel (axis 1)"),
                    [outputs, channels, ..] => format!(
                        "1, or {channels}, one per channel (axis 1), or for the weight of a convolution {outputs}, one per output channel (axis 0)"
                    ),
                };
                return Err(format!("{n} {what} are given for the shape {}; expected {expected}", shape_text(shape)));
            }
        }
        let (scales, zero_points) = self.values();
        if scales.len() != zero_points.len() {
            return Err(format!(
                "there are {} and {}; expected one or equally many",
                pluralized(scales.len(), "scale"),
                pluralized(zero_points.len(), "zero point")
            ));
        }
        if scales.iter().any(|s| !(s.is_finite() && *s > 0.0 && (*s as f32) > 0.0 && (*s as f32).is_finite())) {
            return Err(format!("{self} is given; scales must be positive and finite in float32"));
        }
        let range = dtype.int_range().unwrap_or_default();
        if zero_points.iter().any(|z| *z < range.0 || *z > range.1) {
            return Err(format!("{self} is given; the zero points of {dtype} are from {} to {}", range.0, range.1));
        }
        Ok(())
    }
}

/// Returns the axis that a list of `n` values belongs to: 1, as in the tool chain, or 0 (the output channels of a filter).
pub fn channel_axis(shape: &[usize], n: usize) -> Option<usize> {
    channel_axes(shape, n).next()
}

/// Returns the axes that a list of `n` values may belong to. The first is [`channel_axis`].
pub fn channel_axes(shape: &[usize], n: usize) -> impl Iterator<Item = usize> {
    [1, 0].into_iter().filter(move |&axis| shape.get(axis) == Some(&n))
}

impl fmt::Display for Quantization {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fn some<T: fmt::Debug + Clone>(values: &OneOrMany<T>) -> String {
            match values.to_vec().as_slice() {
                [one] => format!("{one:?}"),
                [a, b, _, _, ..] => format!("[{a:?}, {b:?}, ...]"),
                many => format!("{many:?}"),
            }
        }
        let scale = self.scale.as_ref().map(|s| format!("scale {}", some(s)));
        let zero_point = self.zero_point.as_ref().map(|z| format!("zero point {}", some(z)));
        let parts: Vec<_> = scale.into_iter().chain(zero_point).collect();
        f.write_str(if parts.is_empty() { "none" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_and_invalid_values_are_errors() {
        let set = Quantization::per_tensor(0.5, 3);
        let given = |scale: &[f64], zero_point: i64| Quantization {
            scale: Some(if let [one] = scale { (*one).into() } else { scale.to_vec().into() }),
            zero_point: Some(zero_point.into()),
        };
        assert_eq!(set.merged(Some(&set), Dtype::Int8, &[2, 2]), Ok(None));
        for (q, dtype, message) in [
            (
                given(&[0.25], 3),
                Dtype::Int8,
                "scale 0.25, zero point 3 is given, but scale 0.5, zero point 3 was set before",
            ),
            (
                given(&[0.5], 300),
                Dtype::Int8,
                "scale 0.5, zero point 300 is given; the zero points of int8 are from -128 to 127",
            ),
            (
                given(&[f64::NAN], 3),
                Dtype::Int8,
                "scale NaN, zero point 3 is given; scales must be positive and finite in float32",
            ),
            (
                given(&[-0.5], 3),
                Dtype::Int8,
                "scale -0.5, zero point 3 is given; scales must be positive and finite in float32",
            ),
            (
                given(&[0.5, 0.25, 0.1, 0.1], 3),
                Dtype::Int8,
                "4 scales are given for the shape 2x3x4; expected 1, or 3, one per channel (axis 1), or for the weight of a convolution 2, one per output channel (axis 0)",
            ),
            (
                given(&[0.5], 3),
                Dtype::Float32,
                "scale 0.5, zero point 3 is given, but the dtype is float32; only int8, uint8, int16 and uint16 are quantized",
            ),
        ] {
            assert_eq!(q.merged(Some(&set), dtype, &[2, 3, 4]).unwrap_err(), message);
        }
        let scales = Quantization { scale: Some(vec![0.5, 0.25, 0.125].into()), zero_point: None };
        let zero_points = Quantization { scale: None, zero_point: Some(vec![1, 2].into()) };
        assert_eq!(
            zero_points.merged(Some(&scales), Dtype::Int8, &[2, 3, 4]).unwrap_err(),
            "there are 3 scales and 2 zero points; expected one or equally many"
        );
    }
}
