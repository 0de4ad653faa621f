//! Convolution and pooling of float32 activations in channel-blocked layout, with blocks of 16.
//!
//! **Layout.** An activation is `[image][ceil(channels / 16)][row][column][16]`, and a volume of several slices is
//! `[image][ceil(channels / 16)][slice][row][column][16]`: a pixel of a block is 16 contiguous
//! floats, one cache line, which is one vector of AVX-512, two of AVX2 and four of NEON. One input value times a vector
//! of weights contributes to 16 output channels, and no data has to be rearranged first (im2col writes each value once
//! for every element of the kernel). Channels after the last are 0, and every kernel here writes them as 0. Activations
//! need no alignment, but those aligned to 64 bytes are faster, by a fifth for depthwise convolution: a pixel then
//! occupies one cache line, not two halves.
//!
//! **Files.** `layout` converts from and to plain NCHW. `winograd` is 3x3 convolution with fewer multiplications.
//! `conv` is the direct convolution (any kernel, 1x1, and the first layer of a network, which reads plain NCHW), `parts`
//! divides its result among tasks, `band` prepares its input rows, and `tile` is its inner loop. `deconv` is transposed
//! convolution, one `conv` per phase. `one_pixel` is for kernels as large as the image, `pixel_rows` for those of several
//! images, and `patches` for the first layer of a vision transformer.
//! `depthwise` is depthwise convolution, `expanded` that of another convolution's result, `narrow` is for groups of 2, 4 or
//! 8 channels, `halves` for groups that end with half a block, `grouped` for others, `pool` is max and average pooling, and
//! `channels` gathers channels of other activations. `product` multiplies plain rows by a packed matrix with the same inner
//! loop, `strips` by a matrix that is packed in each run, `small` rows by a small matrix, `tiny` many pairs of tiny
//! matrices, `one_row` a single row by a plain one, `one_column` rows by a single column, and `four_bits` few rows by a
//! matrix of 4-bit integers.
//! `attention` computes the weights of each head, and `attention_head` its products: by `small`, for many queries by
//! `product`, and for fewer than 8 by `few_queries_attention`, which reads keys and values where they are. `rows` has
//! softmax and norms, `pixel_norm` and `group_norm` those over channels, `exp` the exponentials for both, `functions`
//! functions of each number, and `each` loops for other ones. `simd` selects the instruction set.
//! Element-wise operators such as additions and Relu do not depend on the layout, and run on blocked activations
//! unchanged.
//!
//! Each value is computed by the same steps in the same order for any number of threads, so the results are
//! bit-identical.
#![allow(clippy::needless_range_loop, reason = "sums in registers are indexed by numbers that the compiler knows")]

mod attention;
mod attention_head;
mod axes;
mod band;
mod channels;
mod conv;
mod deconv;
mod depthwise;
mod each;
mod exp;
mod expanded;
mod few_queries_attention;
mod four_bits;
mod functions;
mod group_norm;
mod grouped;
mod halves;
mod layout;
mod narrow;
mod one_column;
mod one_pixel;
mod one_row;
mod parts;
mod patches;
mod pixel_norm;
mod pixel_rows;
mod pool;
mod product;
mod rows;
mod simd;
mod small;
mod strips;
mod tile;
mod tiny;
mod winograd;

#[cfg(test)]
mod tests;

use crate::{base::Result, ops::Window};

pub(super) use attention::{Attention, Heads};
pub(super) use channels::ChannelGather;
pub(super) use deconv::Deconv2d;
pub(super) use each::{fill_each, replace_each, replace_each_with, replace_each_with_two};
pub(super) use exp::{fold_lanes, fold_pixel};
pub(super) use expanded::ExpandedDepthwise;
pub(super) use four_bits::FourBits;
pub(super) use functions::{Apply, Function};
pub(super) use group_norm::GroupNorm;
use grouped::Grouped;
use halves::Halves;
pub(super) use layout::{from_blocked, to_blocked};
pub(super) use one_column::{is_column, product_of_column};
use one_pixel::OnePixel;
pub(super) use one_row::product_of_row;
use patches::{by_columns, has_columns_of};
pub(super) use pixel_norm::PixelNorm;
use pixel_rows::PixelRows;
pub(super) use pool::{Pool2d, PoolKind, larger};
pub(super) use product::PackedB;
pub(super) use rows::{
    RowNorm, SOFTMAX_COLUMNS, Softmax, SoftmaxOfColumns, SoftmaxOfFewColumns, load_padded, store_within,
};
pub(super) use simd::InstructionSet;
pub(super) use small::SmallB;
pub(super) use strips::{product_of_strips, strip_size};
use tile::Place;
pub(super) use tiny::TinyMatrices;
use winograd::Winograd;

