use super::{
    Kernel, Operand,
    elementwise::{binary, binary_into},
    task::{Finish, Task},
};
use crate::{base::Result, ops::Where};
use std::borrow::Cow;

/// The values and the shape of a branch.
fn branch<'a, 'o>(t: &Task<'a>, operand: &'o Option<Operand>, number: f64) -> Result<(Cow<'a, [f32]>, &'o [usize])> {
    match operand {
        Some(o) => Ok((t.reals(o)?, &o.ty.shape)),
        None => Ok((vec![number as f32].into(), &[1])),
    }
}

pub(super) fn select(op: Where<Operand>) -> Kernel {
    Box::new(move |t| {
        let shape = &t.result(0)?.shape;
        let (yes, yes_shape) = branch(t, &op.tbrn, op.x_const_val)?;
        let (no, no_shape) = branch(t, &op.fbrn, op.y_const_val)?;
        let branches = binary((&yes, yes_shape), (&no, no_shape), shape, |y, n| (y, n))?;
        let cond = t.reals(&op.cond)?;
        t.write(0, Finish::default(), |out| {
            let choose = |c, (y, n)| if c != 0.0 { y } else { n };
            binary_into((&cond, &op.cond.ty.shape), (&branches, shape), shape, out, choose);
            Ok(())
        })
    })
}
