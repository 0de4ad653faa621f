//! Quantized results that are mostly at the limits of their dtype.
use super::{Backend, session::Session};
use crate::{
    array::Array,
    base::{Dtype, Result, Warning, WarningKind, Warnings},
    quant::Quantization,
};
use indexmap::IndexMap;

/// A result with fewer elements is not judged.
const MIN_ELEMENTS: usize = 16;

impl<B: Backend> Session<B> {
    /// Returns a warning for each quantized result of 8 bits of which most elements are at the limits of the dtype: real
    /// values beyond them are lost. `results` may be some of what [`Session::run`] or [`Session::fetch`] returned. Elements that
    /// represent 0 do not count, since 0 may be one of the limits.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, GraphBuilder, exec::{CpuBackend, RunOptions, Session}};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [16])?;
    /// // A scale of 0.01 represents numbers up to 1.27.
    /// let y = x.requant_fp_to_int(0.01, 0, 2, Dtype::Int8).out_name("y").call()?;
    /// let session = Session::new(&g.build(y)?, CpuBackend::new(), &RunOptions::default())?;
    /// let results = session.run(&[("x", Array::filled(Dtype::Float32, [16], 5.0)?)])?;
    /// let warning = session.saturated(&results)?;
    /// assert_eq!(
    ///     warning.iter().next().map(ToString::to_string).as_deref(),
    ///     Some("16 of 16 elements of \"y\" are at the limits of int8 (scale 0.01, zero point 0); the scale seems too small"),
    /// );
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a result is unknown or cannot be read.
    pub fn saturated(&self, results: &IndexMap<String, Array>) -> Result<Warnings> {
        let mut warnings = Warnings::default();
        for (tensor, array) in results {
            let entry = self.network.entry(self.find("tensor", tensor)?)?;
            let Some(quantization) = &entry.ty.quantization else { continue };
            let (elements, at_limits) = (array.shape().iter().product(), at_limits(array, quantization)?);
            if elements >= MIN_ELEMENTS && at_limits > elements / 2 {
                warnings.push(Warning::new(WarningKind::SaturatedResult {
                    tensor: tensor.clone(),
                    at_limits,
                    elements,
                    of: format!("{} ({quantization})", array.dtype()),
                }));
            }
        }
        Ok(warnings)
    }
}

/// Counts the elements that are the smallest or the largest number of the dtype, and do not represent 0.
fn at_limits(array: &Array, quantization: &Quantization) -> Result<usize> {
    let limits = match array.dtype() {
        Dtype::Int8 => [i8::MIN as u8, i8::MAX as u8],
        Dtype::Uint8 => [u8::MIN, u8::MAX],
        _ => return Ok(0),
    };
    let zeros: Vec<u8> =
        quantization.zero_point.as_ref().map_or(vec![0], |zp| zp.to_vec().iter().map(|zp| *zp as u8).collect());
    let limits: Vec<u8> = limits.into_iter().filter(|limit| !zeros.contains(limit)).collect();
    Ok(array.bytes()?.iter().filter(|value| limits.contains(value)).count())
}
