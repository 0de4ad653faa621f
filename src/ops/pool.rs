//! Type rules of pools.
use super::{
    AdaptiveAvgPool, AutoPad, AvgPool, MaxPool, MaxPoolWithMask, MaxUnpool, PoolMask,
    types::{Choice, Inferred, Types, Value, of_dtype},
    window::{Window, in_range},
};
use crate::base::{Dtype, Result, argument, invalid, misfit, pluralized, shape_text};

/// The attributes that pools share.
#[allow(missing_docs, reason = "the ops document them")]
pub struct Pool<'a> {
    pub kernel_shape: &'a [i64],
    pub strides: &'a [i64],
    pub pads: &'a [i64],
    pub auto_pad: Option<AutoPad>,
    pub ceil_mode: bool,
    pub keepdims: bool,
}

impl<'a, V> From<&'a MaxPool<V>> for Pool<'a> {
    fn from(op: &'a MaxPool<V>) -> Self {
        let MaxPool { kernel_shape, strides, pads, ceil_mode, keepdims, auto_pad, .. } = op;
        let (auto_pad, ceil_mode, keepdims) = (*auto_pad, *ceil_mode == Some(true), *keepdims);
        Pool { kernel_shape, strides, pads, auto_pad, ceil_mode, keepdims }
    }
}
impl<'a, V> From<&'a AvgPool<V>> for Pool<'a> {
    fn from(op: &'a AvgPool<V>) -> Self {
        let AvgPool { kernel_shape, strides, pads, ceil_mode, keepdims, auto_pad, .. } = op;
        let (auto_pad, ceil_mode, keepdims) = (*auto_pad, *ceil_mode == Some(true), *keepdims);
        Pool { kernel_shape, strides, pads, auto_pad, ceil_mode, keepdims }
    }
}

/// The tool chain rounds the number of windows down, whatever `ceil_mode` is.
impl<'a, V> From<&'a MaxPoolWithMask<V>> for Pool<'a> {
    fn from(op: &'a MaxPoolWithMask<V>) -> Self {
        let MaxPoolWithMask { kernel_shape, strides, pads, keepdims, auto_pad, .. } = op;
        Pool { kernel_shape, strides, pads, auto_pad: *auto_pad, ceil_mode: false, keepdims: *keepdims }
    }
}

pub(super) fn max_pool(op: &MaxPool<Value>) -> Types {
    pool(&op.input, &op.into())
}

pub(super) fn avg_pool(op: &AvgPool<Value>) -> Types {
    pool(&op.input, &op.into())
}

/// Returns the pool's result and its mask, which is int32 or, from some converters, of the values' float dtype.
pub(super) fn max_pool_with_mask(op: &MaxPoolWithMask<Value>) -> Types {
    let shape = shape(&op.input, &op.into())?;
    let mask = if op.input.dtype == Dtype::Float16 { MASKS } else { &MASKS[..2] };
    let output = Inferred { shape: shape.clone(), dtype: Choice::Is(op.input.dtype) };
    Ok(vec![output, Inferred { shape, dtype: Choice::OneOf(mask) }])
}

/// Returns `output_size` windows; -1 keeps the size of an axis.
pub(super) fn adaptive_avg_pool(op: &AdaptiveAvgPool<Value>) -> Types {
    let (shape, size) = (op.input.shape, &op.output_size);
    if !(3..=5).contains(&shape.len()) || size.len() != shape.len() - 2 {
        let found = shape.len();
        let problem =
            format!("is {size:?}; the input has {found} dimensions, n x c and 1 to 3 spatial ones, each with a size");
        return Err(misfit("output_size", problem));
    }
    let mut result = shape[..2].to_vec();
    for (i, &n) in size.iter().enumerate() {
        result.push(match usize::try_from(n) {
            Ok(n) if n > 0 => n,
            _ if n == -1 => shape[2 + i],
            _ => return Err(argument("output_size", format!("{size:?}"), "expected numbers of at least 1, or -1")),
        });
    }
    of_dtype(result, &op.input)
}

/// Checks that the input is n x c x h x w.
fn image<'a>(input: &Value<'a>) -> Result<&'a [usize; 4]> {
    let problem = || misfit(input.display_name, format!("is {}; expected n x c x h x w", shape_text(input.shape)));
    input.shape.try_into().map_err(|_| problem())
}

