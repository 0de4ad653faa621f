// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of nhwc, nchw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum InputChannelFormat {
    Nhwc,
    Nchw,
}
impl InputChannelFormat {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            InputChannelFormat::Nhwc => "nhwc",
            InputChannelFormat::Nchw => "nchw",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "nhwc" => InputChannelFormat::Nhwc,
                "nchw" => InputChannelFormat::Nchw,
                _ => return None,
            },
        )
    }
}
one_of!(InputChannelFormat);
/// A string attribute: one of normal, center.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum InputPadType {
    Normal,
    Center,
}
impl InputPadType {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            InputPadType::Normal => "normal",
            InputPadType::Center => "center",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "normal" => InputPadType::Normal,
                "center" => InputPadType::Center,
                _ => return None,
            },
        )
    }
}
one_of!(InputPadType);
/// A string attribute: one of rgb, bgr, gray, rgba, gbrg, grbg, bggr, rggb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum InputPixelFormat {
    Rgb,
    Bgr,
    Gray,
    Rgba,
    Gbrg,
    Grbg,
    Bggr,
    Rggb,
}
impl InputPixelFormat {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            InputPixelFormat::Rgb => "rgb",
            InputPixelFormat::Bgr => "bgr",
            InputPixelFormat::Gray => "gray",
            InputPixelFormat::Rgba => "rgba",
            InputPixelFormat::Gbrg => "gbrg",
            InputPixelFormat::Grbg => "grbg",
            InputPixelFormat::Bggr => "bggr",
            InputPixelFormat::Rggb => "rggb",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "rgb" => InputPixelFormat::Rgb,
                "bgr" => InputPixelFormat::Bgr,
                "gray" => InputPixelFormat::Gray,
                "rgba" => InputPixelFormat::Rgba,
                "gbrg" => InputPixelFormat::Gbrg,
                "grbg" => InputPixelFormat::Grbg,
                "bggr" => InputPixelFormat::Bggr,
                "rggb" => InputPixelFormat::Rggb,
                _ => return None,
            },
        )
    }
}
one_of!(InputPixelFormat);
/// A string attribute: one of Auto, F32, None.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum WeightPlaceholder {
    Auto,
    F32,
    None,
}
impl WeightPlaceholder {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            WeightPlaceholder::Auto => "Auto",
            WeightPlaceholder::F32 => "F32",
            WeightPlaceholder::None => "None",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "Auto" => WeightPlaceholder::Auto,
                "F32" => WeightPlaceholder::F32,
                "None" => WeightPlaceholder::None,
                _ => return None,
            },
        )
    }
}
one_of!(WeightPlaceholder);
/// A string attribute: one of 1N, 2N, 4N.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum WeightStoreMode {
    _1N,
    _2N,
    _4N,
}
impl WeightStoreMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            WeightStoreMode::_1N => "1N",
            WeightStoreMode::_2N => "2N",
            WeightStoreMode::_4N => "4N",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "1N" => WeightStoreMode::_1N,
                "2N" => WeightStoreMode::_2N,
                "4N" => WeightStoreMode::_4N,
                _ => return None,
            },
        )
    }
}
one_of!(WeightStoreMode);
pub(super) const INPUT: OpDef = OpDef {
    name: "Input",
    summary: "A graph input, with its preprocessing",
    description: "Names a function argument. The preprocessing attributes describe what the deployed network does to an image before the first layer; the reference executor is fed the preprocessed values.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "shape_tensor",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "do_preprocess",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pixel_format",
            kind: AttributeKind::OneOf(
                &["rgb", "bgr", "gray", "rgba", "gbrg", "grbg", "bggr", "rggb"],
            ),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "channel_format",
            kind: AttributeKind::OneOf(&["nhwc", "nchw"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "resize_dims",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "keep_aspect_ratio",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "keep_ratio_mode",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "pad_value",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "pad_type",
            kind: AttributeKind::OneOf(&["normal", "center"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            kind: AttributeKind::Floats,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "mean",
            kind: AttributeKind::Floats,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "customization_format",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "aligned",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "yuv_type",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: true,
};
/**`top.Input`: A graph input, with its preprocessing.

Names a function argument. The preprocessing attributes describe what the deployed network does to an image before the first layer; the reference executor is fed the preprocessed values.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Input<V> {
    /// Operand.
    pub input: V,
    ///Attribute; may be absent.
    pub shape_tensor: Option<Vec<i64>>,
    ///Attribute; `false` by default.
    pub do_preprocess: bool,
    ///Attribute; may be absent.
    pub pixel_format: Option<InputPixelFormat>,
    ///Attribute; may be absent.
    pub channel_format: Option<InputChannelFormat>,
    ///Attribute; may be absent.
    pub resize_dims: Option<Vec<i64>>,
    ///Attribute; may be absent.
    pub keep_aspect_ratio: Option<bool>,
    ///Attribute; may be absent.
    pub keep_ratio_mode: Option<String>,
    ///Attribute; may be absent.
    pub pad_value: Option<i64>,
    ///Attribute; may be absent.
    pub pad_type: Option<InputPadType>,
    ///Attribute; may be absent.
    pub scale: Option<Vec<f64>>,
    ///Attribute; may be absent.
    pub mean: Option<Vec<f64>>,
    ///Attribute; may be absent.
    pub customization_format: Option<String>,
    ///Attribute; may be absent.
    pub aligned: Option<bool>,
    ///Attribute; may be absent.
    pub yuv_type: Option<String>,
}
impl<V> Input<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            shape_tensor: None,
            do_preprocess: false,
            pixel_format: None,
            channel_format: None,
            resize_dims: None,
            keep_aspect_ratio: None,
            keep_ratio_mode: None,
            pad_value: None,
            pad_type: None,
            scale: None,
            mean: None,
            customization_format: None,
            aligned: None,
            yuv_type: None,
        }
    }
    #[allow(dead_code, reason = "the graph creates them, and not every one is read")]
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            shape_tensor: attributes.take_optional("shape_tensor")?,
            do_preprocess: attributes.take("do_preprocess")?,
            pixel_format: attributes.take_optional("pixel_format")?,
            channel_format: attributes.take_optional("channel_format")?,
            resize_dims: attributes.take_optional("resize_dims")?,
            keep_aspect_ratio: attributes.take_optional("keep_aspect_ratio")?,
            keep_ratio_mode: attributes.take_optional("keep_ratio_mode")?,
            pad_value: attributes.take_optional("pad_value")?,
            pad_type: attributes.take_optional("pad_type")?,
            scale: attributes.take_optional("scale")?,
            mean: attributes.take_optional("mean")?,
            customization_format: attributes.take_optional("customization_format")?,
            aligned: attributes.take_optional("aligned")?,
            yuv_type: attributes.take_optional("yuv_type")?,
        })
    }
}
pub(super) const NONE: OpDef = OpDef {
    name: "None",
    summary: "Placeholder for an absent optional operand",
    description: "One per function, of type `none`.",
    operands: &[],
    attributes: &[],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: true,
};
pub(super) const WEIGHT: OpDef = OpDef {
    name: "Weight",
    summary: "A coefficient, whose data are in the weight file",
    description: "The location is the key in the npz named by `module.weight_file`.",
    operands: &[],
    attributes: &[
        AttributeDef {
            name: "scale",
            kind: AttributeKind::Floats,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "do_compress",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "bias0",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "bias1",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "is_signed",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "zero_guard",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "store_mode",
            kind: AttributeKind::OneOf(&["1N", "2N", "4N"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "allow_split",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "inline_bytes",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "path",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "indices_idx",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "indices_slice",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "placeholder",
            kind: AttributeKind::OneOf(&["Auto", "F32", "None"]),
            default: None,
            optional: true,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: true,
};
