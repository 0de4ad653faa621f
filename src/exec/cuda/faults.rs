//! Indices out of range, which kernels detect while they run. A program reports them when it is queried.
use super::{
    device::Address,
    driver::{Gpu, Pinned},
};
use crate::{
    base::{Error, Result},
    exec::semantics::IndexKind,
};
use std::sync::{Arc, Mutex, PoisonError};

/// The fields of `Faults` in `index.cuh`, one word each.
type Words = [u64; 5];

/// The number of records that are allocated together.
const TOGETHER: usize = 64;

/// The records of all programs, in host memory that the GPU can write to, so that reading a record needs no copy.
pub(super) struct Faults {
    device: Arc<Gpu>,
    records: Mutex<Records>,
}

#[derive(Default)]
struct Records {
    memory: Vec<Pinned>,
    free: Vec<Address>,
}

/// The record of a program.
pub(super) struct FaultRecord {
    faults: Arc<Faults>,
    address: Address,
}

impl Faults {
    pub fn new(device: Arc<Gpu>) -> Arc<Faults> {
        Arc::new(Faults { device, records: Mutex::default() })
    }
    /// Allocates an empty record.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn record(self: &Arc<Self>) -> Result<FaultRecord> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if records.free.is_empty() {
            let memory = self.device.pinned(TOGETHER * size_of::<Words>())?;
            let address = memory.address();
            records.free.extend((0..TOGETHER).map(|i| address.after((i * size_of::<Words>()) as u64)));
            records.memory.push(memory);
        }
        let address = records.free.pop().ok_or_else(|| crate::base::invalid("internal error: no free fault record"))?;
        let record = FaultRecord { faults: self.clone(), address };
        record.write([0; 5]);
        Ok(record)
    }
}

impl FaultRecord {
    pub fn address(&self) -> Address {
        self.address
    }
    fn write(&self, words: Words) {
        // SAFETY: this is host memory that lives as long as `faults` and belongs to this record only; the GPU writes to it
        // while the program's kernels run.
        unsafe { (self.address.0 as *mut Words).write_volatile(words) }
    }
    /// Takes the fault recorded since the last call. All submitted work must be complete.
    pub fn take(&self) -> Option<Error> {
        // SAFETY: same as for `write`.
        let [found, of, count, index, real] = unsafe { (self.address.0 as *const Words).read_volatile() };
        if found == 0 {
            return None;
        }
        self.write([0; 5]);
        let (of, count) = (IndexKind::numbered(of as i64), count as usize);
        Some(match of {
            IndexKind::Images | IndexKind::Levels => of.out_of_range(f64::from_bits(real) as f32, count),
            _ => of.out_of_range(index as i64, count),
        })
    }
}

impl Drop for FaultRecord {
    fn drop(&mut self) {
        // Running kernels still write to the record.
        if self.faults.device.synchronize().is_ok() {
            self.faults.records.lock().unwrap_or_else(PoisonError::into_inner).free.push(self.address);
        }
    }
}
