//! The interface to the graph for lowering a function to operators.
use super::function::{Arguments, Function};
use super::list::function_def;
use super::operands::Scalar;
use crate::{
    Graph, NewResult, Operand, Tensor, TensorInfo, TensorKind,
    array::Array,
    base::{
        CallContext, Cause, Dtype, Error, Ints, Result, Shape, Warning, WarningKind, argument, invalid, misfit,
        pluralized,
    },
    ops::{self, Op},
    quant::{PerTensorOrAxis, Quantization},
};
use std::collections::HashMap;

/// The graph during the lowering of a function. Every [`Operand`] of the arguments is then an [`Operand::Tensor`].
pub struct Lowering<'g> {
    graph: &'g mut Graph,
    function: &'static str,
    /// Names of the outputs, if they are fixed.
    outputs: &'static [&'static str],
    out: Option<Vec<String>>,
    /// The tensor arguments by name.
    arguments: Vec<(&'static str, Tensor)>,
    /// Attributes of ops, and the arguments that set them if their names differ.
    argument_names: &'static [(&'static str, &'static str)],
}

impl<'g> Lowering<'g> {
    pub(super) fn new(
        graph: &'g mut Graph,
        function: &'static str,
        outputs: &'static [&'static str],
        out: Option<Vec<String>>,
    ) -> Self {
        Lowering { graph, function, outputs, out, arguments: Vec::new(), argument_names: &[] }
    }
    /// Returns the stem of the names of intermediate tensors: the output's name, or the common part of several.
    pub(crate) fn stem(&self) -> String {
        match (self.out.as_deref(), self.outputs) {
            (Some([name, _, ..]), [own, ..]) => {
                let common = name.strip_suffix(own).and_then(|n| n.strip_suffix('_')).filter(|n| !n.is_empty());
                common.unwrap_or(name).to_owned()
            }
            (Some([name, ..]), _) => name.clone(),
            _ => self.graph.free_name(self.function),
        }
    }
    /// Resolves names to handles, and adds constants as coefficients.
    pub(super) fn resolve<A: Arguments>(&mut self, args: &mut A) -> Result<()> {
        let mut errors = Vec::new();
        let stem = self.stem();
        args.visit_operands(&mut |argument, operand| {
            let resolved = match operand {
                Operand::Tensor(t) => self.graph.tensor(*t).map(|_| *t).map_err(|e| misfit(format!("{argument}:"), e)),
                Operand::Named(name) => self.graph.find(name),
                Operand::Constant(data) => self.coefficient(&format!("{stem}_{argument}"), data.clone()),
            };
            let is_declared = |t: &Tensor| self.graph.tensor(*t).map_or(Ok(()), |info| check_declared(argument, info));
            match resolved.and_then(|t| is_declared(&t).map(|()| t)) {
                Ok(tensor) => {
                    *operand = Operand::Tensor(tensor);
                    self.arguments.push((argument, tensor));
                }
                Err(error) => errors.push(error),
            }
        });
        // Only the first of several unknown tensors in one call is reported.
        errors.into_iter().next().map_or(Ok(()), Err)
    }
    fn coefficient(&mut self, name: &str, data: Array) -> Result<Tensor> {
        let (dtype, shape) = (data.dtype(), data.shape().to_vec());
        let taken = self.graph.lookup(name).is_some();
        let free = if taken { self.graph.free_name(name) } else { name.to_owned() };
        self.graph.add_tensor(Some(&free), dtype, shape, TensorKind::Coefficient(Some(data)))
    }
    /// Checks the names of the outputs and sets their quantization.
    pub(super) fn finish(&mut self, outputs: &[Tensor], quantizations: &[Option<Quantization>]) -> Result<()> {
        self.out_names(outputs.len())?;
        if quantizations.len() > outputs.len() {
            let found = format!("a list of {}", quantizations.len());
            return Err(argument(
                "out_quant",
                found,
                format!("{} has {}", self.function, pluralized(outputs.len(), "output")),
            ));
        }
        let given = outputs.iter().zip(quantizations).filter_map(|(t, q)| Some((t, q.as_ref()?)));
        given.into_iter().try_for_each(|(t, q)| self.graph.quantize_in_call(*t, q).map(drop))
    }
    /// Returns the names of `count` outputs.
    pub(crate) fn out_names(&self, count: usize) -> Result<Vec<String>> {
        let numbered = |stem: &str| -> Vec<String> {
            match self.outputs {
                _ if count == 1 => vec![stem.to_owned()],
                [] => (0..count).map(|i| format!("{stem}_{i}")).collect(),
                names => names.iter().map(|name| format!("{stem}_{name}")).collect(),
            }
        };
        match &self.out {
            Some(names) if names.len() == count => Ok(names.clone()),
            Some(names) if names.len() == 1 => Ok(numbered(&names[0])),
            Some(names) => {
                let expected = format!("{} has {}", self.function, pluralized(count, "output"));
                Err(argument("out", pluralized(names.len(), "name"), expected))
            }
            None => Ok(numbered(&self.graph.free_name(self.function))),
        }
    }

    /// Raises a warning about the call.
    pub(crate) fn warn(&mut self, kind: WarningKind) {
        let out = self.out.as_ref().and_then(|names| names.first().cloned());
        let function = self.function.to_owned();
        let call = CallContext { function, out, index: self.graph.calls_made(), operands: Vec::new() };
        self.graph.warnings.push(Warning::new(kind).in_call(call));
    }
    /// Warns that an omitted argument has another default than users of other frameworks expect.
    pub(crate) fn warn_of_default(&mut self, argument: &str, default: impl ToString, elsewhere: impl ToString) {
        let (argument, default, elsewhere) = (argument.to_owned(), default.to_string(), elsewhere.to_string());
        self.warn(WarningKind::SurprisingDefault { argument, default, elsewhere });
    }

    /// Warns of a value that is allowed but rarely meant.
    pub(crate) fn warn_of_value(&mut self, argument: &str, found: impl ToString, usual: impl ToString) {
        let (argument, found, usual) = (argument.to_owned(), found.to_string(), usual.to_string());
        self.warn(WarningKind::UnusualArgument { argument, found, usual });
    }

    /// Returns the type and other information of a tensor argument.
    pub(crate) fn info(&self, operand: &Operand) -> Result<&TensorInfo> {
        self.graph.tensor(self.tensor(operand)?)
    }
    /// Returns the handle of a tensor argument.
    pub(crate) fn tensor(&self, operand: &Operand) -> Result<Tensor> {
        match operand {
            Operand::Tensor(t) => Ok(*t),
            Operand::Named(name) => self.graph.find(name),
            Operand::Constant(_) => Err(invalid("a constant was not made a coefficient")),
        }
    }
    /// Returns the handle of an optional tensor argument.
    pub(crate) fn optional(&self, operand: &Option<Operand>) -> Result<Option<Tensor>> {
        operand.as_ref().map(|o| self.tensor(o)).transpose()
    }
    /// Returns the dtype of a tensor argument, which must be one of `allowed`.
    pub(crate) fn dtype(&self, name: &str, operand: &Operand, allowed: &[Dtype]) -> Result<Dtype> {
        let info = self.info(operand)?;
        one_of(name, info.dtype, allowed).map_err(|error| match error.cause() {
            Cause::Dtype { argument, found, allowed, .. } if !info.is_coefficient() => {
                let (argument, allowed) = (argument.clone(), allowed.clone());
                let remedy = self.other_dtype(*found, &allowed);
                Cause::Dtype { argument, found: *found, allowed, remedy }.into()
            }
            _ => error,
        })
    }
    /// Suggests what takes a dtype that the function does not take.
    fn other_dtype(&self, found: Dtype, allowed: &[Dtype]) -> Option<String> {
        let of_integers = || ["int", "quant"].map(|kind| format!("{}_{kind}", self.function));
        let is_byte = |dtype: &Dtype| matches!(dtype, Dtype::Int8 | Dtype::Uint8);
        match found {
            _ if is_byte(&found) && allowed.iter().all(|dtype| dtype.is_float()) => {
                let other = of_integers().into_iter().find(|name| function_def(name).is_ok());
                Some(
                    other
                        .map_or("dequant_int_to_fp or cast makes it a float".into(), |f| format!("{f} takes integers")),
                )
            }
            Dtype::Float32 | Dtype::Float16 | Dtype::Bfloat16
                if allowed.iter().all(is_byte) && allowed.contains(&Dtype::Int8) =>
            {
                Some("requant_fp_to_int quantizes it".into())
            }
            Dtype::Int32 if allowed.iter().any(is_byte) => Some("requant_int makes it int8 or uint8".into()),
            _ => None,
        }
    }
    /// Checks the dtype of an optional tensor argument.
    pub(crate) fn optional_dtype(&self, name: &str, operand: &Option<Operand>, allowed: &[Dtype]) -> Result<()> {
        operand.as_ref().map_or(Ok(()), |o| self.dtype(name, o, allowed).map(|_| ()))
    }
    /// Checks that two tensor arguments have the same dtype.
    pub(crate) fn same_dtype(&self, left: (&str, &Operand), right: (&str, &Operand)) -> Result<()> {
        let (info, right_dtype) = (self.info(left.1)?, self.info(right.1)?.dtype);
        let left_dtype = info.dtype;
        if left_dtype != right_dtype {
            if info.is_coefficient() && !info.of_call && left_dtype.is_float() && right_dtype.is_float() {
                let name = &info.name;
                let remedy = format!("declare {name:?} as {right_dtype}, and its data are converted");
                return Err(misfit(left.0, format!("is {left_dtype} and {} is {right_dtype}; {remedy}", right.0)));
            }
            let (left, right) = (left.0.into(), right.0.into());
            return Err(Cause::DtypeMismatch { left, left_dtype, right, right_dtype }.into());
        }
        Ok(())
    }
    /// Checks that a float function's argument has no quantization parameters.
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
        self.graph.quantize_in_call(tensor, &Quantization { scale, zero_point }).map(drop)
    }
    /// Checks that a list has one value, or one for each index of one of the axes of a tensor argument.
    pub(crate) fn check_per_channel<T: Clone>(
        &self,
        name: &str,
        values: Option<&PerTensorOrAxis<T>>,
        of: &Operand,
        axes: &[(usize, &str)],
    ) -> Result<()> {
        let Some(n) = values.filter(|v| v.is_many()).map(|v| v.to_vec().len()) else {
            return Ok(());
        };
        let shape = &self.info(of)?.shape;
        let dim = |axis: usize| shape.get(axis).copied().unwrap_or(1);
        if n == 1 || axes.iter().any(|(axis, _)| dim(*axis) == n) {
            return Ok(());
        }
        let lists: Vec<_> =
            axes.iter().map(|(axis, what)| format!("{}, one per {what} (axis {axis})", dim(*axis))).collect();
        Err(argument(name, format!("a list of {n}"), format!("expected one value, or {}", lists.join(", or "))))
    }
    /// Checks that an argument of an integer function has a zero point, given in the call or set before. A scale implies one.
    pub(crate) fn needs_zero_point(&self, name: &str, operand: &Operand, given: bool) -> Result<()> {
        let info = self.info(operand)?;
        match info.quantization.is_some() || given {
            true => Ok(()),
            false => Err(quant_error(info, format!("neither set on the tensor nor given by {name}_zp"))),
        }
    }
    /// Checks that an argument of a quantized function has a scale, given in the call or set before.
    pub(crate) fn needs_scale(&self, name: &str, operand: &Operand, given: bool) -> Result<()> {
        let info = self.info(operand)?;
        if given || info.quantization.as_ref().is_some_and(|q| q.scale.is_some()) {
            return Ok(());
        }
        let tensor = self.tensor(operand)?;
        let origin = self.graph.operators().iter().rev().find(|o| o.outputs().any(|t| t == tensor));
        let origin = origin.map(|o| format!("; the call that computes it (top.{}) can set it, too", o.op.name()));
        let problem = format!("its scale is neither set on the tensor nor given by {name}_scale");
        Err(quant_error(info, problem + &origin.unwrap_or_default()))
    }
    /// Checks that a tensor argument has one scale and zero point, set in the call or before, or as many as it has `channels`.
    pub(crate) fn check_scales(&self, operand: &Operand, channels: Option<usize>) -> Result<()> {
        let info = self.info(operand)?;
        let Some(quantization) = &info.quantization else { return Ok(()) };
        let found = quantization.values().0.len();
        if found == 1 || Some(found) == channels {
            return Ok(());
        }
        let is_scale = quantization.scale.as_ref().is_some_and(PerTensorOrAxis::is_many);
        let what = pluralized(found, if is_scale { "scale" } else { "zero point" });
        let problem = match channels {
            Some(channels) => {
                format!("it has {what}; {} takes 1, or {channels}, one per output channel", self.function)
            }
            None => format!("it has {what}; {} takes 1 here", self.function),
        };
        Err(quant_error(info, problem))
    }
    /// Converts a float16 coefficient to float32 in place, which a convolution's bias requires.
    ///
    /// # Errors
    /// Returns an error if calls other than convolutions read it as float16.
    pub(crate) fn widen_coefficient(&mut self, name: &str, operand: &Operand) -> Result<()> {
        let tensor = self.tensor(operand)?;
        let info = self.graph.tensor(tensor)?;
        let (TensorKind::Coefficient(data), Dtype::Float16) = (&info.kind, info.dtype) else { return Ok(()) };
        if self.graph.is_used(tensor) {
            let problem = "is float16, and other calls read it; a convolution takes float32, so give it another tensor";
            return Err(misfit(name, problem));
        }
        let wide = data.as_ref().map(|d| Array::from_vec(Ints::from(d.shape()), d.to_f32()?)).transpose()?;
        self.graph.change(tensor, |t| {
            t.dtype = Dtype::Float32;
            t.kind = TensorKind::Coefficient(wide);
        });
        Ok(())
    }
    /// Reshapes a tensor argument. An unused coefficient is reshaped in place and keeps its name; for any other tensor, a
    /// Reshape is added.
    pub(crate) fn in_shape(&mut self, operand: &Operand, suffix: &str, shape: &[usize]) -> Result<Tensor> {
        let tensor = self.tensor(operand)?;
        match &self.graph.tensor(tensor)?.kind {
            TensorKind::Coefficient(data) if !self.graph.is_used(tensor) => {
                let data = data.as_ref().map(|d| d.reshaped(shape)).transpose()?;
                self.graph.change(tensor, |t| {
                    t.shape = shape.to_vec();
                    t.kind = TensorKind::Coefficient(data);
                });
                Ok(tensor)
            }
            _ => {
                let shape = Some(shape.iter().map(|&d| d as i64).collect());
                self.step(suffix, ops::Reshape { shape, ..ops::Reshape::new(tensor) }, None)
            }
        }
    }
    /// Adds a coefficient that is named after the call's output.
    pub(crate) fn constant(&mut self, suffix: &str, data: Array) -> Result<Tensor> {
        let name = format!("{}_{suffix}", self.stem());
        let tensor = self.coefficient(&name, data)?;
        self.graph.change(tensor, |t| t.of_call = true);
        Ok(tensor)
    }
    /// Adds a coefficient with a number as its only element.
    pub(crate) fn scalar_coefficient(&mut self, scalar: Scalar) -> Result<Operand> {
        Ok(Operand::Tensor(self.constant("scalar", Array::filled(scalar.dtype, [1], scalar.value)?)?))
    }
    /// Returns the rows and columns of a tensor argument, which must be a matrix.
    pub(crate) fn matrix(&self, (name, operand): (&str, &Operand)) -> Result<(usize, usize)> {
        let info = self.info(operand)?;
        match info.shape.as_slice() {
            [rows, columns] => Ok((*rows, *columns)),
            _ => Err(misfit(name, format!("is {}; expected a matrix", info.type_text()))),
        }
    }
    /// Adds a coefficient with the repacked data of another, which is emitted instead of it.
    pub(crate) fn repacked(
        &mut self,
        argument: &str,
        operand: &Operand,
        dtype: Dtype,
        shape: Shape,
        repack: impl Fn(&Array) -> Result<Array>,
    ) -> Result<Tensor> {
        let from = self.tensor(operand)?;
        let info = self.graph.tensor(from)?;
        let TensorKind::Coefficient(data) = &info.kind else {
            return Err(misfit(argument, format!("{:?} is not a coefficient; its data must be known", info.name)));
        };
        let data = data.as_ref().map(repack).transpose()?;
        let name = self.graph.free_name(&format!("{}_packed", info.name));
        let made = self.graph.add_tensor(Some(&name), dtype, shape, TensorKind::Coefficient(data))?;
        self.graph.change(made, |t| (t.of_call, t.repacked_from) = (true, Some(from)));
        Ok(made)
    }
    /// Sets the arguments that errors report instead of attributes of ops.
    pub(crate) fn rename_in_errors(&mut self, names: &'static [(&'static str, &'static str)]) -> &mut Self {
        self.argument_names = names;
        self
    }

    /// Adds an intermediate operator. Its result is named after the call's output, with a suffix.
    pub(crate) fn step(&mut self, suffix: &str, op: impl Into<Op<Tensor>>, dtype: Option<Dtype>) -> Result<Tensor> {
        let name = format!("{}_{suffix}", self.stem());
        let made = self.insert(op, vec![NewResult { name: Some(name), dtype, ..NewResult::default() }])?;
        made.first().copied().ok_or_else(|| invalid("it has no result"))
    }
    /// Like [`Lowering::step`], with the dtype of a tensor and a shape, for an op without a type rule.
    pub(crate) fn step_like(
        &mut self,
        suffix: &str,
        op: impl Into<Op<Tensor>>,
        like: Tensor,
        shape: Shape,
    ) -> Result<Tensor> {
        let (name, dtype) = (Some(format!("{}_{suffix}", self.stem())), Some(self.graph.tensor(like)?.dtype));
        let made = self.insert(op.into(), vec![NewResult { name, dtype, shape: Some(shape), absent: false }])?;
        made.first().copied().ok_or_else(|| invalid("it has no result"))
    }
    /// Adds the operator that computes the call's outputs. Its operands determine their types.
    pub(crate) fn emit(&mut self, op: impl Into<Op<Tensor>>) -> Result<Vec<Tensor>> {
        self.emit_many(op, 1, None)
    }
    /// Like [`Lowering::emit`], for an op with a dtype chosen by the caller.
    pub(crate) fn emit_as(&mut self, op: impl Into<Op<Tensor>>, dtype: Dtype) -> Result<Vec<Tensor>> {
        self.emit_many(op, 1, Some(dtype))
    }
    /// Like [`Lowering::emit`], for several outputs.
    pub(crate) fn emit_many(
        &mut self,
        op: impl Into<Op<Tensor>>,
        outputs: usize,
        dtype: Option<Dtype>,
    ) -> Result<Vec<Tensor>> {
        let name = |name| NewResult { name: Some(name), dtype, ..NewResult::default() };
        let results = self.out_names(outputs)?.into_iter().map(name).collect();
        self.insert(op, results)
    }
    /// Like [`Lowering::emit`], for several outputs of different dtypes.
    pub(crate) fn emit_each(&mut self, op: impl Into<Op<Tensor>>, dtypes: &[Dtype]) -> Result<Vec<Tensor>> {
        let name = |(name, dtype): (String, &Dtype)| NewResult {
            name: Some(name),
            dtype: Some(*dtype),
            ..NewResult::default()
        };
        let results = self.out_names(dtypes.len())?.into_iter().zip(dtypes).map(name).collect();
        self.insert(op, results)
    }
    /// Like [`Lowering::emit`], for outputs whose types the op does not determine.
    pub(crate) fn emit_typed(&mut self, op: impl Into<Op<Tensor>>, types: Vec<(Dtype, Shape)>) -> Result<Vec<Tensor>> {
        let names = self.out_names(types.len())?;
        let new = |(name, (dtype, shape))| NewResult {
            name: Some(name),
            dtype: Some(dtype),
            shape: Some(shape),
            ..NewResult::default()
        };
        self.insert(op, names.into_iter().zip(types).map(new).collect())
    }
    /// Returns the outputs' names, for a function whose outputs come from different operators.
    pub(crate) fn output_names(&self, count: usize) -> Result<Vec<String>> {
        self.out_names(count)
    }
    /// Adds an operator that computes one of several outputs.
    pub(crate) fn named(&mut self, name: &str, op: impl Into<Op<Tensor>>) -> Result<Tensor> {
        let made = self.insert(op, vec![NewResult { name: Some(name.into()), ..NewResult::default() }])?;
        made.first().copied().ok_or_else(|| invalid("it has no result"))
    }
    /// Adds an operator with the given results. Returns those that are present.
    pub(crate) fn insert(&mut self, op: impl Into<Op<Tensor>>, results: Vec<NewResult>) -> Result<Vec<Tensor>> {
        let made = self.graph.insert(op.into(), &results, Vec::new(), &self.arguments);
        made.map(|all| all.into_iter().flatten().collect()).map_err(|e: Error| e.in_words(self.argument_names))
    }
    /// Calls another function. With a suffix, its results are intermediate tensors named after the call's output; without one,
    /// they are the call's outputs. Errors name tensors by this function's arguments, but other arguments by the called
    /// function's: check what the called function could reject.
    pub(crate) fn call<A: Arguments>(
        &mut self,
        function: Function<A>,
        mut args: A,
        suffix: Option<&str>,
    ) -> Result<Vec<Tensor>> {
        let out = match suffix {
            Some(suffix) => vec![format!("{}_{suffix}", self.stem())],
            None => self.out.clone().unwrap_or_else(|| vec![self.graph.free_name(self.function)]),
        };
        let mut inner = Lowering::new(self.graph, function.name, function.outputs, Some(out));
        inner.arguments.clone_from(&self.arguments);
        let done = inner.resolve(&mut args).and_then(|()| (function.lower)(&args, &mut inner));
        let theirs = inner.arguments.split_off(self.arguments.len());
        let ours: HashMap<Tensor, &str> = self.arguments.iter().rev().map(|(name, t)| (*t, *name)).collect();
        let words: Vec<_> = theirs.iter().filter_map(|(name, t)| Some((*name, *ours.get(t)?))).collect();
        done.map_err(|e| e.in_words(&words))
    }
}

/// Checks that a dtype is one of `allowed`.
pub(super) fn one_of(name: &str, found: Dtype, allowed: &[Dtype]) -> Result<Dtype> {
    if !allowed.contains(&found) {
        return Err(Cause::Dtype { argument: name.into(), found, allowed: allowed.to_vec(), remedy: None }.into());
    }
    Ok(found)
}

fn quant_error(info: &TensorInfo, problem: String) -> Error {
    Cause::Quantization { tensor: info.name.clone(), problem }.into()
}

/// Checks that a dtype is one of TpuLang's. Functions accept no others, unlike ops.
fn check_declared(argument: &str, info: &TensorInfo) -> Result<()> {
    let dtype = info.dtype;
    if dtype.is_declared() {
        return Ok(());
    }
    let wanted = match dtype {
        Dtype::Int64 | Dtype::Uint64 => Dtype::Int32,
        Dtype::Bool => Dtype::Uint8,
        _ => Dtype::Float32,
    };
    let remedy = match info.kind {
        TensorKind::Value => format!("top.Cast converts it to {wanted}"),
        _ => format!("declare {:?} as {wanted}, and its data are converted", info.name),
    };
    Err(misfit(argument, format!("is {dtype}, which no function takes; {remedy}")))
}
