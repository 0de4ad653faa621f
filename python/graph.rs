//! The class `Graph`.
use crate::{
    arrays::{as_declared, dtype_of, fitted},
    errors::{OrRaise, invalid, invalid_type, shown},
    operator::Operator,
    quantization,
    scope::Scope,
    session::{Feeds, Session},
    shared::Shared,
    spec_text::{json_of, param, text_of},
    tensor::{Handle, Tensor, shape_of},
    values::array_or_list,
    warnings::{in_python, warn, warn_of_graph, warn_of_reading},
};
use pyo3::{
    intern,
    prelude::*,
    types::{PyBytes, PyDict},
};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use tpulang::{
    Array, Dtype, Error, Mode,
    base::{Ints, WarningCode},
    graph::MadeBy,
    onnx, spec,
};
use tpulang_base::pluralized;

/// A network under construction: tensors, and the operators that compute them. Types are inferred, and arguments and
/// quantization checked, as each operator is added.
///
/// Every function of the package is a method, which adds its operators to this graph.
///
/// Args:
///     name: The name of the model, after which files are named.
///
/// >>> import numpy as np, tpulang
/// >>> g = tpulang.Graph("net")
/// >>> x = g.input("x", (1, 3, 8, 8))
/// >>> w = g.coefficient("w", np.ones((4, 3, 3, 3), "float32"))
/// >>> y = x.conv(w, pad=1).relu(out_name="y")
/// >>> g.outputs = [y]
/// >>> g.run({"x": np.ones((1, 3, 8, 8), "float32")})["y"].shape
/// (1, 4, 8, 8)
#[pyclass(frozen, module = "tpulang", subclass, weakref)]
pub struct Graph {
    shared: Arc<Shared>,
}

/// One or several tensors, as arguments of methods.
pub struct Tensors(pub Vec<Py<Tensor>>);
impl<'py> FromPyObject<'_, 'py> for Tensors {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Tensors> {
        match object.extract::<Py<Tensor>>() {
            Ok(one) => Ok(Tensors(vec![one])),
            Err(_) => object.extract().map(Tensors),
        }
    }
}

/// Returns the exception about an object that stands where one or several tensors are expected.
fn not_tensors(argument: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let items = object.extract::<Vec<Bound<'_, PyAny>>>().unwrap_or_default();
    let wrong = items.iter().enumerate().find(|(_, item)| !item.is_instance_of::<Tensor>());
    let problem = match wrong {
        Some((i, item)) => format!("{argument}[{i}] is {}; expected a tensor", shown(item)),
        None => format!("{argument} is {}; expected a tensor or a list of tensors", shown(object)),
    };
    invalid_type(object.py(), problem)
}

impl Graph {
    pub fn new_shared(shared: Arc<Shared>) -> Graph {
        Graph { shared }
    }
    /// Returns the graph that the tensors share.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
    pub fn of(graph: tpulang::Graph) -> Graph {
        Graph { shared: Shared::new(graph, false) }
    }
    pub fn handles(&self, py: Python<'_>, tensors: &[Py<Tensor>]) -> PyResult<Vec<Handle>> {
        tensors.iter().map(|tensor| tensor.get().handle_in(py, &self.shared)).collect()
    }
    pub fn tensors_of(&self, handles: impl IntoIterator<Item = Handle>) -> Vec<Tensor> {
        handles.into_iter().map(|handle| Tensor::of(&self.shared, handle)).collect()
    }
}

