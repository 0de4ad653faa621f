//! The op table generated from `td/`, and the typed ops of the same definitions.
use super::{
    attribute::{Attribute, AttributeValue, Attributes},
    generated::{Input, OPS, Op},
};
use crate::{
    base::{Cause, Error, Result, nearest, truncated},
    quant::RoundMode,
};
use std::fmt;

/// The definition of an op of the Top dialect, from `td/`.
#[derive(Debug)]
pub struct OpDef {
    /// Name without the dialect: `Conv`.
    pub name: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// Further description; may be empty.
    pub description: &'static str,
    /// Operands in order; only the last can be optional or variadic.
    pub operands: &'static [ValueDef],
    /// Attributes in order of definition.
    pub attributes: &'static [AttributeDef],
    /// Results in order.
    pub results: &'static [ValueDef],
    /// Names of the blocks that it owns.
    pub blocks: &'static [&'static str],
    /// Whether input and output share their quantization.
    pub quant_transparent: bool,
    /// Whether it is part of the module's structure (`None`, `Input`, `Weight`, `Yield`) and computes nothing.
    pub structure: bool,
}

impl PartialEq for OpDef {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// An operand or result of an [`OpDef`].
#[derive(Debug)]
pub struct ValueDef {
    /// Its name.
    pub name: &'static str,
    /// A description without its last period; may be empty for the only result of an op, which the op's own description covers.
    pub description: &'static str,
    /// Its arity.
    pub arity: Arity,
}

/// Arity of an operand or result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Exactly one tensor.
    Required,
    /// A tensor or `none`.
    OrNone,
    /// A tensor or `none`, which may also be omitted.
    Optional,
    /// Any number of tensors.
    Variadic,
}

/// An attribute of an [`OpDef`].
#[derive(Debug)]
pub struct AttributeDef {
    /// Its name.
    pub name: &'static str,
    /// A description without its last period.
    pub description: &'static str,
    /// The kind of its values.
    pub kind: AttributeKind,
    /// The default value.
    pub default: Option<Default>,
    /// Whether it may be absent.
    pub optional: bool,
    /// Whether it is kept, but changes no result.
    pub ignored: bool,
}

/// The kinds of attributes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AttributeKind {
    /// A 64-bit integer.
    Int,
    /// A signed 32-bit integer.
    Si32,
    /// A 32-bit integer without sign semantics.
    I32,
    /// An unsigned 32-bit integer.
    Ui32,
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
    /// 32-bit integers.
    I32s,
    /// 64-bit floats.
    Floats,
    /// Lists of 64-bit integers.
    IntLists,
    /// Dictionaries.
    Dicts,
}

impl fmt::Display for AttributeKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            AttributeKind::Int => f.write_str("an integer"),
            AttributeKind::Si32 | AttributeKind::I32 => f.write_str("a 32-bit integer"),
            AttributeKind::Ui32 => f.write_str("a 32-bit integer of at least 0"),
            AttributeKind::Float => f.write_str("a float"),
            AttributeKind::Bool => f.write_str("true or false"),
            AttributeKind::Str => f.write_str("a string"),
            AttributeKind::Ints => f.write_str("a list of integers"),
            AttributeKind::I32s => f.write_str("a list of 32-bit integers"),
            AttributeKind::Floats => f.write_str("a list of floats"),
            AttributeKind::IntLists => f.write_str("a list of lists of integers"),
            AttributeKind::Dicts => f.write_str("a list of dictionaries"),
            AttributeKind::OneOf(allowed) => write!(f, "one of {}", allowed.join(", ")),
        }
    }
}

/// A default value in the op table.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Default {
    Int(i64),
    Float(f64),
    Bool(bool),
    Str(&'static str),
    Ints(&'static [i64]),
    Floats(&'static [f64]),
}

impl fmt::Display for Default {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Default::Int(v) => write!(f, "{v}"),
            Default::Float(v) => write!(f, "{v:?}"),
            Default::Bool(v) => write!(f, "{v}"),
            Default::Str(v) => write!(f, "{v:?}"),
            Default::Ints(v) => write!(f, "{v:?}"),
            Default::Floats(v) => write!(f, "{v:?}"),
        }
    }
}

