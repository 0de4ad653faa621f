//! The walk over a graph's nodes, each of which becomes operators, or a constant.
use super::{
    coefficient::{coefficient, may_saturate, saturated},
    fold,
    node::Node,
    operators,
    options::Options,
    patterns::{self, IntegersOf},
    proto,
    report::Report,
    tensors::{Element, TensorFiles},
    value::{Computed, Value, stored, stored_shape},
};
use crate::{
    Graph, Tensor, TensorKind,
    array::Array,
    base::{Dtype, Error, Result, Shape, invalid, misfit},
    emit::{Emit, ints},
    ops::{Op, Reshape},
};
use std::collections::{HashMap, HashSet};

/// Computes the outputs of a graph without inputs, by name.
pub type Evaluate<'e> = dyn Fn(&Graph) -> Result<indexmap::IndexMap<String, Array>> + 'e;

/// Maximum depth of branches and bodies within each other.
const MAX_DEPTH: usize = 50;

/// Maximum number of nodes that are converted, those of bodies as often as these are written out or tried.
const MAX_NODES: usize = 500_000;

/// Bytes of constants that may be computed while a model is read, in addition to those for its initializers ([`ROOM_PER_BYTE`]).
const ROOM: usize = 4 << 30;

/// Bytes that may be computed for each byte of an initializer.
const ROOM_PER_BYTE: usize = 8;

/// What is the same for all graphs of a model.
pub struct Model<'m> {
    pub evaluate: &'m Evaluate<'m>,
    pub options: &'m Options,
}

/// Why an attempt failed, and the nodes that it refused.
pub struct Failed {
    pub error: Error,
    pub refused: Report,
}

/// Builds a graph from nodes.
pub struct Importer<'m> {
    pub graph: Graph,
    pub model: &'m Model<'m>,
    files: &'m mut TensorFiles,
    /// Values by name, those of the innermost graph last. `None` is the result of a node that could not be converted.
    scopes: Vec<HashMap<&'m str, Option<Value>>>,
    pub report: Report,
    /// The number of nodes that were converted.
    nodes: usize,
    /// Bytes of constants that may still be computed while the model is read.
    room: usize,
    /// Names of the model's outputs.
    outputs: HashSet<&'m str>,
    /// The integers that coefficients were dequantized from.
    integers: IntegersOf,
    /// The initializers of graphs that have been converted, since a body may be converted several times.
    initializers: HashMap<*const proto::Graph, Vec<(&'m str, Value)>>,
    /// Bodies of loops that must be written out.
    pub unrolled: HashSet<*const proto::Graph>,
    /// Whether constants of the node at hand may saturate to 32 bits.
    may_saturate: bool,
}

impl Emit for Importer<'_> {
    fn graph(&self) -> &Graph {
        &self.graph
    }
    fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }
}