fn scaled(name: &str, dim: usize, scale: i64) -> Result<usize> {
    let times = usize::try_from(scale).ok().filter(|s| *s > 0);
    let times = times.ok_or_else(|| argument(name, scale, "expected at least 1"))?;
    let too_large = || argument(name, scale, format!("a dimension of {dim} would grow to more than can be addressed"));
    times.checked_mul(dim).ok_or_else(too_large)
}

pub(super) fn max_unpool(op: &MaxUnpool<Value>) -> Types {
    let &[n, c, h, w] = image(&op.input)?;
    if op.mask.shape != op.input.shape {
        let (mask, input) = (shape_text(op.mask.shape), shape_text(op.input.shape));
        return Err(misfit(
            op.mask.display_name,
            format!("is {mask}; expected {input}, as the {}", op.input.display_name),
        ));
    }
    of_dtype(vec![n, c, scaled("scale_h", h, op.scale_h)?, scaled("scale_w", w, op.scale_w)?], &op.input)
}

/// Rounds height and width up to whole squares.
pub(super) fn pool_mask(op: &PoolMask<Value>) -> Types {
    let &[n, c, h, w] = image(&op.input)?;
    let whole = |dim: usize| {
        let scale = usize::try_from(op.scale).ok().filter(|s| *s > 0);
        let whole = scale.and_then(|s| dim.div_ceil(s).checked_mul(s));
        whole.ok_or_else(|| argument("scale", op.scale, "expected the side of a square, of at least 1"))
    };
    of_dtype(vec![n, c, whole(h)?, whole(w)?], &op.input)
}

/// Returns n x c, then the number of windows along each spatial axis.
fn pool(input: &Value, op: &Pool) -> Types {
    of_dtype(shape(input, op)?, input)
}

fn shape(input: &Value, op: &Pool) -> Result<Vec<usize>> {
    let mut shape = input.shape.get(..2).unwrap_or_default().to_vec();
    for window in pool_windows(input.shape, op)? {
        shape.push(window.positions()?);
    }
    if !op.keepdims {
        while shape.len() > 2 && shape.last() == Some(&1) {
            shape.pop();
        }
    }
    Ok(shape)
}

const MASKS: &[Dtype] = &[Dtype::Int32, Dtype::Float32, Dtype::Float16];

/// Returns the padding that `ceil_mode` adds after an axis, so that rounding down yields the number of windows. The tool
/// chain counts the padding before the axis twice and ignores that after it, which matters only if the two differ.
fn ceil_padding(input: usize, kernel: i64, stride: i64, before: i64) -> i64 {
    let room = (input as i128) + 2 * i128::from(before) - i128::from(kernel);
    let rest = room.rem_euclid(i128::from(stride)) as i64;
    if rest > 0 { stride - rest } else { 0 }
}

/// Returns the windows of a pool, one per spatial axis; an empty kernel covers the input.
///
/// # Errors
/// Returns an error if the input has no spatial axes or more than three, or if the attributes do not fit them.
pub fn pool_windows(input: &[usize], op: &Pool) -> Result<Vec<Window>> {
    let spatial = input.len().saturating_sub(2);
    let (mut kernel, mut strides, mut pads) = (op.kernel_shape.to_vec(), op.strides.to_vec(), op.pads.to_vec());
    if kernel.is_empty() {
        kernel = input.iter().skip(2).map(|&d| d as i64).collect();
        strides = vec![1; spatial];
        pads = vec![0; 2 * spatial];
    }
    if !(1..=3).contains(&spatial) || kernel.len() != spatial || strides.len() != spatial || pads.len() != 2 * spatial {
        return Err(invalid(format!(
            "the input has {}, kernel {kernel:?}, stride {strides:?}, pad {pads:?}; expected n x c x 1 to 3 spatial axes, and for each a kernel, a stride and two pads",
            pluralized(input.len(), "dimension")
        )));
    }
    in_range("kernel_shape", &kernel, 1)?;
    in_range("strides", &strides, 1)?;
    in_range("pads", &pads, 0)?;
    let same = matches!(op.auto_pad, Some(AutoPad::SAMEUPPER | AutoPad::SAMELOWER)) && !op.kernel_shape.is_empty();
    if op.ceil_mode && !same {
        for i in 0..spatial {
            let more = ceil_padding(input[2 + i], kernel[i], strides[i], pads[i]);
            pads[i + spatial] += more;
        }
    }
    let window = |i: usize| Window {
        input: input[2 + i],
        kernel: kernel[i],
        stride: strides[i],
        dilation: 1,
        pads: [pads[i], pads[i + spatial]],
    };
    Ok((0..spatial).map(|i| window(i).padded(op.auto_pad.filter(|_| same))).collect())
}
