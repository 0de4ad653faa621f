//! The devices that this build supports.
use crate::{
    base::{Error, Result},
    exec::{AnyBackend, CpuBackend},
};
use std::{fmt, str::FromStr};

/// A device by its name: `cpu`, `cuda` (the first NVIDIA GPU) or `cuda:1`.
///
/// ```
/// use tpulang::exec::Device;
/// let device: Device = "cpu".parse()?;
/// let backend = device.open()?; // for `Session::new`
/// assert_eq!(device.to_string(), "cpu");
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Device {
    /// The CPU of this machine.
    #[default]
    Cpu,
    /// The NVIDIA GPU with this ordinal, which counts from 0.
    #[cfg(feature = "cuda")]
    Cuda(usize),
}

impl Device {
    /// Opens the device with default options.
    ///
    /// # Errors
    /// Returns an error if the device does not exist or may not be used, or if its driver is missing or too old.
    pub fn open(self) -> Result<AnyBackend> {
        match self {
            Device::Cpu => Ok(AnyBackend::new(CpuBackend::new())),
            #[cfg(feature = "cuda")]
            Device::Cuda(gpu) => crate::exec::CudaBackend::new(gpu).map(AnyBackend::new),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            #[cfg(feature = "cuda")]
            Device::Cuda(gpu) => write!(f, "cuda:{gpu}"),
        }
    }
}

impl FromStr for Device {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        #[cfg(feature = "cuda")]
        if let Some(number) = text.strip_prefix("cuda") {
            return match number.strip_prefix(':').map(str::parse) {
                None if number.is_empty() => Ok(Device::Cuda(0)),
                Some(Ok(number)) => Ok(Device::Cuda(number)),
                _ => Err(Error::new("expected cuda, or cuda:N for another GPU (N counts from 0)")),
            };
        }
        match text {
            "cpu" => Ok(Device::Cpu),
            _ if cfg!(feature = "cuda") => {
                Err(Error::new("expected cpu, cuda, or cuda:N for another GPU (N counts from 0)"))
            }
            _ => Err(Error::new("expected cpu; this tpulang was built without CUDA")),
        }
    }
}
