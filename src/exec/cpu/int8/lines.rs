//! Copies lines of images with their padding, so that the windows of a convolution can be multiplied in place.
//!
//! Copying each window instead would copy each pixel once for each element of the kernel.
use super::{
    panel::GROUP,
    product::{ElementFormat, RowWriter, Runs, resize},
};
use crate::{array::reserve, base::Result, cpu::blocked::Axis};
use std::ops::Range;

/// Bytes of lines that are copied at a time: few enough to stay in the second-level cache beside a panel.
const NEAR: usize = 128 << 10;

/// The largest number of bytes of an element.
const WIDEST: usize = 2;

/// The geometry of windows on images with channels last. The elements of a window that are in the same line are adjacent.
#[derive(Clone)]
pub(in crate::cpu) struct WindowLines {
    rows: Axis,
    cols: Axis,
    channels: usize,
}

/// Images, and the value of the elements outside them.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct LineSource<'a> {
    pub windows: &'a WindowLines,
    pub images: &'a [u8],
    pub zero: u8,
}

/// Copied lines, and where the windows begin.
#[derive(Default)]
pub(in crate::cpu) struct Strip {
    pub bytes: Vec<u8>,
    pub starts: Vec<usize>,
}

impl WindowLines {
    /// Returns `None` if the elements of a window that are in the same line are not adjacent, if the lines of a single line of results are
    /// too long, or if copying the windows is about as fast.
    pub fn new([planes, rows, cols]: [Axis; 3], channels: usize) -> Option<WindowLines> {
        let lines = WindowLines { rows, cols, channels };
        let are_runs = planes.is_identity() && (cols.dilation == 1 || cols.kernel == 1) && channels > 0;
        let longest = lines.extent().saturating_mul(lines.line()).saturating_mul(WIDEST);
        (are_runs && longest <= NEAR && lines.are_shared()).then_some(lines)
    }
    /// Whether copying lines takes at most half of the time that copying windows takes.
    fn are_shared(&self) -> bool {
        let results = (self.windows_at_a_time(WIDEST) / self.cols.output).min(self.rows.output);
        let lines = (results - 1) * self.rows.stride + self.extent();
        let windows = results * self.cols.output * self.rows.kernel * self.cols.kernel * self.channels;
        2 * lines * self.line() <= windows
    }
    /// Returns the runs of a window.
    pub fn runs(&self) -> Runs {
        let elements = self.cols.kernel * self.channels;
        Runs { count: self.rows.kernel, elements, distance: self.rows.dilation * self.line() }
    }
    /// Number of elements of a line.
    fn line(&self) -> usize {
        self.cols.len() * self.channels
    }
    /// Number of lines that a window spans, including those that dilation skips.
    fn extent(&self) -> usize {
        (self.rows.kernel - 1) * self.rows.dilation + 1
    }
    /// Returns how many windows are multiplied before the next lines are copied: those of several whole images, or of
    /// several lines of one image.
    pub fn windows_at_a_time(&self, bytes_per_element: usize) -> usize {
        let lines = NEAR / (self.line() * bytes_per_element);
        let results = match lines / self.rows.len() {
            // The first line of windows may be incomplete, so there may be one more.
            0 => lines.saturating_sub(self.extent()) / self.rows.stride,
            images => images * self.rows.output,
        };
        results.max(1) * self.cols.output
    }
    /// The maximum number of bytes of a strip with the windows that are multiplied at a time.
    pub fn bytes(&self, bytes_per_element: usize) -> usize {
        let windows = self.windows_at_a_time(bytes_per_element);
        let results = windows / self.cols.output;
        // Windows may begin within a line, and within an image.
        let (results, images) = (results + 1, results.div_ceil(self.rows.output) + 1);
        let lines = results * self.rows.stride + images * self.extent();
        lines * self.line() * bytes_per_element + GROUP + windows * size_of::<usize>()
    }
}

impl LineSource<'_> {
    /// Copies the lines that some windows cover.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn copy(&self, windows: Range<usize>, format: ElementFormat, to: &mut Strip) -> Result<()> {
        let WindowLines { rows, cols, .. } = self.windows;
        let (line, of_image) = (self.windows.line() * format.bytes(), rows.output * cols.output);
        let (mut lines, mut at) = (0, windows.start);
        to.starts.clear();
        reserve(&mut to.starts, windows.len())?;
        while at < windows.end {
            let (image, first) = (at / of_image, at % of_image);
            let end = of_image.min(first + windows.end - at);
            let (top, bottom) = (first / cols.output * rows.stride, (end - 1) / cols.output * rows.stride);
            let covered = top..bottom + self.windows.extent();
            // The last group of a run may extend past the last line; those bytes are multiplied by zeros.
            resize(&mut to.bytes, (lines + covered.len()) * line + GROUP, 0)?;
            let copies = to.bytes[lines * line..].chunks_exact_mut(line);
            covered.clone().zip(copies).for_each(|(of, copy)| self.copy_line(image, of, RowWriter::new(copy, format)));
            for row in first / cols.output..=(end - 1) / cols.output {
                let before = row * cols.output;
                let start = (lines + row * rows.stride - top) * line;
                let inside = first.max(before) - before..end.min(before + cols.output) - before;
                to.starts.extend(inside.map(|col| start + col * cols.stride * self.windows.channels * format.bytes()));
            }
            lines += covered.len();
            at += end - first;
        }
        Ok(())
    }

    /// Copies a line of an image; `line` is counted from the top of the padding.
    fn copy_line(&self, image: usize, line: usize, mut to: RowWriter) {
        let WindowLines { rows, cols, channels } = self.windows;
        let Some(line) = line.checked_sub(rows.pad).filter(|line| *line < rows.input) else {
            return to.repeat(self.zero, cols.len() * channels);
        };
        let before = cols.pad.min(cols.len());
        let inside = cols.input.min(cols.len() - before);
        to.repeat(self.zero, before * channels);
        to.push(&self.images[(image * rows.input + line) * cols.input * channels..], inside * channels);
        to.repeat(self.zero, (cols.len() - before - inside) * channels);
    }
}
