use super::{Block, Graph, MadeBy, NewResult, Operand, Operator, RecordedCall, Tensor, TensorInfo};
use crate::{
    base::{Cause, Result, argument, pluralized},
    ops::Choice,
};
use std::collections::HashMap;

/// Maps tensors of one graph to their counterparts in another.
type Bound = HashMap<Tensor, Tensor>;

impl Graph {
    /// Replays every call of `body` in the scope `name`, with `arguments` as its inputs. Types are inferred again, so
    /// shapes may differ. The coefficients of `body` are prefixed with its name and shared by all copies. Returns the
    /// counterparts of its outputs.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph};
    /// let mut block = Graph::new("block")?;
    /// let x = block.input("x", Dtype::Float32, [1, 4])?;
    /// let y = block.add(x, Array::from([1f32, 2.0, 3.0, 4.0])).call()?;
    /// block.set_outputs(&[y])?;
    ///
    /// let mut g = Graph::new("net")?;
    /// let a = g.input("a", Dtype::Float32, [7, 4])?;
    /// let b = g.splice("layer0", &block, &[a])?;
    /// let c = g.splice("layer1", &block, &b)?;
    /// assert_eq!(g.tensor(c[0])?.shape, [7, 4]);
    /// assert_eq!(g.parameters(), 4);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the number of arguments differs, or if a call does not accept them. The graph is then unchanged.
    pub fn splice(&mut self, name: &str, body: &Graph, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        let (given, expected) = (arguments.len(), body.inputs().len());
        if given != expected {
            return Err(argument(
                "arguments",
                format!("a list of {given}"),
                format!("{} has {}", body.name(), pluralized(expected, "input")),
            ));
        }
        body.check_outputs()?;
        self.atomic(|g| {
            let mut bound = Bound::new();
            for (&input, &tensor) in body.inputs().iter().zip(arguments) {
                g.tensor(tensor)?;
                bound.insert(input, tensor);
                g.requantize(tensor, body.tensor(input)?)?;
            }
            for (tensor, info) in body.declared().filter(|(_, t)| t.is_coefficient()) {
                bound.insert(tensor, g.shared_coefficient(body.name(), info)?);
            }
            g.scope(name, |g| g.replay(body, body.body(), &mut bound))?;
            for (variable, next) in body.updates() {
                g.assign(counterpart(&bound, *variable)?, counterpart(&bound, *next)?)?;
            }
            body.outputs().iter().map(|t| counterpart(&bound, *t)).collect()
        })
    }

    fn check_outputs(&self) -> Result<()> {
        if self.outputs().is_empty() {
            return Err(argument("outputs", "not set", format!("call set_outputs of {} first", self.name())));
        }
        Ok(())
    }

    /// Returns the coefficient `info` of the graph `body`, added on first use.
    fn shared_coefficient(&mut self, body: &str, info: &TensorInfo) -> Result<Tensor> {
        let name = format!("{body}/{}", info.name);
        // Without data, different bodies of one name may have different ones.
        let is_same =
            |known: &TensorInfo| known.kind == info.kind && known.dtype == info.dtype && known.shape == info.shape;
        let tensor = match self.lookup(&name) {
            Some(known) if self.tensor(known).is_ok_and(is_same) => known,
            Some(_) => {
                let free = self.free_name(&name);
                self.add_tensor(Some(&free), info.dtype, info.shape.clone(), info.kind.clone())?
            }
            None => self.add_tensor(Some(&name), info.dtype, info.shape.clone(), info.kind.clone())?,
        };
        self.requantize(tensor, info)?;
        Ok(tensor)
    }

    /// Copies a quantization that was set outside of calls.
    fn requantize(&mut self, tensor: Tensor, like: &TensorInfo) -> Result<()> {
        if let Some(quantization) = &like.quantization {
            self.quantize_in_call(tensor, quantization)?;
            self.change(tensor, |t| t.is_quantized_separately |= like.is_quantized_separately);
        }
        Ok(())
    }

    fn replay(&mut self, from: &Graph, block: &Block, bound: &mut Bound) -> Result<()> {
        for (call, operators) in block.calls() {
            let made = match (&call.made_by, operators) {
                (MadeBy::Function(function), _) => {
                    let names = names(from, &call.outputs)?;
                    let mut bind = |operand: &mut Operand| -> Result<()> {
                        if let Operand::Tensor(t) = operand {
                            *t = counterpart(bound, *t)?;
                        }
                        Ok(())
                    };
                    function.replay(self, &mut bind, names, call.out_quant.clone())?
                }
                (MadeBy::Op, [operator]) => self.replay_operator(from, operator, &call, bound)?,
                (MadeBy::Op, _) => Vec::new(),
            };
            for (&theirs, &ours) in call.outputs.iter().zip(&made) {
                bound.insert(theirs, ours);
                self.requantize(ours, from.tensor(theirs)?)?;
            }
        }
        Ok(())
    }

