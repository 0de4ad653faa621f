//! Coefficients of matrix products that are emitted transposed, since the tool chain mishandles `right_transpose`.
use crate::{
    graph::{Graph, Operator, Tensor},
    ops::Op,
};
use std::collections::HashSet;

/// Returns the right-hand coefficients to be emitted with their last two axes swapped wherever a product would swap them.
///
/// Networks from ONNX never have the flag on a coefficient, and parts of the tool chain ignore it:
/// - A product whose result is sliced becomes one product per part (MatMulWithSlice, SplitMatMulPattern).
/// - The projections around an attention become part of one `tpu.Attention` (ConvertMatMul2Attention). Heads of queries,
///   keys and values are permuted after their projections, those of the result before its own.
/// - A layer group of a product, a GELU and a product aborts (`new_num == old_num` in BM168x.cpp).
///
/// The last concerns every product of floats. Products of integers are changed only if they may be rewritten;
/// the others are emitted as TpuLang writes them.
pub(super) fn transposed_coefficients(graph: &Graph) -> HashSet<Tensor> {
    let mut operators = Vec::new();
    graph.body().walk(&mut |o| operators.push(o));
    let (rearranged_later, permuted) = (rearranged_later(&operators), permuted(&operators));
    let mistreated = |o: &&Operator| match &o.op {
        Op::MatMul(op) if op.right_transpose => {
            let right = graph.tensor(op.right).ok().filter(|t| t.is_coefficient() && t.shape.len() > 1)?;
            let is_rewritten = permuted.contains(&op.input) || o.outputs().any(|t| rearranged_later.contains(&t));
            (right.dtype.is_float() || is_rewritten).then_some(op.right)
        }
        _ => None,
    };
    operators.iter().filter_map(mistreated).collect()
}

/// Returns the tensors that are sliced or permuted, immediately or after a reshape.
fn rearranged_later(operators: &[&Operator]) -> HashSet<Tensor> {
    let mut found = HashSet::new();
    for o in operators.iter().rev() {
        let rearranges = match &o.op {
            // A Gather with a constant index becomes a Slice.
            Op::Slice(_) | Op::Split(_) | Op::Permute(_) | Op::Gather(_) => true,
            op => is_reshape(op) && o.outputs().any(|t| found.contains(&t)),
        };
        if rearranges {
            found.extend(o.op.operands().next().map(|(_, t)| *t));
        }
    }
    found
}

/// Returns the results of permutations, including reshaped ones.
fn permuted(operators: &[&Operator]) -> HashSet<Tensor> {
    let mut found: HashSet<Tensor> = HashSet::new();
    for o in operators {
        let of_permuted = o.op.operands().next().is_some_and(|(_, t)| found.contains(t));
        if matches!(o.op, Op::Permute(_)) || is_reshape(&o.op) && of_permuted {
            found.extend(o.outputs());
        }
    }
    found
}

fn is_reshape(op: &Op<Tensor>) -> bool {
    matches!(op, Op::Reshape(_) | Op::Squeeze(_) | Op::Unsqueeze(_))
}
