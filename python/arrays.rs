//! Arrays of NumPy, PyTorch and others, without copies.
use crate::{
    errors::{OrRaise, class_of, explained, invalid, invalid_type},
    warnings::warn,
};
use dlpark::python::{ImportedDlpack, from_dlpack};
use pyo3::{
    exceptions::PyTypeError,
    intern,
    prelude::*,
    sync::PyOnceLock,
    types::{PyByteArray, PyBytes, PyDict, PyMemoryView, PyModule, PyTuple},
};
use tpulang::{
    Array, Dtype, Error,
    array::{self, ArrayMut, ArrayView},
    base::{Shape, Warning, WarningKind},
};

/// NumPy, which is imported when the first array is exchanged.
pub fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind)).map(|module| module.bind(py))
}

/// Returns ml_dtypes if it is installed, which has the floats that NumPy lacks.
fn ml_dtypes(py: Python<'_>) -> Option<&Bound<'_, PyModule>> {
    static ML_DTYPES: PyOnceLock<Option<Py<PyModule>>> = PyOnceLock::new();
    let module = ML_DTYPES.get_or_init(py, || py.import("ml_dtypes").ok().map(Bound::unbind));
    module.as_ref().map(|module| module.bind(py))
}

/// The dtypes whose names differ in NumPy and ml_dtypes.
const OTHER_NAMES: [(Dtype, &str); 2] = [(Dtype::Fp8e4m3, "float8_e4m3fn"), (Dtype::Fp8e5m2, "float8_e5m2")];

/// Returns the name of a dtype in NumPy and ml_dtypes.
fn numpy_name(dtype: Dtype) -> &'static str {
    OTHER_NAMES.iter().find(|(known, _)| *known == dtype).map_or(dtype.name(), |(_, name)| name)
}

/// Returns the dtype of this name, which may be that of NumPy, ml_dtypes or PyTorch.
pub fn dtype_of_name(name: &str) -> Option<Dtype> {
    let lower = name.strip_prefix("torch.").unwrap_or(name).to_lowercase();
    let other = || OTHER_NAMES.iter().find(|(_, known)| *known == lower).map(|(dtype, _)| *dtype);
    Dtype::from_name(&lower).or_else(other)
}

/// Returns the dtype that an object stands for: a name, or a dtype of NumPy, ml_dtypes or PyTorch.
pub fn dtype_of(object: &Bound<'_, PyAny>) -> PyResult<Dtype> {
    let py = object.py();
    let known = match object.extract::<String>() {
        Ok(name) => dtype_of_name(&name),
        Err(_) => dtype_of_name(&dtype_name(object)?.unwrap_or_default()),
    };
    known.ok_or_else(|| {
        let all: Vec<_> = Dtype::all().map(Dtype::name).collect();
        let found = object.repr().map(|text| text.to_string()).unwrap_or_default();
        invalid_type(py, format!("dtype is {found}; expected one of {}", all.join(", ")))
    })
}

/// Returns the name of a dtype of NumPy, ml_dtypes or PyTorch; `None` for any other object.
pub fn dtype_name(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let py = object.py();
    let class = object.get_type();
    if class.module()?.to_cow()? == "torch" && class.name()?.to_cow()? == "dtype" {
        return Ok(Some(object.str()?.to_string()));
    }
    let numpy = numpy(py)?;
    let is_scalar_type = object.cast::<pyo3::types::PyType>().is_ok_and(|of| {
        of.hasattr(intern!(py, "dtype")).unwrap_or(false)
            || numpy.getattr("generic").is_ok_and(|generic| of.is_subclass(&generic).unwrap_or(false))
    });
    if is_scalar_type || object.is_instance(&numpy.getattr(intern!(py, "dtype"))?)? {
        let dtype = numpy.call_method1(intern!(py, "dtype"), (object,))?;
        return Ok(Some(dtype.getattr(intern!(py, "name"))?.extract()?));
    }
    Ok(None)
}

