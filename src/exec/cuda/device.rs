//! Addresses, kernels and arguments, as a GPU knows them.
use crate::base::{Cause, Error};
use std::fmt;

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
    /// If it is one.
    pub fn address(self) -> Option<Address> {
        if let Value::Address(address) = self { Some(address) } else { None }
    }
    /// How a parameter is passed.
    pub fn bytes(self) -> [u8; 8] {
        match self {
            Value::Address(a) => a.0.to_ne_bytes(),
            Value::Int(i) => i.to_ne_bytes(),
            Value::Double(d) => d.to_ne_bytes(),
            Value::Float(f) => {
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
