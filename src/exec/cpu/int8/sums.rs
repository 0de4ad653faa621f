//! The epilogue of products of bytes: a bias is added to the sums, which are then stored as int32 or as the bytes of a quantized
//! tensor.
use super::{
    DEPTH,
    dot::DotProduct,
    panel::{BLOCK, Panel, Sums},
    product::{Finish, PackedBytes, Panels, Rows},
    requantize::{RoundTiles, StoreTiles},
    rounding::{Blocks, FactorBounds, LANES, Rounding, whole_block},
    taps::{GroupProducts, Windows},
};
use crate::{
    ValueType,
    array::ArrayMut,
    base::{Dtype, Error, Result, invalid},
    cpu::blocked::InstructionSet,
    quant::RoundMode,
};
use rten_simd::{Isa, SimdOp};

/// How sums are completed.
pub(in crate::cpu) struct Completion {
    /// The initial value of each column's sums: the bias, and what the left operand's zero point requires.
    begin: Vec<i32>,
    result: Stored,
}

/// The memory of results.
pub(in crate::cpu) enum ResultMemory<'a> {
    Ints(&'a mut [i32]),
    Bytes(&'a mut [u8]),
}

impl<'a> ResultMemory<'a> {
    /// # Errors
    /// Returns an error if the elements are neither int32 nor bytes.
    pub fn of(memory: &'a mut ArrayMut) -> Result<ResultMemory<'a>> {
        Ok(match memory.dtype() {
            Dtype::Int32 => ResultMemory::Ints(memory.elements()?),
            _ => ResultMemory::Bytes(memory.bytes()),
        })
    }
    /// Splits the memory into chunks of `n` elements.
    pub fn chunks(self, n: usize) -> Vec<ResultMemory<'a>> {
        match self {
            ResultMemory::Ints(all) => all.chunks_mut(n.max(1)).map(ResultMemory::Ints).collect(),
            ResultMemory::Bytes(all) => all.chunks_mut(n.max(1)).map(ResultMemory::Bytes).collect(),
        }
    }
    /// The same memory, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> ResultMemory<'_> {
        match self {
            ResultMemory::Ints(all) => ResultMemory::Ints(all),
            ResultMemory::Bytes(all) => ResultMemory::Bytes(all),
        }
    }
}

/// The form of the results.
enum Stored {
    /// Integers without a scale, clamped to these bounds.
    Ints(i32, i32),
    Bytes(Requantization),
}

/// From sums to the bytes of a quantized tensor.
pub(super) struct Requantization {
    pub rounding: Rounding,
    /// The scale of each column's sums, padded to whole blocks.
    scales: Vec<f64>,
    /// Lower and upper bounds of the same in units of the result's scale.
    pub factors: [Vec<f32>; 2],
    /// The bounds of real results.
    bounds: (f32, f32),
}

/// Bias, Relu and rounding of a product.
#[derive(Clone, Copy, Default)]
pub(in crate::cpu) struct SumsEpilogue<'a> {
    /// One for each column.
    pub bias: Option<&'a [i64]>,
    /// Relu with this upper bound, infinity for a plain one.
    pub relu: Option<f64>,
    /// How numbers are rounded to bytes.
    pub round: RoundMode,
}

impl Completion {
    /// `begin` has a number for each column, which belongs to its sums, and `scales` the scale of each. Returns `None` for results
    /// that are not supported.
    pub fn new(
        begin: impl Iterator<Item = i32>,
        scales: impl Iterator<Item = f64>,
        result: &ValueType,
        end: SumsEpilogue,
    ) -> Option<Completion> {
        let mut begin: Vec<i32> = begin.collect();
        for (begin, bias) in begin.iter_mut().zip(end.bias.into_iter().flatten()) {
            *begin = begin.wrapping_add(*bias as i32);
        }
        let result = match result.dtype {
            Dtype::Int32 if result.quantization.is_none() => match end.relu {
                Some(bound) => Stored::Ints(0, bound as i32),
                None => Stored::Ints(i32::MIN, i32::MAX),
            },
            _ => {
                let rounding = Rounding::new(result, end.round)?;
                let scales: Vec<f64> = scales.take(begin.len()).chain([0.0; LANES]).collect();
                let bounds_of = |scale: &f64| rounding.of_multiples(*scale).factor_bounds(*scale).into();
                let (lower, upper) = scales.iter().map(bounds_of).unzip();
                let bounds = end.relu.map_or((f32::NEG_INFINITY, f32::INFINITY), |bound| (0.0, bound as f32));
                let rounding = end.relu.map_or(rounding, |bound| rounding.with_relu(bound as f32));
                Stored::Bytes(Requantization { rounding, scales, factors: [lower, upper], bounds })
            }
        };
        Some(Completion { begin, result })
    }

