//! Calls of NVIDIA's mathematics libraries as steps of a program, and their handles and descriptors.
use super::device::Address;
use crate::base::Result;

/// What helps where a library fails.
pub(super) const DISABLE_HINT: &str = "the environment variable TPULANG_LIBRARIES=none does without it";

/// Memory that a call may have while it runs, in bytes. More makes few algorithms faster.
pub(super) const WORKSPACE: u64 = 64 << 20;

/// Something that a library computes, all of which is known but the addresses.
pub(super) trait LibraryCall: Send + Sync {
    /// Tells the GPU to do it.
    ///
    /// # Errors
    /// The library refuses, or something has failed before.
    fn run(&self, addresses: &[Address]) -> Result<()>;
    /// For people.
    fn doing(&self) -> String;
    /// Bytes of memory that it needs meanwhile, whose address comes last.
    fn workspace(&self) -> u64;
}

/// A handle or descriptor of a library, given back when it is dropped.
pub(super) struct Handle<T: Copy, E> {
    raw: T,
    destroy: Destroy<T, E>,
}

/// A library's function that gives such a one back.
type Destroy<T, E> = unsafe fn(T) -> std::result::Result<(), E>;

impl<T: Copy, E> Handle<T, E> {
    /// # Safety
    /// `raw` was made by the library, `destroy` gives such a one back, and nobody else does.
    pub unsafe fn new(raw: T, destroy: Destroy<T, E>) -> Handle<T, E> {
        Handle { raw, destroy }
    }
    pub fn raw(&self) -> T {
        self.raw
    }
}

impl<T: Copy, E> Drop for Handle<T, E> {
    fn drop(&mut self) {
        // SAFETY: as `new` asks for; this is the only time.
        let _ = unsafe { (self.destroy)(self.raw) };
    }
}

// SAFETY: descriptors and handles are plain memory of the library, of no thread in particular; who changes them or calls with them
// has a lock.
unsafe impl<T: Copy, E> Send for Handle<T, E> {}
// SAFETY: as above.
unsafe impl<T: Copy, E> Sync for Handle<T, E> {}
