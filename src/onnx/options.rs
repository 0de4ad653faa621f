//! How a file is read.
use super::proto;
use crate::base::{Dtype, MAX_LISTED, Result, Shape, elements, invalid, nearest, pluralized, shape_text};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};

/// How an ONNX file is read.
///
/// ```
/// use tpulang::onnx::Options;
/// let options = Options::new().dimension("batch", 1).shape("ids", [1, 128]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub(super) dimensions: HashMap<String, usize>,
    pub(super) shapes: HashMap<String, Shape>,
    feed_shapes: IndexMap<String, Shape>,
    ordered_feed_shapes: Vec<Shape>,
    pub(super) data_anywhere: bool,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) scopes: bool,
}

impl Options {
    /// The default options.
    pub fn new() -> Options {
        Options::default()
    }
    /// Sets a symbolic dimension of the model, such as `batch`.
    pub fn dimension(mut self, name: impl Into<String>, size: usize) -> Options {
        self.dimensions.insert(name.into(), size);
        self
    }
    /// Sets the shape of an input.
    pub fn shape(mut self, input: impl Into<String>, shape: impl Into<Shape>) -> Options {
        self.shapes.insert(input.into(), shape.into());
        self
    }
    /// Sets the shape of an array that will be fed to an input. It is used for sizes that the file leaves open and no other option sets;
    /// sizes with a name are then the same in other inputs. A name that no input has is ignored.
    ///
    /// ```no_run
    /// use tpulang::onnx::{self, Options};
    /// let feeds = tpulang::array::read_arrays("inputs.npz")?;
    /// let options = feeds.iter().fold(Options::new(), |options, (name, array)| options.feed_shape(name, array.shape()));
    /// let graph = onnx::read("model.onnx", &options)?;
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn feed_shape(mut self, input: impl Into<String>, shape: impl Into<Shape>) -> Options {
        self.feed_shapes.insert(input.into(), shape.into());
        self
    }
    /// Like [`Options::feed_shape`], for all inputs in their order. Shapes that are more or fewer than the inputs are ignored.
    ///
    /// ```
    /// use tpulang::onnx::Options;
    /// let options = Options::new().feed_shapes([vec![1, 128], vec![1, 128]]);
    /// ```
    pub fn feed_shapes<S: Into<Shape>>(mut self, shapes: impl IntoIterator<Item = S>) -> Options {
        self.ordered_feed_shapes = shapes.into_iter().map(Into::into).collect();
        self
    }
    /// Sets whether weights in other files may lie outside of the model's folder. Default: false, since a model from elsewhere could
    /// name any file of yours.
    pub fn data_anywhere(mut self, anywhere: bool) -> Options {
        self.data_anywhere = anywhere;
        self
    }

