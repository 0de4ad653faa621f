//! Type rule of a sum of products over named axes.
use super::{
    Einsum,
    types::{Types, Value, of_dtype},
};
use crate::base::{misfit, shape_text};

/// Splits a mode such as `ab,bc->ac` into the axis names of each operand and those of the result.
pub fn einsum_axes(mode: &'static str) -> (Vec<&'static [u8]>, &'static [u8]) {
    let (operands, result) = mode.split_once("->").unwrap_or((mode, ""));
    (operands.split(',').map(str::as_bytes).collect(), result.as_bytes())
}

/// The axes of a product of two operands: those that both share and keep, those of only one operand, and those that are
/// summed over.
#[derive(Debug, Clone)]
pub struct EinsumProduct {
    /// Axes of both operands and the product.
    pub batch: Vec<u8>,
    /// Axes of the left operand and the product.
    pub left: Vec<u8>,
    /// Axes of both operands only.
    pub summed: Vec<u8>,
    /// Axes of the right operand and the product.
    pub right: Vec<u8>,
}

impl EinsumProduct {
    /// Returns the axes of the product, in the order of matrix products.
    pub fn axes(&self) -> Vec<u8> {
        [&self.batch[..], &self.left, &self.right].concat()
    }
}

/// Decomposes a mode into products of two operands, each of the previous product and the next operand. Axes of the result or
/// of a later operand are kept.
pub fn einsum_products(mode: &'static str) -> Vec<EinsumProduct> {
    let (operands, result) = einsum_axes(mode);
    let mut axes = operands.first().map_or_else(Vec::new, |a| a.to_vec());
    let mut products = Vec::new();
    for (i, &operand) in operands.iter().enumerate().skip(1) {
        let keep = |a: &u8| result.contains(a) || operands[i + 1..].iter().any(|later| later.contains(a));
        let (both, left): (Vec<u8>, Vec<u8>) = axes.iter().partition(|a| operand.contains(a));
        let (batch, summed): (Vec<u8>, Vec<u8>) = both.iter().partition(|a| keep(a));
        let right = operand.iter().copied().filter(|a| !both.contains(a)).collect();
        let product = EinsumProduct { batch, left, summed, right };
        axes = product.axes();
        products.push(product);
    }
    products
}

pub(super) fn einsum(op: &Einsum<Value>) -> Types {
    let (operands, result) = einsum_axes(op.mode.name());
    if operands.len() != op.inputs.len() {
        let (found, expected) = (op.inputs.len(), operands.len());
        return Err(misfit("mode", format!("is {:?}, of {expected} operands; there are {found}", op.mode.name())));
    }
    // The size of each axis, by its letter.
    let mut sizes = [None; 256];
    for (input, axes) in op.inputs.iter().zip(&operands) {
        if input.shape.len() != axes.len() {
            let problem = format!("is {}; {:?} gives it {} axes", shape_text(input.shape), op.mode.name(), axes.len());
            return Err(misfit(input.display_name, problem));
        }
        for (&axis, &dim) in axes.iter().zip(input.shape) {
            let known = *sizes[usize::from(axis)].get_or_insert(dim);
            if known != dim {
                let (name, mode) = (char::from(axis), op.mode.name());
                let problem = format!("is {}; axis {name} of {mode:?} has {known} before", shape_text(input.shape));
                return Err(misfit(input.display_name, problem));
            }
        }
    }
    of_dtype(result.iter().map(|&a| sizes[usize::from(a)].unwrap_or(1)).collect(), &op.inputs[0])
}
