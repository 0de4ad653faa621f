use super::{Kernel, Operand, chunks::CHUNK};
use crate::{
    base::{argument, counted},
    ops::{Gather, Lut},
};
use rayon::prelude::*;

pub(super) fn gather(op: Gather<Operand>) -> Kernel {
    Box::new(move |t| {
        let input = t.array(&op.input)?;
        let dims = input.shape();
        let axis = op.axis.rem_euclid(dims.len() as i64) as usize;
        let dim = dims[axis] as i64;
        let row = |i: i64| match if i < 0 { i + dim } else { i } {
            r if (0..dim).contains(&r) => Ok(r as usize),
            _ => {
                let expected = format!(
                    "axis {axis} has {}, so it must be from {} to {}",
                    counted(dims[axis], "entry"),
                    -dim,
                    dim - 1
                );
                Err(argument("an index", i, expected))
            }
        };
        let rows = t.ints(&op.indices)?;
        rows.iter().try_for_each(|i| row(*i).map(drop))?;
        // Rows are moved as bytes, whatever they hold.
        let bytes = dims[axis + 1..].iter().product::<usize>() * input.dtype().size();
        let out = t.memory(0)?.bytes();
        let stored = input.bytes()?;
        for (to, from) in out.chunks_exact_mut(bytes * rows.len()).zip(stored.chunks_exact(bytes * dims[axis])) {
            for (to, i) in to.chunks_exact_mut(bytes).zip(&rows) {
                let r = row(*i)?;
                to.copy_from_slice(&from[r * bytes..(r + 1) * bytes]);
            }
        }
        Ok(())
    })
}

/// By the bits of each value: entry 255 is that of -1.
pub(super) fn lut(op: Lut<Operand>) -> Kernel {
    Box::new(move |t| {
        let (values, table) = (t.array(&op.input)?.bytes()?, t.array(&op.table)?.bytes()?);
        let chunks = t.memory(0)?.bytes().par_chunks_mut(CHUNK).zip(values.par_chunks(CHUNK));
        chunks.for_each(|(out, values)| out.iter_mut().zip(values).for_each(|(o, v)| *o = table[usize::from(*v)]));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        exec::{CpuBackend, RunOptions, run},
    };

    #[test]
    fn indices_that_are_no_whole_numbers_are_cut() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [3]).unwrap();
        let i = g.input("i", Dtype::Float32, [5]).unwrap();
        let y = g.index_select(x, i).axis(0).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let x = Array::from([10f32, 20.0, 30.0]);
        let of = |i: [f32; 5]| {
            let feeds = [("x", x.clone()), ("i", Array::from(i))];
            run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).map(|r| r.tensors["y"].to_f32().unwrap())
        };
        assert_eq!(of([1.9, -1.9, f32::NAN, -0.5, 2.0]).unwrap(), [20.0, 30.0, 10.0, 10.0, 30.0]);
        let error = of([f32::INFINITY; 5]).unwrap_err().to_string();
        assert!(error.contains("an index is 9223372036854775807; axis 0 has 3 entries"), "{error}");
    }
}
