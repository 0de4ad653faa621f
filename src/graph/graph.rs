use super::{
    Block, MAX_NESTED_BLOCKS, Mode, Operator, Preprocess, RecordedCall, Tensor, TensorInfo, TensorKind,
    custom_rules::CustomRules, places::Places, scope::Scope, tensor::HandleProvenance, undo::Undo,
};
use crate::{
    array::{Array, as_declared},
    base::{
        Cause, Dtype, Error, Ints, Result, Shape, Suggestions, WarningCode, Warnings, argument, check_name, elements,
        invalid, misfit, truncated,
    },
    quant::Quantization,
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fmt,
};

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
pub struct Graph {
    name: String,
    /// Whether it is emitted as a float or a quantized module.
    pub mode: Mode,
    pub(super) provenance: HandleProvenance,
    /// Indexed by handle; `None` for removed tensors.
    pub(super) tensors: Vec<Option<TensorInfo>>,
    pub(super) by_name: HashMap<String, Tensor>,
    pub(super) body: Block,
    /// The blocks under construction, innermost last.
    pub(super) open: Vec<Block>,
    pub(super) scope: Scope,
    /// Number of recorded calls in all blocks.
    pub(super) calls: usize,
    pub(super) undo: Undo,
    pub(super) warnings: Warnings,
    /// The codes of warnings that are not reported.
    pub(super) allowed: BTreeSet<WarningCode>,
    pub(super) places: Places,
    pub(super) suggestions: Suggestions,
    pub(super) custom_rules: CustomRules,
    /// The variables, each with its next value.
    pub(super) updates: Vec<(Tensor, Tensor)>,
}

/// Formats a summary, since a whole graph may be large; for all of it, see `tpulang::spec::to_text`.
impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Graph")
            .field("name", &self.name)
            .field("inputs", &self.inputs().len())
            .field("operators", &self.operators().len())
            .field("outputs", &self.outputs().len())
            .finish_non_exhaustive()
    }
}

impl Clone for Graph {
    /// Clones the graph. The clone accepts the handles issued so far; later ones are valid only in the graph that issues
    /// them.
    fn clone(&self) -> Self {
        Graph {
            name: self.name.clone(),
            mode: self.mode,
            provenance: self.provenance.fork(self.tensors.len()),
            tensors: self.tensors.clone(),
            by_name: self.by_name.clone(),
            body: self.body.clone(),
            open: self.open.clone(),
            scope: self.scope.clone(),
            calls: self.calls,
            undo: self.undo.clone(),
            warnings: self.warnings.clone(),
            allowed: self.allowed.clone(),
            places: self.places.clone(),
            suggestions: self.suggestions.clone(),
            custom_rules: self.custom_rules.clone(),
            updates: self.updates.clone(),
        }
    }
}

impl Graph {
    /// Creates an empty graph.
    ///
    /// # Errors
    /// Returns an error unless the name consists of letters, digits, `_`, `-` and `.`, since files are named after it.
    pub fn new(name: impl Into<String>) -> Result<Graph> {
        let name = name.into();
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || name.len() > 200 || !name.chars().all(fits) || name.starts_with('.') {
            let expected = "expected 1 to 200 letters, digits, _, - or ., not beginning with a dot";
            return Err(argument("the name of the model", format!("{:?}", truncated(&name)), expected));
        }
        Ok(Graph {
            name,
            mode: Mode::default(),
            provenance: HandleProvenance::new(),
            tensors: Vec::new(),
            by_name: HashMap::new(),
            body: Block::default(),
            open: Vec::new(),
            scope: Scope::default(),
            calls: 0,
            undo: Undo::default(),
            warnings: Warnings::default(),
            allowed: BTreeSet::new(),
            places: Places::default(),
            suggestions: Suggestions::default(),
            custom_rules: CustomRules::default(),
            updates: Vec::new(),
        })
    }

