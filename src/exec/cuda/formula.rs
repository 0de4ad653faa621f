//! Elementwise operators as expressions in CUDA C, from which kernels are generated (`chain.rs`).
use super::program::Slot;
use crate::{
    base::Dtype,
    exec::{Operand, ValueType, views::View},
    quant::{Quantization, RoundMode},
};

/// What happens to real numbers before they are stored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Finish {
    /// `max(x, 0)`, capped where the limit is positive.
    pub relu: Option<f64>,
    pub round: RoundMode,
}

impl Finish {
    pub fn relu(do_relu: bool, limit: f64) -> Self {
        Finish { relu: do_relu.then_some(limit), ..Finish::default() }
    }
    pub fn round(round: RoundMode) -> Self {
        Finish { round, ..Finish::default() }
    }
    pub fn and_round(self, round: RoundMode) -> Self {
        Finish { round, ..self }
    }
}

/// Where an input's elements are.
#[derive(Debug, Clone)]
pub(super) enum From {
    Operand(Operand),
    Slot(Slot),
    /// At hand, in the kernel that makes them.
    Sums,
    /// Numbers that are known, for a constant on the device.
    Doubles(Vec<f64>),
    Ints(Vec<i64>),
}

/// A tensor that is broadcast to the result, or of which the result shows a view.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub from: From,
    pub shape: Vec<usize>,
    /// Where its elements are, if it is not broadcast.
    pub view: Option<View>,
    pub dtype: Dtype,
    pub quantization: Option<Quantization>,
    pub reading: Reading,
}

/// As what an input is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The formula's numbers.
    ByFormula,
    /// As stored, whatever the formula's numbers are.
    Stored,
    /// Real numbers.
    Real,
    /// As stored, in float64.
    Double,
}

impl Input {
    pub fn of(operand: &Operand) -> Input {
        let ty = &operand.ty;
        let (dtype, quantization) = (ty.buffer_dtype(), ty.quantization.clone());
        Input {
            from: From::Operand(operand.clone()),
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
            from: From::Slot(slot),
            shape: ty.shape,
            view: None,
            dtype,
            quantization: ty.quantization,
            reading: Reading::ByFormula,
        }
    }
    /// Sums in the kernel that makes them.
    pub fn sums(dtype: Dtype, shape: Vec<usize>) -> Input {
        let (from, reading) = (From::Sums, Reading::ByFormula);
        Input { from, shape, view: None, dtype, quantization: None, reading }
    }
    /// Numbers for each index of an axis of `shape`; one is for all. An axis that is not there has one index.
    pub fn of_axis<T: Copy + Into<Number>>(list: &[T], shape: &[usize], axis: i64) -> Input {
        let rank = shape.len() as i64;
        let axis = (-rank..rank).contains(&axis).then(|| axis.rem_euclid(rank) as usize);
        let n = axis.map_or(1, |a| shape[a]);
        let numbers: Vec<Number> = (0..n).filter_map(|i| list.get(i).or(list.first())).map(|v| (*v).into()).collect();
        let own = shape.iter().enumerate().map(|(i, d)| if Some(i) == axis { *d } else { 1 }).collect();
        let ints: Option<Vec<i64>> =
            numbers.iter().map(|n| if let Number::Int(i) = n { Some(*i) } else { None }).collect();
        let (from, dtype) = match ints {
            Some(ints) => (From::Ints(ints), Dtype::Int64),
            None => {
                let of = |n: &Number| match *n {
                    Number::Int(i) => i as f64,
                    Number::Real(x) => x,
                };
                (From::Doubles(numbers.iter().map(of).collect()), Dtype::Float64)
            }
        };
        Input { from, shape: own, view: None, dtype, quantization: None, reading: Reading::Stored }
    }
    /// Read as stored integers.
    pub fn in_integers(self) -> Input {
        Input { reading: Reading::Stored, ..self }
    }
    /// Read as real numbers, also where the others are not.
    pub fn in_reals(self) -> Input {
        Input { reading: Reading::Real, ..self }
    }
    /// Read as stored, in float64.
    pub fn in_doubles(self) -> Input {
        Input { reading: Reading::Double, ..self }
    }
    /// Of which the result shows a view.
    pub fn viewed(self, view: View) -> Input {
        Input { view: Some(view), ..self }
    }
    /// Seen in another shape of as many elements.
    pub fn shaped(self, shape: Vec<usize>) -> Input {
        Input { shape, ..self }
    }
    pub fn is_fused_input(&self) -> bool {
        matches!(&self.from, From::Operand(o) if o.is_fused_input())
    }
    fn is_plain_int(&self) -> bool {
        self.dtype.int_range().is_some() && self.quantization.is_none()
    }
}

/// A number of a list.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Int(i64),
    Real(f64),
}
impl std::convert::From<i64> for Number {
    fn from(i: i64) -> Self {
        Number::Int(i)
    }
}
impl std::convert::From<f64> for Number {
    fn from(x: f64) -> Self {
        Number::Real(x)
    }
}

/// In which numbers an operator is computed; which, depends on the types of what it is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In float32.
    Real,
    /// In float32, or in float64 between integers: of 8 bits whatever their scales, rounded once with the zero point, as the
    /// compiler's tables have it; or plain ones.
    Function,
    /// In float64 between plain integers, otherwise in float32.
    Constant,
    /// In 64-bit integers where all are plain integers, otherwise in float32.
    Arithmetic,
    /// In 64-bit integers of stored values.
    Whole,
    /// In float64.
    Double,
    /// Elements as they are, of the result's own type.
    Moved,
}

