//! Patterns: groups of operators that one op of the Top dialect computes.
//!
//! Exporters write layer norms, activations, position embeddings and attention out as arithmetic. After a file is read, each
//! operator is tried as the last one of every pattern, in order, so patterns may be made of results of others. A match replaces the
//! operator in place; what nobody reads any more is removed afterwards.
mod activation;
mod attention;
mod norm;
mod polynomial;
mod quantized;
mod rope;

pub use quantized::IntegersOf;

use crate::{
    Graph, Mode, Rewriter, Tensor,
    base::{Result, Warning},
    ops::Op,
};
use quantized::Outcome;

/// Returns the op that computes the tensor from operands further up, if there is one.
type Pattern = fn(&mut Rewriter, Tensor) -> Result<Option<Op<Tensor>>>;

const PATTERNS: &[Pattern] = &[
    activation::softplus,
    activation::gated,
    activation::hard_sigmoid,
    norm::normalized,
    norm::folded,
    norm::with_weight,
    norm::with_bias,
    norm::grouped,
    rope::rotated,
    attention::safe_softmax,
];

/// Replaces each operator that ends a pattern, and removes what is then unused.
pub fn recognize(graph: &mut Graph, integers: &IntegersOf) -> Result<()> {
    let mut rewriter = Rewriter::new(graph);
    for result in rewriter.results() {
        for pattern in PATTERNS {
            if let Some(op) = pattern(&mut rewriter, result)? {
                rewriter.replace(result, op)?;
            }
        }
    }
    match quantized::quantize(&mut rewriter, integers)? {
        Outcome::Float => {}
        Outcome::Quantized => graph.mode = Mode::Quantized,
        Outcome::InFloats(reason) => graph.warn(Warning::new(reason)),
    }
    graph.remove_dead();
    Ok(())
}
