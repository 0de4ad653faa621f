//! Coefficients that are emitted in another form, for operators that the tool chain otherwise mishandles.
use super::transposed::transposed_coefficients;
use crate::{
    array::Array,
    base::{Dtype, Result, shape_text},
    graph::{Graph, Mode, Operator, Tensor},
    ops::Op,
};
use std::collections::HashSet;

/// A form of a coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Its last two axes are swapped.
    Transposed,
    /// Its integers are float32.
    Floats,
    /// Its integers are float32, and the negative ones count from the start of an axis of this size.
    Indices(usize),
    /// Its single element is repeated along an axis.
    Repeated {
        /// Number of axes.
        rank: usize,
        /// The axis, and how often it is repeated.
        axis: usize,
        size: usize,
    },
}

impl Form {
    /// What its name ends with.
    pub fn suffix(self) -> String {
        match self {
            Form::Transposed => "transposed".to_owned(),
            Form::Floats => "floats".to_owned(),
            Form::Indices(size) => format!("indices_of_{size}"),
            Form::Repeated { rank, axis, size } => format!("repeated_{}", shape_text(&repeated(rank, axis, size))),
        }
    }
    /// Returns the coefficient's data in this form.
    ///
    /// # Errors
    /// Returns an error if the data cannot be read.
    pub fn of(self, data: &Array) -> Result<Array> {
        match self {
            Form::Transposed => data.with_last_axes_swapped_lazily(),
            Form::Floats => data.to_dtype(Dtype::Float32),
            Form::Indices(size) => {
                let from_start = |index: f64| if index < 0.0 { index + size as f64 } else { index };
                let numbers = data.to_f64()?.into_iter().map(from_start);
                Array::from_f64s(Dtype::Float32, data.shape(), numbers)
            }
            Form::Repeated { rank, axis, size } => {
                let element = data.to_f64()?.into_iter().next().unwrap_or_default();
                Array::from_f64s(data.dtype(), repeated(rank, axis, size), std::iter::repeat_n(element, size))
            }
        }
    }
}

/// Float32 represents every integer up to this one exactly.
const MAX_EXACT_INTEGER: usize = 1 << f32::MANTISSA_DIGITS;

/// Returns a shape of ones, but for an axis.
fn repeated(rank: usize, axis: usize, size: usize) -> Vec<usize> {
    (0..rank).map(|a| if a == axis { size } else { 1 }).collect()
}

/// The forms of a graph's coefficients.
pub(super) struct Forms<'g> {
    graph: &'g Graph,
    /// Those that are transposed for products.
    transposed: HashSet<Tensor>,
}

