//! Gradients, variables and training steps of values.
use super::{GraphBuilder, Value, Values, outputs::tensors};
use crate::{base::Result, optimizers::Optimizer};

impl GraphBuilder {
    /// Adds the operators that compute the gradients of the sum of all elements of `of` with respect to other values, and
    /// returns them. See [`Graph::gradients`](crate::Graph::gradients).
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [3])?;
    /// let y = (x * x).call()?;
    /// let dx = g.gradients(y, x)?;
    /// assert_eq!(dx.shape()?, [3]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Graph::gradients`](crate::Graph::gradients).
    pub fn gradients<'g, V: Values<'g>>(&'g self, of: impl Values<'g>, with_respect_to: V) -> Result<V> {
        let (of, with_respect_to) = (tensors(of), tensors(with_respect_to));
        let gradients = self.edit(|g| g.gradients(&of, &with_respect_to))?;
        self.values(gradients)
    }

    /// Makes a coefficient a variable, which each run of a session replaces by `next`. See
    /// [`Graph::assign`](crate::Graph::assign).
    ///
    /// ```
    /// use tpulang::{Array, Dtype, GraphBuilder};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let sum = g.coefficient("sum", Array::from([0f32, 0.0]))?;
    /// let next = (sum + x).call()?;
    /// g.assign(sum, next)?;
    /// assert_eq!(g.build(next)?.updates().len(), 1);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Graph::assign`](crate::Graph::assign).
    pub fn assign<'g>(&'g self, variable: Value<'g>, next: Value<'g>) -> Result<()> {
        self.edit(|g| g.assign(variable.tensor(), next.tensor()))
    }

    /// Adds a training step: the gradients of `loss` with respect to the variables, and their next values by `optimizer`.
    /// Returns the gradients. See [`Graph::minimize`](crate::Graph::minimize).
    ///
    /// ```
    /// use tpulang::{Array, Dtype, GraphBuilder, graph::optimizers::Sgd};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1])?;
    /// let w = g.coefficient("w", Array::from([1f32]))?;
    /// let y = (w * x).call()?;
    /// let network = g.build(y)?;
    /// g.minimize(y, w, &Sgd::new(0.25))?;
    /// let training = g.build(y)?;
    /// assert_eq!((network.updates().len(), training.updates().len()), (0, 1));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Graph::minimize`](crate::Graph::minimize).
    pub fn minimize<'g, V: Values<'g>>(
        &'g self,
        loss: Value<'g>,
        variables: V,
        optimizer: &dyn Optimizer,
    ) -> Result<V> {
        let variables = tensors(variables);
        let gradients = self.edit(|g| g.minimize(loss.tensor(), &variables, optimizer))?;
        self.values(gradients)
    }
}
