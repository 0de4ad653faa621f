//! What every other room uses: dtypes, shapes, lists of numbers, names, errors. Knows no other room.

mod dtype;
mod error;
pub mod files;
mod lock;
mod nearest;
mod numbers;
mod pair;
mod shape;
mod warning;

pub use dtype::Dtype;
pub use error::{CallContext, Cause, Error, MAX_ERRORS, Place, Result};
pub use error::{argument, invalid, misfit, shown};
pub use lock::Lock;
pub use nearest::{Suggestions, nearest};
pub use numbers::{FromNumber, Ints, OneOrMany};
pub use pair::NewPair;
pub use shape::Shape;
pub use shape::{check_name, check_rank, counted, elements, shape_text};
pub use warning::{Warning, WarningKind, Warnings};
