use super::{Graph, Operator, Tensor};
use crate::{
    base::{Cause, Result},
    ops::{Op, slice_ranges},
    quant::{Quantization, channel_axes, channel_axis},
};

impl Graph {
    /// Checks that quantizations are consistent after propagation through the ops that preserve them.
    ///
    /// # Errors
    /// Returns an error if two of them contradict each other, or if values pass in or out of a block with another
    /// quantization.
    pub fn check_quantization(&self) -> Result<()> {
        self.propagated_quantization().map(|_| ())
    }

    /// Returns the quantization of every tensor, by index, after propagation through the transparent ops: one forward
    /// and one backward pass, like TpuLang before emission.
    ///
    /// # Errors
    /// Same as for [`Graph::check_quantization`].
    #[doc(hidden)]
    pub fn propagated_quantization(&self) -> Result<Vec<Option<Quantization>>> {
        let mut all: Vec<Option<Quantization>> =
            self.tensor_table().iter().map(|t| t.as_ref().and_then(|t| t.quantization.clone())).collect();
        let mut carriers: Vec<Carrier> = Vec::new();
        self.body().walk(&mut |o| {
            if o.op.def().quant_transparent
                && let (Some((_, input)), [Some(output)]) = (o.op.operands().next(), o.results.as_slice())
            {
                carriers.push(Carrier { op: &o.op, input: *input, output: *output });
            }
        });
        carriers.iter().try_for_each(|c| self.carry(&mut all, c, c.input, c.output))?;
        carriers.iter().rev().try_for_each(|c| self.carry(&mut all, c, c.output, c.input))?;
        let mut owners = Vec::new();
        self.body().walk(&mut |o| owners.extend((!o.blocks.is_empty()).then_some(o)));
        owners.into_iter().try_for_each(|owner| Borders { graph: self, all: &all, owner }.check())?;
        Ok(all)
    }

    /// Gives the result of a new transparent operator the quantization of its input, so that later calls know it. One that
    /// does not fit the result is left to [`Graph::check_quantization`].
    pub(super) fn carry_to_result(&mut self, op: &Op<Tensor>, result: Tensor) {
        let input = op.operands().next().filter(|_| op.def().quant_transparent).map(|(_, input)| *input);
        let known = input.and_then(|t| self.tensor(t).ok()?.quantization.clone());
        let merged = input.zip(known).and_then(|(input, q)| {
            let info = self.tensor(result).ok()?;
            let carrier = Carrier { op, input, output: result };
            let fits = self.lists_match(&carrier, result, q.values().0.len()).ok()?;
            q.merged(None, info.dtype, &info.shape).ok().flatten().filter(|_| fits)
        });
        if merged.is_some() {
            self.change(result, |info| info.quantization = merged);
        }
    }

    fn carry(&self, all: &mut [Option<Quantization>], carrier: &Carrier, from: Tensor, to: Tensor) -> Result<()> {
        let Some(q) = all[from.index()].clone() else {
            return Ok(());
        };
        let (op, target) = (carrier.op.name(), self.tensor(to)?);
        let had = all[to.index()].as_ref();
        match q.merged(had, target.dtype, &target.shape) {
            Ok(merged) if self.lists_match(carrier, to, q.values().0.len())? => {
                if merged.is_some() {
                    all[to.index()] = merged;
                }
            }
            Ok(_) => {
                let problem = format!(
                    "{q} has one value per channel, and top.{op} moves the channels; use one scale and one zero point, or cast to floats first"
                );
                return Err(Cause::Quantization { tensor: self.tensor(from)?.name.clone(), problem }.into());
            }
            Err(_) => {
                let (had, from) = (had.cloned().unwrap_or_default(), &self.tensor(from)?.name);
                let problem =
                    format!("{had} is set, but top.{op} carries {q} to it from {from:?}; both must be the same");
                return Err(Cause::Quantization { tensor: target.name.clone(), problem }.into());
            }
        }
        Ok(())
    }
}

