// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of TM_CCOEFF_NORMED, TM_SQDIFF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum MatchTemplateMode {
    TMCCOEFFNORMED,
    TMSQDIFF,
}
impl MatchTemplateMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            MatchTemplateMode::TMCCOEFFNORMED => "TM_CCOEFF_NORMED",
            MatchTemplateMode::TMSQDIFF => "TM_SQDIFF",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "TM_CCOEFF_NORMED" => MatchTemplateMode::TMCCOEFFNORMED,
                "TM_SQDIFF" => MatchTemplateMode::TMSQDIFF,
                _ => return None,
            },
        )
    }
}
one_of!(MatchTemplateMode);
/// A string attribute: one of FLOAT32, UINT8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Yuv2rgbFormulaImageFormat {
    FLOAT32,
    UINT8,
}
impl Yuv2rgbFormulaImageFormat {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            Yuv2rgbFormulaImageFormat::FLOAT32 => "FLOAT32",
            Yuv2rgbFormulaImageFormat::UINT8 => "UINT8",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "FLOAT32" => Yuv2rgbFormulaImageFormat::FLOAT32,
                "UINT8" => Yuv2rgbFormulaImageFormat::UINT8,
                _ => return None,
            },
        )
    }
}
one_of!(Yuv2rgbFormulaImageFormat);
/// A string attribute: one of _601_limited, _601_full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Yuv2rgbFormulaMode {
    _601Limited,
    _601Full,
}
impl Yuv2rgbFormulaMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            Yuv2rgbFormulaMode::_601Limited => "_601_limited",
            Yuv2rgbFormulaMode::_601Full => "_601_full",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "_601_limited" => Yuv2rgbFormulaMode::_601Limited,
                "_601_full" => Yuv2rgbFormulaMode::_601Full,
                _ => return None,
            },
        )
    }
}
one_of!(Yuv2rgbFormulaMode);
pub(super) const CONCATVOLUME: OpDef = OpDef {
    name: "ConcatVolume",
    summary: "Joins left and right features, for each disparity",
    description: "The result is [n, 2 * c, max_disp, h, w]: left[w], then right[w - d], which is 0 where w < d.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The left and the right features: [n, c, h, w] each",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "max_disp",
            description: "Number of disparities, at least 1",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.ConcatVolume`: Joins left and right features, for each disparity.

The result is \[n, 2 * c, max_disp, h, w\]: left\[w\], then right\[w - d\], which is 0 where w \< d.*/
#[derive(Debug, Clone, PartialEq)]
pub struct ConcatVolume<V> {
    /// The left and the right features: \[n, c, h, w\] each.
    pub inputs: Vec<V>,
    /// Number of disparities, at least 1. The default is `0`.
    pub max_disp: i64,
}
impl<V> ConcatVolume<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self { inputs, max_disp: 0 }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            max_disp: attributes.take("max_disp")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("max_disp", &self.max_disp);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ConcatVolume<U>, E> {
        Ok(ConcatVolume {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            max_disp: self.max_disp,
        })
    }
}
pub(super) const CORRELATION: OpDef = OpDef {
    name: "Correlation",
    summary: "Mean product of left and right features, for each disparity",
    description: "The result is [num_groups, max_disp, h, w]. For disparity d < `max_disp` it is the mean over the channels of a group of left[w] * right[w - d], and 0 where w < d.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The left and the right features: [1, c, h, w] each",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "max_disp",
            description: "Number of disparities, 1 to w",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_groups",
            description: "Number of groups of channels, each with a mean of its own; it divides c",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Correlation`: Mean product of left and right features, for each disparity.

The result is \[num_groups, max_disp, h, w\]. For disparity d \< `max_disp` it is the mean over the channels of a group of left\[w\] * right\[w - d\], and 0 where w \< d.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Correlation<V> {
    /// The left and the right features: \[1, c, h, w\] each.
    pub inputs: Vec<V>,
    /// Number of disparities, 1 to w. The default is `0`.
    pub max_disp: i64,
    /// Number of groups of channels, each with a mean of its own; it divides c. The default is `1`.
    pub num_groups: i64,
}
impl<V> Correlation<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self {
            inputs,
            max_disp: 0,
            num_groups: 1,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            max_disp: attributes.take("max_disp")?,
            num_groups: attributes.take("num_groups")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("max_disp", &self.max_disp);
        a.put("num_groups", &self.num_groups);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Correlation<U>, E> {
        Ok(Correlation {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            max_disp: self.max_disp,
            num_groups: self.num_groups,
        })
    }
}
pub(super) const CSC: OpDef = OpDef {
    name: "Csc",
    summary: "Converts the color space of an input image",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The image",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "aligned",
            description: "Whether lines and channels of the input are padded to multiples",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "channel_align",
            description: "The multiple to which each channel is padded",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pixel_format",
            description: "The format of the input, such as `YUV_NV12`",
            kind: AttributeKind::Str,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "w_align",
            description: "The multiple to which lines are padded; in YUV, those of U and V",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_align",
            description: "The multiple to which lines of Y are padded",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.Csc`: Converts the color space of an input image.
#[derive(Debug, Clone, PartialEq)]
pub struct Csc<V> {
    /// The image.
    pub input: V,
    /// Whether lines and channels of the input are padded to multiples.
    pub aligned: bool,
    /// The multiple to which each channel is padded.
    pub channel_align: i64,
    /// The format of the input, such as `YUV_NV12`.
    pub pixel_format: String,
    /// The multiple to which lines are padded; in YUV, those of U and V.
    pub w_align: i64,
    /// The multiple to which lines of Y are padded.
    pub y_align: i64,
}
impl<V> Csc<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        aligned: bool,
        channel_align: i64,
        pixel_format: String,
        w_align: i64,
        y_align: i64,
    ) -> Self {
        Self {
            input,
            aligned,
            channel_align,
            pixel_format,
            w_align,
            y_align,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            aligned: attributes.take("aligned")?,
            channel_align: attributes.take("channel_align")?,
            pixel_format: attributes.take("pixel_format")?,
            w_align: attributes.take("w_align")?,
            y_align: attributes.take("y_align")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("aligned", &self.aligned);
        a.put("channel_align", &self.channel_align);
        a.put("pixel_format", &self.pixel_format);
        a.put("w_align", &self.w_align);
        a.put("y_align", &self.y_align);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Csc<U>, E> {
        Ok(Csc {
            input: f(&self.input)?,
            aligned: self.aligned,
            channel_align: self.channel_align,
            pixel_format: self.pixel_format.clone(),
            w_align: self.w_align,
            y_align: self.y_align,
        })
    }
}
pub(super) const DEPACKRAW: OpDef = OpDef {
    name: "DepackRaw",
    summary: "Merges four channels into the 2 x 2 pattern of a raw image",
    description: "The padding is removed first.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, 4, h, w], including the padding",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "black_level",
            description: "The value of black in the image",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "channel_order",
            description: "The channel of each pixel of the pattern, row by row",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "padding_h",
            description: "Number of rows of padding",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "padding_w",
            description: "Number of columns of padding",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "white_level",
            description: "The value of white in the image",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.DepackRaw`: Merges four channels into the 2 x 2 pattern of a raw image.

The padding is removed first.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DepackRaw<V> {
    /// The tensor: \[n, 4, h, w\], including the padding.
    pub input: V,
    /// The value of black in the image.
    pub black_level: f64,
    /// The channel of each pixel of the pattern, row by row.
    pub channel_order: Vec<i64>,
    /// Number of rows of padding.
    pub padding_h: i64,
    /// Number of columns of padding.
    pub padding_w: i64,
    /// The value of white in the image.
    pub white_level: f64,
}
impl<V> DepackRaw<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        black_level: f64,
        channel_order: Vec<i64>,
        padding_h: i64,
        padding_w: i64,
        white_level: f64,
    ) -> Self {
        Self {
            input,
            black_level,
            channel_order,
            padding_h,
            padding_w,
            white_level,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            black_level: attributes.take("black_level")?,
            channel_order: attributes.take("channel_order")?,
            padding_h: attributes.take("padding_h")?,
            padding_w: attributes.take("padding_w")?,
            white_level: attributes.take("white_level")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("black_level", &self.black_level);
        a.put("channel_order", &self.channel_order);
        a.put("padding_h", &self.padding_h);
        a.put("padding_w", &self.padding_w);
        a.put("white_level", &self.white_level);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<DepackRaw<U>, E> {
        Ok(DepackRaw {
            input: f(&self.input)?,
            black_level: self.black_level,
            channel_order: self.channel_order.clone(),
            padding_h: self.padding_h,
            padding_w: self.padding_w,
            white_level: self.white_level,
        })
    }
}
pub(super) const MATCHTEMPLATE: OpDef = OpDef {
    name: "MatchTemplate",
    summary: "Match score of a template at each position of an image",
    description: "As in OpenCV. The result is [h - rows + 1, w - columns + 1].",
    operands: &[
        ValueDef {
            name: "input",
            description: "The image: [h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "match",
            description: "The template: [rows, columns], which fit into the image",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "mode",
            description: "The sum of squared differences (TM_SQDIFF) or the correlation coefficient (TM_CCOEFF_NORMED)",
            kind: AttributeKind::OneOf(&["TM_CCOEFF_NORMED", "TM_SQDIFF"]),
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MatchTemplate`: Match score of a template at each position of an image.

As in OpenCV. The result is \[h - rows + 1, w - columns + 1\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct MatchTemplate<V> {
    /// The image: \[h, w\].
    pub input: V,
    /// The template: \[rows, columns\], which fit into the image.
    pub r#match: V,
    /// The sum of squared differences (TM_SQDIFF) or the correlation coefficient (TM_CCOEFF_NORMED).
    pub mode: MatchTemplateMode,
}
impl<V> MatchTemplate<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, r#match: V, mode: MatchTemplateMode) -> Self {
        Self { input, r#match, mode }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            r#match: operands.required("match")?,
            mode: attributes.take("mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("match", OperandValue::One(&
            self.r#match)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("mode", &self.mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MatchTemplate<U>, E> {
        Ok(MatchTemplate {
            input: f(&self.input)?,
            r#match: f(&self.r#match)?,
            mode: self.mode,
        })
    }
}
pub(super) const MEANSTDSCALE: OpDef = OpDef {
    name: "MeanStdScale",
    summary: "(x - mean) / std * scale + zero_points, per channel",
    description: "Float results are (x - mean) / std. Those in int8 are, of floats, round((x - mean) / std * scale[0] / scale[1]) - zero_points[0] + zero_points[1]; of integers, they are computed with a 16-bit multiplier and a shift, without the zero points.",
    operands: &[
        ValueDef {
            name: "input",
            description: "Images [n, c, h, w] or [n, c, d, h, w] of at most 9 channels: float32, float16, uint8 or int8",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "channel_order",
            description: "The order of the channels or axes, such as `nchw`",
            kind: AttributeKind::Str,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "customization_format",
            description: "The format of the images that are fed, such as `RGB`",
            kind: AttributeKind::Str,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "mean",
            description: "The mean of each channel",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quant_mode",
            description: "How the tool chain computes int8, such as `MultiplierShift`",
            kind: AttributeKind::Str,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "resize_dims",
            description: "Height and width of the images",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "rounding_mode",
            description: "How int8 results are rounded",
            kind: AttributeKind::OneOf(
                &[
                    "HalfAwayFromZero",
                    "HalfUp",
                    "HalfDown",
                    "HalfToEven",
                    "HalfToOdd",
                    "HalfTowardsZero",
                    "TowardsZero",
                    "Up",
                    "Down",
                ],
            ),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The scale of the input, then of the output; used for int8 results",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sign",
            description: "Whether 8-bit results have a sign",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "std",
            description: "The standard deviation of each channel",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "zero_points",
            description: "The zero point of the input, then of the output; used for int8 results of floats",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MeanStdScale`: (x - mean) / std * scale + zero_points, per channel.

Float results are (x - mean) / std. Those in int8 are, of floats, round((x - mean) / std * scale\[0\] / scale\[1\]) - zero_points\[0\] + zero_points\[1\]; of integers, they are computed with a 16-bit multiplier and a shift, without the zero points.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MeanStdScale<V> {
    /// Images \[n, c, h, w\] or \[n, c, d, h, w\] of at most 9 channels: float32, float16, uint8 or int8.
    pub input: V,
    /// The order of the channels or axes, such as `nchw`. It changes no result.
    pub channel_order: String,
    /// The format of the images that are fed, such as `RGB`. It changes no result.
    pub customization_format: String,
    /// The mean of each channel.
    pub mean: Vec<f64>,
    /// How the tool chain computes int8, such as `MultiplierShift`. It changes no result.
    pub quant_mode: String,
    /// Height and width of the images. It changes no result.
    pub resize_dims: Vec<i64>,
    /// How int8 results are rounded.
    pub rounding_mode: RoundMode,
    /// The scale of the input, then of the output; used for int8 results.
    pub scale: Vec<f64>,
    /// Whether 8-bit results have a sign. The default is `true`. It changes no result.
    pub sign: bool,
    /// The standard deviation of each channel.
    pub std: Vec<f64>,
    /// The zero point of the input, then of the output; used for int8 results of floats.
    pub zero_points: Vec<f64>,
}
impl<V> MeanStdScale<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        channel_order: String,
        customization_format: String,
        mean: Vec<f64>,
        quant_mode: String,
        resize_dims: Vec<i64>,
        rounding_mode: RoundMode,
        scale: Vec<f64>,
        std: Vec<f64>,
        zero_points: Vec<f64>,
    ) -> Self {
        Self {
            input,
            channel_order,
            customization_format,
            mean,
            quant_mode,
            resize_dims,
            rounding_mode,
            scale,
            sign: true,
            std,
            zero_points,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            channel_order: attributes.take("channel_order")?,
            customization_format: attributes.take("customization_format")?,
            mean: attributes.take("mean")?,
            quant_mode: attributes.take("quant_mode")?,
            resize_dims: attributes.take("resize_dims")?,
            rounding_mode: attributes.take("rounding_mode")?,
            scale: attributes.take("scale")?,
            sign: attributes.take("sign")?,
            std: attributes.take("std")?,
            zero_points: attributes.take("zero_points")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("channel_order", &self.channel_order);
        a.put("customization_format", &self.customization_format);
        a.put("mean", &self.mean);
        a.put("quant_mode", &self.quant_mode);
        a.put("resize_dims", &self.resize_dims);
        a.put("rounding_mode", &self.rounding_mode);
        a.put("scale", &self.scale);
        a.put("sign", &self.sign);
        a.put("std", &self.std);
        a.put("zero_points", &self.zero_points);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MeanStdScale<U>, E> {
        Ok(MeanStdScale {
            input: f(&self.input)?,
            channel_order: self.channel_order.clone(),
            customization_format: self.customization_format.clone(),
            mean: self.mean.clone(),
            quant_mode: self.quant_mode.clone(),
            resize_dims: self.resize_dims.clone(),
            rounding_mode: self.rounding_mode,
            scale: self.scale.clone(),
            sign: self.sign,
            std: self.std.clone(),
            zero_points: self.zero_points.clone(),
        })
    }
}
pub(super) const MMAP2RGBMAP: OpDef = OpDef {
    name: "Mmap2Rgbmap",
    summary: "Map of an image signal processor to its RGB form",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.Mmap2Rgbmap`: Map of an image signal processor to its RGB form.
#[derive(Debug, Clone, PartialEq)]
pub struct Mmap2Rgbmap<V> {
    /// The tensor.
    pub input: V,
}
impl<V> Mmap2Rgbmap<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Mmap2Rgbmap<U>, E> {
        Ok(Mmap2Rgbmap {
            input: f(&self.input)?,
        })
    }
}
pub(super) const PREPROCESS: OpDef = OpDef {
    name: "Preprocess",
    summary: "Placeholder for an input's preprocessing, which a pass expands",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The images",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "channel_order",
            description: "The order of the network's channels, such as `rgb`",
            kind: AttributeKind::Str,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "customization_format",
            description: "The format of the images that are fed, such as `BGR_PACKED`",
            kind: AttributeKind::Str,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mean",
            description: "Subtracted from each channel",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quant_mode",
            description: "How the network is quantized, such as `INT8` or `BF16`",
            kind: AttributeKind::Str,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "resize_dims",
            description: "Height and width of the images, whose center is cropped; if empty, those of the result",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of each channel after its mean is subtracted",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sign",
            description: "Whether 8-bit results have a sign",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.Preprocess`: Placeholder for an input's preprocessing, which a pass expands.
#[derive(Debug, Clone, PartialEq)]
pub struct Preprocess<V> {
    /// The images.
    pub input: V,
    /// The order of the network's channels, such as `rgb`.
    pub channel_order: String,
    /// The format of the images that are fed, such as `BGR_PACKED`.
    pub customization_format: String,
    /// Subtracted from each channel.
    pub mean: Vec<f64>,
    /// How the network is quantized, such as `INT8` or `BF16`.
    pub quant_mode: String,
    /// Height and width of the images, whose center is cropped; if empty, those of the result.
    pub resize_dims: Vec<i64>,
    /// The factor of each channel after its mean is subtracted.
    pub scale: Vec<f64>,
    /// Whether 8-bit results have a sign. The default is `true`.
    pub sign: bool,
}
impl<V> Preprocess<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        channel_order: String,
        customization_format: String,
        mean: Vec<f64>,
        quant_mode: String,
        resize_dims: Vec<i64>,
        scale: Vec<f64>,
    ) -> Self {
        Self {
            input,
            channel_order,
            customization_format,
            mean,
            quant_mode,
            resize_dims,
            scale,
            sign: true,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            channel_order: attributes.take("channel_order")?,
            customization_format: attributes.take("customization_format")?,
            mean: attributes.take("mean")?,
            quant_mode: attributes.take("quant_mode")?,
            resize_dims: attributes.take("resize_dims")?,
            scale: attributes.take("scale")?,
            sign: attributes.take("sign")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("channel_order", &self.channel_order);
        a.put("customization_format", &self.customization_format);
        a.put("mean", &self.mean);
        a.put("quant_mode", &self.quant_mode);
        a.put("resize_dims", &self.resize_dims);
        a.put("scale", &self.scale);
        a.put("sign", &self.sign);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Preprocess<U>, E> {
        Ok(Preprocess {
            input: f(&self.input)?,
            channel_order: self.channel_order.clone(),
            customization_format: self.customization_format.clone(),
            mean: self.mean.clone(),
            quant_mode: self.quant_mode.clone(),
            resize_dims: self.resize_dims.clone(),
            scale: self.scale.clone(),
            sign: self.sign,
        })
    }
}
pub(super) const SCALELUT: OpDef = OpDef {
    name: "ScaleLut",
    summary: "x * scale + bias, per channel, by table",
    description: "Integer results are rounded to the nearest, halves up.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ...]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "bias",
            description: "Added to each channel: c numbers",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of each channel: c numbers",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sign",
            description: "Whether 8-bit results have a sign",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: true,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.ScaleLut`: x * scale + bias, per channel, by table.

Integer results are rounded to the nearest, halves up.*/
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleLut<V> {
    /// The tensor: \[n, c, ...\].
    pub input: V,
    /// Added to each channel: c numbers.
    pub bias: Vec<f64>,
    /// The factor of each channel: c numbers.
    pub scale: Vec<f64>,
    /// Whether 8-bit results have a sign. The default is `true`. It changes no result.
    pub sign: bool,
}
impl<V> ScaleLut<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, bias: Vec<f64>, scale: Vec<f64>) -> Self {
        Self {
            input,
            bias,
            scale,
            sign: true,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            bias: attributes.take("bias")?,
            scale: attributes.take("scale")?,
            sign: attributes.take("sign")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("bias", &self.bias);
        a.put("scale", &self.scale);
        a.put("sign", &self.sign);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ScaleLut<U>, E> {
        Ok(ScaleLut {
            input: f(&self.input)?,
            bias: self.bias.clone(),
            scale: self.scale.clone(),
            sign: self.sign,
        })
    }
}
pub(super) const YUV2RGBFORMULA: OpDef = OpDef {
    name: "Yuv2rgbFormula",
    summary: "YUV image to RGB",
    description: "The result is [..., 3, h, w], clamped to 0 to 255. Each block of 2 x 2 pixels shares its U and V.",
    operands: &[
        ValueDef {
            name: "YUV",
            description: "The planes of 8-bit values on top of each other: [..., h * 3 / 2, w] with even h and w",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dst_format",
            description: "The order of the result's channels: 4 for RGB, 5 for BGR",
            kind: AttributeKind::Ui32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "formula_mode",
            description: "BT.601 with brightness from 16 to 235 (`_601_limited`) or from 0 to 255 (`_601_full`)",
            kind: AttributeKind::OneOf(&["_601_limited", "_601_full"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "image_format",
            description: "The dtype of the result",
            kind: AttributeKind::OneOf(&["FLOAT32", "UINT8"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "round_mode",
            description: "How results are rounded to integers",
            kind: AttributeKind::OneOf(
                &[
                    "HalfAwayFromZero",
                    "HalfUp",
                    "HalfDown",
                    "HalfToEven",
                    "HalfToOdd",
                    "HalfTowardsZero",
                    "TowardsZero",
                    "Up",
                    "Down",
                ],
            ),
            default: Some(Default::Str("HalfAwayFromZero")),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "src_format",
            description: "The format of `YUV`: 0 for YU12, 1 for YV12, 2 for NV12, 3 for NV21",
            kind: AttributeKind::Ui32,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Yuv2rgbFormula`: YUV image to RGB.

The result is \[..., 3, h, w\], clamped to 0 to 255. Each block of 2 x 2 pixels shares its U and V.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Yuv2rgbFormula<V> {
    /// The planes of 8-bit values on top of each other: \[..., h * 3 / 2, w\] with even h and w.
    pub YUV: V,
    /// The order of the result's channels: 4 for RGB, 5 for BGR.
    pub dst_format: i64,
    /// BT.601 with brightness from 16 to 235 (`_601_limited`) or from 0 to 255 (`_601_full`).
    pub formula_mode: Yuv2rgbFormulaMode,
    /// The dtype of the result.
    pub image_format: Yuv2rgbFormulaImageFormat,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
    /// The format of `YUV`: 0 for YU12, 1 for YV12, 2 for NV12, 3 for NV21.
    pub src_format: i64,
}
impl<V> Yuv2rgbFormula<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        YUV: V,
        dst_format: i64,
        formula_mode: Yuv2rgbFormulaMode,
        image_format: Yuv2rgbFormulaImageFormat,
        src_format: i64,
    ) -> Self {
        Self {
            YUV,
            dst_format,
            formula_mode,
            image_format,
            round_mode: RoundMode::HalfAwayFromZero,
            src_format,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            YUV: operands.required("YUV")?,
            dst_format: attributes.take("dst_format")?,
            formula_mode: attributes.take("formula_mode")?,
            image_format: attributes.take("image_format")?,
            round_mode: attributes.take("round_mode")?,
            src_format: attributes.take("src_format")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("YUV", OperandValue::One(& self.YUV)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dst_format", &self.dst_format);
        a.put("formula_mode", &self.formula_mode);
        a.put("image_format", &self.image_format);
        a.put("round_mode", &self.round_mode);
        a.put("src_format", &self.src_format);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Yuv2rgbFormula<U>, E> {
        Ok(Yuv2rgbFormula {
            YUV: f(&self.YUV)?,
            dst_format: self.dst_format,
            formula_mode: self.formula_mode,
            image_format: self.image_format,
            round_mode: self.round_mode,
            src_format: self.src_format,
        })
    }
}
