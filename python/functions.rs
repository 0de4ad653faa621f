//! TpuLang's functions, as functions of the module and as methods.
use crate::{
    dropin,
    errors::{OrRaise, bad_call, invalid, invalid_type},
    graph::Graph,
    quantization,
    shared::{Lent, Shared},
    tensor::{Tensor, shape_of},
    values::{Converter, tensors_in},
    warnings::{is_about_call, warn},
};
use indexmap::IndexMap;
use pyo3::{
    IntoPyObjectExt, intern,
    prelude::*,
    types::{PyDict, PyList, PyString, PyTuple, PyType},
};
use std::sync::Arc;
use tpulang::{
    base::{CallContext, Warning},
    command::python,
    functions::{self, ByName, FunctionDef, Named, Parameter, Returns},
};

// A function of TpuLang's, such as `tpulang.conv`. It is also a method of `Tensor`, whose first argument is the tensor, and
// of `Graph`. This is no doc comment, which Python would show instead of the function's documentation.
#[pyclass(frozen, module = "tpulang", name = "function")]
pub struct Function(&'static FunctionDef);

// A function with its first argument, or with the graph to call it in.
#[pyclass(frozen, module = "tpulang", name = "method")]
struct Method {
    function: &'static FunctionDef,
    bound: Py<PyAny>,
}

#[pymethods]
impl Function {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Call::new(self.0, args.iter(), kwargs)?.make(args.py(), None)
    }
    /// Binds the function to a tensor or graph of which it is a method.
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        instance: &Bound<'py, PyAny>,
        owner: Option<&Bound<'py, PyType>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = owner;
        match instance.is_none() {
            true => Ok(slf.clone().into_any()),
            false => Method { function: slf.get().0, bound: instance.clone().unbind() }.into_bound_py_any(slf.py()),
        }
    }
    #[getter]
    fn __doc__(&self, py: Python<'_>) -> PyResult<String> {
        python::doc(self.0).or_raise(py)
    }
    #[getter]
    fn __text_signature__(&self) -> String {
        python::signature(self.0)
    }
    #[getter]
    fn __name__(&self) -> &'static str {
        self.0.name
    }
    #[getter]
    fn __qualname__(&self) -> &'static str {
        self.0.name
    }
    #[getter]
    fn __module__(&self) -> &'static str {
        "tpulang"
    }
    fn __repr__(&self) -> String {
        format!("<function tpulang.{}>", self.0.name)
    }
    fn __reduce__(&self) -> &'static str {
        self.0.name
    }
}

#[pymethods]
impl Method {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let bound = self.bound.bind(py);
        if let Ok(graph) = bound.cast::<Graph>() {
            return Call::new(self.function, args.iter(), kwargs)?.make(py, Some(graph.get().shared()));
        }
        Call::new(self.function, std::iter::once(bound.clone()).chain(args.iter()), kwargs)?.make(py, None)
    }
    #[getter]
    fn __doc__(&self, py: Python<'_>) -> PyResult<String> {
        python::doc(self.function).or_raise(py)
    }
    #[getter]
    fn __name__(&self) -> &'static str {
        self.function.name
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<method {} of {}>", self.function.name, self.bound.bind(py).repr()?))
    }
}

/// The arguments of a call, by name.
struct Call<'py> {
    function: &'static FunctionDef,
    given: IndexMap<&'static str, Bound<'py, PyAny>>,
    out_quant: Option<Bound<'py, PyAny>>,
    /// TpuLang's function that returns the shapes of a custom operator's outputs.
    shape_func: Option<Bound<'py, PyAny>>,
}

