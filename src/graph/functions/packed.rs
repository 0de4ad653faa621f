//! Products with packed weights: `a16matmul`, `fp8matmul`.
use super::{
    dtypes::FLOATS,
    function,
    lowering::{Lowering, one_of},
};
use crate::{
    Operand, Tensor,
    array::{Array, reserve},
    base::{Dtype, Result, argument, misfit},
    ops,
};

function! {
    A16matmul -> Tensor {
        "Left matrix (or stack of them), of k columns; float32 or float16." input: Operand,
        "Packed weights, a coefficient of k * bits / 32 x n; each int32 holds 32 / bits weights of a column, the first in the low bits." weight: Operand,
        "Scales, a coefficient of k / group_size x n; float32 or float16." scale: Operand,
        "Zero points minus 1, a coefficient of k / group_size x n * bits / 32; each int32 holds those of 32 / bits columns." zp: Operand,
        ;
        "n elements; float32 or float16." bias: Operand,
        "Whether the operator stores the matrix as n x k rather than k x n; the result is the same." right_transpose: bool = true,
        "float32 or float16." out_dtype: Dtype = Dtype::Float16,
        "Rows of the matrix that share scale and zero point." group_size: i64 = 128i64,
        "Bits of a weight: 4 or 8." bits: i64 = 4i64,
        "Group of each row, an int32 coefficient; groups must be consecutive rows." g_idx: Operand,
    }
    a16matmul: "Product of floats and a matrix of 4- or 8-bit integers, packed in GPTQ's format: `input x ((weight - (zp + 1)) * scale) + bias`.",
        example |g, x, i| {
            let w = g.coefficient("w", Array::filled(Dtype::Int32, [1, 8], 7.0)?)?;
            let s = g.coefficient("s", Array::filled(Dtype::Float32, [1, 8], 0.5)?)?;
            let z = g.coefficient("z", Array::filled(Dtype::Int32, [1, 1], 3.0)?)?;
            let y = x.a16matmul(w, s, z).group_size(8).out_dtype(Dtype::Float32).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    Fp8matmul -> Tensor {
        "Left matrix (or stack of them), of k columns; float32 or float16." input: Operand,
        "A float32 coefficient, n x k, or k x n without right_transpose; it is converted to fp8e4m3: rounded to nearest and clamped to 448." weight: Operand,
        "Scales, one per block of block_size x block_size weights, in the weight's order of axes; float32." scale: Operand,
        ;
        "n elements; float32 or float16." bias: Operand,
        "Whether the weight is n x k." right_transpose: bool = true,
        "float32 or float16." out_dtype: Dtype = Dtype::Float16,
        "Side of the blocks that share a scale." block_size: i64 = 128i64,
    }
    fp8matmul: "Product of floats and an fp8e4m3 matrix with one scale per block: `input x (weight * scale) + bias`.",
        example |g, x, i| {
            let w = g.coefficient("w", Array::filled(Dtype::Float32, [5, 8], 0.5)?)?;
            let y = x.fp8matmul(w, Array::filled(Dtype::Float32, [1, 1], 2.0)?).call()?;
            assert_eq!(y.info()?.type_text(), "1x3x8x5 float16");
        },
        => |args, to| args.lower(to);
}

impl A16matmul {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        to.dtype("weight", &self.weight, &[Dtype::Int32])?;
        to.dtype("scale", &self.scale, FLOATS)?;
        to.dtype("zp", &self.zp, &[Dtype::Int32])?;
        to.optional_dtype("bias", &self.bias, FLOATS)?;
        let dtype = one_of("out_dtype", self.out_dtype(), FLOATS)?;
        if ![4, 8].contains(&self.bits()) {
            return Err(argument("bits", self.bits(), "expected 4 or 8"));
        }
        let [weight, scale, zp] = [("weight", &self.weight), ("scale", &self.scale), ("zp", &self.zp)];
        let ((rows, n), (groups, _)) = (to.matrix(weight)?, to.matrix(scale)?);
        let each = 32 / self.bits() as usize;
        let k = rows.saturating_mul(each);
        if n % each != 0 {
            let expected = format!("expected a multiple of {each}, as many as share an integer of zp");
            return Err(misfit("weight", format!("has {n} columns; {expected}")));
        }
        let is_whole = i64::try_from(k).ok() == self.group_size().checked_mul(groups as i64);
        let of = |name: &str, found: (usize, usize), columns: usize, what: &str| {
            if is_whole && found == (groups, columns) {
                return Ok(());
            }
            let per = format!(
                "one row for each {} of {k} rows of the matrix, and {columns} columns{what}",
                self.group_size()
            );
            Err(misfit(name, format!("is {}x{}; expected {per}", found.0, found.1)))
        };
        of("scale", to.matrix(scale)?, n, "")?;
        of("zp", to.matrix(zp)?, n / each, &format!(" of {each} zero points each"))?;
        self.check_groups(to, k)?;
        let transposed = self.right_transpose();
        // In each column, the weights of an int32 become consecutive bytes.
        let packed = [n, rows.saturating_mul(4)];
        let weight = to.repacked("weight", &self.weight, Dtype::Uint8, oriented(packed, transposed), |w| {
            let (columns, mut bytes) = (w.with_last_axes_swapped()?, Vec::new());
            reserve(&mut bytes, w.len().saturating_mul(4))?;
            bytes.extend_from_slice(columns.bytes()?);
            let bytes = Array::from_vec::<u8>(packed, bytes)?;
            if transposed { Ok(bytes) } else { bytes.with_last_axes_swapped() }
        })?;
        let bits = self.bits();
        let zp = to.repacked("zp", &self.zp, Dtype::Uint8, oriented([n, groups], transposed), |z| {
            let unpacked = zero_points(z, bits, [groups, n])?;
            if transposed { unpacked.with_last_axes_swapped() } else { Ok(unpacked) }
        })?;
        let scale = match transposed {
            true => {
                let dtype = to.info(&self.scale)?.dtype;
                to.repacked("scale", &self.scale, dtype, vec![n, groups], Array::with_last_axes_swapped)?
            }
            false => to.tensor(&self.scale)?,
        };
        let op = ops::A16MatMul {
            bias: to.optional(&self.bias)?,
            q_group_size: self.group_size(),
            right_transpose: transposed,
            weight_bits: bits,
            ..ops::A16MatMul::new(to.tensor(&self.input)?, weight, scale, zp)
        };
        to.rename_in_errors(&[("q_group_size", "group_size"), ("weight_bits", "bits")]).emit_as(op, dtype)
    }

    /// Checks that each group is `group_size` consecutive rows.
    fn check_groups(&self, to: &Lowering, k: usize) -> Result<()> {
        let size = self.group_size();
        let Some(g_idx) = &self.g_idx else { return Ok(()) };
        to.dtype("g_idx", g_idx, &[Dtype::Int32])?;
        let info = to.info(g_idx)?;
        if info.elements() != k {
            return Err(misfit(
                "g_idx",
                format!("has {} elements; expected {k}, one for each row of the matrix", info.elements()),
            ));
        }
        if !info.is_coefficient() {
            return Err(misfit("g_idx", "is not a coefficient; the groups must be known"));
        }
        let Some(data) = info.data() else { return Ok(()) };
        let groups = data.elements::<i32>()?;
        match groups.iter().enumerate().find(|(row, g)| i64::from(**g) != *row as i64 / size.max(1)) {
            Some((row, g)) => Err(misfit(
                "g_idx",
                format!("puts row {row} into group {g}; the tool chain requires groups of {size} consecutive rows"),
            )),
            None => Ok(()),
        }
    }
}

