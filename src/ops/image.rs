//! Type rules of image processing.
use super::{
    ConcatVolume, Correlation, MatchTemplate, ScaleLut, Yuv2rgbFormula, Yuv2rgbFormulaImageFormat,
    types::{Choice, Types, Value, channels, computed, of_dtype, one},
};
use crate::base::{Dtype, Result, argument, invalid, misfit, shape_text};

/// Returns .. x 3 x height x width. The planes of a YUV image are stacked vertically and take 3/2 of its height.
pub(super) fn yuv2rgb(op: &Yuv2rgbFormula<Value>) -> Types {
    let shape = op.YUV.shape;
    let [outer @ .., rows, width] = shape else {
        return Err(misfit(
            op.YUV.display_name,
            format!("is {}; expected .. x height * 3 / 2 x width", shape_text(shape)),
        ));
    };
    // Each block of 2x2 pixels shares its chroma values.
    if rows % 3 != 0 || width % 2 != 0 {
        let problem = format!(
            "is {}; expected .. x height * 3 / 2 x width with even height and width, so rows are a multiple of 3",
            shape_text(shape)
        );
        return Err(misfit(op.YUV.display_name, problem));
    }
    if !(0..=3).contains(&op.src_format) {
        return Err(argument("src_format", op.src_format, "expected 0 (YU12), 1 (YV12), 2 (NV12) or 3 (NV21)"));
    }
    if !(4..=5).contains(&op.dst_format) {
        return Err(argument("dst_format", op.dst_format, "expected 4 (RGB) or 5 (BGR)"));
    }
    let dtype = match op.image_format {
        Yuv2rgbFormulaImageFormat::UINT8 => Dtype::Uint8,
        Yuv2rgbFormulaImageFormat::FLOAT32 => Dtype::Float32,
    };
    one([outer, &[3, rows / 3 * 2, *width]].concat(), Choice::Is(dtype))
}

/// Returns groups x disparities x h x w: one plane of products per channel group and disparity. The input is a single image.
pub(super) fn correlation(op: &Correlation<Value>) -> Types {
    let [left, right] = op.inputs.as_slice() else {
        return Err(invalid(format!("it has {} inputs; expected left and right features", op.inputs.len())));
    };
    let &[1, channels, height, width] = left.shape else {
        return Err(misfit(left.display_name, format!("is {}; expected 1 x c x h x w", shape_text(left.shape))));
    };
    if right.shape != left.shape {
        let (right_shape, left_shape) = (shape_text(right.shape), shape_text(left.shape));
        return Err(misfit(right.display_name, format!("is {right_shape} and the left features are {left_shape}")));
    }
    let groups = usize::try_from(op.num_groups).ok().filter(|&g| g > 0 && channels.is_multiple_of(g));
    let groups = groups
        .ok_or_else(|| argument("num_groups", op.num_groups, format!("it must divide the {channels} channels")))?;
    let disparities = usize::try_from(op.max_disp).ok().filter(|d| (1..=width).contains(d));
    let disparities = disparities.ok_or_else(|| {
        argument("max_disp", op.max_disp, format!("expected 1 to {width}, the width of the features"))
    })?;
    of_dtype(vec![groups, disparities, height, width], left)
}

/// Returns n x 2c x disparities x h x w.
pub(super) fn concat_volume(op: &ConcatVolume<Value>) -> Types {
    let [left, right] = op.inputs.as_slice() else {
        return Err(invalid(format!("it has {} inputs; expected left and right features", op.inputs.len())));
    };
    let &[n, channels, height, width] = left.shape else {
        return Err(misfit(left.display_name, format!("is {}; expected n x c x h x w", shape_text(left.shape))));
    };
    if right.shape != left.shape {
        let (right_shape, left_shape) = (shape_text(right.shape), shape_text(left.shape));
        return Err(misfit(right.display_name, format!("is {right_shape} and the left features are {left_shape}")));
    }
    let disparities = usize::try_from(op.max_disp).ok().filter(|d| *d > 0);
    let disparities = disparities.ok_or_else(|| argument("max_disp", op.max_disp, "expected at least 1"))?;
    let both = channels.checked_mul(2).ok_or_else(|| invalid("there are too many channels"))?;
    of_dtype(vec![n, both, disparities, height, width], left)
}

/// Returns one value per position of the template in the image.
pub(super) fn match_template(op: &MatchTemplate<Value>) -> Types {
    let size = |t: &Value| -> Result<[usize; 2]> {
        let problem = || misfit(t.display_name, format!("is {}; expected height x width", shape_text(t.shape)));
        t.shape.try_into().map_err(|_| problem())
    };
    let ([height, width], [rows, columns]) = (size(&op.input)?, size(&op.r#match)?);
    if rows > height || columns > width {
        let problem =
            format!("is {rows}x{columns}; it must fit into the {height}x{width} of {}", op.input.display_name);
        return Err(misfit(op.r#match.display_name, problem));
    }
    of_dtype(vec![height - rows + 1, width - columns + 1], &op.input)
}

/// Returns the input's shape.
pub(super) fn scale_lut(op: &ScaleLut<Value>) -> Types {
    let channels = channels(&op.input)?;
    for (name, list) in [("scale", &op.scale), ("bias", &op.bias)] {
        if list.len() != channels {
            return Err(argument(
                name,
                format!("a list of {}", list.len()),
                format!("expected {channels}, one per channel"),
            ));
        }
    }
    one(op.input.shape.to_vec(), computed(&op.input))
}
