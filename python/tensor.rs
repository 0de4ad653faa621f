//! The class `Tensor`: a tensor of a graph, or one that is added to each default graph that uses it.
use crate::{
    arrays::{as_declared, dtype_of, from_python, view_numpy},
    declared::Declared,
    dropin,
    errors::{OrRaise, invalid, invalid_type},
    quantization,
    shared::Shared,
};
use pyo3::{prelude::*, sync::MutexExt, types::PyTuple};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use tpulang::{
    Array, Dtype, Quantization, Result,
    base::Shape,
    graph::{Preprocess, TensorInfo, TensorKind},
};
use tpulang_base::{elements, invalid as invalid_graph};

/// A handle of a graph.
pub type Handle = tpulang::Tensor;

/// A tensor: an input, a coefficient, or a result of a function.
///
/// `g.input(..)`, `g.coefficient(..)` and the functions return tensors of a graph. The constructor is TpuLang's: it
/// declares a tensor without a graph, which is added to TpuLang's default graph by the first function that uses it, as an
/// input (`ttype="neuron"`) or as a coefficient (`ttype="coeff"`).
///
/// Every function of the package is a method, too, whose first argument is the tensor.
///
/// Args:
///     shape: The dimensions; those of `data` by default.
///     name: The name; numbered by default.
///     ttype: "neuron" for an input, "coeff" for a coefficient.
///     data: An array of NumPy, PyTorch or another library, which is shared with the tensor, not copied. Data of an input
///         are what `compile` runs the network on.
///     dtype: The dtype; that of `data` by default, else "float32".
///     scale: A scale, or one per channel, of a quantized tensor.
///     zero_point: A zero point, or one per channel.
///
/// >>> import numpy as np, tpulang
/// >>> x = tpulang.Tensor([1, 3, 8, 8], name="x", dtype="int8", scale=0.5)
/// >>> w = tpulang.Tensor([4], data=np.ones(4, "float32"), ttype="coeff")
#[pyclass(frozen, module = "tpulang", subclass, weakref)]
pub struct Tensor {
    id: u64,
    origin: Origin,
    /// The default graphs that the tensor was added to, and its handle there.
    bound: Mutex<Vec<(Weak<Shared>, Handle)>>,
}

enum Origin {
    /// A tensor of a graph.
    Of(Arc<Shared>, Handle),
    /// A tensor without a graph.
    Declared(Box<Mutex<Declared>>),
}

/// What makes a tensor equal to another.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Of(*const Shared, Handle),
    Declared(u64),
}

/// Returns whether the graph still has the tensor: a failed branch takes with it what was added to the graph in it.
fn is_alive(py: Python<'_>, (graph, handle): &(Arc<Shared>, Handle)) -> bool {
    graph.lock(py).tensor(*handle).is_ok()
}

fn lock<'a, T>(py: Python<'_>, mutex: &'a Mutex<T>) -> MutexGuard<'a, T> {
    mutex.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
}

