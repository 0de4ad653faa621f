//! Normalization of groups of channels of images in blocks.
use super::{BLOCK, InstructionSet, Pixel, band::zero_pixels, clear_beyond};
use crate::{array::zeros, base::Result};
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, FloatOps, NumOps},
};

/// Number of pixels per task. The sums of tasks do not depend on the number of threads.
const BAND: usize = 1 << 10;

/// Number of pixels whose float32 sums are exact enough; those of more pixels are added in float64.
const EXACT: usize = 64;

/// Numbers for the channels of a block.
type Sums = [f64; BLOCK];

/// Computes `(x - mean) / sqrt(variance + eps) * weight + bias`, with the moments of each group of channels of an image.
pub(in crate::cpu) struct GroupNorm<'a> {
    pub isa: InstructionSet,
    pub channels: usize,
    /// Number of groups, a divisor of the channels.
    pub groups: usize,
    /// Number of pixels of an image.
    pub area: usize,
    pub eps: f64,
    /// One number per channel.
    pub weight: &'a [f32],
    pub bias: &'a [f32],
}

impl GroupNorm<'_> {
    /// Writes all of `out`.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn run(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        let (x, out) = (x.as_chunks::<BLOCK>().0, out.as_chunks_mut::<BLOCK>().0);
        if out.is_empty() {
            return Ok(());
        }
        let planes = x.len() / self.area;
        // The first pixel is near the mean: of small differences of large numbers, the sums would lose digits.
        let pivots: Vec<Pixel> = x.iter().step_by(self.area).copied().collect();
        let sums = self.sums(x, &pivots, false);
        let n = (self.channels / self.groups * self.area) as f64;
        let mut means = self.of_groups(planes, |plane, lane| {
            (sums[plane][lane] + f64::from(pivots[plane][lane]) * self.area as f64) / n
        })?;
        let rounded = self.of_channels(planes, |group, _| means[group] as f32)?;
        let squares = self.sums(x, &rounded, true);
        let mut scales = self.of_groups(planes, |plane, lane| squares[plane][lane] / n)?;
        scales.iter_mut().for_each(|scale| *scale = 1.0 / (*scale + self.eps).sqrt());
        // The bias makes up for the rounding of the mean.
        means.iter_mut().for_each(|mean| *mean = f64::from(*mean as f32) - *mean);
        let weight = |group: usize, c: usize| scales[group] * f64::from(self.weight[c]);
        let factors = self.of_channels(planes, |group, c| weight(group, c) as f32)?;
        let shifts =
            self.of_channels(planes, |group, c| (f64::from(self.bias[c]) + means[group] * weight(group, c)) as f32)?;
        let (blocks, bands) = (self.channels.div_ceil(BLOCK), self.area.div_ceil(BAND));
        let parts: Vec<&mut [Pixel]> = out.chunks_mut(self.area).flat_map(|plane| plane.chunks_mut(BAND)).collect();
        parts.into_par_iter().enumerate().for_each(|(i, out)| {
            let (plane, first) = (i / bands, i % bands * BAND);
            let x = &x[plane * self.area + first..][..out.len()];
            let (mean, factor, shift) = (&rounded[plane], &factors[plane], &shifts[plane]);
            self.isa.run(Scale { x, mean, factor, shift, out: &mut *out });
            if plane % blocks == blocks - 1 {
                clear_beyond(self.channels, out);
            }
        });
        Ok(())
    }

    /// Returns the sums of each channel of each plane, less `minus` per pixel, or those of the squares.
    fn sums(&self, x: &[Pixel], minus: &[Pixel], squared: bool) -> Vec<Sums> {
        let bands = self.area.div_ceil(BAND);
        let of_bands: Vec<Sums> = (0..minus.len() * bands)
            .into_par_iter()
            .map(|i| {
                let (plane, first) = (i / bands, i % bands * BAND);
                let x = &x[plane * self.area..][first..self.area.min(first + BAND)];
                self.isa.run(Sum { x, minus: &minus[plane], squared })
            })
            .collect();
        let sum = |bands: &[Sums]| std::array::from_fn(|lane| bands.iter().map(|sums| sums[lane]).sum());
        of_bands.chunks(bands).map(sum).collect()
    }

    /// Adds a number for each channel of each image, given its plane and its lane, to that of its group.
    fn of_groups(&self, planes: usize, number: impl Fn(usize, usize) -> f64) -> Result<Vec<f64>> {
        let blocks = self.channels.div_ceil(BLOCK);
        let mut all = zeros::<f64>(planes / blocks * self.groups)?;
        for (group, sum) in all.iter_mut().enumerate() {
            let (image, of_group) = (group / self.groups, self.channels / self.groups);
            let first = group % self.groups * of_group;
            *sum = (first..first + of_group).map(|c| number(image * blocks + c / BLOCK, c % BLOCK)).sum();
        }
        Ok(all)
    }

    /// Returns a number for each channel of each plane, given its group among those of all images, and the channel.
    fn of_channels(&self, planes: usize, number: impl Fn(usize, usize) -> f32) -> Result<Vec<Pixel>> {
        let (blocks, of_group) = (self.channels.div_ceil(BLOCK), self.channels / self.groups);
        let mut all = zero_pixels::<BLOCK>(planes)?;
        for (plane, numbers) in all.iter_mut().enumerate() {
            let (image, first) = (plane / blocks, plane % blocks * BLOCK);
            for (lane, c) in (first..self.channels.min(first + BLOCK)).enumerate() {
                numbers[lane] = number(image * self.groups + c / of_group, c);
            }
        }
        Ok(all)
    }
}

