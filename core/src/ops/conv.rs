//! The type of a convolution.
use super::{
    Conv,
    types::{Types, Value, computed, one},
    window::Window,
};
use crate::base::{Result, argument, counted, invalid, misfit, shape_text};

/// N x oc, then each spatial dimension by [`Window`]. Any number of spatial axes.
pub(super) fn conv(op: &Conv<Value>) -> Types {
    let (input, filter) = (op.input.shape, op.filter.shape);
    let rank = input.len();
    if rank < 3 || filter.len() != rank {
        return Err(invalid(format!(
            "{} has {}, {} {}; expected n x ic x spatial.. and oc x ic/group x kernel.., equally many",
            op.input.called,
            counted(rank, "dimension"),
            op.filter.called,
            filter.len()
        )));
    }
    check_channels(op)?;
    if op.kernel_shape.iter().map(|&k| k as usize).ne(filter[2..].iter().copied()) {
        let kernel = &filter[2..];
        return Err(misfit("kernel_shape", format!("is {:?}; the filter's kernel is {kernel:?}", op.kernel_shape)));
    }
    let spatial = rank - 2;
    let (strides, pads, dilations) = (&op.strides, &op.pads, dilations(op));
    if strides.len() != spatial || dilations.len() != spatial || pads.len() != 2 * spatial {
        return Err(invalid(format!(
            "strides {strides:?}, dilations {dilations:?}, pads {pads:?}: expected {spatial}, {spatial} and {} values",
            2 * spatial
        )));
    }
    let mut shape = vec![input[0], filter[0]];
    for i in 0..spatial {
        let (kernel, stride, dilation) = (op.kernel_shape[i], strides[i], dilations[i]);
        let pads = [pads[i], pads[i + spatial]];
        shape.push(Window { input: input[2 + i], kernel, stride, dilation, pads }.positions()?);
    }
    one(shape, computed(&op.input))
}

/// One a spatial axis, 1 where absent.
pub fn dilations<V>(op: &Conv<V>) -> Vec<i64> {
    op.dilations.clone().filter(|d| !d.is_empty()).unwrap_or_else(|| vec![1; op.strides.len()])
}

fn check_channels(op: &Conv<Value>) -> Result<()> {
    let (group, ic, oc) = (op.group, op.input.shape[1], op.filter.shape[0]);
    if group < 1 || ic as i64 % group != 0 || oc as i64 % group != 0 {
        let (input, filter) = (op.input.called, op.filter.called);
        let expected = format!("it must divide the {ic} channels of {input} and the {oc} of {filter}");
        return Err(argument("group", group, expected));
    }
    let found = op.filter.shape[1];
    if found != ic / group as usize {
        let problem = format!("has {found} input channels; the {} has {ic} (group {group})", op.input.called);
        return Err(misfit(op.filter.called, problem));
    }
    let Some(bias) = &op.bias else {
        return Ok(());
    };
    bias.expect_elements(oc, "one an output channel")?;
    // Nothing but the channels' axis (axis 1, or the only one) may be longer than 1.
    let axis = usize::from(bias.shape.len() > 1);
    if bias.shape.get(axis) != Some(&oc) {
        let problem =
            format!("is {}; expected {oc} elements along one axis, as {oc} or 1x{oc}x1x1", shape_text(bias.shape));
        return Err(misfit(bias.called, problem));
    }
    Ok(())
}
