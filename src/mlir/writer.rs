use super::{
    attributes::to_mlir,
    coefficient_form::{Form, Forms},
    context::context,
    types::tensor_type,
};
use crate::{
    array::Array,
    base::{Cause, Error, Result},
    graph::{Block as GraphBlock, Graph, Operator, Tensor, TensorInfo, TensorKind},
    ops::{AttributeKind, Attributes, Op, OpDef, op_def},
    quant::Quantization,
};
use melior::{
    Context,
    ir::{
        Attribute, Block, BlockLike, Identifier, Location, Module, Region, RegionLike, Type, Value as MlirValue,
        ValueLike,
        attribute::{StringAttribute, TypeAttribute},
        operation::{OperationBuilder, OperationLike, OperationMutLike, OperationPrintingFlags},
        r#type::FunctionType,
    },
};
use mlir_sys::{mlirAttributeGetNull, mlirBlockAppendOwnedOperation};
use std::collections::{HashMap, HashSet};

/// Returns the name of a graph's weight file.
pub fn weight_file_name(graph: &Graph) -> String {
    format!("{}_{}_all_weight.npz", graph.name(), graph.mode.state())
}

/// The output of [`emit`].
#[derive(Debug)]
pub struct Emitted {
    /// The module.
    pub text: String,
    /// The coefficients that the module uses, by their keys in the weight file, in order of use.
    pub weights: Vec<(String, Array)>,
}

/// Emits a graph as the text of an MLIR module, with the coefficients that it uses.
///
/// ```
/// use tpulang::{Dtype, Graph, mlir};
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [1, 3])?;
/// let y = g.relu(x).out_name("y").call()?;
/// g.set_outputs(&[y])?;
/// let emitted = mlir::emit(&g)?;
/// assert!(emitted.text.contains(r#""top.Relu"(%1) {relu_limit = -1.000000e+00 : f64}"#));
/// assert!(emitted.weights.is_empty());
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the outputs are not set, a coefficient has no data, or propagated quantizations contradict each
/// other.
pub fn emit(graph: &Graph) -> Result<Emitted> {
    emit_naming(graph, &weight_file_name(graph))
}

/// Like [`emit`], with another name of the weight file.
pub(crate) fn emit_naming(graph: &Graph, weight_file: &str) -> Result<Emitted> {
    graph.check_complete()?;
    let graph = &*graph.for_tool_chain()?;
    let quantization = graph.propagated_quantization()?;
    let context = context();
    let (forms, named_after) = (Forms::new(graph), repacked_coefficients(graph));
    Emitter { context: &context, graph, weight_file, quantization, forms, named_after }.module()
}

struct Emitter<'c, 'g> {
    context: &'c Context,
    graph: &'g Graph,
    weight_file: &'g str,
    quantization: Vec<Option<Quantization>>,
    forms: Forms<'g>,
    /// Coefficients that are emitted under the name of another one.
    named_after: HashMap<Tensor, Tensor>,
}

/// The parts of an operation.
#[derive(Default)]
struct OperationParts<'a, 'c> {
    operands: &'a [MlirValue<'c, 'c>],
    attributes: &'a [(Identifier<'c>, Attribute<'c>)],
    results: &'a [Type<'c>],
    regions: Vec<Region<'c>>,
}

/// The operations emitted so far.
struct Body<'c> {
    visible: Visible<'c>,
    none: Option<MlirValue<'c, 'c>>,
    weights: Vec<(String, Array)>,
}

/// The values that operators of the current block may use.
#[derive(Clone)]
struct Visible<'c> {
    /// Values by tensor index.
    tensors: Vec<Option<MlirValue<'c, 'c>>>,
    /// Coefficients in other forms.
    converted: HashMap<(Tensor, Form), MlirValue<'c, 'c>>,
}

/// Maps each repacked coefficient to its original, if the original is not emitted; the first one per original.
fn repacked_coefficients(graph: &Graph) -> HashMap<Tensor, Tensor> {
    let mut used = graph.outputs().to_vec();
    graph.body().walk(&mut |o| used.extend(o.op.operands().map(|(_, t)| *t)));
    let mut taken: HashSet<Tensor> = used.iter().copied().collect();
    let repacked_from = |t: Tensor| graph.tensor(t).ok().and_then(|info| info.repacked_from);
    used.into_iter().filter_map(|t| Some((t, repacked_from(t).filter(|of| taken.insert(*of))?))).collect()
}

