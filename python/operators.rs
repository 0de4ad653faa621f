//! Python's operators on tensors: `x @ w + b`, `x[:, 1:3]`.
use crate::{
    arrays::Source,
    errors::{invalid, invalid_type},
    functions::call,
    tensor::Tensor,
    values::is_numpy_number,
};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    pyclass::CompareOp,
    types::{PyBool, PyEllipsis, PyFloat, PyInt, PyIterator, PyList, PySlice, PyTuple},
};

use tpulang_base::pluralized;

type Object<'py> = PyResult<Bound<'py, PyAny>>;

/// Returns whether an object is a number, for which comparisons are functions of their own.
fn is_number(object: &Bound<'_, PyAny>) -> bool {
    let is_plain = object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>();
    is_plain || is_numpy_number(object).unwrap_or(false)
}

fn binary<'py>(name: &'static str, left: &Bound<'py, PyAny>, right: &Bound<'py, PyAny>) -> Object<'py> {
    call(left.py(), name, &[left.clone(), right.clone()], &[])
}

#[pymethods]
impl Tensor {
    /// Tells NumPy to leave operators on an array and a tensor to the tensor.
    #[classattr]
    fn __array_ufunc__(py: Python<'_>) -> Py<PyAny> {
        py.None()
    }
    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("add", slf, other)
    }
    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("add", other, slf)
    }
    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("sub", slf, other)
    }
    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("sub", other, slf)
    }
    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("mul", slf, other)
    }
    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("mul", other, slf)
    }
    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("div", slf, other)
    }
    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("div", other, slf)
    }
    fn __matmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("matmul", slf, other)
    }
    fn __rmatmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("matmul", other, slf)
    }
    fn __and__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("and_op", slf, other)
    }
    fn __rand__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("and_op", other, slf)
    }
    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("or_op", slf, other)
    }
    fn __ror__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("or_op", other, slf)
    }
    fn __xor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("xor_op", slf, other)
    }
    fn __rxor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Object<'py> {
        binary("xor_op", other, slf)
    }
    fn __pow__<'py>(slf: &Bound<'py, Self>, exponent: &Bound<'py, PyAny>, modulo: &Bound<'py, PyAny>) -> Object<'py> {
        match modulo.is_none() {
            true => match exponent.extract::<i64>() {
                Ok(whole) => binary("pow", slf, (whole as f64).into_bound_py_any(slf.py())?.as_any()),
                Err(_) => binary("pow", slf, exponent),
            },
            false => Err(invalid_type(slf.py(), "pow() of a tensor takes no modulus")),
        }
    }
    fn __rpow__<'py>(slf: &Bound<'py, Self>, base: &Bound<'py, PyAny>, modulo: &Bound<'py, PyAny>) -> Object<'py> {
        match modulo.is_none() {
            true => binary("pow", base, slf),
            false => Err(invalid_type(slf.py(), "pow() of a tensor takes no modulus")),
        }
    }
    fn __neg__<'py>(slf: &Bound<'py, Self>) -> Object<'py> {
        binary("mul", slf, (-1i64).into_bound_py_any(slf.py())?.as_any())
    }
    fn __abs__<'py>(slf: &Bound<'py, Self>) -> Object<'py> {
        call(slf.py(), "abs", &[slf.clone().into_any()], &[])
    }
    /// `x < y` compares element by element; `x == y` says whether both are the same tensor, as dictionaries and lists need it.
    /// No tensor is a number or an array, so that `x == 0` is a mistake.
    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, operator: CompareOp) -> Object<'py> {
        let py = slf.py();
        let (of_tensor, of_number) = match operator {
            CompareOp::Lt => ("lt", "lts"),
            CompareOp::Le => ("le", "les"),
            CompareOp::Gt => ("gt", "gts"),
            CompareOp::Ge => ("ge", "ges"),
            CompareOp::Eq => ("eq", "eqs"),
            CompareOp::Ne => ("ne", "nes"),
        };
        let is_number = is_number(other);
        let function = if is_number { of_number } else { of_tensor };
        let is_same = match operator {
            CompareOp::Eq => slf.get().is_same(other),
            CompareOp::Ne => !slf.get().is_same(other),
            _ => return binary(function, slf, other),
        };
        if is_number || Source::of(other)?.is_some() {
            let problem =
                format!("== and != tell tensors apart; {function} compares their elements with a number or an array");
            return Err(invalid_type(py, problem));
        }
        is_same.into_bound_py_any(py)
    }
    /// Iterates over the first axis.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        let py = slf.py();
        let parts = (0..slf.get().__len__(py)?).map(|i| slf.as_any().get_item(i));
        PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.try_iter()
    }
    fn __contains__(slf: &Bound<'_, Self>, _value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(invalid_type(slf.py(), "a tensor has no values while the network is built; use eq to compare its elements"))
    }
    /// Selects a part: `x[0]`, `x[:, 1:3]`, `x[..., ::2]`, `x[:, None]`.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> Object<'py> {
        let items = match index.cast::<PyTuple>() {
            Ok(items) => items.iter().collect(),
            Err(_) => vec![index.clone()],
        };
        Selection::read(slf, items)?.apply(slf)
    }
}

