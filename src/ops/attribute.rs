//! Attributes by name, for code that handles all ops uniformly.
use super::{
    AttributeDef, AttributeKind, Default, OpDef,
    def::{op_def, operator_error},
};
use crate::base::{Cause, Error, Result, nearest, truncated};
use std::{collections::BTreeMap, fmt};

/// A dictionary attribute.
pub type Dict = BTreeMap<String, Attribute>;

/// The value of an operator's attribute.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Attribute {
    Int(i64),
    Float(f64),
    Bool(bool),
    Str(String),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    /// A list of other values.
    List(Vec<Attribute>),
    Dict(Dict),
}

/// A Rust type of attributes.
pub(crate) trait AttributeValue: Sized {
    fn to_attribute(&self) -> Attribute;
    /// Returns `None` if the attribute is of another kind.
    fn from_attribute(attribute: Attribute) -> Option<Self>;
}

macro_rules! attribute_value {
    ($($t:ty => $v:ident),*) => { $(
        impl From<$t> for Attribute {
            fn from(value: $t) -> Self { Attribute::$v(value) }
        }
        impl AttributeValue for $t {
            fn to_attribute(&self) -> Attribute { Attribute::$v(self.clone()) }
            fn from_attribute(a: Attribute) -> Option<Self> {
                if let Attribute::$v(v) = a { Some(v) } else { None }
            }
        }
    )* };
}
attribute_value!(i64 => Int, f64 => Float, bool => Bool, String => Str, Vec<i64> => Ints, Vec<f64> => Floats, Dict => Dict);

impl From<&str> for Attribute {
    fn from(value: &str) -> Self {
        Attribute::Str(value.into())
    }
}

/// Implements `AttributeValue` for lists of values that are not plain numbers.
macro_rules! attribute_list {
    ($($t:ty),*) => { $(
        impl AttributeValue for Vec<$t> {
            fn to_attribute(&self) -> Attribute {
                Attribute::List(self.iter().map(AttributeValue::to_attribute).collect())
            }
            fn from_attribute(a: Attribute) -> Option<Self> {
                match a {
                    Attribute::List(all) => all.into_iter().map(AttributeValue::from_attribute).collect(),
                    Attribute::Ints(v) if v.is_empty() => Some(Vec::new()),
                    _ => None,
                }
            }
        }
    )* };
}
attribute_list!(Vec<i64>, Dict);

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Attribute::Int(v) => write!(f, "{v}"),
            Attribute::Float(v) => write!(f, "{v:?}"),
            Attribute::Bool(v) => write!(f, "{v}"),
            Attribute::Str(v) => write!(f, "{v:?}"),
            Attribute::Ints(v) => write!(f, "{v:?}"),
            Attribute::Floats(v) => write!(f, "{v:?}"),
            Attribute::List(v) => {
                let all: Vec<_> = v.iter().map(|a| a.to_string()).collect();
                write!(f, "[{}]", all.join(", "))
            }
            Attribute::Dict(v) => {
                let all: Vec<_> = v.iter().map(|(k, a)| format!("{k} = {a}")).collect();
                write!(f, "{{{}}}", all.join(", "))
            }
        }
    }
}

