//! The device memory pool. Freed blocks are reused by later allocations.
//!
//! Every run of a plan allocates the same blocks. Those of its first run are traced and laid out in one arena, where captured
//! runs use the same addresses.
use super::{
    device::{Address, BLOCK_ALIGNMENT},
    driver::Gpu,
};
use crate::{
    array::{byte_text, too_large},
    base::{Cause, Error, Result, invalid},
};
use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

/// The granularity of block sizes in bytes, so that blocks of similar sizes are interchangeable.
const STEP: u64 = 512;

const _: () = assert!(STEP.is_multiple_of(BLOCK_ALIGNMENT));

/// The maximum number of external owners that are kept before the pool waits for the device.
const LEAVING: usize = 64;

/// A device's memory. Freed blocks are kept for allocations of similar size. Work runs in submission order, so the next
/// owner of a block writes to it only after all earlier work.
pub(super) struct Pool {
    device: Arc<Gpu>,
    state: Mutex<PoolState>,
}

#[derive(Default)]
struct PoolState {
    free: Vec<(u64, Address)>,
    /// Owners of external memory that the device may still read.
    leaving: Vec<Arc<dyn Any + Send + Sync>>,
    /// The allocation mode of one thread.
    mode: Option<(ThreadId, AllocMode)>,
    /// The number of traces so far.
    traces: u64,
}

enum AllocMode {
    Traced {
        /// Differs from those of earlier traces, whose blocks may live longer.
        id: u64,
        trace: Trace,
    },
    Arena {
        arena: Arena,
        next: usize,
    },
}

/// The allocations and deallocations of a run, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Trace {
    events: Vec<Event>,
    taken: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Taken(u64),
    /// The index of the allocation.
    Given(usize),
}

/// The offset of each block of a trace in an arena.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArenaLayout {
    /// Size and offset of each block in bytes.
    blocks: Vec<(u64, u64)>,
    /// The size of the arena in bytes.
    pub size: u64,
}

/// The memory for the blocks of a captured run.
#[derive(Clone)]
pub(super) struct Arena {
    block: Arc<Block>,
    layout: Arc<ArenaLayout>,
}

impl Trace {
    /// Assigns each block the lowest offset that is free for its entire lifetime.
    pub fn layout(&self) -> ArenaLayout {
        let (mut blocks, mut size): (Vec<(u64, u64)>, u64) = (Vec::new(), 0);
        // The free ranges, sorted and not adjacent. Everything behind the last block is also free.
        let mut free: Vec<(u64, u64)> = Vec::new();
        for event in &self.events {
            match *event {
                Event::Taken(bytes) => {
                    let fits = free.iter().position(|(start, end)| end - start >= bytes);
                    let offset = match fits {
                        Some(i) => {
                            let offset = free[i].0;
                            free[i].0 += bytes;
                            if free[i].0 == free[i].1 {
                                free.remove(i);
                            }
                            offset
                        }
                        None => {
                            // A free range at the end is extended.
                            let offset = free.pop_if(|(_, end)| *end == size).map_or(size, |(start, _)| start);
                            size = offset + bytes;
                            offset
                        }
                    };
                    blocks.push((bytes, offset));
                }
                Event::Given(i) => {
                    let Some((bytes, offset)) = blocks.get(i).copied() else { continue };
                    let at = free.partition_point(|(start, _)| *start < offset);
                    free.insert(at, (offset, offset + bytes));
                    if at + 1 < free.len() && free[at].1 == free[at + 1].0 {
                        free[at].1 = free.remove(at + 1).1;
                    }
                    if at > 0 && free[at - 1].1 == free[at].0 {
                        free[at - 1].1 = free.remove(at).1;
                    }
                }
            }
        }
        ArenaLayout { blocks, size }
    }
}

/// Memory on a device, returned to its pool when it is dropped.
pub(super) struct Block {
    pub address: Address,
    bytes: u64,
    pool: Arc<Pool>,
    origin: Origin,
}

enum Origin {
    Own,
    /// The index of the allocation in the trace with this id.
    Traced {
        id: u64,
        index: usize,
    },
    /// Externally owned memory.
    Foreign(Arc<dyn Any + Send + Sync>),
    /// Part of an arena.
    Part(#[expect(dead_code, reason = "it lives as long as its parts")] Arc<Block>),
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        match &self.origin {
            Origin::Own => {}
            Origin::Traced { id: own, index } => {
                if let Some((_, AllocMode::Traced { id, trace })) = &mut state.mode
                    && id == own
                {
                    trace.events.push(Event::Given(*index));
                }
            }
            Origin::Foreign(owner) => return state.leaving.push(owner.clone()),
            Origin::Part(_) => return,
        }
        state.free.push((self.bytes, self.address));
    }
}

