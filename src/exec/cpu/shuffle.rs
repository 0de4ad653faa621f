//! Reordering of entries and channels.
use super::{
    OpKernel, Operand,
    layout::{converted, shown, with_element, write_view},
    workspace,
};
use crate::{
    array::{Array, ArrayMut, Element},
    base::Result,
    ops::{Depth2Space, Reverse, ShuffleChannel, SwapChannel, SwapDimInner},
    quant::RoundMode,
    views::View,
};

pub(super) fn reverse(op: Reverse<Operand>) -> OpKernel {
    let view = View::reversed(&op.input.ty.shape, op.axis);
    shown(op.input, view)
}

/// Each row consists of two pieces of an input row, which is found by rotating the outer axes.
pub(super) fn swap_dim_inner(op: SwapDimInner<Operand>) -> OpKernel {
    fn go<T: Element>(to: &mut ArrayMut, from: &Array, offset: &[i64]) -> Result<()> {
        let (shape, from) = (from.shape(), from.bits::<T>()?);
        let (Some((&row, outer)), Some((&turn, offsets))) = (shape.split_last(), offset.split_last()) else {
            to.bits::<T>()?.copy_from_slice(&from);
            return Ok(());
        };
        for (mut r, to) in to.bits::<T>()?.chunks_mut(row).enumerate() {
            let (mut at, mut step) = (0, row);
            for (&dim, &offset) in outer.iter().zip(offsets).rev() {
                at += (r % dim + offset as usize) % dim * step;
                r /= dim;
                step *= dim;
            }
            let (before, after) = from[at..at + row].split_at(turn as usize);
            to[..after.len()].copy_from_slice(after);
            to[after.len()..].copy_from_slice(before);
        }
        Ok(())
    }
    OpKernel::with_workspace(workspace::converted([&op.input]), move |t| {
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let to = t.memory(0)?;
        with_element!(input.dtype(), go(to, &input, &op.offset))
    })
}

pub(super) fn shuffle_channel(op: ShuffleChannel<Operand>) -> OpKernel {
    let view = View::shuffled(&op.input.ty.shape, op.group as usize);
    shown(op.input, view)
}

pub(super) fn swap_channel(op: SwapChannel<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&op.input]), move |t| {
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let (batch, channels) = (input.shape()[0], input.shape()[1]);
        let stored = input.bytes()?;
        let frame = stored.len() / batch / channels;
        let images = t.memory(0)?.bytes().chunks_exact_mut(channels * frame).zip(stored.chunks_exact(channels * frame));
        for (to, from) in images {
            for (to, &c) in to.chunks_exact_mut(frame).zip(&op.channel_order) {
                let c = c as usize;
                to.copy_from_slice(&from[c * frame..(c + 1) * frame]);
            }
        }
        Ok(())
    })
}

pub(super) fn depth2space(op: Depth2Space<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&op.input]), move |t| {
        let view = View::depth_to_space(&op.input.ty.shape, &op)?;
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        write_view(t.memory(0)?, &input, &view)
    })
}
