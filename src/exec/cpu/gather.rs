//! Selection by index.
use super::{
    OpKernel, Operand,
    blocked::InstructionSet,
    chunks::{CHUNK, blocks},
    layout::{converted, with_element},
    workspace::{self, ints, of_threads, reals},
};
use crate::{
    array::{Array, ArrayMut, Element},
    base::Result,
    ops::{A16Gather, Gather, GatherElements, GatherND, Lut, packed_table},
    quant::RoundMode,
    semantics::IndexKind,
    views::strides,
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};

pub(super) fn gather(op: Gather<Operand>) -> OpKernel {
    OpKernel::with_workspace(ints([&op.indices]) + workspace::converted([&op.input]), move |t| {
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let dims = input.shape();
        let axis = op.axis.rem_euclid(dims.len() as i64) as usize;
        let row = dims[axis + 1..].iter().product::<usize>();
        let mut places = t.ints(&op.indices)?;
        for place in &mut places {
            *place = (IndexKind::Axis(axis).resolve(*place, dims[axis])? * row) as i64;
        }
        take(t.memory(0)?, &input, dims[axis] * row, &places, row)
    })
}

/// Entries are selected by the bits of each value: -1 selects entry 255.
pub(super) fn lut(op: Lut<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let (values, table) = (t.array(&op.input)?.bytes()?, t.array(&op.table)?.bytes()?);
        let chunks = t.memory(0)?.bytes().par_chunks_mut(CHUNK).zip(values.par_chunks(CHUNK));
        chunks.for_each(|(out, values)| out.iter_mut().zip(values).for_each(|(o, v)| *o = table[usize::from(*v)]));
        Ok(())
    })
}

/// Replaces each index by an element offset in `tensor`: the index selects the entry along `axis`, and its own position
/// determines the entries along the other axes. The first of `indices` is that of element `first` of their tensor.
pub(super) fn places_along(
    indices: &mut [i64],
    first: usize,
    shape: &[usize],
    tensor: &[usize],
    axis: usize,
) -> Result<()> {
    let (steps, last) = (strides(tensor), shape.len() - 1);
    let (mut outside, row) = (None, shape[last].max(1));
    blocks(first, indices.len(), row, |block, part| {
        let (mut start, mut rest) = (0, block);
        for a in (0..last).rev() {
            if a != axis {
                start += (rest % shape[a]) as i64 * steps[a];
            }
            rest /= shape[a];
        }
        let step = if axis == last { 0 } else { steps[last] };
        start += ((first + part.start) % row) as i64 * step;
        let places =
            PlacesOfRow { indices: &mut indices[part], start, count: tensor[axis] as i64, scale: steps[axis], step };
        let found = InstructionSet::best().run(places);
        outside = outside.or(found);
    });
    outside.map_or(Ok(()), |index| IndexKind::Axis(axis).resolve(index, tensor[axis]).map(drop))
}

/// Replaces the indices of a row by offsets. Returns the first index that is out of range, if there is one.
struct PlacesOfRow<'a> {
    indices: &'a mut [i64],
    /// The offset of the first entry.
    start: i64,
    /// Number of entries.
    count: i64,
    /// The distance between entries.
    scale: i64,
    /// The distance between the places of consecutive indices of the same entry.
    step: i64,
}

impl SimdOp for PlacesOfRow<'_> {
    type Output = Option<i64>;

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> Option<i64> {
        let PlacesOfRow { indices, start, count, scale, step } = self;
        let is_in_range = |index: i64| (-count <= index) & (index < count);
        if !indices.iter().fold(true, |all, index| all & is_in_range(*index)) {
            return indices.iter().copied().find(|index| !is_in_range(*index));
        }
        for (i, index) in indices.iter_mut().enumerate() {
            let entry = if *index < 0 { *index + count } else { *index };
            *index = start + entry * scale + i as i64 * step;
        }
        None
    }
}

