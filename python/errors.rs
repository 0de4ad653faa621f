//! tpulang's errors as Python exceptions, which `tpulang/_errors.py` defines.
use pyo3::{
    exceptions::{PyException, PyMemoryError},
    intern,
    prelude::*,
    types::{PyDict, PyList},
};
use tpulang::{
    Error,
    base::{Cause, Result},
};

/// Maximum length of an object's text in a message.
const MAX_SHOWN: usize = 60;

/// The result of an operation of the library, in Python.
pub trait OrRaise<T> {
    /// Converts an error to an exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}
impl<T> OrRaise<T> for Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// Returns the exception for an error, which carries its call and its numbers.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    match described(py, error) {
        Ok(exception) | Err(exception) => exception,
    }
}

/// Returns an exception of the class `InvalidType` about an argument of a call.
pub fn bad_call(py: Python<'_>, function: &str, argument: &str, problem: impl std::fmt::Display) -> PyErr {
    let details = PyDict::new(py);
    let set = details.set_item("function", function).and_then(|()| details.set_item("argument", argument));
    match set {
        Ok(()) => of_class(py, "InvalidType", format!("{function}: {problem}"), Some(&details)),
        Err(error) => error,
    }
}

/// Returns an exception of the class `InvalidType`.
pub fn invalid_type(py: Python<'_>, message: impl Into<String>) -> PyErr {
    of_class(py, "InvalidType", message.into(), None)
}

/// Returns an exception of the class `Error`.
pub fn invalid(py: Python<'_>, message: impl Into<String>) -> PyErr {
    of_class(py, "Error", message.into(), None)
}

/// Converts a number that counts something. `argument` names the call and the argument: "for_loop: count".
///
/// # Errors
/// Returns an error if the number is negative or too large.
pub fn count<T: TryFrom<i64>>(py: Python<'_>, argument: &str, given: i64) -> PyResult<T> {
    let problem = if given < 0 { "expected 0 or more" } else { "it is too large" };
    T::try_from(given).map_err(|_| invalid(py, format!("{argument} is {given}; {problem}")))
}

/// Converts a number that counts something that there must be, as [`count`] does.
///
/// # Errors
/// Returns an error if the number is less than 1 or too large.
pub fn count_from_one<T: TryFrom<i64>>(py: Python<'_>, argument: &str, given: i64) -> PyResult<T> {
    if given < 1 {
        return Err(invalid(py, format!("{argument} is {given}; expected 1 or more")));
    }
    count(py, argument, given)
}

/// Returns whether an exception is one of tpulang's.
pub fn is_ours(py: Python<'_>, raised: &PyErr) -> bool {
    let class = py.import(intern!(py, "tpulang._errors")).and_then(|module| module.getattr("Error"));
    class.and_then(|class| raised.value(py).is_instance(&class)).unwrap_or(false)
}

/// Returns the exception that tells the user what is wrong with an object; `wrong` makes it of the problem. An exception of
/// ours is taken to be the problem, "has the dtype complex64; ..", while those of Python and of other libraries are quoted.
/// Ctrl-C and a lack of memory are raised as they are.
pub fn explained(py: Python<'_>, raised: PyErr, wrong: impl FnOnce(String) -> PyErr) -> PyErr {
    if !raised.is_instance_of::<PyException>(py) || raised.is_instance_of::<PyMemoryError>(py) {
        return raised;
    }
    if is_ours(py, &raised) {
        return wrong(raised.value(py).to_string());
    }
    let exception = wrong(format!("cannot be read: {raised}"));
    exception.set_cause(py, Some(raised));
    exception
}

/// Returns the class of an object, for a message: `an int`.
pub fn class_of(object: &Bound<'_, PyAny>) -> String {
    let name = object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    format!("{} {name}", article(&name))
}

