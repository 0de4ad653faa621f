//! Copies between the host and a GPU through pinned memory: the CPU copies one chunk while the previous one is being
//! transferred. Several threads share large copies, because one cannot copy as fast as the GPU.
use super::device::Address;
use cudarc::driver::{
    result::{self, DriverError, ctx, event, stream},
    sys,
};
use std::{
    ffi::c_void,
    num::NonZero,
    ptr::null_mut,
    slice,
    sync::{Mutex, OnceLock, PoisonError},
    thread,
};

/// The size of a chunk in bytes.
const PART: usize = 1 << 20;

/// The maximum size in bytes of a download that the driver copies directly, which is as fast for small ones.
const SMALL: usize = 64 << 10;

/// The number of bytes that a thread takes at a time. Copying them takes much longer than starting a thread.
const SHARE: usize = 2 * PART;

/// The maximum number of threads that share a copy.
const THREADS: usize = 6;

/// The context of a GPU, and the stream in whose order copies happen.
#[derive(Clone, Copy)]
pub(super) struct Queue {
    pub context: sys::CUcontext,
    pub stream: sys::CUstream,
}

// SAFETY: a context and its streams may be used from any thread that has made the context current.
unsafe impl Send for Queue {}
// SAFETY: as above; the driver may be called from several threads concurrently.
unsafe impl Sync for Queue {}

impl Queue {
    /// Makes the context current in this thread.
    pub fn enter(self) -> Result<(), DriverError> {
        // SAFETY: the `Gpu` that made this retains the context, and outlives every call.
        unsafe { ctx::set_current(self.context) }
    }
}

/// The buffers of each thread that shares a copy.
#[derive(Default)]
pub(super) struct Staging {
    lanes: Vec<Lane>,
}

/// Two buffers of pinned memory, allocated on first use, each with an event that completes when the GPU has finished with
/// the buffer.
#[derive(Default)]
struct Lane {
    parts: Option<[PinnedBuffer; 2]>,
    /// The index of the next buffer for an upload.
    next: usize,
}

struct PinnedBuffer {
    /// Null if it has not been allocated.
    memory: *mut c_void,
    done: sys::CUevent,
}

// SAFETY: pinned memory and events may be used from any thread of the context; a lock serializes access.
unsafe impl Send for Lane {}

impl PinnedBuffer {
    fn new() -> Result<PinnedBuffer, DriverError> {
        let done = event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)?;
        let mut buffer = PinnedBuffer { memory: null_mut(), done };
        // SAFETY: the memory is written before it is read, and freed when the buffer is dropped.
        buffer.memory = unsafe { result::malloc_host(PART, 0)? };
        Ok(buffer)
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

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // SAFETY: `new` created both, and they are freed once, after the GPU has finished with them. Its context is current, or
        // the calls fail.
        unsafe {
            let _ = event::synchronize(self.done);
            let _ = event::destroy(self.done);
            if !self.memory.is_null() {
                let _ = result::free_host(self.memory);
            }
        }
    }
}

impl Staging {
    /// Copies to the GPU. `from` may change once this method returns.
    pub fn write(&mut self, to: Address, from: &[u8], queue: Queue) -> Result<(), DriverError> {
        in_lanes(self.lanes(from.len()), from.chunks(SHARE), queue, |lane, i, share| {
            lane.write(to.after((i * SHARE) as u64), share, queue)
        })
    }
    /// Copies from the GPU, and waits for the copy to complete, and for all that was submitted before.
    pub fn read(&mut self, from: Address, to: &mut [u8], queue: Queue) -> Result<(), DriverError> {
        if to.is_empty() {
            // SAFETY: the stream lives as long as a copy runs.
            return unsafe { stream::synchronize(queue.stream) };
        }
        in_lanes(self.lanes(to.len()), to.chunks_mut(SHARE), queue, |lane, i, share| {
            lane.read(from.after((i * SHARE) as u64), share, queue)
        })
    }
    /// Returns the lanes for a copy of `bytes` bytes.
    fn lanes(&mut self, bytes: usize) -> &mut [Lane] {
        let count = if bytes < 2 * SHARE { 1 } else { (bytes / SHARE).min(threads()) };
        self.lanes.resize_with(count.max(self.lanes.len()), Lane::default);
        &mut self.lanes[..count]
    }
    /// Frees everything.
    pub fn close(&mut self) {
        self.lanes.clear();
    }
}

/// Returns the number of threads that share a large copy.
fn threads() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get).min(THREADS))
}

/// Calls `copy` with each share and its number: on this thread, and on one more for each further lane. A lane is left out if there is no
/// memory or no thread for it.
fn in_lanes<T: Send>(
    lanes: &mut [Lane],
    shares: impl Iterator<Item = T> + Send,
    queue: Queue,
    copy: impl Fn(&mut Lane, usize, T) -> Result<(), DriverError> + Sync,
) -> Result<(), DriverError> {
    let shares = Mutex::new(shares.enumerate());
    let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
    let copy_some = |lane: &mut Lane| -> Result<(), DriverError> {
        while let Some((i, share)) = next() {
            copy(lane, i, share)?;
        }
        Ok(())
    };
    let Some((own, others)) = lanes.split_first_mut() else { return Ok(()) };
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for lane in others {
            let copy_some = &copy_some;
            let work = move || match queue.enter().is_ok() && lane.parts().is_ok() {
                true => copy_some(lane),
                false => Ok(()),
            };
            threads.extend(thread::Builder::new().spawn_scoped(scope, work));
        }
        let copied = copy_some(own);
        threads.into_iter().fold(copied, |copied, thread| {
            copied.and(thread.join().unwrap_or(Err(DriverError(sys::CUresult::CUDA_ERROR_UNKNOWN))))
        })
    })
}

impl Lane {
    fn parts(&mut self) -> Result<&mut [PinnedBuffer; 2], DriverError> {
        if self.parts.is_none() {
            self.parts = Some([PinnedBuffer::new()?, PinnedBuffer::new()?]);
        }
        self.parts.as_mut().ok_or(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY))
    }
    fn write(&mut self, to: Address, from: &[u8], queue: Queue) -> Result<(), DriverError> {
        let first = self.next;
        let parts = self.parts()?;
        for (i, chunk) in from.chunks(PART).enumerate() {
            let part = &mut parts[(first + i) % 2];
            let bytes = part.bytes(chunk.len())?;
            bytes.copy_from_slice(chunk);
            // SAFETY: `to` is device memory of at least this size; the chunk is not touched before its event completes.
            unsafe {
                result::memcpy_htod_async(to.after((i * PART) as u64).0, bytes, queue.stream)?;
                event::record(part.done, queue.stream)?;
            }
        }
        // The next copy need not wait for this one.
        self.next = (first + from.len().div_ceil(PART)) % 2;
        Ok(())
    }
    fn read(&mut self, from: Address, to: &mut [u8], queue: Queue) -> Result<(), DriverError> {
        if to.len() <= SMALL {
            // SAFETY: `from` is device memory of at least this size; `to` lives until the stream has completed the copy.
            unsafe {
                result::memcpy_dtoh_async(to, from.0, queue.stream)?;
                return stream::synchronize(queue.stream);
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
                    result::memcpy_dtoh_async(bytes, from.after((i * PART) as u64).0, queue.stream)?;
                    event::record(part.done, queue.stream)?;
                }
            }
            if let Some(i) = i.checked_sub(1) {
                let size = length(i, to.len());
                to[i * PART..i * PART + size].copy_from_slice(parts[i % 2].bytes(size)?);
            }
        }
        Ok(())
    }
}
