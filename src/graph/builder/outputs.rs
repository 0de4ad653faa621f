use super::{GraphBuilder, Tensor, Value};
use crate::base::{Result, misfit, pluralized};

/// One or several values: a [`Value`], a `[Value; N]` or a `Vec<Value>`. Outputs of graphs, results of branches, and what loops
/// carry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a `Value`, nor an array or a `Vec` of them",
    note = "a call ends in `.call()?`; instead of a tuple, write an array: `[y, z]`"
)]
pub trait Values<'g>: Sized {
    #[doc(hidden)]
    fn into_vec(self) -> Vec<Value<'g>>;
    /// Converts a list; `None` if its length is wrong.
    #[doc(hidden)]
    fn from_vec(list: Vec<Value<'g>>) -> Option<Self>;
}
impl<'g> Values<'g> for Value<'g> {
    fn into_vec(self) -> Vec<Value<'g>> {
        vec![self]
    }
    fn from_vec(list: Vec<Value<'g>>) -> Option<Self> {
        <[Value; 1]>::try_from(list).ok().map(|[value]| value)
    }
}
impl<'g, const N: usize> Values<'g> for [Value<'g>; N] {
    fn into_vec(self) -> Vec<Value<'g>> {
        self.into()
    }
    fn from_vec(list: Vec<Value<'g>>) -> Option<Self> {
        list.try_into().ok()
    }
}
impl<'g> Values<'g> for Vec<Value<'g>> {
    fn into_vec(self) -> Vec<Value<'g>> {
        self
    }
    fn from_vec(list: Vec<Value<'g>>) -> Option<Self> {
        Some(list)
    }
}

impl GraphBuilder {
    pub(super) fn values<'g, V: Values<'g>>(&'g self, tensors: Vec<Tensor>) -> Result<V> {
        let found = tensors.len();
        let values = tensors.into_iter().map(|t| Value::new(self, t)).collect();
        // A list has another length than its type only if a body returned a longer or shorter `Vec`, which is an error.
        V::from_vec(values).ok_or_else(|| misfit("body", format!("returns {}", pluralized(found, "value"))))
    }
}

pub(super) fn tensors<'g>(values: impl Values<'g>) -> Vec<Tensor> {
    values.into_vec().iter().map(Value::tensor).collect()
}