    /// Stores the sums themselves.
    pub fn sums(begin: impl Iterator<Item = i32>) -> Completion {
        Completion { begin: begin.collect(), result: Stored::Ints(i32::MIN, i32::MAX) }
    }

    /// Whether sums of that many products, plus a bias, fit in 32 bits, and the result consists of int32 or of bytes with one scale.
    pub fn supports(result: &ValueType, depth: usize, bias: Option<&[i64]>) -> bool {
        // Half of the range is for the products, half for the bias.
        let fits = |bias: &[i64]| depth <= DEPTH / 2 && bias.iter().all(|b| b.unsigned_abs() <= i32::MAX as u64 / 2);
        depth <= DEPTH
            && bias.is_none_or(fits)
            && match result.dtype {
                Dtype::Int32 => result.quantization.is_none(),
                _ => Rounding::new(result, RoundMode::default()).is_some(),
            }
    }

    /// Multiplies rows by the columns of a matrix, which are those from `first` on of a result with `columns` columns.
    ///
    /// # Errors
    /// Returns an error if memory runs out, or if `out` has elements of another size than the results.
    pub fn product(
        &self,
        matrix: &PackedBytes,
        rows: (&dyn Rows, u8),
        out: ResultMemory,
        (first, columns): (usize, usize),
    ) -> Result<()> {
        let begin = &self.begin[first..][..matrix.columns()];
        match out {
            ResultMemory::Ints(out) => matrix.product(rows, begin, (out, first, columns), &self.ints()?),
            ResultMemory::Bytes(out) => matrix.product(rows, begin, (out, first, columns), &self.bytes(first)?),
        }
    }

    /// The initial values of the sums.
    pub fn begin(&self) -> &[i32] {
        &self.begin
    }

    /// Completes sums as bytes. Column 0 of a matrix is column `first` of the result.
    ///
    /// # Errors
    /// Returns an error if the results are not bytes.
    pub(super) fn bytes(&self, first: usize) -> Result<impl Finish<u8>> {
        match &self.result {
            Stored::Bytes(to) => Ok(Requantized { to, first }),
            Stored::Ints(..) => Err(wrong_size()),
        }
    }

    /// Completes sums as int32.
    ///
    /// # Errors
    /// Returns an error if the results are bytes.
    pub(super) fn ints(&self) -> Result<impl Finish<i32>> {
        match self.result {
            Stored::Ints(low, high) => Ok(Clamped(low, high)),
            Stored::Bytes(_) => Err(wrong_size()),
        }
    }
}

fn wrong_size() -> Error {
    invalid("sums of bytes are stored as int32 or as bytes")
}

/// Sums within bounds.
pub(super) struct Clamped(pub i32, pub i32);

impl Finish<i32> for Clamped {
    fn multiply(&self, dot: DotProduct, panel: Panel, sums: &mut [Sums], _: usize, panels: Panels<i32>) {
        dot.multiply(panel, &mut StoreTiles { to: self, panels, sums });
    }
    fn sum(&self, by: GroupProducts, windows: &Windows, sums: &mut [Sums], panels: Panels<i32>) {
        by.sum(windows, &mut StoreTiles { to: self, panels, sums });
    }
}

impl Clamped {
    /// Clamps and stores rows of sums.
    pub fn write(&self, sums: &[Sums], panels: Panels<i32>) {
        InstructionSet::best().run(ClampRows { to: self, sums, panels });
    }
}

/// Rows of sums that are clamped.
struct ClampRows<'a, 'o> {
    to: &'a Clamped,
    sums: &'a [Sums],
    panels: Panels<'a, 'o, i32>,
}

impl SimdOp for ClampRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let ClampRows { to: &Clamped(low, high), sums, panels: Panels { outs, first } } = self;
        let blocks = sums.len() / outs.len().max(1);
        for (out, sums) in outs.iter_mut().zip(sums.chunks_exact(blocks.max(1))) {
            let (whole, rest) = out[first..].as_chunks_mut::<BLOCK>();
            for (out, sums) in whole.iter_mut().zip(sums) {
                *out = sums.map(|sum| sum.max(low).min(high));
            }
            if let Some(sums) = sums.get(whole.len()) {
                rest.iter_mut().zip(sums).for_each(|(out, sum)| *out = (*sum).max(low).min(high));
            }
        }
    }
}

/// Sums that become bytes. Column 0 of the matrix is column `first` of the result.
struct Requantized<'a> {
    to: &'a Requantization,
    first: usize,
}

