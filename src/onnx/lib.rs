//! ONNX files as graphs.
//!
//! [`read`] walks the nodes of a file in order. A node whose operands are known is computed at once, with the kernels that would
//! run it (`fold.rs`); any other becomes operators of the Top dialect (`operators/`, by family). What remains of a network is what
//! depends on its inputs.

use tpulang_array as array;
use tpulang_base as base;
use tpulang_graph::emit;
use tpulang_graph::{Graph, Mode, Rewriter, Tensor, TensorKind};
use tpulang_ops as ops;
use tpulang_quant as quant;

mod coefficient;
mod cut;
mod fold;
mod import;
mod inline;
mod node;
mod operators;
mod options;
mod order;
mod patterns;
mod proto;
mod read;
mod report;
mod skim;
mod small_float;
mod tensors;
mod value;

pub use import::Evaluate;
pub use operators::{NEWEST, names};
pub use options::Options;
pub use read::{read, read_stream};
