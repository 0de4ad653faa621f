//! Products of bytes with AMX, whose registers are tiles of 16 rows of 64 bytes.
//!
//! An instruction multiplies up to 16 groups of 16 rows by the same groups of a block of columns. A line of a block is a row of such a
//! tile, so matrices are packed as for VNNI, and padded with lines of zeros until all tiles have the same number of groups. Sums are
//! stored and then completed by the epilogue of VNNI, which also multiplies fewer than 16 rows.
#![allow(unsafe_code, reason = "instructions on tiles, and a system call; docs/safety.md lists it")]
use super::panel::{Accumulate, Avx512Vnni, BLOCK, Epilogue, GROUP, Line, Panel, Sums};
use std::{
    arch::{asm, x86_64::__cpuid_count},
    marker::PhantomData,
    ops::Range,
    sync::OnceLock,
};

/// Rows of a tile. Fewer are multiplied without tiles.
pub(super) const ROWS: usize = 16;
/// Maximum number of groups of a tile's row.
const GROUPS: usize = 16;
/// Maximum number of rows that are multiplied together: two tiles. They are multiplied by up to two blocks.
pub(super) const ROWS_TOGETHER: usize = 2 * ROWS;
pub(super) const BLOCKS_TOGETHER: usize = 2;
/// Bytes of the rows that are multiplied at a time, and their maximum number. Every processor with AMX has at least 2 MiB of second-level
/// cache.
pub(super) const NEAR: usize = 512 << 10;
pub(super) const MAX_ROWS: usize = 128;
/// Minimum number of products per sum. With fewer, moving sums through memory takes longer than tiles save.
pub(super) const MIN_PRODUCTS: usize = 48;
/// Rows of sums that are completed together.
const COMPLETED: usize = 8;

/// AMX for bytes, which the operating system lets this process use. The value is the proof.
#[derive(Clone, Copy)]
pub(super) struct AmxInt8(Avx512Vnni);

impl AmxInt8 {
    /// Returns `None` if the machine does not have it, or the operating system does not allow it.
    pub fn new(vnni: Avx512Vnni) -> Option<AmxInt8> {
        static IS_USABLE: OnceLock<bool> = OnceLock::new();
        IS_USABLE.get_or_init(|| exists() && is_allowed()).then_some(AmxInt8(vnni))
    }
    /// Returns the instructions that multiply few rows and complete sums.
    pub fn vnni(self) -> Avx512Vnni {
        self.0
    }
    /// Configures the tiles of this thread for rows of `groups` groups, as [`padded_groups`] returns.
    pub fn configure(self, groups: usize) -> Tiles {
        let depth = depth(groups);
        let (row_bytes, rows) = ([0; 16], [0; 16]);
        let mut configuration = Configuration { palette: 1, start_row: 0, reserved: [0; 14], row_bytes, rows };
        for tile in 0..8 {
            let (rows, columns) = match tile {
                SUMS..LEFT => (ROWS, BLOCK),
                LEFT..RIGHT => (ROWS, depth),
                _ => (depth, BLOCK),
            };
            (configuration.rows[tile], configuration.row_bytes[tile]) = (rows as u8, (columns * GROUP) as u16);
        }
        // SAFETY: `self` proves that the instruction may be used, and no tile is larger than the registers. Tiles belong to nobody
        // else: compiled code has none, and what uses them on this thread configures them first.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const configuration, options(nostack, readonly, preserves_flags))
        };
        let sums = [[[0; BLOCK]; ROWS_TOGETHER * BLOCKS_TOGETHER]; 2];
        Tiles { vnni: self.0, depth, sums, of_thread: PhantomData }
    }
}

/// The first tile of the sums, of rows and of the right-hand matrix.
const SUMS: usize = 0;
const LEFT: usize = 4;
const RIGHT: usize = 6;

/// The operand of the instruction that configures tiles.
#[repr(C, align(64))]
struct Configuration {
    /// The kind of registers: 1 is the only one there is.
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// Returns the number of groups that rows are padded to: a multiple of that of a tile.
pub(super) fn padded_groups(groups: usize) -> usize {
    depth(groups) * groups.div_ceil(GROUPS)
}

/// Returns the number of groups of a tile, for rows of that many.
fn depth(groups: usize) -> usize {
    groups.div_ceil(groups.div_ceil(GROUPS).max(1))
}

/// The tile registers of this thread, while they are configured.
pub(super) struct Tiles {
    vnni: Avx512Vnni,
    /// Number of groups of a tile's row.
    depth: usize,
    /// The sums of the rows that are multiplied together, and of those before them.
    sums: [[Sums; ROWS_TOGETHER * BLOCKS_TOGETHER]; 2],
    /// The registers belong to the thread.
    of_thread: PhantomData<*const ()>,
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: the processor has the instruction. Without it, the system would save tiles whenever it switches threads.
        unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) };
    }
}

impl Tiles {
    /// Multiplies all rows of a panel of one or two blocks, of which there are at least 16.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vnni")]
    pub fn multiply(&mut self, panel: &Panel, epilogue: &mut impl Epilogue<Avx512Vnni>) {
        match panel.begin.len() {
            1 => self.multiply_blocks::<1>(panel, epilogue),
            _ => self.multiply_blocks::<2>(panel, epilogue),
        }
    }