/// The sum of pixels less `minus`, or of the squares.
struct Sum<'a> {
    x: &'a [Pixel],
    minus: &'a Pixel,
    squared: bool,
}

impl SimdOp for Sum<'_> {
    type Output = Sums;

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) -> Sums {
        let ops = isa.f32();
        let mut sums = [0.0; BLOCK];
        for x in self.x.chunks(EXACT) {
            for lanes in (0..BLOCK).step_by(ops.len()) {
                let minus = ops.load(&self.minus[lanes..]);
                let mut found = [ops.zero(); 4];
                for i in 0..x.len() {
                    let v = ops.sub(ops.load(&x[i][lanes..]), minus);
                    let sum = &mut found[i % 4];
                    *sum = if self.squared { ops.mul_add(v, v, *sum) } else { ops.add(*sum, v) };
                }
                let [a, b, c, d] = found;
                let mut of_lanes = [0.0; BLOCK];
                ops.store(ops.add(ops.add(a, b), ops.add(c, d)), &mut of_lanes);
                for lane in 0..ops.len() {
                    sums[lanes + lane] += f64::from(of_lanes[lane]);
                }
            }
        }
        sums
    }
}

/// `(x - mean) factor + shift`.
struct Scale<'a> {
    x: &'a [Pixel],
    mean: &'a Pixel,
    factor: &'a Pixel,
    shift: &'a Pixel,
    out: &'a mut [Pixel],
}

impl SimdOp for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.pixels::<_, 1>(ops),
            8 => self.pixels::<_, 2>(ops),
            _ => self.pixels::<_, 4>(ops),
        }
    }
}

impl Scale<'_> {
    #[inline(always)]
    fn pixels<O: FloatOps<f32>, const V: usize>(self, ops: O) {
        let [mut mean, mut factor, mut shift] = [[ops.zero(); V]; 3];
        for v in 0..V {
            mean[v] = ops.load(&self.mean[v * ops.len()..]);
            factor[v] = ops.load(&self.factor[v * ops.len()..]);
            shift[v] = ops.load(&self.shift[v * ops.len()..]);
        }
        for (x, out) in self.x.iter().zip(self.out) {
            for v in 0..V {
                let off = ops.sub(ops.load(&x[v * ops.len()..]), mean[v]);
                ops.store(ops.mul_add(off, factor[v], shift[v]), &mut out[v * ops.len()..]);
            }
        }
    }
}
