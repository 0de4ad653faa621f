//! Offsets of the kernel's elements at each position of a window.
use crate::ops::Window;
use std::ops::Range;

/// A window's positions, and the plane over which it slides: the input of a convolution, the result of a transposed one.
pub(super) struct Grid {
    pub plane: Vec<usize>,
    pub positions: Vec<usize>,
    kernel: Vec<usize>,
    stride: Vec<i64>,
    dilation: Vec<i64>,
    /// Padding before each axis.
    pad: Vec<i64>,
}

impl Grid {
    pub fn new(windows: &[Window], plane: &[usize], positions: &[usize]) -> Grid {
        Grid {
            plane: plane.to_vec(),
            positions: positions.to_vec(),
            kernel: windows.iter().map(|w| w.kernel as usize).collect(),
            stride: windows.iter().map(|w| w.stride).collect(),
            dilation: windows.iter().map(|w| w.dilation).collect(),
            pad: windows.iter().map(|w| w.pads[0]).collect(),
        }
    }
    /// Number of elements of the window.
    pub fn taps(&self) -> usize {
        self.kernel.iter().product()
    }
    /// Number of positions of the window.
    pub fn pixels(&self) -> usize {
        self.positions.iter().product()
    }
    /// Number of elements of the plane.
    pub fn area(&self) -> usize {
        self.plane.iter().product()
    }
    /// Whether the window has one element, and each element of the plane is a position.
    pub fn is_pointwise(&self) -> bool {
        self.taps() == 1 && self.stride.iter().all(|&s| s == 1) && self.plane == self.positions
    }
    /// Returns the coordinates of a kernel element at the first position.
    pub fn offset(&self, mut tap: usize) -> Vec<i64> {
        let mut offset = vec![0i64; self.plane.len()];
        for i in (0..offset.len()).rev() {
            offset[i] = (tap % self.kernel[i]) as i64 * self.dilation[i] - self.pad[i];
            tap /= self.kernel[i];
        }
        offset
    }
    /// The stride of the positions.
    pub fn stride(&self) -> &[i64] {
        &self.stride
    }
    /// Number of lines of positions along the last axis.
    pub fn line_count(&self) -> usize {
        self.positions[..self.positions.len() - 1].iter().product()
    }
    /// Returns the range of positions of a line at which the kernel element is inside the plane, and the element's offset
    /// at the first of them. The offset then advances by the stride of the last axis.
    pub fn line(&self, tap: usize, line: usize) -> (Range<usize>, usize) {
        let (offset, last) = (self.offset(tap), self.plane.len() - 1);
        let (mut rest, mut start, mut size) = (line, 0i64, self.plane[last] as i64);
        for i in (0..last).rev() {
            let at = (rest % self.positions[i]) as i64 * self.stride[i] + offset[i];
            rest /= self.positions[i];
            if !(0..self.plane[i] as i64).contains(&at) {
                return (0..0, 0);
            }
            start += at * size;
            size *= self.plane[i] as i64;
        }
        let (step, first) = (self.stride[last], offset[last]);
        // From the first position at which the element is not before the plane, to the first at which it is after it.
        let from = (-first).max(0).unsigned_abs().div_ceil(step.unsigned_abs()) as usize;
        let to = (self.plane[last] as i64 - first).max(0).unsigned_abs().div_ceil(step.unsigned_abs()) as usize;
        let (from, to) = (from, to.min(self.positions[last]));
        if from >= to {
            return (0..0, 0);
        }
        (from..to, (start + from as i64 * step + first) as usize)
    }
    /// Calls `f` with each line of positions, the range of positions at which the kernel element is inside the plane, and
    /// the element's offset at the first of them.
    fn lines(&self, tap: usize, mut f: impl FnMut(Range<usize>, Range<usize>, usize)) {
        let width = self.positions[self.positions.len() - 1];
        for line in 0..self.line_count() {
            let (begin, (inside, at)) = (line * width, self.line(tap, line));
            f(begin..begin + width, begin + inside.start..begin + inside.end, at);
        }
    }
    /// Reads the element of a plane that the kernel element covers at each position; `padding` if it is outside.
    pub fn gather<T: Copy>(&self, plane: &[T], tap: usize, padding: T, out: &mut [T]) {
        let step = self.stride[self.stride.len() - 1] as usize;
        self.lines(tap, |line, inside, at| {
            out[line.start..inside.start].fill(padding);
            out[inside.end..line.end].fill(padding);
            if inside.is_empty() {
                return;
            }
            if step == 1 {
                let n = inside.len();
                out[inside].copy_from_slice(&plane[at..at + n]);
            } else {
                let from = plane[at..].iter().step_by(step);
                out[inside].iter_mut().zip(from).for_each(|(o, v)| *o = *v);
            }
        });
    }
    /// Adds the value of each position to the element of the plane that the kernel element covers; values outside are
    /// dropped.
    pub fn scatter<T: Copy>(&self, values: &[T], tap: usize, plane: &mut [T], add: impl Fn(T, T) -> T) {
        let step = self.stride[self.stride.len() - 1] as usize;
        self.lines(tap, |_, inside, at| {
            if !inside.is_empty() {
                let to = plane[at..].iter_mut().step_by(step);
                to.zip(&values[inside]).for_each(|(p, v)| *p = add(*p, *v));
            }
        });
    }
    /// Writes the column matrix of some channels: one row per channel and kernel element, one column per position.
    pub fn columns<T: Copy + Send + Sync>(&self, channels: &[T], padding: T, columns: &mut [T]) {
        use rayon::prelude::*;
        let (taps, area) = (self.taps(), self.area());
        columns.par_chunks_mut(self.pixels()).enumerate().for_each(|(row, out)| {
            self.gather(&channels[row / taps * area..][..area], row % taps, padding, out);
        });
    }
}
