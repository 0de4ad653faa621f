use std::fmt;

/// The definition of an op of the Top dialect, as `td/` gives it.
#[derive(Debug)]
pub struct OpDef {
    /// Name without the dialect: `Conv`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// More, may be empty.
    pub description: &'static str,
    /// Operands in order.
    pub operands: &'static [ValueDef],
    /// Attributes in order of definition.
    pub attributes: &'static [AttributeDef],
    /// Results in order.
    pub results: &'static [ValueDef],
    /// Whether input and output share their quantization.
    pub quant_transparent: bool,
}

/// An operand or result of an [`OpDef`].
#[derive(Debug)]
pub struct ValueDef {
    /// Its name.
    pub name: &'static str,
    /// How often it occurs.
    pub arity: Arity,
}

/// How often an operand or result occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Once.
    Required,
    /// Once, as a tensor or as `none`.
    OrNone,
    /// Once or not at all.
    Optional,
    /// Any number of times.
    Variadic,
}

/// An attribute of an [`OpDef`].
#[derive(Debug)]
pub struct AttributeDef {
    /// Its name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: AttributeKind,
    /// The value where none is given.
    pub default: Option<Default>,
    /// Whether it may be absent.
    pub optional: bool,
}

/// The kinds of attributes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AttributeKind {
    /// A 64-bit integer.
    Int,
    /// A signed 32-bit integer.
    Si32,
    /// A 64-bit float.
    Float,
    /// True or false.
    Bool,
    /// Any string.
    Str,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// 64-bit integers.
    Ints,
    /// 64-bit floats.
    Floats,
}

impl fmt::Display for AttributeKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            AttributeKind::Int => f.write_str("an integer"),
            AttributeKind::Si32 => f.write_str("a 32-bit integer"),
            AttributeKind::Float => f.write_str("a float"),
            AttributeKind::Bool => f.write_str("true or false"),
            AttributeKind::Str => f.write_str("a string"),
            AttributeKind::Ints => f.write_str("a list of integers"),
            AttributeKind::Floats => f.write_str("a list of floats"),
            AttributeKind::OneOf(allowed) => write!(f, "one of {}", allowed.join(", ")),
        }
    }
}

/// A default of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Default {
    Int(i64),
    Float(f64),
    Bool(bool),
    Str(&'static str),
    /// An empty list.
    Empty,
}

impl fmt::Display for Default {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Default::Int(v) => write!(f, "{v}"),
            Default::Float(v) => write!(f, "{v:?}"),
            Default::Bool(v) => write!(f, "{v}"),
            Default::Str(v) => write!(f, "{v:?}"),
            Default::Empty => write!(f, "[]"),
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/op_table.rs"));

/// The op of that name (without `top.`).
pub fn op_def(name: &str) -> Option<&'static OpDef> {
    OPS.binary_search_by_key(&name, |op| op.name).ok().map(|i| &OPS[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_is_found_and_described() {
        for op in OPS {
            assert!(std::ptr::eq(op_def(op.name).unwrap(), op));
            assert!(!op.summary.is_empty());
            for a in op.attributes {
                if let (AttributeKind::OneOf(allowed), Some(Default::Str(d))) = (a.kind, a.default) {
                    assert!(allowed.contains(&d), "{}.{}: {d} is not allowed", op.name, a.name);
                }
            }
        }
        assert!(op_def("Nothing").is_none());
    }
}