/// Replaces each tuple of `n` indices by an element offset in `tensor`. A tuple selects entries of the axes after the
/// first `batch`; its own position determines those along the batch axes. The offsets are stored at the beginning of
/// `indices`.
pub(super) fn places_of_tuples(indices: &mut Vec<i64>, n: usize, tensor: &[usize], batch: usize) -> Result<()> {
    let steps = strides(tensor);
    let batches: usize = tensor[..batch].iter().product();
    let (count, whole) = (indices.len() / n, tensor[batch..].iter().product::<usize>());
    for tuple in 0..count {
        let mut place = (tuple / (count / batches) * whole) as i64;
        for i in 0..n {
            let axis = batch + i;
            place += IndexKind::Axis(axis).resolve(indices[tuple * n + i], tensor[axis])? as i64 * steps[axis];
        }
        indices[tuple] = place;
    }
    indices.truncate(count);
    Ok(())
}

/// Copies `run` elements from each of the offsets `places` in each block of `block` elements.
fn take(to: &mut ArrayMut, from: &Array, block: usize, places: &[i64], run: usize) -> Result<()> {
    /// Minimum number of elements per task.
    const TASK: usize = 1 << 12;
    fn go<T: Element>(to: &mut ArrayMut, from: &Array, block: usize, places: &[i64], run: usize) -> Result<()> {
        let (from, to, taken) = (from.bits::<T>()?, to.bits::<T>()?, (places.len() * run).max(1));
        let blocks = to.par_chunks_exact_mut(taken).zip(from.par_chunks_exact(block.max(1)));
        blocks.with_min_len(TASK / taken + 1).for_each(|(to, from)| {
            let copy = |(to, places): (&mut [T], &[i64])| match run {
                1 => to.iter_mut().zip(places).for_each(|(to, at)| *to = from[*at as usize]),
                _ => to
                    .chunks_exact_mut(run)
                    .zip(places)
                    .for_each(|(to, at)| to.copy_from_slice(&from[*at as usize..][..run])),
            };
            let runs = TASK / run + 1;
            if places.len() <= runs {
                return copy((to, places));
            }
            to.par_chunks_mut(runs * run).zip(places.par_chunks(runs)).for_each(copy);
        });
        Ok(())
    }
    with_element!(from.dtype(), go(to, from, block, places, run))
}

pub(super) fn gather_elements(op: GatherElements<Operand>) -> OpKernel {
    fn go<T: Element>(
        to: &mut ArrayMut,
        from: &Array,
        places: impl Fn(usize, &mut [i64]) -> Result<()> + Sync,
    ) -> Result<()> {
        let (from, parts) = (from.bits::<T>()?, to.bits::<T>()?.par_chunks_mut(CHUNK));
        let take = |buffer: &mut Vec<i64>, (i, to): (usize, &mut [T])| {
            buffer.resize(to.len(), 0);
            places(i * CHUNK, buffer)?;
            to.iter_mut().zip(&*buffer).for_each(|(to, at)| *to = from[*at as usize]);
            Ok(())
        };
        // Of several indices that are out of range, the error names the first.
        parts.enumerate().map_init(Vec::new, take).find_first(Result::is_err).unwrap_or(Ok(()))
    }
    OpKernel::with_workspace(of_threads(CHUNK, size_of::<i64>()) + workspace::converted([&op.input]), move |t| {
        let (shape, indices) = (&op.input.ty.shape, &op.indices.ty.shape);
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let source = t.source(&op.indices, indices)?;
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        let places = |first: usize, places: &mut [i64]| {
            source.ints(first, places);
            places_along(places, first, indices, shape, axis)
        };
        with_element!(input.dtype(), go(t.memory(0)?, &input, places))
    })
}

pub(super) fn gather_nd(op: GatherND<Operand>) -> OpKernel {
    OpKernel::with_workspace(ints([&op.indices]) + workspace::converted([&op.input]), move |t| {
        let (shape, batch) = (&op.input.ty.shape, op.batch_dims as usize);
        let n = op.indices.ty.shape.last().copied().unwrap_or(1);
        let mut places = t.ints(&op.indices)?;
        places_of_tuples(&mut places, n, shape, batch)?;
        let input = converted(t, &op.input, 0, RoundMode::default())?;
        take(t.memory(0)?, &input, input.len(), &places, shape[batch + n..].iter().product())
    })
}

