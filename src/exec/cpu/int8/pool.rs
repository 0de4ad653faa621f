//! Max pooling of bytes with channels last.
use super::ByteOperand;
use crate::{array::ArrayMut, cpu::blocked::Axis};
use rayon::prelude::*;

/// A prepared max pool, whose operand and result have the same scale and zero point.
pub(in crate::cpu) struct MaxPoolBytes {
    pub input: ByteOperand,
    pub channels: usize,
    pub rows: Axis,
    pub cols: Axis,
}

impl MaxPoolBytes {
    /// Writes all of `out`. A window outside of the image has the smallest value.
    pub fn run(&self, images: &[u8], out: &mut ArrayMut) {
        let MaxPoolBytes { input, channels, rows, cols } = self;
        let size = rows.input * cols.input * channels;
        let lines = out.bytes().par_chunks_mut((cols.output * channels).max(1));
        lines.enumerate().for_each(|(i, out)| {
            let (image, row) = (&images[i / rows.output * size..][..size], i % rows.output);
            let (first, end) = rows.inside(row);
            for (col, out) in out.chunks_exact_mut(*channels).enumerate() {
                // The smallest one as uint8.
                out.fill(0);
                let (left, right) = cols.inside(col);
                for (a, b) in (first..end).flat_map(|a| (left..right).map(move |b| (a, b))) {
                    let y = row * rows.stride + a * rows.dilation - rows.pad;
                    let x = col * cols.stride + b * cols.dilation - cols.pad;
                    let from = &image[(y * cols.input + x) * channels..][..*channels];
                    out.iter_mut().zip(from).for_each(|(o, v)| *o = (*o).max(v ^ input.flip));
                }
                if input.flip != 0 {
                    out.iter_mut().for_each(|o| *o ^= input.flip);
                }
            }
        });
    }
}