impl Tensor {
    /// A tensor of a graph.
    pub fn of(graph: &Arc<Shared>, handle: Handle) -> Tensor {
        Tensor { id: dropin::next_id(), origin: Origin::Of(graph.clone(), handle), bound: Mutex::default() }
    }
    /// The graph, unless the tensor is added to the default graphs.
    pub fn graph(&self) -> Option<&Arc<Shared>> {
        match &self.origin {
            Origin::Of(graph, _) => Some(graph),
            Origin::Declared(_) => None,
        }
    }
    /// Returns the handle in a graph. A tensor without a graph is added to it; so is, to a default graph, one of another,
    /// as an input or a coefficient.
    ///
    /// # Errors
    /// Returns an error if the tensor belongs to another graph, or cannot be added.
    pub fn handle_in(&self, py: Python<'_>, graph: &Arc<Shared>) -> PyResult<Handle> {
        if let Origin::Of(own, handle) = &self.origin {
            if Arc::ptr_eq(own, graph) {
                return Ok(*handle);
            }
            if !(own.is_default && graph.is_default) {
                let (name, own) = (self.name(py)?, own.lock(py).name().to_owned());
                let problem =
                    format!("the tensor {name:?} is of the graph {own:?}, not of {:?}", graph.lock(py).name());
                return Err(invalid(py, problem));
            }
        }
        if let Some(handle) = self.bound_to(py, graph) {
            return Ok(handle);
        }
        let declared = self.declared(py)?;
        let handle = graph.with(py, |graph| declared.add_to(graph))?;
        graph.set_data(py, handle, declared.data);
        let mut bound = lock(py, &self.bound);
        bound.retain(|(known, _)| known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), Arc::as_ptr(graph)));
        bound.push((Arc::downgrade(graph), handle));
        Ok(handle)
    }
    fn bound_to(&self, py: Python<'_>, graph: &Arc<Shared>) -> Option<Handle> {
        // The other graphs are left alone: another thread may build a branch of one, and wait for this graph.
        let known = self.handles(py).find(|(known, _)| Arc::ptr_eq(known, graph));
        known.filter(|known| is_alive(py, known)).map(|(_, handle)| handle)
    }
    /// Returns the default graphs that the tensor was added to and still is in, with its handles there.
    fn places(&self, py: Python<'_>) -> impl DoubleEndedIterator<Item = (Arc<Shared>, Handle)> {
        self.handles(py).filter(move |known| is_alive(py, known))
    }
    fn handles(&self, py: Python<'_>) -> impl DoubleEndedIterator<Item = (Arc<Shared>, Handle)> + use<> {
        let bound = lock(py, &self.bound).clone();
        bound.into_iter().filter_map(|(graph, handle)| Some((graph.upgrade()?, handle)))
    }
    /// Returns what a graph needs to add the tensor.
    fn declared(&self, py: Python<'_>) -> PyResult<Declared> {
        match &self.origin {
            Origin::Of(..) => self.info(py).map(|mut info| {
                info.kind = if info.is_coefficient() { info.kind } else { TensorKind::Input };
                Declared::of(info)
            }),
            Origin::Declared(declared) => Ok(lock(py, declared).clone()),
        }
    }
    /// Returns name, type and origin in its graph; `None` for a tensor that is not in one.
    fn known(&self, py: Python<'_>) -> PyResult<Option<TensorInfo>> {
        let own = match &self.origin {
            Origin::Of(graph, handle) => Some((graph.clone(), *handle)),
            Origin::Declared(_) => self.places(py).next_back(),
        };
        own.map(|(graph, handle)| graph.with(py, |graph| graph.tensor(handle).cloned())).transpose()
    }
    fn info(&self, py: Python<'_>) -> PyResult<TensorInfo> {
        self.known(py)?.ok_or_else(|| invalid(py, "internal error: the tensor has no graph"))
    }
    /// Returns the data that the user has given.
    fn data(&self, py: Python<'_>) -> PyResult<Option<Array>> {
        match &self.origin {
            Origin::Of(..) => Ok(self.info(py)?.data().cloned()),
            Origin::Declared(declared) => Ok(lock(py, declared).data.clone()),
        }
    }
    /// Applies a change to the tensor in every graph that it is in, and to its declaration.
    fn change(
        &self,
        py: Python<'_>,
        in_graph: impl Fn(&mut tpulang::Graph, Handle) -> Result<()>,
        declared: impl FnOnce(&mut Declared) -> Result<()>,
    ) -> PyResult<()> {
        match &self.origin {
            Origin::Of(graph, handle) => graph.with(py, |graph| in_graph(graph, *handle)),
            Origin::Declared(own) => {
                declared(&mut lock(py, own)).or_raise(py)?;
                self.places(py).try_for_each(|(graph, handle)| graph.with(py, |graph| in_graph(graph, handle)))
            }
        }
    }
    fn quantized(&self, py: Python<'_>) -> PyResult<Option<Quantization>> {
        match &self.origin {
            Origin::Declared(declared) => Ok(lock(py, declared).quantization.clone()),
            Origin::Of(..) => Ok(self.info(py)?.quantization),
        }
    }
    fn preprocessing(&self, py: Python<'_>) -> PyResult<Option<Preprocess>> {
        match &self.origin {
            Origin::Declared(declared) => Ok(lock(py, declared).preprocess.clone()),
            Origin::Of(..) => Ok(self.info(py)?.preprocess),
        }
    }
}

