//! The graph from which plans are made: tensors and operators by index.
use crate::{
    Layout, Precision, ValueType,
    array::Array,
    base::{Cause, Error, Result},
    graph::{Block, Graph, Operator, Tensor, TensorInfo, TensorKind},
    ops::{Deconv, Op},
    quant::Quantization,
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// The index of a tensor in [`Network::tensors`], and in the lists of the plans made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TensorIndex(pub usize);

/// Tensors and operators of a graph, or of a block within it, with propagated quantization.
pub(crate) struct Network {
    /// `None` if an index is unused.
    pub tensors: Vec<Option<TensorEntry>>,
    /// The operators, in the graph's order.
    pub operators: Vec<Operation>,
    /// The graph's inputs, or the block's arguments.
    pub inputs: Vec<TensorIndex>,
    /// The graph's variables, each with its next value and its first one.
    pub variables: Vec<Variable>,
    /// The index of the operator that computes each tensor.
    pub made_by: Vec<Option<usize>>,
}

/// A tensor.
#[derive(Clone)]
pub(crate) struct TensorEntry {
    pub ty: ValueType,
    pub type_text: String,
    /// The values of a coefficient, in the dtype of the graph.
    pub constant: Option<Array>,
}

impl TensorEntry {
    /// Returns the error that an input is not fed.
    pub fn not_fed(&self) -> Error {
        Cause::MissingData(format!("the input {:?} ({}) is not fed", self.ty.name, self.type_text)).into()
    }
}

/// A tensor that a run reads, and that the session replaces afterwards.
pub(crate) struct Variable {
    pub tensor: TensorIndex,
    pub next: TensorIndex,
    pub initial: Array,
}

/// The operator of the graph to which an operation of a plan belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Origin {
    pub operator: usize,
    /// The index of the call that added the operator: that of a spec's `ops`.
    pub call: usize,
}

/// A block that an operator owns, as a network of its own.
pub(crate) struct BlockNetwork {
    pub network: Network,
    /// The values that the block yields.
    pub results: Vec<TensorIndex>,
    /// The tensors of the enclosing network that the block uses, with their indices in `network`.
    pub captures: Vec<(TensorIndex, TensorIndex)>,
}

/// An operator with its operands and results; absent results are `None`.
#[derive(Clone)]
pub(crate) struct Operation {
    pub op: Op<TensorIndex>,
    pub results: Vec<Option<TensorIndex>>,
    pub origin: Origin,
    pub blocks: Vec<Arc<BlockNetwork>>,
}

impl Operation {
    /// Creates an operation without blocks.
    pub fn new(op: impl Into<Op<TensorIndex>>, results: Vec<Option<TensorIndex>>, origin: Origin) -> Operation {
        Operation { op: op.into(), results, origin, blocks: Vec::new() }
    }
    /// The results that are not absent.
    pub fn outputs(&self) -> impl Iterator<Item = TensorIndex> {
        self.results.iter().flatten().copied()
    }
    /// The operands, then the tensors that the blocks capture.
    pub fn operands(&self) -> impl Iterator<Item = TensorIndex> {
        let captures = self.blocks.iter().flat_map(|block| block.captures.iter().map(|(outer, _)| *outer));
        self.op.operands().map(|(_, t)| *t).chain(captures)
    }
}

