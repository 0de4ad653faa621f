//! Values of an ONNX graph while it is read.
use super::tensors::Element;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Shape},
};
use std::{cell::Cell, rc::Rc};

/// A value: known, or computed by the graph that is built.
#[derive(Clone)]
pub enum Value {
    Constant(Rc<Constant>),
    Computed(Computed),
    /// A sequence of known length.
    Sequence(Vec<Value>),
}

/// A value that is known.
pub struct Constant {
    pub array: Array,
    /// How its elements are stored in the file, if they are packed: results of the same type have fewer values than the dtype.
    pub packed: Option<Element>,
    /// Name of the initializer; results of folding have none until they become coefficients.
    pub name: Option<String>,
    /// What it was dequantized from.
    pub integers: Option<Rc<Integers>>,
    /// The coefficient, once an operator needs it.
    pub tensor: Cell<Option<Tensor>>,
}

impl Constant {
    fn new(array: Array) -> Constant {
        Constant { array, packed: None, name: None, integers: None, tensor: Cell::new(None) }
    }
    /// Returns a constant with the same elements that has neither a name nor a coefficient yet.
    pub fn apart(&self) -> Constant {
        Constant { packed: self.packed, ..Constant::new(self.array.clone()) }
    }
}

/// Integers that stand for floats: `(integer - zero point) * scale`.
#[derive(Clone)]
pub struct Integers {
    pub name: String,
    pub array: Array,
    /// One for all, or one for each entry of the axis; and as many zero points.
    pub scales: Vec<f64>,
    pub zero_points: Vec<i64>,
    pub axis: usize,
}

/// A value that is computed. ONNX's shape may be empty, where the tensor has the shape `[1]`. The dtype is ONNX's: 64-bit integers
/// are int32 in the graph, and a bool may be 0 and 1 in any dtype.
#[derive(Clone)]
pub struct Computed {
    pub tensor: Tensor,
    pub shape: Shape,
    pub dtype: Dtype,
}

/// Converts bytes and their zero point to int8, for the same numbers. Returns `None` for other dtypes, and if the zero points differ or
/// are outside the range of the dtype.
pub fn as_int8(array: &Array, zero_points: &[i64]) -> Option<(Array, i64)> {
    let [zero, others @ ..] = zero_points else { return None };
    let (low, high) = array.dtype().int_range()?;
    if !(low..=high).contains(zero) || others.iter().any(|other| other != zero) {
        return None;
    }
    match array.dtype() {
        Dtype::Int8 => Some((array.clone(), *zero)),
        Dtype::Uint8 => {
            // Flipping the top bit subtracts 128.
            let moved: Vec<i8> = array.bytes().ok()?.iter().map(|byte| (byte ^ 0x80).cast_signed()).collect();
            let array = Array::from_vec(array.shape().to_vec(), moved).ok()?;
            Some((array, zero - 128))
        }
        _ => None,
    }
}

impl Value {
    pub fn constant(array: Array) -> Value {
        Value::Constant(Rc::new(Constant::new(array)))
    }
    /// Returns what integers stand for, as float32. Returns `None` for integers of more than 32 bits.
    pub fn dequantized(integers: Integers) -> Option<Value> {
        let Integers { array, scales, zero_points, axis, .. } = &integers;
        let array = array.dequantized(scales.clone(), zero_points.clone(), *axis)?;
        Some(Value::with_integers(array, integers))
    }
    /// Returns an array that was dequantized from these integers.
    pub fn with_integers(array: Array, integers: Integers) -> Value {
        let integers = Some(Rc::new(integers));
        Value::Constant(Rc::new(Constant { integers, ..Constant::new(array) }))
    }
    pub fn initializer(name: &str, array: Array, element: Element) -> Value {
        let name = Some(name.into());
        Value::Constant(Rc::new(Constant { packed: element.packed(), name, ..Constant::new(array) }))
    }
    /// Returns a constant whose elements have a type that arrays may lack.
    pub fn constant_of(array: Array, element: Element) -> Value {
        Value::Constant(Rc::new(Constant { packed: element.packed(), ..Constant::new(array) }))
    }
    pub fn as_constant(&self) -> Option<&Array> {
        match self {
            Value::Constant(c) => Some(&c.array),
            _ => None,
        }
    }
    /// Returns how its elements are stored in the file, or would be.
    pub fn element(&self) -> Element {
        let packed = match self {
            Value::Constant(c) => c.packed,
            _ => None,
        };
        packed.unwrap_or(Element::Whole(self.dtype()))
    }
    pub fn is_constant(&self) -> bool {
        match self {
            Value::Constant(_) => true,
            Value::Computed(_) => false,
            Value::Sequence(all) => all.iter().all(Value::is_constant),
        }
    }
    /// The shape; that of a sequence is its length.
    pub fn shape(&self) -> Shape {
        match self {
            Value::Constant(c) => c.array.shape().to_vec(),
            Value::Computed(c) => c.shape.clone(),
            Value::Sequence(all) => vec![all.len()],
        }
    }
    pub fn rank(&self) -> usize {
        self.shape().len()
    }
    /// ONNX's dtype; that of a sequence is its first element's.
    pub fn dtype(&self) -> Dtype {
        match self {
            Value::Constant(c) => c.array.dtype(),
            Value::Computed(c) => c.dtype,
            Value::Sequence(all) => all.first().map_or(Dtype::Float32, Value::dtype),
        }
    }
    /// The number of elements.
    pub fn elements(&self) -> usize {
        // Shapes of tensors and arrays were checked; a sequence counts its elements.
        self.shape().iter().product()
    }
}

/// The dtype of the tensor that holds values of an ONNX dtype.
pub fn stored(dtype: Dtype) -> Dtype {
    dtype.declarable()
}

/// The shape of the tensor that holds values of an ONNX shape: tensors have at least one axis.
pub fn stored_shape(shape: &[usize]) -> Shape {
    if shape.is_empty() { vec![1] } else { shape.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_int8_for_the_same_numbers() {
        let bytes = Array::from([0u8, 100, 255]);
        let moved = Array::from([-128i8, -28, 127]);
        assert_eq!(as_int8(&bytes, &[255]), Some((moved.clone(), 127)));
        assert_eq!(as_int8(&moved, &[-128, -128]), Some((moved.clone(), -128)));
        assert_eq!(as_int8(&moved, &[0, 1]), None);
        for zero in [-1, 256, i64::MIN, i64::MAX] {
            assert_eq!(as_int8(&bytes, &[zero]), None);
        }
        assert_eq!(as_int8(&moved, &[128]), None);
        assert_eq!(as_int8(&Array::from([1i32]), &[0]), None);
    }
}