/// Reads a shape: a list or tuple, or a number for one dimension.
pub fn shape_of(shape: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let found = shape.extract::<i64>().map(|size| vec![size]).or_else(|_| shape.extract::<Vec<i64>>());
    found.map_err(|_| {
        let text = shape.repr().map(|text| text.to_string()).unwrap_or_default();
        invalid_type(shape.py(), format!("shape is {text}; expected a list of integers"))
    })
}

/// The arguments of TpuLang's constructor.
#[pymethods]
impl Tensor {
    #[new]
    #[pyo3(signature = (shape=None, name=None, ttype="neuron", data=None, dtype=None, scale=None, zero_point=None))]
    #[expect(clippy::too_many_arguments, reason = "as many as TpuLang's constructor has")]
    fn new(
        py: Python<'_>,
        shape: Option<&Bound<'_, PyAny>>,
        name: Option<String>,
        ttype: &str,
        data: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        scale: Option<&Bound<'_, PyAny>>,
        zero_point: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tensor> {
        let is_coefficient = match ttype.to_lowercase().as_str() {
            "coeff" => true,
            "neuron" => false,
            _ => return Err(invalid(py, format!("ttype is {ttype:?}; expected \"neuron\" or \"coeff\""))),
        };
        let what = name.as_ref().map_or_else(|| "Tensor: data".to_owned(), |name| format!("the data of {name:?}"));
        let given = data.map(|data| from_python(&what, data)).transpose()?;
        let dtype = match (dtype, &given) {
            (Some(dtype), _) => dtype_of(dtype)?,
            (None, Some(data)) if is_coefficient => data.dtype().declarable(),
            (None, Some(data)) => data.dtype(),
            (None, None) => Dtype::Float32,
        };
        let shape = match (shape, &given) {
            (Some(shape), _) => tpulang::base::Ints(shape_of(shape)?).to_shape().or_raise(py)?,
            (None, Some(data)) => data.shape().to_vec(),
            (None, None) => Shape::new(),
        };
        elements(&shape, dtype).or_raise(py)?;
        let id = dropin::next_id();
        let (is_named, name) = (name.is_some(), name.unwrap_or_else(dropin::default_name));
        let data = given.map(|data| as_declared(py, &name, data, (dtype, &shape))).transpose()?;
        let mut declared =
            Declared { name, is_named, shape, dtype, is_coefficient, data, quantization: None, preprocess: None };
        declared.quantize(&quantization::read(scale, zero_point)?).or_raise(py)?;
        Ok(Tensor { id, origin: Origin::Declared(Box::new(Mutex::new(declared))), bound: Mutex::default() })
    }

    /// A number that no other tensor of the process has.
    #[getter]
    fn id(&self) -> u64 {
        self.id
    }
    /// The name, unique in its graph, with the prefixes of its scopes. Setting it renames the tensor, whatever the current
    /// scope.
    #[getter]
    pub fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(match (self.known(py)?, &self.origin) {
            (Some(info), _) => info.name,
            (None, Origin::Declared(declared)) => lock(py, declared).name.clone(),
            (None, Origin::Of(..)) => String::new(),
        })
    }
    #[setter]
    fn set_name(&self, py: Python<'_>, name: String) -> PyResult<()> {
        self.change(
            py,
            |graph, tensor| {
                let scope = graph.enter_root();
                let renamed = graph.rename(tensor, &name);
                graph.leave_scope(scope);
                renamed
            },
            |declared| {
                declared.is_named = true;
                declared.name.clone_from(&name);
                Ok(())
            },
        )
    }
    /// The dimensions: a tuple that equals a list of the same numbers.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.shape_now(py)?;
        py.import("tpulang._shape")?.getattr("Shape")?.call1((PyTuple::new(py, shape)?,))
    }
    /// Number of dimensions.
    #[getter]
    fn ndim(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.shape_now(py)?.len())
    }
    /// The dtype: "float32".
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.declared(py)?.dtype.name())
    }
    /// "coeff" for a coefficient, otherwise "neuron".
    #[getter]
    fn ttype(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(if self.declared(py)?.is_coefficient { "coeff" } else { "neuron" })
    }
    /// The data that were given, as a read-only array; None if there are none.
    #[getter]
    fn buffer<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.data(py)?.map(|data| view_numpy(py, &data)).transpose()
    }
    #[setter]
    fn set_buffer(&self, py: Python<'_>, data: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Origin::Declared(declared) = &self.origin else {
            return Err(invalid(
                py,
                "only a tensor that was declared with tpulang.Tensor(..) takes data; use Graph.set_data",
            ));
        };
        let (dtype, shape) = (self.declared(py)?.dtype, self.shape_now(py)?);
        let name = self.name(py)?;
        let given = data.map(|data| from_python(&format!("the data of {name:?}"), data)).transpose()?;
        let data = given.map(|data| as_declared(py, &name, data, (dtype, &shape))).transpose()?;
        lock(py, declared).data.clone_from(&data);
        self.share_data(py, data)
    }
    /// Whether the tensor has a scale or a zero point.
    #[getter]
    fn is_quantized(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.quantized(py)?.is_some())
    }
    /// The scale, or a list of one per channel; None if it is not set.
    #[getter]
    fn scale<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        quantization::one_or_many(py, self.quantized(py)?.and_then(|q| q.scale))
    }
    /// The zero point, or a list of one per channel; None if it is not set.
    #[getter]
    fn zero_point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        quantization::one_or_many(py, self.quantized(py)?.and_then(|q| q.zero_point))
    }
    /// Whether the input has image preprocessing.
    #[getter]
    fn is_preprocess(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.preprocessing(py)?.is_some())
    }
    /// The channels of the preprocessed image: "bgr".
    #[getter]
    fn pixel_format(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.preprocessing(py)?.map(|p| p.pixel_format.name()))
    }
    /// "nchw" or "nhwc" for a preprocessed image.
    #[getter]
    fn channel_format(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.preprocessing(py)?.map(|p| p.channel_format.name()))
    }

    /// Sets scale and zero point, or checks that they agree with those set before.
    #[pyo3(signature = (scale=None, zero_point=None))]
    fn quantization(
        &self,
        py: Python<'_>,
        scale: Option<&Bound<'_, PyAny>>,
        zero_point: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let quantization = quantization::read(scale, zero_point)?;
        self.change(py, |graph, tensor| graph.quantize(tensor, &quantization), |own| own.quantize(&quantization))
    }
    /// Sets the image preprocessing of an input: `(pixel - mean) * scale` per channel, after resizing and cropping.
    #[pyo3(signature = (mean=None, scale=None, pixel_format="bgr", channel_format="nchw", resize_dims=None,
                        keep_aspect_ratio=false, keep_ratio_mode="letterbox", pad_value=0, pad_type="center"))]
    #[expect(clippy::too_many_arguments, reason = "as many as TpuLang's method has")]
    fn preprocess(
        &self,
        py: Python<'_>,
        mean: Option<Vec<f64>>,
        scale: Option<Vec<f64>>,
        pixel_format: &str,
        channel_format: &str,
        resize_dims: Option<Vec<i64>>,
        keep_aspect_ratio: bool,
        keep_ratio_mode: &str,
        pad_value: i64,
        pad_type: &str,
    ) -> PyResult<()> {
        let given = serde_json::json!({
            "mean": mean.unwrap_or_else(|| vec![0.0; 3]), "scale": scale.unwrap_or_else(|| vec![1.0; 3]),
            "pixel_format": pixel_format, "channel_format": channel_format, "resize_dims": resize_dims,
            "keep_aspect_ratio": keep_aspect_ratio, "keep_ratio_mode": keep_ratio_mode,
            "pad_value": pad_value, "pad_type": pad_type,
        });
        let preprocess: Preprocess =
            serde_json::from_value(given).map_err(|problem| invalid(py, format!("preprocess: {problem}")))?;
        self.change(
            py,
            |graph, tensor| graph.preprocess(tensor, preprocess.clone()),
            |declared| {
                if declared.is_coefficient {
                    return Err(invalid_graph(format!(
                        "{:?} is a coefficient; only inputs are preprocessed",
                        declared.name
                    )));
                }
                preprocess.check(&declared.shape)?;
                declared.preprocess = Some(preprocess.clone());
                Ok(())
            },
        )
    }
    /// Drops the data.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        match &self.origin {
            Origin::Declared(_) => self.set_buffer(py, None),
            Origin::Of(..) => Ok(()),
        }
    }
    /// Replaces the data of a tensor that was declared with the constructor.
    fn update(&self, py: Python<'_>, buffer: &Bound<'_, PyAny>, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let shape = tpulang::base::Ints(shape_of(shape)?).to_shape().or_raise(py)?;
        let Origin::Declared(declared) = &self.origin else {
            return Err(invalid(py, "only a tensor that was declared with tpulang.Tensor(..) can be updated"));
        };
        if self.places(py).next().is_some() {
            return Err(invalid(py, "a function has used the tensor already, so its shape is fixed; set its buffer"));
        }
        let dtype = lock(py, declared).dtype;
        let name = self.name(py)?;
        let data = from_python(&format!("the data of {name:?}"), buffer)?;
        let data = as_declared(py, &name, data, (dtype, &shape))?;
        let mut declared = lock(py, declared);
        (declared.data, declared.shape) = (Some(data), shape);
        Ok(())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.key().hash(&mut hasher);
        hasher.finish()
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Declared { shape, dtype, quantization, .. } = self.declared(py)?;
        let quantization = quantization.map(|q| format!(", {q}")).unwrap_or_default();
        let shape: Vec<_> = shape.iter().map(usize::to_string).collect();
        Ok(format!("<tpulang.Tensor {:?} [{}] {dtype}{quantization}>", self.name(py)?, shape.join(", ")))
    }
    /// A tensor is no number: the network has not run yet.
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        self.has_no_value(py, "use Graph.cond or Graph.while_loop for control flow")
    }
    pub fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.shape_now(py)?
            .first()
            .copied()
            .ok_or_else(|| invalid_type(py, "a tensor without dimensions has no length"))
    }
}

impl Tensor {
    /// Passes the data of a declared tensor on to the graphs that it was added to.
    fn share_data(&self, py: Python<'_>, data: Option<Array>) -> PyResult<()> {
        for (graph, handle) in self.places(py) {
            let is_coefficient = graph.lock(py).tensor(handle).is_ok_and(TensorInfo::is_coefficient);
            match &data {
                Some(data) if is_coefficient => graph.with(py, |graph| graph.set_data(handle, data.clone()))?,
                _ => graph.set_data(py, handle, data.clone()),
            }
        }
        Ok(())
    }
    pub fn shape_now(&self, py: Python<'_>) -> PyResult<Shape> {
        Ok(self.declared(py)?.shape)
    }
    /// Returns whether the other object is the same tensor.
    pub fn is_same(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Tensor>().is_ok_and(|other| self.key() == other.get().key())
    }
    fn key(&self) -> Key {
        match &self.origin {
            Origin::Of(graph, handle) => Key::Of(Arc::as_ptr(graph), *handle),
            Origin::Declared(_) => Key::Declared(self.id),
        }
    }
}
