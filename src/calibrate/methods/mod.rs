//! Methods that choose a threshold: numbers beyond it are clamped to it, so that those within are represented more finely.
mod aciq;
mod kl;
mod mse;
mod percentile;

#[cfg(test)]
mod tests;

use super::{Entry, Histogram};
use crate::base::{Error, Result, argument};
use std::{fmt, str::FromStr};

/// The integers that a tensor's numbers become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 8 bits.
    #[default]
    Int8,
    /// 4 bits.
    Int4,
}

impl Precision {
    /// The largest integer: a tensor without negative numbers uses the sign's bit, too.
    pub(crate) fn levels(self, is_signed: bool) -> u32 {
        let bits = if self == Precision::Int8 { 8 } else { 4 };
        (1 << (bits - u32::from(is_signed))) - 1
    }
}

/// How a tensor's threshold is chosen.
///
/// ```
/// use tpulang::calibrate::{Histogram, Method, Precision};
/// let mut histogram = Histogram::default();
/// histogram.add(&[0.5; 10_000]);
/// histogram.add(&[100.0]);
/// assert_eq!(Method::Max.entry(&histogram, Precision::Int8).threshold, 100.0);
/// assert!(Method::Percentile.entry(&histogram, Precision::Int8).threshold < 1.0);
/// assert_eq!("aciq_gauss".parse::<Method>()?, Method::AciqGauss);
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The largest absolute value.
    Max,
    /// The 99.99th percentile of absolute values. The smallest and largest numbers of the table are percentiles, too, since
    /// asymmetric tensors are quantized by them. (Wu et al., Integer Quantization for Deep Learning Inference, 2020.)
    Percentile,
    /// Minimizes the Kullback-Leibler divergence between the histogram and its quantized form. (Migacz, 8-bit Inference with
    /// TensorRT, 2017.)
    Kl,
    /// Minimizes the mean squared error of quantized numbers, among 256 thresholds up to the largest number. (Sung et al.,
    /// Resiliency of Deep Neural Networks under Quantization, 2015.)
    Mse,
    /// The threshold that minimizes the mean squared error of a normal distribution with the tensor's range. (Banner et al., Post
    /// Training 4-bit Quantization of Convolutional Networks for Rapid-Deployment, 2019.)
    AciqGauss,
    /// The same for a Laplace distribution with the tensor's mean deviation from its mean.
    AciqLaplace,
}

/// The methods by their names in tables.
const NAMES: [(&str, Method); 6] = [
    ("max", Method::Max),
    ("percentile9999", Method::Percentile),
    ("kl", Method::Kl),
    ("mse", Method::Mse),
    ("aciq_gauss", Method::AciqGauss),
    ("aciq_laplace", Method::AciqLaplace),
];

/// The smallest threshold of a tensor that is not all zeros. With a smaller one, the integers of a bias could overflow.
pub const LEAST_THRESHOLD: f32 = 1e-5;

impl Method {
    /// All methods.
    pub fn all() -> impl Iterator<Item = Method> {
        NAMES.into_iter().map(|(_, method)| method)
    }

    /// The name, which is that of `run_calibration --cali_method`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }

    /// Chooses the threshold of a tensor: at least [`LEAST_THRESHOLD`], and at most the largest absolute value if that is larger.
    /// A tensor of zeros gets the threshold 1: any represents zeros exactly, and a tiny one makes the bias of the layer that reads it
    /// overflow.
    pub fn entry(self, histogram: &Histogram, precision: Precision) -> Entry {
        let (min, max) = match self {
            Method::Percentile => percentile::range(histogram),
            _ => (histogram.min(), histogram.max()),
        };
        let largest = f64::from(histogram.largest());
        if largest == 0.0 {
            return Entry { threshold: 1.0, min: 0.0, max: 1.0 };
        }
        let levels = precision.levels(histogram.is_signed());
        let threshold = match self {
            Method::Max => largest,
            Method::Percentile => percentile::threshold(histogram),
            Method::Kl => kl::threshold(histogram, levels),
            Method::Mse => mse::threshold(histogram, levels),
            Method::AciqGauss => aciq::gauss(histogram, precision),
            Method::AciqLaplace => aciq::laplace(histogram, precision),
        };
        let threshold = (threshold.min(largest) as f32).max(LEAST_THRESHOLD);
        if largest > f64::from(LEAST_THRESHOLD) {
            return Entry { threshold, min, max };
        }
        Entry { threshold, min: if min < 0.0 { -LEAST_THRESHOLD } else { 0.0 }, max: LEAST_THRESHOLD }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;
    fn from_str(name: &str) -> Result<Method> {
        let found = NAMES.iter().find(|(known, _)| *known == name || known.strip_suffix("9999") == Some(name));
        found.map(|(_, method)| *method).ok_or_else(|| {
            let all: Vec<_> = NAMES.iter().map(|(name, _)| *name).collect();
            argument("method", format!("{name:?}"), format!("expected one of {}", all.join(", ")))
        })
    }
}
