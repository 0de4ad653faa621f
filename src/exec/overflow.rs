//! Integer arithmetic that leaves the range of its dtype.
use super::{
    Backend,
    feeds::Feeds,
    plan::{Network, Node, Operation, TensorIndex, for_compute, needed, signature},
    session::Session,
};
use crate::{
    array::Array,
    base::{Dtype, Result, Warning, WarningKind, Warnings},
    ops::Op,
};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};

/// Larger tensors are not checked: the arithmetic is repeated, and its results are kept meanwhile.
const MAX_ELEMENTS: usize = 1 << 18;

impl<B: Backend> Session<B> {
    /// Returns warnings about integer arithmetic that saturates: elements of a result that are at the limits of int32, although those of
    /// the operands are not. The arithmetic is repeated on the CPU, so only integers are checked that are computed from inputs and
    /// constants alone or from other such integers, as indices and hashes are. `results` may be some of what [`Session::run`] or
    /// [`Session::fetch`] returned.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let ids = g.input("ids", Dtype::Int32, [2])?;
    /// let hash = g.mul(ids, 1_000_003).out_name("hash").call()?;
    /// g.set_outputs(&[hash])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// let feeds = [("ids", Array::from([12, 12_345]))];
    /// let warnings = session.overflowed(&feeds, &session.run(&feeds)?)?;
    /// assert_eq!(
    ///     warnings.iter().next().map(ToString::to_string).as_deref(),
    ///     Some("1 of 2 elements of \"hash\", computed by MulConst, saturates at the limits of int32"),
    /// );
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`run`](super::run).
    pub fn overflowed(&self, feeds: &(impl Feeds + ?Sized), results: &IndexMap<String, Array>) -> Result<Warnings> {
        let mut warnings = Warnings::default();
        let wanted: Vec<TensorIndex> = results.keys().map(|name| self.find("tensor", name)).collect::<Result<_>>()?;
        let fed: HashSet<TensorIndex> = feeds.feeds().filter_map(|(name, _)| self.names.get(name)).collect();
        let operations = integer_operations(&self.network, &wanted, &fed)?;
        if !operations.iter().any(|operation| self.may_overflow(operation)) {
            return Ok(warnings);
        }
        let mut values = self.checked_feeds(feeds)?;
        for operation in operations {
            // The run has succeeded, and so has this operator. If memory is short now, nothing is known.
            let Ok(Some(computed)) = self.install(|| self.repeated(operation, &values)) else { break };
            if self.may_overflow(operation) {
                let operands: Vec<&Array> = operation.operands().filter_map(|t| self.value(t, &values)).collect();
                for (output, result) in operation.outputs().zip(&computed) {
                    let saturated = saturated(result, &operands);
                    if saturated > 0 {
                        warnings.push(Warning::new(WarningKind::IntegerOverflow {
                            tensor: self.network.entry(output)?.ty.name.clone(),
                            op: operation.op.name().to_owned(),
                            saturated,
                            elements: result.len(),
                        }));
                    }
                }
            }
            values.extend(operation.outputs().zip(computed));
        }
        Ok(warnings)
    }

    /// Returns the value of a tensor, among those that are known or as a constant.
    fn value<'v>(&'v self, t: TensorIndex, known: &'v HashMap<TensorIndex, Array>) -> Option<&'v Array> {
        known.get(&t).or(self.network.entry(t).ok()?.constant.as_ref())
    }

    /// Computes an operator again.
    fn repeated(&self, operation: &Operation, known: &HashMap<TensorIndex, Array>) -> Result<Option<Vec<Array>>> {
        let node = Node { stages: vec![operation.clone()] };
        let constant = |t: TensorIndex| self.value(t, known).map(for_compute).transpose();
        self.placement.evaluate(&signature(&node, |t| self.network.entry(t), constant)?)
    }

    /// Whether an operator with int32 results may have some that lie beyond the range.
    fn may_overflow(&self, operation: &Operation) -> bool {
        let dtype = |t: TensorIndex| self.network.entry(t).ok().map(|entry| entry.ty.dtype);
        let is_inner = |constant: f64| constant.abs() < f64::from(i32::MAX);
        let may_overflow = match &operation.op {
            Op::Add(_) | Op::Sub(_) | Op::Mul(_) | Op::Abs(_) | Op::CumSum(_) | Op::Reduce(_) | Op::MatMul(_) => true,
            Op::AddConst(op) => is_inner(op.const_val),
            Op::SubConst(op) => is_inner(op.const_val),
            Op::MulConst(op) => is_inner(op.const_val),
            Op::Cast(op) => dtype(op.input).is_some_and(Dtype::is_float),
            _ => false,
        };
        may_overflow && operation.outputs().all(|t| dtype(t) == Some(Dtype::Int32))
    }
}

