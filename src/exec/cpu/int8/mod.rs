//! Products, convolutions and additions of 8-bit integers.
//!
//! **Elements.** Left-hand elements are stored as int8 or uint8, and multiplied as uint8: flipping the top bit converts between
//! them, which shifts values and zero point by 128. Zero points are subtracted from the right-hand elements when they are packed, and
//! for the left-hand ones a number is added to the sums of each column. All sums are exact.
//!
//! **Layout.** Images have their channels last, so the elements that a kernel element contributes to a row of a product are
//! contiguous. The results of a product are in that layout, too.
//!
//! **Files.** `panel` has the inner loop of products, `pairs` a faster one for AVX2 and small weights, and `tiles` one for AMX; `dot` chooses
//! one of them. `product` multiplies rows by a packed matrix. The rows of a convolution are its windows: `lines` copies the image lines
//! they share, and `conv` copies each window where that is faster or required. `taps` has the inner loop of depthwise convolutions, and
//! `depthwise` the rest of them. `pool` is pooling, `elementwise` is for additions and the like, and `table` looks up functions of a byte.
//! `sums` completes sums of products, `rounding` rounds real numbers to bytes, and `requantize` does both while sums are in registers,
//! with the operations of `vectors`.
#![allow(
    clippy::needless_range_loop,
    reason = "loops over the elements of vectors are indexed by numbers that the compiler knows"
)]

mod conv;
mod depthwise;
mod dot;
mod elementwise;
mod lines;
#[cfg(target_arch = "x86_64")]
mod pairs;
mod panel;
mod pool;
mod product;
mod requantize;
mod rounding;
mod sums;
mod table;
mod taps;
#[cfg(target_arch = "x86_64")]
mod tiles;
#[cfg(target_arch = "x86_64")]
mod vectors;

#[cfg(test)]
mod tests;

pub(super) use conv::ByteFilter;
pub(super) use depthwise::DepthwiseBytes;
pub(super) use elementwise::{ByteReals, combine};
pub(super) use pool::{LARGEST_WINDOW, MaxPoolBytes, SumPoolBytes};
pub(super) use product::{Contiguous, PackedBytes};
pub(super) use rounding::Rounding;
pub(super) use sums::{Completion, ResultMemory, SumsEpilogue};
pub(super) use table::ByteTable;

use super::Operand;
use crate::{
    ValueType,
    base::{Dtype, Result},
};
use dot::DotProduct;
use product::Runs;

/// Maximum number of products of bytes, less their zero points, whose 32-bit sum cannot overflow.
pub(super) const DEPTH: usize = (i32::MAX / (255 * 255)) as usize;

/// Flipping the top bit converts between int8 and uint8.
const TOP_BIT: u8 = 0x80;

pub(super) fn is_byte(o: &Operand) -> bool {
    matches!(o.ty.dtype, Dtype::Int8 | Dtype::Uint8)
}

/// Returns the zero point, in the operand's dtype. If there are several, it returns the first, although they may differ.
pub(super) fn zero_point(o: &Operand) -> i64 {
    o.ty.quantization.as_ref().map_or(0, |q| q.values().1[0])
}

/// How the stored bytes of a left-hand operand become uint8.
#[derive(Clone, Copy)]
pub(super) struct ByteOperand {
    /// The bits that differ.
    pub flip: u8,
    /// The zero point as uint8.
    pub zero: u8,
}

impl ByteOperand {
    /// Returns `None` if the operand does not consist of bytes, or has different zero points or one that is no byte.
    pub fn new(o: &Operand) -> Option<ByteOperand> {
        ByteOperand::of(&o.ty)
    }
    /// The same for an operand of that type.
    pub fn of(ty: &ValueType) -> Option<ByteOperand> {
        let (flip, shift) = match ty.dtype {
            Dtype::Int8 => (TOP_BIT, 128),
            Dtype::Uint8 => (0, 0),
            _ => return None,
        };
        let zero_points = ty.quantization.as_ref().map_or(vec![0], |q| q.values().1);
        let zero = zero_points[0];
        let has_one = zero_points.iter().all(|z| *z == zero);
        let zero = u8::try_from(zero.checked_add(shift)?).ok()?;
        has_one.then_some(ByteOperand { flip, zero })
    }
}

/// Packs a constant right-hand operand of `k` x `n` bytes, or n x k if it is `transposed`. Returns `None` if it has another dtype or
/// several zero points, or if sums might overflow.
pub(super) fn packed(o: &Operand, bytes: &[u8], size: [usize; 2], transposed: bool) -> Result<Option<PackedBytes>> {
    packed_for_runs(o, bytes, (size, None), transposed)
}

/// The same for rows that consist of runs.
fn packed_for_runs(
    o: &Operand,
    bytes: &[u8],
    ([k, n], runs): ([usize; 2], Option<Runs>),
    transposed: bool,
) -> Result<Option<PackedBytes>> {
    let Some(right) = ByteOperand::new(o).filter(|_| k <= DEPTH && k > 0 && n > 0) else { return Ok(None) };
    let element = |byte: &u8| i16::from(byte ^ right.flip) - i16::from(right.zero);
    let column = |j: usize, to: &mut [i16]| match transposed {
        true => to.iter_mut().zip(&bytes[j * k..]).for_each(|(to, byte)| *to = element(byte)),
        false => to.iter_mut().zip(bytes[j..].iter().step_by(n)).for_each(|(to, byte)| *to = element(byte)),
    };
    let range = (-i16::from(right.zero), 255 - i16::from(right.zero));
    #[cfg(target_arch = "x86_64")]
    let fit_pairs = || pairs::all_fit(right, bytes, [k, n], transposed);
    #[cfg(not(target_arch = "x86_64"))]
    let fit_pairs = || false;
    let dot = DotProduct::best(k, fit_pairs);
    PackedBytes::new(dot, [k, n], runs, range, column).map(Some)
}
