use super::{
    WEIGHTS_LINE,
    attributes::from_mlir,
    canonical::{computed_outputs, in_usual_form},
    context::context,
    parse::parse,
    preprocessing::preprocess,
    structure, text,
    types::{ReadType, read_type},
};
use crate::{
    array::{Array, WeightFile, fingerprint},
    base::{CallContext, Cause, Error, Lock, Result, Shape, escaped_path, files, pluralized, shape_text, truncated},
    graph::{Block as GraphBlock, Graph, Mode, NewResult, Tensor, TensorInfo, TensorKind},
    ops::{Attribute as Value, Attributes, Input, Op, OpDef, Reshape, op_def},
};
use indexmap::IndexMap;
use melior::ir::{
    BlockLike, BlockRef, Location, RegionLike, TypeLike, Value as MlirValue, ValueLike,
    operation::{OperationLike, OperationRef},
};
use mlir_sys::{mlirBlockArgumentGetArgNumber, mlirIdentifierStr, mlirLocationNameGetName, mlirValueIsABlockArgument};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Component, Path},
};

/// The operations that end a function, and a block of an operator.
const ENDS_OF_FUNCTION: &[&str] = &["return", "func.return"];
const ENDS_OF_BLOCK: &[&str] = &["top.Yield"];

/// Maximum number of parts of a location that are visited in addition to the required names.
const MAX_LOCATION_PARTS: usize = 1 << 10;

/// Reads a Top dialect module and its weights: from `weights`, or from the file next to the module that the module names.
/// Accepts modules written by tpulang and TpuLang (with unranked results), and those that `tpuc-opt` produces from them.
///
/// # Errors
/// Returns an error if the file is not a module of known ops, or if the weights do not match it.
pub fn read(path: impl AsRef<Path>, weights: Option<&Path>) -> Result<Graph> {
    let path = path.as_ref();
    let dir = files::folder(path);
    let _lock = Lock::shared(dir)?;
    let bytes = files::read(path, files::MAX_MODULE)?;
    let text =
        String::from_utf8(bytes).map_err(|e| Error::format(path, format!("not UTF-8 text: {}", e.utf8_error())))?;
    read_module(&text, &path.display().to_string(), &IndexMap::new(), |name| match weights {
        Some(given) => WeightFile::open(given),
        None => weights_beside(path, dir, name, &text),
    })
}

/// Opens the weights that a module names, and checks that it was written with them.
fn weights_beside(mlir: &Path, dir: &Path, name: &str, text: &str) -> Result<WeightFile> {
    if !is_beside(name) {
        let problem =
            format!("its weights are {:?}, not a file beside it; name the file with --weights", truncated(name));
        return Err(Error::format(mlir, problem));
    }
    let path = dir.join(name);
    if !path.exists() {
        let problem = format!("its weights, {name}, are not in its folder; name the file with --weights");
        return Err(Error::format(mlir, problem));
    }
    let file = WeightFile::open(&path)?;
    let written_with = text.strip_prefix(WEIGHTS_LINE).and_then(|rest| rest.get(..8));
    if let Some(expected) = written_with
        && format!("{:08x}", fingerprint(files::open(&path)?, &path)?) != expected
    {
        let problem = format!(
            "these are not the weights that {} was written with; convert it again, or name the weights that you mean with --weights",
            escaped_path(mlir)
        );
        return Err(Error::format(path, problem));
    }
    Ok(file)
}

