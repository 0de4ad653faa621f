use super::{
    Block, Mode, Operator, Preprocess, RecordedCall, Tensor, TensorInfo, TensorKind, tensor::Lineage, undo::Undo,
};
use crate::{
    array::{Array, as_declared},
    base::{
        Cause, Dtype, Error, Ints, Result, Shape, Suggestions, Warnings, argument, check_name, elements, misfit, shown,
    },
    quant::Quantization,
};
use std::collections::{HashMap, HashSet};

/// A network under construction: tensors and the operators that compute them, in order of insertion.
///
/// ```
/// use tpulang::{Dtype, Graph};
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [2, 3])?;
/// let y = g.scope("head", |g| g.add(x, 1.0).out_name("y").call())?;
/// g.set_outputs(&[y])?;
/// assert_eq!(g.tensor(y)?.name, "head/y");
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug)]
pub struct Graph {
    name: String,
    /// Whether it is emitted as float or quantized module.
    pub mode: Mode,
    lineage: Lineage,
    /// By the handles' index; none where a tensor was removed.
    pub(super) tensors: Vec<Option<TensorInfo>>,
    pub(super) by_name: HashMap<String, Tensor>,
    pub(super) body: Block,
    /// Blocks that are being built for an operator to own, the innermost last.
    pub(super) open: Vec<Block>,
    pub(super) scope: Scope,
    /// How many calls were recorded, in all blocks.
    pub(super) calls: usize,
    pub(super) undo: Undo,
    pub(super) warnings: Warnings,
    suggestions: Suggestions,
}

/// Where names are made and looked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// `head/attention/`
    prefix: String,
    /// Other names of tensors, in a function of a spec; what is not among them is not seen there, but coefficients.
    bound: Option<HashMap<String, Tensor>>,
}

impl Clone for Graph {
    /// The clone knows the handles given out so far; those given out later belong to one of the two.
    fn clone(&self) -> Self {
        Graph { lineage: self.lineage.fork(self.tensors.len()), ..self.snapshot() }
    }
}

