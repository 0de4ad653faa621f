//! Loops of known trip count, replaced by copies of their bodies.
use super::{
    Block, Graph, Operator, Tensor, TensorKind,
    copies::{Bound, bound_to, calls_of},
    scope::Scope,
};
use crate::{
    array::Array,
    base::{Result, pluralized},
    ops::{Concat, Loop, Op, Reshape, op_def, operator_error},
};
use std::collections::HashSet;

/// A loop of a graph ([`Graph::loops`]).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopInfo {
    /// Name of its first result.
    pub name: String,
    /// Number of iterations, if it is known without running the graph.
    pub trip_count: Option<u64>,
}

/// Maximum number of operators that [`Graph::unrolled`] makes.
pub const MAX_UNROLLED: u64 = 1 << 16;

impl Graph {
    /// Returns the graph with every loop of known trip count replaced by copies of its body, also loops in blocks.
    /// Computes the same; handles and names outside of these loops stay valid.
    ///
    /// The copies are in scopes named after the loop: those of the loop `y` in `y_0/`, `y_1/` and so on. They share
    /// coefficients. A stacked result becomes a `top.Concat`. Loops of unknown trip count are left as they are.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.for_loop(3, &[x], |g, _, v| Ok(vec![g.mul(v[0], 2.0).out_name("doubled").call()?]))?;
    /// g.set_outputs(&y)?;
    /// let unrolled = g.unrolled()?;
    /// assert_eq!(unrolled.operators().len(), 3);
    /// assert!(unrolled.find("Loop_1_0/doubled").is_ok());
    /// assert_eq!(unrolled.outputs(), y);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if more than [`MAX_UNROLLED`] operators would be made, if a loop stacks another number of
    /// values than it has iterations, if a trip count cannot be read, or if a name becomes too long.
    pub fn unrolled(&self) -> Result<Graph> {
        let mut graph = self.clone();
        graph.scope = Scope::default();
        let mut body = std::mem::take(&mut graph.body);
        Unroller { graph: &mut graph, made: 0 }.block(&mut body)?;
        graph.body = body;
        graph.calls = graph.calls.max(graph.body.calls.len());
        Ok(graph)
    }

    /// Returns all loops in execution order, each before those in its body.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// g.for_loop(3, &[x], |g, _, v| Ok(vec![g.relu(v[0]).call()?]))?;
    /// assert_eq!(g.loops()?[0].trip_count, Some(3));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a trip count cannot be read from the weights file.
    pub fn loops(&self) -> Result<Vec<LoopInfo>> {
        let mut loops = Vec::new();
        self.body().walk(&mut |o| loops.extend(matches!(o.op, Op::Loop(_)).then_some(o)));
        let info = |o: &Operator| Ok(LoopInfo { name: self.name_of(o)?, trip_count: self.trip_count(o)? });
        loops.into_iter().map(info).collect()
    }

    /// Returns the operators that compute what a loop of known trip count does, under new names, with their results; `None` if the
    /// trip count is unknown. Adds their number to `made`, of which there are at most [`MAX_UNROLLED`].
    pub(super) fn unrolled_copy(
        &mut self,
        operator: &Operator,
        made: &mut u64,
    ) -> Result<Option<(Vec<Operator>, Vec<Tensor>)>> {
        let Some(count) = self.trip_count(operator)? else { return Ok(None) };
        self.in_root_scope(|g| {
            let copies = g.copied(std::slice::from_ref(operator), "gradient", &mut Bound::new())?;
            let results = copies.iter().flat_map(Operator::outputs).collect();
            let mut unroller = Unroller { graph: g, made: *made };
            let operators = unroller.unroll(&copies[0], count)?;
            *made = unroller.made;
            Ok(Some((operators, results)))
        })
    }

    /// Returns the number of iterations of a loop; `None` if it is unknown, or if the operator is no loop.
    fn trip_count(&self, operator: &Operator) -> Result<Option<u64>> {
        let (Op::Loop(op), [body]) = (&operator.op, operator.blocks.as_slice()) else { return Ok(None) };
        let ([_, condition, ..], [again, ..]) = (body.arguments(), body.results()) else { return Ok(None) };
        let first = op.cond.map_or(Ok(Some(1.0)), |t| self.number(t))?;
        let next = if again == condition { first } else { self.number(*again)? };
        let limit = op.M.map_or(Ok(Some(f64::INFINITY)), |t| self.number(t))?;
        let (Some(first), Some(next), Some(limit)) = (first, next, limit) else { return Ok(None) };
        // Like a run: negative counts are 0, and a condition that is NaN holds.
        let count = match (first != 0.0, next != 0.0) {
            (false, _) => 0,
            (true, false) => (limit as u64).min(1),
            (true, true) if limit.is_infinite() && op.M.is_none() => return Ok(None),
            (true, true) => limit as u64,
        };
        // Numbers that the body reads become coefficients, which not every dtype has.
        let is_fine = |t: &Tensor| Ok(self.tensor(*t)?.dtype.is_declared() || !is_used(body, *t));
        let fine = body.arguments()[..2].iter().map(is_fine).collect::<Result<Vec<bool>>>()?;
        Ok((count == 0 || fine.iter().all(|fine| *fine)).then_some(count))
    }

