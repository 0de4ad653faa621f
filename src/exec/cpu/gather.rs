use super::{Kernel, Operand, task::to_ints};
use crate::{
    base::{Result, argument},
    ops::Gather,
};

pub(super) fn gather(op: Gather<Operand>) -> Kernel {
    Box::new(move |t| {
        let (input, indices) = (t.array(&op.input)?, t.array(&op.indices)?);
        let dims = input.shape();
        let axis = op.axis.rem_euclid(dims.len() as i64) as usize;
        let dim = dims[axis] as i64;
        let row = |i: i64| match if i < 0 { i + dim } else { i } {
            r if (0..dim).contains(&r) => Ok(r as usize),
            _ => {
                let expected = format!("axis {axis} has {dim} entries, so it must be from {} to {}", -dim, dim - 1);
                Err(argument("an index", i, expected))
            }
        };
        let rows = to_ints(indices)?.into_iter().map(row).collect::<Result<Vec<_>>>()?;
        // Rows are moved as bytes, whatever they hold.
        let bytes = dims[axis + 1..].iter().product::<usize>() * input.dtype().size();
        let out = t.memory(0)?.bytes();
        for (to, from) in out.chunks_exact_mut(bytes * rows.len()).zip(input.bytes()?.chunks_exact(bytes * dims[axis]))
        {
            for (to, r) in to.chunks_exact_mut(bytes).zip(&rows) {
                to.copy_from_slice(&from[r * bytes..(r + 1) * bytes]);
            }
        }
        Ok(())
    })
}
