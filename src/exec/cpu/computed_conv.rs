//! Convolutions of floats whose weights are computed while the network runs. Images are laid out in blocks of channels, and weights are
//! packed, in each run.
use super::{
    blocked::{Axis, BLOCK, Conv2d, ConvEpilogue, ConvShape, InstructionSet, Method, from_blocked, to_blocked},
    conv::ConvOperation,
    in_blocks::geometry,
    task::Task,
    workspace::{Workspace, bytes_by, numbers},
};
use crate::{
    Operand,
    array::zeros,
    base::{Result, invalid},
    ops::Conv,
    semantics::{self, AccumKind},
};

/// Minimum number of pixels of the result for which packing pays off.
const FEWEST_PIXELS: usize = 64;
/// Number of elements that Winograd's algorithm has for the 9 of a kernel.
const FREQUENCIES: usize = 16;

/// A convolution whose weights are packed in each run.
pub(super) struct ComputedConv {
    shape: ConvShape,
    method: Method,
}

impl ComputedConv {
    /// Returns `None` if the weights are constant, or packing them would not pay off.
    pub fn new(op: &Conv<Operand>) -> Option<ComputedConv> {
        let shape = geometry(op).ok().flatten()?;
        let method = shape.method()?;
        let pays_off = shape.batch.saturating_mul(area(&shape, |a| a.output)) >= FEWEST_PIXELS;
        let are_reals = semantics::accum_kind(&op.input.ty, &op.filter.ty) == AccumKind::Real;
        (op.filter.constant.is_none() && are_reals && pays_off).then_some(ComputedConv { shape, method })
    }

    /// Number of floats of the images and of the result in blocks of channels.
    fn sizes(&self) -> [usize; 2] {
        let g = &self.shape;
        let blocked = |channels: usize, area: usize| {
            g.batch.saturating_mul(channels.next_multiple_of(BLOCK)).saturating_mul(area)
        };
        // The first layer reads images as they are.
        let images = if self.method == Method::First { 0 } else { blocked(g.ic, area(g, |a| a.input)) };
        [images, blocked(g.oc, area(g, |a| a.output))]
    }

    /// Images and result in blocks, the packed weights, and what the convolution itself needs.
    pub fn workspace(&self, filter: &Operand) -> Workspace {
        let (g, [images, result]) = (&self.shape, self.sizes());
        // Channels of each group are packed in blocks, but for one input channel per group.
        let taps = [g.slices, g.rows, g.cols].iter().fold(1, |taps, axis| taps * axis.kernel);
        let (ic, oc) = (g.ic / g.group, g.oc / g.group);
        let ic = if ic == 1 { 1 } else { ic.next_multiple_of(BLOCK) };
        let of_channel = ic.saturating_mul(taps.max(if taps == 9 { FREQUENCIES } else { 0 }));
        let weights = g.group.saturating_mul(oc.next_multiple_of(BLOCK)).saturating_mul(of_channel);
        // What is needed beside these does not depend on the values of the weights.
        let (shape, elements) = (*g, filter.ty.elements());
        let own = move || {
            let conv = zeros::<f32>(elements).and_then(|zeros| packed(shape, &zeros));
            conv.map_or(u64::MAX, |conv| conv.workspace())
        };
        numbers(images.saturating_add(result), 4) + numbers(weights, 4) + bytes_by(own)
    }

    /// Computes the result.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn run(&self, t: &mut Task, c: &ConvOperation) -> Result<()> {
        let (x, w) = (t.reals(c.input)?, t.reals(c.filter)?);
        let ([images, result], g) = (self.sizes(), &self.shape);
        let conv = packed(*g, &w)?;
        let mut memory = t.scratch(images + result + conv.scratch())?;
        let (blocks, memory) = memory.floats()?.split_at_mut(images);
        let (result, scratch) = memory.split_at_mut(result);
        let x = if self.method == Method::First {
            &*x
        } else {
            to_blocked(&x, g.ic, area(g, |a| a.input), blocks);
            &*blocks
        };
        conv.run(x, None, result, scratch, &|_, _| {})?;
        c.write(t, |out| {
            from_blocked(result, g.oc, area(g, |a| a.output), out);
            Ok(())
        })
    }
}

fn packed(shape: ConvShape, weights: &[f32]) -> Result<Conv2d> {
    let conv = Conv2d::new(InstructionSet::best(), shape, weights, ConvEpilogue::default())?;
    conv.ok_or_else(|| invalid("no convolution on blocks of channels"))
}

/// Number of pixels of an image or of the result.
fn area(g: &ConvShape, size: impl Fn(&Axis) -> usize) -> usize {
    [&g.slices, &g.rows, &g.cols].into_iter().map(size).fold(1, usize::saturating_mul)
}
