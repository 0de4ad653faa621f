//! Functions and their calls.
use super::{
    aliases,
    argument::{Argument, Mismatch},
    kind::ArgumentKind,
    lowering::Lowering,
    value::Value,
};
use crate::{
    Graph, GraphBuilder, MadeBy, Operand, Operator, Recorded, RecordedCall, Tensor,
    base::{CallContext, Cause, Dtype, Error, Result, argument, invalid},
    quant::Quantization,
};
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::{collections::HashSet, fmt, sync::OnceLock};

/// The description of an argument of a function.
#[derive(Debug, Clone)]
pub struct ArgumentDef {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub doc: &'static str,
    /// Its type.
    pub kind: ArgumentKind,
    /// Its type in a few words: `2 integers`.
    pub type_name: String,
    /// Whether it is required.
    pub required: bool,
    /// The default value as JSON.
    pub default: Option<Json>,
    /// Its JSON Schema.
    pub schema: Json,
}

impl ArgumentDef {
    pub(crate) fn of<T: Argument>(name: &'static str, doc: &'static str, required: bool, default: Option<T>) -> Self {
        // Defaults contain no tensors, so any graph will do.
        let default = default.and_then(|d| Graph::new("defaults").and_then(|g| d.to_value().to_json(&g)).ok());
        ArgumentDef { name, doc, kind: T::kind(), type_name: T::type_name(), required, default, schema: T::schema() }
    }
}

/// A set of arguments: those of a function, or a set that several functions share.
pub trait ArgumentSet: Sized + Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    #[doc(hidden)]
    fn describe(into: &mut Vec<ArgumentDef>);
    /// Reads the arguments by name.
    #[doc(hidden)]
    fn take(from: &mut Given) -> Result<Self, BadArgument>;
    #[doc(hidden)]
    fn put(&self, into: &mut IndexMap<&'static str, Value>);
    /// Visits every tensor argument, with the argument's name.
    #[doc(hidden)]
    fn visit_operands(&mut self, f: &mut dyn FnMut(&'static str, &mut Operand));
}

/// All arguments of a function.
pub trait Arguments: ArgumentSet {
    /// Return type of a call: a [`Tensor`], an array or a `Vec`.
    type Output: Outputs;
}

/// The outputs of a function: a tensor, an array or a `Vec`.
pub trait Outputs {
    /// The same with other tensors, such as [`Value`](crate::Value)s.
    type Of<T>;
    /// The number of outputs, if it is fixed.
    #[doc(hidden)]
    const COUNT: Option<usize>;
    /// Converts the list of outputs; `None` if their number is wrong.
    #[doc(hidden)]
    fn from_list<T>(list: Vec<T>) -> Option<Self::Of<T>>;
}
impl Outputs for Tensor {
    type Of<T> = T;
    const COUNT: Option<usize> = Some(1);
    fn from_list<T>(list: Vec<T>) -> Option<T> {
        <[T; 1]>::try_from(list).ok().map(|[one]| one)
    }
}
impl<const N: usize> Outputs for [Tensor; N] {
    type Of<T> = [T; N];
    const COUNT: Option<usize> = Some(N);
    fn from_list<T>(list: Vec<T>) -> Option<[T; N]> {
        list.try_into().ok()
    }
}
impl Outputs for Vec<Tensor> {
    type Of<T> = Vec<T>;
    const COUNT: Option<usize> = None;
    fn from_list<T>(list: Vec<T>) -> Option<Vec<T>> {
        Some(list)
    }
}

/// What a call adds its operators to: `&mut Graph`, whose calls return [`Tensor`]s, or
/// [`&GraphBuilder`](crate::GraphBuilder), whose calls return [`Value`](crate::Value)s.
pub trait Target: Sized {
    /// The outputs of its calls.
    type Tensor;
    /// Runs `edit` with the graph.
    #[doc(hidden)]
    fn edit<R>(&mut self, edit: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R>;
    #[doc(hidden)]
    fn output(&self, tensor: Tensor) -> Self::Tensor;
}
impl Target for &mut Graph {
    type Tensor = Tensor;
    fn edit<R>(&mut self, edit: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        edit(self)
    }
    fn output(&self, tensor: Tensor) -> Tensor {
        tensor
    }
}

/// What a call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// A tensor.
    One,
    /// Several tensors, of which these are the names.
    Named(&'static [&'static str]),
    /// A list of tensors, whose length depends on the arguments.
    List,
}

/// A function over arguments of type `A`.
#[derive(Debug)]
pub struct Function<A> {
    /// The function's name: `conv`.
    pub name: &'static str,
    /// Names of the outputs, if there is a fixed number of several.
    pub outputs: &'static [&'static str],
    #[doc(hidden)]
    pub lower: fn(&A, &mut Lowering) -> Result<Vec<Tensor>>,
}
impl<A> Clone for Function<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A> Copy for Function<A> {}

