//! Runs `If` and `Loop`: conditions and trip counts are read on the host, and blocks run as plans of their own.
use super::{
    Backend, Session, ValueType,
    plan::{BlockPlan, ControlFlow, Plan, Step, TensorIndex},
};
use crate::{
    array::{Array, ArrayMut},
    base::{Cause, Error, Result, invalid, pluralized},
    ops::{Loop, Op},
};
use std::collections::HashMap;

/// The buffers of the tensors that a step with blocks reads, by index in its plan.
type Outer<B> = HashMap<TensorIndex, B>;

impl<B: Backend> Session<B> {
    /// Runs an `If` or a `Loop`. `operands` are those of the step: the operator's, then those that its blocks capture.
    pub(super) fn run_control_flow(
        &self,
        plan: &Plan<B>,
        step: &Step<B>,
        control: &ControlFlow<B>,
        operands: Vec<Option<B::Buffer>>,
    ) -> Result<Vec<B::Buffer>> {
        let pairs = step.operands.iter().zip(operands);
        let buffer = |t: &TensorIndex, given: Option<B::Buffer>| given.or_else(|| plan.constants.get(t).cloned());
        let outer: Outer<B::Buffer> = pairs.filter_map(|(t, given)| Some((*t, buffer(t, given)?))).collect();
        match (step.node.last().map(|stage| &stage.op), control.blocks.as_slice()) {
            (Some(Op::If(op)), [then_branch, else_branch]) => {
                let branch = if self.is_true(read(&outer, op.cond)?)? { then_branch } else { else_branch };
                self.run_block(branch, &outer, Vec::new())
            }
            (Some(Op::Loop(op)), [body]) => self.run_loop(plan, step, (op, body), &outer),
            _ => Err(invalid("internal error: an operator with blocks that are not run")),
        }
    }

    fn run_loop(
        &self,
        plan: &Plan<B>,
        step: &Step<B>,
        (op, body): (&Loop<TensorIndex>, &BlockPlan<B>),
        outer: &Outer<B::Buffer>,
    ) -> Result<Vec<B::Buffer>> {
        let limit = op.M.map(|t| self.trip_count(read(outer, t)?)).transpose()?;
        let mut condition = op.cond.map(|t| read(outer, t).cloned()).transpose()?;
        let mut carried = op.v_initial.iter().map(|t| read(outer, *t).cloned()).collect::<Result<Vec<_>>>()?;
        let stacked = step.outputs.iter().skip(carried.len());
        let mut stacks: Vec<(&ValueType, Vec<Array>)> =
            stacked.map(|t| Ok((&plan.entry(*t)?.ty, Vec::new()))).collect::<Result<_>>()?;
        let mut iteration = 0;
        while limit.is_none_or(|limit| iteration < limit) && self.holds(condition.as_ref())? {
            self.check_iterations(iteration)?;
            let number = self.argument(body, 0, iteration as f64)?;
            let condition_argument = match condition.take() {
                Some(condition) if self.fits(body, 1, &condition) => condition,
                _ => self.argument(body, 1, 1.0)?,
            };
            let arguments = [number, condition_argument].into_iter().chain(std::mem::take(&mut carried));
            let mut results = self.run_block(body, outer, arguments.collect())?.into_iter();
            condition = results.next();
            carried = results.by_ref().take(op.v_initial.len()).collect();
            for ((ty, values), value) in stacks.iter_mut().zip(results) {
                values.push(self.placement.backend.download(&value)?);
                if values.len() > entries(ty) {
                    return Err(wrong_count(values.len(), ty));
                }
            }
            iteration += 1;
        }
        let stacked = stacks.iter().map(|(ty, values)| self.placement.backend.upload(&stack(values, ty)?));
        let stacked = stacked.collect::<Result<Vec<_>>>()?;
        Ok(carried.into_iter().chain(stacked).collect())
    }

