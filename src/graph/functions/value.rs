//! Arguments whose types are known at run time only.
use crate::{
    Graph, Operand, Tensor,
    array::Array,
    base::{Dtype, Result, invalid},
};
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, de};
use std::fmt;

/// An argument, or a part of one, of a call by name.
///
/// ```
/// use tpulang::functions::Value;
/// let stride = Value::from([2, 2]);
/// assert_eq!(stride, serde_json::from_str("[2, 2]").unwrap());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Absent; the default applies.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number with a fraction or exponent.
    Float(f64),
    /// A string: the name of a tensor or a dtype, or an enumerated value.
    Str(String),
    /// A tensor, or data for a coefficient.
    Tensor(Operand),
    /// A list.
    List(Vec<Value>),
    /// Named values, such as a scalar with its dtype.
    Map(IndexMap<String, Value>),
}

macro_rules! value_from {
    ($($t:ty => |$v:ident| $e:expr;)*) => { $(
        impl From<$t> for Value {
            fn from($v: $t) -> Self { $e }
        }
    )* };
}
value_from! {
    bool => |v| Value::Bool(v);
    i32 => |v| Value::Int(v.into());
    i64 => |v| Value::Int(v);
    f64 => |v| Value::Float(v);
    &str => |v| Value::Str(v.into());
    String => |v| Value::Str(v);
    Tensor => |v| Value::Tensor(v.into());
    Operand => |v| Value::Tensor(v);
    Array => |v| Value::Tensor(v.into());
    Dtype => |v| Value::Str(v.name().into());
}
impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(v: Vec<T>) -> Self {
        Value::List(v.into_iter().map(Into::into).collect())
    }
}
impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(v: [T; N]) -> Self {
        Value::List(v.into_iter().map(Into::into).collect())
    }
}

/// Formats the value for messages, truncated if long.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(v) => write!(f, "{v}"),
            Value::Int(v) => write!(f, "{v}"),
            Value::Float(v) => write!(f, "{v:?}"),
            Value::Str(v) => write!(f, "{:?}", crate::base::truncated(v)),
            Value::Tensor(Operand::Named(name)) => write!(f, "{:?}", crate::base::truncated(name)),
            Value::Tensor(_) => f.write_str("a tensor"),
            Value::List(v) if v.len() <= 8 && v.iter().all(|v| !matches!(v, Value::List(_) | Value::Map(_))) => {
                let all: Vec<_> = v.iter().map(|v| v.to_string()).collect();
                write!(f, "[{}]", all.join(", "))
            }
            Value::List(v) => write!(f, "a list of {}", v.len()),
            Value::Map(_) => f.write_str("an object"),
        }
    }
}

/// Numbers that JSON cannot represent, written as strings in specs.
const NOT_FINITE: [(&str, f64); 3] = [("inf", f64::INFINITY), ("-inf", f64::NEG_INFINITY), ("nan", f64::NAN)];

/// Returns the number that the string names.
#[doc(hidden)]
pub fn not_finite(word: &str) -> Option<f64> {
    NOT_FINITE.iter().find(|(w, _)| *w == word).map(|(_, number)| *number)
}

#[doc(hidden)]
pub fn number_to_json(v: f64) -> serde_json::Value {
    let word = NOT_FINITE.iter().find(|(_, number)| *number == v || number.is_nan() && v.is_nan());
    word.map_or_else(|| v.into(), |(word, _)| (*word).into())
}

impl Value {
    /// Returns the number, or the one that a string names: `"inf"`, `"-inf"`, `"nan"`.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Value::Int(v) => Some(*v as f64),
            Value::Float(v) => Some(*v),
            Value::Str(v) => not_finite(v),
            _ => None,
        }
    }
    /// Converts to JSON, with tensors as their names in `graph`.
    #[doc(hidden)]
    pub fn to_json(&self, graph: &Graph) -> Result<serde_json::Value> {
        use serde_json::{Value as Json, json};
        Ok(match self {
            Value::Null => Json::Null,
            Value::Bool(v) => json!(v),
            Value::Int(v) => json!(v),
            Value::Float(v) => number_to_json(*v),
            Value::Str(v) | Value::Tensor(Operand::Named(v)) => json!(v),
            Value::Tensor(Operand::Tensor(t)) => json!(graph.tensor(*t)?.name),
            Value::Tensor(Operand::Constant(_)) => return Err(invalid("a tensor argument is written by its name")),
            Value::List(v) => Json::Array(v.iter().map(|v| v.to_json(graph)).collect::<Result<_>>()?),
            Value::Map(v) => {
                Json::Object(v.iter().map(|(k, v)| Ok((k.clone(), v.to_json(graph)?))).collect::<Result<_>>()?)
            }
        })
    }
}

/// Reads a value from JSON.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        struct Any;
        impl<'de> de::Visitor<'de> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_unit<E>(self) -> std::result::Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, v: bool) -> std::result::Result<Value, E> {
                Ok(v.into())
            }
            fn visit_i64<E>(self, v: i64) -> std::result::Result<Value, E> {
                Ok(v.into())
            }
            // No argument takes an integer beyond i64.
            fn visit_u64<E>(self, v: u64) -> std::result::Result<Value, E> {
                Ok(i64::try_from(v).map_or(Value::Float(v as f64), Value::Int))
            }
            fn visit_f64<E>(self, v: f64) -> std::result::Result<Value, E> {
                Ok(v.into())
            }
            fn visit_str<E>(self, v: &str) -> std::result::Result<Value, E> {
                Ok(v.into())
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Value, A::Error> {
                let mut all = Vec::new();
                while let Some(v) = seq.next_element()? {
                    all.push(v);
                }
                Ok(Value::List(all))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> std::result::Result<Value, A::Error> {
                let mut all = IndexMap::new();
                while let Some((k, v)) = map.next_entry()? {
                    all.insert(k, v);
                }
                Ok(Value::Map(all))
            }
        }
        d.deserialize_any(Any)
    }
}
