//! The functions that users call, one file per family: arguments, checks, and the lowering to operators. `list.rs` lists
//! them all.
//!
//! ```
//! use tpulang::{Dtype, Graph, functions::{self, Value}};
//! let mut g = Graph::new("g")?;
//! let x = g.input("x", Dtype::Float32, [1, 3, 8, 8])?;
//! // By name, with values whose types are known at run time only.
//! let y = functions::call(&mut g, "maxpool2d", [("input", Value::from(x)), ("kernel", 2.into()), ("stride", 2.into())])?;
//! assert_eq!(g.tensor(y[0])?.shape, [1, 3, 4, 4]);
//! # Ok::<(), tpulang::Error>(())
//! ```

mod activation;
mod aliases;
mod argument;
pub(crate) mod arithmetic;
mod attention;
mod by_name;
mod cast;
mod compare;
mod conv;
mod create;
mod custom;
mod declare;
mod deconv;
mod deformable;
mod detect;
mod dtypes;
mod function;
mod gather;
mod image;
mod kind;
mod layout;
mod list;
mod lowering;
mod math;
mod matmul;
mod mean_std;
mod norm;
mod operands;
mod packed;
mod pool;
mod qwen;
mod qwen_layer;
mod reduce;
mod resize;
mod scatter;
mod select;
mod shift;
mod signature;
mod slice;
mod sort;
mod steps;
#[cfg(test)]
mod testing;
mod tile;
mod value;

pub use aliases::known_elsewhere;
pub use argument::Each;
#[doc(hidden)]
pub use argument::closest;
#[doc(hidden)]
pub use argument::{Argument, Mismatch};
pub use by_name::call;
#[doc(hidden)]
pub use by_name::{ByName, attribute_value, call_with, unknown_argument};
pub use custom::Params;
pub(crate) use declare::function;
pub(crate) use function::call_by_name;
pub use function::{ArgumentDef, ArgumentSet, Arguments, Call, Function, FunctionDef, Outputs, Returns, Target};
#[doc(hidden)]
pub use function::{BadArgument, BadCall, Given, Named, converted, word};
pub use kind::ArgumentKind;
pub use list::{function_def, functions};
pub use operands::{NewShape, Operands, Scalar, TensorOrScalar};
pub use signature::{Parameter, Signature};
pub use value::Value;
#[doc(hidden)]
pub use value::{not_finite, number_to_json};

/// The structs of the functions' arguments.
pub mod args {
    pub use super::{
        activation::*, arithmetic::*, attention::*, cast::*, compare::*, conv::*, create::*, custom::*, deconv::*,
        deformable::*, detect::*, gather::*, image::*, layout::*, math::*, matmul::*, mean_std::*, norm::*, packed::*,
        pool::*, qwen::*, reduce::*, resize::*, scatter::*, select::*, shift::*, slice::*, sort::*, tile::*,
    };
}
