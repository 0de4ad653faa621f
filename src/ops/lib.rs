//! The ops of the Top dialect: a table and typed structs generated from `td/`, and their type rules, one file per
//! family.
//!
//! ```
//! use tpulang::ops::{Conv, op_def};
//! let conv = Conv { group: 4, ..Conv::new("x", "w", vec![3, 3], vec![1, 1], vec![1; 4]) };
//! assert_eq!((conv.input, conv.bias, conv.do_relu), ("x", None, false));
//! assert_eq!(op_def("Conv")?.operands[2].name, "bias");
//! # Ok::<(), tpulang::base::Error>(())
//! ```

use tpulang_array as array;
use tpulang_base as base;
use tpulang_quant as quant;

mod activation;
mod arithmetic;
mod attention;
mod attribute;
mod cast;
mod compare;
mod conv;
mod create;
mod custom;
mod def;
mod detect;
mod einsum;
mod gather;
#[allow(
    non_snake_case,
    non_camel_case_types,
    unused_mut,
    clippy::too_many_arguments,
    reason = "names and arguments are the dialect's"
)]
#[rustfmt::skip]
mod generated;
mod image;
mod layout;
mod math;
mod matmul;
mod mean_std;
mod norm;
mod pool;
mod recurrent;
mod reduce;
mod resize;
mod rules;
mod scatter;
mod select;
mod shift;
mod shuffle;
mod slice;
mod sort;
mod tile;
mod train;
mod types;
mod window;
mod work;

pub use attribute::{Attribute, Attributes, Dict, check_attributes};
pub use conv::Convolution;
pub use create::selected_dimensions;
pub use def::*;
pub use detect::is_square;
pub use einsum::{EinsumProduct, einsum_axes, einsum_products};
pub use gather::{PackedTable, packed_table};
pub use generated::*;
pub use layout::{pad_counts, split_sizes};
pub use matmul::Product;
pub use pool::{Pool, pool_windows};
pub use reduce::reduced_axes;
pub use resize::{SamplePoint, sample_points, target_sizes};
pub use rules::infer;
pub use scatter::Reduction;
pub use shuffle::{Image, depth_to_space};
pub use slice::{Span, axis_ranges, slice_ranges, strided_ranges};
pub use train::ConvBackward;
pub use types::{Choice, INTEGERS, Inferred, NUMBERS, Value};
pub use window::Window;
pub use work::Work;
