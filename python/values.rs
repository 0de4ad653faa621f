//! Python's objects as arguments of functions.
use crate::{
    arrays::{Source, dtype_name, dtype_of_name, fitted, from_python, numpy},
    errors::{bad_call, invalid_type},
    shared::Shared,
    tensor::Tensor,
};
use indexmap::IndexMap;
use pyo3::{
    intern,
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};
use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tpulang::{
    Array, Dtype, Operand,
    base::Warning,
    functions::{ArgumentDef, ArgumentKind, Value},
};

/// Maximum depth of lists in lists.
const MAX_DEPTH: usize = 16;

/// A number with a dtype, for functions that take a tensor or a number.
///
/// Args:
///     value: The number.
///     dtype: Its dtype; "float32" by default.
///
/// >>> import tpulang
/// >>> tpulang.Scalar(2, "int8")
/// tpulang.Scalar(2.0, 'int8')
#[pyclass(frozen, module = "tpulang")]
pub struct Scalar {
    /// The bits of the number.
    value: AtomicU64,
    dtype: Dtype,
}

#[pymethods]
impl Scalar {
    #[new]
    #[pyo3(signature = (value, dtype=None))]
    fn new(value: f64, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Scalar> {
        let dtype = dtype.map_or(Ok(Dtype::Float32), crate::arrays::dtype_of)?;
        Ok(Scalar { value: AtomicU64::new(value.to_bits()), dtype })
    }
    /// The number.
    #[getter]
    fn value(&self) -> f64 {
        f64::from_bits(self.value.load(Ordering::Relaxed))
    }
    #[setter]
    fn set_value(&self, value: f64) {
        self.value.store(value.to_bits(), Ordering::Relaxed);
    }
    /// The dtype: "float32".
    #[getter]
    fn dtype(&self) -> &'static str {
        self.dtype.name()
    }
    fn __repr__(&self) -> String {
        format!("tpulang.Scalar({:?}, '{}')", self.value(), self.dtype)
    }
}

/// Converts the arguments of a call.
pub struct Converter<'a> {
    /// The function.
    pub function: &'a str,
    /// The graph, to which tensors without one are added.
    pub graph: &'a Arc<Shared>,
    /// Remarks about constants that were converted.
    pub remarks: RefCell<Vec<Warning>>,
}

impl<'a> Converter<'a> {
    pub fn new(function: &'a str, graph: &'a Arc<Shared>) -> Converter<'a> {
        Converter { function, graph, remarks: RefCell::default() }
    }
    /// Converts an argument.
    ///
    /// # Errors
    /// Returns an error if the object is of a type that no argument takes, or a tensor of another graph.
    pub fn argument(&self, argument: &ArgumentDef, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.value(argument, object, 0)
    }

    fn value(&self, argument: &ArgumentDef, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
        let py = object.py();
        if let Ok(tensor) = object.cast::<Tensor>() {
            return tensor.get().handle_in(py, self.graph).map(Value::from);
        }
        if let Some(plain) = plain(object)? {
            if matches!(plain, Value::Bool(_)) && argument.kind.takes_tensors() {
                let problem = format!(
                    "{} is {object}; expected {} (== and != tell tensors apart; eq and ne compare their elements)",
                    argument.name, argument.type_name
                );
                return Err(bad_call(py, self.function, argument.name, problem));
            }
            return Ok(plain);
        }
        if depth < MAX_DEPTH && (object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()) {
            let items = object.try_iter()?.map(|item| self.value(argument, &item?, depth + 1));
            return items.collect::<PyResult<_>>().map(Value::List);
        }
        if let Some(entries) = object.cast::<PyDict>().ok().filter(|_| depth < MAX_DEPTH) {
            let entry = |(key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                Ok((key.extract()?, self.value(argument, &item, depth + 1)?))
            };
            return entries.iter().map(entry).collect::<PyResult<_>>().map(Value::Map);
        }
        if let Some(dtype) = dtype_name(object)? {
            return Ok(dtype_of_name(&dtype).map_or(dtype, |known| known.name().to_owned()).into());
        }
        match Source::of(object)?.filter(|_| depth < MAX_DEPTH) {
            Some(source) => self.array(argument, &source, depth),
            None => {
                let found = object.get_type().name()?;
                let article = if found.to_cow()?.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                let problem = format!("{} is {article} {found}; expected {}", argument.name, argument.type_name);
                Err(bad_call(py, self.function, argument.name, problem))
            }
        }
    }

    /// Converts an array: constant data of a tensor argument, otherwise a list.
    fn array(&self, argument: &ArgumentDef, source: &Source<'_>, depth: usize) -> PyResult<Value> {
        if argument.kind.takes_tensors() {
            let array = source.array()?;
            // There are no coefficients of int64: it stands for a list of integers, such as a shape, where there may be one.
            if array.dtype() != Dtype::Int64 || !takes_integers(argument) {
                return Ok(Value::Tensor(Operand::Constant(self.constant(source.py(), argument, array)?)));
            }
        }
        self.value(argument, &source.list()?, depth + 1)
    }
}