#[pymethods]
impl Graph {
    #[new]
    #[pyo3(signature = (name="main"))]
    fn new(py: Python<'_>, name: &str) -> PyResult<Graph> {
        tpulang::Graph::new(name).or_raise(py).map(Graph::of)
    }
    /// Reads a network from a spec: a path that ends in `.json`, the text of a spec, or a dict. Weights that a text or a dict
    /// names are read from `folder`. `params` are values for parameters of the spec, by name.
    #[staticmethod]
    #[pyo3(signature = (spec, folder=None, *, params=None))]
    fn from_spec(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        folder: Option<PathBuf>,
        params: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Graph> {
        let mut options = spec::Options::new();
        for (name, value) in params.into_iter().flatten() {
            let wrong =
                |_| invalid_type(py, format!("from_spec: a key of params is {}; expected a name", shown(&name)));
            let name = name.extract::<String>().map_err(wrong)?;
            options = options.param(&name, param(&name, &value)?);
        }
        let text = match spec.cast::<PyDict>() {
            Ok(object) => Some(json_of(object)?),
            Err(_) => text_of(spec, ".json"),
        };
        let graph = match text {
            Some(text) => py.detach(|| options.read_text(&text, "the spec", folder.as_deref())),
            None => {
                let path: PathBuf = spec.extract()?;
                py.detach(|| options.read(path))
            }
        };
        let graph = graph.or_raise(py)?;
        warn_of_reading(py, &graph)?;
        Ok(Graph::of(graph))
    }
    /// Reads a network from a Top dialect module: a path, or the text of a module without weights. `weights` is the file
    /// with its weights, by default the one that the module names.
    #[staticmethod]
    #[pyo3(signature = (module, weights=None))]
    fn from_mlir(py: Python<'_>, module: &Bound<'_, PyAny>, weights: Option<PathBuf>) -> PyResult<Graph> {
        let text = text_of(module, ".mlir");
        let graph = read_module(py, text, module, weights)?;
        warn_of_reading(py, &graph)?;
        Ok(Graph::of(graph))
    }

    /// Reads a network from an ONNX model: a path, or the bytes of a model. `dimensions` are sizes of symbolic dimensions, and
    /// `shapes` shapes of inputs, by name. `inputs` are values that are fed instead of computed, `outputs` those that are wanted instead
    /// of the model's outputs. Weights outside of the model's folder are read only with `data_anywhere`.
    #[staticmethod]
    #[pyo3(signature = (model, *, dimensions=None, shapes=None, inputs=None, outputs=None, data_anywhere=false))]
    fn from_onnx(
        py: Python<'_>,
        model: &Bound<'_, PyAny>,
        dimensions: Option<BTreeMap<String, usize>>,
        shapes: Option<BTreeMap<String, Vec<usize>>>,
        inputs: Option<Vec<String>>,
        outputs: Option<Vec<String>>,
        data_anywhere: bool,
    ) -> PyResult<Graph> {
        let options = onnx::Options::new().data_anywhere(data_anywhere);
        let mut options = options.inputs(inputs.unwrap_or_default()).outputs(outputs.unwrap_or_default());
        for (name, size) in dimensions.into_iter().flatten() {
            options = options.dimension(name, size);
        }
        for (name, shape) in shapes.into_iter().flatten() {
            options = options.shape(name, shape);
        }
        let graph = match model.cast::<PyBytes>() {
            Ok(bytes) => {
                let bytes = bytes.as_bytes();
                py.detach(|| onnx::read_stream(bytes, "the model", &options))
            }
            Err(_) => {
                let path: PathBuf = model.extract()?;
                py.detach(|| onnx::read(path, &options))
            }
        };
        let graph = graph.or_raise(py)?;
        warn_of_reading(py, &graph)?;
        Ok(Graph::of(graph))
    }

    /// The name of the model.
    #[getter]
    fn name(&self, py: Python<'_>) -> String {
        self.shared.lock(py).name().to_owned()
    }
    /// "f32", or "quantized" for a module that is quantized already.
    #[getter]
    fn mode(&self, py: Python<'_>) -> &'static str {
        match self.shared.lock(py).mode {
            Mode::F32 => "f32",
            Mode::Quantized => "quantized",
        }
    }
    #[setter]
    fn set_mode(&self, py: Python<'_>, mode: &str) -> PyResult<()> {
        self.shared.lock(py).mode = match mode {
            "f32" => Mode::F32,
            "quantized" => Mode::Quantized,
            _ => return Err(invalid(py, format!("mode is {mode:?}; expected \"f32\" or \"quantized\""))),
        };
        Ok(())
    }
    /// The inputs, in order.
    #[getter]
    fn inputs(&self, py: Python<'_>) -> Vec<Tensor> {
        let handles = self.shared.lock(py).inputs().to_vec();
        self.tensors_of(handles)
    }
    /// The outputs, in order. Set them to a list of tensors that the network computes.
    #[getter]
    fn outputs(&self, py: Python<'_>) -> Vec<Tensor> {
        let handles = self.shared.lock(py).outputs().to_vec();
        self.tensors_of(handles)
    }
    #[setter]
    fn set_outputs(&self, py: Python<'_>, outputs: &Bound<'_, PyAny>) -> PyResult<()> {
        let Tensors(tensors) = outputs.extract::<Tensors>().map_err(|_| not_tensors("outputs", outputs))?;
        let handles = self.handles(py, &tensors)?;
        self.shared.with(py, |graph| graph.set_outputs(&handles))
    }
    /// All tensors, in order of creation.
    #[getter]
    fn tensors(&self, py: Python<'_>) -> Vec<Tensor> {
        let handles: Vec<_> = self.shared.lock(py).tensors().map(|(handle, _)| handle).collect();
        self.tensors_of(handles)
    }
    /// The operators in order, without those in the blocks of others.
    #[getter]
    fn operators(&self, py: Python<'_>) -> PyResult<Vec<Operator>> {
        self.shared.with(py, |graph| {
            let mut all = Vec::new();
            for (call, operators) in graph.body().calls() {
                let function = match &call.made_by {
                    MadeBy::Function(function) => Some(function.function()),
                    MadeBy::Op => None,
                };
                for operator in operators {
                    all.push(Operator::of(graph, operator, function)?);
                }
            }
            Ok(all)
        })
    }
    /// Total number of elements of all coefficients.
    #[getter]
    fn parameters(&self, py: Python<'_>) -> usize {
        self.shared.lock(py).parameters()
    }

    /// Adds an input.
    ///
    /// Args:
    ///     name: The name.
    ///     shape: The dimensions.
    ///     dtype: "float32" by default.
    ///     scale: A scale, or one per channel, of a quantized input.
    ///     zero_point: A zero point, or one per channel.
    #[pyo3(signature = (name, shape, dtype=None, *, scale=None, zero_point=None))]
    fn input(
        &self,
        py: Python<'_>,
        name: &str,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        scale: Option<&Bound<'_, PyAny>>,
        zero_point: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tensor> {
        let dtype = dtype.map_or(Ok(tpulang::Dtype::Float32), dtype_of)?;
        let (shape, quantization) = (Ints(shape_of(shape)?), quantization::read(scale, zero_point)?);
        let add = |graph: &mut tpulang::Graph| {
            let tensor = graph.input(name, dtype, shape)?;
            graph.quantize(tensor, &quantization)?;
            Ok(tensor)
        };
        let handle = self.shared.with(py, |graph| graph.atomic(add))?;
        Ok(Tensor::of(&self.shared, handle))
    }
    /// Adds a coefficient: a constant, such as a weight.
    ///
    /// Args:
    ///     name: The name.
    ///     data: An array of NumPy, PyTorch or another library. It is shared with the graph, not copied, unless its dtype is
    ///         one that coefficients cannot have: int64, float64 and bool are converted, with a warning. A list of numbers
    ///         takes `dtype`, float32 by default.
    ///     shape, dtype: The type of a coefficient without data, which can be checked, but neither written nor run.
    ///     scale: A scale, or one per channel, of a quantized coefficient.
    ///     zero_point: A zero point, or one per channel.
    #[pyo3(signature = (name, data=None, *, shape=None, dtype=None, scale=None, zero_point=None))]
    #[expect(clippy::too_many_arguments, reason = "all but two are optional and named")]
    fn coefficient(
        &self,
        py: Python<'_>,
        name: &str,
        data: Option<&Bound<'_, PyAny>>,
        shape: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        scale: Option<&Bound<'_, PyAny>>,
        zero_point: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tensor> {
        let dtype = dtype.map(dtype_of).transpose()?;
        let quantization = quantization::read(scale, zero_point)?;
        let shape = shape.map(shape_of).transpose()?.map(Ints);
        let declared = |data: Array| {
            let dtype = dtype.unwrap_or(data.dtype().declarable());
            let shape =
                shape.as_ref().map_or_else(|| Ok(data.shape().to_vec()), |shape| shape.to_shape().or_raise(py))?;
            as_declared(py, name, data, (dtype, &shape))
        };
        let read = |data| array_or_list(&format!("the data of {name:?}"), data, dtype.unwrap_or(Dtype::Float32));
        let data = data.map(|data| declared(read(data)?)).transpose()?;
        let add = |graph: &mut tpulang::Graph| {
            let tensor = match data {
                Some(data) => graph.coefficient(name, data)?,
                None => match shape {
                    Some(shape) => {
                        graph.coefficient_without_data(name, dtype.unwrap_or(tpulang::Dtype::Float32), shape)?
                    }
                    None => return Err(Error::new(format!("the coefficient {name:?} needs data, or a shape"))),
                },
            };
            graph.quantize(tensor, &quantization)?;
            Ok(tensor)
        };
        let handle = self.shared.with(py, |graph| graph.atomic(add))?;
        Ok(Tensor::of(&self.shared, handle))
    }
    /// Sets or replaces the data of a coefficient.
    fn set_data(&self, py: Python<'_>, tensor: &Bound<'_, Tensor>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let handle = tensor.get().handle_in(py, &self.shared)?;
        let (name, dtype) =
            self.shared.with(py, |graph| graph.tensor(handle).map(|info| (info.name.clone(), info.dtype)))?;
        let what = format!("the data of {name:?}");
        let mut data = array_or_list(&what, data, dtype)?;
        if let Some((fitted, remark)) = fitted(py, (&what, &name), &data, dtype)? {
            warn(py, [&remark])?;
            data = fitted;
        }
        self.shared.with(py, |graph| graph.set_data(handle, data))
    }
    /// Returns the tensor of this name.
    fn find(&self, py: Python<'_>, name: &str) -> PyResult<Tensor> {
        let handle = self.shared.with(py, |graph| graph.find(name))?;
        Ok(Tensor::of(&self.shared, handle))
    }
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Tensor> {
        self.find(py, name)
    }
    /// Returns a context in which the names of new tensors get the prefix `name/`.
    ///
    /// >>> import tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> x = g.input("x", (2, 3))
    /// >>> with g.scope("block"):
    /// ...     y = x.relu(out_name="y")
    /// >>> y.name
    /// 'block/y'
    fn scope(&self, name: String) -> Scope {
        Scope::new(self.shared.clone(), name)
    }
    /// Makes the calls of another graph again in this one, in the scope `name`, with these tensors in place of its inputs.
    /// Coefficients are shared. Returns the tensors that are its outputs there.
    fn splice(
        &self,
        py: Python<'_>,
        name: &str,
        body: &Bound<'_, Graph>,
        arguments: Vec<Py<Tensor>>,
    ) -> PyResult<Vec<Tensor>> {
        let handles = self.handles(py, &arguments)?;
        let body = body.get().shared.lock(py).clone();
        let made = self.shared.with(py, |graph| graph.splice(name, &body, &handles))?;
        Ok(self.tensors_of(made))
    }
    /// Returns a copy. Its tensors are found by name; those of this graph do not belong to it.
    fn clone(&self, py: Python<'_>) -> Graph {
        Graph::of(self.shared.lock(py).clone())
    }
    /// Returns a copy with these inputs and outputs, as `compile` needs it. Other inputs become coefficients with the data
    /// that they were declared with.
    fn finish(&self, py: Python<'_>, name: &str, inputs: Vec<Py<Tensor>>, outputs: Vec<Py<Tensor>>) -> PyResult<Graph> {
        let inputs = self.handles(py, &inputs)?;
        let outputs = self.handles(py, &outputs)?;
        let mut graph = self.shared.with(py, |graph| graph.named(name))?;
        graph.set_inputs(&inputs, |tensor| self.shared.data_of(py, tensor)).or_raise(py)?;
        graph.set_outputs(&outputs).or_raise(py)?;
        Ok(Graph::of(graph))
    }

    /// Drops the data that inputs were declared with, as TpuLang's method does.
    fn reset(&self, py: Python<'_>) {
        self.shared.forget_data(py);
    }
    /// Checks the network as a whole: outputs, data of coefficients, blocks, propagated quantization. Returns its warnings.
    fn check(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.shared.with(py, |graph| {
            graph.check_complete()?;
            Ok(graph.warnings().iter().map(|warning| in_python(warning, warning.to_string())).collect())
        })
    }
    /// Leaves out warnings about this network that have one of these codes: `graph.allow("unused-input")`.
    #[pyo3(signature = (*codes))]
    fn allow(&self, py: Python<'_>, codes: Vec<String>) -> PyResult<()> {
        let codes = codes.iter().map(|code| WarningCode::from_name(code)).collect::<tpulang::Result<Vec<_>>>();
        let codes = codes.or_raise(py)?;
        let mut graph = self.shared.lock(py);
        codes.into_iter().for_each(|code| graph.allow(code));
        Ok(())
    }
    /// The network as the text of a Top dialect module.
    fn to_mlir(&self, py: Python<'_>) -> PyResult<String> {
        emit(py, &self.shared.lock(py).clone())
    }
    /// Writes `NAME_origin.mlir` and its weights into a folder, which is made if it does not exist. Returns the two paths. An
    /// existing model is replaced as a whole, even if the process is killed. `weights` is another name of the weight file.
    #[pyo3(signature = (folder=PathBuf::from("."), weights=None), text_signature = "($self, folder='.', weights=None)")]
    fn write_mlir(&self, py: Python<'_>, folder: PathBuf, weights: Option<&str>) -> PyResult<(PathBuf, PathBuf)> {
        let graph = self.shared.lock(py).clone();
        write_pair(py, &graph, folder, weights)
    }
    /// The network as a spec (JSON), with the data of coefficients in it.
    fn to_spec(&self, py: Python<'_>) -> PyResult<String> {
        let graph = self.shared.lock(py).clone();
        py.detach(|| spec::to_text(&graph, None)).or_raise(py)
    }
    /// Writes the network as a spec to a path that ends in `.json`, and its coefficients to an `.npz` beside it.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let graph = self.shared.lock(py).clone();
        warn_of_graph(py, &graph)?;
        py.detach(|| spec::save(&graph, path)).or_raise(py)
    }
    /// Runs the network once. For several runs, make a `Session`.
    ///
    /// Args:
    ///     feeds: The array of each input, by name, or a list in the order of the inputs.
    ///     all: Whether to return every computed tensor, not only the outputs.
    ///     device: "cpu", "cuda" or "cuda:1".
    ///     options: The other options of `Session`.
    ///
    /// Returns:
    ///     Arrays of NumPy, by name. Floats are computed and returned as float32.
    #[pyo3(signature = (feeds=None, *, all=false, device="cpu", **options))]
    fn run<'py>(
        slf: &Bound<'py, Self>,
        feeds: Option<&Bound<'py, PyAny>>,
        all: bool,
        device: &str,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = slf.py();
        let named = options.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?;
        named.set_item(intern!(py, "all"), all)?;
        let session = py.get_type::<Session>().call((slf, device), Some(&named))?;
        let session = session.cast_into::<Session>()?;
        let feeds = Feeds::read(py, feeds, session.get())?;
        session.get().run_feeds(py, feeds)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let graph = self.shared.lock(py);
        let (inputs, outputs) =
            (pluralized(graph.inputs().len(), "input"), pluralized(graph.outputs().len(), "output"));
        let operators = pluralized(graph.operators().len(), "operator");
        format!("<tpulang.Graph {:?}: {inputs}, {operators}, {outputs}>", graph.name())
    }
    /// Shows the network in a file: a page for a browser (`.html`), or a drawing (`.svg`, or `.dot` for Graphviz). Notebooks
    /// show a graph as that page.
    ///
    /// >>> import tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> y = g.input("x", (2, 3)).relu()
    /// >>> g.show("net.html")
    fn show(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let graph = self.shared.lock(py).clone();
        py.detach(|| tpulang::show::write(&graph, &path)).or_raise(py)
    }
    /// The page of `show`, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let graph = self.shared.lock(py).clone();
        py.detach(|| tpulang::show::frame(&graph)).or_raise(py)
    }
    /// The operators as a table.
    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("tpulang._display")?.call_method1("graph_text", (slf,))
    }
}

