use super::{Kernel, Operand, layout::permuted, task::Finish};
use crate::ops::{Reduce, ReduceMode, reduced_axes};
use rayon::prelude::*;

/// Sums are accumulated in f64, then rounded once.
fn reducer(mode: ReduceMode) -> fn(&[f32]) -> f32 {
    match mode {
        ReduceMode::ReduceMean => |v| (v.iter().map(|&x| f64::from(x)).sum::<f64>() / v.len() as f64) as f32,
        ReduceMode::ReduceSum => |v| v.iter().map(|&x| f64::from(x)).sum::<f64>() as f32,
        ReduceMode::ReduceProd => |v| v.iter().map(|&x| f64::from(x)).product::<f64>() as f32,
        ReduceMode::ReduceL1 => |v| v.iter().map(|&x| f64::from(x.abs())).sum::<f64>() as f32,
        ReduceMode::ReduceL2 => |v| v.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32,
        ReduceMode::ReduceMax => |v| v.iter().copied().reduce(|m, x| if x > m { x } else { m }).unwrap_or(f32::NAN),
        ReduceMode::ReduceMin => |v| v.iter().copied().reduce(|m, x| if x < m { x } else { m }).unwrap_or(f32::NAN),
    }
}

pub(super) fn reduce(op: Reduce<Operand>) -> Kernel {
    let f = reducer(op.mode);
    Box::new(move |t| {
        let shape = &op.input.ty.shape;
        let reduced = reduced_axes(&op.axes, shape.len())?;
        let (mut order, last): (Vec<usize>, Vec<usize>) = (0..shape.len()).partition(|i| !reduced.contains(i));
        let row: usize = last.iter().map(|&i| shape[i]).product();
        order.extend(last);
        let values = t.reals(&op.input)?;
        let rows = if order.is_sorted() { values } else { permuted(&values, shape, &order)?.into() };
        t.write(0, Finish::default(), |out| {
            out.par_iter_mut().zip(rows.par_chunks(row.max(1))).for_each(|(o, row)| *o = f(row));
            Ok(())
        })
    })
}
