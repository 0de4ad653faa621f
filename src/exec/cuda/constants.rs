//! Constants that a program keeps on the device.
use super::{context::Context, memory::Block, slot::Slot};
use crate::base::Result;
use std::sync::Arc;

/// The constants of a program that is being built.
pub(super) struct Constants<'a> {
    cuda: &'a Context,
    blocks: Vec<Arc<Block>>,
}

impl<'a> Constants<'a> {
    pub fn new(cuda: &'a Context) -> Constants<'a> {
        Constants { cuda, blocks: Vec::new() }
    }
    /// Uploads `numbers`.
    ///
    /// # Errors
    /// Returns an error if the device memory is exhausted or the copy fails.
    pub fn add<T: bytemuck::NoUninit>(&mut self, numbers: &[T]) -> Result<Slot> {
        let bytes = bytemuck::cast_slice(numbers);
        let block = self.cuda.pool.block(bytes.len() as u64)?;
        self.cuda.device.write(block.address, bytes)?;
        self.blocks.push(Arc::new(block));
        Ok(Slot::Constant(self.blocks.len() - 1))
    }
    pub fn into_blocks(self) -> Vec<Arc<Block>> {
        self.blocks
    }
}
