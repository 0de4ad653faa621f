use super::{Kernel, elementwise::binary, task::CpuTask};
use crate::{array::Array, graph::Result};
use std::borrow::Cow;

pub(super) const KERNELS: &[(&str, Kernel)] = &[("Where", select)];

fn select(t: &CpuTask) -> Result<Vec<Array>> {
    let branch = |i: usize, value: &str| -> Result<(Cow<[f32]>, Vec<usize>)> {
        if t.has(i) {
            Ok((t.reals(i)?, t.shape(i)?.to_vec()))
        } else {
            Ok((vec![t.attributes().float(value) as f32].into(), vec![1]))
        }
    };
    let shape = t.result_shape()?;
    let (yes, yes_shape) = branch(1, "x_const_val")?;
    let (no, no_shape) = branch(2, "y_const_val")?;
    let both = binary_pairs((&yes, &yes_shape), (&no, &no_shape), shape)?;
    let (cond, pairs) = (t.reals(0)?, both);
    let cond: Vec<(f32, f32)> = cond.iter().map(|&c| (c, 0.0)).collect();
    t.store(binary((&cond, t.shape(0)?), (&pairs, shape), shape, |(c, _), (y, n)| if c != 0.0 { y } else { n })?)
}

fn binary_pairs(a: (&[f32], &[usize]), b: (&[f32], &[usize]), shape: &[usize]) -> Result<Vec<(f32, f32)>> {
    binary(a, b, shape, |x, y| (x, y))
}
