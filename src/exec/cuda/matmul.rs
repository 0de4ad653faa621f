use super::{
    builder::{Builder, arguments, as_real},
    chain::Chain,
    formula::{Finish, Formula, Input},
    geometry,
    program::Slot,
    source::{File, file},
};
use crate::{
    base::{Dtype, Result},
    exec::{
        Operand, ValueType,
        meaning::{self, Factors},
        views::View,
    },
    ops::{A16MatMul, Fp8MatMul, MatMul, Product},
};

const FILE: File = file!("matmul.cu");

/// Rows up to which each column is summed by a warp.
const FEW: usize = 4;

/// Matrices that are multiplied, each left one with each right one that `places` names.
pub(super) struct Matrices {
    pub m: usize,
    pub k: usize,
    pub n: usize,
    /// Stored as m x k and k x n, or transposed.
    pub left_transposed: bool,
    pub right_transposed: bool,
    /// Where the left and the right matrix of each product begin.
    pub places: Vec<[i64; 2]>,
}

/// Launches products of factors of these kinds into `out`, which has m x n sums for each.
pub(super) fn products(
    b: &mut Builder,
    p: &Matrices,
    [left, right]: [Slot; 2],
    out: Slot,
    kind: Factors,
) -> Result<()> {
    let places = b.constant(p.places.as_flattened())?;
    let left_by = if p.left_transposed { [1, p.m] } else { [p.k, 1] };
    let right_by = if p.right_transposed { [1, p.k] } else { [p.n, 1] };
    let matrices = p.places.len();
    let arguments =
        arguments![left, right, out, places, matrices, p.m, p.k, p.n, left_by[0], left_by[1], right_by[0], right_by[1]];
    if kind == Factors::Real && p.m <= FEW && p.right_transposed {
        return b.launch(FILE, "few_rows", geometry::elements((matrices * p.n * 32) as u64), arguments);
    }
    let geometry = geometry::tiles([p.m as u64, p.n as u64], matrices as u64, [64, 64], 256);
    b.launch(FILE, format!("product<{}>", c_type(kind)), geometry, arguments)
}

/// The type of factors in CUDA C.
pub(super) fn c_type(kind: Factors) -> &'static str {
    match kind {
        Factors::Real => "float",
        Factors::Narrow => "int",
        Factors::Wide => "i64",
    }
}

/// Stored integers less their zero points, or real numbers, as factors. `zeros` is broadcast to the operand.
pub(super) fn factors(b: &mut Builder, operand: &Operand, zeros: Input, kind: Factors) -> Result<Slot> {
    let dtype = match kind {
        Factors::Real => return b.reals(operand),
        Factors::Narrow => Dtype::Int32,
        Factors::Wide => Dtype::Int64,
    };
    let ty = ValueType { dtype, quantization: None, ..operand.ty.clone() };
    let to = b.temporary(ty.bytes());
    let formula = Formula::whole(vec![Input::of(operand), zeros], "minus(x, y)");
    b.chain(Chain::new(vec![formula], to, ty))?;
    Ok(to)
}

pub(super) fn matmul(op: &MatMul<Operand>, b: &mut Builder) -> Result<()> {
    let (left, right) = (&op.input, &op.right);
    let p = Product::new(&left.ty.shape, &right.ty.shape, op.left_transpose, op.right_transpose)?;
    let kind = meaning::factors(&left.ty, &right.ty);
    let zero = |o: &Operand| Input::of_axis(&meaning::zero_points(&o.ty)[..1], &[], 0);
    let (x, y) = (factors(b, left, zero(left), kind)?, factors(b, right, zero(right), kind)?);
    // One right matrix for all rows of the left tensor: a single tall product.
    let is_tall = p.right_batch.iter().all(|&d| d == 1) && !op.left_transpose;
    let batch = p.batch.iter().product::<usize>();
    let rows = if is_tall { batch * p.m } else { p.m };
    let pairs = p.pairs().map(|(i, j)| [(i * p.m * p.k) as i64, (j * p.k * p.n) as i64]);
    let matrices = Matrices {
        m: rows,
        k: p.k,
        n: p.n,
        left_transposed: op.left_transpose,
        right_transposed: op.right_transpose,
        places: if is_tall { vec![[0, 0]] } else { pairs.collect() },
    };
    let (sums, ty) = sums_of_result(b, kind, op.output_transpose)?;
    products(b, &matrices, [x, y], sums, kind)?;
    if sums == b.result(0) && op.bias.is_none() && !op.do_relu {
        return Ok(());
    }
    complete(op, &p, (sums, ty), kind, b)
}

