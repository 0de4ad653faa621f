use super::{
    Kernel,
    elementwise::{binary, unary},
    task::CpuTask,
};
use crate::{
    array::Array,
    graph::{Dtype, Result},
};

pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("Add", |t| tensors(t, |a, b| a + b, i64::saturating_add)),
    ("Sub", |t| {
        if t.attributes().bool("is_reverse") {
            tensors(t, |a, b| b - a, |a, b| b.saturating_sub(a))
        } else {
            tensors(t, |a, b| a - b, i64::saturating_sub)
        }
    }),
    ("Mul", |t| tensors(t, |a, b| a * b, i64::saturating_mul)),
    ("Div", |t| {
        if t.attributes().bool("is_reverse") {
            tensors(t, |a, b| b / a, |a, b| b.checked_div(a).unwrap_or(0))
        } else {
            tensors(t, |a, b| a / b, |a, b| a.checked_div(b).unwrap_or(0))
        }
    }),
    ("Max", |t| tensors(t, larger, i64::max)),
    ("Min", |t| tensors(t, smaller, i64::min)),
    ("AddConst", |t| constant(t, |a, c| a + c)),
    (
        "SubConst",
        |t| if t.attributes().bool("is_reverse") { constant(t, |a, c| c - a) } else { constant(t, |a, c| a - c) },
    ),
    ("MulConst", |t| constant(t, |a, c| a * c)),
    ("MaxConst", |t| constant(t, |a, c| if a < c { c } else { a })),
    ("MinConst", |t| constant(t, |a, c| if a > c { c } else { a })),
];

// Like the Top executor's std::max and std::min: the first where the comparison fails, so NaN stays where it was first.
fn larger(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// Plain integers are computed exactly; what is quantized or float, as real numbers.
fn is_plain_int(t: &CpuTask) -> Result<bool> {
    let plain = |t: &crate::exec::Typed| t.buffer_dtype() != Dtype::Float32 && t.quantization.is_none();
    Ok(plain(t.result(0)?) && t.0.operands.iter().flatten().all(|(t, _)| plain(t)))
}

fn tensors(t: &CpuTask, real: fn(f32, f32) -> f32, int: fn(i64, i64) -> i64) -> Result<Vec<Array>> {
    if is_plain_int(t)? {
        let (mut values, mut shape) = (t.ints(0)?, t.shape(0)?.to_vec());
        for i in 1..t.operands() {
            let (next, next_shape) = (t.ints(i)?, t.shape(i)?);
            let wide = wider(&shape, next_shape);
            values = binary((&values, &shape), (&next, next_shape), &wide, int)?;
            shape = wide;
        }
        return t.store_ints(values);
    }
    let coeff = t.attributes().floats("coeff");
    let scaled = |i: usize| -> Result<_> {
        let values = t.reals(i)?;
        Ok(match coeff.get(i) {
            Some(&c) if c != 1.0 => unary(&values, |v| v * c as f32)?.into(),
            _ => values,
        })
    };
    let (mut values, mut shape) = (scaled(0)?, t.shape(0)?.to_vec());
    for i in 1..t.operands() {
        let next_shape = t.shape(i)?;
        let wide = wider(&shape, next_shape);
        // Each op's function is its own instance, so that the loop is vectorised.
        values = binary((&values, &shape), (&scaled(i)?, next_shape), &wide, real)?.into();
        shape = wide;
    }
    t.store(values.into_owned())
}

/// The broadcast of two shapes that are known to fit.
fn wider(a: &[usize], b: &[usize]) -> Vec<usize> {
    let rank = a.len().max(b.len());
    let dim = |s: &[usize], i: usize| (i + s.len()).checked_sub(rank).map_or(1, |at| s[at]);
    (0..rank).map(|i| dim(a, i).max(dim(b, i))).collect()
}

fn constant(t: &CpuTask, f: fn(f64, f64) -> f64) -> Result<Vec<Array>> {
    let c = t.attributes().float("const_val");
    if t.dtype(0)? != Dtype::Float32 && is_plain_int(t)? {
        // Exact for every integer of up to 32 bits.
        let (values, mode) = (t.ints(0)?, t.round_mode());
        return t.store_ints(unary(&values, |v| mode.round(f(v as f64, c)) as i64)?);
    }
    let values = t.reals(0)?;
    t.store(unary(&values, |v| f(f64::from(v), c) as f32)?)
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph, Scalar, Tensor,
        exec::{CpuBackend, RunOptions, run},
    };

    fn result(g: &mut Graph, y: Tensor, feeds: &[(&str, Array)]) -> Array {
        g.set_outputs(&[y]).unwrap();
        let feeds = feeds.iter().map(|(n, a)| ((*n).to_owned(), a.clone())).collect();
        run(g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].clone()
    }

    #[test]
    fn plain_integers_are_exact_and_saturate() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [2]).unwrap();
        let y = g.max(x, Array::from([16777217i32, i32::MIN])).call().unwrap();
        let feeds = [("x", Array::from([16777216i32, i32::MAX]))];
        assert_eq!(result(&mut g, y, &feeds), Array::from([16777217i32, i32::MAX]));
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [2]).unwrap();
        let y = g.add(x, Scalar::new(100.0, Dtype::Int8)).call().unwrap();
        assert_eq!(result(&mut g, y, &[("x", Array::from([100i8, -100]))]), Array::from([127i8, 0]));
    }

    #[test]
    fn quantized_numbers_are_added_as_what_they_mean() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [3]).unwrap();
        let y = g.add(x, Array::from([10i8, 10, 10])).scale([0.5, 0.25, 1.0]).zero_point([1, 2, 3]).call().unwrap();
        // (5 - 1) / 2 + (10 - 2) / 4 = 4, stored as 4 + 3; the last saturates.
        assert_eq!(result(&mut g, y, &[("x", Array::from([5i8, 6, -128]))]), Array::from([7i8, 8, -60]));
    }
}
