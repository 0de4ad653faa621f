//! What tpulang stands on: arrays and their files, quantization, and the ops of the Top dialect as typed structs
//! with their type rules. Use it through the crate `tpulang`, which has all of it under the same names.
//!
//! It is a crate of its own because it changes seldom and is large, the ops above all: the compiler then keeps what
//! it made of it.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod array;
pub mod base;
pub mod ops;
pub mod quant;
