//! Repetition of entries, by strides of 0 or by copies.
use super::{
    OpKernel, Operand,
    layout::{converted, strided_into, write_view},
    task::PostOp,
    workspace::{self, all_reals},
};
use crate::{ops::Upsample, quant::RoundMode, views::View};

/// Repeats the input along each axis up to the result's dimensions, which are multiples of its own. The result may have
/// additional leading axes.
pub(super) fn tile(input: Operand) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&input]), move |t| {
        let view = View::tiled(&input.ty.shape, &t.result(0)?.shape);
        let input = converted(t, &input, 0, RoundMode::default())?;
        write_view(t.memory(0)?, &input, &view)
    })
}

pub(super) fn upsample(op: Upsample<Operand>) -> OpKernel {
    let workspace = if op.do_relu { all_reals() } else { workspace::converted([&op.input]) };
    OpKernel::with_workspace(workspace, move |t| {
        let Some(view) = View::upsampled(&op.input.ty.shape, &op) else { return Ok(()) };
        if op.do_relu {
            let values = t.reals(&op.input)?;
            return t.write(0, PostOp::relu(true, op.relu_limit), |out| {
                strided_into(&values, view.start, &view.strides, &view.shape, out);
                Ok(())
            });
        }
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        write_view(t.memory(0)?, &input, &view)
    })
}