/// A transparent operator, whose first operand and result have the same quantization.
struct Carrier<'a> {
    op: &'a Op<Tensor>,
    input: Tensor,
    output: Tensor,
}

impl Graph {
    /// Returns whether a list of `n` values that one of the operator's tensors has belongs to the same indices of the other one, `to`.
    fn lists_match(&self, carrier: &Carrier, to: Tensor, n: usize) -> Result<bool> {
        let (input, output) = (&self.tensor(carrier.input)?.shape, &self.tensor(carrier.output)?.shape);
        let after = |axis: usize| axis_after(carrier.op, axis, input, output);
        // In a filter, a list may belong to either axis of its length.
        let is_carried = if to == carrier.output {
            channel_axis(output, n).is_some_and(|read| channel_axes(input, n).any(|axis| after(axis) == Some(read)))
        } else {
            let axis = channel_axis(input, n).and_then(after);
            axis.is_some_and(|axis| channel_axes(output, n).any(|read| read == axis))
        };
        Ok(n == 1 || is_carried)
    }
}

/// Returns the axis of a transparent operator's result that has the indices of an axis of its first operand.
fn axis_after(op: &Op<Tensor>, axis: usize, input: &[usize], output: &[usize]) -> Option<usize> {
    match op {
        Op::Permute(permute) => permute.order.iter().position(|&from| from == axis as i64),
        Op::Reshape(_) | Op::Unsqueeze(_) | Op::Squeeze(_) => {
            let before = |shape: &[usize], axis: usize| shape[..axis].iter().product::<usize>();
            (0..output.len()).find(|&to| output[to] == input[axis] && before(output, to) == before(input, axis))
        }
        // The last scale would be that of the first index.
        Op::Slice(slice) if slice_ranges(input, slice).is_ok_and(|ranges| ranges[axis].step < 0) => None,
        // Expand may add axes in front.
        _ => (axis + output.len()).checked_sub(input.len()),
    }
}

/// The values that pass in and out of the blocks of an operator.
struct Borders<'a> {
    graph: &'a Graph,
    /// The quantization of every tensor, by index.
    all: &'a [Option<Quantization>],
    owner: &'a Operator,
}

