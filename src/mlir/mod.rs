//! Top dialect MLIR: the writer and the reader, and the pair of files (`.mlir` and weights `.npz`).
//!
//! This room alone knows melior.

mod attributes;
mod context;
mod pair;
mod reader;
mod types;
mod writer;

pub use pair::{Written, write_pair};
pub use reader::{read, read_text};
pub use writer::{Emitted, emit, weight_file_name};
