//! Gathers channels of activations: concatenations, splits, slices and shuffles.
use super::{BLOCK, OnPart, Pixel, clear_beyond};
use rayon::prelude::*;

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

/// A block of the result, in runs of as many lanes as possible.
struct Block {
    /// Number of lanes per run, a power of two.
    lanes: usize,
    runs: Vec<Run>,
}

/// Adjacent lanes of a source.
struct Run {
    source: usize,
    block: usize,
    lane: usize,
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
        let is_run = |run: &[(usize, usize)], lanes: usize| {
            let (source, first) = run[0];
            first % BLOCK + lanes <= BLOCK && run.iter().enumerate().all(|(i, c)| *c == (source, first + i))
        };
        let lanes = [BLOCK, 8, 4, 2].into_iter().find(|&n| channels.chunks(n).all(|run| is_run(run, n))).unwrap_or(1);
        let run = |&(source, channel): &(usize, usize)| Run { source, block: channel / BLOCK, lane: channel % BLOCK };
        Block { lanes, runs: channels.iter().step_by(lanes).map(run).collect() }
    }
    /// Writes all runs of these pixels. `source` returns the pixels of a run's block, beginning with the same one.
    fn write<'x>(&self, source: impl Fn(&Run) -> &'x [Pixel], out: &mut [Pixel]) {
        for (run, place) in self.runs.iter().zip((0..).step_by(self.lanes)) {
            let x = &source(run)[..out.len()];
            match self.lanes {
                BLOCK => out.copy_from_slice(x),
                8 => copy::<8>(x, run.lane, out, place),
                4 => copy::<4>(x, run.lane, out, place),
                2 => copy::<2>(x, run.lane, out, place),
                _ => copy::<1>(x, run.lane, out, place),
            }
        }
    }
}

/// Copies `N` lanes of each pixel, from lane `lane` to lane `place`.
fn copy<const N: usize>(x: &[Pixel], lane: usize, out: &mut [Pixel], place: usize) {
    assert!(lane + N <= BLOCK && place + N <= BLOCK);
    for (out, x) in out.iter_mut().zip(x) {
        out[place..place + N].copy_from_slice(&x[lane..lane + N]);
    }
}
