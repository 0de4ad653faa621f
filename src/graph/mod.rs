//! The graph: tensors, operators, names, and the checks made as each operator
//! is inserted.

mod attributes;
mod call;
mod dtype;
mod error;
#[expect(clippy::module_inception, reason = "the room is named after its main thing")]
mod graph;
mod op_def;
mod operand;
mod tensor;

pub use attributes::{Attribute, Attributes};
pub(crate) use call::RecordedCall;
pub use call::{Arguments, Call, Lowering, Outputs};
pub use dtype::Dtype;
pub use error::{CallContext, Cause, Error, Place, Result};
pub(crate) use error::{argument, invalid, nearest};
pub use graph::{Graph, Mode, Operator};
pub use op_def::{Arity, AttributeDef, AttributeKind, Default, OPS, OpDef, ValueDef, op_def};
pub(crate) use operand::VisitOperands;
pub use operand::{NewShape, OneOrMany, Operand, Scalar, TensorOrScalar};
pub use tensor::{Preprocess, Shape, Tensor, TensorInfo, TensorKind};
pub(crate) use tensor::{check_name, elements, shape_text};
