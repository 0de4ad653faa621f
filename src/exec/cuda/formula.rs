//! Elementwise operators as expressions in CUDA C, from which `chain.rs` generates kernels.
use super::slot::Slot;
use crate::{
    base::Dtype,
    exec::{Operand, ValueType, views::View},
    quant::{Quantization, RoundMode},
};

/// The activation and the rounding that are applied before a value is stored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PostOp {
    /// `max(x, 0)`, and `min(x, limit)` if the limit is positive.
    pub relu: Option<f64>,
    pub round: RoundMode,
}

impl PostOp {
    pub fn relu(do_relu: bool, limit: f64) -> Self {
        PostOp { relu: do_relu.then_some(limit), ..PostOp::default() }
    }
    pub fn round(round: RoundMode) -> Self {
        PostOp { round, ..PostOp::default() }
    }
    pub fn and_round(self, round: RoundMode) -> Self {
        PostOp { round, ..self }
    }
}

/// Returns the limit of a Relu as the device's `relu` takes it: a negative one stands for none.
pub(super) fn relu_limit(limit: f64) -> f64 {
    if limit > 0.0 { limit } else { -1.0 }
}

/// Like [`relu_limit`], for integers. Fractions are dropped, so that numbers can be limited before they are rounded.
pub(super) fn relu_limit_of_ints(limit: f64) -> f64 {
    // Beyond 64 bits there is no integer to be limited.
    if limit < 2f64.powi(63) { relu_limit(limit).trunc() } else { -1.0 }
}

/// The source of an input's elements.
#[derive(Debug, Clone)]
pub(super) enum InputSource {
    Operand(Operand),
    Slot(Slot),
    /// The accumulator of the kernel that the chain is fused into.
    Accumulator,
    /// Known values, which are uploaded as a constant.
    Doubles(Vec<f64>),
    Ints(Vec<i64>),
}

/// A tensor that is broadcast to the result or read through a view.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub from: InputSource,
    pub shape: Vec<usize>,
    /// The view, or `None` if the tensor is broadcast.
    pub view: Option<View>,
    pub dtype: Dtype,
    pub quantization: Option<Quantization>,
    pub reading: Reading,
}

/// The interpretation of an input's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Values of the formula's type.
    ByFormula,
    /// Stored integers, regardless of the formula's type.
    Stored,
    /// Real values.
    Real,
    /// Stored values in float64.
    Double,
}

impl Input {
    pub fn of(operand: &Operand) -> Input {
        let ty = &operand.ty;
        let (dtype, quantization) = (ty.buffer_dtype(), ty.quantization.clone());
        Input {
            from: InputSource::Operand(operand.clone()),
            shape: ty.shape.clone(),
            view: None,
            dtype,
            quantization,
            reading: Reading::ByFormula,
        }
    }
    pub fn slot(slot: Slot, ty: ValueType) -> Input {
        let dtype = ty.buffer_dtype();
        Input {
            from: InputSource::Slot(slot),
            shape: ty.shape,
            view: None,
            dtype,
            quantization: ty.quantization,
            reading: Reading::ByFormula,
        }
    }
    /// The accumulator of the kernel that the chain is fused into.
    pub fn accumulator(dtype: Dtype, shape: Vec<usize>) -> Input {
        let (from, reading) = (InputSource::Accumulator, Reading::ByFormula);
        Input { from, shape, view: None, dtype, quantization: None, reading }
    }
    /// One value per index of an axis of `shape`, or a single value for all. An axis out of range, such as [`NO_AXIS`], has one
    /// index.
    pub fn of_axis<T: Copy + Into<Number>>(list: &[T], shape: &[usize], axis: i64) -> Input {
        let rank = shape.len() as i64;
        let axis = (-rank..rank).contains(&axis).then(|| axis.rem_euclid(rank) as usize);
        let n = axis.map_or(1, |a| shape[a]);
        let numbers: Vec<Number> = (0..n).filter_map(|i| list.get(i).or(list.first())).map(|v| (*v).into()).collect();
        let own = shape.iter().enumerate().map(|(i, d)| if Some(i) == axis { *d } else { 1 }).collect();
        let ints: Option<Vec<i64>> =
            numbers.iter().map(|n| if let Number::Int(i) = n { Some(*i) } else { None }).collect();
        let (from, dtype) = match ints {
            Some(ints) => (InputSource::Ints(ints), Dtype::Int64),
            None => {
                let of = |n: &Number| match *n {
                    Number::Int(i) => i as f64,
                    Number::Real(x) => x,
                };
                (InputSource::Doubles(numbers.iter().map(of).collect()), Dtype::Float64)
            }
        };
        Input { from, shape: own, view: None, dtype, quantization: None, reading: Reading::Stored }
    }
    /// Reads stored integers.
    pub fn in_integers(self) -> Input {
        Input { reading: Reading::Stored, ..self }
    }
    /// Reads real values, even if other inputs are read as integers.
    pub fn in_reals(self) -> Input {
        Input { reading: Reading::Real, ..self }
    }
    /// Reads stored values in float64.
    pub fn in_doubles(self) -> Input {
        Input { reading: Reading::Double, ..self }
    }
    /// Reads the tensor through a view.
    pub fn viewed(self, view: View) -> Input {
        Input { view: Some(view), ..self }
    }
    /// Reshapes the tensor.
    pub fn shaped(self, shape: Vec<usize>) -> Input {
        Input { shape, ..self }
    }
    pub fn is_fused_input(&self) -> bool {
        matches!(&self.from, InputSource::Operand(o) if o.is_fused_input())
    }
    fn is_plain_int(&self) -> bool {
        self.dtype.int_range().is_some() && self.quantization.is_none()
    }
}

