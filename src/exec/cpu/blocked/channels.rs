//! Gathers channels of activations: concatenations, splits, slices and shuffles.
//!
//! Adjacent channels stay together as far as possible. A shuffle of 2, 4 or 8 groups would move each channel by itself, so the channels of
//! each group are moved to a part of the block, and then those of the parts are interleaved.
use super::{BLOCK, InstructionSet, OnPart, Pixel, clear_beyond};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};

/// Minimum number of pixels per task.
const TASK: usize = 1 << 9;

/// Gathers channels of activations, the sources, into another one.
pub(in crate::cpu) struct ChannelGather {
    /// Number of channels of the result.
    channels: usize,
    /// Number of blocks of each source.
    source_blocks: Vec<usize>,
    /// Where each block of the result comes from.
    blocks: Vec<Block>,
}

/// The runs of which a block of the result consists, each as long as possible.
struct Block {
    runs: Vec<Run>,
    /// Number of parts whose lanes are interleaved after the runs are copied: 1, 2, 4 or 8.
    parts: usize,
}

/// Adjacent lanes of a source.
struct Run {
    source: usize,
    block: usize,
    lane: usize,
    /// Number of lanes.
    lanes: usize,
    /// The first lane that they are copied to.
    to: usize,
}

impl ChannelGather {
    /// `sources` has the number of channels of each source. `channels` has the source of each channel of the result, and the channel's
    /// index in it.
    pub fn new(sources: &[usize], channels: &[(usize, usize)]) -> Self {
        ChannelGather {
            channels: channels.len(),
            source_blocks: sources.iter().map(|channels| channels.div_ceil(BLOCK)).collect(),
            blocks: channels.chunks(BLOCK).map(Block::new).collect(),
        }
    }
    /// Writes all of `out`. Each channel has `area` elements.
    pub fn run(&self, sources: &[&[f32]], area: usize, out: &mut [f32], on_part: &OnPart) {
        let out = out.as_chunks_mut::<BLOCK>().0;
        if area == 0 || out.is_empty() {
            return;
        }
        let planes = out.par_chunks_mut(area).enumerate().with_min_len(TASK / area + 1);
        planes.for_each(|(plane, out)| {
            let (image, block) = (plane / self.blocks.len(), plane % self.blocks.len());
            out.par_chunks_mut(TASK).enumerate().for_each(|(i, out)| {
                let source = |run: &Run| {
                    let plane = image * self.source_blocks[run.source] + run.block;
                    &sources[run.source].as_chunks::<BLOCK>().0[plane * area + i * TASK..]
                };
                self.blocks[block].write(source, out);
                if block + 1 == self.blocks.len() {
                    clear_beyond(self.channels, out);
                }
                on_part((plane * area + i * TASK) * BLOCK, out.as_flattened_mut());
            });
        });
    }
}

impl Block {
    /// Takes the source and the index in it of each channel of the block.
    fn new(channels: &[(usize, usize)]) -> Self {
        let ways = [1, 2, 4, 8].map(|parts| Block { runs: runs(channels, parts), parts });
        // Interleaving takes about the time of copying a run.
        let cost = |block: &Block| block.runs.len() + usize::from(block.parts > 1);
        ways.into_iter().min_by_key(cost).unwrap_or(Block { runs: Vec::new(), parts: 1 })
    }
    /// Writes all runs of these pixels. `source` returns the pixels of a run's block, beginning with the same one.
    fn write<'x>(&self, source: impl Fn(&Run) -> &'x [Pixel], out: &mut [Pixel]) {
        for run in &self.runs {
            let x = &source(run)[..out.len()];
            copy(x, run.lane, out, run.to, run.lanes);
        }
        if self.parts > 1 {
            InstructionSet::best().run(Interleave { parts: self.parts, out });
        }
    }
}

/// Returns the runs of the channels of a block before the lanes of that many parts are interleaved.
fn runs(channels: &[(usize, usize)], parts: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let of_part = BLOCK / parts;
    for to in 0..BLOCK {
        // The last block may have fewer channels.
        let Some(&(source, channel)) = channels.get(to % of_part * parts + to / of_part) else { continue };
        let (block, lane) = (channel / BLOCK, channel % BLOCK);
        match runs.last_mut() {
            Some(run)
                if (run.source, run.block, run.lane + run.lanes, run.to + run.lanes) == (source, block, lane, to) =>
            {
                run.lanes += 1;
            }
            _ => runs.push(Run { source, block, lane, lanes: 1, to }),
        }
    }
    runs
}

/// Interleaves the lanes of 2, 4 or 8 parts of each pixel.
struct Interleave<'a> {
    parts: usize,
    out: &'a mut [Pixel],
}

impl SimdOp for Interleave<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        match self.parts {
            2 => interleave::<2, 8>(self.out),
            4 => interleave::<4, 4>(self.out),
            _ => interleave::<8, 2>(self.out),
        }
    }
}

/// Interleaves the lanes of `P` parts with `N` lanes each. Indices are known at compile time, so that the compiler uses shuffles.
#[inline(always)]
fn interleave<const P: usize, const N: usize>(out: &mut [Pixel]) {
    const { assert!(P * N == BLOCK) };
    for pixel in out {
        let parts = *pixel;
        for n in 0..N {
            for p in 0..P {
                pixel[n * P + p] = parts[p * N + n];
            }
        }
    }
}

/// Copies `lanes` lanes of each pixel, from lane `from` to lane `to`.
fn copy(x: &[Pixel], from: usize, out: &mut [Pixel], to: usize, lanes: usize) {
    match lanes {
        BLOCK => out.copy_from_slice(x),
        8.. => copy_ends::<8>(x, from, out, to, lanes),
        4.. => copy_ends::<4>(x, from, out, to, lanes),
        2.. => copy_ends::<2>(x, from, out, to, lanes),
        _ => copy_ends::<1>(x, from, out, to, lanes),
    }
}

/// Copies the first `N` lanes and the last `N`, which overlap: copies of a constant size are single moves.
fn copy_ends<const N: usize>(x: &[Pixel], from: usize, out: &mut [Pixel], to: usize, lanes: usize) {
    assert!(from + lanes <= BLOCK && to + lanes <= BLOCK && (N..=2 * N).contains(&lanes));
    let rest = lanes - N;
    for (out, x) in out.iter_mut().zip(x) {
        out[to..to + N].copy_from_slice(&x[from..from + N]);
        if rest > 0 {
            out[to + rest..to + rest + N].copy_from_slice(&x[from + rest..from + rest + N]);
        }
    }
}
