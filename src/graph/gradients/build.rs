//! Operators that only rules are made of; most are of [`Emit`].
use super::backward::Backward;
use crate::{
    Graph, Tensor,
    base::{Result, invalid, misfit},
    emit::Emit,
    ops::Split,
};

/// Maximum number of steps of a sequence that is written out.
const MAX_STEPS: usize = 4096;

impl Emit for Backward<'_, '_> {
    fn graph(&self) -> &Graph {
        self.graph
    }
    fn graph_mut(&mut self) -> &mut Graph {
        self.graph
    }
}

impl Backward<'_, '_> {
    /// Whether an operator or the caller of a session provides the tensor.
    pub fn is_computed(&self, t: Tensor) -> Result<bool> {
        Ok(self.graph.tensor(t)?.kind == crate::TensorKind::Value)
    }

    /// Returns the numbers of a coefficient, such as a list of axes.
    pub fn known(&self, t: Tensor) -> Result<Vec<i64>> {
        let info = self.graph.tensor(t)?;
        let data = info.data().filter(|_| !self.graph.is_variable(t));
        let data = data.ok_or_else(|| misfit(format!("{:?}", info.name), "is not a coefficient with data"))?;
        Ok(data.to_f64()?.into_iter().map(|v| v as i64).collect())
    }
    pub fn zeros_like(&mut self, t: Tensor) -> Result<Tensor> {
        let (dtype, shape) = (self.dtype(t)?, self.shape(t)?);
        self.filled(0.0, dtype, &shape)
    }

    /// Returns each entry of an axis, whose size becomes 1.
    ///
    /// # Errors
    /// Returns an error if there are more than [`MAX_STEPS`], since each step of a sequence makes dozens of operators.
    pub fn entries(&mut self, x: Tensor, axis: usize) -> Result<Vec<Tensor>> {
        let count = self.shape(x)?[axis];
        match count {
            1 => Ok(vec![x]),
            2..=MAX_STEPS => self.graph.op(Split::new(x, axis as i64, count as i64)).call(),
            _ => Err(invalid(format!(
                "its gradient is written out step by step, and it has {count} steps; at most {MAX_STEPS} are supported"
            ))),
        }
    }
}
