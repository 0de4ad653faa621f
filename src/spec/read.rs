//! Tensors, inputs and outputs of a spec. Errors are collected; follow-on errors are suppressed.
use super::{
    expand::Functions,
    node::Node,
    params::Variables,
    tensors::{self, declare},
    weights::Weights,
};
use crate::{
    base::{Error, MAX_ERRORS, Place, Result, Warning, WarningKind, escaped_path},
    graph::{Graph, Tensor, TensorKind},
};
use indexmap::IndexSet;
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

pub(super) struct Reader<'a> {
    pub(super) graph: Graph,
    pub(super) errors: Vec<Error>,
    /// Names that do not exist because of an error. Using them is not reported again.
    pub(super) poisoned: HashSet<String>,
    /// Whether names are not known because of an error, so that any unknown name may be one of them.
    pub(super) has_unknown_outputs: bool,
    /// The operators that are being read.
    pub(super) siblings: Option<Node<'a>>,
    /// Outputs of the operators by name, with the operator's index. They are noted at the first error that needs them.
    pub(super) later: Option<HashMap<String, usize>>,
    pub(super) functions: Functions<'a>,
    /// The parameters of the spec.
    pub(super) params: Rc<Variables>,
    pub(super) weights: Weights<'a>,
}

impl<'a> Reader<'a> {
    pub fn new(graph: Graph, weights: Weights<'a>, params: Rc<Variables>) -> Self {
        Reader {
            graph,
            errors: Vec::new(),
            poisoned: HashSet::new(),
            has_unknown_outputs: false,
            siblings: None,
            later: None,
            functions: Functions::default(),
            params,
            weights,
        }
    }
    /// # Errors
    /// Returns the errors that were collected.
    pub fn check(&mut self) -> Result<()> {
        // A mistake in a function or a repetition occurs in each expansion.
        let mut places = HashSet::new();
        let errors = std::mem::take(&mut self.errors).into_iter();
        let mut is_new =
            |error: &Error, place: &Place| places.insert((place.line, place.column, error.cause().to_string()));
        let first = errors.filter(|error| error.place().is_none_or(|place| is_new(error, place)));
        Error::collect(first.collect())
    }

    /// Returns whether there are more errors than are reported.
    pub(super) fn enough(&self) -> bool {
        self.errors.len() > MAX_ERRORS
    }

    pub fn tensors(&mut self, tensors: Option<&Node<'a>>) -> Result<()> {
        self.weights.open()?;
        for (name, node) in tensors.map_or(Ok(Vec::new()), Node::entries)? {
            if self.enough() {
                break;
            }
            if let Err(error) = self.declare(&name, &node) {
                self.errors.extend(error.into_each());
                match node.fill(&name) {
                    Ok(name) if !node.text().contains("\"repeat\"") => drop(self.poisoned.insert(name)),
                    _ => self.has_unknown_outputs = true,
                }
            }
        }
        Ok(())
    }

    /// Makes a declaration, as often as it says.
    fn declare(&mut self, name: &str, node: &Node<'a>) -> Result<()> {
        let fields = node.fields(&tensors::KEYS)?;
        let Some(repeat) = fields.get("repeat") else {
            declare(&mut self.graph, &node.fill(name)?, node, &fields, &mut self.weights)?;
            self.graph.locate_tensors(|| node.place());
            return Ok(());
        };
        for node in node.repeated(repeat)? {
            let fields = node.fields(&tensors::KEYS)?;
            declare(&mut self.graph, &node.fill(name)?, &node, &fields, &mut self.weights)?;
            self.graph.locate_tensors(|| node.place());
        }
        Ok(())
    }

    /// Declares a tensor of the weights files, unless there is a tensor of that name, or none in the files.
    pub(super) fn declare_from_weights(&mut self, name: &str) -> Result<()> {
        if self.graph.lookup(name).is_some() || self.poisoned.contains(name) {
            return Ok(());
        }
        let Some((dtype, shape)) = self.weights.type_of(name)? else {
            return Ok(());
        };
        let data = self.weights.data(name, dtype, &shape)?;
        // Coefficients belong to no scope.
        let scope = self.graph.enter_root();
        let declared = self.graph.add_tensor(Some(name), dtype, shape, TensorKind::Coefficient(data));
        self.graph.leave_scope(scope);
        declared.map(drop)
    }