impl Block {
    /// Returns the ordinal of the block's GPU.
    pub fn gpu(&self) -> usize {
        self.pool.device.number()
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} on the device", byte_text(self.bytes))
    }
}

impl Pool {
    pub fn new(device: Arc<Gpu>) -> Arc<Pool> {
        Arc::new(Pool { device, state: Mutex::default() })
    }
    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Allocates `bytes` uninitialized bytes.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory even after freeing the kept blocks.
    pub fn block(self: &Arc<Self>, bytes: u64) -> Result<Block> {
        let bytes = bytes.max(1).checked_next_multiple_of(STEP).ok_or_else(|| self.refused(bytes))?;
        if let Some(part) = self.arena_block(bytes)? {
            return Ok(part);
        }
        let (bytes, address) = match self.take(bytes) {
            Some(waiting) => waiting,
            None => (
                bytes,
                self.device.allocate(bytes).or_else(|_| {
                    self.release();
                    self.device.allocate(bytes).map_err(|_| self.refused(bytes))
                })?,
            ),
        };
        let origin = match &mut self.state().mode {
            Some((thread, AllocMode::Traced { id, trace })) if *thread == thread::current().id() => {
                trace.events.push(Event::Taken(bytes));
                trace.taken += 1;
                Origin::Traced { id: *id, index: trace.taken - 1 }
            }
            _ => Origin::Own,
        };
        Ok(Block { address, bytes, pool: self.clone(), origin })
    }
    /// Wraps externally owned memory.
    pub fn foreign(self: &Arc<Self>, address: Address, bytes: u64, owner: Arc<dyn Any + Send + Sync>) -> Block {
        if self.state().leaving.len() >= LEAVING {
            // An error is reported by the next call.
            let _ = self.synchronize();
        }
        Block { address, bytes, pool: self.clone(), origin: Origin::Foreign(owner) }
    }
    /// Returns a block for work of this pool's stream. One of another pool of the same GPU is returned once that pool's work is
    /// complete, and lives until work of this one's is.
    ///
    /// # Errors
    /// Returns an error if the other pool's work failed.
    pub fn admitted(self: &Arc<Self>, block: &Arc<Block>) -> Result<Arc<Block>> {
        if self.owns(block) {
            return Ok(block.clone());
        }
        block.pool.synchronize()?;
        Ok(Arc::new(self.foreign(block.address, block.bytes, block.clone())))
    }
    /// Whether a block belongs to this pool.
    pub fn owns(self: &Arc<Self>, block: &Block) -> bool {
        Arc::ptr_eq(self, &block.pool)
    }
    /// Waits until all submitted work is complete, and drops the owners that were kept for it.
    ///
    /// # Errors
    /// Returns an error if the work failed.
    pub fn synchronize(&self) -> Result<()> {
        self.after(|| self.device.synchronize())
    }
    /// Like [`Pool::synchronize`], with a closure that waits.
    pub fn after<T>(&self, waiting: impl FnOnce() -> T) -> T {
        let leaving = std::mem::take(&mut self.state().leaving);
        let done = waiting();
        drop(leaving);
        done
    }
    /// Returns the next block of the arena, if this thread allocates from an arena.
    fn arena_block(self: &Arc<Self>, bytes: u64) -> Result<Option<Block>> {
        let mut state = self.state();
        let Some((thread, AllocMode::Arena { arena, next })) = &mut state.mode else { return Ok(None) };
        if *thread != thread::current().id() {
            return Ok(None);
        }
        let part = arena.layout.blocks.get(*next).copied().filter(|(size, _)| *size >= bytes);
        let (bytes, offset) = part.ok_or_else(|| invalid("internal error: allocations differ from the traced run"))?;
        *next += 1;
        let (address, arena) = (arena.block.address.after(offset), arena.block.clone());
        drop(state);
        Ok(Some(Block { address, bytes, pool: self.clone(), origin: Origin::Part(arena) }))
    }
    /// Takes the smallest kept block that is large enough, if it is at most twice as large.
    fn take(&self, bytes: u64) -> Option<(u64, Address)> {
        let free = &mut self.state().free;
        let fits = free.iter().enumerate().filter(|(_, b)| (bytes..=bytes.saturating_mul(2)).contains(&b.0));
        let best = fits.min_by_key(|(_, b)| b.0)?.0;
        Some(free.swap_remove(best))
    }
    /// Frees the kept blocks.
    pub fn release(&self) {
        let free = std::mem::take(&mut self.state().free);
        free.into_iter().for_each(|(_, address)| self.device.free(address));
    }
    /// Returns the number of bytes that can still be allocated, including kept blocks.
    pub fn available(&self) -> u64 {
        let waiting = self.state().free.iter().fold(0u64, |n, (bytes, _)| n.saturating_add(*bytes));
        self.device.available().map_or(u64::MAX, |free| free.saturating_add(waiting))
    }
    /// Runs `run` and traces its allocations in this thread.
    pub fn traced<T>(&self, run: impl FnOnce() -> T) -> (T, Trace) {
        let id = {
            let mut state = self.state();
            state.traces += 1;
            state.traces
        };
        let mode = self.mode(AllocMode::Traced { id, trace: Trace::default() });
        let result = run();
        match mode.end() {
            Some((_, AllocMode::Traced { trace, .. })) => (result, trace),
            _ => (result, Trace::default()),
        }
    }
    /// Allocates an arena for the blocks of a trace.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn arena(self: &Arc<Self>, trace: &Trace) -> Result<Arena> {
        let layout = trace.layout();
        Ok(Arena { block: Arc::new(self.block(layout.size)?), layout: Arc::new(layout) })
    }
    /// Allocates this thread's blocks in the arena while `run` runs, starting with block `first` of the layout.
    pub fn with_arena<T>(&self, arena: &Arena, first: usize, run: impl FnOnce() -> T) -> T {
        let _mode = self.mode(AllocMode::Arena { arena: arena.clone(), next: first });
        run()
    }
    /// Runs `run` without tracing its allocations in this thread or placing them in an arena.
    pub fn suspended<T>(&self, run: impl FnOnce() -> T) -> T {
        let mode = self.state().mode.take_if(|(thread, _)| *thread == thread::current().id());
        let _resume = Resume { pool: self, mode };
        run()
    }
    /// Sets the allocation mode of this thread until the guard is dropped.
    fn mode(&self, mode: AllocMode) -> ModeGuard<'_> {
        self.state().mode = Some((thread::current().id(), mode));
        ModeGuard { pool: self }
    }
    fn refused(&self, bytes: u64) -> Error {
        let what = format!("a tensor on {}", self.device.name());
        match self.device.available() {
            Ok(available) => too_large(what, bytes, available),
            Err(_) => {
                Cause::TooLarge { what, needed: byte_text(bytes), limit: "there is not enough memory".into() }.into()
            }
        }
    }
}

