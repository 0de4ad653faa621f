//! Products of 8-bit matrices on rten's kernel, if the machine multiplies bytes without saturating intermediate sums
//! (VNNI and the like).
use super::{
    Operand,
    gemm::{Mat, view},
};
use crate::{
    array::{Array, zeros},
    base::{Dtype, Result, invalid},
};
use rayon::prelude::*;
use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix, QuantParams};
use std::borrow::Cow;

/// Maximum number of products of bytes (one of them less its zero point) whose 32-bit sum cannot overflow.
const DEPTH: usize = (i32::MAX / (255 * 255)) as usize;

type Executor = GemmExecutor<u8, i8, i32>;

/// A packed right-hand matrix.
pub(super) struct PackedInt8Matrix {
    packed: PackedBMatrix<i8>,
    /// The zero point, in int8. rten's prepacked matrices do not store one.
    zero: i32,
}

/// Flipping the top bit converts between int8 and uint8, which shifts all values by 128.
const MOVED: u8 = 0x80;

pub(super) fn is_byte(o: &Operand) -> bool {
    matches!(o.ty.dtype, Dtype::Int8 | Dtype::Uint8)
}

/// The zero point, in the operand's dtype.
pub(super) fn zero_point(o: &Operand) -> i64 {
    o.ty.quantization.as_ref().map_or(0, |q| q.values().1[0])
}

/// Returns the stored bytes, converted to that dtype.
pub(super) fn bytes<'a>(array: &'a Array, as_dtype: Dtype) -> Result<Cow<'a, [u8]>> {
    let bytes = array.bytes()?;
    if array.dtype() == as_dtype {
        return Ok(bytes.into());
    }
    let mut moved = zeros::<u8>(bytes.len())?;
    moved.iter_mut().zip(bytes).for_each(|(m, b)| *m = b ^ MOVED);
    Ok(moved.into())
}

impl PackedInt8Matrix {
    /// Packs the right operand of a product. Returns `None` if an operand is not 8-bit or the products would not be
    /// exact.
    pub fn new(
        left: &Operand,
        right: &Operand,
        values: &Array,
        [k, n]: [usize; 2],
        transposed: bool,
    ) -> Result<Option<Self>> {
        let executor = Executor::default();
        if !is_byte(left)
            || !is_byte(right)
            || Self::signedness_offset(left).is_err()
            || k > DEPTH
            || executor.may_saturate()
        {
            return Ok(None);
        }
        let moved = if right.ty.dtype == Dtype::Uint8 { 128 } else { 0 };
        let Ok(zero) = i8::try_from(zero_point(right) - moved).map(i32::from) else { return Ok(None) };
        let bytes = bytes(values, Dtype::Int8)?;
        // A second copy of the matrix, at most one panel of columns larger.
        let mut data = zeros::<i8>(bytes.len())?;
        data.iter_mut().zip(&*bytes).for_each(|(d, b)| *d = b.cast_signed());
        let packed = executor.prepack_b(view(&Mat { data: &data, rows: k, cols: n, transposed })?);
        Ok(Some(PackedInt8Matrix { packed, zero }))
    }

    /// Returns the zero point of a left operand after the conversion to uint8, or an error if it is out of range.
    pub fn signedness_offset(left: &Operand) -> Result<u8> {
        let moved = if left.ty.dtype == Dtype::Int8 { 128 } else { 0 };
        u8::try_from(zero_point(left) + moved).map_err(|_| invalid("the zero point is none of the dtype"))
    }

    /// Multiplies each row of `left` by the columns, exactly. The zero point must be in the range of the dtype.
    pub fn product(&self, left: &Operand, values: &Array, out: &mut [i32]) -> Result<()> {
        self.product_of(&bytes(values, Dtype::Uint8)?, Self::signedness_offset(left)?, out)
    }

    /// Like [`PackedInt8Matrix::product`], for rows of uint8 with that zero point.
    pub fn product_of(&self, rows: &[u8], zero: u8, out: &mut [i32]) -> Result<()> {
        let (k, n) = (self.packed.rows(), self.packed.cols());
        let (count, depth) = (rows.len() / k.max(1), k.max(1));
        let zero_points = vec![zero; count];
        let a = view(&Mat { data: rows, rows: count, cols: k, transposed: false })?;
        let options = GemmOptions { a_quant: Some(QuantParams { zero_point: &zero_points }), ..GemmOptions::default() };
        Executor::default()
            .gemm(out, GemmInputA::Unpacked(a), GemmInputB::Packed(&self.packed), options)
            .map_err(|e| invalid(format!("a product of {count} x {k} and {k} x {n} bytes: {e:?}")))?;
        if self.zero == 0 {
            return Ok(());
        }
        let rows = out.par_chunks_mut(n.max(1)).zip(rows.par_chunks(depth));
        rows.with_min_len((1 << 14) / n.max(1)).for_each(|(out, row)| {
            let sum = row.iter().map(|v| i32::from(*v) - i32::from(zero)).sum::<i32>();
            let more = sum * self.zero;
            out.iter_mut().for_each(|o| *o -= more);
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, run};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn products_of_bytes_are_exact(
            m in 1usize..9, k in 1usize..300, n in 1usize..40, signed: [bool; 2], zeros: [u8; 2], transposed: bool, extreme: bool,
        ) {
            let dtype = |s: bool| if s { Dtype::Int8 } else { Dtype::Uint8 };
            let moved = |s: bool, v: i64| if s { v - 128 } else { v };
            let number = |i: usize, s: bool| moved(s, if extreme { (i % 2 * 255) as i64 } else { (i * 7919 % 256) as i64 });
            let x: Vec<i64> = (0..m * k).map(|i| number(i, signed[0])).collect();
            let w: Vec<i64> = (0..k * n).map(|i| number(i / 3, signed[1])).collect();
            let [zx, zw] = [0, 1].map(|i| moved(signed[i], zeros[i].into()));
            let array = |d, shape: [usize; 2], v: &[i64]| Array::from_f64s(d, shape, v.iter().map(|v| *v as f64)).unwrap();
            let mut g = Graph::new("g").unwrap();
            let input = g.input("x", dtype(signed[0]), [m, k]).unwrap();
            let right = array(dtype(signed[1]), if transposed { [n, k] } else { [k, n] }, &w);
            let y = g.matmul_int(input, right).right_transpose(transposed).input_zp(zx).right_zp(zw).out_name("y").call().unwrap();
            g.set_outputs(&[y]).unwrap();
            let feeds = [("x", array(dtype(signed[0]), [m, k], &x))];
            let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors["y"].to_f64().unwrap();
            for (i, got) in got.iter().enumerate() {
                let at = |j: usize| w[if transposed { i % n * k + j } else { j * n + i % n }];
                let want: i64 = (0..k).map(|j| (x[i / n * k + j] - zx) * (at(j) - zw)).sum();
                prop_assert_eq!(*got, want as f64);
            }
        }
    }
}
