//! Build networks TpuLang-style, check them as they grow, write them as Top
//! dialect MLIR for the TPU-MLIR tool chain, and run them.
//!
//! ```
//! use tpulang::{Dtype, Graph};
//!
//! let mut g = Graph::new("tiny")?;
//! let x = g.input("x", Dtype::Float32, [1, 3, 8, 8])?;
//! let w = g.coefficient("w", tpulang::Array::from_vec([4, 3, 3, 3], vec![0.1f32; 108])?)?;
//! let y = g.conv(x, w).pad(1).out_name("y").call()?;
//! let z = g.relu(y).call()?;
//! g.set_outputs(&[z])?;
//! assert_eq!(g.tensor(z)?.shape, [1, 4, 8, 8]);
//! # Ok::<(), tpulang::Error>(())
//! ```
//!
//! A *function* is what is called here ([`Graph::conv`], [`Graph::add`]); it adds one or more *operators*
//! (`top.Conv`, `top.AddConst`), which are what is emitted ([`mlir`]) and executed ([`exec`]).
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![warn(clippy::undocumented_unsafe_blocks)]

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

#[cfg(feature = "mlir")]
pub mod conformance;
pub mod exec;
pub mod functions;
pub mod graph;
#[cfg(feature = "mlir")]
#[allow(unsafe_code, reason = "MLIR's C API; docs/architecture.md lists each use")]
pub mod mlir;
pub mod spec;

#[doc(inline)]
pub use tpulang_core::{array, base, ops, quant};

pub use array::Array;
pub use base::{Dtype, Error, Result};
pub use functions::{Scalar, TensorOrScalar};
pub use graph::{Graph, Mode, Operand, Tensor};
pub use quant::Quantization;
