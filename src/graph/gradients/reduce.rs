//! Gradients of reductions and cumulative sums.
use super::{
    backward::{Backward, Output},
    math::by_slope,
};
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    ops::{CompareMode, CumSum, Reduce, ReduceMode, Sign, Variance, reduced_axes},
};

pub(super) fn reduce(b: &mut Backward, op: &Reduce<Tensor>, o: Output) -> Result<()> {
    let input = b.shape(op.input)?;
    let axes = reduced_axes(&op.axes, input.len())?;
    let count: usize = axes.iter().map(|&a| input[a]).product();
    let mut kept = input.clone();
    axes.iter().for_each(|&a| kept[a] = 1);
    let dy = b.reshape(o.dy, &kept)?;
    let y = b.real(o.y)?;
    let o = Output { y: b.reshape(y, &kept)?, dy };
    match op.mode {
        ReduceMode::ReduceSum => {
            let dx = b.expand_to(o.dy, &input)?;
            b.give(op.input, dx)
        }
        ReduceMode::ReduceMean => {
            let dx = b.mul_const(o.dy, 1.0 / count as f64)?;
            let dx = b.expand_to(dx, &input)?;
            b.give(op.input, dx)
        }
        ReduceMode::ReduceMax | ReduceMode::ReduceMin => extremum(b, op.input, &axes, o),
        ReduceMode::ReduceL1 => by_slope(b, op.input, o, |b, x, _| b.op(Sign::new(x))),
        ReduceMode::ReduceL2 => l2(b, op.input, o),
        ReduceMode::ReduceProd => product(b, op.input, &axes, o),
    }
}

/// The gradient goes to the chosen elements, in equal parts.
fn extremum(b: &mut Backward, x: Tensor, axes: &[usize], o: Output) -> Result<()> {
    let x_real = b.real(x)?;
    let chosen = b.compare(x_real, CompareMode::Equal, o.y)?;
    let count = b.sum(chosen, axes)?;
    let part = b.div(o.dy, count)?;
    let dx = b.mul(chosen, part)?;
    b.give(x, dx)
}

/// `x / y`, and 0 where the norm is 0.
fn l2(b: &mut Backward, x: Tensor, o: Output) -> Result<()> {
    let part = b.div(o.dy, o.y)?;
    let part = b.where_const(o.y, CompareMode::NotEqual, 0.0, part)?;
    let x_real = b.real(x)?;
    let dx = b.mul(part, x_real)?;
    b.give(x, dx)
}

/// Factors of products.
pub(super) struct NonZero {
    /// 1 where a factor is 0.
    pub is_zero: Tensor,
    /// The factors, 1 in place of 0.
    pub factor: Tensor,
}

impl NonZero {
    pub fn new(b: &mut Backward, x: Tensor) -> Result<NonZero> {
        let x = b.real(x)?;
        let is_zero = b.compare_const(x, CompareMode::Equal, 0.0)?;
        let one = b.filled(1.0, b.dtype(x)?, &vec![1; b.rank(x)?])?;
        Ok(NonZero { is_zero, factor: b.select(is_zero, one, x)? })
    }
    /// For each factor the product of the others, from the product of those that are not 0 and the number of zeros.
    /// Beside one zero only that factor has a derivative, beside several none.
    pub fn others(&self, b: &mut Backward, product: Tensor, zeros: Tensor) -> Result<Tensor> {
        let quotient = b.div(product, self.factor)?;
        let is_only_zero = b.compare_const(zeros, CompareMode::Equal, 1.0)?;
        let has_no_zero = b.compare_const(zeros, CompareMode::Equal, 0.0)?;
        let counts = b.select(self.is_zero, is_only_zero, has_no_zero)?;
        b.mul(quotient, counts)
    }
}

fn product(b: &mut Backward, x: Tensor, axes: &[usize], o: Output) -> Result<()> {
    let factors = NonZero::new(b, x)?;
    let zeros = b.sum(factors.is_zero, axes)?;
    let product = b.reduce(factors.factor, axes, ReduceMode::ReduceProd)?;
    let slope = factors.others(b, product, zeros)?;
    let dx = b.mul(o.dy, slope)?;
    b.give(x, dx)
}

pub(super) fn variance(b: &mut Backward, op: &Variance<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let axes = reduced_axes(&op.reduce_list, shape.len())?;
    let count: usize = axes.iter().map(|&a| shape[a]).product();
    let result = b.shape(o.y)?;
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let mean = b.mean(x, &axes)?;
        let centered = b.sub(x, mean)?;
        let square = b.square(centered)?;
        let sum = b.sum(square, &axes)?;
        let variance = b.mul_const(sum, 1.0 / (count as f64 - op.correction))?;
        Ok(vec![b.reshape(variance, &result)?])
    })
}

/// Sums from the other end.
pub(super) fn cum_sum(b: &mut Backward, op: &CumSum<Tensor>, o: Output) -> Result<()> {
    let rank = b.rank(op.input)? as i64;
    let axis = if op.axis < 0 { op.axis + rank } else { op.axis };
    let reversed = b.reverse(o.dy, axis as usize)?;
    let summed = b.op(CumSum::new(reversed, axis))?;
    let dx = b.reverse(summed, axis as usize)?;
    b.give(op.input, dx)
}
