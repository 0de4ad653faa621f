//! Entries and channels in another order.
use super::{
    Kernel, Operand,
    layout::{converted, strides, with_element, write_view},
};
use crate::{
    array::{Array, ArrayMut, Element},
    base::Result,
    ops::{Depth2Space, Reverse, ShuffleChannel, SwapChannel, SwapDimInner, depth_to_space},
    quant::RoundMode,
};

pub(super) fn reverse(op: Reverse<Operand>) -> Kernel {
    Kernel::new(move |t| {
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let (shape, mut by) = (input.shape(), strides(input.shape()));
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let last = (shape[axis] as i64 - 1) * by[axis];
        by[axis] = -by[axis];
        write_view(t.memory(0)?, &input, last, &by, shape)
    })
}

/// Each row is two pieces of a row of the input, which is found by turning the outer axes.
pub(super) fn swap_dim_inner(op: SwapDimInner<Operand>) -> Kernel {
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
    Kernel::new(move |t| {
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let to = t.memory(0)?;
        with_element!(input.dtype(), go(to, &input, &op.offset))
    })
}

pub(super) fn shuffle_channel(op: ShuffleChannel<Operand>) -> Kernel {
    Kernel::new(move |t| {
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let (batch, channels, group) = (input.shape()[0], input.shape()[1], op.group as usize);
        let (each, frame) = (channels / group, input.len() / batch / channels);
        let by = [channels * frame, frame, each * frame, 1].map(|n| n as i64);
        write_view(t.memory(0)?, &input, 0, &by, &[batch, each, group, frame])
    })
}

pub(super) fn swap_channel(op: SwapChannel<Operand>) -> Kernel {
    Kernel::new(move |t| {
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

/// Axes that both tensors of [`depth2space`] have, in orders of their own: images, channels of the wide one, rows and
/// columns of a block, height and width of the deep one.
const AXES: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// The order in the tensor of many channels.
fn deep(op: &Depth2Space<Operand>, is_nchw: bool) -> [usize; 6] {
    let [n, c, r, s, h, w] = AXES;
    let (a, b) = if op.swap_cr { (s, r) } else { (r, s) };
    let [x, y, z] = if op.is_CRD { [c, a, b] } else { [a, b, c] };
    if is_nchw { [n, x, y, z, h, w] } else { [n, h, w, x, y, z] }
}

/// The order in the tensor of many pixels.
fn wide(is_nchw: bool) -> [usize; 6] {
    let [n, c, r, s, h, w] = AXES;
    if is_nchw { [n, c, h, r, w, s] } else { [n, h, r, w, s, c] }
}

pub(super) fn depth2space(op: Depth2Space<Operand>) -> Kernel {
    Kernel::new(move |t| {
        let (input, output) = depth_to_space(&op.input.ty.shape, &op)?;
        let (narrow, broad, from, to) = if op.is_inversed {
            (output, input, wide(op.in_is_NCHW), deep(&op, op.out_is_NCHW))
        } else {
            (input, output, deep(&op, op.in_is_NCHW), wide(op.out_is_NCHW))
        };
        let (bh, bw) = (op.block_h as usize, op.block_w as usize);
        let counts = [broad.count, broad.channels, bh, bw, narrow.height, narrow.width];
        let mut steps = [0; 6];
        from.iter().zip(strides(&from.map(|a| counts[a]))).for_each(|(&a, step)| steps[a] = step);
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        write_view(t.memory(0)?, &input, 0, &to.map(|a| steps[a]), &to.map(|a| counts[a]))
    })
}