impl Graph {
    /// An empty graph.
    ///
    /// # Errors
    /// The name must be letters, digits, `_`, `-`, `.`, since files are named after it.
    pub fn new(name: impl Into<String>) -> Result<Graph> {
        let name = name.into();
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || name.len() > 200 || !name.chars().all(fits) || name.starts_with('.') {
            let expected = "expected 1 to 200 letters, digits, _, - or ., not beginning with a dot";
            return Err(argument("the name of the model", format!("{:?}", shown(&name)), expected));
        }
        Ok(Graph {
            name,
            mode: Mode::default(),
            lineage: Lineage::new(),
            tensors: Vec::new(),
            by_name: HashMap::new(),
            body: Block::default(),
            open: Vec::new(),
            scope: Scope::default(),
            calls: 0,
            undo: Undo::default(),
            warnings: Warnings::default(),
            suggestions: Suggestions::default(),
        })
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Inputs, in order.
    pub fn inputs(&self) -> &[Tensor] {
        &self.body.arguments
    }
    /// Outputs, in order.
    pub fn outputs(&self) -> &[Tensor] {
        &self.body.results
    }
    /// Operators, in order, without those in blocks that an operator owns.
    pub fn operators(&self) -> &[Operator] {
        &self.body.operators
    }
    /// Inputs, operators and outputs.
    pub fn body(&self) -> &Block {
        &self.body
    }
    /// All tensors with their handles, in order of creation.
    pub fn tensors(&self) -> impl Iterator<Item = (Tensor, &TensorInfo)> {
        self.tensors.iter().enumerate().filter_map(|(i, t)| Some((self.lineage.handle(i), t.as_ref()?)))
    }
    /// The inputs and coefficients that a spec declares: all but those that calls of functions make again.
    pub(crate) fn declared(&self) -> impl Iterator<Item = (Tensor, &TensorInfo)> {
        let mut named = HashSet::new();
        self.body.named_by_ops(&mut named);
        let is_source = |t: &TensorInfo| !matches!(t.kind, TensorKind::Value | TensorKind::Argument);
        self.tensors().filter(move |(t, info)| is_source(info) && (!info.of_call || named.contains(t)))
    }
    /// Number of elements of all coefficients.
    pub fn parameters(&self) -> usize {
        self.tensors().filter(|(_, t)| t.is_coefficient()).map(|(_, t)| t.elements()).sum()
    }
    /// What is known of a tensor.
    ///
    /// # Errors
    /// The handle is of another graph, or the tensor was removed.
    pub fn tensor(&self, tensor: Tensor) -> Result<&TensorInfo> {
        let ours = self.lineage.handle(tensor.index()) == tensor;
        let info = self.tensors.get(tensor.index()).filter(|_| ours).and_then(Option::as_ref);
        info.ok_or_else(|| Cause::ForeignTensor(tensor.index() as u32).into())
    }
    /// The tensor of that name, within the current scope or by its full name.
    ///
    /// # Errors
    /// There is none; the message suggests the nearest.
    pub fn find(&self, name: &str) -> Result<Tensor> {
        self.seen(name).ok_or_else(|| {
            let known = self.tensors().map(|(_, t)| t.name.as_str());
            let nearest = self.suggestions.nearest(name, known);
            Cause::UnknownName { kind: "tensor", name: shown(name), nearest }.into()
        })
    }
    /// As [`Graph::find`], where it is no mistake that there is none.
    pub(crate) fn seen(&self, name: &str) -> Option<Tensor> {
        let Scope { prefix, bound } = &self.scope;
        let scoped = (!prefix.is_empty()).then(|| self.by_name.get(&format!("{prefix}{name}"))).flatten();
        let found = bound.as_ref().and_then(|b| b.get(name)).or(scoped).copied();
        let outside = || self.by_name.get(name).copied();
        let hidden = |t: &Tensor| bound.is_some() && !self.tensor(*t).is_ok_and(TensorInfo::is_coefficient);
        found.or_else(|| outside().filter(|t| !hidden(t)))
    }

    /// Adds an input.
    ///
    /// # Errors
    /// The name is taken, or the shape impossible.
    pub fn input(&mut self, name: &str, dtype: Dtype, shape: impl Into<Ints>) -> Result<Tensor> {
        let tensor = self.add_tensor(Some(name), dtype, shape.into().to_shape()?, TensorKind::Input)?;
        self.body.arguments.push(tensor);
        Ok(tensor)
    }
    /// Adds a coefficient with its data.
    ///
    /// # Errors
    /// The name is taken, the shape impossible, or of a dtype that the tool chain has no coefficients of (int64, uint64,
    /// float64, bool).
    pub fn coefficient(&mut self, name: &str, data: impl Into<Array>) -> Result<Tensor> {
        let data = data.into();
        self.add_tensor(Some(name), data.dtype(), data.shape().to_vec(), TensorKind::Coefficient(Some(data)))
    }
    /// Declares a coefficient whose data are not at hand: it can be checked but neither emitted nor run, unless
    /// [`Graph::set_data`] gives them.
    ///
    /// # Errors
    /// As [`Graph::coefficient`].
    pub fn coefficient_without_data(&mut self, name: &str, dtype: Dtype, shape: impl Into<Ints>) -> Result<Tensor> {
        self.add_tensor(Some(name), dtype, shape.into().to_shape()?, TensorKind::Coefficient(None))
    }
    /// Gives a coefficient other data, or such that were not at hand.
    ///
    /// # Errors
    /// It is not a coefficient, or the data are of another dtype or shape.
    pub fn set_data(&mut self, tensor: Tensor, data: impl Into<Array>) -> Result<()> {
        let info = self.tensor(tensor)?;
        if !info.is_coefficient() {
            return Err(argument("the tensor", format!("{:?}", info.name), "only a coefficient has data"));
        }
        let data = as_declared(data.into(), info.dtype, &info.shape)
            .map_err(|problem| misfit(format!("the data of {:?}", info.name), problem))?;
        self.change(tensor, |t| t.kind = TensorKind::Coefficient(Some(data)));
        Ok(())
    }
    /// Says which tensors are the network's outputs.
    ///
    /// # Errors
    /// None is given, or one occurs twice.
    pub fn set_outputs(&mut self, outputs: &[Tensor]) -> Result<()> {
        if outputs.is_empty() {
            return Err(argument("outputs", "empty", "a network needs at least one output"));
        }
        let mut seen = HashSet::new();
        for &t in outputs {
            let info = self.tensor(t)?;
            if !seen.insert(t) {
                return Err(argument("outputs", format!("{:?} twice", info.name), "each output once"));
            }
            if info.kind != TensorKind::Value {
                let kind = if info.kind == TensorKind::Input { "an input" } else { "a coefficient" };
                return Err(argument(
                    "outputs",
                    format!("{:?}, {kind}", info.name),
                    "an output must be computed by an operator",
                ));
            }
        }
        self.body.results = outputs.to_vec();
        Ok(())
    }
    /// Puts the inputs in another order.
    ///
    /// # Errors
    /// The list is not exactly the graph's inputs.
    pub fn set_input_order(&mut self, inputs: &[Tensor]) -> Result<()> {
        let sorted = |v: &[Tensor]| {
            let mut v = v.to_vec();
            v.sort();
            v
        };
        if sorted(inputs) != sorted(self.inputs()) {
            return Err(argument("inputs", "not the graph's inputs", "the same tensors in another order"));
        }
        self.body.arguments = inputs.to_vec();
        Ok(())
    }
    /// Runs `build` with every name made in it prefixed by `name/`.
    ///
    /// # Errors
    /// Those of `build`.
    pub fn scope<R>(&mut self, name: &str, build: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        check_name(name)?;
        let inner = Scope { prefix: format!("{}{name}/", self.scope.prefix), bound: self.scope.bound.clone() };
        self.in_scope(inner, build)
    }
    /// Until [`Graph::leave_function`], names are made in the scope `name`, and besides what is made in it only
    /// coefficients and the tensors of `bound` are seen.
    pub(crate) fn enter_function(&mut self, name: &str, bound: HashMap<String, Tensor>) -> Result<Scope> {
        check_name(name)?;
        let inner = Scope { prefix: format!("{}{name}/", self.scope.prefix), bound: Some(bound) };
        Ok(std::mem::replace(&mut self.scope, inner))
    }
    pub(crate) fn leave_function(&mut self, outer: Scope) {
        self.scope = outer;
    }
    fn in_scope<R>(&mut self, inner: Scope, build: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        /// Leaves the scope, also where `build` panics.
        struct Leave<'g>(&'g mut Graph, Scope);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.scope = std::mem::take(&mut self.1);
            }
        }
        let outer = std::mem::replace(&mut self.scope, inner);
        build(Leave(self, outer).0)
    }
    /// Sets a tensor's quantization, or checks that it agrees with what was set before.
    ///
    /// # Errors
    /// The dtype is not an 8- or 16-bit integer, a list is not of the channels' number, or the values contradict earlier
    /// ones.
    pub fn quantize(&mut self, tensor: Tensor, quantization: &Quantization) -> Result<()> {
        let info = self.tensor(tensor)?;
        let merged = quantization
            .merged(info.quantization.as_ref(), info.dtype, &info.shape)
            .map_err(|problem| Cause::Quantization { tensor: info.name.clone(), problem })?;
        if merged.is_some() {
            self.change(tensor, |t| t.quantization = merged);
        }
        Ok(())
    }
    /// Sets what happens to an image before the first operator.
    ///
    /// # Errors
    /// The tensor is not an input, or a value is not allowed.
    pub fn preprocess(&mut self, tensor: Tensor, preprocess: Preprocess) -> Result<()> {
        let info = self.tensor(tensor)?;
        if info.kind != TensorKind::Input {
            return Err(argument("preprocess", format!("set on {:?}", info.name), "only inputs are preprocessed"));
        }
        preprocess.attributes(&info.shape)?;
        self.change(tensor, |t| t.preprocess = Some(preprocess));
        Ok(())
    }
    /// Builds a block for an operator to own: `build` gets the arguments, of the given names, dtypes and shapes, and
    /// gives the block's results.
    ///
    /// # Errors
    /// Those of `build`, or a name that is taken; the graph is then as it was.
    pub fn block<S: Into<Ints>>(
        &mut self,
        arguments: impl IntoIterator<Item = (String, Dtype, S)>,
        build: impl FnOnce(&mut Graph, &[Tensor]) -> Result<Vec<Tensor>>,
    ) -> Result<Block> {
        let outputs = self.body.results.clone();
        let block = self.atomic(|g| {
            let given = g.begin_block(arguments)?;
            let results = build(g, &given)?;
            g.end_block(results)
        });
        if block.is_err() {
            self.body.results = outputs;
        }
        block
    }
    pub(crate) fn begin_block<S: Into<Ints>>(
        &mut self,
        arguments: impl IntoIterator<Item = (String, Dtype, S)>,
    ) -> Result<Vec<Tensor>> {
        self.open.push(Block::default());
        let mut given = Vec::new();
        for (name, dtype, shape) in arguments {
            given.push(self.add_tensor(Some(&name), dtype, shape.into().to_shape()?, TensorKind::Argument)?);
        }
        self.current().arguments = given.clone();
        Ok(given)
    }
    pub(crate) fn end_block(&mut self, results: Vec<Tensor>) -> Result<Block> {
        results.iter().try_for_each(|t| self.tensor(*t).map(|_| ()))?;
        let mut block = self.open.pop().unwrap_or_default();
        block.results = results;
        Ok(block)
    }
    /// Calls a tensor otherwise.
    pub(crate) fn rename(&mut self, tensor: Tensor, name: &str) -> Result<()> {
        check_name(name)?;
        let name = format!("{}{name}", self.scope.prefix);
        let old = self.tensor(tensor)?.name.clone();
        if self.by_name.get(&name).is_some_and(|t| *t != tensor) {
            return Err(Cause::DuplicateName(name).into());
        }
        self.by_name.remove(&old);
        self.by_name.insert(name.clone(), tensor);
        self.change(tensor, |t| t.name = name);
        Ok(())
    }

    pub(crate) fn slots(&self) -> &[Option<TensorInfo>] {
        &self.tensors
    }
    /// The block that operators are added to.
    pub(super) fn current(&mut self) -> &mut Block {
        self.open.last_mut().unwrap_or(&mut self.body)
    }
    /// Whether an operator uses the tensor, or it is an output, also in the blocks that are being built.
    pub(crate) fn is_used(&self, tensor: Tensor) -> bool {
        let mut used = false;
        for block in self.open.iter().chain([&self.body]) {
            used |= block.results.contains(&tensor);
            block.walk(&mut |o| used = used || o.uses().contains(&tensor));
        }
        used
    }
    pub(crate) fn calls_made(&self) -> usize {
        self.calls
    }
    /// How many operators there are in the block that is being built.
    pub(crate) fn operators_made(&mut self) -> usize {
        self.current().operators.len()
    }
    pub(crate) fn record(&mut self, call: RecordedCall) {
        self.warn_about(&call);
        self.calls += 1;
        self.current().calls.push(call);
    }

    pub(crate) fn add_tensor(
        &mut self,
        name: Option<&str>,
        dtype: Dtype,
        shape: Shape,
        kind: TensorKind,
    ) -> Result<Tensor> {
        elements(&shape, dtype)?;
        let name = match name {
            Some(name) => {
                check_name(name)?;
                format!("{}{name}", self.scope.prefix)
            }
            None => self.free_name("value"),
        };
        if !dtype.is_declared() && matches!(kind, TensorKind::Coefficient(_)) {
            let expected = "the tool chain has no coefficients of that dtype; convert it to float32 or int32";
            return Err(argument(format!("the coefficient {:?}", shown(&name)), dtype, expected));
        }
        if self.tensors.len() >= u32::MAX as usize {
            return Err(Cause::Shape("a graph holds at most 2^32 - 1 tensors".into()).into());
        }
        if self.by_name.contains_key(&name) {
            return Err(Cause::DuplicateName(name).into());
        }
        let tensor = self.lineage.handle(self.tensors.len());
        self.by_name.insert(name.clone(), tensor);
        let info = TensorInfo {
            name,
            shape,
            dtype,
            kind,
            quantization: None,
            preprocess: None,
            of_call: false,
            stands_for: None,
        };
        self.tensors.push(Some(info));
        Ok(tensor)
    }
    /// A name that is free, without the scope: `stem_<n>`, n the number of calls so far, or a greater one: the next, where
    /// those between are taken.
    pub(crate) fn free_name(&self, stem: &str) -> String {
        let free = |n: usize| !self.by_name.contains_key(&format!("{}{stem}_{n}", self.scope.prefix));
        let first = self.calls;
        // Numbers are mostly taken in a row, and may be so many that one does not try them all: a free one is looked for
        // in strides that double, then between it and the last that was taken.
        let Some(mut far) = (0..usize::BITS - 1).map(|i| (1 << i) - 1).find(|d| free(first.saturating_add(*d))) else {
            // Among as many numbers as there are names, and one, one is free.
            let n = (first..=first + self.by_name.len()).find(|n| free(*n)).unwrap_or(first);
            return format!("{stem}_{n}");
        };
        let mut taken = far / 2;
        while far - taken > 1 {
            let middle = taken + (far - taken) / 2;
            if free(first + middle) { far = middle } else { taken = middle }
        }
        format!("{stem}_{}", first + far)
    }
    /// Forgets a tensor; its handle is refused from here on.
    pub(super) fn forget(&mut self, tensor: Tensor) {
        if let Some(info) = self.tensors.get_mut(tensor.index()).and_then(Option::take) {
            self.by_name.remove(&info.name);
        }
    }
    /// A copy with the same handles, to return to.
    pub(super) fn snapshot(&self) -> Graph {
        Graph {
            name: self.name.clone(),
            mode: self.mode,
            lineage: self.lineage.clone(),
            tensors: self.tensors.clone(),
            by_name: self.by_name.clone(),
            body: self.body.clone(),
            open: self.open.clone(),
            scope: self.scope.clone(),
            calls: self.calls,
            undo: self.undo.clone(),
            warnings: self.warnings.clone(),
            suggestions: self.suggestions.clone(),
        }
    }
    /// Everything a reader of the graph may rely on before emission or execution.
    pub(crate) fn check_complete(&self) -> Result<()> {
        if self.outputs().is_empty() {
            return Err(argument("outputs", "not set", "call set_outputs first"));
        }
        let missing = self.tensors().filter(|(_, t)| t.kind == TensorKind::Coefficient(None)).map(|(_, t)| {
            Error::from(Cause::MissingData(format!("the coefficient {:?} ({}) has no data", t.name, t.type_text())))
        });
        Error::collect(missing.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_names_are_found_among_many() {
        let mut g = Graph::new("g").unwrap();
        for i in (0..3000).chain([9000]) {
            g.input(&format!("relu_{i}"), Dtype::Float32, [1]).unwrap();
        }
        assert_eq!(g.free_name("relu"), "relu_3000");
        assert_eq!(g.free_name("tanh"), "tanh_0");
    }

    #[test]
    fn names_are_unique_deterministic_and_scoped() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let a = g.relu(x).call().unwrap();
        let b = g.scope("s", |g| g.relu("x").call()).unwrap();
        let c = g.scope("s", |g| g.scope("t", |g| g.relu(b).out_name("r").call())).unwrap();
        let names: Vec<_> = [a, b, c].map(|t| g.tensor(t).unwrap().name.clone()).into();
        assert_eq!(names, ["relu_0", "s/relu_1", "s/t/r"]);
        assert_eq!(
            g.relu(x).out_name("x").call().unwrap_err().to_string().lines().next(),
            Some("relu \"x\" (ops[3]): the name \"x\" is used already; every tensor needs its own")
        );
    }

    #[test]
    fn handles_are_of_one_graph_and_its_clones() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let mut other = Graph::new("h").unwrap();
        other.input("x", Dtype::Float32, [1]).unwrap();
        assert_eq!(
            other.relu(x).call().unwrap_err().to_string(),
            "relu (ops[0]): the tensor handle #0 is not of this graph"
        );
        let mut clone = g.clone();
        let (a, b) = (g.relu(x).call().unwrap(), clone.relu(x).call().unwrap());
        assert!(g.tensor(b).is_err() && clone.tensor(a).is_err());
        assert!(g.tensor(a).is_ok() && clone.tensor(b).is_ok());
        let again = clone.clone();
        assert!(again.tensor(x).is_ok() && again.tensor(b).is_ok() && again.tensor(a).is_err());
    }

    #[test]
    fn coefficients_are_of_what_the_tool_chain_knows() {
        let mut g = Graph::new("g").unwrap();
        assert_eq!(
            g.coefficient("i", Array::from([1i64])).unwrap_err().to_string(),
            "the coefficient \"i\" is int64; the tool chain has no coefficients of that dtype; convert it to float32 or int32"
        );
        assert!(g.coefficient("d", Array::from([1f64])).is_err());
        assert!(g.input("x", Dtype::Float32, [1, -2]).unwrap_err().to_string().contains("negative dimension"));
    }
}
