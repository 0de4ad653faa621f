//! Simpler forms of ops, which several rules share.
use super::backward::Backward;
use crate::{
    Tensor,
    array::{Array, zeros},
    base::{Error, Result, argument, invalid},
    emit::{Emit, ints},
    ops::{AddConst, Gather, Softmax},
};

/// Number of elements of a matrix that maps an axis; beyond it entries are gathered.
const LARGEST_MATRIX: usize = 1 << 18;
/// Maximum number of entries that are gathered for one of the result.
const MAX_SOURCES: usize = 64;

/// Maximum number of weights of a map of an axis.
const MAX_WEIGHTS: usize = 1 << 26;

fn too_many_weights(size: usize) -> Error {
    let limit = format!(
        "the gradient of its windows would take more than {MAX_WEIGHTS} weights; use shorter windows, or longer steps"
    );
    argument("the size of an axis", size, limit)
}

impl Backward<'_, '_> {
    /// `(x - mean) / sqrt(variance + epsilon)` over the axes. Returns also the mean, and `1 / sqrt(variance + epsilon)`.
    pub fn normalized(&mut self, x: Tensor, axes: &[usize], epsilon: f64) -> Result<[Tensor; 3]> {
        let mean = self.mean(x, axes)?;
        let centered = self.sub(x, mean)?;
        let square = self.square(centered)?;
        let variance = self.mean(square, axes)?;
        let variance = self.op(AddConst::new(variance, epsilon))?;
        let rstd = self.rsqrt(variance)?;
        Ok([self.mul(centered, rstd)?, mean, rstd])
    }
    /// `x * weight + bias`, each reshaped to `shape` and broadcast.
    pub fn affine(
        &mut self,
        x: Tensor,
        weight: Option<Tensor>,
        bias: Option<Tensor>,
        shape: &[usize],
    ) -> Result<Tensor> {
        let mut y = x;
        if let Some(weight) = weight {
            let weight = self.reshape(weight, shape)?;
            y = self.mul(y, weight)?;
        }
        if let Some(bias) = bias {
            let bias = self.reshape(bias, shape)?;
            y = self.add(y, bias)?;
        }
        Ok(y)
    }
    pub fn softmax(&mut self, x: Tensor, axis: usize) -> Result<Tensor> {
        self.op(Softmax::new(x, ints(&[axis])[0]))
    }
}

impl Backward<'_, '_> {
    /// A linear map along an axis: `sources` returns the entries that an entry of the result is the weighted sum of.
    pub fn map_axis(
        &mut self,
        x: Tensor,
        axis: usize,
        size: usize,
        sources: impl Fn(usize) -> Vec<(usize, f64)>,
    ) -> Result<Tensor> {
        let shape = self.shape(x)?;
        let from = shape[axis];
        let all = Self::all_sources(size, sources)?;
        if size == from && all.iter().enumerate().all(|(to, from)| from.as_slice() == [(to, 1.0)]) {
            return Ok(x);
        }
        let most = all.iter().map(Vec::len).max().unwrap_or(0);
        if from.saturating_mul(size) > LARGEST_MATRIX && most <= MAX_SOURCES {
            return self.gathered(x, axis, &all);
        }
        if from.saturating_mul(size) > MAX_WEIGHTS {
            return Err(too_many_weights(size));
        }
        let mut matrix = zeros::<f32>(from * size)?;
        for (to, sources) in all.into_iter().enumerate() {
            sources.into_iter().for_each(|(at, weight)| matrix[at * size + to] += weight as f32);
        }
        let matrix = self.coefficient(Array::from_vec([from, size], matrix)?)?;
        let matrix = self.as_dtype(matrix, self.dtype(x)?)?;
        let last = shape.len() - 1;
        let swapped = self.swap_axes(x, axis, last)?;
        let mapped = self.matmul(swapped, matrix)?;
        self.swap_axes(mapped, axis, last)
    }
    fn all_sources(size: usize, sources: impl Fn(usize) -> Vec<(usize, f64)>) -> Result<Vec<Vec<(usize, f64)>>> {
        let (mut all, mut weights) = (Vec::new(), 0);
        for to in 0..size {
            let of_entry = sources(to);
            weights += of_entry.len();
            if weights > MAX_WEIGHTS {
                return Err(too_many_weights(size));
            }
            all.push(of_entry);
        }
        Ok(all)
    }
    /// Like [`Backward::map_axis`], without a matrix: the weighted sum of the first sources, of the second ones and so on.
    fn gathered(&mut self, x: Tensor, axis: usize, sources: &[Vec<(usize, f64)>]) -> Result<Tensor> {
        let (rank, dtype) = (self.rank(x)?, self.dtype(x)?);
        let mut sum = None;
        for i in 0..sources.iter().map(Vec::len).max().unwrap_or(0) {
            let source = |from: &Vec<(usize, f64)>| from.get(i).copied().unwrap_or((0, 0.0));
            let (indices, weights): (Vec<i32>, Vec<f32>) =
                sources.iter().map(source).map(|(at, weight)| (at as i32, weight as f32)).unzip();
            let is_plain = weights.iter().all(|w| *w == 1.0);
            let indices = self.coefficient(Array::from_vec([sources.len()], indices)?)?;
            let mut part = self.op(Gather { axis: axis as i64, ..Gather::new(x, indices) })?;
            if !is_plain {
                let weights = self.coefficient(Array::from_vec([sources.len()], weights)?)?;
                let weights = self.as_dtype(weights, dtype)?;
                let weights = self.along(weights, axis, rank)?;
                part = self.mul(part, weights)?;
            }
            sum = Some(match sum {
                Some(sum) => self.add(sum, part)?,
                None => part,
            });
        }
        sum.ok_or_else(|| invalid("an axis without entries"))
    }
    /// A band along an axis: each entry of the result is the sum of `before` entries, its own and `after` entries.
    pub fn window_sum(&mut self, x: Tensor, axis: usize, before: usize, after: usize) -> Result<Tensor> {
        let size = self.shape(x)?[axis];
        self.map_axis(x, axis, size, |to| {
            (to.saturating_sub(before)..(to.saturating_add(after).saturating_add(1)).min(size))
                .map(|i| (i, 1.0))
                .collect()
        })
    }
}