/// The description of a function, for the reference, the schema and calls by name.
pub struct FunctionDef {
    /// The function's name: `conv`.
    pub name: &'static str,
    /// A description.
    pub doc: &'static str,
    /// Names of the outputs, if there is a fixed number of several.
    pub outputs: &'static [&'static str],
    pub(crate) output_count: Option<usize>,
    pub(crate) module: &'static str,
    pub(crate) example: &'static [&'static str],
    pub(crate) run_example: for<'g> fn(&'g GraphBuilder, crate::Value<'g>, crate::Value<'g>) -> Result<()>,
    pub(crate) describe: fn(&mut Vec<ArgumentDef>),
    pub(crate) arguments: OnceLock<Vec<ArgumentDef>>,
    pub(crate) call: fn(&mut Graph, Given, Named) -> Result<Vec<Tensor>, BadCall>,
}

impl FunctionDef {
    /// Returns the function's family: `conv`.
    pub fn family(&self) -> &'static str {
        self.module.rsplit("::").next().unwrap_or(self.module)
    }
    /// Returns the function's names in PyTorch, ONNX and NumPy, in lower case and without underscores.
    pub fn aliases(&self) -> impl Iterator<Item = &'static str> {
        aliases::names_of(self.name)
    }
    /// Returns an example in Rust, one statement per line, for a [`GraphBuilder`] `g` with the inputs `x` (float32) and `i`
    /// (int8) of 1x3x8x8.
    pub fn example(&self) -> impl Iterator<Item = String> {
        // `stringify!` breaks long lines.
        self.example.iter().map(|s| s.lines().map(str::trim).collect::<Vec<_>>().join(" ") + ";")
    }
    /// Builds the graph of the function's example; unused results are outputs.
    ///
    /// ```
    /// let conv = tpulang::functions::function_def("conv")?;
    /// assert_eq!(conv.example_graph()?.operators()[0].op.name(), "Conv");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the example fails, which a test rules out.
    pub fn example_graph(&self) -> Result<Graph> {
        let g = GraphBuilder::new(self.name)?;
        let x = g.input("x", Dtype::Float32, [1, 3, 8, 8])?;
        let i = g.input("i", Dtype::Int8, [1, 3, 8, 8])?;
        (self.run_example)(&g, x, i)?;
        let mut g = g.finish()?;
        let used: HashSet<Tensor> = g.operators().iter().flat_map(|o| o.op.operands().map(|(_, t)| *t)).collect();
        let made = g.operators().iter().flat_map(Operator::outputs);
        let outputs: Vec<Tensor> = made.filter(|t| !used.contains(t)).collect();
        g.set_outputs(&outputs)?;
        Ok(g)
    }
    /// Returns what a call returns.
    ///
    /// ```
    /// use tpulang::functions::{Returns, function_def};
    /// assert_eq!(function_def("topk")?.returns(), Returns::Named(&["values", "indices"]));
    /// assert_eq!(function_def("split")?.returns(), Returns::List);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn returns(&self) -> Returns {
        match self.output_count {
            Some(1) => Returns::One,
            Some(_) => Returns::Named(self.outputs),
            None => Returns::List,
        }
    }
    /// Returns the function's arguments in order.
    pub fn arguments(&self) -> &[ArgumentDef] {
        self.arguments.get_or_init(|| {
            let mut all = Vec::new();
            (self.describe)(&mut all);
            all
        })
    }
}

/// Names and quantizations of a call's outputs.
#[derive(Debug, Clone, Default)]
#[doc(hidden)]
pub struct Named {
    pub out: Option<Vec<String>>,
    pub out_quant: Vec<Option<Quantization>>,
}