impl Finish<u8> for Requantized<'_> {
    fn multiply(&self, dot: DotProduct, panel: Panel, sums: &mut [Sums], column: usize, panels: Panels<u8>) {
        dot.multiply(panel, &mut RoundTiles { to: self.to, column: self.first + column, panels, sums });
    }
    fn sum(&self, by: GroupProducts, windows: &Windows, sums: &mut [Sums], panels: Panels<u8>) {
        by.sum(windows, &mut RoundTiles { to: self.to, column: self.first, panels, sums });
    }
}

impl Requantization {
    /// Requantizes rows of sums, whose first column is `column`.
    pub(super) fn write(&self, sums: &[Sums], column: usize, panels: Panels<u8>) {
        self.rounding.isa().run(WriteRows { to: self, sums, column, panels });
    }
}

/// Rows of sums that become bytes.
struct WriteRows<'a, 'o> {
    to: &'a Requantization,
    sums: &'a [Sums],
    column: usize,
    panels: Panels<'a, 'o, u8>,
}

impl SimdOp for WriteRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let WriteRows { to, sums, column, panels: Panels { outs, first } } = self;
        let (rows, blocks, at) = (outs.len(), sums.len() / outs.len().max(1), first / BLOCK);
        let whole = outs.first().map_or(0, |out| out.len() / LANES - at).min(blocks);
        for block in 0..blocks {
            let factors = to.factors.each_ref().map(|bounds| bounds[column + block * BLOCK..].as_chunks().0[0]);
            let scales = &to.scales[column + block * BLOCK..][..BLOCK];
            // The factors are copied, so that the compiler need not read them again after each store.
            if block < whole {
                let mut rows_of =
                    BlockOfRows::<true> { factors, scales, bounds: to.bounds, sums, blocks, block, at, outs };
                to.rounding.write_inline(isa, &mut rows_of, rows);
            } else {
                let mut rows_of =
                    BlockOfRows::<false> { factors, scales, bounds: to.bounds, sums, blocks, block, at, outs };
                to.rounding.write_inline(isa, &mut rows_of, rows);
            }
        }
    }
}

/// One block of columns of several rows, of which there may be fewer than [`LANES`] if it is not `WHOLE`.
struct BlockOfRows<'a, 'o, const WHOLE: bool> {
    factors: FactorBounds,
    scales: &'a [f64],
    bounds: (f32, f32),
    sums: &'a [Sums],
    /// The number of blocks of a row, and which of them this is.
    blocks: usize,
    block: usize,
    /// The first block of `outs`.
    at: usize,
    outs: &'a mut [&'o mut [u8]],
}

impl<const WHOLE: bool> Blocks for BlockOfRows<'_, '_, WHOLE> {
    #[inline(always)]
    fn numbers(&self, row: usize) -> [f32; LANES] {
        const { assert!(LANES == BLOCK) };
        let (sums, mut numbers) = (&self.sums[row * self.blocks + self.block], [0.0; LANES]);
        for j in 0..LANES {
            numbers[j] = sums[j] as f32;
        }
        numbers
    }
    #[inline(always)]
    fn factors(&self) -> FactorBounds {
        self.factors
    }
    #[inline(always)]
    fn reals(&self, row: usize) -> [f32; LANES] {
        let (sums, (low, high)) = (&self.sums[row * self.blocks + self.block], self.bounds);
        let mut reals = [0.0; LANES];
        for j in 0..LANES {
            let real = (f64::from(sums[j]) * self.scales[j]) as f32;
            let real = if real < low { low } else { real };
            reals[j] = if real > high { high } else { real };
        }
        reals
    }
    #[inline(always)]
    fn store(&mut self, row: usize, bytes: &[u8; LANES]) {
        if WHOLE {
            *whole_block(self.outs[row], self.at + self.block) = *bytes;
        } else {
            copy_short(bytes, &mut self.outs[row][(self.at + self.block) * LANES..]);
        }
    }
}

/// Copies as many elements as `to` has, fewer than a block. Copies of known lengths need no call.
#[inline(always)]
pub(super) fn copy_short<T: Copy>(from: &[T; BLOCK], to: &mut [T]) {
    let (n, mut done) = (to.len(), 0);
    macro_rules! copy {
        ($($length:literal)*) => { $(
            if n & $length != 0 {
                to[done..done + $length].copy_from_slice(&from[done..done + $length]);
                done += $length;
            }
        )* };
    }
    copy!(8 4 2 1);
    assert_eq!(done, n, "a block is longer than that");
}
