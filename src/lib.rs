//! Build neural networks operator by operator, check them as they grow, run them, and write them as Top dialect MLIR for the
//! TPU-MLIR tool chain. The functions are those of TpuLang, the Python module of TPU-MLIR.
//!
//! # A tour
//!
//! A [`GraphBuilder`] holds a graph; a [`Value`] is one of its tensors. Functions are methods with setters for optional
//! arguments, and every call is checked when it is made:
//!
//! ```
//! use tpulang::{Array, Dtype, GraphBuilder};
//!
//! let g = GraphBuilder::new("tiny")?;
//! let x = g.input("x", Dtype::Float32, [1, 3, 8, 8])?;
//! let w = g.coefficient("w", Array::filled(Dtype::Float32, [3, 3, 3, 3], 0.1)?)?;
//! let y = x.conv(w).pad(1).call()?;
//! let z = (x + y * 0.5).call()?.relu().out_name("z").call()?;
//! assert_eq!(z.shape()?, [1, 3, 8, 8]);
//!
//! let error = x.conv(w).group(2).call().unwrap_err();
//! assert!(error.to_string().starts_with("conv (ops[4]): "));
//!
//! let graph = g.build(z)?;
//! # Ok::<(), tpulang::Error>(())
//! ```
//!
//! The [`Graph`] is data: it is run, written, edited, or copied into another.
//!
//! **Weights** come from `.safetensors`, `.npz` or `.pt` files by name, with their shapes: [`GraphBuilder::weights`].
//!
//! **Run** it with a session, as often as you like and from any thread. Arrays are made of ndarrays, vectors and slices, and
//! results can be saved as they are:
//!
//! ```
//! use tpulang::{Array, Dtype, GraphBuilder, array::write_npz, exec::{CpuBackend, RunOptions, Session}};
//!
//! let g = GraphBuilder::new("tiny")?;
//! let y = g.input("x", Dtype::Float32, [2, 2])?.abs().out_name("y").call()?;
//! let session = Session::new(&g.build(y)?, CpuBackend::new(), &RunOptions::default())?;
//! let results = session.run(&[("x", Array::from(ndarray::array![[1f32, -2.0], [-3.0, 4.0]]))])?;
//! assert_eq!(results["y"].view::<f32>()?[[1, 0]], 3.0);
//! # let path = std::env::temp_dir().join("tpulang-tour.npz");
//! write_npz(&path, results)?;
//! # Ok::<(), tpulang::Error>(())
//! ```
//!
//! [`exec::Device`] opens a GPU by name (`"cuda:0"`).
//!
//! **Write** it for the tool chain with `mlir::write_pair(&graph, folder)?`, which returns the paths of the `.mlir` and its
//! weights. `tpuc-opt` and `model_deploy` of TPU-MLIR take them from there.
//!
//! **Quantized** networks have integers with scales, which calls check and sessions compute as the chip does:
//!
//! ```
//! use tpulang::{Array, Dtype, GraphBuilder, Mode};
//!
//! let g = GraphBuilder::new("int8")?;
//! g.edit(|graph| Ok(graph.mode = Mode::Quantized))?;
//! let x = g.input("x", Dtype::Float32, [1, 3, 8, 8])?.requant_fp_to_int(0.02, 0, 0, Dtype::Int8).call()?;
//! let w = Array::filled(Dtype::Int8, [4, 3, 3, 3], 7.0)?;
//! let y = x.conv_quant(w).weight_scale(0.01).output_scale(0.05).pad(1).call()?;
//! let z = y.relu().call()?.dequant_int_to_fp(0.05, 0.0).call()?;
//! assert_eq!((y.dtype()?, z.dtype()?), (Dtype::Int8, Dtype::Float32));
//! # Ok::<(), tpulang::Error>(())
//! ```
//!
//! **Branches and loops** are closures: [`GraphBuilder::cond`], [`while_loop`](GraphBuilder::while_loop),
//! [`for_loop`](GraphBuilder::for_loop) and [`scan`](GraphBuilder::scan). **Training** is part of a graph:
//! [`Graph::gradients`], [`Graph::minimize`]. **Warnings** are what a graph computes and probably should not:
//! [`Graph::warnings`].
//!
//! # Where to find what
//!
//! | module | content |
//! | --- | --- |
//! | [`graph`] | graphs, builders, values; editing, gradients, optimizers |
//! | [`functions`] | what is called: arguments, defaults, calls by name |
//! | [`ops`] | what is emitted and executed: the 200 ops of the Top dialect |
//! | [`exec`] | sessions and backends |
//! | [`calibrate`] | statistics and thresholds for 8-bit chips |
//! | [`array`](mod@array) | arrays; npz, safetensors, DLPack |
//! | [`quant`] | scales, zero points, rounding |
#![cfg_attr(feature = "mlir", doc = "| [`mlir`] | MLIR, written and read |")]
#![cfg_attr(feature = "onnx", doc = "| [`onnx`] | ONNX files |")]
//! | [`spec`] | networks as JSON |
//! | [`show`] | tables, pages and drawings of networks |
//!
//! A *function* ([`Value::conv`], [`Value::add`]) adds one or more *operators* (`top.Conv`, `top.AddConst`).
//! [`Graph`] has the functions, too, for handles ([`Tensor`]) instead of values. The folder `docs` of the repository has guides,
//! and `examples/networks` has ResNet-50, BERT and a quantized network.
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

/// So are those of the guides.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
pub struct Rust;
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
pub use tpulang_calibrate as calibrate;
#[doc(inline)]
pub use tpulang_graph as graph;
#[doc(inline)]
pub use tpulang_graph::functions;
#[cfg(feature = "mlir")]
#[doc(inline)]
pub use tpulang_mlir as mlir;
#[cfg(feature = "onnx")]
pub mod onnx;
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
pub use graph::{
    Derivative, GradientSupport, Graph, GraphBuilder, Mode, Operand, Tensor, Value, Weights, gradient_support,
};
pub use quant::Quantization;
