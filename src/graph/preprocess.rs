use crate::{
    base::{Result, argument, pluralized, shape_text},
    ops::{Attribute, Attributes, op_def},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum height and width of a resized image.
const MAX_RESIZE: i64 = 1 << 20;

/// Defines an enum whose values are written as strings in specs and in MLIR.
macro_rules! words {
    ($doc:literal $Name:ident: $($value_doc:literal $Value:ident = $word:literal),+ $(,)?) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum $Name { $( #[doc = $value_doc] #[serde(rename = $word)] $Value, )+ }
        impl $Name {
            /// Returns the string of the value.
            pub fn name(self) -> &'static str {
                match self { $( $Name::$Value => $word, )+ }
            }
            /// Returns the value with the given string.
            pub fn from_name(word: &str) -> Option<$Name> {
                [$( $Name::$Value ),+].into_iter().find(|v| v.name() == word)
            }
        }
    };
}

words! { "The channels of a network's input, in order." PixelFormat:
    "Red, green, blue." Rgb = "rgb",
    "Blue, green, red." Bgr = "bgr",
    "Luminance." Gray = "gray",
    "Red, green, blue, alpha." Rgba = "rgba",
    "A sensor's raw pixels; rows begin with green, blue." Gbrg = "gbrg",
    "A sensor's raw pixels; rows begin with green, red." Grbg = "grbg",
    "A sensor's raw pixels; rows begin with blue, green." Bggr = "bggr",
    "A sensor's raw pixels; rows begin with red, green." Rggb = "rggb",
}
words! { "Position of the channel axis." ChannelFormat:
    "Before height and width." Nchw = "nchw",
    "After them." Nhwc = "nhwc",
}
words! { "How an image is resized if its aspect ratio is kept." KeepRatioMode:
    "The whole image, with padding." Letterbox = "letterbox",
    "Fills the input; the longer side is cropped at both ends." ShortSideScale = "short_side_scale",
}
words! { "Position of the image in its padding." PadType:
    "At the top left." Normal = "normal",
    "Centered." Center = "center",
}

/// Image preprocessing of the deployed network (TpuLang's `Tensor.preprocess`): resizes the image, crops it to the
/// input's height and width, and computes `(x - mean) * scale` for each channel. `tpulang::exec::preprocess` applies it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Preprocess {
    /// Mean of each channel, in the order of `pixel_format`, subtracted first.
    pub mean: Vec<f64>,
    /// Factor of each channel.
    pub scale: Vec<f64>,
    /// The channels, in order.
    pub pixel_format: PixelFormat,
    /// Position of the channel axis.
    pub channel_format: ChannelFormat,
    /// Height and width after resizing; by default the tensor's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize_dims: Option<[i64; 2]>,
    /// Whether resizing keeps the aspect ratio.
    pub keep_aspect_ratio: bool,
    /// How the aspect ratio is kept.
    pub keep_ratio_mode: KeepRatioMode,
    /// The value of padded pixels, 0 to 255.
    pub pad_value: i64,
    /// Position of the image in its padding.
    pub pad_type: PadType,
}

impl Default for Preprocess {
    fn default() -> Self {
        Preprocess {
            mean: vec![0.0; 3],
            scale: vec![1.0; 3],
            pixel_format: PixelFormat::Bgr,
            channel_format: ChannelFormat::Nchw,
            resize_dims: None,
            keep_aspect_ratio: false,
            keep_ratio_mode: KeepRatioMode::Letterbox,
            pad_value: 0,
            pad_type: PadType::Center,
        }
    }
}

impl PixelFormat {
    /// Returns the number of channels.
    pub fn channels(self) -> usize {
        match self {
            PixelFormat::Rgb | PixelFormat::Bgr => 3,
            PixelFormat::Rgba => 4,
            PixelFormat::Gray | PixelFormat::Gbrg | PixelFormat::Grbg | PixelFormat::Bggr | PixelFormat::Rggb => 1,
        }
    }
}

