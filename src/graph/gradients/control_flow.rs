//! Gradients of branches and loops.
use super::backward::{Backward, Output};
use crate::{
    Block, Operator, Tensor,
    base::{Dtype, Result},
    copies::{Bound, bound_to, calls_of},
    emit::Emit,
    ops::{CompareMode, If},
};
use std::collections::HashSet;

/// Another `If` with the same condition, whose branches compute the branch again and then the gradients of what it captures.
pub(super) fn branches(b: &mut Backward, condition: Tensor, operator: &Operator) -> Result<()> {
    let mut seen = HashSet::new();
    let captured: Vec<Tensor> = operator.uses().into_iter().filter(|t| b.wants(*t) && seen.insert(*t)).collect();
    let outputs = b.outputs(operator);
    let mut blocks = Vec::new();
    for block in &operator.blocks {
        blocks.push(b.branch(block, &outputs, &captured)?);
    }
    if captured.is_empty() {
        return Ok(());
    }
    let (mut dtypes, mut shapes) = (Vec::new(), Vec::new());
    for &t in &captured {
        dtypes.push(b.gradient_dtype(t)?);
        shapes.push(b.shape(t)?);
    }
    let condition = own_condition(b, condition)?;
    let new = blocks.into_iter().fold(b.graph.op(If::new(condition)), crate::NewOperator::owns);
    let made = new.out_dtypes(dtypes).out_shapes(shapes).call()?;
    for (t, gradient) in captured.into_iter().zip(made) {
        b.give(t, gradient)?;
    }
    Ok(())
}

/// Returns an equal condition that no other operator has: tpuc-opt takes two `If` with one condition for the same and
/// drops one.
fn own_condition(b: &mut Backward, condition: Tensor) -> Result<Tensor> {
    let condition = b.real(condition)?;
    let holds = b.compare_const(condition, CompareMode::NotEqual, 0.0)?;
    let number = b.graph.operators_made() + 1;
    b.mul_const(holds, number as f64)
}

/// A loop of known trip count is unrolled; the copies are differentiated.
pub(super) fn loops(b: &mut Backward, operator: &Operator) -> Result<()> {
    let outputs = b.outputs(operator);
    let Some((operators, results)) = b.graph.unrolled_copy(operator, &mut b.unrolled)? else {
        return Err(b.refuse(operator, "the number of its iterations is not known before a run"));
    };
    b.expand(&outputs, |b| {
        b.graph.append(operators);
        Ok(results)
    })
}

impl Backward<'_, '_> {
    /// Builds the block of a branch: the branch again, then the gradients of the captured tensors.
    fn branch(&mut self, block: &Block, outputs: &[Option<Output>], captured: &[Tensor]) -> Result<Block> {
        let none: [(String, Dtype, Vec<usize>); 0] = [];
        self.graph.begin_block(none)?;
        let mut bound = Bound::new();
        let copies = self.graph.in_root_scope(|g| g.copied(&block.operators, "gradient", &mut bound))?;
        self.graph.append(copies.clone());
        let outer = self.take_gradients();
        self.activate(&copies);
        for (result, output) in block.results().iter().zip(outputs) {
            if let Some(output) = output {
                self.give(bound_to(&bound, *result), output.dy)?;
            }
        }
        self.propagate(&copies)?;
        let mut results = Vec::new();
        for &t in captured {
            results.push(match self.gradient(t) {
                Some(gradient) => gradient,
                None => {
                    let (dtype, shape) = (self.gradient_dtype(t)?, self.shape(t)?);
                    self.filled(0.0, dtype, &shape)?
                }
            });
        }
        self.restore_gradients(outer);
        self.graph.remove_unused_since(0, &results);
        self.graph.end_block(results)
    }
}

/// The copies of a block's operators belong to the current block.
impl crate::Graph {
    pub(super) fn append(&mut self, operators: Vec<Operator>) {
        let calls = calls_of(&operators);
        self.calls += calls.len();
        let block = self.current();
        block.calls.extend(calls);
        block.operators.extend(operators);
    }
}
