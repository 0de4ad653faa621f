//! Resampling.
use super::Convert;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, known_floats, known_ints, resolved_axis, table},
    ops::{Gather, GridSampler, Interp, InterpCoordMode, InterpMode, sample_points},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[("GridSample", grid_sample), ("Resize", resize), ("Upsample", resize)];

/// How samples are combined.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Nearest,
    Linear,
    Cubic,
}

/// Where an entry of the result is in the operand.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Coordinates {
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
    CropAndResize,
    /// In opsets 11 and 12.
    HalfPixelForNearest,
}

/// How a position is rounded to the nearest entry.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Nearest {
    PreferFloor,
    PreferCeil,
    Floor,
    Ceil,
}

/// The attributes that all axes share.
struct Resampling {
    mode: Mode,
    coordinates: Coordinates,
    nearest: Nearest,
    cubic: f64,
    antialias: bool,
    exclude_outside: bool,
}

/// One axis: its size before and after, the factor, and the region for `tf_crop_and_resize`.
#[derive(Debug, Clone, PartialEq)]
struct Axis {
    from: usize,
    to: usize,
    scale: f64,
    region: (f64, f64),
}

/// An entry of the result: weights of entries of the operand, or none if it is outside of the region.
type Weights = Vec<(usize, f64)>;

impl Resampling {
    fn of(n: &Node) -> Result<Resampling> {
        let mode = n.word(
            "mode",
            "nearest",
            &[("nearest", Mode::Nearest), ("linear", Mode::Linear), ("bilinear", Mode::Linear), ("cubic", Mode::Cubic)],
        )?;
        // Before opset 11 there was one way, whose rounding was not defined: onnxruntime rounds up where it shrinks, PyTorch down.
        let default = if n.version < 11 || n.proto.op_type == "Upsample" { "asymmetric" } else { "half_pixel" };
        let coordinates = n.word(
            "coordinate_transformation_mode",
            default,
            &[
                ("half_pixel", Coordinates::HalfPixel),
                ("half_pixel_symmetric", Coordinates::HalfPixelSymmetric),
                ("pytorch_half_pixel", Coordinates::PytorchHalfPixel),
                ("align_corners", Coordinates::AlignCorners),
                ("asymmetric", Coordinates::Asymmetric),
                ("tf_crop_and_resize", Coordinates::CropAndResize),
                ("tf_half_pixel_for_nn", Coordinates::HalfPixelForNearest),
            ],
        )?;
        let default = if n.version < 11 || n.proto.op_type == "Upsample" { "floor" } else { "round_prefer_floor" };
        let nearest = n.word(
            "nearest_mode",
            default,
            &[
                ("round_prefer_floor", Nearest::PreferFloor),
                ("round_prefer_ceil", Nearest::PreferCeil),
                ("floor", Nearest::Floor),
                ("ceil", Nearest::Ceil),
            ],
        )?;
        Ok(Resampling {
            mode,
            coordinates,
            nearest,
            cubic: n.float_or("cubic_coeff_a", -0.75),
            antialias: n.flag("antialias"),
            exclude_outside: n.flag("exclude_outside"),
        })
    }

    /// The position in the operand of an entry of the result.
    fn position(&self, i: usize, axis: &Axis) -> f64 {
        // In float32, like onnxruntime: what is rounded decides between two entries.
        let (i, from, to, scale) = (i as f32, axis.from as f32, axis.to as f32, axis.scale as f32);
        let half_pixel = |i: f32| (i + 0.5) / scale - 0.5;
        let position = match self.coordinates {
            Coordinates::HalfPixel => half_pixel(i),
            Coordinates::HalfPixelSymmetric => {
                // Keeps the centers together where the factor is not the quotient of the sizes.
                let adjustment = to / (scale * from);
                let offset = from / 2.0 * (1.0 - adjustment);
                offset + half_pixel(i)
            }
            Coordinates::PytorchHalfPixel => {
                if axis.to > 1 {
                    half_pixel(i)
                } else {
                    0.0
                }
            }
            Coordinates::AlignCorners => {
                if axis.to > 1 {
                    i * (from - 1.0) / (to - 1.0)
                } else {
                    0.0
                }
            }
            Coordinates::Asymmetric => i / scale,
            Coordinates::HalfPixelForNearest => (i + 0.5) / scale,
            Coordinates::CropAndResize => {
                let (start, end) = (axis.region.0 as f32, axis.region.1 as f32);
                if axis.to > 1 {
                    start * (from - 1.0) + i * (end - start) * (from - 1.0) / (to - 1.0)
                } else {
                    0.5 * (start + end) * (from - 1.0)
                }
            }
        };
        f64::from(position)
    }

