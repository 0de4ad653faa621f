//! Arguments that are tensors, or numbers in place of tensors.
use super::{
    argument::{Argument, Mismatch, each, items},
    kind::ArgumentKind,
    value::Value,
};
use crate::{
    Operand, Tensor,
    base::{self, Dtype, Ints, Result},
};
use indexmap::IndexMap;
use serde_json::{Value as Json, json};

impl Argument for Operand {
    fn expected() -> String {
        "the name of a tensor".into()
    }
    fn type_name() -> String {
        "tensor".into()
    }
    fn schema() -> Json {
        json!({ "$ref": "#/$defs/Tensor" })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::Tensor
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Str(name) => Ok(Operand::Named(name)),
            Value::Tensor(operand) => Ok(operand),
            other => Err(Mismatch::of::<Self>(&other)),
        }
    }
    fn to_value(&self) -> Value {
        Value::Tensor(self.clone())
    }
    fn visit(&mut self, f: &mut dyn FnMut(&mut Operand)) {
        f(self);
    }
}

/// Several tensors: `[x, y]`, or a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Operands(pub Vec<Operand>);
impl<T: Into<Operand>, const N: usize> From<[T; N]> for Operands {
    fn from(v: [T; N]) -> Self {
        Operands(v.into_iter().map(Into::into).collect())
    }
}
impl<T: Into<Operand>> From<Vec<T>> for Operands {
    fn from(v: Vec<T>) -> Self {
        Operands(v.into_iter().map(Into::into).collect())
    }
}
impl Argument for Operands {
    fn expected() -> String {
        "a list of names of tensors, as in [\"a\", \"b\"]".into()
    }
    fn type_name() -> String {
        Vec::<Operand>::type_name()
    }
    fn schema() -> Json {
        Vec::<Operand>::schema()
    }
    fn kind() -> ArgumentKind {
        Vec::<Operand>::kind()
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        each(items(value).map_err(|v| Mismatch::of::<Self>(&v))?).map(Operands)
    }
    fn to_value(&self) -> Value {
        self.0.to_value()
    }
    fn visit(&mut self, f: &mut dyn FnMut(&mut Operand)) {
        self.0.iter_mut().for_each(f);
    }
}

/// A number with a dtype (TpuLang's `Scalar`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scalar {
    /// The value.
    pub value: f64,
    /// Its dtype.
    pub dtype: Dtype,
}

impl Scalar {
    /// Creates a scalar of the given dtype.
    pub fn new(value: f64, dtype: Dtype) -> Self {
        Scalar { value, dtype }
    }
    /// # Errors
    /// Returns an error if the number does not fit its dtype.
    pub(super) fn check(self, argument: &str) -> Result<()> {
        match self.dtype.int_range() {
            Some((low, high)) if self.value.fract() != 0.0 || self.value < low as f64 || self.value > high as f64 => {
                let expected = format!("expected an integer from {low} to {high}, as its dtype is {}", self.dtype);
                Err(base::argument(argument, self.value, expected))
            }
            _ => Ok(()),
        }
    }
}
macro_rules! scalar_from {
    ($($t:ty => $d:ident),*) => { $(
        impl From<$t> for Scalar { fn from(v: $t) -> Self { Scalar::new(v as f64, Dtype::$d) } }
        impl From<$t> for TensorOrScalar { fn from(v: $t) -> Self { TensorOrScalar::Scalar(v.into()) } }
    )* };
}
scalar_from!(i32 => Int32, f32 => Float32, f64 => Float32);

impl Scalar {
    fn from_map(mut map: IndexMap<String, Value>) -> Result<Self, Mismatch> {
        let problem =
            |found: String| Mismatch { path: String::new(), found, expected: format!("expected {}", Self::expected()) };
        let value = map.shift_remove("value").ok_or_else(|| problem("an object without value".into()))?;
        let dtype = map.shift_remove("dtype").map_or(Ok(Dtype::Float32), Argument::from_value)?;
        if let Some(key) = map.keys().next() {
            return Err(problem(format!("an object with the key {key:?}")));
        }
        Ok(Scalar::new(Argument::from_value(value)?, dtype))
    }
}

