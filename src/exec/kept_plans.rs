//! The plans that a session keeps for other feeds and wanted tensors than the usual ones.
use super::{
    Backend,
    plan::{Plan, TensorIndex},
};
use crate::base::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The fed tensors, sorted, and the wanted ones.
pub(super) type Request = (Vec<TensorIndex>, Vec<TensorIndex>);

/// Plans by what is fed and wanted.
pub(super) struct KeptPlans<B: Backend> {
    /// The most recently used one last.
    plans: Mutex<Vec<(Request, Arc<Plan<B>>)>>,
    /// The first error that the kernels of plans recorded which are not kept any more.
    fault: Mutex<Option<Error>>,
}

impl<B: Backend> Default for KeptPlans<B> {
    fn default() -> Self {
        KeptPlans { plans: Mutex::default(), fault: Mutex::default() }
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: Backend> KeptPlans<B> {
    /// Returns the plan for a request, which becomes the most recently used one.
    pub fn get(&self, request: &Request) -> Option<Arc<Plan<B>>> {
        let mut plans = locked(&self.plans);
        let at = plans.iter().position(|(r, _)| r == request)?;
        plans[at..].rotate_left(1);
        plans.last().map(|(_, plan)| plan.clone())
    }
    /// Keeps a plan. While there are more than `most`, drops the one that was used least recently, of those that do not run.
    ///
    /// # Errors
    /// Returns an error if the backend failed.
    pub fn add(&self, request: Request, plan: Arc<Plan<B>>, most: usize, backend: &B) -> Result<()> {
        let mut plans = locked(&self.plans);
        plans.push((request, plan));
        let mut dropped = Vec::new();
        // A run reports the errors of its plan itself.
        while plans.len() > most
            && let Some(at) = plans.iter().position(|(_, plan)| Arc::strong_count(plan) == 1)
        {
            dropped.push(plans.remove(at).1);
        }
        drop(plans);
        for plan in dropped {
            // Work that was submitted without waiting for it may still record errors.
            backend.synchronize()?;
            if let Err(fault) = plan.check_faults() {
                locked(&self.fault).get_or_insert(fault);
            }
        }
        Ok(())
    }
    /// Returns an error that kernels have recorded. All work must be complete.
    pub fn check_faults(&self) -> Result<()> {
        locked(&self.fault).take().map_or(Ok(()), Err)?;
        locked(&self.plans).iter().try_for_each(|(_, plan)| plan.check_faults())
    }
    /// Whether there is a plan for these wanted tensors.
    #[cfg(test)]
    pub fn has(&self, wanted: &[TensorIndex]) -> bool {
        locked(&self.plans).iter().any(|((_, tensors), _)| tensors == wanted)
    }
}
