//! Tables of bytes.
#![allow(unsafe_code, reason = "bytes are looked up with intrinsics; docs/safety.md lists it")]
use crate::cpu::blocked::InstructionSet;

/// A result for each byte.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct ByteTable {
    results: [u8; 256],
    by: LookUp,
}

/// How bytes are looked up.
#[derive(Clone, Copy)]
enum LookUp {
    /// 64 at a time.
    #[cfg(target_arch = "x86_64")]
    Avx512Vbmi(vbmi::Vbmi),
    OneByOne,
}

impl ByteTable {
    pub fn new(results: [u8; 256]) -> ByteTable {
        ByteTable { results, by: LookUp::best(InstructionSet::best()) }
    }
    /// Writes the results for as many bytes as `out` has.
    pub fn look_up(&self, bytes: &[u8], out: &mut [u8]) {
        match self.by {
            #[cfg(target_arch = "x86_64")]
            LookUp::Avx512Vbmi(by) => by.look_up(&self.results, bytes, out),
            LookUp::OneByOne => {
                out.iter_mut().zip(bytes).for_each(|(to, byte)| *to = self.results[usize::from(*byte)]);
            }
        }
    }
}

impl LookUp {
    fn best(isa: InstructionSet) -> LookUp {
        match isa {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(_) => vbmi::Vbmi::new().map_or(LookUp::OneByOne, LookUp::Avx512Vbmi),
            _ => LookUp::OneByOne,
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vbmi {
    use std::arch::x86_64::*;

    /// Bytes of a vector.
    const LANES: usize = 64;

    /// The proof that this machine has AVX-512 with instructions that permute bytes.
    #[derive(Clone, Copy)]
    pub struct Vbmi(());

    impl Vbmi {
        pub fn new() -> Option<Vbmi> {
            let is_there = is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512bw");
            is_there.then_some(Vbmi(()))
        }
        pub fn look_up(self, table: &[u8; 256], bytes: &[u8], out: &mut [u8]) {
            // SAFETY: `self` proves that the instructions exist.
            unsafe { look_up(table, bytes, out) }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn look_up(table: &[u8; 256], bytes: &[u8], out: &mut [u8]) {
        let ((whole, rest), (to, end)) = (bytes.as_chunks::<LANES>(), out.as_chunks_mut::<LANES>());
        let quarters: [__m512i; 4] = std::array::from_fn(|i| {
            // SAFETY: a quarter of the table is as large as a vector.
            unsafe { _mm512_loadu_si512(table[i * LANES..][..LANES].as_ptr().cast()) }
        });
        for (bytes, to) in whole.iter().zip(to) {
            // SAFETY: the arrays are as large as vectors.
            unsafe {
                _mm512_storeu_si512(to.as_mut_ptr().cast(), found(quarters, _mm512_loadu_si512(bytes.as_ptr().cast())))
            };
        }
        end.iter_mut().zip(rest).for_each(|(to, byte)| *to = table[usize::from(*byte)]);
    }

    /// Looks the low 7 bits up in both halves of the table; the top bit selects one of the results.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn found(quarters: [__m512i; 4], bytes: __m512i) -> __m512i {
        let low = _mm512_permutex2var_epi8(quarters[0], bytes, quarters[1]);
        let high = _mm512_permutex2var_epi8(quarters[2], bytes, quarters[3]);
        _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_its_result() {
        let results: [u8; 256] = std::array::from_fn(|i| (i * 37 + i / 7) as u8);
        for by in InstructionSet::all().into_iter().map(LookUp::best) {
            for n in [0, 1, 63, 64, 65, 256, 1000] {
                let bytes: Vec<u8> = (0..n).map(|i| (i * 5 + i / 64) as u8).collect();
                let mut out = vec![0; n];
                ByteTable { results, by }.look_up(&bytes, &mut out);
                let expected: Vec<u8> = bytes.iter().map(|byte| results[usize::from(*byte)]).collect();
                assert_eq!(out, expected);
            }
        }
    }
}