    #[inline(always)]
    fn multiply_blocks<const B: usize>(&mut self, panel: &Panel, epilogue: &mut impl Epilogue<Avx512Vnni>) {
        let (vnni, depth, [now, before]) = (self.vnni, self.depth, &mut self.sums);
        let (mut now, mut before) = (now.as_chunks_mut::<B>().0, before.as_chunks_mut::<B>().0);
        let (lines, begin) = (panel.lines.as_chunks::<B>().0, panel.begin.as_chunks::<B>().0);
        let (count, Some(left)) = (panel.left.starts.len(), panel.left.of_one_run()) else { return };
        // The processor multiplies tiles and completes the sums of those before them at the same time.
        let (mut done, mut ready) = (0, 0..0);
        while done < count {
            let rows = if count - done > ROWS && count >= ROWS_TOGETHER { ROWS_TOGETHER } else { ROWS };
            // The last ones begin before the end of those before them, so that tiles are whole.
            let first = done.min(count - rows);
            let left = &left[first * panel.groups..][..rows * panel.groups];
            // SAFETY: the tiles are configured for `depth` as long as `self` lives.
            unsafe { multiply(depth, left, lines, &mut now[..rows]) };
            complete(vnni, (before, &begin[0]), ready, epilogue);
            std::mem::swap(&mut now, &mut before);
            (done, ready) = (first + rows, first..first + rows);
        }
        complete(vnni, (before, &begin[0]), ready, epilogue);
    }
}

/// Adds the initial values to the sums of these rows, and completes them.
#[inline(always)]
fn complete<const B: usize>(
    vnni: Avx512Vnni,
    (sums, begin): (&[[Sums; B]], &[Sums; B]),
    rows: Range<usize>,
    epilogue: &mut impl Epilogue<Avx512Vnni>,
) {
    for (row, sums) in rows.step_by(COMPLETED).zip(sums.as_chunks::<COMPLETED>().0) {
        let mut tile = [[vnni.load(&begin[0]); B]; COMPLETED];
        for b in 0..B {
            let begin = vnni.load(&begin[b]);
            for r in 0..COMPLETED {
                tile[r][b] = vnni.sum(vnni.load(&sums[r][b]), begin);
            }
        }
        epilogue.complete(vnni, tile, row, 0);
    }
}

/// Computes the sums of one or two tiles of rows, with `depth` groups at a time.
///
/// # Safety
/// The tiles of this thread are configured for that.
unsafe fn multiply<const B: usize>(depth: usize, rows: &[[u8; GROUP]], lines: &[[Line; B]], sums: &mut [[Sums; B]]) {
    let (groups, steps) = (lines.len(), lines.len() / depth);
    assert!(groups == steps * depth && steps > 0 && rows.len() == sums.len() * groups, "tiles of others");
    // A single tile of rows is computed twice.
    let (Some(first), Some(last)) = (rows.first(), rows.get(rows.len() - ROWS * groups)) else { return };
    let (low, high) = match sums.as_chunks_mut::<ROWS>().0 {
        [low, high] => (low.as_mut_ptr(), high.as_mut_ptr()),
        [low] => (low.as_mut_ptr(), low.as_mut_ptr()),
        _ => return,
    };
    // For each block: its tile, its offset in a line of all blocks, and its sums with the first and the second tile of rows.
    macro_rules! multiply {
        ($($right:literal $offset:literal [$low:literal $high:literal])*) => {
            asm!(
                $(concat!("tilezero tmm", $low), concat!("tilezero tmm", $high),)*
                "2:",
                "tileloadd tmm4, [{first} + {row}]",
                $(concat!("tileloadd tmm", $right, ", [{lines} + {line} + ", $offset, "]"),
                concat!("tdpbusd tmm", $low, ", tmm4, tmm", $right),)*
                "tileloadd tmm5, [{last} + {row}]",
                $(concat!("tdpbusd tmm", $high, ", tmm5, tmm", $right),)*
                "add {first}, {left_step}",
                "add {last}, {left_step}",
                "add {lines}, {right_step}",
                "dec {steps}",
                "jnz 2b",
                $(concat!("tilestored [{low} + {line} + ", $offset, "], tmm", $low),
                concat!("tilestored [{high} + {line} + ", $offset, "], tmm", $high),)*
                first = inout(reg) first => _, last = inout(reg) last => _, row = in(reg) groups * GROUP,
                lines = inout(reg) lines.as_ptr() => _, line = in(reg) B * size_of::<Line>(),
                left_step = in(reg) depth * GROUP, right_step = in(reg) depth * B * size_of::<Line>(),
                steps = inout(reg) steps => _, low = in(reg) low, high = in(reg) high,
                options(nostack)
            )
        };
    }
    // SAFETY: the caller promises that tiles are configured. Each step reads `depth` groups of each row and `depth` lines of each
    // block, and there are that many for all steps. A tile of sums is as large as the registers.
    unsafe {
        match B {
            1 => multiply!(6 0 [0 2]),
            _ => multiply!(6 0 [0 2] 7 64 [1 3]),
        }
    }
}

/// Whether the processor has tiles, and multiplies those of bytes.
fn exists() -> bool {
    const TILE: u32 = 1 << 24;
    const INT8: u32 = 1 << 25;
    __cpuid_count(0, 0).eax >= 7 && __cpuid_count(7, 0).edx & (TILE | INT8) == TILE | INT8
}

/// Asks Linux for tiles, whose state threads have room for only then. It refuses if a thread's signal stack is too small for it.
#[cfg(target_os = "linux")]
fn is_allowed() -> bool {
    const REQUEST_STATE: libc::c_long = 0x1023;
    const TILE_DATA: libc::c_long = 18;
    // SAFETY: the call has no preconditions, and takes no addresses.
    unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_STATE, TILE_DATA) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn is_allowed() -> bool {
    false
}
