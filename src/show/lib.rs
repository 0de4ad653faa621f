//! Tables, drawings and pages that show a network.
//!
//! ```
//! use tpulang::{Dtype, Graph, show::Network};
//! let mut g = Graph::new("net")?;
//! let x = g.input("x", Dtype::Float32, [2, 3])?;
//! let y = g.scope("head", |g| g.relu(x).out_name("y").call())?;
//! g.set_outputs(&[y])?;
//! let network = Network::new(&g);
//! assert!(network.table(None).contains("head/"));
//! assert!(network.dot(None).starts_with("digraph"));
//! # Ok::<(), tpulang::Error>(())
//! ```

use tpulang_array as array;
use tpulang_base as base;
use tpulang_graph as graph;
use tpulang_ops as ops;
use tpulang_quant as quant;

mod differences;
mod dot;
mod drawing;
mod family;
mod figures;
mod groups;
mod layout;
mod memory;
mod network;
mod page;
mod profile;
mod sections;
mod statistics;
mod svg;
mod table;
mod write;

#[cfg(test)]
mod tests;

pub use differences::{Differences, differences};
pub use network::Network;
pub use profile::Profile;
pub use write::{frame, write};
