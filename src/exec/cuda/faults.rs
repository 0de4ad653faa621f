//! Impossible indices, which a kernel finds while it computes, and a program tells when it is asked.
use super::{
    device::Address,
    driver::{Gpu, Pinned},
};
use crate::{
    base::{Error, Result},
    exec::semantics::IndexKind,
};
use std::sync::{Arc, Mutex, PoisonError};

/// A program's record: `Faults` of `index.cuh`, whose fields are the words.
type Words = [u64; 5];

/// Records that are made at a time.
const TOGETHER: usize = 64;

/// Records of programs, in memory of the machine's that the GPU writes: to look at one costs nothing.
pub(super) struct Faults {
    device: Arc<Gpu>,
    records: Mutex<Records>,
}

#[derive(Default)]
struct Records {
    memory: Vec<Pinned>,
    free: Vec<Address>,
}

/// One program's.
pub(super) struct Record {
    faults: Arc<Faults>,
    address: Address,
}

impl Faults {
    pub fn new(device: Arc<Gpu>) -> Arc<Faults> {
        Arc::new(Faults { device, records: Mutex::default() })
    }
    /// An empty record.
    ///
    /// # Errors
    /// There is no memory.
    pub fn record(self: &Arc<Self>) -> Result<Record> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if records.free.is_empty() {
            let memory = self.device.pinned(TOGETHER * size_of::<Words>())?;
            let address = memory.address();
            records.free.extend((0..TOGETHER).map(|i| address.after((i * size_of::<Words>()) as u64)));
            records.memory.push(memory);
        }
        let address = records.free.pop().ok_or_else(|| crate::base::invalid("a record that is not there"))?;
        let record = Record { faults: self.clone(), address };
        record.write([0; 5]);
        Ok(record)
    }
}

impl Record {
    pub fn address(&self) -> Address {
        self.address
    }
    fn write(&self, words: Words) {
        // SAFETY: the memory is the machine's, for as long as `faults` lives, and this record's alone; the GPU writes there while
        // the program's kernels run.
        unsafe { (self.address.0 as *mut Words).write_volatile(words) }
    }
    /// What was found since the last time, and forgets it. The device must have done all that it was told.
    pub fn take(&self) -> Option<Error> {
        // SAFETY: as of `write`.
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

impl Drop for Record {
    fn drop(&mut self) {
        // Kernels that still run write here.
        if self.faults.device.synchronise().is_ok() {
            self.faults.records.lock().unwrap_or_else(PoisonError::into_inner).free.push(self.address);
        }
    }
}
