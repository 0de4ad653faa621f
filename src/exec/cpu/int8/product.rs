//! Products of rows of bytes with a matrix that is packed once.
//!
//! A task computes some rows for some columns. It copies the rows, or the lines of which they are windows, into scratch memory, which also
//! converts them to the elements that the processor multiplies, and then multiplies them panel by panel. A panel's sums are completed by
//! the epilogue while they are in the nearest cache.
#[cfg(target_arch = "x86_64")]
use super::pairs::Order;
use super::{
    dot::{DotProduct, Registers},
    lines::{LineSource, Strip, WindowLines},
    panel::{BLOCK, GROUP, LeftRows, Line, Panel, Sums},
    taps::{GroupProducts, Windows},
};
use crate::{
    array::{reserve, zeros},
    base::Result,
    cpu::{
        blocked::task_count_of,
        output_tiles::{OutputTile, for_each_tile},
        workspace::{Workspace, bytes},
    },
};
use rayon::prelude::*;
use std::cell::RefCell;

/// Number of bytes that are copied at once.
const SHORT: usize = 32;
const WORD: usize = size_of::<u64>();
/// Rows that are multiplied in the time that reading the matrix takes.
const READ: usize = 4;

/// A packed right-hand matrix.
pub(in crate::cpu) struct PackedBytes {
    dot: DotProduct,
    /// Its rows and columns.
    k: usize,
    n: usize,
    /// Elements beyond int8 are sums of several, each in a row of its own. Rows of the left-hand matrix are repeated for them.
    copies: usize,
    /// The runs of the left-hand rows, if these are read from lines instead of being copied.
    runs: Option<Runs>,
    /// Ordered by panel, group and block; padded with zeros. A panel of one block may have an order of its own.
    lines: Vec<Line>,
    #[cfg(target_arch = "x86_64")]
    orders: Vec<Order>,
    /// The sum of each column.
    column_sums: Vec<i32>,
}

/// The rows of a left-hand matrix, which are copied when they are needed.
pub(in crate::cpu) trait Rows: Sync {
    /// Copies rows from `first` on, one to each writer. Bytes after a row's last are multiplied by zeros.
    fn copy(&self, first: usize, to: &mut RowWriters);
    /// Returns all rows if they are consecutive.
    fn consecutive(&self) -> Option<&[u8]> {
        None
    }
    /// If rows are windows of the lines of images, returns these images.
    fn lines(&self) -> Option<LineSource<'_>> {
        None
    }
}

/// The runs of elements that make up each row of a product.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Runs {
    pub count: usize,
    /// Number of elements of a run.
    pub elements: usize,
    /// Number of elements from the first one of a run to that of the next one.
    pub distance: usize,
}

/// How the elements of rows are stored for the processor.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct ElementFormat {
    /// Whether elements are widened to two bytes.
    pub wide: bool,
    /// Flips the top bit of int8, which converts them to uint8.
    pub flip: u8,
}

impl ElementFormat {
    /// Number of bytes of an element.
    pub fn bytes(self) -> usize {
        1 + usize::from(self.wide)
    }
}

/// Copies the elements of a row.
pub(in crate::cpu) struct RowWriter<'a> {
    /// What remains of the row.
    to: &'a mut [u8],
    format: ElementFormat,
}

/// The memory of some rows.
pub(in crate::cpu) struct RowWriters<'a> {
    rows: std::slice::ChunksExactMut<'a, u8>,
    format: ElementFormat,
}

impl<'a> Iterator for RowWriters<'a> {
    type Item = RowWriter<'a>;
    fn next(&mut self) -> Option<RowWriter<'a>> {
        Some(RowWriter::new(self.rows.next()?, self.format))
    }
}

