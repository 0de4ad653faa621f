//! Nodes whose operands are known are computed while the file is read, by the kernels that would run them.
use super::{
    coefficient::MOVES,
    import::Importer,
    node::Node,
    operators::{Convert, dequantized_integers, result_element},
    tensors::Element,
    value::Value,
};
use crate::{
    array::Array,
    base::{Dtype, Result, invalid},
    emit::{Emit, ints},
    ops::Reshape,
};
use std::{collections::HashMap, rc::Rc};

/// Bytes of operands up to which nodes are folded. Larger ones, such as a transposed embedding table, stay operators on weights
/// that are in the file.
const LARGEST: usize = 256 << 20;

/// Maximum number of elements of what is computed while a file is read.
const MAX_ELEMENTS: usize = 1 << 26;

/// Operators that make other numbers on every run.
const NEVER: &[&str] =
    &["RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"];

/// Whether a node's results are known.
pub fn is_foldable(node: &Node) -> bool {
    let known = node.inputs.iter().flatten().all(Value::is_constant);
    // A graph may use values around the node.
    let has_graph = node.proto.attribute.iter().any(|a| a.g.is_some());
    known
        && !has_graph
        && !NEVER.contains(&node.proto.op_type.as_str())
        && bytes(node.inputs.iter().flatten()) <= LARGEST
}

/// Returns the bytes of all constants among some values.
pub fn bytes<'v>(values: impl IntoIterator<Item = &'v Value>) -> usize {
    let of_one = |value: &Value| match value {
        Value::Constant(c) => c.array.len().saturating_mul(c.array.dtype().size()),
        Value::Computed(_) => 0,
        Value::Sequence(all) => bytes(all),
    };
    values.into_iter().map(of_one).fold(0, usize::saturating_add)
}

/// Computes the results of a node.
pub fn fold<'m>(outer: &mut Importer<'m>, node: &Node<'m>, convert: Convert) -> Result<Vec<Value>> {
    let integers = dequantized_integers(node)?;
    // Most are never looked at as real numbers: they are the weights of a product of integers.
    if let Some(value) = integers.clone().filter(|_| has_float32(node)).and_then(Value::dequantized) {
        return Ok(vec![value]);
    }
    let inputs = node.inputs.iter().map(|input| input.as_ref().map(apart)).collect();
    let inner = Node::new(node.proto, inputs, node.version);
    let mut results = evaluated(outer, |importer| inner.converted(|inner| convert(importer, inner)))?;
    if let ([Value::Constant(c)], Some(integers)) = (results.as_slice(), integers) {
        results = vec![Value::with_integers(c.array.clone(), integers)];
    }
    if let Some(element) = packed_element(node)? {
        results = results.into_iter().map(|value| of_element(value, element)).collect();
    }
    Ok(results)
}

/// Returns the type of a node's results if arrays lack it.
fn packed_element(node: &Node) -> Result<Option<Element>> {
    let element = match node.proto.op_type.as_str() {
        "Cast" => Some(Element::of(node.int_or("to", 0) as i32)?),
        "CastLike" => node.optional(1).map(Value::element),
        "QuantizeLinear" => Some(result_element(node, node.optional(2))?),
        op if op == "Split" || MOVES.contains(&op) => node.optional(0).map(Value::element),
        _ => None,
    };
    Ok(element.and_then(Element::packed))
}

/// Returns a constant with elements of a type.
fn of_element(value: Value, element: Element) -> Value {
    match value {
        Value::Constant(c) if c.array.dtype() == element.dtype() => Value::constant_of(c.array.clone(), element),
        other => other,
    }
}

/// Whether a DequantizeLinear has a result of float32: that is the dtype of its scale, unless it names another one.
fn has_float32(node: &Node) -> bool {
    node.int("output_dtype").is_none_or(|to| to == 0) && node.optional(1).is_some_and(|s| s.dtype() == Dtype::Float32)
}

