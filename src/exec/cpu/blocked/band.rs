//! A band: some rows of the input with their padding, laid out so that successive windows are always one pixel apart. In a
//! volume, it has these rows of each slice that the windows see.
//!
//! With a stride of 2, each element of the kernel sees only every other column. Columns are therefore grouped by their
//! remainder (the phase), and so are rows. Within a phase, neighboring windows see neighboring pixels whatever the
//! stride, and the inner loop has a single step and no edges. Phases that no element of the kernel sees are not copied: a
//! 1x1 convolution of stride 2 becomes one of stride 1 on a quarter of the pixels.
//!
//! The copy costs one load and one store per input pixel, little compared to the computation, and leaves the data in a
//! near cache.
use super::{Axis, ConvShape, InstructionSet, Pixel, tile::HALF};
use crate::{
    array::{reserve, zeros},
    base::Result,
};
use rten_simd::{Isa, SimdOp};
use std::{cell::Cell, ops::Range};

/// Maximum number of floats that a thread keeps between tasks and runs. A task that needs more allocates and clears its memory, which for
/// Winograd's tiles of large images would take half as long as the computation.
pub(super) const KEPT: usize = 1 << 21;

thread_local! {
    static SCRATCH: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Calls `f` with the thread's scratch memory for a band: allocating memory for each task would cost as much as the copy.
pub(super) fn with_scratch<T>(f: impl FnOnce(&mut Vec<f32>) -> T) -> T {
    let mut scratch = SCRATCH.take();
    let result = f(&mut scratch);
    if scratch.len() <= KEPT {
        SCRATCH.set(scratch);
    }
    result
}

/// Makes memory at least that long.
pub(super) fn grow(memory: &mut Vec<f32>, size: usize) -> Result<()> {
    let more = size.saturating_sub(memory.len());
    reserve(memory, more)?;
    memory.resize(memory.len() + more, 0.0);
    Ok(())
}

/// One axis of a band.
struct Phases {
    axis: Axis,
    /// The phases in use.
    used: Vec<usize>,
    /// For each element of the kernel: the index of its phase, and the offset of the first window within the phase.
    taps: Vec<(usize, usize)>,
}

impl Phases {
    fn new(axis: Axis) -> Phases {
        let at = |k: usize| (k * axis.dilation % axis.stride, k * axis.dilation / axis.stride);
        let mut used: Vec<usize> = (0..axis.kernel).map(|k| at(k).0).collect();
        used.sort_unstable();
        used.dedup();
        // There may be as many phases as elements of a large kernel.
        let index = |phase: usize| used.binary_search(&phase).unwrap_or(0);
        let taps = (0..axis.kernel).map(|k| (index(at(k).0), at(k).1)).collect();
        Phases { axis, taps, used }
    }
    /// Number of pixels of a phase that `windows` windows see.
    fn len(&self, windows: usize) -> usize {
        windows + (self.axis.kernel - 1) * self.axis.dilation / self.axis.stride
    }
    /// The range of a phase's pixels that are inside the input of `n` pixels.
    fn inside(&self, phase: usize, n: usize) -> (usize, usize) {
        let Axis { input, pad, stride, .. } = self.axis;
        let to = (input + pad).saturating_sub(phase).div_ceil(stride).min(n);
        (pad.saturating_sub(phase).div_ceil(stride).min(to), to)
    }
    /// Whether the input is the only phase.
    fn is_input(&self) -> bool {
        self.axis.stride == 1 && self.axis.pad == 0 && self.axis.len() <= self.axis.input
    }
}

/// The layout of bands in pixels. A pixel consists of the channels that are stored together.
pub(super) struct Band {
    slices: Axis,
    rows: Phases,
    cols: Phases,
    /// Rows of the result computed from a band.
    pub height: usize,
    /// The stride of the rows of a phase.
    pub width: usize,
    /// Whether the input already has this layout, so that it is not copied.
    pub direct: bool,
}

impl Band {
    pub fn new(g: &ConvShape, height: usize) -> Band {
        let (rows, cols) = (Phases::new(g.rows), Phases::new(g.cols));
        let slices = g.slices;
        let one_slice = slices.kernel == 1 && slices.pad == 0 && slices.len() <= slices.input;
        let direct = one_slice && rows.is_input() && cols.is_input();
        let width = if direct { g.cols.input } else { cols.len(g.cols.output) };
        Band { slices, height, width, rows, cols, direct }
    }
    /// A band for [`Band::of_halves`], which copies the input even if it has the layout of a band.
    pub fn copied(g: &ConvShape, height: usize) -> Band {
        let band = Band::new(g, height);
        Band { width: band.cols.len(g.cols.output), direct: false, ..band }
    }
    /// Number of pixels of one row phase and one column phase.
    fn phase(&self) -> usize {
        self.rows.len(self.height) * self.width
    }
    /// Number of pixels that each row of the result adds to a plane.
    pub fn row(&self) -> usize {
        self.width * self.rows.used.len() * self.cols.used.len()
    }
    /// Number of pixels of an input plane, which is one slice of a block.
    fn area(&self) -> usize {
        self.rows.axis.input * self.cols.axis.input
    }
    /// The stride of the planes in pixels.
    pub fn plane(&self) -> usize {
        if self.direct {
            return self.slices.input * self.area();
        }
        self.phase().saturating_mul(self.rows.used.len() * self.cols.used.len())
    }
    /// The offset of the first window's pixel for each element of the kernel.
    pub fn taps(&self) -> Vec<usize> {
        let (n, phase) = (self.cols.used.len(), self.phase());
        let place = |&(p, r): &(usize, usize), &(q, c): &(usize, usize)| (p * n + q) * phase + r * self.width + c;
        self.rows.taps.iter().flat_map(|r| self.cols.taps.iter().map(move |c| place(r, c))).collect()
    }
    /// Returns the slices of the kernel that are inside the input at a slice of the result: at least one, which is padding
    /// if none is inside.
    pub fn seen(&self, slice: usize) -> Range<usize> {
        let (from, to) = self.slices.inside(slice);
        let from = from.min(self.slices.kernel - 1);
        from..to.max(from + 1)
    }
    /// Returns the blocks of `x` as a band that begins at a slice and row of the result: for each slice of the kernel that
    /// is seen, the plane of each block. If the input already has the layout, it is returned from there on; in both cases
    /// the planes are [`Band::plane`] apart.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn of<'a, const C: usize>(
        &self,
        x: &'a [[f32; C]],
        (slice, row): (usize, usize),
        scratch: &'a mut Vec<f32>,
    ) -> Result<&'a [[f32; C]]> {
        let area = self.area();
        if self.direct {
            return Ok(&x[slice * self.slices.stride * area + row * self.width..]);
        }
        let (seen, volume) = (self.seen(slice), self.slices.input * area);
        let band = self.planes(x.len() / volume * seen.len(), scratch)?;
        let places = seen.flat_map(|k| x.chunks_exact(volume).map(move |block| (block, self.slices.place(slice, k))));
        for ((block, place), to) in places.zip(band.chunks_exact_mut(self.plane())) {
            match place {
                Some(place) => self.copy(&block[place * area..][..area], row, to, Lanes::All),
                None => to.fill([0.0; C]),
            }
        }
        Ok(band)
    }
    /// Returns half blocks of an image as a band that begins at a row of the result. The first one becomes the first half of the band's
    /// first block, wherever it is in `x`. If their number is odd, the last half of the band's last block has any values. The input is
    /// always copied.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn of_halves<'a>(
        &self,
        x: &[Pixel],
        halves: Range<usize>,
        row: usize,
        scratch: &'a mut Vec<f32>,
    ) -> Result<&'a [Pixel]> {
        let band = self.planes(halves.len().div_ceil(2), scratch)?;
        for (i, half) in halves.enumerate() {
            let plane = &x[half / 2 * self.area()..][..self.area()];
            let to = &mut band[i / 2 * self.plane()..][..self.plane()];
            self.copy(plane, row, to, Lanes::Half { from: half % 2 * HALF, to: i % 2 * HALF });
        }
        Ok(band)
    }
    /// Returns memory for some planes.
    fn planes<'a, const C: usize>(&self, planes: usize, scratch: &'a mut Vec<f32>) -> Result<&'a mut [[f32; C]]> {
        let size = planes.saturating_mul(self.plane());
        if scratch.len() / C < size {
            *scratch = Vec::new();
            *scratch = zeros(size.saturating_mul(C))?;
        }
        Ok(&mut scratch.as_chunks_mut().0[..size])
    }
    /// Copies lanes of a plane, beginning at row `first` of each phase. All lanes of the padding are set to 0.
    fn copy<const C: usize>(&self, plane: &[[f32; C]], first: usize, to: &mut [[f32; C]], lanes: Lanes) {
        InstructionSet::best().run(CopyPlane { band: self, plane, first, to, lanes });
    }
    /// Like [`Band::copy`], for code that is compiled for an instruction set.
    #[inline(always)]
    fn copy_inline<const C: usize>(&self, plane: &[[f32; C]], first: usize, to: &mut [[f32; C]], lanes: Lanes) {
        let (rows, cols) = (&self.rows, &self.cols);
        let (width, phase) = (self.width, self.phase());
        for (&r, to) in rows.used.iter().zip(to.chunks_exact_mut(cols.used.len() * phase)) {
            let (top, bottom) = rows.inside(r, usize::MAX);
            if [cols.axis.input, width] == [1, 1] {
                self.copy_columns((plane, lanes), (r, top..bottom), first, to);
                continue;
            }
            // All phases of a row, one after the other, while the row is in the first-level cache.
            for (i, row) in (first..).take(phase / width).enumerate() {
                for (&c, to) in cols.used.iter().zip(to.chunks_exact_mut(phase)) {
                    let ((left, right), to) = (cols.inside(c, width), &mut to[i * width..][..width]);
                    if row < top || row >= bottom || left == right {
                        to.fill([0.0; C]);
                        continue;
                    }
                    let from = (row * rows.axis.stride + r - rows.axis.pad) * cols.axis.input;
                    let from = &plane[from..from + cols.axis.input][left * cols.axis.stride + c - cols.axis.pad..];
                    copy_between(from, cols.axis.stride, to, left..right, lanes);
                }
            }
        }
    }
    /// Copies the only column of a plane to phase `r` of the rows, those of `inside` from the plane.
    #[inline(always)]
    fn copy_columns<const C: usize>(
        &self,
        (plane, lanes): (&[[f32; C]], Lanes),
        (r, inside): (usize, Range<usize>),
        first: usize,
        to: &mut [[f32; C]],
    ) {
        let (rows, cols) = (&self.rows.axis, &self.cols);
        for (&c, to) in cols.used.iter().zip(to.chunks_exact_mut(self.phase())) {
            let (left, right) = cols.inside(c, self.width);
            if left == right {
                to.fill([0.0; C]);
                continue;
            }
            let end = first + to.len();
            let (top, bottom) = (inside.start.clamp(first, end), inside.end.clamp(first, end));
            // Past the end of the plane if all rows are padding or below it.
            let from = (top * rows.stride + r).saturating_sub(rows.pad);
            let from = plane.get(from..).unwrap_or_default();
            copy_between(from, rows.stride, to, top - first..bottom - first, lanes);
        }
    }
}

