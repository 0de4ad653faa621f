//! The graph: tensors, operators, and the calls that added them. Each operator is checked as it is inserted.

use tpulang_array as array;
use tpulang_base as base;
use tpulang_ops as ops;
use tpulang_quant as quant;

use array::Array;
use base::{Dtype, Error, Result};

/// Unit tests and the functions' examples refer to these types by the names that `tpulang` exports.
#[cfg(test)]
use {functions::Scalar, quant::Quantization};

mod block;
mod builder;
mod call;
mod check_blocks;

mod control_flow;
mod copies;
mod custom_rules;
mod edit;
#[doc(hidden)]
pub mod emit;
mod find_operator;
pub mod functions;
mod gradients;
mod graph;
mod insert;
mod legalize;
mod lint;
mod mode;
mod operand;
pub mod optimizers;
mod part;
mod places;
mod preprocess;
mod propagate;
mod rewriter;
mod scope;
mod splice;
mod tensor;
mod tool_chain;
mod undo;
mod unroll;
mod variables;
mod warnings;

pub use block::{Block, MAX_NESTED_BLOCKS, Operator};
pub use builder::{GraphBuilder, Term, Value, Values, Weights};
#[doc(hidden)]
pub use call::{MadeBy, Recorded, RecordedCall};
pub use gradients::{Derivative, GradientSupport, gradient_support};
pub use graph::Graph;
pub use insert::NewOperator;
#[doc(hidden)]
pub use insert::NewResult;
pub use mode::Mode;
pub use operand::Operand;
pub use preprocess::{ChannelFormat, KeepRatioMode, PadType, PixelFormat, Preprocess};
#[doc(hidden)]
pub use rewriter::Rewriter;
#[doc(hidden)]
pub use scope::Scope;
pub use tensor::{Tensor, TensorInfo, TensorKind};
pub use unroll::{LoopInfo, MAX_UNROLLED};
