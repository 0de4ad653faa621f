//! Transposed convolution: one convolution per phase of the result.
//!
//! With a stride of 2, even rows of the result see only some rows of the kernel, and odd rows the others; columns, and
//! slices of volumes, are alike. The positions with the same remainders (the phase) are therefore an ordinary convolution
//! of the input with a subset of the kernel's elements, in reverse order, whose results are written between those of other
//! phases.
use super::{
    Axis, BLOCK, ConvEpilogue, ConvShape, InstructionSet, LONGEST, Method, Pixel, conv::Direct, depthwise::Depthwise,
    for_all_threads, tile::Place,
};
use crate::{array::reserve, base::Result, ops::Window};
use rayon::prelude::*;

/// Maximum stride. Phases of larger ones would be many and small.
const WIDEST: usize = 32;
/// Maximum number of phases.
const MOST: usize = WIDEST * WIDEST;

/// A transposed convolution with its weights packed for the instruction set.
pub(in crate::cpu) struct Deconv2d {
    phases: Phases,
    /// Number of planes of the result.
    planes: usize,
}

/// The convolution of each phase.
enum Phases {
    General(Vec<Direct<BLOCK>>),
    First(Vec<Direct<1>>),
    Depthwise(Vec<Separate>),
}

/// A depthwise convolution whose result is copied to its place.
struct Separate {
    conv: Depthwise,
    place: Place,
    /// Number of pixels of a plane of the result.
    pixels: usize,
}

impl Separate {
    /// Writes the pixels of this phase in all planes of `out`. `scratch` has room for them.
    fn run(&self, x: &[Pixel], scratch: &mut [Pixel], out: &mut [Pixel]) -> Result<()> {
        let [_, rows, cols] = self.place.size;
        let planes = out.len() / (rows * cols);
        let results = &mut scratch[..planes * self.pixels];
        self.conv.run(x, None, results, &|_, _| {})?;
        let width = (cols - self.place.first[2]).div_ceil(self.place.step[2]);
        out.par_chunks_exact_mut(rows * cols).zip(results.par_chunks_exact(self.pixels)).for_each(|(out, results)| {
            for (row, results) in results.chunks_exact(width).enumerate() {
                let out = &mut out[self.place.offset(row, 0)..];
                out.iter_mut().step_by(self.place.step[2]).zip(results).for_each(|(to, from)| *to = *from);
            }
        });
        Ok(())
    }
}

/// One axis of a phase.
pub(super) struct PhaseAxis {
    /// The windows of the phase's convolution.
    axis: Axis,
    /// The elements of the kernel that it sees, in its order.
    elements: Vec<usize>,
}

impl Axis {
    /// Returns the axis of a transposed convolution: the windows are over the result, which has `output` elements. Returns
    /// `None` if it is empty, has more than `longest` elements, or is too long for these kernels.
    pub fn transposed(w: &Window, output: usize, longest: i64) -> Option<Axis> {
        let sizes = [w.kernel, w.stride, w.dilation, w.pads[0], w.kernel.saturating_mul(w.dilation)];
        let is_short = w.input as i64 <= longest && output as i64 <= longest;
        let fits = w.input > 0 && is_short && sizes.iter().all(|size| *size <= LONGEST);
        fits.then(|| Axis::of(w, output))
    }
    /// Returns the phases of a transposed axis. Returns `None` if one of them sees no element of the kernel, begins after
    /// the first element of the input, or is empty.
    pub(super) fn phases(&self) -> Option<Vec<PhaseAxis>> {
        // Each phase needs an element of its own.
        (self.stride <= self.kernel.min(WIDEST)).then(|| (0..self.stride).map(|phase| self.phase(phase)).collect())?
    }
    /// The input `i` and the element `k` of the kernel contribute to position `stride * i + dilation * k - pad`.
    fn phase(&self, phase: usize) -> Option<PhaseAxis> {
        let place = phase + self.pad;
        let is_seen = |k: &usize| (k * self.dilation).abs_diff(place).is_multiple_of(self.stride);
        let elements: Vec<usize> = (0..self.kernel).rev().filter(is_seen).collect();
        let pad = (elements.first()? * self.dilation).checked_sub(place)? / self.stride;
        let dilation = elements.get(1).map_or(1, |next| (elements[0] - next) * self.dilation / self.stride);
        let output = self.output.checked_sub(phase)?.div_ceil(self.stride);
        let axis = Axis { input: self.input, kernel: elements.len(), stride: 1, dilation, pad, output };
        (output > 0).then_some(PhaseAxis { axis, elements })
    }
}

