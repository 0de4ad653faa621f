use super::{
    Kernel,
    layout::with_element,
    task::{CpuTask, to_ints},
};
use crate::{
    array::{Array, Element, reserve},
    graph::{Dtype, Result, argument},
};

pub(super) const KERNELS: &[(&str, Kernel)] = &[("Gather", gather)];

fn gather(t: &CpuTask) -> Result<Vec<Array>> {
    fn go<T: Element>(from: &Array, rows: &[usize], axis: usize, shape: &[usize]) -> Result<Array> {
        let (values, dims) = (from.elements::<T>()?, from.shape());
        let inner: usize = dims[axis + 1..].iter().product();
        let mut out = Vec::new();
        reserve(&mut out, shape.iter().product())?;
        for o in 0..dims[..axis].iter().product() {
            for r in rows {
                let at = (o * dims[axis] + r) * inner;
                out.extend_from_slice(&values[at..at + inner]);
            }
        }
        Array::from_vec(shape, out)
    }
    let ((_, input), (_, indices)) = (t.operand(0)?, t.operand(1)?);
    let axis = t.attributes().int("axis").rem_euclid(input.shape().len() as i64) as usize;
    let dim = input.shape()[axis] as i64;
    let row = |i: i64| match if i < 0 { i + dim } else { i } {
        r if (0..dim).contains(&r) => Ok(r as usize),
        _ => Err(argument(
            "an index",
            i,
            format!("axis {axis} has {dim} entries, so it must be from {} to {}", -dim, dim - 1),
        )),
    };
    let rows = to_ints(indices)?.into_iter().map(row).collect::<Result<Vec<_>>>()?;
    Ok(vec![with_element!(input.dtype(), go(input, &rows, axis, t.result_shape()?))?])
}