impl<'c> Emitter<'c, '_> {
    fn module(&self) -> Result<Emitted> {
        let unknown = Location::unknown(self.context);
        let types = |tensors: &[Tensor]| tensors.iter().map(|&t| self.tensor_type(t)).collect::<Result<Vec<_>>>();
        let (inputs, outputs) = (types(self.graph.inputs())?, types(self.graph.outputs())?);
        let visible = Visible { tensors: vec![None; self.graph.tensor_table().len()], converted: HashMap::new() };
        let mut body = Body { visible, none: None, weights: Vec::new() };
        let block = self.main(&mut body, &inputs)?;
        let region = Region::new();
        region.append_block(block);
        let name = |n: &str| Attribute::from(StringAttribute::new(self.context, n));
        let function_type = TypeAttribute::new(FunctionType::new(self.context, &inputs, &outputs).into());
        let function = OperationBuilder::new("func.func", unknown)
            .add_attributes(&[(self.id("sym_name"), name("main")), (self.id("function_type"), function_type.into())])
            .add_regions([region])
            .build()
            .map_err(|e| internal("func.func", e))?;
        let mut module = Module::new(unknown);
        module.body().append_operation(function);
        let mut operation = module.as_operation_mut();
        for (key, value) in [
            ("sym_name", self.graph.name()),
            ("module.chip", "ALL"),
            ("module.platform", "TPULANG"),
            ("module.state", self.graph.mode.state()),
            ("module.top_run_mode", "STATIC"),
            ("module.weight_file", self.weight_file),
        ] {
            operation.set_attribute(key, name(value));
        }
        if !module.as_operation().verify() {
            return Err(internal("module", "MLIR's verifier refuses the module"));
        }
        let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
        let text = module.as_operation().to_string_with_flags(flags).map_err(|e| internal("module", e))?;
        Ok(Emitted { text, weights: body.weights })
    }

    fn main(&self, body: &mut Body<'c>, inputs: &[Type<'c>]) -> Result<Block<'c>> {
        let unknown = Location::unknown(self.context);
        let arguments: Vec<_> = inputs.iter().map(|t| (*t, unknown)).collect();
        let block = Block::new(&arguments);
        body.none = self
            .append(
                &block,
                "top.None",
                unknown,
                OperationParts { results: &[Type::none(self.context)], ..OperationParts::default() },
            )?
            .first()
            .copied();
        for (i, &input) in self.graph.inputs().iter().enumerate() {
            self.input(body, &block, i, input, inputs[i])?;
        }
        self.operators(body, &block, self.graph.body(), "func.return")?;
        Ok(block)
    }

    /// Emits the operators of a block and its terminator.
    fn operators(&self, body: &mut Body<'c>, block: &Block<'c>, from: &GraphBlock, end: &str) -> Result<()> {
        from.operators().iter().try_for_each(|operator| self.operator(body, block, operator))?;
        let results = from.results().iter().map(|&t| self.operand(body, block, t)).collect::<Result<Vec<_>>>()?;
        self.append(
            block,
            end,
            Location::unknown(self.context),
            OperationParts { operands: &results, ..OperationParts::default() },
        )?;
        Ok(())
    }

    fn input(&self, body: &mut Body<'c>, block: &Block<'c>, index: usize, tensor: Tensor, ty: Type<'c>) -> Result<()> {
        let info = self.graph.tensor(tensor)?;
        let def = op_def("Input")?;
        let attributes = match &info.preprocess {
            Some(p) => p.attributes(&info.shape)?,
            None => Attributes::defaults(def)?,
        };
        let argument = argument(block, index)?;
        let location = self.location(&[Some(tensor)])?;
        let attributes = self.attributes(def, &attributes);
        let parts = OperationParts {
            operands: &[argument],
            attributes: &attributes,
            results: &[ty],
            ..OperationParts::default()
        };
        body.visible.tensors[tensor.index()] = self.append(block, "top.Input", location, parts)?.first().copied();
        Ok(())
    }

    fn operator(&self, body: &mut Body<'c>, block: &Block<'c>, operator: &Operator) -> Result<()> {
        operator.blocks.iter().try_for_each(|inner| self.coefficients(body, block, inner))?;
        let regions = operator.blocks.iter().map(|b| self.region(body, b)).collect::<Result<Vec<_>>>()?;
        let converted = self.forms.of_operands(operator);
        let straight = without_transposition(operator, &converted);
        let op = straight.as_ref().unwrap_or(&operator.op);
        let mut operands = Vec::new();
        for (i, operand) in op.operand_list().into_iter().enumerate() {
            operands.push(match operand {
                Some(t) => self.operand_in_form(body, block, *t, form_of(i, &converted))?,
                None => body.none.ok_or_else(|| internal("top.None", "missing"))?,
            });
        }
        let none = Type::none(self.context);
        let result_type = |t: &Option<Tensor>| t.map_or(Ok(none), |t| self.tensor_type(t));
        let types = operator.results.iter().map(result_type).collect::<Result<Vec<_>>>()?;
        let attributes = self.attributes(op.def(), &op.attributes());
        let name = format!("top.{}", op.name());
        let location = self.location(&operator.results)?;
        let parts = OperationParts { operands: &operands, attributes: &attributes, results: &types, regions };
        let results = self.append(block, &name, location, parts)?;
        for (tensor, value) in operator.results.iter().zip(results) {
            if let Some(t) = tensor {
                body.visible.tensors[t.index()] = Some(value);
            }
        }
        Ok(())
    }

    /// Emits the coefficients that an inner block uses, before its operator, so that all of its blocks share them.
    fn coefficients(&self, body: &mut Body<'c>, block: &Block<'c>, inner: &GraphBlock) -> Result<()> {
        let is_coefficient = |t: &Tensor| self.graph.tensor(*t).is_ok_and(TensorInfo::is_coefficient);
        for operator in inner.operators() {
            let converted = self.forms.of_operands(operator);
            for (i, t) in operator.op.operand_list().into_iter().enumerate() {
                if let Some(t) = t.filter(|t| is_coefficient(t)) {
                    self.operand_in_form(body, block, *t, form_of(i, &converted))?;
                }
            }
            operator.blocks.iter().try_for_each(|deeper| self.coefficients(body, block, deeper))?;
        }
        inner.results().iter().filter(|t| is_coefficient(t)).try_for_each(|t| self.operand(body, block, *t).map(drop))
    }

    /// Emits a block that an operator owns. Its arguments are read through `top.Input`, like those of the tool chain, which
    /// carries their names.
    fn region(&self, body: &mut Body<'c>, block: &GraphBlock) -> Result<Region<'c>> {
        let unknown = Location::unknown(self.context);
        let types = block.arguments().iter().map(|&t| self.tensor_type(t)).collect::<Result<Vec<_>>>()?;
        let inner = Block::new(&types.iter().map(|ty| (*ty, unknown)).collect::<Vec<_>>());
        // What the block defines is not visible outside it.
        let visible = body.visible.clone();
        for (i, (&t, ty)) in block.arguments().iter().zip(types).enumerate() {
            self.input(body, &inner, i, t, ty)?;
        }
        self.operators(body, &inner, block, "top.Yield")?;
        body.visible = visible;
        let region = Region::new();
        region.append_block(inner);
        Ok(region)
    }

    /// Returns the value of an operand, which is a coefficient if it has another form.
    fn operand_in_form(
        &self,
        body: &mut Body<'c>,
        block: &Block<'c>,
        tensor: Tensor,
        form: Option<Form>,
    ) -> Result<MlirValue<'c, 'c>> {
        let Some(form) = form else { return self.operand(body, block, tensor) };
        if let Some(value) = body.visible.converted.get(&(tensor, form)) {
            return Ok(*value);
        }
        let info = self.graph.tensor(tensor)?;
        let data = form.of(info.data().ok_or_else(|| internal("top.Weight", "it has no data"))?)?;
        let name = match self.named_after.get(&tensor) {
            // It was read in this form.
            Some(original) if form == Form::Floats => self.graph.tensor(*original)?.name.clone(),
            _ => self.free_name(format!("{}_{}", info.name, form.suffix())),
        };
        let quantization = self.quantization.get(tensor.index()).and_then(Option::as_ref);
        let quantization = quantization.filter(|_| !matches!(form, Form::Floats | Form::Indices(_)));
        let ty = tensor_type(self.context, data.shape(), data.dtype(), quantization);
        let location = Location::name(self.context, &name, Location::unknown(self.context));
        let value =
            self.append(block, "top.Weight", location, OperationParts { results: &[ty], ..OperationParts::default() })?;
        let value = value.first().copied().ok_or_else(|| internal("top.Weight", "it has no result"))?;
        body.visible.converted.insert((tensor, form), value);
        body.weights.push((name, data));
        Ok(value)
    }

    fn free_name(&self, mut name: String) -> String {
        while self.graph.lookup(&name).is_some() {
            name.push('_');
        }
        name
    }

    /// Returns the value of an operand. A coefficient's `top.Weight` is emitted on first use.
    fn operand(&self, body: &mut Body<'c>, block: &Block<'c>, tensor: Tensor) -> Result<MlirValue<'c, 'c>> {
        let info = self.graph.tensor(tensor)?;
        if let (None, TensorKind::Coefficient(Some(data))) = (body.visible.tensors[tensor.index()], &info.kind) {
            let (location, ty) = (self.location(&[Some(tensor)])?, self.tensor_type(tensor)?);
            let value = self.append(
                block,
                "top.Weight",
                location,
                OperationParts { results: &[ty], ..OperationParts::default() },
            )?;
            body.visible.tensors[tensor.index()] = value.first().copied();
            body.weights.push((self.name(tensor)?.to_owned(), data.clone()));
        }
        body.visible.tensors[tensor.index()].ok_or_else(|| Cause::ForeignTensor(tensor.index() as u32).into())
    }

    fn append(
        &self,
        block: &Block<'c>,
        name: &str,
        location: Location<'c>,
        OperationParts { operands, attributes, results, regions }: OperationParts<'_, 'c>,
    ) -> Result<Vec<MlirValue<'c, 'c>>> {
        let operation = OperationBuilder::new(name, location)
            .add_operands(operands)
            .add_attributes(attributes)
            .add_results(results)
            .add_regions_vec(regions)
            .build()
            .map_err(|e| internal(name, e))?;
        let raw = operation.to_raw();
        let values = (0..results.len())
            .map(|i| {
                let value: MlirValue = operation.result(i).map_err(|e| internal(name, e))?.into();
                // SAFETY: the result lives as long as the operation, which the block owns from here on.
                Ok(unsafe { MlirValue::from_raw(value.to_raw()) })
            })
            .collect();
        // SAFETY: ownership passes to the block; `forget` keeps it from being dropped twice.
        unsafe { mlirBlockAppendOwnedOperation(block.to_raw(), raw) };
        std::mem::forget(operation);
        values
    }

    fn attributes(&self, def: &OpDef, attributes: &Attributes) -> Vec<(Identifier<'c>, Attribute<'c>)> {
        let kind = |name: &str| def.attributes.iter().find(|a| a.name == name).map_or(AttributeKind::Int, |a| a.kind);
        attributes.iter().map(|(name, value)| (self.id(name), to_mlir(self.context, kind(name), value))).collect()
    }
    fn tensor_type(&self, tensor: Tensor) -> Result<Type<'c>> {
        let quantization = self.quantization.get(tensor.index()).and_then(Option::as_ref);
        let info = self.graph.tensor(tensor)?;
        Ok(tensor_type(self.context, &info.shape, info.dtype, quantization))
    }
    fn name(&self, tensor: Tensor) -> Result<&str> {
        let named = self.named_after.get(&tensor).copied().unwrap_or(tensor);
        Ok(&self.graph.tensor(named)?.name)
    }
    /// Returns the names of results as a location, fused if there are several. The tool chain looks up each name by the
    /// result's index, so that with several results absent ones have names too.
    fn location(&self, results: &[Option<Tensor>]) -> Result<Location<'c>> {
        let unknown = Location::unknown(self.context);
        let named = |name: &str| Location::name(self.context, name, unknown);
        let present = results.iter().flatten().map(|&t| self.name(t)).collect::<Result<Vec<_>>>()?;
        Ok(match present.as_slice() {
            [one] => named(one),
            [] => unknown,
            [first, ..] => {
                let (mut many, mut absent) = (Vec::new(), 0);
                for result in results {
                    many.push(match result {
                        Some(t) => named(self.name(*t)?),
                        None => {
                            absent += 1;
                            named(&self.absent_name(first, absent))
                        }
                    });
                }
                // SAFETY: a null attribute means no metadata.
                Location::fused(self.context, &many, unsafe { Attribute::from_raw(mlirAttributeGetNull()) })
            }
        })
    }
    /// Returns the name of the nth absent result of an operator, of which no other result is. MLIR drops locations that are
    /// repeated.
    fn absent_name(&self, first: &str, n: usize) -> String {
        let number = if n == 1 { String::new() } else { format!("_{n}") };
        self.free_name(format!("{first}_absent{number}"))
    }
    fn id(&self, name: &str) -> Identifier<'c> {
        Identifier::new(self.context, name)
    }
}

