//! Type rules of ops that reorder entries and channels.
use super::{
    Depth2Space, Reverse, ShuffleChannel, SwapChannel, SwapDimInner,
    types::{Types, Value, axis, channels, of_dtype, same},
};
use crate::base::{Result, argument, invalid, shape_text};

/// Returns the input's shape.
pub(super) fn reverse(op: &Reverse<Value>) -> Types {
    axis("axis", op.axis, op.input.shape.len())?;
    same(&op.input)
}

/// Returns the input's shape.
pub(super) fn swap_dim_inner(op: &SwapDimInner<Value>) -> Types {
    let (input, offset) = (op.input.shape, &op.offset);
    let within = |(&n, &dim): (&i64, &usize)| usize::try_from(n).is_ok_and(|n| n < dim);
    if offset.len() != input.len() || !offset.iter().zip(input).all(within) {
        let expected = format!("expected one for each axis of {}, from 0 to its last entry", shape_text(input));
        return Err(argument("offset", format!("{offset:?}"), expected));
    }
    same(&op.input)
}

/// Returns the input's shape.
pub(super) fn shuffle_channel(op: &ShuffleChannel<Value>) -> Types {
    let channels = channels(&op.input)?;
    if !usize::try_from(op.group).is_ok_and(|g| g > 0 && channels.is_multiple_of(g)) {
        return Err(argument("group", op.group, format!("it must divide the {channels} channels")));
    }
    same(&op.input)
}

/// Returns the input's shape.
pub(super) fn swap_channel(op: &SwapChannel<Value>) -> Types {
    let (channels, order) = (channels(&op.input)?, &op.channel_order);
    if order.len() != channels || !order.iter().all(|&c| usize::try_from(c).is_ok_and(|c| c < channels)) {
        let expected = format!("expected {channels} numbers of channels, from 0 to {}", channels - 1);
        return Err(argument("channel_order", format!("{order:?}"), expected));
    }
    same(&op.input)
}

/// Sizes of a batch of images in NCHW or NHWC order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Image {
    /// Number of images: the product of all leading axes.
    pub count: usize,
    /// Channels.
    pub channels: usize,
    /// Height.
    pub height: usize,
    /// Width.
    pub width: usize,
}

impl Image {
    fn of(shape: &[usize], is_nchw: bool) -> Option<Image> {
        let (outer, [a, b, c]) = shape.split_last_chunk::<3>()?;
        let count = outer.iter().product();
        let (channels, height, width) = if is_nchw { (*a, *b, *c) } else { (*c, *a, *b) };
        Some(Image { count, channels, height, width })
    }
}

/// Returns the sizes of the input and the result of [`Depth2Space`].
///
/// # Errors
/// Returns an error if the input has fewer than three axes, or if the blocks do not divide it.
pub fn depth_to_space<V>(shape: &[usize], op: &Depth2Space<V>) -> Result<(Image, Image)> {
    let Some(from) = Image::of(shape, op.in_is_NCHW) else {
        return Err(invalid(format!("the input is {}; expected channels, height and width", shape_text(shape))));
    };
    let block = |name: &str, n: i64| {
        usize::try_from(n).ok().filter(|n| *n > 0).ok_or_else(|| argument(name, n, "expected at least 1"))
    };
    let (h, w) = (block("block_h", op.block_h)?, block("block_w", op.block_w)?);
    let large = || invalid("the dimensions become larger than can be addressed");
    let all = h.checked_mul(w).ok_or_else(large)?;
    let times = |a: usize, b: usize| a.checked_mul(b).ok_or_else(large);
    let to = if op.is_inversed {
        if !from.height.is_multiple_of(h) || !from.width.is_multiple_of(w) {
            let found = format!("{} x {}", from.height, from.width);
            return Err(invalid(format!("height and width are {found}; blocks of {h} x {w} do not divide them")));
        }
        Image { channels: times(from.channels, all)?, height: from.height / h, width: from.width / w, ..from }
    } else {
        if !from.channels.is_multiple_of(all) {
            let channels = from.channels;
            return Err(invalid(format!("there are {channels} channels; blocks of {h} x {w} do not divide them")));
        }
        Image { channels: from.channels / all, height: times(from.height, h)?, width: times(from.width, w)?, ..from }
    };
    Ok((from, to))
}

/// Returns the leading axes, then channels, height and width in the result's order.
pub(super) fn depth2space(op: &Depth2Space<Value>) -> Types {
    let (_, to) = depth_to_space(op.input.shape, op)?;
    let outer = &op.input.shape[..op.input.shape.len() - 3];
    let image = if op.out_is_NCHW { [to.channels, to.height, to.width] } else { [to.height, to.width, to.channels] };
    of_dtype([outer, &image].concat(), &op.input)
}
