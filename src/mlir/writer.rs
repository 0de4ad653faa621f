use super::{
    attributes::{preprocess_attributes, to_mlir},
    context::context,
    types::tensor_type,
};
use crate::{
    graph::{
        Attribute as Value, AttributeKind, Attributes, Cause, Graph, OpDef, Operator, Result, Tensor, TensorKind,
        op_def,
    },
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

/// The name of the weight file that belongs to a graph.
pub fn weight_file_name(graph: &Graph) -> String {
    format!("{}_{}_all_weight.npz", graph.name(), graph.mode.state())
}

/// The graph as the text of an MLIR module, with the coefficients it uses in the order of their use.
///
/// ```
/// use tpulang::{Dtype, Graph, mlir};
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [1, 3])?;
/// let y = g.relu(x).out_name("y").call()?;
/// g.set_outputs(&[y])?;
/// let (text, weights) = mlir::emit(&g)?;
/// assert!(text.contains(r#""top.Relu"(%1) {relu_limit = -1.000000e+00 : f64}"#));
/// assert!(weights.is_empty());
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Outputs are not set, a coefficient has no data, or propagated quantizations contradict each other.
pub fn emit(graph: &Graph) -> Result<(String, Vec<Tensor>)> {
    graph.check_complete()?;
    let quantization = graph.propagated_quantization()?;
    let context = context();
    let emitter = Emitter { context: &context, graph, quantization };
    emitter.module()
}

struct Emitter<'c, 'g> {
    context: &'c Context,
    graph: &'g Graph,
    quantization: Vec<Option<Quantization>>,
}

/// The body of `main` as it grows.
struct Body<'c> {
    block: Block<'c>,
    /// The MLIR value of each tensor, once there is one.
    values: Vec<Option<MlirValue<'c, 'c>>>,
    none: Option<MlirValue<'c, 'c>>,
    weights: Vec<Tensor>,
}

