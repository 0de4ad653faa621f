//! Conversion between plain NCHW and blocks of 16 channels.
use super::{
    super::transpose::{Strides, write_transposed},
    BLOCK, Pixel,
};
use rayon::prelude::*;

/// Minimum number of pixels per task.
const TASK: usize = 1 << 10;

/// Writes all of `out`. `x` has images x channels x area elements.
pub(in crate::cpu) fn to_blocked(x: &[f32], channels: usize, area: usize, out: &mut [f32]) {
    let (out, blocks) = (out.as_chunks_mut::<BLOCK>().0, channels.div_ceil(BLOCK));
    if area == 0 || blocks == 0 {
        return;
    }
    let write = |(plane, out): (usize, &mut [Pixel])| {
        let (image, block) = (plane / blocks, plane % blocks);
        let n = (channels - block * BLOCK).min(BLOCK);
        let from = &x[(image * channels + block * BLOCK) * area..][..n * area];
        out.par_chunks_mut(TASK).enumerate().for_each(|(i, out)| to_pixels(&from[i * TASK..], area, n, out));
    };
    out.par_chunks_mut(area).enumerate().with_min_len(TASK / area + 1).for_each(write);
}

/// Reads the pixels of the first channel from the beginning of `from`; each further channel is `area` elements on.
fn to_pixels(from: &[f32], area: usize, channels: usize, out: &mut [Pixel]) {
    if channels < BLOCK {
        out.fill([0.0; BLOCK]);
    }
    let pixels = out.len();
    write_transposed(from, out.as_flattened_mut(), Strides { from: area, to: BLOCK }, pixels, channels);
}

/// Writes all of `out`, which has images x channels x area elements.
pub(in crate::cpu) fn from_blocked(x: &[f32], channels: usize, area: usize, out: &mut [f32]) {
    let (x, blocks) = (x.as_chunks::<BLOCK>().0, channels.div_ceil(BLOCK));
    if area == 0 || blocks == 0 {
        return;
    }
    out.par_chunks_mut(channels * area).enumerate().for_each(|(image, out)| {
        out.par_chunks_mut(BLOCK * area).enumerate().with_min_len(TASK / area + 1).for_each(|(block, out)| {
            let x = x[(image * blocks + block) * area..][..area].as_flattened();
            let channels = out.len() / area;
            write_transposed(x, out, Strides { from: BLOCK, to: area }, channels, area);
        });
    });
}
