//! Top dialect MLIR: the writer and the reader, and the pair of files (`.mlir` and weights `.npz`).
//!
//! Only this module depends on melior.

mod attributes;
mod context;
mod lexer;
mod pair;
mod parse;
mod reader;
mod text;
mod types;
mod validate;
mod writer;

/// The beginning of the first line of an `.mlir`. The [`fingerprint`](crate::array::fingerprint) of its weights follows in
/// hexadecimal. The line is a comment, which tpuc-opt drops, as it must, since it writes other weights.
const WEIGHTS_LINE: &str = "// tpulang: weights ";

pub use pair::{Written, write_pair};
pub(crate) use reader::read_text_with;
pub use reader::{read, read_text};
pub use writer::{Emitted, emit, weight_file_name};