    /// The weights of the entries that make one of the result.
    fn weights(&self, i: usize, axis: &Axis) -> Weights {
        let x = self.position(i, axis);
        let last = axis.from as f64 - 1.0;
        if self.coordinates == Coordinates::CropAndResize && !(0.0..=last).contains(&x) {
            return Vec::new();
        }
        if self.mode == Mode::Nearest {
            let at = match self.nearest {
                Nearest::PreferFloor => (x - 0.5).ceil(),
                Nearest::PreferCeil => (x + 0.5).floor(),
                Nearest::Floor => x.floor(),
                Nearest::Ceil => x.ceil(),
            };
            return vec![(at.clamp(0.0, last) as usize, 1.0)];
        }
        let (width, reach) = self.filter(axis);
        let (first, end) = ((x - reach).floor() as i64 + 1, (x + reach).ceil() as i64);
        let mut all: Weights = Vec::new();
        let mut sum = 0.0;
        for at in first..end.max(first + 1) {
            let distance = (x - at as f64).abs() * width;
            let weight = if self.mode == Mode::Cubic { cubic(distance, self.cubic) } else { (1.0 - distance).max(0.0) };
            let is_outside = at < 0 || at > last as i64;
            if self.exclude_outside && is_outside {
                continue;
            }
            sum += weight;
            let at = at.clamp(0, last as i64) as usize;
            // In ascending order, except that all outside entries count as the first or the last one.
            match all.last_mut() {
                Some((other, sum)) if *other == at => *sum += weight,
                _ => all.push((at, weight)),
            }
        }
        all.iter_mut().for_each(|(_, weight)| *weight /= sum);
        all.retain(|(_, weight)| *weight != 0.0);
        all
    }

    /// Returns the factor of distances from the center of the filter, and the distance at which its weights end. With antialiasing the
    /// filter is as wide as the entries of the result.
    fn filter(&self, axis: &Axis) -> (f64, f64) {
        let width = if self.antialias { axis.scale.min(1.0) } else { 1.0 };
        (width, if self.mode == Mode::Cubic { 2.0 } else { 1.0 } / width)
    }

    fn all_weights(&self, axis: &Axis) -> Result<Vec<Weights>> {
        let entries = (2.0 * self.filter(axis).1).ceil() as usize;
        table(&[axis.to, entries.saturating_add(2)])?;
        Ok((0..axis.to).map(|i| self.weights(i, axis)).collect())
    }
}

/// Keys' cubic convolution kernel.
fn cubic(x: f64, a: f64) -> f64 {
    if x <= 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a
    } else {
        0.0
    }
}

/// The axes of a node, and its region of each.
fn axes(n: &Node, x: &Value) -> Result<Vec<Axis>> {
    let shape = x.shape();
    let (roi, scales, sizes) = match (n.proto.op_type.as_str(), n.version) {
        ("Upsample", ..9) => (None, None, None),
        ("Upsample", _) | (_, ..11) => (None, n.optional(1), None),
        _ => (n.optional(1), n.optional(2), n.optional(3)),
    };
    let list =
        |v: Option<&Value>, what: &str| v.filter(|v| v.elements() > 0).map(|v| known_floats(v, what)).transpose();
    let scales = match list(scales, "scales")? {
        None if n.proto.op_type == "Upsample" => n.floats("scales"),
        scales => scales,
    };
    let sizes = sizes.filter(|v| v.elements() > 0).map(|v| known_ints(v, "sizes")).transpose()?;
    let roi = list(roi, "roi")?;
    let given = match n.ints("axes") {
        Some(axes) => axes.iter().map(|&a| resolved_axis("axes", a, shape.len())).collect::<Result<Vec<_>>>()?,
        None => (0..shape.len()).collect(),
    };
    let count = given.len();
    let fits = |len: Option<usize>| len.is_none_or(|len| len == count);
    if !fits(scales.as_ref().map(Vec::len))
        || !fits(sizes.as_ref().map(Vec::len))
        || roi.as_ref().is_some_and(|r| r.len() < 2 * count)
    {
        return Err(invalid(format!("its scales, sizes and roi must fit {count} axes")));
    }
    let mut all: Vec<Axis> = shape.iter().map(|&d| Axis { from: d, to: d, scale: 1.0, region: (0.0, 1.0) }).collect();
    for (i, &axis) in given.iter().enumerate() {
        let region = roi.as_ref().map_or((0.0, 1.0), |r| (r[i], r[count + i]));
        let from = shape[axis] as f64;
        let (to, scale) = match (&scales, &sizes) {
            (Some(scales), _) => {
                // In float32, like onnxruntime and PyTorch: 30 * 1.3 is 39. Cropping does not change the size: the text
                // of the specification says that it does, but no implementation follows it.
                (f64::from((from as f32 * scales[i] as f32).floor()), scales[i])
            }
            (None, Some(sizes)) => (sizes[i] as f64, sizes[i] as f64 / from),
            (None, None) => return Err(invalid("it has neither scales nor sizes")),
        };
        if !(1.0..2_147_483_648.0).contains(&to) {
            return Err(argument(
                "the size of the result",
                to,
                format!("axis {axis} has {from} entries, times {scale}"),
            ));
        }
        all[axis] = Axis { from: shape[axis], to: to as usize, scale, region };
    }
    if let (None, Some(sizes)) = (&scales, &sizes) {
        keep_aspect_ratio(n, &given, sizes, &mut all)?;
    }
    Ok(all)
}

