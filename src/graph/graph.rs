use super::{
    Arity, Attribute, Attributes, Cause, Dtype, Error, OpDef, Preprocess, RecordedCall, Result, Shape, Tensor,
    TensorInfo, TensorKind, argument, check_name, elements, nearest, op_def,
};
use crate::{
    array::Array,
    ops::{self, Inference},
    quant::{self, Quantization},
};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// What the emitted module is: float, or quantized already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Module state `TOP_F32`.
    #[default]
    F32,
    /// Module state `TOP_QUANTIZED`.
    Quantized,
}

impl Mode {
    /// The module's state attribute, which is also part of the weight file's name.
    pub fn state(self) -> &'static str {
        match self {
            Mode::F32 => "TOP_F32",
            Mode::Quantized => "TOP_QUANTIZED",
        }
    }
}

/// One operation of the graph: an op of the Top dialect with its operands.
#[derive(Debug, Clone, PartialEq)]
pub struct Operator {
    /// Its definition.
    pub op: &'static OpDef,
    /// Operands in the definition's order; `None` where one is absent.
    pub operands: Vec<Option<Tensor>>,
    /// Attributes, complete.
    pub attributes: Attributes,
    /// Results.
    pub results: Vec<Tensor>,
}

impl PartialEq for OpDef {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

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
#[derive(Debug, Clone)]
pub struct Graph {
    name: String,
    /// Whether it is emitted as float or quantized module.
    pub mode: Mode,
    tensors: Vec<TensorInfo>,
    by_name: HashMap<String, Tensor>,
    operators: Vec<Operator>,
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
    pub(crate) calls: Vec<RecordedCall>,
    /// Names of the coefficients that calls made of scalars.
    pub(crate) scalar_coefficients: HashSet<String>,
    scope: String,
    /// Tensors as they were before the call in progress changed them.
    undo: Vec<(Tensor, TensorInfo)>,
}

/// How far the graph had grown, to return to when a call fails.
pub(crate) struct Mark {
    tensors: usize,
    pub operators: usize,
    inputs: usize,
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
            let shown: String = name.chars().take(60).collect();
            let expected = "expected 1 to 200 letters, digits, _, - or ., not beginning with a dot";
            return Err(argument("the name of the model", format!("{shown:?}"), expected));
        }
        Ok(Graph {
            name,
            mode: Mode::default(),
            tensors: Vec::new(),
            by_name: HashMap::new(),
            operators: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            calls: Vec::new(),
            scalar_coefficients: HashSet::new(),
            scope: String::new(),
            undo: Vec::new(),
        })
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Inputs, in order.
    pub fn inputs(&self) -> &[Tensor] {
        &self.inputs
    }
    /// Outputs, in order.
    pub fn outputs(&self) -> &[Tensor] {
        &self.outputs
    }
    /// Operators, in order.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }
    /// All tensors with their handles, in order of creation.
    pub fn tensors(&self) -> impl Iterator<Item = (Tensor, &TensorInfo)> {
        self.tensors.iter().enumerate().map(|(i, t)| (Tensor(i as u32), t))
    }
    /// Number of elements of all coefficients.
    pub fn parameters(&self) -> usize {
        self.tensors.iter().filter(|t| matches!(t.kind, TensorKind::Coefficient(_))).map(TensorInfo::elements).sum()
    }
    /// What is known of a tensor.
    ///
    /// # Errors
    /// The handle is of another graph.
    pub fn tensor(&self, tensor: Tensor) -> Result<&TensorInfo> {
        self.tensors.get(tensor.0 as usize).ok_or_else(|| Cause::ForeignTensor(tensor.0).into())
    }
    /// The tensor of that name, within the current scope or by its full name.
    ///
    /// # Errors
    /// There is none; the message suggests the nearest.
    pub fn find(&self, name: &str) -> Result<Tensor> {
        let scoped = (!self.scope.is_empty()).then(|| self.by_name.get(&format!("{}{name}", self.scope))).flatten();
        scoped.or_else(|| self.by_name.get(name)).copied().ok_or_else(|| {
            let known = self.tensors.iter().map(|t| t.name.as_str());
            Cause::UnknownName { kind: "tensor", name: name.into(), nearest: nearest(name, known) }.into()
        })
    }

