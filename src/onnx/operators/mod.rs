//! How each operator of ONNX is converted, by family. A converter adds operators to the graph and returns the node's results.
mod activation;
mod arithmetic;
mod cast;
mod compare;
mod conv;
mod create;
mod gather;
mod layout;
mod math;
mod matmul;
mod norm;
mod pool;
mod reduce;
mod resize;
mod select;
mod slice;
mod sort;
mod window;

use super::{import::Importer, node::Node, value::Value};
use crate::base::{Error, Result, invalid, nearest};

/// Adds the operators of a node and returns its results.
pub type Convert = for<'m> fn(&mut Importer<'m>, &Node<'m>) -> Result<Vec<Value>>;

/// Operators of a family, by name.
type Family = &'static [(&'static str, Convert)];

/// The operators of ONNX's own domain.
const FAMILIES: &[Family] = &[
    activation::OPERATORS,
    arithmetic::OPERATORS,
    cast::OPERATORS,
    compare::OPERATORS,
    conv::OPERATORS,
    create::OPERATORS,
    gather::OPERATORS,
    layout::OPERATORS,
    math::OPERATORS,
    matmul::OPERATORS,
    norm::OPERATORS,
    pool::OPERATORS,
    reduce::OPERATORS,
    resize::OPERATORS,
    select::OPERATORS,
    slice::OPERATORS,
    sort::OPERATORS,
];

/// Newest version of ONNX's operator set that is known.
pub const NEWEST: i64 = 28;

/// Returns the converter of an operator.
///
/// # Errors
/// Returns an error if the operator is unknown or its version too new.
pub fn find(domain: &str, op: &str, version: i64) -> Result<Convert> {
    if !matches!(domain, "" | "ai.onnx") {
        return Err(invalid(format!("operators of the domain {domain:?} are not supported")));
    }
    if version > NEWEST {
        return Err(invalid(format!("versions of ONNX's operators up to {NEWEST} are supported")));
    }
    let all = || FAMILIES.iter().flat_map(|family| family.iter());
    all()
        .find(|(name, _)| *name == op)
        .map(|(_, convert)| *convert)
        .ok_or_else(|| unknown(op, all().map(|(name, _)| *name)))
}

/// Returns the names of the operators that are converted, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = FAMILIES.iter().flat_map(|family| family.iter()).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names
}

fn unknown<'a>(op: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let hint = nearest(op, known).map(|n| format!("; the nearest is {n}")).unwrap_or_default();
    invalid(format!("the operator is not supported{hint}"))
}
