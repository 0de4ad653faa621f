use super::Tensor;
use crate::array::{Array, Element};
use ndarray::Dimension;

/// A tensor argument: a tensor of the graph, its name, or constant data, which is added as a coefficient.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A tensor of the graph.
    Tensor(Tensor),
    /// The name of a tensor.
    Named(String),
    /// Constant data.
    Constant(Array),
}

/// One impl per type: a generic one would overlap with those of `Tensor` and `&str`.
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
