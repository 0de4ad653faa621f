//! Operators on channel-blocked images whose results consist of channels of their operands: concatenations, splits, slices and
//! shuffles.
use super::{
    OpKernel, Operand, Signature, blocked::ChannelGather, in_blocks::channels, task::PostOp, workspace::reals,
};
use crate::{
    base::Result,
    ops::{Op, slice_ranges, split_sizes},
};

/// The operands, and for each channel of each result, the index of its operand and its index in that operand.
struct Sources<'a> {
    operands: Vec<&'a Operand>,
    results: Vec<Vec<(usize, usize)>>,
}

impl<'a> Sources<'a> {
    /// Returns `None` if the operator does something else, or not all operands and results are in blocks.
    fn of(signature: &'a Signature) -> Option<Self> {
        let sources = Sources::new(&signature.op)?;
        let are_blocks = signature.outputs().all(|ty| channels(ty).is_some());
        (are_blocks && sources.results.len() == signature.results.len()).then_some(sources)
    }
    fn new(op: &'a Op<Operand>) -> Option<Self> {
        let is_channels = |axis: i64, of: &Operand| {
            channels(&of.ty).is_some() && axis.rem_euclid(of.ty.plain_shape().len() as i64) == 1
        };
        let one = |input, results| Some(Sources { operands: vec![input], results });
        match op {
            Op::Concat(op) if op.inputs.iter().all(|o| is_channels(op.axis, o)) => {
                let of = |(i, o): (usize, &Operand)| (0..channels(&o.ty).unwrap_or(0)).map(move |c| (i, c));
                let all = op.inputs.iter().enumerate().flat_map(of).collect();
                Some(Sources { operands: op.inputs.iter().collect(), results: vec![all] })
            }
            Op::Split(op) if is_channels(op.axis, &op.input) => {
                let mut all = (0..channels(&op.input.ty)?).map(|c| (0, c));
                let sizes = split_sizes(all.len(), op).ok()?;
                one(&op.input, sizes.into_iter().map(|n| all.by_ref().take(n).collect()).collect())
            }
            Op::Slice(slice) if op.operands().count() == 1 => {
                channels(&slice.input.ty)?;
                let shape = slice.input.ty.plain_shape();
                let ranges = slice_ranges(&shape, slice).ok()?;
                let is_whole = |axis: usize| ranges[axis].start == 0 && ranges[axis].count == shape[axis];
                if !(0..shape.len()).all(|axis| axis == 1 || is_whole(axis)) {
                    return None;
                }
                let channel = |i: usize| ranges[1].start.checked_add_signed(i as isize * ranges[1].step as isize);
                one(&slice.input, vec![(0..ranges[1].count).map(|i| Some((0, channel(i)?))).collect::<Option<_>>()?])
            }
            Op::ShuffleChannel(op) => {
                let (all, groups) = (channels(&op.input.ty)?, usize::try_from(op.group).ok()?);
                let of_group = all.checked_div(groups)?;
                one(&op.input, vec![(0..all).map(|c| (0, c % groups * of_group + c / groups)).collect()])
            }
            _ => None,
        }
    }
}

/// Whether the operator moves channels between images in blocks.
pub(super) fn supports(signature: &Signature) -> bool {
    Sources::of(signature).is_some()
}

/// Returns the kernel if the operator is supported.
pub(super) fn prepare(signature: &Signature) -> Option<OpKernel> {
    let Sources { operands, results } = Sources::of(signature)?;
    let sizes: Vec<usize> = operands.iter().filter_map(|o| channels(&o.ty)).collect();
    let area = operands.first()?.ty.plain_shape()[2..].iter().product();
    let needed = results.iter().enumerate().filter(|(i, _)| signature.results[*i].is_some());
    let gathers: Vec<_> = needed.map(|(i, channels)| (i, ChannelGather::new(&sizes, channels))).collect();
    let end = match &signature.op {
        Op::Concat(op) => PostOp::relu(op.do_relu, op.relu_limit),
        _ => PostOp::default(),
    };
    let workspace = reals(operands.iter().copied());
    let operands: Vec<Operand> = operands.into_iter().cloned().collect();
    Some(OpKernel::with_workspace(workspace, move |t| {
        let sources = operands.iter().map(|o| t.reals(o)).collect::<Result<Vec<_>>>()?;
        let sources: Vec<&[f32]> = sources.iter().map(|x| &**x).collect();
        for (i, gather) in &gathers {
            t.write_in_parts(*i, |out, on_part| {
                gather.run(&sources, area, out, &|first, part| {
                    end.reals(part);
                    on_part(first, part);
                });
                Ok(())
            })?;
        }
        Ok(())
    }))
}
