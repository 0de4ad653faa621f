//! Reductions over axes that are not adjacent, which crash TPU-MLIR 1.30.
use super::{Graph, Replacement, Tensor};
use crate::{
    base::{Dtype, Result},
    ops::{Op, Reduce},
};

impl Graph {
    /// Returns the groups of adjacent axes of a reduction of float32, the last axes first, if there are several.
    pub(super) fn reductions(&self, op: &Reduce<Tensor>) -> Result<Option<Vec<Vec<i64>>>> {
        // Partial results of integers would be rounded or saturate.
        if !self.is_plain(op.input, Dtype::Float32) {
            return Ok(None);
        }
        let rank = self.tensor(op.input)?.shape.len() as i64;
        let mut axes: Vec<i64> = op.axes.iter().map(|axis| if *axis < 0 { axis + rank } else { *axis }).collect();
        axes.sort_unstable();
        let groups: Vec<Vec<i64>> = axes.chunk_by(|a, b| a + 1 == *b).rev().map(<[i64]>::to_vec).collect();
        Ok((groups.len() > 1).then_some(groups))
    }
}

impl Replacement<'_> {
    /// A sum of sums is the sum of all, and so it is with means of equally many numbers, products, extrema and norms.
    pub(super) fn reduce(&mut self, op: &Op<Tensor>, groups: &[Vec<i64>]) -> Result<()> {
        let (Op::Reduce(op), Some((first, others))) = (op, groups.split_last()) else { return Ok(()) };
        let mut shape = self.graph.tensor(op.input)?.shape.clone();
        let mut last = op.input;
        let reduce = |input, axes: &Vec<i64>| Reduce { input, axes: axes.clone(), ..(**op).clone() };
        for axes in others {
            for axis in axes.iter().rev().map(|axis| *axis as usize) {
                if op.keepdims {
                    shape[axis] = 1;
                } else {
                    shape.remove(axis);
                }
            }
            last = self.add("reduced", reduce(last, axes), &shape)?;
        }
        self.finish(reduce(last, first));
        Ok(())
    }
}
