//! `interpolate`, `interpolate_v2`, both lowered to `top.Interp`.
use super::{argument::StringEnum, dtypes::FLOATS_AND_BYTES, function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Ints, Result, argument, misfit},
    ops::{self, InterpCoordMode, InterpMode, target_sizes},
};

impl StringEnum for InterpMode {
    const NAME: &'static str = "method";
    fn words() -> Vec<(Self, &'static str)> {
        [InterpMode::Nearest, InterpMode::Linear].map(|m| (m, m.name())).into()
    }
}

impl StringEnum for InterpCoordMode {
    const NAME: &'static str = "coordinate mode";
    fn words() -> Vec<(Self, &'static str)> {
        use InterpCoordMode::*;
        [AlignCorners, PytorchHalfPixel, HalfPixel, Asymmetric].map(|m| (m, m.name())).into()
    }
}

/// Relation between the axes' factors. Only one is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AspectRatio {
    /// Each axis has its own factor.
    Stretch,
}
impl StringEnum for AspectRatio {
    const NAME: &'static str = "policy";
    fn words() -> Vec<(Self, &'static str)> {
        vec![(AspectRatio::Stretch, "stretch")]
    }
}

/// Rounding mode for the nearest entry. Only one is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearestMode {
    /// Halfway between two entries, chooses the first.
    RoundPreferFloor,
}
impl StringEnum for NearestMode {
    const NAME: &'static str = "mode";
    fn words() -> Vec<(Self, &'static str)> {
        vec![(NearestMode::RoundPreferFloor, "round_prefer_floor")]
    }
}

function! {
    Interpolate -> Tensor {
        "n x c x .. x h x w, or n x c x w; float32, float16, int8 or uint8." input: Operand,
        "Factor of the height, positive." scale_h: f64,
        "Factor of the width, positive." scale_w: f64,
        ;
        "The nearest entry, or linear interpolation along each axis." method: InterpMode = InterpMode::Nearest,
        "How output positions map to input positions; see the formulas." coord_mode: InterpCoordMode = InterpCoordMode::PytorchHalfPixel,
    }
    interpolate: "Resamples an image to height `floor(h * scale_h)` and width `floor(w * scale_w)`. Output entry i of m is taken from input position `(i + 0.5) * n / m - 0.5` of n (`half_pixel`, `pytorch_half_pixel`), `i * (n - 1) / (m - 1)` (`align_corners`) or `i * n / m` (`asymmetric`). The nearest entry is found by rounding half down for the half-pixel modes, half up for `align_corners`, and down for `asymmetric`.",
        example |g, x, i| {
            let y = x.interpolate(2.0, 1.5).method(ops::InterpMode::Linear).call()?;
            assert_eq!(y.shape()?, [1, 3, 16, 12]);
        },
        => |args, to| emit(to, &args.input, Some([args.scale_h, args.scale_w]), None, args.method(), args.coord_mode());
}

function! {
    InterpolateV2 -> Tensor {
        "n x c x .. x h x w, or n x c x w; float32, float16, int8 or uint8." input: Operand,
        ;
        "Not supported: the whole image is resampled." roi: Operand,
        "Sizes of the axes after n x c, instead of the factors; a coefficient." sizes: Operand,
        "Factors of height and width, positive; required if sizes is omitted." scale: [f64; 2],
        "The nearest entry, or linear interpolation along each axis." method: InterpMode = InterpMode::Nearest,
        "How output positions map to input positions; see interpolate." coord_mode: InterpCoordMode = InterpCoordMode::PytorchHalfPixel,
        "Must be 0." antialias: i64 = 0i64,
        "Not supported: height and width are resampled." axes: Ints,
        "Coefficient of cubic interpolation, which is not supported; ignored." cubic_coeff_a: f64 = -0.75,
        "Must be 0." exclude_outside: i64 = 0i64,
        "Must be 0." extrapolation_value: f64 = 0.0,
        "Must be `stretch`: each axis has its own factor." keep_aspect_ratio_policy: AspectRatio = AspectRatio::Stretch,
        "Must be `round_prefer_floor`." nearest_mode: NearestMode = NearestMode::RoundPreferFloor,
    }
    interpolate_v2: "Resamples an image like `interpolate`, to sizes or by factors, with the arguments of ONNX's Resize.",
        example |g, x, i| {
            let y = x.interpolate_v2().sizes(vec![4i32, 20]).call()?;
            assert_eq!(y.shape()?, [1, 3, 4, 20]);
        },
        => |args, to| args.lower(to);
}

impl InterpolateV2 {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let unsupported = |name: &str, why: &str| Err(misfit(name, format!("is given; {why}, so it must be absent")));
        if self.roi.is_some() {
            return unsupported("roi", "the whole image is resampled");
        }
        if self.axes.is_some() {
            return unsupported("axes", "height and width are resampled");
        }
        for (name, value) in [("antialias", self.antialias()), ("exclude_outside", self.exclude_outside())] {
            if value != 0 {
                return Err(argument(name, value, "only 0 is supported"));
            }
        }
        if self.extrapolation_value() != 0.0 {
            let found = format!("{:?}", self.extrapolation_value());
            return Err(argument("extrapolation_value", found, "only 0 is supported"));
        }
        if self.scale.is_none() && self.sizes.is_none() {
            return Err(misfit("scale", "is missing, and so is sizes; one of them is needed"));
        }
        emit(to, &self.input, self.scale, self.sizes.as_ref(), self.method(), self.coord_mode())
    }
}

