use super::{
    OpKernel, Operand,
    chunks::blocks,
    task::PostOp,
    workspace::{all_reals, elements, reals},
};
use crate::{
    ops::{
        ConcatVolume, Correlation, MatchTemplate, MatchTemplateMode, ScaleLut, Yuv2rgbFormula,
        Yuv2rgbFormulaImageFormat,
    },
    quant::RoundMode,
    semantics::{ChromaPlanes, color_factors},
};

/// Computed in float64, and converted to float32 before rounding, like in TPU-MLIR.
fn colors(factors: [f64; 6], [y, u, v]: [f64; 3]) -> [f32; 3] {
    let [darkest, bright, red, green_u, green_v, blue] = factors;
    let (y, u, v) = (bright * (y - darkest), u - 128.0, v - 128.0);
    let rgb = [y + red * v, y - green_u * u - green_v * v, y + blue * u];
    rgb.map(|c| (c as f32).clamp(0.0, 255.0))
}

pub(super) fn yuv2rgb(op: Yuv2rgbFormula<Operand>) -> OpKernel {
    OpKernel::with_workspace(elements([&op.YUV], 1), move |t| {
        let stored = t.ints_as(&op.YUV, |_, v| v.clamp(0, 255) as u8)?;
        let shape = &t.result(0)?.shape;
        let (height, width) = (shape[shape.len() - 2], shape[shape.len() - 1]);
        let pixels = height * width;
        let (planes, factors) = (ChromaPlanes::new(op.src_format, pixels), color_factors(op.formula_mode));
        let round = |c: f32| match op.image_format {
            Yuv2rgbFormulaImageFormat::UINT8 => op.round_mode.round(c.into()) as f32,
            Yuv2rgbFormulaImageFormat::FLOAT32 => c,
        };
        t.fill(0, 1, PostOp::default(), |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let (plane, pixel) = ((first + i) / pixels, (first + i) % pixels);
                let image = &stored[plane / 3 * (pixels + pixels / 2)..];
                let (row, column) = (pixel / width / 2, pixel % width / 2);
                let shared = (row * (width / 2) + column) * planes.step;
                let yuv = [image[pixel], image[planes.blue + shared], image[planes.red + shared]].map(f64::from);
                let color = if op.dst_format == 4 { plane % 3 } else { 2 - plane % 3 };
                *out = round(colors(factors, yuv)[color]);
            }
            Ok(())
        })
    })
}

/// The mean, over the channels of a group, of the products of left features and right features shifted by some pixels.
pub(super) fn correlation(op: Correlation<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals(&op.inputs), move |t| {
        let (left, right) = (t.reals(&op.inputs[0])?, t.reals(&op.inputs[1])?);
        let &[groups, disparities, height, width] = t.result(0)?.shape.as_slice() else { return Ok(()) };
        let (plane, channels) = (height * width, op.inputs[0].ty.shape[1] / groups);
        t.fill(0, 1, PostOp::default(), |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let (block, pixel) = ((first + i) / plane, (first + i) % plane);
                let (group, back) = (block / disparities, block % disparities);
                *out = 0.0;
                if pixel % width >= back {
                    let at = |c: usize| (group * channels + c) * plane + pixel;
                    let sum: f32 = (0..channels).map(|c| left[at(c)] * right[at(c) - back]).sum();
                    *out = sum / channels as f32;
                }
            }
            Ok(())
        })
    })
}

/// For each disparity, the left features, then the right ones shifted by that many pixels.
pub(super) fn concat_volume(op: ConcatVolume<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals(), move |t| {
        let (left, right) = (t.reals(&op.inputs[0])?, t.reals(&op.inputs[1])?);
        let &[_, both, disparities, height, width] = t.result(0)?.shape.as_slice() else { return Ok(()) };
        let (plane, channels) = (height * width, both / 2);
        t.fill(0, width, PostOp::default(), |first, out| {
            for (i, out) in out.chunks_mut(width).enumerate() {
                let row = first / width + i;
                let (block, line) = (row / height, row % height);
                let (image, channel, back) =
                    (block / disparities / both, block / disparities % both, block % disparities);
                let from = (image * channels + channel % channels) * plane + line * width;
                let back = if channel < channels { 0 } else { back.min(width) };
                let features = if channel < channels { &left } else { &right };
                out[..back].fill(0.0);
                out[back..].copy_from_slice(&features[from..from + width - back]);
            }
            Ok(())
        })
    })
}

/// Sums are in float64. If image or template are constant, the coefficient is 0 / 0: NaN.
pub(super) fn match_template(op: MatchTemplate<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals(), move |t| {
        let (image, template) = (t.reals(&op.input)?, t.reals(&op.r#match)?);
        let (width, columns) = (op.input.ty.shape[1], op.r#match.ty.shape[1]);
        let (across, n) = (width - columns + 1, template.len() as f64);
        let mean = template.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
        t.fill(0, 1, PostOp::default(), |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let corner = (first + i) / across * width + (first + i) % across;
                let pairs = || {
                    let rows = template.chunks(columns).enumerate();
                    rows.flat_map(|(y, row)| row.iter().zip(&image[corner + y * width..]))
                        .map(|(&t, &v)| (f64::from(t), f64::from(v)))
                };
                *out = match op.mode {
                    MatchTemplateMode::TMSQDIFF => pairs().map(|(t, v)| (v - t) * (v - t)).sum::<f64>() as f32,
                    MatchTemplateMode::TMCCOEFFNORMED => {
                        let here = pairs().map(|(_, v)| v).sum::<f64>() / n;
                        let sums = pairs()
                            .map(|(t, v)| (t - mean, v - here))
                            .fold([0.0; 3], |[a, b, c], (t, v)| [a + t * v, b + v * v, c + t * t]);
                        (sums[0] / (sums[1] * sums[2]).sqrt()) as f32
                    }
                };
            }
            Ok(())
        })
    })
}

/// Halves are rounded up, like in the lookup tables built for this operator.
pub(super) fn scale_lut(op: ScaleLut<Operand>) -> OpKernel {
    OpKernel::new(move |t| {
        let shape = &op.input.ty.shape;
        let (channels, inner) = (shape[1], shape[2..].iter().product::<usize>());
        let source = t.source(&op.input, shape)?;
        t.fill(0, 1, PostOp::round(RoundMode::HalfUp), |first, out| {
            source.reals(first, out);
            blocks(first, out.len(), inner, |block, part| {
                let (scale, bias) = (op.scale[block % channels], op.bias[block % channels]);
                out[part].iter_mut().for_each(|v| *v = (f64::from(*v) * scale + bias) as f32);
            });
            Ok(())
        })
    })
}