/// The given arguments, by name.
#[doc(hidden)]
pub struct Given(pub IndexMap<String, Value>);

/// An argument with a wrong value, or a missing one.
#[derive(Debug)]
#[doc(hidden)]
pub struct BadArgument {
    pub argument: &'static str,
    /// `None` if the argument is missing.
    pub mismatch: Option<Mismatch>,
}

/// The reason why a call by name failed.
#[doc(hidden)]
pub enum BadCall {
    Argument(BadArgument),
    Call(Error),
}
impl From<Error> for BadCall {
    fn from(e: Error) -> Self {
        BadCall::Call(e)
    }
}

impl Given {
    pub fn optional<T: Argument>(&mut self, name: &'static str) -> Result<Option<T>, BadArgument> {
        let value = self.0.swap_remove(name).filter(|v| *v != Value::Null);
        let bad = |mismatch| BadArgument { argument: name, mismatch: Some(mismatch) };
        value.map(|v| T::from_value(v).map_err(bad)).transpose()
    }
    pub fn required<T: Argument>(&mut self, name: &'static str) -> Result<T, BadArgument> {
        self.optional(name)?.ok_or(BadArgument { argument: name, mismatch: None })
    }
}

pub(crate) fn call_by_name<A: Arguments>(
    function: Function<A>,
    graph: &mut Graph,
    mut given: Given,
    named: Named,
) -> Result<Vec<Tensor>, BadCall> {
    let args = A::take(&mut given).map_err(BadCall::Argument)?;
    Ok(call_now(graph, function, args, named)?)
}

/// A call builder; [`Call::call`] makes the call.
#[must_use = "nothing is added to the graph until `.call()`"]
pub struct Call<T, A> {
    pub(crate) target: T,
    pub(crate) function: Function<A>,
    /// An error if an operand could not be computed ([`Value`](crate::Value) has arithmetic operators).
    pub(crate) args: Result<A>,
    pub(crate) named: Named,
}

impl<T, A: fmt::Debug> fmt::Debug for Call<T, A> {
    /// Formats the function, its arguments, and the names of the outputs.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut call = f.debug_struct("Call");
        call.field("function", &self.function.name).field("args", &self.args).field("out", &self.named.out);
        call.finish_non_exhaustive()
    }
}

impl<T: Target, A: Arguments> Call<T, A> {
    pub(crate) fn new(target: T, function: Function<A>, args: Result<A>) -> Self {
        Call { target, function, args, named: Named::default() }
    }
    /// Creates a call with the required arguments, or the error about one of them.
    pub(crate) fn with_arguments(target: T, function: Function<A>, args: Result<A>) -> Self {
        Call::new(target, function, args.map_err(|problem| invalid(format!("{}: {problem}", function.name))))
    }
    /// Sets an optional argument. A number that does not fit, such as a `usize` beyond 64-bit integers, is an error of the call.
    pub(crate) fn set<V>(
        mut self,
        name: &'static str,
        value: impl TryInto<V, Error: fmt::Display>,
        set: impl FnOnce(&mut A, V),
    ) -> Self {
        if let Ok(args) = &mut self.args {
            match converted(name, value) {
                Ok(value) => set(args, value),
                Err(problem) => self.args = Err(invalid(format!("{}: {problem}", self.function.name))),
            }
        }
        self
    }
    /// Names the output. Several outputs become `name_0`, `name_1`, ..., or get the suffixes that the function defines.
    pub fn out_name(mut self, name: impl Into<String>) -> Self {
        self.named.out = Some(vec![name.into()]);
        self
    }
    /// Names each output.
    pub fn out_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.named.out = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Sets the quantization of the output (the first of several), or checks that it agrees.
    pub fn out_quant(mut self, quantization: Quantization) -> Self {
        self.named.out_quant = vec![Some(quantization)];
        self
    }

    /// Checks the arguments, infers the types and adds the operators to the graph.
    ///
    /// # Errors
    /// Returns an error if an argument is not allowed, if dtypes, shapes or quantization parameters do not fit together, or if
    /// a name is taken. The graph is then unchanged.
    pub fn call(self) -> Result<<A::Output as Outputs>::Of<T::Tensor>> {
        let Call { mut target, function, args, named } = self;
        let args = args?;
        let outputs = target.edit(|graph| call_now(graph, function, args, named))?;
        let found = outputs.len();
        let outputs = outputs.into_iter().map(|t| target.output(t)).collect();
        // A function's lowering returns the number of outputs that its type specifies.
        A::Output::from_list(outputs)
            .ok_or_else(|| argument("the outputs", found, format!("{} has another number", function.name)))
    }
}

