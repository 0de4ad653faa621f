//! Matrix products.
use super::{
    accumulation::{AccumType, Accumulation},
    builder::{AccumKernel, Builder, arguments},
    chain::Chain,
    cublaslt,
    device::{Address, KernelValue, LIBRARY_ALIGNMENT},
    float::Float,
    formula::{Formula, Input, NO_AXIS, PostOp},
    geometry,
    library_call::LibraryCall,
    slot::{Argument, Slot},
    source::{File, file},
};
use crate::{
    base::{Dtype, Result},
    exec::{Operand, ValueType, semantics},
    ops::{A16MatMul, Fp8MatMul, MatMul, Product},
};
use std::sync::Arc;

const FILE: File = file!("matmul.cu");

/// Maximum number of rows for which one warp computes each column.
const FEW_ROWS: usize = 4;

/// The offsets of the left and the right matrix of each product of a batch.
pub(super) enum Batch {
    /// Offsets at constant strides.
    Strided {
        count: usize,
        strides: [i64; 2],
    },
    Listed(Vec<[i64; 2]>),
    /// Offsets in a list on the device.
    Indirect {
        count: usize,
        offsets: Slot,
    },
}

impl Batch {
    /// A single product.
    pub const ONE: Batch = Batch::Strided { count: 1, strides: [0; 2] };

    pub fn of(offsets: Vec<[i64; 2]>) -> Batch {
        let strides = match offsets.as_slice() {
            [first, second, ..] => [0, 1].map(|side| second[side] - first[side]),
            _ => [0; 2],
        };
        let is_uniform = offsets.iter().enumerate().all(|(i, offset)| *offset == strides.map(|step| i as i64 * step));
        if is_uniform { Batch::Strided { count: offsets.len(), strides } } else { Batch::Listed(offsets) }
    }
    fn count(&self) -> usize {
        match self {
            Batch::Strided { count, .. } | Batch::Indirect { count, .. } => *count,
            Batch::Listed(offsets) => offsets.len(),
        }
    }
}

/// Products of m x k and k x n matrices.
pub(super) struct Matrices {
    pub m: usize,
    pub k: usize,
    pub n: usize,
    /// Whether the matrix is stored transposed.
    pub left_transposed: bool,
    pub right_transposed: bool,
    pub batch: Batch,
}

impl Matrices {
    /// Whether there are few rows and the right matrix has contiguous columns.
    fn has_few_rows(&self, kind: AccumType) -> bool {
        kind.is_real() && self.m <= FEW_ROWS && self.right_transposed
    }
    /// Returns the kernel for the products.
    pub fn kernel(&self, b: &mut Builder, [left, right]: [Slot; 2], kind: AccumType) -> Result<AccumKernel> {
        let nowhere = Argument::Number(KernelValue::Address(Address(0)));
        let (offsets, strides) = match &self.batch {
            Batch::Strided { strides, .. } => (nowhere, *strides),
            Batch::Listed(offsets) => (b.constant(offsets.as_flattened())?.into(), [0; 2]),
            Batch::Indirect { offsets, .. } => ((*offsets).into(), [0; 2]),
        };
        let Matrices { m, k, n, .. } = *self;
        let left_by = if self.left_transposed { [1, m] } else { [k, 1] };
        let right_by = if self.right_transposed { [1, k] } else { [n, 1] };
        let count = self.batch.count();
        let sizes = arguments![left, right, offsets, strides[0], strides[1], count, m, k, n];
        let steps = arguments![left_by[0], left_by[1], right_by[0], right_by[1]];
        let arguments = [&sizes[..], &steps].concat();
        let (function, geometry) = match self.has_few_rows(kind) {
            true => (format!("matmul_few_rows<{}>", kind.c_type()), geometry::elements((count * n * 32) as u64)),
            false => {
                let index = geometry::index_type([m * k, k * n, m, n]);
                let tiles = geometry::products([m as u64, n as u64], count as u64);
                (format!("matmul<{}, {index}>", kind.c_type()), tiles)
            }
        };
        Ok(AccumKernel { file: FILE, function, geometry, arguments })
    }
    /// Returns cuBLASLt's call, if there is one.
    pub fn call(&self, b: &Builder, float: Float, to: Float, has_bias: bool) -> Option<Arc<dyn LibraryCall>> {
        let Batch::Strided { count, strides } = self.batch else { return None };
        let Matrices { m, k, n, left_transposed, right_transposed, .. } = *self;
        // Batch strides must keep the alignment of pointers.
        let is_aligned = |step: i64| (step * float.dtype().size() as i64) % i64::from(LIBRARY_ALIGNMENT) == 0;
        let is_aligned_batch =
            count == 1 || (strides.iter().all(|step| is_aligned(*step)) && is_aligned((m * n) as i64));
        if [m, k, n, count].contains(&0) || self.has_few_rows(AccumType::Float(float)) || !is_aligned_batch {
            return None;
        }
        let product =
            cublaslt::MatmulShape { m, k, n, left_transposed, right_transposed, count, strides, float, to, has_bias };
        let declined = |e| b.note(format!("cuBLASLt declines {product}, which a built-in kernel computes: {e}"));
        let call = b.libraries().blas()?.plan(product).map_err(declined).ok()?;
        Some(Arc::new(call))
    }
}

