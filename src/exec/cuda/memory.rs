//! Memory of a device: what nobody has any more serves what comes next.
//!
//! What a run takes and gives back is the same each time. So it is traced once, and given places in one arena, where the same run
//! finds the same addresses again.
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

/// Blocks have multiples of so many bytes, so that those of almost equal sizes serve each other.
const STEP: u64 = 512;

const _: () = assert!(STEP.is_multiple_of(BLOCK_ALIGNMENT));

/// Owners that may wait for the device at a time.
const LEAVING: usize = 64;

/// A device's memory. Blocks that were given back wait for results of their size: the device does what it is told in order,
/// so who gets a block next writes it after all that was told before.
pub(super) struct Pool {
    device: Arc<Gpu>,
    state: Mutex<PoolState>,
}

#[derive(Default)]
struct PoolState {
    free: Vec<(u64, Address)>,
    /// Owners of memory that is somebody else's, which the device may still read.
    leaving: Vec<Arc<dyn Any + Send + Sync>>,
    /// What one thread's blocks are.
    mode: Option<(ThreadId, AllocMode)>,
}

enum AllocMode {
    Traced(Trace),
    Arena { arena: Arena, next: usize },
}

/// Blocks that a run has taken, in order, and when each was given back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Trace {
    events: Vec<Event>,
    taken: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Taken(u64),
    /// That of this number.
    Given(usize),
}

/// Where each block of a trace lies in an arena.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArenaLayout {
    /// Bytes and place of each.
    blocks: Vec<(u64, u64)>,
    /// Bytes of the arena.
    pub size: u64,
}

/// Memory in which a captured run has its blocks.
#[derive(Clone)]
pub(super) struct Arena {
    block: Arc<Block>,
    layout: Arc<ArenaLayout>,
}

