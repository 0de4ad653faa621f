//! Kernels that several steps share: those of equal operators with the same weights, as a recurrent layer has that is written out step by
//! step. The weights are then packed, and in the caches, only once.
use super::{Node, Plan, TensorIndex};
use crate::{Backend, ValueType, base::Result, ops::Op, placement::PlacedKernel};
use std::{collections::HashMap, sync::Arc};

/// Maximum number of kernels that are kept for the same weights: each step is compared with all of them.
const KERNELS: usize = 16;

/// The kernels of steps whose weights other steps use, too.
pub(super) struct SharedKernels<K> {
    /// The number of steps that use each constant.
    uses: HashMap<TensorIndex, usize>,
    /// By the matrix or the filter.
    kernels: HashMap<TensorIndex, Vec<SharedKernel<K>>>,
}

type SharedKernel<K> = (StepKey, Arc<PlacedKernel<K>>);

/// What steps that share a kernel have in common: operators, constants, and the types of other operands and of results.
#[derive(PartialEq)]
pub(super) struct StepKey {
    weights: TensorIndex,
    stages: Vec<Op<OperandKey>>,
    results: Vec<Option<ValueType>>,
}

#[derive(PartialEq)]
enum OperandKey {
    Constant(TensorIndex),
    /// The result of the preceding stage.
    FusedInput,
    /// A value of this type, and the first operand that is the same tensor.
    Value(ValueType, usize),
}

impl<K> SharedKernels<K> {
    /// Creates the kernels of a plan that has none yet.
    pub fn new<B: Backend<Kernel = K>>(plan: &Plan<B>) -> SharedKernels<K> {
        let mut uses = HashMap::new();
        let is_constant = |t: &TensorIndex| plan.entry(*t).is_ok_and(|entry| entry.constant.is_some());
        for t in plan.steps.iter().flat_map(|step| &step.operands).filter(|t| is_constant(t)) {
            *uses.entry(*t).or_default() += 1;
        }
        SharedKernels { uses, kernels: HashMap::new() }
    }

    /// Returns what identifies a step, if it multiplies weights that other steps use, too.
    ///
    /// # Errors
    /// Returns an error if there is no such tensor.
    pub fn key<B: Backend<Kernel = K>>(&self, plan: &Plan<B>, node: &Node) -> Result<Option<StepKey>> {
        let weights = match node.stages.first().map(|stage| &stage.op) {
            Some(Op::MatMul(op)) => op.right,
            Some(Op::Conv(op)) => op.filter,
            _ => return Ok(None),
        };
        if self.uses.get(&weights).is_none_or(|uses| *uses < 2) {
            return Ok(None);
        }
        // Names are for messages only.
        let ty = |t: TensorIndex| Ok(ValueType { name: String::new(), ..plan.entry(t)?.ty.clone() });
        let (mut stages, mut before, mut values) = (Vec::new(), None, Vec::new());
        for stage in &node.stages {
            let operand = &mut |t: &TensorIndex| -> Result<OperandKey> {
                if Some(*t) == before {
                    return Ok(OperandKey::FusedInput);
                }
                if self.uses.contains_key(t) {
                    return Ok(OperandKey::Constant(*t));
                }
                let first = values.iter().position(|value| value == t).unwrap_or(values.len());
                values.push(*t);
                Ok(OperandKey::Value(ty(*t)?, first))
            };
            stages.push(stage.op.try_map(operand)?);
            before = stage.outputs().next();
        }
        let last = node.last().map_or(&[][..], |stage| &stage.results);
        let results = last.iter().map(|t| t.map(ty).transpose()).collect::<Result<_>>()?;
        Ok(Some(StepKey { weights, stages, results }))
    }

    /// Returns the kernel of an equal step.
    pub fn find(&self, key: &StepKey) -> Option<Arc<PlacedKernel<K>>> {
        let kernels = self.kernels.get(&key.weights)?;
        kernels.iter().find(|(known, _)| known == key).map(|(_, kernel)| kernel.clone())
    }

    /// Keeps the kernel of a step for equal ones, unless there are too many already.
    pub fn add(&mut self, key: StepKey, kernel: Arc<PlacedKernel<K>>) {
        let kernels = self.kernels.entry(key.weights).or_default();
        if kernels.len() < KERNELS {
            kernels.push((key, kernel));
        }
    }
}
