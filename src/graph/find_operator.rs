//! Operators by name.
use super::{Block, Graph, Operator};
use crate::base::{Cause, Error, Result, truncated};

impl Graph {
    /// Returns the operator that computes the tensor of this name, in a block or not. Visits every operator.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// g.relu(x).out_name("y").call()?;
    /// assert_eq!(g.find_operator("y")?.op.name(), "Relu");
    /// let error = g.find_operator("yy").unwrap_err().to_string();
    /// assert_eq!(error, "unknown operator \"yy\"; did you mean \"y\"?");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if no operator computes such a tensor.
    pub fn find_operator(&self, name: &str) -> Result<&Operator> {
        let is_it = |operator: &Operator| self.result_names(operator).any(|result| result == name);
        let mut found = None;
        self.body().walk(&mut |operator| {
            if found.is_none() && is_it(operator) {
                found = Some(operator);
            }
        });
        found.ok_or_else(|| self.unknown_operator(name))
    }
    /// Returns the names of an operator's results, which are those of the operator.
    #[doc(hidden)]
    pub fn result_names(&self, operator: &Operator) -> impl Iterator<Item = &str> {
        operator.outputs().filter_map(|t| self.tensor(t).ok()).map(|info| info.name.as_str())
    }
    /// Returns the error about an operator that does not exist, with the most similar name.
    #[doc(hidden)]
    pub fn unknown_operator(&self, name: &str) -> Error {
        let mut known = Vec::new();
        let body: &Block = self.body();
        body.walk(&mut |operator| known.extend(self.result_names(operator)));
        let nearest = self.suggestions.nearest(name, known.into_iter());
        Cause::UnknownName { kind: "operator", name: truncated(name), nearest, known: Vec::new() }.into()
    }
}
