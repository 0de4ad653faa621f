use super::{Kernel, Operand, layout::converted};
use crate::{base::invalid, ops::TopK, quant::RoundMode};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Numbers by size. NaN counts as larger than all of them and all NaN as equal, so that this is an order; 0 and -0 are
/// equal.
fn by_size(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Entries are ordered as they are stored, which is the order of the real numbers too, and of equal ones the first stands
/// first. NaN is found among the largest, and among the smallest only where nothing else is left.
pub(super) fn top_k(op: TopK<Operand>) -> Kernel {
    Box::new(move |t| {
        if t.result(1).is_err() {
            return Err(invalid("values and indices must both be asked for"));
        }
        let (stored, input) = (t.array(&op.input)?.to_f64()?, converted(t, &op.input, RoundMode::default())?);
        let shape = input.shape();
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let (dim, k) = (shape[axis], op.K as usize);
        let inner: usize = shape[axis + 1..].iter().product();
        let column = |c: usize| {
            let first = c / inner * dim * inner + c % inner;
            let at = |i: usize| stored[first + i * inner];
            let mut order: Vec<usize> = (0..dim).collect();
            // A stable sort keeps equal entries in order.
            order.sort_by(|&a, &b| if op.largest { by_size(at(b), at(a)) } else { by_size(at(a), at(b)) });
            order.truncate(k);
            order
        };
        let columns: Vec<Vec<usize>> = (0..stored.len() / dim).into_par_iter().map(column).collect();
        let mut indices = vec![0; columns.len() * k];
        let size = input.dtype().size();
        let (stored, values) = (input.bytes()?, t.memory(0)?.bytes());
        for (c, order) in columns.iter().enumerate() {
            for (j, &i) in order.iter().enumerate() {
                let to = (c / inner * k + j) * inner + c % inner;
                let from = ((c / inner * dim + i) * inner + c % inner) * size;
                values[to * size..(to + 1) * size].copy_from_slice(&stored[from..from + size]);
                indices[to] = i as i64;
            }
        }
        t.write_ints(1, indices)
    })
}
