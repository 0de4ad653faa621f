//! Numbers as arguments: one or many, of any integer type.
use super::{Cause, Result, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// Integers: dimensions, axes, offsets. Converted from arrays, vectors and slices of the common integer types, and from a
/// single integer.
///
/// ```
/// use tpulang::base::Ints;
/// assert_eq!(Ints::from([1usize, 3]), Ints::from(vec![1i64, 3]));
/// assert_eq!(Ints::from([1, 3]).0, [1, 3]);
/// assert_eq!(Ints::from(3usize).0, [3]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ints(pub Vec<i64>);

macro_rules! ints_from {
    ($($t:ty),*) => { $(
        impl From<$t> for Ints {
            fn from(v: $t) -> Self { [v].into() }
        }
        impl<const N: usize> From<[$t; N]> for Ints {
            fn from(v: [$t; N]) -> Self { v.as_slice().into() }
        }
        impl From<Vec<$t>> for Ints {
            fn from(v: Vec<$t>) -> Self { v.as_slice().into() }
        }
        impl From<&[$t]> for Ints {
            // Values beyond i64 saturate, which is still too large for any tensor.
            fn from(v: &[$t]) -> Self { Ints(v.iter().map(|&x| i64::try_from(x).unwrap_or(i64::MAX)).collect()) }
        }
        impl From<&Vec<$t>> for Ints {
            fn from(v: &Vec<$t>) -> Self { v.as_slice().into() }
        }
    )* };
}
ints_from!(i32, u32, i64, u64, usize);

impl Ints {
    /// Converts to the shape of a tensor.
    ///
    /// # Errors
    /// Returns an error if a number is negative.
    pub fn to_shape(&self) -> Result<Shape> {
        let shape: std::result::Result<Shape, _> = self.0.iter().map(|&d| usize::try_from(d)).collect();
        shape.map_err(|_| Cause::Shape(format!("the shape {:?} has a negative dimension", self.0)).into())
    }
}

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "OneOrMany_{T}")]
pub enum OneOrMany<T> {
    /// One value for all.
    One(T),
    /// One value for each.
    Many(Vec<T>),
}

impl<T: Clone> OneOrMany<T> {
    /// Converts to a list.
    pub fn to_vec(&self) -> Vec<T> {
        match self {
            OneOrMany::One(v) => vec![v.clone()],
            OneOrMany::Many(v) => v.clone(),
        }
    }
    /// Returns whether this is a list.
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

// Not derived, since serde's untagged enums lose the place and the cause of an error.
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

/// Numbers that can be elements of a [`OneOrMany`].
pub trait FromNumber: Sized + for<'de> Deserialize<'de> {
    /// The expected value, for messages.
    const WHAT: &'static str;
    /// Converts an integer literal.
    fn from_i64(v: i64) -> Self;
    /// Converts a literal with fraction or exponent. Returns `None` for integers.
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
