//! Tensors computed from shapes and numbers.
use super::{
    OpKernel, Operand,
    layout::{converted, write_view},
    task::{PostOp, Task},
    workspace,
};
use crate::{
    base::Result,
    ops::{ConstantFill, MeshGrid, Shape, Size, selected_dimensions},
    quant::RoundMode,
    views::View,
};

/// Computes each element from its index, exactly for plain integers.
fn fill(t: &mut Task, f: impl Fn(usize) -> f64 + Sync) -> Result<()> {
    if t.result(0)?.is_plain_int() {
        return t.fill_ints(0, |first, out| {
            out.iter_mut().enumerate().for_each(|(i, v)| *v = f(first + i).round() as i64);
        });
    }
    t.fill(0, 1, PostOp::default(), |first, out| {
        out.iter_mut().enumerate().for_each(|(i, v)| *v = f(first + i) as f32);
        Ok(())
    })
}

pub(super) fn shape(op: Shape<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let dims = selected_dimensions(&op.input.ty.shape, &op)?;
        fill(t, |i| dims[i] as f64)
    })
}

pub(super) fn size(op: Size<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let dims = &op.input.ty.shape;
        let first = op.axis.map_or(0, |a| a.rem_euclid(dims.len() as i64) as usize);
        fill(t, |i| dims[first + i] as f64)
    })
}

pub(super) fn constant_fill(op: ConstantFill<Operand>) -> OpKernel {
    OpKernel::new(move |t| fill(t, |_| op.value))
}

/// Computes `start + i * step`; the defaults are 0 and 1.
pub(super) fn range(start: Option<Operand>, step: Option<Operand>) -> OpKernel {
    fn number(t: &Task, operand: &Option<Operand>, otherwise: f64) -> Result<f64> {
        let first = |o: &Operand| Ok(t.array(o)?.to_f64()?.first().copied().unwrap_or(otherwise));
        operand.as_ref().map_or(Ok(otherwise), first)
    }
    OpKernel::new(move |t| {
        let (start, step) = (number(t, &start, 0.0)?, number(t, &step, 1.0)?);
        fill(t, |i| start + i as f64 * step)
    })
}

pub(super) fn mesh_grid(op: MeshGrid<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted(&op.inputs), move |t| {
        let n = op.inputs.len();
        for (i, input) in op.inputs.iter().enumerate() {
            let shape = &t.result(i)?.shape;
            let axis = if op.is_reverse { n - 1 - i } else { i };
            let input = converted(t, input, i, RoundMode::default())?;
            write_view(t.memory(i)?, &input, &View::along(shape, axis))?;
        }
        Ok(())
    })
}