/// Returns the operators with integer results that the wanted tensors depend on and that read nothing but what is fed, constants, and
/// results of other such operators.
///
/// # Errors
/// Returns an error if an input is missing.
fn integer_operations<'n>(
    network: &'n Network,
    wanted: &[TensorIndex],
    fed: &HashSet<TensorIndex>,
) -> Result<Vec<&'n Operation>> {
    let variables: HashSet<TensorIndex> = network.variables().collect();
    let given: Vec<TensorIndex> = fed.union(&variables).copied().collect();
    let mut is_known = vec![false; network.tensors.len()];
    let mut known = Vec::new();
    for at in needed(network, &given, wanted)? {
        let operation = &network.operators[at];
        let is_small_integer =
            |t: TensorIndex| network.entry(t).is_ok_and(|e| e.ty.is_plain_int() && e.ty.elements() <= MAX_ELEMENTS);
        // A run may have read other values of variables.
        let is_read = |t: TensorIndex| {
            is_known[t.0] || fed.contains(&t) || network.made_by[t.0].is_none() && !variables.contains(&t)
        };
        if operation.blocks.is_empty() && operation.outputs().all(is_small_integer) && operation.operands().all(is_read)
        {
            operation.outputs().for_each(|t| is_known[t.0] = true);
            known.push(operation);
        }
    }
    Ok(known)
}

/// Counts the elements of a result that are at the limits of int32 although the operands are not: where an operand has the shape of the
/// result, its element at the same place, and otherwise all of them. Infinite numbers are at the limits of floats.
fn saturated(result: &Array, operands: &[&Array]) -> usize {
    let (same, others): (Vec<&Array>, Vec<&Array>) = operands.iter().partition(|o| o.shape() == result.shape());
    if others.iter().any(|operand| at_limits(operand).contains(&true)) {
        return 0;
    }
    let mut saturated = at_limits(result);
    for operand in same {
        saturated.iter_mut().zip(at_limits(operand)).for_each(|(result, operand)| *result &= !operand);
    }
    saturated.into_iter().filter(|is_saturated| *is_saturated).count()
}

/// Returns for each element whether it is the smallest or the largest number of int32, or infinite or NaN.
fn at_limits(array: &Array) -> Vec<bool> {
    let is_at_limit = |v: f64| [f64::from(i32::MIN), f64::from(i32::MAX)].contains(&v) || !v.is_finite();
    let numbers =
        if array.dtype().is_float() || array.dtype() == Dtype::Int32 { array.to_f64() } else { Ok(Vec::new()) };
    numbers.map_or(Vec::new(), |numbers| numbers.into_iter().map(is_at_limit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuBackend, Graph, RunOptions, Tensor};

    fn warnings(x: Array, build: impl FnOnce(&mut Graph, Tensor) -> Result<Tensor>) -> Vec<String> {
        let mut g = Graph::new("g").unwrap();
        let input = g.input("x", x.dtype(), x.shape().to_vec()).unwrap();
        let y = build(&mut g, input).unwrap();
        g.set_outputs(&[y]).unwrap();
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
        let feeds = [("x", x)];
        let found = session.overflowed(&feeds, &session.run(&feeds).unwrap()).unwrap();
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_first_operation_is_named() {
        let hash = |g: &mut Graph, x| {
            let h = g.mul(x, 1 << 20).out_name("h").call()?;
            let more = g.add(h, 5).out_name("more").call()?;
            g.cast(more).out_dtype(Dtype::Float32).call()
        };
        assert_eq!(warnings(Array::from([1, 2047]), hash), [""; 0]);
        assert_eq!(
            warnings(Array::from([-4096, 1, 2048]), hash),
            ["2 of 3 elements of \"h\", computed by MulConst, saturate at the limits of int32"]
        );
        // Limits that are fed are meant.
        assert_eq!(warnings(Array::from([0, i32::MAX]), |g, x| g.add(x, 1).call()), [""; 0]);
        assert_eq!(warnings(Array::from([i32::MAX - 1, i32::MAX]), |g, x| g.add(x, 2).call()).len(), 1);
    }

    #[test]
    fn infinity_may_become_the_limit() {
        let whole = |g: &mut Graph, x| g.cast(x).out_dtype(Dtype::Int32).out_name("whole").call();
        assert_eq!(warnings(Array::from([f32::INFINITY, 1.0]), whole), [""; 0]);
        assert_eq!(
            warnings(Array::from([3e9f32, 1.0]), whole),
            ["1 of 2 elements of \"whole\", computed by Cast, saturates at the limits of int32"]
        );
    }

    /// The values that a run has read are not those that variables have after it.
    #[test]
    fn integers_of_variables_are_not_checked() {
        let mut g = Graph::new("g").unwrap();
        let v = g.coefficient("v", Array::from([1 << 29])).unwrap();
        let doubled = g.add(v, v).call().unwrap();
        g.assign(v, doubled).unwrap();
        g.set_outputs(&[doubled]).unwrap();
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
        let feeds: [(&str, Array); 0] = [];
        let results = session.run(&feeds).unwrap();
        assert!(session.overflowed(&feeds, &results).unwrap().is_empty());
    }

    /// Repeating a whole network would take too long.
    #[test]
    fn integers_of_computed_floats_are_not_repeated() {
        let whole = |g: &mut Graph, x| {
            let h = g.exp(x).call()?;
            g.cast(h).out_dtype(Dtype::Int32).call()
        };
        assert_eq!(warnings(Array::from([30f32]), whole), [""; 0]);
    }
}
