//! Broadcasting loops.
use rayon::prelude::*;

/// Elements below which a loop is not worth dividing.
const GRAIN: usize = 1 << 14;

/// Row-major strides of `shape` as seen from a result of `rank` dimensions: 0 where it is broadcast.
fn broadcast_strides(shape: &[usize], rank: usize) -> Vec<usize> {
    let mut strides = vec![0; rank];
    let mut step = 1;
    for (i, &d) in shape.iter().enumerate().rev() {
        if d != 1 {
            strides[rank - shape.len() + i] = step;
        }
        step *= d;
    }
    strides
}

/// `f` of the broadcast operands, for every element of a result of that shape.
pub(super) fn binary_into<A: Copy + Sync, B: Copy + Sync, U: Copy + Send>(
    (a, a_shape): (&[A], &[usize]),
    (b, b_shape): (&[B], &[usize]),
    shape: &[usize],
    out: &mut [U],
    f: impl Fn(A, B) -> U + Sync,
) {
    let n = out.len();
    let (sa, sb) = (broadcast_strides(a_shape, shape.len()), broadcast_strides(b_shape, shape.len()));
    // Trailing axes that both operands walk alike are one long row.
    let (mut row, mut outer) = (1, shape.len());
    let (mut step_a, mut step_b) = (0, 0);
    while outer > 0 {
        let d = shape[outer - 1];
        let continues = |s: usize, step: usize| d == 1 || row == 1 || s == step * row;
        if !(continues(sa[outer - 1], step_a) && continues(sb[outer - 1], step_b)) {
            break;
        }
        if row == 1 && d != 1 {
            (step_a, step_b) = (sa[outer - 1], sb[outer - 1]);
        }
        row *= d;
        outer -= 1;
    }
    let start = |mut r: usize, strides: &[usize]| {
        let mut at = 0;
        for i in (0..outer).rev() {
            at += (r % shape[i]) * strides[i];
            r /= shape[i];
        }
        at
    };
    let fill = |first: usize, chunk: &mut [U]| {
        // A chunk may begin and end within rows.
        let mut done = 0;
        while done < chunk.len() {
            let (r, offset) = ((first + done) / row, (first + done) % row);
            let n = (row - offset).min(chunk.len() - done);
            let (pa, pb) = (start(r, &sa) + offset * step_a, start(r, &sb) + offset * step_b);
            let part = &mut chunk[done..done + n];
            match (step_a, step_b) {
                (1, 1) => {
                    part.iter_mut().zip(&a[pa..pa + n]).zip(&b[pb..pb + n]).for_each(|((o, x), y)| *o = f(*x, *y))
                }
                (1, 0) => part.iter_mut().zip(&a[pa..pa + n]).for_each(|(o, x)| *o = f(*x, b[pb])),
                (0, 1) => part.iter_mut().zip(&b[pb..pb + n]).for_each(|(o, y)| *o = f(a[pa], *y)),
                _ => part.iter_mut().enumerate().for_each(|(i, o)| *o = f(a[pa + i * step_a], b[pb + i * step_b])),
            }
            done += n;
        }
    };
    if n > 2 * GRAIN {
        out.par_chunks_mut(GRAIN).enumerate().for_each(|(i, chunk)| fill(i * GRAIN, chunk));
    } else {
        fill(0, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{ArrayD, Dimension, IxDyn};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn broadcasting_is_ndarrays(dims in prop::collection::vec((1usize..5, any::<bool>(), any::<bool>()), 1..5), drop in 0usize..3) {
            let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
            let a_shape: Vec<usize> = dims.iter().map(|d| if d.1 { 1 } else { d.0 }).collect();
            let b_shape: Vec<usize> = dims.iter().map(|d| if d.2 { 1 } else { d.0 }).skip(drop.min(dims.len())).collect();
            let fill = |s: &[usize], k: i64| ArrayD::from_shape_fn(IxDyn(s), |i| i.slice().iter().fold(k, |n, &j| n * 7 + j as i64));
            let (a, b) = (fill(&a_shape, 1), fill(&b_shape, 2));
            let mut got = vec![0; shape.iter().product()];
            binary_into((a.as_slice().unwrap(), &a_shape), (b.as_slice().unwrap(), &b_shape), &shape, &mut got, |x, y| 100_000 * x + y);
            let want = a.broadcast(IxDyn(&shape)).unwrap().to_owned() * 100_000 + b.broadcast(IxDyn(&shape)).unwrap();
            prop_assert_eq!(got, want.iter().copied().collect::<Vec<_>>());
        }
    }
}