/// Where sums go, and their type: a result of real numbers takes them itself, if they are made in its order.
pub(super) fn sums_of_result(b: &mut Builder, kind: Factors, is_turned: bool) -> Result<(Slot, ValueType)> {
    let result = b.result_type(0)?;
    let dtype = if kind == Factors::Real { Dtype::Float32 } else { Dtype::Int64 };
    let ty = ValueType { dtype, quantization: None, ..result.clone() };
    let is_direct = kind == Factors::Real && result.buffer_dtype() == Dtype::Float32 && !is_turned;
    Ok((if is_direct { b.result(0) } else { b.temporary(ty.bytes()) }, ty))
}

/// Transposes the sums where asked for, adds the bias, and stores them. A bias of n elements belongs to the columns, before any
/// transposition; one of another shape to the result.
fn complete(
    op: &MatMul<Operand>,
    p: &Product,
    (sums, sums_type): (Slot, ValueType),
    kind: Factors,
    b: &mut Builder,
) -> Result<()> {
    let (result, batch) = (b.result_type(0)?.clone(), p.batch.iter().product::<usize>());
    let of_columns = op.bias.as_ref().is_some_and(|bias| bias.ty.elements() == p.n);
    let mut bias = op.bias.as_ref().map(|o| addend(o, kind));
    let mut sums = Input::slot(sums, sums_type.clone());
    if op.output_transpose {
        let mut inputs = vec![sums.viewed(View::in_order(&[batch, p.m, p.n], &[0, 2, 1]))];
        let counts = vec![batch, p.n, p.m];
        if of_columns {
            let view = View { start: 0, by: vec![0, 1, 0], counts: counts.clone() };
            inputs.extend(bias.take().map(|bias| bias.viewed(view)));
        }
        let turned = b.temporary(sums_type.bytes());
        let sum = Formula::arithmetic(inputs.clone(), added(&inputs, Factors::Real), added(&inputs, Factors::Wide));
        b.chain(Chain::new(vec![sum], turned, sums_type.clone()).over(&counts))?;
        sums = Input::slot(turned, sums_type);
    }
    let mut shape = result.shape.clone();
    let mut inputs = vec![sums];
    if let Some(bias) = bias {
        if of_columns {
            shape = vec![result.elements() / p.n.max(1), p.n];
            inputs = vec![inputs.swap_remove(0).shaped(shape.clone()), bias.shaped(vec![p.n])];
        } else {
            inputs.push(bias);
        }
    }
    let scale_of = |o: &Operand| o.ty.quantization.as_ref().map_or(1.0, |q| q.values().0[0]);
    let scale = scale_of(&op.input) * scale_of(&op.right);
    let scale = result.quantization.as_ref().map(|_| Input::of_axis(&[scale], &[], 0));
    store_sums(b, inputs, scale, kind, Finish::relu(op.do_relu, op.relu_limit), &shape)
}

/// A bias, as it is added to sums.
pub(super) fn addend(bias: &Operand, kind: Factors) -> Input {
    if kind == Factors::Real { Input::of(bias).in_reals() } else { Input::of(bias).in_integers() }
}

