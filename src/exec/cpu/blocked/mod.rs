//! Convolutions and pools on float32 activations whose channels stand in blocks of 16.
//!
//! **Layout.** An activation is `[image][ceil(channels / 16)][row][column][16]`: a pixel of a block is 16 neighbours in
//! memory, one cache line, which is a vector of AVX-512, two of AVX2 and four of NEON. So one number of the input times a
//! vector of weights is a step of 16 output channels, and nothing has to be moved into place first (im2col writes each
//! number once for every element of the kernel). Channels beyond the last are 0, and every kernel here writes them as 0.
//! Activations may begin anywhere, but those that begin at a multiple of 64 bytes are faster, depthwise by a fifth: a pixel
//! is then one cache line, not two halves.
//!
//! **Files.** `layout` converts from and to plain NCHW. `conv` is the direct convolution (any kernel, 1x1, and the
//! first layer of a network, which takes plain NCHW), `band` the rows of the input that it works on, `tile` its inner loop.
//! `depthwise` is the convolution of each channel by itself, `pool` has maxima and averages. `product` multiplies plain rows
//! with a packed matrix by the same inner loop, `attention` those of each head, `few_queries_attention` where these are few; `rows` has softmax
//! and norms, `exp` the powers of e for both. `simd` chooses the instruction set. Additions, Relu and the like see no
//! layout, and run on blocked activations as they are.
//!
//! Each number is computed by the same steps in the same order for any number of threads, so the bytes are the same too.
#![allow(clippy::needless_range_loop, reason = "sums in registers are indexed by numbers that the compiler knows")]

mod attention;
mod band;
mod conv;
mod depthwise;
mod exp;
mod few_queries_attention;
mod layout;
mod pool;
mod product;
mod rows;
mod simd;
mod tile;

#[cfg(test)]
mod tests;

use crate::{base::Result, ops::Window};

pub(super) use crate::exec::backend::BLOCK;
pub(super) use attention::{Attention, Heads};
pub(super) use layout::{from_blocked, to_blocked};
pub(super) use pool::{Pool2d, PoolKind};
pub(super) use product::PackedB;
pub(super) use rows::{RowNorm, Softmax};
pub(super) use simd::InstructionSet;

/// The channels of a block at one place.
pub(super) type Pixel = [f32; BLOCK];

/// A side of a plane, padding included, which keeps the products of sizes far from overflow. Larger ones are left to
/// other kernels.
const LONGEST: i64 = 1 << 20;

/// Writes 0 into the channels beyond the last of the last block: infinity times a weight of 0 is NaN.
fn clear_beyond(channels: usize, block: &mut [Pixel]) {
    let first = channels % BLOCK;
    if first > 0 {
        block.iter_mut().for_each(|pixel| pixel[first..].fill(0.0));
    }
}

/// A sliding window along one axis, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub input: usize,
    pub kernel: usize,
    pub stride: usize,
    pub dilation: usize,
    /// Zeros before the first element.
    pub pad: usize,
    /// Number of positions.
    pub output: usize,
}

impl Axis {
    /// None where the axis is empty or too long for these kernels.
    ///
    /// # Errors
    /// The window does not fit.
    pub fn new(w: &Window) -> Result<Option<Axis>> {
        let output = w.positions()?;
        let long = w.input as i64 + w.pads[0] + w.pads[1] > LONGEST || w.stride > LONGEST;
        let axis = |_| Axis {
            input: w.input,
            kernel: w.kernel as usize,
            stride: w.stride as usize,
            dilation: w.dilation as usize,
            pad: w.pads[0] as usize,
            output,
        };
        Ok((!long && w.input > 0).then_some(()).map(axis))
    }
    /// What all windows see, padding included.
    fn len(&self) -> usize {
        (self.output - 1) * self.stride + (self.kernel - 1) * self.dilation + 1
    }
    /// The positions where the whole window lies inside: from, to.
    fn whole(&self) -> (usize, usize) {
        let room = (self.input + self.pad).checked_sub((self.kernel - 1) * self.dilation + 1);
        let to = room.map_or(0, |room| room / self.stride + 1).min(self.output);
        (self.pad.div_ceil(self.stride).min(to), to)
    }
    /// The kernel's elements that lie inside at a position: from, to.
    fn inside(&self, position: usize) -> (usize, usize) {
        let start = position * self.stride;
        let from = self.pad.saturating_sub(start).div_ceil(self.dilation);
        let to = (self.input + self.pad).saturating_sub(start).div_ceil(self.dilation).min(self.kernel);
        (from.min(to), to)
    }
}