/// Returns whether a path stays within the module's folder. Modules are untrusted, and name the file that is opened.
fn is_beside(name: &str) -> bool {
    !name.is_empty()
        && Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Reads a module from text, without the data of its coefficients.
///
/// # Errors
/// Same as for [`read`].
pub fn read_text(text: &str) -> Result<Graph> {
    read_text_with(text, &IndexMap::new())
}

/// Like [`read_text`], with the values of some coefficients by name.
pub fn read_text_with(text: &str, numbers: &IndexMap<String, Vec<f64>>) -> Result<Graph> {
    read_module(text, "module", numbers, |_| Err(Cause::MissingData(String::new()).into()))
}

fn read_module(
    text: &str,
    file: &str,
    numbers: &IndexMap<String, Vec<f64>>,
    open: impl Fn(&str) -> Result<WeightFile>,
) -> Result<Graph> {
    let context = context();
    let module = parse(&context, text, file)?;
    let module = module.as_operation();
    let string = |name: &str| attribute_text(&module, name);
    let mut graph = Graph::new(string("sym_name").unwrap_or_else(|| "main".into()))?;
    if string("module.state").as_deref() == Some(Mode::Quantized.state()) {
        graph.mode = Mode::Quantized;
    }
    let weights = string("module.weight_file").map(|name| (open(&name), name));
    let mut reader = Reader { graph, values: HashMap::new(), arguments: BTreeMap::new(), weights, numbers };
    let main = main_function(&module)?;
    reader.function(&main)?;
    Ok(reader.graph)
}

fn attribute_text(operation: &OperationRef, name: &str) -> Option<String> {
    operation.attribute(name).ok().and_then(text::of_string)
}

fn main_function<'c, 'a>(module: &OperationRef<'c, 'a>) -> Result<OperationRef<'c, 'a>> {
    let missing = || Error::from(Cause::Syntax("the module has no function main".into()));
    let block = module.region(0).ok().and_then(|r| r.first_block()).ok_or_else(missing)?;
    let mut next = block.first_operation();
    while let Some(operation) = next {
        if op_name(&operation) == "func.func" && attribute_text(&operation, "sym_name").as_deref() == Some("main") {
            // SAFETY: the operation is owned by the module, which outlives the reference.
            return Ok(unsafe { OperationRef::from_raw(operation.to_raw()) });
        }
        next = operation.next_in_block();
    }
    Err(missing())
}

fn op_name(operation: &OperationRef) -> String {
    text::of_name(operation.name())
}

/// Returns the names in a location, which may be fused. Aliases can expand a small text to a location of any size, so the
/// search stops after `results` names or a limited number of parts.
fn location_names(location: Location, results: usize) -> Vec<String> {
    let (mut names, mut parts) = (Vec::new(), vec![location]);
    let mut visits = results.saturating_mul(2).saturating_add(MAX_LOCATION_PARTS);
    while let Some(location) = parts.pop() {
        visits -= 1;
        if visits == 0 || names.len() == results {
            break;
        }
        if location.is_name() {
            // SAFETY: the name lives as long as the context.
            names.push(unsafe { text::string(mlirIdentifierStr(mlirLocationNameGetName(location.to_raw()))) });
        } else if location.is_fused() && location.fused_num_locations() <= visits {
            parts.extend((0..location.fused_num_locations()).rev().map(|i| location.fused_location(i)));
        }
    }
    names
}

struct Reader<'a> {
    graph: Graph,
    /// Tensors by MLIR value; `None` for a `top.None`.
    values: HashMap<usize, Option<Tensor>>,
    /// The inputs, with the indices of the function's arguments that they read.
    arguments: BTreeMap<isize, Tensor>,
    weights: Option<(Result<WeightFile>, String)>,
    numbers: &'a IndexMap<String, Vec<f64>>,
}

/// Returns the index of an argument of a function or block.
fn argument_index(value: &MlirValue) -> Option<isize> {
    // SAFETY: any value can be queried for its kind, and an argument for its index.
    unsafe { mlirValueIsABlockArgument(value.to_raw()).then(|| mlirBlockArgumentGetArgNumber(value.to_raw())) }
}

fn key(value: &MlirValue) -> usize {
    value.to_raw().ptr as usize
}

