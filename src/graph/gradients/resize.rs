//! Gradients of resampling, which is linear along each axis.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    ops::{Interp, Upsample, sample_points},
};

pub(super) fn interp(b: &mut Backward, op: &Interp<Tensor>, o: Output) -> Result<()> {
    let (from, to) = (b.shape(op.input)?, b.shape(o.y)?);
    b.expand(&[Some(o)], |b| {
        let mut y = b.real(op.input)?;
        for axis in from.len().saturating_sub(2).max(2)..from.len() {
            let points = sample_points(from[axis], to[axis], op.mode, op.coord_mode)?;
            y = b.map_axis(y, axis, to[axis], |i| {
                let point = points[i];
                let towards = f64::from(point.towards);
                let next = (towards > 0.0).then_some((point.at + 1, towards));
                [(point.at, 1.0 - towards)].into_iter().chain(next).collect()
            })?;
        }
        Ok(vec![y])
    })
}

/// The sum over each block of copies.
pub(super) fn upsample(b: &mut Backward, op: &Upsample<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let (outer, last) = shape.split_at(shape.len() - 2);
    let rows: usize = outer.iter().product();
    let blocks = [rows * last[0], op.scale_h as usize, last[1], op.scale_w as usize];
    let dy = b.reshape(o.dy, &blocks)?;
    let dx = b.sum(dy, &[1, 3])?;
    let dx = b.reshape(dx, &shape)?;
    b.give(op.input, dx)
}