/// The first entry of a packed pair is in the lower four bits.
pub(super) fn a16_gather(op: A16Gather<Operand>) -> OpKernel {
    OpKernel::with_workspace(ints([&op.indices]) + reals([&op.scale]), move |t| {
        let table = packed_table(&op.weight.ty.shape, &op)?;
        let rows = t.ints(&op.indices)?;
        let (scale, zero) = (t.reals(&op.scale)?, t.source(&op.zp, &op.zp.ty.shape)?);
        let groups = table.entries / table.group;
        rows.iter().try_for_each(|i| IndexKind::Axis(0).resolve(*i, table.rows).map(drop))?;
        let weight = t.array(&op.weight)?;
        let (stored, is_signed) = (weight.bytes()?, weight.dtype().is_signed_int());
        let packed = stored.len() / table.rows;
        let number = |byte: u8| if is_signed { i32::from(byte as i8) } else { i32::from(byte) };
        t.fill(0, table.entries, Default::default(), |first, out| {
            let mut zeros = vec![0.0; groups];
            for (row, out) in rows[first / table.entries..].iter().zip(out.chunks_mut(table.entries)) {
                let row = IndexKind::Axis(0).resolve(*row, table.rows)?;
                let from = &stored[row * packed..(row + 1) * packed];
                zero.reals(row * groups, &mut zeros);
                let scales = &scale[row * groups..][..groups];
                for (i, v) in out.iter_mut().enumerate() {
                    let q = match op.weight_bits {
                        8 => number(from[i]),
                        _ if i % 2 == 0 => i32::from(from[i / 2] & 15),
                        _ => i32::from(from[i / 2] >> 4),
                    };
                    *v = (q as f32 - zeros[i / table.group]) * scales[i / table.group];
                }
            }
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, ops::GatherElements, run};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn elements_are_gathered_along_an_axis(
            dims in prop::array::uniform3(1usize..30), cut in prop::array::uniform3(any::<prop::sample::Index>()), axis in 0usize..3,
            entries in 1usize..30, bad in prop::option::of(any::<prop::sample::Index>()), seed in 1i64..1000,
        ) {
            // Along the other axes, there may be fewer indices than entries.
            let mut shape: [usize; 3] = std::array::from_fn(|i| cut[i].index(dims[i]) + 1);
            shape[axis] = entries;
            let (n, count) = (dims[axis] as i64, shape.iter().product::<usize>());
            let mut indices: Vec<i32> = (0..count as i64).map(|i| (i * seed % (2 * n) - n) as i32).collect();
            if let Some(bad) = &bad {
                indices[bad.index(count)] = n as i32;
            }
            let values: Vec<f32> = (0..dims.iter().product::<usize>()).map(|i| i as f32).collect();
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, dims).unwrap();
            let i = g.input("i", Dtype::Int32, shape).unwrap();
            let y = g.op(GatherElements { axis: axis as i64, ..GatherElements::new(x, i) }).call().unwrap();
            g.set_outputs(&y).unwrap();
            let feeds = [("x", Array::from_vec(dims, values.clone()).unwrap()), ("i", Array::from_vec(shape, indices.clone()).unwrap())];
            let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default());
            if bad.is_some() {
                let error = got.unwrap_err().to_string();
                prop_assert!(error.contains(&format!("index {n} is out of range for axis {axis}")), "{error}");
                return Ok(());
            }
            let expected: Vec<f32> = (0..count)
                .map(|at| {
                    let mut place = [at / (shape[1] * shape[2]), at / shape[2] % shape[1], at % shape[2]];
                    place[axis] = i64::from(indices[at]).rem_euclid(n) as usize;
                    values[(place[0] * dims[1] + place[1]) * dims[2] + place[2]]
                })
                .collect();
            prop_assert_eq!(got.unwrap().tensors[0].to_f32().unwrap(), expected);
        }
    }

    #[test]
    fn fractional_indices_are_truncated() {
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
        assert!(error.contains("index 9223372036854775807 is out of range for axis 0 (3 entries)"), "{error}");
    }
}