    /// Runs the plan of a block on its arguments and on the tensors that it captures.
    fn run_block(
        &self,
        block: &BlockPlan<B>,
        outer: &Outer<B::Buffer>,
        arguments: Vec<B::Buffer>,
    ) -> Result<Vec<B::Buffer>> {
        let mut fed: Vec<(TensorIndex, B::Buffer)> = block.arguments.iter().copied().zip(arguments).collect();
        for (from, to) in &block.captures {
            fed.push((*to, read(outer, *from)?.clone()));
        }
        self.steps(&block.plan, fed.into_iter(), &block.results, &mut HashMap::new(), &mut None)
    }

    /// Whether a condition, which may be absent, holds.
    fn holds(&self, condition: Option<&B::Buffer>) -> Result<bool> {
        condition.map_or(Ok(true), |condition| self.is_true(condition))
    }
    fn is_true(&self, condition: &B::Buffer) -> Result<bool> {
        Ok(self.number(condition)? != 0.0)
    }
    /// Returns a trip count; negative ones are 0.
    fn trip_count(&self, buffer: &B::Buffer) -> Result<u64> {
        Ok(self.number(buffer)? as u64)
    }
    /// Reads a single number from the backend, which waits for its work.
    fn number(&self, buffer: &B::Buffer) -> Result<f64> {
        let values = self.placement.backend.download(buffer)?.to_f64()?;
        values.first().copied().ok_or_else(|| invalid("a condition without values"))
    }
    /// Creates the argument of a block that holds a number.
    fn argument(&self, block: &BlockPlan<B>, index: usize, value: f64) -> Result<B::Buffer> {
        let ty = &block.plan.entry(block.arguments[index])?.ty;
        self.placement.backend.upload(&Array::filled(ty.buffer_dtype(), ty.shape.clone(), value)?)
    }
    /// Whether a buffer has the type of an argument.
    fn fits(&self, block: &BlockPlan<B>, index: usize, buffer: &B::Buffer) -> bool {
        let found = self.placement.backend.type_of(buffer);
        let expected = block.plan.entry(block.arguments[index]).map(|entry| (entry.ty.buffer_dtype(), &entry.ty.shape));
        found.zip(expected.ok()).is_some_and(|((dtype, shape), expected)| (dtype, &shape) == expected)
    }
    /// # Errors
    /// Returns an error if a loop exceeds [`RunOptions::max_iterations`](super::RunOptions::max_iterations), or if the
    /// caller wants to end.
    fn check_iterations(&self, iteration: u64) -> Result<()> {
        self.placement.check_interrupt()?;
        let limit = self.options.max_iterations;
        if iteration < limit {
            return Ok(());
        }
        let problem = format!(
            "it has not ended after {}, the maximum (max_iterations)",
            pluralized(limit.try_into().unwrap_or(usize::MAX), "iteration")
        );
        Err(Cause::Operator { op: "Loop".into(), problem }.into())
    }
}

fn read<Buffer>(outer: &Outer<Buffer>, tensor: TensorIndex) -> Result<&Buffer> {
    let missing = || Error::from(Cause::MissingData(format!("internal error: tensor {} has no values", tensor.0)));
    outer.get(&tensor).ok_or_else(missing)
}

/// Returns the number of values that a result stacks: one per iteration.
fn entries(ty: &ValueType) -> usize {
    ty.shape.first().copied().unwrap_or(0)
}

/// Creates the error about a loop that runs another number of iterations than a result stacks.
fn wrong_count(found: usize, ty: &ValueType) -> Error {
    let (ran, expected) = (pluralized(found, "iteration"), entries(ty));
    let problem = format!("it ran {ran}; the result {:?} stacks {expected}", ty.name);
    Cause::Operator { op: "Loop".into(), problem }.into()
}