    /// Sets values that are fed instead of computed: the network begins there. Inputs of the model that are still needed stay.
    pub fn inputs<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Options {
        self.inputs = names.into_iter().map(Into::into).collect();
        self
    }
    /// Sets the outputs: any values that nodes compute, instead of the model's outputs. What they do not need is left out.
    ///
    /// ```no_run
    /// use tpulang::onnx::{self, Options};
    /// let backbone = onnx::read("detector.onnx", &Options::new().outputs(["/backbone/out"]))?;
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn outputs<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Options {
        self.outputs = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether the names of results begin with the modules that they are from, as in `encoder/layer/0/val_76`, where the
    /// exporter recorded them. Outputs keep their names. Default: false.
    pub fn scopes(mut self, scopes: bool) -> Options {
        self.scopes = scopes;
        self
    }

    /// Returns the shape of an input.
    pub(super) fn input_shape(&self, name: &str, declared: Option<&proto::TensorShape>) -> Result<Shape> {
        let given = self.shapes.get(name);
        let Some(declared) = declared else {
            return given
                .cloned()
                .ok_or_else(|| invalid(format!("has no shape in the file; set it (--shape {name}=1x3x224x224)")));
        };
        if let Some(given) = given {
            let fits = given.len() == declared.dim.len()
                && given.iter().zip(&declared.dim).all(|(&g, d)| d.dim_value.is_none_or(|v| v <= 0 || v == g as i64));
            if !fits {
                let declared = declared_text(declared);
                return Err(invalid(format!(
                    "is given the shape {}; in the file it has {declared}",
                    shape_text(given)
                )));
            }
            let mut pairs = given.iter().zip(&declared.dim);
            if let Some((size, name, other)) = pairs.find_map(|(g, d)| {
                let (name, other) = (d.dim_param.as_deref()?, self.size(d)?);
                (other != *g).then_some((g, name, other))
            }) {
                let given = shape_text(given);
                return Err(invalid(format!(
                    "is given the shape {given}, where {name} is {size}; {name} is set to {other}"
                )));
            }
            return Ok(given.clone());
        }
        let shape = declared.dim.iter().map(|d| self.size(d).ok_or(())).collect::<Result<Shape, ()>>();
        let Ok(shape) = shape else {
            let symbolic = declared.dim.iter().filter(|d| self.size(d).is_none());
            let names: Vec<_> = symbolic.filter_map(|d| d.dim_param.as_deref()).filter(|n| !n.is_empty()).collect();
            let whole = format!("its shape (--shape {name}={})", self.example(declared));
            let how = match names.first() {
                Some(_) => {
                    let options: Vec<_> = names.iter().map(|name| format!("--param {name}=1")).collect();
                    format!("set {} ({}), or {whole}", names.join(", "), options.join(" "))
                }
                None => format!("set {whole}"),
            };
            let not_taken = self.unfitting_feeds(name);
            return Err(invalid(format!("has the shape {}; {not_taken}{how}", declared_text(declared))));
        };
        if shape.contains(&0) {
            return Err(invalid(format!("has the shape {}; tensors have at least one element", shape_text(&shape))));
        }
        elements(&shape, Dtype::Float32).map_err(|e| invalid(format!("is too large: {e}")))?;
        Ok(shape)
    }

    /// Returns the options with the open sizes of the graph's inputs set to those of the arrays that will be fed, where these fit.
    pub(super) fn with_feeds(&self, graph: &proto::Graph) -> Options {
        let mut options = self.clone();
        // Old files list weights as inputs, too.
        let weights: HashSet<&str> = graph.initializer.iter().map(|weight| weight.name.as_str()).collect();
        let inputs: Vec<_> = graph.input.iter().filter(|input| !weights.contains(input.name.as_str())).collect();
        if inputs.len() == self.ordered_feed_shapes.len() {
            for (input, shape) in inputs.iter().zip(&self.ordered_feed_shapes) {
                options.feed_shapes.entry(input.name.clone()).or_insert_with(|| shape.clone());
            }
        }
        let feeds = options.feed_shapes.clone();
        for input in inputs.into_iter().filter(|input| !self.shapes.contains_key(&input.name)) {
            let fed = feeds.get(&input.name).filter(|shape| !shape.contains(&0));
            let tensor = input.r#type.as_ref().and_then(|t| t.tensor_type.as_ref());
            let (Some(fed), Some(tensor)) = (fed, tensor) else { continue };
            let mut shape = fed.clone();
            if let Some(declared) = &tensor.shape {
                // If the batch is set, the array may be one entry of it.
                if let ([1, ..], Some(batch)) = (fed.as_slice(), declared.dim.first().and_then(|d| self.size(d))) {
                    shape[0] = batch;
                }
                let Some(sizes) = options.fitting_sizes(declared, &shape) else { continue };
                options.dimensions.extend(sizes);
            }
            options.shapes.insert(input.name.clone(), shape);
        }
        options
    }

    /// Returns the sizes with names that a declared shape has in an array of that shape, or `None` if the array does not fit.
    fn fitting_sizes(&self, declared: &proto::TensorShape, shape: &[usize]) -> Option<HashMap<String, usize>> {
        let mut sizes = HashMap::new();
        for (d, &given) in declared.dim.iter().zip(shape) {
            let name = d.dim_param.as_deref().filter(|name| !name.is_empty());
            let known = self.size(d).or_else(|| sizes.get(name?).copied());
            if known.is_some_and(|known| known != given) {
                return None;
            }
            sizes.extend(name.map(|name| (name.to_owned(), given)));
        }
        (declared.dim.len() == shape.len()).then_some(sizes)
    }

    /// Says why no given array sets the open sizes of an input.
    fn unfitting_feeds(&self, input: &str) -> String {
        match self.feed_shapes.get(input) {
            Some(shape) => format!("the array for it is {}, which does not fit; ", shape_text(shape)),
            None if !self.feed_shapes.is_empty() => {
                let names =
                    self.feed_shapes.keys().take(MAX_LISTED).map(|name| format!("{name:?}")).collect::<Vec<_>>();
                format!("no array is given for it, only for {}; ", names.join(", "))
            }
            None if !self.ordered_feed_shapes.is_empty() => {
                let given = pluralized(self.ordered_feed_shapes.len(), "array");
                format!("{given} without a name cannot be matched with the inputs; ")
            }
            None => String::new(),
        }
    }

    /// A shape with 1 for each size that is open.
    fn example(&self, declared: &proto::TensorShape) -> String {
        shape_text(&declared.dim.iter().map(|d| self.size(d).unwrap_or(1)).collect::<Shape>())
    }

    fn size(&self, d: &proto::Dimension) -> Option<usize> {
        match (d.dim_value, &d.dim_param) {
            (Some(value), _) if value > 0 => usize::try_from(value).ok(),
            (_, Some(name)) => self.dimensions.get(name.as_str()).copied(),
            _ => None,
        }
    }

    /// Checks that the options name inputs and dimensions of the model.
    pub(super) fn check_names(&self, graph: &proto::Graph) -> Result<()> {
        let inputs: Vec<&str> = graph.input.iter().map(|i| i.name.as_str()).collect();
        let dims = graph.input.iter().filter_map(|i| i.r#type.as_ref()?.tensor_type.as_ref()?.shape.as_ref());
        let dims: Vec<&str> = dims.flat_map(|s| &s.dim).filter_map(|d| d.dim_param.as_deref()).collect();
        let unknown = |what: &str, name: &str, known: &[&str]| {
            let hint = nearest(name, known.iter().copied());
            let hint = match (hint, known) {
                (Some(near), _) => format!("; did you mean {near:?}?"),
                (None, []) => String::new(),
                (None, known) => format!(
                    "; there is {}",
                    known.iter().take(5).map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ")
                ),
            };
            invalid(format!("the model has no {what} {name:?}{hint}"))
        };
        let mut names: Vec<&String> = self.shapes.keys().collect();
        names.sort();
        if let Some(name) = names.into_iter().find(|n| !inputs.contains(&n.as_str())) {
            return Err(unknown("input", name, &inputs));
        }
        let mut names: Vec<&String> = self.dimensions.keys().collect();
        names.sort();
        match names.into_iter().find(|n| !dims.contains(&n.as_str())) {
            Some(name) => Err(unknown("symbolic dimension", name, &dims)),
            None => Ok(()),
        }
    }
}

/// Formats a shape as the file has it: `batch x 3 x 224 x 224`.
fn declared_text(shape: &proto::TensorShape) -> String {
    let dims = shape.dim.iter().map(|d| match (d.dim_value, &d.dim_param) {
        (Some(v), _) if v > 0 => v.to_string(),
        (_, Some(name)) if !name.is_empty() => name.clone(),
        _ => "?".to_owned(),
    });
    dims.collect::<Vec<_>>().join(" x ")
}