impl<'py> Call<'py> {
    /// # Errors
    /// Returns an error if there are too many arguments, or unknown or repeated ones.
    fn new(
        function: &'static FunctionDef,
        args: impl Iterator<Item = Bound<'py, PyAny>>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Call<'py>> {
        let signature = function.signature();
        let mut call = Call { function, given: IndexMap::new(), out_quant: None, shape_func: None };
        for (i, object) in args.enumerate() {
            let Some(parameter) = signature.positional.get(i) else {
                let problem = format!("takes at most {} arguments by position", signature.positional.len());
                return Err(invalid_type(object.py(), format!("{}: {problem}", function.name)));
            };
            call.given.insert(parameter.name(), object);
        }
        for (key, object) in kwargs.into_iter().flatten() {
            let key = key.cast_into::<PyString>()?;
            call.keyword(&signature, &key.to_cow()?, object)?;
        }
        Ok(call)
    }
    fn keyword(&mut self, signature: &functions::Signature<'_>, key: &str, object: Bound<'py, PyAny>) -> PyResult<()> {
        let py = object.py();
        let keyword_only = signature.keyword_only.iter().map(|a| a.name);
        let known = signature.positional.iter().map(Parameter::name).chain(keyword_only);
        match known.clone().find(|name| *name == key) {
            Some(name) if self.given.contains_key(name) => {
                Err(bad_call(py, self.function.name, key, format!("{key} is given twice")))
            }
            Some(name) => {
                self.given.insert(name, object);
                Ok(())
            }
            None if key == "out_quant" => {
                self.out_quant = Some(object);
                Ok(())
            }
            None if key == "shape_func" && python::takes_shape_func(self.function) => {
                self.shape_func = Some(object).filter(|function| !function.is_none());
                Ok(())
            }
            None => {
                let problem = functions::unknown_argument(key, known, |name| self.given.contains_key(name));
                Err(bad_call(py, self.function.name, key, problem))
            }
        }
    }

    /// Makes the call, in this graph or in that of the tensors.
    fn make(mut self, py: Python<'py>, graph: Option<&Arc<Shared>>) -> PyResult<Bound<'py, PyAny>> {
        let graph = match graph {
            Some(graph) => graph.clone(),
            None => dropin::graph_of(py, &tensors_in(&self.given.values().cloned().collect::<Vec<_>>()))?,
        };
        self.infer_shapes(py)?;
        let named = self.named()?;
        let converter = Converter::new(self.function.name, &graph);
        let mut args = IndexMap::new();
        for argument in self.function.arguments() {
            if let Some(object) = self.given.get(argument.name) {
                args.insert(argument.name.to_owned(), converter.argument(argument, object)?);
            }
        }
        let call = ByName { args, named, ..ByName::default() };
        let tensors = add_call(py, &graph, self.function.name, call, converter.remarks.into_inner())?;
        let mut tensors = tensors.into_iter().map(|tensor| Tensor::of(&graph, tensor));
        match self.function.returns() {
            Returns::One => tensors.next().into_bound_py_any(py),
            Returns::Named(_) => {
                let all = tensors.map(|tensor| Bound::new(py, tensor)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, all)?.into_any())
            }
            Returns::List => {
                let all = tensors.map(|tensor| Bound::new(py, tensor)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(py, all)?.into_any())
            }
        }
    }
    /// Calls `shape_func` of a custom operator.
    fn infer_shapes(&mut self, py: Python<'py>) -> PyResult<()> {
        if let (Some(function), Some(tensors)) = (&self.shape_func, self.given.get("tensors_in")) {
            let shapes = function.call1((tensors,))?;
            let is_one = shapes.get_item(0).is_ok_and(|first| first.extract::<i64>().is_ok());
            let shapes = if is_one { PyList::new(py, [shapes])?.into_any() } else { shapes };
            shapes.try_iter()?.try_for_each(|shape| shape_of(&shape?).map(drop))?;
            self.given.insert("out_shapes", shapes);
        }
        Ok(())
    }
    /// Returns the names and quantizations of the outputs.
    fn named(&self) -> PyResult<Named> {
        let name = |parameter: Parameter<'_>| self.given.get(parameter.name()).filter(|name| !name.is_none());
        let mut out = Vec::new();
        for parameter in [Parameter::OutName, Parameter::OutNames, Parameter::MaskName] {
            let Some(object) = name(parameter) else { continue };
            out.extend(names_of(self.function.name, parameter.name(), object)?);
        }
        let out_quant = self.out_quant.as_ref().map(quantization::read_output).transpose()?.flatten();
        Ok(Named {
            out: Some(out).filter(|names| !names.is_empty()),
            out_quant: out_quant.into_iter().map(Some).collect(),
        })
    }
}

/// Reads the name of a result, or those of several.
pub fn names_of(function: &str, argument: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match (object.extract::<String>(), object.extract::<Vec<String>>()) {
        (Ok(one), _) => Ok(vec![one]),
        (_, Ok(several)) => Ok(several),
        _ => {
            let problem = format!("{argument} is {}; expected a string", object.repr()?);
            Err(bad_call(object.py(), function, argument, problem))
        }
    }
}

/// Makes the call of a function or an op, unless the user has made one of its warnings an error.
pub fn add_call(
    py: Python<'_>,
    graph: &Arc<Shared>,
    function: &str,
    call: ByName,
    remarks: Vec<Warning>,
) -> PyResult<Vec<tpulang::Tensor>> {
    let out = call.named.out.as_ref().and_then(|names| names.first().cloned());
    let warned_call = |graph: &mut tpulang::Graph, lent: &Lent<'_>| {
        let (index, before) = (graph.calls_made(), graph.recorded_warnings());
        let tensors = functions::call_with(graph, function, call)?;
        let context = CallContext { function: function.to_owned(), out, index, operands: Vec::new() };
        let mut raised: Vec<_> = remarks.into_iter().map(|remark| remark.in_call(context.clone())).collect();
        raised.extend(graph.warnings_since(before).into_iter().filter(is_about_call));
        if !raised.is_empty() {
            lent.call(graph, || warn(py, &raised))?;
        }
        Ok(tensors)
    };
    graph.lend(py, |graph, lent| graph.atomic(|graph| warned_call(graph, lent)))
}

/// Calls a function by name from Rust, for operators of Python: `x + y`.
pub fn call<'py>(
    py: Python<'py>,
    name: &'static str,
    args: &[Bound<'py, PyAny>],
    kwargs: &[(&str, Bound<'py, PyAny>)],
) -> PyResult<Bound<'py, PyAny>> {
    let function = functions::function_def(name).or_raise(py)?;
    let named = PyDict::new(py);
    kwargs.iter().try_for_each(|(key, value)| named.set_item(key, value))?;
    Call::new(function, args.iter().cloned(), Some(&named))?.make(py, None)
}

/// Adds the functions to the module, and as methods to the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let (tensor, graph) = (py.get_type::<Tensor>(), py.get_type::<Graph>());
    let names = PyList::empty(py);
    for function in functions::functions() {
        let object = Bound::new(py, Function(function))?;
        module.add(function.name, &object)?;
        define(graph.as_any(), function.name, &object)?;
        if python::is_method(function) {
            define(tensor.as_any(), function.name, &object)?;
        }
        names.append(function.name)?;
    }
    module.add(intern!(py, "FUNCTIONS"), names)
}

/// Adds a method to a class that has no other of this name.
fn define(class: &Bound<'_, PyAny>, name: &str, function: &Bound<'_, Function>) -> PyResult<()> {
    if class.hasattr(name)? {
        return Err(invalid(class.py(), format!("internal error: {class} has {name} already")));
    }
    class.setattr(name, function)
}

/// Returns the exception about tensors of two graphs.
pub fn of_two_graphs(py: Python<'_>, left: &str, right: &str) -> PyErr {
    invalid(py, format!("the tensors {left:?} and {right:?} are of different graphs"))
}
