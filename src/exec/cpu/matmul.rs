use super::{
    OpKernel, Operand,
    blocked::{InstructionSet, TinyMatrices},
    chunks::{CHUNK, Walk},
    gemm::{ConstantB, Factor, Mat, factor_size, float_workspace, gemm_f32, gemm_int, packed_strips},
    int8::{self, ByteOperand, Completion, Contiguous, PackedBytes, ResultMemory, SumsEpilogue, zero_point},
    layout::permuted,
    task::{PostOp, Task},
    workspace::{Workspace, elements, if_result, ints, product, reals, result_elements, result_reals},
};
use crate::{
    ValueType,
    array::{Array, Element, zeros},
    base::{Dtype, Result, invalid},
    ops::{MatMul, Product},
    quant::RoundMode,
    semantics::{self, AccumKind},
};
use rayon::prelude::*;

/// `size` bytes per element of a result that is transposed.
fn turned(op: &MatMul<Operand>, size: usize) -> Workspace {
    if op.output_transpose { result_elements(size) } else { Workspace::none() }
}

/// Operands less their zero points, 64-bit sums, and the workspace of the product or of a transposed result.
fn workspace(op: &MatMul<Operand>) -> Workspace {
    if op.input.ty.buffer_dtype() == Dtype::Float32 {
        return reals([&op.right]) + reals(&op.bias) + turned(op, 4) + result_reals();
    }
    let (left, right, size) = (&op.input, &op.right, factor_size(&op.input, &op.right));
    let turned_right = if op.right_transpose { elements([right], size) } else { Workspace::none() };
    let of_product = turned_right.max(float_workspace(left.ty.elements(), right.ty.elements()));
    result_elements(8) + (elements([left, right], size) + of_product).max(ints(&op.bias) + turned(op, 8))
}

/// What a product of floats packs in each run: a strip of the matrix of all rows, or one of each of the matrices that are multiplied at the
/// same time.
fn packed_in_each_run(op: &MatMul<Operand>) -> Workspace {
    let sizes = Product::new(&op.input.ty.shape, &op.right.ty.shape, op.left_transpose, op.right_transpose);
    match sizes {
        Ok(p) if op.input.ty.buffer_dtype() == Dtype::Float32 => {
            let products = if is_tall(op, &p) { 1 } else { product(&p.batch) };
            packed_strips(products, [p.k, p.n])
        }
        _ => Workspace::none(),
    }
}

/// The left operand as uint8, and the sums in 32 and in 64 bits unless the result stores them as they are.
fn bytes_workspace(op: &MatMul<Operand>, p: &Product) -> Workspace {
    let (left, keeps_columns) = (|| elements([&op.input], 1), keeps_columns(op, p));
    let sums = result_elements(8) + (left() + result_elements(4)).max(turned(op, 8));
    if_result(move |result| keeps_columns && is_sum(result), left(), sums) + ints(&op.bias)
}

/// Whether sums of bytes can be stored without conversion.
fn is_sum(result: &ValueType) -> bool {
    result.dtype == Dtype::Int32 && result.quantization.is_none()
}

/// Whether the result is not transposed, and has at most a bias per column.
fn keeps_columns(op: &MatMul<Operand>, p: &Product) -> bool {
    !op.output_transpose && op.bias.as_ref().is_none_or(|b| b.ty.elements() == p.n)
}

pub(super) fn matmul(mut op: MatMul<Operand>, round: RoundMode) -> OpKernel {
    if let Some((p, packed)) = packed(&op) {
        let right = op.right.without_values();
        op.right = right.clone();
        return OpKernel::with_workspace(workspace(&op), move |t| rows_by(t, &op, &p, &packed)).without([&right]);
    }
    if let Some((p, packed)) = packed_bytes(&op) {
        let right = op.right.without_values();
        op.right = right.clone();
        let workspace = bytes_workspace(&op, &p) + packed.workspace();
        return OpKernel::with_workspace(workspace, move |t| {
            bytes_by(t, &op, round, &p, &ByteMatrices::Constant(&packed))
        })
        .without([&right]);
    }
    OpKernel::with_workspace(workspace(&op) + packed_in_each_run(&op), move |t| {
        let (left, right) = (&op.input.ty, &op.right.ty);
        let p = Product::new(&left.shape, &right.shape, op.left_transpose, op.right_transpose)?;
        match semantics::accum_kind(left, right) {
            _ if multiplies_bytes(&op, &p) => bytes_by(t, &op, round, &p, &ByteMatrices::Computed),
            AccumKind::Real => float(t, &op, &p),
            AccumKind::Narrow => integer::<i32>(t, &op, round, &p),
            AccumKind::Wide => integer::<i64>(t, &op, round, &p),
        }
    })
}

