//! Plans of the blocks that control flow runs.
use super::{Node, Operation, Plan, TensorIndex, rewrite_graph::for_compute, weight_budget::WeightBudget};
use crate::{Backend, FusionLevel, RunOptions, array::Array, base::Result, ops::Op, placement::Placement};
use std::collections::HashSet;

/// The blocks of an `If` or a `Loop`, in the order of the definition.
pub(crate) struct ControlFlow<B: Backend> {
    pub blocks: Vec<BlockPlan<B>>,
    /// Bytes beyond those of the results.
    pub workspace: u64,
}

/// The plan of a block.
pub(crate) struct BlockPlan<B: Backend> {
    pub plan: Plan<B>,
    pub arguments: Vec<TensorIndex>,
    /// Tensors of the enclosing plan that are passed to the block, with their indices in its plan.
    pub captures: Vec<(TensorIndex, TensorIndex)>,
    pub results: Vec<TensorIndex>,
}

impl<B: Backend> BlockPlan<B> {
    /// Peak memory in bytes with the arguments, which a loop carries from one iteration to the next, but without the values
    /// that the block yields: those are results of the operator.
    fn workspace(&self) -> u64 {
        let bytes = |tensors: &[TensorIndex]| {
            let sizes = tensors.iter().map(|t| self.plan.entry(*t).map_or(0, |entry| entry.ty.bytes()));
            sizes.fold(0, u64::saturating_add)
        };
        self.plan.peak_bytes().saturating_sub(bytes(&self.results)).saturating_add(bytes(&self.arguments))
    }
}

impl<B: Backend> Plan<B> {
    /// Plans the blocks of a node. The constants that they capture belong to their plans, and count as weights of this node.
    ///
    /// # Errors
    /// Same as for [`Plan::new`].
    pub(super) fn control_flow(
        &self,
        node: &Node,
        placement: &Placement<B>,
        (options, available): (&RunOptions, fn(&B) -> u64),
        budget: &mut WeightBudget,
    ) -> Result<ControlFlow<B>> {
        let limit = match budget.keep(self, &node.operands(), &HashSet::new(), None) {
            Ok(()) => u64::MAX,
            Err(_) => budget.take_rest(),
        };
        // Nobody visits the tensors of blocks.
        let fusion = if options.fusion == FusionLevel::Layouts { FusionLevel::Full } else { options.fusion };
        let options = options.clone().weight_budget(Some(limit)).fusion(fusion);
        let mut blocks = Vec::new();
        for block in node.stages.iter().flat_map(|stage| &stage.blocks) {
            // A coefficient that is fed, or a value that is folded, is a constant on one side only.
            let is_shared = |(outer, inner): &(TensorIndex, TensorIndex)| -> Result<bool> {
                Ok(self.entry(*outer)?.constant.is_some() && block.network.entry(*inner)?.constant.is_some())
            };
            let mut captures = Vec::new();
            for capture in &block.captures {
                if !is_shared(capture)? {
                    captures.push(*capture);
                }
            }
            let (arguments, results) = (block.network.inputs.clone(), block.results.clone());
            let fed: Vec<TensorIndex> =
                arguments.iter().chain(captures.iter().map(|(_, inner)| inner)).copied().collect();
            let plan = Plan::new(&block.network, placement, (&fed, &results), &options, available)?;
            blocks.push(BlockPlan { plan, arguments, captures, results });
        }
        let workspace = blocks.iter().map(BlockPlan::workspace).max().unwrap_or(0).saturating_add(self.stacked(node));
        Ok(ControlFlow { blocks, workspace })
    }

    /// Bytes of the results that a loop stacks, whose parts are on the host until it ends.
    fn stacked(&self, node: &Node) -> u64 {
        let Some(Operation { op: Op::Loop(op), .. }) = node.last() else { return 0 };
        let stacked = node.outputs().skip(op.v_initial.len());
        stacked.map(|t| self.entry(t).map_or(0, |entry| entry.ty.bytes())).fold(0, u64::saturating_add)
    }

    /// Returns the constants that a node reads: operands, and folded values that its blocks capture.
    ///
    /// # Errors
    /// Returns an error if a constant cannot be read.
    pub(super) fn constants_of_control_flow(
        &self,
        node: &Node,
        control: &ControlFlow<B>,
    ) -> Result<Vec<(TensorIndex, Array)>> {
        let captures = control.blocks.iter().flat_map(|block| block.captures.iter().map(|(outer, _)| *outer));
        let operands = node.stages.iter().flat_map(|stage| stage.op.operands().map(|(_, t)| *t));
        let mut constants = Vec::new();
        for t in operands.chain(captures) {
            if let Some(array) = &self.entry(t)?.constant {
                constants.push((t, for_compute(array)?));
            }
        }
        Ok(constants)
    }
}