    fn replay_operator(
        &mut self,
        from: &Graph,
        operator: &Operator,
        call: &RecordedCall,
        bound: &mut Bound,
    ) -> Result<Vec<Tensor>> {
        let op = operator.op.try_map(&mut |t: &Tensor| counterpart(bound, *t))?;
        let mut blocks = Vec::new();
        for block in &operator.blocks {
            blocks.push(self.replay_block(from, block, bound)?);
        }
        let mut names = names(from, &call.outputs)?.into_iter();
        // Types that no type rule determines are copied.
        let inferred = self.inferred(&op, &[]).ok().flatten();
        let mut results = Vec::new();
        for (i, result) in operator.results.iter().enumerate() {
            let Some(t) = result else {
                results.push(NewResult { absent: true, ..NewResult::default() });
                continue;
            };
            let info = from.tensor(*t)?;
            let known = inferred.as_ref().and_then(|all| all.get(i)).map(|r| matches!(r.dtype, Choice::Is(_)));
            let shape = known.is_none().then(|| info.shape.clone());
            let dtype = (known != Some(true)).then_some(info.dtype);
            results.push(NewResult { name: names.next(), dtype, shape, absent: false });
        }
        let new = self.op(op).results(results);
        blocks.into_iter().fold(new, super::NewOperator::owns).call()
    }

    fn replay_block(&mut self, from: &Graph, block: &Block, bound: &mut Bound) -> Result<Block> {
        let arguments =
            block.arguments.iter().map(|t| from.tensor(*t).map(|i| (i.name.clone(), i.dtype, i.shape.clone())));
        let arguments = arguments.collect::<Result<Vec<_>>>()?;
        self.block(arguments, |g, given| {
            for (theirs, ours) in block.arguments.iter().zip(given) {
                g.requantize(*ours, from.tensor(*theirs)?)?;
                bound.insert(*theirs, *ours);
            }
            g.replay(from, block, bound)?;
            block.results.iter().map(|t| counterpart(bound, *t)).collect()
        })
    }
}

fn counterpart(bound: &Bound, t: Tensor) -> Result<Tensor> {
    bound.get(&t).copied().ok_or_else(|| Cause::ForeignTensor(t.index() as u32).into())
}

fn names(graph: &Graph, tensors: &[Tensor]) -> Result<Vec<String>> {
    tensors.iter().map(|t| graph.tensor(*t).map(|i| i.name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::undo::state;
    use crate::{Array, Dtype, Graph, Quantization, ops};

    /// Builds a graph with 4 columns, a weight, a constant and a quantized branch.
    fn block() -> Graph {
        let mut b = Graph::new("block").unwrap();
        let x = b.input("x", Dtype::Float32, [1, 4]).unwrap();
        let i = b.input("i", Dtype::Int8, [1, 4]).unwrap();
        b.quantize(i, &Quantization::per_tensor(0.5, 0)).unwrap();
        let w = b.coefficient("w", Array::filled(Dtype::Float32, [4, 4], 0.5).unwrap()).unwrap();
        let y = b.matmul(x, w).out_name("y").call().unwrap();
        let z = b.div(1.0, y).call().unwrap();
        let r = b.op(ops::Relu { relu_limit: 6.0, ..ops::Relu::new(z) }).out_name("r").call().unwrap()[0];
        let s = b.scope("inner", |b| b.relu(i).call()).unwrap();
        b.set_outputs(&[r, s]).unwrap();
        b
    }

    #[test]
    fn a_graph_is_spliced_with_other_shapes() {
        let block = block();
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 8, 4]).unwrap();
        let i = g.input("i", Dtype::Int8, [3]).unwrap();
        let first = g.splice("l0", &block, &[x, i]).unwrap();
        let second = g.splice("l1", &block, &first).unwrap();
        g.set_outputs(&second).unwrap();
        assert_eq!(g.tensor(second[0]).unwrap().type_text(), "2x8x4 float32");
        assert_eq!(g.tensor(second[0]).unwrap().name, "l1/r");
        assert_eq!(g.tensors().filter(|(_, t)| t.name.ends_with("/w")).count(), 1, "the weight is shared");
        assert_eq!(g.tensor(i).unwrap().quantization, Some(Quantization::per_tensor(0.5, 0)));
        assert!(g.find("l0/inner/relu_3").is_ok());
    }

    #[test]
    fn a_failing_splice_leaves_the_graph_unchanged() {
        let block = block();
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 5]).unwrap();
        let i = g.input("i", Dtype::Int8, [3]).unwrap();
        let before = state(&g);
        let error = g.splice("l0", &block, &[x, i]).unwrap_err().to_string();
        assert!(error.starts_with("matmul \"y\" (ops[0]): the left matrix has 5 columns"), "{error}");
        assert!(g.splice("l0", &block, &[x]).unwrap_err().to_string().contains("block has 2 inputs"));
        assert!(state(&g) == before, "the graph changed");
    }
}