/// Whether both operands consist of bytes whose sums fit in 32 bits.
fn multiplies_bytes(op: &MatMul<Operand>, p: &Product) -> bool {
    let are_bytes = ByteOperand::new(&op.input).is_some() && ByteOperand::new(&op.right).is_some();
    are_bytes && !op.left_transpose && p.k <= int8::DEPTH
}

/// Whether one right-hand matrix applies to all rows of the left tensor: a single tall product.
fn is_tall(op: &MatMul<Operand>, p: &Product) -> bool {
    p.right_batch.iter().all(|&d| d == 1) && !op.left_transpose
}

/// Returns the right-hand matrix if it is a constant that applies to all rows of the left tensor.
fn constant_right(op: &MatMul<Operand>) -> Option<(&Array, Product)> {
    let values = op.right.constant.as_ref()?;
    let p = Product::new(&op.input.ty.shape, &op.right.ty.shape, op.left_transpose, op.right_transpose).ok()?;
    is_tall(op, &p).then_some((values, p))
}

/// Packs a constant matrix of floats.
fn packed(op: &MatMul<Operand>) -> Option<(Product, ConstantB)> {
    let (values, p) = constant_right(op)?;
    let rows = op.input.ty.elements() / p.k.max(1);
    if values.dtype() != Dtype::Float32 || op.output_transpose {
        return None;
    }
    let data = values.elements::<f32>().ok()?;
    let matrix = Mat { data: &data, rows: p.k, cols: p.n, transposed: op.right_transpose };
    Some((p, ConstantB::new(rows, matrix).ok()?))
}

/// Packs a constant 8-bit matrix.
fn packed_bytes(op: &MatMul<Operand>) -> Option<(Product, PackedBytes)> {
    let (values, p) = constant_right(op)?;
    ByteOperand::new(&op.input)?;
    let packed = int8::packed(&op.right, values.bytes().ok()?, [p.k, p.n], op.right_transpose).ok().flatten()?;
    Some((p, packed))
}

/// Multiplies all rows of the left tensor by a packed matrix.
fn rows_by(t: &mut Task, op: &MatMul<Operand>, p: &Product, packed: &ConstantB) -> Result<()> {
    let left = t.reals(&op.input)?;
    let bias = op.bias.as_ref().map(|b| t.reals(b)).transpose()?;
    // A bias of n elements is per column; other shapes broadcast to the result.
    let (of_columns, of_result) =
        if bias.as_ref().is_some_and(|b| b.len() == p.n) { (bias, None) } else { (None, bias) };
    let shape = &t.result(0)?.shape;
    t.write(0, PostOp::relu(op.do_relu, op.relu_limit), |out| {
        packed.product(&left, of_columns.as_deref(), out)?;
        complete(op, p, shape, out, of_result.as_deref(), |x, y| x + y)
    })
}

/// Returns the scale of the sums, or one for each column.
fn scales_of_sums(op: &MatMul<Operand>) -> Vec<f64> {
    let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| q.values().0);
    let of_input = scales(&op.input)[0];
    scales(&op.right).into_iter().map(|scale| of_input * scale).collect()
}

/// Whether bytes are multiplied by a constant matrix, and the result has the order of the sums.
pub(super) fn multiplies_constant_bytes(op: &MatMul<Operand>) -> bool {
    let are_bytes = ByteOperand::new(&op.input).is_some() && ByteOperand::new(&op.right).is_some();
    are_bytes && constant_right(op).is_some_and(|(_, p)| keeps_columns(op, &p) && p.k > 0 && p.k <= int8::DEPTH)
}

