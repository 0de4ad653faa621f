//! Type rules of image resampling.
use super::{
    GridSampler, Interp, InterpCoordMode, InterpMode,
    types::{Types, Value, of_dtype},
};
use crate::{
    array::reserve,
    base::{Cause, Result, argument, check_rank, misfit, shape_text},
};

/// Maximum number of entries of a resampled axis. Positions are computed in float32, which cannot distinguish larger ones.
const MAX_ENTRIES: f64 = (1u64 << 31) as f64;

/// Resizes the last two axes; with three dimensions, only the last one.
pub(super) fn interp(op: &Interp<Value>) -> Types {
    let mut shape = op.input.shape.to_vec();
    let rank = shape.len();
    if rank < 3 {
        let expected = "n x c, then 1 to 3 spatial axes: at least 3".into();
        return Err(Cause::Rank { argument: op.input.display_name.into(), found: rank, expected }.into());
    }
    if let Some(target) = &op.target_shape {
        shape.truncate(2);
        shape.extend(target_sizes(target, &op.input.shape[2..])?);
        return of_dtype(shape, &op.input);
    }
    for (axis, name, scale) in [(rank - 2, "scale_h", op.scale_h), (rank - 1, "scale_w", op.scale_w)] {
        if axis >= 2 {
            shape[axis] = scaled(name, shape[axis], scale)?;
        }
    }
    of_dtype(shape, &op.input)
}

/// Returns `dim * scale`, rounded down. A product that differs from an integer only by the factor's rounding error is
/// rounded to that integer.
fn scaled(name: &str, dim: usize, scale: f64) -> Result<usize> {
    let product = dim as f64 * scale;
    let nearest = product.round();
    let size = if (product - nearest).abs() <= 1e-12 * product { nearest } else { product.floor() };
    if !(1.0..=MAX_ENTRIES).contains(&size) {
        let expected = format!("an axis of {dim} must get 1 to 2^31 entries");
        return Err(argument(name, format!("{scale:?}"), expected));
    }
    Ok(size as usize)
}

/// Returns the sizes that a coefficient lists for the spatial axes of size `from`. Only the last two can change.
///
/// # Errors
/// Returns an error if the sizes are unknown or invalid.
pub fn target_sizes(target: &Value, from: &[usize]) -> Result<Vec<usize>> {
    let Some(data) = target.data.filter(|_| target.elements() == from.len()) else {
        let expected = format!("expected a coefficient of {} sizes, whose data are known", from.len());
        return Err(misfit(target.display_name, format!("is {}; {expected}", target.text())));
    };
    let mut sizes = Vec::new();
    for (i, size) in data.to_f64()?.into_iter().enumerate() {
        if !((1.0..=MAX_ENTRIES).contains(&size) && size.fract() == 0.0) {
            return Err(misfit(target.display_name, format!("holds {size:?}; expected integers from 1 to 2^31")));
        }
        if i + 2 < from.len() && size != from[i] as f64 {
            let problem = format!("is {size}, but the input has {}; only the last two axes can change", from[i]);
            return Err(misfit(target.display_name, problem));
        }
        sizes.push(size as usize);
    }
    Ok(sizes)
}

/// Returns n x c of the input, then the grid's spatial axes.
pub(super) fn grid_sampler(op: &GridSampler<Value>) -> Types {
    let (input, grid) = (op.input.shape, op.grid.shape);
    check_rank(input.len())?;
    if !(4..=5).contains(&input.len()) {
        let expected = "n x c, then height and width, or depth, height and width: 4 or 5".into();
        return Err(Cause::Rank { argument: op.input.display_name.into(), found: input.len(), expected }.into());
    }
    let spatial = input.len() - 2;
    if grid.len() != input.len() || grid[0] != input[0] || grid[spatial + 1] != spatial {
        let axes = if spatial == 2 { "height x width" } else { "depth x height x width" };
        let problem =
            format!("is {}; expected {} x {axes} x {spatial}, a point for each entry", shape_text(grid), input[0]);
        return Err(misfit(op.grid.display_name, problem));
    }
    if !(0..=1).contains(&op.mode) {
        return Err(argument("mode", op.mode, "expected 0 (linear) or 1 (nearest)"));
    }
    if !(0..=2).contains(&op.padding_mode) {
        return Err(argument("padding_mode", op.padding_mode, "expected 0 (zeros), 1 (border) or 2 (reflection)"));
    }
    of_dtype([&input[..2], &grid[1..=spatial]].concat(), &op.input)
}

/// The source of an entry of a resampled axis: an entry, and the weight of the next one; 0 at the last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplePoint {
    /// Index of the entry.
    pub at: usize,
    /// Weight of the next entry, from 0 to 1.
    pub towards: f32,
}

/// The sources of all entries of an axis, computed in float32 like in the tool chain and PyTorch, on which the rounding
/// depends.
///
/// # Errors
/// Returns an error if there is not enough memory.
pub fn sample_points(from: usize, to: usize, mode: InterpMode, coord: InterpCoordMode) -> Result<Vec<SamplePoint>> {
    use InterpCoordMode::*;
    let last = (from - 1) as f32;
    let step = match coord {
        AlignCorners if to <= 1 => 0.0,
        AlignCorners => last / (to - 1) as f32,
        _ => from as f32 / to as f32,
    };
    let place = |i: usize| {
        let x = match coord {
            AlignCorners | Asymmetric => i as f32 * step,
            HalfPixel | PytorchHalfPixel => (i as f32 + 0.5) * step - 0.5,
        };
        let x = x.clamp(0.0, last);
        let nearest = match coord {
            AlignCorners => x.round(),
            Asymmetric => x.floor(),
            // Halfway, the lower one: ONNX's round_prefer_floor.
            HalfPixel | PytorchHalfPixel => (x - 0.5).ceil(),
        };
        let at = if mode == InterpMode::Nearest { nearest } else { x.floor() };
        let at = (at.max(0.0) as usize).min(from - 1);
        let towards = if at + 1 == from || mode == InterpMode::Nearest { 0.0 } else { x - at as f32 };
        SamplePoint { at, towards }
    };
    let mut all = Vec::new();
    reserve(&mut all, to)?;
    all.extend((0..to).map(place));
    Ok(all)
}
