//! Softmax and normalization of rows, out of place.
use super::{
    BLOCK,
    exp::{largest_lane, largest_scaled, negative_powers, scaled_powers},
};
use rten_simd::{
    Elem, Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Number of interleaved accumulators, which hides latency and improves precision.
const SUMS: usize = 4;

/// Number of vectors per accumulator whose float32 sums are exact enough; those of more vectors are added in float64.
const EXACT: usize = 64;

/// Maximum number of vectors of a row whose exponentials are computed together with those of other rows.
const SHORT: usize = 8;

/// Number of columns of a softmax from which on those of each row fill a vector.
pub(in crate::cpu) const SOFTMAX_COLUMNS: usize = 16;

/// Loads a vector of a row, padded with `fill` after the end of the row.
#[inline(always)]
pub(in crate::cpu) fn load_padded<O: NumOps<f32>>(ops: O, row: &[f32], at: usize, fill: f32) -> O::Simd {
    if at + ops.len() <= row.len() {
        return ops.load(&row[at..]);
    }
    let (rest, is_rest) = ops.load_pad(&row[at..]);
    ops.select(rest, ops.splat(fill), is_rest)
}

/// Stores the part of a vector that is within a row.
#[inline(always)]
pub(in crate::cpu) fn store_within<T: Elem + Default, O: NumOps<T>>(ops: O, v: O::Simd, row: &mut [T], at: usize) {
    if at + ops.len() <= row.len() {
        ops.store(v, &mut row[at..]);
        return;
    }
    let (mut padded, rest) = ([T::default(); BLOCK], &mut row[at..]);
    ops.store(v, &mut padded);
    rest.copy_from_slice(&padded[..rest.len()]);
}

/// Computes `exp(beta x) / sum(exp(beta x))` of each row of `n` elements, or its logarithm.
pub(in crate::cpu) struct Softmax<'a> {
    pub from: &'a [f32],
    pub to: &'a mut [f32],
    pub n: usize,
    pub beta: f32,
    pub log: bool,
}

impl SimdOp for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let beta = self.beta;
        if self.n <= SHORT * isa.f32().len() && !self.log {
            return self.short(isa);
        }
        for (from, to) in self.from.chunks(self.n).zip(self.to.chunks_mut(self.n)) {
            let most = largest_scaled(isa.f32(), from, beta);
            let sum = scaled_powers(isa, from, to, beta, most);
            if self.log {
                let logarithm = sum.ln();
                for (to, x) in to.iter_mut().zip(from) {
                    *to = x * beta - most - logarithm;
                }
            } else {
                let factor = sum.recip();
                for v in to {
                    *v *= factor;
                }
            }
        }
    }
}

impl Softmax<'_> {
    /// Computes rows that fill few vectors: the exponentials of all rows at once.
    #[inline(always)]
    fn short<I: Isa>(self, isa: I) {
        let (ops, Softmax { from, to, n, beta, .. }) = (isa.f32(), self);
        for (from, to) in from.chunks(n).zip(to.chunks_mut(n)) {
            if n < ops.len() {
                let most =
                    fold_short(from.iter().map(|x| x * beta), f32::NEG_INFINITY, |m, x| if x > m { x } else { m });
                to.iter_mut().zip(from).for_each(|(to, x)| *to = most - x * beta);
            } else {
                below_largest(ops, from, to, beta);
            }
        }
        negative_powers(isa, to);
        for row in to.chunks_mut(n) {
            if n < ops.len() {
                let factor = fold_short(row.iter().copied(), 0.0, |s, x| s + x).recip();
                row.iter_mut().for_each(|v| *v *= factor);
            } else {
                divide_by_sum(ops, row);
            }
        }
    }
}

/// Combines some numbers in four parts, since each combination waits for the one before. Each part begins with `empty`, which must not
/// change what it is combined with.
#[inline(always)]
fn fold_short(numbers: impl Iterator<Item = f32>, empty: f32, combine: impl Fn(f32, f32) -> f32) -> f32 {
    let mut parts = [empty; 4];
    for (i, number) in numbers.enumerate() {
        parts[i % 4] = combine(parts[i % 4], number);
    }
    let [a, b, c, d] = parts;
    combine(combine(a, b), combine(c, d))
}

/// Writes how far each element of a row, times `beta`, is below the largest one. The row is at least as long as a vector.
#[inline(always)]
fn below_largest<O: NumOps<f32>>(ops: O, from: &[f32], to: &mut [f32], beta: f32) {
    let (last, beta) = (from.len() - ops.len(), ops.splat(beta));
    // The last vector ends with the row, so it has some elements a second time.
    let mut most = ops.mul(ops.load(&from[last..]), beta);
    for at in (0..last).step_by(ops.len()) {
        most = ops.max(most, ops.mul(ops.load(&from[at..]), beta));
    }
    let most = ops.splat(largest_lane(most));
    for at in (0..from.len()).step_by(ops.len()) {
        let at = at.min(last);
        ops.store(ops.sub(most, ops.mul(ops.load(&from[at..]), beta)), &mut to[at..]);
    }
}

