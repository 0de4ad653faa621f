//! The allocator's free memory.
#![allow(unsafe_code, reason = "a function of the C library is called; docs/safety.md lists it")]

/// Bytes of which it is worthwhile to return them to the system: it takes about a millisecond, since the memory is looked through.
pub(crate) const WORTH_TRIMMING: u64 = 4 << 20;

/// Returns free memory to the system, wherever it is. Otherwise glibc keeps gaps between allocations for reuse.
pub(crate) fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function has no preconditions, and may be called in several threads at once.
    unsafe {
        libc::malloc_trim(0);
    }
}
