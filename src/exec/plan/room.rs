//! Which steps keep their weights from one run to the next, where the memory is not enough for all.
use super::{Plan, memory::activations};
use crate::exec::Backend;
use std::collections::{HashMap, HashSet};

/// Bytes of weights that fit every machine: asking how much there is takes longer than a small plan.
const SMALL: u64 = 16 << 20;

/// What is left for other things than weights and results.
const MARGIN: u64 = 64 << 20;

/// How often weights may lie in memory while they are made ready: as the graph has them, as they are computed with, and laid
/// out anew.
const FORMS: u64 = 3;

/// The memory for weights that are kept.
pub(super) struct Room {
    left: u64,
    kept: HashSet<usize>,
}

impl Room {
    /// Of a plan whose kernels are not prepared yet; without a budget, for all weights if there is so much memory.
    pub fn new<B: Backend>(plan: &Plan<B>, budget: Option<u64>, available: impl FnOnce() -> u64) -> Room {
        if let Some(left) = budget {
            return Room { left, kept: HashSet::new() };
        }
        let (mut all, mut largest) = (HashMap::new(), 0);
        for step in &plan.steps {
            let own: HashMap<usize, u64> = weights(plan, &step.operands).collect();
            largest = largest.max(sum(own.values()));
            all.extend(own);
        }
        let total = sum(all.values());
        let mut room = Room { left: u64::MAX, kept: HashSet::new() };
        if total <= SMALL {
            return room;
        }
        let rest = available().saturating_sub(MARGIN).saturating_sub(activations(plan));
        if total.saturating_add((FORMS - 1).saturating_mul(largest)) > rest {
            room.left = rest.saturating_sub(FORMS.saturating_mul(largest));
        }
        room
    }

    /// Whether the weights among these tensors are kept; otherwise the bytes that they take while they are there. A kernel
    /// reads some as they are, and has laid out the others anew.
    pub fn keep<B: Backend>(&mut self, plan: &Plan<B>, operands: &[usize], read: &HashSet<usize>) -> Result<(), u64> {
        let own: HashMap<usize, u64> = weights(plan, operands).collect();
        let more = sum(own.iter().filter(|(t, _)| !self.kept.contains(t)).map(|(_, bytes)| bytes));
        if more > self.left {
            let forms = |t: usize| 1 + u64::from(!read.contains(&t)) + u64::from(is_converted(plan, t));
            let bytes: Vec<u64> = own.iter().map(|(t, bytes)| bytes.saturating_mul(forms(*t))).collect();
            return Err(sum(bytes.iter()));
        }
        self.left -= more;
        self.kept.extend(own.keys());
        Ok(())
    }
}

/// The constants among these tensors, and their bytes as they are computed with.
fn weights<B: Backend>(plan: &Plan<B>, tensors: &[usize]) -> impl Iterator<Item = (usize, u64)> {
    let slots = tensors.iter().filter_map(|t| Some((*t, plan.slot(*t).ok()?)));
    slots.filter(|(_, slot)| slot.constant.is_some()).map(|(t, slot)| (t, slot.ty.bytes()))
}

/// Whether it is computed with as numbers of another dtype.
fn is_converted<B: Backend>(plan: &Plan<B>, tensor: usize) -> bool {
    let of = |slot: &super::Slot| slot.constant.as_ref().is_some_and(|c| c.dtype() != slot.ty.buffer_dtype());
    plan.slot(tensor).is_ok_and(of)
}

fn sum<'a>(bytes: impl Iterator<Item = &'a u64>) -> u64 {
    bytes.fold(0, |a, b| a.saturating_add(*b))
}