impl<'c> Emitter<'c, '_> {
    fn module(&self) -> Result<(String, Vec<Tensor>)> {
        let unknown = Location::unknown(self.context);
        let types = |tensors: &[Tensor]| tensors.iter().map(|&t| self.tensor_type(t)).collect::<Result<Vec<_>>>();
        let (inputs, outputs) = (types(self.graph.inputs())?, types(self.graph.outputs())?);
        let body = self.body(&inputs)?;
        let region = Region::new();
        region.append_block(body.block);
        let name = |n: &str| Attribute::from(StringAttribute::new(self.context, n));
        let function_type = TypeAttribute::new(FunctionType::new(self.context, &inputs, &outputs).into());
        let function = OperationBuilder::new("func.func", unknown)
            .add_attributes(&[(self.id("sym_name"), name("main")), (self.id("function_type"), function_type.into())])
            .add_regions([region])
            .build()
            .map_err(|e| internal("func.func", e))?;
        let mut module = Module::new(unknown);
        module.body().append_operation(function);
        let weight_file = weight_file_name(self.graph);
        let mut operation = module.as_operation_mut();
        for (key, value) in [
            ("sym_name", self.graph.name()),
            ("module.chip", "ALL"),
            ("module.platform", "TPULANG"),
            ("module.state", self.graph.mode.state()),
            ("module.top_run_mode", "STATIC"),
            ("module.weight_file", &weight_file),
        ] {
            operation.set_attribute(key, name(value));
        }
        if !module.as_operation().verify() {
            return Err(internal("module", "MLIR's verifier refuses the module"));
        }
        let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
        let text = module.as_operation().to_string_with_flags(flags).map_err(|e| internal("module", e))?;
        Ok((text, body.weights))
    }

    fn body(&self, inputs: &[Type<'c>]) -> Result<Body<'c>> {
        let unknown = Location::unknown(self.context);
        let arguments: Vec<_> = inputs.iter().map(|t| (*t, unknown)).collect();
        let tensors = self.graph.tensors().count();
        let mut body =
            Body { block: Block::new(&arguments), values: vec![None; tensors], none: None, weights: Vec::new() };
        body.none = self.append(&body, "top.None", unknown, &[], &[], &[Type::none(self.context)])?.first().copied();
        for (i, &input) in self.graph.inputs().iter().enumerate() {
            self.input(&mut body, i, input, inputs[i])?;
        }
        for operator in self.graph.operators() {
            self.operator(&mut body, operator)?;
        }
        let outputs = self.graph.outputs().iter().map(|&t| value_of(&body, t)).collect::<Result<Vec<_>>>()?;
        self.append(&body, "func.return", unknown, &outputs, &[], &[])?;
        Ok(body)
    }

    fn input(&self, body: &mut Body<'c>, index: usize, tensor: Tensor, ty: Type<'c>) -> Result<()> {
        let info = self.graph.tensor(tensor)?;
        let given = info.preprocess.as_ref().map_or(Vec::new(), |p| preprocess_attributes(p, &info.shape));
        let def = structure("Input")?;
        let attributes = self.attributes(def, &Attributes::new(def, given)?);
        let argument = body.block.argument(index).map_err(|e| internal("func.func", e))?;
        let argument: MlirValue = argument.into();
        // SAFETY: the argument lives as long as the block, which lives as long as the body.
        let argument = unsafe { MlirValue::from_raw(argument.to_raw()) };
        let location = self.location(&[tensor])?;
        body.values[tensor.0 as usize] =
            self.append(body, "top.Input", location, &[argument], &attributes, &[ty])?.first().copied();
        Ok(())
    }

    fn operator(&self, body: &mut Body<'c>, operator: &Operator) -> Result<()> {
        let mut operands = Vec::with_capacity(operator.operands.len());
        for operand in &operator.operands {
            operands.push(match operand {
                Some(tensor) => self.operand(body, *tensor)?,
                None => body.none.ok_or_else(|| internal("top.None", "missing"))?,
            });
        }
        let types = operator.results.iter().map(|&t| self.tensor_type(t)).collect::<Result<Vec<_>>>()?;
        let attributes = self.attributes(operator.op, &operator.attributes);
        let name = format!("top.{}", operator.op.name);
        let results = self.append(body, &name, self.location(&operator.results)?, &operands, &attributes, &types)?;
        for (tensor, value) in operator.results.iter().zip(results) {
            body.values[tensor.0 as usize] = Some(value);
        }
        Ok(())
    }

    /// The value of an operand; a coefficient's `top.Weight` is made at its first use.
    fn operand(&self, body: &mut Body<'c>, tensor: Tensor) -> Result<MlirValue<'c, 'c>> {
        let info = self.graph.tensor(tensor)?;
        if body.values[tensor.0 as usize].is_none() && matches!(info.kind, TensorKind::Coefficient(_)) {
            let value =
                self.append(body, "top.Weight", self.location(&[tensor])?, &[], &[], &[self.tensor_type(tensor)?])?;
            body.values[tensor.0 as usize] = value.first().copied();
            body.weights.push(tensor);
        }
        value_of(body, tensor)
    }

    fn append(
        &self,
        body: &Body<'c>,
        name: &str,
        location: Location<'c>,
        operands: &[MlirValue<'c, 'c>],
        attributes: &[(Identifier<'c>, Attribute<'c>)],
        results: &[Type<'c>],
    ) -> Result<Vec<MlirValue<'c, 'c>>> {
        let operation = OperationBuilder::new(name, location)
            .add_operands(operands)
            .add_attributes(attributes)
            .add_results(results)
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
        unsafe { mlirBlockAppendOwnedOperation(body.block.to_raw(), raw) };
        std::mem::forget(operation);
        values
    }

    fn attributes(&self, def: &OpDef, attributes: &Attributes) -> Vec<(Identifier<'c>, Attribute<'c>)> {
        let kind = |name: &str| def.attributes.iter().find(|a| a.name == name).map_or(AttributeKind::Int, |a| a.kind);
        attributes
            .iter()
            .map(|(name, value): (&str, &Value)| (self.id(name), to_mlir(self.context, kind(name), value)))
            .collect()
    }
    fn tensor_type(&self, tensor: Tensor) -> Result<Type<'c>> {
        let quantization = self.quantization.get(tensor.0 as usize).and_then(Option::as_ref);
        Ok(tensor_type(self.context, self.graph.tensor(tensor)?, quantization))
    }
    /// The names of tensors as a location; of several, fused.
    fn location(&self, tensors: &[Tensor]) -> Result<Location<'c>> {
        let unknown = Location::unknown(self.context);
        let names = tensors.iter().map(|&t| Ok(Location::name(self.context, &self.graph.tensor(t)?.name, unknown)));
        let names = names.collect::<Result<Vec<_>>>()?;
        Ok(match names.as_slice() {
            [one] => *one,
            // SAFETY: a null attribute means no metadata.
            many => Location::fused(self.context, many, unsafe { Attribute::from_raw(mlirAttributeGetNull()) }),
        })
    }
    fn id(&self, name: &str) -> Identifier<'c> {
        Identifier::new(self.context, name)
    }
}

fn value_of<'c>(body: &Body<'c>, tensor: Tensor) -> Result<MlirValue<'c, 'c>> {
    body.values.get(tensor.0 as usize).copied().flatten().ok_or_else(|| Cause::ForeignTensor(tensor.0).into())
}

pub(super) fn structure(name: &str) -> Result<&'static OpDef> {
    op_def(name).ok_or_else(|| internal(name, "not in the op table"))
}

fn internal(op: &str, problem: impl std::fmt::Display) -> crate::Error {
    Cause::Operator { op: op.trim_start_matches("top.").into(), problem: problem.to_string() }.into()
}
