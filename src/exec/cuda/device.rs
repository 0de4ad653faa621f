//! Addresses, kernels and arguments, as a GPU knows them.
use crate::base::{Cause, Error};
use std::fmt;

/// The alignment in bytes of memory that kernels read and write: four elements of eight bytes at a time.
pub(super) const BLOCK_ALIGNMENT: u64 = 32;

/// The alignment in bytes that is guaranteed to cuBLASLt and cuDNN.
pub(super) const LIBRARY_ALIGNMENT: u32 = 16;

const _: () = assert!(BLOCK_ALIGNMENT.is_multiple_of(LIBRARY_ALIGNMENT as u64));

/// A place in a GPU's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Address(pub u64);

impl Address {
    /// So many bytes behind it.
    pub fn after(self, bytes: u64) -> Address {
        Address(self.0 + bytes)
    }
}

/// A kernel that is loaded, by the driver's own number. It stays as long as the GPU is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loaded(pub usize);

/// What a kernel gets for a parameter, by the parameter's type in CUDA C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum KernelValue {
    /// A pointer to anything.
    Address(Address),
    /// `long long`
    Int(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
}

impl KernelValue {
    /// If it is one.
    pub fn address(self) -> Option<Address> {
        if let KernelValue::Address(address) = self { Some(address) } else { None }
    }
    /// How a parameter is passed.
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

/// What is wrong with a device, or with what it needs.
pub(super) fn failure(device: &str, problem: impl fmt::Display) -> Error {
    Cause::Device { device: device.into(), problem: problem.to_string() }.into()
}