impl<'a> RowWriter<'a> {
    pub(super) fn new(to: &'a mut [u8], format: ElementFormat) -> RowWriter<'a> {
        RowWriter { to, format }
    }
    /// Appends the first `n` elements.
    #[inline]
    pub fn push(&mut self, from: &[u8], n: usize) {
        let (ElementFormat { wide, flip }, to) = (self.format, std::mem::take(&mut self.to));
        // The next elements replace what is copied beyond the last. A copy of known length needs no call.
        if let (false, true, Some(near), Some(all)) =
            (wide, n <= SHORT, to.first_chunk_mut::<SHORT>(), from.first_chunk())
        {
            *near = all.map(|v: u8| v ^ flip);
            self.to = &mut to[n..];
            return;
        }
        let from = &from[..n];
        // Near the end of a row: the first and the last word, which may overlap.
        if let (false, Some(first), Some(last)) = (wide || n > 2 * WORD, from.first_chunk(), from.last_chunk()) {
            let (now, rest) = to.split_at_mut(n);
            self.to = rest;
            let flips = u64::from_ne_bytes([flip; WORD]);
            for (at, word) in [(0, first), (n - WORD, last)] {
                let word: u64 = u64::from_ne_bytes(*word) ^ flips;
                now[at..at + WORD].copy_from_slice(&word.to_ne_bytes());
            }
            return;
        }
        let (now, rest) = to.split_at_mut(n << u8::from(wide));
        self.to = rest;
        match (wide, flip) {
            (false, 0) => now.copy_from_slice(from),
            (false, _) => now.iter_mut().zip(from).for_each(|(t, f)| *t = f ^ flip),
            (true, _) => {
                now.as_chunks_mut::<2>()
                    .0
                    .iter_mut()
                    .zip(from)
                    .for_each(|(t, f)| *t = u16::from(f ^ flip).to_le_bytes());
            }
        }
    }
    /// Appends `n` copies of an element, which is a uint8 already.
    pub fn repeat(&mut self, element: u8, n: usize) {
        if n == 0 {
            return;
        }
        let wide = self.format.wide;
        let (now, rest) = std::mem::take(&mut self.to).split_at_mut(n << u8::from(wide));
        self.to = rest;
        match wide {
            false => now.fill(element),
            true => now.as_chunks_mut().0.fill(u16::from(element).to_le_bytes()),
        }
    }
}

/// Consecutive rows of `k` bytes.
pub(in crate::cpu) struct Contiguous<'a> {
    pub data: &'a [u8],
    pub k: usize,
}

impl Rows for Contiguous<'_> {
    fn copy(&self, first: usize, to: &mut RowWriters) {
        self.data[first * self.k..].chunks_exact(self.k).zip(to).for_each(|(from, mut to)| to.push(from, self.k));
    }
    fn consecutive(&self) -> Option<&[u8]> {
        Some(self.data)
    }
}

/// How the sums of a panel become results. `sums` is scratch memory for all of them.
pub(super) trait Finish<T>: Sync {
    /// Multiplies a panel whose first column is `column`, and writes the results.
    fn multiply(&self, dot: DotProduct, panel: Panel, sums: &mut [Sums], column: usize, to: Panels<T>);
    /// Computes the sums of windows, and writes the results.
    fn sum(&self, by: GroupProducts, windows: &Windows, sums: &mut [Sums], to: Panels<T>);
}

/// Where the results of a panel are written.
pub(super) struct Panels<'a, 'o, T> {
    /// The rows.
    pub outs: &'a mut [&'o mut [T]],
    /// The first of their elements that belongs to the panel, a multiple of [`BLOCK`].
    pub first: usize,
}

