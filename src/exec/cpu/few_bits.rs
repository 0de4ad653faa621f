//! Products with weights of few bits: packed integers and fp8.
use super::{
    OpKernel, Operand,
    blocked::{FourBits, InstructionSet},
    gemm::{Mat, add_to_rows, gemm_f32},
    task::{PostOp, Task},
    workspace::{elements, numbers, reals, result_reals},
};
use crate::{
    array::zeros,
    base::Result,
    ops::{A16MatMul, Fp8MatMul},
};
use rayon::prelude::*;

/// Maximum number of rows for which a constant matrix of packed integers is multiplied as it is stored.
const ROWS_OF_PACKED: usize = 8;

/// The product with a matrix of packed integers. A constant one is multiplied as it is stored by few rows, and otherwise dequantized in each
/// run, as the floats of all matrices of a network would take much memory.
pub(super) fn a16_matmul(mut op: A16MatMul<Operand>) -> OpKernel {
    let Some(matrix) = four_bits(&op).ok().flatten() else { return unpacked_in_each_run(op) };
    let weights = [op.weight.without_values(), op.scale.without_values(), op.zp.without_values()];
    [op.weight, op.scale, op.zp] = weights.clone();
    OpKernel::with_workspace(reals([&op.input]) + result_reals(), move |t| {
        let left = t.reals(&op.input)?;
        let bias = op.bias.as_ref().map(|b| t.reals(b)).transpose()?;
        t.write(0, PostOp::default(), |out| {
            matrix.product(&left, out)?;
            bias.iter().for_each(|bias| add_to_rows(out, bias));
            Ok(())
        })
    })
    .without(&weights)
}

/// Returns the matrix of a product with few rows, if it is a constant of 4-bit integers.
fn four_bits(op: &A16MatMul<Operand>) -> Result<Option<FourBits>> {
    let (Some(weight), Some(scale), Some(zp)) = (&op.weight.constant, &op.scale.constant, &op.zp.constant) else {
        return Ok(None);
    };
    if !is_for_few_rows(op) {
        return Ok(None);
    }
    let sizes = [op.input.ty.shape.last().copied().unwrap_or(1), op.q_group_size as usize];
    let (bytes, scales, zero_points) = (weight.elements::<u8>()?, scale.to_f32()?, zp.elements::<u8>()?);
    FourBits::new(InstructionSet::best(), sizes, &bytes, &scales, &zero_points)
}

/// Whether a matrix of packed integers is multiplied as it is stored.
pub(super) fn is_for_few_rows(op: &A16MatMul<Operand>) -> bool {
    let k = op.input.ty.shape.last().copied().unwrap_or(1);
    let (rows, group) = (op.input.ty.elements() / k.max(1), op.q_group_size as usize);
    op.right_transpose && op.weight_bits == 4 && rows <= ROWS_OF_PACKED && FourBits::supports([k, group])
}

fn unpacked_in_each_run(op: A16MatMul<Operand>) -> OpKernel {
    let unpacked = op.weight.ty.elements().saturating_mul(8 / op.weight_bits as usize);
    let workspace = reals([&op.input, &op.scale]) + numbers(unpacked, 4) + result_reals();
    OpKernel::with_workspace(workspace, move |t| {
        let [bytes, zero_points] = [t.array(&op.weight)?.elements::<u8>()?, t.array(&op.zp)?.elements::<u8>()?];
        let (scales, width, group) = (t.reals(&op.scale)?, op.weight_bits as usize, op.q_group_size as usize);
        let (per_byte, mask) = (8 / width, u8::MAX >> (8 - width));
        let stored = op.weight.ty.shape[1];
        let columns = if op.right_transpose { stored * per_byte } else { stored };
        let mut weight: Vec<f32> = zeros(bytes.len().saturating_mul(per_byte))?;
        weight.par_chunks_mut(columns).enumerate().for_each(|(r, row)| {
            for (c, w) in row.iter_mut().enumerate() {
                // Bytes and groups are along k.
                let (byte, part, of) = match op.right_transpose {
                    true => (r * stored + c / per_byte, c % per_byte, r * (columns / group) + c / group),
                    false => (r / per_byte * stored + c, r % per_byte, r / group * columns + c),
                };
                let value = bytes[byte] >> (part * width) & mask;
                *w = (f32::from(value) - f32::from(zero_points[of])) * scales[of];
            }
        });
        weighed(t, &op.input, &weight, op.right_transpose, op.bias.as_ref())
    })
}

