//! Execution: backends, and the session that runs a graph on one.
//!
//! ```
//! use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
//! let mut g = Graph::new("net")?;
//! let x = g.input("x", Dtype::Float32, [2])?;
//! let h = g.relu(x).out_name("h").call()?;
//! let y = g.add(h, 1.0).out_name("y").call()?;
//! g.set_outputs(&[y])?;
//! // Prepared once, run many times, from any thread.
//! let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
//! let results = session.run(&[("x", Array::from([-1f32, 2.0]))])?;
//! assert_eq!(results["y"].to_f32()?, [1.0, 3.0]);
//! // Intermediate tensors can be fetched, and fed.
//! let results = session.fetch(&[("h", Array::from([5f32, 6.0]))], &["y"])?;
//! assert_eq!(results["y"].to_f32()?, [6.0, 7.0]);
//! # Ok::<(), tpulang::Error>(())
//! ```

use tpulang_array as array;
use tpulang_base as base;
use tpulang_graph as graph;
use tpulang_ops as ops;
use tpulang_quant as quant;

/// Unit tests build graphs.
#[cfg(test)]
use {
    array::Array,
    base::Dtype,
    graph::{Graph, Tensor},
    quant::Quantization,
    tpulang_graph::functions::Scalar,
};

mod any;
mod backend;
mod bisect;
mod compare;
mod control_flow;
mod cpu;
mod feeds;
mod finite;
#[doc(hidden)]
pub mod heads;
mod heap;
mod interrupt;
mod kept_plans;
mod measure;
mod names;
mod overflow;
mod placement;
mod plan;
mod preprocess;
mod processors;
mod profile;
mod random;
mod run_into;
mod run_on;
mod run_options;
mod saturated;
#[doc(hidden)]
pub mod semantics;
mod session;
mod signature;
mod state;
mod steps;
mod threads;
mod value_info;
#[doc(hidden)]
pub mod views;
mod visit;

pub use any::{AnyBackend, AnyBuffer, AnyKernel};
pub use backend::{Backend, Fusion, Kernel, KernelInfo, Layouts, Recorder, Run};
pub use bisect::{Bisection, Culprit, bisect};
pub use compare::{
    Comparison, Histogram, Match, Pair, Parts, Rename, Source, Tolerance, compare, pair_names, real_numbers,
};
pub use cpu::{CpuBackend, CustomCall};
pub use feeds::Feeds;
pub use interrupt::Interrupt;
pub use measure::Latency;
pub use preprocess::preprocess;
pub use profile::{KindTime, StepTime, by_kind, critical_path};
pub use random::random_feeds;
pub use run_options::{FusionLevel, RunOptions};
pub use session::{RunResults, Session, run};
pub use signature::{Layout, Operand, Precision, Signature, ValueType};
pub use value_info::ValueInfo;
