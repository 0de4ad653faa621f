use super::{
    builder::{Builder, arguments},
    formula::Finish,
    geometry,
    program::Slot,
    source::{File, file},
};
use crate::{
    base::{Dtype, Result},
    exec::Operand,
    ops::{AdaptiveAvgPool, AvgPool, MaxPool, MaxPoolWithMask, PoolMask, Window, windows},
};

const FILE: File = file!("pool.cu");

/// The kernels' `Windows`, of up to three axes.
fn sliding(b: &mut Builder, windows: &[Window]) -> Result<Slot> {
    let positions = windows.iter().map(|w| Ok(w.positions()? as i64)).collect::<Result<Vec<_>>>()?;
    let with_ones = |numbers: Vec<i64>, otherwise: i64| [vec![otherwise; 3 - numbers.len()], numbers].concat();
    let each = |of: fn(&Window) -> i64, otherwise: i64| with_ones(windows.iter().map(of).collect(), otherwise);
    let (plane, kernel) = (each(|w| w.input as i64, 1), each(|w| w.kernel, 1));
    b.constant(&[plane, with_ones(positions, 1), kernel, each(|w| w.stride, 1), each(|w| w.pads[0], 0)].concat())
}

/// Planes of an image or a batch of them, and a thread for each position of each.
fn planes(input: &Operand) -> usize {
    input.ty.shape[..2].iter().product()
}

pub(super) fn max_pool(op: &MaxPool<Operand>, b: &mut Builder) -> Result<()> {
    let windows = sliding(b, &windows(&op.input.ty.shape, &op.into())?)?;
    let (x, y, n) = (b.reals(&op.input)?, b.real_result(0)?, b.result_type(0)?.elements());
    let arguments = arguments![x, y, y, windows, planes(&op.input), false];
    b.launch(FILE, "max_pool", geometry::elements(n as u64), arguments)?;
    b.store(0, y, Finish::relu(op.do_relu, op.relu_limit).and_round(op.round_mode))
}

pub(super) fn max_pool_with_mask(op: &MaxPoolWithMask<Operand>, b: &mut Builder) -> Result<()> {
    let windows = sliding(b, &windows(&op.input.ty.shape, &op.into())?)?;
    let (x, y, n) = (b.reals(&op.input)?, b.real_result(0)?, b.result_type(0)?.elements());
    let places = b.temporary_reals(n);
    let arguments = arguments![x, y, places, windows, planes(&op.input), true];
    b.launch(FILE, "max_pool", geometry::elements(n as u64), arguments)?;
    b.store_ints(1, Dtype::Int32, places)?;
    b.store(0, y, Finish::relu(op.do_relu, op.relu_limit))
}

pub(super) fn avg_pool(op: &AvgPool<Operand>, b: &mut Builder) -> Result<()> {
    let list = windows(&op.input.ty.shape, &op.into())?;
    let taps = if op.count_include_pad { list.iter().map(|w| w.kernel).product() } else { 0 };
    let windows = sliding(b, &list)?;
    average(b, &op.input, windows, taps, false, Finish::relu(op.do_relu, op.relu_limit).and_round(op.round_mode))
}

pub(super) fn adaptive_avg_pool(op: &AdaptiveAvgPool<Operand>, b: &mut Builder) -> Result<()> {
    let ones = |shape: &[usize]| [vec![1; 5 - shape.len()], shape[2..].iter().map(|d| *d as i64).collect()].concat();
    let (plane, positions) = (ones(&op.input.ty.shape), ones(&b.result_type(0)?.shape));
    let windows = b.constant(&[plane, positions, vec![1; 9]].concat())?;
    average(b, &op.input, windows, 0, true, Finish::default())
}

fn average(b: &mut Builder, input: &Operand, windows: Slot, taps: i64, adaptive: bool, finish: Finish) -> Result<()> {
    let (x, y, n) = (b.reals(input)?, b.real_result(0)?, b.result_type(0)?.elements());
    let arguments = arguments![x, y, windows, planes(input), taps, adaptive];
    b.launch(FILE, "avg_pool", geometry::elements(n as u64), arguments)?;
    b.store(0, y, finish)
}

pub(super) fn pool_mask(op: &PoolMask<Operand>, b: &mut Builder) -> Result<()> {
    let (h, w, scale) = (op.input.ty.shape[2], op.input.ty.shape[3], op.scale as usize);
    let (down, across) = (h.div_ceil(scale), w.div_ceil(scale));
    let (x, y, n) = (b.reals(&op.input)?, b.real_result(0)?, planes(&op.input));
    let arguments = arguments![x, y, n, h, w, down, across, scale];
    b.launch(FILE, "pool_mask", geometry::elements((n * down * across) as u64), arguments)?;
    b.store(0, y, Finish::default())
}
