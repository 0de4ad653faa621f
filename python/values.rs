//! Python's objects as arguments of functions.
use crate::{
    arrays::{Source, dtype_name, dtype_of_name, fitted, from_python, numpy},
    errors::{article, bad_call, class_of, explained, invalid_type},
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
    collections::HashSet,
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
        let wrong = |problem: String| self.wrong(py, argument, &problem);
        if let Some(plain) = plain(object).map_err(|raised| explained(py, raised, wrong))? {
            if matches!(plain, Value::Bool(_)) && argument.kind.takes_tensors() {
                let hint = "(== and != tell tensors apart; eq and ne compare their elements)";
                return Err(wrong(format!("is {object}; expected {} {hint}", with_article(&argument.type_name))));
            }
            return Ok(plain);
        }
        if depth < MAX_DEPTH && (object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()) {
            let items = object.try_iter()?.map(|item| self.value(argument, &item?, depth + 1));
            return items.collect::<PyResult<_>>().map(Value::List);
        }
        if let Some(entries) = object.cast::<PyDict>().ok().filter(|_| depth < MAX_DEPTH) {
            let entry = |(key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                let key: PyResult<String> = key.extract();
                let key =
                    key.map_err(|raised| explained(py, raised, |problem| wrong(format!("has a key that {problem}"))))?;
                Ok((key, self.value(argument, &item, depth + 1)?))
            };
            return entries.iter().map(entry).collect::<PyResult<_>>().map(Value::Map);
        }
        if let Some(dtype) = dtype_name(object)? {
            return Ok(dtype_of_name(&dtype).map_or(dtype, |known| known.name().to_owned()).into());
        }
        let source = Source::of(object).map_err(|raised| explained(py, raised, wrong))?;
        match source.filter(|_| depth < MAX_DEPTH) {
            Some(source) => self.array(argument, &source, depth),
            None if depth == MAX_DEPTH => Err(wrong(format!("is nested deeper than {MAX_DEPTH} lists or dicts"))),
            None => Err(wrong(format!("is {}; expected {}", class_of(object), with_article(&argument.type_name)))),
        }
    }
    /// Returns the exception about an argument, whose problem follows its name.
    fn wrong(&self, py: Python<'_>, argument: &ArgumentDef, problem: &str) -> PyErr {
        bad_call(py, self.function, argument.name, format!("{} {problem}", argument.name))
    }

    /// Converts an array: constant data of a tensor argument, otherwise a list.
    fn array(&self, argument: &ArgumentDef, source: &Source<'_>, depth: usize) -> PyResult<Value> {
        let wrong = |problem: String| self.wrong(source.py(), argument, &problem);
        if argument.kind.takes_tensors() {
            let array = source.array(wrong)?;
            // There are no coefficients of int64: it stands for a list of integers, such as a shape, where there may be one.
            if array.dtype() != Dtype::Int64 || !takes_integers(argument) {
                return Ok(Value::Tensor(Operand::Constant(self.constant(source.py(), argument, array)?)));
            }
        }
        self.value(argument, &source.list(wrong)?, depth + 1)
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

/// Returns what an argument takes with an article, which descriptions of ops have already: `a list of tensors`.
fn with_article(type_name: &str) -> String {
    let is_whole = ["a ", "an ", "one of ", "true or "].iter().any(|start| type_name.starts_with(start));
    match type_name.chars().next() {
        Some(first) if !is_whole && first.is_alphabetic() => {
            format!("{} {type_name}", article(type_name))
        }
        _ => type_name.to_owned(),
    }
}

/// Converts None, a Boolean, a number, a string or a scalar. Returns `None` for another object.
///
/// # Errors
/// Returns the problem with a number that is too large, or a string that is no text.
fn plain(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = object.py();
    Ok(Some(if object.is_none() {
        Value::Null
    } else if object.is_instance_of::<PyBool>() {
        Value::Bool(object.extract()?)
    } else if object.is_instance_of::<PyInt>() {
        // No argument takes an integer beyond i64.
        let float = |_| object.extract::<f64>().map(Value::Float);
        let integer = object.extract::<i64>().map_or_else(float, |v| Ok(Value::Int(v)));
        integer.map_err(|_| invalid_type(py, "is an integer beyond the largest float64, 1.8e308"))?
    } else if object.is_instance_of::<PyFloat>() {
        Value::Float(object.extract()?)
    } else if object.is_instance_of::<PyString>() {
        let text = object
            .extract::<String>()
            .map_err(|_| invalid_type(py, "is a string with surrogates; expected Unicode text"));
        Value::Str(text?)
    } else if let Ok(scalar) = object.cast::<Scalar>() {
        let (value, dtype) = (scalar.get().value(), scalar.get().dtype);
        Value::Map(IndexMap::from([("value".to_owned(), Value::Float(value)), ("dtype".to_owned(), dtype.into())]))
    } else if is_numpy_number(object)? {
        let number = object.call_method0(intern!(py, "item"))?;
        // Python has no type for a longdouble, which NumPy returns unchanged.
        return if is_numpy_number(&number)? { Ok(None) } else { plain(&number) };
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

/// A walk through lists in lists. Each list is entered once, however often it occurs.
#[derive(Default)]
struct Walk<'py> {
    entered: HashSet<usize>,
    /// The lists around the current object.
    around: Vec<usize>,
    tensors: Vec<Bound<'py, Tensor>>,
    /// Whether a list contains itself, or lists are nested deeper than in any argument.
    is_endless: bool,
}

impl<'py> Walk<'py> {
    fn visit(&mut self, object: &Bound<'py, PyAny>) {
        if let Ok(tensor) = object.cast::<Tensor>() {
            self.tensors.push(tensor.clone());
        } else if let Ok(list) = object.cast::<PyList>() {
            self.enter(object, list.iter());
        } else if let Ok(tuple) = object.cast::<PyTuple>() {
            self.enter(object, tuple.iter());
        }
    }
    fn enter(&mut self, list: &Bound<'py, PyAny>, items: impl Iterator<Item = Bound<'py, PyAny>>) {
        let id = list.as_ptr().addr();
        if self.around.len() == MAX_DEPTH || self.around.contains(&id) {
            self.is_endless = true;
        } else if self.entered.insert(id) {
            self.around.push(id);
            items.for_each(|item| self.visit(&item));
            self.around.pop();
        }
    }
}

/// Returns the tensors among arguments, those in lists included. The conversion of an argument reports lists that are nested too
/// deep.
pub fn tensors_in<'py>(objects: &[Bound<'py, PyAny>]) -> Vec<Bound<'py, Tensor>> {
    let mut walk = Walk::default();
    objects.iter().for_each(|object| walk.visit(object));
    walk.tensors
}

/// Converts an array or a list of numbers to an array. Numbers of a list take the expected dtype if they fit it. Errors begin
/// with `what`: "the data of \"w\"".
pub fn array_or_list(what: &str, object: &Bound<'_, PyAny>, dtype: Dtype) -> PyResult<Array> {
    let py = object.py();
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    let is_number = object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>();
    if !is_list && !is_number {
        return from_python(what, object);
    }
    let kind = if is_list { "a list" } else { "a number" };
    let wrong = |problem: String| invalid_type(py, format!("{what} is {kind} {problem}"));
    // NumPy would follow a list that contains itself twice along all 2^64 ways.
    let mut walk = Walk::default();
    walk.visit(object);
    if walk.is_endless {
        return Err(wrong(format!("that contains itself, or is nested deeper than {MAX_DEPTH} lists")));
    }
    let numbers = numpy(py)?
        .call_method1(intern!(py, "array"), (object,))
        .map_err(|e| wrong(format!("that does not form an array: {e}")))?;
    check_numbers(&numbers).map_err(|problem| wrong(problem.to_owned()))?;
    let of = if dtype.is_float() { "float32" } else { dtype.name() };
    let converted = numbers.call_method1(intern!(py, "astype"), (of,))?;
    let is_exact =
        dtype.is_float() || numpy(py)?.call_method1(intern!(py, "array_equal"), (&converted, &numbers))?.is_truthy()?;
    if !is_exact {
        return Err(wrong(format!("{}that {dtype} cannot represent", if is_list { "with numbers " } else { "" })));
    }
    from_python(what, &converted)
}

/// Checks that an array that NumPy has made of a list has numbers.
///
/// # Errors
/// Returns the problem with its elements.
fn check_numbers(array: &Bound<'_, PyAny>) -> Result<(), &'static str> {
    let py = array.py();
    let kind =
        array.getattr(intern!(py, "dtype")).and_then(|dtype| dtype.getattr(intern!(py, "kind"))?.extract::<String>());
    match kind.unwrap_or_default().as_str() {
        "b" | "i" | "u" | "f" => Ok(()),
        "O" if has_only_numbers(array).unwrap_or(false) => Err("with an integer beyond 64 bits"),
        _ => Err("with elements that are not numbers"),
    }
}

fn has_only_numbers(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    for item in array.getattr(intern!(array.py(), "flat"))?.try_iter()? {
        let item = item?;
        if !item.is_instance_of::<PyInt>() && !item.is_instance_of::<PyFloat>() {
            return Ok(false);
        }
    }
    Ok(true)
}
