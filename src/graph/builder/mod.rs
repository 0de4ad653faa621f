//! Networks written with values: tensors that carry their graph, so that functions are methods and arithmetic has operators.
mod arithmetic;
mod control_flow;
mod outputs;
#[cfg(test)]
mod tests;
mod training;
mod value;
mod weights;

pub use arithmetic::Term;
pub use outputs::Values;
pub use value::Value;
pub use weights::Weights;

use super::{Graph, NewOperator, Tensor, functions::Target};
use crate::{
    array::Array,
    base::{Dtype, Ints, Result, invalid},
    ops::Op,
};
use std::{
    cell::{Cell, RefCell},
    fmt,
    path::Path,
    rc::Rc,
};
use weights::OpenFile;

/// Builds a graph through [`Value`]s, which add operators to it by their methods.
///
/// [`GraphBuilder::build`] returns the graph that computes some of the values. A graph that exists is extended by
/// `GraphBuilder::from`, [`GraphBuilder::find`] and [`GraphBuilder::value`].
///
/// ```
/// use tpulang::{Array, Dtype, GraphBuilder};
/// let g = GraphBuilder::new("tiny")?;
/// let x = g.input("x", Dtype::Float32, [1, 3, 8, 8])?;
/// let w = g.coefficient("w", Array::filled(Dtype::Float32, [3, 3, 3, 3], 0.1)?)?;
/// let y = x.conv(w).pad(1).call()?.relu().call()?;
/// let z = (x + y * 0.5).out_name("z").call()?;
/// let graph = g.build(z)?;
/// assert_eq!(graph.operators().len(), 4);
/// # Ok::<(), tpulang::Error>(())
/// ```
pub struct GraphBuilder {
    /// `None` while a call or a closure has it.
    graph: Cell<Option<Graph>>,
    /// Files of weights, whose arrays that nothing uses are warned about.
    files: RefCell<Vec<Rc<OpenFile>>>,
}

impl fmt::Debug for GraphBuilder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let graph = self.graph.take();
        let shown = f.debug_tuple("GraphBuilder").field(&graph).finish();
        self.graph.set(graph);
        shown
    }
}

impl From<Graph> for GraphBuilder {
    /// Continues to build a graph.
    fn from(graph: Graph) -> Self {
        GraphBuilder { graph: Cell::new(Some(graph)), files: RefCell::default() }
    }
}

impl<'g> Target for &'g GraphBuilder {
    type Tensor = Value<'g>;
    fn edit<R>(&mut self, edit: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        GraphBuilder::edit(self, edit)
    }
    fn output(&self, tensor: Tensor) -> Value<'g> {
        Value::new(self, tensor)
    }
}

impl GraphBuilder {
    /// Creates a builder of an empty graph.
    ///
    /// # Errors
    /// Same as for [`Graph::new`].
    pub fn new(name: impl Into<String>) -> Result<GraphBuilder> {
        Ok(Graph::new(name)?.into())
    }