impl Network {
    /// # Errors
    /// Returns an error if propagated quantizations contradict each other.
    pub fn new(graph: &Graph, precision: Precision) -> Result<Network> {
        let quantization = graph.propagated_quantization()?;
        let mut tensors = Vec::new();
        tensors.resize_with(graph.tensor_table().len(), || None);
        let variables: HashSet<Tensor> = graph.updates().iter().map(|(variable, _)| *variable).collect();
        let builder = Builder { graph, precision, quantization: &quantization, variables: &variables };
        let within_blocks = tensors_of_blocks(graph);
        for (t, info) in graph.tensors().filter(|(t, _)| !within_blocks.contains(t)) {
            tensors[t.index()] = Some(builder.entry(t, info));
        }
        let index = |t: Tensor| match within_blocks.contains(&t) {
            false => Ok(TensorIndex(t.index())),
            true => Err(Error::new(format!(
                "the tensor {:?} belongs to a block and is used outside of it; let the block return it",
                graph.tensor(t)?.name
            ))),
        };
        let mut operators = Vec::new();
        for (at, (operator, call)) in graph.operators().iter().zip(graph.body().call_indices()).enumerate() {
            operators.push(builder.operation(operator, Origin { operator: at, call }, &mut |t| index(t))?);
        }
        graph.outputs().iter().try_for_each(|t| index(*t).map(drop))?;
        let inputs = graph.inputs().iter().map(|t| index(*t)).collect::<Result<_>>()?;
        let mut network = Network::of(tensors, operators, inputs);
        for (tensor, next) in graph.updates() {
            let missing = || Error::from(Cause::ForeignTensor(tensor.index() as u32));
            let initial = graph.tensor(*tensor)?.data().cloned().ok_or_else(missing)?;
            network.variables.push(Variable { tensor: index(*tensor)?, next: index(*next)?, initial });
        }
        Ok(network)
    }

    fn of(tensors: Vec<Option<TensorEntry>>, operators: Vec<Operation>, inputs: Vec<TensorIndex>) -> Network {
        let mut made_by = vec![None; tensors.len()];
        for (at, operation) in operators.iter().enumerate() {
            operation.outputs().for_each(|t| made_by[t.0] = Some(at));
        }
        Network { tensors, operators, inputs, variables: Vec::new(), made_by }
    }
    /// Returns the tensors that a usual run is fed: the inputs and the variables.
    pub fn fed(&self) -> Vec<TensorIndex> {
        self.inputs.iter().copied().chain(self.variables()).collect()
    }
    /// Returns the variables.
    pub fn variables(&self) -> impl Iterator<Item = TensorIndex> {
        self.variables.iter().map(|v| v.tensor)
    }
    /// # Errors
    /// Returns an error if there is no such tensor.
    pub fn entry(&self, tensor: TensorIndex) -> Result<&TensorEntry> {
        entry(&self.tensors, tensor)
    }
}

/// Returns the arguments and the computed tensors of all blocks. They are not visible outside of them.
fn tensors_of_blocks(graph: &Graph) -> HashSet<Tensor> {
    let mut tensors = HashSet::new();
    for block in graph.operators().iter().flat_map(|operator| &operator.blocks) {
        tensors.extend(block.arguments());
        block.walk(&mut |operator| {
            tensors.extend(operator.outputs());
            operator.blocks.iter().for_each(|block| tensors.extend(block.arguments()));
        });
    }
    tensors
}

/// Converts a graph's operators and blocks.
struct Builder<'g> {
    graph: &'g Graph,
    precision: Precision,
    /// Of every tensor, by index in the graph.
    quantization: &'g [Option<Quantization>],
    /// Coefficients whose values are not constant.
    variables: &'g HashSet<Tensor>,
}

/// The tensors of a block's network.
#[derive(Default)]
struct Locals {
    tensors: Vec<Option<TensorEntry>>,
    indices: HashMap<Tensor, TensorIndex>,
    /// Tensors of enclosing blocks, in the order of their first use.
    captured: Vec<Tensor>,
}

