//! Padding, of elements of any type and of channel-blocked images.
use super::{
    OpKernel, Operand, ValueType,
    blocked::{BLOCK, clear_beyond},
    in_blocks::channels,
    layout::{converted, with_element},
    task::PostOp,
    workspace,
};
use crate::{
    array::{Array, ArrayMut, Element},
    base::Result,
    ops::{Op, Pad, PadMode, pad_counts},
    quant::RoundMode,
};
use rayon::prelude::*;

/// Minimum number of bytes per task.
const TASK: usize = 1 << 14;

/// An axis of a padded input.
#[derive(Clone, Copy)]
struct Padded {
    entries: usize,
    before: usize,
    /// The size in the result.
    size: usize,
    mode: PadMode,
}

impl Padded {
    fn new(entries: usize, (before, after): (usize, usize), mode: PadMode) -> Padded {
        Padded { entries, before, size: before + entries + after, mode }
    }
    /// Returns the source of a position in the result; `None` is the constant margin.
    fn from(&self, position: usize) -> Option<usize> {
        let (n, i) = (self.entries as i64, position as i64 - self.before as i64);
        let from = match self.mode {
            _ if (0..n).contains(&i) => i,
            PadMode::Constant => return None,
            PadMode::Edge => i.clamp(0, n - 1),
            PadMode::Reflect if i < 0 => -i,
            PadMode::Reflect => 2 * n - 2 - i,
            PadMode::Symmetric if i < 0 => -1 - i,
            PadMode::Symmetric => 2 * n - 1 - i,
        };
        Some(from as usize)
    }
}

/// Writes all of `to`; `value` is that of constant margins.
fn write_padded<T: Copy + Send + Sync>(from: &[T], value: T, axes: &[Padded], to: &mut [T]) {
    let Some((last, outer)) = axes.split_last() else { return to.copy_from_slice(from) };
    let rows = to.par_chunks_mut(last.size.max(1)).enumerate();
    rows.with_min_len(TASK / (last.size * size_of::<T>()).max(1) + 1).for_each(|(mut r, row)| {
        let (mut at, mut stride) = (Some(0), last.entries);
        for axis in outer.iter().rev() {
            at = at.zip(axis.from(r % axis.size)).map(|(at, i)| at + i * stride);
            (r, stride) = (r / axis.size, stride * axis.entries);
        }
        let Some(at) = at else { return row.fill(value) };
        let inside = last.before..last.before + last.entries;
        row[inside.clone()].copy_from_slice(&from[at..at + inside.len()]);
        for i in (0..inside.start).chain(inside.end..row.len()) {
            row[i] = last.from(i).map_or(value, |i| from[at + i]);
        }
    });
}

/// The constant is a stored value: TPU-MLIR's lowering of a quantized graph passes `val` to the chip unchanged. (In all
/// its recorded cases it is 0 with a zero point of 0.) It is rounded and saturated to the elements' type.
pub(super) fn pad(op: Pad<Operand>) -> OpKernel {
    fn go<T: Element>(to: &mut ArrayMut, from: &Array, value: &Array, axes: &[Padded]) -> Result<()> {
        write_padded(&from.bits::<T>()?, value.bits::<T>()?[0], axes, to.bits::<T>()?);
        Ok(())
    }
    OpKernel::with_workspace(workspace::converted([&op.input]), move |t| {
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let counts = pad_counts(input.shape(), &op)?;
        let axes: Vec<_> = input.shape().iter().zip(counts).map(|(&d, n)| Padded::new(d, n, op.mode)).collect();
        let value = Array::filled(input.dtype(), [1], op.val)?;
        with_element!(input.dtype(), go(t.memory(0)?, &input, &value, &axes))
    })
}

/// Returns the kernel for a channel-blocked image, or `None` if `op` is another operator, or pads the batch or the channels, other than by
/// zeros after the last channel.
pub(super) fn in_blocks(op: &Op<Operand>, result: &ValueType) -> Option<OpKernel> {
    let Op::Pad(op) = op else { return None };
    let sizes = [channels(&op.input.ty)?, channels(result)?];
    let (shape, is_fixed) = (op.input.ty.plain_shape(), op.paddingsT.is_none());
    let counts = pad_counts(&shape, op).ok().filter(|_| is_fixed)?;
    let [(0, 0), (0, more), spatial @ ..] = counts.as_slice() else { return None };
    if *more > 0 && (op.mode != PadMode::Constant || op.val != 0.0) {
        return None;
    }
    let [before, after] = sizes.map(|channels| channels.div_ceil(BLOCK));
    let mut axes = vec![
        Padded::new(shape[0], (0, 0), PadMode::Constant),
        Padded::new(before, (0, after - before), PadMode::Constant),
    ];
    axes.extend(shape[2..].iter().zip(spatial).map(|(n, counts)| Padded::new(*n, *counts, op.mode)));
    let (area, value) = (axes[2..].iter().map(|axis| axis.size).product::<usize>(), op.val as f32);
    let input = op.input.clone();
    Some(OpKernel::new(move |t| {
        let x = t.reals(&input)?;
        t.write(0, PostOp::default(), |out| {
            let out = out.as_chunks_mut::<BLOCK>().0;
            write_padded(x.as_chunks().0, [value; BLOCK], &axes, out);
            if value != 0.0 {
                out.chunks_exact_mut(after * area).for_each(|image| {
                    clear_beyond(sizes[1], &mut image[(after - 1) * area..]);
                });
            }
            Ok(())
        })
    }))
}
