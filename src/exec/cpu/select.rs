use super::{
    Kernel, Operand,
    chunks::Source,
    task::{Finish, Task},
};
use crate::{
    base::{Dtype, Result},
    exec::ValueType,
    ops::Where,
};

/// A branch, or none where it is a number.
fn branch<'a>(t: &Task<'a>, operand: &Option<Operand>) -> Result<Option<Source<'a>>> {
    let shape = &t.result(0)?.shape;
    operand.as_ref().map(|o| t.source(o, shape)).transpose()
}

/// Stored integers are chosen as they are, where the result stores the same numbers.
fn are_ints(op: &Where<Operand>, result: &ValueType) -> bool {
    let is_int = |ty: &ValueType| ty.buffer_dtype() != Dtype::Float32;
    let fits =
        |o: &Option<Operand>| o.as_ref().is_some_and(|o| is_int(&o.ty) && o.ty.quantization == result.quantization);
    is_int(result) && fits(&op.tbrn) && fits(&op.fbrn)
}

pub(super) fn select(op: Where<Operand>) -> Kernel {
    Box::new(move |t| {
        let result = t.result(0)?;
        let cond = t.source(&op.cond, &result.shape)?;
        let (yes, no) = (branch(t, &op.tbrn)?, branch(t, &op.fbrn)?);
        if let (Some(yes), Some(no), true) = (&yes, &no, are_ints(&op, result)) {
            return t.fill_ints(0, |first, out| {
                let (mut conds, mut other) = (vec![0.0; out.len()], vec![0; out.len()]);
                cond.reals(first, &mut conds);
                yes.ints(first, out);
                no.ints(first, &mut other);
                choose(&conds, out, &other);
            });
        }
        let read = |branch: &Option<Source>, number: f64, first: usize, out: &mut [f32]| match branch {
            Some(source) => source.reals(first, out),
            None => out.fill(number as f32),
        };
        t.fill(0, 1, Finish::default(), |first, out| {
            let (mut conds, mut other) = (vec![0.0; out.len()], vec![0.0; out.len()]);
            cond.reals(first, &mut conds);
            read(&yes, op.x_const_val, first, out);
            read(&no, op.y_const_val, first, &mut other);
            choose(&conds, out, &other);
            Ok(())
        })
    })
}

/// What stands in `out` stays where the condition holds.
fn choose<T: Copy>(conds: &[f32], out: &mut [T], other: &[T]) {
    let all = out.iter_mut().zip(conds).zip(other);
    all.filter(|((_, c), _)| **c == 0.0).for_each(|((v, _), n)| *v = *n);
}
