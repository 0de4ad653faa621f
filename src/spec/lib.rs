//! The JSON graph spec, version 1: read into a graph, written from one, and its JSON Schema.
//!
//! ```
//! use tpulang::spec;
//! let text = r#"{
//!   "version": 1, "name": "net",
//!   "tensors": {"x": {"shape": [1, 3]}},
//!   "inputs": ["x"],
//!   "ops": [{"op": "relu", "args": {"input": "x"}, "out": "y"}],
//!   "outputs": ["y"]
//! }"#;
//! let graph = spec::from_text(text, "net.json", None)?;
//! assert_eq!(graph.operators().len(), 1);
//! assert_eq!(spec::to_text(&spec::from_text(&spec::to_text(&graph, None)?, "again", None)?, None)?, spec::to_text(&graph, None)?);
//! # Ok::<(), tpulang::Error>(())
//! ```

use tpulang_array as array;
use tpulang_base as base;
use tpulang_graph as graph;
use tpulang_graph::functions;
use tpulang_ops as ops;
use tpulang_quant as quant;

mod calls;
mod document;
mod expand;
mod expression;
mod format;
mod json_error;
mod node;
mod params;
mod plain;
mod read;
mod references;
mod schema;
mod tensors;
mod weights;
mod write;

#[doc(hidden)]
pub use document::begins_module;
pub use document::{Options, Weights, from_reader, from_text, read};
pub use format::format;
pub use params::Param;
pub use schema::json_schema;
pub use write::{save, to_text};
