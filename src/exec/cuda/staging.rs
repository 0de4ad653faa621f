//! Copies between a GPU and the machine's memory, through pinned memory: a part is copied by the processor while the one before is
//! on its way.
use super::device::Address;
use cudarc::driver::{
    result::{self, DriverError, event, stream},
    sys,
};
use std::{ffi::c_void, slice};

/// Bytes of a part.
const PART: usize = 4 << 20;

/// Bytes that are copied out by the driver's own way, which is as fast for so few.
const SMALL: usize = 64 << 10;

/// Two parts of pinned memory, each with an event that says when the GPU is done with it. Made when they are needed.
#[derive(Default)]
pub(super) struct Staging {
    parts: Option<[PinnedBuffer; 2]>,
    /// Of the two, which copies in next.
    next: usize,
}

#[derive(Clone, Copy)]
struct PinnedBuffer {
    memory: *mut c_void,
    done: sys::CUevent,
}

// SAFETY: pinned memory and events may be used from any thread of the context; a lock lets one in at a time.
unsafe impl Send for Staging {}

impl PinnedBuffer {
    fn new() -> Result<PinnedBuffer, DriverError> {
        // SAFETY: the memory is written before it is read; it is freed by `close`.
        let memory = unsafe { result::malloc_host(PART, 0)? };
        Ok(PinnedBuffer { memory, done: event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)? })
    }
    /// The first of its bytes, when the GPU is done with them.
    fn bytes(&mut self, n: usize) -> Result<&mut [u8], DriverError> {
        // SAFETY: the event is alive; the memory has PART bytes, which nobody else uses now.
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
    /// Copies in; when it returns, `from` may change.
    pub fn write(&mut self, to: Address, from: &[u8], stream: sys::CUstream) -> Result<(), DriverError> {
        let first = self.next;
        let parts = self.parts()?;
        for (i, chunk) in from.chunks(PART).enumerate() {
            let part = &mut parts[(first + i) % 2];
            let bytes = part.bytes(chunk.len())?;
            bytes.copy_from_slice(chunk);
            // SAFETY: `to` is memory of the device with as many bytes; the part is not touched before its event.
            unsafe {
                result::memcpy_htod_async(to.after((i * PART) as u64).0, bytes, stream)?;
                event::record(part.done, stream)?;
            }
        }
        // The next copy need not wait for this one.
        self.next = (first + from.len().div_ceil(PART)) % 2;
        Ok(())
    }
    /// Copies out, and waits until it is done.
    pub fn read(&mut self, from: Address, to: &mut [u8], stream: sys::CUstream) -> Result<(), DriverError> {
        if to.len() <= SMALL {
            // SAFETY: `from` is memory of the device with as many bytes; `to` lives until the stream has come here.
            unsafe {
                result::memcpy_dtoh_async(to, from.0, stream)?;
                return stream::synchronize(stream);
            }
        }
        let parts = self.parts()?;
        let n = to.len().div_ceil(PART);
        let length = |i: usize, all: usize| PART.min(all - i * PART);
        // One part is asked for ahead of the one that is copied.
        for i in 0..=n {
            if i < n {
                let part = &mut parts[i % 2];
                let bytes = part.bytes(length(i, to.len()))?;
                // SAFETY: as above; the part is not touched before its event.
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
    /// Gives everything back.
    pub fn close(&mut self) {
        for part in self.parts.take().into_iter().flatten() {
            // SAFETY: both were made by `PinnedBuffer::new`, and are given back once, when the GPU is done with them.
            unsafe {
                let _ = event::synchronize(part.done);
                let _ = event::destroy(part.done);
                let _ = result::free_host(part.memory);
            }
        }
    }
}
