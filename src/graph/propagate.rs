use super::{Graph, Tensor};
use crate::{
    base::{Cause, Result},
    quant::Quantization,
};

impl Graph {
    /// Checks that quantizations are consistent after propagation through the ops that preserve them.
    ///
    /// # Errors
    /// Returns an error if two of them contradict each other.
    pub fn check_quantization(&self) -> Result<()> {
        self.propagated_quantization().map(|_| ())
    }

    /// Returns the quantization of every tensor, by index, after propagation through the transparent ops: one forward and
    /// one backward pass, like TpuLang before emission.
    ///
    /// # Errors
    /// Returns an error if two propagated quantizations contradict each other.
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
        Ok(all)
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
}