/// Memory that a thread reuses: the rows that are multiplied, and the sums of a panel.
#[derive(Default)]
struct Scratch {
    strip: Strip,
    sums: Vec<Sums>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl PackedBytes {
    /// Packs a `k` x `n` matrix; `column` writes the elements of a column, which are in the given range of at most -255 to 255. With
    /// `runs`, its rows are ordered by run, and the rows that it is multiplied by need not be copied, if the processor's instructions allow
    /// that.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub(super) fn new(
        dot: DotProduct,
        [k, n]: [usize; 2],
        runs: Option<Runs>,
        (low, high): (i16, i16),
        column: impl Fn(usize, &mut [i16]) + Sync,
    ) -> Result<PackedBytes> {
        let (per_group, together) = (dot.elements(), dot.blocks_together());
        let copies = match per_group {
            2 => 1,
            _ if dot.needs_pairs() => 1,
            _ => parts((low, high), INT8),
        };
        let runs = runs.filter(|_| copies == 1 && dot.reads_runs());
        let blocks = n.div_ceil(BLOCK);
        let groups = groups(dot, k * copies, runs);
        let run = runs.map_or(k, |runs| runs.elements);
        let mut lines = Vec::new();
        reserve(&mut lines, groups.saturating_mul(blocks))?;
        lines.resize(groups * blocks, Line([[0; GROUP]; BLOCK]));
        let mut column_sums = zeros::<i32>(n)?;
        let panels = lines.par_chunks_mut((groups * together).max(1)).zip(column_sums.par_chunks_mut(together * BLOCK));
        panels.enumerate().try_for_each(|(panel, (lines, sums))| {
            pack(lines, sums, [k, run], per_group, |i, elements| column(panel * together * BLOCK + i, elements))
        })?;
        #[cfg(target_arch = "x86_64")]
        let orders = match dot.needs_pairs() {
            true => lines.par_chunks_mut(groups.max(1)).map(|lines| Order::new(lines, runs)).collect(),
            false => Vec::new(),
        };
        Ok(PackedBytes {
            dot,
            k,
            n,
            copies,
            runs,
            lines,
            #[cfg(target_arch = "x86_64")]
            orders,
            column_sums,
        })
    }

    /// Returns the sums' initial values, for rows whose elements stand for themselves less `zero`.
    pub fn begin(&self, zero: u8) -> impl Iterator<Item = i32> {
        self.column_sums.iter().map(move |sum| -i32::from(zero) * sum)
    }

    pub fn columns(&self) -> usize {
        self.n
    }

    /// The scratch memory of all threads, for rows that are copied.
    pub fn workspace(&self) -> Workspace {
        let row = self.groups() * GROUP;
        self.workspace_of(row, |rows| rows * (row + size_of::<usize>()))
    }

    /// The same for rows that are windows of lines, if the matrix may be multiplied by them.
    pub(super) fn workspace_of_lines(&self, lines: &WindowLines) -> Workspace {
        match self.reads_runs() {
            true => self.workspace_of(0, |_| lines.bytes(GROUP / self.dot.elements())),
            false => self.workspace(),
        }
    }

    /// The scratch memory of all threads. `row` is the size of a row in bytes; `left` returns the bytes that a number of rows occupies.
    fn workspace_of(&self, row: usize, left: impl Fn(usize) -> usize) -> Workspace {
        let rows = self.dot.rows_at_a_time(usize::MAX >> 1, row);
        let of_one = left(rows) + rows * self.dot.blocks_together() * size_of::<Sums>();
        bytes((of_one as u64).saturating_mul(rayon::current_num_threads() as u64))
    }

    /// Whether rows of uint8 can be multiplied as they are.
    fn reads_bytes(&self) -> bool {
        self.dot.elements() == GROUP && self.copies == 1 && self.k == self.groups() * GROUP
    }

    fn groups(&self) -> usize {
        groups(self.dot, self.k * self.copies, self.runs)
    }

    /// Whether rows may be windows of lines.
    pub fn reads_runs(&self) -> bool {
        self.runs.is_some()
    }

