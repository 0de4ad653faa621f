//! Convolutions of bytes as products: one row for each position, which has the channels of each kernel element.
use super::{
    ByteOperand, Completion, PackedBytes, is_byte,
    lines::{LineSource, WindowLines},
    packed_for_runs,
    product::{Contiguous, RowWriter, RowWriters, Rows},
    sums::{ResultMemory, SumsEpilogue},
};
use crate::{
    Operand, ValueType,
    array::ArrayMut,
    base::Result,
    cpu::{blocked::Axis, layout::permuted, workspace::Workspace},
    ops::{Conv, Convolution, Window},
};

/// A constant filter, packed into one matrix per group.
pub(in crate::cpu) struct ByteFilter {
    groups: Vec<PackedBytes>,
    windows: Windows,
    /// The input as uint8.
    input: ByteOperand,
}

/// The windows of a convolution with up to three spatial axes; missing ones are leading ones of size 1.
#[derive(Clone)]
struct Windows {
    axes: [Axis; 3],
    /// The channels of an image, and of a group.
    channels: usize,
    depth: usize,
    /// How windows are read from lines; `None` if each window is copied.
    lines: Option<WindowLines>,
}

impl ByteFilter {
    /// Whether a filter is constant, and its products are sums of bytes that fit in 32 bits.
    pub fn supports(op: &Conv<Operand>) -> bool {
        let windows = Convolution::from(op).windows(&op.input.ty.plain_shape());
        op.filter.constant.is_some()
            && is_byte(&op.input)
            && ByteOperand::new(&op.input).is_some()
            && ByteOperand::new(&op.filter).is_some()
            && windows.is_ok_and(|w| Windows::new(op, &w).is_some_and(|w| w.row() <= super::DEPTH))
    }

    /// Returns `None` if the filter is not supported.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn new(op: &Conv<Operand>) -> Result<Option<ByteFilter>> {
        let (Some(values), true) = (&op.filter.constant, ByteFilter::supports(op)) else { return Ok(None) };
        let windows = Convolution::from(op).windows(&op.input.ty.plain_shape())?;
        let (Some(windows), Some(input)) = (Windows::new(op, &windows), ByteOperand::new(&op.input)) else {
            return Ok(None);
        };
        let groups = by_group(op, values.bytes()?, &windows)?;
        Ok(groups.map(|groups| ByteFilter { groups, windows, input }))
    }

    /// Returns the epilogue that stores the sums.
    pub fn sums(&self) -> Completion {
        Completion::sums(self.groups.iter().flat_map(|group| group.begin(self.input.zero)))
    }

    /// Returns the epilogue for a result, or `None` if sums must be completed in another way.
    pub fn completion(&self, op: &Conv<Operand>, result: &ValueType, end: SumsEpilogue) -> Option<Completion> {
        let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| q.values().0);
        let (of_input, of_filter) = (scales(&op.input)[0], scales(&op.filter));
        let begin = self.groups.iter().flat_map(|group| group.begin(self.input.zero));
        let scales = of_filter.iter().cycle().map(|scale| of_input * scale);
        Completion::new(begin, scales, result, end)
    }

    /// The scratch memory of all threads.
    pub fn workspace(&self) -> Workspace {
        match (self.groups.first(), &self.windows.lines) {
            (Some(group), Some(lines)) => group.workspace_of_lines(lines),
            (group, _) => group.map_or_else(Workspace::none, PackedBytes::workspace),
        }
    }

    /// Convolves images with channels last. The result has its channels last, too.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn run(&self, images: &[u8], completion: &Completion, out: &mut ArrayMut) -> Result<()> {
        let columns: usize = self.groups.iter().map(PackedBytes::columns).sum();
        let (mut out, mut first) = (ResultMemory::of(out)?, 0);
        for (group, matrix) in self.groups.iter().enumerate() {
            let windows =
                Images { images, windows: &self.windows, zero: self.input.zero, first: group * self.windows.depth };
            let pixels = Contiguous { data: images, k: self.windows.channels };
            let rows: &dyn Rows = if self.windows.are_pixels() { &pixels } else { &windows };
            completion.product(matrix, (rows, self.input.flip), out.reborrow(), (first, columns))?;
            first += matrix.columns();
        }
        Ok(())
    }
}

/// Packs each group. The channels of a kernel element are consecutive rows.
fn by_group(op: &Conv<Operand>, filter: &[u8], windows: &Windows) -> Result<Option<Vec<PackedBytes>>> {
    let (channels, row, group) = (op.filter.ty.shape[0], windows.row(), op.group as usize);
    let last = permuted(filter, &[channels, windows.depth, row / windows.depth], &[0, 2, 1])?;
    let oc = channels / group;
    let runs = windows.lines.as_ref().map(WindowLines::runs);
    let groups = last.chunks_exact(oc * row).map(|filter| packed_for_runs(&op.filter, filter, ([row, oc], runs), true));
    groups.collect()
}