/// One factor for all axes: the smallest or the largest.
fn keep_aspect_ratio(n: &Node, given: &[usize], sizes: &[i64], all: &mut [Axis]) -> Result<()> {
    let policy = n.word(
        "keep_aspect_ratio_policy",
        "stretch",
        &[("stretch", None), ("not_larger", Some(true)), ("not_smaller", Some(false))],
    )?;
    let Some(smallest) = policy else { return Ok(()) };
    let scales = given.iter().zip(sizes).map(|(&axis, &size)| size as f64 / all[axis].from as f64);
    let scale = if smallest { scales.fold(f64::INFINITY, f64::min) } else { scales.fold(0.0, f64::max) };
    for &axis in given {
        all[axis].to = ((all[axis].from as f64 * scale + 0.5).floor() as usize).max(1);
        all[axis].scale = scale;
    }
    Ok(())
}

fn resize<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let how = Resampling::of(n)?;
    let axes = axes(n, x)?;
    let tensor = b.tensor(x)?;
    if let Some(made) = as_interp(b, tensor, &how, &axes)? {
        return Ok(vec![b.value(made, x.dtype())?]);
    }
    let mut made = tensor;
    for (i, axis) in axes.iter().enumerate() {
        if *axis != (Axis { from: axis.from, to: axis.from, scale: 1.0, region: axis.region })
            || how.coordinates == Coordinates::CropAndResize
        {
            made = resampled(b, made, i, &how.all_weights(axis)?, axis.from)?;
        }
    }
    if how.coordinates == Coordinates::CropAndResize {
        made = extrapolated(b, made, &how, &axes, n.float_or("extrapolation_value", 0.0))?;
    }
    let made = super::cast::truncated_to(b, made, x.dtype())?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Resamples the last two axes with `top.Interp`, if that takes the same entries with the same weights.
