//! Counts NaN and infinite elements while an array is read anyway.
use crate::base::Dtype;

/// Numbers of NaN and infinite elements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NonFinite {
    /// Number of NaN elements.
    pub nan: usize,
    /// Number of infinite elements.
    pub infinite: usize,
    /// Index of the first of them, row-major; 0 if there is none.
    pub first: usize,
}

impl NonFinite {
    /// Whether any element is NaN or infinite.
    pub fn any(&self) -> bool {
        self.nan + self.infinite > 0
    }
}

/// A count that proceeds piece by piece.
pub(super) struct Scan {
    dtype: Dtype,
    /// Elements that were seen.
    seen: usize,
    found: NonFinite,
}

/// Elements that are tested at once before any is counted.
const BLOCK: usize = 1 << 12;

impl Scan {
    pub fn new(dtype: Dtype) -> Self {
        Scan { dtype, seen: 0, found: NonFinite::default() }
    }
    pub fn found(&self) -> NonFinite {
        self.found
    }
    /// Counts in the next piece, which has whole elements.
    pub fn piece(&mut self, bytes: &[u8]) {
        match self.dtype {
            Dtype::Float64 => self.count(bytes, u64::from_le_bytes, 0x7ff0_0000_0000_0000, 0x000f_ffff_ffff_ffff),
            Dtype::Float32 => self.count(bytes, u32::from_le_bytes, 0x7f80_0000, 0x007f_ffff),
            Dtype::Float16 => self.count(bytes, u16::from_le_bytes, 0x7c00, 0x03ff),
            Dtype::Bfloat16 => self.count(bytes, u16::from_le_bytes, 0x7f80, 0x007f),
            // The first has no infinities: all ones are NaN.
            Dtype::Fp8e4m3 => self.count(bytes, u8::from_le_bytes, 0x7f, 0x07),
            Dtype::Fp8e5m2 => self.count(bytes, u8::from_le_bytes, 0x7c, 0x03),
            _ => {}
        }
    }
    /// An element is not finite if all bits of its exponent are set, and NaN if a bit of its mantissa is set too.
    fn count<T, const N: usize>(&mut self, bytes: &[u8], bits: impl Fn([u8; N]) -> T, exponent: T, mantissa: T)
    where
        T: Copy + PartialEq + Default + std::ops::BitAnd<Output = T>,
    {
        let (elements, _) = bytes.as_chunks::<N>();
        let is_finite = |e: &[u8; N]| bits(*e) & exponent != exponent;
        for block in elements.chunks(BLOCK) {
            // Without an early exit, so that it is compiled to vector instructions.
            if !block.iter().fold(true, |all, e| all & is_finite(e)) {
                for (i, e) in block.iter().enumerate().filter(|(_, e)| !is_finite(e)) {
                    if !self.found.any() {
                        self.found.first = self.seen + i;
                    }
                    let is_nan = bits(*e) & mantissa != T::default();
                    *(if is_nan { &mut self.found.nan } else { &mut self.found.infinite }) += 1;
                }
            }
            self.seen += block.len();
        }
    }
}