/// The axis of a list with a single value.
pub(super) const NO_AXIS: i64 = i64::MIN;

/// An integer or a real value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Int(i64),
    Real(f64),
}
impl From<i64> for Number {
    fn from(i: i64) -> Self {
        Number::Int(i)
    }
}
impl From<f64> for Number {
    fn from(x: f64) -> Self {
        Number::Real(x)
    }
}

/// How the types of the inputs and the result determine the type in which an operator is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ComputeRule {
    /// Computed in float32.
    Real,
    /// Computed in float32; in float64 between plain integers, and between 8-bit integers of any scale, which are rounded
    /// once with the zero point, like the compiler's tables.
    Function,
    /// Computed in float64 between plain integers, otherwise in float32.
    Constant,
    /// Computed in 64-bit integers if all types are plain integers, otherwise in float32.
    Arithmetic,
    /// Computed in 64-bit integers, on stored values.
    Whole,
    /// Computed in float64.
    Double,
    /// Unchanged elements of the result's own type.
    Moved,
}

/// The type in which the generated code computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComputeType {
    Float,
    Double,
    /// Adds the zero point before rounding.
    Table,
    Whole,
    Moved(Dtype),
}

impl ComputeType {
    pub fn c_type(self) -> &'static str {
        match self {
            ComputeType::Moved(dtype) => c_type(dtype),
            ComputeType::Float => "float",
            ComputeType::Double | ComputeType::Table => "double",
            ComputeType::Whole => "i64",
        }
    }
}

/// One elementwise operator: an expression in CUDA C over its inputs `x`, `y`, `z`, .., its constants `k0`, `k1`, .., the
/// element's index `i`, and the compute type `R`.
#[derive(Debug, Clone)]
pub(super) struct Formula {
    pub inputs: Vec<Input>,
    kind: ComputeRule,
    pub expression: String,
    /// The expression for integers.
    pub whole: Option<String>,
    pub numbers: Vec<f64>,
    /// The type of `k0`, ..: `double` if the constants must not be rounded to the formula's type.
    pub number_type: &'static str,
    pub post_op: PostOp,
    /// Definitions that precede the kernel.
    pub functions: &'static str,
    /// Whether the value is stored without applying the result's scale.
    pub unscaled: bool,
}

/// Returns the name of input `i`.
pub(super) fn name(i: usize) -> String {
    ["x", "y", "z"].get(i).map_or_else(|| format!("x{i}"), |n| (*n).to_owned())
}

