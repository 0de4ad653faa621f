//! Conversion between plain NCHW and blocks of 16 channels.
use super::{BLOCK, Pixel};
use rayon::prelude::*;

/// Number of pixels that are transposed together: one cache line per channel.
const TILE: usize = 16;

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
    for (i, tile) in out.chunks_mut(TILE).enumerate() {
        let mut block = [[0.0; TILE]; BLOCK];
        for (c, row) in block.iter_mut().enumerate().take(channels) {
            let from = &from[c * area + i * TILE..][..tile.len()];
            match <&[f32; TILE]>::try_from(from) {
                Ok(whole) => *row = *whole,
                Err(_) => row[..from.len()].copy_from_slice(from),
            }
        }
        for (p, pixel) in tile.iter_mut().enumerate() {
            *pixel = std::array::from_fn(|c| block[c][p]);
        }
    }
}

/// Writes all of `out`, which has images x channels x area elements.
pub(in crate::cpu) fn from_blocked(x: &[f32], channels: usize, area: usize, out: &mut [f32]) {
    let (x, blocks) = (x.as_chunks::<BLOCK>().0, channels.div_ceil(BLOCK));
    if area == 0 || blocks == 0 {
        return;
    }
    out.par_chunks_mut(channels * area).enumerate().for_each(|(image, out)| {
        out.par_chunks_mut(BLOCK * area).enumerate().with_min_len(TASK / area + 1).for_each(|(block, out)| {
            from_pixels(&x[(image * blocks + block) * area..][..area], area, out);
        });
    });
}

/// Writes up to 16 channels to `out`, with one row of `area` elements per channel.
fn from_pixels(x: &[Pixel], area: usize, out: &mut [f32]) {
    for (i, tile) in x.chunks(TILE).enumerate() {
        for (c, row) in out.chunks_exact_mut(area).enumerate() {
            let to = &mut row[i * TILE..][..tile.len()];
            to.iter_mut().zip(tile).for_each(|(t, p)| *t = p[c]);
        }
    }
}
