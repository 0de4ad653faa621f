//! Products of few rows with a matrix of 4-bit integers, as large language models have it. The time is that of reading and decoding the
//! matrix, which takes an eighth of the memory of a matrix of float32.
//!
//! A column of the matrix is contiguous. 16 bytes have 32 elements, of which those with even indices are in the low halves. The rows are
//! divided into even and odd elements, too, so that both are whole vectors. Several columns are computed at a time.
use super::InstructionSet;
use crate::{
    array::{reserve, zeros},
    base::Result,
    cpu::output_tiles::{OutputTile, for_each_tile},
};
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Bytes that are decoded at a time.
const BYTES: usize = 16;
/// Elements in those bytes.
const CHUNK: usize = 2 * BYTES;
/// The bits of an integer.
const MASK: u8 = 15;
/// Maximum number of vectors per [`BYTES`] floats: four with 128 bits.
const PARTS: usize = 4;
/// The number of columns of a task is a multiple of it, and so of the number of columns that are computed at a time.
const COLUMNS: usize = 4;
/// Minimum number of elements of the matrix per task.
const TASK: usize = 1 << 16;

/// A right-hand matrix of 4-bit integers, with a scale and a zero point for each block of a column.
pub(in crate::cpu) struct FourBits {
    isa: InstructionSet,
    /// Number of rows of the matrix.
    k: usize,
    /// Number of rows of a block.
    group: usize,
    /// Each column's bytes.
    packed: Vec<[u8; BYTES]>,
    /// Each column's scales.
    scales: Vec<f32>,
    /// Each column's zero points.
    zero_points: Vec<i8>,
}

impl FourBits {
    /// Whether columns of `k` elements consist of blocks of `group`, which are multiples of 32 elements.
    pub fn supports([k, group]: [usize; 2]) -> bool {
        k > 0 && group > 0 && group.is_multiple_of(CHUNK) && k.is_multiple_of(group)
    }

    /// Packs the columns of a matrix: their bytes, scales and zero points, one column after the other. Returns `None` if the
    /// blocks are not supported, or zero points have more than 4 bits.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn new(
        isa: InstructionSet,
        [k, group]: [usize; 2],
        bytes: &[u8],
        scales: &[f32],
        zero_points: &[u8],
    ) -> Result<Option<FourBits>> {
        if !FourBits::supports([k, group]) || zero_points.iter().any(|zero| *zero > MASK) {
            return Ok(None);
        }
        let mut packed = Vec::new();
        reserve(&mut packed, bytes.len() / BYTES)?;
        packed.extend_from_slice(bytes.as_chunks().0);
        let zero_points = zero_points.iter().map(|zero| zero.cast_signed()).collect();
        let scales = scales.to_vec();
        Ok(Some(FourBits { isa, k, group, packed, scales, zero_points }))
    }

    /// Computes `out = rows * self`.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn product(&self, rows: &[f32], out: &mut [f32]) -> Result<()> {
        let (count, columns) = (rows.len() / self.k, self.scales.len() / (self.k / self.group));
        if count == 0 || columns == 0 {
            return Ok(());
        }
        let mut turned = zeros::<f32>(rows.len())?;
        for (to, from) in turned.as_chunks_mut::<CHUNK>().0.iter_mut().zip(rows.as_chunks::<CHUNK>().0) {
            for (i, pair) in from.as_chunks::<2>().0.iter().enumerate() {
                [to[i], to[i + BYTES]] = *pair;
            }
        }
        let width = columns.div_ceil(4 * rayon::current_num_threads()).max(TASK.div_ceil(self.k));
        let width = width.next_multiple_of(COLUMNS);
        for_each_tile((out, columns), 0..columns, [count, width], |mut tile| {
            let rows = turned.as_chunks().0;
            self.isa.run(Columns { of: self, rows, tile: &mut tile });
            Ok(())
        })
    }

    /// The chunks of a column, or of a row.
    fn chunks(&self) -> usize {
        self.k / CHUNK
    }
}

/// The product of all rows with some columns.
struct Columns<'a, 'o> {
    of: &'a FourBits,
    rows: &'a [[f32; CHUNK]],
    tile: &'a mut OutputTile<'o, f32>,
}

