use super::{
    Kernel,
    elementwise::in_chunks,
    layout::{from_last, to_last},
    task::{CpuTask, relu},
};
use crate::{array::Array, graph::Result};
use rayon::prelude::*;
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath as vecmath;

pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("Relu", |t| map(t, |v| relu(v, t.attributes().float("relu_limit")))),
    ("LeakyRelu", |t| {
        let alpha = t.attributes().float("alpha") as f32;
        map(t, |v| v.iter_mut().for_each(|x| *x = if *x < 0.0 { *x * alpha } else { *x }))
    }),
    ("Tanh", |t| map(t, |v| vecmath::Tanh {}.map_mut(v))),
    ("Sigmoid", sigmoid),
    ("GELU", gelu),
    ("Softmax", softmax),
];

/// Applies `f` to chunks of the values.
fn map(t: &CpuTask, f: impl Fn(&mut [f32]) + Sync) -> Result<Vec<Array>> {
    let mut values = t.reals(0)?.into_owned();
    in_chunks(&mut values, f);
    t.store(values)
}

fn sigmoid(t: &CpuTask) -> Result<Vec<Array>> {
    let (scale, bias) = (t.attributes().float("scale") as f32, t.attributes().float("bias") as f32);
    let log = t.attributes().bool("log");
    map(t, |v| {
        vecmath::Sigmoid {}.map_mut(v);
        if scale != 1.0 || bias != 0.0 {
            v.iter_mut().for_each(|x| *x = *x * scale + bias);
        }
        if log {
            v.iter_mut().for_each(|x| *x = x.ln());
        }
    })
}

fn gelu(t: &CpuTask) -> Result<Vec<Array>> {
    match t.attributes().str("approx_mode") {
        "tanh" => map(t, |v| vecmath::ApproxGelu {}.map_mut(v)),
        "sigm" => map(t, |v| {
            let mut s: Vec<f32> = v.iter().map(|x| 1.702 * x).collect();
            vecmath::Sigmoid {}.map_mut(&mut s);
            v.iter_mut().zip(s).for_each(|(x, s)| *x *= s);
        }),
        _ => map(t, |v| vecmath::Gelu {}.map_mut(v)),
    }
}

fn softmax(t: &CpuTask) -> Result<Vec<Array>> {
    let shape = t.shape(0)?;
    let axis = t.attributes().int("axis").rem_euclid(shape.len() as i64) as usize;
    let (log, beta) = (t.attributes().bool("log"), t.attributes().float("beta") as f32);
    let mut rows = to_last(&t.reals(0)?, shape, axis)?.into_owned();
    rows.par_chunks_mut(shape[axis]).for_each(|row| {
        if beta != 1.0 {
            row.iter_mut().for_each(|v| *v *= beta);
        }
        if log {
            vecmath::LogSoftmax::new_mut(row).dispatch();
        } else {
            vecmath::Softmax::new_mut(row).dispatch();
        }
    });
    t.store(from_last(rows, shape, axis)?)
}