/// Returns the form of the operand with this index.
fn form_of(index: usize, converted: &[(usize, Form)]) -> Option<Form> {
    let found = converted.binary_search_by_key(&index, |(i, _)| *i).ok()?;
    Some(converted[found].1)
}

/// Returns a product whose coefficient is emitted transposed, without `right_transpose`.
fn without_transposition(operator: &Operator, converted: &[(usize, Form)]) -> Option<Op<Tensor>> {
    match (&operator.op, converted) {
        (Op::MatMul(op), [(_, Form::Transposed)]) => {
            let mut straight = (**op).clone();
            straight.right_transpose = false;
            Some(straight.into())
        }
        _ => None,
    }
}

/// Returns an argument of a block.
fn argument<'c>(block: &Block<'c>, index: usize) -> Result<MlirValue<'c, 'c>> {
    let argument = block.argument(index).map_err(|e| internal("block", e))?;
    let argument: MlirValue = argument.into();
    // SAFETY: the argument lives as long as the block, which lives as long as the module.
    Ok(unsafe { MlirValue::from_raw(argument.to_raw()) })
}

fn internal(op: &str, problem: impl std::fmt::Display) -> Error {
    Cause::Operator { op: op.trim_start_matches("top.").into(), problem: problem.to_string() }.into()
}
