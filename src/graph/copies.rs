//! Copies of operators within one graph, under new names. Coefficients are not copied, but shared.
use super::{Block, Graph, Operator, RecordedCall, Tensor, TensorKind};
use crate::base::Result;
use std::collections::HashMap;

/// Maps tensors to those that take their place in copies.
pub(super) type Bound = HashMap<Tensor, Tensor>;

/// Returns the tensor that takes the place of another, which may be itself.
pub(super) fn bound_to(bound: &Bound, tensor: Tensor) -> Tensor {
    bound.get(&tensor).copied().unwrap_or(tensor)
}

impl Graph {
    /// Copies operators and what their blocks compute. Results that are in `bound` already become the tensors there;
    /// the others are added, in the scope `scope`, and to `bound`. The copies belong to no block yet.
    ///
    /// # Errors
    /// Returns an error if a name is too long.
    pub(super) fn copied<'a>(
        &mut self,
        operators: impl IntoIterator<Item = &'a Operator>,
        scope: &str,
        bound: &mut Bound,
    ) -> Result<Vec<Operator>> {
        let mut copies = Vec::new();
        for operator in operators {
            let op = operator.op.map(|t| bound_to(bound, *t));
            let mut blocks = Vec::with_capacity(operator.blocks.len());
            for block in &operator.blocks {
                blocks.push(self.copied_block(block, scope, bound)?);
            }
            let mut results = Vec::with_capacity(operator.results.len());
            for result in &operator.results {
                results.push(result.map(|t| self.twin(t, scope, bound)).transpose()?);
            }
            copies.push(Operator { op, results, blocks, is_edited: false });
        }
        Ok(copies)
    }

    fn copied_block(&mut self, block: &Block, scope: &str, bound: &mut Bound) -> Result<Block> {
        let arguments = block.arguments.iter().map(|t| self.twin(*t, scope, bound)).collect::<Result<_>>()?;
        let operators = self.copied(&block.operators, scope, bound)?;
        let results = block.results.iter().map(|t| bound_to(bound, *t)).collect();
        let copy = Block { arguments, calls: calls_of(&operators), operators, results };
        self.close(&copy);
        Ok(copy)
    }

    /// Returns the counterpart of a tensor, added under its name in `scope` unless there is one.
    fn twin(&mut self, tensor: Tensor, scope: &str, bound: &mut Bound) -> Result<Tensor> {
        let info = self.tensor(tensor)?.clone();
        let twin = match bound.get(&tensor) {
            Some(known) => *known,
            None => {
                let name = self.name_in(scope, &info.name);
                self.add_tensor(Some(&name), info.dtype, info.shape, info.kind)?
            }
        };
        if let Some(quantization) = &info.quantization {
            self.quantize(twin, quantization)?;
        }
        bound.insert(tensor, twin);
        Ok(twin)
    }

    /// Returns the name of an operator's first result.
    pub(super) fn name_of(&self, operator: &Operator) -> Result<String> {
        let first = operator.outputs().next();
        first.map_or(Ok(operator.op.name().to_owned()), |t| Ok(self.tensor(t)?.name.clone()))
    }

    /// Returns a free name for a copy of the tensor `name`: `a/y_0/t` for `a/t` and the scope `a/y_0`.
    pub(super) fn name_in(&self, scope: &str, name: &str) -> String {
        let outer = scope.rfind('/').map_or("", |at| &scope[..=at]);
        self.freed(format!("{scope}/{}", name.strip_prefix(outer).unwrap_or(name)))
    }
    /// Returns the name, with underscores after it if it is taken.
    pub(super) fn freed(&self, mut name: String) -> String {
        while self.by_name.contains_key(&name) {
            name.push('_');
        }
        name
    }
    /// Adds a computed tensor of the type and quantization of another, with this shape.
    pub(super) fn value_like(&mut self, name: &str, like: Tensor, shape: Vec<usize>) -> Result<Tensor> {
        let info = self.tensor(like)?;
        let (dtype, quantization) = (info.dtype, info.quantization.clone());
        let made = self.add_tensor(Some(name), dtype, shape, TensorKind::Value)?;
        quantization.map_or(Ok(()), |q| self.quantize(made, &q))?;
        Ok(made)
    }
    /// Removes what a block defines: its arguments, and what its operators compute.
    pub(super) fn forget_block(&mut self, block: &Block) {
        block.arguments.iter().for_each(|t| self.forget(*t));
        for operator in &block.operators {
            operator.outputs().for_each(|t| self.forget(t));
            operator.blocks.iter().for_each(|b| self.forget_block(b));
        }
    }
}

impl Block {
    /// Replaces each operator for which `is_replaced` returns true by those that `replace` returns for it.
    ///
    /// # Errors
    /// Returns the errors of `replace`. The block is then empty.
    pub(super) fn replace_where(
        &mut self,
        is_replaced: &dyn Fn(&Operator) -> bool,
        replace: &mut dyn FnMut(Operator) -> Result<Vec<Operator>>,
    ) -> Result<()> {
        let mut operators = std::mem::take(&mut self.operators).into_iter();
        for call in std::mem::take(&mut self.calls) {
            let mut added: Vec<Operator> = Vec::new();
            let mut is_changed = false;
            for operator in operators.by_ref().take(call.operators) {
                if is_replaced(&operator) {
                    added.extend(replace(operator)?);
                    is_changed = true;
                } else {
                    added.push(operator);
                }
            }
            self.calls.extend(if is_changed { calls_of(&added) } else { vec![call] });
            self.operators.append(&mut added);
        }
        Ok(())
    }
}

/// Returns the records of operators that no function made.
pub(super) fn calls_of(operators: &[Operator]) -> Vec<RecordedCall> {
    operators.iter().map(RecordedCall::of_operator).collect()
}