/// Channels per block.
pub(super) const BLOCK: usize = 16;

/// The channels of a block at one position.
pub(super) type Pixel = [f32; BLOCK];

/// Maximum size of an axis, including padding, so that products of sizes cannot overflow. Larger axes are left to other
/// kernels.
const LONGEST: i64 = 1 << 20;

/// Minimum number of multiply-adds per task.
const TASK: usize = 1 << 19;
/// Minimum number of multiply-adds per task if there are more tasks than threads.
const LONG_TASK: usize = 1 << 22;

/// Returns the number of tasks that a computation is divided into.
fn task_count(multiply_adds: usize) -> usize {
    task_count_of(multiply_adds, [TASK, LONG_TASK])
}

/// Returns the number of tasks, given the minimum work of a task, and of a task if there are more than threads. Long computations have
/// more tasks than threads, which balances the load when a thread is interrupted; short ones would lose more to the additional tasks.
pub(super) fn task_count_of(work: usize, [short, long]: [usize; 2]) -> usize {
    let threads = rayon::current_num_threads();
    let most = if threads == 1 { 1 } else { (work / long).clamp(threads, 4 * threads) };
    without_remainder((work / short).clamp(1, most))
}

/// Rounds a number of tasks down to a multiple of the threads: with one task left over, all threads but one would wait for it.
fn without_remainder(tasks: usize) -> usize {
    let threads = rayon::current_num_threads();
    if tasks > threads { tasks - tasks % threads } else { tasks }
}

/// Rounds the number of parts of each of `others` up, so that the total is a multiple of the threads. Returns `parts` if the total is
/// not above the number of threads, or if that would more than double it.
fn even_parts(parts: usize, others: usize) -> usize {
    let threads = rayon::current_num_threads();
    if parts.saturating_mul(others) <= threads {
        return parts;
    }
    let is_even = |step: &usize| (others % threads * step).is_multiple_of(threads);
    let even = parts.next_multiple_of((1..threads).find(is_even).unwrap_or(threads));
    if even <= 2 * parts { even } else { parts }
}

/// Returns the bytes of workspace of all threads, given those of one.
pub(super) fn for_all_threads(bytes: u64) -> u64 {
    bytes.saturating_mul(rayon::current_num_threads() as u64)
}

/// Zeroes the channels after the last in the last block: infinity times a weight of 0 would be NaN.
pub(super) fn clear_beyond(channels: usize, block: &mut [Pixel]) {
    let first = channels % BLOCK;
    if first > 0 {
        block.iter_mut().for_each(|pixel| pixel[first..].fill(0.0));
    }
}

/// The lanes of an activation after its last channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Padding {
    pub channels: usize,
    /// Number of pixels of a plane.
    pub area: usize,
}

impl Padding {
    /// Zeroes the padding in a part of the activation, which begins with the element `first`, a multiple of [`BLOCK`].
    pub fn clear(&self, first: usize, values: &mut [f32]) {
        let blocks = self.channels.div_ceil(BLOCK);
        let (mut pixels, mut at) = (values.as_chunks_mut::<BLOCK>().0, first / BLOCK);
        while !pixels.is_empty() {
            let (now, rest) = pixels.split_at_mut((self.area - at % self.area).min(pixels.len()));
            if at / self.area % blocks == blocks - 1 {
                clear_beyond(self.channels, now);
            }
            (pixels, at) = (rest, at + now.len());
        }
    }
}

