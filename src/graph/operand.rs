use super::{Dtype, Tensor};
use crate::array::Array;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;

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

impl Serialize for Operand {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Operand::Named(name) => s.serialize_str(name),
            _ => Err(serde::ser::Error::custom("a tensor argument is written by its name")),
        }
    }
}
impl<'de> Deserialize<'de> for Operand {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Name;
        impl de::Visitor<'_> for Name {
            type Value = Operand;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("the name of a tensor")
            }
            fn visit_str<E>(self, v: &str) -> Result<Operand, E> {
                Ok(Operand::Named(v.into()))
            }
        }
        d.deserialize_any(Name)
    }
}
impl JsonSchema for Operand {
    fn schema_name() -> Cow<'static, str> {
        "Tensor".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "The name of a tensor." })
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

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TypedScalar {
    value: f64,
    #[serde(default = "float32")]
    dtype: Dtype,
}
fn float32() -> Dtype {
    Dtype::Float32
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if !self.value.is_finite() {
            return Err(serde::ser::Error::custom(format!("JSON cannot hold the number {}", self.value)));
        }
        let whole = self.value.fract() == 0.0 && self.value.abs() < 9e15;
        match self.dtype {
            Dtype::Int32 if whole => s.serialize_i64(self.value as i64),
            Dtype::Float32 => s.serialize_f64(self.value),
            dtype => TypedScalar { value: self.value, dtype }.serialize(s),
        }
    }
}
impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match TensorOrScalar::deserialize(d)? {
            TensorOrScalar::Scalar(scalar) => Ok(scalar),
            TensorOrScalar::Tensor(_) => Err(de::Error::custom("expected a number or {\"value\": .., \"dtype\": ..}")),
        }
    }
}
impl JsonSchema for Scalar {
    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let typed = generator.subschema_for::<TypedScalar>();
        json_schema!({
            "description": "A number: an integer literal is int32, one with a fraction or exponent float32; or an object with value and dtype.",
            "anyOf": [{ "type": "number" }, typed]
        })
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

impl From<Tensor> for TensorOrScalar {
    fn from(tensor: Tensor) -> Self {
        TensorOrScalar::Tensor(tensor.into())
    }
}
impl From<&str> for TensorOrScalar {
    fn from(name: &str) -> Self {
        TensorOrScalar::Tensor(name.into())
    }
}
impl<T: Into<Array>> From<T> for TensorOrScalar {
    fn from(array: T) -> Self {
        TensorOrScalar::Tensor(Operand::Constant(array.into()))
    }
}
impl From<Scalar> for TensorOrScalar {
    fn from(scalar: Scalar) -> Self {
        TensorOrScalar::Scalar(scalar)
    }
}

impl Serialize for TensorOrScalar {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            TensorOrScalar::Tensor(t) => t.serialize(s),
            TensorOrScalar::Scalar(v) => v.serialize(s),
        }
    }
}
impl<'de> Deserialize<'de> for TensorOrScalar {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> de::Visitor<'de> for Any {
            type Value = TensorOrScalar;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("the name of a tensor, a number, or {\"value\": .., \"dtype\": ..}")
            }
            fn visit_str<E>(self, v: &str) -> Result<TensorOrScalar, E> {
                Ok(v.into())
            }
            fn visit_i64<E>(self, v: i64) -> Result<TensorOrScalar, E> {
                Ok(Scalar::new(v as f64, Dtype::Int32).into())
            }
            fn visit_u64<E>(self, v: u64) -> Result<TensorOrScalar, E> {
                Ok(Scalar::new(v as f64, Dtype::Int32).into())
            }
            fn visit_f64<E>(self, v: f64) -> Result<TensorOrScalar, E> {
                Ok(v.into())
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<TensorOrScalar, A::Error> {
                let s = TypedScalar::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Scalar::new(s.value, s.dtype).into())
            }
        }
        d.deserialize_any(Any)
    }
}
impl JsonSchema for TensorOrScalar {
    fn schema_name() -> Cow<'static, str> {
        "TensorOrScalar".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (tensor, scalar) = (generator.subschema_for::<Operand>(), generator.subschema_for::<Scalar>());
        json_schema!({ "anyOf": [tensor, scalar] })
    }
}

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "OneOrMany_{T}")]
pub enum OneOrMany<T> {
    /// One for all.
    One(T),
    /// One each.
    Many(Vec<T>),
}

impl<T: Clone> OneOrMany<T> {
    /// As a list.
    pub fn to_vec(&self) -> Vec<T> {
        match self {
            OneOrMany::One(v) => vec![v.clone()],
            OneOrMany::Many(v) => v.clone(),
        }
    }
    /// Whether a list was given.
    pub fn is_many(&self) -> bool {
        matches!(self, OneOrMany::Many(_))
    }
}
impl<T> From<T> for OneOrMany<T> {
    fn from(v: T) -> Self {
        OneOrMany::One(v)
    }
}
impl<T> From<Vec<T>> for OneOrMany<T> {
    fn from(v: Vec<T>) -> Self {
        OneOrMany::Many(v)
    }
}
impl<T, const N: usize> From<[T; N]> for OneOrMany<T> {
    fn from(v: [T; N]) -> Self {
        OneOrMany::Many(v.into())
    }
}

