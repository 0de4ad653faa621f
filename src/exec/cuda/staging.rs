//! Copies between the host and a GPU through pinned memory: the CPU copies one chunk while the previous one is being
//! transferred.
use super::device::Address;
use cudarc::driver::{
    result::{self, DriverError, event, stream},
    sys,
};
use std::{ffi::c_void, slice};

/// The size of a chunk in bytes.
const PART: usize = 4 << 20;

/// The maximum size in bytes of a download that the driver copies directly, which is as fast for small ones.
const SMALL: usize = 64 << 10;

/// Two buffers of pinned memory, allocated on first use, each with an event that completes when the GPU has finished with
/// the buffer.
#[derive(Default)]
pub(super) struct Staging {
    parts: Option<[PinnedBuffer; 2]>,
    /// The index of the next buffer for an upload.
    next: usize,
}

#[derive(Clone, Copy)]
struct PinnedBuffer {
    memory: *mut c_void,
    done: sys::CUevent,
}

// SAFETY: pinned memory and events may be used from any thread of the context; a lock serializes access.
unsafe impl Send for Staging {}

impl PinnedBuffer {
    fn new() -> Result<PinnedBuffer, DriverError> {
        // SAFETY: the memory is written before it is read; `close` frees it.
        let memory = unsafe { result::malloc_host(PART, 0)? };
        Ok(PinnedBuffer { memory, done: event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)? })
    }
    /// Returns the first `n` bytes, once the GPU has finished with them.
    fn bytes(&mut self, n: usize) -> Result<&mut [u8], DriverError> {
        // SAFETY: the event is alive; the memory has PART bytes, which are not in use.
        unsafe {
            event::synchronize(self.done)?;
            Ok(slice::from_raw_parts_mut(self.memory.cast::<u8>(), n.min(PART)))
        }
    }
}

impl Staging {
    fn parts(&mut self) -> Result<&mut [PinnedBuffer; 2], DriverError> {
        if self.parts.is_none() {
            self.parts = Some([PinnedBuffer::new()?, PinnedBuffer::new()?]);
        }
        self.parts.as_mut().ok_or(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY))
    }
    /// Copies to the GPU. `from` may change once this method returns.
    pub fn write(&mut self, to: Address, from: &[u8], stream: sys::CUstream) -> Result<(), DriverError> {
        let first = self.next;
        let parts = self.parts()?;
        for (i, chunk) in from.chunks(PART).enumerate() {
            let part = &mut parts[(first + i) % 2];
            let bytes = part.bytes(chunk.len())?;
            bytes.copy_from_slice(chunk);
            // SAFETY: `to` is device memory of at least this size; the chunk is not touched before its event completes.
            unsafe {
                result::memcpy_htod_async(to.after((i * PART) as u64).0, bytes, stream)?;
                event::record(part.done, stream)?;
            }
        }
        // The next copy need not wait for this one.
        self.next = (first + from.len().div_ceil(PART)) % 2;
        Ok(())
    }
    /// Copies from the GPU, and waits for the copy to complete.
    pub fn read(&mut self, from: Address, to: &mut [u8], stream: sys::CUstream) -> Result<(), DriverError> {
        if to.len() <= SMALL {
            // SAFETY: `from` is device memory of at least this size; `to` lives until the stream has completed the copy.
            unsafe {
                result::memcpy_dtoh_async(to, from.0, stream)?;
                return stream::synchronize(stream);
            }
        }
        let parts = self.parts()?;
        let n = to.len().div_ceil(PART);
        let length = |i: usize, all: usize| PART.min(all - i * PART);
        // The transfer of one chunk overlaps with the copy of the previous one.
        for i in 0..=n {
            if i < n {
                let part = &mut parts[i % 2];
                let bytes = part.bytes(length(i, to.len()))?;
                // SAFETY: as above; the chunk is not touched before its event completes.
                unsafe {
                    result::memcpy_dtoh_async(bytes, from.after((i * PART) as u64).0, stream)?;
                    event::record(part.done, stream)?;
                }
            }
            if let Some(i) = i.checked_sub(1) {
                let size = length(i, to.len());
                to[i * PART..i * PART + size].copy_from_slice(parts[i % 2].bytes(size)?);
            }
        }
        Ok(())
    }
    /// Frees everything.
    pub fn close(&mut self) {
        for part in self.parts.take().into_iter().flatten() {
            // SAFETY: `PinnedBuffer::new` created both, and they are freed once, after the GPU has finished with them.
            unsafe {
                let _ = event::synchronize(part.done);
                let _ = event::destroy(part.done);
                let _ = result::free_host(part.memory);
            }
        }
    }
}
