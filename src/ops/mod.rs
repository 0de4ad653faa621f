//! The ops of the Top dialect: what `td/` says of them, as a table and as typed structs, and their type rules, one file a
//! family.
//!
//! ```
//! use tpulang::ops::{Conv, op_def};
//! let conv = Conv { group: 4, ..Conv::new("x", "w", vec![3, 3], vec![1, 1], vec![1; 4]) };
//! assert_eq!((conv.input, conv.bias, conv.do_relu), ("x", None, false));
//! assert_eq!(op_def("Conv")?.operands[2].name, "bias");
//! # Ok::<(), tpulang::Error>(())
//! ```

mod activation;
mod arithmetic;
mod attribute;
mod cast;
mod compare;
mod conv;
mod def;
mod gather;
mod layout;
mod matmul;
mod norm;
mod pool;
mod reduce;
mod rules;
mod select;
mod sort;
mod types;
mod window;

pub(crate) use attribute::check_attributes;
pub use attribute::{Attribute, Attributes, Dict};
pub(crate) use conv::dilations;
pub use def::*;
pub(crate) use def::{Slot, operator_error};
pub(crate) use layout::{pad_counts, slice_ranges, split_sizes};
pub(crate) use matmul::Product;
pub(crate) use pool::windows;
pub(crate) use reduce::reduced_axes;
pub(crate) use rules::{infer, without_rule};
pub(crate) use types::{Choice, Inferred, Value};
pub(crate) use window::Window;