fn as_interp(b: &mut Importer, x: Tensor, how: &Resampling, axes: &[Axis]) -> Result<Option<Tensor>> {
    let coordinates = match how.coordinates {
        Coordinates::HalfPixel | Coordinates::HalfPixelSymmetric => InterpCoordMode::HalfPixel,
        Coordinates::PytorchHalfPixel => InterpCoordMode::PytorchHalfPixel,
        Coordinates::AlignCorners => InterpCoordMode::AlignCorners,
        Coordinates::Asymmetric => InterpCoordMode::Asymmetric,
        Coordinates::CropAndResize | Coordinates::HalfPixelForNearest => return Ok(None),
    };
    let mode = match how.mode {
        Mode::Nearest => InterpMode::Nearest,
        Mode::Linear => InterpMode::Linear,
        Mode::Cubic => return Ok(None),
    };
    let [first, second, height, width] = axes else { return Ok(None) };
    let is_kept = |axis: &Axis| axis.from == axis.to && axis.scale == 1.0;
    if !is_kept(first) || !is_kept(second) || !b.dtype(x)?.is_float() {
        return Ok(None);
    }
    for axis in [height, width] {
        let theirs = sample_points(axis.from, axis.to, mode, coordinates)?;
        let same = how.all_weights(axis)?.iter().zip(theirs).all(|(ours, theirs)| {
            let next = (theirs.at + 1).min(axis.from - 1);
            let weight = |at: usize| ours.iter().filter(|(i, _)| *i == at).map(|(_, w)| w).sum::<f64>();
            let towards = f64::from(theirs.towards);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-5;
            let others = ours.iter().all(|(i, w)| *i == theirs.at || *i == next || close(*w, 0.0));
            others
                && if next == theirs.at {
                    close(weight(next), 1.0)
                } else {
                    close(weight(next), towards) && close(weight(theirs.at), 1.0 - towards)
                }
        });
        if !same {
            return Ok(None);
        }
    }
    let sizes = Array::from_f64s(Dtype::Int32, [2], [height.to as f64, width.to as f64].into_iter())?;
    let exact = |axis: &Axis| axis.to as f64 / axis.from as f64;
    let integral = [height, width].iter().all(|axis| axis.to.is_multiple_of(axis.from));
    if integral {
        return b
            .op(Interp { scale_h: exact(height), scale_w: exact(width), ..Interp::new(x, coordinates, mode) })
            .map(Some);
    }
    let target_shape = Some(b.coefficient(sizes)?);
    b.op(Interp { target_shape, scale_h: exact(height), scale_w: exact(width), ..Interp::new(x, coordinates, mode) })
        .map(Some)
}

/// Resamples one axis: by index, or by a product with the matrix of weights.
fn resampled(b: &mut Importer, x: Tensor, axis: usize, weights: &[Weights], from: usize) -> Result<Tensor> {
    if weights.iter().all(|w| matches!(w[..], [(_, weight)] if weight == 1.0)) {
        let at = weights.iter().map(|w| w[0].0 as f64);
        let at = b.coefficient(Array::from_f64s(Dtype::Int32, [weights.len()], at)?)?;
        return b.op(Gather { axis: axis as i64, ..Gather::new(x, at) });
    }
    let mut matrix = vec![0.0; table(&[from, weights.len()])?];
    for (i, entry) in weights.iter().enumerate() {
        entry.iter().for_each(|(at, weight)| matrix[at * weights.len() + i] = *weight);
    }
    let matrix = b.coefficient(Array::from_f64s(Dtype::Float32, [from, weights.len()], matrix.into_iter())?)?;
    let x = b.real(x)?;
    // The axis is the last one while it is multiplied.
    let last = b.rank(x)? - 1;
    let moved = b.swap_axes(x, axis, last)?;
    let product = b.matmul(moved, matrix)?;
    b.swap_axes(product, axis, last)
}

/// Replaces the entries outside of the region.
fn extrapolated(b: &mut Importer, x: Tensor, how: &Resampling, axes: &[Axis], value: f64) -> Result<Tensor> {
    let mut inside: Option<Tensor> = None;
    for (i, axis) in axes.iter().enumerate() {
        let weights = how.all_weights(axis)?;
        if weights.iter().all(|w| !w.is_empty()) {
            continue;
        }
        let mut along = vec![1; axes.len()];
        along[i] = axis.to;
        let mask = weights.iter().map(|w| if w.is_empty() { 0.0 } else { 1.0 });
        let mask = b.coefficient(Array::from_f64s(Dtype::Float32, along, mask)?)?;
        inside = Some(match inside {
            Some(other) => b.mul(other, mask)?,
            None => mask,
        });
    }
    match inside {
        Some(inside) => b.select_or(inside, x, value),
        None => Ok(x),
    }
}

fn grid_sample<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, grid) = (n.input(0)?, n.input(1)?);
    let mode = n.word(
        "mode",
        "linear",
        &[("linear", Some(0)), ("bilinear", Some(0)), ("nearest", Some(1)), ("cubic", None), ("bicubic", None)],
    )?;
    let mode =
        mode.ok_or_else(|| argument("mode", "\"cubic\"", "expected linear or nearest; the Top dialect has no other"))?;
    let padding_mode = n.word("padding_mode", "zeros", &[("zeros", 0), ("border", 1), ("reflection", 2)])?;
    let (tensor, grid) = (b.tensor(x)?, b.tensor(grid)?);
    let made = b.op(GridSampler::new(tensor, grid, n.flag("align_corners"), mode, padding_mode))?;
    Ok(vec![b.value(made, x.dtype())?])
}
