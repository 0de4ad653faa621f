use super::{
    Attribute, CallContext, Cause, Dtype, Error, Graph, Operand, Result, Scalar, Tensor, TensorInfo, TensorKind,
    argument,
};
use crate::{
    array::Array,
    quant::{PerTensorOrAxis, Quantization},
};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// The arguments of a function, and how it is lowered to operators.
pub trait Arguments:
    Serialize + DeserializeOwned + schemars::JsonSchema + Clone + fmt::Debug + Send + Sync + 'static
{
    /// The function's name: `conv`.
    const NAME: &'static str;
    /// What a call gives: a [`Tensor`] or several.
    type Output: Outputs;
    /// Visits every tensor argument, with the argument's name.
    fn visit_operands(&mut self, f: &mut dyn FnMut(&'static str, &mut Operand));
    /// Checks the arguments and adds the operators. Every [`Operand`] is a [`Operand::Tensor`] by then.
    ///
    /// # Errors
    /// Arguments that are not allowed or do not fit together.
    #[doc(hidden)]
    fn lower_into(&self, to: &mut Lowering) -> Result<Vec<Tensor>>;
}

/// What a call returns.
pub trait Outputs: Sized {
    /// From the list of outputs.
    fn from_list(list: Vec<Tensor>) -> Self;
}
impl Outputs for Tensor {
    fn from_list(list: Vec<Tensor>) -> Self {
        list.first().copied().unwrap_or(Tensor(u32::MAX))
    }
}
impl Outputs for Vec<Tensor> {
    fn from_list(list: Vec<Tensor>) -> Self {
        list
    }
}

/// A call in the making; [`Call::call`] makes it.
#[must_use = "nothing is added to the graph until `.call()`"]
pub struct Call<'g, A> {
    pub(crate) graph: &'g mut Graph,
    pub(crate) args: A,
    pub(crate) out: Option<Vec<String>>,
    pub(crate) out_quant: Vec<Option<Quantization>>,
}

impl<'g, A: Arguments> Call<'g, A> {
    pub(crate) fn new(graph: &'g mut Graph, args: A) -> Self {
        Call { graph, args, out: None, out_quant: Vec::new() }
    }
    /// Names the output. For a function with several, they become `name_0`, `name_1`, ...
    pub fn out_name(mut self, name: impl Into<String>) -> Self {
        self.out = Some(vec![name.into()]);
        self
    }
    /// Names the outputs, one each.
    pub fn out_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.out = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Sets the quantization of the output (of several: the first), or checks that it agrees.
    pub fn out_quant(mut self, quantization: Quantization) -> Self {
        self.out_quant = vec![Some(quantization)];
        self
    }

    /// Checks the arguments, infers the shapes and adds the operators to the graph.
    ///
    /// # Errors
    /// Arguments that are not allowed, dtypes, shapes or quantization parameters that do not fit together, a
    /// name that is taken. The graph is then as it was before.
    pub fn call(self) -> Result<A::Output> {
        let Call { graph, mut args, out, out_quant } = self;
        graph.clear_undo();
        let mark = graph.mark();
        let index = graph.calls.len();
        let mut to = Lowering { graph, function: A::NAME, out };
        let outputs = to.resolve(&mut args).and_then(|()| args.lower_into(&mut to)).and_then(|outputs| {
            to.check_out_names(outputs.len())?;
            to.set_out_quant(&outputs, &out_quant)?;
            Ok(outputs)
        });
        let (out, graph) = (to.out, to.graph);
        match outputs {
            Ok(outputs) => {
                graph.calls.push(RecordedCall {
                    function: A::NAME,
                    args: Box::new(args),
                    outputs: outputs.clone(),
                    out_quant,
                    operators: graph.operators().len() - mark.operators,
                });
                Ok(A::Output::from_list(outputs))
            }
            Err(error) => {
                let operands = context_operands(graph, &mut args);
                graph.rewind(mark);
                let out = out.and_then(|names| names.first().cloned());
                Err(error.in_call(CallContext { function: A::NAME.into(), out, index, operands }))
            }
        }
    }
}

fn context_operands<A: Arguments>(graph: &Graph, args: &mut A) -> Vec<[String; 3]> {
    let mut rows = Vec::new();
    args.visit_operands(&mut |argument, operand| {
        let known = match operand {
            Operand::Tensor(t) => graph.tensor(*t).ok(),
            Operand::Named(name) => graph.find(name).ok().and_then(|t| graph.tensor(t).ok()),
            Operand::Constant(_) => None,
        };
        if let Some(t) = known {
            rows.push([argument.into(), t.name.clone(), t.type_text()]);
        }
    });
    rows.truncate(8);
    rows
}

/// A call that was made, kept so that the graph can be written as a spec.
#[derive(Debug, Clone)]
pub(crate) struct RecordedCall {
    pub function: &'static str,
    pub args: Box<dyn Recorded>,
    pub outputs: Vec<Tensor>,
    pub out_quant: Vec<Option<Quantization>>,
    /// How many operators it added.
    pub operators: usize,
}

/// Arguments of any function.
pub(crate) trait Recorded: fmt::Debug + Send + Sync {
    fn clone_box(&self) -> Box<dyn Recorded>;
    /// As JSON, tensors by their names in `graph`.
    fn to_json(&self, graph: &Graph) -> serde_json::Result<serde_json::Value>;
}
impl Clone for Box<dyn Recorded> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}
impl<A: Arguments> Recorded for A {
    fn clone_box(&self) -> Box<dyn Recorded> {
        Box::new(self.clone())
    }
    fn to_json(&self, graph: &Graph) -> serde_json::Result<serde_json::Value> {
        let mut named = self.clone();
        named.visit_operands(&mut |_, operand| {
            if let Operand::Tensor(t) = operand
                && let Ok(info) = graph.tensor(*t)
            {
                *operand = Operand::Named(info.name.clone());
            }
        });
        serde_json::to_value(named)
    }
}