impl<'g> Forms<'g> {
    pub fn new(graph: &'g Graph) -> Forms<'g> {
        Forms { graph, transposed: transposed_coefficients(graph) }
    }
    /// Returns the operands of an operator that are emitted in another form, by their indices, in order.
    pub fn of_operands(&self, operator: &Operator) -> Vec<(usize, Form)> {
        match self.of_operand(operator) {
            Some(one) => vec![one],
            None => self.integers(operator),
        }
    }
    fn of_operand(&self, operator: &Operator) -> Option<(usize, Form)> {
        match &operator.op {
            Op::MatMul(op) if op.right_transpose && self.transposed.contains(&op.right) => Some((1, Form::Transposed)),
            // tpuc-opt reads a constant mask before a Softmax as floats, and aborts if it is not.
            Op::Where(op) if self.is_of_integers(op.cond) && operator.outputs().all(|t| self.is_float(t)) => {
                Some((0, Form::Floats))
            }
            // It reads all sizes as floats.
            Op::Interp(op) if op.target_shape.is_some_and(|sizes| self.is_of_integers(sizes)) => {
                Some((1, Form::Floats))
            }
            Op::Gather(op) => self.indices(op.input, op.indices, op.axis),
            Op::GatherElements(op) => self.indices(op.input, op.indices, op.axis),
            Op::ScatterElements(op) => self.indices(op.input, op.indices, op.axis),
            Op::GatherND(op) if self.is_of_integers(op.indices) => Some((1, Form::Floats)),
            Op::Mul(op) => self.repeated_factor(&op.inputs, operator),
            _ => None,
        }
    }
    /// Returns the form of the single integer that others are multiplied by: tpuc-opt makes a constant of it, without its scale and that
    /// of the result.
    fn repeated_factor(&self, factors: &[Tensor], operator: &Operator) -> Option<(usize, Form)> {
        let result = self.graph.tensor(operator.outputs().next()?).ok()?;
        let is_single = |t: &Tensor| {
            let Ok(info) = self.graph.tensor(*t) else { return false };
            let has_scale = self.graph.mode == Mode::Quantized || info.quantization.is_some();
            info.is_coefficient() && info.elements() == 1 && info.dtype.is_int() && has_scale
        };
        let index = factors.iter().position(is_single)?;
        let axis = result.shape.iter().rposition(|size| *size > 1)?;
        Some((index, Form::Repeated { rank: result.shape.len(), axis, size: result.shape[axis] }))
    }
    /// Returns the form of constant indices of an axis. model_deploy lowers no coefficients of integers, and tpuc-opt makes slices of short
    /// lists, as if none were negative.
    fn indices(&self, input: Tensor, indices: Tensor, axis: i64) -> Option<(usize, Form)> {
        let shape = &self.graph.tensor(input).ok()?.shape;
        let axis = if axis < 0 { axis + shape.len() as i64 } else { axis };
        let size = *shape.get(usize::try_from(axis).ok()?)?;
        (self.is_of_integers(indices) && size <= MAX_EXACT_INTEGER).then_some((1, Form::Indices(size)))
    }
    /// Returns the constants among operands of integers: model_deploy computes in floats, but does not convert constants.
    fn integers(&self, operator: &Operator) -> Vec<(usize, Form)> {
        let op = &operator.op;
        let has_integers = operator.outputs().all(|t| self.graph.tensor(t).is_ok_and(|info| info.dtype.is_int()));
        let Some(first) = first_alike(op).filter(|_| has_integers && self.graph.mode != Mode::Quantized) else {
            return Vec::new();
        };
        let alike = || op.operand_list().into_iter().enumerate().skip(first).filter_map(|(i, t)| Some((i, *t?)));
        let Some(dtype) = dtype_of_integers(self.graph, alike().map(|(_, t)| t)) else { return Vec::new() };
        let is_alike = |t: Tensor| self.graph.tensor(t).is_ok_and(|info| info.dtype == dtype);
        let constants = alike().filter(|(_, t)| is_alike(*t) && self.is_of_integers(*t) && self.is_exact_in_floats(*t));
        constants.map(|(i, _)| (i, Form::Floats)).collect()
    }
    fn is_exact_in_floats(&self, tensor: Tensor) -> bool {
        let numbers = self.graph.tensor(tensor).ok().and_then(|info| info.data()?.to_f64().ok());
        numbers.is_some_and(|numbers| numbers.iter().all(|x| x.abs() <= MAX_EXACT_INTEGER as f64))
    }
    fn is_of_integers(&self, tensor: Tensor) -> bool {
        let info = self.graph.tensor(tensor);
        info.is_ok_and(|info| info.is_coefficient() && info.is_plain_integer())
    }
    fn is_float(&self, tensor: Tensor) -> bool {
        self.graph.tensor(tensor).is_ok_and(|info| info.dtype.is_float())
    }
}

/// Returns the first of the operands that all have one dtype, if an op has such operands.
pub(super) fn first_alike(op: &Op<Tensor>) -> Option<usize> {
    match op {
        Op::Where(_) => Some(1),
        Op::Concat(_) | Op::Min(_) | Op::Max(_) | Op::Compare(_) | Op::Add(_) | Op::Sub(_) | Op::Mul(_) => Some(0),
        _ => None,
    }
}

/// Returns the dtype of the computed tensors among operands, if they hold plain integers, all of one dtype.
pub(super) fn dtype_of_integers(graph: &Graph, operands: impl Iterator<Item = Tensor>) -> Option<Dtype> {
    let mut found = None;
    for info in operands.filter_map(|t| graph.tensor(t).ok()).filter(|info| !info.is_coefficient()) {
        let is_plain = info.dtype.is_int() && info.quantization.is_none();
        if !is_plain || found.is_some_and(|dtype| dtype != info.dtype) {
            return None;
        }
        found = Some(info.dtype);
    }
    found
}
