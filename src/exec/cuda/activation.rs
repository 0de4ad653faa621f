//! Activations.
use super::{
    builder::{Builder, arguments},
    formula::{Formula, Input, PostOp, relu_limit},
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{Operand, semantics, views::axis_of},
    ops::{Elu, GELU, GeluApproxMode, HardSigmoid, LeakyRelu, PRelu, Relu, Sigmoid, Softmax, Swish, Tanh},
};

const FILE: File = file!("activation.cu");

/// Functions shared by several expressions.
pub(super) const FUNCTIONS: &str = "
template <class R> __device__ inline R logistic(R x) { return 1 / (1 + exp(-x)); }
template <class R> __device__ inline R softplus(R x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }
template <class R> __device__ inline R clamp_unit(R x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
";

fn function(input: &Operand, expression: &str) -> Formula {
    Formula::function(input, expression).with(FUNCTIONS)
}

pub(super) fn relu(op: &Relu<Operand>) -> Formula {
    function(&op.input, "relu(x, k0)").numbers([relu_limit(op.relu_limit)])
}

pub(super) fn leaky_relu(op: &LeakyRelu<Operand>) -> Formula {
    let formula = Formula::real(vec![Input::of(&op.input)], "x < 0 ? x * k0 : x");
    formula.numbers([op.alpha]).post_op(PostOp::round(op.round_mode))
}

/// One slope per channel, broadcast to the input's shape.
pub(super) fn prelu(op: &PRelu<Operand>) -> Formula {
    let (shape, slope) = (&op.input.ty.shape, Input::of(&op.slope));
    let slope = match op.slope.ty.shape.as_slice() {
        [n] if shape.len() > 1 => slope.shaped([vec![*n], vec![1; shape.len() - 2]].concat()),
        _ => slope,
    };
    Formula::real(vec![Input::of(&op.input), slope], "x < 0 ? x * y : x")
}

pub(super) fn softplus(input: &Operand) -> Formula {
    function(input, "softplus(x)")
}

pub(super) fn softsign(input: &Operand) -> Formula {
    function(input, "x / (1 + fabs(x))")
}

/// The result is rounded to float32, like the compiler's tables.
pub(super) fn mish(input: &Operand) -> Formula {
    function(input, "(float)(x * tanh(softplus(x)))")
}

pub(super) fn hard_swish(input: &Operand) -> Formula {
    function(input, "x * clamp_unit(x / 6 + (R)0.5)")
}

pub(super) fn hard_sigmoid(op: &HardSigmoid<Operand>) -> Formula {
    function(&op.input, "clamp_unit(k0 * x + k1)").numbers([op.alpha, op.beta])
}

pub(super) fn elu(op: &Elu<Operand>) -> Formula {
    function(&op.input, "x > 0 ? x : k0 * expm1(x)").numbers([op.alpha])
}

pub(super) fn tanh(op: &Tanh<Operand>) -> Formula {
    function(&op.input, "tanh(x)").post_op(PostOp::round(op.round_mode))
}

pub(super) fn sigmoid(op: &Sigmoid<Operand>) -> Formula {
    let expression = if op.log { "-softplus(-x)" } else { "k0 * logistic(x) + k1" };
    function(&op.input, expression).numbers([op.scale, op.bias]).post_op(PostOp::round(op.round_mode))
}

pub(super) fn silu(input: &Operand) -> Formula {
    function(input, "x / (1 + exp(-x))")
}

pub(super) fn swish(op: &Swish<Operand>) -> Formula {
    function(&op.input, "x / (1 + exp(-x * k0))").numbers([op.beta]).post_op(PostOp::round(op.round_mode))
}

pub(super) fn gelu(op: &GELU<Operand>) -> Formula {
    let expression = match op.approx_mode {
        GeluApproxMode::Normal => "(R)0.5 * x * (1 + erf(x * (R)0.70710678118654752440))",
        GeluApproxMode::Tanh => "(R)0.5 * x * (1 + tanh((R)0.79788456080286535588 * (x + (R)0.044715 * x * x * x)))",
        GeluApproxMode::Sigm => "x * logistic((R)1.702 * x)",
    };
    function(&op.input, expression).post_op(PostOp::round(op.round_mode))
}

/// Launches one block per row. For quantized 8-bit integers the exponentials come from a table, as in the compiler, and the
/// result is rounded to the nearest integer regardless of the round mode.
pub(super) fn softmax(op: &Softmax<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let axis = axis_of(op.axis, shape.len());
    let (n, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let rows = op.input.ty.elements() / n;
    let result = b.result_type(0)?;
    if let Some((table, to, offset)) = semantics::softmax_table(op, result) {
        let table = b.constant(&table)?;
        let types = [&op.input.ty, result].map(|ty| super::formula::c_type(ty.dtype)).join(", ");
        let arguments = arguments![Slot::of(&op.input)?, b.result(0), table, rows, n, inner, to, offset];
        return b.launch(FILE, format!("softmax_quantized<{types}>"), geometry::elements(rows as u64), arguments);
    }
    let float = b.float(&op.input)?;
    let (x, y, beta) = (b.floats(&op.input, float)?, b.float_result(0, float)?, op.beta as f32);
    if inner == 1 {
        let (function, geometry) = (format!("softmax<{}>", float.c_type()), geometry::kept_rows(rows as u64, n as u64));
        b.launch(FILE, function, geometry, arguments![x, y, rows, n, beta, op.log])?;
    } else {
        let (function, geometry) = (format!("softmax_strided<{}>", float.c_type()), geometry::elements(rows as u64));
        b.launch(FILE, function, geometry, arguments![x, y, rows, n, inner, beta, op.log])?;
    }
    b.store_floats(0, y, float, PostOp::round(op.round_mode))
}
