//! A graph's operators in execution order, each with its origin, its scope and what it costs.
use crate::{
    base::{Error, shape_text},
    graph::{Block, Graph, MadeBy, Operator, RecordedCall, Tensor, TensorInfo},
    groups::{self, Group, GroupId},
    memory::Memory,
    ops::{Value, Work},
    quant::Quantization,
    statistics::Statistics,
};
use std::collections::{HashMap, HashSet};

/// A network to be shown: a graph's operators in execution order, grouped by scope.
#[derive(Clone)]
pub struct Network<'g> {
    pub(crate) graph: &'g Graph,
    /// In execution order. An operator's blocks precede it, since it returns their results.
    pub(crate) nodes: Vec<Node<'g>>,
    /// The root is first; every other group comes after the one that contains it.
    pub(crate) groups: Vec<Group>,
    /// The inputs, and the arguments of blocks, each with the group in which it is shown.
    pub(crate) arguments: Vec<(Tensor, GroupId)>,
    pub(crate) memory: Memory,
    /// Of the coefficients whose data were read.
    pub(crate) statistics: HashMap<Tensor, Statistics>,
    /// By tensor.
    quantization: Vec<Option<Quantization>>,
}

/// An operator of a network.
#[derive(Clone)]
pub(crate) struct Node<'g> {
    pub operator: &'g Operator,
    /// The function whose call added it; `None` for a call of the op itself.
    pub function: Option<&'static str>,
    /// The line of the spec with that call.
    pub line: Option<u32>,
    pub group: GroupId,
    /// Index of the first node of its blocks, or its own.
    pub first: usize,
    pub costs: Costs,
}

/// What an operator or a group costs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Costs {
    pub operators: usize,
    /// Elements of the coefficients that no earlier operator uses.
    pub parameters: u64,
    pub work: Work,
    /// Milliseconds, if it was profiled.
    pub time: Option<f64>,
}

impl Costs {
    pub fn add(&mut self, other: &Costs) {
        self.operators += other.operators;
        self.parameters = self.parameters.saturating_add(other.parameters);
        self.work = [self.work, other.work].into_iter().sum();
        self.time = match (self.time, other.time) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}

impl<'g> Network<'g> {
    /// Prepares a graph to be shown.
    pub fn new(graph: &'g Graph) -> Self {
        let mut collected =
            Collected { graph, nodes: Vec::new(), inside: Vec::new(), blocks: Vec::new(), seen: HashSet::new() };
        collected.block(graph.body(), None);
        let Collected { mut nodes, inside, blocks, .. } = collected;
        let (groups, of_blocks) = groups::of_scopes(graph, &mut nodes, &inside, &blocks);
        let inputs = graph.inputs().iter().map(|t| (*t, groups::ROOT));
        let of_block = |(owned, id): (&OwnedBlock<'g>, GroupId)| owned.block.arguments().iter().map(move |t| (*t, id));
        let arguments = inputs.chain(blocks.iter().zip(of_blocks).flat_map(of_block)).collect();
        let memory = Memory::of(graph, &nodes);
        let quantization = graph
            .propagated_quantization()
            .unwrap_or_else(|_| graph.tensor_table().iter().map(|t| t.as_ref()?.quantization.clone()).collect());
        Network { graph, nodes, groups, arguments, memory, statistics: HashMap::new(), quantization }
    }

    /// Returns the tensor of a handle, which is one of the graph's.
    pub(crate) fn tensor(&self, tensor: Tensor) -> Option<&'g TensorInfo> {
        self.graph.tensor(tensor).ok()
    }
    pub(crate) fn tensor_name(&self, tensor: Tensor) -> &'g str {
        self.tensor(tensor).map_or("", |info| &info.name)
    }
    /// Returns shape and dtype: `1x3x32x32 float32`.
    pub(crate) fn type_text(&self, tensor: Tensor) -> String {
        self.tensor(tensor).map_or_else(String::new, |info| format!("{} {}", shape_text(&info.shape), info.dtype))
    }
    /// Returns scale and zero point, if it has them.
    pub(crate) fn quantization(&self, tensor: Tensor) -> Option<&Quantization> {
        self.quantization.get(tensor.index())?.as_ref()
    }
    /// Returns the name of an operator: that of its first result.
    pub(crate) fn name(&self, node: &Node<'g>) -> &'g str {
        name(self.graph, node.operator)
    }
    /// Returns the name within its group.
    pub(crate) fn short_name(&self, node: &Node<'g>) -> &'g str {
        groups::last_part(self.name(node))
    }
    /// Returns the tensors that flow into an operator: operands that are no coefficients, and the results of its blocks.
    pub(crate) fn sources(&self, node: &Node<'g>) -> Vec<Tensor> {
        let operands = node.operator.op.operands().map(|(_, t)| *t);
        let results = node.operator.blocks.iter().flat_map(Block::results).copied();
        let is_value = |t: &Tensor| self.tensor(*t).is_some_and(|info| !info.is_coefficient());
        operands.chain(results).filter(is_value).collect()
    }
    pub(crate) fn total(&self) -> Costs {
        self.groups[0].costs
    }
}

/// Returns the name of an operator: that of its first result.
pub(crate) fn name<'g>(graph: &'g Graph, operator: &Operator) -> &'g str {
    operator.outputs().next().and_then(|t| graph.tensor(t).ok()).map_or("", |info| &info.name)
}

