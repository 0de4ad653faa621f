use super::{Cause, Dtype, Result};
use crate::{array::Array, quant::Quantization};
use serde::{Deserialize, Serialize};

/// Dimensions of a tensor.
pub type Shape = Vec<usize>;

/// A handle of a tensor in a [`Graph`](super::Graph); cheap to copy, valid in that graph only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tensor(pub(crate) u32);

/// Where a tensor's values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum TensorKind {
    /// Fed when the graph runs.
    Input,
    /// Known when the graph is built. The data may be absent until emission or execution asks for them.
    Coefficient(Option<Array>),
    /// Computed by an operator.
    Value,
}

/// What the graph knows of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorInfo {
    /// Unique in the graph.
    pub name: String,
    /// Dimensions, all positive.
    pub shape: Shape,
    /// Type of the elements.
    pub dtype: Dtype,
    /// Where the values come from.
    pub kind: TensorKind,
    /// Scale and zero point, where known.
    pub quantization: Option<Quantization>,
    /// Image preprocessing, of inputs only.
    pub preprocess: Option<Preprocess>,
}

impl TensorInfo {
    /// Shape and dtype, as messages show them: `1x3x32x32 float32`.
    pub fn type_text(&self) -> String {
        let quant = self.quantization.as_ref().map(|q| format!(" ({q})")).unwrap_or_default();
        format!("{} {}{quant}", shape_text(&self.shape), self.dtype)
    }
    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
}

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

/// `1x3x32x32`; `scalar` without dimensions. Long shapes are cut.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "scalar".into();
    }
    let mut text = shape.iter().take(16).map(|d| d.to_string()).collect::<Vec<_>>().join("x");
    if shape.len() > 16 {
        text += "x...";
    }
    text
}

/// Number of elements, checked: all dimensions positive, at most 32 of them, the bytes addressable.
///
/// # Errors
/// Names what would be right.
pub(crate) fn elements(shape: &[usize], dtype: Dtype) -> Result<usize> {
    if shape.len() > 32 {
        return Err(Cause::Shape(format!("a shape of {} dimensions; at most 32 are supported", shape.len())).into());
    }
    if shape.contains(&0) {
        return Err(Cause::Shape(format!(
            "the shape {} has a dimension of 0; all must be positive",
            shape_text(shape)
        ))
        .into());
    }
    let bytes = shape.iter().try_fold(dtype.size(), |n, &d| n.checked_mul(d)).filter(|&n| n <= 1 << 50);
    bytes.map(|n| n / dtype.size()).ok_or_else(|| {
        Cause::TooLarge {
            what: format!("a tensor of shape {} and dtype {dtype}", shape_text(shape)),
            needed: "more than 2^50 bytes".into(),
            limit: "that cannot be addressed".into(),
        }
        .into()
    })
}

/// Names are text that fits one line of MLIR and a file name in an npz.
pub(crate) fn check_name(name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "it is empty"
    } else if name.len() > 1000 {
        "it is longer than 1000 bytes"
    } else if name.chars().any(|c| c.is_control()) {
        "it holds a control character"
    } else {
        return Ok(());
    };
    let shown: String = name.chars().take(40).collect();
    Err(super::argument("the name of a tensor", format!("{shown:?}"), problem))
}
