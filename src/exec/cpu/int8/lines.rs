//! Lines of images, with padding, in which the windows of a convolution are multiplied where they are.
//!
//! Copying each window instead would copy each pixel once for each element of the kernel.
use super::{
    panel::GROUP,
    product::{ElementFormat, RowWriter, Runs, resize},
};
use crate::{base::Result, cpu::blocked::Axis};
use std::ops::Range;

/// Bytes of the lines that are copied at a time: they stay in the second-level cache beside a panel.
const NEAR: usize = 128 << 10;

/// Maximum number of bytes of the lines that a single line of results needs.
const MOST: usize = 1 << 20;

/// The geometry of windows on images with channels last. The elements of a window that are in the same line follow each other.
#[derive(Clone)]
pub(in crate::cpu) struct WindowLines {
    rows: Axis,
    cols: Axis,
    channels: usize,
}

/// Images, and what their elements outside are.
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
    /// Returns `None` if the elements of a window that are in the same line do not follow each other, or if windows share so few pixels
    /// that copying the windows is faster.
    pub fn new([planes, rows, cols]: [Axis; 3], channels: usize) -> Option<WindowLines> {
        let are_runs = planes.is_identity() && (cols.dilation == 1 || cols.kernel == 1);
        let are_shared = rows.kernel * cols.kernel > 2 * rows.stride * cols.stride;
        let lines = WindowLines { rows, cols, channels };
        let most = lines.extent().saturating_mul(lines.line());
        (are_runs && are_shared && most <= MOST).then_some(lines)
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
    /// Number of lines of the windows at a position.
    fn extent(&self) -> usize {
        (self.rows.kernel - 1) * self.rows.dilation + 1
    }
    /// Returns how many windows are multiplied before the next lines are copied.
    pub fn windows_at_a_time(&self, bytes_per_element: usize) -> usize {
        let lines = NEAR / (self.line() * bytes_per_element);
        // The first line of windows may be incomplete, so there may be one more.
        let results = lines.saturating_sub(self.extent()) / self.rows.stride;
        results.max(1) * self.cols.output
    }
    /// The bytes of a strip with the windows that are multiplied at a time.
    pub fn bytes(&self, bytes_per_element: usize) -> usize {
        let windows = self.windows_at_a_time(bytes_per_element);
        // Windows may begin in an image, and end in the next one.
        let lines = (windows / self.cols.output + 1) * self.rows.stride + 2 * self.extent();
        lines * self.line() * bytes_per_element + windows * size_of::<usize>()
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
        while at < windows.end {
            let (image, first) = (at / of_image, at % of_image);
            let end = of_image.min(first + windows.end - at);
            let (top, bottom) = (first / cols.output * rows.stride, (end - 1) / cols.output * rows.stride);
            let covered = top..bottom + self.windows.extent();
            // What follows the last run is multiplied by zeros.
            resize(&mut to.bytes, (lines + covered.len()) * line + GROUP, 0)?;
            let copies = to.bytes[lines * line..].chunks_exact_mut(line);
            covered.clone().zip(copies).for_each(|(of, copy)| self.copy_line(image, of, RowWriter::new(copy, format)));
            to.starts.extend((first..end).map(|position| {
                let (row, col) = (position / cols.output * rows.stride - top, position % cols.output * cols.stride);
                (lines + row) * line + col * self.windows.channels * format.bytes()
            }));
            lines += covered.len();
            at += end - first;
        }
        Ok(())
    }

    /// Copies a line of an image, counted with its padding.
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