// Not derived: serde's untagged enums lose the place and the reason of a mistake.
impl<'de, T: FromNumber> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either<T>(std::marker::PhantomData<T>);
        impl<'de, T: FromNumber> de::Visitor<'de> for Either<T> {
            type Value = OneOrMany<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(f, "{} or a list of them", T::WHAT)
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Self::Value, E> {
                Ok(OneOrMany::One(T::from_i64(v)))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Self::Value, E> {
                let v = i64::try_from(v).map_err(|_| E::custom(format!("{v} is larger than 2^63 - 1")))?;
                self.visit_i64(v)
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Self::Value, E> {
                T::from_f64(v).map(OneOrMany::One).ok_or_else(|| E::invalid_type(de::Unexpected::Float(v), &self))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(v) = seq.next_element()? {
                    all.push(v);
                }
                Ok(OneOrMany::Many(all))
            }
        }
        d.deserialize_any(Either(std::marker::PhantomData))
    }
}

/// Numbers that [`OneOrMany`] can hold.
pub trait FromNumber: Sized + for<'de> Deserialize<'de> {
    /// For messages.
    const WHAT: &'static str;
    /// From an integer literal.
    fn from_i64(v: i64) -> Self;
    /// From a literal with fraction or exponent, where that makes sense.
    fn from_f64(v: f64) -> Option<Self>;
}
impl FromNumber for i64 {
    const WHAT: &'static str = "an integer";
    fn from_i64(v: i64) -> Self {
        v
    }
    fn from_f64(_: f64) -> Option<Self> {
        None
    }
}
impl FromNumber for f64 {
    const WHAT: &'static str = "a number";
    fn from_i64(v: i64) -> Self {
        v as f64
    }
    fn from_f64(v: f64) -> Option<Self> {
        Some(v)
    }
}

/// The new shape of [`reshape`](super::Graph::reshape).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum NewShape {
    /// Its dimensions.
    Dims(Vec<i64>),
    /// A coefficient that holds them.
    Tensor(Operand),
}
impl From<Vec<i64>> for NewShape {
    fn from(dims: Vec<i64>) -> Self {
        NewShape::Dims(dims)
    }
}
impl<const N: usize> From<[i64; N]> for NewShape {
    fn from(dims: [i64; N]) -> Self {
        NewShape::Dims(dims.into())
    }
}
impl From<Tensor> for NewShape {
    fn from(tensor: Tensor) -> Self {
        NewShape::Tensor(tensor.into())
    }
}
impl VisitOperands for NewShape {
    fn visit(&mut self, argument: &'static str, f: &mut dyn FnMut(&'static str, &mut Operand)) {
        if let NewShape::Tensor(t) = self {
            f(argument, t);
        }
    }
}
impl<'de> Deserialize<'de> for NewShape {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> de::Visitor<'de> for Either {
            type Value = NewShape;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a list of integers or the name of a tensor")
            }
            fn visit_str<E>(self, v: &str) -> Result<NewShape, E> {
                Ok(NewShape::Tensor(v.into()))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<NewShape, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(NewShape::Dims)
            }
        }
        d.deserialize_any(Either)
    }
}
impl JsonSchema for NewShape {
    fn schema_name() -> Cow<'static, str> {
        "NewShape".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (dims, tensor) = (generator.subschema_for::<Vec<i64>>(), generator.subschema_for::<Operand>());
        json_schema!({ "anyOf": [dims, tensor] })
    }
}

/// Visits the tensor arguments among a function's arguments.
pub(crate) trait VisitOperands {
    fn visit(&mut self, argument: &'static str, f: &mut dyn FnMut(&'static str, &mut Operand));
}
macro_rules! no_operands {
    ($($t:ty),*) => { $(impl VisitOperands for $t {
        fn visit(&mut self, _: &'static str, _: &mut dyn FnMut(&'static str, &mut Operand)) {}
    })* };
}
no_operands!(
    i64,
    f64,
    bool,
    String,
    Dtype,
    [i64; 2],
    [i64; 4],
    [i64; 3],
    [f64; 2],
    [f64; 3],
    Vec<f64>,
    Vec<i64>,
    Scalar,
    OneOrMany<i64>,
    OneOrMany<f64>
);
impl VisitOperands for Operand {
    fn visit(&mut self, argument: &'static str, f: &mut dyn FnMut(&'static str, &mut Operand)) {
        f(argument, self);
    }
}
impl VisitOperands for TensorOrScalar {
    fn visit(&mut self, argument: &'static str, f: &mut dyn FnMut(&'static str, &mut Operand)) {
        if let TensorOrScalar::Tensor(t) = self {
            f(argument, t);
        }
    }
}
impl<T: VisitOperands> VisitOperands for Option<T> {
    fn visit(&mut self, argument: &'static str, f: &mut dyn FnMut(&'static str, &mut Operand)) {
        if let Some(v) = self {
            v.visit(argument, f);
        }
    }
}
impl VisitOperands for Vec<Operand> {
    fn visit(&mut self, argument: &'static str, f: &mut dyn FnMut(&'static str, &mut Operand)) {
        self.iter_mut().for_each(|o| f(argument, o));
    }
}
