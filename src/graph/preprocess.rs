use crate::{
    base::Result,
    ops::{Attribute, Attributes, op_def},
};
use serde::{Deserialize, Serialize};

/// What the deployed network does to an image before the first operator (TpuLang's `Tensor.preprocess`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Preprocess {
    /// Subtracted from each channel.
    pub mean: Vec<f64>,
    /// Multiplies each channel, after the mean was subtracted.
    pub scale: Vec<f64>,
    /// `rgb`, `bgr`, `gray`, `rgba`, `gbrg`, `grbg`, `bggr` or `rggb`.
    pub pixel_format: String,
    /// `nchw` or `nhwc`.
    pub channel_format: String,
    /// Height and width after resizing; by default the tensor's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize_dims: Option<[i64; 2]>,
    /// Whether resizing keeps the aspect ratio.
    pub keep_aspect_ratio: bool,
    /// `letterbox` or `short_side_scale`; used with `keep_aspect_ratio`.
    pub keep_ratio_mode: String,
    /// The value of padded pixels.
    pub pad_value: i64,
    /// `normal` or `center`.
    pub pad_type: String,
}

impl Default for Preprocess {
    fn default() -> Self {
        Preprocess {
            mean: vec![0.0; 3],
            scale: vec![1.0; 3],
            pixel_format: "bgr".into(),
            channel_format: "nchw".into(),
            resize_dims: None,
            keep_aspect_ratio: false,
            keep_ratio_mode: "letterbox".into(),
            pad_value: 0,
            pad_type: "center".into(),
        }
    }
}

impl Preprocess {
    /// The attributes of `top.Input` for an image of that shape, as TPU-MLIR's importer sets them.
    ///
    /// # Errors
    /// A value is not allowed.
    pub(crate) fn attributes(&self, shape: &[usize]) -> Result<Attributes> {
        Attributes::new(op_def("Input")?, self.pairs(shape))
    }
    fn pairs(&self, shape: &[usize]) -> Vec<(&'static str, Attribute)> {
        let nhwc = self.channel_format == "nhwc";
        let channels = if nhwc { shape.last() } else { shape.get(1) };
        let mut all: Vec<(&'static str, Attribute)> = vec![("do_preprocess", true.into())];
        // The importer sets the others on images only.
        if shape.len() == 3 || (shape.len() == 4 && channels.is_some_and(|&c| c <= 4)) {
            let spatial = if nhwc { &shape[shape.len() - 3..shape.len() - 1] } else { &shape[shape.len() - 2..] };
            let resize = self.resize_dims.map_or_else(|| spatial.iter().map(|&d| d as i64).collect(), Vec::from);
            all.extend([
                ("resize_dims", Attribute::Ints(resize)),
                ("keep_aspect_ratio", self.keep_aspect_ratio.into()),
                ("keep_ratio_mode", self.keep_ratio_mode.as_str().into()),
                ("pad_value", self.pad_value.into()),
                ("pad_type", self.pad_type.as_str().into()),
                ("mean", self.mean.clone().into()),
                ("scale", self.scale.clone().into()),
                ("pixel_format", self.pixel_format.as_str().into()),
                ("channel_format", self.channel_format.as_str().into()),
            ]);
        }
        all
    }
}
