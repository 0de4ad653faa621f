use crate::graph::{Cause, OneOrMany, Operator, Result, TensorInfo};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One value for the tensor, or one for each index of an axis.
pub type PerTensorOrAxis<T> = OneOrMany<T>;

/// Scale and zero point of a quantized tensor: `real = scale * (stored - zero_point)`.
///
/// As in TpuLang either may be set before the other is known; a missing scale counts as 1, a missing
/// zero point as 0 once the graph is emitted or run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quantization {
    /// Positive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<PerTensorOrAxis<f64>>,
    /// The stored value that means 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_point: Option<PerTensorOrAxis<i64>>,
}

impl Quantization {
    /// One scale and zero point for the tensor.
    pub fn per_tensor(scale: f64, zero_point: i64) -> Self {
        Quantization { scale: Some(scale.into()), zero_point: Some(zero_point.into()) }
    }
    /// Scales and zero points as lists of equal length, missing ones filled in.
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

    /// The quantization of `tensor` after this one is added; none if nothing changes.
    ///
    /// # Errors
    /// The dtype cannot be quantized, a value is impossible, or it contradicts what is set.
    pub(crate) fn merge_into(&self, tensor: &TensorInfo) -> Result<Option<Quantization>> {
        let problem = |problem: String| Err(Cause::Quantization { tensor: tensor.name.clone(), problem }.into());
        if self.scale.is_none() && self.zero_point.is_none() {
            return Ok(None);
        }
        if !tensor.dtype.is_quantizable() {
            return problem(format!(
                "{self} is given, but the dtype is {}; only int8, uint8, int16 and uint16 are quantized",
                tensor.dtype
            ));
        }
        let scale = self.scale.as_ref().map(|s| match s {
            OneOrMany::One(v) => OneOrMany::One(v.abs()),
            OneOrMany::Many(v) => OneOrMany::Many(v.iter().map(|x| x.abs()).collect()),
        });
        let (scales, zero_points) = Quantization { scale: scale.clone(), zero_point: self.zero_point.clone() }.values();
        if scales.iter().any(|s| !(s.is_finite() && *s > 0.0 && (*s as f32) > 0.0)) {
            return problem(format!("{self} is given; scales must be finite and not 0 in float32"));
        }
        let range = tensor.dtype.int_range().unwrap_or_default();
        if zero_points.iter().any(|z| *z < range.0 || *z > range.1) {
            return problem(format!(
                "{self} is given; the zero points of {} are from {} to {}",
                tensor.dtype, range.0, range.1
            ));
        }
        if scales.len() != zero_points.len() || scales.is_empty() {
            return problem(format!(
                "{} scales and {} zero points are given; expected one or equally many",
                scales.len(),
                zero_points.len()
            ));
        }
        if scales.len() > 1 && !tensor.shape.contains(&scales.len()) {
            return problem(format!(
                "{} scales are given; no dimension of {} has that size",
                scales.len(),
                tensor.type_text()
            ));
        }
        let old = tensor.quantization.clone().unwrap_or_default();
        let merged = Quantization {
            scale: old.scale.clone().or(scale.clone()),
            zero_point: old.zero_point.clone().or(self.zero_point.clone()),
        };
        let contradicts = scale.is_some_and(|s| merged.scale.as_ref().map(OneOrMany::to_vec) != Some(s.to_vec()))
            || self
                .zero_point
                .as_ref()
                .is_some_and(|z| merged.zero_point.as_ref().map(OneOrMany::to_vec) != Some(z.to_vec()));
        if contradicts {
            return problem(format!("{self} is given, but {old} was set before"));
        }
        Ok((tensor.quantization.as_ref() != Some(&merged)).then_some(merged))
    }
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

/// Carries quantization through the transparent operators with one result, once forth and once back, as
/// TpuLang does before it emits.
pub(crate) fn propagate(tensors: &[TensorInfo], operators: &[Operator]) -> Result<Vec<Option<Quantization>>> {
    // Only the few quantized tensors are looked at again, so nothing is copied for the others.
    let mut all: Vec<Option<Quantization>> = tensors.iter().map(|t| t.quantization.clone()).collect();
    let pairs: Vec<(usize, usize, &str)> = operators
        .iter()
        .filter(|o| o.op.quant_transparent)
        .filter_map(|o| match (o.operands.first(), o.results.as_slice()) {
            (Some(Some(input)), [output]) => Some((input.0 as usize, output.0 as usize, o.op.name)),
            _ => None,
        })
        .collect();
    let mut carry = |from: usize, to: usize, op: &str| -> Result<()> {
        let Some(q) = all[from].clone() else {
            return Ok(());
        };
        let mut target = tensors[to].clone();
        target.quantization = all[to].take();
        let merged = q.merge_into(&target).map_err(|_| {
            let had = target.quantization.clone().unwrap_or_default();
            let from = &tensors[from].name;
            let problem = format!("{had} is set, but top.{op} carries {q} to it from {from:?}; both must be the same");
            Cause::Quantization { tensor: target.name.clone(), problem }
        })?;
        all[to] = merged.or(target.quantization);
        Ok(())
    };
    pairs.iter().try_for_each(|&(input, output, op)| carry(input, output, op))?;
    pairs.iter().rev().try_for_each(|&(input, output, op)| carry(output, input, op))?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dtype, Graph};

    #[test]
    fn quantization_is_propagated_both_ways() {
        let mut g = Graph::new("g").unwrap();
        let a = g.input("a", Dtype::Int8, [2, 2]).unwrap();
        let b = g.relu(a).call().unwrap();
        let c = g.permute(b, vec![1, 0]).call().unwrap();
        let d = g.relu(c).out_quant(Quantization::per_tensor(0.5, 3)).call().unwrap();
        let q = g.propagated_quantization().unwrap();
        for t in [a, b, c, d] {
            assert_eq!(q[t.0 as usize], Some(Quantization::per_tensor(0.5, 3)));
        }
    }

    #[test]
    fn contradictions_are_told() {
        let mut g = Graph::new("g").unwrap();
        let a = g.input("a", Dtype::Int8, [2, 2]).unwrap();
        let f = g.input("f", Dtype::Float32, [2]).unwrap();
        g.quantize(a, &Quantization::per_tensor(0.5, 3)).unwrap();
        g.quantize(a, &Quantization::per_tensor(-0.5, 3)).unwrap();
        for (t, q, message) in [
            (
                a,
                Quantization::per_tensor(0.25, 3),
                "quantization of \"a\": scale 0.25, zero point 3 is given, but scale 0.5, zero point 3 was set before",
            ),
            (
                a,
                Quantization::per_tensor(0.5, 300),
                "quantization of \"a\": scale 0.5, zero point 300 is given; the zero points of int8 are from -128 to 127",
            ),
            (
                a,
                Quantization::per_tensor(f64::NAN, 3),
                "quantization of \"a\": scale NaN, zero point 3 is given; scales must be finite and not 0 in float32",
            ),
            (
                f,
                Quantization::per_tensor(0.5, 3),
                "quantization of \"f\": scale 0.5, zero point 3 is given, but the dtype is float32; only int8, uint8, int16 and uint16 are quantized",
            ),
        ] {
            assert_eq!(g.quantize(t, &q).unwrap_err().to_string(), message);
        }
    }
}
