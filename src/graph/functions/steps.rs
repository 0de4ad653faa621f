//! Shared steps of composite functions, each named after the call's output.
use super::lowering::Lowering;
use crate::{
    Tensor,
    base::Result,
    ops::{self, Op},
};

/// Shorthands for the operators of a composite function.
pub(super) struct Steps<'a, 'g>(pub &'a mut Lowering<'g>);

impl Steps<'_, '_> {
    pub fn add(&mut self, name: &str, op: impl Into<Op<Tensor>>) -> Result<Tensor> {
        self.0.step(name, op, None)
    }
    pub fn reshape(&mut self, name: &str, x: Tensor, shape: &[i64]) -> Result<Tensor> {
        self.add(name, ops::Reshape { shape: Some(shape.into()), ..ops::Reshape::new(x) })
    }
    pub fn permute(&mut self, name: &str, x: Tensor, order: &[i64]) -> Result<Tensor> {
        self.add(name, ops::Permute::new(x, order.into()))
    }
    /// Slices one of `rank` axes from `start` to `end`.
    pub fn part(&mut self, name: &str, x: Tensor, rank: usize, axis: usize, [start, end]: [i64; 2]) -> Result<Tensor> {
        let (mut starts, mut ends) = (vec![0; rank], vec![i64::MAX; rank]);
        (starts[axis], ends[axis]) = (start, end);
        self.add(name, ops::Slice::new(x, starts, vec![1; rank], ends))
    }
    pub fn concat(&mut self, name: &str, parts: Vec<Tensor>, axis: i64) -> Result<Tensor> {
        self.add(name, ops::Concat { axis, ..ops::Concat::new(parts) })
    }
    pub fn times(&mut self, name: &str, x: Tensor, factor: f64) -> Result<Tensor> {
        self.add(name, ops::MulConst::new(x, factor))
    }
    pub fn product(&mut self, name: &str, x: Tensor, weight: Tensor, bias: Tensor) -> Result<Tensor> {
        self.add(name, ops::MatMul { bias: Some(bias), ..ops::MatMul::new(x, weight) })
    }
}