    /// Multiplies all rows of `out`, adds `begin` to the sums of each column, and completes them with `finish`. The rows of `out` have
    /// `columns` columns, of which those from `first` on are written.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub(super) fn product<T: Send>(
        &self,
        (rows, flip): (&dyn Rows, u8),
        begin: &[i32],
        (out, first, columns): (&mut [T], usize, usize),
        finish: &dyn Finish<T>,
    ) -> Result<()> {
        let blocks = self.n.div_ceil(BLOCK);
        let mut padded = zeros::<i32>(blocks * BLOCK)?;
        padded[..self.n].copy_from_slice(begin);
        let begin = padded.as_chunks::<BLOCK>().0;
        let (height, width) = self.cut(out.len() / columns.max(1));
        for_each_tile((out, columns), first..first + self.n, [height, width * BLOCK], |mut tile| {
            let mut scratch = SCRATCH.take();
            let result = self.tile((rows, flip), begin, &mut tile, finish, &mut scratch);
            SCRATCH.set(scratch);
            result
        })
    }

    /// Returns the number of rows and of blocks per task.
    fn cut(&self, rows: usize) -> (usize, usize) {
        let threads = rayon::current_num_threads();
        let (blocks, together) = (self.n.div_ceil(BLOCK).max(1), self.dot.blocks_together());
        // Reading the matrix takes as long as multiplying some rows.
        let work = rows.max(READ).saturating_mul(self.lines.len() * BLOCK * self.dot.elements());
        let tasks = task_count_of(work, [self.dot.task(); 2]);
        // Every task reads the matrix, so few rows are divided by columns.
        if rows < 2 * threads * self.dot.rows_together(together) {
            let width = blocks.div_ceil(tasks.min(threads)).next_multiple_of(together);
            return (rows.max(1), width);
        }
        (rows.div_ceil(tasks).max(self.dot.rows_together(together)), blocks)
    }

    /// Computes the rows and columns of a tile.
    fn tile<T>(
        &self,
        (rows, flip): (&dyn Rows, u8),
        begin: &[Sums],
        tile: &mut OutputTile<T>,
        finish: &dyn Finish<T>,
        Scratch { strip, sums }: &mut Scratch,
    ) -> Result<()> {
        let (row, count) = (self.groups() * GROUP, tile.outs.len());
        let format = ElementFormat { wide: self.dot.elements() == 2, flip };
        let in_place = rows.consecutive().filter(|_| self.reads_bytes() && flip == 0);
        let lines = rows.lines().filter(|_| self.reads_runs());
        let (step, at_a_time) = match &lines {
            // Windows of lines overlap, so their size does not limit how many are multiplied at a time.
            Some(lines) => {
                let at_a_time = lines.windows.windows_at_a_time(format.bytes());
                (self.dot.rows_at_a_time(count.min(at_a_time), 0), at_a_time)
            }
            None => [self.dot.rows_at_a_time(count, row); 2].into(),
        };
        resize(sums, step * self.dot.blocks_together(), [0; BLOCK])?;
        let (mut first, mut tiles) = (tile.row, self.dot.configure(self.groups()));
        for outs in tile.outs.chunks_mut(at_a_time) {
            let windows = first..first + outs.len();
            if let Some(lines) = lines {
                lines.copy(windows, format, strip)?;
            } else {
                strip.starts.clear();
                reserve(&mut strip.starts, outs.len())?;
                strip.starts.extend((0..outs.len()).map(|i| i * row));
            }
            let bytes = match in_place {
                Some(data) => &data[first * self.k..][..outs.len() * self.k],
                None if lines.is_some() => &strip.bytes,
                None => {
                    resize(&mut strip.bytes, outs.len() * row, 0)?;
                    let copied = &mut strip.bytes[..outs.len() * row];
                    rows.copy(first, &mut RowWriters { rows: copied.chunks_exact_mut(row), format });
                    for i in 1..self.copies {
                        copied.chunks_exact_mut(row).for_each(|row| row.copy_within(..self.k, i * self.k));
                    }
                    copied
                }
            };
            first += outs.len();
            for (outs, starts) in outs.chunks_mut(step).zip(strip.starts.chunks(step)) {
                self.panels(&self.left(bytes, starts), begin, (tile.column, outs), finish, (sums, &mut tiles));
            }
        }
        Ok(())
    }

    /// Returns rows that begin at these bytes.
    fn left<'a>(&self, bytes: &'a [u8], starts: &'a [usize]) -> LeftRows<'a> {
        let (runs, distance) = self.runs.map_or((1, 0), |runs| (runs.count, runs.distance));
        let (groups, distance) = (self.groups() / runs, distance * GROUP / self.dot.elements());
        LeftRows { bytes, starts, runs, groups, distance }
    }

    /// Multiplies rows by the panels from a column on.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "other processors have no tiles"))]
    fn panels<T>(
        &self,
        left: &LeftRows,
        begin: &[Sums],
        (first, outs): (usize, &mut [&mut [T]]),
        finish: &dyn Finish<T>,
        (sums, tiles): (&mut [Sums], &mut Option<Registers>),
    ) {
        let (groups, together) = (self.groups(), self.dot.blocks_together());
        let width = outs.first().map_or(0, |out| out.len());
        for column in (0..width).step_by(together * BLOCK) {
            let at = (first + column) / BLOCK;
            let blocks = (width - column).div_ceil(BLOCK).min(together);
            let panel = Panel {
                left: *left,
                groups,
                // All panels but the last have the same number of blocks.
                lines: &self.lines[at * groups..][..blocks * groups],
                #[cfg(target_arch = "x86_64")]
                order: self.orders.get(at),
                #[cfg(target_arch = "x86_64")]
                tiles: tiles.as_mut(),
                begin: &begin[at..at + blocks],
            };
            let sums = &mut sums[..outs.len() * blocks];
            finish.multiply(self.dot, panel, sums, at * BLOCK, Panels { outs, first: column });
        }
    }
}

