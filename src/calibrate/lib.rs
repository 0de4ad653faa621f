//! Calibration: how large the numbers of each tensor are, and which range of them an 8-bit chip should represent.
//!
//! [`Statistics`] are collected while a network runs on samples. They hold a histogram of each tensor and nothing else, so their
//! memory does not depend on the number of samples, and statistics of different samples merge into exactly those of all of
//! them, in whatever order. A [`Method`] turns a histogram into a threshold, and a [`Table`] of thresholds is what the tool chain's
//! `model_deploy --calibration_table` takes.
//!
//! ```
//! use tpulang::{Array, Dtype, Graph, calibrate::{Method, Precision, Statistics}, exec::{CpuBackend, FusionLevel, RunOptions, Session}};
//! let mut g = Graph::new("net")?;
//! let x = g.input("x", Dtype::Float32, [4])?;
//! let y = g.relu(x).out_name("y").call()?;
//! g.set_outputs(&[y])?;
//! let session = Session::new(&g, CpuBackend::new(), &RunOptions::default().fusion(FusionLevel::Layouts))?;
//!
//! let mut statistics = Statistics::new(&g)?;
//! statistics.run(&session, &["first"], &[("x", Array::from([-3f32, 0.0, 1.0, 2.0]))])?;
//! statistics.run(&session, &["second"], &[("x", Array::from([-1f32, 1.0, 1.5, 2.5]))])?;
//! let table = statistics.table(Method::Max, Precision::Int8)?;
//! assert_eq!((table.entries["x"].threshold, table.entries["y"].threshold), (3.0, 2.5));
//! assert!(table.to_string().ends_with("x 3.0000000 -3.0000000 2.5000000\ny 2.5000000 0.0000000 2.5000000\n"));
//! # Ok::<(), tpulang::Error>(())
//! ```

use std::borrow::Cow;
use tpulang_array as array;
use tpulang_base as base;
use tpulang_exec as exec;
use tpulang_graph as graph;
use tpulang_ops as ops;

mod chooser;
mod completed;
mod difference;
mod histogram;
mod infinities;
mod judge;
mod lanes;
mod methods;
mod quantize_table;
mod quantized;
mod search;
mod statistics;
mod table;

pub use chooser::Chooser;
pub use difference::{Difference, differences};
pub use histogram::Histogram;
pub use methods::{LEAST_THRESHOLD, Method, Precision};
pub use quantize_table::{Mode, QuantizeTable};
pub use quantized::QuantizedNetwork;
pub use search::Search;
pub use statistics::{Statistics, TensorStatistics};
pub use table::{Entry, Table};

/// Returns the elements as float32. They are not copied if they are stored so.
fn numbers(array: &array::Array) -> base::Result<Cow<'_, [f32]>> {
    match array.dtype() {
        base::Dtype::Float32 => array.elements(),
        _ => array.to_f32().map(Cow::Owned),
    }
}
