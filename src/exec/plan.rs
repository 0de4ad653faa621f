//! What a run computes, and how much memory that takes.
use super::{
    Backend,
    session::{Session, Slot},
};
use crate::{
    array::{Array, available_memory, too_large},
    base::{Cause, Error, MAX_ERRORS, Result},
};
use std::collections::{HashMap, HashSet};

/// What a run computes, in order, and what it frees after each step.
pub(super) struct Plan {
    pub steps: Vec<usize>,
    pub freed: Vec<Vec<usize>>,
}

impl Plan {
    /// The steps that `wanted` need, given what is fed.
    pub fn new<B: Backend>(session: &Session<B>, fed: &HashMap<usize, Array>, wanted: &[usize]) -> Result<Plan> {
        let known = |t: &usize| fed.contains_key(t) || session.slot(*t).is_ok_and(|s| s.constant.is_some());
        let (mut needed, mut missing) = (vec![false; session.steps.len()], HashSet::new());
        let mut open: Vec<usize> = wanted.iter().filter(|t| !known(t)).copied().collect();
        while let Some(tensor) = open.pop() {
            match session.made_by.get(&tensor) {
                None => drop(missing.insert(tensor)),
                Some(&step) if !needed[step] => {
                    needed[step] = true;
                    open.extend(session.steps[step].operands.iter().filter(|t| !known(t)));
                }
                Some(_) => {}
            }
        }
        let is_missing = session.inputs.iter().chain(&missing).filter(|t| missing.contains(t));
        let mut told = HashSet::new();
        let errors = is_missing.filter(|t| told.insert(**t)).map(|t| {
            let slot = session.slot(*t)?;
            let problem = format!("the input {:?} ({}) is not fed", slot.ty.name, slot.type_text);
            Err(Cause::MissingData(problem).into())
        });
        Error::collect(errors.filter_map(Result::<()>::err).take(MAX_ERRORS + 1).collect())?;
        let steps: Vec<usize> = (0..needed.len()).filter(|i| needed[*i]).collect();
        let mut last_use = HashMap::new();
        for (at, &step) in steps.iter().enumerate() {
            let step = &session.steps[step];
            last_use.extend(step.operands.iter().chain(&step.outputs).map(|t| (*t, at)));
        }
        let mut freed = vec![Vec::new(); steps.len()];
        // What is wanted lives on in the results.
        let wanted: HashSet<usize> = wanted.iter().copied().collect();
        last_use.into_iter().filter(|(t, _)| !wanted.contains(t)).for_each(|(t, at)| freed[at].push(t));
        Ok(Plan { steps, freed })
    }

    /// The most bytes that live together, and the step at which they do: results until their last use, and what a kernel
    /// takes besides. Coefficients and what is fed are in place already.
    fn peak<B: Backend>(&self, session: &Session<B>) -> (u64, usize) {
        // What was computed here alone is freed here.
        let computed: HashSet<usize> = self.steps.iter().flat_map(|s| &session.steps[*s].outputs).copied().collect();
        let size = |t: &usize| match session.slot(*t) {
            Ok(Slot { ty, .. }) if computed.contains(t) => {
                (ty.elements() as u64).saturating_mul(ty.buffer_dtype().size() as u64)
            }
            _ => 0,
        };
        let (mut live, mut peak, mut at) = (0u64, 0u64, 0);
        for (&step, freed) in self.steps.iter().zip(&self.freed) {
            live = session.steps[step].outputs.iter().map(size).fold(live, u64::saturating_add);
            let now = live.saturating_add(session.temporary(&session.steps[step]));
            if now > peak {
                (peak, at) = (now, step);
            }
            live = live.saturating_sub(freed.iter().map(size).fold(0, u64::saturating_add));
        }
        (peak, at)
    }

    /// What lives together at most must fit the memory.
    pub fn check_memory<B: Backend>(&self, session: &Session<B>) -> Result<()> {
        let ((peak, at), available) = (self.peak(session), available_memory());
        if peak <= available {
            return Ok(());
        }
        let step = session.steps.get(at);
        let name = step.and_then(|s| session.slot(*s.outputs.first()?).ok()).map_or("", |s| &s.ty.name);
        Err(too_large(format!("running the graph (at its peak, when {name:?} is computed)"), peak, available))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Array, Dtype, Graph,
        exec::{CpuBackend, RunOptions},
    };

    fn peak(g: &Graph, all: bool) -> u64 {
        let session =
            Session::new(g, CpuBackend::new(), &RunOptions { all, threads: 1, ..Default::default() }).unwrap();
        let fed = g.inputs().iter().map(|t| (t.index(), Array::from([0f32]))).collect();
        let wanted: Vec<usize> = if all {
            g.operators().iter().flat_map(|o| o.outputs()).map(|t| t.index()).collect()
        } else {
            g.outputs().iter().map(|t| t.index()).collect()
        };
        Plan::new(&session, &fed, &wanted).unwrap().peak(&session).0
    }

    #[test]
    fn a_long_chain_has_two_tensors_at_a_time() {
        let mut g = Graph::new("g").unwrap();
        let mut t = g.input("x", Dtype::Float32, [1 << 20]).unwrap();
        for _ in 0..100 {
            t = g.relu(t).call().unwrap();
        }
        g.set_outputs(&[t]).unwrap();
        assert_eq!(peak(&g, false), 2 * (4 << 20));
        assert_eq!(peak(&g, true), 100 * (4 << 20), "all are kept");
    }

    #[test]
    fn a_branch_lives_until_it_is_joined_and_kernels_say_what_they_take() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1 << 10, 1 << 10]).unwrap();
        let a = g.relu(x).call().unwrap();
        let b = g.relu(a).call().unwrap();
        let c = g.relu(b).call().unwrap();
        let y = g.add(a, c).scale([0.5, 0.5, 0.5]).zero_point([0, 0, 0]).call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(peak(&g, false), 3 << 20);
        // Two factors of 32 bits and sums of 64.
        let y = g.matmul_int(x, x).input_zp(0).right_zp(0).call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(peak(&g, false), (4 << 20) + (8 << 20) + 2 * (4 << 20));
    }

    #[test]
    fn what_is_too_large_is_refused_before_it_is_begun() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1 << 22, 1]).unwrap();
        let y = g.input("y", Dtype::Float32, [1, 1 << 22]).unwrap();
        let z = g.add(x, y).out_name("z").call().unwrap();
        g.set_outputs(&[z]).unwrap();
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
        let array = |shape: [usize; 2]| Array::filled(Dtype::Float32, shape, 0.0).unwrap();
        let error = session.run(&[("x", array([1 << 22, 1])), ("y", array([1, 1 << 22]))]).unwrap_err().to_string();
        let expected = "running the graph (at its peak, when \"z\" is computed) would take 64.0 TiB; ";
        assert!(error.starts_with(expected) && error.ends_with(" are available"), "{error}");
    }
}
