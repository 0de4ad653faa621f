//! Entries repeated: read with strides of 0, or begun anew.
use super::{
    Kernel, Operand,
    layout::{converted, strided_into, strides, write_view},
    task::Finish,
};
use crate::{ops::Upsample, quant::RoundMode};

/// The input again and again along each axis, up to the result's dimensions, which are multiples of its own. The result
/// may have more axes in front.
pub(super) fn tile(input: Operand) -> Kernel {
    Kernel::new(move |t| {
        let wanted = &t.result(0)?.shape;
        let input = converted(t, &input, 0, RoundMode::default())?;
        let from = [&vec![1; wanted.len() - input.shape().len()], input.shape()].concat();
        let (mut by, mut counts) = (Vec::new(), Vec::new());
        for ((dim, step), to) in from.iter().zip(strides(&from)).zip(wanted) {
            counts.extend([to / dim, *dim]);
            by.extend([0, step]);
        }
        write_view(t.memory(0)?, &input, 0, &by, &counts)
    })
}

pub(super) fn upsample(op: Upsample<Operand>) -> Kernel {
    let (scale_h, scale_w) = (op.scale_h as usize, op.scale_w as usize);
    Kernel::new(move |t| {
        let [.., h, w] = op.input.ty.shape[..] else { return Ok(()) };
        let images = op.input.ty.elements() / (h * w);
        let (by, counts) = ([(h * w) as i64, w as i64, 0, 1, 0], [images, h, scale_h, w, scale_w]);
        if op.do_relu {
            let values = t.reals(&op.input)?;
            return t.write(0, Finish::relu(true, op.relu_limit), |out| {
                strided_into(&values, 0, &by, &counts, out);
                Ok(())
            });
        }
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        write_view(t.memory(0)?, &input, 0, &by, &counts)
    })
}