/// Builds a value of others. If these are all constants, it is one, too.
pub fn known<'m>(
    outer: &mut Importer<'m>,
    operands: &[&Value],
    build: impl FnOnce(&mut Importer<'m>, &[Value]) -> Result<Value>,
) -> Result<Value> {
    let values: Vec<Value> = operands.iter().map(|value| apart(value)).collect();
    if !values.iter().all(Value::is_constant) {
        let values: Vec<Value> = operands.iter().map(|value| (*value).clone()).collect();
        return build(outer, &values);
    }
    let mut results = evaluated(outer, |inner| Ok(vec![build(inner, &values)?]))?;
    results.pop().ok_or_else(|| invalid("it has no result"))
}

/// Computes what `build` adds to a graph of its own, whose coefficients are constants.
fn evaluated<'m>(
    outer: &mut Importer<'m>,
    build: impl FnOnce(&mut Importer<'m>) -> Result<Vec<Value>>,
) -> Result<Vec<Value>> {
    let ((results, computed), graph) = outer.in_graph_of_its_own(|inner| {
        let results = build(inner)?;
        let elements = inner.graph.tensors().map(|(_, info)| info.elements()).max().unwrap_or(0);
        if elements > MAX_ELEMENTS {
            let limit = format!("at most {MAX_ELEMENTS} are computed");
            return Err(invalid(format!("a constant of {elements} elements would result; {limit}")));
        }
        let mut computed = HashMap::new();
        for result in &results {
            collect(inner, result, &mut computed)?;
        }
        let mut tensors: Vec<_> = computed.values().copied().collect();
        tensors.sort_by_key(|t| t.index());
        if !tensors.is_empty() {
            inner.graph.set_outputs(&tensors)?;
        }
        Ok((results, computed))
    })?;
    if computed.is_empty() {
        return Ok(results);
    }
    let arrays = (outer.model.evaluate)(&graph)?;
    let known = |tensor| -> Result<&Array> {
        let made = computed.get(&tensor).ok_or_else(|| invalid("a result has no tensor"))?;
        arrays.get(&graph.tensor(*made)?.name).ok_or_else(|| invalid("a result was not computed"))
    };
    results.iter().map(|value| constant(value, &known)).collect()
}

/// A constant that has no coefficient yet.
fn apart(value: &Value) -> Value {
    match value {
        Value::Constant(c) => Value::Constant(Rc::new(c.apart())),
        Value::Sequence(all) => Value::Sequence(all.iter().map(apart).collect()),
        Value::Computed(_) => value.clone(),
    }
}

type Tensors = HashMap<crate::Tensor, crate::Tensor>;

/// Notes an output of the graph for each computed value.
fn collect(inner: &mut Importer, value: &Value, computed: &mut Tensors) -> Result<()> {
    match value {
        Value::Constant(_) => Ok(()),
        Value::Sequence(all) => all.iter().try_for_each(|value| collect(inner, value, computed)),
        Value::Computed(c) => {
            let info = inner.graph.tensor(c.tensor)?;
            let made = match info.kind == crate::TensorKind::Value {
                true => c.tensor,
                // A coefficient cannot be an output.
                false => {
                    let shape = ints(&info.shape);
                    inner.op(Reshape { shape: Some(shape), ..Reshape::new(c.tensor) })?
                }
            };
            computed.insert(c.tensor, made);
            Ok(())
        }
    }
}

/// Returns the computed array as a value of ONNX's dtype and shape.
fn constant<'a>(value: &Value, known: &impl Fn(crate::Tensor) -> Result<&'a Array>) -> Result<Value> {
    Ok(match value {
        Value::Constant(_) => value.clone(),
        Value::Sequence(all) => Value::Sequence(all.iter().map(|v| constant(v, known)).collect::<Result<_>>()?),
        Value::Computed(c) => {
            let array = known(c.tensor)?;
            let array = match (array.dtype(), c.dtype) {
                (from, to) if from == to => array.clone(),
                (_, Dtype::Bool) => {
                    let bytes: Vec<u8> = array.to_f64()?.into_iter().map(|v| u8::from(v != 0.0)).collect();
                    Array::from_le_bytes(Dtype::Bool, array.shape(), &bytes)?
                }
                (_, to) => array.to_dtype(to)?,
            };
            Value::constant(array.reshaped(c.shape.clone())?)
        }
    })
}