impl Formula {
    fn new(kind: ComputeRule, inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        let (expression, post_op) = (expression.into(), PostOp::default());
        Formula {
            inputs,
            kind,
            expression,
            whole: None,
            numbers: Vec::new(),
            number_type: "R",
            post_op,
            functions: "",
            unscaled: false,
        }
    }
    /// Copies the real values of the input.
    pub fn copy(input: Input) -> Formula {
        Formula::new(ComputeRule::Real, vec![input], "x")
    }
    /// Computes a function of real values.
    pub fn real(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(ComputeRule::Real, inputs, expression)
    }
    /// Computes a function of one value.
    pub fn function(input: &Operand, expression: impl Into<String>) -> Formula {
        Formula::new(ComputeRule::Function, vec![Input::of(input)], expression)
    }
    /// Computes a function of a value and a constant.
    pub fn constant(input: &Operand, expression: impl Into<String>) -> Formula {
        Formula::new(ComputeRule::Constant, vec![Input::of(input)], expression)
    }
    /// Computes `whole` exactly for plain integers, otherwise `expression`.
    pub fn arithmetic(inputs: Vec<Input>, expression: impl Into<String>, whole: impl Into<String>) -> Formula {
        Formula { whole: Some(whole.into()), ..Formula::new(ComputeRule::Arithmetic, inputs, expression) }
    }
    /// Computes a function of stored integers.
    pub fn whole(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(ComputeRule::Whole, inputs, expression)
    }
    /// Copies the input's stored elements.
    pub fn moved(input: Input) -> Formula {
        Formula::new(ComputeRule::Moved, vec![input], "x")
    }
    /// Computes in float64, regardless of the types.
    pub fn double(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(ComputeRule::Double, inputs, expression)
    }
    pub fn numbers(self, numbers: impl Into<Vec<f64>>) -> Formula {
        Formula { numbers: numbers.into(), ..self }
    }
    pub fn post_op(self, post_op: PostOp) -> Formula {
        Formula { post_op, ..self }
    }
    /// Passes the constants as float64, regardless of the inputs.
    pub fn in_doubles(self) -> Formula {
        Formula { number_type: "double", ..self }
    }
    /// Stores the values without scaling, even if the result is quantized.
    pub fn stored_as_it_is(self) -> Formula {
        Formula { unscaled: true, ..self }
    }
    /// Adds the definitions of functions that the expression calls.
    pub fn with(self, functions: &'static str) -> Formula {
        Formula { functions, ..self }
    }

    pub fn compute_type(&self, result: &ValueType) -> ComputeType {
        let is_plain = !result.dtype.is_float() && result.quantization.is_none();
        let all_plain =
            is_plain && self.inputs.iter().filter(|i| i.reading == Reading::ByFormula).all(Input::is_plain_int);
        let per_tensor_scale = |q: &Option<Quantization>| q.as_ref().is_none_or(|q| q.values().0.len() == 1);
        match self.kind {
            ComputeRule::Whole => ComputeType::Whole,
            ComputeRule::Double => ComputeType::Double,
            ComputeRule::Moved => ComputeType::Moved(result.buffer_dtype()),
            ComputeRule::Arithmetic if all_plain => ComputeType::Whole,
            ComputeRule::Constant if all_plain => ComputeType::Double,
            ComputeRule::Function => {
                let is_byte = |i: &Input| {
                    i.dtype.int_range().is_some() && i.dtype.size() == 1 && per_tensor_scale(&i.quantization)
                };
                let to_int = result.buffer_dtype().int_range().is_some() && per_tensor_scale(&result.quantization);
                match self.inputs.first() {
                    Some(input) if to_int && is_byte(input) => ComputeType::Table,
                    _ if all_plain => ComputeType::Double,
                    _ => ComputeType::Float,
                }
            }
            ComputeRule::Real | ComputeRule::Constant | ComputeRule::Arithmetic => ComputeType::Float,
        }
    }
}

/// Returns the type of a dtype's elements in CUDA C.
pub(super) fn c_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Int8 => "i8",
        Dtype::Uint8 => "u8",
        Dtype::Bool => "Boolean",
        Dtype::Int16 => "short",
        Dtype::Uint16 => "u16",
        Dtype::Int32 => "int",
        Dtype::Uint32 => "unsigned",
        Dtype::Int64 => "i64",
        Dtype::Uint64 => "u64",
        Dtype::Float64 => "double",
        Dtype::Float16 => "half",
        _ => "float",
    }
}