/// A sliding window along one axis.
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
    /// An axis of one element, for images with fewer axes.
    pub const ONE: Axis = Axis { input: 1, kernel: 1, stride: 1, dilation: 1, pad: 0, output: 1 };

    /// Whether the axis has one element, without padding.
    fn is_one(&self) -> bool {
        [self.input, self.kernel, self.pad, self.output] == [1, 1, 0, 1]
    }

    /// Whether each window is one element, and each element a window.
    pub fn is_identity(&self) -> bool {
        [self.kernel, self.stride, self.pad] == [1, 1, 0] && self.input == self.output
    }

    /// Returns `None` if the axis is empty or too long for these kernels.
    ///
    /// # Errors
    /// Returns an error if the window does not fit.
    pub fn new(w: &Window) -> Result<Option<Axis>> {
        Axis::up_to(LONGEST, w)
    }
    /// The axis of a window whose sizes are known to be in range.
    fn of(w: &Window, output: usize) -> Axis {
        Axis {
            input: w.input,
            kernel: w.kernel as usize,
            stride: w.stride as usize,
            dilation: w.dilation as usize,
            pad: w.pads[0] as usize,
            output,
        }
    }
    /// The extent of all windows, including padding.
    pub fn len(&self) -> usize {
        (self.output - 1) * self.stride + (self.kernel - 1) * self.dilation + 1
    }
    /// The range of positions at which the whole window is inside the input.
    fn whole(&self) -> (usize, usize) {
        let room = (self.input + self.pad).checked_sub((self.kernel - 1) * self.dilation + 1);
        let to = room.map_or(0, |room| room / self.stride + 1).min(self.output);
        (self.pad.div_ceil(self.stride).min(to), to)
    }
    /// The positions from `from` to `to` at which an element of the kernel is inside the input, for a stride of 1.
    fn covered(&self, element: usize, (from, to): (usize, usize)) -> std::ops::Range<usize> {
        let offset = element * self.dilation;
        let (first, end) = (self.pad.saturating_sub(offset), (self.input + self.pad).saturating_sub(offset));
        from.max(first)..to.min(end).max(from.max(first))
    }
    /// Returns the place of a kernel element at a position. Returns `None` if it is outside the input.
    fn place(&self, position: usize, element: usize) -> Option<usize> {
        let place = (position * self.stride + element * self.dilation).checked_sub(self.pad)?;
        (place < self.input).then_some(place)
    }
    /// The range of kernel elements that are inside the input at a position.
    pub fn inside(&self, position: usize) -> (usize, usize) {
        let start = position * self.stride;
        // A division takes longer than the rest of this.
        let elements = |n: usize| if self.dilation == 1 { n } else { n.div_ceil(self.dilation) };
        let from = elements(self.pad.saturating_sub(start));
        let to = elements((self.input + self.pad).saturating_sub(start)).min(self.kernel);
        (from.min(to), to)
    }
}

/// The shape of a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConvShape {
    pub batch: usize,
    /// Input and output channels of all groups together.
    pub ic: usize,
    pub oc: usize,
    pub group: usize,
    /// The axis of the slices, [`Axis::ONE`] for images.
    pub slices: Axis,
    pub rows: Axis,
    pub cols: Axis,
}