/// Converts an argument to its type.
///
/// # Errors
/// Returns an error if a number does not fit.
#[doc(hidden)]
pub fn converted<T>(name: &str, value: impl TryInto<T, Error: fmt::Display>) -> Result<T> {
    value.try_into().map_err(|problem| invalid(format!("{name}: {problem}")))
}

/// Makes a call: adds the operators, and records it.
fn call_now<A: Arguments>(graph: &mut Graph, function: Function<A>, mut args: A, named: Named) -> Result<Vec<Tensor>> {
    let index = graph.calls_made();
    let before = graph.operators_made();
    let result = graph.atomic(|graph| {
        let mut to = Lowering::new(graph, function.name, function.outputs, named.out.clone());
        to.resolve(&mut args)?;
        let outputs = (function.lower)(&args, &mut to)?;
        to.finish(&outputs, &named.out_quant)?;
        Ok(outputs)
    });
    match result {
        Ok(outputs) => {
            let operators = graph.operators_made() - before;
            let made_by = MadeBy::Function(Box::new(RecordedFunction { function, args }));
            graph.record(RecordedCall {
                made_by,
                outputs: outputs.clone(),
                out_quant: named.out_quant,
                operators,
                line: None,
            });
            Ok(outputs)
        }
        Err(error) => {
            let operands = operand_rows(graph, &mut args);
            let out = named.out.and_then(|names| names.first().cloned());
            Err(error.in_call(CallContext { function: function.name.into(), out, index, operands }))
        }
    }
}

fn operand_rows<A: ArgumentSet>(graph: &Graph, args: &mut A) -> Vec<[String; 3]> {
    let mut known = Vec::new();
    args.visit_operands(&mut |argument, operand| {
        let tensor = match operand {
            Operand::Tensor(t) => Some(*t),
            Operand::Named(name) => graph.lookup(name),
            Operand::Constant(_) => None,
        };
        known.extend(tensor.map(|t| (argument, t)));
    });
    graph.operand_rows(known.into_iter())
}

/// A function call as recorded in the graph.
#[derive(Debug, Clone)]
struct RecordedFunction<A> {
    function: Function<A>,
    args: A,
}

impl<A: Arguments> Recorded for RecordedFunction<A> {
    fn clone_box(&self) -> Box<dyn Recorded> {
        Box::new(self.clone())
    }
    fn function(&self) -> &'static str {
        self.function.name
    }
    fn to_json(&self, graph: &Graph) -> Result<Json> {
        let mut values = IndexMap::new();
        self.args.put(&mut values);
        let entry = |(name, value): (&str, Value)| Ok((name.to_owned(), value.to_json(graph)?));
        values.into_iter().map(entry).collect::<Result<_>>().map(Json::Object)
    }
    fn replay(
        &self,
        onto: &mut Graph,
        bind: &mut dyn FnMut(&mut Operand) -> Result<()>,
        out: Vec<String>,
        out_quant: Vec<Option<Quantization>>,
    ) -> Result<Vec<Tensor>> {
        let (mut args, mut done) = (self.args.clone(), Ok(()));
        args.visit_operands(&mut |_, operand| {
            if done.is_ok() {
                done = bind(operand);
            }
        });
        done?;
        call_now(onto, self.function, args, Named { out: Some(out), out_quant })
    }
}

impl From<BadArgument> for Error {
    fn from(bad: BadArgument) -> Self {
        let BadArgument { argument: name, mismatch } = bad;
        match mismatch {
            Some(Mismatch { path, found, expected }) => argument(format!("{name}{path}"), found, expected),
            None => Cause::Misfit { argument: name.into(), problem: "is missing".into() }.into(),
        }
    }
}

/// Returns an argument's name without the `r#` of raw identifiers.
#[doc(hidden)]
pub fn word(declared: &'static str) -> &'static str {
    declared.strip_prefix("r#").unwrap_or(declared)
}