/// An object that has the elements of an array.
pub enum Source<'py> {
    /// An array of NumPy, or a view of a buffer (`bytes`, `array.array`) as one.
    NumPy(Bound<'py, PyAny>),
    /// An array of another library, such as PyTorch.
    Dlpack(Bound<'py, PyAny>),
}

impl<'py> Source<'py> {
    fn object(&self) -> &Bound<'py, PyAny> {
        let (Source::NumPy(object) | Source::Dlpack(object)) = self;
        object
    }
    pub fn py(&self) -> Python<'py> {
        self.object().py()
    }
    /// Returns `None` for an object that is no array.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Option<Source<'py>>> {
        let py = object.py();
        if object.hasattr(intern!(py, "__array_interface__"))? {
            return Ok(Some(Source::NumPy(object.clone())));
        }
        if object.hasattr(intern!(py, "__dlpack__"))? {
            return Ok(Some(Source::Dlpack(object.clone())));
        }
        if object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>() {
            let bytes = numpy(py)?.call_method1(intern!(py, "frombuffer"), (object, "uint8"))?;
            return Ok(Some(Source::NumPy(bytes)));
        }
        match PyMemoryView::from(object) {
            Ok(buffer) => numpy(py)?.call_method1(intern!(py, "asarray"), (buffer,)).map(|a| Some(Source::NumPy(a))),
            Err(_) => Ok(None),
        }
    }
    /// Returns an array on the memory of the object, which it keeps. The elements are copied if they are not contiguous.
    ///
    /// # Errors
    /// Returns an error if the array is of another device or dtype, or masked. `wrong` makes it of the problem.
    pub fn array(&self, wrong: impl FnOnce(String) -> PyErr) -> PyResult<Array> {
        let array = match self {
            Source::NumPy(array) => from_numpy(array),
            Source::Dlpack(tensor) => from_dlpack_object(tensor),
        };
        array.map_err(|raised| explained(self.py(), raised, wrong))
    }
    /// Returns the elements as lists of lists.
    ///
    /// # Errors
    /// Returns an error if there are none. `wrong` makes it of the problem.
    pub fn list(&self, wrong: impl FnOnce(String) -> PyErr) -> PyResult<Bound<'py, PyAny>> {
        self.listed().map_err(|raised| explained(self.py(), raised, wrong))
    }
    fn listed(&self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        check_unmasked(self.object())?;
        numpy(py)?.call_method1(intern!(py, "asarray"), (self.object(),))?.call_method0(intern!(py, "tolist"))
    }
}

/// Returns the array of an object: see [`Source`]. Errors begin with `what`: "the data of \"w\"".
///
/// # Errors
/// Returns an error if the object is not an array, or one of another device or dtype, or masked.
pub fn from_python(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = object.py();
    let wrong = |problem: String| invalid_type(py, format!("{what} {problem}"));
    match Source::of(object).map_err(|raised| explained(py, raised, wrong))? {
        Some(source) => source.array(wrong),
        None => Err(wrong(not_an_array(object))),
    }
}

fn not_an_array(object: &Bound<'_, PyAny>) -> String {
    format!("is {}; expected an array of NumPy, PyTorch or another library with DLPack", class_of(object))
}

/// Returns the exception that the library cannot use the memory of an array.
fn unusable(py: Python<'_>, error: &Error) -> PyErr {
    invalid_type(py, format!("cannot be used: {error}"))
}

/// Checks that an array has no mask, which would be lost.
fn check_unmasked(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = object.py();
    if object.get_type().is(&numpy(py)?.getattr(intern!(py, "ndarray"))?) {
        return Ok(());
    }
    match object.is_instance(&py.import(intern!(py, "numpy.ma"))?.getattr(intern!(py, "MaskedArray"))?)? {
        true => Err(invalid_type(
            py,
            "is a masked array, whose mask would be lost; expected array.filled(value) or array.data",
        )),
        false => Ok(()),
    }
}

fn from_numpy(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = object.py();
    check_unmasked(object)?;
    // No copy unless it is needed, and no subclass (E), whose attributes may say anything.
    let array = numpy(py)?.call_method1(intern!(py, "require"), (object, py.None(), ("C", "A", "E")))?;
    let dtype = array.getattr(intern!(py, "dtype"))?;
    if !dtype.getattr(intern!(py, "isnative"))?.is_truthy()? {
        let native = dtype.call_method1(intern!(py, "newbyteorder"), ("=",))?;
        return from_numpy(&array.call_method1(intern!(py, "astype"), (native,))?);
    }
    let (dtype, shape, pointer) = memory(&array)?;
    // SAFETY: the array keeps the memory, which has all elements in row-major order. The documentation asks the caller
    // not to write to it.
    unsafe { Array::from_raw_parts(dtype, shape, pointer, array.unbind()) }.map_err(|error| unusable(py, &error))
}

