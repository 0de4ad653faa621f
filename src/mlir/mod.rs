//! Top MLIR: writer and reader.
use crate::graph::{Attribute, Preprocess};
pub(crate) fn preprocess_attributes(_: &Preprocess, _: &[usize]) -> Vec<(&'static str, Attribute)> { vec![] }