impl Converter<'_> {
    /// Converts a constant of a dtype that coefficients cannot have; a mask might be meant as any dtype.
    fn constant(&self, py: Python<'_>, argument: &ArgumentDef, array: Array) -> PyResult<Array> {
        let (from, to) = (array.dtype(), array.dtype().declarable());
        if from == to || from == Dtype::Bool {
            return Ok(array);
        }
        let of = format!("{}: {}", self.function, argument.name);
        Ok(match fitted(py, (&of, argument.name), &array, to)? {
            Some((fitted, remark)) => {
                self.remarks.borrow_mut().push(remark);
                fitted
            }
            None => array,
        })
    }
}

/// Converts None, a Boolean, a number, a string or a scalar.
fn plain(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = object.py();
    Ok(Some(if object.is_none() {
        Value::Null
    } else if object.is_instance_of::<PyBool>() {
        Value::Bool(object.extract()?)
    } else if object.is_instance_of::<PyInt>() {
        // No argument takes an integer beyond i64.
        object.extract::<i64>().map_or_else(|_| object.extract::<f64>().map(Value::Float), |v| Ok(Value::Int(v)))?
    } else if object.is_instance_of::<PyFloat>() {
        Value::Float(object.extract()?)
    } else if object.is_instance_of::<PyString>() {
        Value::Str(object.extract()?)
    } else if let Ok(scalar) = object.cast::<Scalar>() {
        let (value, dtype) = (scalar.get().value(), scalar.get().dtype);
        Value::Map(IndexMap::from([("value".to_owned(), Value::Float(value)), ("dtype".to_owned(), dtype.into())]))
    } else if is_numpy_number(object)? {
        return plain(&object.call_method0(intern!(py, "item"))?);
    } else {
        return Ok(None);
    }))
}

/// Returns whether an argument takes a list of integers, besides other kinds.
fn takes_integers(argument: &ArgumentDef) -> bool {
    let list = ArgumentKind::List { of: Box::new(ArgumentKind::Integer), length: None };
    matches!(&argument.kind, ArgumentKind::AnyOf(kinds) if kinds.contains(&list))
}

/// Returns whether an object is a number of NumPy: an instance of numpy.generic.
pub fn is_numpy_number(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    let class = object.get_type();
    // NumPy is not imported to find out that an object is not of it.
    if !class.hasattr(intern!(py, "dtype"))? || !class.hasattr(intern!(py, "item"))? {
        return Ok(false);
    }
    object.is_instance(&numpy(py)?.getattr(intern!(py, "generic"))?)
}

/// Returns the tensors among arguments, those in lists included.
pub fn tensors_in<'py>(objects: &[Bound<'py, PyAny>]) -> Vec<Bound<'py, Tensor>> {
    fn collect<'py>(object: &Bound<'py, PyAny>, depth: usize, found: &mut Vec<Bound<'py, Tensor>>) {
        if let Ok(tensor) = object.cast::<Tensor>() {
            found.push(tensor.clone());
        } else if depth == MAX_DEPTH {
            // The conversion of the argument reports it.
        } else if let Ok(list) = object.cast::<PyList>() {
            list.iter().for_each(|item| collect(&item, depth + 1, found));
        } else if let Ok(tuple) = object.cast::<PyTuple>() {
            tuple.iter().for_each(|item| collect(&item, depth + 1, found));
        }
    }
    let mut found = Vec::new();
    objects.iter().for_each(|object| collect(object, 0, &mut found));
    found
}

/// Converts the value of `name`, an array or a list of numbers, to an array. Numbers of a list take the expected dtype if they
/// fit it.
pub fn array_or_list(name: &str, object: &Bound<'_, PyAny>, dtype: Dtype) -> PyResult<Array> {
    let py = object.py();
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    let is_number = object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>();
    if !is_list && !is_number {
        return from_python(object);
    }
    let wrong = |problem: String| invalid_type(py, format!("{name} is a list {problem}"));
    let numbers = numpy(py)?
        .call_method1(intern!(py, "array"), (object,))
        .map_err(|e| wrong(format!("that does not form an array: {e}")))?;
    let kind: String = numbers.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "kind"))?.extract()?;
    if !["b", "i", "u", "f"].contains(&kind.as_str()) {
        return Err(wrong("with elements that are not numbers".into()));
    }
    let of = if dtype.is_float() { "float32" } else { dtype.name() };
    let converted = numbers.call_method1(intern!(py, "astype"), (of,))?;
    let is_exact =
        dtype.is_float() || numpy(py)?.call_method1(intern!(py, "array_equal"), (&converted, &numbers))?.is_truthy()?;
    if !is_exact {
        return Err(wrong(format!("with numbers that {dtype} cannot represent")));
    }
    from_python(&converted)
}
