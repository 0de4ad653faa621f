//! The product of rows with a single column: their dot products.
use super::InstructionSet;
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Minimum number of elements of a column: shorter dot products take as long as their last additions.
const SHORTEST: usize = 32;
/// Minimum number of elements per task.
const TASK: usize = 1 << 15;
/// Number of interleaved sums.
const SUMS: usize = 4;

/// Whether [`product_of_column`] is the fastest for a matrix of `k` rows and `n` columns.
pub(in crate::cpu) fn is_column([k, n]: [usize; 2]) -> bool {
    n == 1 && k >= SHORTEST
}

/// Computes the dot product of each row with a column, plus `bias`.
pub(in crate::cpu) fn product_of_column(isa: InstructionSet, rows: &[f32], column: &[f32], bias: f32, out: &mut [f32]) {
    let k = column.len();
    let out = out.par_iter_mut().with_min_len(TASK.div_ceil(k));
    out.zip(rows.par_chunks(k)).for_each(|(out, row)| *out = isa.run(Dot { row, column }) + bias);
}

/// The dot product of two rows of numbers.
struct Dot<'a> {
    row: &'a [f32],
    column: &'a [f32],
}

impl SimdOp for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) -> f32 {
        let (ops, lanes) = (isa.f32(), isa.f32().len());
        let mut sums = [ops.zero(); SUMS];
        let whole = self.row.len() / (SUMS * lanes) * (SUMS * lanes);
        for at in (0..whole).step_by(SUMS * lanes) {
            for j in 0..SUMS {
                let (x, w) = (ops.load(&self.row[at + j * lanes..]), ops.load(&self.column[at + j * lanes..]));
                sums[j] = ops.mul_add(x, w, sums[j]);
            }
        }
        for at in (whole..self.row.len()).step_by(lanes) {
            let (x, w) = (ops.load_pad(&self.row[at..]).0, ops.load_pad(&self.column[at..]).0);
            sums[0] = ops.mul_add(x, w, sums[0]);
        }
        let [a, b, c, d] = sums;
        ops.sum(ops.add(ops.add(a, b), ops.add(c, d)))
    }
}
