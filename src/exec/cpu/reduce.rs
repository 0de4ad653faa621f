use super::{Kernel, layout::permuted, task::CpuTask};
use crate::{array::Array, graph::Result, ops::reduced_axes};
use rayon::prelude::*;

pub(super) const KERNELS: &[(&str, Kernel)] = &[("Reduce", reduce)];

/// Sums are accumulated in f64, then rounded once.
fn reducer(mode: &str) -> fn(&[f32]) -> f32 {
    match mode {
        "ReduceMean" => |v| (v.iter().map(|&x| f64::from(x)).sum::<f64>() / v.len() as f64) as f32,
        "ReduceSum" => |v| v.iter().map(|&x| f64::from(x)).sum::<f64>() as f32,
        "ReduceProd" => |v| v.iter().map(|&x| f64::from(x)).product::<f64>() as f32,
        "ReduceL1" => |v| v.iter().map(|&x| f64::from(x.abs())).sum::<f64>() as f32,
        "ReduceL2" => |v| v.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32,
        "ReduceMax" => |v| v.iter().copied().reduce(|m, x| if x > m { x } else { m }).unwrap_or(f32::NAN),
        _ => |v| v.iter().copied().reduce(|m, x| if x < m { x } else { m }).unwrap_or(f32::NAN),
    }
}

fn reduce(t: &CpuTask) -> Result<Vec<Array>> {
    let shape = t.shape(0)?;
    let reduced = reduced_axes(&t.attributes().ints("axes"), shape.len())?;
    let (mut order, last): (Vec<usize>, Vec<usize>) = (0..shape.len()).partition(|i| !reduced.contains(i));
    let row: usize = last.iter().map(|&i| shape[i]).product();
    order.extend(last);
    let values = t.reals(0)?;
    let rows = if order.is_sorted() { values } else { permuted(&values, shape, &order)?.into() };
    let f = reducer(t.attributes().str("mode"));
    t.store(rows.par_chunks(row.max(1)).map(f).collect())
}
