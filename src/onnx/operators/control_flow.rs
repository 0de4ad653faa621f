//! Branches and loops.
use super::Convert;
use crate::{
    Graph, Tensor,
    array::Array,
    base::{Dtype, Result, invalid, shape_text},
    emit::Emit,
    import::Importer,
    node::{Node, known_int, pieces, resolved_axis},
    ops::{CompareMode, Gather, Min},
    proto,
    value::{Computed, Value, stored, stored_shape},
};
use std::{cell::RefCell, fmt};

pub const OPERATORS: &[(&str, Convert)] = &[("If", branch), ("Loop", repeat), ("Scan", scan)];

/// Maximum number of iterations of a loop that is written out.
const MAX_WRITTEN: i64 = 4096;

fn body<'m>(n: &Node<'m>, name: &str) -> Result<&'m proto::Graph> {
    n.graph(name).ok_or_else(|| invalid(format!("it has no {name}")))
}

/// The types of values that leave a block or are carried by a loop.
#[derive(Debug, Clone, PartialEq)]
struct Kind {
    shape: Vec<usize>,
    dtype: Dtype,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.shape.as_slice() {
            [] => write!(f, "scalar {}", self.dtype),
            shape => write!(f, "{} {}", shape_text(shape), self.dtype),
        }
    }
}

impl Kind {
    fn of(value: &Value) -> Kind {
        Kind { shape: value.shape(), dtype: value.dtype() }
    }
    fn value(&self, tensor: Tensor) -> Value {
        Value::Computed(Computed { tensor, shape: self.shape.clone(), dtype: self.dtype })
    }
    /// Like [`Kind::value`], for values with a new first axis.
    fn stacked(&self, tensor: Tensor, count: usize) -> Value {
        Value::Computed(Computed { tensor, shape: [&[count], &self.shape[..]].concat(), dtype: self.dtype })
    }
}

/// Returns the tensor of a value in the dtype that holds values of its ONNX dtype: a bool may be in another.
fn normalized(b: &mut Importer, value: &Value) -> Result<Tensor> {
    let tensor = b.tensor(value)?;
    b.as_dtype(tensor, stored(value.dtype()))
}

fn normalized_all(b: &mut Importer, values: &[Value]) -> Result<Vec<Tensor>> {
    values.iter().map(|value| normalized(b, value)).collect()
}

/// A branch whose condition is known is written in place of the node.
fn branch<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let condition = n.input(0)?;
    let (then, otherwise) = (body(n, "then_branch")?, body(n, "else_branch")?);
    if let Some(known) = condition.as_constant() {
        let holds = known.to_f64()?.first().is_some_and(|v| *v != 0.0);
        return b.subgraph(if holds { then } else { otherwise }, &[]);
    }
    let condition = b.tensor(condition)?;
    let kinds: RefCell<Vec<Vec<Kind>>> = RefCell::default();
    let results = b.with_graph(|b, graph| {
        let b = RefCell::new(b);
        let side = |graph: &mut Graph, of: &'m proto::Graph| {
            b.borrow_mut().within(graph, |b| {
                let values = b.subgraph(of, &[])?;
                kinds.borrow_mut().push(values.iter().map(Kind::of).collect());
                normalized_all(b, &values)
            })
        };
        graph.cond(condition, |graph| side(graph, then), |graph| side(graph, otherwise))
    })?;
    let kinds = kinds.into_inner();
    let [first, second] = kinds.as_slice() else { return Err(invalid("one of its branches is missing")) };
    if let Some((i, (a, b))) = first.iter().zip(second).enumerate().find(|(_, (a, b))| a != b) {
        let name = n.proto.output.get(i).map_or("", String::as_str);
        return Err(invalid(format!("its branches return different types for {name:?}: {a} and {b}")));
    }
    Ok(first.iter().zip(results).map(|(kind, tensor)| kind.value(tensor)).collect())
}

/// What a loop carries: the values before it, as tensors and as kinds.
struct Carried {
    tensors: Vec<Tensor>,
    kinds: Vec<Kind>,
}

impl Carried {
    fn of(b: &mut Importer, values: &[Value]) -> Result<Carried> {
        Ok(Carried { tensors: normalized_all(b, values)?, kinds: values.iter().map(Kind::of).collect() })
    }
    fn values(&self, tensors: &[Tensor]) -> Vec<Value> {
        self.kinds.iter().zip(tensors).map(|(kind, tensor)| kind.value(*tensor)).collect()
    }
    /// Checks that the next values, which a body returns from output `first` on, have the same types.
    fn check(&self, next: &[Value], of: &proto::Graph, first: usize) -> Result<()> {
        for (i, (before, after)) in self.kinds.iter().zip(next.iter().map(Kind::of)).enumerate() {
            if *before != after {
                let name = of.output.get(first + i).map_or("", |output| output.name.as_str());
                let problem = format!("is {after}; it was {before} before. What a loop carries must keep its type");
                return Err(invalid(format!("{name:?}, which it carries, {problem}")));
            }
        }
        match next.len() == self.kinds.len() {
            true => Ok(()),
            false => Err(invalid(format!("it carries {} values; its body returns {}", self.kinds.len(), next.len()))),
        }
    }
}