/// A plane that becomes part of a band.
struct CopyPlane<'a, const C: usize> {
    band: &'a Band,
    plane: &'a [[f32; C]],
    first: usize,
    to: &'a mut [[f32; C]],
    lanes: Lanes,
}

impl<const C: usize> SimdOp for CopyPlane<'_, C> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        self.band.copy_inline(self.plane, self.first, self.to, self.lanes);
    }
}

/// The lanes of a pixel that are copied.
#[derive(Clone, Copy)]
enum Lanes {
    All,
    /// Half of them: those from lane `from` on become those from lane `to` on.
    Half {
        from: usize,
        to: usize,
    },
}

/// Copies lanes of every `stride`-th pixel to `inside`, and sets the pixels around it to 0.
#[inline(always)]
fn copy_between<const C: usize>(
    from: &[[f32; C]],
    stride: usize,
    to: &mut [[f32; C]],
    inside: Range<usize>,
    lanes: Lanes,
) {
    to[..inside.start].fill([0.0; C]);
    to[inside.end..].fill([0.0; C]);
    let to = &mut to[inside];
    match lanes {
        Lanes::All if stride == 1 => to.copy_from_slice(&from[..to.len()]),
        Lanes::All if stride == 2 => copy_every_second(from, to),
        Lanes::All => to.iter_mut().zip(from.iter().step_by(stride)).for_each(|(t, f)| *t = *f),
        Lanes::Half { from: first, to: at } => to.iter_mut().zip(from.iter().step_by(stride)).for_each(|(t, f)| {
            t[at..at + HALF].copy_from_slice(&f[first..first + HALF]);
        }),
    }
}

/// Copies every second pixel. The compiler uses vectors for pairs, but not for steps of two.
#[inline(always)]
fn copy_every_second<const C: usize>(from: &[[f32; C]], to: &mut [[f32; C]]) {
    let pairs = from.as_chunks::<2>().0;
    let (whole, last) = to.split_at_mut(to.len().min(pairs.len()));
    for (to, [first, _]) in whole.iter_mut().zip(pairs) {
        *to = *first;
    }
    if let [last] = last {
        *last = from[2 * pairs.len()];
    }
}

/// Returns `n` pixels of zeros.
pub(super) fn zero_pixels<const C: usize>(n: usize) -> Result<Vec<[f32; C]>> {
    let mut pixels = Vec::new();
    reserve(&mut pixels, n)?;
    pixels.resize(n, [0.0; C]);
    Ok(pixels)
}
