use super::Tensor;
use crate::array::{Array, Element};
use ndarray::Dimension;

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

/// One by one: of types elsewhere the compiler does not know that names will never be arrays.
macro_rules! constants {
    ($([$($generic:tt)*] $data:ty;)*) => { $(
        impl<$($generic)*> From<$data> for Operand {
            fn from(data: $data) -> Self {
                Operand::Constant(data.into())
            }
        }
    )* };
}
constants! {
    [] Array;
    [T: Element, D: Dimension] ndarray::Array<T, D>;
    [T: Element, D: Dimension] ndarray::ArrayView<'_, T, D>;
    [T: Element] Vec<T>;
    [T: Element] &[T];
    [T: Element, const N: usize] [T; N];
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
