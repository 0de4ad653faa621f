use super::{AttributeDef, AttributeKind, Cause, Default, OpDef, Result, nearest};
use std::{collections::BTreeMap, fmt};

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
}

macro_rules! from {
    ($($t:ty => $v:ident),*) => { $(impl From<$t> for Attribute {
        fn from(value: $t) -> Self { Attribute::$v(value.into()) }
    })* };
}
from!(i64 => Int, i32 => Int, f64 => Float, bool => Bool, &str => Str, String => Str, Vec<i64> => Ints,
      &[i64] => Ints, [i64; 2] => Ints, [i64; 4] => Ints, Vec<f64> => Floats);

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Attribute::Int(v) => write!(f, "{v}"),
            Attribute::Float(v) => write!(f, "{v:?}"),
            Attribute::Bool(v) => write!(f, "{v}"),
            Attribute::Str(v) => write!(f, "{v:?}"),
            Attribute::Ints(v) => write!(f, "{v:?}"),
            Attribute::Floats(v) => write!(f, "{v:?}"),
        }
    }
}

/// An operator's attributes, checked against its definition and complete:
/// every attribute with a default is present.
#[derive(Debug, Clone, PartialEq, std::default::Default)]
pub struct Attributes(BTreeMap<&'static str, Attribute>);

macro_rules! getter {
    ($($(#[$doc:meta])* $name:ident: $variant:ident => $t:ty, $absent:expr;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self, name: &str) -> $t {
            match self.0.get(name) {
                Some(Attribute::$variant(v)) => v.clone().into(),
                _ => $absent,
            }
        }
    )* };
}

impl Attributes {
    /// Checks the given attributes against `op` and fills in its defaults.
    ///
    /// # Errors
    /// An attribute that the op does not have, of the wrong kind, with a string that is not allowed, or missing.
    pub fn new(op: &OpDef, given: impl IntoIterator<Item = (impl AsRef<str>, Attribute)>) -> Result<Attributes> {
        let mut all = BTreeMap::new();
        for (name, value) in given {
            let name = name.as_ref();
            let def = op.attributes.iter().find(|a| a.name == name).ok_or_else(|| Cause::UnknownName {
                kind: "attribute",
                name: format!("{name} of top.{}", op.name),
                nearest: nearest(name, op.attributes.iter().map(|a| a.name)),
            })?;
            all.insert(def.name, checked(op, def, value)?);
        }
        for def in op.attributes.iter().filter(|d| !d.optional) {
            if all.contains_key(def.name) {
                continue;
            }
            let value = def.default.map(|d| default_value(d, def.kind)).ok_or_else(|| Cause::Operator {
                op: op.name.into(),
                problem: format!("the attribute {} is missing", def.name),
            })?;
            all.insert(def.name, value);
        }
        Ok(Attributes(all))
    }

    /// The attribute of that name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.0.get(name)
    }
    /// All, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Attribute)> {
        self.0.iter().map(|(k, v)| (*k, v))
    }
    getter! {
        /// An integer attribute; 0 where it is absent.
        int: Int => i64, 0;
        /// A float attribute; 0 where it is absent.
        float: Float => f64, 0.0;
        /// A bool attribute; false where it is absent.
        bool: Bool => bool, false;
        /// A list of integers; empty where it is absent.
        ints: Ints => Vec<i64>, Vec::new();
        /// A list of floats; empty where it is absent.
        floats: Floats => Vec<f64>, Vec::new();
    }
    /// A string attribute; empty where it is absent.
    pub fn str(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Attribute::Str(v)) => v,
            _ => "",
        }
    }
}

fn checked(op: &OpDef, def: &AttributeDef, value: Attribute) -> Result<Attribute> {
    use {Attribute as A, AttributeKind as K};
    let fits = match (&def.kind, &value) {
        (K::Int, A::Int(_)) | (K::Float, A::Float(_)) | (K::Bool, A::Bool(_)) | (K::Str, A::Str(_)) => true,
        (K::Ints, A::Ints(_)) | (K::Floats, A::Floats(_)) => true,
        (K::Si32, A::Int(v)) => i32::try_from(*v).is_ok(),
        // An empty list in MLIR text does not say of what.
        (K::Floats, A::Ints(v)) => v.is_empty(),
        (K::OneOf(allowed), A::Str(v)) => allowed.contains(&v.as_str()),
        _ => false,
    };
    if !fits {
        let problem = format!("the attribute {} is {value}; expected {}", def.name, def.kind);
        return Err(Cause::Operator { op: op.name.into(), problem }.into());
    }
    Ok(value)
}

fn default_value(default: Default, kind: AttributeKind) -> Attribute {
    match default {
        Default::Int(v) => Attribute::Int(v),
        Default::Float(v) => Attribute::Float(v),
        Default::Bool(v) => Attribute::Bool(v),
        Default::Str(v) => Attribute::Str(v.into()),
        Default::Empty if matches!(kind, AttributeKind::Floats) => Attribute::Floats(Vec::new()),
        Default::Empty => Attribute::Ints(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::op_def;

    #[test]
    fn attributes_are_checked_against_the_table() {
        let relu = op_def("Relu").unwrap();
        let softmax = op_def("Softmax").unwrap();
        let none: [(&str, Attribute); 0] = [];
        assert_eq!(Attributes::new(relu, none.clone()).unwrap().float("relu_limit"), -1.0);
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
                "unknown attribute \"relu_limits of top.Relu\"; did you mean \"relu_limit\"?",
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
