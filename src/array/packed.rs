//! Real numbers that packed integers stand for, computed on use.
use super::{
    Array,
    storage::{Loaded, PIECE, Storage, collected},
    zeros,
};
use crate::base::{Dtype, Error, Result, invalid};
use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

/// A matrix of unsigned integers, several to a byte, as weights of large language models are stored. They stand for
/// `(v - zero_point) * scale`, with a scale and a zero point for each block of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedIntegers {
    /// The bytes of each row, as uint8. The first of a byte's integers is in its lowest bits.
    pub bytes: Array,
    /// Bits of an integer: 2, 4 or 8.
    pub bits: usize,
    /// Integers of a block. A row has whole blocks.
    pub block: usize,
    /// The scale of each block of each row, as float32.
    pub scales: Array,
    /// The zero point of each block of each row, as uint8.
    pub zero_points: Array,
}

impl PackedIntegers {
    /// Returns the number of rows and of blocks in a row, if all parts fit.
    fn size(&self) -> Option<[usize; 2]> {
        let [rows, blocks] = *self.scales.shape() else { return None };
        let columns = blocks.checked_mul(self.block)?;
        let per_byte = 8 / self.bits.max(1);
        let fits = matches!(self.bits, 2 | 4 | 8)
            && self.block > 0
            && self.scales.dtype() == Dtype::Float32
            && (self.zero_points.dtype(), self.zero_points.shape()) == (Dtype::Uint8, self.scales.shape())
            && self.bytes.dtype() == Dtype::Uint8
            && columns.is_multiple_of(per_byte)
            && self.bytes.shape() == [rows, columns / per_byte];
        fits.then_some([rows, blocks])
    }
}

/// The numbers of a matrix. They are in memory once they have been read.
struct Unpacked {
    packed: PackedIntegers,
    len: usize,
    loaded: Loaded,
}

impl Array {
    /// Returns the matrix of float32 that packed integers stand for, which is computed when its elements are first read. Returns
    /// `None` if the sizes of the integers, scales and zero points do not fit.
    ///
    /// ```
    /// use tpulang::{Array, array::PackedIntegers};
    /// let packed = PackedIntegers {
    ///     bytes: Array::from_vec([2, 1], vec![0x21u8, 0x43])?,
    ///     bits: 4,
    ///     block: 2,
    ///     scales: Array::from_vec([2, 1], vec![0.5f32, 2.0])?,
    ///     zero_points: Array::from_vec([2, 1], vec![1u8, 0])?,
    /// };
    /// let reals = Array::unpacked(packed).expect("all sizes fit");
    /// assert_eq!(reals.to_f32()?, [0.0, 0.5, 6.0, 8.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn unpacked(packed: PackedIntegers) -> Option<Array> {
        let [rows, blocks] = packed.size()?;
        let shape = vec![rows, blocks * packed.block];
        let len = shape[0].checked_mul(shape[1])?.checked_mul(size_of::<f32>())?;
        let storage = Arc::new(Unpacked { packed, len, loaded: Loaded::default() });
        Some(Array { dtype: Dtype::Float32, shape: shape.into(), storage, len })
    }

    /// Returns the integers from which [`Array::unpacked`] made this matrix.
    pub fn unpacked_from(&self) -> Option<&PackedIntegers> {
        let packed = self.storage.unpacked_from()?;
        let [rows, blocks] = packed.size()?;
        (self.dtype == Dtype::Float32 && self.shape() == [rows, blocks * packed.block]).then_some(packed)
    }
}

impl Unpacked {
    /// Computes all numbers and passes them on, some rows at a time.
    fn compute(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let PackedIntegers { bytes, bits, block, scales, zero_points } = &self.packed;
        let [_, blocks] = self.packed.size().ok_or_else(|| invalid("packed integers of other sizes"))?;
        let (bytes, scales, zero_points) = (bytes.bytes()?, scales.elements::<f32>()?, zero_points.bytes()?);
        let (columns, per_byte, mask) = (blocks * block, 8 / bits, u8::MAX >> (8 - bits));
        let together = (PIECE / size_of::<f32>() / columns.max(1)).max(1);
        let mut reals = zeros::<f32>(together.saturating_mul(columns))?;
        let rows = scales.chunks((together * blocks).max(1)).zip(zero_points.chunks((together * blocks).max(1)));
        for ((scales, zero_points), bytes) in rows.zip(bytes.chunks((together * columns / per_byte).max(1))) {
            let reals = &mut reals[..scales.len() * block];
            for (i, real) in reals.iter_mut().enumerate() {
                let value = bytes[i / per_byte] >> (i % per_byte * bits) & mask;
                *real = (f32::from(value) - f32::from(zero_points[i / block])) * scales[i / block];
            }
            to(bytemuck::cast_slice(reals))?;
        }
        Ok(())
    }