impl SimdOp for Columns<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        // As many sums as there are registers for.
        let is_wide = isa.f32().len() == BYTES;
        let count = self.tile.outs.len();
        let mut row = 0;
        while row < count {
            row += match (count - row, is_wide) {
                (4.., _) => self.rows_from::<I, 4, 1>(isa, row),
                (2.., true) => self.rows_from::<I, 2, 4>(isa, row),
                (_, true) => self.rows_from::<I, 1, 4>(isa, row),
                (2.., false) => self.rows_from::<I, 2, 1>(isa, row),
                (_, false) => self.rows_from::<I, 1, 2>(isa, row),
            };
        }
    }
}

impl Columns<'_, '_> {
    /// Computes `R` rows, `C` columns at a time, and returns the number of rows.
    #[inline(always)]
    fn rows_from<I: Isa, const R: usize, const C: usize>(&mut self, isa: I, row: usize) -> usize {
        let (width, first) = (self.tile.outs[row].len(), self.tile.column);
        let whole = width / C * C;
        for column in (0..whole).step_by(C) {
            let sums = self.sums_of::<I, R, C>(isa, row, first + column);
            for (out, sums) in self.tile.outs[row..].iter_mut().zip(sums) {
                out[column..column + C].copy_from_slice(&sums);
            }
        }
        for column in whole..width {
            let sums = self.sums_of::<I, R, 1>(isa, row, first + column);
            self.tile.outs[row..].iter_mut().zip(sums).for_each(|(out, [sum])| out[column] = sum);
        }
        R
    }

    /// Computes some rows and columns of the product.
    #[inline(always)]
    fn sums_of<I: Isa, const R: usize, const C: usize>(&self, isa: I, row: usize, column: usize) -> [[f32; C]; R] {
        let (ops, chunks, blocks) = (isa.f32(), self.of.chunks(), self.of.k / self.of.group);
        let (lanes, each) = (ops.len(), self.of.group / CHUNK);
        let rows: [&[[f32; CHUNK]]; R] = std::array::from_fn(|r| &self.rows[(row + r) * chunks..][..chunks]);
        let packed: [&[[u8; BYTES]]; C] = std::array::from_fn(|c| &self.of.packed[(column + c) * chunks..][..chunks]);
        let scales: [&[f32]; C] = std::array::from_fn(|c| &self.of.scales[(column + c) * blocks..][..blocks]);
        let zeros: [&[i8]; C] = std::array::from_fn(|c| &self.of.zero_points[(column + c) * blocks..][..blocks]);
        let mut sums = [[[ops.zero(); PARTS]; C]; R];
        for block in 0..blocks {
            let mut of_block = [[[ops.zero(); PARTS]; C]; R];
            for chunk in block * each..(block + 1) * each {
                for c in 0..C {
                    let [low, high] = decoded(&packed[c][chunk], zeros[c][block]);
                    for p in 0..BYTES / lanes {
                        let low = ops.load(&low[p * lanes..]);
                        let high = ops.load(&high[p * lanes..]);
                        for r in 0..R {
                            let even = ops.load(&rows[r][chunk][p * lanes..]);
                            let odd = ops.load(&rows[r][chunk][BYTES + p * lanes..]);
                            let sum = ops.mul_add(low, even, of_block[r][c][p]);
                            of_block[r][c][p] = ops.mul_add(high, odd, sum);
                        }
                    }
                }
            }
            for c in 0..C {
                let scale = ops.splat(scales[c][block]);
                for r in 0..R {
                    for p in 0..BYTES / lanes {
                        sums[r][c][p] = ops.mul_add(of_block[r][c][p], scale, sums[r][c][p]);
                    }
                }
            }
        }
        let mut totals = [[0.0; C]; R];
        for r in 0..R {
            for c in 0..C {
                let mut all = [0.0; BYTES];
                for p in 0..BYTES / lanes {
                    ops.store(sums[r][c][p], &mut all[p * lanes..]);
                }
                totals[r][c] = all.iter().sum::<f32>();
            }
        }
        totals
    }
}

/// Returns the low and the high halves of some bytes, less the zero point.
#[inline(always)]
fn decoded(bytes: &[u8; BYTES], zero: i8) -> [[f32; BYTES]; 2] {
    let mut halves = [[0.0; BYTES]; 2];
    for i in 0..BYTES {
        halves[0][i] = f32::from((bytes[i] & MASK).cast_signed() - zero);
    }
    for i in 0..BYTES {
        halves[1][i] = f32::from((bytes[i] >> 4).cast_signed() - zero);
    }
    halves
}
