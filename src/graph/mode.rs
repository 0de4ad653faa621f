use serde::{Deserialize, Serialize};

/// Whether the emitted module is float or already quantized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Module state `TOP_F32`.
    #[default]
    F32,
    /// Module state `TOP_QUANTIZED`.
    Quantized,
}

impl Mode {
    /// Returns the module's state attribute, which is also part of the weight file's name.
    pub fn state(self) -> &'static str {
        match self {
            Mode::F32 => "TOP_F32",
            Mode::Quantized => "TOP_QUANTIZED",
        }
    }
}
