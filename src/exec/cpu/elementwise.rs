//! Iterates over two operands that are broadcast to a result.
use super::blocked::{EachOperand, combine_each};

/// Row-major strides of `shape`, broadcast to `rank` dimensions: 0 along broadcast axes.
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

/// Minimum number of elements for which a function compiled for the instruction set is called.
const LONG: usize = 64;

/// How to iterate over two operands that are broadcast to a result.
pub(super) struct Pair {
    /// The axes that cannot be merged into rows, each with the operands' strides.
    outer: Vec<(usize, [usize; 2])>,
    /// Elements of a row, and their stride in each operand.
    row: usize,
    steps: [usize; 2],
}

impl Pair {
    pub fn new(operands: [&[usize]; 2], shape: &[usize]) -> Pair {
        let [a, b] = operands.map(|s| broadcast_strides(s, shape.len()));
        // Trailing axes with common strides in both operands are merged into one long row.
        let (mut row, mut steps, mut outer) = (1, [0, 0], shape.len());
        while outer > 0 {
            let (d, own) = (shape[outer - 1], [a[outer - 1], b[outer - 1]]);
            let continues = |i: usize| d == 1 || row == 1 || own[i] == steps[i] * row;
            if !(continues(0) && continues(1)) {
                break;
            }
            if row == 1 && d != 1 {
                steps = own;
            }
            row *= d;
            outer -= 1;
        }
        Pair { outer: (0..outer).map(|i| (shape[i], [a[i], b[i]])).collect(), row, steps }
    }
    /// Computes `f` of the operands for the result's elements from `first` on.
    pub fn fill<A: Copy, B: Copy, U>(
        &self,
        first: usize,
        a: &[A],
        b: &[B],
        out: &mut [U],
        f: impl Fn(A, B) -> U + Copy,
    ) {
        let mut done = 0;
        while done < out.len() {
            let (r, offset) = ((first + done) / self.row, (first + done) % self.row);
            let n = (self.row - offset).min(out.len() - done);
            let [pa, pb] = self.start(r, offset);
            let part = &mut out[done..done + n];
            match (operand(a, pa, self.steps[0], n), operand(b, pb, self.steps[1], n)) {
                (Some(a), Some(b)) if n >= LONG => combine_each((a, b), part, f),
                _ => {
                    let [sa, sb] = self.steps;
                    part.iter_mut().enumerate().for_each(|(i, o)| *o = f(a[pa + i * sa], b[pb + i * sb]));
                }
            }
            done += n;
        }
    }
    /// Returns the offsets of the operands' elements for an element of a row.
    fn start(&self, mut row: usize, offset: usize) -> [usize; 2] {
        let mut at = self.steps.map(|s| s * offset);
        for (d, strides) in self.outer.iter().rev() {
            at = [at[0] + row % d * strides[0], at[1] + row % d * strides[1]];
            row /= d;
        }
        at
    }
}

/// Returns `n` elements of an operand from `at` on. Returns `None` if they are neither consecutive nor all the same.
fn operand<T: Copy>(all: &[T], at: usize, step: usize, n: usize) -> Option<EachOperand<'_, T>> {
    match step {
        0 => Some(EachOperand::One(all[at])),
        1 => Some(EachOperand::All(&all[at..at + n])),
        _ => None,
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
            // Computed in pieces, since chunks may begin and end within rows.
            let pair = Pair::new([&a_shape, &b_shape], &shape);
            for (i, chunk) in got.chunks_mut(5).enumerate() {
                pair.fill(i * 5, a.as_slice().unwrap(), b.as_slice().unwrap(), chunk, |x, y| 100_000 * x + y);
            }
            let want = a.broadcast(IxDyn(&shape)).unwrap().to_owned() * 100_000 + b.broadcast(IxDyn(&shape)).unwrap();
            prop_assert_eq!(got, want.iter().copied().collect::<Vec<_>>());
        }
    }
}
