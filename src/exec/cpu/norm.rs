use super::{Kernel, task::CpuTask};
use crate::{array::Array, graph::Result};
use rayon::prelude::*;
use rten_simd::SimdOp;
use rten_vecmath as vecmath;

pub(super) const KERNELS: &[(&str, Kernel)] = &[("BatchNorm", batch_norm), ("LayerNorm", layer_norm), ("Scale", scale)];

fn batch_norm(t: &CpuTask) -> Result<Vec<Array>> {
    let channels = t.shape(0)?[1];
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
    per_channel(t, |c| folded[c])
}

fn scale(t: &CpuTask) -> Result<Vec<Array>> {
    let (scale, bias) = (t.reals(1)?, t.reals(2)?);
    per_channel(t, |c| (scale[c], bias[c]))
}

/// `x * scale + bias`, one pair a channel.
fn per_channel(t: &CpuTask, pair: impl Fn(usize) -> (f32, f32) + Sync) -> Result<Vec<Array>> {
    let shape = t.shape(0)?;
    let (channels, inner) = (shape[1], shape[2..].iter().product::<usize>());
    let mut values = t.reals(0)?.into_owned();
    values.par_chunks_mut(inner.max(1)).enumerate().for_each(|(i, run)| {
        let (scale, bias) = pair(i % channels);
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

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph, Tensor,
        exec::{CpuBackend, RunOptions, run},
        graph::Attribute,
    };

    fn result(g: &mut Graph, y: Tensor, x: &Array) -> Vec<f32> {
        g.set_outputs(&[y]).unwrap();
        let feeds = [("x".to_owned(), x.clone())].into_iter().collect();
        run(g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f32().unwrap()
    }

    #[test]
    fn a_scale_does_what_the_batch_norm_did_that_it_came_from() {
        let x = Array::from_vec([1, 2, 2], vec![1f32, 2.0, 3.0, 4.0]).unwrap();
        let mut g = Graph::new("g").unwrap();
        let t = g.input("x", Dtype::Float32, [1, 2, 2]).unwrap();
        let y = g.batch_norm(t, vec![1f32, 2.0], vec![4f32, 1.0]).gamma(vec![3f32, 1.0]).epsilon(0.0).call().unwrap();
        let expected = [0.0, 1.5, 1.0, 2.0];
        assert_eq!(result(&mut g, y, &x), expected);
        let scale = g.coefficient("s", Array::from([1.5f32, 1.0])).unwrap();
        let bias = g.coefficient("b", Array::from([-1.5f32, -2.0])).unwrap();
        let none: [(&str, Attribute); 0] = [];
        let y =
            g.insert("Scale", &[Some(t), Some(scale), Some(bias)], none, &[(Some("y"), Dtype::Float32)]).unwrap()[0];
        assert_eq!(result(&mut g, y, &x), expected);
    }

    #[test]
    fn rows_are_normalised() {
        let x = Array::from_vec([2, 3], vec![1f32, 2.0, 3.0, 5.0, 5.0, 5.0]).unwrap();
        let mut g = Graph::new("g").unwrap();
        let t = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let y = g.layer_norm(t).axis(1).gamma(vec![1f32, 1.0, 2.0]).beta(vec![0f32, 0.5, 0.0]).call().unwrap();
        let (got, s) = (result(&mut g, y, &x), 1.5f32.sqrt());
        for (a, b) in got.iter().zip([-s, 0.5, 2.0 * s, 0.0, 0.5, 0.0]) {
            assert!((a - b).abs() < 1e-4, "{got:?}");
        }
    }
}