    fn load(&self) -> Result<Vec<u64>> {
        collected(self.len, |to| self.compute(to))
    }
}

impl Storage for Unpacked {
    fn bytes(&self) -> Result<&[u8]> {
        self.loaded.bytes(self.len, || self.load())
    }
    fn pieces(&self, to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self.loaded.is_kept() {
            true => to(self.bytes()?),
            false => self.compute(to),
        }
    }
    fn read_apart(&self) -> Result<Option<Vec<u64>>> {
        self.loaded.apart(|| self.load())
    }
    fn non_finite(&self) -> Option<&OnceLock<super::NonFinite>> {
        Some(&self.loaded.non_finite)
    }
    fn path(&self) -> Option<&Path> {
        self.packed.bytes.source_path()
    }
    fn unpacked_from(&self) -> Option<&PackedIntegers> {
        Some(&self.packed)
    }
    fn error(&self, problem: String) -> Error {
        self.packed.bytes.storage.error(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(bits: usize, [rows, blocks]: [usize; 2], block: usize) -> PackedIntegers {
        let bytes = blocks * block * bits / 8;
        PackedIntegers {
            bytes: Array::from_vec([rows, bytes], (0..rows * bytes).map(|i| (i * 37 % 256) as u8).collect()).unwrap(),
            bits,
            block,
            scales: Array::from_vec([rows, blocks], (0..rows * blocks).map(|i| 0.5 + i as f32).collect()).unwrap(),
            zero_points: Array::from_vec([rows, blocks], (0..rows * blocks).map(|i| (i % 9) as u8).collect()).unwrap(),
        }
    }

    #[test]
    fn numbers_are_the_definition_in_pieces_and_at_once() {
        for (bits, [rows, blocks], block) in [(2, [5, 3], 16), (4, [700, 2], 512), (8, [3, 1], 4), (4, [0, 2], 16)] {
            let p = packed(bits, [rows, blocks], block);
            let (bytes, scales) = (p.bytes.bytes().unwrap().to_vec(), p.scales.to_f32().unwrap());
            let reals = Array::unpacked(p.clone()).unwrap();
            let want: Vec<f32> = (0..rows * blocks * block)
                .map(|i| {
                    let of = i / block;
                    let value = bytes[i * bits / 8] >> (i * bits % 8) & ((1u16 << bits) - 1) as u8;
                    (f32::from(value) - (of % 9) as f32) * scales[of]
                })
                .collect();
            let mut all: Vec<u8> = Vec::new();
            reals
                .pieces(|piece| {
                    all.extend(piece);
                    Ok(())
                })
                .unwrap();
            assert!(reals.storage.read_apart().unwrap().is_some(), "nothing is kept");
            assert_eq!(bytemuck::pod_collect_to_vec::<u8, f32>(&all), want);
            assert_eq!(reals.to_f32().unwrap(), want);
            assert_eq!(reals.unpacked_from(), Some(&p));
            assert!(reals.reshaped([rows * blocks * block]).unwrap().unpacked_from().is_none());
        }
    }

    #[test]
    fn other_sizes_are_refused() {
        let p = packed(4, [3, 2], 16);
        assert!(Array::unpacked(PackedIntegers { bits: 3, ..p.clone() }).is_none());
        assert!(Array::unpacked(PackedIntegers { block: 8, ..p.clone() }).is_none());
        assert!(Array::unpacked(PackedIntegers { zero_points: Array::from([1u8]), ..p.clone() }).is_none());
        assert!(Array::unpacked(PackedIntegers { scales: p.zero_points.clone(), ..p }).is_none());
    }
}