/// A block of an operator, and its nodes.
pub(crate) struct OwnedBlock<'g> {
    pub block: &'g Block,
    /// `then_branch`.
    pub name: &'static str,
    /// The block around its owner.
    pub around: Option<usize>,
    /// Index of its first node, or of the next one if it has none.
    pub first: usize,
    pub owner: &'g Operator,
}

struct Collected<'g> {
    graph: &'g Graph,
    nodes: Vec<Node<'g>>,
    /// For each node, the index of the block around it.
    inside: Vec<Option<usize>>,
    blocks: Vec<OwnedBlock<'g>>,
    /// The coefficients that were counted.
    seen: HashSet<Tensor>,
}

impl<'g> Collected<'g> {
    /// Adds the operators of a block; `inside` is its index among the owned ones.
    fn block(&mut self, block: &'g Block, inside: Option<usize>) {
        for (call, operators) in block.calls() {
            let (function, line) = origin(&call);
            for operator in operators {
                let first = self.nodes.len();
                for (owned, name) in operator.blocks.iter().zip(operator.op.def().blocks) {
                    let (around, first) = (inside, self.nodes.len());
                    self.blocks.push(OwnedBlock { block: owned, name, around, first, owner: operator });
                    self.block(owned, Some(self.blocks.len() - 1));
                }
                let costs = self.costs(operator);
                self.nodes.push(Node { operator, function, line, group: groups::ROOT, first, costs });
                self.inside.push(inside);
            }
        }
    }
    fn costs(&mut self, operator: &Operator) -> Costs {
        let mut parameters = 0u64;
        for (_, &tensor) in operator.op.operands() {
            let size = self.graph.tensor(tensor).ok().filter(|info| info.is_coefficient()).map(TensorInfo::elements);
            if let Some(size) = size
                && self.seen.insert(tensor)
            {
                parameters = parameters.saturating_add(size as u64);
            }
        }
        Costs { operators: 1, parameters, work: work(self.graph, operator).unwrap_or_default(), time: None }
    }
}

fn origin(call: &RecordedCall) -> (Option<&'static str>, Option<u32>) {
    let function = match &call.made_by {
        MadeBy::Function(function) => Some(function.function()),
        MadeBy::Op => None,
    };
    (function, call.line.map(Into::into))
}

/// Returns the work of an operator, in the dtypes of its tensors.
fn work(graph: &Graph, operator: &Operator) -> Option<Work> {
    let value = |tensor: &Tensor| {
        let info = graph.tensor(*tensor)?;
        let (shape, dtype) = (&info.shape[..], info.dtype);
        Ok(Value { display_name: "", shape, dtype, coefficient: info.is_coefficient(), data: None })
    };
    let op = operator.op.try_map::<_, Error>(&mut |tensor| value(tensor)).ok()?;
    let results: Vec<Value> = operator.outputs().filter_map(|tensor: Tensor| value(&tensor).ok()).collect();
    Work::of(&op, &results)
}