/// Adds the launch that computes float32 products into `out`.
pub(super) fn products(b: &mut Builder, p: &Matrices, factors: [Slot; 2], out: Slot) -> Result<()> {
    if let Some(call) = p.call(b, Float::Single, Float::Single, false) {
        return b.call(call, [&factors[..], &[out]].concat());
    }
    let kernel = p.kernel(b, factors, AccumType::Float(Float::Single))?;
    b.accumulate(kernel, out)
}

/// Returns an operand's stored integers minus their zero points, or its real values. `zeros` broadcasts to the operand.
pub(super) fn factors(b: &mut Builder, operand: &Operand, zeros: Input, kind: AccumType) -> Result<Slot> {
    let dtype = match kind {
        AccumType::Float(float) => return b.floats(operand, float),
        AccumType::Narrow => Dtype::Int32,
        AccumType::Wide => Dtype::Int64,
    };
    let ty = ValueType { dtype, quantization: None, ..operand.ty.clone() };
    let to = b.temporary(ty.bytes());
    let formula = Formula::whole(vec![Input::of(operand), zeros], "saturating_sub(x, y)");
    b.chain(Chain::new(vec![formula], to, ty))?;
    Ok(to)
}

pub(super) fn matmul(op: &MatMul<Operand>, b: &mut Builder) -> Result<()> {
    let (left, right) = (&op.input, &op.right);
    let p = Product::new(&left.ty.shape, &right.ty.shape, op.left_transpose, op.right_transpose)?;
    let kind = AccumType::of(&left.ty, &right.ty);
    let zero = |o: &Operand| Input::of_axis(&semantics::zero_points(&o.ty)[..1], &[], 0);
    let (x, y) = (factors(b, left, zero(left), kind)?, factors(b, right, zero(right), kind)?);
    let offsets = p.pairs().map(|(i, j)| [(i * p.m * p.k) as i64, (j * p.k * p.n) as i64]);
    // All rows of the left tensor share one right matrix: a single tall product.
    let is_tall = p.right_batch.iter().all(|&d| d == 1) && !op.left_transpose;
    let Product { m, k, n, .. } = p;
    let (left_transposed, right_transposed) = (op.left_transpose, op.right_transpose);
    let (matrices, factors) = match op.output_transpose {
        false if is_tall => {
            let m = p.batch.iter().product::<usize>() * m;
            (Matrices { m, k, n, left_transposed, right_transposed, batch: Batch::ONE }, [x, y])
        }
        false => (Matrices { m, k, n, left_transposed, right_transposed, batch: Batch::of(offsets.collect()) }, [x, y]),
        // The product of the transposed matrices in reverse order.
        true => {
            let batch = Batch::of(offsets.map(|[left, right]| [right, left]).collect());
            let (left_transposed, right_transposed) = (!right_transposed, !left_transposed);
            (Matrices { m: n, k, n: m, left_transposed, right_transposed, batch }, [y, x])
        }
    };
    let sums = sums(op, &p, kind, b)?;
    let call = |b: &Builder, float, to, has_bias| matrices.call(b, float, to, has_bias);
    sums.emit(b, factors, call, |b| matrices.kernel(b, factors, kind))
}

/// Returns the real value of 1 in sums of this shape: one for all, or one per column, before any transposition.
fn scale_of_sums(op: &MatMul<Operand>, shape: &[usize]) -> Input {
    let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| q.values().0);
    let (of_left, of_right) = (scales(&op.input)[0], scales(&op.right));
    let axis = match of_right.len() {
        1 => NO_AXIS,
        _ if op.output_transpose => -2,
        _ => -1,
    };
    // The rows of several products may have been merged into one axis.
    let longest = shape.iter().copied().max().unwrap_or(1);
    let all = of_right.iter().map(|scale| of_left * scale).cycle().take(longest);
    Input::of_axis(&all.collect::<Vec<_>>(), shape, axis)
}