/// Adds a loop. One that runs a known number of times is a `for` loop, or, if what it carries changes its shape, written out; any
/// other is a `while` loop, whose results cannot be stacked.
fn repeat<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let of = body(n, "body")?;
    let limit = match n.optional(0) {
        Some(value) => value.as_constant().map(|_| known_int(value, "M")).transpose()?,
        None => Some(i64::MAX),
    };
    let starts = match n.optional(1) {
        Some(value) => value.as_constant().map(|_| known_int(value, "cond")).transpose()?.map(|v| v != 0),
        None => Some(true),
    };
    let initial: Vec<Value> = (2..n.inputs.len()).map(|i| n.input(i).cloned()).collect::<Result<_>>()?;
    let is_plain = initial.iter().all(|v| !matches!(v, Value::Sequence(_)) && v.elements() > 0);
    let count = limit.filter(|_| starts == Some(true)).filter(|c| (1..i64::from(i32::MAX)).contains(c));
    if starts == Some(false) || limit.is_some_and(|limit| limit <= 0) {
        return Ok(initial);
    }
    if let (Some(count), true) = (count, is_plain && !b.unrolled.contains(&std::ptr::from_ref(of))) {
        if let Ok(results) = b.attempt(|b| counted(b, of, count as usize, &initial))? {
            return Ok(results);
        }
        // A loop within loops would be tried again in each of their attempts.
        b.unrolled.insert(of);
    }
    if let Some(limit) = limit.filter(|_| starts == Some(true)) {
        match b.attempt(|b| written_out(b, of, limit, &initial))? {
            Ok(results) => return Ok(results),
            // A body that cannot be converted for known iterations cannot be for others.
            Err(failed) if count.is_some() && !failed.refused.is_empty() => {
                b.report.extend(failed.refused);
                return Err(failed.error);
            }
            Err(_) => {}
        }
    }
    conditional(b, n, of, &initial)
}

/// A loop of a known number of iterations, whose condition is always true.
fn counted<'m>(b: &mut Importer<'m>, of: &'m proto::Graph, count: usize, initial: &[Value]) -> Result<Vec<Value>> {
    let carried = Carried::of(b, initial)?;
    let mut stacked_kinds = Vec::new();
    let (last, stacked) = b.with_graph(|b, graph| {
        graph.scan(count, &carried.tensors, |graph, i, tensors| {
            b.within(graph, |b| {
                let values = loop_body(
                    b,
                    of,
                    Value::Computed(Computed { tensor: i, shape: Vec::new(), dtype: Dtype::Int64 }),
                    &carried.values(tensors),
                )?;
                let (again, values) = values.split_first().ok_or_else(|| invalid("its body returns nothing"))?;
                if !is_true(again)? {
                    return Err(invalid("it ends when a condition no longer holds"));
                }
                let (next, stacked) = split(values, initial.len())?;
                carried.check(next, of, 1)?;
                stacked_kinds = stacked.iter().map(Kind::of).collect();
                Ok((normalized_all(b, next)?, normalized_all(b, stacked)?))
            })
        })
    })?;
    let mut results = carried.values(&last);
    for (kind, tensor) in stacked_kinds.iter().zip(stacked) {
        let shape = [&[count], &kind.shape[..]].concat();
        let tensor = b.reshape(tensor, &shape)?;
        results.push(kind.stacked(tensor, count));
    }
    Ok(results)
}

fn split(values: &[Value], at: usize) -> Result<(&[Value], &[Value])> {
    values.split_at_checked(at).ok_or_else(|| invalid(format!("its body returns too few values; it carries {at}")))
}

/// Runs the nodes of a body for one iteration.
fn loop_body<'m>(b: &mut Importer<'m>, of: &'m proto::Graph, i: Value, carried: &[Value]) -> Result<Vec<Value>> {
    let yes = Value::constant(Array::filled(Dtype::Bool, Vec::<usize>::new(), 1.0)?);
    b.subgraph(of, &[&[i, yes], carried].concat())
}

