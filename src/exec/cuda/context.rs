//! A GPU with its memory pool, fault records and libraries: the state that all programs of a backend share.
use super::{device_array::DeviceArray, driver::Gpu, faults::Faults, math_libraries::MathLibraries, memory::Pool};
use crate::{
    array::{Array, ArrayMut},
    base::{Dtype, Result, argument, invalid},
};
use std::{
    borrow::Cow,
    sync::{Arc, Condvar, Mutex, PoisonError},
};

/// Options for a [`CudaBackend`](super::CudaBackend).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CudaOptions {
    /// Allows cuBLASLt and cuDNN to compute float32 products in TF32 (10-bit mantissa), which is several times as fast.
    pub tf32: bool,
}

impl CudaOptions {
    /// Sets [`CudaOptions::tf32`].
    pub fn tf32(self, tf32: bool) -> Self {
        CudaOptions { tf32 }
    }
}

/// Notes for the user about fallbacks that slow down a plan, each recorded once.
#[derive(Default)]
pub(super) struct Notes(Mutex<Vec<String>>);

impl Notes {
    /// The maximum number of notes.
    const LIMIT: usize = 100;

    pub fn add(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < Notes::LIMIT && !notes.contains(&note) {
            notes.push(note);
        }
    }
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Allows one captured or replayed run at a time.
#[derive(Default)]
pub(super) struct Turn {
    holder: Mutex<Holder>,
    freed: Condvar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Holder {
    #[default]
    None,
    /// A run that uses only the GPU and ends soon.
    Gpu,
    /// A run with steps on the CPU. Their threads may start other runs, which must not wait for this one.
    Host,
}

impl Turn {
    /// Waits for the turn. Returns `None` if a run with steps on the CPU holds it.
    pub fn take(&self, has_host_steps: bool) -> Option<TurnGuard<'_>> {
        let mut holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *holder {
                Holder::None => {
                    *holder = if has_host_steps { Holder::Host } else { Holder::Gpu };
                    return Some(TurnGuard { turn: self });
                }
                Holder::Gpu => holder = self.freed.wait(holder).unwrap_or_else(PoisonError::into_inner),
                Holder::Host => return None,
            }
        }
    }
}

/// Releases the turn when dropped.
pub(super) struct TurnGuard<'t> {
    turn: &'t Turn,
}

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        *self.turn.holder.lock().unwrap_or_else(PoisonError::into_inner) = Holder::None;
        self.turn.freed.notify_all();
    }
}

/// A GPU and the state shared by its programs.
pub(super) struct Context {
    pub device: Arc<Gpu>,
    pub pool: Arc<Pool>,
    pub faults: Arc<Faults>,
    pub libraries: MathLibraries,
    pub options: CudaOptions,
    pub notes: Notes,
    /// Held while a plan that may be captured runs.
    pub turn: Turn,
}

impl Context {
    /// # Errors
    /// Returns an error if the driver, NVRTC or a required library is missing, or the GPU cannot be used.
    pub fn new(gpu: usize, options: &CudaOptions) -> Result<Context> {
        let device = Arc::new(Gpu::new(gpu)?);
        let pool = Pool::new(device.clone());
        let faults = Faults::new(device.clone());
        let libraries = MathLibraries::new(device.clone(), options.tf32)?;
        Ok(Context {
            device,
            pool,
            faults,
            libraries,
            options: *options,
            notes: Notes::default(),
            turn: Turn::default(),
        })
    }
    /// Returns a buffer that work on this backend's stream may use. For one of another backend of this GPU, waits for that
    /// backend's work.
    ///
    /// # Errors
    /// Returns an error if the buffer is on another GPU, or the other backend's work failed.
    pub fn admitted(&self, buffer: &DeviceArray) -> Result<DeviceArray> {
        let (own, found) = (self.device.number(), buffer.block.gpu());
        if own != found {
            let expected = format!("the session runs on GPU {own}; copy it there first");
            return Err(argument("the GPU of a buffer", found, expected));
        }
        Ok(DeviceArray { block: self.pool.admitted(&buffer.block)?, dtype: buffer.dtype, shape: buffer.shape.clone() })
    }
    /// Like [`Context::admitted`], for a list of operands, of which usually all are this backend's own.
    pub fn admitted_operands<'o>(&self, operands: &'o [Option<DeviceArray>]) -> Result<Cow<'o, [Option<DeviceArray>]>> {
        if operands.iter().flatten().all(|operand| self.pool.owns(&operand.block)) {
            return Ok(operands.into());
        }
        operands.iter().map(|operand| operand.as_ref().map(|o| self.admitted(o)).transpose()).collect()
    }
    /// Allocates memory for an array.
    pub fn allocate(&self, dtype: Dtype, shape: &[usize]) -> Result<DeviceArray> {
        let block = Arc::new(self.pool.block(bytes_of(dtype, shape))?);
        Ok(DeviceArray { block, dtype, shape: shape.to_vec() })
    }
    /// Copies an array within the GPU's memory to one of the same size, without waiting.
    ///
    /// # Errors
    /// Returns an error if the sizes differ, or earlier work has failed.
    pub fn copy(&self, from: &DeviceArray, to: &DeviceArray) -> Result<()> {
        match [from, to].map(|array| bytes_of(array.dtype, &array.shape)) {
            [bytes, room] if bytes != room => {
                Err(invalid(format!("internal error: {bytes} bytes are copied to a buffer of {room}")))
            }
            [0, _] => Ok(()),
            [bytes, _] => self.device.copy(from.block.address, to.block.address, bytes),
        }
    }
    /// Copies a buffer to newly allocated memory on the GPU, without waiting.
    pub fn duplicate(&self, from: &DeviceArray) -> Result<DeviceArray> {
        let to = self.allocate(from.dtype, &from.shape)?;
        self.copy(from, &to)?;
        Ok(to)
    }
    pub fn upload(&self, array: &Array) -> Result<DeviceArray> {
        let placed = self.allocate(array.dtype(), array.shape())?;
        self.device.write(placed.block.address, array.bytes()?)?;
        Ok(placed)
    }
    pub fn download(&self, buffer: &DeviceArray) -> Result<Array> {
        let buffer = self.admitted(buffer)?;
        let mut array = ArrayMut::zeros(buffer.dtype, &buffer.shape)?;
        self.pool.after(|| self.device.read(buffer.block.address, array.bytes()))?;
        Ok(array.freeze())
    }
}

fn bytes_of(dtype: Dtype, shape: &[usize]) -> u64 {
    shape.iter().fold(dtype.size() as u64, |n, d| n.saturating_mul(*d as u64))
}
