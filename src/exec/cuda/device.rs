//! What a device does, whichever it is: a GPU by its driver, or this machine's CPU that emulates one.
use super::{geometry::Geometry, source::Source};
use crate::base::{Cause, Error, Result};
use std::fmt;

/// A place in a device's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Address(pub u64);

impl Address {
    /// So many bytes behind it.
    pub(super) fn after(self, bytes: u64) -> Address {
        Address(self.0 + bytes)
    }
}

/// A kernel that is loaded, by the device's own number. It stays as long as the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loaded(pub usize);

/// What a kernel gets for a parameter, by the parameter's type in CUDA C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// A pointer to anything.
    Address(Address),
    /// `long long`
    Int(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
}

impl Value {
    /// The letter of its kind, and its bytes: how a parameter is passed.
    pub fn passed(self) -> (char, [u8; 8]) {
        match self {
            Value::Address(a) => ('p', a.0.to_ne_bytes()),
            Value::Int(i) => ('i', i.to_ne_bytes()),
            Value::Double(d) => ('d', d.to_ne_bytes()),
            Value::Float(f) => {
                let [a, b, c, d] = f.to_ne_bytes();
                ('f', [a, b, c, d, 0, 0, 0, 0])
            }
        }
    }
}

/// A device with memory of its own and one stream: what it is told is done in that order, launches without waiting.
pub(super) trait Device: Send + Sync {
    /// For people: `NVIDIA H200`.
    fn name(&self) -> String;
    /// Memory for so many bytes, aligned to 256.
    ///
    /// # Errors
    /// There is not enough.
    fn allocate(&self, bytes: u64) -> Result<Address>;
    /// Gives memory back, which everything that was told before may still use.
    fn free(&self, address: Address);
    /// Bytes that are free.
    fn available(&self) -> Result<u64>;
    /// Copies in; when it returns, `from` may change.
    fn write(&self, to: Address, from: &[u8]) -> Result<()>;
    /// Copies out, after everything that was told before.
    fn read(&self, from: Address, to: &mut [u8]) -> Result<()>;
    /// Makes a kernel ready.
    ///
    /// # Errors
    /// It does not compile, or what compiles it is not there.
    fn load(&self, source: &Source) -> Result<Loaded>;
    /// Tells the device to run a kernel; no geometry may be empty.
    ///
    /// # Errors
    /// The launch is impossible, or something has failed before.
    fn launch(&self, kernel: Loaded, geometry: Geometry, arguments: &[Value]) -> Result<()>;
    /// Waits until everything is done.
    ///
    /// # Errors
    /// Something has failed.
    fn synchronise(&self) -> Result<()>;
}

/// What is wrong with a device, or with what it needs.
pub(super) fn failure(device: &str, problem: impl fmt::Display) -> Error {
    Cause::Device { device: device.into(), problem: problem.to_string() }.into()
}
