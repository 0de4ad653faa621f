use super::{Kernel, task::CpuTask};
use crate::{array::Array, graph::Result};
use rayon::prelude::*;
use rten_simd::SimdOp;
use rten_vecmath as vecmath;

pub(super) const KERNELS: &[(&str, Kernel)] = &[("BatchNorm", batch_norm), ("LayerNorm", layer_norm)];

fn batch_norm(t: &CpuTask) -> Result<Vec<Array>> {
    let shape = t.shape(0)?;
    let (channels, inner) = (shape[1], shape[2..].iter().product::<usize>());
    let epsilon = t.attributes().float("epsilon");
    let (mean, variance) = (t.reals(1)?, t.reals(2)?);
    let optional = |i: usize| if t.has(i) { t.reals(i).map(Some) } else { Ok(None) };
    let (gamma, beta) = (optional(3)?, optional(4)?);
    // Folded to one multiplication and addition a channel, in f64.
    let folded: Vec<(f32, f32)> = (0..channels)
        .map(|c| {
            let g = gamma.as_ref().map_or(1.0, |g| f64::from(g[c]));
            let b = beta.as_ref().map_or(0.0, |b| f64::from(b[c]));
            let scale = g / (f64::from(variance[c]) + epsilon).sqrt();
            (scale as f32, (b - f64::from(mean[c]) * scale) as f32)
        })
        .collect();
    let mut values = t.reals(0)?.into_owned();
    values.par_chunks_mut(inner.max(1)).enumerate().for_each(|(i, run)| {
        let (scale, bias) = folded[i % channels];
        run.iter_mut().for_each(|v| *v = *v * scale + bias);
    });
    t.store(values)
}

fn layer_norm(t: &CpuTask) -> Result<Vec<Array>> {
    let shape = t.shape(0)?;
    let axis = t.attributes().int("axis").rem_euclid(shape.len() as i64) as usize;
    let n: usize = shape[axis..].iter().product();
    let eps = t.attributes().float("eps") as f32;
    let optional = |i: usize| if t.has(i) { t.reals(i).map(Some) } else { Ok(None) };
    let (gamma, beta) = (optional(1)?, optional(2)?);
    let mut values = t.reals(0)?.into_owned();
    values.par_chunks_mut(n).for_each(|row| {
        let mean = vecmath::Sum::new(row).dispatch() / n as f32;
        let variance = vecmath::SumSquareSub::new(row, mean).dispatch() / n as f32;
        let options = vecmath::NormalizeOptions {
            pre_scale_bias: mean,
            scale: 1.0 / (variance + eps).sqrt(),
            element_scale: gamma.as_deref(),
            bias: 0.0,
            element_bias: beta.as_deref(),
        };
        vecmath::Normalize::new_mut(row, options).dispatch();
    });
    t.store(values)
}