impl<'m> Importer<'m> {
    pub fn new(name: &str, model: &'m Model<'m>, files: &'m mut TensorFiles) -> Result<Importer<'m>> {
        Ok(Importer {
            graph: Graph::new(name)?,
            model,
            files,
            scopes: vec![HashMap::new()],
            report: Report::default(),
            nodes: 0,
            room: ROOM,
            outputs: HashSet::new(),
            integers: IntegersOf::new(),
            initializers: HashMap::new(),
            unrolled: HashSet::new(),
            may_saturate: false,
        })
    }

    /// Reads the model's graph: its initializers, inputs, nodes and outputs.
    pub fn main_graph(&mut self, graph: &'m proto::Graph) -> Result<()> {
        self.initializers(graph)?;
        self.outputs = graph.output.iter().map(|output| output.name.as_str()).collect();
        for input in &graph.input {
            // Old files list initializers among the inputs.
            if !self.scopes[0].contains_key(input.name.as_str()) {
                let value = self.input(input).map_err(|e| misfit(format!("the input {:?}", input.name), e))?;
                self.define(&input.name, Some(value));
            }
        }
        self.nodes(&graph.node)?;
        self.report.check()?;
        let mut outputs = Vec::new();
        for output in &graph.output {
            let tensor = self.output(&output.name).map_err(|e| misfit(format!("the output {:?}:", output.name), e))?;
            if !outputs.contains(&tensor) {
                outputs.push(tensor);
            }
        }
        self.graph.set_outputs(&outputs)?;
        // Also removes results that a converter returned and nobody reads.
        patterns::recognize(&mut self.graph, &self.integers)
    }

    fn initializers(&mut self, graph: &'m proto::Graph) -> Result<()> {
        let known = match self.initializers.get(&std::ptr::from_ref(graph)) {
            Some(known) => known.clone(),
            None => {
                let read = self.read_initializers(graph)?;
                self.initializers.insert(graph, read.clone());
                read
            }
        };
        known.into_iter().for_each(|(name, value)| self.define(name, Some(value)));
        Ok(())
    }

    fn read_initializers(&mut self, graph: &'m proto::Graph) -> Result<Vec<(&'m str, Value)>> {
        let mut read = Vec::new();
        for tensor in &graph.initializer {
            let array =
                self.files.array(tensor).map_err(|e| misfit(format!("the initializer {:?}:", tensor.name), e))?;
            let element = Element::of(tensor.data_type)?;
            let value = Value::initializer(&tensor.name, array, element);
            self.room = self.room.saturating_add(fold::bytes([&value]).saturating_mul(ROOM_PER_BYTE));
            read.push((tensor.name.as_str(), value));
        }
        for sparse in &graph.sparse_initializer {
            let name = sparse.values.as_ref().map_or("", |v| v.name.as_str());
            let array = self.sparse(sparse).map_err(|e| misfit(format!("the initializer {name:?}:"), e))?;
            let element = Element::Whole(array.dtype());
            let value = Value::initializer(name, array, element);
            read.push((name, value));
        }
        Ok(read)
    }

    /// Counts bytes of constants that are not in the file.
    fn take_room(&mut self, bytes: usize) -> Result<()> {
        self.room = self.room.checked_sub(bytes).ok_or_else(|| {
            let limit = format!("{} GiB and {ROOM_PER_BYTE} times the initializers", ROOM >> 30);
            invalid(format!("the constants computed while the model is read would take more than {limit}"))
        })?;
        Ok(())
    }

    /// Returns the array of a tensor in an attribute.
    pub fn array(&mut self, tensor: &proto::Tensor) -> Result<Array> {
        self.files.array(tensor)
    }

    /// Returns a sparse tensor as an ordinary array.
    pub fn sparse(&mut self, sparse: &proto::SparseTensor) -> Result<Array> {
        let (Some(values), Some(indices)) = (&sparse.values, &sparse.indices) else {
            return Err(invalid("a sparse tensor has no values or no indices"));
        };
        let (values, indices) = (self.files.array(values)?, self.files.array(indices)?);
        let shape = crate::base::Ints::from(&sparse.dims).to_shape()?;
        let elements = crate::base::elements(&shape, values.dtype())?;
        self.take_room(elements.saturating_mul(values.dtype().size()))?;
        let mut all = crate::array::zeros(elements)?;
        let at = indices.to_f64()?;
        // Each index is one number, or one for each axis.
        let axes: &[usize] = if indices.shape().len() == 2 { &shape } else { &[elements] };
        let width = axes.len().max(1);
        if at.len() != values.len().saturating_mul(width) {
            let given = format!("{} indices for {} values", at.len() / width, values.len());
            return Err(invalid(format!("a sparse tensor has {given}")));
        }
        for (value, at) in values.to_f64()?.into_iter().zip(at.chunks(width)) {
            let inside = |i: f64, size: usize| (0.0..size as f64).contains(&i).then_some(i as usize);
            let flat = at.iter().zip(axes).try_fold(0, |flat, (i, size)| Some(flat * size + inside(*i, *size)?));
            let outside = || invalid(format!("the index {at:?} of a sparse tensor is outside of its shape, {shape:?}"));
            *flat.and_then(|flat| all.get_mut(flat)).ok_or_else(outside)? = value;
        }
        Array::from_f64s(values.dtype(), shape, all.into_iter())
    }

    fn input(&mut self, info: &proto::ValueInfo) -> Result<Value> {
        let Some(tensor) = info.r#type.as_ref().and_then(|t| t.tensor_type.as_ref()) else {
            return Err(invalid("is not a tensor; sequences, maps and optional values are not supported as inputs"));
        };
        let dtype = Element::of(tensor.elem_type).map_err(|e| invalid(format!("cannot be fed: {e}")))?.dtype();
        let shape = self.model.options.input_shape(&info.name, tensor.shape.as_ref())?;
        let tensor = self.graph.input(&info.name, stored(dtype), stored_shape(&shape))?;
        Ok(Value::Computed(Computed { tensor, shape, dtype }))
    }

