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
    description: "Names a function argument. The preprocessing attributes describe what the deployed network does to an image before the first layer: it resizes the image, crops it to the input's height and width, and computes `(x - mean) * scale`. The reference executor is fed the preprocessed values.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The argument of the function",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "shape_tensor",
            description: "The values of an input that determines shapes, from which TPU-MLIR infers them. It is dropped",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "do_preprocess",
            description: "Whether the network preprocesses the input; otherwise attributes of images have no effect",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pixel_format",
            description: "The channels, in order; gbrg to rggb are raw pixels of a sensor. Absent if the input is no image",
            kind: AttributeKind::OneOf(
                &["rgb", "bgr", "gray", "rgba", "gbrg", "grbg", "bggr", "rggb"],
            ),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "channel_format",
            description: "The place of the channels: before height and width, nchw, or after them, nhwc; nchw if absent",
            kind: AttributeKind::OneOf(&["nhwc", "nchw"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "resize_dims",
            description: "Height and width after resizing, before cropping; those of the input if absent",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "keep_aspect_ratio",
            description: "Whether resizing keeps the aspect ratio; false if absent",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "keep_ratio_mode",
            description: "With `keep_aspect_ratio`, letterbox to pad or short_side_scale to crop; letterbox if absent",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "pad_value",
            description: "The value of padded pixels, 0 to 255; 0 if absent",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "pad_type",
            description: "The place of the image in its padding: at the top left, normal, or centered; centered if absent",
            kind: AttributeKind::OneOf(&["normal", "center"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of each channel, in the order of `pixel_format`; 1 if absent",
            kind: AttributeKind::Floats,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "mean",
            description: "The mean of each channel, which is subtracted first, in the order of `pixel_format`; 0 if absent",
            kind: AttributeKind::Floats,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "customization_format",
            description: "A format of the image of the chip's own; it must be empty or absent",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "aligned",
            description: "Whether the rows of the image are aligned as a chip requires. It is dropped",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "yuv_type",
            description: "A YUV format of the image; it must be empty or absent",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
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
    structure: true,
};
/**`top.Input`: A graph input, with its preprocessing.

Names a function argument. The preprocessing attributes describe what the deployed network does to an image before the first layer: it resizes the image, crops it to the input's height and width, and computes `(x - mean) * scale`. The reference executor is fed the preprocessed values.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Input<V> {
    /// The argument of the function.
    pub input: V,
    /// The values of an input that determines shapes, from which TPU-MLIR infers them. It is dropped.
    pub shape_tensor: Option<Vec<i64>>,
    /// Whether the network preprocesses the input; otherwise attributes of images have no effect. The default is `false`.
    pub do_preprocess: bool,
    /// The channels, in order; gbrg to rggb are raw pixels of a sensor. Absent if the input is no image.
    pub pixel_format: Option<InputPixelFormat>,
    /// The place of the channels: before height and width, nchw, or after them, nhwc; nchw if absent.
    pub channel_format: Option<InputChannelFormat>,
    /// Height and width after resizing, before cropping; those of the input if absent.
    pub resize_dims: Option<Vec<i64>>,
    /// Whether resizing keeps the aspect ratio; false if absent.
    pub keep_aspect_ratio: Option<bool>,
    /// With `keep_aspect_ratio`, letterbox to pad or short_side_scale to crop; letterbox if absent.
    pub keep_ratio_mode: Option<String>,
    /// The value of padded pixels, 0 to 255; 0 if absent.
    pub pad_value: Option<i64>,
    /// The place of the image in its padding: at the top left, normal, or centered; centered if absent.
    pub pad_type: Option<InputPadType>,
    /// The factor of each channel, in the order of `pixel_format`; 1 if absent.
    pub scale: Option<Vec<f64>>,
    /// The mean of each channel, which is subtracted first, in the order of `pixel_format`; 0 if absent.
    pub mean: Option<Vec<f64>>,
    /// A format of the image of the chip's own; it must be empty or absent.
    pub customization_format: Option<String>,
    /// Whether the rows of the image are aligned as a chip requires. It is dropped.
    pub aligned: Option<bool>,
    /// A YUV format of the image; it must be empty or absent.
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
            description: "",
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
    description: "The location is the key in the npz named by `module.weight_file`. The attributes are set in modules that are lowered for a chip or use adapters (LoRA): those by which the data would not be the array in the file are rejected, others are dropped.",
    operands: &[],
    attributes: &[
        AttributeDef {
            name: "scale",
            description: "The factors of the data: only 1 is supported",
            kind: AttributeKind::Floats,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "do_compress",
            description: "Whether the data are compressed: only false is supported",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "bias0",
            description: "The first bias of the compression. It is dropped",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "bias1",
            description: "The second bias of the compression. It is dropped",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "is_signed",
            description: "Whether compressed numbers are signed. It is dropped",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "zero_guard",
            description: "Whether the compression guards zeros. It is dropped",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "store_mode",
            description: "How the numbers of a batch share a word of the chip's memory: only 1N is supported",
            kind: AttributeKind::OneOf(&["1N", "2N", "4N"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "allow_split",
            description: "The axes along which a chip may divide the data. It is dropped",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "inline_bytes",
            description: "The data themselves, in place of the weight file: only an empty string is supported",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "path",
            description: "The path of the weight in an adapter (LoRA). It is dropped",
            kind: AttributeKind::Str,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "indices_idx",
            description: "Indices of the data: only an empty list is supported",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "indices_slice",
            description: "Slices of the data: only an empty list is supported",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "placeholder",
            description: "Marks a coefficient that only keeps its place in the chip's weight file. It is dropped",
            kind: AttributeKind::OneOf(&["Auto", "F32", "None"]),
            default: None,
            optional: true,
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
    structure: true,
};
