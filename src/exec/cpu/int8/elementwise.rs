//! Element-wise operators on two tensors of quantized bytes.
use super::{
    ByteOperand,
    rounding::{Blocks, FactorBounds, LANES, Rounding, is_power_of_two, whole_block},
};
use crate::{
    ValueType,
    cpu::{
        blocked::InstructionSet,
        chunks::{CHUNK, Source},
    },
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};

/// A tensor of bytes that is read as real numbers.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct ByteReals {
    operand: ByteOperand,
    scale: f32,
}

impl ByteReals {
    /// Returns `None` unless the tensor consists of bytes with one scale.
    pub fn new(ty: &ValueType) -> Option<ByteReals> {
        let (scale, _) = ty.per_tensor_scale()?;
        Some(ByteReals { operand: ByteOperand::of(ty)?, scale: scale as f32 })
    }
    /// Returns a number of which all sums of elements of some tensors are multiples, or `None` if the scales are not powers of two.
    pub fn common_unit(operands: &[ByteReals]) -> Option<f64> {
        let scales = operands.iter().map(|operand| f64::from(operand.scale));
        let units = scales.map(|scale| is_power_of_two(scale).then_some(scale));
        units.reduce(|a, b| Some(a?.min(b?))).flatten()
    }
    /// Reads as many elements as `out` has.
    pub fn read(self, bytes: &[u8], out: &mut [f32]) {
        InstructionSet::best().run(Read { from: self, bytes, out });
    }
    #[inline(always)]
    fn real(self, byte: u8) -> f32 {
        (f32::from(byte ^ self.operand.flip) - f32::from(self.operand.zero)) * self.scale
    }
}

struct Read<'a> {
    from: ByteReals,
    bytes: &'a [u8],
    out: &'a mut [f32],
}

impl SimdOp for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let Read { from, bytes, out } = self;
        for (real, byte) in out.iter_mut().zip(bytes) {
            *real = from.real(*byte);
        }
    }
}

/// Writes `f` of the elements of two tensors, which are broadcast.
pub(in crate::cpu) fn combine(
    rounding: &Rounding,
    operands: [ByteReals; 2],
    [left, right]: [&Source; 2],
    out: &mut [u8],
    f: impl Fn(f32, f32) -> f32 + Copy + Sync,
) {
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(i, out)| {
        let (first, n, mut buffers) = (i * CHUNK, out.len(), [Vec::new(), Vec::new()]);
        let [of_left, of_right] = &mut buffers;
        let (left, left_rest) = left.bytes(first, n, of_left).as_chunks();
        let (right, right_rest) = right.bytes(first, n, of_right).as_chunks();
        let (whole, tail) = out.split_at_mut(left.as_flattened().len());
        rounding.write(Combined { rounding, operands, left, right, out: whole, f }, left.len());
        if !tail.is_empty() {
            let padded = |rest: &[u8]| [std::array::from_fn(|j| rest.get(j).copied().unwrap_or(0))];
            let (left, right) = (&padded(left_rest), &padded(right_rest));
            let mut bytes = [0; LANES];
            rounding.write(Combined { rounding, operands, left, right, out: &mut bytes, f }, 1);
            tail.copy_from_slice(&bytes[..tail.len()]);
        }
    });
}

/// The results of `f`.
struct Combined<'a, F> {
    rounding: &'a Rounding,
    operands: [ByteReals; 2],
    left: &'a [[u8; LANES]],
    right: &'a [[u8; LANES]],
    out: &'a mut [u8],
    f: F,
}

impl<F: Fn(f32, f32) -> f32> Blocks for Combined<'_, F> {
    #[inline(always)]
    fn numbers(&self, block: usize) -> [f32; LANES] {
        self.reals(block)
    }
    #[inline(always)]
    fn factors(&self) -> FactorBounds {
        self.rounding.factors()
    }
    #[inline(always)]
    fn reals(&self, block: usize) -> [f32; LANES] {
        let ([a, b], left, right) = (self.operands, &self.left[block], &self.right[block]);
        let mut reals = [0.0; LANES];
        for j in 0..LANES {
            reals[j] = (self.f)(a.real(left[j]), b.real(right[j]));
        }
        reals
    }
    #[inline(always)]
    fn store(&mut self, block: usize, bytes: &[u8; LANES]) {
        *whole_block(self.out, block) = *bytes;
    }
}