/// Returns the shape: n x k if transposed, otherwise k x n.
fn oriented([n, k]: [usize; 2], transposed: bool) -> Vec<usize> {
    if transposed { vec![n, k] } else { vec![k, n] }
}

/// Unpacks zero points to bytes. Each integer holds 32 / bits of them, less 1, the first in the low bits. The bytes wrap
/// around, like in TpuLang.
fn zero_points(packed: &Array, bits: i64, shape: [usize; 2]) -> Result<Array> {
    let (words, mask) = (packed.elements::<i32>()?, (1i64 << bits) - 1);
    let mut all: Vec<u8> = Vec::new();
    reserve(&mut all, shape[0].saturating_mul(shape[1]))?;
    for word in words.iter() {
        all.extend((0..32 / bits).map(|i| ((i64::from(*word) >> (bits * i) & mask) as u8).wrapping_add(1)));
    }
    Array::from_vec(shape, all)
}

impl Fp8matmul {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        to.dtype("weight", &self.weight, &[Dtype::Float32])?;
        to.dtype("scale", &self.scale, &[Dtype::Float32])?;
        to.optional_dtype("bias", &self.bias, FLOATS)?;
        let dtype = one_of("out_dtype", self.out_dtype(), FLOATS)?;
        let shape = to.info(&self.weight)?.shape.clone();
        let narrow = |w: &Array| w.to_dtype(Dtype::Fp8e4m3);
        let weight = to.repacked("weight", &self.weight, Dtype::Fp8e4m3, shape, narrow)?;
        let op = ops::Fp8MatMul {
            bias: to.optional(&self.bias)?,
            block_size: self.block_size(),
            weight_transpose: self.right_transpose(),
            ..ops::Fp8MatMul::new(to.tensor(&self.input)?, weight, to.tensor(&self.scale)?)
        };
        to.emit_as(op, dtype)
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::{bad_calls, first_line as first};
    use tpulang::{Array, Dtype, Graph, mlir, spec};

