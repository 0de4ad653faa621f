//! Peak memory of a plan.
use super::{Plan, Step, TensorIndex};
use crate::{Backend, array::too_large, base::Result};
use std::collections::HashSet;

/// Bytes that every machine has: a query of the available memory takes longer than a small run.
const SMALL: u64 = 16 << 20;

/// Peak memory of results and workspace in bytes, and the step that reaches it. Coefficients and inputs are not counted.
pub(super) fn peak<B: Backend>(plan: &Plan<B>) -> (u64, usize) {
    peak_with(plan, |step| step.kernel.workspace())
}

/// Peak memory of results in bytes.
pub(super) fn activations<B: Backend>(plan: &Plan<B>) -> u64 {
    peak_with(plan, |_| 0).0
}

fn peak_with<B: Backend>(plan: &Plan<B>, workspace: impl Fn(&Step<B>) -> u64) -> (u64, usize) {
    // Only computed tensors are freed by the plan.
    let computed: HashSet<TensorIndex> = plan.steps.iter().flat_map(|s| &s.outputs).copied().collect();
    let size = |t: &TensorIndex| match plan.entry(*t) {
        Ok(entry) if computed.contains(t) => entry.ty.bytes(),
        _ => 0,
    };
    let (mut live, mut peak, mut at) = (0u64, 0u64, 0);
    for (i, (step, freed)) in plan.steps.iter().zip(&plan.freed).enumerate() {
        live = step.outputs.iter().map(size).fold(live, u64::saturating_add);
        let now = live.saturating_add(workspace(step));
        if now > peak {
            (peak, at) = (now, i);
        }
        live = live.saturating_sub(freed.iter().map(size).fold(0, u64::saturating_add));
    }
    (peak, at)
}

impl<B: Backend> Plan<B> {
    /// Peak memory of results and workspace in bytes.
    pub fn peak_bytes(&self) -> u64 {
        self.peak.0
    }
    /// Checks that the peak memory is available.
    ///
    /// # Errors
    /// Returns an error if it exceeds the available memory.
    pub fn check_memory(&self, backend: &B) -> Result<()> {
        let (peak, at) = self.peak;
        if peak <= SMALL {
            return Ok(());
        }
        let available = backend.available_memory();
        if peak <= available {
            return Ok(());
        }
        let step = self.steps.get(at);
        let name = step.and_then(|s| self.entry(*s.outputs.first()?).ok()).map_or("", |s| &s.ty.name);
        Err(too_large(format!("running the graph (at its peak, when {name:?} is computed)"), peak, available))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, Session};

    fn peak(g: &Graph, all: bool) -> u64 {
        let options = RunOptions::default().all(all).threads(1).unfused(true);
        Session::new(g, CpuBackend::new(), &options).unwrap().peak_bytes()
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
        // Two 32-bit operands and 64-bit sums; and in floats: the operands, the packed right-hand one, and the sums.
        let y = g.matmul_int(x, x).input_zp(0).right_zp(0).call().unwrap();
        g.set_outputs(&[y]).unwrap();
        assert_eq!(peak(&g, false), (4 << 20) + (8 << 20) + 2 * (4 << 20) + 4 * (4 << 20));
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
