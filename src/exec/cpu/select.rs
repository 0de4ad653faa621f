use super::{
    OpKernel, Operand,
    blocked::{replace_each_with, replace_each_with_two},
    chunks::{Source, blocks},
    kernel::PIECE,
    task::{PostOp, Task},
    workspace::{elements, reals},
};
use crate::{
    array::reserve,
    base::{Dtype, Result},
    ops::{MaskedFill, NonZero, NonZeroOrder, Trilu, Where},
    semantics,
};

/// A branch, or `None` if it is a constant number.
fn branch<'a>(t: &Task<'a>, operand: &Option<Operand>) -> Result<Option<Source<'a>>> {
    let shape = &t.result(0)?.shape;
    operand.as_ref().map(|o| t.source(o, shape)).transpose()
}

pub(super) fn select(op: Where<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let result = t.result(0)?;
        let cond = t.source(&op.cond, &result.shape)?;
        let (yes, no) = (branch(t, &op.tbrn)?, branch(t, &op.fbrn)?);
        if semantics::chooses_stored(&op, result) {
            let read = |branch: &Option<Source>, number: f64, first: usize, out: &mut [i64]| match branch {
                Some(source) => source.ints(first, out),
                None => out.fill(number as i64),
            };
            return t.fill_ints(0, |first, out| {
                let (mut conds, mut other) = (vec![0.0; out.len()], vec![0; out.len()]);
                cond.reals(first, &mut conds);
                read(&yes, op.x_const_val, first, out);
                read(&no, op.y_const_val, first, &mut other);
                choose(&conds, out, &other);
            });
        }
        let read = |branch: &Option<Source>, number: f64, first: usize, out: &mut [f32]| match branch {
            Some(source) => source.reals(first, out),
            None => out.fill(number as f32),
        };
        t.fill(0, 1, PostOp::default(), |first, out| {
            let [mut conds, mut other] = [[0.0; PIECE]; 2];
            let conds = cond.read(first, &mut conds[..out.len()]);
            read(&yes, op.x_const_val, first, out);
            match &no {
                Some(no) => choose(conds, out, no.read(first, &mut other[..out.len()])),
                None => {
                    let number = op.y_const_val as f32;
                    replace_each_with(out, conds, move |v, cond| if cond == 0.0 { number } else { v });
                }
            }
            Ok(())
        })
    })
}

/// Keeps the elements of `out` for which the condition holds, and replaces the others.
fn choose<T: Copy>(conds: &[f32], out: &mut [T], other: &[T]) {
    // Without branches: conditions may be irregular.
    replace_each_with_two(out, conds, other, |v, cond, other| if cond == 0.0 { other } else { v });
}

/// Like [`select`], with a number as the other branch.
pub(super) fn masked_fill(op: MaskedFill<Operand>) -> OpKernel {
    select(semantics::as_where(op))
}

/// The indices of nonzero elements come first, in the tensor's order, followed by zeros.
pub(super) fn non_zero(op: NonZero<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]) + elements([&op.input], 8), move |t| {
        let shape = &op.input.ty.shape;
        let mut found: Vec<usize> = Vec::new();
        let values = t.reals(&op.input)?;
        reserve(&mut found, values.iter().filter(|v| **v != 0.0).count())?;
        found.extend(values.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(i, _)| i));
        let (count, rank) = (values.len(), shape.len());
        let inner: Vec<usize> = (0..rank).map(|a| shape[a + 1..].iter().product()).collect();
        t.fill_ints(0, |first, out| {
            for (i, v) in out.iter_mut().enumerate() {
                let at = first + i;
                let (n, axis) = match op.order {
                    NonZeroOrder::ColMajor => (at / rank, at % rank),
                    NonZeroOrder::RowMajor => (at % count, at / count),
                };
                *v = found.get(n).map_or(0, |place| (place / inner[axis] % shape[axis]) as i64);
            }
        })
    })
}

pub(super) fn trilu(op: Trilu<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let result = t.result(0)?;
        let [.., h, w] = result.shape[..] else { return Ok(()) };
        let source = t.source(&op.input, &result.shape)?;
        if result.is_plain_int() && op.input.ty.buffer_dtype() != Dtype::Float32 {
            return t.fill_ints(0, |first, out| {
                source.ints(first, out);
                clear_triangle(&op, [h, w], first, out);
            });
        }
        t.fill(0, 1, PostOp::default(), |first, out| {
            source.reals(first, out);
            clear_triangle(&op, [h, w], first, out);
            Ok(())
        })
    })
}

/// Zeroes the elements of `h` x `w` matrices, from element `first` on, that are on the other side of the diagonal.
fn clear_triangle<T: Copy + Default>(op: &Trilu<Operand>, [h, w]: [usize; 2], first: usize, values: &mut [T]) {
    blocks(first, values.len(), w, |block, part| {
        let (row, start) = ((block % h) as i64, ((first + part.start) % w) as i64);
        let values = &mut values[part];
        // The place of a column in this part of the row.
        let place = |column: i64| column.saturating_sub(start).clamp(0, values.len() as i64) as usize;
        let diagonal = row.saturating_add(op.diagonal);
        let cleared = if op.upper == 1 { 0..place(diagonal) } else { place(diagonal.saturating_add(1))..values.len() };
        values[cleared].fill(T::default());
    });
}
