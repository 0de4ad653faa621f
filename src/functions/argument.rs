//! The types of arguments: how each is read from a [`Value`], written as one, and described.
use super::value::Value;
use crate::{
    base::{Dtype, Ints, OneOrMany, nearest},
    graph::{Operand, Tensor},
    quant::RoundMode,
};
use indexmap::IndexMap;
use serde_json::{Value as Json, json};

/// Why a value is not one of the argument's type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mismatch {
    /// The place within the argument: `[1]`.
    pub path: String,
    pub found: String,
    pub expected: String,
}

impl Mismatch {
    fn of<T: Argument>(found: &Value) -> Self {
        Mismatch { path: String::new(), found: found.to_string(), expected: format!("expected {}", T::expected()) }
    }
    fn within(self, index: usize) -> Self {
        Mismatch { path: format!("[{index}]{}", self.path), ..self }
    }
}

/// A type of arguments.
pub(crate) trait Argument: Clone {
    /// `an integer`, for messages.
    fn expected() -> String;
    /// `integer`, for the reference.
    fn type_name() -> String;
    /// JSON Schema.
    fn schema() -> Json;
    fn from_value(value: Value) -> Result<Self, Mismatch>;
    fn to_value(&self) -> Value;
    /// Visits the tensors in it.
    fn visit(&mut self, _: &mut dyn FnMut(&mut Operand)) {}
}

macro_rules! plain {
    ($($t:ty, $name:literal, $expected:literal, $schema:tt, $($pattern:pat => $value:expr),+; |$v:ident| $to:expr;)*) => { $(
        impl Argument for $t {
            fn expected() -> String { $expected.into() }
            fn type_name() -> String { $name.into() }
            fn schema() -> Json { json!($schema) }
            fn from_value(value: Value) -> Result<Self, Mismatch> {
                match value {
                    $($pattern => Ok($value),)+
                    other => Err(Mismatch::of::<Self>(&other)),
                }
            }
            fn to_value(&self) -> Value { let $v = self.clone(); $to }
        }
    )* };
}
plain! {
    i64, "integer", "an integer", { "type": "integer" }, Value::Int(v) => v; |v| Value::Int(v);
    f64, "number", "a number", { "type": "number" }, Value::Float(v) => v, Value::Int(v) => v as f64; |v| Value::Float(v);
    String, "string", "a string", { "type": "string" }, Value::Str(v) => v; |v| Value::Str(v);
    bool, "boolean", "true or false", { "type": "boolean" }, Value::Bool(v) => v; |v| Value::Bool(v);
}

/// An argument that is one of some words.
pub(crate) trait OneWord: Sized + Copy + PartialEq {
    /// For the reference: `dtype`.
    const NAME: &'static str;
    /// The values with their words.
    fn words() -> Vec<(Self, &'static str)>;
}
impl OneWord for Dtype {
    const NAME: &'static str = "dtype";
    fn words() -> Vec<(Self, &'static str)> {
        Dtype::all().map(|d| (d, d.name())).collect()
    }
}
impl OneWord for RoundMode {
    const NAME: &'static str = "round mode";
    fn words() -> Vec<(Self, &'static str)> {
        RoundMode::arguments().collect()
    }
}
impl<T: OneWord> Argument for T {
    fn expected() -> String {
        let words: Vec<_> = T::words().into_iter().map(|w| w.1).collect();
        format!("one of {}", words.join(", "))
    }
    fn type_name() -> String {
        T::NAME.into()
    }
    fn schema() -> Json {
        json!({ "enum": T::words().into_iter().map(|w| w.1).collect::<Vec<_>>() })
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        let Value::Str(word) = &value else {
            return Err(Mismatch::of::<T>(&value));
        };
        let words = T::words();
        let known = words.iter().find(|(_, w)| w == word).map(|(v, _)| *v);
        known.ok_or_else(|| {
            let near = closest(word, &words.iter().map(|w| w.1).collect::<Vec<_>>());
            let hint = near.map(|n| format!("; did you mean {n:?}?")).unwrap_or_default();
            let mismatch = Mismatch::of::<T>(&value);
            Mismatch { expected: format!("{}{hint}", mismatch.expected), ..mismatch }
        })
    }
    fn to_value(&self) -> Value {
        T::words().into_iter().find(|(v, _)| v == self).map_or(Value::Null, |(_, w)| w.into())
    }
}

/// The word that was probably meant: one that begins so (`float` is `float32` rather than `float64`, the first of them),
/// or the most similar.
pub(crate) fn closest(word: &str, known: &[&str]) -> Option<String> {
    let lower = word.to_lowercase();
    let begins = known.iter().find(|k| word.len() >= 3 && k.starts_with(&lower)).map(|k| (*k).to_owned());
    begins.or_else(|| nearest(&lower, known.iter().copied()))
}

/// A list, or one value that stands for a list of one.
fn items(value: Value) -> Result<Vec<Value>, Value> {
    if let Value::List(items) = value { Ok(items) } else { Err(value) }
}

fn each<T: Argument>(items: Vec<Value>) -> Result<Vec<T>, Mismatch> {
    items.into_iter().enumerate().map(|(i, v)| T::from_value(v).map_err(|m| m.within(i))).collect()
}

/// So many numbers, one a spatial axis or side; one number stands for all.
///
/// ```
/// use tpulang::functions::Each;
/// assert_eq!(Each::<2>::from(3).0, [3, 3]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Each<const N: usize>(pub [i64; N]);

impl<const N: usize> From<i64> for Each<N> {
    fn from(v: i64) -> Self {
        Each([v; N])
    }
}
macro_rules! each_from {
    ($($t:ty),*) => { $(impl<const N: usize> From<[$t; N]> for Each<N> {
        // A size beyond i64 stays too large.
        fn from(v: [$t; N]) -> Self { Each(v.map(|x| i64::try_from(x).unwrap_or(i64::MAX))) }
    })* };
}
each_from!(i32, i64, usize);

impl<const N: usize> Argument for Each<N> {
    fn expected() -> String {
        format!("an integer or a list of {N} integers")
    }
    fn type_name() -> String {
        format!("{N} integers, or one for all")
    }
    fn schema() -> Json {
        json!({ "anyOf": [{ "type": "integer" },
            { "type": "array", "items": { "type": "integer" }, "minItems": N, "maxItems": N }] })
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        let wrong = Mismatch::of::<Self>(&value);
        match items(value) {
            Ok(list) => each(list)?.try_into().map(Each).map_err(|_| wrong),
            Err(Value::Int(v)) => Ok(v.into()),
            Err(_) => Err(wrong),
        }
    }
    fn to_value(&self) -> Value {
        self.0.into()
    }
}

impl<const N: usize, T: Argument> Argument for [T; N] {
    fn expected() -> String {
        format!("a list of {N} {}s", T::type_name())
    }
    fn type_name() -> String {
        format!("{N} {}s", T::type_name())
    }
    fn schema() -> Json {
        json!({ "type": "array", "items": T::schema(), "minItems": N, "maxItems": N })
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        let wrong = Mismatch::of::<Self>(&value);
        let list = items(value).map_err(|_| wrong.clone())?;
        each(list)?.try_into().map_err(|_| wrong)
    }
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(Argument::to_value).collect())
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn expected() -> String {
        format!("a list of {}s", T::type_name())
    }
    fn type_name() -> String {
        format!("list of {}s", T::type_name())
    }
    fn schema() -> Json {
        json!({ "type": "array", "items": T::schema() })
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        each(items(value).map_err(|v| Mismatch::of::<Self>(&v))?)
    }
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(Argument::to_value).collect())
    }
    fn visit(&mut self, f: &mut dyn FnMut(&mut Operand)) {
        self.iter_mut().for_each(|v| v.visit(f));
    }
}

