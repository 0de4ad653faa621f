use super::Tensor;
use crate::array::Array;

/// A tensor argument: a tensor of the graph, its name, or constant data that become a coefficient.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A tensor of the graph.
    Tensor(Tensor),
    /// The tensor of that name.
    Named(String),
    /// Data.
    Constant(Array),
}

impl<T: Into<Array>> From<T> for Operand {
    fn from(array: T) -> Self {
        Operand::Constant(array.into())
    }
}
impl From<Tensor> for Operand {
    fn from(tensor: Tensor) -> Self {
        Operand::Tensor(tensor)
    }
}
impl From<&str> for Operand {
    fn from(name: &str) -> Self {
        Operand::Named(name.into())
    }
}