/// Returns the number of groups of a row of `k` elements. Each run begins with a group.
fn groups(dot: DotProduct, k: usize, runs: Option<Runs>) -> usize {
    runs.map_or_else(|| dot.groups(k), |runs| runs.count * dot.groups(runs.elements))
}

/// Writes the elements of a column as int8, or as int16 if groups have two elements. Elements beyond int8 are written several
/// times, each time what the copies before lack.
fn as_bytes(elements: &[i16], per_group: usize, to: &mut [u8]) {
    if per_group == 2 {
        to.as_chunks_mut().0.iter_mut().zip(elements).for_each(|(to, v)| *to = v.to_le_bytes());
        return;
    }
    for (copy, to) in to.chunks_mut(elements.len().max(1)).enumerate() {
        to.iter_mut().zip(elements).for_each(|(to, v)| *to = part(*v, copy, INT8).cast_unsigned());
    }
}

/// Packs a panel, and writes the sum of each of its columns; `column` writes the `k` elements of one, which consist of runs.
fn pack(
    lines: &mut [Line],
    sums: &mut [i32],
    [k, run]: [usize; 2],
    per_group: usize,
    column: impl Fn(usize, &mut [i16]),
) -> Result<()> {
    let blocks = sums.len().div_ceil(BLOCK);
    let (mut elements, mut bytes) = (zeros::<i16>(k)?, zeros::<u8>(lines.len() / blocks * GROUP)?);
    for (i, sum) in sums.iter_mut().enumerate() {
        column(i, &mut elements);
        *sum = elements.iter().copied().map(i32::from).sum();
        let size = bytes.len() / (k / run).max(1);
        for (elements, bytes) in elements.chunks(run).zip(bytes.chunks_mut(size)) {
            as_bytes(elements, per_group, bytes);
        }
        let lines = lines[i / BLOCK..].iter_mut().step_by(blocks);
        lines.zip(bytes.as_chunks().0).for_each(|(line, group)| line.0[i % BLOCK] = *group);
    }
    Ok(())
}

/// The range of int8.
pub(super) const INT8: (i16, i16) = (i8::MIN as i16, i8::MAX as i16);

/// Returns one part of an element that is split into parts within a range of int8: what the parts before it leave over, clamped.
pub(super) fn part(element: i16, index: usize, (low, high): (i16, i16)) -> i8 {
    let before = index as i16;
    (element - element.clamp(low * before, high * before)).clamp(low, high) as i8
}

/// Returns the number of parts into which elements from `least` to `most` are split.
pub(super) fn parts((least, most): (i16, i16), (low, high): (i16, i16)) -> usize {
    (1..).find(|i| low * i <= least && most <= high * i).unwrap_or(1) as usize
}

/// Makes memory at least `n` long.
pub(super) fn resize<T: Copy>(memory: &mut Vec<T>, n: usize, value: T) -> Result<()> {
    if n > memory.len() {
        let more = n - memory.len();
        reserve(memory, more)?;
        memory.resize(n, value);
    }
    Ok(())
}
