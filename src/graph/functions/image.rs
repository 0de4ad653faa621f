//! `yuv2rgb`.
#![allow(non_snake_case, reason = "TpuLang's names")]
use super::{argument::StringEnum, function, lowering::Lowering};
use crate::{
    Operand, Tensor,
    base::{Dtype, Result, argument},
    ops::{self, Yuv2rgbFormulaImageFormat, Yuv2rgbFormulaMode},
    quant::RoundMode,
};

impl StringEnum for Yuv2rgbFormulaImageFormat {
    const NAME: &'static str = "format";
    fn words() -> Vec<(Self, &'static str)> {
        [Yuv2rgbFormulaImageFormat::UINT8, Yuv2rgbFormulaImageFormat::FLOAT32].map(|m| (m, m.name())).into()
    }
}

impl StringEnum for Yuv2rgbFormulaMode {
    const NAME: &'static str = "formula";
    fn words() -> Vec<(Self, &'static str)> {
        [Yuv2rgbFormulaMode::_601Limited, Yuv2rgbFormulaMode::_601Full].map(|m| (m, m.name())).into()
    }
}

/// Rounding modes of colors, with the dialect's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorRounding {
    /// Rounds halves up, since colors are not negative.
    HalfAwayFromZero,
    /// Rounds halves to even.
    HalfToEven,
}
impl StringEnum for ColorRounding {
    const NAME: &'static str = "color rounding";
    fn words() -> Vec<(Self, &'static str)> {
        vec![(Self::HalfAwayFromZero, "HalfAwayFromZero"), (Self::HalfToEven, "HalfToEven")]
    }
}

function! {
    Yuv2rgb -> Tensor {
        "The planes stacked vertically, .. x h * 3 / 2 x w with even h and w; uint8." inputs: Operand,
        "0 YU12, 1 YV12, 2 NV12, 3 NV21." src_format: i64,
        "4 RGB, 5 BGR." dst_format: i64,
        "Must be `UINT8`." ImageOutFormatAttr: Yuv2rgbFormulaImageFormat,
        "BT.601 with brightness from 16 to 235 (`_601_limited`) or from 0 to 255 (`_601_full`)." formula_mode: Yuv2rgbFormulaMode,
        "Rounding of colors." round_mode: ColorRounding,
        ;
    }
    yuv2rgb: "YUV images to RGB. The result is .. x 3 x h x w, uint8; with 128 subtracted from u and v: `r = y + 1.40189 v`, `g = y - 0.34581 u - 0.7149 v`, `b = y + 1.77098 u` (`_601_full`), or, with y replaced by `1.16438 (y - 16)`, `r = y + 1.59603 v`, `g = y - 0.39176 u - 0.81297 v`, `b = y + 2.01723 u` (`_601_limited`).",
        example |g, x, i| {
            let yuv = g.input("yuv", Dtype::Uint8, [2, 90, 60])?;
            let (format, mode) = (ops::Yuv2rgbFormulaImageFormat::UINT8, ops::Yuv2rgbFormulaMode::_601Full);
            let y = yuv.yuv2rgb(2, 4, format, mode, functions::args::ColorRounding::HalfToEven).call()?;
            assert_eq!(y.info()?.type_text(), "2x3x60x60 uint8");
        },
        => |args, to| args.lower(to);
}

impl Yuv2rgb {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("inputs", &self.inputs, &[Dtype::Uint8])?;
        if self.ImageOutFormatAttr != Yuv2rgbFormulaImageFormat::UINT8 {
            return Err(argument(
                "ImageOutFormatAttr",
                "FLOAT32",
                "expected UINT8; the chip's code computes nothing else",
            ));
        }
        let round_mode = match self.round_mode {
            ColorRounding::HalfAwayFromZero => RoundMode::HalfAwayFromZero,
            ColorRounding::HalfToEven => RoundMode::HalfToEven,
        };
        let input = to.tensor(&self.inputs)?;
        let (format, formula) = (self.ImageOutFormatAttr, self.formula_mode);
        let op = ops::Yuv2rgbFormula::new(input, self.dst_format, formula, format, self.src_format);
        to.emit(ops::Yuv2rgbFormula { round_mode, ..op })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Graph,
        functions::testing::{bad_calls, first_line as first},
    };

    #[test]
    fn shapes() {
        let mut g = Graph::new("g").unwrap();
        let mut call = |name: &str, shape: &[i64]| {
            let x = g.input(name, Dtype::Uint8, shape.to_vec()).unwrap();
            let (format, mode) = (Yuv2rgbFormulaImageFormat::UINT8, Yuv2rgbFormulaMode::_601Limited);
            let y = g.yuv2rgb(x, 0, 5, format, mode, ColorRounding::HalfAwayFromZero).call();
            y.map(|y| g.tensor(y).unwrap().shape.clone())
        };
        assert_eq!(call("a", &[6, 2]).unwrap(), [3, 4, 2]);
        assert_eq!(call("b", &[2, 5, 3, 8]).unwrap(), [2, 5, 3, 2, 8]);
        assert_eq!(
            first(call("c", &[4, 2]).unwrap_err()),
            "yuv2rgb (ops[2]): inputs is 4x2; expected .. x height * 3 / 2 x width with even height and width, so rows are a multiple of 3"
        );
        assert!(call("d", &[6, 3]).is_err());
    }

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Uint8, [6, 4]).unwrap();
        let (u8s, f32s) = (Yuv2rgbFormulaImageFormat::UINT8, Yuv2rgbFormulaImageFormat::FLOAT32);
        for (source, target, format, message) in [
            (4, 4, u8s, "src_format is 4; expected 0 (YU12), 1 (YV12), 2 (NV12) or 3 (NV21)"),
            (0, 3, u8s, "dst_format is 3; expected 4 (RGB) or 5 (BGR)"),
            (0, 4, f32s, "ImageOutFormatAttr is FLOAT32; expected UINT8; the chip's code computes nothing else"),
        ] {
            let mode = Yuv2rgbFormulaMode::_601Limited;
            let error = g.yuv2rgb(x, source, target, format, mode, ColorRounding::HalfToEven).call().unwrap_err();
            assert_eq!(first(error), format!("yuv2rgb (ops[0]): {message}"));
        }
        bad_calls(
            "image",
            &[
                r#"{"op": "yuv2rgb", "args": {"inputs": "x", "src_format": 2, "dst_format": 4, "ImageOutFormatAttr": "UINT8", "formula_mode": "_601_full", "round_mode": "HalfToEven"}, "out": "y"}"#,
                r#"{"op": "yuv2rgb", "args": {"inputs": "x", "src_format": 2, "dst_format": 4, "ImageOutFormatAttr": "UINT8", "formula_mode": "601_full", "round_mode": "HalfToEven"}, "out": "y"}"#,
                r#"{"op": "yuv2rgb", "args": {"inputs": "x", "src_format": 2, "dst_format": 4, "ImageOutFormatAttr": "UINT8", "formula_mode": "_601_full", "round_mode": "half_up"}, "out": "y"}"#,
            ],
        );
    }
}