/// The product with a matrix that has one scale per square block.
pub(super) fn fp8_matmul(op: Fp8MatMul<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]) + elements([&op.weight], 4) + result_reals(), move |t| {
        let (values, scales, block) = (t.reals(&op.weight)?, t.reals(&op.weight_scale)?, op.block_size as usize);
        let columns = op.weight.ty.shape[1];
        let across = columns.div_ceil(block);
        let mut weight = zeros(values.len())?;
        weight.par_chunks_mut(columns).zip(values.par_chunks(columns)).enumerate().for_each(|(r, (row, from))| {
            for (c, (w, v)) in row.iter_mut().zip(from).enumerate() {
                *w = v * scales[r / block * across + c / block];
            }
        });
        weighed(t, &op.input, &weight, op.weight_transpose, op.bias.as_ref())
    })
}

/// Multiplies an operand's rows by a matrix and adds the bias.
fn weighed(t: &mut Task, input: &Operand, weight: &[f32], transposed: bool, bias: Option<&Operand>) -> Result<()> {
    let left = t.reals(input)?;
    let bias = bias.map(|b| t.reals(b)).transpose()?;
    let (k, n) = (input.ty.shape.last().copied().unwrap_or(1), t.result(0)?.shape.last().copied().unwrap_or(1));
    t.write(0, PostOp::default(), |out| {
        let left = Mat { data: &left, rows: left.len() / k, cols: k, transposed: false };
        gemm_f32(out, left, Mat { data: weight, rows: k, cols: n, transposed })?;
        bias.iter().for_each(|bias| add_to_rows(out, bias));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, ops::A16MatMul, run};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Constant matrices, which may be multiplied as they are stored, and computed ones.
        #[test]
        fn constant_packed_integers_are_those_of_each_run(
            rows in 1usize..12, blocks in 1usize..4, n in 1usize..20, bits in prop::sample::select(vec![4i64, 8]),
            group in prop::sample::select(vec![16usize, 32]), transposed: bool, has_bias: bool,
        ) {
            let (k, per_byte) = (blocks * group, 8 / bits as usize);
            let shape = |of_k: usize| if transposed { [n, of_k] } else { [of_k, n] };
            let array = |dtype, shape: [usize; 2], step: usize, of: usize| {
                let numbers = (0..shape[0] * shape[1]).map(|i| (i * step % of) as f64);
                Array::from_f64s(dtype, shape, numbers).unwrap()
            };
            let weights = [
                ("w", array(Dtype::Uint8, shape(k / per_byte), 37, 256)),
                ("scale", array(Dtype::Float32, shape(blocks), 3, 5)),
                ("zp", array(Dtype::Uint8, shape(blocks), 5, 16)),
            ];
            let x = array(Dtype::Float32, [rows, k], 7, 19);
            let product = |is_constant: bool| {
                let mut g = Graph::new("g").unwrap();
                let input = g.input("x", Dtype::Float32, [rows, k]).unwrap();
                let [weight, scale, zp] = weights.clone().map(|(name, array)| match is_constant {
                    true => g.coefficient(name, array).unwrap(),
                    false => g.input(name, array.dtype(), array.shape().to_vec()).unwrap(),
                });
                let bias = has_bias.then(|| g.coefficient("bias", (0..n).map(|i| i as f32).collect::<Vec<_>>()).unwrap());
                let op = A16MatMul {
                    bias, right_transpose: transposed, q_group_size: group as i64, weight_bits: bits, ..A16MatMul::new(input, weight, scale, zp)
                };
                let y = g.op(op).out_dtypes([Dtype::Float32]).call().unwrap()[0];
                g.set_outputs(&[y]).unwrap();
                let mut feeds = vec![("x", x.clone())];
                feeds.extend(weights.clone().into_iter().filter(|_| !is_constant));
                run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f64().unwrap()
            };
            // All sums of these integers are exact.
            prop_assert_eq!(product(true), product(false));
        }
    }
}