impl Windows {
    fn new(op: &Conv<Operand>, windows: &[Window]) -> Option<Windows> {
        let (channels, depth) = (*op.input.ty.plain_shape().get(1)?, *op.filter.ty.shape.get(1)?);
        let missing = 3usize.checked_sub(windows.len())?;
        let mut axes = [Axis::ONE; 3];
        for (axis, window) in axes[missing..].iter_mut().zip(windows) {
            *axis = Axis::new(window).ok()??;
        }
        let is_valid = depth > 0 && op.group > 0 && channels == depth * op.group as usize;
        let lines = if depth == channels { WindowLines::new(axes, channels) } else { None };
        is_valid.then_some(Windows { axes, channels, depth, lines })
    }
    /// Whether each window is a pixel.
    fn are_pixels(&self) -> bool {
        self.depth == self.channels && self.axes.iter().all(Axis::is_identity)
    }
    /// Number of elements of a row.
    fn row(&self) -> usize {
        self.axes.iter().map(|a| a.kernel).product::<usize>() * self.depth
    }
}

/// The windows of one group of some images.
struct Images<'a> {
    images: &'a [u8],
    windows: &'a Windows,
    /// What elements outside of the image are.
    zero: u8,
    /// The first channel of the group.
    first: usize,
}

impl Rows for Images<'_> {
    fn lines(&self) -> Option<LineSource<'_>> {
        let windows = self.windows.lines.as_ref()?;
        Some(LineSource { windows, images: self.images, zero: self.zero })
    }
    fn copy(&self, first: usize, to: &mut RowWriters) {
        let [planes, rows, cols] = &self.windows.axes;
        let (line, mut col) = (first / cols.output, first % cols.output);
        let (plane, mut line) = (line / rows.output, line % rows.output);
        let (mut image, mut plane) = (plane / planes.output, plane % planes.output);
        let mut inside = [planes.inside(plane), rows.inside(line)];
        for mut to in to {
            self.copy_window(image, [plane, line, col], inside, &mut to);
            col += 1;
            if col < cols.output {
                continue;
            }
            (col, line) = (0, line + 1);
            if line == rows.output {
                (line, plane) = (0, plane + 1);
            }
            if plane == planes.output {
                (plane, image) = (0, image + 1);
            }
            inside = [planes.inside(plane), rows.inside(line)];
        }
    }
}

impl Images<'_> {
    /// Copies a window that is inside of an image, from its first element on. The elements of a line are consecutive.
    fn copy_whole_window(&self, image: usize, [plane, line, col]: [usize; 3], to: &mut RowWriter) {
        let Windows { axes: [planes, rows, cols], channels, .. } = self.windows;
        let length = cols.kernel * channels;
        let step = cols.input * channels;
        for a in 0..planes.kernel {
            let first = (image * planes.input + plane + a * planes.dilation) * rows.input + line;
            let mut at = (first * cols.input + col) * channels;
            for _ in 0..rows.kernel {
                to.push(&self.images[at..], length);
                at += rows.dilation * step;
            }
        }
    }

    /// Copies the window at a position of an image; `inside` are the ranges of kernel elements inside along planes and rows.
    fn copy_window(
        &self,
        image: usize,
        [plane, line, col]: [usize; 3],
        [of_planes, of_rows]: [(usize, usize); 2],
        to: &mut RowWriter,
    ) {
        let Windows { axes: [planes, rows, cols], channels, depth, .. } = self.windows;
        let position = |axis: &Axis, at: usize, tap: usize| at * axis.stride + tap * axis.dilation - axis.pad;
        let inside = [of_planes, of_rows, cols.inside(col)];
        let within = |(from, to): (usize, usize), tap: usize| (from..to).contains(&tap);
        let (from, end) = inside[2];
        let is_one = cols.dilation == 1 && depth == channels;
        let is_whole = [planes, rows, cols].iter().zip(inside).all(|(axis, (from, to))| from == 0 && to == axis.kernel);
        if is_one && is_whole {
            let first = [position(planes, plane, 0), position(rows, line, 0), position(cols, col, 0)];
            return self.copy_whole_window(image, first, to);
        }
        for a in 0..planes.kernel {
            for b in 0..rows.kernel {
                if !within(inside[0], a) || !within(inside[1], b) || from >= end {
                    to.repeat(self.zero, cols.kernel * depth);
                    continue;
                }
                let start = (image * planes.input + position(planes, plane, a)) * rows.input + position(rows, line, b);
                let pixel = |tap: usize| {
                    let at = start * cols.input + position(cols, col, tap);
                    &self.images[at * channels + self.first..]
                };
                to.repeat(self.zero, from * depth);
                match is_one {
                    true => to.push(pixel(from), (end - from) * depth),
                    false => (from..end).for_each(|tap| to.push(pixel(tap), *depth)),
                }
                to.repeat(self.zero, (cols.kernel - end) * depth);
            }
        }
    }
}