    /// Runs `edit` with the graph, for all that neither builders nor values do themselves. Tensors are handles there, which
    /// [`Value::tensor`] and [`GraphBuilder::value`] convert.
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder, Mode};
    /// let g = GraphBuilder::new("net")?;
    /// g.edit(|graph| Ok(graph.mode = Mode::Quantized))?;
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the error of `edit`, or an error if a call of `edit` is in progress.
    pub fn edit<R>(&self, edit: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        /// Puts the graph back, even if `edit` panics.
        struct Lent<'g>(&'g GraphBuilder, Option<Graph>);
        impl Drop for Lent<'_> {
            fn drop(&mut self) {
                self.0.graph.set(self.1.take());
            }
        }
        let mut lent = Lent(self, self.graph.take());
        let Some(graph) = &mut lent.1 else {
            return Err(invalid(
                "the graph is being edited; inside of `edit`, use the graph that the closure is given",
            ));
        };
        edit(graph)
    }

    /// Runs `build`, which uses the values of this builder, while `graph` is being edited.
    fn lend<R>(&self, graph: &mut Graph, build: impl FnOnce() -> Result<R>) -> Result<R> {
        /// Takes the graph back, even if `build` panics.
        struct Lent<'g>(&'g GraphBuilder, &'g mut Graph);
        impl Drop for Lent<'_> {
            fn drop(&mut self) {
                if let Some(graph) = self.0.graph.take() {
                    *self.1 = graph;
                }
            }
        }
        let placeholder = Graph::new("lent")?;
        self.graph.set(Some(std::mem::replace(graph, placeholder)));
        let _lent = Lent(self, graph);
        build()
    }

    /// Adds an input.
    ///
    /// # Errors
    /// Same as for [`Graph::input`].
    pub fn input(&self, name: &str, dtype: Dtype, shape: impl Into<Ints>) -> Result<Value<'_>> {
        self.edit(|g| g.input(name, dtype, shape)).map(|t| Value::new(self, t))
    }
    /// Adds a coefficient: an array, or an ndarray.
    ///
    /// # Errors
    /// Same as for [`Graph::coefficient`].
    pub fn coefficient(&self, name: &str, data: impl Into<Array>) -> Result<Value<'_>> {
        self.edit(|g| g.coefficient(name, data)).map(|t| Value::new(self, t))
    }
    /// Opens a weights file (`.npz`, `.safetensors`, PyTorch's `.pt`), whose arrays become coefficients when they are first used.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, GraphBuilder, array::write_npz};
    /// # let path = std::env::temp_dir().join("tpulang-builder.npz");
    /// write_npz(&path, [("fc.weight", Array::filled(Dtype::Float32, [10, 64], 0.1)?)])?;
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1, 64])?;
    /// let weights = g.weights(&path)?;
    /// let y = x.matmul(weights.get("fc.weight")?).right_transpose(true).call()?;
    /// assert_eq!(y.shape()?, [1, 10]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or its format is not supported.
    pub fn weights(&self, path: impl AsRef<Path>) -> Result<Weights<'_>> {
        let file = Rc::new(OpenFile::open(path.as_ref())?);
        self.files.borrow_mut().push(file.clone());
        Ok(Weights::new(self, file))
    }
    /// Returns a tensor of the graph as a value.
    ///
    /// # Errors
    /// Returns an error if the handle belongs to another graph.
    pub fn value(&self, tensor: Tensor) -> Result<Value<'_>> {
        self.edit(|g| g.tensor(tensor).map(|_| ()))?;
        Ok(Value::new(self, tensor))
    }
    /// Returns the tensor with the given name as a value.
    ///
    /// # Errors
    /// Same as for [`Graph::find`].
    pub fn find(&self, name: &str) -> Result<Value<'_>> {
        self.edit(|g| g.find(name)).map(|t| Value::new(self, t))
    }
    /// Runs `build` with every new name prefixed by `name/`.
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.scope("head", || x.relu().out_name("y").call())?;
    /// assert_eq!(y.name()?, "head/y");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the error of `build`, or an error if the name is invalid.
    pub fn scope<R>(&self, name: &str, build: impl FnOnce() -> Result<R>) -> Result<R> {
        self.edit(|g| g.scope(name, |g| self.lend(g, build)))
    }
    /// Builds an operator of any op of the Top dialect, whose operands are values.
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder, ops};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [1, 3])?;
    /// let y = g.op(ops::Softmax { log: true, ..ops::Softmax::new(x, 1) }).out_name("y").call()?[0];
    /// assert_eq!(y.shape()?, [1, 3]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn op<'g>(&'g self, op: impl Into<Op<Value<'g>>>) -> NewOperator<&'g GraphBuilder> {
        NewOperator::new(self, op.into().map(|value: &Value| value.tensor()))
    }

    /// Returns the graph as it is, with the outputs that were set before.
    #[doc(hidden)]
    pub fn finish(self) -> Result<Graph> {
        self.graph.take().ok_or_else(|| invalid("the graph is being edited"))
    }
    /// Returns the graph with these outputs: a `Value`, a `[Value; N]` or a `Vec<Value>`. The builder may go on, for example to add a training
    /// step; handles of tensors ([`Value::tensor`]) are valid in both.
    ///
    /// Arrays of weights files that the graph does not use become warnings of the graph.
    ///
    /// # Errors
    /// Returns an error if there are no outputs, or if one occurs twice or is not computed by an operator.
    pub fn build<'g>(&'g self, outputs: impl Values<'g>) -> Result<Graph> {
        let outputs: Vec<Tensor> = outputs.into_vec().iter().map(Value::tensor).collect();
        let mut graph = self.edit(|g| Ok(g.clone()))?;
        graph.set_outputs(&outputs)?;
        for file in self.files.borrow().iter() {
            file.warn_of_unused(&mut graph);
        }
        Ok(graph)
    }
}
