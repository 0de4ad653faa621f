//! Memory of a device: what nobody has any more serves what comes next.
use super::{device::Address, driver::Gpu};
use crate::{
    array::{byte_text, too_large},
    base::{Cause, Error, Result},
};
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Blocks have multiples of so many bytes, so that those of almost equal sizes serve each other.
const STEP: u64 = 512;

/// A device's memory. Blocks that were given back wait for results of their size: the device does what it is told in order,
/// so who gets a block next writes it after all that was told before.
pub(super) struct Pool {
    device: Arc<Gpu>,
    free: Mutex<Vec<(u64, Address)>>,
}

/// Memory on a device, which goes back to its pool when nobody has it any more.
pub(super) struct Block {
    pub address: Address,
    bytes: u64,
    pool: Arc<Pool>,
}

impl Drop for Block {
    fn drop(&mut self) {
        self.pool.free().push((self.bytes, self.address));
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} on the device", byte_text(self.bytes))
    }
}

impl Pool {
    pub fn new(device: Arc<Gpu>) -> Arc<Pool> {
        Arc::new(Pool { device, free: Mutex::default() })
    }
    fn free(&self) -> MutexGuard<'_, Vec<(u64, Address)>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Memory for so many bytes, with anything in it.
    ///
    /// # Errors
    /// There is not enough, also without what waits to be used again.
    pub fn block(self: &Arc<Self>, bytes: u64) -> Result<Block> {
        let bytes = bytes.max(1).checked_next_multiple_of(STEP).ok_or_else(|| self.refused(bytes))?;
        let block = |address, bytes| Block { address, bytes, pool: self.clone() };
        if let Some((bytes, address)) = self.take(bytes) {
            return Ok(block(address, bytes));
        }
        if let Ok(address) = self.device.allocate(bytes) {
            return Ok(block(address, bytes));
        }
        self.release();
        self.device.allocate(bytes).map(|address| block(address, bytes)).map_err(|_| self.refused(bytes))
    }
    /// The smallest that waits and is large enough, if it is not much larger.
    fn take(&self, bytes: u64) -> Option<(u64, Address)> {
        let mut free = self.free();
        let fits = free.iter().enumerate().filter(|(_, b)| (bytes..=bytes.saturating_mul(2)).contains(&b.0));
        let best = fits.min_by_key(|(_, b)| b.0)?.0;
        Some(free.swap_remove(best))
    }
    /// Gives what waits back to the device.
    pub fn release(&self) {
        self.free().drain(..).for_each(|(_, address)| self.device.free(address));
    }
    fn refused(&self, bytes: u64) -> Error {
        let what = format!("a tensor on {}", self.device.name());
        match self.device.available() {
            Ok(available) => too_large(what, bytes, available),
            Err(_) => {
                Cause::TooLarge { what, needed: byte_text(bytes), limit: "there is not enough memory".into() }.into()
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.release();
    }
}
