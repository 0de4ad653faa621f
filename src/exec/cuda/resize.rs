//! Interpolation.
use super::{
    builder::{Builder, arguments, bits_type},
    formula::PostOp,
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::Operand,
    ops::{GridSampler, Interp, InterpMode, SamplePoint, sample_points},
};

const FILE: File = file!("resize.cu");

/// Uploads the source index of each entry along an axis, and its distance to the next one.
fn tables(b: &mut Builder, places: &[SamplePoint]) -> Result<[Slot; 2]> {
    let at: Vec<i64> = places.iter().map(|p| p.at as i64).collect();
    let towards: Vec<f32> = places.iter().map(|p| p.towards).collect();
    Ok([b.constant(&at)?, b.constant(&towards)?])
}

/// If there are three dimensions, only the last is resampled. Leading dimensions are planes.
pub(super) fn interp(op: &Interp<Operand>, b: &mut Builder) -> Result<()> {
    let (from, to) = (&op.input.ty.shape, &b.result_type(0)?.shape);
    let rank = from.len();
    let (height, down) = if rank > 3 { (from[rank - 2], to[rank - 2]) } else { (1, 1) };
    let (width, across, n) = (from[rank - 1], to[rank - 1], b.result_type(0)?.elements());
    let [columns, sideways] = tables(b, &sample_points(width, across, op.mode, op.coord_mode)?)?;
    let [rows, downwards] = tables(b, &sample_points(height, down, op.mode, op.coord_mode)?)?;
    let geometry = geometry::elements(n as u64);
    if op.mode == InterpMode::Nearest {
        let x = b.converted(&op.input, 0)?;
        let arguments = arguments![x, b.result(0), rows, columns, height, width, down, across, n];
        let function = format!("interp_nearest<{}>", bits_type(b.result_type(0)?.buffer_dtype()));
        return b.launch(FILE, function, geometry, arguments);
    }
    let (x, y) = (b.reals(&op.input)?, b.real_result(0)?);
    let arguments = arguments![x, y, rows, downwards, columns, sideways, height, width, down, across, n];
    b.launch(FILE, "interp_linear", geometry, arguments)?;
    b.store(0, y, PostOp::default())
}

pub(super) fn grid_sampler(op: &GridSampler<Operand>, b: &mut Builder) -> Result<()> {
    let (shape, result) = (&op.input.ty.shape, b.result_type(0)?);
    let [_, channels, spatial @ ..] = shape.as_slice() else { return Ok(()) };
    let [height, width] = [shape[shape.len() - 2], shape[shape.len() - 1]];
    let depth = spatial.iter().product::<usize>() / (height * width);
    let (count, n) = (result.shape[2..].iter().product::<usize>(), result.elements());
    let (x, points, y) = (b.reals(&op.input)?, b.reals(&op.grid)?, b.real_result(0)?);
    let (padding, corners, is_nearest) = (op.padding_mode, op.align_corners, op.mode == 1);
    let arguments = arguments![
        x,
        points,
        y,
        *channels,
        depth,
        height,
        width,
        spatial.len(),
        count,
        padding,
        corners,
        is_nearest,
        n
    ];
    b.launch(FILE, "grid_sample", geometry::elements(n as u64), arguments)?;
    b.store(0, y, PostOp::default())
}
