//! Execution: backends, and the runner that takes a graph through one.
//!
//! ```
//! use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, run}};
//! let mut g = Graph::new("net")?;
//! let x = g.input("x", Dtype::Float32, [2])?;
//! let y = g.relu(x).out_name("y").call()?;
//! g.set_outputs(&[y])?;
//! let feeds = [("x".to_owned(), Array::from([-1f32, 2.0]))].into_iter().collect();
//! let results = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default())?;
//! assert_eq!(results.tensors["y"].to_f32()?, [0.0, 2.0]);
//! # Ok::<(), tpulang::Error>(())
//! ```

mod backend;
mod compare;
mod cpu;
mod runner;

pub use backend::{Backend, Task, Typed};
pub use compare::{Comparison, Tolerance, compare};
pub use cpu::CpuBackend;
pub use runner::{RunOptions, RunResults, run};