/// Post-processes the products. A bias of n elements and a list of scales apply to columns, before any transposition; a bias of
/// another shape applies to the result.
fn sums(op: &MatMul<Operand>, p: &Product, kind: AccumType, b: &Builder) -> Result<Accumulation> {
    let result = b.result_type(0)?;
    let bias_by_column = op.bias.as_ref().is_some_and(|bias| bias.ty.elements() == p.n);
    let shape = match op.output_transpose && !op.keep_dims && bias_by_column {
        // The rows of several products may have been merged into one axis.
        true => vec![result.elements() / (p.m * p.n), p.n, p.m],
        false => result.shape.clone(),
    };
    let bias_shape = match &op.bias {
        Some(_) if bias_by_column && op.output_transpose => vec![p.n, 1],
        Some(_) if bias_by_column => vec![p.n],
        Some(bias) => bias.ty.shape.clone(),
        None => Vec::new(),
    };
    let columns = if op.output_transpose { p.m } else { p.n };
    let scale = result.quantization.as_ref().map(|_| scale_of_sums(op, &shape));
    let post_op = PostOp::relu(op.do_relu, op.relu_limit);
    Ok(Accumulation { kind, shape, columns, bias: op.bias.clone(), bias_shape, scale, post_op })
}

/// Computes the product with a matrix of packed integers, which is unpacked to floats first.
pub(super) fn a16_matmul(op: &A16MatMul<Operand>, b: &mut Builder) -> Result<()> {
    let (width, group) = (op.weight_bits as usize, op.q_group_size as usize);
    let [rows, stored] = *op.weight.ty.shape.as_slice() else { return Ok(()) };
    let per_byte = 8 / width;
    let columns = if op.right_transpose { stored * per_byte } else { stored };
    let n = rows * stored * per_byte;
    let (bytes, zeros, scales) = (Slot::of(&op.weight)?, Slot::of(&op.zp)?, b.reals(&op.scale)?);
    let weight = b.temporary_reals(n);
    let arguments = arguments![bytes, zeros, scales, weight, n, columns, stored, group, width, op.right_transpose];
    b.launch(FILE, "dequantize", geometry::elements(n as u64), arguments)?;
    product_with(b, &op.input, weight, op.right_transpose, op.bias.as_ref())
}

/// Computes the product with a block-scaled matrix.
pub(super) fn fp8_matmul(op: &Fp8MatMul<Operand>, b: &mut Builder) -> Result<()> {
    let (n, columns, block) = (op.weight.ty.elements(), op.weight.ty.shape[1], op.block_size as usize);
    let (values, scales, weight) = (b.reals(&op.weight)?, b.reals(&op.weight_scale)?, b.temporary_reals(n));
    let arguments = arguments![values, scales, weight, n, columns, block, columns.div_ceil(block)];
    b.launch(FILE, "scale_blocks", geometry::elements(n as u64), arguments)?;
    product_with(b, &op.input, weight, op.weight_transpose, op.bias.as_ref())
}

/// Computes the product of an operand's rows and a matrix, plus bias.
fn product_with(
    b: &mut Builder,
    input: &Operand,
    weight: Slot,
    transposed: bool,
    bias: Option<&Operand>,
) -> Result<()> {
    let shape = b.result_type(0)?.shape.clone();
    let (k, n) = (input.ty.shape.last().copied().unwrap_or(1), shape.last().copied().unwrap_or(1));
    let m = input.ty.elements() / k;
    let (factors, kind) = ([b.reals(input)?, weight], AccumType::Float(Float::Single));
    let p = Matrices { m, k, n, left_transposed: false, right_transposed: transposed, batch: Batch::ONE };
    let bias_shape = bias.map_or(Vec::new(), |o| o.ty.shape.clone());
    let (bias, post_op) = (bias.cloned(), PostOp::default());
    let sums = Accumulation { kind, shape, columns: n, bias, bias_shape, scale: None, post_op };
    sums.emit(b, factors, |b, float, to, has_bias| p.call(b, float, to, has_bias), |b| p.kernel(b, factors, kind))
}