impl ConvShape {
    /// Number of input channels of a group.
    fn ic_of_group(&self) -> usize {
        self.ic / self.group
    }
    /// Number of output channels of a group.
    fn oc_of_group(&self) -> usize {
        self.oc / self.group
    }
    /// Number of elements of a slice of the kernel.
    fn taps(&self) -> usize {
        self.rows.kernel * self.cols.kernel
    }
    /// Number of pixels of a plane of the result, which is one slice of a block.
    fn pixels(&self) -> usize {
        self.rows.output * self.cols.output
    }
    /// The place of a result that is all of its planes.
    fn place(&self) -> Place {
        Place::whole([self.slices.output, self.rows.output, self.cols.output])
    }
    /// Number of pixels of a plane of the input.
    fn area(&self) -> usize {
        self.rows.input * self.cols.input
    }
    /// Returns the shape with a sequence as a column: bands of rows divide the work. Depthwise convolution computes neighboring pixels
    /// of a row at once, so there a sequence is a row.
    pub fn oriented(self) -> ConvShape {
        let is_depthwise = self.method() == Some(Method::Depthwise);
        let across = if is_depthwise { self.cols } else { self.rows };
        if across.is_one() { ConvShape { rows: self.cols, cols: self.rows, ..self } } else { self }
    }
    /// Whether windows of an image have gaps between their pixels, and are next to each other. Columns are left out: there, other
    /// windows of the same band see the pixels in the gaps.
    fn is_dilated(&self) -> bool {
        let is_wide = self.rows.dilation.max(self.cols.dilation) > 1 && self.taps() > 1;
        self.is_flat() && is_wide && self.rows.stride * self.cols.stride == 1 && !self.cols.is_one()
    }
    /// Whether the input has one slice, without padding.
    fn is_flat(&self) -> bool {
        self.slices.is_one()
    }
    /// Returns `None` if the convolution is empty, or if its groups have too few channels. Groups may have a single input channel, those
    /// of images 2, 4 or 8 inputs and as many outputs, and those of volumes 2 or more of each if their padding is not too large.
    pub fn method(&self) -> Option<Method> {
        let blocks = |channels: usize| (channels / self.group).is_multiple_of(BLOCK);
        match () {
            () if [self.batch, self.ic, self.oc, self.group].contains(&0) => None,
            () if self.group > 1 && self.group == self.ic && self.oc.is_multiple_of(self.ic) => Some(Method::Depthwise),
            () if self.group == 1 && self.ic <= conv::FEW => Some(Method::First),
            () if self.group == 1 || (blocks(self.ic) && blocks(self.oc)) => Some(Method::General),
            () if self.is_flat() && self.ic == self.oc && [2, 4, 8].contains(&(self.ic / self.group)) => {
                Some(Method::Narrow)
            }
            () => {
                let fewest = self.ic_of_group().min(self.oc_of_group());
                let is_small = fewest >= FEWEST_OF_VOLUMES && Grouped::scratch_of(self) <= LARGEST_OF_FEW;
                (fewest >= FEWEST || !self.is_flat() && is_small).then_some(Method::Grouped)
            }
        }
    }
}

/// How a convolution is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    /// Blocked input and blocked result.
    General,
    /// Plain NCHW input of few channels; the result is blocked.
    First,
    /// One input channel per group, and any number of output channels.
    Depthwise,
    /// Groups of 2, 4 or 8 channels of images.
    Narrow,
    /// Groups of [`FEWEST`] channels and more, or [`FEWEST_OF_VOLUMES`].
    Grouped,
}

/// Minimum number of input and output channels per group for [`Method::Grouped`]: with fewer it would mostly compute padding.
const FEWEST: usize = 5;
/// The same for volumes: the plain layout would take longer than computing padding.
const FEWEST_OF_VOLUMES: usize = 2;
/// Maximum number of floats of scratch memory for groups of fewer than [`FEWEST`] channels, most of which are padding.
const LARGEST_OF_FEW: usize = 1 << 26;

/// A convolution with its weights packed for the instruction set.
pub(super) struct Conv2d {
    form: Form,
}

enum Form {
    General(conv::Direct<BLOCK>),
    Winograd(winograd::Winograd),
    OnePixel(OnePixel),
    PixelRows(PixelRows),
    First(conv::Direct<1>),
    /// 4 columns of the input stand for channels.
    FirstBy4(conv::Direct<4>),
    /// 16 columns of the input stand for channels.
    FirstBy16(conv::Direct<BLOCK>),
    Depthwise(depthwise::Depthwise),
    Narrow(narrow::Narrow),
    Halves(Halves),
    Grouped(Grouped),
}

