//! Nodes with their operands and attributes, as converters see them.
use super::{
    proto::{self, attribute_type},
    value::Value,
};
use crate::base::{Dtype, Error, Result, argument, invalid, misfit};
use std::cell::RefCell;

// Further types of attributes.
const FLOATS: i32 = 6;
const INTS: i32 = 7;
const STRINGS: i32 = 8;

/// A node of a graph.
pub struct Node<'m> {
    pub proto: &'m proto::Node,
    /// `None` for operands that are left out.
    pub inputs: Vec<Option<Value>>,
    /// Version of the operator set of its domain.
    pub version: i64,
    /// The error about the first attribute that does not have the type that it was read as.
    mistyped: RefCell<Option<Error>>,
}

impl<'m> Node<'m> {
    pub fn new(proto: &'m proto::Node, inputs: Vec<Option<Value>>, version: i64) -> Node<'m> {
        Node { proto, inputs, version, mistyped: RefCell::default() }
    }
    /// Converts the node.
    ///
    /// # Errors
    /// Returns an error of `convert`, or that an attribute has another type than the operator's, whose default would be used instead.
    pub fn converted<R>(&self, convert: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let results = convert(self);
        self.mistyped.take().map_or(results, Err)
    }

    /// Returns a branch, a body or another graph that an attribute holds.
    pub fn graph(&self, name: &str) -> Option<&'m proto::Graph> {
        self.proto.attribute.iter().find(|a| a.name == name)?.g.as_ref()
    }
    /// Returns a required operand.
    pub fn input(&self, index: usize) -> Result<&Value> {
        self.optional(index).ok_or_else(|| invalid(format!("its input {index} is missing")))
    }
    /// Returns an operand that may be left out.
    pub fn optional(&self, index: usize) -> Option<&Value> {
        self.inputs.get(index).and_then(Option::as_ref)
    }
    /// Returns all operands, none of which may be left out.
    pub fn all_inputs(&self) -> Result<Vec<&Value>> {
        (0..self.inputs.len()).map(|i| self.input(i)).collect()
    }
    /// Returns the number of results, including those that nobody reads.
    pub fn outputs(&self) -> usize {
        self.proto.output.len()
    }
    /// Returns whether a result has a name, so that it may be read.
    pub fn is_wanted(&self, index: usize) -> bool {
        self.proto.output.get(index).is_some_and(|name| !name.is_empty())
    }