    /// Returns the tensor for a result of the model. An output must be computed, under its own name.
    fn output(&mut self, name: &str) -> Result<Tensor> {
        let value = self.lookup(name)?.ok_or_else(|| invalid("it cannot be computed"))?;
        let tensor = self.tensor(&value)?;
        let info = self.graph.tensor(tensor)?;
        if info.name == name && info.kind == TensorKind::Value {
            return Ok(tensor);
        }
        let (shape, is_coefficient) = (info.shape.clone(), info.is_coefficient());
        // The name may be taken by the tensor that the output equals. An input keeps it.
        if is_coefficient && self.graph.lookup(name) == Some(tensor) {
            let other = self.graph.free_name(&format!("{name}_value"));
            self.graph.rename(tensor, &other)?;
        }
        let made = self.op(Reshape { shape: Some(ints(&shape)), ..Reshape::new(tensor) })?;
        if self.graph.lookup(name).is_none() {
            self.graph.rename(made, name)?;
        }
        Ok(made)
    }

    pub fn define(&mut self, name: &'m str, value: Option<Value>) {
        if let (false, Some(scope)) = (name.is_empty(), self.scopes.last_mut()) {
            scope.insert(name, value);
        }
    }

    /// Returns the value with a name; `None` if the node that computes it could not be converted.
    pub fn lookup(&self, name: &str) -> Result<Option<Value>> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found.cloned().ok_or_else(|| invalid(format!("no node before it computes {name:?}")))
    }

    /// Converts nodes in order. What cannot be converted is reported at the end, all at once.
    pub fn nodes(&mut self, nodes: &'m [proto::Node]) -> Result<()> {
        for node in nodes {
            let before = self.report.len();
            match self.node(node) {
                Ok(results) => {
                    for (name, result) in node.output.iter().zip(results) {
                        self.define(name, result);
                    }
                }
                Err(e) => {
                    // What a body contains is reported by itself.
                    if self.report.len() == before {
                        self.report.refuse(node, e)?;
                    }
                    node.output.iter().for_each(|name| self.define(name, None));
                }
            }
        }
        Ok(())
    }

    /// Converts a node. Returns its results; `None` for those that follow from a node that could not be converted.
    fn node(&mut self, proto: &'m proto::Node) -> Result<Vec<Option<Value>>> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let problem = format!("more than {MAX_NODES} nodes would be converted, with the copies of loops' bodies");
            return Err(invalid(problem));
        }
        let mut inputs = Vec::with_capacity(proto.input.len());
        for name in &proto.input {
            inputs.push(match name.as_str() {
                "" => None,
                name => match self.lookup(name)? {
                    Some(value) => Some(value),
                    None => return Ok(vec![None; proto.output.len()]),
                },
            });
        }
        let node = Node::new(proto, inputs, proto.version);
        let convert = operators::find(proto)?;
        let outer = std::mem::replace(&mut self.may_saturate, may_saturate(&node));
        let results = match fold::is_foldable(&node) {
            true => fold::fold(self, &node, convert),
            false => self.converted(&node, convert),
        };
        self.may_saturate = outer;
        let results = results?;
        self.take_room(fold::bytes(&results).saturating_sub(fold::bytes(node.inputs.iter().flatten())))?;
        Ok(results.into_iter().map(Some).collect())
    }

    /// Adds the operators of a node; its results get their names of ONNX.
    fn converted(&mut self, node: &Node<'m>, convert: operators::Convert) -> Result<Vec<Value>> {
        let before = self.graph.tensor_table().len();
        let results = node.converted(|node| convert(self, node))?;
        let scope = self.model.options.scopes.then(|| scope(node.proto)).flatten();
        for (name, result) in node.proto.output.iter().zip(&results) {
            let Value::Computed(c) = result else { continue };
            let is_new = c.tensor.index() >= before && !name.is_empty();
            let name = match &scope {
                Some(scope) if !self.outputs.contains(name.as_str()) => &format!("{scope}/{name}"),
                _ => name,
            };
            if is_new && self.graph.lookup(name).is_none() {
                self.graph.rename(c.tensor, name)?;
            }
        }
        Ok(results)
    }

    /// Runs `build` with an empty graph, which is returned beside its result.
    pub fn in_graph_of_its_own<R>(&mut self, build: impl FnOnce(&mut Self) -> Result<R>) -> Result<(R, Graph)> {
        let outer = std::mem::replace(&mut self.graph, Graph::new("folded")?);
        let result = build(self);
        let inner = std::mem::replace(&mut self.graph, outer);
        result.map(|result| (result, inner))
    }

    /// Runs `build` with the graph, which is taken out of the importer: a call that builds blocks lends it to closures.
    pub fn with_graph<R>(&mut self, build: impl FnOnce(&mut Self, &mut Graph) -> Result<R>) -> Result<R> {
        let mut graph = std::mem::replace(&mut self.graph, Graph::new("lent")?);
        let result = build(self, &mut graph);
        self.graph = graph;
        result
    }
    /// Runs `build` with a graph that a closure is lent.
    pub fn within<R>(&mut self, graph: &mut Graph, build: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        std::mem::swap(&mut self.graph, graph);
        let result = build(self);
        std::mem::swap(&mut self.graph, graph);
        result
    }
    /// Runs `build` as a transaction of the graph. If it fails, returns why, and what it refused.
    pub fn attempt<R>(&mut self, build: impl FnOnce(&mut Self) -> Result<R>) -> Result<Result<R, Failed>> {
        let (scopes, refused) = (self.scopes.len(), self.report.len());
        self.with_graph(|b, graph| {
            let result = graph.atomic(|graph| b.within(graph, build));
            b.scopes.truncate(scopes);
            let refused = b.report.split_off(refused);
            Ok(result.map_err(|error| Failed { error, refused }))
        })
    }

    /// Converts the nodes of a branch or a body, whose inputs have these values. Returns the values of its outputs.
    pub fn subgraph(&mut self, graph: &'m proto::Graph, inputs: &[Value]) -> Result<Vec<Value>> {
        if graph.input.len() != inputs.len() {
            return Err(invalid(format!("its body has {} inputs; it is given {}", graph.input.len(), inputs.len())));
        }
        if self.scopes.len() > MAX_DEPTH {
            return Err(invalid(format!("graphs are nested deeper than {MAX_DEPTH}")));
        }
        self.scopes.push(HashMap::new());
        let result = self.values_of(graph, inputs);
        self.scopes.pop();
        result
    }
    fn values_of(&mut self, graph: &'m proto::Graph, inputs: &[Value]) -> Result<Vec<Value>> {
        self.initializers(graph)?;
        for (info, value) in graph.input.iter().zip(inputs) {
            self.define(&info.name, Some(value.clone()));
        }
        self.nodes(&graph.node)?;
        let outputs = graph.output.iter();
        let value = |name: &str| self.lookup(name)?.ok_or_else(|| invalid("a node of its body cannot be converted"));
        outputs.map(|info| value(&info.name)).collect()
    }

    // What converters need beside `Emit`.

    /// Returns the tensor that holds a value. A constant becomes a coefficient.
    pub fn tensor(&mut self, value: &Value) -> Result<Tensor> {
        match value {
            Value::Computed(c) => Ok(c.tensor),
            Value::Sequence(_) => Err(invalid("it takes a tensor, but is given a sequence")),
            Value::Constant(constant) => {
                // A block that failed takes its coefficients with it.
                if let Some(tensor) = constant.tensor.get().filter(|t| self.graph.tensor(*t).is_ok()) {
                    return Ok(tensor);
                }
                let name = constant.name.as_deref().filter(|name| self.graph.lookup(name).is_none());
                let name = name.map_or_else(|| self.graph.free_name("constant"), str::to_owned);
                let (array, is_changed) = match coefficient(&constant.array) {
                    Err(_) if self.may_saturate && !constant.array.is_empty() => (saturated(&constant.array)?, true),
                    other => (other?, false),
                };
                let tensor = self.graph.coefficient(&name, array)?;
                // Other nodes must not read other numbers.
                constant.tensor.set((!is_changed).then_some(tensor));
                if let Some(integers) = &constant.integers {
                    self.integers.insert(tensor, integers.clone());
                }
                Ok(tensor)
            }
        }
    }
    pub fn tensors(&mut self, values: &[&Value]) -> Result<Vec<Tensor>> {
        values.iter().map(|value| self.tensor(value)).collect()
    }
    pub fn optional_tensor(&mut self, value: Option<&Value>) -> Result<Option<Tensor>> {
        value.map(|value| self.tensor(value)).transpose()
    }

    /// Returns a tensor as a value of its own shape.
    pub fn value(&self, tensor: Tensor, dtype: Dtype) -> Result<Value> {
        Ok(Value::Computed(Computed { tensor, shape: self.shape(tensor)?, dtype }))
    }
    /// Returns a tensor as a value with as many axes as `like` has: a single number may have none.
    pub fn value_like(&self, tensor: Tensor, like: &Value) -> Result<Value> {
        Ok(Value::Computed(Computed { tensor, shape: like.shape(), dtype: like.dtype() }))
    }
    /// Returns a tensor with the elements of `shape` as a value of that shape, reshaped if necessary.
    pub fn shaped(&mut self, tensor: Tensor, shape: &[usize], dtype: Dtype) -> Result<Value> {
        let tensor = self.reshape(tensor, &stored_shape(shape))?;
        Ok(Value::Computed(Computed { tensor, shape: shape.to_vec(), dtype }))
    }

    /// Adds an operator whose result has the shape and dtype of a value.
    pub fn unary(&mut self, x: &Value, op: impl FnOnce(Tensor) -> Op<Tensor>) -> Result<Vec<Value>> {
        let input = self.tensor(x)?;
        let y = self.op(op(input))?;
        Ok(vec![self.value_like(y, x)?])
    }

    /// Returns the entries of the first axis, without it.
    pub fn steps(&mut self, x: Tensor, count: usize) -> Result<Vec<Tensor>> {
        let rest = self.shape(x)?[1..].to_vec();
        self.entries(x, count)?.into_iter().map(|entry| self.reshape(entry, &rest)).collect()
    }
    /// Like [`Importer::steps`], but each keeps the first axis, with size 1.
    pub fn entries(&mut self, x: Tensor, count: usize) -> Result<Vec<Tensor>> {
        match count {
            1 => Ok(vec![x]),
            _ => self.graph.op(crate::ops::Split::new(x, 0, count as i64)).call(),
        }
    }

    /// Returns the tensor of a value as floats.
    pub fn float_tensor(&mut self, value: &Value) -> Result<Tensor> {
        let tensor = self.tensor(value)?;
        self.real(tensor)
    }
}