#[cfg(feature = "mlir")]
fn read_module(
    py: Python<'_>,
    text: Option<String>,
    module: &Bound<'_, PyAny>,
    weights: Option<PathBuf>,
) -> PyResult<tpulang::Graph> {
    match text {
        Some(_) if weights.is_some() => {
            let problem = "from_mlir: weights go with the path of a module, not with its text";
            Err(invalid_type(py, problem))
        }
        Some(text) => py.detach(|| tpulang::mlir::read_text(&text)).or_raise(py),
        None => {
            let path: PathBuf = module.extract()?;
            py.detach(|| tpulang::mlir::read(&path, weights.as_deref())).or_raise(py)
        }
    }
}
#[cfg(feature = "mlir")]
fn emit(py: Python<'_>, graph: &tpulang::Graph) -> PyResult<String> {
    py.detach(|| tpulang::mlir::emit(graph)).map(|emitted| emitted.text).or_raise(py)
}
#[cfg(feature = "mlir")]
fn write_pair(
    py: Python<'_>,
    graph: &tpulang::Graph,
    folder: PathBuf,
    weights: Option<&str>,
) -> PyResult<(PathBuf, PathBuf)> {
    use tpulang::mlir;
    warn_of_graph(py, graph)?;
    let weights = weights.map_or_else(|| mlir::weight_file_name(graph), str::to_owned);
    let written = py.detach(|| mlir::write_pair_naming(graph, folder, &weights)).or_raise(py)?;
    Ok((written.mlir, written.weights))
}
#[cfg(not(feature = "mlir"))]
mod without_mlir {
    use super::*;
    fn missing(py: Python<'_>) -> PyErr {
        invalid(
            py,
            "this tpulang was built without MLIR, which is not available for this platform; save a spec instead",
        )
    }
    pub fn read_module(
        py: Python<'_>,
        _: Option<String>,
        _: &Bound<'_, PyAny>,
        _: Option<PathBuf>,
    ) -> PyResult<tpulang::Graph> {
        Err(missing(py))
    }
    pub fn emit(py: Python<'_>, _: &tpulang::Graph) -> PyResult<String> {
        Err(missing(py))
    }
    pub fn write_pair(py: Python<'_>, _: &tpulang::Graph, _: PathBuf, _: Option<&str>) -> PyResult<(PathBuf, PathBuf)> {
        Err(missing(py))
    }
}
#[cfg(not(feature = "mlir"))]
use without_mlir::{emit, read_module, write_pair};
