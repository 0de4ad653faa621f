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
//! (`top.Conv`, `top.AddConst`), which are what is emitted (`mlir`) and executed ([`exec`]).
#![cfg_attr(
    not(feature = "mlir"),
    doc = "\nThis documentation is without the feature `mlir`, which adds the modules `mlir` and `conformance`."
)]
#![warn(missing_docs)]
#![forbid(unsafe_code)]

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// So is that of the guide to training.
#[cfg(doctest)]
#[doc = include_str!("../docs/training.md")]
pub struct Training;

// The command names its library like any other program.
#[cfg(feature = "cli")]
extern crate self as tpulang;

/// The command, which the Python package runs too.
#[cfg(feature = "cli")]
#[doc(hidden)]
#[path = "bin/tpulang/mod.rs"]
pub mod command;
#[cfg(feature = "mlir")]
pub mod conformance;
mod device;

/// Execution: backends, and the sessions that run a graph on one.
pub mod exec {
    pub use crate::device::Device;
    #[cfg(feature = "cuda")]
    #[doc(inline)]
    pub use tpulang_cuda::{CudaBackend, CudaOptions, CustomKernel, DeviceArray, KernelArgument, Program};
    #[doc(inline)]
    pub use tpulang_exec::*;
}

#[doc(inline)]
pub use tpulang_array as array;
/// Dtypes, shapes, lists of numbers, errors and warnings.
pub mod base {
    pub use tpulang_base::{
        CallContext, Cause, Dtype, Error, FromNumber, Ints, MAX_ERRORS, OneOrMany, Place, Result, Severity, Shape,
        Warning, WarningCode, WarningKind, Warnings,
    };
}
#[doc(inline)]
pub use tpulang_graph as graph;
#[doc(inline)]
pub use tpulang_graph::functions;
#[cfg(feature = "mlir")]
#[doc(inline)]
pub use tpulang_mlir as mlir;
#[doc(inline)]
pub use tpulang_ops as ops;
#[doc(inline)]
pub use tpulang_quant as quant;
#[doc(inline)]
pub use tpulang_show as show;
#[doc(inline)]
pub use tpulang_spec as spec;

pub use array::Array;
pub use base::{Dtype, Error, Result};
pub use functions::{Scalar, TensorOrScalar};
pub use graph::{Derivative, GradientSupport, Graph, Mode, Operand, Tensor, gradient_support};
pub use quant::Quantization;