    /// Returns the tensors of a list of names; `None` if some do not exist, which is recorded.
    pub(super) fn names(&mut self, node: &Node) -> Result<Option<Vec<Tensor>>> {
        let mut all = Some(Vec::new());
        for item in node.items()? {
            let name: String = item.read()?;
            if self.enough() {
                return Ok(None);
            }
            match self.graph.find(&name) {
                Ok(tensor) => {
                    if let Some(v) = all.as_mut() {
                        v.push(tensor);
                    }
                }
                Err(error) => {
                    all = None;
                    if self.weights.names().any(|array| array == name) {
                        let problem = "is an array of the weights, and neither an input nor the result of an operator";
                        self.errors.push(item.problem(format!("{name:?} {problem}")));
                    } else if !self.poisoned.contains(&name) && !self.has_unknown_outputs {
                        self.errors.push(error.at(item.place()));
                    }
                }
            }
        }
        Ok(all)
    }

    pub fn inputs(&mut self, node: &Node) -> Result<()> {
        let Some(listed) = self.names(node)? else {
            return Ok(());
        };
        let declared: IndexSet<Tensor> = self.graph.inputs().iter().copied().collect();
        let mut seen = HashSet::new();
        for t in &listed {
            if self.enough() {
                break;
            }
            let name = self.graph.tensor(*t)?.name.clone();
            let problem = match () {
                () if !declared.contains(t) => {
                    format!("{name:?} is a coefficient; declare inputs without \"coeff\": true")
                }
                () if !seen.insert(*t) => format!("the input {name:?} is listed twice"),
                () => continue,
            };
            self.errors.push(node.problem(problem));
        }
        for t in declared.iter().filter(|t| !seen.contains(*t)).take(MAX_ERRORS) {
            let name = &self.graph.tensor(*t)?.name;
            let problem =
                format!("the tensor {name:?} is neither listed as an input nor declared with \"coeff\": true");
            self.errors.push(node.problem(problem));
        }
        if self.errors.is_empty() {
            self.graph.set_input_order(&listed).map_err(|e| e.at(node.place()))?;
        }
        Ok(())
    }

    pub fn updates(&mut self, node: &Node) -> Result<()> {
        for (variable, node) in node.object()? {
            if self.enough() {
                break;
            }
            let next: String = node.read()?;
            if [&variable, &next].into_iter().any(|name| self.poisoned.contains(name)) {
                continue;
            }
            let found = self.graph.find(&variable).and_then(|t| Ok((t, self.graph.find(&next)?)));
            let assigned = found.and_then(|(variable, next)| self.graph.assign(variable, next));
            self.errors.extend(assigned.err().map(|e| e.at(node.place())));
        }
        Ok(())
    }

    pub fn outputs(&mut self, node: &Node) -> Result<()> {
        if let Some(outputs) = self.names(node)?
            && let Err(error) = self.graph.set_outputs(&outputs)
        {
            let is_computed = |t: &Tensor| self.graph.tensor(*t).is_ok_and(|info| info.kind == TensorKind::Value);
            let at = outputs.iter().position(|t| !is_computed(t)).and_then(|i| node.items().ok()?.into_iter().nth(i));
            self.errors.push(error.at(at.as_ref().unwrap_or(node).place()));
        }
        Ok(())
    }

    /// Warns of arrays of the weights files, which are named at `node`, that nothing uses.
    pub fn warn_of_unused_arrays(&mut self, node: &Node) {
        for (array, path) in self.weights.unused(&self.graph) {
            let kind = WarningKind::UnusedArray { array, file: escaped_path(&path) };
            self.graph.warn(Warning::new(kind).at(Some(node.place())));
        }
    }
}
