//! Top dialect MLIR: the writer and the reader, and the pair of files (`.mlir` and weights `.npz`).
//!
//! Only this crate depends on melior.
#![allow(unsafe_code, reason = "MLIR's C API; docs/safety.md lists each use")]

use tpulang_array as array;
use tpulang_base as base;
use tpulang_graph as graph;
use tpulang_ops as ops;
use tpulang_quant as quant;

mod attributes;
mod canonical;
mod coefficient_form;
mod context;
mod lexer;
mod pair;
mod parse;
mod preprocessing;
mod reader;
mod structure;
mod text;
mod transposed;
mod types;
mod validate;
mod writer;

/// The beginning of the first line of an `.mlir`, followed by the [`fingerprint`](crate::array::fingerprint) of its weights
/// in hexadecimal. The line is a comment; tpuc-opt drops it, as it must, since it writes different weights.
const WEIGHTS_LINE: &str = "// tpulang: weights ";

pub use pair::{Written, write_pair, write_pair_naming};
#[doc(hidden)]
pub use reader::read_text_with;
pub use reader::{read, read_text};
pub use writer::{Emitted, emit, weight_file_name};
