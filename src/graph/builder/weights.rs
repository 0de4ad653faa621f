//! The arrays of a weights file as coefficients.
use super::{Graph, GraphBuilder, Value};
use crate::{
    Tensor,
    array::{Array, WeightFile, as_declared, coefficient_type},
    base::{Error, Result, Warning, WarningKind, escaped_path},
};
use std::{cell::RefCell, collections::HashMap, fmt, path::Path, rc::Rc};

/// An open weights file.
pub(super) struct OpenFile {
    file: RefCell<WeightFile>,
    /// The arrays that were read, with the coefficient that was made of each.
    read: RefCell<HashMap<String, Option<Tensor>>>,
}

impl OpenFile {
    pub fn open(path: &Path) -> Result<OpenFile> {
        Ok(OpenFile { file: RefCell::new(WeightFile::open(path)?), read: RefCell::default() })
    }
    /// Warns of the arrays that were not read, in a reproducible order.
    pub fn warn_of_unused(&self, graph: &mut Graph) {
        let (file, read) = (self.file.borrow(), self.read.borrow());
        for name in file.unused(|name| read.contains_key(name)) {
            let kind = WarningKind::UnusedArray { array: name.into(), file: escaped_path(file.path()) };
            graph.warn(Warning::new(kind));
        }
    }
    fn read(&self, name: &str) -> Result<Array> {
        let array = self.file.borrow_mut().read(name)?;
        self.read.borrow_mut().entry(name.to_owned()).or_default();
        Ok(array)
    }
    /// Returns the coefficient of an array. It is made, unless it exists.
    fn make(&self, name: &str, graph: &mut Graph) -> Result<Tensor> {
        let made = self.read.borrow().get(name).copied().flatten();
        if let Some(tensor) = made.filter(|t| graph.tensor(*t).is_ok()) {
            return Ok(tensor);
        }
        let array = self.read(name)?;
        let (dtype, shape) = coefficient_type(&array);
        let array = as_declared(array, dtype, &shape)
            .map_err(|problem| Error::format(self.file.borrow().path(), format!("the array {name:?} {problem}")))?;
        let tensor = graph.in_root_scope(|graph| graph.coefficient(name, array))?;
        self.read.borrow_mut().insert(name.to_owned(), Some(tensor));
        Ok(tensor)
    }
}

/// The arrays of a weights file, or those whose names begin with a prefix. They become coefficients when they are first used.
///
/// ```
/// use tpulang::{Array, Dtype, GraphBuilder, Result, Value, Weights, array::write_npz};
///
/// fn linear<'g>(x: Value<'g>, weights: &Weights<'g>) -> Result<Value<'g>> {
///     x.matmul(weights.get("weight")?).bias(weights.get("bias")?).right_transpose(true).call()
/// }
///
/// # let path = std::env::temp_dir().join("tpulang-weights.npz");
/// let weight = Array::filled(Dtype::Float32, [4, 8], 0.1)?;
/// let bias = Array::filled(Dtype::Float32, [4], 1.0)?;
/// write_npz(&path, [("head.fc.weight", weight), ("head.fc.bias", bias)])?;
/// let g = GraphBuilder::new("net")?;
/// let x = g.input("x", Dtype::Float32, [1, 8])?;
/// let y = linear(x, &g.weights(&path)?.scope("head").scope("fc"))?;
/// assert!(g.build(y)?.find("head.fc.bias").is_ok());
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Clone)]
pub struct Weights<'g> {
    builder: &'g GraphBuilder,
    file: Rc<OpenFile>,
    /// Empty, or ends with a dot.
    prefix: String,
}

impl<'g> Weights<'g> {
    pub(super) fn new(builder: &'g GraphBuilder, file: Rc<OpenFile>) -> Self {
        Weights { builder, file, prefix: String::new() }
    }
    /// Returns the arrays whose names begin with `name.` after this prefix: `weights.scope("layer1").scope(0)`.
    #[must_use]
    pub fn scope(&self, name: impl fmt::Display) -> Weights<'g> {
        Weights { prefix: format!("{}{name}.", self.prefix), ..self.clone() }
    }
    /// Returns whether there is an array with this name, after the prefix.
    pub fn has(&self, name: &str) -> bool {
        self.file.file.borrow().has(&self.full(name))
    }
    /// Returns the names of the arrays, after the prefix, in the order of the file.
    pub fn names(&self) -> Vec<String> {
        let file = self.file.file.borrow();
        file.names().into_iter().filter_map(|name| name.strip_prefix(&self.prefix)).map(str::to_owned).collect()
    }
    /// Returns an array, whose elements are read on first use.
    ///
    /// # Errors
    /// Returns an error if there is no array of this name, after the prefix (a similar name is suggested), or it is damaged.
    pub fn array(&self, name: &str) -> Result<Array> {
        self.file.read(&self.full(name))
    }
    /// Returns an array as a coefficient, named as in the file. Types that coefficients cannot have are converted: int64 to
    /// int32, float64 and bfloat16 to float32, bool to uint8, and a single number gets the shape \[1\].
    ///
    /// # Errors
    /// Returns an error if there is no array of this name, after the prefix (a similar name is suggested), if it is damaged,
    /// or if another tensor of the graph has its name.
    pub fn get(&self, name: &str) -> Result<Value<'g>> {
        let name = self.full(name);
        self.builder.edit(|graph| self.file.make(&name, graph)).map(|tensor| Value::new(self.builder, tensor))
    }
    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}
