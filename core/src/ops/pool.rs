//! Types of pools.
use super::{
    AvgPool, MaxPool,
    types::{Types, Value, of_dtype},
    window::Window,
};
use crate::base::{Result, counted, invalid};

/// What the pools have in common: attributes of the same names.
#[allow(missing_docs, reason = "the ops document them")]
pub struct Pool<'a> {
    pub kernel_shape: &'a [i64],
    pub strides: &'a [i64],
    pub pads: &'a [i64],
    pub ceil_mode: bool,
    pub keepdims: bool,
}

impl<'a, V> From<&'a MaxPool<V>> for Pool<'a> {
    fn from(op: &'a MaxPool<V>) -> Self {
        let MaxPool { kernel_shape, strides, pads, ceil_mode, keepdims, .. } = op;
        Pool { kernel_shape, strides, pads, ceil_mode: *ceil_mode == Some(true), keepdims: *keepdims }
    }
}
impl<'a, V> From<&'a AvgPool<V>> for Pool<'a> {
    fn from(op: &'a AvgPool<V>) -> Self {
        let AvgPool { kernel_shape, strides, pads, ceil_mode, keepdims, .. } = op;
        Pool { kernel_shape, strides, pads, ceil_mode: *ceil_mode == Some(true), keepdims: *keepdims }
    }
}

pub(super) fn max_pool(op: &MaxPool<Value>) -> Types {
    pool(&op.input, &op.into())
}

pub(super) fn avg_pool(op: &AvgPool<Value>) -> Types {
    pool(&op.input, &op.into())
}

/// n x c, then the number of windows along each spatial axis.
fn pool(input: &Value, op: &Pool) -> Types {
    let mut shape = input.shape.get(..2).unwrap_or_default().to_vec();
    for window in windows(input.shape, op)? {
        shape.push(window.positions()?);
    }
    if !op.keepdims {
        while shape.len() > 2 && shape.last() == Some(&1) {
            shape.pop();
        }
    }
    of_dtype(shape, input)
}

/// What `ceil_mode` adds to the padding after an axis, so that rounding down gives the number of windows. The tool chain
/// counts the padding before the axis twice, and not that after it; only where the two differ does it matter.
fn ceil_padding(input: usize, kernel: i64, stride: i64, before: i64) -> i64 {
    let room = (input as i128) + 2 * i128::from(before) - i128::from(kernel);
    let rest = if stride > 0 { room.rem_euclid(i128::from(stride)) as i64 } else { 0 };
    if rest > 0 { stride - rest } else { 0 }
}

/// The windows of a pool, one a spatial axis; an empty kernel covers the input.
pub fn windows(input: &[usize], op: &Pool) -> Result<Vec<Window>> {
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
            counted(input.len(), "dimension")
        )));
    }
    if op.ceil_mode {
        for i in 0..spatial {
            let more = ceil_padding(input[2 + i], kernel[i], strides[i], pads[i]);
            pads[i + spatial] = pads[i + spatial].saturating_add(more);
        }
    }
    let window = |i: usize| Window {
        input: input[2 + i],
        kernel: kernel[i],
        stride: strides[i],
        dilation: 1,
        pads: [pads[i], pads[i + spatial]],
    };
    Ok((0..spatial).map(window).collect())
}