/// The values of one operand of an [`OpDef`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OperandValue<'a, V> {
    /// A single value.
    One(&'a V),
    /// No value.
    Absent,
    /// The values of a variadic operand.
    Many(&'a [V]),
}

/// A list of operands, consumed in the definition's order.
pub(crate) struct OperandList<V> {
    op: &'static OpDef,
    rest: std::vec::IntoIter<Option<V>>,
}

impl<V> OperandList<V> {
    pub(crate) fn required(&mut self, name: &'static str) -> Result<V> {
        self.rest.next().flatten().ok_or_else(|| operator_error(self.op, format!("the operand {name} is none")))
    }
    pub(crate) fn optional(&mut self, _: &'static str) -> Result<Option<V>> {
        Ok(self.rest.next().flatten())
    }
    pub(crate) fn rest(&mut self, name: &'static str) -> Result<Vec<V>> {
        let op = self.op;
        let none = |i| operator_error(op, format!("operand {i} of {name} is none"));
        self.rest.by_ref().enumerate().map(|(i, v)| v.ok_or_else(|| none(i))).collect()
    }
}

/// Returns the error about an invalid operator of `op`.
pub fn operator_error(op: &OpDef, problem: impl Into<String>) -> Error {
    Cause::Operator { op: op.name.into(), problem: problem.into() }.into()
}

pub(crate) fn is_structure(name: &str) -> Error {
    let problem =
        "it is structure, not computation: inputs, coefficients and the ends of blocks are made by the graph".into();
    Cause::Operator { op: name.into(), problem }.into()
}

/// Implements `AttributeValue` for the enum of a string attribute.
macro_rules! one_of {
    ($name:ident) => {
        impl AttributeValue for $name {
            fn to_attribute(&self) -> Attribute {
                Attribute::Str(self.name().to_owned())
            }
            fn from_attribute(a: Attribute) -> Option<Self> {
                if let Attribute::Str(s) = a { $name::from_name(&s) } else { None }
            }
        }
    };
}

one_of!(RoundMode);
pub(crate) use one_of;

impl Input<()> {
    /// Creates the op from checked attributes.
    ///
    /// # Errors
    /// Returns an error if one is missing, or of another kind, which the check excludes.
    pub fn read(attributes: &mut Attributes) -> Result<Self> {
        let op = op_def("Input")?;
        Input::build(&mut OperandList { op, rest: vec![Some(())].into_iter() }, attributes)
    }
}

impl<V> Op<V> {
    /// Creates an op by name from its operands, in the definition's order (`None` if absent), and the attributes that
    /// differ from the defaults.
    ///
    /// # Errors
    /// Returns an error if there is no such op, or if operands or attributes do not match its definition.
    pub fn new(
        name: &str,
        operands: Vec<Option<V>>,
        attributes: impl IntoIterator<Item = (impl AsRef<str>, Attribute)>,
    ) -> Result<Op<V>> {
        let op = op_def(name)?;
        let attributes = Attributes::new(op, attributes)?;
        Self::from_parts(op, operands, attributes)
    }
    /// Like [`Op::new`], with checked attributes.
    pub(crate) fn from_parts(
        op: &'static OpDef,
        operands: Vec<Option<V>>,
        mut attributes: Attributes,
    ) -> Result<Op<V>> {
        check_count(op, operands.len())?;
        let mut parts = OperandList { op, rest: operands.into_iter() };
        Op::build(op.name, &mut parts, &mut attributes)
    }
    /// Returns the op's definition.
    pub fn def(&self) -> &'static OpDef {
        // Every variant is generated from a row of the table.
        op_def(self.name()).unwrap_or(&OPS[0])
    }
    /// Returns the operands that are present, with their names in the definition.
    pub fn operands(&self) -> impl Iterator<Item = (&'static str, &V)> {
        self.operand_values().into_iter().flat_map(|(name, value)| {
            let values = match value {
                OperandValue::One(v) => std::slice::from_ref(v),
                OperandValue::Absent => &[],
                OperandValue::Many(all) => all,
            };
            values.iter().map(move |v| (name, v))
        })
    }
    /// Returns the operand whose stored elements the op selects or moves unchanged. A quantized result then keeps the
    /// operand's scale.
    pub fn selected_from(&self) -> Option<&V> {
        match self {
            Op::Gather(op) => Some(&op.input),
            Op::GatherElements(op) => Some(&op.input),
            Op::GatherND(op) => Some(&op.input),
            Op::Reverse(op) => Some(&op.input),
            Op::Reshape(op) => Some(&op.input),
            Op::Permute(op) => Some(&op.input),
            Op::Slice(op) => Some(&op.input),
            Op::Split(op) => Some(&op.input),
            Op::Depth2Space(op) => Some(&op.input),
            Op::Tile(op) => Some(&op.input),
            Op::Expand(op) => Some(&op.input),
            // The constant that it adds is a stored element, too.
            Op::Pad(op) => Some(&op.input),
            Op::Squeeze(op) => Some(&op.input),
            Op::Unsqueeze(op) => Some(&op.input),
            Op::MaxPool(op) if !op.do_relu => Some(&op.input),
            _ => None,
        }
    }
    /// Returns the operand of an op that only changes the shape: the elements and their order stay the same.
    pub fn viewed_from(&self) -> Option<&V> {
        match self {
            Op::Reshape(op) => Some(&op.input),
            Op::Squeeze(op) => Some(&op.input),
            Op::Unsqueeze(op) => Some(&op.input),
            Op::Flatten(op) => Some(&op.input),
            Op::View(op) => Some(&op.input),
            _ => None,
        }
    }
    /// Returns the operands as MLIR lists them: `None` for an absent operand; a trailing absent optional one is omitted.
    pub fn operand_list(&self) -> Vec<Option<&V>> {
        let optional = self.def().operands.last().is_some_and(|o| o.arity == Arity::Optional);
        let mut list = Vec::new();
        for (_, value) in self.operand_values() {
            match value {
                OperandValue::One(v) => list.push(Some(v)),
                OperandValue::Absent => list.push(None),
                OperandValue::Many(all) => list.extend(all.iter().map(Some)),
            }
        }
        if optional && list.last().is_some_and(Option::is_none) {
            list.pop();
        }
        list
    }
    /// Returns the op with each operand mapped by `f`.
    pub fn map<U>(&self, mut f: impl FnMut(&V) -> U) -> Op<U> {
        let mapped: std::result::Result<Op<U>, std::convert::Infallible> = self.try_map(&mut |v| Ok(f(v)));
        match mapped {
            Ok(op) => op,
            Err(never) => match never {},
        }
    }
}