/// The right operand of a product of bytes.
enum ByteMatrices<'a> {
    /// A constant that applies to all rows.
    Constant(&'a PackedBytes),
    /// Computed; one for each pair of matrices.
    Computed,
}

/// Like [`rows_by`], for bytes.
fn bytes_by(t: &mut Task, op: &MatMul<Operand>, round: RoundMode, p: &Product, right: &ByteMatrices) -> Result<()> {
    let result = t.result(0)?;
    let scales = scales_of_sums(op);
    let bias = op.bias.as_ref().map(|b| t.ints(b)).transpose()?;
    let relu = op.do_relu.then_some(if op.relu_limit > 0.0 { op.relu_limit } else { f64::INFINITY });
    let end = SumsEpilogue { bias: bias.as_deref(), relu, round };
    let complete = |begin: &mut dyn Iterator<Item = i32>| {
        let is_simple = keeps_columns(op, p) && Completion::supports(result, p.k, end.bias);
        is_simple.then(|| Completion::new(begin, scales.iter().copied().cycle(), result, end))?
    };
    if complete(&mut std::iter::repeat_n(0, p.n)).is_some() {
        let multiplied = t.array(&op.input)?;
        let right_values = t.array(&op.right).ok();
        return byte_products(op, p, (multiplied, right_values, right), ResultMemory::of(t.memory(0)?)?, &complete);
    }
    let mut sums = zeros::<i32>(result.elements())?;
    let values = (t.array(&op.input)?, t.array(&op.right).ok(), right);
    byte_products(op, p, values, ResultMemory::Ints(&mut sums), &|begin| Some(Completion::sums(begin)))?;
    let mut wide = zeros::<i64>(sums.len())?;
    wide.iter_mut().zip(sums).for_each(|(w, s)| *w = s.into());
    store_sums(t, op, round, p, wide)
}

/// Returns the epilogue of a matrix whose columns' sums begin with these numbers.
type Complete<'a> = dyn Fn(&mut dyn Iterator<Item = i32>) -> Option<Completion> + Sync + 'a;

/// Multiplies all pairs of matrices.
fn byte_products(
    op: &MatMul<Operand>,
    p: &Product,
    (left, right, matrices): (&Array, Option<&Array>, &ByteMatrices),
    out: ResultMemory,
    complete: &Complete,
) -> Result<()> {
    let none = || invalid("no product of bytes");
    let (operand, data) = (ByteOperand::new(&op.input).ok_or_else(none)?, left.bytes()?);
    let multiply = |data: &[u8], packed: &PackedBytes, out: ResultMemory| {
        let completion = complete(&mut packed.begin(operand.zero)).ok_or_else(none)?;
        completion.product(packed, (&Contiguous { data, k: p.k }, operand.flip), out, (0, p.n))
    };
    if let ByteMatrices::Constant(packed) = matrices {
        return multiply(data, packed, out);
    }
    let right = right.ok_or_else(none)?;
    let pairs: Vec<_> = p.pairs().collect();
    out.chunks(p.m * p.n).into_par_iter().zip(pairs).try_for_each(|(out, (i, j))| {
        let range = j * p.k * p.n..(j + 1) * p.k * p.n;
        let packed = int8::packed(&op.right, &right.bytes()?[range], [p.k, p.n], op.right_transpose)?;
        multiply(&data[i * p.m * p.k..][..p.m * p.k], &packed.ok_or_else(none)?, out)
    })
}

fn float(t: &mut Task, op: &MatMul<Operand>, p: &Product) -> Result<()> {
    let (left, right) = (t.reals(&op.input)?, t.reals(&op.right)?);
    let bias = op.bias.as_ref().map(|b| t.reals(b)).transpose()?;
    let (finish, shape) = (PostOp::relu(op.do_relu, op.relu_limit), &t.result(0)?.shape);
    t.write(0, finish, |out| {
        products(op, p, &left, &right, out)?;
        complete(op, p, shape, out, bias.as_deref(), |x, y| x + y)
    })
}