/// Returns the module that a node is from: `encoder/layer/0`. PyTorch records the path to it, and last the node itself:
/// `['', 'encoder', 'encoder.layer', 'encoder.layer.0', 'gelu']`.
fn scope(node: &proto::Node) -> Option<String> {
    let entry = node.metadata_props.iter().find(|entry| entry.key == "pkg.torch.onnx.name_scopes")?;
    let path = entry.value.trim_matches(['[', ']']).rsplit(',').nth(1)?.trim().trim_matches('\'');
    (!path.is_empty()).then(|| path.replace('.', "/"))
}

/// The shape of ONNX that results from broadcasting.
pub fn broadcast(shapes: &[Shape]) -> Result<Shape> {
    let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
    let mut result = vec![1; rank];
    for shape in shapes {
        for (to, &d) in result[rank - shape.len()..].iter_mut().zip(shape) {
            match (*to, d) {
                (a, b) if a == b || b == 1 => {}
                (1, b) => *to = b,
                (a, b) => {
                    let all: Vec<_> = shapes.iter().map(|shape| crate::base::shape_text(shape)).collect();
                    let all = all.join(" and ");
                    return Err(invalid(format!("the shapes {all} cannot be broadcast together: {a} and {b} differ")));
                }
            }
        }
    }
    Ok(result)
}
