//! Scales and zero points.
use crate::errors::invalid_type;
use pyo3::{IntoPyObjectExt, prelude::*, types::PyTuple};
use tpulang::{Quantization, base::OneOrMany};

/// Reads a scale and a zero point, each a number or a list. Like TpuLang, takes the scales' absolute values.
pub fn read(scale: Option<&Bound<'_, PyAny>>, zero_point: Option<&Bound<'_, PyAny>>) -> PyResult<Quantization> {
    let scale = scale.map(|given| number_or_list::<f64>("scale", "a number", given)).transpose()?;
    let zero_point = zero_point.map(|given| number_or_list::<i64>("zero_point", "an integer", given)).transpose()?;
    let scale = scale.map(|scale| match scale {
        OneOrMany::One(one) => OneOrMany::One(one.abs()),
        OneOrMany::Many(many) => OneOrMany::Many(many.into_iter().map(f64::abs).collect()),
    });
    Ok(Quantization { scale, zero_point })
}

/// Reads the quantization of an output: a tuple of scale and zero point, or a scale alone. A list is one scale per channel.
pub fn read_output(object: &Bound<'_, PyAny>) -> PyResult<Option<Quantization>> {
    if object.is_none() {
        return Ok(None);
    }
    match object.cast::<PyTuple>() {
        Ok(pair) if pair.len() == 2 => read(Some(&pair.get_item(0)?), Some(&pair.get_item(1)?)),
        _ => read(Some(object), None),
    }
    .map(Some)
}

fn number_or_list<T: for<'a, 'py> FromPyObject<'a, 'py>>(
    argument: &str,
    expected: &str,
    given: &Bound<'_, PyAny>,
) -> PyResult<OneOrMany<T>> {
    let one = given.extract::<T>().map(OneOrMany::One).map_err(drop);
    one.or_else(|()| given.extract::<Vec<T>>().map(OneOrMany::Many).map_err(drop)).map_err(|()| {
        let found = given.repr().map(|text| text.to_string()).unwrap_or_default();
        invalid_type(given.py(), format!("{argument} is {found}; expected {expected} or a list of them"))
    })
}

/// Returns a number, a list, or None.
pub fn one_or_many<'py, T: IntoPyObject<'py> + Clone>(
    py: Python<'py>,
    values: Option<OneOrMany<T>>,
) -> PyResult<Bound<'py, PyAny>> {
    match values {
        Some(OneOrMany::One(value)) => value.into_bound_py_any(py),
        Some(OneOrMany::Many(values)) => values.into_bound_py_any(py),
        None => Ok(py.None().into_bound(py)),
    }
}