impl Argument for Ints {
    fn expected() -> String {
        Vec::<i64>::expected()
    }
    fn type_name() -> String {
        Vec::<i64>::type_name()
    }
    fn schema() -> Json {
        Vec::<i64>::schema()
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        Argument::from_value(value).map(Ints)
    }
    fn to_value(&self) -> Value {
        self.0.to_value()
    }
}

impl<T: Argument> Argument for OneOrMany<T> {
    fn expected() -> String {
        format!("{} or a list of them", T::expected())
    }
    fn type_name() -> String {
        format!("{} or list", T::type_name())
    }
    fn schema() -> Json {
        json!({ "anyOf": [T::schema(), { "type": "array", "items": T::schema() }] })
    }
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match items(value) {
            Ok(list) => each(list).map(OneOrMany::Many),
            Err(one) => T::from_value(one)
                .map(OneOrMany::One)
                .map_err(|m| Mismatch { expected: format!("expected {}", Self::expected()), ..m }),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            OneOrMany::One(v) => v.to_value(),
            OneOrMany::Many(v) => v.to_value(),
        }
    }
}

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
        "a list of names of tensors".into()
    }
    fn type_name() -> String {
        Vec::<Operand>::type_name()
    }
    fn schema() -> Json {
        Vec::<Operand>::schema()
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
    /// A scalar of that dtype.
    pub fn new(value: f64, dtype: Dtype) -> Self {
        Scalar { value, dtype }
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
            Dtype::Float32 => Value::Float(self.value),
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
    /// A coefficient that holds them.
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
    fn values_are_read_or_told_what_would_be_right() {
        let list = |v: &[i64]| Value::from(v.to_vec());
        assert_eq!(Each::<2>::from_value(2.into()), Ok(Each([2, 2])));
        assert_eq!(Each::<2>::from_value(list(&[2, 3])), Ok(Each([2, 3])));
        let m = Each::<2>::from_value(list(&[1, 2, 3])).unwrap_err();
        assert_eq!(
            (m.found.as_str(), m.expected.as_str()),
            ("[1, 2, 3]", "expected an integer or a list of 2 integers")
        );
        let m = Each::<2>::from_value(Value::List(vec![1.into(), "a".into()])).unwrap_err();
        assert_eq!((m.path.as_str(), m.found.as_str(), m.expected.as_str()), ("[1]", "\"a\"", "expected an integer"));
        let m = Dtype::from_value("float".into()).unwrap_err();
        assert!(m.expected.ends_with("did you mean \"float32\"?"), "{m:?}");
        let m = RoundMode::from_value("half_odd".into()).unwrap_err();
        assert!(
            m.expected.starts_with("expected one of half_away_from_zero, half_up, half_down, half_to_even, "),
            "{m:?}"
        );
        assert_eq!(Scalar::from_value(3.into()), Ok(Scalar::new(3.0, Dtype::Int32)));
    }
}
