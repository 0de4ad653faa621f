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
    let branches = binary((&yes, &yes_shape), (&no, &no_shape), shape, |y, n| (y, n))?;
    t.store(binary((&t.reals(0)?, t.shape(0)?), (&branches, shape), shape, |c, (y, n)| if c != 0.0 { y } else { n })?)
}
