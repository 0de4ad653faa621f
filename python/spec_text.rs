//! Specs and modules as Python gives them: a text, a dict or a path, and values of parameters.
use crate::{
    errors::{explained, invalid, invalid_type, shown},
    values::is_numpy_number,
};
use pyo3::{
    intern,
    prelude::*,
    types::{PyBool, PyDict},
};
use tpulang::spec;

/// Reads the value of the parameter `name`: a bool, an int, a float, or otherwise a str.
pub fn param(name: &str, value: &Bound<'_, PyAny>) -> PyResult<spec::Param> {
    let py = value.py();
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(value.is_true().into());
    }
    if is_numpy_number(value)? {
        // NumPy's bool is not a bool, but would pass for a float.
        let number = value.call_method0(intern!(py, "item"))?;
        if !is_numpy_number(&number)? {
            return param(name, &number);
        }
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(number.into());
    }
    let expected = "expected a bool, an int, a float or a str";
    let wrong = |_| invalid_type(py, format!("from_spec: the parameter {name} is {}; {expected}", shown(value)));
    value.extract::<String>().map(spec::Param::from).map_err(wrong)
}

/// Returns the text of a file if an object is that, and not the file's path, which ends in `extension`. Braces tell the text of a
/// spec or a module from other paths.
pub fn text_of(object: &Bound<'_, PyAny>, extension: &str) -> Option<String> {
    let is_path = |text: &str| text.ends_with(extension) && !text.contains('\n');
    object.extract::<String>().ok().filter(|text| text.contains('{') && !is_path(text))
}

/// Returns the text of a spec that is given as a dict.
pub fn json_of(spec: &Bound<'_, PyDict>) -> PyResult<String> {
    let py = spec.py();
    let options = PyDict::new(py);
    options.set_item("allow_nan", false)?;
    let text =
        py.import("json")?.call_method("dumps", (spec,), Some(&options)).and_then(|text| text.extract::<String>());
    text.map_err(|raised| {
        let expected = "an array is written as a list, and NaN and infinities as \"nan\", \"inf\" and \"-inf\"";
        explained(py, raised, |problem| invalid(py, format!("from_spec: the dict {problem}; {expected}")))
    })
}
