use crate::{
    base::{Result, argument},
    ops::{Attribute, Attributes, op_def},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An enum whose values are words, in specs as in MLIR.
macro_rules! words {
    ($doc:literal $Name:ident: $($value_doc:literal $Value:ident = $word:literal),+ $(,)?) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum $Name { $( #[doc = $value_doc] #[serde(rename = $word)] $Value, )+ }
        impl $Name {
            /// The word for it.
            pub fn name(self) -> &'static str {
                match self { $( $Name::$Value => $word, )+ }
            }
            /// The value of that word.
            pub fn from_name(word: &str) -> Option<$Name> {
                [$( $Name::$Value ),+].into_iter().find(|v| v.name() == word)
            }
        }
    };
}

words! { "The channels that a network takes, in order." PixelFormat:
    "Red, green, blue." Rgb = "rgb",
    "Blue, green, red." Bgr = "bgr",
    "Brightness alone." Gray = "gray",
    "Red, green, blue, opacity." Rgba = "rgba",
    "A sensor's raw pixels; rows begin with green, blue." Gbrg = "gbrg",
    "A sensor's raw pixels; rows begin with green, red." Grbg = "grbg",
    "A sensor's raw pixels; rows begin with blue, green." Bggr = "bggr",
    "A sensor's raw pixels; rows begin with red, green." Rggb = "rggb",
}
words! { "Where the axis of channels is." ChannelFormat:
    "Before height and width." Nchw = "nchw",
    "After them." Nhwc = "nhwc",
}
words! { "How an image is resized whose aspect ratio is kept." KeepRatioMode:
    "All of it is seen, with padding beside it." Letterbox = "letterbox",
    "The whole input is filled; what is too long is cut on both sides." ShortSideScale = "short_side_scale",
}
words! { "Where the image is in its padding." PadType:
    "At the top left." Normal = "normal",
    "In the middle." Center = "center",
}

/// What the deployed network does to an image before the first operator (TpuLang's `Tensor.preprocess`): it resizes,
/// cuts to the input's height and width, and takes `(x - mean) * scale` of each channel. [`crate::exec::preprocess`] does
/// it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Preprocess {
    /// Subtracted from each channel, in the order of `pixel_format`.
    pub mean: Vec<f64>,
    /// Multiplies each channel, after the mean was subtracted.
    pub scale: Vec<f64>,
    /// The channels in their order.
    pub pixel_format: PixelFormat,
    /// Where the axis of channels is.
    pub channel_format: ChannelFormat,
    /// Height and width after resizing; by default the tensor's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize_dims: Option<[i64; 2]>,
    /// Whether resizing keeps the aspect ratio.
    pub keep_aspect_ratio: bool,
    /// How it is kept.
    pub keep_ratio_mode: KeepRatioMode,
    /// The value of padded pixels, 0 to 255.
    pub pad_value: i64,
    /// Where the image is in its padding.
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
    /// Their number.
    pub fn channels(self) -> usize {
        match self {
            PixelFormat::Rgb | PixelFormat::Bgr => 3,
            PixelFormat::Rgba => 4,
            PixelFormat::Gray | PixelFormat::Gbrg | PixelFormat::Grbg | PixelFormat::Bggr | PixelFormat::Rggb => 1,
        }
    }
}

impl Preprocess {
    /// The attributes of `top.Input` for an image of that shape, as TPU-MLIR's importer sets them.
    ///
    /// # Errors
    /// A value is not allowed.
    #[doc(hidden)]
    pub fn attributes(&self, shape: &[usize]) -> Result<Attributes> {
        self.check(shape)?;
        Attributes::new(op_def("Input")?, self.pairs(shape))
    }
    /// Whether its values fit each other and an input of that shape.
    #[doc(hidden)]
    pub fn check(&self, shape: &[usize]) -> Result<()> {
        let channels = self.pixel_format.channels();
        for (name, values) in [("preprocess.mean", &self.mean), ("preprocess.scale", &self.scale)] {
            if values.len() < channels {
                let expected = format!("pixel_format {} has {channels} channels", self.pixel_format.name());
                return Err(argument(name, format!("{values:?}"), expected));
            }
        }
        if !(0..=255).contains(&self.pad_value) {
            return Err(argument("preprocess.pad_value", self.pad_value, "pixels are 0 to 255"));
        }
        let (Some([h, w]), Some([height, width])) = (self.resize_dims, self.spatial(shape)) else {
            return Ok(());
        };
        // More than any image has, so that sizes stay far from overflow.
        let fits =
            |resized: i64, needed: usize| resized <= 1 << 20 && usize::try_from(resized).is_ok_and(|r| r >= needed);
        if fits(h, height) && fits(w, width) {
            return Ok(());
        }
        let expected = format!("the input is cut out of it, and has height {height} and width {width}");
        Err(argument("preprocess.resize_dims", format!("[{h}, {w}]"), expected))
    }
    /// Height and width of an input of that shape; none where it is no image.
    pub fn spatial(&self, shape: &[usize]) -> Option<[usize; 2]> {
        let (n, nhwc) = (shape.len(), self.channel_format == ChannelFormat::Nhwc);
        let channels = if nhwc { shape.last() } else { shape.get(1) };
        let is_image = n == 3 || (n == 4 && channels.is_some_and(|&c| c <= 4));
        is_image.then(|| if nhwc { [shape[n - 3], shape[n - 2]] } else { [shape[n - 2], shape[n - 1]] })
    }
    fn pairs(&self, shape: &[usize]) -> Vec<(&'static str, Attribute)> {
        let mut all: Vec<(&'static str, Attribute)> = vec![("do_preprocess", true.into())];
        // The importer sets the others on images only.
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
            ]);
        }
        all
    }
}