impl Borders<'_> {
    /// Checks that values which are passed on unchanged have one quantization, and that conditions have none.
    fn check(&self) -> Result<()> {
        let results: Vec<Tensor> = self.owner.outputs().collect();
        for block in &self.owner.blocks {
            let (yielded, arguments) = (block.results(), block.arguments());
            match &self.owner.op {
                Op::Loop(op) => {
                    let (numbers, carried) = arguments.split_at(arguments.len().min(2));
                    let conditions = op.M.iter().chain(&op.cond).chain(numbers).chain(yielded.first());
                    conditions.copied().try_for_each(|t| self.check_plain(t))?;
                    let next = yielded.get(1..).unwrap_or(&[]);
                    self.check_same(&op.v_initial, carried)?;
                    self.check_same(carried, next)?;
                    self.check_same(&results, next)?;
                }
                Op::If(op) => {
                    self.check_plain(op.cond)?;
                    self.check_same(&results, yielded)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks that the first tensors have the quantization of the second ones, in pairs.
    fn check_same(&self, first: &[Tensor], second: &[Tensor]) -> Result<()> {
        for (&one, &other) in first.iter().zip(second) {
            let [a, b] = [one, other].map(|t| self.all[t.index()].as_ref());
            if a.map(Quantization::values) == b.map(Quantization::values) {
                continue;
            }
            let text = |q: Option<&Quantization>| q.map_or("no quantization".into(), ToString::to_string);
            let (tensor, other) = (self.graph.tensor(one)?.name.clone(), &self.graph.tensor(other)?.name);
            let (name, found, expected) = (self.owner.op.name(), text(a), text(b));
            let problem = format!("{found}; top.{name} passes its values on as {other:?}, which has {expected}");
            return Err(Cause::Quantization { tensor, problem }.into());
        }
        Ok(())
    }

    /// Checks that a condition, a trip count or an iteration number has no quantization.
    fn check_plain(&self, tensor: Tensor) -> Result<()> {
        let Some(found) = self.all[tensor.index()].as_ref() else { return Ok(()) };
        let problem = format!("{found}; top.{} expects a plain number", self.owner.op.name());
        Err(Cause::Quantization { tensor: self.graph.tensor(tensor)?.name.clone(), problem }.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph, Quantization, Tensor};

    #[test]
    fn quantization_is_propagated_both_ways() {
        let mut g = Graph::new("g").unwrap();
        let a = g.input("a", Dtype::Int8, [2, 2]).unwrap();
        let b = g.relu(a).call().unwrap();
        let c = g.permute(b, [1, 0]).call().unwrap();
        let d = g.relu(c).out_quant(Quantization::per_tensor(0.5, 3)).call().unwrap();
        let q = g.propagated_quantization().unwrap();
        for t in [a, b, c, d] {
            assert_eq!(q[t.index()], Some(Quantization::per_tensor(0.5, 3)));
        }
    }

    /// A list belongs to the indices of an axis, and must be read at the same ones after the operator.
    #[test]
    fn lists_are_carried_where_their_axis_stays_in_place() {
        let scales = |n: usize| Quantization { scale: Some(vec![0.5; n].into()), zero_point: None };
        let carried = |shape: &[usize], build: fn(&mut Graph, Tensor) -> Tensor| {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Int8, shape).unwrap();
            g.quantize(x, &scales(2)).unwrap();
            let y = build(&mut g, x);
            g.propagated_quantization().map(|q| q[y.index()] == Some(scales(2))).map_err(|e| e.to_string())
        };
        let permuted = |g: &mut Graph, x| g.permute(x, [0, 2, 1, 3]).call().unwrap();
        let error = carried(&[1, 2, 2, 1], permuted).unwrap_err();
        assert!(error.contains("top.Permute moves the channels"), "{error}");
        assert_eq!(carried(&[1, 2, 3, 1], |g, x| g.permute(x, [0, 1, 3, 2]).call().unwrap()), Ok(true));
        // The output channels of a filter.
        assert_eq!(carried(&[2, 2, 3], |g, x| g.permute(x, [1, 0, 2]).call().unwrap()), Ok(true));
        assert_eq!(carried(&[2, 3, 2], |g, x| g.reshape(x, [2, 6]).call().unwrap()), Ok(true));
        carried(&[1, 2, 2], |g, x| g.reshape(x, [2, 2]).call().unwrap()).unwrap_err();
        assert_eq!(carried(&[1, 2, 6], |g, x| g.reshape(x, [1, 2, 3, 2]).call().unwrap()), Ok(true));
        assert_eq!(carried(&[1, 2, 6], |g, x| g.relu(x).call().unwrap()), Ok(true));
        let reversed = |g: &mut Graph, x| g.slice(x, -1, i64::MIN).steps(-1).axes(1).call().unwrap();
        assert!(carried(&[1, 2, 6], reversed).unwrap_err().contains("top.Slice moves the channels"));
        let last = |g: &mut Graph, x| g.slice(x, -1, i64::MIN).steps(-1).axes(2).call().unwrap();
        assert_eq!(carried(&[1, 2, 6], last), Ok(true));
    }

    /// The border of a block: `check` and `convert` report it, before a run.
    #[test]
    fn quantization_passes_unchanged_in_and_out_of_blocks() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [2]).unwrap();
        let c = g.input("c", Dtype::Float32, [1]).unwrap();
        let y = g.cond(c, |_| Ok(vec![x]), |_| Ok(vec![x])).unwrap();
        g.check_quantization().unwrap();
        g.quantize(x, &Quantization::per_tensor(0.5, 0)).unwrap();
        let error = g.check_quantization().unwrap_err().to_string();
        assert!(error.contains("no quantization; top.If passes its values on as \"x\""), "{error}");
        g.quantize(y[0], &Quantization::per_tensor(0.5, 0)).unwrap();
        g.check_quantization().unwrap();
    }
}