    /// Adds an input.
    ///
    /// # Errors
    /// The name is taken, or the shape impossible.
    pub fn input(&mut self, name: &str, dtype: Dtype, shape: impl Into<Shape>) -> Result<Tensor> {
        let tensor = self.add_tensor(Some(name), dtype, shape.into(), TensorKind::Input)?;
        self.inputs.push(tensor);
        Ok(tensor)
    }
    /// Adds a coefficient with its data.
    ///
    /// # Errors
    /// The name is taken, or the shape impossible.
    pub fn coefficient(&mut self, name: &str, data: impl Into<Array>) -> Result<Tensor> {
        let data = data.into();
        self.add_tensor(Some(name), data.dtype(), data.shape().to_vec(), TensorKind::Coefficient(Some(data)))
    }
    /// Declares a coefficient whose data are not at hand: it can be checked but neither emitted nor run.
    ///
    /// # Errors
    /// The name is taken, or the shape impossible.
    pub fn coefficient_without_data(&mut self, name: &str, dtype: Dtype, shape: impl Into<Shape>) -> Result<Tensor> {
        self.add_tensor(Some(name), dtype, shape.into(), TensorKind::Coefficient(None))
    }
    /// Says which tensors are the network's outputs.
    ///
    /// # Errors
    /// None is given, or one occurs twice.
    pub fn set_outputs(&mut self, outputs: &[Tensor]) -> Result<()> {
        if outputs.is_empty() {
            return Err(argument("outputs", "empty", "a network needs at least one output"));
        }
        for (i, &t) in outputs.iter().enumerate() {
            let info = self.tensor(t)?;
            if outputs[..i].contains(&t) {
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
        self.outputs = outputs.to_vec();
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
        if sorted(inputs) != sorted(&self.inputs) {
            return Err(argument("inputs", "not the graph's inputs", "the same tensors in another order"));
        }
        self.inputs = inputs.to_vec();
        Ok(())
    }
    /// Runs `build` with every name made in it prefixed by `name/`.
    ///
    /// # Errors
    /// Those of `build`.
    pub fn scope<R>(&mut self, name: &str, build: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        check_name(name)?;
        let outer = self.scope.clone();
        self.scope = format!("{outer}{name}/");
        let result = build(self);
        self.scope = outer;
        result
    }
    /// Sets a tensor's quantization, or checks that it agrees with what was set before.
    ///
    /// # Errors
    /// The dtype is not an 8- or 16-bit integer, or the values contradict earlier ones.
    pub fn quantize(&mut self, tensor: Tensor, quantization: &Quantization) -> Result<()> {
        let info = self.tensor(tensor)?;
        if let Some(merged) = quantization.merge_into(info)? {
            self.change(tensor, |t| t.quantization = Some(merged));
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
        let def = op_def("Input").ok_or_else(|| Cause::Syntax("the op table has no Input".into()))?;
        Attributes::new(def, crate::mlir::preprocess_attributes(&preprocess, &info.shape))?;
        self.change(tensor, |t| t.preprocess = Some(preprocess));
        Ok(())
    }

    /// Inserts an operator: checks it against its definition, infers the shapes and adds the results.
    /// `results` gives name (or none, then one is made) and dtype of each.
    ///
    /// # Errors
    /// An operand or attribute that does not fit the op's definition, or shapes that do not fit together.
    pub fn insert(
        &mut self,
        op: &str,
        operands: &[Option<Tensor>],
        attributes: impl IntoIterator<Item = (impl AsRef<str>, Attribute)>,
        results: &[(Option<&str>, Dtype)],
    ) -> Result<Vec<Tensor>> {
        let def = op_def(op).ok_or_else(|| Cause::UnknownName {
            kind: "op",
            name: format!("top.{op}"),
            nearest: nearest(op, super::OPS.iter().map(|o| o.name)),
        })?;
        check_operands(def, operands)?;
        let attributes = Attributes::new(def, attributes)?;
        let infos = operands.iter().map(|o| o.map(|t| self.tensor(t)).transpose()).collect::<Result<Vec<_>>>()?;
        let shapes =
            ops::infer(&Inference { op: def, operands: infos, attributes: &attributes, results: results.len() })?;
        if shapes.len() != results.len() {
            let problem = format!("it has {} results, {} were named", shapes.len(), results.len());
            return Err(Cause::Operator { op: op.into(), problem }.into());
        }
        let mark = self.mark();
        let mut handles = Vec::with_capacity(shapes.len());
        for (shape, (name, dtype)) in shapes.into_iter().zip(results) {
            match self.add_tensor(*name, *dtype, shape, TensorKind::Value) {
                Ok(tensor) => handles.push(tensor),
                Err(error) => {
                    self.rewind(mark);
                    return Err(error);
                }
            }
        }
        self.operators.push(Operator { op: def, operands: operands.to_vec(), attributes, results: handles.clone() });
        Ok(handles)
    }

    /// Every tensor's quantization after propagation through the transparent ops, forth and back.
    ///
    /// # Errors
    /// Two propagated quantizations contradict each other.
    pub fn propagated_quantization(&self) -> Result<Vec<Option<Quantization>>> {
        quant::propagate(&self.tensors, &self.operators)
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
                format!("{}{name}", self.scope)
            }
            None => self.free_name("value"),
        };
        if self.tensors.len() >= u32::MAX as usize {
            return Err(Cause::Shape("a graph holds at most 2^32 - 1 tensors".into()).into());
        }
        let tensor = Tensor(self.tensors.len() as u32);
        if self.by_name.contains_key(&name) {
            return Err(Cause::DuplicateName(name).into());
        }
        self.by_name.insert(name.clone(), tensor);
        self.tensors.push(TensorInfo { name, shape, dtype, kind, quantization: None, preprocess: None });
        Ok(tensor)
    }
    /// A name that is free, without the scope: `stem_<n>`, n the number of calls so far, or the next that is free.
    pub(crate) fn free_name(&self, stem: &str) -> String {
        let mut n = self.calls.len();
        loop {
            let name = format!("{stem}_{n}");
            if !self.by_name.contains_key(&format!("{}{name}", self.scope)) {
                return name;
            }
            n += 1;
        }
    }
    /// Changes a tensor that may be older than the call in progress.
    pub(crate) fn change(&mut self, tensor: Tensor, f: impl FnOnce(&mut TensorInfo)) {
        if let Some(info) = self.tensors.get_mut(tensor.0 as usize) {
            self.undo.push((tensor, info.clone()));
            f(info);
        }
    }
    pub(crate) fn mark(&self) -> Mark {
        Mark { tensors: self.tensors.len(), operators: self.operators.len(), inputs: self.inputs.len() }
    }
    pub(crate) fn clear_undo(&mut self) {
        self.undo.clear();
    }
    /// Returns to `mark`, as if nothing had been added or changed since.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        for (tensor, info) in self.undo.drain(..).rev() {
            self.tensors[tensor.0 as usize] = info;
        }
        for info in self.tensors.drain(mark.tensors..) {
            self.by_name.remove(&info.name);
            self.scalar_coefficients.remove(&info.name);
        }
        self.operators.truncate(mark.operators);
        self.inputs.truncate(mark.inputs);
    }
    /// Declared inputs, each operand, output: everything a reader of the graph may rely on before emission or execution.
    pub(crate) fn check_complete(&self) -> Result<()> {
        if self.outputs.is_empty() {
            return Err(argument("outputs", "not set", "call set_outputs first"));
        }
        let missing = self.tensors().filter(|(_, t)| t.kind == TensorKind::Coefficient(None)).map(|(_, t)| {
            Error::from(Cause::MissingData(format!("the coefficient {:?} ({}) has no data", t.name, t.type_text())))
        });
        Error::collect(missing.collect())
    }
}

