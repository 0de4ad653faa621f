use super::{Kernel, Operand, task::Finish};
use crate::ops::{Correlation, Yuv2rgbFormula, Yuv2rgbFormulaImageFormat, Yuv2rgbFormulaMode};

/// Where a picture's blue (U) and red (V) differences lie behind its brightness: the place of the first, and how far apart
/// they are.
struct Planes {
    blue: usize,
    red: usize,
    step: usize,
}

impl Planes {
    fn new(format: i64, pixels: usize) -> Planes {
        let (first, second) = (pixels, pixels + pixels / 4);
        match format {
            0 => Planes { blue: first, red: second, step: 1 },
            1 => Planes { blue: second, red: first, step: 1 },
            2 => Planes { blue: first, red: first + 1, step: 2 },
            _ => Planes { blue: first + 1, red: first, step: 2 },
        }
    }
}

/// BT.601, with TPU-MLIR's digits. In float64, and held in float32 before rounding, as there.
fn colours(mode: Yuv2rgbFormulaMode, [y, u, v]: [f64; 3]) -> [f32; 3] {
    let (u, v) = (u - 128.0, v - 128.0);
    let rgb = match mode {
        Yuv2rgbFormulaMode::_601Limited => {
            let y = 1.16438 * (y - 16.0);
            [y + 1.59603 * v, y - 0.39176 * u - 0.81297 * v, y + 2.01723 * u]
        }
        Yuv2rgbFormulaMode::_601Full => [y + 1.40189 * v, y - 0.34581 * u - 0.71490 * v, y + 1.77098 * u],
    };
    rgb.map(|c| (c as f32).clamp(0.0, 255.0))
}

pub(super) fn yuv2rgb(op: Yuv2rgbFormula<Operand>) -> Kernel {
    Kernel::new(move |t| {
        let stored = t.ints_as(&op.YUV, |_, v| v.clamp(0, 255) as u8)?;
        let shape = &t.result(0)?.shape;
        let (height, width) = (shape[shape.len() - 2], shape[shape.len() - 1]);
        let pixels = height * width;
        let planes = Planes::new(op.src_format, pixels);
        let round = |c: f32| match op.image_format {
            Yuv2rgbFormulaImageFormat::UINT8 => op.round_mode.round(c.into()) as f32,
            Yuv2rgbFormulaImageFormat::FLOAT32 => c,
        };
        t.fill(0, 1, Finish::default(), |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let (plane, pixel) = ((first + i) / pixels, (first + i) % pixels);
                let image = &stored[plane / 3 * (pixels + pixels / 2)..];
                let (row, column) = (pixel / width / 2, pixel % width / 2);
                let shared = (row * (width / 2) + column) * planes.step;
                let yuv = [image[pixel], image[planes.blue + shared], image[planes.red + shared]].map(f64::from);
                let colour = if op.dst_format == 4 { plane % 3 } else { 2 - plane % 3 };
                *out = round(colours(op.formula_mode, yuv)[colour]);
            }
            Ok(())
        })
    })
}

/// The mean product of left features and of right ones some pixels back, over the channels of a group.
pub(super) fn correlation(op: Correlation<Operand>) -> Kernel {
    Kernel::new(move |t| {
        let (left, right) = (t.reals(&op.inputs[0])?, t.reals(&op.inputs[1])?);
        let &[groups, disparities, height, width] = t.result(0)?.shape.as_slice() else { return Ok(()) };
        let (plane, channels) = (height * width, op.inputs[0].ty.shape[1] / groups);
        t.fill(0, 1, Finish::default(), |first, out| {
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