/// Sums `x`, and with a second input the bias `y`.
fn added(inputs: &[Input], kind: Factors) -> &'static str {
    match (inputs.len() > 1, kind) {
        (false, _) => "x",
        (true, Factors::Real) => "x + y",
        (true, _) => "plus(x, y)",
    }
}

/// Stores sums (and a bias) over `shape` as the first result: real numbers as they are, integers saturated, or times a scale.
pub(super) fn store_sums(
    b: &mut Builder,
    mut inputs: Vec<Input>,
    scale: Option<Input>,
    kind: Factors,
    finish: Finish,
    shape: &[usize],
) -> Result<()> {
    let result = b.result_type(0)?.clone();
    let sum = added(&inputs, kind);
    let formula = match (kind, scale) {
        (Factors::Real, _) => Formula::real(inputs, sum),
        (_, None) => Formula::whole(inputs, sum),
        (_, Some(scale)) => {
            let name = super::formula::name(inputs.len());
            inputs = inputs.into_iter().map(Input::in_integers).chain([scale]).collect();
            Formula::real(inputs, format!("(float)((double){sum} * {name})"))
        }
    };
    let formulas = [vec![formula.finish(finish)], b.tails()?].concat();
    b.chain(Chain::new(formulas, b.result(0), result).over(shape))
}

/// The product with a matrix of packed integers, which is made of real numbers first.
pub(super) fn a16_matmul(op: &A16MatMul<Operand>, b: &mut Builder) -> Result<()> {
    let (width, group) = (op.weight_bits as usize, op.q_group_size as usize);
    let [rows, stored] = *op.weight.ty.shape.as_slice() else { return Ok(()) };
    let per_byte = 8 / width.max(1);
    let columns = if op.right_transpose { stored * per_byte } else { stored };
    let n = rows * stored * per_byte;
    let (bytes, zeros, scales) = (b.stored(&op.weight)?, b.stored(&op.zp)?, b.reals(&op.scale)?);
    let weight = b.temporary_reals(n);
    let arguments = arguments![bytes, zeros, scales, weight, n, columns, stored, group, width, op.right_transpose];
    b.launch(FILE, "unpacked", geometry::elements(n as u64), arguments)?;
    weighed(b, &op.input, weight, op.right_transpose, op.bias.as_ref())
}

/// The product with a matrix whose squares each have a scale.
pub(super) fn fp8_matmul(op: &Fp8MatMul<Operand>, b: &mut Builder) -> Result<()> {
    let (n, columns, block) = (op.weight.ty.elements(), op.weight.ty.shape[1], op.block_size as usize);
    let (values, scales, weight) = (b.reals(&op.weight)?, b.reals(&op.weight_scale)?, b.temporary_reals(n));
    let arguments = arguments![values, scales, weight, n, columns, block, columns.div_ceil(block)];
    b.launch(FILE, "by_squares", geometry::elements(n as u64), arguments)?;
    weighed(b, &op.input, weight, op.weight_transpose, op.bias.as_ref())
}

/// The product of an operand's rows and a matrix, plus bias.
fn weighed(b: &mut Builder, input: &Operand, weight: Slot, transposed: bool, bias: Option<&Operand>) -> Result<()> {
    let result = b.result_type(0)?.clone();
    let (k, n) = (input.ty.shape.last().copied().unwrap_or(1), result.shape.last().copied().unwrap_or(1));
    let m = input.ty.elements() / k.max(1);
    let (left, out) = (b.reals(input)?, b.real_result(0)?);
    let p = Matrices { m, k, n, left_transposed: false, right_transposed: transposed, places: vec![[0, 0]] };
    products(b, &p, [left, weight], out, Factors::Real)?;
    let Some(bias) = bias else { return b.store(0, out, Finish::default()) };
    let inputs = vec![Input::slot(out, as_real(&result)), Input::of(bias).in_reals()];
    let formulas = [vec![Formula::real(inputs, "x + y")], b.tails()?].concat();
    b.chain(Chain::new(formulas, b.result(0), result))
}