fn check_operands(op: &OpDef, operands: &[Option<Tensor>]) -> Result<()> {
    let wrong = |problem: String| Err(Cause::Operator { op: op.name.into(), problem }.into());
    if let [only] = op.operands
        && only.arity == Arity::Variadic
    {
        return match operands.iter().position(Option::is_none) {
            Some(i) => wrong(format!("operand {i} of {} is none", only.name)),
            None if operands.is_empty() => wrong(format!("{} is empty", only.name)),
            None => Ok(()),
        };
    }
    let least = op.operands.iter().filter(|o| o.arity != Arity::Optional).count();
    if operands.len() < least || operands.len() > op.operands.len() {
        return wrong(format!("it has {} operands; expected {least} to {}", operands.len(), op.operands.len()));
    }
    for (def, operand) in op.operands.iter().zip(operands) {
        if operand.is_none() && def.arity == Arity::Required {
            return wrong(format!("the operand {} is none", def.name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_send<T: Send + Sync>() {}

    #[test]
    fn a_failed_call_leaves_the_graph_as_it_was() {
        is_send::<Graph>();
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 4]).unwrap();
        let y = g.input("y", Dtype::Int8, [1, 3]).unwrap();
        let before = format!("{g:?}");
        let error = g.add(x, y).scale([0.5, 0.5, 0.5]).call().unwrap_err();
        assert!(matches!(error.cause(), Cause::Broadcast { .. }), "{error}");
        assert_eq!(format!("{g:?}"), before);
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
        assert!(g.tensor(Tensor(99)).is_err());
    }
}