impl Builder<'_> {
    fn entry(&self, tensor: Tensor, info: &TensorInfo) -> TensorEntry {
        let ty = ValueType {
            name: info.name.clone(),
            shape: info.shape.clone(),
            layout: Layout::Plain,
            dtype: info.dtype,
            quantization: self.quantization.get(tensor.index()).cloned().flatten(),
            precision: self.precision,
        };
        let constant = match &info.kind {
            TensorKind::Coefficient(data) if !self.variables.contains(&tensor) => data.clone(),
            _ => None,
        };
        TensorEntry { ty, type_text: info.type_text(), constant }
    }

    /// Converts an operator; `index` returns the index of a tensor in the network under construction.
    fn operation(
        &self,
        operator: &Operator,
        origin: Origin,
        index: &mut dyn FnMut(Tensor) -> Result<TensorIndex>,
    ) -> Result<Operation> {
        let op = operator.op.try_map(&mut |t: &Tensor| index(*t))?;
        let results = operator.results.iter().map(|t| t.map(&mut *index).transpose()).collect::<Result<_>>()?;
        let mut blocks = Vec::new();
        for block in &operator.blocks {
            let (mut inner, captured) = self.block(block, origin)?;
            for tensor in captured {
                inner.captures.push((index(tensor.0)?, tensor.1));
            }
            blocks.push(Arc::new(inner));
        }
        let op = self.with_layout(operator, op);
        Ok(Operation { op, results, origin, blocks })
    }

    /// Returns the op, stating that the filter of a transposed convolution has the order of a coefficient's if it is one. In a plan, computed
    /// tensors may become constants, and coefficients may be fed.
    fn with_layout(&self, operator: &Operator, op: Op<TensorIndex>) -> Op<TensorIndex> {
        let is_coefficient = |t: Tensor| self.graph.tensor(t).is_ok_and(TensorInfo::is_coefficient);
        match (&operator.op, op) {
            (Op::Deconv(of), Op::Deconv(op)) if is_coefficient(of.filter) => {
                Deconv { dynweight_reorderd: true, ..*op }.into()
            }
            (_, op) => op,
        }
    }

    /// Converts a block of the operator `origin`, by which errors name its operators. Returns the captured tensors too, with
    /// their indices in the block's network.
    fn block(&self, block: &Block, origin: Origin) -> Result<(BlockNetwork, Vec<(Tensor, TensorIndex)>)> {
        let mut locals = Locals::default();
        let inputs: Vec<TensorIndex> =
            block.arguments().iter().map(|t| self.local(&mut locals, *t)).collect::<Result<_>>()?;
        let mut operators = Vec::new();
        for operator in block.operators() {
            for t in operator.outputs() {
                self.local(&mut locals, t)?;
            }
            let at = Origin { operator: operators.len(), ..origin };
            operators.push(self.operation(operator, at, &mut |t| self.captured(&mut locals, t))?);
        }
        let results = block.results().iter().map(|t| self.captured(&mut locals, *t)).collect::<Result<_>>()?;
        let captured = locals.captured.iter().map(|t| (*t, locals.indices[t])).collect();
        let network = Network::of(locals.tensors, operators, inputs);
        Ok((BlockNetwork { network, results, captures: Vec::new() }, captured))
    }

    /// Adds a tensor of the block, or returns its index.
    fn local(&self, locals: &mut Locals, tensor: Tensor) -> Result<TensorIndex> {
        if let Some(index) = locals.indices.get(&tensor) {
            return Ok(*index);
        }
        let index = TensorIndex(locals.tensors.len());
        locals.tensors.push(Some(self.entry(tensor, self.graph.tensor(tensor)?)));
        locals.indices.insert(tensor, index);
        Ok(index)
    }

    /// Like [`Builder::local`], for a tensor that is captured unless the block has it already.
    fn captured(&self, locals: &mut Locals, tensor: Tensor) -> Result<TensorIndex> {
        if !locals.indices.contains_key(&tensor) {
            locals.captured.push(tensor);
        }
        self.local(locals, tensor)
    }
}

/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn entry(tensors: &[Option<TensorEntry>], tensor: TensorIndex) -> Result<&TensorEntry> {
    let entry = tensors.get(tensor.0).and_then(Option::as_ref);
    entry.ok_or_else(|| Error::from(Cause::ForeignTensor(tensor.0 as u32)))
}
