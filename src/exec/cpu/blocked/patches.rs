//! Convolutions of few channels whose columns have a large stride, such as the embedding of patches in a vision transformer: groups of
//! neighboring columns are read as the channels of one pixel, so the input needs no conversion.
use super::{Axis, ConvEpilogue, ConvShape, InstructionSet, conv::Direct};
use crate::{array::zeros, base::Result};

/// Whether groups of `C` columns can stand for channels: if no window begins or ends within one.
pub(super) fn has_columns_of<const C: usize>(g: &ConvShape) -> bool {
    let Axis { input, kernel, stride, dilation, pad, .. } = g.cols;
    g.group == 1 && [dilation, pad] == [1, 0] && [input, kernel, stride].iter().all(|n| n.is_multiple_of(C))
}

/// Packs the weights of a convolution that [`has_columns_of`] `C`. Its input is row-major: `[f32; C]` are columns.
///
/// # Errors
/// Returns an error if memory runs out.
pub(super) fn by_columns<const C: usize>(
    isa: InstructionSet,
    g: &ConvShape,
    weights: &[f32],
    end: ConvEpilogue,
) -> Result<Direct<C>> {
    let Axis { input, kernel, stride, .. } = g.cols;
    let cols = Axis { input: input / C, kernel: kernel / C, stride: stride / C, ..g.cols };
    // The weights of channel `c` become those of channels `c * C` to `c * C + C - 1`, each with every `C`-th column.
    let mut reordered = zeros(weights.len())?;
    let of_channel = g.slices.kernel * g.rows.kernel * kernel;
    for (from, to) in weights.chunks_exact(of_channel).zip(reordered.chunks_exact_mut(of_channel)) {
        for (column, to) in to.chunks_exact_mut(of_channel / C).enumerate() {
            to.iter_mut().zip(from[column..].iter().step_by(C)).for_each(|(to, from)| *to = *from);
        }
    }
    Direct::new(isa, ConvShape { ic: g.ic * C, cols, ..*g }, &reordered, end)
}
