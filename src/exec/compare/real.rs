//! Quantized arrays as real numbers.
use crate::{
    array::Array,
    base::{Dtype, Result},
    quant::{Quantization, channel_axis},
};

/// Returns the real numbers that a quantized array stands for, as float64: `scale * (stored - zero_point)`. A list of scales
/// belongs to axis 1, or to axis 0.
///
/// ```
/// use tpulang::{Array, exec::real_numbers, quant::Quantization};
/// let real = real_numbers(&Array::from([-128i8, 0, 2]), &Quantization::per_tensor(0.5, -128))?;
/// assert_eq!(real.to_f64()?, [0.0, 64.0, 65.0]);
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if memory runs out or the array cannot be read.
pub fn real_numbers(array: &Array, quantization: &Quantization) -> Result<Array> {
    let (scales, zero_points) = quantization.values();
    let shape = array.shape();
    // The elements with one index of the axis that follow each other.
    let run = channel_axis(shape, scales.len()).map_or(1, |axis| shape[axis + 1..].iter().product());
    let real = |(i, stored): (usize, f64)| {
        let channel = (i / run.max(1)) % scales.len().max(1);
        scales[channel] * (stored - zero_points[channel] as f64)
    };
    Array::from_f64s(Dtype::Float64, shape, array.to_f64()?.into_iter().enumerate().map(real))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::OneOrMany;

    #[test]
    fn scales_belong_to_channels() {
        let quantization =
            Quantization { scale: Some(OneOrMany::from(vec![1.0, 10.0])), zero_point: Some(OneOrMany::from(1)) };
        let stored = Array::from_vec([1, 2, 2], vec![1i8, 2, 3, 4]).unwrap();
        assert_eq!(real_numbers(&stored, &quantization).unwrap().to_f64().unwrap(), [0.0, 1.0, 20.0, 30.0]);
        let filter = Array::from_vec([2, 3], vec![1i8, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(real_numbers(&filter, &quantization).unwrap().to_f64().unwrap(), [0.0, 1.0, 2.0, 30.0, 40.0, 50.0]);
    }
}
