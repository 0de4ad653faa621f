//! Grouped convolution when groups are not whole blocks, and neither `narrow` nor `halves` applies: each group's channels are copied
//! to blocks of their own and convolved there, and the results are copied back.
//!
//! Weights of 0 for the other groups of a block would avoid the copies, but infinity times 0 is NaN.
use super::{
    BLOCK, ChannelGather, Conv2d, ConvEpilogue, ConvShape, Form, InstructionSet, OnPart, Pixel,
    tile::{End, Finish},
};
use crate::base::Result;
use rayon::prelude::*;

/// A prepared convolution of sequences, images or volumes.
pub(super) struct Grouped {
    isa: InstructionSet,
    g: ConvShape,
    /// Copies the channels of each group to its blocks.
    before: Vec<ChannelGather>,
    /// The convolution of one image, whose groups have blocks of their own.
    conv: Box<Conv2d>,
    /// Copies the channels of all groups back.
    after: ChannelGather,
    relu: Option<f32>,
}

impl Grouped {
    /// Packs the weights.
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Self> {
        let (ic, oc) = (g.ic_of_group(), g.oc_of_group());
        let of_group = |group: usize| (0..ic).map(|c| (0, group * ic + c)).collect::<Vec<_>>();
        let before = (0..g.group).map(|group| ChannelGather::new(&[g.ic], &of_group(group))).collect();
        let of_result: Vec<_> = (0..g.oc).map(|c| (c / oc, c % oc)).collect();
        let after = ChannelGather::new(&vec![oc; g.group], &of_result);
        let image = ConvShape { batch: 1, ..g };
        let conv = Box::new(Conv2d { form: Form::general(isa, image, weights, ConvEpilogue { relu: None, ..end })? });
        Ok(Grouped { isa, g, before, conv, after, relu: end.relu })
    }

    /// Writes all of `out`, like [`Conv2d::run`].
    pub fn run(
        &self,
        x: &[f32],
        residual: Option<&[Pixel]>,
        out: &mut [Pixel],
        scratch: &mut [f32],
        on_part: &OnPart,
    ) -> Result<()> {
        let [(area, of_input), (pixels, of_output)] = planes(&self.g);
        let (inputs, outputs) = scratch.split_at_mut(self.g.group * of_input);
        let size = self.g.oc.div_ceil(BLOCK) * pixels;
        for (image, out) in out.chunks_exact_mut(size).enumerate() {
            let x = &x[image * self.g.ic.div_ceil(BLOCK) * area * BLOCK..];
            let groups = self.before.par_iter().zip(inputs.par_chunks_exact_mut(of_input));
            groups.for_each(|(gather, to)| gather.run(&[x], area, to, &|_, _| {}));
            self.conv.run(inputs, None, outputs, &mut [], &|_, _| {})?;
            let groups: Vec<&[f32]> = outputs.chunks_exact(of_output).collect();
            let first = image * size;
            self.after.run(&groups, pixels, out.as_flattened_mut(), &|at, part| {
                self.finish(first + at / BLOCK, residual, part.as_chunks_mut().0);
                on_part(first * BLOCK + at, part);
            });
        }
        Ok(())
    }

    /// Applies the epilogue to the pixels from `first` on.
    fn finish(&self, first: usize, residual: Option<&[Pixel]>, part: &mut [Pixel]) {
        let residual = residual.map(|r| &r[first..][..part.len()]);
        if self.relu.is_some() || residual.is_some() {
            self.isa.run(Finish { outs: &mut [part], end: End { residual: residual.as_slice(), relu: self.relu } });
        }
    }

    /// Number of floats of scratch memory: the groups of an image, and those of its result.
    pub fn scratch(&self) -> usize {
        Grouped::scratch_of(&self.g)
    }

    /// Number of floats of scratch memory for a shape.
    pub fn scratch_of(g: &ConvShape) -> usize {
        let [(_, of_input), (_, of_output)] = planes(g);
        g.group.saturating_mul(of_input.saturating_add(of_output))
    }

    /// Bytes of workspace per thread.
    pub fn workspace(&self) -> u64 {
        self.conv.form.workspace()
    }
}

/// Returns the pixels of a plane, and the floats of a group, of the input and of the result.
fn planes(g: &ConvShape) -> [(usize, usize); 2] {
    let of = |channels: usize, pixels: usize| (pixels, pixels.saturating_mul(channels.next_multiple_of(BLOCK)));
    [of(g.ic_of_group(), g.slices.input * g.area()), of(g.oc_of_group(), g.slices.output * g.pixels())]
}