fn is_true(condition: &Value) -> Result<bool> {
    match condition.as_constant() {
        Some(known) => Ok(known.to_f64()?.first().is_some_and(|v| *v != 0.0)),
        None => Ok(false),
    }
}

/// Every iteration is a copy of the body.
fn written_out<'m>(b: &mut Importer<'m>, of: &'m proto::Graph, count: i64, initial: &[Value]) -> Result<Vec<Value>> {
    let mut carried = initial.to_vec();
    let mut stacked: Vec<Vec<Value>> = Vec::new();
    for i in 0..count {
        if i >= MAX_WRITTEN {
            return Err(invalid(format!(
                "it has more than {MAX_WRITTEN} iterations, of which each would be written out"
            )));
        }
        let number = Value::constant(Array::from_vec(Vec::<usize>::new(), vec![i])?);
        let values = loop_body(b, of, number, &carried)?;
        let (again, values) = values.split_first().ok_or_else(|| invalid("its body returns nothing"))?;
        let (next, rest) = split(values, initial.len())?;
        carried = next.to_vec();
        stacked.resize_with(rest.len(), Vec::new);
        stacked.iter_mut().zip(rest).for_each(|(all, value)| all.push(value.clone()));
        match again.as_constant() {
            Some(_) if is_true(again)? => {}
            Some(_) => break,
            None => return Err(invalid("it ends when a condition no longer holds")),
        }
    }
    for all in stacked {
        carried.push(super::sequence::joined(b, &all, 0, true)?);
    }
    Ok(carried)
}

/// A loop that ends when a condition no longer holds.
fn conditional<'m>(b: &mut Importer<'m>, n: &Node<'m>, of: &'m proto::Graph, initial: &[Value]) -> Result<Vec<Value>> {
    if of.output.len() > 1 + initial.len() {
        return Err(invalid(
            "it ends when a condition no longer holds, so the sizes of its stacked results are unknown; let it carry tensors of known size",
        ));
    }
    let limit = n.optional(0).filter(|v| !v.is_constant() || known_int(v, "M").is_ok_and(|m| m < i64::from(i32::MAX)));
    let limit = limit
        .map(|limit| -> Result<Tensor> {
            let limit = b.tensor(limit)?;
            b.as_dtype(limit, Dtype::Int32)
        })
        .transpose()?;
    let one =
        |b: &mut Importer, value: f64, dtype| -> Result<Tensor> { b.coefficient(Array::filled(dtype, [1], value)?) };
    let first = match n.optional(1) {
        Some(condition) => {
            let condition = b.tensor(condition)?;
            let condition = b.as_dtype(condition, Dtype::Int32)?;
            b.reshape(condition, &[1])?
        }
        None => one(b, 1.0, Dtype::Int32)?,
    };
    let carried = Carried::of(b, initial)?;
    let start = one(b, 0.0, Dtype::Int32)?;
    let tensors = [&[first, start], &carried.tensors[..]].concat();
    let results = b.with_graph(|b, graph| {
        let b = RefCell::new(b);
        graph.while_loop(
            &tensors,
            |graph, state| {
                b.borrow_mut().within(graph, |b| match limit {
                    None => b.compare_const(state[0], CompareMode::NotEqual, 0.0),
                    Some(limit) => {
                        let holds = b.compare_const(state[0], CompareMode::NotEqual, 0.0)?;
                        let limit = b.reshape(limit, &[1])?;
                        let goes_on = b.compare(state[1], CompareMode::Less, limit)?;
                        b.op(Min::new(vec![holds, goes_on]))
                    }
                })
            },
            |graph, state| {
                b.borrow_mut().within(graph, |b| {
                    let i = Value::Computed(Computed { tensor: state[1], shape: Vec::new(), dtype: Dtype::Int64 });
                    let condition =
                        Value::Computed(Computed { tensor: state[0], shape: Vec::new(), dtype: Dtype::Bool });
                    let values = b.subgraph(of, &[&[i, condition], &carried.values(&state[2..])[..]].concat())?;
                    let (again, next) = values.split_first().ok_or_else(|| invalid("its body returns nothing"))?;
                    carried.check(next, of, 1)?;
                    let again = b.tensor(again)?;
                    let again = b.as_dtype(again, Dtype::Int32)?;
                    let again = b.reshape(again, &[1])?;
                    let next_i = b.add_const(state[1], 1.0)?;
                    Ok([&[again, next_i], &normalized_all(b, next)?[..]].concat())
                })
            },
        )
    })?;
    Ok(carried.values(&results[2..]))
}

/// A loop over the entries of tensors along an axis.
fn scan<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    if n.version < 9 {
        return scan_of_batches(b, n);
    }
    let all: Vec<Value> = n.all_inputs()?.into_iter().cloned().collect();
    over_entries(b, n, &all)
}