    /// Returns the model's name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Returns the inputs, in order.
    pub fn inputs(&self) -> &[Tensor] {
        &self.body.arguments
    }
    /// Returns the outputs, in order.
    pub fn outputs(&self) -> &[Tensor] {
        &self.body.results
    }
    /// Returns the operators in order, without those in nested blocks.
    pub fn operators(&self) -> &[Operator] {
        &self.body.operators
    }
    /// Returns the body: inputs, operators and outputs.
    pub fn body(&self) -> &Block {
        &self.body
    }
    /// Returns all tensors with their handles, in order of creation.
    pub fn tensors(&self) -> impl Iterator<Item = (Tensor, &TensorInfo)> {
        self.tensors.iter().enumerate().filter_map(|(i, t)| Some((self.provenance.handle(i), t.as_ref()?)))
    }
    /// Returns the inputs and coefficients that a spec declares: all except those that replayed calls create.
    #[doc(hidden)]
    pub fn declared(&self) -> impl Iterator<Item = (Tensor, &TensorInfo)> {
        let mut named = HashSet::new();
        self.body.named_by_ops(&mut named);
        let is_source = |t: &TensorInfo| !matches!(t.kind, TensorKind::Value | TensorKind::Argument);
        self.tensors().filter(move |(t, info)| is_source(info) && (!info.of_call || named.contains(t)))
    }
    /// Returns the total number of elements of all coefficients.
    pub fn parameters(&self) -> usize {
        self.tensors().filter(|(_, t)| t.is_coefficient()).map(|(_, t)| t.elements()).sum()
    }
    /// Returns name, type and origin of a tensor.
    ///
    /// # Errors
    /// Returns an error if the handle belongs to another graph, or if the tensor was removed.
    pub fn tensor(&self, tensor: Tensor) -> Result<&TensorInfo> {
        let ours = self.provenance.handle(tensor.index()) == tensor;
        let info = self.tensors.get(tensor.index()).filter(|_| ours).and_then(Option::as_ref);
        info.ok_or_else(|| Cause::ForeignTensor(tensor.index() as u32).into())
    }
    /// Adds an input.
    ///
    /// # Errors
    /// Returns an error if the name is taken or the shape is invalid.
    pub fn input(&mut self, name: &str, dtype: Dtype, shape: impl Into<Ints>) -> Result<Tensor> {
        let tensor = self.add_tensor(Some(name), dtype, shape.into().to_shape()?, TensorKind::Input)?;
        self.body.arguments.push(tensor);
        Ok(tensor)
    }
    /// Adds a coefficient with its data.
    ///
    /// # Errors
    /// Returns an error if the name is taken, the shape is invalid, or the tool chain does not support coefficients of that
    /// dtype (int64, uint64, float64, bool).
    pub fn coefficient(&mut self, name: &str, data: impl Into<Array>) -> Result<Tensor> {
        let data = data.into();
        self.add_tensor(Some(name), data.dtype(), data.shape().to_vec(), TensorKind::Coefficient(Some(data)))
    }
    /// Declares a coefficient without data. The graph can be checked, but neither emitted nor run before
    /// [`Graph::set_data`].
    ///
    /// # Errors
    /// Same as for [`Graph::coefficient`].
    pub fn coefficient_without_data(&mut self, name: &str, dtype: Dtype, shape: impl Into<Ints>) -> Result<Tensor> {
        self.add_tensor(Some(name), dtype, shape.into().to_shape()?, TensorKind::Coefficient(None))
    }
    /// Sets or replaces the data of a coefficient.
    ///
    /// # Errors
    /// Returns an error if the tensor is not a coefficient, or if the data have another dtype or shape.
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
    /// Sets the outputs of the network.
    ///
    /// # Errors
    /// Returns an error if the list is empty, or if an output occurs twice or is not computed.
    pub fn set_outputs(&mut self, outputs: &[Tensor]) -> Result<()> {
        if outputs.is_empty() {
            return Err(argument("outputs", "empty", "a network needs at least one output"));
        }
        if !self.open.is_empty() {
            return Err(invalid("the outputs of the network cannot be set while a branch or loop is built"));
        }
        let mut seen = HashSet::new();
        for &t in outputs {
            self.check_visible(t)?;
            let info = self.tensor(t)?;
            if !seen.insert(t) {
                return Err(argument("outputs", format!("{:?} twice", info.name), "each output once"));
            }
            if info.kind != TensorKind::Value {
                let kind = match info.kind {
                    TensorKind::Input => "an input",
                    TensorKind::Argument => "an argument of a block",
                    TensorKind::Coefficient(_) | TensorKind::Value => "a coefficient",
                };
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
    /// Reorders the inputs.
    ///
    /// # Errors
    /// Returns an error if the list is not a permutation of the graph's inputs.
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
    /// Keeps these inputs, in this order. Every other one becomes a coefficient with the data that `data` returns, or is
    /// removed if nothing uses it.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.input("y", Dtype::Float32, [2])?;
    /// g.add(x, y).call()?;
    /// g.set_inputs(&[x], |_| Some(Array::from([1f32, 2.0])))?;
    /// assert!(g.inputs() == [x] && g.tensor(y)?.is_coefficient());
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if one of the list is not an input or occurs twice, or if another one is used and has no data, data of another
    /// dtype or shape, or a dtype that a coefficient cannot have. The graph is then unchanged.
    pub fn set_inputs(&mut self, inputs: &[Tensor], mut data: impl FnMut(Tensor) -> Option<Array>) -> Result<()> {
        let mut seen = HashSet::new();
        for &t in inputs {
            let info = self.tensor(t)?;
            if info.kind != TensorKind::Input || !seen.insert(t) {
                let problem = if info.kind == TensorKind::Input { "twice" } else { "which is not an input" };
                return Err(argument("inputs", format!("{:?}, {problem}", info.name), "expected each input once"));
            }
        }
        let others: Vec<Tensor> = self.inputs().iter().copied().filter(|t| !seen.contains(t)).collect();
        let mut fixed = Vec::new();
        for &t in &others {
            let info = self.tensor(t)?;
            match data(t) {
                Some(data) if info.dtype.is_declared() => {
                    let data = as_declared(data, info.dtype, &info.shape);
                    fixed.push((t, data.map_err(|problem| misfit(format!("the data of {:?}", info.name), problem))?));
                }
                Some(_) => return Err(no_such_coefficient(&info.name, info.dtype)),
                None if self.is_used(t) => {
                    let found = format!("without {:?} ({})", info.name, info.type_text());
                    return Err(argument("inputs", found, "the network uses it, and it has no data"));
                }
                None => {}
            }
        }
        self.body.arguments = inputs.to_vec();
        others.iter().filter(|t| !fixed.iter().any(|(fixed, _)| fixed == *t)).for_each(|t| self.forget(*t));
        fixed.into_iter().for_each(|(t, data)| self.change(t, |info| info.kind = TensorKind::Coefficient(Some(data))));
        Ok(())
    }
    /// Returns a copy with another name.
    ///
    /// # Errors
    /// Returns an error if the name is invalid (see [`Graph::new`]).
    pub fn named(&self, name: impl Into<String>) -> Result<Graph> {
        let name = Graph::new(name)?.name;
        Ok(Graph { name, ..self.clone() })
    }
    /// Sets a tensor's quantization, or checks that it agrees with the one set before.
    ///
    /// # Errors
    /// Returns an error if the dtype is not an 8- or 16-bit integer, if the length of a list is not the number of channels,
    /// or if the values contradict earlier ones.
    pub fn quantize(&mut self, tensor: Tensor, quantization: &Quantization) -> Result<()> {
        if self.quantize_in_call(tensor, quantization)? {
            self.change(tensor, |t| t.is_quantized_separately = true);
        }
        Ok(())
    }
    /// Like [`Graph::quantize`], but as part of a call: replaying the call sets it again. Returns whether anything changed.
    pub(crate) fn quantize_in_call(&mut self, tensor: Tensor, quantization: &Quantization) -> Result<bool> {
        let info = self.tensor(tensor)?;
        let merged = quantization
            .merged(info.quantization.as_ref(), info.dtype, &info.shape)
            .map_err(|problem| Cause::Quantization { tensor: info.name.clone(), problem })?;
        let is_new = merged.is_some();
        if is_new {
            self.change(tensor, |t| t.quantization = merged);
        }
        Ok(is_new)
    }
    /// Sets the image preprocessing of an input.
    ///
    /// # Errors
    /// Returns an error if the tensor is not an input, or if a value is not allowed.
    pub fn preprocess(&mut self, tensor: Tensor, preprocess: Preprocess) -> Result<()> {
        let info = self.tensor(tensor)?;
        if info.kind != TensorKind::Input {
            return Err(argument("preprocess", format!("set on {:?}", info.name), "only inputs are preprocessed"));
        }
        preprocess.attributes(&info.shape)?;
        self.change(tensor, |t| t.preprocess = Some(preprocess));
        Ok(())
    }
    /// Builds a block for an operator to own. `build` receives the arguments, which have the given names, dtypes and
    /// shapes, and returns the results of the block.
    ///
    /// # Errors
    /// Returns the errors of `build`, or an error if a name is taken or blocks nest deeper than [`MAX_NESTED_BLOCKS`]. The
    /// graph is then unchanged.
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
    #[doc(hidden)]
    pub fn begin_block<S: Into<Ints>>(
        &mut self,
        arguments: impl IntoIterator<Item = (String, Dtype, S)>,
    ) -> Result<Vec<Tensor>> {
        self.check_nesting(1)?;
        let mut given = Vec::new();
        for (name, dtype, shape) in arguments {
            given.push(self.add_tensor(Some(&name), dtype, shape.into().to_shape()?, TensorKind::Argument)?);
        }
        self.open.push(Block { arguments: given.clone(), ..Block::default() });
        Ok(given)
    }
    /// Checks that blocks nested to `depth` fit into the current block.
    pub(super) fn check_nesting(&self, depth: usize) -> Result<()> {
        let depth = self.open.len() + depth;
        if depth > MAX_NESTED_BLOCKS {
            return Err(misfit("the block", format!("is nested {depth} deep; the maximum is {MAX_NESTED_BLOCKS}")));
        }
        Ok(())
    }
    #[doc(hidden)]
    pub fn end_block(&mut self, results: Vec<Tensor>) -> Result<Block> {
        results.iter().try_for_each(|t| self.check_visible(*t))?;
        let mut block = self.open.pop().unwrap_or_default();
        block.results = results;
        self.close(&block);
        Ok(block)
    }
    /// Notes that a block is complete.
    pub(super) fn close(&mut self, block: &Block) {
        let computed = block.operators.iter().flat_map(Operator::outputs);
        block.arguments.iter().copied().chain(computed).for_each(|t| self.change(t, |info| info.is_local = true));
    }
    /// # Errors
    /// Returns an error if the tensor belongs to a complete block, or to another graph.
    pub(super) fn check_visible(&self, tensor: Tensor) -> Result<()> {
        let info = self.tensor(tensor)?;
        if !info.is_local {
            return Ok(());
        }
        let problem = "belongs to a block and is used outside of it; let the block return it";
        Err(Error::new(format!("the tensor {:?} {problem}", info.name)))
    }
    #[doc(hidden)]
    pub fn tensor_table(&self) -> &[Option<TensorInfo>] {
        &self.tensors
    }
    /// Returns the block that operators are added to.
    pub(super) fn current(&mut self) -> &mut Block {
        self.open.last_mut().unwrap_or(&mut self.body)
    }
    /// Returns whether the tensor is an output or an operand, including in blocks under construction.
    pub(crate) fn is_used(&self, tensor: Tensor) -> bool {
        let mut used = self.updates.iter().any(|(variable, next)| *variable == tensor || *next == tensor);
        for block in self.open.iter().chain([&self.body]) {
            used |= block.results.contains(&tensor);
            block.walk(&mut |o| used = used || o.uses().contains(&tensor));
        }
        used
    }
    #[doc(hidden)]
    pub fn calls_made(&self) -> usize {
        self.calls
    }
    /// Returns the number of operators in the current block.
    pub(crate) fn operators_made(&mut self) -> usize {
        self.current().operators.len()
    }
    #[doc(hidden)]
    pub fn record(&mut self, call: RecordedCall) {
        self.warn_about(&call);
        self.calls += 1;
        self.current().calls.push(call);
    }

    #[doc(hidden)]
    pub fn add_tensor(&mut self, name: Option<&str>, dtype: Dtype, shape: Shape, kind: TensorKind) -> Result<Tensor> {
        elements(&shape, dtype)?;
        let name = match name {
            Some(name) => {
                check_name(name)?;
                format!("{}{name}", self.scope.prefix)
            }
            None => self.free_name("value"),
        };
        if !dtype.is_declared() && matches!(kind, TensorKind::Coefficient(_)) {
            return Err(no_such_coefficient(&name, dtype));
        }
        if self.tensors.len() >= u32::MAX as usize {
            return Err(Cause::Shape("a graph holds at most 2^32 - 1 tensors".into()).into());
        }
        if self.by_name.contains_key(&name) {
            return Err(Cause::DuplicateName(name).into());
        }
        let tensor = self.provenance.handle(self.tensors.len());
        self.by_name.insert(name.clone(), tensor);
        let info = TensorInfo {
            name,
            shape,
            dtype,
            kind,
            quantization: None,
            is_quantized_separately: false,
            preprocess: None,
            of_call: false,
            repacked_from: None,
            is_local: false,
        };
        self.tensors.push(Some(info));
        Ok(tensor)
    }
    /// Removes a tensor and its name. Its handle becomes invalid.
    pub(super) fn forget(&mut self, tensor: Tensor) {
        if let Some(info) = self.tensors.get_mut(tensor.index()).and_then(Option::take) {
            self.by_name.remove(&info.name);
        }
    }
    /// Checks that the graph can be emitted or run: it has outputs, and all coefficients have data.
    #[doc(hidden)]
    pub fn check_complete(&self) -> Result<()> {
        if self.outputs().is_empty() {
            return Err(argument("outputs", "not set", "a network needs at least one output"));
        }
        let missing = self.tensors().filter(|(_, t)| t.kind == TensorKind::Coefficient(None)).map(|(_, t)| {
            let expected = "declare it with data, or with an array of its name in the weights file";
            let problem = format!("the coefficient {:?} ({}) has no data; {expected}", t.name, t.type_text());
            Error::from(Cause::MissingData(problem))
        });
        Error::collect(missing.collect())?;
        self.check_updates()?;
        self.check_all_blocks()
    }
}

fn no_such_coefficient(name: &str, dtype: Dtype) -> Error {
    let expected = "the tool chain has no coefficients of that dtype; convert it to float32 or int32";
    argument(format!("the coefficient {:?}", truncated(name)), dtype, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_belong_to_one_graph_and_its_clones() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let mut other = Graph::new("h").unwrap();
        other.input("x", Dtype::Float32, [1]).unwrap();
        assert_eq!(
            other.relu(x).call().unwrap_err().to_string(),
            "relu (ops[0]): input: the tensor is of another graph, or of a call that was undone; a graph takes only its own tensors"
        );
        let mut clone = g.clone();
        let (a, b) = (g.relu(x).call().unwrap(), clone.relu(x).call().unwrap());
        assert!(g.tensor(b).is_err() && clone.tensor(a).is_err());
        assert!(g.tensor(a).is_ok() && clone.tensor(b).is_ok());
        let again = clone.clone();
        assert!(again.tensor(x).is_ok() && again.tensor(b).is_ok() && again.tensor(a).is_err());
    }

    #[test]
    fn coefficients_have_dtypes_of_the_tool_chain() {
        let mut g = Graph::new("g").unwrap();
        assert_eq!(
            g.coefficient("i", Array::from([1i64])).unwrap_err().to_string(),
            "the coefficient \"i\" is int64; the tool chain has no coefficients of that dtype; convert it to float32 or int32"
        );
        assert!(g.coefficient("d", Array::from([1f64])).is_err());
        assert!(g.input("x", Dtype::Float32, [1, -2]).unwrap_err().to_string().contains("negative dimension"));
    }
}
