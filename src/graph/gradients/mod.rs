//! Gradients: adds the operators that differentiate a network, in reverse order (backpropagation).
//!
//! `rules` has one rule per op; each rule adds operators to the graph. Compound ops are written out as simpler operators, which are
//! then differentiated; the written-out operators that no gradient needs are removed again.
mod activation;
mod arithmetic;
mod attention;
mod backward;
mod build;
mod control_flow;
mod conv;
mod expansion;
mod gather;
mod image;
mod layout;
mod math;
mod matmul;
mod norm;
mod packed;
mod pool;
mod recurrent;
mod reduce;
mod resize;
mod roi;
mod rules;
mod sample;
mod scan;
mod select;
#[cfg(test)]
mod tests;
mod train;

use super::{Graph, Operator, Tensor};
use crate::base::{Result, argument};
use backward::Backward;

pub use rules::{GradientSupport, gradient_support};

/// The derivative of one operator, as a rule of [`Graph::gradients_with`] chooses it.
#[derive(Debug, Clone, PartialEq)]
pub enum Derivative {
    /// The one that tpulang knows.
    Default,
    /// Zero: nothing before the operator gets a gradient through it.
    Stop,
    /// That of the same computation on real numbers: rounding and conversions pass the gradient through unchanged, and integers
    /// stand for the numbers that they represent.
    StraightThrough,
    /// These gradients of the operands, in the op's order, without absent operands; `None` is zero. Each has the shape of its operand
    /// or one that it was broadcast to.
    Operands(Vec<Option<Tensor>>),
}

impl Graph {
    /// Adds the operators that compute the gradients of the sum of all elements of `of` with respect to each of
    /// `with_respect_to`. A gradient has the shape of its tensor and, for floats, its dtype; it is named after it, with the suffix
    /// `_grad`.
    ///
    /// `with_respect_to` may name inputs, coefficients and computed tensors, but not those of the block of an operator. Gradients can
    /// be differentiated again. Integers and comparisons stop a gradient; with [`Graph::gradients_with`] it can pass through them. A
    /// branch of an `If` is recomputed to differentiate it, and a loop of known trip count is unrolled. At a kink, such as 0 for
    /// `relu`, the gradient is PyTorch's. docs/gradients.md lists the ops.
    ///
    /// # Errors
    /// Returns an error if one of `of` or `with_respect_to` is not a float, or if an op on the way between them has no gradient. The
    /// error names that op and the path to it. The graph is then unchanged. A tensor that `of` does not depend on gets zeros, and a
    /// warning.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec, ops};
    /// // The gradient of the sum of x^2.
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [3])?;
    /// let square = g.mul(x, x).call()?;
    /// let loss = g.reduce(square).method(ops::ReduceMode::ReduceSum).axes(0).call()?;
    /// let gradients = g.gradients(&[loss], &[x])?;
    /// g.set_outputs(&gradients)?;
    /// let feeds = [("x", Array::from([1f32, -2.0, 3.0]))];
    /// let results = exec::run(&g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default())?;
    /// assert_eq!(results.tensors["x_grad"].to_f32()?, [2.0, -4.0, 6.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn gradients(&mut self, of: &[Tensor], with_respect_to: &[Tensor]) -> Result<Vec<Tensor>> {
        self.check_floats("with_respect_to", with_respect_to, "only floats have a gradient")?;
        self.gradients_with(of, with_respect_to, |_, _, _| Ok(Derivative::Default))
    }

    /// Like [`Graph::gradients`], with derivatives chosen by `rule`. It gets each operator and the gradients of its results (`None` is
    /// zero), and may add operators. The inner operators of an operator that is written out as simpler ones are not shown to it.
    ///
    /// # Errors
    /// Same as for [`Graph::gradients`], and those of `rule`; also if a gradient of [`Derivative::Operands`] does not fit its operand.
    /// `with_respect_to` may contain integers: their gradients are float32, and zero unless a rule passes them through.
    ///
    /// Quantization-aware training, where gradients pass straight through rounding:
    ///
    /// ```
    /// use tpulang::{Array, Derivative, Dtype, Graph, Quantization, exec};
    /// let mut g = Graph::new("net")?;
    /// let w = g.input("w", Dtype::Float32, [3])?;
    /// let stored = g.cast(w).out_dtype(Dtype::Int8).call()?;
    /// g.quantize(stored, &Quantization::per_tensor(0.25, 0))?;
    /// let w_rounded = g.cast(stored).out_dtype(Dtype::Float32).call()?;
    /// let square = g.mul(w_rounded, w_rounded).call()?;
    /// let gradients = g.gradients_with(&[square], &[w], |_, _, _| Ok(Derivative::StraightThrough))?;
    /// g.set_outputs(&gradients)?;
    /// let feeds = [("w", Array::from([0.3f32, -0.6, 1.0]))];
    /// let results = exec::run(&g, &feeds, &exec::CpuBackend::new(), &exec::RunOptions::default())?;
    /// // Twice the rounded weights.
    /// assert_eq!(results.tensors[0].to_f32()?, [0.5, -1.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn gradients_with(
        &mut self,
        of: &[Tensor],
        with_respect_to: &[Tensor],
        mut rule: impl FnMut(&mut Graph, &Operator, &[Option<Tensor>]) -> Result<Derivative>,
    ) -> Result<Vec<Tensor>> {
        if of.is_empty() {
            return Err(argument("of", "empty", "expected at least one tensor to differentiate"));
        }
        self.check_floats("of", of, "only floats have a gradient; cast it to float32")?;
        of.iter().chain(with_respect_to).try_for_each(|t| self.check_visible(*t))?;
        self.atomic(|g| {
            let operators = g.visible_operators();
            let first = g.operators_made();
            let mut backward = Backward::new(g, with_respect_to, &mut rule);
            backward.activate(&operators);
            for &t in of {
                backward.seed(t)?;
            }
            backward.propagate(&operators)?;
            let gradients = backward.finish(with_respect_to)?;
            g.remove_unused_since(first, &gradients);
            Ok(gradients)
        })
    }
}

impl Graph {
    /// Returns the operators of the body and of the blocks under construction, in order of execution.
    fn visible_operators(&self) -> Vec<Operator> {
        std::iter::once(&self.body).chain(&self.open).flat_map(|block| block.operators.iter().cloned()).collect()
    }
    fn check_floats(&self, name: &str, tensors: &[Tensor], expected: &str) -> Result<()> {
        for &t in tensors {
            let info = self.tensor(t)?;
            if !info.dtype.is_float() {
                let found = format!("{:?}, {}", info.name, info.type_text());
                return Err(argument(name, found, expected));
            }
        }
        Ok(())
    }
    /// Names a gradient after its tensor.
    fn name_gradient(&mut self, gradient: Tensor, of: Tensor) -> Result<()> {
        let name = format!("{}_grad", self.tensor(of)?.name);
        self.in_root_scope(|g| {
            let name = if g.by_name.contains_key(&name) { g.free_name(&name) } else { name };
            g.rename(gradient, &name)
        })
    }
}