/// An operator's attributes, checked against its definition and complete: every attribute with a default is present.
#[derive(Debug, Clone, PartialEq, std::default::Default)]
pub struct Attributes(BTreeMap<&'static str, Attribute>);

impl IntoIterator for Attributes {
    type Item = (&'static str, Attribute);
    type IntoIter = std::collections::btree_map::IntoIter<&'static str, Attribute>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Attributes {
    /// Checks the given attributes against `op` and fills in its defaults.
    ///
    /// # Errors
    /// Returns an error if an attribute is unknown, missing, of the wrong kind, or a string that is not allowed.
    pub fn new(op: &OpDef, given: impl IntoIterator<Item = (impl AsRef<str>, Attribute)>) -> Result<Attributes> {
        let mut all = BTreeMap::new();
        for (name, value) in given {
            let name = name.as_ref();
            let def = op.attributes.iter().find(|a| a.name == name).ok_or_else(|| Cause::UnknownName {
                kind: "attribute",
                name: truncated(name),
                nearest: nearest(name, op.attributes.iter().map(|a| a.name)),
                known: op.attributes.iter().map(|a| a.name.to_owned()).collect(),
            })?;
            all.insert(def.name, checked(op, def, value)?);
        }
        for def in op.attributes.iter().filter(|d| !d.optional) {
            if all.contains_key(def.name) {
                continue;
            }
            let default = def.default.map(default_value);
            let value = default.ok_or_else(|| operator_error(op, format!("the attribute {} is missing", def.name)))?;
            all.insert(def.name, value);
        }
        Ok(Attributes(all))
    }

    /// Returns the defaults of all attributes.
    ///
    /// # Errors
    /// Returns an error if an attribute has no default.
    pub fn defaults(op: &OpDef) -> Result<Attributes> {
        Attributes::new(op, std::iter::empty::<(&str, Attribute)>())
    }
    /// Returns the attribute called `name`.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.0.get(name)
    }
    /// Returns all attributes with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Attribute)> {
        self.0.iter().map(|(k, v)| (*k, v))
    }
    /// Returns the attributes that differ from the op's defaults.
    pub fn without_defaults(self, op: &OpDef) -> impl Iterator<Item = (&'static str, Attribute)> {
        let default =
            |name: &str| op.attributes.iter().find(|a| a.name == name).and_then(|a| a.default).map(default_value);
        self.into_iter().filter(move |(name, value)| default(name).as_ref() != Some(value))
    }

    pub(crate) fn put<T: AttributeValue>(&mut self, name: &'static str, value: &T) {
        self.0.insert(name, value.to_attribute());
    }
    pub(crate) fn put_optional<T: AttributeValue>(&mut self, name: &'static str, value: &Option<T>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }
    pub(crate) fn take_optional<T: AttributeValue>(&mut self, name: &'static str) -> Result<Option<T>> {
        let of_another_kind = || Error::from(Cause::Syntax(format!("the attribute {name} is of another kind")));
        self.0.remove(name).map(|v| T::from_attribute(v).ok_or_else(of_another_kind)).transpose()
    }
    pub(crate) fn take<T: AttributeValue>(&mut self, name: &'static str) -> Result<T> {
        self.take_optional(name)?.ok_or_else(|| missing(name))
    }
}

fn missing(name: &str) -> Error {
    Cause::Syntax(format!("the attribute {name} is missing")).into()
}

fn checked(op: &OpDef, def: &AttributeDef, value: Attribute) -> Result<Attribute> {
    use {Attribute as A, AttributeKind as K};
    let is_i32 = |v: &i64| i32::try_from(*v).is_ok();
    let fits = match (&def.kind, &value) {
        (K::Int, A::Int(_)) | (K::Float, A::Float(_)) | (K::Bool, A::Bool(_)) | (K::Str, A::Str(_)) => true,
        (K::Ints, A::Ints(_)) | (K::Floats, A::Floats(_)) => true,
        (K::Si32 | K::I32, A::Int(v)) => is_i32(v),
        (K::Ui32, A::Int(v)) => u32::try_from(*v).is_ok(),
        (K::I32s, A::Ints(v)) => v.iter().all(is_i32),
        // An empty list in MLIR text has no element type.
        (K::Floats, A::Ints(v)) if v.is_empty() => return Ok(A::Floats(Vec::new())),
        (K::IntLists | K::Dicts, A::Ints(v)) => v.is_empty(),
        (K::IntLists, A::List(v)) => v.iter().all(|a| matches!(a, A::Ints(_))),
        (K::Dicts, A::List(v)) => v.iter().all(|a| matches!(a, A::Dict(_))),
        (K::OneOf(allowed), A::Str(v)) => allowed.contains(&v.as_str()),
        _ => false,
    };
    if !fits {
        return Err(operator_error(op, format!("the attribute {} is {value}; expected {}", def.name, def.kind)));
    }
    Ok(value)
}

fn default_value(default: Default) -> Attribute {
    match default {
        Default::Int(v) => Attribute::Int(v),
        Default::Float(v) => Attribute::Float(v),
        Default::Bool(v) => Attribute::Bool(v),
        Default::Str(v) => Attribute::Str(v.into()),
        Default::Ints(v) => Attribute::Ints(v.into()),
        Default::Floats(v) => Attribute::Floats(v.into()),
    }
}

/// Checks an op that was built as a struct, whose integers may exceed the range of the attribute's kind.
///
/// # Errors
/// Returns an error if there is no such op, or if a value is not of its attribute's kind.
pub fn check_attributes(name: &str, attributes: &Attributes) -> Result<()> {
    let op = op_def(name)?;
    for (name, value) in attributes.iter() {
        if let Some(def) = op.attributes.iter().find(|a| a.name == name) {
            checked(op, def, value.clone())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_checked_against_the_table() {
        let (relu, softmax) = (op_def("Relu").unwrap(), op_def("Softmax").unwrap());
        let none: [(&str, Attribute); 0] = [];
        assert_eq!(Attributes::new(relu, none.clone()).unwrap().get("relu_limit"), Some(&Attribute::Float(-1.0)));
        for (op, given, message) in [
            (softmax, vec![], "top.Softmax: the attribute axis is missing"),
            (
                relu,
                vec![("relu_limit", Attribute::Int(6))],
                "top.Relu: the attribute relu_limit is 6; expected a float",
            ),
            (
                relu,
                vec![("relu_limits", Attribute::Int(6))],
                "unknown attribute \"relu_limits\"; did you mean \"relu_limit\"?",
            ),
            (
                softmax,
                vec![("axis", Attribute::Int(1 << 40))],
                "top.Softmax: the attribute axis is 1099511627776; expected a 32-bit integer",
            ),
        ] {
            assert_eq!(Attributes::new(op, given).unwrap_err().to_string(), message);
        }
    }
}
