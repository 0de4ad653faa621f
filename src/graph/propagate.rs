use super::{Graph, Operator, Tensor};
use crate::{
    base::{Cause, Result},
    ops::Op,
    quant::Quantization,
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
        let mut pairs: Vec<(Tensor, Tensor, &str)> = Vec::new();
        self.body().walk(&mut |o| {
            if o.op.def().quant_transparent
                && let (Some((_, input)), [Some(output)]) = (o.op.operands().next(), o.results.as_slice())
            {
                pairs.push((*input, *output, o.op.name()));
            }
        });
        pairs.iter().try_for_each(|&(input, output, op)| self.carry(&mut all, input, output, op))?;
        pairs.iter().rev().try_for_each(|&(input, output, op)| self.carry(&mut all, output, input, op))?;
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
        let merged = known.and_then(|q| {
            let info = self.tensor(result).ok()?;
            q.merged(None, info.dtype, &info.shape).ok().flatten()
        });
        if merged.is_some() {
            self.change(result, |info| info.quantization = merged);
        }
    }

    fn carry(&self, all: &mut [Option<Quantization>], from: Tensor, to: Tensor, op: &str) -> Result<()> {
        let Some(q) = all[from.index()].clone() else {
            return Ok(());
        };
        let target = self.tensor(to)?;
        let had = all[to.index()].as_ref();
        match q.merged(had, target.dtype, &target.shape) {
            Ok(None) => {}
            Ok(merged) => all[to.index()] = merged,
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
    use crate::{Dtype, Graph, Quantization};

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
