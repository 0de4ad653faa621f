//! The allocator's free memory.
#![allow(unsafe_code, reason = "a function of the C library is called; docs/safety.md lists it")]

/// Minimum number of freed bytes that are worth returning to the system: `trim` walks the heap of the whole process.
const WORTHWHILE: u64 = 4 << 20;

/// The weights that a step frees are given back right away if they are at least one in this many of all bytes.
const LARGE_SHARE: u64 = 8;

/// The gaps that the originals of weights leave between packed ones.
///
/// glibc keeps them, so they count as memory of the process. Only large ones are given back while weights are prepared: the next
/// originals are read into small ones, and pages that were given back must be faulted in again.
#[derive(Default)]
pub(crate) struct Gaps {
    bytes: u64,
    /// How often large gaps were given back.
    trims: u64,
}

impl Gaps {
    /// Counts a gap of `bytes`, where all weights take `all`.
    pub fn add(&mut self, bytes: u64, all: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        if bytes >= all / LARGE_SHARE && self.trims < LARGE_SHARE && self.free() {
            self.trims += 1;
        }
    }
    /// Gives the gaps back to the system if they are large enough together, and returns whether they were.
    pub fn free(&mut self) -> bool {
        let are_large = self.bytes >= WORTHWHILE;
        if are_large {
            trim();
            self.bytes = 0;
        }
        are_large
    }
    /// Adds the gaps of another plan.
    pub fn merge(&mut self, other: &Gaps) {
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Gives free memory back to the system, including gaps between allocations, which glibc would otherwise keep.
fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function has no preconditions, and may be called in several threads at once.
    unsafe {
        libc::malloc_trim(0);
    }
}