/// Returns the dtype, shape and address of an array of NumPy, all of one description of its memory. Only the names of
/// ml_dtypes' dtypes are elsewhere.
fn memory(array: &Bound<'_, PyAny>) -> PyResult<(Dtype, Shape, *mut u8)> {
    let py = array.py();
    let name: String = array.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "name"))?.extract()?;
    let dtype = dtype_of_name(&name).ok_or_else(|| {
        let all: Vec<_> = Dtype::all().map(Dtype::name).collect();
        invalid_type(py, format!("has the dtype {name}; expected one of {}", all.join(", ")))
    })?;
    let interface = array.getattr(intern!(py, "__array_interface__"))?;
    let code: String = interface.get_item(intern!(py, "typestr"))?.extract()?;
    let size = code.get(2..).and_then(|digits| digits.parse::<usize>().ok());
    let strides = interface.get_item(intern!(py, "strides"))?;
    if size != Some(dtype.size()) || !strides.is_none() {
        let problem = format!(
            "has the array interface {interface}; expected {dtype} elements, contiguous and in row-major order"
        );
        return Err(invalid_type(py, problem));
    }
    let (address, _): (usize, bool) = interface.get_item(intern!(py, "data"))?.extract()?;
    let shape = interface.get_item(intern!(py, "shape"))?.extract()?;
    Ok((dtype, shape, std::ptr::with_exposed_provenance_mut(address)))
}

fn from_dlpack_object(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = object.py();
    // PyTorch does not export what needs a gradient.
    let mut detached = object.clone();
    // Nor does DLPack say that a tensor's elements are to be negated.
    for method in ["detach", "resolve_neg"] {
        if detached.hasattr(method)? {
            detached = detached.call_method0(method)?;
        }
    }
    let tensor = match from_dlpack(detached.as_borrowed(), None, None) {
        // Old versions of PyTorch do not take the arguments of DLPack's newer protocol.
        Err(e) if e.is_instance_of::<PyTypeError>(py) && detached.hasattr("numpy")? => {
            return from_numpy(&detached.call_method0("numpy")?);
        }
        result => result?,
    };
    // SAFETY: the tensor was made by the object's library; see `from_numpy` for writes.
    let view = unsafe {
        match tensor {
            ImportedDlpack::Versioned(tensor) => ArrayView::from_dlpack(tensor),
            ImportedDlpack::Legacy(tensor) => ArrayView::from_dlpack(tensor),
        }
    };
    view.and_then(|view| view.to_array()).map_err(|error| unusable(py, &error))
}

/// Returns an array to write the result `name` to, on the memory of an array of NumPy or a tensor of PyTorch.
///
/// # Errors
/// Returns an error if the object is no such array, is read-only or not contiguous.
pub fn to_write(name: &str, object: &Bound<'_, PyAny>) -> PyResult<ArrayMut> {
    let py = object.py();
    let wrong = |problem: String| invalid_type(py, format!("the array for the result {name:?} {problem}"));
    written(object).map_err(|raised| explained(py, raised, wrong))
}

fn written(object: &Bound<'_, PyAny>) -> PyResult<ArrayMut> {
    let py = object.py();
    if object.is_instance(&numpy(py)?.getattr(intern!(py, "ndarray"))?)? {
        return numpy_written(object);
    }
    if !object.hasattr(intern!(py, "__dlpack__"))? {
        return Err(invalid_type(py, not_an_array(object)));
    }
    if object.hasattr("is_neg")? && object.call_method0("is_neg")?.is_truthy()? {
        return Err(invalid_type(py, "is a negated view; expected a tensor like torch.empty makes"));
    }
    let tensor = from_dlpack(object.as_borrowed(), None, None)?;
    // SAFETY: the tensor was made by the object's library. The documentation asks the caller not to use it during the
    // run.
    let array = unsafe {
        match tensor {
            ImportedDlpack::Versioned(tensor) => ArrayMut::from_dlpack(tensor),
            ImportedDlpack::Legacy(tensor) => ArrayMut::from_dlpack(tensor),
        }
    };
    array.map_err(|error| unusable(py, &error))
}

fn numpy_written(object: &Bound<'_, PyAny>) -> PyResult<ArrayMut> {
    let py = object.py();
    check_unmasked(object)?;
    // The same memory, without the attributes of a subclass, which may say anything.
    let array = numpy(py)?.call_method1(intern!(py, "asarray"), (object,))?;
    let dtype = array.getattr(intern!(py, "dtype"))?;
    if !dtype.getattr(intern!(py, "isnative"))?.is_truthy()? {
        return Err(invalid_type(py, format!("has the byte order of {dtype}; expected this machine's")));
    }
    let flags = array.getattr(intern!(py, "flags"))?;
    for flag in ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE"] {
        if !flags.get_item(flag)?.is_truthy()? {
            return Err(invalid_type(py, format!("is not {flag}; expected one like numpy.empty makes")));
        }
    }
    let (dtype, shape, pointer) = memory(&array)?;
    // SAFETY: the array keeps the memory, which may be written; see above for other uses.
    unsafe { ArrayMut::from_raw_parts(dtype, shape, pointer, array.unbind()) }.map_err(|error| unusable(py, &error))
}