impl<V: Clone> Op<V> {
    /// Returns the op with one attribute set; `None` resets it to its default.
    ///
    /// # Errors
    /// Returns an error if there is no such attribute, or if the value is of the wrong kind.
    pub fn with_attribute(&self, name: &str, value: Option<Attribute>) -> Result<Op<V>> {
        let others = self.attributes().into_iter().filter(|(n, _)| *n != name).map(|(n, v)| (n.to_owned(), v));
        let given: Vec<(String, Attribute)> = others.chain(value.map(|v| (name.to_owned(), v))).collect();
        if !self.def().attributes.iter().any(|a| a.name == name) {
            Attributes::new(self.def(), [(name, Attribute::Bool(false))])?;
        }
        Op::new(self.name(), self.operand_list().into_iter().map(Option::<&V>::cloned).collect(), given)
    }
}

fn check_count(op: &OpDef, found: usize) -> Result<()> {
    let variadic = op.operands.last().is_some_and(|o| o.arity == Arity::Variadic);
    let least = op.operands.iter().filter(|o| !matches!(o.arity, Arity::Optional | Arity::Variadic)).count();
    if found < least || (!variadic && found > op.operands.len()) {
        let most = if variadic { "any number".to_owned() } else { op.operands.len().to_string() };
        let expected = if most == least.to_string() { most } else { format!("{least} to {most}") };
        return Err(operator_error(
            op,
            format!("it has {found} operand{}; expected {expected}", if found == 1 { "" } else { "s" }),
        ));
    }
    if let ([only], 0) = (op.operands, found)
        && variadic
    {
        return Err(operator_error(op, format!("{} is empty", only.name)));
    }
    Ok(())
}

/// Returns the op called `name` (without `top.`).
///
/// # Errors
/// Returns an error if there is no such op, with the most similar name.
pub fn op_def(name: &str) -> Result<&'static OpDef> {
    OPS.binary_search_by_key(&name, |op| op.name).map(|i| &OPS[i]).map_err(|_| {
        let nearest = nearest(name, OPS.iter().map(|o| o.name)).map(|n| format!("top.{n}"));
        Cause::UnknownName { kind: "op", name: format!("top.{}", truncated(name)), nearest, known: Vec::new() }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Conv;

    #[test]
    fn every_op_is_found_and_described() {
        for op in OPS {
            assert!(std::ptr::eq(op_def(op.name).unwrap(), op));
            assert!(!op.summary.is_empty());
        }
        assert!(op_def("Nothing").is_err());
    }

    #[test]
    fn an_op_is_its_parts() {
        let conv = Conv { bias: Some(3), group: 2, ..Conv::new(1, 2, vec![1], vec![1], vec![0, 0]) };
        let op = Op::from(conv);
        assert_eq!(op.operand_list(), [Some(&1), Some(&2), Some(&3)]);
        let again =
            Op::new("Conv", op.operand_list().into_iter().map(Option::<&i32>::cloned).collect(), op.attributes());
        assert_eq!(again.unwrap(), op);
        let changed = op.with_attribute("group", None).unwrap();
        assert!(matches!(&changed, Op::Conv(c) if c.group == 1 && c.bias == Some(3)));
        assert!(op.with_attribute("groups", None).is_err());
        assert_eq!(
            Op::new("Relu", vec![None::<u8>], [("", Attribute::Bool(true)); 0]).unwrap_err().to_string(),
            "top.Relu: the operand input is none"
        );
    }
}