/// Divides the elements of a row by their sum. The row is at least as long as a vector.
#[inline(always)]
fn divide_by_sum<O: NumOps<f32>>(ops: O, row: &mut [f32]) {
    let (whole, last) = (row.len() / ops.len() * ops.len(), row.len() - ops.len());
    let end = ops.load(&row[last..]);
    // The elements after the last whole vector.
    let mut sum = load_padded(ops, row, whole, 0.0);
    for at in (0..whole).step_by(ops.len()) {
        sum = ops.add(sum, ops.load(&row[at..]));
    }
    let factor = ops.splat(ops.sum(sum).recip());
    for at in (0..whole).step_by(ops.len()) {
        ops.store(ops.mul(ops.load(&row[at..]), factor), &mut row[at..]);
    }
    ops.store(ops.mul(end, factor), &mut row[last..]);
}

/// Number of rows whose exponentials are added up before they are added to those of others: a long sum in float32 loses digits.
const SECTION: usize = 512;

/// Computes [`Softmax`] of each column of a matrix with fewer than [`SOFTMAX_COLUMNS`] columns, and with them all exponentials at once.
pub(in crate::cpu) struct SoftmaxOfFewColumns<'a> {
    pub from: &'a [f32],
    pub to: &'a mut [f32],
    pub columns: usize,
    pub beta: f32,
    pub log: bool,
}

impl SimdOp for SoftmaxOfFewColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let SoftmaxOfFewColumns { from, to, columns, beta, log } = self;
        let (mut most, mut sums) = ([f32::NEG_INFINITY; SOFTMAX_COLUMNS], [0.0; SOFTMAX_COLUMNS]);
        for row in from.chunks_exact(columns) {
            for (most, x) in most.iter_mut().zip(row) {
                *most = if x * beta > *most { x * beta } else { *most };
            }
        }
        let rows = || from.chunks_exact(columns);
        for (to, from) in to.chunks_exact_mut(columns).zip(rows()) {
            to.iter_mut().zip(from).zip(&most).for_each(|((to, x), most)| *to = most - x * beta);
        }
        negative_powers(isa, to);
        for rows in to.chunks(SECTION * columns) {
            let mut section = [0.0; SOFTMAX_COLUMNS];
            for row in rows.chunks_exact(columns) {
                section.iter_mut().zip(row).for_each(|(sum, power)| *sum += power);
            }
            sums.iter_mut().zip(section).for_each(|(sum, section)| *sum += section);
        }
        if log {
            sums.iter_mut().for_each(|sum| *sum = sum.ln());
        }
        for (to, from) in to.chunks_exact_mut(columns).zip(rows()) {
            finish_columns(to, from, (&most, &sums), beta, log);
        }
    }
}

/// Computes the results of a row, whose exponentials are in `to`, from the maximum of each column and its sum, or the sum's logarithm.
#[inline(always)]
fn finish_columns(to: &mut [f32], from: &[f32], (most, sums): (&[f32], &[f32]), beta: f32, log: bool) {
    if !log {
        return to.iter_mut().zip(sums).for_each(|(to, sum)| *to /= sum);
    }
    for (((to, x), most), sum) in to.iter_mut().zip(from).zip(most).zip(sums) {
        // The difference first: next to a large maximum, the logarithm would lose digits.
        *to = x * beta - most - sum;
    }
}

/// Computes [`Softmax`] of each column of a matrix.
pub(in crate::cpu) struct SoftmaxOfColumns<'a, 'o> {
    /// Begins at the first column.
    pub from: &'a [f32],
    /// The distance between its rows.
    pub stride: usize,
    /// Rows of the result.
    pub to: &'a mut [&'o mut [f32]],
    pub beta: f32,
    pub log: bool,
}