/// Maximum number of rows of a left-hand matrix that is not divided among tasks.
const TALLEST: usize = 256;

/// Computes the products of all matrices.
fn products(op: &MatMul<Operand>, p: &Product, left: &[f32], right: &[f32], out: &mut [f32]) -> Result<()> {
    let (m, k, n) = (p.m, p.k, p.n);
    let right_of =
        |j: usize| Mat { data: &right[j * k * n..(j + 1) * k * n], rows: k, cols: n, transposed: op.right_transpose };
    if is_tall(op, p) {
        let rows = left.len() / k;
        return gemm_f32(out, Mat { data: left, rows, cols: k, transposed: false }, right_of(0));
    }
    let pairs: Vec<_> = p.pairs().collect();
    if !op.left_transpose && m <= TALLEST && TinyMatrices::are_tiny([k, n]) {
        let matrices = TinyMatrices { left, right, transposed: op.right_transpose, sizes: [m, k, n] };
        matrices.multiply(InstructionSet::best(), &pairs, out);
        return Ok(());
    }
    out.par_chunks_mut(m * n).zip(pairs).try_for_each(|(c, (i, j))| {
        let data = &left[i * m * k..(i + 1) * m * k];
        gemm_f32(c, Mat { data, rows: m, cols: k, transposed: op.left_transpose }, right_of(j))
    })
}

/// Sums are exact, then saturated.
fn integer<T: Factor>(t: &mut Task, op: &MatMul<Operand>, round: RoundMode, p: &Product) -> Result<()> {
    let subtract_zero_point = |o: &Operand| -> Result<Vec<T>> {
        let zero = zero_point(o);
        t.ints_as(o, |_, v| T::of(v.saturating_sub(zero)))
    };
    let (left, right) = (subtract_zero_point(&op.input)?, subtract_zero_point(&op.right)?);
    let (m, k, n) = (p.m, p.k, p.n);
    let mut out = zeros::<i64>(t.result(0)?.elements())?;
    for ((i, j), c) in p.pairs().zip(out.chunks_mut(m * n)) {
        let left = Mat { data: &left[i * m * k..(i + 1) * m * k], rows: m, cols: k, transposed: op.left_transpose };
        let right = Mat { data: &right[j * k * n..(j + 1) * k * n], rows: k, cols: n, transposed: op.right_transpose };
        gemm_int(c, left, right)?;
    }
    drop((left, right));
    store_sums(t, op, round, p, out)
}

/// Stores the sums, with bias and Relu.
fn store_sums(t: &mut Task, op: &MatMul<Operand>, round: RoundMode, p: &Product, mut out: Vec<i64>) -> Result<()> {
    let bias = op.bias.as_ref().map(|b| t.ints(b)).transpose()?;
    complete(op, p, &t.result(0)?.shape, &mut out, bias.as_deref(), i64::saturating_add)?;
    let (result, scales) = (t.result(0)?, scales_of_sums(op));
    // Bytes without a scale are the integers that are nearest to the real numbers; wider integers without one are the sums.
    let is_byte = matches!(result.dtype, Dtype::Int8 | Dtype::Uint8);
    if result.quantization.is_some() || is_byte && scales.iter().any(|scale| *scale != 1.0) {
        // Transposed results have rows instead of columns.
        let each = if op.output_transpose { p.m } else { 1 };
        return t.fill(0, 1, PostOp::relu(op.do_relu, op.relu_limit).and_round(round), |first, reals| {
            for (i, (r, v)) in (first..).zip(reals.iter_mut().zip(&out[first..])) {
                *r = (*v as f64 * scales[i / each % scales.len()]) as f32;
            }
            Ok(())
        });
    }
    PostOp::relu(op.do_relu, op.relu_limit).ints(&mut out);
    t.write_ints(0, &out)
}