/// Ends an allocation mode, also after a panic.
struct ModeGuard<'p> {
    pool: &'p Pool,
}

impl ModeGuard<'_> {
    fn end(&self) -> Option<(ThreadId, AllocMode)> {
        self.pool.state().mode.take()
    }
}

impl Drop for ModeGuard<'_> {
    fn drop(&mut self) {
        // Dropping the mode locks the state again.
        let mode = self.end();
        drop(mode);
    }
}

/// Restores an allocation mode, also after a panic.
struct Resume<'p> {
    pool: &'p Pool,
    mode: Option<(ThreadId, AllocMode)>,
}

impl Drop for Resume<'_> {
    fn drop(&mut self) {
        if let Some(mode) = self.mode.take() {
            self.pool.state().mode = Some(mode);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = self.synchronize();
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trace(events: &[Event]) -> Trace {
        let taken = events.iter().filter(|e| matches!(e, Event::Taken(_))).count();
        Trace { events: events.to_vec(), taken }
    }

    #[test]
    fn freed_memory_is_reused() {
        use Event::{Given, Taken};
        // A chain of equal tensors needs two offsets.
        let chain = [Taken(512), Taken(512), Given(0), Taken(512), Given(1), Taken(512)];
        let layout = trace(&chain).layout();
        assert_eq!(layout, ArenaLayout { blocks: vec![(512, 0), (512, 512), (512, 0), (512, 512)], size: 1024 });
        // Adjacent free ranges are merged, and the last one is extended.
        let grown = [Taken(512), Taken(512), Given(0), Given(1), Taken(2048)];
        assert_eq!(trace(&grown).layout().size, 2048);
        assert_eq!(Trace::default().layout().size, 0);
    }

    proptest! {
        #[test]
        fn live_blocks_do_not_overlap(steps in prop::collection::vec((1u64..9, any::<prop::sample::Index>(), any::<bool>()), 1..60)) {
            let (mut events, mut live, mut taken) = (Vec::new(), Vec::new(), 0);
            for (size, which, give) in steps {
                events.push(Event::Taken(size * STEP));
                live.push(taken);
                taken += 1;
                if give {
                    events.push(Event::Given(live.swap_remove(which.index(live.len()))));
                }
            }
            let layout = trace(&events).layout();
            let (mut living, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
            for event in events {
                match event {
                    Event::Taken(bytes) => {
                        let (size, offset) = layout.blocks[next];
                        prop_assert!(size == bytes && offset + bytes <= layout.size);
                        for other in &living {
                            let (size, start) = layout.blocks[*other];
                            prop_assert!(offset + bytes <= start || start + size <= offset);
                        }
                        living.push(next);
                        next += 1;
                    }
                    Event::Given(i) => living.retain(|l| *l != i),
                }
            }
        }
    }
}