impl Reader<'_> {
    fn function(&mut self, function: &OperationRef) -> Result<()> {
        let blocks = function.region(0).ok().and_then(|r| r.first_block());
        let block = blocks.ok_or_else(|| Error::from(Cause::Syntax("the function main has no body".into())))?;
        let returned = self.block(&block, ENDS_OF_FUNCTION)?;
        self.order_inputs()?;
        if returned.is_empty() {
            return Err(Cause::Syntax("the function main returns nothing".into()).into());
        }
        let outputs = computed_outputs(&mut self.graph, returned)?;
        self.graph.set_outputs(&outputs)
    }

    /// Reads the operators of a block, which ends with one of the operations `ends`. Returns the values that it returns or yields.
    fn block(&mut self, block: &BlockRef, ends: &[&str]) -> Result<Vec<Tensor>> {
        let mut next = block.first_operation();
        while let Some(operation) = next {
            let name = op_name(&operation);
            if ENDS_OF_FUNCTION.contains(&name.as_str()) || ENDS_OF_BLOCK.contains(&name.as_str()) {
                if !ends.contains(&name.as_str()) || operation.next_in_block().is_some() {
                    let problem = format!("unexpected {name}; the last operation must be {}", ends[0]);
                    return Err(Cause::Syntax(problem).into());
                }
                return Ok(self.operands(&operation)?.into_iter().flatten().collect());
            }
            let names = location_names(operation.location(), operation.result_count());
            let (out, index) = (names.first().cloned(), self.graph.calls_made());
            let call = CallContext { function: name, out, index, operands: Vec::new() };
            self.operation(&operation, names).map_err(|e| e.in_call(call))?;
            next = operation.next_in_block();
        }
        Ok(Vec::new())
    }

    fn operation(&mut self, operation: &OperationRef, names: Vec<String>) -> Result<()> {
        let name = op_name(operation);
        if name == "top.None" {
            self.bind(operation, &[None]);
            return Ok(());
        }
        let op = name
            .strip_prefix("top.")
            .ok_or_else(|| Error::from(Cause::Syntax(format!("the op {name} is not of the Top dialect"))))?;
        let def = op_def(op)?;
        if operation.region_count() != def.blocks.len() {
            let (found, expected) = (operation.region_count(), def.blocks.len());
            let problem = format!("it has {}; expected {expected}", pluralized(found, "block"));
            return Err(Cause::Operator { op: op.into(), problem }.into());
        }
        let mut attributes = Vec::new();
        for (key, value) in operation.attributes() {
            let key = text::of_name(key);
            // tpuc-opt leaves the order of a permutation on the product that it has fused it with.
            if (op, key.as_str()) == ("MatMul", "order") {
                continue;
            }
            let value = from_mlir(value).ok_or_else(|| Cause::Operator {
                op: op.into(),
                problem: format!("the attribute {key} is {}, of a kind that no op has", text::of_attribute(value)),
            })?;
            attributes.push((key, value));
        }
        match op {
            "Input" => self.input(operation, def, attributes, names),
            "Weight" => {
                structure::check_weight(def, attributes)?;
                self.weight(operation, names)
            }
            _ => self.operator(operation, op, attributes, names),
        }
    }

    fn input(
        &mut self,
        operation: &OperationRef,
        def: &OpDef,
        attributes: Vec<(String, Value)>,
        mut names: Vec<String>,
    ) -> Result<()> {
        let input = Input::read(&mut Attributes::new(def, attributes)?)?;
        structure::check_input(def, &input)?;
        let (ty, shape) = self.ranked(operation)?;
        if let Some(argument) = self.block_argument(operation)? {
            return self.read_argument(operation, argument, (&ty, &shape), names.pop());
        }
        let name = names.pop().unwrap_or_else(|| format!("input_{}", self.graph.inputs().len()));
        let tensor = self.graph.input(&name, ty.dtype, shape)?;
        if let Some(index) = operation.operand(0).ok().and_then(|v| argument_index(&v))
            && self.arguments.insert(index, tensor).is_some()
        {
            return Err(Cause::Syntax(format!("{name:?} is a second top.Input of the argument {index}")).into());
        }
        if let Some(q) = &ty.quantization {
            self.graph.quantize(tensor, q)?;
        }
        if let Some(how) = preprocess(input, &self.graph.tensor(tensor)?.shape)? {
            self.graph.preprocess(tensor, how)?;
        }
        self.bind(operation, &[Some(tensor)]);
        Ok(())
    }

    /// Orders the inputs like the arguments of the function.
    fn order_inputs(&mut self) -> Result<()> {
        let ordered: Vec<Tensor> = self.arguments.values().copied().collect();
        if ordered.len() != self.graph.inputs().len() || ordered == self.graph.inputs() {
            return Ok(());
        }
        self.graph.set_inputs(&ordered, |_| None)
    }

    /// Returns the block argument that a `top.Input` reads, or `None` if it reads an argument of the function.
    fn block_argument(&self, operation: &OperationRef) -> Result<Option<Tensor>> {
        let Ok(operand) = operation.operand(0) else { return Ok(None) };
        let Some(tensor) = self.values.get(&key(&operand)).copied().flatten() else { return Ok(None) };
        Ok((self.graph.tensor(tensor)?.kind == TensorKind::Argument).then_some(tensor))
    }

    /// Reads a `top.Input` of a block argument, which gives the argument its name and quantization.
    fn read_argument(
        &mut self,
        operation: &OperationRef,
        argument: Tensor,
        (ty, shape): (&ReadType, &Shape),
        name: Option<String>,
    ) -> Result<()> {
        let info = self.graph.tensor(argument)?;
        let is_scalar = shape.is_empty() && info.shape == [1];
        if info.dtype != ty.dtype || (info.shape != *shape && !is_scalar) {
            let (found, given) = (format!("{} {}", shape_text(shape), ty.dtype), info.type_text());
            let problem = format!("it is {found}, and the block's argument is {given}");
            return Err(Cause::Operator { op: "Input".into(), problem }.into());
        }
        if let Some(name) = name {
            self.graph.rename(argument, &name)?;
        }
        if let Some(q) = &ty.quantization {
            self.graph.quantize(argument, q)?;
        }
        self.bind(operation, &[Some(argument)]);
        Ok(())
    }

    fn weight(&mut self, operation: &OperationRef, mut names: Vec<String>) -> Result<()> {
        let (ty, shape) = self.ranked(operation)?;
        let name = names.pop().ok_or_else(|| {
            Error::from(Cause::Syntax(
                "a top.Weight has no name (location), which is its key in the weight file".into(),
            ))
        })?;
        let data = match &mut self.weights {
            Some((Ok(file), _)) => Some(file.read_as_or_flat(&name, ty.dtype, &shape)?),
            Some((Err(e), file_name)) if !matches!(e.cause(), Cause::MissingData(_)) => {
                return Err(Cause::MissingData(format!("the weight file {file_name}: {e}")).into());
            }
            _ => match self.numbers.get(&name) {
                Some(numbers) => Some(Array::from_f64s(ty.dtype, &shape, numbers.iter().copied())?),
                None => None,
            },
        };
        // One array may be used by several top.Weight.
        let known = self.graph.lookup(&name);
        if let Some(known) = known {
            let info = self.graph.tensor(known)?;
            let is_same = (info.dtype, &info.shape, &info.quantization) == (ty.dtype, &shape, &ty.quantization);
            if info.is_coefficient() && is_same {
                self.bind(operation, &[Some(known)]);
                return Ok(());
            }
        }
        let name = if known.is_some() { self.graph.free_name(&name) } else { name };
        let tensor = self.graph.add_tensor(Some(&name), ty.dtype, shape, TensorKind::Coefficient(data))?;
        if let Some(q) = &ty.quantization {
            self.graph.quantize(tensor, q)?;
        }
        self.bind(operation, &[Some(tensor)]);
        Ok(())
    }

    fn operator(
        &mut self,
        operation: &OperationRef,
        name: &str,
        attributes: Vec<(String, Value)>,
        names: Vec<String>,
    ) -> Result<()> {
        let op = Op::new(name, self.operands(operation)?, attributes)?;
        let blocks = self.blocks(operation, &op)?;
        // If there are as many names as results, absent results have names too; otherwise only present ones.
        let all_named = names.len() == operation.result_count();
        let mut names = names.into_iter();
        let (mut results, mut quantizations) = (Vec::new(), Vec::new());
        for result in operation.results() {
            let result: MlirValue = result.into();
            let absent = result.r#type().is_none();
            let name = if all_named || !absent { names.next() } else { None };
            if absent {
                results.push(NewResult { absent, ..NewResult::default() });
                continue;
            }
            let ty = self.type_of(result)?;
            results.push(NewResult { name, dtype: Some(ty.dtype), shape: ty.shape, absent });
            quantizations.push(ty.quantization);
        }
        let op = in_usual_form(&mut self.graph, op, &results)?;
        self.give_axes(&op, &blocks, &mut results);
        let reshaped = self.take_other_axes(&op, &mut results);
        let present: Vec<bool> = results.iter().map(|r| !r.absent).collect();
        let new = blocks.into_iter().fold(self.graph.op(op).results(results), |new, block| new.owns(block));
        let tensors = new.call()?;
        for (tensor, quantization) in tensors.iter().zip(quantizations) {
            quantization.map_or(Ok(()), |q| self.graph.quantize(*tensor, &q))?;
        }
        let mut tensors = tensors.into_iter();
        let mut bound: Vec<_> = present.into_iter().map(|there| if there { tensors.next() } else { None }).collect();
        for (i, written) in reshaped {
            let (Some(tensor), Some(shape)) = (bound[i], &written.shape) else { continue };
            let shape = shape.iter().map(|d| *d as i64).collect();
            let op = Reshape { shape: Some(shape), ..Reshape::new(tensor) };
            bound[i] = self.graph.op(op).results(vec![written]).call()?.first().copied();
        }
        self.bind(operation, &bound);
        Ok(())
    }

    /// tpuc-opt fuses a Reduce and an Arg although only one of them keeps the axis. Takes the results of an Arg that are written with
    /// other axes of size 1 than the op gives them, by index; these become results of Reshapes.
    fn take_other_axes(&self, op: &Op<Tensor>, results: &mut [NewResult]) -> Vec<(usize, NewResult)> {
        let Op::Arg(_) = op else { return Vec::new() };
        let Some(inferred) = self.graph.inferred(op, &[]).ok().flatten() else { return Vec::new() };
        let others = |shape: &Shape| shape.iter().copied().filter(|d| *d != 1).collect::<Vec<_>>();
        let mut taken = Vec::new();
        for (i, (result, inferred)) in results.iter_mut().zip(&inferred).enumerate() {
            let differs = |written: &Shape| *written != inferred.shape && others(written) == others(&inferred.shape);
            if result.shape.as_ref().is_some_and(differs) {
                let own = NewResult { name: None, shape: Some(inferred.shape.clone()), ..result.clone() };
                taken.push((i, std::mem::replace(result, own)));
            }
        }
        taken
    }

    /// Gives an axis to the scalars that have one by the rule of the op: tpuc-opt makes scalars of reductions over all axes, and of what
    /// is computed from them.
    fn give_axes(&self, op: &Op<Tensor>, blocks: &[GraphBlock], results: &mut [NewResult]) {
        let is_scalar = |result: &NewResult| result.shape.as_ref().is_some_and(Vec::is_empty);
        if !results.iter().any(is_scalar) {
            return;
        }
        // What is wrong with the operator is told when it is inserted.
        let inferred = self.graph.inferred(op, &[]).ok().flatten();
        for (i, result) in results.iter_mut().enumerate().filter(|(_, result)| is_scalar(result)) {
            let shape = match &inferred {
                Some(all) => all.get(i).map(|inferred| &inferred.shape),
                None => self.yielded(op, blocks, i).map(|info| &info.shape),
            };
            if let Some([1]) = shape.map(Vec::as_slice) {
                result.shape = Some(vec![1]);
            }
        }
    }

    /// Returns what the first block of an `If` or a `Loop` yields for a result.
    fn yielded(&self, op: &Op<Tensor>, blocks: &[GraphBlock], result: usize) -> Option<&TensorInfo> {
        // The body of a loop yields the condition first.
        let before = usize::from(matches!(op, Op::Loop(_)));
        let value = blocks.first()?.results().get(before + result)?;
        self.graph.tensor(*value).ok()
    }

    /// Returns the shape of an argument of a block. A value that a loop carries may be written as a scalar, and have one axis.
    fn argument_shape(&self, op: &Op<Tensor>, index: usize, written: Shape) -> Result<Shape> {
        let carried = match op {
            // The iteration number and the condition come first.
            Op::Loop(op) if written.is_empty() => index.checked_sub(2).and_then(|i| op.v_initial.get(i)),
            _ => None,
        };
        let initial = carried.map(|t| self.graph.tensor(*t)).transpose()?.filter(|info| info.shape == [1]);
        Ok(initial.map_or(written, |info| info.shape.clone()))
    }

    /// Reads the blocks that an operation owns.
    fn blocks(&mut self, operation: &OperationRef, op: &Op<Tensor>) -> Result<Vec<GraphBlock>> {
        let (def, mut blocks) = (op.def(), Vec::new());
        for name in def.blocks {
            let missing = || {
                Error::from(Cause::Operator {
                    op: def.name.into(),
                    problem: format!("the block {name} must be one block"),
                })
            };
            let region = operation.region(blocks.len()).map_err(|_| missing())?;
            let block = region.first_block().filter(|b| b.next_in_region().is_none()).ok_or_else(missing)?;
            let (mut arguments, mut quantizations) = (Vec::new(), Vec::new());
            for i in 0..block.argument_count() {
                let value = block.argument(i).map_err(|_| missing())?;
                let ty = self.type_of(value.into())?;
                let shape =
                    ty.shape.ok_or_else(|| Error::from(Cause::Syntax("its arguments must be ranked".into())))?;
                let shape = self.argument_shape(op, i, shape)?;
                arguments.push((self.graph.free_name(&format!("{name}_{i}")), ty.dtype, shape));
                quantizations.push(ty.quantization);
            }
            for ((i, t), quantization) in self.graph.begin_block(arguments)?.into_iter().enumerate().zip(quantizations)
            {
                quantization.map_or(Ok(()), |q| self.graph.quantize(t, &q))?;
                let value: MlirValue = block.argument(i).map_err(|_| missing())?.into();
                self.values.insert(key(&value), Some(t));
            }
            let results = self.block(&block, ENDS_OF_BLOCK)?;
            blocks.push(self.graph.end_block(results)?);
        }
        Ok(blocks)
    }

    fn bind(&mut self, operation: &OperationRef, tensors: &[Option<Tensor>]) {
        for (result, tensor) in operation.results().zip(tensors) {
            let value: MlirValue = result.into();
            self.values.insert(key(&value), *tensor);
        }
    }
    fn operands(&mut self, operation: &OperationRef) -> Result<Vec<Option<Tensor>>> {
        let of = |v: MlirValue| self.values.get(&key(&v)).copied();
        let all: Vec<_> = operation.operands().collect();
        all.into_iter()
            .map(|v| {
                of(v).ok_or_else(|| {
                    Error::from(Cause::Syntax("an operand is not a result of an op of the Top dialect".into()))
                })
            })
            .collect()
    }
    fn type_of(&self, value: MlirValue) -> Result<ReadType> {
        read_type(value.r#type()).map_err(|problem| Cause::Syntax(problem).into())
    }
    fn ranked(&self, operation: &OperationRef) -> Result<(ReadType, Shape)> {
        let result = operation.result(0).map_err(|_| Error::from(Cause::Syntax("it has no result".into())))?;
        let ty = self.type_of(result.into())?;
        let shape = ty.shape.clone().ok_or_else(|| Error::from(Cause::Syntax("its type must be ranked".into())))?;
        Ok((ty, shape))
    }
}