/// What an index selects of each axis.
#[derive(Default)]
struct Selection {
    starts: Vec<i64>,
    steps: Vec<i64>,
    ends: Vec<i64>,
    /// Axes of the selected part that the result lacks.
    squeezed: Vec<i64>,
    /// Axes that the result has in addition.
    added: Vec<i64>,
    is_whole: bool,
}

impl Selection {
    fn read<'py>(tensor: &Bound<'py, Tensor>, items: Vec<Bound<'py, PyAny>>) -> PyResult<Selection> {
        let py = tensor.py();
        let shape = tensor.get().shape_now(py)?;
        let is_ellipsis = |item: &Bound<'_, PyAny>| item.is_instance_of::<PyEllipsis>();
        let given = items.iter().filter(|item| !item.is_none() && !is_ellipsis(item)).count();
        let Some(skipped) = shape.len().checked_sub(given) else {
            let indices = if given == 1 { "1 index is".to_owned() } else { format!("{given} indices are") };
            let dimensions = pluralized(shape.len(), "dimension");
            return Err(invalid(py, format!("{indices} given for a tensor of {dimensions}")));
        };
        let mut selection = Selection { is_whole: true, ..Selection::default() };
        let mut is_skipped = false;
        for item in items {
            if is_ellipsis(&item) {
                if is_skipped {
                    return Err(invalid(py, "an index has two ...; expected one at most"));
                }
                selection.skip(&shape, skipped);
                is_skipped = true;
            } else if item.is_none() {
                selection.added.push(selection.results());
            } else {
                selection.select(py, &shape, &item)?;
            }
        }
        let rest = shape.len() - selection.starts.len();
        selection.skip(&shape, rest);
        Ok(selection)
    }
    /// The number of axes of the result so far.
    fn results(&self) -> i64 {
        (self.starts.len() + self.added.len() - self.squeezed.len()) as i64
    }
    fn skip(&mut self, shape: &[usize], axes: usize) {
        for _ in 0..axes {
            self.push(0, 1, shape[self.starts.len()] as i64);
        }
    }
    fn push(&mut self, start: i64, step: i64, end: i64) {
        self.starts.push(start);
        self.steps.push(step);
        self.ends.push(end);
    }
    fn select(&mut self, py: Python<'_>, shape: &[usize], item: &Bound<'_, PyAny>) -> PyResult<()> {
        let (axis, size) = (self.starts.len(), shape[self.starts.len()]);
        if let Ok(slice) = item.cast::<PySlice>() {
            let indices = slice.indices(size as isize)?;
            if indices.slicelength == 0 {
                return Err(invalid(py, format!("the slice {slice} of axis {axis}, of {size} entries, is empty")));
            }
            self.is_whole &= indices.slicelength == size && indices.step > 0;
            // An end before the first entry, which Python gives as -1, would count from the end.
            let end = if indices.stop < 0 { -(size as i64) - 1 } else { indices.stop as i64 };
            self.push(indices.start as i64, indices.step as i64, end);
            return Ok(());
        }
        let Some(index) = item.extract::<i64>().ok().filter(|_| !item.is_instance_of::<PyBool>()) else {
            let found = item.get_type().name()?;
            let problem = "expected integers, slices, None or ...; index_select and gather_elements take a tensor";
            return Err(invalid_type(py, format!("a tensor is indexed with {found}; {problem}")));
        };
        let from_start = if index < 0 { index + size as i64 } else { index };
        if !(0..size as i64).contains(&from_start) {
            return Err(invalid(py, format!("the index {index} is out of range for axis {axis} of {size} entries")));
        }
        self.squeezed.push(axis as i64);
        self.is_whole &= size == 1;
        self.push(from_start, 1, from_start + 1);
        Ok(())
    }
    fn apply<'py>(self, tensor: &Bound<'py, Tensor>) -> Object<'py> {
        let py = tensor.py();
        let list = |values: Vec<i64>| values.into_bound_py_any(py);
        let mut result = tensor.clone().into_any();
        if !self.is_whole {
            let (starts, steps, ends) = (list(self.starts)?, list(self.steps)?, list(self.ends)?);
            result = call(py, "slice", &[result], &[("starts", starts), ("steps", steps), ("ends", ends)])?;
        }
        if !self.squeezed.is_empty() {
            result = call(py, "squeeze", &[result], &[("axis", list(self.squeezed)?)])?;
        }
        if !self.added.is_empty() {
            result = call(py, "unsqueeze", &[result], &[("axes", list(self.added)?)])?;
        }
        Ok(result)
    }
}
