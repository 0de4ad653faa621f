//! Steps of optimizers, `ai.onnx.preview.training`. The operands are a learning rate, the number of the step, and for each tensor
//! that is trained itself, its gradient and its state; the formulas are those of ONNX's reference.
use super::Convert;
use crate::{
    Tensor,
    base::{Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{CompareMode, Pow2, Sqrt},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[("Adagrad", adagrad), ("Adam", adam), ("Momentum", momentum)];

/// Learning rate and number of the step, and the tensors of each kind: trained ones, gradients, states.
struct Step {
    rate: Tensor,
    number: Tensor,
    groups: Vec<Vec<Tensor>>,
}

impl Step {
    fn new(b: &mut Importer, n: &Node, groups: usize) -> Result<Step> {
        let each = n.inputs.len().saturating_sub(2) / groups;
        if n.inputs.len() != 2 + each * groups || each == 0 {
            return Err(argument(
                "the number of operands",
                n.inputs.len(),
                format!("expected 2 and multiples of {groups}"),
            ));
        }
        let all = n.all_inputs()?.into_iter().map(|x| b.float_tensor(x)).collect::<Result<Vec<_>>>()?;
        let groups = all[2..].chunks(each).map(<[Tensor]>::to_vec).collect();
        Ok(Step { rate: all[0], number: all[1], groups })
    }
}

/// Returns results as values like the operands from the third on, which they replace: not the gradients.
fn results(b: &Importer, n: &Node, groups: &[Vec<Tensor>]) -> Result<Vec<Value>> {
    let each = groups.first().map_or(0, Vec::len);
    let replaced = (0..each).chain(2 * each..).map(|i| n.input(2 + i));
    groups.iter().flatten().zip(replaced).map(|(made, like)| b.value_like(*made, like?)).collect()
}

/// The gradient with that of `norm_coefficient / 2 * |x|^2`.
fn regularized(b: &mut Importer, n: &Node, x: Tensor, gradient: Tensor) -> Result<Tensor> {
    let decay = b.mul_const(x, n.float_or("norm_coefficient", 0.0))?;
    b.add(decay, gradient)
}

/// `x - rate * direction`
fn moved(b: &mut Importer, x: Tensor, rate: Tensor, direction: Tensor) -> Result<Tensor> {
    let step = b.mul(direction, rate)?;
    b.sub(x, step)
}

fn adagrad<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let Step { rate, number, groups } = Step::new(b, n, 3)?;
    let slowed = b.mul_const(number, n.float_or("decay_factor", 0.0))?;
    let slowed = b.add_const(slowed, 1.0)?;
    let rate = b.div(rate, slowed)?;
    let mut made = vec![Vec::new(), Vec::new()];
    for ((&x, &gradient), &sum) in groups[0].iter().zip(&groups[1]).zip(&groups[2]) {
        let gradient = regularized(b, n, x, gradient)?;
        let squared = b.square(gradient)?;
        let sum = b.add(sum, squared)?;
        let root = b.op(Sqrt::new(sum))?;
        let root = b.add_const(root, n.float_or("epsilon", 1e-6))?;
        let direction = b.div(gradient, root)?;
        made[0].push(moved(b, x, rate, direction)?);
        made[1].push(sum);
    }
    results(b, n, &made)
}

fn adam<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let Step { rate, number, groups } = Step::new(b, n, 4)?;
    let (alpha, beta) = (n.float_or("alpha", 0.9), n.float_or("beta", 0.999));
    let has_begun = b.compare_const(number, CompareMode::Greater, 0.0)?;
    let left = |b: &mut Importer, base: f64| {
        let power = b.op(Pow2::new(number, base))?;
        b.const_sub(1.0, power)
    };
    let (of_squares, of_gradients) = (left(b, beta)?, left(b, alpha)?);
    let root = b.op(Sqrt::new(of_squares))?;
    let scaled = b.mul(rate, root)?;
    let adjusted = b.div(scaled, of_gradients)?;
    let rate = b.select(has_begun, adjusted, rate)?;
    let mut made = vec![Vec::new(), Vec::new(), Vec::new()];
    let [all, gradients, means, squares] = groups.as_slice() else { return Err(invalid("it has four groups")) };
    for (((&x, &gradient), &mean), &square) in all.iter().zip(gradients).zip(means).zip(squares) {
        let gradient = regularized(b, n, x, gradient)?;
        let mean = averaged(b, mean, gradient, alpha)?;
        let squared = b.square(gradient)?;
        let square = averaged(b, square, squared, beta)?;
        let root = b.op(Sqrt::new(square))?;
        let root = b.add_const(root, n.float_or("epsilon", 1e-6))?;
        let direction = b.div(mean, root)?;
        let x = moved(b, x, rate, direction)?;
        made[0].push(b.mul_const(x, 1.0 - n.float_or("norm_coefficient_post", 0.0))?);
        made[1].push(mean);
        made[2].push(square);
    }
    results(b, n, &made)
}

/// `weight * old + (1 - weight) * new`
fn averaged(b: &mut Importer, old: Tensor, new: Tensor, weight: f64) -> Result<Tensor> {
    let old = b.mul_const(old, weight)?;
    let new = b.mul_const(new, 1.0 - weight)?;
    b.add(old, new)
}

fn momentum<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let Step { rate, number, groups } = Step::new(b, n, 3)?;
    let is_nesterov = n.word("mode", "standard", &[("standard", false), ("nesterov", true)])?;
    let (alpha, beta) = (n.float_or("alpha", 0.0), n.float_or("beta", 1.0));
    // The first step takes the whole gradient.
    let has_begun = b.compare_const(number, CompareMode::Greater, 0.0)?;
    let change = b.mul_const(has_begun, beta - 1.0)?;
    let beta = b.add_const(change, 1.0)?;
    let mut made = vec![Vec::new(), Vec::new()];
    for ((&x, &gradient), &velocity) in groups[0].iter().zip(&groups[1]).zip(&groups[2]) {
        let gradient = regularized(b, n, x, gradient)?;
        let (old, new) = (b.mul_const(velocity, alpha)?, b.mul(gradient, beta)?);
        let velocity = b.add(old, new)?;
        let ahead = b.mul_const(velocity, alpha)?;
        let direction = if is_nesterov { b.add(gradient, ahead)? } else { velocity };
        made[0].push(moved(b, x, rate, direction)?);
        made[1].push(velocity);
    }
    results(b, n, &made)
}
