//! A convolution, and a depthwise convolution that is fused into its kernel.
use super::{
    OpKernel, Signature,
    blocked::{ExpandedDepthwise, InstructionSet},
    epilogues,
    in_blocks::{self, Prepared, geometry, with_constants, with_fused_relu},
    kernel::Epilogues,
    workspace::bytes,
};
use crate::{
    base::{Result, invalid},
    ops::{Conv, Op},
    signature::Operand,
};

/// A signature that is divided before the fused convolution.
pub(super) struct Stages {
    first: Signature,
    second: Signature,
    /// Number of fused operators of `first`.
    between: usize,
}

impl Stages {
    /// Returns `None` if no convolution is fused into another.
    pub fn new(signature: &Signature) -> Option<Stages> {
        let between = signature.fused_ops.iter().position(|op| matches!(op, Op::Conv(_)))?;
        let (before, after) = signature.fused_ops.split_at(between);
        let (Op::Conv(_), [second @ Op::Conv(conv), after @ ..]) = (&signature.op, after) else { return None };
        let expanded = vec![Some(conv.input.ty.clone())];
        Some(Stages {
            first: Signature { op: signature.op.clone(), fused_ops: before.to_vec(), results: expanded },
            second: Signature { op: second.clone(), fused_ops: after.to_vec(), results: signature.results.clone() },
            between,
        })
    }

    /// The depthwise convolution, and what follows it.
    pub fn last(&self) -> &Signature {
        &self.second
    }

    fn convolutions(&self) -> Option<[&Conv<Operand>; 2]> {
        match (&self.first.op, &self.second.op) {
            (Op::Conv(first), Op::Conv(second)) => Some([first, second]),
            _ => None,
        }
    }

    /// Whether there is a kernel for both.
    pub fn are_supported(&self) -> bool {
        let shape = |op: &Conv<Operand>| geometry(op).ok().flatten();
        let Some([first, second]) = self.convolutions() else { return false };
        let (Some(expanded), Some(filtered)) = (shape(first), shape(second)) else { return false };
        // A map of the expanded image's pixels would be taken for one of the result's.
        let is_unary = |op: &Op<Operand>| op.operands().all(|(_, o)| o.is_fused_input());
        second.input.is_fused_input()
            && self.first.fused_ops.iter().all(is_unary)
            && ExpandedDepthwise::supports(&expanded, &filtered)
            && in_blocks::supports(&self.first)
            && in_blocks::supports(&self.second)
    }

    /// Returns the kernel.
    ///
    /// # Errors
    /// Returns an error if memory for the weights runs out.
    pub fn prepare(&self) -> Result<Prepared> {
        let none = || invalid("no fused depthwise convolution");
        let isa = InstructionSet::best();
        let [first, second] = self.convolutions().ok_or_else(none)?;
        let (expanded, filtered) = (geometry(first)?.ok_or_else(none)?, geometry(second)?.ok_or_else(none)?);
        let (first_relu, first_used) =
            with_fused_relu(&self.first, in_blocks::relu(first.do_relu, first.relu_limit), 0);
        let (second_relu, second_used) =
            with_fused_relu(&self.second, in_blocks::relu(second.do_relu, second.relu_limit), 0);
        let kernel = with_constants(&first.filter, &first.bias, first_relu, |first_weights, first_end| {
            with_constants(&second.filter, &second.bias, second_relu, |second_weights, second_end| {
                ExpandedDepthwise::new(
                    isa,
                    (expanded, first_weights, first_end),
                    (filtered, second_weights, second_end),
                )
            })
        })?;
        let inner = epilogues(&self.first.fused_ops[first_used..], &self.first).ok_or_else(none)?;
        let (input, expanded) = (first.input.clone(), second.input.ty.shape.clone());
        let workspace = bytes(kernel.workspace());
        let run = OpKernel::with_workspace(workspace, move |t| {
            let x = t.reals(&input)?;
            let inner = Epilogues::new(t, &inner, &expanded)?;
            let on_expanded = |first: usize, part: &mut [f32]| inner.apply(first, part);
            t.write_in_parts(0, |out, on_part| kernel.run(&x, out, &on_expanded, on_part))
        });
        let run = run.without([&first.filter, &second.filter]).without(&first.bias).without(&second.bias);
        Ok(Prepared { kernel: run, used: self.between + 1 + second_used })
    }
}