/// Returns an array of NumPy that owns the memory of the array; a copy if the array is shared.
pub fn to_numpy<'py>(py: Python<'py>, array: Array) -> PyResult<Bound<'py, PyAny>> {
    match array.into_mut() {
        Ok(array) => wrapped(py, Memory::Owned(array)),
        Err(shared) => {
            let copy = shared.in_memory().and_then(|array| array.copied()).or_raise(py)?;
            match copy.into_mut() {
                Ok(array) => wrapped(py, Memory::Owned(array)),
                Err(array) => wrapped(py, Memory::Shared(array)),
            }
        }
    }
}

/// Returns an array of NumPy on shared memory, read-only.
pub fn view_numpy<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    array.bytes().or_raise(py)?;
    wrapped(py, Memory::Shared(array.clone()))
}

enum Memory {
    Owned(ArrayMut),
    Shared(Array),
}

/// The memory of an array of NumPy.
#[pyclass(frozen, module = "tpulang._native")]
struct Exported {
    pointer: usize,
    dtype: Dtype,
    shape: Shape,
    is_read_only: bool,
    #[expect(dead_code, reason = "it keeps the memory")]
    memory: Memory,
}

#[pymethods]
impl Exported {
    /// NumPy's description of the memory.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", type_text(self.dtype))?;
        interface.set_item("data", (self.pointer, self.is_read_only))?;
        Ok(interface)
    }
}

/// Returns NumPy's code of a dtype; for a float that NumPy lacks, that of an integer of its size.
fn type_text(dtype: Dtype) -> String {
    let size = dtype.size();
    match dtype {
        Dtype::Bool => "|b1".to_owned(),
        Dtype::Float16 | Dtype::Float32 | Dtype::Float64 => format!("<f{size}"),
        _ if dtype.is_signed_int() => format!("<i{size}"),
        _ => format!("<u{size}"),
    }
}

fn wrapped<'py>(py: Python<'py>, mut memory: Memory) -> PyResult<Bound<'py, PyAny>> {
    let (pointer, dtype, shape) = match &mut memory {
        Memory::Owned(array) => (array.bytes().as_ptr(), array.dtype(), array.shape().to_vec()),
        Memory::Shared(array) => (array.bytes().or_raise(py)?.as_ptr(), array.dtype(), array.shape().to_vec()),
    };
    let is_read_only = matches!(memory, Memory::Shared(_));
    let exported = Exported { pointer: pointer.expose_provenance(), dtype, shape, is_read_only, memory };
    let array = numpy(py)?.call_method1(intern!(py, "asarray"), (Bound::new(py, exported)?,))?;
    let missing = matches!(dtype, Dtype::Bfloat16 | Dtype::Fp8e4m3 | Dtype::Fp8e5m2);
    match ml_dtypes(py).filter(|_| missing) {
        Some(module) => array.call_method1(intern!(py, "view"), (module.getattr(numpy_name(dtype))?,)),
        None => Ok(array),
    }
}

/// Returns the elements in another dtype, with a remark, if those of the array's own are converted where they fit
/// ([`Array::fitted`]). Errors name `call`, and the remark `name`.
///
/// # Errors
/// Returns an error if an element does not fit.
pub fn fitted(
    py: Python<'_>,
    (call, name): (&str, &str),
    array: &Array,
    dtype: Dtype,
) -> PyResult<Option<(Array, Warning)>> {
    let Some(fitted) = array.fitted(dtype) else { return Ok(None) };
    fitted.bytes().map_err(|problem| invalid(py, format!("{call}: {problem}")))?;
    let kind = WarningKind::Converted { tensor: name.to_owned(), from: array.dtype(), to: dtype };
    Ok(Some((fitted, Warning::new(kind))))
}

/// Returns the data of the tensor `name` with its dtype and shape. Floats are converted between float16 and float32, and
/// dtypes that no tensor has, with a remark. As in TpuLang, an array of as many elements is reshaped.
///
/// # Errors
/// Returns an error if the dtype is another one ([`array::as_declared`]), or the number of elements.
pub fn as_declared(py: Python<'_>, name: &str, mut data: Array, (dtype, shape): (Dtype, &[usize])) -> PyResult<Array> {
    let is_half_or_single = |dtype| [Dtype::Float16, Dtype::Float32].contains(&dtype);
    if data.dtype() != dtype && is_half_or_single(dtype) && is_half_or_single(data.dtype()) {
        data = data.to_dtype(dtype).or_raise(py)?;
    } else if data.dtype() != dtype
        && let Some((fitted, remark)) = fitted(py, (&format!("the data of {name:?}"), name), &data, dtype)?
    {
        warn(py, [&remark])?;
        data = fitted;
    }
    if let Ok(reshaped) = data.reshaped(shape) {
        data = reshaped;
    }
    array::as_declared(data, dtype, shape).map_err(|problem| invalid(py, format!("the data of {name:?} {problem}")))
}