impl Deconv2d {
    /// Whether [`Deconv2d::new`] has a method for this shape, whose axes are [transposed](Axis::transposed).
    pub fn supports(g: &ConvShape) -> bool {
        let has_method = match g.method() {
            Some(Method::General | Method::First) => true,
            Some(Method::Depthwise) => g.is_flat(),
            _ => false,
        };
        let axes = [g.slices, g.rows, g.cols];
        let are_few = axes.iter().all(|axis| axis.stride <= WIDEST)
            && axes.iter().map(|axis| axis.stride).product::<usize>() <= MOST;
        // With few channels it would mostly compute padding.
        has_method && g.oc >= BLOCK / 2 && are_few && axes.iter().all(|axis| axis.phases().is_some())
    }
    /// Packs the weights, oc x ic/group x slices x rows x columns. Returns `None` if the shape is not
    /// [supported](Deconv2d::supports).
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Option<Deconv2d>> {
        if !Deconv2d::supports(&g) {
            return Ok(None);
        }
        let phases = match g.method() {
            Some(Method::First) => Phases::First(phases(&g, weights, |place, g, w| Direct::at(place, isa, g, w, end))?),
            Some(Method::Depthwise) => Phases::Depthwise(phases(&g, weights, |place, g, w| {
                Ok(Separate { conv: Depthwise::new(isa, g, w, end)?, place, pixels: g.pixels() })
            })?),
            _ => Phases::General(phases(&g, weights, |place, g, w| Direct::at(place, isa, g, w, end))?),
        };
        Ok(Some(Deconv2d { phases, planes: g.batch * g.oc.div_ceil(BLOCK) }))
    }
    /// Bytes of workspace, in addition to input and result.
    pub fn workspace(&self) -> u64 {
        let workspaces: Vec<u64> = match &self.phases {
            Phases::General(all) => all.iter().map(Direct::workspace).collect(),
            Phases::First(all) => all.iter().map(Direct::workspace).collect(),
            Phases::Depthwise(all) => all.iter().map(|phase| phase.conv.workspace()).collect(),
        };
        let results = self.scratch().saturating_mul(size_of::<f32>()) as u64;
        for_all_threads(workspaces.into_iter().max().unwrap_or(0)).saturating_add(results)
    }
    /// Number of floats of scratch memory: the largest phase, if the phases are copied.
    pub fn scratch(&self) -> usize {
        let Phases::Depthwise(all) = &self.phases else { return 0 };
        let pixels = all.iter().map(|phase| phase.pixels.saturating_mul(self.planes)).max();
        pixels.unwrap_or(0).saturating_mul(BLOCK)
    }
    /// Writes all of `out`. `scratch` has [`Deconv2d::scratch`] floats of any value.
    ///
    /// # Errors
    /// Returns an error if memory for the workspace runs out.
    pub fn run(&self, x: &[f32], out: &mut [f32], scratch: &mut [f32]) -> Result<()> {
        let out = out.as_chunks_mut().0;
        match &self.phases {
            Phases::General(all) => all.iter().try_for_each(|phase| phase.run(x.as_chunks().0, None, out, &|_, _| {})),
            Phases::First(all) => all.iter().try_for_each(|phase| phase.run(x.as_chunks().0, None, out, &|_, _| {})),
            Phases::Depthwise(all) => {
                let scratch = scratch.as_chunks_mut().0;
                all.iter().try_for_each(|phase| phase.run(x.as_chunks().0, scratch, out))
            }
        }
    }
}

/// Returns the convolutions of the phases. `make` creates one from its place, its shape and its weights.
fn phases<T>(g: &ConvShape, weights: &[f32], make: impl Fn(Place, ConvShape, &[f32]) -> Result<T>) -> Result<Vec<T>> {
    let mut phases = Vec::new();
    let [slices, rows, cols] = [g.slices, g.rows, g.cols].map(|axis| axis.phases().unwrap_or_default());
    let Place { size, .. } = g.place();
    let step = [g.slices.stride, g.rows.stride, g.cols.stride];
    for (slice, of_slices) in slices.iter().enumerate() {
        for (row, of_rows) in rows.iter().enumerate() {
            for (col, of_cols) in cols.iter().enumerate() {
                let shape = ConvShape { slices: of_slices.axis, rows: of_rows.axis, cols: of_cols.axis, ..*g };
                let place = Place { first: [slice, row, col], step, size };
                phases.push(make(place, shape, &seen(g, weights, [of_slices, of_rows, of_cols])?)?);
            }
        }
    }
    Ok(phases)
}

/// Returns the weights of the elements of the kernel that a phase sees.
fn seen(g: &ConvShape, weights: &[f32], [slices, rows, cols]: [&PhaseAxis; 3]) -> Result<Vec<f32>> {
    let (mut seen, kernel) = (Vec::new(), g.slices.kernel * g.taps());
    let n = slices.elements.len() * rows.elements.len() * cols.elements.len();
    reserve(&mut seen, (weights.len() / kernel).saturating_mul(n))?;
    for kernel in weights.chunks_exact(kernel) {
        for slice in &slices.elements {
            for row in &rows.elements {
                let row = &kernel[(slice * g.rows.kernel + row) * g.cols.kernel..][..g.cols.kernel];
                seen.extend(cols.elements.iter().map(|col| row[*col]));
            }
        }
    }
    Ok(seen)
}
