//! The ops of the Top dialect: what `td/` says of them, as a table and as typed structs, and their type rules, one file a
//! family.
//!
//! ```
//! use tpulang_core::ops::{Conv, op_def};
//! let conv = Conv { group: 4, ..Conv::new("x", "w", vec![3, 3], vec![1, 1], vec![1; 4]) };
//! assert_eq!((conv.input, conv.bias, conv.do_relu), ("x", None, false));
//! assert_eq!(op_def("Conv")?.operands[2].name, "bias");
//! # Ok::<(), tpulang_core::base::Error>(())
//! ```

mod activation;
mod arithmetic;
mod attention;
mod attribute;
mod cast;
mod compare;
mod conv;
mod def;
mod detect;
mod gather;
mod image;
mod layout;
mod matmul;
mod norm;
mod pool;
mod reduce;
mod resize;
mod rules;
mod select;
mod sort;
mod types;
mod window;

pub use attribute::{Attribute, Attributes, Dict, check_attributes};
pub use conv::dilations;
pub use def::*;
pub use layout::{pad_counts, slice_ranges, split_sizes};
pub use matmul::Product;
pub use pool::windows;
pub use reduce::reduced_axes;
pub use resize::target_sizes;
pub use rules::infer;
pub use types::{Choice, INTEGERS, Inferred, Value};
pub use window::Window;