    /// Returns the value of a coefficient of one element; `None` if it is a variable.
    fn number(&self, tensor: Tensor) -> Result<Option<f64>> {
        let Some(data) = self.tensor(tensor)?.data().filter(|_| !self.is_variable(tensor)) else { return Ok(None) };
        Ok(data.to_f64()?.first().copied())
    }

    /// Returns how many operators a block has when its loops are unrolled.
    fn unrolled_size(&self, block: &Block) -> Result<u64> {
        let mut sum = 0u64;
        for operator in &block.operators {
            let mut inner = operator.blocks.iter().map(|b| self.unrolled_size(b));
            let inner = inner.try_fold(0u64, |sum, size| size.map(|size| sum.saturating_add(size)))?;
            sum = sum.saturating_add(match self.trip_count(operator)? {
                Some(count) => size_of_loop(operator, count, inner),
                None => inner.saturating_add(1),
            });
        }
        Ok(sum)
    }
}

/// Returns the number of operators that replace a loop: its iterations (at least one each, so that their number is
/// bounded, too), and one for each entry of its stacked results.
fn size_of_loop(operator: &Operator, count: u64, body: u64) -> u64 {
    let results = operator.results.len() as u64;
    body.max(1).saturating_add(results).saturating_mul(count).saturating_add(results)
}

/// Returns whether a block uses one of its arguments, other than as its next condition.
fn is_used(block: &Block, argument: Tensor) -> bool {
    block.results.iter().skip(1).any(|t| *t == argument) || block.operators.iter().any(|o| o.uses().contains(&argument))
}

/// Unrolls the loops of a graph, outer ones first.
struct Unroller<'g> {
    /// The graph without its body.
    graph: &'g mut Graph,
    /// Operators made so far, including loops that were unrolled in turn.
    made: u64,
}

