//! Dtypes, shapes, lists of numbers, names and errors, which all other modules use.

mod dtype;
mod error;
mod escape;
#[doc(hidden)]
pub mod files;
mod lock;
mod nearest;
mod new_file;
mod numbers;
mod pair;
mod shape;
mod warning;
mod warning_kind;

pub use dtype::Dtype;
pub use error::{CallContext, Cause, Error, MAX_ERRORS, Place, Result};
pub use numbers::{FromNumber, Ints, OneOrMany};
pub use shape::Shape;
pub use warning::{Warning, Warnings};
pub use warning_kind::{Severity, WarningCode, WarningKind};

// Shared by the modules and crates of tpulang. Not part of its interface: these may change at any time.
#[doc(hidden)]
pub use error::{argument, invalid, misfit, truncated};
#[doc(hidden)]
pub use escape::{escaped, escaped_json, escaped_lines, escaped_path};
#[doc(hidden)]
pub use lock::Lock;
#[doc(hidden)]
pub use nearest::{MAX_LISTED, Suggestions, did_you_mean, nearest};
#[doc(hidden)]
pub use pair::NewPair;
#[doc(hidden)]
pub use shape::{check_name, check_rank, elements, pluralized, shape_text};
