//! Warnings about a whole graph. Each file has the rules of one kind; docs/warnings.md explains the codes.
mod numbers;
mod outputs;
mod preprocess;
mod tool_chain;
mod unused;

use super::Graph;
use crate::base::WarningKind;

impl Graph {
    /// Returns what is probably a mistake in a complete graph. A graph without outputs, or with an open block, is still
    /// under construction.
    pub(super) fn lint(&self) -> Vec<WarningKind> {
        if self.outputs().is_empty() || !self.open.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let quantizations = self.propagated_quantization().unwrap_or_default();
        unused::check(self, &mut found);
        outputs::check(self, &quantizations, &mut found);
        numbers::check(self, &mut found);
        preprocess::check(self, &mut found);
        tool_chain::check(self, &quantizations, &mut found);
        found
    }
}

#[cfg(test)]
mod testing {
    use crate::{Dtype, Graph, Result, Tensor};

    /// Returns the warnings about a graph with the float32 input `x`, 1x4x6x6, and the outputs that `build` returns.
    pub fn warnings(build: impl FnOnce(&mut Graph, Tensor) -> Result<Vec<Tensor>>) -> Vec<String> {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 4, 6, 6]).unwrap();
        let outputs = build(&mut g, x).unwrap();
        g.set_outputs(&outputs).unwrap();
        g.warnings().iter().map(|w| format!("{}: {w}", w.code())).collect()
    }
}