impl Unroller<'_> {
    fn block(&mut self, block: &mut Block) -> Result<()> {
        block.replace_where(&|operator| !operator.blocks.is_empty(), &mut |mut operator| match self
            .graph
            .trip_count(&operator)?
        {
            Some(count) => self.unroll(&operator, count),
            None => {
                for inner in &mut operator.blocks {
                    self.block(inner)?;
                    // It also has what loops have become.
                    self.graph.close(inner);
                }
                Ok(vec![operator])
            }
        })
    }

    /// Returns the operators that replace a loop, themselves without loops of known trip count.
    fn unroll(&mut self, operator: &Operator, count: u64) -> Result<Vec<Operator>> {
        let (Op::Loop(op), [body]) = (&operator.op, operator.blocks.as_slice()) else { return Ok(Vec::new()) };
        self.check_size(operator, body, count)?;
        let results: Vec<Tensor> = operator.outputs().collect();
        let (last, stacked) = results.split_at(op.v_initial.len());
        self.check_stacked(stacked, count)?;
        let name = self.graph.name_of(operator)?;
        let mut block = Block::default();
        let mut state =
            State { again: op.cond, carried: op.v_initial.clone(), pieces: vec![Vec::new(); stacked.len()] };
        for iteration in 0..count {
            let results = if iteration + 1 == count { last } else { &[] };
            let operators = self.iteration(&name, iteration, (op, body), &mut state, results)?;
            block.operators.extend(operators);
        }
        for (result, value) in last.iter().zip(state.carried).filter(|(result, value)| *result != value) {
            let operator = self.reshape(value, *result)?;
            block.operators.push(operator);
        }
        for (result, pieces) in stacked.iter().zip(state.pieces) {
            self.stack(&mut block, pieces, *result)?;
        }
        self.graph.forget_block(body);
        block.calls = calls_of(&block.operators);
        self.block(&mut block)?;
        Ok(block.operators)
    }

    /// Copies the body for an iteration. The tensors that it yields become `results`, as far as it computes them.
    fn iteration(
        &mut self,
        name: &str,
        iteration: u64,
        (op, body): (&Loop<Tensor>, &Block),
        state: &mut State,
        results: &[Tensor],
    ) -> Result<Vec<Operator>> {
        let scope = format!("{name}_{iteration}");
        let mut bound = Bound::new();
        let (numbers, carried) = body.arguments.split_at(2);
        bound.extend(carried.iter().copied().zip(state.carried.iter().copied()));
        if is_used(body, numbers[0]) {
            bound.insert(numbers[0], self.number_like(numbers[0], &scope, iteration as f64)?);
        }
        if is_used(body, numbers[1]) {
            let again = state.again.filter(|t| self.same_type(*t, numbers[1]));
            let again = again.map_or_else(|| self.number_like(numbers[1], &scope, 1.0), Ok)?;
            bound.insert(numbers[1], again);
        }
        let computed: HashSet<Tensor> = match results {
            [] => HashSet::new(),
            _ => body.operators.iter().flat_map(Operator::outputs).collect(),
        };
        for (yielded, result) in body.results[1..].iter().zip(results).filter(|(t, _)| computed.contains(t)) {
            bound.entry(*yielded).or_insert(*result);
        }
        let operators = self.graph.copied(&body.operators, &scope, &mut bound)?;
        if body.results[0] != numbers[1] {
            state.again = Some(bound_to(&bound, body.results[0]));
        }
        let mut yielded = body.results[1..].iter().map(|t| bound_to(&bound, *t));
        state.carried = yielded.by_ref().take(op.v_initial.len()).collect();
        state.pieces.iter_mut().zip(yielded).for_each(|(pieces, value)| pieces.push(value));
        Ok(operators)
    }

    fn same_type(&self, a: Tensor, b: Tensor) -> bool {
        let ty = |t| self.graph.tensor(t).ok().map(|info| (info.dtype, &info.shape));
        ty(a) == ty(b)
    }

    /// Adds a coefficient of the type of an argument, with this number.
    fn number_like(&mut self, argument: Tensor, scope: &str, value: f64) -> Result<Tensor> {
        let info = self.graph.tensor(argument)?;
        let (dtype, shape) = (info.dtype, info.shape.clone());
        let data = Array::from_f64s(dtype, &shape, std::iter::once(value))?;
        let name = self.graph.name_in(scope, &info.name);
        self.graph.add_tensor(Some(&name), dtype, shape, TensorKind::Coefficient(Some(data)))
    }

    /// Returns an operator that passes `value` on as `result`, which may have another shape.
    fn reshape(&self, value: Tensor, result: Tensor) -> Result<Operator> {
        let shape = self.graph.tensor(result)?.shape.iter().map(|&d| d as i64).collect();
        let op = Reshape { shape: Some(shape), ..Reshape::new(value) };
        Ok(Operator { op: op.into(), results: vec![Some(result)], blocks: Vec::new(), is_edited: false })
    }

    /// Adds the operators that stack the values of all iterations along a new first axis.
    fn stack(&mut self, block: &mut Block, values: Vec<Tensor>, result: Tensor) -> Result<()> {
        if let [only] = values[..] {
            block.operators.push(self.reshape(only, result)?);
            return Ok(());
        }
        let name = self.graph.tensor(result)?.name.clone();
        let mut pieces = Vec::with_capacity(values.len());
        for (i, value) in values.into_iter().enumerate() {
            let shape = [1].into_iter().chain(self.graph.tensor(value)?.shape.iter().copied()).collect();
            let free = self.graph.freed(format!("{name}_{i}"));
            let piece = self.graph.value_like(&free, value, shape)?;
            block.operators.push(self.reshape(value, piece)?);
            pieces.push(piece);
        }
        let op = Concat { axis: 0, ..Concat::new(pieces) };
        block.operators.push(Operator {
            op: op.into(),
            results: vec![Some(result)],
            blocks: Vec::new(),
            is_edited: false,
        });
        Ok(())
    }

    /// Checks that the loop and those in its body may be unrolled, and counts the operators of the loop alone.
    fn check_size(&mut self, operator: &Operator, body: &Block, count: u64) -> Result<()> {
        let size = size_of_loop(operator, count, self.graph.unrolled_size(body)?);
        if self.made.saturating_add(size) <= MAX_UNROLLED {
            let mut own = 0;
            body.walk(&mut |_| own += 1);
            self.made += size_of_loop(operator, count, own);
            return Ok(());
        }
        let name = self.graph.name_of(operator)?;
        let count = pluralized(usize::try_from(count).unwrap_or(usize::MAX), "iteration");
        let problem = format!(
            "unrolling {name:?}, which has {count}, makes {size} operators; at most {MAX_UNROLLED} are made for all loops"
        );
        Err(operator_error(op_def("Loop")?, problem))
    }

    /// Checks that results which stack the values of all iterations have one entry for each.
    fn check_stacked(&self, stacked: &[Tensor], count: u64) -> Result<()> {
        for t in stacked {
            let info = self.graph.tensor(*t)?;
            let entries = info.shape.first().copied().unwrap_or(0);
            if entries as u64 != count {
                let ran = pluralized(usize::try_from(count).unwrap_or(usize::MAX), "iteration");
                let problem = format!("it has {ran}; the result {:?} stacks {entries}", info.name);
                return Err(operator_error(op_def("Loop")?, problem));
            }
        }
        Ok(())
    }
}

/// What a loop passes from one iteration to the next.
struct State {
    /// The condition; `None` if there is none.
    again: Option<Tensor>,
    carried: Vec<Tensor>,
    /// The values of each stacked result.
    pieces: Vec<Vec<Tensor>>,
}

#[cfg(test)]
mod tests;