/// Transposes the result if requested, and adds the bias.
fn complete<T: Element>(
    op: &MatMul<Operand>,
    p: &Product,
    shape: &[usize],
    out: &mut [T],
    bias: Option<&[T]>,
    add: fn(T, T) -> T,
) -> Result<()> {
    let batch: usize = p.batch.iter().product();
    // A bias of n elements is per column, before any transposition; other shapes broadcast to the result.
    let of_columns = bias.filter(|b| b.len() == p.n);
    if let Some(bias) = of_columns {
        add_to(out, &[batch * p.m, p.n], bias, &[p.n], add);
    }
    if op.output_transpose {
        let turned = permuted(out, &[batch, p.m, p.n], &[0, 2, 1])?;
        out.copy_from_slice(&turned);
    }
    if let (Some(values), None, Some(bias)) = (bias, of_columns, &op.bias) {
        add_to(out, shape, values, &bias.ty.shape, add);
    }
    Ok(())
}

/// Adds an operand that broadcasts to the result.
fn add_to<T: Copy + Send + Sync>(out: &mut [T], shape: &[usize], bias: &[T], bias_shape: &[usize], add: fn(T, T) -> T) {
    let walk = Walk::new(bias_shape, shape);
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
        walk.runs(c * CHUNK, out.len(), |part, start, step| {
            out[part].iter_mut().enumerate().for_each(|(i, v)| *v = add(*v, bias[start + i * step]));
        });
    });
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, Session, run};
    use proptest::prelude::*;

    fn values(n: usize, seed: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 37 + seed * 101) % 19) as f32 - 9.0).collect()
    }

    #[test]
    fn packed_strips_are_counted() {
        let peak = |is_constant: bool| {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, [64, 2048]).unwrap();
            let w = match is_constant {
                true => g.coefficient("w", Array::filled(Dtype::Float32, [2048, 2048], 0.5).unwrap()).unwrap(),
                false => g.input("w", Dtype::Float32, [2048, 2048]).unwrap(),
            };
            let y = g.matmul(x, w).call().unwrap();
            g.set_outputs(&[y]).unwrap();
            Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap().peak_bytes()
        };
        assert_eq!([peak(true), peak(false)], [512 << 10, (512 << 10) + (4 << 20)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn products_are_the_definition(b in 1usize..3, m in 1usize..20, k in 1usize..70, n in 1usize..40, lt: bool, rt: bool, shared: bool, int: bool) {
            let (l, r) = (if lt { [b, k, m] } else { [b, m, k] }, if rt { [n, k] } else { [k, n] });
            let r: Vec<usize> = if shared { r.to_vec() } else { [&[b], &r[..]].concat() };
            let dtype = if int { Dtype::Int8 } else { Dtype::Float32 };
            let (lv, rv) = (values(b * m * k, 1), values(r.iter().product(), 2));
            let array = |s: &[usize], v: &[f32]| Array::from_f64s(dtype, s, v.iter().map(|&x| f64::from(x))).unwrap();
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", dtype, l).unwrap();
            let w = array(&r, &rv);
            let y = if int {
                g.matmul_int(x, w).input_transpose(lt).right_transpose(rt).input_zp(1).right_zp(-2).out_name("y").call()
            } else {
                g.matmul(x, w).input_transpose(lt).right_transpose(rt).out_name("y").call()
            }.unwrap();
            g.set_outputs(&[y]).unwrap();
            let got = run(&g, &[("x", array(&l, &lv))], &CpuBackend::new(), &RunOptions::default()).unwrap();
            let (zl, zr) = if int { (1.0, -2.0) } else { (0.0, 0.0) };
            let mut want = Vec::new();
            for i in 0..b { for row in 0..m { for col in 0..n {
                want.push((0..k).map(|j| {
                    let a = lv[if lt { (i * k + j) * m + row } else { (i * m + row) * k + j }];
                    let base = if shared { 0 } else { i * k * n };
                    let c = rv[base + if rt { col * k + j } else { j * n + col }];
                    (a - zl) * (c - zr)
                }).sum::<f32>());
            } } }
            prop_assert_eq!(got.tensors["y"].to_f32().unwrap(), want);
        }
    }
}
