use super::Value;

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
