//! Slices of axes.
use super::{
    OpKernel, Operand,
    layout::{converted, write_view},
    task::Task,
    workspace,
};
use crate::{
    base::{Result, invalid},
    ops::{Slice, SliceAxis, Span, StridedSlice, axis_ranges, slice_ranges, strided_ranges},
    quant::RoundMode,
    views::View,
};

/// Writes the entries of the input in the ranges, one per axis.
fn write_ranges(t: &mut Task, input: &Operand, ranges: &[Span]) -> Result<()> {
    // Ranges may come from coefficients, whose data may have changed since type inference.
    write_part(t, input, &View::of_ranges(&input.ty.shape, ranges))
}

fn write_part(t: &mut Task, input: &Operand, view: &View) -> Result<()> {
    let counts = &view.shape;
    if counts.iter().product::<usize>() != t.result(0)?.elements() {
        return Err(invalid(format!(
            "the ranges now select a result of shape {counts:?}, whose size has changed since the graph was built"
        )));
    }
    let input = converted(t, input, 0, RoundMode::default())?;
    write_view(t.memory(0)?, &input, view)
}

pub(super) fn slice(op: Slice<Operand>) -> OpKernel {
    let shape = op.input.ty.shape.clone();
    let known = slice_ranges(&shape, &op).ok().map(|ranges| View::of_ranges(&shape, &ranges));
    OpKernel::with_workspace(workspace::converted([&op.input]), move |t| match &known {
        Some(view) => write_part(t, &op.input, view),
        None => write_ranges(t, &op.input, &slice_ranges(&shape, &op)?),
    })
}

pub(super) fn slice_axis(op: SliceAxis<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&op.input]), move |t| {
        let step = op.step.as_ref().map(|step| t.ints(step)).transpose()?;
        let ranges = axis_ranges(&op.input.ty.shape, t.ints(&op.axis)?, t.ints(&op.start)?, step, t.ints(&op.end)?)?;
        write_ranges(t, &op.input, &ranges)
    })
}

pub(super) fn strided_slice(op: StridedSlice<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&op.input]), move |t| {
        let [starts, ends, strides] = [t.ints(&op.starts)?, t.ints(&op.ends)?, t.ints(&op.strides)?];
        let (ranges, _) = strided_ranges(&op.input.ty.shape, &op, [&starts, &ends, &strides])?;
        write_ranges(t, &op.input, &ranges)
    })
}
