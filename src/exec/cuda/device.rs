//! Device addresses, loaded kernels and kernel arguments.
use crate::base::{Cause, Error};
use std::fmt;

/// The alignment in bytes of memory that kernels access: up to four 8-byte elements at a time.
pub(super) const BLOCK_ALIGNMENT: u64 = 32;

/// The alignment in bytes that cuBLASLt and cuDNN may rely on.
pub(super) const LIBRARY_ALIGNMENT: u32 = 16;

const _: () = assert!(BLOCK_ALIGNMENT.is_multiple_of(LIBRARY_ALIGNMENT as u64));

/// An address in a GPU's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Address(pub u64);

impl Address {
    /// Returns the address `bytes` bytes further on.
    pub fn after(self, bytes: u64) -> Address {
        Address(self.0 + bytes)
    }
}

/// The driver's handle of a loaded kernel, valid while the GPU is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loaded(pub usize);

/// The value of a kernel parameter, by its type in CUDA C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum KernelValue {
    /// A pointer of any type.
    Address(Address),
    /// `long long`, or a 32-bit integer that can hold the value.
    Int(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
}

impl KernelValue {
    /// Returns the address, if it is one.
    pub fn address(self) -> Option<Address> {
        if let KernelValue::Address(address) = self { Some(address) } else { None }
    }
    /// Returns the bytes that are passed to the driver.
    pub fn bytes(self) -> [u8; 8] {
        match self {
            KernelValue::Address(a) => a.0.to_ne_bytes(),
            KernelValue::Int(i) => i.to_ne_bytes(),
            KernelValue::Double(d) => d.to_ne_bytes(),
            KernelValue::Float(f) => {
                let [a, b, c, d] = f.to_ne_bytes();
                [a, b, c, d, 0, 0, 0, 0]
            }
        }
    }
}

/// Creates an error of a device or of a library that it needs.
pub(super) fn failure(device: &str, problem: impl fmt::Display) -> Error {
    Cause::Device { device: device.into(), problem: problem.to_string() }.into()
}