/// The type of numbers in the generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    Float,
    Double,
    /// The zero point is added before rounding.
    Table,
    Whole,
    Moved(Dtype),
}

impl Numbers {
    pub fn c_type(self) -> &'static str {
        match self {
            Numbers::Moved(dtype) => c_type(dtype),
            Numbers::Float => "float",
            Numbers::Double | Numbers::Table => "double",
            Numbers::Whole => "i64",
        }
    }
}

/// One elementwise operator: an expression in CUDA C over its inputs `x`, `y`, `z`, .., its numbers `k0`, `k1`, .., the
/// element's place `i`, and `R`, the type of its numbers.
#[derive(Debug, Clone)]
pub(super) struct Formula {
    pub inputs: Vec<Input>,
    kind: Kind,
    pub expression: String,
    /// What is computed instead in integers.
    pub whole: Option<String>,
    pub numbers: Vec<f64>,
    /// The type of `k0`, ..: `double` where they must not be rounded to the formula's numbers.
    pub number_type: &'static str,
    pub finish: Finish,
    /// Put before the kernel.
    pub functions: &'static str,
    /// The result is not in its scale.
    pub unscaled: bool,
}

/// The names of inputs.
pub(super) fn name(i: usize) -> String {
    ["x", "y", "z"].get(i).map_or_else(|| format!("x{i}"), |n| (*n).to_owned())
}

impl Formula {
    fn new(kind: Kind, inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        let (expression, finish) = (expression.into(), Finish::default());
        Formula {
            inputs,
            kind,
            expression,
            whole: None,
            numbers: Vec::new(),
            number_type: "R",
            finish,
            functions: "",
            unscaled: false,
        }
    }
    /// The numbers that the input means.
    pub fn copy(input: Input) -> Formula {
        Formula::new(Kind::Real, vec![input], "x")
    }
    /// Of real numbers.
    pub fn real(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Real, inputs, expression)
    }
    /// A function of one number.
    pub fn function(input: &Operand, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Function, vec![Input::of(input)], expression)
    }
    /// A number and a constant.
    pub fn constant(input: &Operand, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Constant, vec![Input::of(input)], expression)
    }
    /// Exact between plain integers, where `whole` is computed.
    pub fn arithmetic(inputs: Vec<Input>, expression: impl Into<String>, whole: impl Into<String>) -> Formula {
        Formula { whole: Some(whole.into()), ..Formula::new(Kind::Arithmetic, inputs, expression) }
    }
    /// Of stored integers.
    pub fn whole(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Whole, inputs, expression)
    }
    /// The input's elements as they are stored, which are the result's.
    pub fn moved(input: Input) -> Formula {
        Formula::new(Kind::Moved, vec![input], "x")
    }
    /// In float64, whatever the types.
    pub fn double(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Double, inputs, expression)
    }
    pub fn numbers(self, numbers: impl Into<Vec<f64>>) -> Formula {
        Formula { numbers: numbers.into(), ..self }
    }
    pub fn finish(self, finish: Finish) -> Formula {
        Formula { finish, ..self }
    }
    /// The numbers are float64, whatever the inputs are.
    pub fn in_doubles(self) -> Formula {
        Formula { number_type: "double", ..self }
    }
    /// The numbers are stored as they are, also in a quantized result.
    pub fn stored_as_it_is(self) -> Formula {
        Formula { unscaled: true, ..self }
    }
    /// Functions that the expression calls.
    pub fn with(self, functions: &'static str) -> Formula {
        Formula { functions, ..self }
    }

    pub fn numbers_for(&self, result: &ValueType) -> Numbers {
        let is_plain = !result.dtype.is_float() && result.quantization.is_none();
        let all_plain =
            is_plain && self.inputs.iter().filter(|i| i.reading == Reading::ByFormula).all(Input::is_plain_int);
        let per_tensor_scale = |q: &Option<Quantization>| q.as_ref().is_none_or(|q| q.values().0.len() == 1);
        match self.kind {
            Kind::Whole => Numbers::Whole,
            Kind::Double => Numbers::Double,
            Kind::Moved => Numbers::Moved(result.buffer_dtype()),
            Kind::Arithmetic if all_plain => Numbers::Whole,
            Kind::Constant if all_plain => Numbers::Double,
            Kind::Function => {
                let is_byte = |i: &Input| {
                    i.dtype.int_range().is_some() && i.dtype.size() == 1 && per_tensor_scale(&i.quantization)
                };
                let to_int = result.buffer_dtype().int_range().is_some() && per_tensor_scale(&result.quantization);
                match self.inputs.first() {
                    Some(input) if to_int && is_byte(input) => Numbers::Table,
                    _ if all_plain => Numbers::Double,
                    _ => Numbers::Float,
                }
            }
            Kind::Real | Kind::Constant | Kind::Arithmetic => Numbers::Float,
        }
    }
}

/// The type of a dtype's elements.
pub(super) fn c_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Int8 => "i8",
        Dtype::Uint8 => "u8",
        Dtype::Bool => "Truth",
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