/// Returns the article before a word.
pub fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// Describes an object that stands where another is expected: `5, an int`; only its class if its text is long.
pub fn shown(object: &Bound<'_, PyAny>) -> String {
    if object.is_none() {
        return "None".to_owned();
    }
    match object.repr().map(|text| text.to_string()) {
        Ok(text) if text.chars().count() <= MAX_SHOWN && !text.contains('\n') => {
            format!("{text}, {}", class_of(object))
        }
        _ => class_of(object),
    }
}

fn of_class(py: Python<'_>, class: &str, message: String, details: Option<&Bound<'_, PyDict>>) -> PyErr {
    let made = py
        .import(intern!(py, "tpulang._errors"))
        .and_then(|module| module.getattr(class)?.call((message,), details))
        .map(PyErr::from_value);
    made.unwrap_or_else(|error| error)
}

fn described(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    if let Some(call) = error.call() {
        details.set_item("function", &call.function)?;
        details.set_item("call", call.index)?;
        details.set_item("output", &call.out)?;
        let operands = call.operands.iter().map(|[argument, name, kind]| (argument, name, kind));
        details.set_item("operands", PyList::new(py, operands.collect::<Vec<_>>())?)?;
    }
    if let Some(place) = error.place() {
        details.set_item("file", &place.file)?;
        details.set_item("line", place.line)?;
        details.set_item("column", place.column)?;
        details.set_item("path", &place.path)?;
    }
    let class = match error.cause() {
        Cause::Many(errors) => {
            let all =
                errors.iter().map(|error| Ok(described(py, error)?.into_value(py))).collect::<PyResult<Vec<_>>>()?;
            details.set_item("errors", PyList::new(py, all)?)?;
            "Error"
        }
        cause => numbers(cause, &details)?,
    };
    Ok(of_class(py, class, error.to_string(), Some(&details)))
}

/// Adds the argument and its value to the details, and returns the name of the class.
fn numbers(cause: &Cause, details: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    match cause {
        Cause::Argument { argument, found, expected } => {
            set_argument(details, argument)?;
            details.set_item("found", found)?;
            details.set_item("expected", expected)?;
        }
        Cause::Misfit { argument, problem } => {
            set_argument(details, argument)?;
            details.set_item("found", problem)?;
            if problem == "is missing" {
                return Ok("InvalidType");
            }
        }
        Cause::Dtype { argument, found, allowed, .. } => {
            details.set_item("argument", argument)?;
            details.set_item("found", found.name())?;
            details.set_item("expected", allowed.iter().map(|d| d.name()).collect::<Vec<_>>())?;
        }
        Cause::DtypeMismatch { left, left_dtype, right, right_dtype } => {
            details.set_item("argument", right)?;
            details.set_item("found", right_dtype.name())?;
            details.set_item("expected", format!("{left_dtype}, the dtype of {left}"))?;
        }
        Cause::Rank { argument, found, expected } => {
            details.set_item("argument", argument)?;
            details.set_item("found", found)?;
            details.set_item("expected", expected)?;
        }
        Cause::Axis { argument, axis, rank } => {
            details.set_item("argument", argument)?;
            details.set_item("found", axis)?;
            details.set_item("expected", (-(*rank as i64), *rank as i64 - 1))?;
        }
        Cause::Broadcast { left, right, .. } => {
            details.set_item("found", (left, right))?;
        }
        Cause::UnknownArgument { argument, .. } => {
            details.set_item("argument", argument)?;
            return Ok("InvalidType");
        }
        Cause::UnknownName { name, nearest, .. } => {
            details.set_item("found", name)?;
            details.set_item("expected", nearest)?;
        }
        Cause::Io { path, source } => {
            details.set_item("file", path.as_os_str())?;
            details.set_item("errno", source.raw_os_error())?;
            return Ok("FileError");
        }
        Cause::Device { .. } => return Ok("DeviceError"),
        _ => {}
    }
    Ok("Error")
}

/// Adds the argument that is wrong to the details, unless an error calls it by a description: "the name of the model".
fn set_argument(details: &Bound<'_, PyDict>, argument: &str) -> PyResult<()> {
    if argument.contains(' ') {
        return Ok(());
    }
    details.set_item("argument", argument)
}
