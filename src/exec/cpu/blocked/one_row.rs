//! The product of one row with a row-major matrix: every element of the matrix is read once, so that the time is that of reading it
//! from memory.
//!
//! Short rows are read one at a time, so that the matrix is one stream, which the processor prefetches; the sums stay in the first-level
//! cache. A task reads some consecutive rows and adds their multiples. The sums of all tasks are then added in order: how the rows are
//! divided does not depend on the number of threads, so neither do the results.
//!
//! The sums of longer rows do not fit that cache, so several rows are read at a time. A task computes some of the columns. It adds up
//! parts of the rows, since sums of parts are more accurate than a single chain of additions.
use super::{
    BLOCK, InstructionSet,
    band::{grow, with_scratch},
    product::DEPTH,
};
use crate::{array::zeros, base::Result};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp, ops::NumOps};

/// Number of long rows of the matrix that are read together.
const TOGETHER: usize = 8;
const _: () = assert!(DEPTH.is_multiple_of(TOGETHER), "parts consist of rows that are read together");
/// Maximum number of elements of a short row.
const SHORT: usize = 3 << 10;
/// Minimum number of short rows, and of elements, per task.
const ROWS: usize = 64;
const TASK: usize = 1 << 13;
/// The number of tasks of short rows is rounded up to a multiple, so that 2 or 4 threads get equal shares.
const EVEN: usize = 4;
/// Minimum and maximum number of columns of long rows per task.
const FEWEST_COLUMNS: usize = 1 << 9;
const MAX_COLUMNS: usize = 1 << 13;

/// Computes `out = x * matrix`, where the matrix has as many rows as `x` has elements and as many columns as `out`.
///
/// # Errors
/// Returns an error if memory runs out.
pub(in crate::cpu) fn product_of_row(isa: InstructionSet, x: &[f32], matrix: &[f32], out: &mut [f32]) -> Result<()> {
    let n = out.len();
    if n == 0 {
        return Ok(());
    }
    if n > SHORT {
        let tasks = n.div_ceil(MAX_COLUMNS).next_multiple_of(rayon::current_num_threads());
        let fewest = FEWEST_COLUMNS.max(TASK.div_ceil(x.len().max(1)));
        let width = n.div_ceil(tasks).max(fewest).next_multiple_of(BLOCK);
        let columns = |i: usize| &matrix[(i * width).min(matrix.len())..];
        let tasks = out.par_chunks_mut(width).enumerate();
        return tasks
            .try_for_each(|(i, out)| with_scratch(|scratch| columns_of_long(isa, x, (columns(i), n), out, scratch)));
    }
    let rows = ROWS.max(TASK.div_ceil(n));
    if x.len() <= rows {
        isa.run(Rows { x, matrix, stride: n, out });
        return Ok(());
    }
    let rows = x.len().div_ceil(x.len().div_ceil(rows).next_multiple_of(EVEN));
    let mut sums = zeros::<f32>(x.len().div_ceil(rows).saturating_mul(n))?;
    let tasks = sums.par_chunks_mut(n).zip(x.par_chunks(rows)).zip(matrix.par_chunks(rows * n));
    tasks.for_each(|((out, x), matrix)| isa.run(Rows { x, matrix, stride: n, out }));
    out.fill(0.0);
    for sums in sums.chunks_exact(n) {
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
    }
    Ok(())
}

/// Computes some columns of the product with long rows, of which there are `n` columns in all.
fn columns_of_long(
    isa: InstructionSet,
    x: &[f32],
    (matrix, n): (&[f32], usize),
    out: &mut [f32],
    scratch: &mut Vec<f32>,
) -> Result<()> {
    let mut parts = x.chunks(DEPTH).zip(matrix.chunks(DEPTH * n));
    let Some((x, matrix)) = parts.next() else {
        out.fill(0.0);
        return Ok(());
    };
    isa.run(Rows { x, matrix, stride: n, out });
    grow(scratch, out.len())?;
    let sums = &mut scratch[..out.len()];
    for (x, matrix) in parts {
        isa.run(Rows { x, matrix, stride: n, out: sums });
        out.iter_mut().zip(&*sums).for_each(|(out, sum)| *out += sum);
    }
    Ok(())
}

/// Some columns of consecutive rows of a matrix, and their multiples' sum.
struct Rows<'a> {
    x: &'a [f32],
    matrix: &'a [f32],
    /// The distance between rows.
    stride: usize,
    out: &'a mut [f32],
}

impl SimdOp for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Rows { x, matrix, stride, out } = self;
        let (ops, n) = (isa.f32(), out.len());
        out.fill(0.0);
        let together = if stride > SHORT { x.len() / TOGETHER * TOGETHER } else { 0 };
        for (i, x) in x.as_chunks::<TOGETHER>().0.iter().take(together / TOGETHER).enumerate() {
            let mut rows = [matrix; TOGETHER];
            for r in 0..TOGETHER {
                rows[r] = &matrix[(i * TOGETHER + r) * stride..][..n];
            }
            add(ops, *x, rows, out);
        }
        for (i, x) in x.iter().enumerate().skip(together) {
            add(ops, [*x], [&matrix[i * stride..][..n]], out);
        }
    }
}

/// Adds multiples of `R` rows.
#[inline(always)]
fn add<O: NumOps<f32>, const R: usize>(ops: O, x: [f32; R], rows: [&[f32]; R], out: &mut [f32]) {
    let lanes = ops.len();
    let whole = out.len() / lanes * lanes;
    let mut multipliers = [ops.zero(); R];
    for r in 0..R {
        multipliers[r] = ops.splat(x[r]);
    }
    for at in (0..whole).step_by(lanes) {
        let mut sum = ops.load(&out[at..]);
        for r in 0..R {
            sum = ops.mul_add(multipliers[r], ops.load(&rows[r][at..]), sum);
        }
        ops.store(sum, &mut out[at..]);
    }
    for at in whole..out.len() {
        for r in 0..R {
            out[at] += x[r] * rows[r][at];
        }
    }
}
