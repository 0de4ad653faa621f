//! The graph: tensors, operators and the calls that made them, names, quantization; checked as each operator is inserted.

mod block;
mod call;
mod edit;
#[expect(clippy::module_inception, reason = "the room is named after its main thing")]
mod graph;
mod insert;
mod mode;
mod operand;
mod preprocess;
mod propagate;
mod splice;
mod tensor;
mod undo;
mod warnings;

pub use block::{Block, Operator};
pub(crate) use call::{MadeBy, Recorded, RecordedCall};
pub use graph::Graph;
pub use insert::NewOperator;
pub(crate) use insert::NewResult;
pub use mode::Mode;
pub use operand::Operand;
pub use preprocess::{ChannelFormat, KeepRatioMode, PadType, PixelFormat, Preprocess};
pub use tensor::{Tensor, TensorInfo, TensorKind};
