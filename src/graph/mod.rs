//! The graph: tensors, operators, and the calls that added them. Each operator is checked as it is inserted.

mod block;
mod call;
mod edit;
#[expect(clippy::module_inception, reason = "the module is named after its main type")]
mod graph;
mod insert;
mod mode;
mod operand;
mod preprocess;
mod propagate;
mod scope;
mod splice;
mod tensor;
mod undo;
mod yields;

pub use block::{Block, MAX_NESTED_BLOCKS, Operator};
pub(crate) use call::{MadeBy, Recorded, RecordedCall};
pub use graph::Graph;
pub use insert::NewOperator;
pub(crate) use insert::NewResult;
pub use mode::Mode;
pub use operand::Operand;
pub use preprocess::{ChannelFormat, KeepRatioMode, PadType, PixelFormat, Preprocess};
pub use tensor::{Tensor, TensorInfo, TensorKind};