impl Trace {
    /// Each block at the first place that is free as long as it lives.
    pub fn layout(&self) -> ArenaLayout {
        let (mut blocks, mut size): (Vec<(u64, u64)>, u64) = (Vec::new(), 0);
        // Parts that are free, in order and apart; behind the last of all parts everything is.
        let mut free: Vec<(u64, u64)> = Vec::new();
        for event in &self.events {
            match *event {
                Event::Taken(bytes) => {
                    let fits = free.iter().position(|(start, end)| end - start >= bytes);
                    let place = match fits {
                        Some(i) => {
                            let place = free[i].0;
                            free[i].0 += bytes;
                            if free[i].0 == free[i].1 {
                                free.remove(i);
                            }
                            place
                        }
                        None => {
                            // What is free at the end is the beginning of a longer part.
                            let place = free.pop_if(|(_, end)| *end == size).map_or(size, |(start, _)| start);
                            size = place + bytes;
                            place
                        }
                    };
                    blocks.push((bytes, place));
                }
                Event::Given(i) => {
                    let Some((bytes, place)) = blocks.get(i).copied() else { continue };
                    let at = free.partition_point(|(start, _)| *start < place);
                    free.insert(at, (place, place + bytes));
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

/// Memory on a device, which goes back to its pool when nobody has it any more.
pub(super) struct Block {
    pub address: Address,
    bytes: u64,
    pool: Arc<Pool>,
    origin: Origin,
}

enum Origin {
    Own,
    /// Its number in a trace.
    Traced(usize),
    /// Somebody else's.
    Foreign(Arc<dyn Any + Send + Sync>),
    /// Part of an arena.
    Part(#[expect(dead_code, reason = "it lives as long as its parts")] Arc<Block>),
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        match &self.origin {
            Origin::Own => {}
            Origin::Traced(number) => {
                if let Some((_, AllocMode::Traced(trace))) = &mut state.mode {
                    trace.events.push(Event::Given(*number));
                }
            }
            Origin::Foreign(owner) => return state.leaving.push(owner.clone()),
            Origin::Part(_) => return,
        }
        state.free.push((self.bytes, self.address));
    }
}

impl Block {
    /// The ordinal of its GPU.
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
    /// Memory for so many bytes, with anything in it.
    ///
    /// # Errors
    /// There is not enough, also without what waits to be used again.
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
            Some((thread, AllocMode::Traced(trace))) if *thread == thread::current().id() => {
                trace.events.push(Event::Taken(bytes));
                trace.taken += 1;
                Origin::Traced(trace.taken - 1)
            }
            _ => Origin::Own,
        };
        Ok(Block { address, bytes, pool: self.clone(), origin })
    }
    /// Memory that is somebody else's.
    pub fn foreign(self: &Arc<Self>, address: Address, bytes: u64, owner: Arc<dyn Any + Send + Sync>) -> Block {
        if self.state().leaving.len() >= LEAVING {
            // What fails is told to who asks next.
            let _ = self.synchronise();
        }
        Block { address, bytes, pool: self.clone(), origin: Origin::Foreign(owner) }
    }
    /// Waits until the device has done all that it was told; whoever was waited for goes.
    ///
    /// # Errors
    /// The device fails.
    pub fn synchronise(&self) -> Result<()> {
        self.after(|| self.device.synchronise())
    }
    /// As [`Pool::synchronise`], by something that waits.
    pub fn after<T>(&self, waiting: impl FnOnce() -> T) -> T {
        let leaving = std::mem::take(&mut self.state().leaving);
        let done = waiting();
        drop(leaving);
        done
    }
    /// The next part of the arena, while this thread's blocks are planned.
    fn arena_block(self: &Arc<Self>, bytes: u64) -> Result<Option<Block>> {
        let mut state = self.state();
        let Some((thread, AllocMode::Arena { arena, next })) = &mut state.mode else { return Ok(None) };
        if *thread != thread::current().id() {
            return Ok(None);
        }
        let part = arena.layout.blocks.get(*next).copied().filter(|(size, _)| *size >= bytes);
        let (bytes, place) = part.ok_or_else(|| invalid("internal error: allocations differ from the recorded run"))?;
        *next += 1;
        let (address, arena) = (arena.block.address.after(place), arena.block.clone());
        drop(state);
        Ok(Some(Block { address, bytes, pool: self.clone(), origin: Origin::Part(arena) }))
    }
    /// The smallest that waits and is large enough, if it is not much larger.
    fn take(&self, bytes: u64) -> Option<(u64, Address)> {
        let free = &mut self.state().free;
        let fits = free.iter().enumerate().filter(|(_, b)| (bytes..=bytes.saturating_mul(2)).contains(&b.0));
        let best = fits.min_by_key(|(_, b)| b.0)?.0;
        Some(free.swap_remove(best))
    }
    /// Gives what waits back to the device.
    pub fn release(&self) {
        let free = std::mem::take(&mut self.state().free);
        free.into_iter().for_each(|(_, address)| self.device.free(address));
    }
    /// Bytes that may still be taken: what is free on the device, and what waits here.
    pub fn available(&self) -> u64 {
        let waiting = self.state().free.iter().fold(0u64, |n, (bytes, _)| n.saturating_add(*bytes));
        self.device.available().map_or(u64::MAX, |free| free.saturating_add(waiting))
    }
    /// What `run` takes and gives back in this thread, with what it gives.
    pub fn traced<T>(&self, run: impl FnOnce() -> T) -> (T, Trace) {
        let mode = self.mode(AllocMode::Traced(Trace::default()));
        let result = run();
        match mode.end() {
            Some((_, AllocMode::Traced(trace))) => (result, trace),
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
    /// Allocates this thread's blocks in the arena while `run` runs, from the `first` of the layout on.
    pub fn with_arena<T>(&self, arena: &Arena, first: usize, run: impl FnOnce() -> T) -> T {
        let _mode = self.mode(AllocMode::Arena { arena: arena.clone(), next: first });
        run()
    }
    /// Runs `run`, whose blocks in this thread are neither traced nor in an arena.
    pub fn suspended<T>(&self, run: impl FnOnce() -> T) -> T {
        let mode = self.state().mode.take_if(|(thread, _)| *thread == thread::current().id());
        let _resume = Resume { pool: self, mode };
        run()
    }
    /// What this thread's blocks are, until the guard is gone.
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

/// Ends what is mode, also where a run panics.
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
        // Dropped when the lock is free again.
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
        let _ = self.synchronise();
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
    fn what_is_given_back_serves_again() {
        use Event::{Given, Taken};
        // A chain of equal tensors has two places.
        let chain = [Taken(512), Taken(512), Given(0), Taken(512), Given(1), Taken(512)];
        let layout = trace(&chain).layout();
        assert_eq!(layout, ArenaLayout { blocks: vec![(512, 0), (512, 512), (512, 0), (512, 512)], size: 1024 });
        // Neighbours that are free are one, and the end grows.
        let grown = [Taken(512), Taken(512), Given(0), Given(1), Taken(2048)];
        assert_eq!(trace(&grown).layout().size, 2048);
        assert_eq!(Trace::default().layout().size, 0);
    }

    proptest! {
        #[test]
        fn nothing_lies_over_what_lives(steps in prop::collection::vec((1u64..9, any::<prop::sample::Index>(), any::<bool>()), 1..60)) {
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
                        let (size, place) = layout.blocks[next];
                        prop_assert!(size == bytes && place + bytes <= layout.size);
                        for other in &living {
                            let (size, start) = layout.blocks[*other];
                            prop_assert!(place + bytes <= start || start + size <= place);
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