impl SimdOp for SoftmaxOfColumns<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        /// Number of columns that are computed together.
        const WIDTH: usize = 64;
        let SoftmaxOfColumns { from, stride, to, beta, log } = self;
        let columns = to.first().map_or(0, |row| row.len());
        for first in (0..columns).step_by(WIDTH) {
            let columns = first..columns.min(first + WIDTH);
            let (mut most, mut sums, width) = ([f32::NEG_INFINITY; WIDTH], [0.0; WIDTH], columns.len());
            for row in 0..to.len() {
                for (most, x) in most.iter_mut().zip(&from[row * stride + first..][..width]) {
                    *most = if x * beta > *most { x * beta } else { *most };
                }
            }
            let mut section = [0.0; WIDTH];
            for (row, to) in to.iter_mut().enumerate() {
                let mut powers = most;
                powers.iter_mut().zip(&from[row * stride + first..][..width]).for_each(|(v, x)| *v -= x * beta);
                negative_powers(isa, &mut powers[..width]);
                section.iter_mut().zip(&powers).for_each(|(sum, power)| *sum += power);
                if (row + 1) % SECTION == 0 {
                    sums.iter_mut().zip(section).for_each(|(sum, section)| *sum += section);
                    section = [0.0; WIDTH];
                }
                if !log {
                    to[columns.clone()].copy_from_slice(&powers[..width]);
                }
            }
            sums.iter_mut().zip(section).for_each(|(sum, section)| *sum += section);
            if log {
                sums.iter_mut().for_each(|sum| *sum = sum.ln());
            }
            for (row, to) in to.iter_mut().enumerate() {
                let from = &from[row * stride + first..];
                finish_columns(&mut to[columns.clone()], from, (&most, &sums), beta, log);
            }
        }
    }
}

/// Computes `(x - mean) / sqrt(variance + eps) * gamma + beta` of each row of `n` elements. Without a mean, the mean is 0
/// and the variance is the mean of the squares.
pub(in crate::cpu) struct RowNorm<'a> {
    pub from: &'a [f32],
    pub to: &'a mut [f32],
    pub n: usize,
    pub has_mean: bool,
    pub eps: f32,
    /// One entry per element of a row.
    pub gamma: Option<&'a [f32]>,
    pub beta: Option<&'a [f32]>,
}

impl SimdOp for RowNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        for (from, to) in self.from.chunks(self.n).zip(self.to.chunks_mut(self.n)) {
            let mean = if self.has_mean { mean_of(ops, from, 0.0, false) } else { 0.0 };
            let variance = mean_of(ops, from, mean, true);
            let (mean, scale) = (ops.splat(mean), ops.splat((variance + self.eps).sqrt().recip()));
            if self.n < ops.len() {
                let (mut gamma, mut beta) = (ops.one(), ops.zero());
                if let Some(row) = self.gamma {
                    gamma = load_padded(ops, row, 0, 0.0);
                }
                if let Some(row) = self.beta {
                    beta = load_padded(ops, row, 0, 0.0);
                }
                let v = ops.mul(ops.sub(load_padded(ops, from, 0, 0.0), mean), scale);
                store_within(ops, ops.mul_add(v, gamma, beta), to, 0);
                continue;
            }
            let last = self.n - ops.len();
            for at in (0..self.n).step_by(ops.len()) {
                // The last vector ends with the row, so it may compute some elements a second time.
                let at = at.min(last);
                let mut v = ops.mul(ops.sub(ops.load(&from[at..]), mean), scale);
                match (self.gamma, self.beta) {
                    (Some(gamma), Some(beta)) => v = ops.mul_add(v, ops.load(&gamma[at..]), ops.load(&beta[at..])),
                    (Some(gamma), None) => v = ops.mul(v, ops.load(&gamma[at..])),
                    (None, Some(beta)) => v = ops.add(v, ops.load(&beta[at..])),
                    (None, None) => {}
                }
                ops.store(v, &mut to[at..]);
            }
        }
    }
}

/// Returns the mean of the elements less `minus`, or of their squares.
#[inline(always)]
fn mean_of<O: NumOps<f32>>(ops: O, row: &[f32], minus: f32, squared: bool) -> f32 {
    let section = EXACT * SUMS * ops.len();
    if row.len() <= section {
        return sum_of(ops, row, minus, squared) / row.len() as f32;
    }
    let mut sum = 0.0;
    // A loop: the code of a closure would not be compiled for the instruction set.
    for section in row.chunks(section) {
        sum += f64::from(sum_of(ops, section, minus, squared));
    }
    (sum / row.len() as f64) as f32
}

#[inline(always)]
fn sum_of<O: NumOps<f32>>(ops: O, row: &[f32], minus: f32, squared: bool) -> f32 {
    let (lanes, of_all) = (ops.len(), ops.splat(minus));
    let mut sums = [ops.zero(); SUMS];
    let whole = row.len() / (SUMS * lanes) * SUMS * lanes;
    for at in (0..whole).step_by(SUMS * lanes) {
        for j in 0..SUMS {
            let v = ops.sub(ops.load(&row[at + j * lanes..]), of_all);
            sums[j] = if squared { ops.mul_add(v, v, sums[j]) } else { ops.add(sums[j], v) };
        }
    }
    for at in (whole..row.len()).step_by(lanes) {
        let v = ops.sub(load_padded(ops, row, at, minus), of_all);
        sums[0] = if squared { ops.mul_add(v, v, sums[0]) } else { ops.add(sums[0], v) };
    }
    let [a, b, c, d] = sums;
    ops.sum(ops.add(ops.add(a, b), ops.add(c, d)))
}
