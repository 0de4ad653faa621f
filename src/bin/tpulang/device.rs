//! Where a model runs.
use std::str::FromStr;

/// `cpu`, `cuda` or `cuda:1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// This machine's processor.
    Cpu,
    /// The NVIDIA GPU of that number.
    #[cfg(feature = "cuda")]
    Cuda(usize),
}

impl FromStr for Device {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        #[cfg(feature = "cuda")]
        if let Some(number) = text.strip_prefix("cuda") {
            return match number.strip_prefix(':').map(str::parse) {
                None if number.is_empty() => Ok(Device::Cuda(0)),
                Some(Ok(number)) => Ok(Device::Cuda(number)),
                _ => Err("expected cuda, or cuda:1 and so on for another GPU".into()),
            };
        }
        match text {
            "cpu" => Ok(Device::Cpu),
            _ if cfg!(feature = "cuda") => Err("expected cpu, cuda, or cuda:1 and so on for another GPU".into()),
            _ => Err("expected cpu; this tpulang was built without CUDA".into()),
        }
    }
}