/// What is convolved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    pub batch: usize,
    /// Input and output channels, of all groups together.
    pub ic: usize,
    pub oc: usize,
    pub group: usize,
    pub rows: Axis,
    pub cols: Axis,
}

impl Geometry {
    fn taps(&self) -> usize {
        self.rows.kernel * self.cols.kernel
    }
    /// Pixels of a plane of the result.
    fn pixels(&self) -> usize {
        self.rows.output * self.cols.output
    }
    /// Pixels of a plane of the input.
    fn area(&self) -> usize {
        self.rows.input * self.cols.input
    }
    /// None for several groups whose channels are no multiples of 16, nor one channel each.
    pub fn method(&self) -> Option<Method> {
        let blocks = |channels: usize| (channels / self.group).is_multiple_of(BLOCK);
        match () {
            () if [self.batch, self.ic, self.oc, self.group].contains(&0) => None,
            () if self.group > 1 && self.group == self.ic && self.ic == self.oc => Some(Method::Depthwise),
            () if self.group == 1 && self.ic <= conv::FEW => Some(Method::First),
            () if self.group == 1 || (blocks(self.ic) && blocks(self.oc)) => Some(Method::General),
            () => None,
        }
    }
}

/// How a convolution is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    /// From blocks to blocks.
    General,
    /// Of few channels, which are plain NCHW; the result is blocked all the same.
    First,
    /// One channel each.
    Depthwise,
}

/// A convolution with its weights laid out for the instruction set.
pub(super) struct Conv2d {
    form: Form,
}

enum Form {
    General(conv::Direct<BLOCK>),
    First(conv::Direct<1>),
    Depthwise(depthwise::Depthwise),
}

/// What follows the sums of a convolution: the bias, the residual that a run gives, and Relu, in this order.
#[derive(Clone, Copy, Default)]
pub(super) struct ConvEpilogue<'a> {
    /// A number for each output channel.
    pub bias: Option<&'a [f32]>,
    /// Relu with this upper bound, infinity for a plain one.
    pub relu: Option<f32>,
}

impl Conv2d {
    /// Lays out the weights, oc x ic/group x rows x columns. None where there is no [`Geometry::method`].
    ///
    /// # Errors
    /// The memory is not enough.
    pub fn new(isa: InstructionSet, g: Geometry, weights: &[f32], end: ConvEpilogue) -> Result<Option<Conv2d>> {
        let form = match g.method() {
            Some(Method::Depthwise) => Form::Depthwise(depthwise::Depthwise::new(isa, g, weights, end)?),
            Some(Method::First) => Form::First(conv::Direct::new(isa, g, weights, end)?),
            Some(Method::General) => Form::General(conv::Direct::new(isa, g, weights, end)?),
            None => return Ok(None),
        };
        Ok(Some(Conv2d { form }))
    }
    /// Bytes that each thread of a run takes beside input and result.
    pub fn temporary(&self) -> u64 {
        match &self.form {
            Form::General(c) => c.temporary(),
            Form::First(c) => c.temporary(),
            Form::Depthwise(c) => c.temporary(),
        }
    }
    /// Writes all of `out`. `residual` is of the result's shape, and blocked.
    ///
    /// # Errors
    /// The memory for a few rows of the input a thread is not enough.
    pub fn run(&self, x: &[f32], residual: Option<&[f32]>, out: &mut [f32]) -> Result<()> {
        let residual = residual.map(|r| r.as_chunks().0);
        let out = out.as_chunks_mut().0;
        match &self.form {
            Form::General(c) => c.run(x.as_chunks().0, residual, out),
            Form::First(c) => c.run(x.as_chunks().0, residual, out),
            Form::Depthwise(c) => c.run(x.as_chunks().0, residual, out),
        }
    }
}
