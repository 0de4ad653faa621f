//! Variables: coefficients that a session replaces after each run.
use super::{Graph, Tensor, TensorInfo, TensorKind};
use crate::base::{Result, argument, misfit};

impl Graph {
    /// Makes a coefficient a variable: each run of a session reads it, and then replaces it by `next`. Its data are the first
    /// value.
    ///
    /// All variables change together, at the end of a run. Models that are written hold the first values.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// // A running sum.
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let sum = g.coefficient("sum", Array::from([0f32, 0.0]))?;
    /// let next = g.add(sum, x).out_name("next").call()?;
    /// g.assign(sum, next)?;
    /// g.set_outputs(&[next])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// for _ in 0..3 {
    ///     session.run(&[("x", Array::from([1f32, 2.0]))])?;
    /// }
    /// assert_eq!(session.variable("sum")?.to_f32()?, [3.0, 6.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if `variable` is not a coefficient or is assigned already, if `next` has another shape or dtype or is a
    /// coefficient itself, or in a block.
    pub fn assign(&mut self, variable: Tensor, next: Tensor) -> Result<()> {
        let (info, new) = (self.tensor(variable)?, self.tensor(next)?);
        if !info.is_coefficient() {
            return Err(argument("variable", format!("{:?}", info.name), "only a coefficient can be a variable"));
        }
        if !self.open.is_empty() {
            return Err(misfit(
                format!("{:?}", info.name),
                "is assigned in a block; let the block return the next value",
            ));
        }
        if self.updates.iter().any(|(t, _)| *t == variable) {
            return Err(argument("variable", format!("{:?}", info.name), "it is assigned already"));
        }
        check_next(info, new)?;
        self.check_visible(next)?;
        self.updates.push((variable, next));
        Ok(())
    }

    /// Checks the variables again, since edits may have changed types.
    pub(super) fn check_updates(&self) -> Result<()> {
        self.updates.iter().try_for_each(|(variable, next)| check_next(self.tensor(*variable)?, self.tensor(*next)?))
    }

    /// Whether a coefficient is a variable, whose data are only the first value.
    pub(super) fn is_variable(&self, tensor: Tensor) -> bool {
        self.updates.iter().any(|(variable, _)| *variable == tensor)
    }

    /// Returns the variables, each with its next value ([`Graph::assign`]).
    pub fn updates(&self) -> &[(Tensor, Tensor)] {
        &self.updates
    }
}

fn check_next(variable: &TensorInfo, next: &TensorInfo) -> Result<()> {
    if (&variable.shape, variable.dtype) != (&next.shape, next.dtype) {
        let expected = format!("{:?}, which it replaces, is {}", variable.name, variable.type_text());
        return Err(argument("next", format!("{:?}, {}", next.name, next.type_text()), expected));
    }
    match next.kind {
        TensorKind::Value | TensorKind::Input => Ok(()),
        _ => Err(argument("next", format!("{:?}", next.name), "the next value must be computed, or an input")),
    }
}
