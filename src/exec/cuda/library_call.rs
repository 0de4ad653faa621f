//! Calls of NVIDIA's mathematics libraries as steps of a program, and their handles and descriptors.
use super::device::Address;
use crate::base::Result;

/// The advice in errors of a library.
pub(super) const DISABLE_HINT: &str = "set TPULANG_LIBRARIES=none to use built-in kernels instead";

/// The maximum workspace of a call in bytes. Few algorithms are faster with more.
pub(super) const WORKSPACE: u64 = 64 << 20;

/// A prepared library call, which needs only addresses.
pub(super) trait LibraryCall: Send + Sync {
    /// Submits the call to the GPU.
    ///
    /// # Errors
    /// Returns an error if the library rejects the call, or earlier work has failed.
    fn run(&self, addresses: &[Address]) -> Result<()>;
    /// Returns a human-readable description.
    fn describe(&self) -> String;
    /// Returns the size of the workspace in bytes; its address comes last.
    fn workspace(&self) -> u64;
}

/// A handle or descriptor of a library, destroyed on drop.
pub(super) struct Handle<T: Copy, E> {
    raw: T,
    destroy: Destroy<T, E>,
}

/// The library's function that destroys it.
type Destroy<T, E> = unsafe fn(T) -> std::result::Result<(), E>;

impl<T: Copy, E> Handle<T, E> {
    /// # Safety
    /// `raw` must have been created by the library, and must be destroyed only by this handle.
    pub unsafe fn new(raw: T, destroy: Destroy<T, E>) -> Handle<T, E> {
        Handle { raw, destroy }
    }
    pub fn raw(&self) -> T {
        self.raw
    }
}

impl<T: Copy, E> Drop for Handle<T, E> {
    fn drop(&mut self) {
        // SAFETY: `new` requires that this is the only destruction.
        let _ = unsafe { (self.destroy)(self.raw) };
    }
}

// SAFETY: descriptors and handles are memory of the library that is not bound to a thread; a lock guards changes and calls.
unsafe impl<T: Copy, E> Send for Handle<T, E> {}
// SAFETY: as above.
unsafe impl<T: Copy, E> Sync for Handle<T, E> {}
