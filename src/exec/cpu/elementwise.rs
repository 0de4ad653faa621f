//! Iterates over two operands that are broadcast to a result.
use super::blocked::InstructionSet;
use rten_simd::{Isa, SimdOp};

/// Row-major strides of `shape`, broadcast to `rank` dimensions: 0 along broadcast axes. Leading axes beyond `rank` are left out.
pub(super) fn broadcast_strides(shape: &[usize], rank: usize) -> Vec<usize> {
    let mut strides = vec![0; rank];
    let mut step = 1;
    for (stride, &d) in strides.iter_mut().rev().zip(shape.iter().rev()) {
        if d != 1 {
            *stride = step;
        }
        step *= d;
    }
    strides
}

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
    pub fn fill<A: Copy, B: Copy, U>(&self, first: usize, a: &[A], b: &[B], out: &mut [U], f: impl Fn(A, B) -> U) {
        InstructionSet::best().run(Fill { pair: self, first, a, b, out, f });
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

/// The arguments of [`Pair::fill`].
struct Fill<'a, A, B, U, F> {
    pair: &'a Pair,
    first: usize,
    a: &'a [A],
    b: &'a [B],
    out: &'a mut [U],
    f: F,
}

impl<A: Copy, B: Copy, U, F: Fn(A, B) -> U> SimdOp for Fill<'_, A, B, U, F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let Fill { pair, first, a, b, out, f } = self;
        let mut done = 0;
        while done < out.len() {
            let (r, offset) = ((first + done) / pair.row, (first + done) % pair.row);
            let n = (pair.row - offset).min(out.len() - done);
            let [pa, pb] = pair.start(r, offset);
            let part = &mut out[done..done + n];
            match pair.steps {
                [1, 1] => {
                    for ((o, x), y) in part.iter_mut().zip(&a[pa..pa + n]).zip(&b[pb..pb + n]) {
                        *o = f(*x, *y);
                    }
                }
                [1, 0] => {
                    let y = b[pb];
                    for (o, x) in part.iter_mut().zip(&a[pa..pa + n]) {
                        *o = f(*x, y);
                    }
                }
                [0, 1] => {
                    let x = a[pa];
                    for (o, y) in part.iter_mut().zip(&b[pb..pb + n]) {
                        *o = f(x, *y);
                    }
                }
                [sa, sb] => {
                    for (i, o) in part.iter_mut().enumerate() {
                        *o = f(a[pa + i * sa], b[pb + i * sb]);
                    }
                }
            }
            done += n;
        }
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