    /// Returns the error for these shapes, bits and groups.
    #[test]
    fn packed_weights_must_fit() {
        let call = |weight: [usize; 2], scale: [usize; 2], zp: [usize; 2], bits: i64, g_idx: Option<Vec<i32>>| {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float16, [2, 16]).unwrap();
            let of = |d, s: [usize; 2]| Array::filled(d, s, 1.0).unwrap();
            let (w, z) = (of(Dtype::Int32, weight), of(Dtype::Int32, zp));
            let call = g.a16matmul(x, w, of(Dtype::Float16, scale), z).bits(bits).group_size(8);
            let call = match g_idx {
                Some(groups) => call.g_idx(Array::from_vec([groups.len()], groups).unwrap()).call(),
                None => call.call(),
            };
            call.map(|y| g.tensor(y).unwrap().type_text()).map_err(first)
        };
        let in_order = Some((0..16).map(|row| row / 8).collect());
        assert_eq!(call([2, 8], [2, 8], [2, 1], 4, in_order), Ok("2x8 float16".into()));
        assert_eq!(call([4, 8], [2, 8], [2, 2], 8, None), Ok("2x8 float16".into()));
        for (found, told) in [
            (call([2, 8], [2, 8], [2, 1], 3, None), "bits is 3; expected 4 or 8"),
            (
                call([2, 12], [2, 12], [2, 1], 4, None),
                "weight has 12 columns; expected a multiple of 8, as many as share an integer of zp",
            ),
            (
                call([2, 8], [4, 8], [4, 1], 4, None),
                "scale is 4x8; expected one row for each 8 of 16 rows of the matrix, and 8 columns",
            ),
            (
                call([4, 8], [4, 8], [4, 1], 4, None),
                "input is 2x16 float16; expected at least 2 dimensions, the last equal to the 32 rows of the weight",
            ),
            (
                call([2, 8], [2, 8], [2, 2], 4, None),
                "zp is 2x2; expected one row for each 8 of 16 rows of the matrix, and 1 columns of 8 zero points each",
            ),
            (
                call([2, 8], [2, 8], [2, 1], 4, Some((0..16).map(|row| row % 2).collect())),
                "g_idx puts row 1 into group 1; the tool chain requires groups of 8 consecutive rows",
            ),
            (
                call([2, 8], [2, 8], [2, 1], 4, Some(vec![0; 4])),
                "g_idx has 4 elements; expected 16, one for each row of the matrix",
            ),
        ] {
            assert_eq!(found.unwrap_err(), format!("a16matmul (ops[0]): {told}"));
        }
    }

    /// The caller's weights stay unchanged, and a spec yields the same module.
    #[test]
    fn packed_weights_are_emitted_in_place_of_the_callers() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 16]).unwrap();
        let w = g.coefficient("w", Array::from_vec([2, 8], (0..16).collect::<Vec<i32>>()).unwrap()).unwrap();
        let s = g.coefficient("s", Array::filled(Dtype::Float32, [2, 8], 0.5).unwrap()).unwrap();
        let z = g.coefficient("z", Array::filled(Dtype::Int32, [2, 1], 1.0).unwrap()).unwrap();
        let y = g.a16matmul(x, w, s, z).group_size(8).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(g.tensor(w).unwrap().type_text(), "2x8 int32");
        let emitted = mlir::emit(&g).unwrap();
        let shapes: Vec<_> = emitted.weights.iter().map(|(n, a)| (n.as_str(), a.dtype(), a.shape().to_vec())).collect();
        let (u8, f32) = (Dtype::Uint8, Dtype::Float32);
        assert_eq!(shapes, [("w", u8, vec![8, 8]), ("s", f32, vec![8, 2]), ("z", u8, vec![8, 2])]);
        // In column 1 the integers are 1 and 9, and the zero points 2 and 1.
        assert_eq!(emitted.weights[0].1.elements::<u8>().unwrap()[8..16], [1, 0, 0, 0, 9, 0, 0, 0]);
        assert_eq!(emitted.weights[2].1.elements::<u8>().unwrap()[..4], [2, 2, 1, 1]);
        let again = spec::from_text(&spec::to_text(&g, None).unwrap(), "spec.json", None).unwrap();
        assert_eq!(mlir::emit(&again).unwrap().text, emitted.text);
    }

    #[test]
    fn mistakes_are_told() {
        bad_calls(
            "packed",
            &[
                r#"{"op": "a16matmul", "args": {"input": "x", "weight": "w", "scale": "v", "zp": "v"}, "out": "y"}"#,
                r#"{"op": "a16matmul", "args": {"input": "i", "weight": "w", "scale": "v", "zp": "v"}, "out": "y"}"#,
                r#"{"op": "fp8matmul", "args": {"input": "x", "weight": "w", "scale": "v"}, "out": "y"}"#,
                r#"{"op": "fp8matmul", "args": {"input": "x", "weight": "x", "scale": "v"}, "out": "y"}"#,
                r#"{"op": "fp8matmul", "args": {"input": "x", "weight": "v", "scale": "v", "block_size": 0}, "out": "y"}"#,
            ],
        );
    }
}
