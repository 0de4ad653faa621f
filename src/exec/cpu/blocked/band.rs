//! Some rows of the input with their padding, laid out so that the next window is always one pixel on.
//!
//! With a stride of 2 every other column belongs to an element of the kernel. The columns are therefore dealt out by their
//! remainder (the phase), and so are the rows: within a phase, neighbouring windows see neighbouring pixels whatever the
//! stride, and the inner loop knows one step only and no edges. Phases that no element of the kernel sees are not copied: a
//! 1x1 convolution of stride 2 becomes one of stride 1 on a quarter of the pixels.
//!
//! The copy costs a load and a store for each pixel of the input, a small part of what is computed with it, and leaves it in
//! a near cache.
use super::{Axis, Geometry};
use crate::{
    array::{reserve, zeros},
    base::Result,
};
use std::cell::Cell;

/// Floats that a thread keeps from one run to the next.
const KEPT: usize = 1 << 19;

thread_local! {
    static SCRATCH: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Calls `f` with the thread's memory for a band: fresh memory a task would cost as much as the copy.
pub(super) fn with_scratch<T>(f: impl FnOnce(&mut Vec<f32>) -> T) -> T {
    let mut scratch = SCRATCH.take();
    let result = f(&mut scratch);
    if scratch.len() <= KEPT {
        SCRATCH.set(scratch);
    }
    result
}

/// One axis of a band.
struct Phases {
    axis: Axis,
    /// The phases in use.
    used: Vec<usize>,
    /// Of each element of the kernel: the index of its phase, and the place there as the window stands first.
    taps: Vec<(usize, usize)>,
}

impl Phases {
    fn new(axis: Axis) -> Phases {
        let at = |k: usize| (k * axis.dilation % axis.stride, k * axis.dilation / axis.stride);
        let mut used: Vec<usize> = (0..axis.kernel).map(|k| at(k).0).collect();
        used.sort_unstable();
        used.dedup();
        let index = |phase: usize| used.iter().position(|&u| u == phase).unwrap_or(0);
        let taps = (0..axis.kernel).map(|k| (index(at(k).0), at(k).1)).collect();
        Phases { axis, taps, used }
    }
    /// Pixels of a phase that so many windows see.
    fn len(&self, windows: usize) -> usize {
        windows + (self.axis.kernel - 1) * self.axis.dilation / self.axis.stride
    }
    /// The pixels of a phase that lie inside the input: from, to, of `n`.
    fn inside(&self, phase: usize, n: usize) -> (usize, usize) {
        let Axis { input, pad, stride, .. } = self.axis;
        let to = (input + pad).saturating_sub(phase).div_ceil(stride).min(n);
        (pad.saturating_sub(phase).div_ceil(stride).min(to), to)
    }
    /// The input is the only phase.
    fn is_input(&self) -> bool {
        self.axis.stride == 1 && self.axis.pad == 0 && self.axis.len() <= self.axis.input
    }
}

/// How bands are laid out, in pixels. A pixel is as many channels as stand together.
pub(super) struct Band {
    rows: Phases,
    cols: Phases,
    /// Rows of the result that a band is for.
    pub height: usize,
    /// From one row of a phase to the next.
    pub width: usize,
    /// The input has this layout already, and is not copied.
    pub direct: bool,
}

impl Band {
    pub fn new(g: &Geometry, height: usize) -> Band {
        let (rows, cols) = (Phases::new(g.rows), Phases::new(g.cols));
        let direct = rows.is_input() && cols.is_input();
        let width = if direct { g.cols.input } else { cols.len(g.cols.output) };
        Band { height, width, rows, cols, direct }
    }
    /// Pixels of one phase of rows and one of columns.
    fn phase(&self) -> usize {
        self.rows.len(self.height) * self.width
    }
    /// Pixels of a plane that a row of the result adds.
    pub fn row(&self) -> usize {
        self.width * self.rows.used.len() * self.cols.used.len()
    }
    /// Pixels of a plane of the band, or of the input where that is taken.
    pub fn plane(&self) -> usize {
        if self.direct {
            return self.rows.axis.input * self.width;
        }
        self.phase().saturating_mul(self.rows.used.len() * self.cols.used.len())
    }
    /// Where each element of the kernel finds the pixel of the first window.
    pub fn taps(&self) -> Vec<usize> {
        let (n, phase) = (self.cols.used.len(), self.phase());
        let place = |&(p, r): &(usize, usize), &(q, c): &(usize, usize)| (p * n + q) * phase + r * self.width + c;
        self.rows.taps.iter().flat_map(|r| self.cols.taps.iter().map(move |c| place(r, c))).collect()
    }
    /// The planes as a band that begins at row `first` of the result. Where the input has the layout already it is given
    /// from that row on; the planes are [`Band::plane`] apart either way.
    ///
    /// # Errors
    /// The memory is not enough.
    pub fn of<'a, const C: usize>(
        &self,
        planes: &'a [[f32; C]],
        first: usize,
        scratch: &'a mut Vec<f32>,
    ) -> Result<&'a [[f32; C]]> {
        if self.direct {
            return Ok(&planes[first * self.width..]);
        }
        let area = self.rows.axis.input * self.cols.axis.input;
        let size = (planes.len() / area).saturating_mul(self.plane());
        if scratch.len() / C < size {
            *scratch = Vec::new();
            *scratch = zeros(size.saturating_mul(C))?;
        }
        let band = &mut scratch.as_chunks_mut().0[..size];
        for (plane, to) in planes.chunks_exact(area).zip(band.chunks_exact_mut(self.plane())) {
            self.copy(plane, first, to);
        }
        Ok(band)
    }
    /// From row `first` of each phase on.
    fn copy<const C: usize>(&self, plane: &[[f32; C]], first: usize, to: &mut [[f32; C]]) {
        let (rows, cols) = (&self.rows, &self.cols);
        let phases = rows.used.iter().flat_map(|&r| cols.used.iter().map(move |&c| (r, c)));
        for ((r, c), to) in phases.zip(to.chunks_exact_mut(self.phase())) {
            let (top, bottom) = rows.inside(r, usize::MAX);
            let (left, right) = cols.inside(c, self.width);
            for (row, to) in (first..).zip(to.chunks_exact_mut(self.width)) {
                if row < top || row >= bottom || left == right {
                    to.fill([0.0; C]);
                    continue;
                }
                let from = (row * rows.axis.stride + r - rows.axis.pad) * cols.axis.input;
                let from = &plane[from..from + cols.axis.input][left * cols.axis.stride + c - cols.axis.pad..];
                to[..left].fill([0.0; C]);
                to[right..].fill([0.0; C]);
                if cols.axis.stride == 1 {
                    to[left..right].copy_from_slice(&from[..right - left]);
                } else {
                    let from = from.iter().step_by(cols.axis.stride);
                    to[left..right].iter_mut().zip(from).for_each(|(t, f)| *t = *f);
                }
            }
        }
    }
}

/// So many pixels of zeros.
pub(super) fn zero_pixels<const C: usize>(n: usize) -> Result<Vec<[f32; C]>> {
    let mut pixels = Vec::new();
    reserve(&mut pixels, n)?;
    pixels.resize(n, [0.0; C]);
    Ok(pixels)
}
