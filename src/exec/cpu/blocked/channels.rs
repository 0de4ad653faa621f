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

/// The runs of which a block of the result consists, each as long as possible.
struct Block(Vec<Run>);

/// Adjacent lanes of a source.
struct Run {
    source: usize,
    block: usize,
    lane: usize,
    /// Number of lanes.
    lanes: usize,
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
        let mut runs: Vec<Run> = Vec::new();
        for &(source, channel) in channels {
            let (block, lane) = (channel / BLOCK, channel % BLOCK);
            match runs.last_mut() {
                Some(run) if (run.source, run.block, run.lane + run.lanes) == (source, block, lane) => run.lanes += 1,
                _ => runs.push(Run { source, block, lane, lanes: 1 }),
            }
        }
        Block(runs)
    }
    /// Writes all runs of these pixels. `source` returns the pixels of a run's block, beginning with the same one.
    fn write<'x>(&self, source: impl Fn(&Run) -> &'x [Pixel], out: &mut [Pixel]) {
        let mut place = 0;
        for run in &self.0 {
            let x = &source(run)[..out.len()];
            copy(x, run.lane, out, place, run.lanes);
            place += run.lanes;
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