    /// Returns an attribute of the expected type. One of another type is left out, and noted as an error.
    fn typed(&self, name: &str, expected: i32) -> Option<&'m proto::Attribute> {
        let attribute = self.attribute(name)?;
        // Old files leave the type out.
        if [0, expected].contains(&attribute.r#type) {
            return Some(attribute);
        }
        let types = format!("is {}; expected {}", type_text(attribute.r#type), type_text(expected));
        self.mistyped.borrow_mut().get_or_insert_with(|| misfit(name, types));
        None
    }
    pub fn attribute(&self, name: &str) -> Option<&'m proto::Attribute> {
        self.proto.attribute.iter().find(|a| a.name == name)
    }
    pub fn int(&self, name: &str) -> Option<i64> {
        let a = self.typed(name, attribute_type::INT)?;
        a.i.or((a.r#type == attribute_type::INT).then_some(0))
    }
    pub fn int_or(&self, name: &str, default: i64) -> i64 {
        self.int(name).unwrap_or(default)
    }
    /// Returns a positive number that the node must have.
    pub fn size(&self, name: &str) -> Result<usize> {
        let size = self.int(name).and_then(|v| usize::try_from(v).ok()).filter(|v| *v > 0);
        size.ok_or_else(|| invalid(format!("it has no {name}")))
    }
    pub fn flag(&self, name: &str) -> bool {
        self.int_or(name, 0) != 0
    }
    pub fn float(&self, name: &str) -> Option<f64> {
        let a = self.typed(name, attribute_type::FLOAT)?;
        a.f.map(exact).or((a.r#type == attribute_type::FLOAT).then_some(0.0))
    }
    pub fn float_or(&self, name: &str, default: f64) -> f64 {
        self.float(name).unwrap_or(default)
    }
    pub fn ints(&self, name: &str) -> Option<Vec<i64>> {
        self.typed(name, INTS).map(|a| a.ints.clone())
    }
    pub fn floats(&self, name: &str) -> Option<Vec<f64>> {
        self.typed(name, FLOATS).map(|a| a.floats.iter().map(|&v| exact(v)).collect())
    }
    pub fn text(&self, name: &str) -> Option<&str> {
        let a = self.typed(name, attribute_type::STRING)?;
        match &a.s {
            Some(bytes) => std::str::from_utf8(bytes).ok(),
            None => (a.r#type == attribute_type::STRING).then_some(""),
        }
    }
    pub fn texts(&self, name: &str) -> Option<Vec<&str>> {
        self.typed(name, STRINGS)?.strings.iter().map(|s| std::str::from_utf8(s).ok()).collect()
    }
    /// Returns the value of an attribute that has one of a few words.
    pub fn word<'w, T: Copy>(&self, name: &str, default: &'w str, words: &[(&'w str, T)]) -> Result<T> {
        let word = self.text(name).unwrap_or(default);
        words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|(known, _)| *known).collect();
            argument(name, format!("{word:?}"), format!("expected one of {}", known.join(", ")))
        })
    }

    /// Returns the axis that an attribute names.
    pub fn axis_or(&self, name: &str, default: i64, rank: usize) -> Result<usize> {
        resolved_axis(name, self.int_or(name, default), rank)
    }

    /// Returns the integers of a list that is an attribute in old versions of the operator, and an operand that must be known in
    /// new ones.
    pub fn ints_of(&self, attribute: &str, index: usize) -> Result<Option<Vec<i64>>> {
        match self.optional(index) {
            Some(value) => known_ints(value, attribute).map(Some),
            None => Ok(self.ints(attribute)),
        }
    }
}

/// Returns the name of a type of attributes.
fn type_text(number: i32) -> &'static str {
    match number {
        attribute_type::FLOAT => "a float",
        attribute_type::INT => "an integer",
        attribute_type::STRING => "a text",
        FLOATS => "a list of floats",
        INTS => "a list of integers",
        STRINGS => "a list of texts",
        _ => "of another type",
    }
}

/// The number that an attribute's text most likely was, with the digits of a float32: 1e-5 rather than 9.999999747e-06.
fn exact(v: f32) -> f64 {
    v.to_string().parse().unwrap_or(f64::from(v))
}

/// Returns the integers of a value that must be known.
pub fn known_ints(value: &Value, what: &str) -> Result<Vec<i64>> {
    let Some(array) = value.as_constant() else {
        return Err(misfit(what, "is computed while the network runs; it must be known when it is read"));
    };
    match array.dtype() {
        Dtype::Int64 => Ok(array.elements::<i64>()?.to_vec()),
        _ => Ok(array.to_f64()?.into_iter().map(|v| v as i64).collect()),
    }
}

/// Returns the numbers of a value that must be known.
pub fn known_floats(value: &Value, what: &str) -> Result<Vec<f64>> {
    match value.as_constant() {
        Some(array) => array.to_f64(),
        None => Err(misfit(what, "is computed while the network runs; it must be known when it is read")),
    }
}

/// Returns the only number of a value that must be known.
pub fn known_float(value: &Value, what: &str) -> Result<f64> {
    match known_floats(value, what)?.as_slice() {
        [one] => Ok(*one),
        many => Err(misfit(what, format!("has {} elements; expected one", many.len()))),
    }
}

/// Returns the only integer of a value that must be known.
pub fn known_int(value: &Value, what: &str) -> Result<i64> {
    match known_ints(value, what)?.as_slice() {
        [one] => Ok(*one),
        many => Err(misfit(what, format!("has {} elements; expected one", many.len()))),
    }
}

/// Returns the number of elements of a shape.
///
/// # Errors
/// Returns an error if it cannot be addressed.
pub fn count(shape: &[usize]) -> Result<usize> {
    let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|n| *n <= 1 << 50);
    count.ok_or_else(|| invalid(format!("the shape {shape:?} has more than 2^50 elements")))
}

/// Maximum number of elements of a table that is made while a network is read.
const LARGEST_TABLE: usize = 1 << 26;

/// Returns the number of elements of a table that is made while the network is read, such as a matrix of weights.
///
/// # Errors
/// Returns an error if there are too many.
pub fn table(shape: &[usize]) -> Result<usize> {
    let elements = count(shape)?;
    if elements > LARGEST_TABLE {
        return Err(invalid(format!("it needs a table of {elements} numbers; at most {LARGEST_TABLE} are made")));
    }
    Ok(elements)
}

/// Maximum number of pieces that one node is written out in.
const MAX_PIECES: usize = 4096;

/// Checks the number of pieces that a node is written out in: entries of an axis, frames, parts.
pub fn pieces(count: usize) -> Result<usize> {
    if count > MAX_PIECES {
        return Err(invalid(format!("it would be written out in {count} pieces; at most {MAX_PIECES} are supported")));
    }
    Ok(count)
}

/// Returns a list whose numbers are at least 0 and below 2^31.
pub fn sizes(name: &str, list: &[i64]) -> Result<Vec<usize>> {
    let all = list.iter().map(|&v| usize::try_from(v).ok().filter(|v| *v < 1 << 31));
    all.collect::<Option<_>>().ok_or_else(|| argument(name, format!("{list:?}"), "expected numbers from 0 to 2^31"))
}

/// Resolves an axis; negative ones count from the end.
pub fn resolved_axis(name: &str, axis: i64, rank: usize) -> Result<usize> {
    let at = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
    at.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < rank).ok_or_else(|| {
        let range =
            if rank == 0 { "there is none".to_owned() } else { format!("it must be from -{rank} to {}", rank - 1) };
        argument(name, axis, format!("with {rank} dimensions {range}"))
    })
}