/// Stacks the values of all iterations along a new first axis.
///
/// # Errors
/// Returns an error if there are not as many as the result has entries.
fn stack(values: &[Array], ty: &ValueType) -> Result<Array> {
    if values.len() != entries(ty) {
        return Err(wrong_count(values.len(), ty));
    }
    let mut stacked = ArrayMut::zeros(ty.buffer_dtype(), &ty.shape)?;
    let size = stacked.bytes().len().checked_div(values.len()).unwrap_or(0).max(1);
    for (to, value) in stacked.bytes().chunks_exact_mut(size).zip(values) {
        to.copy_from_slice(value.bytes()?);
    }
    Ok(stacked.freeze())
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, CpuBackend, Dtype, Graph, Quantization, RunOptions, Session, Tensor,
        base::Result,
        ops::{If, Loop},
    };

    type Argument = (String, Dtype, Vec<i64>);

    fn argument(name: &str, shape: &[i64]) -> Argument {
        (name.into(), Dtype::Float32, shape.to_vec())
    }

    /// A loop that multiplies `x`, 4x4, by a weight while `again` holds, and stacks the results.
    fn powers(g: &mut Graph, rounds: Option<f32>, stacked: i64) -> Result<Vec<Tensor>> {
        let x = g.input("x", Dtype::Float32, [4, 4])?;
        let again = g.input("again", Dtype::Float32, [1])?;
        let w = g.coefficient("w", Array::from_vec([4, 4], (0..16).map(|i| i as f32 / 16.0).collect())?)?;
        let arguments = [argument("round", &[1]), argument("go", &[1]), argument("v", &[4, 4])];
        let body = g.block(arguments, |g, given| {
            let next = g.matmul(given[2], w).out_name("product").call()?;
            let next = g.relu(next).call()?;
            Ok(vec![again, next, next])
        })?;
        let rounds = rounds.map(|n| g.coefficient("rounds", Array::from([n]))).transpose()?;
        let op = Loop { M: rounds, cond: Some(again), ..Loop::new(vec![x]) };
        let shapes = [vec![4, 4], vec![stacked, 4, 4]];
        let results = g.op(op).owns(body).out_dtypes([Dtype::Float32; 2]).out_shapes(shapes).out_names(["y", "all"]);
        let results = results.call()?;
        g.set_outputs(&results)?;
        Ok(results)
    }

    fn feeds(again: f32) -> [(&'static str, Array); 2] {
        [("x", Array::filled(Dtype::Float32, [4, 4], 1.0).unwrap()), ("again", Array::from([again]))]
    }

    /// Weights that are kept, streamed or fed give the same results, fused or not, from several threads.
    #[test]
    fn weights_of_a_body_may_be_kept_streamed_or_fed() {
        let mut g = Graph::new("g").unwrap();
        powers(&mut g, Some(3.0), 3).unwrap();
        let weight = Array::from_vec([4, 4], (0..16).map(|i| i as f32 / 16.0).collect()).unwrap();
        let mut expected = vec![1f32; 16];
        for _ in 0..3 {
            let row = |i: usize, j: usize| (0..4).map(|k| expected[4 * i + k] * (4 * k + j) as f32 / 16.0).sum::<f32>();
            expected = (0..16).map(|at| row(at / 4, at % 4)).collect();
        }
        for options in [
            RunOptions::default(),
            RunOptions::default().unfused(true),
            RunOptions::default().weight_budget(Some(0)),
            RunOptions::default().threads(1),
        ] {
            let session = Session::new(&g, CpuBackend::new(), &options).unwrap();
            let run = |feeds: &[(&str, Array)]| session.run(feeds).unwrap();
            let first = run(&feeds(1.0));
            let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs());
            assert!(close(&first["y"].to_f32().unwrap(), &expected), "{options:?}");
            assert_eq!(first["all"].to_f32().unwrap()[32..], first["y"].to_f32().unwrap());
            let doubled = Array::from_vec([4, 4], weight.to_f32().unwrap().iter().map(|w| 2.0 * w).collect()).unwrap();
            let [x, again] = feeds(1.0);
            let fed = run(&[x, again, ("w", doubled)]);
            assert!(close(&fed["y"].to_f32().unwrap(), &expected.iter().map(|v| 8.0 * v).collect::<Vec<_>>()));
            std::thread::scope(|scope| {
                let same = || (0..20).for_each(|_| assert_eq!(run(&feeds(1.0)), first));
                (0..3).for_each(|_| drop(scope.spawn(same)));
            });
        }
    }

    #[test]
    fn a_loop_that_does_not_end_or_stacks_another_number_is_an_error() {
        let run = |rounds, stacked, again, limit| {
            let mut g = Graph::new("g").unwrap();
            powers(&mut g, rounds, stacked).unwrap();
            let options = RunOptions::default().max_iterations(limit);
            let session = Session::new(&g, CpuBackend::new(), &options).unwrap();
            session.run(&feeds(again)).map(drop).map_err(|e| e.to_string())
        };
        run(Some(2.0), 2, 1.0, 2).unwrap();
        let error = run(None, 2, 1.0, 50).unwrap_err();
        assert!(error.contains("it ran 3 iterations; the result \"all\" stacks 2"), "{error}");
        let error = run(None, 60, 1.0, 50).unwrap_err();
        assert!(error.contains("top.Loop \"y\" (ops[0]): it has not ended after 50 iterations"), "{error}");
        let error = run(Some(2.0), 5, 1.0, 50).unwrap_err();
        assert!(error.contains("it ran 2 iterations; the result \"all\" stacks 5"), "{error}");
        let error = run(Some(2.0), 5, 0.0, 50).unwrap_err();
        assert!(error.contains("it ran 0 iterations; the result \"all\" stacks 5"), "{error}");
        let error = run(Some(f32::NAN), 5, 1.0, 50).unwrap_err();
        assert!(error.contains("it ran 0 iterations"), "{error}");
    }

    /// Only the branch that is taken runs; an error in it names its operator.
    #[test]
    fn an_error_in_a_branch_names_its_operator() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [3]).unwrap();
        let c = g.input("c", Dtype::Float32, [1]).unwrap();
        let i = g.input("i", Dtype::Int32, [1]).unwrap();
        let none: [Argument; 0] = [];
        let then = g.block(none.clone(), |g, _| Ok(vec![g.index_select(x, i).axis(0).out_name("picked").call()?]));
        let other = g.block(none, |g, _| Ok(vec![g.reduce(x).axes([0]).call()?]));
        let op = g.op(If::new(c)).owns(then.unwrap()).owns(other.unwrap()).out_name("y");
        let y = op.out_dtypes([Dtype::Float32]).out_shapes([[1]]).call().unwrap();
        g.set_outputs(&y).unwrap();
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
        let run = |c: f32| {
            session.run(&[("x", Array::from([1f32, 2.0, 4.0])), ("c", Array::from([c])), ("i", Array::from([9i32]))])
        };
        assert_eq!(run(0.0).unwrap()["y"].to_f32().unwrap(), [7.0]);
        let error = run(1.0).unwrap_err().to_string();
        assert!(error.starts_with("top.Gather \"picked\" (ops[0]): index 9 is out of range"), "{error}");
        // The If and the operators of both branches.
        assert_eq!(session.summary(), "cpu: 3 ops");
        let error = session.fetch(&[("c", Array::from([1f32]))], &["picked"]).unwrap_err().to_string();
        assert!(error.starts_with("the tensor \"picked\": it is within a branch or loop"), "{error}");
        // What a branch captures is needed.
        let error = session.run(&[("c", Array::from([1f32]))]).unwrap_err().to_string();
        assert!(error.contains("the input \"x\" (3 float32) is not fed") && error.contains("\"i\""), "{error}");
    }

    #[test]
    fn a_branch_yields_the_quantization_of_the_result() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [2]).unwrap();
        let c = g.input("c", Dtype::Float32, [1]).unwrap();
        g.quantize(x, &Quantization::per_tensor(0.5, 0)).unwrap();
        let none: [Argument; 0] = [];
        let [then, other] = [0, 1].map(|_| g.block(none.clone(), |_, _| Ok(vec![x])).unwrap());
        let new = g.op(If::new(c)).owns(then).owns(other).out_name("y");
        let y = new.out_dtypes([Dtype::Int8]).out_shapes([[2]]).call().unwrap();
        g.set_outputs(&y).unwrap();
        let error = |g: &Graph| Session::new(g, CpuBackend::new(), &RunOptions::default()).err().map(|e| e.to_string());
        let text = error(&g).unwrap();
        assert!(
            text.contains("quantization of \"y\": no quantization; top.If passes its values on as \"x\""),
            "{text}"
        );
        g.quantize(y[0], &Quantization::per_tensor(0.5, 0)).unwrap();
        assert_eq!(error(&g), None);
    }
}
