//! Buffer pool that recycles dead results across steps and runs.
use crate::{
    array::{Array, ArrayMut, BufferRecycler},
    base::{Dtype, Result},
};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Maximum number of free blocks: a caller may release many results at once.
const BLOCKS: usize = 64;

/// Blocks of fewer words are not recycled: allocating them is as fast.
const SMALL: usize = 1 << 9;

/// Fills memory for a result with NaN, in debug builds, so that tests detect reads of uninitialized memory.
pub(super) fn overwritten(mut memory: ArrayMut) -> ArrayMut {
    if cfg!(debug_assertions) {
        memory.bytes().fill(0xff);
    }
    memory
}

/// Free blocks of memory, in words of 8 bytes.
#[derive(Default)]
pub(super) struct Arena {
    free: Mutex<Vec<Vec<u64>>>,
}

impl Arena {
    /// Returns memory for an array, with arbitrary elements.
    pub fn memory(&self, dtype: Dtype, shape: &[usize]) -> Result<ArrayMut> {
        let words = ArrayMut::words(dtype, shape)?;
        Ok(overwritten(match self.take(words) {
            Some(block) => ArrayMut::in_words(dtype, shape, block)?,
            None => {
                drop(self.outgrown(words));
                ArrayMut::zeros(dtype, shape)?
            }
        }))
    }
    /// Takes the smallest free block of at least `words` words unless it is much larger: large blocks are for large
    /// results.
    fn take(&self, words: usize) -> Option<Vec<u64>> {
        if words < SMALL {
            return None;
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = free.iter().enumerate().filter(|(_, b)| (words..=words.saturating_mul(2)).contains(&b.len()));
        let best = fits.min_by_key(|(_, b)| b.len())?.0;
        Some(free.swap_remove(best))
    }
    /// Takes the largest free block that is smaller than `words` words but at least half as large: a new block of `words` words can hold most
    /// of its results. Dropping it lets blocks grow with the results of a network instead of adding up.
    fn outgrown(&self, words: usize) -> Option<Vec<u64>> {
        if words < SMALL {
            return None;
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let replaced = free.iter().enumerate().filter(|(_, b)| (words.div_ceil(2)..words).contains(&b.len()));
        let largest = replaced.max_by_key(|(_, b)| b.len())?.0;
        Some(free.swap_remove(largest))
    }
    /// Returns memory for `n` intermediate floats, with arbitrary values.
    pub fn scratch(self: &Arc<Self>, n: usize) -> Result<Scratch<'_>> {
        let memory = if n > 0 { Some(self.memory(Dtype::Float32, &[n])?) } else { None };
        Ok(Scratch { memory, arena: self })
    }
    /// Freezes a result, whose memory returns to the pool when its last owner drops it.
    pub fn freeze(self: &Arc<Self>, memory: ArrayMut) -> Array {
        let weak: Weak<Arena> = Arc::downgrade(self);
        memory.freeze_with_recycler(weak)
    }
}

/// Memory for intermediate floats, which returns to the pool when dropped. Memory fresh from the system is slow, since its first use
/// faults on every page.
pub(super) struct Scratch<'a> {
    memory: Option<ArrayMut>,
    arena: &'a Arc<Arena>,
}

impl Scratch<'_> {
    /// Returns the floats.
    pub fn floats(&mut self) -> Result<&mut [f32]> {
        self.memory.as_mut().map_or(Ok(&mut []), ArrayMut::elements)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.memory.take().into_iter().for_each(|memory| drop(self.arena.freeze(memory)));
    }
}

impl BufferRecycler for Arena {
    fn recycle(&self, block: Vec<u64>) {
        if block.len() < SMALL {
            return;
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < BLOCKS {
            free.push(block);
        }
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Arena")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_that_fits_is_taken() {
        let arena: Arc<Arena> = Arc::default();
        [4 * SMALL, 2 * SMALL, SMALL, 1].into_iter().for_each(|n| arena.recycle(vec![0; n]));
        assert_eq!(arena.take(SMALL + 1).map(|b| b.len()), Some(2 * SMALL));
        assert_eq!(arena.take(SMALL + 1), None, "one is taken, one too small, one much too large");
        assert_eq!(arena.take(1), None);
        assert_eq!(arena.outgrown(4 * SMALL), None, "no free block is at least half as large and smaller");
        assert_eq!(arena.outgrown(2 * SMALL).map(|b| b.len()), Some(SMALL));
        arena.recycle(vec![0; SMALL]);
        drop(arena.freeze(arena.memory(Dtype::Float32, &[2, SMALL - 7]).unwrap()));
        assert_eq!(arena.take(SMALL).map(|b| b.len()), Some(SMALL), "it is back");
        assert!(arena.scratch(0).unwrap().floats().unwrap().is_empty());
        drop(arena.scratch(2 * SMALL - 14).unwrap());
        assert_eq!(arena.take(SMALL).map(|b| b.len()), Some(SMALL), "it is back");
    }
}