impl Argument for Scalar {
    fn expected() -> String {
        "a number or {\"value\": .., \"dtype\": ..}".into()
    }
    fn type_name() -> String {
        "number".into()
    }
    fn schema() -> Json {
        json!({ "$ref": "#/$defs/Scalar" })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::Scalar
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Int(v) => Ok(Scalar::new(v as f64, Dtype::Int32)),
            Value::Float(v) => Ok(v.into()),
            Value::Map(map) => Scalar::from_map(map),
            other => Err(Mismatch::of::<Self>(&other)),
        }
    }
    fn to_value(&self) -> Value {
        let whole = self.value.fract() == 0.0 && self.value.abs() < 9e15;
        match self.dtype {
            Dtype::Int32 if whole => Value::Int(self.value as i64),
            // A string would be the name of a tensor.
            Dtype::Float32 if self.value.is_finite() => Value::Float(self.value),
            dtype => Value::Map(IndexMap::from([
                ("value".to_owned(), Value::Float(self.value)),
                ("dtype".to_owned(), dtype.into()),
            ])),
        }
    }
}

/// An argument that is a tensor or a number.
#[derive(Debug, Clone, PartialEq)]
pub enum TensorOrScalar {
    /// A tensor.
    Tensor(Operand),
    /// A number.
    Scalar(Scalar),
}

impl<T: Into<Operand>> From<T> for TensorOrScalar {
    fn from(tensor: T) -> Self {
        TensorOrScalar::Tensor(tensor.into())
    }
}
impl From<Scalar> for TensorOrScalar {
    fn from(scalar: Scalar) -> Self {
        TensorOrScalar::Scalar(scalar)
    }
}
impl Argument for TensorOrScalar {
    fn expected() -> String {
        format!("{}, {}", Operand::expected(), Scalar::expected())
    }
    fn type_name() -> String {
        "tensor or number".into()
    }
    fn schema() -> Json {
        json!({ "anyOf": [Operand::schema(), Scalar::schema()] })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::AnyOf(vec![Operand::kind(), Scalar::kind()])
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match &value {
            Value::Str(_) | Value::Tensor(_) => Operand::from_value(value).map(TensorOrScalar::Tensor),
            Value::Int(_) | Value::Float(_) | Value::Map(_) => Scalar::from_value(value).map(TensorOrScalar::Scalar),
            other => Err(Mismatch::of::<Self>(other)),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            TensorOrScalar::Tensor(t) => t.to_value(),
            TensorOrScalar::Scalar(s) => s.to_value(),
        }
    }
    fn visit(&mut self, f: &mut dyn FnMut(&mut Operand)) {
        if let TensorOrScalar::Tensor(t) = self {
            f(t);
        }
    }
}

/// The new shape of [`reshape`](crate::Graph::reshape).
#[derive(Debug, Clone, PartialEq)]
pub enum NewShape {
    /// Its dimensions.
    Dims(Ints),
    /// A coefficient with the dimensions.
    Tensor(Operand),
}
impl<T: Into<Ints>> From<T> for NewShape {
    fn from(dims: T) -> Self {
        NewShape::Dims(dims.into())
    }
}
impl From<Tensor> for NewShape {
    fn from(tensor: Tensor) -> Self {
        NewShape::Tensor(tensor.into())
    }
}
impl Argument for NewShape {
    fn expected() -> String {
        "a list of integers or the name of a tensor".into()
    }
    fn type_name() -> String {
        "list of integers or tensor".into()
    }
    fn schema() -> Json {
        json!({ "anyOf": [Ints::schema(), Operand::schema()] })
    }
    fn kind() -> ArgumentKind {
        ArgumentKind::AnyOf(vec![Ints::kind(), Operand::kind()])
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match &value {
            Value::Str(_) | Value::Tensor(_) => Operand::from_value(value).map(NewShape::Tensor),
            Value::List(_) => Ints::from_value(value).map(NewShape::Dims),
            other => Err(Mismatch::of::<Self>(other)),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            NewShape::Dims(dims) => dims.to_value(),
            NewShape::Tensor(t) => t.to_value(),
        }
    }
    fn visit(&mut self, f: &mut dyn FnMut(&mut Operand)) {
        if let NewShape::Tensor(t) = self {
            f(t);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_an_int32() {
        assert_eq!(Scalar::from_value(3.into()), Ok(Scalar::new(3.0, Dtype::Int32)));
    }
}