impl Preprocess {
    /// Returns the attributes of a `top.Input` with the given shape, as set by TPU-MLIR's importer.
    ///
    /// # Errors
    /// Returns an error if a value is not allowed.
    #[doc(hidden)]
    pub fn attributes(&self, shape: &[usize]) -> Result<Attributes> {
        self.check(shape)?;
        Attributes::new(op_def("Input")?, self.pairs(shape))
    }
    /// Checks the values against each other and against the shape of the input.
    #[doc(hidden)]
    pub fn check(&self, shape: &[usize]) -> Result<()> {
        self.check_channels(shape)?;
        if !(0..=255).contains(&self.pad_value) {
            return Err(argument("preprocess.pad_value", self.pad_value, "pixels are 0 to 255"));
        }
        let (Some([h, w]), Some([height, width])) = (self.resize_dims, self.spatial(shape)) else {
            return Ok(());
        };
        let fits = |resized: i64, needed: usize| {
            resized <= MAX_RESIZE && usize::try_from(resized).is_ok_and(|resized| resized >= needed)
        };
        if fits(h, height) && fits(w, width) {
            return Ok(());
        }
        let expected = format!(
            "expected at least {height}x{width}, since the input is cropped from it, and at most {MAX_RESIZE}x{MAX_RESIZE}"
        );
        Err(argument("preprocess.resize_dims", format!("[{h}, {w}]"), expected))
    }
    /// Checks the values of each channel, and the number of channels against the shape of the input.
    fn check_channels(&self, shape: &[usize]) -> Result<()> {
        let (channels, format) = (self.pixel_format.channels(), self.pixel_format.name());
        for (name, values) in [("preprocess.mean", &self.mean), ("preprocess.scale", &self.scale)] {
            // The tool chain uses the first of several values for a single channel.
            if values.len() < channels || (channels > 1 && values.len() > channels) {
                let expected = format!("pixel_format {format} has {}", pluralized(channels, "channel"));
                return Err(argument(name, format!("{values:?}"), expected));
            }
            if !values.iter().all(|v| (*v as f32).is_finite()) {
                return Err(argument(name, format!("{values:?}"), "expected finite float32 values"));
            }
        }
        if let Some(found) = self.channels_of(shape).filter(|found| *found != channels) {
            let expected = format!(
                "the input {} has {} ({})",
                shape_text(shape),
                pluralized(found, "channel"),
                self.channel_format.name()
            );
            return Err(argument(
                "preprocess.pixel_format",
                format!("{format}, of {}", pluralized(channels, "channel")),
                expected,
            ));
        }
        Ok(())
    }
    /// Returns the number of channels of an input with the given shape, or `None` if it is not an image.
    #[doc(hidden)]
    pub fn channels_of(&self, shape: &[usize]) -> Option<usize> {
        let axis = if self.channel_format == ChannelFormat::Nhwc { 3 } else { 1 };
        self.spatial(shape).filter(|_| shape.len() == 4).map(|_| shape[axis])
    }
    /// Returns height and width of an input with the given shape, or `None` if it is not an image.
    pub fn spatial(&self, shape: &[usize]) -> Option<[usize; 2]> {
        let (n, nhwc) = (shape.len(), self.channel_format == ChannelFormat::Nhwc);
        let channels = if nhwc { shape.last() } else { shape.get(1) };
        let is_image = n == 3 || (n == 4 && channels.is_some_and(|&c| c <= 4));
        is_image.then(|| if nhwc { [shape[n - 3], shape[n - 2]] } else { [shape[n - 2], shape[n - 1]] })
    }
    fn pairs(&self, shape: &[usize]) -> Vec<(&'static str, Attribute)> {
        let mut all: Vec<(&'static str, Attribute)> = vec![("do_preprocess", true.into())];
        // The importer sets the other attributes on images only.
        if let Some(spatial) = self.spatial(shape) {
            let resize = self.resize_dims.unwrap_or(spatial.map(|d| d as i64));
            all.extend([
                ("resize_dims", Attribute::Ints(resize.into())),
                ("keep_aspect_ratio", self.keep_aspect_ratio.into()),
                ("keep_ratio_mode", self.keep_ratio_mode.name().into()),
                ("pad_value", self.pad_value.into()),
                ("pad_type", self.pad_type.name().into()),
                ("mean", self.mean.clone().into()),
                ("scale", self.scale.clone().into()),
                ("pixel_format", self.pixel_format.name().into()),
                ("channel_format", self.channel_format.name().into()),
                // model_deploy fails if it is absent.
                ("yuv_type", "".into()),
            ]);
        }
        all
    }
}
