//! Branches and loops of values. Closures use the values around them.
use super::{GraphBuilder, Tensor, Value, Values, outputs::tensors};
use crate::base::Result;

impl GraphBuilder {
    /// Adds an operator that runs one of two branches: `then` if the single number `condition` is not 0, otherwise
    /// `otherwise`. Both return values of the same types. See [`Graph::cond`](crate::Graph::cond).
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let is_wanted = g.input("is_wanted", Dtype::Float32, [1])?;
    /// let y = g.cond(is_wanted, || (x * 2.0).call(), || x.relu().call())?;
    /// assert_eq!(g.build(y)?.operators()[0].op.name(), "If");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the condition has several elements, or the branches return different types or nothing. The graph
    /// is then unchanged. Errors of the branches are returned, too.
    pub fn cond<'g, V: Values<'g>>(
        &'g self,
        condition: Value<'g>,
        then: impl FnOnce() -> Result<V>,
        otherwise: impl FnOnce() -> Result<V>,
    ) -> Result<V> {
        let made = self.edit(|g| {
            g.cond(
                condition.tensor(),
                |g| self.lend(g, || Ok(tensors(then()?))),
                |g| self.lend(g, || Ok(tensors(otherwise()?))),
            )
        })?;
        self.values(made)
    }

    /// Adds a loop that carries values: as long as `condition` of them returns a number that is not 0, `body` computes the
    /// next ones, of the same types. Returns the last ones. See [`Graph::while_loop`](crate::Graph::while_loop).
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder};
    /// // Doubles x until it is at least 100, and counts.
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1])?;
    /// let n = g.input("n", Dtype::Float32, [1])?;
    /// let [y, count] = g.while_loop(
    ///     [x, n],
    ///     |[x, _]| x.lts(100.0).call(),
    ///     |[x, n]| Ok([(x * 2.0).call()?, (n + 1.0).call()?]),
    /// )?;
    /// assert_eq!(g.build([y, count])?.operators().last().unwrap().op.name(), "Loop");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the condition has several elements, or the body returns other types. The graph is then unchanged.
    /// Errors of the closures are returned, too.
    pub fn while_loop<'g, V: Values<'g>>(
        &'g self,
        initial: V,
        condition: impl Fn(V) -> Result<Value<'g>>,
        body: impl FnOnce(V) -> Result<V>,
    ) -> Result<V> {
        let made = self.edit(|g| {
            g.while_loop(
                &tensors(initial),
                |g, carried| self.lend(g, || Ok(condition(self.carried(carried)?)?.tensor())),
                |g, carried| self.lend(g, || Ok(tensors(body(self.carried(carried)?)?))),
            )
        })?;
        self.values(made)
    }

    /// Adds a loop of `count` iterations that carries values: `body` receives the iteration number (int32, one element, from
    /// 0) and the carried values, and returns the next ones, of the same types. Returns the last ones. See
    /// [`Graph::for_loop`](crate::Graph::for_loop).
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.for_loop(4, x, |_, v| (v * v).call())?;
    /// assert_eq!(y.shape()?, [2]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the body returns other types, or the count is not an int32. The graph is then unchanged. Errors of
    /// the body are returned, too.
    pub fn for_loop<'g, V: Values<'g>>(
        &'g self,
        count: usize,
        initial: V,
        body: impl FnOnce(Value<'g>, V) -> Result<V>,
    ) -> Result<V> {
        let made = self.edit(|g| {
            g.for_loop(count, &tensors(initial), |g, i, carried| {
                self.lend(g, || Ok(tensors(body(Value::new(self, i), self.carried(carried)?)?)))
            })
        })?;
        self.values(made)
    }

    /// Like [`GraphBuilder::for_loop`], for a body that also returns values to be stacked along a new first axis, of `count`
    /// entries. Returns the last carried values, and the stacked ones. See [`Graph::scan`](crate::Graph::scan).
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder};
    /// // Powers of x.
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1])?;
    /// let (_, powers) = g.scan(4, x, |_, v| {
    ///     let next = (v * x).call()?;
    ///     Ok((next, next))
    /// })?;
    /// assert_eq!(powers.shape()?, [4, 1]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`GraphBuilder::for_loop`]; also if `count` is 0 and values are stacked.
    pub fn scan<'g, V: Values<'g>, S: Values<'g>>(
        &'g self,
        count: usize,
        initial: V,
        body: impl FnOnce(Value<'g>, V) -> Result<(V, S)>,
    ) -> Result<(V, S)> {
        let (carried, stacked) = self.edit(|g| {
            g.scan(count, &tensors(initial), |g, i, carried| {
                self.lend(g, || {
                    let (next, stacked) = body(Value::new(self, i), self.carried(carried)?)?;
                    Ok((tensors(next), tensors(stacked)))
                })
            })
        })?;
        Ok((self.values(carried)?, self.values(stacked)?))
    }

    fn carried<'g, V: Values<'g>>(&'g self, carried: &[Tensor]) -> Result<V> {
        self.values(carried.to_vec())
    }
}