/// Before opset 9 the first operand lists the lengths of sequences, and the first axis is the batch's.
fn scan_of_batches<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    if n.optional(0).is_some() {
        return Err(invalid("sequences of different lengths are not supported"));
    }
    let all: Vec<Value> = (1..n.inputs.len()).map(|i| n.input(i).cloned()).collect::<Result<_>>()?;
    let batches: Vec<usize> = all.iter().filter_map(|value| value.shape().first().copied()).collect();
    if batches.len() < all.len() || batches.iter().any(|batch| *batch != batches[0]) {
        return Err(invalid("each of its operands needs an axis of the same number of sequences in front"));
    }
    let batch = pieces(batches.first().copied().unwrap_or(1))?;
    let mut results: Vec<Vec<Value>> = Vec::new();
    for entry in 0..batch {
        let mut of_entry = Vec::new();
        for value in &all {
            let tensor = b.tensor(value)?;
            let one = b.slice(tensor, 0, entry, 1)?;
            of_entry.push(b.shaped(one, &value.shape()[1..], value.dtype())?);
        }
        let values = over_entries(b, n, &of_entry)?;
        results.resize_with(values.len(), Vec::new);
        results.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
    }
    results.iter().map(|all| super::sequence::joined(b, all, 0, true)).collect()
}

fn over_entries<'m>(b: &mut Importer<'m>, n: &Node<'m>, all: &[Value]) -> Result<Vec<Value>> {
    let of = body(n, "body")?;
    let inputs = usize::try_from(n.int_or("num_scan_inputs", 1)).unwrap_or(usize::MAX);
    let states = all
        .len()
        .checked_sub(inputs)
        .ok_or_else(|| invalid("num_scan_inputs is larger than the number of its operands"))?;
    let (initial, scanned) = all.split_at(states);
    let list = |new: &str, old: &str, i: usize| {
        n.ints(new).or_else(|| n.ints(old)).and_then(|l| l.get(i).copied()).unwrap_or(0)
    };
    let mut sequences = Vec::new();
    for (i, value) in scanned.iter().enumerate() {
        let axis = resolved_axis("scan_input_axes", list("scan_input_axes", "axes", i), value.rank())?;
        let mut tensor = b.tensor(value)?;
        if list("scan_input_directions", "directions", i) != 0 {
            tensor = b.reverse(tensor, axis)?;
        }
        sequences.push((tensor, axis, value.clone()));
    }
    let mut lengths = sequences.iter().map(|(_, axis, value)| value.shape()[*axis]);
    let count = lengths.next().ok_or_else(|| invalid("it scans nothing"))?;
    if let Some(other) = lengths.find(|length| *length != count) {
        return Err(invalid(format!(
            "it scans {count} entries of one operand and {other} of another; expected as many of each"
        )));
    }
    let carried = Carried::of(b, initial)?;
    let mut stacked_kinds: Vec<Kind> = Vec::new();
    let (last, stacked) = b.with_graph(|b, graph| {
        graph.scan(count, &carried.tensors, |graph, i, tensors| {
            b.within(graph, |b| {
                let mut inputs = carried.values(tensors);
                for (tensor, axis, value) in &sequences {
                    let entry = b.op(Gather { axis: *axis as i64, ..Gather::new(*tensor, i) })?;
                    let mut shape = value.shape();
                    shape.remove(*axis);
                    inputs.push(b.shaped(entry, &shape, value.dtype())?);
                }
                let values = b.subgraph(of, &inputs)?;
                let (next, stacked) = split(&values, initial.len())?;
                carried.check(next, of, 0)?;
                stacked_kinds = stacked.iter().map(Kind::of).collect();
                Ok((normalized_all(b, next)?, normalized_all(b, stacked)?))
            })
        })
    })?;
    let mut results = carried.values(&last);
    for (i, (kind, tensor)) in stacked_kinds.iter().zip(stacked).enumerate() {
        let shape = [&[count], &kind.shape[..]].concat();
        let mut tensor = b.reshape(tensor, &stored_shape(&shape))?;
        if list("scan_output_directions", "scan_output_directions", i) != 0 {
            tensor = b.reverse(tensor, 0)?;
        }
        let axis = resolved_axis("scan_output_axes", list("scan_output_axes", "scan_output_axes", i), shape.len())?;
        let mut order: Vec<usize> = (1..shape.len()).collect();
        order.insert(axis, 0);
        let tensor = b.permute(tensor, &order)?;
        results.push(b.value(tensor, kind.dtype)?);
    }
    Ok(results)
}