/// The graph as a function sees it while it is lowered.
pub struct Lowering<'g> {
    graph: &'g mut Graph,
    function: &'static str,
    out: Option<Vec<String>>,
}

impl Lowering<'_> {
    /// What tensors made on the way are named after: the output.
    fn stem(&self) -> String {
        match self.out.as_deref() {
            Some([name, ..]) => name.clone(),
            _ => self.graph.free_name(self.function),
        }
    }
    /// Turns names into handles and constants into coefficients.
    fn resolve<A: Arguments>(&mut self, args: &mut A) -> Result<()> {
        let mut errors = Vec::new();
        let stem = self.stem();
        args.visit_operands(&mut |argument, operand| {
            let resolved = match operand {
                Operand::Tensor(t) => self.graph.tensor(*t).map(|_| *t),
                Operand::Named(name) => self.graph.find(name),
                Operand::Constant(data) => self.coefficient(&format!("{stem}_{argument}"), data.clone()),
            };
            match resolved {
                Ok(tensor) => *operand = Operand::Tensor(tensor),
                Err(error) => errors.push(error),
            }
        });
        // A call that names two unknown tensors is one mistake in one call: the first is told.
        errors.into_iter().next().map_or(Ok(()), Err)
    }
    fn coefficient(&mut self, name: &str, data: Array) -> Result<Tensor> {
        let (dtype, shape) = (data.dtype(), data.shape().to_vec());
        let taken = self.graph.find(name).is_ok();
        let free = if taken { self.graph.free_name(name) } else { name.to_owned() };
        self.graph.add_tensor(Some(&free), dtype, shape, TensorKind::Coefficient(Some(data)))
    }
    fn check_out_names(&self, outputs: usize) -> Result<()> {
        match &self.out {
            Some(names) if names.len() != outputs && !(names.len() == 1 && outputs > 1) => {
                let found = format!("{} names", names.len());
                Err(argument(
                    "out",
                    found,
                    format!("{} has {outputs} output{}", self.function, if outputs == 1 { "" } else { "s" }),
                ))
            }
            _ => Ok(()),
        }
    }
    fn set_out_quant(&mut self, outputs: &[Tensor], quantizations: &[Option<Quantization>]) -> Result<()> {
        if quantizations.len() > outputs.len() {
            let found = format!("a list of {}", quantizations.len());
            return Err(argument("out_quant", found, format!("{} has {} output(s)", self.function, outputs.len())));
        }
        for (t, q) in outputs.iter().zip(quantizations) {
            if let Some(q) = q {
                self.graph.quantize(*t, q)?;
            }
        }
        Ok(())
    }

    /// What is known of a tensor argument.
    pub(crate) fn info(&self, operand: &Operand) -> Result<&TensorInfo> {
        self.graph.tensor(self.tensor(operand)?)
    }
    /// The handle of a tensor argument.
    pub(crate) fn tensor(&self, operand: &Operand) -> Result<Tensor> {
        match operand {
            Operand::Tensor(t) => Ok(*t),
            Operand::Named(name) => self.graph.find(name),
            Operand::Constant(_) => Err(Cause::Shape("a constant was not made a coefficient".into()).into()),
        }
    }
    /// The dtype of a tensor argument, which must be one of `allowed`.
    pub(crate) fn dtype(&self, name: &str, operand: &Operand, allowed: &[Dtype]) -> Result<Dtype> {
        let found = self.info(operand)?.dtype;
        if !allowed.contains(&found) {
            return Err(Cause::Dtype { argument: name.into(), found, allowed: allowed.to_vec() }.into());
        }
        Ok(found)
    }
    /// Two tensor arguments must have the same dtype.
    pub(crate) fn same_dtype(&self, left: (&str, &Operand), right: (&str, &Operand)) -> Result<()> {
        let (left_dtype, right_dtype) = (self.info(left.1)?.dtype, self.info(right.1)?.dtype);
        if left_dtype != right_dtype {
            let (left, right) = (left.0.into(), right.0.into());
            return Err(Cause::DtypeMismatch { left, left_dtype, right, right_dtype }.into());
        }
        Ok(())
    }
    /// A float function's argument must not carry quantization parameters.
    pub(crate) fn not_quantized(&self, operand: &Operand) -> Result<()> {
        let info = self.info(operand)?;
        match &info.quantization {
            None => Ok(()),
            Some(q) => Err(quant_error(info, format!("{q} is set, but {} is a float function", self.function))),
        }
    }
    /// Sets (or checks) scale and zero point of a tensor argument.
    pub(crate) fn quantize(
        &mut self,
        operand: &Operand,
        scale: Option<PerTensorOrAxis<f64>>,
        zero_point: Option<PerTensorOrAxis<i64>>,
    ) -> Result<()> {
        let tensor = self.tensor(operand)?;
        self.quantize_tensor(tensor, scale, zero_point)
    }
    /// Sets (or checks) scale and zero point of a tensor.
    pub(crate) fn quantize_tensor(
        &mut self,
        tensor: Tensor,
        scale: Option<PerTensorOrAxis<f64>>,
        zero_point: Option<PerTensorOrAxis<i64>>,
    ) -> Result<()> {
        if scale.is_none() && zero_point.is_none() {
            return Ok(());
        }
        self.graph.quantize(tensor, &Quantization { scale, zero_point })
    }
    /// An argument of an integer function must have a zero point, from here or set before.
    pub(crate) fn needs_quantization(&self, name: &str, operand: &Operand, given: bool, what: &str) -> Result<()> {
        let info = self.info(operand)?;
        if info.quantization.is_none() && !given {
            return Err(quant_error(info, format!("neither set on the tensor nor given by {name}_{what}")));
        }
        Ok(())
    }
    /// Turns a float16 coefficient into float32 in place, as a convolution's bias must be.
    pub(crate) fn widen_coefficient(&mut self, operand: &Operand) -> Result<()> {
        let tensor = self.tensor(operand)?;
        if let TensorInfo { dtype: Dtype::Float16, kind: TensorKind::Coefficient(data), .. } =
            self.graph.tensor(tensor)?
        {
            let wide = data.as_ref().map(|d| Array::from_vec(d.shape().to_vec(), d.to_f32()?)).transpose()?;
            self.graph.change(tensor, |t| {
                t.dtype = Dtype::Float32;
                t.kind = TensorKind::Coefficient(wide);
            });
        }
        Ok(())
    }
    /// A coefficient of one element for a scalar argument.
    pub(crate) fn scalar_coefficient(&mut self, scalar: Scalar) -> Result<Operand> {
        let name = format!("{}_scalar", self.stem());
        let tensor = self.coefficient(&name, Array::filled(scalar.dtype, [1], scalar.value)?)?;
        let name = self.graph.tensor(tensor)?.name.clone();
        self.graph.scalar_coefficients.insert(name);
        Ok(Operand::Tensor(tensor))
    }
    /// Adds an operator on the way to the call's output; its result is named after that, with a suffix.
    pub(crate) fn emit_step<const N: usize>(
        &mut self,
        suffix: &str,
        op: &str,
        operands: &[Option<&Operand>],
        attributes: [(&str, Attribute); N],
        dtype: Dtype,
    ) -> Result<Operand> {
        let operands = operands.iter().map(|o| o.map(|o| self.tensor(o)).transpose()).collect::<Result<Vec<_>>>()?;
        let stem = self.stem();
        let results = self.graph.insert(op, &operands, attributes, &[(Some(&format!("{stem}_{suffix}")), dtype)])?;
        Ok(Operand::Tensor(results[0]))
    }
    /// Adds the operator that computes the call's outputs.
    pub(crate) fn emit_many<const N: usize>(
        &mut self,
        op: &str,
        operands: &[Option<&Operand>],
        attributes: [(&str, Attribute); N],
        dtypes: &[Dtype],
    ) -> Result<Vec<Tensor>> {
        let operands = operands.iter().map(|o| o.map(|o| self.tensor(o)).transpose()).collect::<Result<Vec<_>>>()?;
        let names = self.out_names(dtypes.len())?;
        let results: Vec<_> = names.iter().map(|n| Some(n.as_str())).zip(dtypes.iter().copied()).collect();
        self.graph.insert(op, &operands, attributes, &results)
    }
    /// Adds the operator that computes the call's only output.
    pub(crate) fn emit<const N: usize>(
        &mut self,
        op: &str,
        operands: &[Option<&Operand>],
        attributes: [(&str, Attribute); N],
        dtype: Dtype,
    ) -> Result<Vec<Tensor>> {
        self.emit_many(op, operands, attributes, &[dtype])
    }
    fn out_names(&self, count: usize) -> Result<Vec<String>> {
        Ok(match &self.out {
            Some(names) if names.len() == count => names.clone(),
            Some(names) if names.len() == 1 => (0..count).map(|i| format!("{}_{i}", names[0])).collect(),
            Some(_) => return self.check_out_names(count).map(|()| Vec::new()),
            None if count == 1 => vec![self.graph.free_name(self.function)],
            None => {
                let stem = self.graph.free_name(self.function);
                (0..count).map(|i| format!("{stem}_{i}")).collect()
            }
        })
    }
}

fn quant_error(info: &TensorInfo, problem: String) -> Error {
    Cause::Quantization { tensor: info.name.clone(), problem }.into()
}