impl Form {
    /// Packs the weights of one group, or of groups with blocks of their own.
    fn general(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Form> {
        Ok(match () {
            () if OnePixel::supports(&g) => Form::OnePixel(OnePixel::new(isa, g, weights, end)?),
            () if PixelRows::supports(&g) => Form::PixelRows(PixelRows::new(isa, g, weights, end)?),
            () if Winograd::is_faster(isa, &g, weights) => Form::Winograd(Winograd::new(isa, g, weights, end)?),
            () => Form::General(conv::Direct::new(isa, g, weights, end)?),
        })
    }
    /// Packs the weights of a convolution whose input is row-major.
    fn first(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Form> {
        Ok(match () {
            () if has_columns_of::<BLOCK>(&g) => Form::FirstBy16(by_columns(isa, &g, weights, end)?),
            () if has_columns_of::<4>(&g) => Form::FirstBy4(by_columns(isa, &g, weights, end)?),
            () => Form::First(conv::Direct::new(isa, g, weights, end)?),
        })
    }
    /// Bytes of workspace per thread.
    fn workspace(&self) -> u64 {
        match self {
            Form::General(c) | Form::FirstBy16(c) => c.workspace(),
            Form::FirstBy4(c) => c.workspace(),
            Form::Winograd(c) => c.workspace(),
            Form::OnePixel(_) | Form::PixelRows(_) => 0,
            Form::First(c) => c.workspace(),
            Form::Depthwise(c) => c.workspace(),
            Form::Narrow(c) => c.workspace(),
            Form::Halves(c) => c.workspace(),
            Form::Grouped(c) => c.workspace(),
        }
    }
}

/// The epilogue of a convolution: bias, residual (an operand of the run), and Relu, in this order.
#[derive(Clone, Copy, Default)]
pub(super) struct ConvEpilogue<'a> {
    /// One value per output channel.
    pub bias: Option<&'a [f32]>,
    /// Relu with this upper bound, infinity for a plain one.
    pub relu: Option<f32>,
}

/// Called with a part of a result as soon as it is complete, while it is in a near cache: the index of its first element, and
/// the elements.
pub(super) type OnPart<'a> = dyn Fn(usize, &mut [f32]) + Sync + 'a;

impl Conv2d {
    /// Packs the weights, oc x ic/group x slices x rows x columns. Returns `None` if there is no [`ConvShape::method`].
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Option<Conv2d>> {
        let form = match g.method() {
            Some(Method::Depthwise) => Form::Depthwise(depthwise::Depthwise::new(isa, g, weights, end)?),
            Some(Method::Narrow) => Form::Narrow(narrow::Narrow::new(isa, g, weights, end)?),
            Some(Method::First) => Form::first(isa, g, weights, end)?,
            Some(Method::Grouped) if Halves::is_faster(isa, &g, weights) => {
                Form::Halves(Halves::new(isa, g, weights, end)?)
            }
            Some(Method::Grouped) => Form::Grouped(Grouped::new(isa, g, weights, end)?),
            Some(Method::General) => Form::general(isa, g, weights, end)?,
            None => return Ok(None),
        };
        Ok(Some(Conv2d { form }))
    }
    /// Number of floats of scratch memory.
    pub fn scratch(&self) -> usize {
        if let Form::Grouped(c) = &self.form { c.scratch() } else { 0 }
    }
    /// Bytes of workspace, in addition to input and result.
    pub fn workspace(&self) -> u64 {
        let scratch = self.scratch().saturating_mul(size_of::<f32>());
        for_all_threads(self.form.workspace()).saturating_add(scratch as u64)
    }
    /// Writes all of `out`, and calls `on_part` for parts that together are all of it. `residual` is blocked and has the
    /// shape of the result; `scratch` has [`Conv2d::scratch`] floats of any value.
    ///
    /// # Errors
    /// Returns an error if memory for the workspace runs out.
    pub fn run(
        &self,
        x: &[f32],
        residual: Option<&[f32]>,
        out: &mut [f32],
        scratch: &mut [f32],
        on_part: &OnPart,
    ) -> Result<()> {
        let residual = residual.map(|r| r.as_chunks().0);
        let out = out.as_chunks_mut().0;
        match &self.form {
            Form::General(c) | Form::FirstBy16(c) => c.run(x.as_chunks().0, residual, out, on_part),
            Form::FirstBy4(c) => c.run(x.as_chunks().0, residual, out, on_part),
            Form::Winograd(c) => c.run(x.as_chunks().0, residual, out, on_part),
            Form::OnePixel(c) => c.run(x, residual, out, on_part),
            Form::PixelRows(c) => c.run(x, residual, out, on_part),
            Form::First(c) => c.run(x.as_chunks().0, residual, out, on_part),
            Form::Depthwise(c) => c.run(x.as_chunks().0, residual, out, on_part),
            Form::Narrow(c) => c.run(x.as_chunks().0, residual, out, on_part),
            Form::Halves(c) => c.run(x.as_chunks().0, residual, out, on_part),
            Form::Grouped(c) => c.run(x, residual, out, scratch, on_part),
        }
    }
}