fn emit(
    to: &mut Lowering,
    input: &Operand,
    scale: Option<[f64; 2]>,
    sizes: Option<&Operand>,
    mode: InterpMode,
    coord_mode: InterpCoordMode,
) -> Result<Vec<Tensor>> {
    to.dtype("input", input, FLOATS_AND_BYTES)?;
    let [scale_h, scale_w] = match sizes {
        Some(sizes) => factors(to, input, sizes)?,
        None => scale.unwrap_or_default(),
    };
    for (name, value) in [("scale_h", scale_h), ("scale_w", scale_w)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(argument(name, format!("{value:?}"), "expected a positive number"));
        }
    }
    to.emit(ops::Interp { scale_h, scale_w, ..ops::Interp::new(to.tensor(input)?, coord_mode, mode) })
}

/// Returns the factors that yield the sizes after rounding down, like the tool chain.
fn factors(to: &Lowering, input: &Operand, sizes: &Operand) -> Result<[f64; 2]> {
    let (from, given) = (to.info(input)?, to.info(sizes)?);
    let target = ops::Value {
        display_name: "sizes",
        shape: &given.shape,
        dtype: given.dtype,
        data: given.data(),
        coefficient: given.is_coefficient(),
    };
    let spatial = from.shape.get(2..).unwrap_or_default();
    let sizes = target_sizes(&target, spatial)?;
    let factor = |back: usize| match (spatial.iter().rev().nth(back), sizes.iter().rev().nth(back)) {
        (Some(&from), Some(&size)) => {
            let factor = size as f64 / from as f64;
            if (factor * from as f64) < size as f64 { factor.next_up() } else { factor }
        }
        _ => 1.0,
    };
    Ok([factor(1), factor(0)])
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
        ops::InterpMode,
    };

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let shape = |g: &Graph, t| g.tensor(t).unwrap().shape.clone();
        let x = g.input("x", Dtype::Int8, [1, 2, 5, 8]).unwrap();
        for (h, w, expected) in [(2.0, 3.0, [10, 24]), (0.5, 0.99, [2, 7]), (1.5, 0.125, [7, 1])] {
            let y = g.interpolate(x, h, w).call().unwrap();
            assert_eq!(shape(&g, y)[2..], expected);
        }
        let line = g.input("line", Dtype::Float16, [1, 2, 5]).unwrap();
        let y = g.interpolate(line, 7.0, 2.0).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 10]);
        let volume = g.input("volume", Dtype::Float32, [1, 2, 3, 4, 5]).unwrap();
        let y = g.interpolate_v2(volume).sizes(vec![3i32, 8, 1]).method(InterpMode::Linear).call().unwrap();
        assert_eq!(shape(&g, y), [1, 2, 3, 8, 1]);
        let error = g.interpolate_v2(volume).sizes(vec![2i32, 8, 1]).call().unwrap_err();
        assert_eq!(
            first(error),
            "interpolate_v2 (ops[5]): sizes is 2, but the input has 3; only the last two axes can change"
        );
    }

    #[test]
    fn every_size_is_met() {
        let mut g = Graph::new("g").unwrap();
        for from in 1..60usize {
            let x = g.input(&format!("x{from}"), Dtype::Float32, [1, 1, from]).unwrap();
            for size in 1..60usize {
                let y = g.interpolate_v2(x).sizes(Array::from([size as f32])).call().unwrap();
                assert_eq!(g.tensor(y).unwrap().shape[2], size);
                let crate::ops::Op::Interp(op) = &g.operators().last().unwrap().op else { panic!("an Interp") };
                assert_eq!((from as f64 * op.scale_w).floor(), size as f64, "the tool chain rounds down");
            }
        }
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "resize",
            &[
                r#"{"op": "interpolate", "args": {"input": "x", "scale_h": 0, "scale_w": 2}, "out": "y"}"#,
                r#"{"op": "interpolate", "args": {"input": "x", "scale_h": 2, "scale_w": 0.1}, "out": "y"}"#,
                r#"{"op": "interpolate", "args": {"input": "v", "scale_h": 2, "scale_w": 2}, "out": "y"}"#,
                r#"{"op": "interpolate", "args": {"input": "x", "scale_h": 2, "scale_w": 2, "method": "cubic"}, "out": "y"}"#,
                r#"{"op": "interpolate", "args": {"input": "x", "scale_h": 2, "scale_w": 2, "coord_mode": "half"}, "out": "y"}"#,
                r#"{"op": "interpolate_v2", "args": {"input": "x"}, "out": "y"}"#,
                r#"{"op": "interpolate_v2", "args": {"input": "x", "sizes": "i"}, "out": "y"}"#,
                r#"{"op": "interpolate_v2", "args": {"input": "x", "scale": [2, 2], "roi": "v"}, "out": "y"}"#,
                r#"{"op": "interpolate_v2", "args": {"input": "x", "scale": [2, 2], "axes": [2, 3]}, "out": "y"}"#,
                r#"{"op": "interpolate_v2", "args": {"input": "x", "scale": [2, 2], "antialias": 1}, "out": "y"}"#,
                r#"{"op": "interpolate_v2", "args": {"input": "x", "scale": [2, 2], "extrapolation_value": 0.5}, "out": "y"}"#,
                r#"{"op": "interpolate_v2", "args": {"input": "x", "scale": [2, 2], "nearest_mode": "floor"}, "out": "y"}"#,
            ],
        );
    }
}
