//! Images: colors, and comparisons of two images.
use super::{
    builder::{Builder, arguments},
    formula::{Formula, Input, PostOp, c_type},
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{
        Operand,
        semantics::{ChromaPlanes, color_factors},
    },
    ops::{
        ConcatVolume, Correlation, MatchTemplate, MatchTemplateMode, ScaleLut, Yuv2rgbFormula,
        Yuv2rgbFormulaImageFormat,
    },
    quant::RoundMode,
};

const FILE: File = file!("image.cu");

pub(super) fn yuv2rgb(op: &Yuv2rgbFormula<Operand>, b: &mut Builder) -> Result<()> {
    let result = b.result_type(0)?;
    let [.., height, width] = *result.shape.as_slice() else { return Ok(()) };
    let (pixels, n) = (height * width, result.elements());
    let planes = ChromaPlanes::new(op.src_format, pixels);
    let mode = match op.image_format {
        Yuv2rgbFormulaImageFormat::UINT8 => op.round_mode as i64,
        Yuv2rgbFormulaImageFormat::FLOAT32 => -1,
    };
    let (from, y, factors) = (Slot::of(&op.YUV)?, b.real_result(0)?, b.constant(&color_factors(op.formula_mode))?);
    let ChromaPlanes { blue, red, step } = planes;
    let arguments = arguments![from, y, factors, width, pixels, blue, red, step, op.dst_format == 4, mode, n];
    let function = format!("yuv_to_rgb<{}>", c_type(op.YUV.ty.buffer_dtype()));
    b.launch(FILE, function, geometry::elements(n as u64), arguments)?;
    b.store(0, y, PostOp::default())
}

pub(super) fn correlation(op: &Correlation<Operand>, b: &mut Builder) -> Result<()> {
    let &[groups, disparities, height, width] = b.result_type(0)?.shape.as_slice() else { return Ok(()) };
    let (plane, channels) = (height * width, op.inputs[0].ty.shape[1] / groups);
    let (left, right, y) = (b.reals(&op.inputs[0])?, b.reals(&op.inputs[1])?, b.real_result(0)?);
    let n = groups * disparities * plane;
    let arguments = arguments![left, right, y, channels, disparities, width, plane, n];
    b.launch(FILE, "correlation", geometry::elements(n as u64), arguments)?;
    b.store(0, y, PostOp::default())
}

pub(super) fn concat_volume(op: &ConcatVolume<Operand>, b: &mut Builder) -> Result<()> {
    let result = b.result_type(0)?;
    let &[_, both, disparities, height, width] = result.shape.as_slice() else { return Ok(()) };
    let (left, right, y) = (b.reals(&op.inputs[0])?, b.reals(&op.inputs[1])?, b.real_result(0)?);
    let n = result.elements();
    let arguments = arguments![left, right, y, both / 2, disparities, height, width, n];
    b.launch(FILE, "concat_volume", geometry::elements(n as u64), arguments)?;
    b.store(0, y, PostOp::default())
}

pub(super) fn match_template(op: &MatchTemplate<Operand>, b: &mut Builder) -> Result<()> {
    let (image, part, y) = (b.reals(&op.input)?, b.reals(&op.r#match)?, b.real_result(0)?);
    let [rows, columns] = [op.r#match.ty.shape[0], op.r#match.ty.shape[1]];
    let (width, n) = (op.input.ty.shape[1], b.result_type(0)?.elements());
    let is_coefficient = op.mode == MatchTemplateMode::TMCCOEFFNORMED;
    let arguments = arguments![image, part, y, width, rows, columns, width - columns + 1, is_coefficient, n];
    b.launch(FILE, "match_template", geometry::elements(n as u64), arguments)?;
    b.store(0, y, PostOp::default())
}

/// Halves are rounded up.
pub(super) fn scale_lut(op: &ScaleLut<Operand>) -> Formula {
    let [scale, bias] = [&op.scale, &op.bias].map(|list| Input::of_axis(list, &op.input.ty.shape, 1));
    let inputs = vec![Input::of(&op.input).in_reals(), scale, bias];
    Formula::real(inputs, "(float)((double)x * y + z)").post_op(PostOp::round(RoundMode::HalfUp))
}
